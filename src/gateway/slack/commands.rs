//! What people order: /onboard, the shortcut, the buttons of Home and of the staff's thread, a first word to the bot.

mod begin;
mod overview;
mod rating;
mod slash;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;

use super::{
    agent::FEEDBACK,
    api::Method,
    app::App,
    files::Upload,
    inbound::{Ack, Action, Actor, Message, NotSaved},
    profile,
    render::Message as Post,
    texts, transcript,
    update::{UpdateContext, post_ephemeral, reply_target_of},
};
use crate::{
    base::ids::SessionId,
    chat::{
        commands::decide::startable,
        form::{typed, words},
        handler::{self, ButtonId, Buttons, ReplyTarget, Update},
        transcript::{Opened, Opening},
    },
    engine::{Beginning, Look},
    flow::LoadedFlow,
    messages,
    model::{
        artifact::Artifact,
        flow::SlackPlace,
        posted::{Item, Posted, Reader},
        session::{Head, Platform},
        transcript::Audience,
    },
    session::typed::asks_for_person,
};

use self::{
    begin::{INVITE, NO_INVITE, begin, begin_at, chooser, invited, place_of},
    overview::card_of,
};

pub(super) use self::{
    rating::{asked_about, explained},
    slash::typed,
};

fn told(text: impl Into<String>) -> Ack {
    Ack::Ephemeral { text: text.into(), blocks: Vec::new() }
}

/// The same in the answer to a press, which may be delivered again.
async fn told_once(update: &UpdateContext<'_>, text: String) -> Ack {
    match update.app.deduplicator.claim_answer(&update.key).await {
        Ok(false) => Ack::Empty,
        // What cannot be noted is said all the same.
        Ok(true) | Err(_) => told(text),
    }
}

/// `<@U01|ada>` or `<@U01>`.
fn mentioned(word: &str) -> Option<&str> {
    let inner = word.strip_prefix("<@")?.strip_suffix('>')?;
    let user = inner.split('|').next().unwrap_or(inner);
    user.chars().all(|c| c.is_ascii_alphanumeric()).then_some(user)
}

/// The global shortcut.
pub(super) async fn shortcut(update: &UpdateContext<'_>, by: &Actor) -> Ack {
    let reply_target =
        ReplyTarget { user: by.user.clone(), channel: by.user.clone(), thread: None };
    match startable(&update.library(), Platform::Slack).as_slice() {
        [] => update.tell(&reply_target, messages::notices::NO_FLOWS),
        [only] => match begin(update, only, by, None).await {
            Ok(_) => update.done(),
            Err(error) => update.tell(&reply_target, &words::of_error(&error)),
        },
        several => update.greet(&reply_target, chooser(several)),
    }
}

/// Somebody writes to the bot, or mentions it, where there is no conversation.
pub(super) async fn approached(
    update: &UpdateContext<'_>,
    message: &Message,
) -> Result<Ack, NotSaved> {
    let thread = message.thread.clone().unwrap_or_else(|| message.ts.clone());
    let reply_target = ReplyTarget {
        user: message.by.user.clone(),
        channel: message.channel.clone(),
        thread: Some(thread),
    };
    let flows = startable(&update.library(), Platform::Slack);
    let words = Some(message.text.as_str()).filter(|text| !typed::is_bare_start(text));
    let wants_to_start = message.is_mention || typed::is_start(&message.text);
    if message.is_direct && asks_for_person(&message.text) {
        return begin::for_person(update, &flows, message, &reply_target).await;
    }
    Ok(match flows.as_slice() {
        [] => update.greet(
            &reply_target,
            Post { text: messages::notices::NO_FLOWS.to_owned(), blocks: Vec::new() },
        ),
        [only] if wants_to_start => {
            let begun = if message.is_mention && place_of(only) == SlackPlace::ChannelThread {
                let beginning = Beginning { words, ..Beginning::default() };
                let at = (message.channel.as_str(), reply_target.thread.clone());
                begin_at(update, only, &message.by, at, beginning).await
            } else {
                begin(update, only, &message.by, Some(&message.channel)).await
            };
            match begun {
                Ok(begun) if begun.direct && !message.is_direct => {
                    update.tell(&reply_target, messages::slack::WROTE_TO_YOU)
                }
                Ok(_) => update.done(),
                Err(error) if words::may_pass(&error) => return Err(NotSaved),
                Err(error) => update.tell(&reply_target, &words::of_error(&error)),
            }
        }
        several => update.greet(&reply_target, chooser(several)),
    })
}

/// A button that belongs to no question.
pub(super) async fn pressed(update: &UpdateContext<'_>, action: Action) -> Result<Ack, NotSaved> {
    if let Some(button) = ButtonId::parse(&action.element) {
        return handler::pressed(update, button, &action).await;
    }
    if action.element == FEEDBACK {
        return rating::rated(update, &action, &reply_target_of(&action)).await;
    }
    if let Some(id) = action.element.strip_prefix(INVITE) {
        return Ok(match invited(update, id, &action).await {
            Ok(text) => Ack::Replaced { text },
            Err(why) => told_once(update, why).await,
        });
    }
    if action.element == NO_INVITE {
        return Ok(Ack::Replaced { text: messages::notices::NOT_SENT.to_owned() });
    }
    Ok(Ack::Empty)
}

#[async_trait]
impl Buttons for UpdateContext<'_> {
    type Press = Action;

    fn presser<'a>(&self, action: &'a Action) -> &'a Actor {
        &action.by
    }

    fn target(&self, action: &Action) -> ReplyTarget {
        reply_target_of(action)
    }

    async fn start(&self, flow: Arc<LoadedFlow>, action: &Action) -> Result<Ack, NotSaved> {
        Ok(begin::pressed(self, &flow, action, &reply_target_of(action)).await)
    }

    async fn help(&self, head: &Head, action: &Action) -> Ack {
        self.post_ephemeral(&reply_target_of(action), texts::help(head.id));
        self.done()
    }

    fn hand_out(&self, (session, reader): (SessionId, Audience), action: &Action) -> Ack {
        let reply_target = reply_target_of(action);
        let thread = action.thread.clone().filter(|_| reply_target.channel.starts_with('D'));
        let to = CopyFor { thread, reply_target: reply_target.clone() };
        hand_out(self, session, reader, to);
        self.tell(&reply_target, messages::notices::ON_ITS_WAY)
    }

    fn send_file(&self, (session, file): (SessionId, Artifact), action: &Action) -> Ack {
        let reply_target = reply_target_of(action);
        let to = CopyFor { reply_target: reply_target.clone(), thread: None };
        send_file(self, session, file, to);
        self.tell(&reply_target, messages::notices::ON_ITS_WAY)
    }

    fn show_one(&self, look: &Look, action: &Action) -> Ack {
        if let Ack::Ephemeral { text, blocks } = card_of(look) {
            if action.view.is_some() {
                self.show_over(
                    messages::staff::CONVERSATION,
                    &blocks,
                    action,
                    reply_target_of(action),
                );
            } else {
                self.post_ephemeral(&reply_target_of(action), Post { text, blocks });
            }
        }
        Ack::Empty
    }

    fn show_transcript(&self, opening: Opening, opened: &Opened, action: &Action) -> Ack {
        let view = transcript::view(opening, &opened.title, &opened.entries);
        self.show_page(view, action, reply_target_of(action));
        Ack::Empty
    }

    /// Slack's form holds all of it.
    fn show_profile(&self, look: &Look, _page: Option<usize>, action: &Action) -> Ack {
        self.show_page(profile::view(&look.state), action, reply_target_of(action));
        Ack::Empty
    }
}

/// Whom a copy is for.
struct CopyFor {
    /// Who, and where they read that it did not arrive.
    reply_target: ReplyTarget,
    /// Where in their conversation with the bot.
    thread: Option<String>,
}

/// Puts a copy into somebody's conversation with the bot, after the acknowledgement; once, however often it was ordered
/// by the same event.
fn hand_out(update: &UpdateContext<'_>, session: SessionId, reader: Audience, to: CopyFor) {
    let (app, team) = (Arc::clone(update.app), update.team().to_owned());
    let key = format!("{} copy", update.key);
    update.app.afterwards.spawn(async move {
        let copying = hand_over(&app, &team, (session, reader), &to);
        app.deduplicator.say(&key, Box::pin(or_tell(&app, &team, &to.reply_target, copying))).await;
    });
}

/// Whether something has arrived. Where it has not, whoever was told that it is on its way is told that as well.
async fn or_tell(
    app: &App,
    team: &str,
    reply_target: &ReplyTarget,
    sending: impl Future<Output = bool>,
) -> bool {
    let has_arrived = sending.await;
    if !has_arrived {
        post_ephemeral(app, team, reply_target, messages::notices::COULD_NOT_SEND).await;
    }
    has_arrived
}

/// Whether it has arrived.
async fn hand_over(
    app: &App,
    team: &str,
    (session, reader): (SessionId, Audience),
    to: &CopyFor,
) -> bool {
    let engine = app.engine();
    let Ok(gathered) = engine.gather(session).await else { return false };
    let Ok(bytes) = engine.bundle(&gathered, reader).await else { return false };
    let name = gathered.archive_name();
    put(app, team, (session, reader), to, (&name, bytes)).await
}

/// Puts a file into somebody's conversation with the bot; whether it has arrived.
async fn put(
    app: &App,
    team: &str,
    (session, reader): (SessionId, Audience),
    CopyFor { reply_target, thread }: &CopyFor,
    (name, bytes): (&str, Vec<u8>),
) -> bool {
    let body = json!({ "users": reply_target.user });
    let Ok(opened) = app.api.call(team, Method::OpenConversation, &body).await else {
        return false;
    };
    let Some(channel) = opened["channel"]["id"].as_str() else { return false };
    let upload = Upload { name, title: name, words: "", bytes };
    let id = match app.files.send(team, (channel, thread.as_deref()), upload).await {
        Ok(id) => id,
        Err(failure) => {
            tracing::warn!(?failure, "a file could not be handed out");
            return false;
        }
    };
    let reader = match reader {
        Audience::Participant => Reader::Participant,
        Audience::Staff => Reader::Staff(String::new()),
    };
    let posted = Posted { item: Item::File { id }, reader };
    app.post_log.note_or_tell(session, &[posted]).await;
    true
}

/// Sends a file after the acknowledgement; once, however often the press is delivered.
fn send_file(update: &UpdateContext<'_>, session: SessionId, file: Artifact, to: CopyFor) {
    let (app, team) = (Arc::clone(update.app), update.team().to_owned());
    let key = format!("{} file", update.key);
    update.app.afterwards.spawn(async move {
        let sending = async {
            let engine = app.engine();
            let Ok(Some(bytes)) = engine.parts().artifacts.read(session, &file).await else {
                return false;
            };
            let content = (file.filename.as_str(), bytes);
            put(&app, &team, (session, Audience::Staff), &to, content).await
        };
        app.deduplicator.say(&key, Box::pin(or_tell(&app, &team, &to.reply_target, sending))).await;
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_names_a_user_and_nothing_else() {
        assert_eq!(mentioned("<@U01|ada>"), Some("U01"));
        assert_eq!(mentioned("<@W0AZ>"), Some("W0AZ"));
        assert_eq!(mentioned("@ada"), None);
        assert_eq!(mentioned("<@U01 or 1=1>"), None);
        assert_eq!(mentioned("<!channel>"), None);
    }
}
