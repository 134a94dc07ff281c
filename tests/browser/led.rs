//! A model leads both flows in a real browser, streamed, with several calls in a round; staff deny and approve. Then
//! the same with a provider that has bad days: whatever it does, no answer is lost, nothing is posted twice, and the
//! interview comes to its end.

use serde_json::{Value, json};

use super::{
    Look, Scene,
    aimock::Aimock,
    chromium, erase, fixture, npm,
    plays::{SAMPLE, Turn, candidate, community, fault, late, play, slowly},
    skipped, start,
};

/// The turn of the candidate's interview that reads the résumé.
const READS: usize = 3;

/// A configuration as the playground has it where nobody wrote one.
const CONFIG: &str = r#"
[vars]
organisation = "Example Ltd"
privacy_url = "https://example.org/privacy"
contact = "people@example.org"

[approvers]
recruiting_approvals = { web_staff = true }
staff_approvals = { web_staff = true }
"#;

/// A scene with a model in it.
struct Led {
    scene: Scene,
    model: Aimock,
}

impl Led {
    async fn open(name: &str, look: Look, play: &[Value]) -> Option<Self> {
        let Some(model) = Aimock::start(play).await else {
            let missing = format!(
                "Node or aimock is not installed: Node 20 or newer, then `{}`",
                npm::INSTALL
            );
            assert!(std::env::var_os("CI").is_none(), "{missing}");
            skipped::skip("aimock", &format!("Node 20 or newer, then {}", npm::INSTALL));
            return None;
        };
        let scene = Scene::configured(name, look, &format!("{CONFIG}\n{}", model.config())).await?;
        Some(Self { scene, model })
    }

    /// Everything that was said on either side stands on the page once.
    async fn said_once(&self, turns: &[Turn], answers: &[&str]) {
        let page = self.scene.browser.conversation().await;
        let words = turns.iter().map(|turn| turn.words.replace("**", ""));
        for words in words.filter(|words| !words.is_empty()) {
            assert_eq!(page.matches(&words).count(), 1, "`{words}` on:\n{page}");
        }
        for answer in answers {
            assert!(page.contains(answer), "`{answer}` on:\n{page}");
        }
        assert!(!page.contains("Thinking…"), "{page}");
    }

    /// The participant's answers reached the model.
    async fn model_knows(&self, answers: &[&str]) {
        let seen = self.model.seen().await;
        let known = seen.last().unwrap().0["messages"].to_string();
        for answer in answers {
            assert!(known.contains(answer), "`{answer}` in {known}");
        }
    }

    async fn go_to_staff(&mut self) {
        let staff = format!("{}staff", self.scene.bot.page);
        let browser = &mut self.scene.browser;
        browser.open_tab(&staff).await;
        browser.write("Your name", "Grace").await;
        browser.press("Continue").await;
        browser.see("Waiting for the team").await;
    }

    async fn staff_denies_with_words(&mut self) {
        self.go_to_staff().await;
        let browser = &mut self.scene.browser;
        browser.show("staff-request").await;
        browser.press("Deny and tell the interviewer").await;
        browser.write("What should the interviewer do next?", "Ask who taught her.").await;
        browser.press("Send to interviewer").await;
        browser.see("Nothing to decide right now.").await;
        browser.to_tab(0).await;
    }

    async fn staff_approves(&mut self) {
        let browser = &mut self.scene.browser;
        browser.to_tab(1).await;
        browser.press("Approve").await;
        browser.press("Yes, approve").await;
        browser.see("Nothing to decide right now.").await;
        browser.to_tab(0).await;
    }
}

/// What the candidate writes while they talk, apart from cards.
const TAUGHT: &str = "My mother found teachers; Augustus De Morgan was the last one.";
const GOAL: &str = "To show what such an engine could do.";
const PART: &str = "I wrote the table for the Bernoulli numbers.";
const USE: &str = "People still read them.";

#[tokio::test(flavor = "multi_thread")]
async fn a_model_leads_a_candidate_while_staff_deny_and_approve() {
    let _turn = chromium::turn().await;
    let turns = candidate();
    let mut fixtures = play(&turns);
    fixtures[0] = slowly(fixtures[0].take());
    fixtures[READS + 1] = late(fixtures[READS + 1].take());
    fixtures.remove(READS);
    let Some(mut led) = Led::open("led-candidate", Look::Desktop, &fixtures).await else { return };

    let browser = &mut led.scene.browser;
    start(browser, "Candidate onboarding").await;
    browser.see("You are about to talk to an AI assistant").await;
    browser.watch("Good day, Ada").await;
    browser.press("Continue with the assistant").await;
    browser.see("Thinking…").await;
    browser.show("thinking").await;
    browser.see("Good day, Ada").await;
    browser.show("words-growing").await;
    browser.see("How shall we begin?").await;
    browser.show("words-whole").await;
    // Read aloud once, when it is whole.
    browser.hear_announced("before it is kept. Question: How shall we begin?").await;
    assert_eq!(browser.watched().await, [0, 1], "a message came and stayed");
    assert!(browser.lengths().await > 3, "it was seen to grow");

    the_basics(&mut led, &turns).await;
    one_piece_of_work(&mut led).await;
    own_words(&mut led).await;

    let answers = [TAUGHT, GOAL, PART, USE, SAMPLE];
    led.said_once(&turns, &answers).await;
    led.model_knows(&answers).await;
    assert_eq!(led.model.checked().await, (turns.len(), vec![]));
    erase(&mut led.scene.browser).await;
    led.scene.nothing_is_left().await;
}

async fn the_basics(led: &mut Led, turns: &[Turn]) {
    let browser = &mut led.scene.browser;
    browser.press("Upload a file").await;
    browser.see("Please send it here.").await;
    browser.choose_file(&fixture("ada.pdf")).await;
    browser.answer("Send").await;
    browser.see("Shall I read it now?").await;
    let file = led.model.last_result().await["uploads"][0]["id"].clone();
    let reads = turns[READS].clone().and("extract_document", json!({ "artifact_id": file }));
    led.model.add(&[reads.at(READS)]).await;
    browser.say("Yes, please.").await;
    browser.see("Read your file").await;
    browser.show("read").await;
    browser.see("This is what I found.").await;
    browser.see("2 of 2").await;
    browser.show("two-cards").await;
    browser.press_in("Contact details", "Looks right").await;
    browser.press_in("Work history", "Looks right").await;
    browser.press("There is nothing to add").await;
    browser.see("I've asked the team. You can leave;").await;
    browser.show("staff-asked").await;
    led.staff_denies_with_words().await;

    let browser = &mut led.scene.browser;
    browser.see("Who were they?").await;
    browser.show("denied").await;
    browser.say(TAUGHT).await;
    browser.see("I have passed that on.").await;
    led.staff_approves().await;
}

async fn one_piece_of_work(led: &mut Led) {
    let browser = &mut led.scene.browser;
    browser.see("What was the goal of the notes?").await;
    browser.show("approved").await;
    browser.say(GOAL).await;
    browser.see("And what was your own part").await;
    browser.say(PART).await;
    browser.see("How do you know").await;
    browser.say(USE).await;
    browser.see("Here is what I make of it.").await;
    browser.press_in("Evidence card", "Looks right").await;
}

async fn own_words(led: &mut Led) {
    let browser = &mut led.scene.browser;
    browser.see("Two short questions").await;
    browser.see("2 of 2").await;
    browser.press("Work like my last").await;
    browser.press("At home").await;
    browser.see("Please paste a few lines").await;
    browser.write("Your answer", SAMPLE).await;
    browser.answer("Send").await;
    browser.see("A last look, please.").await;
    browser.press_in("What you are looking for", "Looks right").await;
    browser.see("A person will read it and write to you.").await;
    browser.see("can see the following").await;
    browser.show("end").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_on_a_telephone_notices_little_of_a_provider_with_bad_days() {
    let _turn = chromium::turn().await;
    let turns = candidate();
    // Before the second part it fails for good, so that the script asks; with the answer the model is back.
    let first = 9;
    let mut fixtures = play(&turns);
    let error = |status: u64, kind: &str| json!({ "response": { "error": { "message": "no", "type": kind }, "status": status } });
    let bad_days = [
        fault(&fixtures[0], 0, &error(429, "rate_limit_error")),
        fault(&fixtures[1], 0, &json!({ "truncateAfterChunks": 3 })),
        fault(&fixtures[2], 0, &json!({ "truncateAfterChunks": 4 })),
        fault(&fixtures[4], 0, &json!({ "chaos": { "malformedRate": 1 } })),
        fault(&slowly(fixtures[5].clone()), 0, &json!({ "disconnectAfterMs": 1100 })),
        fault(&fixtures[7], 0, &json!({ "chaos": { "latencyMs": 1500 } })),
        fault(&fixtures[8], 0, &error(500, "server_error")),
        // What only people mend is not waited for.
        fault(&turns[first].at(first), 0, &error(401, "authentication_error")),
    ];
    fixtures[READS + 1] = late(fixtures[READS + 1].take());
    fixtures.remove(READS);
    let fixtures: Vec<Value> = bad_days.into_iter().chain(fixtures).collect();
    let Some(mut led) = Led::open("led-phone", Look::Phone, &fixtures).await else { return };

    let browser = &mut led.scene.browser;
    start(browser, "Candidate onboarding").await;
    browser.press("Continue with the assistant").await;
    browser.see("Thinking…").await;
    browser.show("thinking").await;
    the_basics(&mut led, &turns).await;
    let browser = &mut led.scene.browser;
    browser.see("I'll continue with a fixed list of questions for now.").await;
    browser.see("Which role would you like to talk about?").await;
    browser.show("script-leads").await;
    browser.press("A project of my own").await;
    one_piece_of_work(&mut led).await;
    own_words(&mut led).await;

    led.said_once(&turns, &[TAUGHT, GOAL, PART, USE, SAMPLE]).await;
    led.model_knows(&[TAUGHT, GOAL, PART, USE, SAMPLE]).await;
    let (asked, mut refused) = led.model.checked().await;
    refused.sort_unstable();
    assert_eq!((asked, refused), (turns.len() + 7, vec![401, 429, 500]));
    erase(&mut led.scene.browser).await;
    led.scene.nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_helps_a_member_who_loads_the_page_anew_in_the_middle_of_a_sentence() {
    let _turn = chromium::turn().await;
    let turns = community();
    let mut fixtures = play(&turns);
    fixtures[0] = slowly(fixtures[0].take());
    fixtures[0]["streamingProfile"]["tps"] = 3.into();
    let Some(mut led) = Led::open("led-community", Look::Desktop, &fixtures).await else { return };
    until_the_introduction(&mut led).await;
    let browser = &mut led.scene.browser;
    browser.see("Shall we write").await;
    browser.reload().await;
    browser.watch("Shall we write").await;
    browser.see("Stop answering").await;
    browser.show("loaded-anew").await;
    browser.see("these days?").await;
    browser.say(ANSWERS[0]).await;
    browser.see("I've asked the team. You can leave;").await;
    assert_eq!(browser.watched().await, [1], "a message stayed");
    let order = browser.order().await;
    browser.reload().await;
    assert_eq!(browser.order().await, order);

    introduction(&mut led, &turns).await;
    assert_eq!(led.model.checked().await, (turns.len(), vec![]));
    erase(&mut led.scene.browser).await;
    led.scene.nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_in_the_dark_notices_little_of_a_provider_with_bad_days() {
    let _turn = chromium::turn().await;
    let turns = community();
    let fixtures = play(&turns);
    let slow = slowly(fixtures[0].clone());
    let bad_days = [
        // Words that were heard are taken back, and come again.
        fault(&slow, 0, &json!({ "truncateAfterChunks": 7 })),
        fault(&slow, 1, &json!({ "disconnectAfterMs": 1600 })),
        fault(&fixtures[1], 0, &json!({ "chaos": { "malformedRate": 1 } })),
        fault(&fixtures[2], 0, &json!({ "chaos": { "rateLimitRate": 1 } })),
        fault(&fixtures[3], 0, &json!({ "chaos": { "dropRate": 1, "latencyMs": 500 } })),
    ];
    let count = turns.len() + bad_days.len();
    let fixtures: Vec<Value> = bad_days.into_iter().chain(fixtures).collect();
    let Some(mut led) = Led::open("led-dark", Look::Dark, &fixtures).await else { return };
    until_the_introduction(&mut led).await;
    let browser = &mut led.scene.browser;
    browser.see("Shall we write").await;
    browser.show("words-growing").await;
    browser.see("these days?").await;
    browser.say(ANSWERS[0]).await;
    introduction(&mut led, &turns).await;
    assert_eq!(led.model.checked().await, (count, vec![429, 500]));
    erase(&mut led.scene.browser).await;
    led.scene.nothing_is_left().await;
}

/// What the member writes.
const ANSWERS: [&str; 2] = ["Looms that count.", "Music, most of all."];

async fn until_the_introduction(led: &mut Led) {
    let browser = &mut led.scene.browser;
    start(browser, "Community welcome").await;
    browser.press("Start").await;
    browser.press("I accept").await;
    browser.see("Are you at least 13").await;
    browser.press("Yes").await;
    browser.tick("Building projects").await;
    browser.press("Done").await;
    browser.press("No, thanks").await;
}

async fn introduction(led: &mut Led, turns: &[Turn]) {
    led.scene.browser.see("I've asked the team. You can leave;").await;
    led.staff_denies_with_words().await;
    let browser = &mut led.scene.browser;
    browser.see("enjoy talking about here?").await;
    browser.say(ANSWERS[1]).await;
    browser.see("Here is a draft in your own words.").await;
    browser.show("draft").await;
    browser.unfold("Start over", "What should be different?").await;
    browser.answer("Start over").await;
    browser.see("Then let us leave it at that.").await;
    led.staff_approves().await;
    let browser = &mut led.scene.browser;
    browser.see("Contributor role").await;
    browser.show("roles").await;
    browser.press("Not now").await;
    browser.see("Done").await;
    browser.show("end").await;
    led.said_once(turns, &ANSWERS).await;
    led.model_knows(&ANSWERS).await;
}
