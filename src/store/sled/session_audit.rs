//! The audit records of one session, found by the links between them.
//!
//! The session's head links to its latest group, and each group to the one before. Where a link is unknown or leads to no
//! group of the session, the groups before are looked through one by one until the next one of the session is found: what
//! an older program wrote has no links, and a session that is gone has no head.

use super::{
    audit_chain,
    audit_record::{self, Link},
    keys, read,
    write_batch::{Reader, Record, is_first},
};
use crate::{base::ids::SessionId, model::audit::Sealed, store::Error};

/// Groups and pages that are looked at in one go; writers wait that long.
const LOOKS_MAX: usize = 1024;

/// For how many looks at the beginning of one it counts to read it.
const READ: usize = 16;

/// Where the look goes on.
enum Next {
    /// With this group, which holds records of the session.
    Group(u64, Record),
    /// Through all groups that begin with this number or before it.
    Search(u64),
    /// There is nothing before.
    End,
}

/// Some of the records about a session, the latest groups first, and the number with which the look goes on; from the
/// latest on where there is no `from`.
pub(super) fn audit_of(
    reader: Reader<'_>,
    session: SessionId,
    from: Option<u64>,
) -> Result<(Vec<Sealed>, Option<u64>), Error> {
    let mut found = Vec::new();
    let mut next = match from {
        Some(from) => Next::Search(from),
        None => follow(reader, session, latest(reader, session)?, u64::MAX)?,
    };
    let mut budget = LOOKS_MAX;
    loop {
        let (index, group) = match next {
            Next::Group(index, _) if budget == 0 => return Ok((found, Some(index))),
            Next::Group(index, group) => (index, group),
            Next::Search(from) => match search(reader, session, from, &mut budget)? {
                Next::Group(index, group) => (index, group),
                Next::Search(from) => return Ok((found, Some(from))),
                Next::End => return Ok((found, None)),
            },
            Next::End => return Ok((found, None)),
        };
        budget = budget.saturating_sub(READ);
        let previous = read::seal_before(reader, index)?;
        let (records, _) =
            audit_chain::read(reader.key_store, (index, &previous), &group, Some(session))?;
        found.extend(records.into_iter().filter(|sealed| sealed.record.session == Some(session)));
        let link = audit_record::link_of(session, &group).unwrap_or_default();
        next = follow(reader, session, link, index)?;
    }
}

/// The link to the latest group of a session; unknown where nothing tells.
fn latest(reader: Reader<'_>, session: SessionId) -> Result<Link, Error> {
    match read::known(reader, session) {
        Ok(Some(known)) => Ok(known.cover.audit),
        Ok(None) | Err(Error::Unreadable { .. }) => Ok(Link::Unknown),
        Err(error) => Err(error),
    }
}

/// Where the look goes on before number `index`.
fn follow(reader: Reader<'_>, session: SessionId, link: Link, index: u64) -> Result<Next, Error> {
    match link {
        Link::None => return Ok(Next::End),
        Link::Unknown => {}
        Link::At(number) => {
            if let Some((first, group)) = target(reader, session, number, index)? {
                return Ok(Next::Group(first, group));
            }
            tracing::warn!(
                session.id = %session, number,
                "a link between audit records leads astray; the records before are looked through"
            );
        }
    }
    Ok(index.checked_sub(1).map_or(Next::End, Next::Search))
}

/// The group with record `number`, where that comes before `index` and is one of the session.
fn target(
    reader: Reader<'_>,
    session: SessionId,
    number: u64,
    index: u64,
) -> Result<Option<(u64, Record)>, Error> {
    if number >= index {
        return Ok(None);
    }
    let found = read::group_at_or_before(reader, Some(number))?;
    Ok(found.filter(|(first, group)| {
        let end = audit_record::end_of(*first, group).map_or(0, |tip| tip.next);
        number < end && audit_record::link_of(session, group).is_some()
    }))
}

/// The latest group that may hold records of a session and begins with number `from` or before it. Of groups of others,
/// nothing but the beginning is read.
fn search(
    reader: Reader<'_>,
    session: SessionId,
    from: u64,
    budget: &mut usize,
) -> Result<Next, Error> {
    for entry in reader.range(vec![keys::AUDIT], keys::after_audit(Some(from))).rev() {
        let (key, first) = entry?;
        let (true, Some(index)) = (is_first(&key), keys::index_of(&key)) else { continue };
        if *budget == 0 {
            return Ok(Next::Search(index));
        }
        *budget -= 1;
        if audit_record::may_hold(&first, session)
            && let Some(record) = reader.record(&key, format_args!("audit record {index}"))?
        {
            return Ok(Next::Group(index, record));
        }
    }
    Ok(Next::End)
}
