//! The participant's page without scripts: no way that ends, nothing that is cut, and complaints where they are mended.

use reqwest::{StatusCode, multipart};

use std::sync::Arc;

use anteroom::{
    gateway::web::limits,
    ports::{
        contacts::{Contacts, profile::Profile, vcard::VCards},
        llm::{Model, Models},
    },
};

use super::site::{Site, csrf};
use crate::llm::scripted::Scripted;

const CANDIDATE: &str = include_str!("../../../manifests/flows/candidate-onboarding.toml");
const MEMBER: &str = include_str!("../../../manifests/flows/community-welcome.toml");

/// Sends fields to a form of the conversation as a browser without scripts does; status and page.
async fn send(
    site: &Site,
    who: &super::site::Visitor,
    what: &str,
    fields: &[(&str, &str)],
) -> (StatusCode, String) {
    let session = site.session().await;
    let url = format!("{}/s/{session}/{what}", site.url);
    let answer = who.client.post(url).form(fields).send().await.unwrap();
    (answer.status(), answer.text().await.unwrap())
}

#[tokio::test]
async fn a_cookie_that_came_over_tls_is_sent_over_tls_alone() {
    let site = Site::open().await;
    for (scheme, is_secure) in [("http", false), ("https", true)] {
        let asked = reqwest::Client::new().get(&site.url).header("x-forwarded-proto", scheme);
        let answer = asked.send().await.unwrap();
        let cookie = answer.headers()["set-cookie"].to_str().unwrap();
        assert_eq!(cookie.ends_with("; Secure"), is_secure, "{cookie}");
    }
}

#[tokio::test]
async fn start_page_asks_for_the_name_once() {
    let site = Site::open().await;
    let page = site.visitor().get("/").await;
    assert_eq!(page.matches("name=\"name\"").count(), 1, "{page}");
    assert!(page.contains("name=\"flow\" value=\"tour\""), "{page}");
    // Enter in the name starts nothing: the first button does not work.
    let button = page.find("<button").unwrap();
    assert!(page[button..].starts_with("<button type=\"submit\" disabled hidden>"), "{page}");
    assert!(page.contains("Nothing leaves this machine."), "{page}");
}

#[tokio::test]
async fn answered_question_becomes_a_line_that_opens() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;
    let page = ada.press(&page, "Red").await;

    assert_eq!(page.matches(" class=\"past\">").count(), 2, "{page}");
    assert_eq!(page.matches("class=\"card open\"").count(), 1, "{page}");
}

#[tokio::test]
async fn message_over_the_limit_comes_back_whole() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let long = format!("{} end", "word ".repeat(limits::TEXT_MAX / 5));

    let fields = [("csrf", &*csrf(&page)), ("key", "k"), ("text", &long)];
    let (status, told) = send(&site, &ada, "say", &fields).await;

    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(told.contains("a message holds 8000"), "{told}");
    assert!(told.contains(&long), "what was typed is in the field");
    assert!(!told.contains("maxlength=\"8000\""), "browsers would cut it");
}

#[tokio::test]
async fn refused_form_leads_back_to_its_page() {
    let site = Site::open().await;
    let ada = site.visitor();
    ada.start("tour", "Ada").await;
    let session = site.session().await;

    let (status, told) = send(&site, &ada, "say", &[("csrf", "stale"), ("text", "hello")]).await;

    assert_eq!(status, StatusCode::FORBIDDEN);
    assert!(told.contains(&format!("href=\"/s/{session}\"")), "{told}");
    assert!(told.contains("Back to the conversation"), "{told}");
}

#[tokio::test]
async fn the_pages_script_is_told_why_a_form_was_refused() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let session = site.session().await;
    let fields = [("csrf", csrf(&page)), ("text", "a".repeat(limits::FORM_MAX))];

    let url = format!("{}/s/{session}/say", site.url);
    let request = ada.client.post(url).header("accept", "application/json").form(&fields);
    let answer = request.send().await.unwrap();

    assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let told: serde_json::Value = answer.json().await.unwrap();
    let notice = told["notice"].as_str().unwrap();
    assert!(notice.starts_with("That is too much for one form"), "{notice}");
}

#[tokio::test]
async fn typed_command_stands_in_the_conversation_as_ones_own_message() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let session = site.session().await;
    let fields = [("csrf", csrf(&page)), ("key", "k".to_owned()), ("text", "stop".to_owned())];

    let url = format!("{}/s/{session}/say", site.url);
    let request = ada.client.post(url).header("accept", "application/json").form(&fields);
    let told: serde_json::Value = request.send().await.unwrap().json().await.unwrap();

    assert_eq!(told["ok"], true);
    let said = told["said"].as_str().unwrap();
    assert!(said.contains("row mine") && said.contains(">stop</p>"), "{said}");
}

#[tokio::test]
async fn a_script_is_told_how_a_card_stands_after_an_answer() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;
    let session = site.session().await;
    let button = page.split("\" data-choice=\"red\"").next().unwrap();
    let element = button.rsplit("value=\"").next().unwrap().to_owned();
    let fields = [("csrf", csrf(&page)), ("key", "k".to_owned()), ("element", element)];

    let url = format!("{}/s/{session}/answer", site.url);
    let request = ada.client.post(url).header("accept", "application/json").form(&fields);
    let told: serde_json::Value = request.send().await.unwrap().json().await.unwrap();

    assert_eq!((&told["ok"], told["pieces"].as_array().unwrap().len()), (&true.into(), 1));
    let card = told["pieces"][0]["html"].as_str().unwrap();
    assert!(card.contains("card closed") && card.contains(">Red</strong>"), "{card}");
}

#[tokio::test]
async fn whoever_reloads_a_refused_start_is_back_at_the_start() {
    let site = Site::open().await;
    let page = site.visitor().get("/start").await;
    assert!(page.contains("name=\"flow\" value=\"tour\""), "{page}");
}

#[tokio::test]
async fn page_without_scripts_always_has_a_way_on() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let session = site.session().await;
    assert!(
        page.contains(&format!(
            "<noscript><p class=\"strip\"><a href=\"/s/{session}\">Refresh</a>"
        )),
        "{page}"
    );
    let lost = ada.get("/nowhere").await;
    assert!(lost.contains("<a class=\"button\" href=\"/\">Back to start</a>"), "{lost}");
}

#[tokio::test]
async fn headings_descend_one_level_at_a_time() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;
    let levels = page.match_indices("<h").filter_map(|(at, _)| {
        let level = page[at + 2..].chars().next()?.to_digit(10)?;
        page[at + 3..].starts_with([' ', '>']).then_some(level)
    });
    let levels: Vec<u32> = levels.collect();
    assert_eq!(levels.first(), Some(&1), "{levels:?}");
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
}

/// What people read before they begin, where a model leads and where none does.
async fn notices(flow: &str, id: &str) -> [String; 2] {
    let model: Arc<dyn Model> = Scripted::new();
    let led = Models { interview: Some(model), ..Models::default() };
    let mut notices = [String::new(), String::new()];
    for (notice, models) in notices.iter_mut().zip([led, Models::default()]) {
        let site = Site::shipped(flow, models, Contacts::default()).await;
        *notice = site.visitor().start(id, "Ada").await;
    }
    notices
}

#[tokio::test]
async fn ai_is_announced_only_where_a_model_is_configured() {
    let [led, scripted] = notices(CANDIDATE, "candidate-onboarding").await;
    assert!(led.contains("<strong>You are about to talk to an AI assistant</strong>"), "{led}");
    assert!(!scripted.contains("AI assistant"), "{scripted}");
    assert!(led.contains("<a href=\"https://example.org/privacy\""), "{led}");
    assert!(scripted.contains("a fixed list of questions"), "{scripted}");

    let [led, scripted] = notices(MEMBER, "community-welcome").await;
    assert!(led.contains("it uses an AI model"), "{led}");
    assert!(!scripted.contains("an AI model"), "{scripted}");
}

#[tokio::test]
async fn contact_card_is_offered_only_where_a_source_can_answer() {
    let sources = Contacts::new(vec![Box::new(Profile::default()), Box::new(VCards::new(None))]);
    let site = Site::shipped(CANDIDATE, Models::default(), sources).await;
    let ada = site.visitor();
    let page = ada.start("candidate-onboarding", "Ada").await;
    let page = ada.press(&page, "Continue with the assistant").await;
    assert!(page.contains("Upload résumé") && page.contains("Type it in"), "{page}");
    assert!(!page.contains("contact card") && !page.contains("Use my"), "{page}");
}

#[tokio::test]
async fn addresses_lead_where_they_say_for_the_participant_alone() {
    let site = Site::shipped(CANDIDATE, Models::default(), Contacts::default()).await;
    let ada = site.visitor();
    let page = ada.start("candidate-onboarding", "Ada").await;
    let link = "<a href=\"https://example.org/privacy\" target=\"_blank\" rel=\"noopener noreferrer\">https://example.org/privacy</a>";
    assert!(page.contains(link), "{page}");
    let session = site.session().await;
    let seen = site.staff("Grace").await.get(&format!("/staff/s/{session}")).await;
    assert!(seen.contains("https://example.org/privacy"), "{seen}");
    assert!(!seen.contains("href=\"https://"), "{seen}");
}

#[tokio::test]
async fn after_the_end_too_the_page_says_that_somebody_was_asked() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;
    let page = ada.press(&page, "Red").await;
    ada.upload(&page, multipart::Part::text("A file.").file_name("a.txt")).await;
    let page = ada.get(&format!("/s/{}", site.session().await)).await;
    let page = ada.say(&page, "A word").await;
    assert!(page.contains("That's everything, thank you!"), "{page}");
    let page = ada.command(&page, &[("command", "human")]).await;
    assert!(page.contains("Someone from the team has been asked to join."), "{page}");
}
