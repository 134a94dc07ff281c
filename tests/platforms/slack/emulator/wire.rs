//! The way to the bot: sockets or HTTP, acknowledgements, deliveries that are lost and made again.

use std::{
    collections::BTreeMap,
    sync::{Mutex, Weak},
    time::{Duration, Instant},
};

use futures::{SinkExt as _, StreamExt as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{mpsc, oneshot},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Message as Frame,
        handshake::server::{ErrorResponse, Request, Response},
    },
};

use super::{APP, Inner, SIGNING_SECRET, Slack, state::State};

/// Sockets that one app may have.
const SOCKETS_MAX: usize = 10;

/// Something for the bot.
#[derive(Debug, Clone)]
pub(crate) struct Push {
    /// Names it to us.
    pub(crate) id: String,
    /// `events_api`, `interactive` or `slash_commands`.
    pub(crate) kind: &'static str,
    pub(crate) payload: Value,
    /// How often it was tried before.
    pub(crate) attempt: u32,
}

impl Push {
    pub(crate) fn event(id: &str, payload: Value) -> Self {
        Self { id: id.to_owned(), kind: "events_api", payload, attempt: 0 }
    }
}

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    Pending,
    Acked {
        after: Duration,
        answer: Value,
    },
    /// Nobody took it in time.
    Lost,
}

/// Something that was sent to the bot, and what became of it.
#[derive(Debug, Clone)]
pub(crate) struct Delivery {
    pub(crate) push: Push,
    pub(crate) outcome: Outcome,
}

/// Where it goes.
#[derive(Debug, Clone, Default)]
enum Way {
    #[default]
    Sockets,
    Http {
        events: String,
        interactions: String,
        commands: String,
    },
}

/// What a socket is told.
#[derive(Debug)]
enum Do {
    Say(String),
    /// Read and write nothing any more, and look alive.
    Freeze,
    Cut,
}

#[derive(Debug)]
struct Socket {
    id: u64,
    to: mpsc::Sender<Do>,
    /// Takes nothing new.
    is_draining: bool,
}

/// The way to the bot.
#[derive(Debug)]
pub(crate) struct Wire {
    way: Mutex<Way>,
    sockets: Mutex<Vec<Socket>>,
    acks: Mutex<BTreeMap<String, oneshot::Sender<Value>>>,
    turn: Mutex<u64>,
    client: reqwest::Client,
}

impl Wire {
    pub(crate) fn new() -> Self {
        Self {
            way: Mutex::default(),
            sockets: Mutex::default(),
            acks: Mutex::default(),
            turn: Mutex::default(),
            client: reqwest::Client::new(),
        }
    }

    fn next(&self) -> u64 {
        let mut turn = self.turn.lock().unwrap();
        *turn += 1;
        *turn
    }

    /// One of the sockets that take something, each in its turn.
    fn a_socket(&self) -> Option<mpsc::Sender<Do>> {
        let turn = usize::try_from(self.next()).unwrap();
        let sockets = self.sockets.lock().unwrap();
        let open: Vec<&Socket> = sockets.iter().filter(|socket| !socket.is_draining).collect();
        (!open.is_empty()).then(|| open[turn % open.len()].to.clone())
    }
}

impl Slack {
    /// Sends over HTTP from now on: to `base` and these paths.
    pub(crate) fn use_http(&self, base: &str, [events, interactions, commands]: [&str; 3]) {
        *self.wire().way.lock().unwrap() = Way::Http {
            events: format!("{base}{events}"),
            interactions: format!("{base}{interactions}"),
            commands: format!("{base}{commands}"),
        };
    }

    /// Sends what is in the outbox.
    pub(super) fn flush(&self) {
        let pushes: Vec<(usize, Push)> = {
            let mut state = self.lock();
            let pushes = if state.held { Vec::new() } else { std::mem::take(&mut state.outbox) };
            pushes.into_iter().map(|push| (state.sending(&push), push)).collect()
        };
        for (at, push) in pushes {
            let slack = std::sync::Arc::downgrade(&self.inner);
            self.go(async move {
                if let Some(slack) = Slack::from_inner(&slack) {
                    slack.send_noted(at, push).await.ok();
                }
            });
        }
    }

    /// Sends one thing and waits for what becomes of it.
    pub(crate) async fn send(&self, push: Push) -> Result<Value, Lost> {
        let at = self.lock().sending(&push);
        self.send_noted(at, push).await
    }

    async fn send_noted(&self, at: usize, push: Push) -> Result<Value, Lost> {
        let began = Instant::now();
        let limit = self.look(|state| state.settings.ack_limit);
        let way = self.wire().way.lock().unwrap().clone();
        let sent = async {
            match way {
                Way::Sockets => self.over_socket(&push).await,
                Way::Http { events, interactions, commands } => {
                    let url = match push.kind {
                        "events_api" => events,
                        "interactive" => interactions,
                        _ => commands,
                    };
                    self.over_http(&push, &url).await
                }
            }
        };
        let answer = tokio::time::timeout(limit, sent).await.ok().flatten();
        let outcome = match &answer {
            Some(answer) => Outcome::Acked { after: began.elapsed(), answer: answer.clone() },
            None => Outcome::Lost,
        };
        self.lock().deliveries[at].outcome = outcome;
        self.nudge();
        answer.ok_or(Lost)
    }

    async fn over_socket(&self, push: &Push) -> Option<Value> {
        let envelope = format!("env-{}-{}", push.id, self.wire().next());
        let mut frame = json!({
            "envelope_id": envelope, "type": push.kind, "payload": push.payload,
            "accepts_response_payload": push.kind != "events_api",
        });
        if push.kind == "events_api" {
            frame["retry_attempt"] = push.attempt.into();
            frame["retry_reason"] = if push.attempt > 0 { "timeout" } else { "" }.into();
        }
        let (to, ack) = oneshot::channel();
        self.wire().acks.lock().unwrap().insert(envelope, to);
        let mut changes = self.inner.changed.subscribe();
        loop {
            changes.mark_unchanged();
            if let Some(socket) = self.wire().a_socket() {
                socket.send(Do::Say(frame.to_string())).await.ok();
                return ack.await.ok();
            }
            changes.changed().await.ok()?;
        }
    }

    async fn over_http(&self, push: &Push, url: &str) -> Option<Value> {
        let (kind, body) = match push.kind {
            "events_api" => ("application/json", push.payload.to_string()),
            "interactive" => (FORM, form(&[("payload", push.payload.to_string())])),
            _ => {
                let fields = push.payload.as_object()?.iter();
                let fields: Vec<(&str, String)> = fields
                    .map(|(name, value)| {
                        (
                            name.as_str(),
                            value.as_str().map_or_else(|| value.to_string(), str::to_owned),
                        )
                    })
                    .collect();
                (FORM, form(&fields))
            }
        };
        let at = self.look(State::now).timestamp();
        let mut request = self
            .wire()
            .client
            .post(url)
            .header("content-type", kind)
            .header("x-slack-request-timestamp", at)
            .header("x-slack-signature", signature(at, &body));
        if push.attempt > 0 {
            request = request
                .header("x-slack-retry-num", push.attempt)
                .header("x-slack-retry-reason", "http_timeout");
        }
        let response = request.body(body).send().await.ok()?;
        if !response.status().is_success() {
            return None;
        }
        let text = response.text().await.ok()?;
        Some(serde_json::from_str(&text).unwrap_or(Value::String(text).take()))
    }

    /// Sends again what nobody took, as Slack does at once, after a minute and after five: the number of events.
    pub(crate) async fn redeliver(&self) -> usize {
        let lost: Vec<Push> = self.with(|state| {
            let mut lost = Vec::new();
            let taken: Vec<String> = state
                .deliveries
                .iter()
                .filter(|delivery| delivery.outcome != Outcome::Lost)
                .map(|delivery| delivery.push.id.clone())
                .collect();
            for delivery in &state.deliveries {
                let push = &delivery.push;
                if push.kind == "events_api" && push.attempt < 3 && !taken.contains(&push.id) {
                    lost.retain(|other: &Push| other.id != push.id);
                    lost.push(Push { attempt: push.attempt + 1, ..push.clone() });
                }
            }
            lost
        });
        for push in &lost {
            self.send(push.clone()).await.ok();
        }
        lost.len()
    }

    /// Sends the last thing of a kind once more, though it was taken.
    pub(crate) async fn repeat(&self, kind: &str) -> Result<Value, Lost> {
        let push = self.look(|state| {
            let mut last = state.deliveries.iter().rev().map(|delivery| &delivery.push);
            last.find(|push| push.kind == kind).cloned().expect("nothing to repeat")
        });
        self.send(Push { attempt: push.attempt + 1, ..push }).await
    }

    /// Somebody comes into a user group, and the app is told.
    pub(crate) async fn join(&self, user: &str, group: &str) {
        self.with(|state| {
            state.groups.get_mut(group).unwrap().1.push(user.to_owned());
            let (ts, team) = (state.ts(), state.team_of(user));
            let event = json!({
                "type": "subteam_members_changed", "subteam_id": group, "team_id": team,
                "added_users": [user], "added_users_count": 1, "removed_users": [], "event_ts": ts,
            });
            state.tell(&team, "subteam_members_changed", &event);
        });
        self.delivered().await;
        self.rest().await;
    }

    /// Keeps events back.
    pub(crate) fn hold(&self) {
        self.with(|state| state.held = true);
    }

    /// Lets held events go, the last first if `backwards`.
    pub(crate) async fn release(&self, backwards: bool) {
        let mut held = {
            let mut state = self.lock();
            state.held = false;
            std::mem::take(&mut state.outbox)
        };
        if backwards {
            held.reverse();
        }
        for push in held {
            self.send(push).await.ok();
        }
    }

    /// Waits until what has been sent is taken or lost.
    pub(crate) async fn delivered(&self) {
        self.until("every delivery has an outcome", |state| {
            let open = |delivery: &Delivery| delivery.outcome == Outcome::Pending;
            ((state.held || state.outbox.is_empty()) && !state.deliveries.iter().any(open))
                .then_some(())
        })
        .await;
    }

    /// Waits until the events about one message are taken or lost.
    pub(crate) async fn told_of(&self, ts: &str) {
        self.until("the events about a message have an outcome", |state| {
            let is_open = |delivery: &Delivery| {
                delivery.push.payload["event"]["ts"] == ts && delivery.outcome == Outcome::Pending
            };
            let is_held = state.outbox.iter().any(|push| push.payload["event"]["ts"] == ts);
            (state.held || !is_held && !state.deliveries.iter().rev().any(is_open)).then_some(())
        })
        .await;
    }

    /// The longest that an acknowledgement took.
    pub(crate) fn slowest_ack(&self) -> Duration {
        self.look(|state| {
            let acks = state.deliveries.iter().filter_map(|delivery| match delivery.outcome {
                Outcome::Acked { after, .. } => Some(after),
                Outcome::Pending | Outcome::Lost => None,
            });
            acks.max().unwrap_or_default()
        })
    }

    /// Waits until so many sockets are open.
    pub(crate) async fn connected(&self, count: usize) {
        self.until("the bot connects", |_| (self.sockets() >= count).then_some(())).await;
    }

    /// Sockets that take something.
    pub(crate) fn sockets(&self) -> usize {
        let sockets = self.wire().sockets.lock().unwrap();
        sockets.iter().filter(|socket| !socket.is_draining).count()
    }

    /// Tells every socket that it will end: `refresh_requested`, `warning`, `link_disabled`.
    pub(crate) async fn disconnect(&self, reason: &str) {
        if reason == "link_disabled" {
            self.with(|state| state.sockets_off = true);
        }
        let frame = json!({ "type": "disconnect", "reason": reason, "debug_info": { "host": "applink-1" } });
        for socket in self.drain() {
            socket.send(Do::Say(frame.to_string())).await.ok();
        }
    }

    /// The same as a frame that says nothing else.
    pub(crate) async fn disconnect_barely(&self) {
        for socket in self.drain() {
            socket.send(Do::Say(json!({ "type": "disconnect" }).to_string())).await.ok();
        }
    }

    fn drain(&self) -> Vec<mpsc::Sender<Do>> {
        let mut sockets = self.wire().sockets.lock().unwrap();
        sockets
            .iter_mut()
            .map(|socket| {
                socket.is_draining = true;
                socket.to.clone()
            })
            .collect()
    }

    /// Every socket stops reading and writing, and looks alive.
    pub(crate) async fn freeze(&self) {
        let sockets: Vec<_> =
            self.wire().sockets.lock().unwrap().iter().map(|socket| socket.to.clone()).collect();
        for socket in sockets {
            socket.send(Do::Freeze).await.ok();
        }
    }

    /// Cuts every socket.
    pub(crate) async fn cut(&self) {
        let sockets: Vec<_> = self.wire().sockets.lock().unwrap().drain(..).collect();
        for socket in sockets {
            socket.to.send(Do::Cut).await.ok();
        }
        self.nudge();
    }

    /// Sends a frame as it is over one socket.
    pub(crate) async fn say_raw(&self, frame: &str) {
        if let Some(socket) = self.wire().a_socket() {
            socket.send(Do::Say(frame.to_owned())).await.ok();
        }
    }
}

impl State {
    /// Notes that something is on its way.
    fn sending(&mut self, push: &Push) -> usize {
        self.deliveries.push(Delivery { push: push.clone(), outcome: Outcome::Pending });
        self.deliveries.len() - 1
    }
}

/// Nobody acknowledged in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lost;

const FORM: &str = "application/x-www-form-urlencoded";

fn form(fields: &[(&str, String)]) -> String {
    let mut url = reqwest::Url::parse("http://form/").unwrap();
    url.query_pairs_mut().extend_pairs(fields);
    url.query().unwrap_or_default().to_owned()
}

/// Slack's signature of a request.
pub(crate) fn signature(at: i64, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(SIGNING_SECRET.as_bytes()).unwrap();
    mac.update(format!("v0:{at}:{body}").as_bytes());
    let digest = mac.finalize().into_bytes();
    let digest: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("v0={}", digest.concat())
}

/// Takes sockets in until the emulator is gone.
pub(super) async fn sockets(inner: Weak<Inner>, listener: TcpListener) {
    while let Ok((stream, _)) = listener.accept().await {
        let Some(slack) = Slack::from_inner(&inner) else { return };
        slack.go(socket(Weak::clone(&inner), stream));
    }
}

async fn socket(inner: Weak<Inner>, stream: TcpStream) {
    let mut ticket = String::new();
    #[expect(clippy::result_large_err, reason = "the library's own signature")]
    let read = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
        let query = request.uri().query().unwrap_or_default();
        let found = query.split('&').find_map(|pair| pair.strip_prefix("ticket="));
        found.unwrap_or_default().clone_into(&mut ticket);
        Ok(response)
    };
    let Ok(mut socket) = tokio_tungstenite::accept_hdr_async(stream, read).await else { return };
    let Some((to, mut orders, id, count)) = register(&inner, &ticket) else {
        let frame = json!({ "type": "disconnect", "reason": "too_many_websockets" });
        socket.send(Frame::text(frame.to_string())).await.ok();
        return;
    };
    drop(to);
    let hello = json!({
        "type": "hello", "num_connections": count, "connection_info": { "app_id": APP },
        "debug_info": { "host": "applink-1", "build_number": 1, "approximate_connection_time": 18060 },
    });
    if socket.send(Frame::text(hello.to_string())).await.is_ok() {
        if let Some(slack) = Slack::from_inner(&inner) {
            slack.nudge();
        }
        talk(&inner, &mut socket, &mut orders).await;
    }
    if let Some(slack) = Slack::from_inner(&inner) {
        slack.wire().sockets.lock().unwrap().retain(|socket| socket.id != id);
        slack.nudge();
    }
}

type Registered = (mpsc::Sender<Do>, mpsc::Receiver<Do>, u64, usize);

/// None where the ticket is not good or there are too many.
fn register(inner: &Weak<Inner>, ticket: &str) -> Option<Registered> {
    let slack = Slack::from_inner(inner)?;
    if !slack.with(|state| state.tickets.remove(ticket)) {
        return None;
    }
    let id = slack.wire().next();
    let (to, orders) = mpsc::channel(4096);
    let mut sockets = slack.wire().sockets.lock().unwrap();
    if sockets.len() >= SOCKETS_MAX {
        return None;
    }
    sockets.push(Socket { id, to: to.clone(), is_draining: false });
    Some((to, orders, id, sockets.len()))
}

async fn talk(
    inner: &Weak<Inner>,
    socket: &mut WebSocketStream<TcpStream>,
    orders: &mut mpsc::Receiver<Do>,
) {
    loop {
        tokio::select! {
            frame = socket.next() => match frame {
                Some(Ok(Frame::Text(text))) => acked(inner, text.as_str()),
                Some(Ok(Frame::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
            order = orders.recv() => match order {
                Some(Do::Say(frame)) => {
                    if socket.send(Frame::text(frame)).await.is_err() {
                        return;
                    }
                }
                Some(Do::Freeze) => {
                    // It takes what it is given, and nothing comes of it.
                    while !matches!(orders.recv().await, Some(Do::Cut) | None) {}
                    return;
                }
                Some(Do::Cut) | None => return,
            },
        }
    }
}

fn acked(inner: &Weak<Inner>, text: &str) {
    let Some(slack) = Slack::from_inner(inner) else { return };
    let Ok(ack) = serde_json::from_str::<Value>(text) else { return };
    let envelope = ack["envelope_id"].as_str().unwrap_or_default();
    if let Some(waiting) = slack.wire().acks.lock().unwrap().remove(envelope) {
        waiting.send(ack["payload"].clone()).ok();
    }
}
