//! What each tool asks and answers, to the letter.

use anteroom::{
    model::{
        contact::{Contact, Labelled, Name},
        session::PersonId,
        transcript::{CallResult, ObjectiveStatus},
        ui::{Control, Decision, Reply, Verdict},
        wait::{Settlement, Wait, WaitStatus},
    },
    ports::contacts::{ContactSource, Fetched, Wanted},
    tool::Policy,
};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::bench::{Bench, upload};

fn options() -> Value {
    json!({
        "prompt": "Which one?",
        "options": [
            { "id": "one", "label": "The first", "description": "", "icon": null },
            { "id": "two", "label": "The second" }
        ]
    })
}

#[tokio::test]
async fn a_choice_answers_with_ids_and_the_time_of_the_answer() {
    let mut bench = Bench::new();
    let prompt = bench.ask("get_user_option", options()).await;
    insta::assert_json_snapshot!(prompt, @r#"
    {
      "body": "Which one?",
      "control": {
        "kind": "choose",
        "choices": [
          {
            "id": "one",
            "label": "The first"
          },
          {
            "id": "two",
            "label": "The second"
          }
        ],
        "multiple": false,
        "required": true
      }
    }
    "#);
    let chosen = Reply::Chosen { ids: vec!["two".to_owned()], free_text: None };
    assert_eq!(
        bench.answer(chosen).await,
        json!({ "selectedIds": ["two"], "timestamp": "2026-11-21T09:05:00Z" })
    );
}

#[tokio::test]
async fn words_instead_of_a_choice_keep_the_shape() {
    let mut bench = Bench::new();
    bench.ask("get_user_option", options()).await;
    let words = Reply::Chosen { ids: Vec::new(), free_text: Some("neither".to_owned()) };
    assert_eq!(
        bench.answer(words).await,
        json!({ "selectedIds": [], "timestamp": "2026-11-21T09:05:00Z", "freeText": "neither" })
    );
}

#[tokio::test]
async fn an_optional_choice_may_be_passed_over() {
    let mut bench = Bench::new();
    let mut args = options();
    args["required"] = json!("false");
    bench.ask("get_user_option", args).await;
    assert_eq!(
        bench.answer(Reply::Skipped).await,
        json!({ "selectedIds": [], "timestamp": "2026-11-21T09:05:00Z" })
    );
}

#[tokio::test]
async fn two_options_of_one_id_are_refused() {
    let mut bench = Bench::new();
    let mut args = options();
    args["options"][1]["id"] = json!("one");
    let error = bench.tell("get_user_option", args).await;
    insta::assert_json_snapshot!(error, @r#"
    {
      "error": "`/options`: expected ids that differ, but `one` is there twice",
      "code": "invalid_parameters"
    }
    "#);
}

#[tokio::test]
async fn an_open_question_is_answered_in_words() {
    let mut bench = Bench::new();
    let prompt = bench.ask("request_user_input", json!({ "prompt": "Why?" })).await;
    assert_eq!(prompt.body.common_mark(), "Why?");
    let reply = Reply::Text { text: "Because.".to_owned() };
    assert_eq!(bench.answer(reply).await, json!({ "userInput": "Because." }));
}

fn profile(email: &str) -> Value {
    json!({ "basics": { "name": "Ada Byron", "email": email } })
}

#[tokio::test]
async fn an_approved_review_is_stored_and_completes_its_objective() {
    let mut bench = Bench::new();
    let args = json!({ "dataType": "applicantProfile", "data": profile("ada@example.org") });
    let prompt = bench.ask("submit_for_validation", args).await;
    assert_eq!(prompt.heading().as_deref(), Some("Contact details"));
    let approved = Reply::Reviewed { verdict: Verdict::Approved, data: None, notes: None };
    assert_eq!(
        bench.answer(approved).await,
        json!({ "status": "approved", "data": profile("ada@example.org"), "changes": [] })
    );
    let state = bench.state();
    let record = state.record("applicant_profile").unwrap();
    assert!(record.reviewed);
    assert_eq!(state.records.len(), 1);
    assert_eq!(state.objective("applicant_profile"), ObjectiveStatus::Completed);
}

#[tokio::test]
async fn an_edit_in_a_review_is_stored_and_listed() {
    let mut bench = Bench::new();
    let args = json!({ "dataType": "applicant_profile", "data": profile("old@email.com") });
    bench.ask("submit_for_validation", args).await;
    let mut data = profile("new@email.com");
    data["basics"]["phone"] = json!("");
    let modified = Reply::Reviewed {
        verdict: Verdict::Modified,
        data: Some(data),
        notes: Some("moved".to_owned()),
    };
    assert_eq!(
        bench.answer(modified).await,
        json!({
            "status": "modified",
            "data": profile("new@email.com"),
            "changes": [{
                "field": "basics.email", "oldValue": "old@email.com", "newValue": "new@email.com"
            }],
            "userNotes": "moved"
        })
    );
    let state = bench.state();
    assert_eq!(state.record("applicant_profile").unwrap().data, profile("new@email.com"));
}

#[tokio::test]
async fn a_rejected_review_stores_nothing() {
    let mut bench = Bench::new();
    let args = json!({ "dataType": "applicant_profile", "data": profile("ada@example.org") });
    bench.ask("submit_for_validation", args).await;
    let notes = Some("that is somebody else".to_owned());
    let rejected = Reply::Reviewed { verdict: Verdict::Rejected, data: None, notes };
    assert_eq!(
        bench.answer(rejected).await,
        json!({
            "status": "rejected", "data": {}, "changes": [], "userNotes": "that is somebody else"
        })
    );
    assert_eq!(bench.state().records, []);
}

#[tokio::test]
async fn only_a_review_that_may_be_skipped_can_be_and_its_objective_with_it() {
    let mut bench = Bench::new();
    let prompt = bench
        .ask("submit_for_validation", json!({ "dataType": "applicant_profile", "data": {} }))
        .await;
    let Control::Review(review) = prompt.control else { panic!("no review") };
    assert!(!review.skippable);
    bench.taken();
    let mut bench = Bench::new();
    bench
        .ask(
            "submit_for_validation",
            json!({ "dataType": "education", "data": { "education": [] } }),
        )
        .await;
    assert_eq!(
        bench.answer(Reply::Skipped).await,
        json!({ "status": "skipped", "data": {}, "changes": [] })
    );
    assert_eq!(bench.state().objective("education_history"), ObjectiveStatus::Skipped);
}

#[tokio::test]
async fn a_draft_that_misses_something_is_shown_but_cannot_be_approved_as_it_is() {
    let mut bench = Bench::new();
    let data = json!({ "basics": { "name": null, "email": "ada@example" } });
    bench
        .ask("submit_for_validation", json!({ "dataType": "applicant_profile", "data": data }))
        .await;
    let (_, wait) = bench.taken();
    let approved = Reply::Reviewed { verdict: Verdict::Approved, data: None, notes: None };
    let settlement = bench.settle(wait, approved);
    assert!(matches!(settlement, Settlement::Invalid { .. }), "{settlement:?}");
    assert_eq!(bench.state().waits[&wait].status, WaitStatus::Pending);
}

#[tokio::test]
async fn a_draft_of_another_kind_goes_back_with_its_path() {
    let mut bench = Bench::new();
    let data = json!({ "basics": { "name": "Ada", "mail": "ada@example.org", "phone": 5 } });
    let args = json!({ "dataType": "applicant_profile", "data": data });
    insta::assert_json_snapshot!(bench.tell("submit_for_validation", args).await, @r#"
    {
      "error": "`/data/basics`: expected no `mail` (schema `/properties/basics/additionalProperties`). hint: `data` of `applicant_profile` has this form: {\"basics\":{\"name\":\"text (required)\",\"label\":\"text\",\"email\":\"e-mail address\",\"phone\":\"text\",\"url\":\"https://…\",\"location\":{\"address\":\"text\",\"postalCode\":\"text\",\"city\":\"text\",\"region\":\"text\",\"countryCode\":\"text\"},\"profiles\":[{\"network\":\"text\",\"username\":\"text\",\"url\":\"https://…\"}]}}",
      "code": "invalid_parameters"
    }
    "#);
    let args = json!({ "dataType": "remarks", "data": {} });
    insta::assert_json_snapshot!(bench.tell("submit_for_validation", args).await, @r#"
    {
      "error": "`/dataType`: expected one of \"applicant_profile\", \"education_history\", \"skeleton_timeline\", \"applicantProfile\", \"experience\", \"education\" (schema `/properties/dataType/enum`)",
      "code": "invalid_parameters"
    }
    "#);
}

#[tokio::test]
async fn an_upload_asks_for_what_the_call_and_the_phase_accept() {
    let mut bench = Bench::new();
    let args = json!({ "uploadType": "resume", "acceptedFormats": [".PDF", "docx", "png"] });
    let prompt = bench.ask("get_user_upload", args).await;
    insta::assert_json_snapshot!(prompt, @r#"
    {
      "body": "Please send your résumé.",
      "control": {
        "kind": "upload",
        "upload_type": "resume",
        "accept": [
          "pdf",
          "png"
        ],
        "max_bytes": 2097152,
        "max_files": 3,
        "required": false
      }
    }
    "#);
    bench.taken();
    let args = json!({ "uploadType": "reference_letter", "acceptedFormats": ["docx"] });
    insta::assert_json_snapshot!(bench.tell("get_user_upload", args).await, @r#"
    {
      "error": "`/acceptedFormats`: expected some of what this phase takes: `pdf`, `txt`, `vcf`, `png`",
      "code": "invalid_parameters"
    }
    "#);
}

#[tokio::test]
async fn uploads_are_named_by_opaque_ids_and_may_be_passed_over() {
    let mut bench = Bench::new();
    let file = bench.kept("resume", "notes.txt", b"some words about work").await;
    bench.ask("get_user_upload", json!({ "uploadType": "resume" })).await;
    let id = file.id.to_string();
    assert_eq!(
        bench.answer(Reply::Uploaded { artifacts: vec![file.id] }).await,
        json!({
            "uploads": [{
                "id": id,
                "filename": "notes.txt",
                "storageUrl": format!("artifact:{id}"),
                "extractedText": ""
            }],
            "status": "uploaded"
        })
    );
    bench.ask("get_user_upload", json!({ "uploadType": "portfolio" })).await;
    assert_eq!(bench.answer(Reply::Skipped).await, json!({ "uploads": [], "status": "skipped" }));
}

/// A picture of one pixel.
fn pixel() -> Vec<u8> {
    use std::io::Cursor;
    let mut bytes = Cursor::new(Vec::new());
    image::RgbImage::new(1, 1).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

#[tokio::test]
async fn a_picture_is_asked_for_only_where_pictures_are_taken() {
    let mut bench = Bench::new();
    let file = bench.kept("certificate", "scan.png", &pixel()).await;
    let prompt = bench.ask("get_image_from_user", json!({ "imageType": "certificate" })).await;
    assert_eq!(upload(&prompt).accept, ["png"]);
    assert_eq!(upload(&prompt).max_files, 1);
    let id = file.id.to_string();
    assert_eq!(
        bench.answer(Reply::Uploaded { artifacts: vec![file.id] }).await,
        json!({
            "image": { "id": id, "storageUrl": format!("artifact:{id}") }, "status": "uploaded"
        })
    );
    bench.ask("get_image_from_user", json!({ "imageType": "profile" })).await;
    assert_eq!(bench.answer(Reply::Skipped).await, json!({ "image": null, "status": "skipped" }));
}

#[tokio::test]
async fn what_is_not_configured_says_so_and_lets_the_interview_go_on() {
    let mut bench = Bench::new();
    let told = [
        bench.tell("fetch_url", json!({ "url": "https://example.org/" })).await,
        bench.tell("query_github_repo", json!({ "repoUrl": "https://example.org/a/b" })).await,
        bench.tell("fetch_url", json!({ "url": "no address" })).await,
    ];
    insta::assert_json_snapshot!(told, @r#"
    [
      {
        "error": "Fetching web pages is not configured. Please skip for now.",
        "code": "not_configured"
      },
      {
        "error": "GitHub analysis is not configured. Please skip for now.",
        "code": "not_configured"
      },
      {
        "error": "`/url`: expected the format `uri` (schema `/properties/url/format`)",
        "code": "invalid_parameters"
      }
    ]
    "#);
}

/// Knows one card by name or address, and the person's own.
#[derive(Debug)]
struct AddressBook;

#[async_trait]
impl ContactSource for AddressBook {
    fn name(&self) -> &'static str {
        "directory"
    }

    fn serves(&self, _person: &PersonId) -> bool {
        true
    }

    async fn fetch(&self, wanted: &Wanted) -> Fetched {
        match wanted.specific.as_deref() {
            Some("denied") => Fetched::PermissionDenied { reason: "ask the operator".to_owned() },
            Some("nobody") => Fetched::not_found("no such card"),
            given => Fetched::Card(Box::new(Contact {
                name: Name { given: given.unwrap_or("John").to_owned(), family: "Doe".to_owned() },
                email: vec![Labelled {
                    label: "work".to_owned(),
                    value: "john@techcorp.com".to_owned(),
                }],
                phone: vec![Labelled {
                    label: "mobile".to_owned(),
                    value: "+1-555-0123".to_owned(),
                }],
                organization: Some("TechCorp".to_owned()),
                job_title: Some("Senior Software Engineer".to_owned()),
                // How many vCards came with the question.
                url: wanted
                    .vcards
                    .iter()
                    .map(|card| Labelled {
                        label: "vcard".to_owned(),
                        value: card.len().to_string(),
                    })
                    .collect(),
                ..Contact::default()
            })),
        }
    }
}

fn with_address_book() -> Bench {
    let tools = anteroom::tool::catalog::interview::tools();
    Bench::with(tools, vec![Box::new(AddressBook)], Policy::CHAT)
}

#[tokio::test]
async fn a_contact_card_comes_in_the_shape_of_the_specification() {
    let mut bench = with_address_book();
    assert_eq!(
        bench.tell("get_macos_contact_card", json!({})).await,
        json!({
            "contact": {
                "name": { "given": "John", "family": "Doe" },
                "email": [{ "label": "work", "value": "john@techcorp.com" }],
                "phone": [{ "label": "mobile", "value": "+1-555-0123" }],
                "organization": "TechCorp",
                "jobTitle": "Senior Software Engineer"
            },
            "status": "fetched"
        })
    );
    let mut none = Bench::new();
    insta::assert_json_snapshot!(none.tell("get_macos_contact_card", json!({})).await, @r#"
    {
      "contact": null,
      "status": "not_found",
      "reason": "no contact source is configured"
    }
    "#);
}

#[tokio::test]
async fn a_specific_card_is_named_by_the_participant() {
    let mut bench = with_address_book();
    let args = json!({ "cardType": "specific" });
    for (words, expected) in [
        (
            "denied",
            json!({ "contact": null, "status": "permission_denied",
            "reason": "directory: ask the operator" }),
        ),
        (
            "nobody",
            json!({ "contact": null, "status": "not_found",
            "reason": "directory: no such card" }),
        ),
    ] {
        bench.ask("get_macos_contact_card", args.clone()).await;
        let reply = Reply::Text { text: words.to_owned() };
        assert_eq!(bench.answer(reply).await, expected);
    }
    bench.ask("get_macos_contact_card", args.clone()).await;
    let found = bench.answer(Reply::Text { text: "Grace".to_owned() }).await;
    assert_eq!(found["contact"]["name"]["given"], "Grace");
    bench.ask("get_macos_contact_card", args).await;
    assert_eq!(bench.answer(Reply::Skipped).await["status"], "not_found");
}

#[tokio::test]
async fn contact_cards_that_were_sent_go_along() {
    let mut bench = with_address_book();
    let card = b"BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada Byron\r\nEND:VCARD\r\n";
    bench.kept("other", "ada.vcf", card).await;
    bench.kept("other", "ada.txt", b"not a card at all").await;
    let fetched = bench.tell("get_macos_contact_card", json!({})).await;
    let length = card.len().to_string();
    assert_eq!(fetched["contact"]["url"], json!([{ "label": "vcard", "value": length }]));
}

#[tokio::test]
async fn an_objective_is_proposed_and_the_phase_stays() {
    let mut bench = Bench::new();
    let args = json!({ "objectiveId": "applicant_profile", "status": "completed" });
    let without_evidence = bench.tell("set_objective_status", args).await;
    insta::assert_json_snapshot!(without_evidence, @r#"
    {
      "objective": {
        "id": "applicant_profile",
        "newStatus": "in_progress"
      },
      "phaseStatus": {
        "currentPhase": "phase_1",
        "progress": 0.0
      },
      "note": "still missing: `applicant_profile` approved by the participant with submit_for_validation"
    }
    "#);
    let args = json!({ "objectiveId": "applicant_profile", "status": "failed" });
    assert_eq!(
        bench.tell("set_objective_status", args).await,
        json!({
            "objective": { "id": "applicant_profile", "newStatus": "failed" },
            "phaseStatus": { "currentPhase": "phase_1", "progress": 0.0 }
        })
    );
    let unknown = json!({ "objectiveId": "profile", "status": "completed" });
    insta::assert_json_snapshot!(bench.tell("set_objective_status", unknown).await, @r#"
    {
      "error": "`profile` is no objective of this phase. hint: there are `applicant_profile`, `education_history`, `references`",
      "code": "invalid_parameters"
    }
    "#);
    assert_eq!(bench.state().phase(), Some("phase_1"));
}

#[tokio::test]
async fn the_same_data_again_is_the_same_record() {
    let mut bench = Bench::new();
    let args = json!({ "dataType": "remarks", "data": { "text": "x" } });
    let first = bench.tell("persist_data", args.clone()).await;
    let id = bench.state().records[0].id.to_string();
    assert_eq!(first, json!({ "persisted": { "id": id, "type": "remarks", "status": "created" } }));
    assert_eq!(
        bench.tell("persist_data", args).await,
        json!({ "persisted": { "id": id, "type": "remarks", "status": "unchanged" } })
    );
    assert_eq!(bench.state().records.len(), 1);
}

#[tokio::test]
async fn both_spellings_store_under_one_name_and_reviewed_data_keeps_its_record() {
    let mut bench = Bench::new();
    let data = profile("ada@example.org");
    bench
        .ask("submit_for_validation", json!({ "dataType": "applicantProfile", "data": data }))
        .await;
    bench.answer(Reply::Reviewed { verdict: Verdict::Approved, data: None, notes: None }).await;
    let id = bench.state().records[0].id.to_string();
    for spelling in ["applicantProfile", "applicant_profile"] {
        let saved = bench.tell("persist_data", json!({ "dataType": spelling, "data": data })).await;
        assert_eq!(
            saved["persisted"],
            json!({ "id": id, "type": "applicant_profile", "status": "unchanged" })
        );
    }
    let odd = json!({ "dataType": "applicant_profile", "data": { "basics": {} } });
    insta::assert_json_snapshot!(bench.tell("persist_data", odd).await, @r#"
    {
      "error": "`/data/basics`: expected `name`, which is missing (schema `/properties/basics/required`). hint: `data` of `applicant_profile` has this form: {\"basics\":{\"name\":\"text (required)\",\"label\":\"text\",\"email\":\"e-mail address\",\"phone\":\"text\",\"url\":\"https://…\",\"location\":{\"address\":\"text\",\"postalCode\":\"text\",\"city\":\"text\",\"region\":\"text\",\"countryCode\":\"text\"},\"profiles\":[{\"network\":\"text\",\"username\":\"text\",\"url\":\"https://…\"}]}}",
      "code": "invalid_parameters"
    }
    "#);
}

#[tokio::test]
async fn writing_samples_and_artifacts_can_be_stored_in_every_flow() {
    let mut bench = Bench::new();
    for (name, data) in [
        ("writing_sample", json!({ "text": "Once upon a time." })),
        ("artifact_record", json!({ "id": "upload_1", "filename": "a.txt" })),
    ] {
        let saved = bench.tell("persist_data", json!({ "dataType": name, "data": data })).await;
        assert_eq!(saved["persisted"]["status"], "created", "{saved}");
        assert_eq!(saved["persisted"]["type"], name);
    }
}

#[tokio::test]
async fn the_next_phase_is_blocked_with_exactly_what_is_missing() {
    let mut bench = Bench::new();
    assert_eq!(
        bench.tell("next_phase", json!({ "overrides": [], "reason": null })).await,
        json!({
            "status": "blocked", "missing_objectives": ["applicant_profile", "education_history"]
        })
    );
}

#[tokio::test]
async fn an_override_waits_for_a_decision_and_each_decision_has_its_outcome() {
    let decided = |decision, feedback: Option<&str>| Reply::Decided {
        decision,
        feedback: feedback.map(str::to_owned),
    };
    let words = "Please finish entering education history.";
    for (reply, expected, phase) in [
        (
            decided(Decision::Approved, None),
            json!({ "status": "approved", "advanced_to": "phase_2" }),
            "phase_2",
        ),
        (
            decided(Decision::Denied, None),
            json!({ "status": "denied", "message": "User declined to advance" }),
            "phase_1",
        ),
        (
            decided(Decision::DeniedWithFeedback, Some(words)),
            json!({ "status": "denied_with_feedback", "feedback": words }),
            "phase_1",
        ),
    ] {
        let mut bench = Bench::new();
        let args = json!({ "overrides": ["education_history"], "reason": "verbally confirmed" });
        let prompt = bench.ask("next_phase", args).await;
        assert!(matches!(prompt.control, Control::Decide(_)));
        assert_eq!(bench.answer(reply).await, expected);
        assert_eq!(bench.state().phase(), Some(phase));
    }
}

const RESUME: &str = "\
Ada Byron
ada@example.org
+44 20 7946 0958

Experience

Analyst, Analytical Engines Ltd
January 2019 - March 2023

Education

University of London
BSc Mathematics
2012 - 2015
";

#[tokio::test]
async fn a_document_is_read_and_drafted() {
    let mut bench = Bench::new();
    let file = bench.kept("resume", "resume.txt", RESUME.as_bytes()).await;
    let read = bench.tell("extract_document", json!({ "artifact_id": file.id })).await;
    let record = &read["artifact_record"];
    assert_eq!(record["id"], json!(file.id));
    assert_eq!(record["filename"], "resume.txt");
    assert_eq!(record["sha256"], file.sha256);
    assert!(record["extracted_content"].as_str().unwrap().contains("Analytical Engines"));
    assert_eq!(read["derived"]["applicant_profile"]["basics"]["email"], "ada@example.org");
    assert_eq!(read["status"], "ok", "{read}");
    let confidence = read["quality"]["extraction_confidence"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&confidence));
    assert!(read["quality"]["issues"].is_array());
    assert_eq!(
        read["message"],
        "I found 1 role and 1 school. I couldn't find where you live, so please add it."
    );
}

#[tokio::test]
async fn what_a_resume_lacks_is_said_and_lowers_its_confidence() {
    let mut bench = Bench::new();
    let whole = bench.kept("resume", "resume.txt", RESUME.as_bytes()).await;
    let whole = bench.tell("extract_document", json!({ "artifact_id": whole.id })).await;
    let text = "Ada Byron\nada@example.org\n\nEducation\nUniversity of London\nBSc Mathematics\n2012 - 2015\n";
    let half = bench.kept("resume", "half.txt", text.as_bytes()).await;
    let half = bench.tell("extract_document", json!({ "artifact_id": half.id })).await;
    assert_eq!(
        half["message"],
        "I found 1 school. I couldn't find your telephone number, where you live or any roles, so please add them."
    );
    let confidence = |read: &Value| read["quality"]["extraction_confidence"].as_f64().unwrap();
    assert!(confidence(&whole) > 0.9, "{}", confidence(&whole));
    assert!(confidence(&half) < 0.5, "{}", confidence(&half));
}

#[tokio::test]
async fn the_name_of_somebody_else_is_marked() {
    let mut bench = Bench::new();
    let text = RESUME.replace("Ada Byron", "Grace Holloway");
    let file = bench.kept("resume", "resume.txt", text.as_bytes()).await;
    let read = bench.tell("extract_document", json!({ "artifact_id": file.id })).await;
    assert_eq!(read["derived"]["applicant_profile"]["basics"]["name"], "Grace Holloway");
    assert_eq!(read["quality"]["low_confidence"], json!(["basics.name"]));
    let message = read["message"].as_str().unwrap();
    assert!(message.contains("isn't the one I know you by"), "{message}");
}

#[tokio::test]
async fn only_what_was_asked_for_is_drafted() {
    let mut bench = Bench::new();
    let file = bench.kept("other", "sample.txt", b"Once upon a time there was an engine.").await;
    let args = json!({ "artifact_id": file.url(), "return_types": ["skeleton_timeline"] });
    let read = bench.tell("extract_document", args).await;
    assert_eq!(read["derived"], json!({ "skeleton_timeline": null }));
    assert_eq!(read["status"], "partial");
    let args = json!({ "artifact_id": file.id, "return_types": [] });
    let read = bench.tell("extract_document", args).await;
    assert_eq!((&read["derived"], &read["status"]), (&json!({}), &json!("ok")));
}

#[tokio::test]
async fn what_a_document_left_doubtful_is_marked_on_the_card() {
    let mut bench = Bench::new();
    let file = bench.kept("resume", "resume.txt", RESUME.as_bytes()).await;
    let read = bench.tell("extract_document", json!({ "artifact_id": file.id })).await;
    let doubtful: Vec<String> =
        serde_json::from_value(read["quality"]["low_confidence"].clone()).unwrap();
    let data = read["derived"]["applicant_profile"].clone();
    let prompt = bench
        .ask("submit_for_validation", json!({ "dataType": "applicant_profile", "data": data }))
        .await;
    let Control::Review(review) = prompt.control else { panic!("no review") };
    for field in review.groups.iter().flat_map(|group| &group.fields) {
        let doubted = doubtful.iter().any(|path| field.path.starts_with(path));
        assert_eq!(field.check, doubted && !field.value.is_null(), "{}", field.path);
    }
}

#[tokio::test]
async fn a_picture_holds_no_text_and_says_what_to_tell() {
    let mut bench = Bench::new();
    let file = bench.kept("other", "scan.png", &pixel()).await;
    let mut read = bench.tell("extract_document", json!({ "artifact_id": file.id })).await;
    read["artifact_record"] = Value::Null;
    insta::assert_json_snapshot!(read, @r#"
    {
      "status": "failed",
      "artifact_record": null,
      "derived": {},
      "quality": {
        "extraction_confidence": 0.0,
        "read_by": "rules",
        "issues": [
          "unparsable_no_text"
        ],
        "low_confidence": []
      },
      "message": "There is no text in this PNG."
    }
    "#);
    let unknown = bench.tell("extract_document", json!({ "artifact_id": "resume.pdf" })).await;
    assert_eq!(unknown["code"], "invalid_parameters");
}

#[tokio::test]
async fn a_resume_by_another_version_of_a_tool_says_that_it_changed() {
    let mut bench = Bench::new();
    bench.ask("submit_for_validation", json!({ "dataType": "education", "data": {} })).await;
    let (call, wait) = bench.taken();
    assert_eq!(bench.settle(wait, Reply::Skipped), Settlement::Applied);
    let mut asked = Wait::clone(&bench.state().waits[&wait]);
    asked.state = json!({ "kind": "education" });
    let changes = std::sync::Mutex::new(bench.view().into());
    let now = "2026-11-22T09:00:00Z".parse().unwrap();
    let other = bench.pipeline.resume(&call, &asked, &changes, now).await.result.unwrap_err();
    insta::assert_json_snapshot!(other.to_value(), @r#"
    {
      "error": "the tool has changed since it asked. hint: call it again",
      "code": "tool_changed"
    }
    "#);
    let gone = anteroom::model::transcript::Call { tool: "old_tool".to_owned(), ..call };
    let unavailable = bench.pipeline.resume(&gone, &asked, &changes, now).await.result.unwrap_err();
    assert!(matches!(&unavailable, CallResult::Err { code, .. } if code == "tool_unavailable"));
    insta::assert_json_snapshot!(unavailable.to_value(), @r#"
    {
      "error": "there is no tool `old_tool` any more. hint: go on without it",
      "code": "tool_unavailable"
    }
    "#);
}
