//! A cluster of databases whose primary fails while people answer: another server takes over by itself, nothing that was
//! acknowledged is lost or asked again, and answers are taken again soon.
//!
//! `FAILOVERS` says how often each fault happens; without it the primary is killed once.

use std::time::{Duration, Instant};

use super::{
    cluster::Cluster,
    crowd::{Crowd, while_people_answer},
    patroni::{Fault, Patroni},
    program::until,
};
use crate::chance::setting;

/// Answers between two faults.
const ANSWERS: usize = 12;

/// Longest time without an answer. Patroni takes up to 20 s to find that a primary is gone.
const PAUSE_MAX: Duration = Duration::from_secs(30);

#[test]
fn when_the_primary_of_a_cluster_fails_everybody_goes_on_with_the_next() {
    let Some(databases) = Patroni::start() else { return };
    until("a primary that is followed", || databases.primary());
    let nodes = Cluster::start(&databases.options);
    let often = setting("FAILOVERS");
    let faults = match often {
        None => vec![Fault::Killed],
        Some(often) => {
            (0..often).flat_map(|_| [Fault::Killed, Fault::Stopped, Fault::CutOff]).collect()
        }
    };
    let mut happened = Vec::new();
    let during = |crowd: &Crowd| {
        for fault in faults {
            crowd.goes_on(ANSWERS);
            let old = until("a primary that is followed", || databases.primary());
            databases.strike(old, fault);
            let struck = Instant::now();
            until("another primary", || databases.leader().filter(|new| *new != old));
            crowd.goes_on(1);
            let pause = struck.elapsed();
            happened.push((fault, pause.as_secs()));
            // Machines that are busy with other tests take longer.
            assert!(often.is_none() || pause <= PAUSE_MAX, "{fault:?}: {pause:?}");
            databases.mend(old, fault);
        }
        crowd.goes_on(ANSWERS);
    };
    let outcome = while_people_answer(&nodes, during);
    let verified = nodes.end();
    eprintln!(
        "{} interviews; faults, and seconds until the next answer: {happened:?}",
        outcome.interviews
    );
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
    assert_eq!(verified, Ok(()));
}
