//! `get_location`: where the participant is, as far as they said so themselves.
//!
//! 1. What they shared: the newest record `location` (`city`, `country`, `latitude`, `longitude`, whichever there are), else
//!    what they answered to a step `location` (`Berlin, Germany`). A city with its country that is the principal one of a
//!    time zone gets its coordinates from the zone table, and `precision` says so; of any other one they are `null`, for
//!    nobody is looked up, and a country that nobody named is not guessed.
//! 2. Else the time zone of their profile on the platform, as its principal city: `Europe/Berlin` is set in Berlin and in
//!    Hamburg, so `precision` says whose place that is.
//!
//! ```json
//! { "latitude": 52.5, "longitude": 13.3667, "city": "Berlin", "country": "Germany",
//!   "precision": "time zone: principal city, not the person's own place", "source": "profile", "timeZone": "Europe/Berlin" }
//! ```
//!
//! Addresses of the network are never looked up. Where nothing is known, the call fails and says how to ask.

use async_trait::async_trait;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    ports::contacts::{Fetched, Wanted},
    session::{
        State,
        time_zones::{self, Place},
    },
    tool::{Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec},
};

/// The record, or the step, that holds where somebody is.
const LOCATION: &str = "location";

/// The contact source that is the platform itself.
const PROFILE: &str = "profile";

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    latitude: Option<f64>,
    longitude: Option<f64>,
    city: Option<String>,
    country: Option<String>,
    precision: &'static str,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_zone: Option<&'static str>,
}

const SHARED: &str = "shared";
const BY_CITY: &str =
    "shared, but for the coordinates: those of a city of this name in that country";
const BY_ZONE: &str = "time zone: principal city, not the person's own place";

/// Says where the participant is.
#[derive(Debug)]
pub(crate) struct GetLocation(ToolSpec);

impl Default for GetLocation {
    fn default() -> Self {
        let description = "Get where the participant is: what they shared, else the principal city of their time zone. Say \
            which of the two it is when you use it.";
        let parameters = json!({ "type": "object", "properties": {} });
        let spec = super::spec("get_location", description, parameters, None);
        Self(ToolSpec { doing: "Looking where you are…", ..spec })
    }
}

#[async_trait]
impl Tool for GetLocation {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, _args: Value) -> ToolResult {
        let (said, wanted) = cx.read(|view| {
            let state = &view.state;
            let wanted = Wanted {
                person: state.participant.clone(),
                display_name: state.name.clone(),
                specific: None,
                vcards: Vec::new(),
            };
            (shared(state), wanted)
        });
        if let Some(location) = said {
            return Ok(Outcome::Immediate(json!(location)));
        }
        let zone = match cx.contacts.fetch_from(PROFILE, &wanted).await {
            Fetched::Card(card) => card.time_zone,
            Fetched::PermissionDenied { .. } | Fetched::NotFound { .. } => None,
        };
        let Some(place) = zone.as_deref().and_then(time_zones::of_zone) else {
            let message = "nobody has said where they are, and their profile names no time zone with a city. hint: ask them \
                for the city, and take their word for it";
            return Err(ToolError::ExecutionFailed(message.to_owned()));
        };
        Ok(Outcome::Immediate(json!(of_zone(place))))
    }
}

fn of_zone(place: Place) -> Location {
    let Place { zone, city, country, latitude, longitude, .. } = place;
    Location {
        latitude: Some(latitude),
        longitude: Some(longitude),
        city: Some(city),
        country: Some(country.to_owned()),
        precision: BY_ZONE,
        source: PROFILE,
        time_zone: Some(zone),
    }
}

/// What the participant shared.
fn shared(state: &State) -> Option<Location> {
    if let Some(record) = state.record(LOCATION) {
        let text = |name: &str| {
            let text = record.data[name].as_str().map(str::trim);
            text.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let degrees = |name: &str, most: f64| {
            record.data[name].as_f64().filter(|degrees| degrees.abs() <= most)
        };
        let (city, country) = (text("city"), text("country"));
        let position = degrees("latitude", 90.0).zip(degrees("longitude", 180.0));
        if position.is_some() || city.is_some() || country.is_some() {
            return Some(named(city, country, position));
        }
    }
    answered(state.results.get(LOCATION)?.get("userInput")?.as_str()?)
}

/// `Berlin`, `Berlin, Germany`, `Portland, Oregon, United States`.
fn answered(answer: &str) -> Option<Location> {
    let parts: Vec<&str> =
        answer.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    let text = |part: &str| Some(part.to_owned());
    match parts[..] {
        [] => None,
        [city] => Some(as_shared(text(city), None, None)),
        [city, country] => Some(named(text(city), text(country), None)),
        // The table knows no regions: its `Petersburg` is not that of Virginia.
        [city, .., country] => Some(as_shared(text(city), text(country), None)),
    }
}

/// What was shared, with the coordinates of a known city where there are none.
fn named(city: Option<String>, country: Option<String>, position: Option<(f64, f64)>) -> Location {
    let known = match (&city, &country) {
        (Some(city), Some(country)) if position.is_none() => time_zones::of_city(city, country),
        _ => None,
    };
    let Some(Place { latitude, longitude, .. }) = known else {
        return as_shared(city, country, position);
    };
    Location { precision: BY_CITY, ..as_shared(city, country, Some((latitude, longitude))) }
}

fn as_shared(
    city: Option<String>,
    country: Option<String>,
    position: Option<(f64, f64)>,
) -> Location {
    let (latitude, longitude) = position.unzip();
    let (precision, source, time_zone) = (SHARED, "participant", None);
    Location { latitude, longitude, city, country, precision, source, time_zone }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_words_is_taken_as_it_was_given() {
        let told = |answer: &str| {
            answered(answer).map(|found| {
                let Location { latitude, city, country, precision, .. } = found;
                (city, country, latitude.is_some(), precision)
            })
        };
        let text = |text: &str| Some(text.to_owned());
        for (answer, expected) in [
            ("Berlin, Germany", (text("Berlin"), text("Germany"), true, BY_CITY)),
            (" Berlin , DE ", (text("Berlin"), text("DE"), true, BY_CITY)),
            ("Berlin", (text("Berlin"), None, false, SHARED)),
            ("Cordoba", (text("Cordoba"), None, false, SHARED)),
            ("Cordoba, Spain", (text("Cordoba"), text("Spain"), false, SHARED)),
            (
                "Petersburg, Virginia, United States",
                (text("Petersburg"), text("United States"), false, SHARED),
            ),
            ("Berlin,", (text("Berlin"), None, false, SHARED)),
        ] {
            assert_eq!(told(answer), Some(expected), "{answer}");
        }
        assert_eq!(told(" , "), None);
    }
}
