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
    update: &UpdateContext<'_>,
    opening: Opening,
    action: &Action,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let from = match reader(update, opening.session, &action.by, reply_target).await? {
        Ok(from) => from,
        Err(refused) => return Ok(refused),
    };
    Ok(match transcript::read(update.engine, opening, &from.person).await {
        Ok(Opened { title, entries }) => {
            let page = page(opening, &title, &entries);
            // What is turned is a page already; what opens the first one stays.
            let is_turned = action.is_ephemeral && opening.page != Page::Last;
            if is_turned { Ack::Redraw(page) } else { update.show(reply_target, page) }
        }
        Err(error) => update.tell(reply_target, &words::of_error(&error)),
    })
}

/// Opens what somebody approved, or hands out their résumé, for staff of the server alone, with a record of it. Paging on
/// changes the page that is open, and is the same reading.
pub(super) async fn open(
    update: &UpdateContext<'_>,
    reading: Reading,
    action: &Action,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let (Reading::Profile(session, _) | Reading::Resume(session)) = reading;
    let from = match reader(update, session, &action.by, reply_target).await? {
        Ok(from) => from,
        Err(refused) => return Ok(refused),
    };
    Ok(match reading {
        Reading::Profile(_, page) => {
            let look = if action.is_ephemeral {
                update.engine.look(session).await
            } else {
                profile::open(update.engine, session, &from.person).await
            };
            match look.map(|look| profile_page(&look.state, page)) {
                Ok(page) if action.is_ephemeral => Ack::Redraw(page),
                Ok(page) => update.show(reply_target, page),
                Err(error) => update.tell(reply_target, &words::of_error(&error)),
            }
        }
        Reading::Resume(_) => match profile::resume(update.engine, session, &from.person).await {
            Ok(Some(file)) => copy::send_file(update, (session, file), &action.by.user),
            Ok(None) => update.tell(reply_target, words::FILE_GONE),
            Err(error) => update.tell(reply_target, &words::of_error(&error)),
        },
    })
}
