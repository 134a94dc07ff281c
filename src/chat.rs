//! What the gateways of chats share: raw JSON and signed requests that come in, what is done after an acknowledgement,
//! who has been told how often, how messages look and where they stand, how a conversation stands, its transcript in
//! pages, files on their way, what waits until a workspace can be reached, and how a doctor asks.

mod afterwards;
pub mod cards;
pub mod catch_up;
pub mod checkup;
mod drawn;
mod fetched;
mod put_off;
pub mod raw;
mod receipts;
pub mod signed;
pub mod standing;
pub mod transcript;

pub use self::{
    afterwards::Afterwards,
    drawn::Drawn,
    fetched::{Fetched, NotFetched},
    put_off::PutOff,
    receipts::Receipts,
};
