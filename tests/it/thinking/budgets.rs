//! What models may use up, by turn and by session: who is told, and how the conversation goes on.

use std::num::NonZeroU64;

use anteroom::model::{
    transcript::{CallResult, Event},
    usage::{Budget, Budgets, Usage},
};
use chrono::TimeDelta;
use insta::assert_snapshot;

use super::{TALK, assert_prefixes, colours, news, read, rex, sizes, talk, with_script};
use crate::{
    llm::scripted::{Gate, Scripted, Turn},
    world::{World, ada},
};

fn tokens(input: u64) -> Usage {
    Usage { input, ..Usage::default() }
}

/// The budget of a session, beside the million tokens of its flow.
fn session(session: Budget) -> Budgets {
    Budgets { session, ..Budgets::default() }
}

fn turn(turn: Budget) -> Budgets {
    Budgets { turn, ..Budgets::default() }
}

/// A conversation with budgets.
async fn bounded(source: &str, model: &std::sync::Arc<Scripted>, budgets: Budgets) -> World {
    let mut world = World::unbegun(source, model);
    world.bound(budgets);
    world.begin_unrested("talk").await;
    world.rest().await;
    world
}

#[tokio::test]
async fn staff_are_told_at_four_fifths_of_the_budget_and_a_person_takes_over_at_its_end() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?").costing(tokens(850_000)));
    let mut world = talk(&model).await;
    assert_snapshot!(world.staff_screen(), @"This conversation has used 850000 of 1000000 tokens.");
    model.next(Turn::says("Short.").costing(tokens(1)));
    model.next(Turn::says("And?").costing(tokens(200_000)));
    world.say("Yes.").await;
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Do you have a pet?
    ---
    Short.
    ");
    assert_eq!(world.audited("budget_used_up").await, 0);
    world.say("And a cat.").await;
    assert_eq!(world.audited("budget_low").await, 1);
    assert_eq!(world.audited("budget_used_up").await, 1);
    // A person is there; later the participant goes on without one.
    world.say("Hello?").await;
    world.say("continue").await;
    world.say("Anybody?").await;
    assert_eq!(model.seen().len(), 3, "a model without budget was asked");
    assert_snapshot!(world.screen().rsplit("\n---\n").next().unwrap_or_default(), @"I've saved that, but I can't continue this conversation on my own. Type *human* to reach a person.");
    assert_snapshot!(world.staff_screen(), @"
    This conversation has used 850000 of 1000000 tokens.
    ---
    **Ada Byron** asked for a human in *A talk*: the assistant has used up what it may in one conversation.

    - Step 1 of 2 · Pets
    - Still open: A pet
    ---
    Ada Byron: Hello?
    ");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn calls_of_the_answer_that_uses_the_last_of_it_are_never_made() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?"));
    let mut world = World::led_by(&with_script(), &model).await;
    let both = Turn::calls("get_user_option", &colours()).and_calls("get_user_option", &sizes());
    model.next(both.saying("Let me ask.").costing(tokens(1_000_000)));
    world.say("Yes!").await;
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Do you have a pet?
    ---
    I'll continue with a fixed list of questions for now. Nothing you've told me is lost.
    ---
    What is it called?
    […]
    ");
    world.say("Rex").await;
    world.press("Looks right").await;
    // The next part has no script; the model is not asked for it, not even once.
    model.assert_played();
    assert_eq!(model.seen().len(), 2);
    assert_eq!(world.state().await.phase(), Some("end"));
    assert_snapshot!(world.screen().split("\n---\n").skip(4).collect::<Vec<_>>().join("\n---\n"), @"
    What is it called?
    ✓ Ada Byron: Rex
    ---
    # Pet
    Right?
    ✓ Ada Byron: Looks right
    ---
    I can't continue on my own here, so I've asked the team.
    ");
    let made = world.events().await.into_iter().filter(|recorded| match &*recorded.event {
        Event::Asked(wait) => wait.prompt.body.common_mark().contains("Which"),
        _ => false,
    });
    assert_eq!(made.count(), 0, "a call of an answer beyond the budget was made");
    // Each stands answered, once.
    let returned =
        world.events().await.into_iter().filter_map(
            |recorded| match std::sync::Arc::unwrap_or_clone(recorded.event) {
                Event::Returned { result: CallResult::Err { code, message }, .. } => {
                    Some((code, message))
                }
                _ => None,
            },
        );
    let not_made = "the call was not made: the conversation has used up what it may use";
    let not_made = ("budget".to_owned(), not_made.to_owned());
    assert_eq!(returned.collect::<Vec<_>>(), [not_made.clone(), not_made]);
}

#[tokio::test]
async fn a_raised_budget_gives_the_model_back_and_each_call_has_one_result() {
    let model = Scripted::new();
    let calls = |calls| Budget { calls: NonZeroU64::new(calls), ..Budget::default() };
    let both = Turn::calls("get_user_option", &colours()).and_calls("get_user_option", &sizes());
    model.next(both.saying("Let me ask."));
    let mut world = bounded(TALK, &model, session(calls(1))).await;
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    I can't continue on my own here, so I've asked the team.
    ");
    assert_eq!(world.state().await.pending().count(), 0);
    world.bound(session(calls(10)));
    model.next(Turn::says("Where were we?"));
    world.say("continue").await;
    model.assert_played();
    assert_prefixes(&model);
    assert_snapshot!(news(&model, 1), @r#"
    model: Let me ask.
    model calls c00000001 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    model calls c00000002 get_user_option {"prompt":"Which size?","options":[{"id":"s","label":"Small"},{"id":"l","label":"Large"}]}
    c00000001 -> {"error":"the call was not made: the conversation has used up what it may use","code":"budget"}
    c00000002 -> {"error":"the call was not made: the conversation has used up what it may use","code":"budget"}
    <note>The participant was told: I can't continue on my own here, so I've asked the team.</note>
    <note>The conversation was with the team; it is yours again.</note>
    <note>The participant was told: The assistant is back. Let's pick up where we left off.</note>
    "#);
}

#[tokio::test]
async fn a_phase_with_a_script_goes_on_by_it_when_the_money_is_gone() {
    let model = Scripted::new();
    let cost = |cost_micros| Usage { cost_micros: Some(cost_micros), ..Usage::default() };
    let budget = Budget { cost_micros: NonZeroU64::new(500_000), ..Budget::default() };
    model.next(Turn::says("Do you have a pet?").costing(cost(450_000)));
    let mut world = bounded(&with_script(), &model, session(budget)).await;
    assert_snapshot!(world.staff_screen(), @"This conversation has used 0.45 of 0.50 in money.");
    model.next(Turn::says("Good.").costing(cost(50_000)));
    world.say("Yes!").await;
    model.assert_played();
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Do you have a pet?
    ---
    Good.
    ---
    I'll continue with a fixed list of questions for now. Nothing you've told me is lost.
    ---
    What is it called?
    […]
    ");
    assert_eq!(world.state().await.model_turn.spent.cost_micros, Some(500_000));
}

#[tokio::test]
async fn a_turn_that_uses_up_its_budget_ends_with_words_and_the_next_one_begins_anew() {
    let model = Scripted::new();
    let budget = Budget { tokens: NonZeroU64::new(1000), ..Budget::default() };
    model.next(Turn::calls("get_user_option", &colours()).costing(tokens(900)));
    let mut world = bounded(TALK, &model, turn(budget)).await;
    // An answer begins a turn, whose own calls count together.
    model.next(Turn::calls("persist_data", &rex()).costing(tokens(900)));
    model.next(Turn::calls("persist_data", &rex()).costing(tokens(200)));
    model.next(Turn::says("Red and small.").costing(tokens(300)));
    world.press("Red").await;
    model.assert_played();
    assert_prefixes(&model);
    let choices: Vec<_> = model.seen().into_iter().map(|request| request.choice).collect();
    assert_snapshot!(format!("{choices:?}"), @"[Auto, Auto, Auto, Never]");
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Which colour?
    ✓ Ada Byron: Red
    ---
    Red and small.
    ---
    That's as far as I can take it on my own for now. Write to me to continue, or type *human* to reach a person.
    ");
    assert_snapshot!(world.staff_screen(), @"");
    assert_eq!(world.audited("budget_low").await, 2);
    assert_eq!(world.audited("budget_used_up").await, 1);
    model.next(Turn::says("Better now."));
    world.say("Let us try again.").await;
    model.assert_played();
    assert!(world.state().await.handoff.is_none());
    assert!(!read(&model, 4).is_empty());
}

#[tokio::test]
async fn time_is_what_the_model_takes_and_not_what_people_take() {
    let model = Scripted::new();
    let gate = Gate::new();
    let budget = Budget { millis: NonZeroU64::new(60_000), ..Budget::default() };
    model.next(Turn::calls("get_user_option", &colours()).held_by(&gate));
    let mut world = World::unbegun(TALK, &model);
    world.bound(session(budget));
    world.begin_unrested("talk").await;
    gate.reached().await;
    world.clock.advance(TimeDelta::seconds(50));
    gate.open();
    world.rest().await;
    assert_snapshot!(world.staff_screen(), @"This conversation has used 50 of 60 seconds of work.");
    world.pass(TimeDelta::hours(3)).await;
    let slow = Gate::new();
    model.next(Turn::says("Red.").held_by(&slow));
    let press = world.button("Red").await;
    let inbound = world.event(&ada(), press);
    world.engine.receive(inbound).await.unwrap();
    slow.reached().await;
    world.clock.advance(TimeDelta::seconds(10));
    slow.open();
    world.rest().await;
    assert_eq!(world.state().await.model_turn.spent.millis, 60_000);
    assert!(world.state().await.handoff.is_some());
}

#[tokio::test]
async fn answers_of_no_use_are_paid_for() {
    let model = Scripted::new();
    let gate = Gate::new();
    model.next(Turn::says("").costing(tokens(50))).next(Turn::says("").costing(tokens(50)));
    let mut world = talk(&model).await;
    assert_eq!(world.state().await.model_turn.spent.tokens(), 100);
    model.next(Turn::says("I am back.").costing(tokens(1000)).held_by(&gate));
    let what = anteroom::engine::InboundKind::Said { text: "Hello?".to_owned(), source: None };
    let inbound = world.event(&ada(), what);
    world.engine.receive(inbound).await.unwrap();
    gate.reached().await;
    gate.open();
    world.rest().await;
    let spent = world.state().await.model_turn.spent;
    assert_eq!((spent.tokens(), spent.calls), (1100, 3));
}
