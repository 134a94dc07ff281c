//! An answer in the form of Messages: blocks, in a stream or at once.

use serde_json::{Value, json};

use crate::{
    base::ids::{CallId, Ids},
    model::{
        opaque::{Opaque, OpaqueCall},
        usage::Usage,
    },
    ports::llm::{
        chat::{Completion, Finish, ToolCall},
        error::{Error, Fault},
        openai::failure,
        sse::Event,
    },
};

/// Most blocks of one answer.
const BLOCKS_MAX: usize = 256;

/// What has come of an answer.
#[derive(Debug, Default)]
pub(in crate::ports::llm) struct Blocks {
    received: Vec<(u64, Value)>,
    /// Arguments of calls as they come, by the index of the block.
    inputs: Vec<(u64, String)>,
    text: String,
    finish: Option<Finish>,
    usage: Usage,
    done: bool,
}

impl Blocks {
    pub(in crate::ports::llm) const fn is_done(&self) -> bool {
        self.done
    }

    pub(in crate::ports::llm) const fn is_whole(&self) -> bool {
        self.done || self.finish.is_some()
    }

    /// Takes an event.
    pub(in crate::ports::llm) fn event(
        &mut self,
        event: Event<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        let data = event.data.trim();
        if self.done || data.is_empty() {
            return Ok(());
        }
        let event: Value = serde_json::from_str(data).map_err(|_| Error::BadAnswer(Fault::Json))?;
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => self.count(&event["message"]["usage"]),
            "content_block_start" => self.begin(&event, on_text)?,
            "content_block_delta" => self.delta(&event, on_text),
            "message_delta" => {
                self.count(&event["usage"]);
                if let Some(reason) = event["delta"]["stop_reason"].as_str() {
                    self.finish = Some(finish(reason));
                }
            }
            "message_stop" => self.done = true,
            "error" => return Err(failure::in_answer(&event["error"])),
            // Pings, ends of blocks, and what is new by then.
            _ => {}
        }
        Ok(())
    }

    /// Takes an answer that comes at once.
    pub(in crate::ports::llm) fn all(
        &mut self,
        bytes: &[u8],
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        let answer: Value =
            serde_json::from_slice(bytes).map_err(|_| Error::BadAnswer(Fault::Json))?;
        if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
            return Err(failure::in_answer(error));
        }
        let Some(blocks) = answer["content"].as_array() else {
            return Err(Error::BadAnswer(Fault::Shape));
        };
        for (index, block) in blocks.iter().enumerate() {
            self.begin(&json!({ "index": index, "content_block": block }), on_text)?;
        }
        self.count(&answer["usage"]);
        self.finish = answer["stop_reason"].as_str().map(finish);
        self.done = true;
        Ok(())
    }

    fn count(&mut self, usage: &Value) {
        let of = |name: &str| usage[name].as_u64();
        let cached = of("cache_read_input_tokens");
        if let Some(input) = of("input_tokens") {
            let written = of("cache_creation_input_tokens").unwrap_or_default();
            self.usage.input = input + written + cached.unwrap_or_default();
            self.usage.cached = cached.unwrap_or_default();
        }
        self.usage.output = of("output_tokens").unwrap_or(self.usage.output);
    }

    fn begin(&mut self, event: &Value, on_text: &mut dyn FnMut(&str)) -> Result<(), Error> {
        if self.received.len() == BLOCKS_MAX {
            return Err(Error::BadAnswer(Fault::Size));
        }
        let (index, block) = (event["index"].as_u64().unwrap_or_default(), &event["content_block"]);
        if let (Some("text"), Some(words)) = (block["type"].as_str(), block["text"].as_str()) {
            self.push_text(words, on_text);
        }
        self.received.push((index, block.clone()));
        Ok(())
    }

    fn push_text(&mut self, words: &str, on_text: &mut dyn FnMut(&str)) {
        if !words.is_empty() {
            on_text(words);
            self.text.push_str(words);
        }
    }

    fn delta(&mut self, event: &Value, on_text: &mut dyn FnMut(&str)) {
        let (index, delta) = (event["index"].as_u64().unwrap_or_default(), &event["delta"]);
        let (member, is_text) = match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => ("text", true),
            "thinking_delta" => ("thinking", false),
            "signature_delta" => ("signature", false),
            "input_json_delta" => {
                let piece = delta["partial_json"].as_str().unwrap_or_default();
                match self.inputs.iter_mut().find(|(of, _)| *of == index) {
                    Some((_, input)) => input.push_str(piece),
                    None => self.inputs.push((index, piece.to_owned())),
                }
                return;
            }
            _ => return,
        };
        let piece = delta[member].as_str().unwrap_or_default();
        if let Some((_, block)) = self.received.iter_mut().rev().find(|(of, _)| *of == index) {
            let before = block[member].as_str().unwrap_or_default();
            block[member] = json!(format!("{before}{piece}"));
        }
        if is_text {
            self.push_text(piece, on_text);
        }
    }

    /// The answer.
    pub(in crate::ports::llm) fn whole(
        self,
        ids: &dyn Ids,
        bound: &str,
    ) -> Result<Completion, Error> {
        let Self { received: blocks, inputs, text, finish, usage, done } = self;
        let finish = match finish {
            Some(finish) => finish,
            None if done => Finish::Unknown,
            None => return Err(Error::Cut),
        };
        let mut opaque = Opaque { bound: Some(bound.to_owned()), ..Opaque::default() };
        let (mut calls, mut thinks): (Vec<ToolCall>, bool) = (Vec::new(), false);
        for (index, mut block) in blocks {
            match block["type"].as_str().unwrap_or_default() {
                "text" if block["text"].as_str().is_none_or(|text| text.trim().is_empty()) => {
                    continue;
                }
                "text" => {}
                "tool_use" => {
                    let piece =
                        inputs.iter().find(|(of, _)| *of == index).map(|(_, raw)| raw.clone());
                    let raw = piece
                        .filter(|raw| !raw.is_empty())
                        .unwrap_or_else(|| block["input"].to_string());
                    block["input"] = serde_json::from_str(&raw).unwrap_or_else(|_| json!({}));
                    let id = block["id"].as_str().map(str::to_owned);
                    let ours =
                        id.clone().unwrap_or_else(|| format!("call_{}", ids.fresh().simple()));
                    let name = block["name"].as_str().unwrap_or_default().to_owned();
                    calls.push(ToolCall { id: CallId::new(ours), name, raw });
                    opaque.calls.push(OpaqueCall { id, ..OpaqueCall::default() });
                }
                _ => thinks = true,
            }
            opaque.parts.push(block);
        }
        let refusal = (finish == Finish::Filtered && text.is_empty())
            .then(|| "the model declined to answer".to_owned());
        let opaque = (thinks && finish != Finish::Length).then(|| Box::new(opaque));
        Ok(Completion { text, refusal, calls, opaque, finish, usage, request_id: None })
    }
}

fn finish(reason: &str) -> Finish {
    match reason {
        "end_turn" | "stop_sequence" => Finish::Stop,
        "tool_use" => Finish::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "refusal" => Finish::Filtered,
        _ => Finish::Unknown,
    }
}
