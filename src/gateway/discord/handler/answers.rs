//! Buttons, menus and forms of questions: what they open, what they keep, what they answer.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;

use crate::{
    base::ids::WaitId,
    chat::{
        Drawing,
        form::{self, ComponentId, Draft, MessageAccess, words},
        handler::{self, Buttons, Questions, ReplyTarget, Update, Used},
        message_index::MessageRef,
    },
    engine::{Inbound, InboundKind, Receipt},
    gateway::discord::{
        answer::{self, Step},
        commands, files,
        inbound::{Ack, Action, Actor, File, Inputs, NotSaved, Submission},
        render::{self, Message as Post},
        send,
        update::{UpdateContext, target},
    },
    messages,
    model::{
        session::Head,
        transcript::Via,
        ui::{Control, Decision, FieldError, Reply, Upload, Verdict},
        wait::{Settlement, Wait},
    },
    session::Responder,
};

/// Letters of what tells one opening of a form from another: Discord's apps fill in again what they remember.
const SALT: usize = 6;

/// Longest time for drawing a card that was answered, in the answer to the press; an edit draws it otherwise.
const DRAW_MAX: Duration = Duration::from_millis(500);

/// What somebody did with a question.
struct Use<'a> {
    wait: &'a Wait,
    /// The message that it was done with, where that has a name.
    message: Option<MessageRef>,
    head: &'a Head,
    by: &'a Actor,
    element: &'a ComponentId,
    reply_target: &'a ReplyTarget,
    /// It was done with a message that they alone see.
    is_aside: bool,
    /// What can be typed where it was done.
    message_access: MessageAccess,
}

#[async_trait]
impl Questions for UpdateContext<'_> {
    async fn control(&self, used: Used, action: &Action) -> Result<Ack, NotSaved> {
        let Used { element, wait, shown, head } = used;
        let element = answer::resolve(&element, &action.inputs);
        let reply_target = self.target(action);
        let used = Use {
            wait: &wait,
            message: Some(spot(&action.at.channel, &action.message)),
            head: &head,
            by: &action.by,
            element: &element,
            reply_target: &reply_target,
            is_aside: action.is_ephemeral,
            message_access: self.app.message_access(head.id, &head.place).await,
        };
        let draft = self.app.drafts.of(&wait).await?;
        if let Some(ack) = self.opened(&used, &draft, action.ticket.file_max).await {
            return Ok(ack);
        }
        let was_open = wait.status.is_pending();
        let step = meant(&wait, answer::step(&wait, &draft, &element, &action.inputs));
        let ack = self.came_to(&used, step).await?;
        if !was_open {
            self.redraw(&wait, shown);
        }
        Ok(ack)
    }

    /// Words that are given anew begin with those before; nothing where a question is not asked once more.
    async fn ordered_about(&self, before: &Wait) -> Result<(), NotSaved> {
        let Some((Reply::Text { text }, ..)) = before.status.answer() else { return Ok(()) };
        let found = self.app.store.wait(before.id).await?;
        let Some((now, _)) = found.filter(|(now, _)| now.status.is_pending()) else {
            return Ok(());
        };
        let mut draft = Draft::default();
        draft.enter(Draft::TEXT, vec![text.clone()]);
        self.keep(&now, &draft).await
    }

    async fn other(&self, action: &Action) -> Result<Ack, NotSaved> {
        commands::pressed(self, action).await
    }
}

impl UpdateContext<'_> {
    /// A form was sent.
    pub(super) async fn submitted(&self, sent: Submission) -> Result<Ack, NotSaved> {
        let reply_target = target(&sent.by.user, &sent.at.channel);
        if let Some(ack) = commands::explained(self, &sent, &reply_target).await? {
            return Ok(ack);
        }
        let Some(element) = ComponentId::parse(&sent.element) else {
            tracing::warn!("a form was sent that nobody here has made");
            return Ok(self.tell(&reply_target, messages::discord::GONE));
        };
        let element = answer::resolve(&element, &Inputs::default());
        let asked = handler::asked(self, element.wait, &sent.by, &reply_target).await?;
        let (wait, shown, head) = match asked {
            Ok(asked) => asked,
            Err(gone) => return Ok(gone),
        };
        let used = Use {
            wait: &wait,
            message: sent.message.as_deref().map(|message| spot(&sent.at.channel, message)),
            head: &head,
            by: &sent.by,
            element: &element,
            reply_target: &reply_target,
            is_aside: sent.is_ephemeral,
            message_access: self.app.message_access(head.id, &head.place).await,
        };
        if let Control::Upload(upload) = &wait.prompt.control {
            let files = answer::files(&sent.inputs);
            if !files.is_empty() && wait.status.is_pending() {
                return self.offered(&used, upload, &files).await;
            }
        }
        let draft = self.app.drafts.of(&wait).await?;
        let was_open = wait.status.is_pending();
        let step = meant(&wait, answer::step(&wait, &draft, &element, &sent.inputs));
        let ack = self.came_to(&used, step).await?;
        if used.is_aside || !was_open {
            // The form was opened from a message beside the card.
            let now = self.app.store.wait(wait.id).await?;
            self.redraw(now.as_ref().map_or(&wait, |(now, _)| now), shown);
        }
        Ok(ack)
    }

    /// What is shown to the person alone: "are you sure?", all of a text, a form. None where the control opens nothing.
    async fn opened(&self, used: &Use<'_>, draft: &Draft, file_max: Option<u64>) -> Option<Ack> {
        let Use { wait, element, .. } = *used;
        let is_read = element.action.starts_with("read");
        // What was answered can still be read.
        if !wait.status.is_pending() && !is_read {
            return None;
        }
        let cx = render::Cx {
            reader: wait.answerers.audience().into(),
            message_access: used.message_access,
            draft: draft.clone(),
            file_max,
            is_scripted: handler::is_scripted(self.engine, wait).await,
            ..render::Cx::default()
        };
        if let Some(message) = render::aside(wait, &element.action, &cx) {
            let refused = self.may_look(used).await;
            let turned =
                if used.is_aside && is_read { Ack::Redraw(message) } else { Ack::Say(message) };
            return Some(refused.unwrap_or(turned));
        }
        let salt = self.app.ids.fresh().simple().to_string();
        let salt = salt.get(salt.len().saturating_sub(SALT)..).unwrap_or_default();
        let form = render::modal(wait, &element.action, salt, &cx)?;
        Some(self.may_look(used).await.unwrap_or(Ack::Form(form)))
    }

    /// Keeps what was entered, says what is wrong with it, or hands in what it comes to.
    async fn came_to(&self, used: &Use<'_>, step: Step) -> Result<Ack, NotSaved> {
        let (draft, reply) = match step {
            Step::Answered { reply, draft } => (draft, reply),
            Step::Kept(draft) => {
                if let Some(refused) = self.may_look(used).await {
                    return Ok(refused);
                }
                self.keep(used.wait, &draft).await?;
                // Menus show by themselves what is picked in them.
                let is_shown = used.element.action.starts_with("tick.") && !is_required(used.wait);
                return Ok(match (used.is_aside, is_shown) {
                    (true, _) => Ack::Redraw(aside_over(messages::forms::KEPT_ENTRIES)),
                    (false, true) => Ack::Seen,
                    (false, false) => self.card(used.wait, draft).await,
                });
            }
            Step::Wrong { draft, errors } => {
                if let Some(refused) = self.may_look(used).await {
                    return Ok(refused);
                }
                self.keep(used.wait, &draft).await?;
                return Ok(wrong(used, &errors));
            }
        };
        let from = match handler::answerer(self, used.wait, used.head, used.by).await {
            Ok(from) => from,
            Err(words) => return Ok(self.tell(used.reply_target, &words)),
        };
        self.answered(used, from, (reply, draft)).await
    }

    async fn answered(
        &self,
        used: &Use<'_>,
        from: Responder,
        (reply, draft): (Reply, Draft),
    ) -> Result<Ack, NotSaved> {
        let Use { wait, element, reply_target, .. } = *used;
        let me = from.person.clone();
        let what = InboundKind::Answer {
            wait: wait.id,
            revision: element.revision,
            reply: reply.clone(),
            via: Via::Component,
        };
        let inbound = Inbound { key: self.key.clone(), session: wait.session, from, what };
        // Said before anything is durable, so that no edit overtakes the answer.
        let drawing = self.drawing(used);
        match self.engine.receive(inbound).await {
            Ok(Receipt::Settled(Settlement::AlreadySettled { by, .. }))
                if by == me && self.is_again(wait.id, &reply).await? =>
            {
                Ok(self.done())
            }
            Ok(Receipt::Settled(Settlement::Invalid { errors })) => {
                self.keep(wait, &draft).await?;
                Ok(wrong(used, &errors))
            }
            Ok(receipt) => {
                let is_applied = matches!(receipt, Receipt::Settled(Settlement::Applied));
                if is_applied {
                    // What is left of it here is of no revision that will be asked again.
                    _ = self.app.drafts.drop(wait).await;
                }
                let said = handler::report(self, &receipt, Some(wait), &me, reply_target);
                Ok(match said {
                    Ack::Seen if used.is_aside => Ack::Redraw(aside_over(done(&reply))),
                    Ack::Seen if is_applied => self.closed(used, drawing).await,
                    said => said,
                })
            }
            Err(error) if words::may_pass(&error) => Err(NotSaved),
            Err(error) => Ok(self.tell(reply_target, &words::of_error(&error))),
        }
    }

    /// Has edits of the card wait for the answer to the press, which may draw it; `None` if something else was pressed,
    /// or where Discord takes no answer any more.
    fn drawing(&self, used: &Use<'_>) -> Option<Drawing> {
        // Whoever is fast presses before it is noted where the card stands: what all see, and answers it, is the card.
        let card = used.message.as_ref().filter(|_| !used.is_aside && !self.is_late())?;
        self.app.render_cache.answer(&card.name())
    }

    /// The card that was answered, as the answer to the press. Where it cannot be drawn in time, an edit follows.
    async fn closed(&self, used: &Use<'_>, drawing: Option<Drawing>) -> Ack {
        let Some(drawing) = drawing else { return Ack::Seen };
        let card =
            send::answered(self.app, (used.wait.id, used.element.revision), &used.head.place);
        match tokio::time::timeout(DRAW_MAX, card).await {
            Ok(Some(card)) => {
                let drawing = drawing.looking(card.digest());
                Ack::Close(card, Arc::new(drawing))
            }
            Ok(None) | Err(_) => Ack::Seen,
        }
    }

    /// Whether a question was answered with the same: the same person, the same choice, twice is silent.
    /// It is looked at as it is now: two devices may be as fast as one another.
    async fn is_again(&self, wait: WaitId, reply: &Reply) -> Result<bool, NotSaved> {
        let found = self.app.store.wait(wait).await?;
        let status = found.as_ref().map(|(wait, _)| &wait.status);
        Ok(status.and_then(|status| status.answer()).is_some_and(|(before, ..)| before == reply))
    }

    /// Files of a form.
    async fn offered(
        &self,
        used: &Use<'_>,
        upload: &Upload,
        files: &[File],
    ) -> Result<Ack, NotSaved> {
        let offer = |file| handler::check_upload(upload, files::offer(file));
        let files = match files.iter().map(offer).collect() {
            Ok(files) => files,
            Err(complaint) => {
                let error = FieldError::whole(complaint);
                return Ok(wrong(used, &[error]));
            }
        };
        let what = InboundKind::Offered { wait: Some(used.wait.id), files, text: None };
        let Use { wait, head, by, reply_target, .. } = *used;
        let ack = handler::used(self, (wait, head), by, what, reply_target).await?;
        Ok(match ack {
            Ack::Seen if used.is_aside => Ack::Redraw(aside_over(messages::notices::GOT_IT)),
            ack => ack,
        })
    }

    async fn keep(&self, wait: &Wait, draft: &Draft) -> Result<(), NotSaved> {
        self.app.drafts.keep(wait, draft).await.map_err(|_| NotSaved)
    }

    /// The card with what was entered.
    async fn card(&self, wait: &Wait, draft: Draft) -> Ack {
        match send::card(self.app, wait, draft).await {
            Some(card) => Ack::Redraw(card),
            None => Ack::Seen,
        }
    }

    /// The refusal, where somebody may not see a form of a question.
    async fn may_look(&self, used: &Use<'_>) -> Option<Ack> {
        let Use { wait, head, by, reply_target, .. } = *used;
        handler::refuse_to_show(self, wait, head, by, reply_target).await
    }
}

fn spot(channel: &str, message: &str) -> MessageRef {
    MessageRef { channel: channel.to_owned(), message: message.to_owned() }
}

/// Nothing is entered into a question that is closed: whatever it was goes to the core, which says how it was closed.
fn meant(wait: &Wait, step: Step) -> Step {
    match step {
        Step::Kept(draft) | Step::Wrong { draft, .. } if !wait.status.is_pending() => {
            Step::Answered { reply: Reply::Skipped, draft }
        }
        step => step,
    }
}

/// Whether something must be picked: what is picked decides whether the card can be sent.
fn is_required(wait: &Wait) -> bool {
    matches!(&wait.prompt.control, Control::Choose(choose) if choose.required)
}

/// What was done by a form or a button that stood beside the card.
const fn done(reply: &Reply) -> &'static str {
    match reply {
        Reply::Reviewed { verdict: Verdict::Saved, .. } => messages::notices::SAVED,
        Reply::Decided { decision: Decision::Approved, .. } => messages::discord::DECIDED_APPROVED,
        Reply::Decided { .. } => messages::discord::DECIDED_DENIED,
        Reply::Reviewed { .. }
        | Reply::Chosen { .. }
        | Reply::Filled { .. }
        | Reply::Uploaded { .. }
        | Reply::Text { .. }
        | Reply::Confirmed { .. }
        | Reply::Skipped => messages::notices::GOT_IT,
    }
}

/// What is wrong, for the person who sent it alone, with a button that opens the form as it was.
fn wrong(used: &Use<'_>, errors: &[FieldError]) -> Ack {
    let complaints = form::complaints(&used.wait.prompt.control, errors);
    let message = render::wrong(used.wait, &used.element.action, &complaints);
    if used.is_aside { Ack::Redraw(message) } else { Ack::Say(message) }
}

/// What stands where a message for one person did what it was for. One made of components stays so.
fn aside_over(text: &str) -> Post {
    Post::of(vec![render::components::text(text)])
}
