//! Hands somebody a copy of a conversation.

use std::sync::Arc;

use crate::{
    gateway::discord::{app::App, inbound::Ack, inbox::Arrival, send, texts},
    ids::{EffectId, SessionId},
    model::{
        posted::{Item, Posted, Reader},
        transcript::Audience,
    },
};

/// Puts a copy into somebody's direct messages; where they take none, into the participant's thread, which nobody else of
/// the members sees. One for staff goes nowhere else. A command that is delivered again brings no second copy.
pub(super) fn hand_out(arrival: &Arrival<'_>, copy: (SessionId, Audience), user: &str) -> Ack {
    let (app, user) = (Arc::clone(arrival.app), user.to_owned());
    let key = format!("{} copy", arrival.key);
    arrival.say_later(async move {
        let mut said = texts::COPY_SENT_BEFORE.to_owned();
        let sending = async {
            let sent = hand_over(&app, copy, &user).await;
            let has_arrived = sent.is_some();
            said = sent.unwrap_or_else(|| texts::no_copy(copy.1).to_owned());
            has_arrived
        };
        app.once.say(&key, Box::pin(sending)).await;
        said
    })
}

/// Where it has arrived, in words.
async fn hand_over(
    app: &App,
    (session, reader): (SessionId, Audience),
    user: &str,
) -> Option<String> {
    let engine = app.engine()?;
    let gathered = engine.gather(session).await.ok()?;
    let bytes = engine.bundle(&gathered, reader).await.ok()?;
    let name = gathered.archive_name();
    let nonce = send::nonce(EffectId::mint(app.ids.as_ref()), 0);
    let body = texts::words("A copy of everything.").body(0);
    let mut places: Vec<(String, &str)> = Vec::new();
    places.extend(app.api.open_direct(user).await.ok().map(|at| (at, "your direct messages")));
    if reader == Audience::Participant {
        let thread = app.rooms.known(session).await.ok().flatten();
        places.extend(thread.map(|at| (at, "your thread")));
    }
    for (place, called) in places {
        let file = (name.as_str(), bytes.clone());
        if let Ok(message) = app.api.post_file(&place, &nonce, body.clone(), file).await {
            let item = Item::Message { at: format!("{place}/{message}") };
            let reader = match reader {
                Audience::Participant => Reader::Participant,
                Audience::Staff => Reader::Staff(String::new()),
            };
            app.ledger.note_or_tell(session, &[Posted { item, reader }]).await;
            return Some(format!("Sent. You'll find it in {called}."));
        }
    }
    None
}
