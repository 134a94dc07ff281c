//! Heads of the columns of tables: what they are called says nothing of its own.

use super::vocabulary::{folded, vocabulary};

/// Words and marks between two names of a column: `Employer and place`, `Company / Town`.
const JOINTS: [&str; 10] = [" und ", " and ", " et ", " en ", " y ", " e ", " con ", ",", "/", "&"];

/// Whether a text is the name of a column, or several of them: `Employer`, `Schule und Ort`.
pub(super) fn names_column(field: &str) -> bool {
    let name = folded(field.trim().trim_end_matches(':'));
    // A name may have a joint in it: `Name und Art der Bildungseinrichtung`.
    is_name(&name)
        || JOINTS.into_iter().any(|joint| {
            let mut names = name.split(joint).map(str::trim);
            name.contains(joint) && names.all(is_name)
        })
}

fn is_name(name: &str) -> bool {
    let words = vocabulary();
    words.columns.contains(name)
        || words.role_labels.contains_key(name)
        || words.study_labels.contains_key(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_hold_two_things_are_named_after_both() {
        for name in [
            "Arbeitgeber und Ort",
            "Schule und Ort",
            "Employer and place",
            "Employer & town:",
            "School and location",
            "Empresa y lugar",
            "Centro y localidad",
            "Employeur et lieu",
            "Établissement, ville",
            "Werkgever en plaats",
            "Empresa e local",
            "Company / City",
            "Firma/Ort",
            "Position",
        ] {
            assert!(names_column(name), "{name}");
        }
        for name in ["Acme and place", "Rich and Co", "Ort und Acme", "", "and"] {
            assert!(!names_column(name), "{name}");
        }
    }
}
