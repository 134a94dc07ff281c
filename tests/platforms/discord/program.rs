//! The program itself in Discord: it begins by its configuration, and is killed without mercy after each thing that
//! somebody does.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anteroom::{
    base::clock::{Clock as _, SystemClock},
    gateway::discord::connect::PATH,
};
use serde_json::{Value, json};

use crate::discord::{
    bot::{ADA, By, LINUS, WELCOME, configuration, furnish},
    emulator::{
        Discord,
        acts::{Delivered, public_key},
        components,
        state::{State, TOKEN, may},
    },
    judges,
};
use crate::support::free_port::free_port;

/// A folder with configuration and data, beside a Discord.
pub(crate) struct Place {
    dir: tempfile::TempDir,
    pub(crate) discord: Discord,
    by: By,
}

/// A running program; it dies with this, as in a power cut.
pub(crate) struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A control on a message: its channel, the message, its id.
pub(crate) type Control = (u64, u64, String);

impl Place {
    /// A busy machine does not deliver at the pace at which calls leave, so fewer do than Discord takes.
    pub(crate) async fn new(by: By) -> Self {
        Self::with(by, "requests_per_second = 40").await
    }

    /// The program calls as often as it does by itself.
    pub(crate) async fn at_default_rate(by: By) -> Self {
        Self::with(by, "").await
    }

    /// Discord's time is that of the clock on the wall, as the program's is.
    async fn with(by: By, rate: &str) -> Self {
        let flows = |_: &Path| "enabled = [\"community-welcome\"]".to_owned();
        Self::configured(by, rate, (&flows, "")).await
    }

    /// A flow of one's own, which a model leads; `table` is the model's.
    pub(crate) async fn led(flow: &str, table: &str) -> Self {
        let flows = |dir: &Path| {
            fs::create_dir(dir.join("flows")).unwrap();
            fs::write(dir.join("flows/flow.toml"), flow).unwrap();
            let id = flow.lines().find_map(|line| line.strip_prefix("id = ")).unwrap();
            format!("dir = \"{}\"\nenabled = [{id}]", dir.join("flows").display())
        };
        Self::configured(By::Gateway, "", (&flows, table)).await
    }

    async fn configured(
        by: By,
        rate: &str,
        (flows, table): (&dyn Fn(&Path) -> String, &str),
    ) -> Self {
        let discord = Discord::start().await;
        discord.with(|state| {
            furnish(state);
            state.now = SystemClock.now();
            state.let_time_flow();
        });
        let dir = tempfile::tempdir().unwrap();
        let way = match by {
            By::Gateway => format!("message_content = true\n{rate}"),
            By::Http => {
                let port = free_port();
                discord.use_http(&format!("http://127.0.0.1:{port}{PATH}"));
                let key = public_key();
                format!(
                    "{rate}\ntransport = \"http\"\nlisten = \"127.0.0.1:{port}\"\npublic_key = \"{key}\""
                )
            }
        };
        let config = configuration(&discord, dir.path(), &flows(dir.path()), &way);
        fs::write(dir.path().join("config.toml"), format!("{config}\n{table}")).unwrap();
        Self { dir, discord, by }
    }

    fn log(&self) -> PathBuf {
        self.dir.path().join("log")
    }

    /// What the program has said so far; nobody's secrets are in it.
    pub(crate) fn said(&self) -> String {
        let log = fs::read_to_string(self.log()).unwrap();
        assert!(!log.contains("stamp.secret") && !log.contains("interaction-"), "{log}");
        log
    }

    /// Somebody of the staff posts the panel.
    pub(crate) async fn panel(&self) {
        let panel = json!({ "id": "1", "name": "onboard", "type": 1, "options": [{ "name": "panel", "type": 1 }] });
        self.discord.interact(2, LINUS, (WELCOME, None), &panel).await;
    }

    /// Starts the program and waits until Discord reaches it.
    pub(crate) async fn start(&self) -> Program {
        let log = File::options().create(true).append(true).open(self.log()).unwrap();
        let before =
            self.discord.with(|state| state.gateway.identified() + state.gateway.resumed());
        let mut child = Command::new(env!("CARGO_BIN_EXE_anteroom"))
            .args(["run", "--json"])
            .env_clear()
            .env("HOME", self.dir.path())
            .env("ANTEROOM_LISTEN", "127.0.0.1:0")
            .env("TOKEN", TOKEN.strip_prefix("Bot ").unwrap())
            .current_dir(self.dir.path())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        let program = Program(child);
        let line = tokio::task::spawn_blocking(move || {
            let mut line = String::new();
            BufReader::new(stdout).read_line(&mut line).unwrap();
            line
        });
        let ready: Result<Value, _> = serde_json::from_str(&line.await.unwrap());
        assert!(ready.is_ok(), "it did not start: {}", self.said());
        let reached = |state: &State| {
            let now = state.gateway.identified() + state.gateway.resumed();
            let is_there = self.by == By::Http || now > before;
            (is_there && !state.commands.is_empty()).then_some(())
        };
        self.discord.until("the program", reached).await;
        program
    }

    /// Waits until somebody sees a button of that label.
    pub(crate) async fn sees(&self, user: u64, label: &str) -> Control {
        self.discord.until(label, |state| button(state, user, label)).await
    }

    /// Presses a button; what came of it right away.
    pub(crate) async fn tries(&self, user: u64, control: &Control) -> (String, Delivered) {
        let (channel, message, id) = control;
        let data = json!({ "custom_id": id, "component_type": 2 });
        self.discord.interact(3, user, (*channel, Some(*message)), &data).await
    }

    /// Presses a button and waits until the bot has answered.
    pub(crate) async fn presses(&self, user: u64, control: &Control) {
        let (token, _) = self.tries(user, control).await;
        let answered = |state: &State| state.interactions[&token].answer.map(|_| ());
        self.discord.until("an answer", answered).await;
    }

    /// Waits until something is shown, which must be once.
    pub(crate) async fn shows_once(&self, words: &str) {
        let is_shown = |state: &State| (shown_in(state, words) > 0).then_some(());
        self.discord.until(words, is_shown).await;
        assert_eq!(self.shown(words), 1, "{words}");
    }

    /// How often something is shown anywhere.
    pub(crate) fn shown(&self, words: &str) -> usize {
        self.discord.with(|state| shown_in(state, words))
    }
}

fn shown_in(state: &State, words: &str) -> usize {
    let messages = state.channels.values().flat_map(|channel| channel.messages.values());
    messages.filter(|message| message.body.to_string().contains(words)).count()
}

impl Drop for Place {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            judges::judge_all(&self.discord.with(|state| state.requests.clone()));
        }
    }
}

/// The newest button of a label that somebody sees.
pub(crate) fn button(state: &State, user: u64, label: &str) -> Option<Control> {
    let channels = state.channels.iter();
    let seen = channels.filter(|(id, _)| state.permissions(user, **id) & may::VIEW != 0);
    let mut messages: Vec<(u64, u64, Value)> = seen
        .flat_map(|(channel, here)| {
            let all = here.messages.iter();
            let all = all.filter(|(_, message)| message.only_for.is_none_or(|only| only == user));
            all.map(|(id, message)| (*id, *channel, message.body["components"].clone()))
        })
        .collect();
    messages.sort_by_key(|(id, ..)| std::cmp::Reverse(*id));
    messages.iter().find_map(|(id, channel, body)| {
        let body = body.as_array()?;
        let all = components::all(body);
        let found = all.iter().find(|component| component["label"] == label)?;
        Some((*channel, *id, found["custom_id"].as_str()?.to_owned()))
    })
}

/// What somebody presses from the panel on, and what they see then.
pub(crate) const WAY: [(&str, &str); 7] = [
    ("Start", "Ask staff"),
    ("Start", "I accept"),
    ("I accept", "Yes"),
    ("Yes", "Done"),
    ("Done", "No, thanks"),
    ("No, thanks", "Fill in"),
    ("Skip", "Request it"),
];

/// The program dies after each thing that somebody does.
async fn survives(by: By) {
    let place = Place::new(by).await;
    let mut program = place.start().await;
    place.panel().await;
    for (label, next) in WAY {
        let button = place.sees(ADA, label).await;
        place.presses(ADA, &button).await;
        drop(program);
        program = place.start().await;
        place.sees(ADA, next).await;
    }
    let (threads, roles) = place.discord.with(|state| {
        let threads = state.channels.values().filter(|channel| channel.parent == Some(WELCOME));
        let guild = state.guilds.values().next().unwrap();
        (threads.count(), guild.members[&ADA].roles.len())
    });
    assert_eq!((threads, roles), (1, 1));
    assert_eq!(place.shown("Be kind"), 1, "no question is asked twice");
    if by == By::Gateway {
        // It is the same session with Discord all the time.
        assert_eq!(place.discord.with(|state| state.gateway.identified()), 1);
    }
    place.said();
    drop(program);
}

#[tokio::test]
async fn a_bot_at_the_gateway_that_is_killed_after_every_step_loses_and_repeats_nothing() {
    survives(By::Gateway).await;
}

#[tokio::test]
async fn a_bot_over_http_that_is_killed_after_every_step_loses_and_repeats_nothing() {
    survives(By::Http).await;
}

/// How long Discord is away on the clock on the wall; `OUTAGE_SECONDS` makes it longer.
fn outage() -> Duration {
    let seconds = std::env::var_os("OUTAGE_SECONDS");
    let seconds = seconds.map_or(3, |text| text.to_str().unwrap().parse().unwrap());
    Duration::from_secs(seconds)
}

/// Nobody can post while Discord's API refuses connections; presses still arrive, and are answered once it is back.
#[tokio::test]
async fn what_waits_for_an_outage_leaves_in_order_within_a_minute_of_its_end() {
    let place = Place::new(By::Http).await;
    let _program = place.start().await;
    place.panel().await;
    for (label, next) in WAY {
        let control = place.sees(ADA, label).await;
        let is_away = label == "I accept";
        if is_away {
            place.discord.leaves();
        }
        let (token, _) = place.tries(ADA, &control).await;
        if is_away {
            tokio::time::sleep(outage()).await;
            assert!(place.discord.with(|state| button(state, ADA, next)).is_none());
            place.discord.comes_back().await;
            let back = Instant::now();
            while place.discord.with(|state| button(state, ADA, next)).is_none() {
                assert!(back.elapsed() < Duration::from_mins(1), "{}", place.said());
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        } else {
            let answered = |state: &State| state.interactions[&token].answer.map(|_| ());
            place.discord.until("an answer", answered).await;
        }
        place.sees(ADA, next).await;
    }
    for words in ["Be kind", "What brings you here?", "Are you at least 13"] {
        assert_eq!(place.shown(words), 1, "{words}");
    }
    place.said();
}
