//! What can happen to a session: one function for each, from the session as it stands to what that changes.
//!
//! Nothing but the arguments is read, and nothing but the result is changed. Where more is done before the commit, that
//! goes on from the [`Changes`], by its methods.

use std::sync::Arc;

use chrono::{DateTime, Utc};

pub use super::subtasks::child_started;

use super::{
    Answer, Changes, Command, InboundKind, Receipt, Refusal, Responder, Response, Retry, Scope,
    SessionView, Settings, Speech, State,
};
use crate::{
    base::ids::{CallId, Ids, SessionId, WaitId},
    flow::LoadedFlow,
    messages,
    model::{
        STORED_VERSION,
        artifact::Artifact,
        effect::{Delivery, Effect},
        task::Ancestor,
        team::Team,
        transcript::{CallResult, Event, Recorded, SpentOn, Started, Via},
        usage::{Level, Usage},
        wait::{Wait, WaitStatus},
    },
    store::TimerKind,
};

/// Somebody begins: the notice is asked, or the first phase begins where the flow has none. The notice says whether a
/// model will read along.
pub fn started(
    flow: Arc<LoadedFlow>,
    started: Started,
    ids: Arc<dyn Ids>,
    now: DateTime<Utc>,
    settings: Settings,
) -> Changes {
    let event = Event::Started(started.clone());
    let first = Recorded { v: STORED_VERSION, seq: 1, at: now, event: Arc::new(event) };
    let state = State::begin(&started, now);
    let mut session = Changes::beginning(flow, state, first, ids, now).within(settings);
    let facts = [("flow", started.flow.id.into()), ("digest", started.flow.digest.into())];
    session.audit("session_started", facts, []);
    session.open_session();
    session
}

/// A person did something. `speech` is what the model may be saying just now.
pub fn inbound(
    view: SessionView,
    from: &Responder,
    what: &InboundKind,
    speech: Option<&Speech>,
) -> (Receipt, Changes) {
    let mut session = Changes::from(view);
    let receipt = match what {
        _ if session.is_child() => Receipt::Refused(messages::notices::NOBODY_TALKS_HERE.into()),
        InboundKind::Answer { wait, revision, reply, via } => {
            let (reply, from) = (reply.clone(), from.clone());
            let answer = Answer { wait: *wait, revision: *revision, reply, from, via: *via };
            Receipt::Settled(session.settle(answer))
        }
        InboundKind::Said { text, source } => {
            session.hear_amid(from, text, source.clone(), speech);
            Receipt::Taken
        }
        InboundKind::Amended { source, text } => {
            taken(session.amend(from, source, text.as_deref()))
        }
        InboundKind::Sent { wait, files } => {
            Receipt::Settled(session.receive_files(from, *wait, files.clone()))
        }
        InboundKind::Lost { why } => {
            session.lose_touch(why);
            Receipt::Taken
        }
        InboundKind::Back => {
            session.be_in_touch();
            Receipt::Taken
        }
        InboundKind::MayHaveRoles { roles } => {
            session.give_roles(roles.clone());
            Receipt::Taken
        }
        InboundKind::Offered { wait, files, text } => {
            taken(session.offer_files(from, *wait, files.clone(), text.as_deref()))
        }
        InboundKind::Command(Command::Interrupt) => taken(session.interrupt(from, speech)),
        InboundKind::Command(command) => {
            taken(session.command(from, command.clone(), Via::Command))
        }
    };
    (receipt, session)
}

/// What came of something that may be refused.
fn taken(done: Result<(), Refusal>) -> Receipt {
    match done {
        Ok(()) => Receipt::Taken,
        Err(Refusal(why)) => Receipt::Refused(why),
    }
}

/// A timer fired.
pub fn timer(view: SessionView, kind: TimerKind) -> Changes {
    deciding(view, |session| session.timer(kind))
}

/// Something came of an effect. Where that was nothing, `team` may be asked directly.
pub fn delivered(view: SessionView, effect: &Effect, delivery: &Delivery, team: &Team) -> Changes {
    deciding(view, |session| session.effect_done(effect, delivery, team))
}

/// Somebody who may keeps the session from being erased, for this reason, or no longer does.
pub fn hold(view: SessionView, by: &str, reason: Option<&str>) -> (Result<(), Refusal>, Changes) {
    let mut session = Changes::from(view);
    let done = match reason {
        Some(reason) => session.hold(by, reason),
        None => session.release(by),
    };
    (done, session)
}

/// The participant has ordered an erasure that a hold keeps from being carried out.
pub fn erasure_put_off(view: SessionView) -> Changes {
    deciding(view, Changes::put_erasure_off)
}

/// The files were let go while the conversation stays.
pub(crate) fn uploads_forgotten(view: SessionView) -> Changes {
    deciding(view, Changes::forget_uploads)
}

/// The process ended while the participant waited for the model.
pub fn cut_off(view: SessionView) -> Changes {
    deciding(view, Changes::go_on_after_interruption)
}

/// The model has answered; it was asked after event `knew`. Its words wait for what becomes of its calls if `waits`.
pub fn thought(view: SessionView, knew: u64, response: Response, waits: bool) -> Changes {
    deciding(view, |session| session.thought(knew, response, waits))
}

/// The model gave no answer of use; it was asked after event `knew`. What that cost counts in any case.
pub fn thinking_failed(
    view: SessionView,
    knew: u64,
    (code, retry): (&str, Retry),
    usage: Usage,
) -> Changes {
    deciding(view, |session| {
        session.spend(SpentOn::Answer, usage);
        if session.awaits_answer(knew) {
            session.thinking_failed(code, retry);
        }
    })
}

/// The model has made a short form of everything up to event `through`.
pub fn summarised(view: SessionView, through: u64, text: String, usage: Usage) -> Changes {
    deciding(view, |session| session.summarised(through, text, usage))
}

/// The model was asked to no avail.
pub fn spent(view: SessionView, usage: Usage) -> Changes {
    deciding(view, |session| session.spend(SpentOn::Answer, usage))
}

/// The model fails in a way that only people mend.
pub(crate) fn model_in_trouble(view: SessionView, text: &'static str) -> Changes {
    deciding(view, |session| session.tell_of_model(text))
}

/// An account that others pay into as well is nearly or wholly used up.
pub(crate) fn account_noted(
    view: SessionView,
    whose: (Scope, bool),
    how_much: (Level, &str),
    until: DateTime<Utc>,
) -> Changes {
    deciding(view, |session| session.note_account(whose, how_much, until))
}

/// A child run that was asked for exists.
pub(crate) fn child_begun(view: SessionView, child: SessionId) -> Changes {
    deciding(view, |parent| parent.child_begun(child))
}

/// A child run knows that it is not wanted any more.
pub(crate) fn child_recalled(view: SessionView, child: SessionId) -> Changes {
    deciding(view, |parent| parent.child_recalled(child))
}

/// A child run is over, or will never be.
pub(crate) fn child_ended(
    view: SessionView,
    child: SessionId,
    how: &str,
    result: CallResult,
    used: Usage,
) -> Changes {
    deciding(view, |parent| parent.child_ended(child, how, result, used))
}

/// A child run below this session asks somebody.
pub(crate) fn child_asks(
    view: SessionView,
    wait: &Wait,
    call: &CallId,
    path: &[Ancestor],
) -> Changes {
    deciding(view, |root| root.raise(wait, call, path))
}

/// What this child run asks is shown at its root.
pub fn raised(view: SessionView, wait: WaitId) -> Changes {
    deciding(view, |child| child.raised(wait))
}

/// Something came of what this child run asked.
pub fn told(view: SessionView, wait: WaitId, status: &WaitStatus, files: Vec<Artifact>) -> Changes {
    deciding(view, |child| child.told(wait, status, files))
}

/// This child run is not wanted any more.
pub fn recalled(view: SessionView, reason: &str) -> Changes {
    deciding(view, |child| child.recall(reason))
}

/// This child run can't go on.
pub(crate) fn child_failed(view: SessionView, code: &str, message: &str) -> Changes {
    deciding(view, |child| child.fail_child(code, message.to_owned()))
}

/// The parent of this child run knows what it came to.
pub fn reported(view: SessionView) -> Changes {
    deciding(view, Changes::reported)
}

fn deciding(view: SessionView, decide: impl FnOnce(&mut Changes)) -> Changes {
    let mut session = Changes::from(view);
    decide(&mut session);
    session
}
