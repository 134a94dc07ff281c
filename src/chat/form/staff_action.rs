//! What staff order about a conversation by buttons: the same on every platform.

use crate::{
    base::ids::SessionId,
    messages,
    model::session::Status,
    session::{Command, State},
};

/// An order of staff, as a button of the thread names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StaffAction {
    /// `[Take over]`
    TakeOver,
    /// `[Hand back]`
    HandBack,
    /// `[Nudge]`
    Nudge,
    /// `[End]`
    End,
}

impl StaffAction {
    /// Those that make sense as the conversation stands, in the order of the buttons.
    pub fn offered(state: &State) -> Vec<Self> {
        let is_claimed = state.handoff.as_ref().map(|handoff| handoff.claimed_by.is_some());
        // After the end there is no assistant to keep quiet: what staff write is passed on all the same.
        let is_at_an_end = matches!(state.status, Status::Completed | Status::Ended);
        let may_take_over = is_claimed != Some(true) && !is_at_an_end;
        let may_nudge =
            is_claimed.is_none() && matches!(state.status, Status::Notice | Status::Open);
        let may_end = !state.status.is_over();
        let all = [
            (Self::TakeOver, may_take_over),
            (Self::HandBack, is_claimed.is_some() && !is_at_an_end),
            (Self::Nudge, may_nudge),
            (Self::End, may_end),
        ];
        all.into_iter().filter_map(|(order, may)| may.then_some(order)).collect()
    }

    const ALL: [Self; 4] = [Self::TakeOver, Self::HandBack, Self::Nudge, Self::End];

    const fn name(self) -> &'static str {
        match self {
            Self::TakeOver => "take_over",
            Self::HandBack => "hand_back",
            Self::Nudge => "nudge",
            Self::End => "end",
        }
    }

    /// What its button says.
    pub const fn label(self) -> &'static str {
        match self {
            Self::TakeOver => messages::buttons::TAKE_OVER,
            Self::HandBack => messages::buttons::HAND_BACK,
            Self::Nudge => messages::buttons::SEND_REMINDER,
            Self::End => messages::buttons::END,
        }
    }

    /// As the core knows it.
    pub fn command(self) -> Command {
        match self {
            Self::TakeOver => Command::TakeOver,
            Self::HandBack => Command::HandBack,
            Self::Nudge => Command::Nudge,
            Self::End => Command::End { reason: "ended by the team".to_owned() },
        }
    }

    /// The id of the button that gives this order for a session.
    pub fn id(self, session: SessionId) -> String {
        format!("order.{}.{}", self.name(), session.short())
    }

    /// Reads an id made by [`StaffAction::id`].
    pub fn parse(id: &str) -> Option<(Self, SessionId)> {
        let (name, session) = id.strip_prefix("order.")?.split_once('.')?;
        let order = Self::ALL.into_iter().find(|order| order.name() == name)?;
        Some((order, SessionId::from_short(session)?))
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use serde_json::json;

    use super::*;
    use crate::{
        base::ids::CountingIds,
        model::{session::PersonId, transcript::Started},
        session::state::Handoff,
    };

    fn state_of(session: SessionId) -> State {
        let started = json!({ "session": session, "participant": "web:local/ada",
            "flow": { "id": "short", "version": "1.0.0", "digest": "d" },
            "place": { "platform": "web", "workspace": "local", "channel": "here" } });
        let started: Started = serde_json::from_value(started).unwrap();
        State::begin(&started, DateTime::UNIX_EPOCH)
    }

    #[test]
    fn only_orders_that_make_sense_are_offered() {
        let session = SessionId::mint(&CountingIds::default());
        let mut state = state_of(session);
        let labels = |state: &State| -> Vec<&str> {
            StaffAction::offered(state).into_iter().map(StaffAction::label).collect()
        };
        assert_eq!(
            labels(&state),
            [
                messages::buttons::TAKE_OVER,
                messages::buttons::SEND_REMINDER,
                messages::buttons::END
            ]
        );
        state.handoff =
            Some(Handoff { reason: String::new(), asked_at: state.created_at, claimed_by: None });
        assert_eq!(
            labels(&state),
            [messages::buttons::TAKE_OVER, messages::buttons::HAND_BACK, messages::buttons::END]
        );
        let grace = (PersonId::web("grace"), "Grace".to_owned());
        state.handoff.as_mut().unwrap().claimed_by = Some(grace);
        assert_eq!(labels(&state), [messages::buttons::HAND_BACK, messages::buttons::END]);
        state.handoff = None;
        state.status = Status::Completed;
        assert_eq!(labels(&state), [""; 0]);
        state.status = Status::Ended;
        assert_eq!(labels(&state), [""; 0]);
    }

    #[test]
    fn an_order_survives_its_button() {
        let session = SessionId::mint(&CountingIds::default());
        for order in StaffAction::ALL {
            assert_eq!(StaffAction::parse(&order.id(session)), Some((order, session)));
        }
        assert_eq!(StaffAction::parse("order.burn.AAAA"), None);
    }
}
