//! Documents and pictures that the bot makes: Markdown as a PDF, figures as a chart, Mermaid as a picture.
//!
//! ```text
//! Paper   ─ Markdown ─▶ blocks ─▶ lines ─▶ pages ─▶ PDF
//! Chart   ─▶ SVG ─▶ PNG
//! diagram ─ child process with limits ─▶ SVG ─▶ PNG
//! ```
//!
//! The same input always gives the same bytes. The fonts are built in, for a slim machine has none.

mod blocks;
mod chart;
#[cfg(feature = "consulting")]
mod child;
#[cfg(feature = "consulting")]
mod diagram;
mod fonts;
mod lines;
mod pages;
mod pdf;
mod raster;

use std::sync::Arc;
#[cfg(feature = "consulting")]
use std::{
    io,
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use tokio::{sync::Semaphore, task};

pub use self::chart::{BARS_MAX, Bar, Chart};
#[cfg(feature = "consulting")]
pub use self::{
    child::child_main,
    diagram::{DiagramError, DiagramKind, SOURCE_MAX},
};

/// A text that becomes a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paper {
    /// Stands large at the top of the first page, and in the file's properties.
    pub title: String,
    /// CommonMark with tables, strike-through and task lists. Pictures are not fetched: their address is printed, as
    /// is that of every link. HTML is printed as it is written.
    pub markdown: String,
    /// The language of the text as a tag such as `en` or `de-CH`.
    pub lang: String,
    /// Stands below the title, and in the file's properties.
    pub made_at: DateTime<Utc>,
    /// Stands at the foot of every page, beside its number.
    pub footer: Option<String>,
}

/// Longest text of a document, in bytes: a hundred pages.
pub const MARKDOWN_MAX: usize = 256 * 1024;

/// Why nothing was printed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// More than a document or picture may hold.
    #[error("this is too much for one {what}: at most {max}")]
    TooMuch {
        /// `document` or `chart`.
        what: &'static str,
        /// Such as `24 bars`.
        max: String,
    },
    /// A fault of ours; the reason is for the log.
    #[error("it could not be drawn: {0}")]
    Failed(String),
}

/// Makes documents and pictures, off the async threads and two at a time; cheap to clone.
#[derive(Debug, Clone)]
pub struct Printer {
    places: Arc<Semaphore>,
    /// Whose children draw diagrams; none to draw them here, as tests do.
    #[cfg(feature = "consulting")]
    program: Option<Arc<Path>>,
}

/// Documents and pictures in the making at once; each may take a processor and some memory.
const AT_ONCE: usize = 2;

impl Default for Printer {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(AT_ONCE)),
            #[cfg(feature = "consulting")]
            program: None,
        }
    }
}

impl Printer {
    /// Draws diagrams in children of this very program.
    #[cfg(feature = "consulting")]
    pub fn own() -> io::Result<Self> {
        std::env::current_exe().map(Self::with_program)
    }

    /// Draws diagrams in children of another program than this one, for tests.
    #[cfg(feature = "consulting")]
    pub fn with_program(program: impl Into<PathBuf>) -> Self {
        let program: PathBuf = program.into();
        Self { program: Some(program.into()), ..Self::default() }
    }

    /// Lays a text out on A4 pages. What the fonts have no shape for appears as a box, stays in the file as text, and
    /// is counted in a note at the end; nothing else of the text is ever left out.
    pub async fn pdf(&self, paper: Paper) -> Result<Vec<u8>, Error> {
        if paper.markdown.len() > MARKDOWN_MAX {
            let max = format!("{} KiB of text", MARKDOWN_MAX / 1024);
            return Err(Error::TooMuch { what: "document", max });
        }
        self.off_thread(move || pdf::write(&paper)).await
    }

    /// Draws bars as a PNG, dark on white, so that it can be read on any background.
    pub async fn chart(&self, chart: Chart) -> Result<Vec<u8>, Error> {
        if chart.bars.len() > BARS_MAX {
            let max = format!("{BARS_MAX} bars");
            return Err(Error::TooMuch { what: "chart", max });
        }
        self.off_thread(move || raster::png(&chart.svg()?)).await
    }

    /// Draws Mermaid (a flowchart, a sequence, a Gantt chart or a mind map) as a PNG on white. Takes ten seconds at most;
    /// what is wrong with the source is told with its line where that is known. Nothing in it is followed or run.
    #[cfg(feature = "consulting")]
    pub async fn diagram(&self, source: &str) -> Result<Vec<u8>, DiagramError> {
        diagram::check(source)?;
        if let Some(program) = &self.program {
            let place = self.places.acquire().await;
            let _place = place.map_err(|_| DiagramError::broken("closed"))?;
            return child::draw(program, source).await;
        }
        let source = source.to_owned();
        let drawn = self.off_thread(move || Ok(diagram::draw(&source))).await;
        drawn.map_err(|error| DiagramError::Failed(error.to_string()))?
    }

    /// Runs what takes long where it holds nobody up; a panic there is an error here.
    async fn off_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let failed = |error: &dyn std::error::Error| Error::Failed(error.to_string());
        let place =
            Arc::clone(&self.places).acquire_owned().await.map_err(|error| failed(&error))?;
        let work = move || {
            // Given back when the work is done, not when somebody stops waiting for it.
            let _place = place;
            work()
        };
        // A panic's own message could hold a piece of the text.
        task::spawn_blocking(work).await.map_err(|_| Error::Failed("it broke off".to_owned()))?
    }
}
