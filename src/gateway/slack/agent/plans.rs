//! The plan of a session, visible while its calls run: a stream that is opened before there are words for it.
//!
//! ```text
//! open ─▶ show … show ─▶ words            the model speaks: its words come below the plan, in the same message
//!              │
//!              ├─▶ close                   a card comes instead, or nothing: the finished plan stays above it
//!              └─▶ take down               something in it has not come to an end
//! ```
//!
//! What is written below it meanwhile does not end it: its tasks go on where they are, and the words come further down.
//!
//! A finished plan stays where no words come, since it says what became of a file and why that took a while; to take away
//! what people have just read would be more of a disturbance. One in which something is still in progress never stays: it
//! would say so for ever. If the call runs on, its plan is opened anew.

use tokio::time::Instant;

use super::{
    plan::{Outlook, Plan, is_open, outlook},
    stream::{Opening, Spot, Stream},
    streams::{Looked, Streams},
};
use crate::{
    base::ids::{EffectId, SessionId},
    chat::priority,
    engine::{self, Draft, Engine, Look},
    gateway::slack::{api::Failure, limits, render::safe},
    model::effect::Priority,
};

impl Streams {
    /// Opens a message for the plan of a session that stands as `look` says, before there are words.
    pub(super) async fn open_plan(&self, engine: &Engine, look: &Look, spot: Spot) -> bool {
        let knew = look.loaded.head.seq;
        let plan = self.plan_of(engine, look, knew);
        if plan.is_over() || self.is_plain(look.state.session, knew) {
            return false;
        }
        let since = look.state.updated_at;
        let opening = Opening { spot, knew, since, plan, text: "" };
        // Words find room whenever they come.
        priority::with(Priority::Background, self.open(look, opening)).await
    }

    /// The plan of a session that stands as `look` says, without what another message shows.
    pub(super) fn plan_of(&self, engine: &Engine, look: &Look, knew: u64) -> Plan {
        let elsewhere = self.planned.get(&look.state.session).unwrap_or_default();
        Plan::of(look, engine.pipeline(), (knew, elsewhere))
    }

    /// Shows how a plan stands now, and the words of `draft` below it; or ends it, where something else comes.
    pub(super) async fn follow_plan(
        &self,
        engine: &Engine,
        held: &mut Option<Stream>,
        (session, draft): (SessionId, Option<&Draft>),
    ) -> Looked {
        let soon = Looked::Again(Instant::now() + limits::STREAM_PACE);
        let Some(stream) = held.as_mut() else { return Looked::Done };
        let look = match engine.look(session).await {
            Ok(look) => look,
            Err(engine::Error::NoSession) => return self.drop_plan(held, session).await,
            Err(_) => return soon,
        };
        let outlook = outlook_of(engine, &look, stream);
        match outlook {
            _ if stream.is_old() => return self.close_plan(engine, held, &look).await,
            Outlook::Open => {}
            Outlook::Over if is_at_work(engine, &look, stream) => {}
            Outlook::Words { .. } => {
                let until = stream.grew_at + limits::STREAM_ORPHAN;
                if until > Instant::now() {
                    return Looked::Again(until);
                }
                return self.close_plan(engine, held, &look).await;
            }
            Outlook::Over => return self.close_plan(engine, held, &look).await,
        }
        let plan = stream.plan.as_of(&look, engine.pipeline());
        let is_over = plan.is_over();
        match stream.show(&self.api, plan).await {
            Ok(()) => {}
            // It died.
            Err(Failure::Refused { .. }) => return self.drop_plan(held, session).await,
            Err(_) => return soon,
        }
        let text = draft.map(|draft| safe::begun(&draft.text)).unwrap_or_default();
        let is_news =
            |draft: &&Draft| draft.knew > look.state.model_turn.knew && outlook == Outlook::Open;
        let Some(draft) = draft.filter(is_news) else {
            return Looked::Again(Instant::now() + limits::PLAN_LOOK);
        };
        if !is_over || text.trim().is_empty() {
            return soon;
        }
        match self.take_words(stream, session, (draft.knew, &text)).await {
            Ok(()) => Looked::Again(Instant::now()),
            Err(_) => soon,
        }
    }

    /// Before something is said in a session: a plan that is not for that ends, or takes no words any more.
    pub(super) async fn clear_plan(&self, engine: &Engine, session: SessionId) {
        let Some(turn) = self.turn_of(session) else { return };
        let mut held = turn.lock().await;
        let Some(stream) = held.as_mut().filter(|stream| stream.kept.is_plan()) else { return };
        let Ok(look) = engine.look(session).await else { return };
        if matches!(outlook_of(engine, &look, stream), Outlook::Words { .. }) {
            return;
        }
        if is_at_work(engine, &look, stream) {
            stream.is_passed = true;
        } else {
            self.close_plan(engine, &mut held, &look).await;
        }
    }

    /// Prepares a plan for the words of a post, if they are what it is for; whether they may be written below it.
    pub(super) async fn finish_plan(
        &self,
        engine: &Engine,
        held: &mut Option<Stream>,
        (look, effect, text): (&Look, EffectId, &str),
    ) -> Result<bool, Failure> {
        let session = look.state.session;
        let Some(stream) = held.as_mut() else { return Ok(false) };
        let knew = match outlook_of(engine, look, stream) {
            Outlook::Words { effect: wanted, knew } if wanted == effect => knew,
            Outlook::Words { .. } | Outlook::Open | Outlook::Over => return Ok(false),
        };
        let plan = stream.plan.as_of(look, engine.pipeline());
        let is_over = plan.is_over();
        let shown = stream.show(&self.api, plan).await;
        if !is_over || matches!(shown, Err(Failure::Refused { .. })) {
            self.drop_plan(held, session).await;
            return Ok(false);
        }
        shown?;
        self.take_words(stream, session, (knew, text)).await?;
        Ok(true)
    }

    async fn take_words(
        &self,
        stream: &mut Stream,
        session: SessionId,
        words: (u64, &str),
    ) -> Result<(), Failure> {
        stream.take_words((self.store.as_ref(), session), words).await?;
        self.has_words_now(session);
        Ok(())
    }

    /// Ends a plan that no words follow: it stays where all of it has ended.
    async fn close_plan(&self, engine: &Engine, held: &mut Option<Stream>, look: &Look) -> Looked {
        let session = look.state.session;
        let Some(stream) = held.as_mut() else { return Looked::Done };
        let plan = stream.plan.as_of(look, engine.pipeline());
        if !plan.is_over() {
            return self.drop_plan(held, session).await;
        }
        match stream.kept.complete(&self.api, plan.since(&stream.plan)).await {
            Ok(()) => {
                self.leave(session, &stream.kept).await;
                let mut left = self.planned.get(&session).unwrap_or_default();
                left.extend(plan.calls().cloned());
                left.drain(..left.len().saturating_sub(limits::PLAN_TASKS));
                self.planned.insert(session, left, 1);
                self.has_ended(held, session).await;
                Looked::Ended
            }
            Err(Failure::Refused { .. }) => self.drop_plan(held, session).await,
            Err(failure) => Looked::after(&failure),
        }
    }

    /// Takes a plan away.
    async fn drop_plan(&self, held: &mut Option<Stream>, session: SessionId) -> Looked {
        let Some(stream) = held.as_mut() else { return Looked::Done };
        if let Err(failure) = self.take_down(session, &stream.kept).await {
            return Looked::after(&failure);
        }
        self.has_ended(held, session).await;
        Looked::Ended
    }
}

fn outlook_of(engine: &Engine, look: &Look, stream: &Stream) -> Outlook {
    if stream.is_passed {
        return Outlook::Over;
    }
    outlook(look, stream.kept.knew, is_running(engine, look))
}

/// Whether something that a plan shows is still in progress. What comes next stands below, and it may go on where it is.
fn is_at_work(engine: &Engine, look: &Look, stream: &Stream) -> bool {
    is_open(&look.state)
        && is_running(engine, look)
        && !stream.plan.as_of(look, engine.pipeline()).is_over()
}

fn is_running(engine: &Engine, look: &Look) -> bool {
    !engine.pipeline().running(look.state.session).is_empty()
}
