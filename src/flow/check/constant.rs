//! Conditions that come out the same whatever people answer, by the way they are written.

use super::{
    Check,
    tokens::{Token, tokens},
};
use crate::model::flow::Step;

/// Ids of options that say no.
const REFUSALS: [&str; 6] = ["no", "none", "never", "false", "later", "decline"];

impl Check<'_> {
    /// A condition that is always true, or never.
    pub(super) fn constant(&mut self, at: &str, condition: &str) {
        let tokens = tokens(condition);
        self.bare(at, &tokens);
        self.contradictions(at, &tokens);
    }

    /// What stands alone is true unless it is empty: a text always is, and so is the answer `no`.
    fn bare(&mut self, at: &str, tokens: &[Token<'_>]) {
        let is_begin = |token: &Token<'_>| {
            matches!(token, Token::Name("and" | "or" | "not") | Token::Sign('('))
        };
        let is_end =
            |token: &Token<'_>| matches!(token, Token::Name("and" | "or") | Token::Sign(')'));
        for (n, token) in tokens.iter().enumerate() {
            let before = n.checked_sub(1).and_then(|n| tokens.get(n));
            // What stands in brackets behind a name is an argument.
            let is_argument = before == Some(&Token::Sign('('))
                && n.checked_sub(2).is_some_and(|n| {
                    !matches!(tokens[n], Token::Name("and" | "or" | "not") | Token::Sign('('))
                });
            let is_alone = before.is_none_or(is_begin) && tokens.get(n + 1).is_none_or(is_end);
            if !is_alone || is_argument {
                continue;
            }
            match token {
                // `answers.x or ''` has a text where there is no answer.
                Token::Text(text) if !text.is_empty() => {
                    let message = format!("`'{text}'` alone is always true");
                    let hint = "compare it too: `answers.x == 'a' or answers.x == 'b'`, or `answers.x in ['a', 'b']`";
                    self.error(at, message, Some(hint.to_owned()));
                }
                Token::Name(name) => self.bare_answer(at, name),
                Token::Text(_) | Token::Number(_) | Token::Sign(_) => {}
            }
        }
    }

    fn bare_answer(&mut self, at: &str, name: &str) {
        let Some(id) = name.strip_prefix("answers.") else { return };
        let mut steps = self.flow.phase.iter().flat_map(|phase| &phase.step);
        let Some(refusal) = steps.find(|step| step.id == id).and_then(refusal) else { return };
        let message =
            format!("`{name}` is true whatever is answered: `{refusal}` is a text as well");
        let hint = format!("compare it: `{name} != '{refusal}'`");
        self.warn(at, message, &hint);
    }

    /// `x == 'a' and x == 'b'`, `x != 'a' or x != 'b'`, `x > 5 and x < 3`.
    fn contradictions(&mut self, at: &str, tokens: &[Token<'_>]) {
        let joins = |word: &str| tokens.contains(&Token::Name(word));
        let tokens = unbracketed(tokens);
        let is_plain = !joins("not") && !tokens.contains(&Token::Sign('('));
        let (sign, word, outcome) = match (joins("and"), joins("or")) {
            (true, false) => ('=', "and", "never true: it can't be both"),
            (false, true) => ('!', "or", "always true: it is never both"),
            _ => return,
        };
        if !is_plain {
            return;
        }
        let parts: Vec<&[Token<'_>]> = tokens.split(|token| *token == Token::Name(word)).collect();
        let compared = parts.iter().filter_map(|part| match part {
            [
                Token::Name(name),
                Token::Sign(first),
                Token::Sign('='),
                value @ (Token::Text(_) | Token::Number(_)),
            ] if *first == sign => Some((*name, *value)),
            _ => None,
        });
        let compared: Vec<(&str, Token<'_>)> = compared.collect();
        for (n, (name, value)) in compared.iter().enumerate() {
            let differs = |(other, at): &&(&str, Token<'_>)| other == name && at != value;
            if compared[..n].iter().any(|other| differs(&other)) {
                let message = format!("this is {outcome} (`{name}`)");
                let hint = if sign == '=' { "write `or`" } else { "write `and`" };
                self.error(at, message, Some(hint.to_owned()));
                return;
            }
        }
        if word == "and" {
            self.empty_range(at, &parts);
        }
    }

    /// Bounds between which nothing lies.
    fn empty_range(&mut self, at: &str, parts: &[&[Token<'_>]]) {
        for (name, least) in parts.iter().filter_map(|part| bound(part, '>')) {
            let mut most = parts.iter().filter_map(|part| bound(part, '<'));
            if let Some((_, most)) = most.find(|(other, most)| *other == name && *most < least) {
                let message = format!(
                    "this is never true: nothing is above {least} and below {most} at once"
                );
                self.error(at, message, Some("write `or`, or swap the bounds".to_owned()));
                return;
            }
        }
    }
}

/// A condition without the brackets that group its parts; those of arguments stay.
fn unbracketed<'t>(tokens: &[Token<'t>]) -> Vec<Token<'t>> {
    let mut plain = Vec::new();
    let mut open = Vec::new();
    for (n, token) in tokens.iter().enumerate() {
        let before = n.checked_sub(1).map(|before| tokens[before]);
        let groups = before.is_none_or(|before| {
            matches!(before, Token::Name("and" | "or" | "not") | Token::Sign('('))
        });
        match token {
            Token::Sign('(') => open.push(groups),
            Token::Sign(')') if open.pop() == Some(true) => continue,
            _ => {}
        }
        if *token != Token::Sign('(') || !groups {
            plain.push(*token);
        }
    }
    plain
}

/// What a part bounds, and by what number: `records.trip.days > 5`.
fn bound<'p>(part: &'p [Token<'p>], wanted: char) -> Option<(&'p [Token<'p>], f64)> {
    match part {
        [name @ .., Token::Sign(sign), Token::Number(bound)]
        | [name @ .., Token::Sign(sign), Token::Sign('='), Token::Number(bound)]
            if *sign == wanted =>
        {
            Some((name, *bound))
        }
        _ => None,
    }
}

/// The option of a question with a single pick that says no.
fn refusal(step: &Step) -> Option<String> {
    if step.args.get("allowMultiple").is_some() {
        return None;
    }
    let options = step.args.get("options")?.as_array()?;
    let ids = options.iter().filter_map(|option| option.get("id")?.as_str());
    ids.into_iter().find(|id| REFUSALS.contains(id)).map(str::to_owned)
}
