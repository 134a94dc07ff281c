//! What an evaluation came to: a table for people, JSON for programs and later comparisons, `JUnit` for CI.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::{
    difference::Difference,
    judge::Opinion,
    persona::End,
    score::{Name, Score},
};
use crate::{
    chat::form::one_line,
    model::text::{typed, xml},
};

/// The version of the JSON form.
pub(super) const VERSION: u32 = 1;

/// What an evaluation came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The version of this form.
    pub anteroom_eval: u32,
    /// The version of the program.
    pub version: String,
    /// The flow's id.
    pub flow: String,
    /// SHA-256 of the flow.
    pub digest: String,
    /// What led: a model's name, or `script`.
    pub model: String,
    /// Whether everything passed.
    pub passed: bool,
    /// One for each persona and run.
    pub interviews: Vec<Scored>,
    /// What differs from a baseline, where there was one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comparison: Vec<Difference>,
}

/// What one interview came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// The persona's id.
    pub persona: String,
    /// The how many-th interview of this persona, from 1.
    pub run: u32,
    /// How it ended.
    pub end: End,
    /// Whether all scores passed.
    pub passed: bool,
    /// The scores, in the order of the report.
    pub scores: Vec<Score>,
    /// What a model thought of it; never decides anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<Opinion>,
    /// What was said and done, line by line; not part of the report.
    #[serde(skip)]
    pub transcript: String,
}

impl Scored {
    /// The scores that failed.
    pub fn failed(&self) -> Vec<Name> {
        self.scores.iter().filter(|score| !score.passed).map(|score| score.name).collect()
    }

    /// A score.
    pub fn score(&self, name: Name) -> Option<&Score> {
        self.scores.iter().find(|score| score.name == name)
    }

    fn called(&self, runs: u32) -> String {
        if runs > 1 { format!("{}#{}", self.persona, self.run) } else { self.persona.clone() }
    }

    fn cell(&self, name: Name) -> String {
        let Some(score) = self.score(name) else { return String::new() };
        let mark = if score.passed { "" } else { "!" };
        match (name, score.value) {
            (Name::End, _) => format!("{}{mark}", self.end.word()),
            (_, Some(value)) => format!("{}{mark}", name.shown(value)),
            (_, None) => "-".to_owned(),
        }
    }
}

impl Report {
    fn runs(&self) -> u32 {
        self.interviews.iter().map(|scored| scored.run).max().unwrap_or(1)
    }

    /// The table, what failed, and a summary.
    pub fn table(&self) -> String {
        let runs = self.runs();
        let is_judged = self.interviews.iter().any(|scored| scored.judge.is_some());
        let mut headings = vec!["PERSONA".to_owned()];
        headings.extend(Name::ALL.map(|name| name.heading().to_owned()));
        if is_judged {
            headings.push("JUDGE".to_owned());
        }
        let mut rows = vec![headings];
        for scored in &self.interviews {
            let mut row = vec![scored.called(runs)];
            row.extend(Name::ALL.map(|name| scored.cell(name)));
            if is_judged {
                row.push(scored.judge.as_ref().map_or_else(|| "-".to_owned(), Opinion::shown));
            }
            rows.push(row);
        }
        let mut text = format!("{} led by {}\n\n", self.flow, self.model);
        text.push_str(&narrow(&rows));
        for scored in &self.interviews {
            for score in scored.scores.iter().filter(|score| !score.passed) {
                _ = write!(text, "\n{}: {}", scored.called(runs), score.complaint());
            }
            if let Some(Opinion { remark, .. }) = &scored.judge {
                _ = write!(text, "\n{}: the judge says: {remark}", scored.called(runs));
            }
        }
        if self.interviews.iter().any(|scored| !scored.passed || scored.judge.is_some()) {
            text.push('\n');
        }
        let passed = self.interviews.iter().filter(|scored| scored.passed).count();
        let ended = self.interviews.iter().filter(|scored| scored.end == End::Finished).count();
        let all = self.interviews.len();
        _ = write!(
            text,
            "\n{passed} of {all} interviews passed; {ended} reached the end of the flow.\n"
        );
        typed(&text)
    }

    /// `JUnit` XML: a suite for the flow, a case for each score of each interview.
    pub fn junit(&self) -> String {
        let runs = self.runs();
        let scores = || self.interviews.iter().flat_map(|scored| &scored.scores);
        let failures = scores().filter(|score| !score.passed).count();
        let tests = scores().count();
        let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        _ = writeln!(text, "<testsuites tests=\"{tests}\" failures=\"{failures}\">");
        for scored in &self.interviews {
            let failures = scored.failed().len();
            let name = xml(&format!("{} {}", self.flow, scored.called(runs)));
            let count = scored.scores.len();
            _ = writeln!(
                text,
                "  <testsuite name=\"{name}\" tests=\"{count}\" failures=\"{failures}\">"
            );
            for score in &scored.scores {
                let class = xml(&format!("{}.{}", self.flow, scored.called(runs)));
                let case = score.name.word();
                _ = write!(text, "    <testcase classname=\"{class}\" name=\"{case}\"");
                if score.passed {
                    text.push_str("/>\n");
                } else {
                    let why = xml(&one_line(&score.complaint()));
                    _ = writeln!(text, "><failure message=\"{why}\"/></testcase>");
                }
            }
            text.push_str("  </testsuite>\n");
        }
        text + "</testsuites>\n"
    }
}

/// Rows in columns that are as narrow as they can be; numbers stand at the right.
fn narrow(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = widths.get(column).copied().unwrap_or(0);
            let gap = if column == 0 { "" } else { " " };
            // The persona and the end are words.
            _ = if column < 2 {
                write!(line, "{gap}{cell:<width$}")
            } else {
                write!(line, "{gap}{cell:>width$}")
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
