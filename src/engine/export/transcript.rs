//! The conversation as people read it (Markdown) and as programs read it (JSON).

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    Error, Source,
    rated::rated,
    reviewed::changed_draft,
    words::{noted, prompt_words, reply_words},
};
use crate::{
    base::ids::{CallId, WaitId},
    messages::{self, export},
    model::{
        effect::Handout,
        text::{quoted, typed},
        transcript::{
            Amendments, Audience, Call, CallResult, Closing, Event, Grounds, Origin, Speaker,
        },
        ui::Reply,
        usage::Usage,
        wait::{Vote, Wait},
    },
};

/// One line of a conversation.
///
/// ```json
/// { "seq": 7, "at": "2026-11-21T09:00:00Z", "kind": "answered", "who": "Ada", "text": "I accept",
///   "data": { "kind": "chosen", "ids": ["accept"] } }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// Number of the event in its session.
    pub seq: u64,
    /// When.
    pub at: DateTime<Utc>,
    /// What kind of event: `said`, `posted`, `asked`, `answered`, `called`, …
    pub kind: &'static str,
    /// Who: a name, `Anteroom`, `The model`, `The script`.
    pub who: String,
    /// What happened, in words; `CommonMark`.
    pub text: String,
    /// What happened, for programs: prompt, reply, arguments, result.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// The conversation for programs.
pub fn json(source: &Source<'_>) -> Result<Value, Error> {
    let head = &source.loaded.head;
    Ok(json!({
        "session": head.id,
        "flow": head.flow,
        "participant": head.participant,
        "name": head.name,
        "status": head.status,
        "startedAt": head.created_at,
        "updatedAt": head.updated_at,
        "usage": usage(source)?,
        "entries": entries(source)?,
    }))
}

/// The conversation for people: what somebody said is no markup in it, and nothing steers the terminal that shows it.
pub fn markdown(source: &Source<'_>) -> Result<String, Error> {
    let head = &source.loaded.head;
    let mut page = format!("# {}\n\n", source.flow.flow.title);
    let name = head.name.as_deref().unwrap_or(export::NOT_KNOWN);
    let facts = [
        (messages::requests::PERSON, quoted(name)),
        (export::SESSION, head.id.to_string()),
        (messages::requests::FLOW, format!("{} {}", head.flow.id, head.flow.version)),
        (messages::staff::STATUS, head.status.name().to_owned()),
        (export::STARTED, export::time(head.created_at)),
        (export::LAST_CHANGE, export::time(head.updated_at)),
    ];
    let used = usage(source)?.and_then(Usage::in_words);
    for (label, value) in facts.into_iter().chain(used.map(|used| (export::MODEL_USE, used))) {
        page.extend(["- ", label, ": ", &value, "\n"]);
    }
    for entry in entries(source)? {
        let who = quoted(&entry.who);
        let (text, is_typed) = (entry.text.trim(), matches!(entry.kind, "said" | "answered"));
        let text = if is_typed { quoted(text) } else { text.to_owned() };
        let part = format!("\n**{who}** · {} · {}\n\n{text}\n", export::time(entry.at), entry.kind);
        page.push_str(&part);
    }
    Ok(typed(&page))
}

/// What models and tools have used up, child runs included; for staff.
fn usage(source: &Source<'_>) -> Result<Option<Usage>, Error> {
    Ok((source.reader == Audience::Staff).then_some(source.state()?.model_turn.spent))
}

/// The conversation as a list, for pages that draw their own.
pub fn entries(source: &Source<'_>) -> Result<Vec<Entry>, Error> {
    let mut teller = Teller {
        reader: source.reader,
        flow_title: &|phase| source.flow.phase(phase).map(|phase| phase.title.clone()),
        name: source.state()?.name.unwrap_or_else(|| messages::staff::PARTICIPANT.to_owned()),
        waits: BTreeMap::new(),
        calls: BTreeMap::new(),
        changed: source.loaded.events.iter().filter_map(|one| changed_draft(&one.event)).collect(),
        amendments: Amendments::of(&source.loaded.events),
    };
    let told = source.loaded.events.iter().filter_map(|recorded| {
        let (kind, who, text, data) = teller.tell(&recorded.event)?;
        Some(Entry { seq: recorded.seq, at: recorded.at, kind, who, text, data })
    });
    let mut entries: Vec<Entry> = told.collect();
    entries.extend(source.ratings.iter().map(|rating| {
        let (seq, text, data) = rated(source, rating);
        Entry { seq, at: rating.at, kind: "rated", who: teller.name.clone(), text, data }
    }));
    entries.sort_by_key(|entry| entry.seq);
    Ok(entries)
}

const BOT: &str = "Anteroom";

type Line = (&'static str, String, String, Value);

/// Tells events in words, and remembers what later events refer to.
struct Teller<'a> {
    reader: Audience,
    flow_title: &'a dyn Fn(&str) -> Option<String>,
    name: String,
    waits: BTreeMap<WaitId, &'a Wait>,
    calls: BTreeMap<&'a CallId, &'a Call>,
    /// Reviews whose draft was not approved as it was: what counts is in the answer.
    changed: BTreeSet<WaitId>,
    amendments: Amendments<'a>,
}

impl<'a> Teller<'a> {
    /// One event in words; `None` for those that say nothing to people, or nothing to this reader.
    fn tell(&mut self, event: &'a Event) -> Option<Line> {
        let bot = |kind, text: String, data| Some((kind, BOT.to_owned(), text, data));
        match event {
            Event::Started(_) => bot("started", export::BEGAN.to_owned(), Value::Null),
            Event::NoticeAnswered { choice, text_sha256, version, locale } => {
                let data = json!({ "choice": choice, "textSha256": text_sha256,
                    "version": version, "locale": locale });
                Some(("notice", self.name.clone(), export::notice(*choice).to_owned(), data))
            }
            Event::StatusChanged { to, reason } => {
                let reason = if self.reader == Audience::Staff { reason.as_str() } else { "" };
                bot("status", export::with_reason(&export::now(to.name()), reason), json!(to))
            }
            Event::Said { from, text, source, .. } => {
                let text = self.amendments.read(text, source.as_deref()).to_owned();
                Some(("said", self.speaker(from), text, Value::Null))
            }
            Event::Posted { audience, text, .. } => (self.may_read(*audience))
                .then(|| line("posted", BOT, &text.common_mark(), Value::Null)),
            Event::Called(call) => self.called(call),
            Event::Asked(wait) => Some(self.asked(wait)),
            Event::Voted { vote, .. } => self.voted(vote),
            Event::Answered { wait, reply, by_name, .. } => self.answered(*wait, reply, by_name),
            Event::Closed { wait, closing } => self.closed(*wait, closing),
            Event::Returned { call, result } => self.returned(call, result),
            Event::Kept(_)
            | Event::ValuesSet { .. }
            | Event::PhaseScheduled { .. }
            | Event::Edited { .. }
            | Event::Handed { .. }
            | Event::Saved { .. }
            | Event::ObjectiveSet { .. }
            | Event::Advanced { .. }
            | Event::EffectNoted { .. }
            | Event::DeliveryFailed { .. } => self.progress(event),
            Event::HandedOver { .. }
            | Event::Claimed { .. }
            | Event::HandedBack { .. }
            | Event::ExportOffered { .. }
            | Event::Reminded { .. }
            | Event::RemindersStopped
            | Event::Custody(_) => self.around(event),
            Event::Late { .. }
            | Event::ThinkingFailed { .. }
            | Event::ScriptLeads { .. }
            | Event::Summarised { .. }
            | Event::Subtask(_) => self.mind(event),
            Event::TeamAsked { .. }
            | Event::Amended { .. }
            | Event::Worded { .. }
            | Event::Applied { .. }
            | Event::Thought(_)
            | Event::Spent { .. }
            | Event::CapabilityUsed { .. }
            | Event::Stepped { .. }
            | Event::PhaseOpened { .. }
            | Event::AdvanceEvaluated { .. }
            | Event::Proposed { .. } => None,
        }
    }

    fn voted(&self, vote: &Vote) -> Option<Line> {
        let side = if vote.approves() { export::APPROVES } else { export::DENIES };
        let is_for_staff = self.reader == Audience::Staff;
        is_for_staff.then(|| line("voted", &vote.by_name, side, json!(vote.decision)))
    }

    /// What the interview has come to.
    fn progress(&self, event: &Event) -> Option<Line> {
        let bot = |kind, text: String, data| Some((kind, BOT.to_owned(), text, data));
        match event {
            Event::Kept(artifact) => {
                let text = export::sent_as(&artifact.filename, &artifact.upload_type);
                Some(("file", self.name.clone(), text, json!(artifact)))
            }
            Event::PhaseScheduled { at, .. } => {
                bot("scheduled", export::next_part_at(&export::time(*at)), json!(at))
            }
            Event::ValuesSet { values, .. } => bot("values", noted(values), json!(values)),
            Event::Edited { by_name, .. } => {
                let text = export::SAVED_EDIT;
                Some(line("edited", self.name_of(by_name), text, Value::Null))
            }
            Event::Handed { what, text, .. } => {
                let name = match what {
                    Handout::File { file } => &file.filename,
                    Handout::Link { url, .. } => url,
                };
                bot("handed", export::handed_over(name, &text.common_mark()), json!(what))
            }
            Event::Saved { record, data_type, data, reviewed } => {
                let data = json!({ "record": record, "dataType": data_type, "data": data,
                    "reviewed": reviewed });
                bot("stored", export::stored(&plain(data_type)), data)
            }
            Event::ObjectiveSet { objective, status, by } => {
                let text = format!("{}: {}", plain(objective), export::objective(*status));
                bot(
                    "objective",
                    text,
                    json!({ "objective": objective, "status": status, "by": by }),
                )
            }
            Event::Advanced { from, to, grounds } => {
                Some(self.advanced(from.as_deref(), to.as_deref(), grounds))
            }
            Event::EffectNoted { what, outcome, .. } => (self.reader == Audience::Staff)
                .then(|| line("effect", BOT, &export::effect(what, outcome), json!(outcome))),
            Event::DeliveryFailed { what, to, reason, .. } => {
                let text = export::not_delivered(&plain(what), reason);
                (self.reader == Audience::Staff)
                    .then(|| line("not_delivered", BOT, &text, json!({ "what": what, "to": to })))
            }
            _ => None,
        }
    }

    /// What goes on around the interview: people who come and go, copies, reminders.
    fn around(&self, event: &Event) -> Option<Line> {
        let bot = |kind, text: String, data| Some((kind, BOT.to_owned(), text, data));
        match event {
            Event::HandedOver { reason } => {
                let reason = if self.reader == Audience::Staff { reason.as_str() } else { "" };
                bot("handed_over", export::with_reason(export::PERSON_ASKED, reason), Value::Null)
            }
            Event::Claimed { by_name, .. } => {
                Some(line("claimed", by_name, export::TOOK_OVER, Value::Null))
            }
            Event::HandedBack { .. } => {
                bot("handed_back", export::HANDED_BACK.to_owned(), Value::Null)
            }
            Event::ExportOffered { .. } => {
                bot("export_offered", export::COPY_OFFERED.to_owned(), Value::Null)
            }
            Event::Reminded { count, .. } => bot("reminded", export::reminder(count), Value::Null),
            Event::Custody(custody) => bot("custody", custody.words(), Value::Null),
            Event::RemindersStopped => Some((
                "reminders",
                self.name.clone(),
                messages::buttons::STOP_REMINDERS.to_owned(),
                Value::Null,
            )),
            _ => None,
        }
    }

    /// What the model's part has come to; its words are posts and its calls are calls.
    fn mind(&self, event: &Event) -> Option<Line> {
        let bot = |kind, text: String, data| Some((kind, BOT.to_owned(), text, data));
        match event {
            Event::Late { call, result } => self.returned(call, result),
            Event::ThinkingFailed { code, count, .. } => {
                (self.reader == Audience::Staff).then(|| {
                    line(
                        "model_failed",
                        BOT,
                        export::MODEL_SILENT,
                        json!({ "code": code, "count": count }),
                    )
                })
            }
            Event::ScriptLeads { because, .. } => bot(
                "script_leads",
                export::SCRIPT_CONTINUES.to_owned(),
                json!({ "because": because }),
            ),
            Event::Summarised { through, text, .. } => {
                bot("summarised", text.clone(), json!({ "through": through }))
            }
            // A participant reads of its result where that is used.
            Event::Subtask(subtask) if self.reader == Audience::Staff => {
                subtask.words().map(|text| line("subtask", BOT, &text, json!(subtask)))
            }
            _ => None,
        }
    }

    fn may_read(&self, audience: Audience) -> bool {
        self.reader == Audience::Staff || audience == Audience::Participant
    }

    fn speaker(&self, from: &Speaker) -> String {
        match from {
            Speaker::Participant => self.name.clone(),
            Speaker::Staff { name, .. } | Speaker::Bystander { name, .. } => name.clone(),
        }
    }

    /// Who did something; a participant without a name is called the same throughout.
    fn name_of<'n>(&'n self, by_name: &'n str) -> &'n str {
        if by_name == messages::unnamed::THE_PARTICIPANT { &self.name } else { by_name }
    }

    fn called(&mut self, call: &'a Call) -> Option<Line> {
        self.calls.insert(&call.id, call);
        let who = match &call.origin {
            Origin::Step { .. } => export::THE_SCRIPT,
            Origin::Model { .. } => export::THE_MODEL,
            Origin::Person { .. } => export::A_PERSON,
            Origin::Engine => BOT,
        };
        let data = json!({ "call": call.id, "tool": call.tool, "args": call.args });
        self.is_told(&call.id).then(|| line("called", who, &format!("`{}`", call.tool), data))
    }

    fn returned(&self, id: &CallId, result: &CallResult) -> Option<Line> {
        let call = self.calls.get(id)?;
        let text = match result {
            CallResult::Ok { .. } => export::call_done(&call.tool),
            CallResult::Err { code, message } => export::call_failed(&call.tool, code, message),
        };
        let data = json!({ "call": id, "result": result.to_value() });
        self.is_told(id).then(|| line("returned", BOT, &text, data))
    }

    /// A request to go on holds the words between interviewer and deciders, so participants see only what came of it.
    fn is_told(&self, call: &CallId) -> bool {
        let is_request = self.calls.get(call).is_some_and(|call| call.tool == "next_phase");
        self.reader == Audience::Staff || !is_request
    }

    fn asked(&mut self, wait: &'a Wait) -> Line {
        self.waits.insert(wait.id, wait);
        if self.reader == Audience::Participant && wait.answerers.audience() == Audience::Staff {
            return line("asked", BOT, export::STAFF_ASKED, json!({ "wait": wait.id }));
        }
        let data = json!({ "wait": wait.id, "revision": wait.revision,
            "prompt": wait.prompt.as_read() });
        let has_draft = !self.changed.contains(&wait.id);
        line("asked", BOT, &prompt_words(&wait.prompt, has_draft), data)
    }

    fn answered(&self, id: WaitId, reply: &Reply, by_name: &str) -> Option<Line> {
        let wait = self.waits.get(&id)?;
        let hides_words =
            self.reader == Audience::Participant && wait.answerers.audience() == Audience::Staff;
        let reply = match reply {
            Reply::Decided { decision, .. } if hides_words => {
                // The words of a decision are for the interviewer, never verbatim for the participant.
                &Reply::Decided { decision: *decision, feedback: None }
            }
            reply => reply,
        };
        let text = reply_words(reply, &wait.prompt);
        Some(line("answered", self.name_of(by_name), &text, json!({ "wait": id, "reply": reply })))
    }

    fn closed(&self, id: WaitId, closing: &Closing) -> Option<Line> {
        let wait = self.waits.get(&id)?;
        let title = wait.prompt.heading().unwrap_or_else(|| export::purpose(&wait.purpose));
        let text = match closing {
            Closing::Expired => export::nobody_answered(&title),
            Closing::Cancelled { reason } => export::closed(&title, reason),
            Closing::Superseded { .. } => export::asked_anew(&title),
        };
        Some(line("closed", BOT, &text, json!({ "wait": id, "closing": closing })))
    }

    fn advanced(&self, from: Option<&str>, to: Option<&str>, grounds: &Grounds) -> Line {
        let why = match grounds {
            Grounds::Began => "",
            Grounds::CriteriaMet => export::CRITERIA_MET,
            Grounds::Decision { .. } => export::TEAM_APPROVED,
            Grounds::Initiative { .. } => export::TEAM_MOVED_ON,
        };
        let what = match to {
            Some(to) => {
                let title = (self.flow_title)(to).unwrap_or_else(|| plain(to));
                export::next(&title)
            }
            None => export::LAST_PART_DONE.to_owned(),
        };
        let data = json!({ "from": from, "to": to, "grounds": grounds });
        line("advanced", BOT, &export::with_reason(&what, why), data)
    }
}

fn line(kind: &'static str, who: &str, text: &str, data: Value) -> Line {
    (kind, who.to_owned(), text.to_owned(), data)
}

/// `skeleton_timeline` as people read it: `skeleton timeline`.
fn plain(name: &str) -> String {
    name.replace(['_', '.'], " ")
}
