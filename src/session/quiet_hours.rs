//! Hours in which nobody is reminded: those of the person who would be, in their own time zone.
//!
//! A participant's zone is the one that the platform knows (Slack's `tz`), else that of the place they gave in what they
//! approved, else the flow's, else the team's, else UTC. A language says nothing about where somebody is.

use chrono::{DateTime, LocalResult, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use super::{SessionView, State};
use crate::{flow::LoadedFlow, model::flow::QuietHours, session::time_zones};

impl SessionView {
    pub(super) fn zone_of_team(&self) -> Tz {
        self.settings.time_zone.unwrap_or(Tz::UTC)
    }

    pub(super) fn zone_of_participant(&self) -> Tz {
        known_zone(&self.state, &self.flow).unwrap_or_else(|| self.zone_of_team())
    }
}

/// The participant's zone as far as the session and its flow know one.
pub(super) fn known_zone(state: &State, flow: &LoadedFlow) -> Option<Tz> {
    zone_on_platform(state).or_else(|| zone_of_home(state)).or_else(|| zone_of_flow(flow))
}

/// The participant's zone as far as it is known when they begin: what they tell later doesn't change it.
pub(super) fn first_known_zone(state: &State, flow: &LoadedFlow) -> Option<Tz> {
    zone_on_platform(state).or_else(|| zone_of_flow(flow))
}

fn zone_on_platform(state: &State) -> Option<Tz> {
    state.time_zone.as_deref()?.parse().ok()
}

fn zone_of_flow(flow: &LoadedFlow) -> Option<Tz> {
    flow.flow.pace.time_zone.as_deref()?.parse().ok()
}

/// The zone of the place that the participant gave and approved, where it is a zone's principal city or lies in a
/// country with one zone.
fn zone_of_home(state: &State) -> Option<Tz> {
    let newest = state.records.iter().rev().filter(|record| record.reviewed);
    let mut homes = newest.filter_map(|record| record.data.pointer("/basics/location"));
    let text = |home: &Value, key: &str| home[key].as_str().unwrap_or_default().to_owned();
    homes.find_map(|home| {
        let (city, country) = (text(home, "city"), text(home, "countryCode"));
        let zone = match time_zones::of_city(&city, &country) {
            Some(place) => place.zone,
            None => time_zones::zone_of_country(&country)?,
        };
        zone.parse().ok()
    })
}

/// The first moment at or after `at` that is not quiet in `zone`.
pub(super) fn out_of(quiet: &QuietHours, at: DateTime<Utc>, zone: Tz) -> DateTime<Utc> {
    let parse = |text: &str| NaiveTime::parse_from_str(text, "%H:%M").ok();
    let (Some(from), Some(to)) = (parse(&quiet.from), parse(&quiet.to)) else { return at };
    let local = at.with_timezone(&zone);
    let time = local.time();
    let is_quiet = if from <= to { time >= from && time < to } else { time >= from || time < to };
    if !is_quiet {
        return at;
    }
    let day = if time < to { Some(local.date_naive()) } else { local.date_naive().succ_opt() };
    let Some(end) = day.map(|day| day.and_time(to)) else { return at };
    moment_of(end, zone, at).unwrap_or(at)
}

/// When clocks in `zone` show `local`, which isn't before `from`.
pub(super) fn moment_of(
    local: NaiveDateTime,
    zone: Tz,
    from: DateTime<Utc>,
) -> Option<DateTime<Utc>> {
    let moment = match zone.from_local_datetime(&local) {
        LocalResult::Single(moment) => Some(moment),
        // The clock is put back over this time: the first of the two may have passed.
        LocalResult::Ambiguous(first, second) => Some(if first >= from { first } else { second }),
        // The clock is put forward over this time: the hour after it exists.
        LocalResult::None => {
            let later = local.checked_add_signed(TimeDelta::hours(1))?;
            zone.from_local_datetime(&later).earliest()
        }
    };
    moment.map(|moment| moment.with_timezone(&Utc))
}

#[cfg(test)]
mod tests {
    use chrono_tz::{America::New_York, Asia::Kolkata, Europe::Berlin};

    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn reminders_wait_for_the_morning_where_the_person_is() {
        let quiet = QuietHours { from: "20:00".to_owned(), to: "08:00".to_owned() };
        for (zone, due, sent) in [
            (Tz::UTC, "2026-11-21T23:10:00Z", "2026-11-22T08:00:00Z"),
            (Tz::UTC, "2026-11-21T07:59:00Z", "2026-11-21T08:00:00Z"),
            (Tz::UTC, "2026-11-21T12:00:00Z", "2026-11-21T12:00:00Z"),
            // Three in the morning there, and midday here.
            (New_York, "2026-11-21T08:00:00Z", "2026-11-21T13:00:00Z"),
            (New_York, "2026-11-21T23:10:00Z", "2026-11-21T23:10:00Z"),
            (Kolkata, "2026-11-21T15:00:00Z", "2026-11-22T02:30:00Z"),
            // The night in which the clock is put back has an hour more.
            (Berlin, "2026-10-24T20:00:00Z", "2026-10-25T07:00:00Z"),
        ] {
            assert_eq!(out_of(&quiet, at(due), zone), at(sent), "{zone} {due}");
        }
    }

    #[test]
    fn a_morning_that_comes_twice_is_never_in_the_past() {
        let quiet = QuietHours { from: "22:00".to_owned(), to: "02:30".to_owned() };
        // On this night 03:00 becomes 02:00 in Berlin.
        for (due, sent) in [
            ("2026-10-25T00:10:00Z", "2026-10-25T00:30:00Z"),
            ("2026-10-25T01:10:00Z", "2026-10-25T01:30:00Z"),
        ] {
            assert_eq!(out_of(&quiet, at(due), Berlin), at(sent), "{due}");
        }
    }

    #[test]
    fn a_morning_that_the_clock_skips_begins_an_hour_later() {
        let quiet = QuietHours { from: "22:00".to_owned(), to: "02:30".to_owned() };
        // On this night 02:00 becomes 03:00 in Berlin.
        let sent = out_of(&quiet, at("2026-03-29T00:10:00Z"), Berlin);
        assert_eq!(sent, at("2026-03-29T01:30:00Z"));
    }
}
