//! What people read: no text is empty, none is cut off by a platform, and no two buttons of a card look alike.

use serde_json::Value;

use super::{Check, texts::Text};
use crate::model::flow::Step;

impl Check<'_> {
    pub(super) fn labels(&mut self) {
        for Text { at, words: text, most, is_needed } in self.texts_of_people() {
            if is_needed && text.trim().is_empty() {
                let hint = Some("say what people should read here".to_owned());
                self.error(&at, "this text is empty", hint);
            } else if let Some(most) = most {
                self.longest(&at, &text, most);
            }
        }
        self.buttons_of_notice();
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, step) in phase.step.iter().enumerate() {
                self.buttons(&format!("/phase/{p}/step/{n}/args/options"), step);
            }
        }
    }

    fn buttons_of_notice(&mut self) {
        let Some(notice) = &self.flow.notice else { return };
        let buttons =
            [("accept", &notice.accept), ("human", &notice.human), ("decline", &notice.decline)];
        for (n, (name, label)) in buttons.iter().enumerate() {
            let mut before = buttons[..n].iter();
            if let Some((other, _)) = before.find(|(_, other)| is_same(other, label)) {
                self.alike(&format!("/notice/{name}"), label, other);
            }
        }
    }

    /// The buttons of a step that are known before anybody answers.
    fn buttons(&mut self, at: &str, step: &Step) {
        let Some(options) = step.args.get("options").and_then(Value::as_array) else { return };
        let label = |option: &Value| option.get("label")?.as_str().map(str::to_owned);
        for (n, option) in options.iter().enumerate() {
            let Some(text) = label(option) else { continue };
            let other = options[..n].iter().find(|other| {
                label(other).is_some_and(|other| !is_filled_in(&other) && is_same(&other, &text))
            });
            if let Some(id) = other.and_then(|other| other.get("id")?.as_str()) {
                self.alike(&format!("{at}/{n}/label"), &text, id);
            }
        }
    }

    fn alike(&mut self, at: &str, label: &str, other: &str) {
        let message = format!("`{label}` is also the label of `{other}`");
        let hint = "people can't tell the two buttons apart: give each its own label";
        self.error(at, message, Some(hint.to_owned()));
    }

    fn longest(&mut self, at: &str, text: &str, most: usize) {
        let text = self.loaded.text(text);
        let length = text.trim().chars().count();
        if length > most && !is_filled_in(&text) {
            let message = format!("this text has {length} characters; at most {most} can be shown");
            self.error(at, message, Some("shorten it, or split it".to_owned()));
        }
    }
}

/// How long it is depends on what is filled in.
fn is_filled_in(text: &str) -> bool {
    text.contains("{{") || text.contains("{%")
}

fn is_same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}
