//! Invitations: staff see what they are about to send, and send it to a member of the server.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use tokio::time::timeout;

use super::begin::{self, place_of};
use crate::{
    chat::{
        form::words,
        handler::{self, Buttons, Start},
    },
    engine::Begun,
    flow::LoadedFlow,
    gateway::discord::{
        inbound::{Ack, Action, Actor, NotSaved},
        limits, parse, people,
        render::{
            Message as Post,
            components::{button, primary, rows, small, text},
            text::said,
        },
        update::UpdateContext,
    },
    messages,
};

/// Begins the ids of the buttons under the preview of an invitation.
pub(super) const INVITE: &str = "invite.";

/// Ends the id of the button that sends nothing.
const CANCEL: &str = "cancel";

/// Longest time for the name of a member: whoever asks waits for the answer.
const NAME_LIMIT: Duration = Duration::from_millis(500);

/// Asks whether an invitation is to be sent.
pub(super) fn preview(user: &str, flows: &[Arc<LoadedFlow>]) -> Post {
    let title = |flow: &Arc<LoadedFlow>| format!("**{}**", said(&flow.flow.title, limits::QUOTE));
    let titles: Vec<String> = flows.iter().map(title).collect();
    let send = |flow: &Arc<LoadedFlow>| {
        let label = match flows.len() {
            1 => messages::buttons::SEND.to_owned(),
            _ => messages::buttons::send(&flow.flow.title),
        };
        primary(format!("{INVITE}{user}.{}", flow.flow.id), &label)
    };
    let buttons = flows.iter().take(limits::ROW_BUTTONS * 5 - 1).map(send);
    let cancel = button(format!("{INVITE}{CANCEL}"), messages::buttons::CANCEL);
    let mut components = vec![
        text(&messages::commands::invite(user, &titles)),
        small(&[messages::notices::INVITATION.to_owned()]),
    ];
    components.extend(rows(buttons.chain([cancel])));
    Post::of(components)
}

/// Sends an invitation to a member. The preview becomes what was done.
pub(super) async fn send(
    update: &UpdateContext<'_>,
    user: &str,
    Start { flow, beginning, .. }: Start<'_>,
    action: &Action,
) -> Result<Ack, NotSaved> {
    let name = match name_of(update, user).await {
        Ok(name) => name,
        Err(words) => return Ok(instead(words)),
    };
    let member = Actor { user: user.to_owned(), name, ..Actor::default() };
    let from = people::known(update.guild(), &member);
    let place = place_of(update, flow, &member, &update.target(action));
    match handler::begin(update, flow, (&from, place), beginning).await {
        Ok(Begun { session, before }) => {
            begin::let_in(update, session).await?;
            Ok(instead(&match before {
                Some(status) => {
                    let title = said(&flow.flow.title, limits::QUOTE);
                    let outcome = messages::commands::has_it_already(status);
                    messages::commands::invitation(user, &title, outcome)
                }
                None => messages::discord::invited(user),
            }))
        }
        Err(error) if words::may_pass(&error) => Err(NotSaved),
        Err(error) => Ok(instead(&words::of_error(&error))),
    }
}

/// The name of a member; empty if Discord does not say it in time. The error is for whoever invites them.
async fn name_of(update: &UpdateContext<'_>, user: &str) -> Result<String, &'static str> {
    let asked = update.app.api.member(update.guild(), user);
    let Ok(answer) = timeout(NAME_LIMIT, asked).await else { return Ok(String::new()) };
    match answer {
        Ok(member) if member["user"]["bot"] == true => Err(messages::discord::NO_BOTS),
        Ok(member) => Ok(parse::actor(&json!({ "member": member })).name),
        Err(failure) if failure.code().is_some() => Err(messages::discord::NOT_HERE),
        Err(_) => Ok(String::new()),
    }
}

/// What stands in place of the preview.
pub(super) fn instead(words: &str) -> Ack {
    Ack::Redraw(Post::of(vec![text(words)]))
}
