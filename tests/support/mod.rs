//! What several suites are made of: people and their browsers, scripted models, validators, disks and networks that fail.

pub(crate) mod bot;
pub(crate) mod chromium;
pub(crate) mod delivery_table;
pub(crate) mod deployed;
pub(crate) mod dribbling;
pub(crate) mod faults;
pub(crate) mod filed;
pub(crate) mod html;
pub(crate) mod judges;
pub(crate) mod keys;
pub(crate) mod laws;
pub(crate) mod logged;
pub(crate) mod model_service;
pub(crate) mod mortal;
pub(crate) mod person;
pub(crate) mod pictured;
pub(crate) mod postgres;
pub(crate) mod provider;
pub(crate) mod proxying;
pub(crate) mod questions;
pub(crate) mod reader;
pub(crate) mod scripted;
pub(crate) mod signs;
pub(crate) mod skipped;
pub(crate) mod specification;
pub(crate) mod temperaments;
