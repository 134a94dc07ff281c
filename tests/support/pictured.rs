//! Pictures of what an emulator draws, taken in a real browser: they lie in `target/screenshots` afterwards. Where Chromium is
//! not installed the tests say how to get it and pass, unless `CI` is set.

use tokio::sync::{Mutex, MutexGuard};

use crate::chromium::{Browser, INSTALL, Look};

/// One browser at a time: two would only wait for each other.
static ONE: Mutex<()> = Mutex::const_new(());

/// Both widths at which everything is looked at.
const LOOKS: [(&str, Look); 2] = [("desktop", Look::Desktop), ("phone", Look::Phone)];

/// The turn of a test that takes pictures.
pub(crate) async fn turn() -> MutexGuard<'static, ()> {
    ONE.lock().await
}

/// Looks at a page once it shows `seen`, in both widths. Each picture is held against the rules for everybody's use: every
/// control has a name, nothing is wider than the screen.
pub(crate) async fn in_both_widths(name: &str, address: &str, seen: &str) {
    for (width, look) in LOOKS {
        let Some(mut browser) = Browser::start(name, look).await else {
            let missing = format!("Chromium or its driver is not installed: `{INSTALL}`");
            assert!(std::env::var_os("CI").is_none(), "{missing}");
            crate::skipped::skip("Chromium", INSTALL);
            return;
        };
        browser.open(address).await;
        browser.see(seen).await;
        browser.show(width).await;
        assert_eq!(browser.complaints().await, [""; 0], "{name}");
        browser.close().await;
    }
}
