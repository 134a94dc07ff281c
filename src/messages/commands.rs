//! Commands: what help says of each, and what stands around it.

use crate::model::session::Status;

/// What each command does; at most a hundred characters.
pub(crate) const START: &str = "Start an interview, or continue yours";
pub(crate) const STATUS: &str = "See how far you are";
pub(crate) const PAUSE: &str = "Stop for now; nothing more is asked until you resume";
pub(crate) const RESUME: &str = "Continue where you left off";
pub(crate) const ADVANCE: &str = "Ask the team to let you skip ahead";
pub(crate) const UPLOAD: &str = "Send a file you were asked for";
pub(crate) const USE_AS_ANSWER: &str = "Answer the open question with a message you wrote";
pub(crate) const EXPORT: &str = "Get a copy of everything";
pub(crate) const DELETE: &str = "Delete your answers and files";
pub(crate) const HELP: &str = "See what you can do here";
pub(crate) const OVERVIEW: &str = "See how everyone is doing";
pub(crate) const SHOW: &str = "See how somebody is doing";
pub(crate) const INVITE: &str = "Invite somebody to an interview";
pub(crate) const OVERRIDE: &str = "Move somebody to the next part";
pub(crate) const TAKE_OVER: &str = "Take over a conversation; the assistant keeps quiet";
pub(crate) const HAND_BACK: &str = "Hand a conversation back to the assistant";
pub(crate) const END: &str = "End somebody's conversation";
pub(crate) const EXPORT_THEIRS: &str = "Get a copy of somebody's conversation";
pub(crate) const MATCH: &str = "Compare somebody with a job";
pub(crate) const PANEL: &str = "Post a message with a Start button here";
pub(crate) const REVIEW_MENU: &str = "Review onboarding";

/// What a command takes, as Discord asks for it.
pub(crate) const YOUR_ONBOARDING: &str = "Your onboarding";
pub(crate) const YOUR_DATA: &str = "Your data";
pub(crate) const FOR_TEAM: &str = "For the team";
pub(crate) const WHO: &str = "Who";
pub(crate) const WHICH_ONE: &str = "Which one";
pub(crate) const THE_FILE: &str = "The file";
pub(crate) const WHY: &str = "Reason, kept in the audit trail";

/// Heads of the help.
pub(crate) const WHAT_YOU_CAN_DO: &str = "Here's what you can do:";
pub(crate) const TEAM_CAN_DO: &str = "For the team:";

/// What a command could not do.
pub(crate) const OWN_ALONE: &str =
    "That works for your own conversation only, so leave the name out.";
pub(crate) const NO_INVITATIONS: &str = "There's no interview that people can be invited to here.";
pub(crate) fn name_somebody(usage: &str) -> String {
    format!("Please name the person: {usage}.")
}
pub(crate) fn no_conversation_yet(start: &str) -> String {
    format!("There is no conversation yet. Begin one with {start}.")
}

/// How a command of the context menu is given.
pub(crate) fn in_menu(name: &str) -> String {
    format!("*Apps*, then *{name}*, in the menu of a message")
}
/// A command of its own for one interview.
pub(crate) fn starts(command: &str, title: &str) -> String {
    format!("`{command}`: start *{title}*")
}

/// Why nothing is sent to somebody who was invited before, or has begun by themselves.
pub(crate) const fn has_it_already(status: Status) -> &'static str {
    match status {
        Status::Notice => {
            "Nothing new was sent: they've been asked already, and haven't said yes or no yet."
        }
        Status::Open | Status::Completed | Status::Ended => {
            "Nothing new was sent: they're already in this interview."
        }
        Status::Stopped => {
            "Nothing new was sent: they already have this interview, and it's stopped. They can continue it with *resume*."
        }
        Status::Paused => {
            "Nothing new was sent: they already have this interview, and it's paused. They can continue it with *resume*."
        }
        Status::Declined => {
            "Nothing new was sent: they've chosen not to take part for now. They can still begin with *resume*."
        }
    }
}

/// The preview of an invitation, and what became of it.
pub(crate) fn invite(user: &str, titles: &[String]) -> String {
    format!("Invite <@{user}> to {}?", super::list::or(titles))
}
pub(crate) fn invitation(user: &str, title: &str, outcome: &str) -> String {
    format!("Invitation for <@{user}> to *{title}*\n{outcome}")
}
