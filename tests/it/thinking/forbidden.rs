//! Topics that a flow forbids to ask about: a model's question about one is not sent.

use serde_json::json;

use super::{TALK, news, talk, with_script};
use crate::{
    llm::scripted::{Scripted, Turn},
    world::World,
};

const ASKED: &str = "Thank you. How much do you earn? And what is your pet called?";

#[tokio::test]
async fn a_forbidden_question_is_not_sent_and_the_model_answers_again() {
    let model = Scripted::new();
    model.next(Turn::says(ASKED)).next(Turn::says("What is your pet called?"));
    let world = talk(&model).await;
    model.assert_played();
    assert!(news(&model, 1).contains("must never ask about"), "{}", news(&model, 1));
    assert!(!news(&model, 1).contains("do you earn"), "{}", news(&model, 1));
    let screen = world.screen();
    assert!(screen.ends_with("---\nWhat is your pet called?"), "{screen}");
    assert!(!screen.contains("do you earn"), "{screen}");
}

#[tokio::test]
async fn a_model_that_insists_is_sent_without_its_question() {
    let model = Scripted::new();
    model.next(Turn::says(ASKED)).next(Turn::says(ASKED));
    let world = talk(&model).await;
    model.assert_played();
    let screen = world.screen();
    assert!(screen.ends_with("---\nThank you. And what is your pet called?"), "{screen}");
    assert!(!screen.contains("do you earn"), "{screen}");
}

#[tokio::test]
async fn where_a_model_asks_nothing_else_the_script_asks() {
    let model = Scripted::new();
    for _ in 0..4 {
        model.next(Turn::says("Please tell me your salary."));
    }
    let mut world = World::unbegun(&with_script(), &model);
    world.nudge();
    world.begin("talk").await;
    model.assert_played();
    assert!(news(&model, 2).contains("you asked nothing"), "{}", news(&model, 2));
    assert!(!world.screen().contains("salary"), "{}", world.screen());
    assert!(world.screen().ends_with("What is it called?\n[…]"), "{}", world.screen());
}

#[tokio::test]
async fn a_forbidden_card_is_not_shown_and_the_model_reads_why() {
    let model = Scripted::new();
    model.next(Turn::calls("request_user_input", &json!({ "prompt": "Your salary" })));
    let question = json!({ "prompt": "What is your pet called?" });
    model.next(Turn::calls("request_user_input", &question));
    let world = talk(&model).await;
    model.assert_played();
    let told = news(&model, 1);
    assert!(told.contains("must never ask about salary"), "{told}");
    let screen = world.screen();
    assert!(!screen.contains("Your salary") && screen.contains("pet called"), "{screen}");
}

#[tokio::test]
async fn what_a_flow_itself_asks_is_asked() {
    let script = r#"
  [[phase.step]]
  id = "salary"
  tool = "request_user_input"
  args = { prompt = "What is your salary?" }

[[phase]]
id = "end""#;
    let flow = TALK.replacen("\n[[phase]]\nid = \"end\"", script, 1);
    let world = World::with(&flow, None).await;
    assert!(world.screen().contains("What is your salary?"), "{}", world.screen());
}
