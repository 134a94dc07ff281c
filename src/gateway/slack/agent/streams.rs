//! The messages that the model's words are written into while they come: one for each session, and how each ends.
//!
//! ```text
//! record ─▶ open ─▶ grow … grow ─▶ finish     its post has come: the message is that post, and the record says so
//!                       │
//!                       ├─▶ break off         the model was cut off: what was read stays, and ends with `…`
//!                       └─▶ take down         it is said anew below, or was not said in the end
//! ```
//!
//! It may be opened before there are words, for what is being done meanwhile ([`super::plans`]).
//!
//! A message that has anything below it is never filled with other words. What an earlier process has left open is closed
//! before the session says anything ([`Streams::settle`]).

use std::{
    cmp::Reverse,
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::json;
use tokio::{
    sync::Mutex as Turn,
    time::{Instant, timeout},
};

use super::{
    Agent,
    stream::{self, Fate, Kept, Opening, Stream, fate},
};
use crate::{
    base::{
        ids::{CallId, EffectId, SessionId},
        recent::Recent,
    },
    chat::PostLog,
    engine::{self, Draft, Engine, Look},
    gateway::slack::{
        api::{Api, Failure, Method},
        delivery, limits,
        render::{
            Message,
            safe::{self, Links},
        },
    },
    model::{
        effect::Effect,
        posted::{Item, Posted, Reader},
        session::{Platform, Status},
    },
    store::{Find, Store},
};

/// Longest wait for a message that is just being written to, where it is to end at once.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long it is remembered that a session is about to be erased.
const ERASING: Duration = Duration::from_mins(1);

/// Which sessions have a message that is being written.
#[derive(Debug)]
pub(super) struct Streams {
    pub(super) api: Api,
    pub(super) store: Arc<dyn Store>,
    post_log: PostLog,
    open: Mutex<HashMap<SessionId, Open>>,
    /// Messages that are posted plainly, by session and what the model knew.
    plain: Recent<SessionId, u64>,
    /// Sessions of which no earlier process has left anything open.
    settled: Recent<SessionId, ()>,
    /// What an earlier process has left open is closed by one at a time.
    settling: Turn<()>,
    /// The messages of posts that an earlier process has ended, and perhaps not noted.
    became: Recent<EffectId, Vec<String>>,
    /// Since when sessions are about to be erased.
    erasing: Recent<SessionId, Instant>,
    /// The newest calls of sessions that stand in finished plans without words.
    pub(super) planned: Recent<SessionId, Vec<CallId>>,
}

/// A message that is being written, in the hands of one at a time; none in it while it is being opened.
#[derive(Debug, Clone)]
struct Open {
    team: String,
    turn: Arc<Turn<Option<Stream>>>,
    /// It shows a plan and no words yet.
    is_plan: bool,
}

/// What a look at the words of a session came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looked {
    /// Nothing more is to be done about them now.
    Done,
    /// They are looked at again then.
    Again(Instant),
    /// The message has ended, and with that how the session stands in Slack.
    Ended,
}

impl Looked {
    /// A call has failed: when it is tried again.
    pub(super) fn after(failure: &Failure) -> Self {
        let after = failure.wait().unwrap_or(limits::STREAM_PACE);
        Self::Again(Instant::now() + after.min(limits::STATUS_AGAIN))
    }
}

impl Streams {
    pub(super) fn new(api: Api, store: Arc<dyn Store>, post_log: PostLog) -> Self {
        Self {
            api,
            store,
            post_log,
            open: Mutex::default(),
            plain: Recent::new(limits::SESSIONS_KEPT),
            settled: Recent::new(limits::SESSIONS_KEPT),
            settling: Turn::default(),
            became: Recent::new(limits::SESSIONS_KEPT),
            planned: Recent::new(limits::SESSIONS_KEPT),
            erasing: Recent::new(limits::SESSIONS_KEPT),
        }
    }

    /// Whether a session has a message that is being written.
    pub(super) fn has(&self, session: SessionId) -> bool {
        self.lock().contains_key(&session)
    }

    /// Whether words of a session are being written.
    pub(super) fn has_words(&self, session: SessionId) -> bool {
        self.lock().get(&session).is_some_and(|open| !open.is_plan)
    }

    /// Whether a session has a plan to which nothing is said yet.
    pub(super) fn has_plan(&self, session: SessionId) -> bool {
        self.lock().get(&session).is_some_and(|open| open.is_plan)
    }

    /// Words have come to a plan.
    pub(super) fn has_words_now(&self, session: SessionId) {
        if let Some(open) = self.lock().get_mut(&session) {
            open.is_plan = false;
        }
    }

    /// Whether words of a model that knew so much are posted plainly.
    pub(super) fn is_plain(&self, session: SessionId, knew: u64) -> bool {
        self.plain.get(&session) == Some(knew) || self.is_erasing(session)
    }

    /// Whether a session is about to be erased. An erasure may come to nothing.
    fn is_erasing(&self, session: SessionId) -> bool {
        self.erasing.get(&session).is_some_and(|since| since.elapsed() < ERASING)
    }

    /// Sessions with a message that is being written.
    pub(super) fn sessions(&self) -> Vec<SessionId> {
        self.lock().keys().copied().collect()
    }

    /// How long words of a session are gathered before they are shown.
    pub(super) fn pace(&self, session: SessionId) -> Duration {
        let open = self.lock();
        let Some(Open { team, .. }) = open.get(&session) else { return limits::STREAM_PACE };
        let beside = open.values().filter(|other| other.team == *team).count();
        drop(open);
        pace(beside, self.api.per_minute(Method::AppendStream))
    }

    /// Whether words of the model may be shown while they come; those of which it is known that they are posted plainly
    /// may not.
    pub(super) fn may_open(&self, draft: &Draft) -> bool {
        !self.is_plain(draft.session, draft.knew)
            && safe::begun(&draft.text).chars().count() >= limits::STREAM_BEGIN
    }

    /// Opens a message where its session stands as `look` says; whether it is open.
    pub(super) async fn open(&self, look: &Look, opening: Opening<'_>) -> bool {
        let (state, knew) = (&look.state, opening.knew);
        let session = state.session;
        let is_wanted = state.status == Status::Open
            && state.handoff.is_none()
            && state.pending().next().is_none();
        if !is_wanted || knew <= state.model_turn.knew {
            return false;
        }
        if self.settle(session).await.is_err() {
            self.plain.insert(session, knew, 1);
            return false;
        }
        let turn = Arc::new(Turn::new(None));
        let mut stream = turn.lock().await;
        let (team, is_plan) = (opening.spot.team.clone(), opening.text.is_empty());
        self.lock().insert(session, Open { team, turn: Arc::clone(&turn), is_plan });
        match Stream::open((&self.api, self.store.as_ref(), session), opening).await {
            // Whoever erases it has not waited for so long.
            Ok(opened) if self.is_erasing(session) => {
                self.lock().remove(&session);
                opened.kept.discard(&self.api).await.ok();
                false
            }
            Ok(opened) => {
                *stream = Some(opened);
                true
            }
            Err(failure) => {
                tracing::debug!(session.id = %session, %failure, "words are posted plainly");
                self.lock().remove(&session);
                if matches!(failure, Failure::Unclear { .. }) {
                    // It may be there: whoever speaks next looks for it.
                    self.settled.remove(&session);
                }
                self.plain.insert(session, knew, 1);
                false
            }
        }
    }

    /// Shows more of what the model says; whatever it wrote before is ended first.
    pub(super) async fn grow(&self, engine: &Engine, draft: &Draft) -> Looked {
        let session = draft.session;
        let Some(Open { turn, .. }) = self.of(session) else { return Looked::Done };
        let mut held = turn.lock().await;
        let Some(stream) = held.as_mut() else {
            // The message before ended while this waited for it: these words may begin one of their own.
            return Looked::Again(Instant::now() + limits::STREAM_PACE);
        };
        if stream.kept.is_plan() {
            return self.follow_plan(engine, &mut held, (session, Some(draft))).await;
        }
        if stream.kept.knew == draft.knew {
            stream.grow((&self.api, self.store.as_ref(), session), &draft.text).await;
            return Looked::Done;
        }
        drop(held);
        match self.conclude(engine, session).await {
            Looked::Ended => Looked::Again(Instant::now()),
            // The message before is not posted yet.
            Looked::Done | Looked::Again(_) => Looked::Again(Instant::now() + limits::STREAM_PACE),
        }
    }

    /// The model does not write on: unless its post takes the message over, that ends now.
    pub(super) async fn conclude(&self, engine: &Engine, session: SessionId) -> Looked {
        let Some(Open { turn, .. }) = self.of(session) else { return Looked::Done };
        let mut held = turn.lock().await;
        let Some(stream) = held.as_mut() else { return Looked::Done };
        if stream.kept.is_plan() {
            return self.follow_plan(engine, &mut held, (session, None)).await;
        }
        let knew = stream.kept.knew;
        if engine.draft(session).is_some_and(|draft| draft.knew == knew) {
            return Looked::Done;
        }
        let (fate, goes_on) = match engine.look(session).await {
            Ok(look) => (fate(&look.loaded.events, &look.state, knew), look.is_thinking()),
            Err(engine::Error::NoSession) => (Fate::Dropped, false),
            Err(_) => return Looked::Again(Instant::now() + limits::STREAM_PACE),
        };
        let ended = match fate {
            Fate::Held if goes_on => {
                return Looked::Again(Instant::now() + limits::STREAM_PACE);
            }
            Fate::Posted(_) => {
                let until = stream.grew_at + limits::STREAM_ORPHAN;
                if until > Instant::now() {
                    return Looked::Again(until);
                }
                stream.rest(&self.api).await;
                return Looked::Done;
            }
            Fate::Interrupted | Fate::Held if !goes_on => {
                self.break_off(session, &stream.kept).await
            }
            Fate::Interrupted | Fate::Held | Fate::SaidAgain | Fate::Dropped => {
                self.take_down(session, &stream.kept).await
            }
        };
        if let Err(failure) = ended {
            return Looked::after(&failure);
        }
        self.has_ended(&mut held, session).await;
        Looked::Ended
    }

    /// The message of a session is not written any more, and nobody needs to know of it.
    pub(super) async fn has_ended(&self, held: &mut Option<Stream>, session: SessionId) {
        *held = None;
        self.lock().remove(&session);
        self.forget(session).await;
    }

    /// Puts the words of a post into the messages that were streamed for them; none where there are no such messages, or
    /// they are another post's.
    pub(super) async fn finish(
        &self,
        engine: &Engine,
        effect: &Effect,
        text: &str,
    ) -> Result<Vec<String>, Failure> {
        let session = effect.session;
        if let Some(messages) = self.became.get(&effect.id) {
            return Ok(messages);
        }
        let Some(Open { turn, .. }) = self.of(session) else {
            return Ok(Vec::new());
        };
        let mut held = turn.lock().await;
        let look = match engine.look(session).await {
            Ok(look) => look,
            Err(engine::Error::NoSession) => return Err(erased()),
            Err(_) => return Err(Failure::Later { after: limits::STATUS_AGAIN }),
        };
        let (name, shown) =
            (delivery::name(effect.id, delivery::STREAMED), safe::markdown(text, Links::AsCode));
        let is_plan = held.as_ref().is_some_and(|stream| stream.kept.is_plan());
        if is_plan && !self.finish_plan(engine, &mut held, (&look, effect.id, &shown)).await? {
            return Ok(Vec::new());
        }
        let Some(stream) = held.as_mut() else { return Ok(Vec::new()) };
        if fate(&look.loaded.events, &look.state, stream.kept.knew) != Fate::Posted(effect.id) {
            return Ok(Vec::new());
        }
        let mut ended = Err(torn());
        if stream.begins(&shown) && stream.holds(&shown) {
            let more = json!({
                "blocks": [Agent::feedback_buttons()], "metadata": delivery::metadata(&name),
            });
            ended = stream.end(&self.api, &shown, more).await;
        }
        match ended {
            Ok(()) => self.link(stream, (text, &name), &shown).await,
            Err(Failure::Refused { .. }) => self.replace(&mut stream.kept, (text, &name)).await?,
            Err(failure) => return Err(failure),
        }
        let kept = std::mem::take(&mut *held).map(|stream| stream.kept);
        self.lock().remove(&session);
        let Some(kept) = kept else { return Ok(Vec::new()) };
        let messages = named(&kept);
        if messages.is_empty()
            && matches!(engine.look(session).await, Err(engine::Error::NoSession))
        {
            // It was erased meanwhile: nothing more is posted.
            return Err(erased());
        }
        self.note(session, kept, effect.id).await;
        Ok(messages)
    }

    /// Shows the addresses of an answer as links once all of it is there, as where it is posted: they were code so that
    /// Slack does not look at them. Where that does not work, they stay so.
    async fn link(&self, stream: &Stream, (text, name): (&str, &str), shown: &str) {
        if stream.kept.messages.len() != 1 || safe::markdown(text, Links::Live) == shown {
            return;
        }
        let Some(mut message) = whole(text) else { return };
        if let Some(plan) = stream.plan.block() {
            message.blocks.insert(0, plan);
        }
        if let Err(failure) = stream.kept.draw(&self.api, &message, name).await {
            tracing::debug!(%failure, "the links of an answer stay code");
        }
    }

    /// Writes all of an answer anew where its stream broke off: in its place, unless something stands below that; then it
    /// is taken down and said again.
    async fn replace(&self, kept: &mut Kept, (text, name): (&str, &str)) -> Result<(), Failure> {
        let seen = kept.see(&self.api).await?;
        if seen.name.as_deref() == Some(name) {
            return Ok(());
        }
        // Nothing is changed that is still being written.
        kept.halt(&self.api).await?;
        let message = whole(text).filter(|_| !seen.has_below);
        kept.rewrite(&self.api, (message, name)).await.map(drop)
    }

    /// Ends whatever is open in a session and is not continued, before something else is said there.
    pub(super) async fn make_way(
        &self,
        engine: &Engine,
        session: SessionId,
    ) -> Result<(), Failure> {
        if self.has(session) {
            self.clear_plan(engine, session).await;
            self.conclude(engine, session).await;
            return Ok(());
        }
        self.settle(session).await.map(drop)
    }

    /// The newest sessions, the one that changed last first: one that is not among them is settled when it says something.
    pub(super) async fn left(&self) -> Vec<SessionId> {
        let found = self.store.find(Find::newest(limits::STREAM_SESSIONS)).await;
        let mut heads = found.unwrap_or_default();
        heads.retain(|head| head.place.platform == Platform::Slack && head.parent.is_none());
        heads.sort_by_key(|head| Reverse(head.updated_at));
        heads.into_iter().map(|head| head.id).collect()
    }

    /// Closes what an earlier process has left open in a session: what somebody has answered stays and is broken off, and
    /// the rest is taken down, for it is said again. Whether there was something to close.
    pub(super) async fn settle(&self, session: SessionId) -> Result<bool, Failure> {
        if self.settled.contains(&session) || self.has(session) {
            return Ok(false);
        }
        let _one_at_a_time = self.settling.lock().await;
        let note = self.store.noted(&stream::key(session)).await;
        let later = |_| Failure::Later { after: limits::STATUS_AGAIN };
        let value = note.map_err(later)?.and_then(|note| note.value);
        let kept = value.and_then(|value| serde_json::from_str::<Kept>(&value).ok());
        let kept = kept.filter(|_| !self.has(session));
        let was_left = kept.as_ref().is_some_and(|kept| kept.became.is_none());
        if let Some(kept) = kept {
            self.close(session, kept).await?;
        }
        self.settled.insert(session, (), 1);
        Ok(was_left)
    }

    async fn close(&self, session: SessionId, mut kept: Kept) -> Result<(), Failure> {
        if let Some(effect) = kept.became {
            self.became.insert(effect, named(&kept), 1);
            return Ok(());
        }
        kept.find(&self.api).await?;
        let seen = kept.see(&self.api).await?;
        let became = seen.name.as_deref().and_then(|name| name.split_once('.'));
        if let Some(effect) = became.and_then(|(short, _)| EffectId::from_short(short)) {
            self.became.insert(effect, named(&kept), 1);
            self.note(session, kept, effect).await;
            return Ok(());
        }
        // Nobody has read anything in a plan that its tasks do not say again.
        if seen.is_answered && !kept.is_plan() {
            self.break_off(session, &kept).await?;
        } else {
            self.take_down(session, &kept).await?;
        }
        self.forget(session).await;
        Ok(())
    }

    /// Ends what is written in a session that is about to be erased; the messages that it has come to.
    pub(super) async fn give_up(&self, session: SessionId) -> Vec<Posted> {
        self.erasing.insert(session, Instant::now(), 1);
        let mut kept = None;
        if let Some(Open { turn, .. }) = self.of(session)
            && let Ok(mut held) = timeout(PATIENCE, turn.lock()).await
            && let Some(stream) = held.take()
        {
            self.lock().remove(&session);
            kept = Some(stream.kept);
        }
        if kept.is_none() {
            let note = self.store.noted(&stream::key(session)).await;
            let value = note.ok().flatten().and_then(|note| note.value);
            kept = value.and_then(|value| serde_json::from_str(&value).ok());
        }
        let Some(mut kept) = kept else { return Vec::new() };
        if kept.became.is_none() {
            // Best effort: what is not ended by this is deleted all the same.
            kept.find(&self.api).await.ok();
            kept.halt(&self.api).await.ok();
        }
        named(&kept).into_iter().map(posted).collect()
    }

    /// What was read of an answer stays, and is on the log of posts.
    async fn break_off(&self, session: SessionId, kept: &Kept) -> Result<(), Failure> {
        kept.break_off(&self.api).await?;
        self.leave(session, kept).await;
        Ok(())
    }

    /// A message stays as it is, and is on the log of posts.
    pub(super) async fn leave(&self, session: SessionId, kept: &Kept) {
        let left: Vec<Posted> = named(kept).into_iter().map(posted).collect();
        self.post_log.note_or_tell(session, &left).await;
    }

    /// An answer goes away; what Slack keeps of it is on the log of posts.
    pub(super) async fn take_down(&self, session: SessionId, kept: &Kept) -> Result<(), Failure> {
        let left = kept.discard(&self.api).await?;
        let channel = &kept.spot.channel;
        let left: Vec<Posted> = left.iter().map(|ts| posted(format!("{channel}/{ts}"))).collect();
        self.post_log.note_or_tell(session, &left).await;
        Ok(())
    }

    /// Notes which post a stream has become: until its delivery is durable, that is how it is found again.
    async fn note(&self, session: SessionId, kept: Kept, effect: EffectId) {
        let kept = Kept { begins: String::new(), became: Some(effect), ..kept };
        if let Err(error) = stream::keep(self.store.as_ref(), session, Some(&kept)).await {
            tracing::debug!(%error, "what a stream has become is not noted");
        }
    }

    async fn forget(&self, session: SessionId) {
        if let Err(error) = stream::keep(self.store.as_ref(), session, None).await {
            tracing::debug!(%error, "the note of a stream stays a while");
        }
    }

    /// The message of a session, in the hands of one at a time.
    pub(super) fn turn_of(&self, session: SessionId) -> Option<Arc<Turn<Option<Stream>>>> {
        self.of(session).map(|open| open.turn)
    }

    fn of(&self, session: SessionId) -> Option<Open> {
        self.lock().get(&session).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long words are gathered where so many messages of a workspace are written at one time: together they use four
/// fifths of the calls that Slack takes in a minute.
fn pace(open: usize, per_minute: u32) -> Duration {
    let open = u32::try_from(open).unwrap_or(u32::MAX);
    let share = Duration::from_mins(1) * 5 / (per_minute.max(1).saturating_mul(4));
    limits::STREAM_PACE.max(share.saturating_mul(open))
}

/// The names of a stream's messages: `D024/1690.1`.
fn named(kept: &Kept) -> Vec<String> {
    kept.messages.iter().map(|ts| format!("{}/{ts}", kept.spot.channel)).collect()
}

fn posted(at: String) -> Posted {
    Posted { item: Item::Message { at }, reader: Reader::Participant }
}

fn torn() -> Failure {
    Failure::Refused { error: "torn".to_owned(), messages: Vec::new() }
}

fn erased() -> Failure {
    Failure::Refused { error: "erased".to_owned(), messages: Vec::new() }
}

/// An answer as one message, with what stands below it; `None` if it needs several.
fn whole(text: &str) -> Option<Message> {
    let mut messages = Agent::answer(text);
    messages.pop().filter(|_| messages.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_a_workspace_share_its_rate() {
        assert_eq!(pace(1, 100), limits::STREAM_PACE);
        assert_eq!(pace(5, 100), Duration::from_millis(3_750));
        for open in 1..40 {
            let calls =
                60.0 / pace(open, 100).as_secs_f64() * f64::from(u32::try_from(open).unwrap());
            assert!(calls <= 80.1, "{open} streams make {calls} calls a minute");
        }
        assert_eq!(pace(3, 100_000), limits::STREAM_PACE);
    }
}
