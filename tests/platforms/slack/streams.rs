//! The model's words while they are written, and what becomes of them where something comes in between: a crash, a
//! person's order, a provider that fails.

use std::sync::Arc;

use anteroom::{
    ports::llm::{Error, chat::Finish, error::Told},
    store::Store as _,
};
use chrono::TimeDelta;
use futures::future::join_all;
use insta::assert_snapshot;
use serde_json::json;

use crate::slack::{
    bot::{Bot, Plan},
    emulator::{faults::Fault, person::Person, state::State},
    scripted::{Gate, Scripted, Turn},
};

/// A model leads; without it, a script asks.
const FLOW: &str = r#"
format = 1
id = "pets"
version = "1.0.0"
title = "About pets"

[start.slack]
commands = ["/onboard"]
place = "dm"

[handoff]
channel = "recruiting_desk"

[[phase]]
id = "pets"
title = "Pets"
mode = "interview"
prompt = "Talk about pets."
tools = ["get_user_option", "request_user_input", "set_objective_status", "next_phase"]
fallback = "script"

  [[phase.objective]]
  id = "pet"
  title = "A pet"
  done = { answered = { step = "name" } }

  [[phase.step]]
  id = "name"
  tool = "request_user_input"
  args = { prompt = "What is your pet called?" }
"#;

/// An answer that is worth a stream.
pub(crate) const LONG: &str = "Thank you for telling me. A cat is a fine pet; cats sleep for most of the day, and so do I. \
                    There is a lot more that could be said about them. What is its name?";

/// Ada talks to the model, which is in the middle of an answer.
struct Talk {
    bot: Bot,
    model: Arc<Scripted>,
    ada: Person,
}

impl Talk {
    async fn begun() -> Self {
        Self::of(FLOW).await
    }

    async fn of(flow: &str) -> Self {
        let model = Scripted::new();
        let plan = Plan {
            model: Some(Arc::clone(&model)),
            flow: Some(flow.to_owned()),
            ..Plan::default()
        };
        let mut bot = Bot::planned(plan).await;
        let ada = bot.ada();
        model.next(Turn::says("Do you have a pet?"));
        ada.command("/onboard start").await;
        drop(ada.news());
        bot.run();
        Self { bot, model, ada }
    }

    /// The model has said half of its answer.
    async fn half_said(&self, turn: Turn) -> Gate {
        let gate = Gate::new();
        self.model.next(turn.in_pieces(8).held_by(&gate));
        self.ada.reply("A cat.").await;
        self.ada.sees("cats sleep").await;
        gate
    }

    /// The process dies, and the next one runs.
    async fn dies(&mut self) {
        self.bot.clock.advance(TimeDelta::seconds(1));
        self.bot.crash_and_run().await;
    }

    /// Everything is over: no message is being written, and Slack shows nobody at work.
    async fn is_quiet(&self) {
        self.bot.slack.until("nothing is written any more", is_quiet).await;
    }
}

pub(crate) fn is_quiet(state: &State) -> Option<()> {
    let mut messages = state.channels.values().flat_map(|channel| channel.messages.values());
    let is_written = messages.any(|message| message.stream.is_some());
    let is_at_work = state.sessions.values().any(|session| session.status == "processing");
    (!is_written && !is_at_work).then_some(())
}

/// Where the process dies.
#[derive(Debug, Clone, Copy)]
enum Stage {
    /// Slack has begun the message, and nobody knows its name.
    Begun,
    /// Half of it can be read.
    Half,
    /// All of it can be read, and nobody knows.
    Complete,
}

/// What comes after that.
#[derive(Debug, Clone, Copy)]
enum Then {
    Words,
    Card,
    HandOver,
    Erasure,
}

/// Ada's talk up to where the process dies.
async fn cut_off(stage: Stage) -> Talk {
    let talk = Talk::begun().await;
    let gate = Gate::new();
    talk.model.next(Turn::says(LONG).in_pieces(8).held_by(&gate));
    match stage {
        Stage::Begun => {
            talk.bot.slack.fail("chat.startStream", 1, Fault::HangAfter);
            talk.ada.reply("A cat.").await;
            let is_begun = |state: &State| {
                state.calls.iter().any(|call| call.method == "chat.startStream").then_some(())
            };
            talk.bot.slack.until("a stream", is_begun).await;
        }
        Stage::Half => {
            talk.ada.reply("A cat.").await;
            talk.ada.sees("cats sleep").await;
        }
        Stage::Complete => {
            talk.bot.slack.fail("chat.stopStream", 1, Fault::HangAfter);
            talk.ada.reply("A cat.").await;
            talk.ada.sees("cats sleep").await;
            gate.open();
            talk.ada.sees("What is its name?").await;
        }
    }
    talk
}

/// What Ada sees in the end.
async fn reads(stage: Stage, then: Then) -> String {
    let mut talk = cut_off(stage).await;
    let is_said = matches!(stage, Stage::Complete);
    if !is_said {
        // The model is asked again.
        talk.model.next(match then {
            Then::Words => Turn::says("A cat, how nice."),
            Then::Card => name_asked(),
            Then::HandOver | Then::Erasure => Turn::says("Never heard.").held_by(&Gate::new()),
        });
    }
    talk.dies().await;
    if !is_said {
        talk.ada.sees_no_more("Thank you").await;
    }
    match then {
        Then::Words if is_said => {
            talk.model.next(Turn::says("A fine name."));
            talk.ada.reply("Tom.").await;
            talk.ada.sees("A fine name.").await;
        }
        Then::Words => talk.ada.sees("A cat, how nice.").await,
        Then::Card => {
            if is_said {
                talk.model.next(name_asked());
                talk.ada.reply("You first.").await;
            }
            talk.ada.sees("Its name?").await;
            talk.model.next(Turn::says("That suits a cat."));
            talk.ada.press("Tom").await;
            talk.ada.sees("That suits a cat.").await;
            talk.ada.sees("You answered: *Tom*").await;
        }
        Then::HandOver => {
            talk.ada.reply("human").await;
            talk.ada.sees("I've asked").await;
        }
        Then::Erasure => {
            talk.ada.reply("delete my data").await;
            talk.ada.press("Delete everything").await;
            talk.ada.sees("*Everything is erased.*").await;
        }
    }
    talk.is_quiet().await;
    talk.bot.engine.settle_down().await;
    talk.ada.screen()
}

fn name_asked() -> Turn {
    let options = json!([{ "id": "tom", "label": "Tom" }, { "id": "kit", "label": "Kit" }]);
    let args = json!({ "prompt": "Its name?", "options": options });
    Turn::calls("get_user_option", &args)
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "what people read in each case")]
async fn a_stream_that_a_crash_cut_off_reads_right_whatever_comes_next() {
    let stages = [Stage::Begun, Stage::Half, Stage::Complete];
    let next = [Then::Words, Then::Card, Then::HandOver, Then::Erasure];
    let cases = stages.into_iter().flat_map(|stage| next.map(|then| (stage, then)));
    let shown = cases.map(|(stage, then)| async move {
        let screen = reads(stage, then).await;
        format!("── {stage:?}, then {then:?}\n{screen}")
    });
    assert_snapshot!(join_all(shown).await.concat(), @"
    ── Begun, then Words
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: A cat, how nice.
          [Helpful] [Not helpful]
    ── Begun, then Card
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom (edited): Its name?
          ✓ You answered: *Tom* · 2 Nov 2026 10:00 UTC
      Anteroom: That suits a cat.
          [Helpful] [Not helpful]
    ── Begun, then HandOver
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Ada Byron: human
      Anteroom: I've asked the team. I'll keep quiet until they answer or you type _continue_.
    ── Begun, then Erasure
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    ?: This message was deleted.
      Ada Byron: A cat.
      Ada Byron: delete my data
      Anteroom (only you): Your answers and files are erased. Receipt: `AAAAAAAAAAAAAAAAAAAABw`. I'm removing what I posted now, and I'll tell you when that's done.
    Anteroom: *Everything is erased.* Receipt: `AAAAAAAAAAAAAAAAAAAABw`. I've also removed what I had posted: 3 messages.

        What's left:

        • 2 messages that you sent in this conversation. Only you can delete them.
    ── Half, then Words
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: A cat, how nice.
          [Helpful] [Not helpful]
    ── Half, then Card
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom (edited): Its name?
          ✓ You answered: *Tom* · 2 Nov 2026 10:00 UTC
      Anteroom: That suits a cat.
          [Helpful] [Not helpful]
    ── Half, then HandOver
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Ada Byron: human
      Anteroom: I've asked the team. I'll keep quiet until they answer or you type _continue_.
    ── Half, then Erasure
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    ?: This message was deleted.
      Ada Byron: A cat.
      Ada Byron: delete my data
      Anteroom (only you): Your answers and files are erased. Receipt: `AAAAAAAAAAAAAAAAAAAABw`. I'm removing what I posted now, and I'll tell you when that's done.
    Anteroom: *Everything is erased.* Receipt: `AAAAAAAAAAAAAAAAAAAABw`. I've also removed what I had posted: 3 messages.

        What's left:

        • 2 messages that you sent in this conversation. Only you can delete them.
    ── Complete, then Words
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: Thank you for telling me. A cat is a fine pet; cats sleep for most of the day, and so do I. There is a lot more that could be said about them. What is its name?
          [Helpful] [Not helpful]
      Ada Byron: Tom.
      Anteroom: A fine name.
          [Helpful] [Not helpful]
    ── Complete, then Card
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: Thank you for telling me. A cat is a fine pet; cats sleep for most of the day, and so do I. There is a lot more that could be said about them. What is its name?
          [Helpful] [Not helpful]
      Ada Byron: You first.
      Anteroom (edited): Its name?
          ✓ You answered: *Tom* · 2 Nov 2026 10:00 UTC
      Anteroom: That suits a cat.
          [Helpful] [Not helpful]
    ── Complete, then HandOver
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: Thank you for telling me. A cat is a fine pet; cats sleep for most of the day, and so do I. There is a lot more that could be said about them. What is its name?
          [Helpful] [Not helpful]
      Ada Byron: human
      Anteroom: I've asked the team. I'll keep quiet until they answer or you type _continue_.
    ── Complete, then Erasure
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    ?: This message was deleted.
      Ada Byron: A cat.
      Ada Byron: delete my data
      Anteroom (only you): Your answers and files are erased. Receipt: `AAAAAAAAAAAAAAAAAAAACQ`. I'm removing what I posted now, and I'll tell you when that's done.
    Anteroom: *Everything is erased.* Receipt: `AAAAAAAAAAAAAAAAAAAACQ`. I've also removed what I had posted: 4 messages.

        What's left:

        • 2 messages that you sent in this conversation. Only you can delete them.
    ");
}

#[tokio::test]
async fn an_order_in_the_middle_of_an_answer_is_answered_below_it() {
    let talk = Talk::begun().await;
    let _gate = talk.half_said(Turn::says(LONG)).await;
    talk.ada.reply("human").await;
    talk.ada.sees("I've asked").await;
    talk.is_quiet().await;
    assert_snapshot!(talk.ada.screen(), @"
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: Thank you for telling me. A cat is a fine pet; cats sleep for most of the day, and so do I. There is a lot more that …
      Ada Byron: human
      Anteroom: I've asked the team. I'll keep quiet until they answer or you type _continue_.
    ");
}

#[tokio::test]
async fn words_stay_that_were_read_before_the_provider_failed_and_the_script_took_over() {
    let talk = Talk::begun().await;
    // A key that is not valid is not waited for.
    let refused = Error::Misconfigured(Told::default());
    let gate = talk.half_said(Turn::says(LONG).failing(refused)).await;
    gate.open();
    talk.ada.sees("What is your pet called?").await;
    talk.is_quiet().await;
    assert_snapshot!(talk.ada.screen(), @"
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: Thank you for telling me. A cat is a fine pet; cats sleep for most of the day, and so do I. There is a lot more that …
      Anteroom: I'll continue with a fixed list of questions for now. Nothing you've told me is lost.
      Anteroom: What is your pet called?
          · Type your answer here, or write it in a form.
          [Write an answer]
    ");
}

#[tokio::test]
async fn an_erasure_takes_half_an_answer_with_it_at_once() {
    let talk = Talk::begun().await;
    let gate = talk.half_said(Turn::says(LONG)).await;
    talk.ada.reply("delete my data").await;
    talk.ada.press("Delete everything").await;
    talk.ada.sees("*Everything is erased.*").await;
    gate.open();
    talk.is_quiet().await;
    assert_snapshot!(talk.ada.screen(), @"
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    ?: This message was deleted.
      Ada Byron: A cat.
      Ada Byron: delete my data
      Anteroom (only you): Your answers and files are erased. Receipt: `AAAAAAAAAAAAAAAAAAAABw`. I'm removing what I posted now, and I'll tell you when that's done.
    Anteroom: *Everything is erased.* Receipt: `AAAAAAAAAAAAAAAAAAAABw`. I've also removed what I had posted: 4 messages.

        What's left:

        • 2 messages that you sent in this conversation. Only you can delete them.
    ");
}

#[tokio::test]
async fn half_an_answer_stays_that_somebody_has_answered_while_nobody_was_there() {
    let mut talk = Talk::begun().await;
    let _gate = talk.half_said(Turn::says(LONG)).await;
    talk.bot.hold.kill();
    talk.ada.reply("human").await;
    talk.model.next(Turn::says("Never heard.").held_by(&Gate::new()));
    talk.dies().await;
    talk.ada.sees("I've asked").await;
    talk.is_quiet().await;
    assert_snapshot!(talk.ada.screen(), @"
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: Thank you for telling me. A cat is a fine pet; cats sleep for most of the day, and so do I. There is a lot more that …
      Ada Byron: human
      Anteroom: I've asked the team. I'll keep quiet until they answer or you type _continue_.
    ");
}

#[tokio::test]
async fn an_answer_goes_on_where_it_began_while_somebody_writes_below_it() {
    let talk = Talk::begun().await;
    let gate = talk.half_said(Turn::says(LONG)).await;
    talk.model.next(Turn::says("Two, then."));
    talk.ada.reply("And a dog.").await;
    gate.open();
    talk.ada.sees("Two, then.").await;
    talk.is_quiet().await;
    assert_snapshot!(talk.ada.screen(), @"
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: Thank you for telling me. A cat is a fine pet; cats sleep for most of the day, and so do I. There is a lot more that cou …
          [Helpful] [Not helpful]
      Ada Byron: And a dog.
      Anteroom: Two, then.
          [Helpful] [Not helpful]
    ");
}

#[tokio::test]
async fn an_answer_that_broke_off_is_said_again_below_what_was_written_meanwhile() {
    let talk = Talk::begun().await;
    let gate = talk.half_said(Turn::says(LONG)).await;
    talk.model.next(Turn::says("Two, then."));
    talk.ada.reply("And a dog.").await;
    talk.bot.slack.fail("chat.stopStream", 1, Fault::Says("message_not_in_streaming_state"));
    gate.open();
    talk.ada.sees("Two, then.").await;
    talk.is_quiet().await;
    assert_snapshot!(talk.ada.screen(), @"
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: Thank you for telling me. A cat is a fine pet; cats sleep for most of the day, and so do I. There is a lot more that cou …
          [Helpful] [Not helpful]
      Ada Byron: And a dog.
      Anteroom: Two, then.
          [Helpful] [Not helpful]
    ");
}

#[tokio::test]
async fn an_answer_whose_end_was_not_confirmed_is_said_once() {
    for fault in [Fault::CutAfter, Fault::Cut, Fault::BrokenAfter] {
        let talk = Talk::begun().await;
        let gate = talk.half_said(Turn::says(LONG)).await;
        talk.bot.slack.fail("chat.stopStream", 1, fault);
        gate.open();
        let stopped = |state: &State| {
            state.calls.iter().any(|call| call.method == "chat.stopStream").then_some(())
        };
        talk.bot.slack.until("it is ended", stopped).await;
        let is_over = || async {
            talk.bot.clock.advance(TimeDelta::minutes(1));
            talk.bot.engine.settle_down().await;
            let session = talk.bot.session().await;
            talk.bot.store.outbox(session).await.unwrap().is_empty()
        };
        while !is_over().await {
            tokio::task::yield_now().await;
        }
        talk.is_quiet().await;
        let screen = talk.ada.screen();
        assert_eq!(screen.matches("What is its name?").count(), 1, "{fault:?}: {screen}");
        assert_eq!(screen.matches("Thank you for").count(), 1, "{fault:?}: {screen}");
    }
}

#[tokio::test]
async fn an_answer_of_no_use_is_taken_down_where_the_model_is_asked_again_at_once() {
    let talk = Talk::begun().await;
    let useless = Turn::says(LONG).finishing(Finish::Filtered);
    let gate = talk.half_said(useless).await;
    talk.model.next(Turn::says("A cat, how nice."));
    gate.open();
    talk.ada.sees("A cat, how nice.").await;
    talk.is_quiet().await;
    assert_snapshot!(talk.ada.screen(), @"
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: A cat, how nice.
          [Helpful] [Not helpful]
    ");
}

#[tokio::test]
async fn words_go_away_whose_calls_all_failed() {
    let talk = Talk::begun().await;
    let unknown = json!({ "objective": "horse", "status": "completed" });
    let gate = talk.half_said(Turn::calls("set_objective_status", &unknown).saying(LONG)).await;
    talk.model.next(Turn::says("A cat, how nice."));
    gate.open();
    talk.ada.sees("A cat, how nice.").await;
    talk.is_quiet().await;
    assert_snapshot!(talk.ada.screen(), @"
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: A cat, how nice.
          [Helpful] [Not helpful]
    ");
}
