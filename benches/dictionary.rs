//! Trains the dictionary of `store::compression`, and measures what a session costs whose words it has never seen.
//!
//! `cargo bench --bench dictionary` prints what records hold and cost: made-up people go through the shipped flows,
//! and through `benches/flows/allotment.toml`, which no dictionary was trained on. With `-- train FILE` it writes a
//! dictionary trained on the shipped flows alone. Nobody real is in it: the people are those of `support.rs`.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints a table")]

#[path = "support.rs"]
mod support;

use std::{fs, path::Path, sync::Arc};

use anteroom::{
    base::{
        clock::SystemClock,
        ids::{RandomIds, SessionId},
    },
    engine::{Inbound, InboundKind, Parts},
    model::{
        transcript::Via,
        ui::{Control, Reply, Verdict},
        wait::{Answerers, Wait},
    },
    session::{State, answer},
    store::{Store, sled::SledStore},
};
use support::{Chat, Op, Recorder};

/// Bytes of the dictionary. Twice as many gain little.
const SIZE: usize = 48 * 1024;

/// People in each flow.
const PEOPLE: usize = 40;

/// Most answers of one of them.
const ANSWERS: usize = 40;

const TRAINED: [&str; 2] = ["community-welcome", "candidate-onboarding"];
const UNSEEN: &str = "allotment";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    if let [command, file] = args.as_slice()
        && command == "train"
    {
        let mut samples = Vec::new();
        for flow in TRAINED {
            samples.extend(runtime.block_on(store(flow, PEOPLE, ANSWERS, true)).1);
        }
        let bytes: usize = samples.iter().map(Vec::len).sum();
        let dictionary = zstd::dict::from_samples(&samples, SIZE).unwrap();
        fs::write(file, &dictionary).unwrap();
        println!("{} samples, {bytes} bytes, dictionary of {}", samples.len(), dictionary.len());
        return;
    }
    for (flow, turns) in [(TRAINED[0], 6), (TRAINED[1], 6), (UNSEEN, 6)] {
        let (stored, texts) = runtime.block_on(store(flow, PEOPLE, turns, false));
        let text: usize = texts.iter().map(Vec::len).sum();
        println!("{flow}: {} bytes of text a session", text / PEOPLE);
        let mut families = std::collections::BTreeMap::<char, (usize, usize)>::new();
        for (key, value) in stored {
            let family = families.entry(char::from(key[0])).or_default();
            family.0 += 1;
            family.1 += key.len() + value.len();
        }
        for (family, (count, bytes)) in &families {
            println!("  {family}: {} entries, {} bytes", count / PEOPLE, bytes / PEOPLE);
        }
        let all: usize = families.values().map(|(_, bytes)| bytes).sum();
        println!("  all: {} bytes of keys and values a session", all / PEOPLE);
    }
}

/// What a store holds after `people` have given up to `turns` answers: its entries, and their texts.
async fn store(
    flow: &str,
    people: usize,
    turns: usize,
    queued: bool,
) -> (Vec<anteroom::store::sled::Entry>, Vec<Vec<u8>>) {
    let dir = support::on_disk();
    let recorder = Arc::new(Recorder::default());
    let parts = support::parts(
        dir.path(),
        Arc::clone(&recorder) as Arc<dyn Store>,
        Arc::new(SystemClock),
        Arc::new(RandomIds),
    );
    let flows = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/flows");
    let parts = Parts { library: Arc::new(support::library_with(Some(&flows))), ..parts };
    let engine = support::engine_for(parts, Arc::new(Chat));
    for n in 0..people {
        let session = support::start_in(&engine, flow, n).await;
        engine.settle_down().await;
        for turn in 0..turns {
            // Those who train take other ways as well.
            let other = queued && (n + 3 * turn) % 7 == 6;
            let Some(inbound) = next(&engine, session, n, usize::from(other)).await else { break };
            if engine.receive(inbound).await.is_err() {
                break;
            }
            engine.settle_down().await;
        }
    }
    let store = SledStore::open(&dir.path().join("store"), Arc::new(RandomIds)).unwrap();
    let ops = recorder.ops();
    let (commits, rest): (Vec<_>, Vec<_>) =
        ops.into_iter().partition(|op| !queued || matches!(op, Op::Commit(_)));
    let mut texts = Vec::new();
    for op in commits {
        ask(&store, op).await;
    }
    if queued {
        // With all that ever was in the outbox.
        texts.extend(store.texts().unwrap());
    }
    for op in rest {
        ask(&store, op).await;
    }
    texts.extend(store.texts().unwrap());
    (store.entries().unwrap(), texts)
}

async fn ask(store: &SledStore, op: Op) {
    match op {
        Op::Commit(commit) => store.commit(*commit).await.unwrap(),
        Op::Done(effect, delivery) => store.done(effect, delivery).await.unwrap(),
    }
}

/// The next answer, or one that asks for less where nobody knows what to say.
async fn next(
    engine: &anteroom::engine::Engine,
    session: SessionId,
    n: usize,
    way: usize,
) -> Option<Inbound> {
    let loaded = engine.look(session).await.ok()?.loaded;
    let state = State::fold(&loaded.events)?;
    let wait = state.pending().next()?;
    let what = InboundKind::Answer {
        wait: wait.id,
        revision: wait.revision,
        reply: reply(wait, n, way)?,
        via: Via::Component,
    };
    let from = match wait.answerers {
        Answerers::Participant => support::participant(n),
        Answerers::Deciders { .. } => support::staff(),
    };
    Some(Inbound { key: format!("{session}-{}", loaded.head.seq), session, from, what })
}

fn reply(wait: &Wait, n: usize, way: usize) -> Option<Reply> {
    match &wait.prompt.control {
        Control::Choose(choose) => {
            let choice = choose.choices.get(way).or_else(|| choose.choices.first())?;
            Some(Reply::Chosen { ids: vec![choice.id.clone()], free_text: None })
        }
        Control::Review(_) if wait.prompt.body.common_mark().contains("two or three sentences") => {
            Some(support::reply(wait, n))
        }
        Control::Review(_) => {
            Some(Reply::Reviewed { verdict: Verdict::Approved, data: None, notes: None })
        }
        control if answer::may_skip(control) => Some(Reply::Skipped),
        Control::Form(_) | Control::Upload(_) => None,
        _ => Some(support::reply(wait, n)),
    }
}
