//! A session's events as the messages that a page shows. Pure: the transcript is the truth, the page is a view.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    effects::{self, Noted},
    limits,
    message::{Body, Message, Voice},
};
use crate::{
    base::ids::{CallId, WaitId},
    chat::form::{clip, words_of},
    engine::{context_window::posts_of_model, export::noted},
    flow::LoadedFlow,
    messages::{self, Text},
    model::{
        transcript::{
            Amendments, AskState, Audience, Call, CallResult, Event, Origin, Recorded, Speaker,
        },
        ui::Offered,
        wait::{Answerers, Wait},
    },
    session::{State, commands::is_still_offered, evidence},
};

/// The messages on a page that is kept up to date: those from an event on, and older questions that were open when it was
/// drawn. As the query of an address, `from=120&also=3,17`.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default)]
pub struct Window {
    from: u64,
    #[serde(deserialize_with = "seqs")]
    also: BTreeSet<u64>,
}

/// Event numbers with commas between them. What is no number is left out.
fn seqs<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<BTreeSet<u64>, D::Error> {
    let text: String = serde::Deserialize::deserialize(deserializer)?;
    Ok(text.split(',').filter_map(|seq| seq.parse().ok()).collect())
}

impl Window {
    /// The event with which it begins; 0 where nothing comes before it.
    pub const fn from(&self) -> u64 {
        self.from
    }

    /// Whether what an event becomes is on the page.
    pub fn holds(&self, recorded: &Recorded) -> bool {
        recorded.seq >= self.from || self.also.contains(&recorded.seq)
    }

    /// As the query of an address.
    pub fn query(&self) -> String {
        let also: Vec<String> = self.also.iter().map(u64::to_string).collect();
        format!("?from={}&also={}", self.from, also.join(","))
    }
}

/// A session's events as the messages that somebody sees.
#[derive(Debug)]
pub(crate) struct Timeline<'a> {
    events: &'a [Recorded],
    teller: Teller<'a>,
}

impl<'a> Timeline<'a> {
    /// As `viewer` sees them.
    pub(crate) fn of(
        events: &'a [Recorded],
        state: &'a State,
        flow: &'a LoadedFlow,
        viewer: Audience,
    ) -> Self {
        let mut last_asked: BTreeMap<WaitId, u64> = BTreeMap::new();
        for recorded in events {
            if let Event::Asked(wait) = &*recorded.event {
                last_asked.insert(wait.id, recorded.seq);
            }
        }
        let (thoughts, amendments) = (thoughts(events), Amendments::of(events));
        let teller = Teller { state, flow, viewer, last_asked, thoughts, amendments };
        Self { events, teller }
    }

    /// The number of the event with which the latest `most` messages before the event `before` begin; 0 where there are no
    /// others before them.
    pub(crate) fn start(&self, before: u64, most: usize) -> u64 {
        let earlier = self.events.iter().rev().skip_while(|recorded| recorded.seq >= before);
        let mut shown =
            earlier.filter(|recorded| self.teller.tell(recorded).is_some()).map(|shown| shown.seq);
        let first = shown.by_ref().take(most).last().unwrap_or(0);
        if shown.next().is_some() { first } else { 0 }
    }

    /// The latest `most` messages, and all questions that are open.
    pub(crate) fn latest(&self, most: usize) -> Window {
        let state = self.teller.state;
        let is_open = |id| state.wait(id).is_some_and(|wait| wait.status.is_pending());
        let asked = self.teller.last_asked.iter().filter(|(id, _)| is_open(**id));
        let from = self.start(u64::MAX, most);
        Window { from, also: asked.map(|(_, seq)| *seq).filter(|seq| *seq < from).collect() }
    }

    /// Those whose events are wanted, oldest first.
    pub(crate) fn messages(&self, is_wanted: impl Fn(&Recorded) -> bool) -> Vec<Message> {
        let wanted = self.events.iter().filter(|recorded| is_wanted(recorded));
        wanted.filter_map(|recorded| self.teller.tell(recorded)).collect()
    }
}

#[derive(Debug)]
struct Teller<'a> {
    state: &'a State,
    flow: &'a LoadedFlow,
    viewer: Audience,
    last_asked: BTreeMap<WaitId, u64>,
    thoughts: BTreeMap<u64, String>,
    amendments: Amendments<'a>,
}

/// The name of what the model says when it knows of everything up to `knew`: the same while it is still being written.
pub(crate) fn thought_id(knew: u64) -> String {
    format!("t-{knew}")
}

/// The names of the model's own messages, by the events that post them.
fn thoughts(events: &[Recorded]) -> BTreeMap<u64, String> {
    let mut known = BTreeSet::new();
    let posts = posts_of_model(events).into_iter().filter(|(_, knew)| known.insert(*knew));
    posts.map(|(seq, knew)| (seq, thought_id(knew))).collect()
}

impl Teller<'_> {
    fn tell(&self, recorded: &Recorded) -> Option<Message> {
        let body = match self.viewer {
            Audience::Participant => self.to_participant(recorded),
            Audience::Staff => self.to_participant(recorded).or_else(|| self.to_staff(recorded)),
        }?;
        let id = match &body {
            Body::Card { wait, .. } => format!("w-{}-{}", wait.id.short(), recorded.seq),
            Body::Bubble { voice: Voice::Bot, .. } if self.thoughts.contains_key(&recorded.seq) => {
                self.thoughts[&recorded.seq].clone()
            }
            _ => format!("m-{}", recorded.seq),
        };
        Some(Message { id, at: recorded.at, body })
    }

    /// What everybody who sees the conversation sees.
    #[expect(clippy::too_many_lines, reason = "one arm for each event")]
    fn to_participant(&self, recorded: &Recorded) -> Option<Body> {
        match &*recorded.event {
            Event::Said { from, text, source, .. } => {
                let text = self.amendments.read(text, source.as_deref()).to_owned();
                let voice = match from {
                    Speaker::Participant => Voice::Participant,
                    Speaker::Staff { name, .. } => Voice::Staff(name.clone()),
                    Speaker::Bystander { name, .. } => Voice::Bystander(name.clone()),
                };
                Some(Body::Bubble { voice, text, offers: Vec::new() })
            }
            Event::Posted { audience: Audience::Participant, text, offers, .. } => {
                let offers = self.still_offered(offers);
                Some(Body::Bubble { voice: Voice::Bot, text: text.common_mark(), offers })
            }
            Event::Asked(wait) => self.card(wait, recorded.seq),
            Event::Kept(artifact) => Some(Body::File(artifact.clone())),
            Event::ExportOffered { .. } => Some(Body::Export),
            Event::Handed { what, text, .. } => {
                Some(Body::Handed { what: what.clone(), text: text.common_mark() })
            }
            Event::Advanced { to: Some(to), grounds, .. } => {
                let part = evidence::step_line(self.flow, to, None);
                let part = part.map_or_else(|| to.clone(), |part| part.to_string());
                Some(Body::Part(match (self.viewer, messages::timeline::grounds(grounds)) {
                    (Audience::Staff, Some(grounds)) => messages::timeline::part(&part, grounds),
                    (Audience::Staff, None) | (Audience::Participant, _) => part,
                }))
            }
            Event::EffectNoted { phase, index, what, outcome, effect } => {
                let was_queued = effect.is_some();
                let effect = self.flow.phase(phase).and_then(|phase| phase.effect.get(*index));
                let noted = Noted { effect, what, outcome, was_queued };
                effects::told(noted, self.state, self.flow, self.viewer)
            }
            Event::Started(_)
            | Event::Amended { .. }
            | Event::TeamAsked { .. }
            | Event::DeliveryFailed { .. }
            | Event::NoticeAnswered { .. }
            | Event::StatusChanged { .. }
            | Event::Posted { audience: Audience::Staff, .. }
            | Event::Called(_)
            | Event::Voted { .. }
            | Event::Edited { .. }
            | Event::Worded { .. }
            | Event::Answered { .. }
            | Event::Applied { .. }
            | Event::Closed { .. }
            | Event::Returned { .. }
            | Event::Stepped { .. }
            | Event::PhaseScheduled { .. }
            | Event::PhaseOpened { .. }
            | Event::ValuesSet { .. }
            | Event::CapabilityUsed { .. }
            | Event::Saved { .. }
            | Event::Proposed { .. }
            | Event::ObjectiveSet { .. }
            | Event::Advanced { .. }
            | Event::AdvanceEvaluated { .. }
            | Event::HandedOver { .. }
            | Event::Claimed { .. }
            | Event::HandedBack { .. }
            | Event::Reminded { .. }
            | Event::RemindersStopped
            | Event::Custody(_)
            | Event::Thought(_)
            | Event::ThinkingFailed { .. }
            | Event::ScriptLeads { .. }
            | Event::Late { .. }
            | Event::Summarised { .. }
            | Event::Subtask(_)
            | Event::Spent { .. } => None,
        }
    }

    /// What may be pressed under a message: only the participant may, and only while it means anything.
    fn still_offered(&self, offers: &[Offered]) -> Vec<Offered> {
        let is_offered = |offered: &&Offered| {
            self.viewer == Audience::Participant && is_still_offered(**offered, self.state)
        };
        offers.iter().filter(is_offered).copied().collect()
    }

    /// How the bot works: for staff alone.
    #[expect(clippy::too_many_lines, reason = "one arm for each event")]
    fn to_staff(&self, recorded: &Recorded) -> Option<Body> {
        match &*recorded.event {
            Event::Started(started) => {
                let flow = &started.flow;
                line(messages::timeline::opened(&self.flow.flow.title, &flow.version))
            }
            Event::StatusChanged { to, reason } => line(messages::timeline::change(*to, reason)),
            Event::Posted { audience: Audience::Staff, text, .. } => {
                let (voice, text) = (Voice::BotToStaff, text.common_mark());
                Some(Body::Bubble { voice, text, offers: Vec::new() })
            }
            Event::Called(call) => Some(of_call(call)),
            Event::Returned { call, result } | Event::Late { call, result } => {
                Some(self.of_result(call, result))
            }
            Event::Saved { data_type, data, reviewed, .. } => {
                let title = self.flow.data_title(data_type);
                detailed(messages::timeline::saved(&title, *reviewed), data)
            }
            Event::Proposed { objective, status } => {
                let title = self.objective(objective);
                technical(messages::timeline::proposed(&title, *status))
            }
            Event::ObjectiveSet { objective, status, by } => {
                let title = self.objective(objective);
                technical(messages::timeline::objective_set(&title, *status, *by))
            }
            Event::Advanced { to: None, .. } => {
                line(Text::words(messages::timeline::LAST_PART_DONE))
            }
            Event::AdvanceEvaluated { outcome } => detailed(
                Text::words(messages::timeline::advance(outcome["status"].as_str())),
                outcome,
            ),
            Event::HandedOver { reason } => line(match more_than_a_call(reason) {
                Some(reason) => messages::timeline::asked_for_a_human_because(reason),
                None => Text::words(messages::timeline::ASKED_FOR_A_HUMAN),
            }),
            Event::Claimed { by_name, .. } => line(messages::timeline::took_over(by_name)),
            Event::Voted { vote, .. } => {
                let name = Text::default().then_quoted(&vote.by_name);
                line(name.then(messages::requests::has_voted(vote.approves())))
            }
            Event::Edited { by_name, .. } => line(messages::timeline::saved_edit(by_name)),
            Event::HandedBack { .. } => line(Text::words(messages::timeline::HANDED_BACK)),
            Event::TeamAsked { person: Some(_), reached, .. } => match reached {
                AskState::Pending => None,
                AskState::Delivered => line(Text::words(messages::timeline::MEMBER_ASKED)),
                AskState::Blocked | AskState::Failed => {
                    line(Text::words(messages::timeline::MEMBER_NOT_REACHED))
                }
            },
            Event::TeamAsked { alias, reached, .. } => match reached {
                AskState::Blocked => line(messages::timeline::cannot_receive(alias)),
                AskState::Failed => line(messages::timeline::not_reached(alias)),
                AskState::Pending | AskState::Delivered => None,
            },
            Event::DeliveryFailed { what, reason, .. } => {
                line(messages::timeline::not_delivered(what, reason))
            }
            Event::Reminded { count, .. } => line(messages::timeline::reminder_sent(count)),
            Event::ValuesSet { values, .. } => technical(Text::words(noted(values))),
            Event::RemindersStopped => line(Text::words(messages::timeline::REMINDERS_OFF)),
            Event::Custody(custody) => line(Text::words(custody.words())),
            Event::Subtask(subtask) => subtask.words().map(Text::words).and_then(technical),
            Event::Said { .. }
            | Event::Amended { .. }
            | Event::Posted { .. }
            | Event::Asked(_)
            | Event::Kept(_)
            | Event::ExportOffered { .. }
            | Event::Handed { .. }
            | Event::CapabilityUsed { .. }
            | Event::Advanced { .. }
            | Event::EffectNoted { .. }
            | Event::NoticeAnswered { .. }
            | Event::Answered { .. }
            | Event::Worded { .. }
            | Event::Applied { .. }
            | Event::Closed { .. }
            | Event::Thought(_)
            | Event::Spent { .. }
            | Event::Stepped { .. }
            | Event::PhaseScheduled { .. }
            | Event::PhaseOpened { .. } => None,
            Event::ThinkingFailed { .. } | Event::ScriptLeads { .. } | Event::Summarised { .. } => {
                of_mind(&recorded.event)
            }
        }
    }

    /// A card as it stands now. The participant sees the staff's cards only where they may decide themselves.
    fn card(&self, asked: &Wait, seq: u64) -> Option<Body> {
        let for_deciders = matches!(asked.answerers, Answerers::Deciders { .. });
        if for_deciders && self.viewer == Audience::Participant {
            return None;
        }
        let again = self.last_asked.get(&asked.id) != Some(&seq);
        let now = self.state.wait(asked.id).filter(|_| !again).unwrap_or(asked);
        Some(Body::Card { wait: Box::new(now.clone()), again })
    }

    fn of_result(&self, call: &CallId, result: &CallResult) -> Body {
        let tool = self
            .state
            .call(call)
            .map_or(messages::timeline::THE_CALL, |known| known.call.tool.as_str());
        let (text, detail) = match result {
            CallResult::Ok { value } => (messages::timeline::result(tool), pretty(value)),
            CallResult::Err { code, message } => {
                (messages::timeline::call_failed(tool, code), message.clone())
            }
        };
        Body::Line { text, detail: Some(detail), technical: true }
    }

    fn objective(&self, id: &str) -> String {
        self.flow.objective(id).map_or_else(|| words_of(id), |(_, o)| o.title.clone())
    }
}

/// How the model's part went.
fn of_mind(event: &Event) -> Option<Body> {
    match event {
        Event::ThinkingFailed { code, count, .. } => {
            technical(messages::timeline::model_failed(*count, code))
        }
        Event::ScriptLeads { because, .. } => technical(messages::timeline::script_leads(because)),
        Event::Summarised { text, .. } => {
            detailed(Text::words(messages::timeline::SUMMARY_FOR_MODEL), &text.clone().into())
        }
        _ => None,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "reads as one arm among those that may be nothing")]
fn line(text: Text) -> Option<Body> {
    Some(Body::Line { text, detail: None, technical: false })
}

#[expect(clippy::unnecessary_wraps, reason = "reads as one arm among those that may be nothing")]
fn technical(text: Text) -> Option<Body> {
    Some(Body::Line { text, detail: None, technical: true })
}

#[expect(clippy::unnecessary_wraps, reason = "reads as one arm among those that may be nothing")]
fn detailed(text: Text, detail: &Value) -> Option<Body> {
    Some(Body::Line { text, detail: Some(pretty(detail)), technical: true })
}

fn pretty(value: &Value) -> String {
    clip(&serde_json::to_string_pretty(value).unwrap_or_default(), limits::VALUE_MAX)
}

fn of_call(call: &Call) -> Body {
    let who = match &call.origin {
        Origin::Step { step } => messages::timeline::script_step(step),
        Origin::Model { round } => messages::timeline::model_round(round),
        Origin::Person { may_decide: true, .. } => messages::timeline::TEAM_MEMBER.to_owned(),
        Origin::Person { may_decide: false, .. } => {
            messages::capitalised(messages::unnamed::THE_PARTICIPANT)
        }
        Origin::Engine => messages::timeline::THE_ENGINE.to_owned(),
    };
    Body::Line {
        text: messages::timeline::called(&who, &call.tool),
        detail: Some(pretty(&call.args)),
        technical: true,
    }
}

/// Why a person was asked for, where it says more than that they were.
pub(super) fn more_than_a_call(reason: &str) -> Option<&str> {
    Some(reason).filter(|reason| *reason != messages::staff::PARTICIPANT_ASKED)
}

/// How far the session is: `Step 1 of 3 · The basics · 0/3`, with the share that is done.
pub fn progress(state: &State, flow: &LoadedFlow) -> Option<(String, f64)> {
    let line = evidence::progress_line(state, flow)?;
    let phase = flow.phase(state.phase()?)?;
    let done = evidence::progress(state, phase);
    Some((line.to_string(), evidence::share(flow, state.status, Some((&phase.id, done)))))
}
