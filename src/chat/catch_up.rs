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

use std::sync::Arc;

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
    store::{self, Find, Note, Store},
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

/// How long after its end people still write in a conversation, or about it: for a copy, for their data to be deleted.
const STILL_WRITTEN_IN: TimeDelta = TimeDelta::days(14);

/// The conversations of a platform that somebody may have written in, `most` of them: first those that go on or wait for
/// a decision, which outlives the end of a conversation, then those that ended lately; of each the last updated first, as far
/// as the hour tells. One that is updated meanwhile moves to the front, so each list is read in one go.
pub(crate) async fn to_read(
    store: &dyn Store,
    platform: Platform,
    (most, now): (usize, DateTime<Utc>),
) -> Result<Vec<Head>, store::Error> {
    let find = |is_active, since, limit| {
        store.find(Find::RecentlyUpdated { platform, is_active, since, after: None, limit })
    };
    let mut found = find(true, DateTime::UNIX_EPOCH, most).await?;
    let mut ended = find(false, now - STILL_WRITTEN_IN, most - found.len()).await?;
    // One may have ended between the two.
    ended.retain(|head| found.iter().all(|known| known.id != head.id));
    found.append(&mut ended);
    Ok(found)
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        base::ids::{RandomIds, SessionId},
        store::{Commit, memory::MemoryStore},
    };

    /// One that stands so, and was updated that many days before `now`.
    async fn add(store: &MemoryStore, name: &str, now: DateTime<Utc>, given: (&str, u32, i64)) {
        let (status, approvals, days) = given;
        let updated_at = now - TimeDelta::days(days);
        let head = json!({
            "id": SessionId::mint(&RandomIds), "flow": { "id": "f", "version": "1", "digest": "d" },
            "participant": "slack:T01/U01", "name": name, "status": status, "pending": 0, "approvals": approvals,
            "place": { "platform": "slack", "workspace": "T01", "channel": "c" },
            "progress": 0.0, "seq": 0, "created_at": updated_at, "updated_at": updated_at,
        });
        let head = serde_json::from_value(head).unwrap();
        store.commit(Commit::new(head, 0, Vec::new())).await.unwrap();
    }

    #[tokio::test]
    async fn to_read_are_those_that_go_on_and_then_those_that_ended_lately() {
        let store = MemoryStore::new(Arc::new(RandomIds));
        let now = "2026-11-20T10:00:00Z".parse().unwrap();
        for (name, given) in [
            ("undecided", ("completed", 1, 90)),
            ("open", ("open", 0, 30)),
            ("ended long ago", ("completed", 0, 15)),
            ("ended lately", ("completed", 0, 13)),
            ("just ended", ("ended", 0, 0)),
            ("stopped", ("stopped", 0, 20)),
        ] {
            add(&store, name, now, given).await;
        }
        let expected = ["stopped", "open", "undecided", "just ended", "ended lately"];
        for most in [2, 4, 9] {
            let found = to_read(&store, Platform::Slack, (most, now)).await.unwrap();
            let names: Vec<_> = found.into_iter().filter_map(|head| head.name).collect();
            assert_eq!(names, expected[..most.min(5)]);
        }
        assert_eq!(to_read(&store, Platform::Discord, (9, now)).await.unwrap(), []);
    }
}
