//! The steps around a call: gate, cache, time limit, retry, record. Time stands still but for the sleepers.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use anteroom::{
    model::{
        session::PersonId,
        transcript::{CallResult, Origin},
        ui::Reply,
    },
    tool::{
        EffectClass, Outcome, Policy, Tool, ToolCx, ToolError, ToolResult, ToolSpec,
        pipeline::record::{Happened, Progress},
    },
};
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::bench::Bench;

/// How the fake tool behaves on each attempt.
#[derive(Debug, Clone)]
enum Does {
    /// Answers with the number of the attempt.
    Answer,
    /// Fails for now, so many times, then answers.
    Stumble { times: u32, retry_after: Option<Duration> },
    /// Never comes back.
    Hang,
    /// Panics.
    Panic,
    /// Fails for good.
    Fail,
}

#[derive(Debug)]
struct Fake {
    spec: ToolSpec,
    does: Does,
    attempts: AtomicU32,
}

impl Fake {
    fn new(does: Does) -> Self {
        let spec = ToolSpec::new(
            "fake",
            "Behaves as told.",
            EffectClass::Pure,
            json!({
                "type": "object", "properties": { "q": { "type": "string" }, "n": { "type": "integer" } }
            }),
        );
        Self { spec, does, attempts: AtomicU32::new(0) }
    }
}

#[async_trait]
impl Tool for Fake {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, _cx: &ToolCx<'_>, _args: Value) -> ToolResult {
        let attempt = self.attempts.fetch_add(1, Ordering::Relaxed) + 1;
        match self.does {
            Does::Stumble { times, retry_after } if attempt <= times => {
                Err(ToolError::Transient { message: "busy".to_owned(), retry_after })
            }
            Does::Answer | Does::Stumble { .. } => Ok(Outcome::Immediate(json!(attempt))),
            Does::Hang => std::future::pending().await,
            Does::Panic => panic!("the secret is 42"),
            Does::Fail => Err(ToolError::ExecutionFailed("no".to_owned())),
        }
    }
}

fn bench(fake: Fake, policy: Policy) -> (Bench, Arc<Fake>) {
    let fake = Arc::new(fake);
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::clone(&fake) as Arc<dyn Tool>];
    (Bench::with(tools, Vec::new(), policy), fake)
}

/// The result of one call, the attempts it took, and the seconds.
async fn run(fake: Fake, policy: Policy) -> (Value, u32, u64) {
    let (mut bench, fake) = bench(fake, policy);
    let began = Instant::now();
    let result = bench.tell("fake", json!({})).await;
    (result, fake.attempts.load(Ordering::Relaxed), began.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn what_may_pass_is_tried_again() {
    let stumble = |times, wait: Option<u64>| {
        Fake::new(Does::Stumble { times, retry_after: wait.map(Duration::from_secs) })
    };
    let busy = json!({ "error": "busy", "code": "transient" });
    assert_eq!(run(stumble(2, None), Policy::CHAT).await, (json!(3), 3, 1));
    assert_eq!(run(stumble(3, None), Policy::CHAT).await, (busy.clone(), 3, 1));
    assert_eq!(run(stumble(1, None), Policy::REALTIME).await, (json!(2), 2, 0));
    assert_eq!(run(stumble(2, None), Policy::REALTIME).await, (busy.clone(), 2, 0));
    // The other side's own wish is honoured, up to half a minute.
    assert_eq!(run(stumble(1, Some(20)), Policy::CHAT).await, (json!(2), 2, 20));
    assert_eq!(run(stumble(1, Some(60)), Policy::CHAT).await, (busy, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_ends_after_twenty_five_seconds() {
    let told = json!({ "error": "no answer within 25 seconds", "code": "timeout" });
    assert_eq!(run(Fake::new(Does::Hang), Policy::CHAT).await, (told.clone(), 3, 76));
    let mut once = Fake::new(Does::Hang);
    once.spec.effect_class = EffectClass::AtMostOnce;
    // Nobody knows what it has done.
    assert_eq!(run(once, Policy::CHAT).await, (told, 1, 25));
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_a_failure_that_says_nothing() {
    let told = json!({ "error": "the tool failed unexpectedly", "code": "execution_failed" });
    assert_eq!(run(Fake::new(Does::Panic), Policy::CHAT).await, (told, 1, 0));
    let told = json!({ "error": "no", "code": "execution_failed" });
    assert_eq!(run(Fake::new(Does::Fail), Policy::CHAT).await, (told, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_cached_result_serves_five_minutes_and_the_same_arguments() {
    let cacheable = || {
        let mut fake = Fake::new(Does::Answer);
        fake.spec.cacheable = true;
        fake
    };
    let (mut bench, _) = bench(cacheable(), Policy::CHAT);
    assert_eq!(bench.tell("fake", json!({ "q": "a", "n": 1 })).await, json!(1));
    assert_eq!(bench.tell("fake", json!({ "n": "1", "q": "a" })).await, json!(1));
    assert_eq!(bench.tell("fake", json!({ "q": "b" })).await, json!(2));
    tokio::time::advance(Duration::from_secs(299)).await;
    assert_eq!(bench.tell("fake", json!({ "q": "b" })).await, json!(2));
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(bench.tell("fake", json!({ "q": "b" })).await, json!(3));
    let (mut realtime, _) = self::bench(cacheable(), Policy::REALTIME);
    assert_eq!(realtime.tell("fake", json!({})).await, json!(1));
    assert_eq!(realtime.tell("fake", json!({})).await, json!(2));
    let (mut plain, _) = self::bench(Fake::new(Does::Answer), Policy::CHAT);
    assert_eq!(plain.tell("fake", json!({})).await, json!(1));
    assert_eq!(plain.tell("fake", json!({})).await, json!(2));
}

#[tokio::test]
async fn a_failure_is_never_cached() {
    let mut fake = Fake::new(Does::Fail);
    fake.spec.cacheable = true;
    let (mut bench, fake) = bench(fake, Policy::CHAT);
    bench.tell("fake", json!({})).await;
    bench.tell("fake", json!({})).await;
    assert_eq!(fake.attempts.load(Ordering::Relaxed), 2);
}

async fn made_by(tool: &str, args: Value, origin: Origin) -> String {
    let mut bench = Bench::new();
    let call = bench.made_by(tool, args, origin);
    match bench.run(call).await {
        Ok(CallResult::Ok { value }) => format!("ok {value}"),
        Ok(CallResult::Err { code, message }) => format!("{code}: {message}"),
        Err(prompt) => format!("asks: {}", prompt.body.common_mark()),
    }
}

#[tokio::test]
async fn who_may_call_what() {
    let step = |id: &str| Origin::Step { step: id.to_owned() };
    let ada = |may_decide| Origin::Person { by: PersonId::web("ada"), may_decide };
    let prompt = json!({ "prompt": "Why?" });
    let advance = json!({ "overrides": ["x"], "reason": "user requested" });
    let told = [
        made_by("request_user_input", prompt.clone(), Origin::Model { round: 1 }).await,
        made_by("request_user_input", prompt.clone(), step("talk")).await,
        made_by("request_user_input", prompt.clone(), step("other")).await,
        made_by("fetch_url", json!({ "url": "https://example.org" }), step("talk")).await,
        made_by("request_user_input", prompt.clone(), ada(true)).await,
        made_by("request_user_input", prompt, Origin::Engine).await,
        made_by("next_phase", json!({}), Origin::Engine).await,
        made_by("next_phase", advance, ada(true)).await,
        made_by("no_such_tool", json!({}), Origin::Model { round: 1 }).await,
    ];
    insta::assert_snapshot!(told.join("\n"), @r#"
    asks: Why?
    asks: Why?
    permission_denied: `request_user_input` is not available now: the flow has no such step
    permission_denied: `fetch_url` is not available now: the flow has no such step
    permission_denied: `request_user_input` is not available now: a person cannot call it directly
    permission_denied: `request_user_input` is not available now: only a flow or a model calls it
    ok {"status":"blocked","missing_objectives":["applicant_profile","education_history"]}
    ok {"status":"approved","advanced_to":"phase_2"}
    invalid_parameters: unknown tool `no_such_tool`
    "#);
}

#[tokio::test]
async fn a_call_outside_the_phase_is_refused_with_a_result() {
    let mut bench = Bench::new();
    let ada = Origin::Person { by: PersonId::web("ada"), may_decide: true };
    let call = bench.made_by("next_phase", json!({ "reason": "user requested" }), ada);
    bench.run(call).await.unwrap();
    let refused = bench.tell("request_user_input", json!({ "prompt": "Why?" })).await;
    insta::assert_json_snapshot!(refused, @r#"
    {
      "error": "`request_user_input` is not available now: in this phase there are `next_phase`, `get_user_option`",
      "code": "permission_denied"
    }
    "#);
}

#[tokio::test]
async fn what_is_for_staff_alone_is_unknown_to_everybody_else() {
    let mut fake = Fake::new(Does::Answer);
    fake.spec.admin_only = true;
    let (mut bench, _) = bench(fake, Policy::CHAT);
    let unknown = json!({ "error": "unknown tool `fake`", "code": "invalid_parameters" });
    assert_eq!(bench.tell("fake", json!({})).await, unknown);
    let ada = Origin::Person { by: PersonId::web("ada"), may_decide: false };
    let call = bench.made_by("fake", json!({}), ada);
    assert!(matches!(bench.run(call).await, Ok(CallResult::Err { .. })));
    let grace = Origin::Person { by: PersonId::web("grace"), may_decide: true };
    let call = bench.made_by("fake", json!({}), grace);
    assert_eq!(bench.run(call).await, Ok(CallResult::Ok { value: json!(1) }));
}

#[tokio::test]
async fn every_call_is_reported_without_its_content() {
    let mut bench = Bench::new();
    let mut progress = bench.pipeline.progress();
    bench.ask("request_user_input", json!({ "prompt": "Why?" })).await;
    bench.answer(Reply::Text { text: "secret".to_owned() }).await;
    bench.tell("request_user_input", json!({})).await;
    let mut steps = Vec::new();
    while let Ok(Progress { session, call, tool, what }) = progress.try_recv() {
        assert_eq!(session, bench.session);
        let outcome = match &what {
            Happened::ToolCall => "",
            Happened::ToolResult { outcome } => outcome,
        };
        steps.push(format!("{} {tool} {call} {outcome}", what.name()).trim_end().to_owned());
    }
    insta::assert_snapshot!(steps.join("\n"), @"
    tool_call request_user_input call_1
    tool_result request_user_input call_1 waiting
    tool_call request_user_input call_1
    tool_result request_user_input call_1 ok
    tool_call request_user_input call_1
    tool_result request_user_input call_1 ok
    tool_call request_user_input call_2
    tool_result request_user_input call_2 invalid_parameters
    ");
}

#[tokio::test]
async fn a_prepared_call_carries_what_the_tool_gets() {
    let mut bench = Bench::new();
    let call = bench.by_model("get_macos_contact_card", json!({ "cardType": "" }));
    let changes = Mutex::new(bench.view().into());
    let prepared = bench.pipeline.prepare(&call, &changes).unwrap();
    assert_eq!(prepared.args, json!({ "cardType": "me" }));
    assert_eq!(bench.pipeline.prepare(&prepared, &changes).unwrap(), prepared);
    let call = bench.by_model("get_macos_contact_card", json!({ "cardType": "you" }));
    assert!(bench.pipeline.prepare(&call, &changes).is_err());
}
