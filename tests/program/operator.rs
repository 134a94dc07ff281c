//! What an operator does while the real program runs: commands that reach a running bot, backups, restores.

mod at_rest;
mod audit;
mod backup;
mod control;
mod damage;
mod dump;
mod person;
mod scrub;

use crate::{bot, html, person as visitor, skipped};
