//! Whether Discord takes the bot's token. A call that is refused for it is no proof: the token is looked at by itself.
//! One that is refused is not shown again and again, and is looked at now and then, so that a renewed one works by itself.

use std::time::Duration;

use tokio::{
    sync::{Mutex, watch},
    time::Instant,
};

/// What is known of the token.
#[derive(Debug)]
pub(super) struct Trust {
    every: Duration,
    works: watch::Sender<bool>,
    /// When Discord was asked last; held while it is asked.
    asked: Mutex<Option<Instant>>,
}

impl Trust {
    /// Nothing is known against it; Discord is asked `every` so often at most.
    pub(super) fn new(every: Duration) -> Self {
        Self { every, works: watch::Sender::new(true), asked: Mutex::default() }
    }

    /// Whether the token works. Discord is asked once, however many want to know, where it is refused or `again` says that
    /// there is reason to doubt; what `ask` cannot tell stays as it was.
    pub(super) async fn holds<Asked>(&self, again: bool, ask: impl FnOnce() -> Asked) -> bool
    where
        Asked: Future<Output = Option<bool>>,
    {
        if !again && *self.works.borrow() {
            return true;
        }
        let mut asked = self.asked.lock().await;
        if asked.is_none_or(|at| at.elapsed() >= self.every) {
            *asked = Some(Instant::now());
            if let Some(works) = ask().await {
                self.tell(works);
            }
        }
        *self.works.borrow()
    }

    /// Whether the token works, and each change of that.
    pub(super) fn watch(&self) -> watch::Receiver<bool> {
        self.works.subscribe()
    }

    /// Discord has refused the token by itself.
    pub(super) async fn refused(&self) {
        *self.asked.lock().await = Some(Instant::now());
        self.tell(false);
    }

    fn tell(&self, works: bool) {
        if self.works.send_replace(works) == works {
            return;
        }
        if works {
            tracing::info!("Discord accepts the bot token again");
        } else {
            tracing::error!(
                "Discord rejects the bot token; only replies to interactions are still sent"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn discord_is_asked_once_in_a_while_and_only_where_there_is_doubt() {
        let every = Duration::from_secs(30);
        let (trust, asked) = (Trust::new(every), AtomicU32::new(0));
        let holds = |again: bool, says: Option<bool>| {
            let asked = &asked;
            let ask = move || async move {
                asked.fetch_add(1, Ordering::Relaxed);
                says
            };
            trust.holds(again, ask)
        };
        assert!(holds(false, Some(false)).await);
        assert!(!holds(true, Some(false)).await);
        assert!(!holds(true, Some(true)).await);
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        advance(every).await;
        assert!(!holds(false, None).await);
        advance(every).await;
        assert!(holds(false, Some(true)).await);
        assert!(holds(false, Some(false)).await);
        assert_eq!(asked.load(Ordering::Relaxed), 3);
    }
}
