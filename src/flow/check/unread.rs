//! What people write is what is stored, and not the button before it.

use super::{
    Check,
    tokens::{Token, expressions, tokens},
};
use crate::model::flow::{Phase, Step};

/// The tool that asks for words.
pub(super) const ASKS: &str = "request_user_input";

/// The tool that stores.
const STORES: &str = "persist_data";

impl Check<'_> {
    /// A button, a text, and a step that stores the button.
    pub(super) fn unread(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, pair) in phase.step.windows(2).enumerate() {
                let [asked, stored] = pair else { continue };
                if asked.tool != ASKS || asked.save.is_some() || self.is_read(asked) {
                    continue;
                }
                let Some(button) = button_stored(phase, stored) else { continue };
                let message = format!(
                    "this stores the button of `{button}`, and what people write at `{}` nowhere",
                    asked.id
                );
                let hint = format!("read `answers.{}`", asked.id);
                self.warn(&format!("/phase/{p}/step/{}/args", n + 1), message, &hint);
            }
        }
    }
}

/// The question with buttons whose answer a step stores.
fn button_stored<'p>(phase: &'p Phase, step: &Step) -> Option<&'p str> {
    if step.tool != STORES {
        return None;
    }
    let text = serde_json::to_string(&step.args).unwrap_or_default();
    let read: Vec<String> = expressions(&text)
        .into_iter()
        .flat_map(tokens)
        .filter_map(|token| match token {
            Token::Name(name) => name.strip_prefix("answers.").map(str::to_owned),
            Token::Text(_) | Token::Number(_) | Token::Sign(_) => None,
        })
        .collect();
    let has_buttons = |step: &&Step| step.args.get("options").is_some() && read.contains(&step.id);
    phase.step.iter().find(has_buttons).map(|step| step.id.as_str())
}
