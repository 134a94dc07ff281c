//! Values in one line that only the weight of their type keeps apart: `ENGINEER` in bold and `ACME LTD` behind it.

use std::collections::BTreeMap;

use hayro_interpret::font::OutlineGlyph;

use super::page::Letter;

/// From this weight on a font is bold.
const BOLD: u32 = 600;

/// What names of fonts say of bold ones.
const BOLD_NAMES: [&str; 4] = ["bold", "black", "heavy", "demi"];

/// Which letters are bold, by how they look, so that each font is asked once for a letter.
#[derive(Debug, Default)]
pub(super) struct Weights(BTreeMap<u128, Option<bool>>);

impl Weights {
    /// Whether a letter is bold; nothing where its font does not say.
    pub(super) fn is_bold(&mut self, glyph: &OutlineGlyph, look: u128) -> Option<bool> {
        *self.0.entry(look).or_insert_with(|| {
            let font = glyph.font_data()?;
            let name = font.postscript_name.unwrap_or_default().to_lowercase();
            let says = BOLD_NAMES.iter().any(|bold| name.contains(bold));
            Some(says || font.weight.is_some_and(|weight| weight >= BOLD))
        })
    }
}

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
