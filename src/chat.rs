//! What the gateways of chats share, so that a question, a command and a delivery mean the same on every platform.
//!
//! - In: [`raw`] and [`signed`] requests; [`handler`], what an update means; [`commands`], one table for all platforms.
//! - Out: [`delivery`], how an effect leaves; [`courier`], how a platform makes each step; [`team_thread`], where it stands
//!   for the team; [`card`], what a question shows; [`form`], inputs, drafts and words; [`refusal`], what an error of the
//!   platform means for the effect.
//! - Around both: where messages stand ([`message_index`]), what all conversations of a place are told ([`announcements`]),
//!   transcripts, ratings, what is erased outside ([`removal`]), and the checks of a doctor.

pub mod activity;
pub(crate) mod announcements;
mod background_tasks;
pub mod card;
mod card_lookup;
pub(crate) mod catch_up;
pub mod commands;
pub mod courier;
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
pub mod team_thread;
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
