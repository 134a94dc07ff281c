//! Judges of what Discord is sent, that are not ours: Discord's own description of its interface with the rules that it
//! lacks (beside the repository, `ANTEROOM_CONFORMANCE`; `.ci/run` installs what it needs), and `twilight-validate`.

use std::{
    env,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use twilight_model::channel::message::Component;
use twilight_validate::{component::component_v2, message};

/// A request, as the judges read it.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) name: String,
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) body: Value,
}

impl Request {
    /// A message that is posted.
    pub(crate) fn message(name: impl Into<String>, body: Value) -> Self {
        Self { name: name.into(), method: "POST", path: "/channels/1/messages".into(), body }
    }

    /// A form that is opened.
    pub(crate) fn modal(name: impl Into<String>, modal: &Value) -> Self {
        let body = json!({ "type": 9, "data": modal });
        Self {
            name: name.into(),
            method: "POST",
            path: "/interactions/1/token/callback".into(),
            body,
        }
    }
}

/// What Discord's own description has against some requests; none where it is not here.
#[expect(clippy::print_stdout, reason = "how a test says that it passed something over")]
pub(crate) fn complaints(requests: &[Request]) -> Option<Vec<String>> {
    let Some(beside) = env::var_os("ANTEROOM_CONFORMANCE") else {
        println!("passed over: ANTEROOM_CONFORMANCE does not name the folder with the judges");
        return None;
    };
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/judges/bin/python");
    let has_all = |python: &Path| {
        let asked = Command::new(python).args(["-c", "import jsonschema"]).output();
        asked.is_ok_and(|output| output.status.success())
    };
    if !has_all(&python) {
        assert!(env::var_os("CI").is_none(), "the judges are not installed: see .ci/run");
        println!("passed over: the judges are not installed; .ci/run says how");
        return None;
    }
    let beside = Path::new(&beside);
    let mut child = Command::new(python)
        .arg(beside.join("validate_discord.py"))
        .arg("--spec")
        .arg(beside.join("discord-openapi.json"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = String::new();
    for Request { method, path, body, .. } in requests {
        lines.push_str(&json!({ "method": method, "path": path, "body": body }).to_string());
        lines.push('\n');
    }
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.code() == Some(i32::from(!said.is_empty())), "the judge broke down");
    let named = |line: &str| {
        let number = line.split([':', ' ']).nth(1).and_then(|n| n.parse::<usize>().ok());
        let name = number.and_then(|n| requests.get(n - 1)).map_or("?", |r| r.name.as_str());
        format!("{name}: {}", line.split(" | ").skip(1).collect::<Vec<_>>().join(" | "))
    };
    Some(said.lines().map(named).collect())
}

/// What twilight has against the components of a message or a form. It does not know radio buttons yet, which stand in
/// labels: those are passed over.
pub(crate) fn second_opinion(components: &[Value], in_modal: bool) -> Vec<String> {
    let mut problems = Vec::new();
    let mut read = Vec::new();
    for component in components {
        if component["component"]["type"] == 21 {
            continue;
        }
        match serde_json::from_value::<Component>(component.clone()) {
            Ok(component) => read.push(component),
            Err(error) => problems.push(format!("twilight cannot read it: {error}")),
        }
    }
    if in_modal {
        let wrong = read.iter().filter_map(|component| component_v2(component).err());
        problems.extend(wrong.map(|error| format!("twilight: {error}")));
    } else if let Err(error) = message::components(&read, true) {
        problems.push(format!("twilight: {:?}", error.kind()));
    }
    problems
}
