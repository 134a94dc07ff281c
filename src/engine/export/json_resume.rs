//! The approved data as JSON Resume 1.2.1, which always validates.
//!
//! The published schema accepts month 19 and day 39, so dates are checked here as well, and an end before its
//! beginning. What does not fit is left out and named under `meta.omitted`: a file that other programs refuse
//! would be worth less, and `records.json` holds everything as it was stored.

use std::sync::LazyLock;

use chrono::{NaiveDate, SecondsFormat};
use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::read_by;
use crate::{flow::LoadedFlow, model::transcript::Audience, session::State};

/// The schema as published in the package `@jsonresume/schema` 1.2.1 (MIT, see the licence beside the file).
pub const SCHEMA: &str = include_str!("../../../manifests/schemas/json-resume.json");

/// Where the schema lives, as `$schema` in every export.
pub(crate) const SCHEMA_URL: &str =
    "https://raw.githubusercontent.com/jsonresume/resume-schema/v1.2.1/schema.json";

static VALIDATOR: LazyLock<Option<Validator>> = LazyLock::new(|| {
    let schema = serde_json::from_str(SCHEMA).ok()?;
    jsonschema::draft7::options().should_validate_formats(true).build(&schema).ok()
});

/// Something about a JSON Resume that is not right. Never holds a value: those are personal data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pointer}`: {message}")]
pub struct Problem {
    /// JSON Pointer to the value.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

/// The data of a session as JSON Resume, as far as the reader sees it.
pub fn of(state: &State, flow: &LoadedFlow, reader: Audience) -> Value {
    let mut resume = Map::new();
    resume.insert("$schema".to_owned(), json!(SCHEMA_URL));
    for record in &state.records {
        merge(&mut resume, &record.data_type, &read_by(record, flow, reader));
    }
    let stamp = state.updated_at.to_rfc3339_opts(SecondsFormat::Secs, true);
    resume.insert("meta".to_owned(), json!({ "version": "v1.0.0", "lastModified": stamp }));
    let mut resume = Value::Object(resume);
    drop_nulls(&mut resume);
    let omitted = omit_what_does_not_fit(&mut resume);
    if !omitted.is_empty() {
        let omitted = omitted
            .iter()
            .map(|problem| json!({ "path": problem.pointer, "reason": problem.message }));
        resume["meta"]["omitted"] = Value::Array(omitted.collect());
    }
    resume
}

/// Everything that is not right with a JSON Resume: the schema, dates that are none, ends before beginnings.
pub fn problems(resume: &Value) -> Vec<Problem> {
    let Some(validator) = VALIDATOR.as_ref() else {
        return vec![Problem {
            pointer: String::new(),
            message: "the schema cannot be read".to_owned(),
        }];
    };
    let mut problems: Vec<Problem> = validator
        .iter_errors(resume)
        .map(|error| Problem {
            pointer: error.instance_path().to_string(),
            message: error.masked_with("the value").to_string(),
        })
        .collect();
    check_dates(resume, "", &mut problems);
    problems
}

/// Adds one record under the section it belongs to.
fn merge(resume: &mut Map<String, Value>, data_type: &str, data: &Value) {
    match data_type {
        "applicant_profile" => {
            let basics = data.get("basics").unwrap_or(data);
            resume.insert("basics".to_owned(), basics.clone());
            extend_sections(resume, data, &["skills", "languages", "interests"]);
        }
        "skeleton_timeline" => extend_sections(resume, data, &["work", "volunteer", "projects"]),
        "education_history" => match data {
            Value::Array(_) => append(resume, "education", data),
            _ => extend_sections(resume, data, &["education"]),
        },
        "knowledge_card" => append(resume, "projects", &json!([project(data)])),
        "introduction" => introduce(resume, data),
        "interests" => append(resume, "interests", &named(data)),
        _ => {}
    }
}

fn extend_sections(resume: &mut Map<String, Value>, data: &Value, sections: &[&str]) {
    for section in sections {
        if let Some(entries) = data.get(section) {
            append(resume, section, entries);
        }
    }
}

fn append(resume: &mut Map<String, Value>, section: &str, entries: &Value) {
    let Some(entries) = entries.as_array() else { return };
    let list = resume.entry(section).or_insert_with(|| json!([]));
    if let Some(list) = list.as_array_mut() {
        list.extend(entries.iter().cloned());
    }
}

/// A knowledge card as a project: its claims are the highlights.
fn project(card: &Value) -> Value {
    let claims = card.get("achievements").and_then(Value::as_array).into_iter().flatten();
    let highlights: Vec<&Value> = claims.filter_map(|claim| claim.get("claim")).collect();
    json!({
        "name": card.get("title"),
        "description": card.get("summary"),
        "highlights": highlights,
        "keywords": card.get("skills"),
    })
}

/// What somebody says of themselves is the summary, where the profile has none.
fn introduce(resume: &mut Map<String, Value>, introduction: &Value) {
    let basics = resume.entry("basics").or_insert_with(|| json!({}));
    if let (Some(basics), Some(text)) = (basics.as_object_mut(), introduction.get("text")) {
        basics.entry("summary").or_insert_with(|| text.clone());
    }
}

/// A list of words as entries with a name.
fn named(words: &Value) -> Value {
    let words = words.as_array().into_iter().flatten();
    Value::Array(words.map(|word| json!({ "name": word })).collect())
}

/// Absent and null mean the same to people, but not to the schema.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => {
            items.retain(|item| !item.is_null());
            items.iter_mut().for_each(drop_nulls);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Removes what does not fit until nothing is left that does not, and says what was removed.
fn omit_what_does_not_fit(resume: &mut Value) -> Vec<Problem> {
    let mut omitted: Vec<Problem> = Vec::new();
    loop {
        // One at a time: removing an entry of a list moves those behind it.
        let Some(problem) = problems(resume).into_iter().next() else { return omitted };
        if !remove(resume, &problem.pointer) {
            return omitted;
        }
        omitted.push(problem);
    }
}

fn remove(resume: &mut Value, pointer: &str) -> bool {
    let Some((parent, key)) = pointer.rsplit_once('/') else { return false };
    let key = key.replace("~1", "/").replace("~0", "~");
    match resume.pointer_mut(parent) {
        Some(Value::Object(members)) => members.shift_remove(&key).is_some(),
        Some(Value::Array(items)) => match key.parse::<usize>() {
            Ok(index) if index < items.len() => {
                items.remove(index);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

fn check_dates(value: &Value, pointer: &str, problems: &mut Vec<Problem>) {
    match value {
        Value::Object(members) => {
            for key in ["startDate", "endDate", "date", "releaseDate"] {
                if let Some(Value::String(date)) = members.get(key)
                    && earliest(date).is_none()
                {
                    let message = "there is no such date".to_owned();
                    problems.push(Problem { pointer: format!("{pointer}/{key}"), message });
                }
            }
            if ends_before_it_begins(members) {
                let message = "the end is before the beginning".to_owned();
                problems.push(Problem { pointer: format!("{pointer}/endDate"), message });
            }
            for (key, member) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                check_dates(member, &format!("{pointer}/{key}"), problems);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                check_dates(item, &format!("{pointer}/{index}"), problems);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The end counts as late as it may be: `2020` ends on its last day, so 2020-05 to 2020 is fine.
fn ends_before_it_begins(members: &Map<String, Value>) -> bool {
    let date = |key: &str| members.get(key).and_then(Value::as_str);
    match (date("startDate").and_then(earliest), date("endDate").and_then(latest)) {
        (Some(start), Some(end)) => end < start,
        _ => false,
    }
}

fn earliest(date: &str) -> Option<NaiveDate> {
    let (year, month, day) = parts(date)?;
    NaiveDate::from_ymd_opt(year, month.unwrap_or(1), day.unwrap_or(1))
}

fn latest(date: &str) -> Option<NaiveDate> {
    let (year, month, day) = parts(date)?;
    let month = month.unwrap_or(12);
    match day {
        Some(day) => NaiveDate::from_ymd_opt(year, month, day),
        None => (28..=31).rev().find_map(|day| NaiveDate::from_ymd_opt(year, month, day)),
    }
}

/// `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
fn parts(date: &str) -> Option<(i32, Option<u32>, Option<u32>)> {
    fn number<T: std::str::FromStr>(text: &str, digits: usize) -> Option<T> {
        let fits = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
        fits.then(|| text.parse().ok()).flatten()
    }
    let mut pieces = date.split('-');
    let year = number(pieces.next()?, 4)?;
    let month = pieces.next().map(|text| number(text, 2).ok_or(())).transpose().ok()?;
    let day = pieces.next().map(|text| number(text, 2).ok_or(())).transpose().ok()?;
    pieces.next().is_none().then_some((year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_a_real_day_month_or_year() {
        for good in ["2020", "2020-02", "2020-02-29"] {
            assert!(earliest(good).is_some(), "{good}");
        }
        for bad in ["2019-02-29", "2020-19", "2020-04-39", "20", "2020-4", "2020-04-01-01", "now"] {
            assert!(earliest(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn an_end_counts_as_late_as_it_may_be() {
        let dates = |start: &str, end: &str| {
            ends_before_it_begins(
                json!({ "startDate": start, "endDate": end }).as_object().unwrap(),
            )
        };
        assert!(!dates("2020-05", "2020"));
        assert!(!dates("2020-05-31", "2020-05"));
        assert!(dates("2020-05-02", "2020-05-01"));
        assert!(dates("2021", "2020-12"));
    }
}
