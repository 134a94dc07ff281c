//! Name, headline and addresses: the `basics` of JSON Resume.

mod found;

use serde_json::{Map, Value, json};

use super::{
    Confidence, Findings, dates,
    lines::{Line, fields},
    place::{self, Place},
    sections::{Part, Section},
    words,
};

use found::{address, phone, web};

/// What the head of the résumé says of the person.
pub(super) fn basics(parts: &[Part], findings: &mut Findings) -> Value {
    let head: Vec<&Line> = lines_of(parts, |section| section == Section::Contact);
    // In running text, or further down, an address may be somebody else's.
    let (prose, plain): (Vec<&Line>, Vec<&Line>) = head.iter().partition(|line| line.is_prose());
    let below = lines_of(parts, |s| !matches!(s, Section::Contact | Section::References));
    let rest: Vec<&Line> = prose.into_iter().chain(below).collect();
    let mut basics = Map::new();
    let named = name(&head, findings);
    if let Some((name, position)) = &named {
        basics.insert("name".to_owned(), json!(name));
        if let Some(label) = label(&head, *position, name) {
            basics.insert("label".to_owned(), json!(label));
            findings.sure("basics.label", Confidence::Medium);
        }
    } else {
        findings.issue("no name was found");
    }
    for (key, words, look) in [
        ("email", "e-mail address", address as fn(&str) -> Option<String>),
        ("phone", "telephone number", phone),
    ] {
        let path = format!("basics.{key}");
        let (value, sure) = match first(&plain, look) {
            Some(value) => (Some(value), Confidence::High),
            None => (first(&rest, look), Confidence::Low),
        };
        match value {
            Some(value) => {
                basics.insert(key.to_owned(), json!(value));
                findings.sure(&path, sure);
            }
            None => findings.issue(&format!("no {words} was found")),
        }
    }
    pages(&head, &mut basics, findings);
    location(&head, &mut basics, findings);
    Value::Object(basics)
}

fn lines_of(parts: &[Part], wanted: impl Fn(Section) -> bool) -> Vec<&Line> {
    parts.iter().filter(|part| wanted(part.section)).flat_map(|part| &part.lines).collect()
}

fn first(lines: &[&Line], look: fn(&str) -> Option<String>) -> Option<String> {
    lines.iter().flat_map(|line| slashed(line)).find_map(look)
}

/// The fields of a line of addresses, which slashes may part too.
fn slashed(line: &Line) -> Vec<&str> {
    line.fields().into_iter().flat_map(|field| field.split(" / ")).map(str::trim).collect()
}

/// Lines from the top among which the name is looked for.
const NAME_LINES: usize = 8;

/// The name and the line it stands in: `Name: …`, or the first line that can be a name.
fn name(head: &[&Line], findings: &mut Findings) -> Option<(String, usize)> {
    let top = head.iter().take(NAME_LINES).enumerate();
    let labelled = top.clone().find_map(|(position, line)| {
        let (label, value) = line.text.split_once(':')?;
        let is_label = matches!(label.trim().to_lowercase().as_str(), "name" | "full name");
        is_label.then(|| (value.trim().to_owned(), position))
    });
    let (written, position) = match labelled {
        Some(found) => found,
        None => top
            .filter(|(_, line)| !line.bullet)
            .find_map(|(position, line)| Some((name_in(&line.text)?, position)))?,
    };
    let shouted =
        !written.chars().any(char::is_lowercase) && written.chars().any(char::is_uppercase);
    let sure = if position < 2 && !shouted { Confidence::High } else { Confidence::Medium };
    findings.sure("basics.name", sure);
    Some((if shouted { calm(&written) } else { written }, position))
}

/// A name at the beginning of a line, before a title or an address.
fn name_in(line: &str) -> Option<String> {
    let line = ["curriculum vitae", "resume", "résumé", "cv"].iter().fold(line, |line, word| {
        let starts = line.get(..word.len()).is_some_and(|start| start.to_lowercase() == **word);
        let rest = if starts { &line[word.len()..] } else { line };
        rest.trim_start_matches([' ', '-', '–', '—', ':', '|', ','])
    });
    let line = line.strip_prefix("of ").unwrap_or(line);
    let first = fields(line).into_iter().next()?;
    let first = first.split([',', '(', '|']).next().unwrap_or(first);
    let first =
        first.split(" – ").next().unwrap_or(first).split(" - ").next().unwrap_or(first).trim();
    let words: Vec<&str> = first.split_whitespace().collect();
    let letters = first.chars().all(|c| c.is_alphabetic() || " .'’-".contains(c));
    let capitals = words
        .iter()
        .filter(|word| !PARTICLES.contains(&word.to_lowercase().as_str()))
        .all(|word| word.chars().next().is_some_and(|c| !c.is_lowercase()));
    let other = words::is_position(first)
        || words::is_organisation(first)
        || place::is_place(first)
        || dates::find(first).is_some();
    let fits = (2..=5).contains(&words.len()) && letters && capitals && !other;
    fits.then(|| words.join(" "))
}

const PARTICLES: [&str; 16] = [
    "al", "bin", "da", "de", "del", "della", "den", "der", "di", "dos", "el", "la", "le", "ten",
    "van", "von",
];

/// `ADA BYRON-LOVELACE` in ordinary letters.
fn calm(name: &str) -> String {
    let mut at_start = true;
    let mut calmed = String::new();
    for c in name.chars() {
        if at_start {
            calmed.push(c);
        } else {
            calmed.extend(c.to_lowercase());
        }
        at_start = !c.is_alphabetic();
    }
    calmed
}

/// The position that stands with the name or right under it.
fn label(head: &[&Line], position: usize, name: &str) -> Option<String> {
    let beside = head.get(position)?.text.to_lowercase().find(&name.to_lowercase());
    let beside =
        beside.and_then(|at| head[position].text.get(at + name.len()..)).unwrap_or_default();
    let below = head.get(position + 1).map(|line| line.text.as_str()).unwrap_or_default();
    let other =
        |text: &&str| !text.contains('@') && address(text).is_none() && web(text).is_empty();
    [beside, below]
        .into_iter()
        .flat_map(fields)
        .map(|field| field.trim_matches([' ', ',', '-', '–', '—', '(', ')']))
        .filter(other)
        .find(|field| {
            words::is_position(field)
                && field.split_whitespace().count() <= 8
                && !field.ends_with('.')
                && dates::find(field).is_none()
        })
        .map(str::to_owned)
}

/// Profiles on known networks, and the first other page.
fn pages(head: &[&Line], basics: &mut Map<String, Value>, findings: &mut Findings) {
    let mut profiles: Vec<Value> = Vec::new();
    for page in head.iter().flat_map(|line| web(&line.text)) {
        match page.profile {
            Some((network, username)) => {
                let profile = json!({ "network": network, "username": username, "url": page.url });
                if !profiles.contains(&profile) {
                    profiles.push(profile);
                }
            }
            None if !basics.contains_key("url") => {
                basics.insert("url".to_owned(), json!(page.url));
                findings.sure("basics.url", Confidence::High);
            }
            None => {}
        }
    }
    if !profiles.is_empty() {
        basics.insert("profiles".to_owned(), json!(profiles));
        findings.sure("basics.profiles", Confidence::High);
    }
}

fn location(head: &[&Line], basics: &mut Map<String, Value>, findings: &mut Findings) {
    let labelled = head.iter().flat_map(|line| slashed(line)).find_map(|field| {
        let (label, value) = field.split_once(':')?;
        let is_label = matches!(
            label.trim().to_lowercase().as_str(),
            "location" | "address" | "city" | "based in" | "lives in" | "residence"
        );
        is_label.then(|| place::labelled(value.trim()))
    });
    let plain = || head.iter().flat_map(|line| slashed(line)).find_map(place::place);
    // `Ada Byron, London`: who stands beside the name is not asked; a place beside an address is.
    let beside = || {
        let with_address =
            |line: &&&Line| line.fields().iter().any(|field| address(field).is_some());
        head.iter().find(with_address).and_then(|line| {
            let fields = slashed(line);
            fields.into_iter().find(|field| is_city(field)).map(place::labelled)
        })
    };
    let (place, sure) = match labelled.or_else(plain) {
        Some(place) => (Some(place), Confidence::High),
        None => (beside(), Confidence::Low),
    };
    let Some(Place { city, region, country_code }) = place else { return };
    let mut location = Map::new();
    for (key, value) in
        [("city", city), ("region", region), ("countryCode", country_code.map(str::to_owned))]
    {
        if let Some(value) = value {
            location.insert(key.to_owned(), json!(value));
        }
    }
    if !location.is_empty() {
        basics.insert("location".to_owned(), Value::Object(location));
        findings.sure("basics.location", sure);
    }
}

/// One or two capitalised words and nothing else.
fn is_city(field: &str) -> bool {
    let words: Vec<&str> = field.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    (1..=3).contains(&words.len())
        && field.chars().all(|c| c.is_alphabetic() || " ,.'-".contains(c))
        && words.iter().all(|word| word.chars().next().is_some_and(char::is_uppercase))
        && !words::is_position(field)
        && !words::is_organisation(field)
}
