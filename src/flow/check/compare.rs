//! What conditions compare: values of types that can be equal, within bounds that leave both outcomes open.

use super::{
    Check,
    known::{Kind, Known},
    texts::options,
    tokens::{Token, tokens},
};
use crate::config::problem::{self, did_you_mean, listed};

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    In,
    NotIn,
}

impl Operator {
    const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
            Self::In => "in",
            Self::NotIn => "not in",
        }
    }
}

/// A comparison that stands by itself.
struct Comparison {
    left: Known,
    operator: Operator,
    right: Known,
    /// The condition is nothing but this.
    is_whole: bool,
}

impl Comparison {
    fn text(&self) -> String {
        format!("{} {} {}", self.left.name, self.operator.sign(), self.right.name)
    }
}

impl Check<'_> {
    /// Every comparison of an expression.
    pub(super) fn comparisons(&mut self, at: &str, expression: &str) {
        for comparison in self.compared(&tokens(expression)) {
            if !self.types(at, &comparison) {
                self.bounds(at, &comparison);
            }
        }
    }

    fn compared(&self, tokens: &[Token<'_>]) -> Vec<Comparison> {
        let mut found = Vec::new();
        for n in 0..tokens.len() {
            if n > 0 && !is_border(&tokens[n - 1]) {
                continue;
            }
            let Some((left, after)) = self.operand(tokens, n, 0) else { continue };
            let Some((operator, after)) = operator(tokens, after) else { continue };
            let Some((right, after)) = self.operand(tokens, after, 0) else { continue };
            if tokens.get(after).is_none_or(is_border) {
                let is_whole = n == 0 && after == tokens.len();
                found.push(Comparison { left, operator, right, is_whole });
            }
        }
        found
    }

    /// Whether nothing can be in what is looked through; then it is told.
    fn contained(&mut self, at: &str, comparison: &Comparison) -> bool {
        let right = &comparison.right;
        let is_odd = matches!(right.kind, Kind::Number | Kind::Truth);
        if is_odd {
            let message = format!("nothing is in `{}`: it is {}", right.name, right.kind.name());
            self.error(at, message, Some("compare it with `==`".to_owned()));
        } else {
            self.part_of_other(at, comparison);
        }
        is_odd
    }

    /// `'art' in answers.class`, whose answer may be `martial_arts` as well.
    fn part_of_other(&mut self, at: &str, Comparison { left, operator, right, .. }: &Comparison) {
        let part = left.name.trim_matches('\'');
        let mut steps = self.flow.phase.iter().flat_map(|phase| &phase.step);
        let step = right.name.strip_prefix("answers.").and_then(|id| {
            steps.find(|step| step.id == id && !step.args.contains_key("allowMultiple"))
        });
        let Some(step) = step.filter(|_| left.is_literal) else { return };
        let is_one = |id: &&str| *id == part;
        let other = options(step).map(|(id, _)| id).find(|id| *id != part && id.contains(part));
        if let Some(other) = other.filter(|_| options(step).any(|(id, _)| is_one(&id))) {
            let sign = if *operator == Operator::In { "==" } else { "!=" };
            let message = format!("`{other}` has `{part}` in it as well");
            self.warn(at, message, &format!("compare it with `{sign}`"));
        }
    }

    /// Whether the types of both sides can't be compared; then it is told.
    fn types(&mut self, at: &str, comparison: &Comparison) -> bool {
        let Comparison { left, operator, right, .. } = comparison;
        if matches!(operator, Operator::In | Operator::NotIn) {
            return self.contained(at, comparison);
        }
        let clash = |one: Kind, other: Kind| {
            (left.kind == one && right.kind == other) || (left.kind == other && right.kind == one)
        };
        let looked_up = if left.is_literal { right } else { left };
        let other = if left.is_literal { left } else { right };
        let hint = if clash(Kind::List, Kind::Text) {
            if looked_up.kind == Kind::List && other.is_literal {
                let not = if *operator == Operator::Unequal { " not" } else { "" };
                format!("write `{}{not} in {}`", other.name, looked_up.name)
            } else {
                "write `… in …`".to_owned()
            }
        } else if clash(Kind::Number, Kind::Text) {
            match (looked_up.kind, other.is_literal) {
                (Kind::Number, true) if other.name.trim_matches('\'').parse::<f64>().is_ok() => {
                    format!("leave the quotes out: `{}`", other.name.trim_matches('\''))
                }
                (Kind::Text, true) => {
                    format!(
                        "write `{} | int`, or ask for it with a field of the type `number`",
                        looked_up.name
                    )
                }
                _ => "compare values of one type".to_owned(),
            }
        } else if clash(Kind::Truth, Kind::Text) {
            match looked_up.kind {
                Kind::Truth => format!("write `{0}`, or `not {0}`", looked_up.name),
                _ => "compare it with a text in quotes".to_owned(),
            }
        } else if clash(Kind::Number, Kind::List) {
            "write `… | length` for the number of entries".to_owned()
        } else if clash(Kind::Number, Kind::Date) {
            "write `… | age`, `… | days_since` or `… | days_until`".to_owned()
        } else if clash(Kind::Truth, Kind::List) || clash(Kind::Truth, Kind::Date) {
            "compare values of one type".to_owned()
        } else {
            return false;
        };
        let what =
            if other.kind == Kind::Truth || looked_up.kind == Kind::Truth { " is" } else { "" };
        let message = format!(
            "`{}` is {}, and `{}`{what} {}",
            looked_up.short(),
            looked_up.kind.name(),
            other.name,
            other.kind.name()
        );
        self.error(at, message, Some(hint));
        true
    }

    /// A comparison that comes out the same whatever people answer.
    fn bounds(&mut self, at: &str, comparison: &Comparison) {
        let Comparison { left, operator, right, is_whole } = comparison;
        if left.is_literal && right.is_literal {
            return;
        }
        if left.kind == Kind::Number && right.kind == Kind::Number {
            let Some(outcome) = outcome(left, *operator, right) else { return };
            let bounded = if left.is_literal { right } else { left };
            let (text, name) = (comparison.text(), bounded.short());
            let when = match outcome {
                Outcome::Never => "never true",
                Outcome::OnlyMissing => "true only where there is none",
                Outcome::Always => "always true",
            };
            let message = format!("`{text}` is {when}: `{name}` is {}", bounded.bounds());
            let hint = "compare it with a value that it can have, or change its bounds";
            let problem = self.document.problem(at, message).hint(hint).of(problem::Kind::Constant);
            let is_error = outcome == Outcome::Never && *is_whole;
            self.problems.push(if is_error { problem } else { problem.warning() });
            return;
        }
        self.dates(at, left, right);
        self.choices(at, comparison);
    }

    /// Dates are compared as texts, which works for one way of writing them.
    fn dates(&mut self, at: &str, left: &Known, right: &Known) {
        let literal = match (left.kind, right.kind) {
            (Kind::Date, Kind::Text) if right.is_literal => right,
            (Kind::Text, Kind::Date) if left.is_literal => left,
            _ => return,
        };
        let text = literal.name.trim_matches('\'');
        let fits = text.len() <= 10
            && text.bytes().enumerate().all(|(n, byte)| match n {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !fits {
            let message = format!("`{text}` is not a date as dates are stored");
            self.error(at, message, Some("write it as `2026-11-25`".to_owned()));
        }
    }

    /// A text is one of those that can be chosen.
    fn choices(&mut self, at: &str, comparison: &Comparison) {
        let Comparison { left, operator, right, .. } = comparison;
        let (chosen, named) = match operator {
            Operator::In | Operator::NotIn if right.kind == Kind::List && !right.is_literal => {
                (right, left)
            }
            Operator::Equal | Operator::Unequal | Operator::In | Operator::NotIn => {
                if left.is_literal { (right, left) } else { (left, right) }
            }
            Operator::Less | Operator::AtMost | Operator::Greater | Operator::AtLeast => return,
        };
        let (Some(known), Some(texts), true) = (&chosen.values, &named.values, named.is_literal)
        else {
            return;
        };
        if chosen.is_literal {
            return;
        }
        for text in texts.iter().filter(|text| !text.is_empty() && !known.contains(*text)) {
            let known = || known.iter().map(String::as_str);
            let hint = did_you_mean(text, known())
                .unwrap_or_else(|| format!("possible values: {}", listed(known())));
            let message = if chosen.kind == Kind::List {
                format!("`{text}` is never in `{}`", chosen.name)
            } else {
                format!("`{}` is never `{text}`", chosen.name)
            };
            if chosen.name == "platform" {
                self.warn(at, message, &hint);
            } else {
                self.error(at, message, Some(hint));
            }
        }
    }
}

/// What may stand beside a comparison that is one by itself.
fn is_border(token: &Token<'_>) -> bool {
    matches!(
        token,
        Token::Name("and" | "or" | "not" | "if" | "elif" | "else") | Token::Sign('(' | ')')
    )
}

fn operator(tokens: &[Token<'_>], at: usize) -> Option<(Operator, usize)> {
    Some(match tokens.get(at..)? {
        [Token::Sign('='), Token::Sign('='), ..] => (Operator::Equal, at + 2),
        [Token::Sign('!'), Token::Sign('='), ..] => (Operator::Unequal, at + 2),
        [Token::Sign('<'), Token::Sign('='), ..] => (Operator::AtMost, at + 2),
        [Token::Sign('>'), Token::Sign('='), ..] => (Operator::AtLeast, at + 2),
        [Token::Sign('<'), ..] => (Operator::Less, at + 1),
        [Token::Sign('>'), ..] => (Operator::Greater, at + 1),
        [Token::Name("in"), ..] => (Operator::In, at + 1),
        [Token::Name("not"), Token::Name("in"), ..] => (Operator::NotIn, at + 2),
        _ => return None,
    })
}

/// What a comparison always comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Never,
    /// What is missing is less than everything.
    OnlyMissing,
    Always,
}

/// What comes of a comparison, where the bounds leave nothing else. That something is greater than its least value may
/// be asked to see whether it is there.
fn outcome(left: &Known, operator: Operator, right: &Known) -> Option<Outcome> {
    use Operator::{AtLeast, AtMost, Equal, Greater, In, Less, NotIn, Unequal};
    let below = |one: Option<f64>, other: Option<f64>| one.zip(other).is_some_and(|(a, b)| a < b);
    let at_most =
        |one: Option<f64>, other: Option<f64>| one.zip(other).is_some_and(|(a, b)| a <= b);
    let apart = below(left.high, right.low) || below(right.high, left.low);
    let operator = if left.is_literal { mirrored(operator) } else { operator };
    let (left, right) = if left.is_literal { (right, left) } else { (left, right) };
    match operator {
        Greater if at_most(left.high, right.low) => Some(Outcome::Never),
        AtLeast if below(left.high, right.low) => Some(Outcome::Never),
        Less if at_most(right.high, left.low) => Some(Outcome::OnlyMissing),
        AtMost if below(right.high, left.low) => Some(Outcome::OnlyMissing),
        Equal if apart => Some(Outcome::Never),
        Less if below(left.high, right.low) => Some(Outcome::Always),
        AtMost if at_most(left.high, right.low) => Some(Outcome::Always),
        Unequal if apart => Some(Outcome::Always),
        Greater | AtLeast | Less | AtMost | Equal | Unequal | In | NotIn => None,
    }
}

const fn mirrored(operator: Operator) -> Operator {
    match operator {
        Operator::Less => Operator::Greater,
        Operator::AtMost => Operator::AtLeast,
        Operator::Greater => Operator::Less,
        Operator::AtLeast => Operator::AtMost,
        Operator::Equal | Operator::Unequal | Operator::In | Operator::NotIn => operator,
    }
}
