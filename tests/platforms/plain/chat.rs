//! The chat itself, kept in memory: rooms with messages, threads under them, numbered choices, files, and what it refuses.
//!
//! A room is private to somebody (`@ada`) or the team's (`#desk`). While a message stands, posting under its key in its room
//! again gives the same message.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use anteroom::{
    chat::{NotFetched, courier::Undelivered, message_index::MessageRef, refusal::Class},
    model::effect::CauseKind,
};

/// What the bot is called.
pub(crate) const BOT: &str = "bot";

/// What can be chosen under a message: an id, a label, and blanks to fill in before, each with what stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice(pub(crate) String, pub(crate) String, pub(crate) Vec<(String, String)>);

/// Words with numbered choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Card(pub(crate) String, pub(crate) Vec<Choice>);

impl Card {
    pub(crate) fn words(text: impl Into<String>) -> Self {
        Self(text.into(), Vec::new())
    }

    /// With choices by their ids and labels.
    pub(crate) fn choosing<L: Into<String>>(
        self,
        choices: impl IntoIterator<Item = (String, L)>,
    ) -> Self {
        let choices = choices.into_iter().map(|(id, label)| Choice(id, label.into(), Vec::new()));
        Self(self.0, choices.collect())
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim_end())?;
        for (n, Choice(_, label, blanks)) in (1..).zip(&self.1) {
            write!(f, "\n{n}. {label}")?;
            blanks.iter().try_for_each(|(name, value)| write!(f, " [{name}: {value}]"))?;
        }
        Ok(())
    }
}

/// A call that came to nothing as far as its caller knows: what that means, and whether it was done all the same.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refused(pub(crate) Class, pub(crate) bool);

impl From<Refused> for Undelivered<Refused> {
    fn from(refused: Refused) -> Self {
        Self::Call(refused)
    }
}

/// Somebody in the chat, and what they may do.
#[derive(Debug, Clone, Default)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) staff: bool,
    pub(crate) decides: bool,
}

#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) at: MessageRef,
    /// The message that it stands under.
    pub(crate) under: Option<String>,
    pub(crate) by: String,
    pub(crate) key: String,
    pub(crate) card: Card,
}

#[derive(Debug, Default)]
pub(crate) struct Chat {
    pub(crate) members: BTreeMap<String, Member>,
    pub(crate) messages: Vec<Message>,
    last: usize,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// What the next downloads come to, and the next calls: `post`, `edit`, `delete`.
    pub(crate) downloads: Vec<NotFetched>,
    pub(crate) faults: Vec<(&'static str, Refused)>,
    pub(crate) closed: BTreeSet<String>,
    /// Files that the bot puts here take for ever.
    pub(crate) is_stuck: bool,
    /// All that was ever to be seen in a room, with what could be chosen.
    pub(crate) seen: Vec<(String, String, Vec<Choice>)>,
}

impl Chat {
    /// Posts, unless it stands there already.
    pub(crate) fn post(
        &mut self,
        (room, under): (&str, Option<&str>),
        (by, key): (&str, &str),
        card: Card,
    ) -> Result<MessageRef, Refused> {
        let fault = self.fault("post", room).filter(|_| by == BOT);
        if let Some(refused) = fault.filter(|fault| !fault.1) {
            return Err(refused);
        }
        let at = self.keyed(room, |known| known == key).unwrap_or_else(|| {
            self.last += 1;
            let at = MessageRef { channel: room.to_owned(), message: self.last.to_string() };
            self.see(&at, under.is_some(), if by == BOT { "+" } else { by }, &card);
            let (by, key, under) = (by.to_owned(), key.to_owned(), under.map(str::to_owned));
            self.messages.push(Message { at: at.clone(), under, by, key, card });
            at
        });
        fault.map_or(Ok(at), Err)
    }

    /// Puts something else in a message's place, or nothing.
    pub(crate) fn change(&mut self, at: &MessageRef, card: Option<Card>) -> Result<(), Refused> {
        let call = if card.is_some() { "edit" } else { "delete" };
        if let Some(refused) = self.fault(call, &at.channel) {
            return Err(refused);
        }
        let known = self.messages.iter().position(|message| message.at == *at);
        let n = known.ok_or(Refused(Class::MessageGone, false))?;
        match card {
            Some(card) if card != self.messages[n].card => {
                self.see(at, self.messages[n].under.is_some(), "~", &card);
                self.messages[n].card = card;
            }
            Some(_) => {}
            None => drop(self.messages.remove(n)),
        }
        Ok(())
    }

    fn fault(&mut self, call: &str, room: &str) -> Option<Refused> {
        let closed = Refused(Class::Blocked(CauseKind::ChannelUnavailable), false);
        let next = self.faults.iter().position(|(kind, _)| *kind == call);
        let next = next.map(|next| self.faults.remove(next).1);
        next.or_else(|| self.closed.contains(room).then_some(closed))
    }

    /// The message in a room that has such a key.
    pub(crate) fn keyed(&self, room: &str, is: impl Fn(&str) -> bool) -> Option<MessageRef> {
        let is_it = |message: &&Message| message.at.channel == room && is(&message.key);
        self.messages.iter().find(is_it).map(|message| message.at.clone())
    }

    /// How many messages of others stand under one.
    pub(crate) fn written_under(&self, head: &MessageRef) -> usize {
        let there = self.messages.iter().filter(|it| it.at.channel == head.channel);
        there.filter(|it| it.under.as_ref() == Some(&head.message) && it.by != BOT).count()
    }

    fn see(&mut self, at: &MessageRef, is_under: bool, mark: &str, card: &Card) {
        let line = format!("{}{mark} {card}", if is_under { "> " } else { "" });
        self.seen.push((at.channel.clone(), line, card.1.clone()));
    }
}
