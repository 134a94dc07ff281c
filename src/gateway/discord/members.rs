//! What is known of members and of the bot's own rights without asking Discord: interactions and events carry the
//! member they are about, and a server's roles seldom change.
//!
//! What is known is an aid and no proof. Whoever wants to say that something cannot be done forgets it and asks first.

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use chrono::{DateTime, TimeDelta, Utc};
use moka::sync::Cache;
use serde_json::Value;
use tokio::sync::Mutex;

use super::{
    api::{Api, Failure},
    inbound::{self, Actor, Incoming},
    parse,
    permissions::Rights,
};
use crate::base::clock::Clock;

/// How long a member is remembered: for longer where Discord tells of everything that happens to one. And how many are.
const MEMBER: TimeDelta = TimeDelta::minutes(1);
const MEMBER_TOLD: TimeDelta = TimeDelta::minutes(10);
const MEMBERS_MAX: u64 = 10_000;

/// How long it is remembered what the bot may do in a server, and in how many.
const RIGHTS: TimeDelta = TimeDelta::minutes(5);
const SERVERS_MAX: u64 = 1_000;

/// Locks that servers share while their roles are asked for: a crowd asks once.
const ASKING: usize = 16;

/// A member of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Member {
    /// Snowflakes of their roles.
    pub(super) roles: BTreeSet<String>,
    /// Roles that the bot has given since then.
    pub(super) given: BTreeSet<String>,
    /// Discord's flags, where they are known.
    pub(super) flags: Option<u64>,
    /// They have not passed the server's screening yet, where that is known.
    pub(super) is_pending: Option<bool>,
    /// Address of their picture; empty where it is not known.
    pub(super) avatar: String,
}

impl Member {
    /// Whether they have a role, as far as is known.
    pub(super) fn has(&self, role: &str) -> bool {
        self.roles.contains(role) || self.given.contains(role)
    }

    /// As an interaction or an event says.
    fn told(member: &inbound::Member) -> Self {
        let is_known = member.is_pending || member.is_screened;
        Self {
            roles: member.roles.iter().cloned().collect(),
            given: BTreeSet::new(),
            flags: member.flags,
            is_pending: is_known.then_some(member.is_pending),
            avatar: String::new(),
        }
    }

    /// As Discord answers.
    fn read(member: &Value) -> Self {
        let roles = member["roles"].as_array().into_iter().flatten();
        Self {
            roles: roles.filter_map(|role| role.as_str().map(str::to_owned)).collect(),
            given: BTreeSet::new(),
            flags: Some(member["flags"].as_u64().unwrap_or(0)),
            is_pending: Some(member["pending"] == true),
            avatar: parse::avatar(&member["user"]),
        }
    }
}

/// A server and a user.
type Who = (String, String);

/// Something that was true at a time.
#[derive(Debug, Clone)]
struct Seen<T> {
    at: DateTime<Utc>,
    what: T,
}

/// Members and rights, as they were a short while ago.
#[derive(Debug)]
pub(super) struct Members {
    api: Api,
    clock: Arc<dyn Clock>,
    kept: TimeDelta,
    seen: Cache<Who, Seen<Member>>,
    rights: Cache<String, Seen<Arc<Rights>>>,
    asking: [Mutex<()>; ASKING],
    /// How often rights were forgotten: an answer that was asked for before is not kept.
    forgotten: AtomicU64,
}

impl Members {
    /// Nothing is known. `is_told` where Discord tells when members change or leave.
    pub(super) fn new(api: Api, clock: Arc<dyn Clock>, is_told: bool) -> Self {
        Self {
            api,
            clock,
            kept: if is_told { MEMBER_TOLD } else { MEMBER },
            seen: Cache::new(MEMBERS_MAX),
            rights: Cache::new(SERVERS_MAX),
            asking: std::array::from_fn(|_| Mutex::default()),
            forgotten: AtomicU64::new(0),
        }
    }

    /// Learns from what comes in.
    pub(super) fn observe(&self, guild: Option<&str>, what: &Incoming) {
        if matches!(what, Incoming::Begun(_)) {
            // Nobody tells what happened before.
            self.seen.invalidate_all();
            self.rights.invalidate_all();
            self.forgotten.fetch_add(1, Ordering::SeqCst);
            return;
        }
        let Some(guild) = guild else { return };
        match what {
            Incoming::Action(action) => self.told(guild, &action.by),
            Incoming::Submitted(form) => self.told(guild, &form.by),
            Incoming::Command(command) => self.told(guild, &command.by),
            Incoming::MemberJoined(by) | Incoming::MemberChanged(by) => self.told(guild, by),
            Incoming::MemberLeft { user, .. } => self.forget(guild, user),
            Incoming::RolesChanged | Incoming::GuildBack | Incoming::GuildGone => {
                self.forget_rights(guild);
            }
            // What people write carries only a part of what they are.
            Incoming::Message(_)
            | Incoming::Edited { .. }
            | Incoming::Deleted { .. }
            | Incoming::ChannelGone { .. }
            | Incoming::ThreadChanged { .. }
            | Incoming::Permitted
            | Incoming::Begun(_)
            | Incoming::Ping
            | Incoming::Ignored { .. }
            | Incoming::Unknown { .. } => {}
        }
    }

    fn told(&self, guild: &str, by: &Actor) {
        if let Some(member) = &by.member {
            let member = Member { avatar: by.avatar.clone(), ..Member::told(member) };
            self.note(guild, &by.user, member);
        }
    }

    fn note(&self, guild: &str, user: &str, what: Member) {
        let seen = Seen { at: self.clock.now(), what };
        self.seen.insert(who(guild, user), seen);
    }

    /// A member as they were a short while ago.
    pub(super) fn known(&self, guild: &str, user: &str) -> Option<Member> {
        let seen = self.seen.get(&who(guild, user))?;
        self.is_recent(seen.at, self.kept).then_some(seen.what)
    }

    /// The bot has given a member a role.
    pub(super) fn given(&self, guild: &str, user: &str, role: &str) {
        if let Some(mut seen) = self.seen.get(&who(guild, user)) {
            seen.what.given.insert(role.to_owned());
            self.seen.insert(who(guild, user), seen);
        }
    }

    /// What is known of a member may be wrong.
    pub(super) fn forget(&self, guild: &str, user: &str) {
        self.seen.invalidate(&who(guild, user));
    }

    /// What the bot may do in a server may be otherwise.
    pub(super) fn forget_rights(&self, guild: &str) {
        self.rights.invalidate(guild);
        self.forgotten.fetch_add(1, Ordering::SeqCst);
    }

    fn known_rights(&self, guild: &str) -> Option<Arc<Rights>> {
        let seen = self.rights.get(guild)?;
        self.is_recent(seen.at, RIGHTS).then_some(seen.what)
    }

    fn is_recent(&self, at: DateTime<Utc>, within: TimeDelta) -> bool {
        let age = self.clock.now() - at;
        // A clock that was set back tells no age.
        age >= TimeDelta::zero() && age < within
    }

    /// A member as Discord says.
    pub(super) async fn ask(&self, guild: &str, user: &str) -> Result<Member, Failure> {
        let member = Member::read(&self.api.member(guild, user).await?);
        self.note(guild, user, member.clone());
        Ok(member)
    }

    /// Address of a member's picture; `None` if Discord does not say.
    pub(super) async fn avatar_of(&self, guild: &str, user: &str) -> Option<String> {
        let known = self.known(guild, user).filter(|member| !member.avatar.is_empty());
        let member = match known {
            Some(member) => member,
            None => self.ask(guild, user).await.ok()?,
        };
        Some(member.avatar)
    }

    /// What the bot, whose user is `me`, may do in a server.
    pub(super) async fn rights_in(&self, guild: &str, me: &str) -> Result<Arc<Rights>, Failure> {
        if let Some(known) = self.known_rights(guild) {
            return Ok(known);
        }
        let _one_at_a_time = self.asking[lock_of(guild)].lock().await;
        if let Some(known) = self.known_rights(guild) {
            return Ok(known);
        }
        let before = self.forgotten.load(Ordering::SeqCst);
        let at = self.clock.now();
        let mine = self.api.member(guild, me).await?;
        let rights = Arc::new(Rights::of(guild, &self.api.roles(guild).await?, &mine));
        if self.forgotten.load(Ordering::SeqCst) == before {
            self.rights.insert(guild.to_owned(), Seen { at, what: Arc::clone(&rights) });
        }
        Ok(rights)
    }
}

fn who(guild: &str, user: &str) -> Who {
    (guild.to_owned(), user.to_owned())
}

fn lock_of(guild: &str) -> usize {
    let mut hasher = DefaultHasher::new();
    guild.hash(&mut hasher);
    usize::try_from(hasher.finish() % ASKING as u64).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base::clock::FixedClock, config::Secret, gateway::discord::api::Pace};

    fn member(roles: &[&str]) -> inbound::Member {
        let roles = roles.iter().map(|&role| role.to_owned()).collect();
        inbound::Member { roles, is_screened: true, flags: Some(0), ..inbound::Member::default() }
    }

    fn changed(member: inbound::Member) -> Incoming {
        let member = Some(member);
        Incoming::MemberChanged(Actor { user: "7".to_owned(), member, ..Actor::default() })
    }

    fn members() -> (Arc<FixedClock>, Members) {
        let clock = Arc::new(FixedClock::new("2026-11-02T14:05:00Z".parse().unwrap()));
        let api = Api::new("http://127.0.0.1:9", Secret::new("token"), Pace::default()).unwrap();
        (Arc::clone(&clock), Members::new(api, clock, false))
    }

    #[test]
    fn member_is_known_from_a_payload_for_a_minute() {
        let (clock, members) = members();
        assert_eq!(members.known("5", "7"), None);
        members.observe(Some("5"), &changed(member(&["1"])));
        members.given("5", "7", "2");
        let known = members.known("5", "7").unwrap();
        assert!(known.has("1") && known.has("2") && !known.has("3"));
        assert_eq!(known.is_pending, Some(false));
        assert_eq!(members.known("6", "7"), None, "another server");
        clock.advance(MEMBER);
        assert_eq!(members.known("5", "7"), None);
    }

    #[test]
    fn member_is_forgotten_when_they_leave_or_a_session_begins() {
        let (_, members) = members();
        let left = Incoming::MemberLeft { user: "7".to_owned(), is_banned: false };
        let begun = Incoming::Begun(inbound::Share { shard: 0, of: 1 });
        for (guild, what) in [(Some("5"), left), (None, begun)] {
            members.observe(Some("5"), &changed(member(&[])));
            members.observe(guild, &what);
            assert_eq!(members.known("5", "7"), None);
        }
    }

    #[test]
    fn screening_is_unknown_where_the_payload_says_nothing_of_it() {
        let (_, members) = members();
        let silent = inbound::Member { is_screened: false, ..member(&[]) };
        let pending = inbound::Member { is_pending: true, ..silent.clone() };
        for (told, is_pending) in [(silent, None), (pending, Some(true))] {
            members.observe(Some("5"), &changed(told));
            assert_eq!(members.known("5", "7").unwrap().is_pending, is_pending);
        }
    }
}
