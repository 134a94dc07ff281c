//! How an interview begins in Discord, and where.

use std::{sync::Arc, time::Duration};

use crate::{
    base::ids::SessionId,
    chat::{
        commands::flows::startable,
        form::words,
        handler::{self, ReplyTarget, Update},
    },
    engine::{Beginning, Begun, Engine, Inbound, InboundKind},
    flow::{Library, LoadedFlow},
    gateway::discord::{
        api::{Code, Failure},
        app::App,
        inbound::{Ack, Actor, Command, NotSaved},
        people, private_threads,
        render::Message as Post,
        texts,
        update::{UpdateContext, target},
    },
    messages,
    model::{
        flow::{DiscordPlace, StartDiscord},
        session::{Place, Platform, Status},
    },
    session::Responder,
};

/// The flows that begin when somebody joins. In direct messages none does: nobody is written to there who has done
/// nothing yet (Discord's rules for developers).
pub(in crate::gateway::discord) fn begin_on_join(library: &Library) -> Vec<Arc<LoadedFlow>> {
    let begins = |flow: &Arc<LoadedFlow>| {
        let start = flow.flow.start.discord.as_ref();
        start.is_some_and(|start| start.on_join && start.place == DiscordPlace::PrivateThread)
    };
    startable(library, Platform::Discord).into_iter().filter(begins).collect()
}

/// Begins a flow for somebody who joined, unless they have been in it before. The room is made with the first thing
/// that is said there.
pub(in crate::gateway::discord) async fn begin_for(
    update: &UpdateContext<'_>,
    flow: &LoadedFlow,
    by: &Actor,
) -> Result<(), NotSaved> {
    let person = update.person(by);
    let mine = update.conversations(&person).await?;
    if mine.iter().any(|head| head.flow.id == flow.flow.id) {
        return Ok(());
    }
    let start = flow.flow.start.discord.as_ref().and_then(|start| start.parent.as_deref());
    let channels = update.configured().discord_channels();
    let Some(channel) = start.and_then(|alias| channels.get(alias)).cloned() else {
        tracing::warn!(flow = flow.flow.id, "nothing begins on joining: `parent` names no channel");
        return Ok(());
    };
    let from = people::known(update.guild(), by);
    let reply_target = target(&by.user, &channel);
    let place = place_of(update, flow, by, &reply_target);
    let key = format!("{}:{}", update.key, flow.flow.id);
    match update.engine.start(&flow.flow.id, &from, place, &key).await {
        Ok(_) => Ok(()),
        Err(error) if words::may_pass(&error) => Err(NotSaved),
        Err(error) => {
            tracing::warn!(flow = flow.flow.id, %error, "nothing begins on joining");
            Ok(())
        }
    }
}

/// Which interview?
pub(super) fn chooser(flows: &[Arc<LoadedFlow>]) -> Post {
    let named = flows.iter().map(|flow| (flow.flow.id.as_str(), flow.flow.title.as_str()));
    texts::chooser(messages::notices::HELLO, named)
}

/// Begins a flow for somebody, or finds theirs, and says where it goes on. What is durable when it returns is the
/// conversation; the room is made after that, by whoever comes first.
pub(super) async fn started(
    update: &UpdateContext<'_>,
    flow: &LoadedFlow,
    by: &Actor,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotSaved> {
    let Some(guild) = &update.guild else {
        return Ok(update.say(reply_target, messages::discord::IN_A_SERVER));
    };
    let mut from = people::known(guild, by);
    if flow.flow.policy.score_people {
        from.staff = update.rights(by).await.is_ok_and(|known| known.staff);
    }
    let place = place_of(update, flow, by, reply_target);
    let begun = match handler::begin(update, flow, (&from, place), Beginning::default()).await {
        Ok(begun) => begun,
        Err(error) if words::may_pass(&error) => return Err(NotSaved),
        Err(error) => return Ok(update.tell(reply_target, &words::of_error(&error))),
    };
    if by.member.as_ref().is_some_and(|member| !member.is_pending) {
        update.passed(by);
    }
    let_in(update, begun.session).await?;
    Ok(opened(update, begun))
}

/// They may have left the thread, or the server, since then.
pub(super) async fn let_in(update: &UpdateContext<'_>, session: SessionId) -> Result<(), NotSaved> {
    if let Some(head) = update.head(session).await? {
        update.let_in(&head);
    }
    Ok(())
}

/// Makes the room where there is none, or none any more, and says then where it is.
fn opened(update: &UpdateContext<'_>, Begun { session, before }: Begun) -> Ack {
    let app = Arc::clone(update.app);
    update.say_later(async move {
        let (engine, mut before) = (app.engine(), before);
        let Ok(look) = engine.look(session).await else {
            return messages::discord::ROOM_LATER.to_owned();
        };
        let room_before = app.rooms.known(session).await.ok().flatten();
        let standing = app.rooms.existing(&look).await;
        if let (Some(room_before), Ok(room)) = (&room_before, &standing)
            && room_before != room
        {
            // What was open stood in the one that is gone.
            let from = Responder::without_rights(
                look.state.participant.clone(),
                look.state.name.clone().unwrap_or_default(),
            );
            let what = InboundKind::Command(crate::session::Command::Resume);
            let key = format!("discord:anew:{room}");
            // Told in the log by the engine; the next thing that is said there follows all the same.
            _ = engine.receive(Inbound { key, session, from, what }).await;
            before = None;
        }
        match standing {
            Ok(room) if app.rooms.is_thread(session, &look.state.place).await => {
                resumable(messages::discord::room(&room), before)
            }
            Ok(_) => match arrives(engine, &app, session).await {
                Arrives::Yes if before.is_some() => {
                    resumable(messages::discord::DIRECT_ALREADY.to_owned(), before)
                }
                Arrives::Yes => messages::discord::DIRECT.to_owned(),
                Arrives::No => messages::discord::NO_ROOM.to_owned(),
                Arrives::NotYet => messages::discord::DIRECT_LATER.to_owned(),
            },
            Err(private_threads::Trouble::Call(failure)) => no_room(&failure).to_owned(),
            // The first thing that is said there makes it.
            Err(private_threads::Trouble::Store(_)) => messages::discord::ROOM_LATER.to_owned(),
        }
    })
}

/// Where a conversation is, and how it goes on if it rested before.
fn resumable(place: String, before: Option<Status>) -> String {
    match before {
        Some(status) if status.rests() => format!("{place}\n{}", messages::discord::HOW_TO_RESUME),
        _ => place,
    }
}

/// What is said where there is no room.
fn no_room(failure: &Failure) -> &'static str {
    match failure.code() {
        Some(code) if code.is_about_person() => messages::discord::NO_ROOM,
        // It is made once there is room, or by the first thing that is said there.
        Some(Code::TooManyThreads) | None => messages::discord::ROOM_LATER,
        Some(_) => messages::discord::NO_THREAD,
    }
}

/// Whether what is said to somebody directly arrives.
enum Arrives {
    Yes,
    No,
    /// Nobody knows yet.
    NotYet,
}

/// Whether what is said to somebody directly arrives: Discord says so only once something is.
async fn arrives(engine: &Engine, app: &App, session: SessionId) -> Arrives {
    for _ in 0..ARRIVES_LOOKS {
        let Ok(look) = engine.look(session).await else { return Arrives::NotYet };
        if look.state.is_out_of_reach {
            return Arrives::No;
        }
        let first = look.state.pending().next().map(|wait| wait.id);
        // Whoever is asked nothing has read what was said before.
        let Some(first) = first else { return Arrives::Yes };
        let shown = app.store.wait(first).await.ok().flatten();
        if shown.is_some_and(|(_, shown)| !shown.is_empty()) {
            return Arrives::Yes;
        }
        tokio::time::sleep(ARRIVES_PAUSE).await;
    }
    Arrives::NotYet
}

/// How often it is looked whether something has arrived, and the pause between: some seconds in all.
const ARRIVES_LOOKS: u32 = 40;
const ARRIVES_PAUSE: Duration = Duration::from_millis(150);

/// Where a flow runs for somebody.
pub(super) fn place_of(
    update: &UpdateContext<'_>,
    flow: &LoadedFlow,
    by: &Actor,
    reply_target: &ReplyTarget,
) -> Place {
    let start = flow.flow.start.discord.as_ref();
    let channels = update.configured().discord_channels();
    let parent = start.and_then(|start| channels.get(start.parent.as_deref()?));
    let (channel, thread) = match start.map(|start| start.place) {
        Some(DiscordPlace::PrivateThread) => {
            (parent.unwrap_or(&reply_target.channel).clone(), Some(by.user.clone()))
        }
        Some(DiscordPlace::Dm) | None => (by.user.clone(), None),
    };
    let workspace = update.guild().to_owned();
    Place { platform: Platform::Discord, workspace, channel, thread }
}

/// What a panel says of a flow. Among several each has a heading, and a button that says which it begins.
fn on_panel(flow: &LoadedFlow, is_among: bool) -> texts::Panel<'_> {
    let (title, start) = (flow.flow.title.as_str(), flow.flow.start.discord.as_ref());
    let said = |of: fn(&StartDiscord) -> Option<&String>| start.and_then(of).map(String::as_str);
    let image = said(|start| start.panel_image.as_ref());
    let alt = said(|start| start.panel_image_alt.as_ref());
    texts::Panel {
        flow: &flow.flow.id,
        title: said(|start| start.panel_title.as_ref()).or_else(|| is_among.then_some(title)),
        text: said(|start| start.panel_text.as_ref()).unwrap_or(&flow.flow.summary),
        image: image.zip(alt),
        button: said(|start| start.panel_button.as_ref()).unwrap_or(if is_among {
            title
        } else {
            messages::buttons::START
        }),
    }
}

/// Posts a message with a Start button, for those who look after the server.
pub(super) async fn panel(
    update: &UpdateContext<'_>,
    command: &Command,
    reply_target: &ReplyTarget,
) -> Ack {
    let is_staff = update.rights(&command.by).await.is_ok_and(|known| known.staff);
    if !is_staff && !people::manages(&command.by) {
        return update.tell(reply_target, messages::discord::FOR_MODERATORS);
    }
    let wanted = command.options.get("flow");
    let mut flows = startable(&update.library(), Platform::Discord);
    flows.retain(|flow| wanted.is_none_or(|wanted| flow.flow.id == *wanted));
    flows.retain(|flow| flow.flow.start.discord.as_ref().is_some_and(|start| start.panel));
    if flows.is_empty() {
        return update.say(reply_target, messages::notices::NO_FLOWS);
    }
    let is_among = flows.len() > 1;
    let panels: Vec<_> = flows.iter().map(|flow| on_panel(flow, is_among)).collect();
    let body = texts::panel(&panels).body().json();
    let (app, channel, nonce) =
        (Arc::clone(update.app), command.at.channel.clone(), command.ticket.id.clone());
    update.say_later(async move {
        let posted = app.api.post(&channel, &nonce, body).await;
        if posted.is_ok() {
            messages::discord::POSTED.to_owned()
        } else {
            messages::discord::NOT_POSTED.to_owned()
        }
    })
}
