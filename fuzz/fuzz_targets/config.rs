//! Random input for [`anteroom_fuzz::config`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anteroom_fuzz::config(bytes));
