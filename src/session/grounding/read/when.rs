//! Dates and times of day.

use super::{Day, Item, NARROW, Reader};
use crate::session::grounding::words;

impl Reader<'_> {
    /// `November 22, 2026`, `November 2026`, `Nov 22nd`. Whether it was a date.
    pub(super) fn after_month(&mut self, from: usize, month: u8) -> bool {
        let mut at = self.at;
        if self.char(at) == '.' {
            at += 1;
        }
        let first = self.run(at, |c| c == ' ' || NARROW.contains(&c));
        let end = self.run(first, |c| c.is_ascii_digit());
        let digits = self.text(first, end);
        let day = match digits.len() {
            4 => {
                self.at = end;
                let days = vec![Day { year: digits.parse().ok(), month, number: None }];
                self.push(from, Item::Days(days), false);
                return true;
            }
            1 | 2 => digits.parse().ok().filter(|day| (1..=31).contains(day)),
            _ => None,
        };
        let Some(day) = day else { return false };
        let mut end = self.past_ordinal(end);
        let comma = self.run(end, |c| matches!(c, ',' | ' '));
        let year_end = self.run(comma, |c| c.is_ascii_digit());
        let year = if comma > end && year_end - comma == 4 {
            let year = self.text(comma, year_end).parse().ok();
            end = year_end;
            year
        } else {
            None
        };
        self.at = end;
        self.push(from, Item::Days(vec![Day { year, month, number: Some(day) }]), false);
        true
    }

    pub(super) fn past_ordinal(&self, end: usize) -> usize {
        let suffix = self.text(end, end + 2).to_lowercase();
        let is_ordinal = matches!(suffix.as_str(), "st" | "nd" | "rd" | "th")
            && !self.char(end + 2).is_alphanumeric();
        if is_ordinal { end + 2 } else { end }
    }

    /// `2026-11-22`, `22.11.2026`, `11/22/2026`, `22 November 2026`. Whether there was one.
    pub(super) fn date(&mut self) -> bool {
        let from = self.at;
        let one = self.run(from, |c| c.is_ascii_digit());
        let separator = self.char(one);
        if matches!(separator, '-' | '.' | '/') {
            let two = self.run(one + 1, |c| c.is_ascii_digit());
            let three = self.run(two + 1, |c| c.is_ascii_digit());
            if two > one + 1 && self.char(two) == separator && three > two + 1 {
                let (a, b, c) =
                    (self.text(from, one), self.text(one + 1, two), self.text(two + 1, three));
                let days: Vec<Day> = match (a.len(), c.len()) {
                    (4, 1 | 2) => Day::new(Some(&a), &b, &c).into_iter().collect(),
                    (1 | 2, 4) => {
                        let both = [Day::new(Some(&c), &b, &a), Day::new(Some(&c), &a, &b)];
                        both.into_iter().flatten().collect()
                    }
                    _ => Vec::new(),
                };
                if !days.is_empty() {
                    self.at = three;
                    self.push(from, Item::Days(days), false);
                    if self.char(self.at) == 'T' && self.char(self.at + 1).is_ascii_digit() {
                        self.at += 1;
                        self.clock();
                    }
                    return true;
                }
            }
        }
        // `22 November 2026`, `22nd of November`.
        let digits = self.text(from, one);
        let Ok(day) = digits.parse::<u8>() else { return false };
        let mut at = self.past_ordinal(one);
        if self.char(at) == '.' {
            at += 1;
        }
        let mut word = self.run(at, |c| c == ' ' || NARROW.contains(&c));
        if self.text(word, word + 3).eq_ignore_ascii_case("of ") {
            word += 3;
        }
        let end = self.run(word, char::is_alphabetic);
        let name = self.text(word, end);
        let month =
            words::month(&name.to_lowercase()).filter(|_| name.starts_with(char::is_uppercase));
        let Some(month) = month.filter(|_| word > at && (1..=31).contains(&day)) else {
            return false;
        };
        let gap = self.run(end, |c| matches!(c, ' ' | ',' | '.'));
        let year_end = self.run(gap, |c| c.is_ascii_digit());
        let mut year = None;
        self.at = end;
        if gap > end && year_end - gap == 4 {
            year = self.text(gap, year_end).parse().ok();
            self.at = year_end;
        }
        self.push(from, Item::Days(vec![Day { year, month, number: Some(day) }]), false);
        true
    }

    pub(super) fn time(&mut self) -> bool {
        let from = self.at;
        let hours = self.run(from, |c| c.is_ascii_digit());
        let minutes = self.run(hours + 1, |c| c.is_ascii_digit());
        if self.char(hours) == ':' && hours - from <= 2 && minutes == hours + 3 {
            return self.clock();
        }
        // `3 pm`.
        let gap = self.run(hours, |c| c == ' ' || NARROW.contains(&c));
        let half = self.text(gap, gap + 2).to_lowercase();
        let is_half = matches!(half.as_str(), "am" | "pm") && !self.char(gap + 2).is_alphanumeric();
        let hour = self.text(from, hours).parse::<u8>().ok().filter(|hour| (1..=12).contains(hour));
        // `I am`: 10 am is one of the morning, `the 3 am` hardly ever something else.
        if let (Some(hour), true) = (hour, is_half) {
            self.at = gap + 2;
            self.push(from, Item::Time(half_day(hour, &half), 0), false);
            return true;
        }
        false
    }

    /// `15:04`, `15:04:05.6Z`, `3:04 pm`. Whether it is a time.
    pub(super) fn clock(&mut self) -> bool {
        let from = self.at;
        let hours = self.run(from, |c| c.is_ascii_digit());
        if self.char(hours) != ':' {
            return false;
        }
        let end = self.run(hours + 1, |c| c.is_ascii_digit());
        let (hour, minute) = (self.text(from, hours), self.text(hours + 1, end));
        let (Ok(mut hour), Ok(minute)) = (hour.parse::<u8>(), minute.parse::<u8>()) else {
            return false;
        };
        if hour > 24 || minute > 59 {
            return false;
        }
        let mut at = end;
        if self.char(at) == ':' && self.char(at + 1).is_ascii_digit() {
            at = self.run(at + 1, |c| c.is_ascii_digit() || c == '.');
        }
        let gap = self.run(at, |c| c == ' ');
        let half = self.text(gap, gap + 2).to_lowercase();
        if matches!(half.as_str(), "am" | "pm") && !self.char(gap + 2).is_alphanumeric() {
            hour = half_day(hour, &half);
            at = gap + 2;
        }
        self.at = at;
        self.push(from, Item::Time(hour, minute), false);
        true
    }
}

fn half_day(hour: u8, half: &str) -> u8 {
    match (hour, half) {
        (12, "am") => 0,
        (1..=11, "pm") => hour + 12,
        _ => hour,
    }
}
