//! What names stand for: looked up once for each connection, and filtered there.

use std::{
    fmt, io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use async_trait::async_trait;
use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};

use super::{Error, address, blocks};

/// Who knows what a name stands for.
#[async_trait]
pub trait Names: Send + Sync + fmt::Debug {
    /// The addresses of a name, in the order in which they are to be tried.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The system's resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

#[async_trait]
impl Names for System {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        // The dot at the end keeps the system from trying the name within the network's own domain.
        let absolute = format!("{}.", name.trim_end_matches('.'));
        let found = tokio::net::lookup_host((absolute, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

/// Stands between the client and every name and number.
#[derive(Debug)]
pub(super) struct Gate {
    pub(super) names: Arc<dyn Names>,
    pub(super) taken_for_public: Vec<SocketAddr>,
}

/// A name that stands for nothing public.
#[derive(Debug, thiserror::Error)]
#[error("no public address")]
pub(super) struct NotPublic;

/// A name that nobody knows.
#[derive(Debug, thiserror::Error)]
#[error("the name cannot be looked up")]
pub(super) struct NoAnswer(#[source] Option<io::Error>);

impl Gate {
    /// Checks an address before it is asked for.
    pub(super) fn check(&self, written: &str) -> Result<Url, Error> {
        if self.taken_for_public.is_empty() {
            return address::check(written);
        }
        let url = address::check_but_for(written, |ip| self.takes(ip))?;
        let port = url.port_or_known_default().unwrap_or_default();
        if self.taken_for_public.iter().any(|taken| taken.port() == port) {
            return Ok(url);
        }
        address::check(written)
    }

    fn takes(&self, ip: IpAddr) -> bool {
        self.taken_for_public.iter().any(|taken| taken.ip() == ip)
    }

    fn public(&self, found: Vec<IpAddr>) -> Result<Addrs, NotPublic> {
        let mut found = found;
        found.retain(|ip| self.takes(*ip) || blocks::special(*ip).is_none());
        if found.is_empty() {
            return Err(NotPublic);
        }
        // The client puts the right port in place of 0.
        Ok(Box::new(found.into_iter().map(|ip| SocketAddr::new(ip, 0))))
    }
}

impl Resolve for Gate {
    fn resolve(&self, name: Name) -> Resolving {
        let gate = Self {
            names: Arc::clone(&self.names),
            taken_for_public: self.taken_for_public.clone(),
        };
        Box::pin(async move {
            match gate.names.addresses(name.as_str()).await {
                Ok(found) if found.is_empty() => Err(NoAnswer(None).into()),
                Ok(found) => Ok(gate.public(found)?),
                Err(error) => Err(NoAnswer(Some(error)).into()),
            }
        })
    }
}
