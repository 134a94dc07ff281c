//! A data directory on a slow device: what people press is acknowledged when it is durable, and counts once.

use std::sync::Arc;

use anteroom::{model::transcript::Event, store::Store as _};
use chrono::TimeDelta;

use crate::{
    slack::{
        bot::{Bot, By, Plan},
        emulator::{
            person::Person,
            state::State,
            wire::{Delivery, Outcome},
        },
        outage::FLOW,
    },
    support::slow_device::SlowDevice,
};

/// Ada in front of the first question; nobody waits for the bot any more.
async fn asked() -> (Bot, Person, Arc<SlowDevice>) {
    let device = Arc::new(SlowDevice::default());
    let (flow, of) = (Some(FLOW.to_owned()), Some(Arc::clone(&device)));
    let plan = Plan { by: By::Http, flow, device: of, ..Plan::default() };
    let mut bot = Bot::planned(plan).await;
    let ada = bot.ada();
    ada.command("/onboard start").await;
    ada.sees("Which colour?").await;
    bot.run();
    (bot, ada, device)
}

/// What became of each click so far.
fn clicks(state: &State) -> Vec<Outcome> {
    let is_click = |delivery: &&Delivery| delivery.push.kind == "interactive";
    let outcome = |delivery: &Delivery| delivery.outcome.clone();
    state.deliveries.iter().filter(is_click).map(outcome).collect()
}

/// Whether a click has not been answered yet.
fn is_pending(state: &State) -> bool {
    clicks(state).contains(&Outcome::Pending)
}

/// How many answers are stored.
async fn answers(bot: &Bot) -> usize {
    let session = bot.hold.sessions(None, 1).await.unwrap().first().unwrap().id;
    let loaded = bot.hold.load(session).await.unwrap().unwrap();
    let is_answer = |event: &&Event| matches!(event, Event::Answered { .. });
    loaded.events.iter().map(|recorded| &*recorded.event).filter(is_answer).count()
}

#[tokio::test]
async fn a_click_is_acknowledged_once_the_device_has_it_and_counts_once_when_repeated() {
    let (bot, ada, device) = asked().await;
    device.hold();
    let pressed = async { futures::join!(ada.try_press("Red"), ada.try_press("Red")) };
    let watched = async {
        device.is_syncing(0).await;
        bot.slack.until("two clicks", |state| (clicks(state).len() == 2).then_some(())).await;
        assert_eq!(bot.slack.look(clicks), [Outcome::Pending, Outcome::Pending]);
        assert_eq!(answers(&bot).await, 0, "a power cut could still take it back");
        // One sync after the other, each as late as the device likes.
        let mut held = 1;
        while bot.slack.look(is_pending) {
            device.let_one_through();
            tokio::select! {
                () = device.is_syncing(held) => held = device.held(),
                () = bot.slack.until("both taken", |state| (!is_pending(state)).then_some(())) => {}
            }
        }
        device.release();
    };
    let ((first, second), ()) = futures::join!(pressed, watched);
    assert_eq!((first, second), (Ok(()), Ok(())));
    ada.sees("Why?").await;
    assert_eq!(answers(&bot).await, 1);
}

/// Slack hangs up after three seconds, and a device can stall for longer than that.
#[tokio::test]
async fn a_click_that_slack_gave_up_during_a_stall_counts_once_when_it_is_repeated() {
    let (bot, ada, device) = asked().await;
    device.hold();
    tokio::select! {
        taken = ada.try_press("Red") => panic!("acknowledged before it was durable: {taken:?}"),
        () = device.is_syncing(0) => {}
    }
    bot.clock.advance(TimeDelta::seconds(8));
    let back = async {
        bot.slack.until("two clicks", |state| (clicks(state).len() == 2).then_some(())).await;
        assert_eq!(answers(&bot).await, 0);
        device.release();
    };
    let (again, ()) = futures::join!(ada.try_press("Red"), back);
    assert_eq!(again, Ok(()));
    assert_eq!(answers(&bot).await, 1, "it is durable once it is acknowledged");
    ada.sees("Why?").await;
    assert_eq!(answers(&bot).await, 1);
}
