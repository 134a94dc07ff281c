//! What machines ask: is the process alive, is it ready, how is it doing.
//!
//! | path | answer |
//! |---|---|
//! | `/healthz` | 200 `ok` as long as the process answers at all; a supervisor that gets no answer restarts it; where nothing can be saved, 200 and why |
//! | `/readyz` | 200 `ready`, or `degraded` and a line for each thing that somebody outside must mend; 503 and why where nobody can be served |
//! | `/metrics` | what was counted, in the text format of Prometheus |
//!
//! The first two are on the page's own address. Metrics are too where only this machine can ask; whoever lets other
//! machines in names another address for them (`[metrics] listen`), where all three are answered.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};

use metrics::gauge;
use tokio::time::timeout;
use tower_http::timeout::TimeoutLayer;

use super::{app::App, limits};
use crate::{
    base::telemetry::metric,
    config::Settings,
    engine::Outage,
    model::{
        effect::{CauseKind, Reach},
        session::Platform,
    },
    ports::llm::{Model, Models},
    store::health::{Health, Trouble},
};

/// Longest time that the page of metrics waits to learn whether people can be served: whoever collects them waits for ten
/// seconds by default, and must learn of a database that doesn't answer.
pub(super) const ANSWER_MAX: Duration = Duration::from_secs(3);

/// The paths of this module.
pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/healthz", get(alive)).route("/readyz", get(ready))
}

/// The page of metrics.
pub(super) fn metrics() -> Router<Arc<App>> {
    Router::new().route("/metrics", get(measured))
}

/// Everything, for an address of its own.
pub(super) fn monitor(app: Arc<App>) -> Router {
    let timeout =
        TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, limits::REQUEST_TIMEOUT);
    routes().merge(metrics()).layer(timeout).with_state(app)
}

/// The page of metrics of a node that stands by; `is_ready` where the active one is.
pub(super) fn measured_standing_by(is_ready: bool) -> Response {
    gauge!(metric::READY).set(if is_ready { 1.0 } else { 0.0 });
    page()
}

async fn measured(State(app): State<Arc<App>>) -> Response {
    let (active, queued) = app.engine.load_now();
    gauge!(metric::ACTIVE_SESSIONS).set(metric::as_f64(active));
    gauge!(metric::QUEUED, "queue" => "sessions").set(metric::as_f64(queued));
    gauge!(metric::LIVE).set(metric::as_f64(app.live.taken()));
    gauge!(metric::DAMAGED).set(metric::as_f64(app.engine.damage().len()));
    let is_ready = matches!(timeout(ANSWER_MAX, readiness(&app)).await, Ok(Ok(())));
    gauge!(metric::READY).set(if is_ready { 1.0 } else { 0.0 });
    let scrubbed = app.engine.scrubbed().map_or(0, |last| last.at.timestamp());
    gauge!(metric::SCRUBBED_SECONDS).set(metric::as_f64(scrubbed.try_into().unwrap_or_default()));
    page()
}

fn page() -> Response {
    match metric::page() {
        Some(page) => ([(header::CONTENT_TYPE, metric::CONTENT_TYPE)], page).into_response(),
        None => (StatusCode::NOT_FOUND, "nothing is measured here").into_response(),
    }
}

/// A store that is read-only mends itself and keeps its readers: no reason to start the process again.
async fn alive(State(app): State<Arc<App>>) -> String {
    match app.engine.parts().store.health() {
        Health::Well => "ok".to_owned(),
        Health::ReadOnly(trouble) => format!("alive, but {}", unsaved(trouble)),
    }
}

async fn ready(State(app): State<Arc<App>>) -> Response {
    match readiness(&app).await {
        Ok(()) => degraded(&app).into_response(),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, why).into_response(),
    }
}

/// Whether people can be served, or why not.
async fn readiness(app: &App) -> Result<(), String> {
    if app.shutdown.is_cancelled() {
        return Err("the bot is stopping".to_owned());
    }
    if !app.engine.is_running() {
        return Err("the engine does not run".to_owned());
    }
    if let Health::ReadOnly(trouble) = app.engine.parts().store.health() {
        return Err(unsaved(trouble));
    }
    let artifacts = &app.engine.parts().artifacts;
    if artifacts.check().await.is_err() {
        let hint = artifacts.hint();
        return Err(format!("files cannot be kept. hint: {hint}"));
    }
    app.parts.iter().try_for_each(|part| part.ready())?;
    if let Some(why) = nobody_served(&app.engine.outages(), &app.settings) {
        return Err(why);
    }
    let read = app.engine.parts().store.sessions(None, 1).await;
    read.map(drop).map_err(|_| "the store cannot be read".to_owned())
}

/// That people can be served, and what of it waits until somebody outside mends something. Without names of channels and
/// workspaces: whoever can reach the page can read it.
fn degraded(app: &App) -> String {
    let outages = app.engine.outages();
    let mut lines = Vec::from_iter(damaged(app.engine.damage().len()));
    lines.extend(model_troubles(&app.engine.parts().models));
    if outages.is_empty() && lines.is_empty() {
        return "ready".to_owned();
    }
    for outage in &outages {
        let line = format!("{}. hint: {}", outage.cause.in_general(), outage.cause.kind.remedy());
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let waiting: usize = outages.iter().map(|outage| outage.effects).sum();
    let what =
        if outages.is_empty() { String::new() } else { format!(": {waiting} deliveries wait") };
    format!("degraded{what}\n{}\n", lines.join("\n"))
}

/// Models that cannot be used just now, by purpose.
fn model_troubles(models: &Models) -> Vec<String> {
    let all = [
        ("interview", &models.interview),
        ("extract", &models.extract),
        ("vision", &models.vision),
    ];
    let line = |(purpose, model): (&str, &Option<Arc<dyn Model>>)| {
        let why = match model.as_ref()?.trouble()? {
            "misconfigured" => {
                "its provider doesn't take requests. hint: check the key, `model` and `base_url`; the log has the details"
            }
            "exhausted" => "the account with its provider is used up. hint: top it up",
            _ => {
                "its provider has failed several times in a row. hint: nothing to do if this passes; else see its status page"
            }
        };
        Some(format!("the model of `{purpose}` can't be used: {why}"))
    };
    all.into_iter().filter_map(line).collect()
}

/// That something stored is damaged; without names, as above.
fn damaged(count: usize) -> Option<String> {
    let hint = "`anteroom scrub` names them; restore a backup with `anteroom restore`, or take over what can be read with \
                `anteroom repair --to DIR`";
    (count > 0)
        .then(|| format!("stored records or files that cannot be read: {count}. hint: {hint}"))
}

/// Why nobody can be served: every chat platform that is connected refuses the bot's only token.
fn nobody_served(outages: &[Outage], settings: &Settings) -> Option<String> {
    let is_rejected = |platform: Platform| {
        let mut all = outages.iter().map(|outage| &outage.cause);
        all.find(|cause| {
            cause.platform == platform
                && cause.kind == CauseKind::TokenRejected
                && cause.reach == Reach::Platform
        })
    };
    let slack = settings.slack.as_ref().and_then(|slack| slack.connection.as_ref());
    let discord = settings.discord.as_ref().and_then(|discord| discord.connection.as_ref());
    let connected =
        slack.map(|_| Platform::Slack).into_iter().chain(discord.map(|_| Platform::Discord));
    let rejected: Option<Vec<_>> = connected.map(is_rejected).collect();
    let first = rejected?.into_iter().next()?;
    Some(format!("{}. hint: {}", first.in_general(), first.kind.remedy()))
}

/// Without paths: whoever can reach the page can read it.
fn unsaved(trouble: Trouble) -> String {
    format!("nothing can be saved: {trouble}. hint: {}", trouble.hint())
}
