//! A node that stands by: its ports are open, and what comes in is forwarded to the active node, until it is that itself.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tokio::{task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    chat::signed,
    config::Settings,
    gateway::web,
    model::node::{Addresses, Part},
    net::{forward::Forwarder, listener::Port},
    store::nodes::Reached,
};

/// Longest time for requests that are on their way when the node is told to stop.
const STOPPING_MAX: Duration = Duration::from_secs(5);

/// Ports that are open already; empty if the bot opens them itself.
#[derive(Debug, Default)]
pub(super) struct Ports {
    /// The pages.
    pub(super) web: Option<web::Ports>,
    /// Slack's requests.
    pub(super) slack: Option<Port>,
    /// Discord's requests.
    pub(super) discord: Option<Port>,
}

/// What a node does until it is the active one. Without a database there is nothing to wait for, and it does nothing.
#[derive(Debug, Default)]
pub(super) struct Standby {
    /// Handed on to the bot.
    pub(super) ports: Ports,
    /// How nodes reach one another.
    pub(super) reached: Reached,
    /// Ends this, and what takes the ports over.
    pub(super) shutdown: CancellationToken,
    serving: JoinSet<()>,
    over: CancellationToken,
}

impl Standby {
    /// Opens the ports and begins to answer for the active node.
    pub(super) fn begin(settings: &Arc<Settings>) -> anyhow::Result<Self> {
        let mut standby = Self::default();
        let Some(database) = &settings.postgres else { return Ok(standby) };
        let active = standby.reached.active.subscribe();
        let (over, shutdown) = (standby.over.clone(), standby.shutdown.clone());
        let forwarder = Forwarder::new(active, over, shutdown.clone());
        let ports = &mut standby.ports;
        let mut own = Addresses::default();
        let mut publish = |part, address: SocketAddr| {
            if let Some(address) = published(database.node_host.as_deref(), address) {
                own = std::mem::take(&mut own).with(part, address);
            } else {
                tracing::info!(
                    %address,
                    "other nodes can't forward requests to this address. hint: name this machine with `node_host` under \
                     `[postgres]` if there are other nodes"
                );
            }
        };
        ports.web = opened_pages(settings)?;
        if let Some(web) = &mut ports.web {
            publish(Part::Web, web.page.address());
            standby.serving.spawn(web.stand_by(settings, &forwarder, &shutdown));
        }
        let slack = settings.slack.as_ref().and_then(|slack| slack.connection.as_ref()?.address());
        let discord = settings.discord.as_ref();
        let discord = discord.and_then(|discord| discord.connection.as_ref()?.address());
        for (part, address, port) in
            [(Part::Slack, slack, &mut ports.slack), (Part::Discord, discord, &mut ports.discord)]
        {
            *port = address.and_then(opened);
            if let Some(port) = port {
                publish(part, port.address());
                let forward = forwarder.of(part, port.address().ip().is_loopback());
                let serving = signed::stand_by(port, forward, &shutdown);
                standby.serving.spawn(serving);
            }
        }
        standby.reached.own = own;
        Ok(standby)
    }

    /// This node is the active one, and the bot answers at the ports: ends what is still being forwarded. `tasks` looks
    /// after the connections from now on.
    pub(super) fn end(self, tasks: &mut JoinSet<anyhow::Result<()>>) {
        let Self { mut serving, over, .. } = self;
        over.cancel();
        if !serving.is_empty() {
            tasks.spawn(async move {
                while serving.join_next().await.is_some() {}
                Ok(())
            });
        }
    }

    /// Finishes what is on its way, and takes nothing more.
    pub(super) async fn stop(&mut self) {
        self.shutdown.cancel();
        let finished =
            timeout(STOPPING_MAX, async { while self.serving.join_next().await.is_some() {} });
        if finished.await.is_err() {
            tracing::warn!("stopped with requests on their way to the active node");
        }
    }
}

/// The ports of the pages. One that somebody else has may be free once this node is the active one, as it is where two share
/// a machine; the bot tries again then.
fn opened_pages(settings: &Settings) -> anyhow::Result<Option<web::Ports>> {
    match web::Ports::bind(settings) {
        Ok(ports) => {
            let address = ports.page.address();
            tracing::info!(%address, "listening; requests are forwarded to the active node while another one is");
            Ok(Some(ports))
        }
        Err(web::Error::Bind { address, why, .. }) => {
            not_opened(address, &why);
            Ok(None)
        }
        Err(refused) => Err(refused.into()),
    }
}

fn opened(address: SocketAddr) -> Option<Port> {
    Port::bind(address).inspect_err(|error| not_opened(address, error)).ok()
}

fn not_opened(address: SocketAddr, error: &std::io::Error) {
    tracing::warn!(
        %address,
        %error,
        "this node can't listen yet, so it forwards nothing while it stands by. hint: give each node a `listen` of its own"
    );
}

/// Where other nodes reach a port: under the name of this node, or where it listens if that is one address.
fn published(host: Option<&str>, address: SocketAddr) -> Option<String> {
    match host {
        Some(host) => Some(format!("{host}:{}", address.port())),
        None => (!address.ip().is_unspecified()).then(|| address.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_nodes_read_an_address_that_leads_to_this_one() {
        let at = |host, address: &str| published(host, address.parse().unwrap());
        assert_eq!(at(None, "10.0.0.5:80").as_deref(), Some("10.0.0.5:80"));
        assert_eq!(at(None, "[fd00::5]:80").as_deref(), Some("[fd00::5]:80"));
        assert_eq!(at(None, "0.0.0.0:80"), None);
        assert_eq!(at(Some("bot-1"), "0.0.0.0:80").as_deref(), Some("bot-1:80"));
        assert_eq!(at(Some("[fd00::6]"), "127.0.0.1:1").as_deref(), Some("[fd00::6]:1"));
    }
}
