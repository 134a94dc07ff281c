//! The program as people run it: a process of its own, on a real disk, with an operator beside it. It is killed, cut off,
//! filled up, asked how it is, backed up, and made to forget.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "how a test fails")]
#![expect(clippy::print_stderr, reason = "says what is missing, and what was done")]

mod forget;
#[cfg(target_os = "linux")]
mod full_disk;
mod kill;
mod operate;
mod operator;
#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "each suite needs a part of it")]
mod support;

use support::{
    bot, chance, html, laws, model_service, person, postgres, raw_database, reader, s3, skipped,
};
