//! What stands in brackets behind titles: codes, and how much somebody worked.

use super::{Kind, Named, is_code, is_term};

/// Puts notes back to the titles of a field that they stand behind: `Acme – Clerk (L5)`, `Nurse (part-time), Acme`.
pub(super) fn put_back(pieces: &mut [Named], field: &str, notes: &[&str]) {
    for note in notes {
        let is_before = |named: &&mut Named| {
            named.kind == Kind::Title && field.contains(&format!("{} ({note})", named.text))
        };
        if let Some(title) = pieces.iter_mut().find(is_before) {
            title.text = format!("{} ({note})", title.text);
        } else if let (Some(title), [_]) = (pieces.first_mut(), notes)
            && title.kind == Kind::Title
        {
            put_within(title, field, note);
        }
    }
}

/// `Professor (W3) of History`: a title with the note that stood in the middle of it.
fn put_within(title: &mut Named, field: &str, note: &str) {
    let lead = field.split(" (").next().unwrap_or_default();
    if let Some(rest) = title.text.strip_prefix(lead) {
        title.text = format!("{lead} ({note}){rest}");
    } else if is_code(note) || is_term(note) {
        title.text = format!("{} ({note})", title.text);
    }
}

/// Puts how much somebody worked, alone in brackets in a line, to the title in the line above, if it is that.
pub(super) fn take_below(found: &mut [Named], field: &str, at: usize) -> bool {
    let note = field.strip_prefix('(').and_then(|field| field.strip_suffix(')'));
    if !note.is_some_and(is_term) {
        return false;
    }
    let is_above = |named: &&mut Named| named.kind == Kind::Title && named.line + 1 == at;
    let title = found.iter_mut().rev().find(is_above);
    title.is_some_and(|title| {
        title.text = format!("{} {field}", title.text);
        true
    })
}

/// Makes titles of what no word tells and how much somebody worked stands in brackets behind, `Zookeeper (weekends)`, where
/// no other piece of the head is one.
pub(super) fn make_titles(found: &mut [Named], head: &[String]) {
    if found.iter().any(|named| named.kind == Kind::Title) {
        return;
    }
    for named in found.iter_mut().filter(|named| named.kind == Kind::Unknown) {
        let behind = head.get(named.line).and_then(|line| {
            let (_, rest) = line.split_once(&format!("{} (", named.text))?;
            rest.split_once(')').map(|(note, _)| note).filter(|note| is_term(note))
        });
        if let Some(note) = behind {
            named.kind = Kind::Title;
            named.text = format!("{} ({note})", named.text);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn how_much_somebody_worked_tells_a_title_that_no_word_does() {
        for (title, firm) in [
            ("Zoowart (am Wochenende)", "Acme GmbH"),
            ("Stitcher (Saturdays)", "Acme Ltd"),
            ("Stitcher (weekends)", "Emca Lothians"),
            ("Manœuvre (intérim)", "Intéris Chantiers"),
            ("Remendón (fines de semana)", "Talleres Acme S.L."),
            ("Remendón (campaña)", "Talleres Acme S.L."),
            ("Oppasser (weekenden)", "Acme B.V."),
            ("Puxador (fins de semana)", "Acme Lda."),
        ] {
            for head in [
                format!("{title}, {firm}, Leeds"),
                format!("{title}\n{firm}, Leeds"),
                format!("{title}\t{firm}"),
            ] {
                let text = format!("Ada Byron\n\n## Experience\n05/2015 – 06/2019\t{head}");
                let role = &draft(&text).skeleton_timeline["work"][0];
                assert_eq!(role["position"], title, "{head}");
                assert_eq!(role["name"], firm, "{head}");
            }
        }
        let text = "Ada Byron\n\n## Experience\n05/2015 – 06/2019\tNurse, Emca (seasonal)";
        assert_eq!(draft(text).skeleton_timeline["work"][0]["position"], "Nurse (seasonal)");
    }

    #[test]
    fn what_stands_in_brackets_behind_a_title_is_a_part_of_it_wherever_it_stands() {
        for (head, title) in [
            ("Acme Ltd – Nurse (part-time)", "Nurse (part-time)"),
            ("Acme Zorg B.V. – Verzorgende (oproepkracht)", "Verzorgende (oproepkracht)"),
            ("Buchhalterin (Teilzeit), Acme GmbH", "Buchhalterin (Teilzeit)"),
            ("Acme Ltd\tNurse\n(part-time)", "Nurse (part-time)"),
            ("Acme S.L.\tOperaria\n(media jornada)", "Operaria (media jornada)"),
            ("Nurse (part-time)\nAcme Ltd (formerly Emca)", "Nurse (part-time)"),
            ("Acme Ltd | Clerk (L5)", "Clerk (L5)"),
        ] {
            let text = format!("Ada Byron\n\n## Experience\n05/2015 – 06/2019\t{head}");
            let role = &draft(&text).skeleton_timeline["work"][0];
            assert_eq!(role["position"], title, "{head}");
        }
    }
}
