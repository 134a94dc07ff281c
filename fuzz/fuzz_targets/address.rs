//! Random input for [`anteroom_fuzz::address`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anteroom_fuzz::address(bytes));
