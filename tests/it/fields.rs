//! Data whose fields are tables of the flow: what is asked, in which order, and what is refused.

use std::collections::BTreeMap;

use anteroom::{
    chat::form::{self, Fields, complaint},
    flow::shape::shape,
    model::{
        flow::Period,
        session::Status,
        ui::{Control, FieldError, Input, Reply, Review},
        wait::Settlement,
    },
};
use serde_json::{Value, json};

use crate::world::World;

/// A form with a field of every type.
const FLOW: &str = r#"
format = 1
id = "helpers"
version = "1"
title = "Helpers"

[approvals.override]
channel = "desk"

[handoff]
channel = "desk"

[data.helper]
review = true
[data.helper.fields]
name = { type = "text", title = "Your name", min_length = 2, max_length = 40 }
email = { type = "email", title = "E-mail", help = "We write to you here." }
phone = { type = "phone", title = "Telephone", required = false }
site = { type = "url", required = false }
born = { type = "date", title = "Date of birth" }
adult = { type = "yes_no" }
hours = { type = "number", min = 1, max = 40, whole = true }
role = { type = "choice", title = "Role", options = { wash = "Washing up", cook = "Cook" } }
skills = { type = "choices", title = "Skills", options = { knife = "Knives", bread = "Bread", cake = "Cakes" }, min = 2, max = 2 }
about_you = { type = "long_text", max_length = 200, required = false }

[[phase]]
id = "details"
title = "About you"
mode = "script"

  [[phase.objective]]
  id = "known"
  title = "Your details"
  done = { reviewed = "helper" }

  [[phase.step]]
  id = "form"
  tool = "submit_for_validation"
  args = { dataType = "helper", message = "Who are you?", data = { name = "Ada" } }

  [[phase.effect]]
  do = "post_summary"
  channel = "desk"
  include = ["helper"]
"#;

fn answers() -> Value {
    json!({ "name": "Ada", "email": "ada@example.org", "born": "1990-12-10", "adult": true, "hours": 4,
        "role": "wash", "skills": ["cake", "knife"] })
}

async fn review(world: &World) -> Review {
    match &world.open().await.unwrap().prompt.control {
        Control::Review(review) => review.clone(),
        other => panic!("{other:?}"),
    }
}

/// What is said when these answers are given instead.
async fn refused(changes: Value) -> Vec<String> {
    let mut world = World::with(FLOW, None).await;
    let mut data = answers();
    for (key, value) in changes.as_object().unwrap() {
        data[key] = value.clone();
    }
    match world.edit(data).await {
        Settlement::Invalid { errors } => {
            errors.iter().map(|error| format!("{}: {}", error.path, error.message)).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn fields_are_asked_in_the_order_of_the_file_with_their_own_inputs() {
    let world = World::with(FLOW, None).await;
    let review = review(&world).await;
    let fields: Vec<_> = review.groups.iter().flat_map(|group| &group.fields).collect();
    let drawn = |input: &Input| match input {
        Input::Select { choices, .. } => {
            choices.iter().map(|choice| choice.label.as_str()).collect::<Vec<_>>().join(" | ")
        }
        other => serde_json::to_value(other).unwrap()["type"].as_str().unwrap().to_owned(),
    };
    let lines: Vec<String> = fields
        .iter()
        .map(|field| {
            let hint = field.hint.as_deref().unwrap_or_default();
            let needed = if field.required { "" } else { " (optional)" };
            format!("{}{needed}: {} {hint}", field.label, drawn(&field.input)).trim().to_owned()
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    Your name: text
    E-mail: email We write to you here.
    Telephone (optional): phone
    Site (optional): url
    Date of birth: day
    Adult: bool
    Hours: number
    Role: Washing up | Cook
    Skills: Knives | Bread | Cakes
    About you (optional): text
    ");
    let is_long = |path: &str| {
        let field = fields.iter().find(|field| field.path == path).unwrap();
        matches!(field.input, Input::Text { multiline: true, .. })
    };
    assert!(is_long("about_you") && !is_long("name"));
}

#[tokio::test]
async fn the_team_reads_the_labels_of_what_was_chosen() {
    let mut world = World::with(FLOW, None).await;
    assert_eq!(world.edit(answers()).await, Settlement::Applied);
    assert_eq!(world.state().await.record("helper").unwrap().data["role"], "wash");
    insta::assert_snapshot!(world.staff_screen(), @"
    **Ada Byron** has finished *Helpers*.

    **Helper**
    - Your name: Ada
    - E-mail: ada@example.org
    - Date of birth: 1990-12-10
    - Adult: yes
    - Hours: 4
    - Role: Washing up
    - Skills: Cakes, Knives
    ");
}

#[tokio::test]
async fn answers_out_of_bounds_are_refused_by_title() {
    assert_eq!(refused(json!({ "skills": ["cake"] })).await, ["skills: Pick at least 2."]);
    assert_eq!(refused(json!({ "skills": [] })).await, ["skills: Pick at least 2."]);
    let all = json!(["cake", "knife", "bread"]);
    assert_eq!(refused(json!({ "skills": all })).await, ["skills: Pick at most 2."]);
    assert_eq!(refused(json!({ "name": "" })).await, ["name: Enter at least 2 characters."]);
    assert_eq!(refused(json!({ "role": "sing" })).await, ["role: Pick from the list."]);
    let no_day = "born: Enter a date like 2001-05-31.";
    assert_eq!(refused(json!({ "born": "1990" })).await, [no_day]);
    assert_eq!(refused(json!({ "born": "1990-02-30" })).await, [no_day]);
    let no_phone = "phone: Enter a telephone number like +44 20 7946 0018.";
    assert_eq!(refused(json!({ "phone": "none" })).await, [no_phone]);
}

#[tokio::test]
async fn a_complaint_names_the_field_by_its_title() {
    let world = World::with(FLOW, None).await;
    let control = world.open().await.unwrap().prompt.control.clone();
    let wrong = |path: &str, message: &str| {
        complaint(&control, &FieldError { path: path.into(), message: message.into() })
    };
    assert_eq!(
        wrong("born", "Enter a date like 2001-05-31."),
        "Date of birth: enter a date like 2001-05-31."
    );
    assert_eq!(wrong("skills", "Pick at least 2."), "Skills: pick at least 2.");
}

#[tokio::test]
async fn a_day_is_read_from_a_form_however_it_is_written() {
    let world = World::with(FLOW, None).await;
    let review = review(&world).await;
    let field = review.groups[0].fields.iter().find(|field| field.path == "born").unwrap();
    let read = |typed: &str| {
        form::read(field, &Fields(vec![(form::field_name("born"), typed.to_owned())]))
    };
    for typed in ["2001-05-03", "03.05.2001", "3 May 2001", "3. Mai 2001", "3 de mayo de 2001"] {
        assert_eq!(read(typed), Ok(Some(json!("2001-05-03"))), "{typed}");
    }
    // May or March: what is typed stays, to be complained about.
    assert_eq!(read("03/05/2001"), Ok(Some(json!("03/05/2001"))));
    let said = form::read(field, &Fields::default()).unwrap_err().message;
    assert_eq!(said, "Fill in “Date of birth”.");
}

#[tokio::test]
async fn a_file_that_a_script_requires_cannot_be_passed_over() {
    let upload = r#"tool = "get_user_upload"
  args = { uploadType = "other", prompt = "Your licence?", acceptedFormats = ["txt"], required = true }"#;
    let (before, form) = FLOW.split_once("tool = \"submit_for_validation\"").unwrap();
    let (_, after) = form.split_once("data = { name = \"Ada\" } }").unwrap();
    let flow =
        format!("{before}{upload}{after}").replace("reviewed = \"helper\"", "uploaded = \"other\"");
    let mut world =
        World::with(&flow.replace("include = [\"helper\"]", "include = []"), None).await;
    match world.answer(Reply::Skipped).await {
        Settlement::Invalid { errors } => {
            assert_eq!(errors[0].message, "This question can't be skipped.");
        }
        other => panic!("{other:?}"),
    }
    world.upload("licence.txt", b"It is valid.").await.unwrap();
    assert_eq!(world.state().await.status, Status::Completed);
}

#[test]
fn lengths_of_time_read_as_they_were_written() {
    for (written, read) in [
        ("2y", "2 years"),
        ("1y", "1 year"),
        ("6months", "6 months"),
        ("2w", "14 days"),
        ("180d", "180 days"),
        ("36h", "36 hours"),
        ("90m", "90 minutes"),
    ] {
        assert_eq!(Period::try_from(written.to_owned()).unwrap().to_string(), read);
    }
}

#[test]
fn a_model_reads_what_belongs_into_each_field() {
    let loaded = anteroom::flow::LoadedFlow::load(FLOW, "helpers.toml", &BTreeMap::default());
    let shape = shape(&loaded.unwrap().schemas["helper"]);
    assert_eq!(shape["phone"], "telephone number");
    assert_eq!(shape["role"], "wash (Washing up) | cook (Cook) (required)");
    assert_eq!(shape["skills"], json!(["knife (Knives) | bread (Bread) | cake (Cakes)"]));
}
