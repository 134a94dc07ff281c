//! Cards as lines that open, and reviews that begin as forms: nothing is cut where it cannot be opened, and nobody has
//! to look for the place to write.

use std::sync::Arc;

use anteroom::model::{
    session::PersonId,
    transcript::Audience,
    ui::{Choose, Control, Group, List, Reply, Review},
    wait::{Wait, WaitStatus},
};
use serde_json::{Value, json};

use super::draw::{choices, cx, field, html, now, read, text, wait};

fn chosen(mut card: Wait, ids: &[&str]) -> String {
    let ids = ids.iter().map(|id| (*id).to_owned()).collect();
    card.status = WaitStatus::Applied {
        reply: Reply::Chosen { ids, free_text: None },
        by: PersonId::web("ada"),
        by_name: "Ada".into(),
        at: now(),
    };
    html(&card, &cx(Audience::Participant))
}

fn choose(body: &str, label: &str) -> Wait {
    let mut choices = choices(3);
    for choice in &mut choices {
        choice.label = format!("{label} {}", choice.id);
    }
    let mut card = wait(Control::Choose(Choose {
        choices,
        multiple: true,
        required: true,
        ..Choose::default()
    }));
    Arc::make_mut(&mut card.prompt).body = body.to_owned().into();
    card
}

#[test]
fn question_that_may_not_fit_its_line_opens() {
    let short = chosen(choose("Which colour?", "Red"), &["c0"]);
    assert!(short.contains("<div class=\"past\">") && !short.contains("<details"), "{short}");

    let question = "Which role would you like to talk about? Pick one you know well.";
    let long = chosen(choose(question, "Red"), &["c0"]);
    let (line, rest) = long.split_once("</summary>").unwrap_or_else(|| panic!("{long}"));
    assert!(line.contains("<details class=\"past\">"), "{long}");
    assert!(rest.contains(question), "{long}");
}

#[test]
fn labels_that_have_no_room_on_the_line_are_whole_below_it() {
    let label = "A choice that is described at some length so that two of them";
    let drawn = chosen(choose("Which?", label), &["c0", "c1", "c2"]);
    let (_, rest) = drawn.split_once("</summary>").unwrap_or_else(|| panic!("{drawn}"));
    assert!(rest.contains(&format!("{label} c0, {label} c1, {label} c2</p>")), "{drawn}");
}

fn review(groups: Vec<Group>, data: Value) -> Review {
    let name = field("name", "Employer", text(), Value::Null);
    Review {
        data_type: "skeleton_timeline".into(),
        data,
        schema: json!(true),
        groups,
        lists: vec![List { path: "work".into(), noun: "role".into(), fields: vec![name] }],
        skippable: false,
    }
}

#[test]
fn nothing_to_look_over_is_a_form_that_says_what_to_do() {
    let card = wait(Control::Review(review(Vec::new(), json!({}))));
    let drawn = html(&card, &cx(Audience::Participant));
    insta::assert_snapshot!(read(&drawn), @"
    Question
    A question.
    [Save]
    Nothing here yet. Add a role, or save to leave it empty.
    [Add a role]
    Note for the interviewer optional
    {notes=}
    [Save]
    1 of 2
    ");
    assert!(!drawn.contains("<summary"), "{drawn}");
}

#[test]
fn hardly_anything_to_look_over_begins_as_a_form_until_it_is_saved() {
    let fields = ["name", "email", "phone", "city"].into_iter().map(|path| {
        let value = if path == "name" { json!("Ada") } else { Value::Null };
        field(path, path, text(), value)
    });
    let group = Group { path: String::new(), title: "Contact".into(), fields: fields.collect() };
    let card = wait(Control::Review(review(vec![group], json!({ "name": "Ada" }))));
    let is_open = |card: &Wait| {
        html(card, &cx(Audience::Participant)).contains("<details class=\"fold edit\" open>")
    };
    assert!(is_open(&card));
    assert!(!is_open(&Wait { revision: 2, ..card }));
}

#[test]
fn question_to_somebody_else_is_no_open_card_of_the_viewers() {
    let card = choose("Which?", "Red");
    let theirs = html(&card, &cx(Audience::Staff));
    assert!(theirs.contains("class=\"card waits\"") && !theirs.contains("<form"), "{theirs}");
    assert!(html(&card, &cx(Audience::Participant)).contains("class=\"card open\""));
}
