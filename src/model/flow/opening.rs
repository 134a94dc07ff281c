//! When a phase begins that doesn't begin at once.

use super::Period;

/// When a phase begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opening {
    /// So long after the phase before it.
    After(Period),
    /// So many working days after it.
    WorkingDays(u32),
    /// On the date that this expression gives.
    On(String),
}

impl Opening {
    /// Reads what a flow says: `7d`, `5 working days`, or an expression.
    ///
    /// ```
    /// use anteroom::model::flow::{Opening, Period};
    ///
    /// assert_eq!(Opening::read("24h"), Opening::After(Period::hours(24)));
    /// assert_eq!(Opening::read("5 working days"), Opening::WorkingDays(5));
    /// assert_eq!(Opening::read("records.contract.start"), Opening::On("records.contract.start".to_owned()));
    /// ```
    pub fn read(text: &str) -> Self {
        if let Ok(period) = Period::try_from(text.to_owned()) {
            return Self::After(period);
        }
        let days = text.strip_suffix(" working days").or_else(|| text.strip_suffix(" working day"));
        match days.and_then(|days| days.trim().parse().ok()) {
            Some(days) => Self::WorkingDays(days),
            None => Self::On(text.to_owned()),
        }
    }
}
