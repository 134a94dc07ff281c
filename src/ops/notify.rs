//! Tells systemd how far the program is (`Type=notify`). Where nobody asked to be told, nothing happens.

use std::{io, os::unix::net::UnixDatagram};

use crate::config::Environment;

/// Whoever supervises this process.
#[derive(Debug)]
pub(super) struct Supervisor {
    socket: Option<String>,
}

impl Supervisor {
    /// The one that the environment names.
    pub(super) fn of(environment: &Environment) -> Self {
        Self { socket: environment.get("NOTIFY_SOCKET").map(str::to_owned) }
    }

    /// People can be served.
    pub(super) fn ready(&self) {
        self.tell("READY=1\nSTATUS=serving");
    }

    /// The end has begun.
    pub(super) fn stopping(&self) {
        self.tell("STOPPING=1\nSTATUS=finishing work in progress");
    }

    fn tell(&self, state: &str) {
        if let Some(socket) = &self.socket
            && let Err(error) = send(socket, state.as_bytes())
        {
            tracing::warn!(%error, "could not notify the service manager");
        }
    }
}

#[cfg(target_os = "linux")]
fn send(socket: &str, state: &[u8]) -> io::Result<()> {
    use std::os::{linux::net::SocketAddrExt as _, unix::net::SocketAddr};

    let address = match socket.strip_prefix('@') {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(socket)?,
    };
    let ours = UnixDatagram::unbound()?;
    // A supervisor that does not read must not keep the bot.
    ours.set_nonblocking(true)?;
    ours.send_to_addr(state, &address).map(drop)
}

#[cfg(not(target_os = "linux"))]
fn send(socket: &str, state: &[u8]) -> io::Result<()> {
    let ours = UnixDatagram::unbound()?;
    ours.set_nonblocking(true)?;
    ours.send_to(state, socket).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_supervisor_is_told_what_it_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notify");
        let theirs = UnixDatagram::bind(&path).unwrap();
        let socket = path.to_str().unwrap();
        let supervisor = Supervisor::of(&Environment::from([("NOTIFY_SOCKET", socket)]));
        supervisor.ready();
        supervisor.stopping();
        let received = || {
            let mut text = [0; 256];
            let length = theirs.recv(&mut text).unwrap();
            String::from_utf8(text[..length].to_vec()).unwrap()
        };
        assert!(received().starts_with("READY=1\n"));
        assert!(received().starts_with("STOPPING=1\n"));
        Supervisor::of(&Environment::default()).ready();
    }
}
