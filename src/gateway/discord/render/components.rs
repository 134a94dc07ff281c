//! Small builders of components: every text is cut to what its place takes, and none is empty. Buttons and menus are
//! the client library's; what is newer than that library is written out.

use serde_json::{Value, json};
use serenity::{
    all::ButtonStyle,
    builder::{
        CreateActionRow, CreateButton, CreateSelectMenu, CreateSelectMenuKind,
        CreateSelectMenuOption,
    },
};

use super::text::{clip_or, is_blank, units};
use crate::{
    base::ids::SessionId, chat::handler::ButtonId, gateway::discord::limits, messages,
    model::ui::Offered,
};

/// A text that is Markdown already.
pub(in crate::gateway::discord) fn text(markdown: &str) -> Value {
    json!({ "type": 10, "content": if is_blank(markdown) { "—" } else { markdown } })
}

/// Small print: a line each.
pub(in crate::gateway::discord) fn small(lines: &[String]) -> Value {
    let line = |line: &String| format!("-# {}", line.replace('\n', " "));
    text(&lines.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// A text with a button beside it.
pub(in crate::gateway::discord) fn section(markdown: &str, button: &CreateButton) -> Value {
    json!({ "type": 9, "components": [text(markdown)], "accessory": json(button) })
}

/// A text with a picture beside it, described for those who do not see it.
pub(in crate::gateway::discord) fn portrait(markdown: &str, url: &str, description: &str) -> Value {
    let description = clip_or(description, limits::ALT_TEXT, "—");
    let picture = json!({ "type": 11, "media": { "url": url }, "description": description });
    json!({ "type": 9, "components": [text(markdown)], "accessory": picture })
}

/// A picture over the whole width, described for those who do not see it.
pub(in crate::gateway::discord) fn picture(url: &str, description: &str) -> Value {
    let description = clip_or(description, limits::ALT_TEXT, "—");
    json!({ "type": 12, "items": [{ "media": { "url": url }, "description": description }] })
}

/// A line between parts of a card.
pub(in crate::gateway::discord) fn separator() -> Value {
    json!({ "type": 14, "divider": true, "spacing": 1 })
}

/// Everything of a card, with a bar in its colour.
pub(in crate::gateway::discord) fn container(components: &[Value], colour: u32) -> Value {
    json!({ "type": 17, "accent_color": colour, "components": components })
}

/// Buttons in rows of five.
pub(in crate::gateway::discord) fn rows(
    buttons: impl IntoIterator<Item = CreateButton>,
) -> Vec<Value> {
    let buttons: Vec<CreateButton> = buttons.into_iter().collect();
    let rows = buttons.chunks(limits::ROW_BUTTONS);
    rows.map(|row| json(&CreateActionRow::Buttons(row.to_vec()))).collect()
}

/// A button.
pub(in crate::gateway::discord) fn button(id: String, label: &str) -> CreateButton {
    let label = clip_or(&super::text::one_line(label), limits::BUTTON_LABEL, "—");
    CreateButton::new(id).label(label).style(ButtonStyle::Secondary)
}

/// The button that most people want.
pub(in crate::gateway::discord) fn primary(id: String, label: &str) -> CreateButton {
    button(id, label).style(ButtonStyle::Primary)
}

/// A button that agrees.
pub(super) fn success(id: String, label: &str) -> CreateButton {
    button(id, label).style(ButtonStyle::Success)
}

/// A button that destroys or refuses.
pub(in crate::gateway::discord) fn danger(id: String, label: &str) -> CreateButton {
    button(id, label).style(ButtonStyle::Danger)
}

/// A button that leads somewhere; none where the address is too long or not one.
pub(in crate::gateway::discord) fn link(url: &str, label: &str) -> Option<CreateButton> {
    let fits = url.starts_with("https://") && units(url) <= limits::BUTTON_URL;
    let label = clip_or(label, limits::BUTTON_LABEL, messages::buttons::OPEN);
    fits.then(|| CreateButton::new_link(url).label(label))
}

/// An option of a menu.
pub(super) struct Item {
    pub(super) value: String,
    pub(super) label: String,
    pub(super) description: Option<String>,
    pub(super) is_picked: bool,
}

impl Item {
    pub(super) fn new(value: String, label: &str) -> Self {
        Self { value, label: label.to_owned(), description: None, is_picked: false }
    }

    fn option(&self) -> CreateSelectMenuOption {
        let label = clip_or(&super::text::one_line(&self.label), limits::OPTION_TEXT, "—");
        let option = CreateSelectMenuOption::new(label, self.value.clone());
        let option = match self.described() {
            Some(description) => option.description(description),
            None => option,
        };
        if self.is_picked { option.default_selection(true) } else { option }
    }

    fn described(&self) -> Option<String> {
        let text = self.description.as_deref().filter(|text| !is_blank(text))?;
        Some(clip_or(&super::text::one_line(text), limits::OPTION_TEXT, "—"))
    }

    /// The same among radio buttons or checkboxes.
    pub(super) fn tick(&self) -> Value {
        json(&self.option())
    }
}

/// A menu of which between `min` and `max` may be picked, in a row of its own.
pub(super) fn menu(id: &str, items: &[Item], placeholder: &str, counts: (usize, usize)) -> Value {
    json(&CreateActionRow::SelectMenu(select(id, items, placeholder, counts)))
}

/// The same as it stands in a form.
pub(super) fn select(
    id: &str,
    items: &[Item],
    placeholder: &str,
    (min, max): (usize, usize),
) -> CreateSelectMenu {
    let options = items.iter().take(limits::SELECT_OPTIONS).map(Item::option).collect::<Vec<_>>();
    let most = u8::try_from(max.clamp(1, options.len().max(1))).unwrap_or(1);
    let least = u8::try_from(min).unwrap_or(1).min(most);
    CreateSelectMenu::new(id, CreateSelectMenuKind::String { options })
        .placeholder(clip_or(placeholder, limits::SELECT_PLACEHOLDER, messages::buttons::CHOOSE))
        .min_values(least)
        .max_values(most)
}

/// A form.
pub(super) struct Modal {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) components: Vec<Value>,
}

impl Modal {
    pub(super) fn json(mut self) -> Value {
        self.components.truncate(limits::MODAL_COMPONENTS);
        json!({
            "custom_id": self.id,
            "title": clip_or(&super::text::one_line(&self.title), limits::MODAL_TITLE, messages::forms::FORM),
            "components": self.components,
        })
    }
}

/// An input with its label. What does not fit the label stands under it.
pub(super) fn label(label: &str, hint: &str, component: &Value) -> Value {
    let whole = super::text::one_line(label);
    let short = clip_or(&whole, limits::LABEL, messages::buttons::ANSWER);
    let mut words = Vec::new();
    if units(&whole) > limits::LABEL {
        words.push(whole);
    }
    if !is_blank(hint) {
        words.push(super::text::one_line(hint));
    }
    let mut label = json!({ "type": 18, "label": short, "component": component });
    let small = words.join(" · ");
    if !is_blank(&small) {
        label["description"] = clip_or(&small, limits::LABEL_DESCRIPTION, "—").into();
    }
    label
}

/// A part as JSON. Plain data always has one.
pub(super) fn json(part: &impl serde::Serialize) -> Value {
    serde_json::to_value(part).unwrap_or_default()
}

/// What some components count, as Discord counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::gateway::discord) struct Weight {
    /// Text, in characters.
    pub(in crate::gateway::discord) units: usize,
    /// Text, in bytes, with what each display counts beside.
    pub(in crate::gateway::discord) bytes: usize,
    /// Components, with their children.
    pub(in crate::gateway::discord) components: usize,
}

impl Weight {
    /// What a message takes.
    pub(in crate::gateway::discord) const ALL: Self = Self {
        units: limits::MESSAGE_TEXT,
        bytes: limits::MESSAGE_TEXT_BYTES,
        components: limits::MESSAGE_COMPONENTS,
    };

    pub(in crate::gateway::discord) fn of(components: &[Value]) -> Self {
        let mut weight = Self::default();
        for component in components {
            weight.add(component);
        }
        weight
    }

    fn add(&mut self, component: &Value) {
        self.components += 1;
        if let Some(content) = component["content"].as_str() {
            self.units += units(content);
            self.bytes += content.len() + limits::TEXT_OVERHEAD;
        }
        let children = component["components"].as_array().into_iter().flatten();
        let accessory = Some(&component["accessory"]).filter(|accessory| accessory.is_object());
        for child in children.chain(accessory) {
            self.add(child);
        }
    }

    /// What is left of it, where the other is not too heavy.
    pub(in crate::gateway::discord) fn checked_sub(self, other: Self) -> Option<Self> {
        Some(Self {
            units: self.units.checked_sub(other.units)?,
            bytes: self.bytes.checked_sub(other.bytes)?,
            components: self.components.checked_sub(other.components)?,
        })
    }
}

/// The button of a command.
pub(in crate::gateway::discord) fn offer(offered: Offered, session: SessionId) -> CreateButton {
    button(ButtonId::offer(offered, session), messages::buttons::offered(offered))
}
