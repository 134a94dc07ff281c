//! Ports for programs that are started later, and again after they were killed.

use std::{
    net::TcpListener,
    process,
    sync::atomic::{AtomicU32, Ordering},
};

/// Below those that Linux gives to connections and to whoever asks for any port, so that nobody is given one of these
/// until the program starts.
const FIRST: u32 = 20_000;
const COUNT: u32 = 12_000;

/// A port of this machine that nobody listens at.
pub(crate) fn free_port() -> u16 {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    let ports = (0..COUNT).map(|_| {
        let nth = TAKEN.fetch_add(1, Ordering::Relaxed);
        u16::try_from(FIRST + (process::id().wrapping_mul(97) % COUNT + nth) % COUNT).unwrap()
    });
    let mut free = ports.filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    free.next().unwrap()
}
