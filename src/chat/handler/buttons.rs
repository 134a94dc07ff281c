//! Buttons that belong to no question: those of help, of a copy, of the team's thread, of what staff read.

use async_trait::async_trait;

use super::{NotSaved, ReplyTarget, Update, Wanted, receive, require_participant, require_staff};
use crate::{
    base::ids::SessionId,
    chat::{
        commands::flows::flow_named,
        form::{StaffAction, words},
        profile::{self, Reading},
        transcript::{self, Opened, Opening},
    },
    engine::{Beginning, Error, InboundKind, Look},
    flow::LoadedFlow,
    messages,
    model::{session::Head, transcript::Audience, ui::Offered},
    session::Command,
};

/// What a button asks for, as its id says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ButtonId {
    /// Begins an interview, by the id of its flow.
    Start(String),
    /// Says what works in a conversation.
    Help(SessionId),
    /// Hands the participant a copy of everything.
    Copy(SessionId),
    /// A command of the participant.
    Command(Command, SessionId),
    /// Shows staff one conversation of the overview.
    Show(SessionId),
    /// Something that staff order.
    Staff(StaffAction, SessionId),
    /// Ends a conversation, by staff who have been asked whether they are sure.
    End(SessionId),
    /// A page of a transcript.
    Transcript(Opening),
    /// What somebody approved, or their résumé.
    Reading(Reading),
}

impl ButtonId {
    /// It is the same for ever: panels stand for years.
    const START: &str = "start.";
    const HELP: &str = "help.";
    const COPY: &str = "copy.";
    const DELETE: &str = "delete.";
    const INTERRUPT: &str = "interrupt.";
    const SHOW: &str = "show.";
    const END: &str = "end.";
    const OFFER: &str = "offer.";

    /// The id of the button that begins an interview.
    pub fn start(flow: &str) -> String {
        format!("{}{flow}", Self::START)
    }

    /// The id of the button that says what works.
    pub fn help(session: SessionId) -> String {
        format!("{}{}", Self::HELP, session.short())
    }

    /// The id of the button that hands out a copy.
    pub fn copy(session: SessionId) -> String {
        format!("{}{}", Self::COPY, session.short())
    }

    /// The id of the button that asks whether everything is to be erased.
    pub fn delete(session: SessionId) -> String {
        format!("{}{}", Self::DELETE, session.short())
    }

    /// The id of the button that stops what the bot is at.
    pub fn interrupt(session: SessionId) -> String {
        format!("{}{}", Self::INTERRUPT, session.short())
    }

    /// The id of the button that shows staff a conversation.
    pub fn show(session: SessionId) -> String {
        format!("{}{}", Self::SHOW, session.short())
    }

    /// The id of the button that ends a conversation without another question.
    pub fn end(session: SessionId) -> String {
        format!("{}{}", Self::END, session.short())
    }

    /// The button that gives an offered command: its id and its label.
    pub fn offer(offered: Offered, session: SessionId) -> (String, &'static str) {
        let id = format!("{}{}.{}", Self::OFFER, offered.name(), session.short());
        (id, messages::buttons::offered(offered))
    }

    /// Reads the id of a button; `None` if it is another one.
    pub fn parse(id: &str) -> Option<Self> {
        if let Some(opening) = Opening::parse(id) {
            return Some(Self::Transcript(opening));
        }
        if let Some(reading) = Reading::parse(id) {
            return Some(Self::Reading(reading));
        }
        if let Some((action, session)) = StaffAction::parse(id) {
            return Some(Self::Staff(action, session));
        }
        if let Some(flow) = id.strip_prefix(Self::START) {
            return Some(Self::Start(flow.to_owned()));
        }
        let of = |prefix| id.strip_prefix(prefix).and_then(SessionId::from_short);
        let offered = || {
            let (name, session) = id.strip_prefix(Self::OFFER)?.split_once('.')?;
            let command = Command::from(Offered::parse(name)?);
            Some(Self::Command(command, SessionId::from_short(session)?))
        };
        of(Self::HELP)
            .map(Self::Help)
            .or_else(|| of(Self::COPY).map(Self::Copy))
            .or_else(|| of(Self::DELETE).map(|session| Self::Command(Command::Delete, session)))
            .or_else(|| of(Self::INTERRUPT).map(|it| Self::Command(Command::Interrupt, it)))
            .or_else(|| of(Self::SHOW).map(Self::Show))
            .or_else(|| of(Self::END).map(Self::End))
            .or_else(offered)
    }
}

/// An interview that is to begin.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// Which.
    pub flow: &'a LoadedFlow,
    /// The platform's id of whoever is invited to it; `None` for whoever asks themselves.
    pub invited: Option<&'a str>,
    /// By whom they are invited, and whether it is a test.
    pub beginning: Beginning<'a>,
}

impl<'a> Start<'a> {
    /// For whoever asks.
    pub(crate) fn of(flow: &'a LoadedFlow) -> Self {
        Self { flow, invited: None, beginning: Beginning::default() }
    }
}

/// An update of a platform that brings presses of buttons, or other things that somebody asks for.
#[async_trait]
pub trait Buttons: Update {
    /// What they did, as the platform's payload says: they pressed a button, or gave a command.
    type Act: Send + Sync;

    /// Who did it.
    fn actor<'a>(&self, act: &'a Self::Act) -> &'a Self::Actor;

    /// Where they are told something about it.
    fn target(&self, act: &Self::Act) -> ReplyTarget;

    /// Says something to them alone, in the platform's markup, as the answer to what they did.
    async fn answer(&self, text: &str, act: &Self::Act) -> Self::Ack {
        self.say(&self.target(act), text)
    }

    /// Says what the engine could not do, or lets it come again.
    async fn failed(&self, error: &Error, act: &Self::Act) -> Result<Self::Ack, NotSaved> {
        if words::may_pass(error) {
            return Err(NotSaved);
        }
        Ok(self.answer(&words::of_error(error), act).await)
    }

    /// Begins an interview for them or for whom they invite, or finds theirs, and says where it goes on.
    async fn begin(&self, start: Start<'_>, act: &Self::Act) -> Result<Self::Ack, NotSaved>;

    /// Shows what works in a conversation.
    async fn help(&self, head: &Head, act: &Self::Act) -> Self::Ack;

    /// Sends somebody a file after the acknowledgement, with [`Wanted::hand_over`].
    async fn hand_out(&self, wanted: Wanted, act: &Self::Act) -> Self::Ack;

    /// Shows how a conversation stands: to its participant, or to staff with what they may do about it.
    fn show_one(&self, look: Look, reader: Audience, act: &Self::Act) -> Self::Ack;

    /// Shows a page of a transcript.
    fn show_transcript(&self, opening: Opening, opened: &Opened, act: &Self::Act) -> Self::Ack;

    /// Shows what somebody approved; with a number another page of it, in place of the one that was pressed.
    fn show_profile(&self, look: &Look, page: Option<usize>, act: &Self::Act) -> Self::Ack;

    /// Asks whether a conversation is to be ended; `None` if the platform has asked with the button itself.
    fn asks_before_end(&self, _session: SessionId, _act: &Self::Act) -> Option<Self::Ack> {
        None
    }
}

/// A button that belongs to no question was pressed.
pub async fn pressed<U: Buttons>(
    update: &U,
    button: ButtonId,
    act: &U::Act,
) -> Result<U::Ack, NotSaved> {
    let (by, to) = (update.actor(act), update.target(act));
    match button {
        ButtonId::Start(flow) => {
            let person = update.person(by);
            let library = update.engine().parts().library.of(person.platform, &person.workspace);
            match flow_named(&library, person.platform, &flow) {
                Some(flow) => update.begin(Start::of(&flow), act).await,
                None => Ok(update.tell(&to, messages::notices::NO_FLOWS)),
            }
        }
        ButtonId::Help(session) => {
            Ok(match require_participant(update, session, by, &to).await? {
                Ok((head, _)) => update.help(&head, act).await,
                Err(refused) => refused,
            })
        }
        ButtonId::Copy(session) => {
            Ok(match require_participant(update, session, by, &to).await? {
                Ok(_) => {
                    update.hand_out(Wanted::Everything(session, Audience::Participant), act).await
                }
                Err(refused) => refused,
            })
        }
        ButtonId::Command(command, session) => {
            match require_participant(update, session, by, &to).await? {
                Ok((_, from)) => {
                    receive(update, session, (from, InboundKind::Command(command)), &to, None).await
                }
                Err(refused) => Ok(refused),
            }
        }
        ButtonId::Show(session) => Ok(match require_staff(update, session, by, &to).await? {
            Ok(_) => match update.engine().look(session).await {
                Ok(look) => update.show_one(look, Audience::Staff, act),
                Err(error) => update.tell(&to, &words::of_error(&error)),
            },
            Err(refused) => refused,
        }),
        ButtonId::Staff(StaffAction::End, session) => {
            ordered(update, (StaffAction::End, session), act, true).await
        }
        ButtonId::Staff(action, session) => ordered(update, (action, session), act, false).await,
        ButtonId::End(session) => ordered(update, (StaffAction::End, session), act, false).await,
        ButtonId::Transcript(opening) => read_transcript(update, opening, act).await,
        ButtonId::Reading(reading) => read_record(update, reading, act).await,
    }
}

/// A button of the team's thread.
async fn ordered<U: Buttons>(
    update: &U,
    (action, session): (StaffAction, SessionId),
    act: &U::Act,
    must_ask: bool,
) -> Result<U::Ack, NotSaved> {
    let to = update.target(act);
    let from = match require_staff(update, session, update.actor(act), &to).await? {
        Ok((_, from)) => from,
        Err(refused) => return Ok(refused),
    };
    if must_ask && let Some(question) = update.asks_before_end(session, act) {
        return Ok(question);
    }
    receive(update, session, (from, InboundKind::Command(action.command())), &to, None).await
}

/// Opens a page of a transcript, for staff alone. That it is read is noted before it is shown; paging on is the same
/// reading.
async fn read_transcript<U: Buttons>(
    update: &U,
    opening: Opening,
    act: &U::Act,
) -> Result<U::Ack, NotSaved> {
    let to = update.target(act);
    let from = match require_staff(update, opening.session, update.actor(act), &to).await? {
        Ok((_, from)) => from,
        Err(refused) => return Ok(refused),
    };
    Ok(match transcript::read(update.engine(), opening, &from.person).await {
        Ok(opened) => update.show_transcript(opening, &opened, act),
        Err(error) => update.tell(&to, &words::of_error(&error)),
    })
}

/// Shows what somebody approved, or hands out their résumé, for staff alone, with a record of it.
async fn read_record<U: Buttons>(
    update: &U,
    reading: Reading,
    act: &U::Act,
) -> Result<U::Ack, NotSaved> {
    let (Reading::Profile(session) | Reading::ProfilePage(session, _) | Reading::Resume(session)) =
        reading;
    let to = update.target(act);
    let from = match require_staff(update, session, update.actor(act), &to).await? {
        Ok((_, from)) => from,
        Err(refused) => return Ok(refused),
    };
    let engine = update.engine();
    let shown = match reading {
        // The same reading, which is noted.
        Reading::ProfilePage(_, page) => {
            engine.look(session).await.map(|look| update.show_profile(&look, Some(page), act))
        }
        Reading::Profile(_) => profile::open(engine, session, &from.person)
            .await
            .map(|look| update.show_profile(&look, None, act)),
        Reading::Resume(_) => match profile::resume(engine, session, &from.person).await {
            Ok(Some(file)) => Ok(update.hand_out(Wanted::File(session, file), act).await),
            Ok(None) => Ok(update.tell(&to, messages::notices::FILE_GONE)),
            Err(error) => Err(error),
        },
    };
    Ok(shown.unwrap_or_else(|error| update.tell(&to, &words::of_error(&error))))
}
