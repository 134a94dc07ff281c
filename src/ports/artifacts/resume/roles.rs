//! Roles: entries that each stand around a period.

mod broken;
mod details;
mod entries;
mod periods;
mod pieces;
pub(super) mod town_columns;
mod towns;

use serde_json::{Map, Value, json};

use super::{
    Confidence, Findings, ROLES_MISSING, dates::Period, doubt, lines::Line, place, schools, short,
    slashes, words,
};

use details::pieces_of;
use entries::{Entry, entries};
use periods::{is_dated, is_undated_role};
use pieces::{Kind, Named, is_break, is_department, named};

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

/// Roles as they are drafted, and what is said of each.
#[derive(Debug, Default)]
pub(super) struct Roles {
    pub(super) entries: Vec<Value>,
    /// The items under each.
    pub(super) highlights: Vec<Vec<String>>,
}

/// Reads the roles of sections.
pub(super) fn read(sections: &[&[Line]], shape: &Shape, findings: &mut Findings) -> Roles {
    let mut roles = Roles::default();
    for lines in sections {
        let entries = towns::apart(entries(&broken::unbroken(lines)));
        let is_short = lines.iter().filter(|line| is_dated(line)).count() > entries.len();
        if is_short || lines.iter().any(is_undated_role) {
            findings.issue(ROLES_MISSING);
        }
        let order = order(&entries);
        let doubts = doubts(&entries, order);
        let in_towns = end_in_towns(&entries, order);
        findings.end_in_towns |= in_towns;
        let usual = Usual::of(&entries, order);
        let mut employer: Option<String> = None;
        let mut group: Option<String> = None;
        let mut town: Option<String> = None;
        let mut entries = entries.into_iter().zip(doubts).peekable();
        while let Some((entry, doubt)) = entries.next() {
            if roles.entries.len() == ROLES_MAX {
                findings.issue("some roles are missing: there are more than could be drafted");
                return roles;
            }
            let mut role = Role::of_lines(&entry.head, order);
            role.location = role.location.or_else(|| entry.town.clone());
            town = role.settled(&usual, town);
            if entries.peek().is_some_and(|(next, _)| heads_group(&entry, &role, next, order)) {
                group = role.organisation;
                continue;
            }
            if let Some(pause) = role.pause() {
                findings.issue(&format!("“{}” is not drafted as a role", short(pause)));
                continue;
            }
            group = group.filter(|_| role.organisation.is_none());
            role.organisation = role.organisation.or_else(|| group.clone());
            // Several titles under one firm: the firm stands once, above the first.
            if role.organisation.is_none() && role.position.is_some() && !entry.own_block {
                role.organisation.clone_from(&employer);
                role.is_inherited = true;
            }
            employer.clone_from(&role.organisation);
            let path = format!("{}.{}", shape.list, roles.entries.len());
            let (leaves, sure) = (role.holds_more(), role.sure);
            if in_towns && role.location.is_none() {
                role.part_town();
            }
            roles.entries.push(role.written(&path, shape, &entry.period, findings));
            if doubt.whole {
                findings.sure(&path, Confidence::Low);
            }
            let in_doubt = entry.is_cut || doubt.names && sure != Confidence::High;
            for (key, is_doubtful) in
                [(shape.organisation, in_doubt || in_towns || leaves), ("position", in_doubt)]
            {
                if is_doubtful && roles.entries.last().is_some_and(|role| role.get(key).is_some()) {
                    findings.sure(&format!("{path}.{key}"), Confidence::Low);
                }
            }
            roles.highlights.push(entry.items);
        }
    }
    roles
}

/// What the heads of all entries show.
#[derive(Debug)]
struct Usual {
    details: Vec<String>,
    /// Towns stand behind firms.
    has_towns: bool,
}

impl Usual {
    fn of(entries: &[Entry], order: Order) -> Self {
        let roles: Vec<Role> =
            entries.iter().map(|entry| Role::of_lines(&entry.head, order)).collect();
        let has_towns = towns::stand_behind_firms(entries, &roles);
        Self { details: details(roles), has_towns }
    }
}

/// What stands behind titles and a comma in entries that have a firm and a town as well: `Nurse, Emergency`.
fn details(roles: Vec<Role>) -> Vec<String> {
    let whole =
        roles.into_iter().filter(|role| role.organisation.is_some() && role.location.is_some());
    let titles = whole.filter_map(|role| role.position);
    titles.filter_map(|title| Some(title.split_once(", ")?.1.to_owned())).collect()
}

/// Whether the firms of entries end in towns that nothing parts from them, in most of those that name no town.
fn end_in_towns(entries: &[Entry], order: Order) -> bool {
    let roles = entries.iter().map(|entry| Role::of_lines(&entry.head, order));
    let apart = roles.filter(|role| role.location.is_none());
    doubt::end_in_towns(apart.filter_map(|role| role.organisation).collect())
}

/// Why an entry may be read wrong.
#[derive(Debug, Clone, Copy)]
struct Doubts {
    /// It may be none at all: its head is that of a school, or its period stands elsewhere than the others.
    whole: bool,
    /// Its title or its firm stands elsewhere than the others.
    names: bool,
}

fn doubts(entries: &[Entry], order: Order) -> Vec<Doubts> {
    let periods: Vec<bool> = entries.iter().map(|entry| entry.period.at.start == 0).collect();
    let places: Vec<_> = entries.iter().map(|entry| places(entry, order)).collect();
    let odd = doubt::odd_ones(&periods).into_iter().zip(doubt::odd_ones(&places));
    let odd = odd.zip(entries);
    odd.map(|((is_odd, names), entry)| {
        let whole = is_odd || is_school(&entry.head);
        Doubts { whole, names: names && !is_title_alone(&entry.head) }
    })
    .collect()
}

/// Whether a head is a title under the firm of another one, which stands in no other place for it.
fn is_title_alone(head: &[String]) -> bool {
    matches!(named(head).as_slice(), [only] if only.kind == Kind::Title)
}

/// The lines of a head in which its title and its firm stand.
fn places(entry: &Entry, order: Order) -> [Option<usize>; 2] {
    let role = Role::of_lines(&entry.head, order);
    let line = |name: &Option<String>| {
        let name = name.as_deref()?;
        entry.head.iter().position(|line| line.contains(name))
    };
    [line(&role.position), line(&role.organisation)]
}

/// Whether a firm stands with the years there above the titles with theirs.
fn heads_group(entry: &Entry, role: &Role, next: &Entry, order: Order) -> bool {
    let within = match (entry.period.start, next.period.start.or(next.period.end)) {
        (Some(start), Some(next)) => !next.is_before(start),
        _ => true,
    };
    let next = Role::of_lines(&next.head, order);
    within
        && role.position.is_none()
        && entry.items.is_empty()
        && next.organisation.is_none()
        && next.position.is_some()
}

/// Whether a head names a degree, and a school or at least no job.
fn is_school(head: &[String]) -> bool {
    head.iter().any(|line| schools::names_degree(line) && !words::is_position(line))
        && (head.iter().any(|line| words::is_school(line))
            || !head.iter().any(|line| words::is_position(line)))
}

/// Whether titles stand before firms, as the entries show in which both are known by their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    TitleFirst,
    FirmFirst,
    Unknown,
}

fn order(entries: &[Entry]) -> Order {
    let mut votes = 0;
    for entry in entries {
        let named = named(&entry.head);
        let title = named.iter().position(|named| named.kind == Kind::Title);
        let firm = named.iter().position(|named| named.kind == Kind::Firm);
        let plain = named.iter().position(|named| named.kind == Kind::Unknown);
        match (title, firm.or(plain)) {
            (Some(title), Some(firm)) => votes += if title < firm { 1 } else { -1 },
            (None, Some(firm)) if plain.is_some_and(|plain| plain != firm) => {
                votes += if plain < Some(firm) { 1 } else { -1 };
            }
            _ => {}
        }
    }
    match votes {
        1.. => Order::TitleFirst,
        0 => Order::Unknown,
        _ => Order::FirmFirst,
    }
}

/// A piece of a head and its place among them.
#[derive(Debug)]
struct Piece {
    at: usize,
    named: Named,
}

/// Whether a piece stands behind another one in its line and is as short as the name of a town.
fn is_beside(piece: &Piece, before: &Piece) -> bool {
    let is_behind_firm = piece.named.after_dash && before.named.kind == Kind::Firm;
    (piece.named.after_comma || is_behind_firm)
        && piece.at > before.at
        && before.named.line == piece.named.line
        && piece.named.text.split_whitespace().count() <= 3
}

/// The first of some pieces, unless it is the town behind the other one and a line of its own says more.
fn taken(unknown: &mut Vec<Piece>, beside: Option<&Piece>) -> Option<Piece> {
    let is_town = |piece: &Piece| beside.is_some_and(|beside| is_beside(piece, beside));
    let words = |piece: &Piece| piece.named.text.split(' ').count();
    // A single word below several is rather the town.
    let least = unknown.first().map_or(0, words).min(2);
    let apart = |piece: &Piece| {
        let is_apart = beside.is_none_or(|beside| beside.named.line != piece.named.line);
        is_apart && words(piece) >= least && !place::is_known(&piece.named.text)
    };
    let at = match unknown.first() {
        Some(first) if is_town(first) => unknown.iter().position(apart).unwrap_or_default(),
        Some(_) => 0,
        None => return None,
    };
    Some(unknown.remove(at))
}

/// What the head of an entry says.
#[derive(Debug, Clone)]
struct Role {
    organisation: Option<String>,
    position: Option<String>,
    location: Option<String>,
    sure: Confidence,
    /// The firm is that of the role above.
    is_inherited: bool,
    /// What was guessed stands behind the other piece and may be a town or a department; a line of its own says more.
    is_beside: bool,
    /// A piece of the head is left over.
    leaves: bool,
    /// How sure it is if the only piece that is left over is a town.
    with_town: Option<Confidence>,
}

impl Role {
    fn of_lines(head: &[String], order: Order) -> Self {
        let mut role = Self {
            organisation: None,
            position: None,
            location: None,
            sure: Confidence::High,
            is_inherited: false,
            is_beside: false,
            leaves: false,
            with_town: None,
        };
        let mut unknown: Vec<Piece> = Vec::new();
        let (mut department, mut detail) = (None, None);
        let (mut known, mut title_line): (Option<Piece>, Option<usize>) = (None, None);
        for (at, named) in pieces_of(head).into_iter().enumerate() {
            let Named { kind, text, after_title, .. } = &named;
            let (kind, after_title) = (*kind, *after_title);
            if kind == Kind::Firm && after_title && department.is_none() && is_department(text) {
                department = Some(named.text);
                continue;
            }
            let is_beside_title = title_line.is_none_or(|line| line == named.line);
            if kind == Kind::Unknown && after_title && detail.is_none() && is_beside_title {
                detail = Some(text.clone());
            }
            let free = match kind {
                Kind::Place => &mut role.location,
                Kind::Title => &mut role.position,
                Kind::Firm => &mut role.organisation,
                Kind::Unknown => {
                    unknown.push(Piece { at, named });
                    continue;
                }
            };
            if free.is_none() {
                *free = Some(text.clone());
                title_line = title_line.or_else(|| (kind == Kind::Title).then_some(named.line));
                known = known.filter(|_| kind == Kind::Place).or(Some(Piece { at, named }));
            } else if kind != Kind::Place {
                unknown.push(Piece { at, named });
            }
        }
        // `Nurse, Emergency Department` above `Acme Hospital`.
        if role.organisation.is_none() {
            role.organisation = department.take();
        }
        // `Associate, Employment` above `Acme LLP, London`: what stands behind the title is no firm and no town.
        let complete = role.organisation.is_some() && role.location.is_some();
        let detail = detail.filter(|_| complete);
        if let (Some(title), Some(detail)) = (&mut role.position, department.or(detail)) {
            unknown.retain(|piece| piece.named.text != detail);
            *title = format!("{title}, {detail}");
        }
        role.guess(unknown, known.as_ref(), order);
        role
    }

    /// Gives back what was guessed to be the firm, where other entries tell better: a part of the title, or the town of
    /// the role above, which stands here again. Gives the town for the next role.
    fn settled(&mut self, usual: &Usual, town: Option<String>) -> Option<String> {
        if let Some(position) = self.position.as_mut().filter(|_| self.sure != Confidence::High) {
            match self.organisation.take() {
                Some(guess) if usual.details.contains(&guess) && !position.contains(", ") => {
                    *position = format!("{position}, {guess}");
                }
                guess if guess.is_some() && self.location.is_none() && guess == town => {
                    self.location = guess;
                }
                guess => self.organisation = guess,
            }
        }
        self.sure = self.with_town.filter(|_| usual.has_towns).unwrap_or(self.sure);
        self.location.clone().or(town)
    }

    /// Whether a piece is left over, or stands behind the form of the firm.
    fn holds_more(&self) -> bool {
        self.leaves || self.organisation.as_deref().is_some_and(doubt::holds_form)
    }

    /// Takes the town off the end of the firm's name.
    fn part_town(&mut self) {
        let parted = self.organisation.as_deref().and_then(doubt::without_town);
        if let Some((firm, town)) = parted.map(|(firm, town)| (firm.to_owned(), town.to_owned())) {
            self.organisation = Some(firm);
            self.location = Some(town);
        }
    }

    /// The name of a break, if that is all that is said.
    fn pause(&self) -> Option<&str> {
        match (&self.position, &self.organisation) {
            (Some(only), None) | (None, Some(only)) => is_break(only).then_some(only),
            _ => None,
        }
    }

    /// Pieces that no word gives away: whatever is still missing, in the order that the other entries keep. `known` is
    /// the piece that a word has given away, if there is but one.
    fn guess(&mut self, unknown: Vec<Piece>, known: Option<&Piece>, order: Order) {
        let mut unknown = unknown;
        match (self.position.is_some(), self.organisation.is_some()) {
            (true, true) => {}
            (true, false) | (false, true) => {
                match taken(&mut unknown, known) {
                    Some(other) => {
                        // What is left is a town behind one of both, or would do as well.
                        let is_town = |left: &Piece| {
                            [Some(&other), known]
                                .into_iter()
                                .flatten()
                                .any(|it| is_beside(left, it))
                        };
                        let is_clear = unknown.iter().all(is_town);
                        let is_firm = self.organisation.is_none();
                        let line = other.named.line;
                        self.complete(other, known, order);
                        if !is_clear {
                            let is_behind = is_firm && towns::is_only(&unknown, line);
                            self.with_town = is_behind.then_some(self.sure);
                            self.sure = Confidence::Low;
                        }
                    }
                    None if self.organisation.is_some() && order == Order::Unknown => {
                        self.sure = Confidence::Low;
                    }
                    None => self.sure = Confidence::Medium,
                }
            }
            (false, false) => {
                let first = (!unknown.is_empty()).then(|| unknown.remove(0));
                let second = taken(&mut unknown, first.as_ref());
                let (first, second) =
                    (first.map(|piece| piece.named.text), second.map(|piece| piece.named.text));
                (self.position, self.organisation) = match order {
                    Order::TitleFirst if second.is_some() => (first, second),
                    Order::TitleFirst | Order::FirmFirst | Order::Unknown => (second, first),
                };
                self.sure = Confidence::Low;
            }
        }
        // Something that no field took may have been a part of one.
        self.leaves |= unknown.len() > usize::from(self.location.is_none());
        // `Acme Ltd, Smallville`: a word or two after the firm are hardly anything else than its town.
        if self.location.is_none() {
            let is_name = |word: &str| word.starts_with(char::is_uppercase);
            self.location =
                unknown.into_iter().map(|piece| piece.named.text).next().filter(|piece| {
                    piece.split_whitespace().count() <= 3 && piece.split_whitespace().all(is_name)
                });
        }
    }

    /// Takes in what stands beside the only piece that is known; it is as sure as the order of both is usual.
    fn complete(&mut self, other: Piece, known: Option<&Piece>, order: Order) {
        let has_title = self.position.is_some();
        let is_first = known.is_some_and(|known| other.at < known.at);
        let usual = match order {
            Order::Unknown => None,
            Order::TitleFirst => Some(has_title != is_first),
            Order::FirmFirst => Some(has_title == is_first),
        };
        // Two pieces that are both called a firm, or both a job.
        let is_twice = known.is_some_and(|known| known.named.kind == other.named.kind);
        let is_behind = known.is_some_and(|known| is_beside(&other, known));
        self.sure = match usual {
            _ if is_twice => Confidence::Low,
            // `Acme Ltd, Smallville`: hardly a title.
            _ if !has_title && self.location.is_none() && is_behind => Confidence::Low,
            Some(false) => Confidence::Low,
            None if !has_title => Confidence::Low,
            _ => Confidence::Medium,
        };
        self.is_beside = is_behind;
        let (mine, its) = if has_title {
            (&mut self.position, &mut self.organisation)
        } else {
            (&mut self.organisation, &mut self.position)
        };
        *its = Some(other.named.text);
        if is_twice && usual == Some(false) {
            std::mem::swap(mine, its);
        }
    }

    fn written(self, path: &str, shape: &Shape, period: &Period, findings: &mut Findings) -> Value {
        let Self { organisation, position, location, sure, is_inherited, .. } = self;
        let what = match (&organisation, &position) {
            (Some(name), _) | (None, Some(name)) => format!("“{}”", short(name)),
            (None, None) => format!("role {}", path.rsplit('.').next().unwrap_or_default()),
        };
        if organisation.is_none() {
            findings.issue(&format!("no organisation was found for {what}"));
        }
        if position.is_none() {
            findings.issue(&format!("no title was found for {what}"));
        }
        let (mut start, end) = findings.dates(period, &what);
        let has_one_date = start.is_none() && end.is_some();
        if has_one_date {
            findings.issue(&format!("{what} has only one date"));
            start.clone_from(&end);
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
        let is_named = role.contains_key(shape.organisation) || role.contains_key("position");
        // What is guessed are the names; a period stands where it stands.
        let (whole, names) = match (sure, role.contains_key("startDate")) {
            _ if !is_named && has_one_date => (Confidence::Low, sure),
            (Confidence::Low, true) => (Confidence::Medium, Confidence::Low),
            (sure, _) => (sure, sure),
        };
        findings.sure(path, whole);
        let is_vague = has_one_date || period.is_vague;
        for key in ["startDate", "endDate"].into_iter().filter(|_| is_vague) {
            findings.sure(&format!("{path}.{key}"), Confidence::Low);
        }
        if is_inherited {
            findings.sure(&format!("{path}.{}", shape.organisation), Confidence::Low);
        }
        for key in strange(&role, shape) {
            findings.sure(&format!("{path}.{key}"), Confidence::Low);
        }
        if names == Confidence::Low {
            for key in [shape.organisation, "position", "location"] {
                if role.contains_key(key) {
                    findings.sure(&format!("{path}.{key}"), names);
                }
            }
        }
        Value::Object(role)
    }
}

fn is_no_firm(name: &str) -> bool {
    doubt::reads_like_text(name) || doubt::is_long_name(name) || place::is_known(name)
}

fn is_no_job(title: &str) -> bool {
    doubt::is_no_title(title) || place::is_known(title)
}

/// The names of a role that look like none.
fn strange(role: &Map<String, Value>, shape: &Shape) -> Vec<&'static str> {
    let reads_so = |key: &str, looks_so: fn(&str) -> bool| {
        role.get(key).and_then(Value::as_str).is_some_and(looks_so)
    };
    let firm = (shape.organisation, is_no_firm as fn(&str) -> bool);
    let title = ("position", is_no_job as fn(&str) -> bool);
    let strange = [firm, title].into_iter().filter(|(key, looks_so)| reads_so(key, *looks_so));
    // `Studio Blau / Designer`, `FITTER ACME WORKS`
    let may_hold_firm = |title: &str| {
        slashes::may_hold_firm(title)
            || words::is_organisation(title)
            || title.split_whitespace().count() >= WITH_FIRM_MIN
    };
    let holds_firm = !role.contains_key(shape.organisation) && reads_so("position", may_hold_firm);
    let holds_title =
        !role.contains_key("position") && reads_so(shape.organisation, words::is_position);
    strange
        .map(|(key, _)| key)
        .chain(holds_firm.then_some("position"))
        .chain(holds_title.then_some(shape.organisation))
        .collect()
}

/// Fewest words of a title that may have its firm in it where none was found.
const WITH_FIRM_MIN: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn a_title_that_may_be_a_town_is_marked() {
        assert!(is_no_job("Leeds") && is_no_firm("Leeds"));
        assert!(!is_no_job("Fitter") && !is_no_firm("Acme Ltd"));
        let period = "May 2010 – June 2012";
        let role = |beside: &str| format!("Emca Ltd, {beside}\t{period}\n• Pumps\n\n");
        let roles = format!("{}{}{}", role("Fitter"), role("Welder"), role("Nullham"));
        let confidence = draft(&format!("Ada Byron\n\nExperience\n{roles}")).confidence;
        assert_eq!(confidence.get("work.2.position"), Some(&Confidence::Low));
        assert_eq!(confidence.get("work.0.position"), None);
    }
    #[test]
    fn a_title_and_a_firm_that_nothing_parts_are_marked() {
        let marked = |names: &str, key: &str| {
            let text = format!("Ada Byron\n\n## Experience\n2010 – 2012\tLeeds\n{names}\n• Pumps");
            draft(&text).confidence.get(key) == Some(&Confidence::Low)
        };
        assert!(marked("FITTER OF THE RED PUMPS", "work.0.position"));
        assert!(!marked("FITTER", "work.0.position"));
    }
}
