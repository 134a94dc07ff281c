//! What the gateways of chats share: raw JSON and signed requests that come in, what is done after an acknowledgement,
//! who has been told how often, how messages look and where they stand, files on their way, and what waits until a
//! workspace can be reached.

mod afterwards;
pub mod cards;
mod drawn;
mod fetched;
mod put_off;
pub mod raw;
mod receipts;
pub mod signed;

pub use self::{
    afterwards::Afterwards,
    drawn::Drawn,
    fetched::{Fetched, NotFetched},
    put_off::PutOff,
    receipts::Receipts,
};
