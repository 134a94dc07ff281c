//! Words for people as a value, in parts that each platform writes in its own markup.

use std::{borrow::Cow, fmt};

use chrono::{DateTime, Utc};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{SeqAccess, Visitor, value::SeqAccessDeserializer},
};

use super::{session::PersonId, text};

/// Words for people, most of them made in the catalogue (`messages`). A platform writes them with a [`Markup`] of its
/// own, which escapes what others wrote.
///
/// Stored as a string where it is nothing but Markdown, as every text of older versions and every word of a model is,
/// and otherwise as the list of its parts:
///
/// ```json
/// [{ "markdown": "Got " }, { "quoted_emphasised": "my_resume.pdf" }, { "markdown": "." }]
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Part {
    Markdown(Cow<'static, str>),
    Words(Cow<'static, str>),
    WordsStrong(Cow<'static, str>),
    Quoted(String),
    QuotedEmphasised(String),
    QuotedStrong(String),
    Quotation(String),
    Person { id: PersonId, name: String },
    Moment(DateTime<Utc>),
}

/// A moment where nothing can show it in the reader's own time zone: `1 Dec 2026 14:05 UTC`.
pub(crate) fn moment(at: DateTime<Utc>) -> String {
    at.format("%-d %b %Y %H:%M UTC").to_string()
}

/// How a platform writes the parts of a [`Text`].
pub trait Markup {
    /// Sentences of the catalogue, which may stress words in Markdown.
    fn markdown(&self, words: &str) -> String;

    /// Words of the catalogue, as they stand.
    fn words(&self, words: &str) -> String;

    /// Words of the catalogue that stand out.
    fn strong(&self, words: &str) -> String;

    /// What somebody wrote, as part of a line: nothing in it is markup, and what is too long is cut.
    fn quoted(&self, words: &str, is_strong: bool) -> String;

    /// What somebody wrote, stressed, as part of a line.
    fn emphasised(&self, words: &str) -> String {
        self.quoted(words, false)
    }

    /// What somebody wrote, apart from the words around it where the platform shows several lines.
    fn quotation(&self, words: &str) -> String {
        self.quoted(words, false)
    }

    /// Somebody; `begins` where the text begins with them.
    fn person(&self, id: &PersonId, name: &str, begins: bool) -> String;

    /// A moment, in the reader's own time zone where that is possible.
    fn moment(&self, at: DateTime<Utc>) -> String;
}

impl Text {
    /// Words of the catalogue, as they stand.
    pub fn words(words: impl Into<Cow<'static, str>>) -> Self {
        Self::default().then(words)
    }

    /// Words of the catalogue that stand out.
    pub fn strong(words: impl Into<Cow<'static, str>>) -> Self {
        Self::default().then_strong(words)
    }

    /// Somebody, by their name where the platform can't mention them.
    pub fn person(id: &PersonId, name: &str) -> Self {
        Self::default().then_person(id, name)
    }

    /// Followed by words of the catalogue.
    #[must_use]
    pub fn then(self, words: impl Into<Cow<'static, str>>) -> Self {
        self.with(Part::Words(words.into()))
    }

    /// Followed by words of the catalogue that stand out.
    pub(crate) fn then_strong(self, words: impl Into<Cow<'static, str>>) -> Self {
        self.with(Part::WordsStrong(words.into()))
    }

    /// Followed by Markdown of the catalogue, of a flow or of a model.
    #[must_use]
    pub fn then_markdown(self, words: impl Into<Cow<'static, str>>) -> Self {
        let words = words.into();
        if words.is_empty() { self } else { self.with(Part::Markdown(words)) }
    }

    /// Followed by what somebody wrote.
    #[must_use]
    pub fn then_quoted(self, words: impl Into<String>) -> Self {
        self.with(Part::Quoted(words.into()))
    }

    /// Followed by what somebody wrote, stressed.
    pub(crate) fn then_quoted_emphasised(self, words: impl Into<String>) -> Self {
        self.with(Part::QuotedEmphasised(words.into()))
    }

    /// Followed by what somebody wrote, standing out.
    pub(crate) fn then_quoted_strong(self, words: impl Into<String>) -> Self {
        self.with(Part::QuotedStrong(words.into()))
    }

    /// Followed by what somebody wrote, as a paragraph of its own.
    pub(crate) fn then_quotation(self, words: &str) -> Self {
        self.then_markdown("\n\n").with(Part::Quotation(words.trim().to_owned()))
    }

    /// Followed by somebody.
    pub(crate) fn then_person(self, id: &PersonId, name: &str) -> Self {
        self.with(Part::Person { id: id.clone(), name: name.to_owned() })
    }

    /// Followed by a moment.
    pub(crate) fn then_moment(self, at: DateTime<Utc>) -> Self {
        self.with(Part::Moment(at))
    }

    /// Followed by another text.
    pub(crate) fn then_text(self, text: Self) -> Self {
        text.0.into_iter().fold(self, Self::with)
    }

    fn with(mut self, part: Part) -> Self {
        match (self.0.last_mut(), part) {
            // What is nothing but Markdown stays one part, and so a string where it is stored.
            (Some(Part::Markdown(before)), Part::Markdown(words)) => *before += words,
            (_, part) => self.0.push(part),
        }
        self
    }

    /// As a platform writes it.
    pub fn write(&self, markup: &impl Markup) -> String {
        let write = |(n, part): (usize, &Part)| match part {
            Part::Markdown(words) => markup.markdown(words),
            Part::Words(words) => markup.words(words),
            Part::WordsStrong(words) => markup.strong(words),
            Part::Quoted(words) => markup.quoted(words, false),
            Part::QuotedEmphasised(words) => markup.emphasised(words),
            Part::QuotedStrong(words) => markup.quoted(words, true),
            Part::Quotation(words) => markup.quotation(words),
            Part::Person { id, name } => markup.person(id, name, n == 0),
            Part::Moment(at) => markup.moment(*at),
        };
        self.0.iter().enumerate().map(write).collect()
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.to_string().trim().is_empty()
    }

    /// As `CommonMark` without raw HTML: for messages of several lines, which each platform lays out by itself, and for
    /// what models and exports read.
    pub fn common_mark(&self) -> String {
        self.write(&CommonMark)
    }
}

/// Sentences of the catalogue, which may stress words in Markdown.
impl<T: Into<Cow<'static, str>>> From<T> for Text {
    fn from(words: T) -> Self {
        Self::default().then_markdown(words)
    }
}

/// Without any markup, with moments in UTC: for logs, and for places that show nothing else.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.write(&Plain))
    }
}

struct Plain;

impl Markup for Plain {
    fn markdown(&self, words: &str) -> String {
        words.to_owned()
    }

    fn words(&self, words: &str) -> String {
        words.to_owned()
    }

    fn strong(&self, words: &str) -> String {
        words.to_owned()
    }

    fn quoted(&self, words: &str, _: bool) -> String {
        words.to_owned()
    }

    fn person(&self, _: &PersonId, name: &str, _: bool) -> String {
        name.to_owned()
    }

    fn moment(&self, at: DateTime<Utc>) -> String {
        moment(at)
    }
}

struct CommonMark;

impl Markup for CommonMark {
    fn markdown(&self, words: &str) -> String {
        words.to_owned()
    }

    /// A blank between two parts stays; more of them at the beginning of a line would be code.
    fn words(&self, words: &str) -> String {
        let blank = if words.starts_with([' ', '\t']) { " " } else { "" };
        format!("{blank}{}", text::quoted(words))
    }

    fn strong(&self, words: &str) -> String {
        format!("**{}**", self.words(words))
    }

    fn quoted(&self, words: &str, is_strong: bool) -> String {
        if is_strong { self.strong(words) } else { self.words(words) }
    }

    fn emphasised(&self, words: &str) -> String {
        format!("*{}*", self.words(words))
    }

    fn quotation(&self, words: &str) -> String {
        let quoted = self.words(words);
        let lines: Vec<String> = quoted.lines().map(|line| format!("> {line}")).collect();
        lines.join("\n")
    }

    fn person(&self, _: &PersonId, name: &str, _: bool) -> String {
        self.words(name)
    }

    fn moment(&self, at: DateTime<Utc>) -> String {
        moment(at)
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [] => serializer.serialize_str(""),
            [Part::Markdown(words)] => serializer.serialize_str(words),
            parts => parts.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Stored)
    }
}

/// Reads both forms; an untagged enum would not say what is wrong with a part.
struct Stored;

impl<'de> Visitor<'de> for Stored {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, or a list of its parts")
    }

    fn visit_str<E>(self, words: &str) -> Result<Text, E> {
        Ok(Text::from(words.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, parts: A) -> Result<Text, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(parts)).map(Text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json, to_value};

    use super::*;

    fn round_trip(text: &Text) -> Value {
        let stored = to_value(text).unwrap();
        assert_eq!(from_value::<Text>(stored.clone()).unwrap(), *text);
        stored
    }

    #[test]
    fn markdown_alone_is_stored_as_the_string_that_it_always_was() {
        let text = Text::from("Type *resume* to ").then_markdown("continue.");
        assert_eq!(round_trip(&text), json!("Type *resume* to continue."));
        assert_eq!(text.common_mark(), "Type *resume* to continue.");
        assert_eq!(round_trip(&Text::default()), json!(""));
        assert_eq!(Text::from(""), Text::default());
    }

    #[test]
    fn other_texts_are_stored_in_parts() {
        let at = DateTime::from_timestamp(1_795_338_000, 0).unwrap();
        let text = Text::person(&PersonId::web("ada"), "Ada_L")
            .then(" & ")
            .then_strong("so on")
            .then_markdown(": *")
            .then_quoted("a*b")
            .then_quoted_emphasised("my_cv.pdf")
            .then_quoted_strong("<x>")
            .then_moment(at)
            .then_quotation(" one\ntwo ");
        let stored = json!([
            { "person": { "id": "web:local/ada", "name": "Ada_L" } },
            { "words": " & " },
            { "words_strong": "so on" },
            { "markdown": ": *" },
            { "quoted": "a*b" },
            { "quoted_emphasised": "my_cv.pdf" },
            { "quoted_strong": "<x>" },
            { "moment": "2026-11-22T09:00:00Z" },
            { "markdown": "\n\n" },
            { "quotation": "one\ntwo" },
        ]);
        assert_eq!(round_trip(&text), stored);
        let written = r"Ada\_L \& **so on**: *a\*b*my\_cv.pdf***\<x\>**22 Nov 2026 09:00 UTC";
        assert_eq!(text.common_mark(), format!("{written}\n\n> one\n> two"));
    }

    #[test]
    fn a_part_of_no_known_kind_is_named() {
        let read = |stored: Value| from_value::<Text>(stored).unwrap_err().to_string();
        let unknown = read(json!([{ "picture": "cat.png" }]));
        assert!(
            unknown.starts_with("unknown variant `picture`, expected one of `markdown`"),
            "{unknown}"
        );
        let number = read(json!(7));
        assert!(number.contains("expected a text, or a list of its parts"), "{number}");
    }
}
