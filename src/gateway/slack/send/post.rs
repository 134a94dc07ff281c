//! Messages: posted once, found again, edited in place; and made plainer where Slack does not take how they look.

use std::sync::atomic::Ordering;

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{Delivered, Sender, Target};
use crate::{
    chat::{courier::Courier as _, message_index::MessageRef, refusal::Class},
    gateway::slack::{
        api::{Failure, Method},
        app::App,
        delivery, limits,
        render::{Message, answer, text},
    },
    model::audit::sha256,
};

/// Messages looked through for one that may have been posted: a page of Slack's.
const LOOK_BACK: u32 = 100;

/// Ways in which a message is made plainer, one after the other.
const PLAINER_MAX: usize = 3;

/// Characters of a piece of words that Slack found too long: less than any limit it names.
const PIECE: usize = 1_000;

/// What is said where Slack finds no words in a message.
const NO_WORDS: &str = "…";

impl Sender<'_> {
    /// Posts a part of the effect, unless it is there already.
    pub(super) async fn post(
        &self,
        target: &Target,
        message: &Message,
        part: usize,
    ) -> Delivered<MessageRef> {
        if let Some(spot) = self.unnoted(target, part).await? {
            self.leave_message(&spot, target.thread.is_none());
            return Ok(spot);
        }
        let mut body = body_of(message);
        body["unfurl_links"] = false.into();
        body["unfurl_media"] = false.into();
        self.place(&mut body, target, &self.delivery(part));
        let was_doubted = self.app.possible_duplicates.begin(self.effect.id);
        let posted = self.post_plainer(body, target, part).await;
        // Of a message in pieces some may stand there though the last call did nothing.
        self.ended(was_doubted || !self.trail.is_empty(), posted.as_ref().err());
        Ok(posted?)
    }

    /// Remembers how a message looks that was just posted, so that an edit which changes nothing is not made. Not for
    /// cards: an edit of one that is open also tells whether it is still there.
    pub(super) fn looks(&self, spot: &MessageRef, message: &Message) {
        self.app.render_cache.note(spot.name(), digest(&edit_of(spot, message)));
    }

    /// Says where a message goes and what it is called.
    fn place(&self, body: &mut Value, target: &Target, name: &str) {
        body["channel"] = target.channel.clone().into();
        if let Some(thread) = &target.thread {
            body["thread_ts"] = thread.clone().into();
        }
        body["metadata"] = delivery::metadata(name);
        self.tried(target);
    }

    /// Posts a message; where Slack does not take how it is made, without what it does not take: a mistake of ours, and
    /// the words alone can still be answered by typing.
    async fn post_plainer(
        &self,
        mut body: Value,
        target: &Target,
        part: usize,
    ) -> Result<MessageRef, Failure> {
        for _ in 0..PLAINER_MAX {
            let failure = match self.call(Method::PostMessage, &body).await {
                Ok(posted) => return self.left_at(target, &posted),
                Err(failure) => failure,
            };
            match failure.class() {
                Class::Plain if plainer(&mut body, &failure) => {
                    self.is_plainer.store(true, Ordering::Relaxed);
                    self.tell_of_shape(&failure);
                }
                Class::Shorten => {
                    self.is_plainer.store(true, Ordering::Relaxed);
                    self.tell_of_shape(&failure);
                    words_of_blocks(&mut body);
                    return self.post_pieces(&body, target, part).await;
                }
                _ => return Err(failure),
            }
        }
        self.left_at(target, &self.call(Method::PostMessage, &body).await?)
    }

    /// The message that was posted.
    fn left_at(&self, target: &Target, posted: &Value) -> Result<MessageRef, Failure> {
        let spot = spot_of(posted)?;
        self.leave_message(&spot, target.thread.is_none());
        Ok(spot)
    }

    /// Posts words in pieces, in order. The last one carries the name of the part: only then all of it is there. Where
    /// that is known, it is looked for by the name of the first.
    async fn post_pieces(
        &self,
        body: &Value,
        target: &Target,
        part: usize,
    ) -> Result<MessageRef, Failure> {
        let pieces = text::parts(body["text"].as_str().unwrap_or_default(), PIECE);
        let (mut first, mut target) = (None, target.clone());
        let last = pieces.len().saturating_sub(1);
        for (n, piece) in pieces.iter().enumerate() {
            let name = self.delivery(part);
            let name = if n == last { name } else { format!("{name}-{n}") };
            let known = if self.may_be_there { self.look_for(&target, &name).await? } else { None };
            let spot = if let Some(spot) = known {
                self.leave_message(&spot, target.thread.is_none());
                spot
            } else {
                let mut body =
                    json!({ "text": piece, "unfurl_links": false, "unfurl_media": false });
                self.place(&mut body, &target, &name);
                self.left_at(&target, &self.call(Method::PostMessage, &body).await?)?
            };
            if target.thread.is_none() {
                target = Target::new(spot.channel.clone(), Some(spot.message.clone()));
            }
            first.get_or_insert(spot);
        }
        first.ok_or_else(|| Failure::Refused { error: "no_text".to_owned(), messages: Vec::new() })
    }

    fn tell_of_shape(&self, failure: &Failure) {
        tracing::error!(session.id = %self.effect.session, %failure, "Slack rejects the format of a message");
    }

    /// What a part of the effect is called in its metadata.
    pub(super) fn delivery(&self, part: usize) -> String {
        delivery::name(self.effect.id, part)
    }

    /// The message of an attempt of which nobody knows whether it came; `None` if there was no such attempt.
    pub(super) async fn unnoted(
        &self,
        target: &Target,
        part: usize,
    ) -> Result<Option<MessageRef>, Failure> {
        if !self.may_be_there {
            return Ok(None);
        }
        self.look_for(target, &self.delivery(part)).await
    }

    /// The message of an earlier attempt; `None` if there is none, or nobody may look.
    pub(super) async fn look_for(
        &self,
        target: &Target,
        name: &str,
    ) -> Result<Option<MessageRef>, Failure> {
        let channel = self.open(target).await?;
        let is_it = |message: &&Value| delivery::name_of(message) == Some(name);
        let messages = self.lately(&channel, target.thread.as_deref()).await?;
        let ts = messages.iter().find(is_it).and_then(|found| found["ts"].as_str());
        Ok(ts.map(|ts| MessageRef { channel, message: ts.to_owned() }))
    }

    /// The channel of a target; a direct conversation is opened for a person.
    pub(super) async fn open(&self, target: &Target) -> Result<String, Failure> {
        if target.channel.starts_with(['U', 'W']) {
            self.direct(&target.channel).await
        } else {
            Ok(target.channel.clone())
        }
    }

    /// What was posted since the effect was queued; nothing where the bot may not look: then nobody knows.
    pub(super) async fn lately(
        &self,
        channel: &str,
        thread: Option<&str>,
    ) -> Result<Vec<Value>, Failure> {
        // Another node may have queued it, whose clock was ahead.
        let queued_at = self.effect.queued_at.min(self.app.clock.now());
        let oldest = queued_at - TimeDelta::minutes(5);
        let mut asked = json!({
            "channel": channel,
            "include_all_metadata": true,
            "limit": LOOK_BACK,
            "oldest": format!("{}.000000", oldest.timestamp()),
        });
        let method = match thread {
            Some(thread) => {
                asked["ts"] = thread.into();
                Method::Replies
            }
            None => Method::History,
        };
        match self.call(method, &asked).await {
            Ok(mut answer) => Ok(match answer["messages"].take() {
                Value::Array(messages) => messages,
                _ => Vec::new(),
            }),
            Err(Failure::Refused { .. }) => Ok(Vec::new()),
            Err(failure) => Err(failure),
        }
    }

    /// Ends the doubt where nothing was posted.
    pub(super) fn ended(&self, was_doubted: bool, failure: Option<&Failure>) {
        if failure.is_some_and(|failure| !matches!(failure, Failure::Unclear { .. })) {
            self.app.possible_duplicates.nothing_happened(self.effect.id, was_doubted);
        }
    }

    /// Edits a message; false where it is not there any more.
    pub(super) async fn edit(&self, spot: &MessageRef, message: &Message) -> Delivered<bool> {
        let body = edit_of(spot, message);
        self.tried(&Target::new(spot.channel.clone(), None));
        let turn = self.app.editing(&spot.name());
        let _turn = turn.lock().await;
        // An edit that changes nothing still shows as one.
        let digest = digest(&body);
        if self.app.render_cache.is(&spot.name(), &digest) {
            return Ok(true);
        }
        match self.edit_plainer(body).await {
            Ok(_) => {
                self.app.render_cache.note(spot.name(), digest);
                Ok(true)
            }
            Err(failure) if matches!(failure.class(), Class::MessageGone | Class::Uneditable) => {
                Ok(false)
            }
            // What stands where nobody can be written to any more stays as it is.
            Err(Failure::Refused { .. }) if self.is_left(spot).await? => Ok(false),
            Err(failure) => Err(failure.into()),
        }
    }

    async fn edit_plainer(&self, mut body: Value) -> Result<Value, Failure> {
        for _ in 0..PLAINER_MAX {
            let failure = match self.call(Method::UpdateMessage, &body).await {
                Ok(edited) => return Ok(edited),
                Err(failure) => failure,
            };
            match failure.class() {
                Class::Plain if plainer(&mut body, &failure) => {}
                Class::Shorten if is_long(&body) => shorten(&mut body),
                _ => return Err(failure),
            }
            self.tell_of_shape(&failure);
            // What an edit leaves out stays as it was.
            body["blocks"] = json!([]);
        }
        self.call(Method::UpdateMessage, &body).await
    }
}

/// Edits a message of the team's channels whose turn the caller holds; an edit that changes nothing is not made.
pub(super) async fn edit_held(
    app: &App,
    team: &str,
    spot: &MessageRef,
    message: &Message,
) -> Result<(), Failure> {
    let body = edit_of(spot, message);
    let digest = digest(&body);
    if !app.render_cache.is(&spot.name(), &digest) {
        app.api.call(team, Method::UpdateMessage, &body).await?;
        app.render_cache.note(spot.name(), digest);
    }
    Ok(())
}

pub(super) fn body_of(message: &Message) -> Value {
    json!({ "text": message.text, "blocks": message.blocks })
}

/// The edit after which a message looks so.
fn edit_of(spot: &MessageRef, message: &Message) -> Value {
    let mut body = body_of(message);
    body["channel"] = spot.channel.clone().into();
    body["ts"] = spot.message.clone().into();
    body
}

fn digest(body: &Value) -> String {
    // It always has a text.
    sha256(&serde_json::to_vec(body).unwrap_or_default())
}

fn spot_of(posted: &Value) -> Result<MessageRef, Failure> {
    match (posted["channel"].as_str(), posted["ts"].as_str()) {
        (Some(channel), Some(ts)) => {
            Ok(MessageRef { channel: channel.to_owned(), message: ts.to_owned() })
        }
        _ => Err(Failure::Unclear { why: "a post without a name".to_owned() }),
    }
}

/// Puts the words of the blocks, which are to go, beside those that are there already.
fn words_of_blocks(body: &mut Value) {
    if let Some(words) = answer::words_of_blocks(&body["blocks"]) {
        // The text beside them may be shortened.
        body["text"] = words.into();
    }
    let mut words = vec![body["text"].as_str().unwrap_or_default().to_owned()];
    for block in body["blocks"].as_array().into_iter().flatten() {
        let parts = [&block["text"], &block["fields"], &block["elements"]];
        let listed = |part: &Value| part.as_array().cloned().unwrap_or_else(|| vec![part.clone()]);
        for part in parts.into_iter().flat_map(listed) {
            // What stands on buttons is said in words where it matters.
            let is_words = matches!(part["type"].as_str(), Some("mrkdwn" | "plain_text"));
            let text = part["text"].as_str().unwrap_or_default();
            if is_words && !words.iter().any(|said| said.contains(text)) {
                words.push(text.to_owned());
            }
        }
    }
    words.retain(|part| !part.trim().is_empty());
    body["text"] = if words.is_empty() { NO_WORDS.into() } else { words.join("\n").into() };
}

/// Takes away what Slack does not take: the metadata where it speaks of that, the blocks otherwise. False where nothing
/// is left to take away.
fn plainer(body: &mut Value, failure: &Failure) -> bool {
    let speaks_of_metadata = failure.code().is_some_and(|code| code.contains("metadata"));
    let order = if speaks_of_metadata { ["metadata", "blocks"] } else { ["blocks", "metadata"] };
    let is_there = |name: &&str| match &body[*name] {
        Value::Array(list) => !list.is_empty(),
        value => !value.is_null(),
    };
    let Some(name) = order.into_iter().find(is_there) else { return false };
    if name == "blocks" {
        words_of_blocks(body);
    }
    body.as_object_mut().and_then(|body| body.shift_remove(name)).is_some()
}

fn is_long(body: &Value) -> bool {
    body["text"].as_str().is_some_and(|text| text::units(text) > limits::QUOTE)
}

/// Half as many words.
fn shorten(body: &mut Value) {
    let words = body["text"].as_str().unwrap_or_default();
    body["text"] = text::clip(words, text::units(words) / 2).into();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(code: &str) -> Failure {
        Failure::Refused { error: code.to_owned(), messages: Vec::new() }
    }

    #[test]
    fn a_message_loses_first_what_slack_speaks_of() {
        let whole = json!({ "text": " ", "blocks": [{}], "metadata": {} });
        let mut body = whole.clone();
        assert!(plainer(&mut body, &refused("metadata_too_large")));
        assert_eq!(body, json!({ "text": " ", "blocks": [{}] }));
        let mut body = whole;
        for left in [json!({ "text": "…", "metadata": {} }), json!({ "text": "…" })] {
            assert!(plainer(&mut body, &refused("invalid_blocks")));
            assert_eq!(body, left);
        }
        assert!(!plainer(&mut body, &refused("invalid_blocks")));
    }

    #[test]
    fn words_that_stand_in_blocks_alone_are_not_lost() {
        let blocks = json!([
            { "type": "section", "text": { "type": "mrkdwn", "text": "One." } },
            { "type": "section", "text": { "type": "mrkdwn", "text": "Two." } },
            { "type": "context", "elements": [{ "type": "mrkdwn", "text": "Three." }] },
            { "type": "actions", "elements": [{ "type": "button", "text": { "text": "Press" } }] },
        ]);
        let mut body = json!({ "text": "One.", "blocks": blocks });
        assert!(plainer(&mut body, &refused("invalid_blocks")));
        assert_eq!(body, json!({ "text": "One.\nTwo.\nThree." }));
    }
}
