//! Discord's Markdown as a browser shows it: as much of it as the bot writes.

use maud::{Markup, html};

/// What stands for people, roles and channels.
pub(super) trait Names {
    fn user(&self, id: u64) -> Option<String>;
    fn role(&self, id: u64) -> Option<String>;
    fn channel(&self, id: u64) -> Option<String>;
}

/// A text with its lines.
pub(super) fn draw(text: &str, names: &dyn Names) -> Markup {
    let lines: Vec<(Mark, &str)> = text.lines().map(marked).collect();
    let follows_words = |n: usize| n > 0 && matches!(lines[n - 1].0, Mark::Words);
    html! {
        @for (n, (mark, rest)) in lines.iter().enumerate() {
            @match mark {
                Mark::Heading(1) => h3 { (inline(rest, names)) },
                Mark::Heading(2) => h4 { (inline(rest, names)) },
                Mark::Heading(_) => h5 { (inline(rest, names)) },
                Mark::Small => span.small { (inline(rest, names)) },
                Mark::Quote => q { (inline(rest, names)) },
                Mark::Bullet => ul { li { (inline(rest, names)) } },
                Mark::Words => {
                    @if follows_words(n) { br; }
                    (inline(rest, names))
                },
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Mark {
    Heading(u8),
    Small,
    Quote,
    Bullet,
    Words,
}

fn marked(line: &str) -> (Mark, &str) {
    let marks = [
        ("### ", Mark::Heading(3)),
        ("## ", Mark::Heading(2)),
        ("# ", Mark::Heading(1)),
        ("-# ", Mark::Small),
        ("> ", Mark::Quote),
        ("- ", Mark::Bullet),
    ];
    let found = marks.iter().find_map(|(begin, mark)| Some((*mark, line.strip_prefix(begin)?)));
    found.unwrap_or((Mark::Words, line))
}

/// Styles, mentions and times within a line.
fn inline(line: &str, names: &dyn Names) -> Markup {
    let mut plain = String::new();
    let mut left = line;
    while let Some(c) = left.chars().next() {
        if let Some(escaped) = left.strip_prefix('\\').and_then(|rest| rest.chars().next()) {
            plain.push(escaped);
            left = &left[1 + escaped.len_utf8()..];
            continue;
        }
        if let Some(address) = address(left) {
            return html! { (plain) span.link { (address) } (inline(&left[address.len()..], names)) };
        }
        if let Some((drawn, after)) = styled(left, names).or_else(|| named(left, names)) {
            return html! { (plain) (drawn) (inline(after, names)) };
        }
        plain.push(c);
        left = &left[c.len_utf8()..];
    }
    html! { (plain) }
}

/// An address that the text begins with: Discord makes a link of it that shows where it leads.
fn address(text: &str) -> Option<&str> {
    let ends = |c: char| c.is_whitespace() || "<>|*`\\[]()\"".contains(c);
    text.starts_with("https://").then(|| &text[..text.find(ends).unwrap_or(text.len())])
}

/// A style that the text begins with, and what follows it.
fn styled<'a>(text: &'a str, names: &dyn Names) -> Option<(Markup, &'a str)> {
    for mark in ["**", "__", "~~", "*", "`"] {
        let Some((inside, after)) = text.strip_prefix(mark).and_then(|rest| closed(rest, mark))
        else {
            continue;
        };
        let drawn = match mark {
            "**" => html! { b { (inline(inside, names)) } },
            "__" => html! { u { (inline(inside, names)) } },
            "~~" => html! { s { (inline(inside, names)) } },
            "*" => html! { i { (inline(inside, names)) } },
            _ => html! { code { (inside) } },
        };
        return Some((drawn, after));
    }
    None
}

/// What stands before a mark that is not escaped, and what after it.
fn closed<'a>(text: &'a str, mark: &str) -> Option<(&'a str, &'a str)> {
    let is_escaped = |at: usize| text[..at].ends_with('\\');
    let at = text.match_indices(mark).map(|(at, _)| at).find(|at| *at > 0 && !is_escaped(*at))?;
    Some((&text[..at], &text[at + mark.len()..]))
}

/// A mention or a time that the text begins with, and what follows it.
fn named<'a>(text: &'a str, names: &dyn Names) -> Option<(Markup, &'a str)> {
    let (inside, after) = text.strip_prefix('<')?.split_once('>')?;
    let id = |text: &str| text.parse::<u64>().ok();
    let mention = |sign: &str, name: Option<String>| {
        html! { span.mention { (sign) (name.unwrap_or_else(|| "unknown".to_owned())) } }
    };
    let drawn = if let Some(role) = inside.strip_prefix("@&") {
        mention("@", names.role(id(role)?))
    } else if let Some(user) = inside.strip_prefix('@') {
        mention("@", names.user(id(user)?))
    } else if let Some(channel) = inside.strip_prefix('#') {
        mention("# ", names.channel(id(channel)?))
    } else {
        let seconds = inside.strip_prefix("t:")?.split(':').next()?.parse().ok()?;
        let at = chrono::DateTime::from_timestamp(seconds, 0)?;
        html! { time { (at.format("%-d %B %Y %H:%M")) } }
    };
    Some((drawn, after))
}
