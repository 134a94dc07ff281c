//! Tools and script steps.

use serde_json::Value;

use super::Check;
use crate::{
    config::{
        document::escaped,
        problem::{did_you_mean, listed},
    },
    model::flow::{Phase, Step},
};

/// Where a branch may lead besides a step.
pub(super) const TARGETS: [&str; 4] = ["@next", "@skip", "@stop", "@handoff"];

/// What a result's `status` may be, by tool.
const STATUSES: [(&str, &[&str]); 7] = [
    ("get_user_upload", &["uploaded", "skipped"]),
    ("get_image_from_user", &["uploaded", "skipped"]),
    ("submit_for_validation", &["approved", "modified", "rejected", "skipped"]),
    ("get_macos_contact_card", &["fetched", "permission_denied", "not_found"]),
    ("extract_document", &["ok", "partial", "failed"]),
    ("deploy_agent", &["completed", "failed"]),
    (
        "next_phase",
        &["approved", "blocked", "awaiting_user_approval", "denied", "denied_with_feedback"],
    ),
];

impl Check<'_> {
    pub(super) fn tools(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, tool) in phase.tools.iter().enumerate() {
                self.tool(&format!("/phase/{p}/tools/{n}"), tool);
                if phase.tools[..n].contains(tool) {
                    self.error(
                        &format!("/phase/{p}/tools/{n}"),
                        format!("duplicate tool `{tool}`"),
                        None,
                    );
                }
            }
            for (n, agent) in phase.agents.iter().enumerate() {
                self.agent(&format!("/phase/{p}/agents/{n}"), agent);
            }
        }
    }

    fn tool(&mut self, at: &str, tool: &str) {
        if !self.catalogue.tools.contains_key(tool) {
            let known = self.catalogue.tools.keys().map(String::as_str);
            let hint = did_you_mean(tool, known)
                .unwrap_or_else(|| "`anteroom tools list` shows them all".to_owned());
            self.error(at, format!("there is no tool `{tool}`"), Some(hint));
        }
        if self.catalogue.scoring.contains(tool) && !self.flow.policy.score_people {
            let hint =
                "write `score_people = true` under `[policy]`, and weigh what that asks of you";
            self.error(at, format!("`{tool}` scores people"), Some(hint.to_owned()));
        }
    }

    fn agent(&mut self, at: &str, agent: &str) {
        let names = self.catalogue.tools.get("deploy_agent");
        let names = names.and_then(|s| s.pointer("/properties/agentType/enum")?.as_array());
        let names: Vec<&str> = names.into_iter().flatten().filter_map(Value::as_str).collect();
        if !names.is_empty() && !names.contains(&agent) {
            let hint = did_you_mean(agent, names.iter().copied())
                .unwrap_or_else(|| format!("known agents: {}", listed(names.iter().copied())));
            self.error(at, format!("there is no agent `{agent}`"), Some(hint));
        }
    }

    pub(super) fn steps(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, step) in phase.step.iter().enumerate() {
                let at = format!("/phase/{p}/step/{n}");
                self.tool(&format!("{at}/tool"), &step.tool);
                self.arguments(&at, step);
                if let Some(when) = &step.when {
                    self.expression(&format!("{at}/when"), when);
                }
                if let Some(save) = &step.save {
                    self.data(&format!("{at}/save"), save);
                }
                self.branches(&at, phase, step);
            }
        }
    }

    /// Data that the flow keeps.
    pub(super) fn data(&mut self, at: &str, name: &str) {
        if self.loaded.data_type(name).is_none() {
            let known = self.loaded.schemas.keys().map(String::as_str);
            let hint =
                did_you_mean(name, known).unwrap_or_else(|| format!("add a table `[data.{name}]`"));
            self.error(at, format!("this flow has no data `{name}`"), Some(hint));
        }
    }

    fn branches(&mut self, at: &str, phase: &Phase, step: &Step) {
        let outcomes = outcomes(step);
        for (key, target) in &step.branch {
            let at = format!("{at}/branch/{}", escaped(key));
            if let Some(known) = &outcomes
                && key != "error"
                && !known.contains(key)
            {
                let known = || known.iter().map(String::as_str);
                let hint = did_you_mean(key, known())
                    .unwrap_or_else(|| format!("valid results: {}, `error`", listed(known())));
                self.error(&at, format!("this step never results in `{key}`"), Some(hint));
            }
            let steps = || phase.step.iter().map(|step| step.id.as_str());
            if !TARGETS.contains(&target.as_str()) && !steps().any(|step| step == target) {
                let hint = did_you_mean(target, steps().chain(TARGETS)).unwrap_or_else(|| {
                    format!("use a step of this phase, or one of {}", listed(TARGETS))
                });
                self.error(&at, format!("there is no step `{target}` in this phase"), Some(hint));
            }
        }
    }
}

/// What a step may come to, as keys of its branches; none where that is only known later.
pub(super) fn outcomes(step: &Step) -> Option<Vec<String>> {
    if let Some(options) = step.args.get("options") {
        let ids = options.as_array()?.iter().map(|option| option.get("id")?.as_str());
        return ids
            .map(|id| id.filter(|id| !id.contains("{{")).map(str::to_owned))
            .collect::<Option<Vec<_>>>();
    }
    if matches!(step.tool.as_str(), "request_user_input" | "persist_data") {
        return Some(Vec::new());
    }
    let (_, statuses) = STATUSES.iter().find(|(tool, _)| *tool == step.tool)?;
    Some(statuses.iter().map(|status| (*status).to_owned()).collect())
}
