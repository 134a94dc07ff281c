//! Three judges of Block Kit that are not ours: Slack's SDK for Python, the `blockkit` package, and Slack's own types for
//! TypeScript. They lie beside the repository (`ANTEROOM_CONFORMANCE`) and run from `target/judges`, where `.ci/run`
//! installs what they need; without them, a test says so and passes.

use std::{
    collections::HashSet,
    env, fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{ChildStdin, ChildStdout, Command, Stdio},
    sync::{LazyLock, Mutex, PoisonError},
};

use serde_json::{Value, json};

/// Reads a line of cases, writes a line of verdicts: to start the judges costs more than their work.
const DRIVER: &str = r#"
import json, subprocess, sys
sys.path.insert(0, ".")
import judge
types = subprocess.Popen(["node", "types.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    types.stdin.write(line)
    types.stdin.flush()
    cases = json.loads(line)
    others = [(judge.sdk(c["payload"], c["target"]), judge.bkit(c["payload"], c["target"])) for c in cases]
    typed = json.loads(types.stdout.readline())
    verdicts = [{"sdk": sdk, "blockkit": blockkit, "ts": ts} for (sdk, blockkit), ts in zip(others, typed, strict=True)]
    print(json.dumps(verdicts), flush=True)
"#;

/// What the judges wrongly refuse: the judge, words of its complaint, and why it is wrong.
const WRONG: &[(&str, &str, &str)] = &[
    (
        "blockkit",
        "Expected types 'int', 'float', got 'str'",
        "numbers of a number input are strings by Slack's reference, and by its own two judges",
    ),
    (
        "blockkit",
        "Field 'filetypes'",
        "Slack's reference asks for the extensions of files, not for its names of their types",
    ),
    (
        "blockkit",
        "unknown block context_actions",
        "the package is older than the block of feedback buttons, which Slack's own two judges know",
    ),
    (
        "blockkit",
        "unknown block plan",
        "the package is older than the block of tasks, which Slack's own two judges know",
    ),
];

/// A payload and where it stands: `blocks`, `modal` or `home`.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) target: &'static str,
    pub(crate) payload: Value,
}

/// The judges, who work until the last test has ended.
static JUDGES: LazyLock<Option<Mutex<Judges>>> = LazyLock::new(|| Judges::start().map(Mutex::new));

#[derive(Debug)]
struct Judges {
    cases: ChildStdin,
    verdicts: BufReader<ChildStdout>,
    /// Payloads that they had nothing to say against.
    passed: HashSet<String>,
}

impl Judges {
    #[expect(clippy::zombie_processes, reason = "it ends when its input does, with the last test")]
    fn start() -> Option<Self> {
        let Some(beside) = env::var_os("ANTEROOM_CONFORMANCE") else {
            super::skipped::skip(
                "third-party validators",
                "set ANTEROOM_CONFORMANCE to their folder",
            );
            return None;
        };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/judges");
        let python = root.join("bin/python");
        let folder = root.join("blockkit");
        if !python.exists() || !folder.join("node_modules").exists() {
            assert!(env::var_os("CI").is_none(), "the judges are not installed: see .ci/run");
            super::skipped::skip("third-party validators", "installed by .ci/run");
            return None;
        }
        // Put there whole: another suite may be starting its own.
        let put = |name: &str, text: &[u8]| {
            let mut whole = tempfile::NamedTempFile::new_in(&folder).unwrap();
            whole.write_all(text).unwrap();
            whole.persist(folder.join(name)).unwrap();
        };
        put("judge.py", &fs::read(Path::new(&beside).join("blockkit/judge.py")).unwrap());
        put("types.mjs", include_bytes!("judges/types.mjs"));
        let mut child = Command::new(python)
            .args(["-c", DRIVER])
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (cases, verdicts) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Some(Self { cases, verdicts: BufReader::new(verdicts), passed: HashSet::new() })
    }

    fn judge(&mut self, cases: &[&Case]) -> Vec<Value> {
        let asked: Vec<Value> = cases
            .iter()
            .map(|case| json!({ "target": case.target, "payload": case.payload }))
            .collect();
        self.cases.write_all(format!("{}\n", json!(asked)).as_bytes()).unwrap();
        let mut line = String::new();
        self.verdicts.read_line(&mut line).unwrap();
        let verdicts: Vec<Value> = serde_json::from_str(&line).expect("the judges broke down");
        assert_eq!(verdicts.len(), cases.len());
        verdicts
    }
}

/// What the judges say against some payloads, each of which is judged once; none where they are not here.
pub(crate) fn complaints(cases: &[Case]) -> Option<Vec<String>> {
    let mut judges = JUDGES.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
    let key = |case: &Case| format!("{} {}", case.target, case.payload);
    let is_new = |case: &&Case| !judges.passed.contains(&key(case));
    let cases: Vec<&Case> = cases.iter().filter(is_new).collect();
    if cases.is_empty() {
        return Some(Vec::new());
    }
    let verdicts = judges.judge(&cases);
    let mut complaints = Vec::new();
    for (case, verdict) in cases.into_iter().zip(&verdicts) {
        let before = complaints.len();
        complaints.extend(said(&case.name, verdict));
        if complaints.len() == before {
            judges.passed.insert(key(case));
        }
    }
    Some(complaints)
}

fn said(name: &str, verdict: &Value) -> Vec<String> {
    let mut complaints = Vec::new();
    for judge in ["sdk", "blockkit", "ts"] {
        for said in verdict[judge].as_array().unwrap() {
            let said = said.as_str().unwrap_or_default();
            let is_wrong =
                |(of, words, _): &&(&str, &str, &str)| *of == judge && said.contains(words);
            if !WRONG.iter().any(|wrong| is_wrong(&wrong)) {
                complaints.push(format!("{name} [{judge}]: {said}"));
            }
        }
    }
    complaints
}
