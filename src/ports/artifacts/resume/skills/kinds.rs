//! Kinds of skills that stand in the lines of these: `Languages – Go, PHP`, `Methods (Interviews, Surveys)`.

use super::super::{
    lines::Line,
    sections::section_of,
    vocabulary::{Section, folded, vocabulary},
};

/// Fewest kinds of skills that show how these are set.
pub(super) const KINDS_MIN: usize = 2;

/// Longest kind, in words.
pub(super) const KIND_MAX: usize = 4;

/// Whether a text is called as kinds of skills or their sections are.
pub(super) fn heads_kind(text: &str) -> bool {
    names_kind(text) || section_of(text) == Some(Section::Skills)
}

/// Whether a text is called as kinds of skills are: `Planning`, `Software`.
pub(super) fn names_kind(text: &str) -> bool {
    const JOINTS: [&str; 7] = [" und ", " and ", " y ", " et ", " e ", " en ", " & "];
    let is_one = |text: &str| vocabulary().skill_kinds.contains(&folded(text));
    // `Software und Methoden`
    let are_two = |joint: &str| {
        text.split_once(joint).is_some_and(|(one, other)| is_one(one) && is_one(other))
    };
    is_one(text) || JOINTS.into_iter().any(are_two)
}

/// Puts a colon behind kinds that a dash or a bar parts from their skills: `Languages – Go, PHP`.
pub(super) fn part_from_kinds(lines: &mut [Line]) {
    for mark in [" – ", " — ", " | ", " - "] {
        let is_row = |line: &&mut Line| {
            line.text.split_once(mark).is_some_and(|(kind, items)| {
                let words = kind.split_whitespace().count();
                words <= KIND_MAX
                    && !kind.contains([',', ':', '\t'])
                    && items.contains(", ")
                    && !items.contains(mark)
            })
        };
        let mut rows: Vec<&mut Line> = lines.iter_mut().filter(is_row).collect();
        if rows.len() >= KINDS_MIN {
            for line in &mut rows {
                line.text = line.text.replacen(mark, ": ", 1);
            }
            return;
        }
    }
}

/// Puts a colon behind kinds whose skills stand in brackets, where one of them at least is called as kinds are:
/// `Methods (Interviews, Surveys)` above `Python (NumPy, SciPy)`.
pub(super) fn part_from_brackets(lines: &mut [Line]) {
    let parted = |line: &Line| {
        let (kind, items) = line.text.trim_end_matches('.').strip_suffix(')')?.split_once(" (")?;
        let is_row = is_short_kind(kind) && items.contains(", ") && !items.contains(['(', ')']);
        is_row.then(|| (heads_kind(kind), format!("{kind}: {items}")))
    };
    let rows: Vec<Option<(bool, String)>> = lines.iter().map(parted).collect();
    if !rows.iter().flatten().any(|(is_known, _)| *is_known) {
        return;
    }
    let are_all = rows.iter().all(Option::is_some);
    for (line, row) in lines.iter_mut().zip(rows) {
        if let Some((_, text)) = row.filter(|(is_known, _)| *is_known || are_all) {
            line.text = text;
        }
    }
}

/// Whether a text is short enough for a kind, and no list.
pub(super) fn is_short_kind(text: &str) -> bool {
    text.split_whitespace().count() <= KIND_MAX && !text.contains([',', ';', ':', '\t'])
}

/// Puts a colon behind kinds that nothing but their type parts from their skills, where every line begins with one:
/// `Design Figma, Sketch` above `Research Interviews, Surveys`.
pub(super) fn part_from_first_words(lines: &mut [Line]) {
    let parted = |line: &Line| {
        let (kind, items) = line.text.split_once(' ')?;
        let is_row = !line.bullet && names_kind(kind) && items.contains(", ");
        (is_row && items.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()))
            .then(|| format!("{kind}: {items}"))
    };
    let rows: Vec<Option<String>> = lines.iter().map(parted).collect();
    if rows.len() < KINDS_MIN || rows.iter().any(Option::is_none) {
        return;
    }
    for (line, row) in lines.iter_mut().zip(rows.into_iter().flatten()) {
        line.text = row;
    }
}
