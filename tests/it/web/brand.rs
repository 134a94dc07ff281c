//! The pages under somebody's own name, logo and colour.

use anteroom::config::brand::{Brand, Colour, Logo};
use reqwest::StatusCode;

use super::site::Site;

const PICTURE: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>";

#[tokio::test]
async fn every_page_has_the_name_the_logo_and_the_colour() {
    let teal = Colour::parse("#7a1fa2").unwrap();
    let site = Site::branded(Brand {
        name: "Acme & Co".to_owned(),
        logo: Logo::of(PICTURE.to_vec()),
        accents: Some((teal, teal.readable_on_dark())),
    })
    .await;
    let ada = site.visitor();
    let start = ada.get("/").await;
    let theirs = ada.start("tour", "Ada").await;
    let grace = site.staff("Grace").await;
    let list = grace.get("/staff").await;
    let conversation = grace.get(&format!("/staff/s/{}", site.session().await)).await;
    let erased = ada.get("/erased").await;

    for page in [&start, &theirs, &list, &conversation, &erased] {
        assert!(page.contains(" · Acme &amp; Co</title>"), "{page}");
        assert!(page.contains("href=\"/assets/brand.css\""), "{page}");
        assert!(!page.contains("Anteroom"), "{page}");
    }
    for page in [&start, &theirs, &list, &conversation] {
        assert!(page.contains("src=\"/assets/logo\""), "{page}");
    }
    let style = ada.get("/assets/brand.css").await;
    assert!(style.contains("--accent: #7a1fa2;"), "{style}");
    assert!(style.contains("prefers-color-scheme: dark"), "{style}");
    let logo = ada.fetch("/assets/logo").await;
    assert_eq!(logo.headers()["content-type"], "image/svg+xml");
    assert_eq!(logo.bytes().await.unwrap(), PICTURE);
}

#[tokio::test]
async fn without_a_brand_the_pages_are_the_bots_own() {
    let site = Site::open().await;
    let page = site.visitor().get("/").await;

    assert!(page.contains(" · Anteroom</title>"), "{page}");
    assert!(!page.contains("/assets/logo") && !page.contains("brand.css"), "{page}");
    assert_eq!(site.visitor().fetch("/assets/logo").await.status(), StatusCode::NOT_FOUND);
}
