//! Random input for [`anteroom_fuzz::document`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anteroom_fuzz::document(bytes));
