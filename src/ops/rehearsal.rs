//! A dry run of a flow: the real engine simulates one conversation after the other, without a network, until every answer
//! that it came across was given: by the script alone, then with a model that leads and with contact cards ([`casts`]).
//! Reports what fails on the way, what traps people, which questions come out empty, and which steps are never reached.
//!
//! ```text
//! conversation 1   agree: yes   topics: cook               wants_note: yes   note_form: approved     the end
//! conversation 2   agree: no                                                                         the end
//! conversation 3   agree: yes   topics: cook, drive, teach  licence: a file   wants_note: no …       the end
//! ```
//!
//! The number of conversations is bounded; where not every combination of answers could be tried, what was not reached
//! is worth a warning only. So is what goes wrong once the team has let somebody past a phase ([`overrides`]).

mod answers;
mod asks;
mod casts;
mod led;
mod overrides;
mod probes;
mod report;
mod stand_in;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    path::Path,
    sync::Arc,
};

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use self::answers::{Answer, Given, Probing};
use self::casts::{Cast, Pass};
use self::overrides::Door;
use self::probes::Probes;
use self::report::pointer;
pub(super) use self::report::problems;
use self::stand_in::StandIn;
use super::stage::{Scene, Snapshot, Stage, answer, decider};
use crate::{
    engine::{Error, InboundKind},
    flow::LoadedFlow,
    messages::staff::LONG_CONVERSATION,
    model::{
        flow::{REQUEST, Step, has_points},
        session::{Platform, Status},
        transcript::{CallResult, Origin},
        wait::{Answerers, Purpose, Wait},
    },
    session::{
        CallState, Command, REQUESTS_MAX, State, evidence, handover::CANNOT_GO_ON, questions_from,
        script,
    },
};

/// Most conversations on one platform.
const CONVERSATIONS_MAX: usize = 150;

/// Most conversations with each of the others ([`Cast::others`]).
const OTHERS_MAX: usize = 10;

/// Most conversations with somebody who always answers alike.
const INSISTING_MAX: usize = 40;

/// Most conversations with somebody who knows the right answers.
const KNOWING_MAX: usize = 40;

/// Most answers in one conversation.
const ANSWERS_MAX: usize = 80;

/// Most answers that a message names.
const WAY_MAX: usize = 12;

/// How long is waited where nothing is asked, and how often.
const PAUSE: TimeDelta = TimeDelta::days(4);
const PAUSES_MAX: usize = 2;

/// Longer than any request to the team stands.
const TOO_LATE: TimeDelta = TimeDelta::days(400);

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    /// The place in the flow, such as `/phase/0/step/2`; `None` if it is about the conversation.
    at: Option<String>,
    trouble: Trouble,
}

/// What can be wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Trouble {
    /// A question comes out without words.
    Empty,
    /// A condition can't be evaluated.
    Condition(String),
    /// A text, or another argument, can't be evaluated.
    Text(String),
    /// A text is asked with nothing where this expression stands.
    Hole(String),
    /// The tool refuses its arguments.
    Arguments(String),
    /// An argument has no value: its name, and the expression that it comes from.
    Valueless(String, String),
    /// None of the answers that a person could give is taken.
    NoAnswer(String),
    /// Nothing is asked any more, and it isn't over.
    Stuck,
    /// It goes on and on.
    Endless,
    /// What is required cannot be had any more: a person is asked. With the objectives.
    HandedOver(Vec<String>),
    /// A model can't complete an objective.
    Unmet(String),
    /// A model can't use this tool.
    Unusable(String, String),
    /// The team would be asked for one decision more often than it is.
    AskedTooOften,
    /// An effect comes to nothing after a model.
    Nothing(String),
}

/// What all conversations came to.
#[derive(Debug, Default)]
struct Rehearsal {
    /// With the answers that led there first: `agree: yes, topics: cook`.
    findings: BTreeMap<Finding, String>,
    /// What is wrong only once somebody was let past a phase.
    past: BTreeMap<Finding, String>,
    /// What is wrong only with others than the script.
    others: BTreeMap<Finding, (Cast, String)>,
    /// Where somebody can be.
    doors: Vec<Door>,
    /// Steps that were asked.
    steps: BTreeSet<String>,
    /// Phases that somebody came to.
    phases: BTreeSet<String>,
    /// Conversations that came to the end of the flow.
    completed: usize,
    /// Conversations that became longer than the flow allows.
    too_long: usize,
    /// Answers of every conversation with the script on the page.
    plans: Vec<Vec<usize>>,
    /// What is tried in fields.
    probes: Probes,
    /// Not everything could be tried.
    is_partial: bool,
}

/// An answer that was given, and how many others there were.
#[derive(Debug, Clone)]
struct Taken {
    place: String,
    labels: Vec<String>,
    choice: usize,
    /// The conversation before it, where another answer is to be tried from there.
    before: Option<Arc<Snapshot>>,
}

/// The beginning of a conversation: which answer is given at each place. What was held of it already isn't held again.
#[derive(Debug, Default)]
struct Plan {
    choices: Vec<usize>,
    /// With the answers that led there, the first ones of the plan.
    from: Option<(Arc<Snapshot>, Vec<Taken>)>,
}

impl Plan {
    /// A plan that goes on from `snapshot`, which the answers in `taken` led to, and adds no answer yet.
    fn after(snapshot: Arc<Snapshot>, taken: &[Taken]) -> Self {
        let choices = taken.iter().map(|taken| taken.choice).collect();
        let forgetful = |taken: &Taken| Taken { before: None, ..taken.clone() };
        Self { choices, from: Some((snapshot, taken.iter().map(forgetful).collect())) }
    }

    /// Adds an answer to the end of the plan.
    fn and(mut self, choice: usize) -> Self {
        self.choices.push(choice);
        self
    }
}

/// Answers that were tried: the answer before, the place and the answer. Conditions often speak of two.
type Tried = BTreeSet<(String, String, String)>;

/// Rehearses a flow on every platform.
async fn rehearse(scene: &Scene, folder: &Path) -> Result<Rehearsal, Error> {
    let probes = Probes::of(&scene.flow);
    let mut rehearsal = Rehearsal { probes: probes.clone(), ..Rehearsal::default() };
    // On the other platforms, only what is asked there alone is tried once more.
    let mut tried = Tried::new();
    let pass = |platform, cast, most| {
        let scene = Scene { platform, ..scene.clone() };
        Pass { scene, folder, cast, most, habit: Habit::Varied }
    };
    for platform in [Platform::Web, Platform::Slack, Platform::Discord] {
        let pass = pass(platform, Cast::Script, CONVERSATIONS_MAX);
        rehearsal.explore(&pass, &mut tried).await?;
    }
    let web = pass(Platform::Web, Cast::Script, 0);
    let steps = || scene.flow.flow.phase.iter().flat_map(|phase| &phase.step);
    let lacks = rehearsal.completed == 0 || !report::unasked(&rehearsal, &scene.flow).is_empty();
    if lacks && steps().any(has_points) {
        let knowing = Pass { habit: Habit::Knowing, most: KNOWING_MAX, ..web.clone() };
        rehearsal.explore(&knowing, &mut Tried::new()).await?;
    }
    rehearsal.pass_over(&web).await?;
    rehearsal.insist(&Pass { habit: Habit::Insisting, ..web }).await?;
    for cast in Cast::others(&scene.flow) {
        let mut other = Rehearsal { probes: probes.clone(), ..Rehearsal::default() };
        other.explore(&pass(Platform::Web, cast, OTHERS_MAX), &mut Tried::new()).await?;
        rehearsal.adopt(other, cast);
    }
    Ok(rehearsal)
}

impl Rehearsal {
    /// Holds conversations until every answer was given, or there were enough of them.
    async fn explore(&mut self, pass: &Pass<'_>, tried: &mut Tried) -> Result<(), Error> {
        let mut plans = VecDeque::from([Plan::default()]);
        let mut count = 0;
        while let Some(plan) = plans.pop_front() {
            if count == pass.most {
                self.is_partial = true;
                break;
            }
            count += 1;
            let is_first = pass.cast == Cast::Script && pass.habit == Habit::Varied;
            if is_first && pass.scene.platform == Platform::Web {
                self.plans.push(plan.choices.clone());
            }
            let taken = self.converse(pass, &plan, None).await?;
            let mut before = String::new();
            for (n, here) in taken.iter().enumerate() {
                for (k, label) in here.labels.iter().enumerate() {
                    let edge = (before.clone(), here.place.clone(), label.clone());
                    let is_new = tried.insert(edge);
                    // Those that there will be no time for are only counted.
                    if is_new
                        && k != here.choice
                        && let Some(snapshot) = &here.before
                        && count + plans.len() <= pass.most
                    {
                        plans.push_back(Plan::after(Arc::clone(snapshot), &taken[..n]).and(k));
                    }
                }
                before = format!("{}: {}", here.place, here.labels[here.choice]);
            }
        }
        Ok(())
    }

    /// Where some steps were never asked, the same conversations once more with somebody who always answers alike: what
    /// comes after three failures shows then. It is no mistake of the flow that they never end.
    async fn insist(&mut self, pass: &Pass<'_>) -> Result<(), Error> {
        let flow = Arc::clone(&pass.scene.flow);
        for choices in self.plans.clone().into_iter().take(INSISTING_MAX) {
            if report::unasked(self, &flow).is_empty() {
                break;
            }
            let mut other = Self { probes: self.probes.clone(), ..Self::default() };
            other.converse(pass, &Plan { choices, from: None }, None).await?;
            self.steps.extend(other.steps);
            self.phases.extend(other.phases);
            let often = |finding: &Finding| finding.trouble == Trouble::AskedTooOften;
            self.findings.extend(other.findings.into_iter().filter(|(finding, _)| often(finding)));
        }
        Ok(())
    }

    /// Takes over what came of the conversations with others; what the script alone leads to is told already.
    fn adopt(&mut self, other: Self, cast: Cast) {
        self.steps.extend(other.steps);
        self.phases.extend(other.phases);
        for (finding, way) in other.findings {
            let mut known = self.findings.keys().chain(self.others.keys());
            let is_told = known.any(|known| {
                known.at == finding.at && (finding.at.is_some() || known.trouble == finding.trouble)
            });
            if !is_told {
                // What happens without an override is worth more than what happens with one.
                self.past.retain(|past, _| past.at != finding.at);
                self.others.insert(finding, (cast, way));
            }
        }
    }

    /// One conversation: the answers of `plan` first, then at each place what was given there least. At a `door` the
    /// participant is let past the phase.
    async fn converse(
        &mut self,
        pass: &Pass<'_>,
        plan: &Plan,
        door: Option<&Door>,
    ) -> Result<Vec<Taken>, Error> {
        let is_exploring = door.is_none() && pass.habit != Habit::Insisting;
        let from = plan.from.as_ref();
        let (mut room, model) = pass.begin(from.map(|(snapshot, _)| &**snapshot)).await?;
        let flow = &*pass.scene.flow;
        let mut taken = from.map(|(_, taken)| taken.clone()).unwrap_or_default();
        let mut pauses = 0;
        loop {
            let Some(state) = room.state().await? else { break };
            self.look(&state, pass, &taken);
            let Some(wait) = open(&state) else {
                if self
                    .goes_on(
                        (&mut room, &state),
                        (pass, model.as_deref()),
                        (&mut taken, &mut pauses),
                    )
                    .await?
                {
                    continue;
                }
                break;
            };
            if is_over(&state) && state.status != Status::Completed {
                break;
            }
            if taken.len() == ANSWERS_MAX {
                self.find(None, Trouble::Endless, &taken);
                break;
            }
            pauses = 0;
            self.note_door((&room, &state), flow, &taken);
            if let Some(door) = door
                && let Some(passed) = door.open(&mut room, (&state, flow), &taken).await?
            {
                taken.push(passed);
                continue;
            }
            let place = place(&wait, &state);
            let right = flow.step(&place).map(|(_, step)| answers::right(step)).unwrap_or_default();
            let course =
                Course { plan: &plan.choices, habit: pass.habit, probes: &self.probes, right };
            let is_new = taken.len() >= plan.choices.len() && is_exploring;
            let before = is_new.then(|| Arc::new(room.snapshot()));
            match answered(&mut room, (&wait, &place), &taken, course).await? {
                Ok(answer) => taken.push(Taken { before, ..answer }),
                Err(why) => {
                    self.find(pointer(flow, &place), Trouble::NoAnswer(why), &taken);
                    break;
                }
            }
        }
        Ok(taken)
    }

    /// What is done where nothing is asked: the participant writes to the model, or time passes. False where that changes
    /// nothing any more.
    async fn goes_on(
        &mut self,
        (room, state): (&mut Stage, &State),
        (pass, model): (&Pass<'_>, Option<&StandIn>),
        (taken, pauses): (&mut Vec<Taken>, &mut usize),
    ) -> Result<bool, Error> {
        if is_over(state) {
            self.ended(state, pass, taken);
            return Ok(false);
        }
        if let Some(at) = goes_on_at(state, &pass.scene.flow, room.now()) {
            room.pass_until(at).await;
            return Ok(true);
        }
        if let Some(phase) = pass.led(state).filter(|_| state.status == Status::Open) {
            return self.talk(room, (state, phase), (model, taken)).await;
        }
        if *pauses == PAUSES_MAX {
            if !is_for_a_model(state, &pass.scene.flow) {
                self.find(None, Trouble::Stuck, taken);
            }
            return Ok(false);
        }
        *pauses += 1;
        if state.status == Status::Paused {
            room.act(InboundKind::Command(Command::Resume)).await?;
        } else {
            room.pass(PAUSE).await;
        }
        Ok(true)
    }

    /// What a conversation that is over came to.
    fn ended(&mut self, state: &State, pass: &Pass<'_>, taken: &[Taken]) {
        let flow = &pass.scene.flow;
        if state.handoff.as_ref().is_some_and(|handoff| handoff.reason == CANNOT_GO_ON) {
            let last = taken.last().and_then(|last| pointer(flow, &last.place));
            let phase = state.phase().and_then(|id| flow.phase(id));
            let unmet = phase.map(|phase| evidence::missing(state, phase)).unwrap_or_default();
            self.find(last, Trouble::HandedOver(unmet), taken);
        }
        let is_too_long =
            state.handoff.as_ref().is_some_and(|handoff| handoff.reason == LONG_CONVERSATION);
        self.too_long += usize::from(is_too_long);
        self.look_at_effects(state, pass, taken);
        self.completed += usize::from(state.status == Status::Completed);
    }

    /// What can be seen of a conversation at rest.
    fn look(&mut self, state: &State, pass: &Pass<'_>, taken: &[Taken]) {
        let flow = &*pass.scene.flow;
        self.look_at_tools(state, pass, taken);
        self.phases.extend(state.phase().map(str::to_owned));
        // Steps that set values make no call.
        self.steps.extend(state.results.keys().cloned());
        for known in &state.calls {
            let Origin::Step { step } = &known.call.origin else { continue };
            self.steps.insert(step.clone());
            let (Some((_, written)), Some(at)) = (flow.step(step), pointer(flow, step)) else {
                continue;
            };
            if let Some(CallResult::Err { code, message }) = known.result.as_deref()
                && code == "invalid_parameters"
            {
                let lacking = script::holes::valueless(state, flow, written).into_iter().next();
                let trouble = match lacking {
                    Some((name, from)) => Trouble::Valueless(name, from),
                    None => Trouble::Arguments(message.clone()),
                };
                self.find(Some(at.clone()), trouble, taken);
            }
            if written.tool == REQUEST
                && matches!(known.result.as_deref(), Some(CallResult::Err { .. }))
            {
                let is_same = |other: &&CallState| {
                    other.call.tool == REQUEST
                        && other.call.args["approval"] == known.call.args["approval"]
                };
                if state.calls.iter().filter(is_same).count() > REQUESTS_MAX {
                    self.find(Some(at.clone()), Trouble::AskedTooOften, taken);
                }
            }
            for (at, why) in script::holes::failing_texts(state, flow, written) {
                self.find(Some(at), Trouble::Text(why), taken);
            }
            if comes_out_empty(written, &known.call.args) {
                self.find(Some(at), Trouble::Empty, taken);
            } else if known.result.is_none() {
                for (below, expression) in script::holes::holes(state, flow, written) {
                    let is_elsewhere = below.starts_with("/approvals");
                    let at = if is_elsewhere { below } else { format!("{at}{below}") };
                    self.find(Some(at), Trouble::Hole(expression), taken);
                }
            }
        }
        self.look_at_intro(state, flow, taken);
        for (at, why) in script::failing_conditions(state, flow) {
            self.find(Some(at), Trouble::Condition(why), taken);
        }
        if state.handoff.is_some()
            && let Some((step, failure)) = script::failing_step(state, flow)
        {
            self.find(pointer(flow, &step), Trouble::Text(failure.to_string()), taken);
            self.steps.insert(step);
        }
    }

    /// What the phase has begun with.
    fn look_at_intro(&mut self, state: &State, flow: &LoadedFlow, taken: &[Taken]) {
        let (why, empty) = script::holes::intro_trouble(state, flow);
        let at = state.phase().and_then(|id| flow.position(id));
        let at = at.map(|p| format!("/phase/{p}/intro"));
        for trouble in
            why.map(Trouble::Text).into_iter().chain(empty.into_iter().map(Trouble::Hole))
        {
            self.find(at.clone(), trouble, taken);
        }
    }

    fn find(&mut self, at: Option<String>, trouble: Trouble, taken: &[Taken]) {
        let answers = taken.iter().map(|t| format!("{}: {}", t.place, t.labels[t.choice]));
        let mut way = answers.take(WAY_MAX).collect::<Vec<_>>().join(", ");
        if taken.len() > WAY_MAX {
            way.push_str(" …");
        }
        self.findings.entry(Finding { at, trouble }).or_insert(way);
    }
}

/// When a conversation goes on by itself in which nothing is asked now.
fn goes_on_at(state: &State, flow: &LoadedFlow, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let first = questions_from(state, flow, Tz::UTC).filter(|from| *from > now);
    state.opens_at.or(first).filter(|_| state.status == Status::Open)
}

/// The participant's oldest question, or else the oldest request to the team.
fn open(state: &State) -> Option<Wait> {
    let waits = || state.pending().filter(|wait| wait.purpose != Purpose::Erase);
    let theirs = waits().find(|wait| wait.answerers == Answerers::Participant);
    theirs.or_else(|| waits().next()).cloned()
}

/// Nothing more is asked: it is done, stopped, or in the hands of a person.
fn is_over(state: &State) -> bool {
    match state.status {
        Status::Completed | Status::Stopped | Status::Declined | Status::Ended => true,
        Status::Notice | Status::Open | Status::Paused => state.handoff.is_some(),
    }
}

/// The phase has no script: it is for a model alone.
fn is_for_a_model(state: &State, flow: &LoadedFlow) -> bool {
    let phase = state.phase().and_then(|id| flow.phase(id));
    phase.is_some_and(|phase| phase.step.is_empty() && !phase.objective.is_empty())
}

/// How a question is called: by its step where it has one.
fn place(wait: &Wait, state: &State) -> String {
    match &wait.purpose {
        Purpose::Call { call, tool } => {
            let known = state.call(call).map(|known| &known.call);
            if let Some(Origin::Step { step }) = known.map(|call| &call.origin) {
                return match wait.state["stage"].as_u64() {
                    Some(n @ 1..) => format!("{step}, stage {}", n + 1),
                    Some(_) | None => step.clone(),
                };
            }
            // What a model asks for is called by what it is about.
            let subject = |key: &str| known?.args[key].as_str();
            let mut subjects =
                ["dataType", "uploadType", "approval"].into_iter().filter_map(subject);
            subjects.next().unwrap_or(tool).to_owned()
        }
        Purpose::Child { .. } => "sub-task".to_owned(),
        Purpose::Notice => "notice".to_owned(),
        Purpose::Begin { phase } | Purpose::Effect { phase, .. } => phase.clone(),
        Purpose::Erase => "erase".to_owned(),
    }
}

/// How a conversation goes.
#[derive(Debug, Clone)]
struct Course<'a> {
    /// The first answers.
    plan: &'a [usize],
    habit: Habit,
    probes: &'a Probes,
    /// The options that are worth points.
    right: Vec<String>,
}

/// What is answered where no plan says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Habit {
    /// What was answered there least.
    Varied,
    /// What was answered there most: whoever fails goes on failing, and asks again and again.
    Insisting,
    /// The right answer to what has one, and else what was answered there least: who passes a quiz of many questions.
    Knowing,
}

/// Answers a question: as planned, or else with what was given there least, or else with anything that is accepted. The
/// inner error says why nothing is.
async fn answered(
    stage: &mut Stage,
    (wait, place): (&Wait, &str),
    taken: &[Taken],
    Course { plan, habit, probes, right }: Course<'_>,
) -> Result<Result<Taken, String>, Error> {
    let today = stage.now().date_naive();
    let given = answers::of(wait, &Probing { probes, today, right: &right });
    let labels: Vec<String> = given.iter().map(|given| given.label.clone()).collect();
    let times = |k: &usize| {
        let is_same = |t: &&Taken| t.place == place && t.labels[t.choice] == labels[*k];
        let count = taken.iter().filter(is_same).count();
        (if habit == Habit::Insisting { usize::MAX - count } else { count }, *k)
    };
    let planned = plan.get(taken.len()).copied().filter(|k| *k < given.len());
    // Who votes after others votes like them: opinions that differ come by plan.
    let alike = taken.last().filter(|last| !wait.votes.is_empty() && last.place == place);
    let alike = alike.map(|last| last.choice);
    let is_right = |k: &usize| {
        habit == Habit::Knowing && !right.is_empty() && answers::is_pick(&given[*k], &right)
    };
    let mut order: Vec<usize> = (0..given.len()).collect();
    order.sort_by_key(|k| (Some(*k) != planned, Some(*k) != alike, !is_right(k), times(k)));
    let mut why = String::from("there is nothing to answer");
    for choice in order {
        match give(stage, wait, &given[choice]).await? {
            Ok(()) => {
                let place = place.to_owned();
                return Ok(Ok(Taken { place, labels, choice, before: None }));
            }
            Err(refusal) => why = refusal,
        }
    }
    Ok(Err(why))
}

/// Gives an answer; the error says why it was not taken.
async fn give(stage: &mut Stage, wait: &Wait, given: &Given) -> Result<Result<(), String>, Error> {
    let what = match &given.answer {
        Answer::Late => {
            match wait.expires_at {
                Some(at) => stage.pass_until(at).await,
                None => stage.pass(TOO_LATE).await,
            }
            return Ok(Ok(()));
        }
        Answer::File { name, bytes } => {
            let kept = stage.engine.keep_file(stage.session, Some(wait.id), name, bytes.to_vec());
            match kept.await? {
                Ok(artifact) => InboundKind::Sent { wait: Some(wait.id), files: vec![artifact] },
                Err(why) => return Ok(Err(why)),
            }
        }
        Answer::Reply(reply) => answer(wait, reply.clone()),
    };
    let receipt = match decider(wait, wait.votes.len() + 1) {
        Some(by) => stage.receive(by, what).await?,
        None => stage.act(what).await?,
    };
    Ok(report::refusal(&receipt).map_or(Ok(()), Err))
}

/// A text that is filled in has become nothing.
fn comes_out_empty(step: &Step, args: &Value) -> bool {
    ["prompt", "message", "text"].into_iter().any(|name| {
        let is_filled_in =
            step.args.get(name).and_then(Value::as_str).is_some_and(|text| text.contains("{{"));
        is_filled_in && args[name].as_str().is_some_and(|text| text.trim().is_empty())
    })
}
