//! What there is to write from: the last messages, what tools came to, what was stored, what the operator offers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use crate::{
    base::ids::{CallId, WaitId},
    config::consulting::Consulting,
    messages,
    model::{
        transcript::{Amendments, Audience, Call, CallResult, Event, Origin, Recorded, Speaker},
        ui::{Control, Reply},
        wait::{Answerers, Purpose, Wait},
    },
    ports::llm::untrusted::{INPUT, fenced},
    session::{
        State,
        grounding::{Sources, without_echo},
    },
    tool::{ToolCx, ToolError},
};

/// Messages that count, the last ones.
pub(super) const MESSAGES: usize = 50;

/// Longest message that is shown, in characters.
const MESSAGE_MAX: usize = 4_000;

/// Longest result that is shown, in characters.
const RESULT_MAX: usize = 6_000;

/// All results that are shown, in characters; the newest ones.
const RESULTS_MAX: usize = 40_000;

/// Tools whose results are the conversation's own, or stand among the records, or were written from the same material.
const NOT_SHOWN: &[&str] = &[
    "next_phase",
    "set_objective_status",
    "submit_for_validation",
    "persist_data",
    "get_user_option",
    "get_user_upload",
    "get_image_from_user",
    "request_user_input",
    "get_booking_link",
    "extract_action_items",
    "generate_summary_preview",
    "draft_follow_up_email",
    "generate_proposal_draft",
    "generate_executive_memo",
    "generate_custom_syllabus",
    "generate_architecture_diagram",
];

/// Something that is true whatever was said, such as a price.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fact(String);

/// What there is to write from.
#[derive(Debug, Clone)]
pub(in crate::tool::catalog::consulting) struct Material {
    said: Vec<Said>,
    /// Tools and what they came to, oldest first.
    results: Vec<(String, Value)>,
    /// Data by its name, as it is now.
    records: Vec<(String, Value)>,
    facts: Vec<Fact>,
    sources: Sources,
}

/// Who speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Who {
    Participant,
    Staff(String),
    /// The words of the flow, or of the program.
    House,
    /// A model: shown, and no source.
    Model,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    who: Who,
    text: String,
}

impl Material {
    /// What a call may write from.
    pub(in crate::tool::catalog::consulting) async fn of(
        cx: &ToolCx<'_>,
    ) -> Result<Self, ToolError> {
        let session = cx.read(|view| view.state.session);
        let events = match &cx.services.past {
            Some(past) => past.events(session).await?,
            None => Vec::new(),
        };
        Ok(cx.read(|view| {
            let state = &view.state;
            let mut facts = facts(&cx.services.consulting);
            facts.push(Fact(format!("Today is {}.", cx.now.format("%Y-%m-%d"))));
            if let Some(name) = &state.name {
                facts.push(Fact(format!("The participant is called {name}.")));
            }
            let results = results(state);
            let records: BTreeMap<&str, &Value> = state
                .records
                .iter()
                .map(|record| (record.data_type.as_str(), &record.data))
                .collect();
            let records = records.into_iter().map(|(name, data)| (name.to_owned(), data.clone()));
            Self::new(said(&events), results, records.collect(), facts)
        }))
    }

    fn new(
        said: Vec<Said>,
        results: Vec<(&Call, Value)>,
        records: Vec<(String, Value)>,
        facts: Vec<Fact>,
    ) -> Self {
        let mut sources = Sources::default();
        for Said { who, text } in &said {
            match who {
                Who::Participant | Who::Staff(_) | Who::House => sources.add_text(text),
                Who::Model => {}
            }
        }
        // A model wrote the arguments, and what it writes bears nothing out.
        for (call, value) in &results {
            sources.add_value(&without_echo(value, &call.args));
        }
        for (_, value) in &records {
            sources.add_value(value);
        }
        for Fact(text) in &facts {
            sources.add_text(text);
        }
        let results = results.into_iter().map(|(call, value)| (call.tool.clone(), value)).collect();
        Self { said, results, records, facts, sources }
    }

    /// What figures and quotations may rest on.
    pub(in crate::tool::catalog::consulting) const fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Whether anybody has said anything, or any tool has come to something.
    pub(in crate::tool::catalog::consulting) fn is_empty(&self) -> bool {
        let spoke = |said: &Said| matches!(said.who, Who::Participant | Who::Staff(_));
        !self.said.iter().any(spoke) && self.results.is_empty() && self.records.is_empty()
    }

    /// What the participant said, oldest first.
    pub(in crate::tool::catalog::consulting) fn by_participant(
        &self,
    ) -> impl Iterator<Item = &str> {
        let theirs = self.said.iter().filter(|said| said.who == Who::Participant);
        theirs.map(|said| said.text.as_str())
    }

    /// Tools and what they came to, oldest first.
    pub(in crate::tool::catalog::consulting) fn results(&self) -> &[(String, Value)] {
        &self.results
    }

    /// Data by its name.
    pub(in crate::tool::catalog::consulting) fn records(&self) -> &[(String, Value)] {
        &self.records
    }

    /// All of it for a model, fenced.
    pub(super) fn shown(&self) -> String {
        let mut shown = String::new();
        let mut add = |fence: &str, text: &str| {
            shown.push_str(&fenced(fence, text));
            shown.push('\n');
        };
        add("note", "The conversation, oldest first:");
        for Said { who, text } in &self.said {
            let text = cut(text, MESSAGE_MAX);
            match who {
                Who::Participant => add("participant", &text),
                Who::Staff(name) => add("staff", &format!("{name}: {text}")),
                Who::House => add("note", &format!("The participant was told: {text}")),
                Who::Model => {
                    add("note", &format!("The assistant said, which is no source: {text}"));
                }
            }
        }
        add("note", "What tools came to in this conversation:");
        let mut room = RESULTS_MAX;
        let mut kept = VecDeque::new();
        for (tool, value) in self.results.iter().rev() {
            let text = cut(&format!("{tool}: {value}"), RESULT_MAX);
            let Some(left) = room.checked_sub(text.len()) else { break };
            room = left;
            kept.push_front(text);
        }
        for text in kept {
            add(INPUT, &text);
        }
        for (name, data) in &self.records {
            add(INPUT, &cut(&format!("stored as {name}: {data}"), RESULT_MAX));
        }
        for Fact(text) in &self.facts {
            add("note", text);
        }
        shown
    }
}

/// What the operator offers, in words; the workshop takes two days.
fn facts(consulting: &Consulting) -> Vec<Fact> {
    let Consulting { owner, currency, hourly_rate, workshop, engagement, .. } = consulting;
    let mut facts = vec![
        Fact(format!("The workshop on offer takes 2 days and costs {workshop} {currency}.")),
        Fact(format!("A consulting engagement costs {engagement} {currency}.")),
        Fact(format!(
            "An hour of work is counted with {hourly_rate} {currency} where nobody said otherwise."
        )),
    ];
    facts.extend(owner.iter().map(|owner| Fact(format!("The offers are made by {owner}."))));
    facts
}

/// Calls and what they came to, oldest first.
fn results(state: &State) -> Vec<(&Call, Value)> {
    let told = state.calls.iter().filter_map(|call| {
        let result = call.late.as_deref().or(call.result.as_deref())?;
        let call = &*call.call;
        match result {
            CallResult::Ok { value }
                if !NOT_SHOWN.contains(&call.tool.as_str())
                    && value["success"] != false
                    && value["status"] != "failed" =>
            {
                Some((call, value.get("data").unwrap_or(value).clone()))
            }
            CallResult::Ok { .. } | CallResult::Err { .. } => None,
        }
    });
    told.collect()
}

/// The last messages of a conversation: what people wrote and answered, and what they were asked and told.
fn said(events: &[Recorded]) -> Vec<Said> {
    let amendments = Amendments::of(events);
    let mut by_model: BTreeSet<&CallId> = BTreeSet::new();
    let mut waits: BTreeMap<WaitId, &Wait> = BTreeMap::new();
    let mut thought = None;
    let mut said = VecDeque::new();
    for recorded in events {
        let words = match &*recorded.event {
            Event::Called(call) => {
                if matches!(call.origin, Origin::Model { .. }) {
                    by_model.insert(&call.id);
                }
                None
            }
            Event::Thought(words) => {
                // Its words are posted right after it.
                thought = (!words.text.is_empty()).then_some(recorded.seq + 1);
                None
            }
            Event::Posted { audience: Audience::Participant, text, .. } => {
                let is_model = thought == Some(recorded.seq);
                Some((if is_model { Who::Model } else { Who::House }, text.common_mark()))
            }
            Event::Said { from, text, source, .. } => {
                let text = amendments.read(text, source.as_deref()).to_owned();
                match from {
                    Speaker::Participant => Some((Who::Participant, text)),
                    Speaker::Staff { name, .. } => Some((Who::Staff(name.clone()), text)),
                    // Whoever happens to be in the thread is no party to it.
                    Speaker::Bystander { .. } => None,
                }
            }
            Event::Asked(wait) => {
                let is_new = waits.insert(wait.id, wait).is_none();
                asked(wait, &by_model).filter(|_| is_new)
            }
            Event::Answered { wait, reply, .. } => {
                waits.get(wait).and_then(|wait| answered(wait, reply))
            }
            _ => None,
        };
        if let Some((who, text)) = words.filter(|(_, text)| !text.trim().is_empty()) {
            said.push_back(Said { who, text });
            if said.len() > MESSAGES {
                said.pop_front();
            }
        }
    }
    said.into()
}

/// A question to the participant.
fn asked(wait: &Wait, by_model: &BTreeSet<&CallId>) -> Option<(Who, String)> {
    if wait.answerers != Answerers::Participant {
        return None;
    }
    let is_model = matches!(&wait.purpose, Purpose::Call { call, .. } if by_model.contains(call));
    let who = if is_model { Who::Model } else { Who::House };
    Some((who, wait.prompt.body.common_mark()))
}

/// What the participant answered, in words.
fn answered(wait: &Wait, reply: &Reply) -> Option<(Who, String)> {
    if wait.answerers != Answerers::Participant {
        return None;
    }
    if let Some(words) = reply.words() {
        return Some((Who::Participant, words.to_owned()));
    }
    let text = match reply {
        Reply::Text { text } => text.clone(),
        Reply::Chosen { ids, .. } => {
            let Control::Choose(choose) = &wait.prompt.control else { return None };
            let chosen = choose.choices.iter().filter(|option| ids.contains(&option.id));
            chosen.map(|option| option.label.as_str()).collect::<Vec<_>>().join(", ")
        }
        Reply::Filled { values } => {
            let values = values.iter().filter_map(|(name, value)| {
                let text = match value {
                    Value::String(text) => text.clone(),
                    Value::Null => return None,
                    value => value.to_string(),
                };
                Some(format!("{name}: {text}"))
            });
            values.collect::<Vec<_>>().join("; ")
        }
        // What was reviewed stands among the records, files among the results.
        Reply::Reviewed { notes, .. } => notes.clone()?,
        Reply::Confirmed { yes } => {
            if *yes { messages::buttons::YES } else { messages::buttons::NO }.to_owned()
        }
        Reply::Uploaded { .. } | Reply::Decided { .. } | Reply::Skipped => return None,
    };
    Some((Who::Participant, text))
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
