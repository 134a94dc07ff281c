//! What a participant says of an answer of the model: the buttons under it, and why it did not help.

use super::NotSaved;
use crate::{
    base::{ids::SessionId, telemetry::metric},
    chat::{
        handler::{self, ReplyTarget, Update},
        message_index::MessageRef,
        rating,
    },
    gateway::discord::{
        greeting::without_greeting,
        inbound::{Ack, Action, Actor, Submission},
        render, texts,
        update::UpdateContext,
    },
    messages,
};

/// A button under an answer was pressed; `id` is what stands behind its prefix.
pub(super) async fn rated(
    update: &UpdateContext<'_>,
    (id, is_good): (&str, bool),
    action: &Action,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotSaved> {
    let session = match theirs(update, id, &action.by, reply_target).await? {
        Ok(session) => session,
        Err(refused) => return Ok(refused),
    };
    let message =
        MessageRef { channel: action.at.channel.clone(), message: action.message.clone() };
    let (said, counted) = (without_greeting(&action.said), metric::DISCORD_FEEDBACK);
    rating::keep(update, session, (message.name(), is_good), (None, said), counted).await?;
    if is_good {
        return Ok(update.say(reply_target, messages::notices::RATED_GOOD));
    }
    let id = format!("{}{}.{}", texts::WHY, session.short(), action.message);
    Ok(Ack::Form(render::why(id)))
}

/// The form that asks why was sent; `None` if it was another one.
pub(in crate::gateway::discord) async fn explained(
    update: &UpdateContext<'_>,
    sent: &Submission,
    reply_target: &ReplyTarget,
) -> Result<Option<Ack>, NotSaved> {
    let asked = sent.element.strip_prefix(texts::WHY).and_then(|rest| rest.split_once('.'));
    let Some((id, message)) = asked else { return Ok(None) };
    let session = match theirs(update, id, &sent.by, reply_target).await? {
        Ok(session) => session,
        Err(refused) => return Ok(Some(refused)),
    };
    let reason = sent.inputs.0.get("reason").and_then(|typed| typed.values.first());
    let Some(reason) = reason.filter(|reason| !reason.trim().is_empty()) else {
        return Ok(Some(update.say(reply_target, messages::notices::RATED_BAD)));
    };
    let message = MessageRef { channel: sent.at.channel.clone(), message: message.to_owned() };
    let said = (Some(reason), "");
    rating::keep(update, session, (message.name(), false), said, metric::DISCORD_FEEDBACK).await?;
    Ok(Some(update.say(reply_target, messages::notices::REASON_KEPT)))
}

/// The session of a button or a form, if it is that of the one who used it.
async fn theirs(
    update: &UpdateContext<'_>,
    id: &str,
    by: &Actor,
    reply_target: &ReplyTarget,
) -> Result<Result<SessionId, Ack>, NotSaved> {
    let Some(session) = SessionId::from_short(id) else {
        return Ok(Err(update.tell(reply_target, messages::notices::NO_CONVERSATION)));
    };
    Ok(handler::require_participant(update, session, by, reply_target)
        .await?
        .map(|(head, _)| head.id))
}
