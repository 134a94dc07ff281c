//! Live pages: server-sent events with pieces of the page. A piece carries its name and revision, so the same piece
//! twice is harmless, and a connection that comes back gets everything again.

use std::{
    collections::{BTreeMap, VecDeque},
    convert::Infallible,
    sync::Arc,
    time::Duration,
};

use axum::{
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures::{Stream, StreamExt, stream};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::{
    connect::App,
    guard::Browser,
    limits, page, participant as own,
    places::{Full, Place},
    render::{Cx, Fragment},
    reply::{self, piece_json},
    staff::{self, Member},
    staff_page, texts,
};
use crate::engine::{Changed, Error};

/// Changes that come close together reach the page as one.
const PAUSE: Duration = Duration::from_millis(40);

/// What a live page shows.
enum Shown {
    Session(Cx),
    Overview(Member),
}

struct Live {
    app: Arc<App>,
    shown: Shown,
    changes: broadcast::Receiver<Changed>,
    /// Revision of every piece that this connection has.
    sent: BTreeMap<String, String>,
    queue: VecDeque<Event>,
    begun: bool,
    over: bool,
    _place: Place,
}

pub(super) async fn participant(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    match own::live_cx(&app, &headers, &id).await {
        Ok(cx) => open(app, &headers, Shown::Session(cx)),
        Err(refusal) => refusal,
    }
}

pub(super) async fn staff_session(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    match staff::live_cx(&app, &headers, &id).await {
        Ok(cx) => open(app, &headers, Shown::Session(cx)),
        Err(refusal) => refusal,
    }
}

pub(super) async fn staff_overview(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    match Member::of(&app, &headers).filter(|member| member.name.is_some()) {
        Some(member) => open(app, &headers, Shown::Overview(member)),
        None => page::problem(StatusCode::FORBIDDEN, texts::STAFF_KEY),
    }
}

fn open(app: Arc<App>, headers: &HeaderMap, shown: Shown) -> Response {
    let session = match &shown {
        Shown::Session(cx) => Some(cx.session),
        Shown::Overview(_) => None,
    };
    let Some(browser) = Browser::of(headers) else {
        return page::problem(StatusCode::FORBIDDEN, texts::STALE_FORM);
    };
    // Staff and participant at one browser are one here: its connections are what there are few of.
    let place = match app.live.take(browser.person(), session) {
        Ok(place) => place,
        Err(Full::Own) => return page::problem(StatusCode::TOO_MANY_REQUESTS, texts::MANY_PAGES),
        Err(Full::All) => return page::problem(StatusCode::SERVICE_UNAVAILABLE, texts::ALL_PAGES),
    };
    let shutdown = app.shutdown.clone();
    let live = Live {
        changes: app.engine.watch(),
        app,
        shown,
        sent: BTreeMap::new(),
        queue: VecDeque::new(),
        begun: false,
        over: false,
        _place: place,
    };
    let events = events(live).take_until(shutdown.cancelled_owned());
    Sse::new(events).keep_alive(KeepAlive::new().interval(limits::LIVE_PING)).into_response()
}

fn events(live: Live) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(live, |mut live| async move {
        loop {
            if let Some(event) = live.queue.pop_front() {
                return Some((Ok(event), live));
            }
            if live.over || (live.begun && !live.changed().await) {
                return None;
            }
            live.begun = true;
            live.look().await;
        }
    })
}

impl Live {
    /// Waits for a change of what is shown; false when there will be none any more.
    async fn changed(&mut self) -> bool {
        loop {
            match self.changes.recv().await {
                Ok(changed) if self.concerns(changed) => break,
                Ok(_) => {}
                // Fallen behind: everything is looked at again anyway.
                Err(broadcast::error::RecvError::Lagged(_)) => break,
                Err(broadcast::error::RecvError::Closed) => return false,
            }
        }
        tokio::time::sleep(PAUSE).await;
        self.changes = self.changes.resubscribe();
        true
    }

    fn concerns(&self, changed: Changed) -> bool {
        match &self.shown {
            Shown::Session(cx) => cx.session == changed.session,
            Shown::Overview(_) => true,
        }
    }

    /// Draws what is shown and queues what this connection does not have yet.
    async fn look(&mut self) {
        match &self.shown {
            Shown::Session(cx) => {
                let cx = cx.clone();
                self.look_at(&cx).await;
            }
            Shown::Overview(member) => {
                let Ok(overview) = staff::gather(&self.app, member).await else { return };
                let table = staff_page::sessions(&overview);
                let ids: Vec<_> = overview.approvals.iter().map(|piece| piece.id.clone()).collect();
                self.offer(vec![table], "main", None);
                self.offer(overview.approvals, "approvals", None);
                let kept = json!({ "into": "approvals", "ids": ids });
                self.queue.push_back(event("keep", &kept, None));
            }
        }
    }

    async fn look_at(&mut self, cx: &Cx) {
        match reply::view(&self.app, cx.session).await {
            Ok(view) => self.offer(view.pieces(cx), "log", Some(view.state.seq)),
            Err(Error::NoSession) => {
                self.over = true;
                self.queue.push_back(event("gone", &json!({}), None));
            }
            // The next change brings what is missing now.
            Err(error) => tracing::debug!(%error, "a live page missed a change"),
        }
    }

    fn offer(&mut self, pieces: Vec<Fragment>, into: &str, seq: Option<u64>) {
        for piece in pieces {
            if self.sent.get(&piece.id) == Some(&piece.revision) {
                continue;
            }
            self.queue.push_back(event("piece", &piece_json(&piece, into), seq));
            self.sent.insert(piece.id, piece.revision);
        }
    }
}

fn event(name: &str, data: &Value, seq: Option<u64>) -> Event {
    let event = Event::default().event(name).data(data.to_string());
    match seq {
        Some(seq) => event.id(seq.to_string()),
        None => event,
    }
}
