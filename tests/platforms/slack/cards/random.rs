//! Whatever is asked fits what Slack takes, and can be answered there.

use std::collections::BTreeSet;

use anteroom::{
    chat::{card::Reader, form::ComponentId},
    gateway::slack::{
        answer,
        render::{Cx, card, modal, post},
    },
    model::{
        transcript::Audience,
        ui::{Control, Prompt, Reply, Verdict},
        wait::Wait,
    },
    session::answer::check,
};
use proptest::{
    collection::vec,
    prelude::{ProptestConfig, proptest},
};
use serde_json::{Value, json};

use super::{
    ada, grace,
    person::{answers, elements, filled, some},
    wrong_with, wrong_with_view,
};
use crate::slack::{
    judges::{self, Case},
    questions::{ends, question, timeline, wait, words},
};

fn reader(wait: &Wait) -> Audience {
    match wait.prompt.control {
        Control::Decide(_) => Audience::Staff,
        _ => Audience::Participant,
    }
}

/// Draws a question in every status, answers it in every way that it offers; every payload that came of it.
fn live_through(wait: &Wait, said: &str) -> Vec<Case> {
    let reader = Reader {
        audience: reader(wait),
        may_change: true,
        participant: Some(ada()),
        ..Reader::default()
    };
    let cx = Cx { reader, ..Cx::default() };
    let outcomes = answers(wait, &cx, said);
    assert!(!outcomes.is_empty(), "nothing can be done with {wait:#?}");
    let mut cases = vec![Case {
        name: "card".into(),
        target: "blocks",
        payload: Value::Array(card(wait, &cx).blocks),
    }];
    let mut accepted = None;
    for (action, outcome) in &outcomes {
        let reply = match outcome {
            Ok(Reply::Uploaded { .. }) => continue,
            Ok(reply) => reply,
            Err(errors) => panic!("`{action}` was filled in and is refused: {errors:?}\n{wait:#?}"),
        };
        let errors = check(&wait.prompt.control, reply);
        // What was read from a document may not be right; it is approved only once it is.
        let is_draft = matches!(reply, Reply::Reviewed { verdict: Verdict::Approved, .. });
        assert!(errors.is_empty() || is_draft, "`{action}`: {errors:?}\n{reply:#?}\n{wait:#?}");
        accepted.get_or_insert_with(|| reply.clone());
    }
    for (element, inputs) in some(elements(&Value::Array(card(wait, &cx).blocks))) {
        let element = answer::resolve(element, &inputs);
        if let Some(view) = modal(wait, &element.action, &cx) {
            assert_eq!(wrong_with_view(&view), Vec::<String>::new());
            cases.push(Case { name: element.action, target: "modal", payload: view });
        }
    }
    for status in ends(wait, accepted, &ada()) {
        for audience in [Audience::Participant, Audience::Staff] {
            let ended = Wait { status: status.clone(), ..wait.clone() };
            let reader = Reader { audience, ..cx.reader.clone() };
            let message = card(&ended, &Cx { reader, ..cx.clone() });
            assert_eq!(wrong_with(&message), Vec::<String>::new(), "{ended:#?}");
            cases.push(Case {
                name: "ended".into(),
                target: "blocks",
                payload: Value::Array(message.blocks),
            });
        }
    }
    cases
}

fn many() -> ProptestConfig {
    ProptestConfig {
        cases: 32,
        max_shrink_iters: 12,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(many())]

    #[test]
    fn whatever_is_asked_fits_and_can_be_answered(wait in question(grace()), said in "[A-Za-z]{80}") {
        live_through(&wait, &said);
    }

    #[test]
    fn whatever_is_said_fits_and_nothing_of_it_acts(text in vec(words(), 1..6)) {
        let text = text.join("\n\n");
        let messages = post(&text);
        for message in &messages {
            assert_eq!(wrong_with(message), Vec::<String>::new());
        }
        let letters = |text: &str| text.chars().filter(char::is_ascii_alphabetic).count();
        let shown: usize = messages.iter().flat_map(|m| &m.blocks).map(|b| letters(b["text"]["text"].as_str().unwrap())).sum();
        // Entities are letters too; nothing is lost.
        assert!(shown * 2 >= letters(&text.replace("script", "")) / 2, "{shown} of {}", letters(&text));
    }
}

#[test]
fn what_is_drawn_passes_the_judges() {
    use proptest::{
        strategy::{Strategy as _, ValueTree as _},
        test_runner::TestRunner,
    };
    let mut runner = TestRunner::deterministic();
    let mut cases = Vec::new();
    for n in 0..40 {
        let wait = question(grace()).new_tree(&mut runner).unwrap().current();
        for case in live_through(&wait, &"w".repeat(80)) {
            cases.push(Case { name: format!("{n} {}", case.name), ..case });
        }
    }
    if let Some(complaints) = judges::complaints(&cases) {
        assert!(
            complaints.is_empty(),
            "{} of {}:\n{}",
            complaints.len(),
            cases.len(),
            complaints.join("\n")
        );
    }
}

#[test]
fn entries_move_in_the_form_and_their_words_with_them() {
    let wait = wait(Prompt {
        title: None,
        body: "".into(),
        control: Control::Review(timeline(3)),
        notes: Vec::new(),
    });
    let cx = Cx::default();
    let form = modal(&wait, "edit", &cx).unwrap();
    let action = ComponentId::parse(form["callback_id"].as_str().unwrap()).unwrap();
    let before =
        anteroom::gateway::slack::render::rearranged(&wait, &action.action, "up.0.2", &cx).unwrap();
    let typed = filled(&before["blocks"], "");
    let action = ComponentId::parse(before["callback_id"].as_str().unwrap()).unwrap();
    let Ok(Reply::Reviewed { verdict, data: Some(data), .. }) =
        answer::read(&wait, &action, &typed)
    else {
        panic!()
    };
    assert_eq!(verdict, Verdict::Saved);
    let names: Vec<&str> = data["work"]
        .as_array()
        .unwrap()
        .iter()
        .map(|role| role["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Analytical Engines Ltd", "Lovelace <Weaving>", "Babbage & Sons"]);

    // The same within the form: what was typed stays under its block.
    let after =
        anteroom::gateway::slack::render::rearranged(&wait, &action.action, "remove.0.0", &cx)
            .unwrap();
    let ids = |view: &Value| -> BTreeSet<String> {
        view["blocks"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|b| b["block_id"].as_str().map(str::to_owned))
            .collect()
    };
    assert!(ids(&after).is_subset(&ids(&before)));
    let action = ComponentId::parse(after["callback_id"].as_str().unwrap()).unwrap();
    let Ok(Reply::Reviewed { data: Some(data), .. }) = answer::read(&wait, &action, &typed) else {
        panic!()
    };
    let names: Vec<&str> = data["work"]
        .as_array()
        .unwrap()
        .iter()
        .map(|role| role["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Lovelace <Weaving>", "Babbage & Sons"]);
    assert_eq!(data["work"][0]["highlights"], json!(["Wrote Note G", "Found & fixed a slip"]));
}
