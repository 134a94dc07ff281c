//! Log lines and their redaction; metrics and their names.
//!
//! Two rules keep people out of the log: a field whose name is in [`REDACTED`] prints as `***` whatever it holds,
//! and other crates log warnings at most unless the operator asks for more, for they do not know the rule.
//! A value is one line of at most [`VALUE_MAX`] characters, whatever somebody wrote into it, and a panic is told by its
//! place alone, because its message may hold anything.

pub mod link;
pub mod metric;
pub mod ready;

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
    io::{self, Write as _},
    panic,
};

use chrono::SecondsFormat;
use serde_json::{Map, Value};
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    EnvFilter, Layer, layer::Context, layer::SubscriberExt as _, registry::LookupSpan,
    util::SubscriberInitExt as _,
};

use crate::base::clock::{Clock as _, SystemClock};

/// Fields that print as `***`: words of people, what identifies them, and secrets.
pub(crate) const REDACTED: [&str; 15] = [
    "answer",
    "args",
    "body",
    "by_name",
    "data",
    "display_name",
    "email",
    "filename",
    "key",
    "payload",
    "phone",
    "reply",
    "secret",
    "text",
    "token",
];

/// Longest value of one field, in characters; the rest is cut off.
const VALUE_MAX: usize = 300;

/// How a log line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// With colours.
    Pretty,
    /// Without.
    Plain,
    /// One JSON object a line.
    Json,
}

/// Why logging could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The level cannot be read.
    #[error("`{0}` is not a log level. hint: write `info`, or `anteroom=debug,info`")]
    BadLevel(String),
    /// Somebody has set logging up before.
    #[error("logging is set up already")]
    Twice,
}

/// Starts logging to standard error. `level` is a level or a list of `target=level`.
pub fn init(level: &str, shape: Shape) -> Result<(), Error> {
    tracing_subscriber::registry()
        .with(filter(level)?)
        .with(Lines { shape, write: to_standard_error })
        .try_init()
        .map_err(|_| Error::Twice)?;
    panic::set_hook(Box::new(|panicked| {
        let place = panicked.location().map(|at| format!("{}:{}", at.file(), at.line()));
        tracing::error!(panic.place = place, "a part of the program panicked");
    }));
    Ok(())
}

/// A bare level is meant for us; other crates keep to warnings.
fn filter(level: &str) -> Result<EnvFilter, Error> {
    let bare = !level.contains(['=', ',']);
    let directives = if bare { format!("warn,anteroom={level}") } else { level.to_owned() };
    EnvFilter::try_new(directives).map_err(|_| Error::BadLevel(level.to_owned()))
}

/// A line that nobody takes is lost: there is nowhere to report it.
fn to_standard_error(line: &str) {
    _ = io::stderr().write_all(line.as_bytes());
}

/// Writes each event as one line.
///
/// It keeps nothing in thread-local storage, unlike the formatter of `tracing-subscriber`: sled logs from destructors that
/// run while a thread ends, when such storage may be gone, and a panic in one of those ends the process.
#[derive(Debug, Clone, Copy)]
struct Lines<W> {
    shape: Shape,
    write: W,
}

impl<S, W> Layer<S> for Lines<W>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: Fn(&str) + 'static,
{
    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let spans = context.event_scope(event).into_iter();
        let spans: Vec<&str> = spans
            .flat_map(tracing_subscriber::registry::Scope::from_root)
            .map(|it| it.name())
            .collect();
        let stamp = SystemClock.now().to_rfc3339_opts(SecondsFormat::Micros, true);
        let line = match self.shape {
            Shape::Json => json_line(&stamp, event, fields, &spans),
            Shape::Plain | Shape::Pretty => self.plain_line(&stamp, event, fields, &spans),
        };
        (self.write)(&line);
    }
}

fn json_line(stamp: &str, event: &Event<'_>, fields: Fields, spans: &[&str]) -> String {
    let metadata = event.metadata();
    let mut line = Map::new();
    line.insert("timestamp".to_owned(), stamp.into());
    line.insert("level".to_owned(), metadata.level().as_str().into());
    line.insert("target".to_owned(), metadata.target().into());
    line.extend(fields.0.into_iter().map(|(name, value)| (name.to_owned(), value)));
    if !spans.is_empty() {
        line.insert("spans".to_owned(), spans.into());
    }
    format!("{}\n", Value::Object(line))
}

impl<W> Lines<W> {
    /// `2026-11-02T10:00:00.000000Z  INFO turn: anteroom::engine: settled seq=7`
    fn plain_line(
        &self,
        stamp: &str,
        event: &Event<'_>,
        mut fields: Fields,
        spans: &[&str],
    ) -> String {
        let (level, target) = (*event.metadata().level(), event.metadata().target());
        let mut line = format!(
            "{} {} ",
            self.painted("2", stamp),
            self.painted(colour(level), &format!("{level:>5}"))
        );
        for span in spans {
            line.push_str(span);
            line.push_str(": ");
        }
        line.push_str(&self.painted("2", &format!("{target}:")));
        let message = fields.0.remove("message");
        for (name, value) in message.map(|message| ("", message)).into_iter().chain(fields.0) {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let equals = if name.is_empty() { "" } else { "=" };
            // Writing to a string cannot fail.
            _ = write!(line, " {name}{equals}{value}");
        }
        line.push('\n');
        line
    }

    /// Words with an attribute of ANSI terminals, where that is wanted.
    fn painted(&self, attribute: &str, words: &str) -> String {
        if self.shape == Shape::Pretty {
            format!("\x1b[{attribute}m{words}\x1b[0m")
        } else {
            words.to_owned()
        }
    }
}

/// The colour of a level, as an attribute of ANSI terminals.
const fn colour(level: Level) -> &'static str {
    match level {
        Level::ERROR => "31",
        Level::WARN => "33",
        Level::INFO => "32",
        Level::DEBUG => "34",
        Level::TRACE => "35",
    }
}

/// Collects fields, redacted.
#[derive(Debug, Default)]
struct Fields(BTreeMap<&'static str, Value>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name(), shown(field.name(), || format!("{value:?}")).into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), shown(field.name(), || value.to_owned()).into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name(), value.into());
    }
}

/// What is printed for a field.
fn shown(name: &str, value: impl FnOnce() -> String) -> String {
    // `wait.text` is as private as `text`.
    let last = name.rsplit('.').next().unwrap_or(name);
    if REDACTED.contains(&last) {
        return "***".to_owned();
    }
    let value = value();
    let mut line: String = value.chars().take(VALUE_MAX).map(printable).collect();
    if value.chars().nth(VALUE_MAX).is_some() {
        line.push('…');
    }
    line
}

/// Nobody ends a line, moves the cursor or turns the reading direction by what they write.
fn printable(c: char) -> char {
    match c {
        '\n' | '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use std::{
        cell::RefCell,
        process::Command,
        sync::{Arc, Mutex, PoisonError},
        thread,
    };

    use super::*;

    /// The lines of a log.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<String>>);

    fn subscriber(shape: Shape, log: &Log) -> impl Subscriber + use<> {
        let log = log.clone();
        let write = move |line: &str| {
            log.0.lock().unwrap_or_else(PoisonError::into_inner).push_str(line);
        };
        tracing_subscriber::registry().with(Lines { shape, write })
    }

    fn logged(json: bool, act: impl FnOnce()) -> String {
        let log = Log::default();
        let shape = if json { Shape::Json } else { Shape::Plain };
        tracing::subscriber::with_default(subscriber(shape, &log), act);
        log.0.lock().unwrap().clone()
    }

    #[test]
    fn words_of_people_never_reach_a_log_line() {
        for json in [false, true] {
            let line = logged(json, || {
                let span = tracing::info_span!("turn", text = "Ada's secret", session.id = "ses_1");
                let _entered = span.enter();
                tracing::info!(reply.text = "Ada's answer", email = %"ada@example.org", seq = 7, "settled");
            });
            assert!(!line.contains("Ada") && !line.contains("ada@"), "{line}");
            assert!(line.contains("settled") && line.contains('7'), "{line}");
            assert!(line.contains("***"), "{line}");
        }
    }

    #[test]
    fn a_json_line_is_json() {
        let line = logged(true, || tracing::warn!(tool.name = "fetch_url", "slow"));
        let line: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line["message"], "slow");
        assert_eq!(line["tool.name"], "fetch_url");
        assert_eq!(line["level"], "WARN");
    }

    #[test]
    fn nobody_writes_a_line_of_their_own() {
        let forged = "Ada\r\n{\"level\":\"ERROR\"}\u{1b}[2J\u{202e}\u{85}";
        for json in [false, true] {
            let line = logged(json, || {
                let span = tracing::info_span!("turn", flow.id = forged);
                let _entered = span.enter();
                tracing::info!(call.id = %forged, tool.name = forged, "{forged}");
            });
            assert_eq!(line.matches('\n').count(), 1, "{line:?}");
            assert!(
                !line.trim_end().contains(|c: char| c.is_control() || c == '\u{202e}'),
                "{line:?}"
            );
        }
    }

    #[test]
    fn a_line_has_a_bound() {
        let long = "é".repeat(100_000);
        for json in [false, true] {
            let line = logged(json, || tracing::info!(a = long, b = %long, c = ?long, "{long}"));
            assert!(line.chars().count() < 5 * VALUE_MAX, "{}", line.len());
        }
    }

    /// Logs once when it goes.
    struct Last;

    impl Drop for Last {
        fn drop(&mut self) {
            tracing::info!("the last word");
        }
    }

    thread_local! {
        static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
    }

    /// In a process of its own, because what goes wrong here ends the process, and logging is set up once in each.
    #[test]
    fn a_thread_may_log_while_its_storage_goes() {
        const CHILD: &str = "ANTEROOM_TEST_LAST_WORD";
        if std::env::var_os(CHILD).is_some() {
            init("trace", Shape::Json).unwrap();
            let ends = thread::spawn(|| {
                LAST.set(Some(Last));
                // What a formatter keeps for this thread is made here, and goes before what is older.
                tracing::info!("the first word");
            });
            return ends.join().unwrap();
        }
        let name = "base::telemetry::tests::a_thread_may_log_while_its_storage_goes";
        let program = std::env::current_exe().unwrap();
        let ended = Command::new(program).args(["--exact", name]).env(CHILD, "1").output().unwrap();
        let log = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{}: {log}", ended.status);
        assert!(log.contains("the first word") && log.contains("the last word"), "{log}");
    }

    #[test]
    fn a_bad_level_is_told() {
        assert!(filter("info").is_ok());
        assert!(filter("anteroom=debug,warn").is_ok());
        assert!(filter("anteroom=louder").is_err());
    }
}
