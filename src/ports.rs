//! Ports to the outside world and their adapters: models, web search, contacts, uploaded files, and the documents that
//! the bot makes.

pub mod artifacts;
pub mod contacts;
pub mod documents;
pub mod llm;
pub mod search;
