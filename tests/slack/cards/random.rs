//! Whatever is asked fits what Slack takes, and can be answered there.

use std::collections::BTreeSet;

use anteroom::{
    form::Element,
    gateway::slack::{
        answer,
        render::{Cx, card, modal, post},
    },
    interview::answer::check,
    model::{
        transcript::Audience,
        ui::{
            Ask, Choice, Choose, Confirm, Control, Decide, Decision, Field, Form, Group, Input,
            List, Prompt, Reply, Review, Upload, Verdict,
        },
        wait::{Standing, Vote, Wait},
    },
};
use proptest::{
    collection::vec,
    option,
    prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest},
    strategy::Union,
};
use serde_json::{Value, json};

use super::{
    person::{answers, elements, filled, some},
    prompts::{ada, grace, now, wait},
    wrong_with, wrong_with_view,
};
use crate::judges::{self, Case};

/// Words of every kind: none, hostile ones, very long ones.
fn words() -> impl Strategy<Value = String> {
    let said = [
        "",
        " ",
        "\u{200b}",
        "Ada Byron",
        "<!channel> & <@U0ADA>",
        "*bold* _so_ ~no~ `code` ```fence```",
        "one\ntwo\r\n\n> three\n• four",
        "<https://evil.example|bank>",
        "\u{202e}desrever\u{1b}[31m\0",
        "👩‍👩‍👧‍👦 family",
        "1. not a list",
        "| a | b |\n|---|---|",
        "name: value",
        "صباح الخير",
        "e\u{301}e\u{301}",
    ];
    prop_oneof![
        6 => proptest::sample::select(said.to_vec()).prop_map(str::to_owned),
        3 => "\\PC{1,40}".prop_map(|text| text),
        2 => "[a-z <>&*_`\n]{0,400}".prop_map(|text| text),
        1 => (proptest::sample::select(vec!["a", "<", "& ", "👩‍👩‍👧‍👦", "word ", "e\u{301}", "```\n", "line\n", "**b** "]), 1_000..9_000_usize)
            .prop_map(|(part, times)| part.repeat(times)),
    ]
}

fn choices(most: usize) -> impl Strategy<Value = Vec<Choice>> {
    let one =
        (words(), option::of(words()), option::of(proptest::sample::select(vec!["🙂", "star"])));
    let few = vec(one, 2..most);
    (few, any::<bool>()).prop_map(|(parts, long_ids)| {
        let choice =
            |(n, (label, description, icon)): (usize, (String, Option<String>, Option<&str>))| {
                Choice {
                    id: if long_ids {
                        format!("{n}-{}", "id.".repeat(60))
                    } else {
                        format!("c{n}")
                    },
                    label,
                    description,
                    icon: icon.map(str::to_owned),
                }
            };
        parts.into_iter().enumerate().map(choice).collect()
    })
}

/// More choices than a menu has, than a form has.
fn crowd() -> impl Strategy<Value = Vec<Choice>> {
    proptest::sample::select(vec![99_usize, 100, 101, 150, 799, 801, 1_200]).prop_map(|count| {
        (0..count)
            .map(|n| Choice {
                id: format!("c{n}"),
                label: format!("Choice number {n}"),
                description: None,
                icon: None,
            })
            .collect()
    })
}

fn input() -> impl Strategy<Value = Input> {
    let length = option::of(1_u32..80);
    prop_oneof![
        4 => (any::<bool>(), length, option::of(80_u32..5_000)).prop_map(|(multiline, min, max)| Input::Text { multiline, min, max }),
        1 => Just(Input::Email),
        1 => Just(Input::Url),
        1 => Just(Input::Phone),
        1 => Just(Input::Date),
        1 => (any::<bool>(), option::of(-5_i32..5), option::of(5_i32..500)).prop_map(|(integer, min, max)| Input::Number { integer, min: min.map(f64::from), max: max.map(f64::from) }),
        1 => Just(Input::Bool),
        2 => (choices(14), any::<bool>()).prop_map(|(choices, multiple)| Input::Select { choices, multiple }),
        1 => Just(Input::Lines),
    ]
}

/// Label, hint, required, input, what it holds, to be checked.
type Parts = (String, Option<String>, bool, Input, Option<String>, bool);

fn fields(most: usize) -> impl Strategy<Value = Vec<Field>> {
    let one =
        (words(), option::of(words()), any::<bool>(), input(), option::of(words()), any::<bool>());
    vec(one, 1..most).prop_map(|parts| {
        let field = |(n, (label, hint, required, input, held, check)): (usize, Parts)| {
            let value = match (&input, held) {
                (_, None) => Value::Null,
                (Input::Bool, Some(text)) => json!(text.len() % 2 == 0),
                (Input::Number { .. }, Some(_)) => json!(5),
                (Input::Lines, Some(text)) => json!([text, "two"]),
                (Input::Select { choices, multiple: false }, Some(text)) => {
                    json!(choices[text.len() % choices.len()].id)
                }
                (Input::Select { choices, multiple: true }, Some(_)) => json!([choices[0].id]),
                // A draft that was read from a document may hold anything.
                (_, Some(text)) => json!(text),
            };
            Field { path: format!("basics.f{n}"), label, hint, required, input, value, check }
        };
        parts.into_iter().enumerate().map(field).collect()
    })
}

fn review() -> impl Strategy<Value = Review> {
    let entries = prop_oneof![5 => 0..4_usize, 1 => 4..12_usize];
    (fields(8), fields(6), entries, words(), words(), any::<bool>()).prop_map(
        |(own, of_entry, entries, title, noun, skippable)| {
            let mut data = json!({});
            let mut groups = vec![Group { path: String::new(), title, fields: own }];
            for n in 0..entries {
                let path = format!("work.{n}");
                let moved = |field: &Field| Field {
                    path: field.path.replace("basics", &path),
                    ..field.clone()
                };
                groups.push(Group {
                    path: path.clone(),
                    title: format!("Entry {}", n + 1),
                    fields: of_entry.iter().map(moved).collect(),
                });
            }
            data["work"] = json!(vec![json!({}); entries]);
            for field in
                groups.iter().flat_map(|group| &group.fields).filter(|field| !field.value.is_null())
            {
                set(&mut data, &field.path, field.value.clone());
            }
            let relative = |field: &Field| Field {
                path: field.path.replace("basics.", ""),
                value: Value::Null,
                ..field.clone()
            };
            let lists = vec![List {
                path: "work".into(),
                noun,
                fields: of_entry.iter().map(relative).collect(),
            }];
            Review { data_type: "d".into(), data, schema: json!({}), groups, lists, skippable }
        },
    )
}

fn set(data: &mut Value, path: &str, value: Value) {
    let at = path.split('.').fold(data, |at, part| match part.parse::<usize>() {
        Ok(n) => &mut at[n],
        Err(_) => &mut at[part],
    });
    *at = value;
}

fn control() -> Union<proptest::strategy::BoxedStrategy<Control>> {
    let choose =
        (prop_oneof![6 => choices(14).boxed(), 1 => crowd().boxed()], any::<bool>(), any::<bool>())
            .prop_map(|(choices, multiple, required)| {
                Control::Choose(Choose { choices, multiple, required })
            });
    let form =
        (prop_oneof![6 => fields(10).boxed(), 1 => fields(90).boxed()], words(), any::<bool>())
            .prop_map(|(fields, submit, skippable)| {
                Control::Form(Form { fields, submit, skippable })
            });
    let upload = (words(), vec(words(), 0..4), 0..60_u64, 0..20_u32, any::<bool>()).prop_map(
        |(upload_type, accept, mb, max_files, required)| {
            Control::Upload(Upload {
                upload_type,
                accept,
                max_bytes: mb * 1024 * 1024,
                max_files,
                required,
            })
        },
    );
    let ask = (option::of(words()), 1..20_000_u32, any::<bool>())
        .prop_map(|(placeholder, max, required)| Control::Ask(Ask { placeholder, max, required }));
    let decide = (words(), vec((words(), words()), 0..14), words(), words(), option::of(words()))
        .prop_map(|(request, facts, approve, deny, deny_and_tell)| {
            Control::Decide(Decide { request, facts, approve, deny, deny_and_tell })
        });
    let confirm = (words(), words(), any::<bool>())
        .prop_map(|(yes, no, danger)| Control::Confirm(Confirm { yes, no, danger }));
    Union::new_weighted(vec![
        (3, choose.boxed()),
        (3, form.boxed()),
        (3, review().prop_map(Control::Review).boxed()),
        (1, upload.boxed()),
        (1, ask.boxed()),
        (2, decide.boxed()),
        (1, confirm.boxed()),
    ])
}

fn question() -> impl Strategy<Value = Wait> {
    (option::of(words()), words(), control(), vec(words(), 0..6), 1..4_u32).prop_map(
        |(title, body, control, notes, quorum)| {
            let vote = Vote {
                by: grace(),
                by_name: "Grace".into(),
                decision: Decision::Denied,
                feedback: None,
            };
            Wait { quorum, votes: vec![vote], ..wait(Prompt { title, body, control, notes }) }
        },
    )
}

/// How a question may end.
fn ends(wait: &Wait, reply: Option<Reply>) -> Vec<Standing> {
    let reply = reply.unwrap_or(Reply::Skipped);
    let by_name = wait.prompt.body.clone();
    let web = "web:local/grace".parse().unwrap();
    vec![
        Standing::Answered { reply: reply.clone(), by: ada(), by_name: by_name.clone(), at: now() },
        Standing::Applied { reply, by: web, by_name, at: now() },
        Standing::Expired { at: now() },
        Standing::Cancelled { reason: wait.prompt.body.clone(), at: now() },
        Standing::Superseded { by: None, at: now() },
    ]
}

fn reader(wait: &Wait) -> Audience {
    match wait.prompt.control {
        Control::Decide(_) => Audience::Staff,
        _ => Audience::Participant,
    }
}

/// Draws a question in every standing, answers it in every way that it offers; every payload that came of it.
fn live_through(wait: &Wait, said: &str) -> Vec<Case> {
    let reader = reader(wait);
    let cx = Cx { reader, may_change: true, participant: Some(ada()), ..Cx::default() };
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
    for standing in ends(wait, accepted) {
        for reader in [Audience::Participant, Audience::Staff] {
            let ended = Wait { standing: standing.clone(), ..wait.clone() };
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
    fn whatever_is_asked_fits_and_can_be_answered(wait in question(), said in "[A-Za-z]{80}") {
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
    use proptest::{strategy::ValueTree as _, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let mut cases = Vec::new();
    for n in 0..40 {
        let wait = question().new_tree(&mut runner).unwrap().current();
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
        body: String::new(),
        control: Control::Review(super::prompts::timeline(3)),
        notes: Vec::new(),
    });
    let cx = Cx::default();
    let before = modal(&wait, "up.0.2", &cx).unwrap();
    let typed = filled(&before["blocks"], "");
    let action = Element::parse(before["callback_id"].as_str().unwrap()).unwrap();
    let Ok(Reply::Reviewed { verdict, data: Some(data), .. }) =
        answer::read(&wait, &action, &typed)
    else {
        panic!()
    };
    assert_eq!(verdict, Verdict::Modified);
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
    let action = Element::parse(after["callback_id"].as_str().unwrap()).unwrap();
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
