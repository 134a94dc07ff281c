//! What the model wrote and asked, message by message.

use std::{collections::HashSet, sync::LazyLock};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Evidence, count, found, none};
use crate::{
    form::{clip, one_line},
    ids::CallId,
    model::{
        transcript::{Event, Speaker},
        ui::Reply,
        wait::Purpose,
    },
    ops::eval::{
        score::{Measure, Name},
        words::{contains, is_same_question, language, normal, questions},
    },
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

    /// Questions about what the flow forbids to ask.
    pub(super) fn forbidden(&self, never: &[String]) -> Measure {
        if self.0.is_empty() {
            return none(Name::Forbidden);
        }
        let phrases: Vec<(String, &String)> = never
            .iter()
            .flat_map(|topic| phrases(topic).into_iter().map(move |phrase| (phrase, topic)))
            .collect();
        let mut why = Vec::new();
        for question in self.0.iter().flat_map(|message| &message.questions) {
            let text = normal(question);
            if let Some((_, topic)) = phrases.iter().find(|(phrase, _)| contains(&text, phrase)) {
                why.push(format!("asked about {topic}: “{}”", short(question)));
            }
        }
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

/// Forbidden topics and the words that ask about them.
#[derive(Debug, Deserialize, JsonSchema)]
struct Topics {
    topic: Vec<Topic>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Topic {
    /// Words in a flow's `never_ask` that mean it.
    named: Vec<String>,
    /// Words of questions about it.
    asked: Vec<String>,
}

static TOPICS: LazyLock<Vec<Topic>> = LazyLock::new(|| {
    let text = include_str!("../../../../manifests/lexicon/topics.toml");
    toml_edit::de::from_str::<Topics>(text).map(|topics| topics.topic).unwrap_or_default()
});

/// Words of questions about a forbidden topic: those of the lexicon, or the topic as it is written.
fn phrases(topic: &str) -> Vec<String> {
    let text = normal(topic);
    let known = TOPICS.iter().filter(|known| known.named.iter().any(|name| contains(&text, name)));
    let mut phrases: Vec<String> = known.flat_map(|known| known.asked.iter().cloned()).collect();
    if phrases.is_empty() {
        phrases.extend(topic.split([',', ';']).map(|part| part.trim().to_owned()));
        phrases.extend(topic.split(" or ").map(|part| part.trim().to_owned()));
    }
    phrases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_known_by_their_usual_questions() {
        let is_forbidden = |topic: &str, question: &str| {
            let text = normal(question);
            phrases(topic).iter().any(|phrase| contains(&text, phrase))
        };
        assert!(is_forbidden("current or past salary", "How much do you earn now?"));
        assert!(is_forbidden("current or past salary", "What is your salary expectation?"));
        assert!(is_forbidden("age or date of birth", "How old are you?"));
        assert!(is_forbidden("the colour of their socks", "What is the colour of their socks?"));
        assert!(!is_forbidden("age or date of birth", "Which language do you speak?"));
        assert!(!is_forbidden("real name", "What should we call you?"));
        assert!(!is_forbidden("school or employer name", "What are you curious about?"));
    }

    #[test]
    fn every_topic_of_the_shipped_flows_is_in_the_lexicon() {
        for (_, source) in crate::flows::shipped() {
            let flow: Value = toml_edit::de::from_str(source).unwrap_or_default();
            let topics = flow["policy"]["never_ask"].as_array().cloned().unwrap_or_default();
            assert!(!topics.is_empty());
            for topic in topics.iter().filter_map(Value::as_str) {
                let text = normal(topic);
                let is_known =
                    TOPICS.iter().any(|known| known.named.iter().any(|n| contains(&text, n)));
                assert!(is_known, "{topic}");
            }
        }
    }
}
