//! A model that leaves the participant nothing to answer: it is told so once, then the engine goes on by itself.
//!
//! | the answer has no call, and | first | after that |
//! |---|---|---|
//! | all that the phase requires is done, and it asks nothing, or talks for the second time | the model is asked for `next_phase` | the engine calls it |
//! | it asks nothing, and no card is open | the model is asked for a question or a card | the script asks one question; without one, the participant is invited to write |
//! | it asks on and on, and nothing comes of it (three times `followups` answers) | the script asks one question, where there is one | the same again |
//! | it was cut off | the model is asked for the rest, twice at most | the words end with an ellipsis |

use serde_json::json;

use super::{Changes, SessionView, evidence, state::model_turn::SILENT, view::blocks};
use crate::{
    messages,
    model::{
        session::Status,
        transcript::{Gap, Origin},
    },
};

/// How often `[limits] followups` answers may complete nothing before the script asks once.
const CHATS_MAX: u32 = 3;

/// Answers in a row that may be cut off and continued.
const CUTS_MAX: u32 = 2;

/// Question marks that stand nowhere else, the Greek one among them.
const QUESTION_MARKS: [char; 6] = ['？', '؟', '\u{37e}', '՞', '፧', '⁇'];

impl SessionView {
    /// What an answer lacks, and whether the engine goes on by itself, since the model was told before.
    pub(super) fn gap(
        &self,
        (knew, words): (u64, &str),
        has_calls: bool,
        (last, cut): (bool, bool),
    ) -> (Option<Gap>, bool) {
        if cut && (has_calls || (!last && self.state.model_turn.cuts < CUTS_MAX)) {
            return (Some(Gap::Cut), false);
        }
        if !has_calls && !last && self.has_chatted(words) {
            return (None, true);
        }
        // What came meanwhile is answered next.
        let gap =
            if has_calls || self.state.model_turn.news > knew { None } else { self.stall(words) };
        match gap {
            None => (None, false),
            Some(gap) if !last && self.state.model_turn.gaps == 0 => (Some(gap), false),
            Some(_) => (None, true),
        }
    }

    /// Whether it is the participant's turn, with nothing but the model's words before them.
    fn is_their_turn(&self) -> bool {
        self.settings.nudges
            && !self.is_child()
            && self.state.status == Status::Open
            && self.state.handoff.is_none()
            && !self.state.pending().any(blocks)
            && !self.awaits_child()
    }

    /// Whether the model has asked so often without a result that the script asks once.
    fn has_chatted(&self, words: &str) -> bool {
        let most = CHATS_MAX.saturating_mul(self.flow.flow.limits.followups);
        let Some(phase) = self.phase().filter(|_| most > 0 && self.is_their_turn()) else {
            return false;
        };
        (self.state.model_turn.idle + 1).is_multiple_of(most)
            && asks(words)
            && phase.has_fallback()
            && !evidence::missing(&self.state, phase).is_empty()
    }

    fn stall(&self, words: &str) -> Option<Gap> {
        let phase = self.phase().filter(|_| self.is_their_turn())?;
        let asks = asks(words);
        let is_done =
            !phase.objective.is_empty() && evidence::missing(&self.state, phase).is_empty();
        match (is_done, asks) {
            // One last question is fine, a chat is not.
            (true, true) => (self.state.model_turn.idle > 0).then_some(Gap::NextPhase),
            (true, false) => Some(Gap::NextPhase),
            (false, true) => None,
            (false, false) => Some(Gap::Question),
        }
    }
}

impl Changes {
    /// Does what comes next where the model does not.
    pub(super) fn step_by_itself(&mut self) {
        let Some(phase) = self.phase().cloned() else { return };
        if !phase.objective.is_empty() && evidence::missing(&self.state, &phase).is_empty() {
            let args = json!({ "overrides": [] });
            let call = self.call("advance", "next_phase", args, Origin::Engine);
            return self.begin(&call);
        }
        if phase.has_fallback() {
            self.let_script_lead(&phase, SILENT);
        } else {
            self.post(messages::interview::YOUR_TURN);
        }
    }

    /// Posts words that were held for a rest that does not come.
    pub(super) fn say_unsaid(&mut self) {
        let held = self.state.model_turn.unsaid.trim().to_owned();
        if !held.is_empty() && !self.is_child() {
            self.post_of_model(&format!("{held} …"));
        }
    }
}

/// Whether words ask something: a mark within an address does not.
pub(super) fn asks(words: &str) -> bool {
    words.contains(QUESTION_MARKS)
        || words.match_indices(['?', ';']).any(|(at, mark)| {
            let (before, after) = (&words[..at], &words[at + mark.len()..]);
            ends_sentence(after) && (mark == "?" || is_greek(before))
        })
}

/// Whether a sentence is over before these words. Where no spaces are written, the next one follows at once.
fn ends_sentence(after: &str) -> bool {
    let next = after.trim_start_matches(|c: char| c.is_ascii_punctuation()).chars().next();
    next.is_none_or(|c| c.is_whitespace() || !c.is_ascii())
}

/// Whether the last sentence is Greek, in which a semicolon asks.
fn is_greek(words: &str) -> bool {
    let sentence = words.rsplit(['.', '!', '?', ';', '\n']).next().unwrap_or_default();
    sentence.contains(|c| matches!(c, '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}'))
}
