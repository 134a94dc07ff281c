//! The platforms, each in the same six parts: connect, parse, render, send, files, limits.

pub mod discord;
pub mod slack;
pub mod web;
