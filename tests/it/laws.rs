//! Laws that hold whatever people do, in whatever order: random input, real engine, small flow.

use std::sync::Arc;

use crate::support::laws as sound;
use anteroom::{
    base::ids::{CountingIds, Ids},
    engine::InboundKind,
    model::{
        session::Status,
        transcript::{Recorded, Via},
        ui::{Control, Decision, Reply, Verdict},
        wait::Wait,
    },
    session::{Changes, Command, Responder, SessionView, Settings, State},
    store::Loaded,
};
use chrono::TimeDelta;
use proptest::{
    prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest},
    sample::Index,
};

use crate::world::{World, ada, grace, linus, mallory};

/// Something that happens.
#[derive(Debug, Clone)]
enum Happening {
    /// Somebody answers a wait, open or not, perhaps in a way that does not fit.
    Answer { who: Index, wait: Index, with: Index },
    /// Somebody writes.
    Say { who: Index, what: Index },
    /// Somebody orders.
    Order { who: Index, what: Index },
    /// Somebody asks for a wait anew: to change what they approved, or for a decision that lapsed.
    Anew { who: Index, wait: Index, change: bool },
    /// The participant sends a file.
    Send,
    /// The last event comes again.
    Again,
    /// Time passes, and timers fire.
    Pass { hours: i64 },
    /// The process is killed and starts again.
    Restart,
}

fn happening() -> impl Strategy<Value = Happening> {
    let index = any::<Index>;
    prop_oneof![
        6 => (index(), index(), index())
            .prop_map(|(who, wait, with)| Happening::Answer { who, wait, with }),
        3 => (index(), index()).prop_map(|(who, what)| Happening::Say { who, what }),
        2 => (index(), index()).prop_map(|(who, what)| Happening::Order { who, what }),
        1 => (index(), index(), any::<bool>())
            .prop_map(|(who, wait, change)| Happening::Anew { who, wait, change }),
        1 => Just(Happening::Send),
        1 => Just(Happening::Again),
        1 => (-5_i64..400).prop_map(|hours| Happening::Pass { hours }),
        1 => Just(Happening::Restart),
    ]
}

const WORDS: [&str; 10] = [
    "Blue",
    "1",
    "small",
    "something else",
    "skip",
    "stop",
    "resume",
    "human",
    "continue",
    "approve",
];

fn people() -> [Responder; 6] {
    // The participant acts more often than the others.
    [ada(), ada(), ada(), grace(), linus(), mallory()]
}

fn orders() -> [Command; 11] {
    let reason = || "because".to_owned();
    [
        Command::Advance { reason: reason() },
        Command::Advance { reason: reason() },
        Command::Stop,
        Command::Resume,
        Command::Human,
        Command::Export,
        Command::Delete,
        Command::TakeOver,
        Command::HandBack,
        Command::Nudge,
        Command::End { reason: reason() },
    ]
}

/// Replies that fit the control, and one that fits nothing.
fn replies(control: &Control) -> Vec<Reply> {
    let mut replies = vec![Reply::Skipped, Reply::Text { text: "words".to_owned() }];
    match control {
        Control::Choose(choose) => replies.extend(
            choose
                .choices
                .iter()
                .map(|choice| Reply::Chosen { ids: vec![choice.id.clone()], free_text: None }),
        ),
        Control::Decide(_) => {
            replies.extend(
                [Decision::Approved, Decision::Denied, Decision::DeniedWithFeedback].map(
                    |decision| Reply::Decided { decision, feedback: Some("do this".to_owned()) },
                ),
            );
        }
        Control::Review(_) => {
            replies.extend([Verdict::Approved, Verdict::Rejected].map(|verdict| Reply::Reviewed {
                verdict,
                data: None,
                notes: None,
            }));
        }
        // A session that is gone obeys no law.
        Control::Confirm(_) => replies = vec![Reply::Confirmed { yes: false }],
        Control::Form(_) | Control::Upload(_) | Control::Ask(_) => {}
    }
    replies
}

async fn happen(world: &mut World, happening: Happening) {
    let people = people();
    match happening {
        Happening::Answer { who, wait, with } => {
            let waits: Vec<Arc<Wait>> = world.state().await.waits.into_values().collect();
            let Some(wait) = waits.get(wait.index(waits.len().max(1))) else { return };
            let replies = replies(&wait.prompt.control);
            let reply = with.get(&replies).clone();
            let (revision, via) = (wait.revision, Via::Component);
            let what = InboundKind::Answer { wait: wait.id, revision, reply, via };
            world.feed(who.get(&people), what).await;
        }
        Happening::Say { who, what } => {
            world.say_as(who.get(&people), what.get::<&str>(&WORDS)).await;
        }
        Happening::Order { who, what } => {
            world.command(who.get(&people), what.get(&orders()).clone()).await;
        }
        Happening::Anew { who, wait, change } => {
            let waits: Vec<Arc<Wait>> = world.state().await.waits.into_values().collect();
            let Some(wait) = waits.get(wait.index(waits.len().max(1))).map(|wait| wait.id) else {
                return;
            };
            let order = if change { Command::Change { wait } } else { Command::Reopen { wait } };
            world.command(who.get(&people), order).await;
        }
        Happening::Send => {
            // A file that is refused changes nothing.
            _ = world.upload("note.txt", b"a note").await;
        }
        Happening::Again => world.again().await,
        Happening::Pass { hours } => world.pass(TimeDelta::hours(hours)).await,
        Happening::Restart => world.restart().await,
    }
}

/// What was decided live and what a replay of the events gives are the same.
async fn assert_replay_is_live(world: &World, events: &[Recorded]) {
    let state = State::fold(events).expect("a session");
    let Loaded { head, .. } = world.disk().load(world.session).await.unwrap().unwrap();
    assert_eq!(head.seq, state.seq);
    assert_eq!(head.status, state.status);
    assert_eq!(head.phase.as_deref(), state.phase());
    assert_eq!(head.handed_over, state.handoff.is_some());
    assert_eq!(usize::try_from(head.pending).unwrap(), state.pending().count());
    for wait in state.waits.values() {
        assert_eq!(world.wait(wait.id).await, **wait, "as stored, and as replayed");
    }
}

/// A conversation that is open waits for somebody: a question, a decision, or a person who was asked for.
fn assert_somebody_is_asked(state: &State) {
    let is_asked = state.handoff.is_some() || state.pending().next().is_some();
    assert!(state.status != Status::Open || is_asked, "nobody is asked: {state:#?}");
}

async fn laws_hold(happenings: Vec<Happening>) {
    let mut world = World::new().await;
    for happening in happenings {
        happen(&mut world, happening).await;
        let events = world.events().await;
        sound::assert_one_result_a_call(&events);
        assert_somebody_is_asked(&world.state().await);
        assert_replay_is_live(&world, &events).await;
    }
    let (events, chain) = (world.events().await, world.audit().await);
    sound::assert_sound(&events, &chain);
    world.assert_at_rest().await;
}

/// The events of one talk, for damage to be done to them.
fn a_talk() -> Vec<Recorded> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut world = World::new().await;
        let reason = "because".to_owned();
        world.command(&ada(), Command::Advance { reason }).await;
        world.press("Blue").await;
        world.press_as(&grace(), "Deny").await;
        world.press("Small").await;
        world.say("stop").await;
        world.say("resume").await;
        world.upload("note.txt", b"a note").await.unwrap();
        world.say("word").await;
        world.events().await
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_laws_hold(
        happenings in proptest::collection::vec(happening(), 1..40)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(laws_hold(happenings));
    }
}

#[test]
fn no_order_of_events_makes_the_fold_panic() {
    let talk = a_talk();
    let flow = World::flow("short");
    let ids: Arc<dyn Ids> = Arc::new(CountingIds::default());
    proptest!(|(picks in proptest::collection::vec(any::<Index>(), 0..80))| {
        let mut events = vec![talk[0].clone()];
        events.extend(picks.iter().map(|pick| pick.get(&talk).clone()));
        let state = State::fold(&events).expect("it begins with the beginning");
        // And what is made of it does not panic either.
        let now = state.updated_at;
        let (flow, ids) = (Arc::clone(&flow), Arc::clone(&ids));
        let view = SessionView::new(flow, state, ids, now, Settings::default());
        _ = view.next();
        _ = Changes::from(view).into_commit(None);
    });
}
