//! The bot dies between one step and the next (F12), and what Slack had acknowledged or not (rows 4, 5, 7, 8).
//!
//! Rows are those of `docs/semantics.md`, F numbers those of `docs/behaviour.md`.

use std::sync::Arc;

use chrono::TimeDelta;
use insta::assert_snapshot;

use crate::slack::{
    bot::{Bot, Plan},
    emulator::faults::Fault,
    scripted::{Gate, Scripted, Turn},
    troubles::begun,
};

/// Ada has been asked for a pet by the model.
async fn asked_for_a_pet(model: &Arc<Scripted>) -> Bot {
    let flow = Some(crate::slack::approvals::FLOW.to_owned());
    let bot = Bot::planned(Plan { model: Some(Arc::clone(model)), flow, ..Plan::default() }).await;
    model.next(Turn::says("Do you have a pet?"));
    bot.ada().command("/onboard start").await;
    drop(bot.ada().news());
    bot
}

#[tokio::test]
async fn f12_a_model_that_was_asked_when_the_bot_died_is_asked_again_and_nobody_notices() {
    let model = Scripted::new();
    let mut bot = asked_for_a_pet(&model).await;
    let ada = bot.ada();
    model.next(Turn::says("This was never heard.").held_by(&Gate::new()));
    bot.unrested();
    ada.reply("A dog.").await;
    while model.seen().len() < 2 {
        tokio::task::yield_now().await;
    }
    bot.clock.advance(TimeDelta::seconds(20));
    model.next(Turn::says("What is it called?"));
    bot.crash().await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: A dog.
    +   Anteroom: What is it called?
            [Helpful] [Not helpful]
    ");
    assert_eq!(model.read(1), model.read(2), "it reads the same again");
    model.assert_played();
}

#[tokio::test]
async fn f12_a_silence_that_was_noticed_is_excused_once() {
    let model = Scripted::new();
    let mut bot = asked_for_a_pet(&model).await;
    let ada = bot.ada();
    model.next(Turn::says("This was never heard.").held_by(&Gate::new()));
    bot.unrested();
    ada.reply("A dog.").await;
    while model.seen().len() < 2 {
        tokio::task::yield_now().await;
    }
    bot.clock.advance(TimeDelta::seconds(45));
    model.next(Turn::says("What is it called?"));
    bot.crash().await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: A dog.
    +   Anteroom: Sorry, I was interrupted. Where were we: _Pets_.
    +   Anteroom: What is it called?
            [Helpful] [Not helpful]
    ");
    assert_snapshot!(model.news(2), @"<note>The participant was told: Sorry, I was interrupted. Where were we: *Pets*.</note>");
    bot.crash().await;
    assert_snapshot!(ada.news(), @"");
    model.next(Turn::says("A fine name."));
    ada.reply("Rex.").await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: Rex.
    +   Anteroom: A fine name.
            [Helpful] [Not helpful]
    ");
    model.assert_played();
}

#[tokio::test]
async fn f12_what_the_model_said_before_the_bot_died_is_posted_once() {
    let faults = [Fault::Cut, Fault::CutAfter, Fault::Broken, Fault::BrokenAfter];
    // The clock of the next node may be behind, or was set back.
    let clocks = [TimeDelta::seconds(1), TimeDelta::zero(), TimeDelta::seconds(-30)];
    for (fault, clock) in faults.into_iter().flat_map(|fault| clocks.map(|clock| (fault, clock))) {
        let model = Scripted::new();
        let mut bot = asked_for_a_pet(&model).await;
        let ada = bot.ada();
        // The post is in doubt, and whoever doubted is gone.
        bot.slack.fail("chat.postMessage", 1, fault);
        model.next(Turn::says("What is it called?"));
        ada.reply("A dog.").await;
        bot.clock.advance(clock);
        bot.crash().await;
        bot.pass(TimeDelta::minutes(10)).await;
        let count = ada.screen().matches("What is it called?").count();
        assert_eq!(count, 1, "{fault:?}, {clock}:\n{}", ada.screen());
        model.assert_played();
    }
}

#[tokio::test]
async fn row_4_what_could_not_be_kept_is_not_acknowledged_and_counts_when_it_comes_again() {
    let mut bot = begun().await;
    let ada = bot.ada();
    bot.hold.die_before(1);
    bot.unrested();
    ada.reply("Blue").await;
    bot.slack.delivered().await;
    // Nor may the bot look at what was written meanwhile.
    for method in ["conversations.replies", "conversations.history"] {
        bot.slack.fail(method, 1, Fault::Says("missing_scope"));
    }
    bot.crash().await;
    assert_snapshot!(ada.news(), @"+   Ada Byron: Blue");
    assert_eq!(bot.slack.redeliver().await, 1);
    bot.rest().await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 1 of 2 · One · 1/2
          [Help]
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Blue* · 2 Nov 2026 10:00 UTC
    +   Anteroom: A file, please.
            [+ Upload] [Skip]
            · TXT, MD, PDF. One file, up to 1 MB. You can also drop the file into this conversation. No file at hand? Type it here instead.
    ");
}

#[tokio::test]
async fn row_4_what_could_not_be_kept_is_read_again_after_a_restart_and_counts_once() {
    let mut bot = begun().await;
    let ada = bot.ada();
    bot.hold.die_before(1);
    bot.unrested();
    ada.reply("Blue").await;
    bot.slack.delivered().await;
    bot.crash().await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 1 of 2 · One · 1/2
          [Help]
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Blue* · 2 Nov 2026 10:00 UTC
    +   Ada Byron: Blue
    +   Anteroom: A file, please.
            [+ Upload] [Skip]
            · TXT, MD, PDF. One file, up to 1 MB. You can also drop the file into this conversation. No file at hand? Type it here instead.
    ");
    assert_eq!(bot.slack.redeliver().await, 1);
    bot.rest().await;
    assert_snapshot!(ada.news(), @"");
}

#[tokio::test]
async fn row_4_a_click_that_could_not_be_kept_is_seen_to_have_failed() {
    let mut bot = begun().await;
    let ada = bot.ada();
    bot.hold.die_before(1);
    bot.unrested();
    assert!(ada.try_press("Blue").await.is_err());
    bot.crash().await;
    assert_snapshot!(ada.news(), @"
    + Anteroom (only you): That couldn't be saved right now. Please try again.
    ⚠ this did not work
    ");
    ada.press("Blue").await;
    assert!(ada.can_see("A file, please."), "{}", ada.screen());
}

#[tokio::test]
async fn row_5_what_was_kept_and_not_acknowledged_counts_once() {
    let mut bot = begun().await;
    let ada = bot.ada();
    bot.hold.die_after(1);
    bot.unrested();
    ada.reply("Blue").await;
    bot.slack.delivered().await;
    bot.crash().await;
    // The next process has gone on by itself.
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 1 of 2 · One · 1/2
          [Help]
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Blue* · 2 Nov 2026 10:00 UTC
    +   Ada Byron: Blue
    +   Anteroom: A file, please.
            [+ Upload] [Skip]
            · TXT, MD, PDF. One file, up to 1 MB. You can also drop the file into this conversation. No file at hand? Type it here instead.
    ");
    assert_eq!(bot.slack.redeliver().await, 1);
    bot.rest().await;
    assert_snapshot!(ada.news(), @"");
}

#[tokio::test]
async fn row_43_with_the_disk_full_nothing_is_acknowledged_and_it_is_said() {
    let bot = begun().await;
    let ada = bot.ada();
    bot.hold.fill(true);
    bot.unrested();
    let taken = ada.try_press("Blue").await;
    ada.reply("Red").await;
    bot.slack.delivered().await;
    assert!(taken.is_err());
    assert_snapshot!(ada.news(), @"
    + Anteroom (only you): That couldn't be saved right now. Please try again.
    +   Ada Byron: Red
    ⚠ this did not work
    ");
    bot.hold.fill(false);
    bot.rested();
    bot.slack.redeliver().await;
    bot.rest().await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 1 of 2 · One · 1/2
          [Help]
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Red* · 2 Nov 2026 10:00 UTC
    +   Anteroom: A file, please.
            [+ Upload] [Skip]
            · TXT, MD, PDF. One file, up to 1 MB. You can also drop the file into this conversation. No file at hand? Type it here instead.
    ");
}

#[tokio::test]
async fn words_of_the_model_are_seen_below_what_was_queued_before_them() {
    let notice = "\n[notice]\nrequired = true\ntext = \"Hello.\"\naccept = \"Yes\"\nhuman = \"A person\"\ndecline = \"No\"\n";
    let flow = crate::slack::approvals::FLOW
        .replace(
            "prompt = \"Talk about pets.\"",
            "prompt = \"Talk.\"\nintro = \"Let us talk about pets.\"",
        )
        .replace("\n[handoff]", &format!("{notice}\n[handoff]"));
    let model = Scripted::new();
    let (model_too, flow) = (Some(Arc::clone(&model)), Some(flow));
    let bot = Bot::planned(Plan { model: model_too, flow, ..Plan::default() }).await;
    let ada = bot.ada();
    ada.command("/onboard start").await;
    drop(ada.news());
    let gate = Gate::new();
    let words = "A dog is a fine pet, and so is a cat; most people who come here have one of the two. Which one is yours?";
    model.next(Turn::says(words).in_pieces(8).held_by(&gate));
    bot.unrested();
    ada.press("Yes").await;
    gate.reached().await;
    assert!(!ada.can_see("most people"), "{}", ada.screen());
    while !ada.can_see("most people") {
        bot.engine.deliver_due().await;
        tokio::task::yield_now().await;
    }
    gate.open();
    bot.rested();
    bot.rest().await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): # About pets
          Hello.
          ✓ You answered: *Yes* · 2 Nov 2026 10:00 UTC
    +   Anteroom: Let us talk about pets.
    +   Anteroom: · Step 1 of 2 · Pets · 0/1
            [Help]
    +   Anteroom: A dog is a fine pet, and so is a cat; most people who come here have one of the two. Which one is yours?
            [Helpful] [Not helpful]
    ");
    model.assert_played();
}

#[tokio::test]
async fn a_decision_is_told_once_even_where_the_bot_may_not_look_for_what_it_said() {
    let model = Scripted::new();
    let mut bot = crate::slack::approvals::asked(&model).await;
    let grace = bot.grace().at("recruiting-approvals");
    bot.slack.with(|state| {
        for token in state.tokens.values_mut() {
            token.scopes.remove("groups:history");
        }
    });
    model.next(Turn::says("Goodbye."));
    // What has left is not noted before the bot dies, so it leaves once more.
    bot.hold.mute(99);
    grace.press("Approve").await;
    bot.clock.advance(TimeDelta::seconds(1));
    bot.crash().await;
    let told = grace.screen().matches("Anteroom: Approved by @Grace Hopper.").count();
    assert_eq!(told, 1, "{}", grace.screen());
}
