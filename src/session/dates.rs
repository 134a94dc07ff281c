//! Dates in expressions: `today`, `now`, and filters that calculate with days.
//!
//! Time is that of the last thing that happened in the session, so that an expression comes to the same whenever it is
//! evaluated again. Days are those of the participant's time zone, else the flow's, else UTC.

use chrono::{DateTime, Datelike as _, Days, Months, NaiveDate, SecondsFormat, TimeDelta, Utc};
use chrono_tz::Tz;
use minijinja::{Environment, Error, ErrorKind, Value};

use super::{State, answer::MONTHS, quiet_hours::known_zone};
use crate::flow::LoadedFlow;

/// What time it is for expressions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now {
    at: DateTime<Utc>,
    zone: Tz,
    language: Language,
}

impl Now {
    pub(super) fn of(state: &State, flow: &LoadedFlow) -> Self {
        let zone = known_zone(state, flow).unwrap_or(Tz::UTC);
        Self { at: state.updated_at, zone, language: Language::of(&flow.flow.locale) }
    }

    /// `2026-11-25`
    pub(super) fn today(self) -> String {
        self.day().to_string()
    }

    /// `2026-11-25T09:00:00Z`
    pub(super) fn now(self) -> String {
        written(self.at)
    }

    fn day(self) -> NaiveDate {
        self.day_of(self.at)
    }

    fn day_of(self, at: DateTime<Utc>) -> NaiveDate {
        at.with_timezone(&self.zone).date_naive()
    }

    /// The day that a text names: a date, or a moment.
    fn read(self, value: &Value) -> Result<NaiveDate, Error> {
        match When::read(value)? {
            When::Day(day) => Ok(day),
            When::Moment(at) => Ok(self.day_of(at)),
        }
    }
}

/// Makes the filters known. [`crate::flow::check::expressions::DATE_FILTERS`] names them.
pub(super) fn register(environment: &mut Environment<'_>, now: Now) {
    environment.add_filter("age", move |date: &Value| {
        let (born, today) = (now.read(date)?, now.day());
        let is_to_come = (today.month(), today.day()) < (born.month(), born.day());
        Ok::<_, Error>(today.year() - born.year() - i32::from(is_to_come))
    });
    environment.add_filter("days_until", move |date: &Value| {
        Ok::<_, Error>((now.read(date)? - now.day()).num_days())
    });
    environment.add_filter("days_since", move |date: &Value| {
        Ok::<_, Error>((now.day() - now.read(date)?).num_days())
    });
    environment.add_filter("plus", |date: &Value, length: &str| moved(date, length, true));
    environment.add_filter("minus", |date: &Value, length: &str| moved(date, length, false));
    environment.add_filter("date", move |date: &Value| {
        // Dates of a résumé may lack the day, or the month as well.
        let text = date.as_str().unwrap_or_default();
        match text.len() {
            4 => full(&format!("{text}-01-01")).map(|_| text.to_owned()),
            7 => full(&format!("{text}-01")).map(|day| now.language.month_of(day)),
            _ => Some(now.language.written(now.read(date)?)),
        }
        .ok_or_else(|| no_date(date))
    });
}

/// A day, or a moment of one.
enum When {
    Day(NaiveDate),
    Moment(DateTime<Utc>),
}

impl When {
    fn read(value: &Value) -> Result<Self, Error> {
        let text = value.as_str().ok_or_else(|| no_date(value))?;
        let moment = || DateTime::parse_from_rfc3339(text).ok().map(|at| Self::Moment(at.to_utc()));
        full(text).map(Self::Day).or_else(moment).ok_or_else(|| no_date(value))
    }
}

fn full(text: &str) -> Option<NaiveDate> {
    (text.len() == 10).then(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()).flatten()
}

fn no_date(value: &Value) -> Error {
    let words = if value.is_undefined() || value.is_none() {
        "there is no date".to_owned()
    } else {
        format!("{value:?} is not a date such as \"2001-05-31\"")
    };
    Error::new(ErrorKind::InvalidOperation, words)
}

fn written(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// A date so much later, or earlier.
fn moved(date: &Value, text: &str, later: bool) -> Result<String, Error> {
    let wrong = |why: String| Error::new(ErrorKind::InvalidOperation, why);
    let length = Length::read(text)
        .ok_or_else(|| wrong(format!("`{text}` is not a length of time such as `7d` or `2w`")))?;
    let is_timed = !length.time.is_zero();
    let moved = match When::read(date)? {
        When::Day(_) if is_timed => {
            return Err(wrong(format!("a date has no hours, so `{text}` can't be added to it")));
        }
        When::Day(day) => length.move_day(day, later).map(|day| day.to_string()),
        When::Moment(at) => length.move_moment(at, later).map(written),
    };
    moved.ok_or_else(|| wrong(format!("the calendar doesn't go so far as `{text}` from there")))
}

/// A length of time by the calendar: a month is as long as it is.
#[derive(Debug, Default)]
struct Length {
    months: u32,
    days: u64,
    time: TimeDelta,
}

impl Length {
    /// Reads `7d`, `2w`, `1y 6months`, `90m`.
    fn read(text: &str) -> Option<Self> {
        let mut length = Self::default();
        let mut rest = text.trim();
        if rest.is_empty() {
            return None;
        }
        while !rest.is_empty() {
            let end = rest.find(|c: char| !c.is_ascii_digit())?;
            let count: u32 = rest[..end].parse().ok()?;
            let after = rest[end..].trim_start();
            let unit_end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
            length.add(count, &after[..unit_end])?;
            rest = after[unit_end..].trim_start();
        }
        Some(length)
    }

    fn add(&mut self, count: u32, unit: &str) -> Option<()> {
        let time = |seconds: i64| TimeDelta::try_seconds(i64::from(count).checked_mul(seconds)?);
        match unit {
            "y" | "year" | "years" => {
                self.months = self.months.checked_add(count.checked_mul(12)?)?;
            }
            "M" | "month" | "months" => self.months = self.months.checked_add(count)?,
            "w" | "week" | "weeks" => self.days += u64::from(count) * 7,
            "d" | "day" | "days" => self.days += u64::from(count),
            "h" | "hour" | "hours" => self.time = self.time.checked_add(&time(3600)?)?,
            "m" | "min" | "minute" | "minutes" => self.time = self.time.checked_add(&time(60)?)?,
            _ => return None,
        }
        Some(())
    }

    fn move_day(&self, day: NaiveDate, later: bool) -> Option<NaiveDate> {
        let (months, days) = (Months::new(self.months), Days::new(self.days));
        if later {
            day.checked_add_months(months)?.checked_add_days(days)
        } else {
            day.checked_sub_months(months)?.checked_sub_days(days)
        }
    }

    fn move_moment(&self, at: DateTime<Utc>, later: bool) -> Option<DateTime<Utc>> {
        let day = self.move_day(at.date_naive(), later)?;
        let moved = day.and_time(at.time()).and_utc();
        let time = if later { self.time } else { -self.time };
        moved.checked_add_signed(time)
    }
}

/// A language in which dates are written.
#[derive(Debug, Clone, Copy)]
enum Language {
    English,
    German,
    Spanish,
    French,
}

impl Language {
    /// By the locale of a flow: `de`, `de-AT`; English where there are no words for it.
    fn of(locale: &str) -> Self {
        match locale.split(['-', '_']).next() {
            Some("de") => Self::German,
            Some("es") => Self::Spanish,
            Some("fr") => Self::French,
            _ => Self::English,
        }
    }

    fn month(self, date: NaiveDate) -> &'static str {
        let [english, german, spanish, french] = &MONTHS;
        let names = match self {
            Self::English => english,
            Self::German => german,
            Self::Spanish => spanish,
            Self::French => french,
        };
        let place = usize::try_from(date.month0()).unwrap_or_default();
        names.get(place).copied().unwrap_or_default()
    }

    /// `3 May 2001`
    fn written(self, date: NaiveDate) -> String {
        let (day, month, year) = (date.day(), self.month(date), date.year());
        match self {
            Self::German => format!("{day}. {month} {year}"),
            Self::Spanish => format!("{day} de {month} de {year}"),
            Self::French if day == 1 => format!("1er {month} {year}"),
            Self::English | Self::French => format!("{day} {month} {year}"),
        }
    }

    /// `May 2001`
    fn month_of(self, date: NaiveDate) -> String {
        let (month, year) = (self.month(date), date.year());
        match self {
            Self::Spanish => format!("{month} de {year}"),
            Self::English | Self::German | Self::French => format!("{month} {year}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::check::expressions::DATE_FILTERS;

    /// Late on a leap day in London, the next day in Auckland.
    fn at(zone: &str, locale: &str) -> Environment<'static> {
        let at = DateTime::parse_from_rfc3339("2024-02-29T18:30:00Z").unwrap().to_utc();
        let now = Now { at, zone: zone.parse().unwrap(), language: Language::of(locale) };
        let mut environment = Environment::new();
        register(&mut environment, now);
        environment.add_global("today", now.today());
        environment.add_global("now", now.now());
        environment
    }

    fn comes_to(environment: &Environment<'_>, expression: &str) -> String {
        let compiled = environment.compile_expression(expression).unwrap();
        match compiled.eval(()) {
            Ok(value) => value.to_string(),
            Err(error) => format!("error: {}", error.detail().unwrap_or_default()),
        }
    }

    #[test]
    fn days_are_counted_by_the_calendar_of_the_zone() {
        let london = at("Europe/London", "en");
        for (expression, value) in [
            ("today", "2024-02-29"),
            ("now", "2024-02-29T18:30:00Z"),
            ("'2006-02-28' | age", "18"),
            ("'2006-03-01' | age", "17"),
            ("'2004-02-29' | age", "20"),
            ("'2024-03-07' | days_until", "7"),
            ("'2024-02-22' | days_since", "7"),
            ("today | plus('7d')", "2024-03-07"),
            ("today | plus('1y')", "2025-02-28"),
            ("today | plus('1 month')", "2024-03-29"),
            ("'2024-03-31' | minus('1month')", "2024-02-29"),
            ("today | minus('1w')", "2024-02-22"),
            ("today | plus('1y 2months 3days')", "2025-05-02"),
            ("now | plus('6h')", "2024-03-01T00:30:00Z"),
            ("now | minus('90m')", "2024-02-29T17:00:00Z"),
            ("'2006-03-01' <= today | minus('18y')", "False"),
        ] {
            assert_eq!(comes_to(&london, expression), value, "{expression}");
        }
        let auckland = at("Pacific/Auckland", "en");
        assert_eq!(comes_to(&auckland, "today"), "2024-03-01");
        assert_eq!(comes_to(&auckland, "'2006-03-01' | age"), "18");
        assert_eq!(comes_to(&auckland, "now | days_until"), "0");
    }

    #[test]
    fn dates_are_written_in_the_language_of_the_flow() {
        for (locale, day, month, first) in [
            ("en", "3 May 2001", "August 2001", "1 August 2001"),
            ("de-AT", "3. Mai 2001", "August 2001", "1. August 2001"),
            ("es", "3 de mayo de 2001", "agosto de 2001", "1 de agosto de 2001"),
            ("fr", "3 mai 2001", "août 2001", "1er août 2001"),
            ("nl", "3 May 2001", "August 2001", "1 August 2001"),
        ] {
            let environment = at("UTC", locale);
            assert_eq!(comes_to(&environment, "'2001-05-03' | date"), day);
            assert_eq!(comes_to(&environment, "'2001-08' | date"), month);
            assert_eq!(comes_to(&environment, "'2001-08-01' | date"), first);
            assert_eq!(comes_to(&environment, "'2001' | date"), "2001");
        }
    }

    #[test]
    fn what_is_no_date_or_no_length_is_an_error() {
        let environment = at("UTC", "en");
        for (expression, words) in [
            ("'' | age", "is not a date"),
            ("nothing | age", "there is no date"),
            ("'soon' | date", "'soon' is not a date such as \"2001-05-31\""),
            ("'2001-13' | date", "is not a date"),
            ("'2001-05' | days_until", "is not a date"),
            ("2001 | age", "2001 is not a date"),
            ("'2001-02-29' | plus('1d')", "is not a date"),
            ("today | plus('soon')", "`soon` is not a length of time"),
            ("today | plus('')", "is not a length of time"),
            ("today | plus('99999999999d')", "is not a length of time"),
            ("today | plus('4294967295d')", "the calendar doesn't go so far"),
            ("today | minus('300000000y')", "the calendar doesn't go so far"),
            ("today | plus('2h')", "a date has no hours"),
        ] {
            let said = comes_to(&environment, expression);
            assert!(said.starts_with("error: ") && said.contains(words), "{expression}: {said}");
        }
    }

    #[test]
    fn the_check_of_flows_knows_every_filter() {
        let environment = at("UTC", "en");
        for name in DATE_FILTERS {
            let said = comes_to(&environment, &format!("today | {name}('1d')"));
            assert!(!said.contains("filter"), "{name}: {said}");
        }
    }
}
