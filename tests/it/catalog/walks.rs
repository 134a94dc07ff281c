//! Walks through the flows in the box with no model: whatever the participant does, every call that a script makes
//! is one its tool accepts, and every way comes to an end.

use std::sync::Arc;

use anteroom::{
    base::ids::WaitId,
    flow::{LoadedFlow, shipped},
    model::{
        session::Status,
        transcript::CallResult,
        ui::{Control, Decision, Reply, Review, Upload, Verdict},
        wait::{Answerers, Purpose, Settlement, Wait},
    },
    session::{Next, State, answer},
    tool::{Policy, catalog::interview},
};
use proptest::prelude::{ProptestConfig, any, proptest};
use serde_json::{Value, json};

use super::bench::{self, Bench};

/// Most steps of one walk; more would be going round in circles.
const STEPS_MAX: usize = 400;

/// Codes that say that the script, the tools and the core do not fit together.
const MISFITS: [&str; 4] =
    ["invalid_parameters", "permission_denied", "tool_changed", "execution_failed"];

fn flow(name: &str) -> Arc<LoadedFlow> {
    let (_, source) = shipped().into_iter().find(|(file, _)| *file == name).unwrap();
    Arc::new(LoadedFlow::load(source, name, &bench::vars()).unwrap())
}

/// What the participant does next: each question takes one number.
struct Whims(Vec<u8>);

impl Whims {
    /// The next whim; out of whims, the first choice, again and again.
    fn next(&mut self, of: usize) -> usize {
        if self.0.is_empty() || of == 0 { 0 } else { usize::from(self.0.remove(0)) % of }
    }
}

async fn walk(name: &str, whims: Vec<u8>) -> State {
    let mut bench = Bench::on(flow(name), interview::tools(), Vec::new(), Policy::CHAT);
    let mut whims = Whims(whims);
    for _ in 0..STEPS_MAX {
        match bench.view().next() {
            Next::Call(call) => {
                let called = format!("{} {}", call.id, call.args);
                if let Ok(CallResult::Err { code, message }) = bench.run(call).await {
                    assert!(!MISFITS.contains(&code.as_str()), "{called}: {message}");
                }
            }
            Next::Resume { wait } => resume(&mut bench, wait).await,
            Next::Rest => {
                let state = bench.state();
                let open = state.pending().next().map(|wait| wait.id);
                match open {
                    Some(wait) if state.status != Status::Stopped => {
                        reply(&mut bench, wait, &mut whims).await;
                    }
                    Some(_) | None => return state,
                }
            }
            next @ (Next::Think { .. }
            | Next::Round(_)
            | Next::Erase
            | Next::Arrange
            | Next::Begin { .. }
            | Next::Recall { .. }
            | Next::Raise { .. }
            | Next::Report
            | Next::Recover { .. }) => {
                panic!("{next:?} without a model")
            }
        }
    }
    panic!("the walk has no end: {:?}", bench.state().cursor);
}

async fn resume(bench: &mut Bench, id: WaitId) {
    let state = bench.state();
    match &state.waits[&id].purpose {
        Purpose::Call { call, .. } => {
            let call = state.call(call).unwrap().call.as_ref().clone();
            let called = format!("{} {}", call.id, call.args);
            if let Ok(CallResult::Err { code, message }) = bench.finish(call, id).await {
                panic!("{called}: {code}: {message}");
            }
        }
        Purpose::Child { .. } => panic!("a child run without a model"),
        Purpose::Notice | Purpose::Begin { .. } | Purpose::Erase | Purpose::Effect { .. } => {
            bench.change(|changes| changes.apply_own(id));
        }
    }
}

async fn reply(bench: &mut Bench, id: WaitId, whims: &mut Whims) {
    let wait = Wait::clone(&bench.state().waits[&id]);
    let given = match &wait.prompt.control {
        // The notice is accepted: a walk that ends there shows nothing.
        Control::Choose(_) if wait.purpose == Purpose::Notice => {
            Reply::Chosen { ids: vec!["accept".to_owned()], free_text: None }
        }
        Control::Choose(choose) => {
            let chosen = &choose.choices[whims.next(choose.choices.len())];
            Reply::Chosen { ids: vec![chosen.id.clone()], free_text: None }
        }
        Control::Ask(_) => Reply::Text { text: "We cut the time by half in 2021.".to_owned() },
        Control::Review(review) => reviewed(review, whims),
        Control::Upload(upload) => uploaded(bench, upload, whims).await,
        Control::Decide(_) => Reply::Decided { decision: Decision::Approved, feedback: None },
        Control::Confirm(_) => Reply::Confirmed { yes: true },
        Control::Form(form) => panic!("no script asks for a form: {form:?}"),
    };
    let settlement = match &wait.answerers {
        Answerers::Participant => bench.settle(id, given.clone()),
        Answerers::Deciders { alias, .. } => bench.settle_as_staff(id, given.clone(), alias),
    };
    assert_eq!(settlement, Settlement::Applied, "{given:?} to {:?}", wait.prompt);
}

fn reviewed(review: &Review, whims: &mut Whims) -> Reply {
    let verdict = |verdict, data| Reply::Reviewed { verdict, data, notes: None };
    match whims.next(5) {
        1 => verdict(Verdict::Rejected, None),
        2 if review.skippable => Reply::Skipped,
        3 => verdict(Verdict::Modified, Some(minimal(&review.schema))),
        _ if answer::check_data(&review.schema, &review.data).is_empty() => {
            verdict(Verdict::Approved, None)
        }
        _ => verdict(Verdict::Modified, Some(minimal(&review.schema))),
    }
}

async fn uploaded(bench: &mut Bench, upload: &Upload, whims: &mut Whims) -> Reply {
    if whims.next(2) == 0 || !upload.accept.iter().any(|format| format == "txt") {
        return Reply::Skipped;
    }
    let words: &[u8] = if whims.next(2) == 0 {
        b"Ada Byron\nada@example.org\n\nExperience\nAnalyst, Engines Ltd\n2019 - 2023\n"
    } else {
        b" - "
    };
    let file = bench.kept(&upload.upload_type, "file.txt", words).await;
    Reply::Uploaded { artifacts: vec![file.id] }
}

/// The least that satisfies a schema.
pub(crate) fn minimal(schema: &Value) -> Value {
    match schema["type"].as_str() {
        Some("object") => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let named = required.iter().filter_map(Value::as_str);
            named.map(|name| (name.to_owned(), minimal(&schema["properties"][name]))).collect()
        }
        Some("array") => {
            let least = schema["minItems"].as_u64().unwrap_or(1);
            (0..least).map(|_| minimal(&schema["items"])).collect()
        }
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        _ => match schema["enum"].as_array() {
            Some(options) => options[0].clone(),
            None if schema["format"] == "email" => json!("ada@example.org"),
            None => {
                let least = schema["minLength"].as_u64().unwrap_or(1);
                json!("x".repeat(usize::try_from(least).unwrap_or(1)))
            }
        },
    }
}

/// One result for each call, and nothing that still waits.
fn assert_settled(state: &State) {
    assert!(state.calls.iter().all(|call| call.result.is_some()), "{state:?}");
    assert_eq!(state.pending().count(), 0);
}

fn at_the_end(state: &State) -> bool {
    matches!(state.status, Status::Completed | Status::Stopped) || state.handoff.is_some()
}

#[tokio::test]
async fn both_flows_come_to_their_end_by_the_first_choices() {
    for (name, _) in shipped() {
        let state = walk(name, Vec::new()).await;
        assert_eq!(state.status, Status::Completed, "{name}");
        assert_settled(&state);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_whim_of_the_participant_makes_a_call_that_its_tool_refuses(
        whims in proptest::collection::vec(any::<u8>(), 0..40)
    ) {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        for (name, _) in shipped() {
            let state = runtime.block_on(walk(name, whims.clone()));
            assert!(at_the_end(&state), "{name}: {:?} at {:?}", state.status, state.cursor);
        }
    }
}
