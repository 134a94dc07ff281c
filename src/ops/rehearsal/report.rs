//! What a rehearsal found, in words with a line of the file.

use std::{collections::BTreeSet, path::Path};

use serde_json::Value;

use super::{Finding, Rehearsal, Trouble, asks::forbidden, casts::Cast, rehearse};
use crate::{
    config::{
        Problem,
        problem::{Kind, Level, listed},
        toml_document::{self, TomlDocument},
    },
    engine::{Error, Receipt},
    flow::{
        LoadedFlow,
        check::{
            paths::paths,
            tokens::{Token, tokens},
        },
    },
    model::{
        flow::{Step, WHEN},
        wait::Settlement,
    },
    ops::stage::Scene,
    session::REQUESTS_MAX,
};

/// Rehearses a flow that passed the check, and tells what is wrong with it besides what is `known`; `file` is how messages
/// call it. What follows from something known is not told.
pub(in crate::ops) async fn problems(
    scene: &Scene,
    (file, folder): (&str, &Path),
    mut known: Vec<Problem>,
) -> Result<Vec<Problem>, Error> {
    let found = rehearse(scene, folder).await?;
    let Ok(document) = TomlDocument::parse(file, &scene.flow.source) else { return Ok(known) };
    let of_answers =
        found.findings.iter().map(|(finding, way)| told(finding, (Cast::Script, way), &document));
    let of_others =
        found.others.iter().map(|(finding, (cast, way))| told(finding, (*cast, way), &document));
    let of_overrides = found.past.iter().map(|(finding, way)| {
        let hint = "what people are let past has no answers and no data; give it a `default(…)` or a `when`";
        told(finding, (Cast::Script, way), &document).warning().hint(hint)
    });
    let mut problems: Vec<Problem> = of_answers.chain(of_others).chain(of_overrides).collect();
    problems.extend(unreached(
        &found,
        &scene.flow,
        &Context { document: &document, known: &known },
    ));
    problems.extend(forbidden(&scene.flow, &document));
    let is_hole = |finding: &Finding| matches!(finding.trouble, Trouble::Hole(_));
    if found.completed == 0 && found.findings.keys().all(is_hole) && is_scripted(&scene.flow) {
        let mut causes =
            known.iter_mut().filter(|problem| problem.kind == Kind::Constant).peekable();
        // A flow may only sort people: every way of its last phase leads to a person, or to a stop.
        let last = scene.flow.flow.phase.last();
        let sorts = last.is_some_and(|phase| !phase.step.is_empty() && !paths(phase).ends);
        if causes.peek().is_none() && !sorts {
            problems.push(endless(&found, &scene.flow, &document));
        }
        causes.for_each(|cause| cause.level = Level::Error);
    }
    known.extend(problems);
    toml_document::sort(&mut known);
    Ok(known)
}

/// No conversation came to the end of the flow.
fn endless(found: &Rehearsal, flow: &LoadedFlow, document: &TomlDocument) -> Problem {
    if found.too_long > 0 {
        let turns = flow.flow.limits.turns;
        let message = format!(
            "after {turns} answers the team is asked to take over, and the script is longer"
        );
        return document.problem("/limits/turns", message).hint("raise `turns`");
    }
    let message = "no answers lead to the end of this flow";
    let hint = "see that every required objective can be met by its script";
    document.problem("/phase", message).hint(hint)
}

/// What a step is looked at with.
struct Context<'a> {
    document: &'a TomlDocument,
    known: &'a [Problem],
}

impl Context<'_> {
    /// Whether a condition is known to come out the same whatever people answer.
    fn is_constant(&self, pointer: &str) -> bool {
        let path = self.document.problem(pointer, "").path;
        self.known.iter().any(|known| known.kind == Kind::Constant && known.path == path)
    }

    /// Whether a step has a constant condition, or stands in its phase after a step that has one: branches of that one
    /// may lead past it.
    fn is_behind_constant(&self, (p, s): (usize, usize)) -> bool {
        (0..=s).any(|s| self.is_constant(&format!("/phase/{p}/step/{s}/when")))
    }
}

fn told(finding: &Finding, (cast, way): (Cast, &str), document: &TomlDocument) -> Problem {
    let (message, key) = match &finding.trouble {
        Trouble::Empty => ("this question comes out empty".to_owned(), "/args"),
        Trouble::Condition(why) => (format!("this condition fails: {why}"), "/when"),
        Trouble::Text(why) => (format!("this can't be filled in: {why}"), "/args"),
        Trouble::Hole(expression) => (format!("`{{{{ {expression} }}}}` is empty here"), ""),
        Trouble::Arguments(why) => (format!("this step fails: {why}"), "/args"),
        Trouble::Valueless(name, from) => {
            (format!("this step fails: there is no `{from}` for its `{name}`"), "/args")
        }
        Trouble::NoAnswer(why) => (format!("every answer is refused here: {why}"), "/args"),
        Trouble::Stuck => {
            ("the conversation gets stuck: nothing is asked, and it isn't over".to_owned(), "")
        }
        Trouble::Endless => ("the conversation never ends".to_owned(), ""),
        Trouble::HandedOver(unmet) if unmet.is_empty() => {
            ("the script can't go on, so a person of the team is asked".to_owned(), "")
        }
        Trouble::HandedOver(unmet) => {
            let unmet = listed(unmet.iter().map(String::as_str));
            let message = "the script can't go on, so a person of the team is asked";
            (format!("{message}: nothing completes {unmet}"), "")
        }
        Trouble::Unmet(why) => (format!("a model can't complete this: {why}"), "/done"),
        Trouble::Unusable(tool, why) => (format!("a model can't use `{tool}` here: {why}"), ""),
        Trouble::AskedTooOften => (
            format!(
                "the team is asked for a decision {REQUESTS_MAX} times at most, and here once more"
            ),
            "",
        ),
        Trouble::Nothing(why) => (format!("this comes to nothing: {why}"), ""),
    };
    let key = |at: &str| if at.starts_with("/approvals") { "" } else { key };
    let at =
        finding.at.as_ref().map_or_else(|| "/phase".to_owned(), |at| format!("{at}{}", key(at)));
    let way = match (cast.words(), way) {
        ("", "") => "at once".to_owned(),
        ("", way) => format!("after {way}"),
        (words, "") => words.to_owned(),
        (words, way) => format!("{words}, after {way}"),
    };
    let problem = document.problem(&at, format!("{message} ({way})"));
    match &finding.trouble {
        Trouble::HandedOver(unmet) if unmet.is_empty() => problem.warning(),
        Trouble::HandedOver(_) => {
            problem.warning().hint("ask for it, or let it count only `when` it is asked for")
        }
        Trouble::AskedTooOften => {
            problem.warning().hint("lead on before: count the requests with a `set` step")
        }
        Trouble::Unusable(..) | Trouble::Nothing(_) => problem.warning(),
        Trouble::Hole(_) => {
            problem.warning().hint("give it a `default('…')`, or show it only if it is there")
        }
        Trouble::Valueless(..) => {
            problem.hint("give it a `$default`, ask for it, or lead past the step with a branch")
        }
        _ => problem,
    }
}

/// Steps that nobody came to, in phases that somebody came to. Whether none can is certain only where everything was tried
/// and the condition speaks of a single answer; nothing is said where it depends on what a file or a service says.
fn unreached(found: &Rehearsal, flow: &LoadedFlow, context: &Context<'_>) -> Vec<Problem> {
    let document = context.document;
    let told = unasked(found, flow).into_iter().filter_map(|step| {
        let when = step.when.as_deref().unwrap_or_default();
        if context.is_behind_constant(position(flow, &step.id)?) {
            return None;
        }
        let message = format!("`{}` is never asked, whatever people answer", step.id);
        let problem = document.problem(&pointer(flow, &step.id)?, message);
        let problem = problem.hint(match &step.when {
            Some(when) => {
                format!("see its `when`, `{when}`, and the branches before it")
            }
            None => "see what the branches before it say".to_owned(),
        });
        let is_certain = !found.is_partial
            && when.matches("answers.").count() == 1
            && !speaks_of_conditional(flow, when);
        Some(if is_certain { problem } else { problem.warning() })
    });
    told.chain(unopened(found, flow, context)).collect()
}

/// Steps that nobody came to, and that answers alone should lead to.
pub(super) fn unasked<'f>(found: &Rehearsal, flow: &'f LoadedFlow) -> Vec<&'f Step> {
    let behind = failures(found, flow);
    let is_reached = |step: &Step| found.steps.contains(&step.id);
    let phases = flow.flow.phase.iter().filter(|phase| {
        let is_outside = |step: &Step| OUTSIDE.contains(&step.tool.as_str());
        phase.step.iter().any(is_reached) && !phase.step.iter().any(is_outside)
    });
    let unreached = phases.flat_map(|phase| &phase.step).filter(|step| !is_reached(step));
    // Of what stands behind a question that can't be asked, nothing is known.
    let unreached = unreached.filter(|step| !behind.contains(step.id.as_str()));
    unreached.filter(|step| is_of_answers(step.when.as_deref().unwrap_or_default())).collect()
}

/// Phases that nobody came to by any answers, though all before them were passed.
fn unopened(found: &Rehearsal, flow: &LoadedFlow, context: &Context<'_>) -> Vec<Problem> {
    if found.is_partial || found.completed == 0 {
        return Vec::new();
    }
    let phases = flow.flow.phase.iter().enumerate().filter(|(_, phase)| {
        let is_reached = |step: &Step| found.steps.contains(&step.id);
        !phase.step.is_empty()
            && !found.phases.contains(&phase.id)
            && !phase.step.iter().any(is_reached)
    });
    let told = phases.filter_map(|(p, phase)| {
        let at = format!("/phase/{p}/when");
        let when = phase.when.as_deref().filter(|when| is_of_answers(when))?;
        if context.is_constant(&at) {
            return None;
        }
        let message = format!("`{}` never comes, whatever people answer", phase.id);
        let problem = context.document.problem(&at, message);
        Some(problem.hint(format!("no answers made `{when}` true")).warning())
    });
    told.collect()
}

/// Whether a condition depends on nothing but what was tried: the answers, and what follows from them.
fn is_of_answers(when: &str) -> bool {
    let is_other = |name: &str| {
        matches!(name, "today" | "now")
            || ["results.", "records.", "participant."].iter().any(|scope| name.starts_with(scope))
    };
    !tokens(when).iter().any(|token| matches!(token, Token::Name(name) if is_other(name)))
}

/// Steps behind one in their phase that fails.
fn failures<'f>(found: &Rehearsal, flow: &'f LoadedFlow) -> BTreeSet<&'f str> {
    let failing: BTreeSet<&str> = found
        .findings
        .keys()
        .filter(|finding| {
            let trouble = &finding.trouble;
            !matches!(
                trouble,
                Trouble::Empty | Trouble::Condition(_) | Trouble::Hole(_) | Trouble::HandedOver(_)
            )
        })
        .filter_map(|finding| finding.at.as_deref())
        .collect();
    let mut behind = BTreeSet::new();
    for (p, phase) in flow.flow.phase.iter().enumerate() {
        let fails = |n: &usize| failing.contains(format!("/phase/{p}/step/{n}").as_str());
        if let Some(first) = (0..phase.step.len()).find(fails) {
            behind.extend(phase.step.iter().skip(first + 1).map(|step| step.id.as_str()));
        }
    }
    behind
}

/// Whether a condition speaks of a question some of whose options come only under a condition of their own.
fn speaks_of_conditional(flow: &LoadedFlow, when: &str) -> bool {
    let steps = flow.flow.phase.iter().flat_map(|phase| &phase.step);
    let has_conditions = |step: &&Step| {
        let options = step.args.get("options").and_then(Value::as_array);
        options.is_some_and(|options| options.iter().any(|option| option.get(WHEN).is_some()))
    };
    let mut conditional = steps.filter(has_conditions);
    conditional.any(|step| when.contains(&format!("answers.{}", step.id)))
}

/// Tools whose results depend on what is in a file, or on somebody else's service.
const OUTSIDE: [&str; 5] = [
    "deploy_agent",
    "extract_document",
    "fetch_url",
    "get_macos_contact_card",
    "query_github_repo",
];

fn is_scripted(flow: &LoadedFlow) -> bool {
    flow.flow.phase.iter().all(|phase| !phase.step.is_empty() || phase.objective.is_empty())
}

/// Where a step stands in its flow.
pub(super) fn pointer(flow: &LoadedFlow, id: &str) -> Option<String> {
    position(flow, id).map(|(p, s)| format!("/phase/{p}/step/{s}"))
}

fn position(flow: &LoadedFlow, id: &str) -> Option<(usize, usize)> {
    flow.flow.phase.iter().enumerate().find_map(|(p, phase)| {
        let s = phase.step.iter().position(|step| step.id == id)?;
        Some((p, s))
    })
}

/// Why an answer did not count, if it did not.
pub(super) fn refusal(receipt: &Receipt) -> Option<String> {
    match receipt {
        Receipt::Refused(why) => Some(why.to_string()),
        Receipt::Settled(Settlement::Invalid { errors }) => {
            let told = errors.iter().map(|error| error.message.clone());
            Some(told.collect::<Vec<_>>().join(" "))
        }
        Receipt::Settled(_) | Receipt::Taken | Receipt::Duplicate | Receipt::Erased { .. } => None,
    }
}
