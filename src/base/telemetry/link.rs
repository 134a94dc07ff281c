//! Whether a platform reaches the bot.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use metrics::gauge;
use tokio::{sync::watch, time::Instant};

use super::{metric, ready::Ready};

/// The sockets that are open. Over HTTP nobody knows whether a platform reaches the bot, so nothing is claimed.
#[derive(Debug)]
pub struct Link {
    /// As people call it.
    platform: &'static str,
    /// The metric that shows how many are open.
    shown: &'static str,
    sockets: Option<Mutex<Sockets>>,
    /// How many are open, for whoever waits for one.
    seen: watch::Sender<usize>,
    deaf: Duration,
}

#[derive(Debug)]
struct Sockets {
    open: usize,
    /// Since when none is.
    since: Instant,
}

/// Counts one socket for as long as it lives.
#[derive(Debug)]
pub struct Open<'a>(&'a Link);

impl Link {
    /// Counts the sockets to `platform`; without one for as long as `deaf`, the bot is not ready.
    pub fn sockets(platform: &'static str, shown: &'static str, deaf: Duration) -> Self {
        gauge!(shown).set(0.0);
        let sockets = Some(Mutex::new(Sockets { open: 0, since: Instant::now() }));
        Self { platform, shown, sockets, seen: watch::Sender::new(0), deaf }
    }

    /// Nobody knows.
    pub fn requests(platform: &'static str) -> Self {
        Self {
            platform,
            shown: "",
            sockets: None,
            seen: watch::Sender::new(0),
            deaf: Duration::ZERO,
        }
    }

    /// Resolves once a socket is open; at once where nobody knows.
    pub async fn up(&self) {
        self.until(|open| open > 0).await;
    }

    /// Resolves once no socket is open; never where nobody knows.
    pub async fn down(&self) {
        if self.sockets.is_none() {
            std::future::pending::<()>().await;
        }
        self.until(|open| open == 0).await;
    }

    async fn until(&self, is_so: impl Fn(usize) -> bool) {
        if self.sockets.is_some() {
            // The sender lives as long as this.
            _ = self.seen.subscribe().wait_for(|open| is_so(*open)).await;
        }
    }

    /// How many sockets are open.
    pub fn open(&self) -> usize {
        self.sockets.as_ref().map_or(0, |sockets| lock(sockets).open)
    }

    /// Counts a socket until what is returned is dropped.
    pub fn opened(&self) -> Open<'_> {
        if let Some(sockets) = &self.sockets {
            let mut sockets = lock(sockets);
            sockets.open += 1;
            gauge!(self.shown).set(metric::as_f64(sockets.open));
            self.seen.send_replace(sockets.open);
        }
        Open(self)
    }
}

fn lock(sockets: &Mutex<Sockets>) -> MutexGuard<'_, Sockets> {
    sockets.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if let Some(sockets) = &self.0.sockets {
            let mut sockets = lock(sockets);
            sockets.open = sockets.open.saturating_sub(1);
            if sockets.open == 0 {
                sockets.since = Instant::now();
            }
            gauge!(self.0.shown).set(metric::as_f64(sockets.open));
            self.0.seen.send_replace(sockets.open);
        }
    }
}

impl Ready for Link {
    fn ready(&self) -> Result<(), String> {
        let Some(sockets) = &self.sockets else { return Ok(()) };
        let sockets = lock(sockets);
        let deaf = sockets.since.elapsed();
        if sockets.open == 0 && deaf > self.deaf {
            return Err(format!(
                "there has been no connection to {} for {} s. hint: the log says why",
                self.platform,
                deaf.as_secs()
            ));
        }
        Ok(())
    }
}
