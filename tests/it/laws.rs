//! Laws that hold whatever happens: the fold never panics, a replay gives the live state, no call has two results, no
//! wait two answers, every change of phase one audit record.

use std::{collections::BTreeMap, sync::Arc};

use anteroom::{
    artifacts::{Artifacts, extract::Extractor},
    catalog,
    clock::{Clock, FixedClock},
    contacts::Contacts,
    engine::{Engine, Inbound, Parts, What},
    flows::Library,
    ids::{CallId, CountingIds, Ids, SessionId},
    interview::{Command, Responder, State},
    model::{
        session::{PersonId, Place, Platform, Status},
        transcript::{
            Audience, CallResult, Closing, Event, Grounds, NoticeChoice, ObjectiveStatus, Recorded,
            SetBy, Speaker, Started, Via,
        },
        ui::{Control, Decision, Reply, Verdict},
        wait::Wait,
    },
    store::{Store, memory::MemoryStore},
    tool::Toolbox,
};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::json;

/// One thing that happens to a session; numbers are turned into whatever there is to choose from.
#[derive(Debug, Clone)]
enum Op {
    /// Somebody answers the n-th wait that was ever opened, in the k-th possible way.
    Answer {
        wait: usize,
        way: usize,
        who: usize,
        revision: u32,
    },
    Say {
        text: &'static str,
        who: usize,
    },
    Order {
        command: usize,
        who: usize,
    },
    Wait {
        hours: i64,
    },
    /// The last event is delivered again.
    Again,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let texts = [
        "yes",
        "accept",
        "1",
        "stop",
        "resume",
        "skip",
        "human",
        "continue",
        "I like trains",
        "Learning, Jobs",
    ];
    let op = prop_oneof![
        8 => (0..40_usize, 0..8_usize, 0..6_usize, 1..3_u32)
            .prop_map(|(wait, way, who, revision)| Op::Answer { wait, way, who, revision: if revision == 2 && way > 6 { 2 } else { 1 } }),
        3 => (select(texts.to_vec()), 0..4_usize).prop_map(|(text, who)| Op::Say { text, who }),
        2 => (0..12_usize, 0..4_usize).prop_map(|(command, who)| Op::Order { command, who }),
        1 => (-2..200_i64).prop_map(|hours| Op::Wait { hours }),
        1 => Just(Op::Again),
    ];
    vec(op, 1..60)
}

fn somebody(n: usize) -> Responder {
    // The participant most often.
    let (user, approver, staff) = match n {
        1 => ("grace", true, true),
        2 => ("mallory", false, false),
        _ => ("ada", false, false),
    };
    let aliases = ["staff_approvals", "recruiting_approvals"].map(str::to_owned).to_vec();
    Responder {
        person: PersonId::web(user),
        name: user.to_owned(),
        approver_of: if approver { aliases } else { Vec::new() },
        staff,
    }
}

fn order(n: usize) -> Command {
    let reason = "because".to_owned();
    let all = [
        Command::Stop,
        Command::Resume,
        Command::Human,
        Command::Skip,
        Command::Export,
        Command::Delete,
        Command::StopReminders,
        Command::Advance { reason: reason.clone() },
        Command::TakeOver,
        Command::HandBack,
        Command::Write { text: reason },
        Command::Nudge,
    ];
    all[n % all.len()].clone()
}

/// The k-th way to answer a control: right, wrong, or skipped.
fn reply_to(wait: &Wait, way: usize) -> Reply {
    let decided =
        |decision| Reply::Decided { decision, feedback: Some("finish it first".to_owned()) };
    match (&wait.prompt.control, way) {
        (_, 7) => Reply::Skipped,
        (Control::Choose(choose), n) => {
            let ids = vec![choose.choices[n % choose.choices.len()].id.clone()];
            Reply::Chosen { ids, free_text: None }
        }
        (Control::Review(_), 0..=2) => {
            let data = Some(json!({ "text": "I build small boats and read maps." }));
            Reply::Reviewed { verdict: Verdict::Modified, data, notes: None }
        }
        (Control::Review(_), 3) => {
            Reply::Reviewed { verdict: Verdict::Rejected, data: None, notes: None }
        }
        (Control::Review(_), _) => {
            Reply::Reviewed { verdict: Verdict::Approved, data: None, notes: None }
        }
        (Control::Decide(_), n) => decided(match n % 3 {
            0 => Decision::Approved,
            1 => Decision::Denied,
            _ => Decision::DeniedWithFeedback,
        }),
        // Erasing ends the session: seldom.
        (Control::Confirm(_), n) => Reply::Confirmed { yes: n == 6 },
        (Control::Upload(_), _) => Reply::Uploaded { artifacts: Vec::new() },
        (Control::Ask(_) | Control::Form(_), _) => Reply::Text { text: "some words".to_owned() },
    }
}

struct Bot {
    engine: Engine,
    store: Arc<MemoryStore>,
    clock: Arc<FixedClock>,
    _files: tempfile::TempDir,
}

impl Bot {
    fn new() -> Self {
        let files = tempfile::tempdir().unwrap();
        let clock = Arc::new(FixedClock::new("2026-11-21T09:00:00Z".parse().unwrap()));
        let ids: Arc<dyn Ids> = Arc::new(CountingIds::default());
        let store = Arc::new(MemoryStore::default());
        let vars = ["organisation", "privacy_url", "contact"].map(|v| (v.to_owned(), v.to_owned()));
        let vars: BTreeMap<_, _> = vars.into();
        let shared: Arc<dyn Clock> = clock.clone();
        let extractor = Extractor::new("/nonexistent");
        let parts = Parts {
            store: store.clone(),
            clock: shared.clone(),
            ids: ids.clone(),
            library: Arc::new(Library::load(None, &[], &vars).unwrap()),
            toolbox: Arc::new(Toolbox::new(catalog::interview::tools()).unwrap()),
            artifacts: Arc::new(Artifacts::new(files.path(), shared, ids, extractor).unwrap()),
            contacts: Arc::new(Contacts::default()),
            webhooks: Arc::default(),
        };
        Self { engine: Engine::new(parts, Vec::new()), store, clock, _files: files }
    }

    async fn happen(&self, session: SessionId, op: &Op, n: usize, last: &mut Option<Inbound>) {
        let key = format!("event {n}");
        let inbound = match op {
            Op::Wait { hours } => {
                self.clock.advance(chrono::TimeDelta::hours(*hours));
                self.engine.run_due().await;
                return;
            }
            Op::Again => last.clone(),
            Op::Say { text, who } => {
                let what = What::Said { text: (*text).to_owned(), source: None };
                Some(Inbound { key, session, from: somebody(*who), what })
            }
            Op::Order { command, who } => {
                let what = What::Command(order(*command));
                Some(Inbound { key, session, from: somebody(*who), what })
            }
            Op::Answer { wait, way, who, revision } => {
                let state = self.state(session).await;
                let asked = state.map(|state| (state.asked.clone(), state.waits));
                asked.filter(|(asked, _)| !asked.is_empty()).map(|(asked, waits)| {
                    // The newest waits most often.
                    let wait = &waits[&asked[asked.len() - 1 - (wait % asked.len()).min(3)]];
                    let what = What::Answer {
                        wait: wait.id,
                        revision: *revision,
                        reply: reply_to(wait, *way),
                        via: Via::Component,
                    };
                    Inbound { key, session, from: somebody(*who), what }
                })
            }
        };
        if let Some(inbound) = inbound {
            // A refusal is an answer too.
            _ = self.engine.receive(inbound.clone()).await;
            *last = Some(inbound);
        }
    }

    async fn state(&self, session: SessionId) -> Option<State> {
        let loaded = self.store.load(session).await.unwrap()?;
        State::fold(&loaded.events)
    }
}

async fn live_through(flow: &str, ops: &[Op]) -> Result<(), TestCaseError> {
    let bot = Bot::new();
    let place = Place {
        platform: Platform::Web,
        workspace: "local".to_owned(),
        channel: "c".to_owned(),
        thread: None,
    };
    let session = bot.engine.start(flow, &somebody(0), place, "start").await.unwrap();
    bot.engine.settle_down().await;
    let mut last = None;
    for (n, op) in ops.iter().enumerate() {
        bot.happen(session, op, n, &mut last).await;
        bot.engine.settle_down().await;
    }
    let Some(loaded) = bot.store.load(session).await.unwrap() else { return Ok(()) };
    laws_hold(&loaded.events)?;
    let state = State::fold(&loaded.events).unwrap();
    prop_assert_eq!(loaded.head.status, state.status);
    prop_assert_eq!(loaded.head.pending as usize, state.pending().count());
    let chain = bot.store.audit(0, usize::MAX).await.unwrap();
    let moves = |event: &Recorded| matches!(event.event, Event::Advanced { from: Some(_), .. });
    let records = chain.iter().filter(|sealed| {
        sealed.record.event == "phase_advance_attempt"
            && sealed.record.facts["status"] == "approved"
    });
    prop_assert_eq!(loaded.events.iter().filter(|event| moves(event)).count(), records.count());
    Ok(())
}

/// What must be true of any history.
fn laws_hold(events: &[Recorded]) -> Result<(), TestCaseError> {
    let mut results: BTreeMap<&CallId, u32> = BTreeMap::new();
    let mut ends: BTreeMap<_, u32> = BTreeMap::new();
    let mut grown: Option<State> = None;
    for (n, recorded) in events.iter().enumerate() {
        prop_assert_eq!(recorded.seq, n as u64 + 1);
        match &recorded.event {
            Event::Returned { call, .. } => *results.entry(call).or_default() += 1,
            Event::Answered { wait, .. } | Event::Closed { wait, .. } => {
                *ends.entry(*wait).or_default() += 1;
            }
            _ => {}
        }
        grown = State::fold(&events[..=n]);
        prop_assert!(grown.is_some());
    }
    prop_assert!(
        results.values().all(|count| *count == 1),
        "a call has two results: {:?}",
        results
    );
    prop_assert!(ends.values().all(|count| *count == 1), "a wait ended twice: {:?}", ends);
    prop_assert_eq!(grown, State::fold(events));
    Ok(())
}

/// Any event at all, whether it makes sense or not.
fn any_event() -> impl Strategy<Value = Event> {
    let ids = CountingIds::default();
    let wait = anteroom::ids::WaitId::mint(&ids);
    let call = CallId::new("call_1");
    let by = PersonId::web("ada");
    let name = "phase_1_rules".to_owned();
    let text = "text".to_owned();
    let started = Started {
        session: SessionId::mint(&ids),
        flow: anteroom::model::session::FlowPin {
            id: text.clone(),
            version: text.clone(),
            digest: text.clone(),
        },
        participant: by.clone(),
        name: None,
        place: Place {
            platform: Platform::Web,
            workspace: text.clone(),
            channel: text.clone(),
            thread: None,
        },
        test: false,
    };
    let effect = anteroom::ids::EffectId::mint(&ids);
    select(vec![
        Event::Started(started),
        Event::NoticeAnswered {
            choice: NoticeChoice::Accepted,
            text_sha256: text.clone(),
            version: text.clone(),
            locale: text.clone(),
        },
        Event::StatusChanged { to: Status::Open, reason: text.clone() },
        Event::Said {
            from: Speaker::Participant,
            text: text.clone(),
            source: None,
            about: Some(wait),
        },
        Event::Posted { effect, audience: Audience::Participant, text: text.clone() },
        Event::Answered {
            wait,
            reply: Reply::Skipped,
            by: by.clone(),
            by_name: text.clone(),
            via: Via::Typed,
        },
        Event::Applied { wait },
        Event::Closed { wait, closing: Closing::Expired },
        Event::Returned { call, result: CallResult::Ok { value: json!(1) } },
        Event::Stepped { phase: name.clone(), step: text.clone(), next: None },
        Event::ObjectiveSet {
            objective: text.clone(),
            status: ObjectiveStatus::Completed,
            by: SetBy::Model,
        },
        Event::Proposed { objective: text.clone(), status: ObjectiveStatus::Skipped },
        Event::Advanced { from: None, to: Some(name), grounds: Grounds::Began },
        Event::AdvanceEvaluated { outcome: json!({}) },
        Event::HandedOver { reason: text.clone() },
        Event::Claimed { by: by.clone(), by_name: text },
        Event::HandedBack { by },
        Event::Reminded { wait, count: 1 },
        Event::RemindersStopped,
        Event::ExportOffered { effect },
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_events_makes_the_fold_panic(events in vec(any_event(), 0..80)) {
        let at = "2026-11-21T09:00:00Z".parse().unwrap();
        let events: Vec<Recorded> = events
            .into_iter()
            .enumerate()
            .map(|(n, event)| Recorded { v: 1, seq: n as u64 + 1, at, event })
            .collect();
        let state = State::fold(&events);
        prop_assert_eq!(state.is_some(), matches!(events.first(), Some(Recorded { event: Event::Started(_), .. })));
        prop_assert_eq!(state, State::fold(&events));
    }

    #[test]
    fn the_laws_hold_whatever_people_do_in_the_community_flow(ops in ops()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(live_through("community-welcome", &ops))?;
    }

    #[test]
    fn the_laws_hold_whatever_people_do_in_the_candidate_flow(ops in ops()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(live_through("candidate-onboarding", &ops))?;
    }
}
