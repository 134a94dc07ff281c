//! What was written while nobody listened: which conversations are read, and from where on.

use chrono::{DateTime, Utc};

use crate::{
    engine::Look,
    model::{
        session::{Head, Platform},
        transcript::{Event, Speaker},
    },
    store::Store,
};

/// Heads read in one go.
const PAGE: usize = 500;

/// The conversations of a platform that somebody may have written in, the newest `most` first.
pub async fn going_on(store: &dyn Store, platform: Platform, most: usize) -> Vec<Head> {
    let (mut after, mut found) = (None, Vec::new());
    while let Ok(page) = store.sessions(after, PAGE).await {
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        let is_ours = |head: &Head| {
            head.place.platform == platform && head.parent.is_none() && !head.status.is_over()
        };
        found.extend(page.into_iter().filter(is_ours));
        // So that no number of conversations is held at once.
        found.sort_by_key(|head: &Head| std::cmp::Reverse(head.updated_at));
        found.truncate(most);
    }
    found
}

/// When the participant was heard last in a channel, as the platform names messages: their newest one where that is known,
/// else the time of what they did, else the beginning. `stamp` names the first message of a time.
pub fn heard_last(look: &Look, channel: &str, stamp: impl Fn(DateTime<Utc>) -> String) -> String {
    let head = &look.loaded.head;
    let newest = look.loaded.events.iter().rev().find_map(|recorded| match &*recorded.event {
        Event::Said { from: Speaker::Participant, source, .. } => {
            let own = source.as_deref().and_then(|source| source.strip_prefix(channel));
            let message = own.and_then(|message| message.strip_prefix('/'));
            Some(message.map_or_else(|| stamp(recorded.at), str::to_owned))
        }
        Event::Answered { by, .. } if *by == head.participant => Some(stamp(recorded.at)),
        Event::Kept(_) => Some(stamp(recorded.at)),
        _ => None,
    });
    newest.unwrap_or_else(|| stamp(head.created_at))
}
