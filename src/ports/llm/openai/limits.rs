//! What a service lists of its model's limits: services have a list of models in common, but no names for what it says.

use reqwest::{StatusCode, header};
use serde_json::Value;
use tokio::time::timeout_at;

use super::{Client, Reply, Times, unsent};
use crate::ports::llm::error::Error;

/// Names of how many tokens a model reads, in the order in which they are believed.
const CONTEXT: [&str; 10] = [
    "/max_model_len",
    "/context_length",
    "/context_window",
    "/max_context_length",
    "/max_input_tokens",
    "/inputTokenLimit",
    "/meta/n_ctx",
    "/meta/n_ctx_train",
    "/top_provider/context_length",
    "/limits/max_input_tokens",
];

/// Names of how many tokens it writes at most.
const OUTPUT: [&str; 6] = [
    "/top_provider/max_completion_tokens",
    "/max_completion_tokens",
    "/max_output_tokens",
    "/max_tokens",
    "/outputTokenLimit",
    "/limits/max_output_tokens",
];

/// Longest list of models that is read, in bytes.
const LIST_MAX: usize = 8 * 1024 * 1024;

/// Tokens that a model reads and writes at most, as far as its service says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Reads, what it writes included where that is so.
    pub context: Option<u64>,
    /// Writes in one answer.
    pub output: Option<u64>,
}

impl Client {
    /// The limits that the service lists for the model; nothing where it keeps no list, or says nothing in it.
    pub async fn limits(&self) -> Result<Limits, Error> {
        let request = self.http.get(self.url("models")).headers(self.headers.clone());
        let request = request.header(header::ACCEPT, "application/json");
        let times = Times::starting(&self.service);
        let (deadline, stage) = times.first();
        let sent = timeout_at(deadline, request.send()).await;
        let response = sent.map_err(|_elapsed| Error::Timeout(stage))?.map_err(|e| unsent(&e))?;
        if response.status() != StatusCode::OK {
            return Ok(Limits::default());
        }
        let mut reply = Reply { response, request_id: None, times, left: LIST_MAX, begun: false };
        let list = serde_json::from_slice(&reply.all().await?).unwrap_or(Value::Null);
        Ok(limits(&list, &self.service.model))
    }
}

/// What a list of models says of one of them.
fn limits(list: &Value, model: &str) -> Limits {
    let models = list["data"].as_array().or_else(|| list["models"].as_array());
    let is_it = |entry: &&Value| {
        let names = [&entry["id"], &entry["name"], &entry["model"]];
        names.iter().filter_map(|name| name.as_str()).any(|name| {
            name == model || name.strip_prefix("models/").is_some_and(|name| name == model)
        })
    };
    let Some(entry) = models.into_iter().flatten().find(is_it) else { return Limits::default() };
    let of = |names: &[&str]| names.iter().find_map(|name| entry.pointer(name)?.as_u64());
    Limits { context: of(&CONTEXT), output: of(&OUTPUT) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn limits_are_found_under_the_names_that_services_give_them() {
        let of = |entry: Value| {
            let Limits { context, output } =
                limits(&json!({ "data": [{ "id": "n" }, entry] }), "m");
            (context, output)
        };
        assert_eq!(of(json!({ "id": "m", "max_model_len": 8192 })), (Some(8192), None));
        let routed = json!({ "id": "m", "context_length": 200_000,
            "top_provider": { "context_length": 200_000, "max_completion_tokens": 64_000 } });
        assert_eq!(of(routed), (Some(200_000), Some(64_000)));
        let native = json!({ "id": "m", "max_input_tokens": 1_000_000, "max_tokens": 128_000 });
        assert_eq!(of(native), (Some(1_000_000), Some(128_000)));
        let local = json!({ "id": "m", "meta": { "n_ctx_train": 131_072 } });
        assert_eq!(of(local), (Some(131_072), None));
        assert_eq!(of(json!({ "id": "m" })), (None, None));
        assert_eq!(of(json!({ "id": "other", "max_model_len": 1 })), (None, None));
        let named = json!({ "models": [{ "name": "models/m", "inputTokenLimit": 9, "outputTokenLimit": 3 }] });
        assert_eq!(limits(&named, "m"), Limits { context: Some(9), output: Some(3) });
    }
}
