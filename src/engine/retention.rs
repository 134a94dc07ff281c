//! Lets go of what has been kept for as long as was promised.
//!
//! What is due is found by its time, a few conversations at each look at the clock, so that nobody waits because much is
//! due at once. A round goes through all that is due, and begins again an hour after it ended. A process that was down
//! begins one at once: what came due meanwhile goes then, once. What a crash may have left behind is looked for after a start
//! and once a day from then on; files that could not be removed are tried again with each round.
//!
//! What was due long ago when it is first seen waits a day: the clock may have been set wrong, and what is erased does
//! not come back.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use super::{Engine, Error, Look, session_task::TaskCommand};
use crate::{
    base::ids::SessionId,
    model::{custody::Kind, session::Head},
    ports::artifacts::blobs::WithFiles,
    session::decide,
    store::{self, Erasure, Find},
};

/// Sessions of which something goes at one look.
const AT_ONCE: usize = 16;

/// Child runs, or folders of files, that are looked at in one go.
const PAGE: usize = 64;

/// Time between two rounds.
const ROUND: TimeDelta = TimeDelta::hours(1);

/// Time between two looks through all there is: for what a crash left behind, and for reports of erasures that are old. The
/// first look for those is not part of a start.
const THOROUGH: TimeDelta = TimeDelta::days(1);

/// What is found to be due for longer than this makes the clock doubtful, since a process that runs sees it at once.
const LONG_AGO: TimeDelta = TimeDelta::days(7);

/// How long nothing that is due since long ago goes after such a find; time for somebody to set the clock right.
const DOUBT: TimeDelta = TimeDelta::days(1);

/// Where the current round stands.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    /// What it came to: when that was due, and which session it is of.
    after: Option<(DateTime<Utc>, SessionId)>,
    /// When the next round begins.
    next: Option<DateTime<Utc>>,
    /// Until when what is due since long ago stays; `None` while nothing of that kind was found.
    doubt: Option<DateTime<Utc>>,
    /// What a crash may have left behind.
    leftovers: Leftovers,
    /// When old reports of erasures are looked for next; `None` before the first round.
    reports: Option<DateTime<Utc>>,
}

/// What a crash, or a disk or bucket that failed, may have left behind a session that is gone.
#[derive(Debug, Default)]
struct Leftovers {
    /// When all are looked at next; `None` before the first time.
    next: Option<DateTime<Utc>>,
    /// Sessions that have files and have not been looked up; `None` once all were.
    with_files: Option<WithFiles>,
    /// The child run that was looked at last.
    child: Option<SessionId>,
    /// All child runs have been looked at.
    is_over: bool,
    /// Sessions whose files are tried again in this round.
    again: BTreeSet<SessionId>,
}

/// Sessions that are gone and whose files could not be removed.
#[derive(Debug, Default)]
pub(super) struct Stuck(Mutex<BTreeSet<SessionId>>);

impl Stuck {
    pub(super) fn note(&self, session: SessionId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(session);
    }

    fn take(&self) -> BTreeSet<SessionId> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether it is time for what is done once a day. What lies further ahead is of a time before the clock was set again.
fn is_due(next: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    next <= now || next - now > THOROUGH
}

impl Sweep {
    /// Whether what is due since `at` goes now.
    fn may_go(&mut self, at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
        if now - at <= LONG_AGO {
            return true;
        }
        // One that ends later than a day from now, or ended longer ago, is of a time before the clock was set again.
        let known = self.doubt.filter(|until| (*until - now).abs() <= DOUBT);
        let until = *self.doubt.insert(known.unwrap_or_else(|| {
            tracing::warn!(
                due_since = %at,
                "sessions were to be erased long ago: the bot was down, or the clock is wrong. hint: if it is wrong, \
                 set it right within a day; they are erased then"
            );
            now + DOUBT
        }));
        until <= now
    }
}

impl Engine {
    /// Lets go of the next few in the current round, or begins one where it is time; how many of them had something that
    /// was due to go. Whatever fails is left to the next round.
    pub async fn sweep(&self) -> usize {
        let now = self.inner.parts.clock.now();
        let mut sweep = self.inner.sweep.lock().await;
        if sweep.next.is_some_and(|next| next <= now) {
            // What could not be removed is tried again with each round.
            sweep.next = None;
            sweep.leftovers.again.append(&mut self.inner.stuck.take());
        }
        self.clear_leftovers(&mut sweep.leftovers).await;
        self.drop_reports(&mut sweep.reports).await;
        if sweep.next.is_some() {
            return 0;
        }
        let find = Find::DueToGo { by: now, after: sweep.after, limit: AT_ONCE };
        let heads = match self.inner.parts.store.find(find).await {
            Ok(heads) => heads,
            // The store has said so itself, once.
            Err(store::Error::ReadOnly(_)) => return 0,
            Err(error) => {
                tracing::error!(%error, "could not check which sessions are due for deletion");
                return 0;
            }
        };
        let mut due = 0;
        for head in &heads {
            let Some(at) = head.goes_at else { continue };
            // What can't be read stays due, and says nothing about the clock.
            let is_stuck = now - at > LONG_AGO && self.is_overdue(head.id).await;
            if !is_stuck && sweep.may_go(at, now) {
                if self.dispatch(head.id, TaskCommand::LetGo).is_err() {
                    // Too much is going on; the round goes on from here with the next look.
                    return due;
                }
                due += 1;
            }
            sweep.after = Some((at, head.id));
        }
        if heads.len() < AT_ONCE {
            sweep.after = None;
            sweep.next = now.checked_add_signed(ROUND);
        }
        due
    }

    /// Drops old reports of erasures, where it is time to look for them.
    async fn drop_reports(&self, next: &mut Option<DateTime<Utc>>) {
        let now = self.inner.parts.clock.now();
        let due = *next.get_or_insert(now + ROUND);
        if !is_due(due, now) {
            return;
        }
        *next = now.checked_add_signed(THOROUGH);
        match self.drop_old_reports().await {
            Ok(false) => {}
            Ok(true) => *next = Some(now),
            Err(error) => tracing::warn!(%error, "old reports of erasures remain"),
        }
    }

    /// Removes some of what a crash has left behind sessions that are gone.
    async fn clear_leftovers(&self, leftovers: &mut Leftovers) {
        let now = self.inner.parts.clock.now();
        if leftovers.next.is_none_or(|next| is_due(next, now)) {
            (leftovers.child, leftovers.is_over) = (None, false);
            leftovers.next = now.checked_add_signed(THOROUGH);
            let listed = self.inner.parts.artifacts.with_files().await;
            let listed = listed.inspect_err(|error| {
                tracing::warn!(%error, "could not list the folders of files");
                leftovers.next = now.checked_add_signed(ROUND);
            });
            leftovers.with_files = listed.ok();
        }
        self.remove_orphans(leftovers).await;
        let mut gone: Vec<SessionId> =
            std::iter::from_fn(|| leftovers.again.pop_first()).take(PAGE).collect();
        if let Some(listed) = &mut leftovers.with_files {
            let page = listed.next(PAGE).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "could not list all folders of files");
                Vec::new()
            });
            if page.is_empty() {
                leftovers.with_files = None;
            }
            gone.extend(page);
        }
        for session in gone {
            self.remove_stray(session).await;
        }
    }

    /// Removes some of the child runs whose parents are gone.
    async fn remove_orphans(&self, leftovers: &mut Leftovers) {
        if leftovers.is_over {
            return;
        }
        let children = Find::Children { after: leftovers.child, limit: PAGE };
        let Ok(children) = self.inner.parts.store.find(children).await else { return };
        for head in &children {
            self.remove_orphan(head).await;
            leftovers.child = Some(head.id);
        }
        // A page of fewer is not the last: a database leaves out what cannot be read.
        leftovers.is_over = children.is_empty();
    }

    /// Removes a child run whose parent is gone: a crash may have come between.
    async fn remove_orphan(&self, head: &Head) {
        let Some(parent) = head.parent else { return };
        if self.is_gone(parent).await
            && let Err(error) = self.erase_child(head.id, "parent").await
        {
            tracing::warn!(session.id = %head.id, %error, "a child run of a session that is gone remains");
        }
    }

    /// Removes the files of a session that is gone.
    async fn remove_stray(&self, session: SessionId) {
        if !self.is_gone(session).await {
            return;
        }
        if let Err(error) = self.erase_files(session).await {
            tracing::warn!(session.id = %session, %error, "files of a session that is gone remain");
        } else {
            tracing::info!(session.id = %session, "removed files of a session that is gone");
        }
    }

    /// Whether nothing of a session is left. One that cannot be read is there.
    async fn is_gone(&self, session: SessionId) -> bool {
        matches!(self.inner.parts.store.has(session).await, Ok(false))
    }

    /// Erases of a session what is due to go: all of it, or a part.
    pub(super) async fn let_go(&self, session: SessionId) -> Result<(), Error> {
        let look = self.look(session).await;
        let look = look.inspect_err(|error| _ = self.note_overdue(session, error));
        let Look { loaded, view } = look?;
        self.inner.overdue.forget(session);
        let due = view.due_to_go();
        let gone: BTreeSet<Kind> = due.union(&view.state.keeping.forgotten).copied().collect();
        if due.is_empty() {
            return Ok(());
        }
        let is_only_files = due.len() == 1 && due.contains(&Kind::Uploads);
        if !is_only_files {
            // They hold parts of the conversation, and only its events know of them.
            self.erase_children(&view.state, "retention").await?;
        }
        if gone.len() == Kind::ALL.len() {
            self.erase_known(session, Some(&view), "retention").await?;
            return Ok(());
        }
        self.erase_files_of(&view.state, &gone).await?;
        if is_only_files {
            return Ok(self.commit(decide::uploads_forgotten(view), None).await?);
        }
        let rest = view.rest(&loaded.events, &due).ok_or(Error::NoSession)?;
        let effects = self.removals(&view.state).await?;
        let kinds = vec![("kinds", json!(due))];
        let erasure = Erasure {
            session,
            expected: Some(loaded.head.seq),
            receipt: self.record(session, "retention_applied", kinds),
            effects,
            rest: Some(rest),
        };
        match self.inner.parts.store.erase(erasure).await {
            // Somebody is there: it is no longer due, or it is again with the next round.
            Err(store::Error::Conflict { .. }) => return Ok(()),
            done => done?,
        }
        self.inner.pipeline.forget(session);
        tracing::info!(session.id = %session, "retention applied");
        self.inner.change_feed.tell(super::Changed { session, seq: 0 });
        self.inner.queued.notify_one();
        Ok(())
    }
}
