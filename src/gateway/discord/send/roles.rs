//! Roles of members: one by one, each with what became of it, and never before the server's own screening is passed:
//! a role given earlier would let the member pass it unseen.
//!
//! ```text
//! discord/roles/500/701/ses_…   {"roles":["member"],"of":["ses_…","eff_…"]}   given once 701 is past it
//! discord/given/wait_…          ["Learner","Events"]                          given for the answer to this question
//! ```
//!
//! Each conversation keeps its own, for they go with it when it is erased. Under `discord/roles/500/701` stands what an
//! older program kept for all conversations of 701.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{
    post::Edited,
    sender::{Delivered, Sender, Undelivered},
};
use crate::{
    base::ids::{EffectId, SessionId, WaitId},
    chat::{catch_up::to_read, courier::Courier as _, message_index::MessageRef, refusal::Class},
    engine::{self, Inbound, InboundKind, Look},
    gateway::discord::{
        api::{Code, Failure},
        app::App,
        limits,
        members::Member,
        people,
        permissions::{Hindrance, Rights},
        render,
        screening::Unscreened,
        texts,
    },
    messages,
    model::{
        flow::PhaseEffect,
        session::{Head, PersonId, Platform},
        transcript::Origin,
        wait::{Answerers, Purpose, Wait},
    },
    session::{CallState, Responder},
    store::{self, Find, Note},
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
    /// One was refused, or would have been, for what the server, the bot or the member is: that may have changed since it
    /// was asked for.
    is_doubtful: bool,
}

/// Who is given roles, and by what that is judged.
struct Facts<'a> {
    guild: &'a str,
    user: &'a str,
    member: &'a Member,
    rights: &'a Rights,
    /// Discord said just now what the member is.
    was_asked: bool,
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
    pub(super) async fn give_roles(&self, aliases: &[String]) -> Delivered<()> {
        let look = self.look().await?;
        let guild = &self.effect.place.workspace;
        let user = &look.state.participant.user;
        let reason = match self.effect.carries.as_ref().and_then(|of| look.flow.phase(&of.phase)) {
            Some(phase) => format!("{}: {}", look.flow.flow.title, phase.title),
            None => look.flow.flow.title.clone(),
        };
        let Some(outcome) = self.give((guild, user), aliases, &reason).await? else {
            return Ok(());
        };
        let approval = self.approval(&look);
        if outcome.not.is_empty()
            && approval.is_none()
            && self.note_on_card(&look, &outcome.given).await?
        {
            return Ok(());
        }
        let agreed = approval.and_then(|wait| wait.status.answer());
        let message = if outcome.not.is_empty() {
            texts::new_roles(&outcome.given, agreed.map(|(_, by, name, _)| (by, name.as_str())))
        } else {
            texts::roles(&outcome.given, &outcome.not)
        };
        let told = self.post_to_room(&message, SAID, None).await;
        match told {
            // Told in the log by the call. They have what they have; staff are told of what they have not.
            Err(Undelivered::Call(failure)) if is_for_good(&failure) => {}
            told => drop(told?),
        }
        if outcome.not.is_empty() { Ok(()) } else { Err(Undelivered::Never(outcome.why())) }
    }

    /// The request by which somebody agreed to the roles; `None` if nobody had to.
    fn approval<'a>(&self, look: &'a Look) -> Option<&'a Wait> {
        let carries = self.effect.carries.as_ref()?;
        let waits = look.state.waits.values().map(Arc::as_ref);
        waits.filter(|wait| wait.status.answer().is_some()).rfind(|wait| {
            matches!(&wait.purpose, Purpose::Effect { phase, index }
                if *phase == carries.phase && *index == carries.index)
        })
    }

    /// Says which roles were given on the card of the answer that they were given for; whether there is such a card.
    async fn note_on_card(&self, look: &Look, given: &[String]) -> Delivered<bool> {
        let Some(wait) = self.card_of(look) else { return Ok(false) };
        let Some((wait, renderings)) = self.app.store.wait(wait).await? else { return Ok(false) };
        let mut known = given_with(self.app, wait.id).await?;
        known
            .extend(given.iter().filter(|name| !known.contains(name)).cloned().collect::<Vec<_>>());
        let note = Note {
            key: given_key(wait.id),
            session: Some(self.effect.session),
            value: serde_json::to_string(&known).ok(),
        };
        self.app.store.note(note).await?;
        let message = render::card(&wait, &self.cx(&wait).await?);
        let mut is_said = false;
        for spot in renderings.iter().filter_map(|rendering| MessageRef::parse(&rendering.message))
        {
            is_said |= self.edit(&spot, &message).await? == Edited::Done;
        }
        Ok(is_said)
    }

    /// The question for whose answer the roles are given: the step that leads to them, or the last one of the phase.
    fn card_of(&self, look: &Look) -> Option<WaitId> {
        let carries = self.effect.carries.as_ref()?;
        let effect = look.flow.phase(&carries.phase)?.effect.get(carries.index)?;
        let step = match effect {
            PhaseEffect::DiscordAddRolesFrom { step, .. } => Some(step),
            _ => None,
        };
        let is_its = |call: &&CallState| {
            let by_step = |asked: &String| matches!(&call.call.origin, Origin::Step { step } if step == asked);
            call.call.phase.as_ref() == Some(&carries.phase) && step.is_none_or(by_step)
        };
        let waits = look.state.calls.iter().rev().filter(is_its).filter_map(|call| call.wait);
        let mut answered = waits.filter_map(|wait| look.state.waits.get(&wait)).filter(|wait| {
            wait.answerers == Answerers::Participant && wait.status.answer().is_some()
        });
        answered.next().map(|wait| wait.id)
    }

    /// Gives what can be given, by what is known; where that does not suffice, by what Discord says. None where they have
    /// to wait.
    async fn give(
        &self,
        (guild, user): (&str, &str),
        aliases: &[String],
        reason: &str,
    ) -> Delivered<Option<Outcome>> {
        let members = &self.app.members;
        let mut is_last = false;
        loop {
            // Nobody is given anything before it is certain that they have passed the screening.
            let known = members.known(guild, user);
            let known = known.filter(|member| member.is_pending == Some(false));
            let was_asked = known.is_none();
            let member = match known {
                Some(member) => Ok(member),
                None => members.ask(guild, user).await,
            };
            let member = match member {
                Err(failure) if matches!(failure.class(), Class::PersonUnreachable(_)) => {
                    // Should they come back, they get them then; staff are told that they are gone.
                    self.keep((guild, user), aliases).await?;
                    self.attempt().pause(NOT_THERE).await?;
                    return Ok(None);
                }
                member => member?,
            };
            if member.is_pending == Some(true) {
                self.keep((guild, user), aliases).await?;
                let text = messages::discord::ROLES_AFTER_RULES;
                self.post_to_room(&texts::words(text), SAID, None).await?;
                return Ok(None);
            }
            let rights = self.app.rights_in(guild).await?;
            let facts = Facts { guild, user, member: &member, rights: &rights, was_asked };
            let outcome = give(self.app, &facts, aliases, reason).await?;
            if is_last || !outcome.is_doubtful {
                return Ok(Some(outcome));
            }
            members.forget(guild, user);
            members.forget_rights(guild);
            is_last = true;
        }
    }

    /// Has them wait for the screening.
    async fn keep(
        &self,
        (guild, user): (&str, &str),
        aliases: &[String],
    ) -> Result<(), store::Error> {
        let session = self.effect.session;
        let key = key(guild, user, session);
        let mut kept = kept(self.app, &key).await?.unwrap_or_default();
        kept.roles.extend(aliases.iter().cloned());
        kept.of = Some((session, self.effect.id));
        let value = serde_json::to_string(&kept).ok();
        // It is gone with the conversation, should that be erased before.
        self.app.store.note(Note { key, session: Some(session), value }).await?;
        self.app.screening.add((guild.to_owned(), user.to_owned(), session));
        Ok(())
    }
}

/// How often it is asked whether somebody has passed the screening, and of how many in one go: Discord doesn't tell every
/// bot, and none that is away.
const ASKED_EVERY: Duration = Duration::from_mins(1);
const ASKED_AT_ONCE: usize = 100;

/// Has roles leave whose members have passed the screening while nobody told of it, until `shutdown`.
pub(in crate::gateway::discord) async fn keep_asking(app: &App, shutdown: &CancellationToken) {
    let asking = async {
        let mut is_read = false;
        loop {
            is_read = is_read || remember_waiting(app).await;
            let mut asked = 0;
            for _ in 0..app.screening.len() {
                if asked == ASKED_AT_ONCE {
                    break;
                }
                let Some(who) = app.screening.next() else { break };
                if waits(app, &who).await {
                    ask(app, &who).await;
                    app.screening.add(who);
                    asked += 1;
                }
            }
            tokio::time::sleep(ASKED_EVERY).await;
        }
    };
    tokio::select! {
        () = shutdown.cancelled() => {}
        () = asking => {}
    }
}

/// Remembers those for whom roles may wait since an earlier process; whether they could be read.
async fn remember_waiting(app: &App) -> bool {
    let bounds = (limits::CATCH_UP_SESSIONS, app.clock.now());
    match to_read(&*app.store, Platform::Discord, bounds).await {
        Ok(heads) => {
            for Head { id, place, participant, .. } in heads {
                app.screening.add((place.workspace, participant.user, id));
            }
            true
        }
        Err(error) => {
            tracing::warn!(%error, "for whom roles wait could not be read");
            false
        }
    }
}

/// Whether roles wait for somebody, or it can't be said.
async fn waits(app: &App, (guild, user, session): &Unscreened) -> bool {
    for note in [key(guild, user, *session), older_key(guild, user)] {
        if !matches!(kept(app, &note).await, Ok(None | Some(Kept { of: None, .. }))) {
            return true;
        }
    }
    false
}

/// Has the roles of whoever is past the screening leave. Who has left may come back.
async fn ask(app: &App, (guild, user, session): &Unscreened) {
    if let Ok(member) = app.members.ask(guild, user).await
        && member.is_pending == Some(false)
    {
        let person = people::person_id(guild, user);
        for note in [key(guild, user, *session), older_key(guild, user)] {
            give_noted(app, &person, note).await;
        }
    }
}

/// Somebody is past the screening: the roles that waited for it leave as effects of their conversations. Again: once.
pub(in crate::gateway::discord) async fn give_kept(app: &App, guild: &str, user: &str) {
    let person = people::person_id(guild, user);
    let heads = match app.store.find(Find::Person(person.clone())).await {
        Ok(heads) => heads,
        Err(error) => {
            tracing::warn!(%error, "roles go on waiting");
            return;
        }
    };
    let own = heads.iter().map(|head| key(guild, user, head.id));
    for note in own.chain([older_key(guild, user)]) {
        give_noted(app, &person, note).await;
    }
}

/// Has the roles under one key leave.
async fn give_noted(app: &App, person: &PersonId, note: String) {
    let Ok(Some(Kept { roles, of: Some((session, effect)) })) = kept(app, &note).await else {
        return;
    };
    let engine = app.engine();
    let key = format!("discord:screened:{effect}");
    let from = Responder::without_rights(person.clone(), String::new());
    let what = InboundKind::MayHaveRoles { roles: roles.into_iter().collect() };
    let taken = engine.receive(Inbound { key, session, from, what }).await;
    // What has been kept again meanwhile stays.
    let is_same =
        matches!(kept(app, &note).await, Ok(Some(now)) if now.of == Some((session, effect)));
    let noted = match taken {
        Ok(_) | Err(engine::Error::NoSession) if !is_same => return,
        Ok(_) | Err(engine::Error::NoSession) => {
            app.store.note(Note { key: note, session: Some(session), value: None }).await
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

/// What the roles are called that were given for the answer to a question.
pub(super) async fn given_with(app: &App, wait: WaitId) -> Result<Vec<String>, store::Error> {
    let note = app.store.noted(&given_key(wait)).await?;
    let names = note.and_then(|note| serde_json::from_str(&note.value?).ok());
    Ok(names.unwrap_or_default())
}

fn given_key(wait: WaitId) -> String {
    format!("discord/given/{wait}")
}

async fn kept(app: &App, key: &str) -> Result<Option<Kept>, store::Error> {
    let note = app.store.noted(key).await?;
    Ok(note.and_then(|note| serde_json::from_str(&note.value?).ok()))
}

fn key(guild: &str, user: &str, session: SessionId) -> String {
    format!("discord/roles/{guild}/{user}/{session}")
}

/// What roles stand under that an older program kept.
fn older_key(guild: &str, user: &str) -> String {
    format!("discord/roles/{guild}/{user}")
}

/// Gives roles one by one. What stands in the way of one does not stand in the way of the others.
async fn give(
    app: &App,
    facts: &Facts<'_>,
    aliases: &[String],
    reason: &str,
) -> Result<Outcome, Failure> {
    let Facts { guild, user, member, rights, was_asked } = *facts;
    let ids = app.settings.of(Platform::Discord, guild).discord_roles();
    let mut outcome = Outcome::default();
    for alias in aliases {
        let Some(id) = ids.get(alias) else {
            outcome.not.push((alias.clone(), messages::discord::ROLE_NOT_SET_UP.to_owned()));
            continue;
        };
        let name = rights.name_of(id).unwrap_or(alias).to_owned();
        // Giving a role again changes nothing; somebody may have taken it since.
        if member.given.contains(id) || (was_asked && member.roles.contains(id)) {
            outcome.given.push(name);
            continue;
        }
        // Looked at before, so that nothing is refused that can be foreseen.
        let (why, is_doubtful) = match rights.may_give(id) {
            Err(hindrance) => (words(hindrance).to_owned(), true),
            Ok(()) => match app.api.give_role((guild, user), id, reason).await {
                Ok(()) => {
                    app.members.given(guild, user, id);
                    outcome.given.push(name);
                    continue;
                }
                Err(failure) => why_not(failure)?,
            },
        };
        outcome.is_doubtful |= is_doubtful;
        outcome.not.push((name, why));
    }
    Ok(outcome)
}

/// Why Discord does not give a role, and whether it follows from what the server, the bot or the member is; the failure
/// where the role may be given later.
fn why_not(failure: Failure) -> Result<(String, bool), Failure> {
    match failure.code() {
        Some(Code::UnknownRole) => Ok((words(Hindrance::Gone).to_owned(), true)),
        Some(Code::MissingPermissions) => Ok((words(Hindrance::TooLow).to_owned(), true)),
        Some(Code::UnknownMember) => Ok((messages::discord::LEFT_SERVER.to_owned(), true)),
        _ if is_for_good(&failure) => Ok((failure.in_words(), false)),
        _ => Err(failure),
    }
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
pub(super) const NOT_THERE: &str = messages::discord::NOT_IN_SERVER;

/// Why a role was not given, for the member and for staff.
const fn words(hindrance: Hindrance) -> &'static str {
    match hindrance {
        Hindrance::Gone => messages::discord::ROLE_GONE,
        Hindrance::MayNot => messages::discord::ROLES_NOT_ALLOWED,
        Hindrance::TooLow => messages::discord::ROLE_TOO_HIGH,
        Hindrance::Managed => messages::discord::ROLE_MANAGED,
    }
}
