//! Hands somebody a file: a copy of a conversation, or one of its files.

use std::sync::Arc;

use crate::{
    base::ids::{EffectId, SessionId},
    gateway::discord::{app::App, inbound::Ack, send, texts, update::UpdateContext},
    messages,
    model::{
        artifact::Artifact,
        posted::{Item, Posted, Reader},
        transcript::Audience,
    },
};

/// A file that is handed over, by its name, and the words with it.
struct Handed {
    name: String,
    bytes: Vec<u8>,
    words: &'static str,
}

/// Puts a copy into somebody's direct messages; where they take none, into the participant's thread, which nobody else of
/// the members sees. One for staff goes nowhere else. A command that is delivered again brings no second copy.
pub(super) fn hand_out(update: &UpdateContext<'_>, copy: (SessionId, Audience), user: &str) -> Ack {
    let app = Arc::clone(update.app);
    send_later(update, copy, user, async move { bundle(&app, copy).await })
}

/// Puts a file of a conversation into the direct messages of a member of staff.
pub(super) fn send_file(
    update: &UpdateContext<'_>,
    (session, file): (SessionId, Artifact),
    user: &str,
) -> Ack {
    let app = Arc::clone(update.app);
    send_later(update, (session, Audience::Staff), user, async move {
        let read = app.engine().parts().artifacts.read(session, &file).await;
        let (bytes, name) = (read.ok()??, file.filename.clone());
        Some(Handed { name, bytes, words: messages::discord::THEIR_RESUME })
    })
}

/// All of a conversation.
async fn bundle(app: &App, (session, reader): (SessionId, Audience)) -> Option<Handed> {
    let engine = app.engine();
    let gathered = engine.gather(session).await.ok()?;
    let bytes = engine.bundle(&gathered, reader).await.ok()?;
    Some(Handed {
        name: gathered.archive_name(),
        bytes,
        words: messages::discord::COPY_OF_EVERYTHING,
    })
}

/// Hands something over after the acknowledgement, and says where it is, or that it could not be sent; once, however often
/// the event is delivered.
fn send_later<F>(
    update: &UpdateContext<'_>,
    to: (SessionId, Audience),
    user: &str,
    handed: F,
) -> Ack
where
    F: Future<Output = Option<Handed>> + Send + 'static,
{
    let (app, user) = (Arc::clone(update.app), user.to_owned());
    let key = format!("{} copy", update.key);
    update.say_later(async move {
        let mut said = messages::discord::COPY_SENT_BEFORE.to_owned();
        let sending = async {
            let sent = match handed.await {
                Some(handed) => hand_over(&app, to, &user, handed).await,
                None => None,
            };
            let has_arrived = sent.is_some();
            said = sent.unwrap_or_else(|| messages::discord::no_copy(to.1).to_owned());
            has_arrived
        };
        app.deduplicator.say(&key, Box::pin(sending)).await;
        said
    })
}

/// Where it has arrived, in words.
async fn hand_over(
    app: &App,
    (session, reader): (SessionId, Audience),
    user: &str,
    Handed { name, bytes, words }: Handed,
) -> Option<String> {
    let nonce = send::nonce(EffectId::mint(app.ids.as_ref()), 0);
    let body = texts::words(words).body().json();
    let mut places: Vec<(String, &str)> = Vec::new();
    places.extend(
        app.api.open_direct(user).await.ok().map(|at| (at, messages::discord::DIRECT_MESSAGES)),
    );
    if reader == Audience::Participant {
        let thread = app.rooms.known(session).await.ok().flatten();
        places.extend(thread.map(|at| (at, messages::discord::OWN_THREAD)));
    }
    for (place, called) in places {
        let file = (name.as_str(), bytes.clone());
        if let Ok(message) = app.api.post_file(&place, &nonce, body.clone(), file).await {
            let item = Item::Message { at: format!("{place}/{message}") };
            let reader = match reader {
                Audience::Participant => Reader::Participant,
                Audience::Staff => Reader::Staff(String::new()),
            };
            app.post_log.note_or_tell(session, &[Posted { item, reader }]).await;
            return Some(messages::discord::sent_to(called));
        }
    }
    None
}
