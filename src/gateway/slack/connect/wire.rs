//! One socket: frames are read one after another and taken side by side, so that a slow one delays no other.

use std::{future::Future, pin::Pin, sync::Arc};

use futures::{SinkExt as _, StreamExt as _, stream::FuturesUnordered};
use metrics::counter;
use serde_json::{Value, json};
use tokio::{
    sync::oneshot,
    time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until, timeout},
};
use tokio_tungstenite::tungstenite::Message;
use tokio_util::sync::CancellationToken;

use super::{
    Pace,
    acknowledge::{Intake, Kind},
};
use crate::{base::telemetry::metric, net::outbound::Socket};

/// Frames of one socket that are taken at one time; beyond that nothing is read, and Slack waits.
const IN_FLIGHT_MAX: usize = 64;

/// Why a socket should have a successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Slack announced its end.
    Announced,
    /// Too many are open.
    Crowded,
    /// Socket Mode is switched off: there must be none.
    LinkDisabled,
    /// It was closed, or the network failed.
    Lost,
    /// Nothing was received for too long.
    Silent,
}

impl Why {
    /// The word for metrics and logs.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Announced => "announced",
            Self::Crowded => "crowded",
            Self::LinkDisabled => "link_disabled",
            Self::Lost => "lost",
            Self::Silent => "silent",
        }
    }
}

/// What becomes of a frame: its acknowledgement, or none.
type Taking = Pin<Box<dyn Future<Output = Option<String>> + Send>>;

pub(super) struct Wire {
    stream: Socket,
    intake: Arc<Intake>,
    pace: Pace,
    /// Who opens the successor; told once.
    replace: Option<oneshot::Sender<Why>>,
    in_flight: FuturesUnordered<Taking>,
    pings: Interval,
    missed: u32,
    /// When a socket whose end is near is left.
    until: Option<Instant>,
}

/// Whether to go on.
enum Step {
    On,
    Over(Why),
}

impl Wire {
    pub(super) fn new(
        stream: Socket,
        intake: Arc<Intake>,
        pace: Pace,
        replace: oneshot::Sender<Why>,
    ) -> Self {
        let mut pings = interval_at(Instant::now() + pace.ping, pace.ping);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let in_flight = FuturesUnordered::new();
        Self {
            stream,
            intake,
            pace,
            replace: Some(replace),
            in_flight,
            pings,
            missed: 0,
            until: None,
        }
    }

    /// Reads until the socket ends; acknowledges what is in flight before it leaves.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        let why = loop {
            let until = self.until;
            let next = tokio::select! {
                biased;
                Some(ack) = self.in_flight.next() => self.acknowledge(ack).await,
                () = stop.cancelled() => Step::Over(Why::Lost),
                () = at(until) => Step::Over(Why::Announced),
                _ = self.pings.tick() => self.ping().await,
                frame = self.stream.next(), if self.in_flight.len() < IN_FLIGHT_MAX => self.on_frame(frame),
            };
            if let Step::Over(why) = next {
                break why;
            }
        };
        self.tell(why);
        self.leave().await;
    }

    /// Nothing more is read. What is in flight is finished and, where the socket still takes it, acknowledged.
    async fn leave(&mut self) {
        let last = Instant::now() + self.pace.take + self.pace.write;
        let finishing = async {
            while let Some(ack) = self.in_flight.next().await {
                // A socket that is lost takes nothing; Slack delivers again, and is recognised.
                let Some(ack) = ack else { continue };
                drop(self.stream.send(Message::text(ack)).await);
            }
            drop(self.stream.close(None).await);
        };
        if tokio::time::timeout_at(last, finishing).await.is_err() {
            tracing::debug!("a socket to Slack was left with something in progress");
        }
    }

    fn tell(&mut self, why: Why) {
        if let Some(replace) = self.replace.take() {
            // Nobody opens another one when the bot stops.
            _ = replace.send(why);
        }
    }

    async fn acknowledge(&mut self, ack: Option<String>) -> Step {
        match ack {
            Some(ack) => self.write(Message::text(ack)).await,
            None => Step::On,
        }
    }

    async fn write(&mut self, message: Message) -> Step {
        match timeout(self.pace.write, self.stream.send(message)).await {
            Ok(Ok(())) => Step::On,
            Ok(Err(_)) | Err(_) => Step::Over(Why::Lost),
        }
    }

    /// A connection that the network has forgotten looks like one on which nothing happens.
    async fn ping(&mut self) -> Step {
        if self.missed >= self.pace.pings_missed {
            return Step::Over(Why::Silent);
        }
        self.missed += 1;
        self.write(Message::Ping(Vec::new().into())).await
    }

    fn on_frame(
        &mut self,
        frame: Option<Result<Message, tokio_tungstenite::tungstenite::Error>>,
    ) -> Step {
        let Some(Ok(frame)) = frame else { return Step::Over(Why::Lost) };
        self.missed = 0;
        match frame {
            Message::Text(text) => self.read(&text),
            Message::Close(_) => Step::Over(Why::Lost),
            // Pings are answered by the library.
            _ => Step::On,
        }
    }

    fn read(&mut self, text: &str) -> Step {
        let Ok(mut frame) = serde_json::from_str::<Value>(text) else {
            tracing::warn!("Slack sent a frame that is not JSON");
            count("unknown", "unreadable");
            return Step::On;
        };
        let name = frame["type"].as_str().unwrap_or_default();
        if name == "disconnect" {
            return self.announced(frame["reason"].as_str().unwrap_or_default());
        }
        let envelope = frame["envelope_id"].as_str().map(str::to_owned);
        let Some(kind) = Kind::of(name) else {
            if name != "hello" {
                count("unknown", "unknown");
                tracing::info!("Slack sent a kind of frame that is not known");
            }
            // It is no better known the next time.
            if let Some(envelope) = envelope {
                self.in_flight
                    .push(Box::pin(async move { Some(acknowledgement(&envelope, None)) }));
            }
            return Step::On;
        };
        let attempt = frame["retry_attempt"].as_u64().unwrap_or_default();
        if attempt > 0 {
            // It may be the only delivery; a repeat is recognised by its key.
            tracing::info!(attempt, "Slack delivers something again");
        }
        let takes_answer = frame["accepts_response_payload"] == true;
        let payload = frame["payload"].take();
        let intake = Arc::clone(&self.intake);
        self.in_flight.push(Box::pin(async move {
            let answer = intake.take(kind, &payload, takes_answer).await.ok()?;
            envelope.map(|envelope| acknowledgement(&envelope, answer))
        }));
        Step::On
    }

    /// Slack says why a socket ends, some seconds before it does.
    fn announced(&mut self, reason: &str) -> Step {
        let why = match reason {
            "link_disabled" => return Step::Over(Why::LinkDisabled),
            "too_many_websockets" => Why::Crowded,
            _ => Why::Announced,
        };
        self.until = Some(Instant::now() + self.pace.drain);
        self.tell(why);
        Step::On
    }
}

async fn at(until: Option<Instant>) {
    match until {
        Some(until) => sleep_until(until).await,
        None => std::future::pending().await,
    }
}

fn acknowledgement(envelope: &str, answer: Option<Value>) -> String {
    let mut ack = json!({"envelope_id": envelope});
    if let Some(answer) = answer {
        ack["payload"] = answer;
    }
    ack.to_string()
}

fn count(what: &'static str, outcome: &'static str) {
    counter!(metric::SLACK_FRAMES, "what" => what, "outcome" => outcome).increment(1);
}
