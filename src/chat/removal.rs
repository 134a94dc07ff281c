//! What an erasure does about each thing that a platform does not take away as asked: it is gone already, it is blanked
//! and told in the receipt, or the removal waits.
//!
//! A gateway says how a message is deleted and blanked there; everything else is decided here.

use async_trait::async_trait;

use super::{
    delivery::{Courier, Delivered, Undelivered},
    refusal::Class,
};
use crate::{
    chat::message_index::MessageRef,
    engine, messages,
    model::{
        effect::CauseKind,
        posted::Posted,
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

/// Takes away what a platform holds of a session: the effect of a [`Courier`] is the removal.
#[async_trait]
pub trait Remover: Courier {
    /// What a failure means.
    fn class_of(&self, failure: &Self::Failure) -> Class;

    /// Why the platform keeps something, for whoever reads the receipt.
    fn why(&self, failure: &Self::Failure) -> String;

    /// Deletes a message.
    async fn delete(&self, at: &MessageRef) -> Result<(), Self::Failure>;

    /// Puts one neutral line in place of what a message said.
    async fn overwrite(&self, at: &MessageRef) -> Result<(), Self::Failure>;

    /// Notes what is left, for the receipt.
    async fn note_left(&self, left: Left) -> Delivered<(), Self::Failure> {
        Ok(self.engine().note_left(self.effect(), left).await?)
    }

    /// What the erasure has come to; [`engine::Error::NoSession`] where nothing is kept of one.
    async fn report(&self) -> Delivered<Report, Self::Failure> {
        let report = self.engine().erasure_report(self.effect().session).await?;
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
        self.note_left(Left::ours(self.effect().id, posted, why)).await
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
        let (effect, reader) = (self.effect().id, posted.reader.clone());
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
