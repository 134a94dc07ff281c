//! Whether Discord has the commands that the bot would register.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Report, unasked};
use crate::{
    chat::doctor::DoctorContext,
    config::{problem::listed, settings::DiscordConnection},
    gateway::discord::{
        api::Api,
        kinds::{CommandType, kind},
        manifest,
    },
};

/// `anteroom run` registers what is missing, so nothing of this keeps it from working.
const HINT: &str =
    "`anteroom run` registers them; where it runs, look into its log for what Discord refused";

/// Compares what is registered with what is ours.
pub(super) async fn registered(
    api: &Api,
    patient: &DoctorContext<'_>,
    connection: &DiscordConnection,
    report: &mut Report,
) {
    let theirs = match api.commands(&connection.application_id, None).await {
        Ok(theirs) => by_name(theirs),
        Err(failure) => return unasked("which commands are registered", &failure, report),
    };
    let ours = by_name(manifest::commands(patient.library));
    let lacking = ours.keys().filter(|key| !theirs.contains_key(*key));
    let lacking: Vec<&str> = lacking.map(|(_, name)| name.as_str()).collect();
    if !lacking.is_empty() {
        let message = format!("commands are not registered yet: {}", listed(lacking));
        report.odd(message, HINT);
    }
    let differs = |key: &&(CommandType, String)| {
        theirs.get(*key).is_some_and(|theirs| !is_within(&ours[*key], theirs))
    };
    let other: Vec<&str> = ours.keys().filter(differs).map(|(_, name)| name.as_str()).collect();
    if !other.is_empty() {
        let message = format!("commands are registered as they were before: {}", listed(other));
        report.odd(message, HINT);
    }
    let strange = theirs.keys().filter(|key| !ours.contains_key(*key));
    let strange: Vec<&str> = strange.map(|(_, name)| name.as_str()).collect();
    if !strange.is_empty() {
        report.odd(
            format!("commands are registered that are not the bot's: {}", listed(strange)),
            "the bot's next start takes them away; another program may use the same application",
        );
    }
    report.checked(format!("registered commands ({} of {})", theirs.len(), ours.len()));
}

/// Commands by kind and name, which no two share.
fn by_name(commands: Vec<Value>) -> BTreeMap<(CommandType, String), Value> {
    let key = |command: &Value| {
        let kind = command["type"].as_u64().map_or(CommandType::ChatInput, kind);
        (kind, command["name"].as_str().unwrap_or_default().to_owned())
    };
    commands.into_iter().map(|command| (key(&command), command)).collect()
}

/// Whether Discord's form of something says all that ours does. It adds ids and leaves out what goes without saying;
/// other languages it lists only for who asks.
fn is_within(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let said = |(key, _): &(&String, &Value)| !key.ends_with("_localizations");
            ours.iter().filter(said).all(|(key, ours)| is_said(key, ours, theirs))
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().zip(theirs).all(|(ours, theirs)| is_within(ours, theirs))
        }
        (ours, theirs) => ours == theirs,
    }
}

fn is_said(key: &str, ours: &Value, theirs: &Map<String, Value>) -> bool {
    match theirs.get(key) {
        Some(theirs) => is_within(ours, theirs),
        None => matches!(ours, Value::Bool(false)) || ours.as_array().is_some_and(Vec::is_empty),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_within;

    #[test]
    fn what_discord_adds_or_leaves_out_is_no_difference() {
        let ours = json!({ "name": "x", "name_localizations": { "de": "y" }, "options": [
            { "name": "a", "required": false, "type": 3 } ] });
        let theirs = json!({ "id": "1", "version": "2", "name": "x", "options": [{ "name": "a", "type": 3 }] });
        assert!(is_within(&ours, &theirs));
        let fewer = json!({ "id": "1", "name": "x", "options": [] });
        assert!(!is_within(&ours, &fewer));
        let renamed = json!({ "name": "x", "options": [{ "name": "b", "type": 3 }] });
        assert!(!is_within(&ours, &renamed));
    }
}
