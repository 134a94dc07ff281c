//! Inputs of forms: what a field is drawn as, and how what was entered is read back. Both sides choose the input by
//! the same rule, [`shape`], from the field that is stored with the question.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    component::{CheckboxGroup, Component, RadioGroup, StringSelect, TextInput},
    components::{self, Item},
    text::{clip, clip_or, is_blank, units},
};
use crate::{
    chat::{
        card,
        form::{Slot, named, picked, text_of, yes_or_no},
    },
    gateway::discord::{inbound::Typed, kinds::InputTextStyle, limits},
    messages,
    model::ui::{Choice, Field, Input},
};

/// Value of the option that stands for no answer.
const NONE: &str = "none";

/// What a field is drawn as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gateway::discord) enum Shape {
    /// One line of text.
    Line,
    /// Several lines.
    Area,
    /// One of a few.
    Radio,
    /// Several of a few.
    Ticks,
    /// One of more.
    Menu,
    /// Several of more.
    Menus,
    /// One or several of too many for a menu, by name or number, one a line.
    Named,
    /// Text that is too long for an input: left empty it stays, otherwise it is replaced.
    Replacement,
}

/// What a field is drawn as.
pub(in crate::gateway::discord) fn shape(field: &Field) -> Shape {
    let value = text_of(field);
    match &field.input {
        Input::Bool => Shape::Radio,
        Input::Select { choices, multiple: false } => {
            // A radio button cannot be taken back: no answer is a button too.
            let buttons = choices.len() + usize::from(!field.required);
            match choices.len() {
                1.. if (limits::RADIO_MIN..=limits::TICKS).contains(&buttons) => Shape::Radio,
                1..=limits::SELECT_OPTIONS => Shape::Menu,
                _ => Shape::Named,
            }
        }
        Input::Select { choices, multiple: true } => match choices.len() {
            count if (1..=limits::TICKS).contains(&count) => Shape::Ticks,
            count if (1..=limits::SELECT_OPTIONS).contains(&count) => Shape::Menus,
            _ => Shape::Named,
        },
        _ if units(&value) > limits::INPUT_TEXT => Shape::Replacement,
        Input::Text { multiline: true, .. } | Input::Lines => Shape::Area,
        _ if value.contains('\n') => Shape::Area,
        Input::Text { .. }
        | Input::Phone
        | Input::Date
        | Input::Day
        | Input::Email
        | Input::Url
        | Input::Number { .. } => Shape::Line,
    }
}

/// What was entered for a field, as the values of a form; `None` if the field keeps what it has.
pub(in crate::gateway::discord) fn entered(field: &Field, typed: &Typed) -> Option<Vec<String>> {
    let values = &typed.values;
    let first = values.first().map_or("", String::as_str);
    Some(match (shape(field), &field.input) {
        (Shape::Replacement, _) if first.trim().is_empty() => return None,
        (Shape::Radio, Input::Bool) => picked(&yes_or_no(), values),
        (
            Shape::Radio | Shape::Ticks | Shape::Menu | Shape::Menus,
            Input::Select { choices, .. },
        ) => picked(choices, values),
        (Shape::Named, Input::Select { choices, multiple }) => named(choices, *multiple, first),
        _ => vec![first.to_owned()],
    })
}

/// A field as an input of a form, with its label.
pub(super) fn draw(slot: &Slot, salt: &str) -> Component {
    let field = &slot.field;
    let shape = shape(field);
    let mut hints: Vec<&str> = Vec::new();
    match shape {
        Shape::Replacement => {
            hints.push(messages::forms::TOO_LONG_HERE);
        }
        Shape::Named => hints.push(messages::forms::BY_NAME),
        _ if matches!(field.input, Input::Lines) => hints.push(messages::forms::ONE_PER_LINE),
        _ => {}
    }
    hints.extend(field.hint.as_deref().filter(|hint| !is_blank(hint)));
    let label = clip_or(
        &super::text::one_line(&field.label),
        limits::OPTION_TEXT,
        messages::buttons::ANSWER,
    );
    let label = if field.check { messages::forms::to_check(&label) } else { label };
    let input = element(field, shape, input_id(&slot.name, salt));
    components::label(&label, &hints.join(" · "), input)
}

/// The id of an input: its name, and what tells this opening from every other, for a phone remembers what was typed
/// under an id.
pub(super) fn input_id(name: &str, salt: &str) -> String {
    format!("{name}~{salt}")
}

fn element(field: &Field, shape: Shape, id: String) -> Component {
    match (shape, &field.input) {
        (Shape::Radio, Input::Bool) => radio(&yes_or_no(), field, id),
        (Shape::Radio, Input::Select { choices, .. }) => radio(choices, field, id),
        (Shape::Ticks, Input::Select { choices, .. }) => Component::CheckboxGroup(CheckboxGroup {
            custom_id: id,
            options: items(choices, field).iter().map(Item::option).collect(),
            min_values: usize::from(field.required),
            max_values: choices.len(),
            required: field.required,
        }),
        (Shape::Menu, Input::Select { choices, .. }) => menu(choices, field, &id, 1),
        (Shape::Menus, Input::Select { choices, .. }) => menu(choices, field, &id, choices.len()),
        // A form must not be held up by what it cannot ask for.
        (Shape::Replacement, _) => Component::TextInput(TextInput {
            required: false,
            ..long(id, "", placeholder(field).as_deref())
        }),
        (Shape::Line, _) => typed(field, id, InputTextStyle::Short),
        _ => typed(field, id, InputTextStyle::Paragraph),
    }
}

fn menu(choices: &[Choice], field: &Field, id: &str, most: usize) -> Component {
    let (items, counts) = (items(choices, field), (usize::from(field.required), most));
    let menu = components::select(id, &items, messages::buttons::CHOOSE, counts);
    Component::StringSelect(StringSelect { menu, required: field.required })
}

/// An input for text of several lines, with so much that may be typed.
pub(super) fn long(custom_id: String, value: &str, placeholder: Option<&str>) -> TextInput {
    let placeholder = placeholder.filter(|words| !is_blank(words)).map(super::text::one_line);
    TextInput {
        custom_id,
        style: InputTextStyle::Paragraph,
        value: (!value.is_empty()).then(|| clip(value, limits::INPUT_TEXT)),
        placeholder: placeholder.map(|words| clip_or(&words, limits::INPUT_PLACEHOLDER, "…")),
        max_length: None,
        min_length: None,
        required: true,
    }
}

fn typed(field: &Field, id: String, style: InputTextStyle) -> Component {
    let text = clip(&text_of(field), limits::INPUT_TEXT);
    let input = long(id, &text, placeholder(field).as_deref());
    let mut input = TextInput { style, required: field.required, ..input };
    if let Input::Text { min, max, .. } = field.input {
        let length = units(&text);
        let end = limits::INPUT_TEXT;
        let longest = max
            .map(|max| usize::try_from(max).unwrap_or(end).min(end))
            .filter(|max| *max >= length.max(1));
        let least = min.map(|min| usize::try_from(min).unwrap_or(end).min(end));
        // What is optional may be empty; what stands there already may be too short, and is to be completed.
        let end = longest.unwrap_or(end);
        let fits = |least: &usize| (1..=end).contains(least) && (length == 0 || length >= *least);
        input.max_length = longest;
        input.min_length = least.filter(|least| field.required && fits(least));
    }
    Component::TextInput(input)
}

/// How an answer of its kind looks.
fn placeholder(field: &Field) -> Option<Cow<'static, str>> {
    Some(Cow::Borrowed(match field.input {
        Input::Date => messages::forms::DATE_EXAMPLES,
        Input::Day => messages::forms::DAY_EXAMPLES,
        Input::Phone => "+44 20 7946 0018",
        Input::Url => "https://example.org",
        Input::Email => "ada@example.org",
        Input::Number { integer, min, max } => {
            return Some(Cow::Owned(number(integer, (min, max)).to_string()));
        }
        Input::Text { .. } | Input::Bool | Input::Select { .. } | Input::Lines => return None,
    }))
}

/// A number that would be accepted, where there is one.
fn number(integer: bool, (min, max): (Option<f64>, Option<f64>)) -> f64 {
    let whole = |bound: f64, whole: fn(f64) -> f64| if integer { whole(bound) } else { bound };
    let most = max.map_or(12.0, |max| whole(max, f64::floor).min(12.0));
    min.map_or(most, |min| whole(min, f64::ceil).max(most))
}

/// Choices as options; those that the field has are picked.
fn items(choices: &[Choice], field: &Field) -> Vec<Item> {
    let has = |choice: &Choice| match &field.value {
        Value::Array(ids) => ids.iter().any(|id| id == &choice.id),
        Value::Bool(yes) => choice.id == if *yes { "yes" } else { "no" },
        value => value == &choice.id,
    };
    let places = choices.iter().enumerate();
    places.map(|(n, choice)| Item { is_picked: has(choice), ..item(n, choice) }).collect()
}

/// A choice as an option; its value is its place.
pub(super) fn item(n: usize, choice: &Choice) -> Item {
    let description = more(choice).map(str::to_owned);
    Item { description, ..Item::new(n.to_string(), &label(n, choice)) }
}

/// What there is to say about a choice beside its name.
pub(super) fn more(choice: &Choice) -> Option<&str> {
    let more = choice.description.as_deref().filter(|more| !is_blank(more))?;
    let says_the_same = more.trim().trim_end_matches('.').eq_ignore_ascii_case(choice.label.trim());
    (!says_the_same).then_some(more)
}

fn radio(choices: &[Choice], field: &Field, id: String) -> Component {
    let mut items = items(choices, field);
    // One thing is picked at most, whatever a draft holds.
    let mut is_picked = false;
    for item in &mut items {
        item.is_picked &= !is_picked;
        is_picked |= item.is_picked;
    }
    if !field.required {
        items.push(Item {
            is_picked: !is_picked,
            ..Item::new(NONE.to_owned(), messages::forms::NO_ANSWER)
        });
    }
    Component::RadioGroup(RadioGroup {
        custom_id: id,
        options: items.iter().map(Item::option).collect(),
        required: field.required,
    })
}

/// What a choice reads as. One that is too long for a button begins with its number, under which it stands in full
/// above.
pub(super) fn label(n: usize, choice: &Choice) -> String {
    card::label(n, choice, |label| units(label) > limits::BUTTON_LABEL)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Radio buttons cannot be cleared on the platform.
    #[test]
    fn an_optional_yes_or_no_can_be_taken_back() {
        let field = |required| -> Field {
            let field = json!({
                "path": "news", "label": "News?", "required": required,
                "input": { "type": "bool" }, "value": true,
            });
            serde_json::from_value(field).unwrap()
        };
        let drawn =
            |required| format!("{:?}", element(&field(required), Shape::Radio, "id".to_owned()));
        assert!(drawn(false).contains(messages::forms::NO_ANSWER), "{}", drawn(false));
        assert!(!drawn(true).contains(messages::forms::NO_ANSWER), "{}", drawn(true));
        let none = Typed { values: vec![NONE.to_owned()], ..Typed::default() };
        assert_eq!(entered(&field(false), &none), Some(Vec::new()));
    }
}
