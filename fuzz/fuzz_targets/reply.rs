//! A reply fits its question or is refused: a line of JSON with the question, then one with the reply or typed words.
#![no_main]

use anteroom::{
    interview::answer,
    model::{
        transcript::Event,
        ui::{Control, Reply},
    },
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let (question, given) = input.split_once('\n').unwrap_or((input, ""));
    drop(serde_json::from_str::<Event>(question));
    let Ok(control) = serde_json::from_str::<Control>(question) else { return };
    let reply = serde_json::from_str::<Reply>(given).ok().or_else(|| answer::read(&control, given));
    if let Some(reply) = reply {
        answer::check(&control, &reply);
        answer::describe(&control, &reply);
    }
});
