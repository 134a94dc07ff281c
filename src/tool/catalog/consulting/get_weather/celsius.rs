//! Figures in Fahrenheit as figures in Celsius.

/// Signs of a degree: the right one, and two that pages have for it.
const SIGNS: [char; 3] = ['°', 'º', '˚'];

/// What may stand before `F` or `Fahrenheit`, the longer first.
const DEGREES: [&str; 10] =
    ["-degrees", "-degree", "degrees", "degree", "deg.", "degs", "deg", "°", "º", "˚"];

/// Minus signs.
const MINUS: [char; 2] = ['-', '−'];

/// Between the two figures of a range.
const BETWEEN: [&str; 9] = ["-", "−", "‐", "‑", "–", "—", "/", " to", " and"];

/// Turns `68 °F` into `20 °C (converted)` and `59–68 °F` into `15–20 °C (converted)`, and leaves everything else.
///
/// A lone `F` counts after a figure only where no letter or figure follows. Of a range that has its unit once, both
/// figures are converted.
pub(super) fn in_celsius(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        made.push_str(&rest[..at]);
        let figure = &rest[at..];
        let end = figure.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(figure.len());
        let (figure, after) = figure.split_at(end);
        match (unit(after), figure.trim_end_matches('.').parse::<f64>()) {
            (Some(length), Ok(degrees)) if after[..length].trim().len() > 1 || !goes_on(&made) => {
                put(&mut made, degrees);
                rest = &after[length..];
            }
            _ => {
                made.push_str(figure);
                rest = after;
            }
        }
    }
    made.push_str(rest);
    made
}

/// Puts a figure in Celsius after a text, and the figure with which its range begins in Celsius too.
fn put(made: &mut String, degrees: f64) {
    // The hyphen of `59-68` is no minus; of `-10 to -4` the last one is.
    let (begun, degrees) = match (range(made), without_minus(made)) {
        (None, Some(bare)) => {
            let begun = range(bare);
            made.truncate(bare.len());
            (begun, -degrees)
        }
        (begun, _) => (begun, degrees),
    };
    if let Some((at, first, between)) = begun {
        made.truncate(at);
        made.extend([celsius(first).to_string(), between]);
    }
    made.extend([celsius(degrees).to_string().as_str(), " °C (converted)"]);
}

/// Where a range begins that a text leaves open, its first figure, and what stands between.
fn range(text: &str) -> Option<(usize, f64, String)> {
    let open = text.trim_end();
    let (first, between) =
        BETWEEN.iter().find_map(|between| Some((open.strip_suffix(between)?, *between)))?;
    let first = first.trim_end().trim_end_matches(SIGNS);
    let before = first.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let degrees: f64 = first[before.len()..].parse().ok()?;
    let (before, degrees) = without_minus(before).map_or((before, degrees), |b| (b, -degrees));
    // `May 9 and 68 °F` is no range.
    if goes_on(before) || (between == " and" && !before.trim_end().ends_with("etween")) {
        return None;
    }
    let between = text[first.len()..].trim_start_matches(SIGNS).to_owned();
    Some((before.len(), degrees, between))
}

/// A text without the minus sign that it ends with: after a word, a figure or its unit it is a hyphen.
fn without_minus(text: &str) -> Option<&str> {
    let bare = text.strip_suffix(MINUS)?;
    let is_hyphen = bare.ends_with(|c: char| c.is_alphanumeric() || c == ')' || SIGNS.contains(&c));
    (!is_hyphen).then_some(bare)
}

/// To the whole degree.
fn celsius(fahrenheit: f64) -> f64 {
    // 0 without a sign.
    ((fahrenheit - 32.0) / 1.8).round() + 0.0
}

/// The length of the unit that a text begins with, and of the blanks before it.
fn unit(text: &str) -> Option<usize> {
    let rest = after_blanks(text);
    let rest = if let Some(rest) = rest.strip_prefix('℉') {
        rest
    } else {
        let rest = DEGREES.iter().find_map(|word| after_word(rest, word)).unwrap_or(rest);
        let rest = after_blanks(rest);
        after_word(rest, "fahrenheit").or_else(|| after_word(rest, "f"))?
    };
    let is_whole = !rest.starts_with(char::is_alphanumeric);
    is_whole.then_some(text.len() - rest.len())
}

fn after_blanks(text: &str) -> &str {
    text.trim_start_matches([' ', '\u{a0}', '\u{202f}'])
}

/// What follows a word, in whichever case that is written.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then_some(rest)
}

/// Whether a figure is part of a word, as in `B-52F` and `x86 F`.
fn goes_on(before: &str) -> bool {
    before.ends_with(|c: char| c.is_alphabetic())
        || before.strip_suffix('-').is_some_and(|b| b.ends_with(|c: char| c.is_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fahrenheit_becomes_celsius_and_the_rest_stays() {
        for (text, converted) in [
            ("68°F", "20 °C (converted)"),
            ("now 68 °F, dry", "now 20 °C (converted), dry"),
            ("68 F", "20 °C (converted)"),
            ("68ºF", "20 °C (converted)"),
            ("68˚F", "20 °C (converted)"),
            ("68º F", "20 °C (converted)"),
            ("68℉.", "20 °C (converted)."),
            ("98.6 degrees Fahrenheit", "37 °C (converted)"),
            ("77 degrees F", "25 °C (converted)"),
            ("77 Degrees F.", "25 °C (converted)."),
            ("77 deg F", "25 °C (converted)"),
            ("77 deg. F", "25 °C (converted)"),
            ("a 77-degree Fahrenheit day", "a 25 °C (converted) day"),
            ("77 FAHRENHEIT", "25 °C (converted)"),
            ("-40°F", "-40 °C (converted)"),
            ("at −4 °F", "at -20 °C (converted)"),
            ("(-4°F)", "(-20 °C (converted))"),
            ("low:-4°F", "low:-20 °C (converted)"),
            ("32°F", "0 °C (converted)"),
            ("31.9°F", "0 °C (converted)"),
            ("20°C (68°F)", "20°C (20 °C (converted))"),
            ("20°C", "20°C"),
            ("77 degrees", "77 degrees"),
            ("77 degrees of freedom", "77 degrees of freedom"),
            ("5 Frogs", "5 Frogs"),
            ("5 f1", "5 f1"),
            ("F 5", "F 5"),
            ("B-52F", "B-52F"),
            ("MP3F", "MP3F"),
            ("a low-68°F day", "a low-20 °C (converted) day"),
            ("", ""),
            ("…9", "…9"),
            ("1.2.3F", "1.2.3F"),
        ] {
            assert_eq!(in_celsius(text), converted, "{text}");
        }
    }

    #[test]
    fn both_figures_of_a_range_are_converted() {
        for (text, converted) in [
            ("59-68°F", "15-20 °C (converted)"),
            ("59−68°F", "15−20 °C (converted)"),
            ("59° – 68 °F", "15 – 20 °C (converted)"),
            ("59°-68°F", "15-20 °C (converted)"),
            ("59 to 68 degrees Fahrenheit", "15 to 20 °C (converted)"),
            ("59 to 68 degrees F", "15 to 20 °C (converted)"),
            ("between 59 and 68 °F", "between 15 and 20 °C (converted)"),
            ("May 9 and 68 °F", "May 9 and 20 °C (converted)"),
            ("50°/68°F", "10/20 °C (converted)"),
            ("-4-14°F", "-20--10 °C (converted)"),
            ("-4 to 14°F", "-20 to -10 °C (converted)"),
            ("-13 to -4°F", "-25 to -20 °C (converted)"),
            ("−13 – −4 °F", "-25 – -20 °C (converted)"),
            ("route 9, -4°F", "route 9, -20 °C (converted)"),
            // Each figure with its unit.
            ("59°F-68°F", "15 °C (converted)-20 °C (converted)"),
            ("59 F-68 F", "15 °C (converted)-20 °C (converted)"),
            ("59°F–68°F", "15 °C (converted)–20 °C (converted)"),
            ("59°F to 68°F", "15 °C (converted) to 20 °C (converted)"),
            ("15°C-68°F", "15°C-20 °C (converted)"),
        ] {
            assert_eq!(in_celsius(text), converted, "{text}");
        }
    }
}
