//! Over requests.

use std::{net::SocketAddr, time::Instant};

use reqwest::{Client, RequestBuilder, StatusCode};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::*;
use crate::slack::{
    dribbling::{Dribblers, IN_TIME, slowest},
    emulator::wire::{Lost, signature},
};

/// A request as Slack signs it, now by the bot's clock and so many seconds ago.
fn signed(bot: &Bot, kind: &str, body: &str, ago: i64) -> RequestBuilder {
    use anteroom::base::clock::Clock as _;
    let at = bot.clock.now().timestamp() - ago;
    Client::new()
        .post(format!("{}/slack/events", bot.base))
        .header("content-type", kind)
        .header("x-slack-request-timestamp", at)
        .header("x-slack-signature", signature(at, body))
        .body(body.to_owned())
}

async fn status(request: RequestBuilder) -> StatusCode {
    request.send().await.unwrap().status()
}

const SECOND: Duration = Duration::from_secs(1);
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";

async fn start() -> Bot {
    let bot = Bot::start(http()).await;
    bot.slack.use_http(&bot.base, ["/slack/events", "/slack/interactivity", "/slack/commands"]);
    bot
}

#[tokio::test]
async fn everything_comes_over_http_as_over_sockets() {
    let bot = start().await;
    let (address, mut replies) = ear().await;
    assert_eq!(bot.slack.send(message(1, "hello")).await, Ok(json!("")));
    insta::assert_snapshot!(bot.slack.send(form()).await.unwrap(), @r#"{"response_action":"errors","errors":{"name":"Please write it"}}"#);
    insta::assert_snapshot!(bot.slack.send(command("status & more", &address)).await.unwrap(), @r#"{"response_type":"ephemeral","text":"Only you see this"}"#);
    assert_eq!(bot.slack.send(click("go", &address)).await, Ok(json!("")));
    next(&mut replies).await;
    assert_eq!(bot.desk.taken(), ["hello", "", "status & more", "go"]);
    // One address is enough.
    bot.slack.use_http(&bot.base, ["/slack/events"; 3]);
    bot.slack.send(form()).await.unwrap();
    bot.slack.send(command("status", &address)).await.unwrap();
    assert_eq!(bot.desk.taken().len(), 6);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_saved_comes_again() {
    let bot = start().await;
    assert_eq!(bot.slack.send(message(1, "full")).await, Err(Lost));
    let (address, mut replies) = ear().await;
    assert_eq!(bot.slack.send(click("full", &address)).await, Err(Lost));
    next(&mut replies).await;
    let body = message(2, "full").payload.to_string();
    let response = signed(&bot, JSON, &body, 0).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    // Slack would not come again.
    assert!(response.headers().get("x-slack-no-retry").is_none());
    assert_eq!(bot.slack.redeliver().await, 1);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn only_what_slack_signed_a_short_while_ago_is_looked_at() {
    let bot = start().await;
    let body = message(1, "hello").payload.to_string();
    assert_eq!(status(signed(&bot, JSON, &body, 0)).await, StatusCode::OK);
    assert_eq!(status(signed(&bot, JSON, &body, 299)).await, StatusCode::OK);
    for ago in [301, -301, i64::MAX / 2] {
        assert_eq!(status(signed(&bot, JSON, &body, ago)).await, StatusCode::UNAUTHORIZED, "{ago}");
    }
    let other = signed(&bot, JSON, &body, 0).body(body.replace("hello", "hullo"));
    assert_eq!(status(other).await, StatusCode::UNAUTHORIZED);
    let mut wrong = signed(&bot, JSON, &body, 0).build().unwrap();
    wrong.headers_mut().insert("x-slack-signature", "v0=00".parse().unwrap());
    let answer = Client::new().execute(wrong).await.unwrap();
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    let bare = Client::new().post(format!("{}/slack/events", bot.base)).body(body.clone());
    assert_eq!(status(bare).await, StatusCode::UNAUTHORIZED);
    let not_text = signed(&bot, JSON, &body, 0).body(vec![0xff, 0xfe]);
    assert_eq!(status(not_text).await, StatusCode::UNAUTHORIZED);
    // The bot's clock decides, not the machine's.
    bot.clock.advance(chrono::Duration::days(400));
    assert_eq!(status(signed(&bot, JSON, &body, 0)).await, StatusCode::OK);
    assert_eq!(bot.desk.taken(), ["hello", "hello", "hello"]);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn nobody_makes_it_keep_a_long_body() {
    let bot = start().await;
    let long = "x".repeat(1024 * 1024 + 1);
    assert_eq!(status(signed(&bot, JSON, &long, 0)).await, StatusCode::PAYLOAD_TOO_LARGE);
    // Nor by a body that says nothing of its length.
    let pieces =
        futures::stream::iter((0..40).map(|_| Ok::<_, std::io::Error>("x".repeat(65_536))));
    let body = reqwest::Body::wrap_stream(pieces);
    let request = signed(&bot, JSON, "", 0).body(body);
    match request.send().await {
        Ok(response) => assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE),
        // It hung up before everything was sent.
        Err(error) => assert!(error.is_request() || error.is_body(), "{error:?}"),
    }
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn the_address_proves_itself_and_answers_machines() {
    let bot = start().await;
    let challenge =
        json!({"type": "url_verification", "token": "t", "challenge": "3eZbrw1a"}).to_string();
    let response = signed(&bot, JSON, &challenge, 0).send().await.unwrap();
    assert_eq!(response.json::<Value>().await.unwrap(), json!({"challenge": "3eZbrw1a"}));
    assert_eq!(status(signed(&bot, FORM, "ssl_check=1&token=t", 0)).await, StatusCode::OK);
    for (kind, body) in [(JSON, "{"), (FORM, "payload=%7B"), ("text/plain", "{}"), ("", "x")] {
        assert_eq!(
            status(signed(&bot, kind, body, 0)).await,
            StatusCode::BAD_REQUEST,
            "{kind} {body}"
        );
    }
    let client = Client::new();
    assert_eq!(status(client.get(format!("{}/healthz", bot.base))).await, StatusCode::OK);
    assert_eq!(
        status(client.get(format!("{}/slack/events", bot.base))).await,
        StatusCode::METHOD_NOT_ALLOWED
    );
    assert_eq!(status(client.get(format!("{}/", bot.base))).await, StatusCode::NOT_FOUND);
    assert!(bot.desk.taken().is_empty());
    bot.stop().await.unwrap();
}

fn address(bot: &Bot) -> SocketAddr {
    bot.base.trim_start_matches("http://").parse().unwrap()
}

/// Presses a button, and says how long the answer took.
async fn press(bot: &Bot) {
    let body = message(1, "hello").payload.to_string();
    assert_eq!(status(signed(bot, JSON, &body, 0)).await, StatusCode::OK);
}

#[tokio::test]
async fn click_and_health_check_are_answered_at_once_while_strangers_dribble() {
    let bot = start().await;
    let _strangers = Dribblers::at(address(&bot)).await;
    let health = async || {
        let asked = Client::new().get(format!("{}/healthz", bot.base));
        assert_eq!(status(asked).await, StatusCode::OK);
    };
    let (health, click) = tokio::join!(slowest(health), slowest(async || press(&bot).await));
    assert!(health < IN_TIME && click < IN_TIME, "health {health:?}, click {click:?}");
    bot.stop().await.unwrap();
}

/// The headers of a request whose body stops after its first byte.
fn stalled(bot: &Bot, signature: &str) -> String {
    use anteroom::base::clock::Clock as _;
    let at = bot.clock.now().timestamp();
    format!(
        "POST /slack/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON}\r\nContent-Length: 500\r\n\
         X-Slack-Request-Timestamp: {at}\r\n{signature}\r\n{{"
    )
}

#[tokio::test]
async fn unsigned_request_is_refused_before_its_body_comes() {
    let bot = start().await;
    let wrong = "X-Slack-Signature: v0=00\r\n";
    for head in [stalled(&bot, ""), stalled(&bot, wrong)] {
        let mut stream = TcpStream::connect(address(&bot)).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut line = [0; 12];
        let read = tokio::time::timeout(SECOND, stream.read_exact(&mut line));
        read.await.expect("it waits for the body").unwrap();
        assert_eq!(&line[9..], b"401");
    }
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn body_that_stalls_is_cut_off_after_the_grace() {
    let bot = start().await;
    let mut stream = TcpStream::connect(address(&bot)).await.unwrap();
    let head = stalled(&bot, &format!("X-Slack-Signature: v0={}\r\n", "0".repeat(64)));
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let closed = tokio::time::timeout(4 * SECOND, stream.read_to_end(&mut answer));
    closed.await.expect("it is still open").unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 408 "), "{}", String::from_utf8_lossy(&answer));
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn click_is_answered_at_once_while_bodies_of_strangers_stall() {
    let bot = start().await;
    let forged = format!("X-Slack-Signature: v0={}\r\n", "0".repeat(64));
    let mut strangers = Vec::new();
    for _ in 0..400 {
        let mut stream = TcpStream::connect(address(&bot)).await.unwrap();
        stream.write_all(stalled(&bot, &forged).as_bytes()).await.unwrap();
        strangers.push(stream);
    }
    let began = Instant::now();
    press(&bot).await;
    let took = began.elapsed();
    assert!(took < IN_TIME, "{took:?}");
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn an_address_that_is_taken_is_told() {
    let bot = start().await;
    let mut wanted = settings(&bot.slack, http());
    wanted.listen = bot.base.trim_start_matches("http://").parse().unwrap();
    let error = begin(&wanted, &bot.desk, &bot.clock).await.unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("cannot listen on `{}` for Slack: ", wanted.listen)),
        "{error}"
    );
    bot.stop().await.unwrap();
}
