//! Slack's markup as the words that a person reads.

use serde_json::Value;

use crate::chat::raw::text_at;

/// How deep the parts of a rich text may stand in one another.
const DEPTH_MAX: usize = 12;

/// A message's text as it reads: `<@U01|ada>` is `@ada`, `<https://example.org|here>` is `here (https://example.org)`,
/// `&amp;` is `&`. What only looks like markup stays.
pub fn decode(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (before, from) = rest.split_at(start);
        decoded.push_str(&entities(before));
        let inside = from.get(1..).unwrap_or_default();
        // A person's own `<` comes as `&lt;`, so a second one before the end is no markup either.
        let end = inside.find(['<', '>']);
        match end {
            Some(end) if inside[end..].starts_with('>') => {
                decoded.push_str(&token(&inside[..end]));
                rest = &inside[end + 1..];
            }
            _ => {
                decoded.push('<');
                rest = inside;
            }
        }
    }
    decoded.push_str(&entities(rest));
    decoded
}

/// The text without a mention of `user` at its beginning, and whether it is mentioned anywhere.
pub(super) fn without_mention(text: &str, user: &str) -> (String, bool) {
    if user.is_empty() {
        return (text.to_owned(), false);
    }
    let plain = format!("<@{user}>");
    let labelled = format!("<@{user}|");
    let is_mention = text.contains(&plain) || text.contains(&labelled);
    let mut rest = text.trim_start();
    if let Some(after) = rest.strip_prefix(&plain) {
        rest = after;
    } else if rest.starts_with(&labelled) {
        rest = rest.split_once('>').map_or(rest, |(_, after)| after);
    } else {
        return (text.to_owned(), is_mention);
    }
    (rest.trim_start_matches([' ', ',', ':', '\u{a0}']).to_owned(), is_mention)
}

fn entities(text: &str) -> String {
    // `&` last: `&amp;lt;` is what a person typed as `&lt;`.
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// What stands between `<` and `>`.
fn token(inside: &str) -> String {
    let (target, label) = match inside.split_once('|') {
        Some((target, label)) => (target, entities(label)),
        None => (inside, String::new()),
    };
    let or = |fallback: String| if label.is_empty() { fallback } else { label.clone() };
    let sign = |sign: char, words: String| {
        if words.starts_with(sign) { words } else { format!("{sign}{words}") }
    };
    if let Some(user) = target.strip_prefix('@') {
        return sign('@', or(user.to_owned()));
    }
    if let Some(channel) = target.strip_prefix('#') {
        return sign('#', or(channel.to_owned()));
    }
    if let Some(special) = target.strip_prefix('!') {
        let (what, argument) = special.split_once('^').unwrap_or((special, ""));
        return match what {
            "subteam" => sign('@', or(argument.to_owned())),
            "date" => or(argument.split('^').next().unwrap_or_default().to_owned()),
            _ => sign('@', or(what.to_owned())),
        };
    }
    let address = entities(target);
    let bare = address.strip_prefix("mailto:").or_else(|| address.strip_prefix("tel:"));
    if let Some(bare) = bare {
        return if label.is_empty() || label == bare {
            bare.to_owned()
        } else {
            format!("{label} ({bare})")
        };
    }
    if label.is_empty() || is_the_same(&address, &label) {
        return address;
    }
    format!("{label} ({address})")
}

/// A link that Slack made of what a person typed: `<http://example.org|example.org>`.
fn is_the_same(address: &str, label: &str) -> bool {
    let bare = |text: &str| {
        let text =
            text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or(text);
        text.trim_end_matches('/').to_owned()
    };
    bare(address) == bare(label)
}

/// The words of rich text, of blocks or of the value of an input: what stands in it, part by part.
pub(super) fn of_blocks(value: &Value) -> String {
    let mut words = String::new();
    walk(value, &mut words, 0);
    words.trim().to_owned()
}

fn walk(value: &Value, words: &mut String, depth: usize) {
    if depth > DEPTH_MAX {
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, words, depth + 1)),
        Value::Object(part) => {
            let kind = text_at(value, "/type");
            match kind.as_str() {
                "text" | "plain_text" => words.push_str(&text_at(value, "/text")),
                "mrkdwn" | "markdown" => words.push_str(&decode(&text_at(value, "/text"))),
                "link" => {
                    let (url, label) = (text_at(value, "/url"), text_at(value, "/text"));
                    let link = if label.is_empty() || is_the_same(&url, &label) {
                        url
                    } else {
                        format!("{label} ({url})")
                    };
                    words.push_str(&link);
                }
                "user" => words.push_str(&named('@', value, "/user_id")),
                "usergroup" => words.push_str(&named('@', value, "/usergroup_id")),
                "channel" => words.push_str(&named('#', value, "/channel_id")),
                "broadcast" => words.push_str(&named('@', value, "/range")),
                "emoji" => {
                    words.push_str(&named(':', value, "/name"));
                    words.push(':');
                }
                "date" => words.push_str(&text_at(value, "/fallback")),
                _ => {
                    for name in ["text", "elements", "fields", "blocks"] {
                        if let Some(below) = part.get(name) {
                            walk(below, words, depth + 1);
                        }
                    }
                    if !words.is_empty() && !words.ends_with('\n') {
                        words.push('\n');
                    }
                }
            }
        }
        _ => {}
    }
}

fn named(sign: char, part: &Value, pointer: &str) -> String {
    format!("{sign}{}", text_at(part, pointer))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn markup_reads_as_words() {
        for (raw, read) in [
            ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
            ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
            ("<@U01|ada> and <@U02>", "@ada and @U02"),
            ("<#C01|general> <#C02>", "#general #C02"),
            (
                "<!here> <!subteam^S01|@grads> <!subteam^S02> <!channel|channel>",
                "@here @grads @S02 @channel",
            ),
            ("<!date^1392734382^{date} at {time}|February 18th, 2014>", "February 18th, 2014"),
            ("<!date^1392734382^{date}>", "1392734382"),
            ("<https://example.org/?a=1&amp;b=2>", "https://example.org/?a=1&b=2"),
            ("<https://example.org|the &lt;page&gt;>", "the <page> (https://example.org)"),
            ("<http://example.org|example.org>", "http://example.org"),
            (
                "<mailto:ada@example.org|ada@example.org> <tel:+44|call me>",
                "ada@example.org call me (+44)",
            ),
            ("3 < 4 and <", "3 < 4 and <"),
            ("<<@U01|ada>", "<@ada"),
            ("<>", ""),
            ("💥<@U01|é>💥", "💥@é💥"),
        ] {
            assert_eq!(decode(raw), read, "{raw}");
        }
    }

    #[test]
    fn a_leading_mention_of_the_bot_is_left_out() {
        let of = |text| without_mention(text, "UB");
        assert_eq!(of("<@UB> hello"), ("hello".to_owned(), true));
        assert_eq!(of(" <@UB|bot>: hello"), ("hello".to_owned(), true));
        assert_eq!(of("hello <@UB>"), ("hello <@UB>".to_owned(), true));
        assert_eq!(of("<@UBX> hello"), ("<@UBX> hello".to_owned(), false));
        assert_eq!(without_mention("<@> hello", ""), ("<@> hello".to_owned(), false));
    }

    #[test]
    fn rich_text_reads_as_its_words() {
        let blocks = json!([{"type": "rich_text", "elements": [
            {"type": "rich_text_section", "elements": [
                {"type": "text", "text": "See "},
                {"type": "link", "url": "https://example.org", "text": "this"},
                {"type": "text", "text": ", "},
                {"type": "user", "user_id": "U01"},
            ]},
            {"type": "rich_text_list", "style": "bullet", "elements": [
                {"type": "rich_text_section", "elements": [{"type": "text", "text": "one"}]},
                {"type": "rich_text_section", "elements": [{"type": "emoji", "name": "wave"}]},
            ]},
        ]}]);
        assert_eq!(of_blocks(&blocks), "See this (https://example.org), @U01\none\n:wave:");
    }
}
