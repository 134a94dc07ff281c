//! What Slack's agent surface shows while the bot works: status, session states, words as they come.
//!
//! All of it is best effort and looks at sessions from the outside: nothing here is needed for a conversation to go
//! on, and what is lost is shown again with the next change. A stream lives while the model speaks and never across a
//! question; the message that is posted in the end ([`Agent::finish`]) takes its place.

mod safe;
mod status;
mod stream;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use metrics::counter;
use moka::sync::Cache;
use serde_json::{Value, json};
use tokio::{
    sync::{Mutex as Turn, broadcast::error::RecvError},
    task::JoinSet,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use self::{
    safe::safe,
    status::{Shown, name_of},
    stream::{Kept, Spot, Stream},
};
use super::{
    api::{Api, Failure, Method},
    limits,
    render::{self, Message},
};
use crate::{
    chat::standing::Standing,
    engine::{self, Draft, Engine, Look},
    ids::SessionId,
    model::{
        effect::Effect,
        session::{Platform, Status},
    },
    store::{Note, Store},
    telemetry::metric,
    threads::Threads,
};

/// What the buttons below an answer are called in [`super::inbound::Action`].
pub const FEEDBACK: &str = "agent.feedback";

/// What is offered where somebody opens the conversation: title, and what it sends.
pub type Prompt = (&'static str, &'static str);

/// What is offered to somebody of whom nothing is known; the manifest holds these.
pub const PROMPTS: [Prompt; 2] = [("Start my onboarding", "Start my onboarding"), HUMAN];

const HUMAN: Prompt = ("Talk to a person", "human");
const EXPORT: Prompt = ("Download my answers", "export");

/// What fits somebody by how their newest conversation stands.
const fn prompts(status: Option<Status>) -> &'static [Prompt] {
    const GOES_ON: [Prompt; 4] =
        [("Skip this question", "skip"), HUMAN, EXPORT, ("Stop for now", "stop")];
    const NOTICE: [Prompt; 2] = [HUMAN, ("Stop for now", "stop")];
    const RESTS: [Prompt; 3] = [("Continue", "resume"), HUMAN, EXPORT];
    const IS_COMPLETE: [Prompt; 3] = [EXPORT, HUMAN, ("Delete my data", "delete my data")];
    const HAS_ENDED: [Prompt; 3] = [("Start my onboarding", "Start my onboarding"), HUMAN, EXPORT];
    match status {
        None => &PROMPTS,
        Some(Status::Notice) => &NOTICE,
        Some(Status::Open) => &GOES_ON,
        Some(Status::Paused | Status::Stopped | Status::Declined) => &RESTS,
        Some(Status::Completed) => &IS_COMPLETE,
        Some(Status::Ended) => &HAS_ENDED,
    }
}

/// Shows what the bot does; cheap to clone.
#[derive(Debug, Clone)]
pub struct Agent {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    api: Api,
    threads: Threads,
    store: Arc<dyn Store>,
    engine: OnceLock<Engine>,
    /// What each session shows.
    shown: Cache<SessionId, Shown>,
    /// The thread of each session that has its title.
    titled: Cache<SessionId, String>,
    /// The message of each session that is being written.
    streams: Mutex<HashMap<SessionId, Arc<Turn<Option<Stream>>>>>,
    /// Messages that are posted plainly, by session and what the model knew.
    plain: Cache<SessionId, u64>,
    /// Sessions of other platforms.
    elsewhere: Cache<SessionId, ()>,
    /// Methods that Slack refuses here, and until when they are not called.
    resting: Mutex<HashMap<Method, Instant>>,
}

/// Sessions with something to look at, and when.
#[derive(Debug, Default)]
struct Agenda {
    due: BTreeMap<SessionId, (Instant, Wanted)>,
    busy: BTreeSet<SessionId>,
}

/// What is to be looked at.
#[derive(Debug, Clone, Copy, Default)]
struct Wanted {
    standing: bool,
    words: bool,
}

impl Agenda {
    fn add(&mut self, session: SessionId, at: Instant, wanted: Wanted) {
        if self.due.len() >= limits::AGENDA_MAX && !self.due.contains_key(&session) {
            return;
        }
        let (due, known) = self.due.entry(session).or_insert((at, wanted));
        *due = (*due).min(at);
        known.standing |= wanted.standing;
        known.words |= wanted.words;
    }

    fn next(&self) -> Option<(Instant, SessionId)> {
        let free = self.due.iter().filter(|(session, _)| !self.busy.contains(session));
        free.map(|(session, (at, _))| (*at, *session)).min()
    }
}

const STANDING: Wanted = Wanted { standing: true, words: false };
const WORDS: Wanted = Wanted { standing: false, words: true };

impl Agent {
    /// Shows what goes on through `api`.
    pub fn new(api: Api, store: Arc<dyn Store>) -> Self {
        let inner = Inner {
            api,
            threads: Threads::new(Platform::Slack, Arc::clone(&store)),
            store,
            engine: OnceLock::new(),
            shown: Cache::new(limits::SESSIONS_KEPT),
            titled: Cache::new(limits::SESSIONS_KEPT),
            streams: Mutex::default(),
            plain: Cache::new(limits::SESSIONS_KEPT),
            elsewhere: Cache::new(limits::SESSIONS_KEPT),
            resting: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Follows the engine until `shutdown`.
    pub async fn run(&self, engine: Engine, shutdown: CancellationToken) {
        let mut watched = engine.watch();
        let mut drafts = engine.drafts();
        let mut progress = engine.pipeline().progress();
        let engine = self.inner.engine.get_or_init(|| engine).clone();
        let mut agenda = Agenda::default();
        let mut jobs: JoinSet<(SessionId, Option<(Instant, Wanted)>)> = JoinSet::new();
        let mut not_before = Instant::now();
        loop {
            let next = agenda.next().filter(|_| jobs.len() < limits::LOOKS_AT_ONCE);
            let at = next.map_or_else(Instant::now, |(at, _)| at.max(not_before));
            // What is not received stays in its channel; who falls behind sees the next change.
            tokio::select! {
                () = shutdown.cancelled() => return,
                changed = watched.recv() => match changed {
                    Ok(changed) => agenda.add(changed.session, Instant::now() + limits::STATUS_PACE, STANDING),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
                draft = drafts.recv() => match draft {
                    Ok(draft) => agenda.add(draft.session, Instant::now() + limits::STREAM_PACE, WORDS),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
                told = progress.recv() => match told {
                    Ok(told) => agenda.add(told.session, Instant::now() + limits::STATUS_PACE, STANDING),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
                () = sleep_until(at), if next.is_some() => {
                    let Some((_, session)) = next else { continue };
                    let Some((_, wanted)) = agenda.due.remove(&session) else { continue };
                    not_before = Instant::now() + limits::LOOK_PAUSE;
                    agenda.busy.insert(session);
                    let (inner, engine) = (Arc::clone(&self.inner), engine.clone());
                    jobs.spawn(async move { (session, inner.look(&engine, session, wanted).await) });
                }
                Some(done) = jobs.join_next(), if !jobs.is_empty() => match done {
                    Ok((session, again)) => {
                        agenda.busy.remove(&session);
                        if let Some((at, wanted)) = again {
                            agenda.add(session, at, wanted);
                        }
                    }
                    Err(error) => {
                        tracing::error!(%error, "what the bot does could not be shown");
                        agenda.busy.clear();
                    }
                },
            }
        }
    }

    /// Puts the words of a post into the messages that were streamed for them, and says which they are: `D024/1690.1`.
    /// None where there is no such message: then they are posted plainly.
    pub async fn finish(&self, effect: &Effect, text: &str) -> Result<Vec<String>, Failure> {
        self.inner.finish(effect, text).await
    }

    /// What stands below an answer of the model.
    pub fn feedback_buttons() -> Value {
        let button = |text: &str, value: &str, label: &str| json!({ "text": { "type": "plain_text", "text": text }, "value": value, "accessibility_label": label });
        json!({ "type": "context_actions", "elements": [{
            "type": "feedback_buttons",
            "action_id": FEEDBACK,
            "positive_button": button("Good", "good", "This answer was good"),
            "negative_button": button("Bad", "bad", "This answer was bad"),
        }] })
    }

    /// Somebody said how an answer was; what they are told.
    pub async fn feedback(&self, session: SessionId, message: &str, value: &str) -> &'static str {
        let value = if value == "good" { "good" } else { "bad" };
        counter!(metric::SLACK_FEEDBACK, "outcome" => value).increment(1);
        let key = format!("slack/feedback/{session}/{message}");
        let note = Note { key, session: Some(session), value: Some(value.to_owned()) };
        if let Err(error) = self.inner.store.note(note).await {
            tracing::warn!(%error, "how an answer was could not be saved");
        }
        if value == "good" {
            "Thank you, good to know."
        } else {
            "Thank you for saying so. Type *human* if you would rather talk to a person."
        }
    }

    /// Offers what somebody may want to say where they opened the conversation, by how their newest one stands.
    pub async fn suggest(&self, (team, channel): (&str, &str), status: Option<Status>) {
        let prompts = prompts(status).iter();
        let prompts: Vec<Value> =
            prompts.map(|(title, message)| json!({ "title": title, "message": message })).collect();
        let body = json!({ "channel_id": channel, "prompts": prompts });
        self.inner.show(team, Method::SuggestedPrompts, body).await;
    }
}

impl Inner {
    /// Looks at a session; when to look again, where that is needed.
    async fn look(
        &self,
        engine: &Engine,
        session: SessionId,
        wanted: Wanted,
    ) -> Option<(Instant, Wanted)> {
        if self.elsewhere.contains_key(&session) {
            return None;
        }
        if wanted.words {
            let again = self.write(engine, session).await;
            if let Some(at) = again {
                return Some((at, Wanted { words: true, ..wanted }));
            }
        }
        if !wanted.standing {
            return None;
        }
        let look = engine.look(session).await.ok()?;
        if !self.is_here(&look) {
            return None;
        }
        let shown = Shown::of(&look, engine.pipeline());
        let again = self.tell(&look, shown).await?;
        Some((Instant::now() + again, STANDING))
    }

    fn is_here(&self, look: &Look) -> bool {
        if look.loaded.head.place.platform == Platform::Slack && look.loaded.head.parent.is_none() {
            return true;
        }
        self.elsewhere.insert(look.state.session, ());
        false
    }

    /// Says how a session stands, where that has changed. How long to wait where it could not be said.
    async fn tell(&self, look: &Look, shown: Shown) -> Option<std::time::Duration> {
        let session = look.state.session;
        let before = self.shown.get(&session);
        if before.as_ref() == Some(&shown) {
            return None;
        }
        let spot = self.spot(look).await?;
        let place = json!({ "channel_id": spot.channel, "thread_ts": spot.thread });
        self.name(look, &spot, &place).await;
        let has_stream = lock(&self.streams).contains_key(&session);
        if before.as_ref().map(|before| before.standing) != Some(shown.standing) && !has_stream {
            let mut body = place.clone();
            body["status"] = json!(name_of(shown.standing));
            let failed = self.show(&spot.team, Method::SessionStatus, body).await;
            if let Some(after) = failed.and_then(|failure| failure.wait()) {
                // How it stands in the end matters; that it works just now will be over by then.
                return (shown.standing != Standing::Processing)
                    .then(|| after.min(limits::STATUS_AGAIN));
            }
        }
        let had_words = before.as_ref().is_some_and(|before| !before.words.is_empty());
        if !has_stream && (!shown.words.is_empty() || had_words) {
            let mut body = place;
            body["status"] = json!(shown.words);
            if !shown.words.is_empty() {
                body["loading_messages"] = json!(shown.loading());
            }
            self.show(&spot.team, Method::ThreadStatus, body).await;
        }
        self.shown.insert(session, shown);
        None
    }

    /// Gives a session its title, once in each thread that it stands in.
    async fn name(&self, look: &Look, spot: &Spot, place: &Value) {
        let session = look.state.session;
        if self.titled.get(&session).as_ref() == Some(&spot.thread) {
            return;
        }
        let mut body = place.clone();
        body["title"] = json!(render::text::clip(&look.flow.flow.title, limits::SESSION_TITLE));
        if self.show(&spot.team, Method::RenameSession, body).await.is_none() {
            self.titled.insert(session, spot.thread.clone());
        }
    }

    /// Calls a method that nobody misses. What Slack refuses here is left alone for a while.
    async fn show(&self, team: &str, method: Method, body: Value) -> Option<Failure> {
        if lock(&self.resting).get(&method).is_some_and(|until| *until > Instant::now()) {
            return None;
        }
        let failure = self.api.call(team, method, body).await.err()?;
        if let Failure::Refused { error, .. } = &failure
            && matches!(
                error.as_str(),
                "unknown_method"
                    | "missing_scope"
                    | "not_allowed_token_type"
                    | "feature_not_enabled"
            )
        {
            lock(&self.resting).insert(method, Instant::now() + limits::REFUSED_REST);
        }
        Some(failure)
    }

    /// The thread in which a session stands; none before its first message.
    async fn spot(&self, look: &Look) -> Option<Spot> {
        let head = &look.loaded.head;
        let place = &head.place;
        let root = self.threads.root(head.id, place).await.ok()??;
        let installed = self.api.tenants().installation(&place.workspace)?;
        let organisation = installed.enterprise.filter(|_| installed.is_enterprise_install);
        Some(Spot {
            team: place.workspace.clone(),
            channel: root.channel,
            thread: root.message,
            user: head.participant.user.clone(),
            recipient_team: organisation.unwrap_or_else(|| place.workspace.clone()),
        })
    }

    /// Shows what the model says, as far as it has come. When to look again, where that is needed.
    async fn write(&self, engine: &Engine, session: SessionId) -> Option<Instant> {
        let turn = lock(&self.streams).get(&session).cloned();
        let Some(draft) = engine.draft(session) else {
            let turn = turn?;
            let mut stream = turn.lock().await;
            // Its post takes the message over; where none comes, nobody said it in the end.
            let left = stream.as_ref()?.grew_at + limits::STREAM_ORPHAN;
            if left > Instant::now() {
                return Some(left);
            }
            let orphan = stream.take()?;
            lock(&self.streams).remove(&session);
            orphan.kept.discard(&self.api).await;
            self.forget(session).await;
            return None;
        };
        if self.plain.get(&session) == Some(draft.knew) {
            return None;
        }
        match turn {
            Some(turn) => {
                let mut stream = turn.lock().await;
                let stream = stream.as_mut()?;
                if stream.kept.knew != draft.knew {
                    // The message before is not posted yet.
                    return Some(Instant::now() + limits::STREAM_PACE);
                }
                stream.grow((&self.api, self.store.as_ref(), session), &draft.text).await;
            }
            None => self.open(engine, &draft).await,
        }
        None
    }

    async fn open(&self, engine: &Engine, draft: &Draft) {
        let text = safe(&draft.text, false);
        if text.chars().count() < limits::STREAM_BEGIN {
            return;
        }
        let Ok(look) = engine.look(draft.session).await else { return };
        if !self.is_here(&look) {
            return;
        }
        let Some(spot) = self.spot(&look).await else { return };
        let state = &look.state;
        let is_wanted = state.status == Status::Open
            && state.handoff.is_none()
            && state.pending().next().is_none();
        if !is_wanted || draft.knew <= state.mind.knew {
            return;
        }
        // What a crash left behind becomes this message, when all of it is there.
        let left = self.store.noted(&stream::key(draft.session)).await;
        if left.is_ok_and(|note| note.is_some()) {
            self.post_plainly(draft);
            return;
        }
        let turn = Arc::new(Turn::new(None));
        let mut stream = turn.lock().await;
        lock(&self.streams).insert(draft.session, Arc::clone(&turn));
        let done = status::done(&look, engine.pipeline());
        let title =
            state.phase().and_then(|id| look.flow.flow.phase.iter().find(|phase| phase.id == id));
        let title = title.map_or("", |phase| phase.title.as_str());
        let who = (&self.api, self.store.as_ref(), draft.session);
        match Stream::open(who, (spot, draft.knew), &text, &done, title).await {
            Ok(opened) => *stream = Some(opened),
            Err(failure) => {
                tracing::debug!(session.id = %draft.session, %failure, "words are posted plainly");
                lock(&self.streams).remove(&draft.session);
                self.post_plainly(draft);
            }
        }
    }

    fn post_plainly(&self, draft: &Draft) {
        self.plain.insert(draft.session, draft.knew);
    }

    async fn finish(&self, effect: &Effect, text: &str) -> Result<Vec<String>, Failure> {
        let session = effect.session;
        let turn = lock(&self.streams).get(&session).cloned();
        let Some(turn) = turn else { return self.mend(effect, text).await };
        let mut held = turn.lock().await;
        let Some(stream) = held.as_mut() else { return self.mend(effect, text).await };
        let shown = safe(text, true);
        let is_answer = stream.begins(&shown);
        if !is_answer {
            let draft = self.engine.get().and_then(|engine| engine.draft(session));
            let still_speaks = draft.is_some_and(|draft| draft.knew == stream.kept.knew);
            if still_speaks || self.is_earlier(effect, stream.kept.knew).await? {
                // Another post: the message waits for its own.
                return Ok(Vec::new());
            }
        }
        let more = json!({ "blocks": [Agent::feedback_buttons()] });
        let ended = if is_answer && stream.holds(&shown) {
            stream.end(&self.api, &shown, more).await
        } else {
            // Nothing is changed that is still being written.
            stream.kept.halt(&self.api).await?;
            Err(Failure::Refused { error: "torn".to_owned(), messages: Vec::new() })
        };
        let messages = match ended {
            Ok(()) => stream.kept.messages.clone(),
            Err(Failure::Refused { .. }) => {
                let message = if is_answer { answer(text) } else { whole(text) };
                stream.kept.rewrite(&self.api, message).await?.into_iter().collect()
            }
            Err(failure) => return Err(failure),
        };
        let channel = stream.kept.spot.channel.clone();
        *held = None;
        lock(&self.streams).remove(&session);
        // Ending it has changed how the session stands in Slack.
        self.shown.invalidate(&session);
        self.forget(session).await;
        Ok(messages.into_iter().map(|ts| format!("{channel}/{ts}")).collect())
    }

    /// A process that ended in the middle left half a message behind: it is made whole.
    async fn mend(&self, effect: &Effect, text: &str) -> Result<Vec<String>, Failure> {
        let session = effect.session;
        let note = self.store.noted(&stream::key(session)).await;
        let later = |_| Failure::Later { after: limits::STATUS_AGAIN };
        let Some(value) = note.map_err(later)?.and_then(|note| note.value) else {
            return Ok(Vec::new());
        };
        let Ok(mut kept) = serde_json::from_str::<Kept>(&value) else { return Ok(Vec::new()) };
        if self.is_earlier(effect, kept.knew).await? {
            return Ok(Vec::new());
        }
        kept.find(&self.api).await?;
        kept.halt(&self.api).await?;
        let message = kept.rewrite(&self.api, whole(text)).await?;
        self.forget(session).await;
        Ok(message.into_iter().map(|ts| format!("{}/{ts}", kept.spot.channel)).collect())
    }

    /// Whether a post was queued before the words that were written knowing so much.
    async fn is_earlier(&self, effect: &Effect, knew: u64) -> Result<bool, Failure> {
        let Some(engine) = self.engine.get() else { return Ok(false) };
        match engine.look(effect.session).await {
            Ok(look) => Ok(stream::is_earlier(&look.loaded.events, effect.id, knew)),
            Err(engine::Error::NoSession) => Ok(false),
            Err(_) => Err(Failure::Later { after: limits::STATUS_AGAIN }),
        }
    }

    async fn forget(&self, session: SessionId) {
        if let Err(error) = stream::keep(self.store.as_ref(), session, None).await {
            tracing::debug!(%error, "the note of a stream stays a while");
        }
    }
}

/// The words as one message; none where they need several.
fn whole(text: &str) -> Option<Message> {
    let mut messages = render::post(text);
    messages.pop().filter(|_| messages.is_empty())
}

/// The same with what stands below an answer.
fn answer(text: &str) -> Option<Message> {
    let mut message = whole(text)?;
    message.blocks.push(Agent::feedback_buttons());
    Some(message)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
