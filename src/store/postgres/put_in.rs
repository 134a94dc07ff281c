//! What a piece of another store writes.

use super::{
    batch::{AuditRow, NoteRow, Outgoing, Picture, Writes, nanos, number, timer_key},
    records::{NoteText, Row, seal, split},
};
use crate::{
    base::ids::SessionId,
    model::audit::Sealed,
    store::{
        Error, Loaded,
        portable::{Image, Piece, following, unlinked},
    },
};

/// Events of one row: a row stays small, and a session is read with few.
const EVENTS: usize = 64;

impl Picture {
    /// Works out a piece of another store.
    pub(super) fn put_in(&mut self, piece: &Piece) -> Result<Outgoing, Error> {
        match piece {
            Piece::Session(image) => self.put_session(image),
            Piece::Audit(records) => self.put_audit(records).map(|()| Outgoing::Unchanged),
            Piece::Accounts(accounts) => {
                for (digest, balance) in accounts {
                    let body = seal(&self.keyring.own, Row::Account(*digest), balance)?;
                    self.writes.accounts.insert(*digest, body);
                    self.accounts.insert(*digest, *balance);
                }
                Ok(Outgoing::Unchanged)
            }
            Piece::LastEffects(effects) => {
                let mut writes = Writes::default();
                for effect in effects {
                    writes.effect(&self.keyring.own, effect, true)?;
                }
                self.writes.extend(writes);
                Ok(Outgoing::Queued(effects.clone()))
            }
        }
    }

    fn put_session(&mut self, image: &Image) -> Result<Outgoing, Error> {
        let session = image.session();
        if self.sessions.contains_key(&session) {
            return Ok(Outgoing::Unchanged);
        }
        let Image { loaded: Loaded { head, events }, waits, effects, timers, dedup, notes } = image;
        let mut known = self.new_session(session)?;
        known.seq = head.seq;
        let (mut writes, said) = (Writes::default(), &known.keys.said);
        writes.session(&self.keyring, &known, head)?;
        for events in events.chunks(EVENTS) {
            writes.events(said, session, events)?;
        }
        for (wait, renderings) in waits {
            let id = wait.id.uuid();
            writes.waits.insert(id, (session, seal(said, Row::Wait(id), wait)?));
            if !renderings.is_empty() {
                writes.shown.insert(id, (session, seal(said, Row::Shown(id), renderings)?));
            }
        }
        for effect in effects {
            writes.effect(said, effect, false)?;
        }
        for (kind, at) in timers {
            writes.timers.insert((session, timer_key(*kind)), Some(nanos(*at)));
        }
        writes.dedup.extend(dedup.iter().map(|digest| (*digest, session)));
        for note in notes {
            let digest = self.keyring.note(&note.key);
            let value = note.value.clone().unwrap_or_default();
            let text = NoteText { key: note.key.clone(), value };
            let body = seal(&known.keys.lasting, Row::Note(digest), &text)?;
            writes.notes.insert(digest, Some(NoteRow::of(session, body)));
        }
        // Nothing below can fail.
        self.sessions.insert(session, known);
        self.dedup.extend(dedup);
        self.writes.extend(writes);
        Ok(Outgoing::Queued(effects.clone()))
    }

    fn put_audit(&mut self, records: &[Sealed]) -> Result<(), Error> {
        let (mut writes, mut tip) = (Writes::default(), self.tip.clone());
        for sealed in following(records, tip.records)? {
            if sealed.previous != tip.seal || sealed.index != tip.records {
                return Err(unlinked(sealed));
            }
            writes.audit.push(self.audit_row(sealed)?);
            (tip.records, tip.seal) = (sealed.index + 1, sealed.seal.clone());
        }
        (self.tip.records, self.tip.seal) = (tip.records, tip.seal);
        self.writes.extend(writes);
        Ok(())
    }

    /// A record as it was sealed; words of a session that is there are sealed with its key.
    fn audit_row(&self, sealed: &Sealed) -> Result<AuditRow, Error> {
        let (index, session) = (sealed.index, sealed.record.session);
        let known = session.and_then(|session: SessionId| self.sessions.get(&session));
        let (text, words) = split(sealed.clone(), known.is_none());
        let key = known.map_or(&self.keyring.own, |known| &*known.keys.said);
        let words = words.map(|words| seal(key, Row::Words(index), &words)).transpose()?;
        let body = seal(&self.keyring.own, Row::Audit(index), &text)?;
        Ok(AuditRow { index: number(index), session, body, words })
    }
}
