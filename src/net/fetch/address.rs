//! Reads an address, without asking anybody.

use std::net::IpAddr;

use reqwest::Url;

use super::{Error, blocks};

/// Longest address, as it was given and normalised, in bytes.
const LENGTH_MAX: usize = 2_048;

/// Where websites are expected. On other ports listen mail servers, databases and the like, to which a request can
/// be a command.
const PORTS: [u16; 4] = [80, 443, 8080, 8443];

/// Last parts of names that are for one machine or one network (RFC 6761, 6762, 7686, 8375, 9476; ICANN's
/// `internal`), and some that networks have given themselves.
const PRIVATE: [&str; 22] = [
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "intern",
    "private",
    "corp",
    "home",
    "lan",
    "localnet",
    "domain",
    "host",
    "workgroup",
    "arpa",
    "alt",
    "onion",
    "test",
    "invalid",
    "example",
    "svc",
    "consul",
];

/// Reads an address as browsers do and says whether it may be asked for, as far as that can be seen from it: for the
/// web, without credentials, on a usual port, not to a private network. Odd spellings of numbers and names are
/// normalised first. What a name stands for is not known here.
///
/// ```
/// use anteroom::net::fetch::{self, Error};
/// assert_eq!(fetch::check("https://example.org").unwrap().as_str(), "https://example.org/");
/// assert_eq!(fetch::check("http://0x7f.1/"), Err(Error::NotPublic));
/// ```
pub fn check(address: &str) -> Result<Url, Error> {
    let url = check_but_for(address, |_| false)?;
    if !PORTS.contains(&url.port_or_known_default().unwrap_or_default()) {
        return Err(Error::Port);
    }
    Ok(url)
}

/// All but the port, taking the addresses that `known` says for public.
pub(super) fn check_but_for(address: &str, known: impl Fn(IpAddr) -> bool) -> Result<Url, Error> {
    if address.len() > LENGTH_MAX {
        return Err(Error::Address);
    }
    let url = Url::parse(address.trim()).map_err(|_| Error::Address)?;
    // Percent signs and punycode lengthen an address, and the normalised one is checked again at a redirect.
    if url.as_str().len() > LENGTH_MAX {
        return Err(Error::Address);
    }
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Error::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Error::Credentials);
    }
    match literal(&url) {
        Some(ip) if known(ip) || blocks::special(ip).is_none() => Ok(url),
        Some(_) => Err(Error::NotPublic),
        None => match url.domain() {
            Some(name) if is_private(name) => Err(Error::NotPublic),
            Some(_) => Ok(url),
            None => Err(Error::Address),
        },
    }
}

/// The number that stands in place of a name.
fn literal(url: &Url) -> Option<IpAddr> {
    let host = url.host_str()?;
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host).parse().ok()
}

/// Whether a name is one that only a private network knows: by its last part, or because it has no other. One that is
/// a number but for the dots behind it counts as well: what a resolver makes of it is not known.
fn is_private(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    match name.rsplit_once('.') {
        None => true,
        Some(_) if name.parse::<IpAddr>().is_ok() => true,
        Some((_, last)) => PRIVATE.contains(&last),
    }
}
