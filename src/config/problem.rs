//! What is wrong with a file that a person wrote, and what to do about it.

use std::{fmt, fmt::Write as _};

use serde::Serialize;

/// Something wrong at one place in a file. Reads `flow.toml:12:3: unknown key …. hint: …`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file, as it was named to us.
    pub file: String,
    /// Line, from 1; 0 where the problem is with the file as a whole.
    pub line: usize,
    /// Column in characters, from 1; 0 with line 0.
    pub column: usize,
    /// Where in the document: `phase[0].objective[1].done`; empty for the file as a whole.
    pub path: String,
    /// Whether the file can be used all the same.
    pub level: Level,
    /// Of which kind it is, where that decides what else is worth telling.
    #[serde(skip)]
    pub kind: Kind,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Whether a file with a problem can be used all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// It cannot.
    Error,
    /// It can, but somebody should look.
    Warning,
}

/// Kinds of problems from which others follow, so that only the cause is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// Nothing else follows from it.
    #[default]
    Other,
    /// An expression that can't be read.
    Syntax,
    /// A condition that comes out the same whatever people answer.
    Constant,
}

impl Problem {
    /// A problem with a file as a whole.
    pub fn whole(file: &str, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line: 0,
            column: 0,
            path: String::new(),
            level: Level::Error,
            kind: Kind::Other,
            message: message.into(),
            hint: None,
        }
    }

    /// A file that the system does not let us read.
    pub fn unreadable(file: &str, error: &std::io::Error) -> Self {
        let problem = Self::whole(file, format!("could not be read: {error}"));
        match error.kind() {
            std::io::ErrorKind::NotFound => problem.hint("check the path"),
            std::io::ErrorKind::PermissionDenied => problem.hint("check its owner and permissions"),
            _ => problem,
        }
    }

    /// Adds a hint to the problem.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the kind of the problem.
    #[must_use]
    pub const fn of(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// Makes the problem a warning.
    #[must_use]
    pub fn warning(mut self) -> Self {
        self.level = Level::Warning;
        self
    }

    /// Whether the file cannot be used.
    pub(crate) fn is_error(&self) -> bool {
        self.level == Level::Error
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        f.write_str(": ")?;
        if self.level == Level::Warning {
            f.write_str("warning: ")?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, ". hint: {hint}"),
            None => Ok(()),
        }
    }
}

/// Problems for a terminal or a log: one a line, in the order of the file.
pub fn render(problems: &[Problem]) -> String {
    problems.iter().fold(String::new(), |mut text, problem| {
        // Writing to a string cannot fail.
        _ = writeln!(text, "{problem}");
        text
    })
}

/// "did you mean `x`?", where something known is close to `word`.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    closest(word, known).map(|best| format!("did you mean `{best}`?"))
}

/// What is known and closest to `word`, if anything is close.
pub(crate) fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const CLOSE: f64 = 0.75;
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&word.to_lowercase(), candidate), candidate))
        .filter(|(score, _)| *score >= CLOSE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Words in backticks with commas: `` `a`, `b` ``.
pub fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
