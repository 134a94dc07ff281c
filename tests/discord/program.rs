//! The program itself in Discord: it begins by its configuration, and is killed without mercy after each thing that
//! somebody does.

use std::{
    fs::{self, File},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    bot::{ADA, LINUS, WELCOME, configuration, furnish},
    emulator::{
        Discord, components,
        state::{State, TOKEN, may},
    },
};

/// A folder with configuration and data, beside a Discord.
struct Place {
    dir: tempfile::TempDir,
    discord: Discord,
}

/// A running program; it dies with this, as in a power cut.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A control on a message: its channel, the message, its id.
type Control = (u64, u64, String);

impl Place {
    async fn new() -> Self {
        let discord = Discord::start().await;
        discord.with(furnish);
        let dir = tempfile::tempdir().unwrap();
        let config = configuration(&discord, dir.path(), "enabled = [\"community-welcome\"]", "");
        fs::write(dir.path().join("config.toml"), config).unwrap();
        Self { dir, discord }
    }

    fn log(&self) -> PathBuf {
        self.dir.path().join("log")
    }

    /// Starts the program and waits until Discord reaches it.
    async fn start(&self) -> Program {
        let log = File::options().create(true).append(true).open(self.log()).unwrap();
        let before =
            self.discord.with(|state| state.gateway.identified() + state.gateway.resumed());
        let child = Command::new(env!("CARGO_BIN_EXE_anteroom"))
            .arg("run")
            .env_clear()
            .env("HOME", self.dir.path())
            .env("ANTEROOM_LISTEN", "127.0.0.1:0")
            .env("TOKEN", TOKEN.strip_prefix("Bot ").unwrap())
            .current_dir(self.dir.path())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let program = Program(child);
        let reached = |state: &State| {
            let now = state.gateway.identified() + state.gateway.resumed();
            (now > before && !state.commands.is_empty()).then_some(())
        };
        self.discord.until("the program", reached).await;
        program
    }

    /// Waits until somebody sees a button of that label.
    async fn sees(&self, user: u64, label: &str) -> Control {
        self.discord.until(label, |state| button(state, user, label)).await
    }

    async fn presses(&self, user: u64, (channel, message, id): &Control) {
        let data = json!({ "custom_id": id, "component_type": 2 });
        let at = (*channel, Some(*message));
        let (token, _) = self.discord.interact(3, user, at, &data).await;
        let answered = |state: &State| state.interactions[&token].answer.map(|_| ());
        self.discord.until("an answer", answered).await;
    }
}

/// The newest button of a label that somebody sees.
fn button(state: &State, user: u64, label: &str) -> Option<Control> {
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

#[tokio::test]
async fn the_program_dies_after_everything_that_somebody_does_and_nobody_notices() {
    let place = Place::new().await;
    let mut program = place.start().await;
    let panel = json!({ "id": "1", "name": "onboard", "type": 1, "options": [{ "name": "panel", "type": 1 }] });
    place.discord.interact(2, LINUS, (WELCOME, None), &panel).await;
    for (label, next) in [
        ("Start", "Ask staff"),
        ("Start", "I accept"),
        ("I accept", "Yes"),
        ("Yes", "Done"),
        ("Done", "No pings"),
        ("No pings", "Write it"),
        ("Skip", "Request it"),
    ] {
        let button = place.sees(ADA, label).await;
        place.presses(ADA, &button).await;
        drop(program);
        program = place.start().await;
        place.sees(ADA, next).await;
    }
    let (threads, member) = place.discord.with(|state| {
        let threads = state.channels.values().filter(|channel| channel.parent == Some(WELCOME));
        let guild = state.guilds.values().next().unwrap();
        (threads.count(), guild.members[&ADA].roles.len())
    });
    assert_eq!((threads, member), (1, 1));
    let cards = place.discord.with(|state| {
        let messages = state.channels.values().flat_map(|channel| channel.messages.values());
        let told = messages.map(|message| message.body.to_string());
        told.filter(|told| told.contains("Be kind")).count()
    });
    assert_eq!(cards, 1, "no question is asked twice");
    let log = fs::read_to_string(place.log()).unwrap();
    assert!(!log.contains("stamp.secret") && !log.contains("interaction-"), "{log}");
}
