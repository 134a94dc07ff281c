//! What comes of what Slack refuses, for each kind of effect: see `docs/delivery-slack.md`.

use std::sync::Arc;

use anteroom::{
    base::clock::FixedClock, engine::Engine, gateway::slack::api::refusals::REFUSALS,
    model::effect::CauseKind, store::memory::MemoryStore,
};
use chrono::TimeDelta;
use serde_json::json;

use crate::slack::{
    approvals,
    bot::{Bot, Plan},
    delivery_table::{self as table, Refusal, Stage, World},
    emulator::{BOT_TOKEN, BOT_USER, faults::Fault},
    handed,
    scripted::{Scripted, Turn},
    troubles,
};

const HEAD: &str = "# What comes of a refusal on Slack\n\n\
    Written by `tests/platforms/slack/delivery_table.rs`: each kind of effect is refused with each class of Slack's codes in an emulator, in the\n\
    one place where it was to go, and people there are looked at for 40 seconds. What the bot answers by another way of doing it is\n\
    refused once, and then again and again. `docs/delivery.md` explains the classes.\n\n";

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
        self.slack.mend();
        self.slack.with(|state| state.tokens.get_mut(BOT_TOKEN).unwrap().refused = None);
    }

    fn news(&self) -> [Vec<String>; 2] {
        let linus = self.slack.person("U0LINUS");
        let (desk, approvals) = (linus.at("recruiting-desk"), linus.at("recruiting-approvals"));
        let team = [desk, approvals, linus, self.grace()];
        [said(&self.ada().news()), team.iter().flat_map(|person| said(&person.news())).collect()]
    }
}

/// First lines of what the bot has written, but progress; with one word for all reasons.
fn said(news: &str) -> Vec<String> {
    let words = news.lines().filter_map(|line| {
        let (sign, words) = line.strip_prefix('+')?.trim_start().split_once(": ")?;
        let sign = sign.strip_prefix("Anteroom")?;
        if words.starts_with("· ") {
            return None;
        }
        let reasons = ["Slack says: ", "they do not take", "they are not in", "the account is not"];
        let cut = reasons.iter().find_map(|reason| words.find(reason));
        let words = cut.map_or_else(|| words.to_owned(), |cut| format!("{}…", &words[..cut]));
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
    RemoveMessage,
    RemoveFile,
    Receipt,
}

const KINDS: [Kind; 13] = [
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
    Kind::RemoveMessage,
    Kind::RemoveFile,
    Kind::Receipt,
];

/// Somebody of the team has taken over.
async fn taken_over() -> Bot {
    let bot = troubles::begun().await;
    bot.ada().reply("human").await;
    bot.slack.person("U0LINUS").at("recruiting-desk").reply("Hello Ada.").await;
    bot
}

/// A model is about to ask the team.
async fn before_a_request() -> Bot {
    let model = Scripted::new();
    let flow = Some(approvals::FLOW.to_owned());
    let led = Some(Arc::clone(&model));
    let bot = Bot::planned(Plan { model: led, flow, ..Plan::default() }).await;
    model.next(Turn::says("Do you have a pet?"));
    bot.ada().command("/onboard start").await;
    let ask = json!({ "overrides": ["pet"], "reason": "there is no pet" });
    model.next(Turn::calls("next_phase", &ask));
    bot
}

/// Ada is asked whether everything is to be erased, and has a picture of the bot's.
async fn before_an_erasure() -> Bot {
    let bot = handed::begun().await;
    bot.ada().reply("Yes.").await;
    bot.ada().reply("delete my data").await;
    bot
}

fn files_of_the_bot(bot: &Bot) -> usize {
    bot.slack.look(|state| {
        let own = |file: &&_| {
            let file: &crate::slack::emulator::state::File = file;
            file.user == BOT_USER && file.channel.is_some() && !file.is_tombstone
        };
        state.files.values().filter(own).count()
    })
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
            Self::RemoveMessage => "Removal of a message",
            Self::RemoveFile => "Removal of a file",
            Self::Receipt => "The receipt of an erasure",
        }
    }

    async fn begin(&self) -> Bot {
        match self {
            Self::Card | Self::CardEdited | Self::Words | Self::Copy | Self::Desk => {
                troubles::begun().await
            }
            Self::Fetch => troubles::at_the_file().await,
            Self::FromTeam | Self::ToTeam => taken_over().await,
            Self::File => handed::begun().await,
            Self::Request => before_a_request().await,
            Self::RemoveMessage | Self::RemoveFile | Self::Receipt => before_an_erasure().await,
        }
    }

    fn refuse(&self, bot: &Bot, refusal: Refusal<Fault>) {
        let (method, channel) = match self {
            Self::Card | Self::Words | Self::FromTeam | Self::Copy | Self::Receipt => {
                ("chat.postMessage", "D0ADA")
            }
            Self::CardEdited => ("chat.update", "D0ADA"),
            Self::File => ("files.completeUploadExternal", "D0ADA"),
            Self::Request => ("chat.postMessage", "C0APPROVALS"),
            Self::Desk | Self::ToTeam => ("chat.postMessage", "C0DESK"),
            Self::Fetch => ("download", ""),
            Self::RemoveMessage => ("chat.delete", "D0ADA"),
            Self::RemoveFile => ("files.delete", ""),
        };
        bot.slack.with(|state| match refusal {
            Refusal::Once(fault) => state.faults.once(method, channel, fault),
            Refusal::Always(fault) => state.faults.lasting(method, channel, fault),
            Refusal::Token(fault) => {
                let Fault::Says(error) = fault else { unreachable!("a token is refused in words") };
                state.tokens.get_mut(BOT_TOKEN).unwrap().refused = Some(error);
            }
        });
    }

    async fn act(&self, bot: &Bot) {
        let (ada, desk) = (bot.ada(), bot.slack.person("U0LINUS").at("recruiting-desk"));
        match self {
            Self::Card | Self::CardEdited => ada.press("Blue").await,
            Self::Words => drop(ada.reply("purple").await),
            Self::Copy => drop(ada.reply("export").await),
            Self::Desk => drop(ada.reply("human").await),
            Self::FromTeam => drop(desk.reply("What is it?").await),
            Self::ToTeam => drop(ada.reply("Is the office warm?").await),
            Self::File => drop(ada.reply("Yes.").await),
            Self::Request => drop(ada.reply("I have none.").await),
            Self::Fetch => drop(ada.drop_file("cv.txt", b"Programmer since 1842.", "").await),
            Self::RemoveMessage | Self::RemoveFile | Self::Receipt => {
                ada.press("Delete everything").await;
            }
        }
    }

    fn is_there(&self, bot: &Bot) -> bool {
        let (ada, linus) = (bot.ada(), bot.slack.person("U0LINUS"));
        match self {
            Self::Card => ada.can_see("A file, please."),
            Self::CardEdited => ada.can_see("✓ You answered: *Blue*"),
            Self::Words => ada.can_see("I couldn't match that"),
            Self::Copy => ada.can_see("Download my answers"),
            Self::Desk => linus.at("recruiting-desk").can_see("asked for a human"),
            Self::FromTeam => ada.can_see("Linus Pauling: What is it?"),
            Self::ToTeam => linus.at("recruiting-desk").can_see("Is the office warm?"),
            Self::File => files_of_the_bot(bot) == 1,
            Self::Request => bot.grace().at("recruiting-approvals").can_see("Move Ada"),
            Self::Fetch => ada.can_see("✓ You sent: *cv.txt*"),
            Self::RemoveMessage => !ada.can_see("Shall I work it out?"),
            Self::RemoveFile => files_of_the_bot(bot) == 0,
            Self::Receipt => ada.can_see("Everything is erased"),
        }
    }

    fn told(&self) -> &'static str {
        match self {
            Self::Card | Self::CardEdited | Self::Words | Self::FromTeam | Self::Copy => {
                "didn't get a message from me"
            }
            Self::File => "didn't get a file from me",
            Self::Request => "needs a decision. I can't show it in",
            Self::Desk => "I can't post that in `recruiting_desk` right now",
            Self::ToTeam => "I couldn't post about *Ada Byron* in `recruiting_desk`",
            Self::Fetch => "I couldn't fetch a file",
            Self::RemoveMessage | Self::RemoveFile => "*Everything is erased.*",
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
            _ => None,
        }
    }
}

/// A refusal of each class.
fn refusals(kind: Kind) -> Vec<(String, Refusal<Fault>)> {
    let mut all = vec![
        ("later".to_owned(), Refusal::Always(Fault::TooMany(30))),
        ("unclear".to_owned(), Refusal::Always(Fault::Broken)),
        ("unclear".to_owned(), Refusal::Always(Fault::Cut)),
    ];
    if matches!(kind, Kind::Fetch) {
        // A download is answered with a status and not with a code.
        return all;
    }
    all.push(("unknown".to_owned(), Refusal::Always(Fault::Says("a_code_of_tomorrow"))));
    let codes = REFUSALS.iter().map(|(code, class)| (Fault::Says(code), *class));
    all.extend(table::refusals(codes, &[CauseKind::TokenRejected, CauseKind::NotInstalled]));
    all
}

#[test]
fn every_kind_of_effect_is_refused_in_every_way() {
    let codes = REFUSALS.iter().map(|(code, class)| ((*code).to_owned(), *class));
    let head = format!("{HEAD}{}", table::codes("Slack", codes));
    table::fill("delivery-slack.md", &head, &KINDS, refusals);
}
