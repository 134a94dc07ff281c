//! The matrix: the process dies at each point of `anteroom::base::failpoint`, at its first pass and at a later one.

use std::collections::{BTreeMap, BTreeSet};

use anteroom::base::failpoint::Failpoint;

use super::{
    Chance,
    walk::{End, Walk},
};

/// What each flow never comes to. Databases as small as these are made anew under one flow alone. The last two are not shipped: no flow in the box calls a tool that reaches outside, or
/// gives work away, without a model.
const CANDIDATE_LACKS: &[Failpoint] = &[
    Failpoint::CopyMade,
    Failpoint::CopyNamed,
    Failpoint::CopyMoved,
    Failpoint::CallBegun,
    Failpoint::ChildDue,
    Failpoint::ChildBegun,
    Failpoint::ChildRaised,
    Failpoint::ChildTold,
    Failpoint::ChildEnded,
    Failpoint::ChildReported,
];
const COMMUNITY_LACKS: &[Failpoint] = &[
    Failpoint::CallBegun,
    Failpoint::FileKept,
    Failpoint::HookSent,
    Failpoint::ChildDue,
    Failpoint::ChildBegun,
    Failpoint::ChildRaised,
    Failpoint::ChildTold,
    Failpoint::ChildEnded,
    Failpoint::ChildReported,
];
const REACHING_LACKS: &[Failpoint] = &[
    Failpoint::CopyMade,
    Failpoint::CopyNamed,
    Failpoint::CopyMoved,
    // It has no notice, and its answers are applied with the commit that takes them in.
    Failpoint::AnswerApplied,
    // A model leads these two, and does not wait until they are at rest.
    Failpoint::ArchiveDue,
    Failpoint::ArchiveFilled,
    Failpoint::ArchiveNoted,
    Failpoint::FileKept,
    Failpoint::HookSent,
    Failpoint::TimerDue,
    Failpoint::TimerFired,
    Failpoint::ChildDue,
    Failpoint::ChildBegun,
    Failpoint::ChildRaised,
    Failpoint::ChildTold,
    Failpoint::ChildEnded,
    Failpoint::ChildReported,
];
const DELEGATING_LACKS: &[Failpoint] = &[
    Failpoint::CopyMade,
    Failpoint::CopyNamed,
    Failpoint::CopyMoved,
    Failpoint::ArchiveDue,
    Failpoint::ArchiveFilled,
    Failpoint::ArchiveNoted,
    Failpoint::FileKept,
    Failpoint::HookSent,
    Failpoint::TimerDue,
    Failpoint::TimerFired,
];

/// What comes only after a death at another.
const AFTER: &[(Failpoint, Failpoint)] = &[(Failpoint::ShredLeft, Failpoint::KeysZeroed)];

#[tokio::test(flavor = "multi_thread")]
async fn the_candidate_flow_survives_a_death_at_every_point() {
    survives("candidate-onboarding", CANDIDATE_LACKS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_community_flow_survives_a_death_at_every_point() {
    survives("community-welcome", COMMUNITY_LACKS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_reaches_outside_survives_a_death_at_every_point() {
    survives("reaching", REACHING_LACKS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_run_survives_a_death_at_every_point() {
    survives("delegating", DELEGATING_LACKS).await;
}

#[test]
fn every_point_is_in_the_matrix_of_a_flow() {
    for point in Failpoint::ALL {
        let lacks = [CANDIDATE_LACKS, COMMUNITY_LACKS, REACHING_LACKS, DELEGATING_LACKS];
        assert!(!lacks.iter().all(|lacks| lacks.contains(point)), "no flow comes to {point:?}");
    }
}

async fn survives(flow: &str, lacks: &[Failpoint]) {
    let mut chance = Chance::new("KILL_SEED");
    let context = format!("KILL_SEED={}", chance.0);
    let quiet = tempfile::tempdir().unwrap();
    let mut walk = Walk::begin(flow, quiet.path(), &[]).await;
    let undisturbed = walk.finish().await;
    walk.forget().await;
    let passes = walk.passes();
    let present: Vec<Failpoint> =
        Failpoint::ALL.iter().copied().filter(|point| !lacks.contains(point)).collect();
    let is_missed = |point: &&Failpoint| {
        !passes.contains_key(point.name()) && AFTER.iter().all(|(later, _)| later != *point)
    };
    let never: Vec<_> = present.iter().filter(is_missed).collect();
    assert!(never.is_empty(), "{flow} comes never to {never:?}; {passes:?}");

    let deaths = |point: &Failpoint, chance: &mut Chance| {
        // A step that a straight run takes once may come again only in a recovery, or not at all.
        let usual = passes.get(point.name()).copied().unwrap_or_default();
        let later = 2 + chance.below(usual.clamp(2, 20) - 1);
        let is_sure = usual >= 2;
        ((point.name().to_owned(), 1), (point.name().to_owned(), later), is_sure)
    };
    let runs: Vec<Vec<Failpoint>> = match wanted() {
        None => vec![present],
        Some(wanted) => {
            present.into_iter().filter(|point| wanted(*point)).map(|point| vec![point]).collect()
        }
    };
    for points in runs {
        let plan: Vec<_> = points.iter().map(|point| deaths(point, &mut chance)).collect();
        let mut deaths: BTreeSet<_> =
            plan.iter().flat_map(|(first, later, _)| [first.clone(), later.clone()]).collect();
        let mut sure: BTreeSet<_> = plan
            .iter()
            .flat_map(|(first, later, is_sure)| [Some(first), is_sure.then_some(later)])
            .flatten()
            .cloned()
            .collect();
        // A death can do away with the pass that another was to come at: what was missed is tried by itself.
        while !sure.is_empty() {
            for (later, first) in AFTER {
                if deaths.iter().any(|(name, _)| name == later.name()) {
                    deaths.insert((first.name().to_owned(), 1));
                }
            }
            let (died, passes) = under_fire(flow, &deaths, &undisturbed, &context).await;
            // How often a step is taken depends on who is faster: a run that took it less often has no such pass.
            let is_there =
                |(name, nth): &(String, u64)| passes.get(name).is_some_and(|passes| passes >= nth);
            assert!(
                sure.iter().any(|death| died.contains(death)) || !sure.iter().any(is_there),
                "{context}: never came to {sure:?}"
            );
            sure.retain(|death| !died.contains(death) && is_there(death));
            deaths.clone_from(&sure);
        }
    }
}

/// Walks while the process dies at all of these; at which it did, and how often it came to each point.
async fn under_fire(
    flow: &str,
    deaths: &BTreeSet<(String, u64)>,
    undisturbed: &End,
    context: &str,
) -> (BTreeSet<(String, u64)>, BTreeMap<String, u64>) {
    let rough = tempfile::tempdir().unwrap();
    let deaths: Vec<_> = deaths.iter().cloned().collect();
    let mut walk = Walk::begin(flow, rough.path(), &deaths).await;
    let disturbed = walk.finish().await;
    let context = format!("{context}, {:?}, {}", walk.died, rough.path().display());
    disturbed.assert_same(undisturbed, &context);
    walk.forget().await;
    let passes = walk.passes();
    let all: u64 = passes.values().sum();
    eprintln!("{flow}: {} deaths in {all} passes", walk.died.len());
    (walk.died.iter().cloned().collect(), passes)
}

/// Which points have a run of their own; none for all of them together.
fn wanted() -> Option<impl Fn(Failpoint) -> bool> {
    let (_, wanted) = std::env::vars().find(|(key, _)| key == "MATRIX")?;
    Some(move |point: Failpoint| {
        wanted == "each" || wanted.split(',').any(|name| name == point.name())
    })
}
