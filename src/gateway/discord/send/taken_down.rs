//! What is shown of a conversation beside its cards, once it is erased: nothing of anybody, and nothing to press. What
//! people wrote stays until they delete it.

use std::collections::BTreeSet;

use serde_json::json;

use crate::{
    gateway::discord::{api::Code, app::App, mirror, texts},
    ids::SessionId,
    model::session::Place,
    threads::{Mark, Role, Spot},
};

/// Takes the name and the buttons from the heads of the staff's threads about a session, and its name from every thread
/// that was made for it: those of staff, those under requests, the participant's own. Again: changes nothing.
pub(super) async fn take_down(app: &App, session: SessionId, place: &Place) {
    let discord = app.settings.discord.as_ref();
    let channels: BTreeSet<&String> =
        discord.into_iter().flat_map(|discord| discord.channels.values()).collect();
    for channel in channels {
        let Ok(Some(head)) = app.threads.marked(session, Mark::Staff(channel)).await else {
            continue;
        };
        app.drawn.forget(&head.name());
        let body = mirror::erased().body(0);
        if let Err(failure) = app.api.edit(&head.channel, &head.message, body).await {
            tracing::warn!(session.id = %session, %failure, "a staff thread keeps its head after the erasure");
        }
        rename(app, session, &head.message).await;
    }
    for thread in under_requests(app, session).await {
        rename(app, session, &thread).await;
    }
    if app.rooms.is_thread(session, place).await
        && let Ok(Some(room)) = app.rooms.known(session).await
    {
        rename(app, session, &room).await;
    }
}

/// Threads under the session's requests, each named by its card.
async fn under_requests(app: &App, session: SessionId) -> BTreeSet<String> {
    let mut threads = BTreeSet::new();
    let Some(engine) = app.engine() else { return threads };
    let Ok(look) = engine.look(session).await else { return threads };
    for wait in &look.state.asked {
        let Ok(Some((_, shown))) = app.store.wait(*wait).await else { continue };
        for card in shown.iter().filter_map(|shown| Spot::parse(&shown.message)) {
            let found = app.rooms.of(&card.message).await;
            if matches!(found, Ok(Some((of, Role::Request(_)))) if of == session) {
                threads.insert(card.message);
            }
        }
    }
    threads
}

/// Takes the name from a thread. One that is archived is opened by that, for nothing else lets it be renamed.
async fn rename(app: &App, session: SessionId, thread: &str) {
    let why = Some("the conversation was erased");
    let mut body = json!({ "name": texts::ERASED_THREAD });
    let mut renamed = app.api.change_channel(thread, body.clone(), why).await;
    if renamed.as_ref().is_err_and(|failure| failure.is(Code::Archived)) {
        body["archived"] = false.into();
        renamed = app.api.change_channel(thread, body, why).await;
    }
    match renamed {
        Ok(()) => {}
        // There is none, or none any more.
        Err(failure) if failure.is(Code::UnknownChannel) => {}
        Err(failure) => {
            tracing::warn!(session.id = %session, %failure, "a thread keeps its name after the erasure");
        }
    }
}
