//! What Slack's agent surface shows while the bot works: status, session states, words as they come.
//!
//! All of it looks at sessions from the outside: nothing here is needed for a conversation to go on, and a status that is
//! lost is shown again with the next change. A stream lives while the model speaks and never across a question; the
//! message that is posted in the end ([`Agent::finish`]) takes its place. It has a durable record ([`streams`]), so that
//! none is left open, whatever becomes of the process or the answer.

mod plan;
mod plans;
mod refresh_queue;
mod status;
mod stream;
mod streams;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    sync::broadcast::{self, error::RecvError},
    task::JoinSet,
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;

use self::{
    plan::worthwhile,
    refresh_queue::{RefreshQueue, STATUS, Told, WORDS, Wanted},
    status::{Shown, name_of},
    stream::{Opening, Spot},
    streams::{Looked, Streams},
};
use super::{
    api::{Api, Failure, Method},
    limits,
    render::{self, answer, safe},
};
use crate::{
    base::{ids::SessionId, recent::Recent},
    chat::{PostLog, WorkIndicators, activity::Activity, message_index::MessageIndex},
    engine::{self, Draft, Engine, Look},
    messages,
    model::{
        effect::{Effect, Priority, Recipient},
        posted::Posted,
        session::{Platform, Status},
    },
    tool::pipeline::record::Progress,
};

/// What the buttons below an answer are called in [`super::inbound::Action`].
pub const FEEDBACK: &str = "agent.feedback";

/// What is offered where somebody opens the conversation: title, and what it sends.
pub type Prompt = (&'static str, &'static str);

/// What is offered to somebody of whom nothing is known; the manifest holds these.
pub(crate) const PROMPTS: [Prompt; 2] =
    [(messages::buttons::START_ONBOARDING, messages::buttons::START_ONBOARDING), HUMAN];

const HUMAN: Prompt = (messages::buttons::TALK_TO_A_PERSON, "human");
const EXPORT: Prompt = (messages::buttons::DOWNLOAD_MY_ANSWERS, "export");

/// What fits somebody by how their newest conversation stands.
const fn prompts(status: Option<Status>) -> &'static [Prompt] {
    const GOES_ON: [Prompt; 4] = [
        (messages::slack::SKIP_QUESTION, "skip"),
        HUMAN,
        EXPORT,
        (messages::slack::STOP_FOR_NOW, "stop"),
    ];
    const NOTICE: [Prompt; 2] = [HUMAN, (messages::slack::STOP_FOR_NOW, "stop")];
    const RESTS: [Prompt; 3] = [(messages::buttons::CONTINUE, "resume"), HUMAN, EXPORT];
    const IS_COMPLETE: [Prompt; 3] =
        [EXPORT, HUMAN, (messages::buttons::DELETE_MY_DATA, "delete my data")];
    const HAS_ENDED: [Prompt; 3] =
        [(messages::buttons::START_ONBOARDING, messages::buttons::START_ONBOARDING), HUMAN, EXPORT];
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
    threads: MessageIndex,
    engine: Engine,
    /// What each session shows.
    told: Recent<SessionId, Told>,
    /// The thread of each session that has its title.
    titled: Recent<SessionId, String>,
    /// The message of each session that is being written.
    streams: Streams,
    /// Where sessions stand that are about to be erased.
    erasing: Recent<SessionId, Spot>,
    /// Sessions of other platforms.
    elsewhere: Recent<SessionId, ()>,
    /// Methods that Slack refuses here, and until when they are not called.
    resting: Mutex<HashMap<Method, Instant>>,
    work_indicators: WorkIndicators,
}

impl Agent {
    /// Shows through `api` what goes on in `engine`.
    pub fn new(
        api: Api,
        engine: Engine,
        post_log: PostLog,
        work_indicators: WorkIndicators,
    ) -> Self {
        let store = Arc::clone(&engine.parts().store);
        let inner = Inner {
            streams: Streams::new(api.clone(), Arc::clone(&store), post_log),
            api,
            threads: MessageIndex::new(Platform::Slack, store),
            engine,
            told: Recent::new(limits::SESSIONS_KEPT),
            titled: Recent::new(limits::SESSIONS_KEPT),
            erasing: Recent::new(limits::SESSIONS_KEPT),
            elsewhere: Recent::new(limits::SESSIONS_KEPT),
            resting: Mutex::default(),
            work_indicators,
        };
        Self { inner: Arc::new(inner) }
    }

    /// Closes what an earlier process has left open, and follows the engine until `shutdown`.
    pub async fn run(&self, shutdown: CancellationToken) {
        let settle = async {
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = self.inner.settle() => {}
            }
        };
        let work_indicators = self.inner.work_indicators.subscribe();
        tokio::join!(settle, self.follow(&self.inner.engine, work_indicators, &shutdown));
    }

    async fn follow(
        &self,
        engine: &Engine,
        mut work_indicators: broadcast::Receiver<SessionId>,
        shutdown: &CancellationToken,
    ) {
        let mut watched = engine.watch();
        let mut drafts = engine.drafts();
        let mut progress = engine.pipeline().progress();
        let mut agenda = RefreshQueue::default();
        let mut jobs: JoinSet<(SessionId, Again)> = JoinSet::new();
        let mut not_before = Instant::now();
        loop {
            let next = agenda.next().filter(|_| jobs.len() < limits::LOOKS_AT_ONCE);
            let at = next.map_or_else(Instant::now, |(at, _)| at.max(not_before));
            // What is not received stays in its channel; who falls behind sees the next change.
            tokio::select! {
                () = shutdown.cancelled() => return,
                changed = watched.recv() => match changed {
                    Ok(changed) => self.inner.has_changed(engine, &mut agenda, (changed.session, limits::STATUS_PACE)),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
                draft = drafts.recv() => match draft {
                    // What is over ends at once.
                    Ok(draft) if draft.text.is_empty() => agenda.add(draft.session, Instant::now(), WORDS),
                    Ok(draft) => {
                        let pace = self.inner.streams.pace(draft.session);
                        agenda.add(draft.session, Instant::now() + pace, WORDS);
                    }
                    Err(RecvError::Lagged(_)) => {
                        for session in self.inner.streams.sessions() {
                            agenda.add(session, Instant::now() + limits::STREAM_PACE, WORDS);
                        }
                    }
                    Err(RecvError::Closed) => return,
                },
                told = next_told(&mut progress, &mut work_indicators) => match told {
                    Ok(told) => self.inner.has_changed(engine, &mut agenda, told),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
                () = sleep_until(at), if next.is_some() => {
                    let Some((_, session)) = next else { continue };
                    let wanted = agenda.take(session);
                    not_before = Instant::now() + limits::LOOK_PAUSE;
                    agenda.busy.insert(session);
                    let (inner, engine) = (Arc::clone(&self.inner), engine.clone());
                    jobs.spawn(async move { (session, inner.look(&engine, session, wanted).await) });
                }
                Some(done) = jobs.join_next(), if !jobs.is_empty() => match done {
                    Ok((session, again)) => {
                        agenda.busy.remove(&session);
                        for (at, wanted) in again.into_iter().flatten() {
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
        self.inner.streams.finish(&self.inner.engine, effect, text).await
    }

    /// Before something is said in a session: whatever is open there and not continued ends.
    pub async fn make_way(&self, session: SessionId) -> Result<(), Failure> {
        self.inner.streams.make_way(&self.inner.engine, session).await
    }

    /// Something was posted in a session, by calls since `begun`: there is a thread for its status, or Slack has taken that
    /// away, and it is shown again while the bot works on.
    pub(crate) fn has_posted(&self, session: SessionId, begun: Instant) {
        // What it had not shown may be the message in whose thread the session stands.
        self.inner.has_posted(session, begun);
    }

    /// Before a session is erased: what is being written there ends; the messages that it has come to.
    pub(crate) async fn give_up(&self, session: SessionId) -> Vec<Posted> {
        if let Ok(look) = self.inner.engine.look(session).await
            && self.inner.is_here(&look)
            && let Some(spot) = self.inner.spot(&look).await
        {
            self.inner.erasing.insert(session, spot, 1);
        }
        self.inner.streams.give_up(session).await
    }

    /// An answer of the model as messages, with what stands below it.
    pub fn answer(text: &str) -> Vec<render::Message> {
        let mut messages = answer::messages(text);
        if let Some(last) = messages.last_mut() {
            last.blocks.push(Self::feedback_buttons());
        }
        messages
    }

    /// What stands below an answer of the model.
    pub fn feedback_buttons() -> Value {
        let button = |text: &str, value: &str, label: &str| json!({ "text": { "type": "plain_text", "text": text }, "value": value, "accessibility_label": label });
        json!({ "type": "context_actions", "elements": [{
            "type": "feedback_buttons",
            "action_id": FEEDBACK,
            "positive_button": button(messages::buttons::HELPFUL, "good", messages::slack::ANSWER_HELPFUL),
            "negative_button": button(messages::buttons::NOT_HELPFUL, "bad", messages::slack::ANSWER_NOT_HELPFUL),
        }] })
    }

    /// Offers what somebody may want to say where they opened the conversation, by how their newest one stands.
    pub(crate) async fn suggest(&self, (team, channel): (&str, &str), status: Option<Status>) {
        let prompts = prompts(status).iter();
        let prompts: Vec<Value> =
            prompts.map(|(title, message)| json!({ "title": title, "message": message })).collect();
        let body = json!({ "channel_id": channel, "prompts": prompts });
        self.inner.show(team, Method::SuggestedPrompts, body).await;
    }
}

/// When what is to be looked at again.
type Again = [Option<(Instant, Wanted)>; 2];

impl Inner {
    /// A session has changed: how it stands is looked at after a pause, and its plan where it has one, or calls run that
    /// may become one.
    fn has_changed(
        &self,
        engine: &Engine,
        agenda: &mut RefreshQueue,
        (session, pause): (SessionId, Duration),
    ) {
        agenda.add(session, Instant::now() + pause, STATUS);
        if self.streams.has_plan(session) {
            agenda.add(session, Instant::now() + self.streams.pace(session), WORDS);
        } else if !self.streams.has(session) && !engine.pipeline().running(session).is_empty() {
            agenda.add(session, Instant::now(), WORDS);
        }
    }

    /// Looks at a session; when to look again, where that is needed.
    async fn look(&self, engine: &Engine, session: SessionId, wanted: Wanted) -> Again {
        if self.elsewhere.contains(&session) {
            return [None, None];
        }
        let mut wanted = wanted;
        let mut again = None;
        if wanted.words {
            match self.write(engine, session).await {
                Looked::Done => {}
                Looked::Again(at) => again = Some((at, WORDS)),
                Looked::Ended => {
                    self.told.remove(&session);
                    wanted.status = true;
                    // What runs on may be shown further down.
                    again = Some((Instant::now() + limits::STREAM_PACE, WORDS));
                }
            }
        }
        let status = if wanted.status { self.stand(engine, session).await } else { None };
        [again, status.map(|at| (at, STATUS))]
    }

    /// Shows how a session stands; when to look again, where that is needed.
    async fn stand(&self, engine: &Engine, session: SessionId) -> Option<Instant> {
        let look = match engine.look(session).await {
            Ok(look) => look,
            Err(engine::Error::NoSession) => {
                self.part_with(session).await;
                return None;
            }
            Err(_) => return None,
        };
        if !self.is_here(&look) {
            return None;
        }
        let files = self.work_indicators.fetched_into(session);
        let shown = Shown::of(&look, engine.pipeline(), &files);
        let again = self.tell(&look, shown).await?;
        Some(Instant::now() + again)
    }

    /// A session is gone: nobody is at work there any more.
    async fn part_with(&self, session: SessionId) {
        self.told.remove(&session);
        let Some(spot) = self.erasing.remove(&session) else { return };
        let mut body = json!({ "channel_id": spot.channel, "thread_ts": spot.thread });
        body["status"] = json!(name_of(Activity::Closed));
        self.show(&spot.team, Method::SessionStatus, body.clone()).await;
        body["status"] = json!("");
        self.show(&spot.team, Method::ThreadStatus, body).await;
    }

    /// Closes what an earlier process has left open; what Slack does not take now is tried again.
    async fn settle(&self) {
        let mut left = self.streams.left().await;
        while !left.is_empty() {
            let mut again = Vec::new();
            for session in left {
                match self.streams.settle(session).await {
                    Ok(true) => self.work_indicators.changed(session),
                    Ok(false) => {}
                    Err(failure) => {
                        tracing::debug!(session.id = %session, %failure, "a stream stays open for a while");
                        again.push(session);
                    }
                }
            }
            if !again.is_empty() {
                sleep(limits::STATUS_AGAIN).await;
            }
            left = again;
        }
    }

    fn is_here(&self, look: &Look) -> bool {
        if look.loaded.head.place.platform == Platform::Slack && look.loaded.head.parent.is_none() {
            return true;
        }
        self.elsewhere.insert(look.state.session, (), 1);
        false
    }

    /// Says how a session stands, where that has changed or is about to be forgotten. How long to wait until the next
    /// look, where one is needed.
    async fn tell(&self, look: &Look, mut shown: Shown) -> Option<Duration> {
        let session = look.state.session;
        let before = self.told.get(&session);
        let is_busy = !shown.words.is_empty();
        let goes_on = before.as_ref().filter(|told| is_busy && told.shown.is_busy());
        let since = goes_on.map_or_else(Instant::now, |told| told.since);
        if is_busy && since.elapsed() >= limits::STATUS_LATE {
            shown.mark_late();
        }
        if let Some(told) = before.as_ref().filter(|told| told.shown == shown && told.is_fresh()) {
            return told.next();
        }
        let spot = self.spot(look).await?;
        let place = json!({ "channel_id": spot.channel, "thread_ts": spot.thread });
        let has_stream = self.streams.has_words(session);
        let had_words = before.as_ref().is_some_and(|told| !told.shown.words.is_empty());
        // What people look at comes first.
        if !has_stream && (is_busy || had_words) {
            let mut body = place.clone();
            body["status"] = json!(shown.words);
            if is_busy {
                body["loading_messages"] = json!(shown.loading());
            }
            self.show(&spot.team, Method::ThreadStatus, body).await;
        }
        self.name(look, &spot, &place).await;
        let status = shown.status;
        let is_news = before.map(|told| told.shown.status) != Some(status);
        let told = Told { shown, since, at: Instant::now(), may_be_gone: false };
        self.told.insert(session, told.clone(), 1);
        if is_news && !has_stream {
            let mut body = place;
            body["status"] = json!(name_of(status));
            let failed = self.show(&spot.team, Method::SessionStatus, body).await;
            // How it stands in the end matters; that it works just now will be over by then.
            let failed = failed.filter(|_| status != Activity::Processing);
            if let Some(after) = failed.and_then(|failure| failure.wait()) {
                self.told.remove(&session);
                return Some(after.min(limits::STATUS_AGAIN));
            }
        }
        told.next()
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
            self.titled.insert(session, spot.thread.clone(), 1);
        }
    }

    /// Calls a method that nobody misses. What Slack refuses here is left alone for a while.
    async fn show(&self, team: &str, method: Method, body: Value) -> Option<Failure> {
        if lock(&self.resting).get(&method).is_some_and(|until| *until > Instant::now()) {
            return None;
        }
        let failure = self.api.call(team, method, &body).await.err()?;
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

    /// The thread in which a session stands; `None` before its first message.
    async fn spot(&self, look: &Look) -> Option<Spot> {
        let head = &look.loaded.head;
        let place = &head.place;
        let root = self.threads.root(head.id, place).await.ok()??;
        let installed = self.api.installations().installation(&place.workspace)?;
        let organisation = installed.enterprise.filter(|_| installed.is_enterprise_install);
        Some(Spot {
            team: place.workspace.clone(),
            channel: root.channel,
            thread: root.message,
            user: head.participant.user.clone(),
            recipient_team: organisation.unwrap_or_else(|| place.workspace.clone()),
        })
    }

    /// Shows what the model says, as far as it has come, or what is being done for it.
    async fn write(&self, engine: &Engine, session: SessionId) -> Looked {
        match engine.draft(session) {
            Some(draft) if self.streams.has(session) => self.streams.grow(engine, &draft).await,
            Some(draft) => self.open(engine, &draft).await,
            None if self.streams.has(session) => self.streams.conclude(engine, session).await,
            None => self.open_plan(engine, session).await,
        }
    }

    async fn open(&self, engine: &Engine, draft: &Draft) -> Looked {
        if !self.streams.may_open(draft) {
            return Looked::Done;
        }
        let (look, spot) = match self.at_end(engine, draft.session).await {
            Ok(Some(found)) => found,
            Ok(None) => return Looked::Done,
            Err(at) => return Looked::Again(at),
        };
        let (knew, since) = (draft.knew, look.state.updated_at);
        let plan = self.streams.plan_of(engine, &look, knew);
        let text = safe::begun(&draft.text);
        self.streams.open(&look, Opening { spot, knew, since, plan, text: &text }).await;
        Looked::Done
    }

    /// Shows the calls of a session that have been running for a while.
    async fn open_plan(&self, engine: &Engine, session: SessionId) -> Looked {
        let running = engine.pipeline().running(session);
        let since = worthwhile(&running, engine.pipeline()).map(|running| running.since).min();
        let Some(since) = since else { return Looked::Done };
        let left = since + limits::PLAN_AFTER - engine.parts().clock.now();
        if let Ok(left) = left.to_std()
            && !left.is_zero()
        {
            return Looked::Again(Instant::now() + left);
        }
        let (look, spot) = match self.at_end(engine, session).await {
            Ok(Some(found)) => found,
            Ok(None) => return Looked::Done,
            Err(at) => return Looked::Again(at),
        };
        let begun = Instant::now();
        if !self.streams.open_plan(engine, &look, spot).await {
            return Looked::Done;
        }
        self.has_posted(session, begun);
        Looked::Again(Instant::now() + limits::PLAN_LOOK)
    }

    /// A session of Slack's and where it stands, if all that was said there before has been posted; else when to look
    /// again.
    async fn at_end(
        &self,
        engine: &Engine,
        session: SessionId,
    ) -> Result<Option<(Look, Spot)>, Instant> {
        let Ok(look) = engine.look(session).await else { return Ok(None) };
        if !self.is_here(&look) {
            return Ok(None);
        }
        // Asked for after the look: what is said later than that is known by its event.
        let queued = engine.parts().store.outbox(session).await.unwrap_or_default();
        let is_before = |effect: &Effect| {
            effect.to == Recipient::Participant && effect.priority == Priority::Normal
        };
        if queued.iter().any(is_before) {
            // It stands above what comes now.
            return Err(Instant::now() + limits::STATUS_PACE);
        }
        Ok(self.spot(&look).await.map(|spot| (look, spot)))
    }

    /// Slack has taken away what it showed of a session: it is shown again while the bot works on.
    fn has_posted(&self, session: SessionId, begun: Instant) {
        if let Some(mut told) = self.told.get(&session) {
            if told.shown.words.is_empty() {
                return;
            }
            told.posted(begun);
            self.told.insert(session, told, 1);
        }
        self.work_indicators.changed(session);
    }
}

/// The next session of which something is told that does not change it, and how soon it is looked at.
async fn next_told(
    progress: &mut broadcast::Receiver<Progress>,
    work_indicators: &mut broadcast::Receiver<SessionId>,
) -> Result<(SessionId, Duration), RecvError> {
    tokio::select! {
        told = progress.recv() => told.map(|told| (told.session, limits::STATUS_PACE)),
        told = work_indicators.recv() => told.map(|session| (session, Duration::ZERO)),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        chat::form::typed::is_bare_start,
        model::ui::Offered,
        session::{Command, typed::order},
    };

    const STATUSES: [Option<Status>; 7] = [
        None,
        Some(Status::Notice),
        Some(Status::Open),
        Some(Status::Paused),
        Some(Status::Stopped),
        Some(Status::Completed),
        Some(Status::Ended),
    ];

    #[test]
    fn what_is_suggested_is_understood_by_its_title_and_by_what_it_sends() {
        for (title, message) in STATUSES.into_iter().flat_map(prompts) {
            let does = order(message);
            assert_eq!(order(title), does, "{title}");
            assert!(does.is_some() || is_bare_start(message), "`{message}` would do nothing");
        }
        for offered in Offered::ALL {
            let title = messages::buttons::offered(offered);
            assert_eq!(order(title), Some(Command::from(offered)), "{title}");
        }
    }

    #[test]
    fn what_is_suggested_is_understood_in_the_languages_of_the_lexicon() {
        let table = [
            (
                HUMAN,
                ["Mit einer Person sprechen", "Hablar con una persona", "Parler à une personne"],
            ),
            (
                EXPORT,
                [
                    "Meine Antworten herunterladen",
                    "Descargar mis respuestas",
                    "Télécharger mes réponses",
                ],
            ),
            (
                (messages::slack::SKIP_QUESTION, "skip"),
                ["Diese Frage überspringen", "Saltar esta pregunta", "Passer cette question"],
            ),
            (
                (messages::slack::STOP_FOR_NOW, "stop"),
                ["Fürs Erste aufhören", "Parar por ahora", "Arrêter pour l'instant"],
            ),
            ((messages::buttons::CONTINUE, "resume"), ["Weiter", "Continuar", "Continuer"]),
            (
                (messages::buttons::DELETE_MY_DATA, "delete my data"),
                ["Meine Daten löschen", "Borrar mis datos", "Supprimer mes données"],
            ),
        ];
        for ((title, message), translated) in table {
            for said in translated {
                assert_eq!(order(said), order(message), "{title}: {said}");
            }
        }
    }
}
