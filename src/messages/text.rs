//! Words for people as a value, in parts that each platform writes in its own markup.

use std::{borrow::Cow, fmt};

use chrono::{DateTime, Utc};

use crate::model::session::PersonId;

/// Words for people. Made here, in the catalogue; a platform writes them with a [`Markup`] of its own, which escapes
/// what others wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Markdown(Cow<'static, str>),
    Words { words: Cow<'static, str>, is_strong: bool },
    Quoted { words: String, is_strong: bool },
    Person(PersonId, String),
    Moment(DateTime<Utc>),
}

/// How a platform writes the parts of a [`Text`].
pub trait Markup {
    /// Sentences of the catalogue, which may stress words in Markdown.
    fn markdown(&self, words: &str) -> String;

    /// Words of the catalogue, as they stand.
    fn words(&self, words: &str) -> String;

    /// The same, standing out.
    fn strong(&self, words: &str) -> String;

    /// What somebody wrote, as part of a line: nothing in it is markup, and what is too long is cut.
    fn quoted(&self, words: &str, is_strong: bool) -> String;

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

    /// The same, standing out.
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
        self.with(Part::Words { words: words.into(), is_strong: false })
    }

    /// Followed by words of the catalogue that stand out.
    pub(crate) fn then_strong(self, words: impl Into<Cow<'static, str>>) -> Self {
        self.with(Part::Words { words: words.into(), is_strong: true })
    }

    /// Followed by what somebody wrote.
    pub(crate) fn then_quoted(self, words: impl Into<String>) -> Self {
        self.with(Part::Quoted { words: words.into(), is_strong: false })
    }

    /// Followed by what somebody wrote, standing out.
    pub(crate) fn then_quoted_strong(self, words: impl Into<String>) -> Self {
        self.with(Part::Quoted { words: words.into(), is_strong: true })
    }

    /// Followed by somebody.
    pub(crate) fn then_person(self, id: &PersonId, name: &str) -> Self {
        self.with(Part::Person(id.clone(), name.to_owned()))
    }

    /// Followed by a moment.
    pub(crate) fn then_moment(self, at: DateTime<Utc>) -> Self {
        self.with(Part::Moment(at))
    }

    fn with(mut self, part: Part) -> Self {
        self.0.push(part);
        self
    }

    /// As a platform writes it.
    pub fn write(&self, markup: &impl Markup) -> String {
        let write = |(n, part): (usize, &Part)| match part {
            Part::Markdown(words) => markup.markdown(words),
            Part::Words { words, is_strong: false } => markup.words(words),
            Part::Words { words, is_strong: true } => markup.strong(words),
            Part::Quoted { words, is_strong } => markup.quoted(words, *is_strong),
            Part::Person(id, name) => markup.person(id, name, n == 0),
            Part::Moment(at) => markup.moment(*at),
        };
        self.0.iter().enumerate().map(write).collect()
    }
}

/// Sentences of the catalogue, which may stress words in Markdown.
impl<T: Into<Cow<'static, str>>> From<T> for Text {
    fn from(words: T) -> Self {
        Self::default().with(Part::Markdown(words.into()))
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
        super::moment(at)
    }
}
