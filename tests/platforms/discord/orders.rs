//! What people are told of what they order about their own conversation: what is true by then, with a link that leads
//! where it goes on.

use insta::assert_snapshot;
use serde_json::json;

use crate::discord::{
    bot::{ADA, Bot, Plan},
    emulator::{
        faults::Fault,
        state::{GUILD, kind, may},
    },
};

const DIRECT: &str = "POST /users/@me/channels";
const POST: &str = "POST /channels/{channel}/messages";

/// What Ada reads where she ordered something.
async fn ordered(bot: &Bot, command: &str) -> String {
    let ada = bot.ada();
    ada.news();
    ada.at("welcome").command(command, &[]).await;
    let told = ada.at("welcome").news();
    told.lines().skip(1).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn an_order_is_answered_with_what_came_of_it() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    assert_snapshot!(ordered(&bot, "/privacy export").await, @"  + Anteroom (only you): You'll find a button for your copy here in a moment: #welcome-ada");
    assert_snapshot!(ordered(&bot, "/privacy delete").await, @"  + Anteroom (only you): Nothing is erased yet. Please confirm it here: #welcome-ada");
    // The card is there by now, so that the link leads to it.
    assert_snapshot!(ordered(&bot, "/privacy delete").await, @"  + Anteroom (only you): Nothing is erased yet. Please confirm it here: https://discord.com/channels/500/1566815394201600005/1566815394201600015");
    let card = bot.ada().button("Delete everything").unwrap();
    let told = bot.ada().screen();
    assert!(
        told.contains(&format!("https://discord.com/channels/{GUILD}/{}/{}", card.0, card.1)),
        "{told}"
    );
    assert_snapshot!(ordered(&bot, "/onboard cancel").await, @"  + Anteroom (only you): Stopped. I won't ask anything more. You can continue later here: #welcome-ada");
    assert_snapshot!(ordered(&bot, "/onboard resume").await, @"  + Anteroom (only you): It continues here: #welcome-ada");
}

/// Where a conversation is over, nothing is stopped.
#[tokio::test]
async fn an_order_that_changed_nothing_does_not_say_that_it_did() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    bot.ada().press("I do not accept").await;
    let told = ordered(&bot, "/onboard cancel").await;
    assert!(!told.contains("Done."), "{told}");
    assert_snapshot!(told, @"  + Anteroom (only you): Stopped. I won't ask anything more. You can continue later here: #welcome-ada");
}

/// Discord did not tell that the thread was deleted: it is looked at before it is named.
#[tokio::test]
async fn a_link_never_leads_to_a_thread_that_was_deleted() {
    for is_told in [true, false] {
        let bot = Bot::at_the_rules(Plan::hearing()).await;
        let ada = bot.ada();
        let thread = ada.button("I accept").unwrap().0;
        bot.discord.with(|state| state.channels.remove(&thread));
        if is_told {
            let gone = json!({ "id": thread.to_string(), "guild_id": GUILD.to_string() });
            bot.tell("THREAD_DELETE", gone).await;
        }
        ada.news();
        ada.at("welcome").press("Start").await;
        let told = ada.at("welcome").news();
        assert!(told.contains("Your thread: #welcome-ada"), "{is_told}: {told}");
        assert!(ada.at("welcome-ada").button("I accept").is_some(), "{is_told}: {}", ada.screen());
    }
}

/// The server lets no threads be made, so that people are written to directly.
async fn without_threads() -> Bot {
    let bot = Bot::new().await;
    bot.discord.with(|state| {
        state.guilds.get_mut(&GUILD).unwrap().roles.get_mut(&501).unwrap().permissions &=
            !may::CREATE_PRIVATE_THREADS;
    });
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    bot.ada().news();
    bot
}

/// What Ada is told about where it goes on, and how many messages of the bot she really has.
fn told(bot: &Bot) -> (String, usize) {
    let told = bot.ada().at("welcome").news();
    let direct = bot.discord.with(|state| {
        let mut talks = state.channels.values().filter(|one| one.kind == kind::DIRECT);
        talks.find(|one| one.people.contains(&ADA)).map_or(0, |one| one.messages.len())
    });
    (told.lines().skip(1).collect::<Vec<_>>().join("\n"), direct)
}

/// "I've sent you a direct message" is said when it is so.
#[tokio::test]
async fn nobody_is_told_of_a_direct_message_that_did_not_arrive() {
    let bot = without_threads().await;
    bot.discord.with(|state| state.faults.plan(POST, 40, Fault::Says(403, 50_278)));
    bot.ada().press("Start").await;
    let (words, arrived) = told(&bot);
    assert_eq!(arrived, 0);
    assert_snapshot!(words, @"  + Anteroom (only you): I couldn't open a thread for you, and Discord didn't deliver my direct message. Allow direct messages in the server's privacy settings, or ask the team, then press again.");
}

/// A rate says nothing about what somebody takes.
#[tokio::test]
async fn a_rate_of_direct_conversations_is_no_refusal_by_the_person() {
    let bot = without_threads().await;
    bot.discord.with(|state| state.faults.plan(DIRECT, 40, Fault::Says(400, 40_003)));
    bot.ada().press("Start").await;
    let (words, arrived) = told(&bot);
    assert_eq!(arrived, 0);
    assert_snapshot!(words, @"  + Anteroom (only you): This takes a moment longer. I'll write to you in a thread of your own, or directly.");
}
