//! Messages that come without their words: Discord keeps them from a bot to which they are not addressed.
//!
//! ```text
//! discord/unheard/1400…   1   who writes in this channel was told once what works there
//! ```

use crate::{
    base::ids::SessionId,
    chat::{
        form::MessageAccess,
        handler::{ReplyTarget, Update},
    },
    gateway::discord::{
        inbound::{Ack, NotSaved},
        texts,
        update::UpdateContext,
    },
    messages,
    model::session::Head,
    store::Note,
};

impl UpdateContext<'_> {
    /// Somebody wrote in their own conversation what the bot cannot read: once, they are told what works.
    pub(super) async fn explain_unreadable(
        &self,
        head: &Head,
        reply_target: &ReplyTarget,
    ) -> Result<Ack, NotSaved> {
        let message_access = self.app.message_access(head.id, &head.place).await;
        if message_access == MessageAccess::All || !self.is_first(head.id, reply_target).await? {
            return Ok(self.done());
        }
        Ok(self.show(
            reply_target,
            texts::help(messages::discord::UNREADABLE, head.id, message_access),
        ))
    }

    /// Staff wrote in the thread about somebody what the bot cannot read: once, they are told what works.
    pub(super) async fn explain_unreadable_to_staff(
        &self,
        session: SessionId,
        reply_target: &ReplyTarget,
    ) -> Result<Ack, NotSaved> {
        if self.app.hears_staff() == MessageAccess::All
            || !self.is_first(session, reply_target).await?
        {
            return Ok(self.done());
        }
        Ok(self.say(reply_target, messages::discord::UNHEARD_STAFF))
    }

    /// Whether nobody was told there before; it counts as told.
    async fn is_first(
        &self,
        session: SessionId,
        reply_target: &ReplyTarget,
    ) -> Result<bool, NotSaved> {
        let key = format!("discord/unheard/{}", reply_target.channel);
        let noted = self.app.store.noted(&key).await.map_err(|_| NotSaved)?;
        if noted.is_some_and(|note| note.value.is_some()) {
            return Ok(false);
        }
        let note = Note { key, session: Some(session), value: Some("1".to_owned()) };
        self.app.store.note(note).await.map_err(|_| NotSaved)?;
        Ok(true)
    }
}
