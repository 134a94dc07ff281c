//! What leaves for the outside, what is noted of it, and what happens when somebody else commits first.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use anteroom::{
    chat::refusal::Class,
    engine::{InboundKind, webhook::Target},
    model::{
        artifact::Offer,
        audit::hex,
        effect::{CauseKind, Recipient},
        transcript::EffectOutcome,
        wait::Settlement,
    },
};
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::post,
};
use chrono::TimeDelta;
use hmac::{Hmac, KeyInit, Mac};
use secrecy::SecretString;
use serde_json::Value;
use sha2::Sha256;

use crate::{
    crashes::candidate,
    world::{World, ada, platform::Mood},
};

const PHASE: &str = "phase_3_writing_corpus";

async fn outcomes(world: &World) -> Vec<EffectOutcome> {
    let state = world.state().await;
    (0..2).map(|index| state.effects[&(PHASE.to_owned(), index)].0.clone()).collect()
}

#[tokio::test]
async fn what_came_of_an_effect_is_noted_in_the_session() {
    let mut world = World::on("candidate-onboarding").await;
    candidate(&mut world).await;
    // No web hook is configured.
    assert_eq!(outcomes(&world).await, [EffectOutcome::Delivered, EffectOutcome::NotApplicable]);

    let mut world = World::on("candidate-onboarding").await;
    world.platform.ban("recruiting_desk");
    candidate(&mut world).await;
    let reason = "no such channel".to_owned();
    assert_eq!(
        outcomes(&world).await,
        [EffectOutcome::Failed { reason }, EffectOutcome::NotApplicable]
    );
    world.assert_at_rest().await;
}

/// A gateway remembers what it may have posted, in case the effect comes again.
#[tokio::test]
async fn a_gateway_forgets_an_effect_once_it_has_left_and_not_before() {
    let mut world = World::new().await;
    world.rest().await;
    let before = world.platform.forgotten().len();
    assert!(before > 0);
    world.platform.will([Mood::Busy]);
    world.press("Blue").await;
    let queued = world.disk().outbox(world.session).await.unwrap();
    let gone = world.platform.forgotten();
    assert!(!queued.is_empty());
    assert!(queued.iter().all(|effect| !gone.contains(&effect.id)), "{queued:?}");
    world.pass(TimeDelta::minutes(1)).await;
    assert_eq!(world.disk().outbox(world.session).await.unwrap(), []);
    let gone = world.platform.forgotten();
    assert!(queued.iter().all(|effect| gone.contains(&effect.id)), "{gone:?}");
}

/// Requests that a receiver saw.
type Seen = Arc<Mutex<Vec<(HeaderMap, String)>>>;

/// Answers 503 first.
async fn receive(State(seen): State<Seen>, headers: HeaderMap, body: String) -> StatusCode {
    let mut seen = seen.lock().unwrap();
    seen.push((headers, body));
    if seen.len() == 1 { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }
}

#[tokio::test]
async fn a_web_hook_is_signed_and_sent_again_under_the_same_id() {
    let seen = Seen::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let app = Router::new().route("/hook", post(receive)).with_state(Arc::clone(&seen));
    let mut server = tokio::task::JoinSet::new();
    server.spawn(async move { axum::serve(listener, app).await });
    let mut world = World::on("candidate-onboarding").await;
    let target = Target { url, secret: Some(SecretString::from("s3cret")) };
    world.hook(BTreeMap::from([("ats_webhook".to_owned(), target)]));

    candidate(&mut world).await;
    assert_eq!(outcomes(&world).await[1], EffectOutcome::Queued);
    world.pass(TimeDelta::minutes(1)).await;

    assert_eq!(outcomes(&world).await[1], EffectOutcome::Delivered);
    let seen = seen.lock().unwrap();
    let [(first, first_body), (again, body)] = seen.as_slice() else { panic!("{seen:?}") };
    assert_eq!(first["x-anteroom-delivery"], again["x-anteroom-delivery"]);
    assert_eq!(first_body, body);
    let mut mac = Hmac::<Sha256>::new_from_slice(b"s3cret").unwrap();
    mac.update(again["x-anteroom-timestamp"].as_bytes());
    mac.update(b".");
    mac.update(body.as_bytes());
    let signature = format!("v1={}", hex(&mac.finalize().into_bytes()));
    assert_eq!(again["x-anteroom-signature"], signature);
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["data"]["applicant_profile"]["basics"]["name"], "Ada Byron");
}

#[tokio::test]
async fn who_finds_that_somebody_was_faster_decides_again() {
    let mut world = World::new().await;
    world.store.conflict(3);

    assert_eq!(world.press("Blue").await, Settlement::Applied);

    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which size?");
    world.assert_at_rest().await;
}

/// As after a machine that was suspended: another node has the lease by now, and delivers it.
#[tokio::test]
async fn what_waited_for_its_turn_does_not_leave_once_another_process_may_deliver_it() {
    let mut world = World::new().await;
    world.rest().await;
    let before = world.platform.messages();
    world.platform.will([Mood::Waits]);
    // It is said once: when the delivery begins.
    world.store.allow(1);
    world.press("Blue").await;
    world.pass(TimeDelta::minutes(1)).await;
    assert_eq!(world.platform.messages(), before);

    world.store.allow(usize::MAX);
    for _ in 0..9 {
        world.pass(TimeDelta::minutes(1)).await;
    }
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which size?");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn a_delivery_that_could_not_be_noted_holds_nothing_up_for_good() {
    let mut world = World::new().await;
    world.store.mute(3);

    world.press("Blue").await;
    for _ in 0..3 {
        world.pass(TimeDelta::seconds(1)).await;
    }

    assert!(world.screen().contains("✓ Ada Byron: Blue"), "{}", world.screen());
    assert_eq!(world.screen().matches("Which size?").count(), 1);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn the_whole_talk_lives_in_the_embedded_store_through_restarts() {
    let mut world = World::embedded("short").await;
    world.press("Blue").await;
    world.restart().await;
    world.press("Large").await;
    world.restart().await;
    world.upload("note.txt", b"a note").await.unwrap();
    world.say("word").await;
    world.restart().await;

    assert_eq!(world.state().await.status, anteroom::model::session::Status::Completed);
    assert_eq!(world.screen().matches("Which size?").count(), 1);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn a_rate_limit_costs_no_attempts_however_often_it_holds_an_effect_back() {
    let mut world = World::new().await;
    world.platform.will([Mood::Busy; 60]);
    world.press("Blue").await;
    for _ in 0..60 {
        world.pass(TimeDelta::seconds(5)).await;
    }
    assert_eq!(world.screen().matches("Which size?").count(), 1, "{}", world.screen());
    world.assert_at_rest().await;
}

#[tokio::test]
async fn an_effect_is_given_up_after_a_day_of_rate_limits_or_two_dozen_unclear_attempts() {
    for class in [Class::Later { after: std::time::Duration::from_mins(30) }, Class::Unclear] {
        let mut world = World::new().await;
        world.platform.refuse(Some(Recipient::Participant), class);
        world.press("Blue").await;
        for _ in 0..23 {
            world.pass(TimeDelta::hours(1)).await;
        }
        let tried = world.platform.tried();
        assert!(tried >= 20, "{tried}");
        world.pass(TimeDelta::hours(2)).await;
        world.platform.mend();
        world.pass(TimeDelta::hours(2)).await;
        // The edit of the card was given up; what there was to say next is said.
        assert!(!world.screen().contains("✓ Ada Byron: Blue"), "{class:?}\n{}", world.screen());
        assert!(world.screen().contains("Which size?"), "{class:?}\n{}", world.screen());
    }
}

#[tokio::test]
async fn what_is_blocked_is_never_given_up_and_leaves_in_order() {
    let mut world = World::new().await;
    world.platform.refuse(None, Class::Blocked(CauseKind::TokenRejected));
    world.press("Blue").await;
    world.say("Hello?").await;
    let before = world.screen();
    for _ in 0..10 {
        world.pass(TimeDelta::days(1)).await;
    }
    assert_eq!(world.screen(), before);
    world.platform.mend();
    world.pass(TimeDelta::hours(2)).await;
    assert!(world.screen().contains("✓ Ada Byron: Blue"), "{}", world.screen());
    assert_eq!(world.screen().matches("Which size?").count(), 1);
    world.assert_at_rest().await;
}

/// A slow file is no delivery that hangs: given up too early, it would keep back all that comes after it.
#[tokio::test(start_paused = true)]
async fn a_file_may_take_longer_than_words_and_holds_nothing_up_for_good() {
    let mut world = World::new().await;
    world.platform.will([Mood::Slow]);
    let url = "https://files.example/cv.pdf".to_owned();
    let file = Offer { id: "F1".to_owned(), name: "cv.pdf".to_owned(), bytes: None, url };
    let sent = InboundKind::Offered { wait: None, files: vec![file], text: None };
    world.feed(&ada(), sent).await;
    assert_eq!(world.disk().outbox(world.session).await.unwrap(), []);
    world.press("Blue").await;
    assert!(world.screen().contains("Which size?"), "{}", world.screen());
    world.assert_at_rest().await;
}

/// What had failed and that nobody is reached are one thing: no crash comes between.
#[tokio::test]
async fn whoever_a_message_cannot_reach_any_more_is_waited_for_at_once() {
    let mut world = World::new().await;
    world.platform.will([Mood::Gone]);
    world.press("Blue").await;
    let state = world.state().await;
    assert_eq!(state.why_out_of_reach.as_deref(), Some("they left"));
    assert!(world.staff_screen().contains("is paused until they can be reached"));
    world.say("I'm here.").await;
    assert!(!world.state().await.is_out_of_reach);
    assert!(world.screen().contains("Which size?"), "{}", world.screen());
}
