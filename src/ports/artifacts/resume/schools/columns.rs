//! Towns in a column of their own behind degrees and schools, which most of the lines show: `Licence Histoire    Nullville`.

use super::super::{
    dates,
    lines::Line,
    roles::town_columns::{are_places, is_town},
};
use super::names_degree;

/// The lines without the towns that are not known, where known ones stand in the same column.
pub(super) fn without_towns(lines: &[Line]) -> Vec<Line> {
    let towns = || lines.iter().filter_map(|line| Some(parted(line)?.1));
    if !are_places(towns()) {
        return lines.to_vec();
    }
    let bare = |line: &Line| match parted(line).filter(|(_, town)| is_town(town)) {
        Some((name, _)) => Line { text: name.to_owned(), ..line.clone() },
        None => line.clone(),
    };
    lines.iter().map(bare).collect()
}

/// What stands in the two columns of a line without a date.
fn parted(line: &Line) -> Option<(&str, &str)> {
    let (name, town) = line.text.split_once('\t').filter(|_| !line.bullet)?;
    let is_plain = !town.contains('\t') && dates::find(&line.text).is_none();
    (is_plain && !names_degree(town)).then_some((name.trim(), town.trim()))
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn towns_in_a_column_are_no_parts_of_degrees() {
        let school = |name: &str, years: &str, degree: &str, town: &str| {
            format!("{name}\t{years}\n{degree}\t{town}\n\n")
        };
        let schools = [
            school("École du Code Nul", "2014 – 2016", "Titre professionnel Développeur", "Lyon"),
            school("Université de Nulle", "2006 – 2009", "Licence Histoire", "Paris"),
            school("Lycée Nul", "2006", "Baccalauréat littéraire", "Nullès"),
        ]
        .concat();
        let draft = draft(&format!("Ada Byron\n\n## Formation\n{schools}## Langues\nAnglais"));
        assert_eq!(draft.education_history["education"][2]["studyType"], "Baccalauréat littéraire");
    }
}
