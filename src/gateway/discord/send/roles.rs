//! Roles of members: one by one, each with what became of it, and never before the server's own screening is passed:
//! a role given earlier would let the member pass it unseen.
//!
//! ```text
//! discord/roles/500/701   {"roles":["member"],"of":["ses_…","eff_…"]}   given once 701 is past it
//! ```

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::deliver::{Delivered, Sender, Undelivered};
use crate::{
    chat::refusal::Class,
    engine::{self, Inbound, What},
    gateway::discord::{
        api::{Code, Failure},
        app::App,
        people,
        rights::{Hindrance, Rights},
        texts,
    },
    ids::{EffectId, SessionId},
    interview::Responder,
    store::{self, Note},
};

/// The number of the part that says what became of them.
const SAID: u8 = 0;

/// Roles that wait for the screening, or for a member who left.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// Aliases.
    roles: BTreeSet<String>,
    /// The conversation, and the effect that was to give them.
    #[serde(default)]
    of: Option<(SessionId, EffectId)>,
}

/// What became of roles.
#[derive(Debug, Default)]
struct Outcome {
    given: Vec<String>,
    /// With why not, for the member and for staff.
    not: Vec<(String, String)>,
}

impl Outcome {
    /// Which were not given, with why not.
    fn why(&self) -> String {
        let not = self.not.iter().map(|(role, why)| format!("{role}: {why}"));
        not.collect::<Vec<_>>().join("; ")
    }
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
            Err(failure) if matches!(failure.class(), Class::PersonUnreachable(_)) => {
                // Should they come back, they get them then; staff are told that they are gone.
                self.keep((guild, user), aliases).await?;
                self.lost(NOT_THERE);
                return Ok(());
            }
            member => member?,
        };
        if member["pending"] == true {
            self.keep((guild, user), aliases).await?;
            let text = "You get your roles as soon as you have accepted the server's own rules.";
            self.post_to_room(&texts::words(text), SAID, None).await?;
            return Ok(());
        }
        let outcome = give(self.app, (guild, &member), aliases, &reason).await?;
        let told = self.post_to_room(&texts::roles(&outcome.given, &outcome.not), SAID, None).await;
        match told {
            // Told in the log by the call. They have what they have; staff are told of what they have not.
            Err(Undelivered::Call(failure)) if is_for_good(&failure) => {}
            told => drop(told?),
        }
        if outcome.not.is_empty() { Ok(()) } else { Err(Undelivered::Never(outcome.why())) }
    }

    /// Has them wait for the screening.
    async fn keep(
        &self,
        (guild, user): (&str, &str),
        aliases: &[String],
    ) -> Result<(), store::Error> {
        let mut kept = kept(self.app, guild, user).await?.unwrap_or_default();
        kept.roles.extend(aliases.iter().cloned());
        let session = self.effect.session;
        kept.of = Some((session, self.effect.id));
        let value = serde_json::to_string(&kept).ok();
        // It is gone with the conversation, should that be erased before.
        self.app.store.note(Note { key: key(guild, user), session: Some(session), value }).await
    }
}

/// Somebody is past the screening: the roles that waited for it leave as an effect of their conversation. Again: once.
pub(in crate::gateway::discord) async fn give_kept(app: &App, guild: &str, user: &str) {
    let Ok(Some(Kept { roles, of: Some((session, effect)) })) = kept(app, guild, user).await else {
        return;
    };
    let Some(engine) = app.engine() else { return };
    let key = format!("discord:screened:{effect}");
    let from = Responder::without_rights(people::person_id(guild, user), String::new());
    let what = What::MayHaveRoles { roles: roles.into_iter().collect() };
    let taken = engine.receive(Inbound { key, session, from, what }).await;
    // What has been kept again meanwhile stays.
    let is_same =
        matches!(kept(app, guild, user).await, Ok(Some(now)) if now.of == Some((session, effect)));
    let noted = match taken {
        Ok(_) | Err(engine::Error::NoSession) if !is_same => return,
        Ok(_) | Err(engine::Error::NoSession) => {
            app.store.note(nothing_kept(session, guild, user)).await
        }
        Err(error) => {
            tracing::warn!(session.id = %session, %error, "roles go on waiting");
            return;
        }
    };
    if let Err(error) = noted {
        tracing::warn!(session.id = %session, %error, "that roles have left is not noted");
    }
}

fn nothing_kept(session: SessionId, guild: &str, user: &str) -> Note {
    Note { key: key(guild, user), session: Some(session), value: None }
}

async fn kept(app: &App, guild: &str, user: &str) -> Result<Option<Kept>, store::Error> {
    let note = app.store.noted(&key(guild, user)).await?;
    Ok(note.and_then(|note| serde_json::from_str(&note.value?).ok()))
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
                refuse(words(Hindrance::TooLow));
            }
            Err(failure) if failure.is(Code::UnknownMember) => refuse("they have left the server"),
            Err(failure) if is_for_good(&failure) => refuse(&failure.in_words()),
            Err(failure) => return Err(failure),
        }
    }
    Ok(outcome)
}

/// Whether the same is refused again, and nobody outside can mend it.
fn is_for_good(failure: &Failure) -> bool {
    matches!(
        failure.class(),
        Class::Final
            | Class::Plain
            | Class::Shorten
            | Class::MessageGone
            | Class::Uneditable
            | Class::PersonUnreachable(_)
    )
}

/// Why nobody is given anything, and the conversation pauses.
pub(super) const NOT_THERE: &str = "they are not in the server any more";

/// Why a role was not given, for the member and for staff.
const fn words(hindrance: Hindrance) -> &'static str {
    match hindrance {
        Hindrance::Gone => "the role does not exist any more",
        Hindrance::MayNot => "I may not manage roles here; a moderator can allow it",
        Hindrance::TooLow => "my own role stands below it; a moderator can move mine up",
        Hindrance::Managed => "nobody can be given that role",
    }
}
