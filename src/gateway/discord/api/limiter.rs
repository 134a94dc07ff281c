//! Own count of Discord's rates, so that it seldom has to say 429; and what it says then, kept.
//!
//! Buckets are learned from answers, by Discord's name of the bucket and what the call is about. Nothing is known of a
//! new one, so one call goes ahead and the others wait for what it is told. Callers come to their turn in order.
//!
//! Own, and not that of `twilight-http-ratelimiting`: its callers wait without end and without being told for how long,
//! where ours say "later" to the outbox; it counts neither what Discord forbids an address for (401, 403 and 429) nor
//! stops after a token that is refused; and its task belongs to nobody.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use reqwest::{StatusCode, header::HeaderMap};
use serde_json::Value;
use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};

use super::method::Method;

/// Calls over all buckets in [`GLOBAL_WITHIN`]. Discord counts fifty in a second, by when they arrive: what left in
/// good time may arrive with what left a fifth of a second later, on a busy machine.
const GLOBAL: usize = 48;

/// How long a call counts.
const GLOBAL_WITHIN: Duration = Duration::from_millis(1_200);

/// How long a bucket is left alone of which it is not known when it fills again.
const SECOND: Duration = Duration::from_secs(1);

/// More than the time that Discord names, against its rounding.
const MARGIN: Duration = Duration::from_millis(2);

/// Refused calls in [`REFUSED_WITHIN`] after which nothing is called for a while: at 10,000 Discord turns away the
/// whole address (docs, topics/rate-limits).
const REFUSED_MAX: usize = 5_000;

/// Where refused calls are counted.
const REFUSED_WITHIN: Duration = Duration::from_mins(10);

/// How long nothing is called after Discord has refused the token. It is asked again because Discord has been wrong.
const DISTRUST: Duration = Duration::from_mins(1);

/// When Discord does not say how long to wait.
const WAIT_UNSAID: Duration = Duration::from_secs(5);

/// Longest wait that is believed.
const WAIT_MAX: Duration = Duration::from_hours(1);

/// Buckets kept before idle ones are thrown away.
const KEPT_MAX: usize = 4096;

/// What an answer says about its rate.
#[derive(Debug, Clone, Default)]
pub(super) struct Told {
    status: u16,
    /// Discord's name of the bucket.
    bucket: Option<String>,
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
    /// Everything.
    Global,
}

impl Told {
    /// Reads what an answer says about its rate. `body` is none where it is not JSON.
    pub(super) fn read(status: StatusCode, headers: &HeaderMap, body: Option<&Value>) -> Self {
        let text = |name: &str| headers.get(name)?.to_str().ok();
        let number = |name: &str| text(name)?.parse::<u32>().ok();
        let seconds = |value: f64| Duration::try_from_secs_f64(value).ok();
        let span = |name: &str| seconds(text(name)?.parse().ok()?);
        let limited = (status == StatusCode::TOO_MANY_REQUESTS).then(|| {
            // The body is finer than the header.
            let said = body.and_then(|body| seconds(body["retry_after"].as_f64()?));
            let wait = said.or_else(|| span("retry-after")).unwrap_or(WAIT_UNSAID);
            let is_global = text("x-ratelimit-global").is_some()
                || body.is_some_and(|body| body["global"] == true);
            let scope = match text("x-ratelimit-scope") {
                Some("shared") => Scope::Shared,
                Some("global") => Scope::Global,
                _ if is_global => Scope::Global,
                // What stands before Discord says it without JSON, and means the address.
                None if body.is_none_or(|body| body["retry_after"].is_null()) => Scope::Global,
                _ => Scope::Bucket,
            };
            (wait.min(WAIT_MAX), scope)
        });
        Self {
            status: status.as_u16(),
            bucket: text("x-ratelimit-bucket").map(str::to_owned),
            limit: number("x-ratelimit-limit"),
            remaining: number("x-ratelimit-remaining"),
            reset_after: span("x-ratelimit-reset-after").map(|span| span.min(WAIT_MAX)),
            limited,
        }
    }

    /// How long Discord asks to wait.
    pub(super) fn wait(&self) -> Duration {
        self.limited.map_or(Duration::ZERO, |(wait, _)| wait)
    }
}

/// Lets calls through at their rates; cheap to ask.
#[derive(Debug, Default)]
pub(super) struct Limiter {
    lanes: Mutex<Lanes>,
    global: Mutex<Global>,
}

/// The buckets: by name where it is known, by call until then, and by what they are about.
#[derive(Debug, Default)]
struct Lanes {
    names: HashMap<Method, String>,
    lanes: HashMap<(String, String), Arc<Lane>>,
}

/// One bucket.
#[derive(Debug, Default)]
struct Lane {
    /// Whose turn it is; fair.
    turn: tokio::sync::Mutex<()>,
    count: Mutex<Count>,
    /// An answer came.
    heard: Notify,
}

/// What is known of a bucket.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    known: Known,
    /// What may still be called before `reset`.
    remaining: u32,
    /// When all may be called again; none until an answer of this stretch came.
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

/// What counts over all buckets.
#[derive(Debug, Default)]
struct Global {
    /// When the last calls were let through.
    last: VecDeque<Instant>,
    /// Nothing is called before.
    paused: Option<Instant>,
    /// When calls were refused that Discord counts.
    refused: VecDeque<Instant>,
}

/// A call that was let through, until its answer came.
#[derive(Debug)]
pub(super) struct Pass<'a> {
    limiter: &'a Limiter,
    method: Method,
    /// What it counts for; none for a first answer to an interaction, which nothing limits.
    lane: Option<Arc<Lane>>,
    about: String,
}

/// What a call has to wait for.
enum Wait {
    Until(Instant),
    /// Another call is ahead, and its answer says more.
    Heard,
}

impl Limiter {
    /// Waits for a place, at most `patience`; else says how long it would take, as far as that is known.
    pub(super) async fn admit(
        &self,
        method: Method,
        about: &str,
        patience: Duration,
    ) -> Result<Pass<'_>, Duration> {
        let deadline = Instant::now() + patience;
        if method == Method::Answer {
            self.unpaused(Instant::now())?;
            return Ok(Pass { limiter: self, method, lane: None, about: String::new() });
        }
        loop {
            let lane = self.lane(method, about);
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(_turn) = timeout(left, lane.turn.lock()).await else {
                return Err(lane.rest(Instant::now()));
            };
            loop {
                // Its name may have become known meanwhile.
                if !Arc::ptr_eq(&lane, &self.lane(method, about)) {
                    break;
                }
                let heard = lane.heard.notified();
                let now = Instant::now();
                match self.ask(&lane, method, now) {
                    Ok(()) => {
                        let (lane, about) = (Some(Arc::clone(&lane)), about.to_owned());
                        return Ok(Pass { limiter: self, method, lane, about });
                    }
                    Err(Wait::Until(until)) if until > deadline => return Err(until - now),
                    Err(Wait::Until(until)) => {
                        drop(tokio::time::timeout_at(until, heard).await);
                    }
                    Err(Wait::Heard) => {
                        if tokio::time::timeout_at(deadline, heard).await.is_err() {
                            return Err(lane.rest(Instant::now()));
                        }
                    }
                }
            }
        }
    }

    fn ask(&self, lane: &Lane, method: Method, now: Instant) -> Result<(), Wait> {
        let mut count = lock(&lane.count);
        count.ask(now)?;
        lock(&self.global).ask(method, now).map_err(Wait::Until)?;
        count.take();
        Ok(())
    }

    /// Whether nothing is called at the moment.
    fn unpaused(&self, now: Instant) -> Result<(), Duration> {
        match lock(&self.global).paused(now) {
            Some(until) => Err(until - now),
            None => Ok(()),
        }
    }

    fn lane(&self, method: Method, about: &str) -> Arc<Lane> {
        let mut lanes = lock(&self.lanes);
        let name = lanes.names.get(&method).cloned();
        let name = name.unwrap_or_else(|| method.name().to_owned());
        if lanes.lanes.len() >= KEPT_MAX {
            let now = Instant::now();
            lanes.lanes.retain(|_, lane| Arc::strong_count(lane) > 1 || !lane.is_idle(now));
        }
        Arc::clone(lanes.lanes.entry((name, about.to_owned())).or_default())
    }

    /// Keeps the name that Discord gives to a call's bucket; those who wait are told to look for it.
    fn learn(&self, method: Method, about: &str, name: &str) -> Arc<Lane> {
        {
            let mut lanes = lock(&self.lanes);
            if lanes.names.get(&method).is_none_or(|known| known != name) {
                lanes.names.insert(method, name.to_owned());
            }
        }
        self.lane(method, about)
    }
}

impl Pass<'_> {
    /// Keeps what the answer says.
    pub(super) fn told(mut self, told: &Told) {
        let now = Instant::now();
        lock(&self.limiter.global).told(self.method, told, now);
        let Some(old) = self.lane.take() else { return };
        let lane = match &told.bucket {
            Some(name) => self.limiter.learn(self.method, &self.about, name),
            None => Arc::clone(&old),
        };
        if !Arc::ptr_eq(&old, &lane) {
            old.answered();
            lock(&lane.count).under_way += 1;
        }
        let mut count = lock(&lane.count);
        count.under_way = count.under_way.saturating_sub(1);
        count.told(told, now);
        drop(count);
        lane.heard.notify_waiters();
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
        self.heard.notify_waiters();
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
            _ => Err(Wait::Heard),
        }
    }

    fn take(&mut self) {
        self.remaining = self.remaining.saturating_sub(1);
        self.under_way += 1;
    }

    fn told(&mut self, told: &Told, now: Instant) {
        if let Some((wait, scope)) = told.limited {
            if scope != Scope::Global {
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

impl Global {
    fn ask(&mut self, method: Method, now: Instant) -> Result<(), Instant> {
        if let Some(until) = self.paused(now) {
            return Err(until);
        }
        if method.is_answer() {
            return Ok(());
        }
        while self.last.front().is_some_and(|at| *at + GLOBAL_WITHIN <= now) {
            self.last.pop_front();
        }
        match self.last.front() {
            Some(first) if self.last.len() >= GLOBAL => Err(*first + GLOBAL_WITHIN),
            _ => {
                self.last.push_back(now);
                Ok(())
            }
        }
    }

    fn paused(&mut self, now: Instant) -> Option<Instant> {
        self.paused = self.paused.filter(|until| *until > now);
        self.paused
    }

    fn told(&mut self, method: Method, told: &Told, now: Instant) {
        if let Some((wait, Scope::Global)) = told.limited {
            self.pause(now + wait + MARGIN);
            tracing::warn!(?wait, "Discord asks to call nothing for a while");
        }
        let is_shared = matches!(told.limited, Some((_, Scope::Shared)));
        if matches!(told.status, 401 | 403 | 429) && !is_shared {
            self.refused(now);
        }
        if told.status == 401 && !method.is_answer() {
            self.pause(now + DISTRUST);
        }
    }

    fn refused(&mut self, now: Instant) {
        while self.refused.front().is_some_and(|at| *at + REFUSED_WITHIN <= now) {
            self.refused.pop_front();
        }
        self.refused.push_back(now);
        if self.refused.len() >= REFUSED_MAX
            && let Some(first) = self.refused.front()
        {
            let until = *first + REFUSED_WITHIN;
            self.pause(until);
            tracing::error!(
                refused = self.refused.len(),
                "Discord refuses too much; nothing is called for a while, or it would turn this address away"
            );
        }
    }

    fn pause(&mut self, until: Instant) {
        self.paused = self.paused.max(Some(until));
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
                bucket: Some("abc".to_owned()),
                limit: Some(LIMIT),
                remaining: Some(LIMIT.saturating_sub(used)),
                reset_after: Some(left),
                limited: (used > LIMIT).then_some((left, Scope::Bucket)),
            }
        }
    }

    async fn send(limiter: &Limiter, discord: &Counting, channel: &str, millis: u64) {
        let pass = limiter.admit(Method::PostMessage, channel, PATIENCE).await.unwrap();
        pass.told(&discord.call(channel, millis).await);
    }

    #[tokio::test(start_paused = true)]
    async fn many_at_once_go_one_stretch_after_another_and_none_is_refused() {
        let (limiter, discord) = (Limiter::default(), Counting::default());
        let began = Instant::now();
        let sending = (0..40).map(|n| send(&limiter, &discord, "600", 20 + n * 7 % 60));
        futures::future::join_all(sending).await;
        assert_eq!(*lock(&discord.refused), 0);
        let took = began.elapsed();
        assert!(took >= STRETCH * 7 && took < STRETCH * 8, "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_channel_does_not_hold_up_another_one() {
        let (limiter, discord) = (Limiter::default(), Counting::default());
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

    #[tokio::test(start_paused = true)]
    async fn calls_under_one_name_share_a_bucket() {
        let limiter = Limiter::default();
        let told = |remaining| Told {
            status: 200,
            bucket: Some("abc".to_owned()),
            limit: Some(2),
            remaining: Some(remaining),
            reset_after: Some(STRETCH),
            limited: None,
        };
        let quick = Duration::from_millis(1);
        limiter.admit(Method::PostMessage, "600", quick).await.unwrap().told(&told(1));
        limiter.admit(Method::EditMessage, "600", quick).await.unwrap().told(&told(0));
        assert!(limiter.admit(Method::PostMessage, "600", quick).await.is_err());
        advance(STRETCH + MARGIN).await;
        limiter.admit(Method::PostMessage, "600", quick).await.unwrap().told(&told(1));
    }

    #[tokio::test(start_paused = true)]
    async fn fewer_than_fifty_go_in_a_second_and_answers_are_not_counted() {
        let limiter = Limiter::default();
        let free = Told { status: 200, ..Told::default() };
        let began = Instant::now();
        for guild in 0..100 {
            let guild = guild.to_string();
            limiter.admit(Method::Guild, &guild, PATIENCE).await.unwrap().told(&free);
        }
        assert!(began.elapsed() >= GLOBAL_WITHIN * 2 && began.elapsed() < SECOND * 3);
        for _ in 0..100 {
            let quick = Duration::from_millis(1);
            limiter.admit(Method::Answer, "", quick).await.unwrap().told(&free);
        }
        assert!(began.elapsed() < SECOND * 3);
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn what_discord_asks_to_wait_is_waited_for_by_whom_it_concerns() {
        let limiter = Limiter::default();
        let too_many = StatusCode::TOO_MANY_REQUESTS;
        let body = json!({ "retry_after": 30.0, "global": false });
        let shared = headers(&[("x-ratelimit-scope", "shared")]);
        let shared = Told::read(too_many, &shared, Some(&body));
        let quick = Duration::from_millis(1);
        limiter.admit(Method::PostMessage, "600", quick).await.unwrap().told(&shared);
        assert!(limiter.admit(Method::PostMessage, "600", quick).await.is_err());
        limiter.admit(Method::PostMessage, "601", quick).await.unwrap();
        assert!(lock(&limiter.global).refused.is_empty(), "it was others who called too often");
        // What says it without JSON stands before Discord, and means everything.
        let wall = Told::read(too_many, &headers(&[("retry-after", "60")]), None);
        limiter.admit(Method::Me, "", quick).await.unwrap().told(&wall);
        for method in [Method::PostMessage, Method::Guild, Method::Answer] {
            let wait = limiter.admit(method, "602", quick).await.map(drop).unwrap_err();
            assert_eq!(wait, Duration::from_mins(1) + MARGIN, "{method:?}");
        }
        assert_eq!(lock(&limiter.global).refused.len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_called_before_discord_turns_the_address_away() {
        let limiter = Limiter::default();
        let refused = Told { status: 403, ..Told::default() };
        for _ in 0..REFUSED_MAX {
            limiter.admit(Method::Member, "500", PATIENCE).await.unwrap().told(&refused);
        }
        let quick = Duration::from_millis(1);
        assert!(limiter.admit(Method::Me, "", quick).await.is_err());
        advance(REFUSED_WITHIN).await;
        limiter.admit(Method::Me, "", quick).await.unwrap();
    }
}
