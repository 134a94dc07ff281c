//! Who may answer a question, and what there is to say of one that is not there.

use async_trait::async_trait;

use super::{ButtonId, Buttons, NotSaved, ReplyTarget, Update, head_of, pressed, receive, report};
use crate::{
    base::ids::WaitId,
    chat::{
        form::{self, ComponentId},
        receipt,
    },
    engine::{Engine, InboundKind, Receipt},
    messages,
    model::{
        artifact::Offer,
        effect::Rendering,
        session::Head,
        transcript::Via,
        ui::{Control, Reply, Upload},
        wait::{Answerers, Settlement, Wait},
    },
    session::Responder,
};

/// A question, where it is shown, and the conversation that it belongs to.
pub type Asked = (Wait, Vec<Rendering>, Head);

/// A control that was used, and the question that it belongs to.
#[derive(Debug)]
pub struct Used {
    /// Which control.
    pub element: ComponentId,
    /// The question.
    pub wait: Wait,
    /// Where it is shown.
    pub shown: Vec<Rendering>,
    /// The conversation that it belongs to.
    pub head: Head,
}

/// An update of a platform that brings uses of controls: those of questions, and all other buttons.
#[async_trait]
pub trait Questions: Buttons {
    /// A control of a question was used: it opens a form, keeps what was entered, or [answers](answered).
    async fn control(&self, used: Used, act: &Self::Act) -> Result<Self::Ack, NotSaved>;

    /// A question was closed, and something was ordered about it: it may be asked once more.
    async fn ordered_about(&self, _before: &Wait) -> Result<(), NotSaved> {
        Ok(())
    }

    /// A button was pressed that the platform alone has.
    async fn other(&self, act: &Self::Act) -> Result<Self::Ack, NotSaved>;
}

/// A control was used, by its id.
pub async fn chosen<U: Questions>(update: &U, id: &str, act: &U::Act) -> Result<U::Ack, NotSaved> {
    let Some(element) = ComponentId::parse(id) else {
        return match ButtonId::parse(id) {
            Some(button) => pressed(update, button, act).await,
            None => update.other(act).await,
        };
    };
    let (by, to) = (update.actor(act), update.target(act));
    let (wait, shown, head) = match asked(update, element.wait, by, &to).await? {
        Ok(asked) => asked,
        Err(gone) => return Ok(gone),
    };
    let Some(command) = element.order() else {
        return update.control(Used { element, wait, shown, head }, act).await;
    };
    let what = InboundKind::Command(command);
    let said = used(update, (&wait, &head), by, what, &to).await?;
    update.ordered_about(&wait).await?;
    Ok(said)
}

/// Hands in the answer that a control stands for; the error says to the person what is wrong with it.
pub async fn answered<U: Buttons>(
    update: &U,
    Used { element, wait, head, .. }: &Used,
    reply: Result<Reply, String>,
    act: &U::Act,
) -> Result<U::Ack, NotSaved> {
    let (by, to) = (update.actor(act), update.target(act));
    let reply = match reply {
        Ok(reply) => reply,
        // How a question was closed is said by the core.
        Err(_) if !wait.status.is_pending() => Reply::Skipped,
        Err(words) => {
            let refused = refuse_to_show(update, wait, head, by, &to).await;
            return Ok(refused.unwrap_or_else(|| update.tell(&to, &words)));
        }
    };
    let (id, revision, via) = (wait.id, element.revision, Via::Component);
    let what = InboundKind::Answer { wait: id, revision, reply, via };
    used(update, (wait, head), by, what, &to).await
}

/// The question that a control belongs to; the error is what there is to say where it is gone.
pub async fn asked<U: Update>(
    update: &U,
    wait: WaitId,
    by: &U::Actor,
    to: &ReplyTarget,
) -> Result<Result<Asked, U::Ack>, NotSaved> {
    let Some((wait, shown)) = update.engine().parts().store.wait(wait).await? else {
        return Ok(Err(not_found(update, wait, by, to).await));
    };
    Ok(match head_of(update.engine(), wait.session).await? {
        Some(head) => Ok((wait, shown, head)),
        None => Err(update.tell(to, messages::notices::NO_CONVERSATION)),
    })
}

/// Hands in what somebody did with a question, with what they may do about it now.
pub async fn used<U: Update>(
    update: &U,
    (wait, head): (&Wait, &Head),
    by: &U::Actor,
    what: InboundKind,
    to: &ReplyTarget,
) -> Result<U::Ack, NotSaved> {
    match answerer(update, wait, head, by).await {
        Ok(from) => receive(update, wait.session, (from, what), to, Some(wait)).await,
        Err(words) => Ok(update.tell(to, &words)),
    }
}

/// Somebody who answers a question; only about those who decide something is asked. The error is for them.
pub async fn answerer<U: Update>(
    update: &U,
    wait: &Wait,
    head: &Head,
    by: &U::Actor,
) -> Result<Responder, String> {
    match &wait.answerers {
        Answerers::Participant => Ok(update.known(head, by).await),
        Answerers::Deciders { .. } => update.responder(head, by).await,
    }
}

/// The refusal, where somebody may not see a form of a question: it shows what was entered so far.
pub async fn refuse_to_show<U: Update>(
    update: &U,
    wait: &Wait,
    head: &Head,
    by: &U::Actor,
    to: &ReplyTarget,
) -> Option<U::Ack> {
    let may = match &wait.answerers {
        Answerers::Participant => update.is_participant(head, by),
        Answerers::Deciders { alias, .. } => match update.responder(head, by).await {
            Ok(from) => from.approver_of.contains(alias),
            Err(unchecked) => return Some(update.tell(to, &unchecked)),
        },
    };
    let refused = || {
        let who_may = wait.answerers.who();
        let refused = Receipt::Settled(Settlement::NotAllowed { who_may });
        report(update, &refused, Some(wait), &update.person(by), to)
    };
    (!may).then(refused)
}

/// There is no such question: it was erased, which its receipt says, or never was.
async fn not_found<U: Update>(update: &U, wait: WaitId, by: &U::Actor, to: &ReplyTarget) -> U::Ack {
    if let Ok(Some(erased)) = update.engine().erasure_report_by(wait).await {
        return update.say(to, &receipt::text(&erased));
    }
    let unknown = Receipt::Settled(Settlement::Unknown);
    report(update, &unknown, None, &update.person(by), to)
}

/// Whether a script asked, and no model: its form says who reads what is written into it. Where that can't be read just
/// now, nobody but the interviewer is promised.
pub async fn is_scripted(engine: &Engine, wait: &Wait) -> bool {
    if !matches!(wait.prompt.control, Control::Review(_)) {
        return false;
    }
    let look = engine.look(wait.session).await;
    look.is_ok_and(|look| form::is_scripted(wait, &look.state))
}

/// A file as an upload takes it; the error says what is wrong with it, as far as it can be seen before it is fetched.
pub fn check_upload(upload: &Upload, offer: Offer) -> Result<Offer, String> {
    match offer.bytes {
        Some(bytes) if bytes > upload.max_bytes => {
            Err(messages::answers::too_large(&offer.name, upload.max_bytes))
        }
        _ => Ok(offer),
    }
}
