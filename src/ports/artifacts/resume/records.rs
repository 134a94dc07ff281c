//! Entries that are set in labels, in rows or without marks, brought into the lines in which most are: names, the period,
//! and what is said of them below as items.

mod labels;
mod merged;
mod rows;

use super::{sections::Part, vocabulary::Section};

/// The parts with the entries of roles and schools in lines.
pub(super) fn plain(parts: Vec<Part>) -> Vec<Part> {
    let mut parts = parts;
    for part in &mut parts {
        let lines = std::mem::take(&mut part.lines);
        part.lines = match part.section {
            Section::Work | Section::Volunteer => {
                merged::roles(rows::apart(labels::together(lines)))
            }
            Section::Education => merged::schools(lines),
            _ => lines,
        };
    }
    parts
}
