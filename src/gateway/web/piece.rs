//! The pieces that pages are made of, and what they are drawn with.

use chrono::{DateTime, Utc};
use maud::{Markup, html};

use crate::{
    base::ids::{SessionId, WaitId},
    chat::form::Fields,
    messages,
    model::{audit::sha256, transcript::Audience, ui::FieldError, wait::Wait},
};

/// What a rendering depends on beside the messages themselves.
#[derive(Debug, Clone)]
pub struct Cx {
    /// Who looks.
    pub viewer: Audience,
    /// Whose conversation.
    pub session: SessionId,
    /// Proves that a form is ours.
    pub csrf: String,
    /// Names this opening of the page: the same form of the same opening is the same event.
    pub page: String,
    /// What was just submitted and came back.
    pub draft: Option<Draft>,
    /// A message that was not taken, in its place to be mended; empty otherwise.
    pub unsent: String,
}

/// A form that was submitted and is shown again, with what was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The question.
    pub wait: WaitId,
    /// What was typed.
    pub fields: Fields,
    /// What is wrong with it.
    pub errors: Vec<FieldError>,
    /// The part of the card that was used: `save`, `deny_and_tell`, …
    pub action: String,
}

impl Cx {
    /// Where forms of this page go.
    pub fn url(&self, what: &str) -> String {
        format!("{}/{what}", self.home())
    }

    /// The conversation.
    pub fn home(&self) -> String {
        match self.viewer {
            Audience::Participant => format!("/s/{}", self.session),
            Audience::Staff => format!("/staff/s/{}", self.session),
        }
    }

    /// The hidden fields that every form carries. `form` names the form within the page.
    pub fn hidden(&self, form: &str) -> Markup {
        html! {
            input type="hidden" name="csrf" value=(self.csrf);
            input type="hidden" name="key" value={ (self.page) "." (form) };
        }
    }

    /// A copy without what differs from one opening of the page to the next: what a revision is made from.
    pub(super) fn neutral(&self) -> Self {
        Self {
            csrf: String::new(),
            page: String::new(),
            draft: None,
            unsent: String::new(),
            ..self.clone()
        }
    }
}

/// A piece of the page that can be replaced on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// Its name in the page.
    pub id: String,
    /// Changes when its content does.
    pub revision: String,
    /// The whole element.
    pub html: String,
    /// What a screen reader should say when it is new; empty for nothing.
    pub spoken: String,
}

/// A part of the page that is replaced as a whole; `neutral` is the same part for [`Cx::neutral`].
pub(super) fn fragment(id: &str, class: &str, inner: &Markup, neutral: &Markup) -> Fragment {
    let revision = revision_of(neutral);
    let html = html! { div id=(id) class=(class) data-rev=(revision) { (inner) } };
    Fragment { id: id.to_owned(), revision, html: html.into_string(), spoken: String::new() }
}

/// A name for a content: the same content has the same.
pub(super) fn revision_of(content: &Markup) -> String {
    sha256(content.0.as_bytes())[..12].to_owned()
}

/// A name in the page for a part of a card.
pub(super) fn name_of_part(part: &str, wait: &Wait) -> String {
    format!("{part}-{}-{}", wait.id.short(), wait.revision)
}

/// A time: UTC for all, the reader's own once the script has run.
pub fn time(at: DateTime<Utc>) -> Markup {
    let stamp = at.format("%Y-%m-%dT%H:%M:%SZ");
    html! { time datetime=(stamp) { (messages::moment(at)) } }
}
