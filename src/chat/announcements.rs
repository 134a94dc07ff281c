//! What every conversation of a place is told at once: that the bot was removed there, or that it is back.
//!
//! There may be many, so the platform has its acknowledgement before they are told. What they are told is kept first, in a
//! note under the name of the place, and goes once all of them have it: whatever comes between, [`Announcements::unfinished`]
//! brings it back. Each of them takes it once. Of what happens to one place, what comes later takes the place of what is
//! still being told.
//!
//! ```text
//! discord/announcement/41771983423143937   { "key": "discord:…", "why": "the app was removed", "place": … }
//! ```

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tokio::sync::Mutex;

use super::{form::words, handler::happened};
use crate::{
    base::ids::SessionId,
    engine::{Engine, InboundKind},
    model::session::{Head, Platform, Status},
    store::{self, Find, Note, Store},
};

/// Sessions that are read in one go.
const PAGE: usize = 200;

/// Time before what some could not be told is told once more, in seconds.
const PAUSE: u32 = 15;

/// What all conversations of a place are told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Announcement<P> {
    /// Names the event.
    pub key: String,
    /// Why participants cannot be reached there any more; `None` if they can be again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Where, as the platform knows it.
    pub place: P,
}

impl<P> Announcement<P> {
    fn what(&self) -> InboundKind {
        match &self.why {
            Some(why) => InboundKind::Lost { why: why.clone() },
            None => InboundKind::Back,
        }
    }
}

/// An announcement that is kept until it was made.
#[derive(Debug, Clone)]
pub(crate) struct Kept<P> {
    /// What it is.
    pub announcement: Announcement<P>,
    note: String,
    text: String,
}

/// Tells all conversations of places, whatever comes between. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Announcements {
    platform: Platform,
    store: Arc<dyn Store>,
    one_at_a_time: Arc<Mutex<()>>,
    /// Taken while a note is written or taken away: one that is over takes no newer one with it.
    writing: Arc<Mutex<()>>,
}

/// What came of telling all of them.
enum Told {
    All,
    /// Some could not be told just now.
    Some,
    /// Something else has happened to the place since then.
    Outdated,
}

impl Announcements {
    /// On a platform, in the notes of a store.
    pub(crate) fn new(platform: Platform, store: Arc<dyn Store>) -> Self {
        let (one_at_a_time, writing) = Default::default();
        Self { platform, store, one_at_a_time, writing }
    }

    /// Keeps what is to be told, in place of what was to be told there before. Durable when it returns.
    pub(crate) async fn keep<P: Serialize + Send>(
        &self,
        place: &str,
        announcement: Announcement<P>,
    ) -> Result<Kept<P>, store::Error> {
        let text = serde_json::to_string(&announcement);
        let text = text.map_err(|error| store::Error::Unavailable(Arc::new(error)))?;
        let note = self.prefix() + place;
        let (key, value) = (note.clone(), Some(text.clone()));
        let _writing = self.writing.lock().await;
        self.store.note(Note { key, session: None, value }).await?;
        Ok(Kept { announcement, note, text })
    }

    /// What an earlier process has kept and not told everybody: asked for until it can be read or the engine closes.
    pub(crate) async fn unfinished<P: DeserializeOwned>(&self, engine: &Engine) -> Vec<Kept<P>> {
        let notes = loop {
            match self.store.notes(&self.prefix()).await {
                Ok(notes) => break notes,
                Err(error) => {
                    tracing::error!(%error, "whether all were told of what happened could not be read");
                }
            }
            if !pause(engine).await {
                return Vec::new();
            }
        };
        let read = |note: Note| {
            let text = note.value?;
            let announcement = serde_json::from_str(&text).ok()?;
            Some(Kept { announcement, note: note.key, text })
        };
        notes.into_iter().filter_map(read).collect()
    }

    /// Tells every conversation that `is_there`, again and again until each was told, the engine closes, or something else
    /// has happened to the place.
    pub(crate) async fn tell<P: Sync>(
        &self,
        engine: &Engine,
        kept: &Kept<P>,
        is_there: impl Fn(&Head) -> bool + Send + Sync,
    ) {
        loop {
            let told = {
                let _one_at_a_time = self.one_at_a_time.lock().await;
                self.tell_all(engine, kept, &is_there).await
            };
            match told {
                Ok(Told::All | Told::Outdated) => return,
                Ok(Told::Some) => {}
                Err(error) => tracing::warn!(%error, "not every conversation could be told"),
            }
            if !pause(engine).await {
                return;
            }
        }
    }

    /// Page by page, so that no number of them is held at once.
    async fn tell_all<P: Sync>(
        &self,
        engine: &Engine,
        kept: &Kept<P>,
        is_there: &(impl Fn(&Head) -> bool + Send + Sync),
    ) -> Result<Told, store::Error> {
        let what = kept.announcement.what();
        let (mut after, mut told) = (None, Told::All);
        loop {
            if !self.is_current(kept).await? {
                return Ok(Told::Outdated);
            }
            if engine.is_closing() {
                return Ok(Told::Some);
            }
            let page = self.page(&what, after).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            let concerns = |head: &&Head| head.parent.is_none() && may_change(head, &what);
            for head in page.iter().filter(concerns).filter(|head| is_there(head)) {
                let inbound = happened(head, &kept.announcement.key, what.clone());
                match engine.receive(inbound).await {
                    Ok(_) => {}
                    Err(error) if words::may_pass(&error) => told = Told::Some,
                    Err(error) => {
                        tracing::warn!(session.id = %head.id, %error, "a conversation could not be told");
                    }
                }
            }
        }
        if matches!(told, Told::All) {
            let _writing = self.writing.lock().await;
            if self.is_current(kept).await? {
                let key = kept.note.clone();
                self.store.note(Note { key, session: None, value: None }).await?;
            }
        }
        Ok(told)
    }

    /// Whether nothing else has happened to the place since then.
    async fn is_current<P: Sync>(&self, kept: &Kept<P>) -> Result<bool, store::Error> {
        let noted = self.store.noted(&kept.note).await?;
        Ok(noted.and_then(|note| note.value).as_ref() == Some(&kept.text))
    }

    async fn page(
        &self,
        what: &InboundKind,
        after: Option<SessionId>,
    ) -> Result<Vec<Head>, store::Error> {
        match what {
            // No others are out of reach.
            InboundKind::Back => self.store.find(Find::Paused { after, limit: PAGE }).await,
            _ => self.store.sessions(after, PAGE).await,
        }
    }

    fn prefix(&self) -> String {
        format!("{}/announcement/", self.platform)
    }
}

/// Waits until it is tried again; false where the engine closes meanwhile.
pub(crate) async fn pause(engine: &Engine) -> bool {
    for _ in 0..PAUSE {
        if engine.is_closing() {
            return false;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    true
}

/// Whether it may change anything in a conversation that stands so. Others need not be read for it.
const fn may_change(head: &Head, what: &InboundKind) -> bool {
    match what {
        InboundKind::Lost { .. } => matches!(head.status, Status::Notice | Status::Open),
        InboundKind::Back => matches!(head.status, Status::Paused),
        _ => true,
    }
}
