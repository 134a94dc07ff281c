//! Over sockets.

use anteroom::base::telemetry::ready::Ready as _;

use super::*;
use crate::slack::emulator::{faults::Fault, wire::Lost};

async fn until(is_so: impl Fn() -> bool) {
    let looking = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, looking).await.expect("it comes to be");
}

#[tokio::test]
async fn what_arrives_is_acknowledged_once_it_is_saved() {
    let bot = Bot::connected().await;
    let sending = tokio::spawn({
        let slack = bot.slack.clone();
        async move { slack.send(message(1, "slow")).await }
    });
    bot.desk.arrived(1).await;
    assert!(!sending.is_finished(), "acknowledged before it was saved");
    bot.desk.go.add_permits(1);
    assert_eq!(sending.await.unwrap(), Ok(Value::Null));
    assert_eq!(bot.desk.taken(), ["slow"]);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn a_slow_one_delays_no_other() {
    let bot = Bot::connected().await;
    let slow: Vec<_> = (0..8)
        .map(|number| {
            let slack = bot.slack.clone();
            tokio::spawn(async move { slack.send(message(number, "never")).await })
        })
        .collect();
    bot.desk.arrived(8).await;
    for number in 10..20 {
        assert_eq!(bot.slack.send(message(number, "quick")).await, Ok(Value::Null));
    }
    for late in slow {
        late.abort();
    }
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_saved_is_not_acknowledged_and_comes_again() {
    let bot = Bot::connected().await;
    bot.slack.with(|state| state.settings.ack_limit = Duration::from_millis(700));
    assert_eq!(bot.slack.send(message(1, "full")).await, Err(Lost));
    assert_eq!(bot.slack.send(message(2, "never")).await, Err(Lost));
    assert_eq!(bot.slack.redeliver().await, 2);
    assert!(bot.desk.taken().is_empty());
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn who_pressed_or_typed_is_told_that_it_was_not_saved() {
    let bot = Bot::connected().await;
    bot.slack.with(|state| state.settings.ack_limit = Duration::from_millis(700));
    let (address, mut replies) = ear().await;
    assert_eq!(bot.slack.send(click("full", &address)).await, Err(Lost));
    insta::assert_snapshot!(next(&mut replies).await, @r#"{"response_type":"ephemeral","replace_original":false,"text":"That couldn't be saved right now. Please try again."}"#);
    // What takes too long may be saved yet.
    assert_eq!(bot.slack.send(command("never", &address)).await, Err(Lost));
    insta::assert_snapshot!(next(&mut replies).await, @r#"{"response_type":"ephemeral","replace_original":false,"text":"That's taking longer than usual, and it may still be saved. If nothing has changed here in a minute, please try again."}"#);
    // Not everywhere: an address that is not Slack's hears nothing, and nothing breaks.
    assert_eq!(bot.slack.send(click("full", "https://example.org/respond")).await, Err(Lost));
    bot.stop().await.unwrap();
    assert!(replies.try_recv().is_err());
}

#[tokio::test]
async fn answers_go_where_they_can() {
    let bot = Bot::connected().await;
    let (address, mut replies) = ear().await;
    insta::assert_snapshot!(bot.slack.send(form()).await.unwrap(), @r#"{"response_action":"errors","errors":{"name":"Please write it"}}"#);
    insta::assert_snapshot!(bot.slack.send(command("status", &address)).await.unwrap(), @r#"{"response_type":"ephemeral","text":"Only you see this"}"#);
    // What was pressed has no answer of its own.
    assert_eq!(bot.slack.send(click("go", &address)).await, Ok(Value::Null));
    insta::assert_snapshot!(next(&mut replies).await, @r#"{"response_type":"ephemeral","replace_original":false,"text":"Only you see this"}"#);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn a_socket_whose_end_is_announced_is_replaced_before_it_is_left() {
    let bot = Bot::connected().await;
    for round in 0..3 {
        let in_flight = tokio::spawn({
            let slack = bot.slack.clone();
            async move { slack.send(message(round, "slow")).await }
        });
        bot.desk.arrived(1).await;
        if round == 1 {
            bot.slack.disconnect_barely().await;
        } else {
            bot.slack.disconnect("refresh_requested").await;
        }
        bot.slack.connected(2).await;
        // The old one still takes its acknowledgement.
        bot.desk.go.add_permits(1);
        assert_eq!(in_flight.await.unwrap(), Ok(Value::Null), "round {round}");
        assert_eq!(bot.slack.send(message(100 + round, "more")).await, Ok(Value::Null));
        bot.desk.arrived(1).await;
    }
    bot.slack.cut().await;
    bot.slack.connected(2).await;
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn a_socket_on_which_nothing_arrives_is_given_up() {
    let bot = Bot::connected().await;
    bot.slack.freeze().await;
    let before = bot.slack.calls_of("apps.connections.open").len();
    bot.slack
        .until("the sockets are replaced", |state| {
            let opened = state.calls.iter().filter(|call| call.method == "apps.connections.open");
            (opened.count() >= before + 2).then_some(())
        })
        .await;
    bot.slack.connected(4).await;
    bot.slack.cut().await;
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn no_connection_is_tried_again_and_told_to_who_asks() {
    let bot = Bot::connected().await;
    assert_eq!(bot.link.ready(), Ok(()));
    until(|| bot.link.open() == 2).await;
    bot.slack.fail("apps.connections.open", 6, Fault::Broken);
    bot.slack.cut().await;
    until(|| bot.link.ready().is_err()).await;
    let why = bot.link.ready().unwrap_err();
    assert!(why.starts_with("there has been no connection to Slack for "), "{why}");
    bot.slack.connected(2).await;
    bot.slack.send(message(1, "back")).await.unwrap();
    until(|| bot.link.ready().is_ok()).await;
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn socket_mode_that_was_switched_off_ends_it_with_words() {
    let bot = Bot::connected().await;
    bot.slack.disconnect("link_disabled").await;
    let ended = tokio::time::timeout(PATIENCE, bot.running).await.expect("it ends").unwrap();
    insta::assert_snapshot!(ended.unwrap_err(), @r#"Socket Mode is switched off in the app's settings. hint: switch it on under "Socket Mode", or write `transport = "http"`"#);
}

#[tokio::test]
async fn tokens_that_slack_refuses_end_the_start_with_words() {
    let clock = Arc::new(FixedClock::new("2026-11-02T10:00:00Z".parse().unwrap()));
    let slack = Slack::start(Settings::new()).await;
    let desk = Desk::new();
    let mut wanted = settings(&slack, socket());
    wanted.transport = SlackTransport::Socket { app_token: Secret::new("xapp-wrong"), sockets: 1 };
    insta::assert_snapshot!(begin(&wanted, &desk, &clock).await.unwrap_err(), @r#"Slack does not open sockets for the app's token: `invalid_auth`. hint: it needs the scope `connections:write` ("Basic Information" of the app's settings), and Socket Mode must be switched on there"#);
    wanted.tokens = SlackTokens::One { bot_token: Secret::new("xoxb-wrong"), bot_token_file: None };
    insta::assert_snapshot!(begin(&wanted, &desk, &clock).await.unwrap_err(), @r#"Slack does not accept the bot's token: `invalid_auth`. hint: copy it anew from "OAuth & Permissions" of the app's settings; reinstalling the app changes it"#);

    // A Slack that cannot be reached is waited for.
    let wanted = settings(&slack, socket());
    slack.fail("*", 4, Fault::Broken);
    let connection = begin(&wanted, &desk, &clock).await.unwrap();
    let shutdown = CancellationToken::new();
    let running = tokio::spawn(connection.run(shutdown.clone()));
    slack.connected(2).await;
    shutdown.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn too_many_sockets_are_waited_for() {
    let bot = Bot::connected().await;
    let wanted = settings(
        &bot.slack,
        SlackTransport::Socket { app_token: Secret::new(APP_TOKEN), sockets: 9 },
    );
    let more = begin(&wanted, &bot.desk, &bot.clock).await.unwrap();
    let shutdown = CancellationToken::new();
    let running = tokio::spawn(more.run(shutdown.clone()));
    // Slack takes ten; one of eleven waits its turn, and gets it.
    bot.slack.connected(10).await;
    bot.shutdown.cancel();
    bot.running.await.unwrap().unwrap();
    bot.slack.until("the last one gets in", |_| (bot.slack.sockets() == 9).then_some(())).await;
    shutdown.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_is_not_known_is_acknowledged_and_what_is_not_json_survived() {
    let bot = Bot::connected().await;
    bot.slack.say_raw("not json").await;
    bot.slack.say_raw("{}").await;
    bot.slack.say_raw("[1, 2]").await;
    bot.slack.say_raw(&json!({"type": "events_api", "payload": null}).to_string()).await;
    let strange = Push { kind: "of_next_year", ..message(1, "x") };
    assert_eq!(bot.slack.send(strange).await, Ok(Value::Null));
    let reaction = json!({"team_id": TEAM, "event_id": "Ev9", "event": {"type": "reaction_added", "user": "U01"}});
    assert_eq!(bot.slack.send(Push::event("9", reaction)).await, Ok(Value::Null));
    assert_eq!(bot.slack.send(message(2, "hello")).await, Ok(Value::Null));
    assert_eq!(bot.desk.taken(), ["hello"]);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn what_is_in_flight_is_finished_before_it_stops() {
    let bot = Bot::connected().await;
    let in_flight = tokio::spawn({
        let slack = bot.slack.clone();
        async move { slack.send(message(1, "slow")).await }
    });
    bot.desk.arrived(1).await;
    bot.shutdown.cancel();
    // The sockets hear of it before the work is done.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    bot.desk.go.add_permits(1);
    assert_eq!(in_flight.await.unwrap(), Ok(Value::Null));
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn a_flood_is_taken_whole() {
    let bot = Bot::connected().await;
    let sent = (0..500).map(|number| bot.slack.send(message(number, "one")));
    let answers = futures::future::join_all(sent).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(bot.desk.taken().len(), 500);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn with_sockets_too_workspaces_install_the_app_over_http_and_nothing_else_comes_that_way() {
    use crate::slack::emulator::{CLIENT_ID, CLIENT_SECRET};
    use anteroom::{
        config::settings::SlackOauth, gateway::slack::installations, store::memory::MemoryStore,
    };
    let clock = Arc::new(FixedClock::new("2026-11-02T10:00:00Z".parse().unwrap()));
    let slack = Slack::start(Settings::new()).await;
    let mut wanted = settings(&slack, socket());
    let oauth = SlackOauth {
        client_id: CLIENT_ID.to_owned(),
        client_secret: Secret::new(CLIENT_SECRET),
        redirect_url: "http://127.0.0.1:1/slack/oauth".to_owned(),
        tokens_key: Secret::new("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
    };
    let store = Arc::new(MemoryStore::default());
    let kept =
        Installations::open(&oauth, &wanted.api_url, store, Arc::<FixedClock>::clone(&clock));
    let kept = Arc::new(kept.await.unwrap());
    wanted.tokens = SlackTokens::Many(oauth);
    let connection = Connection::begin(Parts {
        api: Api::new(&wanted.api_url, Arc::clone(&kept), &wanted.rates).unwrap(),
        settings: wanted,
        inbox: Desk::new(),
        clock,
        routes: Some(installations::routes(kept)),
        port: None,
        pace: pace(),
    });
    let connection = connection.await.unwrap();
    let base = format!("http://{}", connection.address().unwrap());
    let shutdown = CancellationToken::new();
    let running = tokio::spawn(connection.run(shutdown.clone()));
    slack.connected(2).await;
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let client = client.build().unwrap();
    let install = client.get(format!("{base}/slack/install")).send().await.unwrap();
    assert!(install.status().is_redirection(), "{install:?}");
    let event = client.post(format!("{base}/slack/events")).send().await.unwrap();
    assert_eq!(event.status(), reqwest::StatusCode::NOT_FOUND);
    shutdown.cancel();
    running.await.unwrap().unwrap();
}
