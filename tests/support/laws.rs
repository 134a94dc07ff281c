//! What the events of a session and its audit records must be to one another, whatever has happened.
//!
//! Invariants are those of `docs/semantics.md`.

use std::collections::{BTreeMap, BTreeSet};

use anteroom::{
    base::ids::CallId,
    model::{
        audit::Sealed,
        session::Status,
        task::Subtask,
        transcript::{Event, Recorded},
        wait::Purpose,
    },
};

/// All that can be said without knowing what was done.
pub(crate) fn assert_sound(events: &[Recorded], chain: &[Sealed]) {
    assert_in_order(events);
    assert_one_result_a_call(events);
    assert_answered_once(events);
    assert_one_call_at_a_time(events);
    assert_the_actor_moved_every_phase(events, chain);
    assert_one_record_a_transition(events, chain);
}

/// No number is missing and none comes twice.
fn assert_in_order(events: &[Recorded]) {
    assert!(events.iter().map(|recorded| recorded.seq).eq(1..=events.len() as u64));
}

/// One result a call, and none without a call (I1).
pub(crate) fn assert_one_result_a_call(events: &[Recorded]) {
    let mut results: BTreeMap<&CallId, u32> = BTreeMap::new();
    for recorded in events {
        match &*recorded.event {
            Event::Called(call) => assert_eq!(results.insert(&call.id, 0), None, "{}", call.id),
            Event::Returned { call, .. } => {
                let count = results.get_mut(call).expect("a result without a call");
                *count += 1;
                assert_eq!(*count, 1, "{call} has two results");
            }
            _ => {}
        }
    }
}

/// A question is answered at most once each time it is asked, and the answer does its work at most once.
fn assert_answered_once(events: &[Recorded]) {
    let (mut answered, mut applied) = (BTreeSet::new(), BTreeSet::new());
    for recorded in events {
        match &*recorded.event {
            Event::Asked(wait) => {
                answered.remove(&wait.id);
                applied.remove(&wait.id);
            }
            Event::Answered { wait, .. } => {
                assert!(answered.insert(*wait), "{wait} answered twice");
            }
            Event::Applied { wait } => assert!(applied.insert(*wait), "{wait} applied twice"),
            _ => {}
        }
    }
}

/// Of the calls that have begun, all but one wait for somebody (I5).
fn assert_one_call_at_a_time(events: &[Recorded]) {
    let mut running = BTreeSet::new();
    for recorded in events {
        match &*recorded.event {
            Event::Called(call) => _ = running.insert(call.id.clone()),
            Event::Returned { call, .. } => _ = running.remove(call),
            Event::Asked(wait) => {
                if let Purpose::Call { call, .. } = &wait.purpose {
                    running.remove(call);
                }
            }
            _ => {}
        }
        assert!(running.len() <= 1, "{running:?} run at the same time");
    }
}

/// The phase goes from where it stood, and each move has its record (I6).
fn assert_the_actor_moved_every_phase(events: &[Recorded], chain: &[Sealed]) {
    let mut phase: Option<&String> = None;
    let mut moves = 0;
    for recorded in events {
        if let Event::Advanced { from, to, .. } = &*recorded.event {
            assert_eq!(from.as_ref(), phase, "the phase was moved by somebody else");
            phase = to.as_ref();
            moves += 1;
        }
    }
    let recorded = chain.iter().filter(|sealed| {
        let record = &sealed.record;
        record.event == "phase_entered"
            || record.event == "phase_advance_attempt" && record.facts["status"] == "approved"
    });
    assert_eq!(recorded.count(), moves, "moves of the phase and their records");
}

/// The name of the audit record that a transition has; none for what is no transition.
fn record_of(event: &Event) -> Option<&'static str> {
    Some(match event {
        Event::Started(_) => "session_started",
        Event::NoticeAnswered { .. } => "notice_answered",
        Event::Asked(wait) if wait.revision == 1 => "wait_opened",
        Event::Asked(_) => "wait_revised",
        Event::Edited { .. } => "wait_edited",
        Event::Answered { .. } => "wait_answered",
        Event::Closed { .. } => "wait_closed",
        Event::Kept(_) => "file_kept",
        Event::Saved { .. } => "record_saved",
        Event::ObjectiveSet { .. } => "objective_set",
        Event::Advanced { from: None, .. } => "phase_entered",
        Event::Advanced { from: Some(_), .. } => "approved",
        Event::HandedOver { .. } => "handed_over",
        Event::Claimed { .. } => "taken_over",
        Event::HandedBack { .. } => "handed_back",
        Event::EffectNoted { .. } => "effect_noted",
        Event::Subtask(Subtask::Delegated(_)) => "child_run_asked",
        Event::Subtask(Subtask::Ended { .. }) => "child_run_ended",
        Event::StatusChanged { reason, .. } if reason == "resumed" => "session_resumed",
        Event::StatusChanged { to: Status::Stopped, .. } => "session_stopped",
        Event::StatusChanged { to: Status::Paused, .. } => "session_paused",
        Event::StatusChanged { to: Status::Declined, .. } => "session_declined",
        Event::StatusChanged { to: Status::Completed, .. } => "session_completed",
        Event::StatusChanged { to: Status::Ended, .. } => "session_ended",
        _ => return None,
    })
}

/// One record a transition, and no record without one (I3).
pub(crate) fn assert_one_record_a_transition(events: &[Recorded], chain: &[Sealed]) {
    let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for name in events.iter().filter_map(|recorded| record_of(&recorded.event)) {
        counts.entry(name).or_default().0 += 1;
    }
    for sealed in chain {
        let record = &sealed.record;
        let name = match record.event.as_str() {
            "phase_advance_attempt" if record.facts["status"] == "approved" => "approved",
            // Refused attempts, invocations, orders and looks have records of their own.
            "phase_advance_attempt"
            | "phase_advance_expired"
            | "answer_refused"
            | "command"
            | "command_refused"
            | "vote_cast"
            | "outcome_unknown"
            | "session_exported" => continue,
            other => other,
        };
        counts.entry(name).or_default().1 += 1;
    }
    for (name, (transitions, records)) in counts {
        assert_eq!(transitions, records, "{name}: transitions and records");
    }
}
