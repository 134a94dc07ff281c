//! `capture_screen_snapshot`: the newest screenshot that the person shared, described or looked at with a question.
//!
//! ```json
//! { "analysis": "…", "capturedAt": "2026-11-22T10:30:00Z", "hasImage": true, "imageSha256": "…", "artifactId": "upload_…" }
//! ```
//!
//! In a chat there is no stream to look into: the picture is what was uploaded as `screenshot`.

use async_trait::async_trait;
use serde_json::Value;

use super::seeing::{self, Sight};
use crate::tool::{Tool, ToolCx, ToolResult, ToolSpec};

const SIGHT: Sight =
    Sight { tool: "capture_screen_snapshot", upload_type: "screenshot", name: "screenshot" };

/// Looks at screenshots.
#[derive(Debug)]
pub(crate) struct CaptureScreenSnapshot(ToolSpec);

impl Default for CaptureScreenSnapshot {
    fn default() -> Self {
        let description = "Look at the screen that the participant shared as a screenshot. Without `focus_prompt` it \
            gives what was seen before; with it, it looks anew. Never for how people look or feel.";
        let focus = "A question about the screenshot, such as \"What is the error message?\"";
        let parameters = seeing::parameters(focus);
        Self(seeing::looks(super::spec(SIGHT.tool, description, parameters, Some("screenShare"))))
    }
}

#[async_trait]
impl Tool for CaptureScreenSnapshot {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        seeing::look(cx, SIGHT, args).await
    }
}
