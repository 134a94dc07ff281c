//! Over requests.

use reqwest::{Client, RequestBuilder, StatusCode};

use super::*;
use crate::discord::{
    dribbling::{Dribblers, IN_TIME, slowest},
    emulator::acts::{Delivered, signature},
};

const PATH: &str = anteroom::gateway::discord::connect::PATH;

async fn start(world: &World) -> Bot {
    let bot = world.start().await;
    world.discord.use_http(&format!("{}{PATH}", bot.base));
    bot
}

/// A request as Discord signs it, by the bot's clock so many seconds ago.
fn signed(world: &World, bot: &Bot, body: &str, ago: i64) -> RequestBuilder {
    use anteroom::base::clock::Clock as _;
    let at = (world.clock.now().timestamp() - ago).to_string();
    request(bot, body, &at, &signature(&at, body))
}

fn request(bot: &Bot, body: &str, at: &str, signature: &str) -> RequestBuilder {
    Client::new()
        .post(format!("{}{PATH}", bot.base))
        .header("x-signature-timestamp", at)
        .header("x-signature-ed25519", signature)
        .body(body.to_owned())
}

async fn status(request: RequestBuilder) -> StatusCode {
    request.send().await.unwrap().status()
}

#[tokio::test]
async fn interactions_come_over_requests_as_over_the_gateway_and_are_answered_there() {
    let world = World::over_http().await;
    let bot = start(&world).await;
    let data = json!({ "id": "1", "name": "onboard", "type": 1 });
    let (token, delivered) = world.discord.interact(2, ADA, (CHANNEL, None), &data).await;
    assert_eq!(delivered, Delivered::Answered(200, None));
    assert_eq!(world.discord.with(|state| state.interactions[&token].answer), Some(5));
    assert_eq!(world.desk.taken(), ["onboard"]);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn discord_is_told_that_somebody_is_there_who_knows_its_key() {
    let world = World::over_http().await;
    let bot = start(&world).await;
    let answer = signed(&world, &bot, r#"{"type":1}"#, 0).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/json");
    assert_eq!(answer.json::<Value>().await.unwrap(), json!({ "type": 1 }));
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn what_discord_did_not_sign_or_signed_long_ago_is_not_looked_at() {
    let world = World::over_http().await;
    let bot = start(&world).await;
    let body = json!({ "type": 3, "id": "1", "token": "t", "data": button("press") }).to_string();
    let url = format!("{}{PATH}", bot.base);
    let forged = [
        Client::new().post(&url).body(body.clone()),
        signed(&world, &bot, &body, 0).body(body.replace("press", "other")),
        request(&bot, &body, "1793628300", "00"),
        request(&bot, &body, "1793628300", &"zz".repeat(64)),
        signed(&world, &bot, &body, 301),
        signed(&world, &bot, &body, -301),
    ];
    for (number, request) in forged.into_iter().enumerate() {
        assert_eq!(status(request).await, StatusCode::UNAUTHORIZED, "{number}");
    }
    assert!(world.desk.taken().is_empty());
    assert_eq!(status(signed(&world, &bot, &body, 299)).await, StatusCode::OK);
    let long = json!({ "type": 3, "data": "x".repeat(1024 * 1024) }).to_string();
    assert_eq!(status(signed(&world, &bot, &long, 0)).await, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(status(signed(&world, &bot, "nonsense", 0)).await, StatusCode::BAD_REQUEST);
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_saved_is_not_answered() {
    let world = World::over_http().await;
    let bot = start(&world).await;
    for words in ["full", "never"] {
        let (_, delivered) = world.discord.interact(3, ADA, (CHANNEL, None), &button(words)).await;
        assert_eq!(delivered, Delivered::Answered(503, None), "{words}");
    }
    assert!(world.desk.taken().is_empty());
    bot.stop().await.unwrap();
}

/// Discord does not send an interaction again: a hundred presses in one moment wait for one another.
#[tokio::test]
async fn presses_that_come_all_at_once_are_all_taken() {
    let mut world = World::over_http().await;
    world.pace.take = PATIENCE;
    let bot = start(&world).await;
    let data = button("slow");
    let press = || world.discord.interact(3, ADA, (CHANNEL, None), &data);
    let pressing = futures::future::join_all((0..120).map(|_| press()));
    let working = async {
        world.desk.arrived(64).await;
        world.desk.go.add_permits(120);
    };
    let (pressed, ()) = tokio::join!(pressing, working);
    let is_taken = |done: &Delivered| matches!(done, Delivered::Answered(200, _));
    let lost = pressed.iter().filter(|(_, done)| !is_taken(done)).count();
    assert_eq!(lost, 0, "of {} presses", pressed.len());
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn press_and_health_check_are_answered_at_once_while_strangers_dribble() {
    let world = World::over_http().await;
    let bot = start(&world).await;
    let _strangers = Dribblers::at(bot.base.trim_start_matches("http://").parse().unwrap()).await;
    let health = async || {
        let asked = Client::new().get(format!("{}/healthz", bot.base));
        assert_eq!(status(asked).await, StatusCode::OK);
    };
    let body = json!({ "type": 3, "id": "1", "token": "t", "data": button("press") }).to_string();
    let press = async || {
        assert_eq!(status(signed(&world, &bot, &body, 0)).await, StatusCode::OK);
    };
    let (health, press) = tokio::join!(slowest(health), slowest(press));
    assert!(health < IN_TIME && press < IN_TIME, "health {health:?}, press {press:?}");
    bot.stop().await.unwrap();
}

#[tokio::test]
async fn a_key_that_is_none_ends_the_start() {
    let mut world = World::over_http().await;
    for key in ["", "zz", "é", &"g".repeat(64)] {
        let listen = "127.0.0.1:0".parse().unwrap();
        let public_key = key.to_owned();
        world.settings.transport = DiscordTransport::Http { listen, public_key };
        assert!(matches!(world.begin().await.unwrap_err(), Error::PublicKey), "{key}");
    }
}
