//! How an interview begins in Slack, and where.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use super::{Act, mentioned, told_once};
use crate::{
    base::ids::SessionId,
    chat::{
        form::words,
        handler::{self, ButtonId, Buttons, ReplyTarget, Start, Update},
    },
    engine::{Beginning, Error},
    flow::LoadedFlow,
    gateway::slack::{
        blocks::{Button, actions, note, section, to_json},
        inbound::{Ack, Action, Actor, Message, NotSaved},
        inviter, limits,
        people::is_direct,
        render::{Message as Post, text::literal},
        update::{UpdateContext, reply_target_of},
    },
    messages,
    model::{
        flow::SlackPlace,
        session::{Place, Platform, Status},
    },
};

/// Buttons under the preview of an invitation.
pub(super) const INVITE: &str = "invite.send.";
pub(super) const NO_INVITE: &str = "invite.cancel";

/// Longest time for the name of a person who begins.
const NAME_LIMIT: Duration = Duration::from_millis(500);

/// A conversation that began, or was there.
pub(super) struct Begun {
    /// Which.
    session: SessionId,
    /// How it stood, where it was there.
    before: Option<Status>,
    /// The person reads it in the app's own messages.
    direct: bool,
}

/// Begins an interview where its flow says; `channel` is where it was asked for.
pub(super) async fn begin(
    update: &UpdateContext<'_>,
    flow: &LoadedFlow,
    by: &Actor,
    channel: Option<&str>,
) -> Result<Begun, Error> {
    begin_where(update, flow, by, channel, Beginning::default()).await
}

async fn begin_where(
    update: &UpdateContext<'_>,
    flow: &LoadedFlow,
    by: &Actor,
    channel: Option<&str>,
    beginning: Beginning<'_>,
) -> Result<Begun, Error> {
    let parent = flow.flow.start.slack.as_ref().and_then(|start| start.parent.as_deref());
    let parent = parent.and_then(|alias| update.configured().slack_channels().get(alias));
    let channel = match place_of(flow) {
        SlackPlace::Dm => None,
        SlackPlace::ChannelThread => parent.map(String::as_str).or(channel),
    };
    let channel = channel.filter(|channel| channel.starts_with(['C', 'G']));
    begin_at(update, flow, by, (channel.unwrap_or(&by.user), None), beginning).await
}

pub(super) async fn begin_at(
    update: &UpdateContext<'_>,
    flow: &LoadedFlow,
    by: &Actor,
    (channel, thread): (&str, Option<String>),
    beginning: Beginning<'_>,
) -> Result<Begun, Error> {
    let place = Place {
        platform: Platform::Slack,
        workspace: update.team().to_owned(),
        channel: channel.to_owned(),
        thread,
    };
    let mut from = update.participant(by, None).await;
    if flow.flow.policy.score_people {
        from.staff = update.rights(by).await.is_ok_and(|known| known.staff);
    }
    // A name is worth a moment, and no more: whoever asks waits for the acknowledgement.
    let known = timeout(NAME_LIMIT, update.app.people.person(update.team(), &by.user)).await;
    let known = known.ok().and_then(Result::ok);
    let time_zone = known.as_ref().and_then(|known| known.time_zone.as_deref());
    let beginning = Beginning { time_zone, ..beginning };
    if let Some(known) = &known {
        from.name.clone_from(&known.name);
    } else if !by.name.is_empty() {
        from.name.clone_from(&by.name);
    }
    let direct = is_direct(&place);
    let begun = handler::begin(update, flow, (&from, place), beginning).await?;
    Ok(Begun { session: begun.session, before: begun.before, direct })
}

/// Begins an interview for somebody who wants to talk to a person and has no conversation: the team answers in it. Of
/// several the first is taken that names where the team is.
pub(super) async fn for_person(
    update: &UpdateContext<'_>,
    flows: &[Arc<LoadedFlow>],
    message: &Message,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotSaved> {
    let calls_team = |flow: &&Arc<LoadedFlow>| flow.flow.handoff.channel.is_some();
    let Some(flow) = flows.iter().find(calls_team).or_else(|| flows.first()) else {
        return Ok(update.tell(reply_target, messages::notices::NO_FLOWS));
    };
    let beginning = Beginning { words: Some(&message.text), ..Beginning::default() };
    match begin_at(update, flow, &message.by, (&message.by.user, None), beginning).await {
        Ok(_) => Ok(update.done()),
        Err(error) if words::may_pass(&error) => Err(NotSaved),
        Err(error) => Ok(update.tell(reply_target, &words::of_error(&error))),
    }
}

/// Begins an interview for whoever asked in a channel, and says where it goes on.
pub(super) async fn begun(
    update: &UpdateContext<'_>,
    flow: &LoadedFlow,
    by: &Actor,
    channel: &str,
) -> String {
    match begin(update, flow, by, Some(channel)).await {
        Ok(begun) => {
            let said = goes_on(update, &begun, (&by.user, channel)).await;
            said.unwrap_or_else(|| messages::notices::DONE.to_owned())
        }
        Err(error) => words::of_error(&error),
    }
}

/// Where a conversation goes on, for whoever asked for it in a channel; `None` if it can be seen there. They are told there
/// as well if they cannot be written to.
pub(super) async fn goes_on(
    update: &UpdateContext<'_>,
    &Begun { session, before, direct }: &Begun,
    asked: (&str, &str),
) -> Option<String> {
    if direct {
        inviter::remember(update.app, session, asked, &update.key).await;
        inviter::look(update.app, session).await;
    }
    match before {
        Some(status) => Some(messages::slack::yours_already(direct, status.rests())),
        None => direct.then(|| messages::slack::WROTE_TO_YOU.to_owned()),
    }
}

/// Where a conversation is that somebody had before they asked for it where no channel shows it; told after the
/// acknowledgement.
pub(super) fn point_to(
    update: &UpdateContext<'_>,
    &Begun { session, before, direct }: &Begun,
    reply_target: &ReplyTarget,
) {
    let Some(rests) = before.map(Status::rests) else { return };
    update.tell_where(reply_target, session, move |link| match link {
        Some(link) => messages::slack::yours_already_at(link.as_str(), rests),
        None => messages::slack::yours_already(direct, rests),
    });
}

/// Somebody presses the button that begins an interview.
pub(super) async fn pressed(update: &UpdateContext<'_>, flow: &LoadedFlow, action: &Action) -> Ack {
    let reply_target = reply_target_of(action);
    let channel = action.message.as_ref().map(|(channel, _)| channel.as_str());
    if let Some(channel) = channel.filter(|_| action.is_ephemeral) {
        let said = begun(update, flow, &action.by, channel).await;
        return told_once(update, said).await;
    }
    let begun = match begin(update, flow, &action.by, channel).await {
        Ok(begun) => begun,
        Err(error) => return update.tell(&reply_target, &words::of_error(&error)),
    };
    if let Some(channel) = channel
        && let Some(said) = goes_on(update, &begun, (&action.by.user, channel)).await
    {
        update.tell_begun(&reply_target, said);
    }
    update.done()
}

/// Asks whether an invitation is to be sent.
pub(super) fn preview(user: &str, flows: &[Arc<LoadedFlow>]) -> Ack {
    let send = |flow: &Arc<LoadedFlow>| {
        let label = match flows.len() {
            1 => messages::buttons::SEND.to_owned(),
            _ => messages::buttons::send(&flow.flow.title),
        };
        let button = Button::new(format!("{INVITE}{}", flow.flow.id), label);
        button.value(user).primary().build()
    };
    let mut buttons: Vec<_> = flows.iter().take(limits::ACTIONS_ELEMENTS - 1).map(send).collect();
    buttons.push(Button::new(NO_INVITE.to_owned(), messages::buttons::CANCEL).build());
    let titles: Vec<String> =
        flows.iter().map(|flow| format!("*{}*", literal(&flow.flow.title))).collect();
    let text = messages::commands::invite(user, &titles);
    let mut blocks = vec![section(text.as_str()), note(messages::notices::INVITATION)];
    blocks.extend(actions(buttons));
    Ack::Ephemeral { text, blocks: to_json(&blocks) }
}

/// Sends an invitation, and gives what stands in place of its preview.
pub(super) async fn invite(
    update: &UpdateContext<'_>,
    user: &str,
    Start { flow, beginning, .. }: Start<'_>,
    act: &Act,
) -> Result<String, String> {
    let (by, channel) = (update.actor(act), update.target(act).channel);
    let channel = Some(channel).filter(|channel| *channel != by.user);
    let channel = channel.as_deref();
    if mentioned(&format!("<@{user}>")).is_none() {
        return Err(messages::notices::NOT_SENT.to_owned());
    }
    let candidate = Actor { user: user.to_owned(), ..Actor::default() };
    match begin_where(update, flow, &candidate, channel, beginning).await {
        Ok(Begun { session, before, .. }) => {
            let asked = (by.user.as_str(), channel.unwrap_or_default());
            inviter::remember(update.app, session, asked, &update.key).await;
            inviter::look(update.app, session).await;
            let outcome =
                before.map_or(messages::notices::SENT, messages::commands::has_it_already);
            let title = literal(&flow.flow.title);
            Ok(messages::commands::invitation(user, &title, outcome))
        }
        Err(error) => Err(words::of_error(&error)),
    }
}

pub(super) fn place_of(flow: &LoadedFlow) -> SlackPlace {
    flow.flow.start.slack.as_ref().map_or(SlackPlace::Dm, |start| start.place)
}

/// Which interview?
pub(super) fn chooser(flows: &[Arc<LoadedFlow>]) -> Post {
    let buttons = flows
        .iter()
        .take(limits::ACTIONS_ELEMENTS)
        .map(|flow| Button::new(ButtonId::start(&flow.flow.id), flow.flow.title.as_str()).build())
        .collect();
    let mut blocks = vec![section(messages::notices::HELLO)];
    blocks.extend(actions(buttons));
    Post { text: messages::notices::HELLO.to_owned(), blocks: to_json(&blocks) }
}
