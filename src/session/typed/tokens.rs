//! A text as words to compare: no capitals, no accents, no punctuation.

/// The words of a text. Separators between answers (`,` `;` `/` `&` `+` and line ends) become [`SEPARATOR`].
pub(in crate::session) type Tokens = Vec<String>;

/// Stands for a sign that separates two answers.
pub(super) const SEPARATOR: &str = ",";

/// The words of a text, without separators.
pub(in crate::session) fn tokens(text: &str) -> Tokens {
    let mut all = separated(text);
    all.retain(|token| token != SEPARATOR);
    all
}

/// The words of a text, with [`SEPARATOR`] for each sign that separates answers.
pub(super) fn separated(text: &str) -> Tokens {
    let (mut all, mut word) = (Tokens::new(), String::new());
    for c in text.chars() {
        if c.is_alphanumeric() {
            word.extend(folded(c));
            continue;
        }
        if is_combining(c) {
            continue;
        }
        if !word.is_empty() {
            all.push(std::mem::take(&mut word));
        }
        if matches!(c, ',' | ';' | '/' | '&' | '+' | '\n') {
            all.push(SEPARATOR.to_owned());
        }
    }
    if !word.is_empty() {
        all.push(word);
    }
    all
}

const fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// A letter in lower case without its accent.
fn folded(c: char) -> impl Iterator<Item = char> {
    let plain = match c.to_lowercase().next().unwrap_or(c) {
        'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' | 'ā' => "a",
        'é' | 'è' | 'ê' | 'ë' | 'ē' => "e",
        'í' | 'ì' | 'î' | 'ï' | 'ī' => "i",
        'ó' | 'ò' | 'ô' | 'ö' | 'õ' | 'ō' | 'ø' => "o",
        'ú' | 'ù' | 'û' | 'ü' | 'ū' => "u",
        'ç' => "c",
        'ñ' => "n",
        'ý' | 'ÿ' => "y",
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        _ => "",
    };
    let kept = plain.is_empty().then(|| c.to_lowercase());
    plain.chars().chain(kept.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_without_accents_and_punctuation() {
        assert_eq!(tokens("S'il vous PLAÎT !"), ["s", "il", "vous", "plait"]);
        assert_eq!(tokens("Große e\u{301}tape"), ["grosse", "etape"]);
        assert_eq!(separated("1, 3\n4"), ["1", ",", "3", ",", "4"]);
        assert_eq!(tokens("…"), [""; 0]);
    }
}
