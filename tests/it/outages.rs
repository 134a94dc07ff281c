//! What people read while a channel or a whole platform takes nothing, and what happens once it does again.

use anteroom::{
    chat::refusal::Class,
    engine::InboundKind,
    model::{
        effect::{CauseKind, Recipient},
        transcript::{Event, Via},
        ui::{Decision, Reply},
        wait::{Answerers, Settlement},
    },
    session::Command,
};
use chrono::TimeDelta;

use crate::world::{World, ada, grace, room, settled};

const NOT_REACHED: &str = "I couldn't reach the team just now.";
const ASKED: &str = "I've asked the team.";

fn channel(alias: &str) -> Recipient {
    Recipient::Channel { alias: alias.to_owned() }
}

fn unavailable() -> Class {
    Class::Blocked(CauseKind::ChannelUnavailable)
}

#[tokio::test]
async fn participant_is_told_the_truth_when_the_only_staff_channel_is_gone() {
    let mut world = World::new().await;
    world.platform.refuse(Some(channel("desk")), unavailable());
    world.command(&ada(), Command::Human).await;
    assert!(world.screen().ends_with("please contact them directly."), "{}", world.screen());
    assert!(!world.screen().contains(ASKED), "{}", world.screen());

    // Five hours later nobody has been reminded, and nobody says so.
    world.pass(TimeDelta::hours(5)).await;
    assert!(!world.screen().contains("reminded"), "{}", world.screen());
    assert_eq!(world.screen().matches(NOT_REACHED).count(), 2, "{}", world.screen());
    assert_eq!(world.staff_screen(), "");
    let [outage] = world.engine.outages().try_into().unwrap();
    assert!(outage.cause.to_string().starts_with("the channel `desk` is archived"), "{outage:?}");
    assert_eq!(outage.effects, 1);

    // Asking again is not silent, and not a lie either.
    world.command(&ada(), Command::Human).await;
    assert_eq!(world.screen().matches(NOT_REACHED).count(), 3, "{}", world.screen());

    world.platform.mend();
    for _ in 0..6 {
        world.pass(TimeDelta::seconds(10)).await;
    }
    assert!(world.staff_screen().contains("asked for a human"), "{}", world.staff_screen());
    assert!(world.screen().ends_with("or you type *continue*."), "{}", world.screen());
    assert_eq!(world.screen().matches(ASKED).count(), 1, "{}", world.screen());
    assert_eq!(world.engine.outages(), []);
}

#[tokio::test]
async fn another_staff_channel_is_asked_when_the_first_one_takes_nothing() {
    for class in [unavailable(), Class::Final] {
        let mut world = World::on("candidate-onboarding").await;
        world.platform.refuse(Some(channel("recruiting_desk")), class);
        world.command(&ada(), Command::Human).await;
        assert!(world.screen().contains(ASKED), "{}", world.screen());
        assert!(!world.screen().contains(NOT_REACHED), "{}", world.screen());
        let staff = world.staff_screen();
        assert!(staff.contains("I can't post that in `recruiting_desk` right now."), "{staff}");
    }
}

#[tokio::test]
async fn words_of_distress_get_the_emergency_line_whoever_can_be_reached() {
    let mut world = World::on("candidate-onboarding").await;
    world.platform.refuse(Some(channel("recruiting_desk")), unavailable());
    world.platform.refuse(Some(channel("recruiting_approvals")), unavailable());
    world.say("I want to end my life").await;
    let screen = world.screen();
    let emergency = screen.find("call your local emergency number now").expect(&screen);
    let truth = screen.find(NOT_REACHED).expect(&screen);
    assert!(emergency < truth, "{screen}");
    assert!(!screen.contains("I've asked a person"), "{screen}");

    world.platform.mend();
    for _ in 0..6 {
        world.pass(TimeDelta::seconds(10)).await;
    }
    assert!(world.screen().contains("I've asked a person from the team"), "{}", world.screen());
}

#[tokio::test]
async fn a_request_that_reaches_nobody_says_so_and_is_shown_when_the_channel_is_back() {
    let mut world = World::new().await;
    world.platform.refuse(Some(channel("desk")), unavailable());
    let advance = Command::Advance { reason: "I have to leave".to_owned() };
    world.command(&ada(), advance.clone()).await;
    assert!(!world.screen().contains("I've asked the team. You can leave"), "{}", world.screen());
    assert_eq!(world.screen().matches(NOT_REACHED).count(), 1, "{}", world.screen());
    // Asking again posts nothing twice and is answered.
    world.command(&ada(), advance).await;
    assert_eq!(world.screen().matches(NOT_REACHED).count(), 2, "{}", world.screen());

    world.platform.mend();
    for _ in 0..6 {
        world.pass(TimeDelta::seconds(10)).await;
    }
    assert_eq!(world.staff_screen().matches("[Approve]").count(), 1, "{}", world.staff_screen());
    assert!(world.screen().contains("I've asked the team. You can leave"), "{}", world.screen());
    world.press_as(&grace(), "Approve").await;
    world.assert_at_rest().await;
}

#[tokio::test]
async fn a_request_that_was_decided_elsewhere_is_not_posted_as_open_when_the_channel_is_back() {
    let mut world = World::new().await;
    world.platform.refuse(Some(channel("desk")), unavailable());
    world.command(&ada(), Command::Advance { reason: "I have to leave".to_owned() }).await;
    // On the staff page.
    let state = world.state().await;
    let wait = state.pending().find(|wait| wait.answerers != Answerers::Participant).unwrap();
    let reply = Reply::Decided { decision: Decision::Approved, feedback: None };
    let (id, revision, via) = (wait.id, wait.revision, Via::Component);
    let what = InboundKind::Answer { wait: id, revision, reply, via };
    assert_eq!(settled(world.feed(&grace(), what).await), Settlement::Applied);
    world.platform.mend();
    for _ in 0..6 {
        world.pass(TimeDelta::seconds(10)).await;
    }
    let open = world
        .platform
        .messages()
        .into_iter()
        .filter(|message| message.open && message.to == channel("desk"));
    assert_eq!(open.count(), 0, "{}", world.staff_screen());
}

#[tokio::test]
async fn a_delivery_that_failed_for_good_is_told_by_another_way() {
    let mut world = World::new().await;
    world.platform.refuse(Some(Recipient::Participant), Class::Final);
    world.press("Blue").await;
    let staff = world.staff_screen();
    assert_eq!(
        staff.matches("didn't get a message from me: the platform said no.").count(),
        1,
        "{staff}"
    );
    let events = world.events().await;
    let failed =
        events.iter().filter(|recorded| matches!(&*recorded.event, Event::DeliveryFailed { .. }));
    let failed = failed.count();
    assert!(failed > 1, "each is kept");
    let head = world.disk().load(world.session).await.unwrap().unwrap().head;
    assert_eq!(usize::try_from(head.undelivered), Ok(failed));

    // Where the other way fails as well, it ends there.
    let mut world = World::new().await;
    world.platform.refuse(None, Class::Final);
    world.press("Blue").await;
    world.command(&ada(), Command::Human).await;
    for _ in 0..3 {
        world.pass(TimeDelta::hours(1)).await;
    }
    assert!(world.platform.tried() < 40, "{}", world.platform.tried());
}

#[tokio::test]
async fn a_rejected_token_costs_few_calls_and_everything_leaves_in_order_once_it_is_good() {
    let mut world = World::new().await;
    world.platform.refuse(None, Class::Blocked(CauseKind::TokenRejected));
    let before = world.platform.tried();
    let mut sessions = Vec::new();
    for number in 0..300 {
        let (place, key) = (room(&format!("room-{number}")), format!("start-{number}"));
        let mut who = ada();
        who.person.user = format!("ada-{number}");
        sessions.push(world.engine.start("short", &who, place, &key).await.unwrap());
        world.rest().await;
    }
    for _ in 0..12 {
        world.pass(TimeDelta::seconds(30)).await;
    }
    let calls = world.platform.tried() - before;
    assert!(calls < 40, "{calls} calls");
    let [outage] = world.engine.outages().try_into().unwrap();
    assert_eq!(outage.effects, 300);
    assert!(outage.cause.to_string().contains("doesn't accept the bot's token"), "{outage:?}");

    world.platform.mend();
    for _ in 0..6 {
        world.pass(TimeDelta::seconds(10)).await;
    }
    assert_eq!(world.screen().matches("Which colour?").count(), 301);
    assert_eq!(world.engine.outages(), []);
}

#[tokio::test]
async fn a_gateway_tells_of_an_outage_and_of_its_end() {
    let mut world = World::new().await;
    let platform = anteroom::model::session::Platform::Web;
    let cause = anteroom::model::effect::Cause::of_platform(CauseKind::Unreachable, platform);
    world.engine.report_outage(cause.clone());
    world.press("Blue").await;
    world.pass(TimeDelta::minutes(5)).await;
    // One that gets through is proof enough.
    assert_eq!(world.engine.outages(), []);

    world.engine.report_outage(cause.clone());
    assert_eq!(world.engine.outages().len(), 1);
    world.engine.mended(|over| *over == cause).await;
    assert_eq!(world.engine.outages(), []);
    world.assert_at_rest().await;
}
