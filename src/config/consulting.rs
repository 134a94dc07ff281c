//! What the operator offers in a consulting flow, and what it costs.

use std::{collections::BTreeMap, path::PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

/// `[consulting]`: used by the tools of that name. Everything has a default but the links.
///
/// ```toml
/// [consulting]
/// owner    = "Ada Byron"
/// currency = "USD"
/// [consulting.booking]
/// consultation = "https://cal.example.org/discovery"
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Consulting {
    /// Who stands behind the offers, as drafts of letters call them.
    pub owner: Option<String>,
    /// In what money is counted: a code of three letters (ISO 4217).
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    pub currency: String,
    /// What an hour of work costs where nobody says so.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub hourly_rate: f64,
    /// The price of a workshop.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0))]
    pub workshop: f64,
    /// The price of an engagement.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0))]
    pub engagement: f64,
    /// Where a person chooses a time, by meeting type.
    pub booking: Booking,
    /// Folder with case studies, Markdown files with front matter.
    pub case_studies: Option<PathBuf>,
}

/// Where a person chooses a time: `https` addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Booking {
    /// A first talk; also what is given where the type was not said.
    pub consultation: Option<String>,
    /// A workshop.
    pub workshop: Option<String>,
    /// A talk about strategy.
    pub strategy_call: Option<String>,
}

impl Default for Consulting {
    /// The figures.
    fn default() -> Self {
        Self {
            owner: None,
            currency: "USD".to_owned(),
            hourly_rate: 50.0,
            workshop: 10_000.0,
            engagement: 80_000.0,
            booking: Booking::default(),
            case_studies: None,
        }
    }
}

impl Booking {
    /// The addresses by meeting type, those that are configured.
    pub fn links(&self) -> BTreeMap<&'static str, &str> {
        let all = [
            ("consultation", &self.consultation),
            ("workshop", &self.workshop),
            ("strategy-call", &self.strategy_call),
        ];
        all.into_iter().filter_map(|(kind, url)| Some((kind, url.as_deref()?))).collect()
    }
}
