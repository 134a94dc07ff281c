//! What a step expects, compared with what is there.

use serde_json::Value;

use super::{
    format::{Expect, Status},
    screen,
};
use crate::{
    chat::form::{clip, one_line},
    config::{problem::listed, toml_document::escaped},
    model::{
        session,
        transcript::{Audience, Event, Recorded},
    },
    ops::stage::Hooked,
    session::State,
};

/// Longest value that a message shows, in characters.
const SHOWN_MAX: usize = 200;

/// Said of a value that isn't there.
const NONE: &str = "there is none";

/// How a conversation stands after a step.
pub(super) struct Actual<'a> {
    /// What has happened, as it stood before an erasure.
    pub(super) events: &'a [Recorded],
    /// What of that has happened since the last thing that was done.
    pub(super) news: &'a [Recorded],
    /// Nothing where everything was erased.
    pub(super) state: Option<&'a State>,
    /// What the team has read since the last thing that was done.
    pub(super) team: Vec<String>,
    /// Why the last thing that was done was refused.
    pub(super) refused: Option<&'a str>,
    /// What web hooks have got so far.
    pub(super) hooked: Vec<Hooked>,
    /// The events in the audit log.
    pub(super) audit: Vec<String>,
}

/// What differs, with where it is expected: `/expect/reads/0`.
pub(super) fn differences(expect: &Expect, actual: &Actual<'_>) -> Vec<(String, String)> {
    let mut wrong = Wrong(Vec::new());
    wrong.texts(expect, actual);
    wrong.buttons(expect, actual);
    wrong.status(expect, actual.state);
    wrong.data(expect, actual.state);
    wrong.effects(expect, actual.events);
    wrong.hooks(expect, &actual.hooked);
    for (n, event) in expect.audit.iter().enumerate() {
        if !actual.audit.contains(event) {
            let there = listed(distinct(&actual.audit));
            wrong.add(
                format!("audit/{n}"),
                format!("`{event}` isn't in the audit log; there is {there}"),
            );
        }
    }
    wrong.0
}

fn distinct(names: &[String]) -> Vec<&str> {
    let mut all: Vec<&str> = names.iter().map(String::as_str).collect();
    all.sort_unstable();
    all.dedup();
    all
}

struct Wrong(Vec<(String, String)>);

impl Wrong {
    fn add(&mut self, at: impl AsRef<str>, message: String) {
        self.0.push((format!("/expect/{}", at.as_ref()), message));
    }

    fn texts(&mut self, expect: &Expect, actual: &Actual<'_>) {
        let read = screen::read_by(Audience::Participant, actual.news);
        let team = &actual.team;
        let has = |texts: &[String], part: &str| texts.iter().any(|text| screen::has(text, part));
        for (n, part) in expect.reads.iter().enumerate().filter(|(_, part)| !has(&read, part)) {
            self.add(format!("reads/{n}"), format!("the participant hasn't read “{part}”"));
        }
        for (n, part) in expect.not_reads.iter().enumerate().filter(|(_, part)| has(&read, part)) {
            self.add(format!("not_reads/{n}"), format!("the participant has read “{part}”"));
        }
        for (n, part) in expect.team_reads.iter().enumerate().filter(|(_, part)| !has(team, part)) {
            let there = team.iter().map(|text| format!("“{}”", shortened(&one_line(text))));
            let there = there.collect::<Vec<_>>().join(", ");
            let there = if there.is_empty() { "nothing".to_owned() } else { there };
            self.add(
                format!("team_reads/{n}"),
                format!("the team hasn't read “{part}”; it has read {there}"),
            );
        }
        match (&expect.refused, actual.refused) {
            (Some(part), Some(why)) if !screen::has(why, part) => {
                self.add("refused", format!("expected a refusal with “{part}”; it says “{why}”"));
            }
            (Some(part), None) => {
                self.add("refused", format!("expected a refusal with “{part}”; it was accepted"));
            }
            _ => {}
        }
    }

    fn buttons(&mut self, expect: &Expect, actual: &Actual<'_>) {
        let questions = actual.state.map(screen::questions).unwrap_or_default();
        let asked: Vec<String> = questions.iter().map(|wait| screen::words(&wait.prompt)).collect();
        if let Some(part) = &expect.asks
            && !asked.iter().any(|text| screen::has(text, part))
        {
            let there = asked.first().map_or_else(
                || "nothing is asked".to_owned(),
                |text| format!("what is asked: “{}”", shortened(&one_line(text))),
            );
            self.add("asks", format!("“{part}” isn't asked; {there}"));
        }
        let buttons = actual.state.map(|state| screen::buttons(state, actual.events));
        let buttons = buttons.unwrap_or_default();
        let is_there = |wanted: &String| {
            let mut labels = buttons.iter().map(|button| one_line(&button.label));
            labels.any(|label| label == *wanted) || buttons.iter().any(|b| b.ids.contains(wanted))
        };
        let there = || {
            let labels = buttons.iter().map(|button| format!("“{}”", button.label));
            labels.collect::<Vec<_>>().join(", ")
        };
        for (n, label) in expect.offers.iter().enumerate().filter(|(_, label)| !is_there(label)) {
            self.add(
                format!("offers/{n}"),
                format!("“{label}” isn't offered; what is: {}", there()),
            );
        }
        for (n, label) in expect.not_offers.iter().enumerate().filter(|(_, label)| is_there(label))
        {
            self.add(format!("not_offers/{n}"), format!("“{label}” is offered"));
        }
    }

    fn status(&mut self, expect: &Expect, state: Option<&State>) {
        if let Some(phase) = &expect.phase {
            let now = state.and_then(State::phase);
            if now != Some(phase) {
                let now = now.map_or_else(|| "no phase".to_owned(), |now| format!("`{now}`"));
                self.add("phase", format!("expected the phase `{phase}`; it is {now}"));
            }
        }
        if let Some(status) = expect.status {
            let now = status_of(state);
            let is_same = now == status || state.is_some_and(|state| of(state.status) == status);
            if !is_same {
                let (status, now) = (status.name(), now.name());
                self.add("status", format!("expected the status `{status}`; it is `{now}`"));
            }
        }
        for (id, status) in &expect.objectives {
            let now = state.map(|state| serde_json::json!(state.objective(id)));
            let now = now.as_ref().and_then(Value::as_str).unwrap_or("erased");
            if now != status {
                let at = format!("objectives/{}", escaped(id));
                self.add(at, format!("expected `{id}` to be `{status}`; it is `{now}`"));
            }
        }
    }

    fn data(&mut self, expect: &Expect, state: Option<&State>) {
        let record = |name: &str| state.and_then(|state| state.record(name));
        for (name, wanted) in &expect.records {
            let found = record(name).map_or(&Value::Null, |record| &record.data);
            if let Some(why) = differs(wanted, found, &mut vec![name.clone()]) {
                self.add(format!("records/{}", escaped(name)), why);
            }
        }
        for (n, name) in expect.missing.iter().enumerate() {
            if let Some(record) = record(name) {
                self.add(
                    format!("missing/{n}"),
                    format!("`{name}` is stored: {}", shown(&record.data)),
                );
            }
        }
        for (name, wanted) in &expect.values {
            let found = state.and_then(|state| state.values.get(name)).unwrap_or(&Value::Null);
            if let Some(why) = differs(wanted, found, &mut vec![name.clone()]) {
                self.add(format!("values/{}", escaped(name)), why);
            }
        }
    }

    fn effects(&mut self, expect: &Expect, events: &[Recorded]) {
        let noted = events.iter().filter_map(|recorded| match &*recorded.event {
            Event::EffectNoted { what, outcome, .. } => Some((what.as_str(), outcome)),
            _ => None,
        });
        let done: Vec<&str> =
            noted.filter(|(_, outcome)| outcome.is_under_way()).map(|(what, _)| what).collect();
        let there = |wanted: &str| done.iter().any(|what| what.starts_with(wanted));
        for (n, what) in expect.effects.iter().enumerate().filter(|(_, what)| !there(what)) {
            let mut names: Vec<&str> = done.clone();
            names.dedup();
            let done = if names.is_empty() { "nothing".to_owned() } else { listed(names) };
            self.add(format!("effects/{n}"), format!("`{what}` hasn't happened; what has: {done}"));
        }
        for (n, what) in expect.no_effects.iter().enumerate().filter(|(_, what)| there(what)) {
            self.add(format!("no_effects/{n}"), format!("`{what}` has happened"));
        }
    }

    fn hooks(&mut self, expect: &Expect, hooked: &[Hooked]) {
        let got = |alias: &str| {
            let of_alias = hooked.iter().filter(|(of, _)| of == alias);
            of_alias.map(|(_, body)| body).collect::<Vec<_>>()
        };
        for (alias, wanted) in &expect.hooks {
            let bodies = got(alias);
            let at = format!("hooks/{}", escaped(alias));
            let Some(last) = bodies.last() else {
                let called: Vec<&str> = hooked.iter().map(|(of, _)| of.as_str()).collect();
                let called = if called.is_empty() { "none".to_owned() } else { listed(called) };
                self.add(
                    at,
                    format!("the web hook `{alias}` hasn't been called; what has: {called}"),
                );
                continue;
            };
            let why = |body: &Value| differs(wanted, body, &mut vec![alias.clone()]);
            if bodies.iter().all(|body| why(body).is_some())
                && let Some(why) = why(last)
            {
                // A value that differs is shown already.
                let is_shown = !why.ends_with(NONE);
                let all = format!("{why}; the last request holds {}", shown(last));
                self.add(at, if is_shown { why } else { all });
            }
        }
        for (alias, paths) in &expect.hooks_missing {
            for (n, path) in paths.iter().enumerate() {
                let at =
                    |body: &&Value| body.pointer(&format!("/{}", path.replace('.', "/"))).cloned();
                if let Some(found) = got(alias).iter().find_map(at) {
                    let message = format!("`{alias}` has got `{path}`: {}", shown(&found));
                    self.add(format!("hooks_missing/{}/{n}", escaped(alias)), message);
                }
            }
        }
    }
}

/// How a conversation stands, as test files say it.
pub(super) fn status_of(state: Option<&State>) -> Status {
    match state {
        None => Status::Erased,
        Some(state) if state.handoff.is_some() => Status::HandedOver,
        Some(state) => of(state.status),
    }
}

const fn of(status: session::Status) -> Status {
    match status {
        session::Status::Notice => Status::Notice,
        session::Status::Open => Status::Open,
        session::Status::Stopped => Status::Stopped,
        session::Status::Paused => Status::Paused,
        session::Status::Declined => Status::Declined,
        session::Status::Completed => Status::Completed,
        session::Status::Ended => Status::Ended,
    }
}

/// Where a value is not as wanted: tables may have more, everything else is the same.
fn differs(wanted: &Value, found: &Value, path: &mut Vec<String>) -> Option<String> {
    let mut within = |key: String, wanted: &Value, found: &Value| {
        path.push(key);
        let why = differs(wanted, found, path);
        path.pop();
        why
    };
    match (wanted, found) {
        (Value::Object(members), Value::Object(found)) => {
            members.iter().find_map(|(key, wanted)| {
                within(key.clone(), wanted, found.get(key).unwrap_or(&Value::Null))
            })
        }
        (Value::Array(items), Value::Array(found)) if items.len() == found.len() => {
            let mut pairs = items.iter().zip(found).enumerate();
            pairs.find_map(|(n, (wanted, found))| within(n.to_string(), wanted, found))
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => None,
        (wanted, found) if wanted == found => None,
        (wanted, found) => {
            let path = path.join(".");
            let found = match found {
                Value::Null => NONE.to_owned(),
                found => format!("it is {}", shown(found)),
            };
            Some(format!("expected `{path}` to be {}; {found}", shown(wanted)))
        }
    }
}

fn shown(value: &Value) -> String {
    format!("`{}`", shortened(&value.to_string()))
}

fn shortened(text: &str) -> String {
    clip(text, SHOWN_MAX)
}
