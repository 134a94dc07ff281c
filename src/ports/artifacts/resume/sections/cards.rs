//! Entries that stand under the heading of another section, as on pages whose cards the columns tear apart: they look like
//! the entries under their own heading.

use super::{
    super::{dates, lines::Line, schools, vocabulary::Section, words},
    Part,
};

/// Lines of a card: who, what and when.
const CARD_LINES: usize = 3;

/// The parts, with roles and schools below a list of something else where their kind stands.
pub(super) fn put_back(mut parts: Vec<Part>) -> Vec<Part> {
    let [roles, studies] =
        [Section::Work, Section::Education].map(|section| holds_cards(&parts, section));
    if !roles && !studies {
        return parts;
    }
    let mut moved: Vec<(Section, Vec<Line>)> = Vec::new();
    for part in &mut parts {
        let is_else = matches!(part.section, Section::Other | Section::Unknown);
        if let Some(begin) = first_card(&part.lines).filter(|_| is_else) {
            moved.extend(cards(&part.lines.split_off(begin)));
        }
    }
    for (section, lines) in moved {
        if let Some(part) = parts.iter_mut().rev().find(|part| part.section == section) {
            part.lines.extend(lines);
        }
    }
    parts
}

/// Cards below each other, with what they are. A block that is none goes on with the card above.
fn cards(lines: &[Line]) -> Vec<(Section, Vec<Line>)> {
    let mut found: Vec<(Section, Vec<Line>)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let section = if at == 0 || line.after_gap { kind(&lines[at..]) } else { None };
        match (section, found.last_mut()) {
            (Some(section), _) => {
                found.push((section, vec![Line { after_gap: true, ..line.clone() }]));
            }
            (None, Some((_, card))) => card.push(line.clone()),
            (None, None) => {}
        }
    }
    found
}

/// Whether cards of a kind stand under a heading of theirs.
fn holds_cards(parts: &[Part], section: Section) -> bool {
    let mut lines = parts.iter().filter(|part| part.section == section).map(|part| &part.lines);
    lines.any(|lines| {
        (0..lines.len())
            .any(|at| (at == 0 || lines[at].after_gap) && kind(&lines[at..]) == Some(section))
    })
}

/// Where the first card stands below a list, in the type of the titles of entries.
fn first_card(lines: &[Line]) -> Option<usize> {
    let at = lines.iter().position(|line| line.level > 0)?;
    let is_below = at > 0 && lines[at - 1].bullet && lines[at].after_gap;
    (is_below && kind(&lines[at..]).is_some()).then_some(at)
}

/// What a card holds: a firm, a job and how long, or a school, a degree and how long.
fn kind(lines: &[Line]) -> Option<Section> {
    let [who, what, when, ..] = lines.get(..CARD_LINES)? else { return None };
    let lasts = dates::find(&when.text)
        .is_some_and(|period| period.start.is_some() && period.at.start == 0);
    let are_plain =
        [who, what].iter().all(|line| !line.bullet && dates::find(&line.text).is_none());
    let is_block = !what.after_gap && !when.after_gap && !when.bullet;
    if !lasts || !are_plain || !is_block {
        return None;
    }
    if schools::names_degree(&what.text) && words::is_school(&who.text) {
        return Some(Section::Education);
    }
    words::is_position(&what.text).then_some(Section::Work)
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn cards_below_another_list_are_put_where_their_kind_stands() {
        let text = "# Ada Byron\n\n## Work experience\n###### Acme Ltd\nEngineer\nMar 2020 → now · Leeds\n• Pumps\n\n\
                    ## Education\n###### University of Nullshire\nMaster of Pumps\n2016 → 2018 · Leeds\n\n\
                    ## Credentials\n• Pump certificate, 2023\n• Valve certificate\n\n\
                    ###### Emca High School\nTeacher\nAug 2014 → Feb 2020 · Hull\n• Lessons\n\n\
                    ###### Null Valley College\nBachelor of Science in Valves\n2008 → 2012 · Hull";
        let draft = draft(text);
        let (roles, schools) =
            (&draft.skeleton_timeline["work"], &draft.education_history["education"]);
        assert_eq!(roles[1]["name"], "Emca High School", "{roles}");
        assert_eq!(roles[1]["startDate"], "2014-08", "{roles}");
        assert_eq!(schools[1]["institution"], "Null Valley College", "{schools}");
    }
}
