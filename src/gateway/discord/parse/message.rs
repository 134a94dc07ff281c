//! Messages that people write.

use serde_json::Value;

use super::{actor, file};
use crate::{
    chat::raw::{list, some_text, text_at},
    gateway::discord::inbound::Message,
};

/// A message; `me` is the bot's own user.
pub(super) fn read(data: &Value, me: &str) -> Message {
    let mut by = actor(data);
    if by.user.is_empty() {
        by.user = text_at(data, "/author/id");
    }
    if by.name.is_empty() {
        by.name = some_text(data, "/author/global_name")
            .unwrap_or_else(|| text_at(data, "/author/username"));
    }
    let mentions = list(data, "/mentions");
    let is_me = |user: &Value| !me.is_empty() && text_at(user, "/id") == me;
    Message {
        by,
        channel: text_at(data, "/channel_id"),
        id: text_at(data, "/id"),
        text: words(&text_at(data, "/content"), mentions, me),
        is_mention: mentions.iter().any(is_me),
        answers: some_text(data, "/message_reference/message_id"),
        files: list(data, "/attachments").iter().map(file).collect(),
    }
}

/// The words as they read: a leading mention of the bot left out, names for mentions of people, `:names:` for pictures.
pub(super) fn words(content: &str, mentions: &[Value], me: &str) -> String {
    let mut out = String::with_capacity(content.len());
    let mut left = content;
    while let Some(start) = left.find('<') {
        out.push_str(&left[..start]);
        let rest = &left[start..];
        let inner = rest.find('>').map(|end| &rest[1..end]);
        let mark = inner.and_then(|inner| Some((inner, read_mark(inner, mentions, me)?)));
        if let Some((inner, shown)) = mark {
            out.push_str(&shown);
            left = &rest[inner.len() + 2..];
        } else {
            out.push('<');
            left = &rest[1..];
        }
    }
    out.push_str(left);
    out.trim().to_owned()
}

/// What stands for something between `<` and `>`, as words; `None` if it is just that. The bot's own name is empty.
fn read_mark(inner: &str, mentions: &[Value], me: &str) -> Option<String> {
    let is_id = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(id) = inner.strip_prefix('@') {
        let id = id.strip_prefix('!').unwrap_or(id);
        if !is_id(id) {
            return None;
        }
        if id == me {
            return Some(String::new());
        }
        let named = mentions.iter().find(|user| text_at(user, "/id") == id);
        let name = named.and_then(|user| {
            some_text(user, "/member/nick")
                .or_else(|| some_text(user, "/global_name"))
                .or_else(|| some_text(user, "/username"))
        });
        return Some(format!("@{}", name.unwrap_or_else(|| "somebody".to_owned())));
    }
    let picture = inner.strip_prefix("a:").or_else(|| inner.strip_prefix(':'))?;
    let (name, id) = picture.split_once(':')?;
    is_id(id).then(|| format!(":{name}:"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn marks_read_as_words() {
        let mentions = [json!({ "id": "7", "username": "grace", "global_name": "Grace" })];
        let read = |text: &str| words(text, &mentions, "1");
        assert_eq!(read("<@1> approve"), "approve");
        assert_eq!(read("ask <@!7> or <@8>, <@1>"), "ask @Grace or @somebody,");
        assert_eq!(read("a < b <:wave:99> <3 <a:x:1>"), "a < b :wave: <3 :x:");
    }
}
