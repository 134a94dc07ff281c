//! The real program on a machine whose clock jumps, by libfaketime.

use std::ffi::OsString;

use super::{html, walk::Walk};
use crate::support::faked_clock::FakedClock;

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_outlives_jumps_of_the_clock() {
    let dir = tempfile::tempdir().unwrap();
    let Some(clock) = FakedClock::new(&dir.path().join("clock-of-the-machine")) else { return };
    let set = |by: &str| clock.set(by);
    let variable = |(name, value)| {
        let mut variable = OsString::from(format!("{name}="));
        variable.push::<OsString>(value);
        variable
    };
    let under = ["/usr/bin/env".into()].into_iter();
    let under = under.chain(clock.environment().map(variable)).collect();
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
