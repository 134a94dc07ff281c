//! What the bot asks of Discord: its commands, its permissions, what it hears of.

use std::{collections::BTreeSet, fs, path::Path};

use anteroom::{config::Settings, flow::Library, gateway::discord::manifest};
use serde_json::Value;

fn library() -> Library {
    let settings = Settings::playground("/tmp".into());
    Library::load(None, &[], &settings.vars).unwrap()
}

/// `WRITE_MANIFESTS=1 cargo test --test platforms discord::manifest` writes it.
#[test]
fn the_shipped_manifest_is_that_of_the_program() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("manifests/discord.json");
    let made = manifest::manifest(&library());
    let text = format!("{}\n", serde_json::to_string_pretty(&made).unwrap());
    if std::env::var_os("WRITE_MANIFESTS").is_some() {
        fs::write(&file, &text).unwrap();
    }
    let shipped = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        shipped, text,
        "hint: WRITE_MANIFESTS=1 cargo test --test platforms discord::manifest"
    );
}

#[test]
fn the_bot_is_invited_with_exactly_what_it_needs() {
    insta::assert_snapshot!(manifest::invite("1300000000000000001"), @"https://discord.com/oauth2/authorize?client_id=1300000000000000001&permissions=395405544448&scope=bot+applications.commands");
    let made = manifest::manifest(&library());
    insta::assert_snapshot!(made["permissions"]["names"], @r#"["view_channel","send_messages","embed_links","attach_files","read_message_history","manage_roles","manage_threads","create_public_threads","create_private_threads","send_messages_in_threads"]"#);
    insta::assert_snapshot!(made["intents"]["names"], @r#"["guilds","guild_messages","direct_messages"]"#);
}

/// Everything that has a name, with what stands under it.
fn all(commands: &[Value]) -> Vec<&Value> {
    let under = |command: &'_ Value| -> Vec<Value> {
        command["options"].as_array().cloned().unwrap_or_default()
    };
    let mut found: Vec<&Value> = commands.iter().collect();
    for command in commands {
        let count = under(command).len();
        found.extend((0..count).map(|n| &command["options"][n]));
        for n in 0..count {
            let inner = command["options"][n]["options"].as_array().map_or(0, Vec::len);
            found.extend((0..inner).map(move |k| &command["options"][n]["options"][k]));
        }
    }
    found
}

#[test]
fn discord_takes_the_commands() {
    let commands = manifest::commands(&library());
    let length = |value: &Value| value.as_str().unwrap_or_default().chars().count();
    for command in &commands {
        let in_all: usize = all(std::slice::from_ref(command))
            .iter()
            .map(|part| length(&part["name"]) + length(&part["description"]))
            .sum();
        assert!(in_all <= 8_000);
        assert_eq!(command["contexts"], serde_json::json!([0]));
    }
    for part in all(&commands) {
        let texts = |name: &str| {
            let others = part[format!("{name}_localizations")].as_object().into_iter().flatten();
            let mut texts: Vec<Value> = others.map(|(_, text)| text.clone()).collect();
            texts.push(part[name].clone());
            texts
        };
        // Commands of context menus may be written as one likes.
        let is_slash = !part["description"].is_null();
        for name in texts("name") {
            let name = name.as_str().unwrap();
            let fits = |c: char| c.is_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
            assert!((1..=32).contains(&name.chars().count()), "{name}");
            assert!(!is_slash || name.chars().all(fits), "{name}");
        }
        if is_slash {
            for about in texts("description") {
                assert!((1..=100).contains(&length(&about)), "{about}");
            }
        }
        // What is empty Discord takes for something.
        for name in ["options", "choices"] {
            assert_ne!(part[name], serde_json::json!([]), "{part}");
        }
    }
    let kinds: BTreeSet<(String, u64)> = commands
        .iter()
        .map(|c| (c["name"].as_str().unwrap().to_owned(), c["type"].as_u64().unwrap()))
        .collect();
    assert_eq!(kinds.len(), commands.len(), "one name twice");
}
