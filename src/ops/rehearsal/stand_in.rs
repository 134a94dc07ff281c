//! A model that stands in for the one that would lead: it does what a reasonable model could do with the tools of the
//! phase, and the same every time. It reads the conversation from the store rather than from what it is told.
//!
//! | manner | |
//! |---|---|
//! | thorough | completes every objective with all that its data can hold, and asks once with each kind of question |
//! | brief | completes what is required, with what its data must hold, and moves on |

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::answers::draft;
use crate::{
    base::ids::CallId,
    flow::LoadedFlow,
    model::{
        flow::{Done, Objective, Phase, REQUEST},
        transcript::{Call, CallResult, Origin},
        usage::Usage,
    },
    ports::llm::{
        Completion, Error, Model, Request, Sink,
        chat::{Finish, ToolCall, ToolChoice},
    },
    session::{CallState, State, evidence},
    store::{Store as _, memory::MemoryStore},
};

/// The tool that moves on.
const NEXT_PHASE: &str = "next_phase";

/// How often the same thing is asked for, where people pass it over.
const TRIES: usize = 3;

/// What it says where it calls nothing.
const WORDS: &str = "Thank you. Would you like to add anything?";

/// How much it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Thorough,
    Brief,
}

/// A call: the tool and its arguments.
type Wanted = (String, Value);

/// What can be done for an objective.
enum Toward {
    Call(Wanted),
    /// The participant has to write.
    Talk,
    /// Nothing, since a tool refuses it. The words are the tool's.
    Refused(String),
    /// Nothing: it was done as often as anybody would, and completes nothing.
    Nothing,
    /// Nothing that this stand-in could do; a model might. What no tool can do, the rules tell of.
    Unknown,
}

/// The stand-in for one conversation.
#[derive(Debug)]
pub(super) struct StandIn {
    pub(super) flow: Arc<LoadedFlow>,
    pub(super) store: Arc<MemoryStore>,
    pub(super) manner: Manner,
}

#[async_trait]
impl Model for StandIn {
    async fn chat(&self, request: &Request, _sink: &mut dyn Sink) -> Result<Completion, Error> {
        // A child run is not the interview: it has no phase to leave.
        if !request.tools.iter().any(|tool| tool.name == NEXT_PHASE) {
            return Err(Error::Invalid("a rehearsal has no model for tasks"));
        }
        let wanted = match self.state().await {
            Some(state) if request.choice != ToolChoice::Never => self.next(&state),
            Some(_) | None => None,
        };
        let call = wanted.map(|(name, args)| ToolCall {
            id: CallId::new("rehearsed"),
            name,
            raw: args.to_string(),
        });
        Ok(Completion {
            text: if call.is_none() { WORDS.to_owned() } else { String::new() },
            refusal: None,
            finish: if call.is_none() { Finish::Stop } else { Finish::ToolCalls },
            calls: call.into_iter().collect(),
            opaque: None,
            usage: Usage::default(),
            request_id: None,
        })
    }
}

impl StandIn {
    async fn state(&self) -> Option<State> {
        let head = self.store.sessions(None, 1).await.ok()?.pop()?;
        State::fold(&self.store.load(head.id).await.ok()??.events)
    }

    /// What it calls now; `None` if it is for the participant to write.
    fn next(&self, state: &State) -> Option<Wanted> {
        let phase = self.flow.phase(state.phase()?)?;
        let mut talks = false;
        for objective in self.open(state, phase) {
            match self.toward(state, (phase, objective), &objective.done) {
                Toward::Call(wanted) => return Some(wanted),
                Toward::Talk => talks = true,
                Toward::Refused(_) | Toward::Nothing | Toward::Unknown => {}
            }
        }
        if talks {
            return None;
        }
        if self.manner == Manner::Thorough
            && let Some(wanted) = self.besides(state, phase)
        {
            return Some(wanted);
        }
        let is_known = state.last_advance.as_ref().is_some_and(|(at, _)| *at == state.version);
        (!is_known).then(|| (NEXT_PHASE.to_owned(), json!({ "overrides": [] })))
    }

    /// The objectives that are not settled and that it cares for; those first whose turn it is.
    fn open<'p>(&self, state: &State, phase: &'p Phase) -> Vec<&'p Objective> {
        let is_open = |objective: &&Objective| {
            (objective.required || self.manner == Manner::Thorough)
                && evidence::counts(state, objective)
                && !evidence::is_settled(state, &objective.id)
        };
        let waits = |objective: &&Objective| {
            objective.after.iter().any(|before| !evidence::is_settled(state, before))
        };
        let mut open: Vec<&Objective> = phase.objective.iter().filter(is_open).collect();
        open.sort_by_key(waits);
        open
    }

    /// Required objectives that it could not complete, by their place in the phase, with what a tool said against it.
    pub(super) fn failed(&self, state: &State, phase: &Phase) -> Vec<(usize, Option<String>)> {
        let missing = evidence::missing(state, phase);
        // A parent is complete with its children.
        let is_parent = |of: &Objective| {
            let prefix = format!("{}.", of.id);
            phase.objective.iter().any(|child| child.id.starts_with(&prefix))
        };
        let open = phase.objective.iter().enumerate();
        let open = open.filter(|(_, of)| missing.contains(&of.id) && !is_parent(of));
        let failed = open.filter_map(|(n, objective)| {
            match self.toward(state, (phase, objective), &objective.done) {
                Toward::Refused(why) => Some((n, Some(why))),
                Toward::Nothing => Some((n, None)),
                Toward::Call(_) | Toward::Talk | Toward::Unknown => None,
            }
        });
        failed.collect()
    }

    fn toward(&self, state: &State, of: (&Phase, &Objective), done: &Done) -> Toward {
        let (phase, objective) = of;
        let name = |tool: &str| tool.to_owned();
        match done {
            Done::All(parts) | Done::Any(parts) => self.parts(state, of, (done, parts)),
            Done::Talked(count) if state.talked < *count => Toward::Talk,
            // Steps are asked by scripts only.
            Done::Talked(_) | Done::Answered(_) => Toward::Nothing,
            Done::Model => {
                let args = json!({ "objectiveId": objective.id, "status": "completed" });
                attempt(state, phase, ("set_objective_status", "objectiveId"), (vec![args], 1))
            }
            Done::Reviewed(data) => self.submitted(state, phase, (data, 1)),
            Done::Saved(saved) => {
                let most = usize::try_from(saved.at_least).unwrap_or(usize::MAX);
                match self.flow.flow.data.get(&saved.data) {
                    Some(table) if table.review => {
                        self.submitted(state, phase, (&saved.data, most))
                    }
                    Some(_) | None => self.stored(state, phase, (&saved.data, most)),
                }
            }
            Done::Uploaded(kind) if phase.tools.contains(&name("get_user_upload")) => {
                let args = json!({ "uploadType": kind });
                attempt(state, phase, ("get_user_upload", "uploadType"), (vec![args], TRIES))
            }
            Done::Uploaded(kind) => {
                let args = json!({ "imageType": kind });
                attempt(state, phase, ("get_image_from_user", "imageType"), (vec![args], TRIES))
            }
        }
    }

    /// All of several things, or one of them: which, depends on the manner. The model's own word comes last.
    fn parts(
        &self,
        state: &State,
        (phase, objective): (&Phase, &Objective),
        (done, parts): (&Done, &[Done]),
    ) -> Toward {
        let holds = |part: &&Done| !evidence::holds(state, &objective.id, part);
        let mut open: Vec<&Done> = parts.iter().filter(holds).collect();
        let is_all = matches!(done, Done::All(_));
        if !is_all && self.manner == Manner::Brief {
            open.reverse();
        }
        open.sort_by_key(|part| **part == Done::Model);
        let mut others = Vec::new();
        for part in open {
            match self.toward(state, (phase, objective), part) {
                // Its word is given once everything else is there.
                Toward::Call(_) if is_all && *part == Done::Model && !others.is_empty() => {}
                Toward::Call(wanted) => return Toward::Call(wanted),
                Toward::Talk if !is_all => return Toward::Talk,
                other => others.push(other),
            }
        }
        let gravity = |other: &Toward| match other {
            Toward::Unknown => 0,
            Toward::Refused(_) => 1,
            Toward::Nothing => 2,
            Toward::Talk | Toward::Call(_) => 3,
        };
        others.into_iter().min_by_key(gravity).unwrap_or(Toward::Nothing)
    }

    /// Data on a card: as a draft, or empty where the draft is refused.
    fn submitted(&self, state: &State, phase: &Phase, (data, times): (&str, usize)) -> Toward {
        let args = |draft: Value| json!({ "dataType": data, "data": draft });
        let draft = self.draft(data, number(state, data));
        let drafts = draft.into_iter().chain([Value::Object(Map::new())]).map(args).collect();
        let tries = times.saturating_add(TRIES);
        attempt(state, phase, ("submit_for_validation", "dataType"), (drafts, tries))
    }

    /// Data that needs no review. What tools must bear out, or what can't be made up, is not known to fail.
    fn stored(&self, state: &State, phase: &Phase, (data, times): (&str, usize)) -> Toward {
        let is_borne_out = self.flow.flow.data.get(data).is_some_and(|table| table.evidence);
        let draft = self.draft(data, number(state, data)).filter(|_| !is_borne_out);
        let Some(draft) = draft else { return Toward::Unknown };
        let args = json!({ "dataType": data, "data": draft });
        let tries = times.saturating_add(TRIES);
        attempt(state, phase, ("persist_data", "dataType"), (vec![args], tries))
    }

    fn draft(&self, data: &str, nth: usize) -> Option<Value> {
        let schema = self.flow.schemas.get(data)?;
        draft(schema, self.manner == Manner::Brief, nth)
    }

    /// What a phase offers besides what its objectives need, each once.
    fn besides(&self, state: &State, phase: &Phase) -> Option<Wanted> {
        let requests = self.flow.flow.approvals.named.keys();
        let requests = requests.map(|name| (REQUEST, json!({ "approval": name })));
        let mut tools = BESIDES.iter().map(|(tool, args)| (*tool, args())).chain(requests);
        let wanted = tools.find(|(tool, args)| {
            let is_alike = |call: &&CallState| call.call.tool == *tool;
            phase.tools.iter().any(|name| name == tool)
                && !calls(state, phase).filter(is_alike).any(|known| {
                    *tool != REQUEST || known.call.args["approval"] == args["approval"]
                })
        });
        wanted.map(|(tool, args)| (tool.to_owned(), args))
    }
}

/// A tool, with arguments for it.
type Question = (&'static str, fn() -> Value);

/// Questions that need no objective.
const BESIDES: [Question; 5] = [
    ("get_macos_contact_card", || json!({ "cardType": "me" })),
    ("get_user_option", || {
        let options = json!([
            { "id": "first", "label": "The first" },
            { "id": "second", "label": "The second" },
        ]);
        json!({ "prompt": "Which of them?", "options": options })
    }),
    ("request_user_input", || json!({ "prompt": "Would you say more about that?" })),
    ("get_user_upload", || json!({ "uploadType": "other" })),
    ("get_image_from_user", || json!({ "imageType": "other" })),
];

/// How many records of some data there are.
fn number(state: &State, data: &str) -> usize {
    state.records.iter().filter(|record| record.data_type == data).count()
}

/// What the model has called in a phase.
pub(super) fn calls<'s>(state: &'s State, phase: &Phase) -> impl Iterator<Item = &'s CallState> {
    let id = phase.id.clone();
    state.calls.iter().filter(move |known| {
        let Call { origin, phase, .. } = &*known.call;
        matches!(origin, Origin::Model { .. }) && phase.as_ref() == Some(&id)
    })
}

/// Calls a tool, unless that came to nothing before: with the next arguments after each refusal. `key` is the argument by
/// which calls for the same thing are known.
fn attempt(
    state: &State,
    phase: &Phase,
    (tool, key): (&str, &str),
    (args, tries): (Vec<Value>, usize),
) -> Toward {
    if !phase.tools.iter().any(|name| name == tool) {
        return Toward::Unknown;
    }
    let wanted = args.first().map(|args| args[key].clone()).unwrap_or_default();
    let is_alike = |known: &&CallState| known.call.tool == tool && known.call.args[key] == wanted;
    let made: Vec<&CallState> = calls(state, phase).filter(is_alike).collect();
    let refusals = made.iter().filter_map(|known| match known.result.as_deref() {
        Some(CallResult::Err { message, .. }) => Some(message),
        Some(CallResult::Ok { .. }) | None => None,
    });
    let refusals: Vec<&String> = refusals.collect();
    let taken = made.len() - refusals.len();
    match (args.into_iter().nth(refusals.len()), refusals.last()) {
        (Some(args), _) if taken < tries => Toward::Call((tool.to_owned(), args)),
        (None, Some(why)) if taken == 0 => Toward::Refused((*why).clone()),
        _ => Toward::Nothing,
    }
}
