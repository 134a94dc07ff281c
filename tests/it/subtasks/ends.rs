//! How child runs end: with what was promised, mended once, without, or with their conversation.

use anteroom::{
    engine::{CopyTo, InboundKind},
    model::{
        session::Status,
        transcript::{Audience, Via},
        ui::Reply,
        usage::Usage,
    },
    ports::llm::{Error, chat::Finish},
    session::Command,
};
use chrono::TimeDelta;
use insta::assert_snapshot;

use super::{colours, delegations, dig, found, tail, talk};
use crate::{
    llm::scripted::{Gate, Scripted, Turn},
    world::{World, ada},
};

#[tokio::test]
async fn a_result_that_does_not_fit_is_mended_once() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(dig(1)).next(Turn::says("{\"found\": 7, \"where\": \"here\"}"));
    model.next(Turn::says("```json\n{ \"found\": \"seven\" }\n```"));
    model.next(Turn::says("Seven."));
    world.say("Go.").await;
    model.assert_played();
    assert_snapshot!(tail(&model, 3, 2), @r#"
    model: {"found": 7, "where": "here"}
    <note>This is not the promised form: `/found`: the value is not of type "string"; `/`: Additional properties are not allowed ('where' was unexpected). Answer once more, with the whole JSON object.</note>
    "#);
    assert_snapshot!(tail(&model, 4, 1), @r#"c00000001 -> {"found":"seven"}"#);
}

#[tokio::test]
async fn a_result_that_was_cut_off_is_continued_and_judged_as_one() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    let cut = |text: &str| Turn::says(text).finishing(Finish::Length);
    model.next(dig(1)).next(cut("{ \"found\": \"sev")).next(cut("en")).next(Turn::says("\" }"));
    model.next(Turn::says("Seven."));
    world.say("Go.").await;
    model.assert_played();
    assert_snapshot!(tail(&model, 4, 2), @"
    model: en
    <note>Your message was cut off because it had become too long. Continue exactly where it stops, and repeat nothing; what you write now is added to it.</note>
    ");
    assert_snapshot!(tail(&model, 5, 1), @r#"c00000001 -> {"found":"seven"}"#);
}

#[tokio::test]
async fn a_result_that_does_not_fit_twice_is_a_failure() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(dig(1)).next(Turn::says("I found seven.")).next(Turn::says("Seven, I said."));
    model.next(Turn::says("Nothing came of it."));
    world.say("Go.").await;
    model.assert_played();
    assert_snapshot!(tail(&model, 4, 1), @r#"c00000001 -> {"error":"the result does not have the promised form: this is not one JSON object: expected value at line 1 column 1","code":"execution_failed"}"#);
    assert_snapshot!(delegations(&world).await, @r#"dig at 1: ended, reported: {"how":"failed","code":"invalid_output","message":"the result does not have the promised form: this is not one JSON object: expected value at line 1 column 1"}"#);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn what_child_runs_cost_is_what_the_conversation_costs() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    let before = world.state().await.model_turn.spent;
    let cost =
        |cost| Usage { input: 1000, output: 10, cost_micros: Some(cost), ..Usage::default() };
    model.next(dig(1).costing(cost(1))).next(dig(2).costing(cost(20)));
    model.next(found("gold").costing(cost(300))).next(found("gold").costing(cost(4000)));
    model.next(Turn::says("Gold.").costing(cost(50_000)));
    world.say("Go.").await;
    model.assert_played();
    let state = world.state().await;
    let spent = state.model_turn.spent;
    assert_eq!(spent.tokens() - before.tokens(), 5 * 1010);
    assert_eq!(spent.cost_micros, Some(54_321));
    assert_eq!(state.model_turn.spent.calls, before.calls + 5);
}

#[tokio::test]
async fn a_child_run_that_uses_its_budget_up_fails_and_says_so() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    let cost = Usage { input: 60_000, output: 10, ..Usage::default() };
    model.next(dig(1)).next(dig(2).costing(cost));
    model.next(Turn::says("It was too much."));
    world.say("Go.").await;
    model.assert_played();
    assert_snapshot!(tail(&model, 3, 1), @r#"c00000001 -> {"error":"the budget of this task is used up","code":"execution_failed"}"#);
    assert_snapshot!(delegations(&world).await, @r#"dig at 1: ended, reported: {"how":"failed","code":"budget","message":"the budget of this task is used up"}"#);
}

#[tokio::test]
async fn a_child_run_gets_no_more_than_the_conversation_has_left() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    let cost = Usage { input: 990_000, output: 10, ..Usage::default() };
    model.next(dig(1).costing(cost)).next(found("gold")).next(Turn::says("Gold."));
    world.say("Go.").await;
    let child = &world.children().await[0];
    let tokens = child.subtasks.parent_link.as_ref().unwrap().assignment.tokens;
    assert!(tokens < 10_000, "{tokens}");
}

#[tokio::test]
async fn a_provider_that_is_down_for_a_while_is_asked_again() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(dig(1)).next(Turn::fails(Error::Busy));
    world.say("Go.").await;
    assert_snapshot!(delegations(&world).await, @"dig at 1: open, not reported:");
    model.next(found("gold")).next(Turn::says("Gold."));
    world.pass(TimeDelta::seconds(31)).await;
    model.assert_played();
    world.assert_at_rest().await;
}

#[tokio::test]
async fn a_provider_that_stays_down_is_a_failure() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(dig(1));
    model
        .next(Turn::fails(Error::Busy))
        .next(Turn::fails(Error::Busy))
        .next(Turn::fails(Error::Busy));
    world.say("Go.").await;
    world.pass(TimeDelta::seconds(31)).await;
    model.next(Turn::says("It did not work."));
    world.pass(TimeDelta::seconds(121)).await;
    model.assert_played();
    assert_snapshot!(tail(&model, 5, 1), @r#"c00000001 -> {"error":"this is not available just now. hint: go on without it","code":"execution_failed"}"#);
    assert!(!world.screen().contains("catch up"), "{}", world.screen());
}

#[tokio::test]
async fn a_model_that_is_taken_away_fails_the_child_run() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(dig(1)).next(Turn::calls("get_user_option", &colours()));
    world.say("Go.").await;
    world.lose_model().await;
    world.press("Red").await;
    assert_snapshot!(delegations(&world).await, @r#"dig at 1: ended, reported: {"how":"failed","code":"unavailable","message":"this is not available any more"}"#);
}

#[tokio::test]
async fn a_template_that_is_gone_does_not_stop_a_child_run_that_has_begun() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(dig(1)).next(Turn::calls("get_user_option", &colours()));
    world.say("Go.").await;
    world.forget_tasks().await;
    model.next(found("red earth")).next(Turn::says("Red."));
    world.press("Red").await;
    model.assert_played();
    world.assert_at_rest().await;
}

#[tokio::test]
async fn a_stop_while_a_child_run_thinks_drops_what_it_would_have_said() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    let gate = Gate::new();
    model.next(dig(1)).next(found("gold").held_by(&gate));
    let event = world.event(&ada(), InboundKind::Said { text: "Go.".to_owned(), source: None });
    world.engine.receive(event).await.unwrap();
    gate.reached().await;
    let event = world.event(&ada(), InboundKind::Command(Command::Stop));
    world.engine.receive(event).await.unwrap();
    world.rest().await;
    gate.open();
    world.rest().await;
    assert_snapshot!(delegations(&world).await, @"dig at 1: ended, reported: cancelled");
    assert_eq!(world.state().await.status, Status::Stopped);
    world.assert_at_rest().await;
}

/// The participant has everything erased.
async fn erase(world: &mut World) {
    world.say("delete my data").await;
    let wait = world.state().await.pending().last().cloned().unwrap();
    let (revision, via) = (wait.revision, Via::Component);
    let reply = Reply::Confirmed { yes: true };
    world.feed(&ada(), InboundKind::Answer { wait: wait.id, revision, reply, via }).await;
}

#[tokio::test]
async fn erasing_a_conversation_erases_its_child_runs() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(dig(1)).next(dig(2)).next(Turn::calls("get_user_option", &colours()));
    world.say("Go.").await;
    assert_eq!(world.children().await.len(), 2);
    erase(&mut world).await;
    let left = world.disk().sessions(None, usize::MAX).await.unwrap();
    assert_eq!(left, []);
    assert_eq!(world.disk().due(chrono::DateTime::<chrono::Utc>::MAX_UTC, 100).await.unwrap(), []);
    // One receipt for each, without a word of what they were about.
    let chain = world.audit().await;
    let receipts = chain.iter().filter(|sealed| sealed.record.event == "session_erased");
    assert_eq!(receipts.count(), 3);
    assert!(chain.iter().all(|sealed| sealed.record.words.is_empty()));
}

#[tokio::test]
async fn erasing_while_a_child_run_thinks_leaves_nothing() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    let gate = Gate::new();
    model.next(dig(1)).next(found("gold").held_by(&gate));
    let event = world.event(&ada(), InboundKind::Said { text: "Go.".to_owned(), source: None });
    world.engine.receive(event).await.unwrap();
    gate.reached().await;
    world.engine.order_erasure(world.session, "operator").await.unwrap();
    gate.open();
    world.rest().await;
    assert_eq!(world.disk().sessions(None, usize::MAX).await.unwrap(), []);
    assert_eq!(world.disk().due(chrono::DateTime::<chrono::Utc>::MAX_UTC, 100).await.unwrap(), []);
}

#[tokio::test]
async fn a_child_run_is_erased_with_its_conversation_and_not_alone() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(dig(1)).next(Turn::calls("get_user_option", &colours()));
    world.say("Go.").await;
    let child = world.children().await[0].session;
    let refused = world.engine.order_erasure(child, "operator").await.unwrap_err();
    assert_snapshot!(refused, @"this is a child run; it goes with its conversation. hint: erase that");
    // Retention takes all of it, in its own time.
    world.pass(TimeDelta::days(181)).await;
    world.pass(TimeDelta::hours(2)).await;
    assert_eq!(world.disk().sessions(None, usize::MAX).await.unwrap(), []);
}

#[tokio::test]
async fn a_copy_of_everything_holds_what_was_given_away() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(dig(1)).next(dig(2)).next(found("gold")).next(found("gold, below"));
    model.next(Turn::says("Gold."));
    world.say("Go.").await;
    let gathered = world.engine.gather(world.session).await.unwrap();
    let bytes =
        world.engine.copy(&gathered, Audience::Participant, CopyTo::Page).await.unwrap().bytes;
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut told = String::new();
    for name in ["child-runs/01-dig.json", "child-runs/02-dig.json"] {
        std::io::Read::read_to_string(&mut archive.by_name(name).unwrap(), &mut told).unwrap();
    }
    assert_snapshot!(told, @r#"
    {
      "task": "dig",
      "description": "Dig once more",
      "input": {
        "level": 1
      },
      "conclusion": {
        "how": "completed",
        "output": {
          "found": "gold, below"
        }
      },
      "begunAt": "2026-11-02T10:00:00Z"
    }
    {
      "task": "dig",
      "description": "Dig once more",
      "input": {
        "level": 2
      },
      "conclusion": {
        "how": "completed",
        "output": {
          "found": "gold"
        }
      },
      "begunAt": "2026-11-02T10:00:00Z"
    }
    "#);
}
