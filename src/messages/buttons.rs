//! Labels of buttons, menus and dialogs: one for each action, whatever the platform.

use crate::model::{
    text::one,
    ui::{DenialReader, Offered},
};

pub(crate) const ADD_ANY: &str = "Add";
pub(crate) const ANSWER: &str = "Answer";
pub(crate) const APPROVE: &str = "Approve";
pub(crate) const ASK_AGAIN: &str = "Ask again";
pub(crate) const ATTACH_FILE: &str = "Attach a file";
pub(crate) const BACK: &str = "Back";
pub(crate) const BACK_TO_CONVERSATION: &str = "Back to the conversation";
pub(crate) const BACK_TO_START: &str = "Back to start";
pub(crate) const CANCEL: &str = "Cancel";
pub(crate) const CHANGE: &str = "Change";
pub(crate) const CHOOSE: &str = "Choose…";
pub(crate) const CHOOSE_FILE: &str = "Choose a file";
pub(crate) const CHOOSE_FILES: &str = "Choose files";
pub(crate) const CLOSE: &str = "Close";
pub(crate) const CONTINUE: &str = "Continue";
pub(crate) const DELETE_MY_DATA: &str = "Delete my data";
pub(crate) const DENY: &str = "Deny";
/// The participant's own dialog about skipping ahead, word for word.
pub(crate) const DENY_AND_DIRECT: &str = "Deny & Tell Interviewer What To Do Next";
pub(crate) const DENY_AND_SEND: &str = "Deny and send";
pub(crate) const DENY_AND_TELL: &str = "Deny and tell the interviewer";
/// [`DENY_AND_TELL`] where there is little room.
pub(crate) const DENY_AND_TELL_SHORT: &str = "Deny and tell";
pub(crate) const DENY_WITH_FEEDBACK: &str = "Deny with feedback";
pub(crate) const DONE: &str = "Done";
pub(crate) const DOWNLOAD: &str = "Download";
pub(crate) const DOWNLOAD_MY_ANSWERS: &str = "Download my answers";
pub(crate) const EARLIER: &str = "Earlier messages";
pub(crate) const EDIT: &str = "Edit";
pub(crate) const EDIT_AGAIN: &str = "Edit again";
pub(crate) const EDIT_WHICH: &str = "Edit…";
pub(crate) const END: &str = "End the conversation";
pub(crate) const DELETE_EVERYTHING: &str = "Delete everything";
pub(crate) const EXPORT: &str = "Export";
pub(crate) const FILL_IN: &str = "Fill in";
pub(crate) const FILL_IN_WHICH: &str = "Fill in…";
pub(crate) const GO_BACK: &str = "Go back";
pub(crate) const HAND_BACK: &str = "Hand back";
pub(crate) const HELP: &str = "Help";
pub(crate) const HELPFUL: &str = "Helpful";
pub(crate) const KEEP_EVERYTHING: &str = "Keep everything";
pub(crate) const LATER: &str = "Later";
pub(crate) const LATER_MESSAGES: &str = "Later messages";
pub(crate) const LEAVE_EMPTY: &str = "Leave it empty";
pub(crate) const LOOKS_RIGHT: &str = "Looks right";
pub(crate) const MENU: &str = "Menu";
pub(crate) const MORE: &str = "More";
pub(crate) const MOVE_ON: &str = "Move on";
pub(crate) const MOVE_UP: &str = "Move up";
pub(crate) const NEWEST: &str = "Newest";
pub(crate) const NEXT: &str = "Next";
pub(crate) const NO: &str = "No";
pub(crate) const NOT_HELPFUL: &str = "Not helpful";
pub(crate) const OLDER: &str = "Older";
pub(crate) const OPEN: &str = "Open";
pub(crate) const OPEN_CONVERSATION: &str = "Open conversation";
pub(crate) const OPEN_PROFILE: &str = "Open profile";
pub(crate) const OPEN_START_PAGE: &str = "Open the start page";
pub(crate) const PLACE_HOLD: &str = "Place hold";
pub(crate) const PREVIOUS: &str = "Previous";
pub(crate) const REFRESH: &str = "Refresh";
pub(crate) const RELEASE_HOLD: &str = "Release hold";
pub(crate) const REMOVE: &str = "Remove";
pub(crate) const REMOVE_OR_MOVE: &str = "Remove or move…";
pub(crate) const REOPEN: &str = "Reopen";
pub(crate) const RESUME_FILE: &str = "Résumé";
pub(crate) const SAVE: &str = "Save";
pub(crate) const SEND: &str = "Send";
pub(crate) const SEND_MESSAGE: &str = "Send message";
pub(crate) const SEND_REMINDER: &str = "Send a reminder";
pub(crate) const SEND_REQUEST: &str = "Send request";
pub(crate) const SEND_TO_INTERVIEWER: &str = "Send to interviewer";
pub(crate) const SHOW_ALL: &str = "Show all";
pub(crate) const SKIP: &str = "Skip";
pub(crate) const SKIP_AHEAD: &str = "Skip ahead";
pub(crate) const START: &str = "Start";
pub(crate) const START_ONBOARDING: &str = "Start my onboarding";
pub(crate) const START_OVER: &str = "Start over";
pub(crate) const STOP: &str = "Stop";
pub(crate) const STOP_ANSWERING: &str = "Stop answering";
pub(crate) const STOP_REMINDERS: &str = "Stop reminders";
pub(crate) const TAKE_OVER: &str = "Take over";
pub(crate) const TALK_TO_A_PERSON: &str = "Talk to a person";
pub(crate) const TRANSCRIPT: &str = "Transcript";
pub(crate) const TRY_ANOTHER_FILE: &str = "Try another file";
pub(crate) const TYPE_IT_IN: &str = "Type it in";
pub(crate) const UPLOAD: &str = "Upload";
pub(crate) const UPLOAD_FILES: &str = "Upload files";
pub(crate) const UPLOAD_RESUME: &str = "Upload résumé";
pub(crate) const USE_AS_ANSWER: &str = "Use as answer";
pub(crate) const WRITE_ANSWER: &str = "Write an answer";
pub(crate) const YES: &str = "Yes";
pub(crate) const YES_APPROVE: &str = "Yes, approve";
pub(crate) const YES_DENY: &str = "Yes, deny";

/// The button of an offered command.
pub(crate) const fn offered(offered: Offered) -> &'static str {
    match offered {
        Offered::Delete => DELETE_MY_DATA,
        Offered::Later => LATER,
        Offered::StopReminders => STOP_REMINDERS,
        Offered::Human => TALK_TO_A_PERSON,
        Offered::Stop => STOP,
        Offered::Resume | Offered::Continue => CONTINUE,
        Offered::Export => DOWNLOAD_MY_ANSWERS,
        Offered::Skip => SKIP,
        Offered::AskAgain => ASK_AGAIN,
    }
}

/// The button that denies and says why.
pub(crate) const fn denial(reader: DenialReader) -> &'static str {
    match reader {
        DenialReader::Interviewer => DENY_AND_TELL,
        DenialReader::Participant => DENY_WITH_FEEDBACK,
    }
}

/// The button that asks for a file.
pub(crate) fn upload(upload_type: &str, files: u32) -> &'static str {
    match upload_type {
        "resume" => UPLOAD_RESUME,
        _ if files > 1 => UPLOAD_FILES,
        _ => UPLOAD,
    }
}

/// Yes or no, where a field asks it.
pub(crate) const fn yes_or_no(yes: bool) -> &'static str {
    if yes { YES } else { NO }
}

/// `Add a role`.
pub(crate) fn add(noun: &str) -> String {
    format!("{ADD_ANY} {}", one(noun))
}

/// `Edit: Contact details`.
pub(crate) fn edit_of(title: &str) -> String {
    format!("{EDIT}: {title}")
}

/// `Fill in Contact details`.
pub(crate) fn fill_in(title: &str) -> String {
    format!("{FILL_IN} {title}")
}

/// `Remove role 2`.
pub(crate) fn remove(entry: &str) -> String {
    format!("{REMOVE} {entry}")
}

/// `Move role 2 up`.
pub(crate) fn move_up(entry: &str) -> String {
    format!("Move {entry} up")
}

/// Begins an interview by its name.
pub(crate) fn start(title: &str) -> String {
    format!("{START} {title}")
}

/// Sends one of several invitations.
pub(crate) fn send(title: &str) -> String {
    format!("{SEND} {title}")
}

/// Opens something by its name, for screen readers.
pub(crate) fn open(title: &str) -> String {
    format!("{OPEN} {title}")
}

/// A button that does not act at once but asks more first.
pub(crate) fn asking(label: &str) -> String {
    format!("{label}…")
}

/// What a button does and to what, for screen readers.
pub(crate) fn spoken(label: &str, what: &str) -> String {
    format!("{label}: {what}")
}

/// Some of many options in one menu: `1 to 25`.
pub(crate) fn span(first: usize, last: usize) -> String {
    format!("{first} to {last}")
}

/// A choice that has no words of its own.
pub(crate) fn choice(number: usize) -> String {
    format!("Choice {number}")
}
