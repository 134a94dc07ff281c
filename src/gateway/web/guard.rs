//! Who may talk to the page: names of this host, same origin, a token in every form, and what browsers are told.
//! Pure but for the making of a cookie.

use std::sync::Arc;

use axum::http::{
    HeaderMap, HeaderValue,
    header::{self, HeaderName},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::limits;
use crate::{
    config::{Secret, Settings, Tenant},
    model::{audit::hex, session::PersonId, text},
};

/// Cookie with the browser's own random token. It is the only proof of who a participant is, so it is never stored.
const BROWSER: &str = "anteroom";
/// Cookie that says the staff key was shown.
const STAFF: &str = "anteroom_staff";
/// Cookie with the name under which a staff member acts.
const NAME: &str = "anteroom_name";

/// A browser, by its random token.
#[derive(Clone, PartialEq, Eq)]
pub struct Browser {
    token: String,
}

impl std::fmt::Debug for Browser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Browser(***)")
    }
}

impl Browser {
    /// The browser that sent these headers; `None` if it has no cookie of ours yet.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let token = cookie(headers, BROWSER)?;
        let fits = token.len() == 64 && token.bytes().all(|b| b.is_ascii_hexdigit());
        fits.then(|| Self { token: token.to_owned() })
    }

    /// A browser that is here for the first time: 244 random bits.
    pub fn fresh() -> Self {
        Self { token: format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple()) }
    }

    /// The participant who sits at it.
    pub fn person(&self) -> PersonId {
        PersonId::web(&self.digest("person")[..32])
    }

    /// The staff member who sits at it: one of a tenant's, or one of the operator's.
    pub fn staff(&self, tenant: Option<&Tenant>) -> PersonId {
        let person = PersonId::web(format!("staff-{}", &self.digest("staff")[..16]));
        match tenant {
            Some(tenant) => PersonId { workspace: tenant.name.clone(), ..person },
            None => person,
        }
    }

    /// What every form of this browser must carry.
    pub fn csrf(&self) -> String {
        self.digest("csrf")
    }

    /// Whether a form came from a page that we made for this browser.
    pub fn made(&self, csrf: &str) -> bool {
        self.csrf().as_bytes().ct_eq(csrf.as_bytes()).into()
    }

    /// The header that gives the browser its token.
    pub fn cookie(&self) -> HeaderValue {
        set_cookie(BROWSER, &self.token)
    }

    fn digest(&self, purpose: &str) -> String {
        digest(purpose, &self.token)
    }
}

fn digest(purpose: &str, secret: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(b"anteroom web v1 ");
    hasher.update(purpose.as_bytes());
    hasher.update([0]);
    hasher.update(secret.as_bytes());
    hex(&hasher.finalize())
}

/// Whose conversations the staff page shows.
#[derive(Debug, Clone)]
pub enum StaffScope {
    /// Everybody's.
    Operator,
    /// Those of one tenant.
    Tenant(Arc<Tenant>),
}

impl StaffScope {
    /// The tenant, where it is one's.
    pub fn tenant(&self) -> Option<&Tenant> {
        match self {
            Self::Operator => None,
            Self::Tenant(tenant) => Some(tenant),
        }
    }
}

/// The keys of the staff page, as digests, so that a comparison tells nothing about their length either.
#[derive(Debug, Clone)]
pub struct StaffKeys {
    /// The operator's; `None`: everyone on this machine may.
    operator: Option<String>,
    tenants: Vec<(String, Arc<Tenant>)>,
}

impl StaffKeys {
    /// Those of the configuration.
    pub fn of(settings: &Settings) -> Self {
        let digest = |key: &Secret| digest("staff key", key.expose());
        let tenants = settings.tenants.iter();
        Self {
            operator: settings.web.staff_key.as_ref().map(digest),
            tenants: tenants
                .filter_map(|tenant| Some((digest(tenant.staff_key.as_ref()?), Arc::clone(tenant))))
                .collect(),
        }
    }

    /// Whether there is one to be shown.
    pub(crate) const fn is_needed(&self) -> bool {
        self.operator.is_some()
    }

    /// The header that remembers a key, as a digest that opens nothing else; `None` if the key opens nothing.
    pub fn cookie(&self, given: &str) -> Option<HeaderValue> {
        let digest = digest("staff key", given);
        self.opened(&digest).map(|_| set_cookie(STAFF, &digest))
    }

    /// What the key opens that the browser has shown before; everything where no key is needed.
    pub fn scope(&self, headers: &HeaderMap) -> Option<StaffScope> {
        if !self.is_needed() {
            return Some(StaffScope::Operator);
        }
        self.opened(cookie(headers, STAFF)?)
    }

    fn opened(&self, digest: &str) -> Option<StaffScope> {
        let is_it = |known: &str| bool::from(known.as_bytes().ct_eq(digest.as_bytes()));
        // Every one is compared, so that the time tells nothing.
        let opens = |found: Option<StaffScope>, (known, tenant): &(String, Arc<Tenant>)| {
            is_it(known).then(|| StaffScope::Tenant(Arc::clone(tenant))).or(found)
        };
        let operator = self.operator.as_deref().is_some_and(is_it).then_some(StaffScope::Operator);
        self.tenants.iter().fold(operator, opens)
    }
}

/// The header that remembers a staff member's name.
pub(crate) fn name_cookie(name: &str) -> HeaderValue {
    set_cookie(NAME, &URL_SAFE_NO_PAD.encode(name))
}

/// The name under which a staff member acts.
pub(crate) fn staff_name(headers: &HeaderMap) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(cookie(headers, NAME)?).ok()?;
    String::from_utf8(bytes).ok().and_then(|name| tidy_name(&name))
}

/// A name as it may stand beside a decision: one line, nothing that steers, not too long.
pub fn tidy_name(name: &str) -> Option<String> {
    let clean: String = name.chars().filter(|c| !c.is_control() && !text::steers(*c)).collect();
    let clean: String = clean.trim().chars().take(limits::NAME_MAX).collect();
    (!clean.is_empty()).then_some(clean)
}

/// `Lax`, so that who comes back over a link in a mail or a chat is known: with `Strict` the browser would leave the cookie
/// out, be given another one, and have lost its conversations. Forms are guarded by a token of their own.
fn set_cookie(name: &str, value: &str) -> HeaderValue {
    let age = limits::COOKIE_SECONDS;
    let text = format!("{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax");
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""))
}

/// Has the browser send our cookies over encrypted connections alone, as it received them over one.
pub(super) fn keep_encrypted(headers: &mut HeaderMap) {
    let ours: Vec<HeaderValue> = headers.get_all(header::SET_COOKIE).iter().cloned().collect();
    headers.remove(header::SET_COOKIE);
    for cookie in ours {
        let secure = [cookie.as_bytes(), b"; Secure"].concat();
        headers.append(header::SET_COOKIE, HeaderValue::from_bytes(&secure).unwrap_or(cookie));
    }
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    pairs
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

/// Whether the `Host` header names this machine: a foreign name that was made to resolve to loopback (DNS rebinding)
/// does not. With `remote` the operator's own names are not known here, so every name counts.
pub fn is_our_host(headers: &HeaderMap, remote: bool) -> bool {
    let Some(name) = host(headers) else { return false };
    let is_loopback = name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    remote || is_loopback || name.eq_ignore_ascii_case("localhost")
}

/// Whether the `Host` header names the host of this address, on whatever port.
pub(crate) fn is_host_of(headers: &HeaderMap, url: &str) -> bool {
    let url = reqwest::Url::parse(url).ok();
    let expected = url.as_ref().and_then(reqwest::Url::host_str);
    let expected = expected.map(|name| name.trim_matches(['[', ']']));
    host(headers).zip(expected).is_some_and(|(name, url)| name.eq_ignore_ascii_case(url))
}

/// The name in the `Host` header, without a port.
fn host(headers: &HeaderMap) -> Option<&str> {
    let host = headers.get(header::HOST)?.to_str().ok()?;
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None => host.split(':').next(),
    }
}

/// Whether a form was sent by one of our own pages, as far as the browser says.
pub(crate) fn is_same_origin(headers: &HeaderMap) -> bool {
    let text =
        |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let site = HeaderName::from_static("sec-fetch-site");
    if text(&site).is_some_and(|site| site != "same-origin") {
        return false;
    }
    match (text(&header::ORIGIN), text(&header::HOST)) {
        (None, _) => true,
        (Some(origin), Some(host)) => {
            let authority = origin.split_once("://").map(|(_, authority)| authority);
            authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
        }
        (Some(_), None) => false,
    }
}

/// What browsers are told with every answer.
pub(crate) fn harden(headers: &mut HeaderMap) {
    const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
        form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    let told = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        // `no-referrer` would make browsers send `Origin: null` with our own forms; this tells other sites as little.
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ];
    for (name, value) in told {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
