//! What lies on the device under the files of a conversation: nothing that was sent or made, before an erasure and after.
//!
//! The device is a file with ext4 on it, mounted in a namespace of its own, read as bytes. That takes root; elsewhere a
//! second name for every file keeps what the file system would only have marked as free.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{Cursor, Write as _},
    path::{Path, PathBuf},
    process::Command,
};

use anteroom::{
    engine::CopyTo,
    model::{artifact::Extraction, transcript::Audience, ui::Upload},
    ports::artifacts::check::Kind,
};
use tempfile::TempDir;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::world::{World, ada};

/// Files that are sent, and as many that are made.
const EACH: usize = 25;

/// Where the inner run of the test finds its device.
const DEVICE: &str = "ANTEROOM_RAW_DEVICE";

fn marker(number: usize) -> String {
    format!("marker-{number:02}-thistledown")
}

/// A file of each kind that holds a marker as it is.
fn file(number: usize) -> (&'static str, Vec<u8>) {
    let said = format!("Ada Byron, programmer of engines: {}.\n", marker(number));
    match number % 5 {
        0 => ("note.txt", said.into_bytes()),
        1 => ("note.md", format!("# Ada\n\n{said}").into_bytes()),
        2 => ("cv.pdf", pdf(&said)),
        3 => ("cv.docx", archive("word/document.xml", &format!("<w:p><w:t>{said}</w:t></w:p>"))),
        _ => ("long.txt", said.repeat(6_000).into_bytes()),
    }
}

/// What the bot might have made, in a format of its own each.
fn made(number: usize) -> (&'static str, Kind, Vec<u8>) {
    let said = format!("Summed up: {}.\n", marker(number));
    match number % 4 {
        0 => ("paper.pdf", Kind::Pdf, pdf(&said)),
        1 => ("chart.png", Kind::Png, [b"\x89PNG\r\n\x1a\n....tEXt", said.as_bytes()].concat()),
        2 => ("all.docx", Kind::Docx, archive("transcript.md", &said)),
        _ => ("export.md", Kind::Markdown, said.into_bytes()),
    }
}

fn pdf(said: &str) -> Vec<u8> {
    format!("%PDF-1.4\n1 0 obj << >> stream\n({said}) Tj\nendstream endobj\n%%EOF\n").into_bytes()
}

fn archive(name: &str, said: &str) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, text) in [("[Content_Types].xml", "<Types/>"), (name, said)] {
        archive.start_file(name, stored).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// What can be read below the file system.
enum Device {
    /// The bytes of the device itself.
    Raw(PathBuf),
    /// Second names of the files under the first folder, in the second.
    Names(PathBuf, PathBuf),
}

impl Device {
    /// Gives what is there now a name that stays.
    fn hold(&self) {
        let Self::Names(data, held) = self else { return };
        for (number, path) in all(data).into_iter().enumerate() {
            fs::hard_link(path, held.join(format!("{}-{number}", all(held).len()))).unwrap();
        }
    }

    /// How many of the markers can be found.
    fn found(&self) -> usize {
        rustix::fs::sync();
        let places: Vec<PathBuf> = match self {
            Self::Raw(image) => vec![image.clone()],
            Self::Names(data, held) => [all(data), all(held)].concat(),
        };
        let markers: Vec<String> = (0..2 * EACH).map(marker).collect();
        let search = aho_corasick::AhoCorasick::new(&markers).unwrap();
        let mut found = BTreeSet::new();
        for place in places {
            let bytes = fs::read(place).unwrap();
            found.extend(search.find_iter(&bytes).map(|hit| hit.pattern()));
        }
        found.len()
    }
}

fn all(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(all(&path)) } else { found.push(path) }
    }
    found
}

/// Sends and makes files, reads them all, and erases the conversation; the markers that can be found before and after.
async fn erased(data: TempDir, device: &Device) -> (usize, usize) {
    let at = "2026-11-02T10:00:00Z".parse().unwrap();
    let mut world = World::over(data, at);
    world.begin("short").await;
    let asked = Upload {
        upload_type: "resume".to_owned(),
        accept: ["txt", "md", "pdf", "docx"].map(str::to_owned).into(),
        max_bytes: 1 << 20,
        max_files: 1,
        required: true,
    };
    let engine = world.engine.clone();
    let artifacts = &engine.parts().artifacts;
    for number in 0..EACH {
        let (name, bytes) = file(number);
        let kept = artifacts.keep(world.session, &asked, name, bytes.clone()).await.unwrap();
        let what = anteroom::engine::InboundKind::Sent { wait: None, files: vec![kept.clone()] };
        world.feed(&ada(), what).await;
        assert_eq!(artifacts.read(world.session, &kept).await.unwrap(), Some(bytes), "{name}");
        let read = artifacts.extract(world.session, &kept).await.unwrap();
        let has_text = matches!(read, Extraction::Text { .. });
        assert!(has_text || name == "cv.pdf", "{name}: {read:?}");
    }
    for number in EACH..2 * EACH {
        let (name, kind, bytes) = made(number);
        let kept = artifacts.make(world.session, name, kind, bytes.clone()).await.unwrap();
        assert_eq!(artifacts.read(world.session, &kept).await.unwrap(), Some(bytes), "{name}");
    }
    let gathered = engine.gather(world.session).await.unwrap();
    let packed = engine.copy(&gathered, Audience::Staff, CopyTo::Page).await.unwrap().bytes;
    assert!(packed.len() > EACH * 100, "{}", packed.len());
    device.hold();
    let before = device.found();

    let erased = engine.erase(world.session, "operator").await.unwrap();
    assert!(!erased.receipt.is_empty());
    let after = device.found();
    drop(world.left().await);
    (before, after)
}

#[tokio::test]
async fn files_of_an_erased_session_are_not_on_the_raw_device() {
    if let Some(image) = std::env::var_os(DEVICE) {
        // The inner run: the device is mounted beside its image.
        let image = PathBuf::from(image);
        let mounted = image.with_extension("mounted");
        let found = erased(TempDir::new_in(&mounted).unwrap(), &Device::Raw(image)).await;
        assert_eq!(found, (0, 0), "markers of {} that were found before and after", 2 * EACH);
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let image = dir.path().join("device");
    File::create(&image).unwrap().set_len(96 << 20).unwrap();
    fs::create_dir(dir.path().join("device.mounted")).unwrap();
    let is_root = rustix::process::geteuid().is_root();
    let may_mount = is_root && cfg!(target_os = "linux");
    let script = "mkfs.ext4 -q -F \"$1\" && mount -o loop \"$1\" \"$1.mounted\" && echo mounted && shift && exec \"$@\"";
    let name = concat!(module_path!(), "::files_of_an_erased_session_are_not_on_the_raw_device");
    let name = name.split_once("::").unwrap().1;
    let output = may_mount.then(|| {
        let mut run = Command::new("unshare");
        run.args(["-m", "sh", "-c", script, "sh"]).arg(&image);
        run.arg(std::env::current_exe().unwrap()).args(["--exact", name, "--nocapture"]);
        run.env(DEVICE, &image).output().unwrap()
    });
    let said = output.as_ref().map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    match (output, said) {
        (Some(output), Some(said)) if said.starts_with("mounted") => {
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && said.contains("1 passed"), "{said}\n{told}");
        }
        (output, _) => {
            let must = is_root && std::env::var_os("CI").is_some();
            assert!(!must, "root cannot mount a device, nothing was tested: {output:?}");
        }
    }
}

#[tokio::test]
async fn files_of_an_erased_session_are_not_in_what_the_file_system_frees() {
    let (data, held) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let device = Device::Names(data.path().to_owned(), held.path().to_owned());
    let found = erased(data, &device).await;
    assert_eq!(found, (0, 0), "markers of {} that were found before and after", 2 * EACH);
}
