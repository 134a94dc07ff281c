//! What is known of a value of an expression before anybody answers: its type, its bounds, the texts that it can be.

use serde_json::Value;

use super::{
    Check,
    quiz::worth,
    steps::outcomes,
    tokens::{Token, tokens},
};
use crate::{flow::shape::kind, model::flow::Step};

/// Of what type a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Text,
    Date,
    Truth,
    List,
}

impl Kind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Date => "a date",
            Self::Truth => "true or false",
            Self::List => "a list",
        }
    }
}

/// What is known of a value before anybody answers.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// As it is written.
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Bounds of a number, or of the number of entries or characters.
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    /// Texts that it can be, or that can be in it.
    pub(super) values: Option<Vec<String>>,
    /// It is written there, not looked up.
    pub(super) is_literal: bool,
}

impl Known {
    pub(super) const fn new(name: String, kind: Kind) -> Self {
        Self { name, kind, low: None, high: None, values: None, is_literal: false }
    }

    pub(super) fn within(self, low: Option<f64>, high: Option<f64>) -> Self {
        Self { low, high, ..self }
    }

    /// `days`, of `records.trip.days`.
    pub(super) fn short(&self) -> &str {
        let path = self.name.split(['|', ' ']).next().unwrap_or(&self.name);
        path.rsplit('.').next().filter(|last| !last.is_empty()).unwrap_or(&self.name)
    }

    /// `at most 24`.
    pub(super) fn bounds(&self) -> String {
        match (self.low, self.high) {
            (Some(low), Some(high)) if low >= high => format!("always {low}"),
            (Some(low), Some(high)) => format!("between {low} and {high}"),
            (Some(low), None) => format!("at least {low}"),
            (None, Some(high)) => format!("at most {high}"),
            (None, None) => "any number".to_owned(),
        }
    }
}

/// How deep values are looked up that are set from values.
const DEPTH_MAX: usize = 4;

impl Check<'_> {
    /// A value at a place, and the place after it.
    pub(super) fn operand(
        &self,
        tokens: &[Token<'_>],
        at: usize,
        depth: usize,
    ) -> Option<(Known, usize)> {
        let literal = |name: String, kind| Known { is_literal: true, ..Known::new(name, kind) };
        let (known, mut next) = match tokens.get(at..)? {
            [Token::Text(text), ..] => {
                let values = Some(vec![(*text).to_owned()]);
                (Known { values, ..literal(format!("'{text}'"), Kind::Text) }, at + 1)
            }
            [Token::Number(number), ..] => {
                let (low, high) = (Some(*number), Some(*number));
                (literal(number.to_string(), Kind::Number).within(low, high), at + 1)
            }
            [Token::Sign('-'), Token::Number(number), ..] => {
                let number = -number;
                let (low, high) = (Some(number), Some(number));
                (literal(number.to_string(), Kind::Number).within(low, high), at + 2)
            }
            [Token::Name(name @ ("true" | "false")), ..] => {
                (literal((*name).to_owned(), Kind::Truth), at + 1)
            }
            [Token::Name(name), ..] => (self.known(name, depth)?, at + 1),
            [Token::Sign('['), entries @ ..] => {
                let end = entries.iter().position(|token| *token == Token::Sign(']'))?;
                let text = |token: &Token<'_>| match token {
                    Token::Text(text) => Some((*text).to_owned()),
                    Token::Name(_) | Token::Number(_) | Token::Sign(_) => None,
                };
                let signs = entries[..end].iter().filter(|token| **token != Token::Sign(','));
                let values: Option<Vec<String>> = signs.map(text).collect();
                let values = values.filter(|values| !values.is_empty())?;
                let name = format!("['{}']", values.join("', '"));
                let values = Some(values);
                (Known { values, ..literal(name, Kind::List) }, at + end + 2)
            }
            _ => return None,
        };
        let mut known = known;
        while tokens.get(next) == Some(&Token::Sign('|')) {
            let Some(Token::Name(filter)) = tokens.get(next + 1) else { return None };
            if tokens.get(next + 2) == Some(&Token::Sign('(')) {
                return None;
            }
            known = filtered(&known, filter)?;
            next += 2;
        }
        Some((known, next))
    }

    /// What is known of a name.
    fn known(&self, name: &str, depth: usize) -> Option<Known> {
        let parts: Vec<&str> = name.split('.').collect();
        let new = |kind| Known::new(name.to_owned(), kind);
        let one_of = |values: Vec<String>| Known { values: Some(values), ..new(Kind::Text) };
        match parts.as_slice() {
            ["today"] => Some(new(Kind::Date)),
            ["platform"] => Some(one_of(["slack", "discord", "web"].map(str::to_owned).into())),
            ["participant", "name"] => Some(new(Kind::Text)),
            ["answers", id] => answer(name, self.step(id)?),
            ["results", id, "status"] => {
                let step = self.step(id)?;
                if step.args.get("options").is_some() {
                    return None;
                }
                outcomes(step).filter(|known| !known.is_empty()).map(one_of)
            }
            ["points", id] => Some(new(Kind::Number).within(None, most_points(self.step(id)?))),
            ["score", id] => {
                let phase = self.flow.phase.iter().find(|phase| phase.id == *id)?;
                let most: Option<Vec<f64>> = phase.step.iter().map(most_points).collect();
                // A phase without points is told elsewhere.
                let most = most.map(|most| most.iter().sum()).filter(|most| *most > 0.0);
                Some(new(Kind::Number).within(None, most))
            }
            ["values", value] if depth < DEPTH_MAX => self.value(name, value, depth),
            ["records", path @ ..] if path.len() > 1 => of_schema(name, self.field(path).ok()??),
            _ => None,
        }
    }

    fn step(&self, id: &str) -> Option<&Step> {
        let mut steps = self.flow.phase.iter().flat_map(|phase| &phase.step);
        steps.find(|step| step.id == id)
    }

    /// What a step sets, where one step does.
    fn value(&self, name: &str, value: &str, depth: usize) -> Option<Known> {
        let steps = self.flow.phase.iter().flat_map(|phase| &phase.step);
        let mut set = steps.filter_map(|step| step.set.get(value));
        let (Some(only), None) = (set.next(), set.next()) else { return None };
        let known = match only {
            Value::Number(number) => {
                let number = number.as_f64();
                Known::new(String::new(), Kind::Number).within(number, number)
            }
            Value::String(expression) => {
                let tokens = tokens(expression);
                let (known, end) = self.operand(&tokens, 0, depth + 1)?;
                // A text that a step sets may be compared with another one by mistake only.
                if end != tokens.len() {
                    return None;
                }
                known
            }
            Value::Bool(_) => Known::new(String::new(), Kind::Truth),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        Some(Known { name: name.to_owned(), is_literal: false, ..known })
    }
}

fn answer(name: &str, step: &Step) -> Option<Known> {
    let several = step.args.get("allowMultiple") == Some(&Value::Bool(true));
    let kind = match (step.tool.as_str(), several) {
        ("get_user_option", true) => Kind::List,
        ("get_user_option" | "request_user_input", _) => Kind::Text,
        _ => return None,
    };
    Some(Known::new(name.to_owned(), kind))
}

/// A value after a filter without arguments; nothing where the filter is another one.
fn filtered(known: &Known, filter: &str) -> Option<Known> {
    let name = format!("{} | {filter}", known.name);
    let number = |low, high| Known::new(name.clone(), Kind::Number).within(low, high);
    match filter {
        // Of something that is not there, a length fails.
        "length" | "count"
            if matches!(known.kind, Kind::List | Kind::Text) && !known.is_literal =>
        {
            Some(number(known.low.or(Some(0.0)), known.high))
        }
        "age" | "days_since" | "days_until" | "int" | "float" => Some(number(None, None)),
        _ => None,
    }
}

fn of_schema(name: &str, schema: &Value) -> Option<Known> {
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    let texts = |schema: &Value| {
        let values = schema.get("enum")?.as_array()?;
        values.iter().map(|value| value.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    };
    let new = |kind| Known::new(name.to_owned(), kind);
    Some(match kind(schema) {
        "number" | "integer" => new(Kind::Number).within(number("minimum"), number("maximum")),
        "boolean" => new(Kind::Truth),
        "string" if schema["format"] == "date" => new(Kind::Date),
        "string" => {
            let text = new(Kind::Text).within(number("minLength"), number("maxLength"));
            Known { values: texts(schema), ..text }
        }
        "array" => {
            let values = schema.get("items").and_then(texts);
            let most = number("maxItems").or_else(|| {
                let is_set = schema["uniqueItems"] == true;
                values
                    .as_ref()
                    .filter(|_| is_set)
                    .and_then(|v| u32::try_from(v.len()).ok())
                    .map(f64::from)
            });
            Known { values, ..new(Kind::List).within(number("minItems"), most) }
        }
        _ => return None,
    })
}

/// Most points that an answer to a step is worth; nothing where that is only known later.
pub(super) fn most_points(step: &Step) -> Option<f64> {
    let Some(options) = step.args.get("options") else { return Some(0.0) };
    let worths: Vec<f64> = options.as_array()?.iter().map(worth).collect::<Option<_>>()?;
    let mut positive: Vec<f64> = worths.into_iter().filter(|worth| *worth > 0.0).collect();
    positive.sort_by(|one, other| other.total_cmp(one));
    let picks = match step.args.get("allowMultiple") {
        Some(Value::Bool(true)) => step.args.get("maxChoices").and_then(Value::as_u64),
        _ => Some(1),
    };
    let picks = picks.and_then(|picks| usize::try_from(picks).ok()).unwrap_or(positive.len());
    Some(positive.into_iter().take(picks).fold(0.0, |sum, worth| sum + worth))
}
