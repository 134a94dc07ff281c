//! Secrets: from the environment or a file, never from the configuration itself.

use std::{fmt, fs, path::Path};

use secrecy::{ExposeSecret, SecretString};

use super::environment::Environment;

/// A secret that prints as `***`.
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// Keeps `text` as a secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(SecretString::from(text.into()))
    }

    /// Reads a secret that stands alone in a file.
    pub fn read(file: &Path) -> std::io::Result<Self> {
        let text = fs::read_to_string(file)?;
        match text.trim() {
            "" => Err(std::io::Error::other("the file is empty")),
            text => Ok(Self::new(text)),
        }
    }

    /// The secret itself; every use of it is one to look at twice.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Converts it to the type of the `secrecy` crate.
    pub fn into_inner(self) -> SecretString {
        self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        use subtle::ConstantTimeEq as _;
        self.expose().as_bytes().ct_eq(other.expose().as_bytes()).into()
    }
}

impl Eq for Secret {}

/// What could not be read, with the key it concerns.
#[derive(Debug)]
pub(super) struct Unread {
    pub(super) key: &'static str,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

/// Reads a secret that is named by a pair of keys; `None` if neither is written.
pub(super) fn read(
    keys: (&'static str, &'static str),
    variable: Option<&str>,
    file: Option<&Path>,
    environment: &Environment,
) -> Result<Option<Secret>, Unread> {
    match (variable, file) {
        (None, None) => Ok(None),
        (Some(_), Some(_)) => Err(Unread {
            key: keys.1,
            message: format!("set either `{}` or `{}`, not both", keys.0, keys.1),
            hint: None,
        }),
        (Some(name), None) => match environment.get(name) {
            Some(value) => Ok(Some(Secret::new(value.trim()))),
            // What stands there isn't shown: the message may go to a log.
            None if !name.is_empty() && !is_variable(name) => Err(Unread {
                key: keys.0,
                message: "this looks like the secret itself, not like the name of a variable"
                    .to_owned(),
                hint: Some(format!(
                    "put the secret into an environment variable and write that variable's name here, or use `{}`; replace the \
                     secret if others could read this file",
                    keys.1
                )),
            }),
            None => Err(Unread {
                key: keys.0,
                message: format!("environment variable `{name}` is not set"),
                hint: Some(format!("export it, or use `{}`", keys.1)),
            }),
        },
        (None, Some(path)) => match fs::read_to_string(path) {
            Ok(text) if !text.trim().is_empty() => Ok(Some(Secret::new(text.trim()))),
            Ok(_) => Err(Unread {
                key: keys.1,
                message: format!("`{}` is empty", path.display()),
                hint: None,
            }),
            Err(_) if is_token(path) => Err(Unread {
                key: keys.1,
                message: "this looks like the secret itself, not like the path of a file"
                    .to_owned(),
                hint: Some("write it into a file, and that file's path here".to_owned()),
            }),
            Err(error) => Err(Unread {
                key: keys.1,
                message: format!("could not read `{}`: {error}", path.display()),
                hint: None,
            }),
        },
    }
}

/// How tokens and keys of services begin.
const TOKENS: [&str; 5] = ["xoxb-", "xoxe", "xoxp-", "xapp-", "sk-"];

/// Whether a token stands in place of a path.
fn is_token(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    TOKENS.iter().any(|begin| name.starts_with(begin))
}

/// Characters of a word without `_` but with digits that is taken for a key rather than a name.
const KEY_MIN: usize = 20;

/// Whether this is like the name of a variable. Keys in hexadecimal digits could be names as well, but nobody would choose
/// such ones.
fn is_variable(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_word = name.starts_with(|c: char| !c.is_ascii_digit()) && name.chars().all(is_part);
    let is_key =
        name.len() >= KEY_MIN && !name.contains('_') && name.contains(|c: char| c.is_ascii_digit());
    is_word && !is_key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_in_place_of_a_name_is_not_shown() {
        for name in ["SLACK_BOT_TOKEN", "TOKEN2", "_x", "OPENROUTER_KEY_OF_2026"] {
            assert!(is_variable(name), "{name}");
        }
        for secret in [
            "xoxb-1-2-abc",
            "8f742231b10e8888abcd99",
            "a8f742231b10e8888abcd99",
            "postgres://u:p@h/d",
        ] {
            let read = read(("a_env", "a_file"), Some(secret), None, &Environment::default());
            let unread = read.unwrap_err();
            let told = format!("{} {:?}", unread.message, unread.hint);
            assert!(told.contains("the secret itself"), "{told}");
            assert!(!told.contains(secret), "{told}");
        }
        let file = Some(Path::new("conf/xoxb-1-2-abc"));
        let unread = read(("a_env", "a_file"), None, file, &Environment::default()).unwrap_err();
        assert!(!unread.message.contains("abc"), "{}", unread.message);
    }
}
