//! What a person and a health check are told when nothing can be saved, and that it goes on afterwards.

use std::{io::ErrorKind, pin::pin, sync::Arc};

use anteroom::{
    base::ids::RandomIds,
    model::transcript::Event,
    store::{
        memory::MemoryStore,
        sled::{
            SledStore,
            fault_injection::{Faults, Touch},
        },
    },
};
use chrono::TimeDelta;
use reqwest::{StatusCode, multipart::Part};
use tempfile::TempDir;

use super::site::{Site, Visitor, csrf};
use crate::{
    store::bad_times::Weather,
    support::{mortal::Mortal, slow_device::SlowDevice},
};

/// Status and words.
async fn check(ada: &Visitor, path: &str) -> (StatusCode, String) {
    let answer = ada.fetch(path).await;
    (answer.status(), answer.text().await.unwrap())
}

/// A site on a device with faults, and Ada at the first question of the tour.
async fn begun(dir: &TempDir, faults: Arc<dyn Faults>) -> (Site, Visitor, String) {
    let store = SledStore::open_with(dir.path(), Arc::new(RandomIds), faults).unwrap();
    let site = Site::over(Arc::new(store)).await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;
    (site, ada, page)
}

async fn the_disk_fills_up_in_the_middle_of_an_interview(touch: Touch) {
    let dir = TempDir::new().unwrap();
    let weather = Arc::new(Weather::default());
    let (site, ada, page) = begun(&dir, Arc::clone(&weather) as _).await;
    assert_eq!(check(&ada, "/readyz").await, (StatusCode::OK, "ready".to_owned()));

    weather.turn(&[touch, Touch::Probe], ErrorKind::StorageFull);
    let refused = ada.press(&page, "Red").await;
    let words = "That couldn't be saved, so nothing changed. Please try again in a few minutes.";
    assert!(refused.contains(words), "{refused}");
    let (status, words) = check(&ada, "/readyz").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    insta::allow_duplicates! { insta::assert_snapshot!(words, @"nothing can be saved: the disk is full. hint: free up space on the disk of the data directory"); }
    let (status, words) = check(&ada, "/healthz").await;
    assert_eq!(status, StatusCode::OK);
    insta::allow_duplicates! { insta::assert_snapshot!(words, @"alive, but nothing can be saved: the disk is full. hint: free up space on the disk of the data directory"); }
    // The conversation can still be read, and a new one is refused in the same words.
    let session = site.session().await;
    assert_eq!(check(&ada, &format!("/s/{session}")).await.0, StatusCode::OK);
    let stranger = site.visitor().start("tour", "Bob").await;
    assert!(stranger.contains("That couldn't be saved"), "{stranger}");

    weather.clear();
    site.clock.advance(TimeDelta::minutes(1));
    site.engine.deliver_due().await;
    assert_eq!(check(&ada, "/readyz").await, (StatusCode::OK, "ready".to_owned()));
    // What did reach the disk is driven on; the same answer given again counts once.
    site.engine.run_due().await;
    site.engine.settle_down().await;
    ada.press(&page, "Red").await;
    let page = ada.get(&format!("/s/{session}")).await;
    assert_eq!(
        page.matches("You answered: <strong dir=\"auto\">Red</strong>").count(),
        1,
        "{page}"
    );
    assert!(page.contains("A file, please."), "{page}");
    let loaded = site.engine.look(session).await.unwrap().loaded;
    let answers =
        loaded.events.iter().filter(|it| matches!(*it.event, Event::Answered { .. })).count();
    assert_eq!(answers, 2, "the notice and the colour: {:#?}", loaded.events);
}

#[tokio::test]
async fn an_answer_that_was_not_written_is_refused_and_counts_once_when_given_again() {
    the_disk_fills_up_in_the_middle_of_an_interview(Touch::Write).await;
}

#[tokio::test]
async fn an_answer_of_which_nobody_knows_whether_it_was_written_counts_once() {
    the_disk_fills_up_in_the_middle_of_an_interview(Touch::Written).await;
}

#[tokio::test]
async fn an_answer_that_was_not_synced_is_refused_and_counts_once_when_given_again() {
    the_disk_fills_up_in_the_middle_of_an_interview(Touch::Sync).await;
}

#[tokio::test]
async fn what_was_typed_comes_back_where_it_could_not_be_saved() {
    let dir = TempDir::new().unwrap();
    let weather = Arc::new(Weather::default());
    let (site, ada, page) = begun(&dir, Arc::clone(&weather) as _).await;
    let page = ada.press(&page, "Red").await;
    let page = ada.press(&page, "Skip").await;
    assert!(page.contains("A word, please."), "{page}");
    weather.turn(&[Touch::Write, Touch::Probe], ErrorKind::StorageFull);
    let why = "That couldn't be saved, so nothing changed. Please try again in a few minutes.";

    let told = ada.say(&page, "A message of mine.").await;
    assert!(told.contains(why), "{told}");
    assert!(told.contains(">A message of mine.</textarea>"), "{told}");

    let form = page.rsplit("data-form=\"ask\"").next().unwrap();
    let element = form.split("name=\"element\" value=\"").nth(1).unwrap();
    let element = element.split('"').next().unwrap();
    let csrf = csrf(&page);
    let fields = [("csrf", &*csrf), ("key", "k"), ("element", element), ("text", "My word.")];
    let url = format!("{}/s/{}/answer", site.url, site.session().await);
    let answer = ada.client.post(url).form(&fields).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    let told = answer.text().await.unwrap();
    assert!(told.contains(why), "{told}");
    assert!(told.contains(">My word.</textarea>"), "{told}");
}

#[tokio::test]
async fn while_a_device_stalls_pages_and_health_checks_wait_for_nothing() {
    const ANSWERED: &str = "You answered: <strong dir=\"auto\">Red</strong>";
    let (dir, device) = (TempDir::new().unwrap(), Arc::new(SlowDevice::default()));
    let (site, ada, page) = begun(&dir, Arc::clone(&device) as _).await;
    site.engine.settle_down().await;
    let conversation = format!("/s/{}", site.session().await);

    device.hold();
    let held = device.held();
    let mut pressed = pin!(ada.press(&page, "Red"));
    tokio::select! {
        page = &mut pressed => panic!("acknowledged before it was durable: {page}"),
        () = device.is_syncing(held) => {}
    }
    site.clock.advance(TimeDelta::seconds(8));
    assert_eq!(check(&ada, "/readyz").await, (StatusCode::OK, "ready".to_owned()));
    let (status, seen) = check(&ada, &conversation).await;
    assert!(status == StatusCode::OK && !seen.contains(ANSWERED), "{seen}");
    assert_eq!(check(&site.visitor(), "/").await.0, StatusCode::OK);
    assert!(futures::poll!(&mut pressed).is_pending());

    device.release();
    let page = pressed.await;
    assert!(page.contains(ANSWERED), "{page}");
}

#[tokio::test]
async fn where_files_cannot_be_kept_the_bot_is_not_ready_until_they_can() {
    let site = Site::open().await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;
    let page = ada.press(&page, "Red").await;
    let folder = site.folder.path().join("artifacts");
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "not a folder").unwrap();
    assert_eq!(check(&ada, "/readyz").await.0, StatusCode::OK, "nobody has sent a file yet");

    let note = Part::bytes(b"Hello".to_vec()).file_name("note.txt");
    let refused = ada.upload(&page, note).await.text().await.unwrap();
    assert!(refused.contains("couldn't"), "{refused}");

    let (status, words) = check(&ada, "/readyz").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    insta::assert_snapshot!(words, @"files cannot be kept. hint: check free space and rights of the data directory");
    std::fs::remove_file(&folder).unwrap();
    std::fs::create_dir(&folder).unwrap();
    assert_eq!(check(&ada, "/readyz").await, (StatusCode::OK, "ready".to_owned()));
}

#[tokio::test]
async fn where_no_flow_can_be_kept_nobody_can_begin_and_the_bot_is_not_ready() {
    let site = Site::open().await;
    let ada = site.visitor();
    for folder in ["artifacts", "flows"] {
        let folder = site.folder.path().join(folder);
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::write(&folder, "not a folder").unwrap();
    }
    assert_eq!(check(&ada, "/readyz").await.0, StatusCode::OK, "nobody has begun yet");

    assert!(!ada.begin("tour", "Ada").await.status().is_success());

    let (status, words) = check(&ada, "/readyz").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(words.starts_with("files cannot be kept."), "{words}");
}

/// As on a node that was stopped for longer than its lease: its memory lacks what another one has saved since.
#[tokio::test]
async fn a_page_is_not_shown_where_another_process_may_know_more() {
    let store = Arc::new(Mortal::new(Arc::new(MemoryStore::default()), None));
    let site = Site::over(Arc::clone(&store) as _).await;
    let ada = site.visitor();
    ada.start("tour", "Ada").await;
    let session = format!("/s/{}", site.session().await);
    let (live, of_staff) = (format!("{session}/live"), format!("/staff{session}"));

    store.allow(0);
    for path in [&session, "/staff", &live, &of_staff] {
        let answer = ada.fetch(path).await;
        let headers = answer.headers();
        assert_eq!(
            (&headers["refresh"], &headers["retry-after"]),
            (&"2".parse().unwrap(), &"1".parse().unwrap())
        );
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE, "{path}");
    }
    assert_eq!(check(&ada, "/assets/app.css").await.0, StatusCode::OK);

    store.allow(usize::MAX);
    assert!(ada.get(&session).await.contains("You are about to talk to a bot"));
}
