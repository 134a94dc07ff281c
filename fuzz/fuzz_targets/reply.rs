//! Random input for [`anteroom_fuzz::reply`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anteroom_fuzz::reply(bytes));
