//! A streamed answer: server-sent events to deltas, and deltas to words and whole tool calls.
//!
//! Services differ from the original here more than anywhere else, so this reads what it gets:
//!
//! | what some send | how it is read |
//! |---|---|
//! | arguments in pieces, calls interleaved | by `index`, or by `id` where that says more |
//! | `index: 0` for each of several calls (Ollama) | another `id` under a taken index is another call |
//! | no `index` | an `id` or a name begins a call, bare arguments go on with the last one |
//! | no `id`, or the same one twice | a new one is made up |
//! | the whole call at once, `id` and name in every piece | what is there already is not added again |
//! | no `[DONE]`, no blank line at the end | fine once a finish reason has come |
//! | no finish reason | fine once `[DONE]` has come; [`Finish::Unknown`] |
//! | an empty finish reason in every piece (SGLang) | there is none yet |
//! | one id under several indexes | a name under a new index begins another call |
//! | thoughts between tags at the beginning of the words | they are left out, see [`Thoughts`] |
//! | usage in its own last piece, in every piece, or never | the last one counts |
//! | an error in the middle of the stream | fails as the same error would have as a status |

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{failure, opaque, thoughts::Thoughts};
use crate::{
    base::ids::{CallId, Ids},
    model::{
        opaque::{Opaque, OpaqueCall},
        usage::Usage,
    },
    ports::llm::{
        chat::{Completion, Finish, ToolCall},
        error::{Error, Fault},
        sse::{Decoder, Event, TooLong},
    },
};

/// Longest event of a stream, in bytes: the largest single piece that a service may send.
pub(super) const EVENT_MAX: usize = 1024 * 1024;

/// Most calls in one answer.
const CALLS_MAX: usize = 64;

/// Longest id that is kept, in bytes; a longer one is replaced.
const ID_MAX: usize = 256;

/// Reads one streamed answer. Total: any bytes in any pieces give an answer or an error, and the same ones however
/// they are cut.
#[derive(Debug)]
pub struct Reader {
    decoder: Decoder,
    answer: Assembly,
}

impl Default for Reader {
    fn default() -> Self {
        Self { decoder: Decoder::new(EVENT_MAX), answer: Assembly::default() }
    }
}

impl Reader {
    /// Takes the next bytes; `on_text` gets the words that they hold.
    pub fn push(&mut self, bytes: &[u8], on_text: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let answer = &mut self.answer;
        self.decoder.push(bytes, &mut |event| answer.event(event, on_text))
    }

    /// Whether `[DONE]` has come: nothing that follows matters.
    pub const fn is_done(&self) -> bool {
        self.answer.done
    }

    /// Whether the answer is whole: only its cost, or `[DONE]`, may follow.
    pub const fn is_whole(&self) -> bool {
        self.answer.done || self.answer.finish.is_some()
    }

    /// The stream is over.
    pub fn finish(
        mut self,
        ids: &dyn Ids,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, Error> {
        let answer = &mut self.answer;
        match self.decoder.finish(&mut |event| answer.event(event, on_text)) {
            // Half an event: the end of the stream cut it off.
            Ok(()) | Err(Error::BadAnswer(Fault::Json)) => {
                self.answer.let_go(on_text);
                self.answer.whole(ids)
            }
            Err(error) => Err(error),
        }
    }
}

impl From<TooLong> for Error {
    fn from(_: TooLong) -> Self {
        Self::BadAnswer(Fault::Size)
    }
}

/// One piece of a stream, or a whole answer: the two differ in one name.
#[derive(Debug, Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    /// Read apart: a service's odd numbers are no reason to lose its answer.
    #[serde(default)]
    usage: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    message: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<CallDelta>>,
    /// What only the provider understands.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// Words, or parts of which some are words (others are thoughts, which nobody is shown).
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Content {
    Words(String),
    Parts(Vec<ContentPart>),
}

#[derive(Debug, Deserialize)]
struct ContentPart {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    text: Option<String>,
}

#[derive(Debug, Deserialize)]
struct CallDelta {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<FunctionDelta>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
struct FunctionDelta {
    #[serde(default)]
    name: Option<String>,
    /// Text; an object where a service forgot to write it as text.
    #[serde(default)]
    arguments: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Told {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
    #[serde(default)]
    prompt_tokens_details: Option<Cached>,
    #[serde(default)]
    cost: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct Cached {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl From<Told> for Usage {
    fn from(told: Told) -> Self {
        Self {
            input: told.prompt_tokens.unwrap_or_default(),
            output: told.completion_tokens.unwrap_or_default(),
            cached: told.prompt_tokens_details.and_then(|d| d.cached_tokens).unwrap_or_default(),
            cost_micros: told.cost.and_then(micros),
            ..Self::default()
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
fn micros(cost: f64) -> Option<u64> {
    let micros = (cost * 1e6).round();
    (micros.is_finite() && (0.0..1e15).contains(&micros)).then_some(micros as u64)
}

/// An answer that does not come in a stream.
pub fn whole(bytes: &[u8], ids: &dyn Ids) -> Result<Completion, Error> {
    let mut answer = Assembly::default();
    answer.chunk(bytes, &mut |_| {})?;
    if !answer.begun {
        return Err(Error::BadAnswer(Fault::Shape));
    }
    // All of it is here, whether it says so or not.
    answer.done = true;
    answer.let_go(&mut |_| {});
    answer.whole(ids)
}

/// What has come of an answer so far.
#[derive(Debug, Default)]
struct Assembly {
    text: String,
    thoughts: Thoughts,
    refusal: String,
    opaque: Map<String, Value>,
    calls: Vec<Open>,
    /// By index: the call that was last begun under it.
    by_index: Vec<(u64, usize)>,
    finish: Option<Finish>,
    usage: Usage,
    /// A choice has come.
    begun: bool,
    done: bool,
}

/// A call that may not be whole yet.
#[derive(Debug, Default)]
struct Open {
    /// The index under which it was begun.
    index: Option<u64>,
    id: Option<String>,
    opaque: Map<String, Value>,
    name: String,
    raw: String,
}

impl Assembly {
    fn event(&mut self, event: Event<'_>, on_text: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let data = event.data.trim();
        if self.done || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        if event.name == "error" {
            let error: Value = serde_json::from_str(data).unwrap_or_else(|_| data.into());
            return Err(failure::in_answer(error.get("error").unwrap_or(&error)));
        }
        self.chunk(data.as_bytes(), on_text)
    }

    fn chunk(&mut self, data: &[u8], on_text: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let chunk: Chunk = serde_json::from_slice(data).map_err(|error| {
            let form = error.is_data();
            Error::BadAnswer(if form { Fault::Shape } else { Fault::Json })
        })?;
        if let Some(error) = chunk.error {
            return Err(failure::in_answer(&error));
        }
        let usage = chunk.usage.and_then(|usage| serde_json::from_value::<Told>(usage).ok());
        self.usage = usage.map_or(self.usage, Usage::from);
        for choice in chunk.choices.unwrap_or_default() {
            // We ask for one answer; a second one is nobody's.
            if choice.index.unwrap_or_default() == 0 {
                self.begun = true;
                self.delta(choice.delta.or(choice.message).unwrap_or_default(), on_text)?;
                if let Some(reason) = choice.finish_reason.filter(|r| !r.trim().is_empty()) {
                    self.finish = Some(finish(&reason)?);
                }
            }
        }
        Ok(())
    }

    fn delta(&mut self, delta: Delta, on_text: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let words = match delta.content {
            None => String::new(),
            Some(Content::Words(words)) => words,
            Some(Content::Parts(parts)) => parts
                .into_iter()
                .filter(|part| part.kind.as_deref() == Some("text"))
                .filter_map(|part| part.text)
                .collect(),
        };
        let words = self.thoughts.without(words);
        self.say(&words, on_text);
        self.refusal.push_str(&delta.refusal.unwrap_or_default());
        opaque::merge(&mut self.opaque, delta.rest);
        delta.tool_calls.unwrap_or_default().into_iter().try_for_each(|call| self.call(call))
    }

    fn say(&mut self, words: &str, on_text: &mut dyn FnMut(&str)) {
        if !words.is_empty() {
            on_text(words);
            self.text.push_str(words);
        }
    }

    /// No words follow: says those that were held.
    fn let_go(&mut self, on_text: &mut dyn FnMut(&str)) {
        let held = self.thoughts.let_go();
        self.say(&held, on_text);
    }

    fn call(&mut self, delta: CallDelta) -> Result<(), Error> {
        let id = delta.id.filter(|id| !id.is_empty());
        let function = delta.function.unwrap_or_default();
        let name = function.name.unwrap_or_default();
        let piece = match function.arguments {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(piece)) => piece,
            Some(
                object @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)),
            ) => object.to_string(),
        };
        if !name.is_empty() && !piece.is_empty() && self.has(delta.index, id.as_deref(), &piece) {
            return Ok(());
        }
        let at = match self.goes_on(delta.index, id.as_deref(), &name, &piece) {
            Some(at) => at,
            None if self.calls.len() == CALLS_MAX => return Err(Error::BadAnswer(Fault::Size)),
            None => {
                self.calls.push(Open { index: delta.index, ..Open::default() });
                self.calls.len() - 1
            }
        };
        if let Some(index) = delta.index {
            self.by_index.retain(|(taken, _)| *taken != index);
            self.by_index.push((index, at));
        }
        let call = &mut self.calls[at];
        call.id = call.id.take().or(id);
        // Some send the whole name with every piece.
        if call.name != name {
            call.name.push_str(&name);
        }
        call.raw.push_str(&piece);
        let mut rest = delta.rest;
        rest.remove("type");
        opaque::merge(&mut call.opaque, rest);
        Ok(())
    }

    /// Whether this whole call came before: some say everything once more at the end.
    fn has(&self, index: Option<u64>, id: Option<&str>, piece: &str) -> bool {
        let is_it = |call: &Open| {
            call.id.as_deref() == id
                && call.raw == piece
                && call.is_whole()
                && (index.is_none() || call.index.is_none() || call.index == index)
        };
        id.is_some() && self.calls.iter().any(is_it)
    }

    /// The call that a piece belongs to; `None` if it begins one.
    fn goes_on(
        &self,
        index: Option<u64>,
        id: Option<&str>,
        name: &str,
        piece: &str,
    ) -> Option<usize> {
        // A name under an index of its own begins a call, even where its id was given before.
        let begins = |call: &Open| {
            !name.is_empty()
                && index.is_some()
                && call.index.is_some()
                && call.index != index
                && self.by_index.iter().all(|(taken, _)| Some(*taken) != index)
        };
        let named = |call: &Open| call.id.is_some() && call.id.as_deref() == id;
        if let Some(at) = self.calls.iter().position(|call| named(call) && !begins(call)) {
            let finished = !name.is_empty() && !piece.is_empty() && self.calls[at].is_whole();
            return (!finished).then_some(at);
        }
        let at = match index {
            Some(index) => self.by_index.iter().find(|(taken, _)| *taken == index)?.1,
            None if id.is_some() || !name.is_empty() => return None,
            None => self.calls.len().checked_sub(1)?,
        };
        let call = &self.calls[at];
        let another = id.is_some() && call.id.is_some();
        let again = !name.is_empty() && !piece.is_empty() && call.is_whole();
        (!another && !again).then_some(at)
    }

    fn whole(self, ids: &dyn Ids) -> Result<Completion, Error> {
        let finish = match self.finish {
            Some(finish) => finish,
            None if self.done && self.begun => Finish::Unknown,
            None => return Err(Error::Cut),
        };
        let mut calls: Vec<ToolCall> = Vec::with_capacity(self.calls.len());
        let mut kept = Opaque { message: self.opaque, ..Opaque::default() };
        for call in self.calls {
            let id = call.id.clone().filter(|id| calls.iter().all(|c| c.id.as_str() != id));
            kept.calls.push(OpaqueCall { id, members: call.opaque });
            let known = call.id.map(CallId::new).filter(|id| {
                id.as_str().len() <= ID_MAX && calls.iter().all(|other| other.id != *id)
            });
            let id = known.unwrap_or_else(|| CallId::new(format!("call_{}", ids.fresh().simple())));
            calls.push(ToolCall { id, name: call.name, raw: call.raw });
        }
        // Some say `stop` after calls.
        let finish = match finish {
            Finish::Stop | Finish::Unknown if !calls.is_empty() => Finish::ToolCalls,
            other => other,
        };
        Ok(Completion {
            text: self.thoughts.without_unopened(self.text),
            refusal: (!self.refusal.is_empty()).then_some(self.refusal),
            calls,
            opaque: (!kept.is_empty()).then(|| Box::new(kept)),
            finish,
            usage: self.usage,
            request_id: None,
        })
    }
}

impl Open {
    /// Whether the arguments are one whole object, so that more of them can only be another call's.
    fn is_whole(&self) -> bool {
        self.raw.ends_with('}') && serde_json::from_str::<serde::de::IgnoredAny>(&self.raw).is_ok()
    }
}

fn finish(reason: &str) -> Result<Finish, Error> {
    Ok(match reason {
        "stop" | "eos" | "end_turn" => Finish::Stop,
        "tool_calls" | "function_call" => Finish::ToolCalls,
        "length" | "max_tokens" => Finish::Length,
        "content_filter" => Finish::Filtered,
        "error" => return Err(failure::in_answer(&Value::Null)),
        _ => Finish::Unknown,
    })
}
