//! File types that a question names are taken.

use serde_json::Value;

use super::Check;
use crate::{
    config::problem::listed,
    model::flow::{Phase, Step},
};

/// Words after which a type is one that is not wanted.
const NOT: [&str; 6] = ["no", "not", "don't", "never", "instead", "kein"];

/// Words for pictures, and the types that are some.
const PICTURES: [&str; 11] = [
    "picture",
    "pictures",
    "photo",
    "photos",
    "photograph",
    "image",
    "bild",
    "bilder",
    "foto",
    "fotos",
    "imagen",
];
const PICTURE_TYPES: [&str; 5] = ["jpg", "png", "gif", "webp", "heic"];

impl Check<'_> {
    pub(super) fn named_types(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, step) in phase.step.iter().enumerate() {
                if let Some(prompt) = step.args.get("prompt").and_then(Value::as_str)
                    && step.tool == "get_user_upload"
                {
                    self.takes(
                        &format!("/phase/{p}/step/{n}/args"),
                        prompt,
                        &accepted(phase, step),
                    );
                }
            }
        }
    }

    /// Every type that stands in capitals, or behind a dot, is among those accepted.
    fn takes(&mut self, at: &str, prompt: &str, accepted: &[&str]) {
        let words = || prompt.split(|c: char| !c.is_alphanumeric() && c != '\'');
        if accepted.is_empty() || words().any(|word| NOT.contains(&word.to_lowercase().as_str())) {
            return;
        }
        let is_type = |word: &&str| {
            let is_known = self.catalogue.files.iter().any(|known| same(known, word));
            let is_capital = word.chars().all(|c| c.is_ascii_uppercase());
            is_known && (is_capital || prompt.contains(&format!(".{word}")))
        };
        let wants_picture = words().zip(words().skip(1).chain([""])).any(|(word, next)| {
            let next = next.to_lowercase();
            PICTURES.contains(&word.to_lowercase().as_str()) && next != "id" && next != "ids"
        });
        if wants_picture
            && !accepted
                .iter()
                .any(|known| PICTURE_TYPES.iter().any(|picture| same(known, picture)))
        {
            let hint = format!("accepted: {}", listed(accepted.iter().copied()));
            let message = "this asks for a picture, and pictures are refused";
            self.warn(&format!("{at}/prompt"), message, &hint);
            return;
        }
        let refused = |word: &&str| !accepted.iter().any(|known| same(known, word));
        let refused: Vec<&str> = words().filter(is_type).filter(refused).collect();
        let Some(first) = refused.first() else { return };
        let message =
            format!("this asks for files that are refused: {}", listed(refused.iter().copied()));
        let hint = format!("accepted: {}", listed(accepted.iter().copied()));
        let problem = self.document.problem_within(&format!("{at}/prompt"), first, message);
        self.problems.push(problem.hint(hint).warning());
    }
}

/// What a step takes; nothing where that is only known later.
fn accepted<'a>(phase: &'a Phase, step: &'a Step) -> Vec<&'a str> {
    match step.args.get("acceptedFormats") {
        Some(formats) => {
            let formats = formats.as_array().into_iter().flatten().map(Value::as_str);
            formats.collect::<Option<Vec<_>>>().unwrap_or_default()
        }
        None => phase.uploads.accept.iter().map(String::as_str).collect(),
    }
}

fn same(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.trim_start_matches('.').to_lowercase().replace("jpeg", "jpg");
    plain(one) == plain(other)
}
