//! The playground: what people read, what forms come to, and who is turned away.

mod brand;
mod claims;
mod draw;
mod growing;
mod hostile;
mod leaks;
mod lines;
mod linked;
mod long;
mod made;
mod models;
mod participant;
mod rehearsed;
mod saving;
mod signs;
mod site;
mod staff;
mod temperaments;
mod tenants;

use std::time::Duration;

use anteroom::{
    engine::export,
    gateway::web::{guard, limits, markdown},
    model::wait::WaitStatus,
};
use axum::http::{HeaderMap, HeaderValue};
use chrono::TimeDelta;
use futures::StreamExt;
use reqwest::{StatusCode, multipart};

use self::site::{Site, csrf};

#[tokio::test]
async fn a_person_starts_accepts_and_answers_by_plain_forms() {
    let site = Site::open().await;
    let ada = site.visitor();

    let page = ada.start("tour", "Ada").await;
    assert!(page.contains("You are about to talk to a bot."), "{page}");
    let page = ada.press(&page, "Go on").await;
    assert!(page.contains("Step 1 of 2 · One · 0/1"), "{page}");
    let page = ada.press(&page, "Red").await;

    assert!(page.contains("You answered: <strong dir=\"auto\">Red</strong>"), "{page}");
    assert!(page.contains("A file, please."), "{page}");
}

#[tokio::test]
async fn a_typed_answer_works_as_well_as_a_button() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;

    let page = ada.say(&page, "blue").await;

    assert!(page.contains("You answered: <strong dir=\"auto\">Blue</strong>"), "{page}");
}

#[tokio::test]
async fn what_is_offered_after_stop_is_there_while_it_means_something() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;

    let page = ada.say(&page, "stop").await;
    // In the menu and at the foot, and not under the words as well.
    assert_eq!(page.matches(">Continue</button>").count(), 2, "{page}");
    assert!(page.contains(">Delete my data</button>"), "{page}");
    ada.command(&page, &[("command", "resume")]).await;
    let page = ada.get(&format!("/s/{}", site.session().await)).await;
    assert!(page.contains("Welcome back."), "{page}");
    assert!(!page.contains(">Continue</button>"), "{page}");

    let page = ada.press(&page, "Red").await;
    assert!(page.contains("You answered: <strong dir=\"auto\">Red</strong>"), "{page}");
}

#[tokio::test]
async fn the_same_form_sent_twice_counts_once() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;

    ada.say(&page, "I am not sure").await;
    let page = ada.say(&page, "I am not sure").await;

    assert_eq!(
        page.matches("<p class=\"said\" dir=\"auto\">I am not sure</p>").count(),
        1,
        "{page}"
    );
}

#[tokio::test]
async fn a_conversation_does_not_exist_for_another_browser() {
    let site = Site::open().await;
    let ada = site.visitor();
    ada.start("tour", "Ada").await;
    let session = site.session().await;

    let stranger = site.visitor();
    stranger.get("/").await;
    for path in ["", "/live", "/export"] {
        let answer = stranger.fetch(&format!("/s/{session}{path}")).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
    }
    assert!(!stranger.get("/").await.contains("Your conversations"));
    assert!(ada.get("/").await.contains("Your conversations"));
}

#[tokio::test]
async fn the_cookie_is_not_in_the_transcript() {
    let site = Site::open().await;
    let ada = site.visitor();
    let first = ada.fetch("/").await;
    let cookie = first.headers()["set-cookie"].to_str().unwrap().to_owned();
    let token = cookie.split(['=', ';']).nth(1).unwrap();
    assert!(cookie.contains("HttpOnly; SameSite=Lax"), "{cookie}");
    ada.start("tour", "Ada").await;

    let loaded = site.engine.look(site.session().await).await.unwrap().loaded;

    assert!(!serde_json::to_string(&loaded.events).unwrap().contains(token));
}

#[tokio::test]
async fn forms_of_others_are_refused() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let session = site.session().await;
    let url = format!("{}/s/{session}/command", site.url);
    let send =
        |csrf: String| ada.client.post(&url).form(&[("csrf", csrf), ("command", "stop".into())]);
    let token = csrf(&page);

    let without = send(String::new()).send().await.unwrap();
    let foreign = send(token.clone()).header("origin", "http://evil.example").send().await.unwrap();
    let cross = send(token.clone()).header("sec-fetch-site", "cross-site").send().await.unwrap();
    let rebound = send(token.clone()).header("host", "evil.example").send().await.unwrap();
    let own = send(token).header("origin", &site.url).send().await.unwrap();

    let refused = [without.status(), foreign.status(), cross.status()];
    assert_eq!(refused, [StatusCode::FORBIDDEN; 3]);
    assert_eq!(rebound.status(), StatusCode::MISDIRECTED_REQUEST);
    assert_eq!(own.status(), StatusCode::OK);
}

#[tokio::test]
async fn every_answer_is_hardened() {
    let site = Site::open().await;
    for path in ["/", "/nothing", "/assets/app.js", "/healthz"] {
        let answer = site.visitor().fetch(path).await;
        let policy = answer.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{path}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}");
        assert_eq!(answer.headers()["x-content-type-options"], "nosniff", "{path}");
    }
    assert_eq!(site.visitor().get("/readyz").await, "ready");
}

#[test]
fn only_names_of_this_machine_are_answered() {
    let host = |name: &'static str| {
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_static(name));
        headers
    };
    for ours in ["127.0.0.1:4747", "localhost", "[::1]:4747", "LOCALHOST:1"] {
        assert!(guard::is_our_host(&host(ours), false), "{ours}");
    }
    for foreign in ["evil.example", "127.0.0.1.evil.example", "192.168.1.7:4747", ""] {
        assert!(!guard::is_our_host(&host(foreign), false), "{foreign}");
    }
    assert!(!guard::is_our_host(&HeaderMap::new(), true));
}

#[tokio::test]
async fn names_and_words_of_people_are_never_markup() {
    let site = Site::open().await;
    let ada = site.visitor();
    let hostile = "<img src=x onerror=alert(1)>";
    let page = ada.start("tour", hostile).await;
    let page = ada.press(&page, "Go on").await;
    let page = ada.say(&page, "<script>alert(2)</script>").await;
    let staff = site.staff("Grace").await;
    let overview = staff.get("/staff").await;
    let transcript = staff.get(&format!("/staff/s/{}", site.session().await)).await;

    for page in [page, overview, transcript] {
        assert!(!page.contains("<img") && !page.contains("<script>"), "{page}");
    }
}

#[test]
fn markdown_cannot_run_anything() {
    let hostile = "<script>alert(1)</script> <b onclick=x>b</b>\n\n[a](javascript:alert(1)) \
        [b](https://example.org/?a=\"b) ![c](https://example.org/c.png)\n\n# Big\n\n- one";
    insta::assert_snapshot!(markdown::render(hostile).into_string(), @r#"
    <p>&lt;script&gt;alert(1)&lt;/script&gt; &lt;b onclick=x&gt;b&lt;/b&gt;
    </p>
    <p>a <a href="https://example.org/?a=&quot;b" target="_blank" rel="noopener noreferrer">b</a> c</p>
    <h3>Big</h3>
    <ul>
    <li>one</li>
    </ul>
    "#);
}

#[tokio::test]
async fn a_refused_file_leaves_the_question_open() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;
    let page = ada.press(&page, "Red").await;

    let picture =
        multipart::Part::bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()).file_name("photo.txt");
    let refused = ada.upload(&page, picture).await;
    assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY);
    let page = refused.text().await.unwrap();
    assert!(page.contains("Try another file") && page.contains(">Skip</button>"), "{page}");
    assert!(page.contains("role=\"alert\""), "{page}");
    let empty = ada.upload(&page, multipart::Part::bytes(Vec::new()).file_name("")).await;
    assert!(empty.text().await.unwrap().contains("Choose a file first"));

    let notes = multipart::Part::bytes(b"Plain notes.".to_vec()).file_name("notes.txt");
    let page = ada.upload(&page, notes).await.text().await.unwrap();
    assert!(page.contains("notes.txt"), "{page}");
    assert!(page.contains("Step 2 of 2 · Two"), "{page}");
}

#[tokio::test]
async fn of_two_staff_clicks_the_second_gets_the_receipt() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;
    ada.command(&page, &[("command", "advance"), ("reason", "no time")]).await;
    let (grace, linus) = (site.staff("Grace").await, site.staff("Linus").await);
    let at_grace = grace.get("/staff").await;
    let at_linus = linus.get("/staff").await;
    assert!(at_grace.contains("Move Ada to “Two”?"), "{at_grace}");

    let first = grace.press(&at_grace, "Yes, approve").await;
    let second = linus.press(&at_linus, "Yes, deny").await;

    assert!(first.contains("Approved by <bdi>Grace</bdi>"), "{first}");
    assert!(
        second.contains("Already <bdi>approved</bdi> by <bdi>Grace</bdi> at <time"),
        "{second}"
    );
    let page = ada.get(&format!("/s/{}", site.session().await)).await;
    assert!(page.contains("The team approved your request"), "{page}");
}

#[tokio::test]
async fn staff_need_the_key_where_there_is_one() {
    let site = Site::locked("correct horse battery staple").await;
    let visitor = site.visitor();
    assert!(!visitor.get("/").await.contains("/staff"));

    assert_eq!(visitor.fetch("/staff").await.status(), StatusCode::FORBIDDEN);
    assert_eq!(visitor.fetch("/staff?key=wrong").await.status(), StatusCode::FORBIDDEN);
    assert_eq!(visitor.fetch("/staff/live").await.status(), StatusCode::FORBIDDEN);
    let page = visitor.get("/staff?key=correct%20horse%20battery%20staple").await;

    assert!(page.contains("Decisions and messages carry your name."), "{page}");
}

#[tokio::test]
async fn staff_enter_the_key_in_a_form() {
    let site = Site::locked("correct horse battery staple").await;
    let visitor = site.visitor();
    let page = visitor.get("/staff").await;
    assert!(page.contains("Staff key") && !page.contains("That key is wrong."), "{page}");

    let token = csrf(&page);
    let shown = async |key: &str| {
        let form = [("csrf", token.as_str()), ("staff_key", key)];
        let request = visitor.client.post(format!("{}/staff/key", site.url)).form(&form);
        let answer = request.send().await.unwrap();
        (answer.status(), answer.text().await.unwrap())
    };
    let (status, page) = shown("wrong").await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    assert!(page.contains("That key is wrong."), "{page}");
    let (status, page) = shown("correct horse battery staple").await;
    assert_eq!(status, StatusCode::OK);
    assert!(page.contains("Decisions and messages carry your name."), "{page}");
}

#[tokio::test]
async fn staff_take_over_write_and_hand_back() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    ada.press(&page, "Go on").await;
    let session = site.session().await;
    let grace = site.staff("Grace").await;
    let path = format!("/staff/s/{session}");

    let page = grace.get(&path).await;
    let page = grace.order(&page, &[("command", "write"), ("text", "Hello, Ada.")]).await;
    assert!(page.contains("<bdi>Grace</bdi> has taken over"), "{page}");
    let page = grace.order(&page, &[("command", "hand_back")]).await;
    assert!(!page.contains("has taken over"), "{page}");

    let page = ada.get(&format!("/s/{session}")).await;
    assert!(page.contains("<bdi>Grace</bdi> · from the team"), "{page}");
    assert!(page.contains("Hello, Ada."), "{page}");
}

#[tokio::test]
async fn staff_who_open_a_conversation_leave_a_record_once() {
    let site = Site::open().await;
    site.visitor().start("tour", "Ada").await;
    let session = site.session().await;
    let grace = site.staff("Grace").await;

    grace.get(&format!("/staff/s/{session}")).await;
    grace.fetch(&format!("/staff/s/{session}/live")).await;
    grace.fetch(&format!("/staff/s/{session}/export")).await;

    let audit = export::audit_of(site.engine.parts().store.as_ref(), session).await.unwrap();
    let told: Vec<_> = audit.iter().map(|sealed| sealed.record.event.as_str()).collect();
    assert_eq!(told.iter().filter(|event| **event == "transcript_read").count(), 1, "{told:?}");
    assert_eq!(told.iter().filter(|event| **event == "session_exported").count(), 1, "{told:?}");
}

/// What comes over the live connection is the transcript, too.
#[tokio::test]
async fn a_live_page_alone_leaves_a_record_and_connecting_again_soon_none() {
    let site = Site::open().await;
    site.visitor().start("tour", "Ada").await;
    let session = site.session().await;
    let (grace, live) = (site.staff("Grace").await, format!("/staff/s/{session}/live"));
    let records = async || {
        let audit = export::audit_of(site.engine.parts().store.as_ref(), session).await.unwrap();
        audit.iter().filter(|sealed| sealed.record.event == "transcript_read").count()
    };
    for (minutes, left) in [(0, 1), (1, 1), (8, 1), (2, 2), (9, 2)] {
        site.clock.advance(TimeDelta::minutes(minutes));
        grace.fetch(&live).await;
        assert_eq!(records().await, left, "{minutes} minutes later");
    }
    site.staff("Linus").await.fetch(&live).await;
    assert_eq!(records().await, 3, "somebody else");
}

#[tokio::test]
async fn a_live_page_shows_an_answer_given_elsewhere() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;
    let live = ada.fetch(&format!("/s/{}/live", site.session().await)).await;
    assert_eq!(live.headers()["content-type"], "text/event-stream");
    let mut stream = live.bytes_stream();

    ada.press(&page, "Red").await;

    let mut received = String::new();
    let listening = async {
        while let Some(chunk) = stream.next().await {
            received.push_str(&String::from_utf8_lossy(&chunk.unwrap()));
            if received.contains("You answered: <strong dir=\\\"auto\\\">Red</strong>") {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), listening).await.expect("the answer is heard");
    assert!(received.contains("event: piece"), "{received}");
}

#[tokio::test]
async fn one_browser_cannot_take_the_live_pages_of_others() {
    let site = Site::open().await;
    let (ada, grace) = (site.visitor(), site.staff("Grace").await);
    ada.start("tour", "Ada").await;
    let session = site.session().await;
    let live = format!("/s/{session}/live");
    let mut open = Vec::new();
    for _ in 0..limits::LIVE_PER_BROWSER {
        let page = ada.fetch(&live).await;
        assert_eq!(page.status(), StatusCode::OK);
        open.push(page);
    }

    let one_more = ada.fetch(&live).await;
    assert_eq!(one_more.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(one_more.text().await.unwrap().contains("open in too many tabs"));
    assert_eq!(
        ada.fetch(&format!("/s/{session}")).await.status(),
        StatusCode::OK,
        "it still works"
    );
    for other in ["/staff/live".to_owned(), format!("/staff{live}")] {
        assert_eq!(grace.fetch(&other).await.status(), StatusCode::OK, "{other}");
    }
}

#[tokio::test]
async fn everything_is_erased_on_request_and_a_receipt_is_left() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let session = site.session().await;

    let page = ada.command(&page, &[("command", "delete")]).await;
    assert!(page.contains("This can't be undone."), "{page}");
    let page = ada.press(&page, "Delete everything").await;

    assert!(page.contains("Everything is erased"), "{page}");
    assert_eq!(ada.fetch(&format!("/s/{session}")).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_stale_button_is_told_when_the_question_was_answered() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let old = ada.press(&page, "Go on").await;
    ada.press(&old, "Red").await;

    let page = ada.press(&old, "Blue").await;

    assert!(page.contains("That question was answered at <time"), "{page}");
    let loaded = site.engine.look(site.session().await).await.unwrap().loaded;
    let state = anteroom::session::State::fold(&loaded.events).unwrap();
    assert!(state.waits.values().any(|w| matches!(w.status, WaitStatus::Applied { .. })));
}

#[tokio::test]
async fn the_export_is_an_archive_for_its_owner() {
    let site = Site::open().await;
    let ada = site.visitor();
    ada.start("tour", "Ada").await;

    let answer = ada.fetch(&format!("/s/{}/export", site.session().await)).await;

    assert_eq!(answer.headers()["content-type"], "application/zip");
    assert!(answer.bytes().await.unwrap().starts_with(b"PK"));
}
