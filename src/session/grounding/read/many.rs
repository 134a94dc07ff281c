//! Numbers: groups, fractions, words, and what stands behind them.

use super::{CURRENCIES, Item, NARROW, Number, Reader, Side};
use crate::session::grounding::{exact::Exact, words};

impl Reader<'_> {
    /// `twenty-five thousand hours`: a figure before a unit.
    pub(super) fn number_words(&mut self, from: usize) {
        let (mut total, mut part): (u64, u64) = (0, 0);
        // `two hundred` is a figure whatever it counts, `a hundred` and `in a million` are words.
        let mut is_many = false;
        let mut at = from;
        loop {
            let end = self.run(at, char::is_alphabetic);
            let Some(value) = words::number(&self.text(at, end).to_lowercase()) else { break };
            is_many |= value >= 100 && at > from;
            match value {
                100 => part = part.max(1).saturating_mul(100),
                1_000.. => {
                    total = total.saturating_add(part.max(1).saturating_mul(value));
                    part = 0;
                }
                value => part = part.saturating_add(value),
            }
            self.at = end;
            let next = self.run(end, |c| c == ' ' || c == '-');
            if next == end || next > end + 1 {
                break;
            }
            at = next;
        }
        let value = total.saturating_add(part);
        let Some(exact) = Exact::of_json(&value.to_string()) else { return };
        let gap = self.run(self.at, |c| c == ' ' || c == '-' || NARROW.contains(&c));
        let end = self.run(gap, char::is_alphabetic);
        let unit = self.text(gap, end).to_lowercase();
        let is_percent = self.char(gap) == '%' || unit.starts_with("percent") || unit == "per";
        let counts = is_many || (value >= 2 && (is_percent || words::is_unit(&unit)));
        let rounded = words::rounding(&self.before(from));
        let item =
            Item::Number { readings: vec![exact], negative: false, percent: is_percent, rounded };
        self.push(from, item, !counts);
    }

    /// What stands behind a number: per cent, thousands, an ordinal, the name that it begins.
    pub(super) fn suffix(&mut self, from: usize, number: &mut Number) {
        let gap = self.run(self.at, |c| c == ' ' || NARROW.contains(&c));
        let gap = if gap > self.at + 1 { self.at } else { gap };
        if self.char(gap) == '%' || self.char(gap) == '‰' {
            number.percent = self.char(gap) == '%';
            self.at = gap + 1;
            return;
        }
        let dashed = if self.char(self.at) == '-' { self.at + 1 } else { gap };
        let end = self.run(dashed, char::is_alphabetic);
        let written = self.text(dashed, end);
        let word = written.to_lowercase();
        let touches = dashed == self.at && !written.is_empty();
        if touches && words::is_name(&format!("{}{word}", self.text(from, self.at))) {
            self.at = end;
            number.exempt = true;
            return;
        }
        let whole = self.text(from, (from + 4).min(self.chars.len()));
        if words::is_name(&whole) {
            self.at = from + 4;
            number.exempt = true;
            return;
        }
        if self.past_ordinal(self.at) > self.at {
            self.at += 2;
            number.exempt = true;
            return;
        }
        let per = self.text(dashed, dashed + 8).to_lowercase();
        if word.starts_with("percent")
            || matches!(word.as_str(), "pct" | "prozent")
            || per == "per cent"
        {
            number.percent = true;
            self.at = end;
            return;
        }
        let is_money = CURRENCIES.contains(&self.char(from.wrapping_sub(1)));
        let power = match written.as_str() {
            "k" | "K" if touches || is_money => Some(3),
            "M" if touches || is_money => Some(6),
            "m" if touches && is_money => Some(6),
            "B" | "b" if touches && is_money => Some(9),
            _ => words::scale(&word),
        };
        if let Some(power) = power {
            number.power = Some(power);
            let bare = number.readings.clone();
            number.readings.iter_mut().for_each(|reading| *reading = reading.shifted(power));
            // A thousand metres are written `10 M` by nobody, but five million may be five `M` of something.
            if written == "M" && !is_money {
                number.readings.extend(bare);
            }
            self.at = end;
        }
    }

    /// A number with its groups and its fraction, and where it ends; `None` for what is no number, such as `1.2.3`.
    pub(super) fn number(&self) -> Option<(Vec<Exact>, usize)> {
        let from = self.at;
        let mut groups = Vec::new();
        let mut separators = Vec::new();
        let mut at = from;
        loop {
            let end = self.run(at, |c| c.is_ascii_digit());
            groups.push(self.text(at, end));
            at = end;
            let separator = self.char(at);
            let next = self.run(at + 1, |c| c.is_ascii_digit()) - (at + 1).min(self.chars.len());
            let is_narrow = NARROW.contains(&separator) || matches!(separator, ' ' | '\'' | '’');
            // A space parts groups of three, and only if nothing else does it.
            let goes_on = match separator {
                '.' | ',' => next > 0,
                _ if is_narrow => {
                    let first = groups.first().map_or(0, String::len);
                    next == 3 && first <= 3 && separators.iter().all(|known| *known == separator)
                }
                _ => false,
            };
            if !goes_on {
                break;
            }
            separators.push(separator);
            at += 1;
        }
        let readings = readings(&groups, &separators)?;
        Some((readings, at))
    }

    /// What the first number of a range lends to the second, and takes from it: `$10–20k`, `about 6 to 12`.
    pub(super) fn join(
        &mut self,
        previous: usize,
        number: &mut Number,
        rounded: &mut Option<Side>,
    ) {
        let first_of_range = self.found[previous].item.clone();
        let Item::Number { mut readings, negative, percent, rounded: first } = first_of_range
        else {
            return;
        };
        if let (None, Some(_)) = (*rounded, first) {
            *rounded = first;
        }
        if let (Some(power), Some(plain)) = (number.power, readings.first()) {
            readings.push(plain.shifted(power));
        }
        let percent = percent || number.percent;
        self.found[previous].item = Item::Number { readings, negative, percent, rounded: first };
    }
}

/// All that digits in groups may mean; `None` if they mean no number.
fn readings(groups: &[String], separators: &[char]) -> Option<Vec<Exact>> {
    let (last, before) = groups.split_last()?;
    let is_grouped = |groups: &[String]| {
        let (first, rest) = groups.split_first()?;
        let fits = (1..=3).contains(&first.len()) && rest.iter().all(|group| group.len() == 3);
        // Nobody begins thousands with a nought.
        (fits && !first.starts_with('0')).then(|| groups.concat())
    };
    let Some(separator) = separators.last() else {
        return Some(vec![Exact::of(last, "")?]);
    };
    let is_uniform = separators.iter().all(|known| known == separator);
    let mut readings = Vec::new();
    if is_uniform && let Some(whole) = is_grouped(groups) {
        readings.extend(Exact::of(&whole, ""));
    }
    let is_point = matches!(separator, '.' | ',');
    match before {
        // One comma and three digits are thousands to all who write English.
        [whole] if is_point && (readings.is_empty() || *separator != ',') => {
            readings.extend(Exact::of(whole, last));
        }
        [_, _, ..] if is_point => {
            let parted = &separators[..separators.len() - 1];
            let is_other = parted.iter().all(|known| known != separator)
                && parted.windows(2).all(|pair| pair[0] == pair[1]);
            if is_other && let Some(whole) = is_grouped(before) {
                readings.extend(Exact::of(&whole, last));
            }
        }
        _ => {}
    }
    (!readings.is_empty()).then_some(readings)
}
