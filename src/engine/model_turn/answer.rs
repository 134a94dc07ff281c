//! What an answer of the model is good for, and what people are told where it is good for nothing.

use serde_json::Value;

use crate::{
    messages,
    ports::llm::{
        self,
        chat::{self, Finish},
    },
    session::{Response, topics::FORBIDDEN},
};

/// What staff read where a failure does not pass by itself, with the word for it.
pub(super) const fn trouble(error: &llm::Error) -> Option<(&'static str, &'static str)> {
    match error {
        llm::Error::Misconfigured(_) => {
            Some(("misconfigured", messages::staff::MODEL_MISCONFIGURED))
        }
        llm::Error::Exhausted(_) => Some(("exhausted", messages::staff::MODEL_EXHAUSTED)),
        llm::Error::Resting(_) => Some(("resting", messages::staff::MODEL_RESTING)),
        _ => None,
    }
}

/// What the operator can do about answers of no use.
pub(super) fn remedy(code: &str) -> &'static str {
    match code {
        "cut_off" => "raise `max_tokens` of the purpose; thinking counts, too",
        "filtered" => "look at the provider's content filter",
        FORBIDDEN => {
            "if the question was a fair one, put the topic in `never_ask` in narrower words"
        }
        "refused" => "the model will not answer this conversation; another model may",
        _ => "if it happens often, try another model or `max_tokens`",
    }
}

/// The code of an answer without words and calls.
pub(super) const EMPTY: &str = "empty_answer";

/// What an answer is good for; otherwise the code of its failure.
pub(super) fn useful(answer: chat::Completion) -> Result<Response, &'static str> {
    let chat::Completion { text, refusal, calls, opaque, finish, usage, .. } = answer;
    let is_cut = finish == Finish::Length;
    if refusal.is_some() && text.trim().is_empty() {
        return Err("refused");
    }
    if finish == Finish::Filtered {
        return Err("filtered");
    }
    let mut text = text;
    let calls: Vec<_> =
        calls.into_iter().map(|call| (call.name.clone(), arguments(&call))).collect();
    let is_broken = |(_, args): &(String, Value)| args.is_string();
    // A call in the middle of which the answer was cut off says nothing by itself.
    let is_nothing = calls.is_empty() || (is_cut && calls.iter().all(is_broken));
    if text.trim().is_empty() && is_nothing {
        return Err(if is_cut { "cut_off" } else { EMPTY });
    }
    if text.trim().is_empty() {
        text.clear();
    }
    Ok(Response { text, calls, opaque, usage, cut: is_cut })
}

/// The arguments of a call; as they came where they are no JSON object. One that was written as text twice is meant.
fn arguments(call: &chat::ToolCall) -> Value {
    match call.arguments() {
        Ok(args) => Value::Object(args),
        Err(_) => match serde_json::from_str(&call.raw)
            .map(|inner: String| serde_json::from_str(&inner))
        {
            Ok(Ok(Value::Object(args))) => Value::Object(args),
            Ok(_) | Err(_) => Value::String(call.raw.clone()),
        },
    }
}
