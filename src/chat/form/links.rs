//! Whether the words of a link say where it leads.

/// Characters that take no room and could hide a name in what looks like plain words.
const INVISIBLE: [char; 7] =
    ['\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}', '\u{180e}'];

/// Whether a link may stand as its words alone: they are plain words, or every host that they name is the one that it
/// leads to. Any other link is shown with its whole target.
///
/// ```
/// use anteroom::chat::form::agrees;
/// assert!(agrees("our handbook", "https://acme.example/handbook"));
/// assert!(agrees("Acme.example", "https://www.acme.example/handbook"));
/// assert!(!agrees("bank.example", "https://evil.example/"));
/// ```
pub fn agrees(words: &str, target: &str) -> bool {
    let Some(host) = host_of(target) else { return false };
    let seen: String = words.chars().filter(|c| !INVISIBLE.contains(c)).map(as_dot).collect();
    let is_words = seen.chars().any(char::is_alphanumeric)
        && !seen.contains('@')
        && !seen.chars().any(crate::model::text::steers);
    is_words && seen.split_whitespace().all(|word| names_only(word, &host))
}

/// Whether a word names no host but this one.
fn names_only(word: &str, host: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let (has_scheme, rest) = match word.split_once("://") {
        Some((_, rest)) => (true, rest),
        None => (false, word),
    };
    let (first, path) = rest.split_once(['/', '?', '#', '\\']).unwrap_or((rest, ""));
    let is_same = bare(first.split(':').next().unwrap_or_default()) == host;
    if has_scheme || is_same {
        return is_same && !path.contains("://");
    }
    let mut pieces = rest.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '_')));
    !pieces.any(is_like_host)
}

/// `acme.example`, `10.0.0.1`; not `3.5` and not `e.g.`.
fn is_like_host(piece: &str) -> bool {
    let piece = piece.trim_matches(['.', '-', '_']);
    let Some((_, last)) = piece.rsplit_once('.') else { return false };
    let is_address =
        piece.matches('.').count() == 3 && piece.chars().all(|c| c == '.' || c.is_ascii_digit());
    is_address || (last.chars().count() > 1 && last.starts_with(char::is_alphabetic))
}

/// Signs that look like the dot in a host's name.
const fn as_dot(c: char) -> char {
    match c {
        '\u{3002}' | '\u{ff0e}' | '\u{ff61}' | '\u{2024}' | '\u{fe52}' | '\u{a4f8}' => '.',
        c => c,
    }
}

/// The host of a web address, where it is one whose name says what it is.
fn host_of(target: &str) -> Option<String> {
    let (scheme, rest) = target.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
        return None;
    }
    if target.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\') {
        return None;
    }
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    // What stands before an `@` reads like a host and is none.
    let name = authority.split(':').next().filter(|_| !authority.contains('@'))?;
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
    let host = bare(name);
    let is_coded = host.split('.').any(|label| label.starts_with("xn--"));
    (is_plain && !is_coded && host.contains('.')).then_some(host)
}

fn bare(name: &str) -> String {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name.strip_prefix("www.").unwrap_or(&name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_name_another_host_do_not_agree() {
        let target = "https://evil.example/login";
        for words in [
            "bank.example",
            "https://bank.example",
            "go to bank.example now",
            "bank\u{200b}.example",
            "bank\u{3002}example",
            "(bank.example)",
            "evil.example.bank.example",
            "evil.example/https://bank.example",
            "https://evil.example@bank.example",
            "me@bank.example",
            "10.0.0.1",
            "https://localhost",
            "…",
            "",
        ] {
            assert!(!agrees(words, target), "{words}");
        }
    }

    #[test]
    fn plain_words_and_the_same_host_agree() {
        let target = "https://www.acme.example/a/b.html?c=1";
        for words in [
            "here",
            "Our page (2nd edition, v1.2, e.g. for you)",
            "ACME.example",
            "www.acme.example/other.html",
            "https://acme.example:443/x",
            "日本語",
        ] {
            assert!(agrees(words, target), "{words}");
        }
    }

    #[test]
    fn a_target_that_hides_its_host_agrees_with_nothing() {
        for target in [
            "javascript:alert(1)",
            "https://bank.example@evil.example/",
            "https://xn--bnk-5cd.example/",
            "https://bаnk.example/",
            "https://evil.example\\@bank.example/",
            "//evil.example",
            "mailto:a@b.example",
            "https://localhost/",
        ] {
            assert!(!agrees("here", target), "{target}");
        }
    }
}
