//! What texts say of those who read them fits the conditions under which they are asked: their age, their days, and what
//! they have.

use serde_json::Value;

use super::{
    Check,
    lengths::{number, words},
    texts::questions,
    tokens::{Token, tokens},
};
use crate::model::flow::Step;

/// Words before the age of somebody who is younger.
const UNDER: [&[&str]; 7] = [
    &["under"],
    &["below"],
    &["younger", "than"],
    &["unter"],
    &["jünger", "als"],
    &["moins", "de"],
    &["menos", "de"],
];

/// Words for days that have passed, and for those that are to come.
const PASSED: [&str; 10] = [
    "expired",
    "has passed",
    "is over",
    "out of date",
    "older than",
    "renew",
    "ran out",
    "abgelaufen",
    "ist vorbei",
    "älter als",
];
const TO_COME: [&str; 7] = [
    "to come",
    "in the future",
    "not yet",
    "too early",
    "liegt in der zukunft",
    "noch nicht",
    "zu früh",
];

/// Words after a count of days that are to come, and of days that have passed.
const LEFT: [&str; 5] = ["left", "remain", "remaining", "until", "noch"];
const AGO: [&str; 3] = ["ago", "since", "past"];

/// The age at which people are of age, unless the law of their country says otherwise (Convention on the Rights of the
/// Child, article 1), and words for those who are not.
const OF_AGE: f64 = 18.0;
const MINORS: [&str; 6] =
    ["minor", "minors", "underage", "minderjährig", "minderjährige", "mineur"];

impl Check<'_> {
    pub(super) fn texts_about_people(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            self.ages_told(&format!("/phase/{p}"), phase.when.as_deref(), phase.intro.as_deref());
            for (n, step) in phase.step.iter().enumerate() {
                let at = format!("/phase/{p}/step/{n}");
                self.ages_told(&at, step.when.as_deref(), questions(step));
                self.ages_of_options(&at, step);
                self.old_enough(&at, step);
                self.days_told(&at, step);
                self.days_counted(&at, step);
                self.days_moved(&at, step);
                self.has_or_not(&at, step);
            }
        }
    }

    /// `You have a garden`, asked `when = "not records.home.garden"`.
    fn has_or_not(&mut self, at: &str, step: &Step) {
        let when = step.when.as_deref().map(tokens).unwrap_or_default();
        let [Token::Name("not"), Token::Name(name)] = when.as_slice() else { return };
        let field = name.rsplit('.').next().unwrap_or(name).replace('_', " ");
        let says = |text: &str| {
            let words = format!(" {} ", words(text).join(" "));
            [
                "you have a",
                "you have an",
                "you have",
                "you own a",
                "sie haben einen",
                "sie haben eine",
            ]
            .iter()
            .any(|begin| words.contains(&format!(" {begin} {field} ")))
        };
        if questions(step).any(says) {
            let message = format!("people without `{name}` read that they have it");
            self.warn(&format!("{at}/when"), message, "take `not` out, or change the text");
        }
    }

    /// `You are under 18` where the condition says that they are older.
    fn ages_told<'t>(
        &mut self,
        at: &str,
        when: Option<&str>,
        texts: impl IntoIterator<Item = &'t str>,
    ) {
        let tokens = when.map(tokens).unwrap_or_default();
        let must = ["must", "only", "müssen", "musst", "nur"];
        if let Some(younger) = younger_than(&tokens) {
            let told = texts.into_iter().any(|text| {
                let words = words(text);
                (says_from(&words, younger) || text.contains(&format!("{younger}+")))
                    && !words.iter().any(|word| must.contains(&word.as_str()))
            });
            if told {
                let message = format!("people younger than {younger} read that they are older");
                self.warn(&format!("{at}/when"), message, "reverse the comparison");
            }
            return;
        }
        let Some(older) = older_than(&tokens) else { return };
        for text in texts {
            let words = words(text);
            let is_minor =
                older >= OF_AGE && words.iter().any(|word| MINORS.contains(&word.as_str()));
            let says = |begin: &&[&str]| {
                words.windows(begin.len() + 1).any(|part| {
                    let (before, age) = part.split_at(begin.len());
                    let age = number(&age[0]).and_then(|age| u32::try_from(age).ok());
                    before.iter().eq(begin.iter()) && age.map(f64::from) == Some(older)
                })
            };
            if (is_minor || UNDER.iter().any(says))
                && !words.iter().any(|word| must.contains(&word.as_str()))
            {
                let message = format!("people older than {older} read that they are younger");
                self.warn(&format!("{at}/when"), message, "reverse the comparison");
                return;
            }
        }
    }

    /// `Drive (from 18)`, offered `when = "… | age < 18"`.
    fn ages_of_options(&mut self, at: &str, step: &Step) {
        let options = step.args.get("options").and_then(Value::as_array);
        for (n, option) in options.into_iter().flatten().enumerate() {
            let at = format!("{at}/args/options/{n}");
            self.ages_told(&at, option["when"].as_str(), option["label"].as_str());
        }
    }

    /// `You must be 16 or older`, for those who are, and no way on.
    fn old_enough(&mut self, at: &str, step: &Step) {
        let Some(older) = step.when.as_deref().and_then(|when| older_than(&tokens(when))) else {
            return;
        };
        let options = step.args.get("options").and_then(Value::as_array);
        let ends = |option: &Value| {
            let target = option["id"].as_str().and_then(|id| step.leads(id));
            matches!(target, Some("@stop" | "@handoff"))
        };
        let is_turned_away = options.is_some_and(|all| !all.is_empty() && all.iter().all(ends));
        let says = questions(step).any(|text| {
            words(text).windows(3).any(|part| {
                let age = number(&part[0]).and_then(|age| u32::try_from(age).ok()).map(f64::from);
                let rest = (part[1].as_str(), part[2].as_str());
                age == Some(older)
                    && matches!(
                        rest,
                        ("or", "older" | "over") | ("oder", "älter") | ("years", "or")
                    )
            })
        });
        if is_turned_away && says {
            let message =
                format!("people of {older} and older are turned away, and the text asks for them");
            self.warn(&format!("{at}/when"), message, "reverse the comparison");
        }
    }

    /// `It expired on …` where the condition says that the day is to come, and the other way round.
    fn days_told(&mut self, at: &str, step: &Step) {
        let Some(when) = &step.when else { return };
        let tokens = tokens(when);
        if tokens.iter().any(|token| matches!(token, Token::Name("not" | "or"))) {
            return;
        }
        let is_to_come = tokens.windows(3).find_map(|part| match part {
            [Token::Name(field), Token::Sign(sign @ ('<' | '>')), Token::Name("today" | "now")]
                if field.starts_with("records.") =>
            {
                Some(*sign == '>')
            }
            [Token::Name("days_until"), Token::Sign('>'), Token::Number(_)] => Some(true),
            [Token::Name("days_since"), Token::Sign('>'), Token::Number(_)] => Some(false),
            _ => None,
        });
        let Some(is_to_come) = is_to_come else { return };
        let says = |known: &[&str]| {
            questions(step).any(|text| {
                let words = words(text).join(" ");
                known.iter().any(|told| format!(" {words} ").contains(&format!(" {told} ")))
            })
        };
        let (past, future) = (says(&PASSED), says(&TO_COME));
        if is_to_come && past && !future {
            let message = "the text speaks of a day that has passed, and here it is to come";
            self.warn(
                &format!("{at}/when"),
                message,
                "reverse the comparison, or use `days_since`",
            );
        } else if !is_to_come && future && !past {
            let message = "the text speaks of a day that is to come, and here it has passed";
            self.warn(
                &format!("{at}/when"),
                message,
                "reverse the comparison, or use `days_until`",
            );
        }
    }

    /// `… | days_since }} days are left`, and `… | days_until }} days ago`.
    fn days_counted(&mut self, at: &str, step: &Step) {
        for text in questions(step) {
            for part in text.split("{{").skip(1) {
                let Some((expression, after)) = part.split_once("}}") else { continue };
                let next: Vec<String> = words(after).into_iter().take(4).collect();
                let says = |known: &[&str]| next.iter().any(|word| known.contains(&word.as_str()));
                let told = if expression.contains("days_since") && says(&LEFT) {
                    Some(("days_since", "days_until"))
                } else if expression.contains("days_until") && says(&AGO) {
                    Some(("days_until", "days_since"))
                } else {
                    None
                };
                if let Some((written, meant)) = told {
                    let message = format!("the words after it don't fit `{written}`");
                    self.warn(&format!("{at}/args"), message, &format!("use `{meant}`"));
                }
            }
        }
    }

    /// `Please pay by {{ today | minus('30d') | date }}`.
    fn days_moved(&mut self, at: &str, step: &Step) {
        for text in questions(step) {
            for (n, _) in text.match_indices("{{") {
                let expression = text[n + 2..].split("}}").next().unwrap_or_default();
                let before = words(&text[..n]).pop().unwrap_or_default();
                let is = |known: &[&str]| known.contains(&before.as_str());
                let told = if expression.contains("today | minus(")
                    && is(&["by", "until", "bis", "zum"])
                {
                    Some(("minus", "plus"))
                } else if expression.contains("today | plus(") && is(&["since", "seit"]) {
                    Some(("plus", "minus"))
                } else {
                    None
                };
                if let Some((written, meant)) = told {
                    let message = format!("the words before it don't fit `{written}`");
                    self.warn(&format!("{at}/args"), message, &format!("use `{meant}`"));
                }
            }
        }
    }
}

/// The age that a condition asks people to be below, where it does nothing else with ages.
fn younger_than(tokens: &[Token<'_>]) -> Option<f64> {
    let younger = tokens.windows(3).find_map(|part| match part {
        [Token::Name("age"), Token::Sign('<'), Token::Number(age)] => Some(*age),
        _ => None,
    });
    let younger = younger.or_else(|| born(tokens, '>'));
    younger.filter(|_| !tokens.iter().any(|token| matches!(token, Token::Name("not" | "or"))))
}

/// The years before today after which, or before which, a day of a condition lies: `born >= (today | minus('18y'))`.
fn born(tokens: &[Token<'_>], wanted: char) -> Option<f64> {
    let years = tokens.windows(5).enumerate().find_map(|(n, part)| match part {
        [
            Token::Name("today"),
            Token::Sign('|'),
            Token::Name("minus"),
            Token::Sign('('),
            Token::Text(period),
        ] => Some((n, period.strip_suffix('y')?.trim().parse().ok()?)),
        _ => None,
    });
    let (at, years) = years?;
    let before = tokens[..at].iter().rev().find(|token| !matches!(token, Token::Sign('(' | '=')));
    (before == Some(&Token::Sign(wanted))).then_some(years)
}

/// Whether a text speaks of those who have reached an age: `from 18`, `18 or older`.
fn says_from(words: &[String], age: f64) -> bool {
    const FROM: [&[&str]; 8] = [
        &["from"],
        &["over"],
        &["above"],
        &["older", "than"],
        &["ab"],
        &["über"],
        &["älter", "als"],
        &["mayores", "de"],
    ];
    let is_age = |word: Option<&String>| {
        let number = word.and_then(|word| number(word)).and_then(|n| u32::try_from(n).ok());
        number.map(f64::from) == Some(age)
    };
    let before = |begin: &&[&str]| {
        (0..words.len()).any(|n| {
            words[n..].iter().zip(begin.iter()).filter(|(told, word)| told == *word).count()
                == begin.len()
                && is_age(words.get(n + begin.len()))
        })
    };
    let after = words.windows(3).any(|part| {
        is_age(part.first())
            && matches!(
                (part[1].as_str(), part[2].as_str()),
                ("or" | "and", "older" | "over") | ("oder", "älter")
            )
    });
    after || FROM.iter().any(before)
}

/// The age that a condition asks people to have, where it does nothing else with ages.
fn older_than(tokens: &[Token<'_>]) -> Option<f64> {
    let older = (0..tokens.len()).find_map(|n| match &tokens[n..] {
        [Token::Name("age"), Token::Sign('>'), Token::Number(age), ..]
        | [Token::Name("age"), Token::Sign('>'), Token::Sign('='), Token::Number(age), ..] => {
            Some(*age)
        }
        _ => None,
    });
    let older = older.or_else(|| born(tokens, '<'));
    older.filter(|_| !tokens.contains(&Token::Name("not")))
}
