//! The process dies before and after every commit of a conversation with child runs: what everybody reads is the same,
//! and each call has one result.

use std::sync::Arc;

use anteroom::{
    model::{task::Subtask, transcript::Event},
    ports::llm::chat::{Message, Request},
    store::{Timer, TimerKind},
};
use serde_json::{Value, json};

use super::{DIG, TALK, colours, delegations, dig, found, is_of};
use crate::{
    llm::scripted::{Scripted, Turn},
    world::{World, mortal::Death},
};

/// Results that the model has been shown.
fn results(request: &Request) -> usize {
    request.messages.iter().filter(|message| matches!(message, Message::Tool { .. })).count()
}

/// A model that answers by what it reads, so that it may be asked again: the root has a child dig, which asks a person
/// and then has another one dig.
fn player() -> Arc<Scripted> {
    let model = Scripted::new();
    let task = |level: u32| json!({ "level": level });
    let at = |input: Value, seen: usize| {
        move |request: &Request| is_of(request, &input) && results(request) == seen
    };
    model.whenever(at(task(1), 0), Turn::calls("get_user_option", &colours()));
    model.whenever(at(task(1), 1), dig(2));
    model.whenever(at(task(1), 2), found("red gold"));
    model.whenever(at(task(2), 0), found("gold"));
    let root = |seen: usize, asked: bool| {
        move |request: &Request| {
            let text = crate::llm::scripted::shown(request, 1);
            !text.contains("<input>") && text.contains("Go.") == asked && results(request) == seen
        }
    };
    model.whenever(root(0, false), Turn::says("Hello."));
    model.whenever(root(0, true), dig(1));
    model.whenever(root(1, true), Turn::says("Red gold."));
    model
}

async fn walk(world: &mut World) {
    world.say("Go.").await;
    world.press("Red").await;
}

/// What people read, what came of calls, how child runs ended, and how often each was noted to have ended.
async fn seen(world: &World) -> (String, String, String, usize) {
    let results: Vec<String> =
        world.results().await.iter().map(|(call, result)| format!("{call}: {result}")).collect();
    let is_end = |event: &Event| matches!(event, Event::Subtask(Subtask::Ended { .. }));
    let ends = world.events().await.iter().filter(|recorded| is_end(&recorded.event)).count();
    (world.screen(), results.join("\n"), delegations(world).await, ends)
}

#[tokio::test]
async fn the_parent_gets_exactly_one_result_wherever_the_process_dies() {
    let model = player();
    let mut world = World::delegating((TALK, &[DIG]), &model, None).await;
    walk(&mut world).await;
    let straight = seen(&world).await;
    insta::assert_snapshot!(format!("{}\n{}", straight.1, straight.2), @r#"
    c00000001: {"found":"red gold"}
    dig at 1: completed, reported: {"how":"completed","output":{"found":"red gold"}}
    dig at 2: completed, reported: {"how":"completed","output":{"found":"gold"}}
    "#);
    assert_eq!(straight.3, 1);
    let commits = world.store.tried();
    assert!(commits > 20, "{commits} commits");
    for death in (1..=commits).flat_map(|n| [Death::Before(n), Death::After(n)]) {
        let model = player();
        let mut world = World::delegating((TALK, &[DIG]), &model, Some(death)).await;

        walk(&mut world).await;

        assert_eq!(world.deaths, 1, "{death:?}");
        assert_eq!(seen(&world).await, straight, "{death:?}");
        world.assert_at_rest().await;
        assert_eq!(world.children().await.len(), 2, "{death:?}");
        let due = world.disk().due(chrono::DateTime::<chrono::Utc>::MAX_UTC, 100).await.unwrap();
        let is_work = |timer: &Timer| timer.kind == TimerKind::Work;
        assert!(!due.iter().any(is_work), "{death:?}: {due:?}");
    }
}

#[tokio::test]
async fn stop_ends_child_runs_wherever_the_process_dies() {
    let straight = {
        let mut world = World::delegating((TALK, &[DIG]), &player(), None).await;
        world.say("Go.").await;
        let before = world.store.tried();
        world.say("stop").await;
        (seen(&world).await, world.store.tried() - before)
    };
    for death in 1..=2 * straight.1 {
        let mut world = World::delegating((TALK, &[DIG]), &player(), None).await;
        world.say("Go.").await;
        let n = death.div_ceil(2);
        if death % 2 == 0 {
            world.store.die_after(n);
        } else {
            world.store.die_before(n);
        }

        world.say("stop").await;

        assert_eq!(world.deaths, 1, "{death}");
        assert_eq!(seen(&world).await, straight.0, "{death}");
        world.assert_at_rest().await;
    }
    insta::assert_snapshot!(straight.0.2, @"dig at 1: ended, reported: cancelled");
}

#[tokio::test]
async fn nothing_is_left_of_an_erased_conversation_wherever_the_process_dies() {
    let commits = {
        let mut world = World::delegating((TALK, &[DIG]), &player(), None).await;
        world.say("Go.").await;
        world.store.tried()
    };
    // The order comes while child runs are begun, wherever that stands.
    for n in 1..=commits {
        let death = Some(Death::After(n));
        let mut world = World::delegating((TALK, &[DIG]), &player(), death).await;
        let go = world.event(
            &crate::world::ada(),
            anteroom::engine::InboundKind::Said { text: "Go.".to_owned(), source: None },
        );
        _ = world.engine.receive(go).await;
        world.rest().await;
        world.engine.order_erasure(world.session, "operator").await.unwrap();
        world.rest().await;
        let left = world.disk().sessions(None, usize::MAX).await.unwrap();
        assert!(left.is_empty(), "{n}: {left:?}");
        let due = world.disk().due(chrono::DateTime::<chrono::Utc>::MAX_UTC, 100).await.unwrap();
        assert!(due.is_empty(), "{n}: {due:?}");
    }
}
