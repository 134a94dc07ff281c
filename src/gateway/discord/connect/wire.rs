//! One connection: frames are read one after another and taken side by side; its number moves on when everything before
//! is durable.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use futures::{SinkExt as _, StreamExt as _, stream::FuturesUnordered};
use serde_json::{Value, json};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, timeout, timeout_at};
use tokio_tungstenite::tungstenite::{self, Message, protocol::CloseFrame};
use tokio_util::sync::CancellationToken;

use super::{
    acknowledge::Spot,
    session::{Marks, Session},
    shard::Shard,
};
use crate::{
    base::telemetry::link::Open,
    gateway::discord::kinds::{Opcode, kind},
    net::outbound::Socket,
};

/// Things of one connection that are taken at one time; beyond that nothing is read, and Discord waits.
const IN_FLIGHT_MAX: usize = 64;

/// Any code but 1000 and 1001, with which Discord would end the session as well (docs, events/gateway).
const GOING_ON: u16 = 4000;

/// Why a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// The bot is to stop.
    Stopped,
    /// Discord asked to connect anew.
    Asked,
    /// Discord said that the session is not valid, at the moment or any more.
    Invalid {
        /// It may be gone on with.
        resumable: bool,
    },
    /// Discord closed it, with this code, or it broke.
    Closed(Option<u16>),
    /// Nobody answers at the other end.
    Silent,
    /// Something could not be saved; it has to come again.
    NotSaved,
}

impl Why {
    /// The word for metrics and logs.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Asked => "asked",
            Self::Invalid { .. } => "invalid",
            Self::Closed(Some(_)) => "closed",
            Self::Closed(None) => "lost",
            Self::Silent => "silent",
            Self::NotSaved => "not_saved",
        }
    }

    /// Discord's code, where it gave one.
    pub(super) const fn code(self) -> Option<u16> {
        match self {
            Self::Closed(code) => code,
            _ => None,
        }
    }
}

/// A connection that ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) why: Why,
    /// How far its session came.
    pub(super) session: Option<Session>,
}

/// What becomes of something that was dispatched: its number, and whether it is durable.
type Taking = Pin<Box<dyn Future<Output = (u64, bool)> + Send>>;

pub(super) struct Wire<'a> {
    shard: &'a Shard,
    stream: Socket,
    session: Option<Session>,
    marks: Marks,
    /// The number that was kept last.
    kept: u64,
    in_flight: FuturesUnordered<Taking>,
    heartbeats: Interval,
    keeps: Interval,
    /// The last heartbeat was answered.
    is_alive: bool,
    /// Discord sends what was missed.
    is_replay: bool,
    /// Counts the connection from the time that its session stands.
    open: Option<Open<'a>>,
}

/// Whether to go on.
enum Step {
    On,
    Over(Why),
}

impl<'a> Wire<'a> {
    pub(super) fn new(
        shard: &'a Shard,
        stream: Socket,
        heartbeat: Duration,
        session: Option<Session>,
    ) -> Self {
        let every = |first: Duration, period: Duration| {
            let mut interval = interval_at(Instant::now() + first, period);
            interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
            interval
        };
        let seq = session.as_ref().map_or(0, |session| session.seq);
        Self {
            shard,
            stream,
            is_replay: session.is_some(),
            session,
            marks: Marks::at(seq),
            kept: seq,
            in_flight: FuturesUnordered::new(),
            // Not all bots at the same time.
            heartbeats: every(Shard::part_of(heartbeat), heartbeat),
            keeps: every(shard.pace.keep, shard.pace.keep),
            is_alive: true,
            open: None,
        }
    }

    /// Reads until the connection ends; what is in flight is finished, and how far it came is kept.
    pub(super) async fn run(mut self, stop: &CancellationToken) -> Ended {
        let why = loop {
            let next = tokio::select! {
                biased;
                Some((seq, is_taken)) = self.in_flight.next() => self.taken(seq, is_taken),
                () = stop.cancelled() => Step::Over(Why::Stopped),
                _ = self.heartbeats.tick() => self.heartbeat().await,
                _ = self.keeps.tick() => self.keep().await,
                frame = self.stream.next(), if self.in_flight.len() < IN_FLIGHT_MAX => {
                    self.on_frame(frame).await
                }
            };
            if let Step::Over(why) = next {
                break why;
            }
        };
        self.open = None;
        self.leave(why).await;
        Ended { why, session: self.session }
    }

    /// Nothing more is read. The session stays for the next connection, in this process or another one.
    async fn leave(&mut self, why: Why) {
        let pace = &self.shard.pace;
        let last = Instant::now() + pace.take + pace.write;
        while let Ok(Some((seq, is_taken))) = timeout_at(last, self.in_flight.next()).await {
            self.taken(seq, is_taken);
        }
        self.keep().await;
        if !matches!(why, Why::Closed(_)) {
            let frame = CloseFrame { code: GOING_ON.into(), reason: "".into() };
            let closing = async {
                self.stream.close(Some(frame)).await?;
                self.stream.flush().await
            };
            // One that receives nothing is left all the same.
            drop(timeout(pace.write, closing).await);
        }
    }

    fn taken(&mut self, seq: u64, is_taken: bool) -> Step {
        if !is_taken {
            // Its number stays in flight, so that the session goes on before it.
            return Step::Over(Why::NotSaved);
        }
        self.marks.taken(seq);
        if let Some(session) = &mut self.session {
            session.seq = self.marks.durable();
        }
        Step::On
    }

    /// Keeps how far the session came, where it came further.
    async fn keep(&mut self) -> Step {
        if let Some(session) = self.session.as_ref().filter(|session| session.seq != self.kept)
            && self.shard.keep(Some(session)).await
        {
            self.kept = session.seq;
        }
        Step::On
    }

    async fn write(&mut self, frame: &Value) -> Step {
        let sent = self.stream.send(Message::text(frame.to_string()));
        match timeout(self.shard.pace.write, sent).await {
            Ok(Ok(())) => Step::On,
            Ok(Err(_)) | Err(_) => Step::Over(Why::Closed(None)),
        }
    }

    /// A connection that the network has forgotten looks like one on which nothing happens.
    async fn heartbeat(&mut self) -> Step {
        if !self.is_alive {
            return Step::Over(Why::Silent);
        }
        self.is_alive = false;
        self.pulse().await
    }

    /// The number that goes along is what is durable: Discord may forget what came before it.
    async fn pulse(&mut self) -> Step {
        let seq = self.session.as_ref().map(|session| session.seq);
        self.write(&json!({ "op": Opcode::Heartbeat, "d": seq })).await
    }

    async fn on_frame(&mut self, frame: Option<Result<Message, tungstenite::Error>>) -> Step {
        let text = match frame {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(frame))) => {
                return Step::Over(Why::Closed(frame.map(|frame| frame.code.into())));
            }
            // Pings are answered by the library.
            Some(Ok(_)) => return Step::On,
            Some(Err(_)) | None => return Step::Over(Why::Closed(None)),
        };
        let Ok(mut frame) = serde_json::from_str::<Value>(&text) else {
            tracing::warn!("Discord sent a frame that is not JSON");
            return Step::On;
        };
        match frame["op"].as_u64().map(kind) {
            Some(Opcode::Dispatch) => self.dispatched(&mut frame).await,
            Some(Opcode::Heartbeat) => self.pulse().await,
            Some(Opcode::Reconnect) => Step::Over(Why::Asked),
            Some(Opcode::InvalidSession) => {
                Step::Over(Why::Invalid { resumable: frame["d"] == true })
            }
            Some(Opcode::HeartbeatAck) => {
                self.is_alive = true;
                Step::On
            }
            op => {
                tracing::debug!(?op, "Discord sent a kind of frame that is not known");
                Step::On
            }
        }
    }

    async fn dispatched(&mut self, frame: &mut Value) -> Step {
        let data = frame["d"].take();
        let (Some(name), Some(seq)) = (frame["t"].as_str(), frame["s"].as_u64()) else {
            tracing::warn!("Discord dispatched something without a name or a number");
            return Step::On;
        };
        match name {
            "READY" => self.begun(&data, seq).await,
            "RESUMED" => {
                self.is_replay = false;
                self.stands();
            }
            _ => {}
        }
        self.marks.came(seq);
        let spot = Spot {
            session: self.session.as_ref().map_or_else(String::new, |session| session.id.clone()),
            seq,
            is_replay: self.is_replay,
        };
        let (intake, name) = (Arc::clone(&self.shard.intake), name.to_owned());
        self.in_flight.push(Box::pin(async move {
            let taken = intake.dispatched(&name, &data, &spot).await;
            (seq, taken.is_ok())
        }));
        Step::On
    }

    /// A new session: it is kept before anything in it is.
    async fn begun(&mut self, data: &Value, seq: u64) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        self.shard.intake.is_me(&text(&data["user"]["id"]));
        self.marks = Marks::at(seq);
        let session = Session {
            id: text(&data["session_id"]),
            url: text(&data["resume_gateway_url"]),
            seq,
            shards: self.shard.of,
        };
        if self.shard.keep(Some(&session)).await {
            self.kept = seq;
        }
        self.session = Some(session);
        self.is_replay = false;
        self.stands();
    }

    fn stands(&mut self) {
        tracing::info!(discord.shard = self.shard.number, "connected to Discord");
        self.open = Some(self.shard.link.opened());
    }
}
