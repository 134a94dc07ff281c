//! Titles of several parts, put together where the firm stands apart from them.

use super::super::{place, words};
use super::pieces::{Kind, Named, named};

/// The pieces of a head, in which somebody's own business stands where a firm would: `Self-employed`, `Electrician`.
pub(super) fn pieces_of(head: &[String]) -> Vec<Named> {
    let mut pieces = with_second(with_subject(with_detail(named(head), head)), head);
    let titles = pieces.iter().filter(|named| named.kind == Kind::Title);
    let (own, jobs) = titles.fold((0, 0), |(own, jobs), named| {
        if words::is_own(&named.text) { (own + 1, jobs) } else { (own, jobs + 1) }
    });
    if own == 1 && jobs == 1 {
        for named in pieces.iter_mut().filter(|named| words::is_own(&named.text)) {
            named.kind = Kind::Firm;
        }
    }
    with_own(pieces)
}

/// The pieces with `Self-employed` as a title beside one name that may be the firm, `Byron Heating`: which of the two is
/// which the other entries tell, unless the name is told to be one.
fn with_own(mut pieces: Vec<Named>) -> Vec<Named> {
    let is_own = |named: &Named| words::is_own(&named.text);
    let mut others = pieces.iter().filter(|named| !is_own(named) && named.kind != Kind::Place);
    let kind = match (others.next().map(|named| named.kind), others.next()) {
        (Some(Kind::Unknown), None) => Kind::Unknown,
        (Some(Kind::Firm), None) => Kind::Title,
        _ => return pieces,
    };
    for named in pieces.iter_mut().filter(|named| is_own(named)) {
        named.kind = kind;
    }
    pieces
}

/// The pieces with what stands behind a title and a dash as a part of it, where the firm has a line of its own: `Nurse –
/// intensive care` above `Acme Hospital, Smallville`.
fn with_detail(mut pieces: Vec<Named>, head: &[String]) -> Vec<Named> {
    let is_detail = |at: usize| {
        let [title, detail] = &pieces[at..at + 2] else { return false };
        let below = |other: &Named| other.line == title.line + 1;
        // `Nurse – ICU, Acme Hospital`
        let beside = pieces.get(at + 2).is_some_and(|other| {
            other.kind == Kind::Firm
                && other.line == title.line
                && other.after_comma
                && words::is_organisation(&other.text)
        });
        let firm = beside || pieces.iter().any(|other| below(other) && other.kind == Kind::Firm);
        let place = pieces.iter().any(|other| below(other) && other.kind == Kind::Place);
        let named = pieces.iter().any(|other| below(other) && other.kind == Kind::Unknown);
        title.kind == Kind::Title
            && detail.kind == Kind::Unknown
            && detail.after_dash
            && detail.line == title.line
            && (firm || place && named)
            && behind_dash(&head[title.line], title, detail)
    };
    let Some(at) = (0..pieces.len().saturating_sub(1)).find(|at| is_detail(*at)) else {
        return pieces;
    };
    let line = &head[pieces[at].line];
    let whole = line.find(&pieces[at].text).and_then(|begin| {
        let end = line.find(&pieces[at + 1].text)? + pieces[at + 1].text.len();
        line.get(begin..end)
    });
    if let Some(whole) = whole {
        let closed = if whole.contains('(') { ")" } else { "" };
        pieces[at].text = format!("{whole}{closed}");
        pieces.remove(at + 1);
    }
    pieces
}

/// Whether a dash or a bracket parts two pieces of a line: `Fitter bei Acme` names a firm.
fn behind_dash(line: &str, one: &Named, other: &Named) -> bool {
    let between = line.split_once(&one.text).and_then(|(_, rest)| rest.split_once(&other.text));
    between.is_some_and(|(between, _)| !between.contains(char::is_alphabetic))
}

/// Most words of what somebody does in their job.
const SUBJECT_MAX: usize = 3;

/// The pieces with what stands between a title and a firm of the same line as a part of the title: `Nurse, Anaesthesia,
/// Acme Hospital`.
fn with_subject(mut pieces: Vec<Named>) -> Vec<Named> {
    let firms = pieces.iter().filter(|named| named.kind == Kind::Firm).count();
    let is_subject = |run: &[Named]| {
        let [title, subject, firm] = run else { return false };
        title.kind == Kind::Title
            && subject.kind == Kind::Unknown
            && firm.kind == Kind::Firm
            && subject.after_title
            && !subject.after_dash
            && firm.after_comma
            && !firm.after_dash
            && [subject, firm].iter().all(|named| named.line == title.line)
            && words::is_organisation(&firm.text)
            && subject.text.starts_with(char::is_uppercase)
            && subject.text.split_whitespace().count() <= SUBJECT_MAX
            && !place::is_known(&subject.text)
    };
    let at = pieces.windows(3).position(is_subject).filter(|_| firms == 1);
    if let Some(at) = at {
        let subject = pieces.remove(at + 1);
        pieces[at].text = format!("{}, {}", pieces[at].text, subject.text);
    }
    pieces
}

/// The pieces with a title behind a title and a comma as a part of it, where the firm stands before both or in another
/// line: `Sergeant, Logistics Specialist` below `United States Army`.
fn with_second(mut pieces: Vec<Named>, head: &[String]) -> Vec<Named> {
    let is_second = |at: &usize| {
        let [title, second] = &pieces[*at..at + 2] else { return false };
        let is_firm = |(other, named): (usize, &Named)| match named.kind {
            Kind::Firm => named.line != title.line || other < *at,
            Kind::Unknown => other < *at,
            Kind::Title | Kind::Place => false,
        };
        let are_titles = [title, second].iter().all(|named| {
            named.kind == Kind::Title && named.line == title.line && !words::is_own(&named.text)
        });
        are_titles
            && second.after_title
            && !words::is_organisation(&second.text)
            && head[title.line].contains(&format!("{}, {}", title.text, second.text))
            && pieces.iter().enumerate().any(is_firm)
    };
    let at = (0..pieces.len().saturating_sub(1)).find(is_second);
    if let Some(at) = at {
        let second = pieces.remove(at + 1);
        pieces[at].text = format!("{}, {}", pieces[at].text, second.text);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn titles_of_several_parts_are_whole_where_the_firm_stands_apart() {
        for (head, title, firm) in [
            (
                "Acme Army\tLeeds\nSergeant, Supply Specialist",
                "Sergeant, Supply Specialist",
                "Acme Army",
            ),
            ("Acme Army – Sergeant, Supply Specialist", "Sergeant, Supply Specialist", "Acme Army"),
            (
                "Sergeant, Supply Specialist\nAcme Ltd, Leeds",
                "Sergeant, Supply Specialist",
                "Acme Ltd",
            ),
            (
                "Sargento, Especialista\nTalleres Acme S.L.",
                "Sargento, Especialista",
                "Talleres Acme S.L.",
            ),
            (
                "Nurse, Anaesthesia, Acme Animal Hospital",
                "Nurse, Anaesthesia",
                "Acme Animal Hospital",
            ),
            (
                "Krankenpfleger, Intensiv, Klinikum Nulla",
                "Krankenpfleger, Intensiv",
                "Klinikum Nulla",
            ),
            ("Enfermera, Urgencias, Hospital Nulla", "Enfermera, Urgencias", "Hospital Nulla"),
            ("Nurse, Leeds, Acme Animal Hospital", "Nurse", "Acme Animal Hospital"),
        ] {
            let text = format!("Ada Byron\n\n## Experience\n{head}\nMay 2015 – June 2019");
            let role = &draft(&text).skeleton_timeline["work"][0];
            assert_eq!(role["position"], title, "{head}");
            assert_eq!(role["name"], firm, "{head}");
        }
    }
}
