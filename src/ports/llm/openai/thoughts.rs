//! Thoughts between tags at the beginning of an answer. Qwen3 and models distilled from R1 write them so behind servers
//! that do not take them out. Nobody is shown them, and they are not stored.

const BEGIN: &str = "<think>";
const END: &str = "</think>";

/// Takes the thoughts out of an answer while it comes in.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    place: Place,
    /// What may turn out to be a tag.
    held: String,
}

/// What the next words belong to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The beginning, which may be a tag.
    #[default]
    Beginning,
    Thoughts,
    /// The space after the thoughts.
    Space,
    /// An answer that began with thoughts.
    AfterThoughts,
    /// An answer that began with something else.
    Words,
}

impl Thoughts {
    /// Those of the next words of the answer that are no thoughts, with what was held before them.
    pub(super) fn without(&mut self, words: String) -> String {
        if matches!(self.place, Place::Words | Place::AfterThoughts) {
            return words;
        }
        self.held.push_str(&words);
        if self.place == Place::Beginning {
            let begun = self.held.trim_start();
            if begun.len() < BEGIN.len() && BEGIN.starts_with(begun) {
                return String::new();
            }
            let Some(thoughts) = begun.strip_prefix(BEGIN) else { return self.let_go() };
            self.held = thoughts.to_owned();
            self.place = Place::Thoughts;
        }
        if self.place == Place::Thoughts {
            let Some((_, after)) = self.held.split_once(END) else {
                let kept = self.held.len().saturating_sub(END.len() - 1);
                self.held.drain(..self.held.floor_char_boundary(kept));
                return String::new();
            };
            self.held = after.to_owned();
            self.place = Place::Space;
        }
        let words = std::mem::take(&mut self.held).trim_start().to_owned();
        if !words.is_empty() {
            self.place = Place::AfterThoughts;
        }
        words
    }

    /// The answer is over: what was held, if it was no tag.
    pub(super) fn let_go(&mut self) -> String {
        if self.place != Place::Beginning {
            return String::new();
        }
        self.place = Place::Words;
        std::mem::take(&mut self.held)
    }

    /// The whole answer without thoughts that have an end and no beginning: some templates write the first tag
    /// themselves. While it comes in, nothing tells these thoughts from words.
    pub(super) fn without_unopened(&self, text: String) -> String {
        if self.place == Place::Words
            && let Some((thoughts, words)) = text.split_once(END)
            && !thoughts.contains(BEGIN)
        {
            return words.trim_start().to_owned();
        }
        text
    }
}
