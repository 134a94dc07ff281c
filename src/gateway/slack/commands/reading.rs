//! Reading a conversation that is somebody else's: rights first, then a record, then the form.

use crate::{
    engine::Error,
    export::{Source, transcript},
    form::words,
    gateway::slack::{
        inbound::{Ack, Action, NotTaken},
        inbox::{Arrival, Ear},
        transcript::{Opening, Page},
    },
    model::transcript::Audience,
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
    if opening.page == Page::Last {
        let by = from.person.to_string();
        if let Err(error) = arrival.engine.note_reading(session, "transcript_read", &by).await {
            arrival.tell(ear, &words::of_error(&error));
            return Ok(Ack::Empty);
        }
    }
    let (loaded, flow) = match arrival.engine.view(session).await {
        Ok(found) => found,
        Err(error) => {
            arrival.tell(ear, &words::of_error(&error));
            return Ok(Ack::Empty);
        }
    };
    // What staff said among themselves is not for whom it is about, staff or not.
    let is_own = loaded.head.participant == from.person;
    let reader = if is_own { Audience::Participant } else { Audience::Staff };
    let source = Source { loaded: &loaded, flow: &flow, audit: &[], reader };
    let Ok(entries) = transcript::entries(&source) else {
        arrival.tell(ear, &words::of_error(&Error::BrokenFlow(String::new())));
        return Ok(Ack::Empty);
    };
    let person = loaded.head.name.as_deref().unwrap_or("Somebody");
    let title = format!("{person} · {}", flow.flow.title);
    arrival.show_page(opening.view(&title, &entries), action, ear.clone());
    Ok(Ack::Empty)
}
