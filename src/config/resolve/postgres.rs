//! The database of several nodes.

use std::{net::IpAddr, path::PathBuf, time::Duration};

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::{Resolve, Secrets};
use crate::config::{
    raw,
    secret::{self, Secret},
    settings::{Postgres, PostgresAccess},
};

/// Bytes of the key.
const KEY: usize = 32;

/// How long a lease may last: shorter ones end by themselves where a machine is busy.
const LEASE: std::ops::RangeInclusive<Duration> = Duration::from_secs(2)..=Duration::from_mins(5);

/// How long it lasts where nobody says otherwise.
const USUAL_LEASE: Duration = Duration::from_secs(10);

impl Resolve<'_> {
    pub(super) fn postgres(&mut self, written: &raw::Postgres) -> Postgres {
        let lease = written.lease.map_or(USUAL_LEASE, |period| period.0);
        if !LEASE.contains(&lease) {
            let message = "the lease must last between 2 seconds and 5 minutes";
            self.tell("/postgres/lease", message, None);
        }
        let (url, key) = (("url_env", "url_file"), ("key_env", "key_file"));
        let written_url = (&written.url_env, &written.url_file);
        let url = self.needed("/postgres", url, written_url, "no address for the database");
        let written_key = (&written.key_env, &written.key_file);
        let key = self.needed("/postgres", key, written_key, "no key to seal the data with");
        let key = key.and_then(|key| {
            let bytes = bytes(&key);
            if bytes.is_none() {
                let hint = "use 32 bytes in base64, for example from `openssl rand -base64 32`";
                self.tell(
                    "/postgres",
                    "the key to seal the data with is invalid",
                    Some(hint.to_owned()),
                );
            }
            bytes.map(|_| key)
        });
        let access = url.zip(key).map(|(url, key)| PostgresAccess { url, key });
        let node_host = written.node_host.as_deref().and_then(|host| self.node_host(host));
        Postgres { access, node: written.node.clone(), node_host, lease }
    }

    /// A secret that data is reached with. It is looked up even where others are not, as commands open the data; those that
    /// need no data need no secret either.
    pub(super) fn needed(
        &mut self,
        pointer: &str,
        keys: (&'static str, &'static str),
        (variable, file): (&Option<String>, &Option<PathBuf>),
        missing: &str,
    ) -> Option<Secret> {
        match secret::read(keys, variable.as_deref(), file.as_deref(), self.environment) {
            Ok(Some(secret)) => return Some(secret),
            _ if self.secrets == Secrets::Ignore => {}
            Ok(None) => {
                let hint = format!("set `{}` or `{}`", keys.0, keys.1);
                self.tell(pointer, missing, Some(hint));
            }
            Err(unread) => {
                self.tell(&format!("{pointer}/{}", unread.key), unread.message, unread.hint);
            }
        }
        None
    }

    /// As it stands in an address, so with brackets around an IPv6 address.
    fn node_host(&mut self, written: &str) -> Option<String> {
        let host = match written.parse::<IpAddr>() {
            Ok(ip) if ip.is_unspecified() => None,
            Ok(IpAddr::V6(ip)) => Some(format!("[{ip}]")),
            Ok(IpAddr::V4(ip)) => Some(ip.to_string()),
            Err(_) => is_name(written).then(|| written.to_owned()),
        };
        if host.is_none() {
            let message = format!("`{written}` is not a host that other nodes can reach");
            let hint = "write a host name or an IP address without scheme and port, for example `10.0.0.5`; the ports \
                        are those of `listen`";
            self.tell("/postgres/node_host", message, Some(hint.to_owned()));
        }
        host
    }
}

/// Longest host name (RFC 1035).
const NAME_MAX: usize = 253;

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !text.is_empty() && text.len() <= NAME_MAX && text.chars().all(is_part)
}

impl PostgresAccess {
    /// The key, which was checked when it was read.
    pub fn key(&self) -> Option<[u8; KEY]> {
        bytes(&self.key)
    }
}

fn bytes(key: &Secret) -> Option<[u8; KEY]> {
    BASE64_STANDARD.decode(key.expose()).ok()?.try_into().ok()
}
