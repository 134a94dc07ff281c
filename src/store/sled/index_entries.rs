//! The keys by which sessions are found without going through all: by place, by person, and in lists.

use chrono::DateTime;

use super::{
    keys::{self, List},
    packed_keys, read,
    write_batch::{Reader, WriteBatch},
};
use crate::{
    model::session::{Head, Status},
    store::{Error, hour_of, person_text, place_text},
};

/// The index entries of a session.
pub(super) fn of(reader: Reader<'_>, head: &Head) -> Vec<keys::Key> {
    let mut entries = in_lists(head);
    entries.extend(
        [
            read::at_place(reader, &place_text(&head.place)),
            read::of_person(reader, &person_text(&head.participant)),
        ]
        .map(|index| keys::indexed(&index, head.id)),
    );
    entries
}

/// The entries of a session in lists.
pub(super) fn in_lists(head: &Head) -> Vec<keys::Key> {
    let entry = |list, at| keys::listed(list, at, head.id);
    let is_child = head.parent.is_some();
    // A child run goes with its conversation.
    let goes_at = head.goes_at.filter(|_| !is_child);
    let going = goes_at.map(|at| entry(List::DueToGo, hour_of(at)));
    let updated = List::Updated { platform: head.place.platform, is_active: head.is_active() };
    let updated = (!is_child).then(|| entry(updated, hour_of(head.updated_at)));
    let lists = [
        (List::Children, is_child),
        (List::WantsStaff, !is_child && head.wants_staff()),
        (List::Paused, !is_child && head.status == Status::Paused),
    ];
    let lists = lists.into_iter().filter(|(_, is_in)| *is_in);
    let lists = lists.map(|(list, _)| entry(list, DateTime::UNIX_EPOCH));
    going.into_iter().chain(updated).chain(lists).collect()
}

/// Puts the entries of a session in place of those that it had.
pub(super) fn put(
    stage: &mut WriteBatch<'_>,
    old: Option<&Head>,
    head: &Head,
) -> Result<(), Error> {
    let same = |old: &Head| old.place == head.place && old.participant == head.participant;
    // What is the same is not even worked out: a digest takes longer than the rest.
    let entries = |head: &Head, is_same| {
        if is_same { in_lists(head) } else { of(stage.reader, head) }
    };
    let is_same = old.is_some_and(same);
    let before = old.map(|old| entries(old, is_same)).unwrap_or_default();
    let after = entries(head, is_same);
    for key in before.iter().filter(|key| !after.contains(key)) {
        packed_keys::remove_key(stage, key)?;
    }
    for key in after.into_iter().filter(|key| !before.contains(key)) {
        stage.put(key, []);
    }
    Ok(())
}
