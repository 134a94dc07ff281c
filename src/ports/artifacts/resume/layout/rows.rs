//! Rows of tables whose inner cells have several lines: what stands in the cells behind them comes last in the text of a
//! document, `Fitter`, `Built pumps    Acme Ltd`, and belongs to the line with the period.

use super::{
    super::{dates, heads::names_column},
    heads_section,
};

/// Fewest columns of such a table: a period, an inner cell and one behind it.
const COLUMNS_MIN: usize = 3;

/// Most lines of an inner cell.
const LINES_MAX: usize = 12;

/// The lines, with the last cells of each row in the line with its period.
pub(super) fn whole(mut lines: Vec<String>) -> Vec<String> {
    // How many columns the table has that the lines are in.
    let mut columns: Option<usize> = None;
    for at in 0..lines.len() {
        let fields = fields(&lines[at]);
        if fields.len() >= COLUMNS_MIN && fields.iter().all(|field| names_column(field)) {
            columns = Some(fields.len());
            continue;
        }
        if heads_section(&lines[at]) {
            columns = None;
        }
        let Some(missing) = columns.and_then(|columns| missing(&fields, columns)) else { continue };
        let Some(last) = last_line(&lines[at + 1..], missing + 1) else { continue };
        let below = std::mem::take(&mut lines[at + 1 + last]);
        if let Some((note, cells)) = below.split_once('\t') {
            lines[at] = format!("{}\t{cells}", lines[at].trim_end());
            note.clone_into(&mut lines[at + 1 + last]);
        }
    }
    lines
}

fn fields(line: &str) -> Vec<&str> {
    line.split('\t').map(str::trim).collect()
}

/// How many cells a line that begins a row with its period lacks, if its first inner cell is there.
fn missing(fields: &[&str], columns: usize) -> Option<usize> {
    let lacks = columns.checked_sub(fields.len()).filter(|lacks| *lacks > 0)?;
    (fields.len() > 1 && dates::is_period(fields[0])).then_some(lacks)
}

/// Which of the lines below a row has the last of an inner cell, and the cells behind it.
fn last_line(below: &[String], cells: usize) -> Option<usize> {
    let at =
        below.iter().take(LINES_MAX).position(|line| line.contains('\t') || heads_section(line))?;
    let found = fields(&below[at]);
    let is_last = found.len() == cells && found.iter().all(|cell| !cell.is_empty());
    (is_last && !found.iter().any(|cell| dates::is_period(cell))).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::super::plain;
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn the_last_cell_of_a_row_belongs_to_its_period_however_many_lines_stand_before_it() {
        for (head, title, firm) in [
            ("Dates\tPosition\tEmployer and place", "Fitter", "Acme Ltd, Leeds"),
            ("Zeitraum\tPosition\tArbeitgeber und Ort", "Schlosser", "Acme GmbH, Nullheim"),
            ("Fechas\tPuesto\tEmpresa y lugar", "Cocinero", "Talleres Acme S.L., Tolosa"),
            ("Dates\tPoste\tEmployeur et lieu", "Technicien", "Acme SARL, Lyon"),
            ("Periode\tFunctie\tWerkgever en plaats", "Monteur", "Acme B.V., Dokkum"),
            ("Período\tCargo\tEmpresa e local", "Técnico", "Acme Lda., Porto"),
        ] {
            let text = format!(
                "Ada Byron\nada@example.org\n\n## Experience\n{head}\n05/2019 – 06/2021\t{title}\nBuilt pumps\n\
                 Led a team of 9\t{firm}\n05/2016 – 04/2019\t{title}\nWelded rails\t{firm}\n\
                 05/2014 – 04/2016\t{title}\t{firm}\n\n## Skills\nGo, C"
            );
            let work = draft(&text).skeleton_timeline["work"].clone();
            for at in 0..3 {
                let name = firm.split(", ").next().unwrap_or_default();
                assert_eq!(work[at]["name"], name, "{head} {work}");
                assert_eq!(work[at]["position"], title, "{head} {work}");
            }
        }
    }

    #[test]
    fn lines_outside_of_tables_stay_where_they_are() {
        for text in [
            "2019 – 2021\tFitter\nBuilt pumps\tAcme Ltd",
            "Dates\tPosition\tEmployer\n2019 – 2021\tFitter\n2017 – 2018\tWelder\tAcme Ltd",
            "Dates\tPosition\tEmployer\n2019 – 2021\tFitter\n## Skills\nGo\tC",
        ] {
            assert_eq!(plain(text), text);
        }
    }
}
