//! What people order: /onboard, the shortcut, the buttons of Home and of the staff's thread, a first word to the bot.

mod begin;
mod overview;
mod rating;
mod slash;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{
    agent::FEEDBACK,
    api::Method,
    app::App,
    files::Upload,
    inbound::{Ack, Action, Actor, Command as Typed, Message, NotSaved},
    profile,
    render::Message as Post,
    texts, transcript,
    update::{UpdateContext, post_ephemeral, reply_target_of},
};
use crate::{
    chat::{
        commands::{decide, flows::startable},
        form::{typed, words},
        handler::{Buttons, Handed, ReplyTarget, Start, Update, Wanted},
        transcript::{Opened, Opening},
    },
    engine::{Beginning, Error, Look},
    messages,
    model::{
        flow::SlackPlace,
        posted::Item,
        session::{Head, Platform},
        transcript::Audience,
    },
    session::typed::asks_for_person,
};

use self::{
    begin::{INVITE, NO_INVITE, begin, begin_at, chooser, goes_on, place_of, point_to},
    overview::{card_of, of_one},
};

pub(super) use self::{
    rating::{asked_about, explained},
    slash::typed,
};

/// What somebody did that may ask for something.
pub(super) enum Act {
    /// A button was pressed.
    Button(Box<Action>),
    /// A command was typed: it is answered in place.
    Typed(Typed),
}

fn told(text: impl Into<String>) -> Ack {
    Ack::Ephemeral { text: text.into(), blocks: Vec::new() }
}

/// Says something once in the answer to a press, which may be delivered again.
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
            Ok(begun) => {
                point_to(update, &begun, &reply_target);
                update.done()
            }
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
                Ok(_) if message.is_direct => update.done(),
                Ok(begun) => {
                    let asked = (message.by.user.as_str(), message.channel.as_str());
                    if let Some(said) = goes_on(update, &begun, asked).await {
                        update.tell_begun(&reply_target, said);
                    }
                    update.done()
                }
                Err(error) if words::may_pass(&error) => return Err(NotSaved),
                Err(error) => update.tell(&reply_target, &words::of_error(&error)),
            }
        }
        several => update.greet(&reply_target, chooser(several)),
    })
}

/// A button that only Slack has.
pub(super) async fn pressed(update: &UpdateContext<'_>, act: &Act) -> Result<Ack, NotSaved> {
    let Act::Button(action) = act else { return Ok(Ack::Empty) };
    if action.element == FEEDBACK {
        return rating::rated(update, action, &reply_target_of(action)).await;
    }
    if let Some(flow) = action.element.strip_prefix(INVITE) {
        return decide::invited(update, (&action.value, flow), act).await;
    }
    if action.element == NO_INVITE {
        return Ok(Ack::Replaced { text: messages::notices::NOT_SENT.to_owned() });
    }
    Ok(Ack::Empty)
}

#[async_trait]
impl Buttons for UpdateContext<'_> {
    type Act = Act;

    fn actor<'a>(&self, act: &'a Act) -> &'a Actor {
        match act {
            Act::Button(action) => &action.by,
            Act::Typed(typed) => &typed.by,
        }
    }

    fn target(&self, act: &Act) -> ReplyTarget {
        match act {
            Act::Button(action) => reply_target_of(action),
            Act::Typed(Typed { by, channel, .. }) => {
                ReplyTarget { user: by.user.clone(), channel: channel.clone(), thread: None }
            }
        }
    }

    async fn answer(&self, text: &str, act: &Act) -> Ack {
        match act {
            Act::Button(_) => told_once(self, text.to_owned()).await,
            Act::Typed(_) => told(text),
        }
    }

    /// Slack delivers neither a press nor a command again.
    async fn failed(&self, error: &Error, act: &Act) -> Result<Ack, NotSaved> {
        Ok(self.answer(&words::of_error(error), act).await)
    }

    async fn begin(&self, start: Start<'_>, act: &Act) -> Result<Ack, NotSaved> {
        Ok(match (start.invited, act) {
            (Some(user), _) => match begin::invite(self, user, start, act).await {
                Ok(text) => Ack::Replaced { text },
                Err(why) => self.answer(&why, act).await,
            },
            (None, Act::Button(action)) => begin::pressed(self, start.flow, action).await,
            (None, Act::Typed(typed)) => {
                told(begin::begun(self, start.flow, &typed.by, &typed.channel).await)
            }
        })
    }

    async fn help(&self, head: &Head, act: &Act) -> Ack {
        self.post_ephemeral(&self.target(act), texts::help(head.id));
        self.done()
    }

    async fn hand_out(&self, wanted: Wanted, act: &Act) -> Ack {
        let reply_target = self.target(act);
        send_later(self, wanted, reply_target.clone());
        match act {
            Act::Button(_) => self.tell(&reply_target, messages::notices::ON_ITS_WAY),
            Act::Typed(_) => told(messages::notices::ON_ITS_WAY),
        }
    }

    fn show_one(&self, look: Look, reader: Audience, act: &Act) -> Ack {
        let shown = match reader {
            Audience::Participant => told(of_one(&look)),
            Audience::Staff => card_of(&look),
        };
        match (shown, act) {
            (Ack::Ephemeral { text, blocks }, Act::Button(action)) => {
                let reply_target = reply_target_of(action);
                if action.view.is_some() {
                    let title = messages::staff::CONVERSATION;
                    self.show_over(title, &blocks, action, reply_target);
                } else {
                    self.post_ephemeral(&reply_target, Post { text, blocks });
                }
                Ack::Empty
            }
            (shown, _) => shown,
        }
    }

    fn show_transcript(&self, opening: Opening, opened: &Opened, act: &Act) -> Ack {
        show_page(self, transcript::view(opening, &opened.title, &opened.entries), act)
    }

    /// Slack's form holds all of it.
    fn show_profile(&self, look: &Look, _page: Option<usize>, act: &Act) -> Ack {
        show_page(self, profile::view(&look.state), act)
    }
}

/// Only buttons show pages.
fn show_page(update: &UpdateContext<'_>, view: Value, act: &Act) -> Ack {
    if let Act::Button(action) = act {
        update.show_page(view, action);
    }
    Ack::Empty
}

/// Puts a file into somebody's conversation with the bot, after the acknowledgement. Where it does not arrive, whoever was
/// told that it is on its way is told that as well.
fn send_later(update: &UpdateContext<'_>, wanted: Wanted, to: ReplyTarget) {
    let (app, team, key) = (Arc::clone(update.app), update.team().to_owned(), update.key.clone());
    update.app.afterwards.spawn_longer(Wanted::LIMIT, async move {
        let put = |name, bytes| put(&app, &team, (&wanted, &to), name, bytes);
        let handed = wanted.hand_over(app.engine(), (&app.deduplicator, &key), put).await;
        if handed == Handed::Failed {
            post_ephemeral(&app, &team, &to, messages::notices::COULD_NOT_SEND).await;
        }
    });
}

/// Puts a file into somebody's conversation with the bot: a copy in the thread there where it was asked for.
async fn put(
    app: &App,
    team: &str,
    (wanted, to): (&Wanted, &ReplyTarget),
    name: String,
    bytes: Vec<u8>,
) -> Option<()> {
    let body = json!({ "users": to.user });
    let opened = app.api.call(team, Method::OpenConversation, &body).await.ok()?;
    let channel = opened["channel"]["id"].as_str()?;
    let is_copy = matches!(wanted, Wanted::Everything(..));
    let thread = to.thread.as_deref().filter(|_| is_copy && to.channel.starts_with('D'));
    let upload = Upload { name: &name, title: &name, words: "", bytes };
    match app.files.send(team, (channel, thread), upload).await {
        Ok(id) => {
            let posted = wanted.posted(Item::File { id });
            app.post_log.note_or_tell(wanted.session(), &[posted]).await;
            Some(())
        }
        Err(failure) => {
            tracing::warn!(?failure, "a file could not be handed out");
            None
        }
    }
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
