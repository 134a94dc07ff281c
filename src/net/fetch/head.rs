//! What a website says about itself before the content: header fields, and the names of its cookies.

use reqwest::header::{HeaderMap, SET_COOKIE};

/// Most fields, and most cookies, that are kept.
const FIELDS_MAX: usize = 64;

/// Longest value that is kept, in bytes; the rest of it is cut off.
const VALUE_MAX: usize = 512;

/// Longest name of a cookie that is kept, in bytes.
const NAME_MAX: usize = 128;

/// The head of an answer, as far as it is text: bounded, and without anything that a cookie holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// Names, in small letters, and values of its fields, but for cookies.
    pub fields: Vec<(String, String)>,
    /// The names of the cookies that it sets.
    pub cookies: Vec<String>,
}

impl Head {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let fields = headers.iter().filter(|(name, _)| **name != SET_COOKIE);
        let fields = fields.filter_map(|(name, value)| {
            let value = value.to_str().ok()?;
            // Visible ASCII by now, so every place is between two characters.
            Some((name.as_str().to_owned(), value[..value.len().min(VALUE_MAX)].to_owned()))
        });
        let cookies = headers.get_all(SET_COOKIE).iter().filter_map(|cookie| {
            let (name, _) = cookie.to_str().ok()?.split_once('=')?;
            let name = name.trim();
            (!name.is_empty() && name.len() <= NAME_MAX).then(|| name.to_owned())
        });
        Self {
            fields: fields.take(FIELDS_MAX).collect(),
            cookies: cookies.take(FIELDS_MAX).collect(),
        }
    }

    /// The values of a field.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let is_it = move |(known, _): &&(String, String)| known == name;
        self.fields.iter().filter(is_it).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cookies_are_kept_and_nothing_that_they_hold() {
        let mut headers = HeaderMap::new();
        headers.insert("server", "nginx".parse().unwrap());
        headers.insert("x-long", "a".repeat(9_000).parse().unwrap());
        headers.insert("x-odd", reqwest::header::HeaderValue::from_bytes(b"\xff").unwrap());
        for cookie in ["session=secret; Path=/", " other =x=y", "=nameless", "none", "b=1"] {
            headers.append(SET_COOKIE, cookie.parse().unwrap());
        }
        let head = Head::of(&headers);
        assert_eq!(head.cookies, ["session", "other", "b"]);
        assert_eq!(head.all("server").collect::<Vec<_>>(), ["nginx"]);
        assert_eq!(head.all("x-long").map(str::len).collect::<Vec<_>>(), [VALUE_MAX]);
        assert!(!format!("{head:?}").contains("secret"));

        let many = (0..999).map(|n| (format!("x-{n}").parse().unwrap(), "1".parse().unwrap()));
        assert_eq!(Head::of(&many.collect()).fields.len(), FIELDS_MAX);
    }
}
