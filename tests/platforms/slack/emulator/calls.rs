//! The Web API: who may call what, how often, in which form, and what comes of it.

mod agent;
mod chat;
mod files;
mod oauth;
mod people;
mod talks;
mod views;

use serde_json::{Value, json};

use super::{
    args::{Answer, Args, No},
    state::{State, Token},
};

/// A method.
struct Method {
    name: &'static str,
    /// Calls a minute; none where it has rules of its own.
    tier: Option<f64>,
    /// The scope it needs, if one does for all.
    scope: &'static str,
    /// Takes a JSON body.
    json: bool,
    run: fn(&mut State, &Caller, &Args) -> Answer,
}

/// Who calls.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The workspace.
    pub(crate) team: String,
    pub(crate) token: Token,
    /// The token itself.
    pub(crate) secret: String,
}

impl Caller {
    /// Refuses where the token does not have the scope.
    fn needs(&self, scope: &str) -> Result<(), No> {
        if scope.is_empty() || self.token.scopes.contains(scope) {
            return Ok(());
        }
        let mut no = No::from("missing_scope");
        let provided: Vec<&str> = self.token.scopes.iter().map(String::as_str).collect();
        no.more.insert("needed".to_owned(), scope.into());
        no.more.insert("provided".to_owned(), provided.join(",").into());
        Err(no)
    }
}

const T2: Option<f64> = Some(20.0);
const T3: Option<f64> = Some(50.0);
const T4: Option<f64> = Some(100.0);

type Run = fn(&mut State, &Caller, &Args) -> Answer;

/// Name, calls a minute, scope, JSON.
const METHODS: &[(&str, Option<f64>, &str, bool, Run)] = &[
    ("agents.sessions.rename", T3, "chat:write", true, agent::rename),
    ("agents.sessions.setStatus", T3, "chat:write", true, agent::set_status),
    ("api.test", T4, "", true, |_, _, _| Ok(json!({}))),
    ("apps.connections.open", T2, "connections:write", true, oauth::connection),
    ("assistant.threads.setStatus", None, "chat:write", true, agent::doing),
    ("assistant.threads.setSuggestedPrompts", T4, "assistant:write", true, agent::prompts),
    ("assistant.threads.setTitle", T4, "assistant:write", true, agent::title),
    ("auth.revoke", T3, "", true, oauth::revoke),
    ("auth.test", None, "", true, oauth::test),
    ("blocks.validate", T4, "", true, views::validate),
    ("chat.appendStream", T4, "chat:write", true, agent::append),
    ("chat.delete", T3, "chat:write", true, chat::delete),
    ("chat.getPermalink", None, "", false, chat::permalink),
    ("chat.postEphemeral", T4, "chat:write", true, chat::ephemeral),
    ("chat.postMessage", None, "chat:write", true, chat::post),
    ("chat.startStream", T2, "chat:write", true, agent::start),
    ("chat.stopStream", T2, "chat:write", true, agent::stop),
    ("chat.update", T3, "chat:write", true, chat::update),
    ("conversations.create", T2, "groups:write", true, talks::create),
    ("conversations.history", T3, "", false, talks::history),
    ("conversations.info", T3, "", false, talks::info),
    ("conversations.invite", T3, "groups:write", true, talks::invite),
    ("conversations.members", T4, "", false, talks::members),
    ("conversations.open", T3, "im:write", true, talks::open),
    ("conversations.replies", T3, "", false, talks::replies),
    ("files.completeUploadExternal", T4, "files:write", true, files::complete),
    ("files.delete", T3, "files:write", true, files::delete),
    ("files.getUploadURLExternal", T4, "files:write", false, files::upload_url),
    ("files.info", T4, "files:read", false, files::info),
    ("oauth.v2.access", T4, "", false, oauth::access),
    ("reactions.add", T3, "reactions:write", true, chat::react),
    ("reactions.remove", T2, "reactions:write", true, chat::unreact),
    ("team.info", T3, "team:read", false, people::team),
    ("usergroups.list", T2, "usergroups:read", false, people::groups),
    ("users.conversations", T3, "", false, talks::mine),
    ("usergroups.users.list", T2, "usergroups:read", false, people::group),
    ("users.info", T4, "users:read", false, people::info),
    ("users.list", T2, "users:read", false, people::list),
    ("users.lookupByEmail", T3, "users:read.email", false, people::by_email),
    ("users.profile.get", T4, "users.profile:read", false, people::profile),
    ("views.open", T4, "", true, views::open),
    ("views.publish", T4, "", true, views::publish),
    ("views.push", T4, "", true, views::push),
    ("views.update", T4, "", true, views::update),
];

fn method(name: &str) -> Option<Method> {
    let found = METHODS.iter().find(|method| method.0 == name)?;
    let &(name, tier, scope, json, run) = found;
    Some(Method { name, tier, scope, json, run })
}

/// What is answered: the status, headers, the body.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<u64>,
    pub(crate) scopes: String,
    pub(crate) body: Value,
}

impl Answered {
    pub(crate) fn too_many(seconds: u64) -> Self {
        let body = No::from("ratelimited").body();
        Self { status: 429, retry_after: Some(seconds), scopes: String::new(), body }
    }
}

/// A request for a method.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) method: &'a str,
    pub(crate) token: Option<&'a str>,
    pub(crate) is_json: bool,
    pub(crate) args: &'a Args,
}

impl State {
    /// Answers a call.
    pub(crate) fn answer(&mut self, asked: &Asked<'_>) -> Answered {
        let mut scopes = String::new();
        let answer = self.authorised(asked, &mut scopes);
        match answer {
            Ok(mut body) => {
                body["ok"] = true.into();
                Answered { status: 200, retry_after: None, scopes, body }
            }
            Err(no) if no.error == "ratelimited" => {
                let seconds = no.more.get("after").and_then(Value::as_u64).unwrap_or(1);
                Answered { scopes, ..Answered::too_many(seconds) }
            }
            Err(no) => Answered { status: 200, retry_after: None, scopes, body: no.body() },
        }
    }

    fn authorised(&mut self, asked: &Asked<'_>, scopes: &mut String) -> Answer {
        let method = method(asked.method).ok_or("unknown_method")?;
        if matches!(method.name, "blocks.validate" | "oauth.v2.access" | "api.test") {
            let token = Token {
                team: String::new(),
                scopes: [].into(),
                is_app: false,
                is_org: false,
                is_revoked: false,
                refused: None,
                expires: None,
            };
            let nobody = Caller {
                team: String::new(),
                token,
                secret: asked.token.unwrap_or_default().to_owned(),
            };
            return (method.run)(self, &nobody, asked.args);
        }
        let caller = self.caller(asked)?;
        let granted: Vec<&str> = caller.token.scopes.iter().map(String::as_str).collect();
        *scopes = granted.join(",");
        if caller.token.is_app != (method.name == "apps.connections.open") {
            return Err("not_allowed_token_type".into());
        }
        self.pace(&method, &caller, asked.args)?;
        caller.needs(method.scope)?;
        if asked.is_json && !method.json {
            // Such a method does not see what stands in a JSON body.
            return (method.run)(self, &caller, &Args::default());
        }
        (method.run)(self, &caller, asked.args)
    }

    fn caller(&self, asked: &Asked<'_>) -> Result<Caller, No> {
        let secret = asked.token.ok_or("not_authed")?;
        let token = self.tokens.get(secret).ok_or("invalid_auth")?;
        if let Some(error) = token.refused {
            return Err(error.into());
        }
        if token.is_revoked || !self.teams.get(&token.team).is_some_and(|team| team.installed) {
            return Err(if token.is_app { "invalid_auth" } else { "token_revoked" }.into());
        }
        if token.expires.is_some_and(|expires| expires <= self.now()) {
            return Err("token_expired".into());
        }
        // A token of an organisation is used in one of its workspaces: that of the channel, where there is one.
        let channel = asked.args.maybe("channel").or_else(|| asked.args.maybe("channel_id"));
        let channel = channel.and_then(|channel| self.channels.get(channel));
        let user = asked.args.maybe("channel").or_else(|| asked.args.maybe("users"));
        let home = user.and_then(|user| self.users.get(user)).map(|user| user.team.as_str());
        let team = match channel {
            _ if !token.is_org => &token.team,
            Some(channel) => &channel.team,
            None => asked.args.maybe("team_id").or(home).unwrap_or(&token.team),
        };
        let is_of_token = asked.method.starts_with("auth.");
        if token.is_org && !is_of_token && self.teams.get(team).is_some_and(|team| team.withheld) {
            return Err("team_access_not_granted".into());
        }
        Ok(Caller { team: team.to_owned(), token: token.clone(), secret: secret.to_owned() })
    }

    fn pace(&mut self, method: &Method, caller: &Caller, args: &Args) -> Result<(), No> {
        let Some(rates) = self.settings.rates else { return Ok(()) };
        let taken = match (method.name, method.tier) {
            ("chat.postMessage", _) => {
                let channel = args.maybe("channel").unwrap_or_default();
                self.take(&format!("{}/{channel}", caller.team), 1.0, rates.burst)
            }
            (name, Some(a_minute)) => {
                let a_minute = a_minute * rates.tiers;
                self.take(&format!("{}/{name}", caller.team), a_minute / 60.0, a_minute)
            }
            (_, None) => Ok(()),
        };
        taken.map_err(|seconds| {
            let mut no = No::from("ratelimited");
            no.more.insert("after".to_owned(), seconds.into());
            no
        })
    }
}
