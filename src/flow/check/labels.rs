//! What people read: no text is empty, none is cut off by a platform, and no two buttons of a card look alike.

use serde_json::Value;

use super::Check;
use crate::{config::toml_document::escaped, model::flow::Step};

/// Longest label of a button in Slack; Discord's is 80.
/// <https://docs.slack.dev/reference/block-kit/block-elements/button-element>
const LABEL_MAX: usize = 75;

/// Longest text of a section in Slack; Discord's is 4,000.
/// <https://docs.slack.dev/reference/block-kit/blocks/section-block>
const TEXT_MAX: usize = 3_000;

/// Longest title that every heading, button and list holds; Discord's thread names are the shortest.
/// <https://discord.com/developers/docs/resources/channel#channel-object>
const TITLE_MAX: usize = 100;

/// Longest label of a button of a panel on Discord, and of what a picture on it shows.
/// <https://discord.com/developers/docs/components/reference#button>
const PANEL_BUTTON_MAX: usize = 80;
/// <https://discord.com/developers/docs/components/reference#media-gallery>
const ALT_MAX: usize = 1_024;

/// Longest title of a request to the team, which is a header in Slack.
/// <https://docs.slack.dev/reference/block-kit/blocks/header-block>
const APPROVAL_MAX: usize = 150;

/// Arguments of steps that are questions or messages.
const QUESTIONS: [&str; 3] = ["prompt", "message", "text"];

impl Check<'_> {
    pub(super) fn labels(&mut self) {
        let flow = self.flow;
        self.label("/title", &flow.title, TITLE_MAX);
        if let Some(notice) = &flow.notice {
            self.label("/notice/text", &notice.text, TEXT_MAX);
            if let Some(text) = &notice.text_without_model {
                self.label("/notice/text_without_model", text, TEXT_MAX);
            }
            let buttons = [
                ("accept", &notice.accept),
                ("human", &notice.human),
                ("decline", &notice.decline),
            ];
            for (n, (name, label)) in buttons.iter().enumerate() {
                let at = format!("/notice/{name}");
                self.label(&at, label, LABEL_MAX);
                if let Some((other, _)) =
                    buttons[..n].iter().find(|(_, other)| is_same(other, label))
                {
                    self.alike(&at, label, other);
                }
            }
        }
        self.panel_texts();
        for (name, approval) in &flow.approvals.named {
            let at = format!("/approvals/{}", escaped(name));
            self.longest(&format!("{at}/title"), &approval.title, APPROVAL_MAX);
            for (key, text) in [
                ("approved", &approval.approved),
                ("denied", &approval.denied),
                ("expired", &approval.expired),
            ] {
                if let Some(text) = text {
                    self.longest(&format!("{at}/{key}"), text, TEXT_MAX);
                }
            }
        }
        for (p, phase) in flow.phase.iter().enumerate() {
            self.label(&format!("/phase/{p}/title"), &phase.title, TITLE_MAX);
            if let Some(intro) = &phase.intro {
                self.label(&format!("/phase/{p}/intro"), intro, TEXT_MAX);
            }
            for (n, objective) in phase.objective.iter().enumerate() {
                let at = format!("/phase/{p}/objective/{n}/title");
                self.label(&at, &objective.title, TITLE_MAX);
            }
            for (n, step) in phase.step.iter().enumerate() {
                self.card(&format!("/phase/{p}/step/{n}/args"), step);
            }
        }
    }

    /// What stands on a panel.
    fn panel_texts(&mut self) {
        let Some(start) = &self.flow.start.discord else { return };
        for (key, text, most) in [
            ("panel_title", &start.panel_title, TITLE_MAX),
            ("panel_text", &start.panel_text, TEXT_MAX),
            ("panel_image_alt", &start.panel_image_alt, ALT_MAX),
            ("panel_button", &start.panel_button, PANEL_BUTTON_MAX),
        ] {
            if let Some(text) = text {
                let at = format!("/start/discord/{key}");
                if key == "panel_image_alt" {
                    self.longest(&at, text, most);
                } else {
                    self.label(&at, text, most);
                }
            }
        }
    }

    /// The texts of a step that are known before anybody answers.
    fn card(&mut self, at: &str, step: &Step) {
        for name in QUESTIONS {
            if let Some(text) = step.args.get(name).and_then(Value::as_str) {
                self.label(&format!("{at}/{name}"), text, TEXT_MAX);
            }
        }
        let Some(options) = step.args.get("options").and_then(Value::as_array) else { return };
        let label = |option: &Value| option.get("label")?.as_str().map(str::to_owned);
        for (n, option) in options.iter().enumerate() {
            let Some(text) = label(option) else { continue };
            let at = format!("{at}/options/{n}/label");
            self.label(&at, &text, LABEL_MAX);
            let other = options[..n].iter().find(|other| {
                label(other).is_some_and(|other| !is_filled_in(&other) && is_same(&other, &text))
            });
            if let Some(id) = other.and_then(|other| other.get("id")?.as_str()) {
                self.alike(&at, &text, id);
            }
        }
    }

    fn alike(&mut self, at: &str, label: &str, other: &str) {
        let message = format!("`{label}` is also the label of `{other}`");
        let hint = "people can't tell the two buttons apart: give each its own label";
        self.error(at, message, Some(hint.to_owned()));
    }

    fn label(&mut self, at: &str, text: &str, most: usize) {
        if text.trim().is_empty() {
            let hint = Some("say what people should read here".to_owned());
            self.error(at, "this text is empty", hint);
            return;
        }
        self.longest(at, text, most);
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
