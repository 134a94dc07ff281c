//! What a submitted form comes to: hands it to the engine, and answers a script with JSON and a plain browser with
//! a page.

use std::sync::Arc;

use axum::{
    Json,
    body::Body,
    extract::Request,
    http::{HeaderMap, StatusCode, header},
    response::{Html, IntoResponse, Redirect, Response},
};
use maud::Markup;
use serde_json::json;

use super::{
    app::App,
    conversation,
    files::{Submission, Unread},
    frame,
    guard::Browser,
    markup,
    piece::{self, Cx, Draft},
    render,
    view::View,
};
use crate::{
    base::ids::{SessionId, WaitId},
    chat::form::{self, ComponentId, Fields, Sheet, review_editor, words},
    engine::{self, Inbound, InboundKind, Receipt},
    messages::{self, Text},
    model::{
        audit::sha256,
        transcript::{Event, Recorded, Via},
        ui::{Control, Decision, FieldError, Reply},
        wait::{Settlement, Vote, Wait},
    },
    session::{Command, Responder, answer::describe, typed},
};

/// What became of a form.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It did its work.
    Done,
    /// It has answered this question, whose card is drawn as it stands now.
    Answered(WaitId),
    /// Everything was erased; the receipt's number.
    Erased(String),
    /// A command that was typed has done its work; the words, which the transcript does not hold.
    Ordered(String),
    /// It did not; why, for the person.
    Told(Text),
    /// A message was not taken; why, and the message, which stays in its place.
    Unsent(Text, String),
    /// The form again, with what was typed and what is wrong with it.
    Again(Draft),
    /// The engine could not take it; why, and what was typed, which stays in its place.
    Failed(engine::Error, Typed),
}

/// What was typed into a form.
#[derive(Debug)]
pub(super) enum Typed {
    /// A message.
    Message(String),
    /// An answer on a card.
    Card(Draft),
}

/// Reads a form that one of our pages made for this browser.
pub(super) async fn submitted(
    app: &App,
    request: Request<Body>,
) -> Result<(Browser, HeaderMap, Submission), Response> {
    let headers = request.headers().clone();
    let home = home_of(request.uri().path()).to_owned();
    let refused = |status, words: &str| {
        if wants_json(&headers) {
            let notice = markup::shown(&Text::from(words.to_owned()), None).into_string();
            (status, Json(json!({ "ok": false, "notice": notice, "pieces": [] }))).into_response()
        } else {
            frame::problem_at(status, words, &home)
        }
    };
    let stale = || refused(StatusCode::FORBIDDEN, messages::page::STALE_FORM);
    let browser = Browser::of(&headers).ok_or_else(stale)?;
    let unread = |why| match why {
        Unread::TooLarge => refused(StatusCode::PAYLOAD_TOO_LARGE, messages::page::LARGE_FORM),
        Unread::NoForm => refused(StatusCode::BAD_REQUEST, messages::page::UNREAD_FORM),
    };
    let submission = Submission::read(app, request).await.map_err(unread)?;
    if !browser.made(submission.fields.get("csrf")) {
        return Err(stale());
    }
    Ok((browser, headers, submission))
}

/// The page that a form stands on, by where it is sent: `/s/0198…` of `/s/0198…/answer`.
fn home_of(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((home, _)) if !home.is_empty() => home,
        _ => "/",
    }
}

/// The key of a submission: the same form of the same opening of a page with the same content is the same event,
/// however often it is sent.
fn key(submission: &Submission, from: &Responder) -> String {
    let mut content = from.person.to_string();
    for (name, value) in &submission.fields.0 {
        content.extend(["\0", name, "\0", value]);
    }
    for (name, bytes) in &submission.files {
        content.extend(["\0", name, "\0", &sha256(bytes)]);
    }
    format!("web:{}", sha256(content.as_bytes()))
}

/// An answer by the control of a card.
pub(super) async fn answer(
    app: &App,
    session: SessionId,
    from: Responder,
    mut form: Submission,
) -> Result<Outcome, engine::Error> {
    let Some(element) = ComponentId::parse(form.fields.get("element")) else {
        return Ok(Outcome::Told(Text::from(messages::page::STALE_FORM)));
    };
    let view = View::load(app, session).await?;
    let Some(wait) = view.state.waits.get(&element.wait) else {
        let receipt = Receipt::Settled(Settlement::Unknown);
        return Ok(outcome(receipt, None, &from, None));
    };
    if element.is_rearranging() {
        return Ok(rearranged(wait, &element, form.fields));
    }
    let key = key(&form, &from);
    let what = entered(app, session, (wait, &element), &mut form).await;
    let drafted = |form: Submission, errors| {
        let (fields, action) = (form.fields, element.action.clone());
        Draft { wait: wait.id, fields, errors, action }
    };
    let failed = |error, form| {
        // An approval brings no values along.
        if wait.status.is_pending() && element.action != "approve" {
            Ok(Outcome::Failed(error, Typed::Card(drafted(form, Vec::new()))))
        } else {
            Err(error)
        }
    };
    let what = match what {
        Ok(Ok(what)) => what,
        Ok(Err(errors)) if wait.status.is_pending() => {
            return Ok(Outcome::Again(drafted(form, errors)));
        }
        Ok(Err(_)) => return Ok(Outcome::Told(Text::from(messages::notices::QUESTION_CLOSED))),
        Err(error) => return failed(error, form),
    };
    let reply = match &what {
        InboundKind::Answer { reply, .. } => Some(reply.clone()),
        InboundKind::Said { .. }
        | InboundKind::Amended { .. }
        | InboundKind::Offered { .. }
        | InboundKind::Sent { .. }
        | InboundKind::Lost { .. }
        | InboundKind::Back
        | InboundKind::MayHaveRoles { .. }
        | InboundKind::Command(_) => None,
    };
    match app.engine.receive(Inbound { key, session, from: from.clone(), what }).await {
        Ok(Receipt::Settled(Settlement::Invalid { errors })) => {
            let errors = errors.into_iter().map(|error| placed(error, wait)).collect();
            Ok(Outcome::Again(drafted(form, errors)))
        }
        Ok(receipt) => Ok(outcome(receipt, Some(wait), &from, reply.as_ref())),
        Err(error) => failed(error, form),
    }
}

/// What was entered on a card, or what is wrong with it.
async fn entered(
    app: &App,
    session: SessionId,
    (wait, element): (&Wait, &ComponentId),
    form: &mut Submission,
) -> Result<Result<InboundKind, Vec<FieldError>>, engine::Error> {
    if matches!(wait.prompt.control, Control::Upload(_)) && element.action == "send" {
        return send_files(app, session, wait, form).await;
    }
    let reply = form::reply(&wait.prompt, &element.action, &form.fields);
    let (wait, revision) = (wait.id, element.revision);
    Ok(reply.map(|reply| InboundKind::Answer { wait, revision, reply, via: Via::Component }))
}

/// An upload has one input; whatever is wrong with it stands there.
fn placed(error: FieldError, wait: &Wait) -> FieldError {
    match wait.prompt.control {
        Control::Upload(_) => FieldError { path: "files".to_owned(), ..error },
        _ => error,
    }
}

async fn send_files(
    app: &App,
    session: SessionId,
    wait: &Wait,
    form: &mut Submission,
) -> Result<Result<InboundKind, Vec<FieldError>>, engine::Error> {
    let wrong =
        |message: &str| FieldError { path: "files".to_owned(), message: message.to_owned() };
    if form.files.is_empty() && form.too_large.is_empty() {
        return Ok(Err(vec![wrong(messages::answers::CHOOSE_FILE_FIRST)]));
    }
    Ok(match form.keep(&app.engine, session, Some(wait.id)).await? {
        Ok(files) => Ok(InboundKind::Sent { wait: Some(wait.id), files }),
        Err(refused) => Err(refused.iter().map(|words| wrong(words)).collect()),
    })
}

/// The edit form with an entry added, removed or moved.
fn rearranged(wait: &Wait, element: &ComponentId, mut fields: Fields) -> Outcome {
    let Control::Review(review) = &wait.prompt.control else {
        return Outcome::Told(Text::from(messages::page::STALE_FORM));
    };
    let mut sheet = Sheet::read(review, &fields);
    sheet.rearrange(review, &element.action, &mut fields);
    fields.0.retain(|(name, _)| !name.starts_with("rows."));
    for (n, rows) in sheet.rows.iter().enumerate() {
        for row in rows {
            let row = row.map_or_else(|| "new".to_owned(), |row| row.to_string());
            fields.0.push((review_editor::rows_name(n), row));
        }
    }
    let action = element.action.clone();
    Outcome::Again(Draft { wait: wait.id, fields, errors: Vec::new(), action })
}

/// Words, files or both, outside of a card. Words that are not taken stay in their place.
pub(super) async fn say(
    app: &App,
    session: SessionId,
    from: Responder,
    form: Submission,
) -> Result<Outcome, engine::Error> {
    let text = form::text(form.fields.get("text"));
    if let Some(refused) = too_long(&text) {
        return Ok(Outcome::Unsent(refused, text));
    }
    Ok(match said(app, session, from, (form, &text)).await {
        Ok(Outcome::Told(words)) if !text.is_empty() => Outcome::Unsent(words, text),
        Ok(taken) => taken,
        Err(error) => Outcome::Failed(error, Typed::Message(text)),
    })
}

async fn said(
    app: &App,
    session: SessionId,
    from: Responder,
    (mut form, text): (Submission, &str),
) -> Result<Outcome, engine::Error> {
    let key = key(&form, &from);
    let files = match form.keep(&app.engine, session, None).await? {
        Ok(files) => files,
        Err(refused) => {
            return Ok(Outcome::Unsent(Text::from(refused.join(" ")), text.to_owned()));
        }
    };
    let mut last = Outcome::Done;
    if !files.is_empty() {
        let key = format!("{key}:files");
        let what = InboundKind::Sent { wait: None, files };
        let receipt =
            app.engine.receive(Inbound { key, session, from: from.clone(), what }).await?;
        last = outcome(receipt, None, &from, None);
    }
    if !text.is_empty() {
        let is_command = typed::order(text).is_some();
        let what = InboundKind::Said { text: text.to_owned(), source: None };
        let receipt =
            app.engine.receive(Inbound { key, session, from: from.clone(), what }).await?;
        last = match outcome(receipt, None, &from, None) {
            Outcome::Done if is_command => Outcome::Ordered(text.to_owned()),
            last => last,
        };
    }
    Ok(last)
}

/// What is said of a message that is longer than one may be.
fn too_long(text: &str) -> Option<Text> {
    let (count, most) = (text.chars().count(), super::limits::TEXT_MAX);
    (count > most).then(|| Text::from(messages::page::long_message(count, most)))
}

/// An order from the menu.
pub(super) async fn command(
    app: &App,
    session: SessionId,
    from: Responder,
    (form, command): (&Submission, Command),
) -> Result<Outcome, engine::Error> {
    let key = key(form, &from);
    let what = InboundKind::Command(command);
    let receipt = app.engine.receive(Inbound { key, session, from: from.clone(), what }).await?;
    Ok(outcome(receipt, None, &from, None))
}

/// Words of a staff member for the participant. What is not taken stays in its place.
pub(super) async fn write(
    app: &App,
    session: SessionId,
    from: Responder,
    (form, text): (&Submission, String),
) -> Result<Outcome, engine::Error> {
    if let Some(refused) = too_long(&text) {
        return Ok(Outcome::Unsent(refused, text));
    }
    let written = Command::Write { text: text.clone() };
    Ok(match command(app, session, from, (form, written)).await {
        Ok(Outcome::Told(words)) => Outcome::Unsent(words, text),
        Ok(taken) => taken,
        Err(error) => Outcome::Failed(error, Typed::Message(text)),
    })
}

fn outcome(
    receipt: Receipt,
    wait: Option<&Wait>,
    from: &Responder,
    reply: Option<&Reply>,
) -> Outcome {
    if let Receipt::Erased { receipt, .. } = receipt {
        return Outcome::Erased(receipt);
    }
    let done = wait.map_or(Outcome::Done, |wait| Outcome::Answered(wait.id));
    match (&receipt, wait, reply) {
        // The same person, the same choice, twice: nothing to tell.
        (
            Receipt::Settled(Settlement::AlreadySettled { by, choice, .. }),
            Some(wait),
            Some(reply),
        ) if *by == from.person && *choice == describe(&wait.prompt.control, reply) => {
            return done;
        }
        (Receipt::Settled(Settlement::Applied), Some(wait), Some(reply)) => {
            if let Some(words) = voted_before(wait, from, reply) {
                return Outcome::Told(words);
            }
        }
        _ => {}
    }
    match words::of_receipt(&receipt, wait.map(|wait| &*wait.prompt), &from.person) {
        Some(words) => Outcome::Told(words),
        None => done,
    }
}

/// What to tell somebody whose vote was the same before, where it takes others to decide.
fn voted_before(wait: &Wait, from: &Responder, reply: &Reply) -> Option<Text> {
    let Reply::Decided { decision, .. } = reply else { return None };
    let approves = *decision == Decision::Approved;
    let is_same = |vote: &Vote| vote.by == from.person && vote.approves() == approves;
    let known = wait.votes.iter().any(is_same) && wait.quorum > 1;
    known.then(|| Text::from(messages::requests::voted_before(approves, wait.quorum)))
}

/// Answers a form: JSON for our script, otherwise a page or the way to one.
pub(super) async fn respond(
    app: &Arc<App>,
    headers: &HeaderMap,
    (session, home): (SessionId, String),
    (outcome, mut cx): (Result<Outcome, engine::Error>, Cx),
) -> Response {
    let json = wants_json(headers);
    let (notice, status) = match outcome {
        Ok(Outcome::Done) if json => return Json(json!({ "ok": true })).into_response(),
        Ok(Outcome::Answered(wait)) if json => return answered(app, session, &cx, wait).await,
        Ok(Outcome::Ordered(text)) if json => {
            let said = render::said_by_you(&text).into_string();
            return Json(json!({ "ok": true, "said": said })).into_response();
        }
        // To the end of the conversation, where something has happened.
        Ok(Outcome::Done | Outcome::Answered(_) | Outcome::Ordered(_)) => {
            return Redirect::to(&format!("{home}#tail")).into_response();
        }
        Ok(Outcome::Erased(receipt)) => {
            let location = format!("/erased?receipt={receipt}");
            if json {
                return Json(json!({ "ok": true, "location": location })).into_response();
            }
            return Redirect::to(&location).into_response();
        }
        Ok(Outcome::Told(words)) => (Some(words), StatusCode::CONFLICT),
        Ok(Outcome::Unsent(words, text)) => {
            cx.unsent = text;
            (Some(words), StatusCode::UNPROCESSABLE_ENTITY)
        }
        Ok(Outcome::Again(draft)) => {
            let is_wrong = !draft.errors.is_empty();
            cx.draft = Some(draft);
            (None, if is_wrong { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK })
        }
        Ok(Outcome::Failed(error, typed)) => {
            match typed {
                Typed::Message(text) => cx.unsent = text,
                // The script leaves the card as it is, with the files that were chosen.
                Typed::Card(_) if json => {}
                Typed::Card(draft) => cx.draft = Some(draft),
            }
            (Some(Text::from(words::of_error(&error))), status_of(&error))
        }
        Err(error) => (Some(Text::from(words::of_error(&error))), status_of(&error)),
    };
    let view = match View::load(app, session).await {
        Ok(view) => view,
        Err(error) => return frame::problem(status_of(&error), &words::of_error(&error)),
    };
    if !json {
        let page = conversation::page(&view, &cx, notice.as_ref());
        return (status, html(&page)).into_response();
    }
    let drafted = cx.draft.as_ref().map(|draft| draft.wait);
    let pieces = drafted.map(|wait| card_of(&view, &cx, wait)).unwrap_or_default();
    let notice = notice.map(|words| markup::shown(&words, None).into_string());
    (status, Json(json!({ "ok": false, "notice": notice, "pieces": pieces }))).into_response()
}

/// An answer was taken: its card as it stands now, without what was typed or wrong before. Nothing else may have changed
/// in it, so that no news of it come.
async fn answered(app: &App, session: SessionId, cx: &Cx, wait: WaitId) -> Response {
    // What was erased meanwhile has no card.
    let view = View::load(app, session).await.ok();
    let pieces = view.map(|view| card_of(&view, cx, wait)).unwrap_or_default();
    Json(json!({ "ok": true, "pieces": pieces })).into_response()
}

/// The card of a question, for the script.
fn card_of(view: &View, cx: &Cx, wait: WaitId) -> Vec<serde_json::Value> {
    let is_asked =
        |recorded: &Recorded| matches!(&*recorded.event, Event::Asked(asked) if asked.id == wait);
    view.log(cx, is_asked).iter().map(|piece| piece_json(piece, "log")).collect()
}

/// A piece of the page for the script; `into` is where it goes if it is new.
pub(super) fn piece_json(piece: &piece::Fragment, into: &str) -> serde_json::Value {
    json!({ "id": piece.id, "rev": piece.revision, "html": piece.html, "spoken": piece.spoken, "into": into })
}

pub(super) fn html(page: &Markup) -> Html<String> {
    Html(page.0.clone())
}

pub(super) const fn status_of(error: &engine::Error) -> StatusCode {
    match error {
        engine::Error::NoSession | engine::Error::NoFlow(_) => StatusCode::NOT_FOUND,
        engine::Error::Held(_) | engine::Error::Refused(_) => StatusCode::CONFLICT,
        engine::Error::BrokenFlow(_) => StatusCode::INTERNAL_SERVER_ERROR,
        engine::Error::Store(_) | engine::Error::Busy => StatusCode::SERVICE_UNAVAILABLE,
    }
}

fn wants_json(headers: &HeaderMap) -> bool {
    headers.get(header::ACCEPT).is_some_and(|accept| accept.as_bytes() == b"application/json")
}
