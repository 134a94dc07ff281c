//! Small builders of components: every text is cut to what its place takes, and none is empty.

use serde::Serialize;
use serenity::builder::{
    CreateActionRow, CreateButton, CreateSelectMenu, CreateSelectMenuKind, CreateSelectMenuOption,
};

use super::{
    component::{
        Component, Container, Label, Media, MediaGallery, Picture, Section, Separator, TextDisplay,
    },
    text::{clip_or, is_blank, units},
};
use crate::{
    base::ids::SessionId,
    chat::handler::ButtonId,
    gateway::discord::{
        kinds::{ButtonStyle, Spacing},
        limits,
    },
    messages,
    model::ui::Offered,
};

/// A text that is Markdown already.
pub(in crate::gateway::discord) fn text(markdown: &str) -> Component {
    let content = if is_blank(markdown) { "—" } else { markdown }.to_owned();
    Component::TextDisplay(TextDisplay { content })
}

/// Small print: a line each.
pub(in crate::gateway::discord) fn small(lines: &[String]) -> Component {
    let line = |line: &String| format!("-# {}", line.replace('\n', " "));
    text(&lines.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// A text with a button beside it.
pub(in crate::gateway::discord) fn section(markdown: &str, button: CreateButton) -> Component {
    beside(markdown, Component::Button(button))
}

/// A text with a picture beside it, described for those who do not see it.
pub(in crate::gateway::discord) fn portrait(
    markdown: &str,
    url: &str,
    description: &str,
) -> Component {
    beside(markdown, Component::Thumbnail(described(url, description)))
}

fn beside(markdown: &str, accessory: Component) -> Component {
    let (components, accessory) = ([Box::new(text(markdown))], Box::new(accessory));
    Component::Section(Section { components, accessory })
}

/// A picture over the whole width, described for those who do not see it.
pub(in crate::gateway::discord) fn picture(url: &str, description: &str) -> Component {
    Component::MediaGallery(MediaGallery { items: vec![described(url, description)] })
}

fn described(url: &str, description: &str) -> Picture {
    let description = clip_or(description, limits::ALT_TEXT, "—");
    Picture { media: Media { url: url.to_owned() }, description }
}

/// A line between parts of a card.
pub(in crate::gateway::discord) fn separator() -> Component {
    Component::Separator(Separator { divider: true, spacing: Spacing::Small })
}

/// Everything of a card, with a bar in its colour.
pub(in crate::gateway::discord) fn container(components: Vec<Component>, colour: u32) -> Component {
    Component::Container(Container { accent_color: colour, components })
}

/// Buttons in rows of five.
pub(in crate::gateway::discord) fn rows(
    buttons: impl IntoIterator<Item = CreateButton>,
) -> Vec<Component> {
    let buttons: Vec<CreateButton> = buttons.into_iter().collect();
    let rows = buttons.chunks(limits::ROW_BUTTONS);
    rows.map(|row| Component::ActionRow(CreateActionRow::Buttons(row.to_vec()))).collect()
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

/// A button that leads somewhere; `None` if the address is too long or not one.
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

    /// As it stands in a menu, among radio buttons or checkboxes.
    pub(super) fn option(&self) -> CreateSelectMenuOption {
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
}

/// A menu of which between `min` and `max` may be picked, in a row of its own.
pub(super) fn menu(
    id: &str,
    items: &[Item],
    placeholder: &str,
    counts: (usize, usize),
) -> Component {
    Component::ActionRow(CreateActionRow::SelectMenu(select(id, items, placeholder, counts)))
}

/// A menu of which between `min` and `max` may be picked, as it stands in a form.
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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Modal {
    custom_id: String,
    title: String,
    components: Vec<Component>,
}

impl Modal {
    pub(super) fn new(custom_id: String, title: &str, mut components: Vec<Component>) -> Self {
        let title = super::text::one_line(title);
        let title = clip_or(&title, limits::MODAL_TITLE, messages::forms::FORM);
        components.truncate(limits::MODAL_COMPONENTS);
        Self { custom_id, title, components }
    }
}

/// An input with its label. What does not fit the label stands under it.
pub(super) fn label(label: &str, hint: &str, input: Component) -> Component {
    let whole = super::text::one_line(label);
    let short = clip_or(&whole, limits::LABEL, messages::buttons::ANSWER);
    let mut words = Vec::new();
    if units(&whole) > limits::LABEL {
        words.push(whole);
    }
    if !is_blank(hint) {
        words.push(super::text::one_line(hint));
    }
    let small = Some(words.join(" · ")).filter(|small| !is_blank(small));
    let description = small.map(|small| clip_or(&small, limits::LABEL_DESCRIPTION, "—"));
    Component::Label(Label { text: short, component: Box::new(input), description })
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

    /// What a card takes, which is one container.
    pub(in crate::gateway::discord) const IN_CARD: Self =
        Self { components: limits::MESSAGE_COMPONENTS - 1, ..Self::ALL };

    pub(in crate::gateway::discord) fn of(components: &[Component]) -> Self {
        let mut weight = Self::default();
        for component in components {
            weight.add(component);
        }
        weight
    }

    fn add(&mut self, component: &Component) {
        self.components += 1;
        match component {
            Component::TextDisplay(text) => {
                self.units += units(&text.content);
                self.bytes += text.content.len() + limits::TEXT_OVERHEAD;
            }
            Component::Section(section) => {
                for part in section.components.iter().chain([&section.accessory]) {
                    self.add(part);
                }
            }
            Component::Container(container) => {
                for part in &container.components {
                    self.add(part);
                }
            }
            Component::ActionRow(CreateActionRow::Buttons(buttons)) => {
                self.components += buttons.len();
            }
            Component::ActionRow(
                CreateActionRow::SelectMenu(_) | CreateActionRow::InputText(_),
            ) => self.components += 1,
            Component::Button(_)
            | Component::Thumbnail(_)
            | Component::MediaGallery(_)
            | Component::Separator(_)
            // In forms alone, whose inputs are counted and not weighed.
            | Component::Label(_)
            | Component::StringSelect(_)
            | Component::TextInput(_)
            | Component::FileUpload(_)
            | Component::RadioGroup(_)
            | Component::CheckboxGroup(_) => {}
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
    let (id, label) = ButtonId::offer(offered, session);
    button(id, label)
}
