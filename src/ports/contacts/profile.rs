//! What the platform itself says of the participant, and of nobody else.

use std::{collections::BTreeMap, fmt, sync::Arc};

use async_trait::async_trait;

use crate::model::{
    contact::Contact,
    session::{PersonId, Platform},
};

use super::{ContactSource, Fetched, Wanted, name_of};

/// The profiles of one platform; its gateway knows them.
#[async_trait]
pub trait Profiles: fmt::Debug + Send + Sync {
    /// What somebody has written into their own profile. Reads only; bounded in time by the caller.
    async fn profile(&self, person: &PersonId) -> Fetched;
}

/// The profile on the chat platform; on the web, the name that was given at the start.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    platforms: BTreeMap<Platform, Arc<dyn Profiles>>,
}

impl Profile {
    /// Asks a platform for the profiles of its people.
    #[must_use]
    pub fn asking(mut self, platform: Platform, profiles: Arc<dyn Profiles>) -> Self {
        self.platforms.insert(platform, profiles);
        self
    }
}

#[async_trait]
impl ContactSource for Profile {
    fn name(&self) -> &'static str {
        "profile"
    }

    fn serves(&self, person: &PersonId) -> bool {
        self.platforms.contains_key(&person.platform)
    }

    async fn fetch(&self, wanted: &Wanted) -> Fetched {
        if wanted.specific.is_some() {
            return Fetched::not_found("a profile is only its owner's");
        }
        if let Some(profiles) = self.platforms.get(&wanted.person.platform) {
            let fetched = profiles.profile(&wanted.person).await;
            if matches!(fetched, Fetched::Card(_)) {
                return fetched;
            }
        }
        match wanted.display_name.as_deref().map(str::trim) {
            Some(name) if !name.is_empty() => {
                Fetched::Card(Box::new(Contact { name: name_of(name), ..Contact::default() }))
            }
            _ => Fetched::not_found("the profile has no name"),
        }
    }
}
