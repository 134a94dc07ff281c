//! Personas: simulated participants, each a TOML file with a fact sheet, a manner and traps.

use std::{collections::BTreeMap, path::Path};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    config::{
        problem::{Problem, listed},
        toml_document::{self, TomlDocument},
    },
    flow::library::files,
};

/// The version of the format that this program reads.
const FORMAT: u32 = 1;

/// Languages that the report can tell apart.
pub(super) const LANGUAGES: [&str; 5] = ["de", "en", "es", "fr", "pl"];

/// A simulated participant.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Persona {
    /// Version of the format.
    pub(super) format: u32,
    /// Names the persona in reports.
    pub id: String,
    /// What the persona is there to test.
    pub title: String,
    /// The language in which they write.
    #[serde(default = "english")]
    pub(super) language: String,
    /// How the conversation may end; anything else fails the score `end`.
    #[serde(default = "finished")]
    pub ends: Vec<End>,
    /// How they answer.
    #[serde(default)]
    pub(super) manner: Manner,
    /// What they know.
    #[serde(default)]
    pub(super) fact: Vec<Fact>,
    /// Entries of lists, such as the roles of a work history.
    #[serde(default)]
    pub(super) entry: Vec<Entry>,
    /// What they do besides answering.
    #[serde(default)]
    pub(super) trap: Vec<Trap>,
}

fn english() -> String {
    "en".to_owned()
}

fn finished() -> Vec<End> {
    vec![End::Finished]
}

/// How a conversation ended.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, Deserialize, JsonSchema, PartialOrd, Ord,
)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The flow ran to its end.
    Finished,
    /// A person was asked for.
    HandedOver,
    /// The participant said stop, or would not take part.
    Stopped,
    /// The participant had everything erased.
    Erased,
    /// It was still going on when the participant had no patience left.
    Unfinished,
}

impl End {
    /// The word in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::HandedOver => "handed over",
            Self::Stopped => "stopped",
            Self::Erased => "erased",
            Self::Unfinished => "unfinished",
        }
    }
}

/// How a persona answers.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Manner {
    /// Written before an answer in words, one after the other.
    pub(super) before: Vec<String>,
    /// Written after an answer in words, likewise.
    pub(super) after: Vec<String>,
    /// Writes under cards with choices instead of pressing them.
    pub(super) writes: bool,
    /// Parts of the labels that they pick, the dearest first.
    pub(super) picks: Vec<String>,
    /// Passes over what may be passed over.
    pub(super) skips: bool,
    /// Said where they know nothing about what is asked, one after the other.
    pub(super) otherwise: Vec<String>,
}

/// Something that a persona knows.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Fact {
    /// Words by which a question or a field asks for it.
    pub(super) about: Vec<String>,
    /// What goes into a field.
    pub(super) value: String,
    /// What they say, where it differs from the value.
    #[serde(default)]
    pub(super) says: Option<String>,
}

/// An entry of a list.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// Words by which a list asks for it.
    pub(super) of: Vec<String>,
    /// Values by words of the fields' labels.
    pub(super) fields: BTreeMap<String, String>,
    /// What they say when they are asked for it in words.
    pub(super) says: String,
}

/// Something that a persona does once, besides answering.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Trap {
    /// After so many acts of theirs.
    #[serde(default)]
    pub(super) after: u32,
    /// Not before these words stand in what they read.
    #[serde(default)]
    pub(super) at: Option<String>,
    /// Writes this.
    #[serde(default)]
    pub(super) says: Option<String>,
    /// Lets so many hours pass first.
    #[serde(default)]
    pub(super) waits_hours: u32,
    /// Sends a file of this name.
    #[serde(default)]
    pub(super) sends: Option<String>,
    /// What stands in that file.
    #[serde(default)]
    pub(super) content: String,
    /// Changes their mind about what this word names.
    #[serde(default)]
    pub(super) changes: Option<String>,
    /// What it is from then on.
    #[serde(default)]
    pub(super) to: Option<String>,
    /// Confirms what the bot asks them to confirm next, such as an erasure.
    #[serde(default)]
    pub(super) confirms: bool,
    /// The words answer what was asked as well.
    #[serde(default)]
    pub(super) answers: bool,
}

impl Persona {
    /// Reads a persona; `name` is the file it came from. Every mistake is told at once.
    pub fn load(source: &str, name: &str) -> Result<Self, Vec<Problem>> {
        let document = TomlDocument::parse(name, source)?;
        let persona: Self = document.read()?;
        let mut problems = mistakes(&persona, &document);
        toml_document::sort(&mut problems);
        if problems.is_empty() { Ok(persona) } else { Err(problems) }
    }

    /// The personas in the box.
    pub fn shipped() -> Result<Vec<Self>, Vec<Problem>> {
        all(SHIPPED.iter().map(|(name, source)| ((*name).to_owned(), (*source).to_owned())))
    }

    /// The personas in a directory, in the order of their files.
    pub(crate) fn in_dir(dir: &Path) -> Result<Vec<Self>, Vec<Problem>> {
        let mut problems = Vec::new();
        let sources = files(dir, &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        if sources.is_empty() {
            let problem = Problem::whole(&dir.display().to_string(), "no personas found");
            return Err(vec![problem.hint("write one or more `.toml` files; see docs/eval.md")]);
        }
        all(sources)
    }
}

fn all(sources: impl IntoIterator<Item = (String, String)>) -> Result<Vec<Persona>, Vec<Problem>> {
    let (mut personas, mut problems) = (Vec::<Persona>::new(), Vec::new());
    for (name, source) in sources {
        match Persona::load(&source, &name) {
            Ok(persona) if personas.iter().any(|known| known.id == persona.id) => {
                let problem = Problem::whole(&name, format!("duplicate persona `{}`", persona.id));
                problems.push(problem.hint("give this one a different `id`"));
            }
            Ok(persona) => personas.push(persona),
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok(personas) } else { Err(problems) }
}

fn mistakes(persona: &Persona, document: &TomlDocument) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut error = |at: String, message: String, hint: &str| {
        problems.push(document.problem(&at, message).hint(hint));
    };
    if persona.format != FORMAT {
        error("/format".into(), format!("unknown format {}", persona.format), "set `format = 1`");
    }
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if persona.id.is_empty() || !persona.id.chars().all(fits) || persona.id.len() > 24 {
        let message = format!("`{}` can't be an id", persona.id);
        error("/id".into(), message, "use up to 24 lower-case letters, digits and hyphens");
    }
    if !LANGUAGES.contains(&persona.language.as_str()) {
        let message = format!("language `{}` can't be measured", persona.language);
        let hint = format!("use one of {}", listed(LANGUAGES));
        error("/language".into(), message, &hint);
    }
    if persona.ends.is_empty() {
        error("/ends".into(), "no end is allowed".into(), "write `ends = [\"finished\"]`");
    }
    for (n, fact) in persona.fact.iter().enumerate() {
        if fact.about.iter().all(|about| about.trim().is_empty()) {
            let hint = "write the words that ask for it: `about = [\"e-mail\"]`";
            error(format!("/fact/{n}/about"), "nothing asks for this fact".into(), hint);
        }
    }
    for (n, trap) in persona.trap.iter().enumerate() {
        if trap.says.is_none() && trap.sends.is_none() && trap.waits_hours == 0 {
            let hint = "set `says`, `sends` or `waits_hours`";
            error(format!("/trap/{n}"), "this trap does nothing".into(), hint);
        }
        if let Some(changes) = &trap.changes {
            if trap.to.is_none() {
                let hint = "write the new value: `to = \"…\"`";
                error(format!("/trap/{n}/changes"), "no new value is given".into(), hint);
            }
            if !persona.fact.iter().any(|fact| fact.about.contains(changes)) {
                let message = format!("no fact is about `{changes}`");
                let hint = "use a word that stands in the `about` of a fact";
                error(format!("/trap/{n}/changes"), message, hint);
            }
        }
    }
    problems
}

macro_rules! persona {
    ($name:literal) => {
        (
            concat!("persona `", $name, "`"),
            include_str!(concat!("../../../manifests/personas/", $name, ".toml")),
        )
    };
}

/// The personas in the box: what messages call them, and their files.
const SHIPPED: [(&str, &str); 12] = [
    persona!("silent"),
    persona!("terse"),
    persona!("rambling"),
    persona!("hostile"),
    persona!("changes-mind"),
    persona!("two-at-once"),
    persona!("german"),
    persona!("injects"),
    persona!("wrong-file"),
    persona!("wants-person"),
    persona!("distress"),
    persona!("deletes"),
];
