//! Over the gateway.

use anteroom::{
    base::telemetry::ready::Ready as _,
    config::{Environment, Secret},
};

use super::*;
use crate::discord::{
    emulator::{
        acts::Delivered,
        gateway::Happened,
        state::{OWNER, State},
    },
    proxying::Proxy,
};

/// A session of the emulator, by its place.
fn session(world: &World, number: usize) -> String {
    let names: Vec<String> = world.discord.with(|state| {
        let begun = state.gateway.happened.iter();
        begun
            .filter_map(|happened| match happened {
                Happened::Identified(name, _) => Some(name.clone()),
                _ => None,
            })
            .collect()
    });
    names[number].clone()
}

fn resumed(state: &State) -> usize {
    state.gateway.resumed()
}

async fn resumes(world: &World, times: usize) {
    let is_so = |state: &State| (resumed(state) >= times).then_some(());
    world.discord.until("the session goes on", is_so).await;
    world.connects(1).await;
}

#[tokio::test]
async fn what_happens_while_the_bot_is_away_comes_when_another_process_goes_on() {
    let world = World::new().await;
    let bot = world.connected().await;
    world.says("before");
    world.desk.arrived(1).await;
    bot.stop().await.unwrap();
    world.connects(0).await;
    // It left with a code that keeps the session.
    assert_eq!(
        world.discord.with(|state| state.gateway.happened.last().cloned()),
        Some(Happened::Left(Some(4000)))
    );
    world.says("meanwhile");
    world.discord.with(|state| state.passes_screening(ADA));
    let bot = world.connected().await;
    world.desk.arrived(2).await;
    world.says("after");
    world.desk.arrived(1).await;
    assert_eq!(world.desk.taken(), ["before", "meanwhile", "member", "after"]);
    assert_eq!(world.desk.handed_over("before"), 1, "it was durable when the bot left");
    let happened = world.discord.with(|state| state.gateway.happened.clone());
    let first = session(&world, 0);
    assert!(
        happened
            .iter()
            .any(|happened| matches!(happened, Happened::Resumed(name, _, true) if *name == first)),
        "not at its address: {happened:?}"
    );
    assert_eq!(world.discord.with(|state| state.gateway.identified()), 1);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn what_was_saved_before_a_crash_comes_again_under_the_same_name() {
    let mut world = World::new().await;
    // The number is not kept before the crash.
    world.pace.keep = Duration::from_hours(1);
    let bot = world.connected().await;
    world.says("hello");
    world.discord.with(|state| state.passes_screening(ADA));
    world.desk.arrived(2).await;
    bot.crash().await;
    world.connects(0).await;
    let bot = world.connected().await;
    world.desk.arrived(2).await;
    assert_eq!((world.desk.handed_over("hello"), world.desk.handed_over("member")), (2, 2));
    assert_eq!(world.desk.taken(), ["hello", "member"]);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn the_same_again_later_is_not_a_repeat() {
    let world = World::new().await;
    let bot = world.connected().await;
    for _ in 0..2 {
        world.discord.with(|state| state.passes_screening(ADA));
    }
    world.desk.arrived(2).await;
    assert_eq!(world.desk.taken(), ["member", "member"]);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_saved_comes_again_until_it_can() {
    let world = World::new().await;
    let bot = world.connected().await;
    world.says("one");
    world.says("full");
    world.says("two");
    let tried = |state: &State| (resumed(state) >= 2).then_some(());
    world.discord.until("the session goes on before it", tried).await;
    *world.desk.is_full.lock().unwrap() = false;
    world.discord.until("it goes on", |state| (state.gateway.connected() == 1).then_some(())).await;
    while world.desk.taken().len() < 3 {
        world.desk.arrived(1).await;
    }
    let mut taken = world.desk.taken();
    taken.sort();
    assert_eq!(taken, ["full", "one", "two"]);
    assert_eq!(world.discord.with(|state| state.gateway.identified()), 1);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn discord_is_told_no_sequence_number_that_is_not_durable() {
    let mut world = World::new().await;
    world.pace.take = PATIENCE;
    world.discord.with(|state| state.gateway.heartbeat = 150);
    let bot = world.connected().await;
    world.says("slow");
    world.says("quick");
    world.desk.arrived(2).await;
    let before = world.discord.with(|state| {
        state.gateway.happened.clear();
        state.gateway.sessions.values().next().unwrap().seq
    });
    let beats = |state: &State| {
        let beats = state.gateway.happened.iter().filter_map(|happened| match happened {
            Happened::Beat(seq) => Some(seq.unwrap_or(0)),
            _ => None,
        });
        let beats: Vec<u64> = beats.collect();
        (beats.len() > 2).then_some(beats)
    };
    let told = world.discord.until("the heart beats", beats).await;
    assert!(told.iter().all(|seq| *seq <= before - 2), "{told:?}, {before}");
    world.desk.go.add_permits(1);
    let caught_up = |state: &State| {
        (state.gateway.happened.last() == Some(&Happened::Beat(Some(before)))).then_some(())
    };
    world.discord.until("the number moves", caught_up).await;
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn a_connection_that_is_asked_to_go_elsewhere_goes_on_there() {
    let world = World::new().await;
    let bot = world.connected().await;
    world.discord.with(State::ask_to_reconnect);
    world.says("between");
    resumes(&world, 1).await;
    world.desk.arrived(1).await;
    world.discord.with(State::cut_all);
    resumes(&world, 2).await;
    world.discord.with(|state| state.close_all(4000));
    resumes(&world, 3).await;
    world.says("after");
    world.desk.arrived(1).await;
    assert_eq!(world.desk.taken(), ["between", "after"]);
    assert_eq!(world.discord.with(|state| state.gateway.identified()), 1);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn a_session_that_is_not_valid_goes_on_or_is_begun_anew() {
    let world = World::new().await;
    let bot = world.connected().await;
    world.discord.with(|state| state.invalidate(true));
    resumes(&world, 1).await;
    assert_eq!(world.discord.with(|state| state.gateway.identified()), 1);
    world.discord.with(|state| state.invalidate(false));
    let anew = |state: &State| (state.gateway.identified() == 2).then_some(());
    world.discord.until("a new session", anew).await;
    world.connects(1).await;
    // One that Discord hesitates to go on with is tried once more; one that ended in time is not.
    let name = session(&world, 1);
    world.discord.with(|state| {
        state.gateway.hesitant.insert(name);
        state.cut_all();
    });
    resumes(&world, 2).await;
    world.discord.with(|state| state.close_all(4009));
    let anew = |state: &State| (state.gateway.identified() == 3).then_some(());
    world.discord.until("another new session", anew).await;
    world.says("hello");
    world.desk.arrived(1).await;
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn a_session_that_expired_while_the_bot_was_away_is_begun_anew() {
    let world = World::new().await;
    world.connected().await.stop().await.unwrap();
    world.connects(0).await;
    world.discord.with(State::expire);
    let bot = world.connected().await;
    world.says("hello");
    world.desk.arrived(1).await;
    bot.stop().await.unwrap();
    world.connects(0).await;
    // And the new one is the one that is kept.
    let bot = world.connected().await;
    assert_eq!(world.discord.with(|state| state.gateway.identified()), 2);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn a_connection_that_only_looks_alive_is_replaced() {
    let world = World::new().await;
    world.discord.with(|state| state.gateway.heartbeat = 150);
    let bot = world.connected().await;
    world.discord.with(State::freeze_all);
    world.says("unheard");
    resumes(&world, 1).await;
    world.desk.arrived(1).await;
    assert_eq!(world.desk.taken(), ["unheard"]);
    // No 1000 or 1001, or the session had ended.
    assert_eq!(world.discord.with(|state| state.gateway.identified()), 1);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn what_discord_refuses_for_good_stops_the_bot_with_words_that_say_what_to_do() {
    let mut seen = Vec::new();
    for code in [4004, 4010, 4011, 4012, 4013, 4014] {
        let world = World::new().await;
        world.discord.with(|state| state.gateway.refusals.push(code));
        let error = world.start().await.ends().await.unwrap_err();
        seen.push(format!("{code}: {error}"));
    }
    insta::assert_snapshot!(seen.join("\n"));
}

#[tokio::test]
async fn a_privileged_intent_is_asked_for_only_where_it_is_wanted() {
    let mut world = World::new().await;
    world.discord.with(|state| state.gateway.granted = 0);
    let error = world.start().await.ends().await.unwrap_err();
    assert!(error.to_string().contains("`message_content`"), "{error}");
    (world.settings.message_content, world.settings.members) = (false, false);
    let bot = world.connected().await;
    let intents = |state: &mut State| state.gateway.sessions.values().next().unwrap().intents;
    let wanted = anteroom::gateway::discord::manifest::intents(&world.settings).bits();
    assert_eq!(world.discord.with(intents), wanted);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn a_token_that_discord_does_not_know_ends_the_start() {
    let mut world = World::new().await;
    world.settings.token = Secret::new("OTAx.wrong");
    let error = world.begin().await.unwrap_err();
    assert!(error.to_string().contains("developer portal"), "{error}");
    assert!(!error.to_string().contains("OTAx"), "{error}");
}

#[tokio::test]
async fn the_last_sessions_of_a_day_are_not_begun() {
    let world = World::new().await;
    world.discord.with(|state| state.gateway.remaining = 10);
    let bot = world.start().await;
    let asked = |state: &State| {
        let asked = state.requests.iter().filter(|asked| asked.path == "/gateway/bot");
        (asked.count() >= 2).then_some(())
    };
    world.discord.until("it asks", asked).await;
    bot.stop().await.unwrap();
    assert_eq!(world.discord.with(|state| state.gateway.identified()), 0);
}

#[tokio::test]
async fn every_shard_has_its_own_session() {
    let world = World::new().await;
    world.discord.with(|state| state.gateway.shards = 3);
    let bot = world.start().await;
    bot.knows_of(3).await;
    bot.stop().await.unwrap();
    world.connects(0).await;
    let bot = world.start().await;
    bot.knows_of(3).await;
    let count = |state: &mut State| (state.gateway.identified(), state.gateway.resumed());
    assert_eq!(world.discord.with(count), (3, 3));
    // With another number of them, none goes on.
    bot.stop().await.unwrap();
    world.connects(0).await;
    world.discord.with(|state| state.gateway.shards = 2);
    let bot = world.start().await;
    bot.knows_of(2).await;
    assert_eq!(world.discord.with(count), (5, 3));
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn an_interaction_is_answered_once_it_is_saved() {
    let mut world = World::new().await;
    world.pace.take = PATIENCE;
    let bot = world.connected().await;
    let card = world.discord.with(|state| state.writes(OWNER, CHANNEL, "a card", &[]));
    let (token, delivered) =
        world.discord.interact(3, ADA, (CHANNEL, Some(card)), &button("slow")).await;
    assert_eq!(delivered, Delivered::Dispatched);
    world.desk.arrived(2).await;
    let answer = |state: &State| state.interactions[&token].answer;
    assert_eq!(world.discord.with(|state| answer(state)), None, "answered before it was saved");
    world.desk.go.add_permits(1);
    assert_eq!(world.discord.until("an answer", answer).await, 6);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn what_was_pressed_while_the_bot_was_away_is_kept_though_it_cannot_be_answered() {
    let world = World::new().await;
    world.connected().await.stop().await.unwrap();
    world.connects(0).await;
    let data = json!({ "id": "1", "name": "onboard", "type": 1 });
    let (late, _) = world.discord.interact(2, ADA, (CHANNEL, None), &data).await;
    world.discord.with(|state| state.advance(chrono::TimeDelta::seconds(30)));
    world.clock.advance(chrono::TimeDelta::seconds(30));
    let (quick, _) = world.discord.interact(2, ADA, (CHANNEL, None), &data).await;
    let bot = world.connected().await;
    world.desk.arrived(2).await;
    let answer = |state: &State| state.interactions[&quick].answer;
    assert_eq!(world.discord.until("an answer in time", answer).await, 5);
    bot.stop().await.unwrap();
    assert_eq!(world.desk.taken(), ["onboard", "onboard"]);
    let asked = |state: &mut State| {
        state.requests.iter().filter(|asked| asked.path.contains(&late)).count()
    };
    assert_eq!(world.discord.with(asked), 0);
}

#[tokio::test]
async fn the_page_of_health_knows_whether_discord_reaches_the_bot() {
    let world = World::new().await;
    let bot = world.connected().await;
    world.says("hello");
    world.desk.arrived(1).await;
    assert_eq!((bot.link.open(), bot.link.ready()), (1, Ok(())));
    world.discord.with(|state| {
        state.gateway.refusals = vec![4000; 200];
        state.cut_all();
    });
    while bot.link.ready().is_ok() {
        tokio::task::yield_now().await;
    }
    assert!(bot.link.ready().unwrap_err().contains("no connection to Discord"));
    world.discord.with(|state| state.gateway.refusals.clear());
    while bot.link.ready().is_err() {
        tokio::task::yield_now().await;
    }
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn the_gateway_is_reached_through_a_proxy() {
    let proxy = Proxy::start().await;
    let mut world = World::new().await;
    let environment = Environment::from([("HTTP_PROXY", proxy.url.as_str())]);
    world.settings.proxies = Proxies::of(&environment).unwrap();
    let bot = world.connected().await;
    world.says("hello");
    world.desk.arrived(1).await;
    let gateway = world.discord.with(|state| state.gateway.url.replace("ws://", ""));
    let asked = proxy.asked();
    assert!(asked[0].starts_with(&format!("CONNECT {gateway} HTTP/1.1")), "{asked:?}");
    assert_eq!(asked.len(), 1);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn what_is_no_event_breaks_nothing() {
    let world = World::new().await;
    let bot = world.connected().await;
    for frame in [
        "",
        "nonsense",
        "[]",
        r#"{"op":99}"#,
        r#"{"op":0}"#,
        r#"{"op":0,"t":"X","s":-1}"#,
        r#"{"op":1}"#,
    ] {
        world.discord.with(|state| state.say_all(frame));
    }
    world.says("hello");
    world.desk.arrived(1).await;
    assert_eq!(world.discord.with(|state| state.gateway.connected()), 1);
    bot.stop().await.unwrap();
}
