//! What was written while nobody listened: which places are read, and from where on.
//!
//! After an outage a gateway asks [`LastRead::last`] since when it received nothing, reads what was written since then, and takes
//! each message as if it had just been delivered, under the key that names it: the engine recognises those that it took
//! before. Only then it notes with [`LastRead::note`] that it listens again, so that a crash in between loses nothing.
//!
//! ```text
//! to_read       each conversation that goes on       from the last message of its participant before the outage: last_read_message
//!               each that ended lately               from LastRead::last
//! team_threads  the threads where a team writes of it   from LastRead::last
//! the platform's list of conversations that nobody began yet, where it has one: from LastRead::last
//! ```

use std::{cmp::Reverse, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    base::ids::WaitId,
    chat::message_index::{Mark, MessageIndex, MessageRef},
    engine::Look,
    model::{
        session::{Head, Platform},
        transcript::{Event, Speaker},
        wait::{Answerers, Wait},
    },
    store::{self, Note, Store},
};

/// Knows when what people write was last read in a workspace. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct LastRead {
    platform: Platform,
    store: Arc<dyn Store>,
}

impl LastRead {
    /// Of the workspaces of a platform, in the notes of a store.
    pub(crate) fn new(platform: Platform, store: Arc<dyn Store>) -> Self {
        Self { platform, store }
    }

    /// When the bot last listened in a workspace; `None` if it never has.
    pub(crate) async fn last(
        &self,
        workspace: &str,
    ) -> Result<Option<DateTime<Utc>>, store::Error> {
        let note = self.store.noted(&self.key(workspace)).await?;
        Ok(note.and_then(|note| note.value?.parse().ok()))
    }

    /// The bot listens in a workspace now, and what was written before was taken. Worth noting once a minute.
    pub(crate) async fn note(
        &self,
        workspace: &str,
        now: DateTime<Utc>,
    ) -> Result<(), store::Error> {
        let (key, value) = (self.key(workspace), Some(now.to_rfc3339()));
        self.store.note(Note { key, session: None, value }).await
    }

    fn key(&self, workspace: &str) -> String {
        format!("{}/heard/{workspace}", self.platform)
    }
}

/// The roots of the threads in which a team writes about a conversation: those under its open requests, and the staff's
/// own in each of `channels`.
pub(crate) async fn team_threads(
    threads: &MessageIndex,
    store: &dyn Store,
    look: &Look,
    channels: &[String],
) -> Result<Vec<MessageRef>, store::Error> {
    let mut roots = Vec::new();
    let is_theirs = |wait: &&Wait| matches!(wait.answerers, Answerers::Deciders { .. });
    let asked: Vec<WaitId> = look.state.pending().filter(is_theirs).map(|wait| wait.id).collect();
    for wait in asked {
        let shown = store.wait(wait).await?.map(|(_, shown)| shown).unwrap_or_default();
        roots.extend(shown.iter().filter_map(|rendering| MessageRef::parse(&rendering.message)));
    }
    for channel in channels {
        roots.extend(threads.marked(look.state.session, Mark::Staff(channel)).await?);
    }
    Ok(roots)
}

/// Heads read in one go.
const PAGE: usize = 500;

/// How long after its end people still write in a conversation, or about it: for a copy, for their data to be deleted.
const STILL_WRITTEN_IN: TimeDelta = TimeDelta::days(14);

/// The conversations of a platform that somebody may have written in, `most` of them: first those that go on or wait for
/// a decision, which outlives the end of a conversation, then those that ended lately; of each the newest first.
pub(crate) async fn to_read(
    store: &dyn Store,
    platform: Platform,
    (most, now): (usize, DateTime<Utc>),
) -> Result<Vec<Head>, store::Error> {
    let (mut after, mut found) = (None, Vec::new());
    let is_waiting = |head: &Head| !head.status.is_over() || head.approvals > 0;
    loop {
        let page = store.sessions(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(found) };
        after = Some(last.id);
        let is_ours = |head: &Head| {
            let is_late = now - head.updated_at > STILL_WRITTEN_IN;
            head.place.platform == platform
                && head.parent.is_none()
                && (is_waiting(head) || !is_late)
        };
        found.extend(page.into_iter().filter(is_ours));
        // So that no number of conversations is held at once.
        found.sort_by_key(|head: &Head| (!is_waiting(head), Reverse(head.updated_at)));
        found.truncate(most);
    }
}

/// When the participant's messages in a channel were read last, as the platform names messages: their newest one of those that came
/// while the bot was last known to listen, where that is known, else the time of what they did, else the beginning. What came after
/// `since` tells nothing: it may have been delivered at once, before older words had their turn to be read. `stamp` names the first
/// message of a time. Where a conversation is over, not all that they write in it is kept, and what was read until `since` is not
/// asked for again.
pub(crate) fn last_read_message(
    look: &Look,
    (channel, since): (&str, Option<DateTime<Utc>>),
    stamp: impl Fn(DateTime<Utc>) -> String,
) -> String {
    let head = &look.loaded.head;
    if let Some(since) = since.filter(|_| head.status.is_over()) {
        return stamp(since.max(head.created_at));
    }
    let was_listening = |at: DateTime<Utc>| since.is_none_or(|since| at <= since);
    let events = look.loaded.events.iter().rev();
    let mut known = events.filter(|recorded| was_listening(recorded.at));
    let newest = known.find_map(|recorded| match &*recorded.event {
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
