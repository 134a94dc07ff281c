//! Random input for the door that the environment's `DOOR` names: one program for all, for it takes long to link.
#![no_main]

use std::{env, sync::OnceLock};

use anteroom_fuzz::DOORS;

static DOOR: OnceLock<fn(&[u8])> = OnceLock::new();

libfuzzer_sys::fuzz_target!(
    init: {
        let name = env::var("DOOR").unwrap_or_default();
        let door = DOORS.iter().find(|(known, _)| *known == name);
        let Some((_, door)) = door else {
            panic!("no door named {name:?}; hint: set DOOR to one of {:?}", DOORS.map(|(known, _)| known));
        };
        DOOR.get_or_init(|| *door);
    },
    |bytes: &[u8]| DOOR.get().expect("it was set before any input")(bytes)
);
