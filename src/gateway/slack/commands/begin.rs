//! How an interview begins in Slack, and where.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use super::mentioned;
use crate::{
    engine::{Beginning, Engine, Error},
    flows::LoadedFlow,
    form::words,
    gateway::slack::{
        blocks::{Button, actions, drawn, section},
        home::START,
        inbound::{Action, Actor},
        inbox::Arrival,
        inviter, limits,
        people::{self, is_direct},
        render::Message as Post,
    },
    ids::SessionId,
    model::{
        flow::SlackPlace,
        session::{Head, Place, Platform, Status},
    },
};

/// Longest time for the name of a person who begins.
const NAME_LIMIT: Duration = Duration::from_millis(500);

/// A conversation that began, or was there.
pub(super) struct Begun {
    /// Which.
    pub(super) session: SessionId,
    /// The person reads it in the app's own messages.
    pub(super) direct: bool,
}

/// Begins an interview where its flow says; `channel` is where it was asked for.
pub(super) async fn begin(
    arrival: &Arrival<'_>,
    flow: &LoadedFlow,
    by: &Actor,
    channel: Option<&str>,
) -> Result<Begun, Error> {
    begin_where(arrival, flow, by, channel, Beginning::default()).await
}

async fn begin_where(
    arrival: &Arrival<'_>,
    flow: &LoadedFlow,
    by: &Actor,
    channel: Option<&str>,
    beginning: Beginning<'_>,
) -> Result<Begun, Error> {
    let parent = flow.flow.start.slack.as_ref().and_then(|start| start.parent.as_deref());
    let channels = arrival.app.settings.slack.as_ref().map(|slack| &slack.channels);
    let parent = parent.and_then(|alias| channels.and_then(|channels| channels.get(alias)));
    let channel = match place_of(flow) {
        SlackPlace::Dm => None,
        SlackPlace::ChannelThread => parent.map(String::as_str).or(channel),
    };
    let channel = channel.filter(|channel| channel.starts_with(['C', 'G']));
    begin_at(arrival, flow, by, (channel.unwrap_or(&by.user), None), beginning).await
}

pub(super) async fn begin_at(
    arrival: &Arrival<'_>,
    flow: &LoadedFlow,
    by: &Actor,
    (channel, thread): (&str, Option<String>),
    beginning: Beginning<'_>,
) -> Result<Begun, Error> {
    let place = Place {
        platform: Platform::Slack,
        workspace: arrival.team().to_owned(),
        channel: channel.to_owned(),
        thread,
    };
    let mut from = arrival.participant(by, None).await;
    if flow.flow.policy.score_people {
        from.staff = arrival.responder(by).await.is_ok_and(|known| known.staff);
    }
    // A name is worth a moment, and no more: whoever asks waits for the acknowledgement.
    let known = timeout(NAME_LIMIT, arrival.app.people.person(arrival.team(), &by.user)).await;
    if let Ok(Ok(known)) = known {
        from.name.clone_from(&known.name);
    } else if !by.name.is_empty() {
        from.name.clone_from(&by.name);
    }
    let direct = is_direct(&place);
    let at = (place, arrival.key.as_str());
    let session = arrival.engine.start_with(&flow.flow.id, &from, at, beginning).await?;
    Ok(Begun { session, direct })
}

/// Sends an invitation: rights are looked at again, a preview is no proof.
pub(super) async fn invited(arrival: &Arrival<'_>, flow: &str, action: &Action) -> String {
    match arrival.responder(&action.by).await {
        Ok(from) if from.staff => {}
        Ok(_) => return words::FOR_STAFF.to_owned(),
        Err(unchecked) => return unchecked.to_string(),
    }
    let flows = startable(arrival.engine);
    let Some(flow) = flows.into_iter().find(|known| known.flow.id == flow) else {
        return words::NO_FLOWS.to_owned();
    };
    if mentioned(&format!("<@{}>", action.value)).is_none() {
        return words::NOT_SENT.to_owned();
    }
    let candidate = Actor { user: action.value.clone(), ..Actor::default() };
    let channel = action.message.as_ref().map(|(channel, _)| channel.as_str());
    let person = people::person_id(arrival.team(), &candidate.user);
    let is_paused = |head: &&Head| head.flow.id == flow.flow.id && head.status == Status::Paused;
    let theirs = arrival.conversations(&person).await.unwrap_or_default();
    let paused = theirs.iter().find(is_paused);
    // Whoever invites themselves tries it out.
    let beginning = Beginning { is_test: candidate.user == action.by.user, ..Beginning::default() };
    match begin_where(arrival, &flow, &candidate, channel, beginning).await {
        Ok(Begun { session, .. }) => {
            let asked = (action.by.user.as_str(), channel.unwrap_or_default());
            inviter::remember(arrival.app, session, asked).await;
            match paused.filter(|head| head.id == session) {
                Some(head) => arrival.try_again(head).await,
                None => inviter::look(arrival.app, session).await,
            }
            words::SENT.to_owned()
        }
        Err(error) => words::of_error(&error),
    }
}

pub(super) fn place_of(flow: &LoadedFlow) -> SlackPlace {
    flow.flow.start.slack.as_ref().map_or(SlackPlace::Dm, |start| start.place)
}

/// The flows that anybody can start in Slack; those that score people are for staff alone.
pub(in crate::gateway::slack) fn startable(engine: &Engine) -> Vec<Arc<LoadedFlow>> {
    let library = &engine.parts().library;
    let is_open =
        |flow: &&Arc<LoadedFlow>| flow.flow.start.slack.is_some() && !flow.flow.policy.score_people;
    library.iter().filter(is_open).cloned().collect()
}

/// Which interview?
pub(super) fn chooser(flows: &[Arc<LoadedFlow>]) -> Post {
    let buttons = flows
        .iter()
        .take(limits::ACTIONS_ELEMENTS)
        .map(|flow| {
            Button::new(format!("{START}{}", flow.flow.id), flow.flow.title.as_str()).build()
        })
        .collect();
    let mut blocks = vec![section(words::HELLO)];
    blocks.extend(actions(buttons));
    Post { text: words::HELLO.to_owned(), blocks: drawn(&blocks) }
}
