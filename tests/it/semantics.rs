//! Rows of `docs/semantics.md`, without a platform; each test is named after its row.

use std::sync::atomic::Ordering;

use anteroom::{
    engine::{Error, Inbound, InboundKind, Receipt},
    model::{
        STORED_VERSION,
        session::Status,
        transcript::{Event, Recorded, Speaker, Via},
        ui::Reply,
        wait::Settlement,
    },
    session::Command,
    store::{self, Commit, Find},
};
use chrono::TimeDelta;
use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::json;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::world::{
    FLOW, World, ada, grace, linus, mallory,
    platform::{Edits, Mood},
    room,
};

fn ask_to_move_on() -> Command {
    Command::Advance { reason: "I have no file".to_owned() }
}

#[tokio::test]
async fn row_01_a_double_click_is_silent() {
    let mut world = World::new().await;
    let click = world.button("Blue").await;
    world.feed(&ada(), click.clone()).await;
    let before = world.screen();

    let receipt = world.feed(&ada(), click).await;

    let Receipt::Settled(Settlement::AlreadySettled { by, choice, .. }) = receipt else {
        panic!("{receipt:?}")
    };
    assert_eq!((by, choice.as_str()), (ada().person, "Blue"));
    assert_eq!(world.screen(), before);
}

#[tokio::test]
async fn a_click_that_a_script_answers_at_once_loads_the_session_once() {
    let mut world = World::new().await;
    let click = world.button("Blue").await;
    let before = world.store.loads();

    world.feed(&ada(), click).await;

    assert_eq!(world.store.loads() - before, 1);
}

#[tokio::test]
async fn row_02_of_two_deciders_the_first_wins_and_the_second_is_told_who_did() {
    let mut world = World::new().await;
    world.command(&ada(), ask_to_move_on()).await;
    let deny = world.button("Deny").await;
    assert_eq!(world.press_as(&grace(), "Approve").await, Settlement::Applied);

    let receipt = world.feed(&linus(), deny).await;

    let Receipt::Settled(Settlement::AlreadySettled { by_name, choice, .. }) = receipt else {
        panic!("{receipt:?}")
    };
    assert_eq!((by_name.as_str(), choice.as_str()), ("Grace", "Approved"));
    assert_eq!(world.state().await.phase(), Some("two"));
    assert_eq!(world.audited("wait_answered").await, 1);
    assert_eq!(world.audited("answer_refused").await, 1);
}

#[tokio::test]
async fn row_03_an_event_delivered_again_hours_later_does_nothing() {
    let mut world = World::new().await;
    let click = world.button("Blue").await;
    let click = world.event(&ada(), click);
    world.deliver(click.clone()).await.unwrap();
    let words = world.event(&ada(), InboundKind::Said { text: "hm".to_owned(), source: None });
    world.deliver(words.clone()).await.unwrap();
    let before = world.events().await;
    world.clock.advance(TimeDelta::hours(5));

    assert_eq!(world.deliver(click).await.unwrap(), Receipt::Duplicate);
    assert_eq!(world.deliver(words).await.unwrap(), Receipt::Duplicate);

    assert_eq!(world.events().await, before);
}

#[tokio::test]
async fn row_04_an_event_from_before_the_commit_is_dealt_with_when_it_comes_again() {
    let mut world = World::new().await;
    let click = world.button("Blue").await;
    let click = world.event(&ada(), click);
    world.store.die_before(1);
    world.engine.receive(click.clone()).await.unwrap_err();
    world.rest().await;

    let receipt = world.deliver(click).await.unwrap();

    assert_eq!(receipt, Receipt::Settled(Settlement::Applied));
    assert_eq!(world.state().await.results["colour"]["selectedIds"], json!(["blue"]));
}

#[tokio::test]
async fn row_05_an_answer_that_was_stored_and_not_acknowledged_counts_once() {
    let mut world = World::new().await;
    let click = world.button("Blue").await;
    let click = world.event(&ada(), click);
    world.store.die_after(1);
    world.engine.receive(click.clone()).await.unwrap_err();
    world.rest().await;
    // The next process has gone on by itself.
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which size?");
    let before = world.events().await;

    assert_eq!(world.deliver(click).await.unwrap(), Receipt::Duplicate);

    assert_eq!(world.events().await, before);
    assert_eq!(world.platform.messages().iter().filter(|m| m.text.contains("size")).count(), 1);
}

#[tokio::test]
async fn row_06_what_was_acknowledged_goes_on_after_a_crash() {
    let mut world = World::probing("probe_pure").await;
    world.store.die_before(2);

    assert_eq!(world.press("Yes").await, Settlement::Applied);

    assert_eq!(world.deaths, 1);
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Was it good?");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn row_07_a_crash_after_a_side_effect_is_settled_by_the_effect_class() {
    for (tool, reached) in
        [("probe_pure", 2), ("probe_idempotent", 2), ("probe_reconcile", 2), ("probe_once", 1)]
    {
        let mut world = World::probing(tool).await;
        *world.lab.victim.lock().unwrap() = Some(std::sync::Arc::clone(&world.store));

        world.press("Yes").await;

        assert_eq!(world.deaths, 1, "{tool}");
        assert_eq!(world.lab.reached.load(Ordering::SeqCst), reached, "{tool}");
        let results = world.results().await;
        let mine: Vec<_> = results.iter().filter(|(call, _)| call.contains("probe")).collect();
        assert_eq!(mine.len(), 1, "{tool}: one call, one result");
        if tool == "probe_once" {
            assert_eq!(mine[0].1["code"], "outcome_unknown");
            assert!(world.state().await.handoff.is_some(), "a person is asked");
            world.say("continue").await;
        } else {
            assert_eq!(mine[0].1, json!({ "status": "done" }), "{tool}");
        }
        assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Was it good?", "{tool}");
        assert_eq!(world.press("It was").await, Settlement::Applied);
        world.assert_at_rest().await;
    }
}

#[tokio::test]
async fn row_10_typed_words_answer_a_question_if_they_match_and_never_a_request() {
    let mut world = World::new().await;
    world.say("perhaps green?").await;
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which colour?");
    world.say("no, really green").await;
    world.say("blue").await;
    world.say("2").await;
    assert_eq!(world.state().await.results["size"]["selectedIds"], json!(["large"]));
    world.command(&ada(), ask_to_move_on()).await;
    for words in ["approve", "yes", "1"] {
        world.say(words).await;
    }

    assert_eq!(world.state().await.phase(), Some("one"));
    let card = world.state().await.pending().last().cloned().unwrap();
    assert!(card.status.is_pending());
    assert_snapshot!(world.screen(), @"
    Step 1 of 2 · One · 1/2
    ---
    Which colour?
    ✓ Ada Byron: Blue
    ---
    I can't answer that myself, so I've saved your question for the team. Type *human* if you'd rather talk to a person. Please pick one, or write its name.
    ---
    I've saved that as a note for the team. Type *human* if you'd rather talk to a person.
    ---
    Which size?
    ✓ Ada Byron: Large
    ---
    A file, please.
    [Upload txt, md] [Skip]
    ---
    I've asked the team. You can leave; I'll post their answer here.
    ---
    Please send a file here, or use the buttons on the card.
    ---
    I've saved that as a note for the team. Type *human* if you'd rather talk to a person.
    ---
    I've saved that as a note for the team. Type *human* if you'd rather talk to a person.
    ");
}

#[tokio::test]
async fn row_11_words_of_somebody_else_are_kept_and_settle_nothing() {
    let mut world = World::new().await;

    world.say_as(&mallory(), "Blue").await;

    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which colour?");
    let last = world.events().await.pop().unwrap().event;
    let Event::Said { from: Speaker::Bystander { name, .. }, text, .. } = &*last else {
        panic!("{last:?}")
    };
    assert_eq!((name.as_str(), text.as_str()), ("Mallory", "Blue"));
}

#[tokio::test]
async fn row_12_an_old_button_never_answers_a_newer_question() {
    let mut world = World::new().await;
    let red = world.button("Red").await;
    world.press("Blue").await;

    let receipt = world.feed(&ada(), red.clone()).await;

    assert!(matches!(receipt, Receipt::Settled(Settlement::AlreadySettled { .. })), "{receipt:?}");
    assert_eq!(world.state().await.results["colour"]["selectedIds"], json!(["blue"]));
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which size?");
    let size = world.button("Small").await;
    world.say("stop").await;
    assert_eq!(world.feed(&ada(), size).await, Receipt::Settled(Settlement::Cancelled));
    assert_eq!(world.state().await.status, Status::Stopped);
}

#[tokio::test]
async fn row_13_an_answer_to_another_revision_is_refused() {
    let mut world = World::new().await;
    let InboundKind::Answer { wait, revision, reply, via } = world.button("Blue").await else {
        unreachable!("a button is an answer")
    };

    let old = InboundKind::Answer { wait, revision: revision + 1, reply, via };

    assert_eq!(world.feed(&ada(), old).await, Receipt::Settled(Settlement::Superseded));
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which colour?");
}

#[tokio::test]
async fn row_14_asking_twice_for_the_same_opens_one_card() {
    let mut world = World::new().await;
    world.command(&ada(), ask_to_move_on()).await;
    world.command(&ada(), ask_to_move_on()).await;
    world.command(&ada(), Command::Delete).await;
    world.command(&ada(), Command::Delete).await;

    let pending: Vec<_> = world.state().await.pending().map(|wait| wait.purpose.clone()).collect();

    assert_eq!(
        pending.len(),
        3,
        "the question, one request, one card before the erasure: {pending:?}"
    );
    let cards = world.platform.messages().iter().filter(|message| message.open).count();
    assert_eq!(cards, 3);
}

#[tokio::test]
async fn row_15_with_two_cards_open_the_talk_goes_on_when_both_are_settled() {
    let mut world = World::new().await;
    world.command(&ada(), ask_to_move_on()).await;
    let open = world.platform.messages().iter().filter(|message| message.open).count();
    assert_eq!(open, 2, "both cards are shown");

    world.press("Blue").await;
    assert!(world.open().await.is_none(), "nothing new is asked while the request is open");
    world.press_as(&grace(), "Deny").await;

    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which size?");
    let mut calls: Vec<String> = world.results().await.into_iter().map(|(call, _)| call).collect();
    let all = calls.len();
    calls.sort();
    calls.dedup();
    assert_eq!(calls.len(), all, "one result a call");
}

#[tokio::test]
async fn row_17_words_that_come_while_a_tool_runs_are_kept_in_order() {
    let mut world = World::probing("slow").await;
    let click = world.button("Yes").await;
    let click = world.event(&ada(), click);
    world.engine.receive(click).await.unwrap();
    world.lab.began.acquire().await.unwrap().forget();

    for text in ["one", "two", "three"] {
        let words = world.event(&ada(), InboundKind::Said { text: text.to_owned(), source: None });
        assert_eq!(world.engine.receive(words).await.unwrap(), Receipt::Taken);
    }
    world.lab.gate.add_permits(1);
    world.rest().await;

    let said: Vec<String> = world
        .events()
        .await
        .into_iter()
        .filter_map(|recorded| match std::sync::Arc::unwrap_or_clone(recorded.event) {
            Event::Said { text, .. } => Some(text),
            _ => None,
        })
        .collect();
    assert_eq!(said, ["one", "two", "three"]);
    assert_eq!(world.lab.reached.load(Ordering::SeqCst), 1, "the tool ran once");
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Was it good?");
}

#[tokio::test]
async fn row_18_stop_cancels_what_is_open_and_resume_asks_again() {
    let mut world = World::new().await;
    world.press("Blue").await;

    world.say("stop").await;

    assert_eq!(world.results().await.last().unwrap().1["code"], "user_cancelled");
    assert_eq!(world.state().await.pending().count(), 0);
    world.say("resume").await;
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which size?");
    assert_eq!(world.press("Small").await, Settlement::Applied);
    assert_eq!(world.state().await.results["colour"]["selectedIds"], json!(["blue"]));
}

#[tokio::test]
async fn row_19_between_an_answer_and_the_deadline_one_wins() {
    // The answer comes too late, although no timer has fired yet.
    let mut world = World::new().await;
    world.command(&ada(), ask_to_move_on()).await;
    let approve = world.button("Approve").await;
    world.clock.advance(TimeDelta::days(8));
    assert_eq!(world.feed(&grace(), approve.clone()).await, Receipt::Settled(Settlement::Expired));
    world.pass(TimeDelta::zero()).await;
    assert_eq!(world.state().await.phase(), Some("one"));
    assert_eq!(world.audited("phase_advance_expired").await, 1);
    // Somebody who could have decided asks anew, on a card of its own.
    let Some((wait, _)) = world.platform.messages().iter().rev().find_map(|m| m.card) else {
        unreachable!("the card is there")
    };
    let refused = world.command(&mallory(), Command::Reopen { wait }).await;
    assert!(matches!(refused, Receipt::Refused(_)), "{refused:?}");
    assert_eq!(world.command(&grace(), Command::Reopen { wait }).await, Receipt::Taken);
    assert_eq!(world.press_as(&linus(), "Approve").await, Settlement::Applied);
    assert_eq!(world.state().await.phase(), Some("two"));

    // Both at once: one of the two, whichever was first.
    for _ in 0..50 {
        let mut world = World::new().await;
        world.command(&ada(), ask_to_move_on()).await;
        let approve = world.button("Approve").await;
        let approve = world.event(&grace(), approve);
        world.clock.advance(TimeDelta::days(7));
        let engine = world.another_engine();
        let (receipt, _) = tokio::join!(world.engine.receive(approve), engine.run_due());
        engine.settle_down().await;
        world.rest().await;
        let answered = receipt.unwrap() == Receipt::Settled(Settlement::Applied);
        let events = world.events().await;
        let closed = |event: &Recorded| {
            matches!(&*event.event, Event::Closed { closing, .. }
                if *closing == anteroom::model::transcript::Closing::Expired)
        };
        assert_eq!(events.iter().filter(|event| closed(event)).count(), usize::from(!answered));
        assert_eq!(world.state().await.phase() == Some("two"), answered);
    }
}

#[tokio::test]
async fn row_20_reminders_that_came_due_while_the_process_was_down_are_one() {
    let mut world = World::new().await;
    world.store.kill();
    world.clock.advance(TimeDelta::hours(80));

    world.rest().await;
    world.pass(TimeDelta::zero()).await;
    world.pass(TimeDelta::days(5)).await;

    let reminders = world.screen().matches("A reminder").count();
    assert_eq!(reminders, 1, "{}", world.screen());
}

#[tokio::test]
async fn row_21_a_clock_set_back_shortens_no_deadline() {
    let mut world = World::new().await;
    world.command(&ada(), ask_to_move_on()).await;
    let before = world.state().await;
    let deadline = before.pending().last().unwrap().expires_at;

    world.pass(-TimeDelta::hours(30)).await;
    world.pass(TimeDelta::days(7)).await;

    assert_eq!(world.state().await.pending().last().unwrap().expires_at, deadline);
    assert_eq!(world.press_as(&grace(), "Approve").await, Settlement::Applied);
}

#[tokio::test]
async fn row_22_the_wrong_person_is_refused_without_a_public_word() {
    let mut world = World::new().await;
    let before = world.screen();

    let settlement = world.press_as(&mallory(), "Blue").await;

    let who_may = "the person who was asked".to_owned();
    assert_eq!(settlement, Settlement::NotAllowed { who_may });
    assert_eq!(world.screen(), before);
    assert_eq!(world.audited("answer_refused").await, 1);
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which colour?");
}

#[tokio::test]
async fn row_23_rights_count_as_they_are_at_the_click() {
    let mut world = World::new().await;
    world.command(&ada(), ask_to_move_on()).await;
    let mut demoted = grace();
    demoted.approver_of.clear();
    let mut promoted = mallory();
    promoted.approver_of.push("desk".to_owned());

    let refused = world.press_as(&demoted, "Approve").await;

    assert_eq!(refused, Settlement::NotAllowed { who_may: "the desk".to_owned() });
    assert_eq!(world.press_as(&promoted, "Approve").await, Settlement::Applied);
}

#[tokio::test]
async fn row_24_nobody_approves_their_own_request() {
    let mut world = World::new().await;
    let mut boss = ada();
    boss.approver_of.push("desk".to_owned());
    world.command(&boss, ask_to_move_on()).await;

    let settlement = world.press_as(&boss, "Approve").await;

    assert!(matches!(settlement, Settlement::NotAllowed { .. }), "{settlement:?}");
    assert_eq!(world.state().await.phase(), Some("one"));
    let chain = world.audit().await;
    let request = chain.iter().find(|sealed| sealed.record.event == "phase_advance_attempt");
    assert_json_snapshot!(request.unwrap().record.facts, @r#"
    {
      "phase": "one",
      "overrides": [
        "coloured",
        "filed"
      ],
      "objectivesRemaining": [
        "coloured",
        "filed"
      ],
      "userDecision": null,
      "advancedTo": null,
      "status": "awaiting_user_approval",
      "by_user": true,
      "decider": null,
      "decider_role": null,
      "proposed_overrides": [
        "coloured",
        "filed"
      ],
      "call": "asked_1",
      "note": null
    }
    "#);
}

#[tokio::test]
async fn row_25_with_the_decider_gone_nothing_is_approved_by_itself() {
    let mut world = World::new().await;
    world.command(&ada(), ask_to_move_on()).await;

    world.pass(TimeDelta::days(30)).await;

    let state = world.state().await;
    assert_eq!(state.phase(), Some("one"));
    assert!(world.staff_screen().contains("✗ expired"), "{}", world.staff_screen());
}

#[tokio::test]
async fn row_26_votes_survive_a_restart_and_the_last_of_each_person_counts() {
    let source = FLOW.replace("decider = \"admin\"", "decider = \"admin\"\nquorum = 2");
    let mut world = World::with(&source, None).await;
    world.command(&ada(), ask_to_move_on()).await;
    world.press_as(&grace(), "Deny").await;
    world.restart().await;
    world.press_as(&grace(), "Approve").await;
    assert_eq!(world.state().await.phase(), Some("one"), "one vote is not two");
    world.store.die_before(2);

    world.press_as(&linus(), "Approve").await;

    assert_eq!(world.state().await.phase(), Some("two"));
    assert_eq!(world.audited("vote_cast").await, 3);
    assert_eq!(world.audited("wait_answered").await, 3);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn row_27_a_request_is_shown_anew_when_what_is_missing_has_changed() {
    let mut world = World::new().await;
    world.command(&ada(), ask_to_move_on()).await;
    let old = world.button("Approve").await;

    world.press("Blue").await;

    assert_eq!(world.feed(&grace(), old).await, Receipt::Settled(Settlement::Superseded));
    assert_snapshot!(world.staff_screen(), @"
    # Move Ada Byron to “Two”?
    This phase isn't complete. Missing items were determined by the app, not by the model.
    Person: Ada Byron
    Flow: A short talk
    Phase: One
    Missing: A file
    Reason given: I have no file
    Requested: 2026-11-02 10:00 UTC
    Expires: 2026-11-09 10:00 UTC
    [Approve] [Deny] [Deny with feedback]
    ");
    assert_eq!(world.press_as(&grace(), "Approve").await, Settlement::Applied);
    assert_eq!(world.state().await.phase(), Some("two"));
}

#[tokio::test]
async fn row_28_an_answer_for_a_tool_that_was_rewritten_ends_its_call_and_not_the_talk() {
    let mut world = World::new().await;
    world.deploy_without("get_user_option", true).await;

    assert_eq!(world.press("Blue").await, Settlement::Applied);

    assert_eq!(world.results().await[0].1["code"], "tool_changed");
    assert_eq!(world.say("hello?").await, Receipt::Taken);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn row_29_an_answer_for_a_tool_that_is_gone_ends_its_call_and_not_the_talk() {
    let mut world = World::new().await;
    world.deploy_without("get_user_option", false).await;

    assert_eq!(world.press("Blue").await, Settlement::Applied);

    assert_eq!(world.results().await[0].1["code"], "tool_unavailable");
    assert!(world.screen().contains("✓ Ada Byron: Blue"), "{}", world.screen());
    assert_eq!(world.say("hello?").await, Receipt::Taken);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn row_30_a_session_of_a_newer_program_is_refused_and_the_others_run() {
    let mut world = World::new().await;
    let click = world.button("Blue").await;
    let head = world.disk().find(Find::Person(ada().person)).await.unwrap().remove(0);
    let newer = Recorded {
        v: STORED_VERSION + 1,
        seq: head.seq + 1,
        at: head.updated_at,
        event: Event::RemindersStopped.into(),
    };
    let expected = head.seq;
    let head = anteroom::model::session::Head { seq: head.seq + 1, ..head };
    let commit = Commit::new(head, expected, vec![newer]);
    world.disk().commit(commit).await.unwrap();

    let click = world.event(&ada(), click);
    let refused = world.deliver(click).await.unwrap_err();

    assert!(matches!(refused, Error::Store(store::Error::Unreadable { .. })), "{refused:?}");
    assert_snapshot!(refused.to_string(), @"session `ses_00000000000000000000000000000001` cannot be read: it has version 3, this program reads up to 2. hint: run the newer program");
    world.session =
        world.engine.start("short", &ada(), room("another"), "start again").await.unwrap();
    world.rest().await;
    assert_eq!(world.press("Blue").await, Settlement::Applied);
}

#[tokio::test]
async fn row_31_deleting_a_card_answers_nothing() {
    let mut world = World::new().await;
    let card = world.platform.messages().into_iter().find(|message| message.open).unwrap();

    world.platform.delete(&card.id);

    assert!(world.wait(card.card.unwrap().0).await.status.is_pending());
    world.say("Blue").await;
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which size?");
}

#[tokio::test]
async fn row_35_a_file_that_cannot_be_taken_leaves_the_question_open() {
    let mut world = World::new().await;
    world.press("Blue").await;
    world.press("Small").await;

    let heic = world.upload("photo.heic", b"\0\0\0\x18ftypheic").await.unwrap_err();
    let large = world.upload("long.txt", &vec![b'a'; 1024 * 1024 + 1]).await.unwrap_err();
    assert_snapshot!(format!("{heic}\n{large}"), @"
    I can read TXT or MD. I do not know what *photo.heic* is.
    *long.txt* has 1.1 MB; I can take at most 1 MB.
    ");
    let open = world.open().await.unwrap();
    assert_eq!(open.prompt.body.common_mark(), "A file, please.");
    let many = Reply::Uploaded { artifacts: Vec::new() };
    let what = InboundKind::Answer { wait: open.id, revision: 1, reply: many, via: Via::Component };
    assert!(matches!(world.feed(&ada(), what).await, Receipt::Settled(Settlement::Invalid { .. })));

    // Posted in the thread, not through the card.
    let receipt = world.upload("note.txt", b"a note").await.unwrap();
    assert_eq!(receipt, Receipt::Settled(Settlement::Applied));
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "A word, please.");
}

#[tokio::test]
async fn row_38_a_rate_limit_delays_what_is_shown_and_nothing_else() {
    let mut world = World::new().await;
    world.platform.will([Mood::Busy; 6]);

    world.press("Blue").await;

    assert!(world.screen().contains("[Red] [Blue]"), "the card still shows the question");
    assert_eq!(world.state().await.results["colour"]["selectedIds"], json!(["blue"]));
    for _ in 0..10 {
        world.pass(TimeDelta::minutes(1)).await;
    }
    assert_snapshot!(world.screen(), @"
    Step 1 of 2 · One · 1/2
    ---
    Which colour?
    ✓ Ada Byron: Blue
    ---
    Which size?
    [Small] [Large]
    ");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn question_does_not_wait_until_the_card_before_is_closed() {
    let mut world = World::new().await;
    world.platform.edits(Edits::Busy);

    world.press("Blue").await;

    let screen = world.screen();
    assert!(screen.contains("[Red] [Blue]"), "the card is not closed yet: {screen}");
    assert!(screen.contains("Which size?"), "{screen}");
    world.platform.edits(Edits::Made);
    world.pass(TimeDelta::minutes(1)).await;
    assert!(!world.screen().contains("[Red] [Blue]"), "{}", world.screen());
    world.assert_at_rest().await;
}

#[tokio::test(start_paused = true)]
async fn deliveries_in_the_background_leave_room_for_a_question() {
    let mut world = World::empty(FLOW, None);
    world.deliver_at_once(4);
    for number in 0..6 {
        let (place, key) = (room(&number.to_string()), format!("start-{number}"));
        world.engine.start("short", &ada(), place, &key).await.unwrap();
        world.rest().await;
    }
    world.platform.edits(Edits::Hang);
    let mut process = JoinSet::new();
    let (engine, shutdown) = (world.engine.clone(), CancellationToken::new());
    process.spawn(async move { engine.run(shutdown).await });

    let cards = world.platform.messages().into_iter().filter_map(|message| message.card);
    for (number, (wait, revision)) in (0..6).zip(cards) {
        let (wait, _) = world.disk().wait(wait).await.unwrap().unwrap();
        let reply = Reply::Chosen { ids: vec!["blue".to_owned()], free_text: None };
        let what = InboundKind::Answer { wait: wait.id, revision, reply, via: Via::Component };
        let key = format!("answer-{number}");
        let inbound = Inbound { key, session: wait.session, from: ada(), what };
        world.engine.receive(inbound).await.unwrap();
        let questions = || world.screen().matches("Which size?").count();
        // Time stands still meanwhile, so nothing is given up.
        for _ in 0..10_000 {
            if questions() > number {
                break;
            }
            tokio::task::yield_now().await;
        }
        assert_eq!(questions(), number + 1, "{}", world.screen());
    }
}

#[tokio::test]
async fn row_38_an_answer_of_the_platform_that_got_lost_shows_nothing_twice() {
    let mut world = World::new().await;
    world.platform.will([Mood::LostAnswer, Mood::Panics, Mood::LostAnswer, Mood::LostAnswer]);

    world.press("Blue").await;
    for _ in 0..10 {
        world.pass(TimeDelta::minutes(1)).await;
    }

    assert_eq!(world.screen().matches("Which size?").count(), 1, "{}", world.screen());
    world.assert_at_rest().await;
}

#[tokio::test]
async fn row_43_with_the_disk_full_nothing_is_acknowledged() {
    let mut world = World::new().await;
    let click = world.button("Blue").await;
    let click = world.event(&ada(), click);
    world.store.fill(true);

    let refused = world.deliver(click.clone()).await.unwrap_err();

    assert!(refused.to_string().starts_with("could not save"), "{refused}");
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which colour?");
    world.store.fill(false);
    assert_eq!(world.deliver(click).await.unwrap(), Receipt::Settled(Settlement::Applied));
}

#[tokio::test]
async fn row_46_an_erasure_takes_down_what_is_open_and_leaves_one_line() {
    let mut world = World::new().await;
    world.command(&ada(), ask_to_move_on()).await;
    let approve = world.button("Approve").await;
    world.say("delete my data").await;
    let yes = world.button("Delete everything").await;

    let receipt = world.feed(&ada(), yes).await;

    let Receipt::Erased { receipt, .. } = receipt else { panic!("{receipt:?}") };
    assert_eq!(world.disk().load(world.session).await.unwrap(), None);
    let approve =
        Inbound { key: "late".to_owned(), session: world.session, from: grace(), what: approve };
    assert!(matches!(world.engine.receive(approve).await, Err(Error::NoSession)));
    assert!(!world.staff_screen().contains("Ada"), "{}", world.staff_screen());
    assert_eq!(world.platform.messages().iter().filter(|message| message.open).count(), 0);
    let chain = world.audit().await;
    let line = &chain.last().unwrap().record;
    assert_eq!((line.event.as_str(), &line.facts["receipt"]), ("session_erased", &json!(receipt)));
    assert!(chain.iter().all(|sealed| sealed.record.words.is_empty()));
    world.pass(TimeDelta::days(30)).await;
    assert_eq!(world.disk().load(world.session).await.unwrap(), None);
}

#[tokio::test]
async fn a_panic_in_a_tool_is_the_calls_result_and_the_talk_goes_on() {
    let mut world = World::probing("shaky").await;
    world.lab.panics.store(1, Ordering::SeqCst);

    assert_eq!(world.press("Yes").await, Settlement::Applied);

    assert_eq!(world.results().await[1].1["code"], "execution_failed");
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Was it good?");
}

#[tokio::test]
async fn a_start_that_comes_twice_begins_one_talk() {
    let mut world = World::empty(FLOW, None);
    let engine = world.engine.clone();
    let (ada, place) = (ada(), room("one"));
    let start = || engine.start("short", &ada, place.clone(), "the same press");

    let (first, second) = tokio::join!(start(), start());
    world.rest().await;
    world.restart().await;
    let third = world.engine.start("short", &ada, place.clone(), "the same press").await;

    let first = first.unwrap();
    assert_eq!((second.unwrap(), third.unwrap()), (first, first));
    assert_eq!(world.engine.newest((None, 10), |_| true).await.unwrap().0.len(), 1);
    assert_eq!(world.screen().matches("Which colour?").count(), 1);
    let unknown = world.engine.start("nothing", &ada, room("two"), "another").await.unwrap_err();
    assert_snapshot!(unknown.to_string(), @"there is no flow `nothing`");
}

#[tokio::test]
async fn a_shutdown_finishes_the_current_step_and_takes_no_more() {
    let mut world = World::probing("slow").await;
    let shutdown = CancellationToken::new();
    let mut process = JoinSet::new();
    let (engine, stop) = (world.engine.clone(), shutdown.clone());
    process.spawn(async move { engine.run(stop).await });
    let click = world.button("Yes").await;
    let click = world.event(&ada(), click);
    world.engine.receive(click).await.unwrap();
    world.lab.began.acquire().await.unwrap().forget();

    shutdown.cancel();
    let refused = loop {
        let words = world.event(&ada(), InboundKind::Said { text: "hm".to_owned(), source: None });
        match world.engine.receive(words).await {
            Ok(_) => tokio::task::yield_now().await,
            Err(error) => break error,
        }
    };
    world.lab.gate.add_permits(1);
    process.join_next().await.unwrap().unwrap();

    assert!(matches!(refused, Error::Busy), "{refused:?}");
    assert_eq!(world.results().await[1].1, json!({ "status": "done" }));
    assert!(world.open().await.is_none(), "no step after that");
    world.restart().await;
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Was it good?");
    assert_eq!(world.lab.reached.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn work_that_fails_is_tried_again_after_a_pause() {
    let mut world = World::probing("probe_pure").await;
    let click = world.button("Yes").await;
    let click = world.event(&ada(), click);
    // Room for the answer, none for the call after it.
    world.store.full_after(1);
    let receipt = world.deliver(click).await.unwrap();
    assert_eq!(receipt, Receipt::Settled(Settlement::Applied));
    assert!(world.open().await.is_none());

    let tried = world.store.tried();
    world.pass(TimeDelta::zero()).await;
    assert_eq!(world.store.tried(), tried, "not at once");
    world.store.fill(false);
    world.pass(TimeDelta::minutes(1)).await;

    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Was it good?");
}

#[tokio::test]
async fn an_answer_and_the_next_question_of_a_script_are_one_commit() {
    let mut world = World::new().await;
    let before = world.store.tried();
    assert_eq!(world.press("Blue").await, Settlement::Applied);
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which size?");
    assert_eq!(world.store.tried() - before, 1);
}
