//! Roles: entries that each stand around a period.

mod periods;
mod pieces;

use serde_json::{Map, Value, json};

use super::{
    Confidence, Findings, ROLES_MISSING,
    dates::Period,
    lines::Line,
    place, schools, short,
    vocabulary::{folded, vocabulary},
    words,
};

use periods::{anchor, is_dated, without};
use pieces::{Kind, Named, is_break, is_department, is_own, named};

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

/// Most lines that name a role: firm, title, place, dates, and how long it lasted; and most of them above the dates.
const HEAD_MAX: usize = 5;
const ABOVE_MAX: usize = 3;

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
        let entries = entries(lines);
        if lines.iter().filter(|line| is_dated(line)).count() > entries.len() {
            findings.issue(ROLES_MISSING);
        }
        let order = order(&entries);
        let mut employer: Option<String> = None;
        let mut group: Option<String> = None;
        let mut entries = entries.into_iter().peekable();
        while let Some(entry) = entries.next() {
            if roles.entries.len() == ROLES_MAX {
                findings.issue("some roles are missing: there are more than could be drafted");
                return roles;
            }
            let mut role = Role::of_lines(&entry.head, order);
            if entries.peek().is_some_and(|next| heads_group(&entry, &role, next, order)) {
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
            roles.entries.push(role.written(&path, shape, &entry.period, findings));
            if is_school(&entry.head) {
                findings.sure(&path, Confidence::Low);
            }
            roles.highlights.push(entry.items);
        }
    }
    roles
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

/// The lines that name one role.
#[derive(Debug)]
struct Entry {
    /// The lines without the period.
    head: Vec<String>,
    period: Period,
    /// It begins a block of its own rather than standing under a firm that was named before.
    own_block: bool,
    /// What is said of the work.
    items: Vec<String>,
}

/// Finds the lines with periods and the lines around them that belong to each. Whether a firm stands above its
/// period or beneath shows at the first one, and a résumé keeps to it.
fn entries(lines: &[Line]) -> Vec<Entry> {
    let anchors: Vec<(usize, Period)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| anchor(line).map(|period| (at, period)))
        .filter(|(at, _)| !lines[*at].bullet || heads_list(lines, *at))
        .collect();
    // Where periods begin their lines, one in brackets is said of a role.
    let leading = anchors.iter().filter(|(_, period)| period.at.start == 0).count();
    let in_brackets = |(at, period): &(usize, Period)| {
        lines[*at].text[..period.at.start].trim_end().ends_with('(')
    };
    let is_said = |anchor: &(usize, Period)| leading > 1 && in_brackets(anchor);
    let anchors: Vec<(usize, Period)> =
        anchors.into_iter().filter(|anchor| !is_said(anchor)).collect();
    let above = anchors.first().map_or(0, |(first, _)| back(lines, *first, 0, ABOVE_MAX));
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
        let own_block = before > 0 && before >= above.min(2) || above == 0;
        let items = items(&lines[free..next.max(free)]);
        entries.push(Entry { head, period: period.clone(), own_block, items });
    }
    entries
}

/// Whether a head names a degree, and a school or at least no job.
fn is_school(head: &[String]) -> bool {
    head.iter().any(|line| schools::names_degree(line))
        && (head.iter().any(|line| words::is_school(line))
            || !head.iter().any(|line| words::is_position(line)))
}

/// Whether an item of a list with a period can be a role: `Mentor of two students since 2021` among items without any
/// is said of one.
fn heads_list(lines: &[Line], at: usize) -> bool {
    let begin = lines[..at].iter().rposition(|line| !line.bullet).map_or(0, |last| last + 1);
    let length = lines[begin..].iter().take_while(|line| line.bullet).count();
    let run = &lines[begin..begin + length];
    let dated = |line: &Line| anchor(line).is_some_and(|period| period.start.is_some());
    let under_role = lines[..begin].iter().any(|line| !line.bullet && anchor(line).is_some());
    !under_role || length > 1 && run.iter().all(dated)
}

/// Most items of one role, and what one of them may have in characters.
const ITEMS_MAX: usize = 30;
const ITEM_MAX: usize = 600;

/// The items of a list; a line that begins none goes on with the one before.
fn items(lines: &[Line]) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let bulleted = lines.iter().any(|line| line.bullet);
    for line in lines {
        let is_full = items.len() == ITEMS_MAX;
        match items.last_mut() {
            Some(last) if !line.bullet && (bulleted || !last.ends_with('.')) => {
                if last.len() < ITEM_MAX {
                    last.push(' ');
                    last.push_str(&line.text);
                }
            }
            _ if is_full => break,
            _ => items.push(line.text.clone()),
        }
    }
    items
}

/// How many lines right above `at` can name the same role, at most `most`, not above `free`.
fn back(lines: &[Line], at: usize, free: usize, most: usize) -> usize {
    let mut count = 0;
    while count < most && at > free + count {
        let line = &lines[at - count - 1];
        // A line right under a bullet is its second half.
        let wrapped = !line.after_gap && at - count >= 2 && lines[at - count - 2].bullet;
        let bullet = &lines[(at - count).saturating_sub(2)].text;
        let hangs = wrapped
            && !words::is_organisation(&line.text)
            && !words::is_position(&line.text)
            && (line.text.starts_with(char::is_lowercase) || reaches_edge(bullet, lines));
        // A place right under a period belongs to it.
        let is_under = at - count >= 2
            && place::is_place(&line.text)
            && anchor(&lines[at - count - 2]).is_some_and(|period| period.start.is_some());
        if !names(line)
            || hangs
            || is_under
            || (count > 0 && lines[at - count].after_gap && complete_line(&lines[at - count].text))
        {
            break;
        }
        count += 1;
    }
    count
}

/// Whether a line is broken off at the edge of its column rather than ended.
fn reaches_edge(line: &str, lines: &[Line]) -> bool {
    let longest = lines.iter().map(|line| line.text.len()).max().unwrap_or_default();
    !line.ends_with(['.', '!', ';', ':']) && line.len() * 5 > longest * 4
}

/// A line that can name a firm, a title or a place.
fn names(line: &Line) -> bool {
    let has_period = anchor(line).is_some();
    let label = line.text.split(':').next().filter(|label| label.len() < line.text.len());
    let is_note = label.is_some_and(|label| vocabulary().notes.contains(&folded(label.trim())));
    !line.bullet && !line.is_prose() && !has_period && !is_note
}

/// Takes a line under the period in, if it says what is still missing; what follows a full head is about the work.
fn adds(head: &mut Vec<String>, line: &Line) -> bool {
    let text = &line.text;
    let before = Role::of_lines(head, Order::Unknown);
    let mut with = head.clone();
    with.push(text.clone());
    let after = Role::of_lines(&with, Order::Unknown);
    let short = text.split_whitespace().count() <= 10;
    let gains = (before.position.is_none() && after.position.is_some())
        || (before.organisation.is_none() && after.organisation.is_some())
        || (before.location.is_none() && place::is_place(text));
    let grows = after.position != before.position;
    let keeps = before.position.as_deref().is_none_or(|title| {
        after.position.as_deref().is_some_and(|longer| longer.starts_with(title))
    });
    let gains = gains || grows && before.position.is_some();
    // `Acme Ltd, Smallville` above `Wrangler`.
    let replaces =
        before.is_beside && !after.is_beside && line.text.split_whitespace().count() <= 8;
    // `Acme Ltd – Smallville` above `Engineer`: the town was taken for the title.
    let has_title = |lines: &[String]| named(lines).iter().any(|named| named.kind == Kind::Title);
    let tells = !has_title(head) && has_title(std::slice::from_ref(text));
    let adds = names(line) && short && (gains && keeps || tells || replaces);
    if adds {
        head.push(text.clone());
    }
    adds
}

fn complete_line(text: &str) -> bool {
    let role = Role::of_lines(&[text.to_owned()], Order::Unknown);
    role.organisation.is_some() && role.position.is_some()
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
    let apart = |piece: &Piece| beside.is_none_or(|beside| beside.named.line != piece.named.line);
    let at = match unknown.first() {
        Some(first) if is_town(first) => unknown.iter().position(apart).unwrap_or_default(),
        Some(_) => 0,
        None => return None,
    };
    Some(unknown.remove(at))
}

/// The pieces of a head, in which somebody's own business stands where a firm would: `Self-employed`, `Electrician`.
fn pieces_of(head: &[String]) -> Vec<Named> {
    let mut pieces = named(head);
    let titles = pieces.iter().filter(|named| named.kind == Kind::Title);
    let (own, jobs) =
        titles.fold(
            (0, 0),
            |(own, jobs), named| {
                if is_own(&named.text) { (own + 1, jobs) } else { (own, jobs + 1) }
            },
        );
    if own == 1 && jobs == 1 {
        for named in pieces.iter_mut().filter(|named| is_own(&named.text)) {
            named.kind = Kind::Firm;
        }
    }
    pieces
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
        };
        let mut unknown: Vec<Piece> = Vec::new();
        let (mut department, mut detail) = (None, None);
        let mut known: Option<Piece> = None;
        for (at, named) in pieces_of(head).into_iter().enumerate() {
            let Named { kind, text, after_title, .. } = &named;
            let (kind, after_title) = (*kind, *after_title);
            if kind == Kind::Firm && after_title && department.is_none() && is_department(text) {
                department = Some(named.text);
                continue;
            }
            if kind == Kind::Unknown && after_title && detail.is_none() {
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
                        self.complete(other, known, order);
                        if !is_clear {
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
        self.sure = match usual {
            _ if is_twice => Confidence::Low,
            Some(false) => Confidence::Low,
            None if !has_title => Confidence::Low,
            _ => Confidence::Medium,
        };
        self.is_beside = known.is_some_and(|known| is_beside(&other, known));
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
        // What is guessed are the names; a period stands where it stands.
        let (whole, names) = match (sure, role.contains_key("startDate")) {
            _ if has_one_date => (Confidence::Low, sure),
            (Confidence::Low, true) => (Confidence::Medium, Confidence::Low),
            (sure, _) => (sure, sure),
        };
        findings.sure(path, whole);
        if is_inherited {
            findings.sure(&format!("{path}.{}", shape.organisation), Confidence::Low);
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
