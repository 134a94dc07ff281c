//! What the bot does just now: its words while they come, and a line that says what goes on. Nothing of it lasts, and
//! whoever opens the page in the middle sees it as well.

use maud::html;

use super::{
    app::App,
    icons, markdown,
    piece::{self, Cx, Fragment},
    timeline,
};
use crate::{
    engine::{Draft, Look},
    messages,
    model::{
        artifact::Artifact,
        session::Status,
        transcript::{Call, CallResult},
    },
    session::{State, state::CallState},
};

/// What the participant is told while it is the bot's turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    /// What goes on, in words for people; empty where nothing does.
    pub words: String,
    /// What has just come of it: calls of the model that are done, until it speaks again.
    pub done: Vec<&'static str>,
    /// The words of the model so far, while they come.
    pub draft: Option<Draft>,
    /// What the model knew when it began the answer that it is at work on, which can be stopped.
    pub answer: Option<u64>,
}

impl Activity {
    /// `draft` was taken before the session was loaded, so that a message that is posted in between is in one of the
    /// two; what is posted already is a draft no more.
    pub(super) fn of(app: &App, look: &Look, draft: Option<Draft>) -> Self {
        let state = &look.state;
        if state.status != Status::Open || state.handoff.is_some() {
            return Self::default();
        }
        let draft = draft.filter(|draft| draft.knew > state.model_turn.knew);
        let pipeline = app.engine.pipeline();
        let is_done = |call: &&Call| state.call(&call.id).is_some_and(has_done);
        let of_round = state.model_turn.wanted.iter().filter(is_done);
        let done = of_round.map(|call| pipeline.done(&call.tool)).filter(|words| !words.is_empty());
        let done = if look.is_thinking() && draft.is_none() { distinct(done) } else { Vec::new() };
        // While a card is open it is the participant's turn, whatever waits with it.
        let waits = state.pending().next().is_some();
        let is_begun = |c: &&CallState| !waits && c.result.is_none() && c.wait.is_none();
        let begun = state.calls.iter().filter(is_begun).map(|c| pipeline.doing(&c.call.tool));
        let runs = pipeline.running(state.session);
        let running = distinct(begun.chain(runs.iter().map(|running| running.doing)));
        let is_answering = look.is_thinking() || draft.is_some();
        let answer = (is_answering && running.is_empty()).then_some(state.model_turn.knew);
        let words = match reading(state) {
            Some(words) => words,
            None if !running.is_empty() => running.join(" "),
            None if look.is_thinking() && draft.is_none() => {
                messages::interview::THINKING.to_owned()
            }
            None => String::new(),
        };
        Self { words, done, draft, answer }
    }

    /// The line below the conversation.
    pub(super) fn line(&self, cx: &Cx) -> Fragment {
        let inner = |cx: &Cx| {
            html! {
                @if !self.words.is_empty() {
                    p.going-on {
                        @for words in &self.done { span { (icons::check()) (words) } }
                        span.now {
                            span.dots aria-hidden="true" { i {} i {} i {} }
                            span { (self.words) span.late { " " (messages::interview::TAKES_LONGER) } }
                        }
                    }
                }
                @if let Some(knew) = self.answer {
                    form.halt method="post" action=(cx.url("command")) data-form="interrupt" {
                        (cx.hidden(&format!("interrupt{knew}")))
                        button.quiet name="command" value="interrupt" { (messages::buttons::STOP_ANSWERING) }
                    }
                }
            }
        };
        let line = piece::fragment("doing", "doing", &inner(cx), &inner(&cx.neutral()));
        let spoken = self.done.iter().copied().chain([self.words.as_str()]).collect::<Vec<_>>();
        Fragment { spoken: spoken.join(" "), ..line }
    }
}

/// Whether a call did what it was for.
fn has_done(known: &CallState) -> bool {
    known.result.as_deref().is_some_and(CallResult::is_success)
}

fn distinct<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut words: Vec<&str> = words.collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Begins the revisions of drafts.
const DRAFT: &str = "draft-";

/// Whether a revision is that of words that were still coming.
pub(super) fn is_draft(revision: &str) -> bool {
    revision.starts_with(DRAFT)
}

/// The words so far, under the name of the message that they become: that one takes their place.
pub(super) fn render_draft(draft: &Draft) -> Fragment {
    let id = timeline::thought_id(draft.knew);
    let body = html! {
        article.bubble.bot aria-busy="true" {
            p.who { (messages::page::ASSISTANT) }
            div.md { (markdown::render(&draft.text)) }
        }
    };
    let revision = format!("{DRAFT}{}", piece::revision_of(&body));
    let row = html! { div .row.theirs.draft id=(id) data-rev=(revision) { (body) } };
    Fragment { id, revision, html: row.into_string(), spoken: String::new() }
}

/// That a document is being read, which can take a while.
fn reading(state: &State) -> Option<String> {
    let is_reading = |c: &&CallState| c.result.is_none() && c.call.tool == "extract_document";
    let call = &state.calls.iter().rev().find(is_reading)?.call;
    let is_read = |file: &&Artifact| call.args["artifact_id"] == *file.id.to_string();
    let file = state.artifacts.iter().find(is_read)?;
    Some(messages::interview::reading(&file.filename))
}
