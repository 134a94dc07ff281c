//! Notes tests that cannot run here because something is not installed. A test that returns early counts as passed, so
//! `cargo test` would look complete; `tests/untested.rs`, which runs last, says what was left out.
//!
//! Each run of `cargo test` has a file of its own, named after the process that started the test binaries, so neither an
//! earlier run nor one at the same time is counted.

use std::{
    fs::{self, File},
    io::Write as _,
    os::unix::process::parent_id,
    path::PathBuf,
};

/// Where the files are.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("skipped")
}

/// The file of the run that this process belongs to.
pub(crate) fn file() -> PathBuf {
    let parent = parent_id();
    folder().join(format!("{parent}-{}", started(parent).unwrap_or_default()))
}

/// When a process was started, in ticks since the machine was; none where it is gone, or where the system has no `/proc`.
pub(crate) fn started(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program's name comes second, in brackets, and may hold spaces; the start is the 22nd.
    let (_, after) = stat.rsplit_once(')')?;
    after.split_whitespace().nth(19)?.parse().ok()
}

/// Says that this test is skipped because `missing` is not there, and what `remedy` brings it.
#[expect(clippy::print_stderr, reason = "says what is missing")]
pub(crate) fn skip(missing: &str, remedy: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    eprintln!("skipped: {missing} is not available: {remedy}");
    let note = serde_json::json!({
        "binary": std::env::current_exe().unwrap().file_stem().unwrap().to_string_lossy(),
        "test": test, "missing": missing, "remedy": remedy,
    });
    fs::create_dir_all(folder()).unwrap();
    let mut notes = File::options().append(true).create(true).open(file()).unwrap();
    // In one call, for other tests write to it at the same time.
    notes.write_all(format!("{note}\n").as_bytes()).unwrap();
}
