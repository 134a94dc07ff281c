//! Roles: entries that each stand around a period.

use serde_json::{Map, Value, json};

use super::{
    Confidence, Findings,
    dates::{self, Period},
    lines::{Line, fields},
    place, short, words,
};

/// The shape in which roles are written down.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    list: &'static str,
    organisation: &'static str,
    with_location: bool,
}

/// Paid work.
pub(super) const WORK: Shape = Shape { list: "work", organisation: "name", with_location: true };

/// Unpaid work.
pub(super) const VOLUNTEER: Shape =
    Shape { list: "volunteer", organisation: "organization", with_location: false };

/// Most roles that are drafted.
const ROLES_MAX: usize = 60;

/// Most lines that name a role: firm, title, place, dates.
const HEAD_MAX: usize = 4;

/// Reads the roles of sections.
pub(super) fn read(sections: &[&[Line]], shape: &Shape, findings: &mut Findings) -> Vec<Value> {
    let mut roles: Vec<Value> = Vec::new();
    for lines in sections {
        let mut employer: Option<String> = None;
        for entry in entries(lines) {
            if roles.len() == ROLES_MAX {
                findings.issue("there are more roles than could be drafted");
                return roles;
            }
            let mut role = Role::of(&entry);
            // Several titles under one firm: the firm stands once, above the first.
            if role.organisation.is_none() && role.position.is_some() && !entry.own_block {
                role.organisation.clone_from(&employer);
                role.sure = Confidence::Low;
            }
            employer.clone_from(&role.organisation);
            let path = format!("{}.{}", shape.list, roles.len());
            roles.push(role.written(&path, shape, &entry.period, findings));
        }
    }
    roles
}

/// The lines that name one role.
#[derive(Debug)]
struct Entry {
    /// The lines without the period.
    head: Vec<String>,
    period: Period,
    /// It begins a block of its own rather than standing under a firm that was named before.
    own_block: bool,
}

/// Finds the lines with periods and the lines around them that belong to each. Whether a firm stands above its
/// period or beneath shows at the first one, and a résumé keeps to it.
fn entries(lines: &[Line]) -> Vec<Entry> {
    let anchors: Vec<(usize, Period)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| anchor(line).map(|period| (at, period)))
        .collect();
    let above = anchors.first().map_or(0, |(first, _)| back(lines, *first, 0, HEAD_MAX - 1));
    let mut entries = Vec::new();
    let mut free = 0;
    for (n, (at, period)) in anchors.iter().enumerate() {
        let before = back(lines, *at, free, above);
        let next = anchors
            .get(n + 1)
            .map_or(lines.len(), |(next, _)| *next - back(lines, *next, at + 1, above));
        let mut head: Vec<String> =
            lines[at - before..*at].iter().map(|line| line.text.clone()).collect();
        head.push(without(&lines[*at].text, period));
        let room = HEAD_MAX - head.len();
        let after = &lines[at + 1..next];
        let taken = after.iter().take(room).take_while(|line| adds(&mut head, line)).count();
        free = at + 1 + taken;
        head.retain(|line| !line.is_empty());
        entries.push(Entry { head, period: period.clone(), own_block: before > 0 || above == 0 });
    }
    entries
}

/// A line that holds the period of a role: short apart from it, and no running text.
fn anchor(line: &Line) -> Option<Period> {
    let period = dates::find(&line.text)?;
    let rest = without(&line.text, &period);
    let words = rest.split_whitespace().count();
    let prose =
        rest.ends_with('.') && words > 4 || rest.chars().next().is_some_and(char::is_lowercase);
    let telling = !line.bullet || period.start.is_some();
    (words <= 14 && !prose && telling).then_some(period)
}

/// How many lines right above `at` can name the same role, at most `most`, not above `free`.
fn back(lines: &[Line], at: usize, free: usize, most: usize) -> usize {
    let mut count = 0;
    while count < most && at > free + count {
        let line = &lines[at - count - 1];
        // A line right under a bullet is its second half.
        let wrapped = !line.after_gap && at - count >= 2 && lines[at - count - 2].bullet;
        let hangs =
            wrapped && !words::is_organisation(&line.text) && !words::is_position(&line.text);
        if !names(line)
            || hangs
            || (count > 0 && lines[at - count].after_gap && complete_line(&lines[at - count].text))
        {
            break;
        }
        count += 1;
    }
    count
}

/// A line that can name a firm, a title or a place.
fn names(line: &Line) -> bool {
    !line.bullet && !line.is_prose() && anchor(line).is_none()
}

/// Takes a line under the period in, if it says what is still missing; what follows a full head is about the work.
fn adds(head: &mut Vec<String>, line: &Line) -> bool {
    let text = &line.text;
    let says = |is: fn(&str) -> bool| is(text) && !head.iter().any(|line| is(line));
    let wanted = says(words::is_position)
        || says(words::is_organisation)
        || says(place::is_place)
        || head.iter().flat_map(|line| pieces(line)).count() < 2 && !complete_line(text);
    let adds = names(line) && wanted;
    if adds {
        head.push(text.clone());
    }
    adds
}

fn complete_line(text: &str) -> bool {
    complete(&[text.to_owned()])
}

/// Both a title and a firm are there.
fn complete(head: &[String]) -> bool {
    let role = Role::of_lines(head);
    role.organisation.is_some() && role.position.is_some()
}

/// A line without its period and the marks around it.
fn without(line: &str, period: &Period) -> String {
    let (before, after) = (&line[..period.at.start], &line[period.at.end..]);
    let marks = |c: char| c.is_whitespace() || "()[],;:|·•–—-".contains(c);
    let before = before.trim_end_matches(|c| marks(c) && c != ')');
    let after = after.trim_start_matches(|c| marks(c) && c != '(');
    // `(3 years)` after a period says nothing new.
    let after = if after.starts_with('(') && after.ends_with(')') { "" } else { after };
    match (before.is_empty(), after.is_empty()) {
        (false, false) => format!("{before}\t{after}"),
        _ => format!("{before}{after}").trim_matches(|c| marks(c) && c != ')').to_owned(),
    }
}

/// What the head of an entry says.
#[derive(Debug, Clone)]
struct Role {
    organisation: Option<String>,
    position: Option<String>,
    location: Option<String>,
    sure: Confidence,
}

impl Role {
    fn of(entry: &Entry) -> Self {
        Self::of_lines(&entry.head)
    }

    fn of_lines(head: &[String]) -> Self {
        let mut role =
            Self { organisation: None, position: None, location: None, sure: Confidence::High };
        let mut unknown: Vec<String> = Vec::new();
        for piece in head.iter().flat_map(|line| pieces(line)) {
            if role.location.is_none() && place::is_place(&piece) {
                role.location = Some(piece);
            } else if words::is_position(&piece) && role.position.is_none() && !firmly(&piece) {
                role.position = Some(piece);
            } else if words::is_organisation(&piece) && role.organisation.is_none() {
                role.organisation = Some(piece);
            } else {
                unknown.push(piece);
            }
        }
        role.guess(unknown);
        role
    }

    /// Pieces that no word gives away: whatever is still missing, firm before title.
    fn guess(&mut self, unknown: Vec<String>) {
        let mut unknown = unknown.into_iter();
        if self.organisation.is_none() {
            self.organisation = unknown.next();
            self.sure = if self.position.is_some() { Confidence::Medium } else { Confidence::Low };
        }
        if self.position.is_none() {
            self.position = unknown.next();
            self.sure = Confidence::Low;
        }
        // `Acme Ltd, London`: a single word after the firm is hardly anything else than its town.
        if self.location.is_none() {
            self.location = unknown.next().filter(|piece| piece.split_whitespace().count() <= 3);
            if self.location.is_some() {
                self.sure = self.sure.min(Confidence::Medium);
            }
        }
    }

    fn written(self, path: &str, shape: &Shape, period: &Period, findings: &mut Findings) -> Value {
        let Self { organisation, position, location, mut sure } = self;
        let what = match (&organisation, &position) {
            (Some(name), _) | (None, Some(name)) => format!("“{}”", short(name)),
            (None, None) => format!("role {}", path.rsplit('.').next().unwrap_or_default()),
        };
        if organisation.is_none() {
            findings.issue(&format!("no organisation was found for {what}"));
            sure = Confidence::Low;
        }
        let (mut start, end) = findings.dates(period, &what);
        if start.is_none() && end.is_some() {
            findings.issue(&format!("{what} has only one date"));
            start.clone_from(&end);
            sure = Confidence::Low;
        }
        let mut role = Map::new();
        let location = location.filter(|_| shape.with_location);
        for (key, value) in [
            (shape.organisation, organisation),
            ("position", position),
            ("location", location),
            ("startDate", start),
            ("endDate", end),
        ] {
            if let Some(value) = value {
                role.insert(key.to_owned(), json!(short(&value)));
            }
        }
        findings.sure(path, sure);
        Value::Object(role)
    }
}

/// A name with a firm's form in it is a firm, though a job is in it too: `Tailor & Sons Ltd`.
fn firmly(piece: &str) -> bool {
    let last = piece.split_whitespace().next_back().unwrap_or_default();
    words::is_organisation(last) && !words::is_position(last)
}

/// The parts of a line that name one thing each.
fn pieces(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for field in fields(line) {
        for part in dashed(field) {
            if place::is_place(part) {
                found.push(part.to_owned());
            } else {
                found.extend(by_comma(part));
            }
        }
    }
    found.retain(|piece| piece.chars().filter(|c| c.is_alphabetic()).count() > 1);
    found
}

/// `Programmer – Acme`, `Programmer @ Acme`, `Programmer at Acme`, `Acme (London)`.
fn dashed(field: &str) -> Vec<&str> {
    let mut parts = vec![field];
    for separator in [" – ", " — ", " - ", " @ ", " at ", ": ", " ("] {
        parts = parts.into_iter().flat_map(|part| part.split(separator)).collect();
    }
    parts
        .into_iter()
        .map(|part| part.trim_matches([' ', ',', ';', '–', '—', '-']))
        .map(|part| if part.contains('(') { part } else { part.trim_end_matches(')') })
        .collect()
}

/// `Programmer, Acme Ltd, London, UK` in its parts; `Acme, Inc.` and `Director, Marketing` stay whole.
fn by_comma(text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    // The longest tail that is a place.
    let tail = (1..parts.len()).find(|at| place::is_place(&parts[*at..].join(", ")));
    let (named, place) = parts.split_at(tail.unwrap_or(parts.len()));
    let mut found: Vec<String> = Vec::new();
    for part in named {
        let form = LEGAL_FORMS.contains(&part.trim_end_matches('.').to_lowercase().as_str());
        match found.last_mut() {
            Some(last) if form => *last = format!("{last}, {part}"),
            _ => found.push((*part).to_owned()),
        }
    }
    // A title with its department, when nothing in it is a firm.
    if let [title, department] = found.as_slice()
        && words::is_position(title)
        && DEPARTMENTS.contains(&department.to_lowercase().as_str())
    {
        found = vec![format!("{title}, {department}")];
    }
    if !place.is_empty() {
        found.push(place.join(", "));
    }
    found
}

const LEGAL_FORMS: [&str; 9] = ["inc", "ltd", "llc", "llp", "plc", "corp", "limited", "lp", "gmbh"];

const DEPARTMENTS: [&str; 14] = [
    "engineering",
    "finance",
    "human resources",
    "hr",
    "it",
    "legal",
    "marketing",
    "operations",
    "people",
    "product",
    "research",
    "sales",
    "security",
    "support",
];
