//! What people do, as gateways hand it in, and what becomes of it.

use serde::{Deserialize, Serialize};

use super::{Command, Responder};
use crate::{
    base::ids::{SessionId, WaitId},
    messages::Text,
    model::{
        artifact::{Artifact, Offer},
        transcript::Via,
        ui::Reply,
        wait::Settlement,
    },
};

/// Something that a person did, as a gateway hands it in. Recordings keep it as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inbound {
    /// The platform's own name of the event: the same event delivered again has the same key.
    pub key: String,
    /// The session it is for.
    pub session: SessionId,
    /// Who did it, with their rights now.
    pub from: Responder,
    /// What they did.
    pub what: InboundKind,
}

/// What a person did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InboundKind {
    /// Answered a wait by a component.
    Answer {
        /// Which.
        wait: WaitId,
        /// The revision that was shown.
        revision: u32,
        /// The answer.
        reply: Reply,
        /// How it came.
        via: Via,
    },
    /// Wrote something.
    Said {
        /// What.
        text: String,
        /// The platform's reference to the message.
        source: Option<String>,
    },
    /// Changed something they wrote, or took it away.
    Amended {
        /// The platform's reference to the message.
        source: String,
        /// How it reads now; `None` if it is gone.
        text: Option<String>,
    },
    /// Sent files, which were checked and kept before.
    Sent {
        /// The upload they answer, where the person said so.
        wait: Option<WaitId>,
        /// The files.
        files: Vec<Artifact>,
    },
    /// Sent files that the platform still holds: they are fetched by an effect, and come back as [`InboundKind::Sent`].
    Offered {
        /// The upload they answer, where the person said so.
        wait: Option<WaitId>,
        /// The files.
        files: Vec<Offer>,
        /// What was written with them; it is kept, and answers nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Went out of reach: deactivated, left, or the place is gone.
    Lost {
        /// Why, in a few words without names: `the channel was archived`.
        why: String,
    },
    /// Can be reached again.
    Back,
    /// May have roles that they could not have until now.
    MayHaveRoles {
        /// Aliases of the roles.
        roles: Vec<String>,
    },
    /// Gave an order.
    Command(Command),
}

/// What became of an inbound event; by the time it is handed out, it is durable.
#[derive(Debug, Clone, PartialEq)]
pub enum Receipt {
    /// Taken in.
    Taken,
    /// An answer: this became of it.
    Settled(Settlement),
    /// The same event has been dealt with before: nothing happened.
    Duplicate,
    /// Refused; the text is for the person.
    Refused(Text),
    /// Everything about the session was erased; the receipt's number is for the person.
    Erased {
        /// Names the receipt in the audit chain.
        receipt: String,
        /// What the bot had posted is still being removed.
        is_under_way: bool,
    },
}
