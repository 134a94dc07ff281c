//! Review cards: drawn from data and its schema, and what an edit changed.

use anteroom::{
    model::ui::{Field, Input},
    tool::catalog::interview::submit_for_validation::{
        card,
        changes::{between, tidy},
    },
};
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use serde_json::{Value, json};

fn schema() -> Value {
    json!({
        "title": "Work history",
        "type": "object",
        "required": ["owner", "work"],
        "properties": {
            "owner": {
                "type": "object",
                "required": ["email"],
                "properties": {
                    "name": { "type": "string", "title": "Name", "maxLength": 100 },
                    "email": { "type": "string", "title": "E-mail", "format": "email" },
                    "site": { "type": "string", "format": "uri", "description": "With https" }
                }
            },
            "location": {
                "type": "object",
                "required": ["city"],
                "properties": { "city": { "type": "string" } }
            },
            "remote": { "type": "boolean", "title": "Remote" },
            "years": { "type": "integer", "minimum": 0 },
            "level": { "type": "string", "enum": ["junior", "mid_level"] },
            "summary": { "type": "string", "maxLength": 4000 },
            "skills": { "type": "array", "title": "Skills", "items": { "type": "string" } },
            "work": {
                "type": "array",
                "items": {
                    "type": "object",
                    "title": "Role",
                    "required": ["name"],
                    "properties": {
                        "name": { "type": "string", "title": "Organisation" },
                        "startDate": { "type": "string", "pattern": "^([1-2][0-9]{3})$" },
                        "highlights": { "type": "array", "items": { "type": "string" } }
                    }
                }
            }
        }
    })
}

fn told(field: &Field) -> String {
    let Field { path, label, hint, required, input, value, check } = field;
    let input = match input {
        Input::Text { multiline, min, max } => format!("text {multiline} {min:?} {max:?}"),
        Input::Email => "email".to_owned(),
        Input::Url => "url".to_owned(),
        Input::Phone => "phone".to_owned(),
        Input::Date => "date".to_owned(),
        Input::Day => "day".to_owned(),
        Input::Number { integer, min, max } => format!("number {integer} {min:?} {max:?}"),
        Input::Bool => "bool".to_owned(),
        Input::Select { choices, multiple } => {
            let labels: Vec<&str> = choices.iter().map(|choice| choice.label.as_str()).collect();
            format!("select {labels:?} {multiple}")
        }
        Input::Lines => "lines".to_owned(),
    };
    let marks = match (required, check) {
        (true, true) => " required check",
        (true, false) => " required",
        (false, true) => " check",
        (false, false) => "",
    };
    let hint = hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("  {path}: {label}{hint} [{input}{marks}] {value}")
}

fn drawn(data: &Value, doubtful: &[String]) -> String {
    let card = card::draw(&schema(), data, doubtful);
    let mut lines = Vec::new();
    for group in &card.groups {
        lines.push(format!("{:?} {}", group.path, group.title));
        lines.extend(group.fields.iter().map(told));
    }
    for list in &card.lists {
        lines.push(format!("add to {:?} a {}", list.path, list.noun));
        lines.extend(list.fields.iter().map(told));
    }
    lines.join("\n")
}

#[test]
fn a_card_has_a_group_for_what_stands_alone_and_one_for_each_entry() {
    let data = json!({
        "owner": { "name": "Ada", "email": "ada@example.org" },
        "skills": ["Rust"],
        "extra": "kept",
        "work": [
            { "name": "Acme", "startDate": "2020", "highlights": ["x"] },
            { "name": "Globex" }
        ]
    });
    let doubtful = ["owner.name".to_owned(), "work.1".to_owned()];
    insta::assert_snapshot!(drawn(&data, &doubtful), @r#"
    "" Work history
      owner.name: Name [text false None Some(100) check] "Ada"
      owner.email: E-mail [email required] "ada@example.org"
      owner.site: Site (With https) [url] null
      location.city: City [text false None None] null
      remote: Remote [bool] null
      years: Years [number true Some(0.0) None] null
      level: Level [select ["Junior", "Mid level"] false] null
      summary: Summary [text true None Some(4000)] null
      skills: Skills [lines] ["Rust"]
      extra: Extra [text false None None] "kept"
    "work.0" Role 1
      work.0.name: Organisation [text false None None required] "Acme"
      work.0.startDate: Start date [date] "2020"
      work.0.highlights: Highlights [lines] ["x"]
    "work.1" Role 2
      work.1.name: Organisation [text false None None required check] "Globex"
      work.1.startDate: Start date [date] null
      work.1.highlights: Highlights [lines] null
    add to "work" a role
      name: Organisation [text false None None required] null
      startDate: Start date [date] null
      highlights: Highlights [lines] null
    "#);
}

#[test]
fn what_the_bot_fills_in_for_itself_is_kept_and_not_shown() {
    let evidence =
        json!({ "quote": "I built it.", "locator": "page 2", "artifact_sha": "0".repeat(64) });
    let data = json!({ "title": "An engine", "achievements": [{ "claim": "Built", "evidence": evidence }] });
    let schema: Value =
        serde_json::from_str(include_str!("../../../manifests/schemas/knowledge_card.json"))
            .unwrap();
    let card = card::draw(&schema, &data, &[]);
    let paths: Vec<&str> = card
        .groups
        .iter()
        .flat_map(|group| &group.fields)
        .map(|field| field.path.as_str())
        .collect();
    assert!(paths.contains(&"achievements.0.evidence.quote"), "{paths:?}");
    assert!(!paths.iter().any(|path| path.ends_with("locator") || path.ends_with("artifact_sha")));
}

#[test]
fn an_empty_draft_still_offers_every_field() {
    let card = card::draw(&schema(), &json!({}), &[]);
    assert_eq!(card.groups.len(), 1);
    assert!(card.groups[0].fields.iter().all(|field| field.value.is_null() && !field.check));
    assert_eq!(card.lists.len(), 1);
}

#[test]
fn a_doubt_about_one_entry_says_nothing_about_the_tenth() {
    let roles: Vec<Value> = (0..11).map(|n| json!({ "name": format!("Role {n}") })).collect();
    let card = card::draw(&schema(), &json!({ "work": roles }), &["work.1".to_owned()]);
    let checked: Vec<&str> = card
        .groups
        .iter()
        .flat_map(|group| &group.fields)
        .filter(|field| field.check)
        .map(|field| field.path.as_str())
        .collect();
    assert_eq!(checked, ["work.1.name"]);
}

#[test]
fn changes_name_every_leaf_that_differs() {
    let old = json!({
        "basics": { "email": "old@email.com", "phone": "1" },
        "skills": ["a"],
        "work": [{ "name": "Acme" }, { "name": "Globex", "startDate": "2020" }]
    });
    let new = json!({
        "basics": { "email": "new@email.com", "url": "https://example.org" },
        "skills": ["a", "b"],
        "work": [{ "name": "Acme", "endDate": "2021" }]
    });
    insta::assert_json_snapshot!(between(&old, &new), @r#"
    [
      {
        "field": "basics.email",
        "oldValue": "old@email.com",
        "newValue": "new@email.com"
      },
      {
        "field": "basics.phone",
        "oldValue": "1",
        "newValue": null
      },
      {
        "field": "basics.url",
        "oldValue": null,
        "newValue": "https://example.org"
      },
      {
        "field": "skills",
        "oldValue": [
          "a"
        ],
        "newValue": [
          "a",
          "b"
        ]
      },
      {
        "field": "work.0.endDate",
        "oldValue": null,
        "newValue": "2021"
      },
      {
        "field": "work.1.name",
        "oldValue": "Globex",
        "newValue": null
      },
      {
        "field": "work.1.startDate",
        "oldValue": "2020",
        "newValue": null
      }
    ]
    "#);
    assert_eq!(between(&old, &old), []);
}

#[test]
fn what_was_left_empty_in_a_form_is_absent() {
    let given =
        json!({ "a": "", "b": null, "c": " x ", "d": { "e": null }, "f": ["", "y"], "g": 0 });
    assert_eq!(tidy(given), json!({ "c": "x", "d": {}, "f": ["y"], "g": 0 }));
}

/// Any JSON, three levels deep, with few names so that two of them meet.
pub(crate) fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..3_i64).prop_map(Value::from),
        "[a-c ]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("name|work|email|owner|0", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn there_are_changes_exactly_where_something_differs(old in anything(), new in anything()) {
        // Null and absent are the same to a form, and `tidy` has made them so.
        let (old, new) = (tidy(old), tidy(new));
        assert_eq!(between(&old, &new).is_empty(), old == new);
        assert_eq!(tidy(new.clone()), new);
    }

    #[test]
    fn any_data_at_all_can_be_drawn(data in anything()) {
        card::draw(&schema(), &data, &["work".to_owned()]);
        card::draw(&data, &data, &[]);
    }
}
