//! What goes into a form, and under which block ids: decided from the stored question alone, so that what comes back
//! is read by the same rule. Block ids are places, never paths: those may be longer than Slack takes.

use std::collections::BTreeSet;

use slack_morphism::prelude::SlackBlock;

use super::{inputs, text};
use crate::{
    chat::form::{Fields, Sheet, review_editor::entry_of, text_of},
    gateway::slack::{blocks, limits},
    model::ui::{Field, Form, Group, Review},
};

/// Inputs of one form; the other blocks are headings and buttons.
const INPUTS_MAX: usize = 60;

/// Blocks with several fields in one input, for a form that has more of them than fit.
const PACKED_MAX: usize = 12;

/// A field in a form, under its block id.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::gateway::slack) struct Slot {
    pub(in crate::gateway::slack) block: String,
    pub(in crate::gateway::slack) field: Field,
}

impl Slot {
    pub(super) fn draw(&self) -> SlackBlock {
        inputs::block(&self.block, &self.field)
    }

    fn bytes(&self) -> usize {
        blocks::json(&self.draw()).to_string().len()
    }
}

/// How the fields of a form are laid out.
#[derive(Debug, Default)]
pub(in crate::gateway::slack) struct Layout {
    /// One input each.
    pub(in crate::gateway::slack) slots: Vec<Slot>,
    /// Several in one input, a line each: their places among the fields, by block.
    pub(in crate::gateway::slack) packed: Vec<Vec<usize>>,
}

/// Lays out the fields of a form: one input each, and the rest a line each.
pub(in crate::gateway::slack) fn layout(form: &Form) -> Layout {
    let mut layout = Layout::default();
    let (mut bytes, mut length) = (0, 0);
    for (n, field) in form.fields.iter().enumerate() {
        let slot = Slot { block: format!("f.{n}"), field: field.clone() };
        let more = slot.bytes();
        let fits = layout.slots.len() < INPUTS_MAX && bytes + more < limits::VIEW_BYTES_OURS / 2;
        if fits && layout.packed.is_empty() {
            bytes += more;
            layout.slots.push(slot);
            continue;
        }
        let line = text::units(&packed_line(n, field)) + 1;
        let begun = layout.packed.len();
        match layout.packed.last_mut() {
            Some(block) if length + line <= limits::INPUT_TEXT => {
                length += line;
                block.push(n);
            }
            _ if begun < PACKED_MAX => {
                length = line;
                layout.packed.push(vec![n]);
            }
            _ => break,
        }
    }
    layout
}

/// Name of the `n`th input that holds several fields.
pub(in crate::gateway::slack) fn packed_id(n: usize) -> String {
    format!("p.{n}")
}

/// `12. Label:`, which a line of an input with several fields begins with.
fn packed_head(n: usize, field: &Field) -> String {
    let label = text::clip(&field.label.replace(['\n', ':'], " "), 40);
    format!("{}. {}:", n + 1, label.trim())
}

/// A field as a line; a value that is long or has lines of its own is kept unless something is written.
pub(super) fn packed_line(n: usize, field: &Field) -> String {
    let value = text_of(field);
    let shown = if text::units(&value) > 80 || value.contains('\n') { "" } else { value.as_str() };
    format!("{} {shown}", packed_head(n, field))
}

/// What was written into an input with several fields: by place, where something was.
pub(in crate::gateway::slack) fn unpacked<'a>(
    fields: &'a [Field],
    places: &[usize],
    typed: &str,
) -> Vec<(&'a Field, String)> {
    let mut found: Vec<(&Field, String)> = Vec::new();
    for line in typed.lines() {
        let number = line.split_once('.').and_then(|(number, rest)| {
            let place = number.trim().parse::<usize>().ok()?.checked_sub(1)?;
            places.contains(&place).then_some((place, rest))
        });
        match number {
            Some((place, rest)) => {
                let Some(field) = fields.get(place) else { continue };
                let head = packed_head(place, field);
                let value = line.trim_start().strip_prefix(&head).unwrap_or(rest).trim();
                found.push((field, value.to_owned()));
            }
            None => {
                if let Some((_, value)) = found.last_mut() {
                    value.push('\n');
                    value.push_str(line);
                }
            }
        }
    }
    found
}

/// Which part of a review a form edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gateway::slack) enum Scope {
    /// All of it.
    All,
    /// One of [`parts`].
    Part(usize),
    /// One entry of a list.
    Entry(usize, usize),
    /// No field: only the order of entries.
    Nothing,
}

/// What an edit form is about, as its action says it: `save`, `save.3`, `save.r0.2`, and after it what is done to the
/// lists when it is sent: `save+remove.0.2+add.0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::gateway::slack) struct Edit {
    pub(in crate::gateway::slack) scope: Scope,
    /// `add.L`, `remove.L.I`, `up.L.I`, in order.
    pub(in crate::gateway::slack) steps: Vec<String>,
}

impl Edit {
    /// Reads an action of a card, `edit…`, or of an edit form, `save…`; or a single step.
    pub(in crate::gateway::slack) fn read(action: &str) -> Option<Self> {
        let mut parts = action.split('+');
        let first = parts.next()?;
        let steps: Vec<String> = parts.map(str::to_owned).collect();
        if is_step(first) && steps.is_empty() {
            return Some(Self { scope: Scope::All, steps: vec![first.to_owned()] });
        }
        let rest = first.strip_prefix("edit").or_else(|| first.strip_prefix("save"))?;
        let scope = match rest.strip_prefix('.') {
            None if rest.is_empty() => Scope::All,
            None => return None,
            Some("x") => Scope::Nothing,
            Some(rest) => match rest.strip_prefix('r').and_then(|rest| rest.split_once('.')) {
                Some((list, row)) => Scope::Entry(list.parse().ok()?, row.parse().ok()?),
                None => Scope::Part(rest.parse().ok()?),
            },
        };
        Some(Self { scope, steps })
    }

    /// The action under which the form is sent.
    pub(super) fn action(&self) -> String {
        let mut action = match self.scope {
            Scope::All => "save".to_owned(),
            Scope::Part(n) => format!("save.{n}"),
            Scope::Entry(list, row) => format!("save.r{list}.{row}"),
            Scope::Nothing => "save.x".to_owned(),
        };
        for step in &self.steps {
            action.push('+');
            action.push_str(step);
        }
        action
    }

    /// Whether a step is told above the form: where the form is for the entry that it adds, that is plain to see.
    pub(super) fn is_worth_telling(&self, step: &str) -> bool {
        !(matches!(self.scope, Scope::Entry(..))
            && self.steps.len() == 1
            && step.starts_with("add."))
    }

    /// The entries as they stand once the steps are done.
    pub(in crate::gateway::slack) fn sheet(&self, review: &Review) -> Sheet {
        let mut sheet = Sheet::of(review);
        for step in &self.steps {
            sheet.rearrange(review, step, &mut Fields::default());
        }
        sheet
    }

    /// The fields that the form shows, by heading.
    pub(in crate::gateway::slack) fn parts(&self, review: &Review) -> Vec<Part> {
        let all = parts(review, &self.sheet(review));
        match self.scope {
            Scope::All => all,
            Scope::Part(n) => all.into_iter().nth(n).into_iter().collect(),
            Scope::Entry(list, row) => {
                let is_it = |part: &Part| part.entry == Some((list, row));
                all.into_iter().filter(is_it).collect()
            }
            Scope::Nothing => Vec::new(),
        }
    }
}

/// Whether an action changes the order of entries alone.
pub(in crate::gateway::slack) fn is_step(action: &str) -> bool {
    ["add.", "remove.", "up."].iter().any(|verb| action.starts_with(verb))
}

/// Fields of a review under one heading, few enough for one form.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::gateway::slack) struct Part {
    pub(in crate::gateway::slack) title: String,
    /// The list and the place of the entry that it belongs to.
    pub(in crate::gateway::slack) entry: Option<(usize, usize)>,
    /// It is where the entry begins, and not a group within it.
    pub(super) is_head: bool,
    pub(in crate::gateway::slack) slots: Vec<Slot>,
}

/// The fields of a review as they stand in `sheet`, each under a block id that stays with it when entries move: Slack
/// keeps what was typed under it.
pub(in crate::gateway::slack) fn parts(review: &Review, sheet: &Sheet) -> Vec<Part> {
    let mut names = BTreeSet::new();
    let mut parts = Vec::new();
    for (n, group) in sheet.groups(review).into_iter().enumerate() {
        let entry = entry_of(review, &group.path);
        let origin =
            name_of(review, sheet, &group, entry).filter(|name| names.insert(name.clone()));
        let name = origin.unwrap_or_else(|| format!("o.{n}"));
        let is_head = entry.is_some_and(|(list, row)| {
            let path = &review.lists[list].path;
            group.path == if path.is_empty() { row.to_string() } else { format!("{path}.{row}") }
        });
        let slot = |(place, field): (usize, &Field)| Slot {
            block: format!("{name}.{place}"),
            field: field.clone(),
        };
        let slots: Vec<Slot> = group.fields.iter().enumerate().map(slot).collect();
        let chunks = chunks(slots);
        let several = chunks.len() > 1;
        for (m, slots) in chunks.into_iter().enumerate() {
            let title =
                if several { format!("{} ({})", group.title, m + 1) } else { group.title.clone() };
            parts.push(Part { title, entry, is_head: is_head && m == 0, slots });
        }
    }
    parts
}

/// Cuts fields into as many as one form takes.
fn chunks(slots: Vec<Slot>) -> Vec<Vec<Slot>> {
    let mut chunks: Vec<Vec<Slot>> = vec![Vec::new()];
    let mut bytes = 0;
    for slot in slots {
        let more = slot.bytes();
        let is_full = chunks.last().is_some_and(|chunk| {
            chunk.len() >= INPUTS_MAX
                || (!chunk.is_empty() && bytes + more > limits::VIEW_BYTES_OURS / 2)
        });
        if is_full {
            chunks.push(Vec::new());
            bytes = 0;
        }
        bytes += more;
        if let Some(chunk) = chunks.last_mut() {
            chunk.push(slot);
        }
    }
    chunks
}

/// Whether some parts go into one form together, with their headings and buttons.
pub(super) fn fit(parts: &[Part]) -> bool {
    let slots = parts.iter().flat_map(|part| &part.slots);
    let blocks = slots.clone().count() + 2 * parts.len();
    blocks <= INPUTS_MAX + 20 && slots.map(Slot::bytes).sum::<usize>() < limits::VIEW_BYTES_OURS / 2
}

/// Whether all of a review can be edited in one form.
pub(super) fn fits_whole(review: &Review) -> bool {
    fit(&parts(review, &Sheet::of(review)))
}

/// A name for a group that it keeps when it moves: its place in the review, or that of its entry.
fn name_of(
    review: &Review,
    sheet: &Sheet,
    group: &Group,
    entry: Option<(usize, usize)>,
) -> Option<String> {
    let Some((list, row)) = entry else {
        let place = review.groups.iter().position(|known| known.path == group.path)?;
        return Some(format!("g.{place}"));
    };
    let rows = &sheet.rows[list];
    let Some(from) = *rows.get(row)? else {
        let before = rows[..row].iter().filter(|from| from.is_none()).count();
        return Some(format!("a.{list}.{before}"));
    };
    let path = review.lists[list].path.as_str();
    let under =
        |row: usize| if path.is_empty() { row.to_string() } else { format!("{path}.{row}") };
    let old = format!("{}{}", under(from), group.path.strip_prefix(&under(row))?);
    match review.groups.iter().position(|known| known.path == old) {
        Some(place) => Some(format!("g.{place}")),
        None => Some(format!("r.{list}.{from}")),
    }
}
