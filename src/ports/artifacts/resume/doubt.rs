//! Signs that a value is doubtful, whatever it is of and whatever language it is in: what is wrong should be marked, and
//! what is right should not.

use super::{
    place,
    vocabulary::{folded, vocabulary},
    words,
};

/// Whether a name of a firm or a school reads like running text: `Moved the studio; twice`, `team of six people`.
pub(super) fn reads_like_text(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_small = |word: &&&str| word.starts_with(char::is_lowercase);
    let small = words.iter().skip(1).filter(is_small).count();
    let has_capital = words.iter().skip(1).any(|word| word.starts_with(char::is_uppercase));
    let begins_small = name.starts_with(char::is_lowercase) && !words::is_own(name);
    holds_mark(name)
        || name.split_once(". ").is_some_and(|(before, _)| is_long_word(before))
        || begins_small
        || words.len() > 2 && !has_capital && small > 1 && !words::is_organisation(name)
        || words.len() > 4 && small > 2 && name.contains(|c: char| c.is_ascii_digit())
}

/// Whether marks stand in a name that no name has: of a list, of a label, of a number, or half a pair of brackets.
fn holds_mark(name: &str) -> bool {
    let is_numbered = name.split_once(". ").is_some_and(|(number, rest)| {
        // `14. Oberschule Nullheim` is called so.
        let is_school = rest.split_once(' ').is_some_and(|(kind, _)| words::is_school(kind));
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) && !is_school
    });
    name.contains([';', '%', '•', '\t', '|'])
        || name.contains(": ")
        || name.starts_with(|c: char| !c.is_alphanumeric() && !"'’\"„“«#.".contains(c))
        || name.matches('(').count() != name.matches(')').count()
        || is_numbered
}

/// Whether a name is longer than names are.
pub(super) fn is_long_name(name: &str) -> bool {
    name.split_whitespace().count() > NAME_MAX
}

/// Most words of a name of a firm or a school.
const NAME_MAX: usize = 9;

/// Whether a text ends in a word that is no abbreviation.
fn is_long_word(text: &str) -> bool {
    text.rsplit(|c: char| !c.is_alphabetic()).next().is_some_and(|word| word.chars().count() > 4)
}

/// Whether a name is no more than the word for what it names: `College` at the beginning of a line that was broken.
pub(super) fn is_only_a_kind(name: &str) -> bool {
    name.contains(char::is_lowercase) && vocabulary().schools.contains(&folded(name))
}

/// Whether a name is no more than a word for a kind of firm: `Bank` in brackets behind a title.
pub(super) fn is_only_a_firm(name: &str) -> bool {
    name.contains(char::is_lowercase) && vocabulary().employers.contains(&folded(name))
}

/// A name that ends in a town without it, and the town.
pub(super) fn without_town(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once(' ').filter(|_| ends_in_town(name))
}

/// Whether most of some names end in the name of a town that nothing parts from them: `Acme Bristol`, `Emca Bristol`.
pub(super) fn end_in_towns(names: Vec<String>) -> bool {
    let mut names = names;
    names.sort();
    names.dedup();
    let last = |name: &str| name.rsplit(' ').next().unwrap_or_default().to_owned();
    let is_shared = |name: &String| {
        let town = last(name);
        town.starts_with(char::is_uppercase)
            && !words::is_organisation(&town)
            && names.iter().filter(|other| name.contains(' ') && last(other) == town).count() > 1
    };
    let towns = names.iter().filter(|name| ends_in_town(name) || is_shared(name)).count();
    let is_told = names.iter().any(|name| goes_on_behind_form(name));
    towns > 1 && towns * 2 > names.len() || is_told && towns * 2 >= names.len()
}

/// Forms of firms, which no degree ends in.
const FORMS: [&str; 18] = [
    "gmbh", "kg", "ohg", "ag", "ltd", "limited", "inc", "llc", "llp", "plc", "sa", "sl", "sas",
    "sarl", "bv", "nv", "lda", "ltda",
];

/// Whether a word is the form of a firm: `Ltd`.
pub(super) fn is_form(word: &str) -> bool {
    FORMS.contains(&folded(word).replace('.', "").as_str()) && word.contains(char::is_uppercase)
}

/// Whether a single name stands behind the form of a firm: `Acme SA Lausanne`.
fn goes_on_behind_form(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    matches!(words.as_slice(), [_, .., form, town] if is_form(form)
        && !is_form(town)
        && town.starts_with(char::is_uppercase)
        && town.contains(char::is_lowercase)
        && town.chars().all(|c| c.is_alphabetic() || "'’-".contains(c)))
}

/// Whether several names stand behind the form of a firm: `Acme Inc. Sterling Heights`.
pub(super) fn holds_form(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let Some(form) = words.iter().rposition(|word| is_form(word)) else { return false };
    let rest = &words[form + 1..];
    let is_name = |word: &&str| {
        word.starts_with(char::is_uppercase)
            && word.chars().all(|c| c.is_alphabetic() || "'’-".contains(c))
    };
    form > 0 && rest.len() > 1 && rest.iter().all(is_name)
}

fn ends_in_town(name: &str) -> bool {
    if goes_on_behind_form(name) {
        return true;
    }
    let words: Vec<&str> = name.split_whitespace().collect();
    // `University Smallville` is a whole name.
    let [_, .., before, last] = words.as_slice() else { return false };
    before.contains(char::is_uppercase) && (place::is_known(last) || before.ends_with(last))
}

/// Whether a remark in brackets stands in what a degree is called; `(Hons)` and `(FH)` are parts of it.
pub(super) fn holds_remark(degree: &str) -> bool {
    // `Diplôme d’État d’infirmier`: where the name ends is a guess.
    degree.matches(['\'', '’']).count() > 1
        || degree.split_once('(').is_some_and(|(_, rest)| {
            let inner = rest.split(')').next().unwrap_or_default();
            inner.contains(' ') || inner.starts_with(char::is_lowercase)
        })
}

/// Which of some entries differ from what nearly all of them have in common.
pub(super) fn odd_ones<T: PartialEq>(forms: &[T]) -> Vec<bool> {
    let alike = |form: &T| forms.iter().filter(|other| *other == form).count();
    let usual = forms.iter().find(|form| alike(form) > 2 && alike(form) * 4 >= forms.len() * 3);
    forms.iter().map(|form| usual.is_some_and(|usual| usual != form)).collect()
}

/// Whether a title reads like what is said of the work.
pub(super) fn is_no_title(title: &str) -> bool {
    let long = title.split_whitespace().count() > TITLE_MAX;
    long || title.contains(';') || title.ends_with('.') && is_long_word(title.trim_end_matches('.'))
}

/// Most words of a title.
const TITLE_MAX: usize = 11;

/// Whether an item of a list of skills may be an address, a place or what stands at the edge of a page.
pub(super) fn is_strange_skill(item: &str) -> bool {
    let digits = item.chars().filter(char::is_ascii_digit).count();
    item.contains(['@', '©']) || item.contains("://") || digits > 6 || place::is_place(item)
}

/// Whether a line of skills is a certificate with its year, `Food Handler, 2024`, rather than a list.
pub(super) fn is_certificate(line: &str) -> bool {
    line.split([',', ';', '(', ')']).any(|item| is_year(item.trim()))
}

/// Whether a year stands in a text.
pub(super) fn has_year(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(is_year)
}

fn is_year(word: &str) -> bool {
    word.len() == 4
        && (word.starts_with("19") || word.starts_with("20"))
        && word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_text_is_no_name_of_a_firm() {
        for text in [
            "Moved the studio; twice",
            "Team of six people",
            "food cost at 28%",
            "wrote. Then left",
            "1. Acme Ltd",
            "(6 years",
            "› Ran the studio",
            "Employer: Acme Ltd",
        ] {
            assert!(reads_like_text(text), "{text}");
        }
        for name in
            ["Acme Pumps & Co. KG", "zzp", "Self-employed", "Haus am Berg e. V.", "The Salt Quay"]
        {
            assert!(!reads_like_text(name), "{name}");
        }
    }

    #[test]
    fn names_that_end_in_towns_are_told_by_several_of_them() {
        let firms = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert!(end_in_towns(firms(&["The Salt Quay Bristol", "Hotel Pendragon Bath"])));
        assert!(end_in_towns(firms(&["Marché du Pré Nulleville", "Labo Dupont Nulleville"])));
        assert!(!end_in_towns(firms(&["The Salt Quay Bristol", "Blue Fig Ltd", "Red Fox Ltd"])));
        assert!(end_in_towns(firms(&["Transnord Fret SA Chavornay", "Coopérative Verte Payerne"])));
        assert_eq!(without_town("Acme Fret SA Nulleville"), Some(("Acme Fret SA", "Nulleville")));
        assert!(holds_form("Acme Pumps Inc. Null Heights") && !holds_form("SAS Null Works"));
        assert!(!end_in_towns(firms(&["Acme Fret SA Nulleville", "Emca", "Red Fox Ltd"])));
        assert!(!end_in_towns(firms(&["Universität Hamburg", "Hochschule Bremen"])));
    }

    #[test]
    fn what_differs_is_odd_only_where_nearly_all_others_agree() {
        assert_eq!(odd_ones(&[1, 1, 2, 1]), [false, false, true, false]);
        assert_eq!(odd_ones(&[1, 2, 2, 1]), [false; 4]);
        assert_eq!(odd_ones(&[1, 1, 2]), [false; 3]);
    }

    #[test]
    fn remarks_in_degrees_and_certificates_among_skills_are_told() {
        assert!(holds_remark("PGCE (Secondary, Modern Languages)"));
        assert!(!holds_remark("BA (Hons) History"));
        assert!(!holds_remark("Dipl.-Ing. (FH) Maschinenbau"));
        assert!(is_certificate("Food Handler, 2024"));
        assert!(!is_certificate("NEC 2023, Conduit bending"));
    }

    #[test]
    fn schools_may_be_counted() {
        assert!(!reads_like_text("14. Oberschule Nullheim") && reads_like_text("2. Acme Ltd"));
    }
}
