//! Files that lie elsewhere, in a bucket that takes its time.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use anteroom::{
    base::ids::SessionId,
    engine::Receipt,
    model::{
        custody::Kind,
        file_key::{FileError, FileKey, FileKeys, FileStore, KeyError},
    },
};
use async_trait::async_trait;
use chrono::TimeDelta;
use futures::FutureExt as _;
use tokio::{task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    support::scripted::Gate,
    world::{FLOW, World, ada},
};

/// Keeps files nowhere, and stands before its gates whenever it lists or removes them.
#[derive(Debug)]
struct Slow {
    keys: Arc<dyn FileKeys>,
    listing: Gate,
    removal: Gate,
    /// It removes nothing.
    is_broken: AtomicBool,
}

impl Slow {
    /// What the next process of a world keeps its files by.
    fn below(world: &mut World) -> Arc<Self> {
        let keys = world.keys();
        let (listing, removal) = (Gate::new(), Gate::new());
        let slow = Arc::new(Self { keys, listing, removal, is_broken: AtomicBool::new(false) });
        world.keep_files_by(Arc::<Self>::clone(&slow));
        slow
    }
}

#[async_trait]
impl FileKeys for Slow {
    async fn file_key(&self, session: SessionId) -> Result<Option<FileKey>, KeyError> {
        self.keys.file_key(session).await
    }

    async fn link_key(&self) -> Result<FileKey, KeyError> {
        self.keys.link_key().await
    }

    fn files(&self) -> Option<&dyn FileStore> {
        Some(self)
    }
}

#[async_trait]
impl FileStore for Slow {
    fn writable(&self) -> Result<(), FileError> {
        Ok(())
    }

    async fn check(&self) -> Result<(), FileError> {
        Ok(())
    }

    fn hint(&self) -> &'static str {
        "wait"
    }

    async fn put_file(
        &self,
        _session: Option<SessionId>,
        _name: &str,
        _bytes: Vec<u8>,
    ) -> Result<(), FileError> {
        Ok(())
    }

    async fn file(
        &self,
        _session: Option<SessionId>,
        _name: &str,
    ) -> Result<Option<Vec<u8>>, FileError> {
        Ok(None)
    }

    async fn remove_files(
        &self,
        _session: SessionId,
        _kept: &BTreeSet<String>,
    ) -> Result<(), FileError> {
        self.removal.pass().await;
        if self.is_broken.load(Ordering::Relaxed) {
            Err("the bucket is away".into())
        } else {
            Ok(())
        }
    }

    async fn sessions_with_files(&self) -> Result<BTreeSet<SessionId>, FileError> {
        self.listing.pass().await;
        Ok(BTreeSet::new())
    }
}

#[tokio::test(start_paused = true)]
async fn a_bucket_that_does_not_answer_keeps_no_timer_waiting() {
    let mut world = World::new().await;
    let slow = Slow::below(&mut world);
    let mut process = JoinSet::new();
    let (engine, shutdown) = (world.engine.clone(), CancellationToken::new());
    process.spawn(async move { engine.run(shutdown).await });
    slow.listing.reached().await;

    let mut changes = world.engine.watch();
    world.clock.advance(TimeDelta::days(60));
    let next = timeout(Duration::from_mins(1), changes.recv()).await;
    assert_eq!(next.unwrap().unwrap().session, world.session, "nobody was reminded");
}

#[tokio::test]
async fn a_hold_waits_until_what_retention_has_begun_is_done() {
    let retention =
        "[retention]\ntranscript = \"20d\"\nuploads = \"5d\"\nrecords = \"20d\"\n\n[pace]";
    let mut world = World::with(&FLOW.replacen("[pace]", retention, 1), None).await;
    let slow = Slow::below(&mut world);
    slow.listing.open();
    world.press("Blue").await;
    world.press("Large").await;
    world.upload("note.txt", b"a note").await.unwrap();
    world.clock.advance(TimeDelta::days(6));
    world.engine.sweep().await;
    slow.removal.reached().await;

    let engine = world.engine.clone();
    let mut hold = Box::pin(engine.hold(world.session, "operator", Some("A dispute")));
    assert!((&mut hold).now_or_never().is_none(), "held, while its files are being removed");
    slow.removal.open();
    hold.await.unwrap();
    let keeping = world.state().await.keeping;
    assert!(keeping.forgotten.contains(&Kind::Uploads), "what is gone is said to be there");
    assert!(keeping.hold.is_some());
}

#[tokio::test]
async fn whoever_is_erased_reads_so_although_their_files_are_removed_later() {
    let mut world = World::new().await;
    let slow = Slow::below(&mut world);
    slow.listing.open();
    slow.removal.open();
    slow.is_broken.store(true, Ordering::Relaxed);
    world.press("Blue").await;
    world.press("Large").await;
    world.upload("note.txt", b"a note").await.unwrap();
    world.say("delete my data").await;
    let yes = world.button("Delete everything").await;

    let receipt = world.feed(&ada(), yes).await;

    assert!(matches!(receipt, Receipt::Erased { .. }), "{receipt:?}");
    assert_eq!(world.disk().load(world.session).await.unwrap(), None);
}
