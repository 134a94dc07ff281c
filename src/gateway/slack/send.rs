//! Delivers effects to Slack: posts, edits, reconciles.
//!
//! Slack has no idempotency key for posts. Each carries the id of its effect in its metadata; where an attempt may have
//! happened (no clear answer, or a process that ended in between), the message is looked for before it is posted again.
//! Where it cannot be looked for, it is posted again: the buttons of both cards settle the same question.

mod elsewhere;
mod handed;
mod targets;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::TimeDelta;
use serde_json::{Value, json};

use self::targets::Target;
use super::{
    api::{Failure, Method},
    app::App,
    inviter, people,
    render::{self, Message},
    texts,
};
use crate::{
    chat::{Fetched, cards},
    engine::{Gateway, Inbound, Look, What},
    form::{self, words},
    ids::{EffectId, SessionId, WaitId},
    interview::{Responder, answer, evidence},
    model::{
        artifact::Offer,
        audit::sha256,
        effect::{Act, Delivery, Effect, Recipient, Rendering},
        session::{Place, Platform},
        transcript::Audience,
        ui::Offered,
        wait::{Purpose, Wait},
    },
    threads::{Mark, Role, Spot},
};

/// The kind of our metadata; its payload is the effect's id and the number of the part, and nothing about anybody.
const DELIVERY: &str = "anteroom_delivery";

/// The number of the part that says how a request was decided.
const DECIDED: usize = 1_001;

/// Messages looked through for one that may have been posted: a page of Slack's.
const LOOK_BACK: u32 = 100;

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
        let sender = Sender { app: &self.0, effect };
        let mut delivered = sender.deliver(shown).await;
        if let Err(Undelivered::Call(failure)) = &delivered
            && let Some(moved) = sender.move_on(failure).await
        {
            delivered = match moved {
                Ok(()) => sender.deliver(shown).await,
                Err(not_moved) => Err(not_moved),
            };
        }
        match delivered {
            Ok(message) => Delivery::Delivered { message },
            Err(Undelivered::NotApplicable) => Delivery::NotApplicable,
            Err(Undelivered::Call(failure)) => {
                sender.tell_of_loss(&failure);
                sender.failed(failure)
            }
            Err(Undelivered::Later) => sender.later(TimeDelta::seconds(5)),
            Err(Undelivered::Never(reason)) => Delivery::Failed { reason },
        }
    }

    async fn take_down(&self, session: SessionId, place: &Place) {
        targets::take_down(&self.0, session, place).await;
    }
}

/// Why an effect did not arrive.
enum Undelivered {
    /// There is no such thing here.
    NotApplicable,
    /// Slack.
    Call(Failure),
    /// Something of ours cannot be read or kept just now.
    Later,
    /// It will never work.
    Never(String),
}

impl From<Failure> for Undelivered {
    fn from(failure: Failure) -> Self {
        Self::Call(failure)
    }
}

impl From<crate::store::Error> for Undelivered {
    fn from(_: crate::store::Error) -> Self {
        Self::Later
    }
}

impl From<crate::engine::Error> for Undelivered {
    fn from(error: crate::engine::Error) -> Self {
        match error {
            crate::engine::Error::NoSession => Self::NotApplicable,
            _ => Self::Later,
        }
    }
}

struct Sender<'a> {
    app: &'a Arc<App>,
    effect: &'a Effect,
}

type Delivered<T> = Result<T, Undelivered>;

impl Sender<'_> {
    async fn deliver(&self, shown: Option<(&Wait, &[Rendering])>) -> Delivered<Option<String>> {
        match (&self.effect.act, shown) {
            (Act::Show { .. }, Some((wait, renderings))) => {
                let shown = self.show(wait, renderings).await?;
                self.tell_decision(wait).await?;
                Ok(shown)
            }
            (Act::Post { text, offers }, _) => self.say(text, offers).await,
            (Act::Relay { name, text }, _) => {
                let message = words::relayed(name, text);
                self.post_all(&texts::plain(&message)).await
            }
            (Act::Progress { text }, _) => self.progress(text).await,
            (Act::Export, _) => self.export().await,
            (Act::Hand { what, text }, _) => self.hand(what, text).await,
            (Act::Fetch { by, wait, files }, _) => {
                self.fetch(by.user.as_str(), *wait, files).await?;
                Ok(None)
            }
            (Act::Show { .. } | Act::Webhook { .. } | Act::AddRoles { .. }, _) => {
                Err(Undelivered::NotApplicable)
            }
        }
    }

    fn team(&self) -> &str {
        &self.effect.place.workspace
    }

    async fn call(&self, method: Method, body: Value) -> Result<Value, Failure> {
        self.app.api.call(self.team(), method, body).await
    }

    /// A card: posted where it was never shown, edited everywhere else.
    async fn show(&self, wait: &Wait, renderings: &[Rendering]) -> Delivered<Option<String>> {
        let message = render::card(wait, &self.cx(wait).await?);
        let spots: Vec<Spot> = renderings.iter().filter_map(|r| Spot::parse(&r.message)).collect();
        if spots.is_empty() {
            if wait.standing.is_pending() {
                return self.card(wait, &message).await;
            }
            // It ended before anybody saw it, or on a card of which nobody knows that it is there.
            let target = self.card_target().await?;
            let Some(spot) = self.unnoted(&target, 0).await? else { return Ok(None) };
            self.edit(&spot, &message).await?;
            self.app.know(self.effect.id);
            self.belongs(&target, wait, &spot).await?;
            return Ok(Some(spot.name()));
        }
        let mut is_there = false;
        for spot in &spots {
            is_there |= self.edit(spot, &message).await?;
        }
        // Deleted is not answered (SEMANTICS row 31).
        if is_there || !wait.standing.is_pending() {
            return Ok(spots.first().map(Spot::name));
        }
        self.card(wait, &message).await
    }

    async fn card(&self, wait: &Wait, message: &Message) -> Delivered<Option<String>> {
        let target = self.card_target().await?;
        let spot = self.post(&target, message, 0).await?;
        self.belongs(&target, wait, &spot).await?;
        Ok(Some(spot.name()))
    }

    async fn card_target(&self) -> Delivered<Target> {
        match &self.effect.to {
            Recipient::Channel { alias } => Ok(Target::new(self.channel(alias)?, None)),
            Recipient::Participant | Recipient::Webhook { .. } => self.conversation().await,
        }
    }

    /// Remembers what a card is to those who write under it.
    async fn belongs(&self, target: &Target, wait: &Wait, spot: &Spot) -> Delivered<()> {
        if !matches!(self.effect.to, Recipient::Channel { .. }) {
            return self.rooted(target, spot).await;
        }
        let role = Role::Request(wait.id);
        Ok(self.app.threads.belongs(self.effect.session, (self.team(), spot), role).await?)
    }

    /// A line under a request once it is decided, for those who talk about it there (BEHAVIOUR J3.4).
    async fn tell_decision(&self, wait: &Wait) -> Delivered<()> {
        let Recipient::Channel { alias } = &self.effect.to else { return Ok(()) };
        let Some((reply, by, ..)) = wait.standing.answer() else { return Ok(()) };
        let mark = Mark::Decided(wait.id);
        let channel = self.channel(alias)?;
        let session = self.effect.session;
        if self.app.threads.marked(session, mark).await?.is_some() {
            return Ok(());
        }
        let Some(card) = cards::card_in(&*self.app.store, wait.id, &channel).await? else {
            return Ok(());
        };
        let what = answer::describe(&wait.prompt.control, reply);
        let line = texts::decided(&what, &by.user);
        let target = Target::new(channel, Some(card.message));
        let spot = self.post(&target, &line, DECIDED).await?;
        Ok(self.app.threads.mark(session, mark, &spot).await?)
    }

    /// What a card needs to know besides its wait.
    async fn cx(&self, wait: &Wait) -> Delivered<render::Cx> {
        let reader = match self.effect.to {
            Recipient::Participant => Audience::Participant,
            Recipient::Channel { .. } | Recipient::Webhook { .. } => Audience::Staff,
        };
        let mut cx = render::Cx { reader, ..render::Cx::default() };
        let is_erased = matches!(wait.purpose, Purpose::Erase) || wait.prompt.body.is_empty();
        let engine = self.app.engine().filter(|_| !wait.standing.is_pending() && !is_erased);
        let Some(engine) = engine else { return Ok(cx) };
        match engine.look(self.effect.session).await {
            Ok(Look { state, .. }) => {
                let answer = wait.standing.answer();
                cx.may_change =
                    answer.is_some_and(|(reply, ..)| form::may_change(wait, reply, &state));
                let names = state.artifacts.iter().map(|file| (file.id, file.filename.clone()));
                cx.files = names.collect();
                cx.participant = Some(state.participant.clone());
            }
            Err(crate::engine::Error::NoSession) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(cx)
    }

    /// Words of the bot.
    async fn say(&self, text: &str, offers: &[Offered]) -> Delivered<Option<String>> {
        if self.effect.to == Recipient::Participant
            && offers.is_empty()
            && let Some(message) = self.app.agent.finish(self.effect, text).await?
        {
            return Ok(Some(message));
        }
        let mut messages = render::post(text);
        if messages.is_empty() {
            return Ok(None);
        }
        if let Some(last) = messages.last_mut() {
            last.blocks.extend(texts::offered(offers, self.effect.session));
        }
        let target = self.target().await?;
        if let Recipient::Channel { alias } = &self.effect.to
            && target.is_about_request
        {
            let groups = self.app.settings.approvers.get(alias);
            messages.extend(groups.and_then(texts::called));
        }
        self.post_to(target, &messages).await
    }

    /// Messages that belong together, where the effect goes.
    async fn post_all(&self, messages: &[Message]) -> Delivered<Option<String>> {
        self.post_to(self.target().await?, messages).await
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

    async fn progress(&self, text: &str) -> Delivered<Option<String>> {
        let session = self.effect.session;
        let message = texts::progress(&self.newest_progress(text).await);
        if let Some(spot) = self.app.threads.marked(session, Mark::Progress).await?
            && self.edit(&spot, &message).await?
        {
            return Ok(None);
        }
        let target = self.conversation().await?;
        let spot = self.post(&target, &message, 0).await?;
        self.rooted(&target, &spot).await?;
        self.app.threads.mark(session, Mark::Progress, &spot).await?;
        Ok(None)
    }

    /// How far the session is now, where it was to be said some time ago: those that were queued behind it say nothing
    /// new then, and do not leave.
    async fn newest_progress(&self, text: &str) -> String {
        if self.app.clock.now() - self.effect.queued_at < LATE {
            return text.to_owned();
        }
        let Some(engine) = self.app.engine() else { return text.to_owned() };
        let look = engine.look(self.effect.session).await;
        let line = look.ok().and_then(|look| evidence::progress_line(&look.state, &look.flow));
        line.unwrap_or_else(|| text.to_owned())
    }

    /// Offers a copy of everything, and the end of it (BEHAVIOUR J1.12).
    async fn export(&self) -> Delivered<Option<String>> {
        self.post_all(&[texts::copy_offered(self.effect.session)]).await
    }

    /// Fetches files and hands them in; what cannot be had is said, and asked for again by the card that stands open.
    async fn fetch(&self, user: &str, wait: Option<WaitId>, offers: &[Offer]) -> Delivered<()> {
        let engine = self.app.engine().ok_or(Undelivered::Later)?;
        let mut fetched = Fetched::new(engine, self.effect, wait);
        for file in offers {
            if !fetched.keep(file, self.app.files.fetch(self.team(), file).await).await? {
                return Err(Undelivered::Later);
            }
        }
        let from = self.app.people.known(self.team(), user).await;
        let refused = fetched.hand_in(from).await?;
        if !refused.is_empty() {
            self.post_all(&render::post(&refused.join("\n\n"))).await?;
        }
        Ok(())
    }

    /// Posts a part of the effect, unless it is there already.
    async fn post(&self, target: &Target, message: &Message, part: usize) -> Delivered<Spot> {
        if let Some(spot) = self.unnoted(target, part).await? {
            return Ok(spot);
        }
        let delivery = self.delivery(part);
        let mut body = body_of(message);
        body["channel"] = target.channel.clone().into();
        if let Some(thread) = &target.thread {
            body["thread_ts"] = thread.clone().into();
        }
        body["unfurl_links"] = false.into();
        body["unfurl_media"] = false.into();
        body["metadata"] = json!({ "event_type": DELIVERY, "event_payload": { "d": delivery } });
        let was_doubted = self.begin();
        let posted = match self.call(Method::PostMessage, body.clone()).await {
            Err(Failure::Refused { error, .. }) if is_of_blocks(&error) => {
                // A mistake of ours: the words alone can still be answered by typing.
                tracing::error!(session.id = %self.effect.session, error, "Slack refused the blocks of a message");
                if let Some(body) = body.as_object_mut() {
                    body.shift_remove("blocks");
                }
                self.call(Method::PostMessage, body).await
            }
            posted => posted,
        };
        self.ended(was_doubted, posted.as_ref().err());
        let posted = posted?;
        match (posted["channel"].as_str(), posted["ts"].as_str()) {
            (Some(channel), Some(ts)) => {
                Ok(Spot { channel: channel.to_owned(), message: ts.to_owned() })
            }
            _ => Err(Failure::Unclear { why: "a post without a name".to_owned() }.into()),
        }
    }

    /// What a part of the effect is called in its metadata.
    fn delivery(&self, part: usize) -> String {
        format!("{}.{part}", self.effect.id.short())
    }

    /// The message of an attempt of which nobody knows whether it came; none where there was no such attempt.
    async fn unnoted(&self, target: &Target, part: usize) -> Result<Option<Spot>, Failure> {
        if !self.may_be_there() {
            return Ok(None);
        }
        self.look_for(target, &self.delivery(part)).await
    }

    /// The message of an earlier attempt; none where there is none, or nobody may look.
    async fn look_for(&self, target: &Target, delivery: &str) -> Result<Option<Spot>, Failure> {
        let channel = self.open(target).await?;
        let is_it = |message: &&Value| {
            let metadata = &message["metadata"];
            metadata["event_type"] == DELIVERY && metadata["event_payload"]["d"] == delivery
        };
        let messages = self.lately(&channel, target.thread.as_deref()).await?;
        let ts = messages.iter().find(is_it).and_then(|found| found["ts"].as_str());
        Ok(ts.map(|ts| Spot { channel, message: ts.to_owned() }))
    }

    /// The channel of a target; a direct conversation is opened for a person.
    async fn open(&self, target: &Target) -> Result<String, Failure> {
        if target.channel.starts_with(['U', 'W']) {
            self.direct(&target.channel).await
        } else {
            Ok(target.channel.clone())
        }
    }

    /// What was posted since the effect was queued; nothing where the bot may not look: then nobody knows.
    async fn lately(&self, channel: &str, thread: Option<&str>) -> Result<Vec<Value>, Failure> {
        let oldest = self.effect.queued_at - TimeDelta::minutes(5);
        let mut asked = json!({
            "channel": channel,
            "include_all_metadata": true,
            "limit": LOOK_BACK,
            "oldest": format!("{}.000000", oldest.timestamp()),
        });
        let method = match thread {
            Some(thread) => {
                asked["ts"] = thread.into();
                Method::Replies
            }
            None => Method::History,
        };
        match self.call(method, asked).await {
            Ok(mut answer) => Ok(match answer["messages"].take() {
                Value::Array(messages) => messages,
                _ => Vec::new(),
            }),
            Err(Failure::Refused { .. }) => Ok(Vec::new()),
            Err(failure) => Err(failure),
        }
    }

    /// Doubts the effect before an attempt, for whoever gives up waiting does not know either; whether it was doubted.
    fn begin(&self) -> bool {
        let was_doubted = self.app.is_doubted(self.effect.id);
        self.app.doubt(self.effect.id);
        was_doubted
    }

    /// Ends the doubt where an attempt tells what became of the effect: one that was put off tells nothing of one before.
    fn ended(&self, was_doubted: bool, failure: Option<&Failure>) {
        let is_clear = match failure {
            None | Some(Failure::Refused { .. } | Failure::NotInstalled) => true,
            Some(Failure::Later { .. }) => !was_doubted,
            Some(Failure::Unclear { .. }) => false,
        };
        if is_clear {
            self.app.know(self.effect.id);
        }
    }

    /// Whether there was an attempt before this one.
    fn was_tried(&self) -> bool {
        self.effect.attempts > 0 || self.may_be_there()
    }

    /// Whether an attempt was made of which nobody knows whether it came.
    fn may_be_there(&self) -> bool {
        self.app.is_doubted(self.effect.id) || self.effect.queued_at < self.app.began
    }

    /// Edits a message; false where it is not there any more.
    async fn edit(&self, spot: &Spot, message: &Message) -> Delivered<bool> {
        let mut body = body_of(message);
        body["channel"] = spot.channel.clone().into();
        body["ts"] = spot.message.clone().into();
        let turn = self.app.editing(&spot.name());
        let _turn = turn.lock().await;
        // An edit that changes nothing still shows as one.
        let digest = sha256(body.to_string().as_bytes());
        if self.app.drawn.is(&spot.name(), &digest) {
            return Ok(true);
        }
        match self.call(Method::UpdateMessage, body).await {
            Ok(_) => {
                self.app.drawn.note(spot.name(), digest);
                Ok(true)
            }
            Err(Failure::Refused { error, .. }) if is_gone(&error) => Ok(false),
            // What stands where nobody can be written to any more stays as it is.
            Err(Failure::Refused { .. }) if self.is_left(spot).await? => Ok(false),
            Err(failure) => Err(failure.into()),
        }
    }

    /// Where the participant will not be reached any more, the session pauses (SEMANTICS row 33).
    fn tell_of_loss(&self, failure: &Failure) {
        let Failure::Refused { error, .. } = failure else { return };
        let Some(why) = out_of_reach(error) else { return };
        if self.effect.to != Recipient::Participant {
            return;
        }
        let Some(engine) = self.app.engine().cloned() else { return };
        let (session, place) = (self.effect.session, self.effect.place.clone());
        let key = format!("slack:unreachable:{}", self.effect.id);
        let (app, to) = (Arc::clone(self.app), place.clone());
        self.app.afterwards.spawn(async move {
            let person = people::person_id(&place.workspace, &place.channel);
            let from = Responder::without_rights(person, String::new());
            let what = What::Lost { why: why.to_owned() };
            if let Err(error) = engine.receive(Inbound { key, session, from, what }).await {
                tracing::warn!(session.id = %session, %error, "a session could not be paused");
            }
            if people::is_direct(&to) {
                inviter::told_of_loss(&app, &to, session).await;
            }
        });
    }

    fn failed(&self, failure: Failure) -> Delivery {
        let pause = TimeDelta::seconds(1 << self.effect.attempts.min(12));
        match failure {
            Failure::Later { after } => {
                self.later(TimeDelta::from_std(after).unwrap_or(TimeDelta::minutes(1)))
            }
            Failure::Unclear { .. } => self.later(pause),
            Failure::NotInstalled => {
                self.app.put_off.note(self.team(), self.effect.id);
                self.later(Effect::PAUSE_MAX)
            }
            Failure::Refused { error, .. } => {
                Delivery::Failed { reason: format!("Slack says: {}", error.replace('_', " ")) }
            }
        }
    }

    fn later(&self, pause: TimeDelta) -> Delivery {
        let not_before = self.app.clock.now() + pause.min(Effect::PAUSE_MAX);
        Delivery::Retry { not_before }
    }
}

/// Draws a card again wherever it is shown, as well as it goes.
pub(super) async fn redraw(app: &Arc<App>, wait: &Wait, shown: &[Rendering]) {
    let Some(engine) = app.engine() else { return };
    let Ok((loaded, _)) = engine.view(wait.session).await else { return };
    let id = EffectId::mint(app.ids.as_ref());
    let effect = Effect::showing(id, wait, loaded.head.place, app.clock.now());
    // Told in the log by the call; nothing depends on it.
    _ = Sender { app, effect: &effect }.show(wait, shown).await;
}

fn body_of(message: &Message) -> Value {
    json!({ "text": message.text, "blocks": message.blocks })
}

/// Why nothing will reach a conversation any more, in words, where that is what Slack says.
fn out_of_reach(error: &str) -> Option<&'static str> {
    Some(match error {
        "is_archived" => "the channel is archived",
        "channel_not_found" | "not_in_channel" => "the app is not in the channel",
        "user_not_found" | "account_inactive" | "user_disabled" => "the account is not active",
        "cannot_dm_bot" | "messages_tab_disabled" | "restricted_action" | "user_not_visible" => {
            "they do not take messages from the app"
        }
        _ => return None,
    })
}

/// Whether a person cannot be written to directly, though they may well read elsewhere.
fn is_shut(error: &str) -> bool {
    let is_active = !matches!(error, "user_not_found" | "account_inactive" | "user_disabled");
    out_of_reach(error).is_some() && is_active && error != "is_archived"
}

/// Whether Slack refused how a message looks.
fn is_of_blocks(error: &str) -> bool {
    matches!(error, "invalid_blocks" | "invalid_blocks_format" | "msg_blocks_too_long")
}

/// Whether a message cannot be edited any more, now or ever.
fn is_gone(error: &str) -> bool {
    matches!(error, "message_not_found" | "cant_update_message" | "edit_window_closed")
}
