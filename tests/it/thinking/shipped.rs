//! Both shipped flows from start to end, led by models of several temperaments that read nothing but the request: the
//! objectives, the forms of the data and the results stand there, or the model does not have them.

use std::{
    fmt::Debug,
    sync::{Arc, Mutex},
};

use anteroom::{
    ids::CallId,
    llm::{
        Completion, Error, Model, Request, Sink,
        chat::{Finish, Message, Part, ToolCall},
    },
    model::{
        session::Status,
        ui::{Control, Reply, Verdict},
        usage::Usage,
    },
};
use async_trait::async_trait;
use serde_json::{Map, Value, json};

use crate::{
    llm::scripted::Scripted,
    world::{FLOW, World},
};

/// How a model goes about its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Temperament {
    /// Asks everything with a card.
    Cards,
    /// Asks everything in words that can be asked so.
    Words,
    /// Never calls `next_phase`.
    Forgets,
    /// Gets every kind of call wrong at first.
    Errs,
}

#[derive(Debug)]
struct Reader {
    temperament: Temperament,
    seen: Mutex<Vec<Request>>,
}

/// What the current part of a request holds.
#[derive(Debug, Default)]
struct Read {
    /// Id, and what completes it.
    objectives: Vec<(String, String)>,
    /// The forms of data, by their names; the newest of each.
    forms: Map<String, Value>,
    /// Calls in this part with their results: tool, arguments, result.
    calls: Vec<(String, Value, Value)>,
    /// What the participant wrote or answered in words.
    words: Vec<String>,
    is_last: bool,
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    let rest = &text[text.find(from)? + from.len()..];
    Some(&rest[..rest.find(to)?])
}

fn text_of(parts: &[Part]) -> String {
    let words = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        _ => None,
    });
    words.collect()
}

fn read(request: &Request) -> Read {
    let mut read = Read::default();
    let mut open: Vec<ToolCall> = Vec::new();
    for message in &request.messages {
        match message {
            Message::User(parts) => {
                let text = text_of(parts);
                if text.starts_with("<note>Part ") {
                    read = Read { is_last: text.contains("This is the last part"), ..part(&text) };
                } else if let Some(said) = between(&text, "<participant>", "</participant>") {
                    read.words.push(said.to_owned());
                }
            }
            Message::Assistant { calls, .. } => open.clone_from(calls),
            Message::Tool { call, content } => {
                let call = open.iter().find(|known| known.id == *call).unwrap();
                let result: Value = serde_json::from_str(content).unwrap();
                let told = result["error"].as_str().unwrap_or_default();
                if let (Some(name), Some((_, form))) =
                    (between(told, "`data` of `", "`"), told.split_once("has this form: "))
                {
                    read.forms.insert(name.to_owned(), serde_json::from_str(form).unwrap());
                }
                if let Some(words) = result["userInput"].as_str() {
                    read.words.push(words.to_owned());
                }
                let args = serde_json::from_str(&call.raw).unwrap();
                read.calls.push((call.name.clone(), args, result));
            }
            Message::System(_) => {}
        }
    }
    read
}

fn part(text: &str) -> Read {
    let mut read = Read::default();
    for line in text.lines().filter_map(|line| line.trim_end_matches("</note>").strip_prefix("- `"))
    {
        let Some((id, rest)) = line.split_once('`') else { continue };
        if let Some(form) = rest.strip_prefix(": ") {
            read.forms.insert(id.to_owned(), serde_json::from_str(form).unwrap());
        } else if rest.starts_with(" (required") {
            let (_, done) = rest.split_once("Done by ").unwrap();
            read.objectives.push((id.to_owned(), done.trim_end_matches('.').to_owned()));
        }
    }
    read
}

/// Something that fits a form: what is required, and what it knows.
fn filled(form: &Value, words: &str) -> Value {
    match form {
        Value::Object(members) => {
            let members = members.iter().filter(|(_, member)| match member {
                Value::String(told) => told.contains("required") || told.contains("e-mail"),
                _ => true,
            });
            members.map(|(name, member)| (name.clone(), filled(member, words))).collect()
        }
        Value::Array(items) => items.iter().map(|item| filled(item, words)).collect(),
        Value::String(told) if told.contains("e-mail") => json!("ada@example.org"),
        Value::String(told) if told.starts_with("https") => json!("https://example.org"),
        Value::String(told) => {
            let least = between(told, "text of ", " ").and_then(|least| least.parse().ok());
            json!(words.repeat(1 + least.unwrap_or(0) / words.len()))
        }
        other => other.clone(),
    }
}

enum Act {
    Says(String),
    Calls(&'static str, Value),
    /// Arguments that are no JSON.
    Breaks(&'static str),
}

impl Reader {
    fn new(temperament: Temperament) -> Arc<Self> {
        Arc::new(Self { temperament, seen: Mutex::default() })
    }

    fn act(&self, read: &Read) -> Act {
        for (id, done) in &read.objectives {
            if let Some(act) = self.towards(read, id, done) {
                return act;
            }
        }
        match self.temperament {
            Temperament::Forgets => Act::Says("That is all I need here.".to_owned()),
            Temperament::Errs if !read.calls.iter().any(|(tool, ..)| tool == "next_phase") => {
                Act::Breaks("next_phase")
            }
            _ => Act::Calls("next_phase", json!({ "overrides": [] })),
        }
    }

    /// What an objective still needs; nothing once it has it.
    fn towards(&self, read: &Read, id: &str, done: &str) -> Option<Act> {
        let needed = done
            .split_once(" messages of the participant")
            .map(|(before, _)| before.rsplit(' ').next().unwrap().parse::<usize>().unwrap());
        if let Some(needed) = needed
            && read.words.len() < needed
        {
            return Some(
                self.ask(read, &format!("Question {}: what was it like?", read.words.len())),
            );
        }
        if let Some(name) =
            done.strip_suffix(" approved by the participant with submit_for_validation")
        {
            return self.review(read, name.trim_matches('`'));
        }
        if let Some(name) = between(done, "record(s) of `", "`") {
            let saved = |(tool, args, result): &(String, Value, Value)| {
                tool == "persist_data" && args["dataType"] == name && result.get("error").is_none()
            };
            if read.calls.iter().any(saved) {
                return None;
            }
            let Some(words) = read.words.last() else {
                return Some(self.ask(read, "Could you paste a text of yours?"));
            };
            let mut data = filled(&read.forms[name], words);
            // One of several is enough.
            let members = data.as_object_mut().unwrap();
            members.retain(|member, _| member == "text");
            return Some(Act::Calls("persist_data", json!({ "dataType": name, "data": data })));
        }
        let is_set = |(tool, args, result): &(String, Value, Value)| {
            tool == "set_objective_status"
                && args["objectiveId"] == id
                && result["objective"]["newStatus"] == "completed"
        };
        let args = json!({ "objectiveId": id, "status": "completed" });
        (!read.calls.iter().any(is_set)).then_some(Act::Calls("set_objective_status", args))
    }

    fn review(&self, read: &Read, name: &str) -> Option<Act> {
        let mine = || {
            let is_mine = |(tool, args, _): &&(String, Value, Value)| {
                tool == "submit_for_validation" && args["dataType"] == name
            };
            read.calls.iter().filter(is_mine)
        };
        if mine().any(|(.., result)| result["status"] == "approved") {
            return None;
        }
        let words = read.words.last().map_or("Ada Byron", String::as_str);
        let mut data = filled(&read.forms[name], words);
        if self.temperament == Temperament::Errs {
            match mine().count() {
                0 => data["no_such_member"] = json!(1),
                _ => assert!(mine().all(|(.., result)| result["error"].is_string())),
            }
        }
        let args = json!({ "dataType": name, "data": data, "message": "Is that right?" });
        Some(Act::Calls("submit_for_validation", args))
    }

    fn ask(&self, read: &Read, question: &str) -> Act {
        match self.temperament {
            Temperament::Words => Act::Says(question.to_owned()),
            Temperament::Errs if read.calls.is_empty() => {
                Act::Calls("request_user_input", json!({ "words": question }))
            }
            _ => Act::Calls("request_user_input", json!({ "prompt": question })),
        }
    }
}

#[async_trait]
impl Model for Reader {
    async fn chat(&self, request: &Request, _sink: &mut dyn Sink) -> Result<Completion, Error> {
        assert_eq!(request.disorder(), None);
        let mut seen = self.seen.lock().unwrap();
        if let Some(before) = seen.last() {
            let shared = before.messages.iter().zip(&request.messages).take_while(|(a, b)| a == b);
            assert_eq!(shared.count(), before.messages.len(), "what was sent has changed");
        }
        seen.push(request.clone());
        let call = |name: &str, raw: String| {
            let id = CallId::new(format!("call_{}", seen.len()));
            vec![ToolCall { id, name: name.to_owned(), raw }]
        };
        let (text, calls) = match self.act(&read(request)) {
            Act::Says(text) => (text, Vec::new()),
            Act::Calls(tool, args) => (String::new(), call(tool, args.to_string())),
            Act::Breaks(tool) => (String::new(), call(tool, "{\"overrides\": [".to_owned())),
        };
        for call in &calls {
            assert!(request.tools.iter().any(|tool| tool.name == call.name), "{}", call.name);
        }
        let finish = if calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
        let usage = Usage { input: 1, output: 1, ..Usage::default() };
        Ok(Completion { text, refusal: None, calls, finish, usage, opaque: None, request_id: None })
    }
}

/// What a willing person does with the newest card; nothing where none is open.
fn reply(control: &Control, n: usize) -> Reply {
    match control {
        Control::Choose(choose) => {
            Reply::Chosen { ids: vec![choose.choices[0].id.clone()], free_text: None }
        }
        Control::Ask(_) => Reply::Text { text: format!("These are my words, number {n}.") },
        Control::Review(_) => {
            Reply::Reviewed { verdict: Verdict::Approved, data: None, notes: None }
        }
        Control::Upload(upload) if !upload.required => Reply::Skipped,
        other => panic!("nobody asked for this: {other:?}"),
    }
}

#[tokio::test]
async fn both_shipped_flows_end_with_models_that_read_nothing_but_the_request() {
    use Temperament::{Cards, Errs, Forgets, Words};
    for flow in ["candidate-onboarding", "community-welcome"] {
        for temperament in [Cards, Words, Forgets, Errs] {
            let what = format!("{flow}, {temperament:?}");
            let model = Reader::new(temperament);
            let mut world = World::unbegun(FLOW, &Scripted::new());
            world.equip(Arc::clone(&model) as Arc<dyn Model>);
            world.nudge();
            world.begin(flow).await;
            let mut acts = 0;
            while world.state().await.status != Status::Completed {
                acts += 1;
                assert!(
                    acts < 60,
                    "{what} does not end:\n{}\n{:?}",
                    world.screen(),
                    model
                        .seen
                        .lock()
                        .unwrap()
                        .last()
                        .unwrap()
                        .messages
                        .iter()
                        .rev()
                        .take(4)
                        .collect::<Vec<_>>()
                );
                if acts == 5 {
                    world.restart().await;
                }
                if let Some(wait) = world.open().await {
                    world.answer(reply(&wait.prompt.control, acts)).await;
                } else {
                    let screen = world.screen();
                    let last = screen.rsplit("---").next().unwrap();
                    assert!(last.contains('?'), "{what}: nothing to answer:\n{screen}");
                    world.say(&format!("These are my words, number {acts}.")).await;
                }
            }
            let state = world.state().await;
            assert!(state.handoff.is_none(), "{what}: a person was asked for:\n{}", world.screen());
            assert!(!world.screen().contains("fixed list"), "{what}: {}", world.screen());
            assert!(!model.seen.lock().unwrap().is_empty(), "{what}");
            let reviewed = state.records.iter().filter(|record| record.reviewed).count();
            assert_eq!(reviewed, if flow == "candidate-onboarding" { 5 } else { 1 }, "{what}");
            let read = read(model.seen.lock().unwrap().last().unwrap());
            assert_eq!(read.is_last, flow == "candidate-onboarding", "{what}");
        }
    }
}
