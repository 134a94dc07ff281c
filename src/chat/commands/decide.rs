//! What a command comes to: who may give it, whose conversation it is about, what the engine is asked, what is answered.
//!
//! Platforms say who gives it ([`Caller`]) and show the [`Answer`]; nothing else about commands is theirs, but where an
//! interview begins and how a file gets to somebody.

use std::sync::Arc;

use async_trait::async_trait;

use super::{Argument, Entry, Order, Verb, Who};
use crate::{
    base::ids::SessionId,
    chat::form::{overview, words},
    engine::{Engine, Error, Inbound, InboundKind, Look, Receipt},
    flow::{Library, LoadedFlow},
    messages::{self, Text},
    model::{
        flow::DiscordPlace,
        session::{Head, PersonId, Platform},
        wait::Answerers,
    },
    session::{Command, Responder},
    store::Find,
};

/// Conversations that are counted for the overview.
const COUNTED: usize = 1_000;

/// Who gives a command, as a platform knows them.
#[async_trait]
pub trait Caller: Sync {
    /// Drives the conversations.
    fn engine(&self) -> &Engine;

    /// Names the event: the same event delivered again has the same key.
    fn key(&self) -> &str;

    /// Who they are.
    fn me(&self) -> PersonId;

    /// What they may do now; the error is for them.
    async fn rights(&self) -> Result<Responder, String>;

    /// They as the participant of their own conversation, about whom nothing needs to be asked.
    async fn participant(&self, head: &Head) -> Responder;

    /// How a command is given on the platform, with what it needs.
    fn usage(&self, entry: &Entry) -> String;

    /// The flows to which they may invite somebody, as the flows say it for the platform.
    fn invitable(&self) -> Vec<Arc<LoadedFlow>> {
        let PersonId { platform, workspace, .. } = self.me();
        invitable(&self.engine().parts().library.of(platform, &workspace), platform)
    }
}

/// What a command came to.
#[derive(Debug)]
pub enum Answer {
    /// Words, for them alone.
    Say(String),
    /// The same, perhaps with a time of day.
    Told(Text),
    /// It was done.
    Done {
        /// In which conversation.
        session: SessionId,
        /// What.
        command: Command,
        /// The conversation is that of whoever ordered it.
        is_own: bool,
    },
    /// Begins for them.
    Begin(Arc<LoadedFlow>),
    /// Which of these?
    Pick(Vec<Arc<LoadedFlow>>),
    /// Asks whether this person is to be invited to one of these.
    Invite(String, Vec<Arc<LoadedFlow>>),
    /// Their own conversation.
    Own(Box<Look>),
    /// One conversation, for staff.
    One(Box<Look>),
    /// All conversations, for staff.
    All(Vec<Head>),
    /// A copy for staff is handed to them directly.
    Copy(SessionId),
    /// The list of commands, for staff or for everybody else.
    Help(bool),
}

/// Decides what a command comes to, and does it where the engine is asked.
pub async fn decide(caller: &dyn Caller, order: &Order) -> Result<Answer, Error> {
    let entry = order.verb.entry();
    if order.whom.is_some() && !entry.has(Argument::Member) {
        return Ok(Answer::Say(messages::commands::OWN_ALONE.to_owned()));
    }
    match (entry.who, order.verb) {
        (Who::Staff, _) => match rights_of_staff(caller).await {
            Ok(from) => for_staff(caller, order, from).await,
            Err(words) => Ok(Answer::Say(words)),
        },
        (_, Verb::Start) => Ok(begin(startable(&library(caller), platform(caller)), order)),
        (_, Verb::Help) => Ok(Answer::Help(rights_of_staff(caller).await.is_ok())),
        _ => for_participant(caller, order).await,
    }
}

/// The rights of a member of staff, or the words for whoever is none.
pub(crate) async fn rights_of_staff(caller: &dyn Caller) -> Result<Responder, String> {
    let from = caller.rights().await?;
    if from.staff { Ok(from) } else { Err(messages::notices::FOR_STAFF.to_owned()) }
}

/// What somebody orders about their own conversation.
async fn for_participant(caller: &dyn Caller, order: &Order) -> Result<Answer, Error> {
    let reason = order.reason.clone();
    let command = match order.verb {
        Verb::Pause => Command::Stop,
        Verb::Resume => Command::Resume,
        Verb::Advance => Command::Advance { reason },
        Verb::Human => Command::Human,
        Verb::Export => Command::Export,
        Verb::Delete => Command::Delete,
        // What else one does with one's own conversation is looked at, or is the platform's.
        _ => return look_at_own(caller).await,
    };
    let Some(head) = newest(caller, &caller.me()).await? else {
        return Ok(Answer::Say(no_session(caller)));
    };
    let from = caller.participant(&head).await;
    carry_out(caller, &head, from, command).await
}

async fn look_at_own(caller: &dyn Caller) -> Result<Answer, Error> {
    match newest(caller, &caller.me()).await? {
        Some(head) => Ok(Answer::Own(Box::new(caller.engine().look(head.id).await?))),
        None => Ok(Answer::Say(no_session(caller))),
    }
}

/// What a member of staff orders, whose rights have been looked at.
async fn for_staff(caller: &dyn Caller, order: &Order, from: Responder) -> Result<Answer, Error> {
    let (engine, on) = (caller.engine(), platform(caller));
    match order.verb {
        Verb::Overview => return all(caller).await,
        Verb::Match => return Ok(begin(scoring(&library(caller), on), order)),
        _ => {}
    }
    let Some(user) = &order.whom else {
        return Ok(Answer::Say(messages::commands::name_somebody(
            &caller.usage(order.verb.entry()),
        )));
    };
    if order.verb == Verb::Invite {
        let mut flows = caller.invitable();
        if let Some(wanted) = &order.flow {
            flows.retain(|flow| flow.flow.id == *wanted);
        }
        if flows.is_empty() {
            return Ok(Answer::Say(messages::commands::NO_INVITATIONS.to_owned()));
        }
        return Ok(Answer::Invite(user.clone(), flows));
    }
    let person = PersonId { user: user.clone(), ..caller.me() };
    let Some(head) = newest(caller, &person).await? else {
        return Ok(Answer::Say(messages::notices::NONE_OF_THEIRS.to_owned()));
    };
    let reason = order.reason.clone();
    let command = match order.verb {
        Verb::Override => Command::Advance { reason },
        Verb::TakeOver => Command::TakeOver,
        Verb::HandBack => Command::HandBack,
        Verb::End => Command::End { reason },
        Verb::ExportTheirs => {
            engine.note_reading(head.id, "session_exported", &from.person.to_string()).await?;
            return Ok(Answer::Copy(head.id));
        }
        _ => return Ok(Answer::One(Box::new(engine.look(head.id).await?))),
    };
    carry_out(caller, &head, from, command).await
}

async fn carry_out(
    caller: &dyn Caller,
    head: &Head,
    from: Responder,
    command: Command,
) -> Result<Answer, Error> {
    let (key, me) = (caller.key().to_owned(), from.person.clone());
    let what = InboundKind::Command(command.clone());
    let inbound = Inbound { key, session: head.id, from, what };
    let receipt = caller.engine().receive(inbound).await?;
    if let Receipt::Erased { receipt, is_under_way } = receipt {
        return Ok(Answer::Say(messages::erasure::erased(&receipt, is_under_way)));
    }
    if let Some(words) = words::of_receipt(&receipt, None, &me) {
        return Ok(Answer::Told(words));
    }
    let is_own = head.participant == caller.me();
    if let Command::Advance { .. } = command {
        return Ok(Answer::Say(advanced(caller.engine(), head, is_own).await?.to_owned()));
    }
    Ok(Answer::Done { session: head.id, command, is_own })
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

/// The flow that is meant, or the choice where that is not clear.
fn begin(flows: Vec<Arc<LoadedFlow>>, order: &Order) -> Answer {
    let wanted = order.flow.as_ref();
    let found = match (flows.as_slice(), wanted) {
        ([], _) => return Answer::Say(messages::notices::NO_FLOWS.to_owned()),
        ([only], None) => Some(only),
        (several, wanted) => several.iter().find(|flow| Some(&flow.flow.id) == wanted),
    };
    match found {
        Some(flow) => Answer::Begin(Arc::clone(flow)),
        None => Answer::Pick(flows),
    }
}

/// Everybody's conversations here.
async fn all(caller: &dyn Caller) -> Result<Answer, Error> {
    let me = caller.me();
    let is_here = |head: &Head| overview::is_of(head, me.platform, &me.workspace);
    let (heads, _) = caller.engine().newest((None, COUNTED), is_here).await?;
    Ok(Answer::All(heads))
}

/// The conversation of a person that is meant where nothing else is said.
async fn newest(caller: &dyn Caller, person: &PersonId) -> Result<Option<Head>, Error> {
    let found = caller.engine().parts().store.find(Find::Person(person.clone())).await?;
    Ok(overview::newest(&found, person.platform))
}

fn library(caller: &dyn Caller) -> Library {
    let me = caller.me();
    caller.engine().parts().library.of(me.platform, &me.workspace)
}

fn platform(caller: &dyn Caller) -> Platform {
    caller.me().platform
}

/// There is no conversation to talk about.
pub(crate) fn no_session(caller: &dyn Caller) -> String {
    let start = caller.usage(Verb::Start.entry());
    messages::commands::no_conversation_yet(&start)
}

/// The flows that anybody may start on a platform; those that score people are for staff alone.
pub fn startable(library: &Library, platform: Platform) -> Vec<Arc<LoadedFlow>> {
    flows_on(library, platform, |flow| !flow.flow.policy.score_people)
}

/// The flows that score people, which staff alone start.
pub(crate) fn scoring(library: &Library, platform: Platform) -> Vec<Arc<LoadedFlow>> {
    flows_on(library, platform, |flow| flow.flow.policy.score_people)
}

/// The flows to which staff may invite somebody. On Discord the bot writes directly to nobody who has not asked for it
/// (Discord's rules for developers), so an invitation needs a thread, and a channel for it that members see.
pub fn invitable(library: &Library, platform: Platform) -> Vec<Arc<LoadedFlow>> {
    flows_on(library, platform, |flow| {
        let start = &flow.flow.start;
        let may_invite = match platform {
            Platform::Slack => start.slack.as_ref().is_some_and(|start| start.invite),
            Platform::Discord => start.discord.as_ref().is_some_and(|start| {
                let in_thread = start.place == DiscordPlace::PrivateThread;
                start.invite && in_thread && start.parent.is_some()
            }),
            Platform::Web => false,
        };
        may_invite && !flow.flow.policy.score_people
    })
}

/// The flow behind a button that starts one, whoever pressed it: the engine looks at who may start it.
pub(crate) fn flow_named(
    library: &Library,
    platform: Platform,
    id: &str,
) -> Option<Arc<LoadedFlow>> {
    flows_on(library, platform, |flow| flow.flow.id == id).pop()
}

fn flows_on(
    library: &Library,
    platform: Platform,
    is_wanted: impl Fn(&LoadedFlow) -> bool,
) -> Vec<Arc<LoadedFlow>> {
    let is_there = |flow: &Arc<LoadedFlow>| match platform {
        Platform::Slack => flow.flow.start.slack.is_some(),
        Platform::Discord => flow.flow.start.discord.is_some(),
        Platform::Web => true,
    };
    library.iter().filter(is_there).filter(|flow| is_wanted(flow)).collect()
}

/// What was done, for whoever ordered it about somebody else.
pub const fn done(command: &Command) -> &'static str {
    match command {
        Command::TakeOver => messages::staff::TAKEN_OVER,
        Command::HandBack => messages::staff::HANDED_BACK,
        Command::End { .. } => messages::staff::ENDED,
        _ => messages::notices::DONE,
    }
}
