//! The platforms.
pub mod web;
