//! What a failed answer means: status, code and type decide. The provider's sentence is kept for the operator, and the
//! client takes out of it what people wrote.

use std::time::Duration;

use serde_json::Value;

use crate::ports::llm::{
    error::{Error, Raw, Said, Told},
    error_message,
    quirks::Quirk,
};

/// Longest code that is kept, in bytes.
const CODE_MAX: usize = 64;

/// Phrases by which services say that the conversation is too long where they have no code for it (vLLM, LM Studio,
/// Ollama and gateways before others).
const TOO_LONG: [&str; 11] = [
    "context length",
    "context limit",
    "exceed context",
    "context window",
    "context size",
    "context overflow",
    "context the overflow",
    "too many tokens",
    "prompt is too long",
    "input is too long",
    "maximum number of tokens",
];

/// A failure that an HTTP status tells of.
pub(super) fn of_status(
    status: u16,
    body: &[u8],
    retry_after: Option<Duration>,
    request_id: Option<String>,
) -> Error {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    // Some wrap it in a list, some leave the wrapping out.
    let body = body.get(0).unwrap_or(&body);
    let error = body.get("error").unwrap_or(body);
    meaning(Some(status), error, retry_after, request_id)
}

/// A failure that an answer holds although its status was good. The same as if it had been a status.
pub(in crate::ports::llm) fn in_answer(error: &Value) -> Error {
    let code = error.get("code").and_then(Value::as_u64);
    let status = code.or_else(|| error.get("status").and_then(Value::as_u64));
    let status = status.and_then(|code| u16::try_from(code).ok());
    meaning(status.filter(|status| (400..600).contains(status)), error, None, None)
}

fn meaning(
    status: Option<u16>,
    error: &Value,
    retry_after: Option<Duration>,
    request_id: Option<String>,
) -> Error {
    let code = word(error.get("code"));
    let kind = word(error.get("type")).or_else(|| word(error.get("status")));
    let said = error_message::of(error);
    let message = said.to_ascii_lowercase();
    let param = error_message::param(error);
    let quirk = Quirk::of(status, param.as_deref(), &message);
    let is = |wanted: &[&str]| {
        [&code, &kind].into_iter().flatten().any(|said| wanted.contains(&said.as_str()))
    };
    let code_told = code.clone().or_else(|| kind.clone());
    let said = Said { param, raw: Raw(said), ..Said::default() };
    let said = Some(said).filter(|said| *said != Said::default()).map(Box::new);
    let told = Told { status, code: code_told, said, quirk, request_id };
    // Without a status the request was taken, so it was no mistake of ours.
    let status = status.unwrap_or(500);
    let too_long = TOO_LONG.iter().any(|phrase| message.contains(phrase));
    let too_long = too_long && !matches!(told.quirk, Some(Quirk::AtMost(_)));
    if is(&["context_length_exceeded", "exceed_context_size_error", "string_above_max_length"])
        || (too_long && !matches!(status, 401 | 403 | 429))
    {
        return Error::Overflow(told);
    }
    if is(&["insufficient_quota", "billing_hard_limit_reached", "billing_not_active"]) {
        return Error::Exhausted(told);
    }
    if is(&[
        "content_filter",
        "content_policy_violation",
        "moderation_blocked",
        "ResponsibleAIPolicyViolation",
    ]) || (status == 403 && error.pointer("/metadata/flagged_input").is_some())
    {
        return Error::Refused(told);
    }
    if is(&["rate_limit_exceeded", "rate_limit_error"]) {
        return Error::RateLimited { told, retry_after };
    }
    // What can be learnt from will not pass by itself, whatever the status says.
    if told.quirk.is_some() {
        return Error::Misconfigured(told);
    }
    match status {
        402 => Error::Exhausted(told),
        413 => Error::Overflow(told),
        429 => Error::RateLimited { told, retry_after },
        408 | 409 | 425 | 500..=599 => Error::Transient { told, retry_after },
        _ => Error::Misconfigured(told),
    }
}

/// A code as one word; prose is dropped, for it may quote the conversation.
fn word(value: Option<&Value>) -> Option<String> {
    let word = value?.as_str()?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let fits = !word.is_empty() && word.len() <= CODE_MAX && word.bytes().all(plain);
    fits.then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use serde_json::json;

    use super::*;

    fn of(status: u16, error: &Value) -> Error {
        of_status(status, json!({ "error": error }).to_string().as_bytes(), None, None)
    }

    #[test]
    fn services_say_the_same_thing_in_many_ways() {
        let cases = [
            (400, json!({ "code": "context_length_exceeded" }), "overflow"),
            (400, json!({ "code": 400, "type": "exceed_context_size_error" }), "overflow"),
            (
                400,
                json!({ "message": "This model's maximum context length is 8192 tokens." }),
                "overflow",
            ),
            (
                400,
                json!({ "message": "'max_tokens' is too large: 2000. This model's maximum context length is 8192 tokens and your request has 7900 input tokens" }),
                "overflow",
            ),
            (
                400,
                json!({ "message": "input length and `max_tokens` exceed context limit: 199000 + 16000 > 200000" }),
                "overflow",
            ),
            (500, json!("Context size has been exceeded."), "overflow"),
            (413, json!(null), "overflow"),
            (429, json!({ "code": "insufficient_quota" }), "exhausted"),
            (402, json!({ "code": 402 }), "exhausted"),
            (429, json!({ "message": "too many tokens per minute" }), "rate_limited"),
            (429, json!(null), "rate_limited"),
            (400, json!({ "code": "content_filter" }), "refused"),
            (403, json!({ "metadata": { "flagged_input": "x" } }), "refused"),
            (403, json!({}), "misconfigured"),
            (401, json!({ "code": "invalid_api_key" }), "misconfigured"),
            (404, json!({ "code": "model_not_found" }), "misconfigured"),
            (422, json!({ "detail": [] }), "misconfigured"),
            (302, json!(null), "misconfigured"),
            (503, json!("loading"), "transient"),
            (529, json!(null), "transient"),
        ];
        for (status, error, word) in cases {
            assert_eq!(of(status, &error).word(), word, "{status} {error}");
        }
        assert_eq!(of_status(502, b"<html>", None, None).word(), "transient");
        assert_eq!(
            in_answer(&json!({ "code": 429, "message": "slow down" })).word(),
            "rate_limited"
        );
        assert_eq!(in_answer(&json!({ "message": "upstream failed" })).word(), "transient");
    }

    #[test]
    fn codes_are_single_words_and_bodies_may_be_lists() {
        let error = of(400, &json!({ "code": "Ada Byron said: no", "type": "bad_request" }));
        assert_eq!(error.told().unwrap().code.as_deref(), Some("bad_request"));
        let body = json!([{ "error": { "code": 400, "status": "INVALID_ARGUMENT",
            "message": "Function call is missing a thought_signature in functionCall parts." } }]);
        let error = of_status(400, body.to_string().as_bytes(), None, None);
        let told = error.told().unwrap();
        assert_eq!(
            told.said.as_ref().unwrap().raw.0,
            "Function call is missing a thought_signature in functionCall parts."
        );
        assert!(!format!("{error} {error:?}").contains("Function"), "{error:?}");
        assert!(told.quirk.is_some());
    }

    #[test]
    fn both_forms_of_retry_after_are_read() {
        let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let seconds =
            |header| crate::base::clock::retry_after(header, now).map(|pause| pause.as_secs_f64());
        assert_eq!(seconds("7"), Some(7.0));
        assert_eq!(seconds(" 0.5 "), Some(0.5));
        assert_eq!(seconds("Tue, 14 Nov 2023 22:13:40 GMT"), Some(20.0));
        assert_eq!(seconds("Tue, 14 Nov 2023 22:13:10 GMT"), Some(0.0));
        assert_eq!(seconds("-1"), None);
        assert_eq!(seconds("soon"), None);
    }
}
