//! The Contacts framework. The one place of this program that talks to Objective-C.
//!
//! Every key that is read is asked for, since reading a property that was not asked for raises an
//! exception that nothing here can catch.
#![expect(
    unsafe_code,
    reason = "Objective-C methods have no safe form; each call says why it is sound"
)]

use std::{sync::mpsc, time::Duration};

use block2::RcBlock;
use objc2::{
    Message,
    rc::Retained,
    runtime::{Bool, ProtocolObject},
};
use objc2_contacts::{
    CNContact, CNContactEmailAddressesKey, CNContactFamilyNameKey, CNContactGivenNameKey,
    CNContactImageDataKey, CNContactJobTitleKey, CNContactOrganizationNameKey,
    CNContactPhoneNumbersKey, CNContactPostalAddressesKey, CNContactStore, CNEntityType,
    CNKeyDescriptor, CNLabeledValue, CNPostalAddress,
};
use objc2_foundation::{NSArray, NSCopying, NSError, NSSecureCoding, NSString};

use super::{Permission, Raw, RawAddress, RawValue, Refusal, permitted, refusal};

/// Longest wait for somebody to answer the system's question; a bot that runs in the background is never answered.
const ANSWER_MAX: Duration = Duration::from_secs(20);

type Keys = NSArray<ProtocolObject<dyn CNKeyDescriptor>>;

/// The owner's own card, or the cards that have a name or an e-mail address. Blocks; asks for access first.
pub(super) fn look_up(specific: Option<&str>) -> Result<Vec<Raw>, Refusal> {
    // SAFETY: `new` takes nothing, and a store may be used on any one thread.
    let store = unsafe { CNContactStore::new() };
    be_allowed(&store)?;
    let keys = keys();
    let found = match specific {
        None => {
            // SAFETY: the keys are those of a contact; the call only reads.
            let own = unsafe { store.unifiedMeContactWithKeysToFetch_error(&keys) };
            vec![own.map_err(|error| of(&error))?]
        }
        Some(wanted) => matching(&store, &keys, wanted.trim())?,
    };
    Ok(found.iter().map(|contact| raw(contact)).collect())
}

/// Asks for access where nobody has been asked yet, and waits a bounded time for the answer.
fn be_allowed(store: &CNContactStore) -> Result<(), Refusal> {
    // SAFETY: reads a number.
    let status =
        unsafe { CNContactStore::authorizationStatusForEntityType(CNEntityType::Contacts) };
    if let Some(answer) = permitted(status.0) {
        return answer;
    }
    // The handler may be called after the wait is over, and then nobody listens any more.
    let (answer, answered) = mpsc::sync_channel(1);
    let handler = RcBlock::new(move |granted: Bool, error: *mut NSError| {
        // SAFETY: the framework hands either null or an error that lives as long as this call.
        let error = unsafe { error.as_ref() }.map(of);
        let result = match error {
            _ if granted.as_bool() => Ok(()),
            Some(refusal) => Err(refusal),
            None => Err(Refusal::Denied(Permission::Contacts)),
        };
        drop(answer.try_send(result));
    });
    // SAFETY: the block is copied by the framework and owns all that it uses, which may go to another thread.
    unsafe {
        store.requestAccessForEntityType_completionHandler(CNEntityType::Contacts, &handler);
    }
    answered.recv_timeout(ANSWER_MAX).unwrap_or(Err(Refusal::Unanswered))
}

fn matching(
    store: &CNContactStore,
    keys: &Keys,
    wanted: &str,
) -> Result<Vec<Retained<CNContact>>, Refusal> {
    let text = NSString::from_str(wanted);
    // SAFETY: predicates made by `CNContact` are the only ones that the store takes, and these are; the call reads.
    let found = unsafe {
        let predicate = if wanted.contains('@') {
            CNContact::predicateForContactsMatchingEmailAddress(&text)
        } else {
            CNContact::predicateForContactsMatchingName(&text)
        };
        store.unifiedContactsMatchingPredicate_keysToFetch_error(&predicate, keys)
    };
    found.map(|found| found.to_vec()).map_err(|error| of(&error))
}

/// The picture is asked for and never read: nothing here keeps pictures of cards.
fn keys() -> Retained<Keys> {
    // SAFETY: constants of the framework, which is loaded before this program begins.
    let keys = unsafe {
        [
            CNContactGivenNameKey,
            CNContactFamilyNameKey,
            CNContactEmailAddressesKey,
            CNContactPhoneNumbersKey,
            CNContactPostalAddressesKey,
            CNContactOrganizationNameKey,
            CNContactJobTitleKey,
            CNContactImageDataKey,
        ]
    };
    NSArray::from_slice(&keys.map(|key| ProtocolObject::from_ref(key)))
}

/// Reads no property that [`keys`] did not ask for.
fn raw(contact: &CNContact) -> Raw {
    // SAFETY: every property was fetched; all of them only read.
    unsafe {
        Raw {
            given: contact.givenName().to_string(),
            family: contact.familyName().to_string(),
            email: values(&contact.emailAddresses(), |value| value.to_string()),
            phone: values(&contact.phoneNumbers(), |value| value.stringValue().to_string()),
            address: contact
                .postalAddresses()
                .iter()
                .map(|labelled| RawAddress {
                    label: labelled.label().map(|label| label.to_string()),
                    parts: parts(&labelled.value()),
                })
                .collect(),
            organization: contact.organizationName().to_string(),
            job_title: contact.jobTitle().to_string(),
        }
    }
}

fn values<T: Message + NSCopying + NSSecureCoding>(
    values: &NSArray<CNLabeledValue<T>>,
    text: impl Fn(&T) -> String,
) -> Vec<RawValue> {
    let value = |labelled: Retained<CNLabeledValue<T>>| {
        // SAFETY: both only read.
        let (label, value) = unsafe { (labelled.label(), labelled.value()) };
        RawValue { label: label.map(|label| label.to_string()), value: text(&value) }
    };
    values.iter().map(value).collect()
}

fn parts(address: &CNPostalAddress) -> Vec<String> {
    // SAFETY: all of them only read.
    let parts = unsafe {
        [address.street(), address.city(), address.state(), address.postalCode(), address.country()]
    };
    parts.iter().map(ToString::to_string).collect()
}

fn of(error: &NSError) -> Refusal {
    refusal(&error.domain().to_string(), error.code())
}
