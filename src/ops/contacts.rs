//! `anteroom contacts`.

use std::{collections::BTreeMap, process::ExitCode};

use chrono::{DateTime, Utc};
use clap::Subcommand;
use serde::Serialize;

use super::{
    app::{self, Wanted},
    data_access::DataAccess,
    shared_args::Json,
    term,
};
use crate::model::{
    session::{Head, PersonId, Platform},
    text::quoted,
};

/// `contacts`.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(super) enum Command {
    /// List who has used the local page, as `[contacts]` names them, the last one first.
    Whoami(Json),
}

/// Somebody who has used the local page.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Visitor {
    /// As `owner` under `[contacts]` names them: a browser, not a name that anybody can type.
    identity: PersonId,
    name: Option<String>,
    last_active: DateTime<Utc>,
}

/// Says how the owner of a machine is named in the configuration.
pub(super) fn contacts(wanted: &Wanted, command: Command) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    let Command::Whoami(Json { json }) = command;
    let visitors = app::block_on(async {
        let mut visitors = Visitors::default();
        let reach = DataAccess::find(&settings).await?;
        reach.each_head(|head| visitors.add(head)).await?;
        anyhow::Ok(visitors.listed())
    })?;
    if json {
        term::json(&visitors)?;
        return Ok(ExitCode::SUCCESS);
    }
    let rows: Vec<[String; 3]> = visitors.iter().map(row).collect();
    term::table(
        ["PERSON", "LAST ACTIVE (UTC)", "IDENTITY"],
        &rows,
        "Nobody has used the local page yet. Open it, begin an interview, and ask again.",
    )?;
    if let Some(last) = visitors.first() {
        term::tell(hint(last));
    }
    Ok(ExitCode::SUCCESS)
}

/// Everybody who has a conversation on the local page: their name, and when they did something last.
#[derive(Debug, Default)]
struct Visitors(BTreeMap<PersonId, (DateTime<Utc>, Option<String>)>);

impl Visitors {
    fn add(&mut self, head: Head) {
        let is_web = head.place.platform == Platform::Web && head.parent.is_none();
        let known = self.0.get(&head.participant);
        if is_web && known.is_none_or(|(last_active, _)| *last_active < head.updated_at) {
            self.0.insert(head.participant, (head.updated_at, head.name));
        }
    }

    /// The last one to do something first.
    fn listed(self) -> Vec<Visitor> {
        let visitor = |(identity, (last_active, name))| Visitor { identity, name, last_active };
        let mut visitors: Vec<Visitor> = self.0.into_iter().map(visitor).collect();
        visitors.sort_by_key(|visitor| std::cmp::Reverse(visitor.last_active));
        visitors
    }
}

fn row(visitor: &Visitor) -> [String; 3] {
    [
        visitor.name.as_deref().map(quoted).unwrap_or_default(),
        visitor.last_active.format("%Y-%m-%d %H:%M").to_string(),
        visitor.identity.to_string(),
    ]
}

/// What makes somebody the owner of this Mac's Contacts.
fn hint(owner: &Visitor) -> String {
    format!(
        "To let the first of them import their own card of this Mac's Contacts, write under `[contacts]`: \
         macos = {{ owner = \"{}\" }}, and add \"macos\" to `sources`. It stays closed to everybody else.",
        owner.identity
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        config::{Environment, Settings},
        ops::contact_sources,
        ports::contacts::profile::Profile,
    };

    fn head(participant: &str, platform: &str, at: &str, parent: Option<&str>) -> Head {
        let mut head = json!({
            "id": "ses_018f6f2a0b0c7d0e8f00112233445566",
            "flow": { "id": "f", "version": "1.0.0", "digest": "d" },
            "participant": participant, "name": "Ada Byron",
            "place": { "platform": platform, "workspace": "local", "channel": "c" },
            "status": "open", "pending": 0, "approvals": 0, "progress": 0.5, "seq": 1,
            "created_at": "2026-11-02T00:00:00Z", "updated_at": at,
        });
        if let Some(parent) = parent {
            head["parent"] = json!(parent);
        }
        serde_json::from_value(head).unwrap()
    }

    fn visitors(heads: Vec<Head>) -> Vec<Visitor> {
        let mut visitors = Visitors::default();
        for head in heads {
            visitors.add(head);
        }
        visitors.listed()
    }

    #[test]
    fn visitors_are_listed_once_with_the_last_one_first_and_nobody_of_other_platforms() {
        let child = Some("ses_018f6f2a0b0c7d0e8f00112233445567");
        let listed = visitors(vec![
            head("web:local/0f", "web", "2026-11-02T10:00:00Z", None),
            head("web:local/1a", "web", "2026-11-03T10:00:00Z", None),
            head("web:local/0f", "web", "2026-11-04T10:00:00Z", None),
            head("web:local/2b", "web", "2026-11-05T10:00:00Z", child),
            head("slack:T1/U1", "slack", "2026-11-05T10:00:00Z", None),
        ]);
        let rows: Vec<String> = listed.iter().map(|visitor| row(visitor).join(" | ")).collect();
        assert_eq!(
            rows,
            [
                "Ada Byron | 2026-11-04 10:00 | web:local/0f",
                "Ada Byron | 2026-11-03 10:00 | web:local/1a"
            ]
        );
    }

    #[test]
    fn what_the_hint_says_is_a_configuration_for_that_person_alone() {
        let listed = visitors(vec![head("web:local/0f", "web", "2026-11-02T10:00:00Z", None)]);
        let hint = hint(&listed[0]);
        let line = hint.split(": ").nth(1).and_then(|rest| rest.split(", and add").next()).unwrap();
        let config = format!("[contacts]\nsources = [\"macos\"]\n{line}\n");
        let environment = Environment::from([("ANTEROOM_DATA_DIR", "/tmp")]);
        let settings = Settings::parse("config.toml", &config, &environment)
            .unwrap_or_else(|problems| panic!("{}", crate::config::render(&problems)));
        let contacts = contact_sources::open(&settings.contacts, &Profile::default()).unwrap();
        assert_eq!(contacts.serving(&listed[0].identity), Some("macos"));
        assert_eq!(contacts.serving(&PersonId::web("1a")), None);
    }
}
