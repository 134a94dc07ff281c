//! Scripted interviewers that read nothing but the request they are sent: objectives, forms of data, option ids and
//! results stand there, or the model does not have them. Each answers from the request alone, without memory.

#[path = "reader/request.rs"]
mod request;

use anteroom::{
    base::ids::CallId,
    model::usage::Usage,
    ports::llm::{
        Completion, Error, Model, Request, Sink,
        chat::{Finish, ToolCall},
    },
};
use async_trait::async_trait;
use serde_json::{Value, json};

pub(crate) use self::request::read;
use self::request::{Objective, Read, address, between};

/// The last words of every interview that a model has ended.
pub(crate) const GOODBYE: &str = "Thank you for your time. Goodbye!";

/// How a model goes about its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Temperament {
    /// Asks everything with a card.
    Cards,
    /// Asks everything in words that can be asked so.
    Words,
    /// Never calls `next_phase`.
    Forgets,
    /// Gets every kind of call wrong at first.
    Errs,
}

/// What a bad interviewer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vice {
    AsksThreeThings,
    InventsFacts,
    SkipsAnObjective,
    AsksWhatIsForbidden,
    ChangesLanguage,
    Loops,
}

/// A model of one temperament, perhaps with a vice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader {
    pub(crate) temperament: Temperament,
    pub(crate) vice: Option<Vice>,
}

/// What a model does next.
enum Act {
    Says(String),
    Calls(&'static str, Value),
    /// Arguments that are no JSON.
    Breaks(&'static str),
}

impl Reader {
    pub(crate) fn new(temperament: Temperament) -> Self {
        Self { temperament, vice: None }
    }

    pub(crate) fn bad(vice: Vice) -> Self {
        Self { temperament: Temperament::Cards, vice: Some(vice) }
    }

    fn is(self, vice: Vice) -> bool {
        self.vice == Some(vice)
    }

    fn act(self, read: &Read) -> Act {
        if let Some(act) = self.misbehave(read) {
            return act;
        }
        if read.is_over() {
            let german = "Vielen Dank, das war alles. Auf Wiedersehen!";
            return Act::Says(if read.is_german() { german } else { GOODBYE }.to_owned());
        }
        for objective in read.objectives.iter().filter(|objective| objective.required) {
            if let Some(act) = self.towards(read, objective) {
                return act;
            }
        }
        match self.temperament {
            Temperament::Forgets => Act::Says("That is all I need here.".to_owned()),
            Temperament::Errs if read.calls_of("next_phase").next().is_none() => {
                Act::Breaks("next_phase")
            }
            _ => Act::Calls("next_phase", json!({ "overrides": [] })),
        }
    }

    /// What a vice makes it do now, where it makes it do anything.
    fn misbehave(self, read: &Read) -> Option<Act> {
        let asked = |text: &str| read.all_asked.iter().filter(|asked| asked.contains(text)).count();
        match self.vice? {
            Vice::AsksWhatIsForbidden => {
                let topic = read.never.first()?;
                let question = format!("May I ask about your {topic}?");
                (asked(&question) == 0).then(|| self.ask(read, &question))
            }
            Vice::Loops => {
                let question = "Could you tell me a bit more about yourself?";
                (asked(question) < 4).then(|| self.ask(read, question))
            }
            Vice::SkipsAnObjective => {
                let missing: Vec<&str> = read
                    .objectives
                    .iter()
                    .filter(|objective| objective.required)
                    .map(|objective| objective.id.as_str())
                    .collect();
                let args = json!({ "overrides": missing, "reason": "There is no time for this." });
                Some(Act::Calls("next_phase", args))
            }
            _ => None,
        }
    }

    /// What an objective still needs; nothing once it has it.
    fn towards(self, read: &Read, objective: &Objective) -> Option<Act> {
        let Objective { id, done, .. } = objective;
        let is_settled = |status: &str| {
            read.calls_of("set_objective_status").any(|(_, args, result)| {
                args["objectiveId"] == **id && result["objective"]["newStatus"] == status
            })
        };
        if is_settled("skipped") {
            return None;
        }
        let needed = done
            .split_once(" messages of the participant")
            .map(|(before, _)| before.rsplit(' ').next().unwrap().parse::<usize>().unwrap());
        if let Some(needed) = needed
            && read.words.len() < needed
        {
            return Some(self.ask(read, self.question(read, read.words.len())));
        }
        if let Some(act) = self.offer(read, objective) {
            return Some(act);
        }
        if let Some(name) =
            done.strip_suffix(" approved by the participant with submit_for_validation")
        {
            return self.review(read, objective, name.trim_matches('`'));
        }
        if let Some(name) = between(done, "record(s) of `", "`") {
            return self.save(read, objective, name);
        }
        let args = json!({ "objectiveId": id, "status": "completed" });
        (!is_settled("completed")).then_some(Act::Calls("set_objective_status", args))
    }

    /// Offers to pass over what may be passed over, with a card.
    fn offer(self, read: &Read, objective: &Objective) -> Option<Act> {
        if self.temperament != Temperament::Cards || !objective.skippable {
            return None;
        }
        let prompt = if read.is_german() {
            format!("Möchten Sie uns etwas zu „{}“ sagen, oder lieber nicht?", objective.title)
        } else {
            format!("Would you like to add something to “{}”?", objective.title)
        };
        let before =
            read.calls_of("get_user_option").find(|(_, args, _)| args["prompt"] == *prompt);
        let Some((.., result)) = before else {
            let options = json!([{ "id": "a", "label": "Yes, I would" }, { "id": "b", "label": "Rather not" }]);
            let args = json!({ "prompt": prompt, "options": options, "required": false });
            return Some(Act::Calls("get_user_option", args));
        };
        let is_declined = result["selectedIds"].as_array().is_some_and(Vec::is_empty)
            && result.get("freeText").is_none();
        is_declined.then(|| {
            let args = json!({ "objectiveId": objective.id, "status": "skipped" });
            Act::Calls("set_objective_status", args)
        })
    }

    /// Asks about an objective once.
    fn about(self, read: &Read, objective: &Objective) -> Option<Act> {
        let title = &objective.title;
        let question = match (self.is(Vice::ChangesLanguage), read.is_german()) {
            (true, _) => format!("Pouvez-vous me parler de votre “{title}”, avec les dates ?"),
            (false, true) => format!("Was möchten Sie uns zu „{title}“ sagen?"),
            (false, false) => format!("What would you like to tell us for “{title}”?"),
        };
        let was_asked = read.asked.iter().any(|asked| asked.contains(&question));
        (!was_asked).then(|| self.ask(read, &question))
    }

    fn question(self, read: &Read, n: usize) -> &'static str {
        let all: [&str; 4] = match (self.is(Vice::ChangesLanguage), read.is_german()) {
            (true, _) => [
                "Quel était le but, et pour qui était-ce ?",
                "Et quelle était votre part dans le travail ?",
                "Comment avez-vous pris la décision la plus difficile ?",
                "Et avec vous, que pouvez-vous dire des résultats ?",
            ],
            (false, true) => [
                "Was war das Ziel, und für wen war es?",
                "Was war Ihr eigener Anteil, und wie haben Sie ihn gemacht?",
                "Was war die schwierigste Entscheidung?",
                "Was hat sich dadurch verändert?",
            ],
            (false, false) => [
                "What was the goal, and who was it for?",
                "What was your own part in it?",
                "What was the hardest decision?",
                "What changed because of it?",
            ],
        };
        all[n.min(3)]
    }

    fn save(self, read: &Read, objective: &Objective, name: &str) -> Option<Act> {
        let saved = |(_, args, result): &(String, Value, Value)| {
            args["dataType"] == name && result.get("error").is_none()
        };
        if read.calls_of("persist_data").any(saved) {
            return None;
        }
        if let Some(act) = self.about(read, objective) {
            return Some(act);
        }
        let mut data = self.filled(&read.forms[name], read);
        // One of several is enough: the last is a digest or a list.
        let members = data.as_object_mut().unwrap();
        let form = read.forms[name].as_object().unwrap();
        let one = form.iter().find(|(_, told)| {
            told.as_str().is_some_and(|told| told.contains("one of these is required"))
        });
        if let Some((one, _)) = one {
            let required = |name: &String| {
                form[name].as_str().is_some_and(|told| told.contains("(required)")) || name == one
            };
            members.retain(|name, _| required(name));
        }
        Some(Act::Calls("persist_data", json!({ "dataType": name, "data": data })))
    }

    fn review(self, read: &Read, objective: &Objective, name: &str) -> Option<Act> {
        let mine = || {
            let all = read.calls_of("submit_for_validation");
            all.filter(|(_, args, _)| args["dataType"] == name)
        };
        if mine().any(|(.., result)| {
            matches!(result["status"].as_str(), Some("approved" | "modified" | "skipped"))
        }) {
            return None;
        }
        if let Some(act) = self.about(read, objective) {
            return Some(act);
        }
        let mut data = self.filled(&read.forms[name], read);
        if self.temperament == Temperament::Errs && mine().count() == 0 {
            data["no_such_member"] = json!(1);
        }
        let message = match (self.is(Vice::ChangesLanguage), read.is_german()) {
            (true, _) => "Est-ce que tout est juste pour vous ?",
            (false, true) => "Ist das so richtig, und fehlt noch etwas?",
            (false, false) => "Is that right?",
        };
        let args = json!({ "dataType": name, "data": data, "message": message });
        Some(Act::Calls("submit_for_validation", args))
    }

    fn ask(self, read: &Read, question: &str) -> Act {
        let question = if self.is(Vice::AsksThreeThings) {
            // Always other ones, since asking again is another vice.
            const MORE: [&str; 12] = [
                "spring", "summer", "autumn", "winter", "morning", "noon", "evening", "night",
                "rain", "snow", "wind", "fog",
            ];
            let n = read.all_asked.iter().filter(|asked| asked.contains('?')).count();
            let (one, two) = (MORE[n % 12], MORE[(n + 5) % 12]);
            format!("{question} Was there {one}? And who likes {two}?")
        } else {
            question.to_owned()
        };
        match self.temperament {
            Temperament::Words => Act::Says(question),
            Temperament::Errs if read.calls.is_empty() => {
                Act::Calls("request_user_input", json!({ "words": question }))
            }
            _ => Act::Calls("request_user_input", json!({ "prompt": question })),
        }
    }

    /// Something that fits a form: what is required, and what it knows.
    fn filled(self, form: &Value, read: &Read) -> Value {
        match form {
            Value::Object(members) => {
                let known = |member: &Value| match member {
                    Value::String(told) if told.contains("e-mail") => address(read).is_some(),
                    Value::String(told) => told.contains("required"),
                    Value::Array(items) => items.iter().any(Value::is_object),
                    _ => true,
                };
                let members = members.iter().filter(|(_, member)| known(member));
                members.map(|(name, member)| (name.clone(), self.filled(member, read))).collect()
            }
            Value::Array(items) => items.iter().map(|item| self.filled(item, read)).collect(),
            Value::String(told) if told.contains("e-mail") => {
                json!(address(read).unwrap_or_default())
            }
            Value::String(told) => {
                let least = between(told, "text of ", " ").and_then(|least| least.parse().ok());
                let least = least.or_else(|| {
                    between(told, "at least ", " ").and_then(|least| least.parse::<usize>().ok())
                });
                let words = if self.is(Vice::InventsFacts) {
                    "Cambridge Imperial Laboratory, founded 1842"
                } else {
                    read.words.last().or_else(|| read.all_words.last()).map_or("-", String::as_str)
                };
                let words: String = words.chars().take(200).collect();
                json!(words.repeat(1 + least.unwrap_or(0) / words.len()))
            }
            other => other.clone(),
        }
    }

    /// What it answers, with calls named by where they stand in the conversation.
    pub(crate) fn answer(self, request: &Request) -> (String, Vec<ToolCall>) {
        let id = CallId::new(format!("call_{}", request.messages.len()));
        let call = |name: &str, raw: String| vec![ToolCall { id, name: name.to_owned(), raw }];
        match self.act(&read(request)) {
            Act::Says(text) => (text, Vec::new()),
            Act::Calls(tool, args) => (String::new(), call(tool, args.to_string())),
            Act::Breaks(tool) => (String::new(), call(tool, "{\"overrides\": [".to_owned())),
        }
    }
}

#[async_trait]
impl Model for Reader {
    async fn chat(&self, request: &Request, _sink: &mut dyn Sink) -> Result<Completion, Error> {
        assert_eq!(request.disorder(), None);
        let (text, calls) = self.answer(request);
        for call in &calls {
            assert!(request.tools.iter().any(|tool| tool.name == call.name), "{}", call.name);
        }
        let finish = if calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
        // Always the same, so that tables do not change with every word of the instructions.
        let usage = Usage { input: 1_000, output: 50, ..Usage::default() };
        Ok(Completion { text, refusal: None, calls, finish, usage, opaque: None, request_id: None })
    }
}
