//! The staff's thread of a conversation: what stands at its head, and what staff write in it.

use slack_morphism::prelude::SlackBlock;

use super::{
    blocks::{Button, actions, confirm, drawn, note, plain, section},
    limits,
    render::{Message, text::escape},
};
use crate::{
    engine::Look,
    form::words,
    ids::SessionId,
    interview::{Command, State, evidence},
};

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
    const ALL: [Self; 4] = [Self::TakeOver, Self::HandBack, Self::Nudge, Self::End];

    const fn name(self) -> &'static str {
        match self {
            Self::TakeOver => "take_over",
            Self::HandBack => "hand_back",
            Self::Nudge => "nudge",
            Self::End => "end",
        }
    }

    const fn label(self) -> &'static str {
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

/// The head of the thread: who, which interview, how far, and what staff may do.
pub fn root(look: &Look) -> Message {
    let title = &look.flow.flow.title;
    let person = look.state.person_in_words();
    let text = format!("{person} · {title}");
    let mut blocks = vec![
        section(format!("*{}* · {}", escape(&person), escape(title))),
        note(format!(
            "{} {}",
            escape(&standing(look)),
            "Write in this thread to take over: what you write is passed on."
        )),
    ];
    blocks.extend(orders(look.state.session, &Order::ALL));
    Message { text, blocks: drawn(&blocks) }
}

/// How a conversation stands, in a sentence.
pub fn standing(look: &Look) -> String {
    let state: &State = &look.state;
    let status = words::of_status(state.status);
    match evidence::progress_line(state, &look.flow) {
        Some(line) => format!("{line} · {status}."),
        None => format!("{}.", capitalised(status)),
    }
}

/// Buttons for orders about a session.
pub(super) fn orders(session: SessionId, orders: &[Order]) -> Option<SlackBlock> {
    let button = |order: &Order| {
        let button = Button::new(order.id(session), order.label());
        if *order == Order::End {
            let text = "Nothing more is asked. What was said is kept.";
            let mut sure = confirm("End the conversation?", text, "End", true);
            // Cancel would be the conversation.
            sure.deny = plain("Go back", limits::CONFIRM_BUTTON);
            button.danger().asking(sure).build()
        } else {
            button.build()
        }
    };
    actions(orders.iter().map(button).collect())
}

/// What a staff member's words in the thread are: an order where they are one as a whole, otherwise words for the
/// participant.
pub fn command(text: &str) -> Command {
    let bare = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    match bare.as_str() {
        "take over" => Command::TakeOver,
        "hand back" | "resume" | "continue" => Command::HandBack,
        "nudge" => Command::Nudge,
        _ => match bare.strip_prefix("end:") {
            Some(_) => {
                let reason = text.trim().get(4..).unwrap_or_default().trim().to_owned();
                Command::End { reason }
            }
            None => Command::Write { text: text.trim().to_owned() },
        },
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
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

    #[test]
    fn words_in_the_thread_are_passed_on_unless_they_are_an_order() {
        assert_eq!(command(" Hand back. "), Command::HandBack);
        assert_eq!(
            command("END: wrong person"),
            Command::End { reason: "wrong person".to_owned() }
        );
        assert_eq!(
            command("I take over now, Ada"),
            Command::Write { text: "I take over now, Ada".to_owned() }
        );
    }
}
