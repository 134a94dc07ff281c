//! Keys of sessions at rest, many of them in one value.
//!
//! sled keeps some hundred bytes in memory for each key, for good. Keys that hold nothing, or a few bytes, are moved here
//! when their session comes to rest (see `compaction`); whoever looks one up looks for the key itself first and here
//! after it.
//!
//! A page lies under `z`, the family and the first member it may hold (nothing for the first page of a family), and
//! holds members up to the key of the next page: keys of one family without the family's byte, sorted, all of the same
//! length, one after the other. A member of family `w` goes on with the pointer that such a key has as its value.

use std::collections::BTreeSet;

use super::{
    keys::{self, ID, Key},
    write_batch::{Reader, WriteBatch},
};
use crate::store::Error;

/// Bytes of a page. sled writes up to 16 values anew when one of them changes, and members in no order, such as dedup keys,
/// each change another page; those in the order of time share a few.
const fn page_max(family: u8) -> usize {
    if family == keys::WAIT { 2048 } else { 1024 }
}

/// Bytes of a member; `None` for a family whose keys are not packed.
const fn width(family: u8) -> Option<usize> {
    match family {
        keys::DEDUP => Some(ID),
        keys::NOTE_OF => Some(keys::SLOT + ID),
        keys::OF_PERSON | keys::AT_PLACE => Some(keys::HINT + ID),
        keys::WAIT => Some(ID + keys::POINTER),
        keys::LISTED => Some(keys::LIST_ENTRY - 1),
        _ => None,
    }
}

/// The family of a key that is packed, its bytes after that, and how many a member has.
fn parts(key: &[u8]) -> Option<(u8, &[u8], usize)> {
    let (family, rest) = key.split_first()?;
    Some((*family, rest, width(*family)?))
}

fn page_key(family: u8, first: &[u8]) -> Key {
    [&[keys::PACKED, family], first].concat()
}

/// Whether a key that holds nothing is there, by itself or packed.
pub(super) fn has(reader: Reader<'_>, key: &[u8]) -> Result<bool, Error> {
    Ok(reader.get(key)?.is_some() || find(reader, key)?.is_some())
}

/// Removes such a key.
pub(super) fn remove_key(stage: &mut WriteBatch<'_>, key: &[u8]) -> Result<(), Error> {
    stage.remove(key.to_vec());
    remove(stage, key)
}

/// The first member that begins with `prefix`, with its family; `None` if there is no such member.
pub(super) fn find(reader: Reader<'_>, prefix: &[u8]) -> Result<Option<Key>, Error> {
    let mut found = None;
    each(reader, prefix, |member| found = Some(member))?;
    Ok(found)
}

/// All members that begin with `prefix`, with their family, in order.
pub(super) fn scan(reader: Reader<'_>, prefix: &[u8]) -> Result<Vec<Key>, Error> {
    let mut found = Vec::new();
    each(reader, prefix, |member| found.push(member))?;
    found.reverse();
    Ok(found)
}

/// The members that begin with `prefix`, from the last to the first.
fn each(reader: Reader<'_>, prefix: &[u8], mut take: impl FnMut(Key)) -> Result<(), Error> {
    let Some((family, rest, width)) = parts(prefix) else { return Ok(()) };
    let (first, mut end) = (page_key(family, &[]), end_of_pages(family, rest, width));
    while let Some((at, page)) = reader.last_before(&first, &end)? {
        for member in page.chunks_exact(width).rev().filter(|member| member.starts_with(rest)) {
            take([&[family], member].concat());
        }
        if !reaches_back(&at, rest) {
            break;
        }
        end = at;
    }
    Ok(())
}

/// The first keys from `first` on and before `end`, at most `limit`, in order: those that lie by themselves and those that
/// are packed. Both are of one family.
pub(super) fn range(
    reader: Reader<'_>,
    first: &[u8],
    end: &[u8],
    limit: usize,
) -> Result<Vec<Key>, Error> {
    let Some((family, rest, width)) = parts(first) else { return Ok(Vec::new()) };
    let loose = reader.range(first.to_vec(), end.to_vec()).take(limit);
    let mut found: BTreeSet<Key> = loose.map(|entry| Ok(entry?.0)).collect::<Result<_, Error>>()?;
    let mut upper = page_key(family, rest);
    upper.push(0);
    let begin = reader.last_before(&page_key(family, &[]), &upper)?;
    let begin = begin.map_or_else(|| page_key(family, &[]), |(at, _)| at);
    let pages = reader.range(begin, end_of_pages(family, &[], width));
    let mut packed = Vec::new();
    for page in pages {
        let (_, page) = page?;
        let members = page.chunks_exact(width).map(|member| [&[family], member].concat());
        packed.extend(members.filter(|key| key.as_slice() >= first && key.as_slice() < end));
        let is_over = page.chunks_exact(width).any(|member| Some(member) >= end.get(1..));
        if is_over || packed.len() >= limit {
            break;
        }
    }
    found.extend(packed);
    Ok(found.into_iter().take(limit).collect())
}

/// Behind all pages that may hold a member that begins with `prefix`.
fn end_of_pages(family: u8, prefix: &[u8], width: usize) -> Key {
    let mut end = page_key(family, prefix);
    end.resize(2 + width, u8::MAX);
    end.push(0);
    end
}

/// Whether members that begin with `prefix` may also lie in pages before this one.
fn reaches_back(page: &[u8], prefix: &[u8]) -> bool {
    page.get(2..).is_some_and(|first| !first.is_empty() && first >= prefix)
}

/// Adds a member: a whole key with its family.
pub(super) fn insert(stage: &mut WriteBatch<'_>, key: &[u8]) -> Result<(), Error> {
    let whole = parts(key).filter(|(_, member, width)| member.len() == *width);
    let Some((family, member, width)) = whole else {
        return Err(Error::damaged("index entry", "it has another length"));
    };
    let first = page_key(family, &[]);
    let page = stage.last_before(&first, &end_of_pages(family, member, width))?;
    let (at, mut page) = page.unwrap_or_else(|| (first, Vec::new()));
    let members: Vec<&[u8]> = page.chunks_exact(width).collect();
    let offset = members.partition_point(|known| *known < member) * width;
    if page.get(offset..).is_some_and(|rest| rest.starts_with(member)) {
        return Ok(());
    }
    // Members in the order of time come at the end, and leave full pages behind.
    let half = if offset < page.len() { page.len() / width / 2 * width } else { offset };
    page.splice(offset..offset, member.iter().copied());
    if page.len() > page_max(family) {
        let upper = page.split_off(half);
        let begin = upper.get(..width).unwrap_or(member);
        stage.put(page_key(family, begin), upper);
    }
    stage.put(at, page);
    Ok(())
}

/// Removes the member that begins with `prefix`, if there is one; no more than one may.
pub(super) fn remove(stage: &mut WriteBatch<'_>, prefix: &[u8]) -> Result<(), Error> {
    let Some((family, rest, width)) = parts(prefix) else { return Ok(()) };
    let (first, mut end) = (page_key(family, &[]), end_of_pages(family, rest, width));
    while let Some((at, mut page)) = stage.last_before(&first, &end)? {
        if let Some(found) = page.chunks_exact(width).position(|member| member.starts_with(rest)) {
            page.drain(found * width..(found + 1) * width);
            if page.is_empty() {
                stage.remove(at);
            } else {
                stage.put(at, page);
            }
            return Ok(());
        }
        if !reaches_back(&at, rest) {
            break;
        }
        end = at;
    }
    Ok(())
}

/// A page with those members alone that `keeps` wants, each given with its family and its value; `None` if none is
/// left.
pub(super) fn filtered(
    at: &[u8],
    page: &[u8],
    keeps: impl Fn(&[u8], &[u8]) -> bool,
) -> Option<Vec<u8>> {
    let family = *at.get(1)?;
    let width = width(family)?;
    let members = page.chunks_exact(width).filter(|member| {
        let key = [&[family], *member].concat();
        let (key, value) = split(&key);
        keeps(key, value)
    });
    let kept: Vec<u8> = members.flatten().copied().collect();
    (!kept.is_empty()).then_some(kept)
}

/// A member as the key and the value that it stands for.
pub(super) fn split(member: &[u8]) -> (&[u8], &[u8]) {
    let key = match member.first() {
        Some(&keys::WAIT) => 1 + ID,
        _ => member.len(),
    };
    member.split_at_checked(key).unwrap_or((member, &[]))
}
