//! A flow file is loaded, or its problems are told.
#![no_main]

use std::collections::BTreeMap;

use anteroom::flows::LoadedFlow;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    if let Err(problems) = LoadedFlow::load(source, "flow.toml", &BTreeMap::new()) {
        assert!(!problems.is_empty());
    }
});
