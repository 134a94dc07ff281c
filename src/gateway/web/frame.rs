//! What surrounds every page, and the page that only says why there is nothing else.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use maud::{DOCTYPE, Markup, html};

use super::{brand, markup};
use crate::messages::{self, Text};

/// What surrounds every page.
pub(super) struct Frame<'a> {
    pub(super) title: &'a str,
    /// Where live updates of this page come from.
    pub(super) live: Option<String>,
    pub(super) class: &'a str,
    /// What became of the last form.
    pub(super) notice: Option<&'a Text>,
}

impl Frame<'_> {
    pub(super) fn around(&self, content: &Markup) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " · " (brand::current().name) }
                    link rel="stylesheet" href="/assets/app.css";
                    @if brand::current().accents.is_some() { link rel="stylesheet" href="/assets/brand.css"; }
                    link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                    script src="/assets/app.js" defer {}
                }
                body class=(self.class) data-live=[self.live.as_deref()] {
                    a.skip-link href="#main" { (messages::page::SKIP_TO_CONTENT) }
                    div #notice role="alert" { @if let Some(words) = self.notice { p { (markup::shown(words, None)) } } }
                    p #link role="status" {}
                    (content)
                    p #aloud .sr aria-live="polite" {}
                }
            }
        }
    }
}

/// A page that says why there is nothing else on it.
pub(super) fn problem(status: StatusCode, words: &str) -> Response {
    problem_at(status, words, "/")
}

/// A page that asks for itself once more.
pub(super) fn again() -> Response {
    let frame =
        Frame { title: messages::page::ONE_MOMENT, live: None, class: "plain", notice: None };
    let content = html! { main #main { h1 { (messages::page::ONE_MOMENT) } } };
    ([("refresh", "0")], Html(frame.around(&content).into_string())).into_response()
}

/// A page that asks for itself again until this node or another one can say what stands there.
pub(super) fn unavailable() -> Response {
    let mut response = problem(StatusCode::SERVICE_UNAVAILABLE, messages::page::UNREACHABLE);
    let headers = response.headers_mut();
    headers.insert("refresh", HeaderValue::from_static("2"));
    headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// A page that says why there is nothing else on it, with the way back to `home`, the page that it happened on.
pub(super) fn problem_at(status: StatusCode, words: &str, home: &str) -> Response {
    let frame = Frame { title: messages::page::SORRY, live: None, class: "plain", notice: None };
    let back = match home {
        "/" => messages::buttons::BACK_TO_START,
        home if home.contains("/s/") => messages::buttons::BACK_TO_CONVERSATION,
        _ => messages::buttons::BACK,
    };
    let content = html! {
        main #main { h1 { (messages::page::SORRY) } p { (words) } p { a.button href=(home) { (back) } } }
    };
    (status, Html(frame.around(&content).into_string())).into_response()
}
