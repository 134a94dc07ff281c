//! The `anteroom` command.

use std::process::ExitCode;

use anteroom::{artifacts::extract, ops};

fn main() -> ExitCode {
    // The same program reads documents as a child with limits; that child needs nothing of the bot.
    if let Some(code) = extract::child_main(std::env::args_os().skip(1)) {
        return code;
    }
    ops::run(std::env::args_os())
}
