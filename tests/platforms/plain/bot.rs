//! The whole bot in the plain chat: its parts in this process, a clock that stands still, a store that survives it; and the
//! people there.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
};

use anteroom::{
    base::{
        clock::{Clock, FixedClock},
        ids::{CountingIds, Ids, SessionId},
    },
    chat::message_index::MessageRef,
    engine::{self, Engine, Look},
    flow::{Library, LoadedFlow, subtasks::Tasks},
    model::artifact::Offer,
    ports::{
        artifacts::{Artifacts, extract::Extractor},
        contacts::Contacts,
        llm::{Model, Models},
    },
    store::{Store, memory::MemoryStore},
    tool::{Services, Toolbox},
};
use chrono::TimeDelta;
use tempfile::TempDir;

use super::{
    app::{App, private},
    chat::{Card, Chat, Choice, Member, Refused},
    incoming::{Event, Incoming, What},
    send::PlainGateway,
};
use crate::support::{
    deployed::{self, Deployed},
    mortal::Mortal,
    scripted::Scripted,
};

/// A bot at work, and the chat around it.
pub(crate) struct Bot {
    chat: Arc<Mutex<Chat>>,
    pub(crate) clock: Arc<FixedClock>,
    /// What survives a process.
    pub(crate) store: Arc<MemoryStore>,
    ids: Arc<dyn Ids>,
    flow: Arc<LoadedFlow>,
    model: Option<Arc<Scripted>>,
    folder: TempDir,
    /// The hold that this process has on the store.
    pub(crate) hold: Arc<Mortal>,
    pub(crate) app: Arc<App>,
    events: AtomicUsize,
    /// What was acknowledged, and what was not.
    taken: Mutex<Vec<(String, Event)>>,
    missed: Mutex<Vec<(String, Event)>>,
    /// How much of what is to be seen each has read.
    read: Mutex<BTreeMap<String, usize>>,
}

impl Bot {
    pub(crate) fn on(flow: &str, model: Option<&Arc<Scripted>>) -> Self {
        let mut chat = Chat::default();
        for (id, name, staff, decides) in [
            ("ada", "Ada Byron", false, false),
            ("grace", "Grace Hopper", true, true),
            ("linus", "Linus", true, false),
            ("mallory", "Mallory", false, false),
        ] {
            let member = Member { name: name.to_owned(), staff, decides };
            chat.members.insert(id.to_owned(), member);
        }
        let now = "2026-11-02T14:05:00Z".parse().unwrap();
        let flow = LoadedFlow::load(flow, "flow.toml", &BTreeMap::new()).unwrap();
        let (chat, flow) = (Arc::new(Mutex::new(chat)), Arc::new(flow));
        let (store, model) = (Arc::new(MemoryStore::default()), model.cloned());
        let (clock, folder) = (Arc::new(FixedClock::new(now)), tempfile::tempdir().unwrap());
        let ids: Arc<dyn Ids> = Arc::new(CountingIds::default());
        let hold = Arc::new(Mortal::new(Arc::clone(&store) as Arc<dyn Store>, None));
        let all = (&hold, Arc::clone(&clock) as Arc<dyn Clock>, Arc::clone(&ids));
        let app = make(&chat, (&flow, &model), &folder, all);
        let (events, taken, missed, read) = Default::default();
        Self {
            chat,
            clock,
            store,
            ids,
            flow,
            model,
            folder,
            hold,
            app,
            events,
            taken,
            missed,
            read,
        }
    }

    /// Ada has begun, and has read what she was told.
    pub(crate) async fn begun(flow: &str, model: Option<&Arc<Scripted>>) -> Self {
        let bot = Self::on(flow, model);
        bot.ada().says("!onboard start").await;
        bot.ada().news();
        bot
    }

    pub(crate) fn chat(&self) -> MutexGuard<'_, Chat> {
        self.chat.lock().unwrap()
    }

    /// The next so many calls of a kind are refused.
    pub(crate) fn fail(&self, call: &'static str, times: usize, refused: Refused) {
        self.chat().faults.extend(vec![(call, refused); times]);
    }

    /// Somebody does something.
    async fn happens(&self, event: Event) {
        let key = format!("event {}", self.events.fetch_add(1, Ordering::SeqCst));
        self.deliver(key, event).await;
        self.rest().await;
    }

    /// Brings an event to the bot; whether it was acknowledged.
    async fn deliver(&self, key: String, event: Event) -> bool {
        let taken = Incoming { app: &self.app, key: &key, event: &event }.take().await;
        let is_acknowledged = taken.is_ok();
        if let Ok(Some(card)) = taken {
            let line = format!("(only you) {card}");
            self.chat().seen.push((format!("only {}", event.by), line, card.1));
        }
        let kept = if is_acknowledged { &self.taken } else { &self.missed };
        kept.lock().unwrap().push((key, event));
        is_acknowledged
    }

    /// The chat brings everything once more that was acknowledged.
    pub(crate) async fn repeats_all(&self) {
        let taken = std::mem::take(&mut *self.taken.lock().unwrap());
        for (key, event) in taken {
            self.deliver(key, event).await;
        }
        self.rest().await;
    }

    /// The chat brings what was not acknowledged once more; how much of it was acknowledged.
    pub(crate) async fn deliver_again(&self) -> usize {
        let missed = std::mem::take(&mut *self.missed.lock().unwrap());
        let mut acknowledged = 0;
        for (key, event) in missed {
            acknowledged += usize::from(self.deliver(key, event).await);
        }
        self.rest().await;
        acknowledged
    }

    pub(crate) async fn rest(&self) {
        for _ in 0..2 {
            self.app.engine.settle_down().await;
            self.app.afterwards.settle_down().await;
        }
    }

    /// Time passes, and what comes due fires.
    pub(crate) async fn pass(&self, time: TimeDelta) {
        self.clock.advance(time);
        self.app.engine.run_due().await;
        self.app.engine.sweep().await;
        self.rest().await;
    }

    /// The process dies, and the next one begins on what the store holds.
    pub(crate) async fn crash(&mut self) {
        self.hold.kill();
        self.store.restart();
        self.hold = Arc::new(Mortal::new(Arc::clone(&self.store) as Arc<dyn Store>, None));
        let all = (&self.hold, Arc::clone(&self.clock) as Arc<dyn Clock>, Arc::clone(&self.ids));
        self.app = make(&self.chat, (&self.flow, &self.model), &self.folder, all);
        self.app.engine.recover().await;
        self.rest().await;
    }

    pub(crate) async fn session(&self) -> SessionId {
        self.store.sessions(None, 1).await.unwrap()[0].id
    }

    /// How many conversations there are.
    pub(crate) async fn store_sessions(&self) -> usize {
        self.store.sessions(None, 99).await.unwrap().len()
    }

    /// A moderator takes a message away.
    pub(crate) fn takes_away(&self, room: &str, words: &str) {
        let at = self.person("grace").at(room).found(words);
        self.chat().change(&at, None).unwrap();
    }

    /// Nobody writes in a room any more.
    pub(crate) fn closes(&self, room: &str) {
        self.chat().closed.insert(room.to_owned());
    }

    /// Somebody decides, or does not any more.
    pub(crate) fn decides(&self, user: &str, decides: bool) {
        self.chat().members.get_mut(user).unwrap().decides = decides;
    }

    pub(crate) async fn look(&self) -> Look {
        self.app.engine.look(self.session().await).await.unwrap()
    }

    pub(crate) fn ada(&self) -> Person<'_> {
        self.person("ada")
    }

    /// Decides, and is staff.
    pub(crate) fn grace(&self) -> Person<'_> {
        self.person("grace").at("#approvals")
    }

    /// Is staff, and decides nothing.
    pub(crate) fn linus(&self) -> Person<'_> {
        self.person("linus").at("#desk")
    }

    /// Has no say, and reads the team's rooms.
    pub(crate) fn mallory(&self) -> Person<'_> {
        self.person("mallory").at("#approvals")
    }

    pub(crate) fn person(&self, user: &'static str) -> Person<'_> {
        Person { bot: self, user, room: private(user), under: None }
    }
}

fn make(
    chat: &Arc<Mutex<Chat>>,
    (flow, model): (&Arc<LoadedFlow>, &Option<Arc<Scripted>>),
    folder: &TempDir,
    (hold, clock, ids): (&Arc<Mortal>, Arc<dyn Clock>, Arc<dyn Ids>),
) -> Arc<App> {
    let mut library = Library::default();
    library.insert(Arc::clone(flow));
    let tasks = Tasks::load(None).unwrap();
    let reader = Extractor::new(env!("CARGO_BIN_EXE_anteroom"));
    let store = Arc::clone(hold) as Arc<dyn Store>;
    let keys = Arc::clone(&store);
    let artifacts =
        Artifacts::new(folder.path(), keys, Arc::clone(&clock), Arc::clone(&ids), reader);
    let parts = engine::Parts {
        store,
        clock,
        ids,
        library: Arc::new(library),
        toolbox: Arc::new(Toolbox::new(deployed::tools(&tasks, &Deployed::default())).unwrap()),
        tasks: Arc::new(tasks),
        artifacts: Arc::new(artifacts.unwrap().without_syncs()),
        contacts: Arc::new(Contacts::default()),
        webhooks: Arc::default(),
        models: Models {
            interview: model.clone().map(|model| model as Arc<dyn Model>),
            ..Models::default()
        },
        services: Services::default(),
    };
    let limits = engine::Limits { nudges: false, ..engine::Limits::default() };
    let engine = Engine::limited(parts, Vec::new(), limits);
    let app = App::new(Arc::clone(chat), engine);
    app.engine.connect(Arc::new(PlainGateway(Arc::clone(&app))));
    app
}

/// Somebody in a room, perhaps under a message there.
pub(crate) struct Person<'a> {
    bot: &'a Bot,
    user: &'static str,
    room: String,
    under: Option<String>,
}

impl Person<'_> {
    /// The same person in another room.
    pub(crate) fn at(mut self, room: &str) -> Self {
        room.clone_into(&mut self.room);
        self
    }

    /// The same person in the thread under a message with these words.
    pub(crate) fn under(mut self, words: &str) -> Self {
        let at = self.found(words);
        let head = {
            let chat = self.bot.chat();
            let message = chat.messages.iter().find(|message| message.at == at);
            message.and_then(|message| message.under.clone())
        };
        self.under = Some(head.unwrap_or(at.message));
        self
    }

    /// The newest message in the room with these words.
    pub(crate) fn found(&self, words: &str) -> MessageRef {
        let chat = self.bot.chat();
        let mut there =
            chat.messages.iter().rev().filter(|message| message.at.channel == self.room);
        there.find(|message| message.card.0.contains(words)).unwrap().at.clone()
    }

    /// All that stands in the room.
    pub(crate) fn screen(&self) -> String {
        let chat = self.bot.chat();
        let there = chat.messages.iter().filter(|message| message.at.channel == self.room);
        let there: Vec<String> = there.map(|message| message.card.to_string()).collect();
        there.join("\n")
    }

    async fn does(&self, at: MessageRef, what: What) {
        self.bot.happens(Event { by: self.user.to_owned(), at, what }).await;
    }

    fn here(&self) -> MessageRef {
        MessageRef { channel: self.room.clone(), message: String::new() }
    }

    pub(crate) async fn says(&self, text: &str) {
        self.sends(text, &[]).await;
    }

    /// Sends files with words.
    pub(crate) async fn sends(&self, text: &str, files: &[(&str, &[u8])]) {
        let offers = files.iter().map(|(name, bytes)| {
            self.bot.chat().files.insert((*name).to_owned(), bytes.to_vec());
            let (id, bytes) = ((*name).to_owned(), Some(bytes.len() as u64));
            Offer { id: id.clone(), name: id, bytes, url: String::new() }
        });
        let offers = offers.collect();
        let (under, card) = (self.under.clone(), Card::words(text));
        let key = format!("own {}", self.bot.events.load(Ordering::SeqCst));
        let posted = self.bot.chat().post((&self.room, under.as_deref()), (self.user, &key), card);
        self.does(posted.unwrap(), What::Wrote(text.to_owned(), under, offers)).await;
    }

    /// Changes a message that has these words, or takes it away.
    pub(crate) async fn changes(&self, words: &str, text: Option<&str>) {
        let at = self.found(words);
        self.bot.chat().change(&at, text.map(Card::words)).unwrap();
        self.does(at, What::Changed(text.map(str::to_owned))).await;
    }

    /// Chooses what stands under the newest message that has it.
    pub(crate) async fn press(&self, label: &str) {
        self.fill(label, &[]).await;
    }

    /// Fills in blanks, and chooses.
    pub(crate) async fn fill(&self, label: &str, blanks: &[(&str, &str)]) {
        let id = self.button(label).unwrap_or_else(|| panic!("no `{label}` in\n{}", self.screen()));
        let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        self.does(self.here(), What::Chose(id, blanks.iter().map(own).collect())).await;
    }

    /// The id of what can be chosen under this name.
    pub(crate) fn button(&self, label: &str) -> Option<String> {
        let chat = self.bot.chat();
        let standing = chat.messages.iter().rev().filter(|it| it.at.channel == self.room);
        let told = format!("only {}", self.user);
        let told = chat.seen.iter().rev().filter(|(room, ..)| *room == told);
        let mut all = standing.flat_map(|it| &it.card.1).chain(told.flat_map(|told| &told.2));
        all.find(|choice| choice.1 == label).map(|Choice(id, ..)| id.clone())
    }

    /// Chooses what stood first under this name in the room, whatever has become of it: as a telephone without a network has it.
    pub(crate) async fn press_old(&self, label: &str) {
        let id = {
            let chat = self.bot.chat();
            let there = chat.seen.iter().filter(|(room, ..)| *room == self.room);
            let mut all = there.flat_map(|(.., choices)| choices);
            all.find(|choice| choice.1 == label).unwrap().0.clone()
        };
        self.does(self.here(), What::Chose(id, Vec::new())).await;
    }

    /// What was to be seen since the last look.
    pub(crate) fn news(&self) -> String {
        let (own, only) = (private(self.user), format!("only {}", self.user));
        let chat = self.bot.chat();
        let mut read = self.bot.read.lock().unwrap();
        let from = read.insert(self.user.to_owned(), chat.seen.len()).unwrap_or_default();
        let reads =
            |room: &str| room == own || room == only || room.starts_with('#') && self.user != "ada";
        let news = chat.seen[from..].iter().filter(|(room, line, _)| {
            reads(room) && !line.trim_start_matches("> ").starts_with(self.user)
        });
        let lines = news.map(|(room, line, _)| {
            let place = if room.starts_with('#') { format!("{room} ") } else { String::new() };
            format!("{place}{}\n", line.replace('\n', "\n    "))
        });
        lines.collect::<String>().trim_end().to_owned()
    }
}
