//! JSON in what a model said.

use serde_json::Value;

/// The JSON object in an answer, also where words or a code fence stand around it. The error says what is wrong, in
/// words for the model.
///
/// ```
/// use anteroom::ports::llm::json::extract_object;
/// let object = extract_object("Here it is:\n```json\n{ \"found\": 7 }\n```").unwrap();
/// assert_eq!(object["found"], 7);
/// assert_eq!(extract_object("[7]").unwrap_err(), "this is JSON, but no object");
/// ```
pub fn extract_object(text: &str) -> Result<Value, String> {
    let text = text.trim();
    let fenced = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let bare = fenced.map_or(text, |rest| rest.strip_prefix("json").unwrap_or(rest).trim());
    let within = || {
        let (from, to) = (bare.find('{')?, bare.rfind('}')?);
        serde_json::from_str(bare.get(from..=to)?).ok()
    };
    match serde_json::from_str(bare) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err("this is JSON, but no object".to_owned()),
        Err(error) => within().ok_or_else(|| format!("this is not one JSON object: {error}")),
    }
}
