//! Terms at another school that are a part of the studies above them: `Exchange semester, Aarhus` below a degree.

use super::super::{
    dates,
    lines::Line,
    vocabulary::{folded, vocabulary},
    words,
};
use super::names_degree;

/// Most lines between a degree or its school and what is said of it.
const BELOW_MAX: usize = 4;

/// The lines without those that tell of an exchange right below a degree or its school.
pub(super) fn without_exchanges(lines: &[Line]) -> Vec<Line> {
    let mut kept: Vec<Line> = Vec::new();
    let mut is_open = false;
    for line in lines {
        let is_named = names_degree(&line.text) || words::is_school(&line.text);
        let goes_on = is_open && !line.bullet && !line.after_gap && !is_named;
        let is_exchange = is_exchange(line) && is_below(&kept);
        is_open = is_exchange && line.text.ends_with(',');
        if !is_exchange && !goes_on {
            kept.push(line.clone());
        }
    }
    kept
}

/// Whether a line begins like one about an exchange, and goes on with those above it rather than having its own period
/// in another column.
fn is_exchange(line: &Line) -> bool {
    let text = folded(&line.text);
    let begins = |name: &String| {
        let rest = text.strip_prefix(name.as_str());
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let has_column = || {
        line.text.contains('\t')
            && dates::find(&line.text).is_some_and(|period| period.start.is_some())
    };
    !line.after_gap && line.level == 0 && vocabulary().exchanges.iter().any(begins) && !has_column()
}

/// Whether a degree or a school stands right above.
fn is_below(above: &[Line]) -> bool {
    let begin = above.iter().rposition(|line| line.after_gap).unwrap_or_default();
    let block = &above[begin..];
    let near = block.iter().rev().take(BELOW_MAX);
    near.into_iter().any(|line| names_degree(&line.text) || words::is_school(&line.text))
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    /// How many schools are read where a line stands below a degree and its school.
    fn schools(line: &str) -> usize {
        let text = format!(
            "Ada Byron\n\nEducation\nBSc Physics\nUniversity of Leeds\n2008 – 2011\n{line}\n\n\
             BTEC Engineering\nSmallville College\n2006 – 2008"
        );
        draft(&text).education_history["education"].as_array().unwrap().len()
    }

    #[test]
    fn a_term_at_another_school_is_a_part_of_the_studies_above_it() {
        for line in [
            "Erasmus term at TU Lindenau, spring 2010",
            "• Exchange semester in Aarhus,\nDenmark, fall 2010",
            "Auslandssemester an der Universität Turku, 2010",
            "Estancia Erasmus en Maguncia, curso 2009-2010",
            "Semestre d’échange à Adélaïde, Australie (2010)",
            "Cotutelle avec l’Institut des Neiges",
            "Uitwisseling met de Universiteit Gent, 2010",
            "Intercâmbio na Universidade do Minho, 2010",
            "International exchange, Uppsala University, 2010",
            "Double diplôme avec l’Université de Gênes",
        ] {
            assert_eq!(schools(line), 2, "{line}");
        }
        assert_eq!(schools("\nMSc Logic\nErasmus University Rotterdam\n2012"), 3);
        assert_eq!(schools("Erasmus, Universiteit Gent\t2010 – 2011"), 3);
    }
}
