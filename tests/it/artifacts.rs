//! Uploads: what is taken, what is refused and how, what is kept, what is read.

use std::{
    io::{Cursor, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use anteroom::{
    base::{
        clock::FixedClock,
        ids::{CountingIds, RandomIds, SessionId},
    },
    model::{
        artifact::{Artifact, Extraction},
        audit::sha256,
        ui::Upload,
    },
    ports::artifacts::{
        Artifacts, Error,
        blobs::{self, Condition},
        extract::{Extractor, Format, HIDDEN_TEXT, trouble},
        resume::{self, Confidence},
    },
};
use chrono::DateTime;
use image::{ImageFormat, Rgb, RgbImage};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

use crate::keys::AnyKeys;

struct Desk {
    artifacts: Artifacts,
    folder: TempDir,
    session: SessionId,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let artifacts = open(folder.path());
        Self { artifacts, folder, session: SessionId::mint(&RandomIds) }
    }

    /// What the person is told.
    async fn refusal(&self, asked: &Upload, filename: &str, bytes: impl Into<Vec<u8>>) -> String {
        match self.artifacts.keep(self.session, asked, filename, bytes.into()).await {
            Err(Error::Refused(refused)) => {
                assert_eq!(self.files(), Vec::<String>::new(), "a refused file is not kept");
                refused.to_string()
            }
            other => panic!("{filename} was not refused: {other:?}"),
        }
    }

    /// Every file under the data directory, by its path in it.
    fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        collect(self.folder.path(), self.folder.path(), &mut found);
        found.sort();
        found
    }
}

fn open(folder: &Path) -> Artifacts {
    let clock = Arc::new(FixedClock::new(DateTime::UNIX_EPOCH));
    let extractor = Extractor::new(env!("CARGO_BIN_EXE_anteroom"));
    let ids = Arc::new(CountingIds::default());
    Artifacts::new(folder, Arc::new(AnyKeys), clock, ids, extractor).unwrap()
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, found);
        } else {
            found.push(path.strip_prefix(root).unwrap().display().to_string());
        }
    }
}

fn asked(accept: &[&str]) -> Upload {
    Upload {
        upload_type: "resume".to_owned(),
        accept: accept.iter().map(|&extension| extension.to_owned()).collect(),
        max_bytes: 10 * 1024 * 1024,
        max_files: 1,
        required: true,
    }
}

fn documents() -> Upload {
    asked(&["pdf", "docx", "txt", "md"])
}

#[tokio::test]
async fn a_kept_file_lies_under_its_session_and_comes_back() {
    let desk = Desk::new();
    let kept = desk
        .artifacts
        .keep(desk.session, &documents(), "../../notes on me.txt", b"Ada Byron".to_vec())
        .await
        .unwrap();
    assert_eq!(kept.filename, "notes on me.txt");
    assert_eq!(kept.content_type, "text/plain");
    assert_eq!(kept.size_bytes, 9);
    let [lies] = &desk.files()[..] else { panic!("{:?}", desk.files()) };
    let name = lies.strip_prefix(&format!("artifacts/{}/", desk.session)).unwrap();
    assert!(name.len() == 64 && name != kept.sha256, "{name} tells what is in the file");

    let again = open(desk.folder.path());
    assert_eq!(again.read(desk.session, &kept).await.unwrap(), Some(b"Ada Byron".to_vec()));
    let stranger = SessionId::mint(&RandomIds);
    assert_eq!(again.read(stranger, &kept).await.unwrap(), None, "a session sees only its own");
}

#[tokio::test]
async fn the_same_bytes_are_kept_once_and_erasing_leaves_nothing() {
    let desk = Desk::new();
    let asked = documents();
    let keep = || desk.artifacts.keep(desk.session, &asked, "a.txt", b"the same".to_vec());
    let (one, two) = (keep().await.unwrap(), keep().await.unwrap());
    assert_ne!(one.id, two.id);
    assert_eq!(one.sha256, two.sha256);
    assert_eq!(desk.files().len(), 1);

    // What a crash in the middle of a write leaves behind is personal data too.
    let torn = desk.folder.path().join(format!("artifacts/{}/{}#1", desk.session, one.sha256));
    std::fs::write(torn, b"the sa").unwrap();
    let other = SessionId::mint(&RandomIds);
    desk.artifacts.keep(other, &documents(), "b.txt", b"another".to_vec()).await.unwrap();

    desk.artifacts.erase(desk.session).await.unwrap();
    assert_eq!(desk.files().len(), 1, "only the other session's file is left");
    assert_eq!(desk.artifacts.read(desk.session, &one).await.unwrap(), None);
    desk.artifacts.erase(desk.session).await.unwrap();
}

/// A file of 200 kB, as an older version left it: in clear, under its digest.
async fn left_in_clear(desk: &Desk) -> (Artifact, Vec<u8>, PathBuf) {
    let content = b"Ada Byron, programmer. ".repeat(9_000);
    let kept = desk.artifacts.keep(desk.session, &documents(), "cv.txt", content.clone()).await;
    let kept = kept.unwrap();
    let folder = desk.folder.path().join(format!("artifacts/{}", desk.session));
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::create_dir(&folder).unwrap();
    let clear = folder.join(&kept.sha256);
    std::fs::write(&clear, &content).unwrap();
    (kept, content, clear)
}

/// How often a part of the file's words is in these bytes.
fn in_clear(path: &Path) -> usize {
    let bytes = std::fs::read(path).unwrap();
    bytes.windows(9).filter(|here| here == b"Ada Byron").count()
}

#[tokio::test]
async fn a_file_that_an_older_version_left_in_clear_is_sealed_when_it_is_read() {
    let desk = Desk::new();
    let (kept, content, clear) = left_in_clear(&desk).await;
    // A second name shows what the file system frees.
    let freed = desk.folder.path().join("freed");
    std::fs::hard_link(&clear, &freed).unwrap();
    assert_eq!(in_clear(&freed), 9_000);

    let extraction = desk.artifacts.extract(desk.session, &kept).await.unwrap();
    assert!(matches!(extraction, Extraction::Text { .. }), "{extraction:?}");

    assert_eq!(in_clear(&freed), 0, "it is overwritten before it goes");
    std::fs::remove_file(freed).unwrap();
    let files = desk.files();
    assert!(files.len() == 1 && !clear.exists(), "{files:?}");
    assert_eq!(in_clear(&desk.folder.path().join(&files[0])), 0);
    assert_eq!(desk.artifacts.read(desk.session, &kept).await.unwrap(), Some(content));
}

#[tokio::test]
async fn many_who_read_a_file_in_clear_at_once_all_get_it() {
    let desk = Desk::new();
    let (kept, content, _) = left_in_clear(&desk).await;
    let reads = (0..12).map(|_| desk.artifacts.read(desk.session, &kept));
    for read in futures::future::join_all(reads).await {
        assert!(read.unwrap().as_ref() == Some(&content), "another content");
    }
    assert_eq!(desk.files().len(), 1);
}

#[tokio::test]
async fn an_inspection_seals_what_lies_in_clear_and_says_so() {
    let desk = Desk::new();
    let (kept, content, clear) = left_in_clear(&desk).await;
    let inspect = || desk.artifacts.inspect(desk.session, &kept);
    assert_eq!(inspect().await.unwrap(), Condition::SealedNow);
    assert_eq!(inspect().await.unwrap(), Condition::Whole);

    // What no event knows of, and what was left half written.
    std::fs::write(clear.with_file_name(sha256(b"stray")), "stray").unwrap();
    std::fs::write(clear.with_file_name(format!("{}#1", kept.sha256)), &content[..999]).unwrap();
    assert_eq!(desk.artifacts.seal_all(desk.session).await.unwrap(), 1);
    assert_eq!(desk.artifacts.seal_all(desk.session).await.unwrap(), 0);
    assert_eq!(desk.files().len(), 2);
    assert_eq!(desk.artifacts.seal_all(SessionId::mint(&RandomIds)).await.unwrap(), 0);

    desk.artifacts.erase(desk.session).await.unwrap();
    assert_eq!(inspect().await.unwrap(), Condition::Missing);
}

#[tokio::test]
async fn a_stored_file_that_is_damaged_is_never_handed_out() {
    let desk = Desk::new();
    let (kept, content, clear) = left_in_clear(&desk).await;
    let read = || desk.artifacts.read(desk.session, &kept);
    let mut bytes = content.clone();
    bytes[77] ^= 1;
    std::fs::write(&clear, &bytes).unwrap();
    let refused = read().await.unwrap_err();
    assert!(matches!(refused, blobs::Error::Damaged { .. }), "{refused:?}");
    assert_eq!(std::fs::read(&clear).unwrap(), bytes, "it is left as it is");

    std::fs::write(&clear, &content).unwrap();
    read().await.unwrap();
    let sealed = desk.folder.path().join(&desk.files()[0]);
    let whole = std::fs::read(&sealed).unwrap();
    for at in [0, 20, 50, 90, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(&sealed, &bytes).unwrap();
        let refused = read().await.unwrap_err();
        assert!(matches!(refused, blobs::Error::Damaged { .. }), "byte {at}: {refused:?}");
        desk.artifacts.inspect(desk.session, &kept).await.unwrap_err();
        let extraction = desk.artifacts.extract(desk.session, &kept).await.unwrap();
        let Extraction::Unreadable { reason } = extraction else { panic!("{extraction:?}") };
        assert!(reason.ends_with("Please send it again."), "{reason}");
    }
    // Sent again it is whole again.
    desk.artifacts.keep(desk.session, &documents(), "cv.txt", content.clone()).await.unwrap();
    assert_eq!(read().await.unwrap(), Some(content));
}

#[tokio::test]
async fn a_file_that_goes_alone_cannot_be_opened_with_the_key_that_stays() {
    let desk = Desk::new();
    let asked = documents();
    let keep =
        |text: &'static [u8]| desk.artifacts.keep(desk.session, &asked, "a.txt", text.to_vec());
    let goes = keep(b"this goes").await.unwrap();
    let freed = desk.folder.path().join("freed");
    let lies = desk.folder.path().join(&desk.files()[0]);
    std::fs::hard_link(&lies, &freed).unwrap();
    let stays = keep(b"this stays").await.unwrap();
    // Kept twice, it lies there once: no other copy is left behind.
    keep(b"this goes").await.unwrap();

    desk.artifacts.retain(desk.session, [stays.sha256.clone()].into()).await.unwrap();

    assert_eq!(desk.artifacts.read(desk.session, &goes).await.unwrap(), None);
    assert!(desk.artifacts.read(desk.session, &stays).await.unwrap().is_some());
    // Whoever finds its blocks and has the key can do nothing with them.
    std::fs::rename(&freed, &lies).unwrap();
    desk.artifacts.read(desk.session, &goes).await.unwrap_err();
}

#[tokio::test]
async fn a_flow_is_pinned_under_its_digest() {
    let desk = Desk::new();
    let digest = sha256(b"format = 1");
    desk.artifacts.pin_flow(&digest, "format = 1").await.unwrap();
    assert_eq!(desk.files(), [format!("flows/{digest}")]);
    let found = desk.artifacts.pinned_flow(&digest).await.unwrap();
    assert_eq!(found.as_deref(), Some("format = 1"));
    assert_eq!(desk.artifacts.pinned_flow(&sha256(b"")).await.unwrap(), None);

    std::fs::write(desk.folder.path().join("flows").join(&digest), "format = 2").unwrap();
    let refused = desk.artifacts.pinned_flow(&digest).await.unwrap_err().to_string();
    assert_eq!(
        refused,
        format!(
            "the stored file `flows/{digest}` is damaged (it is not what was kept). hint: restore a backup with \
             `anteroom restore`"
        )
    );
}

#[tokio::test]
async fn wrong_files_are_refused_in_plain_words() {
    let desk = Desk::new();
    let heic = [&[0, 0, 0, 24][..], b"ftypheic\0\0\0\0mif1heic", &[7; 40]].concat();
    let zip = [&b"PK\x03\x04"[..], &[0; 60]].concat();
    let exe = [&b"MZ\x90\0"[..], &[0; 60]].concat();
    let mut said = Vec::new();
    for (filename, bytes) in [
        ("photo.heic", heic.clone()),
        ("photo.pdf", heic),
        ("cv.pdf", Vec::new()),
        ("cv.zip", zip.clone()),
        ("cv.pdf", zip),
        ("cv.exe", exe.clone()),
        ("cv.docx", exe),
        ("cv.docx", b"%PDF-1.7 ...".to_vec()),
        ("cv", b"%PDF-1.7 ...".to_vec()),
        ("cv.txt", b"#!/bin/sh\nrm -rf ~\n".to_vec()),
        ("cv.txt", b"X5O!P%...$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H".to_vec()),
        ("cv.rtf", b"{\\rtf1\\ansi Ada}".to_vec()),
        ("cv.txt", vec![3, 1, 4, 1, 5, 9, 2, 6, 0, 0]),
        ("cv.pdf", b"not a pdf at all".to_vec()),
        ("cv.md", vec![b'a'; 10 * 1024 * 1024 + 100_000]),
    ] {
        said.push(desk.refusal(&documents(), filename, bytes).await);
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    I can read PDF, DOCX, TXT or MD. *photo.heic* is an image.
    I can read PDF, DOCX, TXT or MD. *photo.pdf* is an image, whatever its name says.
    *cv.pdf* is empty.
    I can read PDF, DOCX, TXT or MD. *cv.zip* is an archive.
    I can read PDF, DOCX, TXT or MD. *cv.pdf* is an archive, whatever its name says.
    *cv.exe* is a program, so I did not open it. I can read PDF, DOCX, TXT or MD.
    *cv.docx* is a program, so I did not open it. I can read PDF, DOCX, TXT or MD.
    *cv.docx* is a PDF inside. Please rename it so that it ends in .pdf, and send it again.
    *cv* is a PDF inside. Please rename it so that it ends in .pdf, and send it again.
    *cv.txt* is a program, so I did not open it. I can read PDF, DOCX, TXT or MD.
    *cv.txt* looks like a virus, so I did not open it. I can read PDF, DOCX, TXT or MD.
    I can read PDF, DOCX, TXT or MD. *cv.rtf* is an RTF document.
    I can read PDF, DOCX, TXT or MD. I do not know what *cv.txt* is.
    *cv.pdf* is a text file inside. Please rename it so that it ends in .txt, and send it again.
    *cv.md* has 10.1 MB; I can take at most 10 MB.
    ");
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

impl Desk {
    /// Keeps a file and reads its text.
    async fn extract(&self, filename: &str, bytes: Vec<u8>) -> Extraction {
        let kept = self.artifacts.keep(self.session, &documents(), filename, bytes).await.unwrap();
        self.artifacts.extract(self.session, &kept).await.unwrap()
    }

    async fn text(&self, filename: &str, bytes: Vec<u8>) -> (String, Option<u32>, Vec<String>) {
        match self.extract(filename, bytes).await {
            Extraction::Text { text, pages, notes } => (text, pages, notes),
            other => panic!("{filename} gave no text: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_resume_gives_the_same_draft_as_pdf_and_as_docx() {
    let desk = Desk::new();
    let (text, pages, notes) = desk.text("ada.pdf", fixture("ada.pdf")).await;
    assert_eq!((pages, notes), (Some(2), Vec::new()));
    let from_pdf = resume::draft(&text);
    let (text, pages, notes) = desk.text("ada.docx", fixture("ada.docx")).await;
    assert_eq!((pages, notes), (None, Vec::new()));
    let from_docx = resume::draft(&text);

    assert_eq!(from_pdf.issues, Vec::<String>::new());
    assert_eq!(from_docx.issues, Vec::<String>::new());
    assert_eq!(from_docx.applicant_profile, from_pdf.applicant_profile);
    assert_eq!(from_docx.skeleton_timeline["work"], from_pdf.skeleton_timeline["work"]);
    assert_eq!(from_docx.education_history, from_pdf.education_history);
    let mut told = vec![from_pdf.applicant_profile["basics"].to_string()];
    for (value, list) in [
        (&from_pdf.skeleton_timeline, "work"),
        (&from_pdf.skeleton_timeline, "volunteer"),
        (&from_pdf.education_history, "education"),
    ] {
        let entries = value[list].as_array().unwrap().iter();
        told.extend(entries.map(|entry| format!("{list}: {entry}")));
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    {"name":"Ada Byron","label":"Senior Programmer","email":"ada.byron@example.org","phone":"+44 20 7946 0018","url":"https://ada.example.org","profiles":[{"network":"LinkedIn","username":"ada-byron","url":"https://linkedin.com/in/ada-byron"},{"network":"GitHub","username":"ada-byron","url":"https://github.com/ada-byron"}],"location":{"city":"London","countryCode":"GB"}}
    work: {"name":"Analytical Engines Ltd","position":"Senior Programmer","location":"London, United Kingdom","startDate":"2020-03"}
    work: {"name":"Difference & Sons","position":"Programmer","location":"London, United Kingdom","startDate":"2016-06","endDate":"2020-02"}
    work: {"name":"Somerville Instruments","position":"Assistant Mathematician","location":"Edinburgh, United Kingdom","startDate":"2013-09","endDate":"2016-05"}
    volunteer: {"organization":"Marylebone Night School","position":"Teacher of arithmetic","startDate":"2018","endDate":"2021"}
    education: {"institution":"University of London","area":"Mathematics","studyType":"MSc","startDate":"2011","endDate":"2013"}
    education: {"institution":"Ockham College","area":"Natural Philosophy","studyType":"BSc","startDate":"2008","endDate":"2011"}
    "#);
    let doubtful = |(_, sure): &(&String, &Confidence)| **sure == Confidence::Low;
    assert_eq!(from_pdf.confidence.iter().filter(doubtful).count(), 0);
}

#[tokio::test]
async fn documents_without_usable_text_say_why() {
    let desk = Desk::new();
    let scan = desk.extract("scan.pdf", fixture("scan.pdf")).await;
    assert_eq!(scan, Extraction::NoText);
    assert_eq!(trouble("scan.pdf", &scan).unwrap(), "There is no text in this PDF.");

    let locked = desk.extract("locked.pdf", fixture("locked.pdf")).await;
    assert_eq!(locked, Extraction::Locked);
    insta::assert_snapshot!(trouble("locked.pdf", &locked).unwrap(), @r"*locked.pdf* needs a password. Please send a copy without one.");

    let good = fixture("ada.pdf");
    let mut said = Vec::new();
    for (filename, bytes) in [
        ("cut.pdf", good[..good.len() / 2].to_vec()),
        ("bare.pdf", b"%PDF-1.7\n".to_vec()),
        ("noise.pdf", [&b"%PDF-1.4\n"[..], &[0x8a; 5_000]].concat()),
        ("cut.docx", fixture("ada.docx")[..30_000].to_vec()),
    ] {
        let extraction = desk.extract(filename, bytes).await;
        said.push(format!("{filename}: {}", trouble(filename, &extraction).unwrap()));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    cut.pdf: This PDF is damaged.
    bare.pdf: This PDF is damaged.
    noise.pdf: This PDF is damaged.
    cut.docx: This Word document is damaged.
    ");
}

#[tokio::test]
async fn pdfs_that_latex_makes_are_read_as_they_come_and_when_the_mail_has_changed_their_ends() {
    let desk = Desk::new();
    let latex = fixture("latex.pdf");
    assert!(memchr(&latex, b"/ObjStm") && memchr(&latex, b"/XRef"), "as pdflatex does it");
    let (whole, pages, _) = desk.text("latex.pdf", latex.clone()).await;
    assert_eq!(pages, Some(1));
    insta::assert_snapshot!(whole);
    let without_end = latex[..latex.len() - 12].to_vec();
    let shifted = {
        let mut text = latex.clone();
        let at = latex.windows(9).rposition(|window| window == b"startxref").unwrap();
        text[at + 10] = b'9';
        text
    };
    for (filename, bytes) in [
        ("uncompressed.pdf", fixture("latex-plain.pdf")),
        ("padded.pdf", [latex.clone(), vec![0; 3_000]].concat()),
        ("footer.pdf", [&latex[..], &b"-- \nSent from my telephone\n".repeat(60)].concat()),
        ("line-before.pdf", [&b"\r\n"[..], &latex].concat()),
        ("mark-before.pdf", [&b"\xef\xbb\xbf"[..], &latex].concat()),
        ("without-end.pdf", without_end),
        ("shifted.pdf", shifted),
    ] {
        let (text, pages, _) = desk.text(filename, bytes).await;
        assert_eq!((text, pages), (whole.clone(), Some(1)), "{filename}");
    }
}

#[tokio::test]
async fn half_a_document_is_not_taken_for_a_whole_one() {
    let desk = Desk::new();
    for name in ["latex.pdf", "ada.pdf", "owner-locked.pdf"] {
        let good = fixture(name);
        for part in 1..8 {
            let cut = good[..good.len() * part / 8].to_vec();
            let extraction = desk.extract("cut.pdf", cut).await;
            let is_refused = !matches!(extraction, Extraction::Text { .. });
            assert!(is_refused, "{part}/8 of {name}: {extraction:?}");
        }
    }
}

fn memchr(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

#[tokio::test]
async fn a_password_only_against_changes_hinders_nobody_from_reading() {
    let desk = Desk::new();
    let (text, _, _) = desk.text("owner.pdf", fixture("owner-locked.pdf")).await;
    assert!(text.starts_with("# Ada Byron\nSenior Programmer"), "{text}");
}

#[tokio::test]
async fn two_columns_are_read_one_after_the_other() {
    let desk = Desk::new();
    let (text, _, notes) = desk.text("cv.pdf", fixture("two-columns.pdf")).await;
    assert_eq!(notes, Vec::<String>::new());
    let draft = resume::draft(&text);
    assert_eq!(draft.skeleton_timeline["work"].as_array().unwrap().len(), 3, "{text}");
    assert_eq!(draft.education_history["education"].as_array().unwrap().len(), 2, "{text}");
}

#[tokio::test]
async fn text_that_nobody_sees_is_left_out_and_noted() {
    let desk = Desk::new();
    for (name, is_noted) in [
        ("corinne-classic-weasyprint.pdf", true),
        ("priya-classic-chromium.pdf", false),
        ("jonas-classic-chromium.pdf", false),
        ("ruedi-datecolumn-chromium.pdf", true),
        ("marcus-rl_columns-reportlab.pdf", true),
    ] {
        let (text, _, notes) = desk.text(name, fixture(&format!("resumes/files/{name}"))).await;
        assert!(!text.contains("hidden.example.com"), "{name}: {text}");
        assert_eq!(notes.contains(&HIDDEN_TEXT.to_owned()), is_noted, "{name}");
    }
}

/// A PDF of one page with text that is not drawn, on a picture so wide, in points.
fn undrawn(picture: u32) -> Vec<u8> {
    let drawn = format!(
        "q {picture} 0 0 792 0 0 cm /I Do Q BT /F 12 Tf 3 Tr 72 700 Td (Ada Byron, Programmer) Tj ET"
    );
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R\
         /Resources<</Font<</F 5 0 R>>/XObject<</I 6 0 R>>>>>>"
            .to_owned(),
        format!("<</Length {}>>stream\n{drawn}\nendstream", drawn.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
        "<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray\
         /BitsPerComponent 8/Length 1>>stream\nx\nendstream"
            .to_owned(),
    ];
    pdf(&objects)
}

/// A PDF of these objects, whose first is the catalogue.
fn pdf(objects: &[String]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut table = Vec::new();
    for (number, object) in (1..).zip(objects) {
        table.push(format!("{:010} 00000 n \n", file.len()));
        write!(file, "{number} 0 obj\n{object}\nendobj\n").unwrap();
    }
    let (start, size) = (file.len(), objects.len() + 1);
    write!(file, "xref\n0 {size}\n0000000000 65535 f \n{}", table.concat()).unwrap();
    write!(file, "trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").unwrap();
    file
}

/// A page whose left half is dark and whose right half is white, with white text on both, by this drawing of its ground.
fn halves(ground: &str) -> Vec<u8> {
    let drawn = format!(
        "{ground} 1 1 1 rg BT /F 12 Tf 72 700 Td (Ada Byron) Tj ET \
         BT /F 12 Tf 400 700 Td (one@hidden.example.com) Tj ET \
         0 0 0 rg BT /F 12 Tf 400 650 Td (Programmer) Tj ET \
         /Pattern cs /P scn BT /F 12 Tf 400 600 Td (two@hidden.example.com) Tj ET"
    );
    let tile = "/S sh";
    pdf(&[
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<\
         /Font<</F 5 0 R>>/Shading<</S 6 0 R>>\
         /Pattern<</P <</PatternType 2/Shading 6 0 R>>/T 7 0 R>>>>>>"
            .to_owned(),
        format!("<</Length {}>>stream\n{drawn}\nendstream", drawn.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
        "<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 612 0]/Function \
         <</FunctionType 3/Domain[0 1]/Bounds[0.5]/Encode[0 1 0 1]/Functions[\
         <</FunctionType 2/Domain[0 1]/C0[0.2 0 0.4]/C1[0.2 0 0.4]/N 1>>\
         <</FunctionType 2/Domain[0 1]/C0[1 1 1]/C1[1 1 1]/N 1>>]>>>>"
            .to_owned(),
        // It is drawn first below the page, so that another of the tiles lies on it.
        format!(
            "<</PatternType 1/PaintType 1/TilingType 1/BBox[0 0 612 792]/XStep 612/YStep 792\
             /Matrix[1 0 0 1 0 -792]/Resources<</Shading<</S 6 0 R>>>>/Length {}>>\
             stream\n{tile}\nendstream",
            tile.len()
        ),
    ])
}

#[tokio::test]
async fn white_text_on_the_white_half_of_a_gradient_is_left_out_and_noted() {
    let desk = Desk::new();
    for ground in
        ["/S sh", "/Pattern cs /P scn 0 0 612 792 re f", "/Pattern cs /T scn 0 0 612 792 re f"]
    {
        let (text, _, notes) = desk.text("cv.pdf", halves(ground)).await;
        assert!(!text.contains("hidden.example.com"), "{ground}: {text}");
        assert!(text.contains("Ada Byron") && text.contains("Programmer"), "{ground}: {text}");
        assert_eq!(notes, [HIDDEN_TEXT.to_owned()], "{ground}");
    }
}

/// A page on which this is drawn.
fn page_of(drawn: &str) -> Vec<u8> {
    pdf(&[
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"
            .to_owned(),
        format!("<</Length {}>>stream\n{drawn}\nendstream", drawn.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ])
}

/// A border is an area with a hole: a path around another one, or a box of which a clip leaves its edge.
#[tokio::test]
async fn text_in_the_colour_of_the_border_around_it_is_read() {
    let edge = "50 680 300 40 re 52 682 296 36 re";
    let desk = Desk::new();
    for border in [format!("{edge} f*"), format!("q {edge} W* n 50 680 300 40 re f Q")] {
        let page = page_of(&format!(
            "0.6 0.3 0 rg {border} BT /F 12 Tf 72 695 Td (Ada Byron, Programmer) Tj ET \
             50 580 300 40 re f BT /F 12 Tf 72 595 Td (one@hidden.example.com) Tj ET"
        ));
        let (text, _, notes) = desk.text("cv.pdf", page).await;
        assert_eq!(
            (text.as_str(), notes),
            ("Ada Byron, Programmer", vec![HIDDEN_TEXT.to_owned()]),
            "{border}"
        );
    }
}

#[tokio::test]
async fn text_that_is_not_drawn_is_read_where_a_picture_of_paper_shows_it() {
    let desk = Desk::new();
    let (text, _, notes) = desk.text("scan.pdf", undrawn(612)).await;
    assert_eq!((text.as_str(), notes), ("Ada Byron, Programmer", Vec::new()));
    let extraction = desk.extract("logo.pdf", undrawn(100)).await;
    assert!(
        !matches!(&extraction, Extraction::Text { text, .. } if text.contains("Ada")),
        "{extraction:?}"
    );
}

/// A Word document with one part.
fn docx(xml: &str) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    for (name, content) in [("[Content_Types].xml", "<Types/>"), ("word/document.xml", xml)] {
        archive.start_file(name, options).unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[tokio::test]
async fn hidden_text_of_word_is_left_out_and_noted() {
    let desk = Desk::new();
    let run = |property: &str, text: &str| {
        format!("<w:p><w:r><w:rPr>{property}</w:rPr><w:t>{text}</w:t></w:r></w:p>")
    };
    let planted = [
        run("<w:vanish/>", "one@hidden.example.com"),
        run("<w:sz w:val=\"2\"/>", "two@hidden.example.com"),
        run("<w:color w:val=\"FFFFFF\"/>", "three@hidden.example.com"),
    ];
    let seen = run("<w:vanish w:val=\"0\"/><w:sz w:val=\"20\"/>", "Ada Byron, Programmer");
    let body = format!("<w:body>{seen}{}</w:body>", planted.concat());
    let (text, _, notes) = desk.text("cv.docx", docx(&body)).await;
    assert_eq!((text.as_str(), notes), ("Ada Byron, Programmer", vec![HIDDEN_TEXT.to_owned()]));

    // In a coloured cell white is what is read.
    let shaded = format!(
        "<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:fill=\"1F3A4D\"/></w:tcPr>{}</w:tc></w:tr></w:tbl>",
        planted[2]
    );
    let (text, _, notes) = desk.text("cv.docx", docx(&shaded)).await;
    assert_eq!((text.as_str(), notes), ("three@hidden.example.com", Vec::new()));

    // Beside it, and below the table, it is not.
    let beside = shaded.replace("</w:tr>", &format!("<w:tc>{}</w:tc></w:tr>", planted[2]));
    let (text, _, notes) = desk.text("cv.docx", docx(&format!("{beside}{}", planted[2]))).await;
    let hidden = vec![HIDDEN_TEXT.to_owned()];
    assert_eq!((text.as_str(), notes), ("three@hidden.example.com", hidden));
}

#[tokio::test]
async fn hostile_documents_kill_only_their_reader() {
    let desk = Desk::new();
    let paragraph = "<w:p><w:r><w:t>Ada Byron, Programmer &amp; more</w:t></w:r></w:p>";
    let (text, _, _) = desk.text("good.docx", docx(&format!("<w:body>{paragraph}</w:body>"))).await;
    assert_eq!(text, "Ada Byron, Programmer & more");

    let bomb = docx(&format!("<w:body>{}</w:body>", "<w:p/>".repeat(12_000_000)));
    assert!(bomb.len() < 1_000_000, "a bomb is small: {}", bomb.len());
    let deep = docx(&"<w:p>".repeat(100_000));
    let entities = docx("<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><w:t>&b;</w:t>");
    let mut said = Vec::new();
    for (filename, bytes) in [("bomb.docx", bomb), ("deep.docx", deep), ("entities.docx", entities)]
    {
        let extraction = desk.extract(filename, bytes).await;
        said.push(format!("{filename}: {}", trouble(filename, &extraction).unwrap()));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    bomb.docx: This Word document is made in a way that I do not open.
    deep.docx: This Word document is made in a way that I do not open.
    entities.docx: This Word document is made in a way that I do not open.
    ");
}

#[tokio::test]
async fn a_stream_that_inflates_without_end_is_given_up() {
    let desk = Desk::new();
    let extraction = desk.extract("bomb.pdf", fixture("bomb.pdf")).await;
    assert!(matches!(extraction, Extraction::Unreadable { .. }), "{extraction:?}");
}

#[tokio::test]
async fn a_reader_that_fails_or_talks_nonsense_is_an_unreadable_document() {
    for program in ["/bin/false", "/bin/echo", "/bin/cat", "/nowhere/at/all"] {
        let extraction = Extractor::new(program).extract(Format::Pdf, fixture("ada.pdf")).await;
        assert!(matches!(extraction, Extraction::Unreadable { .. }), "{program}: {extraction:?}");
    }
}

#[tokio::test]
async fn what_was_erased_cannot_be_read() {
    let desk = Desk::new();
    let kept = desk
        .artifacts
        .keep(desk.session, &documents(), "a.md", b"# Ada Byron".to_vec())
        .await
        .unwrap();
    assert_eq!(kept.content_type, "text/markdown");
    desk.artifacts.erase(desk.session).await.unwrap();
    let extraction = desk.artifacts.extract(desk.session, &kept).await.unwrap();
    assert_eq!(extraction, Extraction::Unreadable { reason: "The file was erased.".to_owned() });
}

/// A picture of 40 by 20 pixels, its left half red and its right half blue.
fn picture(format: ImageFormat) -> Vec<u8> {
    let pixels =
        RgbImage::from_fn(40, 20, |x, _| if x < 20 { Rgb([250, 0, 0]) } else { Rgb([0, 0, 250]) });
    let mut file = Cursor::new(Vec::new());
    pixels.write_to(&mut file, format).unwrap();
    file.into_inner()
}

/// Metadata of a camera: held on its side (6), and a secret place.
fn with_exif(jpeg: &[u8]) -> Vec<u8> {
    let mut exif =
        b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0".to_vec();
    exif.extend(b"GPS 51.5074 N 0.1278 W");
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], &[0xff, 0xe1], &length, &exif, &jpeg[2..], b"trailing secret"].concat()
}

#[tokio::test]
async fn pictures_are_kept_upright_and_without_metadata() {
    let desk = Desk::new();
    let asked = asked(&["png", "jpg", "gif", "webp"]);
    let photo = with_exif(&picture(ImageFormat::Jpeg));
    let kept = desk.artifacts.keep(desk.session, &asked, "me.JPEG", photo).await.unwrap();
    assert_eq!((kept.filename.as_str(), kept.content_type.as_str()), ("me.JPEG", "image/jpeg"));
    let bytes = desk.artifacts.read(desk.session, &kept).await.unwrap().unwrap();
    for secret in ["GPS", "Exif", "secret"] {
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret}");
    }
    let upright = image::load_from_memory(&bytes).unwrap().to_rgb8();
    assert_eq!(upright.dimensions(), (20, 40), "turned, and not enlarged");
    assert!(upright.get_pixel(10, 5)[0] > 200, "the left side is on top now");

    for (format, filename, becomes) in [
        (ImageFormat::Png, "me.png", "me.png"),
        (ImageFormat::Gif, "me.gif", "me.png"),
        (ImageFormat::WebP, "me.webp", "me.jpg"),
    ] {
        let kept =
            desk.artifacts.keep(desk.session, &asked, filename, picture(format)).await.unwrap();
        assert_eq!(kept.filename, becomes);
        let bytes = desk.artifacts.read(desk.session, &kept).await.unwrap().unwrap();
        assert_eq!(bytes.len() as u64, kept.size_bytes);
        assert_eq!(image::load_from_memory(&bytes).unwrap().to_rgb8().dimensions(), (40, 20));
        assert_eq!(desk.artifacts.extract(desk.session, &kept).await.unwrap(), Extraction::NoText);
    }
}

#[tokio::test]
async fn pictures_that_cannot_be_opened_are_refused() {
    let desk = Desk::new();
    let asked = asked(&["png", "jpg"]);
    let good = picture(ImageFormat::Png);
    // A header that claims 50,000 by 50,000 pixels.
    let mut vast = good.clone();
    vast[16..24].copy_from_slice(&[0, 0, 0xc3, 0x50, 0, 0, 0xc3, 0x50]);
    let crc = crc32(&vast[12..29]);
    vast[29..33].copy_from_slice(&crc.to_be_bytes());
    let mut said = Vec::new();
    for (filename, bytes) in [
        ("vast.png", vast),
        ("cut.png", good[..60].to_vec()),
        ("me.pdf", good.clone()),
        ("me.jpg", good),
    ] {
        said.push(desk.refusal(&asked, filename, bytes).await);
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    *vast.png* has too many pixels. Please make it 4096 by 4096 or smaller, and send it again.
    *cut.png* cannot be opened as an image.
    *me.pdf* is an image inside. Please rename it so that it ends in .png, and send it again.
    *me.jpg* is an image inside. Please rename it so that it ends in .png, and send it again.
    ");
}

/// The check sum of a PNG chunk.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    })
}
