//! "delete my data" in every state (F6), and people who leave (F15).
//!
//! F numbers are those of `docs/behaviour.md`.

use std::sync::Arc;

use anteroom::{
    model::session::Status,
    store::{Find, Store as _},
};
use insta::assert_snapshot;
use serde_json::json;

use crate::slack::{
    bot::{Bot, Plan},
    emulator::{TEAM, person::Person, shapes::user_json},
    scripted::{Gate, Scripted, Turn},
    troubles::{at_the_file, begun},
};

/// Says yes, and nothing of the person is left in the store.
async fn erases(bot: &Bot, ada: &Person) {
    ada.press("Delete everything").await;
    bot.rest().await;
    let person = anteroom::gateway::slack::people::person_id(TEAM, "U0ADA");
    let left = bot.store.find(Find::Person(person)).await.unwrap();
    assert!(left.is_empty(), "{left:?}");
    assert!(!ada.has_button("Delete everything"), "{}", ada.screen());
    let notes = bot.store.notes("slack/").await.unwrap();
    assert!(!format!("{notes:?}").contains("Blue"), "{notes:?}");
}

#[tokio::test]
async fn f6_what_is_kept_after_all_stays_and_the_question_with_it() {
    let bot = begun().await;
    let ada = bot.ada();
    ada.reply("delete my data").await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: delete my data
    +   Anteroom: # Delete everything?
            This deletes your answers, your files, the whole conversation and any open requests, and removes what I posted. We keep only a record that an erasure took place; it doesn't contain your name. A receipt lists whatever I can't remove. This can't be undone.
            [! Delete everything ?] [Keep everything]
    ");
    ada.press("Keep everything").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): # Delete everything?
            This deletes your answers, your files, the whole conversation and any open requests, and removes what I posted. We keep only a record that an erasure took place; it doesn't contain your name. A receipt lists whatever I can't remove. This can't be undone.
            ✓ @Ada Byron answered: *Keep everything* · 2 Nov 2026 10:00 UTC
    ");
    ada.press("Blue").await;
    assert!(ada.can_see("A file, please."), "{}", ada.screen());
    bot.judge();
}

#[tokio::test]
async fn f6_while_a_person_has_taken_over() {
    let bot = begun().await;
    let (ada, desk) = (bot.ada(), bot.slack.person("U0LINUS").at("recruiting-desk"));
    ada.reply("human").await;
    desk.press("Take over").await;
    drop((ada.news(), desk.news()));
    ada.reply("delete my data").await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: delete my data
    +   Anteroom: # Delete everything?
            This deletes your answers, your files, the whole conversation and any open requests, and removes what I posted. We keep only a record that an erasure took place; it doesn't contain your name. A receipt lists whatever I can't remove. This can't be undone.
            [! Delete everything ?] [Keep everything]
    ");
    erases(&bot, &ada).await;
    assert_snapshot!(ada.news(), @"
    ~ ?: This message was deleted.
    -   Anteroom: Which colour?
            [Red] [Blue]
    -   Anteroom: I've asked the team. I'll keep quiet until they answer or you type _continue_.
    -   Anteroom: Linus Pauling from the team is here now.
    -   Anteroom: # Delete everything?
            This deletes your answers, your files, the whole conversation and any open requests, and removes what I posted. We keep only a record that an erasure took place; it doesn't contain your name. A receipt lists whatever I can't remove. This can't be undone.
            [! Delete everything ?] [Keep everything]
    +   Anteroom (only you): Your answers and files are erased. Receipt: `AAAAAAAAAAAAAAAAAAAACw`. I'm removing what I posted now, and I'll tell you when that's done.
    + Anteroom: *Everything is erased.* Receipt: `AAAAAAAAAAAAAAAAAAAACw`. I've also removed what I had posted: 7 messages.

          What's left:

          • 2 messages that you sent in this conversation. Only you can delete them.
    ");
    assert_snapshot!(desk.news(), @"
    - Anteroom (edited): *Ada Byron* (@Ada Byron) · A short talk
          · Step 1 of 2 · One · 0/2 · running. @Linus Pauling has taken over. I'll pass on what you write in this thread to Ada Byron.
          [Hand back] [! End the conversation ?]
    -   Anteroom: *Ada Byron* asked for a human in _A short talk_.

            • Step 1 of 2 · One
            • Still open: A colour, A file
    ");
    bot.judge();
}

#[tokio::test]
async fn f6_after_the_end() {
    let bot = at_the_file().await;
    let ada = bot.ada();
    ada.drop_file("cv.txt", b"Programmer", "").await;
    ada.reply("Kestrel").await;
    drop(ada.news());
    ada.press("Delete my data").await;
    assert_snapshot!(ada.news(), @"
    +   Anteroom: # Delete everything?
            This deletes your answers, your files, the whole conversation and any open requests, and removes what I posted. We keep only a record that an erasure took place; it doesn't contain your name. A receipt lists whatever I can't remove. This can't be undone.
            [! Delete everything ?] [Keep everything]
    ");
    erases(&bot, &ada).await;
    assert_snapshot!(ada.news(), @"
    ~ ?: This message was deleted.
    -   Anteroom (edited): Which colour?
            ✓ You answered: *Blue* · 2 Nov 2026 10:00 UTC
    -   Anteroom (edited): A file, please.
            ✓ You sent: *cv.txt* · 2 Nov 2026 10:00 UTC
    -   Anteroom (edited): A word, please.
            ✓ You answered: *Kestrel* · 2 Nov 2026 10:00 UTC
    -   Anteroom: That's everything, thank you! The team can see the following:

            • file _cv.txt_

            Type _export_ for a copy, or _delete my data_ to erase it.
            [Download my answers] [Delete my data]
    -   Anteroom: # Delete everything?
            This deletes your answers, your files, the whole conversation and any open requests, and removes what I posted. We keep only a record that an erasure took place; it doesn't contain your name. A receipt lists whatever I can't remove. This can't be undone.
            [! Delete everything ?] [Keep everything]
    +   Anteroom (only you): Your answers and files are erased. Receipt: `AAAAAAAAAAAAAAAAAAAAFg`. I'm removing what I posted now, and I'll tell you when that's done.
    + Anteroom: *Everything is erased.* Receipt: `AAAAAAAAAAAAAAAAAAAAFg`. I've also removed what I had posted: 6 messages.

          What's left:

          • 2 messages and 1 file that you sent in this conversation. Only you can delete them.
    ");
    // Nothing is left to erase.
    ada.reply("delete my data").await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: delete my data
    +   Anteroom: Hello. I run interviews, one step at a time. Which one would you like to start?
            [A short talk]
    ");
    bot.judge();
}

#[tokio::test]
async fn f6_after_stop_and_by_the_command() {
    let bot = begun().await;
    let ada = bot.ada();
    ada.reply("stop").await;
    drop(ada.news());
    ada.command("/onboard delete").await;
    assert_snapshot!(ada.news(), @"
    + Anteroom (only you): Done.
    +   Anteroom: # Delete everything?
            This deletes your answers, your files, the whole conversation and any open requests, and removes what I posted. We keep only a record that an erasure took place; it doesn't contain your name. A receipt lists whatever I can't remove. This can't be undone.
            [! Delete everything ?] [Keep everything]
    ");
    erases(&bot, &ada).await;
    assert_snapshot!(ada.news(), @"
    ~ ?: This message was deleted.
    -   Anteroom (edited): Which colour?
            *Question withdrawn*: the conversation was stopped. 2 Nov 2026 10:00 UTC
    -   Anteroom: Stopped. I won't ask anything more. Type _resume_ to continue later, or _delete my data_ to erase everything.
            [Continue] [Delete my data]
    -   Anteroom: # Delete everything?
            This deletes your answers, your files, the whole conversation and any open requests, and removes what I posted. We keep only a record that an erasure took place; it doesn't contain your name. A receipt lists whatever I can't remove. This can't be undone.
            [! Delete everything ?] [Keep everything]
    +   Anteroom (only you): Your answers and files are erased. Receipt: `AAAAAAAAAAAAAAAAAAAACg`. I'm removing what I posted now, and I'll tell you when that's done.
    + Anteroom: *Everything is erased.* Receipt: `AAAAAAAAAAAAAAAAAAAACg`. I've also removed what I had posted: 4 messages.

          What's left:

          • 1 message that you sent in this conversation. Only you can delete them.
    ");
    // It can be begun anew.
    ada.command("/onboard start").await;
    assert_snapshot!(ada.last(), @"
    Anteroom: Which colour?
        [Red] [Blue]
    ");
}

#[tokio::test]
async fn f6_before_anything_was_agreed_to() {
    let bot = Bot::new().await;
    let ada = bot.ada();
    ada.command("/onboard start candidate-onboarding").await;
    drop(ada.news());
    ada.reply("delete my data").await;
    erases(&bot, &ada).await;
    assert_snapshot!(ada.news(), @"
    ~ ?: This message was deleted.
    +   Ada Byron: delete my data
    +   Anteroom (only you): Your answers and files are erased. Receipt: `AAAAAAAAAAAAAAAAAAAABw`. I'm removing what I posted now, and I'll tell you when that's done.
    + Anteroom: *Everything is erased.* Receipt: `AAAAAAAAAAAAAAAAAAAABw`. I've also removed what I had posted: 2 messages.

          What's left:

          • 1 message that you sent in this conversation. Only you can delete them.
    ");
    bot.judge();
}

#[tokio::test]
async fn f6_while_the_model_speaks() {
    let model = Scripted::new();
    let flow = Some(crate::slack::approvals::FLOW.to_owned());
    let bot = Bot::planned(Plan { model: Some(Arc::clone(&model)), flow, ..Plan::default() }).await;
    let ada = bot.ada();
    model.next(Turn::says("Do you have a pet?"));
    ada.command("/onboard start").await;
    drop(ada.news());
    let gate = Gate::new();
    model.next(Turn::says("Nobody ever reads this.").held_by(&gate));
    bot.unrested();
    ada.reply("A dog called Rex.").await;
    gate.reached().await;
    ada.reply("delete my data").await;
    while !ada.has_button("Delete everything") {
        bot.engine.deliver_due().await;
        tokio::task::yield_now().await;
    }
    ada.press("Delete everything").await;
    gate.open();
    bot.rested();
    bot.rest().await;
    assert_snapshot!(ada.news(), @"
    ~ ?: This message was deleted.
    -   Anteroom: Do you have a pet?
            [Helpful] [Not helpful]
    +   Ada Byron: A dog called Rex.
    +   Ada Byron: delete my data
    +   Anteroom (only you): Your answers and files are erased. Receipt: `AAAAAAAAAAAAAAAAAAAABw`. I'm removing what I posted now, and I'll tell you when that's done.
    + Anteroom: *Everything is erased.* Receipt: `AAAAAAAAAAAAAAAAAAAABw`. I've also removed what I had posted: 3 messages.

          What's left:

          • 2 messages that you sent in this conversation. Only you can delete them.
    ");
    assert_eq!(bot.store.sessions(None, 9).await.unwrap(), []);
}

/// The account is switched off, or on again.
async fn works_here(bot: &Bot, works: bool) {
    bot.slack.with(|state| {
        state.users.get_mut("U0ADA").unwrap().deleted = !works;
        let user = user_json("U0ADA", &state.users["U0ADA"], false);
        let event = json!({ "type": "user_change", "user": user, "event_ts": state.ts() });
        state.tell(TEAM, "user_change", &event);
    });
    bot.rest().await;
}

#[tokio::test]
async fn f15_who_leaves_is_waited_for_with_requests_withdrawn_and_goes_on_when_back() {
    let model = Scripted::new();
    let bot = crate::slack::approvals::asked(&model).await;
    let (ada, grace) = (bot.ada(), bot.grace().at("recruiting-approvals"));
    let desk = bot.grace().at("recruiting-desk");
    drop((ada.news(), grace.news(), desk.news()));
    works_here(&bot, false).await;
    assert_snapshot!(grace.news(), @"
    ~ Anteroom (edited): # Move Ada Byron to “Goodbye”?
          This phase isn't complete. Missing items were determined by the app, not by the model.
          *Request withdrawn*: the participant cannot be reached. 2 Nov 2026 10:00 UTC
    ");
    assert_snapshot!(desk.news(), @"
    + Anteroom: *Ada Byron* (@Ada Byron) · About pets
          · Step 1 of 2 · Pets · 0/1 · paused. Write in this thread to take over. I'll pass on what you write.
          [Take over] [! End the conversation ?]
    +   Anteroom: I can't reach Ada Byron any more: the account was deactivated. The conversation is paused; nothing is lost.
    ");
    bot.pass(chrono::TimeDelta::days(20)).await;
    assert_snapshot!(ada.news(), @"");
    model.next(Turn::says("Welcome back. Is there a pet by now?"));
    works_here(&bot, true).await;
    assert_snapshot!(ada.news(), @"
    +   Anteroom: Welcome back. Is there a pet by now?
            [Helpful] [Not helpful]
    ");
    assert_snapshot!(model.news(1), @r#"
    model calls c00000001 next_phase {"overrides":["pet"],"reason":"there is no pet"}
    c00000001 -> {"error":"the request was withdrawn","code":"withdrawn"}
    <note>The participant was told: I've asked the team. You can leave; I'll post their answer here.</note>
    "#);
    model.next(Turn::says("A cat!"));
    ada.reply("A cat.").await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: A cat.
    +   Anteroom: A cat!
            [Helpful] [Not helpful]
    ");
    model.assert_played();
}

#[tokio::test]
async fn f15_a_changed_profile_wakes_nobody_who_was_silent() {
    let bot = begun().await;
    let ada = bot.ada();
    bot.pass(chrono::TimeDelta::days(15)).await;
    assert!(ada.can_see("so I've paused"), "{}", ada.screen());
    drop(ada.news());
    works_here(&bot, true).await;
    assert_snapshot!(ada.news(), @"");
    let look = bot.engine.look(bot.session().await).await.unwrap();
    assert_eq!(look.state.status, Status::Paused);
    bot.pass(chrono::TimeDelta::days(2)).await;
    assert_snapshot!(ada.news(), @"");
}
