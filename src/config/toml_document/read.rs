//! A document read as a type, against the type's schema: every mistake is reported at once with its line.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{TomlDocument, escaped, sort};
use crate::config::{
    problem::Problem,
    schema_errors::{self, Mistake},
};

impl TomlDocument {
    /// Reads the content as `T`: either everything fits, or every mistake is told.
    pub fn read<T: DeserializeOwned + JsonSchema>(&self) -> Result<T, Vec<Problem>> {
        let schema = schemars::schema_for!(T).to_value();
        let mistakes = schema_errors::mistakes(&schema, &self.value);
        if !mistakes.is_empty() {
            return Err(self.problems(mistakes));
        }
        serde_json::from_value(self.value.clone()).map_err(|error| vec![self.unread::<T>(&error)])
    }

    /// Like [`Self::read`], but a key that nothing reads is only reported, and the rest is read without it, or with the
    /// key that was probably meant: whoever checks further finds what else is wrong.
    pub(crate) fn read_known<T: DeserializeOwned + JsonSchema>(
        &self,
    ) -> Result<(T, Vec<Problem>), Vec<Problem>> {
        let schema = schemars::schema_for!(T).to_value();
        let (mut known, mut found) = (self.value.clone(), Vec::new());
        let mut renamed = Vec::new();
        let is_readable = loop {
            let mistakes = schema_errors::mistakes(&schema, &known);
            let (mut is_mended, is_empty) = (false, mistakes.is_empty());
            let before = renamed.len();
            for mistake in mistakes.iter().filter(|mistake| mistake.is_unknown_key) {
                is_mended |= mend(&mut known, mistake, &mut renamed);
            }
            for mut mistake in mistakes {
                mistake.pointer = as_written(mistake.pointer, &renamed[..before]);
                found.push(mistake);
            }
            if !is_mended {
                break is_empty;
            }
        };
        let mut problems = self.problems(found);
        if !is_readable {
            return Err(problems);
        }
        match serde_json::from_value(known) {
            Ok(value) => Ok((value, problems)),
            Err(error) => {
                // Without unknown keys the schema has passed, so this is what a schema cannot say.
                if problems.is_empty() {
                    problems.push(self.unread::<T>(&error));
                }
                Err(problems)
            }
        }
    }

    fn problems(&self, mistakes: Vec<Mistake>) -> Vec<Problem> {
        let mut problems: Vec<_> = mistakes
            .into_iter()
            .map(|mistake| Problem {
                hint: mistake.hint,
                ..self.problem(&mistake.pointer, mistake.message)
            })
            .collect();
        sort(&mut problems);
        problems
    }

    /// What the schema cannot say, such as a number too big for its type; TOML's own reader knows the place.
    fn unread<T: DeserializeOwned>(&self, error: &serde_json::Error) -> Problem {
        let placed = toml_edit::de::from_str::<T>(&self.text).err().and_then(|e| e.span());
        let problem = Problem::whole(&self.file, error.to_string());
        match placed {
            Some(span) => self.placed(problem, &span),
            None => problem,
        }
    }
}

/// Gives an unknown key the name that was probably meant, so that what is under it is judged as well; removes it where
/// there is none, or where that key is there too. Whether anything has changed; what was renamed goes to `renamed`, with
/// its new pointer and the one before.
fn mend(value: &mut Value, mistake: &Mistake, renamed: &mut Vec<(String, String)>) -> bool {
    let Some((around, key)) = mistake.pointer.rsplit_once('/') else { return false };
    let key = key.replace("~1", "/").replace("~0", "~");
    let table = value.pointer_mut(around).and_then(Value::as_object_mut);
    let Some((table, under)) = table.and_then(|table| {
        let under = table.shift_remove(&key)?;
        Some((table, under))
    }) else {
        return false;
    };
    if let Some(meant) = mistake.meant.as_ref().filter(|meant| !table.contains_key(*meant)) {
        table.insert(meant.clone(), under);
        renamed.push((format!("{around}/{}", escaped(meant)), mistake.pointer.clone()));
    }
    true
}

/// A pointer into a value with renamed keys as it is in the file.
fn as_written(pointer: String, renamed: &[(String, String)]) -> String {
    renamed.iter().rev().fold(pointer, |pointer, (new, old)| match pointer.strip_prefix(new) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{old}{rest}"),
        _ => pointer,
    })
}
