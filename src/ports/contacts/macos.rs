//! The Contacts application of a Mac, for the one person it belongs to.
//!
//! Two ways lead there and both end in a [`Raw`] card: the Contacts framework (`native`, compiled on a Mac alone)
//! and a script for `osascript` ([`osascript`]). What does not need a Mac — labels, error codes, what people are
//! told — stands here, so that it is tested everywhere.

#[cfg(target_os = "macos")]
mod native;
pub mod osascript;

use async_trait::async_trait;
use serde::Deserialize;

use self::osascript::Osascript;
use super::{ContactSource, Fetched, Wanted, is_named, plain_label};
use crate::model::{
    contact::{Contact, Labelled, Name},
    session::PersonId,
};

/// Contacts on the host. Its "me" card is the host owner's, so nobody else is ever given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacContacts {
    owner: PersonId,
    way: Way,
    launcher: Option<String>,
}

/// How Contacts is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// Through the framework; by script where that breaks. A denial is an answer, so it is not gone around.
    Best(Osascript),
    /// Through the framework alone.
    Framework,
    /// By script alone, which asks for another permission and opens the application.
    Script(Osascript),
}

/// A card as the system gives it: labels and addresses in its own form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Raw {
    given: String,
    family: String,
    email: Vec<RawValue>,
    phone: Vec<RawValue>,
    address: Vec<RawAddress>,
    organization: String,
    job_title: String,
}

/// A value and its label, `_$!<Work>!$_` or the person's own word.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct RawValue {
    label: Option<String>,
    value: String,
}

/// An address in its parts: street, city, state, postal code, country.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct RawAddress {
    label: Option<String>,
    parts: Vec<String>,
}

/// Why there is no card.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Refusal {
    /// Somebody said no.
    Denied(Permission),
    /// Nobody may say yes: a profile of the organisation or parental controls forbid it.
    Restricted,
    /// Nobody answered the system's question.
    Unanswered,
    /// There is no such card.
    NoCard,
    /// The way there does not work.
    Broken(String),
}

/// What the system asks the owner for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Permission {
    /// Reading Contacts.
    Contacts,
    /// Steering the Contacts application.
    Automation,
}

impl MacContacts {
    /// The host's Contacts, for its owner on a chat platform. `launcher` is the app that this program was started
    /// from, where that is known: the permission is that app's.
    pub const fn new(owner: PersonId, way: Way, launcher: Option<String>) -> Self {
        Self { owner, way, launcher }
    }

    async fn look_up(&self, specific: Option<&str>) -> Result<Contact, Refusal> {
        match &self.way {
            Way::Framework => by_framework(specific).await,
            Way::Script(script) => script.look_up(specific).await,
            Way::Best(script) => match by_framework(specific).await {
                Err(Refusal::Broken(why)) if cfg!(target_os = "macos") => {
                    tracing::warn!(why, "the Contacts framework does not work; osascript is asked");
                    script.look_up(specific).await
                }
                other => other,
            },
        }
    }

    fn told(&self, refusal: Refusal) -> Fetched {
        let app = self.launcher.as_ref().map_or_else(
            || "the app that launched it (Terminal, if it was started there)".to_owned(),
            |launcher| format!("the app that launched it, `{launcher}`"),
        );
        let reason = match refusal {
            Refusal::Denied(Permission::Contacts) => format!(
                "macOS denies access to Contacts; the permission is that of {app}. hint: allow that app under System \
                 Settings › Privacy & Security › Contacts; where it is not listed, run `tccutil reset AddressBook` \
                 and start the bot from it again"
            ),
            Refusal::Denied(Permission::Automation) => format!(
                "macOS denies steering Contacts; the permission is that of {app}. hint: allow Contacts for that app \
                 under System Settings › Privacy & Security › Automation"
            ),
            Refusal::Unanswered => format!(
                "nobody answered when macOS asked for access to Contacts; the permission is that of {app}. hint: \
                 start the bot once from Terminal, outside tmux and launchd, and answer there"
            ),
            Refusal::Restricted => {
                return Fetched::PermissionDenied {
                    reason: "this computer's management does not let any app read Contacts"
                        .to_owned(),
                };
            }
            Refusal::NoCard => {
                return Fetched::not_found(
                    "Contacts has no such card. hint: choose your own under Card › Make This My Card",
                );
            }
            Refusal::Broken(why) => return Fetched::not_found(why),
        };
        Fetched::PermissionDenied { reason }
    }
}

#[async_trait]
impl ContactSource for MacContacts {
    fn name(&self) -> &'static str {
        "macos"
    }

    fn serves(&self, person: &PersonId) -> bool {
        *person == self.owner
    }

    async fn fetch(&self, wanted: &Wanted) -> Fetched {
        if wanted.person != self.owner {
            return Fetched::not_found("this computer's Contacts are only for its owner");
        }
        match self.look_up(wanted.specific.as_deref()).await {
            Ok(card) => Fetched::Card(Box::new(card)),
            Err(refusal) => self.told(refusal),
        }
    }
}

#[cfg(target_os = "macos")]
async fn by_framework(specific: Option<&str>) -> Result<Contact, Refusal> {
    let name = specific.map(str::to_owned);
    // The framework blocks, and so would whatever else shares the thread.
    let found = tokio::task::spawn_blocking(move || native::look_up(name.as_deref())).await;
    let found =
        found.map_err(|_| Refusal::Broken("the Contacts framework failed".to_owned()))??;
    chosen(found, specific)
}

#[cfg(not(target_os = "macos"))]
#[expect(clippy::unused_async, reason = "it waits on a Mac")]
async fn by_framework(_specific: Option<&str>) -> Result<Contact, Refusal> {
    let why = "Contacts is an application of macOS, and this is another system";
    Err(Refusal::Broken(why.to_owned()))
}

/// The card that is meant: the only one there is, or the one of the name that was given.
fn chosen(found: Vec<Raw>, specific: Option<&str>) -> Result<Contact, Refusal> {
    let mut cards = found.into_iter().map(Raw::contact);
    let card = match specific {
        None => cards.next(),
        Some(name) => cards.find(|card| is_named(card, name)),
    };
    card.ok_or(Refusal::NoCard)
}

impl Raw {
    fn contact(self) -> Contact {
        let text = |text: String| Some(line(&text)).filter(|text| !text.is_empty());
        Contact {
            name: Name { given: line(&self.given), family: line(&self.family) },
            email: labelled(self.email),
            phone: labelled(self.phone),
            address: labelled(self.address.into_iter().map(RawAddress::in_one_line)),
            url: Vec::new(),
            organization: text(self.organization),
            job_title: text(self.job_title),
            time_zone: None,
        }
    }
}

impl RawAddress {
    fn in_one_line(self) -> RawValue {
        let lines = self.parts.iter().flat_map(|part| part.lines()).map(line);
        let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
        RawValue { label: self.label, value: lines.join(", ") }
    }
}

fn labelled(values: impl IntoIterator<Item = RawValue>) -> Vec<Labelled> {
    values
        .into_iter()
        .map(|raw| Labelled { label: label(raw.label.as_deref()), value: line(&raw.value) })
        .filter(|value| !value.value.is_empty())
        .collect()
}

/// One line without needless space.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The word for a label of the system's, as the other sources have it.
fn label(raw: Option<&str>) -> String {
    let plain = plain_label(raw.unwrap_or_default());
    match plain.as_str() {
        "" => "other".to_owned(),
        "iphone" | "apple watch" => "mobile".to_owned(),
        "homefax" | "workfax" | "otherfax" => "fax".to_owned(),
        _ => plain,
    }
}

/// What an authorisation status means (`CNAuthorizationStatus`); `None` yet: the owner must be asked.
#[cfg_attr(not(any(target_os = "macos", test)), expect(dead_code, reason = "read on a Mac"))]
fn permitted(status: isize) -> Option<Result<(), Refusal>> {
    match status {
        0 => None,
        1 => Some(Err(Refusal::Restricted)),
        2 => Some(Err(Refusal::Denied(Permission::Contacts))),
        // Authorised; limited to some cards, of which an absent one is simply not found.
        3 | 4 => Some(Ok(())),
        other => Some(Err(Refusal::Broken(format!("macOS answers with access status `{other}`")))),
    }
}

/// What an error of the framework means.
#[cfg_attr(not(any(target_os = "macos", test)), expect(dead_code, reason = "read on a Mac"))]
fn refusal(domain: &str, code: isize) -> Refusal {
    match (domain, code) {
        ("CNErrorDomain", 100) => Refusal::Denied(Permission::Contacts),
        // "Record does not exist": nobody has chosen a card of their own.
        ("CNErrorDomain", 200) => Refusal::NoCard,
        _ => Refusal::Broken(format!("Contacts cannot be read: `{domain}` {code}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_lose_the_marks_of_the_system() {
        let said = |raw| label(Some(raw));
        assert_eq!(said("_$!<Work>!$_"), "work");
        assert_eq!(said("iPhone"), "mobile");
        assert_eq!(said("_$!<WorkFAX>!$_"), "fax");
        assert_eq!(said("Night School"), "night school");
        assert_eq!(said("_$!<>!$_"), "other");
        assert_eq!(label(None), "other");
    }

    #[test]
    fn an_address_is_one_line_and_what_is_empty_is_left_out() {
        let parts = ["12 St James's Square\nFloor 2", "London", "", " SW1Y 4JH ", "United Kingdom"];
        let address = RawAddress { label: None, parts: parts.map(str::to_owned).to_vec() };
        let raw = Raw {
            address: vec![address, RawAddress::default()],
            organization: "  ".to_owned(),
            ..Raw::default()
        };
        let contact = raw.contact();
        assert_eq!(contact.address.len(), 1);
        assert_eq!(
            contact.address[0].value,
            "12 St James's Square, Floor 2, London, SW1Y 4JH, United Kingdom"
        );
        assert_eq!(contact.organization, None);
    }

    #[test]
    fn every_state_of_the_permission_has_its_meaning() {
        assert_eq!(permitted(0), None);
        assert_eq!(permitted(1), Some(Err(Refusal::Restricted)));
        assert_eq!(permitted(2), Some(Err(Refusal::Denied(Permission::Contacts))));
        assert_eq!(permitted(3), Some(Ok(())));
        assert_eq!(permitted(4), Some(Ok(())));
        assert!(matches!(permitted(9), Some(Err(Refusal::Broken(_)))));
    }

    #[test]
    fn errors_of_the_framework_have_their_meaning() {
        assert_eq!(refusal("CNErrorDomain", 100), Refusal::Denied(Permission::Contacts));
        assert_eq!(refusal("CNErrorDomain", 200), Refusal::NoCard);
        assert_eq!(
            refusal("NSCocoaErrorDomain", 4099),
            Refusal::Broken("Contacts cannot be read: `NSCocoaErrorDomain` 4099".to_owned())
        );
    }

    #[test]
    fn a_denial_names_the_app_that_launched_the_bot() {
        let told = |launcher: Option<&str>, refusal| {
            let launcher = launcher.map(str::to_owned);
            let source = MacContacts::new(PersonId::web("ada"), Way::Framework, launcher);
            match source.told(refusal) {
                Fetched::PermissionDenied { reason } => format!("denied: {reason}"),
                Fetched::NotFound { reason } => format!("not found: {reason}"),
                Fetched::Card(_) => String::new(),
            }
        };
        insta::assert_snapshot!(told(Some("iTerm.app"), Refusal::Denied(Permission::Contacts)), @"denied: macOS denies access to Contacts; the permission is that of the app that launched it, `iTerm.app`. hint: allow that app under System Settings › Privacy & Security › Contacts; where it is not listed, run `tccutil reset AddressBook` and start the bot from it again");
        insta::assert_snapshot!(told(None, Refusal::Denied(Permission::Automation)), @"denied: macOS denies steering Contacts; the permission is that of the app that launched it (Terminal, if it was started there). hint: allow Contacts for that app under System Settings › Privacy & Security › Automation");
        insta::assert_snapshot!(told(None, Refusal::Unanswered), @"denied: nobody answered when macOS asked for access to Contacts; the permission is that of the app that launched it (Terminal, if it was started there). hint: start the bot once from Terminal, outside tmux and launchd, and answer there");
        insta::assert_snapshot!(told(None, Refusal::Restricted), @"denied: this computer's management does not let any app read Contacts");
        insta::assert_snapshot!(told(None, Refusal::NoCard), @"not found: Contacts has no such card. hint: choose your own under Card › Make This My Card");
    }

    #[test]
    fn of_several_cards_the_one_of_that_name_is_meant() {
        let card = |given: &str| Raw {
            given: given.to_owned(),
            family: "Byron".to_owned(),
            ..Raw::default()
        };
        let found = || vec![card("Augusta"), card("Ada")];
        assert_eq!(chosen(found(), Some("ada byron")).unwrap().name.given, "Ada");
        assert_eq!(chosen(found(), Some("Charles")), Err(Refusal::NoCard));
        assert_eq!(chosen(Vec::new(), None), Err(Refusal::NoCard));
    }
}
