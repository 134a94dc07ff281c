//! Files that the receiver of a web hook fetches by links: what it gets, until when, and what nobody else gets.

use std::sync::Arc;

use anteroom::engine::{file_links::FileLinks, webhook::Webhooks};
use chrono::TimeDelta;
use reqwest::{Response, StatusCode, header, multipart};
use serde_json::Value;

use super::site::{Site, Visitor};
use crate::{
    keeping::{Hook, Server, listening},
    logged::Logged,
};

/// Two files, of which one is for those who decide, and a web hook at the end.
const FLOW: &str = r#"
format = 1
id = "tour"
version = "1.0.0"
title = "Papers"

[notice]
text = "You are about to talk to a bot."
accept = "Go on"
human = "A person, please"
decline = "Not now"

[data.papers.fields]
passport = { type = "text", title = "Passport", visible_to = ["deciders"] }

[[phase]]
id = "papers"
title = "Papers"
mode = "script"
uploads = { accept = ["txt"], max_mb = 1, max_files = 2 }
objective = [{ id = "sent", title = "Papers", done = { uploaded = "portfolio" } }]
step = [
  { id = "portfolio", tool = "get_user_upload", args = { uploadType = "portfolio", prompt = "Your work, please.", acceptedFormats = ["txt"] } },
  { id = "passport", tool = "get_user_upload", args = { uploadType = "other", prompt = "Your passport, please.", acceptedFormats = ["txt"] } },
  { id = "papers", tool = "persist_data", args = { dataType = "papers", data = { passport = { "$from" = "results.passport.uploads.0.id" } } } },
]
effect = [{ do = "webhook", url_from = "ats_webhook", include = ["papers"] }]
"#;

/// Ada has sent her papers, and the receiver has been told.
struct Told {
    site: Site,
    ada: Visitor,
    hook: Arc<Hook>,
    _server: Server,
}

impl Told {
    async fn with(links: Option<&str>) -> Self {
        Self::after(0, links).await
    }

    /// The receiver was away the first times.
    async fn after(misses: usize, links: Option<&str>) -> Self {
        let (hook, targets, server) = listening().await;
        hook.be_away(misses);
        let links = links.map(|public_url| FileLinks {
            public_url: public_url.to_owned(),
            expire_after: TimeDelta::days(7),
        });
        let site = Site::hooked(FLOW, Webhooks { targets, links, ..Webhooks::default() }).await;
        let ada = site.visitor();
        let page = ada.start("tour", "Ada").await;
        let page = ada.press(&page, "Go on").await;
        let page = ada.upload(&page, text("my work.txt", "Engines.")).await.text().await.unwrap();
        ada.upload(&page, text("passport.txt", "No. 1815")).await;
        site.engine.deliver_due().await;
        Self { site, ada, hook, _server: server }
    }

    fn files(&self) -> Value {
        self.hook.last()["files"].clone()
    }

    /// The path and the query of the link to the first file.
    fn link(&self) -> String {
        let url = self.files()[0]["url"].as_str().unwrap().to_owned();
        url.strip_prefix(PUBLIC).unwrap_or_else(|| panic!("{url}")).to_owned()
    }

    /// What somebody gets who comes over the proxy in front.
    async fn fetch(&self, path: &str) -> Response {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let request = client.get(format!("{}{path}", self.site.url));
        request.header(header::HOST, "bot.example.org").send().await.unwrap()
    }

    async fn status(&self, path: &str) -> StatusCode {
        self.fetch(path).await.status()
    }
}

const PUBLIC: &str = "https://bot.example.org";

fn text(name: &str, content: &str) -> multipart::Part {
    multipart::Part::text(content.to_owned()).file_name(name.to_owned())
}

#[tokio::test]
async fn a_receiver_fetches_a_file_by_its_link_as_often_as_it_likes_until_it_expires() {
    let told = Told::with(Some(PUBLIC)).await;
    let file = &told.files()[0];
    assert_eq!(file["filename"], "my work.txt");
    assert_eq!(file["url_expires_at"], "2026-11-09T14:05:00Z");
    let link = told.link();

    for _ in 0..2 {
        let answer = told.fetch(&link).await;
        assert_eq!(answer.status(), StatusCode::OK);
        let said = |name| answer.headers()[name].to_str().unwrap();
        assert_eq!(said(header::CONTENT_TYPE), "text/plain");
        assert_eq!(said(header::CONTENT_DISPOSITION), "attachment; filename=\"my work.txt\"");
        assert_eq!(said(header::CONTENT_LENGTH), "8");
        assert_eq!(said(header::X_CONTENT_TYPE_OPTIONS), "nosniff");
        assert_eq!(said(header::CACHE_CONTROL), "no-store");
        assert_eq!(answer.text().await.unwrap(), "Engines.");
    }

    told.site.clock.advance(TimeDelta::hours(7 * 24 - 1));
    assert_eq!(told.status(&link).await, StatusCode::OK);
    told.site.clock.advance(TimeDelta::hours(1));
    let answer = told.fetch(&link).await;
    assert_eq!(answer.status(), StatusCode::GONE);
    assert_eq!(answer.text().await.unwrap(), "this link has expired\n");
}

#[tokio::test]
async fn a_link_that_was_changed_leads_nowhere_and_tells_nothing() {
    let told = Told::with(Some(PUBLIC)).await;
    let link = told.link();
    let (path, query) = link.split_once('?').unwrap();
    let signature = query.split_once("signature=").unwrap().1;
    let expires = query.split_once("expires=").unwrap().1.split('&').next().unwrap();
    let files = told.files();
    let (own, other) = (files[0]["id"].as_str().unwrap(), files[1]["id"].as_str().unwrap());
    let later = expires.parse::<i64>().unwrap() + 1;

    let nothing = told.fetch("/files/nonsense/nonsense").await;
    assert_eq!(nothing.status(), StatusCode::NOT_FOUND);
    let nothing = nothing.text().await.unwrap();
    for forged in [
        path.to_owned(),
        format!("{path}?expires={expires}"),
        format!("{path}?expires={expires}&signature="),
        format!("{path}?expires={expires}&signature={}", "0".repeat(64)),
        format!("{path}?expires={expires}&signature={}", &signature[..63]),
        format!("{path}?expires={later}&signature={signature}"),
        format!("{path}?expires=never&signature={signature}"),
        format!("{path}?expires=0&signature={}", "0".repeat(64)),
        format!("{}?{query}", path.replace(own, other)),
        format!("{}?{query}", path.replace("/ses_", "/ses_0")),
        format!("/files/{own}/{own}?{query}"),
    ] {
        let answer = told.fetch(&forged).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{forged}");
        assert_eq!(answer.text().await.unwrap(), nothing, "{forged}");
    }
    assert_eq!(told.status(&link).await, StatusCode::OK);
}

#[tokio::test]
async fn an_erased_file_is_gone_at_once() {
    let told = Told::with(Some(PUBLIC)).await;
    let link = told.link();
    let page = told.ada.get(&format!("/s/{}", told.site.session().await)).await;
    let page = told.ada.command(&page, &[("command", "delete")]).await;
    let page = told.ada.press(&page, "Delete everything").await;
    assert!(page.contains("Everything is erased"), "{page}");

    let answer = told.fetch(&link).await;
    assert_eq!(answer.status(), StatusCode::GONE);
    assert_eq!(answer.text().await.unwrap(), "this file was deleted\n");
}

#[tokio::test]
async fn a_file_of_a_field_that_web_hooks_do_not_see_is_named_and_not_linked() {
    let told = Told::with(Some(PUBLIC)).await;
    let body = told.hook.last();
    assert_eq!(body["data"]["papers"], serde_json::json!({}));
    let passport = &body["files"][1];
    assert_eq!(passport["filename"], "passport.txt");
    assert!(
        passport.get("url").is_none() && passport.get("url_expires_at").is_none(),
        "{passport}"
    );
}

#[tokio::test]
async fn a_repeat_after_days_has_a_link_that_is_good_from_then_on() {
    let told = Told::after(1, Some(PUBLIC)).await;
    told.site.clock.advance(TimeDelta::hours(10 * 24));
    told.site.engine.deliver_due().await;

    let seen = told.hook.seen.lock().unwrap().clone();
    let [(tried, early), (again, late)] = seen.as_slice() else { panic!("{seen:?}") };
    assert_eq!(tried["x-anteroom-delivery"], again["x-anteroom-delivery"]);
    let strip = |body: &str| {
        let mut body: Value = serde_json::from_str(body).unwrap();
        let file = body["files"][0].as_object_mut().unwrap();
        assert!(file.remove("url").is_some() && file.remove("url_expires_at").is_some());
        body
    };
    assert_eq!(strip(early), strip(late));
    assert_eq!(told.status(&told.link()).await, StatusCode::OK);
    // A link of another bot's is not ours.
    let other = Told::with(Some(PUBLIC)).await;
    assert_eq!(other.status(&told.link()).await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn nothing_but_files_is_served_under_the_public_address() {
    let told = Told::with(Some(PUBLIC)).await;
    for path in ["/", "/staff", "/healthz", "/metrics", "/filesystem"] {
        assert_eq!(told.status(path).await, StatusCode::MISDIRECTED_REQUEST, "{path}");
    }

    let plain = Told::with(None).await;
    assert!(plain.files()[0].get("url").is_none(), "{}", plain.files());
    assert_eq!(plain.status(&told.link()).await, StatusCode::MISDIRECTED_REQUEST);
    assert_eq!(plain.ada.fetch(&told.link()).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn no_line_of_the_log_holds_a_link() {
    let log = Logged::filtered("warn,anteroom=trace");
    let told = Told::with(Some(PUBLIC)).await;
    let link = told.link();
    assert_eq!(told.status(&link).await, StatusCode::OK);
    let signature = link.rsplit('=').next().unwrap();
    assert_eq!(told.status(&link.replace("expires=", "expires=9")).await, StatusCode::NOT_FOUND);

    let session = told.site.session().await;
    // It is in nothing that is kept.
    let kept = told.site.engine.parts().store.load(session).await.unwrap().unwrap();
    assert!(!serde_json::to_string(&kept.events).unwrap().contains(signature));
    let page = told.ada.get(&format!("/s/{session}")).await;
    let page = told.ada.command(&page, &[("command", "delete")]).await;
    told.ada.press(&page, "Delete everything").await;

    let log = log.text();
    assert!(log.contains(&session.to_string()), "something is logged: {log}");
    assert!(!log.contains(signature), "{log}");
}
