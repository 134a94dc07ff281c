//! A question that can be answered.

use super::{Action, Data};
use crate::{
    chat::form::{Draft, is_blank, one_line, shown},
    messages::{self, Text},
    model::{
        transcript::Audience,
        ui::{Choice, Control, Field, Form, Group, Prompt, Upload},
        wait::Wait,
    },
};

/// A question that can be answered by whoever reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Open<'a> {
    /// What a request asks for, where its heading hasn't said so already.
    pub request: Option<String>,
    /// What there is to look over or to fill in, with what was entered so far.
    pub data: Data<'a>,
    /// It is a review that nobody has written into yet.
    pub is_untouched: bool,
    /// What can be pressed, in order. Choices are [picked](Action::pick) before it where they are buttons.
    pub actions: Vec<Action>,
}

impl<'a> Open<'a> {
    /// The question with what was entered for it; nothing where it isn't asked any more, or is asked of somebody else.
    pub fn of(wait: &'a Wait, audience: Audience, draft: &Draft) -> Option<Self> {
        let is_asked = wait.status.is_pending() && wait.answerers.audience() == audience;
        is_asked.then(|| {
            let data = entered(&wait.prompt.control, draft);
            let request = match &wait.prompt.control {
                Control::Decide(decide) => Some(&decide.request),
                _ => None,
            };
            let request = request.filter(|request| wait.prompt.title.as_ref() != Some(request));
            let is_untouched = matches!(&data, Data::Groups(_, groups) if is_untouched(groups));
            let actions = Action::of(&wait.prompt.control, is_untouched);
            Self { request: request.map(Text::to_string), data, is_untouched, actions }
        })
    }
}

fn entered<'a>(control: &'a Control, draft: &Draft) -> Data<'a> {
    match control {
        Control::Form(form) => {
            Data::Fields(form.fields.iter().map(|field| draft.with(field)).collect())
        }
        Control::Review(review) => Data::Groups(review, draft.groups(review)),
        Control::Decide(decide) => Data::Facts(decide),
        Control::Choose(_) | Control::Upload(_) | Control::Ask(_) | Control::Confirm(_) => {
            Data::None
        }
    }
}

/// Nothing has been written yet.
pub fn is_untouched(groups: &[Group]) -> bool {
    groups.iter().flat_map(|group| &group.fields).all(|field| is_blank(&shown(field)))
}

/// The heading of some data; `None` if the card has said it already.
pub fn heading<'a>(prompt: &Prompt, group: &'a Group) -> Option<&'a str> {
    let is_said = is_blank(&group.title) || prompt.heading().as_ref() == Some(&group.title);
    (!is_said).then_some(group.title.as_str())
}

/// Whether a card shows a field: it has a value, or is asked for one while that can be given.
pub fn is_told(field: &Field, is_open: bool) -> bool {
    is_open && (field.check || field.required) || !is_blank(&shown(field))
}

/// What else could be given, in a line; `None` if everything is told.
pub fn not_given(fields: &[Field]) -> Option<String> {
    let missing = fields.iter().filter(|field| !is_told(field, true));
    let names: Vec<String> = missing.map(|field| one_line(&field.label)).collect();
    (!names.is_empty()).then(|| messages::forms::not_filled_in(&names))
}

/// What was given, by its label.
pub fn given(fields: &[Field]) -> impl Iterator<Item = (String, String)> {
    let pairs = fields.iter().map(|field| (one_line(&field.label), shown(field)));
    pairs.filter(|(_, value)| !is_blank(value))
}

/// Small print of a question. Who has voted is said by [`votes`](super::votes), with names that a platform knows.
pub fn notes(wait: &Wait) -> impl Iterator<Item = String> {
    let notes = wait.prompt.notes.iter().map(Text::to_string);
    notes.filter(|note| !is_blank(note) && wait.quorum < 2)
}

/// What a form asks for, in a line.
pub fn to_fill_in(form: &Form) -> String {
    let names: Vec<String> = form.fields.iter().map(|field| one_line(&field.label)).collect();
    messages::forms::to_fill_in(&names)
}

/// Kinds of files that are taken: `PDF, TXT`.
pub fn kinds(upload: &Upload) -> String {
    upload.accept.iter().map(|kind| kind.to_uppercase()).collect::<Vec<_>>().join(", ")
}

/// All that can be chosen, in full, numbered, a line each.
pub fn listed(choices: &[Choice]) -> String {
    let line = |(n, choice): (usize, &Choice)| {
        let more = choice.description.as_deref().map(|more| format!(": {more}"));
        format!("{}. {}{}", n + 1, choice.label, more.unwrap_or_default())
    };
    choices.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}
