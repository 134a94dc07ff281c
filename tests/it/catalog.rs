//! The tools: what the model is given, what each one asks and answers, and the pipeline around them.

pub(crate) mod bench;
mod card;
mod forms;
mod laws;
mod pipeline;
mod recruiting;
mod responses;
mod schemas;
pub(crate) mod walks;
