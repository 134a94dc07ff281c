//! What Discord refuses of the components of a message or a form, as its documents say it; each number as it stands
//! there.

use std::collections::BTreeSet;

use serde_json::Value;

/// Where components stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    Message,
    Modal,
}

const TEXT_INPUT: u64 = 4;
const SELECTS: [u64; 5] = [3, 5, 6, 7, 8];

/// What is wrong with the body of a message.
pub(crate) fn message_problems(body: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let flags = body["flags"].as_u64().unwrap_or(0);
    let components = body["components"].as_array().cloned().unwrap_or_default();
    let content = body["content"].as_str().unwrap_or_default();
    if flags & (1 << 15) == 0 {
        let rows = components.iter().filter(|component| kind(component) == 1).count();
        if rows != components.len() {
            problems.push("components V2 without IS_COMPONENTS_V2".to_owned());
        }
        if rows > 5 {
            problems.push(format!("{rows} rows under words"));
        }
        problems.extend(problems_of(&components, Surface::Message));
        if content.trim().is_empty() {
            problems.push("an empty message".to_owned());
        }
        length(&mut problems, "content", content, 1, 2_000);
        return problems;
    }
    for name in ["content", "embeds", "poll", "sticker_ids"] {
        let is_there = match &body[name] {
            Value::Null => false,
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            _ => true,
        };
        if is_there {
            problems.push(format!("`{name}` beside components V2"));
        }
    }
    if components.is_empty() {
        problems.push("no components".to_owned());
    }
    for component in &components {
        let kind = kind(component);
        if ![1, 9, 10, 12, 13, 14, 17].contains(&kind) {
            problems.push(format!("type {kind} at the top of a message"));
        }
    }
    problems.extend(problems_of(&components, Surface::Message));
    problems
}

/// What is wrong with a form.
pub(crate) fn modal_problems(modal: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    length(&mut problems, "title", modal["title"].as_str().unwrap_or_default(), 1, 45);
    length(&mut problems, "custom_id", modal["custom_id"].as_str().unwrap_or_default(), 1, 100);
    let components = modal["components"].as_array().cloned().unwrap_or_default();
    if !(1..=5).contains(&components.len()) {
        problems.push(format!("{} components in a form", components.len()));
    }
    for component in &components {
        if ![10, 18].contains(&kind(component)) {
            problems.push(format!("type {} at the top of a form", kind(component)));
        }
    }
    if components.iter().all(|component| kind(component) != 18) {
        problems.push("a form without an input".to_owned());
    }
    problems.extend(problems_of(&components, Surface::Modal));
    problems
}

fn kind(component: &Value) -> u64 {
    component["type"].as_u64().unwrap_or(0)
}

fn children(component: &Value) -> Vec<&Value> {
    let inner = component["components"].as_array().into_iter().flatten();
    let beside = [&component["accessory"], &component["component"]].into_iter();
    inner.chain(beside.filter(|value| value.is_object())).collect()
}

/// Every component within some, those within others too.
pub(crate) fn all(components: &[Value]) -> Vec<&Value> {
    let mut found = Vec::new();
    for component in components {
        found.push(component);
        for child in children(component) {
            found.extend(all(std::slice::from_ref(child)));
        }
    }
    found
}

fn problems_of(components: &[Value], surface: Surface) -> Vec<String> {
    let mut problems = Vec::new();
    let every = all(components);
    if surface == Surface::Message && every.len() > 40 {
        problems.push(format!("{} components", every.len()));
    }
    let texts: Vec<&str> = every.iter().filter_map(|c| c["content"].as_str()).collect();
    let characters: usize = texts.iter().map(|text| text.encode_utf16().count()).sum();
    if characters > 4_000 {
        problems.push(format!("{characters} characters of text"));
    }
    let bytes: usize = texts.iter().map(|text| text.len() + 12).sum();
    if bytes > 10_170 {
        problems.push(format!("{bytes} bytes of text: Discord answers 500"));
    }
    let mut ids = BTreeSet::new();
    for component in every {
        if let Some(id) = component["custom_id"].as_str() {
            length(&mut problems, "custom_id", id, 1, 100);
            if !ids.insert(id.to_owned()) {
                problems.push(format!("`{id}` stands twice"));
            }
        }
        one(&mut problems, component, surface);
    }
    problems
}

fn one(problems: &mut Vec<String>, component: &Value, surface: Surface) {
    let kinds: Vec<u64> = children(component).into_iter().map(kind).collect();
    let said = |name: &str| component[name].as_str().unwrap_or_default();
    let in_modal = surface == Surface::Modal;
    match kind(component) {
        1 => {
            let buttons = (1..=5).contains(&kinds.len()) && kinds.iter().all(|kind| *kind == 2);
            let menu = kinds.len() == 1 && SELECTS.contains(&kinds[0]);
            if !(buttons || menu) {
                problems.push(format!("a row of {kinds:?}"));
            }
        }
        2 => {
            length(problems, "label", said("label"), 1, 80);
            match component["style"].as_u64() {
                Some(1..=4) if !said("custom_id").is_empty() && component["url"].is_null() => {}
                Some(5) if component["custom_id"].is_null() => {
                    length(problems, "url", said("url"), 1, 512);
                }
                style => problems.push(format!("a button of style {style:?}")),
            }
        }
        3 => select(problems, component, 25, in_modal),
        TEXT_INPUT => text_input(problems, component, in_modal),
        9 => {
            if component["accessory"].is_null()
                || !(2..=4).contains(&kinds.len())
                || kinds[..kinds.len() - 1].iter().any(|kind| *kind != 10)
                || ![2, 11].contains(kinds.last().unwrap_or(&0))
            {
                problems.push(format!("a section of {kinds:?}"));
            }
        }
        10 => length(problems, "content", said("content"), 1, 4_000),
        11 => picture(problems, component),
        12 => {
            let items = component["items"].as_array().cloned().unwrap_or_default();
            if !(1..=10).contains(&items.len()) {
                problems.push(format!("a gallery of {} pictures", items.len()));
            }
            for item in &items {
                picture(problems, item);
            }
        }
        14 => {}
        17 => {
            if kinds.is_empty() || kinds.iter().any(|kind| ![1, 9, 10, 12, 13, 14].contains(kind)) {
                problems.push(format!("a container of {kinds:?}"));
            }
            if component["accent_color"].as_u64().is_some_and(|colour| colour > 0xFF_FFFF) {
                problems.push("a colour beyond white".to_owned());
            }
        }
        18 | 19 | 21 | 22 if in_modal => of_form(problems, component, &kinds),
        other => problems.push(format!("type {other} in a {surface:?}")),
    }
}

/// A picture that Discord can fetch, with words for those who do not see it.
fn picture(problems: &mut Vec<String>, component: &Value) {
    let url = component["media"]["url"].as_str().unwrap_or_default();
    if !url.starts_with("https://") {
        problems.push(format!("a picture at {url:?}"));
    }
    length(
        problems,
        "description",
        component["description"].as_str().unwrap_or_default(),
        1,
        1_024,
    );
}

/// What stands in forms alone.
fn of_form(problems: &mut Vec<String>, component: &Value, kinds: &[u64]) {
    let said = |name: &str| component[name].as_str().unwrap_or_default();
    match kind(component) {
        18 => {
            length(problems, "label", said("label"), 1, 45);
            if !component["description"].is_null() {
                length(problems, "description", said("description"), 1, 100);
            }
            if kinds.len() != 1 || ![3, 4, 5, 6, 7, 8, 19, 21, 22, 23].contains(&kinds[0]) {
                problems.push(format!("a label on {kinds:?}"));
            }
        }
        19 => {
            counts(problems, component, 10);
            for kind in component["file_types"].as_array().into_iter().flatten() {
                let kind = kind.as_str().unwrap_or_default();
                let is_extension = kind.strip_prefix('.').is_some_and(|rest| {
                    !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_alphanumeric())
                });
                if !is_extension && !["image", "video", "audio"].contains(&kind) {
                    problems.push(format!("files of kind {kind:?}"));
                }
            }
            if component["file_types"].as_array().is_some_and(|kinds| kinds.len() > 10) {
                problems.push("too many kinds of files".to_owned());
            }
        }
        21 => {
            options(problems, component, 2, 10);
            if picked(component) > 1 {
                problems.push("two radio buttons at once".to_owned());
            }
        }
        _ => select(problems, component, 10, true),
    }
}

fn picked(component: &Value) -> usize {
    let options = component["options"].as_array().into_iter().flatten();
    options.filter(|option| option["default"] == true).count()
}

fn counts(problems: &mut Vec<String>, component: &Value, most: u64) {
    let min = component["min_values"].as_u64().unwrap_or(1);
    let max = component["max_values"].as_u64().unwrap_or(1);
    let required = component["required"].as_bool().unwrap_or(true);
    if min > max || max > most || max == 0 {
        problems.push(format!("between {min} and {max} of {most}"));
    }
    if component["required"].is_boolean() && required && component["min_values"] == 0 {
        problems.push("required, and none will do".to_owned());
    }
}

fn select(problems: &mut Vec<String>, component: &Value, most: usize, in_modal: bool) {
    let count = options(problems, component, 1, most);
    counts(problems, component, count);
    let max = component["max_values"].as_u64().unwrap_or(1);
    if u64::try_from(picked(component)).unwrap() > max {
        problems.push("more is picked than may be".to_owned());
    }
    if let Some(placeholder) = component["placeholder"].as_str() {
        length(problems, "placeholder", placeholder, 1, 150);
    }
    if in_modal && !component["disabled"].is_null() {
        problems.push("`disabled` in a form".to_owned());
    }
    if !in_modal && !component["required"].is_null() {
        problems.push("`required` in a message".to_owned());
    }
}

fn options(problems: &mut Vec<String>, component: &Value, least: usize, most: usize) -> u64 {
    let options = component["options"].as_array().cloned().unwrap_or_default();
    if !(least..=most).contains(&options.len()) {
        problems.push(format!("{} options", options.len()));
    }
    let mut values = BTreeSet::new();
    for option in &options {
        for name in ["label", "value"] {
            length(problems, name, option[name].as_str().unwrap_or_default(), 1, 100);
        }
        if let Some(description) = option["description"].as_str() {
            length(problems, "description", description, 1, 100);
        }
        if !values.insert(option["value"].to_string()) {
            problems.push(format!("the value {} twice", option["value"]));
        }
    }
    u64::try_from(options.len()).unwrap()
}

fn text_input(problems: &mut Vec<String>, component: &Value, in_modal: bool) {
    if !in_modal {
        problems.push("a text input in a message".to_owned());
    }
    if !component["label"].is_null() {
        problems.push("a text input with a label of its own".to_owned());
    }
    let min = component["min_length"].as_u64().unwrap_or(0);
    let max = component["max_length"].as_u64().unwrap_or(4_000);
    if min > max || max > 4_000 || max == 0 {
        problems.push(format!("between {min} and {max} characters"));
    }
    if let Some(value) = component["value"].as_str() {
        length(problems, "value", value, 0, usize::try_from(max).unwrap());
    }
    if let Some(placeholder) = component["placeholder"].as_str() {
        length(problems, "placeholder", placeholder, 1, 100);
    }
}

/// Discord counts characters, and does not say how: as UTF-16 there are never fewer.
fn length(problems: &mut Vec<String>, name: &str, text: &str, least: usize, most: usize) {
    let length = text.encode_utf16().count();
    if length > most || length < least || (least > 0 && text.trim().is_empty()) {
        problems.push(format!("`{name}` of {length} characters"));
    }
}
