//! Files that somebody asked for, and how they are handed over.

use std::time::Duration;

use tokio::time::timeout;

use crate::{
    base::ids::SessionId,
    chat::Deduplicator,
    engine::{CopyTo, Engine, Room, SessionCopy},
    model::{
        artifact::Artifact,
        posted::{Item, Posted, Reader},
        transcript::Audience,
    },
};

/// What somebody asked for.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// A copy of a conversation, as somebody may read it.
    Everything(SessionId, Audience),
    /// A file of a conversation, for a member of staff.
    File(SessionId, Artifact),
}

/// What came of handing something over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handed<T> {
    /// It has arrived, as the platform says.
    Now(T),
    /// It has not arrived.
    Failed,
    /// The same event has brought it before.
    Before,
}

impl Wanted {
    /// Longest time for having it made and put somewhere: an upload and some calls. Whoever waits for
    /// [`Self::hand_over`] allows for more, or they could not say that it failed.
    pub const LIMIT: Duration = Duration::from_mins(3);

    /// Whose conversation it is of.
    pub const fn session(&self) -> SessionId {
        match self {
            Self::Everything(session, _) | Self::File(session, _) => *session,
        }
    }

    /// Who reads it.
    pub const fn reader(&self) -> Audience {
        match self {
            Self::Everything(_, reader) => *reader,
            Self::File(..) => Audience::Staff,
        }
    }

    /// Where it was put, for the log of what has to be removed with the conversation.
    pub fn posted(&self, item: Item) -> Posted {
        let reader = match self.reader() {
            Audience::Participant => Reader::Participant,
            Audience::Staff => Reader::Staff(String::new()),
        };
        Posted { item, reader }
    }

    /// Has it put somewhere under its name; once, however often the event with this key is delivered. `put`
    /// returns `None` if it does not arrive; what takes longer than [`Self::LIMIT`] has not arrived.
    pub async fn hand_over<T: Send, P>(
        &self,
        engine: &Engine,
        (deduplicator, key): (&Deduplicator, &str),
        put: impl FnOnce(String, Vec<u8>) -> P + Send,
    ) -> Handed<T>
    where
        P: Future<Output = Option<T>> + Send,
    {
        let mut handed = Handed::Before;
        let putting = async {
            let arriving = async {
                let (name, bytes, _room) = self.read(engine).await?;
                put(name, bytes).await
            };
            let arrived = timeout(Self::LIMIT, arriving).await.ok().flatten();
            handed = arrived.map_or(Handed::Failed, Handed::Now);
            matches!(handed, Handed::Now(_))
        };
        deduplicator.say(&format!("{key} copy"), Box::pin(putting)).await;
        handed
    }

    /// Its name and its bytes, with the room that a copy has in memory; `None` if they can't be had.
    async fn read(&self, engine: &Engine) -> Option<(String, Vec<u8>, Option<Room>)> {
        match self {
            Self::Everything(session, reader) => {
                let gathered = engine.gather(*session).await.ok()?;
                let copied = engine.copy(&gathered, *reader, CopyTo::Chat).await;
                let SessionCopy { bytes, room } = copied.ok()?;
                Some((gathered.archive_name(), bytes, Some(room)))
            }
            Self::File(session, file) => {
                let bytes = engine.parts().artifacts.read(*session, file).await.ok()??;
                Some((file.filename.clone(), bytes, None))
            }
        }
    }
}
