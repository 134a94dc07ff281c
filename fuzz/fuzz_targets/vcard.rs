//! Contact cards of any version, whole or not.
#![no_main]

use anteroom::contacts::vcard;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    vcard::read(file);
});
