//! The real program, killed with -9 at random moments of each flow: nothing is asked twice, nothing is lost, and
//! the end is the same as that of a run that nobody disturbed.
//!
//! `KILLS` says how many moments (ten), `KILL_SEED` repeats their choice; the seed is printed with every failure.
#![expect(clippy::unwrap_used, clippy::panic, reason = "how a test fails")]

#[path = "support/bot.rs"]
mod bot;
#[path = "support/html.rs"]
mod html;
#[path = "support/person.rs"]
mod person;

use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::Value;

use bot::{Bot, said};
use html::Card;
use person::Person;

/// Longest wait for the next question. The bot works after it has acknowledged, so the page may be a moment late.
const PATIENCE: Duration = Duration::from_mins(1);

#[tokio::test(flavor = "multi_thread")]
async fn the_candidate_flow_comes_out_the_same_however_often_it_is_killed() {
    the_end_is_the_same("candidate-onboarding").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_community_flow_comes_out_the_same_however_often_it_is_killed() {
    the_end_is_the_same("community-welcome").await;
}

async fn the_end_is_the_same(flow: &str) {
    let seed = setting("KILL_SEED").unwrap_or_else(|| RandomState::new().build_hasher().finish());
    let kills = setting("KILLS").unwrap_or(10);
    let quiet = tempfile::tempdir().unwrap();
    let undisturbed = Run::new(flow, quiet.path(), Vec::new(), seed).walk().await;
    assert!(undisturbed.steps > 3, "{undisturbed:#?}");

    let rough = tempfile::tempdir().unwrap();
    let mut chance = Chance(seed);
    let moments = (0..kills).map(|_| chance.below(undisturbed.steps)).collect();
    let disturbed = Run::new(flow, rough.path(), moments, chance.0).walk().await;

    let context = format!("KILL_SEED={seed} KILLS={kills}, kept in {}", rough.path().display());
    assert_eq!(disturbed.kills, kills, "{context}");
    assert_eq!(disturbed.conversation, undisturbed.conversation, "{context}");
    assert_eq!(disturbed.effects, undisturbed.effects, "{context}");
    assert_eq!(disturbed.records, undisturbed.records, "{context}");
    assert_eq!(disturbed.resume, undisturbed.resume, "{context}");
}

fn setting(name: &str) -> Option<u64> {
    let found = std::env::vars().find(|(key, _)| key == name);
    found.map(|(_, value)| value.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

/// Numbers by chance that a seed repeats (`SplitMix64`).
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// What a run came to, without what differs from run to run: ids, times, names of sessions.
#[derive(Debug, PartialEq)]
struct End {
    steps: u64,
    kills: u64,
    conversation: Vec<(String, String, String)>,
    /// What became of the effects; they are delivered beside the conversation, so their place in it may differ.
    effects: Vec<String>,
    records: Vec<(Value, Value, Value)>,
    resume: Value,
}

/// One person on their way through a flow, and a program that keeps dying under them.
struct Run {
    flow: String,
    data: PathBuf,
    bot: Option<Bot>,
    person: Person,
    /// Steps at which the program is killed; a step may be hit more than once.
    moments: Vec<u64>,
    chance: Chance,
    kills: u64,
    steps: u64,
}

impl Run {
    fn new(flow: &str, dir: &Path, moments: Vec<u64>, seed: u64) -> Self {
        let data = dir.join("data");
        std::fs::create_dir(&data).unwrap();
        Self {
            flow: flow.to_owned(),
            bot: Some(Bot::start(&data)),
            data,
            person: Person::new(),
            moments,
            chance: Chance(seed),
            kills: 0,
            steps: 0,
        }
    }

    async fn walk(mut self) -> End {
        let session = self.begin().await;
        let mut answered: Vec<String> = Vec::new();
        while let Some(card) = self.next_card(&session, &answered).await {
            let (form, label, file) = person::answer(&card);
            let fields = form.pressed(&label);
            let strikes = self.moments.iter().filter(|moment| **moment == self.steps).count();
            let mut acknowledged = false;
            for _ in 0..strikes {
                // From microseconds to a tenth of a second, each order of magnitude as likely as the next.
                let longest = 200 << self.chance.below(10);
                let delay = Duration::from_micros(self.chance.below(longest));
                // The kill comes before the answer, on its way, or while the bot works on it.
                tokio::select! {
                    biased;
                    sent = self.send(&form.action, &fields, file.as_deref()), if !acknowledged => {
                        acknowledged = sent.is_ok();
                        tokio::time::sleep(delay).await;
                    }
                    () = tokio::time::sleep(delay) => {}
                }
                self.restart();
            }
            if strikes == 0 {
                let sent = self.send(&form.action, &fields, file.as_deref()).await;
                acknowledged = sent.is_ok();
                assert!(acknowledged, "{sent:?}");
            }
            if acknowledged {
                // What was acknowledged counts, whatever happened a moment later.
                answered.push(card.wait.clone());
                self.steps += 1;
            } else {
                // The person does not know whether it came through: the page tells them, and they go on from there.
                self.moments.retain(|moment| *moment != self.steps);
                if !self.is_open(&session, &card.wait).await {
                    answered.push(card.wait.clone());
                    self.steps += 1;
                }
            }
        }
        self.end(&session).await
    }

    fn restart(&mut self) {
        drop(self.bot.take());
        self.kills += 1;
        self.bot = Some(Bot::start(&self.data));
    }

    fn page(&self) -> String {
        self.bot.as_ref().unwrap().page.clone()
    }

    /// Starts a conversation; its path.
    async fn begin(&self) -> String {
        self.person.begin(&self.page(), &self.flow).await
    }

    async fn get(&self, path: &str) -> String {
        self.person.get(&self.page(), path).await
    }

    async fn send(
        &self,
        action: &str,
        fields: &[(String, String)],
        file: Option<&Path>,
    ) -> Result<String, reqwest::Error> {
        let sent =
            self.person.send(&self.page(), action, fields, file).await?.error_for_status()?;
        Ok(sent.url().path().to_owned())
    }

    async fn is_open(&self, session: &str, wait: &str) -> bool {
        html::open_cards(&self.get(session).await).iter().any(|card| card.wait == wait)
    }

    /// The next open question; none at the end of the flow. An answered question must never be open again.
    async fn next_card(&self, session: &str, answered: &[String]) -> Option<Card> {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let page = self.get(session).await;
            let mut cards = html::open_cards(&page);
            for card in &cards {
                assert!(!answered.contains(&card.wait), "asked again: {}", card.text);
            }
            if !cards.is_empty() {
                return Some(cards.remove(0));
            }
            if page.contains("<p class=\"progress-line\">Done</p>") {
                return None;
            }
            assert!(tokio::time::Instant::now() < deadline, "no question: {}", html::text(&page));
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The transcript once the last effect has been delivered; the bot is stopped then.
    async fn settled(&mut self, id: &str) -> Value {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            tokio::time::sleep(Duration::from_millis(300)).await;
            drop(self.bot.take());
            let transcript = said(&self.data, &["export", id, "--format", "json"]);
            let transcript: Value = serde_json::from_slice(&transcript).unwrap();
            let entries = transcript["entries"].as_array().unwrap();
            let texts: Vec<String> = entries.iter().map(text_of).collect();
            let is_done = |text: &String| match text.strip_suffix(" is on its way") {
                Some(effect) => {
                    texts.iter().any(|other| other != text && other.starts_with(effect))
                }
                None => true,
            };
            if texts.iter().all(is_done) {
                return transcript;
            }
            assert!(tokio::time::Instant::now() < deadline, "never delivered: {texts:#?}");
            self.bot = Some(Bot::start(&self.data));
        }
    }

    /// Ends the bot and looks at what it has kept.
    async fn end(mut self, session: &str) -> End {
        let id = session.trim_start_matches("/s/");
        let transcript = self.settled(id).await;
        let verified: Value =
            serde_json::from_slice(&said(&self.data, &["audit", "verify", "--json"])).unwrap();
        assert_eq!(verified["holds"], true, "{verified}");
        let sessions: Value =
            serde_json::from_slice(&said(&self.data, &["sessions", "list", "--json"])).unwrap();
        assert_eq!(sessions.as_array().unwrap().len(), 1, "{sessions:#}");
        assert_eq!(sessions[0]["status"], "completed");
        assert_eq!(sessions[0]["pending"], 0);

        let entries = transcript["entries"].as_array().unwrap();
        let mut effects: Vec<String> =
            entries.iter().filter(|entry| entry["kind"] == "effect").map(text_of).collect();
        effects.sort();
        let words = |entry: &Value, key: &str| entry[key].as_str().unwrap().to_owned();
        let conversation = entries
            .iter()
            .filter(|entry| entry["kind"] != "effect")
            .map(|entry| (words(entry, "kind"), words(entry, "who"), text_of(entry)))
            .collect();
        let records = entries.iter().filter(|entry| entry["kind"] == "stored").map(|entry| {
            let data = &entry["data"];
            (data["dataType"].clone(), data["data"].clone(), data["reviewed"].clone())
        });
        let resume = said(&self.data, &["export", id, "--format", "json-resume"]);
        let mut resume: Value = serde_json::from_slice(&resume).unwrap();
        resume["meta"] = Value::Null;
        End {
            steps: self.steps,
            kills: self.kills,
            conversation,
            effects,
            records: records.collect(),
            resume,
        }
    }
}

fn text_of(entry: &Value) -> String {
    entry["text"].as_str().unwrap().to_owned()
}
