//! What is sent to Discord: under which name, so that a repeat makes no second message, and what may be tried again.

use uuid::Uuid;

use super::limits;
use crate::ids::EffectId;

/// The name under which an effect is posted: with `enforce_nonce` Discord answers a repeat within some minutes with the
/// message that is there already.
///
/// ```
/// use anteroom::{gateway::discord::send, ids::{CountingIds, EffectId}};
/// let effect = EffectId::mint(&CountingIds::default());
/// assert_eq!(send::nonce(effect, 0).len(), 23);
/// assert_ne!(send::nonce(effect, 0), send::nonce(effect, 1));
/// ```
pub fn nonce(effect: EffectId, part: u8) -> String {
    let id: Uuid = effect.uuid();
    let mut left = id.as_u128();
    let mut digits = Vec::with_capacity(limits::NONCE);
    for _ in 0..22 {
        let digit = usize::try_from(left % 62).unwrap_or_default();
        digits.push(DIGITS.as_bytes().get(digit).copied().unwrap_or(b'0'));
        left /= 62;
    }
    digits.push(DIGITS.as_bytes().get(usize::from(part % 62)).copied().unwrap_or(b'0'));
    digits.into_iter().map(char::from).collect()
}

/// Digits to the base of 62.
const DIGITS: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Something that Discord is asked to do, by what a repeat of it would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// A message with a [`nonce`]: a repeat within some minutes gives the first.
    Post,
    /// An edit, a role, a deletion: a repeat changes nothing.
    Settle,
    /// The first answer to an interaction: a repeat is refused with 40060, which means done.
    FirstAnswer,
    /// A further answer to an interaction: a repeat would be seen twice.
    Followup,
    /// A thread, an invite: a repeat would make a second one.
    Make,
    /// A question.
    Ask,
}

impl Request {
    /// Whether it may be sent again when it is not known whether it arrived.
    pub const fn may_repeat(self) -> bool {
        match self {
            Self::Post | Self::Settle | Self::FirstAnswer | Self::Ask => true,
            Self::Followup | Self::Make => false,
        }
    }
}
