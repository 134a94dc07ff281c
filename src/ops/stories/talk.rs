//! One test on one platform: a conversation with the real engine, step by step.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, Value};

use super::{
    coverage::{self, Outcome},
    drawing,
    expected::{self, Actual},
    format::{Card, Decide, Step},
    load::{self, Loaded},
    screen::{self, Press},
};
use crate::{
    base::clock::FixedClock,
    chat::form::{clip, one_line, review_editor},
    config::problem::did_you_mean,
    engine::{Error, InboundKind, Receipt},
    model::{
        session::Platform,
        transcript::{Audience, Event, Recorded},
        ui::{Control, Decision, Field, Reply, Review, Verdict},
        wait::{Settlement, Wait},
    },
    ops::{
        sample::{PDF, PNG, WORDS},
        stage::{Hooked, Known, Props, Scene, Stage, answer, decider},
    },
    ports::contacts::{ContactSource, Contacts},
    session::State,
};

/// When a conversation begins where nothing else is said: a Monday, 09:00 UTC.
const BEGINS: i64 = 1_772_442_000;

/// How far the clock goes at a time, at least; a long wait has at most [`STRIDES_MAX`] strides.
const STRIDE: TimeDelta = TimeDelta::hours(1);
const STRIDES_MAX: i32 = 500;

/// How many of the last things that the participant read a failure shows.
const LAST_READ: usize = 3;

/// Longest part of a question that a message names, in characters.
const ASKED_MAX: usize = 80;

/// What came of a test.
#[derive(Debug)]
pub(super) struct Told {
    /// What was not as expected; nothing where the test passes.
    pub(super) failure: Option<Failure>,
    /// What came of the flow's steps.
    pub(super) seen: BTreeSet<Outcome>,
}

/// A step that did not come out as expected.
#[derive(Debug)]
pub(super) struct Failure {
    /// Which of the steps, from 0.
    pub(super) step: usize,
    /// What is wrong, each with where it stands within the step: `/expect/reads/0`.
    pub(super) wrong: Vec<(String, String)>,
    /// The last things that the participant read.
    pub(super) read: Vec<String>,
}

/// A conversation under way.
pub(super) struct Talk {
    stage: Stage,
    platform: Platform,
    /// What has happened, as it stood before an erasure.
    pub(super) events: Vec<Recorded>,
    /// Nothing where everything was erased.
    pub(super) state: Option<State>,
    /// How many events there were before the last thing that was done.
    before: usize,
    /// How many messages to the team there were before it.
    told: usize,
    /// Why the last thing that was done was refused.
    pub(super) refused: Option<String>,
    /// How many events were looked at for what is drawn.
    drawn: usize,
}

/// Runs a test. `beside` is the folder of its file, `folder` an empty one that may be filled.
pub(super) async fn run(
    test: &Loaded,
    scene: &Scene,
    (beside, folder): (&Path, &Path),
) -> Result<Told, Error> {
    let (mut talk, mut wrong) =
        Talk::begin(scene, (test.begins, test.contact.as_ref()), folder).await?;
    let mut failed_at = 0;
    for (n, (_, step)) in test.steps.iter().enumerate() {
        if wrong.is_empty() {
            failed_at = n;
            wrong = talk.take(step, beside).await?;
        }
    }
    let seen = coverage::seen(&scene.flow, &talk.events);
    let failure = (!wrong.is_empty()).then(|| {
        let read = screen::read_by(Audience::Participant, &talk.events);
        let from = read.len().saturating_sub(LAST_READ);
        Failure { step: failed_at, wrong, read: read[from..].to_vec() }
    });
    Ok(Told { failure, seen })
}

impl Talk {
    /// Begins a conversation, at a time, perhaps with a contact source; what can't be drawn of its beginning.
    pub(super) async fn begin(
        scene: &Scene,
        (at, card): (Option<DateTime<Utc>>, Option<&Card>),
        folder: &Path,
    ) -> Result<(Self, Vec<(String, String)>), Error> {
        let at = at.or_else(|| DateTime::from_timestamp(BEGINS, 0)).unwrap_or_default();
        let scene = Scene { clock: Arc::new(FixedClock::new(at)), ..scene.clone() };
        let known = card
            .into_iter()
            .map(|card| -> Box<dyn ContactSource> { Box::new(Known(card.contact())) });
        let props = Props { contacts: Contacts::new(known.collect()), ..Props::default() };
        let stage = Stage::set_with(&scene, folder, props).await?;
        let mut talk = Self {
            stage,
            platform: scene.platform,
            events: Vec::new(),
            state: None,
            before: 0,
            told: 0,
            refused: None,
            drawn: 0,
        };
        let wrong = talk.rest().await?;
        Ok((talk, wrong))
    }

    /// One step; what is wrong with it.
    pub(super) async fn take(
        &mut self,
        step: &Step,
        beside: &Path,
    ) -> Result<Vec<(String, String)>, Error> {
        let mut wrong = Vec::new();
        if let Some(key) = load::action(step) {
            self.before = self.events.len();
            self.told = self.stage.told_team().len();
            self.refused = None;
            if let Err(why) = self.act(step, beside).await? {
                return Ok(vec![(format!("/{key}"), why)]);
            }
            wrong = self.rest().await?;
            let is_expected = step.expect.as_ref().is_some_and(|expect| expect.refused.is_some());
            if let Some(why) = self.refused.as_ref().filter(|_| !is_expected) {
                wrong.push((format!("/{key}"), format!("this is refused: {why}")));
            }
        }
        if let Some(expect) = &step.expect {
            wrong.extend(expected::differences(expect, &self.actual().await?));
        }
        Ok(wrong)
    }

    /// What web hooks have got so far.
    pub(super) fn hooked(&self) -> Vec<Hooked> {
        self.stage.hooked()
    }

    /// How it stands now.
    async fn actual(&self) -> Result<Actual<'_>, Error> {
        let news = self.events.get(self.before..).unwrap_or_default();
        let posted = self.stage.told_team().into_iter().skip(self.told);
        Ok(Actual {
            events: &self.events,
            news,
            state: self.state.as_ref(),
            team: screen::read_by(Audience::Staff, news).into_iter().chain(posted).collect(),
            refused: self.refused.as_deref(),
            hooked: self.hooked(),
            audit: self.stage.audit().await?,
        })
    }

    /// The engine does its work; what can't be drawn then.
    async fn rest(&mut self) -> Result<Vec<(String, String)>, Error> {
        match self.stage.rest().await? {
            Some(events) => {
                self.state = State::fold(&events);
                self.events = events;
            }
            None => self.state = None,
        }
        let new = self.events.get(self.drawn..).unwrap_or_default();
        let wrong = new.iter().filter_map(|recorded| match &*recorded.event {
            Event::Asked(wait) => {
                let why = drawing::trouble(self.platform, wait)?;
                let asked = clip(&one_line(&wait.prompt.body.common_mark()), ASKED_MAX);
                let message = format!("“{asked}” can't be drawn: {why}");
                Some((String::new(), message))
            }
            _ => None,
        });
        let wrong = wrong.collect();
        self.drawn = self.events.len();
        Ok(wrong)
    }

    /// Does what a step says; the inner error says why that can't be done.
    async fn act(&mut self, step: &Step, beside: &Path) -> Result<Result<(), String>, Error> {
        if let Some(period) = step.wait {
            self.pass(period.delta()).await?;
            return Ok(Ok(()));
        }
        let Some(state) = self.state.clone() else {
            return Ok(Err("everything is erased; there is nobody to talk with".to_owned()));
        };
        if let Some(decision) = step.decide {
            return self.decide(&state, decision, step.because.as_deref()).await;
        }
        let what = if let Some(label) = &step.press {
            press(label, &state, &self.events)
        } else if let Some(labels) = &step.choose {
            choose(labels, &state)
        } else if let Some(values) = &step.fill {
            fill(values, &state)
        } else if let Some(name) = &step.upload {
            self.file(&state, name, step.content.as_deref(), beside).await?
        } else {
            let text = step.say.clone().unwrap_or_default();
            Ok(Some(InboundKind::Said { text, source: None }))
        };
        match what {
            Err(why) => return Ok(Err(why)),
            Ok(None) => {}
            Ok(Some(what)) => {
                let receipt = self.stage.act(what).await?;
                self.refused = refusal(&receipt);
            }
        }
        Ok(Ok(()))
    }

    /// Time passes in strides, so that what is due happens in its turn.
    async fn pass(&mut self, time: TimeDelta) -> Result<(), Error> {
        let stride = STRIDE.max(time / STRIDES_MAX);
        let mut left = time;
        while left > TimeDelta::zero() {
            let step = stride.min(left);
            self.stage.pass(step).await;
            left -= step;
        }
        Ok(())
    }

    async fn decide(
        &mut self,
        state: &State,
        decision: Decide,
        because: Option<&str>,
    ) -> Result<Result<(), String>, Error> {
        let mut requests =
            state.pending().filter_map(|wait| Some((wait, decider(wait, wait.votes.len() + 1)?)));
        let Some((wait, by)) = requests.next() else {
            return Ok(Err("nobody is asked to decide anything".to_owned()));
        };
        let decision = match (decision, because) {
            (Decide::Approve, _) => Decision::Approved,
            (Decide::Deny, None) => Decision::Denied,
            (Decide::Deny, Some(_)) => Decision::DeniedWithFeedback,
        };
        let reply = Reply::Decided { decision, feedback: because.map(str::to_owned) };
        let receipt = self.stage.receive(by, answer(wait, reply)).await?;
        self.refused = refusal(&receipt);
        Ok(Ok(()))
    }

    /// Keeps a file; nothing is sent where it is refused.
    async fn file(
        &mut self,
        state: &State,
        name: &str,
        content: Option<&str>,
        beside: &Path,
    ) -> Result<Result<Option<InboundKind>, String>, Error> {
        let bytes = match (content, fs::read(beside.join(name))) {
            (Some(content), _) => content.as_bytes().to_vec(),
            (None, Ok(bytes)) => bytes,
            (None, Err(_)) => match made_up(name) {
                Some(bytes) => bytes.to_vec(),
                None => {
                    return Ok(Err(format!(
                        "there is no file `{name}` beside the test, and one of this kind can't be made up"
                    )));
                }
            },
        };
        let name = Path::new(name).file_name().map_or_else(|| name.into(), |n| n.to_string_lossy());
        let asked = screen::questions(state).into_iter();
        let asked = asked.filter(|wait| matches!(wait.prompt.control, Control::Upload(_)));
        let wait = asked.map(|wait| wait.id).next();
        Ok(Ok(match self.stage.engine.keep_file(self.stage.session, wait, &name, bytes).await? {
            Ok(artifact) => Some(InboundKind::Sent { wait, files: vec![artifact] }),
            Err(why) => {
                self.refused = Some(why);
                None
            }
        }))
    }
}

/// A file of a kind that is simple enough to be made up.
pub(super) fn made_up(name: &str) -> Option<&'static [u8]> {
    let (_, kind) = name.rsplit_once('.')?;
    match kind.to_lowercase().as_str() {
        "txt" | "md" => Some(WORDS.as_bytes()),
        "pdf" => Some(PDF),
        "png" => Some(PNG),
        _ => None,
    }
}

fn press(label: &str, state: &State, events: &[Recorded]) -> Result<Option<InboundKind>, String> {
    let buttons = screen::buttons(state, events);
    let is_labelled = |button: &&screen::Button| one_line(&button.label) == label;
    let is_called = |button: &&screen::Button| button.ids.iter().any(|id| id == label);
    let found = buttons.iter().find(is_labelled).or_else(|| buttons.iter().find(is_called));
    let Some(button) = found else {
        let known = buttons.iter().map(|button| button.label.as_str());
        return Err(absent(label, known, "pressed"));
    };
    Ok(Some(match &button.press {
        Press::Answer(wait, reply) => answer(wait, reply.clone()),
        Press::Order(command) => InboundKind::Command(command.clone()),
    }))
}

/// What to say where something isn't there, with what is.
fn absent<'a>(wanted: &str, known: impl Iterator<Item = &'a str> + Clone, done: &str) -> String {
    let quoted: Vec<String> = known.clone().map(|label| format!("“{label}”")).collect();
    let message = if quoted.is_empty() {
        format!("“{wanted}” can't be {done}: nothing can be now")
    } else {
        format!("“{wanted}” can't be {done}; what can be: {}", quoted.join(", "))
    };
    match did_you_mean(wanted, known) {
        Some(hint) => format!("{message}. hint: {hint}"),
        None => message,
    }
}

fn choose(labels: &[String], state: &State) -> Result<Option<InboundKind>, String> {
    let questions = screen::questions(state);
    let found = questions.into_iter().find_map(|wait| match &wait.prompt.control {
        Control::Choose(choose) => Some((wait, choose)),
        _ => None,
    });
    let Some((wait, choose)) = found else {
        return Err("there is nothing to choose from".to_owned());
    };
    let mut ids = Vec::new();
    for label in labels {
        let choices = choose.choices.iter();
        let found =
            choices.clone().find(|choice| one_line(&choice.label) == *label || choice.id == *label);
        match found {
            Some(choice) => ids.push(choice.id.clone()),
            None => return Err(absent(label, choices.map(|c| c.label.as_str()), "chosen")),
        }
    }
    Ok(Some(answer(wait, Reply::Chosen { ids, free_text: None })))
}

fn fill(values: &Map<String, Value>, state: &State) -> Result<Option<InboundKind>, String> {
    for wait in screen::questions(state) {
        match &wait.prompt.control {
            Control::Form(form) => {
                let mut filled: Map<String, Value> = form
                    .fields
                    .iter()
                    .filter(|field| !field.value.is_null())
                    .map(|field| (field.path.clone(), field.value.clone()))
                    .collect();
                for (path, value) in paths(values, &form.fields.iter().collect::<Vec<_>>(), &[])? {
                    filled.insert(path, value);
                }
                return Ok(Some(answer(wait, Reply::Filled { values: filled })));
            }
            Control::Review(review) => return Ok(Some(changed(values, wait, review)?)),
            _ => {}
        }
    }
    Err("there is nothing to fill in".to_owned())
}

fn changed(
    values: &Map<String, Value>,
    wait: &Wait,
    review: &Review,
) -> Result<InboundKind, String> {
    let fields: Vec<&Field> = review.groups.iter().flat_map(|group| &group.fields).collect();
    let lists: Vec<&str> = review.lists.iter().map(|list| list.path.as_str()).collect();
    let mut data = review.data.clone();
    for (path, value) in paths(values, &fields, &lists)? {
        review_editor::set(&mut data, &path, value);
    }
    let reply = Reply::Reviewed { verdict: Verdict::Modified, data: Some(data), notes: None };
    Ok(answer(wait, reply))
}

/// The values by the paths of fields and lists: what is written may be a path, a label, or a table within a table.
fn paths(
    values: &Map<String, Value>,
    fields: &[&Field],
    lists: &[&str],
) -> Result<Vec<(String, Value)>, String> {
    let mut flat = Vec::new();
    for (key, value) in values {
        flatten(key, value, (fields, lists), &mut flat);
    }
    let resolve = |(key, value): (String, Value)| {
        let by_path = fields.iter().map(|field| field.path.as_str());
        let by_path = by_path.chain(lists.iter().copied()).find(|path| *path == key);
        let by_label = || fields.iter().find(|field| field.label == key).map(|field| &*field.path);
        match by_path.or_else(by_label) {
            Some(path) => Ok((path.to_owned(), value)),
            // An entry of a list has its fields in the data.
            None if lists.iter().any(|list| key.starts_with(&format!("{list}."))) => {
                Ok((key, value))
            }
            None => Err(absent(&key, fields.iter().map(|field| field.label.as_str()), "filled in")),
        }
    };
    flat.into_iter().map(resolve).collect()
}

fn flatten(key: &str, value: &Value, known: (&[&Field], &[&str]), flat: &mut Vec<(String, Value)>) {
    let is_field = known.0.iter().any(|field| field.path == key) || known.1.contains(&key);
    match value {
        Value::Object(members) if !is_field => {
            for (name, value) in members {
                flatten(&format!("{key}.{name}"), value, known, flat);
            }
        }
        value => flat.push((key.to_owned(), value.clone())),
    }
}

/// Why something did not count, if it did not.
fn refusal(receipt: &Receipt) -> Option<String> {
    match receipt {
        Receipt::Refused(why) => Some(why.to_string()),
        Receipt::Settled(Settlement::Invalid { errors }) => {
            let told = errors.iter().map(|error| match error.path.as_str() {
                "" => error.message.clone(),
                path => format!("{path}: {}", error.message),
            });
            Some(told.collect::<Vec<_>>().join(" "))
        }
        Receipt::Settled(Settlement::Applied)
        | Receipt::Taken
        | Receipt::Duplicate
        | Receipt::Erased { .. } => None,
        Receipt::Settled(other) => Some(other.word().replace('_', " ")),
    }
}
