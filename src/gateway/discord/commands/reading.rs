//! Reading a conversation that is somebody else's: rights first, then a record, then the page.

use super::{copy, reader};
use crate::{
    chat::{
        form::words,
        profile::{self, Reading},
        transcript::{self, Opened, Opening, Page},
    },
    gateway::discord::{
        handler::{ReplyTarget, UpdateContext},
        inbound::{Ack, Action, NotTaken},
        profile::page as profile_page,
        transcript::page,
    },
};

/// Opens a page of a transcript, for staff of the server alone. Paging on changes the page that is open.
pub(super) async fn read(
    arrival: &UpdateContext<'_>,
    opening: Opening,
    action: &Action,
    ear: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let from = match reader(arrival, opening.session, &action.by, ear).await? {
        Ok(from) => from,
        Err(refused) => return Ok(refused),
    };
    Ok(match transcript::read(arrival.engine, opening, &from.person).await {
        Ok(Opened { title, entries }) => {
            let page = page(opening, &title, &entries);
            // What is turned is a page already; what opens the first one stays.
            let is_turned = action.is_ephemeral && opening.page != Page::Last;
            if is_turned { Ack::Redraw(page) } else { arrival.show(ear, page) }
        }
        Err(error) => arrival.tell(ear, &words::of_error(&error)),
    })
}

/// Opens what somebody approved, or hands out their résumé, for staff of the server alone, with a record of it. Paging on
/// changes the page that is open, and is the same reading.
pub(super) async fn open(
    arrival: &UpdateContext<'_>,
    reading: Reading,
    action: &Action,
    ear: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let (Reading::Profile(session, _) | Reading::Resume(session)) = reading;
    let from = match reader(arrival, session, &action.by, ear).await? {
        Ok(from) => from,
        Err(refused) => return Ok(refused),
    };
    Ok(match reading {
        Reading::Profile(_, page) => {
            let look = if action.is_ephemeral {
                arrival.engine.look(session).await
            } else {
                profile::open(arrival.engine, session, &from.person).await
            };
            match look.map(|look| profile_page(&look.state, page)) {
                Ok(page) if action.is_ephemeral => Ack::Redraw(page),
                Ok(page) => arrival.show(ear, page),
                Err(error) => arrival.tell(ear, &words::of_error(&error)),
            }
        }
        Reading::Resume(_) => match profile::resume(arrival.engine, session, &from.person).await {
            Ok(Some(file)) => copy::send_file(arrival, (session, file), &action.by.user),
            Ok(None) => arrival.tell(ear, words::FILE_GONE),
            Err(error) => arrival.tell(ear, &words::of_error(&error)),
        },
    })
}
