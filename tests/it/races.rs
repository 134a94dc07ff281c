//! Two at once, a thousand times over: two answers, two processes, and one answer delivered again much later.
//!
//! Rows are those of `docs/semantics.md`.

use anteroom::{
    engine::{Engine, Inbound, InboundKind, Receipt},
    model::{transcript::Event, wait::Settlement},
    session::Command,
};
use chrono::TimeDelta;

use crate::world::{World, ada, grace, linus};

/// Trials of each race.
const TRIALS: u32 = 1000;

/// A request that both deciders look at: Grace is about to approve, Linus to deny.
async fn request() -> (World, Inbound, Inbound) {
    let mut world = World::new().await;
    let reason = "I have no file".to_owned();
    world.command(&ada(), Command::Advance { reason }).await;
    let approve = world.button("Approve").await;
    let approve = world.event(&grace(), approve);
    let deny = world.button("Deny").await;
    let deny = world.event(&linus(), deny);
    (world, approve, deny)
}

/// Both answers at once: exactly one counts, and the other is told who won.
async fn race(
    world: &World,
    (first, approve): (&Engine, Inbound),
    (second, deny): (&Engine, Inbound),
) {
    let (graces, linuses) = tokio::join!(first.receive(approve), second.receive(deny));
    first.settle_down().await;
    second.settle_down().await;
    let (graces, linuses) = (graces.unwrap(), linuses.unwrap());

    let applied = Receipt::Settled(Settlement::Applied);
    let (winner, loser) = match (graces == applied, linuses == applied) {
        (true, false) => ("Grace", linuses),
        (false, true) => ("Linus", graces),
        (_, _) => panic!("not exactly one answer counts: {graces:?}, {linuses:?}"),
    };
    let Receipt::Settled(Settlement::AlreadySettled { by_name, .. }) = loser else {
        panic!("the other was not told who won: {loser:?}")
    };
    assert_eq!(by_name, winner);
    let events = world.events().await;
    let answers =
        events.iter().filter(|recorded| matches!(*recorded.event, Event::Answered { .. }));
    assert_eq!(answers.count(), 1);
    assert_eq!(world.state().await.phase() == Some("two"), winner == "Grace");
}

/// Row 2 of `docs/semantics.md`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_answers_at_once_one_counts_and_the_other_is_told_who_won() {
    for trial in 0..TRIALS {
        let (world, approve, deny) = request().await;
        let engine = world.engine.clone();
        if trial % 2 == 0 {
            race(&world, (&engine, approve), (&engine, deny)).await;
        } else {
            let (approve, deny) = (deny, approve);
            let swapped = tokio::join!(engine.receive(approve), engine.receive(deny));
            let applied = Receipt::Settled(Settlement::Applied);
            let wins = [&swapped.0, &swapped.1].map(|r| *r.as_ref().unwrap() == applied);
            assert_eq!(wins.iter().filter(|won| **won).count(), 1, "{swapped:?}");
            engine.settle_down().await;
        }
    }
}

/// Rows 2 and 42 of `docs/semantics.md`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_answers_to_two_processes_one_counts_and_the_other_is_told_who_won() {
    for _ in 0..TRIALS {
        let (world, approve, deny) = request().await;
        let other = world.another_engine();
        race(&world, (&world.engine, approve), (&other, deny)).await;
    }
}

#[tokio::test]
async fn of_one_question_asked_by_two_processes_one_card_waits_for_its_answer() {
    let mut world = World::probing("slow_card").await;
    let click = world.button("Yes").await;
    let click = world.event(&ada(), click);
    let other = world.another_engine();
    world.engine.receive(click).await.unwrap();
    world.lab.began.acquire().await.unwrap().forget();
    other.recover().await;
    world.lab.began.acquire().await.unwrap().forget();

    world.lab.gate.add_permits(2);
    world.rest().await;
    other.settle_down().await;

    assert_eq!(world.screen().matches("Is it so?").count(), 1);
    assert_eq!(world.results().await.len(), 1, "nobody has answered it");
    assert_eq!(world.press("Aye").await, Settlement::Applied);
    assert_eq!(world.results().await[1].1, serde_json::json!({ "yes": true }));
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Was it good?");
}

#[tokio::test]
async fn an_answer_delivered_again_an_hour_later_does_nothing_to_newer_questions() {
    for trial in 0..TRIALS {
        let mut world = World::new().await;
        let click = world.button(if trial % 2 == 0 { "Blue" } else { "Red" }).await;
        let click = world.event(&ada(), click);
        world.deliver(click.clone()).await.unwrap();
        if trial % 3 == 0 {
            world.press("Small").await;
        }
        if trial % 5 == 0 {
            world.restart().await;
        }
        world.clock.advance(TimeDelta::hours(1));
        let before = (world.events().await, world.screen());

        let receipt = world.deliver(click.clone()).await.unwrap();

        assert_eq!(receipt, Receipt::Duplicate);
        assert_eq!((world.events().await, world.screen()), before);
        let InboundKind::Answer { wait, .. } = click.what else {
            unreachable!("a click is an answer")
        };
        assert!(world.open().await.is_some_and(|open| open.id != wait));
    }
}
