//! Words that only the page says; the others are in [`crate::chat::form::words`].

/// Nothing was chosen to send.
pub const NO_FILE: &str = "Choose a file first, or drop one here.";

/// The form is not one that this page made.
pub const STALE_FORM: &str = "This page is out of date. Please reload it and try again.";

/// What came is no form.
pub const UNREAD_FORM: &str =
    "That couldn't be read, so nothing was sent. Please reload the page and try again.";

/// The form has more in it than a form of this page.
pub const LARGE_FORM: &str = "That is too much for one form, so nothing was sent. Please shorten it, or send it in parts or as a file.";

/// A message is longer than one may be; with its length and the limit.
pub fn long_message(count: usize) -> String {
    let most = super::limits::TEXT_MAX;
    format!(
        "That is {count} characters, and a message holds {most}. Nothing was sent. Please shorten it, or send it in parts."
    )
}

/// One browser, or one conversation, has all the live pages that it may have.
pub const MANY_PAGES: &str =
    "This is open in too many tabs. Close one, or reload this page to see what's new.";

/// Everybody's live pages together are as many as there may be.
pub const ALL_PAGES: &str =
    "Too many pages are open right now. This one works, but reload it to see what's new.";

/// There is no such address here.
pub const NOTHING_HERE: &str = "There is no page at this address.";

/// The page was opened under a name that is not this machine's.
pub const OTHER_HOST: &str = "This page answers on localhost only. Please open it under that name.";

/// The staff page was opened without its key, or with a wrong one.
pub const STAFF_KEY: &str = "The staff page opens with the staff key: add `?key=…` to its address. Whoever runs this bot knows the key.";
