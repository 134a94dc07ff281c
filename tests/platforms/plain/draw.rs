//! A question as words with numbered choices, and a choice as an answer to it.

use anteroom::{
    chat::{
        card::{Action, Closed, Reader},
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
    let (prompt, state) = (&*wait.prompt, look.map(|look| &*look.state));
    let mut lines: Vec<String> = prompt.title.iter().chain([&prompt.body]).cloned().collect();
    lines.extend(match &prompt.control {
        Control::Choose(it) if it.multiple => {
            it.choices.iter().map(|choice| format!("- {}", choice.label)).collect()
        }
        Control::Decide(decide) => {
            let facts = decide.facts.iter().map(|(label, fact)| format!("{label}: {fact}"));
            facts.chain([decide.request.clone()]).collect()
        }
        control => {
            let filled = fields(control).into_iter().filter(|field| !field.value.is_null());
            let line = |it: Field| format!("{}: {}", it.label, form::shown(&it));
            filled.map(line).collect::<Vec<_>>()
        }
    });
    lines.extend(prompt.notes.iter().cloned());
    let files = state.iter().flat_map(|state| &state.artifacts);
    let files = files.map(|file| (file.id, file.filename.clone())).collect();
    let may_change = state.zip(wait.status.answer()).is_some_and(|(state, (reply, ..))| {
        form::may_change(wait, reply, state) || form::may_answer_anew(wait, reply, state)
    });
    let participant = state.map(|state| &state.participant);
    let audience = wait.answerers.audience();
    let closed = Closed::of(wait, &Reader { audience, participant, files: &files, may_change });
    let end = closed.as_ref().map(|closed| closed.line.to_string());
    let again = closed.as_ref().and_then(|closed| closed.action.as_ref());
    let again = again.map(|action| choice(wait, action.name, &action.label, Vec::new()));
    let choices = if closed.is_some() { again.into_iter().collect() } else { open(wait) };
    lines.extend(end.map(|end| format!("= {end}")));
    lines.retain(|line| !line.is_empty());
    Card(lines.join("\n"), choices)
}

fn choice(wait: &Wait, action: &str, label: &str, blanks: Vec<(String, String)>) -> Choice {
    Choice(ComponentId::id(wait.id, wait.revision, action), label.to_owned(), blanks)
}

/// What there is to fill in.
fn fields(control: &Control) -> Vec<Field> {
    match control {
        Control::Form(form) => form.fields.clone(),
        Control::Review(review) => {
            Draft::default().groups(review).into_iter().flat_map(|group| group.fields).collect()
        }
        _ => Vec::new(),
    }
}

/// What can be chosen while a question is open. Words and files are sent by themselves.
fn open(wait: &Wait) -> Vec<Choice> {
    let plain = |action: &str, label: &str| choice(wait, action, label, Vec::new());
    let blank = |action: &str, label: &str, name: &str| {
        choice(wait, action, label, vec![(name.to_owned(), String::new())])
    };
    let filled = |action: &str, label: &str| {
        let fields = fields(&wait.prompt.control).into_iter();
        let fields = fields.map(|field| (field.path.clone(), form::text_of(&field)));
        choice(wait, action, label, fields.collect())
    };
    let (mut choices, may_skip) = match &wait.prompt.control {
        Control::Choose(choose) if choose.multiple => {
            (vec![blank("done", "Done", Draft::PICK)], !choose.required)
        }
        Control::Choose(choose) => {
            let all = choose.choices.iter().enumerate();
            let all = all.map(|(n, it)| plain(&format!("pick.{n}"), &it.label));
            (all.collect(), !choose.required)
        }
        Control::Form(form) => (vec![filled("submit", &form.submit)], form.skippable),
        Control::Review(review) => {
            let answers = [plain("approve", "Looks right"), plain("reject", "Start over")];
            let save = filled("save", "Save");
            (answers.into_iter().chain([save]).collect(), review.skippable)
        }
        Control::Decide(decide) => {
            let answer = |action: Action| match action.name {
                "deny_and_tell" => blank(action.name, &action.label, "feedback"),
                name => plain(name, &action.label),
            };
            (Action::of_request(decide).into_iter().map(answer).collect(), false)
        }
        Control::Confirm(it) => {
            let answer = |action: Action| plain(action.name, &action.label);
            (Action::of_confirmation(it).into_iter().map(answer).collect(), false)
        }
        Control::Upload(upload) => (Vec::new(), !upload.required),
        Control::Ask(ask) => (Vec::new(), !ask.required),
    };
    choices.extend(may_skip.then(|| plain("skip", "Skip")));
    choices
}

/// The answer that a choice stands for, with what was filled in.
pub(crate) fn reply(
    wait: &Wait,
    action: &str,
    blanks: &[(String, String)],
) -> Result<Reply, Vec<FieldError>> {
    let (control, mut draft) = (&wait.prompt.control, Draft::default());
    match (control, action) {
        (Control::Choose(choose), "done") => {
            let typed = blanks.iter().map(|(_, typed)| typed.replace(", ", "\n"));
            let named = typed.flat_map(|typed| form::named(&choose.choices, true, &typed));
            draft.enter(Draft::PICK, named.collect());
        }
        (Control::Form(_), "submit") | (Control::Review(_), "save") => {
            for field in fields(control) {
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
