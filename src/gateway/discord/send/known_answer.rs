//! What a member has said already in the server's own onboarding: its answers are roles, and roles can be looked at. A
//! question that leads to roles is not asked again where the server has asked it: the member went through its onboarding,
//! and all the roles of the question can be had there. Otherwise it is shown with what the member holds picked already,
//! and everything can be changed.

use std::collections::BTreeMap;

use super::{
    roles,
    sender::{Delivered, Sender},
};
use crate::{
    chat::{courier::Courier as _, form::Draft},
    engine::{Inbound, InboundKind, Look, Receipt},
    gateway::discord::{
        api::{Code, Failure},
        app::App,
        kinds::GuildMemberFlags,
        members::Member,
        texts,
    },
    model::{
        flow::PhaseEffect,
        session::Platform,
        transcript::{Origin, Via},
        ui::{Choose, Control, Reply},
        wait::{Answerers, Settlement, Wait},
    },
    session::{Responder, answer},
};

/// The number of the part that says what is not asked again.
const KNOWN: u8 = 55;

/// What is known of the answer to a question.
#[derive(Debug, Clone, PartialEq)]
enum Known {
    /// Nothing.
    Nothing,
    /// What the member holds, and may change.
    Picked(Draft),
    /// What they told the server when they came in: ids of choices.
    Said(Vec<String>),
}

impl Sender<'_> {
    /// Whether the answer is known already, so that nothing is asked; where only a part is, it is kept, unless something
    /// was entered.
    pub(super) async fn is_known(&self, wait: &Wait) -> Delivered<bool> {
        let is_choice = matches!(wait.prompt.control, Control::Choose(_));
        if !is_choice || !self.app.drafts.of(wait).await?.is_empty() {
            return Ok(false);
        }
        match known(self.app, &self.look().await?, wait).await {
            Ok(Known::Said(ids)) => return self.said_before(wait, ids).await,
            Ok(Known::Picked(draft)) => self.app.drafts.keep(wait, &draft).await?,
            Err(failure) if failure.is(Code::UnknownMember) => self.lost(roles::NOT_THERE).await,
            // Without an answer of Discord's the question is shown as it is.
            Ok(Known::Nothing) | Err(_) => {}
        }
        Ok(false)
    }

    /// Answers for the participant what they told the server before, and says so; whether that counts.
    async fn said_before(&self, wait: &Wait, ids: Vec<String>) -> Delivered<bool> {
        let engine = self.app.engine();
        let state = self.look().await?.view.state;
        let reply = Reply::Chosen { ids, free_text: None };
        let what = answer::describe(&wait.prompt.control, &reply);
        let words = texts::said_before(&wait.prompt.body.common_mark(), &what);
        self.post_to_room(&words, KNOWN, None).await?;
        let name = state.name.clone().unwrap_or_default();
        let from = Responder::without_rights(state.participant.clone(), name);
        let key = format!("discord:known:{}:{}", wait.id, wait.revision);
        let (id, revision, via) = (wait.id, wait.revision, Via::Known);
        let what = InboundKind::Answer { wait: id, revision, reply, via };
        let session = self.effect.session;
        let receipt = engine.receive(Inbound { key, session, from, what }).await?;
        Ok(matches!(receipt, Receipt::Settled(Settlement::Applied) | Receipt::Duplicate))
    }
}

/// What is known of the answer to a question when it is first shown.
async fn known(app: &App, look: &Look, wait: &Wait) -> Result<Known, Failure> {
    let Control::Choose(choose) = &wait.prompt.control else { return Ok(Known::Nothing) };
    if wait.answerers != Answerers::Participant {
        return Ok(Known::Nothing);
    }
    let Some(map) = leads_to(look, wait) else { return Ok(Known::Nothing) };
    let guild = &look.state.place.workspace;
    let roles = app.settings.of(Platform::Discord, guild).discord_roles();
    let user = &look.state.participant.user;
    let held = |member: &Member| {
        let is_held = |alias: &str| roles.get(alias).is_some_and(|id| member.has(id));
        among(choose, map, is_held)
    };
    let mut member = match app.members.known(guild, user) {
        Some(known) => known,
        None => app.members.ask(guild, user).await?,
    };
    // What they went through only counts where they hold something.
    if member.flags.is_none() && !held(&member).is_empty() {
        member = app.members.ask(guild, user).await?;
    }
    let ids = held(&member);
    if ids.is_empty() {
        return Ok(Known::Nothing);
    }
    let completed = u64::from(GuildMemberFlags::COMPLETED_ONBOARDING.bits());
    let is_through = member.flags.unwrap_or(0) & completed != 0;
    if is_through && (choose.multiple || ids.len() == 1) {
        let asked = app.native.roles(&app.api, guild).await;
        let is_asked = |alias: &String| roles.get(alias).is_some_and(|id| asked.contains(id));
        if map.values().all(is_asked) {
            return Ok(Known::Said(ids));
        }
    }
    if !choose.multiple {
        return Ok(Known::Nothing);
    }
    let mut draft = Draft::default();
    draft.pick(&[], ids);
    Ok(Known::Picked(draft))
}

/// The roles to which the answers of a question lead, by choice.
fn leads_to<'a>(look: &'a Look, wait: &Wait) -> Option<&'a BTreeMap<String, String>> {
    let call = look.state.calls.iter().find(|call| call.wait == Some(wait.id))?;
    let Origin::Step { step: asked } = &call.call.origin else { return None };
    let phase = look.flow.phase(call.call.phase.as_deref()?)?;
    phase.effect.iter().find_map(|effect| match effect {
        PhaseEffect::DiscordAddRolesFrom { step, map, .. } if step == asked => Some(map),
        _ => None,
    })
}

fn among(
    choose: &Choose,
    map: &BTreeMap<String, String>,
    is_held: impl Fn(&str) -> bool,
) -> Vec<String> {
    let known = choose
        .choices
        .iter()
        .filter(|choice| map.get(&choice.id).is_some_and(|alias| is_held(alias)));
    known.map(|choice| choice.id.clone()).collect()
}
