//! What of a finished draft may be wrong, as the text around it shows: a value that goes on in what no field took, that
//! stands elsewhere than in the other entries, or that is called like something else.
//!
//! The readers mark what they had to guess. Here a draft is looked at again without knowing how it came about, so that
//! also what was read with confidence is marked where the text tells otherwise.

mod degrees;
mod names;
mod periods;
mod person;
mod rests;
mod skills;
mod spots;

use serde_json::Value;

use super::{Confidence, Findings, lines::Line, sections::Part, vocabulary::Section};

use spots::{Entries, text};

/// The lists of a draft.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drafted<'d> {
    pub(super) basics: &'d Value,
    pub(super) work: &'d [Value],
    pub(super) education: &'d [Value],
    pub(super) skills: &'d [String],
}

/// Marks what is doubtful in a draft that was read from some sections.
pub(super) fn mark(parts: &[Part], drafted: Drafted<'_>, findings: &mut Findings) {
    let (work_lines, school_lines) = (of(parts, Section::Work), of(parts, Section::Education));
    let roles = Entries::of(&work_lines, "work", drafted.work, &["position", "name", "location"]);
    let schools = Entries::of(
        &school_lines,
        "education",
        drafted.education,
        &["studyType", "area", "institution"],
    );
    let towns = towns(drafted);
    let mut doubtful = names::roles(&roles, &towns);
    doubtful.extend(names::schools(&schools, &towns));
    doubtful.extend(degrees::doubtful(&schools));
    for entries in [&roles, &schools] {
        doubtful.extend(rests::doubtful(entries));
        doubtful.extend(periods::doubtful(entries));
    }
    doubtful.extend(person::doubtful(parts, drafted.basics));
    doubtful.extend(skills::doubtful(&of(parts, Section::Skills), drafted.skills));
    for path in doubtful {
        findings.sure(&path, Confidence::Low);
    }
}

fn of(parts: &[Part], section: Section) -> Vec<&Line> {
    let wanted = parts.iter().filter(|part| part.section == section);
    wanted.flat_map(|part| &part.lines).collect()
}

/// The towns that a draft names: where somebody lives and has worked.
fn towns(drafted: Drafted<'_>) -> Vec<&str> {
    let town = |place: &str| place.split(',').next().unwrap_or_default().len();
    let home = drafted.basics["location"]["city"].as_str().unwrap_or_default();
    let places = drafted.work.iter().map(|role| text(role, "location")).chain([home]);
    places.map(|place| &place[..town(place)]).filter(|town| !town.is_empty()).collect()
}
