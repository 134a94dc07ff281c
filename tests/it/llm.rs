//! The model port: streams, failures, what is done about them, and that what is sent is what services take.

mod client;
mod conformance;
mod formats;
mod interviews;
mod plays;
mod resilience;
mod rules;
mod streams;

pub(crate) use crate::support::{
    model_service, provider, scripted, signs, specification, temperaments,
};

use std::sync::{Arc, Mutex};

use anteroom::{
    base::{clock::FixedClock, ids::CountingIds},
    config::{Environment, Settings, llm::Endpoints},
    ports::llm::{
        Completion, Message, Request, Sink,
        resilience::{Pauses, ResilienceOptions},
    },
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta};

/// A sink that keeps what it hears.
#[derive(Debug, Default)]
struct Ear {
    text: String,
    /// Words can be taken back.
    forgetful: bool,
    restarts: u32,
}

impl Sink for Ear {
    fn words(&mut self, words: &str) {
        self.text.push_str(words);
    }

    fn restart(&mut self) -> bool {
        if self.forgetful {
            self.text.clear();
            self.restarts += 1;
        }
        self.forgetful
    }
}

/// Pauses that take no time but move the clock, and are kept in milliseconds.
#[derive(Debug)]
pub(crate) struct Jumps {
    clock: Arc<FixedClock>,
    made: Mutex<Vec<u128>>,
}

impl Jumps {
    /// Time passes.
    pub(crate) fn advance(&self, time: TimeDelta) {
        self.clock.advance(time);
    }
}

#[async_trait]
impl Pauses for Jumps {
    async fn pause(&self, time: std::time::Duration) {
        self.made.lock().unwrap().push(time.as_millis());
        self.clock.advance(TimeDelta::from_std(time).unwrap());
    }
}

/// Options without chance and without time.
pub(crate) fn means() -> (ResilienceOptions, Arc<Jumps>) {
    let clock = Arc::new(FixedClock::new(DateTime::from_timestamp(1_700_000_000, 0).unwrap()));
    let jumps = Arc::new(Jumps { clock: Arc::clone(&clock), made: Mutex::default() });
    let pauses: Arc<dyn Pauses> = Arc::<Jumps>::clone(&jumps);
    (ResilienceOptions { clock, ids: Arc::new(CountingIds::default()), pauses }, jumps)
}

/// The services of a configuration; `KEY` is in the environment.
pub(crate) fn endpoints(config: &str) -> Endpoints {
    let environment =
        Environment::from([("KEY", "sk-correct-horse"), ("ANTEROOM_DATA_DIR", "/tmp")]);
    Settings::parse("config.toml", config, &environment)
        .unwrap_or_else(|problems| panic!("{}", anteroom::config::render(&problems)))
        .llm
}

pub(crate) fn ask(text: &str) -> Request {
    Request { messages: vec![Message::user(text)], ..Request::default() }
}

/// A completion on one line, words first.
fn shown(completion: &Completion) -> String {
    let mut parts = vec![format!("{:?}", completion.text)];
    parts.extend(completion.refusal.as_ref().map(|why| format!("refused: {why}")));
    parts.extend(completion.calls.iter().map(|c| format!("{}={}({})", c.id, c.name, c.raw)));
    parts.push(completion.finish.word().to_owned());
    parts.join(" · ")
}
