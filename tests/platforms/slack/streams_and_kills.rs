//! The program is killed while the model's words are written, and runs again: what people read is right whatever comes
//! next, and nothing stays open.

use std::{collections::BTreeSet, time::Duration};

use futures::future::join_all;
use insta::assert_snapshot;
use serde_json::json;
use tokio::time::timeout;

use crate::slack::{
    emulator::{Slack, faults::Fault, person::Person, state::State},
    program::{By, Place},
    provider::{Ending, Provider, Reply},
    scripted::Gate,
    streams::LONG,
};

/// A model leads.
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

[approvals.override]
decider = "participant"

[[phase]]
id = "pets"
title = "Pets"
mode = "interview"
prompt = "Talk about pets."
tools = ["get_user_option", "request_user_input", "next_phase"]
fallback = "script"

  [[phase.objective]]
  id = "pet"
  title = "A pet"
  done = { any = [ { talked = 3 }, { answered = { step = "name" } } ] }

  [[phase.step]]
  id = "name"
  tool = "request_user_input"
  args = { prompt = "What is your pet called?" }
"#;

/// Where the program dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Slack has begun the message, and the program does not know its name yet.
    Begun,
    /// Half of it can be read.
    Half,
    /// All of it can be read, and the program does not know.
    Complete,
}

/// What comes after that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    /// Nobody is there to read them.
    WordsMeanwhile,
    Words,
    Card,
    HandOver,
    Erasure,
}

/// How long Slack is not called when everything is done.
const QUIET: Duration = Duration::from_secs(1);

/// Ada's talk up to where the program dies, and on from there.
struct Talk {
    place: Place,
    model: Provider,
    ada: Person,
    gate: Gate,
}

impl Talk {
    async fn new(stage: Stage, then: Then) -> Self {
        let gate = Gate::new();
        let (beginning, rest) = LONG.split_at(LONG.find("There is").unwrap());
        let long = Reply::says_in_pieces(&[beginning, rest]).held_by(2, &gate);
        let long = match stage {
            Stage::Begun => long.ending(2, Ending::Stall),
            // The rest is the half that can be read, too: then nothing comes any more.
            Stage::Half => long.ending(3, Ending::Stall),
            Stage::Complete => long,
        };
        let options = json!([{ "id": "tom", "label": "Tom" }, { "id": "kit", "label": "Kit" }]);
        let card = json!({ "prompt": "Its name?", "options": options });
        let next = match then {
            Then::WordsMeanwhile | Then::Words => Reply::says("How nice. What is it called?"),
            Then::Card => Reply::calls("get_user_option", &card),
            Then::HandOver | Then::Erasure => Reply::says("Never read.").ending(0, Ending::Silence),
        };
        let last = Reply::says("That suits a cat. Is it black?");
        let model = Provider::start(&[Reply::says("Do you have a pet?"), long, next, last]).await;
        let more = format!(
            "[slack.channels]\nrecruiting_desk = \"C0DESK\"\n[llm.interview]\nbase_url = \"{}\"\nmodel = \"m\"\n",
            model.url
        );
        let place = Place::new(By::Sockets, FLOW, &more).await;
        let ada = place.slack.person("U0ADA");
        Self { place, model, ada, gate }
    }

    async fn reaches(&self, stage: Stage) {
        let slack = &self.place.slack;
        self.ada.command("/onboard start").await;
        self.ada.sees("Do you have a pet?").await;
        match stage {
            Stage::Begun => slack.fail("chat.startStream", 1, Fault::HangAfter),
            Stage::Half => {}
            Stage::Complete => slack.fail("chat.stopStream", 1, Fault::HangAfter),
        }
        self.ada.reply("A cat.").await;
        called(slack, "chat.startStream").await;
        self.gate.open();
        match stage {
            Stage::Begun => {}
            Stage::Half => called(slack, "chat.appendStream").await,
            Stage::Complete => called(slack, "chat.stopStream").await,
        }
    }

    /// What Ada does after the program has come back.
    async fn goes_on(&self, stage: Stage, then: Then) {
        let is_said = stage == Stage::Complete;
        let ada = &self.ada;
        if !is_said && then != Then::WordsMeanwhile {
            ada.sees_no_more("Thank you").await;
        }
        if is_said && matches!(then, Then::Words | Then::Card) {
            // Else the model is asked again by itself.
            ada.reply("Guess.").await;
        }
        match then {
            Then::WordsMeanwhile | Then::Words => ada.sees("What is it called?").await,
            Then::Card => {
                ada.press("Tom").await;
                ada.sees("Is it black?").await;
                ada.sees("You answered: *Tom*").await;
            }
            Then::HandOver => {
                ada.reply("human").await;
                ada.sees("I've asked").await;
            }
            Then::Erasure => {
                ada.reply("delete my data").await;
                ada.press("Delete everything").await;
                ada.sees("*Everything is erased.*").await;
            }
        }
    }
}

async fn called(slack: &Slack, method: &str) {
    let is_called =
        |state: &State| state.calls.iter().any(|call| call.method == method).then_some(());
    slack.until(&format!("a call of {method}"), is_called).await;
}

/// No message is being written, nobody is shown at work, and Slack is not called any more.
async fn is_quiet(slack: &Slack) {
    let is_quiet = |state: &State| {
        let mut messages = state.channels.values().flat_map(|channel| channel.messages.values());
        let is_written = messages.any(|message| message.stream.is_some());
        let is_at_work = state
            .sessions
            .values()
            .any(|session| session.status == "processing" || !session.doing.is_empty());
        (!is_written && !is_at_work).then_some(())
    };
    loop {
        slack.until("nothing is written any more", is_quiet).await;
        let calls = slack.calls().len();
        let another = slack.until("a call", |state| (state.calls.len() > calls).then_some(()));
        if timeout(QUIET, another).await.is_err() && slack.look(is_quiet).is_some() {
            return;
        }
    }
}

/// The messages that were begun and never ended.
fn left_open(slack: &Slack) -> BTreeSet<String> {
    let named =
        |method: &str, name: fn(&crate::slack::emulator::state::Call) -> &serde_json::Value| {
            let calls = slack.calls_of(method);
            let taken = calls.iter().filter(|call| call.answer["ok"] == true);
            taken.map(|call| name(call).as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
        };
    let begun = named("chat.startStream", |call| &call.answer["ts"]);
    let ended = named("chat.stopStream", |call| &call.body["ts"]);
    assert!(!begun.is_empty(), "nothing was streamed");
    &begun - &ended
}

/// The screen without what differs from run to run.
fn read(person: &Person) -> String {
    let screen = person.screen();
    // What answers the command comes by another way than the rest.
    let lines = screen.lines().filter(|line| !line.contains("I've sent you a direct message"));
    // Her name may come too late on a busy machine; then she is called what the command calls her.
    let lines = lines.map(|line| line.replace("*ada*", "*Ada Byron*"));
    let lines = lines.map(|line| {
        let (before, after) = line.split_once("Receipt: `").unwrap_or((&line, ""));
        let line = match after.split_once('`') {
            Some((_, rest)) => format!("{before}Receipt: `…`{rest}\n"),
            None => format!("{line}\n"),
        };
        match line.split_once("You answered: *Tom* · ") {
            Some((before, _)) => format!("{before}You answered: *Tom*\n"),
            None => line,
        }
    });
    lines.collect()
}

/// What is read in the end.
async fn reads(stage: Stage, then: Then) -> String {
    let talk = Talk::new(stage, then).await;
    let program = talk.place.start().await;
    talk.reaches(stage).await;
    program.kill();
    let slack = &talk.place.slack;
    if then == Then::WordsMeanwhile {
        talk.ada.reply("Are you there?").await;
    }
    let _program = talk.place.start().await;
    slack.redeliver().await;
    talk.goes_on(stage, then).await;
    is_quiet(slack).await;
    assert_eq!(left_open(slack), BTreeSet::new(), "{stage:?}, {then:?}:\n{}", talk.ada.screen());
    let desk = slack.person("U0GRACE").at("recruiting-desk");
    let asked = if then == Then::HandOver { read(&desk) } else { String::new() };
    let mut screen = read(&talk.ada);
    if then == Then::WordsMeanwhile {
        // The model may be asked before these words are caught up with, and again after that.
        let end = screen.find("  Anteroom: How nice.").unwrap();
        assert!(end > screen.find("Are you there?").unwrap(), "{screen}");
        screen.truncate(end);
    }
    format!("── {then:?}\n{screen}{asked}")
}

async fn reads_whatever_comes_next(stage: Stage) -> String {
    let next = [Then::WordsMeanwhile, Then::Words, Then::Card, Then::HandOver, Then::Erasure];
    join_all(next.map(|then| reads(stage, then))).await.concat()
}

#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::too_many_lines, reason = "what people read in each case")]
async fn a_stream_that_a_kill_cut_off_reads_right_whatever_comes_next() {
    let stages = [Stage::Begun, Stage::Half, Stage::Complete];
    let read: [String; 3] =
        join_all(stages.map(reads_whatever_comes_next)).await.try_into().unwrap();
    let [begun, half, complete] = read;
    assert_snapshot!(begun, @"
    ── WordsMeanwhile
    ── direct ──
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: Thank you for telling me. A cat is a fine pet; cats sleep for most of the day, and so do I. …
      Ada Byron: Are you there?
    ── Words
    ── direct ──
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: How nice. What is it called?
          [Helpful] [Not helpful]
    ── Card
    ── direct ──
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom (edited): Its name?
          ✓ You answered: *Tom*
      Anteroom: That suits a cat. Is it black?
          [Helpful] [Not helpful]
    ── HandOver
    ── direct ──
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Ada Byron: human
      Anteroom: I've asked the team. I'll keep quiet until they answer or you type _continue_.
    ── #recruiting-desk ──
    Anteroom: *Ada Byron* (@Ada Byron) · About pets
        · Step 1 of 1 · Pets · 0/1 · running. Write in this thread to take over. I'll pass on what you write.
        [Take over] [Hand back] [! End the conversation ?]
      Anteroom: *Ada Byron* asked for a human in _About pets_.

          • Step 1 of 1 · Pets
          • Still open: A pet
    ── Erasure
    ── direct ──
    ?: This message was deleted.
      Ada Byron: A cat.
      Ada Byron: delete my data
      Anteroom (only you): Your answers and files are erased. Receipt: `…`. I'm removing what I posted now, and I'll tell you when that's done.
    Anteroom: *Everything is erased.* Receipt: `…`. I've also removed what I had posted: 3 messages.

        What's left:

        • 2 messages that you sent in this conversation. Only you can delete them.
    ");
    assert_snapshot!(half, @"
    ── WordsMeanwhile
    ── direct ──
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: Thank you for telling me. A cat is a fine pet; cats sleep for most of the day, and so do I. There is a lot more that could be said about them. What is its …
      Ada Byron: Are you there?
    ── Words
    ── direct ──
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: How nice. What is it called?
          [Helpful] [Not helpful]
    ── Card
    ── direct ──
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom (edited): Its name?
          ✓ You answered: *Tom*
      Anteroom: That suits a cat. Is it black?
          [Helpful] [Not helpful]
    ── HandOver
    ── direct ──
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Ada Byron: human
      Anteroom: I've asked the team. I'll keep quiet until they answer or you type _continue_.
    ── #recruiting-desk ──
    Anteroom: *Ada Byron* (@Ada Byron) · About pets
        · Step 1 of 1 · Pets · 0/1 · running. Write in this thread to take over. I'll pass on what you write.
        [Take over] [Hand back] [! End the conversation ?]
      Anteroom: *Ada Byron* asked for a human in _About pets_.

          • Step 1 of 1 · Pets
          • Still open: A pet
    ── Erasure
    ── direct ──
    ?: This message was deleted.
      Ada Byron: A cat.
      Ada Byron: delete my data
      Anteroom (only you): Your answers and files are erased. Receipt: `…`. I'm removing what I posted now, and I'll tell you when that's done.
    Anteroom: *Everything is erased.* Receipt: `…`. I've also removed what I had posted: 3 messages.

        What's left:

        • 2 messages that you sent in this conversation. Only you can delete them.
    ");
    assert_snapshot!(complete, @"
    ── WordsMeanwhile
    ── direct ──
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: Thank you for telling me. A cat is a fine pet; cats sleep for most of the day, and so do I. There is a lot more that could be said about them. What is its name?
          [Helpful] [Not helpful]
      Ada Byron: Are you there?
    ── Words
    ── direct ──
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: Thank you for telling me. A cat is a fine pet; cats sleep for most of the day, and so do I. There is a lot more that could be said about them. What is its name?
          [Helpful] [Not helpful]
      Ada Byron: Guess.
      Anteroom: How nice. What is it called?
          [Helpful] [Not helpful]
    ── Card
    ── direct ──
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: Thank you for telling me. A cat is a fine pet; cats sleep for most of the day, and so do I. There is a lot more that could be said about them. What is its name?
          [Helpful] [Not helpful]
      Ada Byron: Guess.
      Anteroom (edited): Its name?
          ✓ You answered: *Tom*
      Anteroom: That suits a cat. Is it black?
          [Helpful] [Not helpful]
    ── HandOver
    ── direct ──
    Anteroom: · Step 1 of 1 · Pets · 0/1
        [Help]
      Anteroom: Do you have a pet?
          [Helpful] [Not helpful]
      Ada Byron: A cat.
      Anteroom: Thank you for telling me. A cat is a fine pet; cats sleep for most of the day, and so do I. There is a lot more that could be said about them. What is its name?
          [Helpful] [Not helpful]
      Ada Byron: human
      Anteroom: I've asked the team. I'll keep quiet until they answer or you type _continue_.
    ── #recruiting-desk ──
    Anteroom: *Ada Byron* (@Ada Byron) · About pets
        · Step 1 of 1 · Pets · 0/1 · running. Write in this thread to take over. I'll pass on what you write.
        [Take over] [Hand back] [! End the conversation ?]
      Anteroom: *Ada Byron* asked for a human in _About pets_.

          • Step 1 of 1 · Pets
          • Still open: A pet
    ── Erasure
    ── direct ──
    ?: This message was deleted.
      Ada Byron: A cat.
      Ada Byron: delete my data
      Anteroom (only you): Your answers and files are erased. Receipt: `…`. I'm removing what I posted now, and I'll tell you when that's done.
    Anteroom: *Everything is erased.* Receipt: `…`. I've also removed what I had posted: 4 messages.

        What's left:

        • 2 messages that you sent in this conversation. Only you can delete them.
    ");
}
