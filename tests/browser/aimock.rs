//! `@copilotkit/aimock` as the model: a service written by others that plays fixtures and has every fault of a real
//! one. Each request that it saw is held against OpenAI's specification at the end.

use std::{
    fs::{self, File},
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::{specification::problems, support::npm};

/// Longest wait for it to start.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running service.
#[derive(Debug)]
pub(crate) struct Aimock {
    child: Child,
    url: String,
    client: reqwest::Client,
    _folder: tempfile::TempDir,
}

impl Aimock {
    /// Starts it with a play; none where it, or Node, is not installed.
    pub(crate) async fn start(play: &[Value]) -> Option<Self> {
        let program = npm::file("@copilotkit/aimock/dist/cli.js")?;
        let folder = tempfile::tempdir().unwrap();
        let (fixtures, log) = (folder.path().join("play.json"), folder.path().join("log"));
        fs::write(&fixtures, json!({ "fixtures": play }).to_string()).unwrap();
        let output = File::create(&log).unwrap();
        let child = Command::new(npm::node()?)
            .arg(program)
            .args(["--port", "0", "--strict", "--validate-on-load", "--fixtures"])
            .arg(&fixtures)
            // A turn is played at its own place or not at all.
            .env("AIMOCK_STRICT_TURN_INDEX", "1")
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut service = Self { child, url: String::new(), client, _folder: folder };
        let deadline = Instant::now() + PATIENCE;
        while service.url.is_empty() {
            let said = fs::read_to_string(&log).unwrap();
            assert!(Instant::now() < deadline, "aimock does not start: {said}");
            if let Some((_, address)) = said.split_once("listening on ")
                && let Some((address, _)) = address.split_once('\n')
            {
                address.clone_into(&mut service.url);
            }
            sleep(Duration::from_millis(20)).await;
        }
        Some(service)
    }

    /// What the configuration of a bot says that asks it. A stream that is silent is given up soon.
    pub(crate) fn config(&self) -> String {
        let Self { url, .. } = self;
        format!(
            "[llm.interview]\nbase_url = \"{url}/v1\"\nmodel = \"aimock-1\"\nfirst_byte = \"10s\"\nidle = \"3s\"\n"
        )
    }

    /// Adds turns to the play while it runs.
    pub(crate) async fn add(&self, turns: &[Value]) {
        let url = format!("{}/__aimock/fixtures", self.url);
        let body = json!({ "fixtures": turns }).to_string();
        let answer = self.client.post(url).body(body).send().await.unwrap();
        assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
    }

    /// What it saw so far: bodies of requests as they were sent, with the status of its answer.
    pub(crate) async fn seen(&self) -> Vec<(Value, u64)> {
        let url = format!("{}/__aimock/journal", self.url);
        let text = self.client.get(url).send().await.unwrap().text().await.unwrap();
        let journal: Vec<Value> = serde_json::from_str(&text).unwrap();
        let entry = |mut entry: Value| {
            let mut body = entry["body"].take();
            let members = body.as_object_mut().expect("a body");
            assert!(
                !members.contains_key("__aimock_truncated"),
                "a request is too large to be kept"
            );
            // What it adds itself.
            members.retain(|name, _| !name.starts_with('_'));
            (body, entry["response"]["status"].as_u64().unwrap())
        };
        journal.into_iter().map(entry).collect()
    }

    /// The newest result of a call of the model's that was sent to it.
    pub(crate) async fn last_result(&self) -> Value {
        let seen = self.seen().await;
        let messages = seen.last().unwrap().0["messages"].as_array().unwrap();
        let last = messages.iter().rev().find(|message| message["role"] == "tool").unwrap();
        serde_json::from_str(last["content"].as_str().unwrap()).unwrap()
    }

    /// Every request is one that the specification allows, each call in it answered once and in its place; none was
    /// beyond the play. How many there were, and the statuses of those that were refused.
    pub(crate) async fn checked(&self) -> (usize, Vec<u64>) {
        let seen = self.seen().await;
        for (body, status) in &seen {
            assert_eq!(problems(body), [""; 0], "{body:#}");
            assert_ne!(*status, 503, "the play has no turn for {:#}", body["messages"]);
        }
        let refused = seen.iter().map(|(_, status)| *status).filter(|status| *status != 200);
        (seen.len(), refused.collect())
    }
}

impl Drop for Aimock {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
