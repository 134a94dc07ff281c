//! How an interview begins in Slack, and where.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use crate::{
    engine::{Engine, Error},
    flows::LoadedFlow,
    form::words,
    gateway::slack::{
        blocks::{Button, actions, drawn, section},
        home::START,
        inbound::Actor,
        inbox::Arrival,
        limits,
        people::is_direct,
        render::Message as Post,
    },
    model::{
        flow::SlackPlace,
        session::{Place, Platform},
    },
};

/// Longest time for the name of a person who begins.
const NAME_LIMIT: Duration = Duration::from_millis(500);

/// A conversation that began, or was there.
pub(super) struct Begun {
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
    let parent = flow.flow.start.slack.as_ref().and_then(|start| start.parent.as_deref());
    let channels = arrival.app.settings.slack.as_ref().map(|slack| &slack.channels);
    let parent = parent.and_then(|alias| channels.and_then(|channels| channels.get(alias)));
    let channel = match place_of(flow) {
        SlackPlace::Dm => None,
        SlackPlace::ChannelThread => parent.map(String::as_str).or(channel),
    };
    let channel = channel.filter(|channel| channel.starts_with(['C', 'G']));
    begin_at(arrival, flow, by, (channel.unwrap_or(&by.user), None), None).await
}

pub(super) async fn begin_at(
    arrival: &Arrival<'_>,
    flow: &LoadedFlow,
    by: &Actor,
    (channel, thread): (&str, Option<String>),
    words: Option<&str>,
) -> Result<Begun, Error> {
    let place = Place {
        platform: Platform::Slack,
        workspace: arrival.team().to_owned(),
        channel: channel.to_owned(),
        thread,
    };
    let mut from = arrival.participant(by, None).await;
    // A name is worth a moment, and no more: whoever asks waits for the acknowledgement.
    let known = timeout(NAME_LIMIT, arrival.app.people.person(arrival.team(), &by.user)).await;
    if let Ok(Ok(known)) = known {
        from.name.clone_from(&known.name);
    } else if !by.name.is_empty() {
        from.name.clone_from(&by.name);
    }
    let direct = is_direct(&place);
    arrival.engine.start_with(&flow.flow.id, &from, (place, &arrival.key), words).await?;
    Ok(Begun { direct })
}

pub(super) fn place_of(flow: &LoadedFlow) -> SlackPlace {
    flow.flow.start.slack.as_ref().map_or(SlackPlace::Dm, |start| start.place)
}

/// The flows that can be started in Slack.
pub(in crate::gateway::slack) fn startable(engine: &Engine) -> Vec<Arc<LoadedFlow>> {
    let library = &engine.parts().library;
    library.iter().filter(|flow| flow.flow.start.slack.is_some()).cloned().collect()
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
