//! `[contacts]`: where contact details come from.

use super::{Resolve, Secrets};
use crate::{
    config::{
        raw::{
            self,
            ContactSource::{Directory, Macos},
        },
        settings,
    },
    model::session::BadPerson,
};

impl Resolve<'_> {
    pub(super) fn contacts(&mut self, written: raw::Contacts) -> settings::Contacts {
        let needs = [
            (Macos, "macos", "owner", written.macos.is_some()),
            (Directory, "directory", "file", written.directory.is_some()),
        ];
        for (source, name, key, is_set) in needs {
            if let Some(index) = written.sources.iter().position(|s| *s == source)
                && !is_set
            {
                let hint = format!("add `{name} = {{ {key} = \"…\" }}` under `[contacts]`");
                let message = format!("the source `{name}` needs its `{key}`");
                self.tell(&format!("/contacts/sources/{index}"), message, Some(hint));
            }
        }
        if let Some(card) = &written.vcard {
            let at = "/contacts/vcard";
            if written.macos.is_none() {
                // A card of the host's own person is given to nobody else.
                let hint = "add `macos = { owner = \"slack:T01/U01\" }` under `[contacts]`; `anteroom contacts whoami` lists \
                            people as `owner` names them";
                self.tell(at, "`vcard` needs to know whose card it is", Some(hint.to_owned()));
            }
            if self.secrets == Secrets::Read && !card.file.is_file() {
                let message = format!("there is no file `{}`", card.file.display());
                self.tell(at, message, Some("check the path".to_owned()));
            }
        }
        let macos = written.macos.and_then(|macos| match macos.owner.parse() {
            Ok(owner) => {
                let launcher = self.environment.launcher().map(str::to_owned);
                Some(settings::Macos { owner, via: macos.via, launcher })
            }
            Err(error) => {
                let error: BadPerson = error;
                self.tell("/contacts/macos/owner", error.to_string(), None);
                None
            }
        });
        settings::Contacts {
            sources: written.sources,
            macos,
            vcard: written.vcard.map(|vcard| vcard.file),
            directory: written.directory.map(|directory| directory.file),
        }
    }
}
