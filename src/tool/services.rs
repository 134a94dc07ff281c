//! What tools use besides the session: the web, what was said, what the operator set up.

use std::{fmt, sync::Arc};

use async_trait::async_trait;

use super::ToolError;
#[cfg(feature = "consulting")]
use crate::tool::catalog::consulting::case_studies::Cases;
use crate::{
    base::ids::SessionId,
    config::consulting::Consulting,
    model::{session::Head, transcript::Recorded},
    net::fetch::Fetcher,
    ports::{documents::Printer, search::Search},
    store::{Find, Store},
};

/// What there is; whatever is missing makes the tools that need it say that it is not configured. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Services {
    /// What is stored, to be read.
    pub past: Option<Arc<dyn Past>>,
    /// Opens addresses that somebody else chose.
    pub fetcher: Option<Arc<Fetcher>>,
    /// Makes documents and pictures.
    pub printer: Printer,
    /// Searches the web.
    pub search: Option<Arc<dyn Search>>,
    /// What the operator offers and what it costs.
    pub consulting: Arc<Consulting>,
    /// What was done for others.
    #[cfg(feature = "consulting")]
    pub cases: Option<Arc<Cases>>,
}

/// What is stored, as far as tools may read it.
#[async_trait]
pub trait Past: fmt::Debug + Send + Sync {
    /// The events of a session, oldest first; empty where there is none.
    async fn events(&self, session: SessionId) -> Result<Vec<Recorded>, ToolError>;

    /// The newest conversations at a glance, newest first, at most `most`.
    async fn newest(&self, most: usize) -> Result<Vec<Head>, ToolError>;
}

/// The store of the program, read only.
#[derive(Debug)]
pub struct Stored(pub Arc<dyn Store>);

#[async_trait]
impl Past for Stored {
    async fn events(&self, session: SessionId) -> Result<Vec<Recorded>, ToolError> {
        let loaded = self.0.load(session).await.map_err(|_| unread())?;
        Ok(loaded.map(|loaded| loaded.events).unwrap_or_default())
    }

    async fn newest(&self, most: usize) -> Result<Vec<Head>, ToolError> {
        self.0.find(Find::newest(most)).await.map_err(|_| unread())
    }
}

fn unread() -> ToolError {
    let message = "what is stored cannot be read just now".to_owned();
    ToolError::Transient { message, retry_after: None }
}
