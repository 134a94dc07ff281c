//! The skills there are, as `manifests/lexicon/skills.toml` has them, with one automaton that finds all their names.

use std::{collections::BTreeMap, sync::LazyLock};

use aho_corasick::{AhoCorasick, BuildError};
use serde::Deserialize;

/// The lexicon in the box.
const SOURCE: &str = include_str!("../../../../../manifests/lexicon/skills.toml");

/// The lexicon in the box, read at its first use.
static LEXICON: LazyLock<Result<Lexicon, BadLexicon>> = LazyLock::new(|| Lexicon::read(SOURCE));

/// A lexicon that cannot be used; a test sees to it that the one in the box can.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadLexicon(pub String);

/// Skills, and the names by which they are found.
#[derive(Debug)]
pub struct Lexicon {
    /// The day of its last change.
    pub version: String,
    /// Categories in the order of the file.
    pub categories: Vec<Category>,
    /// Skills in the order of the file.
    pub skills: Vec<Skill>,
    /// Every name, and every phrase that is none.
    pub(super) forms: Vec<Form>,
    /// Finds forms by their position in `forms`, whatever the case of their letters.
    pub(super) automaton: AhoCorasick,
}

/// What kind of skills.
#[derive(Debug)]
pub struct Category {
    /// The key in a result.
    pub id: String,
    /// Ambiguous names are believed on `near` alone.
    pub(super) strict: bool,
}

/// A skill.
#[derive(Debug)]
pub struct Skill {
    /// What a result calls it.
    pub name: String,
    /// Where it stands among the categories.
    pub category: usize,
    /// Words and phrases in lower case that make its ambiguous names believable.
    pub(super) near: Vec<String>,
}

/// One way to write a skill, or something that only looks like one.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) text: String,
    pub(super) means: Means,
}

/// What a form stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Means {
    /// Nothing: an everyday phrase.
    Decoy,
    /// The skill at this position, in whatever case it is written.
    Plain(usize),
    /// The skill at this position if there is evidence: it is an everyday word as well.
    Wary(usize),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: String,
    decoys: Vec<String>,
    category: Vec<WrittenCategory>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCategory {
    id: String,
    #[serde(default)]
    strict: bool,
    #[serde(default)]
    near: Vec<String>,
    skills: BTreeMap<String, WrittenSkill>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum WrittenSkill {
    Plain(Vec<String>),
    Careful(Careful),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Careful {
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    wary: Vec<String>,
    #[serde(default)]
    near: Vec<String>,
    /// Whether the name itself is looked for.
    #[serde(default = "yes")]
    named: bool,
}

const fn yes() -> bool {
    true
}

impl Careful {
    fn plain(also: Vec<String>) -> Self {
        Self { also, wary: Vec::new(), near: Vec::new(), named: true }
    }
}

impl Lexicon {
    /// The lexicon in the box.
    pub fn shipped() -> Result<&'static Self, BadLexicon> {
        LEXICON.as_ref().map_err(Clone::clone)
    }

    /// Reads a lexicon. A form that stands for two things is a mistake.
    pub fn read(source: &str) -> Result<Self, BadLexicon> {
        let written: Written =
            toml_edit::de::from_str(source).map_err(|error| BadLexicon(error.to_string()))?;
        let mut forms = Forms::default();
        for text in written.decoys {
            forms.add(text, Means::Decoy)?;
        }
        let (mut categories, mut skills) = (Vec::new(), Vec::new());
        for WrittenCategory { id, strict, near: common, skills: members } in written.category {
            for (name, skill) in members {
                let position = skills.len();
                let Careful { also, wary, mut near, named } = match skill {
                    WrittenSkill::Plain(also) => Careful::plain(also),
                    WrittenSkill::Careful(careful) => careful,
                };
                if named && !wary.contains(&name) {
                    forms.add(name.clone(), Means::Plain(position))?;
                }
                for text in also {
                    forms.add(text, Means::Plain(position))?;
                }
                for text in wary {
                    forms.add(text, Means::Wary(position))?;
                }
                near.extend(common.iter().cloned());
                skills.push(Skill { name, category: categories.len(), near });
            }
            categories.push(Category { id, strict });
        }
        let forms = forms.all;
        let automaton = automaton(&forms).map_err(|error| BadLexicon(error.to_string()))?;
        Ok(Self { version: written.version, categories, skills, forms, automaton })
    }
}

fn automaton(forms: &[Form]) -> Result<AhoCorasick, BuildError> {
    let texts = forms.iter().map(|form| form.text.as_str());
    AhoCorasick::builder().ascii_case_insensitive(true).build(texts)
}

/// Forms as they are collected.
#[derive(Debug, Default)]
struct Forms {
    all: Vec<Form>,
    known: BTreeMap<String, Means>,
}

impl Forms {
    fn add(&mut self, text: String, means: Means) -> Result<(), BadLexicon> {
        if text.trim() != text || text.is_empty() {
            return Err(BadLexicon(format!("`{text}` cannot be found in any text")));
        }
        match self.known.insert(text.to_lowercase(), means) {
            None => self.all.push(Form { text, means }),
            // Two spellings that differ in case alone: both ways to write an ambiguous name count.
            Some(Means::Wary(other)) if means == Means::Wary(other) => {
                self.all.push(Form { text, means });
            }
            Some(_) => return Err(BadLexicon(format!("`{text}` stands there twice"))),
        }
        Ok(())
    }
}
