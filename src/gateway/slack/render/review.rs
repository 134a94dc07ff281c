//! Collected data on a card: label and value in two columns, a menu on each entry of a list.

use slack_morphism::prelude::{
    SlackActionBlockElement, SlackBlock, SlackBlockChoiceItem, SlackBlockOverflowElement,
    SlackSectionBlock,
};

use super::{Room, inputs, pages, text::units};
use crate::{
    chat::form::{
        ComponentId, Sheet, is_blank, one_line,
        review_editor::{self, entry_of},
        shown,
    },
    gateway::slack::{
        blocks::{Button, bold, columns, context, mrkdwn, plain, said},
        limits,
    },
    messages,
    model::{
        ui::{Field, Group, Input, Prompt, Review},
        wait::Wait,
    },
};

/// Lists to which entries can be added by a button of their own.
const ADDABLE_MAX: usize = 8;

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
        let title = titled(&wait.prompt, group).map(|title| bold(&title));
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

/// The heading of a group; none where the card has said it already.
fn titled(prompt: &Prompt, group: &Group) -> Option<String> {
    let said_already = prompt.title.as_ref() == Some(&group.title) || is_blank(&group.title);
    (!said_already).then(|| said(&one_line(&group.title), limits::HEADER))
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
    let value = |field: &Field| shown(field);
    let (told, missing): (Vec<&Field>, Vec<&Field>) = group
        .fields
        .iter()
        .partition(|field| !is_blank(&value(field)) || open && (field.check || field.required));
    let pair = |field: &&Field| {
        let mark = if open && field.check { messages::forms::check_mark() } else { String::new() };
        let label = said(&one_line(&field.label), limits::QUOTE);
        let value = value(field);
        let value = if is_blank(&value) {
            format!("_{}_", messages::forms::NOT_FILLED_IN)
        } else {
            said(&value, limits::VALUE_SHOWN)
        };
        format!("{}{mark}\n{value}", bold(&label))
    };
    let mut pairs: Vec<String> = told.iter().map(pair).collect();
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
    if open && !is_entry && !missing.is_empty() {
        let names: Vec<String> = missing.iter().map(|field| one_line(&field.label)).collect();
        blocks.push(context(&[said(&messages::forms::not_filled_in(&names), 300)]));
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

/// The buttons under reviewed data.
pub(super) fn buttons(wait: &Wait, review: &Review) -> Vec<SlackActionBlockElement> {
    let id = |action: &str| ComponentId::id(wait.id, wait.revision, action);
    let blank = is_untouched(review);
    let mut buttons = Vec::new();
    if !blank {
        buttons.push(Button::new(id("approve"), messages::buttons::LOOKS_RIGHT).primary().build());
    }
    if pages::fits_whole(review) {
        let edit = Button::new(
            id("edit"),
            if blank { messages::buttons::FILL_IN } else { messages::buttons::EDIT },
        );
        buttons.push(if blank { edit.primary() } else { edit }.build());
    } else {
        buttons.push(parts(id("edit"), review));
    }
    if !blank {
        buttons.extend(adding(wait, review));
        buttons.push(Button::new(id("reject"), messages::buttons::START_OVER).build());
    }
    if review.skippable {
        buttons.push(Button::new(id("skip"), messages::buttons::SKIP).build());
    }
    buttons
}

/// A menu of the parts that can be edited, for data that does not go into one form.
fn parts(id: String, review: &Review) -> SlackActionBlockElement {
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

/// "Add a role", for each list that takes entries.
pub(super) fn adding(wait: &Wait, review: &Review) -> Vec<SlackActionBlockElement> {
    let lists =
        review.lists.iter().enumerate().filter(|(n, _)| !review_editor::is_nested(review, *n));
    let button = |(n, list): (usize, &crate::model::ui::List)| {
        let id = ComponentId::id(wait.id, wait.revision, &format!("add.{n}"));
        Button::new(id, messages::buttons::add(&one_line(&list.noun))).build()
    };
    lists.take(ADDABLE_MAX).map(button).collect()
}

/// Nothing has been written yet.
pub(super) fn is_untouched(review: &Review) -> bool {
    review.groups.iter().flat_map(|group| &group.fields).all(|f| is_blank(&shown(f)))
}

/// A form that was filled in.
pub(super) fn filled(fields: &[Field], room: &mut Room) {
    let group = Group { path: String::new(), title: String::new(), fields: fields.to_vec() };
    room.add_all(draw(&group, None, None, false));
}
