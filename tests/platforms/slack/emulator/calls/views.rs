//! Modals and the app's home.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::{
    args::{Answer, Args, No},
    blocks::{self, Surface},
    calls::Caller,
    shapes::view_json,
    state::{State, Values, View},
};

/// Views on top of one another.
const STACK_MAX: usize = 3;

pub(super) fn open(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let body = checked(args, "modal")?;
    let (user, team, _) = exchanged(state, caller, args)?;
    unique(state, &body, None)?;
    state.close_all(&user);
    let id = state.show(&user, &team, body, None);
    Ok(json!({ "view": view_json(&state.views[&id]) }))
}

pub(super) fn push(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let body = checked(args, "modal")?;
    let (user, team, from) = exchanged(state, caller, args)?;
    let stack = state.stacks.get(&user).cloned().unwrap_or_default();
    let top = from.filter(|view| stack.contains(view)).ok_or("not_found")?;
    if stack.len() >= STACK_MAX {
        return Err("push_limit_reached".into());
    }
    unique(state, &body, None)?;
    let id = state.show(&user, &team, body, Some(&top));
    Ok(json!({ "view": view_json(&state.views[&id]) }))
}

pub(super) fn update(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let body = checked(args, "modal")?;
    let id = match (args.maybe("view_id"), args.maybe("external_id")) {
        (Some(id), _) => id.to_owned(),
        (None, Some(external)) => {
            let found = state.views.values().find(|view| view.body["external_id"] == external);
            found.map(|view| view.id.clone()).ok_or("not_found")?
        }
        (None, None) => return Err("invalid_arguments".into()),
    };
    let view = state.views.get(&id).filter(|view| view.team == caller.team).ok_or("not_found")?;
    let is_open = state.stacks.get(&view.user).is_some_and(|stack| stack.contains(&id));
    if !is_open {
        return Err("not_found".into());
    }
    if args.maybe("hash").is_some_and(|hash| hash != view.hash) {
        return Err("hash_conflict".into());
    }
    unique(state, &body, Some(&id))?;
    state.redraw(&id, body);
    Ok(json!({ "view": view_json(&state.views[&id]) }))
}

pub(super) fn publish(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let user = args.text("user_id")?.to_owned();
    let body = checked(args, "home")?;
    if !state.users.contains_key(&user) {
        return Err("user_not_found".into());
    }
    if let Some(id) = state.homes.get(&user).cloned() {
        if args.maybe("hash").is_some_and(|hash| hash != state.views[&id].hash) {
            return Err("hash_conflict".into());
        }
        state.redraw(&id, body);
        return Ok(json!({ "view": view_json(&state.views[&id]) }));
    }
    let id = state.new_view(&user, &caller.team, body, None);
    state.homes.insert(user, id.clone());
    Ok(json!({ "view": view_json(&state.views[&id]) }))
}

pub(super) fn validate(_: &mut State, _: &Caller, args: &Args) -> Answer {
    let (error, problems) = if !args.get("blocks").is_null() {
        ("invalid_blocks", blocks::problems(args.get("blocks"), Surface::Message))
    } else if !args.get("message").is_null() {
        ("invalid_message", blocks::problems(&args.get("message")["blocks"], Surface::Message))
    } else {
        let found = blocks::view_problems(args.get("view"));
        ("invalid_view", found.map(|(_, problems)| problems).unwrap_or_default())
    };
    if problems.is_empty() {
        return Ok(json!({}));
    }
    let mut no = No::from(error);
    let errors: Vec<Value> = problems
        .iter()
        .map(|problem| json!({ "pointer": "/", "code": "failed_constraint", "message": problem }))
        .collect();
    no.more.insert("errors".to_owned(), errors.into());
    Err(no)
}

fn checked(args: &Args, kind: &str) -> Result<Value, No> {
    let view = args.get("view");
    if !view.is_object() {
        args.text("view")?;
        return Err("invalid_arguments".into());
    }
    if let Some((error, problems)) = blocks::view_problems(view) {
        return Err(No::saying(error, problems));
    }
    if view["type"] != kind {
        return Err("invalid_arguments".into());
    }
    Ok(view.clone())
}

/// Whose trigger it is, and in which workspace.
fn exchanged(
    state: &mut State,
    caller: &Caller,
    args: &Args,
) -> Result<(String, String, Option<String>), No> {
    let (user, team, view) = state.exchange(args.text("trigger_id")?)?;
    if team != caller.team {
        return Err("invalid_trigger_id".into());
    }
    Ok((user, team, view))
}

fn unique(state: &State, body: &Value, but: Option<&str>) -> Result<(), No> {
    let Some(external) = body["external_id"].as_str().filter(|id| !id.is_empty()) else {
        return Ok(());
    };
    let mut others = state.views.values().filter(|view| Some(view.id.as_str()) != but);
    if others.any(|view| view.body["external_id"] == external) {
        return Err("duplicate_external_id".into());
    }
    Ok(())
}

impl State {
    /// Opens a view on top of another or alone.
    pub(crate) fn show(&mut self, user: &str, team: &str, body: Value, on: Option<&str>) -> String {
        let id = self.new_view(user, team, body, on);
        self.stacks.entry(user.to_owned()).or_default().push(id.clone());
        id
    }

    fn new_view(&mut self, user: &str, team: &str, body: Value, on: Option<&str>) -> String {
        let id = self.id("V");
        let root = on
            .and_then(|on| self.views.get(on))
            .map_or_else(|| id.clone(), |view| view.root.clone());
        let hash = self.ts();
        let view = View {
            id: id.clone(),
            team: team.to_owned(),
            user: user.to_owned(),
            hash,
            values: filled(&body, &BTreeMap::new()),
            body,
            errors: BTreeMap::new(),
            previous: on.map(str::to_owned),
            root,
        };
        self.views.insert(id.clone(), view);
        id
    }

    /// Draws a view anew; what was entered stays where block and action have the same ids.
    pub(crate) fn redraw(&mut self, id: &str, body: Value) {
        let hash = self.ts();
        let view = self.views.get_mut(id).unwrap();
        view.values = filled(&body, &view.values);
        view.body = body;
        view.hash = hash;
        view.errors.clear();
    }

    /// Closes everything that a person has open.
    pub(crate) fn close_all(&mut self, user: &str) {
        for view in self.stacks.remove(user).unwrap_or_default() {
            self.views.remove(&view);
        }
    }

    /// Closes what is on top.
    pub(crate) fn close_top(&mut self, user: &str) {
        let stack = self.stacks.entry(user.to_owned()).or_default();
        if let Some(view) = stack.pop() {
            self.views.remove(&view);
        }
    }
}

/// What the inputs of a view hold: what was entered before, else what they begin with.
fn filled(body: &Value, before: &Values) -> Values {
    let mut values = Values::new();
    for block in body["blocks"].as_array().into_iter().flatten() {
        let block_id = block["block_id"].as_str().unwrap_or_default();
        let inside = block["elements"].as_array().into_iter().flatten();
        for element in inside.chain([&block["element"], &block["accessory"]]) {
            let Some(action) = element["action_id"].as_str() else { continue };
            let Some(begin) = beginning(element) else { continue };
            let kept = before.get(block_id).and_then(|block| block.get(action));
            let value =
                kept.filter(|kept| kept["type"] == element["type"]).cloned().unwrap_or(begin);
            values.entry(block_id.to_owned()).or_default().insert(action.to_owned(), value);
        }
    }
    values
}

/// The state of an input that nobody has touched; none for what holds nothing.
fn beginning(element: &Value) -> Option<Value> {
    let kind = element["type"].as_str()?;
    let value = match kind {
        "plain_text_input" | "email_text_input" | "url_text_input" | "number_input" => {
            json!({ "value": element["initial_value"] })
        }
        "static_select" | "radio_buttons" => {
            json!({ "selected_option": element["initial_option"] })
        }
        "multi_static_select" | "checkboxes" => {
            json!({ "selected_options": element["initial_options"].as_array().cloned().unwrap_or_default() })
        }
        "datepicker" => json!({ "selected_date": element["initial_date"] }),
        "timepicker" => json!({ "selected_time": element["initial_time"] }),
        "users_select" => json!({ "selected_user": element["initial_user"] }),
        "file_input" => json!({ "files": [] }),
        _ => return None,
    };
    let mut value = value;
    value["type"] = kind.into();
    Some(value)
}
