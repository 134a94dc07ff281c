//! The scripted model itself: stories lean on it.

use anteroom::{
    base::ids::CallId,
    model::usage::Usage,
    ports::llm::{Embedder, Error, Message, Model, Request, Silent, chat::Finish},
};
use serde_json::json;

use super::{
    Ear, ask,
    scripted::{Scripted, Turn, WordVectors},
    shown,
};

#[tokio::test]
async fn turns_are_played_in_order_and_rules_before_them() {
    let model = Scripted::new();
    let asks_time = |request: &Request| request.messages.last() == Some(&Message::user("time?"));
    model.whenever(asks_time, Turn::says("Noon"));
    model
        .next(
            Turn::calls("get_user_option", &json!({ "prompt": "Which?" }))
                .and_calls_raw("next_phase", "{\"over")
                .saying("Let me see")
                .in_pieces(4),
        )
        .next(Turn::fails(Error::Cut).saying("Well"))
        .next(
            Turn::says("")
                .refusing("no")
                .finishing(Finish::Filtered)
                .costing(Usage { input: 1, ..Usage::default() }),
        );

    let mut ear = Ear::default();
    let first = model.chat(&ask("Hello"), &mut ear).await.unwrap();
    assert_eq!(
        shown(&first),
        "\"Let me see\" · call_1=get_user_option({\"prompt\":\"Which?\"}) · call_2=next_phase({\"over) · tool_calls"
    );
    assert_eq!(ear.text, "Let me see");
    assert!(first.calls[0].arguments().is_ok() && first.calls[1].arguments().is_err());
    assert_eq!(model.chat(&ask("time?"), &mut Silent).await.unwrap().text, "Noon");
    assert_eq!(model.chat(&ask("Hello"), &mut Silent).await, Err(Error::Cut));
    let last = model.chat(&ask("Hello"), &mut Silent).await.unwrap();
    assert_eq!((shown(&last).as_str(), last.usage.input), ("\"\" · refused: no · filtered", 1));
    assert_eq!(model.seen().len(), 4);
    model.assert_played();
}

#[tokio::test]
#[should_panic(expected = "unexpected")]
async fn what_nobody_expected_fails_the_story() {
    let model = Scripted::new();
    drop(model.chat(&ask("Hello"), &mut Silent).await);
    model.assert_played();
}

#[tokio::test]
#[should_panic(expected = "a call has no result")]
async fn a_conversation_in_disorder_fails_the_story() {
    let model = Scripted::new();
    model.next(Turn::calls("next_phase", &json!({})));
    let calls = model.chat(&ask("Hello"), &mut Silent).await.unwrap().calls;
    let assistant = Message::assistant("", calls);
    let messages = vec![Message::user("Hello"), assistant, Message::user("And?")];
    drop(model.chat(&Request { messages, ..Request::default() }, &mut Silent).await);
    model.assert_played();
}

#[test]
fn results_answer_calls_once() {
    let tool = |id: &str| Message::Tool { call: CallId::new(id), content: "{}".to_owned() };
    let messages = vec![Message::user("Hello"), tool("call_1")];
    let request = Request { messages, ..Request::default() };
    assert_eq!(request.disorder(), Some("a result has no call"));
}

#[tokio::test]
async fn texts_with_more_words_in_common_are_nearer() {
    let texts = ["Rust and Postgres", "postgres, rust", "watercolour painting"].map(str::to_owned);
    let vectors = WordVectors.embed(&texts).await.unwrap().vectors;
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    assert!(dot(&vectors[0], &vectors[1]) > dot(&vectors[0], &vectors[2]));
}
