//! Who reads what was answered: contact details and special data stay with the team, and nobody is asked for such data
//! before they have agreed.

use serde_json::Value;

use super::Check;
use crate::{
    config::problem::listed,
    model::flow::{Done, Objective, PhaseEffect, Sensitivity},
};

/// Formats by which a person can be reached.
const REACHES: [&str; 4] = ["email", "idn-email", "phone", "tel"];

/// Words in the names of objectives by which somebody agrees that data is kept.
const PRIVACY: [&str; 4] = ["consent", "privacy", "einwillig", "datenschutz"];

/// Words in the names of channels that everybody reads.
const PUBLIC: [&str; 13] = [
    "all",
    "announcements",
    "community",
    "everybody",
    "everyone",
    "general",
    "intros",
    "introductions",
    "lobby",
    "townhall",
    "public",
    "random",
    "welcome",
];

impl Check<'_> {
    pub(super) fn audience(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, effect) in phase.effect.iter().enumerate() {
                let at = format!("/phase/{p}/effect/{n}");
                match effect {
                    PhaseEffect::DiscordPost { channel, data, .. } => {
                        self.posted(&at, channel, data);
                    }
                    PhaseEffect::PostSummary { channel, include, .. } => {
                        self.summarised(&at, channel, include);
                    }
                    PhaseEffect::Webhook { .. }
                    | PhaseEffect::DiscordAddRole { .. }
                    | PhaseEffect::DiscordAddRolesFrom { .. } => {}
                }
            }
        }
        self.asked_before_agreeing();
        self.consent_comes_late();
    }

    /// Consent to keep data that is asked for after the data.
    fn consent_comes_late(&mut self) {
        let flow = self.flow;
        let is_consent = |objective: &&Objective| {
            let words = format!("{} {}", objective.id, objective.title).to_lowercase();
            PRIVACY.iter().any(|word| words.contains(word))
                && matches!(&objective.done, Done::Answered(answered) if !answered.with.is_empty())
        };
        let mut consents = flow.phase.iter().enumerate().filter_map(|(p, phase)| {
            let objective = phase.objective.iter().find(is_consent)?;
            Some((p, objective.id.clone()))
        });
        let Some((p, consent)) = consents.next() else { return };
        let is_personal = |data: &&String| flow.data[*data].sensitivity != Sensitivity::None;
        let early = flow
            .data
            .keys()
            .filter(is_personal)
            .find(|data| flow.phase[..p].iter().any(|phase| self.collects(phase, data)));
        if let Some(data) = early {
            let message = format!("`{data}` is stored before people are asked for `{consent}`");
            self.warn(&format!("/phase/{p}"), message, "move this phase to the front");
        }
    }

    /// What is posted in a channel of members tells nobody how to reach somebody.
    fn posted(&mut self, at: &str, channel: &str, data: &str) {
        let schema = self.loaded.schemas.get(data);
        let members = schema.and_then(|schema| schema.get("properties")?.as_object());
        let reaches = |field: &&Value| {
            field.get("format").and_then(Value::as_str).is_some_and(|of| REACHES.contains(&of))
        };
        let told = members.into_iter().flatten().filter(|(_, field)| reaches(field));
        let told: Vec<&str> = told.map(|(name, _)| name.as_str()).collect();
        if !told.is_empty() {
            let message = format!("everybody in `{channel}` would read people's {}", listed(told));
            let hint = "post data without these fields";
            self.warn(&format!("{at}/data"), message, hint);
        }
        if self.is_special(data) {
            self.goes_public(&format!("{at}/data"), channel, data);
        }
    }

    /// A summary of special data goes to a channel of the team.
    fn summarised(&mut self, at: &str, channel: &str, include: &[String]) {
        let special = include.iter().find(|data| self.is_special(data));
        if !self.is_public(channel) {
            return;
        }
        if let Some(data) = special {
            self.goes_public(&format!("{at}/channel"), channel, data);
            return;
        }
        let is_private = |effect: &PhaseEffect| matches!(effect, PhaseEffect::PostSummary { channel: other, .. } if other != channel);
        let is_personal = |data: &&String| {
            self.flow.data.get(*data).is_some_and(|table| table.sensitivity != Sensitivity::None)
        };
        let mut effects = self.flow.phase.iter().flat_map(|phase| &phase.effect);
        // A community may welcome everybody with a summary; who has a channel of the team means that one.
        let has_other = effects.any(is_private)
            || self.flow.handoff.channel.as_deref().is_some_and(|other| other != channel);
        if let Some(data) = include.iter().find(is_personal).filter(|_| has_other) {
            let message = format!("everybody in `{channel}` would read the summary of `{data}`");
            self.warn(
                &format!("{at}/channel"),
                message,
                "name a channel in which only the team is",
            );
        }
    }

    fn goes_public(&mut self, at: &str, channel: &str, data: &str) {
        let message =
            format!("everybody in `{channel}` would read `{data}`, which is special data");
        self.warn(at, message, "name a channel in which only the team is");
    }

    fn is_special(&self, data: &str) -> bool {
        self.flow.data.get(data).is_some_and(|table| table.sensitivity == Sensitivity::Special)
    }

    /// Whether members read a channel: by its name, or because threads are opened or posts made in it.
    fn is_public(&self, channel: &str) -> bool {
        let flow = self.flow;
        let is_posted_in = |effect: &PhaseEffect| matches!(effect, PhaseEffect::DiscordPost { channel: other, .. } if other == channel);
        let discord = flow.start.discord.as_ref();
        channel.split(['_', '-']).any(|word| PUBLIC.contains(&word))
            || discord.and_then(|start| start.parent.as_deref()) == Some(channel)
            || flow.phase.iter().flat_map(|phase| &phase.effect).any(is_posted_in)
    }

    /// Special data is asked for after a notice that must be accepted, or after a question that needs a certain answer.
    fn asked_before_agreeing(&mut self) {
        let flow = self.flow;
        if flow.notice.as_ref().is_none_or(|notice| notice.required) {
            return;
        }
        let special = flow.data.keys().filter(|data| self.is_special(data)).find_map(|data| {
            let asked = flow.phase.iter().position(|phase| self.collects(phase, data))?;
            Some((data.clone(), asked))
        });
        let Some((data, asked)) = special else { return };
        let mut has_consent = false;
        for objective in flow.phase[..asked].iter().flat_map(|phase| &phase.objective) {
            crate::flow::each_condition(&objective.done, &mut |done| {
                has_consent |=
                    matches!(done, Done::Answered(answered) if !answered.with.is_empty());
            });
        }
        if !has_consent {
            let message = format!(
                "people are asked for `{data}`, which is special data, before they have agreed"
            );
            self.warn("/notice/required", message, "set `required = true`");
        }
    }
}
