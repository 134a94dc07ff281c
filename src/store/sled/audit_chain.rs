//! Seals what one commit adds to the audit chain, and reads it again: facts for ever, words as long as the session's key.
//! How it lies in the tree says `audit_record`.

use std::{mem, sync::Arc, vec};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    audit_record::{self, Fact, Group, Link, Of, Open, Owned, Seal, Tip},
    key_store::{KeyStore, Slot},
    keys,
    write_batch::Record,
};
use crate::{
    base::ids::{Ids, SessionId},
    model::audit::{AuditRecord, CHAIN_START, Sealed, hex},
    store::{
        Error,
        compression::{self, Level},
        salt,
        sealing::Key,
    },
};

/// Whose records they are: the session, its slot and its key.
pub(super) struct Owner<'a> {
    pub(super) session: SessionId,
    pub(super) slot: Slot,
    pub(super) key: &'a Key,
}

/// Seals `records` after `tip`: the record to store under the number of the first, and where the chain goes on.
/// Words of the owner's session are sealed with its key, others stay open. `link` is that of the session.
pub(super) fn write(
    ids: &dyn Ids,
    owner: Option<&Owner<'_>>,
    tip: &Tip,
    (records, link): (Vec<AuditRecord>, Link),
) -> Result<(Record, Tip), Error> {
    let session = owner.map(|owner| owner.session).or_else(|| records.first()?.session);
    let (mut facts, mut words) = (Vec::new(), Vec::new());
    let mut previous = seal_text(tip);
    let mut next = tip.next;
    for record in records {
        let own = owner.filter(|owner| record.session == Some(owner.session));
        let salt = match own {
            Some(owner) if !record.words.is_empty() => salt_of(owner.key, next),
            _ => salt(ids, &record),
        };
        let sealed = Sealed::seal(next, &previous, record, salt);
        let Sealed { record, salt, words_sha256, seal, .. } = sealed;
        let digest = (!record.words.is_empty()).then_some(words_sha256);
        let open = match own {
            _ if record.words.is_empty() => None,
            Some(_) => {
                words.push(record.words);
                None
            }
            None => Some(Open { salt, words: record.words }),
        };
        let of = (record.session != session).then_some(Of { session: record.session });
        let AuditRecord { event, timestamp: at, facts: told, .. } = record;
        facts.push(Fact { event, at, facts: told, of, digest, open });
        previous = seal;
        next += 1;
    }
    let tip = Tip { next, seal: seal_bytes(&previous) };
    let key = keys::audit(next - facts.len() as u64);
    let words = match owner {
        Some(owner) if !words.is_empty() => {
            let text = serde_json::to_vec(&words).map_err(Error::unavailable)?;
            owner.key.seal(&key, compression::compress(&text, Level::High)?)?
        }
        _ => Vec::new(),
    };
    let slot = owner.map_or(0, |owner| owner.slot);
    let record = Group::new(Owned { session, slot, link }, facts, words).encode(&tip)?;
    Ok((record, tip))
}

/// Keeps records that were sealed elsewhere, as they were, after `tip`: all of one session, and either all without the words
/// they had or none. Words of the owner's session are sealed with its key, their salts with them; others stay open.
pub(super) fn keep(
    owner: Option<&Owner<'_>>,
    tip: &Tip,
    (records, link): (&[Sealed], Link),
) -> Result<(Record, Tip), Error> {
    let session = records.first().and_then(|sealed| sealed.record.session);
    let (mut facts, mut copied) = (Vec::new(), Vec::new());
    for sealed in records {
        let Sealed { record, salt, words_sha256, erased, .. } = sealed.clone();
        let AuditRecord { event, timestamp: at, facts: told, words, .. } = record;
        let digest = (erased || !words.is_empty()).then_some(words_sha256);
        let mut open = (!words.is_empty()).then_some(Open { salt, words });
        if owner.is_some() {
            copied.extend(open.take());
        }
        facts.push(Fact { event, at, facts: told, of: None, digest, open });
    }
    let seal = records.last().map_or(tip.seal, |sealed| seal_bytes(&sealed.seal));
    let end = Tip { next: tip.next + records.len() as u64, seal };
    let words = match owner {
        Some(owner) if !copied.is_empty() => {
            let text = serde_json::to_vec(&Copied { copied }).map_err(Error::unavailable)?;
            owner.key.seal(&keys::audit(tip.next), compression::compress(&text, Level::High)?)?
        }
        _ => Vec::new(),
    };
    let slot = owner.map_or(0, |owner| owner.slot);
    let record = Group::new(Owned { session, slot, link }, facts, words).encode(&end)?;
    Ok((record, end))
}

/// The words of records that were sealed elsewhere, with salts that no key of this store gives.
#[derive(Serialize, Deserialize)]
struct Copied {
    copied: Vec<Open>,
}

/// The records in a group or page that begins with number `index`, after the seal `previous`; and the seal that was
/// kept. Where the two disagree the first of them does not hold, because nobody can say which was changed; in a page the
/// first of the group that was. Of a session that is `asked` for, only its own words are opened; others pass for erased.
pub(super) fn read(
    key_store: &KeyStore,
    (index, previous): (u64, &Seal),
    record: &Record,
    asked: Option<SessionId>,
) -> Result<(Vec<Sealed>, Seal), Error> {
    let what = format!("audit record {index}");
    let tip = audit_record::end_of(index, record);
    let mut records: Vec<Sealed> = Vec::new();
    let (mut before, mut suspect) = (hex(previous), None);
    for mut group in audit_record::groups(record, &what)? {
        let (place, session) = (records.len(), group.of.session);
        let first = index + place as u64;
        let is_wanted = asked.is_none() || session == asked;
        let mut opened = if is_wanted { open(key_store, first, &group, &what)? } else { None };
        for (index, fact) in (first..).zip(mem::take(&mut group.facts)) {
            let Fact { event, at: timestamp, facts, of, digest, open } = fact;
            let (salt, words, erased) = match (open, &digest, &mut opened) {
                (Some(Open { salt, words }), ..) => (salt, words, false),
                (None, None, _) => (String::new(), Map::new(), false),
                (None, Some(_), Some(Opened { key, words })) => {
                    let early = || Error::damaged(&what, "it ends early");
                    let (salt, words) = words.next().ok_or_else(early)?;
                    (salt.unwrap_or_else(|| salt_of(key, index)), words, false)
                }
                (None, Some(_), None) => (String::new(), Map::new(), true),
            };
            let session = of.map_or(session, |of| of.session);
            let record = AuditRecord { event, timestamp, session, facts, words };
            let sealed = Sealed::restored((index, &before), record, salt, digest, erased);
            before.clone_from(&sealed.seal);
            records.push(sealed);
        }
        if !group.may_end_with(&before) {
            suspect = suspect.or(Some(place));
        }
    }
    let end = Tip { next: index + records.len() as u64, seal: seal_bytes(&before) };
    let kept = tip.ok_or_else(|| Error::damaged(&what, "it ends early"))?;
    if end != kept {
        suspect = suspect.or(Some(0));
    }
    if let Some(suspect) = suspect.and_then(|place| records.get_mut(place)) {
        suspect.seal = hex(&kept.seal.map(|byte| !byte));
    }
    Ok((records, kept.seal))
}

type Words = Map<String, Value>;

/// The words of a group, one record after the other, with their salts where they were sealed elsewhere; and the key that
/// opened them, which gives the salts of others.
struct Opened {
    key: Arc<Key>,
    words: vec::IntoIter<(Option<String>, Words)>,
}

/// The words of a group that begins with number `first`; `None` if there are none, or none any more.
fn open(
    key_store: &KeyStore,
    first: u64,
    group: &Group,
    what: &str,
) -> Result<Option<Opened>, Error> {
    let key = if group.words.is_empty() { None } else { key_store.key(group.of.slot)? };
    let Some(key) = key else { return Ok(None) };
    let text = key
        .open(&keys::audit(first), &group.words)
        .ok_or_else(|| Error::damaged(what, "its words are not what was sealed"))?;
    let text = compression::decompress(&text, what)?;
    let words = if text.starts_with(b"{") {
        let copied = serde_json::from_slice(&text);
        copied.map(|Copied { copied }| {
            copied.into_iter().map(|Open { salt, words }| (Some(salt), words)).collect()
        })
    } else {
        let own = serde_json::from_slice(&text);
        own.map(|own: Vec<Words>| own.into_iter().map(|words| (None, words)).collect())
    };
    let words: Vec<_> = words.map_err(|_| Error::damaged(what, "it has another shape"))?;
    Ok(Some(Opened { key, words: words.into_iter() }))
}

/// The facts and the words of each group in a record that begins with number `index`, as text.
pub(super) fn texts(
    key_store: &KeyStore,
    index: u64,
    record: &Record,
) -> Result<Vec<Vec<u8>>, Error> {
    let (mut texts, mut first, what) = (Vec::new(), index, "record");
    for group in audit_record::groups(record, what)? {
        texts.push(serde_json::to_vec(&group.facts).map_err(Error::unavailable)?);
        if let Some(Opened { words, .. }) = open(key_store, first, &group, what)? {
            let words: Vec<Words> = words.map(|(_, words)| words).collect();
            texts.push(serde_json::to_vec(&words).map_err(Error::unavailable)?);
        }
        first += group.facts.len() as u64;
    }
    Ok(texts)
}

/// As random as the key, gone with it, and not worth storing.
fn salt_of(key: &Key, index: u64) -> String {
    hex(&key.digest(&[&b"salt"[..], &index.to_be_bytes()].concat()))
}

/// A seal as text; where nothing is sealed yet, [`CHAIN_START`].
pub(super) fn seal_text(tip: &Tip) -> String {
    if tip.next == 0 { CHAIN_START.to_owned() } else { hex(&tip.seal) }
}

/// The bytes of a seal, which is always as long as this.
fn seal_bytes(text: &str) -> Seal {
    let mut seal = Seal::default();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    for (byte, pair) in seal.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let digits = pair.iter().filter_map(|byte| digit(*byte));
        *byte = digits.fold(0, |byte, digit| byte << 4 | digit);
    }
    seal
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use tempfile::TempDir;

    use super::*;
    use crate::base::ids::RandomIds;

    fn record(event: &str) -> AuditRecord {
        let (timestamp, facts, words) = (DateTime::UNIX_EPOCH, Map::new(), Map::new());
        AuditRecord { event: event.to_owned(), timestamp, session: None, facts, words }
    }

    #[test]
    fn a_page_tells_which_of_its_groups_was_changed() {
        let dir = TempDir::new().unwrap();
        let key_store = KeyStore::open(dir.path(), None, true).unwrap();
        let (mut groups, mut tip) = (Vec::new(), Tip::START);
        for event in ["one", "two", "three"] {
            let records = (vec![record(event), record(event)], Link::Unknown);
            let (group, next) = write(&RandomIds, None, &tip, records).unwrap();
            let group = audit_record::groups(&group, event).unwrap().pop().unwrap();
            groups.push(group.ending_with(&next.seal));
            tip = next;
        }
        let unsound = |groups: &[Group]| {
            let page = audit_record::encode_page(groups, &tip).unwrap();
            let (records, _) = read(&key_store, (0, &Tip::START.seal), &page, None).unwrap();
            let mut before = CHAIN_START.to_owned();
            (0..).zip(records).find_map(|(index, sealed)| {
                let holds = sealed.holds(index, &before);
                before = sealed.seal;
                (!holds).then_some(index)
            })
        };
        assert_eq!(unsound(&groups), None);
        groups[1].facts[1].event = "changed".to_owned();
        assert_eq!(unsound(&groups), Some(2), "the first of that group");
        groups.pop();
        groups.remove(1);
        assert_eq!(unsound(&groups), Some(0), "nobody can say which");
    }
}
