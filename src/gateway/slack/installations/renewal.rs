//! Gets the next tokens of an installation. Slack takes a refresh token once, so the answer is not lost: whoever asked for
//! it may go, and tokens that cannot be saved are used all the same and saved later.

use std::sync::{Arc, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::OwnedMutexGuard;

use super::{
    Entry, Error, INSTALLS, Installations, Kept, Many, TokenStatus, grant::Granted, vault::Tokens,
};
use crate::{config::Secret, store::Note};

impl Entry {
    /// What Slack gave just now.
    pub(super) fn granted(granted: Granted, now: DateTime<Utc>) -> Self {
        let Granted { installation, access, refresh, expires_in } = granted;
        let life = expires_in.and_then(|time| Some((now, now + TimeDelta::from_std(time).ok()?)));
        Self {
            installation,
            token: Secret::new(access),
            refresh: refresh.map(Secret::new),
            life,
            status: TokenStatus::Accepted,
            is_unsaved: false,
        }
    }
}

impl Many {
    /// Makes tokens durable; whoever does it holds `saving`.
    pub(super) async fn save(&self, entry: &Entry) -> Result<(), Error> {
        let key = format!("{INSTALLS}{}", entry.installation.id());
        let tokens = Tokens {
            access: entry.token.expose().to_owned(),
            refresh: entry.refresh.as_ref().map(|refresh| refresh.expose().to_owned()),
        };
        let sealed = self.vault.seal(&key, &tokens).ok_or(Error::BadKey)?;
        let kept = Kept {
            installation: entry.installation.clone(),
            key: self.vault.id().to_owned(),
            sealed,
            life: entry.life,
        };
        let value = serde_json::to_string(&kept).map_err(|_| Error::BadKey)?;
        Ok(self.store.note(Note { key, session: None, value: Some(value) }).await?)
    }
}

impl Installations {
    /// Renews tokens that have lived half their life.
    pub(in crate::gateway::slack) async fn renew_ageing(self: &Arc<Self>) {
        let Some(many) = &self.many else { return };
        for id in self.ageing(many.clock.now()) {
            self.renew(many, &id, None).await;
        }
    }

    /// Tokens that have lived half their life.
    pub(super) fn ageing(&self, now: DateTime<Utc>) -> Vec<String> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let is_ageing = |entry: &&Entry| {
            let half = entry.life.map(|(from, until)| from + (until - from) / 2);
            entry.is_live() && entry.refresh.is_some() && half.is_some_and(|half| now >= half)
        };
        let ageing = known.entries.values().filter(is_ageing);
        ageing.map(|entry| entry.installation.id().to_owned()).collect()
    }

    /// Gets the next token of an installation, unless `old` is not its token any more. Whether there is another one. A
    /// renewal that has begun goes on where nobody waits for it any more.
    pub(super) async fn renew(
        self: &Arc<Self>,
        many: &Many,
        id: &str,
        old: Option<&Secret>,
    ) -> bool {
        let one_at_a_time = Arc::clone(&many.renewing).lock_owned().await;
        let entry = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            known.entries.get(id).filter(|entry| entry.status != TokenStatus::Gone).cloned()
        };
        let Some(entry) = entry else { return false };
        if old.is_some_and(|old| entry.token != *old) {
            return true;
        }
        let Some(refresh) = entry.refresh.clone() else { return false };
        let renewal = Arc::clone(self).ask_and_keep(entry, refresh, one_at_a_time);
        many.renewals.spawn(renewal).await.unwrap_or(false)
    }

    async fn ask_and_keep(
        self: Arc<Self>,
        entry: Entry,
        refresh: Secret,
        _one_at_a_time: OwnedMutexGuard<()>,
    ) -> bool {
        let Some(many) = &self.many else { return false };
        match many.asker.renew(refresh.expose()).await {
            Ok(mut granted) => {
                // What the answer leaves out has not changed.
                granted.installation = entry.installation.clone();
                self.keep(many, &entry, Entry::granted(granted, many.clock.now())).await
            }
            Err(error) => {
                let id = entry.installation.id();
                tracing::error!(slack.team = id, %error, "a token of Slack could not be renewed");
                false
            }
        }
    }

    /// Takes the next tokens in, unless the app was taken away or installed again meanwhile: durable before anybody uses
    /// them where that is possible, for there are no others. Whether there is another token.
    async fn keep(&self, many: &Many, before: &Entry, mut next: Entry) -> bool {
        let _one_at_a_time = many.saving.lock().await;
        let now = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            known.entries.get(before.installation.id()).cloned()
        };
        let now = now.filter(|now| now.status != TokenStatus::Gone);
        if now.as_ref().is_none_or(|now| now.token != before.token) {
            return now.is_some();
        }
        if let Err(error) = many.save(&next).await {
            let id = next.installation.id();
            tracing::error!(slack.team = id, %error, "a new token of Slack is used and not saved yet");
            next.is_unsaved = true;
        }
        self.enter(next);
        true
    }

    /// Saves tokens that could not be saved when they came.
    pub(in crate::gateway::slack) async fn save_unsaved(&self) {
        let Some(many) = &self.many else { return };
        let _one_at_a_time = many.saving.lock().await;
        let unsaved: Vec<Entry> = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            known.entries.values().filter(|entry| entry.is_unsaved).cloned().collect()
        };
        for entry in unsaved {
            let id = entry.installation.id();
            match many.save(&entry).await {
                Ok(()) => {
                    let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
                    if let Some(now) = known.entries.get_mut(id) {
                        now.is_unsaved = false;
                    }
                    tracing::info!(slack.team = id, "a token of Slack is saved");
                }
                Err(error) => {
                    tracing::error!(slack.team = id, %error, "a token of Slack could not be saved");
                }
            }
        }
    }

    /// Resolves when no renewal is under way and what they brought is saved, where it can be.
    pub(in crate::gateway::slack) async fn settle(&self) {
        let Some(many) = &self.many else { return };
        many.renewals.close();
        many.renewals.wait().await;
        self.save_unsaved().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use async_trait::async_trait;
    use reqwest::StatusCode;
    use tokio::sync::Semaphore;

    use super::*;
    use crate::{
        base::ids::{EffectId, SessionId, WaitId},
        gateway::slack::installations::tests::{Giver, World, open, workspace},
        model::{
            audit::Sealed,
            effect::{Cause, Delivery, Effect, Rendering},
            file_key::{FileKey, FileKeys, KeyError},
            session::Head,
            usage::Balance,
            wait::Wait,
        },
        store::{
            self, Capacity, Commit, Erasure, Find, Loaded, Store, Timer, health::Health,
            memory::MemoryStore,
        },
    };

    const LIFE: u32 = 43_200;

    fn giver() -> Giver {
        Giver { expires_in: Some(LIFE), ..Giver::default() }
    }

    /// A workspace whose token has expired, with a Slack that keeps back what it gives from now on.
    async fn expired() -> (World, Arc<Semaphore>) {
        let world = World::new(giver()).await;
        world.install().await;
        world.clock.advance(TimeDelta::hours(12));
        let gate = Arc::new(Semaphore::new(0));
        world.giver.lock().unwrap().gate = Some(Arc::clone(&gate));
        (world, gate)
    }

    async fn was_asked(world: &World) {
        while world.giver.lock().unwrap().given < 2 {
            tokio::task::yield_now().await;
        }
    }

    async fn after_a_restart(world: &World) -> Option<String> {
        let again = open(&world.store, &world.clock, &world.base, 1).await.unwrap();
        again.token("T01").await.ok().map(|token| token.expose().to_owned())
    }

    #[tokio::test]
    async fn a_renewal_goes_on_where_nobody_waits_for_it() {
        let (world, gate) = expired().await;
        tokio::select! {
            _ = world.token("T01") => panic!("Slack has not answered"),
            () = was_asked(&world) => {}
        }
        gate.add_permits(1);
        world.installations.settle().await;
        assert_eq!(world.token("T01").await.as_deref(), Some("xoxb-2"));
        assert_eq!(after_a_restart(&world).await.as_deref(), Some("xoxb-2"));
        assert_eq!(world.giver.lock().unwrap().given, 2, "asked once");
    }

    #[tokio::test]
    async fn tokens_of_an_app_that_is_taken_away_meanwhile_are_not_kept() {
        let (world, gate) = expired().await;
        let revoking = async {
            was_asked(&world).await;
            world.installations.revoke(&workspace("T01", None)).await.unwrap();
            gate.add_permits(1);
        };
        let (token, ()) = tokio::join!(world.token("T01"), revoking);
        assert_eq!(token, None);
        assert_eq!(after_a_restart(&world).await, None, "shredded");
    }

    #[tokio::test]
    async fn a_token_that_is_accepted_again_is_not_used_where_the_app_was_taken_away_meanwhile() {
        let world = World::new(Giver::default()).await;
        world.install().await;
        let token = Secret::new("xoxb-1");
        world.installations.distrust("T01", &token, "account_inactive").await;
        let rejected = world.installations.all_rejected().remove(0);
        let whose = world.installations.revoke(&workspace("T01", None)).await.unwrap().unwrap();
        world.installations.accepted(rejected, token, &whose);
        assert_eq!(world.token("T01").await, None);
    }

    /// Slack has added the app then, so it would not be true that nothing was installed.
    #[tokio::test]
    async fn whoever_installs_while_nothing_can_be_saved_reads_what_to_do() {
        let notes = Arc::new(Notes::default());
        let world = World::kept_in(Arc::<Notes>::clone(&notes), Giver::default()).await;
        notes.is_full.store(true, Ordering::SeqCst);
        let (status, page) = world.installed_page().await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(page.contains("Slack has added the app") && page.contains("once more"), "{page}");
        assert!(page.contains("href=\"/slack/install\""), "{page}");
        assert_eq!(world.token("T01").await, None);

        notes.is_full.store(false, Ordering::SeqCst);
        assert_eq!(world.install().await, StatusCode::OK);
        assert_eq!(world.token("T01").await.as_deref(), Some("xoxb-2"));
    }

    #[tokio::test]
    async fn tokens_that_cannot_be_saved_are_used_and_saved_later() {
        let store = Arc::new(Notes::default());
        let world = World::kept_in(Arc::clone(&store) as _, giver()).await;
        world.install().await;
        world.clock.advance(TimeDelta::hours(12));
        store.is_full.store(true, Ordering::SeqCst);
        assert_eq!(world.token("T01").await.as_deref(), Some("xoxb-2"));
        world.installations.save_unsaved().await;
        store.is_full.store(false, Ordering::SeqCst);
        world.installations.save_unsaved().await;
        assert_eq!(after_a_restart(&world).await.as_deref(), Some("xoxb-2"));
    }

    /// Keeps notes and nothing else, until it is full.
    #[derive(Debug, Default)]
    struct Notes {
        kept: MemoryStore,
        is_full: AtomicBool,
    }

    fn full<T>() -> Result<T, store::Error> {
        Err(store::Error::Unavailable(Arc::from(Box::from("no space left on device"))))
    }

    #[async_trait]
    impl FileKeys for Notes {
        async fn file_key(&self, session: SessionId) -> Result<Option<FileKey>, KeyError> {
            self.kept.file_key(session).await
        }

        async fn link_key(&self) -> Result<FileKey, KeyError> {
            self.kept.link_key().await
        }
    }

    #[async_trait]
    impl Store for Notes {
        async fn note(&self, note: Note) -> Result<(), store::Error> {
            if self.is_full.load(Ordering::SeqCst) { full() } else { self.kept.note(note).await }
        }

        async fn noted(&self, key: &str) -> Result<Option<Note>, store::Error> {
            self.kept.noted(key).await
        }

        async fn notes(&self, prefix: &str) -> Result<Vec<Note>, store::Error> {
            self.kept.notes(prefix).await
        }

        async fn commit(&self, _: Commit) -> Result<(), store::Error> {
            full()
        }

        async fn is_known_event(&self, _: &str) -> Result<bool, store::Error> {
            full()
        }

        async fn load(&self, _: SessionId) -> Result<Option<Loaded>, store::Error> {
            full()
        }

        async fn find(&self, _: Find) -> Result<Vec<Head>, store::Error> {
            full()
        }

        async fn wait(&self, _: WaitId) -> Result<Option<(Wait, Vec<Rendering>)>, store::Error> {
            full()
        }

        async fn due(&self, _: DateTime<Utc>, _: usize) -> Result<Vec<Timer>, store::Error> {
            full()
        }

        async fn claim(&self, _: DateTime<Utc>, _: Capacity) -> Result<Vec<Effect>, store::Error> {
            full()
        }

        async fn done(&self, _: EffectId, _: Delivery) -> Result<(), store::Error> {
            full()
        }

        async fn hurry(&self, _: &Cause, _: usize) -> Result<usize, store::Error> {
            full()
        }

        async fn blocked(&self) -> Result<Vec<(Cause, usize)>, store::Error> {
            full()
        }

        async fn outbox(&self, _: SessionId) -> Result<Vec<Effect>, store::Error> {
            full()
        }

        async fn sessions(
            &self,
            _: Option<SessionId>,
            _: usize,
        ) -> Result<Vec<Head>, store::Error> {
            full()
        }

        async fn has(&self, _: SessionId) -> Result<bool, store::Error> {
            full()
        }

        async fn audit(&self, _: u64, _: usize) -> Result<Vec<Sealed>, store::Error> {
            full()
        }

        async fn erase(&self, _: Erasure) -> Result<(), store::Error> {
            full()
        }

        async fn balance(&self, _: &str) -> Result<Balance, store::Error> {
            full()
        }

        fn is_inherited(&self, _: EffectId) -> bool {
            false
        }

        fn health(&self) -> Health {
            self.kept.health()
        }
    }
}
