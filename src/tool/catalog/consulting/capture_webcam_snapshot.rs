//! `capture_webcam_snapshot`: the newest photo that the person shared from their webcam, described or looked at with a
//! question.
//!
//! ```json
//! { "analysis": "…", "capturedAt": "2026-11-22T10:30:00Z", "hasImage": true, "imageSha256": "…", "artifactId": "upload_…" }
//! ```
//!
//! In a chat there is no stream to look into: the picture is what was uploaded as `webcam_photo`.

use async_trait::async_trait;
use serde_json::Value;

use super::seeing::{self, Sight};
use crate::tool::{Tool, ToolCx, ToolResult, ToolSpec};

const SIGHT: Sight = Sight {
    tool: "capture_webcam_snapshot",
    upload_type: "webcam_photo",
    name: "photo from the webcam",
};

/// Looks at photos from webcams.
#[derive(Debug)]
pub(crate) struct CaptureWebcamSnapshot(ToolSpec);

impl Default for CaptureWebcamSnapshot {
    fn default() -> Self {
        let description = "Look at the photo that the participant shared from their webcam: a sketch, a device, a \
            whiteboard. Without `focus_prompt` it gives what was seen before; with it, it looks anew. Never for how people \
            look or feel.";
        let focus = "A question about what they hold or show, such as \"What steps are on the whiteboard?\"; never about \
            how they look or feel";
        let parameters = seeing::parameters(focus);
        Self(seeing::looks(super::spec(SIGHT.tool, description, parameters, Some("webcam"))))
    }
}

#[async_trait]
impl Tool for CaptureWebcamSnapshot {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        seeing::look(cx, SIGHT, args).await
    }
}
