//! What Discord does when it is asked, route by route, with what it refuses and how.

mod interactions;
mod messages;
mod servers;
mod threads;

use serde_json::{Value, json};

use super::state::{BOT, Channel, State};

/// A refusal: the status, Discord's own code, its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) u16, pub(crate) u32, pub(crate) String);

/// What a call answers: a status and a body.
pub(crate) type Answered = Result<(u16, Value), Refusal>;

/// A request, taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Asked<'a> {
    pub(crate) route: &'static str,
    /// What stands for the names in the route, in order.
    pub(crate) names: Vec<&'a str>,
    pub(crate) query: &'a str,
    pub(crate) body: Value,
    /// Files that came along: `files[0]`, the kind, the bytes.
    pub(crate) files: Vec<(String, String, Vec<u8>)>,
    pub(crate) reason: String,
}

impl Asked<'_> {
    /// The `n`th name as a snowflake.
    pub(crate) fn id(&self, n: usize) -> u64 {
        self.names[n].parse().unwrap_or(0)
    }

    /// What the address says under a name.
    pub(crate) fn query(&self, name: &str) -> Option<u64> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(key, _)| *key == name).find_map(|(_, value)| value.parse().ok())
    }
}

/// Every route there is, as `METHOD /path/{name}`.
pub(crate) const ROUTES: [&str; 36] = [
    "GET /gateway/bot",
    "GET /applications/@me",
    "GET /users/@me",
    "GET /users/@me/guilds",
    "POST /users/@me/channels",
    "PUT /applications/{application}/commands",
    "GET /applications/{application}/commands",
    "PUT /applications/{application}/guilds/{guild}/commands",
    "GET /applications/{application}/guilds/{guild}/commands",
    "POST /channels/{channel}/invites",
    "GET /guilds/{guild}",
    "GET /guilds/{guild}/roles",
    "GET /guilds/{guild}/members/{user}",
    "PUT /guilds/{guild}/members/{user}/roles/{role}",
    "DELETE /guilds/{guild}/members/{user}/roles/{role}",
    "GET /channels/{channel}",
    "PATCH /channels/{channel}",
    "DELETE /channels/{channel}",
    "POST /channels/{channel}/threads",
    "POST /channels/{channel}/messages/{message}/threads",
    "GET /guilds/{guild}/onboarding",
    "PUT /channels/{channel}/thread-members/{user}",
    "DELETE /channels/{channel}/thread-members/{user}",
    "POST /channels/{channel}/messages",
    "GET /channels/{channel}/messages",
    "POST /channels/{channel}/typing",
    "GET /guilds/{guild}/threads/active",
    "GET /channels/{channel}/messages/{message}",
    "PATCH /channels/{channel}/messages/{message}",
    "DELETE /channels/{channel}/messages/{message}",
    "POST /interactions/{interaction}/{token}/callback",
    "POST /webhooks/{application}/{token}",
    "GET /webhooks/{application}/{token}/messages/@original",
    "PATCH /webhooks/{application}/{token}/messages/@original",
    "DELETE /webhooks/{application}/{token}/messages/@original",
    "PATCH /webhooks/{application}/{token}/messages/{message}",
];

/// Finds the route of a request, and what stands for its names.
pub(crate) fn route<'a>(method: &str, path: &'a str) -> Option<(&'static str, Vec<&'a str>)> {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    ROUTES.iter().find_map(|route| {
        let (wanted, template) = route.split_once(' ').unwrap();
        let template: Vec<&str> = template.trim_matches('/').split('/').collect();
        if wanted != method || template.len() != parts.len() {
            return None;
        }
        let mut names = Vec::new();
        for (wanted, part) in template.iter().zip(&parts) {
            if wanted.starts_with('{') {
                names.push(*part);
            } else if wanted != part {
                return None;
            }
        }
        Some((*route, names))
    })
}

/// Carries a request out.
pub(crate) fn call(state: &mut State, asked: &Asked<'_>) -> Answered {
    let (method, path) = asked.route.split_once(' ').unwrap();
    match path.trim_start_matches('/').split('/').next().unwrap() {
        "interactions" | "webhooks" => interactions::call(state, asked),
        "channels" if path.ends_with("/threads") => threads::call(state, asked),
        "channels" if path.contains("/messages") => messages::call(state, asked),
        "channels" => threads::call(state, asked),
        "gateway" => {
            let gateway = &state.gateway;
            Ok((
                200,
                json!({ "url": gateway.url, "shards": gateway.shards, "session_start_limit": {
                    "total": 1000, "remaining": gateway.remaining, "reset_after": 14_400_000,
                    "max_concurrency": 1 } }),
            ))
        }
        _ => servers::call(state, asked, method),
    }
}

pub(super) fn refuse(status: u16, code: u32, words: &str) -> Refusal {
    Refusal(status, code, words.to_owned())
}

pub(super) fn unknown(code: u32) -> Refusal {
    let what = match code {
        10003 => "Unknown Channel",
        10007 => "Unknown Member",
        10008 => "Unknown Message",
        10011 => "Unknown Role",
        10013 => "Unknown User",
        10015 => "Unknown Webhook",
        10062 => "Unknown interaction",
        _ => "Unknown",
    };
    refuse(404, code, what)
}

/// A body that breaks a rule, with what is wrong.
pub(super) fn invalid(problems: &[String]) -> Refusal {
    Refusal(400, 50035, format!("Invalid Form Body: {}", problems.join("; ")))
}

/// The channel, where the bot may do something there.
pub(super) fn channel_for(
    state: &mut State,
    id: u64,
    needed: u64,
) -> Result<&mut Channel, Refusal> {
    if !state.channels.contains_key(&id) {
        return Err(unknown(10003));
    }
    let held = state.permissions(BOT, id);
    if held & super::state::may::VIEW == 0 {
        return Err(refuse(403, 50001, "Missing Access"));
    }
    if held & needed != needed {
        return Err(refuse(403, 50013, "Missing Permissions"));
    }
    Ok(state.channels.get_mut(&id).unwrap())
}
