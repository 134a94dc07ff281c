//! Typed words as the value of a form's only field.

use serde_json::Value;

use super::{Reading, lexicon::languages, options, tokens::tokens};
use crate::{
    model::ui::{Choice, Choose, Field, Input, Reply},
    session::answer::{check_field, day, plain_number},
};

/// The value that a text is for a field; `None` if it is none that the field takes.
pub(super) fn read(field: &Field, text: &str) -> Option<Value> {
    let value = match &field.input {
        Input::Text { .. } | Input::Date => Value::from(text),
        Input::Day => Value::from(day(text)?.to_string()),
        Input::Email => Value::from(address(text)?),
        Input::Url => Value::from(web_address(text)?),
        Input::Phone => Value::from(telephone(text)?),
        Input::Number { .. } => number(text)?,
        Input::Bool => Value::from(yes_or_no(text)?),
        Input::Select { choices, multiple } => selected(choices, *multiple, text)?,
        Input::Lines => {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            Value::from(lines.map(str::to_owned).collect::<Vec<_>>())
        }
    };
    check_field(field, &value).is_none().then_some(value)
}

/// The one address in a text, whatever stands around it: `it's ada@example.org`.
fn address(text: &str) -> Option<&str> {
    let is_mark = |c: char| matches!(c, '<' | '>' | '(' | ')' | ',' | ';' | '.' | '!' | '"' | '\'');
    let mut words = text.split_whitespace().map(|word| word.trim_matches(is_mark));
    let mut found = words.clone().filter(|word| word.contains('@'));
    let first = found.next().filter(|_| found.next().is_none())?;
    let around: String = words.by_ref().filter(|word| *word != first).collect::<Vec<_>>().join(" ");
    is_courtesy(&around).then(|| first.trim_start_matches("mailto:"))
}

/// Words that say nothing beside an answer: `my e-mail is`.
const LABELS: [&str; 12] = [
    "mail",
    "email",
    "e mail",
    "address",
    "email address",
    "e mail address",
    "number",
    "phone",
    "adresse",
    "telefon",
    "correo",
    "telephone",
];

fn is_courtesy(text: &str) -> bool {
    let words = tokens(text);
    languages().iter().any(|language| {
        // One word is always left, so that something stands in the answer's place.
        let mut with_answer = language.spelt_out(&words);
        with_answer.push("x".to_owned());
        let left = language.stripped(&with_answer);
        let said = left.iter().filter(|word| !IS.contains(&word.as_str()) && *word != "x");
        let said = said.map(String::as_str).collect::<Vec<_>>().join(" ");
        said.is_empty() || LABELS.contains(&said.as_str())
    })
}

/// `My e-mail is`.
const IS: [&str; 4] = ["is", "ist", "es", "est"];

fn web_address(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(['.', ',', '!']);
    let has_scheme = text.starts_with("https://") || text.starts_with("http://");
    let is_one_word = !text.contains(char::is_whitespace) && !text.contains('@');
    let looks_like_one = text.split('/').next().is_some_and(|host| {
        host.contains('.') && !host.starts_with('.') && host.chars().any(char::is_alphabetic)
    });
    match (has_scheme, is_one_word && looks_like_one) {
        (true, _) if is_one_word => Some(text.to_owned()),
        (false, true) => Some(format!("https://{text}")),
        _ => None,
    }
}

fn telephone(text: &str) -> Option<String> {
    let letters: String = text.chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).collect();
    let number: String = text
        .chars()
        .filter(|c| c.is_ascii_digit() || matches!(c, '+' | ' ' | '(' | ')' | '-' | '/' | '.'))
        .collect();
    is_courtesy(&letters).then(|| number.trim().trim_end_matches('.').to_owned())
}

fn number(text: &str) -> Option<Value> {
    let bare = text.trim().trim_end_matches(['.', '!']);
    // What may mean one thing or the other is asked once more.
    let plain = plain_number(bare).ok()?;
    if let Ok(whole) = plain.parse::<i64>() {
        return Some(Value::from(whole));
    }
    if let Ok(broken) = plain.parse::<f64>() {
        return Some(Value::from(broken));
    }
    let words = tokens(bare);
    languages().iter().find_map(|language| {
        let words = language.spelt_out(&words);
        match language.stripped(&words) {
            [word] => language.number_of(word).map(Value::from),
            _ => None,
        }
    })
}

fn yes_or_no(text: &str) -> Option<bool> {
    let option = |id: &str| Choice {
        id: id.to_owned(),
        label: id.to_owned(),
        description: None,
        icon: None,
    };
    let choices = vec![option("yes"), option("no")];
    let ids =
        chosen(&Choose { choices, multiple: false, required: true, ..Choose::default() }, text)?;
    Some(ids.first()? == "yes")
}

fn selected(choices: &[Choice], multiple: bool, text: &str) -> Option<Value> {
    let ids = chosen(
        &Choose { choices: choices.to_vec(), multiple, required: true, ..Choose::default() },
        text,
    )?;
    if multiple { Some(Value::from(ids)) } else { ids.into_iter().next().map(Value::from) }
}

fn chosen(choose: &Choose, text: &str) -> Option<Vec<String>> {
    match options::read(choose, text) {
        Reading::Settled(Reply::Chosen { ids, .. }) => Some(ids),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(input: Input, text: &str) -> Option<Value> {
        let field = json!({ "path": "it", "label": "It", "required": true, "input": { "type": "text",
            "multiline": false } });
        let mut field: Field = serde_json::from_value(field).unwrap();
        field.input = input;
        read(&field, text)
    }

    #[test]
    fn an_address_is_found_among_courtesy_alone() {
        let email = |text: &str| of(Input::Email, text);
        for text in [
            "ada@example.org",
            "it's ada@example.org.",
            "My email is ada@example.org",
            "ada@example.org please",
        ] {
            assert_eq!(email(text), Some(json!("ada@example.org")), "{text}");
        }
        for text in ["stopp", "not ada@example.org", "ada@x.org or bob@x.org", "ada@", "why?"] {
            assert_eq!(email(text), None, "{text}");
        }
    }

    #[test]
    fn other_values_are_read_by_their_kind() {
        let number = Input::Number { integer: true, min: Some(0.0), max: Some(10.0) };
        assert_eq!(of(number.clone(), "four"), Some(json!(4)));
        assert_eq!(of(number.clone(), "vier"), Some(json!(4)));
        assert_eq!(of(number.clone(), "11"), None);
        assert_eq!(of(number, "a few"), None);
        assert_eq!(of(Input::Bool, "ja, gerne"), Some(json!(true)));
        assert_eq!(of(Input::Bool, "if I must"), None);
        assert_eq!(of(Input::Phone, "+44 20 7946 0018"), Some(json!("+44 20 7946 0018")));
        assert_eq!(of(Input::Phone, "I have no phone"), None);
        assert_eq!(of(Input::Phone, "why do you need 1 number?"), None);
        assert_eq!(of(Input::Url, "example.org/ada"), Some(json!("https://example.org/ada")));
        assert_eq!(of(Input::Url, "no idea"), None);
        assert_eq!(of(Input::Date, "2024-03"), Some(json!("2024-03")));
        assert_eq!(of(Input::Date, "next week"), None);
        assert_eq!(of(Input::Day, "3 May 2001"), Some(json!("2001-05-03")));
        assert_eq!(of(Input::Day, "03.05.2001"), Some(json!("2001-05-03")));
        assert_eq!(of(Input::Day, "next week"), None);
        assert_eq!(of(Input::Lines, "one\n\ntwo"), Some(json!(["one", "two"])));
    }
}
