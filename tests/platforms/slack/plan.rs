//! What the bot is doing while somebody waits, as a plan whose tasks are in progress and then complete, and what becomes
//! of it where something comes in between.

use std::{fmt::Write as _, fs, sync::Arc};

use anteroom::ports::llm::{Error, error::Told};
use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use crate::slack::{
    bot::{Bot, Plan},
    documents::READING,
    emulator::{faults::Fault, person::Person, state::State},
    scripted::{Gate, Scripted, Turn},
    streams::is_quiet,
};

/// An answer that is worth a stream.
const LONG: &str = "Thank you, that is a fine résumé. I have read about your work on the Analytical Engine, and about \
                    the schools before it. Which of the roles did you like best?";

/// Somebody reads a document, and takes their time.
struct Reading {
    bot: Bot,
    model: Arc<Scripted>,
    reader: Arc<Scripted>,
    gate: Gate,
    ada: Person,
}

impl Reading {
    /// The model has begun to read a file of Ada's.
    async fn begun(fixture: &str) -> Self {
        Self::of(&[fixture]).await
    }

    /// It has begun to read some of them at the same time.
    async fn of(fixtures: &[&str]) -> Self {
        let (model, reader, gate) = (Scripted::new(), Scripted::new(), Gate::new());
        let plan = Plan {
            model: Some(Arc::clone(&model)),
            reader: Some(Arc::clone(&reader)),
            flow: Some(READING.to_owned()),
            ..Plan::default()
        };
        let mut bot = Bot::planned(plan).await;
        let ada = bot.ada();
        model.next(Turn::says("Please send me your résumé."));
        ada.command("/onboard start").await;
        for fixture in fixtures {
            model.next(Turn::says("Thank you. Shall I read it?"));
            let bytes = fs::read(format!("tests/fixtures/{fixture}")).unwrap();
            ada.drop_file(fixture, &bytes, "").await;
            // Without it the text alone is read.
            reader.next(Turn::fails(Error::Cut).held_by(&gate));
        }
        let mut turn = Turn::default();
        for file in bot.files().await {
            turn = turn.and_calls("extract_document", &json!({ "artifact_id": file }));
        }
        bot.run();
        model.next(turn);
        drop(ada.news());
        ada.reply("Yes.").await;
        gate.reached().await;
        Self { bot, model, reader, gate, ada }
    }

    /// It has been going on for a while, and Ada sees that.
    async fn seen(fixture: &str) -> Self {
        let reading = Self::begun(fixture).await;
        reading.bot.clock.advance(TimeDelta::seconds(2));
        reading.ada.sees(&format!("[~] Reading {fixture}")).await;
        reading
    }

    /// Everything is over: no message is being written, and Slack shows nobody at work.
    async fn is_quiet(&self) {
        self.bot.slack.until("nothing is written any more", is_quiet).await;
        self.bot.engine.settle_down().await;
        let screen = self.ada.screen();
        assert!(!screen.contains("[~]"), "something is in progress for ever: {screen}");
    }
}

#[tokio::test]
async fn a_file_is_seen_being_read_and_then_with_what_was_found() {
    let reading = Reading::seen("ada.pdf").await;
    // Slack takes the status away with a message.
    reading.ada.sees("  ~ Reading ada.pdf…").await;
    assert_snapshot!(reading.ada.news(), @"
    +   Ada Byron: Yes.
    +   Anteroom: plan: Pets
            [~] Reading ada.pdf
            …
    ");
    let gate = Gate::new();
    reading.model.next(Turn::says(LONG).in_pieces(8).held_by(&gate));
    reading.gate.open();
    reading.ada.sees("[x] Read ada.pdf").await;
    reading.ada.sees("Analytical Engine").await;
    gate.open();
    reading.ada.sees("like best?").await;
    reading.is_quiet().await;
    assert_snapshot!(reading.ada.news(), @"
    ~   Anteroom: plan: Pets
            [x] Read ada.pdf · Found 4 roles and 2 schools
            Thank you, that is a fine résumé. I have read about your work on the Analytical Engine, and about the schools before it. Which of the roles did you like best?
            [Helpful] [Not helpful]
    ");
    reading.bot.judge();
}

#[tokio::test]
async fn a_short_answer_stands_below_the_plan_in_the_same_message() {
    let reading = Reading::seen("ada.pdf").await;
    reading.model.next(Turn::says("Thank you."));
    reading.gate.open();
    reading.ada.sees("Thank you.\n").await;
    reading.is_quiet().await;
    assert_snapshot!(reading.ada.news(), @"
    +   Ada Byron: Yes.
    +   Anteroom: plan: Pets
            [x] Read ada.pdf · Found 4 roles and 2 schools
            Thank you.
            [Helpful] [Not helpful]
    ");
}

#[tokio::test]
async fn each_file_has_a_task_of_its_own() {
    let reading = Reading::of(&["ada.pdf", "two-columns.pdf"]).await;
    reading.bot.clock.advance(TimeDelta::seconds(2));
    reading.ada.sees("[~] Reading ada.pdf\n").await;
    reading.ada.sees("[~] Reading two-columns.pdf\n").await;
    reading.model.next(Turn::says("Thank you; more is at https://example.org/cv today."));
    reading.gate.open();
    reading.ada.sees("Thank you").await;
    reading.is_quiet().await;
    // The links are drawn in the end, and the tasks with them.
    reading.ada.sees("[https://example.org/cv]").await;
    assert_snapshot!(reading.ada.news(), @"
    +   Ada Byron: Yes.
    +   Anteroom (edited): plan: Pets
            [x] Read ada.pdf · Found 4 roles and 2 schools
            [x] Read two-columns.pdf · Found 3 roles and 2 schools
            Thank you; more is at [https://example.org/cv](https://example.org/cv) today.
            [Helpful] [Not helpful]
    ");
    reading.bot.judge();
}

#[tokio::test]
async fn what_is_read_at_once_needs_no_plan() {
    let reading = Reading::begun("ada.pdf").await;
    reading.ada.sees("~ Reading ada.pdf…").await;
    reading.model.next(Turn::says("Thank you."));
    reading.gate.open();
    reading.ada.sees("Thank you.\n").await;
    reading.is_quiet().await;
    assert!(reading.bot.slack.calls_of("chat.startStream").is_empty());
    assert_snapshot!(reading.ada.news(), @"
    +   Ada Byron: Yes.
    +   Anteroom: Thank you.
            [Helpful] [Not helpful]
    ");
}

#[tokio::test]
async fn a_card_stands_below_the_finished_plan() {
    let reading = Reading::seen("ada.pdf").await;
    let pet = json!({ "dataType": "pet", "data": { "name": "Tom" }, "message": "Is that right?" });
    reading.model.next(Turn::calls("submit_for_validation", &pet));
    reading.gate.open();
    reading.ada.sees("Is that right?").await;
    reading.is_quiet().await;
    assert_snapshot!(reading.ada.news(), @"
    +   Ada Byron: Yes.
    +   Anteroom: plan: Pets
            [x] Read ada.pdf · Found 4 roles and 2 schools
    +   Anteroom: # Pet
            Is that right?
              *Name* Tom
            [+ Looks right] [Edit] [Start over]
    ");
    reading.bot.judge();
}

#[tokio::test]
async fn what_could_not_be_read_is_not_said_to_be() {
    let reading = Reading::seen("scan.pdf").await;
    reading.model.next(Turn::says("I couldn't read it."));
    reading.gate.open();
    reading.ada.sees("I couldn't read it.").await;
    reading.is_quiet().await;
    assert_snapshot!(reading.ada.news(), @"
    +   Ada Byron: Yes.
    +   Anteroom: plan: Pets
            [!] Reading scan.pdf didn't work
            I couldn't read it.
            [Helpful] [Not helpful]
    ");
}

#[tokio::test]
async fn an_answer_stands_below_what_somebody_wrote_meanwhile() {
    let reading = Reading::seen("ada.pdf").await;
    let gate = Gate::new();
    reading.model.next(Turn::says(LONG).in_pieces(8).held_by(&gate));
    reading.ada.reply("Take your time.").await;
    reading.gate.open();
    reading.ada.sees("[x] Read ada.pdf").await;
    reading.ada.sees("Analytical Engine").await;
    gate.open();
    reading.ada.sees("like best?").await;
    reading.is_quiet().await;
    assert_snapshot!(reading.ada.news(), @"
    +   Ada Byron: Yes.
    +   Anteroom: plan: Pets
            [x] Read ada.pdf · Found 4 roles and 2 schools
    +   Ada Byron: Take your time.
    +   Anteroom: Thank you, that is a fine résumé. I have read about your work on the Analytical Engine, and about the schools before it. Which of the roles did you like best?
            [Helpful] [Not helpful]
    ");
}

#[tokio::test]
async fn a_plan_goes_away_with_a_hand_over() {
    let reading = Reading::seen("ada.pdf").await;
    reading.ada.reply("human").await;
    reading.ada.sees("I've asked").await;
    reading.gate.open();
    reading.is_quiet().await;
    assert_snapshot!(reading.ada.news(), @"
    +   Ada Byron: Yes.
    +   Ada Byron: human
    +   Anteroom: I've asked the team. I'll keep quiet until they answer or you type _continue_.
    ");
}

#[tokio::test]
async fn a_plan_goes_away_where_the_conversation_is_stopped() {
    let reading = Reading::seen("ada.pdf").await;
    reading.ada.reply("stop").await;
    reading.ada.sees("Stopped.").await;
    reading.gate.open();
    reading.is_quiet().await;
    assert_snapshot!(reading.ada.news(), @"
    +   Ada Byron: Yes.
    +   Ada Byron: stop
    +   Anteroom: Stopped. I won't ask anything more. Kept so far: file _ada.pdf_. Type _resume_ to continue later, or _delete my data_ to erase everything.
            [Continue] [Delete my data]
    ");
}

#[tokio::test]
async fn an_erasure_takes_a_plan_with_it() {
    let reading = Reading::seen("ada.pdf").await;
    reading.ada.reply("delete my data").await;
    reading.ada.press("Delete everything").await;
    reading.ada.sees("*Everything is erased.*").await;
    reading.gate.open();
    reading.is_quiet().await;
    assert!(!reading.ada.can_see("Reading ada.pdf"), "{}", reading.ada.screen());
}

#[tokio::test]
async fn an_erasure_takes_a_finished_plan_with_it() {
    let reading = Reading::seen("ada.pdf").await;
    let pet = json!({ "dataType": "pet", "data": { "name": "Tom" }, "message": "Is that right?" });
    reading.model.next(Turn::calls("submit_for_validation", &pet));
    reading.gate.open();
    reading.ada.sees("Is that right?").await;
    reading.is_quiet().await;
    reading.ada.reply("delete my data").await;
    reading.ada.press("Delete everything").await;
    reading.ada.sees("*Everything is erased.*").await;
    assert!(!reading.ada.can_see("Read ada.pdf"), "{}", reading.ada.screen());
}

#[tokio::test]
async fn a_finished_plan_stays_where_the_model_fails_afterwards() {
    let reading = Reading::seen("ada.pdf").await;
    reading.model.next(Turn::fails(Error::Misconfigured(Told::default())));
    reading.gate.open();
    reading.ada.sees("I'm having trouble").await;
    reading.is_quiet().await;
    assert_snapshot!(reading.ada.news(), @"
    +   Ada Byron: Yes.
    +   Anteroom: plan: Pets
            [x] Read ada.pdf · Found 4 roles and 2 schools
    +   Anteroom: I'm having trouble responding right now; your answers are safe. I'll write when I can, or type _human_ to reach a person.
    ");
}

#[tokio::test]
async fn words_of_no_use_go_away_and_the_plan_comes_again_with_those_that_are() {
    let reading = Reading::seen("ada.pdf").await;
    let gate = Gate::new();
    let useless = Turn::says(LONG).finishing(anteroom::ports::llm::chat::Finish::Filtered);
    reading.model.next(useless.in_pieces(8).held_by(&gate));
    reading.gate.open();
    reading.ada.sees("Analytical Engine").await;
    reading.ada.sees("[x] Read ada.pdf").await;
    let second = Gate::new();
    reading.model.next(Turn::says(&LONG.replace("fine", "good")).in_pieces(8).held_by(&second));
    gate.open();
    reading.ada.sees("a good résumé").await;
    second.open();
    reading.ada.sees("like best?").await;
    reading.is_quiet().await;
    assert_snapshot!(reading.ada.news(), @"
    +   Ada Byron: Yes.
    +   Anteroom: plan: Pets
            [x] Read ada.pdf · Found 4 roles and 2 schools
            Thank you, that is a good résumé. I have read about your work on the Analytical Engine, and about the schools before it. Which of the roles did you like best?
            [Helpful] [Not helpful]
    ");
}

/// Where the process dies.
#[derive(Debug, Clone, Copy)]
enum Stage {
    /// Slack has begun the message, and nobody knows its name.
    Begun,
    /// The task is in progress.
    InProgress,
    /// Its end is shown, and words are still to come.
    Complete,
}

/// What comes after that.
#[derive(Debug, Clone, Copy)]
enum Then {
    Words,
    HandOver,
}

async fn reads(stage: Stage, then: Then) -> String {
    let mut reading = match stage {
        Stage::Begun => {
            let reading = Reading::begun("ada.pdf").await;
            reading.bot.slack.fail("chat.startStream", 1, Fault::HangAfter);
            reading.bot.clock.advance(TimeDelta::seconds(2));
            reading.ada.sees("[~] Reading ada.pdf").await;
            reading
        }
        Stage::InProgress => Reading::seen("ada.pdf").await,
        Stage::Complete => {
            let reading = Reading::seen("ada.pdf").await;
            reading.model.next(Turn::says(LONG).held_by(&Gate::new()));
            reading.gate.open();
            reading.ada.sees("[x] Read ada.pdf").await;
            reading
        }
    };
    if !matches!(stage, Stage::Complete) {
        // It is read again, and at once.
        reading.reader.next(Turn::fails(Error::Cut));
    }
    reading.model.next(match then {
        Then::Words => Turn::says("Thank you, Ada."),
        Then::HandOver => Turn::says("Never heard.").held_by(&Gate::new()),
    });
    reading.bot.clock.advance(TimeDelta::seconds(1));
    if matches!(then, Then::HandOver) {
        // Nobody is there to hear of it.
        reading.bot.hold.kill();
        reading.ada.reply("human").await;
    }
    reading.bot.crash_and_run().await;
    match then {
        Then::Words => reading.ada.sees("Thank you, Ada.").await,
        Then::HandOver => reading.ada.sees("I've asked").await,
    }
    reading.is_quiet().await;
    reading.ada.news()
}

#[tokio::test]
async fn a_plan_that_a_crash_cut_off_reads_right_whatever_comes_next() {
    let mut shown = String::new();
    for stage in [Stage::Begun, Stage::InProgress, Stage::Complete] {
        for then in [Then::Words, Then::HandOver] {
            let screen = reads(stage, then).await;
            write!(shown, "── {stage:?}, then {then:?}\n{screen}").unwrap();
        }
    }
    assert_snapshot!(shown, @"
    ── Begun, then Words
    +   Ada Byron: Yes.
    +   Anteroom: Thank you, Ada.
            [Helpful] [Not helpful]
    ── Begun, then HandOver
    +   Ada Byron: Yes.
    +   Ada Byron: human
    +   Anteroom: I've asked the team. I'll keep quiet until they answer or you type _continue_.
    ── InProgress, then Words
    +   Ada Byron: Yes.
    +   Anteroom: Thank you, Ada.
            [Helpful] [Not helpful]
    ── InProgress, then HandOver
    +   Ada Byron: Yes.
    +   Ada Byron: human
    +   Anteroom: I've asked the team. I'll keep quiet until they answer or you type _continue_.
    ── Complete, then Words
    +   Ada Byron: Yes.
    +   Anteroom: Thank you, Ada.
            [Helpful] [Not helpful]
    ── Complete, then HandOver
    +   Ada Byron: Yes.
    +   Ada Byron: human
    +   Anteroom: I've asked the team. I'll keep quiet until they answer or you type _continue_.
    ");
}

/// Slack has no room for a plan, or loses it: everything else goes on as without one.
#[tokio::test]
async fn nothing_depends_on_a_plan() {
    let reading = Reading::begun("ada.pdf").await;
    reading.bot.slack.fail("chat.startStream", 1, Fault::TooMany(60));
    reading.bot.clock.advance(TimeDelta::seconds(2));
    let tried = |state: &State| {
        state.calls.iter().any(|call| call.method == "chat.startStream").then_some(())
    };
    reading.bot.slack.until("a stream is tried", tried).await;
    reading.model.next(Turn::says("Thank you."));
    reading.gate.open();
    reading.ada.sees("Thank you.\n").await;
    reading.is_quiet().await;
    assert_snapshot!(reading.ada.news(), @"
    +   Ada Byron: Yes.
    +   Anteroom: Thank you.
            [Helpful] [Not helpful]
    ");

    let reading = Reading::seen("ada.pdf").await;
    for method in ["chat.appendStream", "chat.stopStream"] {
        reading.bot.slack.fail(method, 1, Fault::Says("message_not_in_streaming_state"));
    }
    reading.model.next(Turn::says("Thank you."));
    reading.gate.open();
    reading.ada.sees("Thank you.\n").await;
    reading.is_quiet().await;
    assert_snapshot!(reading.ada.news(), @"
    +   Ada Byron: Yes.
    +   Anteroom: Thank you.
            [Helpful] [Not helpful]
    ");
}

/// The shipped script reads a résumé without a model that leads.
#[tokio::test]
async fn a_script_shows_what_it_reads() {
    let (reader, gate) = (Scripted::new(), Gate::new());
    let plan = Plan { reader: Some(Arc::clone(&reader)), ..Plan::default() };
    let mut bot = Bot::planned(plan).await;
    let ada = bot.ada();
    ada.command("/onboard start candidate-onboarding").await;
    ada.press("Continue with the assistant").await;
    ada.press("Upload résumé").await;
    drop(ada.news());
    bot.run();
    reader.next(Turn::fails(Error::Cut).held_by(&gate));
    ada.drop_file("ada.pdf", &fs::read("tests/fixtures/ada.pdf").unwrap(), "").await;
    gate.reached().await;
    bot.clock.advance(TimeDelta::seconds(2));
    ada.sees("[~] Reading ada.pdf").await;
    gate.open();
    ada.sees("Looks right").await;
    bot.slack.until("nothing is written any more", is_quiet).await;
    bot.engine.settle_down().await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Please send your résumé as PDF, DOCX, TXT or MD, at most 10 MB.
            ✓ You sent: *ada.pdf* · 2 Nov 2026 10:00 UTC
    +   Ada Byron: (file: ada.pdf)
    +   Anteroom: plan: The basics
            [x] Read ada.pdf · Found 4 roles and 2 schools
    +   Anteroom: # Contact details
            I found 4 roles and 2 schools. I could only read its plain text this time, so please check the details closely. Here are your contact details so far. Please correct and complete them.
              *Name* Ada Byron
              *Headline* Senior Programmer
              *E-mail* ada.byron@example.org
              *Phone* +44 20 7946 0018
              *Website* https://ada.example.org
              *City* London
              *Country* Britain (UK)
            · Not filled in: Address, Postcode, Region
            *Profile 1*
            LinkedIn · ada-byron · https://linkedin.com/in/ada-byron {… Edit | Remove}
            *Profile 2*
            GitHub · ada-byron · https://github.com/ada-byron {… Edit | Remove | Move up}
            [+ Looks right] [Edit] [Add a profile] [Start over]
    ");
    bot.judge();
}
