//! Uploads: what is taken, what is refused and how, what is kept, what is read.

use std::{path::Path, sync::Arc};

use anteroom::{
    artifacts::{Artifacts, Error, extract::Extractor},
    clock::FixedClock,
    ids::{CountingIds, RandomIds, SessionId},
    model::ui::Upload,
};
use chrono::DateTime;
use tempfile::TempDir;

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
    Artifacts::new(folder, clock, Arc::new(CountingIds::default()), extractor).unwrap()
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

fn resume() -> Upload {
    asked(&["pdf", "docx", "txt", "md"])
}

#[tokio::test]
async fn a_kept_file_lies_under_session_and_digest_and_comes_back() {
    let desk = Desk::new();
    let kept = desk
        .artifacts
        .keep(desk.session, &resume(), "../../notes on me.txt", b"Ada Byron".to_vec())
        .await
        .unwrap();
    assert_eq!(kept.filename, "notes on me.txt");
    assert_eq!(kept.content_type, "text/plain");
    assert_eq!(kept.size_bytes, 9);
    assert_eq!(desk.files(), [format!("artifacts/{}/{}", desk.session, kept.sha256)]);

    let again = open(desk.folder.path());
    assert_eq!(again.read(desk.session, &kept).await.unwrap(), Some(b"Ada Byron".to_vec()));
    let stranger = SessionId::mint(&RandomIds);
    assert_eq!(again.read(stranger, &kept).await.unwrap(), None, "a session sees only its own");
}

#[tokio::test]
async fn the_same_bytes_are_kept_once_and_erasing_leaves_nothing() {
    let desk = Desk::new();
    let asked = resume();
    let keep = || desk.artifacts.keep(desk.session, &asked, "a.txt", b"the same".to_vec());
    let (one, two) = (keep().await.unwrap(), keep().await.unwrap());
    assert_ne!(one.id, two.id);
    assert_eq!(one.sha256, two.sha256);
    assert_eq!(desk.files().len(), 1);

    // What a crash in the middle of a write leaves behind is personal data too.
    let torn = desk.folder.path().join(format!("artifacts/{}/{}#1", desk.session, one.sha256));
    std::fs::write(torn, b"the sa").unwrap();
    let other = SessionId::mint(&RandomIds);
    desk.artifacts.keep(other, &resume(), "b.txt", b"another".to_vec()).await.unwrap();

    desk.artifacts.erase(desk.session).await.unwrap();
    assert_eq!(desk.files().len(), 1, "only the other session's file is left");
    assert_eq!(desk.artifacts.read(desk.session, &one).await.unwrap(), None);
    desk.artifacts.erase(desk.session).await.unwrap();
}

#[tokio::test]
async fn a_flow_is_pinned_under_its_digest() {
    let desk = Desk::new();
    desk.artifacts.pin_flow("abc123", "format = 1").await.unwrap();
    assert_eq!(desk.files(), ["flows/abc123"]);
    let found = desk.artifacts.pinned_flow("abc123").await.unwrap();
    assert_eq!(found.as_deref(), Some("format = 1"));
    assert_eq!(desk.artifacts.pinned_flow("def456").await.unwrap(), None);
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
        said.push(desk.refusal(&resume(), filename, bytes).await);
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
    I can read PDF, DOCX, TXT or MD. *cv.txt* is something else.
    *cv.pdf* is a text file inside. Please rename it so that it ends in .txt, and send it again.
    *cv.md* has 10.1 MB; I can take at most 10 MB.
    ");
}
