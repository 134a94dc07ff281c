//! What was sent, as the interviewer reads it: the same from each wire format, and however its provider wants messages
//! arranged.

use anteroom::{
    base::ids::CallId,
    ports::llm::{
        Message, Request,
        chat::{ToolCall, ToolSpec},
    },
};
use serde_json::{Value, json};

/// A request as it came over the wire.
pub(super) fn read(body: &Value) -> Request {
    let mut request = Request::default();
    let all = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut said = Said(&mut request.messages);
    said.system(&text(&body["system"]));
    for message in all(&body["messages"]).iter().chain(&all(&body["input"])) {
        match message["role"].as_str().or_else(|| message["type"].as_str()).unwrap() {
            "system" | "developer" => said.system(&text(&message["content"])),
            "assistant" => said.assistant(message),
            "user" => said.user(&message["content"]),
            "tool" => said.result(&message["tool_call_id"], &message["content"]),
            "function_call" => {
                said.call(&message["call_id"], &message["name"], message["arguments"].as_str());
            }
            "function_call_output" => said.result(&message["call_id"], &message["output"]),
            _ => {}
        }
    }
    let tool = |tool: &Value| ToolSpec {
        name: tool["function"]["name"]
            .as_str()
            .or_else(|| tool["name"].as_str())
            .unwrap()
            .to_owned(),
        description: String::new(),
        parameters: Value::Null,
        strict: false,
    };
    request.tools = all(&body["tools"]).iter().map(tool).collect();
    request
}

/// The words of a content, which is a text or a list of parts.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n\n")
        }
        _ => String::new(),
    }
}

/// The messages so far.
struct Said<'a>(&'a mut Vec<Message>);

impl Said<'_> {
    fn system(&mut self, text: &str) {
        if !text.is_empty() {
            self.0.push(Message::System(text.to_owned()));
        }
    }

    fn assistant(&mut self, message: &Value) {
        self.0.push(Message::assistant(text(&message["content"]), Vec::new()));
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let function = &call["function"];
            self.call(&call["id"], &function["name"], function["arguments"].as_str());
        }
        for block in message["content"].as_array().into_iter().flatten() {
            if block["type"] == "tool_use" {
                self.call(&block["id"], &block["name"], Some(&block["input"].to_string()));
            }
        }
    }

    /// A call belongs to what the assistant said last.
    fn call(&mut self, id: &Value, name: &Value, raw: Option<&str>) {
        if !matches!(self.0.last(), Some(Message::Assistant { .. })) {
            self.0.push(Message::assistant("", Vec::new()));
        }
        let Some(Message::Assistant { calls, .. }) = self.0.last_mut() else { unreachable!() };
        let id = CallId::new(id.as_str().unwrap());
        let name = name.as_str().unwrap().to_owned();
        calls.push(ToolCall { id, name, raw: raw.unwrap().to_owned() });
    }

    fn user(&mut self, content: &Value) {
        for block in content.as_array().into_iter().flatten() {
            if block["type"] == "tool_result" {
                self.result(&block["tool_use_id"], &block["content"]);
            }
        }
        self.note_text(&text(content));
    }

    /// The result of a call; words that may not follow it stand behind it.
    fn result(&mut self, id: &Value, content: &Value) {
        let content = text(content);
        let content = match content.split_once("\n\n{") {
            Some((said, rest)) if said.starts_with("(You said") => format!("{{{rest}"),
            _ => content,
        };
        let mut values = serde_json::Deserializer::from_str(&content).into_iter::<Value>();
        let result = values.next().and_then(Result::ok).unwrap_or_else(|| json!(content));
        let rest = &content[values.byte_offset()..];
        let call = CallId::new(id.as_str().unwrap());
        self.0.push(Message::Tool { call, content: result.to_string() });
        self.note_text(rest);
    }

    /// Notes and words, each for itself where several were sent as one.
    fn note_text(&mut self, text: &str) {
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let next = ["\n\n<note>", "\n\n<participant>"].map(|mark| rest.find(mark));
            let end = next.into_iter().flatten().min().unwrap_or(rest.len());
            let (piece, more) = rest.split_at(end);
            if piece.starts_with('<') {
                self.0.push(Message::user(piece));
            } else {
                self.system(piece);
            }
            rest = more.trim_start();
        }
    }
}
