//! Places in which what is typed does not reach the bot: nobody is told to type there, and whoever does is told once what
//! works.

use insta::assert_snapshot;

use crate::discord::bot::{Bot, By, Plan};

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one conversation, told from its beginning to its end")]
async fn commands_are_buttons_where_messages_cannot_be_read() {
    let bot = Bot::pressed(Plan::default(), &["Start"]).await;
    let ada = bot.ada().at("welcome-ada");
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: Hi @Ada!
          ┃ ### Community welcome
          ┃ **This is a bot.** It asks a few fixed questions; you can skip the introduction in step 3.
          ┃ It keeps your answers for 90 days and posts nothing until you approve it. Details: https://example.org/privacy
          ┃ 
          ┃ Press **Ask staff** to reach staff, **Stop** to end, **Delete my data** to erase.
          ┃ [Start] [Ask staff] [Not now]
          ┃ [Help] [Stop] [Delete my data]
    ");
    ada.press("Start").await;
    ada.news();
    ada.press("Stop").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃  1. Be kind.
          ┃  2. No spam or self-promotion outside #showcase.
          ┃  3. Keep it legal and on topic.
          ┃  4. Staff have the last word.
          ┃  **Question withdrawn**: the conversation was stopped. <t:1793628300:f>
      + Anteroom: Stopped. I won't ask anything more. Press *Continue* to continue later, or *Delete my data* to erase everything.
          [Continue] [Delete my data]
    ");
    ada.press("Continue").await;
    assert_snapshot!(ada.news(), @r"
    #welcome-ada
      + Anteroom: Welcome back. Let's pick up where we left off.
      + Anteroom: ┃ 1. Be kind.
          ┃ 2. No spam or self-promotion outside #showcase.
          ┃ 3. Keep it legal and on topic.
          ┃ 4. Staff have the last word.
          ┃ [I accept] [I have a question] [I do not accept]
          ┃ -# Step 1 of 4 · Rules · 0/2
          ┃ [Help] [Talk to a person] [Stop]
    ");
    ada.press("Talk to a person").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: I've asked the team. I'll keep quiet until they answer or you press *Continue*.
          [Continue]
    ");
    ada.press("Continue").await;
    assert_snapshot!(ada.news(), @r"
    #welcome-ada
      ~ Anteroom (edited): ┃ 1. Be kind.
          ┃ 2. No spam or self-promotion outside #showcase.
          ┃ 3. Keep it legal and on topic.
          ┃ 4. Staff have the last word.
          ┃ [I accept] [I have a question] [I do not accept]
          ┃ -# Step 1 of 4 · Rules · 0/2
          ┃ [Help] [Talk to a person] [Stop]
      + Anteroom: The assistant is back. Let's pick up where we left off.
    ");
    ada.press("Help").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom (only you): What works here:
          - Press a button on a card, or answer with Discord's *Reply* on one of my messages, with the mention on.
          - Already wrote it? Open the menu of your message and choose *Apps*, then *Use as answer*.
          - For anything else there are these buttons:
          [Talk to a person] [Stop] [Continue] [Download my answers] [Delete my data]
    ");
    assert_snapshot!(bot.linus().at("staff-desk").news(), @"
    #staff-desk
      + Anteroom: ┃ **Ada** · Community welcome
          ┃ -# Step 1 of 4 · Rules · 0/2 · running.
          ┃ -# Reply to a message of mine in this thread to take over. I'll pass on what you write.
          ┃ [Take over] [Hand back] [! End the conversation]
    ");
}

#[tokio::test]
async fn whoever_types_what_cannot_be_read_is_told_once_what_works() {
    let bot = Bot::pressed(Plan::default(), &["Start"]).await;
    let ada = bot.ada().at("welcome-ada");
    ada.news();
    ada.write("stop").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: I can't read what is typed here, but this works:
          - Press a button on a card, or answer with Discord's *Reply* on one of my messages, with the mention on.
          - Already wrote it? Open the menu of your message and choose *Apps*, then *Use as answer*.
          - For anything else there are these buttons:
          [Talk to a person] [Stop] [Continue] [Download my answers] [Delete my data]
    ");
    ada.write("delete my data").await;
    assert_snapshot!(ada.news(), @"");
    // Whoever is not asked is not answered.
    ada.press("Talk to a person").await;
    let (linus, thread) = (bot.linus(), "Ada · Community welcome");
    linus.news();
    linus.at(thread).write("I am on it").await;
    assert_snapshot!(linus.news(), @"
    #Ada · Community welcome
      + Anteroom: I can't read what is typed here. Use Discord's *Reply* on one of my messages, with the mention on.
    ");
    linus.at(thread).write("Hello?").await;
    assert_snapshot!(linus.news(), @"");
}

#[tokio::test]
async fn over_http_nobody_is_told_to_reply() {
    let bot = Bot::pressed(Plan { by: By::Http, ..Plan::default() }, &["Start"]).await;
    let ada = bot.ada().at("welcome-ada");
    ada.press("Start").await;
    ada.news();
    ada.press("Help").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom (only you): What works here:
          - Press a button on a card.
          - Already wrote it? Open the menu of your message and choose *Apps*, then *Use as answer*.
          - For anything else there are these buttons:
          [Talk to a person] [Stop] [Continue] [Download my answers] [Delete my data]
    ");
}

#[tokio::test]
async fn where_messages_can_be_read_no_button_stands_for_a_word() {
    let bot = Bot::pressed(Plan::hearing(), &["Start"]).await;
    let ada = bot.ada().at("welcome-ada");
    for label in ["Help", "Stop", "Talk to a person"] {
        assert!(ada.button(label).is_none(), "{label}");
    }
    assert!(ada.screen().contains("Type **human** to reach staff"), "{}", ada.screen());
}
