//! The real program under fire: it dies at every durable step, at random moments, in power cuts, and its clock jumps.
//! Nothing is asked twice, nothing is lost, and the end is the same as that of a run that nobody disturbed.
//!
//! | variable | what it says |
//! |---|---|
//! | `KILLS` | random kills of each flow (ten) |
//! | `MATRIX=each` | one run for every point of [`anteroom::base::failpoint`], instead of all points in a few runs; names of points for these alone |
//! | `INTERVIEWS=all` | interviews led by models of every temperament and over every preset, instead of two of each flow |
//! | `POWER_CUTS` | power cuts on a young data directory and on an old one (one each) |
//! | `KILL_SEED` | repeats the choices; it is printed with every failure |

mod clock;
mod digger;
mod led;
mod matrix;
mod power;
mod spoken;
mod trace;
mod walk;

use tempfile::TempDir;

use crate::{
    bot,
    chance::{Chance, setting},
    html, laws, model_service, person, postgres, reader, skipped,
};
use walk::{End, Walk};

#[tokio::test(flavor = "multi_thread")]
async fn the_candidate_flow_comes_out_the_same_however_often_it_is_killed() {
    the_end_is_the_same("candidate-onboarding").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_community_flow_comes_out_the_same_however_often_it_is_killed() {
    the_end_is_the_same("community-welcome").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_run_hands_its_result_back_once_however_often_it_is_killed() {
    the_end_is_the_same("delegating").await;
}

/// Each kill is followed by a pause: a node that begins waits until the lease of the one before has ended.
#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_in_postgresql_comes_out_the_same_however_often_its_node_is_killed() {
    let flow = "candidate-onboarding";
    let Some(database) = postgres::database().await else { return };
    let kills = (setting("KILLS").unwrap_or(10) / 4).max(2);
    // As it comes out in a data directory.
    let quiet = tempfile::tempdir().unwrap();
    let undisturbed = Walk::begin(flow, quiet.path(), &[]).await.finish().await;
    let rough = tempfile::tempdir().unwrap();
    let walk = Walk::in_database(flow, rough.path(), database).await;
    killed((walk, rough), kills, &undisturbed).await;
}

/// Kills with -9 at random moments.
async fn the_end_is_the_same(flow: &str) {
    let quiet = tempfile::tempdir().unwrap();
    let mut walk = Walk::begin(flow, quiet.path(), &[]).await;
    let undisturbed = walk.finish().await;
    assert!(undisturbed.steps >= 3, "{undisturbed:#?}");
    let rough = tempfile::tempdir().unwrap();
    let walk = Walk::begin(flow, rough.path(), &[]).await;
    killed((walk, rough), setting("KILLS").unwrap_or(10), &undisturbed).await;
}

async fn killed((mut walk, rough): (Walk, TempDir), kills: u64, undisturbed: &End) {
    let mut chance = Chance::new("KILL_SEED");
    let seed = chance.0;
    walk.moments = (0..kills).map(|_| chance.below(undisturbed.steps)).collect();
    walk.chance = chance;
    let disturbed = walk.finish().await;

    let context = format!("KILL_SEED={seed} KILLS={kills}, kept in {}", rough.keep().display());
    assert_eq!(walk.kills, kills, "{context}");
    disturbed.assert_same(undisturbed, &context);
    std::fs::remove_dir_all(walk.data.parent().unwrap()).unwrap();
}
