//! `get_location`.

use std::sync::Arc;

use anteroom::{
    model::{contact::Contact, session::PersonId},
    ports::contacts::{ContactSource, Contacts, Fetched, Wanted},
};
use async_trait::async_trait;
use insta::assert_json_snapshot;
use serde_json::{Value, json};

use super::bench::{Bench, data, error};

/// A platform whose profiles name a time zone.
#[derive(Debug)]
struct Zoned {
    source: &'static str,
    zone: Option<&'static str>,
}

#[async_trait]
impl ContactSource for Zoned {
    fn name(&self) -> &'static str {
        self.source
    }

    fn serves(&self, _person: &PersonId) -> bool {
        true
    }

    async fn fetch(&self, wanted: &Wanted) -> Fetched {
        assert_eq!(wanted.person.to_string(), "web:local/ada");
        let time_zone = self.zone.map(str::to_owned);
        Fetched::Card(Box::new(Contact { time_zone, ..Contact::default() }))
    }
}

fn bench(zone: Option<&'static str>) -> Bench {
    let mut bench = Bench::new();
    let sources: Vec<Box<dyn ContactSource>> = vec![
        // The operator's own card says nothing of the participant's clock.
        Box::new(Zoned { source: "macos", zone: Some("Asia/Tokyo") }),
        Box::new(Zoned { source: "profile", zone }),
    ];
    bench.pipeline.contacts = Arc::new(Contacts::new(sources));
    bench
}

#[tokio::test]
async fn a_time_zone_is_its_principal_city_and_says_so() {
    let mut bench = bench(Some("US/Pacific"));
    let found = bench.call("get_location", json!({})).await;
    assert_json_snapshot!(found, @r#"
    {
      "success": true,
      "data": {
        "latitude": 34.0522,
        "longitude": -118.2428,
        "city": "Los Angeles",
        "country": "United States",
        "precision": "time zone: principal city, not the person's own place",
        "source": "profile",
        "timeZone": "America/Los_Angeles"
      }
    }
    "#);
    // There is no capability for it.
    assert!(bench.view().state.capabilities.is_empty());
}

#[tokio::test]
async fn what_a_person_shared_comes_first() {
    let (shared, by_city) =
        ("shared", "shared, but for the coordinates: those of a city of this name in that country");
    for (stored, expected, precision) in [
        (
            json!({ "city": "Hamburg", "country": "Germany", "latitude": 53.55, "longitude": 9.99 }),
            json!([53.55, 9.99, "Hamburg", "Germany"]),
            shared,
        ),
        // A principal city of a country is in the table, any other one is looked up by nobody.
        (
            json!({ "city": "Berlin", "country": "Germany" }),
            json!([52.5, 13.3667, "Berlin", "Germany"]),
            by_city,
        ),
        (
            json!({ "city": "Hamburg", "country": "Germany" }),
            json!([null, null, "Hamburg", "Germany"]),
            shared,
        ),
        // Whoever named no country may mean any place of that name.
        (json!({ "city": "Berlin" }), json!([null, null, "Berlin", null]), shared),
        (json!({ "city": "Cordoba" }), json!([null, null, "Cordoba", null]), shared),
        (json!({ "city": "San Juan" }), json!([null, null, "San Juan", null]), shared),
        (
            json!({ "city": "London", "country": "Canada" }),
            json!([null, null, "London", "Canada"]),
            shared,
        ),
        (json!({ "country": "Kenya" }), json!([null, null, null, "Kenya"]), shared),
        (json!({ "latitude": 1.5, "longitude": -2.5 }), json!([1.5, -2.5, null, null]), shared),
        // A place that is on no globe is none.
        (
            json!({ "city": "Berlin", "latitude": 1000, "longitude": 0 }),
            json!([null, null, "Berlin", null]),
            shared,
        ),
    ] {
        let mut bench = bench(Some("Asia/Tokyo"));
        bench.change(|changes| changes.save_record("location", stored.clone(), true)).unwrap();
        let found = bench.call("get_location", json!({})).await;
        let found = data(&found);
        let told: Value = ["latitude", "longitude", "city", "country"]
            .map(|name| found[name].clone())
            .to_vec()
            .into();
        assert_eq!(told, expected, "{stored}");
        assert_eq!(
            (&found["precision"], &found["source"]),
            (&json!(precision), &json!("participant")),
            "{stored}"
        );
    }
}

#[tokio::test]
async fn a_record_that_says_nothing_leads_to_the_profile() {
    let mut bench = bench(Some("Europe/Kiev"));
    bench.change(|changes| changes.save_record("location", json!({ "city": " " }), true)).unwrap();
    let found = bench.call("get_location", json!({})).await;
    assert_eq!(data(&found)["city"], "Kyiv");
}

#[tokio::test]
async fn nothing_known_is_said_and_nobody_is_looked_up() {
    for zone in [None, Some("Etc/UTC"), Some("Mars/Olympus"), Some("../../etc/passwd"), Some("")] {
        let found = bench(zone).call("get_location", json!({})).await;
        assert_eq!(
            error(&found),
            "nobody has said where they are, and their profile names no time zone with a city. hint: ask them for the city, \
             and take their word for it",
            "{zone:?}"
        );
    }
    // The platform is asked only where the operator has its profiles among the sources.
    let found = Bench::new().call("get_location", json!({})).await;
    assert!(error(&found).starts_with("nobody has said"), "{found}");
}
