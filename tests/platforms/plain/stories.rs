//! What a participant lives through: answers, words, files, orders, commands.

use anteroom::chat::NotFetched;
use chrono::TimeDelta;
use insta::assert_snapshot;

use super::{bot::Bot, flows::TALK};

/// Ada is asked for a colour.
async fn begun() -> Bot {
    Bot::begun(TALK, None).await
}

/// Ada is asked for a file.
async fn at_the_file() -> Bot {
    let bot = begun().await;
    bot.ada().press("Blue").await;
    bot.ada().news();
    bot
}

/// Ada is asked for a word.
async fn at_the_word() -> Bot {
    let bot = at_the_file().await;
    bot.ada().press("Skip").await;
    bot.ada().news();
    bot
}

#[tokio::test]
async fn whoever_writes_first_is_asked_what_they_would_like_and_once() {
    let bot = Bot::on(TALK, None);
    let ada = bot.ada();
    ada.says("Hello?").await;
    assert_snapshot!(ada.news(), @"
    + Hello! What would you like to begin?
        1. A short talk
    ");
    bot.repeats_all().await;
    assert_snapshot!(ada.news(), @"");
    ada.press("A short talk").await;
    assert_snapshot!(ada.news(), @"
    + Step 1 of 2 · One · 0/2
    + Which colour?
        1. Red
        2. Blue
    ");
    bot.repeats_all().await;
    assert_snapshot!(ada.news(), @"");
}

#[tokio::test]
async fn the_same_choice_twice_is_silent_and_another_one_is_told() {
    let bot = begun().await;
    let ada = bot.ada();
    ada.press("Blue").await;
    assert_snapshot!(ada.news(), @"
    + A file, please.
        1. Skip
    ~ Which colour?
        = You answered: Blue
    ~ Step 1 of 2 · One · 1/2
    ");
    ada.press_old("Blue").await;
    assert_snapshot!(ada.news(), @"");
    ada.press_old("Red").await;
    assert_snapshot!(ada.news(), @"(only you) That question was answered at 2 Nov 2026 14:05 UTC.");
    assert_eq!(bot.look().await.state.results["colour"]["selectedIds"][0], "blue");
}

#[tokio::test]
async fn somebody_else_is_told_in_private_and_not_without_end() {
    let bot = begun().await;
    let mallory = bot.mallory().at("@ada");
    mallory.press("Red").await;
    assert_snapshot!(mallory.news(), @"(only you) Only the person who was asked can answer this.");
    for _ in 0..20 {
        mallory.press("Red").await;
    }
    assert_eq!(mallory.news().lines().count(), 9);
    mallory.says("Red").await;
    assert_snapshot!(mallory.news(), @"");
    bot.ada().press("Blue").await;
}

#[tokio::test]
async fn words_answer_a_choice_as_far_as_they_fit() {
    let bot = begun().await;
    let ada = bot.ada();
    ada.says("Something in between").await;
    assert_snapshot!(ada.news(), @"+ I couldn't match that to one of the choices. Please pick one, or write its name.");
    ada.says("blue please").await;
    assert_snapshot!(ada.news(), @"
    + A file, please.
        1. Skip
    ~ Which colour?
        = You answered: Blue
    ~ Step 1 of 2 · One · 1/2
    ");
}

#[tokio::test]
async fn a_card_that_was_taken_away_is_no_answer_and_comes_again() {
    let bot = begun().await;
    let ada = bot.ada();
    bot.takes_away("@ada", "Which colour?");
    bot.pass(TimeDelta::hours(25)).await;
    assert_snapshot!(ada.news(), @"
    + A reminder: this question is still open. Type *stop reminders* for no more of these.
        1. Later
        2. Stop reminders
    + Which colour?
        1. Red
        2. Blue
    ");
    ada.press("Blue").await;
    assert_eq!(ada.screen().matches("Which colour?").count(), 1, "{}", ada.screen());
}

#[tokio::test]
async fn silence_is_reminded_of_twice_and_then_pauses() {
    let bot = begun().await;
    for (hours, said) in [(25, "A reminder"), (48, "A reminder"), (12 * 24, "I've paused")] {
        bot.pass(TimeDelta::hours(hours)).await;
        let news = bot.ada().news();
        assert_eq!(news.matches(said).count(), 1, "{news}");
    }
    bot.pass(TimeDelta::days(3)).await;
    assert_eq!(bot.ada().news(), "");
    bot.ada().press("Blue").await;
    assert_snapshot!(bot.ada().news(), @"
    + A file, please.
        1. Skip
    ~ Which colour?
        = You answered: Blue
    ~ Step 1 of 2 · One · 1/2
    ");
}

#[tokio::test]
async fn whoever_stops_is_asked_nothing_until_they_go_on() {
    let bot = begun().await;
    let ada = bot.ada();
    ada.says("Stop.").await;
    assert_snapshot!(ada.news(), @"
    + Stopped. I won't ask anything more. Type *resume* to continue later, or *delete my data* to erase everything.
        1. Continue
        2. Delete my data
    ~ Which colour?
        = Question withdrawn: the conversation was stopped.
    ");
    ada.press_old("Blue").await;
    assert_snapshot!(ada.news(), @"(only you) That question is no longer open.");
    ada.press("Continue").await;
    assert_snapshot!(ada.news(), @"
    + Welcome back. Let's pick up where we left off.
    + Which colour?
        1. Red
        2. Blue
    ");
}

#[tokio::test]
async fn a_copy_is_offered_by_words_and_handed_out_once() {
    let bot = begun().await;
    let ada = bot.ada();
    ada.says("export").await;
    ada.press("Download").await;
    bot.repeats_all().await;
    assert_snapshot!(ada.news(), @"
    + Here's a copy of everything you told me.
        1. Download
    + Here it is: Ada Byron - A short talk.zip
    ");
    let archive = bot.chat().files["Ada Byron - A short talk.zip"].clone();
    assert_eq!(archive[..2], *b"PK");
}

#[tokio::test]
async fn a_copy_that_takes_too_long_is_said_to_have_failed() {
    let bot = begun().await;
    let ada = bot.ada();
    ada.says("export").await;
    drop(ada.news());
    bot.chat().is_stuck = true;
    tokio::time::pause();
    ada.press("Download").await;
    assert_snapshot!(ada.news(), @"+ That didn't work.");
}

#[tokio::test]
async fn how_far_it_is_stands_in_one_message() {
    let bot = at_the_file().await;
    bot.ada().press("Skip").await;
    assert_eq!(bot.ada().screen().matches("Step").count(), 1);
    bot.takes_away("@ada", "Step");
    bot.ada().says("Bone").await;
    assert_eq!(bot.ada().screen().matches("Step").count(), 1, "it is posted anew");
}

#[tokio::test]
async fn a_file_is_taken_or_it_is_said_why_not() {
    let bot = at_the_file().await;
    let ada = bot.ada();
    let large = vec![b'a'; 1_100_000];
    ada.sends("", &[("photo.heic", b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00heic")]).await;
    ada.sends("", &[("large.txt", &large)]).await;
    bot.chat().downloads.push(NotFetched::Refused("That file is nobody's.".to_owned()));
    ada.sends("", &[("gone.txt", b"Programmer")]).await;
    assert_snapshot!(ada.news(), @"
    + I can read PDF, TXT or MD. I do not know what *photo.heic* is.
    + *large.txt* has 1.1 MB; I can take at most 1 MB.
    + That file is nobody's.
    ");
    ada.sends("Here it is.", &[("cv.txt", b"Programmer since 1842.")]).await;
    assert_snapshot!(ada.news(), @"
    + A word, please.
    ~ A file, please.
        = You sent: cv.txt
    ~ Step 2 of 2 · Two · 0/1
    ");
}

#[tokio::test]
async fn a_file_that_cannot_be_had_now_is_asked_for_again_and_in_the_end_of_whoever_sent_it() {
    let later = NotFetched::Later("I can't reach it.".to_owned());
    for (failures, has_come) in [(3, true), (99, false)] {
        let bot = at_the_file().await;
        let ada = bot.ada();
        bot.chat().downloads = vec![later.clone(); failures];
        ada.sends("", &[("cv.txt", b"Programmer")]).await;
        assert_eq!(ada.news(), "");
        for _ in 0..6 {
            bot.pass(TimeDelta::minutes(1)).await;
        }
        let news = ada.news();
        assert_eq!(news.contains("You sent: cv.txt"), has_come, "{news}");
        assert_eq!(news.contains("I can't reach it. Please send `cv.txt`"), !has_come, "{news}");
    }
}

#[tokio::test]
async fn what_was_written_may_be_changed_or_taken_back() {
    let bot = at_the_word().await;
    let ada = bot.ada();
    ada.says("Bone").await;
    assert_snapshot!(ada.news(), @"
    + What do you drink?
        - Tea
        - Milk
        1. Done [pick: ]
    ~ A word, please.
        = You answered: Bone
        1. Change
    ~ Step 2 of 2 · Two · 1/1
    ");
    ada.changes("Bone", Some("Bones")).await;
    assert_snapshot!(ada.news(), @"
    ~ Bones
    ~ A word, please.
        = You answered: Bones
        1. Change
    ");
    assert_eq!(bot.look().await.state.results["word"]["userInput"], "Bones");
    ada.says("Something else").await;
    ada.changes("Something else", None).await;
    let log = serde_json::to_string(&bot.look().await.loaded.events).unwrap();
    assert!(log.contains("amended"), "{log}");
}

#[tokio::test]
async fn what_is_filled_in_wrongly_is_said_and_the_question_stays() {
    let bot = at_the_word().await;
    let ada = bot.ada();
    ada.says("Bone").await;
    ada.news();
    ada.press("Done").await;
    ada.fill("Done", &[("pick", "Tea, Milk")]).await;
    assert_snapshot!(ada.news(), @"
    (only you) Please pick at least one.
    + Pet
        Is that your pet?
        Name: Rax
        1. Looks right
        2. Save [name: Rax] [kind: ]
        3. Start over [notes: ]
    ~ What do you drink?
        - Tea
        - Milk
        = You answered: Tea, Milk
    ");
    ada.fill("Save", &[("name", "")]).await;
    ada.fill("Save", &[("name", "Rex"), ("kind", "A dog")]).await;
    assert_snapshot!(ada.news(), @"
    (only you) Enter a name.
    ~ Pet
        Is that your pet?
        Name: Rex
        Kind: A dog
        1. Looks right
        2. Save [name: Rex] [kind: A dog]
        3. Start over [notes: ]
    ");
    bot.mallory().at("@ada").fill("Save", &[("name", "")]).await;
    assert_snapshot!(bot.mallory().news(), @"(only you) Only the person who was asked can answer this.");
    ada.press("Looks right").await;
    assert_snapshot!(ada.news(), @"
    + That's everything, thank you! The team can see the following:
        
        - Pet
        
        Type *export* for a copy, or *delete my data* to erase it.
        1. Download
    ~ Pet
        Is that your pet?
        Name: Rex
        Kind: A dog
        = Approved by you
    ");
}

/// Who says what, and what each is told.
#[tokio::test]
async fn commands_do_what_they_say_to_those_who_may() {
    let bot = Bot::on(TALK, None);
    for (who, said, told) in [
        (
            "ada",
            "!onboard status",
            "There is no conversation yet. Begin one with `!onboard start`.",
        ),
        ("ada", "!onboard overview", "Only the team can do that."),
        ("ada", "!onboard pause @grace", "Only the team can do that."),
        ("linus", "!onboard invite", "Please name the person: `!onboard invite @person`."),
        ("linus", "!onboard show @ada", "This person has no conversation here."),
        ("linus", "!onboard invite @ada", "ada is invited."),
        ("linus", "!onboard invite @ada", "ada is invited."),
        ("ada", "!onboard status", "A short talk"),
        ("ada", "!onboard status @ada", "Only the team can do that."),
        ("ada", "!onboard pause", "Done."),
        ("ada", "!onboard resume", "Done."),
        ("ada", "!onboard advance", "asked the team"),
        ("linus", "!onboard overview", "1 open"),
        ("linus", "!onboard show @ada", "Take over"),
        ("linus", "!onboard take over @ada", "taken over"),
        ("linus", "!onboard hand-back @ada", "assistant"),
        ("linus", "!onboard export @ada", "Here it is: Ada Byron - A short talk.zip"),
        ("linus", "!onboard end @ada reason: enough", "ended"),
        ("ada", "!onboard nonsense", "`!onboard human`: Talk to a person"),
        ("ada", "!onboard help", "`!onboard export`: get a copy of everything"),
        ("linus", "!onboard help", "`!onboard invite @person`: invite somebody to an interview"),
    ] {
        let person = bot.person(who);
        person.says(said).await;
        let news = person.news();
        assert!(news.to_lowercase().contains(&told.to_lowercase()), "{who}: {said}\n{news}");
    }
    assert_eq!(bot.store_sessions().await, 1, "an invitation finds what was begun");
}
