//! Own rates, so that Slack seldom has to say 429; and what it says then, kept.
//!
//! The client library's control is off: it lets one message a second through over *all* channels of a workspace.

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use governor::{
    NotUntil, Quota, RateLimiter as Bucket, clock, middleware::NoOpMiddleware, nanos::Nanos,
    state::keyed::HashMapStateStore,
};
use tokio::time::Instant;

use super::method::{Method, Tier};
use crate::{chat::priority, config::SlackRates, model::effect::Priority};

/// The clock of the runtime, which tests pause.
#[derive(Debug, Clone)]
struct RuntimeClock(Instant);

impl clock::Clock for RuntimeClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        self.0.elapsed().into()
    }
}

type Buckets<K> = Bucket<K, HashMapStateStore<K>, RuntimeClock, NoOpMiddleware<Nanos>>;

type Tiers = [(Tier, Buckets<(String, Method)>); 3];

/// The part of a tier's rate that calls of background priority may use: four of five.
const fn background(per_minute: u32) -> u32 {
    per_minute / 5 * 4
}

/// What Slack asked to wait: workspace, method, and the channel of a post.
type Asked = (String, Method, Option<String>);

/// Lets calls through at their rates.
#[derive(Debug)]
pub(super) struct RateLimiter {
    clock: RuntimeClock,
    /// By workspace and channel.
    channels: Buckets<(String, String)>,
    /// By workspace.
    workspaces: Buckets<String>,
    /// By workspace and method, for each tier that has a number.
    tiers: Tiers,
    /// The part of these that calls of background priority may use, so that others find room whenever they come.
    background: Tiers,
    rates: SlackRates,
    /// Until when Slack asked to wait.
    pauses: Mutex<HashMap<Asked, Instant>>,
}

/// Buckets and pauses kept before the full ones are thrown away.
const KEPT_MAX: usize = 4096;

impl RateLimiter {
    pub(super) fn new(rates: &SlackRates) -> Self {
        let clock = RuntimeClock(Instant::now());
        let number = |number| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
        // Half at once, the rest as time goes: a whole minute's worth at once would let twice as much through.
        let by_tier = |per_minute: u32| {
            let quota = Quota::per_minute(number(per_minute)).allow_burst(number(per_minute / 2));
            Bucket::new(quota, HashMapStateStore::default(), clock.clone())
        };
        let tiers = |rate: fn(u32) -> u32| {
            [(Tier::Two, rates.tier_2), (Tier::Three, rates.tier_3), (Tier::Four, rates.tier_4)]
                .map(|(tier, per_minute)| (tier, by_tier(rate(per_minute))))
        };
        let channel = Quota::per_minute(number(rates.posts_per_channel))
            .allow_burst(number(rates.posts_burst));
        let workspace = Quota::per_minute(number(rates.posts_per_workspace));
        Self {
            channels: Bucket::new(channel, HashMapStateStore::default(), clock.clone()),
            workspaces: Bucket::new(workspace, HashMapStateStore::default(), clock.clone()),
            tiers: tiers(|per_minute| per_minute),
            background: tiers(background),
            rates: rates.clone(),
            pauses: Mutex::default(),
            clock,
        }
    }

    /// How often a method may be called in a workspace in a minute.
    pub(super) const fn per_minute(&self, method: Method) -> u32 {
        match method.tier() {
            Tier::Two => self.rates.tier_2,
            Tier::Three => self.rates.tier_3,
            Tier::Four => self.rates.tier_4,
            Tier::Posting => self.rates.posts_per_workspace,
            Tier::Special => u32::MAX,
        }
    }

    /// Waits for a place, at most `patience`; else says how long it would take.
    pub(super) async fn admit(
        &self,
        team: &str,
        method: Method,
        channel: Option<&str>,
        patience: Duration,
    ) -> Result<(), Duration> {
        let deadline = Instant::now() + patience;
        loop {
            let Err(wait) = self.ask(team, method, channel) else { return Ok(()) };
            if Instant::now() + wait > deadline {
                return Err(wait);
            }
            tokio::time::sleep(wait).await;
        }
    }

    /// Slack asked to wait: later calls of the same kind wait too.
    pub(super) fn pause(&self, team: &str, method: Method, channel: Option<&str>, wait: Duration) {
        let now = Instant::now();
        let mut pauses = self.pauses.lock().unwrap_or_else(PoisonError::into_inner);
        if pauses.len() >= KEPT_MAX {
            pauses.retain(|_, until| *until > now);
        }
        pauses.insert((team.to_owned(), method, channel.map(str::to_owned)), now + wait);
    }

    fn ask(&self, team: &str, method: Method, channel: Option<&str>) -> Result<(), Duration> {
        if let Some(wait) = self.paused(team, method, channel) {
            return Err(wait);
        }
        if method.tier() == Tier::Posting {
            if let Some(channel) = channel {
                let key = (team.to_owned(), channel.to_owned());
                self.channels.check_key(&key).map_err(|until| self.wait(&until))?;
            }
            return self.workspaces.check_key(&team.to_owned()).map_err(|until| self.wait(&until));
        }
        // A call in the background needs room in both; that it may use up its own in vain only makes it wait longer.
        let own = (priority::current() == Priority::Background).then_some(&self.background);
        for tiers in own.into_iter().chain([&self.tiers]) {
            let of_tier = tiers.iter().find(|(tier, _)| *tier == method.tier());
            if let Some((_, buckets)) = of_tier {
                let key = (team.to_owned(), method);
                buckets.check_key(&key).map_err(|until| self.wait(&until))?;
            }
        }
        Ok(())
    }

    fn paused(&self, team: &str, method: Method, channel: Option<&str>) -> Option<Duration> {
        let now = Instant::now();
        let mut pauses = self.pauses.lock().unwrap_or_else(PoisonError::into_inner);
        if pauses.is_empty() {
            return None;
        }
        let key = (team.to_owned(), method, channel.map(str::to_owned));
        let until = *pauses.get(&key)?;
        if until <= now {
            pauses.remove(&key);
            return None;
        }
        Some(until - now)
    }

    fn wait(&self, until: &NotUntil<Nanos>) -> Duration {
        // A moment more, so that rounding does not make it come too early.
        until.wait_time_from(clock::Clock::now(&self.clock)) + Duration::from_millis(1)
    }

    /// Throws full buckets away where there are many: they are as good as none.
    pub(super) fn tidy(&self) {
        if self.channels.len() > KEPT_MAX {
            self.channels.retain_recent();
        }
        for (_, buckets) in self.tiers.iter().chain(&self.background) {
            if buckets.len() > KEPT_MAX {
                buckets.retain_recent();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{RateLimiter, SlackRates};
    use crate::{chat::priority, gateway::slack::api::Method, model::effect::Priority};

    const PATIENCE: Duration = Duration::from_secs(3);

    #[tokio::test(start_paused = true)]
    async fn a_busy_channel_does_not_hold_up_another_one() {
        let limiter = RateLimiter::new(&SlackRates::default());
        let began = Instant::now();
        for _ in 0..6 {
            limiter.admit("T1", Method::PostMessage, Some("C1"), PATIENCE).await.unwrap();
        }
        assert!(began.elapsed() >= Duration::from_secs(1), "the sixth waits for its second");
        let began = Instant::now();
        limiter.admit("T1", Method::PostMessage, Some("C2"), PATIENCE).await.unwrap();
        assert!(began.elapsed() < Duration::from_millis(10));
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_wait_is_told_instead_of_waited_for() {
        let limiter = RateLimiter::new(&SlackRates::default());
        for _ in 0..10 {
            limiter.admit("T1", Method::StopStream, None, PATIENCE).await.unwrap();
        }
        let patience = Duration::from_secs(1);
        let wait = limiter.admit("T1", Method::StopStream, None, patience).await.unwrap_err();
        assert!(wait > patience && wait < Duration::from_secs(4), "{wait:?}");
        limiter.admit("T2", Method::StopStream, None, patience).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn what_slack_asked_to_wait_is_kept_for_later_calls() {
        let limiter = RateLimiter::new(&SlackRates::default());
        limiter.pause("T1", Method::PostMessage, Some("C1"), Duration::from_secs(30));
        let wait = limiter.admit("T1", Method::PostMessage, Some("C1"), PATIENCE).await;
        assert_eq!(wait, Err(Duration::from_secs(30)));
        limiter.admit("T1", Method::PostMessage, Some("C2"), PATIENCE).await.unwrap();
        tokio::time::advance(Duration::from_secs(28)).await;
        let began = Instant::now();
        limiter.admit("T1", Method::PostMessage, Some("C1"), PATIENCE).await.unwrap();
        assert!(began.elapsed() >= Duration::from_secs(2));
    }

    #[tokio::test(start_paused = true)]
    async fn background_calls_leave_room_for_others() {
        let limiter = RateLimiter::new(&SlackRates::default());
        let edit = || limiter.admit("T1", Method::UpdateMessage, None, Duration::ZERO);
        let mut edits = 0;
        while priority::with(Priority::Background, edit()).await.is_ok() {
            edits += 1;
        }
        assert_eq!(edits, 20, "four of five that may be made at once");
        edit().await.unwrap();
    }
}
