//! Configuration: what the operator wrote becomes what the program uses; every problem is reported at once.

pub mod brand;
mod configured;
pub mod consulting;
pub mod dialect;
pub mod environment;
mod lists;
pub mod llm;
mod load;
mod paths;
pub mod preset;
pub mod problem;
pub mod proxy;
pub mod raw;
mod resolve;
pub mod s3;
pub(crate) mod schema_errors;
pub mod search;
pub mod secret;
pub mod settings;
pub mod tenants;
pub mod toml_document;
pub mod webhook;

pub use self::{
    configured::{Configured, WorkspaceLists},
    environment::Environment,
    lists::Lists,
    problem::{Level, Problem, render},
    proxy::{Proxies, Proxy},
    raw::{
        Approvers, Config, ContactSource, Flows, Limits, Log, LogFormat, MacosVia, SlackRates,
        Uploads,
    },
    resolve::default_data_dir,
    secret::Secret,
    settings::Settings,
    tenants::{Tenant, Tenants},
    toml_document::TomlDocument,
};
