//! The playground: a real gateway on loopback, for people without an account anywhere.
//!
//! The page is drawn from the session's events by pure functions ([`story`], [`render`]); nothing of a conversation
//! is kept here, so a restart changes nothing. Everything works as plain forms; the script only smooths it.

pub mod connect;
pub mod doing;
pub mod files;
pub mod guard;
pub mod limits;
pub mod markdown;
pub mod page;
pub mod parse;
pub mod places;
pub mod render;
pub mod send;
pub mod story;
pub mod texts;

mod brand;
mod closed;
mod controls;
mod effects;
mod health;
mod icons;
mod inputs;
mod live;
mod made;
mod participant;
mod reply;
mod staff;
mod staff_page;

pub use self::{
    connect::{Error, Server},
    send::WebGateway,
};
