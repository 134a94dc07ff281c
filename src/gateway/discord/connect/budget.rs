//! How often a session may be begun: a thousand times a day over all connections, and one after another. Who begins
//! more loses the token.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use crate::gateway::discord::api::{Api, Failure};

/// Sessions that are left for somebody else with the same token, in place of the last ones of a day.
const RESERVE: u64 = 10;

/// Most connections that Discord is believed to advise.
const SHARDS_MAX: u64 = 4096;

#[derive(Debug)]
pub(super) struct Budget {
    api: Api,
    shards: u32,
    /// Connections that may begin a session at the same time, by their number modulo this.
    at_once: u32,
    /// Between two of them.
    pause: Duration,
    /// When the next one may begin.
    next: Mutex<HashMap<u32, Instant>>,
}

/// Why no session may be begun now.
#[derive(Debug)]
pub(super) enum Denied {
    /// Too many were begun today; more may be after this time.
    Spent(Duration),
    /// Discord cannot be asked.
    Unknown(Failure),
}

impl Budget {
    /// Asks Discord; `shards` is what the operator wants instead of what is advised.
    pub(super) async fn begin(
        api: &Api,
        shards: Option<u32>,
        pause: Duration,
    ) -> Result<Self, Failure> {
        let said = api.gateway().await?;
        let advised = said["shards"].as_u64().unwrap_or(1).clamp(1, SHARDS_MAX);
        let advised = u32::try_from(advised).unwrap_or(1);
        let at_once = said["session_start_limit"]["max_concurrency"].as_u64().unwrap_or(1);
        Ok(Self {
            api: api.clone(),
            shards: shards.unwrap_or(advised).max(1),
            at_once: u32::try_from(at_once).unwrap_or(1).max(1),
            pause,
            next: Mutex::default(),
        })
    }

    /// How many connections there are.
    pub(super) const fn shards(&self) -> u32 {
        self.shards
    }

    /// Whether plain sockets may be used: like the API, to this machine alone.
    pub(super) fn is_here(&self) -> bool {
        self.api.base().starts_with("http://")
    }

    /// Where the gateway is; no session is begun there yet.
    pub(super) async fn address(&self) -> Result<String, Failure> {
        let said = self.api.gateway().await?;
        Ok(address(&said))
    }

    /// Waits until a session may be begun; where.
    pub(super) async fn admit(&self, shard: u32) -> Result<String, Denied> {
        let said = self.api.gateway().await.map_err(Denied::Unknown)?;
        let limit = &said["session_start_limit"];
        if limit["remaining"].as_u64().is_some_and(|remaining| remaining <= RESERVE) {
            let reset = limit["reset_after"].as_u64().unwrap_or(0);
            return Err(Denied::Spent(Duration::from_millis(reset)));
        }
        let at = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let next = next.entry(shard % self.at_once).or_insert_with(Instant::now);
            let at = (*next).max(Instant::now());
            *next = at + self.pause;
            at
        };
        sleep_until(at).await;
        Ok(address(&said))
    }
}

fn address(said: &Value) -> String {
    said["url"].as_str().unwrap_or_default().to_owned()
}
