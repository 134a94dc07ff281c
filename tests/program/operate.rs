//! The real program as an operator meets it: its health, its metrics, its log, and how it stops.

mod bucket;
mod cells;
mod cluster;
mod crowd;
mod deliveries;
mod failover;
mod faults;
mod health;
mod line;
mod logs;
mod metrics;
mod moves;
mod nodes;
mod patroni;
mod program;
mod reloads;
mod stops;

use crate::html;
