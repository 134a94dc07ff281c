//! What waits for something that somebody outside must mend: a token, a channel, a thread, a limit, Slack itself. Nothing
//! of it is lost, and it leaves in order once that is mended.

use chrono::TimeDelta;
use insta::assert_snapshot;

use crate::slack::{
    bot::{Bot, Plan},
    emulator::{BOT_TOKEN, faults::Fault, person::Person, state::Call},
    troubles::{self, at_the_file, begun},
};

/// Slack refuses every call with the bot's token, or accepts it again.
fn refuse_token(bot: &Bot, error: Option<&'static str>) {
    bot.slack.with(|state| state.tokens.get_mut(BOT_TOKEN).unwrap().refused = error);
}

/// What Ada reads after she chose blue.
const AFTER_BLUE: &str = "\
~ Anteroom (edited): · Step 1 of 2 · One · 1/2
      [Help]
~   Anteroom (edited): Which colour?
        ✓ You answered: *Blue* · 2 Nov 2026 10:00 UTC
+   Anteroom: A file, please.
        [+ Upload] [Skip]
        · TXT, MD, PDF. One file, up to 1 MB. You can also drop the file into this conversation. No file at hand? Type it here instead.
";

/// The root of the thread that a person sees with these words.
fn root(bot: &Bot, channel: &str, words: &str) -> String {
    bot.slack.look(|state| {
        let messages = &state.channels[channel].messages;
        let found = messages.values().find(|message| message.text.contains(words)).unwrap();
        found.thread.clone().unwrap_or_else(|| found.ts.clone())
    })
}

/// An administrator locks the thread in which these words stand.
fn lock(bot: &Bot, channel: &str, words: &str) {
    let root = root(bot, channel, words);
    bot.slack.with(|state| state.channels.get_mut(channel).unwrap().locked.insert(root));
}

#[tokio::test]
async fn a_rejected_token_is_asked_about_and_what_waited_leaves_in_order() {
    for error in ["token_revoked", "invalid_auth", "account_inactive"] {
        let bot = begun().await;
        let ada = bot.ada();
        refuse_token(&bot, Some(error));
        ada.press("Blue").await;
        assert_eq!(ada.news(), "", "{error}");
        let words = bot.ready().unwrap_err();
        assert!(words.contains(error) && words.contains("hint: "), "{words}");
        let calls = bot.slack.calls().len();
        for _ in 0..10 {
            bot.pass(TimeDelta::seconds(30)).await;
        }
        let after = bot.slack.calls().split_off(calls);
        let asked = after.iter().filter(|call| call.method == "auth.test").count();
        // Sockets are opened with the app's own token.
        let is_other =
            |call: &&Call| !matches!(call.method.as_str(), "auth.test" | "apps.connections.open");
        let others: Vec<&Call> = after.iter().filter(is_other).collect();
        assert!((10..=11).contains(&asked) && others.is_empty(), "{asked}: {others:?}");
        refuse_token(&bot, None);
        bot.pass(TimeDelta::seconds(60)).await;
        assert_eq!(ada.news(), AFTER_BLUE, "{error}");
        assert_eq!(bot.ready(), Ok(()));
    }
}

#[tokio::test]
async fn a_rejected_token_is_shown_before_anything_waits_for_it() {
    let bot = begun().await;
    refuse_token(&bot, Some("token_revoked"));
    bot.ada().home().open().await;
    until("the cause is known", || !bot.engine.outages().is_empty()).await;
    let [outage] = bot.engine.outages().try_into().expect("the cause is known");
    assert_eq!(outage.effects, 0);
    let words = outage.cause.to_string();
    assert!(words.ends_with("doesn't accept the bot's token"), "{words}");
    refuse_token(&bot, None);
    bot.pass(TimeDelta::seconds(60)).await;
    until("the cause is over", || bot.engine.outages().is_empty()).await;
}

/// The bot works until something has come about that nobody can wait for otherwise.
async fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..100_000 {
        if is_so() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("never: {what}");
}

#[tokio::test]
async fn a_token_that_is_put_into_its_file_is_read_by_itself() {
    let plan = Plan { flow: Some(troubles::FLOW.to_owned()), token_file: true, ..Plan::default() };
    let bot = Bot::planned(plan).await;
    let ada = bot.ada();
    ada.command("/onboard start").await;
    drop(ada.news());
    refuse_token(&bot, Some("token_revoked"));
    ada.press("Blue").await;
    bot.pass(TimeDelta::minutes(2)).await;
    bot.slack.with(|state| {
        let token = crate::slack::emulator::state::Token {
            refused: None,
            ..state.tokens[BOT_TOKEN].clone()
        };
        state.tokens.insert("xoxb-marker-second".to_owned(), token);
    });
    bot.write_token("");
    bot.pass(TimeDelta::seconds(30)).await;
    assert_eq!(ada.news(), "");
    bot.write_token("xoxb-marker-second");
    bot.pass(TimeDelta::seconds(60)).await;
    assert_eq!(ada.news(), AFTER_BLUE);
}

#[tokio::test]
async fn what_waited_for_a_token_leaves_at_once_after_a_restart() {
    let mut bot = begun().await;
    let ada = bot.ada();
    refuse_token(&bot, Some("token_revoked"));
    ada.press("Blue").await;
    bot.pass(TimeDelta::minutes(10)).await;
    refuse_token(&bot, None);
    bot.crash().await;
    assert_eq!(ada.news(), AFTER_BLUE);
}

#[tokio::test]
async fn a_workspace_that_has_used_up_its_messages_is_waited_for() {
    let bot = begun().await;
    let ada = bot.ada();
    bot.slack.refuse("chat.postMessage", "", "message_limit_exceeded");
    ada.press("Blue").await;
    for _ in 0..20 {
        bot.pass(TimeDelta::hours(1)).await;
    }
    assert!(!ada.can_see("A file, please."), "{}", ada.screen());
    bot.slack.mend();
    bot.pass(TimeDelta::seconds(60)).await;
    assert_eq!(ada.news(), AFTER_BLUE);
}

#[tokio::test]
async fn a_conversation_whose_root_is_gone_goes_on_under_a_new_one() {
    let bot = begun().await;
    let ada = bot.ada();
    ada.delete("Step 1 of 2").await;
    drop(ada.news());
    ada.press("Blue").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Blue* · 2 Nov 2026 10:00 UTC
    + Anteroom: A file, please.
          [+ Upload] [Skip]
          · TXT, MD, PDF. One file, up to 1 MB. You can also drop the file into this conversation. No file at hand? Type it here instead.
    +   Anteroom: · Step 1 of 2 · One · 1/2
            [Help]
    ");
    ada.drop_file("cv.txt", b"Programmer since 1842.", "").await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): A file, please.
          ✓ You sent: *cv.txt* · 2 Nov 2026 10:00 UTC
    ~   Anteroom (edited): · Step 2 of 2 · Two · 0/1
            [Help]
    +   Ada Byron: (file: cv.txt)
    +   Anteroom: A word, please.
            · Type your answer here, or write it in a form.
            [Write an answer]
    ");
}

#[tokio::test]
async fn a_conversation_whose_thread_is_locked_goes_on_in_another_one() {
    let bot = at_the_file().await;
    let ada = bot.ada();
    lock(&bot, "D0ADA", "A file, please.");
    ada.press("Skip").await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 2 of 2 · Two · 0/1
          [Help]
    ~   Anteroom (edited): A file, please.
            ✓ You skipped this · 2 Nov 2026 10:00 UTC
    + Anteroom: A word, please.
          · Type your answer here, or write it in a form.
          [Write an answer]
    ");
    ada.reply_to("A word, please.", "Kestrel").await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 2 of 2 · Two · 1/1
          [Help]
    ~ Anteroom (edited): A word, please.
          ✓ You answered: *Kestrel* · 2 Nov 2026 10:00 UTC
    +   Ada Byron: Kestrel
    +   Anteroom: All done. The team has stored only your choices.
            [Download my answers] [Delete my data]
    ");
}

#[tokio::test]
async fn in_a_channel_a_locked_conversation_calls_its_participant_to_the_new_thread() {
    let bot =
        Bot::on(&troubles::FLOW.replace("place = \"dm\"", "place = \"channel-thread\"")).await;
    let ada = bot.ada().at("general");
    ada.command("/onboard start").await;
    drop(ada.news());
    lock(&bot, "C0GENERAL", "Which colour?");
    bot.clock.advance(TimeDelta::minutes(1));
    ada.press("Blue").await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 1 of 2 · One · 1/2
          [Help]
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Blue* · 2 Nov 2026 10:01 UTC
    + Anteroom: @Ada Byron, our earlier thread is closed, so let's continue here, in the thread below.
    +   Anteroom: A file, please.
            [+ Upload] [Skip]
            · TXT, MD, PDF. One file, up to 1 MB. You can also drop the file into this conversation. No file at hand? Type it here instead.
    ");
    ada.press("Skip").await;
    ada.reply_to("A word, please.", "Kestrel").await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 2 of 2 · Two · 1/1
          [Help]
    ~   Anteroom (edited): A file, please.
            ✓ You skipped this · 2 Nov 2026 10:01 UTC
    +   Anteroom (edited): A word, please.
            ✓ You answered: *Kestrel* · 2 Nov 2026 10:01 UTC
    +   Ada Byron: Kestrel
    +   Anteroom: All done. The team has stored only your choices.
            [Download my answers] [Delete my data]
    ");
}

#[tokio::test]
async fn a_channel_where_every_thread_is_locked_is_waited_for() {
    let bot =
        Bot::on(&troubles::FLOW.replace("place = \"dm\"", "place = \"channel-thread\"")).await;
    let ada = bot.ada().at("general");
    ada.command("/onboard start").await;
    drop(ada.news());
    bot.slack.refuse("chat.postMessage", "C0GENERAL", "restricted_action_thread_locked");
    ada.press("Blue").await;
    for _ in 0..20 {
        bot.pass(TimeDelta::minutes(10)).await;
    }
    bot.slack.mend();
    bot.pass(TimeDelta::seconds(60)).await;
    assert_eq!(ada.screen().matches("A file, please.").count(), 1, "{}", ada.screen());
    let heads = ada.screen().matches("the thread we talked in is closed").count();
    assert!(heads <= 1, "{}", ada.screen());
}

/// Ada has asked for a person, who reads it at the desk.
async fn handed_over() -> (Bot, Person, Person) {
    let bot = begun().await;
    let (ada, desk) = (bot.ada(), bot.slack.person("U0LINUS").at("recruiting-desk"));
    ada.reply("human").await;
    desk.reply("Hello Ada, Linus here.").await;
    drop((ada.news(), desk.news()));
    (bot, ada, desk)
}

#[tokio::test]
async fn a_staff_thread_that_is_locked_goes_on_in_another_one() {
    let (bot, ada, desk) = handed_over().await;
    lock(&bot, "C0DESK", "asked for a human");
    ada.reply("Is the office warm?").await;
    assert_snapshot!(desk.news(), @"
    + Anteroom: *Ada Byron* (@Ada Byron) · A short talk
          · Step 1 of 2 · One · 0/2 · running. @Linus Pauling has taken over. I'll pass on what you write in this thread to Ada Byron.
          [Hand back] [! End the conversation ?]
    +   Anteroom: Ada Byron: Is the office warm?
    ");
    desk.reply("It is.").await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: Is the office warm?
    +   Anteroom: Linus Pauling: It is.
    ");
}

#[tokio::test]
async fn a_message_that_slack_does_not_take_as_it_is_arrives_plainer() {
    for error in
        ["no_text", "metadata_too_large", "invalid_blocks", "msg_too_long", "invalid_arguments"]
    {
        let bot = begun().await;
        let ada = bot.ada();
        bot.slack.fail("chat.postMessage", 1, Fault::Says(error));
        ada.press("Blue").await;
        assert!(ada.can_see("A file, please."), "{error}: {}", ada.screen());
        // It can be answered, and what comes next is found in its place.
        ada.reply("skip").await;
        assert!(ada.can_see("A word, please."), "{error}: {}", ada.screen());
    }
}

#[tokio::test]
async fn words_that_are_too_long_come_in_pieces() {
    let (bot, ada, desk) = handed_over().await;
    bot.slack.with(|state| state.text_max = 1_200);
    let words: Vec<String> = (0..300).map(|n| format!("word{n}")).collect();
    desk.reply(&words.join(" ")).await;
    let read: String = ada.news().split_whitespace().collect::<Vec<_>>().join(" ");
    for word in &words {
        assert!(read.contains(word), "{word} is missing: {read}");
    }
    drop(bot);
}

/// A message of which some pieces stand there is not posted anew.
#[tokio::test]
async fn pieces_that_stand_there_are_not_posted_again_when_a_later_one_fails() {
    let (bot, ada, desk) = handed_over().await;
    bot.slack.with(|state| {
        // All of it, the first piece, the second; then all of it again.
        let too_long = Fault::Says("msg_too_long");
        for fault in [too_long, Fault::None, Fault::Says("a_code_of_tomorrow"), too_long] {
            state.faults.once("chat.postMessage", "D0ADA", fault);
        }
    });
    let words: Vec<String> = (0..300).map(|n| format!("word{n}")).collect();
    desk.reply(&words.join(" ")).await;
    assert!(ada.can_see("word0 ") && !ada.can_see("word299"), "{}", ada.screen());
    bot.pass(TimeDelta::hours(1)).await;
    let screen = ada.screen();
    for word in &words {
        assert_eq!(screen.split_whitespace().filter(|read| read == word).count(), 1, "{screen}");
    }
}

#[tokio::test]
async fn an_unknown_code_is_tried_so_often_and_the_rest_goes_on() {
    let (bot, ada, desk) = handed_over().await;
    bot.slack.refuse("chat.postMessage", "D0ADA", "a_code_of_tomorrow");
    let before = bot.slack.calls_of("chat.postMessage").len();
    desk.reply("This does not arrive.").await;
    for _ in 0..60 {
        bot.pass(TimeDelta::hours(1)).await;
    }
    let tried = bot.slack.calls_of("chat.postMessage").split_off(before);
    let tried = tried.iter().filter(|call| call.body["channel"] == "D0ADA").count();
    assert_eq!(tried, 24);
    bot.slack.mend();
    desk.reply("This does.").await;
    assert!(ada.can_see("This does.") && !ada.can_see("This does not"), "{}", ada.screen());
}

#[tokio::test]
async fn a_slack_that_is_away_for_a_day_loses_nothing() {
    let bot = begun().await;
    let ada = bot.ada();
    bot.slack.go_away().await;
    ada.press("Blue").await;
    for _ in 0..12 {
        bot.pass(TimeDelta::hours(1)).await;
    }
    ada.press("Red").await;
    for _ in 0..11 {
        bot.pass(TimeDelta::hours(1)).await;
    }
    bot.slack.come_back().await;
    bot.pass(TimeDelta::seconds(60)).await;
    assert_eq!(ada.news(), AFTER_BLUE);
}

#[tokio::test]
async fn a_slack_that_answers_503_for_a_day_loses_and_doubles_nothing() {
    let bot = begun().await;
    let ada = bot.ada();
    bot.slack.break_for_good("*", "", Fault::Broken);
    ada.press("Blue").await;
    for _ in 0..24 * 4 {
        bot.pass(TimeDelta::minutes(15)).await;
    }
    bot.slack.mend();
    bot.pass(TimeDelta::hours(1)).await;
    assert_eq!(ada.screen().matches("A file, please.").count(), 1, "{}", ada.screen());
}

#[tokio::test]
async fn a_staff_channel_that_comes_back_gets_what_waited_at_once() {
    for by_invitation in [false, true] {
        let bot = begun().await;
        let (ada, desk) = (bot.ada(), bot.grace().at("recruiting-desk"));
        let there = |is_there: bool| {
            bot.slack.with(|state| {
                if by_invitation {
                    state.admit("C0DESK", is_there);
                } else {
                    state.archive("C0DESK", !is_there);
                }
            });
        };
        there(false);
        bot.slack.delivered().await;
        ada.reply("human").await;
        bot.pass(TimeDelta::hours(3)).await;
        assert_eq!(desk.news(), "");
        there(true);
        bot.slack.delivered().await;
        bot.rest().await;
        let told = desk.news();
        assert_eq!(told.matches("asked for a human").count(), 1, "{told}");
    }
}

#[tokio::test]
async fn a_staff_channel_that_comes_back_unsaid_is_noticed() {
    let bot = begun().await;
    let (ada, desk) = (bot.ada(), bot.grace().at("recruiting-desk"));
    bot.slack.refuse("*", "C0DESK", "channel_not_found");
    ada.reply("human").await;
    bot.pass(TimeDelta::hours(3)).await;
    // What goes to others does not wait for it.
    ada.reply("continue").await;
    assert!(ada.can_see("The assistant is back."), "{}", ada.screen());
    bot.slack.mend();
    bot.pass(TimeDelta::seconds(60)).await;
    let told = desk.news();
    assert_eq!(told.matches("asked for a human").count(), 1, "{told}");
}
