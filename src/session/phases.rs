//! Which phase comes next, and when.

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, TimeZone, Utc, Weekday};
use chrono_tz::Tz;

use super::{
    Changes, SessionView, State,
    quiet_hours::{first_known_zone, moment_of, out_of},
    script,
};
use crate::{
    flow::{LoadedFlow, text::has_expressions},
    messages,
    model::{
        flow::{Opening, Phase},
        transcript::Event,
    },
};

/// The hour at which a phase begins that begins on a date.
const MORNING: u32 = 9;

impl SessionView {
    /// The phase that comes after this one, or first of all: the next whose condition holds.
    pub(super) fn following(&self, phase: Option<&str>) -> Option<&Phase> {
        let flow = &self.flow;
        let mut next = phase.map_or_else(|| flow.flow.phase.first(), |id| flow.after(id));
        while let Some(phase) = next {
            if script::applies(&self.state, flow, phase.when.as_deref()) {
                return next;
            }
            next = flow.after(&phase.id);
        }
        None
    }

    /// What a phase begins with, with names and expressions filled in; nothing where an expression fails.
    pub(super) fn intro_of(&self, phase: &Phase) -> Option<String> {
        let intro = self.flow.text(phase.intro.as_ref()?);
        if has_expressions(&intro) {
            return script::filled(&self.state, &self.flow, &intro).ok();
        }
        Some(intro)
    }

    /// When a phase begins that doesn't begin now. A date that cannot be made out counts as come: nobody is left waiting
    /// for a day that there is not.
    pub(super) fn opening_of(&self, phase: &Phase) -> Option<DateTime<Utc>> {
        let zone = self.zone_of_participant();
        let at = match Opening::read(phase.after.as_deref()?) {
            Opening::After(period) => self.now.checked_add_signed(period.delta())?,
            Opening::WorkingDays(days) => working_days_after(self.now, days, zone)?,
            Opening::On(expression) => {
                let date = script::date(&self.state, &self.flow, &expression)?;
                let morning = NaiveTime::from_hms_opt(MORNING, 0, 0)?;
                let local = zone.from_local_datetime(&date.and_time(morning)).earliest()?;
                local.with_timezone(&Utc)
            }
        };
        let quiet = self.flow.flow.pace.quiet_hours.as_ref();
        let at = quiet.map_or(at, |quiet| out_of(quiet, at, zone));
        (at > self.now).then_some(at)
    }

    /// Whether the time of the current phase has come, and nobody was told yet.
    pub(super) fn is_due_to_open(&self) -> bool {
        self.state.opens_at.is_some_and(|at| at <= self.now)
    }
}

impl Changes {
    /// Says what a phase is about, or asks whether to go on with it.
    pub(super) fn introduce(&mut self, phase: &Phase, is_first: bool) {
        if phase.ask_first && !is_first {
            self.ask_to_begin(phase);
        } else if let Some(text) = self.intro_of(phase) {
            self.post(text);
        }
    }

    pub(super) fn schedule(&mut self, phase: &Phase, at: DateTime<Utc>) {
        self.emit(Event::PhaseScheduled { phase: phase.id.clone(), at });
        self.say_when(at);
    }

    /// Tells the participant when it goes on.
    pub(super) fn say_when(&mut self, at: DateTime<Utc>) {
        let day = at.with_timezone(&self.zone_of_participant()).format("%A, %-d %B %Y");
        self.post(messages::interview::goes_on_at(&day.to_string()));
    }

    /// The time of the current phase has come.
    pub(super) fn open_phase(&mut self) {
        let flow = std::sync::Arc::clone(&self.flow);
        let Some(phase) = self.state.phase().and_then(|id| flow.phase(id)) else { return };
        self.emit(Event::PhaseOpened { phase: phase.id.clone() });
        self.introduce(phase, false);
        self.refresh();
    }
}

/// When the first question may be asked, where a flow lets days pass after the notice. `team` is the zone of whoever's
/// isn't known.
pub fn questions_from(state: &State, flow: &LoadedFlow, team: Tz) -> Option<DateTime<Utc>> {
    let days = flow.flow.notice.as_ref()?.wait_business_days;
    if days == 0 {
        return None;
    }
    // Once the questions have begun, no answer may put them off again.
    let zone = first_known_zone(state, flow).unwrap_or(team);
    working_days_after(state.created_at, days, zone)
}

/// The same time of day so many working days later, as the calendar and the clock in `zone` have them.
fn working_days_after(from: DateTime<Utc>, days: u32, zone: Tz) -> Option<DateTime<Utc>> {
    let is_weekend = |day: NaiveDate| matches!(day.weekday(), Weekday::Sat | Weekday::Sun);
    let local = from.with_timezone(&zone).naive_local();
    let mut day = local.date();
    for _ in 0..days {
        day = day.checked_add_days(Days::new(1))?;
        while is_weekend(day) {
            day = day.checked_add_days(Days::new(1))?;
        }
    }
    moment_of(day.and_time(local.time()), zone, from)
}
