//! What people notice without looking for it: where the focus is, what is in view, what is said aloud, and whether the
//! page still hears of anything.

use serde_json::{Value, json};

use super::{
    Scene, begin_with_a_resume,
    bot::{Bot, command},
    chromium::{self, Look},
    erase, start,
};

/// What has the focus, by its label or its words, and whether it can be seen.
const FOCUS: &str = "
const at = document.activeElement;
const box = at.getBoundingClientRect();
const frame = document.querySelector('main').getBoundingClientRect();
const label = at.labels?.[0]?.textContent || at.textContent;
return [label.trim().replace(/\\s+/g, ' ').slice(0, 60), box.top >= frame.top && box.bottom <= frame.bottom];
";

/// Keeps everything that is said aloud from now on.
const LISTEN: &str = "
window.aloud = [];
const line = document.getElementById('aloud');
new MutationObserver(() => window.aloud.push(line.textContent))
  .observe(line, { childList: true, characterData: true, subtree: true });
";

#[tokio::test(flavor = "multi_thread")]
async fn fault_has_the_focus_and_is_in_view() {
    let _turn = chromium::turn().await;
    let Some(mut scene) = Scene::open("faults", Look::Phone).await else { return };
    begin_with_a_resume(&mut scene, "ada.pdf").await;

    let browser = &mut scene.browser;
    browser.unfold("Edit", "Note for the team").await;
    browser.press("Add a role").await;
    browser.see("Role 4").await;
    browser.answer("Save").await;
    browser.see("Enter an organisation.").await;
    assert_eq!(browser.evaluate(FOCUS).await, json!(["Organisation", true]));
    browser.show("missing").await;

    browser.press("Remove role 4").await;
    browser.leave("Role 4").await;
    let focus = browser.evaluate(FOCUS).await;
    assert!(focus[0].as_str().unwrap().starts_with("Role 3"), "{focus}");
    assert_eq!(focus[1], true, "{focus}");
    browser.show("removed").await;
    erase(browser).await;
    scene.nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn question_that_gets_the_focus_is_not_said_as_well() {
    let _turn = chromium::turn().await;
    let Some(mut scene) = Scene::open("aloud", Look::Desktop).await else { return };
    let browser = &mut scene.browser;
    start(browser, "Candidate onboarding").await;
    browser.see("You are about to talk to a bot").await;
    // What stood on the page when it was opened is not said.
    while browser.evaluate("return document.body.dataset.ready || null").await.is_null() {}
    browser.evaluate(LISTEN).await;
    browser.press("Continue with the assistant").await;
    browser.see("How would you like to begin").await;
    browser.hear_announced("First the basics").await;

    let focused = "const at = document.activeElement; return at.matches('.card.open')";
    assert_eq!(browser.evaluate(focused).await, Value::Bool(true));
    let aloud = browser.evaluate("return window.aloud.join(' ')").await;
    assert!(!aloud.as_str().unwrap().contains("How would you like to begin"), "{aloud}");
    erase(browser).await;
    scene.nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_connection_is_shown_until_it_is_there_again() {
    let _turn = chromium::turn().await;
    let Some(mut scene) = Scene::open("lost", Look::Desktop).await else { return };
    start(&mut scene.browser, "Community welcome").await;
    scene.browser.see("This is a bot.").await;
    let address = scene.bot.page.trim_start_matches("http://").trim_end_matches('/').to_owned();
    drop(scene.bot);
    scene.browser.see("Connection lost. Trying to reconnect…").await;
    scene.browser.show("lost").await;

    let data = scene.dir.path().join("data");
    let _again = Bot::at(&address, command(&data), &data).expect("the port is free again");
    scene.browser.leave("Connection lost").await;
    scene.browser.press("Start").await;
    scene.browser.see("Be kind.").await;
    scene.browser.close().await;
}
