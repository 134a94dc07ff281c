//! Live pages: server-sent events with pieces of the page. A piece carries its name and revision, so the same piece
//! twice is harmless, and a connection that comes back gets everything again.
//!
//! What the model is about to say comes as a piece under the name of the message that it becomes, so that the message
//! takes its place; `drafts` names those that are still being written, and any other one is gone.

use std::{
    collections::{BTreeMap, VecDeque},
    convert::Infallible,
    sync::Arc,
    time::Duration,
};

use axum::{
    extract::{Path, Query, State},
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
    activity,
    app::App,
    conversation, frame,
    guard::Browser,
    limits, participant as own,
    piece::{Cx, Fragment},
    places::{Full, Place},
    reply::piece_json,
    staff::{self, Member, Wanted},
    staff_page,
    timeline::{self, Window},
    view::View,
};
use crate::{
    base::ids::SessionId,
    engine::{Changed, Draft, Error},
    messages,
    model::transcript::Audience,
    tool::pipeline::record::Progress,
};

/// Changes that come this close together reach the page as one.
const PAUSE: Duration = Duration::from_millis(40);

/// Changes that come this close together reach the staff's list as one, and what waits is read for all of them at once.
const LIST_PAUSE: Duration = Duration::from_millis(400);

/// What a live page shows.
enum Shown {
    Session(Cx, Window),
    Overview(Member, Wanted),
}

struct Live {
    app: Arc<App>,
    shown: Shown,
    changes: broadcast::Receiver<Changed>,
    /// Words and calls while they come, for the participant.
    goings_on: Option<(broadcast::Receiver<Draft>, broadcast::Receiver<Progress>)>,
    /// The draft that this connection shows.
    draft: Option<u64>,
    /// The drafts that this connection was last told of.
    drafts: Option<Vec<String>>,
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
    Query(window): Query<Window>,
    headers: HeaderMap,
) -> Response {
    match own::live_cx(&app, &headers, &id).await {
        Ok(cx) => open(app, &headers, Shown::Session(cx, window)),
        Err(refusal) => refusal,
    }
}

pub(super) async fn staff_session(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(window): Query<Window>,
    headers: HeaderMap,
) -> Response {
    match staff::live_cx(&app, &headers, &id).await {
        Ok(cx) => open(app, &headers, Shown::Session(cx, window)),
        Err(refusal) => refusal,
    }
}

pub(super) async fn staff_overview(
    State(app): State<Arc<App>>,
    Query(wanted): Query<Wanted>,
    headers: HeaderMap,
) -> Response {
    match Member::of(&app, &headers).filter(|member| member.name.is_some()) {
        Some(member) => open(app, &headers, Shown::Overview(member, wanted)),
        None => frame::problem(StatusCode::FORBIDDEN, messages::page::STAFF_KEY),
    }
}

fn open(app: Arc<App>, headers: &HeaderMap, shown: Shown) -> Response {
    let session = match &shown {
        Shown::Session(cx, _) => Some(cx.session),
        Shown::Overview(..) => None,
    };
    let Some(browser) = Browser::of(headers) else {
        return frame::problem(StatusCode::FORBIDDEN, messages::page::STALE_FORM);
    };
    // Staff and participant at one browser are one here: its connections are what there are few of.
    let place = match app.live.take(browser.person(), session) {
        Ok(place) => place,
        Err(Full::Own) => {
            return frame::problem(StatusCode::TOO_MANY_REQUESTS, messages::page::MANY_PAGES);
        }
        Err(Full::All) => {
            return frame::problem(StatusCode::SERVICE_UNAVAILABLE, messages::page::ALL_PAGES);
        }
    };
    let shutdown = app.shutdown.clone();
    let is_theirs = matches!(&shown, Shown::Session(cx, _) if cx.viewer == Audience::Participant);
    let goings_on = is_theirs.then(|| (app.engine.drafts(), app.engine.pipeline().progress()));
    let live = Live {
        changes: app.engine.watch(),
        goings_on,
        draft: None,
        drafts: None,
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
            if live.over {
                return None;
            }
            let news = if live.begun { live.news().await } else { Some(News::All) };
            live.begun = true;
            match news {
                None => return None,
                Some(News::Words) if live.grow() => {}
                Some(News::Words | News::All) => live.look().await,
            }
        }
    })
}

/// What a page is sent.
enum News {
    /// The session has changed, or something goes on in it.
    All,
    /// The model has said more.
    Words,
}

impl Live {
    /// Waits for news of what is shown; `None` if there will be none any more.
    async fn news(&mut self) -> Option<News> {
        let news = loop {
            // Each arm loses nothing when another one is taken: what was not received stays in its channel.
            let received = tokio::select! {
                changed = self.changes.recv() => changed.map(|changed| (changed.session, News::All)),
                received = goings_on(&mut self.goings_on) => received,
            };
            match received {
                Ok((session, news)) if self.shows(session) => break news,
                Ok(_) => {}
                // Fallen behind: everything is looked at again anyway.
                Err(broadcast::error::RecvError::Lagged(_)) => break News::All,
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        };
        let pause = if matches!(self.shown, Shown::Overview(..)) { LIST_PAUSE } else { PAUSE };
        tokio::time::sleep(pause).await;
        if let Some((drafts, progress)) = &mut self.goings_on {
            *drafts = drafts.resubscribe();
            if matches!(news, News::All) {
                *progress = progress.resubscribe();
            }
        }
        if matches!(news, News::All) {
            self.changes = self.changes.resubscribe();
        }
        Some(news)
    }

    fn shows(&self, session: SessionId) -> bool {
        match &self.shown {
            Shown::Session(cx, _) => cx.session == session,
            Shown::Overview(..) => true,
        }
    }

    /// Draws the draft anew where it is still the one that is shown; otherwise everything has to be looked at.
    fn grow(&mut self) -> bool {
        let Shown::Session(cx, _) = &self.shown else { return false };
        let Some(draft) =
            self.app.engine.draft(cx.session).filter(|draft| self.draft == Some(draft.knew))
        else {
            return false;
        };
        self.offer(vec![activity::render_draft(&draft)], "log", None);
        true
    }

    /// Draws what is shown and queues what this connection does not have yet.
    async fn look(&mut self) {
        match &self.shown {
            Shown::Session(cx, window) => {
                let (cx, window) = (cx.clone(), window.clone());
                self.look_at(&cx, &window).await;
            }
            Shown::Overview(member, wanted) => {
                let app = &self.app;
                let Ok(waiting) = app.waiting.shared(&app.engine, LIST_PAUSE).await else { return };
                let overview = staff::gather(app, member, *wanted, &waiting).await;
                let Ok(overview) = overview else { return };
                let table = staff_page::sessions(&overview);
                let ids: Vec<_> = overview.waiting.iter().map(|piece| piece.id.clone()).collect();
                self.offer(vec![table], "main", None);
                self.offer(overview.waiting, "approvals", None);
                let kept = json!({ "into": "approvals", "ids": ids });
                self.queue.push_back(event("keep", &kept, None));
            }
        }
    }

    async fn look_at(&mut self, cx: &Cx, window: &Window) {
        match View::load(&self.app, cx.session).await {
            Ok(view) => {
                self.offer(conversation::pieces(&view, cx, window), "log", Some(view.state.seq));
                self.keep_draft(view.doing.draft.as_ref());
            }
            Err(Error::NoSession) => {
                self.over = true;
                self.queue.push_back(event("gone", &json!({}), None));
            }
            // The next change brings what is missing now.
            Err(error) => tracing::debug!(%error, "a live page missed a change"),
        }
    }

    /// Says which draft there is, so that the page takes any other one away.
    fn keep_draft(&mut self, draft: Option<&Draft>) {
        self.draft = draft.map(|draft| draft.knew);
        let kept = self.draft.map(timeline::thought_id);
        // Should one come again that is taken away, it is new to the page.
        self.sent.retain(|id, revision| !activity::is_draft(revision) || kept.as_ref() == Some(id));
        let ids = Vec::from_iter(kept);
        if self.drafts.as_ref() != Some(&ids) {
            self.queue.push_back(event("drafts", &json!({ "ids": ids }), None));
            self.drafts = Some(ids);
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

/// Words and calls of any session; never, where nobody wants them.
async fn goings_on(
    receivers: &mut Option<(broadcast::Receiver<Draft>, broadcast::Receiver<Progress>)>,
) -> Result<(SessionId, News), broadcast::error::RecvError> {
    let Some((drafts, progress)) = receivers else { return std::future::pending().await };
    tokio::select! {
        draft = drafts.recv() => draft.map(|draft| (draft.session, News::Words)),
        progress = progress.recv() => progress.map(|progress| (progress.session, News::All)),
    }
}

fn event(name: &str, data: &Value, seq: Option<u64>) -> Event {
    let event = Event::default().event(name).data(data.to_string());
    match seq {
        Some(seq) => event.id(seq.to_string()),
        None => event,
    }
}
