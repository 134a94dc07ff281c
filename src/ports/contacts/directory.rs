//! A directory file that the operator keeps: people of the platforms and their contact details.
//!
//! ```toml
//! ["slack:T01/U01"]
//! given        = "Ada"
//! family       = "Byron"
//! email        = ["ada@example.org"]
//! phone        = ["+44 20 7946 0018"]
//! organization = "Analytical Engines Ltd"
//! job_title    = "Programmer"
//! ```

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use serde::Deserialize;

use crate::model::{
    contact::{Contact, Labelled, Name},
    session::PersonId,
};

use super::{ContactSource, Fetched, Wanted};

/// The directory. The file is read anew for each look-up, so that it can be edited while the bot runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    path: PathBuf,
}

/// Why the directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("the contact directory `{}` cannot be read", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not in the form that is asked for.
    #[error("the contact directory `{}` has a mistake: {problem}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line and cause.
        problem: String,
    },
}

/// One person, as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Person {
    given: String,
    #[serde(default)]
    family: String,
    #[serde(default)]
    email: Vec<String>,
    #[serde(default)]
    phone: Vec<String>,
    #[serde(default)]
    address: Vec<String>,
    #[serde(default)]
    url: Vec<String>,
    organization: Option<String>,
    job_title: Option<String>,
}

impl Directory {
    /// Opens a directory, checking all of it.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, Error> {
        let directory = Self { path: path.into() };
        let text = fs::read_to_string(&directory.path)
            .map_err(|source| Error::Unreadable { path: directory.path.clone(), source })?;
        parse(&directory.path, &text)?;
        Ok(directory)
    }
}

#[async_trait]
impl ContactSource for Directory {
    fn name(&self) -> &'static str {
        "directory"
    }

    fn serves(&self, person: &PersonId) -> bool {
        let people = fs::read_to_string(&self.path).ok();
        let people = people.and_then(|text| parse(&self.path, &text).ok());
        people.is_some_and(|people| people.contains_key(person))
    }

    async fn fetch(&self, wanted: &Wanted) -> Fetched {
        if wanted.specific.is_some() {
            return Fetched::not_found("everybody finds only themselves in the directory");
        }
        let people = match tokio::fs::read_to_string(&self.path).await {
            Ok(text) => parse(&self.path, &text),
            Err(source) => Err(Error::Unreadable { path: self.path.clone(), source }),
        };
        match people {
            Ok(mut people) => match people.remove(&wanted.person) {
                Some(person) => Fetched::Card(Box::new(person.into())),
                None => Fetched::not_found("not in the directory"),
            },
            Err(error) => {
                // The parser's message quotes the file, which holds people's data.
                tracing::warn!(path = %self.path.display(), broken = matches!(error, Error::Malformed { .. }), "the contact directory cannot be used");
                Fetched::not_found("the directory cannot be read just now")
            }
        }
    }
}

fn parse(path: &Path, text: &str) -> Result<BTreeMap<PersonId, Person>, Error> {
    toml_edit::de::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        let problem = format!("line {line}: {}", error.message());
        Error::Malformed { path: path.to_owned(), problem }
    })
}

impl From<Person> for Contact {
    fn from(person: Person) -> Self {
        let labelled = |values: Vec<String>| {
            let label = || "work".to_owned();
            values.into_iter().map(|value| Labelled { label: label(), value }).collect()
        };
        Self {
            name: Name { given: person.given, family: person.family },
            email: labelled(person.email),
            phone: labelled(person.phone),
            address: labelled(person.address),
            url: labelled(person.url),
            organization: person.organization,
            job_title: person.job_title,
            time_zone: None,
        }
    }
}
