//! Arguments that several commands share.

use std::{net::SocketAddr, num::NonZeroUsize, path::PathBuf};

use clap::Args;

/// Output for programs.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Json {
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Where a command writes to.
#[derive(Debug, Clone, Args)]
pub(super) struct Output {
    /// Write to this file instead of standard output; it must not exist yet.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    pub(super) force: bool,
}

/// Reads a number of things of which there is one at least.
pub(super) fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "use a whole number from 1 on".to_owned())
}

/// Reads an address with a port.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "use an IP address and a port, for example `127.0.0.1:4747`".to_owned())
}
