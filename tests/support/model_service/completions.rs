//! Chat completions of a provider with rules: stateful, streaming, and strict in whatever it is told to be strict in. It
//! refuses with the statuses and sentences of providers.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::Response,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::Speaker;

/// What a provider insists on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// `max_completion_tokens`, no temperature, and 6,000 tokens of thoughts before the first word (GPT-5).
    Reasons,
    /// Tools only with `reasoning_effort: "none"` (GPT-5.6).
    EffortNone,
    /// No temperature (Claude from 4.7 on).
    NoTemperature,
    /// No longer answers than so many tokens.
    AtMost(u64),
    /// No unknown members of the body: `stream_options` is one.
    KnownMembers,
    /// The signature of thoughts beside the first call of each answer in this turn (Gemini 3). The body is a list.
    Signature,
    /// The same, told by `OpenRouter`, which keeps signatures in `reasoning_details`.
    Details,
    /// `reasoning_content` of every answer with calls (`DeepSeek` V4).
    Thoughts,
    /// The same since somebody spoke last (`DeepSeek` V3.2).
    ThoughtsInTurn,
    /// No `reasoning_content` (`DeepSeek` R1, Mistral).
    NoThoughts,
    /// Nobody speaks right after a result (Mistral).
    NoUserAfterTool,
    /// Words or calls (Mistral V3).
    Apart,
    /// Turns in the way of Gemma's templates, told with this status; results count as said to it.
    Gemma(u16),
    /// Turns of people and words of the model alternate; calls and results do not count (Ministral).
    Ministral,
    /// No instructions (Gemma 2).
    NoSystem,
    /// All calls of an answer bear one id.
    OneId,
}

#[derive(Debug)]
struct Seen {
    speaker: Speaker,
    bodies: Vec<Value>,
    /// What was refused, in the sentences of the provider.
    refused: Vec<String>,
    /// How long each answer takes.
    pace: Duration,
    /// By the arguments of a call: what has to come back with it, one of these where it was made more than once.
    owed: BTreeMap<String, BTreeSet<String>>,
}

impl Seen {
    /// Whether this comes back with a call that needs it. Arguments that could not be read come back as something else.
    fn is_owed(&self, call: &str, given: &Value) -> bool {
        let Some(given) = given.as_str() else { return false };
        match self.owed.get(call) {
            Some(owed) => owed.contains(given),
            None => self.owed.values().any(|owed| owed.contains(given)),
        }
    }
}

/// The provider.
#[derive(Debug)]
pub(crate) struct Emulator {
    pub(crate) url: String,
    seen: Arc<Mutex<Seen>>,
    _task: JoinSet<()>,
}

impl Emulator {
    pub(crate) async fn start(rules: &[Rule]) -> Self {
        Self::played_by(rules, Speaker::Usual).await
    }

    /// One behind which somebody else speaks.
    pub(crate) async fn played_by(rules: &[Rule], speaker: Speaker) -> Self {
        Self::paced(rules, speaker, Duration::ZERO).await
    }

    /// The same, which takes its time for each answer.
    pub(crate) async fn paced(rules: &[Rule], speaker: Speaker, pace: Duration) -> Self {
        let (bodies, refused, owed) = (Vec::new(), Vec::new(), BTreeMap::new());
        let seen = Arc::new(Mutex::new(Seen { speaker, bodies, refused, pace, owed }));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let state = (Arc::new(rules.to_vec()), Arc::clone(&seen));
        let app = Router::new().fallback(answer).with_state(state);
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { url, seen, _task: task }
    }

    pub(crate) fn refused(&self) -> Vec<String> {
        self.seen.lock().unwrap().refused.clone()
    }

    /// The messages of the requests that were taken.
    pub(crate) fn taken(&self) -> Vec<Vec<Value>> {
        let seen = self.seen.lock().unwrap();
        seen.bodies.iter().map(|body| body["messages"].as_array().unwrap().clone()).collect()
    }
}

type Shared = (Arc<Vec<Rule>>, Arc<Mutex<Seen>>);

async fn answer(State((rules, seen)): State<Shared>, body: Bytes) -> Response<Body> {
    let body: Value = serde_json::from_slice(&body).unwrap();
    let pace = seen.lock().unwrap().pace;
    tokio::time::sleep(pace).await;
    let mut seen = seen.lock().unwrap();
    let refusal = rules.iter().find_map(|rule| refused(*rule, &body, &seen));
    if let Some((status, refusal)) = refusal {
        seen.refused.push(refusal.to_string());
        let response =
            Response::builder().status(status).header("content-type", "application/json");
        return response.body(Body::from(refusal.to_string())).unwrap();
    }
    let chunks = speech(&rules, &body, &mut seen);
    seen.bodies.push(body);
    let stream: String = chunks
        .iter()
        .flat_map(|chunk| ["data: ".to_owned(), chunk.to_string(), "\n\n".to_owned()])
        .collect();
    let response = Response::builder().header("content-type", "text/event-stream");
    response.body(Body::from(format!("{stream}data: [DONE]\n\n"))).unwrap()
}

fn limit(body: &Value) -> u64 {
    body["max_completion_tokens"].as_u64().or_else(|| body["max_tokens"].as_u64()).unwrap()
}

#[expect(clippy::unnecessary_wraps, reason = "as rules answer")]
fn openai(param: &str, message: &str) -> Option<(u16, Value)> {
    Some((
        400,
        json!({ "error": { "message": message, "type": "invalid_request_error", "param": param, "code": null } }),
    ))
}

#[expect(clippy::unnecessary_wraps, reason = "as rules answer")]
fn said(status: u16, message: &str) -> Option<(u16, Value)> {
    Some((
        status,
        json!({ "object": "error", "message": message, "type": "BadRequestError", "param": null, "code": status }),
    ))
}

fn refused(rule: Rule, body: &Value, seen: &Seen) -> Option<(u16, Value)> {
    let messages = body["messages"].as_array().unwrap();
    match rule {
        Rule::Reasons if body.get("max_tokens").is_some() => openai(
            "max_tokens",
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        ),
        Rule::Reasons if body.get("temperature").is_some() => openai(
            "temperature",
            "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.",
        ),
        Rule::EffortNone if body["reasoning_effort"] != "none" => openai(
            "reasoning_effort",
            "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
        ),
        Rule::NoTemperature if body.get("temperature").is_some() => {
            openai("", "`temperature` is deprecated for this model.")
        }
        Rule::AtMost(most) if limit(body) > most => openai(
            "max_tokens",
            &format!(
                "max_tokens is too large: {}. This model supports at most {most} completion tokens.",
                limit(body)
            ),
        ),
        Rule::KnownMembers if body.get("stream_options").is_some() => Some((
            422,
            json!({ "detail": [{ "type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted" }] }),
        )),
        Rule::Signature
        | Rule::Details
        | Rule::Thoughts
        | Rule::ThoughtsInTurn
        | Rule::NoThoughts => thoughts(rule, messages, seen),
        Rule::NoUserAfterTool | Rule::Apart | Rule::Gemma(_) | Rule::Ministral | Rule::NoSystem => {
            order(rule, messages)
        }
        _ => None,
    }
}

/// What must come back, or must not.
fn thoughts(rule: Rule, messages: &[Value], seen: &Seen) -> Option<(u16, Value)> {
    let turn = messages.iter().rposition(|message| message["role"] == "user").unwrap();
    for (at, message) in messages.iter().enumerate() {
        let call = message["tool_calls"][0]["function"]["arguments"].as_str();
        let (Some(call), true) = (call, message["role"] == "assistant") else {
            if rule == Rule::NoThoughts && message.get("reasoning_content").is_some() {
                return said(
                    400,
                    "The reasoning_content is an intermediate result for display. Please remove the reasoning_content from your message.",
                );
            }
            continue;
        };
        let given = match rule {
            Rule::Signature => {
                &message["tool_calls"][0]["extra_content"]["google"]["thought_signature"]
            }
            Rule::Details => &message["reasoning_details"][0]["data"],
            _ => &message["reasoning_content"],
        };
        let is_late = rule == Rule::Thoughts || at > turn;
        match rule {
            Rule::NoThoughts if !given.is_null() => {
                return said(400, "Please remove the reasoning_content from your message.");
            }
            Rule::Signature if is_late && !seen.is_owed(call, given) => {
                return Some((
                    400,
                    json!([{ "error": { "code": 400, "status": "INVALID_ARGUMENT", "message": "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly." } }]),
                ));
            }
            Rule::Details if is_late && !seen.is_owed(call, given) => {
                let raw = json!({ "error": { "code": 400, "message": "Unable to submit request because function call `get_user_option` is missing a thought_signature." } });
                return Some((
                    400,
                    json!({ "error": { "code": 400, "message": "Provider returned error", "metadata": { "raw": raw.to_string(), "provider_name": "Google" } } }),
                ));
            }
            Rule::Thoughts | Rule::ThoughtsInTurn if is_late && !seen.is_owed(call, given) => {
                return openai(
                    "",
                    "The `reasoning_content` in the thinking mode must be passed back to the API.",
                );
            }
            _ => {}
        }
    }
    None
}

fn order(rule: Rule, messages: &[Value]) -> Option<(u16, Value)> {
    let from = |message: &Value| message["role"].as_str().unwrap().to_owned();
    let has_calls = |message: &Value| message.get("tool_calls").is_some();
    match rule {
        Rule::NoUserAfterTool => messages
            .windows(2)
            .any(|two| from(&two[0]) == "tool" && from(&two[1]) == "user")
            .then(|| said(400, "Unexpected role 'user' after role 'tool'"))?,
        Rule::Apart => messages
            .iter()
            .any(|m| has_calls(m) && m["content"].as_str().is_some_and(|words| !words.is_empty()))
            .then(|| {
                said(400, "Assistant message must have either content or tool_calls, but not both.")
            })?,
        Rule::NoSystem => {
            (from(&messages[0]) == "system").then(|| said(400, "System role not supported"))?
        }
        Rule::Gemma(status) => {
            let begin = usize::from(from(&messages[0]) == "system");
            for (n, message) in messages[begin..].iter().enumerate() {
                let is_input = matches!(from(message).as_str(), "user" | "tool");
                if is_input != (n % 2 == 0) {
                    return said(
                        status,
                        "Conversation roles must alternate user/assistant/user/assistant/...",
                    );
                }
                if message["content"].is_null() {
                    return said(status, "Invalid content type");
                }
            }
            None
        }
        Rule::Ministral => {
            let begin = usize::from(from(&messages[0]) == "system");
            let counted = messages[begin..]
                .iter()
                .filter(|m| from(m) == "user" || from(m) == "assistant" && !has_calls(m));
            let wrong =
                counted.enumerate().any(|(n, message)| (from(message) == "user") != (n % 2 == 0));
            wrong.then(|| said(400, "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results."))?
        }
        _ => None,
    }
}

/// The next line as a stream.
fn speech(rules: &[Rule], body: &Value, seen: &mut Seen) -> Vec<Value> {
    let has = |rule: Rule| rules.contains(&rule);
    let n = seen.bodies.len();
    let delta = |delta: Value| json!({ "choices": [{ "index": 0, "delta": delta }] });
    let written = if has(Rule::Reasons) { 6_000 } else { 50 };
    let end = |reason: &str| {
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }],
        "usage": { "prompt_tokens": 1_000, "completion_tokens": written, "total_tokens": 1_000 + written } })
    };
    if has(Rule::Reasons) && limit(body) < 8_000 {
        return vec![delta(json!({ "content": "" })), end("length")];
    }
    let mut chunks = vec![];
    let keeps = [Rule::Thoughts, Rule::ThoughtsInTurn, Rule::NoThoughts].into_iter().any(has);
    if keeps {
        chunks.push(delta(json!({ "reasoning_content": format!("I think {n}, ") })));
        chunks.push(delta(json!({ "reasoning_content": "and so on.", "content": null })));
    }
    let line = seen.speaker.line(n, body);
    if !line.text.is_empty() {
        chunks.push(delta(json!({ "content": line.text })));
    }
    let calls = line.calls.len();
    for (call, (name, arguments)) in line.calls.into_iter().enumerate() {
        let id = if has(Rule::OneId) { format!("call_{n}") } else { format!("call_{n}_{call}") };
        let mut piece = json!({ "index": call, "id": id, "type": "function",
            "function": { "name": name, "arguments": arguments } });
        let owed =
            if keeps { format!("I think {n}, and so on.") } else { format!("signature {n}") };
        if call == 0 && has(Rule::Signature) {
            piece["extra_content"] = json!({ "google": { "thought_signature": owed } });
        }
        if call == 0 && has(Rule::Details) {
            chunks.push(delta(json!({ "reasoning_details": [{ "type": "reasoning.encrypted", "data": owed, "id": id, "index": 0 }] })));
        }
        seen.owed.entry(arguments).or_default().insert(owed);
        chunks.push(delta(json!({ "tool_calls": [piece] })));
    }
    chunks.push(end(if calls > 0 { "tool_calls" } else { "stop" }));
    chunks
}
