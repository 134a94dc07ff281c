//! What the participant's pages do.

use std::{collections::BTreeSet, convert::Infallible, sync::Arc};

use axum::{
    body::{Body, Bytes},
    extract::{Path, Query, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Redirect, Response},
};
use futures::stream;

use super::{
    app::App,
    conversation, frame,
    guard::{self, Browser},
    limits, parse, participant_page,
    piece::Cx,
    produced_files,
    reply::{self, html, status_of, submitted},
    view::View,
};
use crate::{
    base::ids::SessionId,
    chat::form::words,
    engine::{CopyTo, SessionCopy, export},
    messages::{self, Text},
    model::{
        session::{Place, Platform},
        transcript::Audience,
    },
    session::Responder,
    store::Find,
};

/// The flows, and this browser's conversations.
pub(super) async fn start_page(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    let known = Browser::of(&headers);
    let browser = known.clone().unwrap_or_else(Browser::fresh);
    let page = start_markup(&app, &browser, None).await;
    let cookie = known.is_none().then(|| (header::SET_COOKIE, browser.cookie()));
    match (page, cookie) {
        (Ok(page), Some(cookie)) => (AppendHeaders([cookie]), html(&page)).into_response(),
        (Ok(page), None) => html(&page).into_response(),
        (Err(error), _) => frame::problem(status_of(&error), &words::of_error(&error)),
    }
}

async fn start_markup(
    app: &App,
    browser: &Browser,
    notice: Option<&Text>,
) -> Result<maud::Markup, crate::engine::Error> {
    let parts = app.engine.parts();
    let mine = parts.store.find(Find::Person(browser.person())).await?;
    // Those that score people are for staff alone.
    let library = parts.library.of(Platform::Web, &browser.person().workspace);
    let flows = library.iter().filter(|flow| !flow.flow.policy.score_people);
    let flows: Vec<_> = flows.collect();
    Ok(participant_page::start(&participant_page::Start {
        flows: flows.iter().map(AsRef::as_ref).collect(),
        mine: &mine,
        browser,
        page: &parts.ids.fresh().simple().to_string(),
        staff: app.settings.web.staff_key.is_none(),
        is_local: is_local(app),
        notice,
    }))
}

/// Whether nothing that is said here leaves this machine, as far as the configuration tells.
fn is_local(app: &App) -> bool {
    let parts = app.engine.parts();
    parts.models.interview.is_none()
        && parts.webhooks.targets.is_empty()
        && parts.services.search.is_none()
}

/// Begins a conversation.
pub(super) async fn start(State(app): State<Arc<App>>, request: Request<Body>) -> Response {
    let (browser, _, form) = match submitted(&app, request).await {
        Ok(read) => read,
        Err(refusal) => return refusal,
    };
    let name = guard::tidy_name(form.fields.get("name")).unwrap_or_default();
    let from = responder(&app, &browser, name);
    let flow = form.fields.get("flow");
    // One form for all flows: each is begun once from an opening of the page.
    let key = format!("{}.{flow}", form.fields.get("key"));
    let key: String = key.chars().take(limits::QUOTE_MAX).collect();
    // One place for each opening of the start page: a double click finds the conversation it began.
    let place = Place {
        platform: Platform::Web,
        workspace: "local".to_owned(),
        channel: format!("{}.{key}", from.person.user),
        thread: None,
    };
    let key = format!("web:start:{}:{key}", from.person);
    match app.engine.start(flow, &from, place, &key).await {
        Ok(session) => Redirect::to(&format!("/s/{session}")).into_response(),
        Err(error) => {
            let words = Text::from(words::of_error(&error));
            match start_markup(&app, &browser, Some(&words)).await {
                Ok(page) => (status_of(&error), html(&page)).into_response(),
                Err(error) => frame::problem(status_of(&error), &words::of_error(&error)),
            }
        }
    }
}

/// Whoever reloads the page on which a start was refused begins anew.
pub(super) async fn back_to_start() -> Redirect {
    Redirect::to("/")
}

fn responder(app: &App, browser: &Browser, name: String) -> Responder {
    let person = browser.person();
    let approver_of = app.settings.within(None).approver_of(&person, &BTreeSet::new(), false);
    Responder { person, name, approver_of, staff: false }
}

/// The conversation, if it is this browser's own; to anybody else it does not exist.
async fn own(app: &App, headers: &HeaderMap, id: &str) -> Result<(View, Browser), Response> {
    let nothing = || frame::problem(StatusCode::NOT_FOUND, messages::notices::NO_CONVERSATION);
    let browser = Browser::of(headers).ok_or_else(nothing)?;
    let session: SessionId = id.parse().map_err(|_| nothing())?;
    let view = View::load(app, session)
        .await
        .map_err(|error| frame::problem(status_of(&error), &words::of_error(&error)))?;
    // A child run is no conversation, though it is about the same person.
    if view.state.participant != browser.person() || view.loaded.head.parent.is_some() {
        return Err(nothing());
    }
    Ok((view, browser))
}

pub(super) fn cx(app: &App, browser: &Browser, session: SessionId, viewer: Audience) -> Cx {
    let page = app.engine.parts().ids.fresh().simple().to_string();
    Cx { viewer, session, csrf: browser.csrf(), page, draft: None, unsent: String::new() }
}

/// The view of a live connection.
pub(super) async fn live_cx(app: &App, headers: &HeaderMap, id: &str) -> Result<Cx, Response> {
    let (view, browser) = own(app, headers, id).await?;
    Ok(cx(app, &browser, view.state.session, Audience::Participant))
}

/// The messages that somebody wants to see: those before an event, or the latest.
#[derive(Debug, Clone, Copy, Default, serde::Deserialize)]
pub(super) struct Messages {
    before: Option<u64>,
}

impl Messages {
    /// The page of them.
    pub(super) fn page(self, view: &View, cx: &Cx) -> Response {
        match self.before {
            Some(before) => html(&conversation::earlier(view, cx, before)),
            None => html(&conversation::page(view, cx, None)),
        }
        .into_response()
    }
}

pub(super) async fn conversation(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(shown): Query<Messages>,
    headers: HeaderMap,
) -> Response {
    let (view, browser) = match own(&app, &headers, &id).await {
        Ok(own) => own,
        Err(refusal) => return refusal,
    };
    let cx = cx(&app, &browser, view.state.session, Audience::Participant);
    shown.page(&view, &cx)
}

/// What a form of the conversation is.
enum Kind {
    Answer,
    Say,
    Command,
}

async fn taken(app: Arc<App>, id: String, request: Request<Body>, kind: Kind) -> Response {
    let (view, browser) = match own(&app, request.headers(), &id).await {
        Ok(own) => own,
        Err(refusal) => return refusal,
    };
    let (_, headers, form) = match submitted(&app, request).await {
        Ok(read) => read,
        Err(refusal) => return refusal,
    };
    let session = view.state.session;
    let name =
        view.state.name.clone().unwrap_or_else(|| messages::unnamed::THE_PARTICIPANT.to_owned());
    let from = responder(&app, &browser, name);
    let outcome = match kind {
        Kind::Answer => reply::answer(&app, session, from, form).await,
        Kind::Say => reply::say(&app, session, from, form).await,
        Kind::Command => match parse::command(&form.fields) {
            Some(command) => reply::command(&app, session, from, (&form, command)).await,
            None => Ok(reply::Outcome::Told(Text::from(messages::page::STALE_FORM))),
        },
    };
    let cx = cx(&app, &browser, session, Audience::Participant);
    reply::respond(&app, &headers, (session, format!("/s/{session}")), (outcome, cx)).await
}

pub(super) async fn answer(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    request: Request<Body>,
) -> Response {
    taken(app, id, request, Kind::Answer).await
}

pub(super) async fn say(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    request: Request<Body>,
) -> Response {
    taken(app, id, request, Kind::Say).await
}

pub(super) async fn command(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    request: Request<Body>,
) -> Response {
    taken(app, id, request, Kind::Command).await
}

pub(super) async fn export(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    match own(&app, &headers, &id).await {
        Ok((view, _)) => bundle(&app, &view, Audience::Participant).await,
        Err(refusal) => refusal,
    }
}

/// A file that the bot made for them.
pub(super) async fn made(
    State(app): State<Arc<App>>,
    Path((id, file)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    match own(&app, &headers, &id).await {
        Ok((view, _)) => produced_files::file(&app, &view, &file).await,
        Err(refusal) => refusal,
    }
}

/// One archive with everything about a session.
pub(super) async fn bundle(app: &App, view: &View, reader: Audience) -> Response {
    let session = view.state.session;
    let made = async {
        let gathered = app.engine.gather(session).await;
        let gathered = gathered.map_err(|_| messages::notices::COPY_FAILED)?;
        app.engine.copy(&gathered, reader, CopyTo::Page).await.map_err(|error| match error {
            export::Error::Busy => messages::notices::COPY_LATER,
            _ => messages::notices::COPY_FAILED,
        })
    };
    let copy = match made.await {
        Ok(copy) => copy,
        Err(words) => {
            let home = match reader {
                Audience::Participant => format!("/s/{session}"),
                Audience::Staff => format!("/staff/s/{session}"),
            };
            return frame::problem_at(StatusCode::SERVICE_UNAVAILABLE, words, &home);
        }
    };
    let name = format!("attachment; filename=\"anteroom-{session}.zip\"");
    let disposition =
        HeaderValue::from_str(&name).unwrap_or(HeaderValue::from_static("attachment"));
    let kind = HeaderValue::from_static("application/zip");
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_DISPOSITION, disposition),
        (header::CONTENT_LENGTH, HeaderValue::from(copy.bytes.len())),
    ];
    (headers, sent(copy)).into_response()
}

/// Sends an archive, which has its room in memory until all of it was sent or nobody takes it any more.
fn sent(SessionCopy { bytes, room }: SessionCopy) -> Body {
    let pieces = stream::unfold((Bytes::from(bytes), room), |(mut bytes, room)| async move {
        let piece = bytes.split_to(bytes.len().min(PIECE));
        (!piece.is_empty()).then_some((Ok::<_, Infallible>(piece), (bytes, room)))
    });
    Body::from_stream(pieces)
}

/// Bytes of an archive that are sent in one go.
const PIECE: usize = 64 * 1024;

/// The address of the page after an erasure.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Receipt {
    #[serde(default)]
    receipt: String,
}

pub(super) async fn erased(Query(Receipt { receipt }): Query<Receipt>) -> Response {
    // Only what looks like a receipt is shown: an address can be made by anybody.
    let is_receipt = receipt.len() <= limits::RECEIPT_MAX
        && receipt.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    html(&participant_page::erased(if is_receipt { &receipt } else { "" })).into_response()
}
