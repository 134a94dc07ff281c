//! Roles that are set as cards: labels in one column, and what they announce in the next.

use super::super::{
    lines::Line,
    vocabulary::{RoleLabel, folded, vocabulary},
};

/// Fewest labels of firms or titles that show that the roles are cards.
const CARDS_MIN: usize = 2;

/// The lines of cards, `Employer    Acme`, each label with its value and each card in one block, wherever pages break.
pub(super) fn together(lines: Vec<Line>) -> Vec<Line> {
    let names = |label: &RoleLabel| *label != RoleLabel::Other;
    let labels = || lines.iter().filter_map(labelled);
    if labels().filter(|(label, ..)| names(label)).count() < CARDS_MIN {
        return lines;
    }
    let Some((_, first, _)) = labels().next() else { return lines };
    let first = first.to_owned();
    let mut found: Vec<Line> = Vec::new();
    let mut lines = lines.into_iter().peekable();
    while let Some(line) = lines.next() {
        // `Duties` alone above the items says nothing of its own.
        if is_note(&line) && lines.peek().is_some_and(|next| next.bullet) {
            continue;
        }
        let card = labelled(&line).map(|(_, label, value)| (label == first, value.to_owned()));
        found.push(match card {
            Some((after_gap, value)) => {
                let label = line.text.split('\t').next().unwrap_or_default();
                let text = format!("{}: {value}", label.trim_end_matches([':', ' ']));
                Line { text, after_gap, ..line }
            }
            None => line,
        });
    }
    found
}

/// The label of a role in the first of two columns, as it is and as it is written, and what it announces.
fn labelled(line: &Line) -> Option<(RoleLabel, &str, &str)> {
    let (label, value) = line.text.split_once('\t').filter(|_| !line.bullet)?;
    let label = label.trim_end_matches([':', ' ']);
    let known = vocabulary().role_labels.get(&folded(label)).copied()?;
    (!value.contains('\t')).then_some((known, label, value))
}

fn is_note(line: &Line) -> bool {
    let label = line.text.trim_end_matches([':', ' ']);
    !line.bullet && vocabulary().notes.contains(&folded(label))
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn cards_are_read_by_their_labels_wherever_pages_break() {
        let text = "Ada Byron\nada@example.org\n\n## Experiencia\nEntidad\tMolinos Acme S.A.C.\nCargo\tResidente\n\
                    Lugar\tVilla Nula\nPeriodo\tmarzo 2022 – la fecha\nFunciones\n• Obras\n\n\
                    Entidad\tTaller Emca\n\nCargo\tAsistente\n\nLugar\tNulápolis\n\n\
                    Periodo\tmarzo 2019 – mayo 2020\n\nFunciones\n• Planos";
        let work = &draft(text).skeleton_timeline["work"];
        let said = |at: usize, key: &str| work[at][key].as_str().unwrap_or_default().to_owned();
        for (at, expected) in [
            ["Molinos Acme S.A.C.", "Residente", "Villa Nula", "2022-03"],
            ["Taller Emca", "Asistente", "Nulápolis", "2019-03"],
        ]
        .iter()
        .enumerate()
        {
            let found = ["name", "position", "location", "startDate"].map(|key| said(at, key));
            assert_eq!(found, *expected);
        }
    }
}
