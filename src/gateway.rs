//! The platforms, each in the same six parts: connect, parse, render, send, files, limits; and what they share.

pub mod checkup;
pub mod discord;
pub mod slack;
pub mod standing;
pub mod transcript;
pub mod web;
