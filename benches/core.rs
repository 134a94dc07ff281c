//! What thinking costs, without a disk: folding events, deciding an answer, a whole conversation of script steps,
//! drawing the page, and what Slack and Discord send and are sent.
#![expect(clippy::unwrap_used, reason = "a failure ends the bench")]
#![expect(missing_docs, reason = "criterion makes a function")]

#[path = "support.rs"]
mod support;

use std::{hint::black_box, sync::Arc, time::Duration};

use anteroom::{
    base::{
        clock::{Clock, SystemClock},
        ids::{CountingIds, EffectId, Ids, RandomIds, SessionId, WaitId},
    },
    chat::form::ComponentId,
    engine::{Engine, Look},
    gateway::{
        discord, slack,
        web::{activity::Activity, conversation, piece::Cx, timeline::Window, view::View},
    },
    model::{
        STORED_VERSION,
        transcript::{Audience, Event, Recorded},
        ui::{Choice, Choose, Control, Prompt},
        wait::{Answerers, Purpose, Wait, WaitStatus},
    },
    session::{SessionView, Settings, State, decide},
    store::memory::MemoryStore,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A bot in memory.
fn bot() -> (Engine, TempDir) {
    let dir = support::on_disk();
    let ids: Arc<dyn Ids> = Arc::new(RandomIds);
    let memory = Arc::new(MemoryStore::default());
    let parts = support::parts(dir.path(), memory, Arc::new(SystemClock), ids);
    (support::engine(parts), dir)
}

/// A conversation after six turns, with posts added up to `count` events.
fn conversation(count: usize) -> View {
    let (engine, _dir) = bot();
    let Look { mut loaded, view } = Runtime::new().unwrap().block_on(async {
        let sessions = support::play(&engine, 0..1, 6).await;
        engine.look(sessions[0].1).await.unwrap()
    });
    loaded.events.truncate(count);
    while loaded.events.len() < count {
        let text = "A few words, with *emphasis* and a [link](https://example.org).".to_owned();
        let effect = EffectId::mint(&RandomIds);
        let (audience, offers) = (Audience::Participant, Vec::new());
        let event = Event::Posted { effect, audience, text: text.into(), offers };
        let seq = loaded.events.len() as u64 + 1;
        loaded.events.push(Recorded {
            v: STORED_VERSION,
            seq,
            at: SystemClock.now(),
            event: event.into(),
        });
    }
    loaded.head.seq = loaded.events.len() as u64;
    let state = State::fold(&loaded.events).unwrap();
    View { loaded, state: state.into(), flow: view.flow, doing: Activity::default() }
}

fn fold(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fold");
    for count in [10, 100, 1_000] {
        let view = conversation(count);
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
            bencher.iter(|| State::fold(black_box(&view.loaded.events)).unwrap());
        });
    }
    group.finish();
}

/// Load, settle, and everything that is to be committed; no store.
fn decide(criterion: &mut Criterion) {
    let (engine, _dir) = bot();
    let Look { loaded, view } = Runtime::new().unwrap().block_on(async {
        let sessions = support::play(&engine, 0..1, 1).await;
        engine.look(sessions[0].1).await.unwrap()
    });
    let state = State::fold(&loaded.events).unwrap();
    let Some(answer) = support::willing(&state, 0) else { return };
    let from = support::participant(0);
    let ids: Arc<dyn Ids> = Arc::new(RandomIds);
    let now = SystemClock.now();
    criterion.bench_function("load_settle_into_commit", |bencher| {
        bencher.iter(|| {
            let state = State::fold(black_box(&loaded.events)).unwrap();
            let (flow, ids) = (Arc::clone(&view.flow), Arc::clone(&ids));
            let settings = Settings::default();
            let view = SessionView::new(flow, state, ids, now, settings);
            let (_, changes) = decide::inbound(view, &from, &answer, None);
            changes.into_commit(Some("key".to_owned()))
        });
    });
}

/// The community flow from the start to the last question in memory: every expression of its script is evaluated.
fn script(criterion: &mut Criterion) {
    let (engine, _dir) = bot();
    let runtime = Runtime::new().unwrap();
    let mut people = 0;
    criterion.bench_function("whole_flow_in_memory", |bencher| {
        bencher.iter(|| {
            people += 1;
            runtime.block_on(support::play(&engine, people..people + 1, 7))
        });
    });
}

fn render(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("render_page");
    for wanted in [10, 100] {
        let sizes = wanted..wanted + 200;
        let view =
            sizes.map(conversation).find(|view| view.log(&cx(view), |_| true).len() >= wanted);
        let view = view.unwrap();
        let cx = cx(&view);
        group.throughput(Throughput::Elements(wanted as u64));
        group.bench_function(BenchmarkId::new("messages", wanted), |bencher| {
            bencher.iter(|| conversation::pieces(black_box(&view), &cx, &Window::default()));
        });
    }
    group.finish();
}

/// A choice that is open.
fn choice() -> Wait {
    let choices =
        ["Learning", "Building projects", "Helping others", "Jobs", "Events", "Just reading"];
    let choices = choices.map(|label| Choice {
        id: label.to_lowercase(),
        label: label.to_owned(),
        description: None,
        icon: None,
    });
    let choose = Choose { choices: choices.into(), required: true, ..Choose::default() };
    let body = "What brings you here? Pick one. This decides *which channels* you see.".to_owned();
    let prompt = Prompt {
        title: None,
        body: body.into(),
        control: Control::Choose(choose),
        notes: Vec::new(),
    };
    let ids = CountingIds::default();
    Wait {
        id: WaitId::mint(&ids),
        session: SessionId::mint(&ids),
        revision: 1,
        purpose: Purpose::Notice,
        state: Value::Null,
        prompt: prompt.into(),
        answerers: Answerers::Participant,
        quorum: 1,
        votes: Vec::new(),
        digest: String::new(),
        asked_at: SystemClock.now(),
        expires_at: None,
        status: WaitStatus::Pending,
    }
}

/// A press of a button from the bytes that come in until it is known what was meant, and the card from the question to
/// the bytes that go out, in Slack and in Discord.
fn chats(criterion: &mut Criterion) {
    let wait = choice();
    let pressed = ComponentId::id(wait.id, wait.revision, "pick.1");
    let from_slack = json!({
        "type": "block_actions", "team": { "id": "T01", "domain": "acme" },
        "user": { "id": "U01", "username": "ada", "name": "ada", "team_id": "T01" },
        "api_app_id": "A01", "token": "t", "trigger_id": "1.2.3", "response_url": "https://hooks.slack.com/actions/1",
        "container": { "type": "message", "message_ts": "1793628300.000100", "channel_id": "D01", "is_ephemeral": false },
        "channel": { "id": "D01", "name": "directmessage" },
        "message": { "type": "message", "ts": "1793628300.000100", "text": "What brings you here?", "blocks": [] },
        "actions": [{ "type": "button", "action_id": pressed, "block_id": "b", "value": "1", "action_ts": "1793628301.1",
            "text": { "type": "plain_text", "text": "Building projects" } }],
    })
    .to_string();
    let from_discord = json!({
        "version": 1, "id": "1443270000000000000", "application_id": "1300000000000000001", "type": 3, "token": "t",
        "channel_id": "1100", "channel": { "id": "1100", "type": 12, "name": "welcome-ada", "parent_id": "1000" },
        "guild_id": "500", "locale": "en-US", "guild_locale": "en-US", "attachment_size_limit": 10_485_760,
        "member": { "roles": ["1200"], "pending": false, "nick": null, "permissions": "1024",
            "user": { "id": "701", "username": "ada", "global_name": "Ada" } },
        "message": { "id": "1443270000000000001", "channel_id": "1100", "content": "", "flags": 32768, "components": [],
            "author": { "id": "900", "username": "anteroom", "bot": true } },
        "data": { "custom_id": pressed, "component_type": 2 }, "entitlements": [], "context": 0,
    })
    .to_string();
    let mut group = criterion.benchmark_group("press_read");
    group.bench_function("slack", |bencher| {
        bencher.iter(|| {
            let payload = serde_json::from_str(black_box(&from_slack)).unwrap();
            slack::parse::interaction(&payload)
        });
    });
    group.bench_function("discord", |bencher| {
        bencher.iter(|| {
            let payload = serde_json::from_str(black_box(&from_discord)).unwrap();
            discord::parse::interaction(&payload)
        });
    });
    group.finish();
    let mut group = criterion.benchmark_group("card_drawn");
    group.bench_function("slack", |bencher| {
        let cx = slack::render::Cx::default();
        bencher.iter(|| {
            let card = slack::render::card(black_box(&wait), &cx);
            serde_json::to_string(&card.blocks).unwrap()
        });
    });
    group.bench_function("discord", |bencher| {
        let cx = discord::render::Cx::default();
        bencher.iter(|| discord::render::card(black_box(&wait), &cx).body().json().to_string());
    });
    group.finish();
}

fn cx(view: &View) -> Cx {
    Cx {
        viewer: Audience::Participant,
        session: view.loaded.head.id,
        csrf: "csrf".to_owned(),
        page: "page".to_owned(),
        draft: None,
        unsent: String::new(),
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = fold, decide, script, render, chats
}
criterion_main!(benches);
