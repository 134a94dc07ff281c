//! `anteroom healthcheck`: what a container engine or a monitor runs to learn whether the bot is ready.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    process::ExitCode,
    time::Duration,
};

use anyhow::Context as _;
use clap::Args;

use super::{
    app::{self, Wanted},
    sentence, shared_args, term,
};

/// Longest time for the whole question. Container engines wait five seconds or more.
const LIMIT: Duration = Duration::from_secs(3);

/// `healthcheck`.
#[derive(Debug, Args)]
pub(super) struct Healthcheck {
    /// Address and port of the bot (overrides the configuration, which isn't read then).
    #[arg(long, value_name = "ADDR", value_parser = shared_args::address)]
    listen: Option<SocketAddr>,
}

/// Asks `/readyz` of the bot that runs with the same configuration.
pub(super) fn healthcheck(wanted: &Wanted, asked: &Healthcheck) -> anyhow::Result<ExitCode> {
    let address = match asked.listen {
        Some(address) => address,
        None => wanted.settings()?.web.listen,
    };
    if address.port() == 0 {
        return Err(sentence(
            "the bot picks a free port on each start. hint: pass the address it printed with `--listen ADDR`",
        ));
    }
    app::block_on(ask(reachable(address)))
}

async fn ask(address: SocketAddr) -> anyhow::Result<ExitCode> {
    let client = reqwest::Client::builder()
        .timeout(LIMIT)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .context("could not create an HTTP client")?;
    let silent = |why: &str| {
        sentence(format!("no answer from `{address}`: {why}. hint: check that the bot is running"))
    };
    let answer = client.get(format!("http://{address}/readyz")).send().await.map_err(|error| {
        silent(if error.is_timeout() { "timed out" } else { "connection refused" })
    })?;
    let is_ready = answer.status().is_success();
    let status = answer.status();
    let words = answer.text().await.map_err(|_| silent("the connection was closed"))?;
    if is_ready {
        term::say(words)?;
        return Ok(ExitCode::SUCCESS);
    }
    if status == reqwest::StatusCode::SERVICE_UNAVAILABLE {
        return Err(sentence(format!("not ready: {words}")));
    }
    Err(sentence(format!(
        "`{address}` answered {status}. hint: check whether another program is listening there"
    )))
}

/// An address that means "every one of this machine" is asked on loopback.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_is_asked_on_loopback() {
        let asked = |text: &str| reachable(text.parse().unwrap()).to_string();
        assert_eq!(asked("0.0.0.0:4747"), "127.0.0.1:4747");
        assert_eq!(asked("[::]:4747"), "[::1]:4747");
        assert_eq!(asked("10.0.0.1:80"), "10.0.0.1:80");
    }
}
