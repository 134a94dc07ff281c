//! What a clock can do to a bot that waits: leap, go back, change to summer time, and run on while the bot is down.

use anteroom::{
    engine::{Engine, Gateway, Limits},
    model::session::{PersonId, Status},
    session::Command,
};
use chrono::TimeDelta;
use std::sync::Arc;

use crate::world::{World, ada, room};

fn reminders(world: &World) -> usize {
    world.screen().matches("A reminder").count()
}

/// Conversations that wait when a thousand reminders come due at once.
const MANY: usize = 1_000;

#[tokio::test]
async fn work_in_progress_is_not_late_by_a_clock_that_was_set_back() {
    let mut world = World::new().await;
    let what = world.button("Blue").await;
    let inbound = world.event(&ada(), what);
    world.store.die_after(1);
    // Stored, not acknowledged, and nothing has come of it.
    assert!(world.engine.receive(inbound).await.is_err());
    world.clock.advance(-TimeDelta::hours(5));

    world.restart().await;

    assert!(world.screen().contains("Which size?"), "{}", world.screen());
    world.press("Small").await;
    assert!(world.screen().contains("A file, please."), "{}", world.screen());
}

#[tokio::test]
async fn a_running_bot_goes_on_when_its_clock_is_set_back() {
    let mut world = World::new().await;
    world.clock.advance(-TimeDelta::hours(5));
    world.press("Blue").await;
    world.clock.advance(-TimeDelta::days(5));
    world.press("Small").await;

    assert!(world.screen().contains("A file, please."), "{}", world.screen());
    assert_eq!(reminders(&world), 0);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn after_a_leap_of_five_months_there_is_one_reminder_and_the_talk_can_go_on() {
    let mut world = World::new().await;
    let before = world.platform.messages().len();

    // After six it would be erased, as promised.
    world.pass(TimeDelta::days(150)).await;
    world.pass(TimeDelta::zero()).await;

    assert!(reminders(&world) <= 1, "{}", world.screen());
    let news = world.platform.messages().len() - before;
    assert!(news <= 2, "{news} messages: {}", world.screen());
    assert_eq!(world.state().await.status, Status::Paused);
    world.command(&ada(), Command::Resume).await;
    world.press("Blue").await;
    assert!(world.screen().contains("Which size?"), "{}", world.screen());
}

#[tokio::test]
async fn a_leap_and_a_step_back_remind_once() {
    let mut world = World::new().await;
    world.pass(TimeDelta::hours(25)).await;
    assert_eq!(reminders(&world), 1);

    world.pass(-TimeDelta::hours(25)).await;
    world.pass(TimeDelta::hours(25)).await;

    assert_eq!(reminders(&world), 1, "{}", world.screen());
}

#[tokio::test]
async fn summer_time_moves_no_deadline() {
    // Europe sets its clocks on 28 March 2027 at 01:00 UTC.
    let mut world = World::new().await;
    world.clock.advance(
        "2027-03-27T12:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap()
            - "2026-11-02T10:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap(),
    );
    world.command(&ada(), Command::Resume).await;
    world.press("Blue").await;
    assert_eq!(reminders(&world), 0);

    world.pass(TimeDelta::minutes(24 * 60 - 1)).await;
    assert_eq!(reminders(&world), 0, "{}", world.screen());
    world.pass(TimeDelta::minutes(12)).await;
    assert_eq!(reminders(&world), 1, "{}", world.screen());
}

#[tokio::test]
async fn a_thousand_conversations_due_at_once_are_worked_through_a_few_at_a_time() {
    let mut world = World::new().await;
    for n in 1..MANY {
        let mut person = ada();
        person.person = PersonId::web(format!("person-{n}"));
        let place = room(&format!("room-{n}"));
        world.engine.start("short", &person, place, &format!("start-{n}")).await.unwrap();
        world.engine.settle_down().await;
    }
    world.store.kill();
    world.clock.advance(TimeDelta::hours(80));
    world.restart().await;
    let limits = Limits { active: 64, ..Limits::default() };
    let platform = Arc::clone(&world.platform) as Arc<dyn Gateway>;
    let engine = Engine::limited(world.engine.parts().clone(), vec![platform], limits.clone());

    let mut looks = 0;
    loop {
        let fired = engine.run_due().await;
        assert!(fired <= limits.active, "{fired} at one time");
        engine.settle_down().await;
        if fired == 0 {
            break;
        }
        looks += 1;
    }

    // The start has taken its share.
    assert!(looks >= (MANY - 256) / limits.active, "{looks} looks");
    assert_eq!(reminders(&world), MANY, "one for each, and none twice");
}
