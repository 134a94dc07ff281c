//! What people read when a conversation is erased: that it is under way, then the receipt. Nothing in it is personal.

use crate::{
    messages::erasure,
    model::report::{Count, Left, Remnant, Report},
};

/// The receipt: what was removed, what is left, and who can remove that. `CommonMark` without raw HTML.
pub fn text(report: &Report) -> String {
    let mut said = vec![erasure::everything_erased(&report.receipt)];
    let ours = report.left.iter().filter(|left| left.what == Remnant::Ours);
    let kept = ours.fold(Count::default(), |all, left| all.and(left.count));
    let removed = report.planned.without(kept);
    let lines = lines(report);
    match report.pending {
        0 => {
            if !removed.is_none() {
                said.push(erasure::also_removed(removed));
            }
            if lines.is_empty() {
                said.push(erasure::NOTHING_LEFT.to_owned());
            }
        }
        n => said.push(erasure::not_removed_yet(n, &report.causes)),
    }
    let text = said.join(" ");
    if lines.is_empty() {
        return text;
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("- {line}")).collect();
    format!("{text}\n\n{}\n\n{}", erasure::WHATS_LEFT, lines.join("\n"))
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
    kinds.iter().map(erasure::left).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::{CountingIds, EffectId};
    use crate::model::posted::Reader;

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
        insta::assert_snapshot!(text(&waiting), @"**Everything is erased.** Receipt: `AAAA`. 2 things I posted can't be removed yet; I'll keep trying.");
        let causes = vec!["Discord can't be reached".to_owned()];
        let blocked = Report { pending: 1, causes, ..report() };
        insta::assert_snapshot!(text(&blocked), @"**Everything is erased.** Receipt: `AAAA`. 1 thing I posted can't be removed yet (Discord can't be reached); I'll keep trying.");
    }
}
