//! Settles a wait: who may answer, does the answer fit, who was first.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Changes, Refusal, SessionView, answer, state::State};
use crate::{
    base::ids::WaitId,
    messages,
    model::{
        artifact::{Artifact, Offer},
        effect::{Act, Recipient},
        flow::Decider,
        session::{PersonId, Status},
        transcript::{Event, Via},
        ui::{Control, Decision, FieldError, Reply, Verdict},
        wait::{Answerers, Settlement, Vote, Wait, WaitStatus},
    },
    store::TimerKind,
};

/// Most files that a conversation holds without having asked for them.
const FILES_MAX: usize = 50;

/// Somebody who does something, with what they may do at this moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Eq)]
pub struct Responder {
    /// Who.
    pub person: PersonId,
    /// What other people call them.
    pub name: String,
    /// Aliases of `[approvers]` that list them now.
    pub approver_of: Vec<String>,
    /// May take over conversations.
    pub staff: bool,
}

impl Responder {
    /// Somebody who may do no more than what everybody may: answer for themselves.
    pub const fn without_rights(person: PersonId, name: String) -> Self {
        Self { person, name, approver_of: Vec::new(), staff: false }
    }

    /// This person in a conversation: without rights, unless they hold there.
    pub fn within(&self, rights_hold: bool) -> Cow<'_, Self> {
        if rights_hold || !self.staff && self.approver_of.is_empty() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self::without_rights(self.person.clone(), self.name.clone()))
    }
}

/// An attempt to answer a wait.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Which.
    pub wait: WaitId,
    /// The revision that was shown.
    pub revision: u32,
    /// The answer.
    pub reply: Reply,
    /// Who gives it.
    pub from: Responder,
    /// How it came.
    pub via: Via,
}

/// Whether an answer counts, and if not, why. Looks at the right, how the wait stands, the revision, the deadline
/// and the fit, in this order; changes nothing.
pub(super) fn judge(state: &State, answer: &Answer, now: DateTime<Utc>) -> Settlement {
    let Some(wait) = state.waits.get(&answer.wait) else { return Settlement::Unknown };
    // First of all: what others have answered is told to nobody else.
    if !may_answer(state, wait, &answer.from) {
        return Settlement::NotAllowed { who_may: wait.answerers.who() };
    }
    match &wait.status {
        WaitStatus::Pending => {}
        WaitStatus::Answered { reply, by, by_name, at }
        | WaitStatus::Applied { reply, by, by_name, at } => {
            return Settlement::AlreadySettled {
                by: by.clone(),
                by_name: by_name.clone(),
                at: *at,
                choice: answer::describe(&wait.prompt.control, reply),
            };
        }
        WaitStatus::Expired { .. } => return Settlement::Expired,
        WaitStatus::Cancelled { .. } => return Settlement::Cancelled,
        WaitStatus::Superseded { .. } => return Settlement::Superseded,
    }
    if answer.revision != wait.revision {
        return Settlement::Superseded;
    }
    if wait.expires_at.is_some_and(|at| at <= now) {
        return Settlement::Expired;
    }
    let errors = answer::check(&wait.prompt.control, &answer.reply);
    if errors.is_empty() { Settlement::Applied } else { Settlement::Invalid { errors } }
}

/// Whether somebody may answer, by the policy stored with the question and by their rights now.
pub(super) fn may_answer(state: &State, wait: &Wait, from: &Responder) -> bool {
    let is_participant = from.person == state.participant;
    match &wait.answerers {
        Answerers::Participant => is_participant,
        Answerers::Deciders { alias, allow_self } => {
            from.approver_of.contains(alias) && (*allow_self || !is_participant)
        }
    }
}

impl Changes {
    /// Settles a wait, if it may be settled: the first answer wins, whoever gives it. The caller acknowledges only
    /// after the step is committed.
    pub(super) fn settle(&mut self, answer: Answer) -> Settlement {
        let verdict = judge(&self.state, &answer, self.now);
        let facts = [
            ("wait", json!(answer.wait)),
            ("by", json!(self.named(&answer.from.person))),
            ("via", json!(answer.via)),
            ("outcome", json!(verdict.word())),
        ];
        match &verdict {
            Settlement::Applied if is_save(&answer.reply) => {
                if self.edit(answer) {
                    self.audit("wait_edited", facts, []);
                }
            }
            Settlement::Applied => {
                self.audit("wait_answered", facts, []);
                self.take(answer);
            }
            Settlement::Expired => {
                self.audit("answer_refused", facts, []);
                // The timer has not come to it yet: too late is too late.
                self.timer(TimerKind::Expire { wait: answer.wait });
            }
            // A slip in a form is corrected, not recorded.
            Settlement::Invalid { .. } => {}
            Settlement::AlreadySettled { .. }
            | Settlement::NotAllowed { .. }
            | Settlement::Superseded
            | Settlement::Cancelled
            | Settlement::Unknown => self.audit("answer_refused", facts, []),
        }
        verdict
    }

    fn take(&mut self, answer: Answer) {
        if self.state.status == Status::Paused && answer.from.person == self.state.participant {
            self.wake();
        }
        let Answer { wait, reply, from, via, .. } = answer;
        let Some(reply) = self.vote(wait, reply, &from) else { return };
        let reply = self.with_edits(wait, reply);
        let skipped = reply == Reply::Skipped;
        let (said, by) = (reply.clone(), from.person);
        let is_theirs = by == self.state.participant;
        self.emit(Event::Answered { wait, reply, by, by_name: from.name, via });
        self.clear_timers_of(wait);
        self.show(wait);
        if skipped {
            let subject =
                self.state.waits.get(&wait).and_then(|wait| subject(&wait.prompt.control));
            if let Some(subject) = subject {
                self.skip_subject(&subject);
            }
        }
        if is_theirs {
            self.heed(&said);
        }
        self.mind_turns();
    }

    /// Keeps an edit of reviewed data; the question stays open and shows it. Whether there was something to keep.
    fn edit(&mut self, answer: Answer) -> bool {
        if self.state.status == Status::Paused && answer.from.person == self.state.participant {
            self.wake();
        }
        let Answer { wait, reply, from, .. } = answer;
        let Reply::Reviewed { data: Some(data), notes, .. } = &reply else { return false };
        let is_same = self.reviewed_data(wait) == Some(data) && notes.is_none();
        if is_same {
            return false;
        }
        let is_theirs = from.person == self.state.participant;
        let (data, notes) = (data.clone(), notes.clone());
        self.emit(Event::Edited { wait, data, notes, by: from.person, by_name: from.name });
        self.show(wait);
        if is_theirs {
            self.heed(&reply);
        }
        true
    }

    /// Where several must decide alike, a decision is a vote: one per person, the last one counts, until enough agree.
    /// Gives the reply that settles the wait, once there is one.
    fn vote(&mut self, id: WaitId, reply: Reply, from: &Responder) -> Option<Reply> {
        let quorum = self.state.waits.get(&id).map_or(1, |wait| wait.quorum);
        let (Reply::Decided { decision, feedback }, 2..) = (&reply, quorum) else {
            return Some(reply);
        };
        let vote = Vote {
            by: from.person.clone(),
            by_name: from.name.clone(),
            decision: *decision,
            feedback: feedback.clone(),
        };
        let approves = vote.approves();
        let facts = [
            ("wait", json!(id)),
            ("by", json!(self.named(&vote.by))),
            ("decision", json!(vote.decision)),
        ];
        self.audit("vote_cast", facts, [("feedback", json!(vote.feedback))]);
        self.emit(Event::Voted { wait: id, vote });
        let votes = self.state.waits.get(&id).map(|wait| wait.votes.clone()).unwrap_or_default();
        let alike: Vec<Vote> =
            votes.into_iter().filter(|vote| vote.approves() == approves).collect();
        if u32::try_from(alike.len()).unwrap_or(u32::MAX) < quorum {
            self.show(id);
            return None;
        }
        let words: Vec<String> = alike.into_iter().filter_map(|vote| vote.feedback).collect();
        Some(match (approves, words.is_empty()) {
            (true, _) => Reply::Decided { decision: Decision::Approved, feedback: None },
            (false, true) => Reply::Decided { decision: Decision::Denied, feedback: None },
            (false, false) => Reply::Decided {
                decision: Decision::DeniedWithFeedback,
                feedback: Some(words.join("\n")),
            },
        })
    }

    /// Has files fetched that the platform still holds; they come back through [`Changes::receive_files`]. A repeat is
    /// recognised by the key of its event, and by the effect's id once they are fetched.
    pub(super) fn offer_files(
        &mut self,
        from: &Responder,
        wait: Option<WaitId>,
        files: Vec<Offer>,
        text: Option<&str>,
    ) -> Result<(), Refusal> {
        if from.person != self.state.participant {
            return Err(Refusal(messages::interview::FILES_OF_OTHERS.into()));
        }
        self.takes_files()?;
        if let Some(text) = text {
            self.keep_words(text, None, wait);
        }
        let by = from.person.clone();
        self.effect(Recipient::Participant, Act::Fetch { by, wait, files });
        Ok(())
    }

    /// Takes in files that were checked and kept, as the answer to `wait` where given, otherwise to the one upload
    /// that waits. Where several wait, the person is asked which one is meant; where none does, the files are kept.
    pub(super) fn receive_files(
        &mut self,
        from: &Responder,
        wait: Option<WaitId>,
        files: Vec<Artifact>,
    ) -> Settlement {
        let is_upload = |wait: &&Wait| {
            matches!(wait.prompt.control, Control::Upload(_)) && may_answer(&self.state, wait, from)
        };
        let uploads: Vec<WaitId> =
            self.state.pending().filter(is_upload).map(|wait| wait.id).collect();
        let wait = match (wait, uploads.as_slice()) {
            (Some(wait), _) => wait,
            (None, [only]) => *only,
            (None, []) if from.person != self.state.participant => {
                return Settlement::NotAllowed { who_may: Answerers::Participant.who() };
            }
            (None, []) => {
                if let Err(why) = self.takes_files() {
                    let errors = vec![FieldError::whole(why.to_string())];
                    return Settlement::Invalid { errors };
                }
                self.keep_unasked(files);
                return Settlement::Applied;
            }
            (None, _) => {
                let which = messages::answers::SEVERAL_FILES_ASKED;
                return Settlement::Invalid { errors: vec![FieldError::whole(which)] };
            }
        };
        let revision = self.state.waits.get(&wait).map_or(1, |wait| wait.revision);
        let reply = Reply::Uploaded { artifacts: files.iter().map(|file| file.id).collect() };
        let answer = Answer { wait, revision, reply, from: from.clone(), via: Via::Component };
        if judge(&self.state, &answer, self.now) == Settlement::Applied {
            self.keep_all(files);
        }
        self.settle(answer)
    }
}

impl SessionView {
    fn reviewed_data(&self, wait: WaitId) -> Option<&Value> {
        match &self.state.waits.get(&wait)?.prompt.control {
            Control::Review(review) => Some(&review.data),
            Control::Choose(_)
            | Control::Form(_)
            | Control::Upload(_)
            | Control::Ask(_)
            | Control::Decide(_)
            | Control::Confirm(_) => None,
        }
    }

    /// An approval speaks of the data as it was edited, and carries it where it differs from what was shown at first.
    fn with_edits(&self, wait: WaitId, reply: Reply) -> Reply {
        let (Reply::Reviewed { verdict, data, notes }, Some(edits)) =
            (&reply, self.state.edits.get(&wait))
        else {
            return reply;
        };
        let notes = notes.clone().or_else(|| edits.notes.clone());
        let data = data.as_ref().or_else(|| self.reviewed_data(wait)).cloned();
        let (verdict, data) = match verdict {
            Verdict::Rejected | Verdict::Saved => (*verdict, None),
            Verdict::Approved | Verdict::Modified if data.as_ref() == Some(&edits.draft) => {
                (Verdict::Approved, None)
            }
            Verdict::Approved | Verdict::Modified => (Verdict::Modified, data),
        };
        Reply::Reviewed { verdict, data, notes }
    }

    /// Whether somebody's own word moves the session on: who may decide, and decides alone.
    pub(super) fn may_decide(&self, from: &Responder) -> bool {
        let policy = &self.flow.flow.approvals.overrides;
        let is_participant = from.person == self.state.participant;
        let by_right =
            self.is_decider(from) && policy.quorum <= 1 && (policy.allow_self || !is_participant);
        by_right || (policy.decider == Decider::Participant && is_participant)
    }

    /// Whether somebody is one of those who decide.
    pub(super) fn is_decider(&self, from: &Responder) -> bool {
        let alias = self.flow.flow.approvals.overrides.channel.as_ref();
        alias.is_some_and(|alias| from.approver_of.contains(alias))
    }

    /// Whether a file would be taken: where one is asked for, and otherwise while the interview runs and holds few.
    pub(crate) fn takes_files(&self) -> Result<(), Refusal> {
        let asks = |wait: &Wait| matches!(wait.prompt.control, Control::Upload(_));
        if self.state.pending().any(asks) {
            return Ok(());
        }
        match self.state.status {
            Status::Open | Status::Paused if self.state.artifacts.len() < FILES_MAX => Ok(()),
            Status::Open | Status::Paused => Err(Refusal(messages::interview::FILES_FULL.into())),
            Status::Notice
            | Status::Stopped
            | Status::Declined
            | Status::Completed
            | Status::Ended => Err(Refusal(messages::interview::NO_FILES_NOW.into())),
        }
    }
}

/// Whether a reply keeps edits and leaves the question open.
const fn is_save(reply: &Reply) -> bool {
    matches!(reply, Reply::Reviewed { verdict: Verdict::Saved, .. })
}

/// What a review or upload is about: the data type or upload type.
fn subject(control: &Control) -> Option<String> {
    match control {
        Control::Review(review) => Some(review.data_type.clone()),
        Control::Upload(upload) => Some(upload.upload_type.clone()),
        Control::Choose(_)
        | Control::Form(_)
        | Control::Ask(_)
        | Control::Decide(_)
        | Control::Confirm(_) => None,
    }
}
