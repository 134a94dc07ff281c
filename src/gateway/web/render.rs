//! Messages to HTML. Pure: the same messages and the same viewer give the same text. Nothing that a person or a
//! model wrote is ever markup: maud escapes it, and Markdown goes through [`markdown`].

use chrono::{DateTime, Utc};
use maud::{Markup, html};

use super::{
    closed::Settled,
    controls,
    download::Sent,
    icons, limits, markdown, markup,
    message::{Body, Message, Voice},
    piece::{Cx, Fragment, fragment, name_of_part, revision_of, time},
    timeline::progress,
};
use crate::{
    chat::{
        card::{self, addressee},
        form,
    },
    flow::LoadedFlow,
    messages,
    model::{
        artifact::Artifact, effect::Handout, session::Status, transcript::Audience, ui::Offered,
        wait::Wait,
    },
    session::State,
};

/// One message as an element of the log.
pub fn message(message: &Message, state: &State, cx: &Cx) -> Fragment {
    let revision = revision_of(&body(message, state, &cx.neutral()));
    let class = class_of(&message.body);
    let html = html! {
        div class={ "row " (class) } id=(message.id) data-rev=(revision) { (body(message, state, cx)) }
    };
    let spoken = spoken(&message.body);
    Fragment { id: message.id.clone(), revision, html: html.into_string(), spoken }
}

fn class_of(body: &Body) -> &'static str {
    match body {
        Body::Bubble { voice: Voice::Participant, .. } | Body::File(_) => "mine",
        Body::Bubble { .. } | Body::Card { .. } | Body::Export | Body::Handed { .. } => "theirs",
        Body::Line { technical: true, .. } => "middle engine",
        Body::Part(_) | Body::Summary { .. } | Body::Rehearsed { .. } | Body::Line { .. } => {
            "middle"
        }
    }
}

fn spoken(body: &Body) -> String {
    match body {
        Body::Bubble { voice: Voice::Participant, .. }
        | Body::File(_)
        | Body::Line { .. }
        | Body::Summary { .. } => String::new(),
        Body::Bubble { text, .. } | Body::Handed { text, .. } => form::plain(text),
        Body::Rehearsed { would, .. } => form::plain(would),
        Body::Card { wait, .. } if wait.status.is_pending() => {
            let title = wait.prompt.heading().map(|title| format!("{title} "));
            let title = title.unwrap_or_default();
            messages::page::question(&title, &form::plain(&wait.prompt.body.common_mark()))
        }
        Body::Card { .. } => String::new(),
        Body::Export => messages::page::COPY_READY.to_owned(),
        Body::Part(text) => text.clone(),
    }
}

fn body(message: &Message, state: &State, cx: &Cx) -> Markup {
    match &message.body {
        Body::Bubble { voice, text, offers } => html! {
            (bubble(voice, text, message.at, state, cx.viewer))
            @if !offers.is_empty() { (offered(offers, &message.id, cx)) }
        },
        Body::Card { wait, again } => card(wait, *again, state, cx),
        Body::File(file) => html! {
            article.bubble.file aria-label=(messages::forms::FILE) {
                (icons::sheet())
                span { strong { bdi { (file.filename) } } br; span.small { (messages::bytes(file.size_bytes)) " · " (time(message.at)) } }
            }
        },
        Body::Export => html! {
            article.bubble {
                p { (messages::page::ARCHIVE) }
                p { a.button href=(cx.url("export")) download { (messages::page::DOWNLOAD_COPY) } }
            }
        },
        Body::Handed { what, text } => html! {
            article.bubble {
                div.md { (markdown::render(text)) }
                @match what {
                    Handout::File { file } => (handed(file, text, cx, message.at)),
                    Handout::Link { label, url } => {
                        p { a.button href=(url) target="_blank" rel="noopener noreferrer" { (label) } }
                    }
                }
            }
        },
        Body::Part(text) => html! { h2.part { (text) } },
        Body::Summary { text, summary } => html! {
            div.line { details.summary { summary { (text) " " (time(message.at)) } div.md { (markdown::render(summary)) } } }
        },
        Body::Rehearsed { would, text, note } => html! {
            article.card.rehearsed aria-label=(messages::page::REHEARSAL) {
                p.small { span.tag.calm { (messages::page::REHEARSAL) } " " (time(message.at)) }
                div.md { (markdown::render(would)) }
                @if let Some(text) = text { blockquote.md dir="auto" { (markdown::render(text)) } }
                p.small { (note.to_string()) }
            }
        },
        Body::Line { text, detail, .. } => html! {
            @let text = markup::shown(text, Some(state));
            div.line {
                @match detail {
                    Some(detail) => details { summary { (text) " " (time(message.at)) } pre { (detail) } },
                    None => { p { (text) " " (time(message.at)) } },
                }
            }
        },
    }
}

/// A file that the bot made: a picture as one, with the words beside it for those who do not see it, and anything else
/// to be fetched.
fn handed(file: &Artifact, text: &str, cx: &Cx, at: DateTime<Utc>) -> Markup {
    let url = cx.url(&format!("made/{}", file.id));
    html! {
        @if Sent::of(file) == Sent::Picture {
            p { a href=(url) target="_blank" aria-label=(messages::buttons::open(&file.filename)) { img.made src=(url) alt=(form::plain(text)) loading="lazy"; } }
        } @else {
            p { a.button href=(url) download=(file.filename) { (messages::buttons::DOWNLOAD) } }
        }
        p { strong { (file.filename) } " " span.small { (messages::bytes(file.size_bytes)) " · " (time(at)) } }
    }
}

/// Commands that the bot offers under its words.
fn offered(offers: &[Offered], message: &str, cx: &Cx) -> Markup {
    html! {
        div.actions {
            // The foot of the page continues already.
            @for offered in offers.iter().filter(|offered| **offered != Offered::Resume) {
                form method="post" action=(cx.url("command")) data-form="offer" {
                    (cx.hidden(&format!("{}.{message}", offered.name())))
                    button.quiet name="command" value=(offered.name()) { (messages::buttons::offered(*offered)) }
                }
            }
        }
    }
}

fn bubble(voice: &Voice, text: &str, at: DateTime<Utc>, state: &State, viewer: Audience) -> Markup {
    let (name, class) = match voice {
        Voice::Bot => (messages::page::ASSISTANT, "bot"),
        Voice::BotToStaff => (messages::page::ASSISTANT_TO_TEAM, "bot aside"),
        Voice::Participant if viewer == Audience::Participant => (messages::forms::YOU, "you"),
        Voice::Participant => (state.known_as().unwrap_or(messages::staff::PARTICIPANT), "you"),
        Voice::Staff(name) => (name.as_str(), "person"),
        Voice::Bystander(name) => (name.as_str(), "aside"),
    };
    let is_markdown = matches!(voice, Voice::Bot | Voice::BotToStaff);
    html! {
        article class={ "bubble " (class) } {
            p.who { bdi { (name) } @if class == "person" { (messages::page::FROM_THE_TEAM) } " " (time(at)) }
            @if is_markdown { div.md dir="auto" { (said(text, viewer)) } } @else { p.said dir="auto" { (text) } }
        }
    }
}

/// What the participant has just written, where the transcript does not hold it: a command.
pub(super) fn said_by_you(text: &str) -> Markup {
    html! {
        div.row.mine { article.bubble.you { p.who { (messages::forms::YOU) } p.said dir="auto" { (text) } } }
    }
}

/// A question with its control; once it is settled, a line that says what became of it and unfolds the whole.
pub(super) fn card(wait: &Wait, again: bool, state: &State, cx: &Cx) -> Markup {
    if wait.status.is_pending() && !again {
        return open_card(wait, state, cx);
    }
    let settled = Settled::of(wait, state, cx);
    let title = name_of_part("t", wait);
    let heading = heading(wait);
    // A short question without a title is its own heading, and need not be read twice. A longer one may not be whole
    // on the line.
    let is_told = heading == form::one_line(&form::plain(&wait.prompt.body.common_mark()))
        && heading.chars().count() <= limits::LINE_MAX;
    let head = html! {
        h3 id=(title) dir="auto" { (heading) }
        @if again { span.outcome { (messages::forms::ASKED_AGAIN) } } @else { (settled.line()) }
    };
    let rest = html! {
        @if cx.viewer == Audience::Staff { (asked(wait)) }
        @if !is_told { (body_of(wait, cx.viewer)) }
        @if !again { (settled.whole()) }
    };
    html! {
        article.card.closed aria-labelledby=(title) data-wait=(wait.id.short()) {
            @if rest.0.is_empty() {
                div.past { div.head { (head) } }
            } @else {
                details.past { summary { (head) } (rest) }
            }
            @if !again { (settled.actions()) }
        }
    }
}

fn open_card(wait: &Wait, state: &State, cx: &Cx) -> Markup {
    let title = name_of_part("t", wait);
    let question = card::Open::of(wait, cx.viewer, &form::Draft::default());
    let is_theirs = question.is_some();
    html! {
        article.card.open[is_theirs].waits[!is_theirs] aria-labelledby=(title) aria-describedby=(name_of_part("b", wait)) data-wait=(wait.id.short()) {
            header {
                h3 id=(title) class=[wait.prompt.title.is_none().then_some("sr")] {
                    (wait.prompt.heading().as_deref().unwrap_or(messages::forms::QUESTION))
                }
                @if cx.viewer == Audience::Staff { (asked(wait)) }
            }
            (body_of(wait, cx.viewer))
            @if let Some(question) = &question {
                (controls::render(wait, question, state, cx))
            } @else {
                p.outcome.waiting { (icons::clock()) (messages::forms::waiting_for(&addressee(wait))) }
            }
            @if let Some(votes) = card::votes(wait, usize::MAX) { p.small { (markup::shown(&votes, Some(state))) } }
            @for note in card::notes(wait) { p.small { (note) } }
        }
    }
}

fn asked(wait: &Wait) -> Markup {
    html! { p.small { (messages::capitalised(&addressee(wait))) (messages::page::ASKED) (time(wait.asked_at)) } }
}

/// What the bot says, as this viewer reads it.
fn said(text: &str, viewer: Audience) -> Markup {
    match viewer {
        Audience::Participant => markdown::render_linked(text),
        Audience::Staff => markdown::render(text),
    }
}

fn body_of(wait: &Wait, viewer: Audience) -> Markup {
    html! {
        @if !wait.prompt.body.is_empty() {
            div.md id=(name_of_part("b", wait)) dir="auto" { (said(&wait.prompt.body.common_mark(), viewer)) }
        }
    }
}

/// What a card is called once it is a line: its title, or how its question begins.
fn heading(wait: &Wait) -> String {
    if let Some(title) = wait.prompt.heading() {
        return title;
    }
    let body = form::one_line(&form::plain(&wait.prompt.body.common_mark()));
    if body.is_empty() {
        messages::forms::QUESTION.to_owned()
    } else {
        form::clip(&body, limits::HEADING_MAX)
    }
}

/// The head of a conversation: how far it is.
pub fn status(state: &State, flow: &LoadedFlow, viewer: Audience) -> Fragment {
    let whose = if viewer == Audience::Staff {
        messages::page::THEIR_PROGRESS
    } else {
        messages::page::YOUR_PROGRESS
    };
    let inner = html! {
        @match progress(state, flow) {
            Some((line, share)) => {
                p.progress-line { (line) }
                @let share = (share * 100.0).round();
                progress max="100" value=(share) aria-label=(whose) aria-valuetext={ (share) " %, " (line) } {}
            },
            None => p.progress-line { (standing_line(state)) },
        }
    };
    fragment("status", "status", &inner, &inner)
}

fn standing_line(state: &State) -> &'static str {
    match state.status {
        Status::Notice | Status::Open => messages::staff::NOT_STARTED,
        Status::Stopped => messages::page::STOPPED,
        Status::Paused => messages::page::PAUSED,
        Status::Declined => messages::page::NOT_NOW,
        Status::Completed => messages::buttons::DONE,
        Status::Ended => messages::page::ENDED,
    }
}

/// The foot of a conversation: what is going on, where that is not plain from the cards.
pub fn tail(state: &State, cx: &Cx) -> Fragment {
    let words = match (state.status, &state.handoff) {
        (Status::Stopped | Status::Paused | Status::Declined, _) => {
            Some(messages::page::CONVERSATION_PAUSED.to_owned())
        }
        (Status::Notice | Status::Open | Status::Completed, Some(handoff)) => {
            Some(match &handoff.claimed_by {
                Some(_) => messages::page::TEAM_IS_HERE.to_owned(),
                None => messages::page::TEAM_ASKED.to_owned(),
            })
        }
        (Status::Notice | Status::Open | Status::Completed, None) | (Status::Ended, _) => None,
    };
    let may_resume = cx.viewer == Audience::Participant
        && (matches!(state.status, Status::Stopped | Status::Paused | Status::Declined)
            || state.handoff.as_ref().is_some_and(|handoff| handoff.claimed_by.is_none()));
    let inner = |cx: &Cx| {
        html! {
            @if let Some(words) = &words { p.strip role="status" { (words) } }
            @if may_resume {
                form method="post" action=(cx.url("command")) {
                    (cx.hidden(&format!("resume{}", state.seq)))
                    button.primary name="command" value="resume" { (messages::buttons::CONTINUE) }
                }
            }
        }
    };
    fragment("tail", "tail", &inner(cx), &inner(&cx.neutral()))
}
