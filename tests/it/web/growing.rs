//! The page while a model leads: its words while they come, and what goes on meanwhile.

use std::{sync::Arc, time::Duration};

use anteroom::{
    engine::{Inbound, InboundKind, Receipt},
    ports::llm,
    session::{Command, Responder},
    tool::{EffectClass, Outcome, Tool, ToolCx, ToolResult, ToolSpec},
};
use async_trait::async_trait;
use futures::{Stream, StreamExt, stream::BoxStream};
use serde_json::{Value, json};

use super::site::{Site, Visitor};
use crate::llm::scripted::{Gate, Scripted, Turn};

const FLOW: &str = r#"
format = 1
id = "talk"
version = "1.0.0"
title = "A talk"

[approvals.override]
decider = "participant"

[[phase]]
id = "pets"
title = "Pets"
mode = "interview"
prompt = "Ask for a pet."
tools = ["weigh", "request_user_input", "next_phase"]

  [[phase.objective]]
  id = "pet"
  title = "A pet"
  done = { talked = 9 }
"#;

/// Takes as long as the story wants.
#[derive(Debug)]
struct Weigh(ToolSpec, Gate);

impl Weigh {
    fn behind(gate: &Gate) -> Arc<dyn Tool> {
        let parameters = json!({ "type": "object", "properties": {} });
        let spec = ToolSpec::new("weigh", "Weighs.", EffectClass::Pure, parameters);
        Arc::new(Self(
            ToolSpec { doing: "Looking for the scales…", done: "Put it on", ..spec },
            gate.clone(),
        ))
    }
}

#[async_trait]
impl Tool for Weigh {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, _cx: &ToolCx<'_>, args: Value) -> ToolResult {
        self.1.pass().await;
        Ok(Outcome::Immediate(args))
    }
}

/// What a live page is told.
pub(super) struct Ear<'a>(BoxStream<'a, String>, String);

impl Ear<'_> {
    pub(super) async fn to(visitor: &Visitor, path: &str) -> Self {
        let live = visitor.fetch(&format!("{path}/live")).await;
        assert_eq!(live.status(), 200);
        Ear(pieces(live.bytes_stream()).boxed(), String::new())
    }

    /// The next event that holds `words`; all before it are passed over.
    pub(super) async fn receives(&mut self, words: &str) -> String {
        let listening = async {
            loop {
                if let Some(end) = self.1.find("\n\n") {
                    let event: String = self.1.drain(..end + 2).collect();
                    if event.contains(words) {
                        return event;
                    }
                    continue;
                }
                self.1.push_str(&self.0.next().await.expect("the page is told no more"));
            }
        };
        let heard = tokio::time::timeout(Duration::from_secs(20), listening).await;
        heard.unwrap_or_else(|_| panic!("`{words}` is never told"))
    }
}

fn pieces(
    stream: impl Stream<Item = reqwest::Result<impl AsRef<[u8]>>>,
) -> impl Stream<Item = String> {
    stream.map(|chunk| String::from_utf8(chunk.unwrap().as_ref().to_vec()).unwrap())
}

/// Where the conversation is that begins with a turn of the model's.
async fn begun(site: &Site, ada: &Visitor) -> String {
    ada.start_unrested("talk").await;
    format!("/s/{}", site.session().await)
}

async fn drawn(ada: &Visitor, path: &str) -> String {
    ada.fetch(path).await.text().await.unwrap()
}

/// A page on which the model stands in the middle of its words, before the gate.
struct Speaking {
    site: Site,
    ada: Visitor,
    path: String,
    gate: Gate,
}

async fn speaking() -> Speaking {
    let (model, gate) = (Scripted::new(), Gate::new());
    let text = "Let us talk about **pets**, one after the other. Which one do you have at home?";
    model.next(Turn::says(text).in_pieces(4).held_by(&gate));
    let site = Site::led(FLOW, &model, Weigh::behind(&gate)).await;
    let ada = site.visitor();
    let path = begun(&site, &ada).await;
    gate.reached().await;
    Speaking { site, ada, path, gate }
}

#[tokio::test]
async fn words_grow_on_the_page_and_become_the_message_in_their_place() {
    let Speaking { site: _site, ada, path, gate } = speaking().await;

    // Whoever opens the page in the middle reads what there is.
    let page = drawn(&ada, &path).await;
    assert!(page.contains("about <strong>pets</strong>"), "{page}");
    assert!(page.contains("aria-busy") && !page.contains("at home") && !page.contains("Thinking"));
    let mut ear = Ear::to(&ada, &path).await;
    let growing = ear.receives("about <strong>pets").await;
    let kept = ear.receives("event: drafts").await;
    let id = between(&growing, "\"id\":\"", "\"");
    assert_eq!(between(&kept, "\"ids\":[", "]"), format!("\"{id}\""));
    assert!(growing.contains("draft") && growing.contains("\"spoken\":\"\""), "{growing}");

    gate.open();
    let whole = ear.receives("at home?").await;
    assert_eq!(between(&whole, "\"id\":\"", "\""), id);
    assert!(!whole.contains("draft") && whole.contains("\"spoken\":\"Let us talk"), "{whole}");
    assert!(ear.receives("event: drafts").await.contains("[]"));
    let page = drawn(&ada, &path).await;
    assert_eq!((page.matches("at home?").count(), page.matches("draft").count()), (1, 0), "{page}");
    assert!(page.contains(&format!("id=\"{id}\"")), "{page}");
}

#[tokio::test]
async fn a_forbidden_question_is_not_seen_while_it_is_written() {
    let (model, gate) = (Scripted::new(), Gate::new());
    let asked =
        "Thank you for your time so far. How old are you, if I may ask? And which pet do you have?";
    model
        .next(Turn::says(asked).in_pieces(9).held_by(&gate))
        .next(Turn::says("Which pet do you have?"));
    let flow = FLOW.replace("[[phase]]", "[policy]\nnever_ask = [\"age\"]\n\n[[phase]]");
    let site = Site::led(&flow, &model, Weigh::behind(&gate)).await;
    let ada = site.visitor();
    let path = begun(&site, &ada).await;
    gate.reached().await;
    let page = drawn(&ada, &path).await;
    assert!(page.contains("Thank you for your time so far."), "{page}");
    assert!(!page.contains("How old") && !page.contains("may ask"), "{page}");

    let mut ear = Ear::to(&ada, &path).await;
    gate.open();
    ear.receives("Which pet").await;
    let page = drawn(&ada, &path).await;
    assert!(!page.contains("Thank you for") && !page.contains("How old"), "{page}");
}

#[tokio::test]
async fn words_that_are_taken_back_leave_the_page() {
    let (model, gate) = (Scripted::new(), Gate::new());
    let first = Turn::says("These are some words that nobody will ever hear the end of, at all.");
    model.next(first.in_pieces(3).held_by(&gate).failing(llm::Error::Cut));
    let site = Site::led(FLOW, &model, Weigh::behind(&gate)).await;
    let ada = site.visitor();
    let path = begun(&site, &ada).await;
    gate.reached().await;
    let mut ear = Ear::to(&ada, &path).await;
    ear.receives("These are some words").await;

    gate.open();
    ear.receives("What you write isn't lost").await;
    assert!(ear.receives("event: drafts").await.contains("[]"));
    let page = drawn(&ada, &path).await;
    assert!(!page.contains("These are some") && !page.contains("Thinking"), "{page}");
}

#[tokio::test]
async fn what_goes_on_is_told_in_words_for_people() {
    let (model, scales, last) = (Scripted::new(), Gate::new(), Gate::new());
    model.next(Turn::calls("weigh", &json!({})));
    model.next(Turn::says("Three. Is that right?").held_by(&last));
    let site = Site::led(FLOW, &model, Weigh::behind(&scales)).await;
    let ada = site.visitor();
    let path = begun(&site, &ada).await;
    scales.reached().await;

    let page = drawn(&ada, &path).await;
    assert!(page.contains("Looking for the scales…") && !page.contains("weigh"), "{page}");
    assert!(!page.contains("Stop answering"), "a step can't be stopped: {page}");
    let mut ear = Ear::to(&ada, &path).await;
    ear.receives("Looking for the scales…").await;
    scales.open();
    last.reached().await;
    let thinking = ear.receives("Thinking…").await;
    assert!(
        thinking.contains("</svg>Put it on</span>") && thinking.contains("\"id\":\"doing\""),
        "{thinking}"
    );
    assert!(drawn(&ada, &path).await.contains("Thinking…"));
    last.open();
    ear.receives("Three.").await;
    assert!(!ada.get(&path).await.contains("Thinking…"));
    model.assert_played();
}

/// A tool that runs is not stopped, and nobody is told that it is over.
#[tokio::test]
async fn an_answer_can_be_stopped_on_the_page_while_it_comes() {
    let Speaking { site: _site, ada, path, gate: _ } = speaking().await;
    let page = drawn(&ada, &path).await;
    let page = ada.press(&page, "Stop answering").await;
    assert!(page.contains("one after") && page.contains(" …</p>"), "{page}");
    assert!(page.contains("I've stopped. Write whenever") && !page.contains("at home"), "{page}");
    assert!(!page.contains("Stop answering"), "nothing is left to stop: {page}");
}

#[tokio::test]
async fn whoever_stops_a_step_that_runs_is_told_that_it_does() {
    let (model, scales) = (Scripted::new(), Gate::new());
    model.next(Turn::calls("weigh", &json!({})));
    model.next(Turn::says("Three. Is that right?"));
    let site = Site::led(FLOW, &model, Weigh::behind(&scales)).await;
    let ada = site.visitor();
    let path = begun(&site, &ada).await;
    scales.reached().await;
    let head = site.engine.newest((None, 1), |_| true).await.unwrap().0.remove(0);
    let from = Responder::without_rights(head.participant, "Ada".to_owned());
    let (key, what) = ("stop".to_owned(), InboundKind::Command(Command::Interrupt));
    let stopped = site.engine.receive(Inbound { key, session: head.id, from, what }).await.unwrap();
    let Receipt::Refused(why) = stopped else { panic!("{stopped:?}") };
    assert!(why.to_string().starts_with("I'm in the middle of a step"), "{why}");
    scales.open();
    assert!(ada.get(&path).await.contains("Three."));
    model.assert_played();
}

#[tokio::test]
async fn what_came_to_nothing_is_not_told_as_done() {
    let (model, last) = (Scripted::new(), Gate::new());
    model.next(Turn::calls("weigh", &json!({ "status": "failed" })));
    model.next(Turn::says("It broke.").held_by(&last));
    let open = Gate::new();
    open.open();
    let site = Site::led(FLOW, &model, Weigh::behind(&open)).await;
    let ada = site.visitor();
    let path = begun(&site, &ada).await;
    last.reached().await;
    let page = drawn(&ada, &path).await;
    assert!(page.contains("Thinking…") && !page.contains("Put it on"), "{page}");
    last.open();
    assert!(ada.get(&path).await.contains("It broke."));
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let rest = text.split_once(from).unwrap_or_else(|| panic!("no `{from}` in {text}")).1;
    rest.split_once(to).unwrap().0
}
