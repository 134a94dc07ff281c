//! What a delivery leaves on Discord, for the session's log of posts.

use super::sender::Sender;
use crate::{
    base::ids::SessionId,
    chat::{courier::Courier as _, message_index::MessageRef},
    gateway::discord::app::App,
    model::{
        posted::{Item, Posted, Reader},
        session::{Place, Platform},
    },
};

/// What is marked of a session.
pub(super) async fn remains(app: &App, session: SessionId, place: &Place) -> Vec<Posted> {
    let mut found = Vec::new();
    // Best effort, as the others are.
    if app.rooms.is_thread(session, place).await
        && let Ok(Some(id)) = app.rooms.known(session).await
    {
        found.push(Posted { item: Item::Room { id }, reader: Reader::Participant });
    }
    let channels = app.settings.of(Platform::Discord, &place.workspace).discord_channels();
    found.extend(app.threads.remains(session, channels).await);
    found
}

impl Sender<'_> {
    /// A message stands there since now, or is found to. Others can write a thread under one that stands in a channel of
    /// the staff.
    pub(super) fn left(&self, spot: &MessageRef) {
        let is_head = match self.reader() {
            Reader::Staff(alias) => self.channel(&alias).as_ref() == Some(&spot.channel),
            Reader::Participant | Reader::Everybody(_) => false,
        };
        self.leave_message(spot, is_head);
    }

    /// Who reads what is posted from now on: a delivery that begins with the participant may end with staff.
    pub(super) fn is_read_by(&self, reader: Reader) {
        // The first one stays; there is no second.
        _ = self.reader.set(reader);
    }
}
