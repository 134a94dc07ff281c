//! Discord, or a part of it, cannot be used for a while: nothing is lost, and everything leaves once it can be again.

use std::time::Duration;

use anteroom::model::effect::CauseKind;
use chrono::TimeDelta;

use crate::discord::{
    bot::{ADA, Bot, Plan, WELCOME},
    emulator::{faults::Fault, state::GUILD},
};

const POST: &str = "POST /channels/{channel}/messages";
const GIVE: &str = "PUT /guilds/{guild}/members/{user}/roles/{role}";
const BEGIN: &str = "POST /channels/{channel}/threads";

/// Time passes in steps of some seconds.
async fn wait(bot: &Bot, seconds: i64) {
    for _ in 0..seconds / 4 {
        bot.pass(TimeDelta::seconds(4)).await;
    }
}

/// Minutes in which nobody can be reached count as no attempt at all.
#[tokio::test]
async fn nothing_is_lost_while_discord_cannot_be_reached() {
    for away in [120, 86_400] {
        let bot = Bot::at_the_rules(Plan::hearing()).await;
        let ada = bot.ada().at("welcome-ada");
        ada.press("I accept").await;
        bot.discord.leaves();
        ada.write("Yes").await;
        wait(&bot, 120).await;
        bot.pass(TimeDelta::seconds(away)).await;
        assert!(bot.roles(ADA).is_empty());
        bot.discord.comes_back().await;
        wait(&bot, 60).await;
        assert_eq!(bot.roles(ADA), ["Member"], "{away}: {}", ada.screen());
        let screen = ada.screen();
        assert!(screen.contains("You answered: **Yes**"), "{away}: {screen}");
        assert!(
            ada.button("Yes").is_none(),
            "{away}: the old card has its buttons still: {screen}"
        );
        assert!(ada.button("Done").is_some(), "{away}: {screen}");
    }
}

/// The rates of a busy server put a role off; they do not refuse it.
#[tokio::test]
async fn a_role_that_is_put_off_by_a_rate_is_given() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    let ada = bot.ada();
    ada.press("I accept").await;
    bot.discord.with(|state| state.faults.plan(GIVE, 30, Fault::Says(400, 20_029)));
    ada.press("Yes").await;
    assert!(bot.roles(ADA).is_empty());
    wait(&bot, 300).await;
    assert_eq!(bot.roles(ADA), ["Member"]);
}

/// An answer needs no token; what does waits until the token works again.
#[tokio::test]
async fn a_card_waits_for_the_token_and_leaves_when_it_works() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    let ada = bot.ada();
    ada.news();
    bot.discord.with(|state| state.is_token_refused = true);
    ada.press("I accept").await;
    let news = ada.news();
    assert!(!news.contains("This interaction failed"), "{news}");
    wait(&bot, 120).await;
    bot.pass(TimeDelta::hours(2)).await;
    assert!(ada.button("Yes").is_none());
    bot.discord.with(|state| state.is_token_refused = false);
    wait(&bot, 60).await;
    assert!(ada.button("Yes").is_some(), "{}", ada.screen());
}

/// Time passes until something has come about.
async fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..100_000 {
        if is_so() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("{what}");
}

/// Nothing has to wait for the token before it is known that it does not work.
#[tokio::test]
async fn a_rejected_token_is_shown_before_anything_waits_for_it() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    bot.discord.with(|state| state.is_token_refused = true);
    drop(bot.app.api.me().await);
    until("it is known", || !bot.engine.outages().is_empty()).await;
    let [outage] = bot.engine.outages().try_into().unwrap();
    assert_eq!((outage.cause.kind, outage.effects), (CauseKind::TokenRejected, 0));
    bot.discord.with(|state| state.is_token_refused = false);
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(31)).await;
    tokio::time::resume();
    until("it is over", || bot.engine.outages().is_empty()).await;
}

/// A card that Discord does not take is said in words.
#[tokio::test]
async fn a_card_that_is_refused_is_posted_as_words() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    let ada = bot.ada().at("welcome-ada");
    bot.discord.with(|state| state.faults.plan(POST, 1, Fault::Says(400, 50_035)));
    ada.press("I accept").await;
    let screen = ada.screen();
    assert!(screen.contains("Are you at least 13"), "{screen}");
    assert!(ada.button("Yes").is_none());
    // It can be answered as any question: in words.
    ada.write("Yes").await;
    assert_eq!(bot.roles(ADA), ["Member"], "{}", ada.screen());
}

/// The server asks for a second factor of whoever owns the bot: the role waits for that.
#[tokio::test]
async fn a_role_waits_for_a_second_factor() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    let ada = bot.ada();
    ada.press("I accept").await;
    bot.discord.with(|state| state.faults.plan(GIVE, 100, Fault::Says(403, 60_003)));
    ada.press("Yes").await;
    wait(&bot, 120).await;
    assert!(bot.roles(ADA).is_empty());
    bot.discord.with(|state| while state.faults.take(GIVE, "").is_some() {});
    wait(&bot, 60).await;
    assert_eq!(bot.roles(ADA), ["Member"]);
}

/// Where a server has as many threads as it can have, those of conversations that are over make room.
#[tokio::test]
async fn a_thread_that_nobody_needs_makes_room_for_a_new_one() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    bot.ada().at("welcome-ada").write("stop").await;
    bot.discord.with(|state| state.faults.plan(BEGIN, 1, Fault::Says(400, 160_006)));
    bot.mallory().at("welcome").press("Start").await;
    let archived = bot.discord.with(|state| {
        let of_ada = |one: &&crate::discord::emulator::state::Channel| one.name == "welcome-ada";
        state.channels.values().find(of_ada).unwrap().is_archived
    });
    assert!(archived);
    assert!(bot.mallory().at("welcome-mallory").button("Ask staff").is_some());
    let threads = bot.discord.with(|state| {
        let here = state.channels.values().filter(|one| one.parent == Some(WELCOME));
        here.filter(|one| one.guild == Some(GUILD)).count()
    });
    assert_eq!(threads, 2);
}

/// Nothing makes room: the thread waits, and is made once there is some.
#[tokio::test]
async fn a_conversation_begins_once_its_server_has_room_for_a_thread() {
    let flow = include_str!("../../../manifests/flows/community-welcome.toml")
        .replace("fallback   = \"dm\"", "")
        .replace("id      = \"community-welcome\"", "id = \"crowded\"");
    let bot = Bot::on(&flow).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    bot.discord.with(|state| state.faults.plan(BEGIN, 1_000, Fault::Says(400, 160_006)));
    let ada = bot.ada();
    ada.press("Start").await;
    wait(&bot, 120).await;
    bot.discord.with(|state| while state.faults.take(BEGIN, "").is_some() {});
    wait(&bot, 60).await;
    assert!(ada.button("Ask staff").is_some(), "{}", ada.screen());
}

/// The operator mends a permission and restarts the bot: whoever waited for that is waited for no longer.
#[tokio::test]
async fn a_conversation_that_paused_for_its_place_goes_on_after_a_restart() {
    let mut bot = Bot::at_the_rules(Plan::hearing()).await;
    bot.discord.with(|state| state.faults.lasting(POST, "", Fault::Says(403, 50_001)));
    bot.ada().press("I accept").await;
    let session = bot.session().await;
    assert!(bot.engine.look(session).await.unwrap().state.is_out_of_reach);
    bot.crash().await;
    bot.discord.with(|state| state.faults.clear());
    wait(&bot, 60).await;
    let state = bot.engine.look(session).await.unwrap().view.state;
    assert!(!state.is_out_of_reach, "{:?}", state.status);
    assert!(bot.ada().button("Yes").is_some(), "{}", bot.ada().screen());
}
