//! What is logged on a test's thread while it looks.

use std::{
    io,
    sync::{Arc, Mutex},
};

use tracing::subscriber::DefaultGuard;

/// Lines of the log from now on.
pub(crate) struct Logged {
    lines: Lines,
    _guard: DefaultGuard,
}

impl Logged {
    /// Begins to look.
    pub(crate) fn new() -> Self {
        let lines = Lines::default();
        let written = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(move || written.clone())
            .finish();
        Self { lines, _guard: tracing::subscriber::set_default(subscriber) }
    }

    /// The lines that hold `words`.
    pub(crate) fn with(&self, words: &str) -> Vec<String> {
        self.lines.text().lines().filter(|line| line.contains(words)).map(str::to_owned).collect()
    }
}

/// A log in memory.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// All of it.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
