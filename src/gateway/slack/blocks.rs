//! Small builders over the client library's Block Kit types: every text is cut to what its place takes, and none is
//! empty.
//!
//! Mrkdwn is always `verbatim`: Slack makes links and mentions of what is marked as such and of nothing else. Without
//! it a name or a title with an address or a `#channel` in it would become a link of the bot's making.

use reqwest::Url;
use serde_json::Value;
use slack_morphism::prelude::{
    SlackActionBlockElement, SlackActionsBlock, SlackBlock, SlackBlockButtonElement,
    SlackBlockButtonStyle, SlackBlockConfirmItem, SlackBlockMarkDownText, SlackBlockPlainText,
    SlackBlockPlainTextOnly, SlackBlockText, SlackContextBlock, SlackContextBlockElement,
    SlackDividerBlock, SlackHeaderBlock, SlackModalView, SlackSectionBlock, SlackView,
};

use super::{
    limits,
    render::text::{clip_or, literal, units},
};
use crate::{
    chat::{
        card::{Action, Emphasis},
        form::{ComponentId, is_blank},
    },
    messages,
    model::wait::Wait,
};

/// A plain text of at most `max` characters.
pub(super) fn plain(text: &str, max: usize) -> SlackBlockPlainTextOnly {
    SlackBlockPlainText::new(clip_or(text, max, "—")).into()
}

/// Mrkdwn that is safe already. Slack makes no links, names or mentions of what is not marked as such.
pub(super) fn mrkdwn(text: impl Into<String>) -> SlackBlockText {
    let text: String = text.into();
    let text = if is_blank(&text) { "—".to_owned() } else { text };
    SlackBlockMarkDownText::new(text).with_verbatim(true).into()
}

/// Words of somebody, cut to `max` characters, as mrkdwn.
pub(super) fn said(text: &str, max: usize) -> String {
    literal(&clip_or(text, max, "—"))
}

/// Words in bold; as they are where they hold a link or a mark, for which bold would end early.
pub(super) fn bold(safe: &str) -> String {
    if safe.contains(['*', '\n']) || safe.contains("<http") {
        safe.to_owned()
    } else {
        format!("*{safe}*")
    }
}

pub(super) fn header(text: &str) -> SlackBlock {
    SlackHeaderBlock::new(plain(text, limits::HEADER)).into()
}

/// A paragraph of mrkdwn that is safe and short enough.
pub(super) fn section(text: impl Into<String>) -> SlackBlock {
    SlackSectionBlock::new().with_text(mrkdwn(text)).into()
}

/// A paragraph with a button beside it.
pub(super) fn row(text: impl Into<String>, button: Button) -> SlackBlock {
    SlackSectionBlock::new().with_text(mrkdwn(text)).with_accessory(button.element().into()).into()
}

pub(super) fn divider() -> SlackBlock {
    SlackDividerBlock::new().into()
}

/// Label and value side by side, in as many sections as that takes.
pub(super) fn columns(fields: &[String]) -> Vec<SlackBlock> {
    let section = |fields: &[String]| {
        SlackSectionBlock::new().with_fields(fields.iter().map(mrkdwn).collect()).into()
    };
    fields.chunks(limits::SECTION_FIELDS).map(section).collect()
}

/// One line of small print that is safe and short enough.
pub(super) fn note(line: impl Into<String>) -> SlackBlock {
    context([&line.into()])
}

/// Small print.
pub(super) fn context<'a>(lines: impl IntoIterator<Item = &'a String>) -> SlackBlock {
    let element = |line: &String| match mrkdwn(line) {
        SlackBlockText::MarkDown(text) => SlackContextBlockElement::MarkDown(text),
        SlackBlockText::Plain(text) => SlackContextBlockElement::Plain(text),
    };
    let elements = lines.into_iter().take(limits::CONTEXT_ELEMENTS).map(element).collect();
    SlackContextBlock::new(elements).into()
}

/// A row of buttons and menus; nothing where there is none.
pub(super) fn actions(elements: Vec<SlackActionBlockElement>) -> Option<SlackBlock> {
    (!elements.is_empty()).then(|| SlackActionsBlock::new(elements).into())
}

/// A button.
pub(super) struct Button {
    pub(super) id: String,
    pub(super) label: String,
    /// What comes back with it.
    pub(super) value: Option<String>,
    /// The page that it opens.
    pub(super) link: Option<Url>,
    pub(super) style: Option<SlackBlockButtonStyle>,
    pub(super) confirm: Option<SlackBlockConfirmItem>,
    /// What a screen reader says, where that is more than the label.
    pub(super) spoken: Option<String>,
}

impl Button {
    /// The button of an action. One that counts only after a question asks it.
    pub(super) fn of(wait: &Wait, action: &Action) -> Self {
        let id = ComponentId::id(wait.id, wait.revision, &action.name);
        let button = Self::new(id, action.label.clone());
        let (button, is_danger) = match action.emphasis {
            Emphasis::None => (button, false),
            Emphasis::Primary | Emphasis::Positive => (button.primary(), false),
            Emphasis::Danger => (button.danger(), true),
        };
        match &action.sure {
            Some(sure) => button.asking(confirm(sure.title, &sure.words, &sure.yes, is_danger)),
            None => button,
        }
    }

    pub(super) fn new(id: String, label: impl Into<String>) -> Self {
        let (value, link, style, confirm, spoken) = (None, None, None, None, None);
        Self { id, label: label.into(), value, link, style, confirm, spoken }
    }

    pub(super) fn value(self, value: &str) -> Self {
        Self { value: Some(value.to_owned()), ..self }
    }

    pub(super) fn link(self, page: Url) -> Self {
        Self { link: Some(page), ..self }
    }

    pub(super) fn primary(self) -> Self {
        Self { style: Some(SlackBlockButtonStyle::Primary), ..self }
    }

    pub(super) fn danger(self) -> Self {
        Self { style: Some(SlackBlockButtonStyle::Danger), ..self }
    }

    /// Asks once more before it acts.
    pub(super) fn asking(self, confirm: SlackBlockConfirmItem) -> Self {
        Self { confirm: Some(confirm), ..self }
    }

    pub(super) fn spoken(self, label: &str) -> Self {
        Self { spoken: Some(label.to_owned()), ..self }
    }

    pub(super) fn build(self) -> SlackActionBlockElement {
        self.element().into()
    }

    fn element(self) -> SlackBlockButtonElement {
        let label = clip_or(&self.label, limits::BUTTON_TEXT, "—");
        // A screen reader reads the label; it needs more only where the label says less.
        let spoken = self.spoken.map(|spoken| clip_or(&spoken, limits::BUTTON_LABEL, &label));
        let mut button = SlackBlockButtonElement::new(plain(&label, limits::BUTTON_TEXT));
        button.action_id = Some(self.id.into());
        button.value = self.value;
        button.url = self.link;
        button.style = self.style;
        button.confirm = self.confirm;
        button.accessibility_label = spoken.filter(|spoken| *spoken != label).map(Into::into);
        button
    }
}

/// "Are you sure?"
pub(super) fn confirm(title: &str, text: &str, yes: &str, danger: bool) -> SlackBlockConfirmItem {
    let item = SlackBlockConfirmItem::new(
        plain(title, limits::CONFIRM_TITLE),
        SlackBlockText::Plain(SlackBlockPlainText::new(clip_or(text, limits::CONFIRM_TEXT, "—"))),
        plain(yes, limits::CONFIRM_BUTTON),
        plain(messages::buttons::CANCEL, limits::CONFIRM_BUTTON),
    );
    item.with_style(if danger { "danger" } else { "primary" }.to_owned())
}

/// A form as JSON.
pub(super) struct View {
    pub(super) title: String,
    pub(super) callback: String,
    pub(super) metadata: String,
    /// Label of the button that sends it; `None` if it is only read.
    pub(super) submit: Option<String>,
    pub(super) blocks: Vec<SlackBlock>,
}

impl View {
    pub(super) fn json(self) -> Value {
        let mut view = SlackModalView::new(plain(&self.title, limits::VIEW_TITLE), self.blocks);
        view.submit = self.submit.map(|label| plain(&label, limits::VIEW_TITLE));
        let close = if view.submit.is_some() {
            messages::buttons::CANCEL
        } else {
            messages::buttons::CLOSE
        };
        view.close = Some(plain(close, limits::VIEW_TITLE));
        view.callback_id = Some(self.callback.into());
        view.private_metadata = Some(self.metadata).filter(|text| !text.is_empty());
        json(&SlackView::Modal(view))
    }
}

/// A part as JSON. Plain data always has one.
pub(super) fn json(part: &impl serde::Serialize) -> Value {
    serde_json::to_value(part).unwrap_or_default()
}

/// Blocks as a message or a view takes them.
pub(super) fn to_json(blocks: &[SlackBlock]) -> Vec<Value> {
    blocks.iter().map(json).collect()
}

/// How much text some blocks hold, as Slack may count it.
pub(super) fn weight(blocks: &[SlackBlock]) -> usize {
    fn of(value: &Value) -> usize {
        match value {
            // Mrkdwn is escaped already.
            Value::Object(members) if members.get("type").is_some_and(|kind| kind == "mrkdwn") => {
                let text = members.get("text").and_then(Value::as_str);
                text.map_or(0, |text| text.encode_utf16().count())
            }
            Value::Object(members) => members
                .iter()
                .map(|(key, value)| match value {
                    Value::String(text) if key == "text" || key == "value" => units(text),
                    Value::String(_) => 0,
                    value => of(value),
                })
                .sum(),
            Value::Array(items) => items.iter().map(of).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
        }
    }
    blocks.iter().map(|block| of(&json(block))).sum()
}
