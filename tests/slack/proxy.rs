//! A proxy between the bot and Slack: sockets and calls go through it.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use crate::bot::{Bot, Plan};

/// A proxy on loopback that remembers what it was asked.
struct Proxy {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
    _task: JoinSet<()>,
}

impl Proxy {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://ada:p%40ss@{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let known = Arc::clone(&asked);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                open.spawn(pass_on(stream, Arc::clone(&known)));
            }
        });
        Self { url, asked, _task: task }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn pass_on(mut here: TcpStream, asked: Arc<Mutex<Vec<String>>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = here.read_u8().await else { return };
        head.push(byte);
    }
    let head = String::from_utf8(head).unwrap();
    let target = head.split(' ').nth(1).unwrap().to_owned();
    asked.lock().unwrap().push(head);
    let mut there = TcpStream::connect(target).await.unwrap();
    here.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.unwrap();
    // Either side may hang up.
    copy_bidirectional(&mut here, &mut there).await.ok();
}

#[tokio::test]
async fn sockets_and_calls_go_through_a_proxy() {
    let proxy = Proxy::start().await;
    let flow = Some(crate::offers::FLOW.to_owned());
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
