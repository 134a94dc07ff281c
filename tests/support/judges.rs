//! Three judges of Block Kit that are not ours: Slack's SDK for Python, the `blockkit` package, and Slack's own types for
//! TypeScript. They lie beside the repository (`ANTEROOM_CONFORMANCE`) and run from `target/judges`, where `.ci/run`
//! installs what they need; without them, a test says so and passes.

use std::{
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

/// Many payloads in one process: starting the judges costs more than their work.
const DRIVER: &str = r#"
import json, sys
sys.path.insert(0, sys.argv[1])
import judge
cases = json.load(sys.stdin)
types = judge.ts(cases)
json.dump([{"sdk": judge.sdk(c["payload"], c["target"]), "blockkit": judge.bkit(c["payload"], c["target"]), "ts": t}
           for c, t in zip(cases, types)], sys.stdout)
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

/// What the judges say against some payloads; none where they are not here.
pub(crate) fn complaints(cases: &[Case]) -> Option<Vec<String>> {
    let Some(beside) = env::var_os("ANTEROOM_CONFORMANCE") else {
        crate::skipped::skip("third-party validators", "set ANTEROOM_CONFORMANCE to their folder");
        return None;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/judges");
    let python = root.join("bin/python");
    let folder = root.join("blockkit");
    if !python.exists() || !folder.join("node_modules").exists() {
        assert!(env::var_os("CI").is_none(), "the judges are not installed: see .ci/run");
        crate::skipped::skip("third-party validators", "installed by .ci/run");
        return None;
    }
    for file in ["judge.py", "ts_judge.mjs"] {
        // Put there whole: other stories have theirs judged at the same time.
        let whole = tempfile::NamedTempFile::new_in(&folder).unwrap();
        fs::copy(PathBuf::from(&beside).join("blockkit").join(file), whole.path()).unwrap();
        whole.persist(folder.join(file)).unwrap();
    }
    let asked: Vec<Value> = cases
        .iter()
        .map(|case| json!({ "target": case.target, "payload": case.payload }))
        .collect();
    let mut child = Command::new(python)
        .args(["-c", DRIVER])
        .arg(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(json!(asked).to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the judges broke down: {:?}", output.status);
    let verdicts: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(verdicts.len(), cases.len());
    let mut complaints = Vec::new();
    for (case, verdict) in cases.iter().zip(&verdicts) {
        for judge in ["sdk", "blockkit", "ts"] {
            for said in verdict[judge].as_array().unwrap() {
                let said = said.as_str().unwrap_or_default();
                let is_wrong =
                    |(of, words, _): &&(&str, &str, &str)| *of == judge && said.contains(words);
                if !WRONG.iter().any(|wrong| is_wrong(&wrong)) {
                    complaints.push(format!("{} [{judge}]: {said}", case.name));
                }
            }
        }
    }
    Some(complaints)
}
