//! Tables whose periods stand in two columns, `From` and `To`, under a line that names the columns.

use super::{
    super::{
        heads::names_column,
        lines::BULLETS,
        place,
        vocabulary::{folded, vocabulary},
    },
    begins, ends, heads_section, whole,
};

/// A column that says something else than when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    From,
    To,
    /// What is said of a role.
    Note,
    Other,
}

/// The rows of such tables with each period in one column.
pub(super) fn joined(lines: Vec<String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::with_capacity(lines.len());
    let mut table: Option<Table> = None;
    for line in lines {
        if let Some(columns) = columns(&line) {
            found.extend(table.take().into_iter().flat_map(Table::lines));
            table = Some(Table { columns, rows: Vec::new(), raw: vec![line] });
            continue;
        }
        match &mut table {
            Some(open) if !heads_section(&line) => {
                open.take(&line);
                open.raw.push(line);
            }
            _ => {
                found.extend(table.take().into_iter().flat_map(Table::lines));
                found.push(line);
            }
        }
    }
    found.extend(table.into_iter().flat_map(Table::lines));
    found
}

/// What the columns of a table hold, where two beside each other hold the ends of periods.
fn columns(line: &str) -> Option<Vec<Column>> {
    let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
    if fields.len() < COLUMNS_MIN {
        return None;
    }
    let columns: Vec<Column> = fields.iter().map(|field| column(field)).collect::<Option<_>>()?;
    let pairs = columns.windows(2).filter(|pair| *pair == [Column::From, Column::To]);
    (pairs.count() == 1).then_some(columns)
}

/// Fewest columns of a table: a period and a name.
const COLUMNS_MIN: usize = 3;

fn column(field: &str) -> Option<Column> {
    let vocabulary = vocabulary();
    let is_name =
        |name: &str| names_column(name) || vocabulary.labels.contains_key(&folded(name.trim()));
    if begins(field) {
        return Some(Column::From);
    }
    if ends(field) {
        return Some(Column::To);
    }
    if vocabulary.notes.contains(&folded(field)) {
        return Some(Column::Note);
    }
    field.split([',', '/', '&']).all(is_name).then_some(Column::Other)
}

/// The rows under a line that names the columns.
#[derive(Debug)]
struct Table {
    columns: Vec<Column>,
    rows: Vec<Row>,
    /// Its lines as they stand there, in which no period may be found.
    raw: Vec<String>,
}

/// One row, and the lines below it that it goes on in.
#[derive(Debug, Default)]
struct Row {
    cells: Vec<String>,
    notes: Vec<String>,
    /// An empty line stands below it.
    ends: bool,
}

impl Table {
    fn take(&mut self, line: &str) {
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        if let Some(row) = self.row(&fields) {
            self.rows.push(row);
            return;
        }
        let named = self.names();
        let Some(last) = self.rows.last_mut() else { return };
        if last.is_bare() && fields.len() > 1 {
            last.fill(&fields, &named);
            return;
        }
        match fields.as_slice() {
            [""] => last.ends = true,
            [one] if place::is_place(one) => last.extend(1, one, ", "),
            // `(part-time)` below the title in the last cell.
            [one] if one.starts_with('(') && one.ends_with(')') && last.notes.is_empty() => {
                last.extend(last.cells.len() - 1, one, " ");
            }
            // A cell that goes on below.
            [one] if one.starts_with(char::is_lowercase) && !last.notes.is_empty() => {
                if let Some(note) = last.notes.last_mut() {
                    note.push(' ');
                    note.push_str(one);
                }
            }
            [one] => last.notes.push((*one).to_owned()),
            [one, other, ..] => {
                let joint = if place::is_place(one) { ", " } else { " " };
                last.extend(1, one, joint);
                last.extend(2, other, " ");
            }
            [] => {}
        }
    }

    /// A row with its period in its first cell. Where there is one date, one of both cells is empty.
    fn row(&self, fields: &[&str]) -> Option<Row> {
        let from = self.columns.iter().position(|column| *column == Column::From)?;
        let (begin, end) = (fields.get(from)?, fields.get(from + 1));
        let both = end.and_then(|end| whole(begin, end));
        let skipped = if both.is_some() { 2 } else { 1 };
        let is_date =
            |text: &&str| text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        let period = both.or_else(|| Some(*begin).filter(is_date).map(str::to_owned))?;
        let mut row = Row { cells: vec![period], ..Row::default() };
        let (before, after) = fields.split_at(from);
        let cells: Vec<&str> = before.iter().chain(&after[skipped..]).copied().collect();
        row.fill(&cells, &self.names());
        Some(row)
    }

    /// The columns that hold no dates.
    fn names(&self) -> Vec<Column> {
        let is_name = |column: &Column| !matches!(column, Column::From | Column::To);
        self.columns.iter().copied().filter(is_name).collect()
    }

    fn lines(self) -> Vec<String> {
        if self.rows.is_empty() {
            return self.raw;
        }
        let lines = |row: Row| {
            let notes = row.notes.into_iter().map(|note| format!("• {note}"));
            let end = row.ends.then(String::new);
            std::iter::once(row.cells.join("\t")).chain(notes).chain(end)
        };
        self.rows.into_iter().flat_map(lines).collect()
    }
}

impl Row {
    /// Nothing but its period has been read; the names stand below.
    fn is_bare(&self) -> bool {
        self.cells.len() == 1 && self.notes.is_empty() && !self.ends
    }

    /// Takes in what stands in some columns.
    fn fill(&mut self, fields: &[&str], columns: &[Column]) {
        for (field, column) in fields.iter().zip(columns) {
            let field = field.trim_start_matches(BULLETS).trim_start();
            let cells = if *column == Column::Note { &mut self.notes } else { &mut self.cells };
            cells.push(field.to_owned());
        }
    }

    /// Goes on in a cell.
    fn extend(&mut self, cell: usize, text: &str, joint: &str) {
        if let Some(cell) = self.cells.get_mut(cell) {
            cell.push_str(joint);
            cell.push_str(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::plain;

    #[test]
    fn periods_in_two_columns_are_put_together() {
        let text = "# Jobs\nFrom\tTo\tEmployer\tPosition\tDuties\n11/18\tPresent\tAcme Inc.\tFitter\tBuilt pumps\nand valves\n\
                    02/98\t10/18\tEmca\tClerk\tFiling\nLeeds, UK\n\n# Schools\nSchool\tFrom\tTo\tDegree\nLeeds College\t2011\t2014\tBSc\nHull School\t2006\tDiploma\n\n# Hobbies\nTea";
        assert_eq!(
            plain(text),
            "# Jobs\n11/2018 – Present\tAcme Inc.\tFitter\n• Built pumps and valves\n\
             02/1998 – 10/2018\tEmca, Leeds, UK\tClerk\n• Filing\n\n# Schools\n2011 – 2014\tLeeds College\tBSc\n2006\tHull School\tDiploma\n\n# Hobbies\nTea"
        );
        for text in ["From\tTo\tEmployer\nAcme\tEmca\tOcme", "From\tTo\tEmployer\n\nSkills\nGo"] {
            assert_eq!(plain(text), text);
        }
    }

    #[test]
    fn names_below_their_period_are_in_its_row() {
        let text = "From\tTo\tEmployer\tPosition\tDuties\n03/2015\tPresent\n• Acme Ltd\tFitter\nBuilt pumps\n\
                    02/2003\t06/2009\tEmca\tClerk\n(part-time)";
        assert_eq!(
            plain(text),
            "03/2015 – Present\tAcme Ltd\tFitter\n• Built pumps\n02/2003 – 06/2009\tEmca\tClerk (part-time)"
        );
    }
}
