//! `CommonMark` to HTML that cannot run anything: raw HTML becomes text, pictures become their description, links
//! lead only to the web or to a mail program.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Renders what the bot says. The text may hold names and answers of people, so nothing in it is trusted.
pub fn render(text: &str) -> Markup {
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES;
    let mut open_links = Vec::new();
    let events = Parser::new_ext(text, options).map(|event| harmless(event, &mut open_links));
    let mut out = String::with_capacity(text.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut out, events);
    PreEscaped(out)
}

/// Renders one sentence: the same without the paragraph around it.
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

fn opening(url: &str) -> CowStr<'static> {
    let escaped = html! { (url) }.into_string();
    CowStr::from(format!("<a href=\"{escaped}\" target=\"_blank\" rel=\"noopener noreferrer\">"))
}

/// Whether a link may lead there: a positive list, because schemes that run code are many.
fn may_lead_to(url: &str) -> bool {
    let url = url.trim().to_ascii_lowercase();
    ["https://", "http://", "mailto:"].iter().any(|scheme| url.starts_with(scheme))
}
