//! Values in one line that only their type keeps apart: its weight, as `ENGINEER` in bold and `ACME LTD` behind it, or its
//! size, as a name and what somebody is.

use super::page::Letter;

/// Longest line that holds two values, in characters, and longest value, in words.
const LINE_MAX: usize = 90;
const WORDS_MAX: usize = 10;

/// Words after which a value goes on in other type.
const GOES_ON: [&str; 24] = [
    "a", "al", "and", "at", "bei", "chez", "da", "de", "del", "der", "des", "di", "do", "du", "e",
    "en", "et", "for", "in", "of", "the", "und", "van", "y",
];

/// The word that the second of two values begins with: the first is in bold, the second is not, and nothing else parts
/// them or keeps them together. What begins with a mark is an item, and what is in bold there is stressed.
pub(super) fn second(words: &[Vec<&Letter>]) -> Option<usize> {
    let weight = |word: &Vec<&Letter>| {
        let first = word.first()?.is_bold?;
        word.iter().all(|letter| letter.is_bold == Some(first)).then_some(first)
    };
    let weights: Option<Vec<bool>> = words.iter().map(weight).collect();
    let weights = weights?;
    let at = weights.iter().position(|is_bold| !is_bold)?;
    let text = |word: &Vec<&Letter>| -> String {
        word.iter().map(|letter| letter.text.as_str()).collect()
    };
    let (first, last, next) = (text(&words[0]), text(&words[at.checked_sub(1)?]), text(&words[at]));
    let length: usize = words.iter().map(|word| word.len() + 1).sum();
    let are_values = !weights[at..].contains(&true)
        && at.max(words.len() - at) <= WORDS_MAX
        && length <= LINE_MAX
        && first.starts_with(char::is_alphanumeric)
        && last.ends_with(|c: char| c.is_alphanumeric() || c == ')')
        && !GOES_ON.contains(&last.to_lowercase().as_str())
        && next.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    are_values.then_some(at)
}

/// Shortest name, in letters.
const NAME_MIN: usize = 4;

/// A space between two words, in type sizes.
const SPACE_MIN: f64 = 0.13;

/// How many times larger the type of a name is than that of what somebody is, behind it in the same line.
const LARGER: f64 = 1.3;

/// A line in two where its type becomes smaller once and for all: a name, and what somebody is. Small capitals are no
/// such type: they take turns with larger ones.
pub(super) fn by_size(part: Vec<Letter>) -> Vec<Vec<Letter>> {
    let size = part.first().map_or(0.0, |first| first.size);
    let is_large = |letter: &Letter| (letter.size - size).abs() < 0.02 * size;
    let visible = |at: &usize| !part[*at].text.trim().is_empty();
    let Some(at) = (0..part.len()).filter(visible).find(|at| !is_large(&part[*at])) else {
        return vec![part];
    };
    let small = part[at].size;
    let is_small = |at: &usize| (part[*at].size - small).abs() < 0.02 * small;
    let has_space = part[..at].last().is_some_and(|last| {
        last.text.trim().is_empty() || (part[at].left - last.right) > SPACE_MIN * size
    });
    let begins = part[at].text.starts_with(char::is_alphanumeric);
    // The first letter of a heading in small capitals that are set apart.
    let is_short = (0..at).filter(visible).count() < NAME_MIN;
    if !has_space
        || !begins
        || is_short
        || small * LARGER > size
        || !(at..part.len()).filter(visible).all(|at| is_small(&at))
    {
        return vec![part];
    }
    let mut first = part;
    let second = first.split_off(at);
    vec![first, second]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line with a tab between its values; words within stars are in bold.
    fn read(line: &str) -> Option<String> {
        let mut is_bold = false;
        let mut words: Vec<Vec<Letter>> = Vec::new();
        for word in line.split(' ') {
            is_bold |= word.starts_with('*');
            let letter = |c: char| Letter {
                text: c.to_string(),
                left: 0.0,
                right: 5.0,
                baseline: 100.0,
                size: 10.0,
                look: 0,
                is_bold: Some(is_bold),
            };
            words.push(word.chars().filter(|c| *c != '*').map(letter).collect());
            is_bold &= !word.ends_with('*');
        }
        let words: Vec<Vec<&Letter>> = words.iter().map(|word| word.iter().collect()).collect();
        let second = second(&words)?;
        let text = |word: &Vec<&Letter>| word.iter().map(|letter| letter.text.as_str()).collect();
        let texts: Vec<String> = words.iter().map(text).collect();
        Some(format!("{}\t{}", texts[..second].join(" "), texts[second..].join(" ")))
    }

    #[test]
    fn what_stands_in_smaller_type_behind_a_name_is_apart() {
        let read = |words: &[(&str, f64)]| {
            let mut line = Vec::new();
            for (word, size) in words {
                for c in word.chars() {
                    let left = f64::from(u32::try_from(line.len()).unwrap()) * 10.0;
                    let (text, right, size) = (c.to_string(), left + 10.0, *size);
                    let (baseline, look, is_bold) = (100.0, 0, None);
                    line.push(Letter { text, left, right, baseline, size, look, is_bold });
                }
            }
            let texts = by_size(line)
                .into_iter()
                .map(|part| part.iter().map(|letter| letter.text.as_str()).collect::<String>());
            texts.collect::<Vec<_>>()
        };
        assert_eq!(read(&[("Ada Byron ", 20.0), ("Fitter", 11.0)]), ["Ada Byron ", "Fitter"]);
        // Type of about the same size, small capitals, and something above the line.
        for words in [
            [("Ada Byron ", 13.0), ("Fitter", 11.0)].as_slice(),
            &[("A", 20.0), ("DA ", 14.0), ("B", 20.0), ("YRON", 14.0)],
            &[("Fitter", 20.0), ("2", 11.0)],
        ] {
            assert_eq!(read(words).len(), 1);
        }
    }

    #[test]
    fn a_change_of_weight_parts_two_values() {
        for (line, parted) in [
            ("*FITTER OF PUMPS* ACME LTD.", "FITTER OF PUMPS\tACME LTD."),
            ("*Técnica (parcial)* Oficinas Acme", "Técnica (parcial)\tOficinas Acme"),
            ("*Abitur* 2007", "Abitur\t2007"),
        ] {
            assert_eq!(read(line).as_deref(), Some(parted));
        }
        for line in [
            "*E-mail:* Ada@example.org",
            "*Fitter,* Acme Ltd",
            "*Fitter* at Acme Ltd",
            "*Fitter at* Acme Ltd",
            "• *Fitter* Acme Ltd",
            "Ada *Byron*",
            "*Fitter* Acme *Ltd*",
            "*Fitter* Acme and all that was said of it, in a line that is as long as the text of a whole page is",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
