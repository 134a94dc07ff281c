//! Text as Discord shows it, character by character, each with its styles.

/// Styles, each with its mark. The order is that in which they are opened.
pub(super) const STYLES: [(u8, &str); 4] =
    [(STRUCK, "~~"), (BOLD, "**"), (ITALIC, "*"), (CODE, "`")];

const STRUCK: u8 = 1;
pub(super) const BOLD: u8 = 2;
const ITALIC: u8 = 4;
pub(super) const CODE: u8 = 8;

/// What people see as one character, escaped already; or an address, which is not divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Atom {
    pub(super) shown: String,
    pub(super) styles: u8,
}
