//! A first talk with somebody who may become a client, in a real browser: a model asks, figures are worked out and drawn,
//! documents are written and handed over, and what was made is looked at. Then the same without a model.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::{
    Look, Scene,
    aimock::Aimock,
    chromium, erase, npm,
    plays::{Turn, play, says},
};

const CONFIG: &str = r#"
[vars]
organisation = "Example Ltd"
privacy_url = "https://example.org/privacy"

[flows]
enabled = ["consulting-discovery"]

[consulting.booking]
consultation = "https://cal.example.org/first"
"#;

const OWN: &str = "Five of us at Analytical Ltd type invoices by hand, ten hours a week each.";

/// What the model says and does in the conversation.
fn turns() -> Vec<Turn> {
    let found = json!({
        "organisation": "Analytical Ltd", "process": "typing invoices by hand", "hours_per_week": 10, "team_size": 5,
    });
    let cost = json!({
        "inefficient_process": "typing invoices by hand", "hours_wasted_per_week": 10, "team_size": 5,
    });
    let diagram = json!({
        "diagram_type": "flowchart", "content_description": "An invoice comes by post and is typed in twice.",
    });
    let done = |objective: &str| json!({ "objectiveId": objective, "status": "completed" });
    let on = json!({ "overrides": [] });
    vec![
        says("Good day. What would you like to change?"),
        says(
            "Yes, both: I am an AI, and I am the sales assistant of Example Ltd. What takes your team's time?",
        ),
        says("This is what I understood.")
            .and("submit_for_validation", json!({ "dataType": "discovery", "data": found })),
        says("").and("next_phase", on.clone()),
        says("Let me work that out, and draw it.")
            .and("simulate_cost_of_inaction", cost)
            .and("generate_architecture_diagram", diagram),
        says("By your own figures it is 10,000 USD a month. Shall we look at what could be done?"),
        says("").and("set_objective_status", done("figures")).and("next_phase", on.clone()),
        says("I write that down.")
            .and("generate_proposal_draft", json!({}))
            .and("get_booking_link", json!({})),
        says(
            "The draft stands above, and a calendar if you want to talk. Nothing is booked. Shall I sum up?",
        ),
        says("").and("set_objective_status", done("next_step")).and("next_phase", on.clone()),
        says("")
            .and("generate_summary_preview", json!({ "includeNextSteps": true }))
            .and("extract_action_items", json!({})),
        says("That is all of it. Is anything wrong?"),
        says("").and("set_objective_status", done("summary")).and("next_phase", on),
        says("Thank you, Ada. Somebody will be there at the time you chose."),
    ]
}

/// What it writes when a tool asks it to; the words by which the request is known come first.
fn written() -> Vec<Value> {
    let answer = |known: &str, content: String| json!({ "match": { "userMessage": known }, "response": { "content": content } });
    let diagram = "flowchart TD\n  Post[Invoice comes by post] --> First[Typed in]\n  First --> Second[Typed in again]\n  \
                   Second --> Books[(Books)]";
    let part = |heading: &str, text: &str| json!({ "heading": heading, "text": text });
    let proposal = json!({
        "title": "Invoices without typing",
        "situation": part("Today", "Five people at Analytical Ltd type invoices by hand, 10 hours a week each."),
        "goals": part("Wanted", "Invoices that are typed in once, or not at all."),
        "approach": part("How", "- Look at the invoices together\n- Try it with one supplier"),
        "scope": part("What belongs to it", "Invoices that come by post. Payments do not belong to it."),
        "open_points": part("Open", "How many suppliers send their invoices electronically is not known."),
        "next_steps": part("Next", "Choose a time to talk, if you want to."),
    });
    // The first summary makes a figure up, and is sent back.
    let summary = |overview: &str| {
        let next = part("Next", "Choose a time to talk.");
        let (title, overview) = ("Typing invoices", part("In short", overview));
        json!({ "title": title, "overview": overview, "next_steps": next }).to_string()
    };
    let items = json!({
        "items": ["Analytical Ltd chooses a time to talk."], "priority": "medium", "nextMeetingNeed": true,
    });
    vec![
        answer("begins with `flowchart`", diagram.to_owned()),
        answer("\"proposal\":true", proposal.to_string()),
        answer(
            "Send the whole JSON object once more",
            summary("Five people type invoices, 200 hours a month, which is 10,000 USD a month."),
        ),
        answer(
            "\"next_steps\":true",
            summary("It costs 750,000 USD a year, and rivals save 90 %."),
        ),
        answer("\"items\":true", items.to_string()),
    ]
}

/// Whether any file of a conversation is still in the data folder.
fn holds_files(data: &Path) -> bool {
    fs::read_dir(data.join("artifacts")).unwrap().any(|session| {
        let session = session.unwrap().path();
        fs::read_dir(session).unwrap().next().is_some()
    })
}

/// Keeps what was made beside the pictures of the pages, to be looked at.
fn keep(name: &str, files: &[Vec<u8>], extension: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/screenshots");
    for (n, bytes) in files.iter().enumerate() {
        fs::write(folder.join(format!("{name}-{n}.{extension}")), bytes).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_talk_ends_with_figures_a_proposal_and_a_summary() {
    let _turn = chromium::turn().await;
    let fixtures: Vec<Value> = written().into_iter().chain(play(&turns())).collect();
    let Some(model) = Aimock::start(&fixtures).await else {
        assert!(std::env::var_os("CI").is_none(), "aimock is not installed: `{}`", npm::INSTALL);
        return;
    };
    let config = format!("{CONFIG}\n{}", model.config());
    let Some(mut scene) = Scene::configured("consulting", Look::Desktop, &config).await else {
        return;
    };
    let data = scene.dir.path().join("data");

    let browser = &mut scene.browser;
    browser.write_into("name", "Ada Byron").await;
    browser.press_in("A first talk", "Start").await;
    browser.see("an AI that works for its sales").await;
    browser.show("notice").await;
    browser.press("Continue with the assistant").await;
    browser.see("What would you like to change?").await;
    browser.say("Are you a sales assistant?").await;
    browser.see("Yes, both: I am an AI").await;
    browser.say(OWN).await;
    browser.see("This is what I understood.").await;
    browser.show("understood").await;
    browser.press_in("What you need", "Looks right").await;

    browser.see("By your own figures it is 10,000 USD a month.").await;
    browser.see("cost.png").await;
    browser.see("flowchart.png").await;
    browser.show("figures").await;
    let pictures = browser.files_of_the_bot(b"\x89PNG").await;
    assert_eq!(pictures.len(), 2, "a chart and a diagram");
    assert!(holds_files(&data), "the files are kept on disk");
    keep("consulting-picture", &pictures, "png");
    browser.say("Yes.").await;

    browser.see("Nothing is booked. Shall I sum up?").await;
    browser.see("Choose a time").await;
    browser.show("proposal").await;
    browser.say("Please.").await;
    browser.see("Is anything wrong?").await;
    browser.show("summary").await;
    let page = browser.conversation().await;
    assert!(!page.contains("750,000"), "a figure that nobody gave was shown:\n{page}");
    let papers = browser.files_of_the_bot(b"%PDF").await;
    assert_eq!(papers.len(), 2, "a proposal and a summary");
    keep("consulting-paper", &papers, "pdf");
    browser.say("Nothing, thank you.").await;
    browser.see("Download a copy").await;
    browser.see("Somebody will be there at the time you chose.").await;
    browser.show("end").await;

    let (_, refused) = model.checked().await;
    assert_eq!(refused, [0_u64; 0]);
    erase(&mut scene.browser).await;
    assert!(!holds_files(&data), "nothing that was made is left");
    scene.nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_talk_without_a_model_ends_with_the_same_figures() {
    let _turn = chromium::turn().await;
    let Some(mut scene) = Scene::configured("consulting-script", Look::Phone, CONFIG).await else {
        return;
    };
    let browser = &mut scene.browser;
    browser.write_into("name", "Ada Byron").await;
    browser.press_in("A first talk", "Start").await;
    browser.press("Continue with the assistant").await;
    browser.see("Please tell us what takes your time.").await;
    browser.show("form").await;
    browser.write("Organisation", "Analytical Ltd").await;
    browser.write("The work that takes too long", "typing invoices").await;
    browser.write("Hours a week, each", "10").await;
    browser.write("People who do it", "5").await;
    browser.show("filled").await;
    browser.answer("Save").await;
    browser.press("Looks right").await;
    browser.see("200 hours × 50 USD = 10,000 USD a month. What would you like next?").await;
    browser.see("cost.png").await;
    browser.show("figures").await;
    browser.press("Choose a time to talk").await;
    browser.see("You can choose a time").await;
    browser.see("anything that we should know").await;
    browser.see("summary-").await;
    browser.show("calendar").await;
    keep("consulting-list", &browser.files_of_the_bot(b"%PDF").await, "pdf");
    browser.write("Your answer", "We are five.").await;
    browser.answer("Send").await;
    browser.see("Download a copy").await;
    erase(&mut scene.browser).await;
    scene.nothing_is_left().await;
}
