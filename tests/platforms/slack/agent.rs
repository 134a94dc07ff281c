//! What the agent surface shows while the bot works, with as much of a gateway as that needs.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use anteroom::{
    base::{
        clock::SystemClock,
        ids::{RandomIds, SessionId},
    },
    chat::{PostLog, WorkIndicators},
    config::{Approvers, Lists, Secret, SlackRates, WorkspaceLists},
    engine::{Engine, Gateway, Inbound, InboundKind, Limits, Parts},
    flow::{Library, LoadedFlow, subtasks::Tasks},
    gateway::slack::{
        agent::Agent,
        api::{Api, Failure, Method},
        home::Home,
        inbound::{Actor, Workspace},
        installations::Installations,
        people::People,
        tokens,
    },
    model::{
        effect::{Act, Delivery, Effect, Recipient, Rendering},
        session::{PersonId, Place, Platform},
        wait::Wait,
    },
    ports::{
        artifacts::{Artifacts, extract::Extractor},
        contacts::Contacts,
        llm::{Model, Models},
    },
    session::Responder,
    store::{Note, Store, memory::MemoryStore},
    tool::{Services, Toolbox, catalog::interview},
};
use async_trait::async_trait;
use chrono::TimeDelta;
use serde_json::json;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::slack::{
    bot::{Bot, Plan},
    emulator::{BOT_TOKEN, Settings, Slack, TEAM, faults::Fault, person::Person},
    scripted::{Gate, Scripted, Turn},
};

/// A talk that a model leads.
const TALK: &str = r#"
format = 1
id = "talk"
version = "1.0.0"
title = "A talk"

[start.slack]
app_home = true
place = "dm"

[[phase]]
id = "pets"
title = "Pets"
mode = "interview"
prompt = "Ask for a pet."
tools = [
  "get_user_option", "request_user_input", "set_objective_status", "next_phase", "persist_data",
  "get_macos_contact_card",
]

  [[phase.objective]]
  id = "pet"
  title = "A pet"
  done = "model"
"#;

/// An answer that is worth a stream.
const LONG: &str = "Thank you for telling me. A *cat* is a fine pet; cats sleep for most of the day, and so do I. \
                    More about them is at [this page](https://cats.example/all). What is its name?";

/// Posts, and nothing else.
#[derive(Debug)]
struct Poster {
    api: Api,
    store: Arc<dyn Store>,
    agent: Agent,
    failures: Mutex<Vec<Failure>>,
}

impl Poster {
    async fn post(&self, effect: &Effect, text: &str) -> Result<String, Failure> {
        let key = format!("slack/root/{}", effect.session);
        let root = self.store.noted(&key).await.unwrap().and_then(|note| note.value);
        let mut body = json!({ "channel": effect.place.channel, "text": text });
        if let Some((channel, ts)) = root.as_deref().and_then(|root| root.split_once('/')) {
            body["channel"] = json!(channel);
            body["thread_ts"] = json!(ts);
        }
        let answer = self.api.call(TEAM, Method::PostMessage, &body).await?;
        let name = |part: &str| answer[part].as_str().unwrap().to_owned();
        let message = format!("{}/{}", name("channel"), name("ts"));
        if root.is_none() {
            let (session, value) = (Some(effect.session), Some(message.clone()));
            self.store.note(Note { key, session, value }).await.unwrap();
        }
        Ok(message)
    }
}

#[async_trait]
impl Gateway for Poster {
    fn platform(&self) -> Platform {
        Platform::Slack
    }

    async fn deliver(&self, effect: &Effect, shown: Option<(&Wait, &[Rendering])>) -> Delivery {
        if effect.to != Recipient::Participant {
            return Delivery::NotApplicable;
        }
        if let Err(failure) = self.agent.make_way(effect.session).await {
            return Delivery::failed(failure.to_string());
        }
        let delivered = match (&effect.act, shown) {
            (Act::Post { text, .. }, _) => {
                match self.agent.finish(effect, &text.common_mark()).await {
                    Ok(written) => match written.last() {
                        Some(last) => Ok(last.clone()),
                        None => self.post(effect, &text.common_mark()).await,
                    },
                    Err(failure) => Err(failure),
                }
            }
            (Act::Show { .. }, Some((wait, []))) => {
                self.post(effect, &format!("Card: {}", wait.prompt.body.common_mark())).await
            }
            _ => return Delivery::NotApplicable,
        };
        match delivered {
            Ok(message) => Delivery::delivered(Some(message)),
            Err(failure) => {
                let reason = failure.to_string();
                self.failures.lock().unwrap().push(failure);
                Delivery::failed(reason)
            }
        }
    }
}

/// A bot that shows what it does.
struct World {
    slack: Slack,
    store: Arc<dyn Store>,
    model: Arc<Scripted>,
    engine: Engine,
    api: Api,
    agent: Agent,
    people: People,
    ada: Person,
    session: SessionId,
    shutdown: CancellationToken,
    tasks: tokio::task::JoinSet<()>,
    _folder: TempDir,
}

impl World {
    async fn new() -> Self {
        Self::limited(Limits::default()).await
    }

    async fn limited(limits: Limits) -> Self {
        let slack = Slack::start(Settings::new()).await;
        let installations = Arc::new(Installations::plain(Secret::new(BOT_TOKEN)));
        let api = Api::new(slack.api_url(), installations, &SlackRates::default()).unwrap();
        tokens::identify(&api).await.unwrap();
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let model = Scripted::new();
        let folder = tempfile::tempdir().unwrap();
        let parts = parts(&store, &model, &folder);
        // These stories are about something else than what the model leaves to answer.
        let limits = Limits { nudges: false, ..limits };
        let engine = Engine::limited(parts, Vec::new(), limits);
        let agent = agent(&api, &engine);
        engine.connect(Arc::new(Poster {
            api: api.clone(),
            store: Arc::clone(&store),
            agent: agent.clone(),
            failures: Mutex::default(),
        }));
        let approvers =
            Approvers { slack_users: ["U0GRACE".to_owned()].into(), ..Approvers::default() };
        let lists =
            Lists { approvers: [("desk".to_owned(), approvers)].into(), ..Lists::default() };
        let people = People::new(api.clone(), WorkspaceLists::everywhere(Platform::Slack, lists));
        let shutdown = CancellationToken::new();
        let mut tasks = tokio::task::JoinSet::new();
        tasks.spawn({
            let (engine, shutdown) = (engine.clone(), shutdown.clone());
            async move { engine.run(shutdown).await }
        });
        let ada = slack.person("U0ADA");
        let session = SessionId::mint(&RandomIds);
        let mut world = Self {
            slack,
            store,
            model,
            engine,
            api,
            agent,
            people,
            ada,
            session,
            shutdown,
            tasks,
            _folder: folder,
        };
        world.watch();
        world
    }

    /// The surface follows the engine.
    fn watch(&mut self) {
        let (agent, shutdown) = (self.agent.clone(), self.shutdown.clone());
        self.tasks.spawn(async move { agent.run(shutdown).await });
    }

    /// The conversation begins with a short word of the model.
    async fn begin(&mut self) {
        let place = Place {
            platform: Platform::Slack,
            workspace: TEAM.to_owned(),
            channel: "U0ADA".to_owned(),
            thread: None,
        };
        self.model.next(Turn::says("Hello."));
        self.session = self.engine.start("talk", &from("U0ADA"), place, "start").await.unwrap();
        self.ada.sees("Hello.").await;
        let root = format!("slack/root/{}", self.session);
        while self.store.noted(&root).await.unwrap().is_none() {
            tokio::task::yield_now().await;
        }
    }

    async fn says(&self, text: &str) {
        self.receive(text, InboundKind::Said { text: text.to_owned(), source: None }).await;
    }

    async fn receive(&self, key: &str, what: InboundKind) {
        let inbound =
            Inbound { key: key.to_owned(), session: self.session, from: from("U0ADA"), what };
        self.engine.receive(inbound).await.unwrap();
    }

    /// Waits until the session stands so in Slack.
    async fn stands(&self, status: &str) {
        let what = format!("the session is {status}");
        self.slack
            .until(&what, |state| state.sessions.values().any(|s| s.status == status).then_some(()))
            .await;
    }
}

fn from(user: &str) -> Responder {
    let person =
        PersonId { platform: Platform::Slack, workspace: TEAM.to_owned(), user: user.to_owned() };
    Responder::without_rights(person, "Ada".to_owned())
}

fn parts(store: &Arc<dyn Store>, model: &Arc<Scripted>, folder: &TempDir) -> Parts {
    let mut library = Library::default();
    library.insert(Arc::new(LoadedFlow::load(TALK, "talk.toml", &BTreeMap::new()).unwrap()));
    let extractor = Extractor::new(env!("CARGO_BIN_EXE_anteroom"));
    let keys = Arc::clone(store);
    let artifacts =
        Artifacts::new(folder.path(), keys, Arc::new(SystemClock), Arc::new(RandomIds), extractor);
    Parts {
        store: Arc::clone(store),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
        library: Arc::new(library),
        toolbox: Arc::new(Toolbox::new(interview::tools()).unwrap()),
        tasks: Arc::new(Tasks::default()),
        artifacts: Arc::new(artifacts.unwrap()),
        contacts: Arc::new(Contacts::default()),
        webhooks: Arc::default(),
        models: Models {
            interview: Some(Arc::clone(model) as Arc<dyn Model>),
            ..Models::default()
        },
        services: Services::default(),
    }
}

fn agent(api: &Api, engine: &Engine) -> Agent {
    let post_log = PostLog::new(Arc::clone(&engine.parts().store));
    Agent::new(api.clone(), engine.clone(), post_log, WorkIndicators::default())
}

/// What was called, but for the ids in it.
fn methods(slack: &Slack) -> Vec<String> {
    let told =
        |method: &str| method.starts_with("chat.") || method.starts_with("conversations.replies");
    slack.calls().into_iter().map(|call| call.method).filter(|method| told(method)).collect()
}

#[tokio::test]
async fn a_session_has_its_title_and_is_at_work_while_more_words_may_come() {
    // The model is asked an hour after the first word: until then it is only listened.
    let mut world =
        World::limited(Limits { burst: TimeDelta::hours(1), ..Limits::default() }).await;
    world.begin().await;
    let asked = world.model.seen().len();
    world.says("I have a cat").await;
    world.stands("processing").await;
    assert_eq!(world.model.seen().len(), asked);
    let titles: Vec<String> = world
        .slack
        .look(|state| state.sessions.values().map(|session| session.title.clone()).collect());
    assert_eq!(titles, ["A talk"]);
    world
        .slack
        .until("the bot is thinking", |state| {
            let is_status = |call: &&crate::slack::emulator::state::Call| {
                call.method == "assistant.threads.setStatus"
            };
            let mut shown = state.calls.iter().filter(is_status);
            shown.any(|call| call.body.to_string().contains("Thinking…")).then_some(())
        })
        .await;
}

/// What is written beside an open card is thought about, too.
#[tokio::test]
async fn a_session_is_at_work_beside_an_open_card() {
    let (model, gate) = (Scripted::new(), Gate::new());
    let pet = json!({ "dataType": "pet", "data": { "name": "Tom" }, "message": "Is that right?" });
    model.next(Turn::calls("submit_for_validation", &pet));
    model.next(Turn::says("It is.").held_by(&gate));
    let flow = Some(crate::slack::approvals::FLOW.to_owned());
    let bot = Bot::planned(Plan { model: Some(Arc::clone(&model)), flow, ..Plan::default() }).await;
    let ada = bot.ada();
    ada.command("/onboard start").await;
    let stands = |status: &'static str| {
        bot.slack.until(status, move |state| {
            state.sessions.values().any(|session| session.status == status).then_some(())
        })
    };
    stands("suspended").await;
    let at_work = async {
        stands("processing").await;
        gate.open();
    };
    tokio::join!(ada.say("Is Tom a good name?"), at_work);
    stands("suspended").await;
    assert!(ada.can_see("It is."), "{}", ada.screen());
    model.assert_played();
}

#[tokio::test]
async fn words_are_seen_while_they_come_and_are_one_message_in_the_end() {
    let mut world = World::new().await;
    world.begin().await;
    let gate = Gate::new();
    world.model.next(Turn::says(LONG).in_pieces(8).held_by(&gate));
    world.says("I have a cat <!channel>").await;
    world.ada.sees("cats sleep").await;
    world.stands("processing").await;
    assert!(!world.ada.can_see("What is its name"), "it is not said yet");
    gate.open();
    world.ada.sees("What is its name").await;
    world.stands("active").await;
    // Addresses become links with a last edit.
    world.ada.sees("(https://cats.example/all)").await;
    insta::assert_snapshot!(world.ada.screen(), @"
    ── direct ──
    Anteroom: Hello.
      Anteroom (edited): Thank you for telling me. A *cat* is a fine pet; cats sleep for most of the day, and so do I. More about them is at [this page](https://cats.example/all). What is its name?
          [Helpful] [Not helpful]
    ");
    insta::assert_snapshot!(methods(&world.slack).join("\n"), @"
    chat.postMessage
    chat.startStream
    chat.stopStream
    chat.update
    ");
    let note = format!("slack/stream/{}", world.session);
    let became = || async { world.store.noted(&note).await.unwrap().unwrap().value.unwrap() };
    while !became().await.contains("became") {
        tokio::task::yield_now().await;
    }
    assert!(!became().await.contains("Thank you"), "{}", became().await);
}

#[tokio::test]
async fn a_message_shows_the_steps_of_its_whole_turn() {
    let mut world = World::new().await;
    world.begin().await;
    let sample = json!({ "dataType": "writing_sample", "data": { "text": "Cats sleep." } });
    let gate = Gate::new();
    world.model.next(Turn::calls("get_macos_contact_card", &json!({})));
    world.model.next(Turn::calls("persist_data", &sample));
    world.model.next(Turn::says(LONG).in_pieces(8).held_by(&gate));
    world.says("I have a cat").await;
    world.ada.sees("cats sleep").await;
    gate.open();
    world.ada.sees("What is its name").await;
    insta::assert_snapshot!(steps(&world.slack), @r#"
    plan: "Pets"
    "Looked up your contact card" "complete"
    "Noted it down" "complete"
    "#);
    // What was done before the person wrote again is not shown once more.
    let gate = Gate::new();
    world.model.next(Turn::calls("persist_data", &sample));
    world.model.next(Turn::says(LONG).in_pieces(8).held_by(&gate));
    world.says("Her name is Ada").await;
    let twice = |state: &crate::slack::emulator::state::State| {
        let opened = state.calls.iter().filter(|call| call.method == "chat.startStream");
        (opened.count() == 2).then_some(())
    };
    world.slack.until("a second stream", twice).await;
    gate.open();
    insta::assert_snapshot!(steps(&world.slack), @r#"
    plan: "Pets"
    "Looked up your contact card" "complete"
    "Noted it down" "complete"
    plan: "Pets"
    "Noted it down" "complete"
    "#);
}

/// The plans that streams began with.
fn steps(slack: &Slack) -> String {
    let mut lines = Vec::new();
    for call in slack.calls_of("chat.startStream") {
        for chunk in call.body["chunks"].as_array().unwrap() {
            match chunk["type"].as_str().unwrap() {
                "plan_update" => lines.push(format!("plan: {}", chunk["title"])),
                "task_update" => {
                    lines.push(format!("{} {}", chunk["title"], chunk["status"]));
                }
                _ => {}
            }
        }
    }
    lines.join("\n")
}

#[tokio::test]
async fn where_there_is_no_room_for_a_stream_the_words_are_posted() {
    let mut world = World::new().await;
    world.begin().await;
    world.slack.fail("chat.startStream", 1, Fault::TooMany(60));
    let gate = Gate::new();
    world.model.next(Turn::says(LONG).in_pieces(8).held_by(&gate));
    world.says("I have a cat").await;
    let tried = |state: &crate::slack::emulator::state::State| {
        state.calls.iter().any(|call| call.method == "chat.startStream").then_some(())
    };
    world.slack.until("a stream is tried", tried).await;
    gate.open();
    world.ada.sees("What is its name").await;
    insta::assert_snapshot!(methods(&world.slack).join("\n"), @"
    chat.postMessage
    chat.startStream
    chat.postMessage
    ");
}

#[tokio::test]
async fn a_stream_that_dies_loses_nothing() {
    let mut world = World::new().await;
    world.begin().await;
    let gate = Gate::new();
    world.model.next(Turn::says(LONG).in_pieces(8).held_by(&gate));
    world.says("I have a cat").await;
    world.ada.sees("cats sleep").await;
    world.slack.fail("chat.stopStream", 1, Fault::Says("message_not_in_streaming_state"));
    gate.open();
    world.ada.sees("What is its name").await;
    insta::assert_snapshot!(world.ada.screen(), @"
    ── direct ──
    Anteroom: Hello.
      Anteroom (edited): Thank you for telling me. A *cat* is a fine pet; cats sleep for most of the day, and so do I. More about them is at [this page](https://cats.example/all). What is its name?
          [Helpful] [Not helpful]
    ");
    insta::assert_snapshot!(methods(&world.slack).join("\n"), @"
    chat.postMessage
    chat.startStream
    chat.stopStream
    conversations.replies
    chat.stopStream
    chat.update
    ");
}

#[tokio::test]
async fn half_a_message_that_a_crash_left_is_gone_before_anything_is_said() {
    let mut world = World::new().await;
    world.begin().await;
    world.model.next(Turn::says(LONG).in_pieces(8).held_by(&Gate::new()));
    world.says("I have a cat").await;
    world.ada.sees("cats sleep").await;
    // Another process knows nothing but the note.
    world.shutdown.cancel();
    while world.tasks.join_next().await.is_some() {}
    world.agent = agent(&world.api, &world.engine);
    world.agent.make_way(world.session).await.unwrap();
    insta::assert_snapshot!(world.ada.screen(), @"
    ── direct ──
    Anteroom: Hello.
    ");
    let note = format!("slack/stream/{}", world.session);
    assert_eq!(world.store.noted(&note).await.unwrap(), None);
}

#[tokio::test]
async fn words_that_were_read_stay_where_the_conversation_is_stopped() {
    let mut world = World::new().await;
    world.begin().await;
    world.model.next(Turn::says(LONG).in_pieces(8).held_by(&Gate::new()));
    world.says("I have a cat").await;
    world.ada.sees("cats sleep").await;
    world.receive("stop", InboundKind::Command(anteroom::session::Command::Stop)).await;
    world.ada.sees("Stopped.").await;
    world.stands("closed").await;
    insta::assert_snapshot!(world.ada.screen(), @"
    ── direct ──
    Anteroom: Hello.
      Anteroom: Thank you for telling me. A *cat* is a fine pet; cats sleep for most of the day, and so do I. More about them is at …
      Anteroom: Stopped. I won't ask anything more. Type *resume* to continue later, or *delete my data* to erase everything.
    ");
}

#[tokio::test]
async fn home_forgets_a_conversation_that_is_erased() {
    let mut world = World::new().await;
    world.begin().await;
    let clock = Arc::new(SystemClock);
    let home = Home::new(world.api.clone(), world.people.clone(), Arc::clone(&world.store), clock);
    let workspace = Workspace { team: TEAM.to_owned(), ..Workspace::default() };
    let ada = Actor { user: "U0ADA".to_owned(), ..Actor::default() };
    home.opened(&world.engine, &workspace, &ada).await;
    assert!(world.ada.home().screen().contains("A talk"));
    let (engine, shutdown) = (world.engine.clone(), world.shutdown.clone());
    world.tasks.spawn(async move { home.run(engine, shutdown).await });
    // It follows by now.
    tokio::task::yield_now().await;

    world.engine.erase(world.session, "retention").await.unwrap();

    world.ada.home().sees("You don't have any conversations yet.").await;
}

#[tokio::test]
async fn home_shows_ones_own_and_staff_everything() {
    let mut world = World::new().await;
    world.begin().await;
    let clock = Arc::new(SystemClock);
    let home = Home::new(world.api.clone(), world.people.clone(), Arc::clone(&world.store), clock);
    let workspace = Workspace { team: TEAM.to_owned(), ..Workspace::default() };
    let (engine, shutdown, follower) = (world.engine.clone(), world.shutdown.clone(), home.clone());
    world.tasks.spawn(async move { follower.run(engine, shutdown).await });
    let by = |user: &str| Actor { user: user.to_owned(), ..Actor::default() };
    for user in ["U0ADA", "U0GRACE", "U0MALLORY"] {
        home.opened(&world.engine, &workspace, &by(user)).await;
    }
    let screen = |user: &str| world.slack.person(user).home().screen();
    insta::assert_snapshot!(screen("U0ADA"), @"
    ╔ Home
    ║ # Your conversations
    ║ *A talk*
    ║ Part 1 of 1 · Pets · 0 % · running [Open ↗]
    ");
    insta::assert_snapshot!(screen("U0GRACE"), @"
    ╔ Home
    ║ # Your conversations
    ║ You don't have any conversations yet.
    ║ *A talk*
    ║  [Start]
    ║ ───
    ║ # All conversations
    ║ *1 open · 0 inactive > 1 day · 0 to decide · 0 asked for a human*
    ║ · pets: 1
    ║ Ada · running · pets [Open]
    ");
    assert!(!screen("U0MALLORY").contains("All conversations"));
    // What changes is drawn again.
    world.receive("stop", InboundKind::Command(anteroom::session::Command::Stop)).await;
    world.slack.person("U0ADA").home().sees("stopped").await;
}
