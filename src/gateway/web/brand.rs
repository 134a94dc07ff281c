//! The name, the logo and the colours of whoever runs the bot, on every page.
//!
//! A page is drawn while a request is answered; whose page it is belongs to the request, like its time limit, and is not
//! handed from function to function.

use std::sync::Arc;

use maud::{Markup, html};

use crate::config::brand::{Brand, Colour, DARK};

tokio::task_local! {
    static BRAND: Arc<Brand>;
}

/// Answers a request under a brand.
pub(super) async fn under<F: Future>(brand: Arc<Brand>, answer: F) -> F::Output {
    BRAND.scope(brand, answer).await
}

/// The brand under which the request is answered.
pub(super) fn current() -> Arc<Brand> {
    BRAND.try_with(Arc::clone).unwrap_or_default()
}

/// The logo, beside words that say whose it is.
pub(super) fn logo() -> Markup {
    html! { @if current().logo.is_some() { img.logo src="/assets/logo" alt=""; } }
}

/// The logo and the name.
pub(super) fn sign() -> Markup {
    html! { p.brand { (logo()) (current().name) } }
}

/// The style sheet's colours in place of the bot's own.
pub(super) fn css(brand: &Brand) -> String {
    let Some((light, dark)) = brand.accents else { return String::new() };
    let (white, black) = (Colour(255, 255, 255), Colour(0, 0, 0));
    let light = format!(
        "--accent: {light}; --accent-ink: #ffffff; --accent-soft: {}; --mine: {};",
        white.mixed(light, 10),
        white.mixed(light, 13),
    );
    let dark = format!(
        "--accent: {dark}; --accent-ink: {}; --accent-soft: {}; --mine: {};",
        black.mixed(dark, 12),
        DARK.mixed(dark, 10),
        DARK.mixed(dark, 14),
    );
    format!(":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n")
}
