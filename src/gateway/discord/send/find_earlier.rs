//! A message that an earlier attempt may have posted. Discord remembers the name under which a message was sent for some
//! minutes only, and shows it to nobody; after that a message is known by what stands in it.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::sender::{Delivered, Sender};
use crate::{
    chat::message_index::MessageRef,
    gateway::discord::{
        api::{Failure, Near},
        greeting::without_greeting,
        render::body::Body,
    },
};

/// How long Discord surely remembers under which name a message was sent ("a few minutes").
const REMEMBERED: TimeDelta = TimeDelta::minutes(1);

/// How much earlier than its effect a message may seem to be: clocks differ.
const CLOCKS: TimeDelta = TimeDelta::minutes(1);

/// Messages looked through for one that may have been posted.
const LOOK_BACK: u8 = 100;

/// When Discord began to count, in milliseconds since 1970.
const EPOCH_MS: i64 = 1_420_070_400_000;

impl Sender<'_> {
    /// Whether an earlier attempt may have posted something that Discord remembers no more. Where it was queued by a clock
    /// that is far ahead of this one, nobody knows how long ago that was.
    pub(super) fn may_be_there(&self) -> bool {
        self.was_tried && (self.app.clock.now() - self.effect.queued_at).abs() > REMEMBERED
    }

    /// The message of an earlier attempt; `None` if there is none, or nobody may look.
    pub(super) async fn look_for(
        &self,
        channel: &str,
        body: &Body,
        file: Option<&str>,
    ) -> Delivered<Option<MessageRef>> {
        let me = match self.app.me().await {
            Err(Failure::Refused { .. }) => return Ok(None),
            me => me?,
        };
        let after = snowflake(self.effect.queued_at.min(self.app.clock.now()) - CLOCKS);
        let found = self.app.api.messages(channel, Near::After(&after), LOOK_BACK).await;
        let messages = match found {
            // In channels a bot may lack the right to read; then nobody knows.
            Err(Failure::Refused { .. }) => return Ok(None),
            found => found?,
        };
        let body = body.json();
        let is_it = |message: &&Value| {
            let is_same =
                file.map_or_else(|| is_same(message, &body), |name| carries(message, name));
            is_same && message["author"]["id"] == me
        };
        let id = messages.iter().find(is_it).and_then(|message| message["id"].as_str());
        Ok(id.map(|id| MessageRef { channel: channel.to_owned(), message: id.to_owned() }))
    }
}

/// Whether a message carries a file of this name. Its words prove nothing: two pictures may say the same.
fn carries(message: &Value, name: &str) -> bool {
    let mut files = message["attachments"].as_array().into_iter().flatten();
    files.any(|file| file["filename"] == name)
}

/// Whether a message is the one that a body would make: the same words, or controls of the same question.
fn is_same(message: &Value, body: &Value) -> bool {
    let words_of = |message: &Value| {
        let words = message["content"].as_str().unwrap_or_default().trim();
        without_greeting(words).to_owned()
    };
    let words = words_of(body);
    if !words.is_empty() {
        return words_of(message) == words;
    }
    let first = first_id(&body["components"]);
    first.is_some() && first == first_id(&message["components"])
}

/// The first id of a control among components; a link has none, but leads somewhere.
fn first_id(components: &Value) -> Option<&str> {
    components.as_array()?.iter().find_map(|component| {
        let own = component["custom_id"].as_str().or_else(|| component["url"].as_str());
        let accessory = component["accessory"]["custom_id"].as_str();
        own.or(accessory).or_else(|| first_id(&component["components"]))
    })
}

/// The smallest id of a time.
pub(in crate::gateway::discord) fn snowflake(at: DateTime<Utc>) -> String {
    let since = u64::try_from(at.timestamp_millis() - EPOCH_MS).unwrap_or(0);
    (since << 22).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_known_by_its_words_or_by_its_question() {
        let card = |id: &str, text: &str| {
            json!({ "components": [{ "type": 17, "components": [
                { "type": 10, "content": text },
                { "type": 9, "accessory": { "type": 2, "custom_id": id } } ] }] })
        };
        assert!(is_same(&card("v1.a.0.pick.0", "Old"), &card("v1.a.0.pick.0", "New")));
        assert!(!is_same(&card("v1.b.0.pick.0", "Old"), &card("v1.a.0.pick.0", "Old")));
        assert!(!is_same(&json!({ "components": [] }), &json!({ "components": [] })));
        let link = |url: &str| {
            json!({ "components": [{ "type": 1, "components": [
                { "type": 2, "style": 5, "label": "Choose a time", "url": url } ] }] })
        };
        assert!(is_same(&link("https://a.example.org"), &link("https://a.example.org")));
        assert!(!is_same(&link("https://a.example.org"), &link("https://b.example.org")));
        assert!(is_same(&json!({ "content": "Hello" }), &json!({ "content": "Hello " })));
        assert!(!is_same(&json!({ "content": "" }), &json!({ "content": "Hello" })));
        // Whether somebody was greeted with it was known before it was posted, and may be otherwise by now.
        assert!(is_same(&json!({ "content": "Hi <@7>!\nHello" }), &json!({ "content": "Hello" })));
        assert!(is_same(&json!({ "content": "Hi <@7>!" }), &json!({ "content": "Hi <@7>!" })));
        assert!(!is_same(&json!({ "content": "Hi <@7>!\nHello" }), &json!({ "content": "Hi" })));
    }

    #[test]
    fn an_id_tells_its_time() {
        assert_eq!(
            snowflake("2015-01-01T00:00:01Z".parse().unwrap()),
            (1000_u64 << 22).to_string()
        );
        assert_eq!(snowflake("2014-01-01T00:00:00Z".parse().unwrap()), "0");
    }
}
