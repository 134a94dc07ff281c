//! The program itself was not there when somebody did something: what Discord kept for it, and what it could not keep.

use crate::discord::{
    bot::{ADA, By, GRACE},
    emulator::{acts::Delivered, gateway::Happened, state::State},
    program::{Place, WAY},
};

/// Ada stands before the rules, in a program that runs.
async fn at_the_rules(place: &Place) {
    place.panel().await;
    for next in ["Ask staff", "I accept"] {
        let button = place.sees(ADA, "Start").await;
        place.presses(ADA, &button).await;
        place.sees(ADA, next).await;
    }
}

/// The session with Discord goes on where the one before ended, with everything that was missed.
#[tokio::test]
async fn an_answer_that_was_given_while_nobody_was_there_counts() {
    let place = Place::new(By::Gateway).await;
    let program = place.start().await;
    at_the_rules(&place).await;
    let accept = place.sees(ADA, "I accept").await;
    drop(program);
    let (_, delivered) = place.tries(ADA, &accept).await;
    assert_eq!(delivered, Delivered::Dispatched);
    let program = place.start().await;
    place.sees(ADA, "Yes").await;
    // A word is as good as a button.
    drop(program);
    place.discord.with(|state| {
        let thread = accept.0;
        state.writes(ADA, thread, "Yes", &[])
    });
    let program = place.start().await;
    place.sees(ADA, "Done").await;
    place.shows_once("You answered: **I accept**").await;
    place.shows_once("You answered: **Yes**").await;
    let happened = place.discord.with(|state| state.gateway.happened.clone());
    let begun = happened.iter().filter(|one| matches!(one, Happened::Identified(..))).count();
    let at_its_address =
        happened.iter().filter(|one| matches!(one, Happened::Resumed(_, _, true))).count();
    assert_eq!((begun, at_its_address), (1, 2), "{happened:?}");
    place.said();
    drop(program);
}

/// After some minutes Discord has forgotten the session, and what was done meanwhile: the person was told that it failed,
/// and does it once more.
#[tokio::test]
async fn what_discord_could_not_keep_works_the_second_time() {
    let place = Place::new(By::Gateway).await;
    let program = place.start().await;
    at_the_rules(&place).await;
    let accept = place.sees(ADA, "I accept").await;
    drop(program);
    let (token, _) = place.tries(ADA, &accept).await;
    place.discord.with(State::expire);
    let program = place.start().await;
    assert_eq!(place.discord.with(|state| state.interactions[&token].answer), None);
    assert_eq!(place.shown("You answered: **I accept**"), 0);
    place.presses(ADA, &accept).await;
    place.sees(ADA, "Yes").await;
    place.shows_once("You answered: **I accept**").await;
    place.said();
    drop(program);
}

/// Over HTTP Discord finds nobody and tells the person so; the same button works when the program is back.
#[tokio::test]
async fn over_http_a_press_that_found_nobody_works_the_second_time() {
    let place = Place::new(By::Http).await;
    let program = place.start().await;
    at_the_rules(&place).await;
    let accept = place.sees(ADA, "I accept").await;
    drop(program);
    let (_, delivered) = place.tries(ADA, &accept).await;
    assert_eq!(delivered, Delivered::Nobody, "this interaction failed");
    let program = place.start().await;
    assert_eq!(place.shown("You answered: **I accept**"), 0);
    place.presses(ADA, &accept).await;
    place.sees(ADA, "Yes").await;
    place.shows_once("You answered: **I accept**").await;
    place.said();
    drop(program);
}

/// A decider presses while nobody is there, and the role is given when the program is back.
#[tokio::test]
async fn a_decision_that_was_made_while_nobody_was_there_counts() {
    let place = Place::new(By::Gateway).await;
    let program = place.start().await;
    at_the_rules(&place).await;
    // Each waits for what is next: more than one card has a button to skip it.
    for (label, next) in &WAY[2..] {
        let button = place.sees(ADA, label).await;
        place.presses(ADA, &button).await;
        place.sees(ADA, next).await;
    }
    let button = place.sees(ADA, "Request it").await;
    place.presses(ADA, &button).await;
    let approve = place.sees(GRACE, "Approve").await;
    place.presses(GRACE, &approve).await;
    let sure = place.sees(GRACE, "Yes, approve").await;
    drop(program);
    place.tries(GRACE, &sure).await;
    let program = place.start().await;
    let has_role = |state: &State| {
        let guild = state.guilds.values().next().unwrap();
        guild.members[&ADA].roles.contains(&crate::discord::bot::role(2)).then_some(())
    };
    place.discord.until("the role", has_role).await;
    place.shows_once("**Approved** by <@702>").await;
    place.said();
    drop(program);
}
