//! Where contact data comes from, as the configuration says.

use crate::{
    config::{
        ContactSource, MacosVia,
        settings::{self, Macos},
    },
    ports::contacts::{
        self, Contacts,
        macos::{MacContacts, Way, osascript::Osascript},
        profile::Profile,
    },
};

/// The contact sources; `profile` asks the platforms that are connected.
pub(super) fn open(wanted: &settings::Contacts, profile: &Profile) -> anyhow::Result<Contacts> {
    let mut sources: Vec<Box<dyn contacts::ContactSource>> = Vec::new();
    for source in &wanted.sources {
        match source {
            ContactSource::Profile => sources.push(Box::new(profile.clone())),
            ContactSource::Vcard => {
                // A card of the host's own person is given to nobody else.
                let own = wanted.vcard.clone().zip(wanted.macos.clone());
                let own =
                    own.map(|(path, Macos { owner, .. })| contacts::vcard::OwnFile { path, owner });
                sources.push(Box::new(contacts::vcard::VCards::new(own)));
            }
            ContactSource::Macos => {
                if let Some(macos) = &wanted.macos {
                    let way = match macos.via {
                        MacosVia::Auto => Way::Best(Osascript::default()),
                        MacosVia::Contacts => Way::Framework,
                        MacosVia::Osascript => Way::Script(Osascript::default()),
                    };
                    let (owner, launcher) = (macos.owner.clone(), macos.launcher.clone());
                    sources.push(Box::new(MacContacts::new(owner, way, launcher)));
                }
            }
            ContactSource::Directory => {
                if let Some(path) = &wanted.directory {
                    sources.push(Box::new(contacts::directory::Directory::open(path)?));
                }
            }
        }
    }
    Ok(Contacts::new(sources))
}
