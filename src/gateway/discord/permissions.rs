//! What the bot may do in a server and in its channels, computed as Discord computes it (docs, topics/permissions): so
//! that what would be refused is known before.
//!
//! Pure: roles, the bot's own membership and channels come in as Discord lists them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use serenity::model::Permissions;

/// How far the bot's hand reaches in a server.
#[derive(Debug, Clone)]
pub struct Rights {
    guild: String,
    me: String,
    held: BTreeSet<String>,
    roles: BTreeMap<String, Role>,
    /// The highest role of its own: the name and where it stands.
    highest: (String, u64),
    /// Everywhere in the server, before a channel says otherwise.
    pub everywhere: Permissions,
}

#[derive(Debug, Clone)]
struct Role {
    name: String,
    position: u64,
    permissions: Permissions,
    /// It belongs to an application, to boosting or to a subscription: nobody gives it.
    is_managed: bool,
    /// Whoever mentions it calls its members.
    is_mentionable: bool,
}

/// Why a role cannot be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hindrance {
    /// It is not there (any more).
    Gone,
    /// The bot may not manage roles.
    MayNot,
    /// The bot's own highest role does not stand above it.
    TooLow,
    /// Nobody gives it: it belongs to an application, to boosting, or to everybody.
    Managed,
}

impl Rights {
    /// Of the roles of a server and the bot's own membership.
    pub fn of(guild: &str, roles: &[Value], me: &Value) -> Self {
        // Everybody has the role that is named as the server.
        let held: BTreeSet<String> =
            texts_of(&me["roles"]).chain([guild]).map(str::to_owned).collect();
        let roles: BTreeMap<String, Role> = roles.iter().filter_map(read).collect();
        let own = || held.iter().filter_map(|id| roles.get(id));
        let highest = own().max_by_key(|role| role.position);
        let highest = highest.map(|role| (role.name.clone(), role.position)).unwrap_or_default();
        let everywhere = own().fold(Permissions::empty(), |all, role| all | role.permissions);
        let everywhere = if everywhere.administrator() { Permissions::all() } else { everywhere };
        let me = me["user"]["id"].as_str().unwrap_or_default().to_owned();
        Self { guild: guild.to_owned(), me, held, roles, highest, everywhere }
    }

    /// What a role is called.
    pub fn name_of(&self, role: &str) -> Option<&str> {
        self.roles.get(role).map(|role| role.name.as_str())
    }

    /// What the bot's own highest role is called.
    pub(crate) fn own_role(&self) -> &str {
        &self.highest.0
    }

    /// Whether the bot can give a role.
    pub(crate) fn may_give(&self, role: &str) -> Result<(), Hindrance> {
        match self.roles.get(role) {
            None => Err(Hindrance::Gone),
            Some(known) if known.is_managed || role == self.guild => Err(Hindrance::Managed),
            Some(_) if !self.everywhere.manage_roles() => Err(Hindrance::MayNot),
            Some(known) if known.position >= self.highest.1 => Err(Hindrance::TooLow),
            Some(_) => Ok(()),
        }
    }

    /// What the bot may do in a channel of the server.
    pub fn in_channel(&self, channel: &Value) -> Permissions {
        if self.everywhere.administrator() {
            return self.everywhere;
        }
        let all = channel["permission_overwrites"].as_array().map_or(&[][..], Vec::as_slice);
        let id = |said: &Value| said["id"].as_str().unwrap_or_default().to_owned();
        let bits = |said: &Value, key: &str| permissions(&said[key]);
        let one = |rights: Permissions, who: &str| {
            let said = all.iter().find(|said| id(said) == who);
            said.map_or(rights, |said| rights & !bits(said, "deny") | bits(said, "allow"))
        };
        let rights = one(self.everywhere, &self.guild);
        let of_roles = all.iter().filter(|said| {
            let role = id(said);
            role != self.guild && self.held.contains(&role)
        });
        let none = (Permissions::empty(), Permissions::empty());
        let (allow, deny) = of_roles.fold(none, |(allow, deny), said| {
            (allow | bits(said, "allow"), deny | bits(said, "deny"))
        });
        let rights = one(rights & !deny | allow, &self.me);
        if rights.view_channel() { rights } else { Permissions::empty() }
    }

    /// Whether a role that the bot mentions in a channel calls those who have it.
    pub(crate) fn may_call(&self, role: &str, channel: &Value) -> bool {
        self.roles.get(role).is_some_and(|role| role.is_mentionable)
            || self.in_channel(channel).mention_everyone()
    }

    /// Whether everybody who is new in the server sees a channel of it.
    pub(crate) fn is_seen_by_all(&self, channel: &Value) -> bool {
        let base = self.roles.get(&self.guild).map_or(Permissions::empty(), |all| all.permissions);
        let everybody = Self {
            held: BTreeSet::from([self.guild.clone()]),
            me: String::new(),
            everywhere: base,
            ..self.clone()
        };
        everybody.in_channel(channel).view_channel()
    }
}

fn read(role: &Value) -> Option<(String, Role)> {
    let id = role["id"].as_str()?.to_owned();
    let known = Role {
        name: role["name"].as_str().unwrap_or(&id).to_owned(),
        position: role["position"].as_u64().unwrap_or(0),
        permissions: permissions(&role["permissions"]),
        is_managed: role["managed"] == true,
        is_mentionable: role["mentionable"] == true,
    };
    Some((id, known))
}

fn permissions(bits: &Value) -> Permissions {
    let bits = bits.as_str().and_then(|bits| bits.parse().ok());
    Permissions::from_bits_truncate(bits.unwrap_or(0))
}

fn texts_of(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn role(id: &str, position: u64, permissions: Permissions) -> Value {
        let bits = permissions.bits().to_string();
        json!({ "id": id, "name": id, "position": position, "permissions": bits })
    }

    fn rights(held: &[&str]) -> Rights {
        let none = Permissions::empty();
        let mut roles = vec![
            role("1", 0, Permissions::VIEW_CHANNEL | Permissions::SEND_MESSAGES),
            role("2", 5, Permissions::MANAGE_ROLES),
            role("3", 4, none),
            role("4", 5, none),
            role("5", 9, none),
            role("7", 1, none),
            role("8", 9, Permissions::ADMINISTRATOR),
        ];
        roles[5]["managed"] = true.into();
        Rights::of("1", &roles, &json!({ "user": { "id": "900" }, "roles": held }))
    }

    #[test]
    fn only_what_stands_below_can_be_given() {
        let mine = rights(&["2"]);
        assert_eq!(mine.may_give("3"), Ok(()));
        assert_eq!(mine.may_give("4"), Err(Hindrance::TooLow));
        assert_eq!(mine.may_give("5"), Err(Hindrance::TooLow));
        assert_eq!(mine.may_give("6"), Err(Hindrance::Gone));
        assert_eq!(mine.may_give("7"), Err(Hindrance::Managed));
        assert_eq!(mine.may_give("1"), Err(Hindrance::Managed));
        assert_eq!(rights(&[]).may_give("3"), Err(Hindrance::MayNot));
        assert_eq!(rights(&["8"]).may_give("3"), Ok(()));
    }

    #[test]
    fn a_role_is_called_where_it_may_be_mentioned_or_the_bot_may_mention_all() {
        let channel = json!({ "permission_overwrites": [] });
        let mut open = role("6", 1, Permissions::empty());
        open["mentionable"] = true.into();
        let roles =
            [role("1", 0, Permissions::VIEW_CHANNEL), role("3", 1, Permissions::empty()), open];
        let may = |held: &[&str], roles: &[Value]| {
            let mine = Rights::of("1", roles, &json!({ "user": { "id": "900" }, "roles": held }));
            ["3", "6", "7"].map(|role| mine.may_call(role, &channel))
        };
        assert_eq!(may(&[], &roles), [false, true, false]);
        let caller = role("2", 5, Permissions::MENTION_EVERYONE);
        assert_eq!(may(&["2"], &[&roles[..], &[caller]].concat()), [true, true, true]);
    }

    #[test]
    fn a_channel_says_otherwise_for_everybody_then_for_roles_then_for_one() {
        let said = |id: &str, allow: Permissions, deny: Permissions| json!({ "id": id, "allow": allow.bits().to_string(), "deny": deny.bits().to_string() });
        let (view, send) = (Permissions::VIEW_CHANNEL, Permissions::SEND_MESSAGES);
        let none = Permissions::empty();
        let channel = |over: Vec<Value>| json!({ "permission_overwrites": over });
        let mine = rights(&["2"]);
        let may = |over: Vec<Value>| mine.in_channel(&channel(over));
        assert_eq!(may(vec![]), view | send | Permissions::MANAGE_ROLES);
        assert_eq!(may(vec![said("1", none, view)]), none);
        assert!(may(vec![said("1", none, view), said("2", view, none)]).view_channel());
        assert!(!may(vec![said("2", none, send)]).send_messages());
        assert!(may(vec![said("2", none, send), said("900", send, none)]).send_messages());
        assert!(may(vec![said("3", none, view)]).view_channel(), "a role that is not its own");
        assert_eq!(
            rights(&["8"]).in_channel(&channel(vec![said("1", none, view)])),
            Permissions::all()
        );
        assert!(mine.is_seen_by_all(&channel(vec![])));
        assert!(!mine.is_seen_by_all(&channel(vec![said("1", none, view), said("2", view, none)])));
    }
}
