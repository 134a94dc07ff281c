//! The gateway: sessions that outlive their connections, what was dispatched to them, and how connections end.
//!
//! A session keeps everything it was sent, so that any of it can be sent again; `State::expire` ends one.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Weak,
};

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc,
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Message as Frame,
        handshake::server::{ErrorResponse, Request, Response},
        protocol::CloseFrame,
    },
};

use super::{
    Inner,
    state::{APPLICATION, BOT, State, TOKEN, guild_json},
};

/// Intents that must be switched on for the application: members, presences, contents (docs, events/gateway).
const PRIVILEGED: u64 = 1 << 1 | 1 << 8 | 1 << 15;

/// What a connection is told.
#[derive(Debug, Clone)]
pub(crate) enum Do {
    Say(String),
    /// Reads, answers nothing, and looks alive.
    Freeze,
    Close(u16),
    Cut,
}

/// A session, connected or not.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) shard: (u64, u64),
    pub(crate) intents: u64,
    pub(crate) seq: u64,
    /// Everything that was dispatched, by its number.
    pub(crate) sent: Vec<(u64, Value)>,
    connection: Option<(u64, mpsc::Sender<Do>)>,
}

/// What happened at the gateway, as it is told in tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Happened {
    /// A session was begun: its name, its shard.
    Identified(String, (u64, u64)),
    /// A session went on after this number; whether at the address that it was given for that.
    Resumed(String, u64, bool),
    /// The bot left with this code.
    Left(Option<u16>),
    /// The bot's heart beat, with the last number that it has.
    Beat(Option<u64>),
    /// The connection was refused with this code.
    Refused(u16),
}

/// The gateway's own state.
#[derive(Debug)]
pub(crate) struct Gateway {
    /// `ws://127.0.0.1:…`.
    pub(crate) url: String,
    pub(crate) sessions: BTreeMap<String, Session>,
    pub(crate) happened: Vec<Happened>,
    /// Sessions that may still be begun today.
    pub(crate) remaining: u64,
    /// In milliseconds.
    pub(crate) heartbeat: u64,
    /// Privileged intents that are switched on.
    pub(crate) granted: u64,
    /// How many shards are advised.
    pub(crate) shards: u64,
    /// Codes with which the next connections are closed when they say who they are.
    pub(crate) refusals: Vec<u16>,
    /// Sessions whose next resumption is refused though it could be tried again.
    pub(crate) hesitant: BTreeSet<String>,
    counter: u64,
}

impl Default for Gateway {
    fn default() -> Self {
        Self {
            url: String::new(),
            sessions: BTreeMap::new(),
            happened: Vec::new(),
            remaining: 1000,
            heartbeat: 41_250,
            granted: PRIVILEGED,
            shards: 1,
            refusals: Vec::new(),
            hesitant: BTreeSet::new(),
            counter: 0,
        }
    }
}

impl Gateway {
    fn next(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }

    /// Sessions that have a connection.
    pub(crate) fn connected(&self) -> usize {
        self.sessions.values().filter(|session| session.connection.is_some()).count()
    }

    /// Whether what happens once happened.
    pub(crate) fn count(&self, is_it: impl Fn(&Happened) -> bool) -> usize {
        self.happened.iter().filter(|happened| is_it(happened)).count()
    }

    /// How many sessions were begun.
    pub(crate) fn identified(&self) -> usize {
        self.count(|happened| matches!(happened, Happened::Identified(..)))
    }

    /// How often one went on.
    pub(crate) fn resumed(&self) -> usize {
        self.count(|happened| matches!(happened, Happened::Resumed(..)))
    }

    fn tell(&self, what: &Do) {
        for session in self.sessions.values() {
            if let Some((_, to)) = &session.connection {
                to.try_send(what.clone()).ok();
            }
        }
    }
}

impl State {
    /// Dispatches something to the sessions that it concerns, connected or not.
    pub(crate) fn dispatch(&mut self, name: &str, data: &Value) {
        let whole_guild = matches!(name, "GUILD_CREATE" | "GUILD_DELETE" | "GUILD_UPDATE");
        let guild = if whole_guild { &data["id"] } else { &data["guild_id"] };
        let guild: Option<u64> = guild.as_str().and_then(|id| id.parse().ok());
        for session in self.gateway.sessions.values_mut() {
            let (number, of) = session.shard;
            let is_there = guild.map_or(number == 0, |guild| (guild >> 22) % of == number);
            if is_there && session.wants(name, guild.is_some()) {
                session.push(name, &as_seen(name, data, session.intents));
            }
        }
    }

    /// Asks every connection to go elsewhere and go on there (op 7).
    pub(crate) fn ask_to_reconnect(&mut self) {
        self.gateway.tell(&Do::Say(json!({ "op": 7, "d": null }).to_string()));
    }

    /// Tells every session that it is not valid any more (op 9); one that is not `resumable` is gone.
    pub(crate) fn invalidate(&mut self, resumable: bool) {
        self.gateway.tell(&Do::Say(json!({ "op": 9, "d": resumable }).to_string()));
        if !resumable {
            self.gateway.sessions.clear();
        }
    }

    /// Closes every connection.
    pub(crate) fn close_all(&mut self, code: u16) {
        self.gateway.tell(&Do::Close(code));
        if matches!(code, 4003 | 4007 | 4009) {
            self.gateway.sessions.clear();
        }
    }

    /// Cuts every connection without a word.
    pub(crate) fn cut_all(&mut self) {
        self.gateway.tell(&Do::Cut);
    }

    /// Lets every connection hang: nothing is answered any more.
    pub(crate) fn freeze_all(&mut self) {
        self.gateway.tell(&Do::Freeze);
    }

    /// Sends a frame as it is over every connection.
    pub(crate) fn say_all(&mut self, frame: &str) {
        self.gateway.tell(&Do::Say(frame.to_owned()));
    }

    /// Forgets every session, as after some minutes without a connection.
    pub(crate) fn expire(&mut self) {
        self.gateway.sessions.clear();
    }
}

impl Session {
    fn push(&mut self, name: &str, data: &Value) {
        self.seq += 1;
        let frame = json!({ "op": 0, "t": name, "s": self.seq, "d": data });
        self.sent.push((self.seq, frame.clone()));
        if let Some((_, to)) = &self.connection {
            to.try_send(Do::Say(frame.to_string())).ok();
        }
    }

    /// Whether an intent covers it; interactions need none (docs, events/gateway).
    fn wants(&self, name: &str, in_guild: bool) -> bool {
        let needed = match name {
            "GUILD_MEMBER_ADD" | "GUILD_MEMBER_UPDATE" | "GUILD_MEMBER_REMOVE" => 1 << 1,
            "GUILD_BAN_ADD" | "GUILD_BAN_REMOVE" => 1 << 2,
            name if name.starts_with("MESSAGE_") && in_guild => 1 << 9,
            name if name.starts_with("MESSAGE_") => 1 << 12,
            name if name.starts_with("GUILD_")
                || name.starts_with("CHANNEL_")
                || name.starts_with("THREAD_") =>
            {
                1
            }
            _ => 0,
        };
        self.intents & needed == needed
    }
}

/// What people wrote is kept from a bot that may not read it, where it is neither to it nor for it.
fn as_seen(name: &str, data: &Value, intents: u64) -> Value {
    let mut data = data.clone();
    let bot = BOT.to_string();
    let mentions = data["mentions"].as_array();
    let is_mentioned =
        mentions.is_some_and(|mentions| mentions.iter().any(|user| user["id"] == bot.as_str()));
    let may_read = intents & 1 << 15 != 0
        || data["guild_id"].is_null()
        || is_mentioned
        || data["author"]["id"] == bot.as_str();
    if name.starts_with("MESSAGE_") && data["content"].is_string() && !may_read {
        data["content"] = "".into();
        for list in ["attachments", "components", "embeds"] {
            data[list] = json!([]);
        }
    }
    data
}

/// Takes connections in until the emulator is gone.
pub(super) async fn sockets(inner: Weak<Inner>, listener: TcpListener) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(connection(Weak::clone(&inner), stream));
    }
}

async fn connection(inner: Weak<Inner>, stream: TcpStream) {
    let mut address = String::new();
    #[expect(clippy::result_large_err, reason = "the library's own signature")]
    let read = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
        address = request.uri().to_string();
        Ok(response)
    };
    let Ok(mut socket) = tokio_tungstenite::accept_hdr_async(stream, read).await else { return };
    let Some(hello) = with(
        &inner,
        |state| json!({ "op": 10, "d": { "heartbeat_interval": state.gateway.heartbeat } }),
    ) else {
        return;
    };
    if socket.send(Frame::text(hello.to_string())).await.is_err() {
        return;
    }
    let mut talk = Talk { inner, is_resume_address: address.starts_with("/resume"), session: None };
    talk.run(&mut socket).await;
    talk.leave();
}

fn with<T>(inner: &Weak<Inner>, work: impl FnOnce(&mut State) -> T) -> Option<T> {
    Some(inner.upgrade()?.with(work))
}

/// One connection.
struct Talk {
    inner: Weak<Inner>,
    is_resume_address: bool,
    /// Its session, and its own number in it.
    session: Option<(String, u64)>,
}

/// Whether to go on.
enum Step {
    On(Vec<String>),
    Close(u16),
}

impl Talk {
    async fn run(&mut self, socket: &mut WebSocketStream<TcpStream>) {
        let (to, mut orders) = mpsc::channel(4096);
        let mut is_frozen = false;
        loop {
            let order = tokio::select! {
                biased;
                order = orders.recv() => order.unwrap_or(Do::Cut),
                frame = socket.next() => {
                    let text = match frame {
                        Some(Ok(Frame::Text(text))) => text,
                        Some(Ok(Frame::Close(frame))) => {
                            self.left(frame.map(|frame| frame.code.into()));
                            return;
                        }
                        Some(Ok(_)) => continue,
                        Some(Err(_)) | None => return,
                    };
                    if is_frozen {
                        continue;
                    }
                    match self.on_frame(&text, &to) {
                        Step::On(answers) => {
                            for answer in answers {
                                if socket.send(Frame::text(answer)).await.is_err() {
                                    return;
                                }
                            }
                            continue;
                        }
                        Step::Close(code) => {
                            with(&self.inner, |state| {
                                state.gateway.happened.push(Happened::Refused(code));
                            });
                            Do::Close(code)
                        }
                    }
                }
            };
            match order {
                Do::Say(_) if is_frozen => {}
                Do::Say(frame) => {
                    if socket.send(Frame::text(frame)).await.is_err() {
                        return;
                    }
                }
                Do::Freeze => is_frozen = true,
                Do::Close(code) => {
                    let frame = CloseFrame { code: code.into(), reason: "".into() };
                    socket.close(Some(frame)).await.ok();
                    return;
                }
                Do::Cut => return,
            }
        }
    }

    fn on_frame(&mut self, text: &str, to: &mpsc::Sender<Do>) -> Step {
        let Ok(frame) = serde_json::from_str::<Value>(text) else { return Step::Close(4002) };
        let data = &frame["d"];
        match frame["op"].as_u64() {
            Some(1) => {
                with(&self.inner, |state| {
                    state.gateway.happened.push(Happened::Beat(data.as_u64()));
                });
                Step::On(vec![json!({ "op": 11 }).to_string()])
            }
            Some(2 | 6) if self.session.is_some() => Step::Close(4005),
            Some(2) => self.identify(data, to),
            Some(6) => self.resume(data, to),
            Some(_) if self.session.is_none() => Step::Close(4003),
            Some(3 | 4 | 8) => Step::On(Vec::new()),
            _ => Step::Close(4001),
        }
    }

    fn identify(&mut self, data: &Value, to: &mpsc::Sender<Do>) -> Step {
        let resumable = self.is_resume_address;
        let said = with(&self.inner, |state| {
            if let Some(code) = refused(state, data) {
                return Err(code);
            }
            let intents = data["intents"].as_u64().unwrap_or(0);
            let shard = |at: usize| data["shard"][at].as_u64();
            let shard = (shard(0).unwrap_or(0), shard(1).unwrap_or(1));
            if shard.0 >= shard.1 {
                return Err(4010);
            }
            if intents & PRIVILEGED & !state.gateway.granted != 0 {
                return Err(4014);
            }
            if state.gateway.remaining == 0 || resumable {
                return Err(4008);
            }
            state.gateway.remaining -= 1;
            let number = state.gateway.next();
            let name = format!("session-{number}");
            let connection = Some((number, to.clone()));
            let session = Session { shard, intents, seq: 0, sent: Vec::new(), connection };
            state.gateway.sessions.insert(name.clone(), session);
            state.gateway.happened.push(Happened::Identified(name.clone(), shard));
            greet(state, &name);
            Ok((name, number))
        });
        match said {
            Some(Ok(session)) => {
                self.session = Some(session);
                Step::On(Vec::new())
            }
            Some(Err(code)) => Step::Close(code),
            None => Step::Close(1001),
        }
    }

    fn resume(&mut self, data: &Value, to: &mpsc::Sender<Do>) -> Step {
        let name = data["session_id"].as_str().unwrap_or_default().to_owned();
        let after = data["seq"].as_u64().unwrap_or(0);
        let at_its_address = self.is_resume_address;
        let said = with(&self.inner, |state| {
            if let Some(code) = refused(state, data) {
                return Err(code);
            }
            if state.gateway.hesitant.remove(&name) {
                return Ok(None);
            }
            let number = state.gateway.next();
            let Some(session) = state.gateway.sessions.get_mut(&name) else { return Ok(None) };
            if after > session.seq {
                return Err(4007);
            }
            // What was dispatched meanwhile goes first, and nothing between.
            for (_, frame) in session.sent.iter().filter(|(seq, _)| *seq > after) {
                to.try_send(Do::Say(frame.to_string())).ok();
            }
            session.connection = Some((number, to.clone()));
            session.push("RESUMED", &json!({}));
            state.gateway.happened.push(Happened::Resumed(name.clone(), after, at_its_address));
            Ok(Some(number))
        });
        match said {
            Some(Ok(Some(number))) => {
                self.session = Some((name, number));
                Step::On(Vec::new())
            }
            Some(Ok(None)) => {
                let known = with(&self.inner, |state| state.gateway.sessions.contains_key(&name));
                Step::On(vec![json!({ "op": 9, "d": known == Some(true) }).to_string()])
            }
            Some(Err(code)) => Step::Close(code),
            None => Step::Close(1001),
        }
    }

    /// The bot said that it goes: with these two codes its session ends as well.
    fn left(&self, code: Option<u16>) {
        with(&self.inner, |state| {
            state.gateway.happened.push(Happened::Left(code));
            if let (Some(1000 | 1001), Some((name, _))) = (code, &self.session) {
                state.gateway.sessions.remove(name);
            }
        });
    }

    fn leave(&self) {
        let Some((name, number)) = &self.session else { return };
        with(&self.inner, |state| {
            if let Some(session) = state.gateway.sessions.get_mut(name)
                && session.connection.as_ref().is_some_and(|(mine, _)| mine == number)
            {
                session.connection = None;
            }
        });
    }
}

/// Why who speaks is not let in.
fn refused(state: &mut State, data: &Value) -> Option<u16> {
    if !state.gateway.refusals.is_empty() {
        return Some(state.gateway.refusals.remove(0));
    }
    let token = data["token"].as_str().unwrap_or_default();
    (token.trim_start_matches("Bot ") != TOKEN.trim_start_matches("Bot ")).then_some(4004)
}

/// The first things in a session: who the bot is, then its servers one by one.
fn greet(state: &mut State, name: &str) {
    let (url, shard) = (state.gateway.url.clone(), state.gateway.sessions[name].shard);
    let here: Vec<u64> = state
        .guilds
        .iter()
        .filter(|(id, guild)| (*id >> 22) % shard.1 == shard.0 && guild.members.contains_key(&BOT))
        .map(|(id, _)| *id)
        .collect();
    let guilds: Vec<Value> =
        here.iter().map(|id| json!({ "id": id.to_string(), "unavailable": true })).collect();
    let ready = json!({
        "v": 10, "user": { "id": BOT.to_string(), "username": "anteroom", "bot": true }, "guilds": guilds,
        "session_id": name, "resume_gateway_url": format!("{url}/resume"), "shard": [shard.0, shard.1],
        "application": { "id": APPLICATION.to_string(), "flags": 0 },
    });
    let guilds: Vec<Value> = here.iter().map(|id| guild_json(state, *id)).collect();
    let session = state.gateway.sessions.get_mut(name).unwrap();
    session.push("READY", &ready);
    for guild in guilds {
        if session.wants("GUILD_CREATE", true) {
            session.push("GUILD_CREATE", &guild);
        }
    }
}
