//! Conversations with providers that insist on something, led as the engine leads them: with presses, and with words
//! beside open cards.

use std::sync::Arc;

use anteroom::{
    base::ids::CallId,
    config::llm::Purpose,
    model::opaque::Opaque,
    ports::llm::{
        Message, Model, Request, Silent,
        chat::{Finish, ToolCall, ToolSpec},
        openai::Client,
    },
};
use serde_json::{Value, json};

use super::{
    endpoints, means,
    model_service::completions::{Emulator, Rule},
    provider::{Provider, Reply},
};

pub(super) fn client(url: &str, more: &str) -> Client {
    let config = format!("[llm.interview]\nbase_url = \"{url}\"\nmodel = \"m\"\n{more}");
    let endpoints = endpoints(&config);
    let (means, _) = means();
    let [(name, endpoint)] = endpoints.chain(Purpose::Interview)[..] else { panic!("one service") };
    Client::new(name, endpoint, means.clock, means.ids).unwrap()
}

pub(super) fn request(messages: Vec<Message>) -> Request {
    let tool = ToolSpec {
        name: "get_user_option".to_owned(),
        description: "Asks.".to_owned(),
        parameters: json!({ "type": "object", "properties": {} }),
        strict: false,
    };
    Request { messages, tools: [tool].into(), ..Request::default() }
}

/// Twelve rounds; `writes`: the person writes beside each card.
pub(super) async fn converse(
    client: &Client,
    writes: bool,
) -> Result<Vec<Message>, anteroom::ports::llm::Error> {
    let note = |text: &str| Message::user(format!("<note>{text}</note>"));
    let mut messages =
        vec![Message::System("Be brief.".to_owned()), note("Part 1 begins."), note("Ada is here.")];
    let mut made = 0;
    for _ in 0..12 {
        let answer = client.chat(&request(messages.clone()), &mut Silent).await?;
        assert_ne!(answer.finish, Finish::Length);
        let calls: Vec<ToolCall> = answer
            .calls
            .iter()
            .map(|call| {
                made += 1;
                // Our own names, as the engine gives them.
                ToolCall { id: CallId::new(format!("c{made:08}")), ..call.clone() }
            })
            .collect();
        let results: Vec<Message> = calls
            .iter()
            .map(|call| Message::Tool {
                call: call.id.clone(),
                content: "{\"ok\":true}".to_owned(),
            })
            .collect();
        let is_open = calls.is_empty();
        let opaque: Option<Box<Opaque>> = answer.opaque;
        messages.push(Message::Assistant { text: answer.text, calls, opaque });
        messages.extend(results);
        if is_open || writes {
            messages.push(note("The participant has sent a file."));
            messages.push(Message::user("<participant>One more thing.</participant>"));
        }
    }
    Ok(messages)
}

/// What each message is, without what may grow.
fn extends(before: &[Value], after: &[Value]) -> bool {
    let Some((last, head)) = before.split_last() else { return true };
    let grown = |value: &Value| match (&last["content"], &value["content"]) {
        (Value::String(before), Value::String(after)) => after.starts_with(before.as_str()),
        (before, after) => before == after,
    };
    after.starts_with(head) && after.get(head.len()).is_some_and(grown)
}

/// How many requests the provider refused until the conversation was over.
async fn refusals(rules: &[Rule], more: &str) -> usize {
    let mut most = 0;
    for writes in [false, true] {
        let emulator = Emulator::start(rules).await;
        let client = client(&emulator.url, more);
        let done = converse(&client, writes).await;
        assert!(done.is_ok(), "{rules:?} {more}: {:?}", done.unwrap_err().to_string());
        most = most.max(emulator.refused().len());
        let taken = emulator.taken();
        // What was learnt may change what was sent; from then on it stays.
        let settled = taken.len() / 2;
        for two in taken[settled..].windows(2) {
            assert!(extends(&two[0], &two[1]), "{rules:?}: {:#?}\n{:#?}", two[0], two[1]);
        }
    }
    most
}

#[tokio::test]
async fn presets_are_never_refused() {
    let effort = "reasoning_effort = \"none\"\n[llm.interview.dialect]\ntemperature = false\n";
    for (rules, more) in [
        (&[Rule::Signature][..], "provider = \"gemini\"\n"),
        (&[Rule::Details], "provider = \"openrouter\"\n"),
        (&[Rule::Thoughts], "provider = \"deepseek\"\n"),
        (&[Rule::ThoughtsInTurn], "provider = \"deepseek\"\n"),
        (
            &[Rule::NoUserAfterTool, Rule::KnownMembers, Rule::NoThoughts],
            "provider = \"mistral\"\n",
        ),
        (&[Rule::Reasons], "provider = \"openai\"\n[llm.interview.dialect]\ntemperature = false\n"),
        (&[Rule::Reasons, Rule::EffortNone], &format!("provider = \"openai\"\n{effort}")),
    ] {
        assert_eq!(refusals(rules, more).await, 0, "{rules:?} {more}");
    }
}

/// Rules that a client learns without any setting, and how many refusals that takes at most.
pub(crate) const LEARNT: &[(&[Rule], usize)] = &[
    (&[Rule::Reasons], 2),
    (&[Rule::Reasons, Rule::EffortNone], 3),
    (&[Rule::NoTemperature], 1),
    (&[Rule::AtMost(1_500)], 1),
    (&[Rule::KnownMembers], 1),
    (&[Rule::Signature], 1),
    (&[Rule::Details], 1),
    (&[Rule::Thoughts], 1),
    (&[Rule::ThoughtsInTurn], 1),
    (&[Rule::NoThoughts], 0),
    (&[Rule::NoUserAfterTool], 1),
    (&[Rule::Apart, Rule::NoUserAfterTool, Rule::KnownMembers], 3),
    (&[Rule::Gemma(400)], 1),
    (&[Rule::Gemma(500)], 1),
    (&[Rule::Gemma(400), Rule::NoSystem], 2),
    (&[Rule::Ministral, Rule::Apart], 2),
    (&[Rule::OneId], 0),
];

#[tokio::test]
async fn refusals_are_learnt_from_without_any_setting() {
    for (rules, once) in LEARNT {
        let refused = refusals(rules, "").await;
        assert!(refused <= *once, "{rules:?}: refused {refused} times");
    }
}

#[tokio::test]
async fn a_preset_that_is_wrong_for_the_model_is_mended_too() {
    assert_eq!(refusals(&[Rule::NoThoughts], "provider = \"deepseek\"\n").await, 1);
}

#[tokio::test]
async fn opaque_members_go_to_nobody_else() {
    let emulator = Emulator::start(&[Rule::Signature]).await;
    let told = converse(&client(&emulator.url, "provider = \"gemini\"\n"), false).await.unwrap();
    let shown = format!("{told:?}");
    assert!(shown.contains("opaque members of") && !shown.contains("signature 0"), "{shown}");
    let mut told = told;
    told.push(Message::user("Hello?"));
    let other = Provider::start(&[Reply::says("Yes")]).await;
    for preset in ["gemini", "openrouter", "custom"] {
        let client = client(&other.url, &format!("provider = \"{preset}\"\n"));
        client.chat(&request(told.clone()), &mut Silent).await.unwrap();
        let sent = other.seen().pop().unwrap().body.to_string();
        assert!(!sent.contains("signature 0"), "{preset}");
        // Google's models take calls of others with a word of excuse only.
        assert_eq!(sent.contains("skip_thought_signature_validator"), preset == "gemini");
    }
}

#[tokio::test]
async fn the_operator_reads_the_parameter_and_the_sentence_and_nothing_that_people_wrote() {
    let refusal = |message: &str| {
        Reply::json(
            400,
            &json!([{ "error": { "message": message, "param": "tools", "type": "invalid_request_error" } }]),
        )
    };
    let provider =
        Provider::start(&[refusal("\"auto\" tool choice requires --enable-auto-tool-choice")])
            .await;
    let error = client(&provider.url, "").chat(&super::ask("Hello"), &mut Silent).await;
    insta::assert_snapshot!(error.unwrap_err(), @r#"the model's provider does not take the request (400, invalid_request_error, param tools): “"auto" tool choice requires --enable-auto-tool-choice”. hint: check `base_url`, `model`, the key and `dialect`"#);
    let provider =
        Provider::start(&[refusal("Cannot read 'Ada Byron' in \"I was born in Reading\".")]).await;
    let said = super::ask("I am Ada Byron. I was born in Reading");
    let error = client(&provider.url, "").chat(&said, &mut Silent).await.unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains("Ada") && !shown.contains("Reading"), "{shown}");
    assert!(shown.contains("Cannot read"), "{shown}");
}

#[tokio::test]
async fn a_price_table_makes_money_of_tokens_and_the_provider_knows_better() {
    let config = "[llm.price.m]\ninput = 2.0\noutput = 8.0\ncached = 0.5\n";
    let usage = |cost: Value| {
        Reply::stream(&[
            json!({ "choices": [{ "index": 0, "delta": { "content": "Yes" }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": { "cached_tokens": 400 }, "cost": cost } }),
        ])
    };
    for (cost, micros) in [(Value::Null, 1200 + 200 + 800), (json!(0.5), 500_000)] {
        let provider = Provider::start(&[usage(cost)]).await;
        let answer = client(&provider.url, config).chat(&super::ask("Hello"), &mut Silent).await;
        assert_eq!(answer.unwrap().usage.cost_micros, Some(micros));
    }
}

#[tokio::test]
async fn extra_headers_and_members_are_sent() {
    let provider = Provider::start(&[Reply::says("Yes")]).await;
    let more = "headers = { x-team = \"hiring\" }\nbody = { temperature = 1, provider = { sort = \"price\" } }\nreasoning_effort = \"low\"\n[llm.interview.dialect]\nstrict = true\n";
    let mut request = request(vec![Message::user("Hello")]);
    Arc::make_mut(&mut request.tools)[0].parameters = json!({ "type": "object", "properties": {}, "required": [], "additionalProperties": false });
    client(&provider.url, more).chat(&request, &mut Silent).await.unwrap();
    let seen = provider.seen().pop().unwrap();
    assert_eq!(seen.headers["x-team"], "hiring");
    assert_eq!(
        (&seen.body["temperature"], &seen.body["provider"]["sort"]),
        (&json!(1), &json!("price"))
    );
    assert_eq!(seen.body["reasoning_effort"], "low");
    assert_eq!(seen.body["tools"][0]["function"]["strict"], true);
}

/// What a long conversation leaves of the context says nothing about the next one.
#[tokio::test]
async fn room_that_one_conversation_lacks_is_not_taken_from_the_others() {
    let refusal = |sent: u32| {
        let said = format!(
            "'max_tokens' or 'max_completion_tokens' is too large: 4000. This model's maximum context length is 8192 tokens and your request has {sent} input tokens (4000 > 8192 - {sent})."
        );
        Reply::json(400, &json!({ "error": { "message": said, "param": "max_tokens" } }))
    };
    let yes = || Reply::says("Yes");
    let provider = Provider::start(&[refusal(5000), yes(), yes(), refusal(7900), yes()]).await;
    let client = client(&provider.url, "max_tokens = 4000\n");
    let mut said = Vec::new();
    for _ in 0..4 {
        let answer = client.chat(&super::ask("Hello"), &mut Silent).await;
        said.push(answer.map_or_else(|error| error.word(), |_| "whole"));
    }
    assert_eq!(said, ["whole", "whole", "overflow", "whole"]);
    let asked: Vec<Value> =
        provider.seen().iter().map(|seen| seen.body["max_tokens"].clone()).collect();
    assert_eq!(asked, [4000, 3192, 4000, 4000, 4000]);
}
