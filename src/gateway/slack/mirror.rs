//! The staff's thread of a conversation: what stands at its head.

use slack_morphism::prelude::SlackActionBlockElement;

use super::{
    blocks::{Button, actions, confirm, drawn, note, plain, section},
    limits,
    render::{Message, text::literal},
};
use crate::{
    engine::Look,
    form::{Order, glance},
    interview::State,
};

/// The head of the thread: who, which interview, how far, and what staff may do.
pub fn root(look: &Look) -> Message {
    let title = &look.flow.flow.title;
    let person = look.state.person_in_words();
    let text = format!("{person} · {title}");
    let mut blocks = vec![
        section(format!("*{}* · {}", literal(&person), literal(title))),
        note(format!(
            "{} {}",
            literal(&glance::standing(look)),
            "Write in this thread to take over: what you write is passed on."
        )),
    ];
    blocks.extend(actions(buttons(&look.state)));
    Message { text, blocks: drawn(&blocks) }
}

/// The same once the session is erased: nothing of anybody, and nothing to press.
pub fn erased() -> Message {
    let text = "This conversation was erased.";
    Message { text: text.to_owned(), blocks: drawn(&[note(text)]) }
}

/// Buttons for the orders that make sense.
pub(super) fn buttons(state: &State) -> Vec<SlackActionBlockElement> {
    let session = state.session;
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
    Order::offered(state).iter().map(button).collect()
}
