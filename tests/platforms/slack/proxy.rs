//! A proxy between the bot and Slack: sockets and calls go through it.

use crate::slack::{
    bot::{Bot, Plan},
    proxying::Proxy,
};

#[tokio::test]
async fn sockets_and_calls_go_through_a_proxy() {
    let proxy = Proxy::start().await;
    let flow = Some(crate::slack::offers::FLOW.to_owned());
    let bot = Bot::planned(Plan { flow, proxy: proxy.url.clone(), ..Plan::default() }).await;
    let ada = bot.ada();
    ada.command("/onboard start").await;
    ada.press("Blue").await;
    assert!(ada.can_see("You answered: *Blue*"), "{}", ada.screen());
    let asked = proxy.asked();
    let sockets = bot.slack.look(|state| state.sockets_at.replace("ws://", ""));
    let calls = bot.slack.api_url().replace("http://", "").replace("/api/", "");
    for target in [&sockets, &calls] {
        let is_it = |head: &&String| head.starts_with(&format!("CONNECT {target} HTTP/1.1\r\n"));
        let head = asked.iter().find(is_it);
        let head = head.unwrap_or_else(|| panic!("nothing went to {target}: {asked:?}"));
        assert!(head.contains("Proxy-Authorization: Basic YWRhOnBAc3M="), "{head}");
    }
}
