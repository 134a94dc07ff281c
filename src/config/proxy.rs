//! Proxies that connections to the outside go through, as the environment names them. Which is for which address is
//! decided by hyper-util, whose rules reqwest follows as well: one program, one answer.

use std::sync::Arc;

use axum::http::{HeaderValue, Uri};
use hyper_util::client::proxy::matcher::Matcher;

use super::{environment::Environment, secret::Secret};

/// A proxy that is spoken to plainly; what goes through it is encrypted to its other end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    /// Its name or address; an IPv6 address without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// What it is shown: `Basic …`. Doesn't print.
    pub authorization: Option<HeaderValue>,
}

/// Which proxy is for which address; none by default.
#[derive(Debug, Clone)]
pub struct Proxies {
    written: Written,
    matcher: Arc<Matcher>,
}

/// What the environment says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Written {
    /// For `https` and `wss`: `HTTPS_PROXY`, or `ALL_PROXY`.
    https: Option<Secret>,
    /// For `http` and `ws`, which lead to this machine alone: `HTTP_PROXY`, where the proxy is here as well.
    http: Option<Secret>,
    /// Hosts and networks that are reached without one: `NO_PROXY`.
    except: String,
}

impl Default for Proxies {
    fn default() -> Self {
        Written::default().into()
    }
}

impl PartialEq for Proxies {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for Proxies {}

impl From<Written> for Proxies {
    fn from(written: Written) -> Self {
        let text = |proxy: &Option<Secret>| {
            proxy.as_ref().map_or_else(String::new, |proxy| proxy.expose().to_owned())
        };
        let matcher = Matcher::builder().https(text(&written.https)).http(text(&written.http));
        let matcher = matcher.no(written.except.as_str()).build();
        Self { written, matcher: Arc::new(matcher) }
    }
}

impl Proxies {
    /// Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, or the same in small letters. The error names the
    /// variable that holds no proxy, and never what it holds.
    pub fn of(environment: &Environment) -> Result<Self, &'static str> {
        let https = named(environment, &["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])?;
        let http = named(environment, &["HTTP_PROXY", "http_proxy"])?;
        let http = http.filter(|(_, proxy)| proxy.is_here());
        let except = ["NO_PROXY", "no_proxy"].iter().find_map(|name| environment.get(name));
        // `*.example.com` is not one of curl's forms, but people write it.
        let except = except.unwrap_or_default().split(',').map(|host| {
            let host = host.trim();
            host.strip_prefix("*.").unwrap_or(host).to_lowercase()
        });
        let except = except.collect::<Vec<_>>().join(",");
        let (https, http) = (https.map(|(text, _)| text), http.map(|(text, _)| text));
        Ok(Written { https, http, except }.into())
    }

    /// The proxy for an address, `https://…` or `http://…`; `None` if it is reached without one.
    pub fn to(&self, address: &Uri) -> Option<Proxy> {
        Proxy::of(&self.matcher, address)
    }

    /// Whether no proxy is set at all.
    pub const fn is_empty(&self) -> bool {
        self.written.https.is_none() && self.written.http.is_none()
    }
}

impl Proxy {
    /// `http://proxy.example:3128`, `http://name:password@proxy.example:3128`, `proxy.example:3128`.
    fn parse(text: &str) -> Option<Self> {
        Self::of(&Matcher::builder().https(text).build(), &Uri::from_static("https://a.example"))
    }

    fn of(matcher: &Matcher, address: &Uri) -> Option<Self> {
        let found = matcher.intercept(address)?;
        let uri = found.uri();
        let host = uri.host()?.trim_matches(['[', ']']).to_owned();
        let is_plain = uri.scheme_str() == Some("http") && !host.is_empty();
        let (port, authorization) = (uri.port_u16().unwrap_or(80), found.basic_auth().cloned());
        is_plain.then_some(Self { host, port, authorization })
    }

    /// Whether it runs on this machine.
    fn is_here(&self) -> bool {
        let ip = self.host.parse::<std::net::IpAddr>();
        self.host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback())
    }
}

/// The proxy in the first of these variables that is set, as it is written and as it is understood.
fn named(
    environment: &Environment,
    names: &[&'static str],
) -> Result<Option<(Secret, Proxy)>, &'static str> {
    let set = |name: &&'static str| Some((*name, environment.get(name)?));
    let Some((name, text)) = names.iter().find_map(set) else { return Ok(None) };
    let proxy = Proxy::parse(text).ok_or(name)?;
    Ok(Some((Secret::new(text.to_owned()), proxy)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<const N: usize>(variables: [(&str, &str); N]) -> Result<Proxies, &'static str> {
        Proxies::of(&Environment::from(variables))
    }

    /// The host of the proxy for an address.
    fn to(proxies: &Proxies, address: &str) -> Option<String> {
        proxies.to(&address.parse().unwrap()).map(|proxy| proxy.host)
    }

    #[test]
    fn the_environment_names_proxies_and_exceptions() {
        let proxies = of([
            ("HTTPS_PROXY", "http://ada:p%40ss@proxy.example:3128"),
            ("NO_PROXY", "localhost, .internal.example,*.lan.example,10.0.0.0/8,fd00::/8"),
        ]);
        let proxies = proxies.unwrap();
        let proxy = proxies.to(&Uri::from_static("https://wss-primary.slack.com")).unwrap();
        assert_eq!((proxy.host.as_str(), proxy.port), ("proxy.example", 3128));
        assert_eq!(proxy.authorization.as_ref().unwrap(), "Basic YWRhOnBAc3M=");
        let printed = format!("{proxies:?} {proxy:?}");
        assert!(!printed.contains("p@ss") && !printed.contains("YWRh"), "{printed}");
        assert_eq!(to(&proxies, "http://slack.com"), None, "nothing plain goes out");
        for host in [
            "localhost",
            "a.internal.example",
            "INTERNAL.example",
            "printer.lan.example:8443",
            "10.1.2.3",
            "[fd12::1]:9000",
        ] {
            assert_eq!(to(&proxies, &format!("https://{host}/")), None, "{host}");
        }
        for host in ["notinternal.example", "11.0.0.1", "[2001:db8::1]"] {
            assert!(to(&proxies, &format!("https://{host}/")).is_some(), "{host}");
        }
        let none = of([("https_proxy", "proxy:8080"), ("no_proxy", "*")]).unwrap();
        assert_eq!(to(&none, "https://a.example"), None);
    }

    #[test]
    fn a_variable_that_reqwest_prefers_is_preferred_here() {
        let both = of([("HTTPS_PROXY", "one:1"), ("https_proxy", "two:2"), ("ALL_PROXY", "all:3")]);
        assert_eq!(to(&both.unwrap(), "https://a.example").as_deref(), Some("one"));
        let all = of([("ALL_PROXY", "http://[::1]:3")]).unwrap();
        assert_eq!(to(&all, "https://a.example").as_deref(), Some("::1"));
    }

    #[test]
    fn what_is_no_proxy_is_named_without_its_password() {
        assert_eq!(of([("HTTPS_PROXY", "socks5://ada:secret@proxy:1080")]), Err("HTTPS_PROXY"));
        assert_eq!(of([("https_proxy", "http://")]), Err("https_proxy"));
        assert_eq!(of([("ALL_PROXY", "socks5h://proxy:1080")]), Err("ALL_PROXY"));
        assert!(of([]).unwrap().is_empty());
        let elsewhere = of([("HTTP_PROXY", "http://elsewhere:3128")]).unwrap();
        assert!(elsewhere.is_empty(), "tokens stay here");
        let here = of([("HTTP_PROXY", "http://127.0.0.1:3128")]).unwrap();
        assert!(to(&here, "http://127.0.0.1").is_some());
    }
}
