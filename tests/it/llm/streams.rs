//! Streams as services send them, and cut anywhere.

use anteroom::{
    base::ids::CountingIds,
    ports::llm::{
        Completion, Error,
        openai::stream::{Reader, whole},
    },
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::shown;

fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Result<Completion, Error>, String) {
    let mut text = String::new();
    let mut on_text = |words: &str| text.push_str(words);
    let mut reader = Reader::default();
    let pushed = pieces.into_iter().try_for_each(|piece| reader.push(piece, &mut on_text));
    let result = pushed.and_then(|()| reader.finish(&CountingIds::default(), &mut on_text));
    (result, text)
}

/// A stream of these deltas, with a finish reason and `[DONE]`.
fn stream(deltas: &[Value], finish: &str) -> String {
    let event = |choice: Value| format!("data: {}\n\n", json!({ "choices": [choice] }));
    let mut events: Vec<String> =
        deltas.iter().map(|delta| event(json!({ "index": 0, "delta": delta }))).collect();
    events.push(event(json!({ "index": 0, "delta": {}, "finish_reason": finish })));
    events.push("data: [DONE]\n\n".to_owned());
    events.concat()
}

fn told(stream: &str) -> String {
    match read([stream.as_bytes()]) {
        (Ok(completion), text) => {
            assert_eq!(text, completion.text);
            shown(&completion)
        }
        (Err(error), text) => format!("{text:?} · {error}"),
    }
}

/// Words in several deltas.
fn words(pieces: &[&str]) -> String {
    let deltas: Vec<Value> = pieces.iter().map(|piece| json!({ "content": piece })).collect();
    told(&stream(&deltas, "stop"))
}

/// Calls in one delta or in several.
fn calls(deltas: &[Value]) -> String {
    let deltas: Vec<Value> = deltas.iter().map(|calls| json!({ "tool_calls": calls })).collect();
    told(&stream(&deltas, "tool_calls"))
}

#[test]
fn words_come_in_pieces() {
    let deltas = [
        json!({ "role": "assistant", "content": "" }),
        json!({ "content": "Grüß " }),
        json!({ "content": "Gott" }),
    ];
    insta::assert_snapshot!(told(&stream(&deltas, "stop")), @r#""Grüß Gott" · stop"#);
    insta::assert_snapshot!(told(&stream(&deltas, "length")), @r#""Grüß Gott" · length"#);
    insta::assert_snapshot!(told(&stream(&deltas, "content_filter")), @r#""Grüß Gott" · filtered"#);
    insta::assert_snapshot!(told(&stream(&deltas, "because")), @r#""Grüß Gott" · unknown"#);
    let thoughts = [
        json!({ "reasoning_content": "hm", "content": null }),
        json!({ "content": [{ "type": "thinking", "text": "hm" }, { "type": "text", "text": "Yes" }] }),
    ];
    insta::assert_snapshot!(told(&stream(&thoughts, "stop")), @r#""Yes" · stop"#);
    let refusal = [json!({ "refusal": "I can" }), json!({ "refusal": "not" })];
    insta::assert_snapshot!(told(&stream(&refusal, "stop")), @r#""" · refused: I cannot · stop"#);
}

#[test]
fn thoughts_between_tags_are_not_shown() {
    let answer = "\n<think>\nÄ <b>…</think>\n\nYes, <think> is a tag</think>.";
    let pieces: Vec<String> = answer.chars().map(String::from).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    for pieces in [[answer].as_slice(), &pieces] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(words(pieces), @r#""Yes, <think> is a tag</think>." · stop"#);
        }
    }
    insta::assert_snapshot!(words(&["<think>\n\n</think>", "\n\n", "Yes"]), @r#""Yes" · stop"#);
    insta::assert_snapshot!(words(&["<think>hm"]), @r#""" · stop"#);
    // What only looked like it is there in the end.
    insta::assert_snapshot!(words(&[" <thi"]), @r#"" <thi" · stop"#);
    insta::assert_snapshot!(words(&[" <thi", "s> it is"]), @r#"" <this> it is" · stop"#);
    insta::assert_snapshot!(words(&["Write <think>hm</think>"]), @r#""Write <think>hm</think>" · stop"#);
    // Some templates write the first tag themselves.
    let unopened = stream(&[json!({ "content": "hm</think>\n\nYes" })], "stop");
    assert_eq!(read([unopened.as_bytes()]).0.unwrap().text, "Yes");
}

#[test]
fn calls_come_in_pieces_and_interleaved() {
    insta::assert_snapshot!(calls(&[
        json!([{ "index": 0, "id": "a", "type": "function", "function": { "name": "one", "arguments": "" } }]),
        json!([{ "index": 1, "id": "b", "function": { "name": "two", "arguments": "{\"x\"" } }]),
        json!([{ "index": 0, "function": { "arguments": "{\"y\":" } }, { "index": 1, "function": { "arguments": ":1}" } }]),
        json!([{ "index": 0, "function": { "arguments": "2}" } }]),
    ]), @r#""" · a=one({"y":2}) · b=two({"x":1}) · tool_calls"#);
    // The name in two pieces; the id and the name again with every piece.
    insta::assert_snapshot!(calls(&[
        json!([{ "index": 0, "id": "a", "function": { "name": "get_user" } }]),
        json!([{ "index": 0, "function": { "name": "_option", "arguments": "{}" } }]),
        json!([{ "index": 1, "id": "b", "function": { "name": "two", "arguments": "{\"x\":" } }]),
        json!([{ "index": 1, "id": "b", "function": { "name": "two", "arguments": "1}" } }]),
    ]), @r#""" · a=get_user_option({}) · b=two({"x":1}) · tool_calls"#);
}

#[test]
fn calls_are_told_apart_where_services_do_not() {
    // Ollama: every call under index 0.
    insta::assert_snapshot!(calls(&[
        json!([{ "index": 0, "id": "a", "function": { "name": "one", "arguments": "{\"x\":1}" } }]),
        json!([{ "index": 0, "id": "b", "function": { "name": "one", "arguments": "{\"x\":2}" } }]),
    ]), @r#""" · a=one({"x":1}) · b=one({"x":2}) · tool_calls"#);
    // The same without ids.
    insta::assert_snapshot!(calls(&[
        json!([{ "index": 0, "function": { "name": "one", "arguments": "{}" } }]),
        json!([{ "index": 0, "function": { "name": "one", "arguments": "{\"x\":2}" } }]),
    ]), @r#""" · call_00000000000000000000000000000001=one({}) · call_00000000000000000000000000000002=one({"x":2}) · tool_calls"#);
    // No index, pieces.
    insta::assert_snapshot!(calls(&[
        json!([{ "id": "a", "function": { "name": "one", "arguments": "{\"x\"" } }]),
        json!([{ "function": { "arguments": ":1}" } }]),
        json!([{ "id": "b", "function": { "name": "two", "arguments": "{" } }]),
        json!([{ "id": "b", "function": { "arguments": "}" } }]),
    ]), @r#""" · a=one({"x":1}) · b=two({}) · tool_calls"#);
    // Neither index nor id, all at once, arguments not as text.
    insta::assert_snapshot!(calls(&[
        json!([{ "function": { "name": "one", "arguments": { "x": 1 } } }, { "function": { "name": "two" } }]),
    ]), @r#""" · call_00000000000000000000000000000001=one({"x":1}) · call_00000000000000000000000000000002=two() · tool_calls"#);
    // One id for two calls; everything once more at the end.
    insta::assert_snapshot!(calls(&[
        json!([{ "index": 0, "id": "a", "function": { "name": "one", "arguments": "{}" } }]),
        json!([{ "index": 1, "id": "a", "function": { "name": "one", "arguments": "{\"x\":1}" } }]),
        json!([{ "index": 0, "id": "a", "function": { "name": "one", "arguments": "{}" } }]),
    ]), @r#""" · a=one({}) · call_00000000000000000000000000000001=one({"x":1}) · tool_calls"#);
}

#[test]
fn ends_are_taken_as_they_come() {
    let whole = stream(&[json!({ "content": "Yes" })], "stop");
    let undone = whole.trim_end().trim_end_matches("data: [DONE]");
    assert_eq!(told(undone), told(&whole));
    assert_eq!(told(undone.trim_end()), told(&whole));
    assert_eq!(told(&format!("{undone}data: {{\"usa")), told(&whole));
    assert_eq!(told(&format!("{whole}data: nonsense\n\n")), told(&whole));
    assert_eq!(told(&whole.replace('\n', "\r\n")), told(&whole));
    assert_eq!(told(&format!(": OPENROUTER PROCESSING\n\n{whole}")), told(&whole));
    let unfinished = whole.split("data: ").nth(1).unwrap();
    insta::assert_snapshot!(told(&format!("data: {unfinished}data: [DONE]\n\n")), @r#""Yes" · unknown"#);
    insta::assert_snapshot!(told(&format!("data: {unfinished}")), @r#""Yes" · the model's answer broke off"#);
    insta::assert_snapshot!(told(&format!("data: {unfinished}data: {{\"choi")), @r#""Yes" · the model's answer broke off"#);
    // SGLang says in every piece that it has no reason yet.
    let blank = unfinished.replace("\"index\"", "\"finish_reason\":\"\",\"index\"");
    assert_ne!(blank, unfinished);
    insta::assert_snapshot!(told(&format!("data: {blank}")), @r#""Yes" · the model's answer broke off"#);
    insta::assert_snapshot!(told(""), @r#""" · the model's answer broke off"#);
    insta::assert_snapshot!(told("data: [DONE]\n\n"), @r#""" · the model's answer broke off"#);
    insta::assert_snapshot!(told("data: {]\n\n"), @r#""" · the model's provider answered with broken JSON"#);
    insta::assert_snapshot!(told("data: {\"choices\": 7}\n\n"), @r#""" · the model's provider answered with JSON of an unknown form. hint: `base_url` must be that of an OpenAI-compatible service"#);
}

#[test]
fn errors_in_the_middle_are_errors() {
    let begun = stream(&[json!({ "content": "Ye" })], "stop");
    let begun = begun.split("\n\n").next().unwrap();
    let with = |event: &str| told(&format!("{begun}\n\n{event}\n\n"));
    insta::assert_snapshot!(with(r#"data: {"error":{"code":429,"message":"Ada said too much"},"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}"#), @r#""Ye" · the model's provider asks for fewer requests (429). hint: lower `concurrent`, or raise the account's limits"#);
    insta::assert_snapshot!(with(r#"data: {"error":{"message":"The context length is exceeded"}}"#), @r#""Ye" · the conversation is too long for the model"#);
    insta::assert_snapshot!(with("event: error\ndata: {\"error\":{\"type\":\"server_error\"}}"), @r#""Ye" · the model's provider failed (server_error). hint: nothing to do if this passes; else see its status page"#);
    insta::assert_snapshot!(with("event: error\ndata: out of memory"), @r#""Ye" · the model's provider failed. hint: nothing to do if this passes; else see its status page"#);
    insta::assert_snapshot!(with(r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}"#), @r#""Ye" · the model's provider failed. hint: nothing to do if this passes; else see its status page"#);
}

#[test]
fn the_last_word_on_cost_counts() {
    let usage = |usage: Value| format!("data: {}\n\n", json!({ "choices": [], "usage": usage }));
    let stream = format!(
        "{}{}{}{}",
        usage(json!({ "prompt_tokens": 1, "completion_tokens": 1 })),
        usage(Value::Null),
        usage(
            json!({ "prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": { "cached_tokens": 10 }, "cost": 0.000_25 })
        ),
        stream(&[json!({ "content": "Yes" })], "stop"),
    );
    let usage = read([stream.as_bytes()]).0.unwrap().usage;
    insta::assert_snapshot!(format!("{usage:?}"), @"Usage { input: 12, output: 3, cached: 10, calls: 0, millis: 0, cost_micros: Some(250) }");
    let odd = stream.replace("12", "-12.5");
    assert!(read([odd.as_bytes()]).0.is_ok());
}

#[test]
fn a_whole_answer_is_read_like_a_stream() {
    let read = |answer: &Value| match whole(answer.to_string().as_bytes(), &CountingIds::default())
    {
        Ok(completion) => shown(&completion),
        Err(error) => error.to_string(),
    };
    insta::assert_snapshot!(read(&json!({ "choices": [{ "message": { "role": "assistant", "content": null, "tool_calls": [
        { "id": "a", "type": "function", "function": { "name": "one", "arguments": "{}" } },
        { "id": "b", "type": "function", "function": { "name": "two", "arguments": "{\"x\":1}" } },
    ] }, "finish_reason": "stop" }] })), @r#""" · a=one({}) · b=two({"x":1}) · tool_calls"#);
    insta::assert_snapshot!(read(&json!({ "choices": [{ "message": { "content": "<think>hm</think>Yes" } }] })), @r#""Yes" · unknown"#);
    insta::assert_snapshot!(read(&json!({ "error": { "code": "insufficient_quota" } })), @"the account with the model's provider is used up (insufficient_quota). hint: top it up");
    insta::assert_snapshot!(read(&json!({ "answer": "Yes" })), @"the model's provider answered with JSON of an unknown form. hint: `base_url` must be that of an OpenAI-compatible service");
}

#[test]
fn bounds_hold() {
    let long = format!("data: {}", "x".repeat(2 * 1024 * 1024));
    insta::assert_snapshot!(told(&long), @r#""" · the model's provider answered with more than can be taken in. hint: raise `response_mb` if answers are so long"#);
    let many: Vec<Value> = (0..65)
        .map(|n| json!([{ "index": n, "id": n.to_string(), "function": { "name": "one" } }]))
        .collect();
    insta::assert_snapshot!(calls(&many), @r#""" · the model's provider answered with more than can be taken in. hint: raise `response_mb` if answers are so long"#);
}

/// One delta of a stream, whatever a service might send.
fn delta() -> impl Strategy<Value = Value> {
    let id = prop_oneof![Just(Value::Null), "[a-c]".prop_map(Value::from)];
    let index = prop_oneof![Just(Value::Null), (0_u64..3).prop_map(Value::from)];
    let name = prop_oneof![Just(Value::Null), "[a-z]{1,3}".prop_map(Value::from)];
    let piece = prop_oneof![Just("{}".to_owned()), "[{}\":a0]{0,4}"];
    let call = (index, id, name, piece).prop_map(|(index, id, name, piece)| {
        json!({ "tool_calls": [{ "index": index, "id": id, "function": { "name": name, "arguments": piece } }] })
    });
    let words = ".{0,6}".prop_map(|words| json!({ "content": words }));
    prop_oneof![words, call]
}

/// A stream with comments, three kinds of line ends and one of several endings.
fn streams() -> impl Strategy<Value = String> {
    let line = prop_oneof![Just("\n"), Just("\r\n"), Just("\r")];
    let end = prop_oneof![
        Just(r#"data: {"choices":[{"delta":{},"finish_reason":"stop"}]}"#),
        Just("data: [DONE]"),
        Just(r#"data: {"error":{"code":503}}"#),
        Just("data: {"),
        Just(""),
    ];
    let comment = prop_oneof![Just(""), Just(": alive\n\n")];
    (prop::collection::vec((delta(), comment), 0..12), line, end).prop_map(|(deltas, line, end)| {
        let mut events: Vec<String> = Vec::new();
        for (delta, comment) in deltas {
            let event = json!({ "choices": [{ "index": 0, "delta": delta }] });
            events.push(format!("{comment}data: {event}\n\n"));
        }
        let stream = events.concat() + end;
        stream.replace('\n', line)
    })
}

proptest! {
    #[test]
    fn however_a_stream_is_cut_the_answer_is_the_same(
        stream in streams(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let bytes = stream.as_bytes();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        prop_assert_eq!(read(pieces), read([bytes]));
        prop_assert_eq!(read(bytes.chunks(1)), read([bytes]));
    }

    #[test]
    fn whatever_comes_there_is_an_answer_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert_eq!(read(bytes.chunks(3)), read([bytes.as_slice()]));
    }

    #[test]
    fn what_the_original_sends_comes_out_as_it_went_in(
        text in ".{0,40}",
        calls in prop::collection::vec(("[a-z_]{1,12}", ".{0,20}"), 0..4),
        size in 1_usize..7,
    ) {
        let mut deltas = Vec::new();
        for piece in text.chars().collect::<Vec<_>>().chunks(size) {
            deltas.push(json!({ "content": piece.iter().collect::<String>() }));
        }
        let raw = |text: &str| json!({ "text": text }).to_string();
        for (index, (name, text)) in calls.iter().enumerate() {
            let id = format!("call_{index}");
            deltas.push(json!({ "tool_calls": [{ "index": index, "id": id, "function": { "name": name, "arguments": "" } }] }));
            for piece in raw(text).chars().collect::<Vec<_>>().chunks(size) {
                let piece: String = piece.iter().collect();
                deltas.push(json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] }));
            }
        }
        let stream = stream(&deltas, "stop");
        let completion = read([stream.as_bytes()]).0.unwrap();
        prop_assert_eq!(&completion.text, &text);
        let found: Vec<(String, String, String)> =
            completion.calls.iter().map(|c| (c.id.to_string(), c.name.clone(), c.raw.clone())).collect();
        let sent: Vec<(String, String, String)> = calls
            .iter()
            .enumerate()
            .map(|(index, (name, text))| (format!("call_{index}"), name.clone(), raw(text)))
            .collect();
        prop_assert_eq!(found, sent);
    }
}
