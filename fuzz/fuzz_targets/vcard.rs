//! Random input for [`anteroom_fuzz::vcard`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anteroom_fuzz::vcard(bytes));
