//! What a call that failed means for the effect that made it: one table from Discord's codes, and from the statuses of
//! answers without one, to what is done about it (docs, topics/opcodes-and-status-codes).
//!
//! Every code that Discord documents for the calls in use has a row. A code without one is of the moment until it has
//! shown often enough that it is not.

use std::time::Duration;

use super::{Code, Failure};
use crate::{
    chat::refusal::Class::{
        self, AlreadyDone, Blocked, Final, Later, MessageGone, PersonUnreachable, PlaceClosed,
        PlaceGone, Plain, Shorten, Unclear, Uneditable, Unknown,
    },
    model::effect::CauseKind,
};

/// What a refusal for a rate says where it names no time.
const SOON: Class = Later { after: Duration::from_secs(5) };
const IN_A_MINUTE: Class = Later { after: Duration::from_mins(1) };

const fn blocked(kind: CauseKind) -> Class {
    Blocked(kind)
}

/// By Discord's number, in order.
const TABLE: &[(u32, Class)] = &[
    (10_002, Final),
    (10_003, PlaceGone),
    (10_004, blocked(CauseKind::NotInstalled)),
    (10_007, PersonUnreachable(NOT_THERE)),
    (10_008, MessageGone),
    (10_011, Final),
    (10_013, PersonUnreachable(NOT_THERE)),
    (10_015, Final),
    (10_062, Final),
    (20_001, Final),
    (20_009, Final),
    (20_012, Final),
    (20_016, SOON),
    (20_022, IN_A_MINUTE),
    (20_028, SOON),
    (20_029, SOON),
    (30_015, Final),
    (30_033, Final),
    (30_034, IN_A_MINUTE),
    (30_046, Uneditable),
    (40_001, blocked(CauseKind::TokenRejected)),
    (40_002, blocked(CauseKind::MissingPermission)),
    (40_003, IN_A_MINUTE),
    (40_004, blocked(CauseKind::WorkspaceUnavailable)),
    (40_005, Shorten),
    (40_006, blocked(CauseKind::WorkspaceUnavailable)),
    (40_007, PersonUnreachable("they are banned from the server")),
    (40_058, blocked(CauseKind::ChannelUnavailable)),
    (40_060, AlreadyDone),
    (40_062, IN_A_MINUTE),
    (40_094, Final),
    (40_333, IN_A_MINUTE),
    (50_001, PlaceClosed),
    (50_003, Final),
    (50_005, Uneditable),
    (50_006, Final),
    (50_007, PersonUnreachable("they do not take messages from the app")),
    (50_008, blocked(CauseKind::ChannelUnavailable)),
    (50_009, blocked(CauseKind::MissingPermission)),
    (50_013, blocked(CauseKind::MissingPermission)),
    (50_014, blocked(CauseKind::TokenRejected)),
    (50_021, Uneditable),
    (50_024, blocked(CauseKind::ChannelUnavailable)),
    (50_027, Final),
    (50_028, Final),
    (50_033, PersonUnreachable("the app cannot write to them")),
    (50_035, Plain),
    (50_045, Final),
    (50_046, Final),
    (50_055, blocked(CauseKind::NotInstalled)),
    (50_083, blocked(CauseKind::ThreadLocked)),
    (50_095, blocked(CauseKind::WorkspaceUnavailable)),
    (50_109, Plain),
    (50_178, blocked(CauseKind::MissingPermission)),
    (50_278, PersonUnreachable("they share no server with the app any more")),
    (60_003, blocked(CauseKind::SecondFactorRequired)),
    (110_000, SOON),
    (110_001, SOON),
    (130_000, SOON),
    (160_002, blocked(CauseKind::MissingPermission)),
    (160_004, AlreadyDone),
    (160_005, blocked(CauseKind::ThreadLocked)),
    (160_006, blocked(CauseKind::ThreadLimit)),
    (160_007, blocked(CauseKind::ThreadLimit)),
    (200_000, Final),
    (200_001, Final),
    (240_000, Final),
    (400_001, Final),
];

/// Why nobody is reached who is not there.
const NOT_THERE: &str = "they are not in the server any more";

impl Failure {
    /// What is done about it.
    pub fn class(&self) -> Class {
        match self {
            Self::Later { after } => Later { after: *after },
            Self::Unreachable => blocked(CauseKind::Unreachable),
            Self::Unclear { .. } => Unclear,
            Self::BadToken => blocked(CauseKind::TokenRejected),
            Self::Refused { code: Code::NoId, .. } => Final,
            Self::Refused { code, status, .. } => of(code.number(), *status),
        }
    }
}

/// What a code means, or a status that comes without one.
pub(super) fn of(code: u32, status: u16) -> Class {
    let row = TABLE.iter().find(|(number, _)| *number == code);
    match (row, code, status) {
        (Some((_, class)), ..) => *class,
        // A request that Discord could not read.
        (None, 0, 400) => Plain,
        (None, 0, 401) => blocked(CauseKind::TokenRejected),
        (None, 0, 405 | 406 | 411 | 415) => Final,
        (None, 0, 413) => Shorten,
        (None, 0, 429) => SOON,
        (None, 0, 408 | 500..=599) => Unclear,
        (None, ..) => Unknown,
    }
}

/// The table, as documents and tests read it.
pub fn table() -> impl Iterator<Item = (u32, Class)> {
    TABLE.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_stands_in_the_table_once_and_in_order() {
        assert!(TABLE.is_sorted_by(|(one, _), (other, _)| one < other));
    }

    #[test]
    fn a_code_with_a_name_has_a_row_and_any_other_is_unknown() {
        for code in Code::ALL {
            assert!(TABLE.iter().any(|(number, _)| *number == code.number()), "{code:?}");
        }
        assert_eq!(of(987_654, 400), Unknown);
        assert_eq!(of(0, 418), Unknown);
        assert_eq!(of(0, 502), Unclear);
        assert_eq!(
            of(50_278, 403),
            PersonUnreachable("they share no server with the app any more")
        );
    }
}
