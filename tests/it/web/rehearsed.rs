//! What Discord or Slack would do for a flow, rehearsed on the page: shown, decided on, and never said to have happened.

use anteroom::{
    model::transcript::{EffectOutcome, Event},
    ports::llm::Models,
};

use super::site::{Site, Visitor};

/// A welcome to a server: roles, a role that the team must allow, a post, and summaries.
const FLOW: &str = r#"
format = 1
id = "tour"
version = "1.0.0"
title = "Community welcome"

[notice]
text = "You are about to talk to a bot."
accept = "Go on"
human = "A person, please"
decline = "Not now"

[approvals.override]
channel = "recruiting_approvals"

[data.hello]
review = true

[data.hello.fields]
text = { type = "long_text", title = "Hello" }

[[phase]]
id = "welcome"
title = "Welcome"
mode = "script"
objective = [{ id = "greeted", title = "A greeting", done = { reviewed = "hello" } }]
step = [
  { id = "topic", tool = "get_user_option", args = { prompt = "What brings you here?", options = [{ id = "learn", label = "Learning" }, { id = "chat", label = "Chatting" }] } },
  { id = "hello", tool = "submit_for_validation", args = { dataType = "hello", message = "Is this right?", data = { text = "I am Ada.\n# Hi" } } },
]
effect = [
  { do = "discord_add_roles_from", step = "topic", map = { learn = "fast-learner" } },
  { do = "discord_add_role", role = "moderator", approval = "recruiting_approvals" },
  { do = "discord_post", channel = "introductions", data = "hello", mention_participant = true },
  { do = "post_summary", channel = "staff_desk", include = ["hello"] },
  { do = "webhook", url_from = "crm", include = ["hello"] },
]
"#;

/// Ada answers with a topic, and finishes.
async fn finished(topic: &str) -> (Site, Visitor) {
    let site = Site::modelled(FLOW, Models::default()).await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;
    let page = ada.press(&page, topic).await;
    ada.press(&page, "Looks right").await;
    (site, ada)
}

/// The words of the cards of a rehearsal, in order.
fn cards(page: &str) -> Vec<String> {
    let parts = page.split("<article class=\"card rehearsed\"").skip(1);
    let words = |part: &str| {
        let inner = &part[part.find("</p>").unwrap()..part.find("</article>").unwrap()];
        let mut is_tag = false;
        let mut text = String::new();
        for c in inner.chars() {
            match c {
                '<' => is_tag = true,
                '>' => is_tag = false,
                c if !is_tag => text.push(c),
                _ => {}
            }
        }
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    parts.map(words).collect()
}

async fn pages(site: &Site, ada: &Visitor) -> (String, String) {
    let session = site.session().await;
    let grace = site.staff("Grace").await;
    (ada.get(&format!("/s/{session}")).await, grace.get(&format!("/staff/s/{session}")).await)
}

/// What was noted last of each effect of the phase.
async fn outcomes(site: &Site) -> Vec<EffectOutcome> {
    let loaded = site.engine.parts().store.load(site.session().await).await.unwrap().unwrap();
    let mut last = vec![EffectOutcome::NotApplicable; 5];
    for recorded in &loaded.events {
        if let Event::EffectNoted { index, outcome, .. } = &*recorded.event {
            last[*index] = outcome.clone();
        }
    }
    last
}

#[tokio::test]
async fn the_page_shows_what_discord_would_do_and_says_that_it_was_not_done() {
    let (site, ada) = finished("Learning").await;
    let (participant, staff) = pages(&site, &ada).await;

    insta::assert_snapshot!(cards(&staff).join("\n"), @r"
    Would post in #introductions, mentioning Ada: I am Ada. # Hi Nothing was posted: this page has no channels.
    Would give Ada the role Fast learner. Nothing was given: roles exist only on Discord.
    Would post a summary in #staff_desk: Ada has finished Community welcome. Hello Hello: I am Ada. # Hi Nothing was posted: this page has no channels.
    Would call the web hook crm: Hello. Nothing was sent: the web hook isn't set up.
    ");
    insta::assert_snapshot!(cards(&participant).join("\n"), @r"
    On Discord, this would now be posted in #introductions: I am Ada. # Hi Nothing was posted.
    On Discord, you would now get the role Fast learner. No role was given here.
    ");
    for page in [&participant, &staff] {
        assert!(!page.contains("Done: ") && !page.contains("Not applicable"), "{page}");
    }
    assert!(!participant.contains("crm") && !participant.contains("staff_desk"), "{participant}");
    assert_eq!(
        outcomes(&site).await,
        [
            EffectOutcome::Rehearsed,
            EffectOutcome::AwaitingApproval,
            EffectOutcome::Rehearsed,
            EffectOutcome::Rehearsed,
            EffectOutcome::NotApplicable,
        ]
    );
}

#[tokio::test]
async fn an_effect_that_needs_consent_is_decided_on_the_staff_page_and_then_shown() {
    let (site, ada) = finished("Chatting").await;
    let grace = site.staff("Grace").await;
    let page = grace.get(&format!("/staff/s/{}", site.session().await)).await;
    assert!(page.contains("Give Ada the Moderator role?"), "{page}");
    let would = "Would give Ada the role Moderator.";
    assert!(!cards(&page).iter().any(|card| card.contains(would)), "{page}");

    let page = grace.press(&page, "Yes, approve").await;

    assert!(cards(&page).iter().any(|card| card.contains(would)), "{page}");
    let (participant, _) = pages(&site, &ada).await;
    let card = "On Discord, you would now get the role Moderator. No role was given here.";
    assert_eq!(cards(&participant).last().map(String::as_str), Some(card), "{participant}");
    let outcomes = outcomes(&site).await;
    assert_eq!(outcomes[..2], [EffectOutcome::NotApplicable, EffectOutcome::Rehearsed]);
}

#[tokio::test]
async fn an_effect_that_the_team_declines_is_not_shown_as_one_that_would_happen() {
    let (site, ada) = finished("Chatting").await;
    let grace = site.staff("Grace").await;
    let page = grace.get(&format!("/staff/s/{}", site.session().await)).await;

    let page = grace.press(&page, "Yes, deny").await;

    assert!(page.contains("Declined by the team: role moderator."), "{page}");
    let (participant, staff) = pages(&site, &ada).await;
    assert!(participant.contains("Declined by the team: the Moderator role."), "{participant}");
    assert!(participant.contains("declined your request for the Moderator role"), "{participant}");
    assert!(
        !cards(&staff).iter().chain(&cards(&participant)).any(|card| card.contains("Moderator"))
    );
}
