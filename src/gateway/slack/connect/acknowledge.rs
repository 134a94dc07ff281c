//! From a payload to its acknowledgement, the same for both transports.

use std::{sync::Arc, time::Duration};

use metrics::{counter, histogram};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::ephemeral::EphemeralPoster;
use crate::{
    base::telemetry::metric,
    gateway::slack::{
        inbound::{Ack, Envelope, Inbox, Incoming, NotSaved},
        parse,
    },
    messages,
};

/// What a payload is, as the transport says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Event,
    Interaction,
    Command,
}

impl Kind {
    /// As Socket Mode and the metrics name it.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Event => "events_api",
            Self::Interaction => "interactive",
            Self::Command => "slash_commands",
        }
    }

    pub(super) fn of(word: &str) -> Option<Self> {
        [Self::Event, Self::Interaction, Self::Command].into_iter().find(|kind| kind.word() == word)
    }

    fn read(self, payload: &Value) -> Envelope {
        match self {
            Self::Event => parse::event(payload),
            Self::Interaction => parse::interaction(payload),
            Self::Command => parse::command(payload),
        }
    }
}

/// Takes payloads in.
#[derive(Debug)]
pub(super) struct Intake {
    inbox: Arc<dyn Inbox>,
    ephemeral: EphemeralPoster,
    take_max: Duration,
}

/// Where an answer can go, once the payload is taken.
struct Return {
    /// The answer may stand in the acknowledgement of a command.
    is_command: bool,
    /// The answer may stand in the acknowledgement of a form.
    is_form: bool,
    /// Reaches the person who used a component or a command.
    response_url: String,
}

impl Intake {
    pub(super) fn new(inbox: Arc<dyn Inbox>, api_url: &str, take_max: Duration) -> Self {
        Self { inbox, ephemeral: EphemeralPoster::new(api_url), take_max }
    }

    /// Takes a payload in; it is durable when this returns. What is returned goes into the acknowledgement, where
    /// `takes_answer` says that it may hold something.
    pub(super) async fn take(
        &self,
        kind: Kind,
        payload: &Value,
        takes_answer: bool,
    ) -> Result<Option<Value>, NotSaved> {
        let began = Instant::now();
        let envelope = kind.read(payload);
        let outcome = |outcome: &'static str| {
            counter!(metric::SLACK_FRAMES, "what" => kind.word(), "outcome" => outcome)
                .increment(1);
        };
        if let Incoming::Unknown { kind: name } = &envelope.what {
            tracing::info!(slack.kind = %name, "ignoring something unknown from Slack");
            outcome("unknown");
            return Ok(None);
        }
        if matches!(envelope.what, Incoming::Ignored { .. }) {
            outcome("ignored");
            return Ok(None);
        }
        let back = Return::of(&envelope.what);
        let taken = timeout(self.take_max, self.inbox.take(envelope)).await;
        if let Ok(Ok(ack)) = taken {
            outcome("taken");
            histogram!(metric::SLACK_ACK_SECONDS).record(began.elapsed().as_secs_f64());
            return Ok(self.answer(ack, &back, takes_answer));
        }
        // What takes too long may be in the session's queue, and saved all the same.
        let (came, words) = match taken {
            Ok(_) => ("not_taken", messages::notices::NOT_SAVED),
            Err(_) => ("late", messages::notices::SAVED_PERHAPS),
        };
        outcome(came);
        tracing::warn!(
            what = kind.word(),
            after = ?began.elapsed(),
            outcome = came,
            "something from Slack could not be saved in time; it is not acknowledged"
        );
        // Slack delivers events again, but not what people press and type: they have to.
        self.ephemeral.post_ephemeral(&back.response_url, words, &[]);
        Err(NotSaved)
    }

    /// The answer that goes into the acknowledgement. One that cannot be there goes to the person by itself.
    fn answer(&self, ack: Ack, back: &Return, takes_answer: bool) -> Option<Value> {
        let in_ack = takes_answer && (back.is_command || back.is_form);
        let answer = match ack {
            Ack::Empty => return None,
            Ack::Ephemeral { text, blocks } => {
                if !(back.is_command && in_ack) {
                    self.ephemeral.post_ephemeral(&back.response_url, &text, &blocks);
                    return None;
                }
                let mut answer = json!({"response_type": "ephemeral", "text": text});
                if !blocks.is_empty() {
                    answer["blocks"] = blocks.into();
                }
                return Some(answer);
            }
            Ack::Replaced { text } => {
                self.ephemeral.replace(&back.response_url, &text);
                return None;
            }
            Ack::Errors(errors) if errors.is_empty() => return None,
            Ack::Errors(errors) => json!({"response_action": "errors", "errors": errors}),
            Ack::Update(view) => json!({"response_action": "update", "view": view}),
            Ack::Push(view) => json!({"response_action": "push", "view": view}),
            Ack::Clear => json!({"response_action": "clear"}),
        };
        if !(back.is_form && in_ack) {
            tracing::warn!("an answer for a form has no form to go to");
            return None;
        }
        Some(answer)
    }

    /// Waits for words that are on their way to people.
    pub(super) async fn finish(&self) {
        self.ephemeral.finish().await;
    }
}

impl Return {
    fn of(what: &Incoming) -> Self {
        let response_url = match what {
            Incoming::Action(action) => action.response_url.clone(),
            Incoming::Command(command) => command.response_url.clone(),
            _ => String::new(),
        };
        Self {
            is_command: matches!(what, Incoming::Command(_)),
            is_form: matches!(what, Incoming::Submitted(_)),
            response_url,
        }
    }
}
