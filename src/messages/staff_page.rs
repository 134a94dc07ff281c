//! What only the staff page says.

use super::{list, unnamed::at_beginning};

pub(crate) const STAFF: &str = "Staff";
pub(crate) const STAFF_PAGE: &str = "Staff page";
pub(crate) const START_PAGE: &str = "Start page";
pub(crate) const YOU_ARE: &str = "You are";
pub(crate) const CARRY_YOUR_NAME: &str = "Decisions and messages carry your name.";

/// What waits for the team.
pub(crate) const WAITING: &str = "Waiting for the team";
pub(crate) const WAITING_PAGES: &str = "Pages of what's waiting";
pub(crate) const NOTHING_TO_DECIDE: &str = "Nothing to decide right now.";
pub(crate) const SINCE: &str = "Since";
pub(crate) const QUIET_UNTIL_BACK: &str = ". The assistant keeps quiet until you hand back.";
pub(crate) const BECAUSE: &str = ", because ";
pub(crate) const ASKED_FOR_A_HUMAN: &str = "Asked for a human";
pub(crate) fn waiting_for(title: &str) -> String {
    format!("Waiting for a decision: {title}")
}
pub(crate) fn asked_for_a_human(name: &str) -> String {
    format!("{} asked for a human.", at_beginning(name))
}

/// The list of conversations.
pub(crate) const CONVERSATIONS: &str = "Conversations";
pub(crate) const CONVERSATION_PAGES: &str = "Pages of conversations";
pub(crate) const INTERVIEW: &str = "Interview";
pub(crate) const PROGRESS: &str = "Progress";
pub(crate) const LAST_ACTIVITY: &str = "Last activity";
pub(crate) const COMPLETE: &str = "Complete";
pub(crate) const NO_NAME: &str = "No name given";
pub(crate) const TAKEN_OVER_BY: &str = "Taken over by ";
pub(crate) const HAS_TAKEN_OVER: &str = " has taken over";
pub(crate) const NO_CONVERSATIONS: &str = "No conversations yet";
pub(crate) const APPEARS_HERE: &str =
    "A conversation appears here as soon as somebody starts an interview.";
pub(crate) const SHARE_OR_TRY: &str = "Share the start page, or try an interview yourself.";
pub(crate) const INVITE_IN_SLACK: &str = "In Slack, invite somebody with ";
pub(crate) const INVITE_IN_DISCORD: &str = "In Discord, invite somebody with ";
pub(crate) fn not_delivered(count: u32) -> String {
    format!("{count} not delivered")
}
pub(crate) fn progress(line: &str) -> String {
    format!("{PROGRESS}: {line}")
}

/// What is wrong with the whole bot.
pub(crate) const DAMAGE: &str = "Something that was stored can't be read";
pub(crate) const ASK_OPERATOR: &str = "Ask whoever runs the bot to look: ";
pub(crate) const NAMES_DAMAGE: &str = " names what is damaged.";
pub(crate) fn damaged(count: usize) -> String {
    let what = if count == 1 { "record or file is" } else { "records or files are" };
    format!("{count} {what} damaged, so a conversation may be missing from the list below. ")
}
pub(crate) const OUTAGES: &str = "Messages that can't be delivered right now";
pub(crate) const WAITING_SINCE: &str = " waiting since ";
pub(crate) const WHAT_HELPS: &str = "What helps: ";

/// One conversation.
pub(crate) const TECHNICAL: &str = " Show technical details";
pub(crate) const PROFILE_AND_FILES: &str = "Profile and files";
pub(crate) const MESSAGE_TO: &str = "Message ";
pub(crate) const PAUSES: &str = " (pauses the interviewer)";
pub(crate) const REASON: &str = "Reason";
pub(crate) const KEPT_IN_AUDIT: &str = "optional, kept in the audit log";
pub(crate) const MOVES_ON: &str = "Moves on to the next part although this one isn't complete.";
pub(crate) const HOLD_REASON: &str = "Reason for the hold";
pub(crate) const HOLD_MEANS: &str = "Nothing is deleted while a hold is in place.";
pub(crate) const VISIBLE_TO_PARTICIPANT: &str = "visible to the participant";
pub(crate) const HELD_SINCE: &str = "On hold since ";
pub(crate) const DELETION_ASKED: &str = " · they have asked for everything to be deleted";
pub(crate) const SINCE_WITHIN: &str = " since ";
pub(crate) const CONVERSATION: &str = "conversation";
pub(crate) const FILES: &str = "files";
pub(crate) const DATA: &str = "data";

/// When what is deleted: each day with its kinds.
pub(crate) fn scheduled(days: &[(String, Vec<&str>)]) -> String {
    let days = days.iter().map(|(day, kinds)| format!("{day} ({})", list::plain(kinds)));
    format!("Scheduled for deletion on {}", days.collect::<Vec<_>>().join("; on "))
}
