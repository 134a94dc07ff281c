//! Arguments of script steps against the tool's schema, as far as they are known before anybody answers.

use serde_json::{Map, Value, json};

use super::Check;
use crate::{
    config::{problem::did_you_mean, schema_errors, toml_document::escaped},
    model::flow::{Step, WHEN},
};

/// Arguments with stand-ins for what is only known later.
struct Outline {
    /// JSON pointers, within the arguments, of texts whose words are only known later.
    texts: Vec<String>,
    /// Of values of which nothing is known.
    opaque: Vec<String>,
    /// Of lists with the fewest and the most entries they come to.
    lists: Vec<(String, usize, usize)>,
}

/// What an option may say.
const OPTION: [&str; 7] = ["id", "label", "description", "icon", "when", "points", "correct"];

impl Check<'_> {
    /// Compiles the expressions in a step's arguments, and checks the rest against the tool's schema.
    pub(super) fn arguments(&mut self, at: &str, step: &Step) {
        let mut outline = Outline { texts: Vec::new(), opaque: Vec::new(), lists: Vec::new() };
        let at = format!("{at}/args");
        let args = Value::Object(step.args.clone());
        let args = self.outline(&args, &at, "", &mut outline).unwrap_or_else(|| json!({}));
        let Some(schema) = self.catalogue.tools.get(&step.tool) else { return };
        self.known_arguments(&at, step, schema);
        for mistake in schema_errors::mistakes(schema, &args) {
            let below = |place: &String| {
                mistake.pointer == *place || mistake.pointer.starts_with(&format!("{place}/"))
            };
            let unknown = outline.opaque.iter().any(below)
                || (outline.texts.contains(&mistake.pointer) && !mistake.is_type)
                || (outline.lists.iter().any(|(place, ..)| mistake.pointer == *place)
                    && !mistake.is_type);
            if !unknown {
                let hint = self.reviewable(&mistake.pointer, step).or(mistake.hint);
                self.error(&format!("{at}{}", mistake.pointer), mistake.message, hint);
            }
        }
        for (place, fewest, most) in &outline.lists {
            self.list_bounds(&at, place, schema, (*fewest, *most));
        }
        self.distinct_options(&at, &args);
        if let (Some(draft), Some(data)) =
            (args.get("data"), step.args.get("dataType").and_then(Value::as_str))
        {
            self.draft(&at, data, draft, &outline);
        }
    }

    /// What to do about data that is no `dataType` because nobody looks at it on a card.
    fn reviewable(&self, pointer: &str, step: &Step) -> Option<String> {
        let data = step.args.get("dataType").filter(|_| pointer == "/dataType")?.as_str()?;
        let table = self.flow.data.get(data).filter(|table| !table.review);
        table.map(|_| format!("set `review = true` under `[data.{data}]`"))
    }

    /// A draft has the fields and types of its data; what it lacks is filled in by whoever reads it.
    fn draft(&mut self, at: &str, data: &str, draft: &Value, outline: &Outline) {
        let Some(schema) =
            self.loaded.data_type(data).and_then(|name| self.loaded.schemas.get(&name))
        else {
            return;
        };
        let mut found = schema_errors::mistakes(schema, draft);
        found.retain(|mistake| {
            let place = format!("/data{}", mistake.pointer);
            let is_open = outline.texts.contains(&place)
                || outline.opaque.iter().any(|opaque| place.starts_with(opaque.as_str()));
            mistake.is_unknown_key || (mistake.is_type && !is_open)
        });
        let known = schema.get("properties").and_then(Value::as_object);
        let open =
            schema.get("additionalProperties").is_none_or(|more| *more != Value::Bool(false));
        let other = self.data_with(draft).filter(|other| other != data);
        let meant =
            other.map(|other| format!("`{other}` has it: did you mean `dataType = \"{other}\"`?"));
        for mistake in found {
            let hint = meant.clone().filter(|_| mistake.is_unknown_key).or(mistake.hint);
            self.error(&format!("{at}/data{}", mistake.pointer), mistake.message, hint);
        }
        let (Some(known), Some(members), true) = (known, draft.as_object(), open) else { return };
        for field in members.keys().filter(|field| !known.contains_key(*field)) {
            let closest = || did_you_mean(field, known.keys().map(String::as_str));
            let hint = meant.clone().or_else(closest);
            let message = format!("`{data}` has no field `{field}`");
            self.error(&format!("{at}/data/{}", escaped(field)), message, hint);
        }
    }

    /// The one kind of data that has all the fields of a draft.
    fn data_with(&self, draft: &Value) -> Option<String> {
        let members = draft.as_object().filter(|members| !members.is_empty())?;
        let fits = |schema: &Value| {
            let known = schema.get("properties").and_then(Value::as_object);
            known.is_some_and(|known| members.keys().all(|field| known.contains_key(field)))
        };
        let mut fitting = self.loaded.schemas.iter().filter(|(_, schema)| fits(schema));
        let (name, _) = fitting.next()?;
        fitting.next().is_none().then(|| name.clone())
    }

    /// A tool passes over what it does not know, so a slip of the pen would go unseen.
    fn known_arguments(&mut self, at: &str, step: &Step, schema: &Value) {
        let known = schema.get("properties").and_then(Value::as_object);
        let known: Vec<&str> =
            known.into_iter().flat_map(|k| k.keys().map(String::as_str)).collect();
        for key in step.args.keys().filter(|key| !known.contains(&key.as_str())) {
            let hint = did_you_mean(key, known.iter().copied());
            let message = format!("`{}` has no argument `{key}`", step.tool);
            self.error(&format!("{at}/{}", escaped(key)), message, hint);
        }
    }

    /// A list of the script's making comes to as many entries as the schema wants, whatever was answered before.
    fn list_bounds(&mut self, at: &str, place: &str, schema: &Value, comes_to: (usize, usize)) {
        let below = place
            .split('/')
            .skip(1)
            .try_fold(schema, |schema, key| schema.get("properties")?.get(key));
        let bound =
            |key: &str| below?.get(key)?.as_u64().and_then(|bound| usize::try_from(bound).ok());
        let (fewest, most) = comes_to;
        if let Some(min) = bound("minItems").filter(|min| fewest < *min) {
            let entries = if fewest == 1 { "entry" } else { "entries" };
            let message =
                format!("this may yield only {fewest} {entries}; at least {min} are required");
            let is_each = self.document.span(&format!("{at}{place}/$each")).is_some();
            let hint = if is_each {
                "add fixed ones under `$also`"
            } else {
                "add entries without `when`, or take a `when` out"
            };
            if is_each {
                self.error(&format!("{at}{place}"), message, Some(hint.to_owned()));
            } else {
                // What the conditions come to shows when the flow is run.
                self.warn(&format!("{at}{place}"), message, hint);
            }
        }
        if let Some(max) = bound("maxItems").filter(|max| most > *max) {
            let message = format!("this may yield more than {max} entries");
            let hint = format!("add `\"$most\" = {}`", max.saturating_sub(fewest));
            self.error(&format!("{at}{place}"), message, Some(hint));
        }
    }

    /// Option ids differ, or an answer would be two; and a tool passes over what it does not know of an option.
    fn distinct_options(&mut self, at: &str, args: &Value) {
        let Some(options) = args.get("options").and_then(Value::as_array) else { return };
        for (n, option) in options.iter().enumerate() {
            for key in option.as_object().into_iter().flat_map(Map::keys) {
                if !OPTION.contains(&key.as_str()) {
                    let hint = did_you_mean(key, OPTION);
                    let at = format!("{at}/options/{n}/{}", escaped(key));
                    self.error(&at, format!("an option has no `{key}`"), hint);
                }
            }
            for (key, fits) in [
                ("points", option["points"].is_i64() || option["points"].is_null()),
                ("correct", option["correct"].is_boolean() || option["correct"].is_null()),
            ] {
                if !fits {
                    let wanted = if key == "points" { "a whole number" } else { "true or false" };
                    let at = format!("{at}/options/{n}/{key}");
                    self.error(&at, format!("expected {wanted}"), None);
                }
            }
        }
        let id = |option: &Value| option.get("id").and_then(Value::as_str).map(str::to_owned);
        for (n, option) in options.iter().enumerate() {
            let Some(this) = id(option) else { continue };
            if options[..n].iter().any(|earlier| id(earlier).as_ref() == Some(&this)) {
                let message = format!("duplicate option `{this}`");
                self.error(&format!("{at}/options/{n}/id"), message, None);
            }
        }
    }

    /// A value with stand-ins; `None` if it may drop out altogether.
    fn outline(
        &mut self,
        value: &Value,
        at: &str,
        place: &str,
        outline: &mut Outline,
    ) -> Option<Value> {
        match value {
            Value::String(text) if text.contains("{{") || text.contains("{%") => {
                self.template(&format!("{at}{place}"), text);
                outline.texts.push(place.to_owned());
                Some(Value::String("…".to_owned()))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                Some(value.clone())
            }
            Value::Array(items) => Some(self.outline_list(items, at, place, outline)),
            Value::Object(members) if members.contains_key("$from") => {
                self.outline_from(members, at, place, outline)
            }
            Value::Object(members) if members.contains_key("$each") => {
                Some(self.outline_each(members, at, place, outline))
            }
            Value::Object(members) => {
                let filled: Map<String, Value> = members
                    .iter()
                    .filter_map(|(key, value)| {
                        let below = format!("{place}/{}", escaped(key));
                        Some((key.clone(), self.outline(value, at, &below, outline)?))
                    })
                    .collect();
                Some(Value::Object(filled))
            }
        }
    }

    /// A list, as it is where every condition in it holds. How short it may get is told by those that have none.
    fn outline_list(
        &mut self,
        items: &[Value],
        at: &str,
        place: &str,
        outline: &mut Outline,
    ) -> Value {
        let mut sure = contraries(items);
        let mut list = Vec::new();
        for (n, item) in items.iter().enumerate() {
            let place = format!("{place}/{n}");
            let mut item = item.clone();
            let when = item.as_object_mut().and_then(|members| members.remove(WHEN));
            match &when {
                Some(Value::String(when)) => self.holds(&format!("{at}{place}"), Some(when)),
                Some(_) => self.error(&format!("{at}{place}/when"), "expected an expression", None),
                None => sure += 1,
            }
            list.extend(self.outline(&item, at, &place, outline));
        }
        if sure < items.len() {
            outline.lists.push((place.to_owned(), sure, items.len()));
        }
        Value::Array(list)
    }

    /// `$from`: what its default is, or nothing that could be checked.
    fn outline_from(
        &mut self,
        members: &Map<String, Value>,
        at: &str,
        place: &str,
        outline: &mut Outline,
    ) -> Option<Value> {
        let here = format!("{at}{place}");
        self.only(&here, members, &["$from", "$default"]);
        match members.get("$from").and_then(Value::as_str) {
            Some(expression) => self.expression(&format!("{here}/$from"), expression),
            None => self.error(&format!("{here}/$from"), "expected an expression", None),
        }
        if let Some(default) = members.get("$default") {
            // Its pointers within the document go through `$default`, those within the arguments do not.
            let mut inner = Outline { texts: Vec::new(), opaque: Vec::new(), lists: Vec::new() };
            let value = self.outline(default, &format!("{here}/$default"), "", &mut inner);
            let lift = |inner: Vec<String>| {
                inner.into_iter().map(|below| format!("{place}{below}")).collect::<Vec<_>>()
            };
            outline.texts.extend(lift(inner.texts));
            outline.opaque.extend(lift(inner.opaque));
            return value;
        }
        outline.opaque.push(place.to_owned());
        Some(Value::Null)
    }

    /// `$each`: one entry as it will be, and the fixed ones.
    fn outline_each(
        &mut self,
        members: &Map<String, Value>,
        at: &str,
        place: &str,
        outline: &mut Outline,
    ) -> Value {
        let here = format!("{at}{place}");
        self.only(&here, members, &["$each", "$as", "$also", "$most"]);
        match members.get("$each").and_then(Value::as_str) {
            Some(expression) => self.list(&format!("{here}/$each"), expression),
            None => self.error(&format!("{here}/$each"), "expected an expression", None),
        }
        let also = members.get("$also").and_then(Value::as_array).cloned().unwrap_or_default();
        let most = members.get("$most").and_then(Value::as_u64);
        let most = most.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
        outline.lists.push((place.to_owned(), also.len(), most.saturating_add(also.len())));
        let mut list = Vec::new();
        if let Some(shape) = members.get("$as") {
            list.extend(self.outline(shape, at, &format!("{place}/0"), outline));
        } else {
            outline.opaque.push(format!("{place}/0"));
            list.push(Value::Null);
        }
        for entry in &also {
            let below = format!("{place}/{}", list.len());
            list.extend(self.outline(entry, at, &below, outline));
        }
        Value::Array(list)
    }

    fn only(&mut self, here: &str, members: &Map<String, Value>, known: &[&str]) {
        for key in members.keys().filter(|key| !known.contains(&key.as_str())) {
            let hint = did_you_mean(key, known.iter().copied());
            self.error(&format!("{here}/{}", escaped(key)), format!("unknown key `{key}`"), hint);
        }
    }
}

/// How many pairs of entries there are of which one always applies: `when = "a"`, `when = "not a"`.
fn contraries(items: &[Value]) -> usize {
    let conditions: Vec<&str> = items.iter().filter_map(|item| item[WHEN].as_str()).collect();
    let pairs = conditions.iter().enumerate().filter(|(n, condition)| {
        conditions[n + 1..].iter().any(|other| is_contrary(condition, other))
    });
    pairs.count()
}

/// Whether exactly one of two conditions is true, whatever is answered.
fn is_contrary(one: &str, other: &str) -> bool {
    let plain = |condition: &str| -> String {
        let condition = condition.trim();
        let within = condition.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        within.filter(|within| !within.contains(['(', ')'])).unwrap_or(condition).trim().to_owned()
    };
    let denies = |one: &str, other: &str| {
        let rest = one.trim().strip_prefix("not ").map(plain);
        rest.is_some_and(|rest| rest == plain(other))
            || one.matches("==").count() == 1 && one.replace("==", "!=") == other
    };
    denies(one, other) || denies(other, one)
}
