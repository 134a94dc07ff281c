//! The forms of data: what a model is shown of them, how it may write them otherwise, and what it is told where it errs.

use anteroom::{flow::shape::shape, model::ui::Control, tool::pipeline::coerce::coerced};
use serde_json::{Value, json};

use super::bench::Bench;
use crate::world::World;

fn schema(name: &str) -> Value {
    World::flow("candidate-onboarding").schemas[name].clone()
}

#[test]
fn the_forms_of_the_shipped_flow_are_short_and_whole() {
    insta::assert_snapshot!(shape(&schema("skeleton_timeline")), @r#"{"work":[{"name":"text (required)","position":"text","location":"text","startDate":"YYYY, YYYY-MM or YYYY-MM-DD","endDate":"YYYY, YYYY-MM or YYYY-MM-DD; leave empty if current"}],"volunteer":[{"organization":"text (required)","position":"text","startDate":"YYYY, YYYY-MM or YYYY-MM-DD","endDate":"YYYY, YYYY-MM or YYYY-MM-DD; leave empty if current"}]}"#);
    insta::assert_snapshot!(shape(&schema("knowledge_card")), @r#"{"title":"text (required)","summary":"text","source":"text","achievements":[{"claim":"text (required)","evidence":{"quote":"text (required)","source":"text"}}],"metrics":["text"],"skills":["text"]}"#);
    insta::assert_snapshot!(shape(&schema("writing_sample")), @r#"{"title":"text","text":"text (one of these is required)","artifact_id":"text (one of these is required)"}"#);
}

#[tokio::test]
async fn natural_spellings_of_contact_details_are_understood() {
    let meant = json!({ "basics": { "name": "Ada Byron", "email": "ada@example.org" } });
    for args in [
        json!({ "data": meant }),
        json!({ "data": { "name": "Ada Byron", "email": "ada@example.org" } }),
        json!({ "data": { "Name": "Ada Byron", "e_mail": "ada@example.org" } }),
        json!({ "data": { "basics": { "name": "Ada Byron" }, "email": "ada@example.org" } }),
        json!({ "data": meant.to_string() }),
        json!({ "basics": { "name": "Ada Byron", "email": "ada@example.org" } }),
        json!({ "name": "Ada Byron", "email": "ada@example.org" }),
    ] {
        let mut args = args;
        args["dataType"] = json!("applicantProfile");
        let mut bench = Bench::new();
        let prompt = bench.ask("submit_for_validation", args.clone()).await;
        let Control::Review(review) = prompt.control else { panic!("{args}") };
        assert_eq!(review.data, meant, "{args}");
    }
}

#[test]
fn what_only_one_thing_can_be_meant_by_is_put_right_and_nothing_else() {
    let timeline = schema("skeleton_timeline");
    let entry = json!({ "name": "Example Ltd", "startDate": "2019" });
    let meant = json!({ "work": [entry] });
    for written in [
        json!({ "work": [{ "name": "Example Ltd", "startDate": 2019 }] }),
        json!({ "work": { "name": "Example Ltd", "start_date": "2019", "end_date": "present" } }),
        json!([{ "name": "Example Ltd", "startDate": 2019 }]),
    ] {
        assert_eq!(coerced(&timeline, written.clone()), meant, "{written}");
    }
    let sizes = json!({
        "type": "object",
        "properties": {
            "count": { "type": "integer" },
            "share": { "type": "number" },
            "done": { "type": "boolean" },
        },
    });
    assert_eq!(
        coerced(&sizes, json!({ "count": "3", "share": "0.5", "done": "true" })),
        json!({ "count": 3, "share": 0.5, "done": true })
    );
    // In doubt it stays as it was.
    let two = json!({
        "type": "object",
        "properties": {
            "home": { "type": "object", "properties": { "city": { "type": "string" } } },
            "work": { "type": "object", "properties": { "city": { "type": "string" } } },
        },
    });
    assert_eq!(coerced(&two, json!({ "city": "Rome" })), json!({ "city": "Rome" }));
    assert_eq!(coerced(&sizes, json!({ "count": "many" })), json!({ "count": "many" }));
}

#[tokio::test]
async fn an_error_names_everything_that_is_wrong_and_the_form() {
    let mut bench = Bench::new();
    let data = json!({ "basics": { "nick": "A", "mail": "a" }, "salary": 1 });
    let args = json!({ "dataType": "applicant_profile", "data": data });
    let told = bench.tell("submit_for_validation", args).await;
    let told = told["error"].as_str().unwrap();
    for part in [
        "no `nick`",
        "`mail`",
        "no `salary`",
        "hint: `data` of `applicant_profile` has this form: {\"basics\":{",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}
