//! The staff's pages. Pure: what they show is given.

use std::{collections::BTreeMap, sync::Arc};

use chrono::{DateTime, NaiveDate, Utc};
use maud::{Markup, PreEscaped, html};
use serde_json::Value;

use super::{
    brand, controls,
    frame::Frame,
    guard::Browser,
    icons, limits,
    piece::{self, Cx, Fragment},
    render,
    timeline::more_than_a_call,
    view::{View, earlier_link, live_url},
};
use crate::{
    base::ids::SessionId,
    chat::form::{in_words, words_of},
    engine::Outage,
    flow::{
        LoadedFlow,
        visible::{hidden_from, seen_by},
    },
    messages::{self, Text},
    model::{
        custody::Kind,
        flow::Reader,
        session::{Head, Status},
        wait::Wait,
    },
    session::{State, evidence, state::Record},
    tool::catalog::interview::submit_for_validation::card,
};

/// What the overview shows.
#[derive(Debug)]
pub(super) struct Overview {
    /// One page of the conversations.
    pub(super) heads: Vec<Head>,
    /// What waits for the team, one page of it.
    pub(super) waiting: Vec<Fragment>,
    /// Which pages these are.
    pub(super) pages: Pages,
    pub(super) flows: BTreeMap<String, Arc<LoadedFlow>>,
    pub(super) name: String,
    pub(super) now: DateTime<Utc>,
    pub(super) outages: Vec<Outage>,
    /// Stored records and files that cannot be read.
    pub(super) damaged: usize,
    /// How conversations begin where the bot is connected.
    pub(super) begin: Begin,
}

/// The pages of the two lists that are shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pages {
    pub(super) waiting: Page,
    /// The list shows those that are older than this one; the newest where there is none.
    pub(super) before: Option<SessionId>,
    /// The last one shown, where there are older ones.
    pub(super) older: Option<SessionId>,
}

impl Pages {
    /// The query of an address that shows these pages.
    fn query(before: Option<SessionId>, waiting: usize) -> String {
        match before {
            Some(before) => format!("?before={before}&waiting={waiting}"),
            None => format!("?waiting={waiting}"),
        }
    }
}

/// One page of several, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) number: usize,
    pub(super) last: usize,
}

impl Page {
    /// The page that is wanted of `all` entries, or the last there is.
    pub(super) fn of(wanted: Option<usize>, all: usize, per_page: usize) -> Self {
        let last = all.div_ceil(per_page).max(1);
        Self { number: wanted.unwrap_or(1).clamp(1, last), last }
    }

    /// The entries before it.
    pub(super) const fn skipped(self, per_page: usize) -> usize {
        (self.number - 1) * per_page
    }
}

/// How conversations begin.
#[derive(Debug, Clone, Default)]
pub(super) struct Begin {
    /// The slash command, where Slack is connected.
    pub(super) slack: Option<String>,
    pub(super) discord: bool,
}

/// A staff member must have a name before they may do anything: decisions are stamped with it.
pub(super) fn ask_name(browser: &Browser) -> Markup {
    let input = html! {
        label for="name" { (messages::page::YOUR_NAME) }
        input #name type="text" name="name" dir="auto" required maxlength=(limits::NAME_MAX) autocomplete="name";
    };
    ask(browser, ("/staff/name", messages::staff_page::CARRY_YOUR_NAME), &input)
}

/// Asks for the key; `is_wrong` after one that opens nothing.
pub(super) fn ask_key(browser: &Browser, is_wrong: bool) -> Markup {
    let input = html! {
        label for="staff-key" { (messages::page::KEY) }
        input #staff-key type="password" name="staff_key" required autofocus autocomplete="current-password"
            aria-invalid=[is_wrong.then_some("true")] aria-describedby=[is_wrong.then_some("wrong-key")];
        @if is_wrong { p.error #wrong-key role="alert" { (icons::warning()) (messages::page::WRONG_KEY) } }
    };
    ask(browser, ("/staff/key", messages::page::STAFF_KEY), &input)
}

fn ask(browser: &Browser, (action, words): (&str, &str), input: &Markup) -> Markup {
    let frame =
        Frame { title: messages::staff_page::STAFF, live: None, class: "plain", notice: None };
    frame.around(&html! {
        main #main {
            h1 { (messages::staff_page::STAFF_PAGE) }
            p { (words) }
            form method="post" action=(action) data-plain {
                input type="hidden" name="csrf" value=(browser.csrf());
                div.inline { div { (input) } button.primary { (messages::buttons::CONTINUE) } }
            }
        }
    })
}

/// Whose conversation it is and in which interview, over what waits in it.
fn whose(view: &View) -> Markup {
    let name = messages::unnamed::at_beginning(
        view.state.known_as().unwrap_or(messages::unnamed::A_PARTICIPANT),
    );
    html! {
        p.small.whose {
            (icons::person()) strong { bdi { (name) } } span { "· " (view.flow.flow.title) }
            a href={ "/staff/s/" (view.state.session) } { (messages::buttons::OPEN_CONVERSATION) }
        }
    }
}

/// A request that waits for a decision.
pub(super) fn approval(wait: &Wait, view: &View, cx: &Cx) -> Fragment {
    let inner = |cx: &Cx| html! { (whose(view)) (render::card(wait, false, &view.state, cx)) };
    let id = format!("a-{}-{}", wait.id.short(), wait.revision);
    let mut piece = piece::fragment(&id, "row approval", &inner(cx), &inner(&cx.neutral()));
    piece.spoken = messages::staff_page::waiting_for(&wait.prompt.heading().unwrap_or_default());
    piece
}

/// Somebody who asked for a person and has been left alone so far, and since when.
pub(super) fn call_for_help(view: &View, cx: &Cx) -> Option<(DateTime<Utc>, Fragment)> {
    let handoff = view.state.handoff.as_ref().filter(|handoff| handoff.claimed_by.is_none())?;
    let name = view.state.known_as().unwrap_or(messages::unnamed::A_PARTICIPANT);
    let (short, reason) = (view.state.session.short(), more_than_a_call(&handoff.reason));
    let title = format!("h-{short}-title");
    let inner = |cx: &Cx| {
        html! {
            (whose(view))
            article.card.open.help aria-labelledby=(title) {
                header { h3 id=(title) { bdi { (messages::unnamed::at_beginning(name)) } " " (messages::staff::ASKED_FOR_A_HUMAN) } }
                p { (messages::staff_page::SINCE) " " (piece::time(handoff.asked_at)) @if let Some(reason) = &reason { (messages::staff_page::BECAUSE) bdi { (reason) } } (messages::staff_page::QUIET_UNTIL_BACK) }
                div.actions { (order(cx, &view.state, "take_over", messages::buttons::TAKE_OVER, "primary")) }
            }
        }
    };
    let id = format!("h-{short}");
    let mut piece = piece::fragment(&id, "row approval", &inner(cx), &inner(&cx.neutral()));
    piece.spoken = messages::staff_page::asked_for_a_human(name);
    Some((handoff.asked_at, piece))
}

/// The list of conversations as a piece of the page.
pub(super) fn sessions(overview: &Overview) -> Fragment {
    let inner = html! {
        @if overview.heads.is_empty() { (nothing_yet(&overview.begin)) }
        @else {
            table {
                thead { tr { th scope="col" { (messages::requests::PERSON) } th scope="col" { (messages::staff_page::INTERVIEW) } th scope="col" { (messages::staff::STATUS) }
                    th scope="col" { (messages::staff_page::PROGRESS) } th scope="col" { (messages::staff_page::LAST_ACTIVITY) } } }
                tbody { @for head in &overview.heads { (row(head, overview)) } }
            }
            (list_pager(overview.pages))
        }
    };
    piece::fragment("sessions", "sessions-table", &inner, &inner)
}

/// What to do while nobody has begun.
fn nothing_yet(begin: &Begin) -> Markup {
    html! {
        div.nothing {
            (icons::person())
            p { strong { (messages::staff_page::NO_CONVERSATIONS) } }
            p { (messages::staff_page::APPEARS_HERE) }
            p { (messages::staff_page::SHARE_OR_TRY) }
            @if let Some(command) = &begin.slack { p { (messages::staff_page::INVITE_IN_SLACK) code { (command) " invite @person" } "." } }
            @if begin.discord { p { (messages::staff_page::INVITE_IN_DISCORD) code { "/staff invite member" } "." } }
            p { a.button.primary href="/" { (messages::buttons::OPEN_START_PAGE) } }
        }
    }
}

/// The way to older conversations, and back to the newest.
fn list_pager(Pages { waiting, before, older }: Pages) -> Markup {
    let address = |before| format!("/staff{}", Pages::query(before, waiting.number));
    html! {
        @if before.is_some() || older.is_some() {
            nav.pager aria-label=(messages::staff_page::CONVERSATION_PAGES) {
                @if before.is_some() { a.button.quiet href=(address(None)) rel="first" { (icons::previous()) (messages::buttons::NEWEST) } }
                @if older.is_some() { a.button.quiet href=(address(older)) rel="next" { (messages::buttons::OLDER) (icons::next()) } }
            }
        }
    }
}

/// The way to the other pages of what waits; the list stays where it is.
fn waiting_pager(Pages { waiting, before, .. }: Pages) -> Markup {
    let address = |number: usize| format!("/staff{}", Pages::query(before, number));
    html! {
        @if waiting.last > 1 {
            nav.pager aria-label=(messages::staff_page::WAITING_PAGES) {
                @if waiting.number > 1 { a.button.quiet href=(address(waiting.number - 1)) rel="prev" { (icons::previous()) (messages::buttons::PREVIOUS) } }
                span.small { (messages::forms::page(waiting.number, waiting.last)) }
                @if waiting.number < waiting.last { a.button.quiet href=(address(waiting.number + 1)) rel="next" { (messages::buttons::NEXT) (icons::next()) } }
            }
        }
    }
}

fn row(head: &Head, overview: &Overview) -> Markup {
    let flow = overview.flows.get(&head.flow.id);
    let title = flow.map_or(head.flow.id.as_str(), |flow| flow.flow.title.as_str());
    let is_inactive = overview.now - head.updated_at > chrono::TimeDelta::hours(24)
        && matches!(head.status, Status::Notice | Status::Open);
    html! {
        tr {
            th scope="row" { a href={ "/staff/s/" (head.id) } { bdi { (head.name.as_deref().unwrap_or(messages::staff_page::NO_NAME)) } } }
            td data-label=(messages::staff_page::INTERVIEW) { (title) }
            td data-label=(messages::staff::STATUS) {
                (messages::capitalised(messages::staff::status(head.status)))
                @if head.wants_a_person() { " " span.tag { (messages::staff_page::ASKED_FOR_A_HUMAN) } }
                @if let Some(name) = &head.claimed_by { " " span.tag.calm { (messages::staff_page::TAKEN_OVER_BY) (name) } }
                @if head.approvals > 0 { " " span.tag { (messages::staff::pending_decisions(head.approvals)) } }
                @if head.undelivered > 0 { " " span.tag { (messages::staff_page::not_delivered(head.undelivered)) } }
            }
            td data-label=(messages::staff_page::PROGRESS) { (how_far(head, flow.map(AsRef::as_ref))) }
            td data-label=(messages::staff_page::LAST_ACTIVITY) { (piece::time(head.updated_at)) @if is_inactive { " " span.tag { (messages::staff::INACTIVE) } } }
        }
    }
}

/// How far somebody is, as they read it themselves.
fn how_far(head: &Head, flow: Option<&LoadedFlow>) -> Markup {
    let phase = head.phase.as_deref();
    let line = match (phase, flow) {
        (Some(phase), Some(flow)) => {
            evidence::step_line(flow, phase, None).map(|step| step.to_string())
        }
        (Some(phase), None) => Some(words_of(phase)),
        (None, _) => {
            (head.status == Status::Completed).then(|| messages::staff_page::COMPLETE.to_owned())
        }
    };
    let done = phase.map(|phase| (phase, head.progress));
    let share = flow.map(|flow| (evidence::share(flow, head.status, done) * 100.0).round());
    html! {
        @match (line, share) {
            (Some(line), Some(share)) => {
                span.step { (line) }
                progress max="100" value=(share) aria-label=(messages::staff_page::progress(&line)) aria-valuetext={ (share) " %" } {}
            },
            (Some(line), None) => (line),
            (None, _) => "–",
        }
    }
}

/// What waits and all conversations at a glance.
pub(super) fn overview(overview: &Overview, notice: Option<&Text>) -> Markup {
    let Pages { waiting, before, .. } = overview.pages;
    let live = format!("/staff/live{}", Pages::query(before, waiting.number));
    let frame =
        Frame { title: messages::staff_page::STAFF, live: Some(live), class: "staff", notice };
    frame.around(&html! {
        header.top { div.inner { h1 { (brand::logo()) (messages::staff_page::STAFF_PAGE) } p.small { (messages::staff_page::YOU_ARE) " " strong { (overview.name) } " · " a href="/" { (messages::staff_page::START_PAGE) } } } }
        main #main {
            section aria-labelledby="to-decide" {
                h2 #to-decide { (messages::staff_page::WAITING) }
                div #approvals { @for piece in &overview.waiting { (PreEscaped(&piece.html)) } }
                p.empty.when-none { (messages::staff_page::NOTHING_TO_DECIDE) }
                (waiting_pager(overview.pages))
            }
            (damage(overview.damaged))
            (outages(&overview.outages))
            section aria-labelledby="all" {
                h2 #all { (messages::staff_page::CONVERSATIONS) }
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
                h2 #damage { (messages::staff_page::DAMAGE) }
                p {
                    (messages::staff_page::damaged(count))
                    (messages::staff_page::ASK_OPERATOR) code { "anteroom scrub" } (messages::staff_page::NAMES_DAMAGE)
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
                h2 #outages { (messages::staff_page::OUTAGES) }
                ul {
                    @for Outage { cause, since, effects } in outages {
                        li {
                            (cause) ". " (effects) (messages::staff_page::WAITING_SINCE) (piece::time(*since)) ". "
                            span.small { (messages::staff_page::WHAT_HELPS) (cause.kind.remedy()) "." }
                        }
                    }
                }
            }
        }
    }
}

/// One conversation; how the bot works is folded away.
pub(super) fn conversation(view: &View, cx: &Cx, notice: Option<&Text>) -> Markup {
    let name = view.state.known_as().unwrap_or(messages::staff_page::NO_NAME);
    let window = view.latest(cx.viewer);
    let live = Some(live_url(cx, &window));
    let frame = Frame { title: name, live, class: "talk staff", notice };
    frame.around(&html! {
        header.top {
            div.inner {
                a.brand-mark href="/staff" aria-label=(messages::staff::ALL_CONVERSATIONS) { (icons::previous()) }
                h1 { (brand::logo()) bdi { (name) } span.small { " · " (view.flow.flow.title) } }
                (PreEscaped(orders(&view.state, cx).html))
            }
            (PreEscaped(render::status(&view.state, &view.flow, cx.viewer).html))
        }
        main #main {
            (PreEscaped(status_panel(&view.state, &view.flow).html))
            (PreEscaped(collected(&view.state, &view.flow).html))
            div.view-as { label.switch { input #technical type="checkbox" autocomplete="off"; (messages::staff_page::TECHNICAL) } }
            h2 #talk .sr { (messages::buttons::TRANSCRIPT) }
            (earlier_link(cx, window.from()))
            div #log aria-labelledby="talk" role="region" tabindex="-1" {
                @for piece in view.log(cx, |recorded| window.holds(recorded)) { (PreEscaped(piece.html)) }
            }
            (PreEscaped(render::tail(&view.state, cx).html))
        }
        (composer(view, cx))
    })
}

fn composer(view: &View, cx: &Cx) -> Markup {
    let to = view.state.known_as().unwrap_or(messages::unnamed::THE_PARTICIPANT);
    let claimed = view.state.handoff.as_ref().is_some_and(|handoff| handoff.claimed_by.is_some());
    let pauses = if claimed { "" } else { messages::staff_page::PAUSES };
    html! {
        footer.composer {
            form #say method="post" action=(cx.url("order")) data-form="write" {
                (cx.hidden("write"))
                label.small for="text" { (messages::staff_page::MESSAGE_TO) bdi { (to) } (pauses) }
                textarea #text name="text" rows="1" dir="auto" data-max=(limits::TEXT_MAX) { (cx.unsent) }
                button.primary name="command" value="write" aria-label=(messages::buttons::SEND_MESSAGE) { (icons::send()) }
                p.left.small aria-live="polite" {}
            }
        }
    }
}

/// What staff may order; always in reach, since the head of the page does not scroll.
pub(super) fn orders(state: &State, cx: &Cx) -> Fragment {
    let handoff = state.handoff.as_ref();
    let is_claimed = handoff.is_some_and(|handoff| handoff.claimed_by.is_some());
    let is_over = state.status.is_over();
    let may_move_on =
        matches!(state.status, Status::Open | Status::Paused) && state.phase().is_some();
    let inner = |cx: &Cx| {
        html! {
            @if is_claimed { (order(cx, state, "hand_back", messages::buttons::HAND_BACK, "primary")) }
            @else if !is_over || handoff.is_some() { (order(cx, state, "take_over", messages::buttons::TAKE_OVER, if handoff.is_some() { "primary" } else { "quiet" })) }
            @if may_move_on { (move_on(cx, state)) }
            details.menu {
                summary { (messages::buttons::MORE) }
                div.sheet {
                    @if handoff.is_some() && !is_claimed { (order(cx, state, "hand_back", messages::buttons::HAND_BACK, "item")) }
                    @if !is_over { (order(cx, state, "nudge", messages::buttons::SEND_REMINDER, "item")) }
                    a.item href=(cx.url("export")) download { (messages::buttons::EXPORT) }
                    @if state.keeping.hold.is_some() { (order(cx, state, "release", messages::buttons::RELEASE_HOLD, "item")) }
                    @else { (hold(cx, state)) }
                    @if !is_over { (end(cx, state)) }
                }
            }
        }
    };
    piece::fragment("orders", "orders", &inner(cx), &inner(&cx.neutral()))
}

/// Takes somebody to the next part although something is missing.
fn move_on(cx: &Cx, state: &State) -> Markup {
    html! {
        details.menu {
            summary { (messages::buttons::asking(messages::buttons::MOVE_ON)) }
            div.sheet {
                form.reason method="post" action=(cx.url("order")) data-form="advance" {
                    (cx.hidden(&format!("advance{}", state.seq)))
                    p { (messages::staff_page::MOVES_ON) }
                    label for="advance-reason" { (messages::staff_page::REASON) " " span.small { (messages::staff_page::KEPT_IN_AUDIT) } }
                    textarea #advance-reason name="reason" rows="2" dir="auto" {}
                    button.primary name="command" value="advance" { (messages::buttons::MOVE_ON) }
                }
            }
        }
    }
}

fn end(cx: &Cx, state: &State) -> Markup {
    html! {
        details.sub {
            summary { (messages::buttons::asking(messages::buttons::END)) }
            form method="post" action=(cx.url("order")) data-form="end" {
                (cx.hidden(&format!("end{}", state.seq)))
                label for="end-reason" { (messages::staff_page::REASON) " " span.small { (messages::forms::OPTIONAL) } }
                textarea #end-reason name="reason" rows="2" dir="auto" {}
                button.danger name="command" value="end" { (messages::buttons::END) }
            }
        }
    }
}

fn hold(cx: &Cx, state: &State) -> Markup {
    html! {
        details.sub {
            summary { (messages::buttons::asking(messages::buttons::PLACE_HOLD)) }
            form method="post" action=(cx.url("order")) data-form="hold" {
                (cx.hidden(&format!("hold{}", state.seq)))
                p.small { (messages::staff_page::HOLD_MEANS) }
                label for="hold-reason" { (messages::staff_page::HOLD_REASON) " " span.small { (messages::staff_page::VISIBLE_TO_PARTICIPANT) } }
                textarea #hold-reason name="reason" rows="2" dir="auto" required {}
                button.primary name="command" value="hold" { (messages::buttons::PLACE_HOLD) }
            }
        }
    }
}

/// How the conversation stands, who is with them, and when what is deleted.
pub(super) fn status_panel(state: &State, flow: &LoadedFlow) -> Fragment {
    let inner = html! {
        p {
            strong { (messages::capitalised(messages::staff::status(state.status))) }
            @if let Some(handoff) = &state.handoff {
                @match &handoff.claimed_by {
                    Some((_, name)) => { " · " bdi { (name) } (messages::staff_page::HAS_TAKEN_OVER) },
                    None => {
                        " · " span.tag { (messages::staff_page::ASKED_FOR_A_HUMAN) } (messages::staff_page::SINCE_WITHIN) (piece::time(handoff.asked_at))
                        @if let Some(reason) = more_than_a_call(&handoff.reason) { (messages::staff_page::BECAUSE) bdi { (reason) } }
                    },
                }
            }
        }
        (kept_until(state, flow))
    };
    piece::fragment("standing", "standing", &inner, &inner)
}

/// When something goes by the flow's retention, or why nothing does.
fn kept_until(state: &State, flow: &LoadedFlow) -> Markup {
    let keeping = &state.keeping;
    let mut days: BTreeMap<NaiveDate, (String, Vec<&str>)> = BTreeMap::new();
    for kind in Kind::ALL.iter().filter(|kind| !keeping.forgotten.contains(kind)) {
        if let Some(at) = flow.flow.retention.ends(*kind, keeping.quiet_since) {
            let day = days.entry(at.date_naive());
            day.or_insert_with(|| (messages::day(at), Vec::new())).1.push(of_kind(*kind));
        }
    }
    let days: Vec<(String, Vec<&str>)> = days.into_values().collect();
    html! {
        @match &keeping.hold {
            Some(hold) => p.small {
                (icons::calendar()) (messages::staff_page::HELD_SINCE) (piece::time(hold.since)) ": " bdi { (hold.reason) }
                @if keeping.erasure_asked { (messages::staff_page::DELETION_ASKED) }
            },
            None => @if !days.is_empty() {
                p.small {
                    (icons::calendar()) (messages::staff_page::scheduled(&days))
                }
            },
        }
    }
}

const fn of_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Transcript => messages::staff_page::CONVERSATION,
        Kind::Uploads => messages::staff_page::FILES,
        Kind::Records => messages::staff_page::DATA,
    }
}

fn order(cx: &Cx, state: &State, command: &str, label: &str, class: &str) -> Markup {
    html! {
        form method="post" action=(cx.url("order")) data-form=(command) {
            (cx.hidden(&format!("{command}{}", state.seq)))
            button class=(class) name="command" value=(command) { (label) }
        }
    }
}

/// One record, as its schema says that people read it.
fn stored(record: &Record, flow: &LoadedFlow) -> Markup {
    let title = flow.data_title(&record.data_type);
    let schema = flow.schemas.get(&record.data_type);
    let data = seen_by(schema, &record.data, Reader::Team);
    let hidden = hidden_from(schema, &record.data, Reader::Team);
    let groups = card::draw(schema.unwrap_or(&Value::Null), &data, &[]).groups;
    html! {
        section.group {
            h3 { (title) @if record.reviewed { span.approved { (icons::tick()) (messages::requests::APPROVED) } } }
            @if groups.is_empty() { p dir="auto" { (in_words(&data)) } }
            @for group in groups.iter().filter(|group| group.path.is_empty()) { (controls::values(&group.fields, None)) }
            @if groups.iter().any(|group| !group.path.is_empty()) {
                div.entries { @for group in groups.iter().filter(|group| !group.path.is_empty()) {
                    section.group { h4 { (group.title) } (controls::values(&group.fields, None)) }
                } }
            }
            @if !hidden.is_empty() { p.small { (messages::staff::not_shown_here(&hidden)) } }
        }
    }
}

/// What has been stored so far.
pub(super) fn collected(state: &State, flow: &LoadedFlow) -> Fragment {
    let inner = html! {
        @if !state.records.is_empty() || !state.artifacts.is_empty() {
            details.collected {
                summary { h2 { (messages::staff_page::PROFILE_AND_FILES) } }
                @for record in &state.records { (stored(record, flow)) }
                @if !state.artifacts.is_empty() {
                    section.group { h3 { (messages::forms::FILES) } ul { @for file in &state.artifacts { li { bdi { (file.filename) } span.small { " · " (messages::bytes(file.size_bytes)) } } } } }
                }
            }
        }
    };
    piece::fragment("collected", "collected-holder", &inner, &inner)
}
