//! What the tests came to: lines for people, JSON for programs, `JUnit` for CI.

use std::{fmt::Write as _, time::Duration};

use serde_json::{Value, json};

use super::coverage::Coverage;
use crate::{chat::form::clip, config::Problem, model::text::xml, ops::term::count};

/// Longest text of the conversation that a failure shows, in characters.
const READ_MAX: usize = 300;

/// A test on a platform.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) file: String,
    pub(super) test: String,
    pub(super) platform: &'static str,
    pub(super) took: Duration,
    /// What was not as expected, with its line; nothing where the test passes.
    pub(super) problems: Vec<Problem>,
    /// The last things that the participant read before a failure.
    pub(super) read: Vec<String>,
}

impl Case {
    fn is_ok(&self) -> bool {
        self.problems.is_empty()
    }

    /// What failed, and what was read before.
    fn told(&self) -> String {
        let mut text = self.problems.iter().fold(String::new(), |mut text, problem| {
            // Writing to a string cannot fail.
            _ = writeln!(text, "{problem}");
            text
        });
        if !self.read.is_empty() {
            text.push_str("  last read:\n");
            for read in &self.read {
                let read = clip(read, READ_MAX).replace('\n', "\n      ");
                _ = writeln!(text, "    - {read}");
            }
        }
        text
    }
}

/// All of them.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) cases: Vec<Case>,
    /// Files that could not be run.
    pub(super) problems: Vec<Problem>,
    /// By flow.
    pub(super) coverage: Vec<Coverage>,
    /// The least coverage that is enough, in per cent.
    pub(super) least: usize,
}

impl Report {
    fn failed(&self) -> usize {
        self.cases.iter().filter(|case| !case.is_ok()).count()
    }

    /// Flows that are covered too little.
    fn thin(&self) -> impl Iterator<Item = &Coverage> {
        self.coverage.iter().filter(|coverage| coverage.percent() < self.least)
    }

    /// Whether everything is as it should be.
    pub(super) fn is_ok(&self) -> bool {
        self.failed() == 0 && self.problems.is_empty() && self.thin().next().is_none()
    }

    /// A line for each test, a summary, and the coverage; with what is not covered where that is wanted.
    pub(super) fn lines(&self, is_uncovered_shown: bool) -> String {
        let mut text = String::new();
        for case in &self.cases {
            let word = if case.is_ok() { "ok    " } else { "FAILED" };
            _ = writeln!(text, "{word}  {} ({})", case.test, case.platform);
        }
        let failed = self.failed();
        let passed = self.cases.len() - failed;
        _ = writeln!(
            text,
            "\n{}: {passed} passed, {failed} failed",
            count(self.cases.len(), "test")
        );
        for coverage in &self.coverage {
            let Coverage { flow, reached, outcomes, .. } = coverage;
            let percent = coverage.percent();
            _ = writeln!(
                text,
                "coverage of {flow}: {reached} of {outcomes} outcomes ({percent} %)"
            );
            for problem in coverage.uncovered.iter().filter(|_| is_uncovered_shown) {
                _ = writeln!(text, "  {problem}");
            }
        }
        text
    }

    /// What is wrong, in full.
    pub(super) fn complaints(&self) -> String {
        let mut text = crate::config::render(&self.problems);
        for case in self.cases.iter().filter(|case| !case.is_ok()) {
            _ = writeln!(text, "{} ({})", case.test, case.platform);
            for line in case.told().lines() {
                _ = writeln!(text, "  {line}");
            }
        }
        for coverage in self.thin() {
            let (flow, percent) = (&coverage.flow, coverage.percent());
            _ = writeln!(
                text,
                "{flow}: {percent} % of the outcomes are covered, less than {} %. hint: `--uncovered` lists what is not",
                self.least
            );
        }
        text
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        let tests = self.cases.iter().map(|case| {
            json!({ "file": case.file, "test": case.test, "platform": case.platform, "ok": case.is_ok(),
                "millis": u64::try_from(case.took.as_millis()).unwrap_or(u64::MAX),
                "problems": case.problems, "read": case.read })
        });
        let coverage = self.coverage.iter().map(|coverage| {
            json!({ "flow": coverage.flow, "reached": coverage.reached, "outcomes": coverage.outcomes,
                "percent": coverage.percent(), "uncovered": coverage.uncovered })
        });
        json!({ "ok": self.is_ok(), "tests": tests.collect::<Vec<_>>(), "problems": self.problems,
            "coverage": coverage.collect::<Vec<_>>() })
    }

    /// `JUnit` XML: a suite for each file, a case for each test on a platform. A file that could not be run is a suite
    /// with an error.
    pub(super) fn junit(&self) -> String {
        let (tests, failures, errors) = (self.cases.len(), self.failed(), self.problems.len());
        let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let tests = tests + errors;
        _ = writeln!(
            text,
            "<testsuites tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">"
        );
        for problem in &self.problems {
            let (file, why) = (xml(&problem.file), xml(&problem.to_string()));
            _ = writeln!(
                text,
                "  <testsuite name=\"{file}\" tests=\"1\" failures=\"0\" errors=\"1\">\n    \
                 <testcase classname=\"{file}\" name=\"reading\"><error message=\"{why}\"/></testcase>\n  </testsuite>"
            );
        }
        for suite in self.cases.chunk_by(|a, b| a.file == b.file) {
            let failures = suite.iter().filter(|case| !case.is_ok()).count();
            let file = suite.first().map(|case| xml(&case.file)).unwrap_or_default();
            let tests = suite.len();
            _ = writeln!(
                text,
                "  <testsuite name=\"{file}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
            );
            for case in suite {
                text.push_str(&testcase(case, &file));
            }
            text.push_str("  </testsuite>\n");
        }
        text + "</testsuites>\n"
    }
}

fn testcase(case: &Case, file: &str) -> String {
    let name = xml(&format!("{} ({})", case.test, case.platform));
    let seconds = case.took.as_secs_f64();
    let head = format!("    <testcase classname=\"{file}\" name=\"{name}\" time=\"{seconds:.3}\"");
    let Some(first) = case.problems.first() else { return format!("{head}/>\n") };
    let (why, told) = (xml(&first.message), xml(case.told().trim_end()));
    format!("{head}><failure message=\"{why}\">{told}</failure></testcase>\n")
}
