//! What comes of what Discord refuses, for each kind of effect: see `docs/delivery-discord.md`.

use anteroom::{
    base::clock::FixedClock, chat::refusal::Class, engine::Engine, gateway::discord::api::class,
    model::effect::CauseKind, store::memory::MemoryStore,
};
use chrono::TimeDelta;
use serde_json::json;

use crate::discord::{
    bot::{ADA, APPROVALS, Bot, DESK, Plan, WELCOME},
    delivery_table::{self as table, Refusal, Stage, World},
    emulator::{
        faults::Fault,
        state::{BOT, Channel, GUILD, kind},
    },
    handed, rows, rows_cards,
    scripted::{Scripted, Turn},
};

const HEAD: &str = "# What comes of a refusal on Discord\n\n\
    Written by `tests/platforms/discord/delivery_table.rs`: each kind of effect is refused with each class of Discord's codes in an emulator,\n\
    in the one place where it was to go, and people there are looked at for 40 seconds. What the bot answers by another way of doing\n\
    it is refused once, and then again and again. `docs/delivery.md` explains the classes.\n\n";

impl World for Bot {
    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn store(&self) -> &MemoryStore {
        &self.store
    }

    fn clock(&self) -> &FixedClock {
        &self.clock
    }

    async fn pass(&self, time: TimeDelta) {
        // Rates are kept by the clock of the runtime.
        tokio::time::pause();
        tokio::time::advance(time.to_std().unwrap()).await;
        tokio::time::resume();
        Self::pass(self, time).await;
    }

    fn mend(&self) {
        self.discord.with(|state| {
            state.faults.clear();
            state.is_token_refused = false;
        });
    }

    fn news(&self) -> [Vec<String>; 2] {
        // Linus sees all that staff see.
        [said(&self.ada().news()), said(&self.linus().news())]
    }
}

/// Without the greeting before the first message of a thread.
fn ungreeted(text: &str) -> String {
    text.replace("Hi @Ada!\n      ", "").replace("Hi @Ada!\n", "")
}

/// First lines of what the bot has written, but progress; with one word for all reasons.
fn said(news: &str) -> Vec<String> {
    let news = ungreeted(news);
    let words = news.lines().filter_map(|line| {
        let (sign, words) = line.strip_prefix("  + Anteroom")?.split_once(": ")?;
        if words.starts_with("-# ") {
            return None;
        }
        let person = ["they are", "they have", "they do not take", "they share", "the app cannot"];
        let mut reasons = ["Discord refused: ", "Discord says: "].into_iter().chain(person);
        let cut = reasons.find_map(|reason| words.find(reason));
        let words = cut.map_or_else(|| words.to_owned(), |cut| format!("{}…", &words[..cut]));
        let sign = sign.replace("(edited)", "");
        Some(format!("{} {words}", sign.trim()).trim().to_owned())
    });
    words.collect()
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Card,
    CardEdited,
    Words,
    FromTeam,
    File,
    Copy,
    Request,
    Desk,
    ToTeam,
    Fetch,
    Roles,
    Thread,
    OnlyThread,
    RemoveMessage,
    RemoveThread,
    Receipt,
}

const KINDS: [Kind; 16] = [
    Kind::Card,
    Kind::CardEdited,
    Kind::Words,
    Kind::FromTeam,
    Kind::File,
    Kind::Copy,
    Kind::Request,
    Kind::Desk,
    Kind::ToTeam,
    Kind::Fetch,
    Kind::Roles,
    Kind::Thread,
    Kind::OnlyThread,
    Kind::RemoveMessage,
    Kind::RemoveThread,
    Kind::Receipt,
];

/// Ada's own thread, and that of staff about her.
const THREAD: &str = "welcome-ada";
const ABOUT: &str = "Ada · A short talk";

/// Ada's direct messages, where they have been opened before.
const DIRECT: u64 = 1_100_000_000_000_000_009;

/// Somebody of the team has taken over.
async fn taken_over() -> Bot {
    let bot = rows_cards::begun().await;
    bot.ada().at(THREAD).write("human").await;
    bot.linus().at(ABOUT).write("Hello Ada.").await;
    bot
}

/// A model is about to ask the team.
async fn before_a_request() -> Bot {
    let model = Scripted::new();
    let bot = rows::led(&model, Turn::says("Do you have a pet?")).await;
    let ask = json!({ "overrides": ["pet"], "reason": "there is no pet" });
    model.next(Turn::calls("next_phase", &ask));
    bot
}

/// One word, and Ada has a role.
async fn before_the_roles() -> Bot {
    let bot = at_the_panel(None).await;
    for label in ["Start", "Start", "I accept"] {
        bot.ada().press(label).await;
    }
    bot
}

/// Ada may begin; in a thread alone where `flow` has no other place.
async fn at_the_panel(flow: Option<String>) -> Bot {
    let bot = Bot::planned(Plan { flow, ..Plan::default() }).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    bot
}

/// The shipped flow without direct messages in place of a thread.
fn in_threads_alone() -> String {
    include_str!("../../../manifests/flows/community-welcome.toml")
        .replace("fallback   = \"dm\"", "")
        .replace("id      = \"community-welcome\"", "id = \"alone\"")
}

/// Ada is asked whether everything is to be erased; staff have a thread about her.
async fn before_an_erasure() -> Bot {
    let bot = rows_cards::begun().await;
    let ada = bot.ada();
    for words in ["human", "continue", "delete my data"] {
        ada.at(THREAD).write(words).await;
    }
    bot.discord.with(|state| {
        let people = [BOT, ADA].into();
        let direct = Channel { kind: kind::DIRECT, people, ..Channel::default() };
        state.channels.insert(DIRECT, direct);
    });
    ada.press("Delete everything").await;
    bot
}

impl Kind {
    /// Whether it is a message for her.
    const fn is_read_by_ada(self) -> bool {
        matches!(self, Self::Card | Self::Words | Self::FromTeam | Self::File | Self::Copy)
    }

    /// What is asked of Discord, and where: the first id of the path.
    fn call(self, bot: &Bot) -> (&'static str, u64) {
        let (post, ada) = ("POST /channels/{channel}/messages", || bot.ada().at(THREAD).channel());
        match self {
            Self::Card | Self::Words | Self::FromTeam | Self::File | Self::Copy => (post, ada()),
            Self::CardEdited => ("PATCH /channels/{channel}/messages/{message}", ada()),
            Self::Request => (post, APPROVALS),
            Self::Desk => (post, DESK),
            Self::ToTeam => (post, bot.linus().at(ABOUT).channel()),
            Self::Fetch => ("download", 0),
            Self::Roles => ("PUT /guilds/{guild}/members/{user}/roles/{role}", GUILD),
            Self::Thread | Self::OnlyThread => ("POST /channels/{channel}/threads", WELCOME),
            Self::RemoveMessage => ("DELETE /channels/{channel}/messages/{message}", DESK),
            Self::RemoveThread => ("DELETE /channels/{channel}", ada()),
            Self::Receipt => (post, DIRECT),
        }
    }
}

impl Stage for Kind {
    type World = Bot;
    type Fault = Fault;

    fn name(&self) -> &'static str {
        match self {
            Self::Card => "A card for the participant",
            Self::CardEdited => "A card that was answered",
            Self::Words => "Words for the participant",
            Self::FromTeam => "Words of the team for the participant",
            Self::File => "A file for the participant",
            Self::Copy => "The offer of a copy",
            Self::Request => "A request for the team",
            Self::Desk => "A call for a person",
            Self::ToTeam => "The participant's words for the team",
            Self::Fetch => "A file of the participant's",
            Self::Roles => "Roles",
            Self::Thread => "The thread of a conversation, or direct messages",
            Self::OnlyThread => "The thread of a conversation, and nothing else",
            Self::RemoveMessage => "Removal of a message",
            Self::RemoveThread => "Removal of a thread",
            Self::Receipt => "The receipt of an erasure",
        }
    }

    async fn begin(&self) -> Bot {
        match self {
            Self::Card | Self::CardEdited | Self::Words | Self::Copy | Self::Desk => {
                rows_cards::begun().await
            }
            Self::FromTeam | Self::ToTeam => taken_over().await,
            Self::File => handed::begun().await,
            Self::Request => before_a_request().await,
            Self::Fetch => rows_cards::at_the_file().await,
            Self::Roles => before_the_roles().await,
            Self::Thread => at_the_panel(None).await,
            Self::OnlyThread => at_the_panel(Some(in_threads_alone())).await,
            Self::RemoveMessage | Self::RemoveThread | Self::Receipt => before_an_erasure().await,
        }
    }

    fn refuse(&self, bot: &Bot, refusal: Refusal<Fault>) {
        let (call, place) = self.call(bot);
        let place = if place == 0 { String::new() } else { place.to_string() };
        bot.discord.with(|state| match refusal {
            Refusal::Once(fault) => state.faults.once(call, &place, fault),
            Refusal::Always(fault) => state.faults.lasting(call, &place, fault),
            Refusal::Token(_) => state.is_token_refused = true,
        });
    }

    async fn act(&self, bot: &Bot) {
        let ada = bot.ada();
        match self {
            Self::Card => ada.press("Blue").await,
            // What is pressed is drawn by the answer to the press.
            Self::CardEdited => drop(ada.at(THREAD).write("Blue").await),
            Self::Words => drop(ada.at(THREAD).write("purple").await),
            Self::Copy => drop(ada.at(THREAD).write("export").await),
            Self::Desk => drop(ada.at(THREAD).write("human").await),
            Self::FromTeam => drop(bot.linus().at(ABOUT).write("What is it?").await),
            Self::ToTeam => drop(ada.at(THREAD).write("Is the office warm?").await),
            Self::File => ada.press("Yes, please").await,
            Self::Request => drop(ada.at(THREAD).write("I have none.").await),
            Self::Fetch => {
                let (ada, file) = (ada.at(THREAD), ("cv.txt", "text/plain"));
                let words = b"Programmer since 1842.";
                let sent =
                    bot.discord.with(|state| state.upload(ada.channel(), file, words, false));
                ada.drop_files("", vec![sent]).await;
            }
            Self::Roles => ada.press("Yes").await,
            Self::Thread | Self::OnlyThread => ada.press("Start").await,
            Self::RemoveMessage | Self::RemoveThread | Self::Receipt => {
                ada.press("Delete everything").await;
            }
        }
    }

    fn is_there(&self, bot: &Bot) -> bool {
        let ada = |words: &str| ungreeted(&bot.ada().screen()).contains(words);
        let linus = |words: &str| bot.linus().screen().contains(words);
        let is_channel = |name: &str| {
            bot.discord.with(|state| state.channels.values().any(|one| one.name == name))
        };
        match self {
            Self::Card => ada("A file, please."),
            Self::CardEdited => ada("✓ You answered: **Blue**"),
            Self::Words => ada("I couldn't match that"),
            Self::Copy => ada("[Download my answers]"),
            // Not the line to those who are written to directly, which begins alike.
            Self::Desk => bot
                .linus()
                .screen()
                .lines()
                .any(|line| line.ends_with("asked for a human in *A short talk*.")),
            Self::FromTeam => ada("Anteroom: Linus: What is it?"),
            Self::ToTeam => linus("Anteroom: Ada: Is the office warm?"),
            Self::File => ada("📎 return-"),
            Self::Request => linus("Move Ada to"),
            Self::Fetch => ada("✓ You sent: **cv.txt**"),
            Self::Roles => bot.roles(ADA) == ["Member"],
            Self::Thread | Self::OnlyThread => bot.ada().button("Ask staff").is_some(),
            Self::RemoveMessage => !linus("**Ada**"),
            Self::RemoveThread => !is_channel(THREAD),
            Self::Receipt => ada("Everything is erased"),
        }
    }

    fn told(&self) -> &'static str {
        match self {
            Self::Card
            | Self::CardEdited
            | Self::Words
            | Self::FromTeam
            | Self::Copy
            | Self::Thread
            | Self::OnlyThread => "didn't get a message from me",
            Self::File => "didn't get a file from me",
            Self::Request => "needs a decision. I can't show it in",
            Self::Desk => "I can't post that in `staff_desk` right now",
            Self::ToTeam => "I couldn't post about **Ada** in `staff_desk`",
            Self::Fetch => "Please send it again",
            Self::Roles => "didn't get every role",
            Self::RemoveMessage | Self::RemoveThread => "**Everything is erased.**",
            Self::Receipt => "there is nobody to be told",
        }
    }

    fn needless(&self) -> Option<&'static str> {
        let is_edit = matches!(self, Self::CardEdited);
        is_edit.then_some("is given up: a press on the old card is answered as one that came late")
    }

    fn promise(&self) -> Option<&'static str> {
        match self {
            Self::Desk => Some("I've asked the team"),
            Self::Request => Some("I've asked the team. You can leave"),
            Self::Roles => Some("✓ Member"),
            _ => None,
        }
    }
}

/// With which status Discord says it.
const fn status(class: Class) -> u16 {
    match class {
        Class::MessageGone | Class::PlaceGone | Class::Blocked(CauseKind::NotInstalled) => 404,
        Class::PlaceClosed
        | Class::PersonUnreachable(_)
        | Class::Blocked(CauseKind::MissingPermission | CauseKind::SecondFactorRequired) => 403,
        Class::Blocked(CauseKind::TokenRejected) => 401,
        Class::Shorten => 413,
        _ => 400,
    }
}

/// A refusal of each class.
fn refusals(kind: Kind) -> Vec<(String, Refusal<Fault>)> {
    let always = |class: &str, fault| (class.to_owned(), Refusal::Always(fault));
    let mut all = vec![always("later", Fault::TooMany(30)), always("unclear", Fault::Broken)];
    if matches!(kind, Kind::Fetch) {
        // A download is answered with a status and not with a code.
        all.push(always("gone", Fault::Says(404, 0)));
        return all;
    }
    all.push(always("unknown", Fault::Says(400, 987_654)));
    if kind.is_read_by_ada() {
        // What a filter keeps back is told in its place.
        all.push(("kept back".to_owned(), Refusal::Once(Fault::Says(400, 240_000))));
    }
    // Who has a role already is given it again without a word.
    let is_said = |class: &Class| !matches!((kind, class), (Kind::Roles, Class::AlreadyDone));
    let codes = class::table().filter(|(_, class)| is_said(class));
    let codes = codes.map(|(code, class)| (Fault::Says(status(class), code), class));
    all.extend(table::refusals(codes, &[CauseKind::TokenRejected]));
    all
}

#[test]
fn every_kind_of_effect_is_refused_in_every_way() {
    let codes = class::table().map(|(code, class)| (code.to_string(), class));
    let head = format!("{HEAD}{}", table::codes("Discord", codes));
    table::fill("delivery-discord.md", &head, &KINDS, refusals);
}
