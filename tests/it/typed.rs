//! What people type instead of pressing a button: `typed/replies.txt` was labelled before the reader was written.

use anteroom::{
    model::{
        session::Status,
        ui::{Choice, Choose, Control, Reply},
    },
    session::{
        Command,
        typed::{Reading, order, read},
    },
};
use serde_json::json;

use crate::{
    llm::scripted::{Scripted, Turn},
    thinking::TALK,
    world::World,
};

const REPLIES: &str = include_str!("typed/replies.txt");

/// `card NAME [multiple]: id=Label | id=Label …`
fn card(line: &str) -> Control {
    let (head, options) = line.split_once(": ").unwrap();
    let choices = options.split(" | ").map(|option| {
        let (id, label) = option.split_once('=').unwrap();
        Choice { id: id.into(), label: label.into(), description: None, icon: None }
    });
    let multiple = head.ends_with("multiple");
    Control::Choose(Choose {
        choices: choices.collect(),
        multiple,
        required: true,
        ..Choose::default()
    })
}

/// What a reply comes to: an option goes before an order.
fn outcome(control: &Control, text: &str) -> String {
    if let Reading::Settled(Reply::Chosen { ids, .. }) = read(control, text) {
        return ids.join(" ");
    }
    match order(text) {
        Some(Command::Stop) => "@stop".to_owned(),
        Some(Command::Human) => "@human".to_owned(),
        Some(Command::Later) => "@later".to_owned(),
        Some(Command::Delete) => "@delete".to_owned(),
        Some(Command::Skip) => "@skip".to_owned(),
        Some(Command::Resume) => "@resume".to_owned(),
        Some(Command::Export) => "@export".to_owned(),
        Some(other) => format!("@{other:?}"),
        None => String::new(),
    }
}

#[test]
fn typed_replies_settle_what_they_answer_and_nothing_else() {
    let (mut control, mut count, mut wrong) = (None, 0, Vec::new());
    for line in REPLIES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(card_line) = line.strip_prefix("card ") {
            control = Some(card(card_line));
            continue;
        }
        count += 1;
        let (said, expected) = line.split_once(" => ").unwrap_or((line, ""));
        let text = said.splitn(3, ' ').nth(2).unwrap();
        let outcome = outcome(control.as_ref().unwrap(), text);
        if outcome != expected {
            wrong.push(format!("{line}\n    came to `{outcome}`"));
        }
    }
    assert!(count > 200, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn an_option_whose_name_is_an_order_can_be_typed() {
    let control = card("start: skip=Skip | later=Not now");
    for (text, id) in [("skip", "skip"), ("Skip, please", "skip"), ("not now", "later")] {
        assert_eq!(outcome(&control, text), id, "{text}");
    }
}

#[test]
fn numbers_on_labels_come_before_places() {
    let scale = card("scale: a=0 | b=1 | c=2 | d=3 – neutral | e=4 | f=5");
    assert_eq!(outcome(&scale, "3"), "d");
    assert_eq!(outcome(&scale, "the third one"), "c");
    let years = card("years: a=0-1 years | b=1-2 years | c=More");
    assert_eq!(outcome(&years, "1"), "");
    assert_eq!(outcome(&years, "1-2 years"), "b");
}

#[test]
fn typed_words_travel_with_the_choice_unless_they_are_its_name() {
    let control = card("work: full=Full-time | part=Part-time");
    let words = |text: &str| match read(&control, text) {
        Reading::Settled(Reply::Chosen { free_text, .. }) => free_text,
        _ => panic!("{text} settles nothing"),
    };
    assert_eq!(words("full-time"), None);
    assert_eq!(words("number two, please").as_deref(), Some("number two, please"));
}

#[test]
fn an_option_that_is_only_mentioned_is_asked_about() {
    let control = card("work: full=Full-time | part=Part-time");
    assert_eq!(read(&control, "rarely full-time"), Reading::Unsure("Full-time".to_owned()));
    assert_eq!(read(&control, "what is full-time"), Reading::NotAnAnswer { is_question: true });
    assert_eq!(read(&control, "no idea"), Reading::NotAnAnswer { is_question: false });
}

#[tokio::test]
async fn a_question_in_reply_to_a_script_is_kept_for_the_team_and_settles_nothing() {
    let mut world = World::new().await;
    world.say("what happens if red?").await;
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which colour?");
    assert!(world.screen().contains("saved your question for the team"), "{}", world.screen());
    assert!(!world.state().await.results.contains_key("colour"));

    world.say("red please").await;

    assert_eq!(world.state().await.results["colour"]["selectedIds"], json!(["red"]));
    assert_eq!(world.state().await.results["colour"]["freeText"], json!("red please"));
}

#[tokio::test]
async fn words_that_ask_something_are_an_answer_to_an_open_question_only_when_sent_again() {
    let mut world = World::new().await;
    for words in ["red", "small", "skip"] {
        world.say(words).await;
    }
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "A word, please.");
    world.say("Why do you need one?").await;
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "A word, please.");
    assert!(world.screen().contains("If that was your answer, please send it again."));

    world.say("Why do you need one?").await;

    assert_eq!(world.state().await.results["word"]["userInput"], json!("Why do you need one?"));
}

#[tokio::test]
async fn orders_are_understood_in_other_languages_and_with_courtesy() {
    let mut world = World::new().await;
    world.say("später bitte").await;
    assert!(world.screen().contains("The question stays open"), "{}", world.screen());
    world.say("Bitte abbrechen!").await;
    assert_eq!(world.state().await.status, Status::Stopped);
    world.say("weiter").await;
    assert_eq!(world.state().await.status, Status::Open);
    world.say("Quiero hablar con una persona, por favor").await;
    assert!(world.state().await.handoff.is_some());
}

#[tokio::test]
async fn a_button_that_is_named_with_courtesy_settles_its_question_whoever_asks_it() {
    let args = json!({ "prompt": "How would you like to begin?", "options": [
        { "id": "upload", "label": "Upload résumé" }, { "id": "type", "label": "Type it in" },
    ] });
    let flow = r#"
format = 1
id = "begin"
version = "1.0.0"
title = "Begin"

[[phase]]
id = "one"
title = "One"
mode = "script"

  [[phase.step]]
  id = "start"
  tool = "get_user_option"
  args = { prompt = "How?", options = [{ id = "upload", label = "Upload résumé" }, { id = "type", label = "Type it in" }] }
"#;
    let model = Scripted::new();
    model.next(Turn::calls("get_user_option", &args));
    model.next(Turn::says("What is your name?"));
    for mut world in [World::with(flow, None).await, World::led_by(TALK, &model).await] {
        world.say("I would like to type it in please").await;
        let results = world.results().await;
        assert_eq!(results[0].1["selectedIds"], json!(["type"]), "{results:?}");
        assert!(!world.screen().contains("as a note"), "{}", world.screen());
    }
    model.assert_played();
}
