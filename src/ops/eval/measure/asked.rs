//! What the model wrote and asked, message by message.

use std::collections::HashSet;

use serde_json::Value;

use super::{Evidence, count, found, none};
use crate::{
    base::ids::CallId,
    chat::form::{clip, one_line},
    model::{
        transcript::{CallResult, Event, Speaker},
        ui::Reply,
        wait::Purpose,
    },
    ops::eval::{
        score::{Measure, Name},
        words::{is_same_question, language},
    },
    session::topics::{FORBIDDEN, questions, topic_of},
};

/// Fewest words of the participant by which an interviewer can know their language.
const SPOKEN_MIN: usize = 3;

/// Everything that the model put before the participant in one answer.
struct Message {
    seq: u64,
    /// Words of its own, and the texts of its cards.
    text: String,
    /// Questions in words, and those of cards that are no reviews.
    questions: Vec<String>,
    /// Drafts that it put up for review, by type and data.
    reviews: Vec<String>,
}

impl Message {
    fn asks(&self) -> usize {
        self.questions.len() + self.reviews.len()
    }
}

/// The model's messages.
pub(super) struct Asked(Vec<Message>);

impl Asked {
    pub(super) fn of(of: &Evidence<'_>) -> Self {
        let shown: HashSet<&CallId> = of
            .events()
            .iter()
            .filter_map(|recorded| match &*recorded.event {
                Event::Asked(wait) => match &wait.purpose {
                    Purpose::Call { call, .. } => Some(call),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        let messages = of.rounds().filter_map(|round| {
            let thought = round.thought;
            let mut message = Message {
                seq: round.seq,
                text: thought.text.clone(),
                questions: questions(&thought.text),
                reviews: Vec::new(),
            };
            for call in thought.calls.iter().filter(|call| shown.contains(&call.id)) {
                message.add(&call.tool, &call.args);
            }
            (!message.text.trim().is_empty()).then_some(message)
        });
        Self(messages.collect())
    }

    /// The most questions in one message.
    pub(super) fn questions(&self) -> Measure {
        let Some(most) = self.0.iter().max_by_key(|message| message.asks()) else {
            return none(Name::Questions);
        };
        let why = format!("{} in “{}”", most.asks(), short(&most.text));
        Measure { name: Name::Questions, value: Some(count(most.asks())), why: vec![why] }
    }

    /// The most words in one message.
    pub(super) fn words(&self) -> Measure {
        let length = |message: &&Message| message.text.split_whitespace().count();
        let Some(most) = self.0.iter().max_by_key(length) else { return none(Name::Words) };
        let why = format!("{} in “{}”", length(&most), short(&most.text));
        Measure { name: Name::Words, value: Some(count(length(&most))), why: vec![why] }
    }

    /// Questions that were asked again after the participant had answered, and drafts that were shown again unchanged.
    pub(super) fn repeated(&self, answers: &[u64]) -> Measure {
        if self.0.is_empty() {
            return none(Name::Repeated);
        }
        let mut why = Vec::new();
        for (n, later) in self.0.iter().enumerate() {
            let before = || {
                let answered = |earlier: &&Message| {
                    answers.iter().any(|answer| (earlier.seq..later.seq).contains(answer))
                };
                self.0[..n].iter().filter(answered)
            };
            for question in &later.questions {
                if before()
                    .flat_map(|earlier| &earlier.questions)
                    .any(|q| is_same_question(q, question))
                {
                    why.push(format!("asked again: “{}”", short(question)));
                }
            }
            for review in &later.reviews {
                if before().flat_map(|earlier| &earlier.reviews).any(|known| known == review) {
                    why.push(format!("shown again unchanged: {}", short(review)));
                }
            }
        }
        found(Name::Repeated, why)
    }

    /// Questions about what the flow forbids to ask, also those that were not sent.
    pub(super) fn forbidden(&self, of: &Evidence<'_>) -> Measure {
        let never = &of.flow.flow.policy.never_ask;
        if self.0.is_empty() {
            return none(Name::Forbidden);
        }
        let asked = self.0.iter().flat_map(|message| &message.questions);
        let mut why: Vec<String> = asked
            .filter_map(|question| topic_of(never, question).map(|topic| (topic, question)))
            .map(|(topic, question)| format!("asked about {topic}: “{}”", short(question)))
            .collect();
        let stopped = of.events().iter().filter(|recorded| match &*recorded.event {
            Event::ThinkingFailed { code, .. }
            | Event::Returned { result: CallResult::Err { code, .. }, .. } => code == FORBIDDEN,
            _ => false,
        });
        why.extend(stopped.map(|_| "asked about a forbidden topic; it was not sent".to_owned()));
        found(Name::Forbidden, why)
    }

    /// Messages in another language than the participant's, once they have written in it. Until then the flow's own
    /// will do.
    pub(super) fn language(&self, of: &Evidence<'_>) -> Measure {
        if self.0.is_empty() {
            return none(Name::Language);
        }
        let wanted = of.persona.language.as_str();
        let flow = of.flow.flow.locale.split(['-', '_']).next().unwrap_or_default();
        let spoken = spoken(of);
        let mut why = Vec::new();
        for message in &self.0 {
            let is_known = spoken.is_some_and(|spoken| message.seq > spoken);
            if let Some(found) = language(&message.text)
                && found != wanted
                && (is_known || found != flow)
            {
                why.push(format!("{found} in “{}”", short(&message.text)));
            }
        }
        found(Name::Language, why)
    }
}

impl Message {
    fn add(&mut self, tool: &str, args: &Value) {
        let text = |key: &str| args[key].as_str().unwrap_or_default();
        if tool == "submit_for_validation" {
            self.push(text("message"));
            self.reviews.push(format!("{} {}", text("dataType"), args["data"]));
            return;
        }
        let prompt = text("prompt");
        self.push(prompt);
        let asked = questions(prompt);
        // A card asks something also where it has no question mark.
        if asked.is_empty() && !prompt.is_empty() {
            self.questions.push(prompt.to_owned());
        }
        self.questions.extend(asked);
    }

    fn push(&mut self, text: &str) {
        if !self.text.is_empty() && !text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }
}

/// The event with the participant's first words that tell their language.
fn spoken(of: &Evidence<'_>) -> Option<u64> {
    let is_enough = |text: &str| text.split_whitespace().count() >= SPOKEN_MIN;
    let said = of.events().iter().find(|recorded| match &*recorded.event {
        Event::Said { from: Speaker::Participant, text, .. }
        | Event::Answered { reply: Reply::Text { text }, .. } => is_enough(text),
        _ => false,
    });
    said.map(|recorded| recorded.seq)
}

/// The beginning of a text, on one line.
fn short(text: &str) -> String {
    clip(&one_line(text), 100)
}
