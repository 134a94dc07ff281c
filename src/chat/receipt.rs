//! What people read when a conversation is erased: that it is under way, then the receipt. Nothing in it is personal.

use crate::model::{
    posted::Reader,
    report::{Count, Left, Remnant, Report},
};

/// What is said at once; the receipt follows where something is still to be removed.
pub fn erased(receipt: &str, is_under_way: bool) -> String {
    let first = format!("Your answers and files are erased. Receipt: `{receipt}`.");
    if is_under_way {
        format!("{first} I'm removing what I posted now, and I'll tell you when that's done.")
    } else {
        first
    }
}

/// The receipt: what was removed, what is left, and who can remove that. `CommonMark` without raw HTML.
pub fn text(report: &Report) -> String {
    let mut said = vec![format!("**Everything is erased.** Receipt: `{}`.", report.receipt)];
    let ours = report.left.iter().filter(|left| left.what == Remnant::Ours);
    let kept = ours.fold(Count::default(), |all, left| all.and(left.count));
    let removed = report.planned.without(kept);
    let lines = lines(report);
    match report.pending {
        0 => {
            if !removed.is_none() {
                said.push(format!("I've also removed what I had posted: {}.", amount(removed)));
            }
            if lines.is_empty() {
                said.push("Nothing else of this conversation is left here.".to_owned());
            }
        }
        n => {
            let things = if n == 1 { "1 thing".to_owned() } else { format!("{n} things") };
            let why = match report.causes.as_slice() {
                [] => String::new(),
                causes => format!(" ({})", causes.join("; ")),
            };
            said.push(format!("{things} I posted can't be removed yet{why}; I keep trying."));
        }
    }
    let text = said.join(" ");
    if lines.is_empty() {
        return text;
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("- {line}")).collect();
    format!("{text}\n\nWhat's left:\n\n{}", lines.join("\n"))
}

/// What is left, alike things together, each with who can remove it.
pub fn lines(report: &Report) -> Vec<String> {
    let mut kinds: Vec<Left> = Vec::new();
    for left in &report.left {
        let is_alike = |known: &&mut Left| {
            known.what == left.what && known.why == left.why && known.reader == left.reader
        };
        match kinds.iter_mut().find(is_alike) {
            Some(known) => known.count = known.count.and(left.count),
            None => kinds.push(left.clone()),
        }
    }
    kinds.iter().map(line).collect()
}

fn line(left: &Left) -> String {
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
        (Remnant::Ours, reader) => {
            let why = left.why.as_deref().unwrap_or("it can't be removed");
            format!("{amount} of mine in {} ({why}). An admin can delete them.", place(reader))
        }
    }
}

fn place(reader: &Reader) -> String {
    match reader {
        Reader::Participant => "this conversation".to_owned(),
        Reader::Staff(alias) if alias.is_empty() => "the team's direct messages".to_owned(),
        Reader::Staff(_) => "the team's channel".to_owned(),
        Reader::Everybody(_) => "a public channel".to_owned(),
    }
}

/// `24 messages, 2 files and 1 thread`.
pub fn amount(count: Count) -> String {
    let one = |n: usize, word: &str| match n {
        0 => None,
        1 => Some(format!("1 {word}")),
        n => Some(format!("{n} {word}s")),
    };
    let parts =
        [one(count.messages, "message"), one(count.files, "file"), one(count.threads, "thread")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::{CountingIds, EffectId};

    fn report() -> Report {
        Report {
            receipt: "AAAA".to_owned(),
            by: "participant".to_owned(),
            at: chrono::DateTime::UNIX_EPOCH,
            planned: Count { messages: 24, files: 2, threads: 0 },
            left: Vec::new(),
            sent: 1,
            notice: None,
            pending: 0,
            causes: Vec::new(),
        }
    }

    #[test]
    fn a_receipt_says_what_is_left_and_who_can_remove_it() {
        insta::assert_snapshot!(text(&report()), @"**Everything is erased.** Receipt: `AAAA`. I've also removed what I had posted: 24 messages and 2 files. Nothing else of this conversation is left here.");
        let effect = EffectId::mint(&CountingIds::default());
        let desk = || Reader::Staff("desk".to_owned());
        let left = |what, reader, messages, why: Option<&str>| Left {
            effect,
            what,
            reader,
            count: Count { messages, files: 0, threads: 0 },
            why: why.map(str::to_owned),
        };
        let mut whole = report();
        whole.left = vec![
            left(Remnant::Theirs, Reader::Participant, 3, None),
            left(Remnant::Blank, desk(), 1, None),
            left(Remnant::Blank, desk(), 2, None),
            left(Remnant::Blank, Reader::Participant, 0, None),
            left(Remnant::Ours, desk(), 1, Some("Slack says: is archived")),
        ];
        whole.left[0].count.files = 1;
        insta::assert_snapshot!(text(&whole), @r"
        **Everything is erased.** Receipt: `AAAA`. I've also removed what I had posted: 23 messages and 2 files.

        What's left:

        - 3 messages and 1 file that you sent in this conversation. Only you can delete them.
        - 3 messages that the team wrote under a message of mine in the team's channel. My message is blank now; whoever wrote the others can delete them.
        - A message of mine that I can't delete. It's blank now; an admin can delete it.
        - 1 message of mine in the team's channel (Slack says: is archived). An admin can delete them.
        ");
        let waiting = Report { pending: 2, ..report() };
        insta::assert_snapshot!(text(&waiting), @"**Everything is erased.** Receipt: `AAAA`. 2 things I posted can't be removed yet; I keep trying.");
        let causes = vec!["Discord can't be reached".to_owned()];
        let blocked = Report { pending: 1, causes, ..report() };
        insta::assert_snapshot!(text(&blocked), @"**Everything is erased.** Receipt: `AAAA`. 1 thing I posted can't be removed yet (Discord can't be reached); I keep trying.");
    }
}
