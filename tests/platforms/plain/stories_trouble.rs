//! What goes wrong: the chat that refuses, the process that dies, what cannot be kept; and what an erasure leaves.

use std::time::Duration;

use anteroom::chat::refusal::Class;
use chrono::TimeDelta;
use insta::assert_snapshot;

use super::{
    bot::Bot,
    chat::Refused,
    flows::{PETS, TALK},
};
use crate::support::scripted::{Scripted, Turn};

const LATER: Refused = Refused(Class::Later { after: Duration::from_secs(20) }, false);
const LOST: Refused = Refused(Class::Unclear, false);
/// It was done, and nobody heard of it.
const UNHEARD: Refused = Refused(Class::Unclear, true);
const UNKNOWN: Refused = Refused(Class::Unknown, false);

#[tokio::test]
async fn what_is_refused_for_a_while_arrives_once() {
    for refused in [LATER, LOST, UNHEARD, UNKNOWN] {
        let mut bot = Bot::begun(TALK, None).await;
        bot.fail("post", 3, refused);
        bot.fail("edit", 2, refused);
        bot.ada().press("Blue").await;
        for _ in 0..5 {
            bot.pass(TimeDelta::minutes(1)).await;
        }
        let screen = bot.ada().screen();
        assert_eq!(screen.matches("A file, please.").count(), 1, "{refused:?}\n{screen}");
        assert!(screen.contains("= You answered: Blue"), "{refused:?}\n{screen}");
        bot.crash().await;
        assert_eq!(bot.ada().screen(), screen, "{refused:?}");
        assert_eq!(bot.linus().news(), "", "nobody of the team is bothered");
    }
}

#[tokio::test]
async fn what_is_refused_for_good_is_told_to_the_team() {
    let bot = Bot::begun(TALK, None).await;
    bot.fail("post", 1, Refused(Class::Final, false));
    bot.ada().press("Blue").await;
    assert_snapshot!(bot.linus().news(), @"
    #desk + Ada Byron · A short talk
        Step 1 of 2 · One · 1/2 · running.
        1. Take over
        2. Send a reminder
        3. End the conversation
        4. Transcript
    #desk > + **Ada Byron** didn't get a message from me: the chat says: Final.
    ");
    bot.ada().sends("", &[("cv.txt", b"Programmer")]).await;
    assert!(bot.ada().screen().contains("A word, please."), "it is asked, and can be answered");
}

#[tokio::test]
async fn a_room_that_is_closed_is_waited_for() {
    let bot = Bot::begun(TALK, None).await;
    bot.closes("#desk");
    bot.ada().says("human").await;
    bot.pass(TimeDelta::hours(30)).await;
    let news = bot.linus().news();
    assert!(news.contains("I can't post that in `recruiting_desk` right now."), "{news}");
    assert!(!news.contains("#desk"), "{news}");
    bot.chat().closed.clear();
    bot.pass(TimeDelta::minutes(1)).await;
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
    #desk > + Nobody has taken over yet: the participant asked.
    ");
}

#[tokio::test]
async fn whoever_blocks_the_bot_is_waited_for() {
    let bot = Bot::begun(TALK, None).await;
    bot.fail("post", 1, Refused(Class::PersonUnreachable("they have blocked the bot"), false));
    bot.ada().press("Blue").await;
    assert_snapshot!(bot.linus().news(), @"
    #desk + Ada Byron · A short talk
        Step 1 of 2 · One · 1/2 · paused.
        1. Take over
        2. End the conversation
        3. Transcript
    #desk > + **Ada Byron** didn't get a message from me: they have blocked the bot.
    #desk > + The conversation with Ada Byron is paused until they can be reached; nothing is lost.
    ");
    bot.ada().news();
    bot.ada().says("I'm back").await;
    assert_snapshot!(bot.ada().news(), @"
    + Please send a file here, or use the buttons on the card.
    + A file, please.
        1. Skip
    ");
}

#[tokio::test]
async fn a_message_that_stays_as_it_is_is_followed_by_a_new_one() {
    let bot = Bot::begun(TALK, None).await;
    bot.fail("edit", 9, Refused(Class::Uneditable, false));
    bot.pass(TimeDelta::hours(25)).await;
    assert_snapshot!(bot.ada().news(), @"
    + A reminder: this question is still open. Type *stop reminders* for no more of these.
        1. Later
        2. Stop reminders
    + Which colour?
        1. Red
        2. Blue
    ");
}

/// Between the post and its record.
#[tokio::test]
async fn a_card_that_was_answered_before_it_was_noted_is_found_and_closed() {
    let mut bot = Bot::begun(TALK, None).await;
    bot.fail("post", 1, UNHEARD);
    bot.ada().press("Blue").await;
    bot.ada().press("Skip").await;
    bot.crash().await;
    bot.pass(TimeDelta::minutes(1)).await;
    let screen = bot.ada().screen();
    assert_eq!(screen.matches("A file, please.").count(), 1, "{screen}");
    assert!(screen.contains("A file, please.\n= You skipped this"), "{screen}");
}

/// Wherever the process dies, and whether the chat was answered or not.
#[tokio::test]
async fn a_restart_in_the_middle_is_noticed_by_nobody() {
    let whole = Bot::begun(TALK, None).await;
    whole.ada().press("Blue").await;
    for n in 1..8 {
        for is_before in [true, false] {
            let mut bot = Bot::begun(TALK, None).await;
            if is_before {
                bot.hold.die_before(n);
            } else {
                bot.hold.die_after(n);
            }
            bot.ada().press("Blue").await;
            bot.crash().await;
            bot.deliver_again().await;
            bot.pass(TimeDelta::seconds(10)).await;
            assert_eq!(bot.ada().screen(), whole.ada().screen(), "{n} {is_before}");
        }
    }
}

#[tokio::test]
async fn what_could_not_be_saved_is_not_acknowledged_and_counts_when_it_comes_again() {
    let bot = Bot::begun(TALK, None).await;
    bot.hold.fill(true);
    bot.ada().says("Blue").await;
    bot.ada().press("Red").await;
    assert_eq!((bot.ada().news(), bot.deliver_again().await), (String::new(), 0));
    bot.hold.fill(false);
    assert_eq!(bot.deliver_again().await, 2);
    assert_snapshot!(bot.ada().news(), @"
    (only you) That question was answered at 2 Nov 2026 14:05 UTC.
    + A file, please.
        1. Skip
    ~ Which colour?
        = You answered: Blue
    ~ Step 1 of 2 · One · 1/2
    ");
    bot.repeats_all().await;
    assert_eq!(bot.ada().news(), "", "what was acknowledged is known");
}

/// Ada has asked for a person, who has written under what the team reads of it, and has her data deleted.
async fn erased(trouble: impl FnOnce(&Bot)) -> Bot {
    let bot = Bot::begun(TALK, None).await;
    bot.ada().press("Blue").await;
    bot.ada().says("human").await;
    bot.linus().under("A short talk").says("I'm Linus.").await;
    bot.ada().says("delete my data").await;
    trouble(&bot);
    bot.ada().press("Delete everything").await;
    for _ in 0..3 {
        bot.pass(TimeDelta::minutes(1)).await;
    }
    bot
}

#[tokio::test]
async fn an_erasure_takes_away_what_was_posted_and_says_what_is_left() {
    let bot = erased(|_| {}).await;
    assert_snapshot!(bot.ada().screen(), @"
    !onboard start
    human
    delete my data
    **Everything is erased.** Receipt: `AAAAAAAAAAAAAAAAAAAAEA`. I've also removed what I had posted: 9 messages.

    What's left:

    - 1 message that the team wrote under a message of mine in the team's channel. My message is blank now; whoever wrote the others can delete them.
    ");
    assert_snapshot!(bot.linus().screen(), @"
    This conversation was erased.
    I'm Linus.
    ");
    assert_eq!(bot.store_sessions().await, 0);
    // Whatever still shows an old button leads to the receipt.
    bot.ada().news();
    bot.ada().press_old("Red").await;
    bot.ada().press_old("Delete everything").await;
    assert_snapshot!(bot.ada().news(), @"
    (only you) There is no such question here.
    (only you) **Everything is erased.** Receipt: `AAAAAAAAAAAAAAAAAAAAEA`. I've also removed what I had posted: 9 messages.
        
        What's left:
        
        - 1 message that the team wrote under a message of mine in the team's channel. My message is blank now; whoever wrote the others can delete them.
    ");
}

#[tokio::test]
async fn what_an_erasure_cannot_take_away_is_blanked_or_told() {
    let kept = Refused(Class::Uneditable, false);
    let bot = erased(|bot| bot.fail("delete", 99, kept)).await;
    assert_snapshot!(bot.ada().screen(), @"
    !onboard start
    This conversation was erased.
    This conversation was erased.
    This conversation was erased.
    human
    This conversation was erased.
    This conversation was erased.
    This conversation was erased.
    delete my data
    This conversation was erased.
    **Everything is erased.** Receipt: `AAAAAAAAAAAAAAAAAAAAEA`. I've also removed what I had posted: 9 messages.

    What's left:

    - 1 message that the team wrote under a message of mine in the team's channel. My message is blank now; whoever wrote the others can delete them.
    - A message of mine that I can't delete. It's blank now; an admin can delete it.
    ");
    assert_snapshot!(bot.linus().screen(), @"
    This conversation was erased.
    This conversation was erased.
    I'm Linus.
    ");
    let bot = erased(|bot| bot.closes("#desk")).await;
    assert!(bot.linus().screen().contains("Ada Byron"));
    assert_snapshot!(bot.ada().screen().lines().last().unwrap(), @"- 1 message of mine in the team's channel (I'm not allowed to change it). An admin can delete them.");
    let bot = erased(|bot| bot.fail("delete", 2, LOST)).await;
    assert!(!bot.ada().screen().contains("Which colour?"), "{}", bot.ada().screen());
}

#[tokio::test]
async fn words_of_a_model_are_posted_once_whatever_happens() {
    for refused in [LOST, UNHEARD] {
        let model = Scripted::new();
        model.next(Turn::says("Do you have a pet?"));
        let mut bot = Bot::begun(PETS, Some(&model)).await;
        model.next(Turn::says("What is it called?"));
        bot.fail("post", 1, refused);
        bot.ada().says("A dog.").await;
        bot.clock.advance(TimeDelta::seconds(2));
        bot.crash().await;
        assert_eq!(bot.ada().screen().matches("What is it called?").count(), 1);
        model.assert_played();
    }
}
