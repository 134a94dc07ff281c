//! The staff's pages. Pure: what they show is given.

use std::{collections::BTreeMap, sync::Arc};

use chrono::{DateTime, Utc};
use maud::{Markup, PreEscaped, html};
use serde_json::Value;

use super::{
    controls,
    guard::Browser,
    limits,
    page::{self, Frame, View},
    render::{self, Cx, Fragment},
};
use crate::{
    catalog::interview::submit_for_validation::card,
    engine::Outage,
    flows::LoadedFlow,
    form::{Words, in_words, words, words_of},
    interview::{State, state::Record},
    model::{
        custody::Kind,
        session::{Head, Status},
        transcript::Audience,
        wait::Wait,
    },
};

/// What the overview shows.
#[derive(Debug)]
pub(super) struct Overview {
    pub(super) heads: Vec<Head>,
    pub(super) approvals: Vec<Fragment>,
    pub(super) flows: BTreeMap<String, Arc<LoadedFlow>>,
    pub(super) name: String,
    pub(super) now: DateTime<Utc>,
    pub(super) outages: Vec<Outage>,
    /// Stored records and files that cannot be read.
    pub(super) damaged: usize,
}

/// The page of a session for whoever looks.
pub(super) fn either(view: &View, cx: &Cx, notice: Option<&Words>) -> Markup {
    match cx.viewer {
        Audience::Participant => page::conversation(view, cx, notice),
        Audience::Staff => conversation(view, cx, notice),
    }
}

/// A staff member must have a name before they may do anything: decisions are stamped with it.
pub(super) fn ask_name(browser: &Browser) -> Markup {
    let frame = Frame { title: "Staff", live: None, class: "plain", notice: None };
    frame.around(&html! {
        main #main {
            h1 { "Staff page" }
            p { "Decisions and messages carry your name." }
            form method="post" action="/staff/name" data-plain {
                input type="hidden" name="csrf" value=(browser.csrf());
                div.inline {
                    div { label for="name" { "Your name" }
                        input #name type="text" name="name" required maxlength=(limits::NAME_MAX) autocomplete="name"; }
                    button.primary { "Go on" }
                }
            }
        }
    })
}

/// A request that waits for a decision.
pub(super) fn approval(wait: &Wait, view: &View, cx: &Cx) -> Fragment {
    let name = view.state.name.as_deref().unwrap_or("A participant");
    let inner = |cx: &Cx| {
        html! {
            p.small { (name) " · " (view.flow.flow.title) " · " a href={ "/staff/s/" (view.state.session) } { "Open transcript" } }
            (render::card(wait, false, &view.state, cx))
        }
    };
    let id = format!("a-{}-{}", wait.id.short(), wait.revision);
    let mut piece = render::fragment(&id, "row approval", &inner(cx), &inner(&cx.neutral()));
    piece.spoken =
        format!("Waiting for a decision: {}", wait.prompt.title.as_deref().unwrap_or_default());
    piece
}

/// The list of conversations as a piece of the page.
pub(super) fn sessions(overview: &Overview) -> Fragment {
    let inner = html! {
        @if overview.heads.is_empty() { p.empty { "No conversations yet." } }
        @else {
            table {
                thead { tr { th scope="col" { "Person" } th scope="col" { "Interview" } th scope="col" { "Status" }
                    th scope="col" { "Part" } th scope="col" { "Progress" } th scope="col" { "Silent since" } } }
                tbody { @for head in &overview.heads { (row(head, overview)) } }
            }
        }
    };
    render::fragment("sessions", "sessions-table", &inner, &inner)
}

fn row(head: &Head, overview: &Overview) -> Markup {
    let flow = overview.flows.get(&head.flow.id);
    let title = flow.map_or(head.flow.id.as_str(), |flow| flow.flow.title.as_str());
    let phase = head.phase.as_deref().map_or_else(
        || "–".to_owned(),
        |id| flow.and_then(|flow| flow.phase(id)).map_or_else(|| words_of(id), |p| p.title.clone()),
    );
    let is_silent = overview.now - head.updated_at > chrono::TimeDelta::hours(24)
        && matches!(head.status, Status::Notice | Status::Open);
    html! {
        tr {
            th scope="row" { a href={ "/staff/s/" (head.id) } { (head.name.as_deref().unwrap_or("No name given")) } }
            td data-label="Interview" { (title) }
            td data-label="Status" {
                (words::of_status(head.status))
                @if head.handed_over { " " span.tag { "wants a person" } }
                @if head.approvals > 0 { " " span.tag { (head.approvals) " to decide" } }
                @if head.undelivered > 0 { " " span.tag { (head.undelivered) " not delivered" } }
            }
            td data-label="Part" { (phase) }
            td data-label="Progress" { ((head.progress * 100.0).round()) " %" }
            td data-label="Silent since" { (render::time(head.updated_at)) @if is_silent { " " span.tag { "over a day" } } }
        }
    }
}

/// Approvals and conversations at a glance.
pub(super) fn overview(overview: &Overview, notice: Option<&Words>) -> Markup {
    let live = Some("/staff/live".to_owned());
    let frame = Frame { title: "Staff", live, class: "staff", notice };
    frame.around(&html! {
        header.top { div.inner { h1 { "Staff page" } p.small { "You are " strong { (overview.name) } " · " a href="/" { "Start page" } } } }
        main #main {
            section aria-labelledby="to-decide" {
                h2 #to-decide { "Waiting for a decision" }
                div #approvals { @for piece in &overview.approvals { (PreEscaped(&piece.html)) } }
                p.empty.when-none { "Nothing waits." }
            }
            (damage(overview.damaged))
            (outages(&overview.outages))
            section aria-labelledby="all" {
                h2 #all { "Conversations" }
                (PreEscaped(sessions(overview).html))
            }
        }
    })
}

/// That something stored cannot be read, and so may be missing below. Which, only an operator can look up.
fn damage(count: usize) -> Markup {
    html! {
        @if count > 0 {
            section aria-labelledby="damage" {
                h2 #damage { "Something that was stored can't be read" }
                p {
                    (count) @if count == 1 { " record or file is" } @else { " records or files are" }
                    " damaged, so a conversation may be missing from the list below. "
                    "Ask whoever runs the bot to look: " code { "anteroom scrub" } " names what is damaged."
                }
            }
        }
    }
}

/// What keeps messages from arriving until somebody mends it, and how.
fn outages(outages: &[Outage]) -> Markup {
    html! {
        @if !outages.is_empty() {
            section aria-labelledby="outages" {
                h2 #outages { "Messages that can't be delivered right now" }
                ul {
                    @for Outage { cause, since, effects } in outages {
                        li {
                            (cause) ". " (effects) " waiting since " (render::time(*since)) ". "
                            span.small { "What helps: " (cause.kind.remedy()) "." }
                        }
                    }
                }
            }
        }
    }
}

/// One conversation, with how the bot works.
pub(super) fn conversation(view: &View, cx: &Cx, notice: Option<&Words>) -> Markup {
    let name = view.state.name.as_deref().unwrap_or("No name given");
    let live = Some(cx.url("live"));
    let frame = Frame { title: name, live, class: "talk staff", notice };
    frame.around(&html! {
        header.top {
            div.inner { h1 { a.brand-mark href="/staff" aria-label="All conversations" { "‹" } " " (name) span.small { " · " (view.flow.flow.title) } } }
            (PreEscaped(render::status(&view.state, &view.flow, cx.viewer).html))
        }
        main #main {
            (PreEscaped(orders(&view.state, &view.flow, cx).html))
            (PreEscaped(collected(&view.state, &view.flow).html))
            div #log aria-label="Transcript" role="region" tabindex="-1" {
                @for piece in view.log(cx) { (PreEscaped(piece.html)) }
            }
            (PreEscaped(render::tail(&view.state, cx).html))
        }
        footer.composer {
            form #say method="post" action=(cx.url("order")) data-form="write" {
                (cx.hidden("write"))
                label.sr for="text" { "Write to the participant" }
                textarea #text name="text" rows="1" maxlength=(limits::TEXT_MAX) placeholder="Write to them (takes over)" {}
                button.primary name="command" value="write" { "Send" }
            }
        }
    })
}

/// What staff may order.
pub(super) fn orders(state: &State, flow: &LoadedFlow, cx: &Cx) -> Fragment {
    let claimed = state.handoff.as_ref().and_then(|handoff| handoff.claimed_by.as_ref());
    let is_over = state.status.is_over();
    let inner = |cx: &Cx| {
        html! {
            p.small {
                (words::of_status(state.status))
                @if let Some(handoff) = &state.handoff {
                    @match &handoff.claimed_by {
                        Some((_, name)) => { " · " (name) " has taken over" },
                        None => { " · wants a person: " (handoff.reason) },
                    }
                }
            }
            div.actions {
                @if claimed.is_none() && !is_over { (order(cx, state, "take_over", "Take over")) }
                @if state.handoff.is_some() { (order(cx, state, "hand_back", "Hand back")) }
                @if !is_over { (order(cx, state, "nudge", "Nudge")) }
                a.button.quiet href=(cx.url("export")) download { "Export" }
                @if !is_over {
                    details.fold {
                        summary { "End" }
                        form method="post" action=(cx.url("order")) data-form="end" {
                            (cx.hidden(&format!("end{}", state.seq)))
                            label for="end-reason" { "Why? " span.small { "optional" } }
                            textarea #end-reason name="reason" rows="2" {}
                            button.danger name="command" value="end" { "End the conversation" }
                        }
                    }
                }
                @if state.keeping.hold.is_some() { (order(cx, state, "release", "Release the hold")) }
                @else { (hold(cx, state)) }
            }
            (kept_until(state, flow))
        }
    };
    render::fragment("orders", "orders", &inner(cx), &inner(&cx.neutral()))
}

fn hold(cx: &Cx, state: &State) -> Markup {
    html! {
        details.fold {
            summary { "Hold" }
            form method="post" action=(cx.url("order")) data-form="hold" {
                (cx.hidden(&format!("hold{}", state.seq)))
                label for="hold-reason" { "Why must it be kept? " span.small { "they may read it" } }
                textarea #hold-reason name="reason" rows="2" required {}
                button name="command" value="hold" { "Let nothing be erased" }
            }
        }
    }
}

/// When something goes by the flow's retention, or why nothing does.
fn kept_until(state: &State, flow: &LoadedFlow) -> Markup {
    let keeping = &state.keeping;
    let ends = |kind: &Kind| {
        let at = flow.flow.retention.ends(*kind, keeping.quiet_since)?;
        (!keeping.forgotten.contains(kind)).then(|| (kind.words(), at))
    };
    html! {
        @match &keeping.hold {
            Some(hold) => p.small {
                "Held since " (render::time(hold.since)) ": " (hold.reason)
                @if keeping.erasure_asked { " · they have asked for everything to be erased" }
            },
            None => p.small {
                "Erased if nothing more happens: "
                @for (position, (words, at)) in Kind::ALL.iter().filter_map(ends).enumerate() {
                    @if position > 0 { ", " }
                    (words) " " (render::time(at))
                }
            },
        }
    }
}

fn order(cx: &Cx, state: &State, command: &str, label: &str) -> Markup {
    html! {
        form method="post" action=(cx.url("order")) data-form=(command) {
            (cx.hidden(&format!("{command}{}", state.seq)))
            button.quiet name="command" value=(command) { (label) }
        }
    }
}

/// One record, as its schema says that people read it.
fn stored(record: &Record, flow: &LoadedFlow) -> Markup {
    let title = flow.data_title(&record.data_type);
    let schema = flow.schemas.get(&record.data_type).unwrap_or(&Value::Null);
    let groups = card::draw(schema, &record.data, &[]).groups;
    html! {
        section.group {
            h4 { (title) @if record.reviewed { span.small { " · approved" } } }
            @if groups.is_empty() { p { (in_words(&record.data)) } }
            @for group in &groups {
                @if !group.path.is_empty() { p.entry { (group.title) } }
                (controls::values(&group.fields, false))
            }
        }
    }
}

/// What has been stored so far.
pub(super) fn collected(state: &State, flow: &LoadedFlow) -> Fragment {
    let inner = html! {
        @if !state.records.is_empty() || !state.artifacts.is_empty() {
            details.collected {
                summary { "Collected so far" }
                @for record in &state.records { (stored(record, flow)) }
                @if !state.artifacts.is_empty() {
                    section.group { h4 { "Files" } ul { @for file in &state.artifacts { li { (file.filename) span.small { " · " (words::bytes(file.size_bytes)) } } } } }
                }
            }
        }
    };
    render::fragment("collected", "collected-holder", &inner, &inner)
}
