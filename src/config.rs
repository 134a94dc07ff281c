//! Configuration: what the operator wrote becomes what the program uses; every problem is reported at once.

pub mod document;
pub mod problem;
pub mod words;

pub use self::{
    document::Document,
    problem::{Level, Problem, render},
};
