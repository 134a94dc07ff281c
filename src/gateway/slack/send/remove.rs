//! Takes away what was posted for a session that is erased: its messages, files and threads.
//!
//! Each removal looks at what is there now, so that a repeat goes on where the last attempt ended. What Slack does not let
//! the bot delete is blanked; what is left then is noted for the receipt.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{Delivered, Sender, Target, body_of};
use crate::{
    chat::{
        courier::Courier as _,
        message_index::MessageRef,
        removal::{Refused, Remover, Trace},
    },
    gateway::slack::{
        api::{Failure, Method},
        delivery, people,
        render::Message,
        staff_thread,
    },
    model::{
        effect::Act,
        posted::{Item, Posted, Reader},
        report::{Count, Report},
    },
};

/// Messages of a thread that go in one attempt: the next one follows at once.
const AT_ONCE: usize = 20;

/// Pages of a thread that are read, and messages on each.
const PAGES: usize = 20;
const PAGE: u32 = 200;

/// What stands in a thread.
#[derive(Default)]
struct Thread {
    ours: Vec<Value>,
    theirs: Count,
    /// The message at its head is the bot's.
    is_ours: bool,
}

impl Sender<'_> {
    /// Whether the session is gone, and the effect tidies up after it.
    pub(super) const fn is_of_erasure(&self) -> bool {
        matches!(self.effect.act, Act::Remove { .. } | Act::Receipt { .. })
    }

    /// A message of the bot's with its files.
    async fn take_found(
        &self,
        near: &MessageRef,
        message: &Value,
        posted: &Posted,
    ) -> Delivered<()> {
        for file in message["files"].as_array().into_iter().flatten() {
            if let Some(id) = file["id"].as_str() {
                self.delete_file(id, posted).await?;
            }
        }
        let ts = message["ts"].as_str().unwrap_or_default().to_owned();
        let at = MessageRef { channel: near.channel.clone(), message: ts };
        self.take_message(&at, posted).await
    }

    async fn delete_file(&self, id: &str, posted: &Posted) -> Delivered<()> {
        let deleted = self.call(Method::DeleteFile, &json!({ "file": id })).await;
        let Err(failure) = deleted else { return Ok(()) };
        match self.refused(&failure) {
            Refused::Gone => Ok(()),
            Refused::Kept => {
                let (item, reader) = (Item::File { id: id.to_owned() }, posted.reader.clone());
                self.leave_ours(&Posted { item, reader }, &self.why(&failure)).await
            }
            Refused::Waits => Err(failure.into()),
        }
    }

    /// Everything in a thread: what the bot wrote besides the head, and how much others did.
    async fn thread(&self, head: &MessageRef) -> Result<Thread, Failure> {
        let mut thread = Thread::default();
        let more = json!({ "ts": head.message });
        for message in self.read_all(Method::Replies, (&head.channel, more)).await? {
            let is_head = message["ts"] == head.message.as_str();
            match self.is_ours(&message) {
                true if is_head => thread.is_ours = true,
                true => thread.ours.push(message),
                false if is_written(&message) => {
                    thread.theirs = thread.theirs.and(count(&message));
                }
                false => {}
            }
        }
        Ok(thread)
    }

    /// What the participant wrote in the direct conversation beside the thread; nothing elsewhere, where others write.
    async fn written_beside(&self, head: &MessageRef) -> Delivered<Count> {
        if !head.channel.starts_with('D') {
            return Ok(Count::default());
        }
        let more = json!({ "oldest": head.message });
        let found = match self.read_all(Method::History, (&head.channel, more)).await {
            Ok(found) => found,
            Err(Failure::Refused { .. }) => Vec::new(),
            Err(failure) => return Err(failure.into()),
        };
        let theirs = found.iter().filter(|it| is_written(it) && !self.is_ours(it));
        Ok(theirs.fold(Count::default(), |all, message| all.and(count(message))))
    }

    async fn read_all(
        &self,
        method: Method,
        (channel, more): (&str, Value),
    ) -> Result<Vec<Value>, Failure> {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        for _ in 0..PAGES {
            let mut asked = more.clone();
            asked["channel"] = json!(channel);
            asked["limit"] = json!(PAGE);
            if !cursor.is_empty() {
                asked["cursor"] = json!(cursor);
            }
            let mut page = self.call(method, &asked).await?;
            if let Value::Array(messages) = page["messages"].take() {
                all.extend(messages);
            }
            let next = page["response_metadata"]["next_cursor"].as_str();
            next.unwrap_or_default().clone_into(&mut cursor);
            if cursor.is_empty() {
                break;
            }
        }
        Ok(all)
    }

    fn is_ours(&self, message: &Value) -> bool {
        let bot =
            self.app.api.installations().installation(self.team()).map(|found| found.bot_user);
        delivery::name_of(message).is_some()
            || bot.is_some_and(|bot| !bot.is_empty() && message["user"] == bot.as_str())
    }
}

#[async_trait]
impl Remover for Sender<'_> {
    /// Takes away what the bot wrote in a thread, and its head; a head under which staff have written is blanked, so that
    /// their thread stays.
    async fn take_head(&self, head: &MessageRef, posted: &Posted) -> Delivered<()> {
        let is_staffs = matches!(posted.reader, Reader::Staff(_));
        let thread = match self.thread(head).await {
            Ok(thread) => thread,
            Err(failure) => match self.refused(&failure) {
                Refused::Gone => return Ok(()),
                // Who may not look does not know whether somebody has written there.
                Refused::Kept if is_staffs => {
                    return self.blank_head(head, (posted, Count::default())).await;
                }
                Refused::Kept => return self.take_message(head, posted).await,
                Refused::Waits => return Err(failure.into()),
            },
        };
        for (n, message) in thread.ours.iter().enumerate() {
            if n == AT_ONCE {
                return Err(Failure::Later { after: std::time::Duration::ZERO }.into());
            }
            self.take_found(head, message, posted).await?;
        }
        let mut theirs = thread.theirs;
        if !is_staffs {
            theirs = theirs.and(self.written_beside(head).await?);
            let report = self.app.engine().erasure_report(self.effect.session).await?;
            if let Some(report) = report {
                theirs.files = theirs.files.max(report.sent);
            }
        }
        if is_staffs && !theirs.is_none() {
            return self.blank_head(head, (posted, theirs)).await;
        }
        self.leave_theirs(posted, theirs).await?;
        if thread.is_ours { self.take_message(head, posted).await } else { Ok(()) }
    }

    /// A file with the messages in which it was shared.
    async fn take_file(&self, id: &str, posted: &Posted) -> Delivered<()> {
        let found = match self.call(Method::FileInfo, &json!({ "file": id })).await {
            Ok(found) => found,
            Err(failure) => match self.refused(&failure) {
                Refused::Gone => return Ok(()),
                // It may be deleted all the same.
                Refused::Kept => return self.delete_file(id, posted).await,
                Refused::Waits => return Err(failure.into()),
            },
        };
        let shares = ["private", "public"].map(|kind| found["file"]["shares"][kind].as_object());
        for (channel, messages) in shares.into_iter().flatten().flatten() {
            for share in messages.as_array().into_iter().flatten() {
                let Some(ts) = share["ts"].as_str() else { continue };
                let at = MessageRef { channel: channel.clone(), message: ts.to_owned() };
                self.take_message(&at, posted).await?;
            }
        }
        self.delete_file(id, posted).await
    }

    /// Messages by the id of the effect in their metadata.
    async fn find_trace(&self, of: Trace<'_>) -> Delivered<Vec<Item>> {
        let place = &self.effect.place;
        let target = match self.card_channel().await? {
            Some(channel) => Target::new(channel, None),
            None => Target::new(place.channel.clone(), place.thread.clone()),
        };
        let channel = self.open(&target).await?;
        let begins = format!("{}.", of.effect.short());
        let found = self.lately(&channel, target.thread.as_deref()).await?;
        let is_it = |message: &&Value| {
            delivery::name_of(message).is_some_and(|name| name.starts_with(&begins))
        };
        let ids = found.iter().filter(is_it).filter_map(|message| message["ts"].as_str());
        Ok(ids.map(|ts| Item::Head { at: format!("{channel}/{ts}") }).collect())
    }

    /// In their messages, or in the thread of theirs where that stands.
    async fn post_receipt(
        &self,
        receipt: &[Message],
        _report: &Report,
        (user, _): (&str, &[String]),
    ) -> Delivered<Option<String>> {
        let place = &self.effect.place;
        // In a channel everybody would read it, but in a thread that the person has begun there.
        let is_theirs = people::is_direct(place) || place.thread.is_some();
        let channel = if is_theirs { place.channel.as_str() } else { user };
        let target = Target::new(channel.to_owned(), place.thread.clone());
        let mut first = None;
        for (part, message) in receipt.iter().enumerate() {
            let spot = self.post(&target, message, part).await?;
            first.get_or_insert_with(|| spot.name());
        }
        Ok(first)
    }

    async fn delete(&self, at: &MessageRef) -> Result<(), Failure> {
        let body = json!({ "channel": at.channel, "ts": at.message });
        self.call(Method::DeleteMessage, &body).await.map(drop)
    }

    async fn overwrite(&self, at: &MessageRef) -> Result<(), Failure> {
        let mut body = body_of(&staff_thread::erased());
        body["channel"] = json!(at.channel);
        body["ts"] = json!(at.message);
        let turn = self.app.editing(&at.name());
        let _turn = turn.lock().await;
        self.call(Method::UpdateMessage, &body).await.map(drop)
    }
}

/// Written by a person: not a line of Slack's about what happened, nor what is left of a message that was deleted.
fn is_written(message: &Value) -> bool {
    let subtype = message["subtype"].as_str().unwrap_or_default();
    matches!(subtype, "" | "file_share" | "thread_broadcast" | "me_message")
}

fn count(message: &Value) -> Count {
    let files = message["files"].as_array().map_or(0, Vec::len);
    Count { messages: 1, files, ..Count::default() }
}
