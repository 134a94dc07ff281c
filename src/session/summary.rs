//! What the team reads when somebody has finished: who they are and what they told us, at a glance, as a colleague would
//! write it. The whole of it is in the transcript and in the copy.
//!
//! ```text
//! **Alice Martin** has finished *Candidate onboarding*.
//! Software engineer · alice@example.org · Paris
//!
//! **Work history**
//! - Lead Analyst, Analytical Engines Ltd · 2019 to now
//!
//! Moved past *Education* by Grace Hopper's override.
//! ```

use std::borrow::Cow;

use chrono::NaiveDate;
use serde_json::{Map, Value};

use super::{State, evidence};
use crate::{
    flow::{
        LoadedFlow,
        shape::label_of,
        visible::{hidden_from, seen_by, seen_by_everybody},
    },
    messages::{self, Text},
    model::{
        artifact::Artifact,
        flow::{Moment, Objective, Reader},
        text::quoted,
        transcript::{ObjectiveStatus, Origin, SetBy},
        ui::{Control, Decision, Reply},
    },
    session::time_zones,
};

/// Characters of one value.
const VALUE_MAX: usize = 300;

/// Characters of what those who decide are shown; the rest is in the transcript.
const SHOWN_MAX: usize = 2_000;

/// Entries of a list that are named; the others are counted.
const ENTRIES_MAX: usize = 8;

/// What a summary is sent for.
fn heading(state: &State, flow: &LoadedFlow, moment: Moment) -> Text {
    let (person, flow) = (name_of(state), &flow.flow.title);
    match moment {
        Moment::Completed => messages::staff::has_finished(&person, flow),
        Moment::Stopped => messages::staff::has_stopped(&person, flow),
        Moment::Approved => messages::staff::was_approved(&person, flow),
        Moment::Denied => messages::staff::was_denied(&person, flow),
        Moment::Expired => messages::staff::nobody_decided(&person, flow),
    }
}

/// What the team reads at a moment: the newest of each kind of data in `include`, the files, and what was passed over.
pub fn summary(state: &State, flow: &LoadedFlow, include: &[String], moment: Moment) -> Text {
    let mut text = heading(state, flow, moment);
    for data in include {
        let Some(record) = state.record(data) else { continue };
        text = text.then_markdown(section_for(Reader::Team, (state, flow), data, &record.data));
    }
    let (resumes, others): (Vec<&Artifact>, Vec<&Artifact>) =
        state.artifacts.iter().partition(|file| file.is_resume());
    for (title, files) in
        [(messages::buttons::RESUME_FILE, resumes), (messages::forms::FILES, others)]
    {
        let name = |file: &&Artifact| Text::default().then_quoted_emphasised(&*file.filename);
        let names: Vec<Text> = files.iter().map(name).collect();
        if !names.is_empty() {
            text = text.then_markdown(format!("\n\n**{title}**: "));
            text = text.then_text(messages::list::plain_texts(names));
        }
    }
    match passed_over(state, flow) {
        Some(line) => text.then_markdown("\n\n").then_text(line),
        None => text,
    }
}

/// What is posted of some data in its author's name, for everybody who reads the channel: its `text`, or else its
/// fields, a line each. What only some may see is left out; `None` if nothing is left.
pub fn public_text(state: &State, flow: &LoadedFlow, name: &str) -> Option<Text> {
    let record = state.record(name)?;
    let schema = flow.schemas.get(name);
    let seen = seen_by_everybody(schema, &record.data);
    if let Some(text) = seen["text"].as_str().filter(|text| !text.trim().is_empty()) {
        return Some(Text::default().then_quoted(text));
    }
    let lines = section(&flow.data_title(name), &seen, schema);
    let lines = lines.trim();
    (!lines.is_empty()).then(|| lines.to_owned().into())
}

/// Data that those who decide are shown, one under the other.
pub(super) fn shown(state: &State, flow: &LoadedFlow, data: &[String]) -> String {
    let records = data.iter().filter_map(|name| Some((name, state.record(name)?)));
    let sections = records
        .map(|(name, record)| section_for(Reader::Deciders, (state, flow), name, &record.data));
    let text: String = sections.collect();
    let text = text.trim();
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// How far somebody is, a line each, for whoever takes the conversation over: the step, what is done and what is open.
/// Titles alone, for what was answered is in the transcript.
pub(super) fn status_lines(state: &State, flow: &LoadedFlow) -> Vec<Text> {
    let step = state.phase().and_then(|phase| evidence::step_line(flow, phase, Some(state)));
    let here = state.phase().and_then(|phase| flow.phase(phase));
    let all = flow.flow.phase.iter().flat_map(|phase| &phase.objective);
    let is = |objective: &&Objective, status| state.objective(&objective.id) == status;
    let done = all.clone().filter(|objective| is(objective, ObjectiveStatus::Completed));
    let skipped = all.filter(|objective| is(objective, ObjectiveStatus::Skipped));
    let open = here
        .iter()
        .flat_map(|phase| &phase.objective)
        .filter(|objective| objective.required && !evidence::is_settled(state, &objective.id));
    let lines = [
        step,
        listed(messages::staff::COMPLETED, done),
        listed(messages::staff::SKIPPED, skipped),
        listed(messages::staff::STILL_OPEN, open),
    ];
    lines.into_iter().flatten().collect()
}

/// `Done: Contact details, Education`; `None` if there is nothing.
fn listed<'a>(head: &'static str, objectives: impl Iterator<Item = &'a Objective>) -> Option<Text> {
    let title = |objective: &Objective| Text::default().then_quoted(&*objective.title);
    let mut titles: Vec<Text> = objectives.map(title).collect();
    if titles.len() > ENTRIES_MAX {
        let more = titles.len() - ENTRIES_MAX;
        titles.truncate(ENTRIES_MAX);
        titles.push(messages::list::and_more(more).into());
    }
    let all = |titles| {
        Text::from(head).then_markdown(": ").then_text(messages::list::plain_texts(titles))
    };
    (!titles.is_empty()).then(|| all(titles))
}

/// What the team calls the participant; where no name is known, what messages to the staff say.
pub fn name_of(state: &State) -> String {
    state.known_as().map_or_else(|| state.person_in_words(), str::to_owned)
}

/// What an option was called whose id a step has saved as `data`.
pub(super) fn option_label(
    state: &State,
    flow: &LoadedFlow,
    data: &str,
    id: &str,
) -> Option<String> {
    let mut steps = flow.flow.phase.iter().flat_map(|phase| &phase.step);
    let step = steps.find(|step| step.save.as_deref() == Some(data))?;
    let origin = Origin::Step { step: step.id.clone() };
    let asked = state.calls.iter().rev().find(|call| call.call.origin == origin)?;
    let Control::Choose(choose) = &state.waits.get(&asked.wait?)?.prompt.control else {
        return None;
    };
    let choice = choose.choices.iter().find(|choice| choice.id == id)?;
    Some(choice.label.clone())
}

/// A kind of data as `reader` sees it, and what they don't see of it.
fn section_for(
    reader: Reader,
    (state, flow): (&State, &LoadedFlow),
    name: &str,
    data: &Value,
) -> String {
    let schema = flow.schemas.get(name);
    let label = |value: &Value| option_label(state, flow, name, value.as_str()?).map(Value::from);
    let or_label = |value: &Value| label(value).unwrap_or_else(|| value.clone());
    let seen = match &*seen_by(schema, data, reader) {
        Value::Array(items) => items.iter().map(or_label).collect(),
        seen => or_label(seen),
    };
    let mut text = section(&flow.data_title(name), &seen, schema);
    let hidden = hidden_from(schema, data, reader);
    if !hidden.is_empty() {
        let hidden: Vec<String> = hidden.iter().map(|title| quoted(title)).collect();
        text.extend(["\n\n", &messages::staff::not_shown_here(&hidden)]);
    }
    text
}

/// A kind of data under its title, its members named as on its card. A profile needs no title: it stands right below the
/// name.
fn section(title: &str, data: &Value, schema: Option<&Value>) -> String {
    if let Some(basics) = data["basics"].as_object() {
        return format!("\n\n{}", basics_line(basics));
    }
    let lines = match data {
        Value::Object(members) if members.contains_key("achievements") => card(members),
        Value::Object(members) => {
            let label = |key: &str| {
                let title = schema.and_then(|schema| schema["properties"][key]["title"].as_str());
                title.map_or_else(|| titled(key), str::to_owned)
            };
            let value = |key: &str, value| match schema {
                Some(schema) => labelled(&schema["properties"][key], value),
                None => Cow::Borrowed(value),
            };
            let all = members.iter();
            all.flat_map(|(key, member)| self::member(&label(key), &value(key, member))).collect()
        }
        Value::Array(_) => entries(data),
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {
            words(data).into_iter().collect()
        }
    };
    let Some(first) = lines.first() else { return String::new() };
    // Words under a title are a paragraph of their own; a list follows it at once.
    let gap = if first.starts_with("- ") { "\n" } else { "\n\n" };
    format!("\n\n**{title}**{gap}{}", lines.join("\n"))
}

/// `Software engineer · alice@example.org · Paris`.
fn basics_line(basics: &Map<String, Value>) -> String {
    let home = |key: &str| words(&basics.get("location")?[key]);
    let country = home("countryCode");
    let country = country.map(|code| time_zones::country_name(&code).map_or(code, str::to_owned));
    let location = [home("city"), home("region"), country];
    let location = location.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let parts = ["label", "email", "phone", "url"].map(|key| words(basics.get(key)?));
    let parts = parts.into_iter().flatten();
    let parts: Vec<String> = parts.chain((!location.is_empty()).then_some(location)).collect();
    parts.join(" · ")
}

/// One example of somebody's work: what it was, and what they claim; quotes and sources are in the transcript.
fn card(members: &Map<String, Value>) -> Vec<String> {
    let of = |key: &str| members.get(key).and_then(words);
    let head = match (of("title"), of("summary")) {
        (Some(title), Some(summary)) => Some(format!("*{title}*: {summary}")),
        (Some(only), None) | (None, Some(only)) => Some(only),
        (None, None) => None,
    };
    let claims = members["achievements"].as_array().map(Vec::as_slice).unwrap_or_default();
    let claims = claims.iter().filter_map(|claim| words(&claim["claim"]));
    let head = head.map(|head| format!("{head}\n"));
    head.into_iter().chain(claims.map(|claim| format!("- {claim}"))).collect()
}

/// A value with the labels of the options that it names.
fn labelled<'v>(schema: &Value, value: &'v Value) -> Cow<'v, Value> {
    let label = |schema: &Value, value: &Value| label_of(schema, value.as_str()?).map(Value::from);
    match value {
        Value::Array(items) => {
            let item = |item: &Value| label(&schema["items"], item).unwrap_or_else(|| item.clone());
            Cow::Owned(items.iter().map(item).collect())
        }
        value => label(schema, value).map_or(Cow::Borrowed(value), Cow::Owned),
    }
}

/// A member of a record: its value, or its entries where it is a list.
fn member(label: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) if items.iter().any(Value::is_object) => entries(value),
        Value::Array(items) => {
            let all: Vec<String> = items.iter().filter_map(words).collect();
            let line = format!("- {}", messages::with_label(label, &all.join(", ")));
            if all.is_empty() { Vec::new() } else { vec![line] }
        }
        Value::Object(members) => {
            members.iter().flat_map(|(key, value)| member(&titled(key), value)).collect()
        }
        leaf => {
            let line = |words: String| format!("- {}", messages::with_label(label, &words));
            words(leaf).map(line).into_iter().collect()
        }
    }
}

/// The entries of a list, a line each.
fn entries(list: &Value) -> Vec<String> {
    let all = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let lines = all.iter().filter_map(entry).map(|line| format!("- {line}"));
    let mut lines: Vec<String> = lines.collect();
    if lines.len() > ENTRIES_MAX {
        let more = lines.len() - ENTRIES_MAX;
        lines.truncate(ENTRIES_MAX);
        lines.push(format!("- {}", messages::list::and_more(more)));
    }
    lines
}

/// `Lead Analyst, Analytical Engines Ltd · London · 2019 to now`, and likewise for studies.
fn entry(item: &Value) -> Option<String> {
    let Value::Object(members) = item else { return words(item) };
    let of = |key: &str| members.get(key).and_then(words);
    let keys = ["position", "studyType", "area", "title", "name", "organization", "institution"];
    let names: Vec<String> = keys.iter().filter_map(|key| of(key)).collect();
    let date = |key: &str| of(key).map(|date| in_months(&date));
    let dates = match (date("startDate"), date("endDate")) {
        (Some(from), Some(to)) => Some(messages::staff::between(&from, &to)),
        (Some(from), None) => Some(messages::staff::between(&from, messages::staff::NOW)),
        (None, to) => to,
    };
    let head = (!names.is_empty()).then(|| names.join(", "));
    let parts: Vec<String> = [head, of("location"), dates].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// What was passed over at somebody's word, and whose: the participant did not complete it.
fn passed_over(state: &State, flow: &LoadedFlow) -> Option<Text> {
    let all = flow.flow.phase.iter().flat_map(|phase| &phase.objective);
    let is_overridden = |objective: &&Objective| {
        matches!(state.objectives.get(&objective.id), Some((_, SetBy::Override)))
    };
    let objectives: Vec<&Objective> = all.filter(is_overridden).collect();
    let title = |objective: &&Objective| Text::default().then_quoted_emphasised(&*objective.title);
    let titles: Vec<Text> = objectives.iter().map(title).collect();
    if titles.is_empty() {
        return None;
    }
    let mut deciders: Vec<String> =
        objectives.iter().filter_map(|objective| decider(state, &objective.id)).collect();
    deciders.sort_unstable();
    deciders.dedup();
    let by = if deciders.is_empty() {
        messages::forms::TEAM.into()
    } else {
        Text::default().then_quoted(deciders.join(", "))
    };
    Some(messages::staff::moved_past(titles, by))
}

/// Who approved that an objective is passed over, as others call them.
fn decider(state: &State, objective: &str) -> Option<String> {
    state.waits.values().find_map(|wait| {
        let missing = wait.state["missing"].as_array()?;
        let (reply, _, name, _) = wait.status.answer()?;
        let is_approved = matches!(reply, Reply::Decided { decision: Decision::Approved, .. });
        (is_approved && missing.iter().any(|id| id == objective)).then(|| name.clone())
    })
}

/// A value as people read it; `None` if there is nothing to read.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(quoted(&clipped(text.trim()))),
        Value::Bool(yes) => Some(if *yes { "yes" } else { "no" }.to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// `2020-03` as `Mar 2020`; a year stays a year.
fn in_months(date: &str) -> String {
    let day = if date.len() == 7 { format!("{date}-01") } else { date.to_owned() };
    NaiveDate::parse_from_str(&day, "%Y-%m-%d")
        .map_or_else(|_| date.to_owned(), |day| day.format("%b %Y").to_string())
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(VALUE_MAX) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// `startDate` and `start_date` as `Start date`.
pub(super) fn titled(key: &str) -> String {
    let mut words = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        match c {
            '_' => words.push(' '),
            c if words.is_empty() => words.extend(c.to_uppercase()),
            c if c.is_uppercase() => words.extend([' '].into_iter().chain(c.to_lowercase())),
            c => words.push(c),
        }
    }
    words
}
