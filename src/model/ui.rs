//! The neutral component model: what a wait shows ([`Prompt`]) and what a person answers ([`Reply`]).
//!
//! Gateways render a [`Prompt`] natively and parse what comes back into a [`Reply`]; nothing above them knows a
//! platform. Rendering is total over [`Control`] and degrades instead of failing.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::words::Text;
use crate::base::ids::ArtifactId;

/// What a wait shows.
///
/// ```json
/// { "title": "Rules", "body": "1. Be kind.", "control": { "kind": "choose", … }, "notes": ["1 of 2"] }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// A short heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Text>,
    /// The question.
    pub body: Text,
    /// How it is answered.
    pub control: Control,
    /// Small print under the control.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Text>,
}

impl Prompt {
    /// The heading, in plain words.
    pub fn heading(&self) -> Option<String> {
        self.title.as_ref().map(Text::to_string)
    }

    /// A copy in which every text is a string as people read it, for programs that know no parts.
    #[must_use]
    pub fn as_read(&self) -> Self {
        let plain = |text: &Text| Text::from(text.to_string());
        let mut control = self.control.clone();
        if let Control::Decide(decide) = &mut control {
            decide.request = plain(&decide.request);
        }
        Self {
            title: self.title.as_ref().map(plain),
            body: self.body.common_mark().into(),
            control,
            notes: self.notes.iter().map(plain).collect(),
        }
    }
}

/// How a prompt is answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Control {
    /// Pick one choice, or several.
    Choose(Choose),
    /// Fill in fields.
    Form(Form),
    /// Look over collected data; approve, edit or start over.
    Review(Review),
    /// Send files.
    Upload(Upload),
    /// Write freely.
    Ask(Ask),
    /// Approve or deny somebody else's request.
    Decide(Decide),
    /// Yes or no to one consequential act.
    Confirm(Confirm),
}

/// A command that is offered under a message of the bot: a button, beside the words that can be typed for it.
/// Stored by its name: `stop_reminders`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offered {
    /// Go on after "stop".
    Resume,
    /// Ask whether everything is to be erased.
    Delete,
    /// The question of a reminder can wait.
    Later,
    /// No more reminders.
    StopReminders,
    /// A person is asked for.
    Human,
    /// Nothing more is asked.
    Stop,
    /// Continue without waiting any longer.
    Continue,
    /// A copy of everything.
    Export,
    /// Pass over the open question.
    Skip,
    /// Request once more what the team declined.
    AskAgain,
}

impl Offered {
    /// Every one.
    pub const ALL: [Self; 10] = [
        Self::Resume,
        Self::Delete,
        Self::Later,
        Self::StopReminders,
        Self::Human,
        Self::Stop,
        Self::Continue,
        Self::Export,
        Self::Skip,
        Self::AskAgain,
    ];

    /// What is offered to whoever asks for help.
    pub const HELP: [Self; 5] =
        [Self::Human, Self::Stop, Self::Continue, Self::Export, Self::Delete];

    /// How forms and ids name it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resume => "resume",
            Self::Delete => "delete",
            Self::Later => "later",
            Self::StopReminders => "stop_reminders",
            Self::Human => "human",
            Self::Stop => "stop",
            Self::Continue => "continue",
            Self::Export => "export",
            Self::Skip => "skip",
            Self::AskAgain => "ask_again",
        }
    }

    /// Reads [`Offered::name`].
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|offered| offered.name() == name)
    }
}

/// Pick from choices. Answered by [`Reply::Chosen`], or [`Reply::Skipped`] where not `required`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choose {
    /// What there is to choose from, two or more.
    pub choices: Vec<Choice>,
    /// More than one may be picked.
    pub multiple: bool,
    /// Something must be picked.
    pub required: bool,
    /// Fewest that may be picked, where more than one may: `None` for one, or for nothing where it isn't `required`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<usize>,
    /// Most that may be picked, where more than one may: `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<usize>,
}

impl Choose {
    /// Fewest that may be picked by whoever picks any.
    pub(crate) fn fewest(&self) -> usize {
        if self.multiple { self.least.unwrap_or(1).clamp(1, self.most()) } else { 1 }
    }

    /// Most that may be picked.
    pub fn most(&self) -> usize {
        if self.multiple {
            self.most.unwrap_or(usize::MAX).clamp(1, self.choices.len().max(1))
        } else {
            1
        }
    }
}

/// One thing to pick.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// What the answer carries; unique within the control.
    pub id: String,
    /// What the person reads.
    pub label: String,
    /// A second line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// An emoji or icon name; decoration only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
}

/// Fill in fields. Answered by [`Reply::Filled`], or [`Reply::Skipped`] where `skippable`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Form {
    /// What to fill in, in order.
    pub fields: Vec<Field>,
    /// Label of the button that sends it.
    pub submit: String,
    /// May be passed over.
    pub skippable: bool,
}

/// One input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Where the value goes: a dotted path such as `basics.email` or `work.0.name`.
    pub path: String,
    /// What the person reads.
    pub label: String,
    /// A hint under the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Must be filled in.
    #[serde(default)]
    pub required: bool,
    /// What may be typed.
    pub input: Input,
    /// What is there already.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub value: Value,
    /// Read with low confidence: the person sees "please check".
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub check: bool,
}

/// What may be typed into a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Input {
    /// Text of one line or several.
    Text {
        /// Several lines.
        multiline: bool,
        /// Fewest characters.
        min: Option<u32>,
        /// Most characters.
        max: Option<u32>,
    },
    /// An e-mail address.
    Email,
    /// A web address.
    Url,
    /// A telephone number.
    Phone,
    /// `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, as in JSON Resume.
    Date,
    /// A whole day, `YYYY-MM-DD`.
    Day,
    /// A number.
    Number {
        /// Whole numbers only.
        integer: bool,
        /// Least value.
        min: Option<f64>,
        /// Greatest value.
        max: Option<f64>,
    },
    /// Yes or no.
    Bool,
    /// One of some, or several.
    Select {
        /// What there is to choose from.
        choices: Vec<Choice>,
        /// More than one may be picked.
        multiple: bool,
    },
    /// A list of short texts, one a line.
    Lines,
}

/// Look over collected data. Answered by [`Reply::Reviewed`], or [`Reply::Skipped`] where `skippable`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// The flow's name of the data: `applicant_profile`.
    pub data_type: String,
    /// The draft under review, as JSON.
    pub data: Value,
    /// JSON Schema that an edited version must satisfy.
    pub schema: Value,
    /// The draft as groups of fields for people, in reading order.
    pub groups: Vec<Group>,
    /// Lists within the data to which entries may be added, and from which they may be removed or moved.
    pub lists: Vec<List>,
    /// May be passed over.
    pub skippable: bool,
}

/// Fields that belong together: the whole profile, or one role of the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Path of the entry in the data: empty, or `work.0`.
    pub path: String,
    /// Heading for people.
    pub title: String,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// A list of entries in reviewed data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct List {
    /// Path of the list: `work`.
    pub path: String,
    /// One entry, for people: `role`, as in "Add a role".
    pub noun: String,
    /// Fields of a new entry; paths are relative to it.
    pub fields: Vec<Field>,
}

/// Send files. Answered by [`Reply::Uploaded`], or [`Reply::Skipped`] where not `required`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the specification's name for it")]
pub struct Upload {
    /// What is asked for: `resume`, `portfolio`, `profile`, …
    pub upload_type: String,
    /// Extensions without the dot; content must agree.
    pub accept: Vec<String>,
    /// Largest single file, in bytes.
    pub max_bytes: u64,
    /// Most files.
    pub max_files: u32,
    /// A file must be sent.
    pub required: bool,
}

/// Write freely. Answered by [`Reply::Text`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Shown in the empty input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// Longest answer, in characters.
    pub max: u32,
    /// Must be answered; otherwise [`Reply::Skipped`] is one too.
    pub required: bool,
}

/// Approve or deny somebody else's request. Answered by [`Reply::Decided`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decide {
    /// What is asked for, in one line: `Move Ada Byron to "One piece of work in depth"?`.
    pub request: Text,
    /// What the decider should know, label and value, in order.
    pub facts: Vec<(String, String)>,
    /// Label of the button that approves.
    pub approve: String,
    /// Label of the button that denies.
    pub deny: String,
    /// Label of the button that denies and says why; `None` if that is not offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deny_and_tell: Option<String>,
    /// Who reads the words of a denial. Settled when the request is made: whoever denies it is told before they write.
    #[serde(default, skip_serializing_if = "DenialReader::is_interviewer")]
    pub denial_reader: DenialReader,
}

impl Decide {
    /// Label of the fact that names the person whom a request is about.
    pub const PERSON: &str = "Person";

    /// Label of the fact that names the roles that a request is about.
    pub(crate) const ROLE: &str = "Role";

    /// What the person is called whom the request is about.
    pub fn person(&self) -> Option<&str> {
        let named = self.facts.iter().find(|(label, _)| label == Self::PERSON);
        named.map(|(_, name)| name.as_str())
    }
}

/// Who reads the words with which a request is denied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DenialReader {
    /// The model that leads the conversation, and nobody whom it is about.
    #[default]
    Interviewer,
    /// The participant, with the name of whoever wrote them.
    Participant,
}

impl DenialReader {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
    const fn is_interviewer(&self) -> bool {
        matches!(self, Self::Interviewer)
    }
}

/// Yes or no to one consequential act. Answered by [`Reply::Confirmed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirm {
    /// Label of the button that does it.
    pub yes: String,
    /// Label of the button that does not.
    pub no: String,
    /// It destroys something.
    pub danger: bool,
}

/// What a person answered to a wait.
///
/// ```json
/// { "kind": "chosen", "ids": ["accept"] }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reply {
    /// Choices, in the order of the control.
    Chosen {
        /// Ids of what was picked.
        ids: Vec<String>,
        /// What was typed. With `ids`, the words that named them; without any, an answer in words that picks nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        free_text: Option<String>,
    },
    /// Values by the fields' paths.
    Filled {
        /// What was filled in.
        values: Map<String, Value>,
    },
    /// A verdict on reviewed data.
    Reviewed {
        /// What the person decided.
        verdict: Verdict,
        /// The data after edits, where it was modified.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
        /// A remark.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notes: Option<String>,
    },
    /// Files that passed the checks and are kept.
    Uploaded {
        /// Their ids, in the order sent.
        artifacts: Vec<ArtifactId>,
    },
    /// Words.
    Text {
        /// What was written.
        text: String,
    },
    /// A decision on somebody else's request.
    Decided {
        /// Which.
        decision: Decision,
        /// Words for the interviewer, with [`Decision::DeniedWithFeedback`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feedback: Option<String>,
    },
    /// Yes or no.
    Confirmed {
        /// The person said yes.
        yes: bool,
    },
    /// Passed over.
    Skipped,
}

impl Reply {
    /// The person's words, where they are the answer itself and not only the name of an option.
    pub fn words(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::Chosen { ids, free_text } if ids.is_empty() => free_text.as_deref(),
            Self::Chosen { .. }
            | Self::Filled { .. }
            | Self::Reviewed { .. }
            | Self::Uploaded { .. }
            | Self::Decided { .. }
            | Self::Confirmed { .. }
            | Self::Skipped => None,
        }
    }
}

/// A verdict on reviewed data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Right as it is.
    Approved,
    /// Right after these edits.
    Modified,
    /// These edits are to be kept; whether the data is right is said later.
    Saved,
    /// Start over.
    Rejected,
}

/// A decision on a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Yes.
    Approved,
    /// No.
    Denied,
    /// No, and this is why.
    DeniedWithFeedback,
}

/// What is wrong with one field of a reply, in words for the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    /// The field's path; empty for the reply as a whole.
    pub path: String,
    /// What to do about it.
    pub message: String,
}

impl FieldError {
    /// A complaint about the reply as a whole.
    pub fn whole(message: impl Into<String>) -> Self {
        Self { path: String::new(), message: message.into() }
    }
}
