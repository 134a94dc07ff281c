//! What a flow forbids to ask about (`policy.never_ask`), and the questions of a model that ask about it.
//!
//! Known topics are told by words that questions about them use, in English, German, Spanish and French; any other topic
//! by its own words. A question in other words passes: this is a net below the instructions, not a proof.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::session::grounding::wordwise;

/// Known topics and the words of questions about them.
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
    let text = include_str!("../../manifests/lexicon/topics.toml");
    toml_edit::de::from_str::<Topics>(text).map(|topics| topics.topic).unwrap_or_default()
});

/// Words with which a sentence asks for something without a question mark.
const REQUESTS: &[&str] = &[
    "please tell",
    "please give",
    "please share",
    "please send",
    "please enter",
    "please state",
    "please provide",
    "tell me",
    "tell us",
    "let me know",
    "let us know",
    "give me",
    "i need your",
    "bitte nennen",
    "bitte sagen",
    "bitte geben",
    "nennen sie",
    "sagen sie",
    "nenn",
    "sag mir",
    "dime",
    "dígame",
    "indica",
    "indique",
    "por favor",
    "dites",
    "indiquez",
    "veuillez",
    "merci de",
];

/// The code of an answer or a call that asks about what the flow forbids.
pub const FORBIDDEN: &str = "forbidden_question";

/// A question about something that a flow forbids to ask about.
#[derive(Debug, PartialEq, Eq)]
pub struct Forbidden<'a> {
    /// The topic, as the flow has it.
    pub topic: &'a str,
    /// The question.
    pub question: String,
}

/// A text as its words in small letters, each between two spaces.
pub(crate) fn normal(text: &str) -> String {
    wordwise(text)
}

/// Whether words stand in a text that [`normal`] has made, one after the other; their plural counts.
pub fn contains(text: &str, words: &str) -> bool {
    let words = wordwise(words);
    if words.trim().is_empty() {
        return false;
    }
    let plural = format!("{}s ", words.trim_end());
    text.contains(&words) || text.contains(&plural)
}

/// The sentences of a text that are questions.
pub fn questions(text: &str) -> Vec<String> {
    sentences(text).filter(|sentence| is_question(sentence)).map(|s| s.trim().to_owned()).collect()
}

/// The topic among `never` that a question asks about.
pub(crate) fn topic_of<'a>(never: &'a [String], question: &str) -> Option<&'a str> {
    let text = normal(question);
    let is_asked = |topic: &&String| phrases(topic).iter().any(|phrase| contains(&text, phrase));
    never.iter().find(is_asked).map(String::as_str)
}

/// The first sentence of a text that asks about a topic among `never`: a question, or a request such as "Please tell me …".
pub fn forbidden<'a>(never: &'a [String], text: &str) -> Option<Forbidden<'a>> {
    if never.is_empty() {
        return None;
    }
    sentences(text).find_map(|sentence| asked(never, sentence))
}

/// The first sentence on a card that asks about a topic among `never`. If there is no question among its words, every
/// sentence counts as one.
pub(crate) fn forbidden_on_card<'a>(never: &'a [String], text: &str) -> Option<Forbidden<'a>> {
    let asks = sentences(text).any(is_question);
    if asks {
        forbidden(never, text)
    } else {
        sentences(text).find_map(|sentence| of_topic(never, sentence))
    }
}

/// A text without the sentences that ask about a topic among `never`.
pub(crate) fn without_forbidden(never: &[String], text: &str) -> String {
    if forbidden(never, text).is_none() {
        return text.to_owned();
    }
    sentences(text).filter(|sentence| asked(never, sentence).is_none()).collect()
}

/// How much of a text that is still being written may be shown, in bytes: all before the first sentence that asks about
/// a topic among `never`, and of the sentence that has no end yet, the words before any with which a question about one
/// begins. Where there is no topic, all of it.
pub(crate) fn showable(never: &[String], text: &str) -> usize {
    if never.is_empty() {
        return text.len();
    }
    let mut shown = 0;
    for sentence in sentences(text) {
        if !sentence.ends_with(char::is_whitespace) || !ends(sentence) {
            return shown + harmless(never, sentence);
        }
        if asked(never, sentence).is_some() {
            break;
        }
        shown += sentence.len();
    }
    shown
}

/// How much of a sentence without its end says nothing about a topic, in bytes: its whole words up to those with which
/// a phrase about one begins, or may begin once more words have come.
fn harmless(never: &[String], sentence: &str) -> usize {
    let whole = sentence.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let whole = sentence.get(..whole).unwrap_or_default();
    let mut words: Vec<(usize, String)> = Vec::new();
    let mut at = 0;
    for token in whole.split_inclusive(char::is_whitespace) {
        words.extend(normal(token).split_whitespace().map(|word| (at, word.to_owned())));
        at += token.len();
    }
    let phrases: Vec<String> =
        never.iter().flat_map(|topic| phrases(topic)).map(|phrase| normal(&phrase)).collect();
    let begins = |from: &[(usize, String)]| {
        phrases.iter().any(|phrase| {
            let mut said = from.iter().map(|(_, word)| word.as_str());
            let mut wanted = phrase.split_whitespace();
            let is_same = |word: &str, said: &str| {
                word == said || said.strip_suffix('s').is_some_and(|singular| singular == word)
            };
            let is_begun = |word: &str| said.next().is_none_or(|said| is_same(word, said));
            !phrase.trim().is_empty() && wanted.all(is_begun)
        })
    };
    let first = (0..words.len()).find(|from| begins(&words[*from..]));
    first.map_or(whole.len(), |first| words[first].0)
}

/// Whether a sentence has its end: a full stop, a mark or a line break, and perhaps quotes and spaces after it.
fn ends(sentence: &str) -> bool {
    let is_mark = |c: char| matches!(c, '.' | '!' | '?' | '？');
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !is_mark(c) && c != '\n');
    end.ends_with(|c| is_mark(c) || c == '\n')
}

fn asked<'a>(never: &'a [String], sentence: &str) -> Option<Forbidden<'a>> {
    let text = normal(sentence);
    let asks = is_question(sentence) || REQUESTS.iter().any(|request| contains(&text, request));
    if asks { of_topic(never, sentence) } else { None }
}

fn of_topic<'a>(never: &'a [String], sentence: &str) -> Option<Forbidden<'a>> {
    let topic = topic_of(never, sentence)?;
    Some(Forbidden { topic, question: sentence.trim().to_owned() })
}

fn is_question(sentence: &str) -> bool {
    sentence.contains(['?', '？']) && ends_in_mark(sentence)
}

/// Whether a sentence ends in a question mark, with nothing but marks and spaces after it.
fn ends_in_mark(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？'));
    end.ends_with(['?', '？']) && end.chars().any(char::is_alphanumeric)
}

/// The sentences of a text, each with the space after it: together they are the text.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (sentence, after) = rest.split_at(end_of_sentence(rest));
        rest = after;
        Some(sentence)
    })
}

/// Where the first sentence of a text ends, with the space after it.
fn end_of_sentence(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((_, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let is_last = next.is_none_or(|next| next.is_whitespace() || !next.is_alphanumeric());
        if !(matches!(c, '.' | '!' | '?' | '？' | '\n') && is_last) {
            continue;
        }
        while chars.next_if(|(_, c)| c.is_whitespace() || is_closing(*c)).is_some() {}
        return chars.peek().map_or(text.len(), |(at, _)| *at);
    }
    text.len()
}

/// Marks that belong to the sentence before them.
const fn is_closing(c: char) -> bool {
    matches!(c, '?' | '？' | '!' | '.' | '"' | '”' | '“' | '»' | ')' | '’' | '*' | '_')
}

/// Words of questions about a topic: those of the known one, or the topic as it is written.
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
    use serde_json::Value;

    use super::*;

    fn never(topic: &str) -> Vec<String> {
        vec![topic.to_owned()]
    }

    #[test]
    fn topics_are_known_by_their_usual_questions() {
        let asks = |topic: &str, question: &str| topic_of(&never(topic), question).is_some();
        assert!(asks("current or past salary", "How much do you earn now?"));
        assert!(asks("current or past salary", "What is your salary expectation?"));
        assert!(asks("age or date of birth", "How old are you?"));
        assert!(asks("age or date of birth", "Quel âge avez-vous ?"));
        assert!(asks("the colour of their socks", "What is the colour of their socks?"));
        assert!(!asks("age or date of birth", "Which language do you speak?"));
        assert!(!asks("real name", "What should we call you?"));
        assert!(!asks("school or employer name", "What are you curious about?"));
        assert!(!asks("health or disability", "Have you worked in health care?"));
        assert!(!asks("marital status or children", "Have you taught children before?"));
    }

    #[test]
    fn topics_of_the_shipped_flows_that_the_law_protects_are_known() {
        let unknown = ["the name of their next employer", "colleagues by name"];
        for (_, source) in crate::flow::shipped() {
            let flow: Value = toml_edit::de::from_str(source).unwrap_or_default();
            let topics = flow["policy"]["never_ask"].as_array().cloned().unwrap_or_default();
            assert!(!topics.is_empty());
            for topic in topics.iter().filter_map(Value::as_str) {
                let text = normal(topic);
                let is_known =
                    TOPICS.iter().any(|known| known.named.iter().any(|n| contains(&text, n)));
                assert!(is_known || unknown.contains(&topic), "{topic}");
            }
        }
    }

    #[test]
    fn questions_are_sentences_that_end_in_a_question_mark() {
        let found =
            questions("Thanks, Ada. Is that right? See https://example.org/?q=1 first. And when?");
        assert_eq!(found, ["Is that right?", "And when?"]);
        assert_eq!(questions("**Really?** Well. (Sure?)"), ["**Really?**", "(Sure?)"]);
    }

    #[test]
    fn a_sentence_that_asks_is_found_and_others_about_the_same_are_not() {
        let age = never("age or date of birth");
        let asked = |text: &str| forbidden(&age, text).map(|found| found.question);
        assert_eq!(
            asked("Nice! How old are you? And why us?"),
            Some("How old are you?".to_owned())
        );
        assert_eq!(asked("Please tell me your age."), Some("Please tell me your age.".to_owned()));
        assert_eq!(asked("We never ask about your age. Where were we?"), None);
        assert!(forbidden_on_card(&age, "Your age").is_some());
        assert!(forbidden_on_card(&age, "Nobody asks your age. What is your name?").is_none());
    }

    #[test]
    fn what_is_left_of_a_text_lacks_only_the_question() {
        let age = never("age");
        let left = |text: &str| without_forbidden(&age, text);
        assert_eq!(left("Hello! How old are you? What do you do?"), "Hello! What do you do?");
        assert_eq!(
            left("- Your name?\n- How old are you?\n- Your town?"),
            "- Your name?\n- Your town?"
        );
        assert_eq!(left("How old are you?"), "");
        assert_eq!(left("Nothing of the kind."), "Nothing of the kind.");
    }

    #[test]
    fn words_are_shown_up_to_those_of_a_forbidden_question() {
        let age = never("age");
        let shown = |text: &str| text[..showable(&age, text)].to_owned();
        assert_eq!(shown("Hello! Which pet do yo"), "Hello! Which pet do ");
        assert_eq!(shown("Hello! How "), "Hello! ");
        assert_eq!(shown("Hello! How are "), "Hello! How are ");
        assert_eq!(shown("Hello! And how old ar"), "Hello! And ");
        assert_eq!(shown("Hello! How old are you? Why? "), "Hello! ");
        assert_eq!(shown("We never ask how old "), "We never ask ");
        assert_eq!(shown("We never ask how old you are. An"), "We never ask how old you are. ");
        assert_eq!(showable(&[], "Hello! How ol"), 13);
    }
}
