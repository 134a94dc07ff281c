//! What one person alone sees after pressing a button: whether they are sure, and all of a card that was too long for
//! its message, page by page.
#![warn(clippy::wildcard_enum_match_arm)] // a new control must be rendered, not ignored

use super::{
    BAD, Cx, Message, OPEN, closed,
    component::Component,
    components::{self, Weight, rows, small},
    markdown, open,
    text::{is_blank, one_line, parts, said},
};
use crate::{
    chat::{
        card::{self, Action, Emphasis},
        form::{ComponentId, shown},
        profile,
    },
    gateway::discord::limits,
    messages,
    model::{
        ui::{Control, Field, Group, Review},
        wait::Wait,
    },
};

/// Longest part of a text that is read, in characters: two go into a message however they are counted.
const PART: usize = 1_400;

/// Complaints about one form, and the length of each in characters.
const COMPLAINTS: usize = 10;
const COMPLAINT: usize = 150;

/// What an action of a card shows; `None` if it shows nothing.
pub(super) fn render(wait: &Wait, action: &str, cx: &Cx) -> Option<Message> {
    if let Some(page) = action.strip_prefix("read.") {
        return Some(read(wait, page.parse().ok()?, cx));
    }
    let name = action.strip_prefix(open::SURE)?;
    let mut actions = Action::of(&wait.prompt.control, false).into_iter();
    let action = actions.find(|action| action.name == name)?;
    let sure = action.sure.as_ref()?;
    let words = format!("### {}\n{}", sure.title, said(&one_line(&sure.words), 1_000));
    let colour = if action.emphasis == Emphasis::Danger { BAD } else { OPEN };
    let yes = Action { label: sure.yes.clone(), sure: None, ..action };
    let mut components = vec![components::text(&words)];
    components.extend(rows([open::button(wait, &yes)]));
    components.push(small(&[messages::forms::DISMISS.to_owned()]));
    Some(Message::card(components, colour))
}

/// What is wrong with a form that was sent, with a button that opens it as it was.
pub(super) fn wrong(wait: &Wait, sent: &str, complaints: &[String]) -> Message {
    let line = |complaint: &String| format!("- {}", said(&one_line(complaint), COMPLAINT));
    let lines: Vec<String> = complaints.iter().take(COMPLAINTS).map(line).collect();
    let is_save = matches!(sent.split('.').next(), Some("fill" | "save"));
    let title =
        if is_save { messages::forms::NOT_SAVED_YET } else { messages::forms::NOT_SENT_YET };
    let mut components = vec![components::text(&format!("### {title}\n{}", lines.join("\n")))];
    let (verb, page) = sent.split_once('.').unwrap_or((sent, ""));
    let name = if verb == "fill" { "submit" } else { verb };
    let mut actions = Action::of(&wait.prompt.control, false).into_iter();
    let opener = actions.find(|action| action.name == name).map(|action| action.opener().name);
    let again =
        opener.map(|name| if page.is_empty() { name } else { format!("{name}.{page}").into() });
    // A question of several forms opens them from its card alone.
    let again = again.filter(|again| super::modal(wait, again, "", &Cx::default()).is_some());
    if let Some(again) = again {
        let id = ComponentId::id(wait.id, wait.revision, &again);
        components.extend(rows([components::primary(id, messages::buttons::EDIT_AGAIN)]));
        components.push(small(&[messages::forms::KEPT_ENTRIES.to_owned()]));
    }
    Message::card(components, BAD)
}

/// A page of all that a card has to say.
fn read(wait: &Wait, page: usize, cx: &Cx) -> Message {
    leaf(whole(wait, cx), page, |page| {
        ComponentId::id(wait.id, wait.revision, &format!("read.{page}"))
    })
}

/// A page of a text in parts, each at most [`PART`] long; `id` names the button that turns to a page.
pub(in crate::gateway::discord) fn leaf(
    parts: Vec<String>,
    page: usize,
    id: impl Fn(usize) -> String,
) -> Message {
    let pages = paged(parts);
    let last = pages.len().saturating_sub(1);
    let page = page.min(last);
    let mut components = pages.into_iter().nth(page).unwrap_or_default();
    if components.is_empty() {
        components.push(components::text(messages::forms::NOTHING_MORE));
    }
    let turn = |page: usize, label: &str| components::button(id(page), label);
    let before = (page > 0).then(|| turn(page - 1, messages::buttons::PREVIOUS));
    let after = (page < last).then(|| turn(page + 1, messages::buttons::NEXT));
    if last > 0 {
        components.push(small(&[messages::forms::page(page + 1, last + 1)]));
    }
    components.extend(rows(before.into_iter().chain(after)));
    Message::card(components, OPEN)
}

/// Texts in as many messages as they need.
fn paged(parts: Vec<String>) -> Vec<Vec<Component>> {
    // Less what stands around them.
    let whole = Weight {
        units: limits::MESSAGE_TEXT - 100,
        bytes: limits::MESSAGE_TEXT_BYTES - 200,
        components: 20,
    };
    let mut pages: Vec<Vec<Component>> = Vec::new();
    let mut left = Weight::default();
    for part in parts {
        let text = components::text(&part);
        let weight = Weight::of(std::slice::from_ref(&text));
        if let (Some(rest), Some(page)) = (left.checked_sub(weight), pages.last_mut()) {
            left = rest;
            page.push(text);
        } else {
            left = whole.checked_sub(weight).unwrap_or_default();
            pages.push(vec![text]);
        }
    }
    pages
}

/// All of a card.
fn whole(wait: &Wait, cx: &Cx) -> Vec<String> {
    let prompt = &wait.prompt;
    let mut all = Vec::new();
    if let Some(title) = card::title(prompt) {
        all.push(format!("### {}", said(&one_line(&title), PART - 100)));
    }
    all.extend(markdown::parts(&super::told(wait, cx).0, PART));
    match &prompt.control {
        Control::Review(review) => {
            all.extend(as_it_stands(wait, review, cx).iter().flat_map(of_group));
        }
        Control::Decide(decide) => {
            for (label, value) in &decide.facts {
                all.push(format!("**{}**", said(&one_line(label), limits::QUOTE)));
                all.extend(parts(value, PART));
            }
        }
        Control::Choose(choose) => {
            all.extend(parts(&card::listed(&choose.choices), PART));
        }
        Control::Form(form) => {
            let fields: Vec<_> = form.fields.iter().map(|field| cx.draft.with(field)).collect();
            let line = |field: &Field| messages::with_label(&one_line(&field.label), &shown(field));
            let lines: Vec<String> = fields.iter().map(line).collect();
            all.extend(parts(&lines.join("\n"), PART));
        }
        Control::Upload(_) | Control::Ask(_) | Control::Confirm(_) => {}
    }
    all.extend(closed::words(wait, cx));
    all
}

/// What was given in a group, whole.
fn of_group(group: &Group) -> Vec<String> {
    let line = |(label, value): (String, String)| messages::with_label(&label, &value);
    let lines: Vec<String> = card::given(&group.fields).map(line).collect();
    let title = one_line(&group.title);
    let head = (!is_blank(&title)).then(|| format!("**{}**", said(&title, limits::QUOTE)));
    head.into_iter().chain(parts(&lines.join("\n"), PART)).collect()
}

/// All of a card as it was approved, for those who may read it.
pub(in crate::gateway::discord) fn approved(wait: &Wait, review: &Review) -> Vec<String> {
    let title = wait.prompt.heading();
    let title = one_line(title.as_deref().unwrap_or(messages::forms::DATA));
    let mut all = vec![format!("### {}", said(&title, PART - 100))];
    for group in profile::approved(wait, review) {
        let is_title = one_line(&group.title) == title;
        all.extend(of_group(&group).into_iter().skip(usize::from(is_title)));
    }
    all
}

/// The data of a review, with the edits that were saved or are about to be.
fn as_it_stands(wait: &Wait, review: &Review, cx: &Cx) -> Vec<Group> {
    match wait.status.answer() {
        Some(_) => profile::approved(wait, review),
        None => cx.draft.groups(review),
    }
}
