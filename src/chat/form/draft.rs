//! What was entered for a question that takes more than one form, until it is sent. Pure. A gateway keeps it beside the
//! question where the platform's forms are too small for all of it, or close before they can complain.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Fields, Sheet, field_name,
    fields::{self, reply},
    input::kept,
    review_editor::{self, list_of},
};
use crate::{
    messages,
    model::ui::{Choose, Control, Field, FieldError, Form, Group, Prompt, Reply, Review, Verdict},
};

/// Values as they were entered, whether they will do or not, and entries of lists as they stand.
///
/// ```json
/// { "typed": { "basics.name": ["Ada"], "roles": ["maker", "reader"] }, "rows": [[0, null]] }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// By the fields' paths; of a choice, ids under [`Draft::PICK`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub typed: BTreeMap<String, Vec<String>>,
    /// As [`Sheet::rows`], once an entry was added, removed or moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<Vec<Option<usize>>>>,
    /// A remark that goes with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// A field in a form, under a name that stays with it when entries of lists are moved.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    /// `f.3`, `r.0.2.1`, `a.0.0.1`: short, and of letters, digits and dots.
    pub name: String,
    /// The field, with what was entered for it.
    pub field: Field,
}

impl Draft {
    /// Under this stand the ids that were picked.
    pub const PICK: &str = "pick";

    /// Under this stand words that are an answer by themselves.
    pub const TEXT: &str = "text";

    /// Nothing was entered.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Keeps what was entered for a field.
    pub fn enter(&mut self, path: &str, values: Vec<String>) {
        self.typed.insert(path.to_owned(), values);
    }

    /// The ids that were picked.
    pub fn picked(&self) -> &[String] {
        self.typed.get(Self::PICK).map_or(&[], Vec::as_slice)
    }

    /// Takes the picks among some of the choices in place of those before; picks among the others stay.
    pub fn pick(&mut self, among: &[String], ids: Vec<String>) {
        let picked = self.typed.entry(Self::PICK.to_owned()).or_default();
        picked.retain(|id| !among.contains(id));
        picked.extend(ids);
    }

    /// A field with what was entered for it.
    pub fn with(&self, field: &Field) -> Field {
        let Some(values) = self.typed.get(&field.path) else { return field.clone() };
        let name = field_name(&field.path);
        let sent = Fields(values.iter().map(|value| (name.clone(), value.clone())).collect());
        let value = match fields::read(field, &sent) {
            Ok(value) => value.unwrap_or(Value::Null),
            Err(_) => Value::String(values.join("\n")),
        };
        Field { value, check: false, ..field.clone() }
    }

    /// The entries of a review as they stand.
    pub fn sheet(&self, review: &Review) -> Sheet {
        match &self.rows {
            Some(rows) if rows.len() == review.lists.len() => Sheet { rows: rows.clone() },
            Some(_) | None => Sheet::of(review),
        }
    }

    /// Whether reviewed data was changed, and not only looked at.
    pub(crate) fn is_changed(&self, review: &Review) -> bool {
        let is_moved = |rows: &Vec<Vec<Option<usize>>>| *rows != Sheet::of(review).rows;
        !self.typed.is_empty() || self.rows.as_ref().is_some_and(is_moved)
    }

    /// Carries out `add.L`, `remove.L.I` or `up.L.I`; what was entered moves with its entry.
    pub fn rearrange(&mut self, review: &Review, action: &str) {
        let mut sheet = self.sheet(review);
        let pairs = self.typed.iter().flat_map(|(path, values)| {
            let name = field_name(path);
            // A name without a value moves too.
            let values = if values.is_empty() { vec![String::new()] } else { values.clone() };
            values.into_iter().map(move |value| (name.clone(), value))
        });
        let mut fields = Fields(pairs.collect());
        sheet.rearrange(review, action, &mut fields);
        self.typed.clear();
        for (name, value) in fields.0 {
            let path = name.strip_prefix("f.").unwrap_or(&name).to_owned();
            self.typed.entry(path).or_default().push(value);
        }
        self.rows = Some(sheet.rows);
    }

    /// The data of a review as it stands, as groups of fields.
    pub fn groups(&self, review: &Review) -> Vec<Group> {
        let mut groups = self.sheet(review).groups(review);
        for field in groups.iter_mut().flat_map(|group| &mut group.fields) {
            *field = self.with(field);
        }
        groups
    }

    /// The fields of a form, each under its name.
    pub fn slots(&self, form: &Form) -> Vec<Slot> {
        let slot = |(n, field)| Slot { name: format!("f.{n}"), field: self.with(field) };
        form.fields.iter().enumerate().map(slot).collect()
    }

    /// The fields of a review by group, each under its name.
    pub fn parts(&self, review: &Review) -> Vec<(Group, Vec<Slot>)> {
        let sheet = self.sheet(review);
        let known: Vec<&str> =
            review.groups.iter().flat_map(|group| &group.fields).map(|f| f.path.as_str()).collect();
        let names = |group: Group| {
            let named = |(n, field): (usize, &Field)| {
                let name = name_of(review, &sheet, &known, &field.path);
                Slot { name: name.unwrap_or_else(|| format!("o.{n}")), field: field.clone() }
            };
            let slots = group.fields.iter().enumerate().map(named).collect();
            (group, slots)
        };
        self.groups(review).into_iter().map(names).collect()
    }

    /// The answer that everything entered comes to, or what is wrong with it.
    pub fn reply(&self, prompt: &Prompt) -> Result<Reply, Vec<FieldError>> {
        match &prompt.control {
            Control::Choose(choose) => self.chosen(choose),
            Control::Form(form) => {
                let values = |field: &Field| match self.typed.get(&field.path) {
                    Some(values) => values.clone(),
                    None => kept(field),
                };
                let pairs = form.fields.iter().flat_map(|field| {
                    let name = field_name(&field.path);
                    values(field).into_iter().map(move |value| (name.clone(), value))
                });
                reply(prompt, "submit", &Fields(pairs.collect()))
            }
            Control::Review(review) => self.reviewed(review),
            Control::Upload(_) | Control::Ask(_) | Control::Decide(_) | Control::Confirm(_) => {
                Err(vec![FieldError::whole(messages::answers::NO_ANSWER)])
            }
        }
    }

    fn chosen(&self, choose: &Choose) -> Result<Reply, Vec<FieldError>> {
        let wrong = |message: &str| {
            Err(vec![FieldError { path: Self::PICK.to_owned(), message: message.to_owned() }])
        };
        let picked = self.picked();
        let ids = choose.choices.iter().map(|choice| &choice.id).filter(|id| picked.contains(id));
        let ids: Vec<String> = ids.cloned().collect();
        match messages::answers::picks(choose, ids.len()) {
            Some(complaint) => wrong(&complaint),
            None => Ok(Reply::Chosen { ids, free_text: None }),
        }
    }

    fn reviewed(&self, review: &Review) -> Result<Reply, Vec<FieldError>> {
        let pairs = self.typed.iter().flat_map(|(path, values)| {
            let name = field_name(path);
            values.iter().map(move |value| (name.clone(), value.clone()))
        });
        let sent = Fields(pairs.collect());
        let is_shown = |path: &str| self.typed.contains_key(path);
        let data = self.sheet(review).data_within(review, &sent, is_shown)?;
        let notes = self.notes.as_deref().map(fields::text).filter(|notes| !notes.is_empty());
        Ok(Reply::Reviewed { verdict: Verdict::Saved, data: Some(data), notes })
    }
}

/// A name for a field that it keeps when its entry moves: its place among all fields of the review, or within the entry.
fn name_of(review: &Review, sheet: &Sheet, known: &[&str], path: &str) -> Option<String> {
    let place = |path: &str| known.iter().position(|known| *known == path);
    let Some(list) = list_of(review, path) else {
        return place(path).map(|n| format!("f.{n}"));
    };
    let above = review.lists[list].path.as_str();
    let below =
        if above.is_empty() { path } else { path.strip_prefix(above)?.strip_prefix('.')? };
    let (row, rest) = below.split_once('.').unwrap_or((below, ""));
    let row: usize = row.parse().ok()?;
    let rows = &sheet.rows[list];
    let within = review.lists[list].fields.iter().position(|field| field.path == rest);
    let Some(from) = *rows.get(row)? else {
        let before = rows[..row].iter().filter(|from| from.is_none()).count();
        return within.map(|n| format!("a.{list}.{before}.{n}"));
    };
    let from_place = from.to_string();
    let own = [above, from_place.as_str(), rest].into_iter();
    let original = own.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
    match place(&original) {
        Some(n) => Some(format!("f.{n}")),
        None => within.map(|n| format!("r.{list}.{from}.{n}")),
    }
}

/// Lists to which entries can be added, by their number.
pub fn growing(review: &Review) -> impl Iterator<Item = usize> {
    (0..review.lists.len()).filter(|n| !review_editor::is_nested(review, *n))
}
