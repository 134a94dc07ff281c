//! Where a participant reads and writes: a private thread of their own, or direct messages.
//!
//! A conversation begins before it has a room, so that a press of a button is durable before anything slow is done. The
//! room is made with the first thing that is said there, by whoever comes first, and found again by notes:
//!
//! ```text
//! discord/root/ses_…      1400…/room      the room of a conversation; `1400…/new` before anything has arrived there
//! discord/thread/-/1400…/room conversation  what a channel is, to the session of the note
//! discord/making/ses_…    1100…           a thread is made under this channel, or was
//! ```

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher as _},
    sync::Arc,
};

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use serenity::model::id::ChannelId;
use tokio::sync::Mutex;

use super::{
    api::{Api, Code, Failure},
    kinds::{ChannelType, kind},
    limits,
    people::is_direct,
};
use crate::{
    base::ids::SessionId,
    chat::{
        PostLog,
        message_index::{Mark, MessageIndex, MessageRef, Role},
    },
    config::Settings,
    engine::Look,
    model::{
        flow::{DiscordPlace, StartDiscord},
        posted::{Item, Posted, Reader},
        session::{Head, Place, Platform, Status},
    },
    store::{self, Find, Note, Store},
};

/// Where all ids are unique: a channel is never looked for by its server.
const EVERYWHERE: &str = "-";

/// The message of a room as a whole.
const ROOM: &str = "room";

/// What stands for it until the participant has been called into the thread: the first message mentions them.
const NEW: &str = "new";

/// What stands for it where the room is somebody's direct messages.
const DIRECT: &str = "direct";

/// Until Discord hides a thread in which nobody writes, in minutes; the longest it takes.
const ARCHIVED_AFTER: u32 = 10_080;

/// Longest part of a thread's name that is somebody's name.
const NAME_MAX: usize = 60;

/// Threads that are archived at one time where a server has too many.
const ROOM_MADE: usize = 10;

/// How much earlier than its conversation a thread may seem to be: clocks differ.
const CLOCKS: TimeDelta = TimeDelta::minutes(1);

/// Locks that rooms share while they are made: whole classes of newcomers press Start in the same second.
const MAKING: usize = 64;

/// Why there is no room.
#[derive(Debug, Clone)]
pub enum Trouble {
    /// Discord.
    Call(Failure),
    /// Ours cannot be read or kept just now.
    Store(store::Error),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Call(failure)
    }
}

impl From<store::Error> for Trouble {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

/// Knows rooms and makes them.
#[derive(Debug)]
pub struct PrivateThreads {
    api: Api,
    threads: MessageIndex,
    post_log: PostLog,
    store: Arc<dyn Store>,
    settings: Arc<Settings>,
    making: [Mutex<()>; MAKING],
    /// Threads of one name are made one after the other, so that each is known as somebody's before another one of that
    /// name is looked for.
    naming: [Mutex<()>; MAKING],
}

impl PrivateThreads {
    /// Rooms on Discord, remembered in `threads`.
    pub fn new(
        api: Api,
        threads: MessageIndex,
        post_log: PostLog,
        store: Arc<dyn Store>,
        settings: Arc<Settings>,
    ) -> Self {
        let making = std::array::from_fn(|_| Mutex::default());
        let naming = std::array::from_fn(|_| Mutex::default());
        Self { api, threads, post_log, store, settings, making, naming }
    }

    /// The room of a conversation, where there is one already.
    pub async fn known(&self, session: SessionId) -> Result<Option<String>, store::Error> {
        Ok(self.threads.marked(session, Mark::Root).await?.map(|spot| spot.channel))
    }

    /// Whether the participant has not been called into their thread yet.
    pub(crate) async fn awaits_participant(
        &self,
        session: SessionId,
        room: &str,
    ) -> Result<bool, store::Error> {
        let marked = self.threads.marked(session, Mark::Root).await?;
        Ok(marked.is_some_and(|spot| spot.channel == room && spot.message == NEW))
    }

    /// A message that mentions the participant has arrived in their thread.
    pub(crate) async fn participant_called(
        &self,
        session: SessionId,
        room: &str,
    ) -> Result<(), store::Error> {
        let _one_at_a_time = self.making[lock_of(session)].lock().await;
        if !self.awaits_participant(session, room).await? {
            return Ok(());
        }
        let spot = MessageRef { channel: room.to_owned(), message: ROOM.to_owned() };
        self.threads.mark(session, Mark::Root, &spot).await
    }

    /// Whether a conversation runs in a thread: its own place, or the spare one.
    pub async fn is_thread(&self, session: SessionId, place: &Place) -> bool {
        match self.threads.marked(session, Mark::Root).await {
            Ok(Some(spot)) => spot.message != DIRECT,
            Ok(None) | Err(_) => !is_direct(place),
        }
    }

    /// What a channel or a message is, and to which conversation.
    pub async fn of(&self, id: &str) -> Result<Option<(SessionId, Role)>, store::Error> {
        self.threads.of(EVERYWHERE, &anchor(id)).await
    }

    /// Says what a channel or a message is to a conversation.
    pub async fn belongs(
        &self,
        session: SessionId,
        id: &str,
        role: Role,
    ) -> Result<(), store::Error> {
        self.threads.belongs(session, (EVERYWHERE, &anchor(id)), role).await
    }

    /// The room of a conversation; made where there is none. Made once, however many ask at one time.
    pub async fn open(&self, look: &Look) -> Result<String, Trouble> {
        let _one_at_a_time = self.making[lock_of(look.state.session)].lock().await;
        if let Some(room) = self.known(look.state.session).await? {
            return Ok(room);
        }
        let start = look.flow.flow.start.discord.as_ref();
        let place = &look.state.place;
        match self.make(look, place).await {
            Err(Trouble::Call(failure)) if is_for_good(&failure) => {
                let place = self.spare(look, start).ok_or(Trouble::Call(failure))?;
                self.make(look, &place).await
            }
            made => made,
        }
    }

    /// The room of a conversation as it is on Discord now: made where there is none, and anew where it was deleted.
    pub(crate) async fn existing(&self, look: &Look) -> Result<String, Trouble> {
        let Some(room) = self.known(look.state.session).await? else {
            return self.open(look).await;
        };
        match self.api.channel(&room).await {
            Err(failure) if failure.is(Code::UnknownChannel) => {
                self.instead(look, &room, failure).await
            }
            // Whatever else is wrong with it shows when something is said there.
            Ok(_) | Err(_) => Ok(room),
        }
    }

    /// Another room in place of one that does not work any more: a thread that was deleted is made anew, and the flow
    /// may name another kind of place.
    pub async fn instead(&self, look: &Look, of: &str, why: Failure) -> Result<String, Trouble> {
        let _one_at_a_time = self.making[lock_of(look.state.session)].lock().await;
        let session = look.state.session;
        if let Some(room) = self.known(session).await?.filter(|room| room != of) {
            return Ok(room);
        }
        let place = &look.state.place;
        let was_deleted = why.is(Code::UnknownChannel) && !is_direct(place);
        if was_deleted {
            match self.make(look, place).await {
                Err(Trouble::Call(failure)) if is_for_good(&failure) => {}
                made => return made,
            }
        }
        let start = look.flow.flow.start.discord.as_ref();
        let spare = self.spare(look, start).ok_or(Trouble::Call(why))?;
        self.make(look, &spare).await
    }

    /// Channel ids by alias in the server of a place.
    fn channels(&self, place: &Place) -> &BTreeMap<String, String> {
        self.settings.of(Platform::Discord, &place.workspace).discord_channels()
    }

    /// Where a flow runs when its own place fails.
    fn spare(&self, look: &Look, start: Option<&StartDiscord>) -> Option<Place> {
        let start = start?;
        let own = &look.state.place;
        let user = &look.state.participant.user;
        let (channel, thread) = match (start.fallback?, is_direct(own)) {
            (DiscordPlace::Dm, false) => (user.clone(), None),
            (DiscordPlace::PrivateThread, true) => {
                let channels = self.channels(own);
                (channels.get(start.parent.as_deref()?)?.clone(), Some(user.clone()))
            }
            (DiscordPlace::Dm, true) | (DiscordPlace::PrivateThread, false) => return None,
        };
        Some(Place { channel, thread, ..own.clone() })
    }

    async fn make(&self, look: &Look, place: &Place) -> Result<String, Trouble> {
        let session = look.state.session;
        let user = &look.state.participant.user;
        let is_direct = is_direct(place);
        let name = self.name(look, place);
        let naming = &self.naming[lock_of((&place.channel, &name))];
        let _one_at_a_time = if is_direct { None } else { Some(naming.lock().await) };
        let room = if is_direct {
            self.api.open_direct(user).await?
        } else {
            let room = self.thread(look, place, &name).await?;
            let item = Item::Room { id: room.clone() };
            self.post_log.note(session, &[Posted { item, reader: Reader::Participant }]).await?;
            room
        };
        self.belongs(session, &room, Role::Conversation).await?;
        let kind = if is_direct { DIRECT } else { NEW };
        let spot = MessageRef { channel: room.clone(), message: kind.to_owned() };
        self.threads.mark(session, Mark::Root, &spot).await?;
        Ok(room)
    }

    /// A private thread. One that an earlier attempt has made is taken, where nothing is known of it yet.
    async fn thread(&self, look: &Look, place: &Place, name: &str) -> Result<String, Trouble> {
        let since = look.loaded.head.created_at;
        // A process may have ended between making a thread and noting which one it is.
        let making = format!("discord/making/{}", look.state.session);
        if self.store.noted(&making).await?.is_some()
            && let Some(thread) = self.orphan(place, name, since).await?
        {
            return Ok(thread);
        }
        let session = Some(look.state.session);
        let value = Some(place.channel.clone());
        self.store.note(Note { key: making, session, value }).await?;
        let body = json!(NewThread {
            // Seen by those in it, and by moderators.
            kind: ChannelType::PrivateThread,
            name,
            invitable: false,
            auto_archive_duration: ARCHIVED_AFTER,
        });
        let reason = format!("{}: a conversation began", look.flow.flow.title);
        let attempt = || self.api.begin_thread(&place.channel, body.clone(), Some(&reason));
        let begun = match attempt().await {
            Err(failure) if failure.is(Code::TooManyThreads) => {
                match self.archive_abandoned(&place.workspace).await? {
                    0 => Err(failure),
                    _ => attempt().await,
                }
            }
            begun => begun,
        };
        match begun {
            Ok(thread) => Ok(thread),
            Err(Failure::Unclear { why }) => {
                let found = self.orphan(place, name, since).await?;
                found.ok_or(Trouble::Call(Failure::Unclear { why }))
            }
            Err(failure) => Err(failure.into()),
        }
    }

    /// Archives threads of conversations that nobody goes on with, those that were written in longest ago first, where a
    /// server has as many as it can have; how many. Writing in one opens it again.
    async fn archive_abandoned(&self, guild: &str) -> Result<usize, Trouble> {
        let mut threads = self.api.active_threads(guild).await?;
        let last = |thread: &Value| {
            let id = thread["last_message_id"].as_str().or_else(|| thread["id"].as_str());
            id.and_then(|id| id.parse::<u64>().ok())
        };
        threads.sort_by_key(last);
        let mut archived = 0;
        for thread in &threads {
            let Some(id) = thread["id"].as_str() else { continue };
            let Some((session, _)) = self.of(id).await? else { continue };
            let heads = self.store.find(Find::One(session)).await?;
            let goes_on = |head: &Head| matches!(head.status, Status::Notice | Status::Open);
            if heads.first().is_some_and(goes_on) {
                continue;
            }
            let why = Some("the server has as many active threads as it can have");
            if self.api.change_channel(id, json!({ "archived": true }), why).await.is_ok() {
                archived += 1;
            }
            if archived == ROOM_MADE {
                break;
            }
        }
        tracing::info!(archived, "threads of conversations that are over were archived");
        Ok(archived)
    }

    /// A thread of that name that belongs to no conversation: made by the bot since the conversation began, and nobody has
    /// written in it. Somebody else may have made one of that name, and one of an erased conversation may be left.
    async fn orphan(
        &self,
        place: &Place,
        name: &str,
        since: DateTime<Utc>,
    ) -> Result<Option<String>, Trouble> {
        let is_it = |thread: &Value| {
            thread["name"] == name
                && thread["parent_id"] == place.channel.as_str()
                && thread["type"].as_u64().map(kind) == Some(ChannelType::PrivateThread)
                && thread["last_message_id"].is_null()
                && made_at(thread).is_some_and(|made| made >= since - CLOCKS)
        };
        let mut threads = self.api.active_threads(&place.workspace).await?;
        threads.retain(is_it);
        if threads.is_empty() {
            return Ok(None);
        }
        let me = self.api.me().await?["id"].clone();
        for thread in threads.iter().filter(|thread| thread["owner_id"] == me) {
            let Some(id) = thread["id"].as_str() else { continue };
            if self.of(id).await?.is_none() {
                return Ok(Some(id.to_owned()));
            }
        }
        Ok(None)
    }

    /// `welcome-ada`: the channel's alias, and what the person is called.
    fn name(&self, look: &Look, place: &Place) -> String {
        let alias = self
            .channels(place)
            .iter()
            .find(|(_, id)| **id == place.channel)
            .map(|(alias, _)| alias.as_str());
        let name = slug(&look.state.person_in_words());
        let name: String = name.chars().take(NAME_MAX).collect();
        let name = format!("{}-{name}", alias.unwrap_or("talk"));
        name.chars().take(limits::THREAD_NAME).collect()
    }
}

/// What a thread without a message begins with.
#[derive(Serialize)]
struct NewThread<'a> {
    #[serde(rename = "type")]
    kind: ChannelType,
    name: &'a str,
    /// Those in it may let others in.
    invitable: bool,
    auto_archive_duration: u32,
}

/// A channel or a message by its id alone.
fn anchor(id: &str) -> MessageRef {
    MessageRef { channel: id.to_owned(), message: ROOM.to_owned() }
}

/// Whether another attempt would fail too.
fn is_for_good(failure: &Failure) -> bool {
    matches!(failure, Failure::Refused { .. })
}

/// When a thread was made, as its id says.
fn made_at(thread: &Value) -> Option<DateTime<Utc>> {
    let id = thread["id"].as_str()?.parse().ok().filter(|id| (1..u64::MAX).contains(id))?;
    Some(*ChannelId::new(id).created_at())
}

fn lock_of(what: impl Hash) -> usize {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    usize::try_from(hasher.finish() % MAKING as u64).unwrap_or_default()
}

/// Letters and digits as they are, in small letters; dashes for all else.
fn slug(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-");
    if slug.is_empty() { "you".to_owned() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn a_name_becomes_the_end_of_a_threads_name() {
        assert_eq!(slug("Ada Byron"), "ada-byron");
        assert_eq!(slug("  ~*Ædla*~ 9 "), "ædla-9");
        assert_eq!(slug("🦊"), "you");
    }
}
