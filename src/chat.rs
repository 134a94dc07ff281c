//! What the gateways of chats share: raw JSON and signed requests that come in, the table of commands and what they come
//! to, what is done after an acknowledgement, what was said already and how often somebody is told something, how messages
//! look and where they stand, which effects may stand there already, how a conversation stands, its transcript in pages
//! and what was approved in it, files on their way, that the bot is at work, how its answers were rated, what stands outside for a session, what a refusal means for an effect, the priority of what is
//! delivered, and how a doctor asks.

mod afterwards;
pub mod cards;
pub mod catch_up;
pub mod checkup;
pub mod commands;
mod doubts;
mod drawn;
mod fetched;
mod ledger;
mod once;
pub mod priority;
pub mod profile;
pub mod rating;
pub mod raw;
pub mod receipt;
mod receipts;
pub mod refusal;
pub mod removal;
pub mod signed;
mod signs;
pub mod standing;
pub mod transcript;

pub use self::{
    afterwards::Afterwards,
    doubts::Doubts,
    drawn::{Drawing, Drawn},
    fetched::{Fetched, NotFetched},
    ledger::{Ledger, Trail},
    once::Once,
    receipts::Receipts,
    signs::Signs,
};
