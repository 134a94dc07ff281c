//! Rows of `docs/semantics.md` with a model leading. That document lists those that are elsewhere.

use std::sync::{Arc, atomic::Ordering};

use anteroom::{
    engine::InboundKind,
    model::wait::{Settlement, WaitStatus},
    ports::llm::{
        Error,
        chat::Request,
        error::{Fault, Told},
    },
};
use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use super::{TALK, assert_prefixes, colours, news, rex, sizes, talk};
use crate::{
    llm::scripted::{Gate, Scripted, Turn},
    world::{World, ada, grace, mortal::Death},
};

/// The talk with the lab's tools.
fn with_probes() -> String {
    let tools = "tools = [\"probe_pure\", \"probe_idempotent\", \"probe_reconcile\", \"probe_once\", \"get_user_option\",";
    TALK.replacen("tools = [\"get_user_option\",", tools, 1)
}

/// Whether the last thing that the model reads is something the participant wrote.
fn is_asked_by_words(request: &Request) -> bool {
    format!("{:?}", request.messages.last()).contains("<participant>Yes!")
}

#[tokio::test]
async fn row_07_a_crash_in_a_tool_is_settled_by_its_effect_class_and_told_to_the_model_once() {
    for (tool, reached) in
        [("probe_pure", 2), ("probe_idempotent", 2), ("probe_reconcile", 2), ("probe_once", 1)]
    {
        let model = Scripted::new();
        model.next(Turn::says("Shall I?"));
        let mut world = World::led_by(&with_probes(), &model).await;
        *world.lab.victim.lock().unwrap() = Some(Arc::clone(&world.store));
        model.next(Turn::calls(tool, &json!({})));
        model.next(Turn::says("That is done."));
        world.say("Yes!").await;
        assert_eq!(world.deaths, 1, "{tool}");
        assert_eq!(world.lab.reached.load(Ordering::SeqCst), reached, "{tool}");
        if tool == "probe_once" {
            assert_eq!(model.seen().len(), 2, "the model went on over a person's head");
            assert_snapshot!(world.screen(), @"
            Let us talk about pets.
            ---
            Step 1 of 2 · Pets · 0/1
            ---
            Shall I?
            ---
            I can't continue on my own here, so I've asked the team.
            ");
            world.say("continue").await;
            assert_snapshot!(news(&model, 2), @r#"
            model calls c00000001 probe_once {}
            c00000001 -> {"error":"it is not known whether `probe_once` happened. hint: a person has been asked to check","code":"outcome_unknown"}
            <note>The participant was told: I can't continue on my own here, so I've asked the team.</note>
            <note>The conversation was with the team; it is yours again.</note>
            <note>The participant was told: The assistant is back. Let's pick up where we left off.</note>
            "#);
        } else {
            let read = news(&model, 2);
            assert_eq!(read.matches("c00000001 -> ").count(), 1, "{tool}: {read}");
            assert!(read.ends_with("c00000001 -> {\"status\":\"done\"}"), "{tool}: {read}");
            assert!(world.screen().ends_with("Shall I?\n---\nThat is done."), "{tool}");
        }
        model.assert_played();
        assert_prefixes(&model);
        world.assert_at_rest().await;
    }
}

#[tokio::test]
async fn row_08_a_crash_in_any_window_of_a_model_call_changes_nothing_that_anybody_reads() {
    let windows = [
        ("undisturbed", None, 3),
        ("before the words are durable", Some(Death::Before(1)), 3),
        ("after the words, before the request", Some(Death::After(1)), 3),
        // Calls that reach nothing outside are taken in with the answer.
        ("after the answer, before it is durable", Some(Death::Before(2)), 4),
        ("after the answer", Some(Death::After(2)), 3),
    ];
    let mut expected: Option<(String, Request)> = None;
    for (window, death, asked) in windows {
        let model = Scripted::new();
        model.next(Turn::says("Do you have a pet?"));
        let both = Turn::calls("get_user_option", &colours())
            .and_calls("persist_data", &json!({ "dataType": "none" }));
        model.whenever(is_asked_by_words, both.saying("Let me see."));
        let mut world = talk(&model).await;
        match death {
            None => {}
            Some(Death::Before(n)) => world.store.die_before(n),
            Some(Death::After(n)) => world.store.die_after(n),
        }
        world.say("Yes!").await;
        assert_eq!(world.deaths, u32::from(death.is_some()), "{window}");
        model.next(Turn::says("Red, I see."));
        world.press("Red").await;
        model.assert_played();
        let seen = model.seen();
        assert_eq!(seen.len(), asked, "{window}");
        let read = (world.screen(), seen.last().unwrap().clone());
        match &expected {
            None => expected = Some(read),
            Some(expected) => {
                assert_eq!(expected.0, read.0, "{window}");
                assert_eq!(expected.1.messages, read.1.messages, "{window}");
            }
        }
        world.assert_at_rest().await;
    }
    assert_snapshot!(expected.unwrap().0, @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Do you have a pet?
    ---
    Let me see.
    ---
    Which colour?
    ✓ Ada Byron: Red
    ---
    Red, I see.
    ");
}

#[tokio::test]
async fn row_15_a_sibling_that_does_not_wait_runs_once_and_its_result_waits_for_the_cards() {
    let model = Scripted::new();
    let round = Turn::calls("get_user_option", &colours())
        .and_calls("probe_idempotent", &json!({}))
        .and_calls("get_user_option", &sizes());
    model.next(round);
    let mut world = World::led_by(&with_probes(), &model).await;
    assert_eq!(world.lab.reached.load(Ordering::SeqCst), 1);
    world.restart().await;
    world.press("Red").await;
    world.restart().await;
    assert_eq!(model.seen().len(), 1, "the model was asked before all cards were settled");
    model.next(Turn::says("Thank you."));
    world.press("Large").await;
    model.assert_played();
    assert_eq!(world.lab.reached.load(Ordering::SeqCst), 1, "the sibling ran twice");
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    model calls c00000002 probe_idempotent {}
    model calls c00000003 get_user_option {"prompt":"Which size?","options":[{"id":"s","label":"Small"},{"id":"l","label":"Large"}]}
    c00000001 -> {"selectedIds":["red"],"timestamp":"2026-11-02T10:00:00Z"}
    c00000002 -> {"status":"done"}
    c00000003 -> {"selectedIds":["l"],"timestamp":"2026-11-02T10:00:00Z"}
    "#);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn row_16_an_answer_that_comes_while_the_model_speaks_counts_at_once_and_is_told_next() {
    let model = Scripted::new();
    let gate = Gate::new();
    model.next(Turn::calls("submit_for_validation", &rex()));
    let mut world = talk(&model).await;
    // The card goes on by itself while the model talks about what was written.
    model.next(Turn::says("Take your time with it.").in_pieces(3).held_by(&gate));
    let what = InboundKind::Said { text: "Is that the dog?".to_owned(), source: None };
    let words = world.event(&ada(), what);
    world.engine.receive(words).await.unwrap();
    gate.reached().await;
    let press = world.button("Looks right").await;
    let press = world.event(&ada(), press);
    let settled = world.engine.receive(press).await.unwrap();
    assert_eq!(crate::world::settled(settled), Settlement::Applied);
    let wait = world.state().await.asked[0];
    assert!(
        !matches!(world.wait(wait).await.status, WaitStatus::Pending),
        "it did not count at once"
    );
    model.next(Turn::says("Thank you, it is noted."));
    gate.open();
    world.rest().await;
    model.assert_played();
    assert_prefixes(&model);
    // What is in flight is never changed.
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 submit_for_validation {"dataType":"pet","data":{"name":"Rex"},"message":"Is that right?"}
    c00000001 -> {"status":"pending","note":"The card stays open. What comes of it will follow."}
    <participant>Is that the dog?</participant>
    "#);
    assert_snapshot!(news(&model, 2), @r#"
    model: Take your time with it.
    <note>What came of the open card of `submit_for_validation`: {"status":"approved","data":{"name":"Rex"},"changes":[]}</note>
    "#);
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 1/1
    ---
    # Pet
    Is that right?
    ✓ Ada Byron: Looks right
    ---
    Take your time with it.
    ---
    Thank you, it is noted.
    ");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn row_28_an_answer_for_a_tool_that_was_rewritten_is_a_result_and_the_model_asks_again() {
    let model = Scripted::new();
    model.next(Turn::calls("get_user_option", &colours()));
    let mut world = talk(&model).await;
    world.deploy_without("get_user_option", true).await;
    model.next(Turn::says("Something has changed here. Which colour do you like?"));
    world.press("Red").await;
    model.assert_played();
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    c00000001 -> {"error":"the tool has changed since it asked. hint: call it again","code":"tool_changed"}
    "#);
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Which colour?
    ✓ Ada Byron: Red
    ---
    Something has changed here. Which colour do you like?
    ");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn row_29_a_tool_that_is_gone_closes_its_card_and_the_conversation_goes_on() {
    let model = Scripted::new();
    model.next(
        Turn::calls("get_user_option", &colours())
            .and_calls("request_user_input", &json!({ "prompt": "Its name?" })),
    );
    let mut world = talk(&model).await;
    world.deploy_without("get_user_option", false).await;
    world.press("Red").await;
    assert_eq!(model.seen().len(), 1);
    model.next(Turn::says("Rex, then."));
    world.say("Rex").await;
    model.assert_played();
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    model calls c00000002 request_user_input {"prompt":"Its name?"}
    c00000001 -> {"error":"there is no tool `get_user_option` any more. hint: go on without it","code":"tool_unavailable"}
    c00000002 -> {"userInput":"Rex"}
    "#);
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Which colour?
    ✓ Ada Byron: Red
    ---
    Its name?
    ✓ Ada Byron: Rex
    ---
    Rex, then.
    ");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn row_41_an_answer_that_has_counted_is_not_asked_again_when_the_provider_fails_on_it() {
    let transient = || Error::Transient { told: Told::default(), retry_after: None };
    for (what, turn) in [
        ("down", Turn::fails(transient())),
        ("cut", Turn::fails(Error::Cut).saying("Red is")),
        ("nonsense", Turn::fails(Error::BadAnswer(Fault::Json))),
        ("refusal", Turn::says("").refusing("No.")),
    ] {
        let model = Scripted::new();
        model.next(Turn::calls("get_user_option", &colours()));
        let mut world = talk(&model).await;
        if what == "refusal" {
            model.next(turn.clone());
        }
        model.next(turn);
        world.press("Red").await;
        let screen = world.screen();
        let told = match what {
            "refusal" => "I'm having trouble responding right now; your answers are safe.",
            _ => "One moment… I'm having trouble responding.",
        };
        let told = format!("Which colour?\n✓ Ada Byron: Red\n---\n{told}");
        assert!(screen.contains(&told), "{what}: {screen}");
        world.restart().await;
        model.next(Turn::says("Red it is."));
        world.pass(TimeDelta::seconds(31)).await;
        model.assert_played();
        assert_eq!(world.screen().matches("Which colour?").count(), 1, "{what}");
        assert_eq!(world.state().await.asked.len(), 1, "{what}: asked again");
        assert_prefixes(&model);
        world.assert_at_rest().await;
    }
}

#[tokio::test]
async fn row_41_a_conversation_that_has_become_too_long_is_shortened_and_the_answer_stands() {
    let model = Scripted::new();
    model.next(Turn::says("Tell me."));
    let mut world = talk(&model).await;
    for n in 0..3 {
        model.next(Turn::says("And?"));
        world.say(&format!("Story {n}.")).await;
    }
    model.next(Turn::calls("get_user_option", &colours()));
    world.say("And the colour.").await;
    model.next(Turn::fails(Error::Overflow(Told::default())));
    model.next(Turn::says("Stories 0 and 1 were told."));
    model.next(Turn::says("Red it is."));
    world.press("Red").await;
    model.assert_played();
    assert!(world.state().await.handoff.is_none());
    assert_snapshot!(super::read(&model, 7), @r#"
    <note>The conversation begins on Monday, 2 November 2026, 10:00 (UTC), on a web page. The participant is called Ada Byron there. The texts of the interview are in the language `en`; write in the language in which the participant writes.</note>
    <note>The conversation so far, in short:
    Stories 0 and 1 were told.</note>
    <note>Part 1 of 2 begins: Pets (`pets`).
    Ask for a pet.
    Objectives:
    - `pet` (required): A pet. Done by `pet` approved by the participant with submit_for_validation.
    Forms of `data`, by `dataType`; leave out what is not known:
    - `pet`: {"name":"text (required)"}</note>
    <participant>Story 2.</participant>
    model: And?
    <participant>And the colour.</participant>
    <note>4 answers in a row have completed no objective. Go on with what you have: show it for review, offer to skip what may be skipped, or turn to the next objective.</note>
    model calls c00000001 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    c00000001 -> {"selectedIds":["red"],"timestamp":"2026-11-02T10:00:00Z"}
    "#);
    assert_snapshot!(world.screen().lines().rev().take(4).collect::<Vec<_>>().join("\n"), @"
    Red it is.
    ---
    ✓ Ada Byron: Red
    Which colour?
    ");
}

#[tokio::test]
async fn row_16_a_decision_that_comes_while_the_model_speaks_leaves_no_call_for_the_next_part() {
    let model = Scripted::new();
    let ask = json!({ "overrides": ["pet"], "reason": "there is no pet" });
    model.next(Turn::calls("next_phase", &ask));
    let mut world = talk(&model).await;
    let gate = Gate::new();
    model.next(Turn::calls("get_user_option", &colours()).saying("Meanwhile:").held_by(&gate));
    let what = InboundKind::Said { text: "What happens now?".to_owned(), source: None };
    let words = world.event(&ada(), what);
    world.engine.receive(words).await.unwrap();
    gate.reached().await;
    let press = world.button("Approve").await;
    let press = world.event(&grace(), press);
    world.engine.receive(press).await.unwrap();
    model.next(Turn::says("Goodbye then."));
    gate.open();
    world.rest().await;
    model.assert_played();
    assert_prefixes(&model);
    assert_eq!(world.state().await.phase(), Some("end"));
    assert_snapshot!(news(&model, 2), @r#"
    model: Meanwhile:
    model calls c00000002 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    c00000002 -> {"error":"the call was not made: the conversation has moved on","code":"superseded"}
    <note>The participant was told: The team approved your request, so let's move on.</note>
    <note>Part 2 of 2 begins: The end (`end`).
    Say goodbye.
    Objectives:
    - `goodbye` (required): A goodbye. Done by your own word that it is done.
    This is the last part: in the answer whose `next_phase` ends it, thank them, say what happens next and say goodbye.</note>
    <note>What came of the open card of `next_phase`: {"status":"approved","advanced_to":"end"}</note>
    "#);
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 2 of 2 · The end · 0/1
    ---
    I've asked the team. You can leave; I'll post their answer here.
    ---
    The team approved your request, so let's move on.
    ---
    Goodbye then.
    ");
    world.assert_at_rest().await;
}
