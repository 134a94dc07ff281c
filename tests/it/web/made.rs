//! What the bot made, on the page: who gets to see it, as what, and for how long.

use std::sync::Arc;

use anteroom::{
    engine::{CopyTo, export},
    model::{effect::Handout, transcript::Audience},
    ports::artifacts::check::Kind,
    tool::{EffectClass, Handed, Outcome, Tool, ToolCx, ToolResult, ToolSpec},
};
use async_trait::async_trait;
use reqwest::{StatusCode, header};
use serde_json::{Value, json};

use super::site::Site;
use crate::llm::scripted::{Scripted, Turn};

const FLOW: &str = r#"
format = 1
id = "talk"
version = "1.0.0"
title = "A talk"

[approvals.override]
decider = "participant"

[[phase]]
id = "pets"
title = "Pets"
mode = "interview"
prompt = "Ask for a pet."
tools = ["paint", "next_phase"]

  [[phase.objective]]
  id = "pet"
  title = "A pet"
  done = { talked = 9 }
"#;

/// Makes a picture, a document and something that says it is a page.
#[derive(Debug)]
struct Paint(ToolSpec);

const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n a picture";
const DOCUMENT: &[u8] = b"%PDF-1.7 a document";
const PAGE: &[u8] = b"<script>alert(1)</script>";

#[async_trait]
impl Tool for Paint {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, _args: Value) -> ToolResult {
        let mut handed = Vec::new();
        for (name, kind, bytes, text) in [
            ("dog.png", Kind::Png, PICTURE, "Your dog, \"Rex\" <script>"),
            ("dog.pdf", Kind::Pdf, DOCUMENT, "All about your dog."),
            ("dog.html", Kind::Text, PAGE, "Something else."),
        ] {
            let file = cx.make(name, kind, bytes.to_vec()).await?;
            handed.push(Handed { what: Handout::File { file }, text: text.to_owned() });
        }
        Ok(Outcome::Made { value: json!({}), handed })
    }
}

/// Where the files are, in order, as the page says.
fn addresses(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in page.split("href=\"").skip(1) {
        let address = part.split('"').next().unwrap().to_owned();
        if address.contains("/made/") && !found.contains(&address) {
            found.push(address);
        }
    }
    found
}

#[tokio::test]
async fn what_was_made_is_shown_to_the_participant_and_staff_and_to_nobody_else() {
    let model = Scripted::new();
    model.next(Turn::calls("paint", &json!({})));
    model.next(Turn::says("There they are."));
    let parameters = json!({ "type": "object", "properties": {} });
    let paint = Paint(ToolSpec::new("paint", "Paints.", EffectClass::Pure, parameters));
    let site = Site::led(FLOW, &model, Arc::new(paint)).await;
    let ada = site.visitor();
    let page = ada.start("talk", "Ada").await;
    let session = site.session().await;

    let files = addresses(&page);
    assert_eq!(files.len(), 3, "{page}");
    assert!(page.contains(&format!("<img class=\"made\" src=\"{}\"", files[0])), "{page}");
    assert_eq!(page.matches("<img class=\"made\"").count(), 1);
    assert!(page.contains("alt=\"Your dog, &quot;Rex&quot; &lt;script&gt;\""), "{page}");
    assert!(page.contains("All about your dog.") && page.contains("download=\"dog.pdf\""));

    let expected = [
        ("image/png", "inline; filename=\"dog.png\"", PICTURE),
        ("application/pdf", "attachment; filename=\"dog.pdf\"", DOCUMENT),
        ("application/octet-stream", "attachment; filename=\"dog.html\"", PAGE),
    ];
    let staff = site.staff("Grace").await;
    let (eve, path) = (site.visitor(), format!("/s/{session}"));
    eve.get("/").await;
    for (file, (kind, disposition, bytes)) in files.iter().zip(expected) {
        for (who, address) in [(&ada, file.clone()), (&staff, format!("/staff{file}"))] {
            let answer = who.fetch(&address).await;
            assert_eq!(answer.status(), StatusCode::OK, "{address}");
            let told = |name| answer.headers()[name].to_str().unwrap();
            assert_eq!(told(header::CONTENT_TYPE), kind);
            assert_eq!(told(header::CONTENT_DISPOSITION), disposition);
            assert_eq!(told(header::X_CONTENT_TYPE_OPTIONS), "nosniff");
            assert_eq!(told(header::CACHE_CONTROL), "no-store");
            assert!(told(header::CONTENT_SECURITY_POLICY).starts_with("default-src 'none'"));
            assert_eq!(answer.bytes().await.unwrap(), bytes);
        }
        assert_eq!(eve.fetch(file).await.status(), StatusCode::NOT_FOUND);
    }
    for strange in ["made/nonsense", "made/art_00000000000000000000000000", "made/..%2f..%2fstore"]
    {
        let answer = ada.fetch(&format!("{path}/{strange}")).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{strange}");
    }

    // It is in the copy of everything, and in what is read there.
    let gathered = site.engine.gather(session).await.unwrap();
    let bytes =
        site.engine.copy(&gathered, Audience::Participant, CopyTo::Page).await.unwrap().bytes;
    let archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    assert!(names.contains(&"made/01-dog.png".to_owned()), "{names:?}");
    let told = export::transcript::markdown(&gathered.source(Audience::Participant)).unwrap();
    assert!(told.contains("Handed over dog.pdf: All about your dog."), "{told}");

    // What is erased is gone, for everybody.
    std::fs::remove_dir_all(site.folder.path().join("artifacts")).unwrap();
    assert_eq!(ada.fetch(&files[0]).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(staff.fetch(&format!("/staff{}", files[0])).await.status(), StatusCode::NOT_FOUND);
}
