//! App Home: own conversations, open questions, and for staff the overview.
//!
//! It is drawn when somebody opens it, and again while they may be looking at it and something in it has changed. Like
//! all that is shown beside the conversations, it is best effort.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use chrono::{DateTime, Utc};
use moka::sync::Cache;
use reqwest::Url;
use serde_json::{Value, json};
use slack_morphism::prelude::SlackBlock;
use tokio::{
    sync::broadcast::error::RecvError,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    api::{Api, Method},
    blocks::{Button, bold, divider, header, note, row, section, to_json},
    inbound::{Actor, Workspace},
    limits,
    people::{People, person_id},
    render::text::{clip, literal},
    texts::copy_row,
};
use crate::{
    base::{clock::Clock, ids::SessionId},
    chat::{
        form::{
            ComponentId,
            overview::{self, Overview},
            plain,
        },
        handler::ButtonId,
        message_index::MessageIndex,
    },
    engine::{Changed, Engine, Error, Look},
    flow::LoadedFlow,
    messages,
    model::{
        session::{Head, PersonId, Platform, Status},
        ui::Control,
        wait::{Answerers, Purpose, Wait},
    },
    session::SessionView,
    store::{Find, Store},
};

/// Draws App Home; cheap to clone.
#[derive(Debug, Clone)]
pub struct Home {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    api: Api,
    people: People,
    threads: MessageIndex,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    /// Who may be looking at it.
    open: Mutex<HashMap<PersonId, Seen>>,
    /// Where conversations stand, as addresses.
    links: Cache<SessionId, Url>,
    /// Whose conversations are.
    whose: Cache<SessionId, PersonId>,
}

/// Somebody's Home as it was drawn last.
#[derive(Debug)]
struct Seen {
    workspace: Workspace,
    opened_at: Instant,
    is_staff: bool,
    view: Value,
    /// To be drawn again.
    due: Option<Instant>,
}

/// A conversation in somebody's own list.
struct Own {
    look: Look,
    link: Option<Url>,
}

/// What a Home shows.
struct Shown {
    own: Vec<Own>,
    flows: Vec<Arc<LoadedFlow>>,
    /// For staff: everybody's conversations.
    all: Option<Vec<Head>>,
    is_unsure: bool,
    now: DateTime<Utc>,
}

impl Home {
    /// Draws through `api`.
    pub fn new(api: Api, people: People, store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        let threads = MessageIndex::new(Platform::Slack, Arc::clone(&store));
        let (links, whose) = (Cache::new(limits::SESSIONS_KEPT), Cache::new(limits::SESSIONS_KEPT));
        let open = Mutex::default();
        Self { inner: Arc::new(Inner { api, people, threads, store, clock, open, links, whose }) }
    }

    /// Somebody opened their Home.
    pub async fn opened(&self, engine: &Engine, workspace: &Workspace, by: &Actor) {
        let person = person_id(&workspace.team, &by.user);
        {
            let mut open = lock(&self.inner.open);
            if open.len() >= limits::HOMES_MAX {
                let oldest = open.iter().min_by_key(|(_, seen)| seen.opened_at);
                if let Some(oldest) = oldest.map(|(person, _)| person.clone()) {
                    open.remove(&oldest);
                }
            }
            let seen = Seen {
                workspace: workspace.clone(),
                opened_at: Instant::now(),
                is_staff: false,
                view: Value::Null,
                due: None,
            };
            open.insert(person.clone(), seen);
        }
        self.inner.draw(engine, &person).await;
    }

    /// The address of a conversation; `None` before its first message, or where Slack doesn't say it.
    pub(super) async fn link_to(&self, session: SessionId) -> Option<Url> {
        let head = self.inner.store.find(Find::One(session)).await.ok()?.pop()?;
        self.inner.link(&head).await
    }

    /// Draws again what has changed, until `shutdown`.
    pub async fn run(&self, engine: Engine, shutdown: CancellationToken) {
        let mut watched = engine.watch();
        loop {
            let next = self.inner.next();
            let at = next.as_ref().map_or_else(Instant::now, |(at, _)| *at);
            tokio::select! {
                () = shutdown.cancelled() => return,
                changed = watched.recv() => match changed {
                    Ok(changed) => self.inner.mark(&changed).await,
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
                () = sleep_until(at), if next.is_some() => {
                    if let Some((_, person)) = next {
                        tokio::select! {
                            () = shutdown.cancelled() => return,
                            () = self.inner.draw(&engine, &person) => {}
                        }
                    }
                }
            }
        }
    }
}

impl Inner {
    /// Whose Home is to be drawn next.
    fn next(&self) -> Option<(Instant, PersonId)> {
        let open = lock(&self.open);
        let due = open.iter().filter_map(|(person, seen)| Some((seen.due?, person)));
        due.min_by_key(|(at, _)| *at).map(|(at, person)| (at, person.clone()))
    }

    /// A session has changed: those who may be looking at it see it soon. What is gone is gone from every Home, also from
    /// one that was opened long ago, for Slack keeps it.
    async fn mark(&self, &Changed { session, seq }: &Changed) {
        if lock(&self.open).is_empty() {
            return;
        }
        let is_gone = seq == 0;
        let participant = if is_gone {
            self.whose.invalidate(&session);
            None
        } else {
            self.participant(session).await
        };
        if !is_gone && participant.is_none() {
            return;
        }
        let fresh = Instant::now();
        for (person, seen) in &mut *lock(&self.open) {
            let is_open = fresh - seen.opened_at < limits::HOME_OPEN;
            let is_theirs = seen.is_staff || Some(person) == participant.as_ref();
            if is_gone || is_open && is_theirs {
                let pace = if seen.is_staff { limits::HOME_PACE_STAFF } else { limits::HOME_PACE };
                seen.due.get_or_insert(fresh + pace);
            }
        }
    }

    /// Whose a session is; read once, for a session has many changes.
    async fn participant(&self, session: SessionId) -> Option<PersonId> {
        if let Some(known) = self.whose.get(&session) {
            return Some(known);
        }
        let participant = self.store.find(Find::One(session)).await.ok()?.pop()?.participant;
        self.whose.insert(session, participant.clone());
        Some(participant)
    }

    async fn draw(&self, engine: &Engine, person: &PersonId) {
        let Some(workspace) = ({
            let mut open = lock(&self.open);
            open.get_mut(person).map(|seen| {
                seen.due = None;
                seen.workspace.clone()
            })
        }) else {
            return;
        };
        let (view, is_staff) = match self.view(engine, &workspace, person).await {
            Ok(drawn) => drawn,
            Err(error) => return tracing::debug!(%error, "a Home could not be drawn"),
        };
        {
            let mut open = lock(&self.open);
            let Some(seen) = open.get_mut(person) else { return };
            seen.is_staff = is_staff;
            if seen.view == view {
                return;
            }
        }
        let body = json!({ "user_id": person.user, "view": view });
        let published = self.api.call(&workspace.team, Method::PublishView, &body).await;
        let mut open = lock(&self.open);
        let Some(seen) = open.get_mut(person) else { return };
        match published {
            Ok(_) => seen.view = view,
            // Otherwise with the next change.
            Err(failure) => {
                seen.due = failure.wait().map(|after| Instant::now() + after).or(seen.due);
            }
        }
    }

    async fn view(
        &self,
        engine: &Engine,
        workspace: &Workspace,
        person: &PersonId,
    ) -> Result<(Value, bool), Error> {
        let by = Actor { user: person.user.clone(), ..Actor::default() };
        let responder = self.people.responder(workspace, &by).await;
        let is_staff = responder.as_ref().is_ok_and(|responder| responder.staff);
        let mut heads = self.store.find(Find::Person(person.clone())).await?;
        heads.retain(|head| head.status != Status::Ended);
        let mut own = Vec::new();
        for head in heads.iter().take(limits::HOME_OWN) {
            match engine.look(head.id).await {
                Ok(look) => own.push(Own { link: self.link(head).await, look }),
                Err(error) => tracing::debug!(%error, "a conversation is left out of a Home"),
            }
        }
        let is_of = |flow: &Arc<LoadedFlow>| {
            let is_running = |own: &Own| {
                own.look.flow.flow.id == flow.flow.id && !own.look.state.status.is_over()
            };
            // Whoever has completed one has no need of another.
            let is_complete = |own: &Own| {
                own.look.flow.flow.id == flow.flow.id && own.look.state.status == Status::Completed
            };
            flow.flow.start.slack.as_ref().is_some_and(|start| start.app_home)
                && !own.iter().any(|own| is_running(own) || is_complete(own))
        };
        let library = engine.parts().library.of(Platform::Slack, &workspace.team);
        let flows = library.iter().filter(is_of).collect();
        let all = if is_staff {
            let is_here = |head: &Head| overview::is_of(head, Platform::Slack, &workspace.team);
            Some(engine.newest((None, limits::HOME_COUNTED), is_here).await?.0)
        } else {
            None
        };
        let (is_unsure, now) = (responder.is_err(), self.clock.now());
        let shown = Shown { own, flows, all, is_unsure, now };
        Ok((json!({ "type": "home", "blocks": to_json(&shown.blocks()) }), is_staff))
    }

    /// The address of a conversation; `None` before its first message.
    async fn link(&self, head: &Head) -> Option<Url> {
        if let Some(known) = self.links.get(&head.id) {
            return Some(known);
        }
        let root = self.threads.root(head.id, &head.place).await.ok()??;
        let body = json!({ "channel": root.channel, "message_ts": root.message });
        let answer = self.api.call(&head.place.workspace, Method::Permalink, &body).await.ok()?;
        let link: Url = answer["permalink"].as_str()?.parse().ok()?;
        if !matches!(link.scheme(), "http" | "https") {
            return None;
        }
        self.links.insert(head.id, link.clone());
        Some(link)
    }
}

impl Shown {
    fn blocks(&self) -> Vec<SlackBlock> {
        let mut blocks = vec![header(messages::staff::YOUR_CONVERSATIONS)];
        if self.own.is_empty() {
            blocks.push(section(messages::slack::NO_CONVERSATIONS));
        }
        for own in &self.own {
            blocks.extend(own.blocks());
        }
        for flow in self.flows.iter().take(limits::HOME_FLOWS) {
            let title = &flow.flow.title;
            let summary = literal(&clip(&flow.flow.summary, 300));
            let text = format!("{}\n{summary}", bold(&literal(title)));
            let start = Button::new(ButtonId::start(&flow.flow.id), messages::buttons::START);
            blocks.push(row(text, start.spoken(&messages::buttons::start(title))));
        }
        if self.is_unsure {
            blocks.push(note(messages::slack::HOME_UNSURE));
        }
        if let Some(all) = &self.all {
            blocks.push(divider());
            blocks.extend(overview(all, self.now));
        }
        blocks.truncate(limits::VIEW_BLOCKS);
        blocks
    }
}

impl Own {
    fn blocks(&self) -> Vec<SlackBlock> {
        let Look { loaded, view: SessionView { flow, state, .. } } = &self.look;
        let mut lines = vec![bold(&literal(&flow.flow.title))];
        let phase = state.phase().and_then(|id| Some((flow.position(id)?, flow.phase(id)?)));
        let status = messages::staff::status(state.status);
        lines.push(match phase {
            Some((at, phase)) if !state.status.is_over() => {
                let of = flow.flow.phase.len();
                let done = (loaded.head.progress * 100.0).round();
                messages::slack::part(at + 1, of, &literal(&phase.title), done, status)
            }
            _ => messages::capitalised(status),
        });
        let text = lines.join("\n");
        let mut blocks = vec![match &self.link {
            Some(page) => {
                let open =
                    Button::new("open".to_owned(), messages::buttons::OPEN).link(page.clone());
                row(text, open.spoken(&messages::buttons::open(&flow.flow.title)))
            }
            None => section(text),
        }];
        if state.status == Status::Completed {
            blocks.extend(copy_row(state.session));
        }
        let mine = state.pending().filter(|wait| wait.answerers == Answerers::Participant);
        for wait in mine.take(3) {
            let prompt = &wait.prompt;
            let question = prompt.heading().unwrap_or_else(|| plain(&prompt.body.common_mark()));
            let line = messages::slack::waits_for_answer(&literal(&clip(&question, 200)));
            blocks.push(match answerable(wait) {
                Some(action) => {
                    let id = ComponentId::id(wait.id, wait.revision, action);
                    let spoken = messages::buttons::spoken(messages::buttons::ANSWER, &question);
                    row(line, Button::new(id, messages::buttons::ANSWER).spoken(&spoken))
                }
                None => note(line),
            });
        }
        blocks
    }
}

/// The action that opens a form in which a question can be answered whole, without its message; `None` for what has to
/// be read there first, or is a button by itself.
fn answerable(wait: &Wait) -> Option<&'static str> {
    if !matches!(wait.purpose, Purpose::Call { .. } | Purpose::Child { .. }) {
        return None;
    }
    match &wait.prompt.control {
        Control::Choose(_) | Control::Form(_) | Control::Upload(_) | Control::Ask(_) => {
            Some("open")
        }
        Control::Review(_) | Control::Decide(_) | Control::Confirm(_) => None,
    }
}

/// Everybody's conversations at a glance; the rows that want somebody come first.
pub(super) fn overview(heads: &[Head], now: DateTime<Utc>) -> Vec<SlackBlock> {
    let Overview { counts, phases, rows } = Overview::of(heads, now);
    let mut blocks =
        vec![header(messages::staff::ALL_CONVERSATIONS), section(format!("*{counts}*"))];
    let phases: Vec<String> =
        phases.iter().map(|(phase, n)| format!("{}: {n}", literal(phase))).collect();
    if !phases.is_empty() {
        blocks.push(note(clip(&phases.join(" · "), 1_900)));
    }
    for shown in rows.iter().take(limits::HOME_ROWS) {
        let mut line = format!(
            "{} · {}",
            literal(&messages::unnamed::at_beginning(shown.person)),
            shown.status
        );
        if let Some(phase) = &shown.phase {
            line = format!("{line} · {}", literal(phase));
        }
        for word in &shown.wants {
            line = format!("{line} · *{word}*");
        }
        let open = Button::new(ButtonId::show(shown.head.id), messages::buttons::OPEN);
        let spoken = messages::staff::open_with(shown.person);
        blocks.push(row(line, open.spoken(&spoken)));
    }
    if rows.len() > limits::HOME_ROWS {
        blocks.push(note(messages::list::and_more(rows.len() - limits::HOME_ROWS)));
    }
    blocks
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
