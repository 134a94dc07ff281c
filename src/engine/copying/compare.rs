//! The end of a copy: both stores are read and compared, session by session, and their files and flows with them.

use super::{AT_ONCE, CopyError, Copying};
use crate::{
    base::ids::SessionId,
    model::{
        artifact::Artifact,
        audit,
        session::{FlowPin, Head},
    },
    ports::artifacts::blobs::{self, Condition},
    session::State,
    store::{portable::Image, unreadable::Unreadable},
};

impl Copying<'_> {
    /// Compares every session with its copy, and copies its files, whose keys are there by now.
    pub(super) async fn compare(&mut self) -> Result<(), CopyError> {
        let mut after = None;
        loop {
            let page = self.from.store.sessions(after, AT_ONCE).await?;
            let copied = self.to.store.sessions(after, AT_ONCE).await?;
            let ids = |heads: &[Head]| heads.iter().map(|head| head.id).collect::<Vec<_>>();
            if ids(&page) != ids(&copied) {
                return Err(CopyError::Differs("the list of conversations".to_owned()));
            }
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.id);
            for head in &page {
                if let Some(image) = self.taken(head.id).await? {
                    self.session(&image).await?;
                }
            }
            (self.advance)(page.len());
        }
    }

    async fn session(&mut self, image: &Image) -> Result<(), CopyError> {
        let session = image.session();
        let digest = image.digest()?;
        let copy = self.to.store.take_out(session).await?;
        if copy.map(|copy| copy.digest()).transpose()?.as_ref() != Some(&digest) {
            return Err(CopyError::Differs(format!("session `{session}`")));
        }
        let copied = &mut self.copied;
        copied.digest = audit::sha256(format!("{}{digest}", copied.digest).as_bytes());
        copied.sessions += 1;
        copied.events += image.loaded.events.len() as u64;
        copied.waits += image.waits.len() as u64;
        copied.effects += image.effects.len() as u64;
        copied.timers += image.timers.len() as u64;
        copied.notes += image.notes.len() as u64;
        self.flow(&image.loaded.head.flow).await?;
        let Some(state) = State::fold(&image.loaded.events) else { return Ok(()) };
        let owner = state.files_of();
        // What an older version left in clear is sealed before anybody looks for it.
        self.from.artifacts.seal_all(session).await?;
        for file in state.artifacts.iter().chain(&state.made) {
            self.file(owner, file).await?;
        }
        Ok(())
    }

    async fn file(&mut self, owner: SessionId, file: &Artifact) -> Result<(), CopyError> {
        self.copied.files += 1;
        // One that is damaged there is written anew.
        if matches!(self.to.artifacts.inspect(owner, file).await, Ok(Condition::Whole)) {
            return Ok(());
        }
        let what = || format!("file `{}` of session `{owner}`", file.id);
        let read = self.from.artifacts.read(owner, file).await;
        let Some(bytes) = self.readable(what(), read)? else { return Ok(()) };
        self.to.artifacts.put(owner, file, bytes).await?;
        match self.to.artifacts.inspect(owner, file).await? {
            Condition::Whole => Ok(()),
            Condition::SealedNow | Condition::Missing => Err(CopyError::Differs(what())),
        }
    }

    async fn flow(&mut self, FlowPin { id, digest, .. }: &FlowPin) -> Result<(), CopyError> {
        if !self.flows.insert(digest.clone()) {
            return Ok(());
        }
        self.copied.flows += 1;
        let what = || format!("flow `{id}` ({digest})");
        let read = self.from.artifacts.pinned_flow(digest).await;
        let Some(source) = self.readable(what(), read)? else { return Ok(()) };
        self.to.artifacts.pin_flow(digest, &source).await?;
        match self.to.artifacts.pinned_flow(digest).await? {
            Some(copy) if copy == source => Ok(()),
            _ => Err(CopyError::Differs(what())),
        }
    }

    /// What was read; `None` if it is missing or damaged, which is noted.
    fn readable<T>(
        &mut self,
        what: String,
        read: Result<Option<T>, blobs::Error>,
    ) -> Result<Option<T>, CopyError> {
        let why = match read {
            Ok(Some(read)) => return Ok(Some(read)),
            Ok(None) => "it is missing".to_owned(),
            Err(error @ blobs::Error::Unreachable(_)) => return Err(error.into()),
            Err(error) => error.to_string(),
        };
        self.damage.push(Unreadable { what, why });
        Ok(None)
    }
}
