//! How often Discord may be asked: buckets of routes with what they are about, and a limit over everything.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

/// Requests in a second over all routes but the answers to interactions.
const GLOBAL: u32 = 50;

/// A bucket: how many requests in how long, and what is left.
#[derive(Debug, Clone)]
struct Bucket {
    began: DateTime<Utc>,
    used: u32,
}

/// What a request is told about its bucket.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    pub(crate) bucket: String,
    pub(crate) limit: u32,
    pub(crate) remaining: u32,
    pub(crate) reset_after: TimeDelta,
    /// It came too early; by this scope, `user` or `global`.
    pub(crate) refused: Option<&'static str>,
}

/// All buckets.
#[derive(Debug, Default)]
pub(crate) struct Buckets {
    by_route: BTreeMap<String, Bucket>,
    global: Option<Bucket>,
    /// Requests that came too early.
    pub(crate) refused: usize,
    /// Nothing is counted: where time stands still, a bucket that is empty stays so.
    pub(crate) is_off: bool,
    /// Other paces than the usual ones, for tests in which time flows.
    pub(crate) paces: BTreeMap<&'static str, (u32, TimeDelta)>,
}

/// How many requests of a route in how many seconds. Discord does not say, and changes it.
fn pace(route: &str) -> (u32, i64) {
    match route {
        "POST /channels/{channel}/messages" | "PATCH /channels/{channel}/messages/{message}" => {
            (5, 5)
        }
        "PUT /guilds/{guild}/members/{user}/roles/{role}" => (10, 10),
        "POST /channels/{channel}/threads" => (50, 300),
        _ => (30, 10),
    }
}

impl Buckets {
    /// Counts a request. `about` is the channel, the server or the webhook that it is about.
    pub(crate) fn count(&mut self, route: &str, about: &str, now: DateTime<Utc>) -> Option<Told> {
        if self.is_off || route.starts_with("POST /interactions") || route.contains("/webhooks/") {
            return None;
        }
        let second = TimeDelta::seconds(1);
        let global = self.global.get_or_insert(Bucket { began: now, used: 0 });
        if now - global.began >= second {
            *global = Bucket { began: now, used: 0 };
        }
        global.used += 1;
        let left = second - (now - global.began);
        if global.used > GLOBAL {
            self.refused += 1;
            let bucket = "global".to_owned();
            let told = Told {
                bucket,
                limit: GLOBAL,
                remaining: 0,
                reset_after: left,
                refused: Some("global"),
            };
            return Some(told);
        }
        let (limit, seconds) = pace(route);
        let usual = (limit, TimeDelta::seconds(seconds));
        let (limit, length) = self.paces.get(route).copied().unwrap_or(usual);
        let key = format!("{route} {about}");
        let bucket = self.by_route.entry(key).or_insert(Bucket { began: now, used: 0 });
        if now - bucket.began >= length {
            *bucket = Bucket { began: now, used: 0 };
        }
        let is_over = bucket.used >= limit;
        bucket.used += u32::from(!is_over);
        let told = Told {
            // Routes with limits of their own share the name of a bucket: nothing is to be made of it.
            bucket: route.split('/').nth(1).unwrap_or_default().to_owned(),
            limit,
            remaining: limit - bucket.used,
            reset_after: length - (now - bucket.began),
            refused: is_over.then_some("user"),
        };
        self.refused += usize::from(is_over);
        Some(told)
    }
}
