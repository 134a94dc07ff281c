//! `calculate_similarity`: how alike two texts are, from 0 to 1, with a score and a word for it.
//!
//! ```json
//! { "similarity": 0.85, "score": 85, "interpretation": "high" }
//! ```
//!
//! With `[llm.embed]` it is the cosine of the two texts' vectors, and what lies below 0 counts as 0. Without it, or where
//! the service does not answer in time or answers with something that is no vector, the words are compared ([`lexical`])
//! and the result says `"method": "lexical"`: numbers of two methods cannot be compared. The similarity is rounded to four
//! decimals before the score and the word are taken from it, so that the three always agree.
//!
//! A long text is compared by pieces ([`pieces`]), since models with a small window would see its beginning only: its
//! vector is the mean of its pieces', each as heavy as it is long.
//!
//! The type of the comparison is the caller's note of what the two texts were chosen for; the number is that of the texts.

pub mod lexical;
mod pieces;

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    ports::llm::{Embedder, Error},
    tool::{
        EffectClass, Meter, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args,
    },
};

/// How long vectors are waited for; then the words are compared. Shorter than the time of an attempt.
pub const PATIENCE: Duration = Duration::from_secs(15);

/// Longest text, in bytes: ten times a long document.
const TEXT_MAX: usize = 500_000;

/// From which similarity on which word is right; below the last one, `very low`.
const BANDS: [(f64, &str); 4] =
    [(0.90, "very high"), (0.75, "high"), (0.50, "moderate"), (0.25, "low")];

#[derive(Debug, Deserialize)]
struct Args {
    text1: String,
    text2: String,
}

/// How alike two texts are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// From 0 to 1, four decimals.
    pub similarity: f64,
    /// From 0 to 100.
    pub score: u8,
    /// The word for it.
    pub interpretation: &'static str,
    /// How it was found, where that was not by vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<&'static str>,
    /// Why not, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'static str>,
}

impl Compared {
    /// The score and the word of a cosine.
    pub fn of(cosine: f64) -> Self {
        // No number counts as 0, and so does the 0 below 0.
        let cosine = if cosine > 0.0 { cosine.min(1.0) } else { 0.0 };
        let similarity = (cosine * 10_000.0).round() / 10_000.0;
        let band = BANDS.iter().find(|(from, _)| similarity >= *from);
        Self {
            similarity,
            score: percent(similarity),
            interpretation: band.map_or("very low", |(_, word)| *word),
            method: None,
            note: None,
        }
    }

    fn lexical(args: &Args, note: Option<&'static str>) -> Self {
        let cosine = lexical::cosine(&args.text1, &args.text2);
        Self { method: Some("lexical"), note, ..Self::of(cosine) }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number from 0 to 100"
)]
fn percent(similarity: f64) -> u8 {
    (similarity * 100.0).round() as u8
}

/// The cosine of two vectors; `None` if one of them points nowhere or they are of two kinds.
pub fn cosine(one: &[f32], other: &[f32]) -> Option<f64> {
    if one.len() != other.len() {
        return None;
    }
    let product = |a: &[f32], b: &[f32]| -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let length = (product(one, one) * product(other, other)).sqrt();
    let cosine = product(one, other) / length;
    cosine.is_finite().then_some(cosine)
}

/// Compares two texts.
#[derive(Debug)]
pub(crate) struct CalculateSimilarity(ToolSpec);

impl Default for CalculateSimilarity {
    fn default() -> Self {
        let description = "Calculate semantic similarity of two texts using embeddings. Pass the parts of the texts \
            that belong to the comparison, such as the requirements and what the person has done. A result with \
            `\"method\": \"lexical\"` compares words only: lower by nature, and not to be set beside others.";
        let spec = ToolSpec::new("calculate_similarity", description, EffectClass::Pure, schema());
        Self(ToolSpec { doing: "Comparing two texts…", scores_people: true, ..spec })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["text1", "text2", "comparison_type"],
        "properties": {
            "text1": { "type": "string", "description": "First text to compare" },
            "text2": { "type": "string", "description": "Second text to compare" },
            "comparison_type": {
                "type": "string",
                "enum": ["role_alignment", "technical_match", "company_fit", "growth_potential"],
                "description": "What the texts are compared for. A note: the number is that of the texts, whatever stands here"
            }
        }
    })
}

#[async_trait]
impl Tool for CalculateSimilarity {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let args: Args = parse_args(args)?;
        for (name, text) in [("text1", &args.text1), ("text2", &args.text2)] {
            let complain = |why| ToolError::InvalidParameters(format!("`/{name}`: {why}"));
            if text.trim().is_empty() {
                return Err(complain("there is no text".to_owned()));
            }
            if text.len() > TEXT_MAX {
                let why = format!("{} bytes are too many, {TEXT_MAX} at most", text.len());
                return Err(complain(why));
            }
        }
        let Some(embedder) = &cx.models.embed else {
            return Ok(Outcome::Immediate(json!(Compared::lexical(&args, None))));
        };
        let compared = by_vectors(embedder.as_ref(), cx.meter, &args).await?;
        let note = "the service that compares meanings did not answer; these are the words alone";
        let compared = compared.unwrap_or_else(|| Compared::lexical(&args, Some(note)));
        Ok(Outcome::Immediate(json!(compared)))
    }
}

/// Compares by vectors; `None` if there are none to be had. The failure is logged where it happened.
async fn by_vectors(
    embedder: &dyn Embedder,
    meter: &Meter,
    args: &Args,
) -> Result<Option<Compared>, ToolError> {
    let (one, other) = (pieces::of(&args.text1), pieces::of(&args.text2));
    let texts: Vec<String> = one.iter().chain(&other).map(|piece| (*piece).to_owned()).collect();
    let Ok(answer) = tokio::time::timeout(PATIENCE, embedder.embed(&texts)).await else {
        tracing::warn!("no vectors in time, the words are compared");
        return Ok(None);
    };
    let placed = match answer {
        Ok(placed) => placed,
        Err(Error::Overflow(_) | Error::TooLarge { .. }) => {
            let text = "the texts are too long for the model. hint: pass shorter parts of them";
            return Err(ToolError::InvalidParameters(text.to_owned()));
        }
        Err(_) => return Ok(None),
    };
    meter.add_all(placed.usage);
    if placed.vectors.len() != texts.len() {
        return Ok(None);
    }
    let (first, second) = placed.vectors.split_at(one.len());
    let means = pieces::mean(&one, first).zip(pieces::mean(&other, second));
    Ok(means.and_then(|(one, other)| cosine(&one, &other)).map(Compared::of))
}
