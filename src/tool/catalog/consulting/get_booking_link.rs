//! `get_booking_link`: where a person chooses a time by themselves. It never books anything.
//!
//! ```json
//! { "success": true, "data": { "url": "https://cal.example.org/discovery", "meetingType": "consultation", "note": "…" } }
//! ```
//!
//! The addresses stand in the configuration, by meeting type; the participant is handed a button that opens one.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    model::effect::Handout,
    tool::{Handed, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args},
};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    #[serde(default)]
    meeting_type: MeetingType,
}

/// What for people meet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum MeetingType {
    #[default]
    Consultation,
    Workshop,
    StrategyCall,
}

impl MeetingType {
    /// Its name in arguments and in the configuration.
    const fn name(self) -> &'static str {
        match self {
            Self::Consultation => "consultation",
            Self::Workshop => "workshop",
            Self::StrategyCall => "strategy-call",
        }
    }

    /// What the person reads.
    const fn words(self) -> &'static str {
        match self {
            Self::Consultation => "a first talk",
            Self::Workshop => "a workshop",
            Self::StrategyCall => "a strategy talk",
        }
    }
}

/// Gives the link.
#[derive(Debug)]
pub(crate) struct GetBookingLink(ToolSpec);

impl Default for GetBookingLink {
    fn default() -> Self {
        let description = "Give the person a button with which they choose a time for a meeting themselves. \
            You cannot book for them, and nothing is booked by calling this.";
        let spec = super::spec("get_booking_link", description, schema(), None);
        Self(ToolSpec { doing: "Looking up the calendar…", ..spec })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "meetingType": {
                "type": "string",
                "enum": ["consultation", "workshop", "strategy-call"],
                "description": "What the meeting is for; a consultation where it was not said"
            }
        }
    })
}

#[async_trait]
impl Tool for GetBookingLink {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { meeting_type } = parse_args(args)?;
        let links = cx.services.consulting.booking.links();
        let Some(url) = links.get(meeting_type.name()) else {
            if links.is_empty() {
                return Err(ToolError::NotConfigured("A calendar to book in"));
            }
            let known = links.keys().map(|kind| format!("`{kind}`")).collect::<Vec<_>>();
            let known = known.join(", ");
            let name = meeting_type.name();
            let message = format!("there is no calendar for `{name}`; there is one for {known}");
            return Err(ToolError::ExecutionFailed(message));
        };
        let value = json!({
            "url": url,
            "meetingType": meeting_type.name(),
            "note": "The person has the button. Nothing is booked until they choose a time.",
        });
        let handed = Handed {
            what: Handout::Link { label: "Choose a time".to_owned(), url: (*url).to_owned() },
            text: format!("You can choose a time for {} here.", meeting_type.words()),
        };
        Ok(Outcome::Made { value, handed: vec![handed] })
    }
}
