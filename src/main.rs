//! The `anteroom` command.

use std::process::ExitCode;

#[cfg(feature = "consulting")]
use anteroom::ports::documents;
use anteroom::{base::memory, ops, ports::artifacts::extract};

fn main() -> ExitCode {
    memory::limit_heaps();
    // Which cryptography TLS uses, said once for every client: with two in the graph one day, the first client to be
    // made would panic. It fails only where somebody has said so before.
    drop(rustls::crypto::ring::default_provider().install_default());
    // The same program reads documents and draws diagrams as a child with limits; that child needs nothing of the bot.
    let args = || std::env::args_os().skip(1);
    let child = extract::child_main(args());
    #[cfg(feature = "consulting")]
    let child = child.or_else(|| documents::child_main(args()));
    if let Some(code) = child {
        return code;
    }
    ops::run(std::env::args_os())
}
