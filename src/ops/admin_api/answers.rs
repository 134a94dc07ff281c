//! What is answered to an operator, where it has a form of its own.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    base::ids::SessionId,
    chat::receipt,
    engine::{self, Outage},
    model::{
        report::{Count, Report},
        session::Platform,
    },
    session::retention::Outside,
};

/// Something outside that must be mended before deliveries leave.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::ops) struct Waiting {
    pub(in crate::ops) platform: Platform,
    /// What is wrong, with names: whoever asks operates the bot.
    pub(in crate::ops) what: String,
    pub(in crate::ops) remedy: String,
    pub(in crate::ops) since: DateTime<Utc>,
    pub(in crate::ops) deliveries: usize,
}

impl From<Outage> for Waiting {
    fn from(Outage { cause, since, effects }: Outage) -> Self {
        let (platform, what) = (cause.platform, cause.to_string());
        let remedy = cause.kind.remedy().to_owned();
        Self { platform, what, remedy, since, deliveries: effects }
    }
}

/// What became of one session.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::ops) struct Erased {
    #[serde(rename = "erased")]
    pub(in crate::ops) session: SessionId,
    pub(in crate::ops) receipt: String,
    /// What had been sent outside before.
    pub(in crate::ops) outside: Vec<Sent>,
    /// What the bot had posted for it, on a platform.
    pub(in crate::ops) posted: Count,
    /// Removals of that which are still to be made.
    pub(in crate::ops) pending: usize,
    /// What of it is left, and who can remove that.
    pub(in crate::ops) left: Vec<String>,
}

/// What became of the sessions of a person.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::ops) struct PersonErased {
    pub(in crate::ops) erased: Vec<Erased>,
    /// Sessions that are still there, and why.
    pub(in crate::ops) failed: Vec<(SessionId, String)>,
}

/// Something that nothing here can erase.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::ops) struct Sent {
    pub(in crate::ops) what: String,
    pub(in crate::ops) state: String,
    /// The receiver is told of the erasure.
    pub(in crate::ops) told: bool,
}

impl Erased {
    pub(in crate::ops) fn new(session: SessionId, erased: engine::erasure::Erased) -> Self {
        let sent = |Outside { what, state, hook }| Sent {
            what,
            state: state.to_owned(),
            told: hook.is_some(),
        };
        let outside = erased.outside.into_iter().map(sent).collect();
        Self { outside, ..Self::again(session, erased.report) }
    }

    /// What is known of an erasure before.
    pub(in crate::ops) fn again(session: SessionId, report: Report) -> Self {
        let left = receipt::lines(&report);
        let Report { receipt, planned, pending, .. } = report;
        Self { session, receipt, outside: Vec::new(), posted: planned, pending, left }
    }
}

/// How it stands with a hold.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::ops) struct HoldStatus {
    pub(in crate::ops) session: SessionId,
    pub(in crate::ops) held: bool,
    /// What came of the erasure that had waited for the hold to end.
    pub(in crate::ops) erased: Option<Erased>,
}
