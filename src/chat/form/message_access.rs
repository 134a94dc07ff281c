//! Which written words reach the bot in a place, and how a text that tells what to type reads where they do not: it
//! names buttons instead, which stand under it.
//!
//! Texts are written as for a place where everything can be read: `Type *human* to reach a person.` They are read here as far
//! as they tell what to type, so that neither a text of the core nor one of a flow advertises what does nothing.

use crate::{messages, model::ui::Offered, session::Command};

/// Which written words reach the bot in a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MessageAccess {
    /// All of them.
    #[default]
    All,
    /// Those that reply to the bot or mention it.
    Replies,
    /// None.
    Nothing,
}

/// Letters of the longest command that is looked for.
const COMMAND_MAX: usize = 30;

/// What tells people to write, without a command's name: as it reads where replies can be read, and where nothing can.
const TO_WRITE: [(&str, &str, &str); 4] = [
    (
        messages::interview::WRITE_TO_ME,
        messages::interview::REPLY_TO_THIS,
        messages::interview::USE_AS_ANSWER,
    ),
    (
        messages::interview::WRITE_ANYTHING,
        messages::interview::REPLY_TO_THIS_WITHIN,
        messages::interview::USE_AS_ANSWER_WITHIN,
    ),
    (
        messages::interview::SEND_A_FILE,
        messages::interview::SEND_BY_CARD,
        messages::interview::SEND_BY_CARD,
    ),
    (
        messages::interview::PLEASE_PICK,
        messages::interview::PLEASE_PICK_OR_REPLY,
        messages::answers::PICK_ONE,
    ),
];

impl MessageAccess {
    /// A text as it can be followed where only so much can be read, with the commands that must stand under it as buttons.
    ///
    /// ```
    /// use anteroom::{chat::form::MessageAccess, model::ui::Offered};
    /// let (text, offers) = MessageAccess::Replies.adapt("Stopped. Type *resume* to continue later.");
    /// assert_eq!(text, "Stopped. Press *Continue* to continue later.");
    /// assert_eq!(offers, [Offered::Resume]);
    /// ```
    pub fn adapt(self, text: &str) -> (String, Vec<Offered>) {
        if self == Self::All {
            return (text.to_owned(), Vec::new());
        }
        let (mut adapted, mut offers) = (String::with_capacity(text.len()), Vec::new());
        for sentence in sentences(text) {
            press(sentence, &mut adapted, &mut offers);
        }
        for (written, replied, with_commands) in TO_WRITE {
            let instead = if self == Self::Replies { replied } else { with_commands };
            adapted = adapted.replace(written, instead);
        }
        (adapted, offers)
    }
}

/// The sentences of a text, each with what follows it.
fn sentences(text: &str) -> Vec<&str> {
    let (mut all, mut from, mut ended) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices() {
        if c == '\n' || (ended && c.is_whitespace()) {
            all.push(&text[from..at]);
            from = at;
        }
        ended = matches!(c, '.' | '!' | '?');
    }
    all.push(&text[from..]);
    all
}

/// A sentence in which commands that are to be typed are named as buttons.
fn press(sentence: &str, into: &mut String, offers: &mut Vec<Offered>) {
    let (mut rest, mut is_about_typing) = (sentence, false);
    while let Some(at) = rest.find(['*', '`']) {
        let (before, from) = rest.split_at(at);
        is_about_typing |= verb(before).is_some();
        let mark = ["**", "*", "`"].into_iter().find(|mark| from.starts_with(mark));
        let mark = mark.unwrap_or_default();
        let inner = from.strip_prefix(mark).and_then(|inner| inner.split_once(mark));
        let Some((inner, after)) = inner.filter(|(inner, _)| is_plain(inner)) else {
            into.push_str(before);
            into.push_str(&from[..mark.len()]);
            rest = &from[mark.len()..];
            continue;
        };
        let command = offered(inner).filter(|(_, is_clear)| is_about_typing || *is_clear);
        if let Some((offer, _)) = command {
            if let Some((lead, verb)) = verb(before) {
                let press = if verb == "Type" { "Press" } else { "press" };
                into.push_str(lead);
                into.push_str(press);
                into.push_str(&before[lead.len() + verb.len()..]);
            } else {
                into.push_str(before);
            }
            into.push_str(mark);
            into.push_str(messages::buttons::offered(offer));
            into.push_str(mark);
            if !offers.contains(&offer) {
                offers.push(offer);
            }
        } else {
            into.push_str(before);
            into.push_str(&from[..from.len() - after.len()]);
        }
        rest = after;
    }
    into.push_str(rest);
}

fn is_plain(inner: &str) -> bool {
    !inner.is_empty() && inner.len() <= COMMAND_MAX && !inner.contains(['*', '`', '\n'])
}

/// The verb that a text ends with, and what stands before it, where it tells to type.
fn verb(before: &str) -> Option<(&str, &str)> {
    let trimmed = before.trim_end();
    let verb = ["Type", "type"].into_iter().find(|verb| trimmed.ends_with(verb))?;
    let lead = &trimmed[..trimmed.len() - verb.len()];
    let is_word = !lead.ends_with(char::is_alphanumeric) && trimmed.len() < before.len();
    is_word.then_some((lead, verb))
}

/// The button that stands for a command; and whether its words mean nothing else, wherever they stand.
fn offered(words: &str) -> Option<(Offered, bool)> {
    Some(match Command::parse(words)? {
        Command::Stop => (Offered::Stop, false),
        Command::Resume if words.eq_ignore_ascii_case("continue") => (Offered::Continue, false),
        Command::Resume => (Offered::Resume, false),
        Command::Human => (Offered::Human, false),
        Command::Skip => (Offered::Skip, false),
        Command::Export => (Offered::Export, false),
        Command::Delete => (Offered::Delete, true),
        Command::StopReminders => (Offered::StopReminders, true),
        Command::AskAgain => (Offered::AskAgain, false),
        Command::Later
        | Command::Interrupt
        | Command::Advance { .. }
        | Command::TakeOver
        | Command::HandBack
        | Command::Write { .. }
        | Command::Nudge
        | Command::End { .. }
        | Command::Hold { .. }
        | Command::Release
        | Command::Reopen { .. }
        | Command::Change { .. } => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replies(text: &str) -> String {
        let (text, offers) = MessageAccess::Replies.adapt(text);
        let offers: Vec<&str> = offers.into_iter().map(Offered::name).collect();
        format!("{text} [{}]", offers.join(" "))
    }

    #[test]
    fn a_text_that_tells_what_to_type_names_buttons_instead() {
        insta::assert_snapshot!(
            replies("See https://example.org/privacy Type **human** to reach staff, **stop** to end, **delete my data** to erase."),
            @"See https://example.org/privacy Press **Talk to a person** to reach staff, **Stop** to end, **Delete my data** to erase. [human stop delete]"
        );
        insta::assert_snapshot!(
            replies("I've asked the team. I'll keep quiet until they answer or you type *continue*."),
            @"I've asked the team. I'll keep quiet until they answer or you press *Continue*. [continue]"
        );
        insta::assert_snapshot!(
            replies("- What you say is kept. `delete my data` erases it.\n- At any time type *human*, or *export* for a copy."),
            @"
        - What you say is kept. `Delete my data` erases it.
        - At any time press *Talk to a person*, or *Download my answers* for a copy. [delete human export]
        "
        );
        insta::assert_snapshot!(
            replies("That is as far as I get. Write to me to go on, or type *human*."),
            @"That is as far as I get. Reply to this message to go on, or press *Talk to a person*. [human]"
        );
    }

    #[test]
    fn what_is_not_about_typing_stays_as_it_is() {
        for text in [
            "Please upload your *resume*. It says **stop** on the sign.",
            "Type the name. *Stop* is a word.",
            "A prototype *human* and 2 * 3 * 4 `x",
            "**",
            "",
        ] {
            assert_eq!(replies(text), format!("{text} []"));
        }
        let text = "Type *human* now.";
        assert_eq!(MessageAccess::All.adapt(text), (text.to_owned(), Vec::new()));
    }

    #[test]
    fn where_nothing_can_be_read_nobody_is_told_to_reply() {
        let (text, _) = MessageAccess::Nothing.adapt("Nothing is lost: write anything to go on.");
        assert_eq!(text, "Nothing is lost: choose *Use as answer* on a message of yours to go on.");
    }
}
