//! What people do, told once for every chat: a stage is a platform with Ada on it, and each story leaves the same log everywhere.

use anteroom::store::{Store, memory::MemoryStore};
use chrono::TimeDelta;

use super::{
    bot::{self as discord, Plan},
    log,
    plain::{bot as plain, flows::TALK},
    slack::bot as slack,
};

/// What happens next.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// Ada presses this.
    Press(&'static str),
    /// Ada writes this.
    Write(&'static str),
    /// Ada drops a file into the conversation.
    Drop(&'static str, &'static [u8]),
    /// Hours pass.
    Pass(i64),
    /// The process dies, and the next one begins.
    Crash,
}

use Step::{Crash, Drop, Pass, Press, Write};

const CV: Step = Drop("cv.txt", b"Programmer since 1842.");
const PHOTO: Step = Drop("photo.heic", b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00heic");

#[rustfmt::skip]
const STORIES: [(&str, &[Step]); 9] = [
    ("types instead of pressing", &[Write("blue please"), CV, Write("Bone")]),
    ("writes what fits nothing", &[Write("Something in between"), Press("Red"), Press("Skip"), Write("Bone")]),
    ("stops, and goes on", &[Write("Stop."), Write("resume"), Press("Blue")]),
    ("wants a person, and goes on", &[Write("human"), Write("Hello?"), Write("continue"), Press("Blue")]),
    ("sends what cannot be taken", &[Press("Blue"), PHOTO, CV]),
    ("is silent for long", &[Pass(25), Pass(48), Pass(300), Press("Blue")]),
    ("asks for a copy in between", &[Write("export"), Press("Blue"), Write("export")]),
    ("keeps everything after all", &[Write("delete my data"), Press("Keep everything"), Press("Blue")]),
    ("notices no restart", &[Crash, Press("Blue"), Crash, CV, Crash, Write("Bone")]),
];

/// A platform with Ada on it, who has begun.
trait Stage: Sized {
    async fn begun(flow: &str) -> Self;
    async fn press(&self, label: &str);
    async fn write(&self, text: &str);
    async fn drop_file(&self, name: &str, bytes: &[u8]);
    async fn pass(&self, time: TimeDelta);
    async fn crash(&mut self);
    fn store(&self) -> &MemoryStore;
}

#[tokio::test]
async fn every_story_leaves_the_same_log_in_every_chat() {
    for (story, steps) in STORIES {
        let plain = played::<plain::Bot>(steps).await;
        for (platform, there) in [
            ("Slack", played::<slack::Bot>(steps).await),
            ("Discord", played::<discord::Bot>(steps).await),
        ] {
            for (ours, theirs) in plain.lines().zip(there.lines()) {
                assert_eq!(ours, theirs, "Ada {story}, in a plain chat and in {platform}");
            }
            let (ours, theirs) = (plain.lines().count(), there.lines().count());
            assert_eq!(
                ours, theirs,
                "Ada {story}: {platform} has more, or less\n{plain}\n\n{there}"
            );
        }
    }
}

/// The log of a story.
async fn played<S: Stage>(steps: &[Step]) -> String {
    let flow = TALK.replace(
        "[pace]",
        r#"[start.slack]
commands = ["/onboard"]
place = "dm"

[start.discord]
panel = true
panel_text = "Press Start."
place = "private-thread"
parent = "welcome"
fallback = "dm"

[pace]"#,
    );
    let mut stage = S::begun(&flow).await;
    for step in steps {
        match *step {
            Press(label) => stage.press(label).await,
            Write(text) => stage.write(text).await,
            Drop(name, bytes) => stage.drop_file(name, bytes).await,
            Pass(hours) => stage.pass(TimeDelta::hours(hours)).await,
            Crash => stage.crash().await,
        }
    }
    let store = stage.store();
    let head = store.sessions(None, 1).await.unwrap().remove(0);
    log::of(&store.load(head.id).await.unwrap().unwrap().events)
}

impl Stage for plain::Bot {
    async fn begun(flow: &str) -> Self {
        Self::begun(flow, None).await
    }

    async fn press(&self, label: &str) {
        self.ada().press(label).await;
    }

    async fn write(&self, text: &str) {
        self.ada().says(text).await;
    }

    async fn drop_file(&self, name: &str, bytes: &[u8]) {
        self.ada().sends("", &[(name, bytes)]).await;
    }

    async fn pass(&self, time: TimeDelta) {
        self.pass(time).await;
    }

    async fn crash(&mut self) {
        self.crash().await;
    }

    fn store(&self) -> &MemoryStore {
        &self.store
    }
}

impl Stage for slack::Bot {
    async fn begun(flow: &str) -> Self {
        let bot = Self::on(flow).await;
        bot.ada().command("/onboard start").await;
        bot
    }

    async fn press(&self, label: &str) {
        self.ada().press(label).await;
    }

    async fn write(&self, text: &str) {
        self.ada().reply(text).await;
    }

    async fn drop_file(&self, name: &str, bytes: &[u8]) {
        self.ada().drop_file(name, bytes, "").await;
    }

    async fn pass(&self, time: TimeDelta) {
        self.pass(time).await;
    }

    async fn crash(&mut self) {
        self.crash().await;
    }

    fn store(&self) -> &MemoryStore {
        &self.store
    }
}

impl Stage for discord::Bot {
    async fn begun(flow: &str) -> Self {
        let bot = Self::planned(Plan { flow: Some(flow.to_owned()), ..Plan::hearing() }).await;
        bot.discord.with(|state| {
            "Ada Byron".clone_into(&mut state.users.get_mut(&discord::ADA).unwrap().name);
        });
        bot.ada().at("welcome").command("/onboard start", &[]).await;
        bot
    }

    async fn press(&self, label: &str) {
        self.ada().at("welcome-ada-byron").press(label).await;
    }

    async fn write(&self, text: &str) {
        self.ada().at("welcome-ada-byron").write(text).await;
    }

    async fn drop_file(&self, name: &str, bytes: &[u8]) {
        let ada = self.ada().at("welcome-ada-byron");
        let file = self.discord.with(|state| {
            state.upload(ada.channel(), (name, "application/octet-stream"), bytes, false)
        });
        ada.drop_files("", vec![file]).await;
    }

    async fn pass(&self, time: TimeDelta) {
        self.pass(time).await;
    }

    async fn crash(&mut self) {
        self.crash().await;
    }

    fn store(&self) -> &MemoryStore {
        &self.store
    }
}
