//! Hands somebody a file: a copy of a conversation, or one of its files.

use std::sync::Arc;

use crate::{
    base::ids::EffectId,
    chat::handler::{Handed, Wanted},
    gateway::discord::{app::App, inbound::Ack, send, texts, update::UpdateContext},
    messages,
    model::{posted::Item, transcript::Audience},
};

/// Hands something over after the acknowledgement, and says where it is, or that it could not be sent.
pub(super) fn send_later(update: &UpdateContext<'_>, wanted: Wanted, user: &str) -> Ack {
    let (app, key, user) = (Arc::clone(update.app), update.key.clone(), user.to_owned());
    update.say_longer(Wanted::LIMIT, async move {
        let put = |name, bytes| put(&app, &user, &wanted, name, bytes);
        match wanted.hand_over(app.engine(), (&app.deduplicator, &key), put).await {
            Handed::Now(place) => messages::discord::sent_to(place),
            Handed::Failed => messages::discord::no_copy(wanted.reader()).to_owned(),
            Handed::Before => messages::discord::COPY_SENT_BEFORE.to_owned(),
        }
    })
}

/// Puts a file into somebody's direct messages; where they take none, a participant's own copy into their thread, which
/// nobody else of the members sees. What is for staff goes nowhere else. What the place is called where it has arrived.
async fn put(
    app: &App,
    user: &str,
    wanted: &Wanted,
    name: String,
    bytes: Vec<u8>,
) -> Option<&'static str> {
    let nonce = send::nonce(EffectId::mint(app.ids.as_ref()), 0);
    let words = match wanted {
        Wanted::Everything(..) => messages::discord::COPY_OF_EVERYTHING,
        Wanted::File(..) => messages::discord::THEIR_RESUME,
    };
    let body = texts::words(words).body().json();
    let mut places: Vec<(String, &str)> = Vec::new();
    places.extend(
        app.api.open_direct(user).await.ok().map(|at| (at, messages::discord::DIRECT_MESSAGES)),
    );
    if wanted.reader() == Audience::Participant {
        let thread = app.rooms.known(wanted.session()).await.ok().flatten();
        places.extend(thread.map(|at| (at, messages::discord::OWN_THREAD)));
    }
    for (place, called) in places {
        let file = (name.as_str(), bytes.clone());
        if let Ok(message) = app.api.post_file(&place, &nonce, body.clone(), file).await {
            let item = Item::Message { at: format!("{place}/{message}") };
            app.post_log.note_or_tell(wanted.session(), &[wanted.posted(item)]).await;
            return Some(called);
        }
    }
    None
}
