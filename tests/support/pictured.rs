//! Pictures of what an emulator draws, taken in a real browser: they lie in `target/screenshots` afterwards. Where Chromium is
//! not installed the tests say how to get it and pass, unless `CI` is set.

use tokio::sync::SemaphorePermit;

use super::chromium::{self, Browser, INSTALL, Look};

/// A browser; none where Chromium is not installed.
#[derive(Debug)]
pub(crate) struct Camera {
    browser: Option<Browser>,
    _turn: SemaphorePermit<'static>,
}

/// The widths at which everything is looked at.
const WIDTHS: [(&str, Look); 2] = [("desktop", Look::Desktop), ("phone", Look::Phone)];

impl Camera {
    /// Waits for a turn, and starts the browser. The names of the pictures begin with `platform`.
    pub(crate) async fn start(platform: &str) -> Self {
        let turn = chromium::turn().await;
        let browser = Browser::start(platform, Look::Desktop).await;
        if browser.is_none() {
            let missing = format!("Chromium or its driver is not installed: `{INSTALL}`");
            assert!(std::env::var_os("CI").is_none(), "{missing}");
            super::skipped::skip("Chromium", INSTALL);
        }
        Self { browser, _turn: turn }
    }

    /// Looks at a page once it shows `seen`, in both widths. Each picture is held against the rules for everybody's use:
    /// every control has a name, nothing is wider than the screen.
    pub(crate) async fn picture(&mut self, name: &str, address: &str, seen: &str) {
        let Some(browser) = &mut self.browser else { return };
        browser.open(address).await;
        for (width, look) in WIDTHS {
            browser.turn_to(look).await;
            browser.see(seen).await;
            browser.show(&format!("{name}-{width}")).await;
            assert_eq!(browser.complaints().await, [""; 0], "{name}");
        }
    }
}
