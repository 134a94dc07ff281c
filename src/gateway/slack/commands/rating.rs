//! What a participant says of an answer of the model: the buttons under it, and why it did not help.

use super::{NotSaved, UpdateContext};
use crate::{
    base::{ids::SessionId, telemetry::metric},
    chat::{
        handler::{ReplyTarget, Update},
        message_index::MessageRef,
        rating,
    },
    engine::Error,
    gateway::slack::{
        inbound::{Ack, Action, Submission},
        people, render,
        update::Form,
    },
    messages,
};

/// Begins the id of the form that asks why.
const WHY: &str = "rating.";

/// The input of that form.
const REASON: &str = "reason";

/// A button under an answer was pressed.
pub(super) async fn rated(
    update: &UpdateContext<'_>,
    action: &Action,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotSaved> {
    let (Some((channel, ts)), Some(thread)) = (&action.message, &action.thread) else {
        return Ok(Ack::Empty);
    };
    let root = MessageRef { channel: channel.clone(), message: thread.clone() };
    let found = update.app.threads.of(update.team(), &root).await.map_err(|_| NotSaved)?;
    let Some((session, _)) = found else { return Ok(Ack::Empty) };
    if !is_theirs(update, session, &action.by.user).await? {
        return Ok(update.tell(reply_target, messages::notices::NOT_YOURS));
    }
    let is_good = action.value == "good";
    let message = MessageRef { channel: channel.clone(), message: ts.clone() }.name();
    let said = (None, action.said.as_str());
    rating::keep(update, session, (message.clone(), is_good), said, metric::SLACK_FEEDBACK).await?;
    if !is_good {
        let form = render::reason(format!("{WHY}{}", session.short()), message);
        update.open(Form::New(form), action, reply_target.clone());
    }
    let thanks = if is_good { messages::notices::RATED_GOOD } else { messages::notices::RATED_BAD };
    Ok(update.tell(reply_target, thanks))
}

/// The session of a form that asks why.
pub(in crate::gateway::slack) fn asked_about(callback: &str) -> Option<SessionId> {
    SessionId::from_short(callback.strip_prefix(WHY)?)
}

/// The form that asks why was sent.
pub(in crate::gateway::slack) async fn explained(
    update: &UpdateContext<'_>,
    session: SessionId,
    sent: Submission,
) -> Result<Ack, NotSaved> {
    let Submission { by, view, inputs } = sent;
    if !is_theirs(update, session, &by.user).await? {
        return Ok(Ack::Empty);
    }
    let typed = inputs.0.get(REASON).and_then(|block| block.values().next());
    let reason =
        typed.and_then(|typed| typed.values.first()).filter(|words| !words.trim().is_empty());
    if let Some(reason) = reason {
        let message = (view.private_metadata, false);
        rating::keep(update, session, message, (Some(reason), ""), metric::SLACK_FEEDBACK).await?;
    }
    Ok(Ack::Empty)
}

async fn is_theirs(
    update: &UpdateContext<'_>,
    session: SessionId,
    user: &str,
) -> Result<bool, NotSaved> {
    let person = people::person_id(update.team(), user);
    match update.engine.look(session).await {
        Ok(look) => Ok(look.state.participant == person),
        Err(Error::NoSession) => Ok(false),
        Err(_) => Err(NotSaved),
    }
}
