//! `[search]`: the service that searches the web.

use std::time::Duration;

use super::Resolve;
use crate::config::{
    llm,
    search::{Engine, Provider, Search, Searching},
    secret::Secret,
};

/// Where Brave's web search is.
const BRAVE: &str = "https://api.search.brave.com/res/v1";

/// Where Google's models are.
const GEMINI: &str = "https://generativelanguage.googleapis.com/v1beta";

/// Longest time for an answer: a call of a tool ends after 25 seconds, must be able to say why, and may still have to look
/// where sources lead.
const WHOLE_MAX: Duration = Duration::from_secs(22);

impl Resolve<'_> {
    pub(super) fn search(&mut self, written: &Search) -> Option<Searching> {
        let known = match written.provider {
            Provider::Searxng => None,
            Provider::Brave => Some(BRAVE),
            Provider::Gemini => Some(GEMINI),
        };
        let base_url = written.base_url.as_deref().or(known);
        if let Some(address) = base_url {
            self.search_address(address);
        } else {
            let hint = "set `base_url`, for example `\"http://127.0.0.1:8888\"`".to_owned();
            self.tell(
                "/search/provider",
                "this search provider has no default address",
                Some(hint),
            );
        }
        if written.whole.0 > WHOLE_MAX || written.whole.0.is_zero() {
            let hint = Some(format!("use a time between 1s and {}s", WHOLE_MAX.as_secs()));
            self.tell("/search/whole", "this timeout is out of range", hint);
        }
        let language = written.language.as_deref();
        let is_language = |text: &str| {
            (2..=8).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
        };
        if language.is_some_and(|text| !is_language(text)) {
            let hint = Some("for example, `en`, `de` or `pt-BR`".to_owned());
            self.tell("/search/language", "this is not a language code", hint);
        }
        let engine = self.engine(written)?;
        Some(Searching {
            engine,
            base_url: base_url?.trim_end_matches('/').to_owned(),
            language: written.language.clone(),
            connect: written.connect.0,
            whole: written.whole.0,
        })
    }

    fn search_address(&mut self, address: &str) {
        let at = "/search/base_url";
        if llm::holds_secret(address) {
            let hint = "use `key_env` or `key_file` instead".to_owned();
            self.tell(at, "the address contains a key", Some(hint));
        } else if llm::is_bare(address) {
            let message = format!("`{address}` would send queries unencrypted");
            let hint = "use `https://`; plain `http` is only allowed on this machine, as `http://127.0.0.1`";
            self.tell(at, message, Some(hint.to_owned()));
        } else if !llm::is_service_address(address) {
            let hint =
                "use an address that begins with `https://` or `http://127.0.0.1`".to_owned();
            self.tell(at, format!("`{address}` can't be used as a search address"), Some(hint));
        }
    }

    fn engine(&mut self, written: &Search) -> Option<Engine> {
        let key = self.secret(
            "/search",
            ("key_env", "key_file"),
            (written.key_env.as_deref(), written.key_file.as_ref()),
        );
        let sendable = |key: &Secret| key.expose().bytes().all(|byte| byte.is_ascii_graphic());
        if key.as_ref().is_some_and(|key| !sendable(key)) {
            self.tell("/search", "the key contains invalid characters", None);
        }
        if written.provider != Provider::Gemini && written.model.is_some() {
            let hint = "leave it out, or set `provider = \"gemini\"`".to_owned();
            self.tell("/search/model", "this search provider has no model", Some(hint));
        }
        match written.provider {
            Provider::Searxng => Some(Engine::Searxng { key }),
            Provider::Brave => Some(Engine::Brave { key: self.search_key(written, key)? }),
            Provider::Gemini => {
                let is_name = |model: &String| {
                    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
                    !model.is_empty() && model.bytes().all(fits)
                };
                let model = written.model.clone().filter(is_name);
                if model.is_none() {
                    let hint = "set `model` to the provider's name for it".to_owned();
                    self.tell("/search", "this search provider needs a `model`", Some(hint));
                }
                let key = self.search_key(written, key);
                Some(Engine::Gemini { key: key?, model: model? })
            }
        }
    }

    /// A key that must be there; one that is named and cannot be read has been told of already.
    fn search_key(&mut self, written: &Search, key: Option<Secret>) -> Option<Secret> {
        if written.key_env.is_none() && written.key_file.is_none() {
            let hint = "set `key_env` or `key_file`".to_owned();
            self.tell("/search", "this search provider needs a key", Some(hint));
        }
        key
    }
}
