//! One effect on its way: what it comes to, and what else follows from that.

use super::{
    roles,
    sender::{Delivered, Sender, Undelivered},
};
use crate::{
    chat::{
        card::Reader,
        delivery::{self, is_told},
        handler::head_of,
        message_index::MessageRef,
    },
    engine::{Inbound, InboundKind, Look},
    gateway::discord::{
        api::{Code, Failure},
        people, render, texts,
    },
    messages,
    model::{
        effect::{Act, Delivery, Recipient, Rendering},
        session::{Head, Status},
        transcript::Audience,
        ui::Control,
        wait::{Purpose, Wait},
    },
    session::{Responder, evidence},
};

/// The number of the part that says how a request was decided.
pub(super) const DECIDED: u8 = 59;

/// The number of the part that says that something was kept back.
const FILTERED: u8 = 54;

impl Sender<'_> {
    pub(super) async fn run(&self, shown: Option<(&Wait, &[Rendering])>) -> Delivery {
        let is_new = shown.is_none_or(|(_, renderings)| renderings.is_empty());
        let delivered = delivery::deliver(self, shown).await;
        match &delivered {
            Ok(delivered) => {
                if delivered.is_some() && is_told(self.effect) {
                    self.tell_of_return().await;
                }
                // An edit leaves it as it is, and few such signs are taken.
                let is_edit = !is_new || matches!(self.effect.act, Act::Progress { .. });
                if self.effect.to == Recipient::Participant && !is_edit {
                    self.app.work_indicators.changed(self.effect.session);
                }
            }
            Err(Undelivered::Call(failure)) => {
                // A card that stands there still is missed by nobody.
                if is_new {
                    self.tell_of_filter(failure).await;
                }
            }
            Err(_) => {}
        }
        delivery::outcome(self, delivered).await
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
            reader: reader.into(),
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
                cx.reader = Reader::of(reader, wait, &look.state);
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

    /// Something has reached the participant again: a session that had paused for its place goes on, whichever process
    /// had it pause.
    async fn tell_of_return(&self) {
        let (session, engine) = (self.effect.session, self.app.engine());
        let head = head_of(engine, session).await;
        if !matches!(head, Ok(Some(Head { status: Status::Paused, .. }))) {
            return;
        }
        let Ok(view) = engine.view(session).await else { return };
        if !view.state.why_out_of_reach.as_deref().is_some_and(is_of_place) {
            return;
        }
        let key = format!("discord:reached:{}", self.effect.id);
        let from = Responder::without_rights(view.state.participant.clone(), String::new());
        let back = Inbound { key, session, from, what: InboundKind::Back };
        // Before the effect counts as delivered: it may be the last that tells of it.
        if let Err(error) = engine.receive(back).await {
            tracing::warn!(session.id = %session, %error, "could not continue a session");
        }
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
            evidence::progress_shown(&look.state, &look.flow).map(|line| line.to_string())
        }
        Purpose::Notice | Purpose::Begin { .. } | Purpose::Erase | Purpose::Effect { .. } => None,
    }
}

/// Whether nothing reached somebody for what their place was: then that is over once something has.
fn is_of_place(why: &str) -> bool {
    let of_places = [
        messages::staff::CHANNEL_GONE,
        messages::staff::MAY_NOT_WRITE,
        messages::staff::THREAD_LOCKED,
    ];
    of_places.contains(&why)
}
