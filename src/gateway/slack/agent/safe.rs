//! A model's words as a stream shows them, while they come. Pure.
//!
//! A stream has no switch against previews of links, and a link that hides where it leads is no better while it is
//! being written: addresses are shown as code, which leads nowhere. What could become a mention is escaped. Of words
//! that still come, only as much is shown as cannot change its meaning any more, so that what was shown stays.

use crate::model::text::typed;

/// The words so far, or all of them where nothing more comes.
pub(super) fn safe(text: &str, is_all: bool) -> String {
    let text = typed(text);
    let text = text.trim_start();
    if is_all {
        return shown(text.trim_end());
    }
    shown(&text[..settled(text)])
}

/// Up to where the meaning of the words is settled, in bytes: whole words, and no bracket that may become a link.
fn settled(text: &str) -> usize {
    let end = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let line = text[..end].rfind('\n').map_or(0, |at| at + 1);
    let (mut open, mut from) = (end, line);
    while let Some(found) = text[from..end].find('[') {
        let at = from + found;
        from = match link(&text[at..]) {
            Some((_, _, length)) if at + length <= end => at + length,
            None if !may_become_link(&text[at..]) => at + 1,
            Some(_) | None => {
                open = at;
                break;
            }
        };
    }
    // A character before the bracket makes it a picture.
    if text[..open].ends_with('!') { open - 1 } else { open }
}

/// Whether a text that begins with `[` is a link whose end is not there yet.
fn may_become_link(text: &str) -> bool {
    let Some(close) = text.find(']') else { return !text.contains('\n') };
    let after = &text[close + 1..];
    after.is_empty() || (after.starts_with('(') && !after.contains([')', '\n']))
}

/// The words and the address of a link that the text begins with, and how long it is.
fn link(text: &str) -> Option<(&str, &str, usize)> {
    let close = text.find(']')?;
    let words = text.get(1..close)?;
    let after = text[close + 1..].strip_prefix('(')?;
    let end = after.find(')')?;
    let address = &after[..end];
    let is_one_line = !words.contains('\n') && !address.contains('\n');
    is_one_line.then_some((words, address, close + 2 + end + 1))
}

fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut is_fenced = false;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            escape(line, &mut out);
        } else if is_fenced {
            escape(line, &mut out);
        } else {
            words(line, &mut out);
        }
    }
    out
}

/// One line that is no code.
fn words(line: &str, out: &mut String) {
    let mut rest = line;
    let mut is_code = false;
    while let Some(first) = rest.chars().next() {
        if is_code || first == '`' {
            is_code = is_code != (first == '`');
            escape(&rest[..first.len_utf8()], out);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let unpictured =
            rest.strip_prefix('!').filter(|after| after.starts_with('[')).unwrap_or(rest);
        if let Some((label, address, length)) =
            Some(unpictured).filter(|t| t.starts_with('[')).and_then(link)
        {
            escape(label, out);
            out.push_str(" (");
            code(address, out);
            out.push(')');
            rest = &unpictured[length..];
        } else if rest.starts_with("https://") || rest.starts_with("http://") {
            let end = rest.find(|c: char| c.is_whitespace() || "<>()[]\"`".contains(c));
            let address =
                rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', ',', ';', ':', '!', '?']);
            code(address, out);
            rest = &rest[address.len()..];
        } else {
            escape(&rest[..first.len_utf8()], out);
            rest = &rest[first.len_utf8()..];
        }
    }
}

fn code(address: &str, out: &mut String) {
    out.push('`');
    escape(&address.replace('`', ""), out);
    out.push('`');
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::safe;

    #[test]
    fn no_link_and_no_mention_comes_of_a_models_words() {
        let text = "Hi <!channel> & <@U1>! See [our page](https://evil.example/x) or https://example.org/a. \
                    ![pic](http://e.example/p.png) `<b>` [ ] done\n```\nlet a = b[0](c);\n```";
        insta::assert_snapshot!(safe(text, true), @"
        Hi &lt;!channel&gt; &amp; &lt;@U1&gt;! See our page (`https://evil.example/x`) or `https://example.org/a`. pic (`http://e.example/p.png`) `&lt;b&gt;` [ ] done
        ```
        let a = b[0](c);
        ```
        ");
    }

    #[test]
    fn half_a_link_is_not_shown_yet() {
        assert_eq!(safe("Read [this pa", false), "Read ");
        assert_eq!(safe("Read [this page](https://exa", false), "Read ");
        assert_eq!(
            safe("Read [this page](https://example.org) now", false),
            "Read this page (`https://example.org`) "
        );
        assert_eq!(safe("Look at ![a pic", false), "Look at ");
        assert_eq!(safe("A list [1] of", false), "A list [1] ");
    }

    proptest! {
        #[test]
        fn what_was_shown_stays(text in r"[a-c \n\[\]\(\)!`<:/.]{0,60}(https://a\.b)?[a-c \n\[\]\(\)!`]{0,30}") {
            let whole = safe(&text, true);
            let mut before = String::new();
            for (end, _) in text.char_indices() {
                let now = safe(&text[..end], false);
                prop_assert!(now.starts_with(&before), "{before:?} became {now:?}");
                before = now;
            }
            prop_assert!(whole.starts_with(before.trim_end()), "{before:?} became {whole:?}");
            prop_assert!(!whole.contains('<'));
        }
    }
}
