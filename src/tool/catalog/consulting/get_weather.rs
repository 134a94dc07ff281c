//! `get_weather`: what the web says of the weather at a place, in Celsius. The result is that of [`super::search_web`];
//! The query is `current weather in {location} temperature in celsius degrees`.
//!
//! Pages may say Fahrenheit all the same. Such a figure is turned into Celsius here, to the whole degree, and marked as
//! converted, so that no other unit reaches anybody.

mod celsius;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use self::celsius::in_celsius;
use super::search_web::{named, searched, searching};
use crate::tool::{
    EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args,
};

/// Longest name of a place, in characters.
const PLACE_MAX: usize = 100;

#[derive(Debug, Deserialize)]
struct Args {
    location: String,
}

/// Looks for the weather.
#[derive(Debug)]
pub(crate) struct GetWeather(ToolSpec);

impl Default for GetWeather {
    fn default() -> Self {
        let description = "Search the web for the current weather at a place. Temperatures are in degrees Celsius; tell \
            them in Celsius only, with the page that gives them, and say so where none was found.";
        Self(searching(ToolSpec::new("get_weather", description, EffectClass::Pure, schema())))
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["location"],
        "properties": {
            "location": {
                "type": "string",
                "minLength": 1,
                "maxLength": PLACE_MAX,
                "description": "City or region"
            }
        }
    })
}

#[async_trait]
impl Tool for GetWeather {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { location } = parse_args(args)?;
        let location = named("location", &location, PLACE_MAX)?;
        let query = format!("current weather in {location} temperature in celsius degrees");
        let told = json!(searched(cx, query, Vec::new()).await?);
        let Value::Object(told) = told else { return Err(ToolError::Changed) };
        let mut value: Value = told
            .into_iter()
            .map(|(name, mut of)| {
                // The question is ours, and holds the place as it was given.
                if name != "query" {
                    convert(&mut of);
                }
                (name, of)
            })
            .collect();
        value["unit"] = json!("celsius");
        Ok(Outcome::Immediate(value))
    }
}

/// Converts every text in a value but addresses.
fn convert(value: &mut Value) {
    match value {
        Value::String(text) => *text = in_celsius(text),
        Value::Array(items) => items.iter_mut().for_each(convert),
        Value::Object(members) => {
            for (_, of) in members.iter_mut().filter(|(name, _)| *name != "url") {
                convert(of);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
