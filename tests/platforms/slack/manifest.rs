//! The manifests that operators create the app from.

use std::{fs, path::Path};

use anteroom::{
    config::Settings,
    flow::Library,
    gateway::slack::manifest::{self, Transport},
};
use serde_json::Value;

fn made(transport: Transport) -> Value {
    let settings = Settings::playground("/tmp".into());
    let library = Library::load(None, &[], &settings.vars).unwrap();
    let commands = manifest::commands("/onboard", &library);
    manifest::manifest(transport, "/onboard", &commands)
}

const SHIPPED: [(&str, Transport); 2] =
    [("slack.socket.json", Transport::Socket), ("slack.http.json", Transport::Http)];

/// `WRITE_MANIFESTS=1 cargo test --test platforms slack::manifest` writes them.
#[test]
fn the_shipped_manifests_are_those_of_the_program() {
    for (name, transport) in SHIPPED {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("manifests").join(name);
        let text = format!("{}\n", serde_json::to_string_pretty(&made(transport)).unwrap());
        if std::env::var_os("WRITE_MANIFESTS").is_some() {
            fs::write(&file, &text).unwrap();
        }
        let shipped = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(
            shipped, text,
            "hint: WRITE_MANIFESTS=1 cargo test --test platforms slack::manifest"
        );
    }
}

#[test]
fn slack_takes_the_manifests() {
    let Some(folder) = std::env::var_os("ANTEROOM_CONFORMANCE") else { return };
    let schema = fs::read_to_string(Path::new(&folder).join("slack-manifest.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (name, transport) in SHIPPED {
        let made = made(transport);
        let errors: Vec<_> = validator
            .iter_errors(&made)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
        let mut wrong = made.clone();
        wrong["features"]["shortcuts"][0]["name"] = "x".repeat(25).into();
        assert!(!validator.is_valid(&wrong), "the schema checks nothing");
    }
}

#[test]
fn every_event_has_its_scope_and_every_word_its_length() {
    let scopes = anteroom::gateway::slack::installations::BOT_SCOPES;
    for event in manifest::EVENTS {
        let needs: &[&str] = match event {
            "app_mention" => &["app_mentions:read"],
            "message.im" => &["im:history"],
            "message.channels" => &["channels:history"],
            "message.groups" => &["groups:history"],
            "user_change" => &["users:read"],
            name if name.starts_with("channel_") => &["channels:read"],
            name if name.starts_with("group_") => &["groups:read"],
            name if name.starts_with("member_") => &["channels:read", "groups:read"],
            name if name.starts_with("subteam_") => &["usergroups:read"],
            _ => &[],
        };
        assert!(needs.iter().all(|scope| scopes.contains(scope)), "{event} needs {needs:?}");
    }
    assert!(manifest::EVENTS.is_sorted() && scopes.is_sorted());
    let made = made(Transport::Http);
    let length = |at: &str| made.pointer(at).and_then(Value::as_str).unwrap().chars().count();
    assert!(length("/display_information/name") <= 35);
    assert!(length("/display_information/description") <= 140);
    assert!((175..=4000).contains(&length("/display_information/long_description")));
    assert!(length("/features/agent_view/agent_description") <= 300);
}
