//! Both flows in a real browser, from the first page to the erasure, as people use them: by what they can read. Here
//! the scripts lead; in `browser/led.rs` a model does.
//!
//! Pictures of each step lie in `target/screenshots` afterwards. Where Chromium is not installed the tests are
//! skipped, unless `CI` is set.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "how a test fails")]

mod aimock;
mod axe;
mod consulting;
mod led;
mod page;
mod plays;
mod states;
#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "each suite needs a part of it")]
mod support;

use support::{bot, chromium, npm, skipped, specification};

use std::io::{Cursor, Read as _};

use anteroom::engine::export::json_resume;
use serde_json::Value;

use bot::{Bot, command, fixture, said};
use chromium::{Browser, INSTALL, Look};

/// A program, its data, and somebody who looks at it.
struct Scene {
    bot: Bot,
    dir: tempfile::TempDir,
    browser: Browser,
}

impl Scene {
    async fn open(name: &str, look: Look) -> Option<Self> {
        Self::configured(name, look, "").await
    }

    /// The same with a configuration file.
    async fn configured(name: &str, look: Look, config: &str) -> Option<Self> {
        let Some(mut browser) = Browser::start(name, look).await else {
            let missing = format!("Chromium or its driver is not installed: `{INSTALL}`");
            assert!(std::env::var_os("CI").is_none(), "{missing}");
            skipped::skip("Chromium", INSTALL);
            return None;
        };
        if let Some(script) = axe::script() {
            browser.hold_to(script);
        } else {
            let missing = format!("axe-core is not installed: `{}`", npm::INSTALL);
            assert!(std::env::var_os("CI").is_none(), "{missing}");
            skipped::skip("axe-core", npm::INSTALL);
        }
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("data")).unwrap();
        let data = dir.path().join("data");
        let bot = if config.is_empty() {
            Bot::start(&data)
        } else {
            let file = dir.path().join("config.toml");
            std::fs::write(&file, config).unwrap();
            let mut command = command(&data);
            command.arg("--config").arg(file);
            Bot::launch(command, &data).expect("the configuration is in order")
        };
        browser.open(&bot.page).await;
        Some(Self { bot, dir, browser })
    }

    /// Ends the bot; what it has kept must be nothing but a chain that holds.
    async fn nothing_is_left(self) {
        assert_eq!(self.browser.complaints().await, [""; 0]);
        self.browser.close().await;
        drop(self.bot);
        let data = self.dir.path().join("data");
        let sessions = said(&data, &["sessions", "list", "--json"]);
        assert_eq!(serde_json::from_slice::<Value>(&sessions).unwrap(), serde_json::json!([]));
        let verified = said(&data, &["audit", "verify", "--json"]);
        assert_eq!(serde_json::from_slice::<Value>(&verified).unwrap()["holds"], true);
    }
}

/// A member of an archive as JSON.
fn member(archive: &[u8], name: &str) -> Value {
    let mut archive = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
    let mut text = String::new();
    archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_goes_from_a_pdf_to_the_export_and_erases_everything() {
    let _turn = chromium::turn().await;
    let Some(mut scene) = Scene::open("candidate", Look::Desktop).await else { return };
    begin_with_a_resume(&mut scene, "ada.pdf").await;
    override_by_staff(&mut scene).await;
    deep_dive(&mut scene).await;
    last_part(&mut scene).await;

    let browser = &mut scene.browser;
    browser.press("Download a copy").await;
    let archive = browser.downloaded("zip").await;
    let resume = member(&archive, "resume.json");
    assert_eq!(json_resume::problems(&resume), []);
    assert_eq!(resume["basics"]["phone"], "+44 20 7946 0123", "{resume:#}");
    assert_eq!(resume["projects"][0]["name"], "Notes on the Analytical Engine, 1843", "{resume:#}");
    let decisions = member(&archive, "decisions.json");
    let decided = |event: &&Value| event["event"] == "phase_advance_attempt";
    assert!(decisions.as_array().unwrap().iter().filter(decided).count() > 2, "{decisions:#}");

    erase(browser).await;
    scene.nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_on_a_telephone_sends_a_docx_and_changes_their_mind() {
    let _turn = chromium::turn().await;
    let Some(mut scene) = Scene::open("phone", Look::Phone).await else { return };
    begin_with_a_resume(&mut scene, "ada.docx").await;
    erase(&mut scene.browser).await;
    scene.nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_is_welcomed_in_the_dark() {
    let _turn = chromium::turn().await;
    let Some(mut scene) = Scene::open("community", Look::Dark).await else { return };
    let browser = &mut scene.browser;
    start(browser, "Community welcome").await;
    browser.see("This is a bot.").await;
    browser.show("notice").await;
    browser.press("Start").await;
    browser.press("I accept").await;
    browser.see("Are you at least 13").await;
    browser.show("rules-accepted").await;
    browser.press("Yes").await;
    browser.tick("Learning").await;
    browser.tick("Building projects").await;
    browser.show("interests").await;
    browser.press("Done").await;
    browser.press("No, thanks").await;
    browser.see("Two or three sentences").await;
    browser
        .write("Your introduction", "I build looms that count, and like to talk about music.")
        .await;
    browser.show("introduction").await;
    browser.answer("Save").await;
    browser.press("Looks right").await;
    browser.see("Contributor role").await;
    browser.press("Not now").await;
    browser.see("Done").await;
    browser.show("end").await;
    browser.press("Download a copy").await;
    let archive = browser.downloaded("zip").await;
    let resume = member(&archive, "resume.json");
    assert_eq!(json_resume::problems(&resume), []);
    assert!(resume["basics"]["summary"].as_str().unwrap().contains("looms"), "{resume:#}");
    erase(browser).await;
    scene.nothing_is_left().await;
}

async fn start(browser: &mut Browser, flow: &str) {
    browser.see(flow).await;
    browser.show("start").await;
    browser.write_into("name", "Ada Byron").await;
    browser.press_in(flow, "Start").await;
}

async fn begin_with_a_resume(scene: &mut Scene, file: &str) {
    let browser = &mut scene.browser;
    start(browser, "Candidate onboarding").await;
    browser.see("You are about to talk to a bot").await;
    browser.show("notice").await;
    browser.press("Continue with the assistant").await;
    browser.press("Upload résumé").await;
    browser.see("Please send your résumé").await;
    browser.choose_file(&fixture(file)).await;
    browser.show("upload").await;
    browser.answer("Send").await;
    browser.see("Here are your contact details").await;
    browser.show("contact-details").await;
    browser.unfold("Edit", "Note for the team").await;
    browser.write("Phone", "+44 20 7946 0123").await;
    browser.show("edit").await;
    browser.answer("Save").await;
    browser.see("+44 20 7946 0123").await;
    browser.show("saved").await;
    browser.press("Looks right").await;
    browser.see("Here's where you have worked").await;
    browser.show("work-history").await;
}

/// The candidate wants to go on too early: staff denies with feedback, then approves.
async fn override_by_staff(scene: &mut Scene) {
    let staff = format!("{}staff", scene.bot.page);
    let browser = &mut scene.browser;
    ask_to_move_on(browser, "My timeline is in the résumé.").await;
    browser.show("asked-to-move-on").await;

    browser.open_tab(&staff).await;
    browser.write("Your name", "Grace").await;
    browser.press("Continue").await;
    browser.see("Waiting for the team").await;
    browser.show("staff-request").await;
    browser.press("Deny with feedback").await;
    browser.write("What should they know?", "Please finish the work history first.").await;
    browser.show("staff-feedback").await;
    browser.press("Deny and send").await;
    browser.see("Nothing to decide right now.").await;

    browser.to_tab(0).await;
    browser.see("Please finish the work history first.").await;
    browser.show("denied").await;
    ask_to_move_on(browser, "It really is all in there.").await;

    browser.to_tab(1).await;
    browser.press("Approve").await;
    browser.show("staff-approving").await;
    browser.press("Yes, approve").await;
    browser.see("Nothing to decide right now.").await;
    browser.show("staff-approved").await;

    browser.to_tab(0).await;
    browser.see("Which role would you like to talk about?").await;
    browser.show("approved").await;
}

async fn ask_to_move_on(browser: &mut Browser, reason: &str) {
    browser.unfold("Menu", "Skip ahead…").await;
    browser.unfold("Skip ahead…", "Why do you want to skip ahead?").await;
    browser.write("Why do you want to skip ahead?", reason).await;
    browser.press("Send request").await;
    browser.see("I've asked the team. You can leave;").await;
}

async fn deep_dive(scene: &mut Scene) {
    let browser = &mut scene.browser;
    browser.press("A project of my own").await;
    for (question, words) in [
        ("One line is enough", "Notes on the Analytical Engine, 1843"),
        ("What was the goal", "To show what such an engine could do, for readers in England."),
        ("What was your own part", "I translated the paper and wrote the notes."),
        ("What was the hardest decision", "To publish the table for the Bernoulli numbers."),
        ("What changed because of your work", "People read it to this day; I am still cited."),
    ] {
        browser.see(question).await;
        browser.write("Your answer", words).await;
        browser.answer("Send").await;
    }
    browser.press("Not measured").await;
    browser.press("Continue without").await;
    browser.see("Here's a summary of what you told me").await;
    browser.show("evidence-card").await;
    browser.press("Looks right").await;
}

async fn last_part(scene: &mut Scene) {
    let browser = &mut scene.browser;
    browser.see("one piece of writing").await;
    browser.press("Skip").await;
    browser.tick("A change of field").await;
    browser.show("preferences").await;
    browser.press("Done").await;
    browser.tick("Remote").await;
    browser.press("Done").await;
    browser.press("About a month").await;
    browser.see("When could you start").await;
    browser.write("Your answer", "In March").await;
    browser.answer("Send").await;
    browser.press("No, that is all").await;
    browser.see("Here's what you're looking for").await;
    browser.show("dossier").await;
    browser.press("Looks right").await;
    browser.see("can see the following").await;
    browser.show("end").await;
}

async fn erase(browser: &mut Browser) {
    browser.unfold("Menu", "Delete my data…").await;
    browser.press("Delete my data…").await;
    browser.see("Delete everything").await;
    browser.show("erase").await;
    browser.press("Delete everything").await;
    browser.see("Everything is erased").await;
    browser.show("erased").await;
}
