//! What code can tell of an interview from its events: numbers, and for each what they were made of.

mod asked;
mod counts;
mod grounded;

use super::{
    persona::Persona,
    score::{Measure, Name},
    stage::Interview,
};
use crate::{
    flow::LoadedFlow,
    model::transcript::{Event, Recorded, Thought},
};

/// What the measures are made from.
pub(super) struct Evidence<'a> {
    pub(super) interview: &'a Interview,
    pub(super) flow: &'a LoadedFlow,
    pub(super) persona: &'a Persona,
}

/// A round of the model with the event that holds it.
struct Round<'a> {
    seq: u64,
    thought: &'a Thought,
}

impl<'a> Evidence<'a> {
    fn events(&self) -> &'a [Recorded] {
        &self.interview.events
    }

    fn rounds(&self) -> impl Iterator<Item = Round<'a>> {
        self.events().iter().filter_map(|recorded| match &*recorded.event {
            Event::Thought(thought) => Some(Round { seq: recorded.seq, thought }),
            _ => None,
        })
    }

    /// Whether the persona is one who may go to the end.
    fn may_finish(&self) -> bool {
        self.persona.ends.contains(&super::persona::End::Finished)
    }
}

/// Every measure of an interview, in the order of the report.
pub(super) fn measures(of: &Evidence<'_>) -> Vec<Measure> {
    let asked = asked::Asked::of(of);
    vec![
        counts::end(of),
        counts::objectives(of),
        counts::turns(of),
        counts::rounds(of),
        counts::tokens(of),
        counts::cost(of),
        asked.questions(),
        asked.words(),
        asked.repeated(&of.interview.answers),
        asked.forbidden(of),
        grounded::invented(of),
        asked.language(of),
        counts::overrides(of),
        counts::stalls(of),
        counts::valid(of),
        counts::time(of),
    ]
}

/// A measure that no threshold applies to, since nothing was there to measure.
fn none(name: Name) -> Measure {
    Measure { name, value: None, why: Vec::new() }
}

/// A count of findings.
fn found(name: Name, why: Vec<String>) -> Measure {
    Measure { name, value: Some(count(why.len())), why }
}

#[expect(clippy::cast_precision_loss, reason = "counts of an interview are small")]
fn count(number: usize) -> f64 {
    number as f64
}
