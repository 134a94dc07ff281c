//! Delivers effects to Slack: posts, edits, reconciles.
//!
//! Slack has no idempotency key for posts. Each carries the id of its effect in its metadata; where an attempt may have
//! happened (no clear answer, or a process that ended in between), the message is looked for before it is posted again.
//! Where it cannot be looked for, it is posted again: the buttons of both cards settle the same question.

mod courier;
mod fallback_channel;
mod outcome;
mod post;
mod produced_files;
mod remove;
mod targets;

use std::sync::{Arc, Mutex, atomic::AtomicBool};

use async_trait::async_trait;
use chrono::TimeDelta;
use serde_json::Value;
use tokio::time::Instant;

use self::{post::body_of, targets::Target};
use super::{
    api::{Failure, Method},
    app::App,
    render::{self, Message},
    texts,
};
use crate::{
    base::ids::{EffectId, SessionId},
    chat::{
        self, Trail, card::Reader, courier::Courier as _, delivery, message_index::MessageRef,
        priority,
    },
    engine::{Gateway, Look, context_window::is_post_of_model},
    model::{
        effect::{Act, Delivery, Effect, Priority, Recipient, Rendering},
        posted::Posted,
        session::{Place, Platform},
        team::Team,
        transcript::Audience,
        wait::{Answerers, Purpose, Wait},
    },
    session::{SessionView, evidence},
};

/// The number of the part that says how a request was decided.
const DECIDED: usize = 1_001;

/// What was to be shown so long ago is shown as it is now.
const LATE: TimeDelta = TimeDelta::seconds(2);

/// Slack as the engine sees it.
#[derive(Debug, Clone)]
pub struct SlackGateway(pub Arc<App>);

#[async_trait]
impl Gateway for SlackGateway {
    fn platform(&self) -> Platform {
        Platform::Slack
    }

    async fn deliver(&self, effect: &Effect, shown: Option<(&Wait, &[Rendering])>) -> Delivery {
        priority::with(effect.priority, self.attempt(effect, shown)).await
    }

    fn forget(&self, effect: EffectId) {
        self.0.possible_duplicates.forget(effect);
    }

    async fn team(&self, place: &Place) -> Team {
        self.0.people.team(&place.workspace).await
    }

    async fn remains(&self, session: SessionId, place: &Place) -> Vec<Posted> {
        targets::remains(&self.0, session, place).await
    }
}

impl SlackGateway {
    /// Draws the heads of the staff's threads again after the response: what they say of a conversation has changed with
    /// what its participant has just been told.
    fn freshen(&self, effect: &Effect) {
        if matches!(effect.act, Act::Fetch { .. } | Act::Remove { .. } | Act::Receipt { .. }) {
            return;
        }
        let (app, effect) = (Arc::clone(&self.0), effect.clone());
        self.0.afterwards.spawn(async move { targets::freshen(&app, &effect).await });
    }

    async fn attempt(&self, effect: &Effect, shown: Option<(&Wait, &[Rendering])>) -> Delivery {
        let begun = Instant::now();
        // An edit takes no status away.
        let is_edit = shown.is_some_and(|(_, renderings)| !renderings.is_empty());
        let mut sender = Sender::new(&self.0, effect);
        let mut delivered = sender.deliver(shown).await;
        if let Err(Undelivered::Call(failure)) = &delivered
            && let Some(moved) = sender.go_elsewhere(failure).await
        {
            delivered = match moved {
                Ok(()) => sender.deliver(shown).await,
                Err(not_moved) => Err(not_moved),
            };
        }
        if delivered.is_ok() && effect.to == Recipient::Participant {
            if !is_edit {
                self.0.agent.has_posted(effect.session, begun);
            }
            self.freshen(effect);
        }
        delivery::outcome(&sender, delivered).await
    }
}

/// Why an effect did not arrive.
type Undelivered = chat::courier::Undelivered<Failure>;

impl From<Failure> for Undelivered {
    fn from(failure: Failure) -> Self {
        Self::Call(failure)
    }
}

struct Sender<'a> {
    app: &'a Arc<App>,
    effect: &'a Effect,
    /// Something of it may have been posted before this attempt.
    may_be_there: bool,
    trail: Trail,
    /// Where it was tried last.
    tried: Mutex<Option<Target>>,
    /// The root of a thread that takes no messages any more.
    closed: Option<MessageRef>,
    /// A message was posted without its buttons, because Slack did not take how it was made.
    is_plainer: AtomicBool,
}

type Delivered<T> = chat::courier::Delivered<T, Failure>;

impl<'a> Sender<'a> {
    fn new(app: &'a Arc<App>, effect: &'a Effect) -> Self {
        let may_be_there =
            app.possible_duplicates.has(effect.id) || app.store.is_inherited(effect.id);
        Self {
            app,
            effect,
            may_be_there,
            trail: Trail::default(),
            tried: Mutex::default(),
            closed: None,
            is_plainer: AtomicBool::default(),
        }
    }
}

impl Sender<'_> {
    async fn deliver(&self, shown: Option<(&Wait, &[Rendering])>) -> Delivered<Option<String>> {
        let says_something = self.effect.priority == Priority::Normal && !self.is_of_erasure();
        if says_something && self.effect.to == Recipient::Participant {
            self.app.agent.make_way(self.effect.session).await?;
        }
        delivery::deliver(self, shown).await
    }

    fn team(&self) -> &str {
        &self.effect.place.workspace
    }

    async fn call(&self, method: Method, body: &Value) -> Result<Value, Failure> {
        self.app.api.call(self.team(), method, body).await
    }

    async fn card_target(&self) -> Delivered<Target> {
        match self.card_channel().await? {
            Some(channel) => Ok(Target::new(channel, None)),
            None => self.conversation().await,
        }
    }

    /// What a card needs to know besides its wait.
    async fn cx(&self, wait: &Wait) -> Delivered<render::Cx> {
        let reader = match self.effect.to {
            Recipient::Participant => Audience::Participant,
            Recipient::Channel { .. } | Recipient::Person { .. } | Recipient::Webhook { .. } => {
                Audience::Staff
            }
        };
        let mut cx = render::Cx { reader: reader.into(), ..render::Cx::default() };
        let is_erased = matches!(wait.purpose, Purpose::Erase) || wait.prompt.body.is_empty();
        let is_request = matches!(wait.answerers, Answerers::Deciders { .. });
        if let (true, Recipient::Channel { alias }) = (is_request, &self.effect.to) {
            let approvers = self.configured().approvers().get(alias);
            cx.deciders = approvers.and_then(texts::mentions);
        }
        let is_notice = matches!(wait.purpose, Purpose::Notice);
        let is_told = !wait.status.is_pending() || is_request || is_notice;
        if is_erased || !is_told {
            return Ok(cx);
        }
        if let Some(Look { view: SessionView { state, .. }, .. }) =
            self.look_unless_erased().await?
        {
            cx.reader = Reader::of(reader, wait, &state);
            let inviter = state.inviter_on(wait);
            cx.invited_by = inviter.map(|inviter| format!("<@{}>", inviter.person.user));
        }
        Ok(cx)
    }

    /// Whether the participant reads the model's own words.
    async fn is_of_model(&self) -> Delivered<bool> {
        if self.effect.to != Recipient::Participant {
            return Ok(false);
        }
        let Look { loaded, .. } = self.look().await?;
        Ok(is_post_of_model(&loaded.events, self.effect.id))
    }

    /// Messages that belong together, in order; one that is there already is not posted again. The first one of a
    /// conversation is its root, under which the others stand.
    async fn post_to(&self, mut target: Target, messages: &[Message]) -> Delivered<Option<String>> {
        let mut first = None;
        for (part, message) in messages.iter().enumerate() {
            let spot = self.post(&target, message, part).await?;
            first.get_or_insert_with(|| spot.name());
            if self.effect.to == Recipient::Participant && target.thread.is_none() {
                self.rooted(&target, &spot).await?;
                target = Target::new(spot.channel, Some(spot.message));
            }
        }
        Ok(first)
    }

    /// How far the session is now, where it was to be said some time ago: those that were queued behind it say nothing
    /// new then, and do not leave.
    async fn newest_progress(&self, text: &str) -> String {
        if self.app.clock.now() - self.effect.queued_at < LATE {
            return text.to_owned();
        }
        let engine = self.app.engine();
        let look = engine.look(self.effect.session).await;
        let line = look.ok().and_then(|look| evidence::progress_line(&look.state, &look.flow));
        line.map_or_else(|| text.to_owned(), |line| line.to_string())
    }
}

/// Draws a card again wherever it is shown, as well as it goes.
pub(super) async fn redraw(app: &Arc<App>, wait: &Wait, shown: &[Rendering]) {
    let engine = app.engine();
    let Ok(view) = engine.view(wait.session).await else { return };
    let id = EffectId::mint(app.ids.as_ref());
    let effect = Effect::showing(id, wait, view.state.place.clone(), app.clock.now());
    let sender = Sender::new(app, &effect);
    // Told in the log by the call; nothing depends on it.
    _ = delivery::show(&sender, wait, shown).await;
    app.post_log.note_or_tell(effect.session, &sender.trail.take()).await;
}
