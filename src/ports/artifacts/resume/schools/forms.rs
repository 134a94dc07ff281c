//! Schools that are written down as forms are, each part behind its label: `Degree    Master`, `Subject    History`,
//! `School    University of Smallville`.

use super::{
    super::{
        dates,
        lines::Line,
        vocabulary::{StudyLabel, folded, vocabulary},
    },
    degrees::names_degree,
};

/// The lines without such labels, where both schools and degrees have theirs.
pub(super) fn unlabelled(lines: &[Line]) -> Vec<Line> {
    let has = |wanted: &[StudyLabel]| {
        let labels = lines.iter().filter_map(labelled);
        labels.map(|(label, _)| label).any(|label| wanted.contains(&label))
    };
    if !has(&[StudyLabel::School]) || !has(&[StudyLabel::Degree, StudyLabel::Area]) {
        return lines.iter().map(degree_alone).collect();
    }
    let mut plain: Vec<Line> = Vec::new();
    let mut is_degree = false;
    for line in lines {
        let is_under_degree = std::mem::take(&mut is_degree);
        let Some((label, value)) = labelled(line) else {
            plain.push(line.clone());
            continue;
        };
        is_degree = label == StudyLabel::Degree;
        match plain.last_mut() {
            Some(degree) if is_under_degree && label == StudyLabel::Area => {
                degree.text = format!("{}\t{value}", degree.text);
            }
            _ if label == StudyLabel::Other && dates::find(value).is_none() => {}
            _ => plain.push(Line { text: value.to_owned(), ..line.clone() }),
        }
    }
    plain
}

/// `Degree: Bachelor` without its label.
fn degree_alone(line: &Line) -> Line {
    let degree =
        labelled(line).filter(|(label, value)| *label == StudyLabel::Degree && names_degree(value));
    degree
        .map_or_else(|| line.clone(), |(_, value)| Line { text: value.to_owned(), ..line.clone() })
}

/// A label of the parts of studies and what stands behind it.
fn labelled(line: &Line) -> Option<(StudyLabel, &str)> {
    let (label, value) = line.text.split_once('\t').or_else(|| line.text.split_once(": "))?;
    let name = folded(label.trim_end_matches(':').trim());
    let label = *vocabulary().study_labels.get(&name)?;
    let value = value.trim();
    // `Degree: 2012` says when, not what.
    let is_date = dates::find(value).is_some_and(|date| date.at == (0..value.len()));
    (!value.is_empty() && (label == StudyLabel::Other || !is_date)).then_some((label, value))
}

#[cfg(test)]
mod tests {
    use super::{super::super::lines::lines, *};

    fn texts(text: &str) -> Vec<String> {
        unlabelled(&lines(text)).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn what_stands_behind_the_labels_of_a_form_is_read_without_them() {
        let form = "Diploma\tMaster\nRichting\tNederlands\nSchool\tUniversiteit Kleinstad\n\
                    Plaats\tKleinstad\nPeriode\t2008 – 2009";
        assert_eq!(texts(form), ["Master\tNederlands", "Universiteit Kleinstad", "2008 – 2009"]);
        let form =
            "Periode\t2005 – 2009\nOpleiding:\tBachelor Verpleegkunde\nInstelling:\tHogeschool Nul";
        assert_eq!(texts(form), ["2005 – 2009", "Bachelor Verpleegkunde", "Hogeschool Nul"]);
        let rows = "School\tCollege of Smallville\n2008 – 2009\tSenior pupil";
        assert_eq!(texts(rows), rows.lines().collect::<Vec<_>>());
    }
}
