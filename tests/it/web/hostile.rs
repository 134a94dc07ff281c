//! Hostile people: what they send, type and claim to be, and what they get for it.

use std::{os::unix::fs::PermissionsExt, sync::Arc, time::Duration};

use anteroom::{
    base::{clock::SystemClock, ids::RandomIds},
    gateway::web::{guard, limits},
    model::text,
    ports::artifacts::{Artifacts, extract::Extractor},
};
use reqwest::{StatusCode, header, multipart};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::site::{Site, Visitor, csrf};
use crate::{
    dribbling::{Dribblers, IN_TIME, slowest},
    keys::AnyKeys,
    logged::Logged,
};

const LINK: &str = "[Approve here](https://evil.example)<img src=x>";

/// Sends a form that no browser of ours would make.
async fn send(visitor: &Visitor, site: &Site, path: &str, body: String) -> (StatusCode, String) {
    let request = visitor
        .client
        .post(format!("{}{path}", site.url))
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(body);
    let answer = request.send().await.unwrap();
    (answer.status(), answer.text().await.unwrap())
}

#[tokio::test]
async fn a_form_of_millions_of_fields_is_refused_before_it_is_taken_apart() {
    let site = Site::open().await;
    let eve = site.visitor();
    let page = eve.start("tour", "Eve").await;
    let session = site.session().await;
    let path = format!("/s/{session}/say");
    let token = csrf(&page);

    for filler in ["a=1&".repeat(limits::FIELDS_MAX), "a".repeat(limits::FORM_MAX)] {
        let body = format!("csrf={token}&{filler}");
        let (status, told) = send(&eve, &site, &path, body).await;
        assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
        assert!(told.contains("That is too much for one form, so nothing was sent."), "{told}");
        assert!(told.contains(&format!("href=\"/s/{session}\"")), "{told}");
    }

    let mut form = multipart::Form::new().text("csrf", token);
    for _ in 0..3 {
        form = form.text("text", "a".repeat(limits::FORM_MAX / 2));
    }
    let url = format!("{}{path}", site.url);
    let answer = eve.client.post(url).multipart(form).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_never_finishes_its_request_is_closed() {
    let site = Site::open().await;
    let address = site.url.strip_prefix("http://").unwrap();
    let mut slow = TcpStream::connect(address).await.unwrap();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n").await.unwrap();

    // The clock of the test runs ahead whenever everything waits.
    let mut answer = [0; 64];
    let closed = slow.read(&mut answer);
    let closed = tokio::time::timeout(limits::LISTENER.headers + Duration::from_secs(5), closed);

    assert!(matches!(closed.await, Ok(Ok(0) | Err(_))));
}

#[tokio::test]
async fn page_and_health_checks_are_answered_at_once_while_strangers_dribble() {
    let site = Site::open().await;
    let _strangers =
        Dribblers::at(site.url.strip_prefix("http://").unwrap().parse().unwrap()).await;
    // Each on a connection of its own, as a load balancer's probe is.
    let ask = async |path: &str| {
        let answer = site.visitor().fetch(path).await;
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
    };
    let (health, ready, page) = tokio::join!(
        slowest(async || ask("/healthz").await),
        slowest(async || ask("/readyz").await),
        slowest(async || ask("/").await),
    );
    assert!(health.max(ready).max(page) < IN_TIME, "{health:?}, {ready:?}, {page:?}");
}

#[tokio::test]
async fn what_steers_a_terminal_or_turns_the_text_around_is_taken_out() {
    let site = Site::open().await;
    let eve = site.visitor();
    let page = eve.start("tour", "Eve\u{202e}nimda\u{1b}[2J").await;
    let page = eve.press(&page, "Go on").await;

    let page = eve.say(&page, "one\u{1b}]0;owned\u{7}\0two\u{202e}three\u{9b}31m").await;

    assert!(page.contains("one]0;ownedtwothree31m"), "{page}");
    let staff = site.staff("Grace").await.get("/staff").await;
    assert!(staff.contains("Evenimda[2J"), "{staff}");
    assert!(!(page + &staff).chars().any(text::steers));
    assert_eq!(guard::tidy_name("\u{202e}\u{0}"), None);
}

#[tokio::test]
async fn a_participants_name_is_no_link_on_the_staff_page() {
    let site = Site::open().await;
    let eve = site.visitor();
    let page = eve.start("tour", LINK).await;
    let page = eve.press(&page, "Go on").await;
    eve.command(&page, &[("command", "advance"), ("reason", LINK)]).await;
    eve.command(&page, &[("command", "human")]).await;
    let session = site.session().await;

    let grace = site.staff("Grace").await;
    for path in ["/staff".to_owned(), format!("/staff/s/{session}")] {
        let page = grace.get(&path).await;
        assert!(page.contains("Approve here"), "{page}");
        assert!(!page.contains("href=\"https://evil.example"), "{page}");
        assert!(!page.contains("<img"), "{page}");
    }
}

#[tokio::test]
async fn the_name_of_a_file_that_is_too_large_is_reduced_like_any_other() {
    let site = Site::open().await;
    let eve = site.visitor();
    let page = eve.start("tour", "Eve").await;
    let page = eve.press(&page, "Go on").await;
    let page = eve.press(&page, "Red").await;
    let large = vec![b'a'; limits::FILE_MAX + 1];
    let part = multipart::Part::bytes(large).file_name(format!("../{LINK}.txt"));

    let told = eve.upload(&page, part).await.text().await.unwrap();

    assert!(told.contains("is too large. The limit is 32 MB."), "{told}");
    assert!(!told.contains("href=\"https://evil.example"), "{told}");
}

#[tokio::test]
async fn more_files_than_a_form_may_have_are_called_too_many() {
    let site = Site::open().await;
    let eve = site.visitor();
    let page = eve.start("tour", "Eve").await;
    let session = site.session().await;
    let mut form = multipart::Form::new().text("csrf", csrf(&page)).text("key", "once");
    for number in 0..=limits::FILES_MAX {
        let part = multipart::Part::bytes(b"A note.".to_vec()).file_name(format!("{number}.txt"));
        form = form.part("files", part);
    }

    let url = format!("{}/s/{session}/say", site.url);
    let told = eve.client.post(url).multipart(form).send().await.unwrap().text().await.unwrap();

    assert!(told.contains("At most 10 files, please."), "{told}");
    assert!(!told.contains("is too large"), "{told}");
    let kept = site.engine.view(session).await.unwrap().state.artifacts.len();
    assert_eq!(kept, 0);
}

#[tokio::test]
async fn a_link_from_elsewhere_gives_nobody_another_cookie() {
    let site = Site::open().await;
    let ada = site.visitor();
    let from_elsewhere = |path: &str| {
        let request = ada.client.get(format!("{}{path}", site.url));
        request.header("sec-fetch-site", "cross-site").header("sec-fetch-mode", "navigate")
    };
    for path in ["/", "/staff"] {
        let answer = from_elsewhere(path).send().await.unwrap();
        assert_eq!(answer.headers()["refresh"], "0");
        assert_eq!(answer.headers().get(header::SET_COOKIE), None);
    }

    // Whoever has one that comes along is known at once.
    ada.start("tour", "Ada").await;
    let session = site.session().await;
    let answer = from_elsewhere(&format!("/s/{session}")).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers().get("refresh"), None);
}

#[tokio::test]
async fn a_form_with_a_part_that_never_ends_is_not_kept_in_memory() {
    let site = Site::open().await;
    let address = site.url.strip_prefix("http://").unwrap();
    let mut eve = TcpStream::connect(address).await.unwrap();
    let cookie = format!("anteroom={}", "a".repeat(64));
    let head = format!(
        "POST /start HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\nContent-Length: 100000000\r\n\
         Content-Type: multipart/form-data; boundary=x\r\n\r\n"
    );
    eve.write_all(head.as_bytes()).await.unwrap();
    let (mut answer, mut sending) = eve.split();
    let mut status = [0; 12];

    // What follows never comes to a boundary, and stops long before its end.
    let piece = vec![b'a'; 1024 * 1024];
    let send = async {
        for _ in 0..4 {
            // It may be refused in the middle.
            _ = sending.write_all(&piece).await;
        }
    };
    // Without the bound, the answer comes once nothing has come for a minute.
    let both = async { tokio::join!(send, answer.read_exact(&mut status)) };
    let ((), read) = tokio::time::timeout(Duration::from_secs(30), both).await.unwrap();

    read.unwrap();
    assert_eq!(&status, b"HTTP/1.1 400");
}

#[tokio::test]
async fn the_page_after_an_erasure_repeats_no_words_from_its_address() {
    let site = Site::open().await;
    let eve = site.visitor();

    let page = eve.get("/erased?receipt=Your+account+is+locked,+call+0800").await;
    assert!(!page.contains("0800"), "{page}");
    let page = eve.get("/erased?receipt=rcp_01").await;
    assert!(page.contains("rcp_01"), "{page}");
}

#[tokio::test]
async fn a_participant_cannot_decide_their_own_request() {
    let site = Site::open().await;
    let eve = site.visitor();
    let page = eve.start("tour", "Eve").await;
    let page = eve.press(&page, "Go on").await;
    eve.command(&page, &[("command", "advance"), ("reason", "please")]).await;
    let session = site.session().await;
    // She has seen the id of the card over somebody's shoulder.
    let staff = site.staff("Grace").await.get("/staff").await;
    let end = staff.find(">Yes, approve</button>").unwrap();
    let button = &staff[staff[..end].rfind("<button").unwrap()..end];
    let element = button.split("value=\"").nth(1).unwrap().split('"').next().unwrap();

    let body = format!("csrf={}&key=x&element={element}", csrf(&page));
    let (status, told) = send(&eve, &site, &format!("/s/{session}/answer"), body).await;

    assert_eq!(status, StatusCode::CONFLICT);
    assert!(told.contains("can decide this"), "{told}");
}

#[tokio::test]
async fn orders_of_the_staff_are_none_from_a_participant() {
    let site = Site::open().await;
    let eve = site.visitor();
    let page = eve.start("tour", "Eve").await;
    let page = eve.press(&page, "Go on").await;

    for order in ["take_over", "hand_back", "write", "nudge", "end"] {
        eve.command(&page, &[("command", order), ("text", "I am the team"), ("reason", "x")]).await;
    }

    let page = eve.get(&format!("/s/{}", site.session().await)).await;
    assert!(!page.contains("I am the team"), "{page}");
    assert!(page.contains("Which colour?"), "{page}");
}

#[tokio::test]
async fn without_the_staff_key_there_is_no_way_in() {
    let site = Site::locked("correct horse battery").await;
    let eve = site.visitor();
    let page = eve.start("tour", "Eve").await;
    let session = site.session().await;
    let token = csrf(&page);
    let mut paths = vec!["/staff".to_owned(), "/staff/live".to_owned(), "/staff?key=".to_owned()];
    paths.extend(["", "/live", "/export"].map(|end| format!("/staff/s/{session}{end}")));

    for path in paths {
        assert_eq!(eve.fetch(&path).await.status(), StatusCode::FORBIDDEN, "{path}");
    }
    for path in ["/staff/name".to_owned(), format!("/staff/s/{session}/order")] {
        let body = format!("csrf={token}&name=Grace&command=end&key=x");
        assert_eq!(send(&eve, &site, &path, body).await.0, StatusCode::FORBIDDEN, "{path}");
    }
    let forged = eve
        .client
        .get(format!("{}/staff", site.url))
        .header(header::COOKIE, format!("anteroom={}; anteroom_staff=1", "a".repeat(64)));
    assert_eq!(forged.send().await.unwrap().status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn odd_requests_get_plain_refusals() {
    let site = Site::open().await;
    let eve = site.visitor();
    let page = eve.start("tour", "Eve").await;
    let session = site.session().await;
    let (token, path) = (csrf(&page), format!("/s/{session}/answer"));
    let short = "A".repeat(22);

    for element in [
        String::new(),
        "v1".to_owned(),
        format!("v1.{short}.0.pick.0"),
        format!("v1.{short}.99999999999.pick.0"),
        "v2.x.0.y".to_owned(),
        "v1.../../etc.0.x".to_owned(),
        "\u{202e}".repeat(500),
    ] {
        let body = format!("csrf={token}&key=x&element={element}");
        let (status, told) = send(&eve, &site, &path, body).await;
        assert_eq!(status, StatusCode::CONFLICT, "{element}: {told}");
    }
    for path in ["/s/%00", "/s/..%2f..%2fetc", "/assets/..%2f..%2fCargo.toml", "/assets/", "/s/"] {
        assert_eq!(eve.fetch(path).await.status(), StatusCode::NOT_FOUND, "{path}");
    }
}

#[test]
fn what_people_send_is_kept_for_its_owners_eyes() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::set_permissions(&data, PermissionsExt::from_mode(0o755)).unwrap();
    let (clock, ids) = (Arc::new(SystemClock), Arc::new(RandomIds));
    Artifacts::new(&data, Arc::new(AnyKeys), clock, ids, Extractor::new("/nonexistent")).unwrap();

    for name in ["artifacts", "flows"] {
        let mode = std::fs::metadata(data.join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{name} is {mode:o}");
    }
}

/// Everything that we log, down to the last detail and before anything is blacked out: what was erased would outlive
/// its erasure there.
#[tokio::test]
async fn no_line_of_the_log_holds_what_a_person_said_or_sent() {
    let log = Logged::filtered("warn,anteroom=trace");
    let site = Site::open().await;
    let ada = site.visitor();

    let page = ada.start("tour", "Quetzalcoatl Smith").await;
    let page = ada.press(&page, "Go on").await;
    let page = ada.say(&page, "xylophonist").await;
    let page = ada.press(&page, "Red").await;
    let broken = multipart::Part::bytes(b"\x7fELF zymurgy".to_vec()).file_name("wrongful.txt");
    ada.upload(&page, broken).await;
    let notes =
        multipart::Part::bytes(b"A zymurgist by trade.".to_vec()).file_name("curriculum.txt");
    ada.upload(&page, notes).await;
    let page = ada.get(&format!("/s/{}", site.session().await)).await;
    let page = ada.say(&page, "my kumquat").await;
    let session = site.session().await.to_string();
    let page = ada.command(&page, &[("command", "delete")]).await;
    let page = ada.press(&page, "Delete everything").await;
    assert!(page.contains("Everything is erased"), "{page}");

    let log = log.text();
    assert!(log.contains(&session) && log.contains("session erased"), "something is logged: {log}");
    let secrets = [
        "Quetzalcoatl",
        "xylophonist",
        "zymurg",
        "curriculum",
        "wrongful",
        "kumquat",
        &csrf(&ada.get("/").await),
    ];
    for secret in secrets {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
}
