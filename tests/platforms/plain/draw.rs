//! A question as words with numbered choices, and a choice as an answer to it.

use anteroom::{
    chat::{
        card::{self, Action, Closed, Data, Open, Reader, Takes},
        form::{self, ComponentId, Draft, Fields, StaffAction, overview},
        profile,
    },
    engine::Look,
    model::{
        ui::{Control, Field, FieldError, Reply},
        wait::Wait,
    },
};

use super::chat::{Card, Choice};

/// The card of a question as it stands.
pub(crate) fn card(wait: &Wait, look: Option<&Look>) -> Card {
    let (prompt, audience) = (&*wait.prompt, wait.answerers.audience());
    let known = look.map(|look| Reader::of(audience, wait, &look.state));
    let closed = Closed::of(wait, &known.unwrap_or_else(|| audience.into()));
    let open = open(wait);
    let mut lines: Vec<String> = card::title(prompt).into_iter().collect();
    lines.push(prompt.body.common_mark());
    let mut choices = Vec::new();
    if let Control::Choose(choose) = &prompt.control {
        let all = choose.choices.iter();
        if choose.multiple {
            lines.extend(all.map(|choice| format!("- {}", choice.label)));
        } else if open.is_some() {
            let pick = |(n, it)| choice(wait, &Action::pick(n, it, &it.label), &Data::None);
            choices.extend(all.enumerate().filter_map(pick));
        }
    }
    if let Some(open) = &open {
        lines.extend(open.request.clone());
        lines.extend(values(&open.data));
        lines.extend(card::notes(wait));
        choices.extend(open.actions.iter().filter_map(|action| choice(wait, action, &open.data)));
    }
    if let Some(closed) = &closed {
        lines.extend(values(&closed.data));
        lines.push(format!("= {}", closed.line));
        choices.extend(closed.action.iter().filter_map(|it| choice(wait, it, &closed.data)));
    }
    lines.retain(|line| !line.is_empty());
    Card(lines.join("\n"), choices)
}

fn open(wait: &Wait) -> Option<Open<'_>> {
    Open::of(wait, wait.answerers.audience(), &Draft::default())
}

/// What there is to fill in.
fn fields(data: &Data<'_>) -> Vec<Field> {
    match data {
        Data::Fields(fields) => fields.clone(),
        Data::Groups(_, groups) => groups.iter().flat_map(|group| group.fields.clone()).collect(),
        Data::None | Data::Facts(_) => Vec::new(),
    }
}

/// A line for each value.
fn values(data: &Data<'_>) -> Vec<String> {
    let pairs = match data {
        Data::Facts(decide) => decide.facts.clone(),
        data => card::given(&fields(data)).collect(),
    };
    pairs.iter().map(|(label, value)| format!("{label}: {value}")).collect()
}

/// An action as a choice with blanks for what it takes. Words and files are sent by themselves, and so is a single pick.
fn choice(wait: &Wait, action: &Action, data: &Data<'_>) -> Option<Choice> {
    let blank = |name: &str| vec![(name.to_owned(), String::new())];
    let blanks = match action.takes {
        Takes::Message | Takes::Entry => return None,
        Takes::Picks if matches!(&wait.prompt.control, Control::Choose(it) if !it.multiple) => {
            return None;
        }
        Takes::Nothing => Vec::new(),
        Takes::Picks => blank(Draft::PICK),
        Takes::Remark(name) => blank(name),
        Takes::Fields => {
            fields(data).iter().map(|field| (field.path.clone(), form::text_of(field))).collect()
        }
    };
    let id = ComponentId::id(wait.id, wait.revision, &action.name);
    Some(Choice(id, action.label.to_string(), blanks))
}

/// The answer that a choice stands for, with what was filled in.
pub(crate) fn reply(
    wait: &Wait,
    action: &str,
    blanks: &[(String, String)],
) -> Result<Reply, Vec<FieldError>> {
    let mut draft = Draft::default();
    match (&wait.prompt.control, action) {
        (Control::Choose(choose), "done") => {
            let typed = blanks.iter().map(|(_, typed)| typed.replace(", ", "\n"));
            let named = typed.flat_map(|typed| form::named(&choose.choices, true, &typed));
            draft.enter(Draft::PICK, named.collect());
        }
        (_, "submit" | "save") => {
            for field in open(wait).map(|open| fields(&open.data)).unwrap_or_default() {
                let typed = blanks.iter().find(|(path, _)| *path == field.path);
                if let Some((_, typed)) = typed {
                    draft.enter(&field.path, form::words_to_values(&field, typed));
                }
            }
        }
        _ => return form::reply(&wait.prompt, action, &Fields(blanks.to_vec())),
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
