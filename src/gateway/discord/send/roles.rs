//! Roles of members: one by one, each with what became of it, and never before the server's own screening is passed:
//! a role given earlier would let the member pass it unseen.
//!
//! ```text
//! discord/roles/500/701   {"reason":"…","roles":["member"],"of":["ses_…","eff_…"]}   given once 701 is past it
//! ```

use std::{collections::BTreeSet, time::Duration};

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
    ids::{EffectId, SessionId},
    model::effect::{Act, Effect, Recipient},
    store::{self, Note},
};

/// The number of the part that says what became of them.
const SAID: u8 = 0;

/// The number of the part that tells staff.
const WARNED: u8 = 58;

/// The numbers of the parts that say the same of roles that waited: to the member, to staff.
const SAID_LATE: u8 = 57;
const WARNED_LATE: u8 = 56;

/// Attempts to give roles that waited, once the screening is passed, and the pause after the first; it doubles. After
/// that they wait until something is heard of the member again.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(500);

/// Roles that wait for the screening, or for a member who left.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// Why they are given, for the server's audit log.
    reason: String,
    /// Aliases.
    roles: BTreeSet<String>,
    /// The conversation, and the effect under which it is told what became of them.
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
            Err(failure) if failure.is(Code::UnknownMember) => {
                // Should they come back, they get them then.
                self.keep((guild, user), aliases, &reason).await?;
                self.lost(NOT_THERE);
                return Err(Undelivered::Never(NOT_THERE.to_owned()));
            }
            member => member?,
        };
        if member["pending"] == true {
            self.keep((guild, user), aliases, &reason).await?;
            let text = "You get your roles as soon as you have accepted the server's own rules.";
            self.post_to_room(&texts::words(text), SAID, None).await?;
            return Ok(());
        }
        let outcome = give(self.app, (guild, &member), aliases, &reason).await?;
        self.post_to_room(&texts::roles(&outcome.given, &outcome.not), SAID, None).await?;
        if outcome.not.is_empty() {
            return Ok(());
        }
        self.warn(&look, &outcome.why(), WARNED).await?;
        Err(Undelivered::Never(outcome.why()))
    }

    /// Has them wait for the screening.
    async fn keep(
        &self,
        (guild, user): (&str, &str),
        aliases: &[String],
        reason: &str,
    ) -> Result<(), store::Error> {
        let mut kept = kept(self.app, guild, user).await?.unwrap_or_default();
        kept.roles.extend(aliases.iter().cloned());
        reason.clone_into(&mut kept.reason);
        let session = self.effect.session;
        kept.of = Some((session, self.effect.id));
        let value = serde_json::to_string(&kept).ok();
        // It is gone with the conversation, should that be erased before.
        self.app.store.note(Note { key: key(guild, user), session: Some(session), value }).await
    }

    /// Tells the member what became of roles that waited, and staff what a moderator can mend.
    async fn tell_late(&self, outcome: &Outcome) -> Delivered<()> {
        self.post_to_room(&texts::roles(&outcome.given, &outcome.not), SAID_LATE, None).await?;
        if outcome.not.is_empty() {
            return Ok(());
        }
        self.warn(&self.look().await?, &outcome.why(), WARNED_LATE).await
    }

    /// Tells staff what a moderator can mend.
    async fn warn(&self, look: &Look, why: &str, part: u8) -> Delivered<()> {
        let Some(alias) = &look.flow.flow.handoff.channel else { return Ok(()) };
        let Ok(channel) = self.channel(alias) else { return Ok(()) };
        let target = self.staff_thread(alias, channel, look).await?;
        let person = render::text::said(&look.state.person_in_words(), limits::QUOTE);
        let why = render::text::said(why, limits::CONTENT / 2);
        let text = format!("{person} did not get every role. {why}.");
        self.post(&target.channel, &texts::words(text), part).await.map(drop)
    }
}

/// Gives the roles that waited until somebody is past the screening. What goes wrong on the way is tried again some
/// times, and then told to staff; the roles go on waiting until something is heard of the member.
pub(in crate::gateway::discord) async fn give_kept(app: &App, guild: &str, user: &str) {
    let Ok(Some(kept)) = kept(app, guild, user).await else { return };
    let mut pause = PAUSE;
    let mut last = String::new();
    for attempt in 1..=ATTEMPTS {
        match give_once(app, (guild, user), &kept).await {
            Ok(()) | Err(Undelivered::NotApplicable | Undelivered::Never(_)) => return,
            Err(Undelivered::Call(failure)) => {
                last = failure.to_string();
                // The same is refused again: staff are told at once.
                if matches!(failure, Failure::Refused { .. }) {
                    break;
                }
            }
            Err(Undelivered::Later | Undelivered::Unclear { .. }) => {
                "it could not be noted".clone_into(&mut last);
            }
        }
        tracing::warn!(attempt, why = last, "roles that waited are given later");
        if attempt < ATTEMPTS {
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
    }
    let Some(effect) = telling(app, &kept).await else { return };
    let sender = Sender::new(app, &effect);
    let why = format!("The roles wait, for they could not be given now: {last}");
    if let Ok(look) = sender.look().await {
        // Told in the log by the calls.
        _ = sender.warn(&look, &why, WARNED_LATE).await;
    }
    app.ledger.note_or_tell(effect.session, &sender.trail.take()).await;
}

/// One attempt; nothing is left to do where it is well.
async fn give_once(app: &App, (guild, user): (&str, &str), kept: &Kept) -> Delivered<()> {
    let member = app.api.member(guild, user).await?;
    if member["pending"] == true {
        return Ok(());
    }
    let aliases: Vec<String> = kept.roles.iter().cloned().collect();
    let outcome = give(app, (guild, &member), &aliases, &kept.reason).await?;
    if let Some(effect) = telling(app, kept).await {
        let sender = Sender::new(app, &effect);
        let told = sender.tell_late(&outcome).await;
        app.ledger.note_or_tell(effect.session, &sender.trail.take()).await;
        match told {
            // Somebody else has to see to it that they can be told.
            Err(Undelivered::Call(Failure::Refused { .. }) | Undelivered::Never(_)) | Ok(()) => {}
            Err(undelivered) => return Err(undelivered),
        }
    }
    for (role, why) in &outcome.not {
        tracing::warn!(role, why, "a role could not be given");
    }
    let session = kept.of.map(|(session, _)| session);
    Ok(app.store.note(Note { key: key(guild, user), session, value: None }).await?)
}

/// The effect under which it is told what became of roles that waited: the one that was to give them. None where the
/// conversation is gone, or nobody knows which it was.
async fn telling(app: &App, kept: &Kept) -> Option<Effect> {
    let (session, effect) = kept.of?;
    let look = app.engine()?.look(session).await.ok()?;
    let act = Act::AddRoles { roles: kept.roles.iter().cloned().collect() };
    let to = (Recipient::Participant, act);
    Some(Effect::new(effect, (session, look.state.place.clone()), to, app.clock.now()))
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
            Err(failure) => return Err(failure),
        }
    }
    Ok(outcome)
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
