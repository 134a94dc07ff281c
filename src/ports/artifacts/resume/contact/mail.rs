//! What an e-mail address tells of the name of its owner.

use super::super::{
    lines::Line,
    vocabulary::{folded, vocabulary},
    words,
};

/// Letter boxes that are called after nobody, beside the labels of addresses.
const ANYBODY: [&str; 17] = [
    "hallo",
    "hello",
    "hi",
    "hola",
    "ola",
    "bonjour",
    "moin",
    "info",
    "office",
    "me",
    "ich",
    "post",
    "bewerbung",
    "kontakt",
    "contacto",
    "contato",
    "cv",
];

/// The part of an address that may hold the name: before the `@`, or behind it where anybody's letter box is called so,
/// `hello@adabyron.example.org`.
pub(super) fn own_part(mail: &str) -> String {
    let (local, host) = mail.split_once('@').unwrap_or((mail, ""));
    let local = folded(local);
    let is_anybodys = ANYBODY.contains(&local.as_str()) || vocabulary().labels.contains_key(&local);
    if is_anybodys { folded(host) } else { local }
}

/// Whether an address is made of the initial of a name and its last word, though that is a job as well: `Ada Baker` and
/// `a.baker`.
pub(super) fn is_initialled(name: &[&str], local: &str) -> bool {
    let [first, .., last] = name else { return false };
    let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>();
    let (first, last, local) = (letters(&folded(first)), letters(&folded(last)), letters(local));
    let initial = local.strip_suffix(&last).or_else(|| local.strip_prefix(&last));
    let is_initial = initial.is_some_and(|it| !it.is_empty() && first.starts_with(it));
    is_initial && !last.is_empty() && !words::is_position(&first)
}

/// Longest rest of an address that stands alone, in letters.
const REST_MAX: usize = 4;

/// Whether an address may go on in the next line: a few letters that say nothing stand alone right below it.
pub(super) fn may_be_broken(mail: &str, head: &[&Line]) -> bool {
    let is_rest = |line: &Line| {
        let text = line.text.as_str();
        !line.after_gap
            && !line.bullet
            && text.len() <= REST_MAX
            && text.bytes().all(|byte| byte.is_ascii_lowercase())
            && !vocabulary().labels.contains_key(text)
    };
    let mut pairs = head.windows(2);
    mail.contains('@') && pairs.any(|pair| pair[0].text.ends_with(mail) && is_rest(pair[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn names_that_are_jobs_too_are_told_by_the_address() {
        for (name, mail) in [
            ("Nora Hofmeister", "hallo@norahofmeister.example.net"),
            ("Nora Baker", "contact@nora-baker.example.com"),
            ("Nora Baker", "n.baker@example.com"),
            ("Nora Baker", "bakern@example.com"),
            ("Nora Maria Baker", "no_baker@example.com"),
        ] {
            let draft = draft(&format!("# {name}\nEngineer\n{mail}\n\n## Skills\nRust"));
            assert_eq!(draft.applicant_profile["basics"]["name"], name, "{mail}");
        }
    }

    #[test]
    fn jobs_are_no_names_whatever_the_address_is() {
        for (title, mail) in [
            ("Head Baker", "baker@example.com"),
            ("Senior Engineer", "hello@engineer.example.com"),
            ("Chief Engineer", "c.engineer@example.com"),
        ] {
            let draft = draft(&format!("# {title}\n{mail}\n\n## Skills\nRust"));
            assert_ne!(draft.applicant_profile["basics"]["name"], title, "{mail}");
        }
        assert_eq!(own_part("ada@byron.example.org"), "ada");
    }
}
