//! Messages that only Slack shows; their words are in the catalogue.

use reqwest::Url;
use serde_json::Value;
use slack_morphism::prelude::SlackBlock;

use super::{
    blocks::{Button, actions, note, section, to_json},
    limits,
    render::{
        Message,
        text::{literal, parts},
    },
};
use crate::{
    base::ids::SessionId,
    chat::{handler::ButtonId, profile},
    config::Approvers,
    messages,
    model::ui::Offered,
    session::State,
};

/// Words as they were written, without any markup.
pub fn plain(text: &str) -> Vec<Message> {
    let parts = parts(text, PIECE);
    let message = |parts: &[String]| {
        let blocks: Vec<_> = parts.iter().map(|part| section(literal(part))).collect();
        let text = parts.first().map(|part| literal(part)).unwrap_or_default();
        Message { text, blocks: to_json(&blocks) }
    };
    parts.chunks(PIECES).map(message).collect()
}

/// Characters of a piece of plain words: it fits into a block though each of them may be escaped.
const PIECE: usize = limits::SECTION / 5;

/// Pieces in a message.
const PIECES: usize = 4;

/// The line that says how far one is, with help beside it.
pub fn progress(text: &str, session: SessionId) -> Message {
    let text = literal(text);
    let mut blocks = to_json(&[note(text.as_str())]);
    let help = Button::new(ButtonId::help(session), messages::buttons::HELP).build();
    blocks.extend(to_json(actions(vec![help]).as_slice()));
    Message { text, blocks }
}

/// What works in a conversation, for whoever asks.
pub fn help(session: SessionId) -> Message {
    let text = messages::slack::HELP.to_owned();
    let mut blocks = to_json(&[section(text.as_str())]);
    blocks.extend(offered(&Offered::HELP, session));
    Message { text, blocks }
}

/// How a request was decided.
pub fn decided(what: &str, user: &str) -> Message {
    let text = messages::requests::decided_by(&literal(what), &format!("<@{user}>"));
    Message { blocks: to_json(&[section(text.as_str())]), text }
}

/// Those who decide, called by their groups and names; nobody where none is listed.
pub fn called(approvers: &Approvers) -> Option<Message> {
    let text = mentions(approvers)?;
    Some(Message { blocks: to_json(&[section(text.as_str())]), text })
}

/// Those who decide as mentions; `None` if none is listed.
pub fn mentions(approvers: &Approvers) -> Option<String> {
    let groups = approvers.slack_groups.iter().map(|group| format!("<!subteam^{group}>"));
    let users = approvers.slack_users.iter().map(|user| format!("<@{user}>"));
    let all: Vec<String> = groups.chain(users).take(CALLED_MAX).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// Groups and people that are called at once.
const CALLED_MAX: usize = 10;

/// A copy of everything, for whoever wants one, and the end of it.
pub(crate) fn copy_offered(session: SessionId) -> Message {
    let text = messages::interview::COPY_OFFERED.to_owned();
    let mut blocks = to_json(&[section(text.as_str())]);
    blocks.extend(copy_buttons(session));
    Message { text, blocks }
}

/// The buttons of a copy, for a message that says more.
pub(crate) fn copy_buttons(session: SessionId) -> Vec<Value> {
    to_json(copy_row(session).as_slice())
}

/// The buttons of a copy as a block.
pub(super) fn copy_row(session: SessionId) -> Option<SlackBlock> {
    let button = |id, label| Button::new(id, label).build();
    actions(vec![
        button(ButtonId::copy(session), messages::buttons::DOWNLOAD_MY_ANSWERS),
        button(ButtonId::delete(session), messages::buttons::DELETE_MY_DATA),
    ])
}

/// A button that opens an address.
pub fn link(label: &str, page: Url) -> Vec<Value> {
    to_json(actions(vec![Button::new("open".to_owned(), label).link(page).build()]).as_slice())
}

/// The buttons under a message that offers commands; empty if it offers nothing.
pub fn offered(offers: &[Offered], session: SessionId) -> Vec<Value> {
    let button = |offered: &Offered| {
        let (id, label) = ButtonId::offer(*offered, session);
        Button::new(id, label).build()
    };
    let row = actions(offers.iter().map(button).collect());
    to_json(row.as_slice())
}

/// The buttons under what the team reads of somebody, for those who may.
pub fn about(state: &State) -> Vec<Value> {
    let buttons = profile::buttons(state);
    let buttons = buttons.into_iter().map(|(id, label)| Button::new(id, label).build());
    to_json(actions(buttons.collect()).as_slice())
}

/// Begins a conversation in a channel, with somebody who cannot be written to directly.
pub(crate) fn moved_here(user: &str) -> Message {
    let text = messages::slack::moved_here(user);
    Message { blocks: to_json(&[section(text.as_str())]), text }
}

/// Begins the rest of a conversation in a channel, where the thread it stood in takes no messages any more.
pub(crate) fn goes_on_here(user: &str) -> Message {
    let text = messages::slack::goes_on_here(user);
    Message { blocks: to_json(&[section(text.as_str())]), text }
}
