//! A question as words with numbered choices, and a choice as an answer to it.

use anteroom::{
    chat::{
        card::{self, Action, Closed, Data, Open, Reader, Takes},
        form::{self, ComponentId, Draft, Fields, StaffAction, overview},
        profile,
    },
    engine::Look,
    model::{
        ui::{Choose, Control, Field, FieldError, Input, Reply},
        wait::Wait,
    },
};
use serde_json::Value;

use super::chat::{Card, Choice};

/// The card of a question as it stands.
pub(crate) fn card(wait: &Wait, look: Option<&Look>) -> Card {
    let (prompt, state) = (&*wait.prompt, look.map(|look| &*look.state));
    let audience = wait.answerers.audience();
    let known = state.map(|state| Reader::of(audience, wait, state));
    let open = Open::of(wait, audience, &Draft::default());
    let closed = Closed::of(wait, &known.unwrap_or_else(|| audience.into()));
    let mut lines: Vec<String> = card::title(prompt).into_iter().collect();
    lines.push(prompt.body.common_mark());
    let mut choices = Vec::new();
    if let Control::Choose(choose) = &prompt.control {
        let all = choose.choices.iter();
        if choose.multiple {
            lines.extend(all.map(|choice| format!("- {}", choice.label)));
        } else if open.is_some() {
            let pick = |(n, it)| choice(wait, &Action::pick(n, it, &it.label));
            choices.extend(all.enumerate().filter_map(pick));
        }
    }
    if let Some(open) = &open {
        lines.extend(open.request.clone());
        lines.extend(data(&open.data));
        lines.extend(card::notes(wait));
        choices.extend(open.actions.iter().filter_map(|action| choice(wait, action)));
    }
    if let Some(closed) = &closed {
        lines.extend(data(&closed.data));
        lines.push(format!("= {}", closed.line));
        choices.extend(closed.action.iter().filter_map(|action| choice(wait, action)));
    }
    lines.retain(|line| !line.is_empty());
    Card(lines.join("\n"), choices)
}

/// A line for each value.
fn data(data: &Data<'_>) -> Vec<String> {
    let pairs: Vec<(String, String)> = match data {
        Data::None => Vec::new(),
        Data::Fields(fields) => card::given(fields).collect(),
        Data::Groups(_, groups) => groups.iter().flat_map(|it| card::given(&it.fields)).collect(),
        Data::Facts(decide) => decide.facts.clone(),
    };
    pairs.iter().map(|(label, value)| format!("{label}: {value}")).collect()
}

/// An action as a choice with blanks for what it takes. Words and files are sent by themselves, and so is a single pick.
fn choice(wait: &Wait, action: &Action) -> Option<Choice> {
    let control = &wait.prompt.control;
    let blanks = match action.takes {
        Takes::Message | Takes::Entry => return None,
        Takes::Picks if matches!(control, Control::Choose(it) if !it.multiple) => return None,
        Takes::Nothing => Vec::new(),
        Takes::Remark(name) => vec![(name.to_owned(), String::new())],
        Takes::Picks | Takes::Fields => {
            let fields = fields(control).into_iter();
            fields.map(|field| (field.path.clone(), form::text_of(&field))).collect()
        }
    };
    let id = ComponentId::id(wait.id, wait.revision, &action.name);
    Some(Choice(id, action.label.to_string(), blanks))
}

/// What there is to fill in.
fn fields(control: &Control) -> Vec<Field> {
    match control {
        Control::Choose(Choose { choices, multiple, .. }) => {
            let input = Input::Select { choices: choices.clone(), multiple: *multiple };
            let path = Draft::PICK.to_owned();
            let (label, value) = (path.clone(), Value::Null);
            vec![Field { path, label, hint: None, required: false, input, value, check: false }]
        }
        Control::Form(form) => form.fields.clone(),
        Control::Review(review) => {
            Draft::default().groups(review).into_iter().flat_map(|group| group.fields).collect()
        }
        _ => Vec::new(),
    }
}

/// The answer that a choice stands for, with what was filled in.
pub(crate) fn reply(
    wait: &Wait,
    action: &str,
    blanks: &[(String, String)],
) -> Result<Reply, Vec<FieldError>> {
    if !matches!(action, "done" | "submit" | "save") {
        return form::reply(&wait.prompt, action, &Fields(blanks.to_vec()));
    }
    let mut draft = Draft::default();
    for field in fields(&wait.prompt.control) {
        let typed = blanks.iter().find(|(path, _)| *path == field.path);
        if let Some((_, typed)) = typed {
            draft.enter(&field.path, form::words_to_values(&field, typed));
        }
    }
    draft.reply(&wait.prompt)
}

/// How a conversation stands; for the team, with what they may order and read.
pub(crate) fn standing(look: &Look, is_for_team: bool) -> Card {
    let state = &look.state;
    let title = format!("{} · {}", state.person_in_words(), look.flow.flow.title);
    let orders = StaffAction::offered(state).into_iter();
    let orders = orders.map(|order| (order.id(state.session), order.label()));
    let offered = orders.chain(profile::buttons(state)).filter(|_| is_for_team);
    Card::words(format!("{title}\n{}", overview::status_line(look))).choosing(offered)
}
