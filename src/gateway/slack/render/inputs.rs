//! Inputs of forms: what a field is drawn as, and how what was entered is read back. Both sides choose the input by
//! the same rule, [`shape`], from the field that is stored with the question.

use serde_json::Value;
use slack_morphism::prelude::{
    SlackBlock, SlackBlockCheckboxesElement, SlackBlockChoiceItem, SlackBlockDatePickerElement,
    SlackBlockEmailInputElement, SlackBlockMultiStaticSelectElement, SlackBlockNumberInputElement,
    SlackBlockOptionGroup, SlackBlockPlainText, SlackBlockPlainTextInputElement,
    SlackBlockPlainTextOnly, SlackBlockRadioButtonsElement, SlackBlockStaticSelectElement,
    SlackBlockText, SlackBlockUrlInputElement, SlackInputBlock, SlackInputBlockElement,
};

use super::text::{clip_or, units};
use crate::{
    chat::{
        card,
        form::{is_blank, named, picked, text_of, yes_or_no},
    },
    gateway::slack::{blocks::plain, inbound::Typed, limits},
    messages,
    model::ui::{Choice, Field, Input},
    session::answer::check_field,
};

/// The action id of every input: what matters is its block.
pub(super) const INPUT: &str = "input";

/// Value of the option that stands for no answer.
const NONE: &str = "none";

/// Choices of one menu; more are named by typing. Far below the 10,000 that Slack takes: a form is at most 250 kB.
pub(super) const MENU_MAX: usize = 800;

/// What a field is drawn as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gateway::slack) enum Shape {
    /// One line of text.
    Line,
    /// Several lines.
    Area,
    Email,
    Url,
    Number,
    /// A calendar.
    Day,
    /// One of a few.
    Radio,
    /// Several of a few.
    Ticks,
    /// One of many.
    Menu,
    /// Several of many.
    Menus,
    /// One or several of too many for a menu, by name or number, one a line.
    Named,
    /// Text that is too long for an input: left empty it stays, otherwise it is replaced.
    Replacement,
}

/// What a field is drawn as.
pub(in crate::gateway::slack) fn shape(field: &Field) -> Shape {
    let value = text_of(field);
    let is_long = units(&value) > limits::INPUT_TEXT;
    let has_lines = value.contains('\n');
    // A value that would not pass is kept as it was typed: an input of its kind would not take it.
    let fits = value.is_empty() || check_field(field, &field.value).is_none();
    match &field.input {
        Input::Bool => Shape::Radio,
        Input::Select { choices, multiple } => match (choices.len(), multiple) {
            (n, false) if n < limits::TICKS => Shape::Radio,
            (n, true) if n <= limits::TICKS && n > 0 => Shape::Ticks,
            (n, false) if n <= MENU_MAX => Shape::Menu,
            (n, true) if n <= MENU_MAX && n > 0 => Shape::Menus,
            _ => Shape::Named,
        },
        _ if is_long => Shape::Replacement,
        Input::Text { multiline: true, .. } | Input::Lines => Shape::Area,
        Input::Text { .. }
        | Input::Phone
        | Input::Date
        | Input::Day
        | Input::Email
        | Input::Url
            if has_lines =>
        {
            Shape::Area
        }
        Input::Email if fits => Shape::Email,
        Input::Url if fits => Shape::Url,
        Input::Number { .. } if fits => Shape::Number,
        Input::Day if fits => Shape::Day,
        // A picker knows whole days only; "2019" and "2019-03" are answers too.
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
pub(in crate::gateway::slack) fn entered(
    field: &Field,
    typed: Option<&Typed>,
) -> Option<Vec<String>> {
    let values = typed.map_or(&[][..], |typed| &typed.values);
    let first = values.first().map_or("", String::as_str);
    let labels = yes_or_no();
    Some(match (shape(field), &field.input) {
        (Shape::Replacement, _) if first.trim().is_empty() => return None,
        (Shape::Radio, Input::Bool) => picked(&labels, values),
        (
            Shape::Radio | Shape::Ticks | Shape::Menu | Shape::Menus,
            Input::Select { choices, .. },
        ) => picked(choices, values),
        (Shape::Named, Input::Select { choices, multiple }) => named(choices, *multiple, first),
        _ => vec![first.to_owned()],
    })
}

/// A field as a block of a form, under the name `block`.
pub(super) fn block(block: &str, field: &Field) -> SlackBlock {
    let shape = shape(field);
    let mut hints: Vec<String> = Vec::new();
    hints.extend(field.hint.clone());
    match shape {
        Shape::Replacement => hints.push(messages::forms::TOO_LONG_HERE.to_owned()),
        Shape::Named => hints.push(messages::forms::BY_NAME.to_owned()),
        _ if matches!(field.input, Input::Lines) => {
            hints.push(messages::forms::ONE_PER_LINE.to_owned());
        }
        _ if matches!(field.input, Input::Date) && hints.is_empty() => {
            hints.push(messages::forms::date_example());
        }
        _ => {}
    }
    let label = clip_or(&field.label, limits::LABEL_SHOWN, messages::buttons::ANSWER);
    let label = if field.check { messages::forms::to_check(&label) } else { label };
    // What stands there already may stay, and a form must not be held up by what it cannot ask for.
    let must = field.required && shape != Shape::Replacement;
    input(block, &label, element(field, shape), &hints.join(" "), must)
}

/// An input with its label.
pub(super) fn input(
    block: &str,
    label: &str,
    element: SlackInputBlockElement,
    hint: &str,
    must: bool,
) -> SlackBlock {
    let mut input = SlackInputBlock::new(plain(label, limits::INPUT_LABEL), element);
    input.block_id = Some(block.to_owned().into());
    input.hint = (!is_blank(hint)).then(|| plain(hint, limits::VALUE_SHOWN));
    input.optional = Some(!must);
    input.into()
}

fn element(field: &Field, shape: Shape) -> SlackInputBlockElement {
    let text = Some(super::text::clip(&text_of(field), limits::INPUT_TEXT))
        .filter(|text| !text.is_empty());
    let id = || Some(INPUT.to_owned().into());
    match (shape, &field.input) {
        (Shape::Email, _) => {
            let mut element = SlackBlockEmailInputElement::new();
            element.action_id = id();
            element.initial_value = text.map(Into::into);
            element.into()
        }
        (Shape::Url, _) => {
            let mut element = SlackBlockUrlInputElement::new();
            element.action_id = id();
            element.initial_value = text;
            element.into()
        }
        (Shape::Number, Input::Number { integer, min, max }) => {
            let mut element = SlackBlockNumberInputElement::new(!integer);
            element.action_id = id();
            element.initial_value = text;
            element.min_value = min.map(|min| min.to_string());
            element.max_value = max.map(|max| max.to_string());
            element.into()
        }
        (Shape::Day, _) => {
            let mut element = SlackBlockDatePickerElement::new();
            element.action_id = id();
            element.initial_date = text;
            element.into()
        }
        (Shape::Radio, Input::Bool) => radio(&yes_or_no(), field),
        (Shape::Radio, Input::Select { choices, .. }) => radio(choices, field),
        (Shape::Ticks, Input::Select { choices, .. }) => {
            let mut element = SlackBlockCheckboxesElement::new(ticks(choices));
            element.action_id = id();
            let held = held(choices, field).map(|(n, choice)| tick(n, choice)).collect::<Vec<_>>();
            element.initial_options = (!held.is_empty()).then_some(held);
            element.into()
        }
        (Shape::Menu, Input::Select { choices, .. }) => menu(choices, field),
        (Shape::Menus, Input::Select { choices, .. }) => menus(choices, held(choices, field)),
        (Shape::Line, _) => typed(field, text, false),
        (Shape::Replacement, _) => {
            let mut element = SlackBlockPlainTextInputElement::new();
            element.action_id = id();
            element.multiline = Some(true);
            element.placeholder = placeholder(field);
            element.into()
        }
        _ => typed(field, text, true),
    }
}

fn typed(field: &Field, text: Option<String>, multiline: bool) -> SlackInputBlockElement {
    let mut element = SlackBlockPlainTextInputElement::new();
    element.action_id = Some(INPUT.to_owned().into());
    element.multiline = Some(multiline);
    if let Input::Text { min, max, .. } = field.input {
        let length = text.as_deref().map_or(0, units);
        let end = limits::INPUT_TEXT;
        let longest = max
            .map(|max| usize::try_from(max).unwrap_or(end).min(end))
            .filter(|max| *max >= length.max(1));
        let least = min.map(|min| usize::try_from(min).unwrap_or(end).min(end));
        // What is optional may be empty; what stands there already may be too short, and is to be completed.
        let end = longest.unwrap_or(end);
        let fits = |least: &usize| (1..=end).contains(least) && (length == 0 || length >= *least);
        let least = least.filter(|least| field.required && fits(least));
        element.max_length = longest.and_then(|max| u64::try_from(max).ok());
        element.min_length = least.and_then(|min| u64::try_from(min).ok());
    }
    element.initial_value = text;
    element.placeholder = placeholder(field);
    element.into()
}

/// How an answer of its kind looks.
fn placeholder(field: &Field) -> Option<SlackBlockPlainTextOnly> {
    let looks = match field.input {
        Input::Date => "2019-03",
        Input::Day => "2001-05-31",
        Input::Phone => "+44 20 7946 0018",
        Input::Url => "https://example.org",
        Input::Email => "ada@example.org",
        Input::Number { .. } => "12",
        Input::Text { .. } | Input::Bool | Input::Select { .. } | Input::Lines => return None,
    };
    Some(plain(looks, limits::PLACEHOLDER))
}

/// Choices with their places, those that the field has.
fn held<'a>(choices: &'a [Choice], field: &'a Field) -> impl Iterator<Item = (usize, &'a Choice)> {
    let has = move |choice: &Choice| match &field.value {
        Value::Array(ids) => ids.iter().any(|id| id == &choice.id),
        Value::Bool(yes) => choice.id == if *yes { "yes" } else { "no" },
        value => value == &choice.id,
    };
    choices.iter().enumerate().filter(move |(_, choice)| has(choice))
}

fn radio(choices: &[Choice], field: &Field) -> SlackInputBlockElement {
    let mut options = ticks(choices);
    let mut initial = held(choices, field).next().map(|(n, choice)| tick(n, choice));
    if !field.required || options.is_empty() {
        // A radio button cannot be taken back.
        let none = SlackBlockChoiceItem::new(
            SlackBlockText::Plain(SlackBlockPlainText::new(messages::forms::NO_ANSWER.to_owned())),
            NONE.to_owned(),
        );
        initial = initial.or_else(|| Some(none.clone()));
        options.push(none);
    }
    let mut element = SlackBlockRadioButtonsElement::new(options);
    element.action_id = Some(INPUT.to_owned().into());
    element.initial_option = initial;
    element.into()
}

fn menu(choices: &[Choice], field: &Field) -> SlackInputBlockElement {
    let mut options = options(choices);
    let mut initial = held(choices, field).next().map(|(n, choice)| option(n, choice));
    if !field.required {
        let none = SlackBlockChoiceItem::new(
            plain(messages::forms::NO_ANSWER, limits::OPTION_TEXT),
            NONE.to_owned(),
        );
        initial = initial.or_else(|| Some(none.clone()));
        options.insert(0, none);
    }
    let mut element = select(options);
    element.action_id = Some(INPUT.to_owned().into());
    element.initial_option = initial;
    element.into()
}

/// A menu of which several may be picked.
pub(super) fn menus<'a>(
    choices: &[Choice],
    held: impl Iterator<Item = (usize, &'a Choice)>,
) -> SlackInputBlockElement {
    let mut element = SlackBlockMultiStaticSelectElement::new();
    element.action_id = Some(INPUT.to_owned().into());
    element.placeholder = Some(plain(messages::buttons::CHOOSE, limits::PLACEHOLDER));
    let held = held.map(|(n, choice)| option(n, choice)).collect::<Vec<_>>();
    element.initial_options = (!held.is_empty()).then_some(held);
    (element.options, element.option_groups) = grouped(options(choices));
    element.into()
}

/// A menu of which one may be picked.
pub(super) fn select(options: Vec<Item>) -> SlackBlockStaticSelectElement {
    let mut element = SlackBlockStaticSelectElement::new();
    element.placeholder = Some(plain(messages::buttons::CHOOSE, limits::PLACEHOLDER));
    (element.options, element.option_groups) = grouped(options);
    element
}

type Item = SlackBlockChoiceItem<SlackBlockPlainTextOnly>;
type Items = Option<Vec<Item>>;
type Groups = Option<Vec<SlackBlockOptionGroup<SlackBlockPlainTextOnly>>>;

/// A plain list up to a hundred options, groups of a hundred beyond.
fn grouped(options: Vec<Item>) -> (Items, Groups) {
    if options.len() <= limits::SELECT_OPTIONS {
        return (Some(options), None);
    }
    let group = |(n, options): (usize, &[Item])| {
        let first = n * limits::SELECT_OPTIONS + 1;
        let label = messages::buttons::span(first, first + options.len() - 1);
        SlackBlockOptionGroup::new(plain(&label, limits::GROUP_LABEL), options.to_vec())
    };
    let groups = options.chunks(limits::SELECT_OPTIONS).take(limits::SELECT_GROUPS).enumerate();
    (None, Some(groups.map(group).collect()))
}

/// Choices as options of a menu; their values are their places.
pub(super) fn options(choices: &[Choice]) -> Vec<Item> {
    choices.iter().enumerate().map(|(n, choice)| option(n, choice)).collect()
}

fn option(n: usize, choice: &Choice) -> Item {
    let mut item =
        SlackBlockChoiceItem::new(plain(&label(n, choice), limits::OPTION_TEXT), n.to_string());
    item.description = description(choice);
    item
}

fn ticks(choices: &[Choice]) -> Vec<SlackBlockChoiceItem<SlackBlockText>> {
    choices.iter().enumerate().map(|(n, choice)| tick(n, choice)).collect()
}

/// A choice as a checkbox or a radio button.
pub(super) fn tick(n: usize, choice: &Choice) -> SlackBlockChoiceItem<SlackBlockText> {
    let text = clip_or(&label(n, choice), limits::OPTION_TEXT, "—");
    let mut item = SlackBlockChoiceItem::new(
        SlackBlockText::Plain(SlackBlockPlainText::new(text)),
        n.to_string(),
    );
    item.description = description(choice);
    item
}

fn description(choice: &Choice) -> Option<SlackBlockPlainTextOnly> {
    let text = choice.description.as_deref().filter(|text| !is_blank(text))?;
    Some(plain(text, limits::OPTION_TEXT))
}

/// What a choice reads as. One that is too long for a button or a menu begins with its number, under which it stands
/// in full above.
pub(super) fn label(n: usize, choice: &Choice) -> String {
    card::label(n, choice, |label| units(label) > limits::OPTION_TEXT)
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
        let drawn = |required| serde_json::to_string(&block("b", &field(required))).unwrap();
        assert!(drawn(false).contains(messages::forms::NO_ANSWER), "{}", drawn(false));
        assert!(!drawn(true).contains(messages::forms::NO_ANSWER), "{}", drawn(true));
        let none = Typed { values: vec![NONE.to_owned()], ..Typed::default() };
        assert_eq!(entered(&field(false), Some(&none)), Some(Vec::new()));
    }
}
