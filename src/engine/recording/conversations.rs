//! What a recording holds of each conversation: how it began, what people did, and what became durable.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::{
    Begin, Line,
    replay::{Error, Parsed, parsed},
};
use crate::{base::ids::SessionId, engine::Inbound, model::transcript::Recorded};

/// One conversation.
#[derive(Debug)]
pub struct Conversation {
    /// The id of its flow.
    pub flow: String,
    /// The flow's file.
    pub source: String,
    /// The operator's values for the flow.
    pub vars: BTreeMap<String, String>,
    /// A model was configured.
    pub has_model: bool,
    /// What people did, in the order in which it arrived; what was delivered twice is there once.
    pub inbound: Vec<Arrived>,
    /// Everything that became durable.
    pub events: Vec<Recorded>,
}

/// Something that somebody did.
#[derive(Debug)]
pub struct Arrived {
    /// When.
    pub at: DateTime<Utc>,
    /// What.
    pub inbound: Inbound,
    /// How many events were durable before.
    pub known: usize,
}

/// The conversations of a recording, in the order in which they began, and whether its last line was torn and is left out.
pub fn conversations(text: &str) -> Result<(Vec<Conversation>, bool), Error> {
    let Parsed { lines, is_cut, .. } = parsed(text)?;
    let mut found: Vec<Conversation> = Vec::new();
    let mut places: BTreeMap<SessionId, usize> = BTreeMap::new();
    let mut keys: BTreeSet<String> = BTreeSet::new();
    for line in lines {
        match line {
            Line::Begin(begin) => {
                let Begin { session, flow, source, vars, has_model, .. } = *begin;
                places.insert(session, found.len());
                let (inbound, events) = (Vec::new(), Vec::new());
                found.push(Conversation { flow, source, vars, has_model, inbound, events });
            }
            Line::In { at, inbound } => {
                let place = places.get(&inbound.session).copied();
                let conversation = place.and_then(|place| found.get_mut(place));
                if let Some(conversation) = conversation
                    && keys.insert(inbound.key.clone())
                {
                    let known = conversation.events.len();
                    conversation.inbound.push(Arrived { at, inbound: *inbound, known });
                }
            }
            Line::Committed { session, events, .. } => {
                let place = places.get(&session).copied();
                if let Some(conversation) = place.and_then(|place| found.get_mut(place)) {
                    conversation.events.extend(events);
                }
            }
            Line::Read { .. } => {}
        }
    }
    if is_cut {
        // The line of its first events may be the one that was torn.
        found.retain(|conversation| !conversation.events.is_empty());
    }
    Ok((found, is_cut))
}
