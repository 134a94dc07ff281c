//! Skills that are how well somebody can do something, what kind of skills stand below, or more than one.

use std::collections::{HashMap, HashSet};

use super::super::{lines::Line, sections::section_of};

/// Fewest words of what is hardly a skill.
const LONG: usize = 5;

/// The paths of what may be no skill.
pub(super) fn doubtful(lines: &[&Line], skills: &[String]) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let fields = || lines.iter().flat_map(|line| line.fields());
    for item in fields().flat_map(|field| field.split([',', ';'])) {
        *counts.entry(item.trim()).or_default() += 1;
    }
    let levels = levels(lines, &counts);
    let heads = heads(lines);
    let firsts: HashSet<&str> =
        lines.iter().filter_map(|line| line.fields().first().copied()).collect();
    let is_doubtful = |skill: &str| {
        is_repeated(skill, &counts)
            || levels.contains(skill)
            || heads.contains(skill)
            || firsts.contains(skill) && section_of(skill).is_some()
            || skill.contains(" – ")
            || skill.contains(": ")
            || skill.split_whitespace().count() >= LONG
    };
    let found = skills.iter().enumerate().filter(|(_, skill)| is_doubtful(skill));
    found.map(|(at, _)| format!("skills.{at}")).collect()
}

fn is_repeated(item: &str, counts: &HashMap<&str, usize>) -> bool {
    counts.get(item).is_some_and(|count| *count > 1)
}

/// What stands in the second of two columns, where some of it stands there several times: `Excel    gut`.
fn levels<'l>(lines: &[&'l Line], counts: &HashMap<&str, usize>) -> HashSet<&'l str> {
    let second = |line: &&'l Line| match line.fields().as_slice() {
        [_, second] => Some(*second),
        _ => None,
    };
    let column: HashSet<&str> = lines.iter().filter_map(second).collect();
    if column.iter().any(|item| is_repeated(item, counts)) { column } else { HashSet::new() }
}

/// What may say of what kind the skills below it are: single words above lists, lines above those with bullets, and the
/// first lines of blocks of several lines.
fn heads<'l>(lines: &[&'l Line]) -> HashSet<&'l str> {
    let is_single = |line: &Line| line.fields().len() == 1 && !line.text.contains(',');
    let begins = |at: usize| at == 0 || lines[at].after_gap;
    let goes_on = |at: usize| at + 1 < lines.len() && !lines[at + 1].after_gap;
    // Items of a list stand below each other on every page.
    let in_blocks = lines.iter().all(|line| is_single(line) && !line.bullet);
    let blocks: Vec<usize> =
        (0..lines.len()).filter(|at| begins(*at) && goes_on(*at) && in_blocks).collect();
    let leads = |pair: &&[&'l Line]| {
        let (above, below) = (pair[0], pair[1]);
        let is_list = is_single(above) && !is_single(below) && !above.text.contains(' ');
        is_list || below.bullet && !above.bullet
    };
    let above_lists = lines.windows(2).filter(leads).flat_map(|pair| pair[0].fields());
    let of_blocks = blocks.iter().filter(|_| blocks.len() > 1).map(|at| lines[*at].text.as_str());
    above_lists.chain(of_blocks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubts(texts: &[&str], skills: &[&str]) -> Vec<String> {
        let mut after_gap = false;
        let mut lines = Vec::new();
        for text in texts {
            if !text.is_empty() {
                let text = (*text).to_owned();
                lines.push(Line { text, bullet: false, after_gap, level: 0 });
            }
            after_gap = text.is_empty();
        }
        let skills: Vec<String> = skills.iter().map(|skill| (*skill).to_owned()).collect();
        doubtful(&lines.iter().collect::<Vec<_>>(), &skills)
    }

    #[test]
    fn what_stands_there_several_times_is_a_level_and_so_is_what_stands_below_it() {
        let lines = ["Word\tgut", "Excel\tgut", "SQL\tetwas"];
        assert_eq!(doubts(&lines, &["Word", "gut", "etwas"]), ["skills.1", "skills.2"]);
        assert!(doubts(&["Word\tExcel", "SQL\tGo"], &["Word", "Excel", "SQL", "Go"]).is_empty());
    }

    #[test]
    fn what_heads_lists_and_blocks_may_be_no_skill() {
        assert_eq!(doubts(&["Pumps", "Repair, Cleaning"], &["Pumps", "Repair"]), ["skills.0"]);
        let blocks = ["Drawing", "Creo", "Inventor", "", "Methods", "FMEA"];
        assert_eq!(
            doubts(&blocks, &["Drawing", "Creo", "Methods", "FMEA"]),
            ["skills.0", "skills.2"]
        );
        assert!(doubts(&["Drawing", "Creo", "", "FMEA"], &["Drawing", "Creo"]).is_empty());
        assert_eq!(
            doubts(&["One two three four five"], &["One two three four five"]),
            ["skills.0"]
        );
    }

    #[test]
    fn items_of_lists_on_two_pages_head_nothing() {
        let item = |text: &str, after_gap| Line {
            text: text.to_owned(),
            bullet: true,
            after_gap,
            level: 0,
        };
        let lines =
            [item("Creo", false), item("FMEA", false), item("Lean", true), item("Scrum", false)];
        let skills = ["Creo", "FMEA", "Lean", "Scrum"].map(str::to_owned);
        assert!(doubtful(&lines.iter().collect::<Vec<_>>(), &skills).is_empty());
    }
}
