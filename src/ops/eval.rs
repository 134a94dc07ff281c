//! `anteroom eval`: interviews with simulated participants, measured.
//!
//! Each interview runs the real engine over a store in memory. A [`Persona`] answers from its fact sheet and reads only
//! what a person would read; the model is the configured one. What code can tell of the interview becomes a [`Score`]
//! held against a threshold. A judge's opinion may stand beside the scores and decides nothing.

mod args;
mod command;
mod compare;
mod difference;
mod judge;
mod measure;
mod participant;
mod persona;
mod report;
mod score;
mod stage;
mod transcript;
mod words;

use std::{path::Path, sync::Arc};

use futures::{StreamExt as _, TryStreamExt as _, stream};

use self::measure::{Evidence, measures};
pub(super) use self::{args::Eval, command::eval};
pub use self::{
    compare::{differences, table as compared},
    difference::{Difference, Interval, Side},
    judge::Opinion,
    persona::{End, Persona},
    report::{Report, Scored},
    score::{Limit, Limits, Name, Score},
};
use crate::{
    base::clock::Clock,
    engine::Error,
    flow::{LoadedFlow, subtasks::Tasks},
    ports::{
        artifacts::extract::Extractor,
        llm::{Model, Models},
    },
    tool::Toolbox,
};

/// What interviews are made with.
#[derive(Debug)]
pub struct Setup {
    /// The flow.
    pub flow: Arc<LoadedFlow>,
    /// The tools.
    pub toolbox: Arc<Toolbox>,
    /// The templates of child runs.
    pub tasks: Arc<Tasks>,
    /// The models; without one for the interview, the flow's script leads.
    pub models: Models,
    /// Reads documents.
    pub extractor: Extractor,
    /// The time. Personas that stay away for hours move ahead of it.
    pub clock: Arc<dyn Clock>,
    /// Tokens that a request may have before the conversation is shortened.
    pub window_tokens: u64,
}

/// How much is done.
#[derive(Debug)]
pub struct Plan<'a> {
    /// Who is interviewed.
    pub personas: &'a [Persona],
    /// How often each.
    pub runs: u32,
    /// Interviews at one time.
    pub parallel: usize,
    /// The thresholds.
    pub limits: &'a Limits,
    /// Gives an opinion of each interview.
    pub judge: Option<Arc<dyn Model>>,
}

/// Interviews every persona. `folder` is an empty directory for their files; `name` is the model's, for the report; `told`
/// is called with each interview when it is over.
pub async fn evaluate(
    (setup, name): (&Setup, &str),
    plan: &Plan<'_>,
    folder: &Path,
    told: impl Fn(&Scored) + Sync,
) -> Result<Report, Error> {
    let all =
        plan.personas.iter().flat_map(|persona| (1..=plan.runs).map(move |run| (persona, run)));
    let told = &told;
    let work = all.map(|(persona, run)| async move {
        let folder = folder.join(format!("{}-{run}", persona.id));
        let scored = scored(setup, plan, (persona, run), &folder).await?;
        told(&scored);
        Ok::<_, Error>(scored)
    });
    // Boxed, since each holds a whole interview.
    let work = work.map(futures::FutureExt::boxed);
    let interviews: Vec<Scored> =
        stream::iter(work).buffered(plan.parallel.max(1)).try_collect().await?;
    Ok(Report {
        anteroom_eval: report::VERSION,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        flow: setup.flow.flow.id.clone(),
        digest: setup.flow.digest.clone(),
        model: name.to_owned(),
        passed: interviews.iter().all(|scored| scored.passed),
        interviews,
        comparison: Vec::new(),
    })
}

async fn scored(
    setup: &Setup,
    plan: &Plan<'_>,
    (persona, run): (&Persona, u32),
    folder: &Path,
) -> Result<Scored, Error> {
    let interview = stage::interview(setup, persona, folder).await?;
    let evidence = Evidence { interview: &interview, flow: &setup.flow, persona };
    let scores: Vec<Score> =
        measures(&evidence).into_iter().map(|measure| plan.limits.score(measure)).collect();
    let judge = match &plan.judge {
        Some(judge) => Some(judge::opinion(judge.as_ref(), &transcript::seen(&interview)).await),
        None => None,
    };
    Ok(Scored {
        persona: persona.id.clone(),
        run,
        end: interview.end,
        passed: scores.iter().all(|score| score.passed),
        scores,
        judge,
        transcript: transcript::full(&interview),
    })
}
