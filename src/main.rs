//! The `anteroom` command.

use std::process::ExitCode;

use anteroom::{artifacts::extract, ops};

fn main() -> ExitCode {
    // Which cryptography TLS uses, said once for every client: with two in the graph one day, the first client to be
    // made would panic. It fails only where somebody has said so before.
    drop(rustls::crypto::ring::default_provider().install_default());
    // The same program reads documents as a child with limits; that child needs nothing of the bot.
    if let Some(code) = extract::child_main(std::env::args_os().skip(1)) {
        return code;
    }
    ops::run(std::env::args_os())
}
