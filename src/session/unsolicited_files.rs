//! Files that were sent without a card that asks for one: what they are taken for, and that they have arrived.

use super::{Changes, SessionView, evidence, typed::tokens_of};
use crate::{
    flow::each_condition,
    messages,
    model::{
        artifact::{Artifact, RESUME},
        flow::Done,
    },
};

/// Words in the name of a file that say what it is.
const NAMED: [(&str, &[&str]); 5] = [
    (RESUME, &["resume", "cv", "lebenslauf", "curriculum", "vitae", "vita"]),
    (
        "coverletter",
        &[
            "cover",
            "coverletter",
            "anschreiben",
            "motivationsschreiben",
            "motivation",
            "carta",
            "lettre",
        ],
    ),
    ("portfolio", &["portfolio", "portafolio", "arbeitsproben"]),
    ("transcript", &["transcript", "notenspiegel", "expediente", "releve"]),
    ("certificate", &["certificate", "certificat", "certificado", "zertifikat", "zeugnis"]),
];

/// What a file is kept as that nothing asks for.
const OTHER: &str = "other";

impl SessionView {
    /// What a file is taken for that answers no card: what its name says, where the part still lacks that.
    pub(crate) fn taken_for(&self, filename: &str) -> String {
        let words = words_of(filename);
        let named = self.lacking_files().into_iter().find(|kind| is_named(kind, &words));
        named.unwrap_or_else(|| OTHER.to_owned())
    }

    /// Whether a file that answers no card is a résumé if it reads like one: the part still lacks that, and its name says
    /// nothing else.
    pub(crate) fn may_be_resume(&self, filename: &str) -> bool {
        let names_any = |words: &[String]| NAMED.iter().any(|(kind, _)| is_named(kind, words));
        self.lacking_files().iter().any(|kind| kind == RESUME) && !names_any(&words_of(filename))
    }

    /// Kinds of files that open objectives of the part are done by.
    fn lacking_files(&self) -> Vec<String> {
        let objectives = self.phase().map(|phase| phase.objective.as_slice()).unwrap_or_default();
        let mut kinds = Vec::new();
        for objective in objectives {
            if evidence::is_settled(&self.state, &objective.id) {
                continue;
            }
            each_condition(&objective.done, &mut |done| match done {
                Done::Uploaded(kind) if !kinds.contains(kind) => kinds.push(kind.clone()),
                _ => {}
            });
        }
        kinds
    }
}

impl Changes {
    /// Keeps files that answer no card. A model reads of them at once, also beside an open card; where it is at work, the
    /// participant is told that they have arrived.
    pub(super) fn keep_unasked(&mut self, files: Vec<Artifact>) {
        let is_running =
            self.state.calls.iter().any(|known| known.result.is_none() && known.wait.is_none());
        let is_busy = is_running || self.is_thinking();
        let names: Vec<String> = files.iter().map(|file| file.filename.clone()).collect();
        self.keep_all(files);
        if self.is_led_by_model() {
            self.detach_all();
            if is_busy {
                self.post(messages::interview::arrived(names));
            }
        }
    }
}

/// The words of a file's name, without the digits at their ends: `Ada_CV-2026.pdf` is `ada`, `cv` and `pdf`.
fn words_of(filename: &str) -> Vec<String> {
    let trimmed = |word: String| word.trim_matches(|c: char| c.is_ascii_digit()).to_owned();
    tokens_of(filename).into_iter().map(trimmed).filter(|word| !word.is_empty()).collect()
}

/// Whether the words of a name say that a file is of a kind.
fn is_named(kind: &str, words: &[String]) -> bool {
    let own = words_of(kind);
    let is_own = !own.is_empty() && words.windows(own.len()).any(|part| part == own.as_slice());
    let known = NAMED.iter().filter(|(of, _)| *of == kind).flat_map(|(_, known)| known.iter());
    is_own || known.into_iter().any(|known| words.iter().any(|word| word == known))
}
