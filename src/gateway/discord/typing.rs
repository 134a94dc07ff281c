//! That the bot is writing, as long as it is its turn or fetches files: a sign that Discord shows for some seconds, and
//! takes away with the next message. What a model says is posted whole, when it has been said: Discord marks every edit, and takes few.
//!
//! Best effort: nothing depends on it, and only where a model leads, or for a file, is there anything to wait for.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use moka::sync::Cache;
use tokio::{
    sync::broadcast::error::RecvError,
    task::JoinSet,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{app::App, limits};
use crate::{
    base::ids::SessionId, chat::activity::Activity, engine::Engine, model::session::Platform,
};

/// Sessions to be looked at, each with when, and until when it is shown without news.
#[derive(Debug, Default)]
struct Agenda {
    due: BTreeMap<SessionId, (Instant, Instant)>,
    busy: BTreeSet<SessionId>,
}

impl Agenda {
    /// Something happened in a session: it is looked at soon, and shown for a while.
    fn changed(&mut self, session: SessionId) {
        let now = Instant::now();
        if self.due.len() >= limits::TYPING_SESSIONS && !self.due.contains_key(&session) {
            return;
        }
        let (_, until) = self.due.entry(session).or_insert((now + limits::TYPING_AFTER, now));
        *until = now + limits::TYPING_MAX;
    }

    /// What was shown is gone, or a file comes: it is looked at now.
    fn at_once(&mut self, session: SessionId) {
        self.changed(session);
        if let Some((at, _)) = self.due.get_mut(&session) {
            *at = Instant::now();
        }
    }

    fn next(&self) -> Option<(Instant, SessionId)> {
        let free = self.due.iter().filter(|(session, _)| !self.busy.contains(session));
        free.map(|(session, (at, _))| (*at, *session)).min()
    }
}

/// Follows the engine until `shutdown`, where a model leads, and files in any case.
pub(super) async fn keep_typing(app: &Arc<App>, shutdown: CancellationToken) {
    let engine = app.engine();
    let has_model = engine.parts().models.interview.is_some();
    let mut watched = engine.watch();
    let mut work_indicators = app.work_indicators.subscribe();
    let elsewhere: Arc<Cache<SessionId, ()>> = Arc::new(Cache::new(limits::TYPING_SESSIONS as u64));
    let mut agenda = Agenda::default();
    let mut jobs: JoinSet<(SessionId, Option<Duration>)> = JoinSet::new();
    loop {
        let next = agenda.next().filter(|_| jobs.len() < limits::TYPING_AT_ONCE);
        let at = next.map_or_else(Instant::now, |(at, _)| at);
        tokio::select! {
            () = shutdown.cancelled() => return,
            told = work_indicators.recv() => match told {
                Ok(session) if has_model || !app.work_indicators.fetched_into(session).is_empty() => {
                    agenda.at_once(session);
                }
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
            changed = watched.recv(), if has_model => match changed {
                Ok(changed) if elsewhere.contains_key(&changed.session) => {}
                Ok(changed) => agenda.changed(changed.session),
                // Who falls behind sees the next change.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
            () = sleep_until(at), if next.is_some() => {
                let Some((_, session)) = next else { continue };
                agenda.busy.insert(session);
                let (app, engine, elsewhere) = (Arc::clone(app), engine.clone(), Arc::clone(&elsewhere));
                jobs.spawn(async move { (session, show(&app, &engine, session, &elsewhere).await) });
            }
            Some(done) = jobs.join_next(), if !jobs.is_empty() => match done {
                Ok((session, next)) => {
                    agenda.busy.remove(&session);
                    again(&mut agenda, session, next);
                }
                Err(error) => {
                    tracing::error!(%error, "it could not be shown that the bot is writing");
                    agenda = Agenda::default();
                }
            },
        }
    }
}

/// Plans the next look, while the sign is shown and news are not too old.
fn again(agenda: &mut Agenda, session: SessionId, next: Option<Duration>) {
    let Some((at, until)) = agenda.due.get_mut(&session) else { return };
    match next.map(|next| Instant::now() + next) {
        Some(next) if next <= *until => *at = next,
        _ => _ = agenda.due.remove(&session),
    }
}

/// Shows the sign where it is the bot's turn, and says how long it lasts there.
async fn show(
    app: &App,
    engine: &Engine,
    session: SessionId,
    elsewhere: &Cache<SessionId, ()>,
) -> Option<Duration> {
    let look = engine.look(session).await.ok()?;
    let head = &look.loaded.head;
    if head.place.platform != Platform::Discord || head.parent.is_some() {
        elsewhere.insert(session, ());
        return None;
    }
    let is_fetching = !app.work_indicators.fetched_into(session).is_empty();
    if !is_fetching && Activity::of(&look) != Activity::Processing {
        return None;
    }
    // It is being made.
    let Ok(Some(room)) = app.rooms.known(session).await else { return Some(limits::TYPING_AFTER) };
    app.api.typing(&room).await.is_ok().then_some(limits::TYPING_AGAIN)
}
