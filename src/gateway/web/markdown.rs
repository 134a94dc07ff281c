//! `CommonMark` to HTML that cannot run anything: raw HTML becomes text, pictures become their description, links
//! lead only to the web or to a mail program.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Renders what the bot says. The text may hold names and answers of people, so nothing in it is trusted.
pub fn render(text: &str) -> Markup {
    render_with(text, false)
}

/// Renders what the bot says for the participant, with every web address in it as a link to that address. Staff have no
/// such links: what a participant writes must not be one for them.
pub(crate) fn render_linked(text: &str) -> Markup {
    render_with(text, true)
}

fn render_with(text: &str, is_linked: bool) -> Markup {
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES;
    let mut open_links = Vec::new();
    let mut is_code = false;
    let events = Parser::new_ext(text, options).flat_map(|event| {
        match &event {
            Event::Start(Tag::CodeBlock(_)) => is_code = true,
            Event::End(TagEnd::CodeBlock) => is_code = false,
            _ => {}
        }
        match event {
            Event::Text(words) if is_linked && open_links.is_empty() && !is_code => linked(&words),
            event => vec![harmless(event, &mut open_links)],
        }
    });
    let mut out = String::with_capacity(text.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut out, events);
    PreEscaped(out)
}

/// Renders one sentence as [`render`] does, without the paragraph around it.
pub fn inline(text: &str) -> Markup {
    let PreEscaped(whole) = render(text);
    let inner = whole.trim().strip_prefix("<p>").and_then(|rest| rest.strip_suffix("</p>"));
    // More than one paragraph keeps them.
    match inner.filter(|inner| !inner.contains("<p>")) {
        Some(inner) => PreEscaped(inner.to_owned()),
        None => PreEscaped(whole),
    }
}

/// Replaces what could act. `open_links` remembers of each open link whether it was kept.
fn harmless<'a>(event: Event<'a>, open_links: &mut Vec<bool>) -> Event<'a> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {
            Event::Text(CowStr::Borrowed(""))
        }
        Event::Start(Tag::Link { dest_url, .. }) => {
            let kept = may_lead_to(&dest_url);
            open_links.push(kept);
            if kept { Event::InlineHtml(opening(&dest_url)) } else { Event::Text("".into()) }
        }
        Event::End(TagEnd::Link) => match open_links.pop() {
            Some(true) => Event::InlineHtml(CowStr::Borrowed("</a>")),
            Some(false) | None => Event::Text(CowStr::Borrowed("")),
        },
        // A heading within a message must not disturb the outline of the page: parts are the second level, cards the third.
        Event::Start(Tag::Heading { id, classes, attrs, .. }) => {
            Event::Start(Tag::Heading { level: HeadingLevel::H3, id, classes, attrs })
        }
        Event::End(TagEnd::Heading(_)) => Event::End(TagEnd::Heading(HeadingLevel::H3)),
        other => other,
    }
}

/// Text in which each web address leads where it says.
fn linked<'a>(text: &str) -> Vec<Event<'a>> {
    let words = |text: &str| Event::Text(CowStr::from(text.to_owned()));
    let mut events = Vec::new();
    let mut rest = text;
    while let Some((before, url, after)) = next_address(rest) {
        events.push(words(before));
        events.extend([Event::InlineHtml(opening(url)), words(url)]);
        events.push(Event::InlineHtml(CowStr::Borrowed("</a>")));
        rest = after;
    }
    events.push(words(rest));
    events
}

/// The next web address of a text, and what stands around it; the punctuation of the sentence is not part of it.
fn next_address(text: &str) -> Option<(&str, &str, &str)> {
    let begin = ["https://", "http://"].iter().filter_map(|scheme| text.find(scheme)).min()?;
    let (before, from) = text.split_at(begin);
    let end = from.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`'));
    let whole = &from[..end.unwrap_or(from.len())];
    let is_mark =
        |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '\'' | '”' | '’');
    let url = whole.trim_end_matches(is_mark);
    let is_address = url.split_once("://").is_some_and(|(_, host)| !host.is_empty());
    is_address.then(|| (before, url, &from[url.len()..]))
}

fn opening(url: &str) -> CowStr<'static> {
    let escaped = html! { (url) }.into_string();
    CowStr::from(format!("<a href=\"{escaped}\" target=\"_blank\" rel=\"noopener noreferrer\">"))
}

/// Whether a link may lead there: a positive list, because schemes that run code are many.
fn may_lead_to(url: &str) -> bool {
    let url = url.trim().to_ascii_lowercase();
    ["https://", "http://", "mailto:"].iter().any(|scheme| url.starts_with(scheme))
}
