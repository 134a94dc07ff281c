//! A person at a browser without scripts, who always answers the same to the same question.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    bot::fixture,
    html::{self, Card, Form},
};

/// Longest wait for an answer of the bot.
const PATIENCE: Duration = Duration::from_mins(2);

/// Keeps an edit; the question stays open until it is approved.
pub(crate) const SAVE: &str = "Save";

/// One browser.
#[derive(Debug)]
pub(crate) struct Person {
    pub(crate) client: reqwest::Client,
}

impl Person {
    pub(crate) fn new() -> Self {
        let client = reqwest::Client::builder()
            .cookie_store(true)
            .timeout(PATIENCE)
            // A connection to the process before must not be used for the one after.
            .pool_max_idle_per_host(0)
            .build()
            .unwrap();
        Self { client }
    }

    /// Starts a conversation; its path.
    pub(crate) async fn begin(&self, site: &str, flow: &str) -> String {
        let page = self.get(site, "/").await;
        let mut form = html::start_form(&page, flow);
        "Ada Byron".clone_into(&mut form.input("name").value);
        let fields = form.pressed("Start");
        let sent = self.send(site, &form.action, &fields, None).await.unwrap();
        let path = sent.url().path().to_owned();
        assert!(sent.status().is_success() && path.starts_with("/s/"), "{path}");
        path
    }

    pub(crate) async fn get(&self, site: &str, path: &str) -> String {
        let page = self.look(site, path).await;
        assert!(page.status().is_success(), "{path}: {}", page.status());
        page.text().await.unwrap()
    }

    /// The page, whatever it says.
    pub(crate) async fn look(&self, site: &str, path: &str) -> reqwest::Response {
        self.client.get(url(site, path)).send().await.unwrap()
    }

    /// Sends a form as a browser without scripts does.
    pub(crate) async fn send(
        &self,
        site: &str,
        action: &str,
        fields: &[(String, String)],
        file: Option<&Path>,
    ) -> Result<reqwest::Response, reqwest::Error> {
        let request = self.client.post(url(site, action)).header("sec-fetch-site", "same-origin");
        let request = match file {
            None => request.form(fields),
            Some(file) => {
                let mut parts = reqwest::multipart::Form::new();
                for (name, value) in fields {
                    parts = parts.text(name.clone(), value.clone());
                }
                let name = file.file_name().unwrap().to_str().unwrap().to_owned();
                let bytes = std::fs::read(file).unwrap();
                let part = reqwest::multipart::Part::bytes(bytes).file_name(name);
                request.multipart(parts.part("files", part))
            }
        };
        request.send().await
    }
}

fn url(site: &str, path: &str) -> String {
    format!("{}{path}", site.trim_end_matches('/'))
}

/// How to answer a question: the form, the button to press, the file to send.
pub(crate) fn answer(card: &Card) -> (Form, String, Option<PathBuf>) {
    let form = |name: &str| card.forms.iter().find(|form| form.name == name).cloned();
    if let Some(form) = form("upload") {
        return (form, "Send".to_owned(), Some(fixture("ada.pdf")));
    }
    if let Some(mut form) = form("ask") {
        let question: Vec<&str> = card.text.split_whitespace().skip(1).take(8).collect();
        form.input("text").value = format!("My answer to “{}”.", question.join(" "));
        return (form, "Send".to_owned(), None);
    }
    if let Some(mut edit) = form("edit") {
        // One card is corrected, the others are right.
        let phone = "+44 20 7946 0123";
        if card.text.contains("contact details") && edit.input("phone").value != phone {
            phone.clone_into(&mut edit.input("phone").value);
            return (edit, SAVE.to_owned(), None);
        }
        if let Some(approve) = form("approve") {
            return (approve, "Looks right".to_owned(), None);
        }
        let about = "I build looms that count, and like to talk about music.";
        about.clone_into(&mut edit.input("text").value);
        return (edit, SAVE.to_owned(), None);
    }
    let mut form = form("choose").unwrap_or_else(|| panic!("no way to answer {card:#?}"));
    let boxes = form.inputs.iter_mut().filter(|input| input.kind == "checkbox").take(2);
    if boxes.map(|input| input.ticked = true).count() > 0 {
        return (form, "Done".to_owned(), None);
    }
    let wanted = ["Upload résumé", "Continue without", "Paste"];
    let labels: Vec<String> = form.buttons.iter().map(|(_, _, label)| label.clone()).collect();
    let label = labels.iter().find(|label| wanted.contains(&label.as_str())).unwrap_or(&labels[0]);
    (form, label.clone(), None)
}

/// What a page asks next.
pub(crate) enum Asked {
    This(Card),
    NotYet,
    Over,
}

/// The question of a page that is to be answered next. What was answered must never be open again.
pub(crate) fn asked(page: &str, answered: &[String]) -> Asked {
    let cards = html::open_cards(page);
    for card in &cards {
        assert!(!answered.contains(&card.wait), "asked again: {}", card.text);
    }
    match cards.into_iter().next() {
        Some(card) => Asked::This(card),
        None if page.contains("<p class=\"progress-line\">Done</p>") => Asked::Over,
        None => Asked::NotYet,
    }
}
