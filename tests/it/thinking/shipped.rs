//! Both shipped flows from start to end, led by models of several temperaments that read nothing but the request: the
//! objectives, the forms of the data and the results stand there, or the model does not have them.

use std::sync::{Arc, Mutex};

use anteroom::{
    model::{
        session::Status,
        ui::{Control, Reply, Verdict},
    },
    ports::llm::{Completion, Error, Model, Request, Sink},
};
use async_trait::async_trait;

use crate::{
    llm::scripted::Scripted,
    reader::{Reader, Temperament, read},
    world::{FLOW, World},
};

/// A model that looks at what it is sent: nothing that was sent changes.
#[derive(Debug)]
struct Watched {
    reader: Reader,
    seen: Mutex<Vec<Request>>,
}

#[async_trait]
impl Model for Watched {
    async fn chat(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, Error> {
        {
            let mut seen = self.seen.lock().unwrap();
            if let Some(before) = seen.last() {
                let shared =
                    before.messages.iter().zip(&request.messages).take_while(|(a, b)| a == b);
                assert_eq!(shared.count(), before.messages.len(), "what was sent has changed");
            }
            seen.push(request.clone());
        }
        self.reader.chat(request, sink).await
    }
}

/// What a willing person does with the newest card; nothing where none is open.
fn reply(control: &Control, n: usize) -> Reply {
    match control {
        Control::Choose(choose) => {
            Reply::Chosen { ids: vec![choose.choices[0].id.clone()], free_text: None }
        }
        Control::Ask(_) => Reply::Text { text: format!("These are my words, number {n}.") },
        Control::Review(_) => {
            Reply::Reviewed { verdict: Verdict::Approved, data: None, notes: None }
        }
        Control::Upload(upload) if !upload.required => Reply::Skipped,
        other => panic!("nobody asked for this: {other:?}"),
    }
}

#[tokio::test]
async fn both_shipped_flows_end_with_models_that_read_nothing_but_the_request() {
    use Temperament::{Cards, Errs, Forgets, Words};
    for flow in ["candidate-onboarding", "community-welcome"] {
        for temperament in [Cards, Words, Forgets, Errs] {
            let what = format!("{flow}, {temperament:?}");
            let reader = Reader::new(temperament);
            let model = Arc::new(Watched { reader, seen: Mutex::default() });
            let mut world = World::unbegun(FLOW, &Scripted::new());
            world.equip(Arc::clone(&model) as Arc<dyn Model>);
            world.nudge();
            world.begin(flow).await;
            let mut acts = 0;
            while world.state().await.status != Status::Completed {
                acts += 1;
                assert!(
                    acts < 60,
                    "{what} does not end:\n{}\n{:?}",
                    world.screen(),
                    model
                        .seen
                        .lock()
                        .unwrap()
                        .last()
                        .unwrap()
                        .messages
                        .iter()
                        .rev()
                        .take(4)
                        .collect::<Vec<_>>()
                );
                if acts == 5 {
                    world.restart().await;
                }
                if let Some(wait) = world.open().await {
                    world.answer(reply(&wait.prompt.control, acts)).await;
                } else {
                    let screen = world.screen();
                    let last = screen.rsplit("---").next().unwrap();
                    assert!(last.contains('?'), "{what}: nothing to answer:\n{screen}");
                    world.say(&format!("These are my words, number {acts}.")).await;
                }
            }
            let state = world.state().await;
            assert!(state.handoff.is_none(), "{what}: a person was asked for:\n{}", world.screen());
            assert!(!world.screen().contains("fixed list"), "{what}: {}", world.screen());
            assert!(!model.seen.lock().unwrap().is_empty(), "{what}");
            let reviewed = state.records.iter().filter(|record| record.reviewed).count();
            assert_eq!(reviewed, if flow == "candidate-onboarding" { 5 } else { 1 }, "{what}");
            let read = read(model.seen.lock().unwrap().last().unwrap());
            assert_eq!(read.is_last, flow == "candidate-onboarding", "{what}");
        }
    }
}
