//! What deciders should know about a request: who asks for what, as Discord shows people and roles, then what else there is.

use super::{
    Cx,
    component::Component,
    components,
    text::{one_line, said, time, units},
};
use crate::{chat::form::instant, gateway::discord::limits, messages, model::ui::Decide};

/// Longest display of one fact, in characters.
const FACT: usize = 800;

/// Longest fact that stands in one line with its name, in characters.
const LINE: usize = 60;

/// Lines beside the person's picture.
const BESIDE: usize = 4;

/// The person and the roles beside the person's picture; then what somebody wrote, as quotations; then a line for each
/// other fact, times in the reader's zone.
pub(super) fn facts(decide: &Decide, cx: &Cx) -> Vec<Vec<Component>> {
    let (mut who, mut short): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut long: Vec<Vec<Component>> = Vec::new();
    // Which conversation it is about, and where that stands.
    let mut part_of: Vec<String> = Vec::new();
    for (name, value) in &decide.facts {
        let label = said(&one_line(name), limits::QUOTE);
        if let Some(shown) = shown_by_discord(name, cx) {
            who.push(format!("**{label}**: {shown}"));
            continue;
        }
        let value = match instant(value) {
            Some(at) => time(at),
            None => said(value, FACT),
        };
        if matches!(name.as_str(), messages::requests::FLOW | messages::requests::PHASE) {
            part_of.push(value);
        } else if name.to_lowercase().contains("reason")
            || units(&value) > LINE
            || value.contains('\n')
        {
            long.push(vec![components::text(&format!("**{label}**\n{}", quotation(&value)))]);
        } else {
            short.push(format!("**{label}**: {value}"));
        }
    }
    let picture = cx.asker.as_ref().and_then(|asker| asker.avatar.as_deref());
    let beside =
        if picture.is_some() { BESIDE.saturating_sub(who.len()).min(short.len()) } else { 0 };
    who.extend(short.drain(..beside));
    let who = match (who.is_empty(), picture) {
        (true, _) => None,
        (false, Some(url)) => Some(components::portrait(
            &who.join("\n"),
            url,
            decide.person().unwrap_or(messages::unnamed::THE_PARTICIPANT),
        )),
        (false, None) => Some(components::text(&who.join("\n"))),
    };
    let short = short.chunks(4).map(|lines| vec![components::text(&lines.join("\n"))]);
    let part_of = (!part_of.is_empty()).then(|| vec![components::small(&[part_of.join(" · ")])]);
    who.map(|who| vec![who]).into_iter().chain(long).chain(short).chain(part_of).collect()
}

/// A fact that Discord shows itself, under the name that it has there.
fn shown_by_discord(name: &str, cx: &Cx) -> Option<String> {
    let asker = cx.asker.as_ref()?;
    match name {
        Decide::PERSON => Some(asker.mention.clone()),
        Decide::ROLE if !asker.roles.is_empty() => Some(asker.roles.join(", ")),
        _ => None,
    }
}

fn quotation(value: &str) -> String {
    let quoted = value.replace('\n', "\n> ");
    // Of many short lines there would be more marks than words.
    let is_long = units(&quoted) > 2 * FACT;
    format!("> {}", if is_long { value.replace('\n', " ") } else { quoted })
}
