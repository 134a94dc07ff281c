//! What somebody is told of their own conversation and of what they order about it: what is true by then, with a link to
//! the place where it goes on.

use std::sync::Arc;

use crate::{
    base::ids::SessionId,
    chat::message_index::MessageRef,
    engine::Look,
    gateway::discord::{app::App, inbound::Ack, staff_thread, update::UpdateContext},
    messages,
    model::{
        session::Status,
        wait::{Purpose, Wait},
    },
    session::Command,
};

/// How far somebody is.
pub(super) fn status(update: &UpdateContext<'_>, look: Look) -> Ack {
    let app = Arc::clone(update.app);
    update.say_later(async move {
        let link = link(&app, &look).await;
        staff_thread::own(&look, link.as_deref())
    })
}

/// What came of an order.
pub(super) fn came_of(update: &UpdateContext<'_>, session: SessionId, command: Command) -> Ack {
    let app = Arc::clone(update.app);
    update.say_later(async move { what_came(&app, session, &command).await })
}

/// What came of an order that was carried out.
async fn what_came(app: &App, session: SessionId, command: &Command) -> String {
    let engine = app.engine();
    let Ok(look) = engine.look(session).await else {
        return messages::discord::SEE_CONVERSATION.to_owned();
    };
    let erasing = look.state.pending().find(|wait| wait.purpose == Purpose::Erase).cloned();
    let link = match (command, &erasing) {
        (Command::Delete, Some(wait)) => link_to_card(app, &look, wait).await,
        _ => link(app, &look).await,
    };
    let Some(link) = link else { return messages::discord::SEE_CONVERSATION.to_owned() };
    match (command, look.state.status) {
        (Command::Delete, _) if erasing.is_some() => messages::discord::confirm_erasure(&link),
        (Command::Export, _) => messages::discord::copy_comes(&link),
        (Command::Stop, Status::Stopped) => messages::discord::stopped(&link),
        (Command::Resume, Status::Notice | Status::Open) => messages::discord::goes_on(&link),
        _ => messages::discord::answered_in(&link),
    }
}

/// Leads to a conversation as it is on Discord now; `None` if Discord has no place for it.
async fn link(app: &App, look: &Look) -> Option<String> {
    let room = app.rooms.existing(look).await.ok()?;
    let is_thread = app.rooms.is_thread(look.state.session, &look.state.place).await;
    Some(if is_thread { format!("<#{room}>") } else { address(&room, None) })
}

/// Leads to a card in a conversation if it is shown there already, otherwise to the conversation; `None` if Discord has
/// no place for that.
async fn link_to_card(app: &App, look: &Look, wait: &Wait) -> Option<String> {
    let link = link(app, look).await?;
    let shown = app.store.wait(wait.id).await.ok().flatten();
    let spot = shown.and_then(|(_, shown)| MessageRef::parse(&shown.last()?.message));
    let room = app.rooms.known(look.state.session).await.ok().flatten();
    let Some(spot) = spot.filter(|spot| room.as_ref() == Some(&spot.channel)) else {
        return Some(link);
    };
    let is_thread = app.rooms.is_thread(look.state.session, &look.state.place).await;
    let guild = is_thread.then_some(look.state.place.workspace.as_str());
    Some(format!("{}/{}", address(&spot.channel, guild), spot.message))
}

/// Where a browser or the app shows a channel; without a server, direct messages.
fn address(channel: &str, guild: Option<&str>) -> String {
    format!("https://discord.com/channels/{}/{channel}", guild.unwrap_or("@me"))
}
