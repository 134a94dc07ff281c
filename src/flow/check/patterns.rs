//! How long a text can be that matches a `pattern`, so that bounds of its length leave one.

use regex_syntax::hir::{Hir, HirKind, Look};
use serde_json::Value;

use crate::{config::schema_errors, flow::Trouble};

/// How many characters a matching text has, at least and at most; no most where there is no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Length {
    least: u64,
    most: Option<u64>,
}

/// What is wrong with the `pattern` of a schema beside its other keywords; `path` is how people call it.
pub(super) fn mistakes(schema: &Value, path: &str, found: &mut Vec<Trouble>) {
    let Some(pattern) = schema.get("pattern").and_then(Value::as_str) else { return };
    examples(schema, path, found);
    // What this reader doesn't know, such as a look ahead, is left to the one that applies the pattern.
    let Ok(parsed) = regex_syntax::parse(pattern) else { return };
    let Some(Length { least, most }) = of_text(&parsed) else {
        let hint = "look at its brackets and its classes".to_owned();
        found.push((format!("no text fits `{path}`: nothing matches its `pattern`"), Some(hint)));
        return;
    };
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
    if let (Some(wanted), Some(most)) = (bound("minLength"), most)
        && wanted > most
    {
        let message = format!(
            "no text fits `{path}`: its `pattern` matches {most} characters at most, and `minLength` is {wanted}"
        );
        found.push((message, Some("lower `minLength`, or change the `pattern`".to_owned())));
    }
    if let Some(allowed) = bound("maxLength").filter(|allowed| *allowed < least) {
        let message = format!(
            "no text fits `{path}`: its `pattern` matches {least} characters at least, and `maxLength` is {allowed}"
        );
        found.push((message, Some("raise `maxLength`, or change the `pattern`".to_owned())));
    }
}

/// Examples are what people are told to write.
fn examples(schema: &Value, path: &str, found: &mut Vec<Trouble>) {
    let examples = schema.get("examples").and_then(Value::as_array);
    let wrong =
        examples.into_iter().flatten().find(|one| !schema_errors::mistakes(schema, one).is_empty());
    if let Some(example) = wrong {
        let hint = "correct the example, or the `pattern`".to_owned();
        found.push((format!("the example {example} of `{path}` would be refused"), Some(hint)));
    }
}

/// The length of a whole text in which the pattern is found; `None` if nothing matches.
fn of_text(pattern: &Hir) -> Option<Length> {
    let found = of(pattern)?;
    let looks = pattern.properties();
    let is_whole = looks.look_set_prefix().contains(Look::Start)
        && looks.look_set_suffix().contains(Look::End);
    Some(Length { most: found.most.filter(|_| is_whole), ..found })
}

/// The length of what the pattern matches.
fn of(pattern: &Hir) -> Option<Length> {
    let exactly = |count: u64| Some(Length { least: count, most: Some(count) });
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => exactly(0),
        HirKind::Literal(literal) => {
            let count = String::from_utf8_lossy(&literal.0).chars().count();
            exactly(count.try_into().unwrap_or(u64::MAX))
        }
        // A class without members matches nothing.
        HirKind::Class(_) => pattern.properties().minimum_len().and_then(|_| exactly(1)),
        HirKind::Capture(capture) => of(&capture.sub),
        HirKind::Repetition(repeated) => {
            let Some(one) = of(&repeated.sub) else {
                return (repeated.min == 0).then_some(Length { least: 0, most: Some(0) });
            };
            let most = match (one.most, repeated.max) {
                (Some(0), _) => Some(0),
                (Some(most), Some(times)) => Some(most.saturating_mul(times.into())),
                _ => None,
            };
            Some(Length { least: one.least.saturating_mul(repeated.min.into()), most })
        }
        HirKind::Concat(parts) => {
            parts.iter().try_fold(Length { least: 0, most: Some(0) }, |all, part| {
                let part = of(part)?;
                let most = all.most.zip(part.most).map(|(a, b)| a.saturating_add(b));
                Some(Length { least: all.least.saturating_add(part.least), most })
            })
        }
        HirKind::Alternation(ways) => ways.iter().filter_map(of).reduce(|one, other| Length {
            least: one.least.min(other.least),
            most: one.most.zip(other.most).map(|(a, b)| a.max(b)),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Length, of_text};

    fn length(pattern: &str) -> Option<(u64, Option<u64>)> {
        let found = of_text(&regex_syntax::parse(pattern).unwrap());
        found.map(|Length { least, most }| (least, most))
    }

    #[test]
    fn a_pattern_bounds_the_length_of_a_text_where_it_spans_all_of_it() {
        for (pattern, expected) in [
            ("^[0-9]{5}$", Some((5, Some(5)))),
            ("[0-9]{5}", Some((5, None))),
            ("^[0-9]{5}", Some((5, None))),
            ("^(?:[A-Z]{2}-)?[0-9]{3,4}$", Some((3, Some(7)))),
            ("^(ab|c*)$", Some((0, None))),
            ("^ab|c$", Some((1, None))),
            ("^(ab|cde)$", Some((2, Some(3)))),
            ("^äß+$", Some((2, None))),
            ("^äß$", Some((2, Some(2)))),
            ("^.$", Some((1, Some(1)))),
            ("^$", Some((0, Some(0)))),
            ("^(\\b)*$", Some((0, Some(0)))),
            ("[^\\s\\S]", None),
            ("^a[^\\s\\S]*$", Some((1, Some(1)))),
        ] {
            assert_eq!(length(pattern), expected, "{pattern}");
        }
    }
}
