//! Promises of who reads an answer: `Only the board sees this.` holds by `visible_to`, and not by its words.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Check, lengths::words, texts::questions};
use crate::{
    config::toml_document::escaped,
    flow::visible,
    model::flow::{PhaseEffect, REQUEST, Reader, Step},
};

/// What readers do with an answer.
const READS: [&str; 10] =
    ["see", "sees", "read", "reads", "get", "gets", "sehen", "sieht", "lesen", "liest"];

/// Words for an answer that is shown.
const SHOWN: [&str; 4] = ["seen", "visible", "shown", "shared"];

/// Words for one group and no other.
const ONLY: [&str; 3] = ["only", "nur", "ausschließlich"];

/// How many words may name the group: `those who decide`.
const NAMED_MAX: usize = 8;

impl Check<'_> {
    pub(super) fn promised_readers(&mut self) {
        let flow = self.flow;
        for name in flow.data.keys() {
            let Some(schema) = self.loaded.schemas.get(name) else { continue };
            let fields = schema["properties"].as_object();
            for (field, schema) in fields.into_iter().flatten() {
                let texts = ["title", "description"].map(|key| schema[key].as_str());
                let at = format!("/data/{}/fields/{}", escaped(name), escaped(field));
                let promised = texts.into_iter().flatten().find_map(promise);
                if let Some(group) = promised {
                    self.kept_to(&at, &format!("{name}.{field}"), schema, &group);
                }
            }
        }
        for phase in &flow.phase {
            for (n, step) in phase.step.iter().enumerate() {
                let before = n.checked_sub(1).map(|before| &phase.step[before]);
                self.promised_in_form(step, before);
            }
        }
    }

    /// A form whose message promises it for all of its fields, or the question before it that offers the form.
    fn promised_in_form(&mut self, step: &Step, before: Option<&Step>) {
        let Some(data) = step.args.get("dataType").and_then(Value::as_str) else { return };
        let before = before.filter(|before| before.args.contains_key("options"));
        let promised = questions(step).chain(before.into_iter().flat_map(questions));
        let promised = promised.into_iter().find_map(promise);
        let (Some(group), Some(schema)) = (promised, self.loaded.schemas.get(data)) else {
            return;
        };
        for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
            let at = format!("/data/{}/fields/{}", escaped(data), escaped(field));
            self.kept_to(&at, &format!("{data}.{field}"), schema, &group);
        }
        self.sent_elsewhere(data, &group);
    }

    /// Data for one web hook, which another one sends, too.
    fn sent_elsewhere(&mut self, data: &str, group: &[String]) {
        let flow = self.flow;
        let aliases = flow.phase.iter().flat_map(|phase| &phase.effect).filter_map(hook);
        let meant: Vec<&str> =
            aliases.map(|(alias, _)| alias).filter(|alias| is_called(alias, group)).collect();
        if meant.is_empty() {
            return;
        }
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, effect) in phase.effect.iter().enumerate() {
                let Some((alias, include)) = hook(effect) else { continue };
                if include.iter().any(|name| name == data) && !meant.contains(&alias) {
                    let message = format!(
                        "the text promises that only {} gets `{data}`, and `{alias}` gets it",
                        group.join(" ")
                    );
                    let hint = format!("see whether you mean `{}`", meant[0]);
                    self.warn(&format!("/phase/{p}/effect/{n}/url_from"), message, &hint);
                }
            }
        }
    }

    fn kept_to(&mut self, at: &str, called: &str, schema: &Value, group: &[String]) {
        let everybody = [Reader::Deciders, Reader::Team, Reader::Hooks];
        let seeing: Vec<Reader> =
            everybody.into_iter().filter(|reader| visible::is_for(schema, *reader)).collect();
        let meant = self.readers_called(group);
        let others: Vec<Reader> =
            seeing.iter().copied().filter(|reader| !meant.contains(reader.word())).collect();
        let is_kept =
            if meant.is_empty() { seeing.len() < everybody.len() } else { others.is_empty() };
        if is_kept {
            return;
        }
        let others = if meant.is_empty() { seeing } else { others };
        let others: Vec<&str> = others.iter().map(|reader| reader.word()).collect();
        let message = format!(
            "the text promises that only {} reads this, and `{called}` is visible to: {}",
            group.join(" "),
            others.join(", ")
        );
        let hint = match meant.first() {
            Some(reader) => format!("write `visible_to = [\"{reader}\"]`, or change the text"),
            None => "name who may see it in `visible_to`, or change the text".to_owned(),
        };
        self.warn(at, message, &hint);
    }

    /// Who is meant by the words for a group: aliases of deciders and of web hooks tell, and so does the word `team`.
    fn readers_called(&self, group: &[String]) -> BTreeSet<&'static str> {
        let flow = self.flow;
        let is_named = |alias: &str| is_called(alias, group);
        let mut deciders = flow.approvals.named.iter().flat_map(|(name, approval)| {
            let stages = approval.then.iter().map(|stage| &stage.deciders);
            [name, &approval.deciders].into_iter().chain(stages)
        });
        let is_deciding =
            |word: &String| word.starts_with("decid") || word.starts_with("entscheid");
        let asks = flow.phase.iter().flat_map(|phase| &phase.step).any(|step| step.tool == REQUEST);
        let mut found = BTreeSet::new();
        if asks && (group.iter().any(is_deciding) || deciders.any(|alias| is_named(alias))) {
            found.insert(Reader::Deciders.word());
        }
        let effects = || flow.phase.iter().flat_map(|phase| &phase.effect);
        if effects().filter_map(hook).any(|(alias, _)| is_named(alias)) {
            found.insert(Reader::Hooks.word());
        }
        let is_summary = |effect: &PhaseEffect| matches!(effect, PhaseEffect::PostSummary { channel, .. } if is_named(channel));
        let is_team = || group.iter().any(|word| word == "team" || word == "staff");
        // `those in the team who decide`
        if effects().any(is_summary) || !group.iter().any(is_deciding) && is_team() {
            found.insert(Reader::Team.word());
        }
        found
    }
}

/// Whether some words call an alias: `the personnel system` calls `personnel_api`.
fn is_called(alias: &str, group: &[String]) -> bool {
    alias.split(['_', '-']).any(|part| part.len() > 2 && group.iter().any(|word| word == part))
}

/// The alias of a web hook, and the data that it sends.
fn hook(effect: &PhaseEffect) -> Option<(&str, &[String])> {
    match effect {
        PhaseEffect::Webhook { url_from, include, .. } => Some((url_from, include)),
        PhaseEffect::PostSummary { .. }
        | PhaseEffect::DiscordAddRole { .. }
        | PhaseEffect::DiscordAddRolesFrom { .. }
        | PhaseEffect::DiscordPost { .. } => None,
    }
}

/// The group that a text promises to be the only one that reads an answer.
pub(super) fn promise(text: &str) -> Option<Vec<String>> {
    text.split(['.', '!', '?', ';', '\n', ',']).find_map(|sentence| {
        let words = words(sentence);
        let only = words.iter().position(|word| ONLY.contains(&word.as_str()))?;
        let before = only.checked_sub(1).map(|n| words[n].as_str()).unwrap_or_default();
        let after = &words[only + 1..];
        let named = after.iter().take(NAMED_MAX + 1);
        let group = if READS.contains(&before) {
            // `Das sieht nur die Leitung`
            after
        } else if SHOWN.contains(&before) {
            // `visible only to the board`
            after.get(1..)?
        } else {
            let length = named.into_iter().position(|word| READS.contains(&word.as_str()))?;
            &after[..length]
        };
        let is_of_participant = group.iter().any(|word| word == "you" || word == "du");
        let is_group = (1..=NAMED_MAX).contains(&group.len()) && !is_of_participant;
        is_group.then(|| group.to_vec())
    })
}
