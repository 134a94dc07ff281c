//! The commands of the chats in one table: what each is called, who may give it, what it takes, what it does, and how each
//! platform takes it. Parsers, help texts, Discord's registered commands and `docs/commands.md` are made from it.
//!
//! ```text
//! Slack    /onboard invite @ada    words, with aliases                 parse
//! Discord  /staff invite member    registered commands and options     on_discord
//! both     Order  →  decide::ordered  →  Commands, which each platform shows in its layout
//! ```

pub mod decide;
pub mod flows;

use std::fmt::Write as _;

use self::{
    Argument::{File, Flow, Member, Reason},
    Taken::{As, Menu, Not},
};
use crate::messages;

/// What somebody can order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Begin an interview.
    Start,
    /// One's own progress.
    Status,
    /// Nothing more is asked.
    Pause,
    /// Go on.
    Resume,
    /// Ask to skip the rest of a phase.
    Advance,
    /// Call a person.
    Human,
    /// A copy of one's own conversation.
    Export,
    /// Erase one's own conversation.
    Delete,
    /// The list of commands.
    Help,
    /// Everybody's progress.
    Overview,
    /// One person's progress.
    Show,
    /// Invite somebody to an interview.
    Invite,
    /// Move somebody to the next phase.
    Override,
    /// Keep the assistant quiet.
    TakeOver,
    /// Let the assistant go on.
    HandBack,
    /// End somebody's conversation.
    End,
    /// A copy of somebody's conversation.
    ExportTheirs,
    /// Begin an interview that scores people.
    Match,
    /// Post a Start button.
    Panel,
    /// Hand in a file.
    Upload,
    /// Use a message as an answer.
    UseAsAnswer,
}

/// Who may give a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Anybody.
    Anyone,
    /// Whoever has a conversation, about their own.
    Participant,
    /// Staff.
    Staff,
    /// Whoever looks after the server.
    Moderator,
}

/// What a command takes. Only a flow and a reason may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// The person whom it is about.
    Member,
    /// The id of a flow.
    Flow,
    /// Why; it stands in the audit trail.
    Reason,
    /// A file.
    File,
}

/// How a platform takes a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// On Slack the words for it, the one that help names first; on Discord the registered command and what stands under it.
    As(&'static [&'static str]),
    /// A command of the context menu of a message.
    Menu(&'static str),
    /// The platform does not have it, for this reason.
    Not(&'static str),
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What it orders.
    pub verb: Verb,
    /// Who may give it.
    pub who: Who,
    /// What it takes.
    pub takes: &'static [Argument],
    /// What it does, as help says it; at most a hundred characters.
    pub does: &'static str,
    /// On Slack.
    pub slack: Taken,
    /// On Discord.
    pub discord: Taken,
}

/// All commands, in the order of the help.
#[rustfmt::skip]
pub(crate) const COMMANDS: [Entry; 21] = [
    Entry { verb: Verb::Start, who: Who::Anyone, takes: &[Flow], does: messages::commands::START,
        slack: As(&["start", "begin"]), discord: As(&["onboard", "start"]) },
    Entry { verb: Verb::Status, who: Who::Participant, takes: &[], does: messages::commands::STATUS,
        slack: As(&["status"]), discord: As(&["onboard", "status"]) },
    Entry { verb: Verb::Pause, who: Who::Participant, takes: &[], does: messages::commands::PAUSE,
        slack: As(&["pause", "cancel", "stop", "end"]), discord: As(&["onboard", "cancel"]) },
    Entry { verb: Verb::Resume, who: Who::Participant, takes: &[], does: messages::commands::RESUME,
        slack: As(&["resume", "continue"]), discord: As(&["onboard", "resume"]) },
    Entry { verb: Verb::Advance, who: Who::Participant, takes: &[Reason], does: messages::commands::ADVANCE,
        slack: As(&["advance"]), discord: As(&["onboard", "advance"]) },
    Entry { verb: Verb::Human, who: Who::Participant, takes: &[], does: messages::buttons::TALK_TO_A_PERSON,
        slack: As(&["human"]), discord: As(&["onboard", "human"]) },
    Entry { verb: Verb::Upload, who: Who::Participant, takes: &[File], does: messages::commands::UPLOAD,
        slack: Not("files are dropped into the conversation"), discord: As(&["upload"]) },
    Entry { verb: Verb::UseAsAnswer, who: Who::Participant, takes: &[], does: messages::commands::USE_AS_ANSWER,
        slack: Not("everything that is typed in the conversation is read"), discord: Menu(messages::buttons::USE_AS_ANSWER) },
    Entry { verb: Verb::Export, who: Who::Participant, takes: &[], does: messages::commands::EXPORT,
        slack: As(&["export"]), discord: As(&["privacy", "export"]) },
    Entry { verb: Verb::Delete, who: Who::Participant, takes: &[], does: messages::commands::DELETE,
        slack: As(&["delete"]), discord: As(&["privacy", "delete"]) },
    Entry { verb: Verb::Help, who: Who::Anyone, takes: &[], does: messages::commands::HELP,
        slack: As(&["help"]), discord: As(&["onboard", "help"]) },
    Entry { verb: Verb::Overview, who: Who::Staff, takes: &[], does: messages::commands::OVERVIEW,
        slack: As(&["overview"]), discord: As(&["review"]) },
    Entry { verb: Verb::Show, who: Who::Staff, takes: &[Member], does: messages::commands::SHOW,
        slack: As(&["show", "status", "review"]), discord: As(&["review"]) },
    Entry { verb: Verb::Invite, who: Who::Staff, takes: &[Member, Flow], does: messages::commands::INVITE,
        slack: As(&["invite"]), discord: As(&["staff", "invite"]) },
    Entry { verb: Verb::Override, who: Who::Staff, takes: &[Member, Reason], does: messages::commands::OVERRIDE,
        slack: As(&["advance", "override"]), discord: As(&["override"]) },
    Entry { verb: Verb::TakeOver, who: Who::Staff, takes: &[Member], does: messages::commands::TAKE_OVER,
        slack: As(&["take-over", "takeover", "pause"]), discord: As(&["staff", "take-over"]) },
    Entry { verb: Verb::HandBack, who: Who::Staff, takes: &[Member], does: messages::commands::HAND_BACK,
        slack: As(&["hand-back", "handback", "resume", "continue"]), discord: As(&["staff", "hand-back"]) },
    Entry { verb: Verb::End, who: Who::Staff, takes: &[Member, Reason], does: messages::commands::END,
        slack: As(&["end", "cancel", "stop"]), discord: As(&["staff", "end"]) },
    Entry { verb: Verb::ExportTheirs, who: Who::Staff, takes: &[Member], does: messages::commands::EXPORT_THEIRS,
        slack: As(&["export"]), discord: As(&["staff", "export"]) },
    Entry { verb: Verb::Match, who: Who::Staff, takes: &[Flow], does: messages::commands::MATCH,
        slack: As(&["match"]), discord: As(&["staff", "match"]) },
    Entry { verb: Verb::Panel, who: Who::Moderator, takes: &[Flow], does: messages::commands::PANEL,
        slack: Not("the Home tab of the app has the Start button"), discord: As(&["onboard", "panel"]) },
];

impl Verb {
    /// Its row; a test sees to it that each has one.
    pub fn entry(self) -> &'static Entry {
        COMMANDS.iter().find(|entry| entry.verb == self).unwrap_or(&COMMANDS[0])
    }
}

impl Entry {
    /// Whether it takes something.
    pub fn has(&self, argument: Argument) -> bool {
        self.takes.contains(&argument)
    }

    /// How it is typed after `command` where commands are words, as on Slack, with what it needs; `None` if they don't
    /// have it.
    pub fn typed(&self, command: &str) -> Option<String> {
        let As([name, ..]) = self.slack else { return None };
        let person = if self.has(Member) { " @person" } else { "" };
        Some(format!("`{command} {name}{person}`"))
    }

    /// How it is given on Discord, with what it needs; `None` if Discord does not have it.
    pub fn on_discord(&self) -> Option<String> {
        match self.discord {
            As(path) => {
                let member = if self.has(Member) { " member" } else { "" };
                Some(format!("`/{}{member}`", path.join(" ")))
            }
            Menu(name) => Some(messages::commands::in_menu(name)),
            Not(_) => None,
        }
    }
}

/// A command that somebody gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// What is to be done.
    pub verb: Verb,
    /// The platform's id of the person whom it is about.
    pub whom: Option<String>,
    /// The id of a flow.
    pub flow: Option<String>,
    /// Why.
    pub reason: String,
}

impl Order {
    /// Without anything else.
    pub const fn of(verb: Verb) -> Self {
        Self { verb, whom: None, flow: None, reason: String::new() }
    }
}

/// Reads what is typed after a slash command; `None` if that is no command. `mentioned` reads a mention of a person.
/// Nothing at all, or the id of a flow alone, starts an interview.
pub fn parse(
    text: &str,
    mentioned: impl Fn(&str) -> Option<String>,
    is_flow: impl Fn(&str) -> bool,
) -> Option<Order> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some((first, rest)) = words.split_first() else { return Some(Order::of(Verb::Start)) };
    let whom = |rest: &[&str]| rest.first().and_then(|word| mentioned(word));
    let one = named(&first.to_lowercase(), whom(rest).is_some()).map(|entry| (entry, rest));
    let found = one.or_else(|| {
        // Two words, as the button says it: `take over @ada`.
        let (second, rest) = rest.split_first()?;
        let both = format!("{first}-{second}").to_lowercase();
        named(&both, whom(rest).is_some()).map(|entry| (entry, rest))
    });
    let Some((entry, rest)) = found else {
        let flow = Some((*first).to_owned()).filter(|flow| rest.is_empty() && is_flow(flow))?;
        return Some(Order { flow: Some(flow), ..Order::of(Verb::Start) });
    };
    let whom = whom(rest);
    let rest = rest.get(usize::from(whom.is_some())..).unwrap_or_default();
    let flow = rest.first().filter(|_| entry.has(Flow)).map(|flow| (*flow).to_owned());
    let reason = if entry.has(Reason) { reason(&rest.join(" ")) } else { String::new() };
    Some(Order { verb: entry.verb, whom, flow, reason })
}

/// The row that a word means on Slack. One word may stand for two: about oneself, and about the person who is named.
fn named(word: &str, names_somebody: bool) -> Option<&'static Entry> {
    let is_named = |entry: &&Entry| matches!(entry.slack, As(words) if words.contains(&word));
    chosen(COMMANDS.iter().filter(is_named), names_somebody)
}

/// The row that a registered command of Discord means.
pub fn on_discord(path: &[&str], names_somebody: bool) -> Option<&'static Entry> {
    let is_there = |entry: &&Entry| match entry.discord {
        As(known) => known == path,
        Menu(name) => path == [name],
        Not(_) => false,
    };
    chosen(COMMANDS.iter().filter(is_there), names_somebody)
}

fn chosen(
    rows: impl Iterator<Item = &'static Entry>,
    names_somebody: bool,
) -> Option<&'static Entry> {
    let rows: Vec<&Entry> = rows.collect();
    let fits = rows.iter().find(|entry| entry.has(Member) == names_somebody);
    fits.or_else(|| rows.first()).copied()
}

fn reason(text: &str) -> String {
    text.strip_prefix("reason:").unwrap_or(text).trim().to_owned()
}

/// The list of commands for somebody. `usage` says how each is given on their platform.
pub fn help(is_staff: bool, usage: impl Fn(&Entry) -> Option<String>) -> String {
    let is_for_team = |entry: &&Entry| matches!(entry.who, Who::Staff | Who::Moderator);
    let (team, everybody): (Vec<&Entry>, Vec<&Entry>) = COMMANDS.iter().partition(is_for_team);
    let list = |title: &str, entries: &[&Entry]| {
        entries.iter().fold(title.to_owned(), |mut text, entry| {
            if let Some(usage) = usage(entry) {
                _ = write!(text, "\n{usage}: {}", uncapitalised(entry.does));
            }
            text
        })
    };
    let text = list(messages::commands::WHAT_YOU_CAN_DO, &everybody);
    if is_staff {
        format!("{text}\n{}", list(messages::commands::TEAM_CAN_DO, &team))
    } else {
        text
    }
}

fn uncapitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    fn read(text: &str) -> Option<Order> {
        let mentioned = |word: &str| word.strip_prefix('@').map(str::to_owned);
        parse(text, mentioned, |flow| flow == "job-talk")
    }

    fn meant(text: &str) -> Option<Verb> {
        read(text).map(|order| order.verb)
    }

    #[test]
    fn every_command_is_on_both_platforms_or_says_why_not() {
        for entry in COMMANDS {
            for taken in [entry.slack, entry.discord] {
                match taken {
                    As(words) => assert!(!words.is_empty(), "{entry:?}"),
                    Menu(name) => assert!(!name.is_empty(), "{entry:?}"),
                    Not(why) => assert!(why.len() > 20, "{entry:?} does not say why"),
                }
            }
            assert!(!matches!(entry.slack, Menu(_)), "{entry:?}");
            assert_eq!(entry.verb.entry(), &entry, "{:?} has two rows", entry.verb);
            assert!((1..=100).contains(&entry.does.chars().count()), "{entry:?}");
        }
        let only_here: Vec<Verb> = COMMANDS
            .iter()
            .filter(|entry| matches!((entry.slack, entry.discord), (Not(_), _) | (_, Not(_))))
            .map(|entry| entry.verb)
            .collect();
        assert_eq!(only_here, [Verb::Upload, Verb::UseAsAnswer, Verb::Panel]);
    }

    /// A word or a registered command may mean one thing about oneself and one about somebody else, and no more.
    #[test]
    fn no_command_is_ambiguous() {
        let mut seen = BTreeSet::new();
        for entry in &COMMANDS {
            let words = if let As(words) = entry.slack { words } else { &[] };
            for word in words {
                assert!(seen.insert((word.to_string(), entry.has(Member))), "{word}");
                assert_eq!(named(word, entry.has(Member)), Some(entry), "{word}");
            }
            let path: &[&str] = match &entry.discord {
                As(path) => path,
                Menu(name) => std::slice::from_ref(name),
                Not(_) => continue,
            };
            assert!(seen.insert((format!("/{}", path.join(" ")), entry.has(Member))), "{path:?}");
            assert_eq!(on_discord(path, entry.has(Member)), Some(entry), "{path:?}");
        }
    }

    #[test]
    fn typed_words_are_read_with_their_aliases_the_person_and_the_reason() {
        assert_eq!(read(""), Some(Order::of(Verb::Start)));
        let flow = Some("job-talk".to_owned());
        let start = Order { flow: flow.clone(), ..Order::of(Verb::Start) };
        assert_eq!(read("job-talk"), Some(start.clone()));
        assert_eq!(read("START job-talk"), Some(start));
        assert_eq!(read("job-talk now"), None);
        assert_eq!(read("dance"), None);
        let whom = Some("ada".to_owned());
        let invite = Order { whom: whom.clone(), flow, ..Order::of(Verb::Invite) };
        assert_eq!(read("invite @ada job-talk"), Some(invite));
        let reason = "the degree is known".to_owned();
        let advance = Order { whom, reason, ..Order::of(Verb::Override) };
        assert_eq!(read("advance @ada reason: the degree is known"), Some(advance.clone()));
        assert_eq!(read("Override @ada the degree  is known"), Some(advance));
        let own = Order { reason: "no pet".to_owned(), ..Order::of(Verb::Advance) };
        assert_eq!(read("advance reason: no pet"), Some(own));
    }

    #[test]
    fn a_word_means_another_thing_when_a_person_is_named() {
        for (text, own, theirs) in [
            ("pause", Verb::Pause, Verb::TakeOver),
            ("resume", Verb::Resume, Verb::HandBack),
            ("stop", Verb::Pause, Verb::End),
            ("export", Verb::Export, Verb::ExportTheirs),
            ("status", Verb::Status, Verb::Show),
            // There is nothing else that it could mean; who is named is refused.
            ("delete", Verb::Delete, Verb::Delete),
            ("take over", Verb::TakeOver, Verb::TakeOver),
            ("Hand back", Verb::HandBack, Verb::HandBack),
        ] {
            assert_eq!(meant(text), Some(own), "{text}");
            assert_eq!(meant(&format!("{text} @ada")), Some(theirs), "{text}");
        }
    }

    /// `WRITE_DOCS=1 cargo test --lib commands` writes it.
    #[test]
    fn the_reference_is_made_from_the_table() {
        let code = |words: &[&str]| {
            words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        };
        let mut rows = String::from("| what | who | Slack | Discord |\n|---|---|---|---|\n");
        for entry in &COMMANDS {
            let who = match entry.who {
                Who::Anyone => "anybody",
                Who::Participant => "participant",
                Who::Staff => "staff",
                Who::Moderator => "moderator",
            };
            let slack = match entry.slack {
                As([_]) => entry.typed("/onboard").unwrap(),
                As(words) => {
                    format!("{}, or {}", entry.typed("/onboard").unwrap(), code(&words[1..]))
                }
                Menu(_) => unreachable!(),
                Not(why) => format!("no: {why}"),
            };
            let discord = match entry.discord {
                Not(why) => format!("no: {why}"),
                As(_) | Menu(_) => entry.on_discord().unwrap(),
            };
            _ = writeln!(rows, "| {} | {who} | {slack} | {discord} |", entry.does);
        }
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/commands.md");
        let (begin, end) = ("<!-- commands -->\n", "<!-- /commands -->");
        let text = fs::read_to_string(&file).unwrap();
        let (before, rest) = text.split_once(begin).unwrap();
        let (listed, after) = rest.split_once(end).unwrap();
        if std::env::var_os("WRITE_DOCS").is_some() {
            fs::write(&file, format!("{before}{begin}{rows}{end}{after}")).unwrap();
        } else {
            assert_eq!(listed, rows, "hint: WRITE_DOCS=1 cargo test --lib commands");
        }
    }

    #[test]
    fn help_lists_what_somebody_may_do() {
        let everybody = help(false, |entry| entry.typed("/onboard"));
        insta::assert_snapshot!(everybody, @"
        Here's what you can do:
        `/onboard start`: start an interview, or continue yours
        `/onboard status`: see how far you are
        `/onboard pause`: stop for now; nothing more is asked until you resume
        `/onboard resume`: continue where you left off
        `/onboard advance`: ask the team to let you skip ahead
        `/onboard human`: talk to a person
        `/onboard export`: get a copy of everything
        `/onboard delete`: delete your answers and files
        `/onboard help`: see what you can do here
        ");
        let team = help(true, Entry::on_discord);
        insta::assert_snapshot!(team, @"
        Here's what you can do:
        `/onboard start`: start an interview, or continue yours
        `/onboard status`: see how far you are
        `/onboard cancel`: stop for now; nothing more is asked until you resume
        `/onboard resume`: continue where you left off
        `/onboard advance`: ask the team to let you skip ahead
        `/onboard human`: talk to a person
        `/upload`: send a file you were asked for
        *Apps*, then *Use as answer*, in the menu of a message: answer the open question with a message you wrote
        `/privacy export`: get a copy of everything
        `/privacy delete`: delete your answers and files
        `/onboard help`: see what you can do here
        For the team:
        `/review`: see how everyone is doing
        `/review member`: see how somebody is doing
        `/staff invite member`: invite somebody to an interview
        `/override member`: move somebody to the next part
        `/staff take-over member`: take over a conversation; the assistant keeps quiet
        `/staff hand-back member`: hand a conversation back to the assistant
        `/staff end member`: end somebody's conversation
        `/staff export member`: get a copy of somebody's conversation
        `/staff match`: compare somebody with a job
        `/onboard panel`: post a message with a Start button here
        ");
    }
}
