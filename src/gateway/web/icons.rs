//! Small pictures. Drawn, because not every machine has a font with them; they only repeat what stands beside them.

use maud::{Markup, html};

// ---- staff's pages ----

/// An icon of the size of the words beside it.
fn in_line(path: &str) -> Markup {
    html! {
        svg.icon.in-line viewBox="0 0 24 24" width="16" height="16" aria-hidden="true" { path d=(path) {} }
    }
}

/// An arrow to the left: where one came from.
pub(super) fn previous() -> Markup {
    in_line("M15 5 8 12l7 7")
}

/// An arrow to the right: what comes next.
pub(super) fn next() -> Markup {
    in_line("m9 5 7 7-7 7")
}

/// A tick, beside what was approved.
pub(super) fn tick() -> Markup {
    in_line("m5 12.5 4.5 4.5L19 7.5")
}

/// Head and shoulders, before a name.
pub(super) fn person() -> Markup {
    in_line("M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5a7.5 7.5 0 0 1 15 0")
}

/// A calendar, before a day that will come.
pub(super) fn calendar() -> Markup {
    in_line("M4.5 6h15v13.5h-15zM4.5 10.5h15M8.5 3.5V8M15.5 3.5V8")
}

// ---- all pages ----

/// A sheet of paper, beside the name of a file.
pub(super) fn sheet() -> Markup {
    html! {
        svg.icon viewBox="0 0 24 24" width="26" height="26" aria-hidden="true" {
            path d="M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6" {}
        }
    }
}

/// A paper clip, for attaching files.
pub(super) fn clip() -> Markup {
    html! {
        svg.icon viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" {
            path d="M20 11.5 12 19.4a5 5 0 0 1-7-7l8.4-8.3a3.3 3.3 0 0 1 4.7 4.7l-8.4 8.3a1.7 1.7 0 0 1-2.4-2.4l7.7-7.6" {}
        }
    }
}

/// A warning triangle, before words that warn.
pub(super) fn warning() -> Markup {
    html! {
        svg.icon.in-line viewBox="0 0 24 24" width="16" height="16" aria-hidden="true" {
            path d="M12 4 2.8 20h18.4zM12 10v5M12 17.4v.4" {}
        }
    }
}

/// A tick, before what was answered or agreed to.
pub(super) fn check() -> Markup {
    html! {
        svg.icon.in-line viewBox="0 0 24 24" width="16" height="16" aria-hidden="true" {
            path d="m5 12.5 4.6 4.6L19.5 7" {}
        }
    }
}

/// A cross, before what was denied.
pub(super) fn cross() -> Markup {
    html! {
        svg.icon.in-line viewBox="0 0 24 24" width="16" height="16" aria-hidden="true" {
            path d="M6 6l12 12M18 6 6 18" {}
        }
    }
}

/// A clock, before what waits or has expired.
pub(super) fn clock() -> Markup {
    html! {
        svg.icon.in-line viewBox="0 0 24 24" width="16" height="16" aria-hidden="true" {
            path d="M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M12 7.5V12l3 2" {}
        }
    }
}

/// An arrow to the left, on the way back.
pub(super) fn back() -> Markup {
    html! {
        svg.icon viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" {
            path d="M14.5 5.5 8 12l6.5 6.5" {}
        }
    }
}

/// A paper plane, on the button that sends a message.
pub(super) fn send() -> Markup {
    html! {
        svg.icon viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" {
            path d="M4.5 12 3.5 4.5 21 12 3.5 19.5zM4.5 12H12" {}
        }
    }
}
