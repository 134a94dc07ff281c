//! Rows of `docs/semantics.md` that are about a card and what is pressed, typed or sent under it: a script leads.
//!
//! F numbers are those of `docs/behaviour.md`.

use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use crate::discord::{
    bot::{ADA, APPROVALS, Bot, By, LINUS, MALLORY, Plan, WELCOME},
    emulator::{
        faults::Fault,
        state::{BOT, Recorded, may},
    },
    person::member_json,
};

/// Choices, a file, words.
pub(crate) const FLOW: &str = r#"
format = 1
id = "short"
version = "1.0.0"
title = "A short talk"

[start.discord]
panel = true
panel_text = "Press Start."
place = "private-thread"
parent = "welcome"
fallback = "dm"

[pace]
remind_after = ["24h", "72h"]
expire_after = "14d"

[approvals.override]
channel = "staff_approvals"

[handoff]
channel = "staff_desk"
claim_reminder = "4h"

[[phase]]
id = "one"
title = "One"
mode = "script"
tools = ["get_user_option", "request_user_input", "get_user_upload"]
uploads = { accept = ["txt", "md", "pdf"], max_mb = 1, max_files = 1 }

  [[phase.objective]]
  id = "coloured"
  title = "A colour"
  done = { answered = { step = "colour" } }

  [[phase.objective]]
  id = "filed"
  title = "A file"
  skip = "participant"
  done = { uploaded = "other" }

  [[phase.step]]
  id = "colour"
  tool = "get_user_option"
  args = { prompt = "Which colour?", options = [ { id = "red", label = "Red" }, { id = "blue", label = "Blue" } ] }

  [[phase.step]]
  id = "file"
  tool = "get_user_upload"
  args = { uploadType = "other", prompt = "A file, please.", acceptedFormats = ["txt", "md", "pdf"] }

[[phase]]
id = "two"
title = "Two"
mode = "script"
tools = ["request_user_input"]

  [[phase.objective]]
  id = "worded"
  title = "A word"
  done = { answered = { step = "word" } }

  [[phase.step]]
  id = "word"
  tool = "request_user_input"
  args = { prompt = "A word, please." }
"#;

/// Ada is asked for a colour, where all words reach the bot.
pub(crate) async fn begun() -> Bot {
    begun_by(By::Gateway).await
}

/// The same by a way of one's own; over HTTP no words reach the bot.
pub(crate) async fn begun_by(by: By) -> Bot {
    let discord = if by == By::Gateway { "message_content = true" } else { "" };
    let plan =
        Plan { by, flow: Some(FLOW.to_owned()), discord: discord.to_owned(), ..Plan::default() };
    let bot = Bot::planned(plan).await;
    bot.ada().at("welcome").command("/onboard start", &[]).await;
    drop(bot.ada().news());
    bot
}

/// Ada is asked for a file.
pub(crate) async fn at_the_file() -> Bot {
    let bot = begun().await;
    bot.ada().press("Blue").await;
    drop(bot.ada().news());
    bot
}

/// Sees private threads, and may write in them.
pub(crate) fn lurks(bot: &Bot, user: u64) {
    bot.discord.with(|state| {
        let welcome = state.channels.get_mut(&WELCOME).unwrap();
        welcome.overwrites.insert(user, (may::MANAGE_THREADS, 0));
    });
}

#[tokio::test]
async fn row_1_two_devices_at_once_are_one_answer() {
    for _ in 0..8 {
        let bot = begun().await;
        let ada = bot.ada();
        let (blue, red) = (ada.button("Blue").unwrap(), ada.button("Red").unwrap());
        tokio::join!(ada.press_again(&blue), ada.press_again(&blue));
        let screen = ada.screen();
        assert!(!screen.contains("That question was answered"), "{screen}");
        // F11: another choice of the same person is told that the first one counts.
        ada.press_again(&red).await;
        let screen = ada.screen();
        assert_eq!(screen.matches("✓ You answered: **Blue**").count(), 1, "{screen}");
        assert_eq!(screen.matches("That question was answered at").count(), 1, "{screen}");
        assert_eq!(screen.matches("A file, please.").count(), 1, "{screen}");
    }
}

#[tokio::test]
async fn row_11_words_of_somebody_else_settle_nothing() {
    let bot = begun().await;
    lurks(&bot, MALLORY);
    let (ada, mallory) = (bot.ada().at("welcome-ada"), bot.mallory().at("welcome-ada"));
    drop(mallory.news());
    mallory.write("red").await;
    mallory.reply("red").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Mallory: red
      + Mallory: red
    ");
    assert!(ada.button("Blue").is_some(), "{}", ada.screen());
    // Nor does a command of hers on her own words.
    let words = mallory.write("red").await;
    mallory.on_message("Use as answer", words).await;
    assert_snapshot!(mallory.news(), @"
    #welcome-ada
      + Anteroom (only you): Got it.
    ");
    ada.press("Blue").await;
    let look = bot.engine.look(bot.session().await).await.unwrap();
    assert_eq!(look.state.results["colour"]["selectedIds"], json!(["blue"]));
}

#[tokio::test]
async fn row_12_a_button_of_a_step_that_is_over_answers_nothing_newer() {
    let bot = begun().await;
    let ada = bot.ada().at("welcome-ada");
    let red = ada.button("Red").unwrap();
    ada.press("Blue").await;
    ada.press("Skip").await;
    drop(ada.news());
    ada.press_again(&red).await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom (only you): That question was answered at <t:1793628300:f>.
    ");
    assert!(
        ada.button("Write an answer").is_some(),
        "the open question is open:\n{}",
        ada.screen()
    );
}

/// A question that is asked again is another one, though it looks the same.
#[tokio::test]
async fn row_13_a_button_of_before_a_question_was_asked_again_does_not_answer_it() {
    let bot = begun().await;
    let ada = bot.ada().at("welcome-ada");
    let red = ada.button("Red").unwrap();
    ada.write("stop").await;
    ada.write("resume").await;
    drop(ada.news());
    ada.press_again(&red).await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom (only you): That question is no longer open.
    ");
    ada.press("Blue").await;
    let look = bot.engine.look(bot.session().await).await.unwrap();
    assert_eq!(look.state.results["colour"]["selectedIds"], json!(["blue"]));
}

/// The bot's clock is an hour wrong, to either side: forms open, answers count, cards are drawn.
#[tokio::test]
async fn row_21_a_clock_that_is_wrong_by_an_hour_is_not_noticed() {
    for wrong in [TimeDelta::hours(1), TimeDelta::hours(-1)] {
        let bot = begun().await;
        let ada = bot.ada().at("welcome-ada");
        bot.clock.advance(wrong);
        ada.press("Blue").await;
        ada.press("Upload").await;
        assert_ne!(ada.form(), "no form", "{wrong}");
        let file = bot.discord.with(|state| {
            state.upload(ada.channel(), ("cv.txt", "text/plain"), b"Programmer", true)
        });
        ada.attach(&file);
        ada.submit().await;
        ada.press("Write an answer").await;
        assert_ne!(ada.form(), "no form", "{wrong}");
        let news = ada.news();
        assert!(!news.contains("This interaction failed"), "{wrong}:\n{news}");
        for shown in ["✓ You answered: **Blue**", "✓ You sent: **cv.txt**", "A word, please."] {
            assert_eq!(news.matches(shown).count(), 1, "{wrong}:\n{news}");
        }
    }
}

#[tokio::test]
async fn row_31_a_card_that_a_moderator_deleted_is_not_answered_and_comes_again() {
    let bot = begun().await;
    let ada = bot.ada().at("welcome-ada");
    let (channel, card, _) = ada.button("Blue").unwrap();
    bot.happens(|state| state.deletes(channel, card)).await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      - Anteroom: Hi @Ada!
    ");
    bot.pass(TimeDelta::hours(25)).await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: A reminder: this question is still open. Type *stop reminders* for no more of these.
          [Later] [Stop reminders]
      + Anteroom: ┃ Which colour?
          ┃ [Red] [Blue]
          ┃ -# Step 1 of 2 · One · 0/2
    ");
    ada.press("Blue").await;
    assert!(ada.screen().contains("A file, please."), "{}", ada.screen());
}

/// F16, row 32.
#[tokio::test]
async fn editing_the_message_that_answered_changes_the_answer() {
    let bot = begun().await;
    let ada = bot.ada().at("welcome-ada");
    let words = ada.write("Blue").await;
    drop(ada.news());
    let edited = bot.discord.with(|state| {
        json!({ "id": words.to_string(), "channel_id": ada.channel().to_string(), "type": 0,
            "guild_id": "500", "content": "Red", "mentions": [], "attachments": [],
            "edited_timestamp": "2026-11-02T14:06:00Z",
            "author": { "id": ADA.to_string(), "username": "ada" }, "member": member_json(state, ADA, None) })
    });
    bot.tell("MESSAGE_UPDATE", edited).await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ Which colour?
          ┃✓ ✓ You answered: **Red** · <t:1793628300:f>
    ");
    bot.happens(|state| state.deletes(ada.channel(), words)).await;
    let look = bot.engine.look(bot.session().await).await.unwrap();
    assert_eq!(look.state.results["colour"]["selectedIds"], json!(["red"]));
}

/// No form is an answer before it is sent, and none after its question is closed.
#[tokio::test]
async fn row_36_a_form_that_is_closed_answers_nothing_and_one_that_comes_late_is_told() {
    let bot = at_the_file().await;
    let ada = bot.ada().at("welcome-ada");
    ada.press("Upload").await;
    let first = ada.form();
    // She dismisses it, of which Discord says nothing, and opens it again on another device.
    ada.press("Upload").await;
    assert_eq!(ada.form(), first);
    let words = bot
        .discord
        .with(|state| state.upload(ada.channel(), ("cv.txt", "text/plain"), b"Programmer", false));
    ada.drop_files("", vec![words]).await;
    drop(ada.news());
    let late = bot
        .discord
        .with(|state| state.upload(ada.channel(), ("late.txt", "text/plain"), b"Too late", true));
    ada.attach(&late);
    ada.submit().await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom (only you): That question was answered at <t:1793628300:f>.
    ");
    assert_eq!(bot.files().await.len(), 1, "the late file is not kept");
}

/// Two openings of one form have names of their own: Discord's apps fill in what they remember.
#[tokio::test]
async fn row_36_two_openings_of_a_form_are_two_and_the_first_that_is_sent_counts() {
    let bot = at_the_file().await;
    let ada = bot.ada().at("welcome-ada");
    ada.press("Skip").await;
    ada.press("Write an answer").await;
    let one = ada.open_form();
    ada.press("Write an answer").await;
    assert_ne!(one.modal["custom_id"], ada.open_form().modal["custom_id"]);
    assert_snapshot!(ada.form(), @"
    ╔ Your answer
    ║ A word, please.
    ║ Your answer*: _¶_
    ║   · Need more room? Send it as a message instead.
    ╚ [Cancel] [Submit]
    ");
    ada.fill("Your answer", "Bone");
    ada.submit().await;
    drop(ada.news());
    ada.turns_to(one);
    ada.fill("Your answer", "Stick");
    ada.submit().await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom (only you): That question was answered at <t:1793628300:f>.
    ");
    let look = bot.engine.look(bot.session().await).await.unwrap();
    assert_eq!(look.state.results["word"]["userInput"], "Bone");
}

/// A form may stay open for longer than its secret lives, and what follows needs none.
#[tokio::test]
async fn row_37_nothing_hangs_on_a_secret_that_lives_for_fifteen_minutes() {
    let bot = at_the_file().await;
    let ada = bot.ada().at("welcome-ada");
    ada.press("Skip").await;
    ada.press("Write an answer").await;
    drop(ada.news());
    bot.pass(TimeDelta::minutes(40)).await;
    let before = bot.discord.with(|state| state.requests.len());
    ada.fill("Your answer", "Bone");
    ada.submit().await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ A word, please.
          ┃✓ ✓ You answered: **Bone** · <t:1793630700:f>
      + Anteroom: ┃✓ All done. The team has stored only your choices.
          ┃✓ [Download my answers] [Delete my data]
    ");
    let by_secret = bot.discord.with(|state| {
        let is_it = |asked: &&Recorded| asked.path.starts_with("/webhooks/");
        state.requests[before..].iter().filter(is_it).count()
    });
    assert_eq!(by_secret, 0, "cards are drawn with the bot's own right");
}

#[tokio::test]
async fn row_38_edits_wait_for_discord_and_the_last_one_counts() {
    let bot = begun().await;
    let ada = bot.ada().at("welcome-ada");
    bot.discord.with(|state| {
        let edits = "PATCH /channels/{channel}/messages/{message}";
        state.faults.plan(edits, 3, Fault::Wall(30));
        state.faults.plan("POST /channels/{channel}/messages", 2, Fault::Wall(30));
    });
    // What is pressed is drawn by the answer to the press.
    ada.write("Blue").await;
    for _ in 0..5 {
        bot.pass(TimeDelta::minutes(2)).await;
    }
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ Which colour?
          ┃✓ ✓ You answered: **Blue** · <t:1793628300:f>
      + Anteroom: ┃ A file, please.
          ┃ [+ Upload] [Skip]
          ┃ -# TXT, MD, PDF. One file, up to 1 MB.
          ┃ -# Button not working? Use `/upload`.
          ┃ -# Step 1 of 2 · One · 1/2
    ");
    let drawn = bot.discord.with(|state| {
        let done = state.requests.iter().filter(|asked| asked.status == 200);
        done.filter(|asked| {
            asked.method == "PATCH" && asked.body.to_string().contains("Which colour?")
        })
        .count()
    });
    assert_eq!(drawn, 1, "one edit with the last state");
}

/// A stranger's presses are answered to them alone, and not without end.
#[tokio::test]
async fn row_22_whoever_presses_what_is_not_theirs_is_told_alone() {
    let bot = begun().await;
    lurks(&bot, MALLORY);
    let (ada, mallory) = (bot.ada().at("welcome-ada"), bot.mallory().at("welcome-ada"));
    drop(mallory.news());
    for _ in 0..20 {
        mallory.press("Blue").await;
    }
    assert_eq!(ada.news(), "", "nobody else reads of it");
    let told = mallory.screen().matches("Only the person who was asked").count();
    assert_eq!(told, 10, "so often and no more");
    let audit = anteroom::store::Store::audit(&*bot.store, 0, 99).await.unwrap();
    let refused = audit.iter().filter(|sealed| sealed.record.event == "answer_refused").count();
    assert!(refused >= 1, "{audit:#?}");
}

/// One person, two conversations: each is answered where it stands.
#[tokio::test]
async fn row_44_one_person_in_two_conversations_answers_each_where_it_stands() {
    let both = "community-welcome\", \"candidate-onboarding";
    let bot = Bot::planned(Plan { shipped: Some(both.to_owned()), ..Plan::default() }).await;
    let ada = bot.ada();
    ada.at("welcome").command("/onboard start", &[]).await;
    assert_snapshot!(ada.news(), @"
    #welcome
      + Anteroom (only you): Hello. I run interviews, one step at a time. Which one would you like to start?
          [Candidate onboarding] [Community welcome]
    ");
    for title in ["Candidate onboarding", "Community welcome"] {
        ada.press(title).await;
    }
    drop(ada.news());
    ada.at("onboarding-ada").press("Continue with the assistant").await;
    ada.at("welcome-ada").press("Start").await;
    assert_snapshot!(ada.news(), @r#"
    #onboarding-ada
      ~ Anteroom (edited): ┃✓ ### Candidate onboarding
          ┃✓ **You are about to talk to a bot**, not a person. It asks a fixed list of questions for Example Ltd, and takes about 15 minutes.
          ┃✓ 
          ┃✓ - It asks about your contact details, work and education history, and one example of your work.
          ┃✓ - You see and can correct everything before it is kept. It does not score, rank or reject anyone; people decide.
          ┃✓ - Answers and files are deleted 180 days after the conversation ends. Details: https://example.org/privacy
          ┃✓ - At any time press *Talk to a person* to reach a person, *Stop* to end, *Download my answers* for a copy, or *Delete my data*.
          ┃✓ 
          ┃✓ Using this bot is optional. If you would rather not, or need an adjustment, choose "Talk to a person".
          ┃✓ ✓ You answered: **Continue with the assistant** · <t:1793628300:f>
      + Anteroom: First the basics: how to reach you, where you have worked and studied. About 5 minutes. A résumé makes it faster.
      + Anteroom: ┃ How would you like to begin? A résumé saves typing; you can correct everything that is read from it.
          ┃ [Upload résumé] [Type it in]
          ┃ -# Step 1 of 3 · The basics · 0/3
          ┃ [Help] [Talk to a person] [Stop]
    #welcome-ada
      ~ Anteroom (edited): ┃✓ ### Community welcome
          ┃✓ **This is a bot.** It asks a few fixed questions; you can skip the introduction in step 3.
          ┃✓ It keeps your answers for 90 days and posts nothing until you approve it. Details: https://example.org/privacy
          ┃✓ 
          ┃✓ Press **Ask staff** to reach staff, **Stop** to end, **Delete my data** to erase.
          ┃✓ ✓ You answered: **Start** · <t:1793628300:f>
      + Anteroom: ┃ 1. Be kind.
          ┃ 2. No spam or self-promotion outside #showcase.
          ┃ 3. Keep it legal and on topic.
          ┃ 4. Staff have the last word.
          ┃ [I accept] [I have a question] [I do not accept]
          ┃ -# Step 1 of 4 · Rules · 0/2
          ┃ [Help] [Talk to a person] [Stop]
    "#);
    // Words count where they are written.
    ada.at("welcome-ada").reply("I accept").await;
    assert_snapshot!(ada.news(), @r"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ 1. Be kind.
          ┃✓ 2. No spam or self-promotion outside #showcase.
          ┃✓ 3. Keep it legal and on topic.
          ┃✓ 4. Staff have the last word.
          ┃✓ ✓ You answered: **I accept** · <t:1793628300:f>
      + Anteroom: ┃ Are you at least 13, or older if your country's law asks for it?
          ┃ [Yes] [No]
          ┃ -# Step 1 of 4 · Rules · 1/2
          ┃ [Help] [Talk to a person] [Stop]
    ");
}

#[tokio::test]
async fn row_46_an_erasure_takes_down_what_is_open_everywhere() {
    let bot = Bot::new().await;
    let ada = bot.ada();
    ada.at("welcome").command("/onboard start", &[]).await;
    for label in ["Start", "I accept", "Yes", "Done", "No, thanks", "Skip", "Request it"] {
        ada.press(label).await;
    }
    let grace = bot.grace();
    grace.press("Approve").await;
    drop((ada.news(), grace.news()));
    ada.at("welcome").command("/privacy delete", &[]).await;
    ada.press("Delete everything").await;
    ada.press("Delete everything").await;
    assert_snapshot!(grace.news(), @"
    #staff-approvals
      - Anteroom: @Moderators
    ");
    // What she had before her decides nothing about somebody who is not there any more.
    grace.press("Yes, approve").await;
    assert_snapshot!(grace.news(), @"
    #staff-approvals
      + Anteroom (only you): There is no such question here.
    ");
    let names = bot.discord.with(|state| {
        let here = state.channels[&APPROVALS].messages.values();
        here.filter(|message| message.author == BOT && message.only_for.is_none())
            .filter(|message| message.body.to_string().contains("Ada"))
            .count()
    });
    assert_eq!(names, 0, "no card names her");
    assert_eq!(bot.roles(ADA), ["Member"]);
}

/// Staff who write in the thread of a conversation that they see have taken over (F7).
#[tokio::test]
async fn words_of_staff_in_the_thread_take_over() {
    let bot = begun().await;
    lurks(&bot, LINUS);
    let linus = bot.linus().at("welcome-ada");
    linus.write("Hello Ada, may I help?").await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      + Linus: Hello Ada, may I help?
      + Anteroom: Linus from the team is here now.
    ");
}
