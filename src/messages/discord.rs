//! What only Discord shows.

use super::{list, notices};
use crate::model::transcript::Audience;

/// Somebody typed in their own conversation what the bot cannot read.
pub(crate) const UNREADABLE: &str = "I can't read what is typed here, but this works:";
/// Staff typed what the bot cannot read, in a thread about somebody.
pub(crate) const UNHEARD_STAFF: &str = "I can't read what is typed here. Use Discord's *Reply* on one of my messages, with the mention on.";
/// What works, on request.
pub(crate) const HELP_TITLE: &str = "What works here:";
/// The first direct message of a conversation has arrived.
pub(crate) const DIRECT: &str = "I've sent you a direct message.";
/// They had the conversation before.
pub(crate) const DIRECT_ALREADY: &str =
    "You already have this conversation; look among your direct messages.";
/// It rests until they want it to go on.
pub(crate) const HOW_TO_RESUME: &str = "Use `/onboard resume` to continue.";
/// Something did not arrive, and it was no outage.
pub(crate) const FILTERED: &str =
    "A message filter here held back something I wanted to write. Please ask the team about it.";
/// Nowhere to talk could be made.
pub(crate) const NO_ROOM: &str = "I couldn't open a thread for you, and Discord didn't deliver my direct message. Allow direct messages in the server's privacy settings, or ask the team, then press again.";
/// No thread could be made, and nothing else is to be used instead.
pub(crate) const NO_THREAD: &str =
    "I couldn't open a thread for you here. Please tell the team, then press again.";
/// It takes longer than a moment.
pub(crate) const ROOM_LATER: &str =
    "This takes a moment longer. I'll write to you in a thread of your own, or directly.";
/// What was said directly has not arrived yet.
pub(crate) const DIRECT_LATER: &str = "I'm writing to you directly. It takes a moment longer; you'll find it among your direct messages.";
/// Where a conversation stands cannot be found out just now.
pub(crate) const SEE_CONVERSATION: &str =
    "I've noted that. You'll find the answer in your conversation with me.";
/// A first word to the bot outside of a server.
pub(crate) const BEGIN_IN_THE_SERVER: &str =
    "Hello. I begin in the server: press Start there, or type `/onboard start`.";
/// An app was to be invited.
pub(crate) const NO_BOTS: &str = "That is an app. Only people can be invited.";
/// Somebody was to be invited who is not a member.
pub(crate) const NOT_HERE: &str = "They aren't in this server, so I can't invite them.";
/// A copy was handed over when this was ordered for the first time.
pub(crate) const COPY_SENT_BEFORE: &str = "It's on its way to your direct messages.";
/// An order that only makes sense within a server.
pub(crate) const IN_A_SERVER: &str = "Please do that in the server, not here.";
/// A panel was posted.
pub(crate) const POSTED: &str = "Posted. It works for as long as it stands here.";
/// A panel could not be posted.
pub(crate) const NOT_POSTED: &str =
    "I'm not allowed to post here. Please let me see this channel and send messages in it.";
/// For those who look after the server.
pub(crate) const FOR_MODERATORS: &str = "Only people who manage this server can do that.";
/// There is no open question for a file.
pub(crate) const NO_UPLOAD: &str = "You don't have a conversation that this file could belong to.";
/// Something was pressed that is not known any more.
pub(crate) const GONE: &str = "That button no longer works.";

/// A question that is not asked, for it was answered when the member came in.
pub(crate) fn said_before(question: &str, what: &str) -> String {
    format!(
        "{question} **{what}**: you told the server when you joined, so I won't ask again. You can change it under \
         *Channels & Roles*."
    )
}

/// What works in a conversation, for whoever asks or has typed what nobody can read; `first` says why, and buttons follow.
pub(crate) fn help(first: &str, how: &str) -> String {
    format!(
        "{first}\n- {how}\n- Already wrote it? Open the menu of your message and choose *Apps*, then *Use as answer*.\n\
         - For anything else there are these buttons:"
    )
}
pub(crate) const HELP_TYPE: &str = "Type your answer, or press a button on a card.";
pub(crate) const HELP_REPLY: &str = "Press a button on a card, or answer with Discord's *Reply* on one of my messages, with the mention on.";
pub(crate) const HELP_PRESS: &str = "Press a button on a card.";

/// Roles that were given for an answer; `None` if there are none.
pub(crate) fn roles_added(names: &[String]) -> Option<String> {
    match names {
        [] => None,
        [only] => Some(format!("Role added: **{only}**")),
        several => Some(format!("Roles added: **{}**", list::plain(several))),
    }
}

/// New roles as a message of its own, with who agreed to them if somebody had to.
pub(crate) fn new_roles(names: &[String], agreed_by: Option<&str>) -> String {
    let word = if names.len() == 1 { "a new role" } else { "new roles" };
    let line = format!("You have {word}: **{}**.", list::plain(names));
    match agreed_by {
        Some(person) => format!("✓ {person} approved your request. {line}"),
        None => format!("✓ {line}"),
    }
}

/// What became of roles; a line each follows.
pub(crate) const YOUR_ROLES: &str = "Your roles:";
pub(crate) const ROLES_AFTER_RULES: &str =
    "You'll get your roles as soon as you've accepted the server's rules.";

/// Why a role was not given.
pub(crate) const ROLE_NOT_SET_UP: &str = "the team hasn't set up that role";
pub(crate) const LEFT_SERVER: &str = "they've left the server";
pub(crate) const NOT_IN_SERVER: &str = "they're no longer in the server";
pub(crate) const ROLE_GONE: &str = "the role no longer exists";
pub(crate) const ROLES_NOT_ALLOWED: &str =
    "I'm not allowed to manage roles here; a moderator can change that";
pub(crate) const ROLE_TOO_HIGH: &str = "my own role is below it; a moderator can move mine up";
pub(crate) const ROLE_MANAGED: &str = "that role can't be given to anyone";

/// Where a conversation goes on.
pub(crate) fn room(channel: &str) -> String {
    format!("Your thread: <#{channel}>")
}

/// Nothing is erased before somebody is sure.
pub(crate) fn confirm_erasure(link: &str) -> String {
    format!("Nothing is erased yet. Please confirm it here: {link}")
}

/// A copy is handed out where the conversation is.
pub(crate) fn copy_comes(link: &str) -> String {
    format!("You'll find a button for your copy here in a moment: {link}")
}

/// Nothing more is asked.
pub(crate) fn stopped(link: &str) -> String {
    format!("Stopped. I won't ask anything more. You can continue later here: {link}")
}

/// The conversation goes on.
pub(crate) fn goes_on(link: &str) -> String {
    format!("It continues here: {link}")
}

/// What there is to say about an order stands in the conversation.
pub(crate) fn answered_in(link: &str) -> String {
    format!("You'll find the answer here: {link}")
}

/// An invitation is on its way.
pub(crate) fn invited(user: &str) -> String {
    format!(
        "Invited <@{user}>. They'll find it in a private thread of their own. If it doesn't reach them, I'll say so in \
         the team's channel."
    )
}

/// A copy could not be handed over.
pub(crate) const fn no_copy(reader: Audience) -> &'static str {
    match reader {
        Audience::Participant => notices::COULD_NOT_SEND,
        Audience::Staff => {
            "I couldn't send it to you. Allow direct messages in the server's privacy settings, then try again."
        }
    }
}

/// A file or a copy on its way to somebody.
pub(crate) const THEIR_RESUME: &str = "The résumé they sent.";
pub(crate) const COPY_OF_EVERYTHING: &str = "A copy of everything.";
pub(crate) const DIRECT_MESSAGES: &str = "your direct messages";
pub(crate) const OWN_THREAD: &str = "your thread";
pub(crate) fn sent_to(place: &str) -> String {
    format!("Sent. You'll find it in {place}.")
}

pub(crate) const OWN_MESSAGES_ONLY: &str = "Choose a message that you wrote yourself.";
pub(crate) const DECIDED_APPROVED: &str = "Approved.";
pub(crate) const DECIDED_DENIED: &str = "Denied.";
