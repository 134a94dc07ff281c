//! What the model says and does in the shipped flows, turn by turn, in the form of aimock's fixtures. A turn is played
//! when the conversation holds as many answers of the model as stand before it.

use serde_json::{Value, json};

/// Words and calls of one turn.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    pub(crate) words: &'static str,
    calls: Vec<(&'static str, Value)>,
}

pub(crate) fn says(words: &'static str) -> Turn {
    Turn { words, calls: Vec::new() }
}

impl Turn {
    /// Calls a tool as well, at the same time as those before.
    pub(crate) fn and(mut self, tool: &'static str, args: Value) -> Self {
        self.calls.push((tool, args));
        self
    }

    /// As a fixture for the turn with this number, from 0.
    pub(crate) fn at(&self, number: usize) -> Value {
        let mut response = json!({});
        if !self.words.is_empty() {
            response["content"] = self.words.into();
        }
        if !self.calls.is_empty() {
            let calls = self.calls.iter();
            response["toolCalls"] =
                calls.map(|(name, args)| json!({ "name": name, "arguments": args })).collect();
        }
        let profile = json!({ "ttft": 80, "tps": 120 });
        let streaming = json!({ "chunkSize": 10, "streamingProfile": profile });
        let mut fixture = json!({ "match": { "turnIndex": number }, "response": response });
        fixture.as_object_mut().unwrap().extend(streaming.as_object().unwrap().clone());
        fixture
    }
}

/// All turns from the first one on.
pub(crate) fn play(turns: &[Turn]) -> Vec<Value> {
    turns.iter().enumerate().map(|(number, turn)| turn.at(number)).collect()
}

/// The same turn so slow that people can watch its words.
pub(crate) fn slowly(mut fixture: Value) -> Value {
    fixture["streamingProfile"] = json!({ "ttft": 900, "tps": 6 });
    fixture
}

/// The same turn after a while in which people see what goes on.
pub(crate) fn late(mut fixture: Value) -> Value {
    fixture["streamingProfile"]["ttft"] = 1500.into();
    fixture
}

/// A fault in place of the first attempt at a turn; what it is comes as members of a fixture.
pub(crate) fn fault(turn: &Value, nth: usize, fault: &Value) -> Value {
    let mut fixture = turn.clone();
    fixture["match"]["sequenceIndex"] = nth.into();
    fixture.as_object_mut().unwrap().extend(fault.as_object().unwrap().clone());
    fixture
}

fn option(id: &str, label: &str) -> Value {
    json!({ "id": id, "label": label })
}

/// The candidate's interview. The turn that reads the résumé calls one thing less: only the bot knows how the file is
/// called.
pub(crate) fn candidate() -> Vec<Turn> {
    basics().into_iter().chain(one_piece_of_work()).chain(own_words()).collect()
}

fn basics() -> [Turn; 9] {
    let begin = [option("upload", "Upload a file"), option("type", "Type it in")];
    let profile = json!({ "basics": {
        "name": "Ada Byron", "label": "Analyst", "email": "ada@example.org",
    } });
    let timeline = json!({ "work": [{
        "name": "Analytical Society", "position": "Analyst", "startDate": "1840-01", "endDate": "1843-08",
    }] });
    let schools = [option("add", "I will add one"), option("none", "There is nothing to add")];
    let reason = "The candidate was taught at home.";
    let missing = json!({ "overrides": ["education_history"], "reason": reason });
    let on_file = json!({ "objectiveId": "resume_on_file", "status": "completed" });
    [
        says(WELCOME).and(OPTION, json!({ "prompt": "How shall we begin?", "options": begin })),
        says("").and(
            "get_user_upload",
            json!({ "uploadType": "resume", "prompt": "Please send it here." }),
        ),
        says("I have it. Shall I read it now?"),
        says("").and("set_objective_status", on_file),
        says("This is what I found.")
            .and(REVIEW, json!({ "dataType": "applicant_profile", "data": profile }))
            .and(REVIEW, json!({ "dataType": "skeleton_timeline", "data": timeline })),
        says("I found no school in it.")
            .and(OPTION, json!({ "prompt": "Where did you study?", "options": schools })),
        says("Then I ask the team whether we can go on.").and("next_phase", missing.clone()),
        says("The team asks for a few words about your teachers. Who were they?"),
        says("Thank you, I have passed that on.").and("next_phase", missing),
    ]
}

fn one_piece_of_work() -> [Turn; 5] {
    let quote = "I wrote the table for the Bernoulli numbers.";
    let card = json!({
        "title": "Notes on the Analytical Engine",
        "summary": "To show what the engine could do.",
        "achievements": [{
            "claim": "Wrote the first published algorithm for a machine",
            "evidence": { "quote": quote, "source": "Interview" },
        }],
    });
    let talked = json!({ "objectiveId": "interviewed_one_experience", "status": "completed" });
    [
        says("Now to one piece of work. What was the goal of the notes?"),
        says("And what was your own part in them?"),
        says("How do you know that they were of use?"),
        says("Here is what I make of it.")
            .and("set_objective_status", talked)
            .and(REVIEW, json!({ "dataType": "knowledge_card", "data": card })),
        says("").and("next_phase", json!({ "overrides": [] })),
    ]
}

fn own_words() -> [Turn; 4] {
    let next = [option("similar", "Work like my last"), option("change", "A change of field")];
    let place = [option("office", "On site"), option("remote", "At home")];
    let dossier = json!({
        "job_search_context": "Work like the last",
        "work_arrangement_preferences": "At home",
        "availability": "In March",
    });
    let paste = json!({ "prompt": "Please paste a few lines that you have written." });
    let sample = json!({ "dataType": "writing_sample", "data": { "text": SAMPLE } });
    [
        says("Two short questions, in any order.")
            .and(OPTION, json!({ "prompt": "What next?", "options": next }))
            .and(OPTION, json!({ "prompt": "Where do you like to work?", "options": place })),
        says("").and("request_user_input", paste),
        says("A last look, please.")
            .and("persist_data", sample)
            .and(REVIEW, json!({ "dataType": "candidate_dossier", "data": dossier })),
        says("That is all. A person will read it and write to you.")
            .and("next_phase", json!({ "overrides": [] })),
    ]
}

const OPTION: &str = "get_user_option";
const REVIEW: &str = "submit_for_validation";

/// What the model says first, long enough to be watched.
const WELCOME: &str = "Good day, Ada. I ask about **how to reach you**, where you have worked, and one piece \
    of work that you like. It takes about ten minutes, and you see everything before it is kept.";

/// What the candidate writes as a sample.
pub(crate) const SAMPLE: &str =
    "The engine weaves algebraical patterns just as the loom weaves flowers and leaves.";

/// The introduction of a new member, which the team wants and the member then does not like.
pub(crate) fn community() -> Vec<Turn> {
    let text = "I build looms that count. I like to talk about music.";
    let missing = |reason: &str| json!({ "overrides": ["introduction"], "reason": reason });
    let begun = json!({ "objectiveId": "introduction", "status": "in_progress" });
    vec![
        says("Shall we write your introduction together? What are you working on these days?"),
        says("I ask the team whether you can do without one.")
            .and("next_phase", missing("The member is in a hurry.")),
        says("The team would like to know you. What would you enjoy talking about here?"),
        says("Here is a draft in your own words.")
            .and("set_objective_status", begun)
            .and(REVIEW, json!({ "dataType": "introduction", "data": { "text": text } })),
        says("Then let us leave it at that.").and("next_phase", missing("They would rather not.")),
    ]
}
