//! A person on the page of a bot, as a browser without scripts.

use std::time::Duration;

use super::{bot::Bot, html};

/// Longest wait for the next question.
const PATIENCE: Duration = Duration::from_mins(1);

/// One person in one conversation.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    client: reqwest::Client,
    page: String,
    /// The path of the conversation, once it has begun.
    path: String,
}

impl Person {
    /// Begins the flow `flow` on the page of `bot`.
    pub(crate) async fn begin(bot: &Bot, flow: &str, name: &str) -> Self {
        Self::begin_at(&bot.page, flow, name).await
    }

    /// The same, on a page of this address.
    pub(crate) async fn begin_at(page: &str, flow: &str, name: &str) -> Self {
        let client = reqwest::Client::builder()
            .cookie_store(true)
            .timeout(PATIENCE)
            .pool_max_idle_per_host(0)
            .build()
            .unwrap();
        let mut person = Self { client, page: page.to_owned(), path: String::new() };
        let page = person.get("/").await;
        let mut form = html::start_form(&page, flow);
        name.clone_into(&mut form.input("name").value);
        person.path = person.send(&form.action, &form.pressed("Start")).await.unwrap();
        person
    }

    /// The same person on the page of another bot.
    pub(crate) fn at(&self, bot: &Bot) -> Self {
        Self { page: bot.page.clone(), ..self.clone() }
    }

    /// The session's id.
    pub(crate) fn session(&self) -> String {
        self.path.trim_start_matches("/s/").to_owned()
    }

    async fn get(&self, path: &str) -> String {
        let page = self.client.get(self.url(path)).send().await.unwrap();
        assert!(page.status().is_success(), "{path}: {}", page.status());
        page.text().await.unwrap()
    }

    /// A page as it comes, also where it says that something does not go.
    pub(crate) async fn page(&self, path: &str) -> (u16, String) {
        let page = self.client.get(self.url(path)).send().await.unwrap();
        (page.status().as_u16(), page.text().await.unwrap())
    }

    /// The staff page, for a member of staff called `name`.
    pub(crate) async fn staff(&self, name: &str) -> String {
        let page = self.get("/staff").await;
        let mut form = html::forms(&page).into_iter().find(|form| form.action == "/staff/name");
        if let Some(form) = &mut form {
            name.clone_into(&mut form.input("name").value);
            self.send(&form.action, &form.pressed("Continue")).await.unwrap();
        }
        self.get("/staff").await
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.page.trim_end_matches('/'))
    }

    /// The path that a sent form ends at.
    async fn send(
        &self,
        action: &str,
        fields: &[(String, String)],
    ) -> Result<String, reqwest::Error> {
        let request = self.client.post(self.url(action)).header("sec-fetch-site", "same-origin");
        let response = request.form(fields).send().await?.error_for_status()?;
        Ok(response.url().path().to_owned())
    }

    /// Waits for the next question; none at the end of the flow, or when the bot is gone.
    pub(crate) async fn is_asked(&self) -> Option<html::Card> {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let page = self.client.get(self.url(&self.path)).send().await.ok()?;
            let page = page.text().await.ok()?;
            if let Some(card) = html::open_cards(&page).into_iter().next() {
                return Some(card);
            }
            if page.contains("<p class=\"progress-line\">Done</p>") {
                return None;
            }
            assert!(tokio::time::Instant::now() < deadline, "no question: {}", html::text(&page));
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Answers the next question with whatever comes first; false where there is none, or the bot is gone.
    pub(crate) async fn answer(&self) -> bool {
        let Some(card) = self.is_asked().await else { return false };
        let (form, label) = first_answer(&card);
        let sent = self.send(&form.action, &form.pressed(&label)).await;
        // A bot that is gone is no failure; one that refuses is.
        assert!(
            sent.as_ref().is_err_and(|error| error.status().is_none()) || sent.is_ok(),
            "{sent:?} {form:#?}"
        );
        sent.is_ok()
    }
}

fn first_answer(card: &html::Card) -> (html::Form, String) {
    let form = |name: &str| card.forms.iter().find(|form| form.name == name).cloned();
    for (name, label) in [("ask", "Send"), ("approve", "Looks right"), ("edit", "Save")] {
        if let Some(mut form) = form(name) {
            if let Some(text) = form.inputs.iter_mut().find(|input| input.name.ends_with("text")) {
                "I like looms that count.".clone_into(&mut text.value);
            }
            return (form, label.to_owned());
        }
    }
    let mut form = form("choose").unwrap_or_else(|| panic!("no way to answer {card:#?}"));
    let boxes = form.inputs.iter_mut().filter(|input| input.kind == "checkbox").take(2);
    if boxes.map(|input| input.ticked = true).count() > 0 {
        return (form, "Done".to_owned());
    }
    let wanted = ["Continue without", "Paste"];
    let labels: Vec<String> = form.buttons.iter().map(|(_, _, label)| label.clone()).collect();
    let label = labels.iter().find(|label| wanted.contains(&label.as_str())).unwrap_or(&labels[0]);
    (form, label.clone())
}
