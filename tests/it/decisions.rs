//! Decisions about a person: who is asked, what stands on the card, and what everybody reads of the outcome.

use anteroom::{
    engine::InboundKind,
    model::{
        session::Status,
        transcript::{EffectOutcome, Via},
        ui::{Decision, Reply},
        wait::{Answerers, Settlement, Wait},
    },
    session::{Command, Responder},
};
use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use crate::world::{World, ada, grace, linus, room, settled};

/// An application that two of the desk and then a lead decide on.
const APPLICATION: &str = r#"
format = 1
id = "application"
version = "1"
title = "Moderators"

[pace]
expire_after = "30d"

[approvals.override]
channel = "desk"

[approvals.moderator]
title    = "Make {{ participant.name }} a moderator of {{ labels.room }}?"
deciders = "desk"
quorum   = 2
then     = [{ deciders = "leads" }]
show     = ["reason"]
expires  = "3d"
approved = "You're a moderator of {{ labels.room }} now."
denied   = "We've decided against it this time."
expired  = "We couldn't decide in time."

[data.reason]
schema_inline = '{ "type": "string", "title": "Why" }'

[handoff]
channel = "desk"

[[phase]]
id = "apply"
title = "Application"
mode = "script"

  [[phase.step]]
  id = "room"
  tool = "get_user_option"
  args = { prompt = "Which room?", options = [ { id = "tea", label = "Tea" }, { id = "cake", label = "Cake" } ] }

  [[phase.step]]
  id = "reason"
  tool = "request_user_input"
  save = "reason"
  args = { prompt = "Why you?" }

  [[phase.step]]
  id = "decision"
  tool = "request_decision"
  args = { approval = "moderator" }
  branch = { denied = "again", expired = "again" }

  [[phase.step]]
  id = "welcome"
  tool = "get_user_option"
  args = { prompt = "Shall we start?", options = [ { id = "yes", label = "Start" }, { id = "no", label = "Not yet" } ] }
  branch = { else = "@next" }

  [[phase.step]]
  id = "again"
  tool = "get_user_option"
  when = "answers.decision != 'approved'"
  args = { prompt = "Would you like to apply again?", options = [ { id = "yes", label = "Apply again" }, { id = "no", label = "No" } ] }
  branch = { yes = "reason", no = "@stop" }

  [[phase.effect]]
  do = "post_summary"
  channel = "desk"
  include = ["reason"]
  on = "approved"

  [[phase.effect]]
  do = "post_summary"
  channel = "leads"
  include = ["reason"]
  on = "stopped"
  when = "answers.decision == 'denied'"
"#;

fn lead() -> Responder {
    Responder { approver_of: vec!["leads".to_owned()], ..linus() }
}

async fn applied() -> World {
    let mut world = World::with(APPLICATION, None).await;
    world.press("Tea").await;
    world.say("I like tea.").await;
    world
}

/// What those who decide see, and who they are.
async fn card(world: &World) -> Wait {
    let state = world.state().await;
    let mut requests = state.pending().filter(|wait| wait.answerers != Answerers::Participant);
    requests.next().unwrap_or_else(|| panic!("{}", world.screen())).clone()
}

async fn deny(world: &mut World, from: &Responder, words: &str) {
    let wait = card(world).await;
    let reply =
        Reply::Decided { decision: Decision::DeniedWithFeedback, feedback: Some(words.to_owned()) };
    let (wait, revision, via) = (wait.id, wait.revision, Via::Component);
    let receipt = world.feed(from, InboundKind::Answer { wait, revision, reply, via }).await;
    assert_eq!(settled(receipt), Settlement::Applied);
}

#[tokio::test]
async fn the_team_is_asked_with_what_they_need_to_know() {
    let world = applied().await;
    assert_snapshot!(world.screen(), @"
    Which room?
    ✓ Ada Byron: Tea
    ---
    Why you?
    ✓ Ada Byron: I like tea.
    ---
    I've asked the team. You can leave; I'll post their answer here.
    ");
    assert_snapshot!(world.staff_screen(), @"
    # Make Ada Byron a moderator of Tea?
    **Why**

    I like tea.
    Person: Ada Byron
    Flow: Moderators
    Phase: Application
    Stage: 1 of 2
    Requested: 2026-11-02 10:00 UTC
    Expires: 2026-11-05 10:00 UTC
    [Approve] [Deny] [Deny with feedback]
    ");
}

#[tokio::test]
async fn peers_decide_and_then_a_lead_does() {
    let mut world = applied().await;
    world.press_as(&grace(), "Approve").await;
    // One of two has voted.
    assert!(!world.state().await.results.contains_key("decision"));
    world.press_as(&linus(), "Approve").await;
    // The peers have approved; the lead is asked now, and knows who approved.
    assert!(!world.state().await.results.contains_key("decision"));
    let refused = world.press_as(&grace(), "Approve").await;
    assert!(matches!(refused, Settlement::NotAllowed { .. }), "{refused:?}");
    world.restart().await;
    world.press_as(&lead(), "Approve").await;

    let state = world.state().await;
    assert_eq!(
        state.results["decision"],
        json!({ "status": "approved", "approval": "moderator",
            "by": ["Grace", "Linus", "Linus"] })
    );
    assert_snapshot!(world.staff_screen(), @"
    # Make Ada Byron a moderator of Tea?
    **Why**

    I like tea.
    ✓ Linus: Approved
    ---
    # Make Ada Byron a moderator of Tea?
    **Why**

    I like tea.
    ✓ Linus: Approved
    ---
    **Ada Byron** was approved in *Moderators*.

    **Why**

    I like tea.
    ");
    let (outcome, _) = &state.effects[&("apply".to_owned(), 0)];
    assert_eq!(*outcome, EffectOutcome::Delivered);
    world.press("Start").await;
    assert_eq!(world.state().await.status, Status::Completed);
    assert_snapshot!(world.screen(), @"
    Which room?
    ✓ Ada Byron: Tea
    ---
    Why you?
    ✓ Ada Byron: I like tea.
    ---
    I've asked the team. You can leave; I'll post their answer here.
    ---
    You're a moderator of Tea now.
    ---
    Shall we start?
    ✓ Ada Byron: Start
    ---
    That's everything, thank you! The team can see the following:

    - Why

    Type *export* for a copy, or *delete my data* to erase it.
    [a copy of everything]
    ");
    assert_eq!(world.audited("decision_made").await, 2);
}

#[tokio::test]
async fn who_is_denied_reads_why_and_may_apply_again() {
    let mut world = applied().await;
    deny(&mut world, &grace(), "We have enough people for tea.").await;
    world.press_as(&linus(), "Deny").await;
    assert_snapshot!(world.screen(), @"
    Which room?
    ✓ Ada Byron: Tea
    ---
    Why you?
    ✓ Ada Byron: I like tea.
    ---
    I've asked the team. You can leave; I'll post their answer here.
    ---
    We've decided against it this time.

    Grace:

    > We have enough people for tea.
    ---
    Would you like to apply again?
    [Apply again] [No]
    ");
    world.press("Apply again").await;
    world.say("I like cake, too.").await;
    // A new request, with a new card and nobody's vote on it.
    assert_eq!(card(&world).await.votes, []);
    deny(&mut world, &grace(), "No.").await;
    world.press_as(&linus(), "Deny").await;
    world.press("No").await;
    let state = world.state().await;
    assert_eq!(state.status, Status::Stopped);
    let (outcome, _) = &state.effects[&("apply".to_owned(), 1)];
    assert_eq!(*outcome, EffectOutcome::Delivered);
    assert!(!state.effects.contains_key(&("apply".to_owned(), 0)), "{:?}", state.effects);
}

#[tokio::test]
async fn a_decision_that_nobody_makes_lapses_and_says_that() {
    let mut world = applied().await;
    world.pass(TimeDelta::days(2)).await;
    assert!(
        world.staff_screen().contains("Still waiting for a decision"),
        "{}",
        world.staff_screen()
    );
    world.pass(TimeDelta::days(2)).await;
    assert_eq!(world.state().await.results["decision"]["status"], "expired");
    assert_snapshot!(world.screen(), @"
    Which room?
    ✓ Ada Byron: Tea
    ---
    Why you?
    ✓ Ada Byron: I like tea.
    ---
    I've asked the team. You can leave; I'll post their answer here.
    ---
    We couldn't decide in time.
    ---
    Would you like to apply again?
    [Apply again] [No]
    ");
}

#[tokio::test]
async fn a_request_is_made_three_times_at_most() {
    let mut world = applied().await;
    for _ in 0..2 {
        deny(&mut world, &grace(), "No.").await;
        world.press_as(&linus(), "Deny").await;
        world.press("Apply again").await;
        world.say("Please.").await;
    }
    deny(&mut world, &grace(), "No.").await;
    world.press_as(&linus(), "Deny").await;
    world.press("Apply again").await;
    world.say("Please.").await;
    let error = world.state().await.results["decision"].clone();
    assert_eq!(error["error"], "this was asked as often as it may be");
}

#[tokio::test]
async fn an_override_that_moves_on_withdraws_the_request() {
    let mut world = applied().await;
    world.command(&grace(), Command::Advance { reason: "She is known to us".to_owned() }).await;
    let state = world.state().await;
    assert_eq!(state.status, Status::Completed);
    assert_eq!(state.pending().count(), 0);
    assert!(!state.effects.contains_key(&("apply".to_owned(), 0)));
}

#[tokio::test]
async fn nobody_decides_about_themselves() {
    let mut world = applied().await;
    let ada = Responder { approver_of: vec!["desk".to_owned()], ..ada() };
    let refused = world.press_as(&ada, "Approve").await;
    assert!(matches!(refused, Settlement::NotAllowed { .. }), "{refused:?}");
}

#[tokio::test]
async fn whoever_has_given_no_name_is_called_something_all_the_same() {
    let mut world = World::with(APPLICATION, None).await;
    let nameless = Responder { name: String::new(), ..ada() };
    let started = world.engine.start("application", &nameless, room("two"), "start-2").await;
    world.session = started.unwrap();
    world.rest().await;
    world.press("Cake").await;
    world.say("I like cake.").await;
    let title = card(&world).await.prompt.heading();
    assert_eq!(title.as_deref(), Some("Make a participant a moderator of Cake?"));
}
