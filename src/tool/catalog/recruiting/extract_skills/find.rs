//! Finds skills in a text.
//!
//! 1. One pass of the automaton finds every form of every skill; a form counts as whole words only, and the leftmost
//!    and longest wins, so `JavaScript` holds no `Java` and `R&D` no `R`.
//! 2. Addresses count for nothing.
//! 3. Items of a list are joined: what stands between them is marks and small words alone.
//! 4. An ambiguous name is believed if it is written like a name and something speaks for it: an unambiguous neighbour
//!    in its list, a word of its own or of the trade in its sentence, a version, or two more of its kind in the list.
//! 5. What the sentence takes away ("no PHP") is left out.

use super::{
    evidence::{
        bare, has_cue, has_near, has_version, is_address, is_glue, is_letter_in_place, is_negated,
    },
    lexicon::{Lexicon, Means},
    text::Text,
};

/// How far around a name evidence is looked for, in bytes.
const REACH: usize = 300;

/// Ambiguous names in one list that speak for one another.
const CROWD: usize = 3;

/// A skill that a text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Its position in the lexicon.
    pub skill: usize,
    /// It was named without ambiguity, or beside one that was.
    pub certain: bool,
}

/// The skills of a text in the order in which they are first named, each once.
pub fn find(lexicon: &Lexicon, raw: &str) -> Vec<Found> {
    let text = Text::new(raw);
    let mentions = mentions(lexicon, &text);
    let mut found: Vec<Found> = Vec::new();
    for list in lists(&text, &mentions) {
        for believed in believed(lexicon, &text, list) {
            match found.iter_mut().find(|known| known.skill == believed.skill) {
                Some(known) => known.certain |= believed.certain,
                None => found.push(believed),
            }
        }
    }
    found
}

/// A form at a place.
#[derive(Debug, Clone, Copy)]
struct Mention {
    at: (usize, usize),
    means: Means,
    /// Written as the lexicon has it.
    exact: bool,
}

impl Mention {
    const fn skill(&self) -> Option<usize> {
        match self.means {
            Means::Decoy => None,
            Means::Plain(skill) | Means::Wary(skill) => Some(skill),
        }
    }

    const fn is_plain(&self) -> bool {
        matches!(self.means, Means::Plain(_))
    }
}

/// Every form that stands in the text as whole words, none within another.
fn mentions(lexicon: &Lexicon, text: &Text) -> Vec<Mention> {
    let mut all: Vec<Mention> = Vec::new();
    for hit in lexicon.automaton.find_overlapping_iter(&text.plain) {
        let form = &lexicon.forms[hit.pattern().as_usize()];
        let Some(end) = whole(text, (hit.start(), hit.end()), form.means) else { continue };
        let at = (hit.start(), end);
        let exact = text.plain[hit.range()] == form.text;
        all.push(Mention { at, means: form.means, exact });
    }
    // The leftmost first, then the longest, then the one that is written so.
    all.sort_by_key(|mention| (mention.at.0, std::cmp::Reverse(mention.at.1), !mention.exact));
    let mut end = 0;
    all.retain(|mention| {
        let is_free = mention.at.0 >= end;
        if is_free {
            end = mention.at.1;
        }
        is_free
    });
    all.retain(|mention| mention.skill().is_none() || !lies_in_address(text, mention.at));
    all
}

/// The end of a form if it stands as whole words, a version stuck to it included: `C++17`, `Python3`, `HTML5`.
fn whole(text: &Text, (start, end): (usize, usize), means: Means) -> Option<usize> {
    let (before, _) = text.beside((start, end));
    let (form, rest) = (&text.plain[start..end], &text.plain[end..]);
    if before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_') {
        return None;
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let takes_version = form.len() > 2
        && digits <= 2
        && !form.ends_with(|c: char| c.is_ascii_digit())
        && means != Means::Decoy;
    let end = if takes_version { end + digits } else { end };
    let mut after = text.plain[end..].chars();
    let (next, then) = (after.next(), after.next());
    let goes_on = match next {
        Some('+' | '#') => !form.ends_with(['+', '#']),
        Some('.') => matches!(means, Means::Wary(_)) && then.is_some_and(char::is_alphanumeric),
        Some('_') => true,
        Some(letter) => letter.is_alphanumeric(),
        None => false,
    };
    if goes_on || (matches!(means, Means::Wary(_)) && is_compound(text, (start, end))) {
        return None;
    }
    Some(end)
}

/// Whether an ambiguous name is half of a compound: `Scala-born`, `non-Go`; `Excel-based` is none.
fn is_compound(text: &Text, (start, end): (usize, usize)) -> bool {
    let stuck = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let mut before = text.plain[..start].chars().rev();
    if matches!(before.next(), Some('-' | '.' | '@')) && stuck(before.next()) {
        return true;
    }
    let Some(rest) = text.plain[end..].strip_prefix('-') else { return false };
    let word: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
    let is_adjective = ["based", "like", "driven", "style", "powered", "first", "heavy", "native"];
    word.starts_with(char::is_lowercase) && !is_adjective.contains(&word.as_str())
}

fn lies_in_address(text: &Text, at: (usize, usize)) -> bool {
    let (from, to) = text.token(at);
    let token = bare(&text.plain[from..to]);
    // A name may look like an address itself, but is one only with something around it.
    token != &text.plain[at.0..at.1] && is_address(token)
}

/// Mentions that stand in one list together; one alone is a list of its own, phrases that mean nothing are left out.
fn lists<'a>(text: &Text, mentions: &'a [Mention]) -> Vec<&'a [Mention]> {
    let joined = |one: &Mention, other: &Mention| {
        let (from, to) = (one.at.1, other.at.0);
        one.skill().is_some()
            && other.skill().is_some()
            && is_glue(&text.plain[from..to], text.breaks_within(from, to))
    };
    let lists = mentions.chunk_by(joined);
    lists.filter(|list| list.iter().all(|mention| mention.skill().is_some())).collect()
}

/// The skills of one list that something speaks for, in its order.
fn believed(lexicon: &Lexicon, text: &Text, list: &[Mention]) -> Vec<Found> {
    let trust = Trust::of(lexicon, text, list);
    let mut taken = false;
    let mut found = Vec::new();
    for (position, mention) in list.iter().enumerate() {
        let strict = is_strict(lexicon, *mention);
        let believable = match mention.means {
            Means::Decoy => false,
            Means::Plain(_) => true,
            Means::Wary(_) if !mention.exact => {
                trust.plain && stands_alone(text, list, position) && mention.at.1 - mention.at.0 > 1
            }
            Means::Wary(_) if strict => trust.strict,
            Means::Wary(_) => trust.ordinary,
        };
        let (before, after) = around(text, mention.at);
        let follows = position.checked_sub(1).map(|p| &text.plain[list[p].at.1..mention.at.0]);
        let goes_on = follows.is_some_and(|between| {
            between.split(' ').any(|word| ["or", "nor", "oder", "/"].contains(&word))
        });
        taken = is_negated(before, after) || (taken && goes_on);
        if let Some(skill) = mention.skill().filter(|_| believable && !taken) {
            let certain = mention.is_plain() || (trust.plain && !strict);
            found.push(Found { skill, certain });
        }
    }
    found
}

/// What speaks for the ambiguous names of one list.
#[derive(Debug, Clone, Copy)]
struct Trust {
    /// A name in it is not ambiguous.
    plain: bool,
    /// The ambiguous ones are believed.
    ordinary: bool,
    /// Those of strict categories are.
    strict: bool,
}

impl Trust {
    fn of(lexicon: &Lexicon, text: &Text, list: &[Mention]) -> Self {
        let plain = list.iter().any(|m| m.is_plain() && !is_strict(lexicon, *m));
        let spoken_for = |strict: bool| {
            list.iter()
                .filter(|m| m.exact && is_strict(lexicon, **m) == strict)
                .any(|m| speaks(lexicon, text, *m))
        };
        let ordinary = plain || is_crowd(list) || spoken_for(false);
        Self { plain, ordinary, strict: spoken_for(true) }
    }
}

/// Whether so many different names stand in a list that they speak for one another.
fn is_crowd(list: &[Mention]) -> bool {
    let mut named: Vec<usize> =
        list.iter().filter(|m| m.exact).filter_map(Mention::skill).collect();
    named.sort_unstable();
    named.dedup();
    named.len() >= CROWD
}

fn is_strict(lexicon: &Lexicon, mention: Mention) -> bool {
    mention.skill().is_some_and(|skill| lexicon.categories[lexicon.skills[skill].category].strict)
}

/// Whether something in the sentence speaks for an ambiguous name.
fn speaks(lexicon: &Lexicon, text: &Text, mention: Mention) -> bool {
    let Means::Wary(skill) = mention.means else { return false };
    let (before, after) = around(text, mention.at);
    let near = has_near(before, after, &lexicon.skills[skill].near);
    let name = &text.plain[mention.at.0..mention.at.1];
    let is_used =
        || has_cue(before, after) || has_version(after) || is_letter_in_place(name, before, after);
    near || (!is_strict(lexicon, mention) && is_used())
}

/// What stands before and after a place in its sentence.
fn around(text: &Text, at: (usize, usize)) -> (&str, &str) {
    let (from, to) = text.sentence(at, REACH);
    (&text.plain[from..at.0], &text.plain[at.1..to])
}

/// Whether nothing but the marks of its list stands on either side of an item.
fn stands_alone(text: &Text, list: &[Mention], position: usize) -> bool {
    let (start, end) = list[position].at;
    let starts = position > 0 || {
        let before = text.plain[..start].trim_end();
        before.is_empty()
            || before.ends_with([':', ',', ';', '(', '-', '•', '*', '|', '/'])
            || text.breaks_within(before.len(), start)
    };
    let ends = position + 1 < list.len() || {
        let after = text.plain[end..].trim_start();
        after.is_empty()
            || after.starts_with([',', ';', '.', ')', '|', '/', '•', '!'])
            || text.breaks_within(end, text.plain.len() - after.len())
    };
    starts && ends
}
