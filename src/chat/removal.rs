//! What an erasure does about each thing that a platform does not take away as asked: it is gone already, it is blanked
//! and told in the receipt, or the removal waits.
//!
//! A gateway says how a message is deleted and blanked there; everything else is decided here.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::{
    courier::{Attempt, Courier, Delivered, Undelivered},
    message_index::MessageRef,
    receipt,
    refusal::Class,
};
use crate::{
    base::ids::EffectId,
    engine, messages,
    model::{
        effect::{Act, CauseKind},
        posted::{Item, Posted, Removal},
        report::{Count, Left, Remnant, Report},
    },
};

/// What is done about something that was not taken away as asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// Nothing: it is not there any more.
    Gone,
    /// The platform keeps it: it is blanked where it can be, and told in the receipt.
    Kept,
    /// It is tried again: nobody knows, a rate is kept, or nothing at all gets through.
    Waits,
}

/// What a refusal means for something that is to be taken away. A receipt does not wait for a right or a channel that
/// somebody may never give back: it says what stays and who can remove it.
pub const fn refused(class: Class) -> Refused {
    match class {
        Class::MessageGone | Class::PlaceGone | Class::AlreadyDone => Refused::Gone,
        Class::Later { .. }
        | Class::Unclear
        | Class::Unknown
        | Class::Blocked(
            CauseKind::Unreachable
            | CauseKind::TokenRejected
            | CauseKind::NotInstalled
            | CauseKind::WorkspaceUnavailable,
        ) => Refused::Waits,
        Class::Blocked(
            CauseKind::ChannelUnavailable
            | CauseKind::MissingPermission
            | CauseKind::ThreadLocked
            | CauseKind::ThreadLimit
            | CauseKind::MessageLimit
            | CauseKind::SecondFactorRequired,
        )
        | Class::Uneditable
        | Class::PlaceClosed
        | Class::Shorten
        | Class::Plain
        | Class::PersonUnreachable(_)
        | Class::Final => Refused::Kept,
    }
}

/// What an attempt may have posted of which nobody knows.
#[derive(Debug, Clone, Copy)]
pub struct Trace<'a> {
    /// The effect that it was an attempt of.
    pub effect: EffectId,
    /// When that was queued.
    pub since: DateTime<Utc>,
    /// What the ids of its buttons hold, where it has any.
    pub mark: Option<&'a str>,
}

/// Takes away what was posted, or says what came of that; what it returns names the receipt.
pub async fn erase<R: Remover>(remover: &R) -> Delivered<Option<String>, R::Failure> {
    match &remover.attempt().effect.act {
        Act::Remove { what: Removal::Thing { posted, .. } } => {
            take(remover, posted).await?;
            Ok(None)
        }
        Act::Remove { what: Removal::Trace { effect, since, mark } } => {
            let trace = Trace { effect: *effect, since: *since, mark: mark.as_deref() };
            for item in remover.find_trace(trace).await? {
                take(remover, &Posted { item, reader: remover.reader() }).await?;
            }
            Ok(None)
        }
        Act::Receipt { user, rooms } => {
            let report = remover.report().await?;
            let words = remover.words(&receipt::text(&report));
            remover.post_receipt(&words, &report, (user, rooms)).await
        }
        _ => Err(Undelivered::NotApplicable),
    }
}

async fn take<R: Remover>(remover: &R, posted: &Posted) -> Delivered<(), R::Failure> {
    match &posted.item {
        Item::Message { at } => remover.take_message(&message(at)?, posted).await,
        Item::Head { at } => remover.take_head(&message(at)?, posted).await,
        Item::File { id } => remover.take_file(id, posted).await,
        Item::Room { id } => remover.take_room(id, posted).await,
        Item::Unreadable => Err(Undelivered::NotApplicable),
    }
}

fn message<F>(at: &str) -> Delivered<MessageRef, F> {
    MessageRef::parse(at).ok_or_else(|| Undelivered::Never("a message without a name".to_owned()))
}

/// Takes away what a platform holds of a session: the effect of a [`Courier`] is the removal.
#[async_trait]
pub trait Remover: Courier {
    /// Deletes a message.
    async fn delete(&self, at: &MessageRef) -> Result<(), Self::Failure>;

    /// Puts one neutral line in place of what a message said.
    async fn overwrite(&self, at: &MessageRef) -> Result<(), Self::Failure>;

    /// Takes away a message and what the bot wrote under it; where others wrote there, it is blanked.
    async fn take_head(&self, head: &MessageRef, posted: &Posted) -> Delivered<(), Self::Failure>;

    /// Takes away a file that outlives its message, where there are such.
    async fn take_file(&self, _id: &str, _posted: &Posted) -> Delivered<(), Self::Failure> {
        Err(Undelivered::NotApplicable)
    }

    /// Takes away a thread that was made for the session alone, where there are such.
    async fn take_room(&self, _id: &str, _posted: &Posted) -> Delivered<(), Self::Failure> {
        Err(Undelivered::NotApplicable)
    }

    /// What an attempt has posted of which nobody knew.
    async fn find_trace(&self, of: Trace<'_>) -> Delivered<Vec<Item>, Self::Failure>;

    /// Posts the receipt to a user, or in one of the threads that were made for the conversation.
    async fn post_receipt(
        &self,
        receipt: &[Self::Message],
        _report: &Report,
        _to: (&str, &[String]),
    ) -> Delivered<Option<String>, Self::Failure> {
        self.post_all(receipt).await
    }

    /// Notes what is left, for the receipt.
    async fn note_left(&self, left: Left) -> Delivered<(), Self::Failure> {
        let Attempt { effect, engine, .. } = self.attempt();
        Ok(engine.note_left(effect, left).await?)
    }

    /// What the erasure has come to; [`engine::Error::NoSession`] where nothing is kept of one.
    async fn report(&self) -> Delivered<Report, Self::Failure> {
        let Attempt { effect, engine, .. } = self.attempt();
        let report = engine.erasure_report(effect.session).await?;
        Ok(report.ok_or(engine::Error::NoSession)?)
    }

    /// What is done about a failure.
    fn refused(&self, failure: &Self::Failure) -> Refused {
        refused(self.class_of(failure))
    }

    /// Deletes a message, or blanks it.
    async fn take_message(&self, at: &MessageRef, posted: &Posted) -> Delivered<(), Self::Failure> {
        let Err(failure) = self.delete(at).await else { return Ok(()) };
        match self.refused(&failure) {
            Refused::Gone => Ok(()),
            Refused::Waits => Err(Undelivered::Call(failure)),
            Refused::Kept if self.blank(at).await? => {
                self.leave_blank(posted, Count::default()).await
            }
            Refused::Kept => self.leave_ours(posted, &self.why(&failure)).await,
        }
    }

    /// Blanks the head of a thread in which others have written, or could have.
    async fn blank_head(
        &self,
        head: &MessageRef,
        (posted, theirs): (&Posted, Count),
    ) -> Delivered<(), Self::Failure> {
        if self.blank(head).await? {
            return self.leave_blank(posted, theirs).await;
        }
        self.leave_ours(posted, messages::erasure::MAY_NOT_CHANGE).await
    }

    /// One neutral line in place of what a message said; false where the platform does not let the bot.
    async fn blank(&self, at: &MessageRef) -> Delivered<bool, Self::Failure> {
        let Err(failure) = self.overwrite(at).await else { return Ok(true) };
        match self.refused(&failure) {
            Refused::Gone => Ok(true),
            Refused::Kept => Ok(false),
            Refused::Waits => Err(Undelivered::Call(failure)),
        }
    }

    /// Something of the bot's stays.
    async fn leave_ours(&self, posted: &Posted, why: &str) -> Delivered<(), Self::Failure> {
        self.note_left(Left::ours(self.attempt().effect.id, posted, why)).await
    }

    /// A message without its words stays, under which others wrote so much.
    async fn leave_blank(&self, posted: &Posted, count: Count) -> Delivered<(), Self::Failure> {
        self.leave(Remnant::Blank, posted, count).await
    }

    /// What others wrote stays, which only they can remove.
    async fn leave_theirs(&self, posted: &Posted, count: Count) -> Delivered<(), Self::Failure> {
        if count.is_none() {
            return Ok(());
        }
        self.leave(Remnant::Theirs, posted, count).await
    }

    /// Something that is no fault of the platform's stays.
    async fn leave(
        &self,
        what: Remnant,
        posted: &Posted,
        count: Count,
    ) -> Delivered<(), Self::Failure> {
        let (effect, reader) = (self.attempt().effect.id, posted.reader.clone());
        self.note_left(Left { effect, what, reader, count, why: None }).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_counts_as_gone_that_may_still_be_there() {
        assert_eq!(refused(Class::MessageGone), Refused::Gone);
        for class in [Class::Uneditable, Class::PlaceClosed, Class::Final] {
            assert_eq!(refused(class), Refused::Kept, "{class:?}");
        }
        // An unknown code is tried again before it is told.
        assert_eq!(refused(Class::Unknown), Refused::Waits);
        assert_eq!(refused(Class::Blocked(CauseKind::TokenRejected)), Refused::Waits);
        assert_eq!(refused(Class::Blocked(CauseKind::ChannelUnavailable)), Refused::Kept);
    }
}
