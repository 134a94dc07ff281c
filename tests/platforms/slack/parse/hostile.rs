//! Payloads in which anything may be missing, of another type, or something nobody has heard of.

use std::fs;

use anteroom::gateway::slack::{inbound::Incoming, parse};
use proptest::{
    collection::vec,
    prelude::{ProptestConfig, Strategy, any, prop_oneof, proptest},
    sample::{Index, select},
};
use serde_json::{Value, json};

/// One change somewhere in a payload.
#[derive(Debug, Clone)]
enum Change {
    Remove(Index),
    Put(Index, Value),
    Add(Index, String, Value),
}

fn change() -> impl Strategy<Value = Change> {
    let odd = vec![
        Value::Null,
        json!(true),
        json!(-1),
        json!(1e300),
        json!(""),
        json!("<@UB|x> <"),
        json!("\u{0}\u{202e}é"),
        json!([]),
        json!({}),
        json!([[[]]]),
        json!({"type": "rich_text", "elements": [{"type": "text", "text": "x"}]}),
        json!("x".repeat(5_000)),
        json!([null, 5, "F01", {"id": 7}]),
    ];
    let names = vec![
        "type",
        "subtype",
        "text",
        "files",
        "blocks",
        "selected_option",
        "value",
        "bot_id",
        "edited",
        "of_next_year",
    ];
    prop_oneof![
        any::<Index>().prop_map(Change::Remove),
        (any::<Index>(), select(odd.clone())).prop_map(|(at, value)| Change::Put(at, value)),
        (any::<Index>(), select(names), select(odd)).prop_map(|(at, name, value)| Change::Add(
            at,
            name.to_owned(),
            value
        )),
    ]
}

/// Where something stands in a value, by JSON pointer.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                places(
                    member,
                    &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")),
                    found,
                );
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn changed(mut payload: Value, changes: &[Change]) -> Value {
    for change in changes {
        let mut found = Vec::new();
        places(&payload, "", &mut found);
        let (Change::Remove(at) | Change::Put(at, _) | Change::Add(at, ..)) = change;
        let at = &found[at.index(found.len())];
        match change {
            Change::Remove(_) => {
                let (around, name) = at.rsplit_once('/').unwrap_or_default();
                if let Some(Value::Object(members)) = payload.pointer_mut(around) {
                    members.remove(name);
                }
            }
            Change::Put(_, value) => *payload.pointer_mut(at).unwrap() = value.clone(),
            Change::Add(_, name, value) => {
                if let Some(Value::Object(members)) = payload.pointer_mut(at) {
                    members.insert(name.clone(), value.clone());
                }
            }
        }
    }
    payload
}

/// What random input starts from, too.
fn seeds() -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/slack");
    let files = fs::read_dir(folder).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap());
    files.map(|bytes| serde_json::from_slice(&bytes[1..]).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn whatever_a_payload_lacks_it_is_read(seed in any::<Index>(), changes in vec(change(), 0..6)) {
        let seeds = seeds();
        let payload = changed(seeds[seed.index(seeds.len())].clone(), &changes);
        for read in [parse::event, parse::interaction, parse::command] {
            let envelope = read(&payload);
            assert_eq!(envelope, read(&payload));
            assert!(!envelope.key.is_empty() && envelope.key.len() <= 200, "{}", envelope.key);
            assert!(envelope.key.bytes().all(|byte| byte.is_ascii_graphic()), "{}", envelope.key);
        }
    }

    /// Of a person's message with its three names, whatever else is changed, the words arrive.
    #[test]
    fn words_and_files_survive_what_is_odd_beside_them(changes in vec(change(), 0..8)) {
        let beside = json!({
            "blocks": [{"type": "rich_text", "elements": []}], "attachments": [{"text": "a"}], "metadata": {"event_payload": {"d": "1"}},
            "team": "T01", "edited": {"ts": "1"}, "reactions": [], "user_profile": {"name": "ada"}, "thread_ts": "1.0",
        });
        let mut event = changed(beside, &changes);
        if !event.is_object() {
            return Ok(());
        }
        let members = event.as_object_mut().unwrap();
        members.remove("bot_id");
        members.remove("subtype");
        members.extend(json!({"type": "message", "user": "U01", "ts": "1.1", "channel": "D01", "text": "my &lt;words&gt;",
            "files": [{"id": "F01", "name": "a.pdf", "url_private": ""}]}).as_object().unwrap().clone());
        let payload = json!({"team_id": "T01", "event_id": "Ev01", "event": event});
        match parse::event(&payload).what {
            Incoming::Message(message) => {
                assert_eq!(message.text, "my <words>");
                assert_eq!(message.files[0].id, "F01");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn deep_and_long_payloads_are_read() {
    // As deep as the JSON reader lets anything be.
    let mut deep = json!({"type": "text", "text": "x"});
    for _ in 0..100 {
        deep = json!({"type": "rich_text", "elements": [deep]});
    }
    let payload = json!({"event": {"type": "message", "user": "U01", "ts": "1", "channel": "C01", "text": "", "blocks": [deep]}});
    assert!(matches!(parse::event(&payload).what, Incoming::Message(_)));
    for text in
        ["<".repeat(200_000), "<@".repeat(100_000), "&amp;".repeat(100_000), "<a|".repeat(100_000)]
    {
        let payload = json!({"event": {"type": "message", "user": "U01", "ts": "1", "channel": "C01", "text": text}});
        assert!(matches!(parse::event(&payload).what, Incoming::Message(_)));
    }
}
