//! Drafts made of plain text by rules, and how much they are worth.

use serde_json::{Map, Value, json};

use super::{
    Drafted, Kind, Quality, ReadBy, is_hollow,
    told::{OTHER_ADDRESS, OTHER_NAME},
};
use crate::{
    ports::artifacts::resume::{Confidence, Draft},
    session::SessionView,
};

pub(super) fn draft(draft: &Draft, notes: Vec<String>, kinds: &[Kind]) -> Drafted {
    let derived = kinds.iter().map(|kind| {
        let value = match kind {
            Kind::ApplicantProfile => &draft.applicant_profile,
            Kind::SkeletonTimeline => &draft.skeleton_timeline,
            Kind::EducationHistory => &draft.education_history,
        };
        (kind.name().to_owned(), if is_hollow(value) { Value::Null } else { value.clone() })
    });
    let derived = derived.collect();
    let is_low =
        |(path, sure): (&String, &Confidence)| (*sure == Confidence::Low).then(|| path.clone());
    let quality = Quality {
        extraction_confidence: overall(draft),
        read_by: ReadBy::Rules,
        low_confidence: draft.confidence.iter().filter_map(is_low).collect(),
        issues: notes.into_iter().chain(draft.issues.iter().cloned()).collect(),
    };
    Drafted { derived, quality }
}

/// What a résumé says besides the records, as plain text has it: `"skills": ["Rust"]` and, for each role of which more
/// is said, `"highlights": [{"name": "…", "position": "…", "highlights": ["…"]}]`. Nothing where there is none.
pub(super) fn extras(draft: &Draft) -> Map<String, Value> {
    let mut extras = Map::new();
    if !draft.skills.is_empty() {
        extras.insert("skills".to_owned(), json!(draft.skills));
    }
    let roles = draft.skeleton_timeline["work"].as_array().map_or(&[][..], Vec::as_slice);
    let said = roles.iter().zip(&draft.highlights).filter(|(_, said)| !said.is_empty());
    let highlights: Vec<Value> = said
        .map(|(role, said)| {
            json!({ "name": role["name"], "position": role["position"], "highlights": said })
        })
        .collect();
    if !highlights.is_empty() {
        extras.insert("highlights".to_owned(), Value::Array(highlights));
    }
    extras
}

/// How much of what a résumé says is there and needs no closer look, two decimals. What is missing counts as much as
/// what is wrong: a draft without roles is not a good one, however sure its name is.
fn overall(draft: &Draft) -> f64 {
    let basics = ["name", "email", "phone", "location"].map(|key| {
        let is_there = draft.applicant_profile["basics"].get(key).is_some();
        if is_there { share(draft, &format!("basics.{key}")) } else { 0.0 }
    });
    let contact = basics.iter().sum::<f64>() / 4.0;
    let work = entries(draft, &draft.skeleton_timeline, "work", &["name", "position", "startDate"]);
    let education = &draft.education_history;
    let schools = entries(draft, education, "education", &["institution", "studyType", "endDate"]);
    ((contact * 0.3 + work * 0.45 + schools * 0.25) * 100.0).round() / 100.0
}

fn share(draft: &Draft, path: &str) -> f64 {
    match draft.confidence.get(path) {
        Some(Confidence::Low) => 0.4,
        Some(Confidence::Medium) => 0.85,
        Some(Confidence::High) | None => 1.0,
    }
}

/// The mean over the members that entries of a list should have.
fn entries(draft: &Draft, record: &Value, list: &str, members: &[&str]) -> f64 {
    let Some(entries) = record[list].as_array().filter(|entries| !entries.is_empty()) else {
        return 0.0;
    };
    let mut sum = 0.0;
    let mut count = 0.0;
    for (n, entry) in entries.iter().enumerate() {
        let whole = format!("{list}.{n}");
        for member in members {
            count += 1.0;
            if entry.get(*member).is_some() {
                sum += share(draft, &whole).min(share(draft, &format!("{whole}.{member}")));
            }
        }
    }
    sum / count
}

/// What the conversation knows of the participant.
#[derive(Debug, Default)]
pub(super) struct Known {
    names: Vec<String>,
    address: Option<String>,
}

impl Known {
    /// What they are called here, and what they have said of themselves.
    pub(super) fn of(view: &SessionView) -> Self {
        let state = &view.state;
        let basics = state.record("applicant_profile").map(|record| &record.data["basics"]);
        let said = |key: &str| basics.and_then(|basics| basics[key].as_str()).map(str::to_owned);
        let names = [state.known_as().map(str::to_owned), state.name.clone(), said("name")];
        Self { names: names.into_iter().flatten().collect(), address: said("email") }
    }

    /// Marks a name that shares no part with any that is known, and an address other than the one that is known.
    pub(super) fn compare(&self, derived: &Map<String, Value>, quality: &mut Quality) {
        let basics = derived.get(Kind::ApplicantProfile.name()).map(|profile| &profile["basics"]);
        let text = |key: &str| basics.and_then(|basics| basics[key].as_str());
        let parts = |name: &str| -> Vec<String> {
            let words = name.split(|c: char| !c.is_alphanumeric());
            words.filter(|word| word.chars().count() > 1).map(str::to_lowercase).collect()
        };
        if let Some(name) = text("name") {
            let mine = parts(name);
            let is_shared = |known: &String| {
                let joined = parts(known).concat();
                mine.iter().any(|part| joined.contains(part.as_str()) || part.contains(&joined))
            };
            if !self.names.is_empty() && !self.names.iter().any(is_shared) {
                mark(quality, "basics.name", OTHER_NAME);
            }
        }
        let is_other = |found: &str| {
            self.address.as_ref().is_some_and(|known| !known.eq_ignore_ascii_case(found))
        };
        if text("email").is_some_and(is_other) {
            mark(quality, "basics.email", OTHER_ADDRESS);
        }
    }
}

fn mark(quality: &mut Quality, path: &str, issue: &str) {
    if !quality.low_confidence.iter().any(|known| known == path) {
        quality.low_confidence.push(path.to_owned());
        quality.low_confidence.sort();
    }
    quality.issues.push(issue.to_owned());
}
