//! Own count of Discord's rates, so that it seldom has to say 429; and what it says then, kept.
//!
//! Buckets are learned from answers: one for each route and what the call is about. Discord's own name of a bucket is not
//! part of the key, for routes with different limits share it. Nothing is known of a new bucket, so one call goes ahead
//! and the others wait for what it is told. Callers come to their turn in order.
//!
//! Answers to interactions are bound by none of it but their own bucket: they need no token, the limit over all calls
//! does not count them, and only an address that is turned away as a whole keeps them back.
//!
//! Own, and not that of `twilight-http-ratelimiting`: its callers wait without end and without being told for how long,
//! where ours say "later" to the outbox; it counts neither what Discord forbids an address for (401, 403 and 429) nor
//! stops after a token that is refused; and its task belongs to nobody.

mod global;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use reqwest::{StatusCode, header::HeaderMap};
use serde_json::Value;
use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};

use self::global::Global;
use super::{failure::Code, method::Method};
use crate::{chat::priority, model::effect::Priority};

/// How long a bucket is left alone of which it is not known when it fills again.
const SECOND: Duration = Duration::from_secs(1);

/// More than the time that Discord names, against its rounding.
const MARGIN: Duration = Duration::from_millis(2);

/// Wait after a 429 that does not say how long to wait.
const WAIT_UNSAID: Duration = Duration::from_secs(5);

/// Wait after a 403 that turns this address away and does not say how long to wait.
const WAIT_TURNED_AWAY: Duration = Duration::from_mins(1);

/// Discord's own word for it that its wall keeps a request back (docs, topics/opcodes-and-status-codes).
const BLOCKED: u64 = 40_333;

/// Longest wait that is believed.
const WAIT_MAX: Duration = Duration::from_hours(1);

/// Buckets kept before idle ones are thrown away.
const KEPT_MAX: usize = 4096;

/// What an answer says about its rate.
#[derive(Debug, Clone, Default)]
pub(super) struct Told {
    status: u16,
    limit: Option<u32>,
    remaining: Option<u32>,
    reset_after: Option<Duration>,
    /// How long to wait, and what for.
    limited: Option<(Duration, Scope)>,
}

/// What was called too often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// This bucket, by us.
    Bucket,
    /// This bucket, by everybody; it does not count against us.
    Shared,
    /// Everything that is done with the bot's token.
    Global,
    /// Everything from this address: what stands before Discord says it, and not in Discord's words.
    Address,
}

impl Told {
    /// Reads what an answer says about its rate. `body` is `None` if it is not JSON.
    pub(super) fn read(status: StatusCode, headers: &HeaderMap, body: Option<&Value>) -> Self {
        let text = |name: &str| headers.get(name)?.to_str().ok();
        let number = |name: &str| text(name)?.parse::<u32>().ok();
        let seconds = |value: f64| Duration::try_from_secs_f64(value).ok();
        let span = |name: &str| seconds(text(name)?.parse().ok()?);
        let code = body.and_then(|body| body["code"].as_u64()).unwrap_or(0);
        let is_json = body.is_some_and(Value::is_object);
        let limited = match status {
            // Waiting does not help with an old message, and other messages of the channel are not meant.
            StatusCode::TOO_MANY_REQUESTS if code == u64::from(Code::OldMessage.number()) => None,
            StatusCode::TOO_MANY_REQUESTS => {
                // The body is finer than the header.
                let said = body.and_then(|body| seconds(body["retry_after"].as_f64()?));
                let said = said.or_else(|| span("retry-after"));
                let is_global = text("x-ratelimit-global").is_some()
                    || body.is_some_and(|body| body["global"] == true);
                let scope = match text("x-ratelimit-scope") {
                    Some("shared") => Scope::Shared,
                    Some("global") => Scope::Global,
                    _ if is_global => Scope::Global,
                    None if !is_json => Scope::Address,
                    _ => Scope::Bucket,
                };
                Some((said.unwrap_or(WAIT_UNSAID).min(WAIT_MAX), scope))
            }
            // Discord says no in JSON; what stands before it does not.
            StatusCode::FORBIDDEN if !is_json || code == BLOCKED => {
                let said = span("retry-after").unwrap_or(WAIT_TURNED_AWAY);
                Some((said.min(WAIT_MAX), Scope::Address))
            }
            _ => None,
        };
        Self {
            status: status.as_u16(),
            limit: number("x-ratelimit-limit"),
            remaining: number("x-ratelimit-remaining"),
            reset_after: span("x-ratelimit-reset-after").map(|span| span.min(WAIT_MAX)),
            limited,
        }
    }

    /// How long Discord asks to wait; `None` if it does not.
    pub(super) fn wait(&self) -> Option<Duration> {
        self.limited.map(|(wait, _)| wait)
    }
}

/// Lets calls through at their rates; cheap to ask.
#[derive(Debug)]
pub(super) struct RateLimiter {
    lanes: Mutex<Lanes>,
    global: Mutex<Global>,
}

/// The buckets: by route, and by what the call is about.
type Lanes = HashMap<(Method, String), Arc<Lane>>;

/// One bucket.
#[derive(Debug, Default)]
struct Lane {
    /// Whose turn it is; fair.
    turn: tokio::sync::Mutex<()>,
    count: Mutex<Count>,
    /// An answer came.
    changed: Notify,
}

/// What is known of a bucket.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    known: Known,
    /// What may still be called before `reset`.
    remaining: u32,
    /// When all may be called again; `None` until an answer of this stretch came.
    reset: Option<Instant>,
    /// Called, without an answer yet.
    under_way: u32,
}

/// Whether a bucket has a limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Known {
    /// Nobody has been told yet.
    #[default]
    Nothing,
    /// So many in a stretch of time.
    Limit(u32),
    /// Discord names none.
    Free,
}

/// A call that was let through, until its answer came.
#[derive(Debug)]
pub(super) struct Pass<'a> {
    limiter: &'a RateLimiter,
    method: Method,
    /// What it counts for; `None` for a first answer to an interaction, which nothing limits.
    lane: Option<Arc<Lane>>,
}

/// What a call has to wait for.
enum Wait {
    Until(Instant),
    /// Another call is ahead, and its answer says more.
    Changed,
}

impl RateLimiter {
    /// Lets so many calls through in a second, over all buckets.
    pub(super) fn new(per_second: u32) -> Self {
        Self { lanes: Mutex::default(), global: Mutex::new(Global::new(per_second)) }
    }

    /// Waits for a place, at most `patience`; else says how long it would take, as far as that is known.
    pub(super) async fn admit(
        &self,
        method: Method,
        about: &str,
        patience: Duration,
    ) -> Result<Pass<'_>, Duration> {
        let deadline = Instant::now() + patience;
        if method == Method::Answer {
            let now = Instant::now();
            lock(&self.global).ask(method, Priority::Normal, now).map_err(|until| until - now)?;
            return Ok(Pass { limiter: self, method, lane: None });
        }
        let lane = self.lane(method, about);
        let left = deadline.saturating_duration_since(Instant::now());
        let Ok(_turn) = timeout(left, lane.turn.lock()).await else {
            return Err(lane.rest(Instant::now()));
        };
        loop {
            let changed = lane.changed.notified();
            let now = Instant::now();
            match self.ask(&lane, method, now) {
                Ok(()) => {
                    return Ok(Pass { limiter: self, method, lane: Some(Arc::clone(&lane)) });
                }
                Err(Wait::Until(until)) if until > deadline => return Err(until - now),
                Err(Wait::Until(until)) => {
                    drop(tokio::time::timeout_at(until, changed).await);
                }
                Err(Wait::Changed) => {
                    if tokio::time::timeout_at(deadline, changed).await.is_err() {
                        return Err(lane.rest(Instant::now()));
                    }
                }
            }
        }
    }

    fn ask(&self, lane: &Lane, method: Method, now: Instant) -> Result<(), Wait> {
        let mut count = lock(&lane.count);
        count.ask(now)?;
        lock(&self.global).ask(method, priority::current(), now).map_err(Wait::Until)?;
        count.take();
        Ok(())
    }

    fn lane(&self, method: Method, about: &str) -> Arc<Lane> {
        let mut lanes = lock(&self.lanes);
        if lanes.len() >= KEPT_MAX {
            let now = Instant::now();
            lanes.retain(|_, lane| Arc::strong_count(lane) > 1 || !lane.is_idle(now));
        }
        Arc::clone(lanes.entry((method, about.to_owned())).or_default())
    }
}

impl Pass<'_> {
    /// Keeps what the answer says.
    pub(super) fn told(mut self, told: &Told) {
        let now = Instant::now();
        lock(&self.limiter.global).told(self.method, told, now);
        let Some(lane) = self.lane.take() else { return };
        let mut count = lock(&lane.count);
        count.under_way = count.under_way.saturating_sub(1);
        count.told(told, self.method, now);
        drop(count);
        lane.changed.notify_waiters();
    }
}

impl Drop for Pass<'_> {
    /// Without an answer nobody knows whether it was counted: it stays taken until the bucket is full again.
    fn drop(&mut self) {
        if let Some(lane) = self.lane.take() {
            lane.answered();
        }
    }
}

impl Lane {
    fn answered(&self) {
        let mut count = lock(&self.count);
        count.under_way = count.under_way.saturating_sub(1);
        drop(count);
        self.changed.notify_waiters();
    }

    /// How long it takes until a call is possible, as far as that is known.
    fn rest(&self, now: Instant) -> Duration {
        let reset = lock(&self.count).reset;
        reset.map_or(SECOND, |reset| reset.saturating_duration_since(now).max(MARGIN))
    }

    fn is_idle(&self, now: Instant) -> bool {
        let count = lock(&self.count);
        count.under_way == 0 && count.reset.is_none_or(|reset| reset <= now)
    }
}

impl Count {
    fn ask(&mut self, now: Instant) -> Result<(), Wait> {
        if self.reset.is_some_and(|reset| reset <= now) {
            self.reset = None;
            if let Known::Limit(limit) = self.known {
                // What is under way may be counted in the new stretch.
                self.remaining = limit.saturating_sub(self.under_way);
            }
        }
        match (self.known, self.reset) {
            (_, Some(reset)) if self.remaining == 0 => Err(Wait::Until(reset)),
            (Known::Free, _) => Ok(()),
            (Known::Limit(_), _) if self.remaining > 0 => Ok(()),
            // The first one of a bucket, or of a stretch about which nothing is known, goes ahead alone.
            _ if self.under_way == 0 => Ok(()),
            _ => Err(Wait::Changed),
        }
    }

    fn take(&mut self) {
        self.remaining = self.remaining.saturating_sub(1);
        self.under_way += 1;
    }

    fn told(&mut self, told: &Told, method: Method, now: Instant) {
        if let Some((wait, scope)) = told.limited {
            let is_of_all = match scope {
                Scope::Bucket | Scope::Shared => false,
                // An answer to an interaction is bound by its own bucket alone, whatever is said.
                Scope::Global => !method.is_answer(),
                Scope::Address => true,
            };
            if !is_of_all {
                self.remaining = 0;
                self.reset = self.reset.max(Some(now + wait + MARGIN));
            }
            return;
        }
        let (Some(limit), Some(remaining), Some(after)) =
            (told.limit, told.remaining, told.reset_after)
        else {
            if self.known == Known::Nothing && told.status < 500 {
                self.known = Known::Free;
            }
            return;
        };
        // Our own count is right but for what somebody else with the same token called. The first one of a bucket came
        // alone, so what it is told is all there is.
        let is_first = !matches!(self.known, Known::Limit(_));
        self.known = Known::Limit(limit.max(1));
        self.remaining = if is_first { remaining } else { self.remaining.min(remaining) };
        self.reset = self.reset.max(Some(now + after + MARGIN));
    }
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;
    use tokio::time::{advance, sleep};

    use super::*;

    const PATIENCE: Duration = Duration::from_mins(5);

    /// A Discord of buckets alone: so many in so long, counted from the first, by channel.
    #[derive(Default)]
    struct Counting {
        stretches: Mutex<BTreeMap<String, (Instant, u32)>>,
        refused: Mutex<u32>,
    }

    const LIMIT: u32 = 5;
    const STRETCH: Duration = Duration::from_secs(5);

    impl Counting {
        /// One call: it takes a moment to get there, and another one to come back.
        async fn call(&self, channel: &str, millis: u64) -> Told {
            sleep(Duration::from_millis(millis)).await;
            let (used, left) = {
                let (now, mut stretches) = (Instant::now(), lock(&self.stretches));
                let stretch = stretches.entry(channel.to_owned()).or_insert((now, 0));
                if now - stretch.0 >= STRETCH {
                    *stretch = (now, 0);
                }
                stretch.1 += 1;
                (stretch.1, STRETCH.saturating_sub(now - stretch.0))
            };
            sleep(Duration::from_millis(millis)).await;
            if used > LIMIT {
                *lock(&self.refused) += 1;
            }
            Told {
                status: if used > LIMIT { 429 } else { 200 },
                limit: Some(LIMIT),
                remaining: Some(LIMIT.saturating_sub(used)),
                reset_after: Some(left),
                limited: (used > LIMIT).then_some((left, Scope::Bucket)),
            }
        }
    }

    async fn send(limiter: &RateLimiter, discord: &Counting, channel: &str, millis: u64) {
        let pass = limiter.admit(Method::PostMessage, channel, PATIENCE).await.unwrap();
        pass.told(&discord.call(channel, millis).await);
    }

    #[tokio::test(start_paused = true)]
    async fn many_at_once_go_one_stretch_after_another_and_none_is_refused() {
        let (limiter, discord) = (RateLimiter::new(50), Counting::default());
        let began = Instant::now();
        let sending = (0..40).map(|n| send(&limiter, &discord, "600", 20 + n * 7 % 60));
        futures::future::join_all(sending).await;
        assert_eq!(*lock(&discord.refused), 0);
        let took = began.elapsed();
        assert!(took >= STRETCH * 7 && took < STRETCH * 8, "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_channel_does_not_hold_up_another_one() {
        let (limiter, discord) = (RateLimiter::new(50), Counting::default());
        for _ in 0..5 {
            send(&limiter, &discord, "600", 1).await;
        }
        let wait = limiter.admit(Method::PostMessage, "600", Duration::from_secs(1)).await;
        let wait = wait.map(drop).unwrap_err();
        assert!(wait > Duration::from_secs(4) && wait <= STRETCH, "{wait:?}");
        let began = Instant::now();
        send(&limiter, &discord, "601", 1).await;
        assert!(began.elapsed() < Duration::from_millis(10));
    }

    /// Discord gives routes with different limits one name.
    #[tokio::test(start_paused = true)]
    async fn routes_with_one_bucket_name_keep_counts_of_their_own() {
        let limiter = RateLimiter::new(50);
        let told = |limit: u32, remaining: u32| {
            let after = STRETCH.as_secs().to_string();
            let (limit, remaining) = (limit.to_string(), remaining.to_string());
            let said = headers(&[
                ("x-ratelimit-bucket", "abc"),
                ("x-ratelimit-limit", &limit),
                ("x-ratelimit-remaining", &remaining),
                ("x-ratelimit-reset-after", &after),
            ]);
            Told::read(StatusCode::OK, &said, Some(&json!({})))
        };
        let quick = Duration::from_millis(1);
        limiter.admit(Method::PostMessage, "600", quick).await.unwrap().told(&told(5, 4));
        limiter.admit(Method::DeleteMessage, "600", quick).await.unwrap().told(&told(1, 0));
        assert!(limiter.admit(Method::DeleteMessage, "600", quick).await.is_err());
        for left in (0..4).rev() {
            let pass = limiter.admit(Method::PostMessage, "600", quick).await;
            pass.unwrap().told(&told(5, left));
        }
        assert!(limiter.admit(Method::PostMessage, "600", quick).await.is_err());
        advance(STRETCH + MARGIN).await;
        limiter.admit(Method::DeleteMessage, "600", quick).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn fifty_go_in_a_second_and_answers_are_not_counted() {
        let limiter = RateLimiter::new(50);
        let free = Told { status: 200, ..Told::default() };
        let began = Instant::now();
        for guild in 0..150 {
            let guild = guild.to_string();
            limiter.admit(Method::Guild, &guild, PATIENCE).await.unwrap().told(&free);
        }
        let took = began.elapsed();
        assert!(took >= SECOND * 2 && took < SECOND * 2 + SECOND / 5, "{took:?}");
        for _ in 0..100 {
            let quick = Duration::from_millis(1);
            limiter.admit(Method::Answer, "", quick).await.unwrap().told(&free);
        }
        assert_eq!(began.elapsed(), took);
    }

    /// So many are let through in the next seconds.
    async fn through(limiter: &RateLimiter, within: Duration) -> u32 {
        let free = Told { status: 200, ..Told::default() };
        let until = Instant::now() + within;
        let mut count = 0;
        while Instant::now() < until {
            let guild = count.to_string();
            limiter.admit(Method::Guild, &guild, PATIENCE).await.unwrap().told(&free);
            count += 1;
        }
        count
    }

    #[tokio::test(start_paused = true)]
    async fn fewer_go_for_a_while_after_discord_has_said_that_it_is_too_much() {
        let limiter = RateLimiter::new(50);
        let quick = Duration::from_millis(1);
        let wall = json!({ "retry_after": 1.0, "global": true });
        let wall = Told::read(StatusCode::TOO_MANY_REQUESTS, &headers(&[]), Some(&wall));
        // What left in one go is refused in one go, and counts once.
        let mut burst = Vec::new();
        for n in 0..5 {
            burst.push(limiter.admit(Method::Guild, &format!("b{n}"), quick).await.unwrap());
        }
        for pass in burst {
            pass.told(&wall);
        }
        advance(SECOND * 2).await;
        let slower = through(&limiter, SECOND * 5).await;
        assert!((190..=205).contains(&slower), "{slower}");
        advance(Duration::from_mins(10)).await;
        through(&limiter, SECOND).await;
        let again = through(&limiter, SECOND * 5).await;
        assert!((240..=255).contains(&again), "{again}");
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn what_discord_asks_to_wait_is_waited_for_by_whom_it_concerns() {
        let limiter = RateLimiter::new(50);
        let too_many = StatusCode::TOO_MANY_REQUESTS;
        let body = json!({ "retry_after": 30.0, "global": false });
        let shared = headers(&[("x-ratelimit-scope", "shared")]);
        let shared = Told::read(too_many, &shared, Some(&body));
        let quick = Duration::from_millis(1);
        limiter.admit(Method::PostMessage, "600", quick).await.unwrap().told(&shared);
        assert!(limiter.admit(Method::PostMessage, "600", quick).await.is_err());
        limiter.admit(Method::PostMessage, "601", quick).await.unwrap();
        assert_eq!(lock(&limiter.global).refused.len(), 0, "it was others who called too often");
        // A limit over all calls is none for answers to interactions.
        let all = json!({ "retry_after": 30.0, "global": true });
        let all = Told::read(too_many, &headers(&[]), Some(&all));
        limiter.admit(Method::Roles, "500", quick).await.unwrap().told(&all);
        assert!(limiter.admit(Method::Guild, "500", quick).await.is_err());
        limiter.admit(Method::Answer, "", quick).await.unwrap();
        let edit = limiter.admit(Method::EditAnswer, "901/a", quick).await.unwrap();
        edit.told(&all);
        assert!(limiter.admit(Method::EditAnswer, "901/a", quick).await.is_err());
        limiter.admit(Method::EditAnswer, "901/b", quick).await.unwrap();
        advance(SECOND * 31).await;
        // What says it without JSON stands before Discord, and means everything.
        let wall = Told::read(too_many, &headers(&[("retry-after", "60")]), None);
        limiter.admit(Method::Me, "", quick).await.unwrap().told(&wall);
        for method in [Method::PostMessage, Method::Guild, Method::Answer] {
            let wait = limiter.admit(method, "602", quick).await.map(drop).unwrap_err();
            assert_eq!(wait, Duration::from_mins(1) + MARGIN, "{method:?}");
        }
        assert_eq!(lock(&limiter.global).refused.len(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_called_before_discord_turns_the_address_away() {
        let limiter = RateLimiter::new(50);
        let refused = Told { status: 403, ..Told::default() };
        for _ in 0..global::REFUSED_MAX {
            limiter.admit(Method::Member, "500", PATIENCE).await.unwrap().told(&refused);
        }
        let quick = Duration::from_millis(1);
        assert!(limiter.admit(Method::Me, "", quick).await.is_err());
        limiter.admit(Method::Answer, "", quick).await.unwrap();
        advance(global::REFUSED_WITHIN).await;
        limiter.admit(Method::Me, "", quick).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn background_calls_leave_room_for_others() {
        let limiter = RateLimiter::new(50);
        let call = async |guild: u32| {
            limiter.admit(Method::Guild, &guild.to_string(), Duration::ZERO).await.is_ok()
        };
        let mut calls = 0;
        while priority::with(Priority::Background, call(calls)).await {
            calls += 1;
        }
        assert_eq!(calls, 30);
        while call(calls).await {
            calls += 1;
        }
        assert_eq!(calls, 50);
    }
}
