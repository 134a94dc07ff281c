//! `job-match`, the flow for staff: begun by nobody else, played without a model and with one.

use std::{fs, sync::Arc};

use anteroom::{
    engine::Error,
    flow::{Library, LoadedFlow, check_source, optional},
    model::{
        session::{PersonId, Status},
        ui::{Control, Reply, Verdict},
        wait::{Purpose, Settlement},
    },
    ports::search::{self, Found, Query, Search},
    session::{Next, Responder, answer::check_data},
    tool::{Policy, Services, Toolbox, catalog},
};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::{
    catalog::bench::{self, Bench},
    llm::scripted::{Scripted, Turn},
    world::{World, ada, room},
};

const JOB: &str =
    "Backend engineer: Rust, PostgreSQL and Kubernetes; Kafka is a plus. Fluent English.";
const CV: &str = "Ada Byron\nada@example.org\n\nSkills: Rust, PostgreSQL, Docker\n\nExperience\nEngineer, Engines Ltd\n2019 - 2023\nBuilt services in Rust.\n";

fn source() -> &'static str {
    optional()[0].1
}

fn flow() -> Arc<LoadedFlow> {
    Arc::new(LoadedFlow::load(source(), "job-match.toml", &bench::vars()).unwrap())
}

#[test]
fn the_check_says_what_scoring_people_asks() {
    let toolbox = Toolbox::new(catalog::tools()).unwrap();
    let checked = check_source(
        source(),
        "job-match.toml",
        &bench::vars(),
        |flow| toolbox.catalogue(flow),
        None,
    );
    let remarks: Vec<String> = checked.unwrap().1.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(remarks.join("\n"), @"job-match.toml:42:1: warning: this flow scores people. hint: many jurisdictions require notice, a bias audit and a human decision");
}

#[test]
fn it_is_there_only_where_the_configuration_names_it() {
    let load = |dir, enabled: &[&str]| {
        let enabled: Vec<String> = enabled.iter().map(|&id| id.to_owned()).collect();
        Library::load(dir, &enabled, &bench::vars()).unwrap()
    };
    assert!(load(None, &[]).get("job-match").is_none());
    assert!(load(None, &["community-welcome"]).get("job-match").is_none());
    assert_eq!(load(None, &["job-match"]).get("job-match").unwrap().source, source());
    // One of the operator's own is taken instead.
    let dir = tempfile::tempdir().unwrap();
    let own = source().replace("title   = \"Job match\"", "title   = \"Ours\"");
    fs::write(dir.path().join("mine.toml"), own).unwrap();
    let library = load(Some(dir.path()), &["job-match"]);
    assert_eq!(library.get("job-match").unwrap().flow.title, "Ours");
}

fn pick(id: &str) -> Reply {
    Reply::Chosen { ids: vec![id.to_owned()], free_text: None }
}

/// Plays the script: the job is pasted, the CV sent, the card approved.
async fn scripted(job: &str, cv: &str) -> Bench {
    let mut bench = Bench::on(flow(), catalog::tools(), Vec::new(), Policy::CHAT);
    loop {
        match bench.view().next() {
            Next::Call(call) => {
                let called = format!("{} {}", call.id, call.args);
                if let Ok(result) = bench.run(call).await {
                    assert!(result.to_value().get("error").is_none(), "{called}: {result:?}");
                }
            }
            Next::Resume { wait } => {
                let state = bench.state();
                let Purpose::Call { call, .. } = &state.waits[&wait].purpose else {
                    bench.change(|changes| changes.apply_own(wait));
                    continue;
                };
                let call = state.call(call).unwrap().call.as_ref().clone();
                bench.finish(call, wait).await.unwrap();
            }
            Next::Rest => {
                let Some(wait) = bench.state().pending().next().cloned() else { return bench };
                let reply = match &wait.prompt.control {
                    Control::Choose(_) if wait.purpose == Purpose::Notice => pick("accept"),
                    Control::Choose(_) => pick("paste"),
                    Control::Upload(upload) => {
                        let file = bench.kept(&upload.upload_type, "cv.txt", cv.as_bytes()).await;
                        Reply::Uploaded { artifacts: vec![file.id] }
                    }
                    Control::Review(_) => {
                        Reply::Reviewed { verdict: Verdict::Approved, data: None, notes: None }
                    }
                    _ => Reply::Text { text: job.to_owned() },
                };
                assert_eq!(bench.settle(wait.id, reply), Settlement::Applied, "{:?}", wait.prompt);
            }
            next => panic!("{next:?} without a model"),
        }
    }
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "most of it is what people and models read")]
async fn without_a_model_the_tools_alone_make_the_comparison() {
    let bench = scripted(JOB, CV).await;
    let state = bench.state();
    assert_eq!(state.status, Status::Completed);
    insta::assert_json_snapshot!(state.record("job_match").unwrap().data, @r#"
    {
      "summary": "The job description names 5 skills; 2 of them stand in the CV.",
      "skills_in_both": [
        "Rust",
        "PostgreSQL"
      ],
      "skills_only_job": [
        "Kubernetes",
        "Apache Kafka",
        "English"
      ],
      "scores": [
        {
          "comparison": "role_alignment",
          "score": 43,
          "interpretation": "low",
          "method": "lexical"
        },
        {
          "comparison": "technical_match",
          "score": 56,
          "interpretation": "moderate",
          "method": "lexical"
        }
      ],
      "sentences": [
        {
          "sentence": "Both texts name Rust.",
          "evidence": [
            {
              "source": "extract_skills",
              "words": "Rust"
            }
          ]
        },
        {
          "sentence": "Both texts name PostgreSQL.",
          "evidence": [
            {
              "source": "extract_skills",
              "words": "PostgreSQL"
            }
          ]
        },
        {
          "sentence": "The job description names Kubernetes; the CV does not.",
          "evidence": [
            {
              "source": "extract_skills",
              "words": "Kubernetes"
            }
          ]
        },
        {
          "sentence": "The job description names Apache Kafka; the CV does not.",
          "evidence": [
            {
              "source": "extract_skills",
              "words": "Apache Kafka"
            }
          ]
        },
        {
          "sentence": "The job description names English; the CV does not.",
          "evidence": [
            {
              "source": "extract_skills",
              "words": "English"
            }
          ]
        },
        {
          "sentence": "As wholes the texts are alike to 43 of 100 (low).",
          "evidence": [
            {
              "source": "calculate_similarity",
              "words": "43, low"
            }
          ]
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn texts_that_name_nothing_are_compared_all_the_same() {
    let bench =
        scripted("We are looking for somebody kind.", "I like the sea, and long walks along it.")
            .await;
    let data = bench.state().record("job_match").unwrap().data.clone();
    assert_eq!((&data["skills_in_both"], &data["skills_only_job"]), (&json!([]), &json!([])));
    assert_eq!(data["sentences"].as_array().map(Vec::len), Some(1), "{data}");
    assert_eq!(data["scores"][1]["interpretation"], "very low", "{data}");
}

/// The flow where no configuration supplies words.
fn bare() -> String {
    source().replace("vars    = [\"organisation\", \"privacy_url\"]", "")
}

async fn begun(model: &Arc<Scripted>) -> World {
    let mut world = World::unbegun(&bare(), model);
    let staff = Responder { staff: true, ..ada() };
    world.session = world.engine.start("job-match", &staff, room("room"), "start").await.unwrap();
    world.rest().await;
    world
}

#[tokio::test]
async fn nobody_but_staff_begins_it() {
    let model = Scripted::new();
    let world = World::unbegun(&bare(), &model);
    let refused = world.engine.start("job-match", &ada(), room("room"), "start").await.unwrap_err();
    assert!(matches!(refused, Error::Refused(_)));
    insta::assert_snapshot!(refused, @"only the team can begin this: it scores people");
}

/// What the model gives in the end.
fn analysis() -> Value {
    let evidence = |source: &str, words: &str| json!([{ "source": source, "words": words }]);
    json!({
        "summary": "Two of the five skills of the job stand in the CV.",
        "skills_in_both": ["Rust", "PostgreSQL"],
        "skills_only_job": ["Kubernetes", "Apache Kafka", "English"],
        "scores": [{ "comparison": "role_alignment", "score": 43, "interpretation": "low", "method": "lexical" }],
        "sentences": [
            { "sentence": "The CV names Rust.", "evidence": evidence("cv", "Built services in Rust.") },
            { "sentence": "It does not name Kubernetes.", "evidence": evidence("job_description", "Kubernetes") },
        ],
    })
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "most of it is what people and models read")]
async fn a_model_goes_step_by_step_and_shows_the_card() {
    let model = Scripted::new();
    let mut world = begun(&model).await;
    world.press("Compare").await;
    world.press("Paste it").await;
    world.say(JOB).await;
    model.next(
        Turn::calls("extract_skills", &json!({ "text": JOB }))
            .and_calls("extract_skills", &json!({ "text": CV })),
    );
    let compared = json!({ "text1": JOB, "text2": CV, "comparison_type": "role_alignment" });
    model.next(Turn::calls("calculate_similarity", &compared));
    // Its first analysis has a score of its own and words that nobody wrote: nobody sees that one.
    let mut made_up = analysis();
    made_up["scores"][0]["score"] = json!(40);
    made_up["sentences"][0]["evidence"][0]["words"] = json!("Built many services in Rust.");
    let card = json!({ "dataType": "job_match", "data": made_up });
    model.next(Turn::calls("submit_for_validation", &card));
    let card = json!({ "dataType": "job_match", "data": analysis() });
    model.next(Turn::calls("submit_for_validation", &card));
    world.upload("cv.txt", CV.as_bytes()).await.unwrap();
    // The model has read both texts, then what each tool said.
    let seen = model.seen();
    assert_eq!(seen.len(), 4);
    assert!(
        model.read(0).contains(JOB) && model.read(0).contains("Built services in Rust"),
        "{}",
        model.read(0)
    );
    insta::assert_snapshot!([model.news(1), model.news(2)].join("\n--\n"), @r#"
    model calls c00000001 extract_skills {"text":"Backend engineer: Rust, PostgreSQL and Kubernetes; Kafka is a plus. Fluent English."}
    model calls c00000002 extract_skills {"text":"Ada Byron\nada@example.org\n\nSkills: Rust, PostgreSQL, Docker\n\nExperience\nEngineer, Engines Ltd\n2019 - 2023\nBuilt services in Rust.\n"}
    c00000001 -> {"skills":["Rust","PostgreSQL","Kubernetes","Apache Kafka","English"],"skillCategories":{"programming_languages":["Rust"],"databases":["PostgreSQL"],"devops":["Kubernetes"],"data":["Apache Kafka"],"spoken_languages":["English"]},"confidence":"high"}
    c00000002 -> {"skills":["Rust","PostgreSQL","Docker"],"skillCategories":{"programming_languages":["Rust"],"databases":["PostgreSQL"],"devops":["Docker"]},"confidence":"high"}
    --
    model calls c00000003 calculate_similarity {"text1":"Backend engineer: Rust, PostgreSQL and Kubernetes; Kafka is a plus. Fluent English.","text2":"Ada Byron\nada@example.org\n\nSkills: Rust, PostgreSQL, Docker\n\nExperience\nEngineer, Engines Ltd\n2019 - 2023\nBuilt services in Rust.\n","comparison_type":"role_alignment"}
    c00000003 -> {"similarity":0.4318,"score":43,"interpretation":"low","method":"lexical"}
    "#);
    let refused = model.news(3);
    let refused = refused.split_once(" -> ").unwrap().1;
    insta::assert_snapshot!(refused, @r#"{"error":"`/data/scores/0`: no call of a tool came to `score` 40 together with role_alignment, low, lexical; `/data/sentences/0/evidence/0/words`: “Built many services in Rust.” does not stand so in `cv`. hint: take numbers over as the tools gave them and words letter by letter, and leave out what nothing bears out","code":"invalid_parameters"}"#);
    insta::assert_snapshot!(world.screen(), @r#"
    # Job match
    *You are about to compare a person's CV with a job by machine.* The result is advice; a person decides, and can say why.

    - Use it only if the applicant was told beforehand that CVs are compared by machine, as {{privacy_url}} says. In some places that
      takes days of notice, a yearly audit for bias, and another way for those who do not want it.
    - It knows words and what they mean, not people. It misses what a CV does not say. Never turn somebody down by its number alone.
    - What you enter and what comes of it is kept for 180 days, each step with your name, for {{organisation}} to review.
    ✓ Ada Byron: Compare
    ---
    Step 2 of 2 · The comparison · 0/1
    ---
    How do you give me the job description?
    ✓ Ada Byron: Paste it
    ---
    Please paste the job description.
    ✓ Ada Byron: Backend engineer: Rust, PostgreSQL and Kubernetes; Kafka is a plus. Fluent English.
    ---
    Please send the CV as PDF, DOCX, TXT or MD, at most 10 MB.
    ✓ Ada Byron: one file
    ---
    # Job match
    Please look this over and correct it.
    Summary: "Two of the five skills of the job stand in the CV."
    Skills in both: ["Rust","PostgreSQL"]
    Skills that only the job names: ["Kubernetes","Apache Kafka","English"]
    Comparison: "role_alignment"
    Score of 100: 43
    In words: "low"
    Method: "lexical"
    Sentence: "The CV names Rust."
    Source: "cv"
    Words: "Built services in Rust."
    Sentence: "It does not name Kubernetes."
    Source: "job_description"
    Words: "Kubernetes"
    [Looks right] [Edit] [Start over]
    "#);
    model.next(Turn::calls("next_phase", &json!({})));
    world.press("Looks right").await;
    let state = world.state().await;
    assert_eq!(state.status, Status::Completed, "{}", world.screen());
    assert_eq!(state.record("job_match").unwrap().data, analysis());
    assert_eq!(state.participant, PersonId::web("ada"));
    assert_eq!(world.audited("phase_advance_attempt").await, 2);
    model.assert_played();
    world.assert_at_rest().await;
}

#[test]
fn an_analysis_without_evidence_is_no_analysis() {
    let schema = &flow().schemas["job_match"];
    assert!(check_data(schema, &analysis()).is_empty());
    let mut bare = analysis();
    bare["sentences"][0]["evidence"] = json!([]);
    assert!(!check_data(schema, &bare).is_empty());
    let mut silent = analysis();
    silent["sentences"] = json!([]);
    assert!(!check_data(schema, &silent).is_empty());
}

/// A phase in which a model may do all that the analysis needs.
const FREE: &str = r#"
format = 1
id = "free"
version = "1.0.0"
title = "Free"
policy = { score_people = true }
[data.job_match]
schema = "builtin:job_match"
review = true
evidence = true
[[phase]]
id = "one"
title = "One"
mode = "interview"
tools = ["extract_skills", "calculate_similarity", "request_user_input", "submit_for_validation", "persist_data", "search_web"]
  [[phase.objective]]
  id = "match"
  title = "Match"
  done = { reviewed = "job_match" }
"#;

#[tokio::test]
async fn a_model_writes_nothing_that_nothing_bears_out() {
    let flow = Arc::new(LoadedFlow::load(FREE, "free.toml", &bench::vars()).unwrap());
    let mut bench = Bench::on(flow, catalog::tools(), Vec::new(), Policy::CHAT);
    for text in [JOB, CV] {
        bench.ask("request_user_input", json!({ "prompt": "Which text?" })).await;
        bench.answer(Reply::Text { text: text.to_owned() }).await;
        bench.tell("extract_skills", json!({ "text": text })).await;
    }
    let compared = json!({ "text1": JOB, "text2": CV, "comparison_type": "role_alignment" });
    assert_eq!(bench.tell("calculate_similarity", compared).await["score"], 43);
    let by_tool = json!({ "source": "calculate_similarity", "words": "91, very high" });
    for (path, value, told) in [
        ("/scores/0/score", json!(44), "`score` 44"),
        // The right number under another comparison, and with another word for it.
        ("/scores/0/comparison", json!("company_fit"), "company_fit"),
        ("/scores/0/interpretation", json!("very high"), "very high"),
        ("/summary", json!("The CV covers 85 % of the job."), "`85 %`"),
        ("/summary", json!("The CV says “led a large team”."), "“led a large team”"),
        ("/sentences/0/sentence", json!("Ada has 12 years of Rust."), "`12`"),
        ("/sentences/0/evidence/0/words", json!("led a team"), "“led a team”"),
        ("/sentences/0/evidence/0/words", json!("…"), "“…”"),
        ("/sentences/0/evidence/0", by_tool, "“91, very high”"),
    ] {
        let mut data = analysis();
        *data.pointer_mut(path).unwrap() = value;
        for tool in ["submit_for_validation", "persist_data"] {
            let refused = bench.tell(tool, json!({ "dataType": "job_match", "data": data })).await;
            let is_told = refused["error"].as_str().is_some_and(|error| error.contains(told));
            // What is reviewed is never stored on a model's word: that is said first.
            let is_barred = tool == "persist_data" && refused["code"] == "invalid_parameters";
            assert!(is_told || is_barred, "{path}: {refused}");
        }
    }
    let mut data = analysis();
    data["summary"] = json!("2 of the 5 skills stand in both; alike to 43 of 100.");
    data["sentences"][0]["evidence"][0] =
        json!({ "source": "calculate_similarity", "words": "43, low" });
    let right = json!({ "dataType": "job_match", "data": data });
    bench.ask("submit_for_validation", right.clone()).await;
    // A person may put in what they like, and what they approved is stored.
    data["scores"][0]["score"] = json!(50);
    let edited =
        Reply::Reviewed { verdict: Verdict::Modified, data: Some(data.clone()), notes: None };
    assert_eq!(bench.answer(edited).await["status"], "modified");
    let same = json!({ "dataType": "job_match", "data": data });
    assert_eq!(bench.tell("persist_data", same).await["persisted"]["status"], "unchanged");
    // What goes by no review is looked at as well.
    let loose =
        FREE.replace("review = true\n", "").replace("reviewed = \"job_match\"", "talked = 1");
    let flow = Arc::new(LoadedFlow::load(&loose, "free.toml", &bench::vars()).unwrap());
    let mut bench = Bench::on(flow, catalog::tools(), Vec::new(), Policy::CHAT);
    let stored = bench.tell("persist_data", json!({ "dataType": "job_match", "data": analysis() }));
    let refused = stored.await;
    assert!(refused["error"].as_str().is_some_and(|text| text.contains("`score` 43")), "{refused}");
}

/// Nothing is on the web.
#[derive(Debug)]
struct NoWeb;

#[async_trait]
impl Search for NoWeb {
    async fn search(&self, _query: &Query) -> Result<Found, search::Error> {
        Ok(Found::default())
    }
}

#[tokio::test]
async fn what_a_model_searched_for_bears_nothing_out() {
    let flow = Arc::new(LoadedFlow::load(FREE, "free.toml", &bench::vars()).unwrap());
    let mut bench = Bench::on(flow, catalog::tools(), Vec::new(), Policy::CHAT);
    let services = Services { search: Some(Arc::new(NoWeb)), ..Services::default() };
    bench.pipeline = bench.pipeline.clone().with_services(services);
    let query = json!({ "query": "Ada led 77 people" });
    assert_eq!(bench.tell("search_web", query).await["data"]["query"], "Ada led 77 people");
    let mut data = analysis();
    data["summary"] = json!("She led 77 people.");
    data["sentences"][0]["evidence"][0] =
        json!({ "source": "search_web", "words": "led 77 people" });
    let card = json!({ "dataType": "job_match", "data": data });
    let refused = bench.tell("submit_for_validation", card).await;
    let told = refused["error"].as_str().unwrap();
    assert!(
        told.contains("gave `77`") && told.contains("“led 77 people” does not stand"),
        "{told}"
    );
}

#[test]
fn evidence_is_asked_only_of_data_that_can_have_some() {
    let flow = r#"
format = 1
id = "bare"
version = "1.0.0"
title = "Bare"
[data.remarks]
schema_inline = '{ "type": "object", "properties": { "text": { "type": "string" } } }'
evidence = true
[[phase]]
id = "one"
title = "One"
mode = "interview"
tools = ["persist_data", "next_phase"]
  [[phase.objective]]
  id = "talked"
  title = "Talk"
  done = { talked = 1 }
"#;
    let toolbox = Toolbox::new(catalog::tools()).unwrap();
    let report = |flow: &str| {
        let catalogue = |flow: &LoadedFlow| toolbox.catalogue(flow);
        let checked = check_source(flow, "bare.toml", &bench::vars(), catalogue, None);
        let remarks = checked.map_or_else(|problems| problems, |(_, remarks)| remarks);
        let told = remarks
            .iter()
            .map(ToString::to_string)
            .filter(|told| told.contains("evidence could support"));
        told.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(report(flow), @"bare.toml:8:1: `remarks` contains nothing that evidence could support. hint: add numbers, or objects with `source` and `words`, to its schema; or leave out `evidence`");
    let counted =
        flow.replace(r#""text": { "type": "string" }"#, r#""years": { "type": "integer" }"#);
    assert!(!report(&counted).contains("evidence could support"), "{}", report(&counted));
}
