//! Random input for [`anteroom_fuzz::stream`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anteroom_fuzz::stream(bytes));
