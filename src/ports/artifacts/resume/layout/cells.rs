//! Rows of three columns whose cells go on below their first line: the town under its firm, a duty beside it, the rest of a
//! long name. `2017 – 2019    Fitter    Acme Ltd` above `Built pumps    Leeds` becomes one line for the role and one for
//! what is said of it.

use super::{
    super::{
        dates,
        heads::names_column,
        lines::BULLETS,
        place,
        schools::is_grade,
        vocabulary::{RoleLabel, StudyLabel, folded, parts, vocabulary},
        words,
    },
    heads_section,
};

/// A period, and what and where it was, in one order or the other.
const COLUMNS: usize = 3;

/// Most lines under the first one of a row before that with the town, and most words of one of them.
const ENDS_MAX: usize = 2;
const END_MAX: usize = 3;

/// The mark of an item in the lines that are written.
const ITEM: &str = "• ";

/// Shorter cells between two others are not broken off, unless their last word shows it.
const BROKEN_MIN: usize = 25;

/// The lines, with the cells of each row as one text where a town stands below.
pub(super) fn whole(lines: Vec<String>) -> Vec<String> {
    let blocks = blocks(lines);
    let habit = Habit::of(&blocks);
    let written = |block| match block {
        Block::Line(line) => vec![line],
        Block::Row { firm, lines } => Row::of(&lines, firm, &habit).unwrap_or(lines),
    };
    blocks.into_iter().flat_map(written).collect()
}

/// A row with the lines below it, or a line outside of tables.
#[derive(Debug)]
enum Block {
    Line(String),
    Row {
        /// The column of the firms or schools.
        firm: usize,
        lines: Vec<String>,
    },
}

fn blocks(lines: Vec<String>) -> Vec<Block> {
    let mut blocks = Vec::with_capacity(lines.len());
    let mut firm = COLUMNS - 1;
    for line in lines {
        let fields = fields(&line);
        if fields.len() == COLUMNS && fields.iter().all(|field| names_column(field)) {
            let named = fields.iter().position(|field| names_firm(field));
            firm = named.filter(|firm| *firm > 0).unwrap_or(COLUMNS - 1);
            blocks.push(Block::Line(line));
        } else if fields.len() == COLUMNS && dates::is_period(fields[0]) {
            blocks.push(Block::Row { firm, lines: vec![line] });
        } else if let Some(Block::Row { lines, .. }) = blocks.last_mut()
            && !line.trim().is_empty()
            && !heads_section(&line)
        {
            lines.push(line);
        } else {
            if firm != COLUMNS - 1 && heads_section(&line) {
                firm = COLUMNS - 1;
            }
            blocks.push(Block::Line(line));
        }
    }
    blocks
}

fn fields(line: &str) -> Vec<&str> {
    line.split('\t').map(str::trim).collect()
}

/// Whether a column is named after firms or schools.
fn names_firm(field: &str) -> bool {
    let name = folded(field.trim_end_matches(':'));
    vocabulary().role_labels.get(&name) == Some(&RoleLabel::Firm)
        || vocabulary().study_labels.get(&name) == Some(&StudyLabel::School)
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// What all rows show: the longest texts in two columns, and whether towns stand below firms.
#[derive(Debug, Default)]
struct Habit {
    name: usize,
    firm: usize,
    has_towns: bool,
}

impl Habit {
    fn of(blocks: &[Block]) -> Self {
        let mut habit = Self::default();
        let (mut rows, mut known) = (0, 0);
        for block in blocks {
            let Block::Row { firm, lines } = block else { continue };
            for line in lines {
                let fields = fields(line);
                let Some((name, firm)) = apart(&fields, *firm) else { continue };
                habit.name = habit.name.max(length(name));
                habit.firm = habit.firm.max(length(firm));
            }
            let has_town = below(lines, *firm).iter().any(|(_, firm)| place::is_place(firm));
            rows += 1;
            known += usize::from(has_town);
        }
        habit.has_towns = known > 0 && known * 3 >= rows;
        habit
    }
}

/// The lines below the first one of a row that a town may be in: what stands below the name, and below the firm.
fn below(row: &[String], firm: usize) -> Vec<(&str, &str)> {
    let lines = row.iter().skip(1).take(ENDS_MAX + 1);
    let fields = lines.map(|line| (line.trim(), fields(line)));
    let short = fields.take_while(|(_, fields)| fields.len() < COLUMNS);
    short.map(|(line, fields)| apart(&fields, firm).unwrap_or(("", line))).collect()
}

/// Which of these lines has the town: a known one, or what stands where others have theirs.
fn town_in(below: &[(&str, &str)], habit: &Habit) -> Option<usize> {
    let known = below.iter().position(|(_, firm)| place::is_place(firm));
    let is_town = |(_, firm): &(&str, &str)| {
        firm.starts_with(char::is_uppercase) && is_end(firm) && !words::is_position(firm)
    };
    let unknown = || {
        // What is said of a role begins beside the line below its firm.
        let has_notes = below.first().is_some_and(|(note, _)| !note.is_empty());
        let run = below.iter().take_while(|(note, _)| note.is_empty() != has_notes).count();
        let last = run.checked_sub(1)?;
        below[..run].iter().all(is_town).then_some(last)
    };
    known.or_else(|| unknown().filter(|_| habit.has_towns))
}

/// What stands in the column of the names and in that of the firms, of a line with both.
fn apart<'f>(fields: &[&'f str], firm: usize) -> Option<(&'f str, &'f str)> {
    let [.., first, second] = fields else { return None };
    Some(if firm == COLUMNS - 1 { (first, second) } else { (second, first) })
}

/// A row whose cells are read line by line.
#[derive(Debug)]
struct Row<'r> {
    habit: &'r Habit,
    name: String,
    firm: String,
    /// What is said of it.
    notes: Vec<String>,
}

impl<'r> Row<'r> {
    /// The lines of a row that a town stands below.
    fn of(lines: &[String], firm_at: usize, habit: &'r Habit) -> Option<Vec<String>> {
        let first = fields(lines.first()?);
        let (name, firm) = apart(&first, firm_at)?;
        let below = below(lines, firm_at);
        let town = town_in(&below, habit)?;
        let mut row =
            Self { habit, name: name.to_owned(), firm: firm.to_owned(), notes: Vec::new() };
        for (at, (note, firm)) in below[..=town].iter().enumerate() {
            row.take_name(note);
            row.take_firm(firm, at == town)?;
        }
        let Self { name, firm, notes, .. } = row;
        let cells = if firm_at == COLUMNS - 1 { [name, firm] } else { [firm, name] };
        let row = format!("{}\t{}", first[0], cells.join("\t"));
        let rest = noted(&notes, &lines[town + 2..], habit.name);
        Some(std::iter::once(row).chain(notes).chain(rest).collect())
    }

    /// Takes in what stands below a name: the rest of it, or what is said of the role.
    fn take_name(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let is_first = self.notes.is_empty();
        if is_first && self.ends_name(text) {
            self.name = format!("{} {text}", self.name);
            return;
        }
        let is_marked = text.starts_with(BULLETS) || text.starts_with(char::is_lowercase);
        self.notes.push(if is_marked { text.to_owned() } else { format!("{ITEM}{text}") });
    }

    fn ends_name(&self, text: &str) -> bool {
        let name = &self.name;
        let is_broken = hangs(name)
            || text.split(' ').next().is_some_and(links)
            || !text.starts_with(char::is_lowercase)
                && (length(name) >= BROKEN_MIN
                    || words::is_position(text) && !words::is_position(name));
        // `(part-time)`
        text.starts_with('(') && text.ends_with(')')
            || is_broken && is_end(text) && !has_room(name, text, self.habit.name)
    }

    /// Takes in what stands below a firm: the town, or the rest of the firm.
    fn take_firm(&mut self, text: &str, is_town: bool) -> Option<()> {
        let is_rest = is_end(text)
            && text.starts_with(char::is_uppercase)
            && !has_room(&self.firm, text, self.habit.firm);
        if !is_town && !is_rest {
            return None;
        }
        // `School of the` above `Valley, OH`
        let is_whole = !self.firm.ends_with(',') && !hangs(&self.firm);
        let joint = if is_town && is_whole { ", " } else { " " };
        self.firm = format!("{}{joint}{text}", self.firm);
        Some(())
    }
}

/// The lines below the town of a row as items, where those beside it are and had no mark of their own.
fn noted(notes: &[String], rest: &[String], widest: usize) -> Vec<String> {
    let is_plain = |line: &String| !line.contains('\t') && !line.starts_with(BULLETS);
    let Some(last) = notes.last().and_then(|note| note.strip_prefix(ITEM)) else {
        return rest.to_vec();
    };
    let count = rest.iter().take_while(|line| is_plain(line)).count();
    let (plain, others) = rest.split_at(count);
    let widest = plain.iter().map(|line| length(line)).max().unwrap_or_default().max(widest);
    let above = std::iter::once(last).chain(plain.iter().map(String::as_str));
    let items = plain.iter().zip(above).map(|(line, above)| {
        let begins = line.starts_with(char::is_uppercase) && has_room(above, line, widest);
        if begins { format!("{ITEM}{line}") } else { line.clone() }
    });
    items.chain(others.iter().cloned()).collect()
}

/// Whether the first word of a text would have fitted into the line above.
fn has_room(above: &str, text: &str, widest: usize) -> bool {
    length(above) + 1 + length(text.split(' ').next().unwrap_or_default()) <= widest
}

/// Whether no name ends like this: `School of the`.
fn hangs(name: &str) -> bool {
    name.rsplit(' ').next().is_some_and(links)
}

fn links(word: &str) -> bool {
    vocabulary().linking.contains(&folded(word))
}

/// Whether a text can be the end of a name rather than a sentence.
fn is_end(text: &str) -> bool {
    let term = folded(text);
    let is_term = vocabulary().terms.contains(&parts(&term).collect::<Vec<_>>().join(" "));
    let is_named = |word: &str| {
        word.starts_with(|c: char| c.is_uppercase() || "&(".contains(c))
            || vocabulary().linking.contains(word)
    };
    !is_term
        && !is_grade(text)
        && text.split(' ').count() <= END_MAX
        && !text.ends_with(['.', ';', ':'])
        && dates::find(text).is_none()
        && text.split(' ').skip(1).all(is_named)
}

#[cfg(test)]
mod tests {
    use super::super::plain;
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn what_goes_on_below_its_cell_is_in_the_row() {
        for (broken, whole) in [
            (
                "2017 – 2019\tFitter\tAcme Ltd\nBuilt pumps\tLeeds\nLed nine fitters",
                "2017 – 2019\tFitter\tAcme Ltd, Leeds\n• Built pumps\n• Led nine fitters",
            ),
            (
                "2017 – 2019\tFitter\tAcme Ltd\nLeeds\n\nGo",
                "2017 – 2019\tFitter\tAcme Ltd, Leeds\n\nGo",
            ),
            (
                "2017 – 2019\tCertificate in Fitting, Welding and Valve\tAcme College\nRepair\tLeeds",
                "2017 – 2019\tCertificate in Fitting, Welding and Valve Repair\tAcme College, Leeds",
            ),
            (
                "2017 – 2019\tDiploma\tSchool of the\nValley\nLeeds",
                "2017 – 2019\tDiploma\tSchool of the Valley, Leeds",
            ),
            (
                "2017 – 2019\tDiploma\tSchool of the\nValley, OH",
                "2017 – 2019\tDiploma\tSchool of the Valley, OH",
            ),
            (
                "Dates\tEmployer\tPosition\n2017 – 2019\tAcme Ltd\tFitter\nLeeds\tBuilt pumps",
                "Dates\tEmployer\tPosition\n2017 – 2019\tAcme Ltd, Leeds\tFitter\n• Built pumps",
            ),
            (
                "2017 – 2019\tWaiter\tAcme Ltd\n(part-time)\tLeeds",
                "2017 – 2019\tWaiter (part-time)\tAcme Ltd, Leeds",
            ),
        ] {
            assert_eq!(plain(broken), whole);
        }
    }

    #[test]
    fn lines_that_may_be_anything_stay_below_their_row() {
        for text in [
            "2017 – 2019\tFitter\tAcme Ltd\nBuilt pumps\nLeeds",
            "2017 – 2019\tFitter\tAcme Ltd\nBuilt pumps\tNullwich",
            "2017 – 2019\tFitter\tAcme Ltd\n# Leeds",
            "Fitter\tAcme Ltd\nBuilt pumps\tLeeds",
        ] {
            assert_eq!(plain(text), text);
        }
        // A grade and a term are no rest of a degree.
        for remark in ["Distinction", "part-time"] {
            let text = format!(
                "2017 – 2019\tCertificate in Fitting and Welding\tAcme College\n{remark}\tLeeds"
            );
            assert!(plain(&text).contains("Welding\tAcme College, Leeds\n"), "{remark}");
        }
    }

    #[test]
    fn a_table_of_three_columns_is_read_with_towns_that_are_not_known() {
        for (head, own, last) in [
            ("Dates\tJob title\tEmployer", "Self-employed", "Acme Pumps & Bros."),
            ("Periode\tFunctie\tWerkgever", "Zzp", "Bouwbedrijf Van der Nul & Zn."),
            ("Fechas\tPuesto\tEmpresa", "Autónomo", "Talleres Acme y Hnos."),
        ] {
            let text = format!(
                "Ada Byron\nada@example.org\n\n## Experience\n{head}\n05/2017 – 06/2021\tManager\t{last}\nSteered five of us\tLeeds\n\
                 Mended barns\n05/2012 – 04/2017\tManager\t{own}\nRoofs and sills\tBonn\n05/2006 – 04/2012\tManager\tAcme Ltd\nNullwich\n\n## Skills\nGo, C"
            );
            let work = draft(&text).skeleton_timeline["work"].clone();
            for (at, name, town) in
                [(0, last, "Leeds"), (1, own, "Bonn"), (2, "Acme Ltd", "Nullwich")]
            {
                assert_eq!(work[at]["name"], name, "{work}");
                assert_eq!(work[at]["position"], "Manager", "{work}");
                assert_eq!(work[at]["location"], town, "{work}");
            }
        }
    }
}
