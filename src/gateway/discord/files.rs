//! Files that people send: where they may be fetched from, and fetching them.
//!
//! An address is signed, lets anybody in, and works for about a day, so it is never kept and never logged; of a file
//! that came with a form nothing else is known, so it is fetched at once. The bot's token goes to none of them, and no
//! redirect is followed. What comes is counted while it comes.

use reqwest::{Client, Response, StatusCode, Url, redirect::Policy};
use tokio::time::timeout;

use super::{inbound, limits};
use crate::{
    chat::NotFetched, config::llm::is_loopback, messages, model::artifact::Offer,
    ports::artifacts::check::harmless,
};

/// The hosts of files that people put onto Discord.
pub(crate) const HOSTS: [&str; 2] = ["cdn.discordapp.com", "media.discordapp.net"];

/// Gets files; cheap to clone.
#[derive(Debug, Clone)]
pub struct Files {
    client: Client,
    /// What stands in for Discord on this machine, with its port.
    stand_in: Option<String>,
    max_bytes: u64,
}

impl Files {
    /// Takes files of at most `max_bytes`, from Discord alone, or from the Discord at `base` where that is on this
    /// machine.
    pub fn new(base: &str, max_bytes: u64) -> Result<Self, reqwest::Error> {
        let stand_in = Url::parse(base).ok().filter(is_loopback).and_then(|url| authority(&url));
        let client = if stand_in.is_some() {
            // To this machine nothing goes by way of another one.
            Client::builder().no_proxy()
        } else {
            Client::builder().https_only(true)
        };
        let client = client
            .connect_timeout(limits::FILE_CONNECT)
            .read_timeout(limits::FILE_SILENCE)
            .redirect(Policy::none())
            .no_gzip()
            .user_agent(concat!("anteroom/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self { client, stand_in, max_bytes })
    }

    /// Gets a file that was sent.
    pub async fn fetch(&self, offer: &Offer) -> Result<Vec<u8>, NotFetched> {
        self.fits(offer.bytes, &offer.name)?;
        let Some(url) = address(&offer.url, self.stand_in.as_deref()) else {
            tracing::warn!(
                "a file of Discord lies on a host that is not Discord's; it was not fetched"
            );
            return Err(refused(messages::notices::FILE_ELSEWHERE));
        };
        let fetched = timeout(limits::FILE_TOTAL, self.get(url, &offer.name)).await;
        fetched.unwrap_or_else(|_| Err(later()))
    }

    async fn get(&self, url: Url, name: &str) -> Result<Vec<u8>, NotFetched> {
        let answer = self.client.get(url).send().await.map_err(|_| later())?;
        match answer.status() {
            StatusCode::OK => self.read(answer, name).await,
            // What Discord answers once an address does not work any more has changed before.
            StatusCode::NOT_FOUND | StatusCode::GONE | StatusCode::FORBIDDEN => {
                Err(refused(messages::notices::FILE_NO_LONGER_THERE))
            }
            status if status.is_redirection() => Err(refused(messages::notices::FILE_ELSEWHERE)),
            _ => Err(later()),
        }
    }

    async fn read(&self, mut answer: Response, name: &str) -> Result<Vec<u8>, NotFetched> {
        self.fits(answer.content_length(), name)?;
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|_| later())? {
            bytes.extend_from_slice(&chunk);
            self.fits(Some(bytes.len() as u64), name)?;
        }
        Ok(bytes)
    }

    fn fits(&self, bytes: Option<u64>, name: &str) -> Result<(), NotFetched> {
        if bytes.is_none_or(|bytes| bytes <= self.max_bytes) {
            return Ok(());
        }
        Err(NotFetched::Refused(messages::answers::too_large(&harmless(name), self.max_bytes)))
    }
}

/// A file as it came in, as it is offered to a conversation.
pub fn offer(file: &inbound::File) -> Offer {
    let (id, name, url) = (file.id.clone(), file.name.clone(), file.url.clone());
    Offer { id, name, bytes: file.size, url }
}

/// The address of a file, where it is one of Discord's own: an answer may hold any address, and what is behind it is
/// fetched. `also` is a host that stands in for Discord on this machine, with its port.
pub fn address(url: &str, also: Option<&str>) -> Option<Url> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?;
    let is_plain = url.username().is_empty() && url.password().is_none();
    let is_discords = url.scheme() == "https" && url.port().is_none() && HOSTS.contains(&host);
    let stands_in = also.is_some() && also == authority(&url).as_deref();
    (is_plain && (is_discords || stands_in)).then_some(url)
}

fn authority(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

fn refused(words: &str) -> NotFetched {
    NotFetched::Refused(words.to_owned())
}

fn later() -> NotFetched {
    NotFetched::Later(messages::notices::file_later("Discord"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_from_discord_alone() {
        let taken = |url: &str| address(url, Some("127.0.0.1:9000")).is_some();
        assert!(taken("https://cdn.discordapp.com/ephemeral-attachments/1/2/cv.pdf?ex=1&hm=2"));
        assert!(taken("http://127.0.0.1:9000/attachments/1/2/cv.pdf"));
        for url in [
            "http://cdn.discordapp.com/a",
            "https://cdn.discordapp.com.evil.example/a",
            "https://evil.example/cdn.discordapp.com",
            "https://cdn.discordapp.com@evil.example/a",
            "https://user@cdn.discordapp.com/a",
            "https://cdn.discordapp.com:8443/a",
            "http://127.0.0.1:9001/a",
            "file:///etc/passwd",
        ] {
            assert!(!taken(url), "{url}");
        }
    }
}
