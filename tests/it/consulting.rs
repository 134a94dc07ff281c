//! The catalogue `consulting`: each tool by a table of cases (good, edge, hostile, a provider that is down), through the
//! pipeline, with its schema, its cache, its attempts and its capability.

mod bench;
mod cases;
mod comparing;
mod diagrams;
mod doubles;
mod engines;
mod figures;
mod guarding;
mod offers;
mod places;
mod scanning;
mod searching;
mod seeing;
mod writing;

use crate::support::{provider, scripted};

use crate::keys;
