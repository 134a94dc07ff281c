//! The button that stops a model which is at work for long: whatever happens to the bot or in Discord, it goes away, or
//! says nothing that is not true.

use std::sync::Arc;

use futures::future::join_all;
use insta::assert_snapshot;

use crate::discord::{
    bot::{Bot, Plan},
    emulator::{
        faults::Fault,
        state::{Recorded, State},
    },
    person::Person,
    scripted::{Gate, Scripted, Turn},
    thinking::TALK,
};

const POST: &str = "POST /channels/{channel}/messages";
const EDIT: &str = "PATCH /channels/{channel}/messages/{message}";
const DELETE: &str = "DELETE /channels/{channel}/messages/{message}";

/// Whether such a request has come with these words.
fn asked(method: &'static str, words: &'static str) -> impl Fn(&State) -> Option<()> {
    move |state| {
        let is_it = |request: &&Recorded| {
            request.method == method && request.body.to_string().contains(words)
        };
        state.requests.iter().find(is_it).map(drop)
    }
}

/// Ada's talk while the model is at work on her answer.
struct Talk {
    bot: Bot,
    model: Arc<Scripted>,
    gate: Gate,
}

impl Talk {
    /// The button stands there, or its post hangs in the air.
    async fn at_work(fault: Option<Fault>) -> Self {
        let (model, gate) = (Scripted::new(), Gate::new());
        model.next(Turn::says("Hello. Have you got a pet?"));
        model.next(Turn::says("What is its name?").held_by(&gate));
        let plan = Plan {
            model: Some(Arc::clone(&model)),
            flow: Some(TALK.to_owned()),
            discord: "message_content = true".to_owned(),
            ..Plan::default()
        };
        let bot = Bot::planned(plan).await;
        bot.linus().at("welcome").command("/onboard panel", &[]).await;
        bot.ada().press("Start").await;
        let talk = Self { bot, model, gate };
        talk.bot.unrested();
        talk.ada().write("A cat.").await;
        talk.gate.reached().await;
        if let Some(fault) = fault {
            talk.bot.discord.with(|state| state.faults.plan(POST, 1, fault));
        }
        let stands = |state: &State| is_gone(state).is_none().then_some(());
        talk.bot.discord.until("a button", stands).await;
        talk
    }

    fn ada(&self) -> Person<'_> {
        self.bot.ada().at("welcome-ada")
    }

    /// The process dies, and the model answers the next one at once.
    async fn dies(&mut self) {
        self.model.next(Turn::says("A cat, how nice."));
        self.bot.crash().await;
    }
}

/// Whether the button stands nowhere any more.
fn is_gone(state: &State) -> Option<()> {
    let mut messages = state.channels.values().flat_map(|channel| channel.messages.values());
    (!messages.any(|message| message.body.to_string().contains("interrupt."))).then_some(())
}

/// Whether Discord has refused this so often.
fn refused(method: &'static str, times: usize) -> impl Fn(&State) -> Option<()> {
    move |state| {
        let is_it =
            |request: &&Recorded| request.method == method && (400..429).contains(&request.status);
        (state.requests.iter().filter(is_it).count() >= times).then_some(())
    }
}

#[tokio::test]
async fn a_button_that_a_crash_has_left_goes_when_the_bot_is_back() {
    // The bot knows its message, or it never heard that it stands there.
    let read = join_all([None, Some(Fault::HangAfter)].map(async |fault| {
        let mut talk = Talk::at_work(fault).await;
        talk.ada().news();
        talk.dies().await;
        talk.bot.discord.until("the button goes", is_gone).await;
        talk.ada().news()
    }));
    let read = read.await;
    assert_eq!(read[0], read[1]);
    assert_snapshot!(read[0], @"
    #welcome-ada
      + Anteroom: A cat, how nice.
          [Helpful] [Not helpful] [Help]
      - Anteroom: -# Still thinking…
    ");
}

#[tokio::test]
async fn a_button_goes_once_discord_lets_it_go() {
    let talk = Talk::at_work(None).await;
    talk.bot.discord.with(|state| state.faults.plan(DELETE, 2, Fault::Says(400, 20_028)));
    talk.gate.open();
    talk.bot.rested().await;
    talk.bot.discord.until("the button goes", is_gone).await;
    assert!(!talk.ada().screen().contains("Still thinking"), "{}", talk.ada().screen());
}

#[tokio::test]
async fn a_button_goes_from_a_thread_that_was_archived() {
    let talk = Talk::at_work(None).await;
    talk.bot.discord.with(|state| state.faults.plan(DELETE, 1, Fault::Says(400, 50_083)));
    talk.gate.open();
    talk.bot.rested().await;
    talk.bot.discord.until("the button goes", is_gone).await;
    assert!(talk.bot.discord.with(|state| asked("PATCH", "\"archived\":false")(state)).is_some());
}

#[tokio::test]
async fn a_message_that_discord_keeps_loses_its_button_and_says_what_was() {
    let mut talk = Talk::at_work(None).await;
    talk.ada().news();
    talk.bot.discord.with(|state| state.faults.lasting(DELETE, "", Fault::Says(403, 50_013)));
    talk.dies().await;
    talk.bot.discord.until("the button goes", is_gone).await;
    assert_snapshot!(talk.ada().news(), @"
    #welcome-ada
      ~ Anteroom (edited): -# That took me a while.
      + Anteroom: A cat, how nice.
          [Helpful] [Not helpful] [Help]
    ");
}

#[tokio::test]
async fn a_button_that_discord_keeps_answers_what_is_true() {
    let mut talk = Talk::at_work(None).await;
    talk.bot.discord.with(|state| {
        state.faults.lasting(DELETE, "", Fault::Says(403, 50_013));
        state.faults.lasting(EDIT, "", Fault::Says(403, 50_013));
    });
    talk.gate.open();
    talk.bot.rested().await;
    talk.bot.discord.until("an edit that is refused", refused("PATCH", 1)).await;
    talk.ada().news();
    talk.ada().press("Stop").await;
    assert_snapshot!(talk.ada().news(), @"
    #welcome-ada
      + Anteroom (only you): I'd already finished, so there was nothing to stop.
    ");
    // The next process may do what this one may not.
    talk.bot.discord.with(|state| state.faults.clear());
    talk.bot.crash().await;
    talk.bot.discord.until("the button goes", is_gone).await;
}
