//! How well somebody can do something, behind each skill in words that nobody has listed: several skills have the same few
//! things behind them.

use std::collections::HashSet;

use super::{
    super::lines::{Line, fields},
    items::apart,
    levels::{is_language, is_level},
};

/// The lines of the skills without what stands behind these, and the skills that it may have been a part of.
pub(super) struct Graded {
    pub(super) sections: Vec<Vec<Line>>,
    pub(super) unsure: HashSet<String>,
}

/// What parts a skill from how well somebody has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Dash,
    Colon,
    Brackets,
    Column,
}

const MARKS: [Mark; 4] = [Mark::Dash, Mark::Colon, Mark::Brackets, Mark::Column];

/// Fewest skills with something behind them that show what it is.
const GRADED_MIN: usize = 3;

/// Longest level, and longest skill with one, in words.
const LEVEL_MAX: usize = 4;
const SKILL_MAX: usize = 6;

/// Takes off what stands behind the skills of each section where it is how well somebody has them.
pub(super) fn without(sections: &[&[Line]]) -> Graded {
    let mut unsure = HashSet::new();
    let ungraded = |lines: &&[Line]| {
        let mut lines = lines.to_vec();
        for mark in MARKS {
            if let Some(is_known) = are_levels(&lines, mark) {
                let heads = lines.iter_mut().flat_map(|line| take_off(line, mark));
                unsure.extend(heads.filter(|_| !is_known));
            }
        }
        lines
    };
    let sections = sections.iter().map(ungraded).collect();
    Graded { sections, unsure }
}

/// Whether what stands behind the mark are levels, and if so whether all of them are known ones.
fn are_levels(lines: &[Line], mark: Mark) -> Option<bool> {
    let pairs: Vec<(&str, &str)> = lines
        .iter()
        .flat_map(|line| pieces(&line.text, mark))
        .filter_map(|piece| parted(piece, mark))
        .collect();
    let distinct: HashSet<&str> = pairs.iter().map(|(_, level)| *level).collect();
    let known = distinct.iter().filter(|level| is_level(level)).count();
    let are_known = known > 0 && known == distinct.len();
    // `AutoCAD (2D), Creo (3D), Inventor (3D)` say what of it, and so may two columns.
    let may_be_else = matches!(mark, Mark::Brackets | Mark::Column) && known == 0;
    let heads: HashSet<&str> = pairs.iter().map(|(skill, _)| *skill).collect();
    let are_few = pairs.len() >= GRADED_MIN
        && distinct.len() * 3 <= pairs.len() * 2
        && heads.len() > distinct.len()
        && !may_be_else;
    (are_known || are_few).then_some(are_known)
}

/// The parts of a line that may have a level each.
fn pieces(text: &str, mark: Mark) -> Vec<&str> {
    match mark {
        Mark::Column => vec![text],
        _ => fields(text).into_iter().flat_map(apart).map(str::trim).collect(),
    }
}

/// A skill and what stands behind the mark.
fn parted(piece: &str, mark: Mark) -> Option<(&str, &str)> {
    let (skill, level) = match mark {
        Mark::Dash => [" – ", " — ", " - "].into_iter().find_map(|dash| piece.rsplit_once(dash))?,
        Mark::Colon => piece.rsplit_once(": ")?,
        Mark::Brackets => piece.strip_suffix(')')?.rsplit_once(" (")?,
        Mark::Column => piece.split_once('\t').filter(|_| fields(piece).len() == 2)?,
    };
    let (skill, level) = (skill.trim(), level.trim());
    let is_short = |text: &str, most: usize| {
        (1..=most).contains(&text.split_whitespace().count()) && !text.contains([',', ';', '\t'])
    };
    let is_pair = is_short(skill, SKILL_MAX)
        && is_short(level, LEVEL_MAX)
        && !is_language(skill)
        && !level.contains(|c: char| c.is_ascii_digit());
    is_pair.then_some((skill, level))
}

/// Takes the levels off a line, and tells the skills that had one.
fn take_off(line: &mut Line, mark: Mark) -> Vec<String> {
    let found = |piece: &str| parted(piece, mark).map(|(skill, _)| skill.to_owned());
    let heads: Vec<String> = pieces(&line.text, mark).into_iter().filter_map(found).collect();
    if heads.is_empty() {
        return heads;
    }
    let bare = |piece: &str| found(piece).unwrap_or_else(|| piece.to_owned());
    let text = if mark == Mark::Column {
        bare(&line.text)
    } else {
        let field = |field: &str| {
            let items = apart(field).into_iter().map(|item| bare(item.trim()));
            items.collect::<Vec<_>>().join(", ")
        };
        fields(&line.text).into_iter().map(field).collect::<Vec<_>>().join("\t")
    };
    line.text = text;
    heads
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    /// The skills of a résumé, and how many of them are doubtful.
    fn found(lines: &[&str]) -> (String, usize) {
        let lines = lines.join("\n");
        let draft = draft(&format!(
            "Ada Byron\nada@example.org\n\n## Skills\n{lines}\n\n## Hobbies\nTea\n\n## Education\nBSc"
        ));
        let paths = draft.confidence.keys().filter(|path| path.starts_with("skills."));
        (draft.skills.join("|"), paths.count())
    }

    #[test]
    fn levels_behind_skills_are_no_part_of_them() {
        for lines in [
            ["Figma – gute Kenntnisse", "Sketch – gute Kenntnisse", "Typografie – Grundkenntnisse"],
            ["Figma — très bon niveau", "Sketch — bon niveau", "Typografie — très bon niveau"],
            ["Figma - alto", "Sketch - medio", "Typografie - alto"],
            ["Figma: goed", "Sketch: zeer goed", "Typografie: goed"],
            ["Figma: alto", "Sketch: médio", "Typografie: alto"],
            ["Figma (advanced)", "Sketch (basic)", "Typografie (advanced)"],
            ["Figma\tgut", "Sketch\tsehr gut", "Typografie\tgut"],
        ] {
            assert_eq!(found(&lines), ("Figma|Sketch|Typografie".to_owned(), 0), "{lines:?}");
        }
        let rows =
            ["Figma – alto\tSketch – alto", "Typografie – medio\tLean – medio", "GD&T – avanzado"];
        assert_eq!(found(&rows).0, "Figma|Sketch|Typografie|Lean|GD&T");
        let list = "Figma – gut, Sketch – sehr gut, Lean – gut";
        assert_eq!(found(&[list]).0, "Figma|Sketch|Lean");
    }

    #[test]
    fn words_that_nobody_has_listed_are_levels_where_several_skills_have_them() {
        let lines = ["Figma – a wizard", "Sketch – a novice", "Lean – a wizard"];
        assert_eq!(found(&lines), ("Figma|Sketch|Lean".to_owned(), 3));
        let lines = ["Figma: a wizard", "Sketch: a novice", "Lean: a wizard"];
        assert_eq!(found(&lines), ("Figma|Sketch|Lean".to_owned(), 3));
    }

    #[test]
    fn what_is_no_level_stays() {
        for (lines, skills) in [
            (["CAD (2D)", "Creo (3D)", "Rhino (3D)"], "CAD (2D)|Creo (3D)|Rhino (3D)"),
            (["Data: Redis", "Web: Go", "Build: Make"], "Redis|Go|Make"),
            (["Word\tExcel", "Go\tRust", "Lean\tScrum"], "Word|Excel|Go|Rust|Lean|Scrum"),
        ] {
            assert_eq!(found(&lines).0, skills, "{lines:?}");
        }
    }
}
