//! What the gateways of chats share: raw JSON and signed requests that come in, the table of commands and what they come
//! to, what an update means, how an effect is delivered, what is done after an acknowledgement, what was said already and how often somebody is told something, what a card
//! shows ([`card`]), how messages look and where they stand, which effects may stand there already, how a conversation stands, its transcript in pages
//! and what was approved in it, files on their way, that the bot is at work, how its answers were rated, what stands outside for a session, what a refusal means for an effect, the priority of what is
//! delivered, and how a doctor asks.

pub mod activity;
mod background_tasks;
pub mod card;
pub mod card_lookup;
pub mod catch_up;
pub mod commands;
mod deduplicator;
pub mod delivery;
pub mod doctor;
mod downloads;
pub mod form;
pub mod handler;
pub mod message_index;
mod notice_limiter;
mod possible_duplicates;
mod post_log;
pub mod priority;
pub mod profile;
pub mod rating;
pub mod raw;
pub mod receipt;
pub mod refusal;
pub mod removal;
mod render_cache;
pub mod signed;
pub mod transcript;
mod work_indicators;

pub use self::{
    background_tasks::Afterwards,
    deduplicator::Deduplicator,
    downloads::{Fetched, NotFetched},
    notice_limiter::NoticeLimiter,
    possible_duplicates::PossibleDuplicates,
    post_log::{PostLog, Trail},
    render_cache::{Drawing, RenderCache},
    work_indicators::WorkIndicators,
};
