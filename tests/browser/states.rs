//! The states of the pages that no other test comes by, so that each of them is looked at and held to the rules for
//! everybody's use: empty lists, menus, what staff see and do, what is refused, what is not there.

use super::{Look, Scene, begin_with_a_resume, chromium, erase};

#[tokio::test(flavor = "multi_thread")]
async fn the_states_of_the_pages_that_are_seldom_seen_are_for_everybody() {
    let _turn = chromium::turn().await;
    let Some(mut scene) = Scene::open("states", Look::Desktop).await else { return };
    staff_before_anybody_began(&mut scene).await;
    begin_with_a_resume(&mut scene, "ada.pdf").await;
    ask_for_a_person(&mut scene).await;
    staff_take_over(&mut scene).await;

    let nothing = format!("{}nothing", scene.bot.page);
    let browser = &mut scene.browser;
    browser.to_tab(0).await;
    browser.see("Hello Ada, Grace here.").await;
    browser.show("handed-back").await;
    browser.open_tab(&nothing).await;
    browser.show("not-found").await;
    browser.to_tab(0).await;
    erase(browser).await;
    scene.nothing_is_left().await;
}

async fn staff_before_anybody_began(scene: &mut Scene) {
    let staff = format!("{}staff", scene.bot.page);
    let browser = &mut scene.browser;
    browser.open_tab(&staff).await;
    browser.see("Your name").await;
    browser.show("staff-name").await;
    browser.write("Your name", "Grace").await;
    browser.press("Continue").await;
    browser.see("No conversations yet").await;
    browser.show("staff-empty").await;
    browser.to_tab(0).await;
}

async fn ask_for_a_person(scene: &mut Scene) {
    let browser = &mut scene.browser;
    browser.unfold("Menu", "Delete my data…").await;
    browser.show("menu").await;
    browser.say("human").await;
    browser.see("until they answer or you type").await;
    browser.show("asked-for-a-person").await;
}

async fn staff_take_over(scene: &mut Scene) {
    let browser = &mut scene.browser;
    browser.to_tab(1).await;
    browser.see("Ada Byron asked for a human").await;
    browser.see("Conversations").await;
    browser.show("staff-asked").await;
    browser.press("Open conversation").await;
    browser.see("Show technical details").await;
    browser.show("staff-conversation").await;
    browser.tick("Show technical details").await;
    browser.see("returned a result").await;
    browser.show("staff-technical").await;
    browser.tick("Show technical details").await;
    browser.unfold("Profile and files", "Files").await;
    browser.show("staff-profile").await;
    browser.press("Profile and files").await;
    browser.unfold("More", "Place hold…").await;
    browser.unfold("Place hold…", "Reason for the hold").await;
    browser.show("staff-hold").await;
    browser.write("Reason for the hold", "A question about the contract.").await;
    browser.press("Place hold").await;
    browser.see("On hold since").await;
    browser.show("staff-held").await;
    browser.unfold("Move on…", "this one isn't complete").await;
    browser.show("staff-move-on").await;
    browser.press("Take over").await;
    browser.see("Grace has taken over").await;
    browser.show("staff-taken-over").await;
    browser.say("Hello Ada, Grace here.").await;
    browser.unfold("More", "Release hold").await;
    browser.press("Release hold").await;
    browser.see("Scheduled for deletion on").await;
    browser.press("Hand back").await;
    browser.see("Handed back to the assistant.").await;
    browser.show("staff-handed-back").await;
}
