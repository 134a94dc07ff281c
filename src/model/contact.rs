//! A contact card in the shape of the tool specification.

use serde::{Deserialize, Serialize};

/// What is known of a person's contact details.
///
/// ```json
/// { "name": { "given": "John", "family": "Doe" },
///   "email": [ { "label": "work", "value": "john@techcorp.com" } ],
///   "phone": [ { "label": "mobile", "value": "+1-555-0123" } ],
///   "organization": "TechCorp", "jobTitle": "Senior Software Engineer" }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contact {
    /// Given and family name.
    pub name: Name,
    /// E-mail addresses, best first.
    #[serde(default)]
    pub email: Vec<Labelled>,
    /// Telephone numbers, best first.
    #[serde(default)]
    pub phone: Vec<Labelled>,
    /// Postal addresses, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub address: Vec<Labelled>,
    /// Web pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub url: Vec<Labelled>,
    /// Employer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization: Option<String>,
    /// Position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_title: Option<String>,
    /// Where their clock is set, by the name of the time zone, where a platform's profile says so. It is on no card, for it
    /// is no way to reach them; it is neither stored nor shown with one.
    #[serde(skip)]
    pub time_zone: Option<String>,
}

/// A name in two parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// Given name, with what goes before and between.
    #[serde(default)]
    pub given: String,
    /// Family name, with what goes after.
    #[serde(default)]
    pub family: String,
}

/// A value with the word that says which one it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labelled {
    /// `work`, `home`, `mobile`, or what the person calls it.
    pub label: String,
    /// The value as given.
    pub value: String,
}
