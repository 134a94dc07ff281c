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

    /// The same for code that takes `secrecy`'s type.
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
pub(super) struct Unread {
    pub(super) key: &'static str,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

/// Reads a secret that is named by a pair of keys; none where neither is written.
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
            Err(error) => Err(Unread {
                key: keys.1,
                message: format!("could not read `{}`: {error}", path.display()),
                hint: None,
            }),
        },
    }
}
