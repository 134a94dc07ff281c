//! Reading a conversation that is somebody else's: rights first, then a record, then the form.

use crate::{
    chat::transcript::{self, Opened, Opening},
    form::words,
    gateway::slack::{
        inbound::{Ack, Action, NotTaken},
        inbox::{Arrival, Ear},
        transcript::view,
    },
};

/// Opens a page of a transcript, for staff of the workspace alone. That it is read is noted before it is shown; paging
/// on is the same reading (BEHAVIOUR J5.3).
pub(super) async fn read(
    arrival: &Arrival<'_>,
    opening: Opening,
    action: &Action,
    ear: &Ear,
) -> Result<Ack, NotTaken> {
    let session = opening.session;
    let from = match arrival.responder_about(session, &action.by).await {
        Ok(from) if from.staff => from,
        Ok(_) => {
            arrival.tell(ear, words::FOR_STAFF);
            return Ok(Ack::Empty);
        }
        Err(unchecked) => {
            arrival.tell(ear, &unchecked.to_string());
            return Ok(Ack::Empty);
        }
    };
    match transcript::read(arrival.engine, opening, &from.person).await {
        Ok(Opened { title, entries }) => {
            arrival.show_page(view(opening, &title, &entries), action, ear.clone());
        }
        Err(error) => arrival.tell(ear, &words::of_error(&error)),
    }
    Ok(Ack::Empty)
}
