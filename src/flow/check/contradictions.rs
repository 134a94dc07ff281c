//! Texts that say something else than the flow does: how many to pick, how many points there are, who is too young, how
//! long ago something was, and who it is that writes.

use serde_json::Value;

use super::{
    Check,
    known::most_points,
    lengths::{DAY, lengths, number, words},
    texts::questions,
};
use crate::model::flow::{Fallback, Opening, Phase, Step};

/// Words that ask people to pick.
const PICKS: [&str; 9] =
    ["pick", "choose", "select", "wähle", "wählen", "choisissez", "elige", "escolha", "kies"];

/// Words that may stand before the number.
const FILLERS: [&str; 6] = ["please", "just", "exactly", "bitte", "sie", "genau"];

/// Words before the most that can be picked.
const UP_TO: [&[&str]; 5] =
    [&["up", "to"], &["at", "most"], &["bis", "zu"], &["höchstens"], &["maximal"]];

/// Words after a number that make it one of several.
const RANGES: [&str; 5] = ["or", "to", "and", "oder", "bis"];

const POINTS: [&str; 6] = ["points", "punkte", "punkten", "puntos", "pontos", "punten"];

/// Words for files.
const FILES: [&str; 11] = [
    "files",
    "pages",
    "photos",
    "pictures",
    "sides",
    "scans",
    "documents",
    "dateien",
    "seiten",
    "fotos",
    "bilder",
];

/// Words of an option that depends on where the others stand.
const PLACES: [&str; 7] = [
    "of the above",
    "of these above",
    "the above",
    "the first two",
    "genannten",
    "oben",
    "de las anteriores",
];

/// Words for a model.
pub(super) const MODEL: [&str; 6] = ["ai", "ki", "ia", "llm", "chatgpt", "gpt"];

/// Words with which somebody introduces themselves.
const INTRODUCES: [&str; 7] =
    ["i'm ", "i am ", "my name is ", "ich bin ", "mein name ist ", "je suis ", "soy "];

/// Words that tell that no person writes.
const ARTIFICIAL: [&str; 15] = [
    "bot",
    "ai",
    "ki",
    "ia",
    "assistant",
    "assistent",
    "assistentin",
    "asistente",
    "automat",
    "automated",
    "artificial",
    "künstliche",
    "robot",
    "machine",
    "software",
];

impl Check<'_> {
    pub(super) fn texts_that_contradict(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            self.points_told(p, phase);
            self.long_ago(p, phase);
            for (n, step) in phase.step.iter().enumerate() {
                let at = format!("/phase/{p}/step/{n}");
                self.picks_told(&at, step);
                self.files_told(&at, phase, step);
                self.shuffled(&at, step);
            }
        }
        self.days_named();
        self.introduced();
        self.without_model_told();
    }

    /// `Pick one` above a question that takes two or more.
    fn picks_told(&mut self, at: &str, step: &Step) {
        let is_several = step.args.get("allowMultiple") == Some(&Value::Bool(true));
        let count = |key: &str| step.args.get(key).and_then(Value::as_u64);
        let (Some(prompt), Some(options)) = (
            step.args.get("prompt").and_then(Value::as_str),
            step.args.get("options").and_then(Value::as_array),
        ) else {
            return;
        };
        let all = u64::try_from(options.len()).unwrap_or(u64::MAX);
        let (fewest, most) = if is_several {
            (count("minChoices").unwrap_or(0), count("maxChoices").unwrap_or(all))
        } else {
            (1, 1)
        };
        let sentences = prompt.split(['.', '!', '?', ';', '\n']);
        let mut sentences = sentences.map(words);
        let Some((told, is_most)) = sentences.find_map(|words| told_to_pick(&words)) else {
            return;
        };
        if told < fewest && !is_most || told > most {
            let needed = if told < fewest {
                format!("{fewest} or more must be picked")
            } else {
                format!("at most {most} can be picked")
            };
            let message = format!("the text asks for {told}, and {needed}");
            let hint = "change the text, or `minChoices` and `maxChoices`";
            self.warn(&format!("{at}/args/prompt"), message, hint);
        }
    }

    /// More points than the questions of the phase are worth.
    fn points_told(&mut self, p: usize, phase: &Phase) {
        let worth: Option<Vec<f64>> = phase.step.iter().map(most_points).collect();
        let Some(worth) = worth.map(|worth| worth.iter().sum::<f64>()).filter(|sum| *sum > 0.0)
        else {
            return;
        };
        let prompts = phase.step.iter().enumerate().filter_map(|(n, step)| {
            let prompt = step.args.get("prompt")?.as_str()?;
            Some((format!("/phase/{p}/step/{n}/args/prompt"), prompt))
        });
        let intro = phase.intro.as_deref().map(|text| (format!("/phase/{p}/intro"), text));
        let found = intro.into_iter().chain(prompts).find_map(|(at, text)| {
            let words = words(text);
            let mut pairs = words.windows(2).filter(|pair| POINTS.contains(&pair[1].as_str()));
            let told = pairs.find_map(|pair| {
                number(&pair[0]).and_then(|told| u32::try_from(told).ok()).map(f64::from)
            })?;
            (told > worth).then_some((at, told))
        });
        if let Some((at, told)) = found {
            let message =
                format!("this speaks of {told} points, and there are {worth} in this phase");
            self.warn(&at, message, "change the text, or the `points` of the options");
        }
    }

    /// `Send both sides as two files`, of which one is taken.
    fn files_told(&mut self, at: &str, phase: &Phase, step: &Step) {
        if step.tool != "get_user_upload" {
            return;
        }
        let most = u64::from(phase.uploads.max_files);
        let told = questions(step).find_map(|text| {
            let words = words(text);
            words.windows(2).find_map(|pair| {
                let is_files = FILES.contains(&pair[1].as_str());
                let both = matches!(pair[0].as_str(), "both" | "beide" | "beiden");
                number(&pair[0]).or_else(|| both.then_some(2)).filter(|_| is_files)
            })
        });
        if let Some(told) = told.filter(|told| *told > most) {
            let message = format!("the text asks for {told} files, and {most} can be sent");
            let hint = "increase `max_files` under `uploads` of the phase, or change the text";
            self.warn(&format!("{at}/args/prompt"), message, hint);
        }
    }

    /// `Both of the above`, in an order that changes.
    fn shuffled(&mut self, at: &str, step: &Step) {
        if step.args.get("shuffle") != Some(&Value::Bool(true)) {
            return;
        }
        let options = step.args.get("options").and_then(Value::as_array);
        let labels = options.into_iter().flatten().filter_map(|option| option["label"].as_str());
        let speaks = |label: &&str| {
            let label = label.to_lowercase();
            PLACES.iter().any(|words| label.contains(words))
        };
        if let Some(label) = labels.into_iter().find(speaks) {
            let message = format!("“{label}” speaks of the order, which `shuffle` changes");
            self.warn(&format!("{at}/args/shuffle"), message, "take `shuffle` out");
        }
    }

    /// The notice of a flow that a script can lead speaks of a model.
    fn without_model_told(&mut self) {
        let flow = self.flow;
        let Some(notice) = &flow.notice else { return };
        let is_led = flow.phase.iter().any(|phase| phase.fallback == Some(Fallback::Script));
        let words = words(&notice.text);
        let speaks = MODEL.iter().any(|word| words.iter().any(|told| told == word));
        if is_led && speaks && notice.text_without_model.is_none() {
            let message = "without a model, this is not true: a script asks then";
            self.warn("/notice/text", message, "add `text_without_model` under `[notice]`");
        }
    }

    /// `Day 90`, 90 days after the phase for day 30.
    fn days_named(&mut self) {
        let flow = self.flow;
        let mut passed = 0;
        let mut last = None;
        for (p, phase) in flow.phase.iter().enumerate() {
            let after = match phase.after.as_deref().map(Opening::read) {
                Some(Opening::After(period)) => period.0.as_secs() / DAY,
                Some(Opening::WorkingDays(_) | Opening::On(_)) => {
                    last = None;
                    continue;
                }
                None => 0,
            };
            passed += after;
            let Some(named) = day_named(&phase.title).or_else(|| day_named(&phase.id)) else {
                continue;
            };
            if last.is_some_and(|last| last > 1) && after == named && passed != named {
                let message =
                    format!("this comes on day {passed}: `after` counts from the phase before");
                let hint = format!("write `{}d`", named.saturating_sub(passed - after));
                self.warn(&format!("/phase/{p}/after"), message, &hint);
            }
            last = Some(named);
        }
    }

    /// `You joined four weeks ago` in a phase that comes after 28 hours.
    fn long_ago(&mut self, p: usize, phase: &Phase) {
        let Some(Opening::After(period)) = phase.after.as_deref().map(Opening::read) else {
            return;
        };
        let seconds = period.0.as_secs();
        let first = phase.step.first().and_then(|step| step.args.get("prompt")?.as_str());
        let texts = [phase.intro.as_deref(), first].into_iter().flatten();
        let other = texts.flat_map(lengths).find(|length| {
            let is_ago = matches!(length.after.as_str(), "ago" | "later")
                || matches!(length.before.as_str(), "vor" | "seit" | "hace" | "há");
            is_ago && !(length.shortest / 2..=length.longest.saturating_mul(2)).contains(&seconds)
        });
        if let Some(other) = other {
            let message = format!("this begins after {period}, and the text says {}", other.words);
            let hint = "make the two the same: `28d` is 28 days, `28h` 28 hours";
            self.warn(&format!("/phase/{p}/after"), message, hint);
        }
    }

    /// A notice in which a person seems to introduce themselves.
    fn introduced(&mut self) {
        let Some(notice) = &self.flow.notice else { return };
        let lower = notice.text.to_lowercase().replace('’', "'").replace('*', "");
        let says_who = words(&lower).iter().any(|word| ARTIFICIAL.contains(&word.as_str()));
        let begins = |sentence: &str| {
            let sentence = sentence.trim_start();
            let sentence = ["hi, ", "hello, ", "hallo, ", "hola, "]
                .iter()
                .find_map(|greeting| sentence.strip_prefix(greeting))
                .unwrap_or(sentence);
            INTRODUCES.iter().any(|begin| sentence.starts_with(begin))
        };
        if !says_who && lower.split(['.', '!', '?', '\n']).any(begins) {
            let message = "people would think that a person writes to them";
            self.warn("/notice/text", message, "say that it is a bot");
        }
    }
}

/// The day that a title names: `Day 30`, `Your 90th day`, `day_90`.
fn day_named(title: &str) -> Option<u64> {
    let words = words(&title.replace('_', " "));
    words.windows(2).find_map(|pair| match (pair[0].as_str(), pair[1].as_str()) {
        ("day" | "tag", number) => number.parse().ok(),
        (number, "day" | "tag") => {
            number.trim_end_matches(|c: char| c.is_alphabetic()).parse().ok()
        }
        _ => None,
    })
}

/// How many picks a sentence asks for, and whether that is the most of them; nothing where it leaves a choice.
fn told_to_pick(words: &[String]) -> Option<(u64, bool)> {
    let verb = words.iter().position(|word| PICKS.contains(&word.as_str()))?;
    let rest = &words[verb + 1..];
    let is_filler = |word: &&String| FILLERS.contains(&word.as_str());
    let filled = rest.iter().take_while(is_filler).count();
    let rest = &rest[filled..];
    let begins = |most: &&[&str]| {
        rest.len() > most.len() && most.iter().zip(rest).all(|(word, told)| told == word)
    };
    let most = UP_TO.iter().find(|most| begins(most));
    let rest = &rest[most.map_or(0, |most| most.len())..];
    let told = number(rest.first()?)?;
    let is_range = rest.get(1).is_some_and(|next| RANGES.contains(&next.as_str()));
    (!is_range).then_some((told, most.is_some()))
}
