//! The staff's thread of a conversation: what stands at its head.

use slack_morphism::prelude::SlackActionBlockElement;

use super::{
    blocks::{Button, actions, bold, confirm, note, plain, section, to_json},
    limits,
    render::{
        Message,
        text::{literal, person},
    },
};
use crate::{
    chat::form::{StaffAction, overview},
    engine::Look,
    messages,
    model::session::{Platform, Status},
    session::{State, name_of},
};

/// The head of the thread: who, which interview, how far, and what staff may do.
pub(crate) fn root(look: &Look) -> Message {
    let title = &look.flow.flow.title;
    let person = name_of(&look.state);
    let text = literal(&format!("{person} · {title}"));
    let state = &look.state;
    let mut blocks = vec![
        section(format!("{} · {}", whom(state, &person), literal(title))),
        note(format!("{} {}", literal(&overview::status_line(look)), how(state, &person))),
    ];
    blocks.extend(actions(buttons(state)));
    Message { text, blocks: to_json(&blocks) }
}

/// A person by their name, and as a mention: pressing it opens their profile.
fn whom(state: &State, name: &str) -> String {
    let name = bold(&literal(name));
    match state.participant.platform {
        Platform::Slack => format!("{name} ({})", person(&state.participant, "")),
        Platform::Discord | Platform::Web => name,
    }
}

/// What comes of writing in the thread.
fn how(state: &State, name: &str) -> String {
    let name = literal(name);
    let claimed = state.handoff.as_ref().and_then(|handoff| handoff.claimed_by.as_ref());
    match (state.status, claimed) {
        (Status::Completed | Status::Ended, _) => messages::staff::passed_on_to(&name),
        (_, Some((by, by_name))) => messages::staff::taken_over_by(&person(by, by_name), &name),
        (_, None) => messages::staff::WRITE_TO_TAKE_OVER.to_owned(),
    }
}

/// The head of the thread once the session is erased: nothing of anybody, and nothing to press.
pub(crate) fn erased() -> Message {
    let text = messages::staff::ERASED;
    Message { text: text.to_owned(), blocks: to_json(&[note(text)]) }
}

/// Buttons for the orders that make sense.
pub(super) fn buttons(state: &State) -> Vec<SlackActionBlockElement> {
    let session = state.session;
    let button = |order: &StaffAction| {
        let button = Button::new(order.id(session), order.label());
        if *order == StaffAction::End {
            let text = messages::staff::END_MEANS;
            let mut sure =
                confirm(messages::staff::END_QUESTION, text, messages::buttons::END, true);
            // Cancel would be the conversation.
            sure.deny = plain(messages::buttons::GO_BACK, limits::CONFIRM_BUTTON);
            button.danger().asking(sure).build()
        } else {
            button.build()
        }
    };
    StaffAction::offered(state).iter().map(button).collect()
}
