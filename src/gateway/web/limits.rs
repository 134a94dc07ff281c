//! What the page accepts and shows; each constant with its unit and why.

use std::time::Duration;

use crate::net::listener::{Bounds, Throughput};

/// All that is typed into one form, in bytes: a whole profile fits many times over.
pub const FORM_MAX: usize = 1024 * 1024;

/// Fields of one form: fifty roles of twenty fields fit twice. Forms are searched field by field.
pub const FIELDS_MAX: usize = 2_000;

/// Largest file that is taken into memory, in bytes. A flow allows less (`uploads.max_mb`, 10 by default); this is
/// the end for whatever a flow says.
pub const FILE_MAX: usize = 32 * 1024 * 1024;

/// Longest body that is read at all, in bytes. What is beyond [`FILE_MAX`] is read and dropped, so that the person
/// gets "too large" and not a broken connection.
pub(crate) const BODY_MAX: usize = 128 * 1024 * 1024;

/// Most files in one form.
pub const FILES_MAX: usize = 10;

/// Memory for forms with files, together, in bytes; further ones wait.
pub(crate) const UPLOADS_MAX: usize = 4 * FILE_MAX;

/// Memory for files that the receivers of web hooks fetch, together, in bytes; further ones wait.
pub(crate) const DOWNLOADS_MAX: usize = 4 * FILE_MAX;

/// What a listener of the page allows: far fewer connections than the usual 1,024 files that a process may have open,
/// because the store needs some.
pub const LISTENER: Bounds = Bounds {
    connections: 512,
    headers: Duration::from_secs(10),
    // A phone on a bad line sends ten times as much; the grace is for its radio to wake up.
    throughput: Throughput { bytes_per_second: 4 * 1024, grace: Duration::from_secs(5) },
    // More than `REQUEST_TIMEOUT`, so that a slow answer is not cut off, and more than `LIVE_PING`.
    idle: Duration::from_secs(75),
    // Enough to answer what was asked. Live connections end at once.
    stopping: Duration::from_secs(4),
};

/// Requests of people that are in flight at one time, live connections included. The other connections of
/// [`LISTENER`] stay free for health checks.
pub(crate) const ADMITTED_MAX: usize = 384;

/// Open live connections, of all pages together.
pub(crate) const LIVE_MAX: usize = 256;

/// Open live connections of one browser. Browsers open six connections to one site: so many live pages leave two for
/// forms. A further page works all the same, and shows what is new when it is loaded again.
pub const LIVE_PER_BROWSER: usize = 4;

/// Open live connections on one conversation: its participant's, and a whole team that looks on.
pub(crate) const LIVE_PER_SESSION: usize = 24;

/// A live connection that is silent is pinged, so that proxies do not close it and a dead one is noticed.
pub(crate) const LIVE_PING: Duration = Duration::from_secs(15);

/// A request must be done within this time. Time in which the client sends its upload does not count, and live
/// connections are exempt.
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);

/// A request that is forwarded to the active node must be done within this time. The active node gives up before that,
/// after [`REQUEST_TIMEOUT`].
pub(crate) const FORWARD_TIMEOUT: Duration = Duration::from_secs(65);

/// Longest message that a person may type, in characters.
pub const TEXT_MAX: usize = 8_000;

/// Longest name that a person may give, in characters.
pub(crate) const NAME_MAX: usize = 80;

/// Choices are buttons up to this many, a select beyond; more buttons are hard to scan.
pub(crate) const BUTTONS_MAX: usize = 6;

/// Messages of a conversation on one page; those before them are on pages of their own.
pub const LOG_MAX: usize = 100;

/// Conversations on one page of the staff's list.
pub const SESSIONS_PER_PAGE: usize = 50;

/// Conversations that wait for the team on one page of what waits; each is loaded whole.
pub const WAITING_PER_PAGE: usize = 20;

/// A cookie lives this long, in seconds (180 days): as long as a conversation may be resumed by default.
pub(crate) const COOKIE_SECONDS: u64 = 180 * 24 * 60 * 60;

/// Longest quotation of an answer in a line or a list, in characters.
pub(crate) const QUOTE_MAX: usize = 160;

/// How much of a question names its card once it is a line, in characters.
pub(crate) const HEADING_MAX: usize = 90;

/// A question up to this length stands whole on the line that its card has become, also on a telephone, in characters.
pub const LINE_MAX: usize = 20;

/// How much of an answer stands in the line that its card has become, in characters; the rest unfolds.
pub(crate) const ANSWER_MAX: usize = 120;

/// How much of a long value is shown before it is unfolded, in characters.
pub(crate) const FOLDED_MAX: usize = 400;

/// Longest display of one value in a staff line, in characters.
pub const VALUE_MAX: usize = 2_000;

/// Longest receipt of an erasure in an address, in characters.
pub(crate) const RECEIPT_MAX: usize = 64;
