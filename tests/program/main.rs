//! The program as people run it: a process of its own, on a real disk, with an operator beside it. It is killed, cut off,
//! filled up, asked how it is, backed up, and made to forget.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "how a test fails")]
#![expect(clippy::print_stderr, reason = "says what is missing, and what was done")]

#[path = "../support/bot.rs"]
mod bot;
mod forget;
#[cfg(target_os = "linux")]
mod full_disk;
#[path = "../support/html.rs"]
mod html;
mod kill;
#[path = "../support/laws.rs"]
mod laws;
#[path = "../support/model_service.rs"]
#[expect(dead_code, reason = "other tests look closer at what was sent")]
mod model_service;
mod operate;
mod operator;
#[path = "../support/person.rs"]
mod person;
#[path = "../support/reader.rs"]
#[expect(dead_code, reason = "no interviewer is bad here")]
mod reader;
#[path = "../support/skipped.rs"]
mod skipped;
