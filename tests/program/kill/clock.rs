//! The real program on a machine whose clock jumps, by libfaketime.

use std::{ffi::OsString, fs, path::Path, process::Command};

use super::{html, power::is_ci, skipped, walk::Walk};

/// What runs the program with the clock that `file` says; none where libfaketime is not installed.
fn faked(file: &Path) -> Option<Vec<OsString>> {
    // The wrapper knows where its library is.
    let said = Command::new("faketime").args(["-f", "+0", "env"]).output().ok()?.stdout;
    let said = String::from_utf8(said).ok()?;
    let library = said.lines().find(|line| line.starts_with("LD_PRELOAD="))?;
    let mut file_name = OsString::from("FAKETIME_TIMESTAMP_FILE=");
    file_name.push(file);
    Some(vec![
        "/usr/bin/env".into(),
        library.into(),
        file_name,
        "FAKETIME_NO_CACHE=1".into(),
        // What the kernel counts does not jump.
        "FAKETIME_DONT_FAKE_MONOTONIC=1".into(),
    ])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_outlives_jumps_of_the_clock() {
    let dir = tempfile::tempdir().unwrap();
    let clock = dir.path().join("clock-of-the-machine");
    let set = |by: &str| fs::write(&clock, by).unwrap();
    set("+0");
    let Some(under) = faked(&clock) else {
        assert!(!is_ci(), "faketime is not installed");
        skipped::skip("faketime", "apt-get install faketime");
        return;
    };
    let mut walk = Walk::prepare("candidate-onboarding", dir.path(), &[]).await;
    walk.stop();
    walk.under = Some(under);
    walk.start();
    walk.open_conversation().await;
    walk.step().await;

    // Two days forwards: one reminder of the question that is open.
    assert!(walk.next_card().await.is_some());
    set("+47h");
    let page = walk.page_with("A reminder").await;
    assert_eq!(html::text(&page).matches("A reminder").count(), 1);

    // Hours backwards, while it runs: said, and nothing else happens.
    set("+40h");
    walk.log_with("the clock was set back").await;
    walk.step().await;

    // Backwards to the beginning, while it is down.
    set("+0");
    walk.stop();
    walk.start();
    walk.step().await;
    walk.step().await;

    // A leap of five months while it is down: one catch-up, then silence.
    assert!(walk.next_card().await.is_some());
    walk.stop();
    set("+150d");
    walk.start();
    let page = walk.page_with("This conversation is paused.").await;
    assert!(html::text(&page).matches("A reminder").count() <= 2, "{}", html::text(&page));
    let form = html::forms(&page).into_iter().find(|form| form.name == "resume").unwrap();
    walk.press(&form, "Continue").await;
    walk.finish().await;
}
