//! Judges of what Discord is sent, that are not ours: Discord's own description of its interface with the rules that it
//! lacks (beside the repository, `ANTEROOM_CONFORMANCE`; `.ci/run` installs what it needs), and `twilight-validate`.

use std::{
    collections::HashSet,
    env,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{ChildStdin, ChildStdout, Command, Stdio},
    sync::{LazyLock, Mutex, PoisonError},
    thread,
};

use serde_json::{Value, json};
use twilight_model::channel::message::Component;
use twilight_validate::{component::component_v2, message};

use super::emulator::state::Recorded;

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
pub(crate) fn complaints(requests: &[Request]) -> Option<Vec<String>> {
    let mut judge = JUDGE.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
    Some(judge.judge(requests))
}

/// The judge, who reads what it goes by once and then sits until the last test has ended.
static JUDGE: LazyLock<Option<Mutex<Judge>>> = LazyLock::new(|| Judge::start().map(Mutex::new));

#[derive(Debug)]
struct Judge {
    input: ChildStdin,
    said: BufReader<ChildStdout>,
    /// Requests that it was given.
    asked: usize,
}

/// A request of which there is something to say: when that is said, everything before it is judged.
const END: &str = "/the/end";

impl Judge {
    #[expect(
        clippy::zombie_processes,
        reason = "it ends when nobody speaks to it any more, with the last test"
    )]
    fn start() -> Option<Self> {
        let Some(beside) = env::var_os("ANTEROOM_CONFORMANCE") else {
            crate::discord::skipped::skip(
                "third-party validators",
                "set ANTEROOM_CONFORMANCE to their folder",
            );
            return None;
        };
        let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/judges/bin/python");
        let asked = Command::new(&python).args(["-c", "import jsonschema"]).output();
        if !asked.is_ok_and(|output| output.status.success()) {
            assert!(env::var_os("CI").is_none(), "the judges are not installed: see .ci/run");
            crate::discord::skipped::skip("third-party validators", "installed by .ci/run");
            return None;
        }
        let beside = Path::new(&beside);
        let mut child = Command::new(python)
            .arg("-u")
            .arg(beside.join("validate_discord.py"))
            .arg("--spec")
            .arg(beside.join("discord-openapi.json"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, said) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Some(Self { input, said: BufReader::new(said), asked: 0 })
    }

    /// What there is to say against some requests, each by its name.
    fn judge(&mut self, requests: &[Request]) -> Vec<String> {
        let line = |method: &str, path: &str, body: &Value| {
            format!("{}\n", json!({ "method": method, "path": path, "body": body }))
        };
        let mut lines: String =
            requests.iter().map(|asked| line(asked.method, &asked.path, &asked.body)).collect();
        lines.push_str(&line("POST", END, &Value::Null));
        let first = self.asked + 1;
        self.asked += requests.len() + 1;
        let (input, said) = (&mut self.input, &mut self.said);
        // It speaks while it is spoken to.
        thread::scope(|scope| {
            let writer = scope.spawn(move || input.write_all(lines.as_bytes()));
            let mut complaints = Vec::new();
            loop {
                let mut line = String::new();
                let read = said.read_line(&mut line).unwrap();
                assert_ne!(read, 0, "the judge broke down");
                if line.contains(&format!(" POST {END} | ")) {
                    break;
                }
                let number = line.split([':', ' ']).nth(1).and_then(|n| n.parse::<usize>().ok());
                let asked = number.and_then(|n| requests.get(n - first));
                let name = asked.map_or("?", |asked| asked.name.as_str());
                let what = line.trim_end().split(" | ").skip(1).collect::<Vec<_>>().join(" | ");
                complaints.push(format!("{name}: {what}"));
            }
            writer.join().unwrap().unwrap();
            complaints
        })
    }
}

/// Everything that was asked of Discord, each thing once: nobody has anything against it.
pub(crate) fn judge_all(asked: &[Recorded]) {
    /// What was judged already, in whichever story.
    static JUDGED: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);
    let mut problems = Vec::new();
    let mut requests = Vec::new();
    for asked in asked.iter().filter(|asked| !asked.body.is_null()) {
        let method = match asked.method.as_str() {
            "POST" => "POST",
            "PATCH" => "PATCH",
            "PUT" => "PUT",
            _ => continue,
        };
        let kind: String = asked.path.chars().filter(|c| !c.is_ascii_digit()).collect();
        let known = format!("{method} {kind} {}", asked.body);
        if !JUDGED.lock().unwrap_or_else(PoisonError::into_inner).insert(known) {
            continue;
        }
        let name = format!("{method} {}", asked.path);
        // The first answer to an interaction has what is shown in its data.
        let inner = if asked.body["data"].is_object() { &asked.body["data"] } else { &asked.body };
        if let Some(components) = inner["components"].as_array() {
            let said = second_opinion(components, asked.body["type"] == 9);
            problems.extend(said.into_iter().map(|said| format!("{name}: {said}")));
        }
        requests.push(Request { name, method, path: asked.path.clone(), body: asked.body.clone() });
    }
    problems.extend(complaints(&requests).unwrap_or_default());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
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
