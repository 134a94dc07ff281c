//! vcard
