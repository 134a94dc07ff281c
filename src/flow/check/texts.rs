//! The texts of a flow that people read: where each stands, and how long it may be.

use serde_json::Value;

use super::Check;
use crate::{
    config::toml_document::escaped,
    model::flow::{Approval, Flow, Phase, Step},
};

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

/// Arguments and their members that people don't read.
const UNREAD: [&str; 14] = [
    "id",
    "icon",
    "when",
    "$from",
    "$each",
    "approval",
    "dataType",
    "uploadType",
    "imageType",
    "acceptedFormats",
    "agentType",
    "overrides",
    "pattern",
    "format",
];

/// A text that somebody reads.
pub(super) struct Text {
    /// Its place, such as `/phase/0/title`.
    pub(super) at: String,
    pub(super) words: String,
    /// How many characters of it every platform shows; `None` if that depends on the form that it stands in.
    pub(super) most: Option<usize>,
    /// It would leave a hole if it were empty, and nothing else in the check says so.
    pub(super) is_needed: bool,
}

/// What people read of a step that asks or tells something.
pub(super) fn questions(step: &Step) -> impl Iterator<Item = &str> + Clone {
    QUESTIONS.into_iter().filter_map(|name| step.args.get(name)?.as_str())
}

/// The texts of a table that stand under their own keys, with how many characters of each are shown.
type Named<'f> = (&'static str, Option<&'f String>, usize);

/// Ids and labels of the options of a step.
pub(super) fn options(step: &Step) -> impl Iterator<Item = (&str, &str)> + Clone {
    let options = step.args.get("options").and_then(Value::as_array);
    options
        .into_iter()
        .flatten()
        .filter_map(|option| Some((option["id"].as_str()?, option["label"].as_str()?)))
}

impl Check<'_> {
    /// Every text that somebody reads.
    pub(super) fn texts_of_people(&self) -> Vec<Text> {
        let flow = self.flow;
        let mut texts = Texts::default();
        texts.named("", [("title", Some(&flow.title), TITLE_MAX)]);
        texts.other("/summary", &flow.summary);
        texts.of_notice(flow);
        texts.of_panel(flow);
        for (name, approval) in &flow.approvals.named {
            texts.of_approval(&format!("/approvals/{}", escaped(name)), approval);
        }
        texts.of_fields(flow);
        for (p, phase) in flow.phase.iter().enumerate() {
            texts.of_phase(&format!("/phase/{p}"), phase);
        }
        texts.0
    }
}

#[derive(Default)]
struct Texts(Vec<Text>);

impl Texts {
    fn named<'f>(&mut self, at: &str, named: impl IntoIterator<Item = Named<'f>>) {
        for (key, text, most) in named {
            if let Some(text) = text {
                self.add(format!("{at}/{key}"), text, Some(most));
            }
        }
    }

    fn add(&mut self, at: String, text: &str, most: Option<usize>) {
        let is_needed = most.is_some();
        self.0.push(Text { at, words: text.to_owned(), most, is_needed });
    }

    /// A text whose length is nobody's business here.
    fn other(&mut self, at: &str, text: &str) {
        self.add(at.to_owned(), text, None);
    }

    fn of_notice(&mut self, flow: &Flow) {
        let Some(notice) = &flow.notice else { return };
        let named = [
            ("text", Some(&notice.text), TEXT_MAX),
            ("text_without_model", notice.text_without_model.as_ref(), TEXT_MAX),
            ("accept", Some(&notice.accept), LABEL_MAX),
            ("human", Some(&notice.human), LABEL_MAX),
            ("decline", Some(&notice.decline), LABEL_MAX),
        ];
        self.named("/notice", named);
    }

    /// What stands on a panel.
    fn of_panel(&mut self, flow: &Flow) {
        let Some(start) = &flow.start.discord else { return };
        let named = [
            ("panel_title", start.panel_title.as_ref(), TITLE_MAX),
            ("panel_text", start.panel_text.as_ref(), TEXT_MAX),
            ("panel_button", start.panel_button.as_ref(), PANEL_BUTTON_MAX),
        ];
        self.named("/start/discord", named);
        let alt = [("panel_image_alt", start.panel_image_alt.as_ref(), ALT_MAX)];
        self.may_be_empty("/start/discord", alt);
    }

    fn of_approval(&mut self, at: &str, approval: &Approval) {
        let named = [
            ("title", Some(&approval.title), APPROVAL_MAX),
            ("approved", approval.approved.as_ref(), TEXT_MAX),
            ("denied", approval.denied.as_ref(), TEXT_MAX),
            ("expired", approval.expired.as_ref(), TEXT_MAX),
        ];
        self.may_be_empty(at, named);
    }

    fn may_be_empty<'f>(&mut self, at: &str, named: impl IntoIterator<Item = Named<'f>>) {
        let before = self.0.len();
        self.named(at, named);
        for text in &mut self.0[before..] {
            text.is_needed = false;
        }
    }

    fn of_fields(&mut self, flow: &Flow) {
        for (name, table) in &flow.data {
            for (field, written) in table.fields.iter().flat_map(|fields| &fields.0) {
                let at = format!("/data/{}/fields/{}", escaped(name), escaped(field));
                for (key, text) in [("title", &written.title), ("help", &written.help)] {
                    if let Some(text) = text {
                        self.other(&format!("{at}/{key}"), text);
                    }
                }
                for (id, label) in written.options.iter().flat_map(|options| &options.0) {
                    self.other(&format!("{at}/options/{}", escaped(id)), label);
                }
            }
        }
    }

    fn of_phase(&mut self, at: &str, phase: &Phase) {
        let named =
            [("title", Some(&phase.title), TITLE_MAX), ("intro", phase.intro.as_ref(), TEXT_MAX)];
        self.named(at, named);
        for (n, objective) in phase.objective.iter().enumerate() {
            let title = [("title", Some(&objective.title), TITLE_MAX)];
            self.named(&format!("{at}/objective/{n}"), title);
        }
        for (n, step) in phase.step.iter().enumerate() {
            self.of_step(&format!("{at}/step/{n}/args"), step);
        }
    }

    fn of_step(&mut self, at: &str, step: &Step) {
        for (name, value) in step.args.iter().filter(|(name, _)| is_read(name)) {
            let at = format!("{at}/{}", escaped(name));
            match value {
                Value::String(text) if QUESTIONS.contains(&name.as_str()) => {
                    self.add(at, text, Some(TEXT_MAX));
                }
                Value::Array(options) if name == "options" => self.of_options(&at, options),
                value => self.within(&at, value),
            }
        }
    }

    fn of_options(&mut self, at: &str, options: &[Value]) {
        for (n, option) in options.iter().enumerate() {
            let at = format!("{at}/{n}");
            let before = self.0.len();
            self.within(&at, option);
            let label = format!("{at}/label");
            for text in self.0[before..].iter_mut().filter(|text| text.at == label) {
                (text.most, text.is_needed) = (Some(LABEL_MAX), true);
            }
        }
    }

    fn within(&mut self, at: &str, value: &Value) {
        match value {
            Value::String(text) => self.other(at, text),
            Value::Array(entries) => {
                for (n, entry) in entries.iter().enumerate() {
                    self.within(&format!("{at}/{n}"), entry);
                }
            }
            Value::Object(members) => {
                for (key, value) in members.iter().filter(|(key, _)| is_read(key)) {
                    self.within(&format!("{at}/{}", escaped(key)), value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn is_read(name: &str) -> bool {
    !UNREAD.contains(&name)
}
