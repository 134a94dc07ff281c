//! Typed words as the choice of one or several options.

use super::{
    Reading, is_question,
    lexicon::{Language, languages},
    tokens::{SEPARATOR, Tokens, separated, tokens},
};
use crate::model::ui::{Choice, Choose, Reply};

/// Signs that mean yes or no in every language.
const SIGNS: [(&str, bool); 6] =
    [("👍", true), ("✅", true), ("✔", true), ("👎", false), ("❌", false), ("✖", false)];

/// Where the label of an option ends and what explains it begins: `Full-time (40 hours)`, `3 – neutral`.
const BORDERS: [&str; 5] = [" (", " – ", " — ", " - ", ": "];

pub(super) fn read(choose: &Choose, text: &str) -> Reading {
    if let Some(id) = by_name(choose, text) {
        // Word for word what the option says: nothing to add.
        return settled(vec![id], None);
    }
    let is_question = is_question(text);
    if !text.ends_with('?') {
        let spoken = |ids: Vec<String>| settled(ids, Some(text.to_owned()));
        if let Some(id) = by_sign(choose, text) {
            return spoken(vec![id]);
        }
        if let Some(ids) = languages().iter().find_map(|it| Options::new(choose, it).read(text)) {
            return spoken(ids);
        }
    }
    match mentioned(choose, text) {
        Some(label) if !is_question => Reading::Unsure(label),
        _ => Reading::NotAnAnswer { is_question },
    }
}

fn settled(ids: Vec<String>, free_text: Option<String>) -> Reading {
    Reading::Settled(Reply::Chosen { ids, free_text })
}

/// The option whose label or id a text is, letter by letter but for capitals and the marks around it.
fn by_name(choose: &Choose, text: &str) -> Option<String> {
    let bare = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '“' | '”' | '*'));
    let same = |name: &str| {
        name.to_lowercase() == bare.to_lowercase()
            || name.to_lowercase() == bare.trim_end_matches(['.', '!']).to_lowercase()
    };
    let found = choose.choices.iter().find(|choice| same(&choice.label) || same(&choice.id));
    found.map(|choice| choice.id.clone())
}

fn by_sign(choose: &Choose, text: &str) -> Option<String> {
    let bare = text.trim_end_matches(|c| matches!(c, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}'));
    let (_, is_yes) = SIGNS.into_iter().find(|(sign, _)| *sign == bare)?;
    only(choose.choices.iter().filter(|choice| polarity(choice) == Some(is_yes)))
}

/// Whether an option says yes or no: by its id, or by how its label begins in any language.
fn polarity(choice: &Choice) -> Option<bool> {
    match choice.id.as_str() {
        "yes" | "true" => return Some(true),
        "no" | "false" => return Some(false),
        _ => {}
    }
    let words = tokens(&choice.label);
    match words.first()?.as_str() {
        "yes" | "ja" | "si" | "oui" | "sim" => Some(true),
        "no" | "nein" | "non" | "nao" | "nee" => Some(false),
        _ => None,
    }
}

/// The id of the only option there is.
fn only<'c>(mut choices: impl Iterator<Item = &'c Choice>) -> Option<String> {
    let first = choices.next()?;
    choices.next().is_none().then(|| first.id.clone())
}

/// The label of the only option that a text names among other words.
fn mentioned(choose: &Choose, text: &str) -> Option<String> {
    let words = tokens(text);
    let names = |choice: &&Choice| {
        let name = tokens(&choice.label);
        !name.is_empty() && words.windows(name.len()).any(|window| window == name)
    };
    let id = only(choose.choices.iter().filter(names))?;
    choose.choices.iter().find(|choice| choice.id == id).map(|choice| choice.label.clone())
}

/// The options as one language reads them.
struct Options<'a> {
    choose: &'a Choose,
    language: &'a Language,
    /// What each option may be called, in its place.
    names: Vec<Vec<Tokens>>,
}

impl<'a> Options<'a> {
    fn new(choose: &'a Choose, language: &'a Language) -> Self {
        let names = choose.choices.iter().map(|choice| names(choice, language)).collect();
        Self { choose, language, names }
    }

    fn read(&self, text: &str) -> Option<Vec<String>> {
        let plain = self.language.spelt_out(&tokens(text));
        let stages = || self.language.stages(&plain);
        let one = || stages().find_map(|words| self.one(words));
        let scored = || self.scored(self.language.stripped(&plain));
        if let Some(place) = one().or_else(scored) {
            return Some(self.ids([place]));
        }
        if let Some(id) = stages().find_map(|words| self.yes_or_no(words)) {
            return Some(vec![id]);
        }
        if !self.choose.multiple {
            return None;
        }
        if stages().any(|words| self.language.all.iter().any(|all| all == words)) {
            return Some(self.ids(0..self.names.len()));
        }
        let with_separators = self.language.spelt_out(&separated(text));
        let mut places = self.several(self.language.stripped(&with_separators), Vec::new())?;
        places.sort_unstable();
        Some(self.ids(places))
    }

    fn ids(&self, places: impl IntoIterator<Item = usize>) -> Vec<String> {
        places.into_iter().map(|place| self.choose.choices[place].id.clone()).collect()
    }

    /// The place of the option that words are the name, the number or the letter of.
    fn one(&self, words: &[String]) -> Option<usize> {
        self.named(words).or_else(|| self.numbered(words))
    }

    /// The only option of that name.
    fn named(&self, words: &[String]) -> Option<usize> {
        if words.is_empty() {
            return None;
        }
        let is_named = |names: &Vec<Tokens>| {
            let joined = words.concat();
            names.iter().any(|name| name == words || name.concat() == joined)
        };
        let mut places = (0..self.names.len()).filter(|place| is_named(&self.names[*place]));
        let first = places.next()?;
        places.next().is_none().then_some(first)
    }

    /// `3`, `three`, `number 3`, `b`, `the third`, `last`.
    fn numbered(&self, words: &[String]) -> Option<usize> {
        let language = self.language;
        let words = match language.number.iter().find(|number| words.starts_with(number)) {
            Some(number) if words.len() > number.len() => &words[number.len()..],
            _ => words,
        };
        if let [word] = words {
            if let Some(number) = language.number_of(word) {
                return self.by_number(number);
            }
            if let [letter @ b'a'..=b'z'] = word.as_bytes() {
                return self.place(usize::from(letter - b'a') + 1);
            }
        }
        let words = language.stripped(words);
        let (first, rest) = words.split_first()?;
        if !rest.is_empty() && !language.thing.iter().any(|thing| thing == rest) {
            return None;
        }
        if language.last.iter().any(|last| last.as_slice() == [first.clone()]) {
            return self.place(self.names.len());
        }
        self.place(language.ordinal(first)?)
    }

    /// Numbers on labels come before places: on a scale from 0 to 5, `3` is the option called 3.
    fn by_number(&self, number: usize) -> Option<usize> {
        let labels: Vec<Option<usize>> = self.labelled().collect();
        if labels.iter().flatten().count() < 2 {
            return self.place(number);
        }
        let mut places = (0..labels.len()).filter(|place| labels[*place] == Some(number));
        let first = places.next()?;
        places.next().is_none().then_some(first)
    }

    /// The number that each label begins with.
    fn labelled(&self) -> impl Iterator<Item = Option<usize>> {
        self.choose.choices.iter().map(|choice| match tokens(&choice.label).as_slice() {
            // A range is no number: `1-2 years`.
            [first, second, ..] if second.parse::<usize>().is_ok() => {
                first.parse().ok().map(|_: usize| usize::MAX)
            }
            [first, ..] => first.parse().ok(),
            [] => None,
        })
    }

    const fn place(&self, number: usize) -> Option<usize> {
        match number.checked_sub(1) {
            Some(place) if place < self.names.len() => Some(place),
            _ => None,
        }
    }

    /// `4 of 5`, `4/5`, where 5 is the highest number on a label.
    fn scored(&self, words: &[String]) -> Option<usize> {
        let (first, rest) = words.split_first()?;
        let (last, between) = rest.split_last()?;
        let joins = between.is_empty() || self.language.out_of.iter().any(|of| of == between);
        let highest = self.labelled().flatten().max()?;
        let is_whole = self.language.number_of(last) == Some(highest);
        (joins && is_whole).then(|| self.by_number(self.language.number_of(first)?)).flatten()
    }

    fn yes_or_no(&self, words: &[String]) -> Option<String> {
        let is = |phrases: &[Tokens]| phrases.iter().any(|phrase| phrase == words);
        let is_yes = match (is(&self.language.yes), is(&self.language.no)) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
        only(self.choose.choices.iter().filter(|choice| polarity(choice) == Some(is_yes)))
    }

    /// Several options, with separators or `and` between them and nothing besides.
    fn several(&self, words: &[String], mut chosen: Vec<usize>) -> Option<Vec<usize>> {
        for length in (1..=words.len()).rev() {
            let (head, rest) = words.split_at(length);
            let spoken: Tokens = head.iter().filter(|word| *word != SEPARATOR).cloned().collect();
            let Some(place) = self.one(&spoken) else { continue };
            let mut with = chosen.clone();
            if !with.contains(&place) {
                with.push(place);
            }
            if rest.is_empty() {
                chosen = with;
                return Some(chosen);
            }
            if let Some(rest) = self.after_joint(rest)
                && let Some(all) = self.several(rest, with)
            {
                return Some(all);
            }
        }
        None
    }

    /// What follows separators and `and`; `None` if neither stands here.
    fn after_joint<'w>(&self, words: &'w [String]) -> Option<&'w [String]> {
        let mut rest = words;
        loop {
            let joint = self.language.and.iter().find(|and| rest.starts_with(and));
            rest = match (rest.first(), joint) {
                (Some(first), _) if first == SEPARATOR => &rest[1..],
                (_, Some(joint)) => &rest[joint.len()..],
                _ => return (rest.len() < words.len() && !rest.is_empty()).then_some(rest),
            };
        }
    }
}

/// What an option may be called: its label, its id, either half of `3 – neutral`; each also without courtesy.
fn names(choice: &Choice, language: &Language) -> Vec<Tokens> {
    let border = BORDERS.iter().filter_map(|border| choice.label.find(border)).min();
    let (head, tail) = border.map_or(("", ""), |at| choice.label.split_at(at));
    let mut names = Vec::new();
    for name in [choice.label.as_str(), choice.id.as_str(), head, tail] {
        let name = language.spelt_out(&tokens(name));
        if !name.is_empty() {
            names.extend(language.stages(&name).map(<[String]>::to_vec));
            // `I do not agree` as `do not agree`.
            names.extend(language.without_first(&name).map(<[String]>::to_vec));
        }
    }
    names
}
