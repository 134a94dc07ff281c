//! One connection after another for one shard: a session goes on where the one before ended, or is begun anew.

use std::time::Duration;

use metrics::counter;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{
    Error, Next, Pace, after,
    session::Session,
    shard::{Shard, Unopened},
    wire::{Ended, Why, Wire},
};
use crate::base::telemetry::metric;

/// A connection that lived so long was a good one: the next pause is a short one again.
const GOOD: Duration = Duration::from_secs(30);

/// Keeps it connected until `stop`, or until Discord does not want it any more.
pub(super) async fn run(shard: Shard, stop: CancellationToken) -> Result<(), Error> {
    let mut session = shard.kept.load().await;
    let mut pauses = Pauses { pace: &shard.pace, next: shard.pace.pause };
    let mut failed = 0;
    loop {
        let opened = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            opened = shard.open(session.as_ref(), failed) => opened,
        };
        let pause = match opened {
            Ok(opened) => {
                failed = 0;
                let began = Instant::now();
                let wire = Wire::new(&shard, opened.stream, opened.heartbeat, session.take());
                let ended = wire.run(&stop).await;
                session = ended.session.clone();
                if ended.why == Why::Stopped {
                    return Ok(());
                }
                followed(&shard, &ended, &mut session).await?;
                pauses.after(ended.why, began.elapsed())
            }
            Err(Unopened::Never(error)) => return Err(error),
            Err(Unopened::Later(why, wait)) => {
                failed += 1;
                counter!(metric::DISCORD_RECONNECTS, "why" => "unopened").increment(1);
                let pause = pauses.next().max(wait.unwrap_or_default());
                tracing::warn!(
                    why,
                    ?pause,
                    discord.shard = shard.number,
                    "no connection to Discord"
                );
                pause
            }
        };
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            () = sleep(pause) => {}
        }
    }
}

/// What follows from the end of a connection.
async fn followed(
    shard: &Shard,
    ended: &Ended,
    session: &mut Option<Session>,
) -> Result<(), Error> {
    let why = ended.why.word();
    counter!(metric::DISCORD_RECONNECTS, "why" => why).increment(1);
    tracing::info!(discord.shard = shard.number, why, code = ?ended.why.code(), "reopening a connection to Discord");
    let next = match ended.why {
        Why::Closed(code) => after(code),
        Why::Invalid { resumable: false } => Next::Identify,
        Why::Stopped | Why::Asked | Why::Invalid { .. } | Why::Silent | Why::NotSaved => {
            Next::Resume
        }
    };
    match next {
        Next::Resume => Ok(()),
        Next::Identify => {
            if session.take().is_some() {
                tracing::warn!(
                    discord.shard = shard.number,
                    "the Discord session has ended; events since then will not be delivered again"
                );
            }
            shard.keep(None).await;
            Ok(())
        }
        Next::Stop(refusal) => Err(Error::Refused(refusal)),
    }
}

/// How long to wait before the next connection.
struct Pauses<'a> {
    pace: &'a Pace,
    next: Duration,
}

impl Pauses<'_> {
    fn next(&mut self) -> Duration {
        let pause = self.next;
        self.next = (self.next * 2).min(self.pace.pause_max);
        pause + Shard::part_of(pause)
    }

    fn after(&mut self, why: Why, lived: Duration) -> Duration {
        if lived >= GOOD {
            self.next = self.pace.pause;
        }
        match why {
            // Discord waits for it.
            Why::Asked if lived >= GOOD => Duration::ZERO,
            Why::Invalid { .. } => {
                self.next().max(self.pace.invalid) + Shard::part_of(self.pace.invalid)
            }
            _ => self.next(),
        }
    }
}
