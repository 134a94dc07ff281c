//! What the handlers of all pages share.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{guard::StaffKeys, places::Places, readings::Readings, waiting::WaitingList};
use crate::{
    base::telemetry::ready::Ready,
    config::{Settings, brand::Brand},
    engine::Engine,
    net::listener::Budget,
};

/// What every handler needs.
#[derive(Debug)]
pub struct App {
    /// Drives sessions.
    pub engine: Engine,
    /// What the operator decided.
    pub settings: Arc<Settings>,
    /// How the pages look.
    pub brand: Arc<Brand>,
    /// What opens the staff page.
    pub staff_keys: StaffKeys,
    /// Memory for forms with files.
    pub uploads: Budget,
    /// Memory for files that are fetched by links.
    pub downloads: Budget,
    /// Places for live connections.
    pub live: Places,
    /// Who of the staff has read what lately.
    pub readings: Readings,
    /// What waits for the team.
    pub waiting: WaitingList,
    /// Ends live connections.
    pub shutdown: CancellationToken,
    /// What else has to be ready.
    pub parts: Vec<Arc<dyn Ready>>,
}
