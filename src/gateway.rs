//! The platforms, each in the same six parts: connect, parse, render, send, files, limits.

pub mod slack;
pub mod web;
