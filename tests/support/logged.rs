//! What is logged on a test's thread while it looks.

use std::{
    io,
    sync::{Arc, Mutex, OnceLock},
};

use tracing::{
    Dispatch,
    subscriber::{DefaultGuard, NoSubscriber},
};

/// Lines of the log from now on.
pub(crate) struct Logged {
    lines: Lines,
    _guard: DefaultGuard,
}

impl Logged {
    /// Begins to look at everything that our own code and libraries log.
    pub(crate) fn new() -> Self {
        Self::filtered("trace")
    }

    /// Begins to look at what passes a filter such as `warn,anteroom=trace`.
    pub(crate) fn filtered(filter: &str) -> Self {
        // While there is just one subscriber, `tracing` asks the subscriber of the thread that reaches a log line first
        // whether anybody wants it, and remembers the answer for all threads: another test's thread, which has none,
        // would turn the line off. With a second subscriber it asks all of them.
        static SECOND: OnceLock<Dispatch> = OnceLock::new();
        SECOND.get_or_init(|| Dispatch::new(NoSubscriber::default()));
        let lines = Lines::default();
        let written = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_ansi(false)
            .with_writer(move || written.clone())
            .finish();
        Self { lines, _guard: tracing::subscriber::set_default(subscriber) }
    }

    /// All of them.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.lines.0.lock().unwrap().clone()).unwrap()
    }

    /// The lines that hold `words`.
    pub(crate) fn with(&self, words: &str) -> Vec<String> {
        self.text().lines().filter(|line| line.contains(words)).map(str::to_owned).collect()
    }
}

/// A log in memory.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
