//! Random input for [`anteroom_fuzz::flow`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anteroom_fuzz::flow(bytes));
