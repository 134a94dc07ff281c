//! Who somebody is and which groups they are in, remembered for a while.
//!
//! Rights are asked at the moment of a click and by user id alone. They come from the lists and user groups of the
//! configuration; guests, people of other workspaces, bots and deactivated accounts have none, whatever lists say.
//! What cannot be found out in time is no right: the person is asked to try again.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use async_trait::async_trait;
use moka::future::Cache;
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{
    api::{Api, Failure, Method},
    inbound::{Actor, Workspace},
    limits,
};
use crate::{
    config::WorkspaceLists,
    messages,
    model::{
        contact::{Contact, Labelled, Name},
        session::{PersonId, Place, Platform},
        team::Team,
    },
    ports::contacts::{Fetched, profile::Profiles},
    session::Responder,
};

/// Somebody in Slack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// What others call them; personal data.
    pub name: String,
    /// What they are here.
    pub membership: Membership,
    /// Where their clock is set: `Europe/Berlin`.
    pub time_zone: Option<String>,
}

/// What somebody is in a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Membership {
    /// A full member: the only one who may have a say.
    Member,
    /// A guest of one or several channels.
    Guest,
    /// Of another workspace, through Slack Connect.
    Stranger,
    /// An app.
    Bot,
    /// An account that was deactivated.
    Deactivated,
}

/// It could not be found out in time what somebody may do; the text is for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}", messages::notices::RIGHTS_UNKNOWN)]
pub struct Unknown;

/// What people are called of whom nothing is known yet.
const SOMEBODY: &str = "somebody";

/// Workspace and user, or workspace and group.
type Key = (String, String);

/// Knows people and groups; cheap to clone.
#[derive(Debug, Clone)]
pub struct People {
    api: Api,
    lists: WorkspaceLists,
    persons: Cache<Key, Arc<Person>>,
    groups: Cache<Key, Arc<BTreeSet<String>>>,
}

impl People {
    /// Asks `api`; rights come from `lists`.
    pub fn new(api: Api, lists: WorkspaceLists) -> Self {
        let (kept, time) = (limits::PEOPLE_KEPT, limits::PEOPLE_FRESH);
        Self {
            api,
            lists,
            persons: Cache::builder().max_capacity(kept).time_to_live(time).build(),
            groups: Cache::builder().max_capacity(kept).time_to_live(time).build(),
        }
    }

    /// Who somebody is.
    pub async fn person(&self, team: &str, user: &str) -> Result<Arc<Person>, Unknown> {
        let key = (team.to_owned(), user.to_owned());
        self.in_time(self.persons.try_get_with(key, self.ask_person(team, user))).await
    }

    /// Who did something, with what they may do now.
    pub async fn responder(&self, workspace: &Workspace, by: &Actor) -> Result<Responder, Unknown> {
        let team = &workspace.team;
        let mut responder = self.known(team, &by.user).await;
        if !by.name.is_empty() && responder.name == SOMEBODY {
            responder.name.clone_from(&by.name);
        }
        // Nothing needs to be asked about most people: they stand in no list.
        let groups = self.groups_of(team, &by.user).await?;
        let Some(approver_of) = self.lists.of(team).rights_of(&responder.person, &groups) else {
            return Ok(responder);
        };
        let known = self.person(team, &by.user).await?;
        if known.membership == Membership::Member {
            let (name, person) = (known.name.clone(), responder.person);
            responder = Responder { person, name, approver_of, staff: true };
        }
        Ok(responder)
    }

    /// Who did something that needs no rights, such as giving one's own answer; nothing is asked.
    pub async fn known(&self, team: &str, user: &str) -> Responder {
        let known = self.persons.get(&(team.to_owned(), user.to_owned())).await;
        let name = known.map(|known| known.name.clone()).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| SOMEBODY.to_owned());
        Responder::without_rights(person_id(team, user), name)
    }

    /// Something about a user has changed.
    pub async fn forget(&self, team: &str, user: &str) {
        self.persons.invalidate(&(team.to_owned(), user.to_owned())).await;
    }

    /// The members of a group have changed.
    pub(crate) async fn forget_group(&self, team: &str, group: &str) {
        self.groups.invalidate(&(team.to_owned(), group.to_owned())).await;
    }

    /// Keeps the groups of the lists fresh, so that a click seldom has to wait for Slack.
    pub async fn run(&self, shutdown: CancellationToken) {
        let refresh = async {
            loop {
                self.refresh().await;
                tokio::time::sleep(limits::GROUPS_REFRESHED).await;
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = refresh => {}
        }
    }

    /// Asks for the members of every group of the lists anew.
    pub async fn refresh(&self) {
        for installed in self.api.installations().live() {
            for group in self.lists.of(&installed.team).groups(Platform::Slack) {
                if let Ok(members) = self.ask_group(&installed.team, group).await {
                    self.groups.insert((installed.team.clone(), group.to_owned()), members).await;
                }
            }
        }
    }

    /// Whom of the team the bot can write to; of a group that Slack does not tell of now, nobody.
    pub async fn team(&self, team: &str) -> Team {
        let mut members = BTreeMap::new();
        for group in self.lists.of(team).groups(Platform::Slack) {
            let key = (team.to_owned(), group.to_owned());
            let found = self.groups.try_get_with(key, self.ask_group(team, group));
            if let Ok(found) = self.in_time(found).await {
                members.insert(group.to_owned(), BTreeSet::clone(&found));
            }
        }
        self.lists.of(team).team(Platform::Slack, &members)
    }

    async fn groups_of(&self, team: &str, user: &str) -> Result<BTreeSet<String>, Unknown> {
        let mut within = BTreeSet::new();
        for group in self.lists.of(team).groups(Platform::Slack) {
            let key = (team.to_owned(), group.to_owned());
            let members = self.groups.try_get_with(key, self.ask_group(team, group));
            if self.in_time(members).await?.contains(user) {
                within.insert(group.to_owned());
            }
        }
        Ok(within)
    }

    async fn in_time<T>(
        &self,
        asked: impl Future<Output = Result<T, Arc<Failure>>>,
    ) -> Result<T, Unknown> {
        timeout(limits::CLICK_CHECK, asked).await.ok().and_then(Result::ok).ok_or(Unknown)
    }

    async fn ask_person(&self, team: &str, user: &str) -> Result<Arc<Person>, Failure> {
        let answer = self.api.call(team, Method::UserInfo, &json!({ "user": user })).await?;
        let enterprise =
            self.api.installations().installation(team).and_then(|found| found.enterprise);
        Ok(Arc::new(read_person(&answer["user"], team, enterprise.as_deref())))
    }

    async fn ask_group(&self, team: &str, group: &str) -> Result<Arc<BTreeSet<String>>, Failure> {
        let body = json!({ "usergroup": group, "team_id": team });
        match self.api.call(team, Method::GroupMembers, &body).await {
            Ok(answer) => {
                let users = answer["users"].as_array().into_iter().flatten();
                let users = users.filter_map(Value::as_str).map(str::to_owned);
                Ok(Arc::new(users.collect()))
            }
            // A group of another workspace, or one that was deleted, has no members here.
            Err(Failure::Refused { error, .. }) if error == "no_such_subteam" => Ok(Arc::default()),
            Err(failure) => Err(failure),
        }
    }
}

#[async_trait]
impl Profiles for People {
    async fn profile(&self, person: &PersonId) -> Fetched {
        let body = json!({ "user": person.user });
        match self.api.call(&person.workspace, Method::UserInfo, &body).await {
            Ok(answer) => match read_contact(&answer["user"]) {
                Some(contact) => Fetched::Card(Box::new(contact)),
                None => Fetched::not_found("the profile has no name"),
            },
            Err(Failure::Refused { error, .. }) if error == "missing_scope" => {
                Fetched::PermissionDenied {
                    reason: "this app may not read profiles; whoever installed it can allow it"
                        .to_owned(),
                }
            }
            Err(_) => Fetched::not_found("Slack did not answer"),
        }
    }
}

/// Whether a place is a direct conversation: its channel is then a person.
pub fn is_direct(place: &Place) -> bool {
    place.channel.starts_with(['U', 'W'])
}

/// A person of a workspace.
pub fn person_id(team: &str, user: &str) -> PersonId {
    let (workspace, user) = (team.to_owned(), user.to_owned());
    PersonId { platform: Platform::Slack, workspace, user }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().map(str::trim).unwrap_or_default()
}

fn read_person(user: &Value, team: &str, enterprise: Option<&str>) -> Person {
    let is = |name: &str| user[name] == true;
    let profile = &user["profile"];
    let names = [
        text(profile, "display_name"),
        text(profile, "real_name"),
        text(user, "real_name"),
        text(user, "name"),
    ];
    let home = text(user, "team_id");
    let organisation = text(&user["enterprise_user"], "enterprise_id");
    let is_sibling = enterprise.is_some_and(|ours| ours == organisation || ours == home);
    // Without a home they are not known to be of this house.
    let is_elsewhere = is("is_stranger") || (home != team && !is_sibling);
    let membership = if is("deleted") {
        Membership::Deactivated
    } else if is("is_bot") || is("is_workflow_bot") {
        Membership::Bot
    } else if is_elsewhere {
        Membership::Stranger
    } else if is("is_restricted") || is("is_ultra_restricted") {
        Membership::Guest
    } else {
        Membership::Member
    };
    let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or_default().to_owned();
    let time_zone = Some(text(user, "tz").to_owned()).filter(|zone| !zone.is_empty());
    Person { name, membership, time_zone }
}

fn read_contact(user: &Value) -> Option<Contact> {
    let profile = &user["profile"];
    let whole =
        [text(profile, "real_name"), text(user, "real_name"), text(profile, "display_name")];
    let whole = whole.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
    let (given, family) = (text(profile, "first_name"), text(profile, "last_name"));
    let name = if given.is_empty() && family.is_empty() {
        let (given, family) = whole.rsplit_once(' ').unwrap_or((whole, ""));
        Name { given: given.trim().to_owned(), family: family.to_owned() }
    } else {
        Name { given: given.to_owned(), family: family.to_owned() }
    };
    let labelled = |label: &str, value: &str| {
        let labelled = Labelled { label: label.to_owned(), value: value.to_owned() };
        (!value.is_empty()).then_some(labelled)
    };
    let title = text(profile, "title");
    (!name.given.is_empty()).then(|| Contact {
        name,
        email: Vec::from_iter(labelled("work", text(profile, "email"))),
        phone: Vec::from_iter(labelled("work", text(profile, "phone"))),
        job_title: Some(title.to_owned()).filter(|title| !title.is_empty()),
        time_zone: Some(text(user, "tz").to_owned()).filter(|zone| !zone.is_empty()),
        ..Contact::default()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_full_members_have_a_say() {
        let membership = |change: &Value, enterprise| {
            let mut user = json!({"id": "U1", "team_id": "T1", "profile": {"display_name": "Ada"}});
            for (name, value) in change.as_object().unwrap() {
                user[name] = value.clone();
            }
            read_person(&user, "T1", enterprise).membership
        };
        assert_eq!(membership(&json!({}), None), Membership::Member);
        for (change, expected) in [
            (json!({"is_restricted": true}), Membership::Guest),
            (json!({"is_ultra_restricted": true}), Membership::Guest),
            (json!({"is_stranger": true}), Membership::Stranger),
            (json!({"deleted": true}), Membership::Deactivated),
            (json!({"is_bot": true}), Membership::Bot),
            (json!({"team_id": "T2"}), Membership::Stranger),
            (json!({"team_id": null}), Membership::Stranger),
        ] {
            assert_eq!(membership(&change, None), expected, "{change}");
        }
        let sibling = json!({"team_id": "T2", "enterprise_user": {"enterprise_id": "E1"}});
        assert_eq!(membership(&sibling, Some("E1")), Membership::Member);
        assert_eq!(membership(&sibling, Some("E2")), Membership::Stranger, "another organisation");
        assert_eq!(membership(&sibling, None), Membership::Stranger, "of no organisation here");
    }

    #[test]
    fn a_profile_becomes_a_card() {
        let user = json!({"real_name": "Ada King Byron", "profile": {
            "email": "ada@example.org", "phone": "", "title": "Analyst", "real_name": "Ada King Byron",
        }});
        insta::assert_json_snapshot!(read_contact(&user), @r#"
        {
          "name": {
            "given": "Ada King",
            "family": "Byron"
          },
          "email": [
            {
              "label": "work",
              "value": "ada@example.org"
            }
          ],
          "phone": [],
          "jobTitle": "Analyst"
        }
        "#);
        let zoned = json!({"real_name": "Ada", "tz": "Europe/London", "tz_offset": 0});
        assert_eq!(read_contact(&zoned).unwrap().time_zone.as_deref(), Some("Europe/London"));
        assert_eq!(read_contact(&json!({"name": "ada"})), None);
    }
}
