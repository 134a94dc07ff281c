//! What code handles in every state, without a model: stop, human, export, delete, and what staff may order.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    Answer, Changes, Refusal, handover,
    settle::{Responder, may_answer},
    state::State,
    texts,
    view::{blocks, is_for_deciders},
};
use crate::{
    base::ids::WaitId,
    messages,
    model::{
        effect::{Act, Recipient},
        flow::Moment,
        session::Status,
        transcript::{Closing, EffectOutcome, Event, Origin, Speaker, Via},
        ui::{Decision, Offered, Reply},
        wait::{Purpose, Settlement, Wait, WaitStatus},
    },
    store::TimerKind,
};

/// An order, typed as a whole message or given by a button or slash command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// "stop": nothing more is asked.
    Stop,
    /// The model is stopped in what it is at, and rests until the participant does something.
    Interrupt,
    /// "resume" or "continue": go on after stop, pause, "not now" or a hand-over nobody claimed.
    Resume,
    /// "human": a person is asked for.
    Human,
    /// "skip": pass over the open question, where it may be.
    Skip,
    /// "export": a copy of everything.
    Export,
    /// "delete my data": opens the card that asks once more.
    Delete,
    /// "stop reminders".
    StopReminders,
    /// The question that somebody was reminded of can wait.
    Later,
    /// "ask again": what the team declined is requested once more.
    AskAgain,
    /// Move to the next phase although objectives are missing.
    Advance {
        /// Why.
        reason: String,
    },
    /// Staff takes the conversation over.
    TakeOver,
    /// Staff hands the conversation back to the bot.
    HandBack,
    /// Staff writes to the participant.
    Write {
        /// What.
        text: String,
    },
    /// Staff reminds the participant now.
    Nudge,
    /// Staff ends the session.
    End {
        /// Why.
        reason: String,
    },
    /// Staff sees to it that nothing is erased for now.
    Hold {
        /// Why; the participant may read it.
        reason: String,
    },
    /// Staff lets it be erased again.
    Release,
    /// Somebody who could have decided asks a request that lapsed anew.
    Reopen {
        /// The wait that expired.
        wait: WaitId,
    },
    /// The participant reopens a review that they approved.
    Change {
        /// The review.
        wait: WaitId,
    },
}

impl Command {
    /// The command that a text of ours or of a flow names when it tells what to type. What people write is read by
    /// [`typed::order`](super::typed::order).
    pub fn parse(text: &str) -> Option<Self> {
        let bare = text.trim().trim_end_matches(['.', '!']).to_lowercase();
        Some(match bare.as_str() {
            "stop" | "cancel" | "quit" => Self::Stop,
            "resume" | "continue" => Self::Resume,
            "human" | "talk to a human" | "talk to a person" => Self::Human,
            "skip" => Self::Skip,
            "export" | "export my data" => Self::Export,
            "delete my data" => Self::Delete,
            "stop reminders" => Self::StopReminders,
            "ask again" => Self::AskAgain,
            _ => return None,
        })
    }

    const fn is_for_staff(&self) -> bool {
        match self {
            Self::TakeOver
            | Self::HandBack
            | Self::Write { .. }
            | Self::Nudge
            | Self::Hold { .. }
            | Self::Release
            | Self::End { .. } => true,
            Self::Stop
            | Self::Interrupt
            | Self::Resume
            | Self::Human
            | Self::Skip
            | Self::Export
            | Self::Delete
            | Self::StopReminders
            | Self::Later
            | Self::AskAgain
            | Self::Advance { .. }
            | Self::Reopen { .. }
            | Self::Change { .. } => false,
        }
    }

    const fn name(&self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Interrupt => "interrupt",
            Self::Resume => "resume",
            Self::Human => "human",
            Self::Skip => "skip",
            Self::Export => "export",
            Self::Delete => "delete",
            Self::StopReminders => "stop_reminders",
            Self::Later => "later",
            Self::AskAgain => "ask_again",
            Self::Advance { .. } => "advance",
            Self::TakeOver => "take_over",
            Self::HandBack => "hand_back",
            Self::Write { .. } => "write",
            Self::Nudge => "nudge",
            Self::End { .. } => "end",
            Self::Hold { .. } => "hold",
            Self::Release => "release",
            Self::Reopen { .. } => "reopen",
            Self::Change { .. } => "change",
        }
    }
}

/// Whether what was offered under an earlier message means anything as the session stands now. The command itself is
/// harmless at any time.
pub(crate) fn is_still_offered(offered: Offered, state: &State) -> bool {
    match offered {
        Offered::Resume | Offered::Delete => {
            matches!(state.status, Status::Stopped | Status::Paused | Status::Declined)
        }
        Offered::Later | Offered::StopReminders => {
            let mut open = state.pending().filter(|wait| blocks(wait) && !is_for_deciders(wait));
            matches!(state.status, Status::Notice | Status::Open)
                && !state.reminders_stopped
                && open.next().is_some()
        }
        Offered::Stop => {
            matches!(state.status, Status::Notice | Status::Open | Status::Paused)
        }
        Offered::Human => state.handoff.is_none(),
        Offered::Continue => {
            state.handoff.as_ref().is_none_or(|handoff| handoff.claimed_by.is_none())
                && !matches!(state.status, Status::Completed | Status::Ended)
        }
        Offered::Export => true,
        Offered::AskAgain => {
            let mut outcomes = state.effects.values().map(|(outcome, _)| outcome);
            outcomes.any(|outcome| *outcome == EffectOutcome::Declined)
        }
        Offered::Skip => {
            let mut open = state.pending().filter(|wait| blocks(wait) && !is_for_deciders(wait));
            open.next().is_some()
        }
    }
}

impl From<Offered> for Command {
    fn from(offered: Offered) -> Self {
        match offered {
            Offered::Resume | Offered::Continue => Self::Resume,
            Offered::Delete => Self::Delete,
            Offered::Later => Self::Later,
            Offered::StopReminders => Self::StopReminders,
            Offered::Human => Self::Human,
            Offered::Stop => Self::Stop,
            Offered::Export => Self::Export,
            Offered::Skip => Self::Skip,
            Offered::AskAgain => Self::AskAgain,
        }
    }
}

impl Changes {
    /// Carries out a command; the refusal is for the person who gave it.
    pub(super) fn command(
        &mut self,
        from: &Responder,
        command: Command,
        via: Via,
    ) -> Result<(), Refusal> {
        let is_participant = from.person == self.state.participant;
        let may = match &command {
            // Who may reopen is who could have decided: looked at there.
            Command::Reopen { .. } => true,
            Command::Advance { .. } => is_participant || from.staff || self.is_decider(from),
            // Staff may bring a conversation back that they took over.
            Command::Resume => is_participant || from.staff,
            _ if command.is_for_staff() => from.staff,
            _ => is_participant,
        };
        if !may {
            let facts =
                [("command", json!(command.name())), ("by", json!(self.named(&from.person)))];
            self.audit("command_refused", facts, []);
            return Err(Refusal(messages::notices::NOT_HERE.into()));
        }
        let facts = [
            ("command", json!(command.name())),
            ("by", json!(self.named(&from.person))),
            ("via", json!(via)),
        ];
        self.audit("command", facts, []);
        match command {
            Command::Stop => self.stop("the participant said stop"),
            // Nothing is under way: see `Changes::interrupt`.
            Command::Interrupt => return self.interrupt(from, None),
            Command::Resume => return self.resume(from),
            Command::Human => self.hand_over(handover::ASKED, messages::interview::HUMAN_ASKED),
            Command::Skip => return self.skip(from, via),
            Command::Export => self.offer_export(messages::interview::EXPORT_READY.into()),
            Command::Delete => self.ask_erase(),
            Command::StopReminders => self.stop_reminders(),
            Command::Later => self.post(messages::interview::LATER),
            Command::AskAgain => return self.ask_effect_again(),
            Command::Advance { reason } => return self.ask_to_advance(from, &reason),
            Command::TakeOver => self.take_over(from),
            Command::HandBack => self.hand_back(from),
            Command::Write { text } => {
                self.take_over(from);
                let (name, words) = (from.name.clone(), text.clone());
                self.effect(Recipient::Participant, Act::Relay { name, text: words });
                let from = Speaker::Staff { by: from.person.clone(), name: from.name.clone() };
                self.emit(Event::Said { from, text, source: None, about: None });
            }
            Command::Nudge => return self.nudge(),
            Command::Hold { reason } => {
                let by = self.named(&from.person);
                return self.hold(&by, &reason);
            }
            Command::Release => {
                let by = self.named(&from.person);
                return self.release(&by);
            }
            Command::End { reason } => self.end(&reason),
            Command::Reopen { wait } => return self.reopen(from, wait),
            Command::Change { wait } => return self.change(from, wait),
        }
        Ok(())
    }

    /// Nothing more is asked; what waits is cancelled, and asked again after "resume".
    pub(super) fn stop(&mut self, reason: &str) {
        match self.state.status {
            Status::Notice | Status::Open | Status::Paused => {}
            Status::Stopped | Status::Declined => {
                return self.post(messages::interview::STOPPED_ALREADY);
            }
            Status::Completed | Status::Ended => {
                return self.post(messages::interview::NOTHING_TO_STOP);
            }
        }
        self.cancel_open("the conversation was stopped");
        self.emit(Event::StatusChanged { to: Status::Stopped, reason: reason.to_owned() });
        self.audit("session_stopped", [("reason", json!(reason))], []);
        let flow = Arc::clone(&self.flow);
        if let Some(phase) = self.state.phase().and_then(|id| flow.phase(id)) {
            self.queue_effects(phase, Moment::Stopped);
        }
        let text = texts::stopped(&self.state, &self.flow);
        self.post_offering(text, &[Offered::Resume, Offered::Delete]);
    }

    /// Cancels every open wait but the card before an erasure, which outlives everything.
    fn cancel_open(&mut self, reason: &str) {
        let closing = Closing::Cancelled { reason: reason.to_owned() };
        let all_but_erase = |wait: &Wait| wait.purpose != Purpose::Erase;
        self.dismiss_children(reason, "user_cancelled");
        self.close_all(all_but_erase, &closing, "user_cancelled", "the user cancelled");
    }

    fn resume(&mut self, from: &Responder) -> Result<(), Refusal> {
        if let Some(handoff) = &self.state.handoff {
            if handoff.claimed_by.is_some() && !from.staff {
                return Err(Refusal(messages::notices::PERSON_IS_WITH_YOU.into()));
            }
            self.hand_back(from);
            let sleeps =
                matches!(self.state.status, Status::Stopped | Status::Declined | Status::Paused);
            if sleeps && from.person == self.state.participant {
                self.wake();
            }
            return Ok(());
        }
        if from.person != self.state.participant {
            return Err(Refusal(messages::notices::NOTHING_TO_HAND_BACK.into()));
        }
        match self.state.status {
            Status::Stopped | Status::Declined => self.wake(),
            Status::Paused => {
                self.wake();
                self.post(messages::interview::RESUMED);
                self.show_open();
            }
            Status::Notice | Status::Open => {
                if self.state.model_turn.is_halted() {
                    self.keep_words(messages::interview::GO_ON, None, None);
                }
                self.show_open();
            }
            Status::Completed | Status::Ended => {
                return Err(Refusal(messages::notices::NOTHING_TO_CONTINUE.into()));
            }
        }
        Ok(())
    }

    /// Goes on after stop, pause or "not now": from the notice, if it was never accepted.
    pub(super) fn wake(&mut self) {
        let was_paused = self.state.status == Status::Paused;
        let to = if self.state.phase().is_some() { Status::Open } else { Status::Notice };
        self.emit(Event::StatusChanged { to, reason: "resumed".to_owned() });
        self.audit("session_resumed", [], []);
        self.miss_notice();
        if !was_paused {
            self.post(messages::interview::RESUMED);
        }
    }

    /// Asks the notice again where it was never accepted and is not open.
    pub(super) fn miss_notice(&mut self) {
        let is_open = |wait: &Arc<Wait>| {
            wait.purpose == Purpose::Notice
                && matches!(wait.status, WaitStatus::Pending | WaitStatus::Answered { .. })
        };
        if self.state.status == Status::Notice && !self.state.waits.values().any(is_open) {
            self.ask_notice();
        }
    }

    /// Shows the participant's open questions; their reminders begin anew.
    pub(super) fn show_open(&mut self) {
        let open: Vec<Wait> =
            self.state.pending().filter(|wait| !is_for_deciders(wait)).cloned().collect();
        for wait in open {
            let remind = self.reminder_at(&wait, 0).filter(|_| !self.state.reminders_stopped);
            self.set_timer(TimerKind::Remind { wait: wait.id }, remind);
            self.show(wait.id);
        }
    }

    /// Passes the newest open question over, if it may be.
    fn skip(&mut self, from: &Responder, via: Via) -> Result<(), Refusal> {
        let open = self.state.pending().filter(|wait| blocks(wait) && !is_for_deciders(wait));
        let newest = open.last().cloned();
        let Some(wait) = newest else {
            return Err(Refusal(messages::interview::NOTHING_TO_SKIP.into()));
        };
        let reply = Reply::Skipped;
        let answer =
            Answer { wait: wait.id, revision: wait.revision, reply, from: from.clone(), via };
        match self.settle(answer) {
            Settlement::Invalid { errors } => Err(Refusal(
                errors.into_iter().map(|error| error.message).collect::<Vec<_>>().join(" ").into(),
            )),
            Settlement::Applied
            | Settlement::AlreadySettled { .. }
            | Settlement::NotAllowed { .. }
            | Settlement::Expired
            | Settlement::Superseded
            | Settlement::Cancelled
            | Settlement::Unknown => Ok(()),
        }
    }

    fn stop_reminders(&mut self) {
        self.emit(Event::RemindersStopped);
        let own = self.state.pending().filter(|wait| !is_for_deciders(wait));
        let own: Vec<_> = own.map(|wait| wait.id).collect();
        for wait in own {
            self.set_timer(TimerKind::Remind { wait }, None);
        }
        self.post(messages::interview::REMINDERS_STOPPED);
    }

    /// The call itself is made by the engine: it is adrift, so it comes next.
    fn ask_to_advance(&mut self, from: &Responder, reason: &str) -> Result<(), Refusal> {
        let goes_on = matches!(self.state.status, Status::Open | Status::Paused);
        if !goes_on || self.state.phase().is_none() {
            return Err(Refusal(messages::notices::NO_PART_TO_LEAVE.into()));
        }
        if let Some(open) = self.open_requests().first() {
            return self.decide_by_order(from, open);
        }
        if let Some(call) = self.call_to_advance(from, reason) {
            self.begin(&call);
        }
        Ok(())
    }

    /// Who asks to move on while a request is open and may decide on it, does.
    fn decide_by_order(&mut self, from: &Responder, open: &Wait) -> Result<(), Refusal> {
        if may_answer(&self.state, open, from) {
            let reply = Reply::Decided { decision: Decision::Approved, feedback: None };
            let (wait, revision, via) = (open.id, open.revision, Via::Command);
            self.settle(Answer { wait, revision, reply, from: from.clone(), via });
        } else if from.person == self.state.participant {
            self.say_asked(open.id);
        } else {
            return Err(Refusal(messages::notices::REQUEST_OPEN.into()));
        }
        Ok(())
    }

    fn reopen(&mut self, from: &Responder, wait: WaitId) -> Result<(), Refusal> {
        let refused = || Refusal(messages::notices::CANT_ASK_AGAIN.into());
        let wait = self.state.waits.get(&wait).cloned().ok_or_else(refused)?;
        let lapsed = matches!(wait.status, WaitStatus::Expired { .. });
        let open = self.state.status == Status::Open && self.open_requests().is_empty();
        if !lapsed || !open || !may_answer(&self.state, &wait, from) {
            return Err(refused());
        }
        let call = self.call_again(&wait, from).ok_or_else(refused)?;
        self.begin(&call);
        Ok(())
    }

    /// What was approved is reviewed in a call of its own, which the engine makes: it is adrift, so it comes next. Any
    /// other question is asked as it was.
    fn change(&mut self, from: &Responder, wait: WaitId) -> Result<(), Refusal> {
        let refused = |why: &'static str| Err(Refusal(why.into()));
        self.may_change_now()?;
        let asked = self.changeable(wait).filter(|wait| may_answer(&self.state, wait, from));
        if let Some(asked) = asked.cloned() {
            if self.state.status == Status::Paused {
                self.wake();
            }
            self.ask_anew(asked);
            return Ok(());
        }
        let Some((data_type, data)) = self.reviewed_in(wait) else {
            return refused(messages::interview::NOTHING_TO_CHANGE);
        };
        if self.state.status == Status::Paused {
            self.wake();
        }
        if let Some(open) = self.open_review(&data_type) {
            self.show(open);
            return Ok(());
        }
        let args =
            json!({ "dataType": data_type, "data": data, "message": messages::interview::CHANGE });
        let origin = Origin::Person { by: from.person.clone(), may_decide: false };
        let call = self.call("change", "submit_for_validation", args, origin);
        self.begin(&call);
        Ok(())
    }

    fn nudge(&mut self) -> Result<(), Refusal> {
        if self.state.handoff.is_some() {
            return Err(Refusal(messages::notices::HAND_BACK_FIRST.into()));
        }
        let mut pending = self.state.pending();
        let open = pending.find(|wait| blocks(wait) && !is_for_deciders(wait)).map(|wait| wait.id);
        drop(pending);
        let Some(wait) = open else {
            return Err(Refusal(messages::notices::NOTHING_TO_REMIND_OF.into()));
        };
        self.post_offering(
            messages::interview::REMINDER,
            &[Offered::Later, Offered::StopReminders],
        );
        self.show(wait);
        Ok(())
    }

    fn end(&mut self, reason: &str) {
        if matches!(self.state.status, Status::Completed | Status::Ended) {
            return;
        }
        self.cancel_open("the conversation was ended");
        self.emit(Event::StatusChanged { to: Status::Ended, reason: reason.to_owned() });
        self.audit("session_ended", [], [("reason", json!(reason))]);
        self.post(messages::interview::ENDED);
    }
}

#[cfg(test)]
mod tests {
    use super::Command;

    #[test]
    fn a_command_is_the_whole_message() {
        assert_eq!(Command::parse(" Stop. "), Some(Command::Stop));
        assert_eq!(Command::parse("delete my data"), Some(Command::Delete));
        assert_eq!(Command::parse("I want to stop working in retail"), None);
    }
}
