//! What a participant says of an answer of the model: the buttons under it, and why it did not help.

use super::{NotTaken, own_session};
use crate::{
    base::{ids::SessionId, telemetry::metric},
    chat::{form::words, message_index::MessageRef, rating},
    gateway::discord::{
        handler::{ReplyTarget, UpdateContext},
        inbound::{Ack, Action, Submission},
        render, texts,
    },
    model::rating::Rating,
};

/// A button under an answer was pressed; `id` is what stands behind its prefix.
pub(super) async fn rated(
    arrival: &UpdateContext<'_>,
    (id, is_good): (&str, bool),
    action: &Action,
    ear: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let session = match own_session(arrival, id, &action.by, ear).await? {
        Ok((session, _)) => session,
        Err(refused) => return Ok(refused),
    };
    let message =
        MessageRef { channel: action.at.channel.clone(), message: action.message.clone() };
    keep(arrival, session, (&message, is_good), (None, texts::without_greeting(&action.said)))
        .await?;
    if is_good {
        return Ok(arrival.say(ear, words::RATED_GOOD));
    }
    let id = format!("{}{}.{}", texts::WHY, session.short(), action.message);
    Ok(Ack::Form(render::why(id)))
}

/// The form that asks why was sent; none where it was another one.
pub(in crate::gateway::discord) async fn explained(
    arrival: &UpdateContext<'_>,
    sent: &Submission,
    ear: &ReplyTarget,
) -> Result<Option<Ack>, NotTaken> {
    let asked = sent.element.strip_prefix(texts::WHY).and_then(|rest| rest.split_once('.'));
    let Some((id, message)) = asked else { return Ok(None) };
    let session = match own_session(arrival, id, &sent.by, ear).await? {
        Ok((session, _)) => session,
        Err(refused) => return Ok(Some(refused)),
    };
    let reason = sent.inputs.0.get("reason").and_then(|typed| typed.values.first());
    let Some(reason) = reason.filter(|reason| !reason.trim().is_empty()) else {
        return Ok(Some(arrival.say(ear, words::RATED_BAD)));
    };
    let message = MessageRef { channel: sent.at.channel.clone(), message: message.to_owned() };
    keep(arrival, session, (&message, false), (Some(reason), "")).await?;
    Ok(Some(arrival.say(ear, words::REASON_KEPT)))
}

async fn keep(
    arrival: &UpdateContext<'_>,
    session: SessionId,
    (message, is_good): (&MessageRef, bool),
    (reason, about): (Option<&String>, &str),
) -> Result<(), NotTaken> {
    let rating = Rating {
        message: message.name(),
        is_good,
        reason: reason.cloned(),
        about: about.to_owned(),
        at: arrival.app.clock.now(),
    };
    let kept = rating::keep(arrival.engine, session, rating, metric::DISCORD_FEEDBACK);
    kept.await.map_err(|_| NotTaken)
}
