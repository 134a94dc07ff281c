//! Whether Slack reaches the bot.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use metrics::gauge;
use tokio::time::Instant;

use crate::{
    config::settings::SlackTransport,
    telemetry::{metric, ready::Ready},
};

/// The sockets that are open. Over HTTP nobody knows whether Slack reaches the bot, so nothing is claimed.
#[derive(Debug)]
pub struct Link {
    sockets: Option<Mutex<Sockets>>,
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
pub(super) struct Open<'a>(&'a Link);

impl Link {
    pub(super) fn new(transport: &SlackTransport, deaf: Duration) -> Self {
        let sockets = match transport {
            SlackTransport::Socket { .. } => {
                gauge!(metric::SLACK_SOCKETS).set(0.0);
                Some(Mutex::new(Sockets { open: 0, since: Instant::now() }))
            }
            SlackTransport::Http { .. } => None,
        };
        Self { sockets, deaf }
    }

    /// How many sockets are open.
    pub fn open(&self) -> usize {
        self.sockets.as_ref().map_or(0, |sockets| lock(sockets).open)
    }

    pub(super) fn opened(&self) -> Open<'_> {
        if let Some(sockets) = &self.sockets {
            let mut sockets = lock(sockets);
            sockets.open += 1;
            gauge!(metric::SLACK_SOCKETS).set(metric::as_f64(sockets.open));
        }
        Open(self)
    }
}

fn lock(sockets: &Mutex<Sockets>) -> std::sync::MutexGuard<'_, Sockets> {
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
            gauge!(metric::SLACK_SOCKETS).set(metric::as_f64(sockets.open));
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
                "there has been no connection to Slack for {} s. hint: the log says why",
                deaf.as_secs()
            ));
        }
        Ok(())
    }
}
