//! Configuration: what the operator wrote becomes what the program uses; every problem is reported at once.

pub mod brand;
pub mod consulting;
pub mod document;
pub mod environment;
mod lists;
pub mod llm;
pub mod preset;
pub mod problem;
pub mod proxy;
mod resolve;
pub mod search;
pub mod secret;
pub mod settings;
pub mod words;
pub mod written;

pub use self::{
    document::Document,
    environment::Environment,
    lists::Lists,
    problem::{Level, Problem, render},
    proxy::{Proxies, Proxy},
    resolve::default_data_dir,
    secret::Secret,
    settings::Settings,
    written::{
        Approvers, Config, ContactSource, Flows, Limits, Log, LogFormat, MacosVia, SlackRates,
        Uploads,
    },
};
