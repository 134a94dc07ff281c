//! The guarded client: fetches an address that somebody else chose, such as a person's website.
//!
//! Whoever chooses an address chooses what this machine connects to, and from here much can be reached that the
//! chooser cannot reach: the machine itself, its network, the cloud's metadata. So an address is read by [`check`],
//! and what its name stands for is looked up by us and filtered *inside* the connection: what was checked is what is
//! connected to, and a name that changes its answer in between gains nothing. Every redirect goes through all of it
//! again. [`blocks`] says what counts as public.
//!
//! What comes back is untrusted too: it has limits on time and decoded size, and must be what it says it is.
//!
//! Addresses that the operator wrote (web hooks, model providers) do not come through here: an operator may well
//! mean their own network.

mod address;
mod blocks;
mod head;
mod media;
mod names;

use std::{error::Error as _, net::SocketAddr, sync::Arc, time::Duration};

use reqwest::{Client, Response, StatusCode, Url, header, redirect::Policy};
use tokio::{sync::Semaphore, time};

pub use address::check;
pub use blocks::special;
pub use head::Head;
pub use media::Media;
pub use names::{Names, System};

use names::{Gate, NotPublic};

/// Most redirects that are followed.
pub const REDIRECTS_MAX: usize = 5;

/// Fetches at one time; further ones wait, within their own time. With [`Limits::max_bytes`] this bounds memory.
pub const AT_ONCE: usize = 8;

/// Longest time for a name, a connection and its encryption together.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// Fetches addresses that somebody else chose. Cheap to share behind an [`Arc`]; keeps no cookies, sends no
/// credentials, uses no proxy, and keeps no connection for later.
#[derive(Debug)]
pub struct Fetcher {
    client: Client,
    gate: Arc<Gate>,
    places: Semaphore,
}

/// What one fetch may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Largest content, in bytes, counted after decompression.
    pub max_bytes: usize,
    /// Longest time until the head of an answer, for each redirect anew.
    pub answer: Duration,
    /// Longest silence within the content.
    pub idle: Duration,
    /// Longest time for everything.
    pub total: Duration,
    /// What is wanted; anything else is refused.
    pub wanted: &'static [Media],
}

impl Limits {
    /// A page to read: 2 MiB of HTML or plain text within 20 seconds.
    pub const PAGE: Self = Self {
        max_bytes: 2 * 1024 * 1024,
        answer: Duration::from_secs(10),
        idle: Duration::from_secs(5),
        total: Duration::from_secs(20),
        wanted: &[Media::Html, Media::Text],
    };
}

/// What an address led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Where it was found in the end.
    pub url: Url,
    /// What stood before the content.
    pub head: Head,
    /// What it is, by declaration and by content.
    pub media: Media,
    /// The content, decompressed.
    pub bytes: Vec<u8>,
}

/// Why nothing was fetched; the text is for the person who gave the address, and never repeats it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It cannot be read as an address.
    #[error("That is not a web address. One looks like https://example.org/about.")]
    Address,
    /// It is not for the web.
    #[error("I can open addresses that begin with https:// or http:// only.")]
    Scheme,
    /// It holds a name or a password.
    #[error("There is a user name or a password in that address. Please send it without.")]
    Credentials,
    /// It names a port on which no website is expected.
    #[error(
        "I open websites on their usual ports only. Please send the address without the number after the colon."
    )]
    Port,
    /// It leads to this machine, into a private network, or to an address for special purposes.
    #[error(
        "That address is not on the public internet, so I cannot open it. Please send one that anybody can open."
    )]
    NotPublic,
    /// Nobody knows the name.
    #[error("I cannot find that website. Please check the address for typing mistakes.")]
    Unknown,
    /// It does not answer, or not in a way that can be trusted.
    #[error("I cannot reach that website. Please check the address, or try again later.")]
    Unreachable,
    /// A limit on time was reached.
    #[error("That website takes too long to answer. Please try again later.")]
    Slow,
    /// It leads on and on.
    #[error(
        "That address leads on from page to page without an end. Please send the one where it should end."
    )]
    Redirects,
    /// Who asks must sign in.
    #[error(
        "Only people who have signed in can open that page. Please send one that anybody can open."
    )]
    SignIn,
    /// There is nothing.
    #[error("There is no such page on that website. Please check the address.")]
    Missing,
    /// The website refused or failed.
    #[error("That website answered with an error ({0}). Please try again later.")]
    Status(u16),
    /// The content is too large.
    #[error("What is there is larger than {}; I cannot take that much.", megabytes(*.0))]
    TooLarge(usize),
    /// The content is not what it is said to be.
    #[error("What is there is not what the website says it is, so I did not keep it.")]
    Disguised,
    /// The content is of a kind that was not asked for.
    #[error("What is there is {}; that is of no use here.", .0.noun())]
    Unwanted(Media),
    /// The content cannot be read to its end.
    #[error("The website's answer is damaged. Please try again later.")]
    Damaged,
}

impl Error {
    /// Whether the same address may work later.
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::Unknown | Self::Unreachable | Self::Slow | Self::Damaged => true,
            Self::Status(code) => *code == 408 || *code == 425 || *code == 429 || *code >= 500,
            Self::Address
            | Self::Scheme
            | Self::Credentials
            | Self::Port
            | Self::NotPublic
            | Self::Redirects
            | Self::SignIn
            | Self::Missing
            | Self::TooLarge(_)
            | Self::Disguised
            | Self::Unwanted(_) => false,
        }
    }
}

impl Fetcher {
    /// Asks the system for names, and connects to public addresses only. Fails where the system has no randomness
    /// or TLS cannot be set up.
    pub fn new() -> Result<Self, reqwest::Error> {
        Self::with(Arc::new(System), Vec::new())
    }

    /// Asks somebody else for names, and takes a few sockets for public whatever they are: for tests, which talk to
    /// themselves. No setting leads here.
    pub fn with(
        names: Arc<dyn Names>,
        taken_for_public: Vec<SocketAddr>,
    ) -> Result<Self, reqwest::Error> {
        let gate = Arc::new(Gate { names, taken_for_public });
        let client = Client::builder()
            .dns_resolver(Arc::clone(&gate))
            .no_proxy()
            .redirect(Policy::none())
            .referer(false)
            .connect_timeout(CONNECT_LIMIT)
            // Each connection is checked, so none is kept.
            .pool_max_idle_per_host(0)
            .user_agent(concat!("anteroom/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self { client, gate, places: Semaphore::new(AT_ONCE) })
    }

    /// Reads an address as [`check`] does, without asking anybody.
    pub fn check(&self, address: &str) -> Result<Url, Error> {
        self.gate.check(address)
    }

    /// Fetches an address, following at most [`REDIRECTS_MAX`] redirects. Changes nothing here, so it can be
    /// repeated; dropping the future ends the connection.
    pub async fn get(&self, address: &str, limits: Limits) -> Result<Fetched, Error> {
        let fetch = async {
            let _place = self.places.acquire().await.map_err(|_| Error::Unreachable)?;
            self.follow(address, limits).await
        };
        time::timeout(limits.total, fetch).await.map_err(|_| Error::Slow)?
    }

    async fn follow(&self, address: &str, limits: Limits) -> Result<Fetched, Error> {
        let mut url = self.gate.check(address)?;
        for _ in 0..=REDIRECTS_MAX {
            let answer = self.ask(&url, limits).await?;
            if !answer.status().is_redirection() {
                return read(url, answer, limits).await;
            }
            let next = answer.headers().get(header::LOCATION).and_then(|next| next.to_str().ok());
            let next = next.and_then(|next| url.join(next).ok());
            let next = next.ok_or_else(|| Error::Status(answer.status().as_u16()))?;
            url = self.gate.check(next.as_str())?;
        }
        Err(Error::Redirects)
    }

    async fn ask(&self, url: &Url, limits: Limits) -> Result<Response, Error> {
        let asked = self.client.get(url.clone()).send();
        match time::timeout(limits.answer, asked).await {
            Ok(answer) => answer.map_err(|error| reason(&error)),
            Err(_) => Err(Error::Slow),
        }
    }
}

/// Reads an answer that is none to go on from.
async fn read(url: Url, mut answer: Response, limits: Limits) -> Result<Fetched, Error> {
    match answer.status() {
        StatusCode::OK => {}
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => return Err(Error::SignIn),
        StatusCode::NOT_FOUND | StatusCode::GONE => return Err(Error::Missing),
        status => return Err(Error::Status(status.as_u16())),
    }
    // What the client could not decode is still named here.
    if answer.headers().contains_key(header::CONTENT_ENCODING) {
        return Err(Error::Damaged);
    }
    let too_large = Error::TooLarge(limits.max_bytes);
    if answer.content_length().is_some_and(|length| length > limits.max_bytes as u64) {
        return Err(too_large);
    }
    let head = Head::of(answer.headers());
    let declared = answer.headers().get(header::CONTENT_TYPE).cloned();
    let mut bytes = Vec::new();
    loop {
        let piece = time::timeout(limits.idle, answer.chunk()).await.map_err(|_| Error::Slow)?;
        let Some(piece) = piece.map_err(|error| broken(&error))? else { break };
        if bytes.len() + piece.len() > limits.max_bytes {
            return Err(too_large);
        }
        bytes.extend_from_slice(&piece);
    }
    let declared = declared.as_ref().map(|kind| kind.to_str().unwrap_or_default());
    let media = media::agreed(declared, &bytes).ok_or(Error::Disguised)?;
    if !limits.wanted.contains(&media) {
        return Err(Error::Unwanted(media));
    }
    Ok(Fetched { url, head, media, bytes })
}

/// Why no answer came.
fn reason(error: &reqwest::Error) -> Error {
    let mut source = error.source();
    while let Some(error) = source {
        if error.is::<NotPublic>() {
            return Error::NotPublic;
        }
        if error.is::<names::NoAnswer>() {
            return Error::Unknown;
        }
        source = error.source();
    }
    match () {
        () if error.is_timeout() => Error::Slow,
        () if error.is_connect() => Error::Unreachable,
        () => Error::Damaged,
    }
}

fn broken(error: &reqwest::Error) -> Error {
    if error.is_timeout() { Error::Slow } else { Error::Damaged }
}

fn megabytes(bytes: usize) -> String {
    match bytes / (1024 * 1024) {
        0 => format!("{} KB", bytes.div_ceil(1024)),
        whole => format!("{whole} MB"),
    }
}
