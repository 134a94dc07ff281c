//! JSON Schemas, compiled and cached. Compiling one takes much longer than checking a value against it, and values are
//! checked against the same few: those of tools and of a flow's data.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use jsonschema::Validator;
use serde_json::Value;

/// Most schemas in the cache; a full one is emptied, and what is needed compiled anew.
const COMPILED_MAX: usize = 256;

/// By what a schema looks like as JSON: the order of its members decides the order of complaints.
static COMPILED: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// A schema that checks formats, `period` of our own files (`2 days`) among them, compiled; of the draft that it names,
/// or 2020-12. The error says why it is none.
pub(crate) fn compile(schema: &Value) -> Result<Validator, String> {
    jsonschema::options()
        .should_validate_formats(true)
        .with_format("period", |text: &str| humantime::parse_duration(text).is_ok())
        .build(schema)
        .map_err(|error| error.to_string())
}

/// As [`compile`], from the cache where it is there.
pub(crate) fn compiled(schema: &Value) -> Result<Arc<Validator>, String> {
    let text = schema.to_string();
    if let Some(known) = COMPILED.lock().unwrap_or_else(PoisonError::into_inner).get(&text) {
        return Ok(Arc::clone(known));
    }
    let validator = Arc::new(compile(schema)?);
    let mut all = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() >= COMPILED_MAX {
        all.clear();
    }
    all.insert(text, Arc::clone(&validator));
    Ok(validator)
}
