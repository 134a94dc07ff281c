//! What a command comes to: who may give it, whose conversation it is about, what the engine is asked, what is answered.
//!
//! Platforms read it into an [`Order`] and say how something is laid out ([`Commands`]); nothing else about commands is
//! theirs, but where an interview begins and how a file gets to somebody.

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    Argument, Entry, Order, Verb, Who,
    flows::{invitable, scoring, startable},
    help,
};
use crate::{
    base::ids::SessionId,
    chat::{
        form::{overview, words},
        handler::{Buttons, NotSaved, Start, Update, Wanted, newest},
    },
    engine::{Beginning, Engine, Error, Inbound, InboundKind, Receipt},
    flow::{Library, LoadedFlow},
    messages,
    model::{
        session::{Head, PersonId, Platform},
        transcript::{Audience, Inviter},
        wait::Answerers,
    },
    session::{Command, Responder},
};

/// Conversations that are counted for the overview.
const COUNTED: usize = 1_000;

/// What somebody has to choose.
#[derive(Debug, Clone, Copy)]
pub enum Choice<'a> {
    /// Which of these interviews is to begin.
    Begin(&'a [Arc<LoadedFlow>]),
    /// Whether this person is to be invited to one of them: what sends that is [`invited`].
    Invite(&'a str, &'a [Arc<LoadedFlow>]),
}

/// An update of a platform that brings commands.
#[async_trait]
pub trait Commands: Buttons {
    /// How a command is given on the platform, with what it needs; `None` if the platform does not have it.
    fn usage(&self, entry: &Entry) -> Option<String>;

    /// The list of commands, for staff or for everybody else.
    fn list(&self, is_staff: bool) -> String {
        help(is_staff, |entry| self.usage(entry))
    }

    /// The flows to which somebody may be invited, as the flows say it for the platform.
    fn invitable(&self, by: &Self::Actor) -> Vec<Arc<LoadedFlow>> {
        invitable(&library(self, by), self.person(by).platform)
    }

    /// Asks somebody to choose.
    async fn choose(&self, choice: Choice<'_>, act: &Self::Act) -> Result<Self::Ack, NotSaved>;

    /// Says that nobody is invited, and why.
    async fn not_invited(&self, why: &str, act: &Self::Act) -> Self::Ack {
        self.answer(why, act).await
    }

    /// Shows staff all conversations.
    fn show_all(&self, heads: &[Head], act: &Self::Act) -> Self::Ack;

    /// Says that something was done with somebody's own conversation.
    async fn carried_out(
        &self,
        (_session, command): (SessionId, Command),
        act: &Self::Act,
    ) -> Self::Ack {
        self.answer(done(&command), act).await
    }
}

/// A command was given.
pub async fn ordered<U: Commands>(
    update: &U,
    order: &Order,
    act: &U::Act,
) -> Result<U::Ack, NotSaved> {
    match decide(&Caller { update, act }, order).await {
        Ok(answered) => answered,
        Err(error) => update.failed(&error, act).await,
    }
}

/// An invitation is to be sent: rights are looked at again, a preview is no proof.
pub async fn invited<U: Commands>(
    update: &U,
    (user, flow): (&str, &str),
    act: &U::Act,
) -> Result<U::Ack, NotSaved> {
    let by = update.actor(act);
    let Responder { person, name, .. } = match rights_of_staff(update, by).await {
        Ok(from) => from,
        Err(words) => return Ok(update.answer(&words, act).await),
    };
    let flows = update.invitable(by);
    let Some(flow) = flows.into_iter().find(|known| known.flow.id == flow) else {
        return Ok(update.not_invited(messages::notices::NO_FLOWS, act).await);
    };
    // Whoever invites themselves tries it out.
    let is_test = person.user == user;
    let inviter = Inviter { person, name };
    let invited_by = Some(&inviter).filter(|_| !is_test);
    let beginning = Beginning { is_test, invited_by, ..Beginning::default() };
    update.begin(Start { flow: &flow, invited: Some(user), beginning }, act).await
}

/// Who gives a command.
struct Caller<'a, U: Commands> {
    update: &'a U,
    act: &'a U::Act,
}

/// What is answered; the error is what the engine could not do.
type Answered<U> = Result<Result<<U as Update>::Ack, NotSaved>, Error>;

impl<U: Commands> Caller<'_, U> {
    fn engine(&self) -> &Engine {
        self.update.engine()
    }

    fn by(&self) -> &U::Actor {
        self.update.actor(self.act)
    }

    fn me(&self) -> PersonId {
        self.update.person(self.by())
    }

    async fn say(&self, text: &str) -> Answered<U> {
        Ok(Ok(self.update.answer(text, self.act).await))
    }
}

/// Decides what a command comes to, and does it.
async fn decide<U: Commands>(caller: &Caller<'_, U>, order: &Order) -> Answered<U> {
    let (entry, by) = (order.verb.entry(), caller.by());
    if order.whom.is_some() && !entry.has(Argument::Member) {
        return caller.say(messages::commands::OWN_ALONE).await;
    }
    match (entry.who, order.verb) {
        (Who::Staff, _) => match rights_of_staff(caller.update, by).await {
            Ok(from) => for_staff(caller, order, from).await,
            Err(words) => caller.say(&words).await,
        },
        (_, Verb::Start) => begin(caller, order, startable).await,
        (_, Verb::Help) => {
            let is_staff = rights_of_staff(caller.update, by).await.is_ok();
            caller.say(&caller.update.list(is_staff)).await
        }
        _ => for_participant(caller, order).await,
    }
}

/// The rights of a member of staff, or the words for whoever is none.
pub(crate) async fn rights_of_staff<U: Update>(
    update: &U,
    by: &U::Actor,
) -> Result<Responder, String> {
    let from = update.rights(by).await?;
    if from.staff { Ok(from) } else { Err(messages::notices::FOR_STAFF.to_owned()) }
}

/// What somebody orders about their own conversation.
async fn for_participant<U: Commands>(caller: &Caller<'_, U>, order: &Order) -> Answered<U> {
    let update = caller.update;
    let Some(head) = newest(caller.engine(), caller.me()).await? else {
        return caller.say(&no_session(update)).await;
    };
    let reason = order.reason.clone();
    let command = match order.verb {
        Verb::Pause => Command::Stop,
        Verb::Resume => Command::Resume,
        Verb::Advance => Command::Advance { reason },
        Verb::Human => Command::Human,
        Verb::Export => Command::Export,
        Verb::Delete => Command::Delete,
        // What else one does with one's own conversation is looked at, or is the platform's.
        _ => {
            let look = caller.engine().look(head.id).await?;
            return Ok(Ok(update.show_one(look, Audience::Participant, caller.act)));
        }
    };
    let from = update.known(&head, caller.by()).await;
    carry_out(caller, &head, from, command).await
}

/// What a member of staff orders, whose rights have been looked at.
async fn for_staff<U: Commands>(
    caller: &Caller<'_, U>,
    order: &Order,
    from: Responder,
) -> Answered<U> {
    let Caller { update, act } = *caller;
    match order.verb {
        Verb::Overview => return all(caller).await,
        Verb::Match => return begin(caller, order, scoring).await,
        _ => {}
    }
    let Some(user) = &order.whom else {
        let usage = update.usage(order.verb.entry()).unwrap_or_default();
        return caller.say(&messages::commands::name_somebody(&usage)).await;
    };
    if order.verb == Verb::Invite {
        let mut flows = update.invitable(caller.by());
        if let Some(wanted) = &order.flow {
            flows.retain(|flow| flow.flow.id == *wanted);
        }
        if flows.is_empty() {
            return caller.say(messages::commands::NO_INVITATIONS).await;
        }
        return Ok(update.choose(Choice::Invite(user, &flows), act).await);
    }
    let person = PersonId { user: user.clone(), ..caller.me() };
    let Some(head) = newest(caller.engine(), person).await? else {
        return caller.say(messages::notices::NONE_OF_THEIRS).await;
    };
    let reason = order.reason.clone();
    let command = match order.verb {
        Verb::Override => Command::Advance { reason },
        Verb::TakeOver => Command::TakeOver,
        Verb::HandBack => Command::HandBack,
        Verb::End => Command::End { reason },
        Verb::ExportTheirs => {
            let by = from.person.to_string();
            caller.engine().note_reading(head.id, "session_exported", &by).await?;
            let wanted = Wanted::Everything(head.id, Audience::Staff);
            return Ok(Ok(update.hand_out(wanted, act).await));
        }
        _ => {
            let look = caller.engine().look(head.id).await?;
            return Ok(Ok(update.show_one(look, Audience::Staff, act)));
        }
    };
    carry_out(caller, &head, from, command).await
}

async fn carry_out<U: Commands>(
    caller: &Caller<'_, U>,
    head: &Head,
    from: Responder,
    command: Command,
) -> Answered<U> {
    let Caller { update, act } = *caller;
    let (key, me) = (update.key().to_owned(), from.person.clone());
    let what = InboundKind::Command(command.clone());
    let inbound = Inbound { key, session: head.id, from, what };
    let receipt = caller.engine().receive(inbound).await?;
    if let Receipt::Erased { receipt, is_under_way } = receipt {
        return caller.say(&messages::erasure::erased(&receipt, is_under_way)).await;
    }
    if let Some(words) = words::of_receipt(&receipt, None, &me) {
        return caller.say(&update.write(&words)).await;
    }
    let is_own = head.participant == caller.me();
    match command {
        Command::Advance { .. } => caller.say(advanced(caller.engine(), head, is_own).await?).await,
        command if is_own => Ok(Ok(update.carried_out((head.id, command), act).await)),
        command => caller.say(done(&command)).await,
    }
}

/// What came of an order to move on: somebody else decides, or it is done.
async fn advanced(engine: &Engine, head: &Head, is_own: bool) -> Result<&'static str, Error> {
    let look = engine.look(head.id).await?;
    let is_asked =
        look.state.pending().any(|wait| matches!(wait.answerers, Answerers::Deciders { .. }));
    Ok(match (is_asked, is_own) {
        (true, true) => messages::requests::ASKING_TO_SKIP,
        (true, false) => messages::requests::ASKING_DECIDERS,
        (false, true) => messages::requests::MOVED_ON_YOURSELF,
        (false, false) => messages::requests::MOVED_ON,
    })
}

/// Begins the flow that is meant, or asks which one where that is not clear.
async fn begin<U: Commands>(
    caller: &Caller<'_, U>,
    order: &Order,
    kind: fn(&Library, Platform) -> Vec<Arc<LoadedFlow>>,
) -> Answered<U> {
    let Caller { update, act } = *caller;
    let flows = kind(&library(update, caller.by()), caller.me().platform);
    let wanted = order.flow.as_ref();
    let found = match (flows.as_slice(), wanted) {
        ([], _) => return caller.say(messages::notices::NO_FLOWS).await,
        ([only], None) => Some(only),
        (several, wanted) => several.iter().find(|flow| Some(&flow.flow.id) == wanted),
    };
    Ok(match found {
        Some(flow) => update.begin(Start::of(flow), act).await,
        None => update.choose(Choice::Begin(&flows), act).await,
    })
}

/// Everybody's conversations here.
async fn all<U: Commands>(caller: &Caller<'_, U>) -> Answered<U> {
    let me = caller.me();
    let is_here = |head: &Head| overview::is_of(head, me.platform, &me.workspace);
    let (heads, _) = caller.engine().newest((None, COUNTED), is_here).await?;
    Ok(Ok(caller.update.show_all(&heads, caller.act)))
}

fn library<U: Update + ?Sized>(update: &U, by: &U::Actor) -> Library {
    let me = update.person(by);
    update.engine().parts().library.of(me.platform, &me.workspace)
}

/// There is no conversation to talk about.
pub(crate) fn no_session(update: &impl Commands) -> String {
    let start = update.usage(Verb::Start.entry());
    messages::commands::no_conversation_yet(&start.unwrap_or_default())
}

/// What was done, for whoever ordered it about somebody else.
const fn done(command: &Command) -> &'static str {
    match command {
        Command::TakeOver => messages::staff::TAKEN_OVER,
        Command::HandBack => messages::staff::HANDED_BACK,
        Command::End { .. } => messages::staff::ENDED,
        _ => messages::notices::DONE,
    }
}
