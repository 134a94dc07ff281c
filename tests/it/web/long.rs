//! A long conversation on the page: its latest messages, those before them on pages of their own, and what is still open.

use std::time::Duration;

use anteroom::gateway::web::limits;
use futures::{Stream, StreamExt};

use super::site::{Site, Visitor};

const WORDS: usize = limits::LOG_MAX + 20;

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let rest = text.split_once(from).unwrap_or_else(|| panic!("no `{from}` in {text}")).1;
    rest.split_once(to).unwrap().0
}

/// The messages on a page.
fn log(page: &str) -> &str {
    between(page, "id=\"log\"", "</main>")
}

/// Where a link of a page leads.
fn link<'a>(page: &'a str, label: &str) -> &'a str {
    between(between(page, &format!("aria-label=\"{label}\""), "</nav>"), "href=\"", "\"")
}

/// Everything that a live page is told up to some words.
async fn told_until(
    live: &mut (impl Stream<Item = reqwest::Result<impl AsRef<[u8]>>> + Unpin),
    words: &str,
) -> String {
    let mut told = String::new();
    while !told.contains(words) {
        let chunk = tokio::time::timeout(Duration::from_secs(20), live.next()).await;
        let chunk = chunk.unwrap_or_else(|_| panic!("`{words}` is never told")).unwrap().unwrap();
        told.push_str(str::from_utf8(chunk.as_ref()).unwrap());
    }
    told
}

/// A conversation of so many messages under a question that is still open.
async fn long(site: &Site) -> (Visitor, String) {
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let mut page = ada.press(&page, "Go on").await;
    for n in 0..WORDS {
        page = ada.say(&page, &format!("Word {n:03}.")).await;
    }
    (ada, page)
}

#[tokio::test]
async fn a_long_conversation_comes_in_pages_and_what_is_open_stays() {
    let site = Site::open().await;
    let (ada, page) = long(&site).await;
    let last = format!("Word {:03}.", WORDS - 1);
    assert!(log(&page).contains(&last) && !log(&page).contains("Word 000."), "{page}");
    assert!(log(&page).matches("Word ").count() <= limits::LOG_MAX);

    let mut passed = String::new();
    let mut before = ada.get(link(&page, "Earlier messages")).await;
    while before.contains("Earlier messages") {
        passed.push_str(log(&before));
        before = ada.get(link(&before, "Earlier messages")).await;
    }
    passed.push_str(log(&before));
    assert!(!before.contains("data-live"), "nothing changes there");
    for n in 0..WORDS {
        let word = format!("Word {n:03}.");
        let seen = passed.matches(&word).count() + log(&page).matches(&word).count();
        assert_eq!(seen, 1, "{word}");
    }
    assert_eq!(link(&before, "Newest"), format!("/s/{}", site.session().await));

    let answered = ada.press(&page, "Red").await;
    assert!(!log(&answered).contains(">Red</button>"), "{answered}");
}

#[tokio::test]
async fn a_page_that_is_open_is_told_of_what_it_shows_and_of_nothing_before_it() {
    let site = Site::open().await;
    let (ada, page) = long(&site).await;
    let address = between(&page, "data-live=\"", "\"").replace("&amp;", "&");
    let mut live = ada.fetch(&address).await.bytes_stream();
    let last = format!("Word {:03}.", WORDS - 1);
    let told = told_until(&mut live, &last).await;
    assert!(!told.contains("Word 000."), "{told}");
    let card = between(&told, "\"id\":\"w-", "\"").to_owned();

    ada.press(&page, "Red").await;
    // Long ago as it was asked, its answer is shown where it stands.
    let card = format!("\"id\":\"w-{card}\"");
    told_until(&mut live, &card).await;
    // So it is to a page whose connection was lost meanwhile.
    let mut again = ada.fetch(&address).await.bytes_stream();
    let told = told_until(&mut again, &last).await;
    assert!(told.contains(&card) && !told.contains("Word 000."), "{told}");
}

#[tokio::test]
async fn staff_see_a_long_conversation_in_pages_too() {
    let site = Site::open().await;
    let (_ada, _) = long(&site).await;
    let grace = site.staff("Grace").await;
    let page = grace.get(&format!("/staff/s/{}", site.session().await)).await;
    assert!(!log(&page).contains("Word 000."), "{page}");
    let mut before = grace.get(link(&page, "Earlier messages")).await;
    while before.contains("Earlier messages") {
        before = grace.get(link(&before, "Earlier messages")).await;
    }
    assert!(log(&before).contains("Word 000."), "{before}");
}
