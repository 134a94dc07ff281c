//! A written document as what the tool answers and what the participant gets: Markdown, and the same as a PDF.

use serde_json::{Map, Value, json};

use crate::{
    model::effect::Handout,
    ports::{artifacts::check::Kind, documents::Paper},
    tool::{Handed, Outcome, ToolCx, ToolResult},
};

/// A document that has passed.
#[derive(Debug, Clone)]
pub(in crate::tool::catalog::consulting) struct Document {
    /// What kind, for the file's name: `proposal`.
    pub(in crate::tool::catalog::consulting) kind: &'static str,
    /// Its title, on one line.
    pub(in crate::tool::catalog::consulting) title: String,
    /// Its text without the title.
    pub(in crate::tool::catalog::consulting) markdown: String,
    /// What else the tool answers.
    pub(in crate::tool::catalog::consulting) facts: Map<String, Value>,
}

/// What stands at the foot of each page: nobody takes a draft for an offer.
const FOOTER: &str = "Draft, written by an assistant from a conversation. Please check before use.";

/// The document as `{"title", "markdown", "format": "markdown", "pdf": {"id", "filename"}, …}`, and the PDF handed over.
/// Where it cannot be printed or kept, the Markdown alone, and the answer says so.
pub(in crate::tool::catalog::consulting) async fn handed(
    cx: &ToolCx<'_>,
    document: Document,
) -> ToolResult {
    let Document { kind, title, markdown, facts } = document;
    let lang = cx.read(|view| view.flow.flow.locale.clone());
    let paper = Paper {
        title: title.clone(),
        markdown: markdown.clone(),
        lang,
        made_at: cx.now,
        footer: Some(FOOTER.to_owned()),
    };
    let mut value = Map::new();
    value.insert("title".to_owned(), json!(title));
    value.insert("format".to_owned(), json!("markdown"));
    value.insert("markdown".to_owned(), json!(format!("# {title}\n\n{}", markdown.trim())));
    value.extend(facts);
    let name = format!("{kind}-{}.pdf", cx.now.format("%Y-%m-%d"));
    let made = match cx.services.printer.pdf(paper).await {
        // The text is written by now: a failure here would have it written once more.
        Ok(bytes) => cx.make(&name, Kind::Pdf, bytes).await.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    let file = match made {
        Ok(file) => file,
        Err(error) => {
            tracing::warn!(error, "a document is handed over without its PDF");
            value.insert("note".to_owned(), json!("the PDF could not be made; this is the text"));
            return Ok(Outcome::Immediate(Value::Object(value)));
        }
    };
    value.insert("pdf".to_owned(), json!({ "id": file.id, "filename": file.filename }));
    let text = format!("**{}**", plain(&title));
    let handed = vec![Handed { what: Handout::File { file }, text }];
    Ok(Outcome::Made { value: Value::Object(value), handed })
}

/// A title that is no markup.
fn plain(title: &str) -> String {
    title
        .chars()
        .filter(|c| !matches!(c, '*' | '_' | '`' | '[' | ']' | '<' | '>' | '\\' | '|'))
        .collect()
}
