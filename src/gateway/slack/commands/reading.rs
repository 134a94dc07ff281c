//! Reading a conversation that is somebody else's: rights first, then a record, then what was asked for.

use std::sync::Arc;

use super::{CopyFor, or_tell, put};
use crate::{
    base::ids::SessionId,
    chat::{
        form::words,
        profile,
        transcript::{self, Opened, Opening},
    },
    gateway::slack::{
        handler::{ReplyTarget, UpdateContext},
        inbound::{Ack, Action, NotTaken},
        profile::view as view_of,
        transcript::view,
    },
    model::{artifact::Artifact, transcript::Audience},
    session::Responder,
};

/// A member of staff who may read a conversation; whoever is none is told.
async fn reader(
    update: &UpdateContext<'_>,
    session: SessionId,
    action: &Action,
    reply_target: &ReplyTarget,
) -> Option<Responder> {
    match update.responder_about(session, &action.by).await {
        Ok(from) if from.staff => return Some(from),
        Ok(_) => update.tell(reply_target, words::FOR_STAFF),
        Err(unchecked) => update.tell(reply_target, &unchecked.to_string()),
    }
    None
}

/// Opens a page of a transcript, for staff of the workspace alone. That it is read is noted before it is shown; paging
/// on is the same reading.
pub(super) async fn read(
    update: &UpdateContext<'_>,
    opening: Opening,
    action: &Action,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let Some(from) = reader(update, opening.session, action, reply_target).await else {
        return Ok(Ack::Empty);
    };
    match transcript::read(update.engine, opening, &from.person).await {
        Ok(Opened { title, entries }) => {
            update.show_page(view(opening, &title, &entries), action, reply_target.clone());
        }
        Err(error) => update.tell(reply_target, &words::of_error(&error)),
    }
    Ok(Ack::Empty)
}

/// Shows what somebody approved, for staff alone, with a record of it.
pub(super) async fn profile(
    update: &UpdateContext<'_>,
    session: SessionId,
    action: &Action,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let Some(from) = reader(update, session, action, reply_target).await else {
        return Ok(Ack::Empty);
    };
    match profile::open(update.engine, session, &from.person).await {
        Ok(look) => update.show_page(view_of(&look.state), action, reply_target.clone()),
        Err(error) => update.tell(reply_target, &words::of_error(&error)),
    }
    Ok(Ack::Empty)
}

/// Hands somebody's résumé to a member of staff, directly, with a record of it.
pub(super) async fn resume(
    update: &UpdateContext<'_>,
    session: SessionId,
    action: &Action,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let Some(from) = reader(update, session, action, reply_target).await else {
        return Ok(Ack::Empty);
    };
    match profile::resume(update.engine, session, &from.person).await {
        Ok(Some(file)) => {
            update.tell(reply_target, words::ON_ITS_WAY);
            send(
                update,
                session,
                file,
                CopyFor { reply_target: reply_target.clone(), thread: None },
            );
        }
        Ok(None) => update.tell(reply_target, words::FILE_GONE),
        Err(error) => update.tell(reply_target, &words::of_error(&error)),
    }
    Ok(Ack::Empty)
}

/// Sends a file after the acknowledgement; once, however often the press is delivered.
fn send(update: &UpdateContext<'_>, session: SessionId, file: Artifact, to: CopyFor) {
    let (app, team) = (Arc::clone(update.app), update.team().to_owned());
    let key = format!("{} file", update.key);
    update.app.afterwards.spawn(async move {
        let sending = async {
            let Some(engine) = app.engine() else { return false };
            let Ok(Some(bytes)) = engine.parts().artifacts.read(session, &file).await else {
                return false;
            };
            let content = (file.filename.as_str(), bytes);
            put(&app, &team, (session, Audience::Staff), &to, content).await
        };
        app.deduplicator.say(&key, Box::pin(or_tell(&app, &team, &to.reply_target, sending))).await;
    });
}
