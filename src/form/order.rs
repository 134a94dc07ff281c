//! What staff order about a conversation by buttons: the same on every platform.

use crate::{ids::SessionId, interview::Command};

/// An order of staff, as a button of the thread names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// `[Take over]`
    TakeOver,
    /// `[Hand back]`
    HandBack,
    /// `[Nudge]`
    Nudge,
    /// `[End]`
    End,
}

impl Order {
    /// All of them, in the order of the buttons.
    pub const ALL: [Self; 4] = [Self::TakeOver, Self::HandBack, Self::Nudge, Self::End];

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
            Self::TakeOver => "Take over",
            Self::HandBack => "Hand back",
            Self::Nudge => "Nudge",
            Self::End => "End",
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

    /// Reads an id made by [`Order::id`].
    pub fn parse(id: &str) -> Option<(Self, SessionId)> {
        let (name, session) = id.strip_prefix("order.")?.split_once('.')?;
        let order = Self::ALL.into_iter().find(|order| order.name() == name)?;
        Some((order, SessionId::from_short(session)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::CountingIds;

    #[test]
    fn an_order_survives_its_button() {
        let session = SessionId::mint(&CountingIds::default());
        for order in Order::ALL {
            assert_eq!(Order::parse(&order.id(session)), Some((order, session)));
        }
        assert_eq!(Order::parse("order.burn.AAAA"), None);
    }
}
