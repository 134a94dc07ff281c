//! A proxy on loopback that remembers what it was asked.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// A proxy; it ends when it is dropped.
pub(crate) struct Proxy {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<String>>>,
    _task: JoinSet<()>,
}

impl Proxy {
    pub(crate) async fn start() -> Self {
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

    pub(crate) fn asked(&self) -> Vec<String> {
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
