//! The log of a conversation without what a platform, a clock or chance puts into it.

use std::collections::HashMap;

use anteroom::model::transcript::{Event, Recorded};
use chrono::DateTime;
use serde_json::{Map, Value, json};

/// One line for each event. Ids are numbered as they appear, so that it stays to be seen what refers to what; times,
/// places, people and references to messages are the platform's.
pub(crate) fn of(events: &[Recorded]) -> String {
    let mut names = Names::default();
    // Which message words came in is the platform's; the page has none.
    let told = events.iter().filter(|recorded| !matches!(*recorded.event, Event::Worded { .. }));
    let lines = told.zip(1..).map(|(recorded, n)| {
        let mut event = serde_json::to_value(&*recorded.event).unwrap();
        names.replace_in("", &mut event);
        format!("{n} {event}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[derive(Default)]
struct Names(HashMap<String, String>);

impl Names {
    fn replace_in(&mut self, key: &str, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(new) = self.replaced(key, text) {
                    *text = new;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.replace_in(key, item)),
            Value::Object(members) if is_place(members) => *value = json!("place"),
            Value::Object(members) => {
                // Slack alone knows it, and which source of contact data serves depends on the platform.
                members.remove("time_zone");
                members.remove("contact_source");
                for (key, member) in members {
                    self.replace_in(key, member);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn replaced(&mut self, key: &str, text: &str) -> Option<String> {
        if key == "source" {
            return Some("message".to_owned());
        }
        if ["web:", "slack:", "discord:"].iter().any(|platform| text.starts_with(platform)) {
            return Some("person".to_owned());
        }
        if DateTime::parse_from_rfc3339(text).is_ok() {
            return Some("time".to_owned());
        }
        let (kind, rest) = text.rsplit_once('_')?;
        let is_id = rest.len() == 32 && rest.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id {
            return None;
        }
        let next = self.0.len() + 1;
        Some(self.0.entry(text.to_owned()).or_insert_with(|| format!("{kind} {next}")).clone())
    }
}

fn is_place(members: &Map<String, Value>) -> bool {
    members.contains_key("platform") && members.contains_key("channel")
}
