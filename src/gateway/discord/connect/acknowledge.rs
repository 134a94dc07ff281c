//! From a payload to its first answer, the same for both transports.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use metrics::{counter, histogram};
use serde_json::Value;
use tokio::{
    sync::Semaphore,
    time::{Instant, timeout},
};
use tokio_util::task::TaskTracker;

use super::is_late;
use crate::{
    base::{clock::Clock, telemetry::metric},
    chat::refusal::Class,
    gateway::discord::{
        api::{Answered, Api, Failure},
        inbound::{Ack, Envelope, Inbox, Incoming, NotSaved, Ticket},
        parse,
    },
};

/// First answers under way at one time; beyond that somebody floods the bot.
const ANSWERS_MAX: usize = 256;

/// Takes payloads in.
#[derive(Debug)]
pub(super) struct Intake {
    inbox: Arc<dyn Inbox>,
    api: Api,
    clock: Arc<dyn Clock>,
    take_max: Duration,
    /// The bot's own user.
    me: Mutex<String>,
    answers: TaskTracker,
    places: Arc<Semaphore>,
}

/// Where in a session something was dispatched.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub(super) session: String,
    pub(super) seq: u64,
    /// Discord sends it because it was missed.
    pub(super) is_replay: bool,
}

impl Intake {
    pub(super) fn new(
        inbox: Arc<dyn Inbox>,
        api: Api,
        clock: Arc<dyn Clock>,
        take_max: Duration,
    ) -> Self {
        let places = Arc::new(Semaphore::new(ANSWERS_MAX));
        let (me, answers) = (Mutex::default(), TaskTracker::new());
        Self { inbox, api, clock, take_max, me, answers, places }
    }

    /// Discord said who the bot is.
    pub(super) fn is_me(&self, user: &str) {
        user.clone_into(&mut self.me.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes in what the gateway dispatched; it is durable when this returns. An interaction is answered beside.
    pub(super) async fn dispatched(
        &self,
        name: &str,
        data: &Value,
        spot: &Spot,
    ) -> Result<(), NotSaved> {
        let me = self.me.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut envelope = parse::event(name, data, &me);
        if envelope.key.contains(":sha256:") {
            // It has no name of its own, and may come to be again just as it was; its place in the session tells it
            // apart, and is the same when it is delivered again.
            envelope.key = format!("event:{}:{}", spot.session, spot.seq);
        }
        let ticket = ticket(&envelope.what).cloned();
        let ack = self.take(envelope).await?;
        if let (Some(ticket), Some(body)) = (ticket, ack.body()) {
            self.answer(ticket, (ack, body), spot.is_replay);
        }
        Ok(())
    }

    /// Takes in the body of a request; it is durable when this returns. What is returned is the first answer.
    pub(super) async fn requested(&self, body: &Value) -> Result<Ack, NotSaved> {
        self.take(parse::interaction(body)).await
    }

    async fn take(&self, envelope: Envelope) -> Result<Ack, NotSaved> {
        let began = Instant::now();
        let what = word(&envelope.what);
        let outcome = |outcome: &'static str| {
            counter!(metric::DISCORD_FRAMES, "what" => what, "outcome" => outcome).increment(1);
        };
        if let Incoming::Unknown { kind } = &envelope.what {
            tracing::info!(discord.kind = %kind, "ignoring something unknown from Discord");
            outcome("unknown");
            return Ok(Ack::Nothing);
        }
        if matches!(envelope.what, Incoming::Ignored { .. }) {
            outcome("ignored");
            return Ok(Ack::Nothing);
        }
        let taken = timeout(self.take_max, self.inbox.take(envelope)).await;
        if let Ok(Ok(ack)) = taken {
            outcome("taken");
            histogram!(metric::DISCORD_TAKE_SECONDS).record(began.elapsed().as_secs_f64());
            return Ok(ack);
        }
        outcome(if taken.is_ok() { "not_taken" } else { "late" });
        tracing::warn!(what, after = ?began.elapsed(), "something from Discord could not be saved");
        Err(NotSaved)
    }

    /// Answers an interaction. One that comes after a connection was lost is mostly too old for that: Discord has told
    /// the person that it failed, and what they did is kept all the same. Of others the clock is not asked; it may be
    /// wrong.
    fn answer(&self, ticket: Ticket, (ack, body): (Ack, Value), is_replay: bool) {
        let age = ticket.at.and_then(|at| (self.clock.now() - at).to_std().ok());
        if is_replay && age.is_some_and(is_late) {
            tracing::info!("an interaction came too late for an answer; it is kept");
            return;
        }
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            tracing::warn!("an interaction was not answered: too many are");
            return;
        };
        let api = self.api.clone();
        self.answers.spawn(async move {
            let answered = api.answer(&ticket, body).await;
            if matches!(answered, Ok(Answered::Before)) {
                tracing::debug!("an interaction had been answered before");
            }
            close(&api, &ticket, ack, answered).await;
            drop(place);
        });
    }

    /// Waits for answers that are under way; each has a time limit of its own.
    pub(super) async fn finish(&self) {
        self.answers.close();
        self.answers.wait().await;
    }
}

/// What comes of an answer that closes a card: it counts as drawn once Discord has taken it. Where Discord does not take
/// the card, it is told that an edit follows. What goes wrong the client has said.
async fn close(api: &Api, ticket: &Ticket, ack: Ack, answered: Result<Answered, Failure>) {
    let Ack::Close(_, drawing) = ack else { return };
    match answered {
        Ok(Answered::Now) => drawing.taken(),
        Err(failure) if matches!(failure.class(), Class::Plain | Class::Shorten) => {
            drop(drawing);
            if let Some(body) = Ack::Seen.body() {
                _ = api.answer(ticket, body).await;
            }
        }
        Ok(Answered::Before) | Err(_) => {}
    }
}

const fn ticket(what: &Incoming) -> Option<&Ticket> {
    match what {
        Incoming::Action(action) => Some(&action.ticket),
        Incoming::Submitted(form) => Some(&form.ticket),
        Incoming::Command(command) => Some(&command.ticket),
        _ => None,
    }
}

/// The word for it in metrics and logs.
const fn word(what: &Incoming) -> &'static str {
    match what {
        Incoming::Action(_) => "action",
        Incoming::Submitted(_) => "form",
        Incoming::Command(_) => "command",
        Incoming::Ping => "ping",
        Incoming::Message(_) => "message",
        Incoming::Edited { .. } => "edit",
        Incoming::Deleted { .. } => "deletion",
        Incoming::MemberJoined(_) => "member_joined",
        Incoming::MemberChanged(_) => "member_changed",
        Incoming::MemberLeft { .. } => "member_left",
        Incoming::Begun(_) => "begun",
        Incoming::GuildBack => "guild_back",
        Incoming::GuildGone => "guild_gone",
        Incoming::ChannelGone { .. } => "channel_gone",
        Incoming::ThreadChanged { .. } => "thread_changed",
        Incoming::RolesChanged => "roles_changed",
        Incoming::Permitted => "permitted",
        Incoming::Ignored { .. } => "ignored",
        Incoming::Unknown { .. } => "unknown",
    }
}
