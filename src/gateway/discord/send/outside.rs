//! What a delivery leaves on Discord, for the session's log of posts.

use super::sender::Sender;
use crate::{
    base::ids::SessionId,
    chat::message_index::{Mark, MessageRef},
    gateway::discord::app::App,
    model::{
        effect::Recipient,
        posted::{Item, Posted, Reader},
        session::{Place, Platform},
    },
};

/// What is marked of a session: a log of posts of an older program says nothing of it.
pub(super) async fn remains(app: &App, session: SessionId, place: &Place) -> Vec<Posted> {
    let mut found = Vec::new();
    // Best effort: what cannot be read now is on the log of posts, or stands in a thread that is.
    if app.rooms.is_thread(session, place).await
        && let Ok(Some(id)) = app.rooms.known(session).await
    {
        found.push(Posted { item: Item::Room { id }, reader: Reader::Participant });
    }
    if let Ok(Some(line)) = app.threads.marked(session, Mark::Progress).await {
        let item = Item::Message { at: line.name() };
        found.push(Posted { item, reader: Reader::Participant });
    }
    for (alias, channel) in app.settings.of(Platform::Discord, &place.workspace).discord_channels()
    {
        if let Ok(Some(head)) = app.threads.marked(session, Mark::Staff(channel)).await {
            let item = Item::Head { at: head.name() };
            found.push(Posted { item, reader: Reader::Staff(alias.clone()) });
        }
    }
    found
}

impl Sender<'_> {
    /// A message stands there since now, or is found to. Others can write a thread under one that stands in a channel of
    /// the staff.
    pub(super) fn left(&self, spot: &MessageRef) {
        let reader = self.reader.get().cloned().unwrap_or_else(|| match &self.effect.to {
            Recipient::Channel { alias } => Reader::Staff(alias.clone()),
            Recipient::Person { .. } => Reader::Staff(String::new()),
            Recipient::Participant | Recipient::Webhook { .. } => Reader::Participant,
        });
        let at = spot.name();
        let item = match &reader {
            Reader::Staff(alias)
                if self.channel_of(alias).is_ok_and(|channel| channel == spot.channel) =>
            {
                Item::Head { at }
            }
            Reader::Participant | Reader::Staff(_) | Reader::Everybody(_) => Item::Message { at },
        };
        self.trail.add(Posted { item, reader });
    }

    /// Who reads what is posted from now on: a delivery that begins with the participant may end with staff.
    pub(super) fn is_read_by(&self, reader: Reader) {
        // The first one stays; there is no second.
        _ = self.reader.set(reader);
    }
}
