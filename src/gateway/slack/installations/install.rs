//! The two addresses that a browser visits to install the app.
//!
//! What Slack sends back must belong to a visit that began here, in the same browser, within ten minutes: the state in
//! the address is the one in the cookie, and only this program can have made it.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Query, State},
    http::{HeaderMap, StatusCode, header},
    response::{Html, IntoResponse, Redirect, Response},
    routing::get,
};
use hmac::{Hmac, KeyInit, Mac};
use maud::{DOCTYPE, Markup, html};
use serde::Deserialize;
use sha2::Sha256;
use subtle::ConstantTimeEq;

use super::{BOT_SCOPES, Error, Installations, Many};
use crate::{messages, model::audit::hex};

/// Where a visit begins.
const BEGIN: &str = "/slack/install";

/// The cookie that a visit begins with.
const COOKIE: &str = "anteroom_slack";

/// Longest time from the first address to the second, in seconds.
const VISIT_MAX: i64 = 600;

/// The routes of installing, for the server that Slack's requests come to.
pub fn routes(installations: Arc<Installations>) -> Router {
    Router::new()
        .route(BEGIN, get(begin))
        .route("/slack/oauth", get(finish))
        .with_state(installations)
}

async fn begin(State(installations): State<Arc<Installations>>) -> Response {
    let Some(many) = &installations.many else {
        return page(
            StatusCode::NOT_FOUND,
            messages::slack::INSTALL_NOT_HERE,
            messages::slack::INSTALL_ONE_WORKSPACE,
        );
    };
    let state = fresh(many);
    let address =
        state.as_ref().and_then(|state| many.asker.authorize_url(&BOT_SCOPES.join(","), state));
    let (Some(state), Some(address)) = (state, address) else {
        return page(
            StatusCode::INTERNAL_SERVER_ERROR,
            messages::page::SORRY,
            messages::slack::INSTALL_FAILED,
        );
    };
    ([(header::SET_COOKIE, cookie(many, &state, VISIT_MAX))], Redirect::to(&address))
        .into_response()
}

/// What the browser brings back.
#[derive(Deserialize)]
struct Brought {
    code: Option<String>,
    state: Option<String>,
    error: Option<String>,
}

async fn finish(
    State(installations): State<Arc<Installations>>,
    Query(brought): Query<Brought>,
    headers: HeaderMap,
) -> Response {
    let Some(many) = &installations.many else {
        return page(
            StatusCode::NOT_FOUND,
            messages::slack::INSTALL_NOT_HERE,
            messages::slack::INSTALL_ONE_WORKSPACE,
        );
    };
    let state = brought.state.unwrap_or_default();
    if !is_ours(many, &state, &headers) {
        let words = messages::slack::INSTALL_OTHER_VISIT;
        return page(StatusCode::FORBIDDEN, messages::slack::INSTALL_AGAIN, words);
    }
    let gone = [(header::SET_COOKIE, cookie(many, "", 0))];
    if brought.error.is_some() {
        let words = messages::slack::NOTHING_INSTALLED;
        return (gone, page(StatusCode::OK, messages::slack::NOT_INSTALLED, words)).into_response();
    }
    let answer = match installations.install(&brought.code.unwrap_or_default()).await {
        Ok(()) => page(StatusCode::OK, messages::slack::INSTALLED, messages::slack::INSTALL_DONE),
        Err(Error::Store(error)) => {
            tracing::error!(
                %error,
                "a workspace has installed the app, and its token could not be saved. hint: it has to be installed there \
                 once more when the store takes writes again"
            );
            not_kept()
        }
        Err(error) => {
            tracing::error!(%error, "the app could not be installed in a workspace");
            page(
                StatusCode::BAD_GATEWAY,
                messages::slack::NOT_INSTALLED,
                messages::slack::INSTALL_FAILED,
            )
        }
    };
    (gone, answer).into_response()
}

/// A state that nobody else can make: random, time, signature.
fn fresh(many: &Many) -> Option<String> {
    let words = format!("{}.{}", many.vault.random()?, many.clock.now().timestamp());
    let signature = signature(many, &words)?;
    Some(format!("{words}.{signature}"))
}

fn is_ours(many: &Many, state: &str, headers: &HeaderMap) -> bool {
    let same = |a: &str, b: &str| bool::from(a.as_bytes().ct_eq(b.as_bytes()));
    let Some((words, given)) = state.rsplit_once('.') else { return false };
    let Some(expected) = signature(many, words) else { return false };
    let began = words.rsplit_once('.').and_then(|(_, time)| time.parse::<i64>().ok());
    let age = began.map(|began| many.clock.now().timestamp() - began);
    same(given, &expected)
        && age.is_some_and(|age| (0..=VISIT_MAX).contains(&age))
        && visit(headers).is_some_and(|visit| same(visit, state))
}

fn signature(many: &Many, words: &str) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(many.asker.secret().expose().as_bytes()).ok()?;
    mac.update(b"anteroom install ");
    mac.update(words.as_bytes());
    Some(hex(&mac.finalize().into_bytes()))
}

/// The state in the cookie.
fn visit(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='))
}

fn cookie(many: &Many, state: &str, seconds: i64) -> String {
    let secure = if many.asker.is_https() { "; Secure" } else { "" };
    format!("{COOKIE}={state}; Path=/slack; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
}

/// The token came and is lost again: Slack gives another one to whoever installs once more.
fn not_kept() -> Response {
    page_with(
        StatusCode::SERVICE_UNAVAILABLE,
        messages::slack::INSTALL_NOT_FINISHED,
        &html! {
            p { (messages::slack::INSTALL_NOT_KEPT) }
            p { a href=(BEGIN) { (messages::slack::INSTALL_ONCE_MORE) } }
        },
    )
}

fn page(status: StatusCode, title: &str, words: &str) -> Response {
    page_with(status, title, &html! { p { (words) } })
}

fn page_with(status: StatusCode, title: &str, body: &Markup) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { (title) }
            }
            body { h1 { (title) } (body) }
        }
    };
    let headers = [
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    ];
    (status, headers, Html(page.into_string())).into_response()
}
