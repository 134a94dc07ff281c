//! Words, numbers and marks of a line, one by one.

use std::{cell::OnceCell, ops::Range};

use crate::ports::artifacts::resume::vocabulary::folded;

/// Whether `31/07/2024` stands somewhere in the line, so that `01/09/2020` is in September, too.
pub(super) fn has_day_first(tokens: &[Token<'_>]) -> bool {
    tokens.windows(5).any(|tokens| {
        matches!(
            [tokens[0].what, tokens[1].what, tokens[2].what, tokens[3].what, tokens[4].what],
            [
                What::Number(13..=31, 2),
                What::Mark('/' | '-'),
                What::Number(1..=12, 1 | 2),
                What::Mark('/' | '-'),
                What::Number(_, 4),
            ]
        )
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What<'a> {
    Word(&'a str),
    /// The number and how many digits it was written with.
    Number(u32, usize),
    Mark(char),
    Space,
}

#[derive(Debug, Clone)]
pub(super) struct Token<'a> {
    pub(super) what: What<'a>,
    pub(super) at: Range<usize>,
    /// It is a space between two columns.
    pub(super) is_gap: bool,
    /// As words of the vocabulary are compared; made when it is first asked for.
    folded: OnceCell<String>,
}

impl Token<'_> {
    /// A word or mark as the vocabulary has it.
    pub(super) fn folded(&self) -> Option<&str> {
        let fold = |text: &str| self.folded.get_or_init(|| folded(text)).as_str();
        match self.what {
            What::Word(word) => Some(fold(word)),
            What::Mark(mark) => Some(fold(mark.encode_utf8(&mut [0; 4]))),
            What::Number(..) | What::Space => None,
        }
    }

    /// Whether it is a word or mark of the vocabulary.
    pub(super) fn reads(&self, wanted: &str) -> bool {
        self.folded() == Some(wanted)
    }
}

pub(super) fn tokens(line: &str) -> Vec<Token<'_>> {
    let class = |c: char| match c {
        c if c.is_alphabetic() => 0,
        c if c.is_ascii_digit() => 1,
        c if c.is_whitespace() => 2,
        _ => 3,
    };
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut begin = 0;
    let mut letters = line.char_indices().peekable();
    while let Some((_, c)) = letters.next() {
        let end = letters.peek().map_or(line.len(), |(next, _)| *next);
        let goes_on =
            class(c) != 3 && letters.peek().is_some_and(|(_, next)| class(*next) == class(c));
        if goes_on {
            continue;
        }
        let text = &line[begin..end];
        let what = match class(c) {
            0 => What::Word(text),
            // A longer number is no date; saturating keeps it out of every range.
            1 => What::Number(text.parse().unwrap_or(u32::MAX), text.len()),
            2 => What::Space,
            _ => What::Mark(c),
        };
        let is_gap = class(c) == 2 && (text.contains('\t') || text.len() > 2);
        tokens.push(Token { what, at: begin..end, is_gap, folded: OnceCell::new() });
        begin = end;
    }
    tokens
}
