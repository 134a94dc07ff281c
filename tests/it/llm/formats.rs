//! The two other formats, against services that hold requests to the rules that their pages state.

use std::sync::Arc;

use anteroom::ports::llm::{
    Error, Message, Model, Request, Silent,
    chat::{Blob, Finish, Part, ToolChoice},
};
use serde_json::json;

use super::{
    Ear, ask,
    model_service::formats::Service,
    provider::{Provider, Reply},
    rules::{client, converse, request},
};

#[tokio::test]
async fn messages_are_led_without_a_refusal_and_thoughts_go_back() {
    for writes in [false, true] {
        let service = Service::start().await;
        let client = client(&service.url, "provider = \"anthropic\"\nkey_env = \"KEY\"\n");
        let told = converse(&client, writes).await.unwrap();
        assert_eq!(service.refused(), [""; 0]);
        let last = service.seen().pop().unwrap().to_string();
        let answers = told.iter().filter(|m| matches!(m, Message::Assistant { .. })).count();
        assert_eq!(last.matches("\"thinking\":\"Hm\"").count(), answers - 1, "{last}");
        assert!(last.contains("toolu_0_1"), "{last}");
    }
}

#[tokio::test]
async fn thoughts_of_another_conversation_are_left_out() {
    let service = Service::start().await;
    let client = client(&service.url, "provider = \"anthropic\"\n");
    let mut told = converse(&client, false).await.unwrap();
    let sent = async |messages: &[Message], tools: bool| {
        let mut request = request(messages.to_vec());
        if tools {
            Arc::make_mut(&mut request.tools)[0].description = "Another.".to_owned();
        }
        client.chat(&request, &mut Silent).await.unwrap();
        service.seen().pop().unwrap().to_string().matches("\"type\":\"thinking\"").count()
    };
    assert_ne!(sent(&told, false).await, 0);
    assert_eq!(sent(&told, true).await, 0, "with other tools");
    told[1] = Message::user("<note>The conversation so far, in short: …</note>");
    assert_eq!(sent(&told, false).await, 0, "shortened");
    assert_eq!(service.refused(), [""; 0]);
}

#[tokio::test]
async fn messages_carry_files_choices_and_marks() {
    let service = Service::start().await;
    let client = client(&service.url, "provider = \"anthropic\"\nreasoning_effort = \"low\"\n");
    let bytes = Blob(Arc::from(b"bytes".as_slice()));
    let parts = vec![
        Part::Text("Here".to_owned()),
        Part::Image { media_type: "image/png".to_owned(), bytes: bytes.clone() },
        Part::File { name: "cv.pdf".to_owned(), media_type: "application/pdf".to_owned(), bytes },
    ];
    let mut request = request(vec![Message::System("Be brief.".to_owned()), Message::User(parts)]);
    request.choice = ToolChoice::Required;
    let mut ear = Ear::default();
    let answer = client.chat(&request, &mut ear).await.unwrap();
    assert_eq!((ear.text.as_str(), answer.finish), ("Some words.", Finish::ToolCalls));
    assert_eq!((answer.usage.input, answer.usage.cached, answer.usage.output), (100, 90, 7));
    assert_eq!(answer.calls[0].raw, "{\"n\":0,\"call\":0}");
    let mut body = service.seen().pop().unwrap();
    body.as_object_mut().unwrap().remove("tools");
    insta::assert_snapshot!(serde_json::to_string(&body).unwrap(), @r#"{"model":"m","max_tokens":16000,"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"stream":true,"tool_choice":{"type":"auto"},"messages":[{"role":"user","content":[{"type":"text","text":"Here"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"Ynl0ZXM="}},{"type":"document","title":"cv.pdf","source":{"type":"base64","media_type":"application/pdf","data":"Ynl0ZXM="},"cache_control":{"type":"ephemeral"}}]}],"output_config":{"effort":"low"}}"#);
}

#[tokio::test]
async fn an_overloaded_service_may_be_asked_again() {
    let overloaded = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let provider = Provider::start(&[Reply::json(529, &overloaded)]).await;
    let error =
        client(&provider.url, "provider = \"anthropic\"\n").chat(&ask("Hello"), &mut Silent).await;
    let error = error.unwrap_err();
    assert!(error.passes() && matches!(error, Error::Transient { .. }), "{error}");
    assert!(error.to_string().contains("529, overloaded_error"), "{error}");
    // In the middle of a stream there is no status.
    let stream = format!("event: error\ndata: {overloaded}\n\n");
    let provider = Provider::start(&[Reply::new(200, "text/event-stream", stream)]).await;
    let error =
        client(&provider.url, "provider = \"anthropic\"\n").chat(&ask("Hello"), &mut Silent).await;
    assert!(error.unwrap_err().passes());
}

#[tokio::test]
async fn an_answer_of_messages_may_come_at_once_or_break_off() {
    let whole = json!({ "content": [{ "type": "text", "text": "Yes" }], "stop_reason": "end_turn",
        "usage": { "input_tokens": 3, "output_tokens": 1 } });
    let provider = Provider::start(&[Reply::json(200, &whole)]).await;
    let more = "provider = \"anthropic\"\n[llm.interview.dialect]\nstream = false\n";
    let answer = client(&provider.url, more).chat(&ask("Hello"), &mut Silent).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.finish, answer.usage.input), ("Yes", Finish::Stop, 3));
    assert_eq!(provider.seen()[0].path, "/v1/messages");
    let begun = json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "Ye" } });
    let stream = format!("data: {begun}\n\n");
    let provider = Provider::start(&[Reply::new(200, "text/event-stream", stream)]).await;
    let answer =
        client(&provider.url, "provider = \"anthropic\"\n").chat(&ask("Hello"), &mut Silent).await;
    assert_eq!(answer, Err(Error::Cut));
}

#[tokio::test]
async fn responses_are_led_by_setting_or_after_one_refusal() {
    let set = "provider = \"openai\"\n[llm.interview.dialect]\nwire = \"responses\"\nreplay = \"always\"\ntemperature = false\n";
    for (more, refusals) in [(set, 0), ("", 2)] {
        for writes in [false, true] {
            let service = Service::start().await;
            converse(&client(&service.url, more), writes).await.unwrap();
            assert_eq!(service.refused().len(), refusals, "{:?}", service.refused());
            let last = service.seen().pop().unwrap();
            assert!(last["input"].to_string().contains("sealed rs_0"), "{last}");
        }
    }
}

#[tokio::test]
async fn a_request_to_responses_has_their_form() {
    let service = Service::start().await;
    let more = "reasoning_effort = \"low\"\n[llm.interview.dialect]\nwire = \"responses\"\ntemperature = false\n";
    let request = Request {
        choice: ToolChoice::Required,
        ..request(vec![Message::System("Be brief.".to_owned()), Message::user("Hello")])
    };
    let answer = client(&service.url, more).chat(&request, &mut Silent).await.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.finish, answer.calls.len()),
        ("Some words.", Finish::ToolCalls, 2)
    );
    assert_eq!((answer.usage.input, answer.usage.cached), (100, 90));
    insta::assert_snapshot!(serde_json::to_string(&service.seen()[0]).unwrap(), @r#"{"model":"m","input":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"input_text","text":"Hello"}]}],"tools":[{"type":"function","name":"get_user_option","description":"Asks.","parameters":{"type":"object","properties":{}},"strict":false}],"tool_choice":"required","max_output_tokens":2000,"reasoning":{"effort":"low"},"store":false,"include":["reasoning.encrypted_content"],"stream":true}"#);
}
