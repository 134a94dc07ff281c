//! The playground: a real gateway on loopback, for people without an account anywhere.
//!
//! The page is drawn from the session's events by pure functions ([`timeline`], [`render`]); nothing of a conversation
//! is kept here, so a restart changes nothing. Everything works as plain forms; the script only smooths it.

pub mod activity;
pub mod connect;
pub mod conversation;
pub mod files;
pub mod guard;
pub mod limits;
pub mod markdown;
mod markup;
pub mod message;
pub mod parse;
pub mod piece;
pub mod places;
pub mod render;
pub mod send;
pub mod timeline;
pub mod view;

mod app;
mod brand;
mod closed;
mod controls;
mod download;
mod effects;
mod frame;
mod health;
mod icons;
mod inputs;
mod linked;
mod live;
mod participant;
mod participant_page;
mod produced_files;
mod readings;
mod reply;
mod staff;
mod staff_page;
mod standby;
mod waiting;

pub use self::{
    connect::{Error, Ports, Server},
    send::WebGateway,
};
