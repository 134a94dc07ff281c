//! What several steps write, worked out from what was read for them: nothing here speaks to the database.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use uuid::Uuid;

use super::records::{Keyring, NoteText, Row, SessionKeys, seal, split};
use crate::{
    base::ids::{Ids, SessionId, WaitId},
    model::{
        audit::{AuditRecord, Sealed},
        effect::{Delivery, Effect, Rendering},
        posted,
        session::{Head, Status},
        transcript::Recorded,
        usage::Balance,
    },
    store::{
        Charge, Commit, Erasure, Error, Note, TimerKind, hour_of, left_outside, person_text,
        place_text, platform_number,
        portable::Piece,
        put_back, rendered, salt,
        sealing::{self, Digest, Key},
    },
};

/// Where the audit chain goes on, and which batch was written last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tip {
    /// Records so far.
    pub(super) records: u64,
    /// Seal of the last one.
    pub(super) seal: String,
    /// Number of the last batch, which no other has: the chain is the same after two that have no records.
    pub(super) batch: i64,
}

impl Tip {
    /// Where the next batch begins, under a number of its own.
    pub(super) fn next(&self) -> Result<Self, Error> {
        let mut random = [0; 8];
        sealing::fill(&mut random)?;
        // Versions before this one count on from it.
        Ok(Self { batch: number(u64::from_be_bytes(random) >> 2), ..self.clone() })
    }
}

/// What is known of a session that exists.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) seq: u64,
    pub(super) keys: SessionKeys,
    /// The keys as they lie in the database.
    pub(super) wrapped: Vec<u8>,
}

/// Something to write.
#[derive(Debug)]
pub(super) enum Step {
    Commit(Box<Commit>),
    Note(Box<Note>),
    Done {
        effect: Box<Effect>,
        delivery: Delivery,
    },
    /// A piece of another store's.
    Put(Box<Piece>),
}

impl Step {
    fn session(&self) -> Option<SessionId> {
        match self {
            Self::Put(piece) => match &**piece {
                Piece::Session(image) => Some(image.session()),
                _ => None,
            },
            Self::Commit(commit) => Some(commit.head.id),
            Self::Note(note) => note.session,
            Self::Done { effect, .. } => Some(effect.session),
        }
    }
}

/// What must be read before steps can be worked out.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) sessions: BTreeSet<SessionId>,
    pub(super) dedup: BTreeSet<Digest>,
    pub(super) accounts: BTreeSet<Digest>,
    /// Ledgers of what was posted.
    pub(super) ledgers: BTreeSet<SessionId>,
    /// Where waits were shown.
    pub(super) shown: BTreeSet<WaitId>,
}

impl Wanted {
    pub(super) fn add(&mut self, keyring: &Keyring, step: &Step) {
        match step {
            Step::Commit(commit) => {
                self.sessions.insert(commit.head.id);
                self.dedup.extend(commit.dedup.as_deref().map(|key| keyring.dedup(key)));
                let accounts = commit.charges.iter();
                self.accounts.extend(accounts.map(|charge| keyring.account(&charge.account)));
            }
            Step::Note(note) => self.sessions.extend(note.session),
            Step::Put(piece) => self.sessions.extend(piece.sessions()),
            Step::Done { effect, delivery } => {
                self.sessions.insert(effect.session);
                if !left_outside(delivery).is_empty() {
                    self.ledgers.insert(effect.session);
                }
                self.shown.extend(rendered(effect, delivery).map(|(wait, _)| wait));
            }
        }
    }
}

/// What the steps of a batch are worked out from. Each adds what it changes, so that the next one finds it.
pub(super) struct Picture {
    pub(super) keyring: Arc<Keyring>,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) sessions: HashMap<SessionId, Known>,
    /// Sessions that cannot be read, and why: steps of theirs are refused, and those of others go on.
    pub(super) unreadable: HashMap<SessionId, Error>,
    /// What else cannot be read: steps go on as if it were not there, and write it anew.
    pub(super) damaged: Vec<Error>,
    pub(super) dedup: HashSet<Digest>,
    pub(super) accounts: HashMap<Digest, Balance>,
    pub(super) ledgers: HashMap<SessionId, String>,
    pub(super) shown: HashMap<WaitId, Vec<Rendering>>,
    pub(super) tip: Tip,
    pub(super) deletion: Option<Deletion>,
    pub(super) writes: Writes,
}

/// What of the outbox changes once a step is on the device.
#[derive(Debug)]
pub(super) enum Outgoing {
    Queued(Vec<Effect>),
    /// An effect has left, was put back or is blocked.
    Tried(Box<Effect>, Delivery),
    Unchanged,
}

impl Picture {
    /// What was read, or nothing where it is damaged: that is remembered.
    pub(super) fn readable<T>(&mut self, found: Result<T, Error>) -> Option<T> {
        found.map_err(|error| self.damaged.push(error)).ok()
    }

    /// Works out a step. One that is refused changes nothing.
    pub(super) fn apply(&mut self, step: &Step) -> Result<Outgoing, Error> {
        if let Some(error) = step.session().and_then(|session| self.unreadable.get(&session)) {
            return Err(error.clone());
        }
        match step {
            Step::Commit(commit) => self.commit(commit),
            Step::Note(note) => self.note(note).map(|()| Outgoing::Unchanged),
            Step::Done { effect, delivery } => self.done(effect, delivery),
            Step::Put(piece) => self.put_in(piece),
        }
    }

    fn commit(&mut self, commit: &Commit) -> Result<Outgoing, Error> {
        commit.check()?;
        let session = commit.head.id;
        let dedup = commit.dedup.as_deref().map(|key| self.keyring.dedup(key));
        if dedup.is_some_and(|digest| self.dedup.contains(&digest)) {
            return Err(Error::Duplicate);
        }
        let known = self.sessions.get(&session);
        let found = known.map_or(0, |known| known.seq);
        if found != commit.expected {
            return Err(Error::Conflict { expected: commit.expected, found });
        }
        let mut known = match known {
            Some(known) => known.clone(),
            None => self.new_session(session)?,
        };
        known.seq = commit.head.seq;
        let (mut writes, mut tip) = (Writes::default(), self.tip.clone());
        writes.session(&self.keyring, &known, &commit.head)?;
        writes.events(&known.keys.said, session, &commit.events)?;
        for wait in &commit.waits {
            let body = seal(&known.keys.said, Row::Wait(wait.id.uuid()), wait)?;
            writes.waits.insert(wait.id.uuid(), (session, body));
        }
        for effect in &commit.effects {
            writes.effect(&known.keys.said, effect, false)?;
        }
        for (kind, at) in &commit.timers {
            writes.timers.insert((session, timer_key(*kind)), at.map(nanos));
        }
        for record in &commit.audit {
            let key = Some(&*known.keys.said).filter(|_| record.session == Some(session));
            writes.audit(self, key, &mut tip, record)?;
        }
        let accounts = self.charged(&commit.charges, &mut writes)?;
        writes.dedup.extend(dedup.map(|digest| (digest, session)));
        // Nothing below can fail.
        self.sessions.insert(session, known);
        self.dedup.extend(dedup);
        self.accounts.extend(accounts);
        (self.tip.records, self.tip.seal) = (tip.records, tip.seal);
        self.writes.extend(writes);
        Ok(Outgoing::Queued(commit.effects.clone()))
    }

    pub(super) fn new_session(&self, session: SessionId) -> Result<Known, Error> {
        let keys = SessionKeys::fresh()?;
        Ok(Known { seq: 0, wrapped: self.keyring.wrap(session, &keys)?, keys })
    }

    fn charged(
        &self,
        charges: &[Charge],
        writes: &mut Writes,
    ) -> Result<HashMap<Digest, Balance>, Error> {
        let mut balances: HashMap<Digest, Balance> = HashMap::new();
        for Charge { account, usage, told } in charges {
            let digest = self.keyring.account(account);
            let before = balances.get(&digest).or_else(|| self.accounts.get(&digest));
            let balance = before.copied().unwrap_or_default().charged(*usage, *told);
            balances.insert(digest, balance);
            writes
                .accounts
                .insert(digest, seal(&self.keyring.own, Row::Account(digest), &balance)?);
        }
        Ok(balances)
    }

    fn note(&mut self, note: &Note) -> Result<(), Error> {
        let digest = self.keyring.note(&note.key);
        let key = match note.session {
            None => Some(&self.keyring.own),
            Some(session) => self.sessions.get(&session).map(|known| known.keys.lasting.as_ref()),
        };
        let row = match (key, &note.value) {
            (Some(key), Some(value)) => {
                let text = NoteText { key: note.key.clone(), value: value.clone() };
                let is_nobodys = note.session.is_none();
                let family = is_nobodys.then(|| self.keyring.family(&note.key));
                let body = seal(key, Row::Note(digest), &text)?;
                Some(NoteRow { session: note.session, family, body })
            }
            _ => None,
        };
        self.writes.notes.insert(digest, row);
        Ok(())
    }

    fn done(&mut self, effect: &Effect, delivery: &Delivery) -> Result<Outgoing, Error> {
        let session = effect.session;
        let known = self.sessions.get(&session).cloned();
        let mut writes = Writes::default();
        let again = put_back(effect, delivery);
        let row = match (&again, &known) {
            (Some(again), Some(known)) => Some(EffectRow::of(&known.keys.said, again, false)?),
            (Some(again), None) => Some(EffectRow::of(&self.keyring.own, again, true)?),
            (None, _) => None,
        };
        let row = row.map(|row| EffectRow { is_again: true, ..row });
        writes.effects.insert(effect.id.uuid(), row);
        let (mut ledger, mut shown) = (None, None);
        if let (None, Some(known)) = (&again, &known) {
            ledger = self.ledger(session, known, delivery, &mut writes)?;
            shown = self.rendered(effect, known, delivery, &mut writes)?;
        }
        // Nothing below can fail.
        self.ledgers.extend(ledger.map(|ledger| (session, ledger)));
        self.shown.extend(shown);
        self.writes.extend(writes);
        Ok(Outgoing::Tried(Box::new(effect.clone()), delivery.clone()))
    }

    /// The ledger of a session with what a delivery left outside; `None` if it left nothing.
    fn ledger(
        &self,
        session: SessionId,
        known: &Known,
        delivery: &Delivery,
        writes: &mut Writes,
    ) -> Result<Option<String>, Error> {
        let before = self.ledgers.get(&session).map(String::as_str);
        let Some(ledger) = posted::appended(before, left_outside(delivery)) else {
            return Ok(None);
        };
        let text = NoteText { key: posted::ledger_of(session), value: ledger.clone() };
        let digest = self.keyring.note(&text.key);
        let body = seal(&known.keys.lasting, Row::Note(digest), &text)?;
        writes.notes.insert(digest, Some(NoteRow::of(session, body)));
        Ok(Some(ledger))
    }

    /// Where a wait is shown now, where a delivery has shown it.
    fn rendered(
        &self,
        effect: &Effect,
        known: &Known,
        delivery: &Delivery,
        writes: &mut Writes,
    ) -> Result<Option<(WaitId, Vec<Rendering>)>, Error> {
        let Some((wait, message)) = rendered(effect, delivery) else { return Ok(None) };
        let mut shown = self.shown.get(&wait).cloned().unwrap_or_default();
        if shown.iter().any(|known| known.message == message) {
            return Ok(None);
        }
        shown.push(Rendering { effect: effect.id, message });
        shown.sort_by_key(|rendering| rendering.effect);
        let body = seal(&known.keys.said, Row::Shown(wait.uuid()), &shown)?;
        writes.shown.insert(wait.uuid(), (effect.session, body));
        Ok(Some((wait, shown)))
    }

    /// Works out an erasure. The session's keys are new where a part of it stays.
    pub(super) fn erase(&mut self, erasure: &Erasure) -> Result<Outgoing, Error> {
        let session = erasure.session;
        let found = self.sessions.get(&session).map_or(0, |known| known.seq);
        erasure.check_seq(found)?;
        let is_there =
            self.sessions.contains_key(&session) || self.unreadable.contains_key(&session);
        let is_whole = erasure.rest.is_none();
        self.deletion = is_there.then_some(Deletion { session, is_whole });
        let (mut writes, mut tip) = (Writes::default(), self.tip.clone());
        let before = self.sessions.remove(&session);
        if let Some(rest) = &erasure.rest {
            let keys = match &before {
                Some(before) => before.keys.renewed()?,
                None => SessionKeys::fresh()?,
            };
            let wrapped = self.keyring.wrap(session, &keys)?;
            let known = Known { seq: rest.head.seq, keys, wrapped };
            writes.session(&self.keyring, &known, &rest.head)?;
            writes.events(&known.keys.said, session, &rest.events)?;
            self.sessions.insert(session, known);
        }
        for effect in &erasure.effects {
            writes.effect(&self.keyring.own, effect, true)?;
        }
        writes.audit(self, None, &mut tip, &erasure.receipt)?;
        (self.tip.records, self.tip.seal) = (tip.records, tip.seal);
        self.writes.extend(writes);
        Ok(Outgoing::Queued(erasure.effects.clone()))
    }
}

/// A note: whose it is, or what it is about where it is nobody's.
#[derive(Debug)]
pub(super) struct NoteRow {
    pub(super) session: Option<SessionId>,
    pub(super) family: Option<Digest>,
    pub(super) body: Vec<u8>,
}

impl NoteRow {
    pub(super) const fn of(session: SessionId, body: Vec<u8>) -> Self {
        Self { session: Some(session), family: None, body }
    }
}

/// A session of which all that was said is deleted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deletion {
    pub(super) session: SessionId,
    /// The session itself and its notes go, too.
    pub(super) is_whole: bool,
}

/// Rows to write, each once.
#[derive(Debug, Default)]
pub(super) struct Writes {
    pub(super) sessions: BTreeMap<SessionId, SessionRow>,
    pub(super) events: Vec<(SessionId, i64, Vec<u8>)>,
    pub(super) waits: BTreeMap<Uuid, (SessionId, Vec<u8>)>,
    pub(super) shown: BTreeMap<Uuid, (SessionId, Vec<u8>)>,
    /// None where it has left.
    pub(super) effects: BTreeMap<Uuid, Option<EffectRow>>,
    /// None where it is cleared.
    pub(super) timers: BTreeMap<(SessionId, (i16, Uuid)), Option<i64>>,
    pub(super) dedup: Vec<(Digest, SessionId)>,
    pub(super) audit: Vec<AuditRow>,
    pub(super) accounts: BTreeMap<Digest, Vec<u8>>,
    /// None where it is taken away.
    pub(super) notes: BTreeMap<Digest, Option<NoteRow>>,
}

#[derive(Debug)]
pub(super) struct SessionRow {
    pub(super) seq: i64,
    pub(super) keys: Vec<u8>,
    pub(super) head: Vec<u8>,
    pub(super) person: Digest,
    pub(super) place: Digest,
    pub(super) is_child: bool,
    pub(super) wants_staff: bool,
    pub(super) is_paused: bool,
    pub(super) goes_at: Option<i64>,
    pub(super) goes_hour: Option<i64>,
    pub(super) updated: Updated,
}

/// Where a session is among those of its platform.
#[derive(Debug)]
pub(super) struct Updated {
    pub(super) platform: i16,
    pub(super) is_active: bool,
    pub(super) at: i64,
    pub(super) hour: i64,
}

impl Updated {
    pub(super) fn of(head: &Head) -> Self {
        Self {
            platform: platform_number(head.place.platform).into(),
            is_active: head.is_active(),
            at: nanos(head.updated_at),
            hour: nanos(hour_of(head.updated_at)),
        }
    }
}

#[derive(Debug)]
pub(super) struct EffectRow {
    pub(super) session: SessionId,
    pub(super) of_store: bool,
    /// It is put back, where it was not erased meanwhile.
    pub(super) is_again: bool,
    pub(super) body: Vec<u8>,
}

impl EffectRow {
    fn of(key: &Key, effect: &Effect, of_store: bool) -> Result<Self, Error> {
        let body = seal(key, Row::Effect(effect.id.uuid()), effect)?;
        Ok(Self { session: effect.session, of_store, is_again: false, body })
    }
}

#[derive(Debug)]
pub(super) struct AuditRow {
    pub(super) index: i64,
    pub(super) session: Option<SessionId>,
    pub(super) body: Vec<u8>,
    pub(super) words: Option<Vec<u8>>,
}

impl Writes {
    pub(super) fn session(
        &mut self,
        keyring: &Keyring,
        known: &Known,
        head: &Head,
    ) -> Result<(), Error> {
        let row = SessionRow {
            seq: number(head.seq),
            keys: known.wrapped.clone(),
            head: seal(&known.keys.said, Row::Head(head.id), head)?,
            person: keyring.person(&person_text(&head.participant)),
            place: keyring.place(&place_text(&head.place)),
            is_child: head.parent.is_some(),
            wants_staff: head.wants_staff(),
            is_paused: head.status == Status::Paused,
            goes_at: head.goes_at.map(nanos),
            goes_hour: head.goes_at.map(hour_of).map(nanos),
            updated: Updated::of(head),
        };
        self.sessions.insert(head.id, row);
        Ok(())
    }

    pub(super) fn events(
        &mut self,
        key: &Key,
        session: SessionId,
        events: &[Recorded],
    ) -> Result<(), Error> {
        if let Some(first) = events.first() {
            let body = seal(key, Row::Events(session, first.seq), &events)?;
            self.events.push((session, number(first.seq), body));
        }
        Ok(())
    }

    pub(super) fn effect(
        &mut self,
        key: &Key,
        effect: &Effect,
        of_store: bool,
    ) -> Result<(), Error> {
        self.effects.insert(effect.id.uuid(), Some(EffectRow::of(key, effect, of_store)?));
        Ok(())
    }

    /// Seals a record into the chain; its words with `key` where they are those of its session, else with the store's own.
    fn audit(
        &mut self,
        picture: &Picture,
        key: Option<&Key>,
        tip: &mut Tip,
        record: &AuditRecord,
    ) -> Result<(), Error> {
        let (index, own) = (tip.records, &picture.keyring.own);
        let salt = salt(picture.ids.as_ref(), record);
        let sealed = Sealed::seal(index, &tip.seal, record.clone(), salt);
        let last = sealed.seal.clone();
        let (text, words) = split(sealed, key.is_none());
        let body = seal(own, Row::Audit(index), &text)?;
        let words = words.map(|words| seal(key.unwrap_or(own), Row::Words(index), &words));
        let (session, words) = (record.session, words.transpose()?);
        self.audit.push(AuditRow { index: number(index), session, body, words });
        (tip.records, tip.seal) = (index + 1, last);
        Ok(())
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.sessions.extend(other.sessions);
        self.events.extend(other.events);
        self.waits.extend(other.waits);
        self.shown.extend(other.shown);
        self.effects.extend(other.effects);
        self.timers.extend(other.timers);
        self.dedup.extend(other.dedup);
        self.audit.extend(other.audit);
        self.accounts.extend(other.accounts);
        self.notes.extend(other.notes);
    }
}

/// How a timer is named: its kind, and its wait where it has one.
pub(super) const fn timer_key(kind: TimerKind) -> (i16, Uuid) {
    match kind {
        TimerKind::Work => (0, Uuid::nil()),
        TimerKind::Remind { wait } => (1, wait.uuid()),
        TimerKind::Expire { wait } => (2, wait.uuid()),
        TimerKind::Pause => (3, Uuid::nil()),
        TimerKind::Unclaimed => (4, Uuid::nil()),
    }
}

/// The timer of a name; none of one that a newer program has written.
pub(super) const fn timer_kind(kind: i16, wait: Uuid) -> Option<TimerKind> {
    let wait = WaitId::from_uuid(wait);
    Some(match kind {
        0 => TimerKind::Work,
        1 => TimerKind::Remind { wait },
        2 => TimerKind::Expire { wait },
        3 => TimerKind::Pause,
        4 => TimerKind::Unclaimed,
        _ => return None,
    })
}

/// A time as it is stored; what lies beyond its range is as far as that goes.
pub(super) fn nanos(at: chrono::DateTime<chrono::Utc>) -> i64 {
    let end = if at.timestamp() < 0 { i64::MIN } else { i64::MAX };
    at.timestamp_nanos_opt().unwrap_or(end)
}

/// A count as it is stored.
pub(super) fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
