//! An answer with vectors.

use serde::Deserialize;
use serde_json::Value;

use super::failure;
use crate::{
    model::usage::Usage,
    ports::llm::error::{Error, Fault},
};

#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    data: Vec<Row>,
    #[serde(default)]
    usage: Option<Told>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Row {
    #[serde(default)]
    index: Option<usize>,
    embedding: Vec<f32>,
}

#[derive(Debug, Deserialize)]
struct Told {
    #[serde(default)]
    prompt_tokens: Option<u64>,
}

/// Reads `count` vectors in the order of their texts.
pub(super) fn read(bytes: &[u8], count: usize) -> Result<(Vec<Vec<f32>>, Usage), Error> {
    let answer: Answer = serde_json::from_slice(bytes).map_err(|error| {
        Error::BadAnswer(if error.is_data() { Fault::Shape } else { Fault::Json })
    })?;
    if let Some(error) = answer.error {
        return Err(failure::in_answer(&error));
    }
    let mut vectors = vec![Vec::new(); count];
    for (place, row) in answer.data.into_iter().enumerate() {
        let usable =
            !row.embedding.is_empty() && row.embedding.iter().all(|value| value.is_finite());
        match vectors.get_mut(row.index.unwrap_or(place)) {
            Some(vector) if usable && vector.is_empty() => *vector = row.embedding,
            Some(_) | None => return Err(Error::BadAnswer(Fault::Vectors)),
        }
    }
    let length = vectors.first().map_or(0, Vec::len);
    if vectors.iter().any(|vector| vector.is_empty() || vector.len() != length) {
        return Err(Error::BadAnswer(Fault::Vectors));
    }
    let input = answer.usage.and_then(|usage| usage.prompt_tokens).unwrap_or_default();
    Ok((vectors, Usage { input, calls: 1, ..Usage::default() }))
}
