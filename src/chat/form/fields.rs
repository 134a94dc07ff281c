//! Form fields to replies. Pure; what is typed is data and is checked once more by the core.

use serde_json::Value;

use super::{Sheet, in_words};
use crate::{
    messages,
    model::ui::{
        Choose, Control, Decision, Field, FieldError, Form, Input, Prompt, Reply, Review, Verdict,
    },
    session::{
        answer::{self, Unclear},
        time_zones,
    },
};

/// Fields of a submitted form, in order; a name may come more than once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields(pub Vec<(String, String)>);

impl Fields {
    /// The first value under a name; empty where there is none.
    pub fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// Every value under a name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The reply that a form stands for. Files are not here: they come as [`Reply::Uploaded`] once they are kept.
pub fn reply(prompt: &Prompt, action: &str, fields: &Fields) -> Result<Reply, Vec<FieldError>> {
    if action == "skip" {
        return Ok(Reply::Skipped);
    }
    let note = |name: &str| Some(text(fields.get(name))).filter(|words| !words.is_empty());
    match (&prompt.control, action) {
        (Control::Choose(choose), action) => chosen(choose, action, fields),
        (Control::Form(form), "submit") => filled(form, fields),
        (Control::Review(review), action) => reviewed(review, action, fields, note("notes")),
        (Control::Ask(ask), "send") => match note("text") {
            Some(text) => Ok(Reply::Text { text }),
            None if ask.required => Err(wrong("text", messages::answers::EMPTY)),
            None => Ok(Reply::Skipped),
        },
        (Control::Decide(_), "approve") => {
            Ok(Reply::Decided { decision: Decision::Approved, feedback: None })
        }
        (Control::Decide(_), "deny") => {
            Ok(Reply::Decided { decision: Decision::Denied, feedback: None })
        }
        (Control::Decide(_), "deny_and_tell") => match note("feedback") {
            Some(words) => {
                Ok(Reply::Decided { decision: Decision::DeniedWithFeedback, feedback: Some(words) })
            }
            None => Err(wrong("feedback", messages::answers::EMPTY)),
        },
        (Control::Confirm(_), "yes" | "no") => Ok(Reply::Confirmed { yes: action == "yes" }),
        (
            Control::Form(_)
            | Control::Upload(_)
            | Control::Ask(_)
            | Control::Decide(_)
            | Control::Confirm(_),
            _,
        ) => Err(vec![FieldError::whole(messages::answers::NO_ANSWER)]),
    }
}

fn wrong(path: &str, message: &str) -> Vec<FieldError> {
    vec![FieldError { path: path.to_owned(), message: message.to_owned() }]
}

fn chosen(choose: &Choose, action: &str, fields: &Fields) -> Result<Reply, Vec<FieldError>> {
    let place = action.strip_prefix("pick.").and_then(|n| n.parse::<usize>().ok());
    let picked: Vec<&str> = fields.all("pick").collect();
    let is_picked = |(n, id): (usize, &str)| match place {
        Some(place) => place == n,
        None => picked.contains(&id),
    };
    let ids: Vec<String> = choose
        .choices
        .iter()
        .enumerate()
        .filter(|(n, choice)| is_picked((*n, &choice.id)))
        .map(|(_, choice)| choice.id.clone())
        .collect();
    match messages::answers::picks(choose, ids.len()) {
        Some(complaint) if choose.multiple || ids.is_empty() => Err(wrong("pick", &complaint)),
        _ => Ok(Reply::Chosen { ids, free_text: None }),
    }
}

fn filled(form: &Form, fields: &Fields) -> Result<Reply, Vec<FieldError>> {
    let values = read_all(form.fields.iter(), fields)?;
    let given = values.into_iter().filter_map(|(field, value)| Some((field.path.clone(), value?)));
    Ok(Reply::Filled { values: given.collect() })
}

/// What the form holds for each of its fields. Where something is missing, what else is wrong is told at once; by itself
/// it is found by the check of the whole answer.
pub(super) fn read_all<'a>(
    all: impl Iterator<Item = &'a Field>,
    fields: &Fields,
) -> Result<Vec<(&'a Field, Option<Value>)>, Vec<FieldError>> {
    let (mut values, mut errors, mut is_readable) = (Vec::new(), Vec::new(), true);
    for field in all {
        match read(field, fields) {
            Ok(value) => {
                let wrong = value.as_ref().and_then(|value| answer::check_field(field, value));
                errors.extend(wrong.map(|message| complaint(field, &message)));
                values.push((field, value));
            }
            Err(error) => {
                is_readable = false;
                errors.push(error);
            }
        }
    }
    if is_readable { Ok(values) } else { Err(errors) }
}

fn reviewed(
    review: &Review,
    action: &str,
    fields: &Fields,
    notes: Option<String>,
) -> Result<Reply, Vec<FieldError>> {
    let verdict = |verdict, data| Reply::Reviewed { verdict, data, notes };
    match action {
        "approve" => Ok(verdict(Verdict::Approved, None)),
        "reject" => Ok(verdict(Verdict::Rejected, None)),
        "save" => {
            let data = Sheet::read(review, fields).data(review, fields)?;
            Ok(verdict(Verdict::Saved, Some(data)))
        }
        _ => Err(vec![FieldError::whole(messages::answers::NO_ANSWER)]),
    }
}

/// What the form holds for one field; `None` if it is left empty.
pub fn read(field: &Field, fields: &Fields) -> Result<Option<Value>, FieldError> {
    let name = field_name(&field.path);
    let typed = text(fields.get(&name));
    let value = match &field.input {
        Input::Bool => match fields.get(&name) {
            "" => None,
            "yes" => Some(Value::Bool(true)),
            "no" => Some(Value::Bool(false)),
            _ => return Err(complaint(field, messages::answers::PICK_ONE)),
        },
        Input::Select { multiple: true, .. } => {
            let picked: Vec<Value> =
                fields.all(&name).filter(|id| !id.is_empty()).map(Value::from).collect();
            (!picked.is_empty()).then_some(Value::Array(picked))
        }
        Input::Lines => {
            let lines: Vec<Value> =
                typed.lines().map(str::trim).filter(|l| !l.is_empty()).map(Value::from).collect();
            (!lines.is_empty()).then_some(Value::Array(lines))
        }
        Input::Number { .. } if typed.is_empty() => None,
        // What stands there already is no news, however it is written.
        Input::Number { .. } if typed == in_words(&field.value) => Some(field.value.clone()),
        Input::Number { integer, .. } => {
            Some(number(&typed, *integer).map_err(|message| complaint(field, &message))?)
        }
        _ if typed.is_empty() => None,
        Input::Text { .. } if is_country(field) => {
            let code = time_zones::country_code(&typed);
            Some(Value::from(code.ok_or_else(|| complaint(field, messages::answers::NO_COUNTRY))?))
        }
        Input::Url => Some(Value::String(address(typed))),
        Input::Day => {
            let day = answer::day(&typed).map(|day| day.to_string());
            Some(Value::String(day.unwrap_or(typed)))
        }
        Input::Text { .. } | Input::Email | Input::Phone | Input::Date | Input::Select { .. } => {
            Some(Value::String(typed))
        }
    };
    match value {
        None if field.required => Err(complaint(field, &messages::answers::missing(field))),
        value => Ok(value),
    }
}

/// Whether a field holds a country as JSON Resume has it: two letters. People may write its name.
pub(super) fn is_country(field: &Field) -> bool {
    field.path.rsplit('.').next() == Some("countryCode")
}

/// A web address with its scheme, which people leave out.
fn address(typed: String) -> String {
    let is_bare = !typed.contains("://")
        && !typed.contains(char::is_whitespace)
        && typed.split('/').next().is_some_and(|host| {
            host.contains('.') && !host.contains([':', '@']) && !host.ends_with('.')
        });
    if is_bare { format!("https://{typed}") } else { typed }
}

fn complaint(field: &Field, message: &str) -> FieldError {
    FieldError { path: field.path.clone(), message: message.to_owned() }
}

fn number(typed: &str, integer: bool) -> Result<Value, String> {
    let plain = answer::plain_number(typed).map_err(|why| match why {
        Unclear::Either { whole, .. } if integer => messages::answers::meant_number(&whole, None),
        Unclear::Either { whole, broken } => messages::answers::meant_number(&whole, Some(&broken)),
        Unclear::Misplaced => messages::answers::NO_NUMBER.to_owned(),
    })?;
    if integer && let Ok(whole) = plain.parse::<i64>() {
        return Ok(Value::from(whole));
    }
    let number = plain.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
    number.map(Value::Number).ok_or_else(|| messages::answers::NO_NUMBER.to_owned())
}

/// The name under which a field of a form or review is submitted.
pub fn field_name(path: &str) -> String {
    format!("f.{path}")
}

/// Typed text without the carriage returns that browsers put before line ends, and without blank rims.
pub fn text(typed: &str) -> String {
    typed.replace("\r\n", "\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(fields: &Value) -> Prompt {
        let control = json!({ "kind": "form", "submit": "Send", "skippable": false,
            "fields": fields });
        serde_json::from_value(json!({ "body": "Who are you?", "control": control })).unwrap()
    }

    #[test]
    fn a_number_that_may_be_two_is_asked_for_again() {
        let asked = |integer: bool, value: Value| -> Field {
            let input = json!({ "type": "number", "integer": integer });
            let field = json!({ "path": "it", "label": "It", "input": input, "value": value });
            serde_json::from_value(field).unwrap()
        };
        let typed = |field: &Field, text: &str| {
            let fields = Fields(vec![(field_name("it"), text.to_owned())]);
            read(field, &fields).map_err(|error| error.message)
        };
        let (any, whole) = (asked(false, Value::Null), asked(true, Value::Null));
        assert_eq!(typed(&any, "1,5"), Ok(Some(json!(1.5))));
        assert_eq!(typed(&any, "1,200"), Err("Write 1200 or 1.2.".to_owned()));
        assert_eq!(typed(&whole, "1,200"), Err("Write 1200 if you mean that.".to_owned()));
        assert_eq!(typed(&whole, "1 200"), Ok(Some(json!(1200))));
        assert_eq!(typed(&any, "1.2.3"), Err(messages::answers::NO_NUMBER.to_owned()));
        // A number that is there already can be saved as it is.
        assert_eq!(typed(&asked(false, json!(1.125)), "1.125"), Ok(Some(json!(1.125))));
    }

    #[test]
    fn a_form_tells_what_is_missing_and_what_is_wrong_at_once() {
        let prompt = form(&json!([
            { "path": "name", "label": "Name", "required": true,
              "input": { "type": "text", "multiline": false } },
            { "path": "email", "label": "E-mail", "input": { "type": "email" } },
        ]));
        let typed = |name: &str| (field_name("email"), name.to_owned());
        let wrong = reply(&prompt, "submit", &Fields(vec![typed("ada.example.org")])).unwrap_err();
        let wrong: Vec<&str> = wrong.iter().map(|error| error.path.as_str()).collect();
        assert_eq!(wrong, ["name", "email"]);
    }
}
