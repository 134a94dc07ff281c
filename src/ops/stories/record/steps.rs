//! What somebody did, as the steps of a test.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Map, Value};

use super::super::{
    format::{Decide, Step},
    talk::made_up,
};
use crate::{
    base::ids::WaitId,
    chat::form::one_line,
    engine::{Inbound, InboundKind},
    messages,
    model::{
        artifact::Artifact,
        ui::{Choose, Control, Decision, Field, Form, Reply, Review, Verdict},
        wait::Wait,
    },
    session::{Command, State},
};

/// What a step may depend on that was done before it.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    /// How many files were sent, so that each has a name of its own.
    files: usize,
    /// Drafts that were edited and not yet approved: as they were at first, and as they were saved. A test does both at once.
    saved: BTreeMap<WaitId, (Review, Value)>,
}

/// The steps for what arrived, by what the conversation was like then; otherwise what it was, which a test can't do.
pub(super) fn of(
    inbound: &Inbound,
    state: &State,
    earlier: &mut Earlier,
) -> Result<Vec<Step>, String> {
    let is_participant = inbound.from.person == state.participant;
    match &inbound.what {
        InboundKind::Answer { wait, reply: Reply::Decided { decision, feedback }, .. } => {
            let is_there = state.waits.contains_key(wait);
            if is_there { Ok(vec![decided(*decision, feedback.as_ref())]) } else { lost() }
        }
        _ if !is_participant => Err("something that the team did".to_owned()),
        InboundKind::Answer { wait, reply, .. } => match state.waits.get(wait) {
            Some(wait) => {
                Ok(reviewed(wait, reply, earlier).unwrap_or_else(|| vec![answered(wait, reply)]))
            }
            None => lost(),
        },
        InboundKind::Said { text, .. } => Ok(vec![said(text)]),
        InboundKind::Sent { wait, files: sent } => {
            let asked = wait.and_then(|wait| state.wait(wait));
            let step = |file: &Artifact| {
                earlier.files += 1;
                Step { upload: Some(name_of(file, asked, earlier.files)), ..Step::default() }
            };
            Ok(sent.iter().map(step).collect())
        }
        // The files come back once they are fetched.
        InboundKind::Offered { .. } => Ok(Vec::new()),
        InboundKind::Command(command) => ordered(command).map(|step| vec![step]),
        InboundKind::Amended { .. } => Err("a message that was changed or deleted".to_owned()),
        InboundKind::Lost { .. } | InboundKind::Back | InboundKind::MayHaveRoles { .. } => {
            Err("something that the platform told".to_owned())
        }
    }
}

/// The steps of a draft that was saved before it was approved.
fn reviewed(wait: &Wait, reply: &Reply, earlier: &mut Earlier) -> Option<Vec<Step>> {
    let Reply::Reviewed { verdict, data, .. } = reply else { return None };
    match (verdict, data, &wait.prompt.control) {
        (Verdict::Saved, Some(data), Control::Review(review)) => {
            let first = || (review.clone(), Value::Null);
            earlier.saved.entry(wait.id).or_insert_with(first).1 = data.clone();
            Some(Vec::new())
        }
        (Verdict::Approved, None, _) => {
            let (review, data) = earlier.saved.remove(&wait.id)?;
            Some(vec![edited(&data, &review)])
        }
        (Verdict::Saved | Verdict::Approved | Verdict::Modified | Verdict::Rejected, _, _) => None,
    }
}

fn lost<T>() -> Result<T, String> {
    Err("an answer to a question that isn't there".to_owned())
}

fn said(text: &str) -> Step {
    Step { say: Some(text.to_owned()), ..Step::default() }
}

fn press(label: &str) -> Step {
    Step { press: Some(one_line(label)), ..Step::default() }
}

fn decided(decision: Decision, feedback: Option<&String>) -> Step {
    let decide = match decision {
        Decision::Approved => Decide::Approve,
        Decision::Denied | Decision::DeniedWithFeedback => Decide::Deny,
    };
    let because = feedback.filter(|_| decide == Decide::Deny).cloned();
    Step { decide: Some(decide), because, ..Step::default() }
}

fn ordered(command: &Command) -> Result<Step, String> {
    Ok(match command {
        Command::Stop => said("stop"),
        Command::Resume => said("continue"),
        Command::Human => said("human"),
        Command::Skip => said("skip"),
        Command::Export => said("export"),
        Command::Delete => said("delete my data"),
        Command::StopReminders => said("stop reminders"),
        Command::AskAgain => said("ask again"),
        Command::Later => press("later"),
        Command::Advance { .. } => return Err("a request to move on".to_owned()),
        Command::Change { .. } => return Err("an approved draft that was opened again".to_owned()),
        Command::Interrupt
        | Command::TakeOver
        | Command::HandBack
        | Command::Write { .. }
        | Command::Nudge
        | Command::End { .. }
        | Command::Hold { .. }
        | Command::Release
        | Command::Reopen { .. } => return Err("an order to the assistant".to_owned()),
    })
}

fn answered(wait: &Wait, reply: &Reply) -> Step {
    match (reply, &wait.prompt.control) {
        (Reply::Chosen { ids, free_text }, Control::Choose(choose)) => {
            chosen(ids, free_text.as_deref(), choose)
        }
        (Reply::Filled { values }, Control::Form(form)) => filled(values, form),
        (Reply::Reviewed { verdict: Verdict::Rejected, .. }, _) => {
            press(messages::buttons::START_OVER)
        }
        (Reply::Reviewed { data: Some(data), .. }, Control::Review(review)) => edited(data, review),
        (Reply::Reviewed { .. }, _) => press(messages::buttons::LOOKS_RIGHT),
        (Reply::Confirmed { yes }, Control::Confirm(confirm)) => {
            press(if *yes { &confirm.yes } else { &confirm.no })
        }
        (Reply::Text { text }, _) => said(text),
        (Reply::Confirmed { yes }, _) => press(if *yes { "yes" } else { "no" }),
        (Reply::Chosen { ids, .. }, _) => Step { choose: Some(ids.clone()), ..Step::default() },
        (Reply::Filled { values }, _) => Step { fill: Some(values.clone()), ..Step::default() },
        (Reply::Skipped | Reply::Uploaded { .. } | Reply::Decided { .. }, _) => {
            press(messages::buttons::SKIP)
        }
    }
}

fn chosen(ids: &[String], words: Option<&str>, choose: &Choose) -> Step {
    let label = |id: &String| {
        let labels = choose.choices.iter().map(|choice| one_line(&choice.label));
        let choice = choose.choices.iter().find(|choice| choice.id == *id);
        let label = choice.map(|choice| one_line(&choice.label));
        let is_alone = |label: &String| labels.filter(|other| other == label).count() == 1;
        label.filter(is_alone).unwrap_or_else(|| id.clone())
    };
    match (ids, words) {
        // What was typed is read again, so that the test is about that, too.
        (_, Some(words)) => said(words),
        ([only], None) if !choose.multiple => press(&label(only)),
        (ids, None) => Step { choose: Some(ids.iter().map(label).collect()), ..Step::default() },
    }
}

/// A form as it was sent, without what stood in it before.
fn filled(values: &Map<String, Value>, form: &Form) -> Step {
    let fields: Vec<&Field> = form.fields.iter().collect();
    let before = |path: &str| fields.iter().find(|field| field.path == path).map(|f| &f.value);
    let new = values.iter().filter(|(path, value)| before(path) != Some(value));
    let new: Vec<(&str, &Value)> = new.map(|(path, value)| (path.as_str(), value)).collect();
    let fill = named(&new, &fields);
    if fill.is_empty() { press(&form.submit) } else { Step { fill: Some(fill), ..Step::default() } }
}

/// What was changed in a draft: lists as a whole.
fn edited(data: &Value, review: &Review) -> Step {
    let fields: Vec<&Field> = review.groups.iter().flat_map(|group| &group.fields).collect();
    let lists: Vec<&str> = review.lists.iter().map(|list| list.path.as_str()).collect();
    let is_in_list = |path: &str| {
        lists.iter().any(|list| path.strip_prefix(list).is_some_and(|rest| rest.starts_with('.')))
    };
    let single = fields.iter().map(|field| field.path.as_str()).filter(|path| !is_in_list(path));
    let is_new = |path: &&str| at(data, path) != at(&review.data, path);
    let new = single.chain(lists.iter().copied()).filter(is_new);
    let new: Vec<(&str, &Value)> = new.map(|path| (path, at(data, path))).collect();
    let fill = named(&new, &fields);
    if fill.is_empty() {
        press(messages::buttons::LOOKS_RIGHT)
    } else {
        Step { fill: Some(fill), ..Step::default() }
    }
}

/// The value at a path such as `basics.email` or `work.0.name`.
fn at<'a>(data: &'a Value, path: &str) -> &'a Value {
    let mut found = data;
    for part in path.split('.') {
        found = match part.parse::<usize>() {
            Ok(n) if found.is_array() => &found[n],
            _ => &found[part],
        };
    }
    found
}

/// Values by the labels of their fields, or by their paths where a label may mean something else. What was emptied has no
/// value in a test file but an empty text.
fn named(values: &[(&str, &Value)], fields: &[&Field]) -> Map<String, Value> {
    let key = |path: &str| {
        let label = fields.iter().find(|field| field.path == path).map(|field| &field.label)?;
        let is_meant = |field: &&&Field| field.label == *label || field.path == *label;
        let is_clear = fields.iter().filter(is_meant).count() == 1 && one_line(label) == *label;
        is_clear.then(|| label.clone())
    };
    let value = |value: &Value| match value {
        Value::Null => Value::String(String::new()),
        value => value.clone(),
    };
    let named = values
        .iter()
        .map(|(path, new)| (key(path).unwrap_or_else(|| (*path).to_owned()), value(new)));
    named.collect()
}

/// The name of a made-up file of the same kind; where that kind can't be made up, of one that is asked for.
fn name_of(file: &Artifact, asked: Option<&Wait>, n: usize) -> String {
    let kind = |name: &str| {
        let extension = Path::new(name).extension()?.to_str()?.to_lowercase();
        made_up(name).map(|_| extension)
    };
    let accepted = match asked.map(|wait| &wait.prompt.control) {
        Some(Control::Upload(upload)) => upload.accept.as_slice(),
        _ => &[],
    };
    let accepted = || accepted.iter().find_map(|extension| kind(&format!("sample.{extension}")));
    let kind = kind(&file.filename).or_else(accepted).unwrap_or_else(|| "txt".to_owned());
    if n == 1 { format!("sample.{kind}") } else { format!("sample-{n}.{kind}") }
}
