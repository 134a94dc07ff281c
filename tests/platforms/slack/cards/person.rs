//! A person who sees a card and answers it: only what is drawn is pressed, only what an input takes is entered.

use std::collections::BTreeMap;

use anteroom::{
    chat::form::ComponentId,
    gateway::slack::{
        answer,
        inbound::{File, Inputs, Typed},
        render::{Cx, card, modal},
    },
    model::{
        ui::{Control, Input, Reply},
        wait::Wait,
    },
};
use serde_json::Value;

use super::{walk, wrong_with, wrong_with_view};

/// What a person can use on a card: ids of elements, each with what it would send.
pub(crate) fn elements(blocks: &Value) -> Vec<(ComponentId, Inputs)> {
    let mut found = Vec::new();
    let ticked = filled(blocks, "");
    walk(blocks, &mut |object| {
        let Some(id) = object["action_id"].as_str() else { return };
        let Some(element) = ComponentId::parse(id) else { return };
        let mut send = |values: Vec<String>| {
            let mut inputs = ticked.clone();
            let typed = Typed { values, files: Vec::new() };
            inputs.0.entry(id.to_owned()).or_default().insert(id.to_owned(), typed);
            found.push((element.clone(), inputs));
        };
        match object["type"].as_str().unwrap_or_default() {
            "overflow" | "static_select" => {
                for value in options(object) {
                    send(vec![value]);
                }
            }
            "checkboxes" => {}
            _ => send(Vec::new()),
        }
    });
    found
}

fn options(element: &Value) -> Vec<String> {
    let mut values = Vec::new();
    walk(element, &mut |object| {
        if let (Some(value), true) = (object["value"].as_str(), object["text"].is_object()) {
            values.push(value.to_owned());
        }
    });
    values.dedup();
    values
}

/// Everything entered that may be: what is prefilled stays, what is empty is filled in.
pub(crate) fn filled(blocks: &Value, words: &str) -> Inputs {
    let mut inputs = Inputs::default();
    for block in blocks.as_array().into_iter().flatten() {
        let elements = [&block["element"]]
            .into_iter()
            .chain(block["elements"].as_array().into_iter().flatten());
        for element in elements.filter(|element| element.is_object()) {
            let block = block["block_id"].as_str().unwrap_or("none").to_owned();
            // What is picked need not be named.
            let words = if block == "named" { "" } else { words };
            let Some(typed) = entered(element, words, block.starts_with("p.")) else { continue };
            let action = element["action_id"].as_str().unwrap_or_default().to_owned();
            inputs.0.entry(block).or_insert_with(BTreeMap::new).insert(action, typed);
        }
    }
    inputs
}

/// `is_shared`: several fields stand in it, a line each.
fn entered(element: &Value, words: &str, is_shared: bool) -> Option<Typed> {
    let text =
        |name: &str| element[name].as_str().map(str::to_owned).filter(|text| !text.is_empty());
    let one = |value: String| Some(Typed { values: vec![value], files: Vec::new() });
    match element["type"].as_str()? {
        "plain_text_input" => {
            // A draft that was read from a document may be wrong: whoever has words writes them in its place.
            let held = text("initial_value").filter(|_| words.is_empty() || is_shared);
            let typed = held
                .or_else(|| element["placeholder"]["text"].as_str().map(str::to_owned))
                .unwrap_or_else(|| words.to_owned());
            let least = usize::try_from(element["min_length"].as_u64().unwrap_or(0)).unwrap();
            let most = usize::try_from(element["max_length"].as_u64().unwrap_or(3000)).unwrap();
            let padded =
                format!("{typed}{}", "x".repeat(least.saturating_sub(typed.chars().count())));
            one(padded.chars().take(most).collect())
        }
        "email_text_input" => {
            one(text("initial_value").unwrap_or_else(|| "ada@example.org".to_owned()))
        }
        "url_text_input" => {
            one(text("initial_value").unwrap_or_else(|| "https://example.org/".to_owned()))
        }
        "datepicker" => one(text("initial_date").unwrap_or_else(|| "2019-03-01".to_owned())),
        "number_input" => one(text("initial_value")
            .or_else(|| text("min_value"))
            .or_else(|| text("max_value"))
            .unwrap_or_else(|| "1".to_owned())),
        "radio_buttons" | "static_select" => {
            one(options(element).into_iter().find(|value| value != "none")?)
        }
        "checkboxes" | "multi_static_select" => Some(Typed {
            values: options(element).into_iter().take(2).collect(),
            files: Vec::new(),
        }),
        "file_input" => Some(Typed {
            values: Vec::new(),
            files: vec![File { id: "F01".to_owned(), ..File::default() }],
        }),
        _ => None,
    }
}

/// The action that was sent in the end, and what it came to.
pub(crate) type Used = (String, Result<Reply, BTreeMap<String, String>>);

/// Uses one element of a card to its end: the form that it opens is filled in and sent.
pub(crate) fn use_element(wait: &Wait, used: &(ComponentId, Inputs), words: &str) -> Used {
    let cx = Cx { metadata: "D024/1690.0001".to_owned(), ..Cx::default() };
    let element = answer::resolve(used.0.clone(), &used.1);
    let Some(view) = modal(wait, &element.action, &cx) else {
        return (element.action.clone(), answer::read(wait, &element, &used.1));
    };
    assert_eq!(wrong_with_view(&view), Vec::<String>::new(), "the form of {}", element.action);
    let sent = ComponentId::parse(view["callback_id"].as_str().unwrap()).unwrap();
    let mut inputs = filled(&view["blocks"], words);
    fill_lines(wait, &mut inputs, words);
    (sent.action.clone(), answer::read(wait, &sent, &inputs))
}

/// Several fields in one input: each line is completed.
fn fill_lines(wait: &Wait, inputs: &mut Inputs, words: &str) {
    let Control::Form(form) = &wait.prompt.control else { return };
    for (_, block) in inputs.0.iter_mut().filter(|(block, _)| block.starts_with("p.")) {
        for text in block.values_mut().flat_map(|typed| &mut typed.values) {
            let line = |line: &str| {
                let number = line.split('.').next().unwrap().parse::<usize>().unwrap();
                let answer = match &form.fields[number - 1].input {
                    Input::Email => "ada@example.org",
                    Input::Url => "https://example.org",
                    Input::Phone => "+44 20 7946 0018",
                    Input::Date => "2019-03",
                    Input::Day => "2019-03-01",
                    Input::Number { .. } => "5",
                    Input::Bool => "yes",
                    Input::Select { .. } => "1",
                    Input::Text { .. } | Input::Lines => words,
                };
                format!("{}: {answer}", line.split(':').next().unwrap())
            };
            *text = text.lines().map(line).collect::<Vec<_>>().join("\n");
        }
    }
}

/// Every element of a card that answers it, with what comes of it; the card and its forms must be drawn well.
pub(crate) fn answers(wait: &Wait, cx: &Cx, words: &str) -> Vec<Used> {
    let message = card(wait, cx);
    assert_eq!(wrong_with(&message), Vec::<String>::new(), "{wait:#?}");
    let elements = elements(&Value::Array(message.blocks));
    let uses = elements
        .iter()
        .filter(|(element, _)| !answer::is_idle(element) && element.action != "read");
    some(uses.collect()).into_iter().map(|used| use_element(wait, used, words)).collect()
}

/// A dozen of many that are alike, the first and the last among them.
pub(crate) fn some<T>(mut all: Vec<T>) -> Vec<T> {
    if all.len() > 12 {
        let middle = all.len() - 6;
        all.drain(6..middle);
    }
    all
}
