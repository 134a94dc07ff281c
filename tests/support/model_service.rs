//! Services of models on loopback: each speaks a wire format, holds requests to the provider's rules, and streams.
//!
//! They were written from what providers publish; none was called.

#[path = "model_service/completions.rs"]
pub(crate) mod completions;
#[path = "model_service/formats.rs"]
pub(crate) mod formats;
#[path = "model_service/request.rs"]
mod request;

use std::sync::Arc;

use serde_json::{Value, json};

use super::reader::Reader;

/// An answer: words, and calls of tools with their arguments as they stand on the wire.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    text: String,
    calls: Vec<(String, String)>,
}

impl Line {
    pub(crate) fn new(text: &str, calls: &[(&str, Value)]) -> Self {
        let calls = calls.iter().map(|(name, args)| ((*name).to_owned(), args.to_string()));
        Self { text: text.to_owned(), calls: calls.collect() }
    }
}

/// Who speaks behind a service.
#[derive(Debug, Clone)]
pub(crate) enum Speaker {
    /// The n-th answer to whatever is asked.
    Usual,
    /// These lines in turn.
    Lines(Arc<Vec<Line>>),
    /// An interviewer that reads what it is sent, and remembers nothing.
    Reader(Reader),
}

impl Speaker {
    pub(crate) fn lines(lines: Vec<Line>) -> Self {
        Self::Lines(Arc::new(lines))
    }

    /// The n-th answer, to this request.
    fn line(&self, n: usize, body: &Value) -> Line {
        match self {
            Self::Lines(lines) if n < lines.len() => lines[n].clone(),
            Self::Usual | Self::Lines(_) => usual(n),
            // Nothing but a judge asks for JSON.
            Self::Reader(_) if body["response_format"]["type"].is_string() => {
                Line::new("{\"grade\": 4, \"remark\": \"Ask less.\"}", &[])
            }
            Self::Reader(reader) => {
                let (text, calls) = reader.answer(&request::read(body));
                let calls = calls.into_iter().map(|call| (call.name, call.raw));
                Line { text, calls: calls.collect() }
            }
        }
    }
}

/// Two calls at once after what somebody said, one call more after their results, then words.
fn usual(n: usize) -> Line {
    let calls = [2, 1, 1, 0][n % 4];
    let calls: Vec<_> =
        (0..calls).map(|call| ("get_user_option", json!({ "n": n, "call": call }))).collect();
    Line::new(if n % 4 == 2 { "" } else { "Some words." }, &calls)
}
