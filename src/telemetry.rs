//! Log lines and their redaction; metrics and their names.
//!
//! Two rules keep people out of the log: a field whose name is in [`REDACTED`] prints as `***` whatever it holds,
//! and other crates log warnings at most unless the operator asks for more, for they do not know the rule.
//! A value is one line of at most [`VALUE_MAX`] characters, whatever somebody wrote into it, and a panic is told by its
//! place alone, because its message may hold anything.

pub mod link;
pub mod metric;
pub mod ready;

use std::{collections::BTreeMap, fmt, io, panic};

use serde_json::{Map, Value};
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    EnvFilter,
    field::{MakeVisitor, VisitFmt, VisitOutput},
    fmt::{
        FmtContext, FormatEvent, FormatFields,
        format::{self, Writer},
        time::{FormatTime, SystemTime},
    },
    registry::LookupSpan,
};

/// Fields that print as `***`: words of people, what identifies them, and secrets.
pub const REDACTED: [&str; 15] = [
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
    tracing_subscriber::fmt()
        .with_env_filter(filter(level)?)
        .with_ansi(shape == Shape::Pretty)
        .with_writer(io::stderr)
        .fmt_fields(Redacting)
        .event_format(Lines { json: shape == Shape::Json })
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

/// One event, one line.
#[derive(Debug, Clone, Copy)]
struct Lines {
    json: bool,
}

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        if !self.json {
            return format::Format::default().compact().format_event(context, writer, event);
        }
        let mut stamp = String::new();
        SystemTime.format_time(&mut Writer::new(&mut stamp))?;
        let metadata = event.metadata();
        let mut line = Map::new();
        line.insert("timestamp".to_owned(), stamp.into());
        line.insert("level".to_owned(), metadata.level().as_str().into());
        line.insert("target".to_owned(), metadata.target().into());
        let mut fields = Fields::default();
        event.record(&mut fields);
        line.extend(fields.0.into_iter().map(|(name, value)| (name.to_owned(), value)));
        let spans: Vec<Value> = context
            .event_scope()
            .into_iter()
            .flat_map(tracing_subscriber::registry::Scope::from_root)
            .map(|span| span.name().into())
            .collect();
        if !spans.is_empty() {
            line.insert("spans".to_owned(), spans.into());
        }
        writeln!(writer, "{}", Value::Object(line))
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
    let mut line: String = value.chars().take(VALUE_MAX).map(steady).collect();
    if value.chars().nth(VALUE_MAX).is_some() {
        line.push('…');
    }
    line
}

/// Nobody ends a line, moves the cursor or turns the reading direction by what they write.
fn steady(c: char) -> char {
    match c {
        '\n' | '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    }
}

/// Writes fields as `name=value`, redacted.
#[derive(Debug, Clone, Copy)]
struct Redacting;

impl<'a> MakeVisitor<Writer<'a>> for Redacting {
    type Visitor = Pairs<'a>;

    fn make_visitor(&self, writer: Writer<'a>) -> Pairs<'a> {
        Pairs { writer, empty: true, result: Ok(()) }
    }
}

/// Fields on their way into a line.
#[derive(Debug)]
struct Pairs<'a> {
    writer: Writer<'a>,
    empty: bool,
    result: fmt::Result,
}

impl Visit for Pairs<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if self.result.is_err() {
            return;
        }
        let space = if self.empty { "" } else { " " };
        let shown = shown(field.name(), || format!("{value:?}"));
        self.result = match field.name() {
            "message" => write!(self.writer, "{space}{shown}"),
            name => write!(self.writer, "{space}{name}={shown}"),
        };
        self.empty = false;
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }
}

impl VisitOutput<fmt::Result> for Pairs<'_> {
    fn finish(self) -> fmt::Result {
        self.result
    }
}

impl VisitFmt for Pairs<'_> {
    fn writer(&mut self) -> &mut dyn fmt::Write {
        &mut self.writer
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, PoisonError};

    use super::*;

    /// What is logged, as text.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(json: bool, act: impl FnOnce()) -> String {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .fmt_fields(Redacting)
            .event_format(Lines { json })
            .finish();
        tracing::subscriber::with_default(subscriber, act);
        let bytes = log.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
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

    #[test]
    fn a_bad_level_is_told() {
        assert!(filter("info").is_ok());
        assert!(filter("anteroom=debug,warn").is_ok());
        assert!(filter("anteroom=louder").is_err());
    }
}
