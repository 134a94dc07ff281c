//! What a workspace, and all of them together, may use up in a month or a day.

use std::{num::NonZeroU64, sync::Arc};

use anteroom::{
    engine::{Inbound, InboundKind, Receipt},
    model::{
        session::{PersonId, Place, Platform},
        usage::{Budget, Budgets, Level, Per, Usage},
    },
    store::Store as _,
};
use chrono::TimeDelta;
use insta::assert_snapshot;

use super::{TALK, colours, with_script};
use crate::{
    llm::scripted::{Scripted, Turn},
    world::{World, ada, room},
};

fn tokens(input: u64) -> Usage {
    Usage { input, ..Usage::default() }
}

fn workspace(tokens: u64) -> Budgets {
    let workspace = Budget { tokens: NonZeroU64::new(tokens), ..Budget::default() };
    Budgets { workspace, ..Budgets::default() }
}

async fn bounded(source: &str, model: &Arc<Scripted>, budgets: Budgets) -> World {
    let mut world = World::unbegun(source, model);
    world.bound(budgets);
    world.begin_unrested("talk").await;
    world.rest().await;
    world
}

/// Somebody else begins a talk elsewhere, in a workspace.
async fn elsewhere(world: &mut World, workspace: &str, channel: &str) {
    let place = Place { workspace: workspace.to_owned(), ..room(channel) };
    let person = PersonId {
        platform: Platform::Web,
        workspace: workspace.to_owned(),
        user: "bob".to_owned(),
    };
    let from = anteroom::session::Responder { person, ..ada() };
    world.session = world.engine.start("talk", &from, place, channel).await.unwrap();
    world.rest().await;
}

async fn charged(world: &World, account: &str) -> (Usage, Level) {
    let balance = world.store.balance(account).await.unwrap();
    (balance.usage, balance.told)
}

#[tokio::test]
async fn an_empty_account_is_told_with_its_day_and_the_conversation_catches_up_by_itself() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?").costing(tokens(900)));
    let mut world = bounded(TALK, &model, workspace(1000)).await;
    model.next(Turn::says("A dog?").costing(tokens(200)));
    world.say("Yes.").await;
    world.say("Rex.").await;
    assert_eq!(model.seen().len(), 2, "asked with an empty account");
    // Said once more when they write once more, and not when time passes.
    world.pass(TimeDelta::days(3)).await;
    world.say("Hello?").await;
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Do you have a pet?
    ---
    A dog?
    ---
    I can't respond before 1 December 2026; your answers are safe. I'll write then, or type *human* to reach a person now.
    ---
    I can't respond before 1 December 2026; your answers are safe. I'll write then, or type *human* to reach a person now.
    ");
    assert_snapshot!(world.staff_screen(), @"
    All conversations of this workspace together have used 900 of 1000 tokens allowed until 1 December 2026.
    ---
    All conversations of this workspace together have used 1100 of 1000 tokens. Until 1 December 2026, those with a fixed list of questions continue with that; the others wait, or ask for a human.
    ");
    // The bot is restarted, then the month is over: nobody has to write again.
    world.restart().await;
    model.next(Turn::says("Rex, then."));
    world.pass(TimeDelta::days(26)).await;
    model.assert_played();
    assert!(world.screen().ends_with("Rex, then."), "{}", world.screen());
    assert_eq!(world.audited("budget_low").await, 1);
    assert_eq!(world.audited("budget_used_up").await, 1);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn one_account_for_all_conversations_of_a_workspace_and_none_for_those_of_others() {
    let model = Scripted::new();
    model.next(Turn::says("First.").costing(tokens(1000)));
    let mut world = bounded(TALK, &model, workspace(1000)).await;
    elsewhere(&mut world, "local", "second").await;
    assert_eq!(model.seen().len(), 1, "asked with an empty account");
    model.next(Turn::says("Third.").costing(tokens(10)));
    elsewhere(&mut world, "another", "third").await;
    model.assert_played();
    assert_eq!(charged(&world, "web:local 2026-11").await, (with_calls(1000, 1), Level::UsedUp));
    assert_eq!(charged(&world, "web:another 2026-11").await, (with_calls(10, 1), Level::Fine));
    assert_eq!(charged(&world, "total 2026-11").await, (with_calls(1010, 2), Level::Fine));
    // A total is shared by all.
    let total = Budget { tokens: NonZeroU64::new(1010), ..Budget::default() };
    world.bound(Budgets { total, ..Budgets::default() });
    elsewhere(&mut world, "another", "fourth").await;
    assert_eq!(model.seen().len(), 2);
    assert_snapshot!(world.screen().rsplit("\n---\n").next().unwrap_or_default(), @"I can't respond before 1 December 2026; your answers are safe. I'll write then, or type *human* to reach a person now.");
}

fn with_calls(input: u64, calls: u64) -> Usage {
    Usage { input, calls, ..Usage::default() }
}

#[tokio::test]
async fn four_fifths_are_told_once_whatever_is_restarted() {
    let model = Scripted::new();
    let days = Budgets { per: Per::Day, ..workspace(1000) };
    model.next(Turn::says("Do you have a pet?").costing(tokens(850)));
    let mut world = bounded(TALK, &model, days).await;
    for n in 0..3 {
        model.next(Turn::says(&format!("And {n}?")).costing(tokens(10)));
        world.say("Yes.").await;
        world.restart().await;
    }
    model.assert_played();
    assert_snapshot!(world.staff_screen(), @"All conversations of this workspace together have used 850 of 1000 tokens allowed until 3 November 2026.");
    assert_eq!(charged(&world, "web:local 2026-11-02").await, (with_calls(880, 4), Level::Low));
    // A new day, a new account.
    world.clock.advance(TimeDelta::days(1));
    model.next(Turn::says("Good morning.").costing(tokens(10)));
    world.say("Good morning.").await;
    model.assert_played();
    assert_eq!(charged(&world, "web:local 2026-11-03").await, (with_calls(10, 1), Level::Fine));
}

#[tokio::test]
async fn the_script_leads_while_the_account_is_empty() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?").costing(tokens(1000)));
    let mut world = bounded(&with_script(), &model, workspace(1000)).await;
    world.say("Yes!").await;
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Do you have a pet?
    ---
    I'll continue with a fixed list of questions for now. Nothing you've told me is lost.
    ---
    What is it called?
    […]
    ");
    assert_eq!(model.seen().len(), 1);
    world.say("Rex").await;
    world.press("Looks right").await;
    // The next part has no script.
    assert_eq!(model.seen().len(), 1);
    model.next(Turn::says("Goodbye!"));
    world.pass(TimeDelta::days(30)).await;
    model.assert_played();
    assert!(world.screen().ends_with("Goodbye!"), "{}", world.screen());
}

#[tokio::test]
async fn what_an_answer_costs_is_charged_with_its_commit_or_not_at_all() {
    for before in [true, false] {
        let model = Scripted::new();
        model.next(Turn::says("Do you have a pet?").costing(tokens(100)));
        let mut world = bounded(TALK, &model, workspace(1_000_000)).await;
        model.next(Turn::calls("get_user_option", &colours()).costing(tokens(7)));
        // The words are one commit, what the model answers the next.
        if before {
            model.next(Turn::calls("get_user_option", &colours()).costing(tokens(7)));
            world.store.die_before(2);
        } else {
            world.store.die_after(2);
        }
        world.say("Yes.").await;
        model.assert_played();
        assert_eq!(world.deaths, 1);
        let spent = world.state().await.model_turn.spent;
        assert_eq!(spent, with_calls(107, 2));
        assert_eq!(charged(&world, "web:local 2026-11").await.0, spent);
        assert_eq!(charged(&world, "total 2026-11").await.0, spent);
    }
}

#[tokio::test]
async fn an_erased_conversation_has_still_been_paid_for() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?").costing(tokens(100)));
    let mut world = bounded(TALK, &model, workspace(1000)).await;
    world.say("delete my data").await;
    let erase = world.button("Delete everything").await;
    let receipt = world.feed(&ada(), erase).await;
    assert!(matches!(receipt, Receipt::Erased { .. }), "{receipt:?}");
    assert_eq!(charged(&world, "web:local 2026-11").await.0, with_calls(100, 1));
    let what = InboundKind::Said { text: "?".to_owned(), source: None };
    let late = Inbound { key: "late".to_owned(), session: world.session, from: ada(), what };
    world.engine.receive(late).await.unwrap_err();
}
