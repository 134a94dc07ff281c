//! How long a session is kept, decided: holds, what is due by retention, and what has left for the outside.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use chrono::{DateTime, Utc};
use serde_json::json;

use super::{Changes, Refusal, SessionView, State};
use crate::{
    base::ids::{RecordId, WaitId},
    messages,
    model::{
        STORED_VERSION,
        custody::{Custody, Kind},
        flow::PhaseEffect,
        session::Status,
        transcript::{EffectOutcome, Event, Recorded},
        wait::{Purpose, WaitStatus},
    },
    store::Loaded,
};

/// What keeps a session, and what of it is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetentionState {
    /// Nothing may be erased.
    pub hold: Option<Hold>,
    /// The participant wants everything erased once the hold ends.
    pub erasure_asked: bool,
    /// What retention has removed.
    pub forgotten: BTreeSet<Kind>,
    /// When somebody last did something in the conversation, or it ended: retention counts from here.
    pub quiet_since: DateTime<Utc>,
}

/// Nothing may be erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// On whose order.
    pub by: String,
    /// Why.
    pub reason: String,
    /// Since when.
    pub since: DateTime<Utc>,
}

impl RetentionState {
    /// At the beginning of a session.
    pub(crate) fn begin(at: DateTime<Utc>) -> Self {
        Self { hold: None, erasure_asked: false, forgotten: BTreeSet::new(), quiet_since: at }
    }

    /// Adds one event.
    pub(crate) fn apply(&mut self, recorded: &Recorded) {
        let at = recorded.at;
        match &*recorded.event {
            Event::Custody(Custody::Held { by, reason }) => {
                self.hold = Some(Hold { by: by.clone(), reason: reason.clone(), since: at });
            }
            Event::Custody(Custody::Released { .. }) => self.hold = None,
            Event::Custody(Custody::ErasureAsked) => self.erasure_asked = true,
            Event::Custody(Custody::Forgotten { kinds }) => self.forgotten.extend(kinds),
            // A pause is what silence leads to; it does not end it.
            Event::StatusChanged { to, .. } if *to != Status::Paused => self.quiet_since = at,
            Event::NoticeAnswered { .. }
            | Event::Said { .. }
            | Event::Amended { .. }
            | Event::Answered { .. }
            | Event::Voted { .. }
            | Event::Edited { .. }
            | Event::Kept(_)
            | Event::Claimed { .. }
            | Event::HandedBack { .. }
            | Event::ExportOffered { .. }
            | Event::RemindersStopped => self.quiet_since = at,
            // What the bot does by itself, reminders too, keeps nobody's data for longer.
            _ => {}
        }
    }
}

/// Something of a session that was sent outside, where nothing here can erase it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outside {
    /// What and where to, in the words and aliases of the flow: `web hook ats`.
    pub what: String,
    /// `delivered`, `on its way`, or `in doubt`.
    pub state: &'static str,
    /// The web hook it went to, which can be told of an erasure.
    pub hook: Option<String>,
}

impl SessionView {
    /// Everything that has left, or may have, in the order of the phases.
    pub fn outside(&self) -> Vec<Outside> {
        let mut found = Vec::new();
        for phase in &self.flow.flow.phase {
            for (index, effect) in phase.effect.iter().enumerate() {
                let noted = self.state.effects.get(&(phase.id.clone(), index));
                let Some((outcome, Some(_))) = noted else { continue };
                let state = match outcome {
                    EffectOutcome::Delivered => "delivered",
                    EffectOutcome::Queued => "on its way",
                    // The receiver may have taken it and failed to say so.
                    EffectOutcome::Failed { .. } => "in doubt",
                    EffectOutcome::NotApplicable
                    | EffectOutcome::Rehearsed
                    | EffectOutcome::Declined
                    | EffectOutcome::AwaitingApproval => continue,
                };
                let hook = match effect {
                    PhaseEffect::Webhook { url_from, .. } => Some(url_from.clone()),
                    PhaseEffect::PostSummary { .. }
                    | PhaseEffect::DiscordAddRole { .. }
                    | PhaseEffect::DiscordAddRolesFrom { .. }
                    | PhaseEffect::DiscordPost { .. } => None,
                };
                found.push(Outside { what: effect.in_words(), state, hook });
            }
        }
        found
    }

    /// What is due to go now by the flow's retention; empty while a hold stands.
    pub(crate) fn due_to_go(&self) -> BTreeSet<Kind> {
        let is_due = |kind: &Kind| self.goes_at(*kind).is_some_and(|at| at <= self.now);
        Kind::ALL.into_iter().filter(is_due).collect()
    }

    /// When a kind goes; `None` if it is gone, or held.
    pub fn goes_at(&self, kind: Kind) -> Option<DateTime<Utc>> {
        let keeping = &self.state.keeping;
        // A child run goes with its conversation.
        if keeping.hold.is_some() || keeping.forgotten.contains(&kind) || self.is_child() {
            return None;
        }
        self.flow.flow.retention.ends(kind, keeping.quiet_since)
    }

    /// When the next part goes.
    pub(super) fn next_goes_at(&self) -> Option<DateTime<Utc>> {
        Kind::ALL.into_iter().filter_map(|kind| self.goes_at(kind)).min()
    }

    /// What stays of a session, whose events are `events`, once the conversation is gone: how it began and ended, and
    /// of data and files what is not gone as well.
    pub fn rest(&self, events: &[Recorded], gone: &BTreeSet<Kind>) -> Option<Loaded> {
        let is_over = self.state.status == Status::Completed;
        let to = if is_over { Status::Completed } else { Status::Ended };
        let reason = "kept for as long as was promised".to_owned();
        let ended = Event::StatusChanged { to, reason };
        let gone: BTreeSet<Kind> = gone.union(&self.state.keeping.forgotten).copied().collect();
        let kinds = gone.iter().copied().collect();
        let last = [
            (self.state.keeping.quiet_since, ended),
            (self.now, Event::Custody(Custody::Forgotten { kinds })),
        ];
        let latest = Latest::of(events);
        let kept = events.iter().filter(|recorded| latest.stays(recorded, &gone));
        let kept = kept.map(|recorded| (recorded.v, recorded.at, Arc::clone(&recorded.event)));
        let last = last.map(|(at, event)| (STORED_VERSION, at, Arc::new(event)));
        let events: Vec<Recorded> = (1..)
            .zip(kept.chain(last))
            .map(|(seq, (v, at, event))| Recorded { v, seq, at, event })
            .collect();
        let state = State::fold(&events)?;
        let head = Self { state: Arc::new(state), ..self.clone() }.head();
        Some(Loaded { head, events })
    }
}

impl Changes {
    /// Nothing may be erased from now on, whoever asks for it.
    pub(super) fn hold(&mut self, by: &str, reason: &str) -> Result<(), Refusal> {
        let reason = reason.trim();
        if reason.is_empty() {
            return Err(Refusal(messages::notices::HOLD_NEEDS_REASON.into()));
        }
        if self.state.keeping.hold.is_some() {
            return Err(Refusal(messages::notices::HELD_ALREADY.into()));
        }
        self.audit("hold_placed", [("by", json!(by))], [("reason", json!(reason))]);
        let (by, reason) = (by.to_owned(), reason.to_owned());
        self.emit(Event::Custody(Custody::Held { by, reason }));
        Ok(())
    }

    /// The hold is over. An erasure that waited for it comes next.
    pub(super) fn release(&mut self, by: &str) -> Result<(), Refusal> {
        if self.state.keeping.hold.is_none() {
            return Err(Refusal(messages::notices::NOT_HELD.into()));
        }
        self.audit("hold_released", [("by", json!(by))], []);
        self.emit(Event::Custody(Custody::Released { by: by.to_owned() }));
        Ok(())
    }

    /// The participant's order to erase everything is kept for when the hold ends; they are told so.
    pub(super) fn put_erasure_off(&mut self) {
        let ordered = |id: &&WaitId| {
            self.state.waits.get(id).is_some_and(|wait| {
                wait.purpose == Purpose::Erase && matches!(wait.status, WaitStatus::Answered { .. })
            })
        };
        let ordered: Vec<_> = self.state.asked.iter().filter(ordered).copied().collect();
        for wait in ordered {
            self.emit(Event::Applied { wait });
        }
        if !self.state.keeping.erasure_asked {
            self.emit(Event::Custody(Custody::ErasureAsked));
        }
        // Released meanwhile: it comes next.
        let Some(hold) = self.state.keeping.hold.clone() else { return };
        self.audit("erasure_put_off", [], []);
        self.post(messages::interview::erasure_put_off(&hold.reason));
    }

    /// Notes that files are gone while the conversation stays.
    pub(super) fn forget_uploads(&mut self) {
        let kinds = vec![Kind::Uploads];
        self.audit("retention_applied", [("kinds", json!(kinds))], []);
        self.emit(Event::Custody(Custody::Forgotten { kinds }));
    }
}

/// The last words on each record and each effect.
struct Latest {
    records: BTreeMap<RecordId, u64>,
    effects: BTreeMap<(String, usize), u64>,
}

impl Latest {
    fn of(events: &[Recorded]) -> Self {
        let mut latest = Self { records: BTreeMap::new(), effects: BTreeMap::new() };
        for recorded in events {
            match &*recorded.event {
                Event::Saved { record, .. } => _ = latest.records.insert(*record, recorded.seq),
                Event::EffectNoted { phase, index, .. } => {
                    latest.effects.insert((phase.clone(), *index), recorded.seq);
                }
                _ => {}
            }
        }
        latest
    }

    fn stays(&self, recorded: &Recorded, gone: &BTreeSet<Kind>) -> bool {
        match &*recorded.event {
            Event::Started(_) | Event::NoticeAnswered { .. } => true,
            Event::Kept(_) => !gone.contains(&Kind::Uploads),
            Event::Saved { record, .. } => {
                let is_latest = self.records.get(record) == Some(&recorded.seq);
                is_latest && !gone.contains(&Kind::Records)
            }
            Event::EffectNoted { phase, index, .. } => {
                let latest = self.effects.get(&(phase.clone(), *index));
                latest == Some(&recorded.seq)
            }
            _ => false,
        }
    }
}
