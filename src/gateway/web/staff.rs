//! What the staff's pages do.

use std::{collections::BTreeSet, sync::Arc};

use axum::{
    body::Body,
    extract::{Path, Query, Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Redirect, Response},
};

use super::{
    app::App,
    frame,
    guard::{self, Browser, StaffScope},
    limits, parse,
    participant::{self, bundle, cx},
    piece::Cx,
    produced_files,
    reply::{self, html, status_of, submitted},
    staff_page::{self, Begin, Overview, Page, Pages},
    view::View,
    waiting::{self, Waiting},
};
use crate::{
    base::ids::SessionId,
    chat::form::words,
    config::settings::Slack,
    engine::{Error, Outage},
    messages::{self, Text},
    model::{
        session::{PersonId, Place},
        transcript::Audience,
        wait::{Answerers, Wait},
    },
    session::{Command, Responder},
};

/// A staff member at their browser.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) browser: Browser,
    pub(super) name: Option<String>,
    scope: StaffScope,
}

impl Member {
    /// Who sits there, with the rights of now; `None` without the staff key, where there is one.
    pub(super) fn of(app: &App, headers: &HeaderMap) -> Option<Self> {
        let scope = app.staff_keys.scope(headers)?;
        Some(Self { browser: Browser::of(headers)?, name: guard::staff_name(headers), scope })
    }

    /// Who they are.
    fn person(&self) -> PersonId {
        self.browser.staff(self.scope.tenant())
    }

    fn responder(&self, app: &App) -> Option<Responder> {
        let person = self.person();
        let there = app.settings.within(self.scope.tenant());
        let approver_of = there.approver_of(&person, &BTreeSet::new(), true);
        Some(Responder { person, name: self.name.clone()?, approver_of, staff: true })
    }

    /// Whether a conversation is theirs to see.
    fn sees(&self, app: &App, place: &Place) -> bool {
        app.settings.tenants.rights_hold(&self.person(), place)
    }
}

/// The page that asks for the key, which every way in leads to without it; `is_wrong` after one that opens nothing.
fn closed(headers: &HeaderMap, is_wrong: bool) -> Response {
    let known = Browser::of(headers);
    let browser = known.clone().unwrap_or_else(Browser::fresh);
    let cookie = known.is_none().then(|| (header::SET_COOKIE, browser.cookie()));
    let page = html(&staff_page::ask_key(&browser, is_wrong));
    (StatusCode::FORBIDDEN, AppendHeaders(cookie), page).into_response()
}

#[derive(Debug, serde::Deserialize)]
pub(super) struct Key {
    key: Option<String>,
}

/// The pages of the lists that somebody wants to see; the first where they say nothing.
#[derive(Debug, Clone, Copy, Default, serde::Deserialize)]
pub(super) struct Wanted {
    /// The list begins with those that are older than this one.
    before: Option<SessionId>,
    waiting: Option<usize>,
}

/// What waits and all conversations at a glance.
pub(super) async fn overview(
    State(app): State<Arc<App>>,
    (Query(Key { key }), Query(wanted)): (Query<Key>, Query<Wanted>),
    headers: HeaderMap,
) -> Response {
    let browser = Browser::of(&headers);
    let is_locked = app.staff_keys.is_needed();
    if let Some(given) = key.filter(|_| is_locked) {
        let Some(cookie) = app.staff_keys.cookie(&given) else { return closed(&headers, true) };
        // The key must not stay in the address bar, nor in the history.
        let mut cookies = vec![(header::SET_COOKIE, cookie)];
        if browser.is_none() {
            cookies.push((header::SET_COOKIE, Browser::fresh().cookie()));
        }
        return (AppendHeaders(cookies), Redirect::to("/staff")).into_response();
    }
    if browser.is_none() {
        if is_locked {
            return closed(&headers, false);
        }
        let cookie = (header::SET_COOKIE, Browser::fresh().cookie());
        return (AppendHeaders([cookie]), Redirect::to("/staff")).into_response();
    }
    let Some(member) = Member::of(&app, &headers) else { return closed(&headers, false) };
    if member.name.is_none() {
        return html(&staff_page::ask_name(&member.browser)).into_response();
    }
    let overview = match waiting::read(&app.engine).await {
        Ok(waiting) => gather(&app, &member, wanted, &waiting).await,
        Err(error) => Err(error),
    };
    match overview {
        Ok(overview) => html(&staff_page::overview(&overview, None)).into_response(),
        Err(error) => frame::problem(status_of(&error), &words::of_error(&error)),
    }
}

/// Reads what the overview shows; `waiting` is what waits for any team.
pub(super) async fn gather(
    app: &App,
    member: &Member,
    wanted: Wanted,
    waiting: &[Waiting],
) -> Result<Overview, Error> {
    // However old it is: what waits must never drop out of sight.
    let waits = waiting.iter().filter(|one| member.sees(app, &one.workspace));
    let waits: Vec<SessionId> = waits.map(|one| one.session).collect();
    let page = (wanted.before, limits::SESSIONS_PER_PAGE);
    let (heads, older) = app.engine.newest(page, |head| member.sees(app, &head.place)).await?;
    let pages = Pages {
        waiting: Page::of(wanted.waiting, waits.len(), limits::WAITING_PER_PAGE),
        before: wanted.before,
        older,
    };
    let skipped = pages.waiting.skipped(limits::WAITING_PER_PAGE);
    let shown = waits.into_iter().skip(skipped).take(limits::WAITING_PER_PAGE);
    let (mut calls, mut decisions) = (Vec::new(), Vec::new());
    for session in shown {
        match View::load(app, session).await {
            Ok(view) => {
                let cx = cx(app, &member.browser, session, Audience::Staff);
                calls.extend(staff_page::call_for_help(&view, &cx));
                let decision =
                    |wait: &Wait| (wait.asked_at, staff_page::approval(wait, &view, &cx));
                decisions.extend(pending(&view).iter().map(decision));
            }
            // Erased or closed meanwhile, or written by a newer version: the others are shown all the same.
            Err(error) => tracing::debug!(%error, "a conversation is left out of the overview"),
        }
    }
    calls.sort_by_key(|(asked_at, _)| *asked_at);
    decisions.sort_by_key(|(asked_at, _)| *asked_at);
    let parts = app.engine.parts();
    Ok(Overview {
        heads,
        waiting: calls.into_iter().chain(decisions).map(|(_, piece)| piece).collect(),
        pages,
        flows: parts.library.iter().map(|flow| (flow.flow.id.clone(), flow)).collect(),
        name: member.name.clone().unwrap_or_default(),
        now: parts.clock.now(),
        outages: outages(app, member),
        damaged: if member.scope.tenant().is_some() { 0 } else { app.engine.damage().len() },
        begin: begin(app),
    })
}

/// What keeps messages from leaving, as far as it is theirs to know.
fn outages(app: &App, member: &Member) -> Vec<Outage> {
    let mut outages = app.engine.outages();
    if let Some(tenant) = member.scope.tenant() {
        outages.retain(|outage| {
            let workspace = outage.cause.workspace();
            let of = workspace.and_then(|id| app.settings.tenants.of(outage.cause.platform, id));
            of.is_some_and(|of| of.name == tenant.name)
        });
    }
    outages
}

/// How conversations begin on the platforms that the bot is connected to.
fn begin(app: &App) -> Begin {
    let connection = |slack: &Slack| slack.connection.clone().map(|slack| slack.command);
    Begin {
        slack: app.settings.slack.as_ref().and_then(connection),
        discord: app.settings.discord.as_ref().is_some_and(|d| d.connection.is_some()),
    }
}

fn pending(view: &View) -> Vec<Wait> {
    let for_deciders = |wait: &&Wait| matches!(wait.answerers, Answerers::Deciders { .. });
    view.state.pending().filter(for_deciders).cloned().collect()
}

/// Somebody shows the key.
pub(super) async fn key(State(app): State<Arc<App>>, request: Request<Body>) -> Response {
    let (_, headers, form) = match submitted(&app, request).await {
        Ok(read) => read,
        Err(refusal) => return refusal,
    };
    let cookie = app.staff_keys.cookie(form.fields.get("staff_key"));
    match cookie.map(|cookie| (header::SET_COOKIE, cookie)) {
        Some(cookie) => (AppendHeaders([cookie]), Redirect::to("/staff")).into_response(),
        None if app.staff_keys.is_needed() => closed(&headers, true),
        None => Redirect::to("/staff").into_response(),
    }
}

/// A staff member says what others are to call them.
pub(super) async fn name(State(app): State<Arc<App>>, request: Request<Body>) -> Response {
    let (_, headers, form) = match submitted(&app, request).await {
        Ok(read) => read,
        Err(refusal) => return refusal,
    };
    let Some(member) = Member::of(&app, &headers) else { return closed(&headers, false) };
    match guard::tidy_name(form.fields.get("name")) {
        Some(name) => {
            let cookie = (header::SET_COOKIE, guard::name_cookie(&name));
            (AppendHeaders([cookie]), Redirect::to("/staff")).into_response()
        }
        None => html(&staff_page::ask_name(&member.browser)).into_response(),
    }
}

/// A session on the staff's side of the scope.
async fn theirs(app: &App, headers: &HeaderMap, id: &str) -> Result<(View, Member), Response> {
    let member = Member::of(app, headers).ok_or_else(|| closed(headers, false))?;
    if member.name.is_none() {
        return Err(Redirect::to("/staff").into_response());
    }
    let nothing = || frame::problem(StatusCode::NOT_FOUND, messages::notices::NO_CONVERSATION);
    let session: SessionId = id.parse().map_err(|_| nothing())?;
    let view = View::load(app, session)
        .await
        .map_err(|error| frame::problem(status_of(&error), &words::of_error(&error)))?;
    // To the staff of another tenant it does not exist.
    if !member.sees(app, &view.state.place) {
        return Err(nothing());
    }
    Ok((view, member))
}

/// Who reads a conversation leaves a record first: without it nothing is shown.
async fn note_reading(app: &App, view: &View, member: &Member) -> Result<(), Response> {
    note(app, view, "transcript_read", member).await?;
    let now = app.engine.parts().clock.now();
    app.readings.note(member.person(), view.state.session, now);
    Ok(())
}

async fn note(app: &App, view: &View, event: &str, member: &Member) -> Result<(), Response> {
    let by = member.person().to_string();
    let noted = app.engine.note_reading(view.state.session, event, &by).await;
    noted.map_err(|error| frame::problem(status_of(&error), &words::of_error(&error)))
}

/// The view of a live connection. The record that the page has left stands for it for a while.
pub(super) async fn live_cx(app: &App, headers: &HeaderMap, id: &str) -> Result<Cx, Response> {
    let (view, member) = theirs(app, headers, id).await?;
    let now = app.engine.parts().clock.now();
    if !app.readings.stands(member.person(), view.state.session, now) {
        note_reading(app, &view, &member).await?;
    }
    Ok(cx(app, &member.browser, view.state.session, Audience::Staff))
}

pub(super) async fn conversation(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(shown): Query<participant::Messages>,
    headers: HeaderMap,
) -> Response {
    let (view, member) = match theirs(&app, &headers, &id).await {
        Ok(theirs) => theirs,
        Err(refusal) => return refusal,
    };
    if let Err(refusal) = note_reading(&app, &view, &member).await {
        return refusal;
    }
    let cx = cx(&app, &member.browser, view.state.session, Audience::Staff);
    shown.page(&view, &cx)
}

pub(super) async fn answer(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    request: Request<Body>,
) -> Response {
    taken(app, id, request, true).await
}

pub(super) async fn order(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    request: Request<Body>,
) -> Response {
    taken(app, id, request, false).await
}

async fn taken(app: Arc<App>, id: String, request: Request<Body>, is_answer: bool) -> Response {
    let (view, member) = match theirs(&app, request.headers(), &id).await {
        Ok(theirs) => theirs,
        Err(refusal) => return refusal,
    };
    let (_, headers, form) = match submitted(&app, request).await {
        Ok(read) => read,
        Err(refusal) => return refusal,
    };
    let Some(from) = member.responder(&app) else { return Redirect::to("/staff").into_response() };
    let session = view.state.session;
    let outcome = if is_answer {
        reply::answer(&app, session, from, form).await
    } else {
        match parse::order(&form.fields) {
            Some(Command::Write { text }) => reply::write(&app, session, from, (&form, text)).await,
            Some(command) => reply::command(&app, session, from, (&form, command)).await,
            None => Ok(reply::Outcome::Told(Text::from(messages::page::STALE_FORM))),
        }
    };
    let cx = cx(&app, &member.browser, session, Audience::Staff);
    reply::respond(&app, &headers, (session, format!("/staff/s/{session}")), (outcome, cx)).await
}

/// A file that the bot made for the participant.
pub(super) async fn made(
    State(app): State<Arc<App>>,
    Path((id, file)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    match theirs(&app, &headers, &id).await {
        Ok((view, member)) => match note(&app, &view, "made_file_read", &member).await {
            Ok(()) => produced_files::file(&app, &view, &file).await,
            Err(refusal) => refusal,
        },
        Err(refusal) => refusal,
    }
}

pub(super) async fn export(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    match theirs(&app, &headers, &id).await {
        Ok((view, member)) => match note(&app, &view, "session_exported", &member).await {
            Ok(()) => bundle(&app, &view, Audience::Staff).await,
            Err(refusal) => refusal,
        },
        Err(refusal) => refusal,
    }
}
