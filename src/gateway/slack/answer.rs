//! What was pressed and entered, as replies. Pure. What comes in is data: it is read by the stored question, and the
//! core checks it once more.

use std::collections::BTreeMap;

use super::{
    inbound::{File, Inputs, Typed},
    limits,
    render::{
        inputs::entered,
        pages::{Edit, is_step, layout, packed_id, unpacked},
        text::clip_or,
    },
};
use crate::{
    chat::form::{self, ComponentId, Fields, field_name, kept, named, picked, words_to_values},
    messages,
    model::{
        ui::{Choose, Control, Field, FieldError, Form, Reply, Review, Verdict},
        wait::Wait,
    },
};

/// Under this name stands what is wrong where no input of a form stands for it.
pub(crate) const WHOLE: &str = "";

/// Longest complaint under an input, in characters; ours.
const COMPLAINT: usize = 300;

/// What a menu stands for once an option is picked: an entry's `row.L.I` becomes `remove.L.I`, a menu of choices
/// `pick.N`, a menu of parts `edit.N`. Anything else stays.
pub fn resolve(element: ComponentId, inputs: &Inputs) -> ComponentId {
    let own = ComponentId::id(element.wait, element.revision, &element.action);
    let all = || inputs.0.values();
    let typed =
        all().find_map(|block| block.get(&own)).or_else(|| all().flat_map(|b| b.values()).next());
    let value = typed.and_then(|typed| typed.values.first()).map_or("", String::as_str);
    let is_number = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
    let action = match element.action.split_once('.') {
        None if element.action == "pick" && is_number => format!("pick.{value}"),
        None if element.action == "edit" && is_number => format!("edit.{value}"),
        Some(("row", place)) => match value {
            "edit" => format!("edit.r{place}"),
            "remove" | "up" => format!("{value}.{place}"),
            _ => return element,
        },
        _ => return element,
    };
    ComponentId { action, ..element }
}

/// Whether it was ticking alone: it counts once it is sent.
pub fn is_idle(element: &ComponentId) -> bool {
    element.action == "tick"
}

/// The files that a form holds.
pub fn files(inputs: &Inputs) -> Vec<File> {
    inputs.0.values().flat_map(BTreeMap::values).flat_map(|typed| &typed.files).cloned().collect()
}

/// The reply that a form or a button stands for, or what is wrong with it by block id. Files are not in it: they come
/// as [`Reply::Uploaded`] once they are kept.
pub fn read(
    wait: &Wait,
    element: &ComponentId,
    inputs: &Inputs,
) -> Result<Reply, BTreeMap<String, String>> {
    let wrong = |errors: Vec<FieldError>| place(wait, element, &errors);
    let action = element.action.as_str();
    let reply = |fields: &Fields| form::reply(&wait.prompt, action, fields).map_err(wrong);
    match (&wait.prompt.control, action) {
        (_, "skip") => reply(&Fields::default()),
        (Control::Choose(choose), "done") => reply(&chosen(choose, inputs)?),
        (Control::Form(form), "submit") => reply(&filled(form, inputs)),
        (Control::Review(review), action) if action.starts_with("save") || is_step(action) => {
            saved(review, element, inputs).map_err(wrong)
        }
        (Control::Upload(_), "send") => {
            if files(inputs).is_empty() {
                return Err(BTreeMap::from([(
                    "files".to_owned(),
                    messages::answers::CHOOSE_FILE_FIRST.to_owned(),
                )]));
            }
            Ok(Reply::Uploaded { artifacts: Vec::new() })
        }
        (
            Control::Choose(_)
            | Control::Form(_)
            | Control::Review(_)
            | Control::Upload(_)
            | Control::Ask(_)
            | Control::Decide(_)
            | Control::Confirm(_),
            _,
        ) => {
            let one =
                |name: &str| typed(inputs, name).and_then(|typed| typed.values.first()).cloned();
            let sent = ["text", "notes", "feedback"].into_iter();
            let sent = sent.filter_map(|name| Some((name.to_owned(), one(name)?)));
            reply(&Fields(sent.collect()))
        }
    }
}

/// What was entered in a block.
fn typed<'a>(inputs: &'a Inputs, block: &str) -> Option<&'a Typed> {
    inputs.0.get(block)?.values().next()
}

fn chosen(choose: &Choose, inputs: &Inputs) -> Result<Fields, BTreeMap<String, String>> {
    let ticked = typed(inputs, "pick").map_or(&[][..], |typed| &typed.values);
    let mut ids = picked(&choose.choices, ticked);
    let others = typed(inputs, "named").and_then(|typed| typed.values.first());
    for id in named(&choose.choices, true, others.map_or("", String::as_str)) {
        if !choose.choices.iter().any(|choice| choice.id == id) {
            let complaint = messages::answers::not_a_choice(&clip_or(
                &id,
                limits::OPTION_TEXT,
                messages::forms::THAT,
            ));
            return Err(BTreeMap::from([("named".to_owned(), complaint)]));
        }
        ids.push(id);
    }
    if !choose.multiple && ids.len() > 1 {
        let block = if others.is_some() { "named" } else { "pick" };
        return Err(BTreeMap::from([(block.to_owned(), messages::answers::PICK_ONE.to_owned())]));
    }
    Ok(Fields(ids.into_iter().map(|id| ("pick".to_owned(), id)).collect()))
}

fn filled(form: &Form, inputs: &Inputs) -> Fields {
    let layout = layout(form);
    let mut sent: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    // What the form does not show stays as it is.
    for field in &form.fields {
        sent.insert(&field.path, kept(field));
    }
    for slot in &layout.slots {
        if let (Some(values), Some(field)) = (
            entered(&slot.field, typed(inputs, &slot.block)),
            form.fields.iter().find(|field| field.path == slot.field.path),
        ) {
            sent.insert(&field.path, values);
        }
    }
    for (n, places) in layout.packed.iter().enumerate() {
        let text = typed(inputs, &packed_id(n)).and_then(|typed| typed.values.first());
        for (field, value) in unpacked(&form.fields, places, text.map_or("", String::as_str)) {
            if !value.trim().is_empty() {
                sent.insert(&field.path, words_to_values(field, &value));
            }
        }
    }
    let pairs = sent.into_iter().flat_map(|(path, values)| {
        let name = field_name(path);
        values.into_iter().map(move |value| (name.clone(), value))
    });
    Fields(pairs.collect())
}

/// An edit form that was sent, or an entry that is removed or moved by itself.
fn saved(
    review: &Review,
    element: &ComponentId,
    inputs: &Inputs,
) -> Result<Reply, Vec<FieldError>> {
    let Some(edit) = Edit::read(&element.action) else {
        return Err(vec![FieldError::whole(messages::answers::NO_ANSWER)]);
    };
    let mut fields = Fields::default();
    let mut shown: Vec<String> = Vec::new();
    for slot in edit.parts(review).iter().flat_map(|part| &part.slots) {
        // What the form does not hold, or was left as it is, is kept.
        let Some(typed) = typed(inputs, &slot.block) else { continue };
        let Some(values) = entered(&slot.field, Some(typed)) else { continue };
        shown.push(slot.field.path.clone());
        let name = field_name(&slot.field.path);
        fields.0.extend(values.into_iter().map(|value| (name.clone(), value)));
    }
    let is_shown = |path: &str| shown.iter().any(|known| known == path);
    let data = edit.sheet(review).data_within(review, &fields, is_shown)?;
    let notes = typed(inputs, "notes").and_then(|typed| typed.values.first());
    let notes = notes.map(|notes| form::text(notes)).filter(|notes| !notes.is_empty());
    Ok(Reply::Reviewed { verdict: Verdict::Saved, data: Some(data), notes })
}

/// What is wrong with a form by block id, as its acknowledgement says it. A complaint about a place that the form does
/// not show stands under its first input; where there is no form it stands under [`WHOLE`].
pub fn place(
    wait: &Wait,
    element: &ComponentId,
    errors: &[FieldError],
) -> BTreeMap<String, String> {
    let blocks = blocks(wait, element);
    let first = blocks.first().map_or(WHOLE, |(block, _)| block.as_str());
    let mut placed: BTreeMap<String, String> = BTreeMap::new();
    for error in errors {
        let own = blocks.iter().find(|(_, path)| *path == error.path && !path.is_empty());
        let (block, message) = match own {
            // Several fields stand in it.
            Some((block, _)) if block.starts_with("p.") => {
                (block.as_str(), form::complaint(&wait.prompt.control, error))
            }
            Some((block, _)) => (block.as_str(), error.message.clone()),
            None if error.path.is_empty() || error.path == "pick" => (first, error.message.clone()),
            None => (first, form::complaint(&wait.prompt.control, error)),
        };
        let said = placed.entry(block.to_owned()).or_default();
        if !said.is_empty() {
            said.push(' ');
        }
        said.push_str(&message);
    }
    for message in placed.values_mut() {
        *message = clip_or(message, COMPLAINT, messages::answers::NO_ANSWER);
    }
    placed
}

/// The inputs of the form behind an action: block id and path, in order.
fn blocks(wait: &Wait, element: &ComponentId) -> Vec<(String, String)> {
    let same = |name: &str| vec![(name.to_owned(), name.to_owned())];
    match (&wait.prompt.control, element.action.as_str()) {
        (Control::Choose(_), "done") => same("pick"),
        (Control::Form(form), "submit") => {
            let layout = layout(form);
            let slots = layout.slots.into_iter().map(|slot| (slot.block, slot.field.path));
            let packed = layout.packed.iter().enumerate().flat_map(|(n, places)| {
                let fields = places.iter().filter_map(|place| form.fields.get(*place));
                fields.map(move |field: &Field| (packed_id(n), field.path.clone()))
            });
            slots.chain(packed).collect()
        }
        (Control::Review(review), action) if action.starts_with("save") && !is_step(action) => {
            let parts = Edit::read(action).map(|edit| edit.parts(review)).unwrap_or_default();
            let slots = parts.into_iter().flat_map(|part| part.slots);
            let notes = ("notes".to_owned(), String::new());
            slots.map(|slot| (slot.block, slot.field.path)).chain([notes]).collect()
        }
        (Control::Review(_), "reject") => same("notes"),
        (Control::Ask(_), "send") => same("text"),
        (Control::Upload(_), "send") => same("files"),
        (Control::Decide(_), "deny_and_tell") => same("feedback"),
        (
            Control::Choose(_)
            | Control::Form(_)
            | Control::Review(_)
            | Control::Upload(_)
            | Control::Ask(_)
            | Control::Decide(_)
            | Control::Confirm(_),
            _,
        ) => Vec::new(),
    }
}
