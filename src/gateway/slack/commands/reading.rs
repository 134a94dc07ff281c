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
    arrival: &UpdateContext<'_>,
    session: SessionId,
    action: &Action,
    ear: &ReplyTarget,
) -> Option<Responder> {
    match arrival.responder_about(session, &action.by).await {
        Ok(from) if from.staff => return Some(from),
        Ok(_) => arrival.tell(ear, words::FOR_STAFF),
        Err(unchecked) => arrival.tell(ear, &unchecked.to_string()),
    }
    None
}

/// Opens a page of a transcript, for staff of the workspace alone. That it is read is noted before it is shown; paging
/// on is the same reading.
pub(super) async fn read(
    arrival: &UpdateContext<'_>,
    opening: Opening,
    action: &Action,
    ear: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let Some(from) = reader(arrival, opening.session, action, ear).await else {
        return Ok(Ack::Empty);
    };
    match transcript::read(arrival.engine, opening, &from.person).await {
        Ok(Opened { title, entries }) => {
            arrival.show_page(view(opening, &title, &entries), action, ear.clone());
        }
        Err(error) => arrival.tell(ear, &words::of_error(&error)),
    }
    Ok(Ack::Empty)
}

/// Shows what somebody approved, for staff alone, with a record of it.
pub(super) async fn profile(
    arrival: &UpdateContext<'_>,
    session: SessionId,
    action: &Action,
    ear: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let Some(from) = reader(arrival, session, action, ear).await else { return Ok(Ack::Empty) };
    match profile::open(arrival.engine, session, &from.person).await {
        Ok(look) => arrival.show_page(view_of(&look.state), action, ear.clone()),
        Err(error) => arrival.tell(ear, &words::of_error(&error)),
    }
    Ok(Ack::Empty)
}

/// Hands somebody's résumé to a member of staff, directly, with a record of it.
pub(super) async fn resume(
    arrival: &UpdateContext<'_>,
    session: SessionId,
    action: &Action,
    ear: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let Some(from) = reader(arrival, session, action, ear).await else { return Ok(Ack::Empty) };
    match profile::resume(arrival.engine, session, &from.person).await {
        Ok(Some(file)) => {
            arrival.tell(ear, words::ON_ITS_WAY);
            send(arrival, session, file, CopyFor { ear: ear.clone(), thread: None });
        }
        Ok(None) => arrival.tell(ear, words::FILE_GONE),
        Err(error) => arrival.tell(ear, &words::of_error(&error)),
    }
    Ok(Ack::Empty)
}

/// Sends a file after the acknowledgement; once, however often the press is delivered.
fn send(arrival: &UpdateContext<'_>, session: SessionId, file: Artifact, to: CopyFor) {
    let (app, team) = (Arc::clone(arrival.app), arrival.team().to_owned());
    let key = format!("{} file", arrival.key);
    arrival.app.afterwards.spawn(async move {
        let sending = async {
            let Some(engine) = app.engine() else { return false };
            let Ok(Some(bytes)) = engine.parts().artifacts.read(session, &file).await else {
                return false;
            };
            let content = (file.filename.as_str(), bytes);
            put(&app, &team, (session, Audience::Staff), &to, content).await
        };
        app.once.say(&key, Box::pin(or_tell(&app, &team, &to.ear, sending))).await;
    });
}
