//! What the platform itself says of the participant: a display name, no more.

use async_trait::async_trait;

use crate::model::contact::Contact;

use super::{ContactSource, Fetched, Wanted, name_of};

/// The profile on the chat platform; on the web, the name that was given at the start.
#[derive(Debug, Clone, Copy, Default)]
pub struct Profile;

#[async_trait]
impl ContactSource for Profile {
    fn name(&self) -> &'static str {
        "profile"
    }

    async fn fetch(&self, wanted: &Wanted) -> Fetched {
        if wanted.specific.is_some() {
            return Fetched::not_found("a profile is only its owner's");
        }
        match wanted.display_name.as_deref().map(str::trim) {
            Some(name) if !name.is_empty() => {
                Fetched::Card(Box::new(Contact { name: name_of(name), ..Contact::default() }))
            }
            _ => Fetched::not_found("the profile has no name"),
        }
    }
}
