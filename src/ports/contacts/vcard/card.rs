//! From the lines of a vCard to a [`Contact`].

use calcard::{
    Entry, Parser,
    common::{IanaString as _, IanaType},
    vcard::{
        VCard, VCardEntry, VCardParameterName, VCardParameterValue, VCardProperty, VCardType,
        VCardValue,
    },
};

use crate::{
    model::contact::{Contact, Labelled, Name},
    ports::contacts::{name_of, plain_label},
};

/// Largest file that is looked at, in bytes; photos make cards big.
const FILE_MAX: usize = 4 * 1024 * 1024;

/// Most cards that are taken from one file.
const CARDS_MAX: usize = 1_000;

/// Most values of one kind on a card.
const VALUES_MAX: usize = 10;

/// Longest value, in characters.
const VALUE_MAX: usize = 300;

/// Reads the cards of a file; what is broken is passed over, and photos are ignored.
pub fn read(file: &[u8]) -> Vec<Contact> {
    let file = file.get(..FILE_MAX).unwrap_or(file);
    let text = decode(file);
    let mut parser = Parser::new(&text);
    let mut contacts = Vec::new();
    while contacts.len() < CARDS_MAX {
        match parser.entry() {
            Entry::VCard(card) => contacts.extend(contact(&card)),
            Entry::Eof => break,
            _ => {}
        }
    }
    contacts
}

/// Old cards without a marked charset are Latin-1.
fn decode(file: &[u8]) -> String {
    let units = |unit: fn([u8; 2]) -> u16| -> Vec<u16> {
        file[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect()
    };
    match file {
        [0xff, 0xfe, ..] => String::from_utf16_lossy(&units(u16::from_le_bytes)),
        [0xfe, 0xff, ..] => String::from_utf16_lossy(&units(u16::from_be_bytes)),
        _ => match str::from_utf8(file) {
            Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
            Err(_) => file.iter().map(|byte| char::from(*byte)).collect(),
        },
    }
}

/// A card with at least a name or an address; `None` otherwise.
fn contact(card: &VCard) -> Option<Contact> {
    let contact = Contact {
        name: name(card),
        email: values(card, &[VCardProperty::Email]),
        phone: values(card, &[VCardProperty::Tel]),
        address: values(card, &[VCardProperty::Adr]),
        url: values(card, &[VCardProperty::Url, VCardProperty::Socialprofile]),
        organization: first(card, &VCardProperty::Org).and_then(|parts| parts.into_iter().next()),
        job_title: first(card, &VCardProperty::Title)
            .or_else(|| first(card, &VCardProperty::Role))
            .map(|parts| parts.join(", ")),
        time_zone: None,
    };
    let empty = contact.name == Name::default() && contact.email.is_empty();
    (!empty).then_some(contact)
}

/// `N` in its five parts, else `FN` as one text.
fn name(card: &VCard) -> Name {
    let parts = card.property(&VCardProperty::N).map(components).unwrap_or_default();
    let joined = |positions: &[usize]| {
        let words: Vec<&str> = positions
            .iter()
            .filter_map(|position| parts.get(*position))
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        words.join(" ")
    };
    let name = Name { given: joined(&[3, 1, 2]), family: joined(&[0, 4]) };
    if name != Name::default() {
        return name;
    }
    first(card, &VCardProperty::Fn).map(|whole| name_of(&whole.join(" "))).unwrap_or_default()
}

/// All values of some properties, the preferred one first, in the card's order otherwise.
fn values(card: &VCard, properties: &[VCardProperty]) -> Vec<Labelled> {
    let mut found: Vec<(u32, Labelled)> = card
        .entries
        .iter()
        .filter(|entry| properties.contains(&entry.name))
        .filter_map(|entry| {
            let parts: Vec<String> =
                components(entry).into_iter().filter(|part| !part.is_empty()).collect();
            let value = parts.join(", ");
            let value = ["tel:", "mailto:"]
                .iter()
                .fold(value.as_str(), |value, scheme| value.strip_prefix(scheme).unwrap_or(value));
            let value = value.to_owned();
            (!value.is_empty())
                .then(|| (preference(entry), Labelled { label: label(card, entry), value }))
        })
        .take(VALUES_MAX)
        .collect();
    found.sort_by_key(|(preference, _)| *preference);
    found.into_iter().map(|(_, value)| value).collect()
}

fn first(card: &VCard, property: &VCardProperty) -> Option<Vec<String>> {
    let parts = components(card.property(property)?);
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then_some(parts)
}

/// The texts of a value in their positions; several texts in one position are parted by spaces.
fn components(entry: &VCardEntry) -> Vec<String> {
    entry
        .values
        .iter()
        .filter_map(|value| match value {
            VCardValue::Text(text) => Some(clean(text)),
            VCardValue::Component(texts) => Some(clean(&texts.join(" "))),
            VCardValue::Integer(number) => Some(number.to_string()),
            VCardValue::Float(number) => Some(number.to_string()),
            VCardValue::Boolean(_)
            | VCardValue::PartialDateTime(_)
            | VCardValue::Binary(_)
            | VCardValue::Sex(_)
            | VCardValue::GramGender(_)
            | VCardValue::Kind(_) => None,
        })
        .collect()
}

/// One line, no control characters, not endless.
fn clean(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(VALUE_MAX).collect()
}

/// Lower is better: `PREF=1`, then `TYPE=pref`, then the rest.
fn preference(entry: &VCardEntry) -> u32 {
    let said = entry.parameters(&VCardParameterName::Pref).find_map(|value| match value {
        VCardParameterValue::Integer(rank) => Some(*rank),
        value => value.as_text()?.parse().ok(),
    });
    let typed = types(entry).iter().any(|kind| kind == "pref");
    said.unwrap_or(if typed { 1 } else { u32::MAX })
}

/// What the person calls it (`X-ABLabel` of the same group), else its type, else `other`.
fn label(card: &VCard, entry: &VCardEntry) -> String {
    let own = entry.group.as_ref().and_then(|group| {
        card.entries.iter().find_map(|other| {
            let is_label = matches!(&other.name, VCardProperty::Other(name) if name.eq_ignore_ascii_case("X-ABLABEL"));
            let same = other.group.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(group));
            (is_label && same).then(|| components(other).join(" "))
        })
    });
    if let Some(own) = own {
        let plain = plain_label(&own);
        if !plain.is_empty() {
            return plain;
        }
    }
    let types = types(entry);
    ["cell", "iphone", "fax", "pager", "work", "home", "main-number"]
        .into_iter()
        .find(|kind| types.iter().any(|other| other == kind))
        .map_or("other", |kind| match kind {
            "cell" | "iphone" => "mobile",
            "main-number" => "main",
            kind => kind,
        })
        .to_owned()
}

fn types(entry: &VCardEntry) -> Vec<String> {
    entry
        .parameters(&VCardParameterName::Type)
        .filter_map(VCardParameterValue::as_type)
        .map(|kind: IanaType<&VCardType, &str>| match kind {
            IanaType::Iana(kind) => kind.as_str().to_lowercase(),
            IanaType::Other(kind) => kind.to_lowercase(),
        })
        .collect()
}
