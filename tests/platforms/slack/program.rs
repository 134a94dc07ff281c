//! The program itself in Slack: over sockets and HTTP, killed without mercy, slow models, many people at once.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use anteroom::base::clock::SystemClock;
use futures::future::join_all;
use serde_json::Value;

use crate::slack::{
    emulator::{APP_TOKEN, BOT_TOKEN, SIGNING_SECRET, Settings, Slack, person::Person},
    provider::{Ending, Provider, Reply},
};
use crate::support::free_port::free_port;

/// A choice, words, a choice.
const FLOW: &str = r#"
format = 1
id = "tour"
version = "1.0.0"
title = "A short tour"

[start.slack]
commands = ["/onboard"]
place = "dm"

[approvals.override]
decider = "participant"

[[phase]]
id = "one"
title = "One"
mode = "script"
tools = ["get_user_option", "request_user_input"]

  [[phase.objective]]
  id = "worded"
  title = "A word"
  done = { answered = { step = "word" } }

  [[phase.step]]
  id = "colour"
  tool = "get_user_option"
  args = { prompt = "Which colour?", options = [ { id = "red", label = "Red" }, { id = "blue", label = "Blue" } ] }

  [[phase.step]]
  id = "word"
  tool = "request_user_input"
  args = { prompt = "A word, please." }

  [[phase.step]]
  id = "size"
  tool = "get_user_option"
  args = { prompt = "Which size?", options = [ { id = "small", label = "Small" }, { id = "large", label = "Large" } ] }
"#;

/// A model talks.
pub(crate) const LED: &str = r#"
format = 1
id = "led"
version = "1.0.0"
title = "A talk"

[start.slack]
commands = ["/onboard"]
place = "dm"

[approvals.override]
decider = "participant"

[[phase]]
id = "one"
title = "One"
mode = "interview"
tools = ["get_user_option", "request_user_input", "next_phase"]
prompt = "Ask for a colour."
fallback = "script"

  [[phase.objective]]
  id = "talked"
  title = "A talk"
  done = { any = [ { talked = 3 }, { answered = { step = "word" } } ] }

  [[phase.step]]
  id = "word"
  tool = "request_user_input"
  args = { prompt = "A word, please." }
"#;

/// How the program is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Sockets,
    Http,
}

/// A folder with configuration, flow and data, beside a Slack.
pub(crate) struct Place {
    dir: tempfile::TempDir,
    pub(crate) slack: Slack,
    by: By,
    /// Where Slack's requests come in, over HTTP.
    port: u16,
}

/// So high that no test waits for them.
const RATES: &str = "
            [slack.rates]
            posts_per_channel = 100000
            posts_burst = 1000
            posts_per_workspace = 100000
            tier_2 = 100000
            tier_3 = 100000
            tier_4 = 100000
";

impl Place {
    pub(crate) async fn new(by: By, flow: &str, more: &str) -> Self {
        Self::with(by, flow, &format!("{RATES}{more}")).await
    }

    /// With the rates that the program comes with.
    pub(crate) async fn at_default_rates(by: By, flow: &str) -> Self {
        Self::with(by, flow, "").await
    }

    /// The same with more of a configuration.
    pub(crate) async fn at_default_rates_with(by: By, flow: &str, more: &str) -> Self {
        Self::with(by, flow, more).await
    }

    async fn with(by: By, flow: &str, more: &str) -> Self {
        let settings = Settings { ack_limit: Duration::from_secs(3), ..Settings::new() };
        let slack = Slack::start(settings.on(Arc::new(SystemClock))).await;
        let dir = tempfile::tempdir().unwrap();
        let flows = dir.path().join("flows");
        fs::create_dir(&flows).unwrap();
        fs::write(flows.join("flow.toml"), flow).unwrap();
        let id = flow.lines().find_map(|line| line.strip_prefix("id")?.trim().strip_prefix('='));
        let id = id.unwrap();
        let port = free_port();
        let transport = match by {
            By::Sockets => "transport = \"socket\"\napp_token_env = \"APP_TOKEN\"".to_owned(),
            By::Http => format!(
                "transport = \"http\"\nsigning_secret_env = \"SIGNING_SECRET\"\nlisten = \"127.0.0.1:{port}\""
            ),
        };
        let config = format!(
            r#"
            [data]
            dir = "{data}"
            [web]
            listen = "127.0.0.1:0"
            [vars]
            organisation = "Example Ltd"
            privacy_url = "https://example.org/privacy"
            contact = "people@example.org"
            [flows]
            dir = "{flows}"
            enabled = [{id}]
            [slack]
            {transport}
            bot_token_env = "BOT_TOKEN"
            api_url = "{api}"
            [limits]
            person_per_minute = 10000
            {more}
            "#,
            data = dir.path().join("data").display(),
            flows = flows.display(),
            api = slack.api_url().trim_end_matches('/'),
        );
        fs::write(dir.path().join("config.toml"), config).unwrap();
        Self { dir, slack, by, port }
    }

    fn log(&self) -> PathBuf {
        self.dir.path().join("log")
    }

    /// The program, with what it needs to know.
    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anteroom"));
        command
            .env_clear()
            .env("HOME", self.dir.path())
            .env("BOT_TOKEN", BOT_TOKEN)
            .env("APP_TOKEN", APP_TOKEN)
            .env("SIGNING_SECRET", SIGNING_SECRET)
            .current_dir(self.dir.path());
        command
    }

    /// What `anteroom doctor slack` says.
    fn doctor(&self) -> String {
        let output = self.command().args(["doctor", "slack"]).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        format!("{}{}", text(&output.stdout), text(&output.stderr))
    }

    /// Starts the program and waits until it can be reached.
    pub(crate) async fn start(&self) -> Program {
        let log = File::options().create(true).append(true).open(self.log()).unwrap();
        let mut child = self
            .command()
            .args(["run", "--json"])
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
        let line = line.await.unwrap();
        let ready: Result<Value, _> = serde_json::from_str(&line);
        assert!(ready.is_ok(), "it did not start: {}", fs::read_to_string(self.log()).unwrap());
        match self.by {
            By::Sockets => self.slack.connected(1).await,
            By::Http => {
                let base = format!("http://127.0.0.1:{}", self.port);
                self.slack.use_http(&base, ["/slack/events"; 3]);
            }
        }
        program
    }
}

/// A running program; it dies with this, as in a power cut.
pub(crate) struct Program(Child);

impl Program {
    pub(crate) fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Goes through the tour that has begun; `between` happens after everything that Ada does.
async fn tour(ada: &Person, mut between: impl AsyncFnMut()) {
    ada.sees("Which colour?").await;
    insist(ada, "Blue").await;
    between().await;
    ada.sees("A word, please.").await;
    ada.reply("Kestrel").await;
    between().await;
    ada.sees("Which size?").await;
    insist(ada, "Large").await;
    between().await;
    ada.sees("Large").await;
}

/// Presses a button, again where nobody took the click in time and the person was told so.
pub(crate) async fn insist(person: &Person, label: &str) {
    for _ in 0..20 {
        if person.try_press(label).await.is_ok() {
            return;
        }
    }
    panic!("nobody takes `{label}`:\n{}", person.screen());
}

/// What somebody can read at the end, when nothing more comes: line by line, since what answers the command comes by
/// another way than the rest.
async fn end(person: &Person) -> Vec<String> {
    person.sees("Download my answers").await;
    person.sees_no_more("[Large]").await;
    let screen = person.screen();
    let mut lines: Vec<String> = screen
        .lines()
        .filter(|line| !line.contains("could not be saved") && !line.starts_with('⚠'))
        // The button under an answer goes with an edit that nobody waits for.
        .filter(|line| line.trim() != "[Change]")
        // Neither the time of day nor the number of the conversation is told.
        .map(|line| line.split_once("ses_").map_or(line, |(before, _)| before))
        .map(|line| line.replace(|c: char| c.is_ascii_digit(), "0"))
        .collect();
    lines.sort();
    lines
}

async fn survives(by: By) {
    let quiet = Place::new(by, FLOW, "").await;
    let program = quiet.start().await;
    let ada = quiet.slack.person("U0ADA");
    ada.command("/onboard start").await;
    tour(&ada, async || {}).await;
    let expected = end(&ada).await;
    drop(program);

    let place = Place::new(by, FLOW, "").await;
    let mut program = Some(place.start().await);
    let ada = place.slack.person("U0ADA");
    let mut dies = async || {
        program.take().unwrap().kill();
        program = Some(place.start().await);
        place.slack.redeliver().await;
    };
    ada.command("/onboard start").await;
    dies().await;
    tour(&ada, dies).await;
    assert_eq!(end(&ada).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_on_sockets_that_is_killed_after_every_step_loses_and_repeats_nothing() {
    survives(By::Sockets).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_on_http_that_is_killed_after_every_step_loses_and_repeats_nothing() {
    survives(By::Http).await;
}

/// How long Slack is away on the clock on the wall; `OUTAGE_SECONDS` makes it longer.
fn outage() -> Duration {
    let seconds = std::env::var_os("OUTAGE_SECONDS");
    let seconds = seconds.map_or(3, |text| text.to_str().unwrap().parse().unwrap());
    Duration::from_secs(seconds)
}

/// Nobody can post while Slack refuses connections, but what people do still arrives.
#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_an_outage_leaves_in_order_within_a_minute_of_its_end() {
    let quiet = Place::new(By::Http, FLOW, "").await;
    let program = quiet.start().await;
    let ada = quiet.slack.person("U0ADA");
    ada.command("/onboard start").await;
    tour(&ada, async || {}).await;
    let expected = end(&ada).await;
    drop(program);

    let place = Place::new(By::Http, FLOW, "").await;
    let _program = place.start().await;
    let ada = place.slack.person("U0ADA");
    ada.command("/onboard start").await;
    ada.sees("Which colour?").await;
    place.slack.go_away().await;
    insist(&ada, "Blue").await;
    tokio::time::sleep(outage()).await;
    assert!(!ada.can_see("A word, please."), "{}", ada.screen());
    place.slack.come_back().await;
    ada.sees("A word, please.").await;
    ada.reply("Kestrel").await;
    ada.sees("Which size?").await;
    insist(&ada, "Large").await;
    ada.sees("Large").await;
    assert_eq!(end(&ada).await, expected);
}

/// Whoever runs the bot reads what its deliveries are waiting for, and what ends that.
#[tokio::test(flavor = "multi_thread")]
async fn doctor_says_what_deliveries_of_the_running_bot_wait_for() {
    let place = Place::new(By::Sockets, FLOW, "").await;
    let _program = place.start().await;
    let ada = place.slack.person("U0ADA");
    ada.command("/onboard start").await;
    ada.sees("Which colour?").await;
    let well = place.doctor();
    assert!(well.contains("deliveries of the running bot"), "{well}");
    assert!(!well.contains("waiting since"), "{well}");
    place.slack.with(|state| {
        state.tokens.get_mut(BOT_TOKEN).unwrap().refused = Some("token_revoked");
    });
    insist(&ada, "Blue").await;
    // It is known as soon as something was refused.
    let told = (0..100).map(|_| place.doctor()).find(|told| told.contains("since"));
    let told = told.expect("the cause is known");
    assert!(told.contains("deliveries: warning: the workspace"), "{told}");
    assert!(told.contains("doesn't accept the bot's token; "), "{told}");
    assert!(told.contains("hint: put a valid token into the configuration"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn acknowledgements_do_not_wait_for_the_model() {
    for by in [By::Sockets, By::Http] {
        let model = Provider::start(&[Reply::says("").ending(0, Ending::Silence)]).await;
        let llm = format!("[llm.interview]\nbase_url = \"{}\"\nmodel = \"m\"", model.url);
        let place = Place::new(by, LED, &llm).await;
        let _program = place.start().await;
        let people = ["U0ADA", "U0LINUS", "U0MALLORY"].map(|user| place.slack.person(user));
        for person in &people {
            person.command("/onboard start").await;
        }
        for n in 0..20 {
            for person in &people {
                person.say(&format!("Word {n}")).await;
            }
        }
        assert!(!model.seen().is_empty(), "the model was asked");
        let slowest = place.slack.slowest_ack();
        assert!(slowest < Duration::from_secs(1), "{slowest:?}");
        assert_eq!(place.slack.redeliver().await, 0, "everything was taken");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_people_at_once_each_have_their_own_talk() {
    let place = Place::new(By::Sockets, FLOW, "").await;
    place.slack.with(|state| state.settings.patience = Duration::from_mins(5));
    let people: Vec<Person> = (0..200)
        .map(|n| {
            let id = format!("U1{n:03}");
            place.slack.with(|state| {
                state.hire(&id, &format!("Candidate{n} Byron"));
            });
            place.slack.person(&id)
        })
        .collect();
    let _program = place.start().await;
    // They come in groups, and then all of them talk at once.
    for group in people.chunks(10) {
        join_all(group.iter().map(|person| person.command("/onboard start"))).await;
    }
    let talks = people.iter().map(async |person| {
        tour(person, async || _ = place.slack.redeliver().await).await;
        end(person).await
    });
    let screens = join_all(talks).await;
    for screen in &screens {
        let lines =
            |screen: &[String]| screen.join("\n").replace("000 ", "0 ").replace("00 ", "0 ");
        assert_eq!(lines(screen), lines(&screens[0]));
    }
    assert_eq!(place.slack.redeliver().await, 0, "everything was taken");
}
