//! `extract_skills`: the skills that a text names, by a lexicon and rules. The same text gives the same skills.
//!
//! ```json
//! { "skills": ["React", "TypeScript", "Node.js"],
//!   "skillCategories": { "programming_languages": ["TypeScript"], "web_development": ["React", "Node.js"] },
//!   "confidence": "high" }
//! ```
//!
//! Skills stand in the order in which the text names them, each once and in one category; categories in the order of
//! the lexicon. [`find()`] says which names count.
//!
//! **Confidence.** A skill is *certain* if its name means nothing else (`PostgreSQL`), or if it stands in a list beside
//! such a name (`Go` in `Go, PostgreSQL`). `high`: three skills or more, of which four fifths are certain. `medium`: at
//! least half of them are. `low`: fewer, or no skill at all.

mod evidence;
pub mod find;
pub mod lexicon;
mod text;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::{
    find::{Found, find},
    lexicon::Lexicon,
};
use crate::tool::{
    EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args,
};

/// Longest text, in bytes: ten times a long document.
const TEXT_MAX: usize = 500_000;

#[derive(Debug, Deserialize)]
struct Args {
    text: String,
}

/// What a text names.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Extracted {
    /// Their names.
    pub skills: Vec<&'static str>,
    /// Their names by category.
    pub skill_categories: Map<String, Value>,
    /// How far they can be relied on.
    pub confidence: Confidence,
}

/// How far a result can be relied on; see the [module](self).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Several, nearly all beyond doubt.
    High,
    /// At least half beyond doubt.
    Medium,
    /// Few or none.
    Low,
}

impl Confidence {
    /// Skills that a result must have to be relied on.
    const ENOUGH: usize = 3;

    fn of(found: &[Found]) -> Self {
        let certain = found.iter().filter(|found| found.certain).count();
        if found.len() >= Self::ENOUGH && certain * 5 >= found.len() * 4 {
            Self::High
        } else if !found.is_empty() && certain * 2 >= found.len() {
            Self::Medium
        } else {
            Self::Low
        }
    }
}

impl Extracted {
    /// Reads a text.
    pub fn of(lexicon: &'static Lexicon, text: &str) -> Self {
        let found = find(lexicon, text);
        let mut skill_categories = Map::new();
        for (position, category) in lexicon.categories.iter().enumerate() {
            let members = found.iter().map(|found| &lexicon.skills[found.skill]);
            let members = members.filter(|skill| skill.category == position);
            let members: Vec<Value> = members.map(|skill| json!(skill.name)).collect();
            if !members.is_empty() {
                skill_categories.insert(category.id.clone(), Value::Array(members));
            }
        }
        let skills = found.iter().map(|found| lexicon.skills[found.skill].name.as_str()).collect();
        Self { skills, skill_categories, confidence: Confidence::of(&found) }
    }
}

/// Finds skills in a text.
#[derive(Debug)]
pub(crate) struct ExtractSkills(ToolSpec);

impl Default for ExtractSkills {
    fn default() -> Self {
        let description = "Extract skills deterministically from text. Give it a job description or what a \
            person wrote; it answers with the skills named there, by category.";
        let spec = ToolSpec::new("extract_skills", description, EffectClass::Pure, schema());
        Self(ToolSpec { doing: "Looking for skills…", at_once: true, ..spec })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["text"],
        "properties": {
            "text": { "type": "string", "description": "Text to extract skills from" }
        }
    })
}

#[async_trait]
impl Tool for ExtractSkills {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, _cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { text } = parse_args(args)?;
        if text.len() > TEXT_MAX {
            let message = format!("`/text`: {} bytes are too many, {TEXT_MAX} at most", text.len());
            return Err(ToolError::InvalidParameters(message));
        }
        let lexicon = Lexicon::shipped().map_err(|error| {
            ToolError::ExecutionFailed(format!("the lexicon is broken: {error}"))
        })?;
        Ok(Outcome::Immediate(json!(Extracted::of(lexicon, &text))))
    }
}
