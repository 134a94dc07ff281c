//! Connections that we open: through a proxy where the environment names one, by `CONNECT`, then as if there were none.
//! What is encrypted stays encrypted to its other end.

use std::{io, time::Duration};

use axum::http::Uri;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, client_async_tls_with_config, connect_async_with_config,
    tungstenite::{self, protocol::WebSocketConfig},
};

use crate::config::{Proxies, Proxy};

/// Longest answer of a proxy before the connection begins, in bytes.
const ANSWER_MAX: usize = 16 * 1024;

/// Longest time until a proxy has connected.
const LIMIT: Duration = Duration::from_secs(10);

/// Why a proxy gives no connection.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// It cannot be reached, or the connection breaks.
    #[error("the proxy cannot be reached: {0}")]
    Io(#[from] io::Error),
    /// It says no, or wants to be shown who asks: 407.
    #[error("the proxy refuses the connection: {0}")]
    Refused(u16),
    /// It does not speak HTTP.
    #[error("the proxy's answer is none")]
    Odd,
    /// It takes too long.
    #[error("the proxy does not connect in time")]
    Late,
}

/// Opens a connection to an address, `https://…` or `http://…`, through a proxy.
pub(crate) async fn tunnel(proxy: &Proxy, address: &Uri) -> Result<TcpStream, Error> {
    timeout(LIMIT, asked(proxy, address)).await.map_err(|_| Error::Late)?
}

async fn asked(proxy: &Proxy, address: &Uri) -> Result<TcpStream, Error> {
    let host = address.host().unwrap_or_default();
    let is_encrypted = address.scheme_str() == Some("https");
    let port = address.port_u16().unwrap_or(if is_encrypted { 443 } else { 80 });
    let mut stream = TcpStream::connect((proxy.host.as_str(), proxy.port)).await?;
    stream.set_nodelay(true)?;
    let mut request =
        format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n").into_bytes();
    if let Some(authorization) = &proxy.authorization {
        request.extend(b"Proxy-Authorization: ");
        request.extend(authorization.as_bytes());
        request.extend(b"\r\n");
    }
    request.extend(b"\r\n");
    stream.write_all(&request).await?;
    let mut answer = Vec::new();
    // Byte by byte: what comes after the answer belongs to the connection.
    while !answer.ends_with(b"\r\n\r\n") {
        if answer.len() >= ANSWER_MAX {
            return Err(Error::Odd);
        }
        answer.push(stream.read_u8().await?);
    }
    match status(&answer) {
        Some(200..=299) => Ok(stream),
        Some(status) => Err(Error::Refused(status)),
        None => Err(Error::Odd),
    }
}

/// `HTTP/1.1 200 OK` as 200.
fn status(answer: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(answer.split(|byte| *byte == b'\r').next()?).ok()?;
    let (version, rest) = line.split_once(' ')?;
    version.starts_with("HTTP/1.").then(|| rest.get(..3)?.parse().ok())?
}

/// A socket that frames go through.
pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Opens a socket at `address`, `wss://…` or `ws://…`, that takes frames of at most `frame_max` bytes. The error is
/// without the address, which may be a secret. Has no time limit of its own.
pub(crate) async fn socket(
    address: &str,
    frame_max: usize,
    proxies: &Proxies,
) -> Result<Socket, &'static str> {
    let config = WebSocketConfig::default()
        .max_message_size(Some(frame_max))
        .max_frame_size(Some(frame_max));
    let web = address.replacen("ws", "http", 1).parse::<Uri>();
    let web = web.map_err(|_| "there is no address for a socket")?;
    let Some(proxy) = proxies.to(&web) else {
        let connected = connect_async_with_config(address, Some(config), true).await;
        return connected.map(|(stream, _)| stream).map_err(|error| kind_of(&error));
    };
    let tunnel = tunnel(&proxy, &web).await.map_err(|error| match error {
        Error::Refused(_) => "the proxy refuses the connection",
        Error::Io(_) | Error::Odd | Error::Late => "the proxy failed",
    })?;
    let connected = client_async_tls_with_config(address, tunnel, Some(config), None).await;
    connected.map(|(stream, _)| stream).map_err(|error| kind_of(&error))
}

/// An error of a socket without its own words, which may hold the address.
pub(crate) const fn kind_of(error: &tungstenite::Error) -> &'static str {
    match error {
        tungstenite::Error::Io(_) => "the network failed",
        tungstenite::Error::Tls(_) => "the other end cannot prove who it is",
        tungstenite::Error::Http(_) | tungstenite::Error::HttpFormat(_) => "the socket was refused",
        tungstenite::Error::Capacity(_) => "a frame was too long",
        _ => "the socket failed",
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;
    use crate::config::Environment;

    /// What a proxy that answers so leads to.
    async fn through(answer: &[u8]) -> Result<(), String> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let proxies = Proxies::of(&Environment::from([("HTTPS_PROXY", url.as_str())])).unwrap();
        let slack = Uri::from_static("https://slack.com/api");
        let proxy = proxies.to(&slack).unwrap();
        let answering = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut asked = vec![0; 1_000];
            let count = stream.read(&mut asked).await.unwrap();
            let asked = String::from_utf8_lossy(&asked[..count]).into_owned();
            assert!(asked.starts_with("CONNECT slack.com:443 HTTP/1.1\r\nHost: slack.com:443\r\n"));
            // It may hang up in the middle.
            drop(stream.write_all(answer).await);
        };
        let (connected, ()) = tokio::join!(tunnel(&proxy, &slack), answering);
        connected.map(drop).map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn only_a_yes_of_the_proxy_is_a_connection() {
        assert_eq!(
            through(b"HTTP/1.1 200 Connection established\r\nVia: me\r\n\r\n").await,
            Ok(())
        );
        let refused = |status| Err(format!("the proxy refuses the connection: {status}"));
        assert_eq!(through(b"HTTP/1.1 407 Who are you?\r\n\r\n").await, refused(407));
        assert_eq!(through(b"HTTP/1.0 403\r\n\r\n").await, refused(403));
        assert_eq!(through(b"SSH-2.0\r\n\r\n").await, Err("the proxy's answer is none".to_owned()));
        assert!(through(b"HTTP/1.1 200").await.unwrap_err().contains("cannot be reached"));
        let endless = vec![b'x'; 20_000];
        assert_eq!(through(&endless).await, Err("the proxy's answer is none".to_owned()));
    }
}
