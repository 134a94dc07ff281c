//! Lines at the edges of pages that say again whose résumé it is.

use serde_json::Value;

use super::{
    dates,
    lines::Line,
    sections::Part,
    vocabulary::{Section, folded, vocabulary},
};

/// The parts without lines below the head that hold nothing but the person's name or address.
pub(super) fn without(parts: Vec<Part>, basics: &Value) -> Vec<Part> {
    let text = |key: &str| folded(basics[key].as_str().unwrap_or_default());
    let (name, mail) = (text("name"), text("email"));
    let says_again = |line: &Line| {
        let line_text = folded(&line.text);
        let has_mail = !mail.is_empty() && line_text.contains(&mail);
        let rest = (!name.is_empty()).then(|| line_text.split_once(&name)).flatten();
        has_mail || rest.is_some_and(|(before, after)| is_empty(before) && is_empty(after))
    };
    // `March 2025    Ada Byron · Résumé    1`
    let is_edge = |line: &Line| {
        let line_text = folded(&line.text);
        let (before, after) = line_text.split_once(&name).unwrap_or_default();
        !name.is_empty() && is_date(before) && is_page(after)
    };
    let is_body = |part: &Part| !matches!(part.section, Section::Contact | Section::References);
    let mut parts = parts;
    for part in parts.iter_mut().filter(|part| is_body(part)) {
        part.lines.retain(|line| {
            let is_said = says_again(line) && dates::find(&line.text).is_none();
            !is_said && !is_edge(line) && !is_of_form(&line.text)
        });
    }
    parts
}

/// `Curriculum vitae –`, `Page 2`, `Curriculum vitae, page 2 of 3`: no name of anything.
fn is_empty(text: &str) -> bool {
    text.split(MARKS).all(|piece| is_title(piece) || is_number(piece))
}

/// Marks between what stands at the edge of a page.
const MARKS: [char; 9] = [',', ';', '|', '·', '•', '–', '—', '\t', '/'];

fn is_title(piece: &str) -> bool {
    vocabulary().titles.contains(piece.trim_matches(|c: char| !c.is_alphabetic()))
}

/// Nothing but the number of a page, with or without how many there are.
fn is_number(piece: &str) -> bool {
    let mut words = piece.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| {
        PAGES.contains(&word)
            || OF.contains(&word)
            || word.bytes().all(|byte| byte.is_ascii_digit())
    })
}

const PAGES: [&str; 12] = [
    "page",
    "seite",
    "pagina",
    "p",
    "s",
    "pg",
    "pag",
    "blatt",
    "blad",
    "blz",
    "bladzijde",
    "folha",
];

/// A single date and nothing else.
fn is_date(text: &str) -> bool {
    dates::find(text).is_some_and(|date| {
        let (before, after) = (&text[..date.at.start], &text[date.at.end..]);
        date.start.is_none() && !date.lasts && is_empty(before) && is_empty(after)
    })
}

/// `· Résumé    1`: what it is, and the number of a page.
fn is_page(text: &str) -> bool {
    is_empty(text) && text.ends_with(|c: char| c.is_ascii_digit())
}

/// Whether a line is one of a form rather than of the person: who owns the form, `© European Union, 2002 – 2026`, or
/// nothing but the number of a page, `Page 1 / 2`.
fn is_of_form(text: &str) -> bool {
    let folded = folded(text);
    let mut words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let leads = words.next().is_some_and(|word| PAGES.contains(&word));
    let counts = words.clone().any(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let is_link = |word: &str| OF.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit());
    text.contains('©') && counts || leads && counts && words.all(is_link) || is_titled(&folded)
}

/// `Curriculum vitae · Page 2`
fn is_titled(text: &str) -> bool {
    let has_page = || text.split(MARKS).any(|piece| is_number(piece) && has_digit(piece));
    text.split(MARKS).any(is_title) && is_empty(text) && has_page()
}

fn has_digit(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

/// What stands between the number of a page and how many there are.
const OF: [&str; 5] = ["of", "von", "de", "sur", "van"];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{
        super::{lines::lines, sections},
        *,
    };

    #[test]
    fn edges_of_pages_with_dates_or_owners_say_nothing() {
        let text = "Ada Byron\nada@example.org\n\nExperience\n\n2019 – 2021\tAda Byron\n\n\
                    March 2025\tAda Byron · Curriculum vitae\t1\n\n29/11/2025\t© European Union, 2002 – 2026 \
                    | https://europass.example.org\tPage 1 / 2\n\nPágina 2 / 2\n\nPage Setter\n";
        let basics = json!({ "name": "Ada Byron", "email": "ada@example.org" });
        let parts = without(sections::parts(&lines(text)), &basics);
        let said: Vec<&str> = parts[1].lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(said, ["2019 – 2021\tAda Byron", "Page Setter"]);
    }

    #[test]
    fn what_stands_at_the_edge_of_a_page_is_told_with_any_marks_between() {
        let edges = [
            "Ada Byron\tCurrículum vítae, página 2",
            "Ada Byron | Lebenslauf | Seite 2 von 3",
            "Curriculum Vitae – Ada Byron – Page 2/3",
            "Ada Byron, CV, pág. 2 de 2",
            "Ada Byron · blz. 2",
            "Curriculum vitae\tPage 2",
        ];
        let basics = json!({ "name": "Ada Byron", "email": "ada@example.org" });
        for edge in edges {
            let text = format!("Ada Byron\nada@example.org\n\nSkills\n• Rust\n• Go\n\n{edge}\n");
            let parts = without(sections::parts(&lines(&text)), &basics);
            let left: usize = parts.iter().skip(1).map(|part| part.lines.len()).sum();
            assert_eq!(left, 2, "{edge}");
        }
    }

    #[test]
    fn a_name_alone_below_the_head_says_nothing_and_a_firm_of_that_name_does() {
        let text = "Ada Byron\nada@example.org\n\nExperience\n\nAda Byron Ltd\nEngineer\t2019 – 2021\n\n\
                    Curriculum vitae – Ada Byron\n\nAda Byron, page 2\n\nPage 2 · ada@example.org\n";
        let basics = json!({ "name": "Ada Byron", "email": "ada@example.org" });
        let parts = without(sections::parts(&lines(text)), &basics);
        let said =
            |part: &Part| part.lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
        assert_eq!(said(&parts[0]), ["Ada Byron", "ada@example.org"]);
        assert_eq!(said(&parts[1]), ["Ada Byron Ltd", "Engineer\t2019 – 2021"]);
    }
}
