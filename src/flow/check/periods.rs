//! Lengths of time and bounds of files: none is nothing, and none contradicts another.

use chrono::NaiveTime;

use super::{
    Check,
    lengths::words,
    texts::questions,
    tokens::{Token, tokens},
};
use crate::{
    config::{
        problem::{did_you_mean, listed},
        toml_document::escaped,
    },
    flow::shape::kind,
    model::flow::{Opening, Period, Phase, Step, Uploads},
};

/// Shortest time that somebody is likely to need, in seconds, unless the text speaks of it.
const DEADLINE_MIN: u64 = 10 * 60;

/// How words for a short time begin.
const SHORT: [&str; 6] = ["minute", "second", "sekunde", "quick", "timer", "half"];

/// Words for a day that is not far enough ahead.
const TOO_SOON: [&str; 8] = [
    "too soon",
    "in less than",
    "in advance",
    "short notice",
    "earliest",
    "zu bald",
    "zu kurzfristig",
    "in weniger als",
];

/// How words for a reminder begin.
const REMINDS: [&str; 6] = ["remind", "erinner", "rappel", "recordar", "recordator", "lembr"];

/// How words for the night begin.
const NIGHT: [&str; 5] = ["night", "nacht", "nuit", "noche", "noturn"];

impl Check<'_> {
    pub(super) fn periods(&mut self) {
        let flow = self.flow;
        let (pace, kept, approvals) = (&flow.pace, &flow.retention, &flow.approvals.overrides);
        self.not_zero("/pace/expire_after", pace.expire_after);
        self.not_zero("/handoff/claim_reminder", flow.handoff.claim_reminder);
        self.not_zero("/approvals/override/expires", approvals.expires);
        let mut timed = vec![
            ("/pace/remind_after".to_owned(), &pace.remind_after, pace.expire_after),
            (
                "/approvals/override/remind_after".to_owned(),
                &approvals.remind_after,
                approvals.expires,
            ),
        ];
        for (name, approval) in &flow.approvals.named {
            let at = format!("/approvals/{}", escaped(name));
            self.not_zero(&format!("{at}/expires"), approval.expires);
            timed.push((format!("{at}/remind_after"), &approval.remind_after, approval.expires));
        }
        for (at, reminders, end) in timed {
            for (n, after) in reminders.iter().enumerate() {
                self.not_zero(&format!("{at}/{n}"), *after);
            }
            if let Some(n) = reminders.windows(2).position(|pair| pair[1] <= pair[0]) {
                let hint = Some("sort them, the shortest first".to_owned());
                let message = "this reminder would come before the previous one";
                self.error(&format!("{at}/{}", n + 1), message, hint);
            }
            if at.starts_with("/approvals") && reminders.iter().any(|after| *after >= end) {
                let hint = "shorten it, or increase `expires`";
                self.warn(&at, "a reminder would come after the request has expired", hint);
            }
        }
        for (name, period) in [
            ("transcript", kept.transcript),
            ("uploads", kept.uploads),
            ("records", kept.records),
            ("audit", kept.audit),
        ] {
            let at = format!("/retention/{name}");
            self.not_zero(&at, period);
            if period.0.as_secs() > 0 && period < pace.expire_after {
                let hint = format!(
                    "keep it for at least `expire_after` under `[pace]`, {}",
                    pace.expire_after
                );
                let message = format!("after {period} it is deleted while a question may be open");
                self.error(&at, message, Some(hint));
            }
        }
        self.quiet_hours();
        self.kept_long_enough();
        for (p, phase) in flow.phase.iter().enumerate() {
            self.uploads(&format!("/phase/{p}/uploads"), &phase.uploads);
            self.opening(p, phase);
            self.deadlines(p, phase);
        }
    }

    fn deadlines(&mut self, p: usize, phase: &Phase) {
        for (n, step) in phase.step.iter().enumerate() {
            self.days_to_come(&format!("/phase/{p}/step/{n}/when"), step);
            let at = format!("/phase/{p}/step/{n}/deadline");
            let Some(deadline) = step.deadline else { continue };
            self.not_zero(&at, deadline);
            let seconds = deadline.0.as_secs();
            let is_told = questions(step).any(|text| {
                words(text).iter().any(|word| SHORT.iter().any(|unit| word.starts_with(unit)))
            });
            if (1..DEADLINE_MIN).contains(&seconds) && !is_told {
                let message = format!("people have only {deadline} to answer");
                let hint = "`m` is minutes: for months, write `2months` or `60d`";
                self.warn(&at, message, hint);
            }
            let reminds = |text: &str| {
                let begins = |word: &String| REMINDS.iter().any(|begin| word.starts_with(begin));
                words(text).iter().any(begins)
            };
            let reminders = &self.flow.pace.remind_after;
            if questions(step).any(reminds) && reminders.iter().all(|after| *after >= deadline) {
                let message = "the text promises a reminder, and none comes before the deadline";
                let hint = "shorten `remind_after` under `[pace]`";
                self.warn(&at, message, hint);
            }
            if deadline >= self.flow.pace.expire_after {
                let message = "the conversation pauses before this deadline";
                let hint = "shorten it, or increase `expire_after` under `[pace]`";
                self.warn(&at, message, hint);
            }
        }
    }

    /// A time is a field of days, not one of other words.
    fn is_day(&mut self, at: &str, expression: &str) {
        let tokens = tokens(expression);
        let [Token::Name(name)] = tokens.as_slice() else { return };
        let path: Vec<&str> =
            name.strip_prefix("records.").into_iter().flat_map(|p| p.split('.')).collect();
        let Ok(Some(field)) = self.field(&path) else { return };
        let is_day = match (kind(field), field["format"].as_str()) {
            ("", _) | ("string", Some("date" | "date-time")) => true,
            ("string", None) => !field["pattern"].is_null(),
            _ => false,
        };
        if path.len() > 1 && !is_day {
            let hint = Some("write `type = \"date\"` in its field".to_owned());
            self.error(at, format!("`{name}` is not a day"), hint);
        }
    }

    /// `day | days_since < 2` is true of every day to come, where the text asks for a later one.
    fn days_to_come(&mut self, at: &str, step: &Step) {
        let Some(when) = &step.when else { return };
        let tokens = tokens(when);
        let is_below = |window: &[Token<'_>]| {
            matches!(window, [Token::Name("days_since"), Token::Sign('<'), ..])
        };
        let asks_for_later = questions(step).any(|text| {
            let words = format!(" {} ", words(text).join(" "));
            let has =
                |known: &[&str]| known.iter().any(|told| words.contains(&format!(" {told} ")));
            text.contains("| plus(") || has(&TOO_SOON) && !has(&["ago", "since", "seit"])
        });
        if asks_for_later && tokens.windows(2).any(is_below) {
            let message = "this is true of every day that is to come";
            self.warn(at, message, "write `days_until`");
        }
    }

    /// A phase that comes later comes while the conversation is still kept.
    fn opening(&mut self, p: usize, phase: &Phase) {
        let Some(after) = &phase.after else { return };
        let at = format!("/phase/{p}/after");
        if p == 0 {
            let hint = "use `wait_business_days` under `[notice]`, or take it out".to_owned();
            self.error(&at, "no phase comes before this one", Some(hint));
        }
        match Opening::read(after) {
            Opening::After(period) => {
                self.not_zero(&at, period);
                let is_told = || {
                    let phases = &self.flow.phase[p.saturating_sub(1)..=p];
                    let asked = phases.iter().flat_map(|phase| &phase.step).flat_map(questions);
                    let intros = phases.iter().filter_map(|phase| phase.intro.as_deref());
                    let mut words = asked.chain(intros).flat_map(words);
                    words.any(|word| SHORT.iter().any(|unit| word.starts_with(unit)))
                };
                if !period.0.is_zero()
                    && period < Period::hours(24)
                    && after.ends_with('m')
                    && !is_told()
                {
                    let hint = "`m` is minutes: for months, write `2months` or `60d`";
                    self.warn(&at, format!("this begins after only {period}"), hint);
                }
                let kept = self.kept();
                if period >= kept {
                    let message = format!("after {kept} the conversation is deleted");
                    let hint =
                        "shorten it, or increase `transcript` and `records` under `[retention]`";
                    self.error(&at, message, Some(hint.to_owned()));
                }
            }
            Opening::WorkingDays(0) => {
                self.error(&at, "this duration is zero", Some("write 1 or more".to_owned()));
            }
            Opening::WorkingDays(days) => self.kept_until(&at, days),
            Opening::On(expression) => {
                self.expression(&at, &expression);
                self.is_day(&at, &expression);
                self.kept_until_day(&at, &expression);
            }
        }
    }

    /// The day on which a phase opens can be so far away that the conversation is deleted before.
    fn kept_until_day(&mut self, at: &str, opening: &str) {
        let kept = self.kept();
        let conditions = expressions_within(&self.loaded.source);
        let days = tokens(opening).into_iter().filter_map(|token| match token {
            Token::Name(name) if name.starts_with("records.") => Some(name),
            _ => None,
        });
        let latest = days.filter_map(|day| {
            let bounds = conditions.iter().flat_map(|condition| latest_day(condition, day));
            bounds.reduce(f64::max)
        });
        if let Some(days) = latest.reduce(f64::max)
            && days * 86_400.0 >= kept.0.as_secs_f64()
        {
            let message = format!(
                "after {kept} the conversation is deleted, and this day may be {days} days away"
            );
            let hint = "increase `transcript` and `records` under `[retention]`";
            self.warn(at, message, hint);
        }
    }

    /// The conversation outlasts the wait for the first question, and what the team is asked.
    fn kept_long_enough(&mut self) {
        let flow = self.flow;
        if let Some(notice) = &flow.notice {
            self.kept_until("/notice/wait_business_days", notice.wait_business_days);
        }
        let kept = self.kept();
        for (name, approval) in &flow.approvals.named {
            if approval.expires >= kept {
                let message = format!(
                    "after {kept} the conversation is deleted, while the team may decide for {}",
                    approval.expires
                );
                let hint = "shorten it, or increase `transcript` and `records` under `[retention]`";
                self.warn(&format!("/approvals/{}/expires", escaped(name)), message, hint);
            }
        }
    }

    /// So many working days pass before the conversation is deleted.
    fn kept_until(&mut self, at: &str, days: u32) {
        let (kept, weekends) = (self.kept(), days.saturating_sub(1) / 5);
        let least = u64::from(days) + 2 * u64::from(weekends);
        if least > 0 && Period::hours(24 * least) >= kept {
            let message = format!(
                "after {kept} the conversation is deleted, and {days} working days are longer"
            );
            let hint = "shorten it, or increase `transcript` and `records` under `[retention]`";
            self.error(at, message, Some(hint.to_owned()));
        }
    }

    /// How long the conversation is kept: as long as it and what it quotes.
    fn kept(&self) -> Period {
        self.flow.retention.transcript.min(self.flow.retention.records)
    }

    fn not_zero(&mut self, at: &str, period: Period) {
        if period.0.is_zero() {
            let hint = Some("for example, `24h` or `14d`".to_owned());
            self.error(at, "this duration is zero", hint);
        }
    }

    fn quiet_hours(&mut self) {
        let Some(quiet) = &self.flow.pace.quiet_hours else { return };
        let time = |text: &str| NaiveTime::parse_from_str(text, "%H:%M").ok();
        if time(&quiet.from).is_some() && time(&quiet.from) == time(&quiet.to) {
            let hint = Some("leave `quiet_hours` out, or end them at another time".to_owned());
            self.error("/pace/quiet_hours", "the quiet hours begin when they end", hint);
        }
        let (Some(from), Some(to)) = (time(&quiet.from), time(&quiet.to)) else { return };
        let is_quiet = |hour| {
            let at = NaiveTime::from_hms_opt(hour, 0, 0).unwrap_or_default();
            if from <= to { from <= at && at < to } else { from <= at || at < to }
        };
        // Whoever works at night sleeps by day.
        let is_of_night = self.texts_of_people().iter().any(|text| {
            words(&text.words).iter().any(|word| NIGHT.iter().any(|begin| word.starts_with(begin)))
        });
        if from != to && is_quiet(12) && !is_quiet(3) && !is_of_night {
            let message = "these hours are by day, so people would be reminded at night";
            self.warn("/pace/quiet_hours", message, "swap `from` and `to`");
        }
    }

    fn uploads(&mut self, at: &str, uploads: &Uploads) {
        for (name, is_none) in
            [("max_mb", uploads.max_mb == 0), ("max_files", uploads.max_files == 0)]
        {
            if is_none {
                self.error(&format!("{at}/{name}"), format!("`{name}` must be 1 or more"), None);
            }
        }
        if uploads.accept.is_empty() {
            let hint = Some("list extensions, for example `[\"pdf\", \"docx\"]`".to_owned());
            self.error(&format!("{at}/accept"), "no file would be accepted", hint);
        }
        let known = &self.catalogue.files;
        let unknown: Vec<(usize, &String)> = uploads
            .accept
            .iter()
            .enumerate()
            .filter(|(_, name)| !known.is_empty() && !known.contains(&name.to_ascii_lowercase()))
            .collect();
        for (n, name) in unknown {
            let known = || self.catalogue.files.iter().map(String::as_str);
            let bare = name.trim_start_matches('.');
            let at = format!("{at}/accept/{n}");
            if known().any(|known| known.eq_ignore_ascii_case(bare)) {
                let hint = Some(format!("write `{bare}`"));
                self.error(&at, "extensions have no dot here", hint);
                continue;
            }
            let hint = did_you_mean(bare, known())
                .unwrap_or_else(|| format!("known extensions: {}", listed(known())));
            let message = format!("`.{bare}` files are not supported");
            self.error(&at, message, Some(hint));
        }
    }
}

/// The texts in quotes of a file, among which are all conditions.
fn expressions_within(source: &str) -> Vec<&str> {
    source.split('"').filter(|text| text.contains("days_until")).collect()
}

/// The most days that a day may be away by a condition for those that are too far: `day | days_until > 60`.
fn latest_day(condition: &str, day: &str) -> Vec<f64> {
    let tokens = tokens(condition);
    let bounds = tokens.windows(5).filter_map(|window| match window {
        [
            Token::Name(name),
            Token::Sign('|'),
            Token::Name("days_until"),
            Token::Sign('>'),
            Token::Number(days),
        ] if *name == day => Some(*days),
        _ => None,
    });
    bounds.collect()
}
