//! The `anteroom` command.

use std::process::ExitCode;

use anteroom::artifacts::extract;

fn main() -> ExitCode {
    // Before any thread starts: the reader of documents gives up most of its memory first.
    if let Some(code) = extract::child_main(std::env::args_os().skip(1)) {
        return code;
    }
    ExitCode::SUCCESS
}
