//! What the team lives through: requests that it decides, conversations that it takes over, what it reads.

use std::sync::Arc;

use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use super::{
    bot::Bot,
    flows::{PETS, TALK},
};
use crate::support::scripted::{Scripted, Turn};

/// The model has asked the team, which has read it.
async fn asked(model: &Arc<Scripted>) -> Bot {
    let bot = Bot::on(PETS, Some(model));
    asks(&bot, model).await;
    bot.grace().news();
    bot
}

async fn asks(bot: &Bot, model: &Scripted) {
    let ask = json!({ "overrides": ["pet"], "reason": "there is no pet" });
    model.next(Turn::calls("next_phase", &ask));
    bot.ada().says("!onboard start").await;
}

#[tokio::test]
async fn a_request_is_decided_with_a_line_under_it() {
    let model = Scripted::new();
    let mut bot = Bot::on(PETS, Some(&model));
    asks(&bot, &model).await;
    assert_snapshot!(bot.grace().news(), @"
    #approvals + Move Ada Byron to “Goodbye”?
        This phase isn't complete. Missing items were determined by the app, not by the model.
        Person: Ada Byron
        Flow: About pets
        Phase: Pets
        Missing: A pet
        The interviewer's reason: there is no pet
        Requested: 2026-11-02 14:05 UTC
        Expires: 2026-11-09 14:05 UTC
        1. Approve
        2. Deny
        3. Deny and tell the interviewer [feedback: ]
    ");
    model.next(Turn::says("Goodbye then."));
    bot.grace().press("Approve").await;
    assert_snapshot!(bot.grace().news(), @"
    #approvals ~ Move Ada Byron to “Goodbye”?
        This phase isn't complete. Missing items were determined by the app, not by the model.
        Person: Ada Byron
        Flow: About pets
        Phase: Pets
        Missing: A pet
        The interviewer's reason: there is no pet
        Requested: 2026-11-02 14:05 UTC
        Expires: 2026-11-09 14:05 UTC
        = Approved by Grace Hopper
    #approvals > + Approved by Grace Hopper
    ");
    assert_snapshot!(bot.ada().news(), @"
    + Step 1 of 2 · Pets · 0/1
    + I've asked the team. You can leave; I'll post their answer here.
    ~ Step 2 of 2 · Goodbye
    + The team approved your request, so let's move on.
    + Goodbye then.
    ");
    // However often the card is drawn.
    bot.crash().await;
    assert_eq!(bot.grace().screen().matches("Approved by Grace").count(), 2);
    model.assert_played();
}

#[tokio::test]
async fn of_two_deciders_the_second_is_told_who_was_first() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    bot.decides("linus", true);
    model.next(Turn::says("Goodbye then."));
    bot.grace().press("Approve").await;
    let linus = bot.linus().at("#approvals");
    linus.news();
    linus.press_old("Deny").await;
    assert_snapshot!(linus.news(), @"(only you) Already approved by Grace Hopper at 2 Nov 2026 14:05 UTC.");
    bot.grace().press_old("Approve").await;
    assert!(!bot.grace().news().contains("only you"), "the same once more is silent");
    model.assert_played();
}

#[tokio::test]
async fn who_may_not_decide_is_told_so_whatever_the_way() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let linus = || bot.linus().at("#approvals");
    linus().news();
    linus().press("Approve").await;
    linus().fill("Deny and tell the interviewer", &[]).await;
    linus().under("Move Ada").says("approve").await;
    linus().under("Move Ada").says("I would not.").await;
    assert_snapshot!(linus().news(), @"
    (only you) Only the recruiting approvers can decide this.
    (only you) Only the recruiting approvers can decide this.
    (only you) Only the recruiting approvers can decide this.
    ");
    bot.ada().at("#approvals").press("Approve").await;
    assert_snapshot!(bot.ada().news(), @"
    + Step 1 of 2 · Pets · 0/1
    + I've asked the team. You can leave; I'll post their answer here.
    (only you) Only the recruiting approvers can decide this.
    ");
    // Rights are those at the click.
    bot.decides("grace", false);
    bot.decides("linus", true);
    bot.grace().press("Approve").await;
    assert!(bot.grace().news().contains("Only the recruiting approvers can decide this."));
    model.next(Turn::says("Goodbye then."));
    linus().under("Move Ada").says("Approve, looks good").await;
    assert_snapshot!(linus().news(), @"
    #approvals ~ Move Ada Byron to “Goodbye”?
        This phase isn't complete. Missing items were determined by the app, not by the model.
        Person: Ada Byron
        Flow: About pets
        Phase: Pets
        Missing: A pet
        The interviewer's reason: there is no pet
        Requested: 2026-11-02 14:05 UTC
        Expires: 2026-11-09 14:05 UTC
        = Approved by Linus
    #approvals > + Approved by Linus
    ");
    model.assert_played();
}

#[tokio::test]
async fn words_of_a_denial_go_to_the_model() {
    for typed in [true, false] {
        let model = Scripted::new();
        let bot = asked(&model).await;
        model.next(Turn::says("Do you have a pet?"));
        if typed {
            bot.grace().under("Move Ada").says("Feedback: ask about the cat").await;
        } else {
            let grace = bot.grace();
            grace.press("Deny and tell the interviewer").await;
            assert!(grace.news().contains("only you"), "words are missing");
            let words = [("feedback", "ask about the cat")];
            grace.fill("Deny and tell the interviewer", &words).await;
        }
        assert!(bot.grace().news().contains("= Denied with feedback by Grace Hopper"));
        assert!(!bot.ada().screen().contains("cat"));
        assert!(model.read(1).contains("ask about the cat"), "{}", model.read(1));
        model.assert_played();
    }
}

#[tokio::test]
async fn a_decision_after_the_deadline_is_late_and_may_be_asked_for_anew() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let grace = bot.grace();
    // Nobody has drawn it yet.
    bot.clock.advance(TimeDelta::days(7) + TimeDelta::seconds(1));
    model.next(Turn::says("Nobody has decided."));
    grace.press("Deny").await;
    assert_snapshot!(grace.news(), @"
    (only you) That question has expired.
    #approvals ~ Move Ada Byron to “Goodbye”?
        This phase isn't complete. Missing items were determined by the app, not by the model.
        Person: Ada Byron
        Flow: About pets
        Phase: Pets
        Missing: A pet
        The interviewer's reason: there is no pet
        Requested: 2026-11-02 14:05 UTC
        Expires: 2026-11-09 14:05 UTC
        = Expired: nobody answered in time.
        1. Reopen
    ");
    model.next(Turn::says("Goodbye then."));
    grace.press("Reopen").await;
    grace.press("Approve").await;
    assert_snapshot!(grace.news(), @"
    #approvals + Move Ada Byron to “Goodbye”?
        This phase isn't complete. Missing items were determined by the app, not by the model.
        Person: Ada Byron
        Flow: About pets
        Phase: Pets
        Missing: A pet
        Reason given: there is no pet
        Requested: 2026-11-09 14:05 UTC
        Expires: 2026-11-16 14:05 UTC
        1. Approve
        2. Deny
        3. Deny and tell the interviewer [feedback: ]
    #approvals ~ Move Ada Byron to “Goodbye”?
        This phase isn't complete. Missing items were determined by the app, not by the model.
        Person: Ada Byron
        Flow: About pets
        Phase: Pets
        Missing: A pet
        Reason given: there is no pet
        Requested: 2026-11-09 14:05 UTC
        Expires: 2026-11-16 14:05 UTC
        = Approved by Grace Hopper
    #approvals > + Approved by Grace Hopper
    ");
}

#[tokio::test]
async fn a_request_that_no_room_takes_goes_to_those_who_decide() {
    let model = Scripted::new();
    let bot = Bot::on(PETS, Some(&model));
    bot.chat().closed = ["#approvals", "#desk"].map(str::to_owned).into();
    asks(&bot, &model).await;
    let grace = bot.person("grace");
    assert_snapshot!(bot.ada().news(), @"
    + Step 1 of 2 · Pets · 0/1
    + I couldn't post in the team's channel, so I've written directly to the people who can decide. You can leave; I'll post their answer here.
    ");
    assert_snapshot!(grace.news(), @"
    + Move Ada Byron to “Goodbye”?
        This phase isn't complete. Missing items were determined by the app, not by the model.
        Person: Ada Byron
        Flow: About pets
        Phase: Pets
        Missing: A pet
        The interviewer's reason: there is no pet
        Requested: 2026-11-02 14:05 UTC
        Expires: 2026-11-09 14:05 UTC
        1. Approve
        2. Deny
        3. Deny and tell the interviewer [feedback: ]
    ");
    model.next(Turn::says("Goodbye then."));
    grace.under("Move Ada").says("approve").await;
    assert!(bot.ada().news().contains("approved your request"));
    model.assert_played();
}

#[tokio::test]
async fn a_person_takes_over_and_gives_back() {
    let bot = Bot::begun(TALK, None).await;
    let ada = bot.ada();
    ada.says("human").await;
    assert_snapshot!(ada.news(), @"+ I've asked the team. I'll keep quiet until they answer or you type *continue*.");
    assert_snapshot!(bot.linus().news(), @"
    #desk + Ada Byron · A short talk
        Step 1 of 2 · One · 0/2 · running.
        1. Take over
        2. Hand back
        3. End the conversation
        4. Transcript
    #desk > + **Ada Byron** asked for a human in *A short talk*.
        
        - Step 1 of 2 · One
        - Still open: A colour, A file
    ");
    bot.mallory().at("#desk").under("A short talk").says("Me too?").await;
    assert_snapshot!(bot.mallory().at("#desk").news().lines().last().unwrap(), @"(only you) Only the team can do that.");
    bot.linus().under("A short talk").says("Hello Ada, it's me.").await;
    ada.says("Blue or red?").await;
    assert_snapshot!(ada.news(), @"
    + Linus from the team is here now.
    + Linus: Hello Ada, it's me.
    ");
    assert_snapshot!(bot.linus().news(), @"
    #desk > mallory Me too?
    #desk > + Ada Byron: Blue or red?
    ");
    bot.linus().under("A short talk").says("hand back").await;
    assert_snapshot!(ada.news(), @"+ The assistant is back. Let's pick up where we left off.");
}

#[tokio::test]
async fn the_team_orders_and_reads_by_what_stands_in_its_thread() {
    let bot = Bot::begun(TALK, None).await;
    bot.ada().press("Blue").await;
    bot.ada().sends("", &[("cv.txt", b"Programmer since 1842.")]).await;
    bot.ada().says("human").await;
    bot.ada().news();
    let linus = bot.linus();
    linus.news();
    linus.press("Transcript").await;
    assert!(linus.news().contains("A file, please."));
    linus.press("Take over").await;
    linus.press("Hand back").await;
    assert_snapshot!(bot.ada().news(), @"
    + Linus from the team is here now.
    + The assistant is back. Let's pick up where we left off.
    ");
    bot.mallory().at("#desk").press("Transcript").await;
    assert!(bot.mallory().news().ends_with("Only the team can do that."));
    linus.press_old("End the conversation").await;
    assert_snapshot!(bot.ada().news(), @"
    + The team has ended this conversation. Thank you for your time.
    ~ A word, please.
        = Question withdrawn: the conversation was ended.
    ");
}
