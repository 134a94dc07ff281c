//! `anteroom flows test --record`: a test is written from a recording. What people did is done again as a test would do
//! it, with the steps of the flow and a clock of its own; what comes of it is what the test expects.

mod steps;
mod written;

use std::{collections::BTreeSet, fs, path::Path, process::ExitCode, sync::Arc};

use anyhow::Context as _;
use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};
use serde_json::{Value, json};

use self::{steps::Earlier, written::Written};
use super::{
    expected,
    format::{Expect, Platform, Step, TestFile},
    load,
    talk::{self, Talk},
};
use crate::{
    base::clock::SystemClock,
    config::{problem::listed, toml_document::TomlDocument},
    engine::recording::conversations::{Arrived, Conversation, conversations},
    flow::LoadedFlow,
    model::{
        flow::Period,
        transcript::{Event, ObjectiveStatus, Recorded},
    },
    ops::{
        Problems,
        app::{self, Wanted},
        output_file,
        play::Temporary,
        replay::{text_of, warn_of_cut},
        sentence,
        shared_args::Output,
        stage::Scene,
        term,
    },
    ports::{artifacts::extract::Extractor, llm::Models},
    session::State,
};

/// A pause this long is one of the test, whatever came of it.
const PAUSE: TimeDelta = TimeDelta::hours(1);

/// What happens so long after somebody did something did not come of that, but of time.
const LATER: TimeDelta = TimeDelta::seconds(30);

/// Writes a test file with the conversations of one flow; exit code 1 where it does not pass.
pub(super) fn record(
    wanted: &Wanted,
    file: &Path,
    flow: Option<&str>,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let named = || format!("could not make a test from `{}`", file.display());
    let text = text_of(file).with_context(named)?;
    let (recorded, is_cut) = conversations(&text).with_context(named)?;
    if is_cut {
        warn_of_cut(file);
    }
    let recorded = chosen(recorded, flow)?;
    let tasks = Arc::new(app::tasks(&wanted.settings()?)?);
    let toolbox = Arc::new(app::toolbox(&tasks)?);
    let scene = |flow: Arc<LoadedFlow>, platform: Platform| -> anyhow::Result<Scene> {
        Ok(Scene {
            flow,
            toolbox: Arc::clone(&toolbox),
            tasks: Arc::clone(&tasks),
            models: Models::default(),
            extractor: Extractor::own().context("this program cannot find itself")?,
            clock: Arc::new(SystemClock),
            window_tokens: u64::MAX,
            platform: platform.into(),
        })
    };
    let folder = Temporary::create()?;
    let (mut tests, mut scenes) = (Vec::new(), Vec::new());
    for conversation in &recorded {
        let Conversation { source, flow, vars, .. } = conversation;
        let flow = Arc::new(LoadedFlow::load(source, flow, vars).map_err(Problems)?);
        let Some(begun) = Begun::of(conversation) else { continue };
        let scene = scene(flow, begun.platform)?;
        let own = fresh(&folder, &format!("told-{}", tests.len()))?;
        let replayed =
            app::block_on(async { Ok(replay(conversation, &begun, &scene, &own).await?) })?;
        if let Some(words) = &replayed.otherwise {
            term::tell(words);
        }
        tests.push(replayed);
        scenes.push(scene);
    }
    let Some(first) = recorded.first() else { return Err(sentence("nothing was recorded")) };
    let story = written::file(&first.flow, tests);
    output_file::deliver(output, story.as_bytes())?;
    if let Some(file) = &output.output {
        term::tell(format!("Wrote {}.", file.display()));
    }
    passes(&story, &scenes, &folder)
}

/// The conversations of one flow.
fn chosen(all: Vec<Conversation>, flow: Option<&str>) -> anyhow::Result<Vec<Conversation>> {
    let flows: BTreeSet<String> = all.iter().map(|recorded| recorded.flow.clone()).collect();
    let names = || listed(flows.iter().map(String::as_str));
    let flow = match (flow, flows.first()) {
        (_, None) => {
            return Err(sentence(
                "no conversation began while this was recorded. hint: begin one while `play --record` runs",
            ));
        }
        (None, Some(only)) if flows.len() == 1 => only.clone(),
        (None, Some(_)) => {
            let message = format!("these flows were recorded: {}", names());
            return Err(sentence(format!("{message}. hint: name one of them with `--flow`")));
        }
        (Some(flow), _) if flows.contains(flow) => flow.to_owned(),
        (Some(flow), _) => {
            let message = format!("the flow `{flow}` was not recorded; these were: {}", names());
            return Err(sentence(message));
        }
    };
    Ok(all.into_iter().filter(|recorded| recorded.flow == flow).collect())
}

fn fresh(folder: &Temporary, name: &str) -> anyhow::Result<std::path::PathBuf> {
    let own = folder.path().join(name);
    fs::create_dir(&own).context("could not create a temporary directory")?;
    Ok(own)
}

/// How a conversation began.
struct Begun {
    at: DateTime<Utc>,
    platform: Platform,
}

impl Begun {
    fn of(conversation: &Conversation) -> Option<Self> {
        let first = conversation.events.first()?;
        let Event::Started(started) = &*first.event else { return None };
        Some(Self { at: first.at.trunc_subsecs(0), platform: started.place.platform.into() })
    }
}

/// Does again what was recorded; the test that comes of it.
async fn replay(
    conversation: &Conversation,
    begun: &Begun,
    scene: &Scene,
    folder: &Path,
) -> Result<Written, crate::engine::Error> {
    let (talk, _) = Talk::begin(scene, (Some(begun.at), None), folder).await?;
    let mut replayed = Replay { talk, clock: begun.at, folder, steps: Vec::new() };
    let (mut since, mut earlier) = ((begun.at, 0), Earlier::default());
    for Arrived { at, inbound, known } in &conversation.inbound {
        let news = conversation.events.get(since.1..*known).unwrap_or_default();
        let by_time = news.iter().any(|recorded| recorded.at - since.0 >= LATER);
        replayed.wait(*at, by_time).await?;
        let before = conversation.events.get(..*known).unwrap_or_default();
        match State::fold(before) {
            Some(state) => match steps::of(inbound, &state, &mut earlier) {
                Ok(steps) => {
                    for step in steps {
                        replayed.take(step).await?;
                    }
                }
                Err(why) => replayed.steps.push(Err(why)),
            },
            None => replayed.steps.push(Err("what was done without a conversation".to_owned())),
        }
        since = (*at, *known);
    }
    let rest = conversation.events.get(since.1..).unwrap_or_default();
    if let Some(last) = rest.iter().rfind(|recorded| recorded.at - since.0 >= LATER) {
        replayed.wait(last.at, true).await?;
    }
    Ok(replayed.finished(conversation, begun, &scene.flow))
}

/// A test that is being written.
struct Replay<'a> {
    talk: Talk,
    /// The time in the test.
    clock: DateTime<Utc>,
    folder: &'a Path,
    /// What was done, or what of the recording a test can't do.
    steps: Vec<Result<Step, String>>,
}

impl Replay<'_> {
    /// Time passes, where that matters: for long, or so long that something came of it.
    async fn wait(
        &mut self,
        until: DateTime<Utc>,
        matters: bool,
    ) -> Result<(), crate::engine::Error> {
        let gap = until - self.clock;
        let Ok(whole) =
            TimeDelta::seconds((gap + TimeDelta::milliseconds(999)).num_seconds()).to_std()
        else {
            return Ok(());
        };
        if whole.is_zero() || (gap < PAUSE && !matters) {
            return Ok(());
        }
        self.clock += TimeDelta::from_std(whole).unwrap_or_default();
        self.take(Step { wait: Some(Period(whole)), ..Step::default() }).await
    }

    /// One step; what can't be done is left out, and what is refused is expected to be.
    async fn take(&mut self, mut step: Step) -> Result<(), crate::engine::Error> {
        let phase = |talk: &Talk| Some(talk.state.as_ref()?.phase()?.to_owned());
        let before = (phase(&self.talk), expected::status_of(self.talk.state.as_ref()));
        let wrong = self.talk.take(&step, self.folder).await?;
        let mut expect = Expect::default();
        if let Some(why) = self.talk.refused.clone() {
            expect.refused = Some(why);
        } else if let Some((_, why)) = wrong.iter().find(|(at, _)| !at.is_empty()) {
            self.steps.push(Err(why.clone()));
            return Ok(());
        }
        let after = (phase(&self.talk), expected::status_of(self.talk.state.as_ref()));
        expect.phase = after.0.filter(|phase| before.0.as_ref() != Some(phase));
        expect.status = Some(after.1).filter(|status| *status != before.1);
        step.expect = Some(expect);
        self.steps.push(Ok(step));
        Ok(())
    }

    /// The whole of it, with what has come of it at the end.
    fn finished(
        mut self,
        conversation: &Conversation,
        begun: &Begun,
        flow: &LoadedFlow,
    ) -> Written {
        // What the program makes itself is made again.
        let declared = |name: &String| flow.flow.vars.contains(name);
        let vars =
            conversation.vars.clone().into_iter().filter(|(name, _)| declared(name)).collect();
        let done = self.steps.iter().rposition(Result::is_ok).unwrap_or_else(|| {
            self.steps.push(Ok(Step::default()));
            self.steps.len() - 1
        });
        if let Some(Ok(step)) = self.steps.get_mut(done) {
            at_the_end(&self.talk, step.expect.get_or_insert_default());
        }
        Written {
            platform: begun.platform,
            begins: begun.at,
            vars,
            otherwise: otherwise(&self.talk, &conversation.events),
            has_model: conversation.has_model,
            steps: self.steps,
        }
    }
}

/// How a conversation ended when it was recorded, where the test ends otherwise; what is erased in the test is not compared.
fn otherwise(talk: &Talk, events: &[Recorded]) -> Option<String> {
    let now = talk.state.as_ref()?;
    let then = State::fold(events)?;
    let words = |state: &State| {
        let status = expected::status_of(Some(state)).name();
        state.phase().map_or_else(|| status.to_owned(), |phase| format!("{status}, in {phase}"))
    };
    let (then, now) = (words(&then), words(now));
    (then != now).then(|| format!("When it was recorded, it ended otherwise: {then}; here: {now}."))
}

/// What stands at the end: how the conversation stands, what is stored, and what has been done with it.
fn at_the_end(talk: &Talk, expect: &mut Expect) {
    expect.status = Some(expected::status_of(talk.state.as_ref()));
    let Some(state) = &talk.state else { return };
    expect.phase = state.phase().map(str::to_owned);
    for (id, (status, _)) in &state.objectives {
        if let Some(word) = json!(status).as_str().filter(|_| *status != ObjectiveStatus::Pending) {
            expect.objectives.insert(id.clone(), word.to_owned());
        }
    }
    let kinds: BTreeSet<&str> = state.records.iter().map(|r| r.data_type.as_str()).collect();
    for kind in kinds {
        if let Some(record) = state.record(kind) {
            expect.records.insert(kind.to_owned(), record.data.clone());
        }
    }
    expect.values = state.values.clone().into_iter().collect();
    for recorded in &talk.events {
        if let Event::EffectNoted { what, outcome, .. } = &*recorded.event
            && outcome.is_under_way()
            && !expect.effects.contains(what)
        {
            expect.effects.push(what.clone());
        }
    }
    for (alias, body) in talk.hooked() {
        expect.hooks.insert(alias, lasting(&body));
    }
}

/// What of a web hook's payload is the same whenever the conversation is held: neither ids nor digests of samples.
fn lasting(body: &Value) -> Value {
    let members = ["event", "phase", "data", "decision"];
    let members = members.map(|name| (name.to_owned(), body[name].clone()));
    let file =
        |file: &Value| json!({ "upload_type": file["upload_type"], "filename": file["filename"] });
    let files = body["files"].as_array().map(|files| files.iter().map(file).collect());
    let files = ("files".to_owned(), files.unwrap_or(Value::Null));
    Value::Object(members.into_iter().chain([files]).collect())
}

/// Runs the tests as they were written; what is wrong is told.
fn passes(story: &str, scenes: &[Scene], folder: &Temporary) -> anyhow::Result<ExitCode> {
    let document = TomlDocument::parse("the test", story).map_err(Problems)?;
    let file: TestFile = document.read().map_err(Problems)?;
    let mut is_ok = true;
    for (n, (test, scene)) in file.test.into_iter().zip(scenes).enumerate() {
        let name = test.name.clone();
        let loaded = load::resolved((test, n), None, Arc::clone(&scene.flow), file.vars.clone());
        let own = fresh(folder, &format!("run-{n}"))?;
        let paths = (own.as_path(), own.as_path());
        let told = app::block_on(async { Ok(talk::run(&loaded, scene, paths).await?) })?;
        for (at, why) in told.failure.into_iter().flat_map(|failure| failure.wrong) {
            is_ok = false;
            term::tell(format!("“{name}” does not pass yet: {why} ({at})"));
        }
    }
    Ok(if is_ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
