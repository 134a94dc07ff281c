//! Words around questions, forms, files and collected data.

use super::{
    buttons::CHANGE,
    bytes, list,
    unnamed::{THE_PARTICIPANT, at_beginning},
};
use crate::model::{
    text::one,
    ui::{Choose, Decide, DenialReader},
};

pub(crate) const ALL_TITLE: &str = "Full version";
pub(crate) const CHOICES: &str = "Choose";
pub(crate) const CLOSED: &str = "Closed";
pub(crate) const DATA: &str = "Data";
pub(crate) const DRAG_AND_DROP: &str = "Drag and drop works too.";
pub(crate) const DROP_FILE_HERE: &str = "You can also drop the file into this conversation.";
pub(crate) const ENTERED_SO_FAR: &str = "Entered so far";
pub(crate) const ENTRY: &str = "entry";
pub(crate) const EXPIRED: &str = "Expired";
pub(crate) const FILE: &str = "File";
pub(crate) const FILES: &str = "Files";
pub(crate) const FORM: &str = "Form";
pub(crate) const FULL_TEXT_IN_MESSAGE: &str = "The full text is in the message.";
pub(crate) const KEPT_ENTRIES: &str = "What you entered is kept.";
pub(crate) const MORE_IN_DOWNLOAD: &str =
    "There's more than fits here. The download has all of it.";
pub(crate) const NEED_ROOM: &str = "Need more room? Send it as a message instead.";
pub(crate) const NEED_ROOM_REPLY: &str = "Need more room? Reply to the question instead.";
pub(crate) const NOTHING_APPROVED: &str = "Nothing has been approved yet.";
pub(crate) const NOTHING_MORE: &str = "That's everything.";
pub(crate) const NOTHING_TO_FILL_IN: &str = "There's nothing to fill in here.";
pub(crate) const NOT_FILLED_IN: &str = "not filled in";
pub(crate) const NOT_SAVED_YET: &str = "Not saved yet";
pub(crate) const NOT_SENT_YET: &str = "Not sent yet";
pub(crate) const NO_ANSWER: &str = "No answer";
pub(crate) const NO_FILE_AT_HAND: &str = "No file at hand? Type it here instead.";
pub(crate) const OPTIONAL: &str = "optional";
pub(crate) const OTHERS: &str = "Others";
pub(crate) const PLEASE_CHECK: &str = "please check";
pub(crate) const PROFILE: &str = "Profile";
pub(crate) const QUESTION: &str = "Question";
pub(crate) const REPLY_HERE: &str = "Or reply to this message with your answer.";
pub(crate) const REST_STAYS: &str = "Everything else stays as it is.";
pub(crate) const SHORTENED: &str = "Shortened to fit.";
pub(crate) const TYPE_EACH: &str =
    "Type each answer after its label. Anything you leave out stays as it is.";
pub(crate) const TYPE_HERE: &str = "Or type your answer here.";
pub(crate) const TYPE_OR_FORM: &str = "Type your answer here, or write it in a form.";
pub(crate) const UPLOAD_COMMAND: &str = "Button not working? Use `/upload`.";
pub(crate) const WHAT_DIFFERENT: &str = "What should be different?";
pub(crate) const YOUR_ANSWER: &str = "Your answer";
pub(crate) const YOUR_CHOICE: &str = "Your choice";
pub(crate) const YOUR_CHOICES: &str = "Your choices";

/// Hints of inputs.
pub(crate) const BY_NAME: &str = "By name or number, one per line.";
pub(crate) const BY_NAME_LABEL: &str = "By name or number";
pub(crate) const ONE_PER_LINE: &str = "One entry per line.";
pub(crate) const TOO_LONG_HERE: &str =
    "Too long to edit here. Leave it empty to keep it, or type a new version.";
pub(crate) const DATE_EXAMPLES: &str = "2019, 2019-03 or 2019-03-15";
pub(crate) const DAY_EXAMPLES: &str = "2001-05-31, 31.05.2001 or 31 May 2001";

/// Something consequential is about to be done.
pub(crate) const CANT_BE_UNDONE: &str = "This can't be undone.";
pub(crate) const ARE_YOU_SURE: &str = "Are you sure?";
pub(crate) const APPROVE_THIS: &str = "Approve this?";
pub(crate) const DISMISS: &str = "Changed your mind? Just dismiss this message.";

/// What became of a question.
pub(crate) const ANSWERED: &str = "answered";
pub(crate) const ASKED_TO_START_OVER: &str = "asked to start over";
pub(crate) const CHANGED_AND_APPROVED: &str = "Changed and approved";
pub(crate) const EDITED: &str = "edited this";
pub(crate) const NOBODY_ANSWERED: &str = "nobody answered in time.";
pub(crate) const SENT: &str = "sent";
pub(crate) const SKIPPED: &str = "skipped this";
pub(crate) const SUBMITTED: &str = "submitted this form";
pub(crate) const ASKED_AGAIN: &str = "Asked again below.";
pub(crate) const QUESTION_WITHDRAWN: &str = "Question withdrawn";
pub(crate) const REPLACED: &str = "Replaced";
pub(crate) const NEWER_BELOW: &str = "there is a newer version below.";
pub(crate) const MOVED_ON: &str = "the conversation has moved on.";
pub(crate) const YOU: &str = "You";
pub(crate) const YOU_WITHIN: &str = "you";

/// Nothing was picked of what could be.
pub(crate) const NONE_OF_THESE: &str = "none of these";

/// An answer in a few words, for whoever came too late.
pub(crate) const FILLED_IN: &str = "filled in";
pub(crate) const EDITED_AND_APPROVED: &str = "edited and approved";

/// Where somebody's claim of a participant has no better word.
/// Stands for a name that is empty.
pub(crate) const THAT: &str = "That";
pub(crate) const SOMEBODY: &str = "somebody";
pub(crate) const TEAM: &str = "the team";

/// How many to pick, where that isn't plain from the question: `Pick 2 or 3.`
pub(crate) fn how_many(choose: &Choose) -> Option<String> {
    if !choose.multiple || (choose.least.is_none() && choose.most.is_none()) {
        return None;
    }
    let all = choose.choices.len();
    Some(match (choose.fewest(), choose.most()) {
        (fewest, most) if fewest == most => format!("Pick {fewest}."),
        (fewest, most) if most >= all => format!("Pick at least {fewest}."),
        (1, most) => format!("Pick at most {most}."),
        (fewest, most) if fewest + 1 == most => format!("Pick {fewest} or {most}."),
        (fewest, most) => format!("Pick {fewest} to {most}."),
    })
}

/// What may be sent: `PDF, DOCX. Up to 3 files, 10 MB each.`
pub(crate) fn accepted(kinds: &str, files: u32, most: u64) -> String {
    let (kinds, size) = (file_types(kinds), bytes(most));
    match files {
        0 | 1 => format!("{kinds}. One file, up to {size}."),
        files => format!("{kinds}. Up to {files} files, {size} each."),
    }
}

fn file_types(kinds: &str) -> &str {
    if kinds.trim().is_empty() { "Any file type" } else { kinds }
}

/// A form takes smaller files than the conversation.
pub(crate) fn larger_files(here: u64) -> String {
    format!("This form takes files up to {}. Drop larger ones into the conversation.", bytes(here))
}

/// Dates that need not be whole.
pub(crate) fn date_example() -> String {
    format!("For example {DATE_EXAMPLES}.")
}

/// A label whose value was read with low confidence.
pub(crate) fn to_check(label: &str) -> String {
    format!("{label} ({PLEASE_CHECK})")
}

/// Follows a bold label whose value was read with low confidence.
pub(crate) fn check_mark() -> String {
    format!(" — {PLEASE_CHECK}")
}

/// Fields without a value.
pub(crate) fn not_filled_in<S: AsRef<str>>(labels: &[S]) -> String {
    format!("Not filled in: {}", list::plain(labels))
}

/// Fields of a form that is not open yet.
pub(crate) fn to_fill_in(labels: &[String]) -> String {
    format!("To fill in: {}", list::plain(labels))
}

/// A menu that has not all choices.
pub(crate) fn first_of(all: usize, shown: usize) -> String {
    format!(
        "There are {all}; the menu shows the first {shown}. Type any others by name or number, one per line."
    )
}

/// A menu that has not all choices, where there is little room.
pub(crate) fn more_choices(all: usize) -> String {
    format!("There are {all} choices. Type any others, one per line.")
}

/// Choices, read out.
pub(crate) fn choices(labels: &[String]) -> String {
    format!("Choices: {}.", list::plain(labels))
}

/// Whether an entry is to go.
pub(crate) fn remove_this(title: &str) -> String {
    format!("Remove {title}?")
}

/// Saving the form will remove an entry of a list.
pub(crate) fn will_remove(noun: &str, number: usize) -> String {
    format!("Saving will remove {noun} {number}.")
}

/// Saving the form will move an entry of a list.
pub(crate) fn will_move_up(noun: &str, number: usize) -> String {
    format!("Saving will move {noun} {number} up.")
}

/// Saving the form will add an entry to a list.
pub(crate) fn will_add(noun: &str) -> String {
    format!("Saving will add {}.", one(noun))
}

/// Data was edited, which is no consent to it.
pub(crate) fn not_approved_yet() -> String {
    format!("Not approved yet: press “{}” when you're done.", super::buttons::LOOKS_RIGHT)
}

/// Nothing is in the lists of a form.
pub(crate) fn nothing_listed(nouns: &[String]) -> String {
    format!("Nothing here yet. Add {}, or save to leave it empty.", list::or(nouns))
}

/// A page of several.
pub(crate) fn page(number: usize, of: usize) -> String {
    format!("Page {number} of {of}")
}

/// Whom an open question waits for.
pub(crate) fn waiting_for(whom: &str) -> String {
    format!("Waiting for {whom}.")
}

/// Who invited the participant.
pub(crate) fn invited_by(inviter: &str) -> String {
    format!("{inviter} invited you.")
}

/// Those who decide under a name.
pub(crate) fn the_deciders(name: &str) -> String {
    format!("the {name}")
}

/// A remark beside an answer.
pub(crate) fn note(notes: &str) -> String {
    format!("Note: {notes}")
}

/// Label of the note beside a review: read by the model where one asks, otherwise by the team.
pub(crate) const fn note_label(is_led: bool) -> &'static str {
    if is_led { "Note for the interviewer" } else { "Note for the team" }
}

/// What becomes of a draft that is thrown away.
pub(crate) const fn starting_over(is_led: bool) -> &'static str {
    if is_led {
        "This draft is discarded, and the interviewer starts again."
    } else {
        "This draft is discarded, and you start with an empty one."
    }
}

/// What the form of a denial asks for.
pub(crate) const fn denial_label(reader: DenialReader) -> &'static str {
    match reader {
        DenialReader::Interviewer => "What should the interviewer do next?",
        DenialReader::Participant => "What should they know?",
    }
}

/// Who reads the words of a denial, said before they are written.
pub(crate) fn denial_hint(reader: DenialReader, person: Option<&str>) -> String {
    match reader {
        DenialReader::Interviewer => {
            let person = person.unwrap_or(THE_PARTICIPANT);
            format!("The interviewer will use this; {person} won't see it.")
        }
        DenialReader::Participant => {
            let person = at_beginning(person.unwrap_or(THE_PARTICIPANT));
            format!("{person} will read this, with your name.")
        }
    }
}

/// To whom the words of a denial went, for staff who read it afterwards.
pub(crate) fn words_went_to(decide: &Decide) -> String {
    match decide.denial_reader {
        DenialReader::Interviewer => "To the interviewer".to_owned(),
        DenialReader::Participant => format!("To {}", decide.person().unwrap_or(THE_PARTICIPANT)),
    }
}

/// Somebody changed a message that answered a question, where the answer has led on.
pub(crate) fn already_used() -> String {
    format!(
        "I'd already used that message as it was. If something has changed, please tell me, or press “{CHANGE}” on the \
         card."
    )
}
