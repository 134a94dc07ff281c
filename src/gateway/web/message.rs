//! What a page shows of a session, message by message.

use chrono::{DateTime, Utc};

use crate::{
    messages::Text,
    model::{artifact::Artifact, effect::Handout, ui::Offered, wait::Wait},
};

/// Something that the page shows, in a stable place under a stable name.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its name in the page.
    pub id: String,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// What it shows.
    pub body: Body,
}

/// What a message shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Somebody's words.
    Bubble {
        /// Whose.
        voice: Voice,
        /// What they said.
        text: String,
        /// What the bot offers under it.
        offers: Vec<Offered>,
    },
    /// A question and how it stands.
    Card {
        /// The question, standing as it does now.
        wait: Box<Wait>,
        /// It was asked again further down; this one is history.
        again: bool,
    },
    /// A file that was sent.
    File(Artifact),
    /// The participant may fetch a copy of everything.
    Export,
    /// The bot hands something over.
    Handed {
        /// What.
        what: Handout,
        /// What stands beside it.
        text: String,
    },
    /// A new part of the interview begins.
    Part(String),
    /// What staff were sent about the session, under the words that say so.
    Summary {
        /// The words.
        text: String,
        /// The summary, as `CommonMark`.
        summary: String,
    },
    /// What another platform would have done, as `CommonMark`.
    Rehearsed {
        /// What.
        would: String,
        /// What would be read there.
        text: Option<String>,
        /// That it was not done.
        note: &'static str,
    },
    /// Something that happened, in a few words; `detail` is for a closer look.
    Line {
        /// The words.
        text: Text,
        /// JSON or an error, as it is.
        detail: Option<String>,
        /// Whether it tells how the bot works, which staff see only when they ask for it.
        technical: bool,
    },
}

/// Who speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Voice {
    /// The bot.
    Bot,
    /// The bot, to the staff.
    BotToStaff,
    /// The participant.
    Participant,
    /// A staff member.
    Staff(String),
    /// Somebody else in the thread.
    Bystander(String),
}
