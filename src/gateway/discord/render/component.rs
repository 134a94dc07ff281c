//! Components as Discord takes them, each with its number.
//!
//! Serenity's builders write what they are sound for: buttons, menus, and the rows that hold them. Its names stand for
//! kinds, styles and flags ([`kinds`](crate::gateway::discord::kinds)), permissions and intents as well. The rest is
//! ours: serenity 0.12 has none of the newer components (texts, sections, containers, labels, …), its text input is the
//! old one that has its label within, and its menu cannot say whether a form requires it. Nothing is cut to size here;
//! that is done by those who make components ([`super::components`]).

use serde::{Serialize, Serializer};
use serenity::builder::{CreateActionRow, CreateButton, CreateSelectMenu, CreateSelectMenuOption};

use crate::gateway::discord::kinds::{ComponentKind, InputTextStyle, Spacing};

/// A part of a message or of a form.
#[derive(Debug, Clone, PartialEq)]
pub enum Component {
    /// Buttons side by side, or a menu, in a message.
    ActionRow(CreateActionRow),
    /// A button beside a text.
    Button(CreateButton),
    /// A menu in a form.
    StringSelect(StringSelect),
    /// An input for text.
    TextInput(TextInput),
    /// A text with something beside it.
    Section(Section),
    /// A text.
    TextDisplay(TextDisplay),
    /// A picture beside a text.
    Thumbnail(Picture),
    /// Pictures over the whole width.
    MediaGallery(MediaGallery),
    /// A line between two others.
    Separator(Separator),
    /// Others, with a bar beside them.
    Container(Container),
    /// An input of a form with its label.
    Label(Label),
    /// An input for files.
    FileUpload(FileUpload),
    /// Choices of which one is picked.
    RadioGroup(RadioGroup),
    /// Choices of which several are picked.
    CheckboxGroup(CheckboxGroup),
}

/// A menu in a form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StringSelect {
    /// The menu.
    #[serde(flatten)]
    pub menu: CreateSelectMenu,
    /// Something must be picked.
    pub required: bool,
}

/// An input for text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextInput {
    /// Its name.
    pub custom_id: String,
    /// One line or several.
    pub style: InputTextStyle,
    /// What stands there at first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What is shown while nothing stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// In characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<usize>,
    /// In characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<usize>,
    /// It can't be left empty.
    pub required: bool,
}

/// A text with something beside it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// The text.
    pub components: [Box<Component>; 1],
    /// A button or a picture.
    pub accessory: Box<Component>,
}

/// A text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextDisplay {
    /// Markdown.
    pub content: String,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Picture {
    /// Where it is.
    pub media: Media,
    /// For those who do not see it.
    pub description: String,
}

/// Where a picture is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Media {
    /// Its address.
    pub url: String,
}

/// Pictures over the whole width.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MediaGallery {
    /// The pictures.
    pub items: Vec<Picture>,
}

/// A line between two components.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Separator {
    /// The line is seen.
    pub divider: bool,
    /// Room around it.
    pub spacing: Spacing,
}

/// Components with a bar beside them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Container {
    /// Colour of the bar.
    pub accent_color: u32,
    /// What stands in it.
    pub components: Vec<Component>,
}

/// An input of a form with its label.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Label {
    /// What it asks for.
    #[serde(rename = "label")]
    pub text: String,
    /// The input.
    pub component: Box<Component>,
    /// What else there is to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// An input for files.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileUpload {
    /// Its name.
    pub custom_id: String,
    /// So many at least.
    pub min_values: u32,
    /// So many at most.
    pub max_values: u32,
    /// It can't be left empty.
    pub required: bool,
    /// Ends of names that are taken (`.pdf`); any where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub file_types: Vec<String>,
}

/// Choices of which one is picked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RadioGroup {
    /// Its name.
    pub custom_id: String,
    /// The choices.
    pub options: Vec<CreateSelectMenuOption>,
    /// One must be picked.
    pub required: bool,
}

/// Choices of which several are picked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckboxGroup {
    /// Its name.
    pub custom_id: String,
    /// The choices.
    pub options: Vec<CreateSelectMenuOption>,
    /// So many at least.
    pub min_values: usize,
    /// So many at most.
    pub max_values: usize,
    /// Something must be picked.
    pub required: bool,
}

impl Serialize for Component {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use ComponentKind as Kind;
        match self {
            // These have their numbers.
            Self::ActionRow(row) => row.serialize(serializer),
            Self::Button(button) => button.serialize(serializer),
            Self::StringSelect(select) => select.serialize(serializer),
            Self::TextInput(part) => numbered(Kind::TextInput, part, serializer),
            Self::Section(part) => numbered(Kind::Section, part, serializer),
            Self::TextDisplay(part) => numbered(Kind::TextDisplay, part, serializer),
            Self::Thumbnail(part) => numbered(Kind::Thumbnail, part, serializer),
            Self::MediaGallery(part) => numbered(Kind::MediaGallery, part, serializer),
            Self::Separator(part) => numbered(Kind::Separator, part, serializer),
            Self::Container(part) => numbered(Kind::Container, part, serializer),
            Self::Label(part) => numbered(Kind::Label, part, serializer),
            Self::FileUpload(part) => numbered(Kind::FileUpload, part, serializer),
            Self::RadioGroup(part) => numbered(Kind::RadioGroup, part, serializer),
            Self::CheckboxGroup(part) => numbered(Kind::CheckboxGroup, part, serializer),
        }
    }
}

fn numbered<S: Serializer>(
    kind: ComponentKind,
    part: &impl Serialize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Numbered<'a, P> {
        #[serde(rename = "type")]
        kind: ComponentKind,
        #[serde(flatten)]
        part: &'a P,
    }
    Numbered { kind, part }.serialize(serializer)
}
