//! A request in the service's form.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use crate::{
    config::llm::{JsonMode, OutputLimit, Service},
    llm::chat::{Blob, Form, Message, Part, Request, ToolCall, ToolChoice, ToolSpec},
};

/// The body of a chat request. Pure: the same request gives the same bytes, so that providers find their caches warm.
pub fn chat(service: &Service, request: &Request) -> Value {
    let dialect = &service.dialect;
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| {
        body.insert(name.to_owned(), value);
    };
    set("model", json!(service.model));
    set("messages", messages(request, dialect.json));
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|spec| tool(spec, dialect.strict));
        set("tools", tools.collect());
        set("tool_choice", choice(&request.choice));
        if !dialect.parallel_calls {
            set("parallel_tool_calls", json!(false));
        }
    }
    if dialect.temperature {
        set("temperature", json!(request.temperature.unwrap_or(service.temperature)));
    }
    let limit = match dialect.output_limit {
        OutputLimit::MaxTokens => "max_tokens",
        OutputLimit::MaxCompletionTokens => "max_completion_tokens",
    };
    set(limit, json!(request.max_tokens.unwrap_or(service.max_tokens)));
    if let Some(format) = format(&request.form, dialect.json) {
        set("response_format", format);
    }
    set("stream", json!(dialect.stream));
    if dialect.stream && dialect.usage_in_stream {
        set("stream_options", json!({ "include_usage": true }));
    }
    Value::Object(body)
}

/// The body of a request for vectors. An empty text is refused by services, so it goes as a space.
pub(super) fn embeddings(service: &Service, texts: &[String]) -> Value {
    let input: Vec<&str> =
        texts.iter().map(|text| if text.is_empty() { " " } else { text }).collect();
    json!({ "model": service.model, "input": input })
}

fn messages(request: &Request, mode: JsonMode) -> Value {
    let mut messages: Vec<Value> = request.messages.iter().map(message).collect();
    let wanted = match (&request.form, mode) {
        (Form::Words, _) | (Form::Json { .. }, JsonMode::Schema) => None,
        (Form::Json { schema, .. }, JsonMode::Object | JsonMode::Words) => Some(format!(
            "Answer with one JSON object and nothing else. It satisfies this JSON Schema: {schema}"
        )),
    };
    if let Some(wanted) = wanted {
        // Templates of some models take instructions in the first message only.
        match request.messages.first() {
            Some(Message::System(text)) => {
                messages[0]["content"] = json!(format!("{text}\n\n{wanted}"));
            }
            Some(_) | None => messages.insert(0, json!({ "role": "system", "content": wanted })),
        }
    }
    Value::Array(messages)
}

fn message(message: &Message) -> Value {
    match message {
        Message::System(text) => json!({ "role": "system", "content": text }),
        // Many servers know words alone as plain text only.
        Message::User(parts) => match parts.as_slice() {
            [Part::Text(text)] => json!({ "role": "user", "content": text }),
            parts => {
                let parts: Vec<Value> = parts.iter().map(part).collect();
                json!({ "role": "user", "content": parts })
            }
        },
        Message::Assistant { text, calls } if calls.is_empty() => {
            json!({ "role": "assistant", "content": text })
        }
        Message::Assistant { text, calls } => {
            let calls: Vec<Value> = calls.iter().map(call).collect();
            let content = (!text.is_empty()).then_some(text);
            json!({ "role": "assistant", "content": content, "tool_calls": calls })
        }
        Message::Tool { call, content } => {
            json!({ "role": "tool", "tool_call_id": call.as_str(), "content": content })
        }
    }
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image { media_type, bytes } => {
            json!({ "type": "image_url", "image_url": { "url": data_url(media_type, bytes) } })
        }
        Part::File { name, media_type, bytes } => {
            let data = data_url(media_type, bytes);
            json!({ "type": "file", "file": { "filename": name, "file_data": data } })
        }
    }
}

fn data_url(media_type: &str, bytes: &Blob) -> String {
    format!("data:{media_type};base64,{}", STANDARD.encode(&bytes.0))
}

fn call(call: &ToolCall) -> Value {
    // Servers that parse arguments would refuse the whole conversation for one broken call.
    let arguments = match call.arguments() {
        Ok(_) if !call.raw.trim().is_empty() => call.raw.as_str(),
        Ok(_) | Err(_) => "{}",
    };
    let function = json!({ "name": call.name, "arguments": arguments });
    json!({ "id": call.id.as_str(), "type": "function", "function": function })
}

fn tool(spec: &ToolSpec, strict: bool) -> Value {
    let mut function = json!({
        "name": spec.name, "description": spec.description, "parameters": spec.parameters,
    });
    if strict && spec.strict {
        function["strict"] = json!(true);
    }
    json!({ "type": "function", "function": function })
}

fn choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::Never => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Named(name) => json!({ "type": "function", "function": { "name": name } }),
    }
}

fn format(form: &Form, mode: JsonMode) -> Option<Value> {
    match (form, mode) {
        (Form::Words, _) | (Form::Json { .. }, JsonMode::Words) => None,
        (Form::Json { .. }, JsonMode::Object) => Some(json!({ "type": "json_object" })),
        (Form::Json { name, schema }, JsonMode::Schema) => Some(json!({
            "type": "json_schema", "json_schema": { "name": name, "schema": schema },
        })),
    }
}
