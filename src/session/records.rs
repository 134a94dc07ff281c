//! What is stored about a person, and the objectives that it completes.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Changes, Refusal, SessionView, answer, evidence, script, state::Record};
use crate::{
    base::ids::{RecordId, WaitId},
    messages::Text,
    model::{
        artifact::Artifact,
        effect::{Act, Handout, Recipient},
        flow::{Objective, Phase, Skip},
        transcript::{CallResult, Event, ObjectiveStatus, SetBy},
        ui::Control,
        wait::{Purpose, Wait},
    },
};

/// What a stored record came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedRecord {
    /// The record.
    pub id: RecordId,
    /// It is new; otherwise it equals what was there.
    pub created: bool,
}

/// How an objective stands after a proposal.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectiveReport {
    /// The objective.
    pub objective: String,
    /// Its status now, which may differ from the proposed one.
    pub status: ObjectiveStatus,
    /// What is missing, where the proposal did not count.
    pub note: Option<String>,
    /// The current phase.
    pub phase: String,
    /// Required objectives completed or skipped ÷ required, two decimals; 1.0 with none.
    pub progress: f64,
}

impl Changes {
    /// Stores data. The same data of the same type again gives the same record.
    pub fn save_record(
        &mut self,
        data_type: &str,
        data: Value,
        reviewed: bool,
    ) -> Result<SavedRecord, Refusal> {
        let data_type = self.fitting(data_type, &data)?;
        let mut stored = self.state.records.iter().rev().filter(|r| r.data_type == data_type);
        let same = stored.clone().find(|record| record.data == data);
        let newest = stored.next().map(|record| record.id);
        let Some(Record { id, reviewed: was, .. }) = same else {
            let id = RecordId::mint(&*self.ids);
            self.save(id, data_type, data, reviewed);
            return Ok(SavedRecord { id, created: true });
        };
        let (id, was) = (*id, *was);
        // What was there before something else took its place is what counts again.
        if newest != Some(id) || (reviewed && !was) {
            self.save(id, data_type, data, reviewed || was);
        }
        Ok(SavedRecord { id, created: false })
    }

    /// Stores what the participant made of a review that they reopened, in place of `before`.
    pub(crate) fn change_record(
        &mut self,
        data_type: &str,
        before: &Value,
        data: Value,
    ) -> Result<SavedRecord, Refusal> {
        let name = self.fitting(data_type, &data)?;
        let mut stored = self.state.records.iter().rev();
        match stored.find(|r| r.data_type == name && r.data == *before).map(|r| r.id) {
            Some(id) => {
                if *before != data {
                    self.save(id, name, data, true);
                }
                Ok(SavedRecord { id, created: false })
            }
            None => self.save_record(&name, data, true),
        }
    }

    fn save(&mut self, record: RecordId, data_type: String, data: Value, reviewed: bool) {
        let facts =
            [("record", json!(record)), ("type", json!(data_type)), ("reviewed", json!(reviewed))];
        self.audit("record_saved", facts, []);
        self.emit(Event::Saved { record, data_type, data, reviewed });
        self.refresh();
    }

    /// Keeps a file's description.
    pub fn keep(&mut self, artifact: Artifact) {
        if self.state.artifacts.iter().any(|known| known.id == artifact.id) {
            return;
        }
        let facts = [("artifact", json!(artifact.id)), ("type", json!(artifact.upload_type))];
        self.audit("file_kept", facts, []);
        self.emit(Event::Kept(artifact));
        self.refresh();
    }

    /// Hands the participant something that was made for them. A child run talks to nobody.
    pub fn hand(&mut self, what: Handout, text: &str) {
        if self.is_child() {
            return;
        }
        let text = Text::from(text.to_owned());
        let act = Act::Hand { what: what.clone(), text: text.clone() };
        let effect = self.effect(Recipient::Participant, act);
        self.emit(Event::Handed { effect, what, text });
    }

    /// Notes what the bot was used for, the first time.
    pub fn note_capability(&mut self, capability: &str) {
        if !self.state.capabilities.iter().any(|known| known == capability) {
            self.emit(Event::CapabilityUsed { capability: capability.to_owned() });
        }
    }

    pub(super) fn keep_all(&mut self, files: Vec<Artifact>) {
        for file in files {
            self.keep(file);
        }
    }

    /// The model proposes a status for an objective of the current phase. It never changes
    /// the phase; what is met stays met; `completed` counts only with evidence or where the flow takes its word.
    pub fn propose_objective(
        &mut self,
        id: &str,
        status: ObjectiveStatus,
    ) -> Result<ObjectiveReport, Refusal> {
        let flow = Arc::clone(&self.flow);
        let Some(phase) = self.state.phase().and_then(|id| flow.phase(id)) else {
            return Err(Refusal("no phase is open".into()));
        };
        let Some(objective) = phase.objective.iter().find(|objective| objective.id == id) else {
            let known: Vec<&str> = phase.objective.iter().map(|o| o.id.as_str()).collect();
            let known = known.join("`, `");
            return Err(Refusal(
                format!("`{id}` is no objective of this phase. hint: there are `{known}`").into(),
            ));
        };
        self.emit(Event::Proposed { objective: id.to_owned(), status });
        let note = self.weigh(phase, objective, status);
        self.refresh();
        Ok(ObjectiveReport {
            objective: id.to_owned(),
            status: self.state.objective(id),
            note,
            phase: phase.id.clone(),
            progress: evidence::progress(&self.state, phase),
        })
    }

    /// Lets a proposal count where it may; otherwise says what is missing.
    fn weigh(
        &mut self,
        phase: &Phase,
        objective: &Objective,
        status: ObjectiveStatus,
    ) -> Option<String> {
        if evidence::is_settled(&self.state, &objective.id) {
            let keeps = status != self.state.objective(&objective.id);
            return keeps.then(|| "it is settled and stays so".to_owned());
        }
        match status {
            ObjectiveStatus::Completed => {
                if evidence::is_met(&self.state, phase, objective) {
                    return None;
                }
                self.set_objective(&objective.id, ObjectiveStatus::InProgress, SetBy::Model);
                Some(format!("still missing: {}", evidence::missing_in_words(&objective.done)))
            }
            ObjectiveStatus::Skipped if objective.skip != Skip::Participant => Some(
                "the participant may not skip this one; propose an override with next_phase"
                    .to_owned(),
            ),
            ObjectiveStatus::Skipped if !evidence::has_declined(&self.state) => Some(
                "the participant has not declined it; ask them with a card that can be skipped"
                    .to_owned(),
            ),
            ObjectiveStatus::Skipped => {
                self.pass_over(&objective.id, SetBy::Participant);
                None
            }
            ObjectiveStatus::Pending | ObjectiveStatus::InProgress | ObjectiveStatus::Failed => {
                self.set_objective(&objective.id, status, SetBy::Model);
                None
            }
            ObjectiveStatus::NotApplicable => {
                Some("whether it applies is decided by its condition alone".to_owned())
            }
        }
    }

    /// Marks an objective as passed over.
    pub(super) fn pass_over(&mut self, objective: &str, by: SetBy) {
        self.set_objective(objective, ObjectiveStatus::Skipped, by);
    }

    fn set_objective(&mut self, objective: &str, status: ObjectiveStatus, by: SetBy) {
        if self.state.objective(objective) == status {
            return;
        }
        let facts = [("objective", json!(objective)), ("status", json!(status)), ("by", json!(by))];
        self.audit("objective_set", facts, []);
        self.emit(Event::ObjectiveSet { objective: objective.to_owned(), status, by });
        self.show_progress(false);
    }

    /// A review or upload was passed over: so are the objectives that it was for, where the participant may.
    pub(super) fn skip_subject(&mut self, subject: &str) {
        let flow = Arc::clone(&self.flow);
        let Some(phase) = self.state.phase().and_then(|id| flow.phase(id)) else { return };
        for objective in &phase.objective {
            let may = objective.skip == Skip::Participant;
            if may
                && evidence::speaks_of(&objective.done, subject)
                && !evidence::is_settled(&self.state, &objective.id)
            {
                self.pass_over(&objective.id, SetBy::Participant);
            }
        }
    }

    /// Completes the objectives of the current phase whose evidence is there now, and looks after open requests that
    /// this changes.
    pub(super) fn refresh(&mut self) {
        let flow = Arc::clone(&self.flow);
        let Some(phase) = self.state.phase().and_then(|id| flow.phase(id)) else { return };
        self.weigh_conditions(phase);
        for objective in &phase.objective {
            let settled = evidence::is_settled(&self.state, &objective.id);
            if !settled && evidence::is_met(&self.state, phase, objective) {
                self.set_objective(&objective.id, ObjectiveStatus::Completed, SetBy::Evidence);
            }
        }
        self.reconsider_requests();
    }

    /// Objectives whose condition holds no longer are not called for, and those are again whose condition does.
    fn weigh_conditions(&mut self, phase: &Phase) {
        for objective in phase.objective.iter().filter(|objective| objective.when.is_some()) {
            let counts = script::applies(&self.state, &self.flow, objective.when.as_deref());
            let status = match self.state.objective(&objective.id) {
                ObjectiveStatus::NotApplicable if counts => ObjectiveStatus::Pending,
                ObjectiveStatus::Pending
                | ObjectiveStatus::InProgress
                | ObjectiveStatus::Failed
                    if !counts =>
                {
                    ObjectiveStatus::NotApplicable
                }
                _ => continue,
            };
            self.set_objective(&objective.id, status, SetBy::Condition);
        }
    }
}

impl SessionView {
    /// The flow's name of the data, if it keeps such data and the data fits.
    fn fitting(&self, data_type: &str, data: &Value) -> Result<String, Refusal> {
        let Some(data_type) = self.flow.data_type(data_type) else {
            return Err(Refusal(format!("this flow keeps no `{data_type}`").into()));
        };
        if let Some(schema) = self.flow.schemas.get(&data_type)
            && let Some(error) = answer::check_data(schema, data).first()
        {
            return Err(Refusal(
                format!("`{data_type}` does not fit at `{}`: {}", error.path, error.message).into(),
            ));
        }
        Ok(data_type)
    }

    /// What an approved review is about, with the data as it is now: what it stored, or the newest where that has
    /// changed since.
    pub(super) fn reviewed_in(&self, wait: WaitId) -> Option<(String, Value)> {
        let wait = self.state.waits.get(&wait)?;
        let Purpose::Call { call, .. } = &wait.purpose else { return None };
        let Control::Review(review) = &wait.prompt.control else { return None };
        let Some(CallResult::Ok { value }) = self.state.call(call)?.result.as_deref() else {
            return None;
        };
        if !matches!(value["status"].as_str(), Some("approved" | "modified")) {
            return None;
        }
        let mut stored =
            self.state.records.iter().rev().filter(|r| r.data_type == review.data_type);
        let same = stored.clone().find(|record| record.data == value["data"]);
        let record = same.or_else(|| stored.next())?;
        Some((record.data_type.clone(), record.data.clone()))
    }

    /// A review of this data that is open already.
    pub(super) fn open_review(&self, data_type: &str) -> Option<WaitId> {
        let is_of_it = |wait: &&Wait| matches!(&wait.prompt.control, Control::Review(review) if review.data_type == data_type);
        self.state.pending().find(is_of_it).map(|wait| wait.id)
    }
}
