//! A copy of a flow in which data, their members, options and objectives have other names, so that nothing that knows
//! them by heart gets through.

use std::{collections::BTreeMap, sync::Arc};

use anteroom::flow::LoadedFlow;
use serde_json::{Map, Value, json};

use super::loaded;

/// The renamed copy. Phases that a model leads have no script there.
pub(super) fn renamed(flow: &LoadedFlow) -> Arc<LoadedFlow> {
    let mut source: Value = toml_edit::de::from_str(&flow.source).unwrap();
    let mut names = Names::default();
    let mut data = Map::new();
    for (name, schema) in &flow.schemas {
        let Some(table) = source["data"].get(name) else { continue };
        let mut table = table.clone();
        let members = table.as_object_mut().unwrap();
        members.shift_remove("schema");
        let schema = names.schema(schema, "");
        members.insert("schema_inline".to_owned(), json!(schema.to_string()));
        data.insert(names.data(name), table);
    }
    source["data"] = Value::Object(data);
    for phase in source["phase"].as_array_mut().unwrap() {
        names.phase(phase);
    }
    let text = toml(&source);
    for known in names.0.keys() {
        let (kind, name) = known.split_once(' ').unwrap();
        let is_left = match kind {
            "member" => text.contains(&format!("\\\"{name}\\\":{{")),
            _ => text.contains(&format!("\"id\" = \"{name}\"")),
        };
        assert!(!is_left, "{known} is still called so");
    }
    loaded(&text)
}

#[derive(Default)]
struct Names(BTreeMap<String, String>);

impl Names {
    fn another(&mut self, kind: &str, name: &str) -> String {
        let next = self.0.len();
        self.0.entry(format!("{kind} {name}")).or_insert_with(|| format!("{kind}{next}")).clone()
    }

    /// Data of the program's own keep their names.
    fn data(&mut self, name: &str) -> String {
        match name {
            "writing_sample" | "artifact_record" => name.to_owned(),
            name => self.another("data", name),
        }
    }

    /// People still read the same words: a member without a title is called as before.
    fn schema(&mut self, schema: &Value, label: &str) -> Value {
        let mut schema = schema.clone();
        let Some(members) = schema.as_object_mut() else { return schema };
        if !label.is_empty() && !members.contains_key("title") {
            members.insert("title".to_owned(), json!(label));
        }
        if let Some(Value::Object(properties)) = members.get("properties").cloned() {
            let renamed = properties.iter().map(|(name, property)| {
                (self.another("member", name), self.schema(property, name))
            });
            let renamed: Map<String, Value> = renamed.collect();
            members.insert("properties".to_owned(), Value::Object(renamed));
        }
        if let Some(Value::Array(required)) = members.get("required").cloned() {
            let renamed =
                required.iter().map(|name| self.another("member", name.as_str().unwrap()));
            members.insert("required".to_owned(), json!(renamed.collect::<Vec<_>>()));
        }
        for key in ["items", "anyOf", "oneOf", "allOf"] {
            match members.get(key).cloned() {
                Some(Value::Array(all)) => {
                    let all: Vec<Value> = all.iter().map(|one| self.schema(one, "")).collect();
                    members.insert(key.to_owned(), Value::Array(all));
                }
                Some(one) => _ = members.insert(key.to_owned(), self.schema(&one, "")),
                None => {}
            }
        }
        schema
    }

    fn phase(&mut self, phase: &mut Value) {
        if phase["mode"] == "interview" {
            let members = phase.as_object_mut().unwrap();
            members.shift_remove("step");
            members.shift_remove("fallback");
            // What they post is named by data.
            members.shift_remove("effect");
        }
        for objective in phase["objective"].as_array_mut().into_iter().flatten() {
            objective["id"] = json!(self.another("goal", objective["id"].as_str().unwrap()));
            for after in
                objective.get_mut("after").and_then(Value::as_array_mut).into_iter().flatten()
            {
                *after = json!(self.another("goal", after.as_str().unwrap()));
            }
            self.done(&mut objective["done"]);
        }
        for step in phase.get_mut("step").and_then(Value::as_array_mut).into_iter().flatten() {
            self.step(step);
        }
        for effect in phase.get_mut("effect").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(Value::Object(map)) = effect.get("map").cloned() {
                let map =
                    map.into_iter().map(|(option, role)| (self.another("option", &option), role));
                effect["map"] = Value::Object(map.collect());
            }
        }
    }

    fn done(&mut self, done: &mut Value) {
        let Some(members) = done.as_object_mut() else { return };
        for key in ["any", "all"] {
            for part in members.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
                self.done(part);
            }
        }
        if let Some(name) = members.get("reviewed").and_then(Value::as_str) {
            let name = self.data(name);
            members.insert("reviewed".to_owned(), json!(name));
        }
        if let Some(saved) = members.get_mut("saved") {
            saved["data"] = json!(self.data(saved["data"].as_str().unwrap()));
        }
        if let Some(Value::Array(with)) =
            members.get_mut("answered").and_then(|a| a.get_mut("with"))
        {
            for option in with {
                *option = json!(self.another("option", option.as_str().unwrap()));
            }
        }
        // The step is gone with the script.
        if let Some(Value::Array(any)) = members.get_mut("any") {
            any.retain(|one| one.get("answered").is_none());
        }
    }

    fn step(&mut self, step: &mut Value) {
        for option in step["args"]["options"].as_array_mut().into_iter().flatten() {
            option["id"] = json!(self.another("option", option["id"].as_str().unwrap()));
        }
        if let Some(Value::Object(branch)) = step.get("branch").cloned() {
            let branch =
                branch.into_iter().map(|(option, to)| (self.another("option", &option), to));
            step["branch"] = Value::Object(branch.collect());
        }
        if let Some(save) = step.get("save").and_then(Value::as_str) {
            step["save"] = json!(self.data(save));
        }
    }
}

/// TOML, one line for each member at the top.
fn toml(value: &Value) -> String {
    let members = value.as_object().unwrap().iter();
    let lines = members.map(|(name, member)| format!("{} = {}", key(name), inline(member)));
    lines.collect::<Vec<_>>().join("\n")
}

fn key(name: &str) -> String {
    json!(name).to_string()
}

fn inline(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, member)| format!("{} = {}", key(name), inline(member)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}
