//! The flows that a command or a button may begin on a platform.

use std::sync::Arc;

use crate::{
    flow::{Library, LoadedFlow},
    model::{flow::DiscordPlace, session::Platform},
};

/// The flows that anybody may start on a platform; those that score people are for staff alone.
pub fn startable(library: &Library, platform: Platform) -> Vec<Arc<LoadedFlow>> {
    flows_on(library, platform, |flow| !flow.flow.policy.score_people)
}

/// The flows that score people, which staff alone start.
pub(crate) fn scoring(library: &Library, platform: Platform) -> Vec<Arc<LoadedFlow>> {
    flows_on(library, platform, |flow| flow.flow.policy.score_people)
}

/// The flows to which staff may invite somebody. On Discord the bot writes directly to nobody who has not asked for it
/// (Discord's rules for developers), so an invitation needs a thread, and a channel for it that members see.
pub fn invitable(library: &Library, platform: Platform) -> Vec<Arc<LoadedFlow>> {
    flows_on(library, platform, |flow| {
        let start = &flow.flow.start;
        let may_invite = match platform {
            Platform::Slack => start.slack.as_ref().is_some_and(|start| start.invite),
            Platform::Discord => start.discord.as_ref().is_some_and(|start| {
                let in_thread = start.place == DiscordPlace::PrivateThread;
                start.invite && in_thread && start.parent.is_some()
            }),
            Platform::Web => false,
        };
        may_invite && !flow.flow.policy.score_people
    })
}

/// The flow behind a button that starts one, whoever pressed it: the engine looks at who may start it.
pub(crate) fn flow_named(
    library: &Library,
    platform: Platform,
    id: &str,
) -> Option<Arc<LoadedFlow>> {
    flows_on(library, platform, |flow| flow.flow.id == id).pop()
}

fn flows_on(
    library: &Library,
    platform: Platform,
    is_wanted: impl Fn(&LoadedFlow) -> bool,
) -> Vec<Arc<LoadedFlow>> {
    let is_there = |flow: &Arc<LoadedFlow>| match platform {
        Platform::Slack => flow.flow.start.slack.is_some(),
        Platform::Discord => flow.flow.start.discord.is_some(),
        Platform::Web => true,
    };
    library.iter().filter(is_there).filter(|flow| is_wanted(flow)).collect()
}
