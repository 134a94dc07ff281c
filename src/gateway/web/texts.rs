//! Words that only the page says; the others are in [`crate::form::words`].

/// Nothing was chosen to send.
pub const NO_FILE: &str = "Choose a file first, or drop one here.";

/// The form is not one that this page made.
pub const STALE_FORM: &str = "This page is out of date. Please reload it and try again.";

/// The form has more in it than a form of this page, or is none.
pub const UNREAD_FORM: &str =
    "That could not be read: it is too large, or not a form of this page. Nothing was sent.";

/// One browser, or one conversation, has all the live pages that it may have.
pub const MANY_PAGES: &str =
    "This is open in too many tabs. Close one, or reload this page to see what is new.";

/// Everybody's live pages together are as many as there may be.
pub const ALL_PAGES: &str =
    "Too many pages are open just now. This one works, but reload it to see what is new.";

/// There is no such address here.
pub const NOTHING_HERE: &str = "There is nothing here.";

/// The page was opened under a name that is not this machine's.
pub const OTHER_HOST: &str = "This page answers on localhost only. Please open it under that name.";

/// The staff page was opened without its key, or with a wrong one.
pub const STAFF_KEY: &str = "The staff page opens with the staff key: add `?key=…` to its address. Whoever runs this bot knows the key.";
