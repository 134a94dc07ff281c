//! Words that only Slack shows.

use reqwest::Url;
use serde_json::Value;
use slack_morphism::prelude::SlackBlock;

use super::{
    blocks::{Button, actions, drawn, note, section},
    limits,
    render::{
        Message, markdown,
        text::{literal, parts},
    },
};
use crate::{
    base::ids::SessionId,
    chat::{form::words::Words, handler::ButtonId, profile},
    config::Approvers,
    model::ui::Offered,
    session::State,
};

/// Words as they were written, without any markup.
pub fn plain(text: &str) -> Vec<Message> {
    let parts = parts(text, PIECE);
    let message = |parts: &[String]| {
        let blocks: Vec<_> = parts.iter().map(|part| section(literal(part))).collect();
        let text = parts.first().map(|part| literal(part)).unwrap_or_default();
        Message { text, blocks: drawn(&blocks) }
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
    let mut blocks = drawn(&[note(text.as_str())]);
    let help = Button::new(ButtonId::help(session), "Help").build();
    blocks.extend(drawn(actions(vec![help]).as_slice()));
    Message { text, blocks }
}

/// What works in a conversation, for whoever asks.
pub fn help(session: SessionId) -> Message {
    let text = "*What works here:*\n• Type your answer, or press a button on a card.\n• Drop a file into this thread.\n• For anything else there are these buttons:".to_owned();
    let mut blocks = drawn(&[section(text.as_str())]);
    blocks.extend(offered(&Offered::HELP, session));
    Message { text, blocks }
}

/// How a request was decided.
pub fn decided(what: &str, user: &str) -> Message {
    let text = format!("{} by <@{user}>.", literal(what));
    Message { blocks: drawn(&[section(text.as_str())]), text }
}

/// Those who decide, called by their groups and names; nobody where none is listed.
pub fn called(approvers: &Approvers) -> Option<Message> {
    let text = mentions(approvers)?;
    Some(Message { blocks: drawn(&[section(text.as_str())]), text })
}

/// Those who decide as mentions; none where none is listed.
pub fn mentions(approvers: &Approvers) -> Option<String> {
    let groups = approvers.slack_groups.iter().map(|group| format!("<!subteam^{group}>"));
    let users = approvers.slack_users.iter().map(|user| format!("<@{user}>"));
    let all: Vec<String> = groups.chain(users).take(CALLED_MAX).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// Groups and people that are called at once.
const CALLED_MAX: usize = 10;

/// A copy of everything, for whoever wants one, and the end of it.
pub fn copy_offered(session: SessionId) -> Message {
    let text = "You can have a copy of everything.".to_owned();
    let mut blocks = drawn(&[section(text.as_str())]);
    blocks.extend(copy_buttons(session));
    Message { text, blocks }
}

/// The buttons of a copy, for a message that says more.
pub fn copy_buttons(session: SessionId) -> Vec<Value> {
    drawn(copy_row(session).as_slice())
}

/// The same as a block.
pub(super) fn copy_row(session: SessionId) -> Option<SlackBlock> {
    let button = |id, offered: Offered| Button::new(id, offered.label()).build();
    actions(vec![
        button(ButtonId::copy(session), Offered::Export),
        button(ButtonId::delete(session), Offered::Delete),
    ])
}

/// A button that opens an address.
pub fn link(label: &str, page: Url) -> Vec<Value> {
    drawn(actions(vec![Button::new("open".to_owned(), label).link(page).build()]).as_slice())
}

/// The buttons under a message that offers commands; none where it offers nothing.
pub fn offered(offers: &[Offered], session: SessionId) -> Vec<Value> {
    let button = |offered: &Offered| {
        Button::new(ButtonId::offer(*offered, session), offered.label()).build()
    };
    let row = actions(offers.iter().map(button).collect());
    drawn(row.as_slice())
}

/// The buttons under what the team reads of somebody, for those who may.
pub fn about(state: &State) -> Vec<Value> {
    let buttons = profile::buttons(state);
    let buttons = buttons.into_iter().map(|(id, label)| Button::new(id, label).build());
    drawn(actions(buttons.collect()).as_slice())
}

/// A sentence with its time, as the reader's clock shows it. One with a time names people, so nothing in it is markup;
/// any other may stress its words.
pub fn sentence(words: &Words) -> String {
    match words.at {
        Some(at) => {
            let text = literal(&words.text);
            let fallback = at.format("%d %b, %H:%M UTC");
            format!("{text} <!date^{}^{{date_short_pretty}}, {{time}}|{fallback}>.", at.timestamp())
        }
        None => markdown::parts(&words.text, limits::SECTION).join("\n"),
    }
}

/// A conversation has begun where the person is not looking.
pub const WROTE_TO_YOU: &str = "I've sent you a direct message; look under this app's messages.";

/// Begins a conversation in a channel, with somebody who cannot be written to directly.
pub fn moved_here(user: &str) -> Message {
    let text = format!(
        "<@{user}>, I can't send you direct messages, so let's talk here, in the thread below. Everyone in this channel can read it."
    );
    Message { blocks: drawn(&[section(text.as_str())]), text }
}

/// Begins the rest of a conversation in a channel, where the thread it stood in takes no messages any more.
pub fn goes_on_here(user: &str) -> Message {
    let text = format!(
        "<@{user}>, our earlier thread is closed, so let's continue here, in the thread below."
    );
    Message { blocks: drawn(&[section(text.as_str())]), text }
}

/// Whom somebody invited cannot be written to; what to do.
pub fn not_reached(user: &str) -> String {
    format!(
        "I cannot write to <@{user}> directly, so they have read nothing yet. Nothing is lost. Ask them to open this app \
         under “Apps” and to write to me there, or invite them once more when they can be written to. An operator can \
         also name a private channel that they and I are in, as `parent` of the interview."
    )
}

/// The same to whoever began their own conversation.
pub const OPEN_YOUR_MESSAGES: &str = "I can't write to you directly. Open this app under “Apps” and write to me there, and we'll go on.";

/// A form was opened before what it shows was changed elsewhere.
pub const CHANGED_MEANWHILE: &str =
    "This was changed in the meantime. Copy what you wrote, close this form and open it again.";

/// What somebody pressed or typed could not be saved, and Slack does not deliver it again.
pub const NOT_SAVED: &str = "That couldn't be saved right now. Please try again.";
