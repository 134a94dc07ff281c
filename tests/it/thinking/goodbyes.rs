//! The end of a conversation that a model leads: its own goodbye, which nothing waits for.

use anteroom::{
    base::telemetry::metric::INTERVIEW_COST_DOLLARS,
    model::{session::Status, transcript::Audience, usage::Usage},
    ports::llm::{
        Error,
        chat::{Finish, ToolChoice},
        error::Told,
    },
};
use insta::assert_snapshot;
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::json;

use super::{assert_prefixes, news, rex, talk};
use crate::{
    llm::scripted::{Gate, Scripted, Turn},
    world::{World, grace},
};

/// The last part, with its objective met.
async fn at_the_end(model: &std::sync::Arc<Scripted>) -> World {
    model.next(Turn::calls("submit_for_validation", &rex()));
    let mut world = talk(model).await;
    model.next(Turn::calls("next_phase", &json!({})));
    model.next(Turn::says("Goodbye! Anything else?"));
    world.press("Looks right").await;
    world
}

fn ends() -> Turn {
    let done = json!({ "objectiveId": "goodbye", "status": "completed" });
    Turn::calls("set_objective_status", &done).and_calls("next_phase", &json!({}))
}

#[tokio::test]
async fn a_model_that_ends_it_silently_is_asked_for_a_goodbye_once() {
    let model = Scripted::new();
    let mut world = at_the_end(&model).await;
    model.next(ends());
    model.next(Turn::says("Thanks, Ada. The team writes to you on Monday. Goodbye!"));
    world.say("No, thanks.").await;
    model.assert_played();
    assert_prefixes(&model);
    assert_eq!(world.state().await.status, Status::Completed);
    let asked = model.seen().last().cloned().unwrap();
    assert_eq!(asked.choice, ToolChoice::Never);
    assert_eq!(asked.tools, model.seen()[3].tools, "the tools of the last part changed");
    assert_snapshot!(news(&model, 4), @r#"
    model calls c00000003 set_objective_status {"objectiveId":"goodbye","status":"completed"}
    model calls c00000004 next_phase {}
    c00000003 -> {"objective":{"id":"goodbye","newStatus":"completed"},"phaseStatus":{"currentPhase":"end","progress":1.0}}
    c00000004 -> {"status":"approved","advanced_to":null}
    <note>The interview is over, and the participant reads a summary of what is kept. Say goodbye in one or two short sentences of your own: thank them and say what happens next, as far as you know. Ask nothing and call no tool.</note>
    <note>The participant was told: That's everything, thank you! The team can see the following:

    - Pet

    Type *export* for a copy, or *delete my data* to erase it.</note>
    "#);
    assert_snapshot!(world.screen().rsplit_once("Goodbye! Anything").unwrap().1, @"
     else?
    ---
    That's everything, thank you! The team can see the following:

    - Pet

    Type *export* for a copy, or *delete my data* to erase it.
    [a copy of everything]
    ---
    Thanks, Ada. The team writes to you on Monday. Goodbye!
    ");
    // It is over: nothing that is done now wakes the model.
    let asked = model.seen().len();
    world.say("Bye!").await;
    world.restart().await;
    assert_eq!(model.seen().len(), asked);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn a_finished_interview_counts_once_with_all_that_it_has_cost() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let (page, _guard) = (recorder.handle(), metrics::set_default_local_recorder(&recorder));
    let cost =
        |cents: u64| Usage { input: 10, cost_micros: Some(cents * 10_000), ..Usage::default() };
    let model = Scripted::new();
    let mut world = at_the_end(&model).await;
    model.next(ends().costing(cost(30)));
    model.next(Turn::says("Goodbye, Ada!").costing(cost(1)));
    assert!(!page.render().contains(INTERVIEW_COST_DOLLARS), "{}", page.render());
    world.say("No, thanks.").await;
    world.say("Bye!").await;
    world.restart().await;
    let page = page.render();
    assert!(page.contains("anteroom_interview_cost_dollars_sum 0.31\n"), "{page}");
    assert!(page.contains("anteroom_interview_cost_dollars_count 1\n"), "{page}");

    let shown = world.transcript(Audience::Staff).await;
    assert!(shown.contains("\n- Model use: 5 requests, "), "{shown}");
    assert!(shown.contains(" tokens, $0.31\n"), "{shown}");
    let shown = world.transcript(Audience::Participant).await;
    assert!(!shown.contains("Model use"), "{shown}");
}

#[tokio::test]
async fn a_model_that_says_goodbye_beside_its_call_is_not_asked_again() {
    let model = Scripted::new();
    let mut world = at_the_end(&model).await;
    model.next(ends().saying("Goodbye, Ada!"));
    world.say("No, thanks.").await;
    model.assert_played();
    assert_eq!(model.seen().len(), 4);
    assert_eq!(world.state().await.status, Status::Completed);
}

#[tokio::test]
async fn the_end_waits_for_no_goodbye_and_a_model_that_has_none_is_left_alone() {
    for turn in [
        Turn::says(""),
        Turn::says("Half").finishing(Finish::Filtered),
        Turn::fails(Error::Cut),
        Turn::fails(Error::Misconfigured(Told::default())),
    ] {
        let model = Scripted::new();
        let mut world = at_the_end(&model).await;
        model.next(ends()).next(turn);
        world.say("No, thanks.").await;
        model.assert_played();
        assert_eq!(world.state().await.status, Status::Completed);
        let screen = world.screen();
        assert!(screen.contains("That's everything, thank you!"), "{screen}");
        assert!(!screen.contains("trouble responding") && !screen.contains("Half"), "{screen}");
        world.restart().await;
        world.pass(chrono::TimeDelta::hours(1)).await;
        assert_eq!(model.seen().len(), 5);
        world.assert_at_rest().await;
    }
}

#[tokio::test]
async fn a_crash_while_the_model_says_goodbye_asks_once_more_with_the_same_request() {
    let model = Scripted::new();
    let mut world = at_the_end(&model).await;
    let gate = Gate::new();
    model.next(ends()).next(Turn::says("Never said.").held_by(&gate));
    let said = anteroom::engine::InboundKind::Said { text: "No, thanks.".to_owned(), source: None };
    let inbound = world.event(&crate::world::ada(), said);
    world.engine.receive(inbound).await.unwrap();
    gate.reached().await;
    model.next(Turn::says("Goodbye, Ada!"));
    world.crash().await;
    model.assert_played();
    let seen = model.seen();
    assert_eq!(seen[4], seen[5]);
    assert_eq!(world.screen().matches("Goodbye, Ada!").count(), 1, "{}", world.screen());
    assert!(!world.screen().contains("Never said"), "{}", world.screen());
}

#[tokio::test]
async fn an_end_that_the_team_had_to_approve_is_followed_by_a_goodbye() {
    let model = Scripted::new();
    let mut world = at_the_end(&model).await;
    let ask = json!({ "overrides": ["goodbye"], "reason": "They are in a hurry." });
    model.next(Turn::calls("next_phase", &ask).saying("I'll ask the team."));
    world.say("I must go.").await;
    model.next(Turn::says("Thank you for your time, Ada. Goodbye!"));
    world.restart().await;
    world.press_as(&grace(), "Approve").await;
    model.assert_played();
    assert!(
        world.screen().ends_with("Thank you for your time, Ada. Goodbye!"),
        "{}",
        world.screen()
    );
}
