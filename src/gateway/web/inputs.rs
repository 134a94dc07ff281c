//! Single inputs of forms, with label, hint and what is wrong with them.

use maud::{Markup, html};
use serde_json::Value;

use super::{icons, markdown, piece::Draft};
use crate::{
    chat::form::{self, Fields, Sheet, field_name, in_words},
    messages,
    model::{
        ui::{Choice, Control, Field, Input, Review},
        wait::Wait,
    },
    session::answer::is_day,
};

/// Whether an action belongs to the edit form of a review.
pub(super) fn is_editing(action: &str) -> bool {
    action == "save" || ["add.", "remove.", "up."].iter().any(|verb| action.starts_with(verb))
}

/// The entries of a review as they stand in what was submitted.
pub(super) fn sheet_of(review: &Review, draft: Option<&Draft>) -> Sheet {
    match draft.filter(|draft| is_editing(&draft.action)) {
        Some(draft) => Sheet::read(review, &draft.fields),
        None => Sheet::of(review),
    }
}

/// One input as it stands: prefilled with what was typed, otherwise with what is known.
pub(super) fn field(wait: &Wait, field: &Field, draft: Option<&Draft>) -> Markup {
    let id = format!("{}-{}-{}", wait.id.short(), wait.revision, field.path.replace('.', "-"));
    let told = hint_of(field);
    let hint = told.as_ref().map(|_| format!("{id}-hint"));
    let wrong =
        draft.is_some_and(|draft| draft.errors.iter().any(|error| error.path == field.path));
    let error = wrong.then(|| format!("{id}-error"));
    let about: Vec<&str> = [&hint, &error].into_iter().flatten().map(String::as_str).collect();
    let about = (!about.is_empty()).then(|| about.join(" "));
    // An approval that does not pass brings no values along.
    let sent = draft.filter(|draft| draft.action != "approve");
    let input = One { id: &id, field, fields: sent.map(|draft| &draft.fields), about, wrong };
    html! {
        div.field.check[field.check].wide[is_wide(&field.input)] {
            (label(&id, field))
            (input.render())
            @if let (Some(hint), Some(text)) = (&hint, &told) { p.small id=(hint) { (text) } }
            @if let (Some(id), Some(draft)) = (&error, draft) {
                @for error in draft.errors.iter().filter(|error| error.path == field.path) {
                    p.error id=(id) { (icons::warning()) (markdown::inline(&error.message)) }
                }
            }
        }
    }
}

/// What is said under an input: the hint of the field, and between which bounds a number must be.
fn hint_of(field: &Field) -> Option<String> {
    let bounds = match field.input {
        Input::Number { min, max, .. } => messages::answers::allowed_number(min, max),
        _ => None,
    };
    let told: Vec<String> = field.hint.iter().cloned().chain(bounds).collect();
    (!told.is_empty()).then(|| told.join(" · "))
}

/// Whether an input takes a line of its own where others stand side by side.
const fn is_wide(input: &Input) -> bool {
    matches!(
        input,
        Input::Text { multiline: true, .. }
            | Input::Lines
            | Input::Bool
            | Input::Select { multiple: true, .. }
    )
}

fn label(id: &str, field: &Field) -> Markup {
    html! {
        label for=(id) {
            (field.label)
            @if !field.required { " " span.small { "optional" } }
            @if field.check { " " span.tag { (icons::warning()) (messages::forms::PLEASE_CHECK) } }
        }
    }
}

struct One<'a> {
    id: &'a str,
    field: &'a Field,
    fields: Option<&'a Fields>,
    about: Option<String>,
    wrong: bool,
}

impl One<'_> {
    fn text(&self) -> String {
        match (self.fields, &self.field.value, &self.field.input) {
            (Some(fields), ..) if self.is_sent(fields) => fields.get(&self.name()).to_owned(),
            (_, Value::Array(lines), Input::Lines) => {
                lines.iter().map(in_words).collect::<Vec<_>>().join("\n")
            }
            (_, value, _) => in_words(value),
        }
    }

    fn name(&self) -> String {
        field_name(&self.field.path)
    }

    /// A new entry of a list has fields that the form did not have when it was sent.
    fn is_sent(&self, fields: &Fields) -> bool {
        fields.all(&self.name()).next().is_some()
    }

    fn has(&self, id: &str) -> bool {
        match (self.fields, &self.field.value) {
            (Some(fields), _) => fields.all(&self.name()).any(|picked| picked == id),
            (None, Value::Array(ids)) => ids.iter().any(|known| known == id),
            (None, Value::Bool(yes)) => id == if *yes { "yes" } else { "no" },
            (None, Value::Null) => id.is_empty(),
            (None, value) => value == id,
        }
    }

    fn render(&self) -> Markup {
        match &self.field.input {
            // Text that came with line ends keeps them: an input of one line would drop them without a word.
            Input::Text { multiline, .. } if *multiline || self.text().contains('\n') => {
                self.area(4)
            }
            Input::Email => self.line("email", None),
            Input::Url => self.line("url", Some("https://")),
            Input::Phone => self.line("tel", None),
            Input::Date => self.line("text", Some("YYYY-MM")),
            // A browser's date field is empty where it can't show what is there.
            Input::Day if self.text().is_empty() || is_day(&self.text()) => self.line("date", None),
            Input::Day => self.line("text", Some("YYYY-MM-DD")),
            Input::Text { .. } | Input::Number { .. } => self.line("text", None),
            Input::Bool => self.yes_or_no(),
            Input::Select { choices, multiple: true } => self.options(choices, "checkbox"),
            Input::Select { choices, multiple: false } => self.select(choices),
            Input::Lines => self.area(4),
        }
    }

    // No `maxlength`: browsers cut what is pasted without a word. What is too long comes back with a complaint.
    fn line(&self, kind: &str, placeholder: Option<&str>) -> Markup {
        let numeric = matches!(self.field.input, Input::Number { .. }).then_some("decimal");
        html! {
            input type=(kind) id=(self.id) name=(self.name()) value=(self.text()) inputmode=[numeric] dir="auto"
                placeholder=[placeholder] required[self.field.required] autofocus[self.wrong]
                aria-describedby=[self.about.as_deref()] aria-invalid=[self.wrong.then_some("true")];
        }
    }

    fn area(&self, rows: u32) -> Markup {
        html! {
            textarea id=(self.id) name=(self.name()) rows=(rows) dir="auto" required[self.field.required] autofocus[self.wrong]
                aria-describedby=[self.about.as_deref()] aria-invalid=[self.wrong.then_some("true")] { (self.text()) }
        }
    }

    fn yes_or_no(&self) -> Markup {
        let mut choices = form::yes_or_no().to_vec();
        if !self.field.required {
            // A radio button cannot be taken back.
            let label = messages::forms::NO_ANSWER.to_owned();
            choices.push(Choice { id: String::new(), label, description: None, icon: None });
        }
        self.options(&choices, "radio")
    }

    fn options(&self, choices: &[Choice], kind: &str) -> Markup {
        let (role, class) = if kind == "radio" { ("radiogroup", "few") } else { ("group", "many") };
        html! {
            div.options.(class) id=(self.id) role=(role) aria-label=(self.field.label)
                aria-describedby=[self.about.as_deref()] aria-invalid=[self.wrong.then_some("true")] {
                @for choice in choices {
                    label.option {
                        input type=(kind) name=(self.name()) value=(choice.id) checked[self.has(&choice.id)];
                        span { (choice.label) }
                    }
                }
            }
        }
    }

    fn select(&self, choices: &[Choice]) -> Markup {
        html! {
            select id=(self.id) name=(self.name()) autofocus[self.wrong] aria-describedby=[self.about.as_deref()]
                aria-invalid=[self.wrong.then_some("true")] {
                option value="" { (messages::buttons::CHOOSE) }
                @for choice in choices { option value=(choice.id) selected[self.has(&choice.id)] { (choice.label) } }
            }
        }
    }
}

/// What is wrong with the input named `name`.
pub(super) fn errors_of(draft: Option<&Draft>, name: &str) -> Markup {
    html! {
        @if let Some(draft) = draft {
            @for error in draft.errors.iter().filter(|error| error.path == name) {
                p.error role="alert" { (icons::warning()) (markdown::inline(&error.message)) }
            }
        }
    }
}

/// What is wrong with the reply as a whole, and with places that no input stands for.
pub(super) fn whole_errors(draft: Option<&Draft>, control: &Control) -> Markup {
    html! {
        @if let Some(draft) = draft {
            @for error in draft.errors.iter().filter(|error| !has_input(control, draft, &error.path)) {
                p.error role="alert" { (icons::warning()) (markdown::inline(&form::complaint(control, error))) }
            }
        }
    }
}

fn has_input(control: &Control, draft: &Draft, path: &str) -> bool {
    match control {
        Control::Choose(_) => path == "pick",
        Control::Form(form) => form.fields.iter().any(|field| field.path == path),
        Control::Review(review) => {
            let groups = sheet_of(review, Some(draft)).groups(review);
            (is_editing(&draft.action) || draft.action == "approve")
                && groups.iter().flat_map(|group| &group.fields).any(|field| field.path == path)
        }
        Control::Upload(_) => path == "files",
        Control::Ask(_) => path == "text",
        Control::Decide(_) => path == "feedback",
        Control::Confirm(_) => false,
    }
}
