//! What a participant is told of a document that was read: what was found in it, what was not, and what to check.

use serde_json::{Map, Value};

use super::{Kind, Quality};
use crate::{
    messages::list,
    ports::artifacts::{
        extract::{HIDDEN_TEXT, TWO_COLUMNS},
        resume,
    },
};

/// `I found 5 roles and 2 schools. I couldn't find your telephone number, so please add it.`, and what the person should
/// look at more closely.
pub(super) fn found(derived: &Map<String, Value>, quality: &Quality) -> String {
    let found = counted(derived).map(|counted| format!("I found {counted}."));
    let missing = missing(derived, quality);
    let missing = match missing.as_slice() {
        [] => None,
        [only] if !only.starts_with("any ") => {
            Some(format!("I couldn't find {only}, so please add it."))
        }
        _ => Some(format!("I couldn't find {}, so please add them.", or(&missing))),
    };
    let nothing = (found.is_none() && missing.is_none()).then(|| "I've read your file.".to_owned());
    let is_incomplete = |issue: &String| INCOMPLETE.iter().any(|part| issue.contains(part));
    let gaps = quality.issues.iter().any(is_incomplete);
    let gaps =
        gaps.then(|| "Some entries are incomplete, so please check each of them.".to_owned());
    let doubts = quality.issues.iter().filter_map(|issue| doubt(issue)).map(str::to_owned);
    let parts = nothing.into_iter().chain(found).chain(missing).chain(gaps).chain(doubts);
    parts.collect::<Vec<_>>().join(" ")
}

/// `5 roles and 2 schools`, for a note beside the name of the file; what was looked for and is not there is said, too.
pub(super) fn in_short(derived: &Map<String, Value>) -> Option<String> {
    let counted = counted(derived)?;
    let lacks = |kind: Kind, list: &[&str]| {
        derived.contains_key(kind.name()) && list.iter().all(|list| count(derived, kind, list) == 0)
    };
    let without = if lacks(Kind::SkeletonTimeline, &["work", "volunteer"]) {
        ", no roles"
    } else if lacks(Kind::EducationHistory, &["education"]) {
        ", no schools"
    } else {
        ""
    };
    Some(format!("{counted}{without}"))
}

/// Issues that are about a part of an entry.
const INCOMPLETE: [&str; 6] = [
    "no organisation was found for",
    "no title was found for",
    "no school was found for",
    "has only one date",
    "run backwards",
    "some roles are missing",
];

fn count(derived: &Map<String, Value>, kind: Kind, list: &str) -> usize {
    derived.get(kind.name()).and_then(|record| record[list].as_array()).map_or(0, Vec::len)
}

/// `5 roles and 2 schools`; `None` if there is neither.
fn counted(derived: &Map<String, Value>) -> Option<String> {
    let roles = count(derived, Kind::SkeletonTimeline, "work")
        + count(derived, Kind::SkeletonTimeline, "volunteer");
    let schools = count(derived, Kind::EducationHistory, "education");
    let parts = [(roles, "role"), (schools, "school")].into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, noun)| list::counted(count, noun)).collect();
    (!parts.is_empty()).then(|| list::and(&parts))
}

/// What was looked for and is not there: only what was looked for can be missing.
fn missing(derived: &Map<String, Value>, quality: &Quality) -> Vec<&'static str> {
    let mut missing = Vec::new();
    match derived.get(Kind::ApplicantProfile.name()) {
        Some(Value::Null) => missing.push("any contact details"),
        Some(_) => {
            let basics = [
                ("no name was found", "your name"),
                ("no e-mail address was found", "your e-mail address"),
                ("no telephone number was found", "your telephone number"),
                ("no city was found", "where you live"),
            ];
            let said = |issue: &str| quality.issues.iter().any(|known| known == issue);
            missing.extend(basics.iter().filter(|(issue, _)| said(issue)).map(|(_, words)| words));
        }
        None => {}
    }
    let lacks = |kind: Kind, lists: &[&str]| {
        derived.contains_key(kind.name())
            && lists.iter().all(|list| count(derived, kind, list) == 0)
    };
    if lacks(Kind::SkeletonTimeline, &["work", "volunteer"]) {
        missing.push("any roles");
    }
    if lacks(Kind::EducationHistory, &["education"]) {
        missing.push("any schools");
    }
    missing
}

/// `any roles`, `any contact details, roles or schools`, `your name, your telephone number or any schools`.
fn or(words: &[&'static str]) -> String {
    let all_any = words.iter().all(|word| word.starts_with("any "));
    let bare = |(n, word): (usize, &&'static str)| {
        if all_any && n > 0 { word.trim_start_matches("any ") } else { *word }
    };
    list::or(&words.iter().enumerate().map(bare).collect::<Vec<_>>())
}

/// An issue as the person reads it, where they can do something about it.
fn doubt(issue: &str) -> Option<&'static str> {
    Some(match issue {
        TWO_COLUMNS => {
            "It has two columns, so I may have mixed things up. Please check every role."
        }
        OTHER_NAME => "The name in it isn't the one I know you by, so please check it.",
        OTHER_ADDRESS => "Its e-mail address isn't the one you gave before, so please check it.",
        resume::ROLES_MISSING => "I may have missed some roles, so please add what isn't there.",
        resume::SCHOOLS_MISSING => {
            "I may have missed some schools, so please add what isn't there."
        }
        HIDDEN_TEXT => "It holds text that nobody can see, which I left out.",
        LOW_CONFIDENCE => "I'm not sure about some of it. Please check every value.",
        SCANNED => "It's a scan, so I read it from the image. Please check every value.",
        HANDWRITING => "It's handwritten, so I may have misread it. Please check every value.",
        HARD_TO_READ => "It's hard to read. Please check every value.",
        _ => return None,
    })
}

/// The reader says that it guessed.
pub(super) const LOW_CONFIDENCE: &str = "low confidence: please check every value";
/// Pages that are pictures.
pub(super) const SCANNED: &str = "scan: read from a picture, please check every value";
/// Pages written by hand.
pub(super) const HANDWRITING: &str = "handwriting: please check every value";
/// Pages that are faint, crooked or crowded.
pub(super) const HARD_TO_READ: &str = "hard to read: please check every value";
/// It names somebody else than the participant.
pub(super) const OTHER_NAME: &str = "the name is not the one that the participant goes by";
/// It has another address than the participant has given.
pub(super) const OTHER_ADDRESS: &str =
    "the e-mail address is not the one that the participant has given";
