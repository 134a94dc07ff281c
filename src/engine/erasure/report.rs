//! Keeps what an erasure came to, for whoever asks again within [`KEPT`].

use chrono::TimeDelta;

use crate::{
    base::ids::{SessionId, WaitId},
    engine::{Engine, Error},
    model::{
        effect::{Act, Delivery, Effect},
        posted::Removal,
        report::{self, Left, Report},
        wait::Purpose,
    },
    session::State,
    store::Note,
};

/// How long the report of an erasure is kept once nothing is left to remove. Its line in the audit chain stays. Where nobody
/// asked for the erasure and nothing was left outside, nobody asks for the report either: it goes at once.
const KEPT: TimeDelta = TimeDelta::days(180);

/// Most notes that are dropped with one look, so that nothing else waits for long.
const DROPS: usize = 64;

impl Engine {
    /// What the erasure of a session came to; `None` if it was not erased, or an older program erased it.
    pub async fn erasure_report(&self, session: SessionId) -> Result<Option<Report>, Error> {
        let Some(mut report) = self.kept_report(session).await? else { return Ok(None) };
        let queued = self.inner.parts.store.outbox(session).await?;
        let is_removal = |effect: &&Effect| matches!(effect.act, Act::Remove { .. });
        let removals: Vec<&Effect> = queued.iter().filter(is_removal).collect();
        report.pending = removals.len();
        for outage in self.outages() {
            let words = outage.cause.in_general();
            let is_why = removals.iter().any(|effect| outage.cause.covers(effect));
            if is_why && !report.causes.contains(&words) {
                report.causes.push(words);
            }
        }
        Ok(Some(report))
    }

    /// What the erasure came to that the answer to `wait` has caused; `None` if it has caused none, or an older program
    /// erased the session.
    pub(crate) async fn erasure_report_by(&self, wait: WaitId) -> Result<Option<Report>, Error> {
        let note = self.inner.parts.store.noted(&report::erased_by(wait)).await?;
        match note.and_then(|note| note.value?.parse().ok()) {
            Some(session) => self.erasure_report(session).await,
            None => Ok(None),
        }
    }

    /// Notes what a removal has left. Again: in place of what was noted before.
    pub(crate) async fn note_left(&self, effect: &Effect, left: Left) -> Result<(), Error> {
        let is_same = |known: &Left| known.effect == left.effect && known.what == left.what;
        self.change_report(effect.session, |report| {
            report.left.retain(|known| !is_same(known));
            report.left.push(left.clone());
        })
        .await
    }

    /// Notes where it is said that the removal is under way; `None` once that is gone.
    pub(crate) async fn note_notice(
        &self,
        session: SessionId,
        notice: Option<String>,
    ) -> Result<(), Error> {
        self.change_report(session, |report| report.notice.clone_from(&notice)).await
    }

    /// Keeps the report of an erasure that is about to happen, and the questions by which it is found again.
    pub(super) async fn keep_report(
        &self,
        session: SessionId,
        report: &Report,
        state: Option<&State>,
    ) -> Result<(), Error> {
        let _one_at_a_time = self.inner.reports.lock().await;
        let store = &self.inner.parts.store;
        let asked = state.into_iter().flat_map(|state| {
            let is_asked = |id: &&WaitId| {
                state.waits.get(id).is_some_and(|wait| wait.purpose == Purpose::Erase)
            };
            state.asked.iter().filter(is_asked).copied()
        });
        for wait in asked {
            let value = Some(session.to_string());
            store.note(Note { key: report::erased_by(wait), session: None, value }).await?;
        }
        self.put_report(session, report).await
    }

    /// What could not be removed for good, whoever says so.
    pub(in crate::engine) async fn note_removal(&self, effect: &Effect, delivery: &Delivery) {
        let Act::Remove { what: Removal::Thing { posted, .. } } = &effect.act else { return };
        let Delivery::Failed { reason, .. } = delivery else { return };
        let left = Left::ours(effect.id, posted, reason);
        if let Err(error) = self.note_left(effect, left).await {
            tracing::warn!(session.id = %effect.session, %error, "what an erasure left is not noted");
        }
    }

    /// Drops some of the reports that have been kept for long enough, with what they are found by; whether there may be
    /// more.
    pub(in crate::engine) async fn drop_old_reports(&self) -> Result<bool, Error> {
        let store = &self.inner.parts.store;
        let (mut questions, mut dropped) = (Vec::new(), 0);
        for note in store.notes(report::NOTES).await? {
            let name = note.key.trim_start_matches(report::NOTES);
            let Ok(session) = name.parse::<SessionId>() else {
                questions.push(note);
                continue;
            };
            if dropped == DROPS {
                return Ok(true);
            }
            if self.drop_report(session, note).await? {
                dropped += 1;
            }
        }
        for note in questions {
            if dropped == DROPS {
                return Ok(true);
            }
            if self.drop_question(note).await? {
                dropped += 1;
            }
        }
        Ok(false)
    }

    /// Drops what a report was found by, once that is gone; not while one is written.
    async fn drop_question(&self, note: Note) -> Result<bool, Error> {
        let of = note.value.as_deref().and_then(|session| session.parse().ok());
        // One that is of no session was written by a newer program.
        let Some(session) = of else { return Ok(false) };
        let _one_at_a_time = self.inner.reports.lock().await;
        let store = &self.inner.parts.store;
        let is_over = store.noted(&report::report_of(session)).await?.is_none();
        if is_over {
            store.note(Note { value: None, ..note }).await?;
        }
        Ok(is_over)
    }

    /// Drops a report where it is over; not while another task changes one.
    async fn drop_report(&self, session: SessionId, note: Note) -> Result<bool, Error> {
        if !self.is_over(session, &note).await? {
            return Ok(false);
        }
        let _one_at_a_time = self.inner.reports.lock().await;
        let store = &self.inner.parts.store;
        let Some(now) = store.noted(&note.key).await? else { return Ok(true) };
        let is_over = self.is_over(session, &now).await?;
        if is_over {
            store.note(Note { value: None, ..now }).await?;
        }
        Ok(is_over)
    }

    async fn is_over(&self, session: SessionId, note: &Note) -> Result<bool, Error> {
        let parts = &self.inner.parts;
        let value = note.value.as_deref().unwrap_or_default();
        let Ok(report) = serde_json::from_str::<Report>(value) else { return Ok(false) };
        let is_asked_for = !matches!(report.by.as_str(), "retention" | "parent");
        let is_wanted = is_asked_for || !report.left.is_empty();
        let is_kept = is_wanted && parts.clock.now() - report.at <= KEPT;
        if is_kept || parts.store.has(session).await? {
            // The report is there before the session goes.
            return Ok(false);
        }
        Ok(parts.store.outbox(session).await?.is_empty())
    }

    async fn change_report(
        &self,
        session: SessionId,
        change: impl FnOnce(&mut Report) + Send,
    ) -> Result<(), Error> {
        let _one_at_a_time = self.inner.reports.lock().await;
        // Where a part of a session goes by time, nobody asked for a report.
        let Some(mut report) = self.kept_report(session).await? else { return Ok(()) };
        change(&mut report);
        self.put_report(session, &report).await
    }

    async fn kept_report(&self, session: SessionId) -> Result<Option<Report>, Error> {
        let note = self.inner.parts.store.noted(&report::report_of(session)).await?;
        Ok(note.and_then(|note| serde_json::from_str(&note.value?).ok()))
    }

    async fn put_report(&self, session: SessionId, report: &Report) -> Result<(), Error> {
        let value = serde_json::to_string(report).ok();
        let note = Note { key: report::report_of(session), session: None, value };
        Ok(self.inner.parts.store.note(note).await?)
    }
}
