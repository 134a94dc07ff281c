//! Reading a conversation that is somebody else's: rights first, then a record, then the page.

use super::about;
use crate::{
    chat::transcript::{self, Opened, Opening, Page},
    form::words,
    gateway::discord::{
        inbound::{Ack, Action, NotTaken},
        inbox::{Arrival, Ear},
        transcript::page,
    },
};

/// Opens a page of a transcript, for staff of the server alone. Paging on changes the page that is open.
pub(super) async fn read(
    arrival: &Arrival<'_>,
    opening: Opening,
    action: &Action,
    ear: &Ear,
) -> Result<Ack, NotTaken> {
    let from = match about(arrival, opening.session, &action.by, ear).await? {
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
