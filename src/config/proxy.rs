//! Proxies that connections to the outside go through, as the environment names them.

use super::{environment::Environment, secret::Secret};

/// A proxy that is spoken to plainly; what goes through it is encrypted to its other end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    /// Its name or address; an IPv6 address without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// What it is shown: `name:password`.
    pub credentials: Option<Secret>,
}

/// Which proxy is for which address; none by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// For `https` and `wss`: `HTTPS_PROXY`.
    https: Option<Proxy>,
    /// For `http` and `ws`, which lead to this machine alone: `HTTP_PROXY`, where the proxy is here as well.
    http: Option<Proxy>,
    /// Hosts that are reached without one: `NO_PROXY`.
    not_for: Vec<String>,
}

impl Proxies {
    /// Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, or the same in small letters, which come first. The error names
    /// the variable that holds no proxy, and never what it holds.
    pub fn of(environment: &Environment) -> Result<Self, &'static str> {
        let read = |names: [&'static str; 2]| match names.iter().find_map(|name| {
            let value = environment.get(name)?;
            Some((*name, value))
        }) {
            None => Ok(None),
            Some((name, value)) => Proxy::parse(value).map(Some).ok_or(name),
        };
        let except = ["no_proxy", "NO_PROXY"].iter().find_map(|name| environment.get(name));
        let except = except.unwrap_or_default().split(',').map(|host| host.trim().to_lowercase());
        let http = read(["http_proxy", "HTTP_PROXY"])?;
        Ok(Self {
            https: read(["https_proxy", "HTTPS_PROXY"])?,
            http: http.filter(Proxy::is_here),
            not_for: except.filter(|host| !host.is_empty()).collect(),
        })
    }

    /// The proxy for a host; none where it is reached without one.
    pub fn to(&self, is_encrypted: bool, host: &str) -> Option<&Proxy> {
        let proxy = if is_encrypted { &self.https } else { &self.http };
        let host = host.trim_matches(['[', ']']).to_lowercase();
        let is_excepted = self.not_for.iter().any(|except| {
            let except = except.trim_start_matches("*.").trim_start_matches('.');
            let above = host.strip_suffix(except);
            except == "*" || above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
        });
        proxy.as_ref().filter(|_| !is_excepted)
    }

    /// Whether there is none at all.
    pub fn is_empty(&self) -> bool {
        self.https.is_none() && self.http.is_none()
    }
}

impl Proxy {
    /// `http://proxy.example:3128`, `http://name:password@proxy.example:3128`, `proxy.example:3128`.
    fn parse(text: &str) -> Option<Self> {
        let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let url = reqwest::Url::parse(&whole).ok()?;
        let host = url.host_str()?.trim_matches(['[', ']']).to_owned();
        let credentials = (!url.username().is_empty()).then(|| {
            let password = url.password().unwrap_or_default();
            Secret::new(format!("{}:{}", decoded(url.username()), decoded(password)))
        });
        let port = url.port_or_known_default()?;
        (url.scheme() == "http").then_some(Self { host, port, credentials })
    }

    /// Whether it runs on this machine.
    fn is_here(&self) -> bool {
        let ip = self.host.parse::<std::net::IpAddr>();
        self.host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback())
    }
}

/// `%40` as `@`.
fn decoded(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let byte = piece.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(b'%'));
        bytes.extend_from_slice(&piece.as_bytes()[if byte.is_some() { 2 } else { 0 }..]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<const N: usize>(variables: [(&str, &str); N]) -> Result<Proxies, &'static str> {
        Proxies::of(&Environment::from(variables))
    }

    #[test]
    fn the_environment_names_proxies_and_exceptions() {
        let proxies = of([
            ("HTTPS_PROXY", "http://ada:p%40ss@proxy.example:3128"),
            ("NO_PROXY", "localhost, .internal.example,10.0.0.1"),
        ]);
        let proxies = proxies.unwrap();
        let proxy = proxies.to(true, "wss-primary.slack.com").unwrap();
        assert_eq!((proxy.host.as_str(), proxy.port), ("proxy.example", 3128));
        assert_eq!(proxy.credentials.as_ref().unwrap().expose(), "ada:p@ss");
        assert!(!format!("{proxies:?}").contains("p@ss"));
        assert_eq!(proxies.to(false, "slack.com"), None, "nothing plain goes out");
        for host in ["localhost", "a.internal.example", "INTERNAL.example", "10.0.0.1"] {
            assert_eq!(proxies.to(true, host), None, "{host}");
        }
        assert!(proxies.to(true, "notinternal.example").is_some());
        assert_eq!(
            of([("https_proxy", "proxy:8080"), ("no_proxy", "*")]).unwrap().to(true, "a"),
            None
        );
    }

    #[test]
    fn what_is_no_proxy_is_named_without_its_password() {
        assert_eq!(of([("HTTPS_PROXY", "socks5://ada:secret@proxy:1080")]), Err("HTTPS_PROXY"));
        assert_eq!(of([("https_proxy", "http://")]), Err("https_proxy"));
        assert!(of([]).unwrap().is_empty());
        assert!(
            of([("HTTP_PROXY", "http://elsewhere:3128")]).unwrap().is_empty(),
            "tokens stay here"
        );
        assert!(
            of([("HTTP_PROXY", "http://127.0.0.1:3128")]).unwrap().to(false, "127.0.0.1").is_some()
        );
    }
}
