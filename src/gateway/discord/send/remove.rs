//! Takes away what was posted for a session that is erased: its messages, and threads with all that stands in them.
//!
//! Each removal looks at what is there now, so that a repeat goes on where the last attempt ended. What Discord does not
//! let the bot delete is blanked or renamed; what is left then is noted for the receipt.

use std::time::Duration;

use async_trait::async_trait;
use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{
    find_earlier::snowflake,
    nonce,
    sender::{Delivered, Sender, Undelivered},
};
use crate::{
    chat::{
        courier::Courier as _,
        message_index::MessageRef,
        removal::{Refused, Remover, Trace},
    },
    gateway::discord::{
        api::{Code, Failure, Near},
        kinds::{MessageType, kind},
        people,
        render::Message,
        staff_thread, texts,
    },
    messages,
    model::{
        effect::Recipient,
        posted::{Item, Posted},
        report::{Count, Report},
    },
};

/// Messages of a thread that go in one attempt: the next one follows at once.
const AT_ONCE: usize = 20;

/// Pages of a thread that are read; a page has a hundred messages.
const PAGES: usize = 20;

/// Why a thread or a message is taken away, in the server's audit log.
const WHY: &str = "the conversation was erased";

/// What stands in a thread.
#[derive(Default)]
struct Thread {
    ours: Vec<String>,
    theirs: Count,
}

impl Sender<'_> {
    /// Whether nobody waits for a receipt, or they will read it in their direct messages: a line there says so.
    async fn is_told_elsewhere(&self) -> Delivered<bool> {
        let engine = self.app.engine();
        let Some(report) = engine.erasure_report(self.effect.session).await? else {
            return Ok(true);
        };
        if report.by == "retention" || report.notice.is_some() {
            return Ok(true);
        }
        let Some(user) = &self.effect.place.thread else { return Ok(false) };
        let body = texts::words(messages::erasure::erased(&report.receipt, true)).body().json();
        let told = match self.app.api.open_direct(user).await {
            Ok(channel) => {
                let name = nonce(self.effect.id, 0);
                let posted = self.app.api.post(&channel, &name, body).await;
                posted.map(|message| MessageRef { channel, message }.name())
            }
            Err(failure) => Err(failure),
        };
        match told {
            Ok(notice) => {
                self.app.engine().note_notice(self.effect.session, Some(notice)).await?;
                Ok(true)
            }
            Err(Failure::Refused { .. }) => Ok(false),
            Err(failure) => Err(failure.into()),
        }
    }

    /// Whether a thread is gone, with all that stands in it; false where the bot may not.
    async fn delete_thread(&self, thread: &str) -> Delivered<bool> {
        let deleted = self.app.api.delete_channel(thread, Some(WHY)).await;
        let Err(failure) = deleted else { return Ok(true) };
        match self.refused(&failure) {
            Refused::Gone => Ok(true),
            Refused::Kept => Ok(false),
            Refused::Waits => Err(failure.into()),
        }
    }

    /// Deletes what the bot wrote in a thread.
    async fn empty(&self, thread: &str, found: &Thread, posted: &Posted) -> Delivered<()> {
        for (n, message) in found.ours.iter().enumerate() {
            if n == AT_ONCE {
                return Err(Failure::Later { after: Duration::ZERO }.into());
            }
            let at = MessageRef { channel: thread.to_owned(), message: message.clone() };
            let message =
                Posted { item: Item::Message { at: at.name() }, reader: posted.reader.clone() };
            self.take_message(&at, &message).await?;
        }
        Ok(())
    }

    /// Takes the name from a thread. One that is archived is opened by that, for nothing else lets it be renamed.
    async fn rename(&self, thread: &str, posted: &Posted) -> Delivered<()> {
        let body = json!({ "name": texts::ERASED_THREAD, "archived": false });
        let renamed = self.app.api.change_channel(thread, body, Some(WHY)).await;
        let Err(failure) = renamed else { return Ok(()) };
        match self.refused(&failure) {
            Refused::Gone => Ok(()),
            Refused::Kept => {
                let (item, reader) = (Item::Room { id: thread.to_owned() }, posted.reader.clone());
                self.leave_ours(&Posted { item, reader }, &self.why(&failure)).await
            }
            Refused::Waits => Err(failure.into()),
        }
    }

    /// Everything in a thread.
    async fn thread(&self, thread: &str) -> Result<Thread, Failure> {
        let me = self.app.me().await?.to_owned();
        let (mut found, mut before) = (Thread::default(), None::<String>);
        for _ in 0..PAGES {
            let near = before.as_deref().map_or(Near::Latest, Near::Before);
            let page = self.app.api.messages(thread, near, 100).await?;
            for message in &page {
                let Some(id) = message["id"].as_str() else { continue };
                before = Some(id.to_owned());
                if message["author"]["id"] == me.as_str() {
                    // What tells of the thread itself cannot be deleted, and says nothing.
                    if is_written(message) {
                        found.ours.push(id.to_owned());
                    }
                } else if is_written(message) {
                    let files = message["attachments"].as_array().map_or(0, Vec::len);
                    found.theirs = found.theirs.and(Count { messages: 1, files, threads: 0 });
                }
            }
            if page.len() < 100 {
                break;
            }
        }
        Ok(found)
    }
}

#[async_trait]
impl Remover for Sender<'_> {
    /// Takes away a message with the thread that hangs on it; where others have written in that, the message is blanked
    /// and the thread loses its name.
    async fn take_head(&self, head: &MessageRef, posted: &Posted) -> Delivered<()> {
        let thread = match self.thread(&head.message).await {
            Ok(thread) => thread,
            Err(failure) => match self.refused(&failure) {
                // Nothing hangs on it, or nothing any more.
                Refused::Gone => return self.take_message(head, posted).await,
                Refused::Kept => {
                    self.rename(&head.message, posted).await?;
                    return self.take_message(head, posted).await;
                }
                Refused::Waits => return Err(failure.into()),
            },
        };
        if thread.theirs.is_none() {
            if !self.delete_thread(&head.message).await? {
                self.empty(&head.message, &thread, posted).await?;
                self.rename(&head.message, posted).await?;
            }
            return self.take_message(head, posted).await;
        }
        self.empty(&head.message, &thread, posted).await?;
        self.rename(&head.message, posted).await?;
        self.blank_head(head, (posted, thread.theirs)).await
    }

    /// Deletes the participant's own thread, once they can read in their direct messages what comes of it; else takes from
    /// it what the bot wrote, and its name.
    async fn take_room(&self, room: &str, posted: &Posted) -> Delivered<()> {
        if self.is_told_elsewhere().await? && self.delete_thread(room).await? {
            return Ok(());
        }
        let thread = match self.thread(room).await {
            Ok(thread) => thread,
            Err(failure) => match self.refused(&failure) {
                Refused::Gone => return Ok(()),
                Refused::Kept => return self.leave_ours(posted, &self.why(&failure)).await,
                Refused::Waits => return Err(failure.into()),
            },
        };
        self.empty(room, &thread, posted).await?;
        self.rename(room, posted).await?;
        let why = messages::erasure::EMPTY_THREAD;
        self.leave_ours(posted, why).await?;
        self.leave_theirs(posted, thread.theirs).await
    }

    /// By the ids of their buttons, by the name of their file; in direct messages words alone as well, for nothing else
    /// tells them.
    async fn find_trace(&self, of: Trace<'_>) -> Delivered<Vec<Item>> {
        let place = &self.effect.place;
        let is_direct = !matches!(self.effect.to, Recipient::Channel { .. });
        let channel = match self.card_channel().await? {
            Some(channel) => channel,
            // A thread of their own goes as a whole.
            None if self.effect.to == Recipient::Participant && !people::is_direct(place) => {
                return Ok(Vec::new());
            }
            None => self.app.api.open_direct(&place.channel).await?,
        };
        let name = of.effect.short();
        let tail = name.get(name.len().saturating_sub(8)..).unwrap_or_default();
        let after = snowflake(of.since - TimeDelta::minutes(1));
        let me = self.app.me().await?.to_owned();
        let messages = self.app.api.messages(&channel, Near::After(&after), 100).await?;
        let is_it = |message: &&Value| {
            let controls = message["components"].to_string();
            let files = message["attachments"].to_string();
            message["author"]["id"] == me.as_str()
                && (of.mark.is_some_and(|mark| controls.contains(mark))
                    || files.contains(tail)
                    || (is_direct && of.mark.is_none() && !controls.contains("custom_id")))
        };
        let ids = messages.iter().filter(is_it).filter_map(|message| message["id"].as_str());
        Ok(ids.map(|id| Item::Message { at: format!("{channel}/{id}") }).collect())
    }

    /// In their thread where that is left, else in their direct messages.
    async fn post_receipt(
        &self,
        receipt: &[Message],
        report: &Report,
        (user, rooms): (&str, &[String]),
    ) -> Delivered<Option<String>> {
        let notice = report.notice.as_deref().and_then(MessageRef::parse);
        let mut places: Vec<String> = notice.iter().map(|at| at.channel.clone()).collect();
        places.extend_from_slice(rooms);
        if places.is_empty() {
            places.push(self.app.api.open_direct(user).await?);
        }
        let mut told = None;
        for place in places {
            match self.post_in(&place, receipt).await {
                Ok(posted) => told = posted,
                Err(Undelivered::Call(Failure::Refused { .. })) => continue,
                Err(undelivered) => return Err(undelivered),
            }
            break;
        }
        if let Some(at) = notice {
            // It may be gone; if not, one line more stays, which says nothing of anybody.
            _ = self.app.api.delete(&at.channel, &at.message).await;
            self.app.engine().note_notice(self.effect.session, None).await?;
        }
        told.map(Some).ok_or_else(|| Undelivered::Never("nobody reads the receipt".to_owned()))
    }

    async fn delete(&self, at: &MessageRef) -> Result<(), Failure> {
        match self.app.api.delete(&at.channel, &at.message).await {
            Err(failure) if failure.is(Code::Archived) => {
                self.app.api.unarchive(&at.channel).await?;
                self.app.api.delete(&at.channel, &at.message).await
            }
            deleted => deleted,
        }
    }

    async fn overwrite(&self, at: &MessageRef) -> Result<(), Failure> {
        self.app.render_cache.settled(&at.name()).await;
        self.app.render_cache.forget(&at.name());
        self.app.api.edit(&at.channel, &at.message, staff_thread::erased().body().json()).await
    }
}

/// Written by somebody: words, an answer to a message, what a command came to.
fn is_written(message: &Value) -> bool {
    matches!(
        message["type"].as_u64().map(kind),
        None | Some(
            MessageType::Regular
                | MessageType::InlineReply
                | MessageType::ChatInputCommand
                | MessageType::ContextMenuCommand
        )
    )
}
