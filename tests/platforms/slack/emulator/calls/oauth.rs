//! Tokens: what they are, how one gets them, sockets.
#![expect(clippy::unnecessary_wraps, reason = "all methods have one shape")]

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::super::{
    APP, BOT_USER, CLIENT_ID, CLIENT_SECRET,
    args::{Answer, Args},
    calls::Caller,
    state::{State, Token},
};

/// How long a token lives where tokens rotate.
const LIFE: TimeDelta = TimeDelta::hours(12);

pub(super) fn test(state: &mut State, caller: &Caller, _: &Args) -> Answer {
    let team = &state.teams[&caller.team];
    Ok(json!({
        "url": format!("https://{}.slack.com/", team.domain), "team": team.name, "user": "anteroom",
        "team_id": caller.team, "user_id": BOT_USER, "bot_id": "B0BOT", "enterprise_id": team.enterprise,
        "is_enterprise_install": caller.token.is_org,
    }))
}

pub(super) fn revoke(state: &mut State, caller: &Caller, _: &Args) -> Answer {
    if let Some(token) = state.tokens.get_mut(&caller.secret) {
        token.is_revoked = true;
    }
    Ok(json!({ "revoked": true }))
}

pub(super) fn connection(state: &mut State, _: &Caller, _: &Args) -> Answer {
    if state.sockets_off {
        return Err("link_disabled".into());
    }
    let ticket = state.id("ticket");
    let url = format!("{}/link/?ticket={ticket}&app_id={APP}", state.sockets_at);
    state.tickets.insert(ticket);
    Ok(json!({ "url": url }))
}

pub(super) fn access(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let (id, secret) = match caller.secret.split_once(':') {
        Some((id, secret)) => (id, secret),
        None => (args.text("client_id")?, args.text("client_secret")?),
    };
    if id != CLIENT_ID {
        return Err("invalid_client_id".into());
    }
    if secret != CLIENT_SECRET {
        return Err("bad_client_secret".into());
    }
    let grant = match args.maybe("grant_type") {
        Some("refresh_token") => args.text("refresh_token")?,
        _ => args.text("code")?,
    };
    // Each is good once.
    let error = if args.maybe("refresh_token").is_some() {
        "invalid_refresh_token"
    } else {
        "invalid_code"
    };
    let (team, is_org) = state.grants.remove(grant).ok_or(error)?;
    state.teams.get_mut(&team).unwrap().installed = true;
    Ok(state.install(&team, is_org))
}

impl State {
    /// A code as Slack hands it out when somebody agrees to install the app.
    pub(crate) fn consent(&mut self, team: &str, is_org: bool) -> String {
        let code = self.id("code");
        self.grants.insert(code.clone(), (team.to_owned(), is_org));
        code
    }

    /// New tokens, as `oauth.v2.access` answers them.
    fn install(&mut self, team: &str, is_org: bool) -> Value {
        let number = self.number();
        let prefix = if self.rotates { "xoxe.xoxb" } else { "xoxb" };
        let secret = format!("{prefix}-marker-{team}-{number}");
        let token = Token {
            team: team.to_owned(),
            scopes: self.settings.scopes.clone(),
            is_app: false,
            is_org,
            is_revoked: false,
            refused: None,
            expires: self.rotates.then(|| self.now() + LIFE),
        };
        let scopes: Vec<&str> = token.scopes.iter().map(String::as_str).collect();
        let known = &self.teams[team];
        let enterprise =
            known.enterprise.as_ref().map(|id| json!({ "id": id, "name": "Example Group" }));
        let mut answer = json!({
            "access_token": secret, "token_type": "bot", "scope": scopes.join(","), "bot_user_id": BOT_USER,
            "app_id": APP, "team": { "id": team, "name": known.name }, "enterprise": enterprise,
            "is_enterprise_install": is_org, "authed_user": { "id": "U0GRACE" },
        });
        if is_org {
            answer["team"] = Value::Null;
        }
        if self.rotates {
            let refresh = format!("xoxe-1-marker-{team}-{number}");
            self.grants.insert(refresh.clone(), (team.to_owned(), is_org));
            answer["refresh_token"] = refresh.into();
            answer["expires_in"] = LIFE.num_seconds().into();
        }
        self.tokens.insert(secret, token);
        answer
    }
}
