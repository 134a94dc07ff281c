//! What people read when a conversation is erased: that it is under way, then what is left.

use super::list;
use crate::model::{
    posted::Reader,
    report::{Count, Left, Remnant},
};

/// What is said at once; the receipt follows where something is still to be removed.
pub(crate) fn erased(receipt: &str, is_under_way: bool) -> String {
    let first = format!("Your answers and files are erased. Receipt: `{receipt}`.");
    if is_under_way {
        format!("{first} I'm removing what I posted now, and I'll tell you when that's done.")
    } else {
        first
    }
}

/// Heads the receipt.
pub(crate) fn everything_erased(receipt: &str) -> String {
    format!("**Everything is erased.** Receipt: `{receipt}`.")
}
pub(crate) fn also_removed(count: Count) -> String {
    format!("I've also removed what I had posted: {}.", amount(count))
}
pub(crate) const NOTHING_LEFT: &str = "Nothing else of this conversation is left here.";
pub(crate) fn not_removed_yet(count: usize, causes: &[String]) -> String {
    let why = if causes.is_empty() { String::new() } else { format!(" ({})", causes.join("; ")) };
    let things = list::counted(count, "thing");
    format!("{things} I posted can't be removed yet{why}; I'll keep trying.")
}
pub(crate) const WHATS_LEFT: &str = "What's left:";

/// What is left of a kind, and who can remove it.
pub(crate) fn left(left: &Left) -> String {
    let amount = amount(left.count);
    match (left.what, &left.reader) {
        (Remnant::Theirs, Reader::Participant) => {
            format!("{amount} that you sent in this conversation. Only you can delete them.")
        }
        (Remnant::Theirs, _) => {
            format!("{amount} that the team wrote. Whoever wrote them can delete them.")
        }
        (Remnant::Blank, _) if left.count.is_none() => {
            "A message of mine that I can't delete. It's blank now; an admin can delete it."
                .to_owned()
        }
        (Remnant::Blank, reader) => format!(
            "{amount} that the team wrote under a message of mine in {}. My message is blank now; whoever wrote the \
             others can delete them.",
            place(reader)
        ),
        (Remnant::Unrecorded, _) => {
            "Earlier messages of mine may still be here: my list of them was damaged. An admin can delete them."
                .to_owned()
        }
        (Remnant::Ours, reader) => {
            let why = left.why.as_deref().unwrap_or("it can't be removed");
            format!("{amount} of mine in {} ({why}). An admin can delete them.", place(reader))
        }
    }
}

/// Why something of the bot is left.
pub(crate) const MAY_NOT_CHANGE: &str = "I'm not allowed to change it";
pub(crate) const EMPTY_THREAD: &str =
    "it's empty and has no name now; it stays so that you can read this";

fn place(reader: &Reader) -> &'static str {
    match reader {
        Reader::Participant => "this conversation",
        Reader::Staff(alias) if alias.is_empty() => "the team's direct messages",
        Reader::Staff(_) => "the team's channel",
        Reader::Everybody(_) => "a public channel",
    }
}

/// `24 messages, 2 files and 1 thread`.
pub(crate) fn amount(count: Count) -> String {
    let parts = [(count.messages, "message"), (count.files, "file"), (count.threads, "thread")];
    let parts = parts.into_iter().filter(|(n, _)| *n > 0);
    let parts: Vec<String> = parts.map(|(n, noun)| list::counted(n, noun)).collect();
    if parts.is_empty() { "nothing".to_owned() } else { list::and(&parts) }
}
