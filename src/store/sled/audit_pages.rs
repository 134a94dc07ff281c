//! Puts the groups of audit records together in pages, so that few keys are left.
//!
//! sled keeps some hundred bytes in memory for each key, for good, and an interview adds dozens of groups. Groups never
//! change, so the oldest of them become a page of about one value as soon as there are enough, in one batch; a crash before
//! that is on the device costs nothing but the work. Pages come first in the chain and groups after them. Nothing goes
//! into a page that does not hold: from there on everything stays as it is.

use super::{
    audit_chain,
    audit_record::{self, Group, Tip},
    broken, keys, read,
    write_batch::{HEADER, Reader, Record, VALUE_MAX, WriteBatch, is_first},
};
use crate::store::Error;

/// Records that wait for their page.
const WAITING: u64 = 256;

/// Records of one page, at most: whoever looks for those of one session reads whole pages.
const RECORDS_MAX: u64 = 128;

/// How far the chain lies in pages.
#[derive(Debug)]
pub(super) struct AuditPages {
    /// Where the pages end; `None` if no more can be written.
    end: Option<Tip>,
    /// Records that may wait.
    waiting: u64,
}

impl AuditPages {
    /// As the database has them, of a chain that goes on at `tip`.
    pub(super) fn find(reader: Reader<'_>, tip: &Tip) -> Self {
        let end = end_of_pages(reader, tip);
        let end = end.inspect_err(|error| {
            tracing::warn!(%error, "the audit log is not made compact");
        });
        Self { end: end.ok(), waiting: WAITING }
    }

    /// Of a chain that is not known.
    pub(super) const fn unknown() -> Self {
        Self { end: None, waiting: WAITING }
    }

    /// No record need wait any more, unless it is the only one.
    pub(super) const fn hurry(&mut self) {
        self.waiting = 2;
    }

    /// Where the next page begins, if there is enough for one before `tip`.
    pub(super) fn next(&mut self, tip: &Tip) -> Option<Tip> {
        let end = self.end.clone()?;
        if tip.next.saturating_sub(end.next) >= self.waiting {
            return Some(end);
        }
        self.waiting = WAITING;
        None
    }

    /// A page was written, or could not be.
    pub(super) fn go_on(&mut self, written: Result<Tip, Error>) {
        let written = written.inspect_err(|error| {
            tracing::warn!(%error, "the audit log is not made compact any further");
        });
        self.end = written.ok();
    }
}

/// Where the pages end.
fn end_of_pages(reader: Reader<'_>, tip: &Tip) -> Result<Tip, Error> {
    let (mut first, mut end) = (0, tip.next);
    while first < end {
        let middle = first + (end - first) / 2;
        match read::group_at_or_before(reader, Some(middle))? {
            Some((index, page)) if audit_record::is_page(&page) => {
                let next = audit_record::end_of(index, &page).map_or(0, |tip| tip.next);
                first = next.max(middle + 1);
            }
            Some((index, _)) => end = index.min(middle),
            None => end = first,
        }
    }
    let end = first.min(tip.next);
    Ok(Tip { next: end, seal: read::seal_before(reader, end)? })
}

/// Writes the groups after `from` as a page, as many as go into one; where the chain goes on after it.
pub(super) fn put(stage: &mut WriteBatch<'_>, from: &Tip) -> Result<Tip, Error> {
    let reader = stage.reader;
    let mut page = Page { groups: Vec::new(), ends: vec![from.clone()] };
    for at in reader.tree.range(keys::audit(from.next)..).keys() {
        let at = at.map_err(broken)?;
        let next = page.end(page.groups.len()).next;
        if at.first() != Some(&keys::AUDIT) || next - from.next >= RECORDS_MAX {
            break;
        }
        let (true, Some(index)) = (is_first(&at), keys::index_of(&at)) else { continue };
        let what = format!("audit record {next}");
        let record = reader.record(&at, &what)?.filter(|_| index == next);
        let record = record.ok_or_else(|| Error::damaged(&what, "it is missing"))?;
        if audit_record::is_page(&record) {
            let after = audit_record::end_of(index, &record).filter(|_| page.groups.is_empty());
            match after {
                Some(after) => return Ok(after),
                None => break,
            }
        }
        page.add(reader, &record, &what)?;
    }
    if page.groups.is_empty() {
        return Err(Error::damaged(format_args!("audit record {}", from.next), "it is missing"));
    }
    let (record, count) = page.filled()?;
    for number in 1..count {
        stage.remove_record(&keys::audit(page.end(number).next))?;
    }
    stage.put_record(&keys::audit(from.next), &record)?;
    Ok(page.end(count).clone())
}

/// Groups that follow one another.
struct Page {
    groups: Vec<Group>,
    /// Where the chain goes on after so many of them.
    ends: Vec<Tip>,
}

impl Page {
    fn end(&self, count: usize) -> &Tip {
        self.ends.get(count).unwrap_or(&Tip::START)
    }

    /// Adds the next group, if it holds.
    fn add(&mut self, reader: Reader<'_>, record: &Record, what: &str) -> Result<(), Error> {
        let tip = self.end(self.groups.len());
        let (first, before) = (tip.next, &tip.seal);
        let (records, seal) = audit_chain::read(reader.key_store, (first, before), record, None)?;
        let mut before = audit_chain::seal_text(tip);
        for (index, sealed) in (first..).zip(&records) {
            if !sealed.holds(index, &before) {
                return Err(Error::damaged(what, "it was changed after it was sealed"));
            }
            before.clone_from(&sealed.seal);
        }
        let groups = audit_record::groups(record, what)?.into_iter();
        self.groups.extend(groups.map(|group| group.ending_with(&seal)));
        self.ends.push(Tip { next: first + records.len() as u64, seal });
        Ok(())
    }

    /// As many of the first groups as one value has room for, one at least, as a record; and how many they are.
    fn filled(&self) -> Result<(Record, usize), Error> {
        const ROOM: usize = VALUE_MAX - HEADER;
        let mut count = self.groups.len();
        loop {
            let groups = self.groups.get(..count).unwrap_or_default();
            let record = audit_record::encode_page(groups, self.end(count))?;
            if record.body.len() <= ROOM || count <= 1 {
                return Ok((record, count));
            }
            count = (count * ROOM / record.body.len()).clamp(1, count - 1);
        }
    }
}
