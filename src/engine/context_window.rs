//! The window: what the model is shown of a session. A pure function of the flow and the events.
//!
//! It costs as much as what it shows: of what a short form stands for, nothing is looked at but how a phase began.
//!
//! It only ever grows at its end, so that what was sent once stays a prefix of what is sent next, byte for byte, and
//! a provider's cache hits; a short form made by the model ([`Event::Summarised`]) begins it anew. What the model said
//! stands where it said it: before what happened while it was speaking, which it did not know.
//!
//! People's words are fenced and the fences in them are defused, so that nobody writes a note of the program.

mod notes;
mod posts;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use serde_json::Value;

use crate::{
    base::ids::{ArtifactId, CallId},
    flow::{LoadedFlow, OUTPUT, subtasks},
    model::{
        flow::{Decider, Objective, Phase, Skip},
        task::{Assignment, Subtask},
        transcript::{
            Audience, Call, CallResult, Event, Intent, ObjectiveStatus, Origin, Recorded, SetBy,
            Speaker, Thought,
        },
        ui::Reply,
    },
    ports::llm::{
        chat::{Message, Request, ToolCall, ToolChoice, ToolSpec},
        untrusted::{DOCUMENT, INPUT, defuse, defused, fenced},
    },
    session::evidence,
};

pub use self::posts::{answered, is_post_of_model, posts_of_model};

const INTERVIEWER: &str = include_str!("../../manifests/prompts/interviewer.md");
const TASK: &str = include_str!("../../manifests/prompts/task.md");

/// The tool whose results hold the text of documents.
const READER: &str = "extract_document";

/// What is said of the last part.
const LAST_PART: &str = "This is the last part: in the answer whose `next_phase` ends it, thank them, say what happens next \
    and say goodbye.\n";

/// What the model is told when the last part is over.
const GOODBYE: &str = "The interview is over, and the participant reads a summary of what is kept. Say goodbye in one or two \
    short sentences of your own: thank them and say what happens next, as far as you know. Ask nothing and call no tool.";

/// What the model is asked to make the short form by.
const SUMMARISE: &str = "<note>Write a short form of the conversation so far for yourself; it will stand in its place. \
    Keep every fact, name, date, number, decision, open question, file id and record id. Leave out greetings and \
    wording. Plain text, at most 600 words. Call no tool.</note>";

/// The request for the model's next round. `last`: it may not call tools; they stay listed, since the conversation
/// holds calls of them and the prefix stays what it was.
pub fn request(
    flow: &LoadedFlow,
    events: &[Recorded],
    tools: Arc<[ToolSpec]>,
    last: bool,
) -> Request {
    let choice = if last { ToolChoice::Never } else { ToolChoice::Auto };
    // What a child run gives back is asked for in words, since it comes after calls, and checked in any case.
    Request { messages: messages(flow, events), tools, choice, ..Request::default() }
}

/// The request for a short form of everything up to `through`.
pub(super) fn summary_request(
    flow: &LoadedFlow,
    events: &[Recorded],
    tools: Arc<[ToolSpec]>,
    through: u64,
) -> Request {
    let mut request = request(flow, &events[..after(events, through)], tools, true);
    request.messages.push(Message::user(SUMMARISE));
    request
}

/// Where a short form may end so that about half of the conversation is kept as it was said: right before a message of
/// the participant, with all calls before it ended. None where there is too little to shorten.
pub(super) fn cut(events: &[Recorded], summarised: u64) -> Option<u64> {
    let mut open: Vec<&CallId> = Vec::new();
    let mut cuts = Vec::new();
    for recorded in events {
        match &*recorded.event {
            Event::Thought(thought) => open.extend(thought.calls.iter().map(|call| &call.id)),
            Event::Returned { call, .. } => open.retain(|id| *id != call),
            Event::Said { from: Speaker::Participant, .. }
                if open.is_empty() && recorded.seq > summarised + 1 =>
            {
                cuts.push(recorded.seq - 1);
            }
            _ => {}
        }
    }
    (cuts.len() > 1).then(|| cuts.get(cuts.len() / 2).copied()).flatten()
}

/// How many events there are up to number `seq`; they are in order.
fn after(events: &[Recorded], seq: u64) -> usize {
    events.partition_point(|recorded| recorded.seq <= seq)
}

fn messages(flow: &LoadedFlow, events: &[Recorded]) -> Vec<Message> {
    // A child run is told what to do right after it has begun.
    let assignment = events.iter().take(2).find_map(|recorded| match &*recorded.event {
        Event::Subtask(Subtask::Tasked(assignment)) => Some(assignment),
        _ => None,
    });
    let mut messages = match assignment {
        Some(assignment) => task_messages(flow, assignment),
        None => vec![Message::System(instructions(flow))],
    };
    if assignment.is_none()
        && let Some(begun) = events.first()
        && let Event::Started(started) = &*begun.event
    {
        messages.push(note(&notes::about(flow, started, begun.at)));
    }
    let short = events.iter().rev().find_map(|recorded| match &*recorded.event {
        Event::Summarised { through, text, .. } => Some((*through, text)),
        _ => None,
    });
    let (old, shown) = events.split_at(short.map_or(0, |(through, _)| after(events, through)));
    let window = Window::new(flow, old, shown);
    if let Some((_, text)) = short {
        messages.push(note(&format!("The conversation so far, in short:\n{text}")));
        let phase = old.iter().rev().find_map(|recorded| match &*recorded.event {
            Event::Advanced { to, .. } => Some(to.as_ref()),
            _ => None,
        });
        let begun = phase.flatten().and_then(|id| flow.phase(id));
        messages.extend(begun.map(|phase| window.begun(phase)));
    }
    let echoes = posts_of_model(shown);
    for recorded in in_order(shown, &echoes) {
        // What the model says is posted after it: once is enough.
        if !echoes.contains_key(&recorded.seq) {
            window.tell(recorded, &mut messages);
        }
        messages.extend(window.asides.get(&recorded.seq).map(|aside| note(aside)));
    }
    messages
}

/// The events as the model lived through them: its words stand before what it did not know when it spoke, and so does
/// the post that carries them.
fn in_order<'a>(events: &'a [Recorded], echoes: &BTreeMap<u64, u64>) -> Vec<&'a Recorded> {
    let mut keyed: Vec<((u64, u64), &Recorded)> = Vec::with_capacity(events.len());
    for recorded in events {
        let key = match &*recorded.event {
            Event::Thought(thought) => (thought.knew, recorded.seq),
            _ => match echoes.get(&recorded.seq) {
                Some(knew) => (*knew, recorded.seq),
                None => (recorded.seq, 0),
            },
        };
        keyed.push((key, recorded));
    }
    keyed.sort_by_key(|(key, _)| *key);
    keyed.into_iter().map(|(_, recorded)| recorded).collect()
}

/// What stands in place of messages that were changed, and which changes the model is told of: what it has read stays
/// as it was, so that the prefix stays; only what was taken away goes.
fn amended(shown: &[Recorded]) -> (HashMap<u64, Option<&str>>, HashMap<u64, u64>) {
    let (mut instead, mut news) = (HashMap::new(), HashMap::new());
    let mut said: HashMap<&str, (u64, bool)> = HashMap::new();
    let mut knew: Vec<u64> = Vec::new();
    for recorded in shown {
        if let Event::Thought(thought) = &*recorded.event {
            knew.push(thought.knew);
        }
    }
    for recorded in shown {
        match &*recorded.event {
            Event::Said { from, source: Some(source), .. } => {
                said.insert(source, (recorded.seq, *from == Speaker::Participant));
            }
            Event::Amended { source, text } => {
                let Some((seq, is_theirs)) = said.get(source.as_str()) else { continue };
                let was_read = knew.iter().any(|knew| (*seq..recorded.seq).contains(knew));
                match text {
                    Some(_) if was_read && *is_theirs => _ = news.insert(recorded.seq, *seq),
                    Some(_) if was_read => {}
                    None => {
                        news.retain(|_, about| about != seq);
                        instead.insert(*seq, None);
                    }
                    changed => _ = instead.insert(*seq, changed.as_deref()),
                }
            }
            _ => {}
        }
    }
    (instead, news)
}

/// Whether a result says that the card is still open.
fn is_pending(result: &CallResult) -> bool {
    let CallResult::Ok { value } = result else { return false };
    matches!(value["status"].as_str(), Some("pending" | "awaiting_user_approval"))
}

struct Window<'a> {
    flow: &'a LoadedFlow,
    /// What a short form stands for.
    old: &'a [Recorded],
    calls: HashMap<&'a CallId, &'a Call>,
    results: HashMap<&'a CallId, &'a CallResult>,
    /// Files that answered a card.
    answers: HashSet<ArtifactId>,
    /// What stands in place of messages that were changed before the model read them, or taken away.
    instead: HashMap<u64, Option<&'a str>>,
    /// Changes of messages that the model had read, and which messages.
    news: HashMap<u64, u64>,
    /// What the program adds right after an event, by its number.
    asides: HashMap<u64, String>,
}

impl<'a> Window<'a> {
    fn new(flow: &'a LoadedFlow, old: &'a [Recorded], shown: &'a [Recorded]) -> Self {
        let (calls, results, answers) = (HashMap::new(), HashMap::new(), HashSet::new());
        let (instead, news) = amended(shown);
        let asides = notes::asides(flow, old, shown);
        let mut window = Self { flow, old, calls, results, answers, instead, news, asides };
        for recorded in shown {
            match &*recorded.event {
                Event::Called(call) => _ = window.calls.insert(&call.id, call),
                Event::Returned { call, result } => {
                    window.results.entry(call).or_insert(result);
                }
                Event::Answered { reply: Reply::Uploaded { artifacts }, .. } => {
                    window.answers.extend(artifacts);
                }
                _ => {}
            }
        }
        window
    }

    /// A call; one that a short form stands for is looked for there, which is rare: its card was open for that long.
    fn call(&self, id: &CallId) -> Option<&'a Call> {
        self.calls.get(id).copied().or_else(|| {
            self.old.iter().rev().find_map(|recorded| match &*recorded.event {
                Event::Called(call) if call.id == *id => Some(call),
                _ => None,
            })
        })
    }

    fn tell(&self, recorded: &Recorded, messages: &mut Vec<Message>) {
        match &*recorded.event {
            // A child run has one part, and is told of it in its instructions.
            Event::Advanced { to: Some(to), .. } if to != subtasks::PHASE => {
                messages.extend(self.flow.phase(to).map(|phase| self.begun(phase)));
            }
            Event::Advanced { to: None, .. } => messages.push(note(GOODBYE)),
            Event::Subtask(Subtask::Refused { complaints }) => messages.push(note(&format!(
                "This is not the promised form: {complaints}. Answer once more, with the whole JSON object."
            ))),
            Event::Said { from, text, .. } => {
                match self.instead.get(&recorded.seq) {
                    None => messages.push(said(from, text)),
                    Some(Some(changed)) => messages.push(said(from, changed)),
                    // Nobody is told what is not there any more.
                    Some(None) => {}
                }
            }
            Event::Amended { text: Some(text), .. } if self.news.contains_key(&recorded.seq) => {
                messages.push(note("The participant has changed an earlier message. It reads now:"));
                messages.push(said(&Speaker::Participant, text));
            }
            Event::Thought(thought) => self.thought(thought, messages),
            Event::Returned { call, result } => messages.extend(self.returned(call, result)),
            Event::Late { call, result } => {
                let tool = self.call(call).map_or("", |call| call.tool.as_str());
                let was_open = self
                    .results
                    .get(call)
                    .is_none_or(|before| !before.is_success() || is_pending(before));
                let result = told(tool, result);
                let text = if was_open {
                    format!("What came of the open card of `{tool}`: {result}")
                } else {
                    format!("The participant has changed their answer to `{tool}`. It is now: {result}")
                };
                messages.push(safe_note(&text));
            }
            Event::Posted { audience: Audience::Participant, text, .. } => {
                messages.push(note(&format!("The participant was told: {}", text.common_mark())));
            }
            // One that answers a card is in the result of its call.
            Event::Kept(file) if !self.answers.contains(&file.id) => messages.push(note(&format!(
                "The participant has sent a file: artifact_id {}, name “{}”, kept as `{}`.",
                file.id, file.filename, file.upload_type
            ))),
            Event::ObjectiveSet { objective, status, by: SetBy::Condition } => {
                let is_needed = *status != ObjectiveStatus::NotApplicable;
                let word = if is_needed { "counts now" } else { "does not apply: leave it out" };
                messages.push(note(&format!("`{objective}` {word}.")));
            }
            Event::ThinkingFailed { code, .. } => {
                messages.extend(notes::of_no_use(code).map(note));
            }
            Event::HandedBack { .. } => {
                messages
                    .push(note("The conversation was with the team; it is yours again."));
            }
            _ => {}
        }
    }

    /// What a part is about.
    fn begun(&self, phase: &Phase) -> Message {
        let of = self.flow.flow.phase.len();
        let position = self.flow.position(&phase.id).map_or(1, |at| at + 1);
        // How many parts there are is only known where none has a condition.
        let is_counted = self.flow.flow.phase.iter().all(|phase| phase.when.is_none());
        let part =
            if is_counted { format!("Part {position} of {of}") } else { "A part".to_owned() };
        let mut text = format!("{part} begins: {} (`{}`).\n", phase.title, phase.id);
        let prompt = self.flow.text(&phase.prompt);
        if !prompt.trim().is_empty() {
            text.push_str(prompt.trim());
            text.push('\n');
        }
        if !phase.objective.is_empty() {
            text.push_str("Objectives:\n");
            text.extend(phase.objective.iter().map(objective));
        }
        let shapes = self.flow.shapes(phase);
        if !shapes.is_empty() {
            text.push_str("Forms of `data`, by `dataType`; leave out what is not known:\n");
            text.extend(shapes.iter().map(|(name, form)| format!("- `{name}`: {form}\n")));
        }
        if self.flow.after(&phase.id).is_none() {
            text.push_str(LAST_PART);
        }
        note(text.trim_end())
    }

    fn thought(&self, thought: &Thought, messages: &mut Vec<Message>) {
        let call = |intent: &Intent| ToolCall {
            id: intent.id.clone(),
            name: intent.tool.clone(),
            // Arguments that were no JSON are told by the call's result; repeated, they would upset providers.
            raw: match &intent.args {
                Value::Object(_) => compact(&intent.args),
                _ => "{}".to_owned(),
            },
        };
        let calls: Vec<ToolCall> = thought.calls.iter().map(call).collect();
        let calls_nothing = calls.is_empty();
        if !calls_nothing || !thought.text.is_empty() {
            messages.push(Message::Assistant {
                text: thought.text.clone(),
                calls,
                opaque: thought.opaque.clone(),
            });
        }
        for intent in &thought.calls {
            let result = self.results.get(&intent.id);
            let content = result.map_or_else(
                // Only a short form is ever made while a call is open.
                || r#"{"status":"pending"}"#.to_owned(),
                |result| told(&intent.tool, result),
            );
            messages.push(Message::Tool { call: intent.id.clone(), content });
        }
        if calls_nothing {
            messages.extend(thought.gap.map(|gap| note(notes::of_gap(gap))));
        }
    }

    /// What came of calls that the model did not make.
    fn returned(&self, id: &CallId, result: &CallResult) -> Option<Message> {
        let call = self.call(id)?;
        let result = told(&call.tool, result);
        match &call.origin {
            Origin::Model { .. } | Origin::Engine => None,
            Origin::Step { .. } => {
                let mut args = call.args.clone();
                defuse(&mut args);
                let args = compact(&args);
                let text = format!(
                    "The fixed script asked with `{}` {args} and this came of it: {result}",
                    call.tool
                );
                Some(safe_note(&text))
            }
            Origin::Person { .. } => Some(safe_note(&format!(
                "A person asked for `{}`; this came of it: {result}",
                call.tool
            ))),
        }
    }
}

fn objective(objective: &Objective) -> String {
    let Objective { id, title, required, skip, .. } = objective;
    let need = match (required, skip) {
        (false, _) => "optional",
        (true, Skip::Participant) => "required; the participant may skip it",
        (true, Skip::Admin) => "required",
        (true, Skip::Never) => "required; cannot be skipped or overridden",
    };
    let done = evidence::missing_in_words(&objective.done);
    format!("- `{id}` ({need}): {title}. Done by {done}.\n")
}

fn said(from: &Speaker, text: &str) -> Message {
    let text = defused(text);
    Message::user(match from {
        Speaker::Participant => format!("<participant>{text}</participant>"),
        Speaker::Staff { name, .. } => format!("<staff>{}: {text}</staff>", defused(name)),
        Speaker::Bystander { name, .. } => {
            format!("<bystander>{}: {text}</bystander>", defused(name))
        }
    })
}

fn note(text: &str) -> Message {
    Message::user(fenced("note", text))
}

/// A note for the model whose text is defused already and may hold fences.
fn safe_note(text: &str) -> Message {
    Message::user(format!("<note>{text}</note>"))
}

/// What came of a call, as the model reads it: defused, and the text of a document in its fence.
fn told(tool: &str, result: &CallResult) -> String {
    if let CallResult::Ok { value } = result
        && tool != READER
    {
        let text = compact(value);
        if !text.contains('<') {
            return text;
        }
    }
    let mut value = result.to_value();
    defuse(&mut value);
    if tool == READER
        && let Some(Value::String(text)) = value.pointer_mut("/artifact_record/extracted_content")
        && !text.is_empty()
    {
        // Defused a moment ago.
        *text = format!("<{DOCUMENT}>{text}</{DOCUMENT}>");
    }
    compact(&value)
}

/// A value as text, in half the time of its `Display`. It always has one.
fn compact(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// What a child run is told before anything else: the same for every request of it.
fn task_messages(flow: &LoadedFlow, assignment: &Assignment) -> Vec<Message> {
    let output = flow.schemas.get(OUTPUT).map(compact).unwrap_or_default();
    let mut text = TASK.trim_end().replace("{{output}}", &output);
    if let Some(phase) = flow.phase(subtasks::PHASE) {
        text.push_str("\n\nThe work:\n\n");
        text.push_str(phase.prompt.trim());
    }
    forbid(&mut text, &assignment.never_ask);
    let input = fenced(INPUT, &compact(&assignment.input));
    vec![Message::System(text), note(&assignment.description), Message::user(input)]
}

/// Adds what must not be asked about.
fn forbid(text: &mut String, never: &[String]) {
    if !never.is_empty() {
        text.push_str("\n\nNever ask about, and do not note down: ");
        text.push_str(&never.join("; "));
        text.push('.');
    }
}

/// Instructions for a whole session: the same for every request of it.
fn instructions(flow: &LoadedFlow) -> String {
    let decider = match flow.flow.approvals.overrides.decider {
        Decider::Participant => {
            "The app will confirm with the user before advancing when objectives are incomplete."
        }
        Decider::Admin => {
            "The app will ask the team before advancing when objectives are incomplete."
        }
        Decider::ParticipantThenAdmin => {
            "The app will confirm with the user and then ask the team before advancing when objectives are incomplete."
        }
    };
    let mut text = INTERVIEWER.trim_end().replace("{{decider}}", decider);
    let persona = flow.text(&flow.flow.persona.prompt);
    if !persona.trim().is_empty() {
        text.push_str("\n\nYour manner:\n\n");
        text.push_str(persona.trim());
    }
    forbid(&mut text, &flow.flow.policy.never_ask);
    if !flow.flow.policy.score_people {
        text.push_str("\n\nYou do not score, rank, compare or judge people.");
    }
    text
}
