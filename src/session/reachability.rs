//! A participant who cannot be reached, and who can be again.

use serde_json::json;

use super::{
    Changes, SessionView,
    state::{FailedDelivery, OUT_OF_REACH},
    view::is_for_deciders,
};
use crate::{
    base::ids::WaitId,
    messages,
    model::{
        effect::Recipient,
        session::Status,
        transcript::{Closing, Event},
    },
};

impl Changes {
    /// Nothing reaches the participant any more, `why` in a few words: the session pauses, requests about it are
    /// withdrawn, staff are told. Again, or while nothing is asked: changes nothing.
    pub(super) fn lose_touch(&mut self, why: &str) {
        if !matches!(self.state.status, Status::Notice | Status::Open) {
            return;
        }
        let closing = Closing::Cancelled { reason: "the participant cannot be reached".to_owned() };
        self.close_all(is_for_deciders, &closing, "withdrawn", "the request was withdrawn");
        let reason = format!("{OUT_OF_REACH}{why}");
        self.emit(Event::StatusChanged { to: Status::Paused, reason });
        self.audit("out_of_reach", [("why", json!(why))], []);
        let person = self.state.person_in_words();
        let channel = self.flow.flow.handoff.channel.clone();
        let text = if self.is_loss_told(why) {
            messages::staff::still_out_of_reach(&person)
        } else {
            messages::staff::out_of_reach(&person, why)
        };
        self.post_to_staff(channel.as_deref(), text);
    }

    /// The participant can be reached again: what was open is shown again, and the conversation goes on. Where it had
    /// not been out of reach, nothing changes.
    pub(super) fn be_in_touch(&mut self) {
        if !self.state.is_out_of_reach {
            return;
        }
        self.wake();
        let open: Vec<WaitId> = self.state.pending().map(|wait| wait.id).collect();
        for wait in open {
            self.show(wait);
        }
    }
}

impl SessionView {
    /// Whether staff have read of a message that did not arrive for the same reason.
    fn is_loss_told(&self, why: &str) -> bool {
        let is_same =
            |failed: &FailedDelivery| failed.to == Recipient::Participant && failed.reason == why;
        self.state.failed.iter().any(is_same)
    }
}
