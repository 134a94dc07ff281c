//! One effect on its way: what it comes to, and what else follows from that.

use std::sync::atomic::Ordering;

use serde_json::json;

use super::{
    roles,
    sender::{Delivered, Sender, Undelivered},
};
use crate::{
    chat::{
        delivery, form,
        message_index::{Mark, MessageRef, Role},
        refusal::{self, Class},
    },
    engine::{Inbound, InboundKind, Look},
    gateway::discord::{
        api::{Code, Failure},
        people, render, texts,
    },
    messages,
    model::{
        effect::{Act, CauseKind, Delivery, Recipient, Rendering},
        transcript::Audience,
        ui::Control,
        wait::{Purpose, Wait, WaitStatus},
    },
    session::{Responder, evidence},
};

/// The number of the part that says how a request was decided.
pub(super) const DECIDED: u8 = 59;

/// The number of the part that says that something was kept back.
const FILTERED: u8 = 54;

/// The number of the part that offers a copy where the words about it arrived without their buttons.
const COPY_OFFERED: u8 = 52;

/// Until Discord takes the thread of a conversation that is over from the list, in minutes.
const CLOSED_AFTER: u32 = 1_440;

impl Sender<'_> {
    pub(super) async fn run(&self, shown: Option<(&Wait, &[Rendering])>) -> Delivery {
        let is_new = shown.is_none_or(|(_, renderings)| renderings.is_empty());
        match delivery::deliver(self, shown).await {
            Ok(message) => {
                self.tell_of_return();
                // An edit leaves it as it is, and few such signs are taken.
                let is_edit = !is_new || matches!(self.effect.act, Act::Progress { .. });
                if self.effect.to == Recipient::Participant && !is_edit {
                    self.app.work_indicators.changed(self.effect.session);
                }
                Delivery::delivered(message)
            }
            Err(undelivered) => {
                if let Undelivered::Call(failure) = &undelivered {
                    // A card that stands there still is missed by nobody.
                    if is_new {
                        self.tell_of_filter(failure).await;
                    }
                    self.tell_of_loss(failure);
                }
                undelivered.outcome(self.app.clock.now(), |failure| self.failed(&failure))
            }
        }
    }

    /// Draws a card wherever it is shown; told in the log by the calls, for nothing depends on it.
    pub(super) async fn redraw(&self, wait: &Wait, renderings: &[Rendering]) {
        let Ok(cx) = self.cx(wait).await else { return };
        let message = render::card(wait, &cx);
        for spot in renderings.iter().filter_map(|r| MessageRef::parse(&r.message)) {
            self.app.render_cache.forget(&spot.name());
            _ = self.edit(&spot, &message).await;
        }
    }

    /// The card of a question that ended, where an attempt may have posted it of which nobody knows whether it came.
    pub(super) async fn unnoted(&self, wait: &Wait) -> Delivered<Option<MessageRef>> {
        if !self.was_tried {
            return Ok(None);
        }
        let channel = match self.channel_of_card().await? {
            Some(channel) => Some(channel),
            None => self.app.rooms.known(self.effect.session).await?,
        };
        let Some(channel) = channel else { return Ok(None) };
        // Its controls are what it is known by.
        let open = Wait { status: WaitStatus::Pending, ..wait.clone() };
        let card = render::card(&open, &self.cx(&open).await?);
        self.look_for(&channel, &card.body(), None).await
    }

    /// The channel of a card for the team; none where it stands in the conversation.
    pub(super) async fn channel_of_card(&self) -> Delivered<Option<String>> {
        Ok(match &self.effect.to {
            Recipient::Channel { alias } => Some(self.channel_of(alias)?),
            Recipient::Person { user } => Some(self.app.api.open_direct(user).await?),
            Recipient::Participant | Recipient::Webhook { .. } => None,
        })
    }

    /// Remembers what a request is to those who write about it, and begins the thread where they do.
    pub(super) async fn remember_card(&self, wait: &Wait, spot: &MessageRef) -> Delivered<()> {
        if self.effect.to == Recipient::Participant {
            return Ok(());
        }
        self.app.rooms.belongs(self.effect.session, &spot.message, Role::Request(wait.id)).await?;
        if matches!(self.effect.to, Recipient::Person { .. }) {
            return Ok(());
        }
        let name = self.look().await?.state.person_in_words();
        self.thread_at(spot, &name).await?;
        Ok(())
    }

    /// What a card needs to know besides its wait: of one that is open how far the conversation is, of one that is over
    /// what may still be done.
    pub(super) async fn cx(&self, wait: &Wait) -> Delivered<render::Cx> {
        let reader = match self.effect.to {
            Recipient::Participant => Audience::Participant,
            Recipient::Channel { .. } | Recipient::Person { .. } | Recipient::Webhook { .. } => {
                Audience::Staff
            }
        };
        let room = self.app.rooms.known(self.effect.session).await?;
        let is_direct = people::is_direct(&self.effect.place);
        let message_access = self.app.message_access(self.effect.session, &self.effect.place).await;
        let conversation = room.filter(|_| !is_direct && reader == Audience::Staff);
        let conversation = conversation.map(|room| self.address(&room));
        let mut cx = render::Cx {
            reader,
            draft: self.app.drafts.of(wait).await?,
            message_access,
            called: self.called().map(|(mentions, _)| mentions),
            conversation,
            ..render::Cx::default()
        };
        let is_request =
            matches!(wait.prompt.control, Control::Decide(_)) && reader == Audience::Staff;
        let is_erased =
            matches!(wait.purpose, Purpose::Erase) || (wait.prompt.body.is_empty() && !is_request);
        let is_open = wait.status.is_pending();
        let is_told = !is_erased && (!is_open || is_request || reader == Audience::Participant);
        if !is_told {
            return Ok(cx);
        }
        let look = self.app.engine().look(self.effect.session).await;
        if let (Ok(look), true) = (&look, is_request) {
            cx.asker = self.asker(wait, look).await;
        }
        if !is_open && reader == Audience::Participant {
            cx.roles_given = roles::given_with(self.app, wait.id).await?;
        }
        match look {
            Ok(look) if is_open => {
                cx.progress = progress(wait, &look);
                cx.invited_by = invited_by(wait, &look);
            }
            Ok(look) => {
                cx.invited_by = invited_by(wait, &look);
                let state = &look.state;
                let answer = wait.status.answer();
                cx.may_change = answer.is_some_and(|(reply, ..)| {
                    form::may_change(wait, reply, state)
                        || form::may_answer_anew(wait, reply, state)
                });
                let names = state.artifacts.iter().map(|file| (file.id, file.filename.clone()));
                cx.files = names.collect();
                cx.participant = Some(state.participant.clone());
            }
            Err(crate::engine::Error::NoSession) => {}
            // A question is asked also where that cannot be read just now.
            Err(_) if is_open => {}
            Err(error) => return Err(error.into()),
        }
        Ok(cx)
    }

    /// Where a browser or the app shows a channel.
    fn address(&self, channel: &str) -> String {
        format!("https://discord.com/channels/{}/{channel}", self.effect.place.workspace)
    }

    /// How far the conversation is stands in each card. The message of its own that earlier versions posted stays true.
    pub(super) async fn show_progress(&self, text: &str) -> Delivered<Option<String>> {
        if let Some(spot) = self.app.threads.marked(self.effect.session, Mark::Progress).await? {
            self.edit(&spot, &texts::progress(text)).await?;
        }
        Ok(None)
    }

    /// Offers a copy of everything, and the end of it; with the last words of the conversation, where
    /// they go together.
    pub(super) async fn offer_copy(&self, closing: Option<&str>) -> Delivered<Option<String>> {
        let session = self.effect.session;
        let message = match closing {
            Some(text) => {
                let message_access = self.app.message_access(session, &self.effect.place).await;
                texts::closing(&message_access.adapt(text).0, session)
            }
            None => texts::copy_offered(session),
        };
        let posted = self.post_all(&[message]).await?;
        if self.is_plainer.load(Ordering::Relaxed) {
            // The words have arrived without the buttons that they are about.
            self.post_to_room(&texts::copy_offered(session), COPY_OFFERED, None).await?;
        }
        let look = self.look().await?;
        if look.state.status.is_over()
            && self.app.rooms.is_thread(self.effect.session, &self.effect.place).await
            && let Some(room) = self.app.rooms.known(self.effect.session).await?
        {
            // The thread leaves the list after a day and stays readable; writing in it brings it back.
            let closing = json!({ "auto_archive_duration": CLOSED_AFTER });
            let why = "the conversation is over";
            // Told in the log by the call; the thread only stays in the list for longer.
            _ = self.app.api.change_channel(&room, closing, Some(why)).await;
        }
        Ok(posted)
    }

    /// A filter keeps back what it was given, and not that it did: the participant learns why nothing comes.
    async fn tell_of_filter(&self, failure: &Failure) {
        let is_filtered = failure.is(Code::Moderated) || failure.is(Code::BadLink);
        let is_said = matches!(
            self.effect.act,
            Act::Show { .. } | Act::Post { .. } | Act::Relay { .. } | Act::Export { .. }
        );
        if is_filtered && is_said && self.effect.to == Recipient::Participant {
            // Told in the log by the call; the team is told of what did not arrive.
            _ = self.post_to_room(&texts::words(messages::discord::FILTERED), FILTERED, None).await;
        }
    }

    /// Where the participant will not be reached any more, the session pauses.
    fn tell_of_loss(&self, failure: &Failure) {
        let why = match failure.class() {
            Class::PersonUnreachable(why) => Some(why),
            _ => failure.code().and_then(out_of_reach),
        };
        let Some(why) = why else { return };
        if self.effect.to != Recipient::Participant
            || matches!(
                self.effect.act,
                Act::AddRoles { .. } | Act::Remove { .. } | Act::Receipt { .. }
            )
        {
            return;
        }
        if matches!(failure.class(), Class::Blocked(_) | Class::PlaceGone | Class::PlaceClosed) {
            self.app.lost.insert(self.effect.session);
        }
        self.lost(why);
    }

    /// Something has reached the participant again: a session that had paused for that goes on.
    fn tell_of_return(&self) {
        let session = self.effect.session;
        if self.effect.to != Recipient::Participant || !self.app.lost.remove(session) {
            return;
        }
        let engine = self.app.engine().clone();
        let key = format!("discord:reached:{}", self.effect.id);
        self.app.afterwards.spawn(async move {
            let Ok(look) = engine.look(session).await else { return };
            if !look.state.is_out_of_reach {
                return;
            }
            let person = look.state.participant.clone();
            let from = Responder::without_rights(person, String::new());
            if let Err(error) =
                engine.receive(Inbound { key, session, from, what: InboundKind::Back }).await
            {
                tracing::warn!(session.id = %session, %error, "could not continue a session");
            }
        });
    }

    fn failed(&self, failure: &Failure) -> Delivery {
        let class = match failure.class() {
            // There is no other place left.
            Class::PlaceGone | Class::PlaceClosed => Class::Blocked(CauseKind::ChannelUnavailable),
            class => class,
        };
        refusal::outcome(class, &failure.to_string(), self.effect, self.app.clock.now())
    }
}

/// Who has invited the participant, for the card that says what it is about.
fn invited_by(wait: &Wait, look: &Look) -> Option<String> {
    let inviter = look.state.inviter_on(wait)?;
    Some(render::text::person(&inviter.person, &inviter.name))
}

/// How far the conversation is, for a card that asks for something of it.
fn progress(wait: &Wait, look: &Look) -> Option<String> {
    match wait.purpose {
        Purpose::Call { .. } | Purpose::Child { .. } => {
            evidence::progress_shown(&look.state, &look.flow)
        }
        Purpose::Notice | Purpose::Begin { .. } | Purpose::Erase | Purpose::Effect { .. } => None,
    }
}

/// Why nothing will reach a conversation any more, in words, where that is what Discord says.
const fn out_of_reach(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::UnknownChannel | Code::UnknownGuild => messages::staff::CHANNEL_GONE,
        Code::MissingAccess | Code::MissingPermissions => messages::staff::MAY_NOT_WRITE,
        Code::Locked => messages::staff::THREAD_LOCKED,
        _ => return None,
    })
}
