//! A test file as text.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};

use super::super::format::{Decide, Expect, Platform, Step};
use crate::{
    chat::form::one_line,
    model::{flow::Period, session},
};

/// What stands over everything.
const HEAD: &str = "\
# Written by `anteroom flows test --record`. It holds what people said, filled in and decided: look it over before you share it.
# Add what a step must show, such as `asks` or `reads`. `flow` is the id of a flow; the path of its file works, too.
";

/// Said of a conversation that a model may have led.
const NO_MODEL: &str = "# A model was set up when this was recorded. Tests are led by the steps of the flow, so what is asked may differ.\n";

/// A test to be written.
pub(super) struct Written {
    pub(super) platform: Platform,
    pub(super) begins: DateTime<Utc>,
    pub(super) vars: BTreeMap<String, String>,
    pub(super) has_model: bool,
    /// How the conversation ended when it was recorded, where the test ends otherwise.
    pub(super) otherwise: Option<String>,
    /// What is done, or what of the recording is not.
    pub(super) steps: Vec<Result<Step, String>>,
}

/// The whole file.
pub(super) fn file(flow: &str, tests: Vec<Written>) -> String {
    let mut text = format!("{HEAD}flow = {}\n", value(&json!(flow)));
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for test in tests {
        let began = test.begins.format("%-d %B %Y, %H:%M:%S");
        let name = format!("As recorded on {began}");
        let count = names.entry(name.clone()).or_default();
        *count += 1;
        let name = if *count == 1 { name } else { format!("{name} ({count})") };
        text.push_str(&one(&name, &test));
    }
    text
}

fn one(name: &str, written: &Written) -> String {
    let platform = session::Platform::from(written.platform).name();
    let begins = written.begins.to_rfc3339_opts(SecondsFormat::Secs, true);
    let note = if written.has_model { NO_MODEL } else { "" };
    let mut text = format!("\n{note}[[test]]\n");
    line(&mut text, "name", &json!(name));
    line(&mut text, "platforms", &json!([platform]));
    line(&mut text, "begins", &json!(begins));
    if !written.vars.is_empty() {
        line(&mut text, "vars", &json!(written.vars));
    }
    for step in &written.steps {
        match step {
            Ok(step) => text.push_str(&of_step(step)),
            Err(why) => text.extend(["\n# Left out: ", &one_line(why), "\n"]),
        }
    }
    if let Some(words) = &written.otherwise {
        text.extend(["\n# ", &one_line(words), "\n"]);
    }
    text
}

fn of_step(step: &Step) -> String {
    let mut text = "\n[[test.step]]\n".to_owned();
    let decide = step.decide.map(|decide| match decide {
        Decide::Approve => "approve",
        Decide::Deny => "deny",
    });
    let done = [
        ("press", step.press.as_ref().map(|label| json!(label))),
        ("choose", step.choose.as_ref().map(|labels| json!(labels))),
        ("say", step.say.as_ref().map(|words| json!(words))),
        ("fill", step.fill.as_ref().map(|values| json!(values))),
        ("upload", step.upload.as_ref().map(|name| json!(name))),
        ("wait", step.wait.map(|period| json!(length(period)))),
        ("decide", decide.map(|decide| json!(decide))),
        ("because", step.because.as_ref().map(|words| json!(words))),
        ("expect", step.expect.as_ref().map(of_expect)),
    ];
    for (key, done) in done {
        if let Some(done) = done.filter(|done| *done != json!({}) || key == "fill") {
            line(&mut text, key, &done);
        }
    }
    text
}

/// `25h`, `3d`: in the largest unit that says it exactly.
fn length(Period(time): Period) -> String {
    let seconds = time.as_secs();
    let units = [(86_400, 'd'), (3_600, 'h'), (60, 'm')];
    let exact = units.into_iter().find(|(unit, _)| seconds > 0 && seconds.is_multiple_of(*unit));
    let (unit, name) = exact.unwrap_or((1, 's'));
    format!("{}{name}", seconds / unit)
}

/// What a recording leads to expect, without what is empty.
fn of_expect(expect: &Expect) -> Value {
    let members = [
        ("refused", json!(expect.refused)),
        ("phase", json!(expect.phase)),
        ("status", json!(expect.status.map(super::super::format::Status::name))),
        ("objectives", json!(expect.objectives)),
        ("records", json!(expect.records)),
        ("values", json!(expect.values)),
        ("effects", json!(expect.effects)),
        ("hooks", json!(expect.hooks)),
    ];
    let is_said =
        |value: &Value| !matches!(value, Value::Null) && *value != json!({}) && *value != json!([]);
    let said = members.into_iter().filter(|(_, value)| is_said(value));
    Value::Object(said.map(|(key, value)| (key.to_owned(), value)).collect())
}

fn line(text: &mut String, name: &str, content: &Value) {
    text.extend([&key(name), " = ", &value(content), "\n"]);
}

/// A value in one line. TOML knows no empty values: members without one are left out.
fn value(content: &Value) -> String {
    match content {
        Value::Null => "\"\"".to_owned(),
        Value::Bool(_) | Value::Number(_) => content.to_string(),
        Value::String(words) => quoted(words),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(value).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => table(members),
    }
}

fn table(members: &Map<String, Value>) -> String {
    let there = members.iter().filter(|(_, content)| !content.is_null());
    let members: Vec<String> =
        there.map(|(name, content)| format!("{} = {}", key(name), value(content))).collect();
    if members.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", members.join(", ")) }
}

fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { quoted(name) }
}

/// JSON's escapes are TOML's, but for one character.
fn quoted(words: &str) -> String {
    Value::from(words).to_string().replace('\u{7f}', "\\u007f")
}
