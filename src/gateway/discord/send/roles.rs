//! Roles of members: one by one, each with what became of it, and never before the server's own screening is passed:
//! a role given earlier would let the member pass it unseen.
//!
//! ```text
//! discord/roles/500/701   {"session":"ses_…","roles":["member"]}   given once 701 is past the screening of 500
//! ```

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::deliver::{Delivered, Sender, Undelivered};
use crate::{
    engine::Look,
    gateway::discord::{
        api::{Code, Failure},
        app::App,
        limits, render,
        rights::{Hindrance, Rights},
        texts,
    },
    store::{self, Note},
};

/// The number of the part that says what became of them.
const SAID: u8 = 0;

/// The number of the part that tells staff.
const WARNED: u8 = 58;

/// Roles that wait for the screening.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// Why they are given, for the server's audit log.
    reason: String,
    /// Aliases.
    roles: BTreeSet<String>,
}

/// What became of roles.
#[derive(Debug, Default)]
struct Outcome {
    given: Vec<String>,
    /// With why not, for the member and for staff.
    not: Vec<(String, String)>,
}

impl Sender<'_> {
    /// Gives roles by their aliases, and tells the member of each.
    pub(super) async fn add_roles(&self, aliases: &[String]) -> Delivered<()> {
        let look = self.look().await?;
        let guild = &self.effect.place.workspace;
        let user = &look.state.participant.user;
        let reason = match self.effect.carries.as_ref().and_then(|of| look.flow.phase(&of.phase)) {
            Some(phase) => format!("{}: {}", look.flow.flow.title, phase.title),
            None => look.flow.flow.title.clone(),
        };
        let member = match self.app.api.member(guild, user).await {
            Err(failure) if failure.is(Code::UnknownMember) => {
                return Err(Undelivered::Never("they are not in the server any more".to_owned()));
            }
            member => member?,
        };
        if member["pending"] == true {
            keep(self.app, (guild, user), aliases, &reason).await?;
            let text = "You get your roles as soon as you have accepted the server's own rules.";
            self.post_to_room(&texts::words(text), SAID).await?;
            return Ok(());
        }
        let outcome = give(self.app, (guild, &member), aliases, &reason).await?;
        self.post_to_room(&texts::roles(&outcome.given, &outcome.not), SAID).await?;
        if outcome.not.is_empty() {
            return Ok(());
        }
        let why = outcome.not.iter().map(|(role, why)| format!("{role}: {why}"));
        let why = why.collect::<Vec<_>>().join("; ");
        self.warn(&look, &why).await?;
        Err(Undelivered::Never(why))
    }

    /// Tells staff what a moderator can mend.
    async fn warn(&self, look: &Look, why: &str) -> Delivered<()> {
        let Some(alias) = &look.flow.flow.handoff.channel else { return Ok(()) };
        let Ok(channel) = self.channel(alias) else { return Ok(()) };
        let target = self.staff_thread(alias, channel, look).await?;
        let person = render::text::said(&look.state.person_in_words(), limits::QUOTE);
        let why = render::text::said(why, limits::CONTENT / 2);
        let text = format!("{person} did not get every role. {why}.");
        self.post(&target.channel, &texts::words(text), WARNED).await.map(drop)
    }
}

/// Gives the roles that waited until somebody is past the screening.
pub(in crate::gateway::discord) async fn give_kept(app: &App, guild: &str, user: &str) {
    let Ok(Some(kept)) = kept(app, guild, user).await else { return };
    let Ok(member) = app.api.member(guild, user).await else { return };
    if member["pending"] == true {
        return;
    }
    let aliases: Vec<String> = kept.roles.into_iter().collect();
    let outcome = match give(app, (guild, &member), &aliases, &kept.reason).await {
        Ok(outcome) => outcome,
        // They stay kept for the next time something is heard of the member.
        Err(failure) => return tracing::warn!(%failure, "roles wait on"),
    };
    for (role, why) in &outcome.not {
        tracing::warn!(role, why, "a role could not be given");
    }
    let note = Note { key: key(guild, user), session: None, value: None };
    if let Err(error) = app.store.note(note).await {
        tracing::warn!(%error, "roles that were given are still noted");
    }
}

async fn kept(app: &App, guild: &str, user: &str) -> Result<Option<Kept>, store::Error> {
    let note = app.store.noted(&key(guild, user)).await?;
    Ok(note.and_then(|note| serde_json::from_str(&note.value?).ok()))
}

async fn keep(
    app: &App,
    (guild, user): (&str, &str),
    aliases: &[String],
    reason: &str,
) -> Result<(), store::Error> {
    let mut kept = kept(app, guild, user).await?.unwrap_or_default();
    kept.roles.extend(aliases.iter().cloned());
    reason.clone_into(&mut kept.reason);
    let value = serde_json::to_string(&kept).ok();
    app.store.note(Note { key: key(guild, user), session: None, value }).await
}

fn key(guild: &str, user: &str) -> String {
    format!("discord/roles/{guild}/{user}")
}

/// Gives roles one by one. What stands in the way of one does not stand in the way of the others.
async fn give(
    app: &App,
    (guild, member): (&str, &Value),
    aliases: &[String],
    reason: &str,
) -> Result<Outcome, Failure> {
    let user = member["user"]["id"].as_str().unwrap_or_default();
    let held = member["roles"].as_array().map_or(&[][..], Vec::as_slice);
    let ids = app.settings.discord.as_ref().map(|discord| &discord.roles);
    // Asked before, so that nothing is refused that can be foreseen.
    let mine = app.api.member(guild, app.me().await?).await?;
    let rights = Rights::of(guild, &app.api.roles(guild).await?, &mine);
    let mut outcome = Outcome::default();
    for alias in aliases {
        let Some(id) = ids.and_then(|ids| ids.get(alias)) else {
            outcome
                .not
                .push((alias.clone(), "the team has not said which role that is".to_owned()));
            continue;
        };
        let name = rights.name_of(id).unwrap_or(alias).to_owned();
        let mut refuse = |why: &str| outcome.not.push((name.clone(), why.to_owned()));
        if held.iter().any(|held| held == id) {
            outcome.given.push(name);
            continue;
        }
        if let Err(hindrance) = rights.may_give(id) {
            refuse(words(hindrance));
            continue;
        }
        match app.api.give_role((guild, user), id, reason).await {
            Ok(()) => outcome.given.push(name),
            Err(failure) if failure.is(Code::UnknownRole) => refuse(words(Hindrance::Gone)),
            Err(failure) if failure.is(Code::MissingPermissions) => {
                refuse(words(Hindrance::TooLow))
            }
            Err(failure) if failure.is(Code::UnknownMember) => refuse("they have left the server"),
            Err(failure) => return Err(failure),
        }
    }
    Ok(outcome)
}

/// Why a role was not given, for the member and for staff.
const fn words(hindrance: Hindrance) -> &'static str {
    match hindrance {
        Hindrance::Gone => "the role does not exist any more",
        Hindrance::MayNot => "I may not manage roles here; a moderator can allow it",
        Hindrance::TooLow => "my own role stands below it; a moderator can move mine up",
        Hindrance::Managed => "nobody can be given that role",
    }
}
