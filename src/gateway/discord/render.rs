//! Questions and messages to components. Pure: the same question, draft and reader give the same message. Nothing that
//! a person or a model wrote is ever markup, and what does not fit degrades instead of failing: buttons become menus,
//! menus a form, a form several pages, and a text that is too long has a button that turns its pages.
//!
//! ```text
//! card   a wait as a message, open or closed
//! modal  the form that one of its controls opens
//! aside  what one person alone sees: "are you sure?", the whole of a text that was shortened
//! post   words of the bot, as one message or several
//! ```

pub use self::components::Modal;
use self::{
    body::Body,
    component::Component,
    components::Weight,
    text::{is_blank, said},
};
pub use crate::chat::form::MessageAccess;

use crate::{
    base::ids::SessionId,
    chat::{
        card::{self, Reader, addressee},
        form::{ComponentId, Draft},
        handler::ButtonId,
    },
    gateway::discord::{
        greeting::greeting,
        kinds::{IS_COMPONENTS_V2, MessageFlags},
        limits,
    },
    messages,
    model::{
        audit::sha256,
        transcript::Audience,
        ui::{Control, Offered},
        wait::{Answerers, Purpose, Wait},
    },
};

pub mod body;
pub mod component;
pub mod markdown;
pub mod markup;
pub mod text;

mod atom;
mod closed;
pub(in crate::gateway::discord) mod components;
pub(super) mod ephemeral;
mod forms;
pub(in crate::gateway::discord) mod inputs;
mod open;
pub(in crate::gateway::discord) mod pages;
mod request;
mod review;
mod table;

/// Small print of a card, in characters.
const NOTE: usize = 200;

/// Colours of a card's bar. What they say is said in words too.
pub(in crate::gateway::discord) const OPEN: u32 = 0x58_65_F2;
pub(in crate::gateway::discord) const GOOD: u32 = 0x24_80_46;
pub(in crate::gateway::discord) const BAD: u32 = 0xDA_37_3C;
pub(in crate::gateway::discord) const OVER: u32 = 0x80_84_8E;

/// A message: words, perhaps with rows of buttons under them, or components of the newer kind. Words stand in notifications;
/// Discord takes none beside newer components.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Message {
    /// Markdown; empty where there are components V2.
    pub content: String,
    /// Components V2; under words rows of buttons alone.
    pub components: Vec<Component>,
}

impl Message {
    /// Made of components V2.
    pub(in crate::gateway::discord) fn of(components: Vec<Component>) -> Self {
        Self { content: String::new(), components }
    }

    /// A card: components with a bar beside them.
    pub(in crate::gateway::discord) fn card(components: Vec<Component>, colour: u32) -> Self {
        Self::of(vec![components::container(components, colour)])
    }

    /// The message as the body of a request. Nobody is called by it, whatever its words say. Links in words bring no preview.
    pub fn body(&self) -> Body {
        let (content, flags) = if self.is_words() {
            (Some(self.content.clone()), MessageFlags::SUPPRESS_EMBEDS)
        } else {
            (None, IS_COMPONENTS_V2)
        };
        Body::new(content, self.components.clone(), flags)
    }

    /// Whether it is made of words, whatever stands under them.
    fn is_words(&self) -> bool {
        self.components.is_empty() || !self.content.is_empty()
    }

    /// How it looks, in short.
    pub fn digest(&self) -> String {
        sha256(self.body().json().to_string().as_bytes())
    }

    /// The message with a greeting before it that mentions somebody; `None` if it is too long for that.
    pub fn greeting(&self, user: &str) -> Option<Self> {
        let greeting = greeting(user);
        if self.is_words() {
            let content = format!("{greeting}\n{}", self.content);
            let fits = text::units(&content) <= limits::CONTENT;
            return fits.then(|| Self { content, components: self.components.clone() });
        }
        let components: Vec<Component> =
            [components::text(&greeting)].into_iter().chain(self.components.clone()).collect();
        let fits = Weight::ALL.checked_sub(Weight::of(&components)).is_some();
        fits.then(|| Self::of(components))
    }
}

/// What a rendering depends on beside the question itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cx {
    /// Who reads it.
    pub reader: Reader,
    /// What was entered already and not sent yet.
    pub draft: Draft,
    /// Which written words reach the bot.
    pub message_access: MessageAccess,
    /// Those who are called to decide, as mentions.
    pub called: Option<String>,
    /// Address of the conversation, for deciders.
    pub conversation: Option<String>,
    /// Largest file that this person may send, in bytes, where an interaction said so.
    pub file_max: Option<u64>,
    /// How far the conversation is: `Step 1 of 4 · Rules · 0/2`.
    pub progress: Option<String>,
    /// Who has invited the participant, as a mention.
    pub invited_by: Option<String>,
    /// Whom a request is about.
    pub asker: Option<Asker>,
    /// What the roles are called that were given for the answer.
    pub roles_given: Vec<String>,
    /// A script asked, and no model.
    pub is_scripted: bool,
}

/// Whom a request is about, as Discord shows them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asker {
    /// A mention.
    pub mention: String,
    /// Address of their picture.
    pub avatar: Option<String>,
    /// Mentions of the roles that they want.
    pub roles: Vec<String>,
}

impl Cx {
    /// Whether it is the participant who is asked, and who reads it.
    fn is_participants(&self, wait: &Wait) -> bool {
        matches!(wait.answerers, Answerers::Participant)
            && self.reader.audience == Audience::Participant
    }
}

/// The components of a card while it is made, within what Discord takes.
#[derive(Debug)]
struct Room {
    components: Vec<Component>,
    left: Weight,
    is_cut: bool,
}

impl Room {
    fn new() -> Self {
        Self { components: Vec::new(), left: Weight::IN_CARD, is_cut: false }
    }

    /// Keeps room for what is always there.
    fn reserve(&mut self, components: &[Component]) {
        self.left = self.left.checked_sub(Weight::of(components)).unwrap_or_default();
    }

    /// Adds components where there is room for all of them; remembers where there is none.
    fn add(&mut self, components: Vec<Component>) -> bool {
        match self.left.checked_sub(Weight::of(&components)) {
            Some(left) if !self.is_cut => {
                self.left = left;
                self.components.extend(components);
                true
            }
            Some(_) | None => {
                self.is_cut = true;
                false
            }
        }
    }

    /// Adds a text as far as there is room, within a part of what is left.
    fn add_text(&mut self, markdown: &str, share: usize) {
        let whole = self.left;
        self.left = Weight { units: whole.units / share, bytes: whole.bytes / share, ..whole };
        let lent = self.left;
        // The first part stands in any case, however little room there is.
        let sizes = [limits::TEXT_DISPLAY, 1_000, 500, 250, 120, 60];
        let fits =
            |part: &String| self.left.checked_sub(Weight::of(&[components::text(part)])).is_some();
        let cut = sizes.iter().map(|size| markdown::parts(markdown, *size));
        let parts = cut.into_iter().find(|parts| parts.first().is_none_or(fits));
        let parts = parts.unwrap_or_default();
        self.is_cut |= parts.is_empty() && !is_blank(markdown);
        for part in parts {
            if !self.add(vec![components::text(&part)]) {
                break;
            }
        }
        let used = lent.checked_sub(self.left).unwrap_or_default();
        self.left = whole.checked_sub(used).unwrap_or_default();
    }
}

/// A question as a message, however it stands.
pub fn card(wait: &Wait, cx: &Cx) -> Message {
    let prompt = &wait.prompt;
    let is_open = wait.status.is_pending();
    let parts = if !is_open {
        closed::render(wait, cx)
    } else if let Some(question) = card::Open::of(wait, cx.reader.audience, &cx.draft) {
        open::render(wait, &question, cx)
    } else {
        let whom = said(&addressee(wait), limits::QUOTE);
        CardParts {
            below: vec![components::small(&[messages::forms::waiting_for(&whom)])],
            ..CardParts::new(OPEN)
        }
    };
    let notes = card::notes(wait).filter(|_| is_open).take(4);
    let progress = cx.progress.iter().filter(|_| is_open && cx.is_participants(wait)).cloned();
    let notes = notes.chain(progress);
    let notes: Vec<String> = notes.map(|note| said(&text::one_line(&note), NOTE)).collect();
    let notes: Vec<Component> =
        if notes.is_empty() { Vec::new() } else { vec![components::small(&notes)] };
    let more = more(wait);
    let (body, offers) = told(wait, cx);
    let help = help(wait, cx, offers);
    let called = cx.called.iter().filter(|_| is_open).map(|called| components::text(called));
    let called: Vec<Component> = called.collect();
    let mut room = Room::new();
    for always in [&parts.below, &notes, &more, &help, &called] {
        room.reserve(always);
    }
    if let Some(title) = card::title(prompt) {
        room.add(vec![components::text(&format!(
            "### {}",
            said(&text::one_line(&title), limits::QUOTE)
        ))]);
    }
    if let Some(inviter) = cx.invited_by.as_ref().filter(|_| cx.is_participants(wait)) {
        room.add(vec![components::text(&messages::forms::invited_by(inviter))]);
    }
    room.add_text(&body, if parts.told.is_empty() { 1 } else { 2 });
    // Whatever was left out of the body, the data is told as far as there is room.
    let was_cut = std::mem::take(&mut room.is_cut);
    for part in parts.told {
        if !room.add(part) {
            break;
        }
    }
    let is_cut = was_cut || room.is_cut;
    let mut components = room.components;
    if components.is_empty() && parts.below.is_empty() {
        components.push(components::text("**Question**"));
    }
    if is_cut {
        components.extend(more);
    }
    components.extend(parts.below);
    components.extend(notes);
    components.extend(help);
    let card = components::container(components, parts.colour);
    Message::of(called.into_iter().chain([card]).collect())
}

/// The buttons under an open question of the participant: those its text offers, a person, and *Stop*.
fn help(wait: &Wait, cx: &Cx, offers: Vec<Offered>) -> Vec<Component> {
    if !wait.status.is_pending() || !cx.is_participants(wait) {
        return Vec::new();
    }
    let also = [Offered::Human, Offered::Stop].into_iter().chain(offers);
    let also = also.filter(|way| *way != Offered::Human || way_to_a_person(wait).is_none());
    helping(also, wait.session, cx.message_access)
}

/// What stands under every question where the bot cannot read what is typed: help, and each command once.
fn helping(
    offers: impl Iterator<Item = Offered>,
    session: SessionId,
    message_access: MessageAccess,
) -> Vec<Component> {
    if message_access == MessageAccess::All {
        return Vec::new();
    }
    let mut offers: Vec<Offered> = offers.collect();
    let mut known = Vec::new();
    offers.retain(|offered| {
        !known.contains(offered) && {
            known.push(*offered);
            true
        }
    });
    let buttons = offers.into_iter().map(|offered| components::offer(offered, session));
    let help = components::button(ButtonId::help(session), messages::buttons::HELP);
    components::rows([help].into_iter().chain(buttons))
}

/// What a question says, and which commands it offers where they cannot be typed.
fn told(wait: &Wait, cx: &Cx) -> (String, Vec<Offered>) {
    let message_access =
        if cx.is_participants(wait) { cx.message_access } else { MessageAccess::All };
    let (text, offers) = message_access.adapt(&wait.prompt.body.common_mark());
    match way_to_a_person(wait).filter(|_| message_access != MessageAccess::All) {
        Some(label) => (text.replace(messages::buttons::TALK_TO_A_PERSON, label), offers),
        None => (text, offers),
    }
}

/// The button of a notice that leads to a person, by its label.
fn way_to_a_person(wait: &Wait) -> Option<&str> {
    let Control::Choose(choose) = &wait.prompt.control else { return None };
    let is_notice = matches!(wait.purpose, Purpose::Notice);
    let human = choose.choices.iter().find(|choice| is_notice && choice.id == "human");
    human.map(|choice| choice.label.as_str())
}

/// Says that a card is shortened, with a button for the rest.
fn more(wait: &Wait) -> Vec<Component> {
    let id = ComponentId::id(wait.id, wait.revision, "read.0");
    let mut more = vec![components::small(&[messages::forms::SHORTENED.to_owned()])];
    more.extend(components::rows([components::button(id, messages::buttons::SHOW_ALL)]));
    more
}

/// What stands under the question.
struct CardParts {
    /// Read in this order; each part stands whole or not at all, and may be left out where there is no room.
    told: Vec<Vec<Component>>,
    /// Always there.
    below: Vec<Component>,
    colour: u32,
}

impl CardParts {
    const fn new(colour: u32) -> Self {
        Self { told: Vec::new(), below: Vec::new(), colour }
    }
}

/// The form that `action` of a card opens; `None` if that action opens none. `salt` is new for every opening, of
/// letters and digits, eight at most.
pub fn modal(wait: &Wait, action: &str, salt: &str, cx: &Cx) -> Option<Modal> {
    forms::render(wait, action, salt, cx)
}

/// The form that asks why an answer has not helped; what is typed stands under `reason`.
pub fn why(id: String) -> Modal {
    forms::why(id)
}

/// What `action` of a card shows to the person who used it alone; `None` if it shows nothing.
pub fn aside(wait: &Wait, action: &str, cx: &Cx) -> Option<Message> {
    ephemeral::render(wait, action, cx)
}

/// What is wrong with what was sent as `sent`, for the person who sent it alone.
pub fn wrong(wait: &Wait, sent: &str, complaints: &[String]) -> Message {
    ephemeral::wrong(wait, sent, complaints)
}

/// Words of the bot as messages, cut at borders of paragraphs. They are words and not components: those stand in no
/// notification.
pub fn post(markdown: &str) -> Vec<Message> {
    let parts = markdown::parts(markdown, limits::CONTENT);
    parts.into_iter().map(|content| Message { content, ..Message::default() }).collect()
}
