//! The real program, a whole run of each flow with words that are nowhere else in the world, an erasure, and then
//! every file that is left: none holds any of them, in any form that a file may hold text.

use std::{
    collections::BTreeSet,
    io::{Cursor, Read as _},
    path::{Path, PathBuf},
    time::Duration,
};

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use serde_json::Value;

use crate::{
    bot::{Bot, said},
    html::{self, Card, Form},
};

/// Longest wait for the next question.
const PATIENCE: Duration = Duration::from_mins(1);

/// What this person says, sends and is called.
/// Keeps an edit; the question stays open until it is approved.
const SAVE: &str = "Save";
const NAME: &str = "Zephyrine Quillfeather";
const WORDS: &str = "marlinspike answers";
const PHONE: &str = "+44 20 7946 0777";
const EMAIL: &str = "zephyrine@quillfeather.example";
const FILE_NAME: &str = "wimpleweather-life.txt";
const IN_FILE: &str = "thistledown turbines";
const FEEDBACK: &str = "gallimaufry of reasons";
const ASIDE: &str = "snickersnee by the way";

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_who_asks_for_it_in_chat_leaves_nothing() {
    let mut run = Run::new("candidate-onboarding");
    let markers = run.walk().await;
    run.erase_in_chat().await;
    run.assert_nothing_is_left(&markers);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_whom_the_operator_erases_leaves_nothing() {
    let mut run = Run::new("candidate-onboarding");
    let markers = run.walk().await;
    run.erase_by_command();
    run.assert_nothing_is_left(&markers);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_who_asks_for_it_in_chat_leaves_nothing() {
    let mut run = Run::new("community-welcome");
    let markers = run.walk().await;
    run.erase_in_chat().await;
    run.assert_nothing_is_left(&markers);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_whom_the_operator_erases_leaves_nothing() {
    let mut run = Run::new("community-welcome");
    let markers = run.walk().await;
    run.erase_by_command();
    run.assert_nothing_is_left(&markers);
}

/// One person on their way through a flow.
struct Run {
    flow: &'static str,
    dir: tempfile::TempDir,
    bot: Option<Bot>,
    client: reqwest::Client,
    session: String,
    /// The person as the platform knows them.
    person: String,
}

impl Run {
    fn new(flow: &'static str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        std::fs::create_dir(&data).unwrap();
        let client =
            reqwest::Client::builder().cookie_store(true).timeout(PATIENCE).build().unwrap();
        let bot = Some(Bot::start(&data));
        Self { flow, dir, bot, client, session: String::new(), person: String::new() }
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// The whole flow; everything that must be gone afterwards.
    async fn walk(&mut self) -> BTreeSet<String> {
        let page = self.get("/").await;
        let mut form = html::start_form(&page, self.flow);
        NAME.clone_into(&mut form.input("name").value);
        self.session = self.send(&form.action, &form.pressed("Start"), None).await;
        let mut answered: Vec<String> = Vec::new();
        let mut said_something = false;
        while let Some(card) = self.next_card(&answered).await {
            let (form, label, file) = Self::answer(&card);
            self.send(&form.action, &form.pressed(&label), file.as_deref()).await;
            if label != SAVE {
                answered.push(card.wait.clone());
            }
            if answered.len() == 2 && !said_something {
                said_something = true;
                self.say(ASIDE).await;
            }
        }
        // Nothing is still on its way when the process ends.
        tokio::time::sleep(Duration::from_millis(500)).await;
        drop(self.bot.take());
        let heads: Value = self.command(&["sessions", "list", "--json"]);
        heads[0]["participant"].as_str().unwrap().clone_into(&mut self.person);
        let user = self.person.split('/').nth(1).unwrap().to_owned();
        let mut markers: BTreeSet<String> =
            [NAME, WORDS, ASIDE].map(str::to_owned).into_iter().collect();
        markers.insert(user);
        if self.flow == "candidate-onboarding" {
            markers.extend([PHONE, EMAIL, FILE_NAME, IN_FILE].map(str::to_owned));
        }
        let all =
            String::from_utf8(said(&self.data(), &["export", &self.id(), "--format", "json"]));
        let all = all.unwrap();
        for marker in [NAME, WORDS, ASIDE] {
            assert!(all.contains(marker), "`{marker}` was never taken in: {all}");
        }
        // Where a card takes a note.
        if all.contains(FEEDBACK) {
            markers.insert(FEEDBACK.to_owned());
        }
        if self.flow == "candidate-onboarding" {
            let found = self.search(&markers, false);
            assert!(found.is_empty(), "stored in clear: {found:?}");
        }
        markers
    }

    async fn erase_in_chat(&mut self) {
        self.bot = Some(Bot::start(&self.data()));
        self.say("delete my data").await;
        let page = self.get(&self.session.clone()).await;
        let mut cards = html::open_cards(&page);
        let form = cards
            .iter_mut()
            .flat_map(|card| card.forms.drain(..))
            .find(|form| form.buttons.iter().any(|(_, _, label)| label == "Delete everything"));
        let form = form.unwrap();
        let at = self.send(&form.action, &form.pressed("Delete everything"), None).await;
        assert!(at.starts_with("/erased"), "{at}");
        drop(self.bot.take());
    }

    fn erase_by_command(&self) {
        let erased = self.command(&["erase", "--person", &self.person, "--yes", "--json"]);
        assert_eq!(erased[0]["erased"], self.id().as_str(), "{erased}");
    }

    fn assert_nothing_is_left(&self, markers: &BTreeSet<String>) {
        let sessions = self.command(&["sessions", "list", "--json"]);
        assert_eq!(sessions.as_array().unwrap().len(), 0, "{sessions}");
        let verified = self.command(&["audit", "verify", "--json"]);
        assert_eq!(verified["holds"], true, "{verified}");
        let found = self.search(markers, true);
        assert!(found.is_empty(), "still there: {found:#?}");
    }

    /// Where any of `markers` is in any file below the data directory, or in the log beside it.
    fn search(&self, markers: &BTreeSet<String>, log: bool) -> Vec<(String, String)> {
        let mut files = Vec::new();
        list(&self.data(), &mut files);
        if log {
            files.push(self.data().with_extension("log"));
        }
        let mut found = Vec::new();
        let dressed: Vec<(&String, Vec<u8>)> = markers
            .iter()
            .flat_map(|marker| forms_of(marker).into_iter().map(move |form| (marker, form)))
            .collect();
        let search = AhoCorasick::new(dressed.iter().map(|(_, form)| form)).unwrap();
        for file in files {
            let name = file.strip_prefix(self.dir.path()).unwrap().display().to_string();
            let bytes = std::fs::read(&file).unwrap();
            let mut layers = unpacked(&bytes);
            layers.extend([bytes, name.clone().into_bytes()]);
            for layer in &layers {
                let hits = search.find_overlapping_iter(layer);
                found.extend(hits.map(|hit| (dressed[hit.pattern()].0.clone(), name.clone())));
            }
        }
        found.dedup();
        found
    }

    fn command(&self, args: &[&str]) -> Value {
        serde_json::from_slice(&said(&self.data(), args)).unwrap()
    }

    fn id(&self) -> String {
        self.session.trim_start_matches("/s/").to_owned()
    }

    fn url(&self, path: &str) -> String {
        let page = &self.bot.as_ref().unwrap().page;
        format!("{}{path}", page.trim_end_matches('/'))
    }

    async fn get(&self, path: &str) -> String {
        let page = self.client.get(self.url(path)).send().await.unwrap();
        assert!(page.status().is_success(), "{path}: {}", page.status());
        page.text().await.unwrap()
    }

    /// Sends a form as a browser without scripts does; the path it ends at.
    async fn send(&self, action: &str, fields: &[(String, String)], file: Option<&str>) -> String {
        let request = self.client.post(self.url(action)).header("sec-fetch-site", "same-origin");
        let request = match file {
            None => request.form(fields),
            Some(text) => {
                let mut parts = reqwest::multipart::Form::new();
                for (name, value) in fields {
                    parts = parts.text(name.clone(), value.clone());
                }
                let part = reqwest::multipart::Part::text(text.to_owned()).file_name(FILE_NAME);
                request.multipart(parts.part("files", part))
            }
        };
        let response = request.send().await.unwrap().error_for_status().unwrap();
        response.url().path().to_owned()
    }

    async fn say(&self, words: &str) {
        let page = self.get(&self.session).await;
        let mut form =
            html::forms(&page).into_iter().find(|form| form.name == "say").expect("a composer");
        words.clone_into(&mut form.input("text").value);
        let label = form.buttons.last().unwrap().2.clone();
        self.send(&form.action, &form.pressed(&label), None).await;
    }

    /// The next open question that is not an approval; none at the end of the flow.
    async fn next_card(&self, answered: &[String]) -> Option<Card> {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let page = self.get(&self.session).await;
            let open = html::open_cards(&page);
            if let Some(card) = open.into_iter().find(|card| !answered.contains(&card.wait)) {
                return Some(card);
            }
            if page.contains("<p class=\"progress-line\">Done</p>") {
                return None;
            }
            assert!(tokio::time::Instant::now() < deadline, "no question: {}", html::text(&page));
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// How this person answers.
    fn answer(card: &Card) -> (Form, String, Option<String>) {
        let form = |name: &str| card.forms.iter().find(|form| form.name == name).cloned();
        if let Some(form) = form("upload") {
            let file = format!(
                "{NAME}\n{EMAIL}\n{PHONE}\n\nExperience\n\nAnalyst, {IN_FILE}, London\nJan 2019 - Present\n\n\
                 Education\n\nBSc Mathematics, University of London\n2012 - 2015\n"
            );
            return (form, "Send".to_owned(), Some(file));
        }
        if let Some(mut form) = form("ask") {
            form.input("text").value = format!("{WORDS}, {}", card.wait);
            return (form, "Send".to_owned(), None);
        }
        if let Some(mut edit) = form("edit") {
            for input in
                edit.inputs.iter_mut().filter(|input| input.name.to_lowercase().contains("note"))
            {
                FEEDBACK.clone_into(&mut input.value);
            }
            let is_new = |input: &html::Input| input.value != PHONE;
            if card.text.contains("contact details") && is_new(edit.input("phone")) {
                PHONE.clone_into(&mut edit.input("phone").value);
                EMAIL.clone_into(&mut edit.input("email").value);
                NAME.clone_into(&mut edit.input("name").value);
                return (edit, SAVE.to_owned(), None);
            }
            if let Some(approve) = form("approve") {
                return (approve, "Looks right".to_owned(), None);
            }
            edit.input("text").value = format!("{WORDS}, and like to talk about music for hours.");
            return (edit, SAVE.to_owned(), None);
        }
        if let Some(approve) = form("approve") {
            return (approve, "Looks right".to_owned(), None);
        }
        let mut form = form("choose").unwrap_or_else(|| panic!("no way to answer {card:#?}"));
        let boxes = form.inputs.iter_mut().filter(|input| input.kind == "checkbox").take(2);
        if boxes.map(|input| input.ticked = true).count() > 0 {
            return (form, "Done".to_owned(), None);
        }
        let wanted = ["Upload résumé", "Continue without", "Paste"];
        let labels: Vec<String> = form.buttons.iter().map(|(_, _, label)| label.clone()).collect();
        let label =
            labels.iter().find(|label| wanted.contains(&label.as_str())).unwrap_or(&labels[0]);
        (form, label.clone(), None)
    }
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            list(&path, files);
        } else if path.is_file() {
            // What is no file, such as a socket, holds nothing.
            files.push(path);
        }
    }
}

/// What is in a file that holds others.
fn unpacked(bytes: &[u8]) -> Vec<Vec<u8>> {
    let Ok(mut archive) = zip::ZipArchive::new(Cursor::new(bytes.to_vec())) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for index in 0..archive.len() {
        let mut inner = Vec::new();
        if archive.by_index(index).unwrap().read_to_end(&mut inner).is_ok() {
            found.push(inner);
        }
    }
    found
}

/// A text in every form in which a file may hold it.
fn forms_of(text: &str) -> Vec<Vec<u8>> {
    let mut forms = vec![
        text.as_bytes().to_vec(),
        text.to_lowercase().into_bytes(),
        text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        text.bytes().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect(),
        text.replace(' ', "%20").replace('+', "%2B").replace('@', "%40").into_bytes(),
        text.replace(' ', "+").replace('@', "%40").into_bytes(),
    ];
    // Base64 of something that the text begins at the first, second or third byte of a group in; what depends on the
    // neighbours is left out.
    for offset in 0..3 {
        let padded = [&b"\0\0"[..offset], text.as_bytes()].concat();
        let whole = padded.len() / 3 * 3;
        for engine in
            [base64::engine::general_purpose::STANDARD, base64::engine::general_purpose::URL_SAFE]
        {
            let encoded = engine.encode(&padded[..whole]);
            let skip = if offset == 0 { 0 } else { 4 };
            forms.push(encoded.as_bytes()[skip..].to_vec());
        }
    }
    forms
}

#[test]
fn the_search_knows_a_text_in_every_dress() {
    let search = AhoCorasick::new(forms_of(NAME)).unwrap();
    let is_found = |bytes: &[u8]| search.is_match(bytes);
    let base64 = base64::engine::general_purpose::STANDARD;
    for around in ["", "x", "xy"] {
        assert!(
            is_found(base64.encode(format!("{around}{NAME}, and more")).as_bytes()),
            "{around}"
        );
    }
    assert!(is_found(b"name=Zephyrine+Quillfeather"));
    assert!(!is_found(b"Zephyrine Quill"));
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("a", zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut archive, NAME.repeat(100).as_bytes()).unwrap();
    let bytes = archive.finish().unwrap().into_inner();
    assert!(!is_found(&bytes) && unpacked(&bytes).iter().any(|inner| is_found(inner)));
}
