//! What makes an everyday word believable as a skill, and what says that a skill is not there.

use super::text::words;

/// Words of the trade; one of them close by is evidence.
const CUES: [&str; 56] = [
    "developer",
    "developers",
    "programmer",
    "programmers",
    "engineer",
    "engineers",
    "programming",
    "program",
    "programs",
    "language",
    "languages",
    "framework",
    "frameworks",
    "code",
    "coding",
    "codebase",
    "script",
    "scripts",
    "scripting",
    "library",
    "libraries",
    "stack",
    "backend",
    "back-end",
    "frontend",
    "front-end",
    "fullstack",
    "full-stack",
    "microservice",
    "microservices",
    "api",
    "apis",
    "sdk",
    "compiler",
    "app",
    "apps",
    "service",
    "services",
    "software",
    "tool",
    "tools",
    "tooling",
    "technologies",
    "proficient",
    "proficiency",
    "experience",
    "experienced",
    "expertise",
    "expert",
    "knowledge",
    "skills",
    "skill",
    "familiar",
    "familiarity",
    "requirements",
    "version",
];

/// What people do with tools and languages. Before the name only: after it, the name may be a person's.
const DEEDS: [&str; 25] = [
    "know",
    "knows",
    "write",
    "writes",
    "writing",
    "wrote",
    "written",
    "rewrite",
    "rewrote",
    "rewriting",
    "coded",
    "build",
    "building",
    "built",
    "port",
    "ported",
    "develop",
    "developed",
    "implemented",
    "use",
    "used",
    "using",
    "learn",
    "deployed",
    "configured",
];

/// What advertisements say before or after the name of a skill.
const WANTED: [&str; 8] = [
    "nice to have",
    "must have",
    "a plus",
    "a must",
    "required",
    "preferred",
    "an advantage",
    "desirable",
];

/// How far a cue may stand before the name, in words.
const CUES_BEFORE: usize = 6;

/// How far after it.
const CUES_AFTER: usize = 3;

/// Words that take away what follows.
const NEGATORS: [&str; 14] = [
    "no", "not", "never", "without", "neither", "nor", "isn't", "don't", "doesn't", "haven't",
    "kein", "keine", "nicht", "ohne",
];

/// Words after a negator that turn it round: "not afraid of", "no stranger to".
const TURNED: [&str; 15] = [
    "only", "just", "merely", "afraid", "shy", "scared", "fear", "problem", "stranger", "limited",
    "least", "doubt", "less", "mind", "nur",
];

/// Words after which a negator is over.
const OVER: [&str; 6] = ["but", "instead", "only", "sondern", "because", "although"];

/// How far a negator reaches, in words.
const NEGATION_REACH: usize = 6;

/// What follows a skill that nobody asks for.
const NOT_WANTED: [&str; 6] = [
    "not required",
    "not needed",
    "not necessary",
    "is not a must",
    "not wanted",
    "no longer used",
];

/// Whether a word of the trade stands close to a place in its sentence.
pub(super) fn has_cue(before: &str, after: &str) -> bool {
    let is_in = |list: &[&str], word: &str| list.iter().any(|cue| cue.eq_ignore_ascii_case(word));
    words(before).rev().take(CUES_BEFORE).any(|word| is_in(&CUES, word) || is_in(&DEEDS, word))
        || words(after).take(CUES_AFTER).any(|word| is_in(&CUES, word))
        || is_followed_by(after, &WANTED)
        || is_headed(before)
}

/// Whether a heading stands right before a list, such as `Nice to have:`.
fn is_headed(before: &str) -> bool {
    let list = before.trim_end_matches([' ', '-', '*', '•', '·', '–']);
    let heading = list.strip_suffix(':').unwrap_or_default().to_lowercase();
    WANTED.iter().any(|phrase| heading.ends_with(phrase))
}

/// Whether a single letter stands where the name of a language would: `in C and`, `with R.`
pub(super) fn is_letter_in_place(name: &str, before: &str, after: &str) -> bool {
    let leads =
        words(before).next_back().is_some_and(|word| ["in", "with", "using"].contains(&word))
            && before.ends_with(' ');
    let then = after.split(' ').nth(1).unwrap_or_default();
    let ends = !after.starts_with(' ') || ["and", "or", "und", "oder"].contains(&then);
    name.len() == 1 && leads && ends && !after.starts_with('-')
}

/// Whether one of these phrases stands among the next words.
fn is_followed_by(after: &str, phrases: &[&str]) -> bool {
    let clause = after.split([',', ';', ')', '(']).next().unwrap_or_default();
    let next: Vec<&str> = words(clause).take(5).collect();
    let next = next.join(" ").to_lowercase();
    phrases.iter().any(|phrase| next.contains(phrase))
}

/// Whether one of a skill's own words or phrases stands in its sentence, outside the name.
pub(super) fn has_near(before: &str, after: &str, near: &[String]) -> bool {
    !near.is_empty()
        && [before, after].iter().any(|piece| {
            let piece = piece.to_lowercase();
            near.iter().any(|wanted| stands_in(&piece, wanted))
        })
}

/// Whether a phrase stands in a text as whole words.
fn stands_in(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, found)| {
        let is_outside = |letter: Option<char>| !letter.is_some_and(char::is_alphanumeric);
        is_outside(text[..at].chars().next_back())
            && is_outside(text[at + found.len()..].chars().next())
    })
}

/// Whether a version follows: `5`, `1.22`, `v3`; a bare number counts only where nothing is counted with it.
pub(super) fn has_version(after: &str) -> bool {
    let Some(rest) = after.strip_prefix(' ') else { return false };
    let rest = rest.strip_prefix(['v', 'V']).unwrap_or(rest);
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
    let number = rest[..end].trim_end_matches('.');
    let whole = number.split('.').next().unwrap_or_default();
    if whole.is_empty() || whole.len() > 2 {
        return false;
    }
    let then = rest[number.len()..].trim_start_matches('+');
    let counts = || {
        let word = words(then).next().unwrap_or_default();
        then.starts_with(' ') && !["and", "or", "with", "und", "oder", "on"].contains(&word)
    };
    number.contains('.') || !counts()
}

/// Whether what is said before a name in its sentence, or after it, takes it away.
pub(super) fn is_negated(before: &str, after: &str) -> bool {
    let clause = before.rsplit([',', ';', ':', '(', ')', '–']).next().unwrap_or_default();
    // The word after the one that is looked at.
    let mut next = "";
    for word in words(clause).rev().take(NEGATION_REACH) {
        let is = |list: &[&str], word: &str| list.iter().any(|one| one.eq_ignore_ascii_case(word));
        if is(&OVER, word) {
            break;
        }
        if is(&NEGATORS, word) && !is(&TURNED, next) {
            return true;
        }
        next = word;
    }
    is_followed_by(after, &NOT_WANTED)
}

/// What may stand between two items of one list.
pub(super) fn is_glue(between: &str, breaks: bool) -> bool {
    let mut parted = breaks;
    for word in between.split(' ').filter(|word| !word.is_empty()) {
        let marks = |c: char| ",/;|·•&+()-–*:".contains(c);
        let inner = word.trim_matches(marks);
        parted |= inner.len() < word.len();
        let is_version = inner.chars().all(|c| c.is_ascii_digit() || c == '.');
        match inner.to_ascii_lowercase().as_str() {
            "and" | "or" | "und" | "oder" | "plus" | "y" | "et" | "as" | "well" => parted = true,
            "some" | "also" | "ideally" | "both" | "either" | "maybe" | "basic" | "little"
            | "a" => {}
            _ if is_version => {}
            _ => return false,
        }
    }
    // A colon leads a list in and is no part of it.
    parted && !between.contains(':')
}

/// What stands between spaces, without the marks around it.
pub(super) fn bare(token: &str) -> &str {
    token.trim_matches(['.', ',', ';', ':', '(', ')', '<', '>', '!', '?', '"'])
}

/// Whether something is an address: a page, a mail box, a handle.
pub(super) fn is_address(inner: &str) -> bool {
    if inner.contains("://") || inner.contains('@') || inner.starts_with("www.") {
        return true;
    }
    let host = inner.split('/').next().unwrap_or_default();
    let is_path = inner.contains('/');
    let ending = host.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    match ending.as_str() {
        "com" | "org" | "edu" | "gov" => true,
        // Names of libraries end like this as well.
        "io" | "dev" | "de" | "uk" | "ai" | "co" | "app" | "net" => is_path,
        _ => false,
    }
}
