//! What a participant has before them: what was said, what is asked, and what can be pressed.

use crate::{
    chat::form::{one_line, plain, shown},
    messages::{self, Text},
    model::{
        transcript::{Audience, Event, Recorded},
        ui::{Control, Field, Offered, Prompt, Reply, Verdict},
        wait::{Answerers, Wait},
    },
    session::{
        State,
        commands::{Command, is_still_offered},
    },
};

/// Something that can be pressed now.
#[derive(Debug, Clone)]
pub(super) struct Button {
    pub(super) label: String,
    /// Other names for it: the id of an option, the key of a branch.
    pub(super) ids: Vec<String>,
    pub(super) press: Press,
}

/// What pressing does.
#[derive(Debug, Clone)]
pub(super) enum Press {
    /// It answers a question.
    Answer(Box<Wait>, Reply),
    /// It is an order, such as *Stop reminders*.
    Order(Command),
}

/// Questions to the participant, the newest first.
pub(super) fn questions(state: &State) -> Vec<&Wait> {
    let mut waits: Vec<&Wait> =
        state.pending().filter(|wait| wait.answerers == Answerers::Participant).collect();
    waits.reverse();
    waits
}

/// Everything that can be pressed, the newest question first.
pub(super) fn buttons(state: &State, events: &[Recorded]) -> Vec<Button> {
    let answers = questions(state).into_iter().flat_map(|wait| {
        let button = |(label, ids, reply): (String, Vec<String>, Reply)| Button {
            label,
            ids,
            press: Press::Answer(Box::new(wait.clone()), reply),
        };
        answers(&wait.prompt.control).into_iter().map(button).collect::<Vec<_>>()
    });
    let offered: Vec<Offered> = events.iter().fold(Vec::new(), |mut all, recorded| {
        if let Event::Posted { audience: Audience::Participant, offers, .. } = &*recorded.event {
            let new = offers.iter().filter(|offered| !all.contains(*offered));
            all.extend(new.copied().collect::<Vec<_>>());
        }
        all
    });
    let orders = offered.into_iter().filter(|offered| is_still_offered(*offered, state));
    let orders = orders.map(|offered| Button {
        label: messages::buttons::offered(offered).to_owned(),
        ids: vec![offered.name().to_owned()],
        press: Press::Order(Command::from(offered)),
    });
    answers.chain(orders).collect()
}

/// What the buttons of a question say, what else they are called, and the answers that they give.
fn answers(control: &Control) -> Vec<(String, Vec<String>, Reply)> {
    let answer = |label: &str, ids: &[&str], reply| {
        (label.to_owned(), ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>(), reply)
    };
    let skip = |may: bool| {
        may.then(|| answer(messages::buttons::SKIP, &["skip", "skipped"], Reply::Skipped))
    };
    match control {
        Control::Choose(choose) => {
            let choices = choose.choices.iter().map(|choice| {
                let reply = Reply::Chosen { ids: vec![choice.id.clone()], free_text: None };
                answer(&choice.label, &[&choice.id], reply)
            });
            choices.chain(skip(!choose.required)).collect()
        }
        Control::Form(form) => {
            let values = form.fields.iter().filter(|field| !field.value.is_null());
            let values = values.map(|field| (field.path.clone(), field.value.clone()));
            let filled = Reply::Filled { values: values.collect() };
            let send = answer(&form.submit, &["submit"], filled);
            std::iter::once(send).chain(skip(form.skippable)).collect()
        }
        Control::Review(review) => {
            let reviewed = |verdict| Reply::Reviewed { verdict, data: None, notes: None };
            let right = answer(
                messages::buttons::LOOKS_RIGHT,
                &["approve", "approved"],
                reviewed(Verdict::Approved),
            );
            let over = answer(
                messages::buttons::START_OVER,
                &["reject", "rejected"],
                reviewed(Verdict::Rejected),
            );
            [right, over].into_iter().chain(skip(review.skippable)).collect()
        }
        Control::Upload(upload) => skip(!upload.required).into_iter().collect(),
        Control::Ask(ask) => skip(!ask.required).into_iter().collect(),
        Control::Confirm(confirm) => vec![
            answer(&confirm.yes, &["yes"], Reply::Confirmed { yes: true }),
            answer(&confirm.no, &["no"], Reply::Confirmed { yes: false }),
        ],
        Control::Decide(_) => Vec::new(),
    }
}

/// What somebody has read, in order.
pub(super) fn read_by(reader: Audience, events: &[Recorded]) -> Vec<String> {
    let read = |recorded: &Recorded| match &*recorded.event {
        Event::Posted { audience, text, .. } if *audience == reader => Some(text.common_mark()),
        Event::Handed { text, .. } if reader == Audience::Participant => Some(text.common_mark()),
        Event::Asked(wait) if wait.answerers.audience() == reader => Some(words(&wait.prompt)),
        _ => None,
    };
    events.iter().filter_map(read).collect()
}

/// All the words of a question.
pub(super) fn words(prompt: &Prompt) -> String {
    let mut lines: Vec<String> = prompt.heading().into_iter().collect();
    lines.push(prompt.body.common_mark());
    let field = |field: &Field| match shown(field) {
        value if value.is_empty() => field.label.clone(),
        value => format!("{}: {value}", field.label),
    };
    match &prompt.control {
        Control::Choose(choose) => {
            for choice in &choose.choices {
                let description = choice.description.iter().map(|words| format!(" ({words})"));
                lines.push(format!("[{}]{}", choice.label, description.collect::<String>()));
            }
        }
        Control::Form(form) => lines.extend(form.fields.iter().map(field)),
        Control::Review(review) => {
            for group in &review.groups {
                lines.push(group.title.clone());
                lines.extend(group.fields.iter().map(field));
            }
        }
        Control::Decide(decide) => {
            lines.push(decide.request.to_string());
            lines.extend(decide.facts.iter().map(|(label, value)| format!("{label}: {value}")));
        }
        Control::Confirm(confirm) => lines.push(format!("[{}] [{}]", confirm.yes, confirm.no)),
        Control::Upload(_) | Control::Ask(_) => {}
    }
    lines.extend(prompt.notes.iter().map(Text::to_string));
    lines.retain(|line| !line.trim().is_empty());
    lines.join("\n")
}

/// Whether a text has a part, whatever its markup and its line breaks.
pub(super) fn has(text: &str, part: &str) -> bool {
    let (bare, wanted) = (one_line(&plain(text)), one_line(part));
    one_line(text).contains(&wanted)
        || bare.contains(&wanted)
        || bare.contains(&one_line(&plain(part)))
}
