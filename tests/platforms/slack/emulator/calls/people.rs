//! People and their groups.
#![expect(clippy::unnecessary_wraps, reason = "all methods have one shape")]

use serde_json::{Value, json};

use super::super::{
    args::{Answer, Args},
    calls::Caller,
    shapes::user_json,
    state::{State, User},
};

pub(super) fn info(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let id = args.text("user")?;
    let user = known(state, caller, id).ok_or("user_not_found")?;
    Ok(json!({ "user": user_json(id, user, sees_email(caller)) }))
}

pub(super) fn profile(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let id = args.text("user")?;
    let user = known(state, caller, id).ok_or("user_not_found")?;
    Ok(json!({ "profile": user_json(id, user, sees_email(caller))["profile"] }))
}

pub(super) fn list(state: &mut State, caller: &Caller, _: &Args) -> Answer {
    let users = state.users.iter().filter(|(id, _)| known(state, caller, id).is_some());
    let users: Vec<Value> =
        users.map(|(id, user)| user_json(id, user, sees_email(caller))).collect();
    Ok(json!({ "members": users, "response_metadata": { "next_cursor": "" } }))
}

pub(super) fn by_email(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let email = args.text("email")?;
    let found = state
        .users
        .iter()
        .find(|(id, user)| user.email == email && known(state, caller, id).is_some());
    let (id, user) = found.ok_or("users_not_found")?;
    Ok(json!({ "user": user_json(id, user, true) }))
}

pub(super) fn groups(state: &mut State, _: &Caller, args: &Args) -> Answer {
    let groups: Vec<Value> = state
        .groups
        .iter()
        .map(|(id, (handle, users))| {
            let mut group =
                json!({ "id": id, "handle": handle, "name": handle, "user_count": users.len() });
            if args.flag("include_users") {
                group["users"] = json!(users);
            }
            group
        })
        .collect();
    Ok(json!({ "usergroups": groups }))
}

pub(super) fn group(state: &mut State, _: &Caller, args: &Args) -> Answer {
    let (_, users) = state.groups.get(args.text("usergroup")?).ok_or("no_such_subteam")?;
    Ok(json!({ "users": users }))
}

pub(super) fn team(state: &mut State, caller: &Caller, _: &Args) -> Answer {
    let team = &state.teams[&caller.team];
    Ok(json!({ "team": {
        "id": caller.team, "name": team.name, "domain": team.domain, "email_domain": "", "enterprise_id": team.enterprise,
    } }))
}

fn known<'a>(state: &'a State, caller: &Caller, id: &str) -> Option<&'a User> {
    let user = state.users.get(id)?;
    (user.is_stranger || user.team == caller.team || caller.token.is_org).then_some(user)
}

fn sees_email(caller: &Caller) -> bool {
    caller.token.scopes.contains("users:read.email")
}
