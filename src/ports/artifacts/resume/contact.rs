//! Name, headline and addresses: the `basics` of JSON Resume.

mod blocks;
mod found;
mod mail;
mod name;
mod rows;
mod wrapped;

use serde_json::{Map, Value, json};

use super::{
    Confidence, Findings, countries, dates,
    lines::{Line, fields},
    place::{self, Place},
    sections::Part,
    vocabulary::{Label, Section, folded, vocabulary},
    words,
};

/// The parts, with the contact data that stands in other sections in parts of its own.
pub(super) fn apart(parts: Vec<Part>) -> Vec<Part> {
    rows::profiles_apart(rows::apart(blocks::apart(parts)))
}

use found::{address, dashed, phone, web};

/// What the head of the résumé says of the person.
pub(super) fn basics(parts: &[Part], findings: &mut Findings) -> Value {
    let head: Vec<&Line> = lines_of(parts, |section| section == Section::Contact);
    // In running text, or further down, an address may be somebody else's.
    let (prose, plain): (Vec<&Line>, Vec<&Line>) =
        head.iter().partition(|line| line.is_prose() && line.fields().len() < 3);
    let below = lines_of(parts, |s| !matches!(s, Section::Contact | Section::References));
    let rest: Vec<&Line> = prose.into_iter().chain(below.iter().copied()).collect();
    let mut basics = Map::new();
    let mail = first(&plain, address).or_else(|| first(&rest, address)).unwrap_or_default();
    let named = name::name(&head, &mail, findings);
    if let Some((name, position)) = &named {
        basics.insert("name".to_owned(), json!(name));
        if let Some(label) = label(&head, *position, name) {
            basics.insert("label".to_owned(), json!(label));
            findings.sure("basics.label", Confidence::Medium);
        }
    } else if let Some(name) = name::elsewhere(rest.iter().copied(), &mail) {
        basics.insert("name".to_owned(), json!(name));
        findings.sure("basics.name", Confidence::Medium);
    } else {
        findings.issue("no name was found");
    }
    for (key, words, look) in [
        ("email", "e-mail address", address as fn(&str) -> Option<String>),
        ("phone", "telephone number", phone),
    ] {
        let path = format!("basics.{key}");
        // A number with the code of its country is no other number, such as that of a letter box.
        let whole = all(&plain, look).find(|value| value.starts_with('+'));
        let value = whole.or_else(|| first(&plain, look)).or_else(|| first(&rest, look));
        match value {
            Some(value) => {
                // In running text, or where there are several of them, it may be somebody else's.
                let others = all(&plain, look).chain(all(&rest, look)).any(|other| other != value);
                let in_head = first(&plain, look).is_some();
                let is_cut = is_cut_off(key, &value) || mail::may_be_broken(&value, &head);
                let in_head = in_head && !is_cut;
                let others = others || is_cut;
                let sure = if in_head || !others { Confidence::High } else { Confidence::Low };
                basics.insert(key.to_owned(), json!(value));
                findings.sure(&path, sure);
            }
            None => findings.issue(&format!("no {words} was found")),
        }
    }
    let around = around(&below, &mail);
    let apart =
        addresses(parts).into_iter().chain(around.iter().copied().filter(|line| is_address(line)));
    let lines: Vec<&Line> = head.iter().copied().chain(apart).collect();
    pages(&lines, &mail, &mut basics, findings);
    location(&head, &around, &mut basics, findings);
    doubt_name(&basics, named.map(|(_, position)| position), findings);
    Value::Object(basics)
}

/// Fewest digits of a telephone number with the code of its country.
const DIGITS_MIN: usize = 9;

/// Whether a telephone number lacks its end, as it may where it goes on in the next line, or is a postcode.
fn is_cut_off(key: &str, value: &str) -> bool {
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let is_short = value.starts_with(['+', '0']) && digits < DIGITS_MIN;
    key == "phone" && (is_short || place::is_postcode(value))
}

/// Lines between an address of mail and the street above it, and further ones below.
const AROUND: usize = 5;

/// The short lines around the person's e-mail address, where it stands in no section for it.
fn around<'l>(below: &[&'l Line], mail: &str) -> Vec<&'l Line> {
    let at = below.iter().position(|line| !mail.is_empty() && line.text.contains(mail));
    let Some(at) = at else { return Vec::new() };
    let near = &below[at.saturating_sub(AROUND)..(at + AROUND).min(below.len())];
    let is_short = |line: &&&Line| {
        !line.bullet && !line.text.contains('\t') && (is_address(line) || !line.is_prose())
    };
    near.iter().filter(is_short).copied().collect()
}

/// Addresses under a heading that no table has: lines that are nothing else, in a section with several of them.
fn addresses(parts: &[Part]) -> Vec<&Line> {
    let apart = |part: &&Part| matches!(part.section, Section::Unknown | Section::Other);
    let several = parts.iter().filter(apart).map(|part| {
        let found = part.lines.iter().filter(|line| is_address(line));
        // `Links` above a single one.
        let is_all = found.clone().count() == part.lines.len();
        (found, is_all)
    });
    several
        .filter(|(lines, is_all)| *is_all || lines.clone().count() > 1)
        .flat_map(|(lines, _)| lines)
        .collect()
}

/// Whether a line holds an address and hardly anything else.
fn is_address(line: &Line) -> bool {
    line.text.split_whitespace().count() <= 4
        && (address(&line.text).is_some()
            || phone(&line.text).is_some()
            || !web(&line.text, "").is_empty())
}

/// A name that does not stand first is doubtful, unless the e-mail address has a part of it; and so is one that begins or
/// ends in a country or the person's town.
fn doubt_name(basics: &Map<String, Value>, position: Option<usize>, findings: &mut Findings) {
    let text = |key: &str| folded(basics.get(key).and_then(Value::as_str).unwrap_or_default());
    let (name, address) = (text("name"), text("email"));
    let local = address.split('@').next().unwrap_or_default();
    let agrees = name.split([' ', '-']).any(|part| part.len() > 2 && local.contains(part));
    let city =
        folded(basics.get("location").and_then(|it| it["city"].as_str()).unwrap_or_default());
    let words: Vec<&str> = name.split(' ').collect();
    let is_stray = |word: &&str| {
        (countries::country(word).is_some() || *word == city) && !local.contains(word)
    };
    let edges = [words.first(), words.last()].into_iter().flatten();
    let has_stray = words.len() > 2 && edges.copied().any(|word| is_stray(&word));
    if has_stray || !agrees && position.is_some_and(|position| position > 1) {
        findings.sure("basics.name", Confidence::Low);
    }
}

fn lines_of(parts: &[Part], wanted: impl Fn(Section) -> bool) -> Vec<&Line> {
    parts.iter().filter(|part| wanted(part.section)).flat_map(|part| &part.lines).collect()
}

fn first(lines: &[&Line], look: fn(&str) -> Option<String>) -> Option<String> {
    lines.iter().flat_map(|line| slashed(line)).find_map(look)
}

fn all<'a>(
    lines: &'a [&Line],
    look: fn(&str) -> Option<String>,
) -> impl Iterator<Item = String> + use<'a> {
    lines.iter().flat_map(|line| slashed(line)).filter_map(look)
}

/// The fields of a line of addresses, which slashes may part too.
fn slashed(line: &Line) -> Vec<&str> {
    // Pictures of a letter or a house stand before many of them.
    let picture = |c: char| !c.is_alphanumeric() && !"+(@'’<".contains(c);
    let fields = line.fields();
    // Where bars part the fields, dashes stand within them.
    let dash = if line.text.contains('@') && fields.len() == 1 { " – " } else { " — " };
    let fields = fields.into_iter().flat_map(|field| field.split(" — "));
    // The dash in `0592 – 555 014` parts nothing.
    let undashed = |field| match dashed(field) {
        Some(_) => vec![field],
        None => field.split(dash).collect(),
    };
    let fields = fields.flat_map(undashed).flat_map(unslashed);
    fields.map(|field| field.trim().trim_start_matches(picture)).collect()
}

/// Fewest digits of a telephone number with the code of its area.
const WHOLE_MIN: usize = 10;

/// The parts between slashes; that of `040 / 555 01 77` stands behind an area code.
fn unslashed(field: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut begin, mut from) = (0, 0);
    while let Some(at) = field[from..].find(" / ").map(|at| from + at) {
        let run = field[begin..at].rsplit(|c: char| !c.is_ascii_digit() && !" ()+".contains(c));
        let code = run.take(1).flat_map(str::chars).filter(char::is_ascii_digit).count();
        let goes_on = field[at + 3..].starts_with(|c: char| c.is_ascii_digit());
        // `OH 43210 / 555.010.0147`: a whole number needs no code.
        let next = field[at + 3..].split(" / ").next().unwrap_or_default();
        let is_whole = next.chars().filter(char::is_ascii_digit).count() >= WHOLE_MIN;
        if !(goes_on
            && !is_whole
            && (2..=5).contains(&code)
            && field[..at].ends_with([')', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']))
        {
            parts.push(&field[begin..at]);
            begin = at + 3;
        }
        from = at + 3;
    }
    parts.push(&field[begin..]);
    parts
}

/// The position that stands with the name or right under it.
fn label(head: &[&Line], position: usize, name: &str) -> Option<String> {
    let beside = head.get(position)?.text.to_lowercase().find(&name.to_lowercase());
    let beside =
        beside.and_then(|at| head[position].text.get(at + name.len()..)).unwrap_or_default();
    let below = head.get(position + 1).map(|line| line.text.as_str()).unwrap_or_default();
    let other =
        |text: &&str| !text.contains('@') && address(text).is_none() && web(text, "").is_empty();
    [beside, below]
        .into_iter()
        .flat_map(fields)
        .map(|field| field.trim_matches([' ', ',', '-', '–', '—', '(', ')']))
        .filter(other)
        .find(|field| {
            label_of(field).0.is_none()
                && words::is_position(field)
                && field.split_whitespace().count() <= 8
                && !field.ends_with('.')
                && dates::find(field).is_none()
        })
        .map(str::to_owned)
}

/// Profiles on known networks, and the first other page.
fn pages(head: &[&Line], mail: &str, basics: &mut Map<String, Value>, findings: &mut Findings) {
    let mut profiles: Vec<Value> = Vec::new();
    for page in head.iter().flat_map(|line| web(&line.text, mail)) {
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
    if profiles.is_empty() && !basics.contains_key("url") {
        findings.issue("no links were found");
    }
    if !profiles.is_empty() {
        basics.insert("profiles".to_owned(), json!(profiles));
        findings.sure("basics.profiles", Confidence::High);
    }
}

fn location(
    head: &[&Line],
    around: &[&Line],
    basics: &mut Map<String, Value>,
    findings: &mut Findings,
) {
    let name = basics.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let (labelled, plain) = told_places(head, &name);
    // `Ada Byron, London`: who stands beside the name is not asked; a place beside an address is.
    let beside = || {
        let with_address =
            |line: &&&Line| line.fields().iter().any(|field| address(field).is_some());
        head.iter().find(with_address).and_then(|line| {
            let fields = slashed(line);
            let free =
                |field: &&str| label_of(field).0.is_none() && is_city(field) && *field != name;
            fields.into_iter().find(free).map(place::labelled)
        })
    };
    // The letters of a region are hardly a city.
    let with_city = |place: &Place| {
        place.city.as_deref().is_some_and(|city| {
            city.contains(char::is_lowercase) && (city.chars().count() > 3 || place::is_known(city))
        })
    };
    let sure = labelled.clone().filter(with_city).or_else(|| plain.clone().filter(with_city));
    let (place, sure) = if let Some(place) = sure {
        (Some(place), Confidence::High)
    } else {
        // Only a city with its code is no firm's or school's.
        let coded = || around.iter().find_map(|line| place::coded(&line.text));
        let found = beside().or(labelled).or(plain).or_else(coded);
        (found.or_else(|| head.iter().find_map(|line| led_place(line))), Confidence::Low)
    };
    if place.as_ref().is_none_or(|place| place.city.is_none()) {
        findings.issue("no city was found");
    }
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

/// A place in a line with something else that no mark parts from it: `Engineer in Tacoma, WA`, `Groningen 06 0000 7743`.
fn led_place(line: &Line) -> Option<Place> {
    let titled = |field: &str| {
        let (title, town) = field.split_once(" in ")?;
        place::place(town).filter(|_| words::is_position(title))
    };
    let numbered = || {
        let (town, _) = line.text.split_once(|c: char| c.is_ascii_digit() || "+(".contains(c))?;
        let is_town = place::is_known(town) && line.text.contains('@');
        is_town.then(|| place::labelled(town.trim()))
    };
    // `1 Quay Road, 3572 AB Utrecht, ada@example.nl`
    let listed = || {
        address(&line.text)?;
        line.text.split(", ").find_map(place::coded)
    };
    line.fields().into_iter().find_map(titled).or_else(numbered).or_else(listed)
}

/// The place behind a label, and the first one that stands without any.
fn told_places(head: &[&Line], name: &str) -> (Option<Place>, Option<Place>) {
    // What stands beside a label or in the line under it.
    let mut announced = false;
    let (mut labelled, mut plain) = (None, None);
    let mut skips = false;
    for (first, field) in head
        .iter()
        .flat_map(|line| slashed(line).into_iter().enumerate().map(|(n, field)| (n == 0, field)))
    {
        let (label, value) = label_of_place(field);
        let value = without_phone(without_name(value, name));
        let is_other = label.is_some() && label != Some(Label::Address);
        if value.is_empty() {
            announced = label == Some(Label::Address);
            skips = is_other;
            continue;
        }
        // `Place of birth` in the column before, or a day of birth.
        if std::mem::take(&mut skips) && !first || is_day(value) {
            continue;
        }
        let found = place::place(value).or_else(|| place::before_region(value));
        let found = found.or_else(|| place::coded_at_end(value));
        if label == Some(Label::Address) || announced {
            let city = found.clone().or_else(|| is_city(value).then(|| place::labelled(value)));
            labelled = labelled.or(city);
        }
        // The street stands above the city.
        announced = announced && labelled.is_none();
        if !is_other && plain.as_ref().is_none_or(|plain| is_street(plain, found.as_ref())) {
            plain = found.or(plain);
        }
    }
    (labelled, plain)
}

/// Whether `1840 Quay Loop` was taken for a code and a city: above `Longmont, CO 80503` it is a street.
fn is_street(place: &Place, next: Option<&Place>) -> bool {
    place.region.is_none()
        && place.country_code.is_none()
        && !place.city.as_deref().is_some_and(place::is_known)
        && next.is_some_and(|next| next.region.is_some() && next.country_code == Some("US"))
}

/// `Ada Byron, RN` without the name.
fn without_name<'v>(value: &'v str, name: &str) -> &'v str {
    match value.strip_prefix(name) {
        Some(rest) if !name.is_empty() => rest.trim_start_matches([',', ' ']),
        _ => value,
    }
}

/// `8037 Zürich +41 79 000 51 60` without the number, which no mark parts from the town, nor from an address behind it.
fn without_phone(value: &str) -> &str {
    let parted = phone(value).and_then(|phone| value.split_once(phone.as_str()));
    let (town, rest) = parted.unwrap_or((value, ""));
    let is_address = |rest: &str| !rest.contains(' ') && (rest.is_empty() || rest.contains('@'));
    let tells = |town: &&str| {
        let is_whole = |place: Place| place.city.is_some() && place.region.is_some();
        place::coded(town).is_some() || place::place(town).is_some_and(is_whole)
    };
    Some(town.trim_end()).filter(tells).filter(|_| is_address(rest.trim())).unwrap_or(value)
}

/// Whether a text holds a date with its month.
fn is_day(text: &str) -> bool {
    dates::find(text).and_then(|period| period.end).is_some_and(|date| date.month.is_some())
}

/// A field without the label that it begins with: `Phone: 555-0147`, `Phone 555-0147`, `Phone` alone.
fn label_of(field: &str) -> (Option<Label>, &str) {
    let labels = &vocabulary().labels;
    let known =
        |text: &str| labels.get(folded(text.trim().trim_end_matches(['.', ':'])).as_str()).copied();
    if let Some((before, value)) = field.split_once(':')
        && let Some(label) = known(before)
    {
        return (Some(label), value.trim());
    }
    match known(field) {
        Some(label) => (Some(label), ""),
        None => (None, field),
    }
}

/// A field without its label, also where no colon stands behind that of a place: `Address Mobile, AL`.
fn label_of_place(field: &str) -> (Option<Label>, &str) {
    let parted = || {
        let (label, value) = field.split_once(' ')?;
        let is_place = label_of(label) == (Some(Label::Address), "") && place::is_place(value);
        is_place.then_some((Some(Label::Address), value.trim()))
    };
    match label_of(field) {
        (None, _) => parted().unwrap_or((None, field)),
        labelled => labelled,
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

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn a_city_that_no_mark_parts_from_the_rest_of_its_line_is_marked() {
        for (line, city) in [
            ("Engineer in Tacoma, WA", "Tacoma"),
            ("Groningen 06 0000 7743 ada@example.nl", "Groningen"),
            ("Quaystraat 31, 3572 AB Nulla, 06-00004467, ada@example.nl", "Nulla"),
        ] {
            let draft = draft(&format!("Ada Byron\n{line}\n\nSkills\nRust"));
            let location = &draft.applicant_profile["basics"]["location"];
            assert_eq!(location["city"], city, "{line}");
            assert_eq!(draft.confidence["basics.location"], super::Confidence::Low, "{line}");
        }
    }

    #[test]
    fn a_label_without_a_colon_is_no_part_of_the_city() {
        for (line, city) in [("Address Nulleville, AL", "Nulleville"), ("Adresse Lyon", "Lyon")] {
            let text = format!("Ada Byron\n{line}\tEmail ada@example.org\nTelephone 251.555.0144");
            assert_eq!(draft(&text).applicant_profile["basics"]["location"]["city"], city);
        }
    }

    #[test]
    fn a_town_with_its_code_or_region_stands_before_a_number_and_an_address() {
        for (line, city) in [
            ("Margate CT9 1JR 07700 900642 ada@example.com", "Margate"),
            ("Uberlândia - MG +55 34 95555-0184 ada@example.com.br", "Uberlândia"),
            ("8037 Zürich +41 79 000 51 60", "Zürich"),
            ("Carrera 8 # 21-40, Nullja, Boyacá", "Nullja"),
            ("Valdivia, Los Ríos", "Valdivia"),
        ] {
            let draft = draft(&format!("Ada Byron\n{line}\n\nSkills\nRust"));
            let location = &draft.applicant_profile["basics"]["location"];
            assert_eq!(location["city"], city, "{line}");
            assert_eq!(draft.confidence["basics.location"], super::Confidence::High, "{line}");
        }
    }

    #[test]
    fn a_name_with_a_country_or_the_town_at_its_edge_is_marked() {
        for (name, is_marked) in [
            ("Schweiz Ada Byron", true),
            ("Ada Byron Leeds", true),
            ("Ada Augusta Byron", false),
            ("Israel Byron", false),
        ] {
            let draft = draft(&format!("{name}\nbyron@example.org\nLeeds LS6 3DA"));
            let is_low = draft.confidence["basics.name"] == super::Confidence::Low;
            assert_eq!(is_low, is_marked, "{name}");
        }
    }

    #[test]
    fn a_city_of_three_letters_that_is_not_known_is_marked() {
        for (line, sure) in [
            ("1 Quay Road, 72000 Pue", super::Confidence::Low),
            ("1 Quay Road, 72000 Puebla", super::Confidence::High),
        ] {
            let confidence = draft(&format!("Ada Byron\n{line}\n\nSkills\nRust")).confidence;
            assert_eq!(confidence["basics.location"], sure, "{line}");
        }
    }

    #[test]
    fn a_single_link_under_its_heading_is_found() {
        let text = "# Ada Byron\n\n## Skills\nRust\n\n## Links\nlinkedin.com/in/adabyron-rn";
        let basics = &draft(text).applicant_profile["basics"];
        assert_eq!(basics["profiles"][0]["username"], "adabyron-rn");
    }

    #[test]
    fn an_address_of_mail_in_the_type_of_headings_is_found() {
        let head = "# Ada Byron\nQuay 1\n600 555 417\n###### ada@example.es";
        let text = format!("{head}\n\n###### Skills\nRust\n\n###### Languages\nEnglish");
        assert_eq!(draft(&text).applicant_profile["basics"]["email"], "ada@example.es");
    }

    #[test]
    fn numbers_without_an_end_and_days_without_an_order_are_marked() {
        let work = "Experience\nEngineer\nAcme Ltd\n05/04/2019 – 06/05/2021";
        let confidence = draft(&format!("Ada Byron\nTel. 0491 570\n\n{work}")).confidence;
        for path in ["basics.phone", "work.0.startDate", "work.0.endDate"] {
            assert_eq!(confidence[path], super::Confidence::Low, "{path}");
        }
    }

    #[test]
    fn codes_of_towns_and_letters_of_regions_are_doubtful() {
        assert!(super::is_cut_off("phone", "51020-000"));
        assert!(!super::is_cut_off("phone", "943 555 011"));
        let confidence = draft("Ada Byron\nAddress: ON\nada@example.ca").confidence;
        assert_ne!(confidence.get("basics.location"), Some(&super::Confidence::High));
    }

    #[test]
    fn a_number_behind_a_town_is_no_part_of_it() {
        let draft = draft("Ada Byron\nQuay 23\n8037 Zürich +41 79 000 51 60\n\nSkills\nRust");
        let basics = &draft.applicant_profile["basics"];
        assert_eq!(basics["location"]["city"], "Zürich");
        assert_eq!(basics["phone"], "+41 79 000 51 60");
    }

    #[test]
    fn a_street_with_a_number_like_a_code_is_no_city() {
        let city = |street: &str, town: &str| {
            let profile =
                draft(&format!("Ada Byron\n{street}\n{town}\n303-555-0162")).applicant_profile;
            profile["basics"]["location"]["city"].as_str().unwrap_or_default().to_owned()
        };
        assert_eq!(city("1840 Ptarmigan Loop", "Longmont, CO 80503"), "Longmont");
        assert_eq!(city("8001 Zürich", "Portland, OR 97201"), "Zürich");
        assert_eq!(city("3500 Nulleville", "Grand Loop"), "Nulleville");
    }

    #[test]
    fn a_whole_number_behind_a_slash_needs_no_code_before_it() {
        let parts =
            super::unslashed("1 Quay Rd, Nulltown, OH 43210 / 555.010.0147 / ada@example.org");
        assert_eq!(parts[1..], ["555.010.0147", "ada@example.org"]);
        assert_eq!(super::unslashed("Tel. 040 / 555 01 77"), ["Tel. 040 / 555 01 77"]);
    }
}
