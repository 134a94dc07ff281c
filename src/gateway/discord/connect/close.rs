//! What a connection that ended means for the next one.

use std::time::Duration;

/// How long an interaction may be under way before its first answer is not worth trying any more.
pub use crate::gateway::discord::limits::LATE;

/// What follows when a connection has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Connect to the session's own address and go on where it was; Discord sends again what was missed.
    Resume,
    /// Begin a new session: what was missed is lost to this connection.
    Identify,
    /// Nothing helps but the operator.
    Stop(Refusal),
}

/// Why Discord does not want the bot at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// 4004.
    #[error(
        "it does not know the token. hint: copy it anew from the developer portal, under Bot; resetting it there makes the \
         old one worthless"
    )]
    Token,
    /// 4010.
    #[error(
        "it does not know this shard. hint: `shards` under `[discord]` must be the same in every process"
    )]
    Shard,
    /// 4011.
    #[error(
        "the bot is in too many servers for so few connections. hint: take `shards` under `[discord]` out, and Discord says how many"
    )]
    Sharding,
    /// 4012.
    #[error("it does not speak this version any more. hint: a newer release of the bot is needed")]
    Version,
    /// 4013.
    #[error("it does not know an intent. hint: a newer release of the bot is needed")]
    Intents,
    /// 4014.
    #[error(
        "an intent is not granted. hint: switch \"Message Content\" and \"Server Members\" on in the developer portal, under Bot, or \
         take `message_content` and `members` out under `[discord]`"
    )]
    NotGranted,
}

/// What a close code means (docs, topics/opcodes-and-status-codes). `None` is a connection that broke.
pub const fn after(code: Option<u16>) -> Next {
    match code {
        Some(4004) => Next::Stop(Refusal::Token),
        Some(4010) => Next::Stop(Refusal::Shard),
        Some(4011) => Next::Stop(Refusal::Sharding),
        Some(4012) => Next::Stop(Refusal::Version),
        Some(4013) => Next::Stop(Refusal::Intents),
        Some(4014) => Next::Stop(Refusal::NotGranted),
        // The session ended: not authenticated, an invalid sequence number, timed out; and a normal end.
        Some(1000 | 1001 | 4003 | 4007 | 4009) => Next::Identify,
        Some(_) | None => Next::Resume,
    }
}

/// Whether an interaction is too old to be answered first: it is kept all the same.
pub fn is_late(age: Duration) -> bool {
    age > LATE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_goes_on_begins_anew_or_ends_for_good() {
        assert_eq!(
            (after(None), after(Some(1006)), after(Some(4000))),
            (Next::Resume, Next::Resume, Next::Resume)
        );
        assert_eq!((after(Some(1000)), after(Some(4009))), (Next::Identify, Next::Identify));
        assert_eq!(after(Some(4004)), Next::Stop(Refusal::Token));
        assert!(is_late(Duration::from_millis(2_501)) && !is_late(Duration::from_secs(2)));
    }
}
