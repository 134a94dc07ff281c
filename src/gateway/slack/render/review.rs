//! Collected data on a card: label and value in two columns, a menu on each entry of a list.

use slack_morphism::prelude::{
    SlackActionBlockElement, SlackBlock, SlackBlockChoiceItem, SlackBlockOverflowElement,
    SlackSectionBlock,
};

use super::{Room, inputs, pages, text::units};
use crate::{
    chat::{
        card,
        form::{ComponentId, Sheet, is_blank, one_line, review_editor::entry_of, shown},
    },
    gateway::slack::{
        blocks::{bold, columns, context, mrkdwn, plain, said},
        limits,
    },
    messages,
    model::{
        ui::{Field, Group, Input, Review},
        wait::Wait,
    },
};

/// Data as a card shows it. While it is `open`, what was read with low confidence is marked, entries have a menu, and
/// a line says what else could be given.
pub(super) fn table(wait: &Wait, review: &Review, groups: &[Group], open: bool, room: &mut Room) {
    for group in groups {
        let entry = entry_of(review, &group.path);
        let is_entry = entry.is_some_and(|(list, row)| {
            let path = &review.lists[list].path;
            group.path == if path.is_empty() { row.to_string() } else { format!("{path}.{row}") }
        });
        let menu = entry.filter(|_| is_entry && open).map(|(list, row)| menu(wait, list, row));
        let title = card::heading(&wait.prompt, group);
        let title = title.map(|title| bold(&said(&one_line(title), limits::HEADER)));
        let line = if is_entry { in_a_line(group, open) } else { None };
        let blocks = match line {
            Some(line) => vec![entry_in_a_line(title, &line, menu)],
            None => draw(group, title, menu, open),
        };
        // A group stands whole or not at all: half of one would look like all of it.
        if !room.add_all(blocks) {
            return;
        }
    }
}

/// Longest value that stands in a line with others, and the longest such line, in characters.
const IN_LINE: (usize, usize) = (80, 200);

/// A short entry of a list in a line: `Analytical Engines Ltd · Programmer · 2016-06 to 2020-02`. None where a value says
/// little without its name (a number, one of several sentences), is long, is to be checked or is missing.
fn in_a_line(group: &Group, open: bool) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut dates: Vec<(&str, String)> = Vec::new();
    for field in &group.fields {
        let value = shown(field);
        let is_wanted = open && (field.check || field.required && is_blank(&value));
        if is_wanted || value.contains('\n') || units(&value) > IN_LINE.0 {
            return None;
        }
        match field.input {
            _ if is_blank(&value) => {}
            Input::Number { .. } | Input::Bool => return None,
            Input::Date | Input::Day => dates.push((&field.label, value)),
            _ => parts.push(value),
        }
    }
    match dates.as_slice() {
        [(_, from), (_, to)] => parts.push(messages::staff::between(from, to)),
        all => parts.extend(all.iter().map(|(label, date)| format!("{label} {date}"))),
    }
    if parts.len() > 1 && parts.iter().any(|part| part.ends_with(['.', '!', '?'])) {
        return None;
    }
    let line = parts.join(" · ");
    (!is_blank(&line) && units(&line) <= IN_LINE.1).then(|| said(&line, limits::VALUE_SHOWN))
}

fn entry_in_a_line(
    title: Option<String>,
    line: &str,
    menu: Option<SlackBlockOverflowElement>,
) -> SlackBlock {
    let text = title.into_iter().chain([line.to_owned()]).collect::<Vec<_>>().join("\n");
    let mut block = SlackSectionBlock::new().with_text(mrkdwn(text));
    block.accessory = menu.map(Into::into);
    block.into()
}

fn draw(
    group: &Group,
    title: Option<String>,
    menu: Option<SlackBlockOverflowElement>,
    open: bool,
) -> Vec<SlackBlock> {
    let told = group.fields.iter().filter(|field| card::is_told(field, open));
    let pair = |field: &Field| {
        let mark = if open && field.check { messages::forms::check_mark() } else { String::new() };
        let label = said(&one_line(&field.label), limits::QUOTE);
        let value = shown(field);
        let value = if is_blank(&value) {
            format!("_{}_", messages::forms::NOT_FILLED_IN)
        } else {
            said(&value, limits::VALUE_SHOWN)
        };
        format!("{}{mark}\n{value}", bold(&label))
    };
    let mut pairs: Vec<String> = told.map(pair).collect();
    let mut blocks = Vec::new();
    let is_entry = menu.is_some();
    if title.is_some() || is_entry {
        let mut head = SlackSectionBlock::new();
        head.text = Some(mrkdwn(title.unwrap_or_else(|| "*Entry*".to_owned())));
        // A menu stands beside the first section alone: an entry is one.
        if is_entry && !pairs.is_empty() {
            let rest = pairs.split_off(pairs.len().min(limits::SECTION_FIELDS));
            head.fields = Some(pairs.iter().map(mrkdwn).collect());
            pairs = rest;
        }
        head.accessory = menu.map(Into::into);
        blocks.push(head.into());
    }
    blocks.extend(columns(&pairs));
    // A line for each of many entries would say little and take much room.
    if open && !is_entry {
        let line = card::not_given(&group.fields);
        blocks.extend(line.map(|line| context(&[said(&line, 300)])));
    }
    blocks
}

/// What can be done to one entry.
fn menu(wait: &Wait, list: usize, row: usize) -> SlackBlockOverflowElement {
    let option = |(label, value): (&str, &str)| {
        SlackBlockChoiceItem::new(plain(label, limits::OPTION_TEXT), value.to_owned())
    };
    let up = (row > 0).then_some((messages::buttons::MOVE_UP, "up"));
    let options = [(messages::buttons::EDIT, "edit"), (messages::buttons::REMOVE, "remove")]
        .into_iter()
        .chain(up)
        .map(option);
    let mut menu = SlackBlockOverflowElement::new(options.collect());
    let id = ComponentId::id(wait.id, wait.revision, &format!("row.{list}.{row}"));
    menu.action_id = Some(id.into());
    menu
}

/// A menu of the parts that can be edited, for data that does not go into one form.
pub(super) fn parts(id: String, review: &Review) -> SlackActionBlockElement {
    let parts = pages::parts(review, &Sheet::of(review));
    let option = |(n, part): (usize, &pages::Part)| {
        let title = format!("{}. {}", n + 1, one_line(&part.title));
        SlackBlockChoiceItem::new(plain(&title, 30), n.to_string())
    };
    let options = parts.iter().enumerate().take(limits::SELECT_OPTIONS).map(option).collect();
    let mut menu = inputs::select(options);
    menu.placeholder = Some(plain(messages::buttons::EDIT_WHICH, limits::PLACEHOLDER));
    menu.action_id = Some(id.into());
    menu.into()
}

/// A form that was filled in.
pub(super) fn filled(fields: &[Field], room: &mut Room) {
    let group = Group { path: String::new(), title: String::new(), fields: fields.to_vec() };
    room.add_all(draw(&group, None, None, false));
}
