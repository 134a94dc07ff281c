//! Questions as the platforms draw them: a question that doesn't fit is not a question that people can answer.

use serde_json::Value;

use crate::{
    chat::form::one_line,
    gateway::{discord, slack},
    messages,
    model::{session::Platform, ui::Control, wait::Wait},
};

/// What is wrong with a question as it is drawn, if anything is.
pub(super) fn trouble(platform: Platform, wait: &Wait) -> Option<String> {
    let reader = wait.answerers.audience();
    let drawn = match platform {
        Platform::Web => return None,
        Platform::Slack => {
            let cx = slack::render::Cx { reader: reader.into(), ..Default::default() };
            let blocks = slack::render::card(wait, &cx).blocks;
            let most = slack::limits::MESSAGE_BLOCKS;
            if blocks.len() > most {
                return Some(format!("it takes {} blocks of {most}", blocks.len()));
            }
            Value::Array(blocks)
        }
        Platform::Discord => {
            let cx = discord::render::Cx { reader: reader.into(), ..Default::default() };
            let mut body = discord::render::card(wait, &cx).body().json();
            let components = body["components"].take();
            let (count, most) = (components_of(&components), discord::limits::MESSAGE_COMPONENTS);
            if count > most {
                return Some(format!("it takes {count} components of {most}"));
            }
            components
        }
    };
    let mut texts = Vec::new();
    collect(&drawn, &mut texts);
    let is_short = texts.iter().any(|text| text == messages::forms::SHORTENED);
    // Data under review may be long; the question itself should not be.
    if is_short && !matches!(wait.prompt.control, Control::Review(_) | Control::Decide(_)) {
        return Some("the question is shortened".to_owned());
    }
    let Control::Choose(choose) = &wait.prompt.control else { return None };
    let cut = choose.choices.iter().find(|choice| {
        let label = one_line(&choice.label);
        !label.is_empty() && !texts.iter().any(|text| text.contains(&label))
    })?;
    Some(format!("the label `{}` is cut", cut.label))
}

/// Components, with those inside of others.
fn components_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(components_of).sum(),
        Value::Object(members) => {
            let inner = ["components", "component", "accessory"];
            let inner = inner.into_iter().filter_map(|key| members.get(key)).map(components_of);
            1 + inner.sum::<usize>()
        }
        _ => 0,
    }
}

/// Every text, without marks of escaping and small print.
fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let bare = text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");
            let bare = bare.replace('\\', "");
            texts.push(one_line(bare.trim_start_matches("-# ")));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(members) => members.values().for_each(|item| collect(item, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
