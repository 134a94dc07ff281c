//! The client against a service on loopback that has every fault.

use std::{sync::Arc, time::Instant};

use anteroom::{
    config::llm::Purpose,
    ports::llm::{
        Completion, Embedded, Embedder, Error, Message, Model, Models, Request, Silent,
        chat::{Blob, Finish, Form, Part, ToolCall, ToolChoice, ToolSpec},
        openai::Client,
    },
};
use serde_json::{Value, json};

use crate::logged::Logged;

use super::{
    Ear, ask, conformance, endpoints, means,
    provider::{Ending, Provider, Reply},
    shown,
};

/// A client of the provider for one purpose, with more lines of configuration.
fn client(provider: &Provider, purpose: Purpose, more: &str) -> Client {
    let word = purpose.word();
    let url = &provider.url;
    let config = format!("[llm.{word}]\nbase_url = \"{url}\"\nmodel = \"m\"\n{more}");
    let endpoints = endpoints(&config);
    let (means, _) = means();
    let [(name, endpoint)] = endpoints.chain(purpose)[..] else { panic!("one service") };
    Client::new(name, endpoint, means.clock, means.ids).unwrap()
}

async fn chat(provider: &Provider, more: &str) -> Result<Completion, Error> {
    chat_with(provider, more, &ask("Hello")).await
}

async fn chat_with(
    provider: &Provider,
    more: &str,
    request: &Request,
) -> Result<Completion, Error> {
    let result = client(provider, Purpose::Interview, more).chat(request, &mut Silent).await;
    conformance::check(provider);
    result
}

/// What a failing answer is called, on an answer that could have been another.
async fn fails(reply: Reply, more: &str) -> String {
    let provider = Provider::start(&[reply]).await;
    chat(&provider, more).await.unwrap_err().to_string()
}

/// Everything that a request can hold.
fn everything() -> Request {
    let bytes = Blob(Arc::from(b"bytes".as_slice()));
    let call = |id: &str, raw: &str| ToolCall {
        id: anteroom::base::ids::CallId::new(id),
        name: "get_user_option".to_owned(),
        raw: raw.to_owned(),
    };
    let result = |id: &str| Message::Tool {
        call: anteroom::base::ids::CallId::new(id),
        content: "{\"selectedIds\":[]}".to_owned(),
    };
    Request {
        messages: vec![
            Message::System("Be brief.".to_owned()),
            Message::user("Hello"),
            Message::assistant(
                "",
                vec![call("a", "{\"prompt\":\"Which?\"}"), call("b", "{\"prom")],
            ),
            result("b"),
            result("a"),
            Message::assistant("Good.", Vec::new()),
            Message::User(vec![
                Part::Text("Here:".to_owned()),
                Part::Image { media_type: "image/png".to_owned(), bytes: bytes.clone() },
                Part::File {
                    name: "cv.pdf".to_owned(),
                    media_type: "application/pdf".to_owned(),
                    bytes,
                },
            ]),
        ],
        tools: [ToolSpec {
            name: "get_user_option".to_owned(),
            description: "Asks.".to_owned(),
            parameters: json!({ "type": "object", "required": ["prompt"], "properties": { "prompt": { "type": "string" } }, "additionalProperties": false }),
            strict: true,
        }]
        .into(),
        ..Request::default()
    }
}

#[tokio::test]
async fn words_stream_as_they_come() {
    let provider =
        Provider::start(&[Reply::says("Good morning").with("x-request-id", "req_7")]).await;
    let mut ear = Ear::default();
    let client = client(&provider, Purpose::Interview, "key_env = \"KEY\"\n");
    let completion = client.chat(&ask("Hello"), &mut ear).await.unwrap();
    assert_eq!(shown(&completion), "\"Good morning\" · stop");
    assert_eq!(ear.text, "Good morning");
    assert_eq!((completion.usage.input, completion.usage.output), (7, 2));
    assert_eq!(completion.request_id.as_deref(), Some("req_7"));
    let [seen] = &provider.seen()[..] else { panic!("one request") };
    assert_eq!(seen.path, "/v1/chat/completions");
    assert_eq!(seen.headers["authorization"], "Bearer sk-correct-horse");
    assert!(seen.headers.contains_key("x-client-request-id"));
    assert!(!format!("{client:?}").contains("horse"), "{client:?}");
}

#[tokio::test]
async fn a_request_holds_everything_in_the_services_form() {
    let provider = Provider::start(&[Reply::says("Yes")]).await;
    chat_with(&provider, "", &everything()).await.unwrap();
    let mut body = provider.seen()[0].body.take();
    let messages = body["messages"].take();
    let lines: Vec<String> = messages.as_array().unwrap().iter().map(Value::to_string).collect();
    insta::assert_snapshot!(format!("{}\n{body}", lines.join("\n")), @r#"
    {"role":"system","content":"Be brief."}
    {"role":"user","content":"Hello"}
    {"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"get_user_option","arguments":"{\"prompt\":\"Which?\"}"}},{"id":"b","type":"function","function":{"name":"get_user_option","arguments":"{}"}}]}
    {"role":"tool","tool_call_id":"b","content":"{\"selectedIds\":[]}"}
    {"role":"tool","tool_call_id":"a","content":"{\"selectedIds\":[]}"}
    {"role":"assistant","content":"Good."}
    {"role":"user","content":[{"type":"text","text":"Here:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,Ynl0ZXM="}},{"type":"file","file":{"filename":"cv.pdf","file_data":"data:application/pdf;base64,Ynl0ZXM="}}]}
    {"model":"m","messages":null,"tools":[{"type":"function","function":{"name":"get_user_option","description":"Asks.","parameters":{"type":"object","required":["prompt"],"properties":{"prompt":{"type":"string"}},"additionalProperties":false}}}],"tool_choice":"auto","temperature":0.7,"max_tokens":2000,"stream":true,"stream_options":{"include_usage":true}}
    "#);
}

#[tokio::test]
async fn a_dialect_changes_what_is_sent() {
    let provider = Provider::start(&[Reply::says("{}")]).await;
    let form = Form::Json { name: "skills".to_owned(), schema: json!({ "type": "object" }) };
    let request = Request { form, ..everything() };
    let sent = |dialect: &'static str| {
        let (provider, request) = (&provider, &request);
        async move {
            let more = format!("key_env = \"KEY\"\n[llm.interview.dialect]\n{dialect}");
            chat_with(provider, &more, request).await.unwrap();
            let mut seen = provider.seen().pop().unwrap();
            let system = seen.body["messages"][0]["content"].take();
            for bulk in ["messages", "model"] {
                seen.body.as_object_mut().unwrap().remove(bulk);
            }
            let strict = seen.body["tools"][0]["function"]["strict"].take();
            seen.body.as_object_mut().unwrap().remove("tools");
            let key = seen.headers.get("api-key").is_some();
            format!("{}\nsystem: {system}, strict: {strict}, api-key: {key}", seen.body)
        }
    };
    insta::assert_snapshot!(sent("").await, @r#"
    {"stream":true,"stream_options":{"include_usage":true},"response_format":{"type":"json_schema","json_schema":{"name":"skills","schema":{"type":"object"}}},"tool_choice":"auto","temperature":0.7,"max_tokens":2000}
    system: "Be brief.", strict: null, api-key: false
    "#);
    insta::assert_snapshot!(sent("usage_in_stream = false\noutput_limit = \"max_completion_tokens\"\ntemperature = false\nparallel_calls = false\nstrict = true\njson = \"object\"\nkey_header = \"api-key\"\n").await, @r#"
    {"response_format":{"type":"json_object"},"stream":true,"max_completion_tokens":2000,"tool_choice":"auto","parallel_tool_calls":false}
    system: "Be brief.\n\nAnswer with one JSON object and nothing else. It satisfies this JSON Schema: {\"type\":\"object\"}", strict: true, api-key: true
    "#);
    insta::assert_snapshot!(sent("json = \"words\"\n").await, @r#"
    {"stream":true,"stream_options":{"include_usage":true},"max_tokens":2000,"tool_choice":"auto","temperature":0.7}
    system: "Be brief.\n\nAnswer with one JSON object and nothing else. It satisfies this JSON Schema: {\"type\":\"object\"}", strict: null, api-key: false
    "#);
}

#[tokio::test]
async fn an_address_may_have_a_query_and_a_choice_a_name() {
    let mut provider = Provider::start(&[Reply::says("Yes")]).await;
    provider.url.push_str("/deployments/d/?api-version=1");
    for (choice, sent) in [
        (ToolChoice::Never, json!("none")),
        (ToolChoice::Required, json!("required")),
        (
            ToolChoice::Named("get_user_option".to_owned()),
            json!({ "type": "function", "function": { "name": "get_user_option" } }),
        ),
    ] {
        chat_with(&provider, "", &Request { choice, ..everything() }).await.unwrap();
        let seen = provider.seen().pop().unwrap();
        assert_eq!(seen.body["tool_choice"], sent);
        assert_eq!(seen.path, "/v1/deployments/d/chat/completions?api-version=1");
    }
}

#[tokio::test]
async fn an_answer_without_a_stream_will_do() {
    let answer =
        json!({ "choices": [{ "message": { "content": "Yes" }, "finish_reason": "stop" }] });
    let provider = Provider::start(&[Reply::json(200, &answer)]).await;
    let mut ear = Ear::default();
    for more in ["", "[llm.interview.dialect]\nstream = false\n"] {
        let client = client(&provider, Purpose::Interview, more);
        let completion = client.chat(&ask("Hello"), &mut ear).await.unwrap();
        assert_eq!(shown(&completion), "\"Yes\" · stop");
    }
    conformance::check(&provider);
    assert_eq!(ear.text, "YesYes");
    assert_eq!(provider.seen()[1].body["stream"], json!(false));
}

#[tokio::test]
async fn failures_say_what_to_do_and_quote_nobody() {
    let error = |code: &str| json!({ "error": { "code": code, "message": "Something is wrong." } });
    let mut told = Vec::new();
    for (status, code) in [
        (401, "invalid_api_key"),
        (404, "model_not_found"),
        (429, "insufficient_quota"),
        (400, "context_length_exceeded"),
        (400, "content_filter"),
        (503, "overloaded"),
    ] {
        told.push(fails(Reply::json(status, &error(code)).with("x-request-id", "req_7"), "").await);
    }
    let hidden = told.join("\n");
    insta::assert_snapshot!(hidden, @"
    the model's provider does not take the request (401, invalid_api_key, request req_7): “Something is wrong”. hint: check `base_url`, `model`, the key and `dialect`
    the model's provider does not take the request (404, model_not_found, request req_7): “Something is wrong”. hint: check `base_url`, `model`, the key and `dialect`
    the account with the model's provider is used up (429, insufficient_quota, request req_7): “Something is wrong”. hint: top it up
    the conversation is too long for the model (400, context_length_exceeded, request req_7): “Something is wrong”
    the model's provider refuses to answer (400, content_filter, request req_7): “Something is wrong”
    the model's provider failed (503, overloaded, request req_7): “Something is wrong”. hint: nothing to do if this passes; else see its status page
    ");
}

/// A provider can quote what it was sent, and sends the key back that it refuses.
#[tokio::test]
async fn failures_name_no_person_and_no_key() {
    for message in
        ["Ada Byron said something", "Not allowed: 'I am Ada Byron'", "No such key: sk-4f0aMARKER"]
    {
        let refusal = json!({ "error": { "code": "content_filter", "message": message } });
        let provider = Provider::start(&[Reply::json(400, &refusal)]).await;
        let told = chat_with(&provider, "", &ask("I am Ada Byron of London")).await.unwrap_err();
        let told = format!("{told} {told:?}");
        assert!(told.contains("content_filter"), "{told}");
        assert!(!told.contains("Ada") && !told.contains("MARKER"), "{told}");
    }
}

#[tokio::test]
async fn a_pause_that_is_asked_for_is_passed_on() {
    for (name, value, seconds) in [
        ("retry-after", "7", 7),
        ("retry-after", "Tue, 14 Nov 2023 22:13:40 GMT", 20),
        ("retry-after-ms", "3000", 3),
    ] {
        let reply = Reply::json(429, &json!({})).with(name, value);
        let provider = Provider::start(&[reply]).await;
        let Err(Error::RateLimited { retry_after, .. }) = chat(&provider, "").await else {
            panic!("not rate limited");
        };
        assert_eq!(retry_after.unwrap().as_secs(), seconds);
    }
}

#[tokio::test]
async fn what_is_no_answer_is_refused() {
    let mut told = vec![
        fails(Reply::new(200, "text/html", "<html>Welcome to Wi-Fi"), "").await,
        fails(Reply::new(200, "application/json", "{\"choices\":["), "").await,
        fails(Reply::new(200, "text/event-stream", "data: {]\n\n"), "").await,
        fails(Reply::new(502, "text/html", "<html>Bad gateway"), "").await,
    ];
    let target = Provider::start(&[Reply::says("stolen")]).await;
    let redirect = Reply::new(307, "text/plain", "").with("location", &target.url);
    told.push(fails(redirect, "key_env = \"KEY\"\n").await);
    assert!(target.seen().is_empty(), "the key went elsewhere");
    insta::assert_snapshot!(told.join("\n"), @"
    the model's provider answered with something that is no answer. hint: `base_url` must be that of an OpenAI-compatible service
    the model's provider answered with broken JSON
    the model's provider answered with broken JSON
    the model's provider failed (502). hint: nothing to do if this passes; else see its status page
    the model's provider does not take the request (307). hint: check `base_url`, `model`, the key and `dialect`
    ");
}

#[tokio::test]
async fn bounds_in_size_hold() {
    let giant = Reply::says("Yes").ending(1, Ending::Giant);
    let mut told = vec![fails(giant, "response_mb = 1\n").await];
    told.push(
        fails(
            Reply::new(200, "application/json", "{").ending(1, Ending::Giant),
            "response_mb = 1\n",
        )
        .await,
    );
    told.push(fails(Reply::new(500, "application/json", "{").ending(1, Ending::Giant), "").await);
    let provider = Provider::start(&[Reply::says("Yes")]).await;
    let long = ask(&"x".repeat(1024 * 1024));
    told.push(chat_with(&provider, "request_mb = 1\n", &long).await.unwrap_err().to_string());
    assert!(provider.seen().is_empty());
    insta::assert_snapshot!(told.join("\n"), @"
    the model's provider answered with more than can be taken in. hint: raise `response_mb` if answers are so long
    the model's provider answered with more than can be taken in. hint: raise `response_mb` if answers are so long
    the model's provider failed (500). hint: nothing to do if this passes; else see its status page
    the request has 1048721 bytes, more than 1048576. hint: raise `request_mb`
    ");
}

#[tokio::test]
async fn every_wait_ends() {
    let started = Instant::now();
    let silence = Reply::says("Yes").ending(0, Ending::Silence);
    let mut told = vec![
        fails(silence.clone(), "first_byte = \"30ms\"\n").await,
        fails(silence, "whole = \"30ms\"\n").await,
        fails(Reply::says("Yes").ending(0, Ending::Stall), "first_byte = \"30ms\"\n").await,
        fails(Reply::says("Yes").ending(2, Ending::Stall), "idle = \"30ms\"\n").await,
        fails(Reply::says("Yes").ending(2, Ending::Stall), "whole = \"30ms\"\n").await,
        fails(Reply::says("Yes").ending(2, Ending::Cut), "").await,
        fails(Reply::says("Yes").ending(2, Ending::Whole), "").await,
        fails(Reply::json(503, &json!({})).ending(0, Ending::Stall), "first_byte = \"30ms\"\n")
            .await,
    ];
    // Nobody listens there.
    let gone = Provider::start(&[]).await;
    let url = gone.url.clone();
    drop(gone);
    let mut nobody = Provider::start(&[]).await;
    nobody.url = url;
    told.push(chat(&nobody, "").await.unwrap_err().to_string());
    insta::assert_snapshot!(told.join("\n"), @"
    the model did not begin to answer in time. hint: raise `first_byte` if it is always so slow
    the model did not finish its answer in time. hint: raise `whole` if it is always so slow
    the model did not begin to answer in time. hint: raise `first_byte` if it is always so slow
    the model stopped in the middle of its answer. hint: raise `idle` if it is always so slow
    the model did not finish its answer in time. hint: raise `whole` if it is always so slow
    the model's answer broke off
    the model's answer broke off
    the model's provider failed (503). hint: nothing to do if this passes; else see its status page
    the model's provider failed. hint: nothing to do if this passes; else see its status page
    ");
    assert!(started.elapsed().as_secs() < 20, "a wait had no end");
}

#[tokio::test]
async fn what_follows_a_whole_answer_is_waited_for_briefly_or_not_at_all() {
    // The finish reason has come; usage and `[DONE]` never do.
    for ending in [Ending::Whole, Ending::Cut, Ending::Stall] {
        let provider = Provider::start(&[Reply::says("Yes").ending(3, ending)]).await;
        let completion = chat(&provider, "").await.unwrap();
        assert_eq!((completion.text.as_str(), completion.finish), ("Yes", Finish::Stop));
    }
}

#[tokio::test]
async fn a_conversation_in_disorder_is_not_sent() {
    let provider = Provider::start(&[Reply::says("Yes")]).await;
    let mut told = Vec::new();
    for lost in [3, 2, 1] {
        let mut request = everything();
        request.messages.remove(lost);
        told.push(match chat_with(&provider, "", &request).await {
            Ok(_) => "sent".to_owned(),
            Err(error) => error.to_string(),
        });
    }
    told.push(chat_with(&provider, "", &Request::default()).await.unwrap_err().to_string());
    let choice = ToolChoice::Named("no_such_tool".to_owned());
    told.push(
        chat_with(&provider, "", &Request { choice, ..everything() })
            .await
            .unwrap_err()
            .to_string(),
    );
    insta::assert_snapshot!(told.join("\n"), @"
    the request to the model is not in order: a call has no result
    the request to the model is not in order: a result has no call
    sent
    the request to the model is not in order: nothing is said to the model
    the request to the model is not in order: the tool that must be called is not offered
    ");
}

async fn embed(reply: &Value, texts: &[&str]) -> Result<Embedded, Error> {
    let provider = Provider::start(&[Reply::json(200, reply)]).await;
    let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
    let result = client(&provider, Purpose::Embed, "").embed(&texts).await;
    conformance::check(&provider);
    assert_eq!(provider.seen()[0].path, "/v1/embeddings");
    result
}

#[tokio::test]
async fn vectors_come_in_the_order_of_their_texts() {
    let answer = json!({
        "data": [{ "index": 1, "embedding": [0.0, 1.0] }, { "index": 0, "embedding": [1.0, 0.5] }],
        "usage": { "prompt_tokens": 4, "total_tokens": 4 },
    });
    let embedded = embed(&answer, &["one", ""]).await.unwrap();
    assert_eq!(embedded.vectors, [[1.0, 0.5], [0.0, 1.0]]);
    assert_eq!((embedded.space.as_str(), embedded.usage.input), ("embed", 4));
    for broken in [
        json!({ "data": [{ "index": 0, "embedding": [1.0] }] }),
        json!({ "data": [{ "index": 0, "embedding": [1.0] }, { "index": 0, "embedding": [1.0] }] }),
        json!({ "data": [{ "index": 0, "embedding": [1.0] }, { "index": 1, "embedding": [1.0, 2.0] }] }),
        json!({ "data": [{ "index": 0, "embedding": [1.0] }, { "index": 7, "embedding": [1.0] }] }),
        json!({ "data": [{ "index": 0, "embedding": [] }, { "index": 1, "embedding": [] }] }),
        json!({ "data": [{ "embedding": "AAAA" }] }),
    ] {
        let error = embed(&broken, &["one", "two"]).await.unwrap_err();
        assert_eq!(error.word(), "bad_answer", "{broken}");
    }
}

#[tokio::test]
async fn the_log_has_the_requests_name_and_nobodys_words() {
    let log = Logged::new();
    let provider = Provider::start(&[
        Reply::json(
            400,
            &json!({ "error": { "code": "Ada Byron", "message": "you said: Ada Byron" } }),
        ),
        Reply::says("Ada Byron, welcome").ending(2, Ending::Cut),
        Reply::says("Ada Byron, welcome").with("x-request-id", "req_7"),
    ])
    .await;
    let url = &provider.url;
    let config =
        format!("[llm.interview]\nbase_url = \"{url}\"\nmodel = \"m\"\nkey_env = \"KEY\"\n");
    let models = Models::open(&endpoints(&config), &means().0).unwrap();
    let model = models.interview.unwrap();
    model.chat(&ask("Ada Byron"), &mut Silent).await.unwrap_err();
    model.chat(&ask("Ada Byron"), &mut Silent).await.unwrap();
    let log = log.text();
    for (wanted, is_there) in
        [("Ada", false), ("horse", false), ("req_7", true), ("interview", true)]
    {
        assert_eq!(log.contains(wanted), is_there, "{wanted} in {log}");
    }
    assert!(log.contains("the model answered") && log.contains("attempt=2"), "{log}");
}
