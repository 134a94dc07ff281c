//! Questions and messages to Block Kit. Pure: the same question and the same reader give the same blocks. Nothing that
//! a person or a model wrote is ever markup, and what does not fit degrades instead of failing: buttons become a
//! menu, a menu a form, long data is shortened with a button that shows the rest.
//!
//! ```text
//! card   a wait as a message, open or closed
//! modal  the form that one of its buttons opens
//! post   words of the bot, as one message or several
//! answer the model's own words, as one message or several
//! safe   the same words as Markdown in which nothing acts by itself
//! ```

use serde_json::Value;
use slack_morphism::prelude::SlackBlock;

use self::text::{clip_or, literal};
use crate::{
    chat::{
        card::{self, Reader, addressee},
        form::{ComponentId, Draft, is_blank, plain},
    },
    gateway::slack::{
        blocks::{self, Button, actions, context, header, section},
        limits,
    },
    messages,
    model::{
        ui::{Control, Prompt, Review},
        wait::Wait,
    },
};

pub mod answer;
pub mod markdown;
pub mod safe;
pub mod text;

mod closed;
mod forms;
pub(in crate::gateway::slack) mod inputs;
pub(in crate::gateway::slack) mod markup;
mod open;
pub(in crate::gateway::slack) mod pages;
mod review;

/// Blocks that a card keeps free for what it ends with.
const SPARE_BLOCKS: usize = 6;

/// Small print of a card, in characters.
const NOTE: usize = 300;

/// A message: what Slack draws, and the words for where it draws nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Message {
    /// For notifications and screen readers; escaped.
    pub text: String,
    /// Block Kit.
    pub blocks: Vec<Value>,
}

/// What a rendering depends on beside the question itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cx {
    /// Who reads it.
    pub reader: Reader,
    /// A script asks, and no model: who reads a note depends on it.
    pub is_scripted: bool,
    /// Who has invited the participant, as a mention, for the card that tells them what it is about.
    pub invited_by: Option<String>,
    /// Those who are asked to decide, as mentions.
    pub deciders: Option<String>,
    /// What a form carries to find its message again; never an answer.
    pub metadata: String,
}

/// The blocks of a message while it is made, within what Slack takes.
#[derive(Debug)]
struct Room {
    blocks: Vec<SlackBlock>,
    /// Text that may still come, in characters.
    left: usize,
    blocks_left: usize,
    is_cut: bool,
}

impl Room {
    /// Adds a block where there is room for it; remembers where there is none.
    fn add(&mut self, block: SlackBlock) -> bool {
        self.add_all(vec![block])
    }

    fn add_all(&mut self, blocks: Vec<SlackBlock>) -> bool {
        let weight = blocks::weight(&blocks);
        if self.is_cut || weight > self.left || blocks.len() > self.blocks_left {
            self.is_cut = true;
            return false;
        }
        self.left -= weight;
        self.blocks_left -= blocks.len();
        self.blocks.extend(blocks);
        true
    }

    /// Adds what is not missed where there is no room.
    fn add_quietly(&mut self, block: SlackBlock) {
        let was_cut = self.is_cut;
        self.add(block);
        self.is_cut = was_cut;
    }
}

/// A question as a message, however it stands.
pub fn card(wait: &Wait, cx: &Cx) -> Message {
    let prompt = &wait.prompt;
    let is_open = wait.status.is_pending();
    let question = card::Open::of(wait, cx.reader.audience, &Draft::default());
    let pressed = question.as_ref().map(|question| open::pressed(wait, question, cx));
    let notes: Vec<String> =
        card::notes(wait).take(4).map(|note| blocks::said(&note, NOTE)).collect();
    let (reserved, rows) =
        pressed.as_ref().map_or((0, 0), |pressed| (blocks::weight(pressed), pressed.len()));
    // What is small and always there is taken off first: a note, a line that says how it ended, a button for the rest.
    let aside = reserved
        + notes.iter().map(|note| note.encode_utf16().count()).sum::<usize>()
        + 2 * limits::VALUE_SHOWN;
    let mut room = Room {
        blocks: Vec::new(),
        left: limits::MESSAGE_TOTAL_OURS.saturating_sub(aside),
        blocks_left: limits::MESSAGE_BLOCKS - SPARE_BLOCKS - rows,
        is_cut: false,
    };
    head(prompt, cx, &mut room);
    let has_data =
        matches!(prompt.control, Control::Review(_) | Control::Decide(_) | Control::Choose(_));
    let body_max = if has_data { room.left / 2 } else { room.left };
    body(&prompt.body.common_mark(), body_max, &mut room);
    let was_cut = std::mem::take(&mut room.is_cut);
    let mut below = Vec::new();
    match &question {
        Some(question) => {
            open::told(wait, question, cx, &mut room);
            below.extend(pressed.into_iter().flatten());
        }
        None if is_open => {
            let whom =
                literal(&clip_or(&addressee(wait), limits::QUOTE, messages::forms::SOMEBODY));
            below.push(context(&[messages::forms::waiting_for(&whom)]));
        }
        None => below.extend(closed::render(wait, cx, &mut room)),
    }
    let is_cut = was_cut || room.is_cut;
    let mut blocks = room.blocks;
    if blocks.is_empty() && below.is_empty() {
        blocks.push(section("*Question*"));
    }
    if is_cut {
        let id = ComponentId::id(wait.id, wait.revision, "read");
        blocks.push(context(&[messages::forms::SHORTENED.to_owned()]));
        blocks.extend(actions(vec![Button::new(id, messages::buttons::SHOW_ALL).build()]));
    }
    blocks.extend(below);
    if is_open && !notes.is_empty() {
        blocks.push(context(&notes));
    }
    Message { text: spoken(wait, cx), blocks: blocks::to_json(&blocks) }
}

/// What a question is called, and who has invited the person whom it greets.
fn head(prompt: &Prompt, cx: &Cx, room: &mut Room) {
    if let Some(title) = card::title(prompt) {
        room.add(header(&title));
    }
    if let Some(inviter) = &cx.invited_by {
        room.add(section(messages::forms::invited_by(inviter)));
    }
}

/// The question itself, as far as there is room.
fn body(markdown: &str, max: usize, room: &mut Room) {
    let mut left = max;
    for part in markdown::parts(markdown, limits::SECTION) {
        let length = part.encode_utf16().count();
        if length > left {
            room.is_cut = true;
            return;
        }
        left -= length;
        if !room.add(section(part)) {
            return;
        }
    }
}

/// A question in words: its title and body, what there is to choose from, or what became of it.
fn spoken(wait: &Wait, cx: &Cx) -> String {
    let prompt = &wait.prompt;
    let mut words: Vec<String> = Vec::new();
    words.extend(card::title(prompt));
    let body = plain(&prompt.body.common_mark());
    if !is_blank(&body) {
        words.push(body);
    }
    if let (true, Control::Choose(choose)) = (wait.status.is_pending(), &prompt.control) {
        let labels =
            choose.choices.iter().enumerate().take(20).map(|(n, choice)| inputs::label(n, choice));
        words.push(messages::forms::choices(&labels.collect::<Vec<_>>()));
    }
    let question =
        literal(&clip_or(&words.join(" — "), limits::MESSAGE_TEXT / 2, messages::forms::QUESTION));
    match closed::spoken(wait, cx) {
        Some(outcome) => format!("{outcome} ({question})"),
        None => question,
    }
}

/// The form that `action` of a card opens; `None` if that action is an answer by itself.
pub fn modal(wait: &Wait, action: &str, cx: &Cx) -> Option<Value> {
    forms::render(wait, action, cx)
}

/// The form that asks why an answer has not helped; what is typed stands under `reason`.
pub(in crate::gateway::slack) fn reason(callback: String, metadata: String) -> Value {
    forms::reason(callback, metadata)
}

/// What was approved on a card, for those who may read it.
pub(in crate::gateway::slack) fn approved(wait: &Wait, review: &Review) -> Vec<SlackBlock> {
    forms::approved(wait, review)
}

/// The edit form with one more entry added, removed or moved: `view` is the action in its callback id, `action` the
/// button that was pressed in it. Slack keeps what was typed. Nothing is saved yet.
pub fn rearranged(wait: &Wait, view: &str, action: &str, cx: &Cx) -> Option<Value> {
    let is_form = view.starts_with("save") && pages::is_step(action);
    is_form.then(|| forms::render(wait, &format!("{view}+{action}"), cx)).flatten()
}

/// Words of the bot as messages, cut at borders of paragraphs.
pub fn post(markdown: &str) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut parts: Vec<String> = Vec::new();
    let mut length = 0;
    for part in markdown::parts(markdown, limits::SECTION) {
        let more = part.encode_utf16().count();
        if length + more > limits::MESSAGE_TOTAL_OURS {
            messages.push(message(std::mem::take(&mut parts)));
            length = 0;
        }
        length += more;
        parts.push(part);
    }
    if !parts.is_empty() {
        messages.push(message(parts));
    }
    messages
}

/// One message of finished mrkdwn.
fn message(parts: Vec<String>) -> Message {
    let words = parts.join("\n");
    let text = if words.encode_utf16().count() <= limits::MESSAGE_TEXT {
        words
    } else {
        parts.first().cloned().unwrap_or_default()
    };
    Message { text, blocks: parts.into_iter().map(|part| blocks::json(&section(part))).collect() }
}
