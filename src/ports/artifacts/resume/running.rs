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
    let is_body = |part: &Part| !matches!(part.section, Section::Contact | Section::References);
    let mut parts = parts;
    for part in parts.iter_mut().filter(|part| is_body(part)) {
        part.lines.retain(|line| !says_again(line) || dates::find(&line.text).is_some());
    }
    parts
}

/// `Curriculum vitae –`, `Page 2`: no name of anything.
fn is_empty(text: &str) -> bool {
    const PAGES: [&str; 6] = ["", "page", "seite", "pagina", "p", "s"];
    let plain = text.trim_matches(|c: char| !c.is_alphabetic());
    PAGES.contains(&plain) || vocabulary().titles.contains(plain)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{
        super::{lines::lines, sections},
        *,
    };

    #[test]
    fn a_name_alone_below_the_head_says_nothing_and_a_firm_of_that_name_does() {
        let text = "Ada Byron\nada@example.org\n\nExperience\n\nAda Byron Ltd\nEngineer\t2019 – 2021\n\n\
                    Curriculum vitae – Ada Byron\n\nAda Byron, page 2\n\nPage 2 · ada@example.org\n";
        let basics = json!({ "name": "Ada Byron", "email": "ada@example.org" });
        let parts = without(sections::parts(lines(text)), &basics);
        let said =
            |part: &Part| part.lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
        assert_eq!(said(&parts[0]), ["Ada Byron", "ada@example.org"]);
        assert_eq!(said(&parts[1]), ["Ada Byron Ltd", "Engineer\t2019 – 2021"]);
    }
}
