//! An interview as text: what both sides said and did, line by line, and which tools the model called.

use std::fmt::Write as _;

use super::stage::Interview;
use crate::{
    model::{
        transcript::{Audience, CallResult, Event, Origin, Recorded, Speaker},
        wait::{Answerers, Wait},
    },
    session::answer::describe,
};

/// What people saw of an interview.
pub(super) fn seen(interview: &Interview) -> String {
    lines(interview, |recorded| line(interview, &recorded.event))
}

/// What people saw of an interview, with the calls of the model between.
pub(super) fn full(interview: &Interview) -> String {
    lines(interview, |recorded| line(interview, &recorded.event).or_else(|| call(&recorded.event)))
}

fn lines(interview: &Interview, line: impl Fn(&Recorded) -> Option<String>) -> String {
    let mut text = String::new();
    for line in interview.events.iter().filter_map(line) {
        _ = writeln!(text, "{line}");
    }
    text
}

fn line(interview: &Interview, event: &Event) -> Option<String> {
    Some(match event {
        Event::Posted { audience: Audience::Participant, text, .. } => {
            format!("interviewer: {}", text.common_mark())
        }
        Event::Asked(wait) => format!("{}: {}", asks(wait), wait.prompt.body.common_mark()),
        Event::Said { from: Speaker::Participant, text, .. } => format!("participant: {text}"),
        Event::Kept(file) => format!("participant sends a file: {}", file.filename),
        Event::Edited { data, by_name, .. } => format!("{by_name} (card): edits, now {data}"),
        Event::Answered { wait, reply, by_name, .. } => {
            let control = interview.state.waits.get(wait).map(|wait| &wait.prompt.control);
            let words = control.map(|control| describe(control, reply)).unwrap_or_default();
            format!("{by_name} (card): {words}")
        }
        _ => return None,
    })
}

fn asks(wait: &Wait) -> &'static str {
    match wait.answerers {
        Answerers::Participant => "interviewer (card)",
        Answerers::Deciders { .. } => "interviewer (card for the team)",
    }
}

fn call(event: &Event) -> Option<String> {
    match event {
        Event::Called(call) if matches!(call.origin, Origin::Model { .. }) => {
            Some(format!("  calls {} {}", call.tool, call.args))
        }
        Event::Returned { result: CallResult::Err { code, message }, .. } => {
            Some(format!("  fails: {code}: {message}"))
        }
        Event::ThinkingFailed { code, .. } => Some(format!("  the model gave no answer: {code}")),
        Event::Advanced { to, .. } => {
            Some(format!("  the part is now {}", to.as_deref().unwrap_or("over")))
        }
        Event::ScriptLeads { .. } => Some("  the script takes over".to_owned()),
        _ => None,
    }
}
