//! Where a flow begins, and who is called for a person there.

use super::Check;
use crate::model::flow::{DiscordPlace, SlackPlace};

/// Longest name of a slash command, without the slash.
/// <https://docs.slack.dev/reference/app-manifest>
const COMMAND_MAX: usize = 31;

impl Check<'_> {
    pub(super) fn start(&mut self) {
        self.invitation();
        self.panel();
        self.places();
        self.people();
    }

    /// On Discord the bot writes directly to nobody who has not asked for it: an invitation needs a thread.
    fn invitation(&mut self) {
        let Some(start) = self.flow.start.discord.as_ref().filter(|start| start.invite) else {
            return;
        };
        if start.place != DiscordPlace::PrivateThread || start.parent.is_none() {
            let hint =
                "set `place = \"private-thread\"`, and as `parent` a channel that members see";
            self.warn("/start/discord/invite", "nobody can be invited on Discord", hint);
        }
    }

    /// Threads have a channel to be in, and commands are such.
    fn places(&mut self) {
        let flow = self.flow;
        if let Some(start) = &flow.start.slack {
            if start.place == SlackPlace::ChannelThread && start.parent.is_none() {
                let hint = "set `parent` to the alias of a private channel".to_owned();
                let message = "there is no channel to open threads in";
                self.error("/start/slack/place", message, Some(hint));
            }
            for (n, command) in start.commands.iter().enumerate() {
                let at = format!("/start/slack/commands/{n}");
                let name = command.strip_prefix('/').unwrap_or_default();
                let fits =
                    |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
                if name.is_empty() || name.len() > COMMAND_MAX || !name.chars().all(fits) {
                    let hint =
                        "write a slash, then lower-case letters, digits and hyphens: `/welcome`";
                    let message = format!("`{command}` is not a slash command");
                    self.error(&at, message, Some(hint.to_owned()));
                }
            }
        }
        if let Some(start) = &flow.start.discord {
            let places = [("place", Some(start.place)), ("fallback", start.fallback)];
            for (name, place) in places {
                if place == Some(DiscordPlace::PrivateThread) && start.parent.is_none() {
                    let hint = "set `parent` to the alias of a channel that members see".to_owned();
                    let message = "there is no channel to open threads in";
                    self.error(&format!("/start/discord/{name}"), message, Some(hint));
                }
            }
        }
    }

    /// Whoever is offered a person in a chat has a team that is told there; on the page, staff look at who waits.
    fn people(&mut self) {
        let flow = self.flow;
        let is_in_chat = flow.start.slack.is_some() || flow.start.discord.is_some();
        if !is_in_chat || flow.handoff.channel.is_some() {
            return;
        }
        let hint = || Some("set `channel` under `[handoff]`".to_owned());
        if flow.notice.is_some() {
            let message = "this button offers a person, but nobody would be told";
            self.error("/notice/human", message, hint());
        }
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, step) in phase.step.iter().enumerate() {
                for (key, _) in step.branch.iter().filter(|(_, target)| *target == "@handoff") {
                    let at = format!("/phase/{p}/step/{n}/branch/{key}");
                    self.error(&at, "this leads to a person, but nobody would be told", hint());
                }
            }
        }
    }

    /// A picture on a panel is fetched by Discord, and read out to those who do not see it.
    fn panel(&mut self) {
        let Some(start) = &self.flow.start.discord else { return };
        let Some(image) = &start.panel_image else { return };
        if !image.starts_with("https://") {
            let hint = Some("write an address that begins with `https://`".to_owned());
            self.error("/start/discord/panel_image", "Discord can't fetch this picture", hint);
        }
        if start.panel_image_alt.as_ref().is_none_or(|alt| alt.trim().is_empty()) {
            let hint = Some("say in `panel_image_alt` what is on it".to_owned());
            let message = "people who don't see the picture learn nothing of it";
            self.error("/start/discord/panel_image", message, hint);
        }
    }
}
