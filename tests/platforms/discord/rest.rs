//! The client of the REST API: what it does once and what again, how long it waits, and what it says then.

use std::time::{Duration, Instant};

use anteroom::{
    config::Secret,
    gateway::discord::{
        api::{Answered, Api, Code, Failure, Method, Near, Pace},
        files::Files,
        inbound::{Ticket, Token},
    },
    model::artifact::Offer,
};
use chrono::TimeDelta;
use serde_json::json;

use crate::discord::emulator::{
    Discord,
    calls::route,
    faults::Fault,
    state::{APPLICATION, GUILD, OWNER, State, TOKEN, may},
};

const CHANNEL: u64 = 600;
const ADA: u64 = 701;
const MAKER: u64 = 502;
const POST: &str = "POST /channels/{channel}/messages";
const EDIT: &str = "PATCH /channels/{channel}/messages/{message}";

/// The times of real life, shortened; patient, where a test is about waiting.
fn pace(patience: Duration) -> Pace {
    Pace {
        call: Duration::from_millis(200),
        patience,
        pause: Duration::from_millis(5),
        ..Pace::default()
    }
}

async fn discord() -> (Discord, Api) {
    let discord = Discord::start().await;
    discord.with(|state| {
        state.add_channel(CHANNEL, "welcome");
        state.add_channel(601, "another");
        state.add_user(ADA, "ada");
        state.add_role(MAKER, "maker", 2, 0);
        state.add_role(503, "admin", 9, may::ADMINISTRATOR);
    });
    let api = client(&discord, Duration::from_secs(20));
    (discord, api)
}

fn client(discord: &Discord, patience: Duration) -> Api {
    let token = Secret::new(TOKEN.trim_start_matches("Bot "));
    Api::new(&discord.base, token, pace(patience)).unwrap()
}

fn ticket(discord: &Discord, kind: u8) -> Ticket {
    let (id, token) = discord.with(|state| state.interact(kind, ADA, CHANNEL, None));
    let application = APPLICATION.to_string();
    Ticket { id: id.to_string(), token: Token(token), application, ..Ticket::default() }
}

/// How often a call arrived, by how its path ends.
fn asked(discord: &Discord, method: &str, end: &str) -> usize {
    let is_it = |state: &mut State| {
        let asked = state.requests.iter();
        asked.filter(|asked| asked.method == method && asked.path.ends_with(end)).count()
    };
    discord.with(is_it)
}

fn shown(discord: &Discord, channel: u64) -> usize {
    discord.with(|state| state.channels[&channel].messages.len())
}

#[tokio::test]
async fn forty_posts_into_a_bucket_of_five_arrive_and_none_comes_too_early() {
    let (discord, api) = discord().await;
    discord.with(|state| {
        state.buckets.paces.insert(POST, (5, TimeDelta::milliseconds(250)));
        state.let_time_flow();
    });
    let posting = (0..40).map(|n| {
        let (api, nonce) = (api.clone(), format!("nonce-{n}"));
        async move { api.post("600", &nonce, json!({ "content": "Hello" })).await }
    });
    for posted in futures::future::join_all(posting).await {
        posted.unwrap();
    }
    assert_eq!(discord.with(|state| state.buckets.refused), 0);
    assert_eq!(shown(&discord, CHANNEL), 40);
}

#[tokio::test]
async fn who_would_wait_too_long_is_told_how_long() {
    let (discord, _) = discord().await;
    let api = client(&discord, Duration::from_millis(100));
    for n in 0..5 {
        api.post("600", &format!("n{n}"), json!({ "content": "Hello" })).await.unwrap();
    }
    let failure = api.post("600", "n5", json!({ "content": "Hello" })).await.unwrap_err();
    let Failure::Later { after } = failure else { panic!("{failure}") };
    assert!(after > Duration::from_secs(3) && after <= Duration::from_millis(5_010), "{after:?}");
    api.post("601", "n6", json!({ "content": "Hello" })).await.unwrap();
    assert_eq!(discord.with(|state| state.buckets.refused), 0);
}

#[tokio::test]
async fn a_post_that_arrived_without_an_answer_is_made_again_and_stands_there_once() {
    let (discord, api) = discord().await;
    discord.with(|state| state.buckets.paces.insert(POST, (100, TimeDelta::seconds(5))));
    for (n, fault) in [Fault::BrokenAfter, Fault::HangAfter, Fault::Broken].into_iter().enumerate()
    {
        discord.with(|state| state.faults.plan(POST, 1, fault));
        let id = api.post("600", &format!("n{n}"), json!({ "content": "Hello" })).await.unwrap();
        let is_there = |state: &mut State| {
            state.channels[&CHANNEL].messages.contains_key(&id.parse().unwrap())
        };
        assert!(discord.with(is_there), "{fault:?}");
        assert_eq!(shown(&discord, CHANNEL), n + 1, "{fault:?}");
    }
}

#[tokio::test]
async fn what_would_be_seen_twice_is_not_made_again() {
    let (discord, api) = discord().await;
    let ticket = ticket(&discord, 2);
    api.answer(&ticket, json!({ "type": 4, "data": { "content": "Hello" } })).await.unwrap();
    let follow = "POST /webhooks/{application}/{token}";
    discord.with(|state| state.faults.plan(follow, 1, Fault::BrokenAfter));
    let failure = api.follow_up(&ticket, json!({ "content": "More" })).await.unwrap_err();
    assert!(matches!(failure, Failure::Unclear { .. }), "{failure}");
    assert_eq!(shown(&discord, CHANNEL), 2);
    let thread = "POST /channels/{channel}/threads";
    discord.with(|state| state.faults.plan(thread, 1, Fault::BrokenAfter));
    let body = json!({ "type": 12, "name": "Ada", "invitable": false });
    let failure = api.begin_thread("600", body, None).await.unwrap_err();
    assert!(matches!(failure, Failure::Unclear { .. }), "{failure}");
    // Who asks sees that it was made.
    let threads = api.active_threads(&GUILD.to_string()).await.unwrap();
    assert_eq!(threads.len(), 1);
    assert_eq!(threads[0]["name"], "Ada");
}

#[tokio::test]
async fn after_some_times_the_answer_stays_unclear() {
    let (discord, api) = discord().await;
    discord.with(|state| state.faults.plan(EDIT, 3, Fault::Broken));
    let id = api.post("600", "n", json!({ "content": "Hello" })).await.unwrap();
    let failure = api.edit("600", &id, json!({ "content": "Bye" })).await.unwrap_err();
    assert_eq!(failure.to_string(), "no clear answer from Discord: status 502 Bad Gateway");
    api.edit("600", &id, json!({ "content": "Bye" })).await.unwrap();
}

#[tokio::test]
async fn a_limit_over_everything_holds_everything_up_and_one_of_a_bucket_only_that() {
    let (discord, api) = discord().await;
    discord.with(|state| state.faults.plan(POST, 1, Fault::Wall(300)));
    let began = Instant::now();
    let (posted, member) =
        tokio::join!(api.post("600", "n", json!({ "content": "Hello" })), async {
            discord.until("the wall", |state| (!state.requests.is_empty()).then_some(())).await;
            // The answer is on its way back.
            for _ in 0..50 {
                tokio::task::yield_now().await;
            }
            api.me().await
        });
    posted.unwrap();
    member.unwrap();
    assert!(began.elapsed() >= Duration::from_millis(300));
    assert_eq!(asked(&discord, "POST", "/messages"), 2);
    let quick = client(&discord, Duration::ZERO);
    discord.with(|state| state.faults.plan(POST, 1, Fault::TooMany(60)));
    let failure = quick.post("600", "m", json!({ "content": "Hello" })).await.unwrap_err();
    assert_eq!(failure, Failure::Later { after: Duration::from_mins(1) });
    quick.me().await.unwrap();
    let failure = quick.post("600", "m", json!({ "content": "Hello" })).await.unwrap_err();
    assert!(matches!(failure, Failure::Later { .. }), "{failure}");
    assert_eq!(asked(&discord, "POST", "/messages"), 3, "it is not asked again meanwhile");
}

#[tokio::test]
async fn a_token_that_is_refused_is_not_shown_again_at_once() {
    let discord = Discord::start().await;
    let api = Api::new(&discord.base, Secret::new("OTAx.wrong"), pace(Duration::ZERO)).unwrap();
    for _ in 0..5 {
        assert_eq!(api.guild("500").await, Err(Failure::BadToken));
    }
    assert_eq!(asked(&discord, "GET", "/guilds/500"), 1);
    assert_eq!(asked(&discord, "GET", "/users/@me"), 1);
}

/// An answer to an interaction needs no token of the bot.
#[tokio::test]
async fn an_answer_to_an_interaction_goes_out_while_the_token_is_refused() {
    let (discord, _) = discord().await;
    let api = client(&discord, Duration::ZERO);
    discord.with(|state| state.is_token_refused = true);
    let failure = api.post("600", "n", json!({ "content": "Hello" })).await.unwrap_err();
    assert_eq!(failure, Failure::BadToken);
    let pressed = ticket(&discord, 2);
    let answer = json!({ "type": 5, "data": { "flags": 64 } });
    assert_eq!(api.answer(&pressed, answer).await, Ok(Answered::Now));
    api.edit_answer(&pressed, json!({ "content": "Here it is" })).await.unwrap();
}

/// Answers to interactions are not bound by the limit over all calls.
#[tokio::test]
async fn an_answer_to_an_interaction_goes_out_while_everything_is_limited() {
    let (discord, _) = discord().await;
    let api = client(&discord, Duration::ZERO);
    discord.with(|state| state.faults.plan(POST, 1, Fault::Wall(60_000)));
    let failure = api.post("600", "n", json!({ "content": "Hello" })).await.unwrap_err();
    assert!(matches!(failure, Failure::Later { .. }), "{failure}");
    let pressed = ticket(&discord, 2);
    let answer = json!({ "type": 5, "data": { "flags": 64 } });
    assert_eq!(api.answer(&pressed, answer).await, Ok(Answered::Now));
    api.edit_answer(&pressed, json!({ "content": "Here it is" })).await.unwrap();
    assert!(api.me().await.is_err(), "what needs the token waits");
}

/// What stands before Discord looks at the address alone.
#[tokio::test]
async fn an_address_that_is_turned_away_sends_nothing_at_all() {
    let (discord, _) = discord().await;
    let api = client(&discord, Duration::ZERO);
    discord.with(|state| state.faults.plan(POST, 1, Fault::Turned(60)));
    let failure = api.post("600", "n", json!({ "content": "Hello" })).await.unwrap_err();
    assert_eq!(failure, Failure::Later { after: Duration::from_mins(1) });
    let pressed = ticket(&discord, 2);
    let failure = api.answer(&pressed, json!({ "type": 5 })).await.unwrap_err();
    assert!(matches!(failure, Failure::Later { .. }), "{failure}");
}

/// One refusal is no proof: the token is looked at, and the call made again.
#[tokio::test]
async fn a_token_that_works_is_not_given_up_for_one_refusal() {
    let (discord, api) = discord().await;
    discord.with(|state| state.faults.plan(POST, 1, Fault::Says(401, 0)));
    api.post("600", "n", json!({ "content": "Hello" })).await.unwrap();
    assert_eq!(shown(&discord, CHANNEL), 1);
    assert_eq!(asked(&discord, "GET", "/users/@me"), 1);
}

/// A token that is refused is asked about now and then, and works again by itself.
#[tokio::test]
async fn a_token_that_was_renewed_works_without_a_restart() {
    let (discord, _) = discord().await;
    let token = Secret::new(TOKEN.trim_start_matches("Bot "));
    let recheck = Duration::from_millis(40);
    let pace = Pace { recheck, ..pace(Duration::ZERO) };
    let api = Api::new(&discord.base, token, pace).unwrap();
    discord.with(|state| state.is_token_refused = true);
    let begun = Instant::now();
    let most = || 1 + usize::try_from(begun.elapsed().as_millis() / recheck.as_millis()).unwrap();
    let post = || api.post("600", "n", json!({ "content": "Hello" }));
    for _ in 0..20 {
        assert_eq!(post().await, Err(Failure::BadToken));
    }
    assert_eq!(asked(&discord, "POST", "/messages"), 1, "it is not shown again and again");
    assert!((1..=most()).contains(&asked(&discord, "GET", "/users/@me")));
    discord.with(|state| state.is_token_refused = false);
    let works = async {
        while post().await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(crate::discord::emulator::PATIENCE, works).await.expect("it works again");
    assert!((2..=most()).contains(&asked(&discord, "GET", "/users/@me")));
}

#[tokio::test]
async fn what_discord_refuses_has_a_name() {
    let (discord, api) = discord().await;
    let guild = GUILD.to_string();
    let body = || json!({ "content": "Hello" });
    let mut seen = Vec::new();
    let mut see = |what: &str, failure: Failure| seen.push(format!("{what}: {failure}"));
    discord.with(|state| state.users.get_mut(&ADA).unwrap().is_closed = true);
    let direct = api.open_direct("701").await.unwrap();
    see("direct", api.post(&direct, "a", body()).await.unwrap_err());
    see("channel", api.post("999", "b", body()).await.unwrap_err());
    let id = api.post("600", "c", body()).await.unwrap();
    api.delete("600", &id).await.unwrap();
    see("deleted", api.delete("600", &id).await.unwrap_err());
    see("posted and deleted", api.post("600", "c", body()).await.unwrap_err());
    see("role", api.give_role((&guild, "701"), "503", "why").await.unwrap_err());
    see("no role", api.give_role((&guild, "701"), "999", "why").await.unwrap_err());
    see("member", api.member(&guild, "999").await.unwrap_err());
    see("words", api.post("600", "d", json!({ "content": "x".repeat(2001) })).await.unwrap_err());
    see("id", api.channel("../users/@me").await.unwrap_err());
    let thread = json!({ "type": 12, "name": "Ada", "invitable": false });
    let thread = api.begin_thread("600", thread, None).await.unwrap();
    let message = api.post(&thread, "e", body()).await.unwrap();
    api.change_channel(&thread, json!({ "archived": true }), None).await.unwrap();
    see("archived", api.edit(&thread, &message, body()).await.unwrap_err());
    let old = api.post("600", "f", body()).await.unwrap();
    discord.with(|state| state.advance(TimeDelta::hours(2)));
    for _ in 0..3 {
        api.edit("600", &old, body()).await.unwrap();
    }
    see("old", api.edit("600", &old, body()).await.unwrap_err());
    insta::assert_snapshot!(seen.join("\n"));
}

#[tokio::test]
async fn an_interaction_is_answered_once_within_three_seconds() {
    let (discord, api) = discord().await;
    let ticket = ticket(&discord, 2);
    let answer = || json!({ "type": 5, "data": { "flags": 64 } });
    assert_eq!(api.answer(&ticket, answer()).await, Ok(Answered::Now));
    assert_eq!(api.answer(&ticket, answer()).await, Ok(Answered::Before));
    api.edit_answer(&ticket, json!({ "content": "Here it is" })).await.unwrap();
    assert_eq!(api.answered(&ticket).await.unwrap()["content"], "Here it is");
    api.delete_answer(&ticket).await.unwrap();
    discord.with(|state| state.advance(TimeDelta::minutes(16)));
    let failure = api.edit_answer(&ticket, json!({ "content": "Late" })).await.unwrap_err();
    assert!(failure.is(Code::ExpiredToken), "{failure}");
    let late = self::ticket(&discord, 2);
    discord.with(|state| state.advance(TimeDelta::seconds(4)));
    let failure = api.answer(&late, answer()).await.unwrap_err();
    assert!(failure.is(Code::UnknownInteraction), "{failure}");
    assert!(!format!("{failure} {late:?}").contains(&late.token.0));
}

#[tokio::test]
async fn a_post_is_found_again_among_what_stands_around_it() {
    let (discord, api) = discord().await;
    let mut ids = Vec::new();
    for n in 0..4 {
        ids.push(api.post("600", &format!("n{n}"), json!({ "content": "Hello" })).await.unwrap());
    }
    let found = |messages: Vec<serde_json::Value>| -> Vec<String> {
        messages.iter().map(|message| message["nonce"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(found(api.messages("600", Near::Latest, 2).await.unwrap()), ["n3", "n2"]);
    assert_eq!(found(api.messages("600", Near::After(&ids[1]), 10).await.unwrap()), ["n3", "n2"]);
    assert_eq!(found(api.messages("600", Near::Before(&ids[1]), 10).await.unwrap()), ["n0"]);
    assert_eq!(
        found(api.messages("600", Near::Around(&ids[2]), 3).await.unwrap()),
        ["n3", "n2", "n1"]
    );
    assert_eq!(shown(&discord, CHANNEL), 4);
}

#[tokio::test]
async fn roles_change_with_a_reason_in_any_language() {
    let (discord, api) = discord().await;
    let guild = GUILD.to_string();
    let reason = "Ada’s answers: approved by Zoë\n(100 %)";
    api.give_role((&guild, "701"), "502", reason).await.unwrap();
    api.give_role((&guild, "701"), "502", &"x".repeat(600)).await.unwrap();
    let reasons = discord.with(|state| {
        let asked = state.requests.iter().filter(|asked| asked.method == "PUT");
        asked.map(|asked| asked.reason.clone()).collect::<Vec<_>>()
    });
    assert_eq!(reasons, [reason.to_owned(), "x".repeat(512)]);
    api.take_role((&guild, "701"), "502", "over").await.unwrap();
    assert!(discord.with(|state| state.guilds[&GUILD].members[&ADA].roles.is_empty()));
}

#[tokio::test]
async fn files_come_whole_from_discord_or_not_at_all() {
    let (discord, _) = discord().await;
    let files = Files::new(&discord.base, 2048).unwrap();
    let sent = |bytes: &[u8], name: &str| {
        let said = discord.with(|state| state.upload(CHANNEL, (name, "text/plain"), bytes, true));
        Offer {
            id: said["id"].as_str().unwrap().to_owned(),
            name: name.to_owned(),
            bytes: None,
            url: said["url"].as_str().unwrap().to_owned(),
        }
    };
    let mut seen = Vec::new();
    let mut see = |what: &str, fetched: Result<Vec<u8>, anteroom::chat::NotFetched>| {
        seen.push(format!("{what}: {:?}", fetched.map(|bytes| String::from_utf8(bytes).unwrap())));
    };
    let small = sent(b"%PDF-1.7", "cv.pdf");
    see("small", files.fetch(&small).await);
    see("large", files.fetch(&sent(&[b'x'; 3000], "large.txt")).await);
    see("announced", files.fetch(&Offer { bytes: Some(1 << 30), ..small.clone() }).await);
    let forged = small.url.replace("hm=", "hm=0");
    see("forged", files.fetch(&Offer { url: forged, ..small.clone() }).await);
    let elsewhere = "https://files.example.org/cv.pdf".to_owned();
    see("elsewhere", files.fetch(&Offer { url: elsewhere, ..small.clone() }).await);
    discord.with(|state| state.advance(TimeDelta::hours(25)));
    see("a day later", files.fetch(&small).await);
    insta::assert_snapshot!(seen.join("\n"));
    // A file of a message has a fresh address each time that the message is asked for.
    let api = client(&discord, Duration::ZERO);
    let message = discord.with(|state| {
        let file = state.upload(CHANNEL, ("cv.pdf", "application/pdf"), b"%PDF-1.7", false);
        state.writes(OWNER, CHANNEL, "here", &[file])
    });
    discord.with(|state| state.advance(TimeDelta::hours(25)));
    let again = api.message("600", &message.to_string()).await.unwrap();
    let url = again["attachments"][0]["url"].as_str().unwrap().to_owned();
    files.fetch(&Offer { url, ..small }).await.unwrap();
}

#[tokio::test]
async fn a_message_takes_a_file_along() {
    let (discord, api) = discord().await;
    let bytes = b"--anteroom-n\r\nnot the end\r\n\0\xff".to_vec();
    let body = || json!({ "content": "Your copy" });
    let file = || ("Zoë's \"copy\"\r\n.zip", bytes.clone());
    discord.with(|state| state.faults.plan(POST, 1, Fault::BrokenAfter));
    let id = api.post_file("600", "n", body(), file()).await.unwrap();
    let message = api.message("600", &id).await.unwrap();
    let attached = &message["attachments"][0];
    assert_eq!(
        (&message["content"], &attached["filename"]),
        (&json!("Your copy"), &json!("Zoë's copy.zip"))
    );
    let url = attached["url"].as_str().unwrap().to_owned();
    let files = Files::new(&discord.base, 2048).unwrap();
    let offer = Offer { id, name: String::new(), bytes: None, url };
    assert_eq!(files.fetch(&offer).await.unwrap(), bytes);
    assert_eq!(shown(&discord, CHANNEL), 1);
}

#[tokio::test]
async fn commands_are_registered_all_at_once() {
    let (_discord, api) = discord().await;
    let application = APPLICATION.to_string();
    let command = json!({ "name": "onboard", "type": 1, "description": "Begin" });
    api.register(&application, None, vec![command.clone()]).await.unwrap();
    assert_eq!(api.commands(&application, None).await.unwrap(), [command]);
    assert_eq!(api.application().await.unwrap()["id"], application.as_str());
    assert_eq!(api.roles(&GUILD.to_string()).await.unwrap().len(), 4);
}

#[tokio::test]
async fn a_server_has_commands_of_its_own_and_channels_have_invites() {
    let (discord, api) = discord().await;
    let (application, guild) = (APPLICATION.to_string(), GUILD.to_string());
    let command = json!({ "name": "review", "type": 1, "description": "Look" });
    api.register(&application, Some(&guild), vec![command.clone()]).await.unwrap();
    assert_eq!(api.commands(&application, Some(&guild)).await.unwrap(), [command]);
    assert!(api.commands(&application, None).await.unwrap().is_empty());
    let failure = api.invite("600", json!({ "max_uses": 1 }), None).await.unwrap_err();
    assert!(failure.is(Code::MissingPermissions), "{failure}");
    discord.with(|state| state.add_role(503, "inviter", 1, may::INVITE));
    let give = |state: &mut State| {
        let guild = state.guilds.get_mut(&GUILD).unwrap();
        guild.members.get_mut(&crate::discord::emulator::state::BOT).unwrap().roles.insert(503);
    };
    discord.with(give);
    api.invite("600", json!({ "max_uses": 1, "unique": true }), Some("Ada")).await.unwrap();
}

#[test]
fn every_call_is_one_that_discord_knows() {
    for method in Method::ALL {
        let filled: Vec<&str> = method
            .path()
            .split('/')
            .map(|part| if part.starts_with('{') { "1" } else { part })
            .collect();
        let known =
            route(method.verb().name(), &filled.join("/")).map(|(route, _)| route.to_owned());
        assert_eq!(known, Some(format!("{} {}", method.verb().name(), method.path())));
    }
}

#[test]
fn nothing_is_said_plainly_but_to_this_machine() {
    let api = |base: &str| Api::new(base, Secret::new("OTAw.secret"), Pace::default());
    api("https://discord.com/api/v10").unwrap();
    api("http://127.0.0.1:8080/api/v10").unwrap();
    for base in ["http://discord.com/api/v10", "ftp://127.0.0.1", "nonsense"] {
        assert!(api(base).is_err(), "{base}");
    }
    let shown = format!("{:?}", api("https://discord.com/api/v10").unwrap());
    assert!(!shown.contains("secret"), "{shown}");
}
