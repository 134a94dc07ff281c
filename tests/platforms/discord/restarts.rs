//! The bot dies between one step and the next (F12), and what Discord sends again: rows 3 to 9, 30 and 43.
//!
//! Rows are those of `docs/semantics.md`, F numbers those of `docs/behaviour.md`.

use std::sync::Arc;

use anteroom::{
    base::clock::Clock as _,
    model::{
        STORED_VERSION,
        session::Status,
        transcript::{Event, Recorded},
    },
    store::{Commit, Find, Store as _},
};
use chrono::{DateTime, TimeDelta, Utc};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::discord::{
    bot::{ADA, Bot, By, Plan},
    deployed::{Deployed, Victim},
    emulator::{
        faults::{Fault, Faults},
        state::{BOT, GUILD, State},
    },
    rows::{FLOW, led, plan},
    rows_cards::{begun, begun_by},
    scripted::{Gate, Scripted, Turn},
};

/// The last thing of a kind that was dispatched of somebody else than the bot.
fn last_frame(state: &State, name: &str) -> Value {
    let sent = state.gateway.sessions.values().flat_map(|session| &session.sent);
    let bot = BOT.to_string();
    let of_name =
        sent.filter(|(_, frame)| frame["t"] == name && frame["d"]["author"]["id"] != bot.as_str());
    of_name.max_by_key(|(seq, _)| *seq).unwrap().1["d"].clone()
}

#[tokio::test]
async fn row_3_what_is_delivered_again_hours_later_counts_once() {
    let bot = begun().await;
    let ada = bot.ada().at("welcome-ada");
    ada.write("a warm one").await;
    let words = bot.discord.with(|state| last_frame(state, "MESSAGE_CREATE"));
    drop(ada.news());
    for hours in [0, 3] {
        bot.pass(TimeDelta::hours(hours)).await;
        bot.tell("MESSAGE_CREATE", words.clone()).await;
        assert_eq!(ada.news(), "");
    }
    ada.press("Blue").await;
    let click = bot.discord.with(|state| last_frame(state, "INTERACTION_CREATE"));
    drop(ada.news());
    for hours in [0, 3] {
        bot.pass(TimeDelta::hours(hours)).await;
        bot.tell("INTERACTION_CREATE", click.clone()).await;
        assert_eq!(ada.news(), "");
    }
}

#[tokio::test]
async fn row_4_what_could_not_be_kept_is_sent_again_and_counts() {
    let mut bot = begun().await;
    bot.hold.die_before(1);
    bot.unrested();
    bot.ada().at("welcome-ada").write("Blue").await;
    bot.crash().await;
    // Discord sends what was not acknowledged to the session that goes on.
    bot.ada().comes_to_see("A file, please.").await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ Which colour?
          ┃✓ ✓ You answered: **Blue** · <t:1793628300:f>
      + Anteroom: ┃ A file, please.
          ┃ [+ Upload] [Skip]
          ┃ -# TXT, MD, PDF. One file, up to 1 MB.
          ┃ -# Button not working? Use `/upload`.
          ┃ -# Step 1 of 2 · One · 1/2
    ");
}

#[tokio::test]
async fn row_4_a_press_that_could_not_be_kept_is_said_and_counts_when_it_is_sent_again() {
    let mut bot = begun().await;
    bot.hold.die_before(1);
    bot.unrested();
    bot.ada().press("Blue").await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      + Anteroom (only you): That couldn't be saved right now. Please try again.
    ");
    bot.crash().await;
    bot.ada().comes_to_see("A file, please.").await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ Which colour?
          ┃✓ ✓ You answered: **Blue** · <t:1793628300:f>
      + Anteroom: ┃ A file, please.
          ┃ [+ Upload] [Skip]
          ┃ -# TXT, MD, PDF. One file, up to 1 MB.
          ┃ -# Button not working? Use `/upload`.
          ┃ -# Step 1 of 2 · One · 1/2
    ");
}

/// Over HTTP nobody sends anything again: whoever pressed is told, and presses again.
#[tokio::test]
async fn row_4_over_http_a_press_that_could_not_be_kept_is_said_and_works_the_second_time() {
    let mut bot = begun_by(By::Http).await;
    bot.hold.die_before(1);
    bot.unrested();
    bot.ada().press("Blue").await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      + Anteroom (only you): That couldn't be saved right now. Please try again.
    ");
    bot.crash().await;
    assert_snapshot!(bot.ada().news(), @"");
    bot.ada().press("Blue").await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ Which colour?
          ┃✓ ✓ You answered: **Blue** · <t:1793628300:f>
      + Anteroom: ┃ A file, please.
          ┃ [+ Upload] [Skip]
          ┃ -# TXT, MD, PDF. One file, up to 1 MB.
          ┃ -# Button not working? Use `/upload`.
          ┃ -# Step 1 of 2 · One · 1/2
          ┃ [Help] [Talk to a person] [Stop]
    ");
}

#[tokio::test]
async fn row_5_what_was_kept_and_not_acknowledged_counts_once() {
    for by in [By::Gateway, By::Http] {
        let mut bot = begun_by(by).await;
        let blue = bot.ada().button("Blue").unwrap();
        bot.hold.die_after(1);
        bot.unrested();
        bot.ada().press_again(&blue).await;
        bot.crash().await;
        bot.ada().comes_to_see("A file, please.").await;
        drop(bot.ada().news());
        bot.ada().press_again(&blue).await;
        assert_eq!(bot.ada().news(), "", "the same choice again is silent");
        let asked = bot.ada().screen().matches("A file, please.").count();
        assert_eq!(asked, 1, "{}", bot.ada().screen());
    }
}

#[tokio::test]
async fn row_6_a_bot_that_dies_after_it_took_something_goes_on_with_it() {
    for commits in 1..6 {
        let mut bot = begun().await;
        bot.hold.die_after(commits);
        bot.unrested();
        bot.ada().press("Blue").await;
        bot.crash().await;
        bot.ada().comes_to_see("A file, please.").await;
        let screen = bot.ada().at("welcome-ada").screen();
        assert_eq!(screen.matches("A file, please.").count(), 1, "{commits}:\n{screen}");
        assert!(screen.contains("✓ You answered: **Blue**"), "{commits}:\n{screen}");
    }
}

/// A tool of which nobody can say whether it was done is not run again: a person is asked.
#[tokio::test]
async fn row_7_what_may_have_been_done_is_not_done_again_and_staff_are_asked() {
    let (model, victim) = (Scripted::new(), Victim::default());
    let deployed = Deployed { once: Some(Arc::clone(&victim)), ..Deployed::default() };
    let flow = FLOW.replace("\"next_phase\"]", "\"next_phase\", \"once\"]");
    let mut bot = Bot::planned(Plan { deployed, ..plan(&model, &flow) }).await;
    model.next(Turn::says("Do you have a pet?"));
    bot.ada().at("welcome").command("/onboard start", &[]).await;
    drop((bot.ada().news(), bot.linus().news()));
    *victim.lock().unwrap() = Some(Arc::clone(&bot.hold));
    model.next(Turn::calls("once", &json!({})));
    bot.unrested();
    bot.ada().at("welcome-ada").write("A dog.").await;
    while !bot.hold.is_dead() {
        tokio::task::yield_now().await;
    }
    bot.crash().await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      + Anteroom: I can't continue on my own here, so I've asked the team.
    ");
    assert_snapshot!(bot.linus().news(), @r"
    #staff-desk
      + Anteroom: ┃ **Ada** · About pets
          ┃ -# Step 1 of 2 · Pets · 0/1 · running.
          ┃ -# Write in this thread to take over. I'll pass on what you write.
          ┃ [Take over] [Hand back] [! End the conversation]
    #Ada · About pets
      + Anteroom: **Ada** asked for a human in *About pets*: it is not known whether \`once\` happened.
          
          - Step 1 of 2 · Pets
          - Still open: A pet
    ");
    model.next(Turn::says("Then let us go on."));
    bot.ada().at("welcome-ada").write("continue").await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      + Anteroom: The assistant is back. Let's pick up where we left off.
      + Anteroom: Then let us go on.
          [Helpful] [Not helpful] [Help]
    ");
    assert_snapshot!(model.news(2), @r#"
    model calls c00000001 once {}
    c00000001 -> {"error":"it is not known whether `once` happened. hint: a person has been asked to check","code":"outcome_unknown"}
    <note>The participant was told: I can't continue on my own here, so I've asked the team.</note>
    <note>The conversation was with the team; it is yours again.</note>
    <note>The participant was told: The assistant is back. Let's pick up where we left off.</note>
    "#);
    model.assert_played();
}

#[tokio::test]
async fn row_8_a_model_that_was_asked_when_the_bot_died_is_asked_the_same_again() {
    let model = Scripted::new();
    let mut bot = led(&model, Turn::says("Do you have a pet?")).await;
    model.next(Turn::says("This was never heard.").held_by(&Gate::new()));
    bot.unrested();
    bot.ada().at("welcome-ada").write("A dog.").await;
    while model.seen().len() < 2 {
        tokio::task::yield_now().await;
    }
    bot.clock.advance(TimeDelta::seconds(20));
    model.next(Turn::says("What is it called?"));
    bot.crash().await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      + Anteroom: What is it called?
          [Helpful] [Not helpful] [Help]
    ");
    assert_eq!(model.read(1), model.read(2), "it reads the same again");
    // A silence that was noticed is excused, once.
    model.next(Turn::says("Nor was this.").held_by(&Gate::new()));
    bot.unrested();
    bot.ada().at("welcome-ada").write("Rex.").await;
    while model.seen().len() < 4 {
        tokio::task::yield_now().await;
    }
    bot.clock.advance(TimeDelta::seconds(45));
    model.next(Turn::says("A fine name."));
    bot.crash().await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      + Anteroom: Sorry, I was interrupted. Where were we: *Pets*.
      + Anteroom: A fine name.
          [Helpful] [Not helpful] [Help]
    ");
    bot.crash().await;
    assert_snapshot!(bot.ada().news(), @"");
    model.assert_played();
}

#[tokio::test]
async fn row_9_a_message_of_which_nobody_knows_whether_it_came_is_sent_under_the_same_name() {
    for fault in [Fault::BrokenAfter, Fault::Broken] {
        let mut bot = begun().await;
        bot.discord.with(|state| {
            state.faults.plan("POST /channels/{channel}/messages", 1, fault);
        });
        bot.ada().press("Blue").await;
        bot.pass(TimeDelta::seconds(30)).await;
        // And whoever doubted is gone.
        bot.crash().await;
        bot.pass(TimeDelta::seconds(30)).await;
        let screen = bot.ada().screen();
        assert_eq!(screen.matches("A file, please.").count(), 1, "{fault:?}:\n{screen}");
        bot.ada().press("Skip").await;
        assert!(bot.ada().screen().contains("A word, please."), "{}", bot.ada().screen());
    }
}

/// What left and was not noted before the end of the process leaves once more, under the name it had.
#[tokio::test]
async fn row_9_what_was_sent_and_not_noted_is_shown_once() {
    let mut bot = begun().await;
    bot.hold.mute(99);
    bot.ada().press("Blue").await;
    bot.clock.advance(TimeDelta::minutes(1));
    bot.discord.with(|state| state.advance(TimeDelta::minutes(1)));
    bot.crash().await;
    bot.pass(TimeDelta::seconds(30)).await;
    let screen = bot.ada().screen();
    assert_eq!(screen.matches("A file, please.").count(), 1, "{screen}");
    bot.ada().press("Skip").await;
    assert!(bot.ada().screen().contains("A word, please."), "{}", bot.ada().screen());
}

#[tokio::test]
async fn row_9_a_card_that_was_answered_before_it_was_known_to_be_there_is_closed() {
    let mut bot = begun().await;
    bot.discord.with(|state| {
        state.faults.plan("POST /channels/{channel}/messages", 99, Fault::BrokenAfter);
    });
    bot.ada().press("Blue").await;
    bot.ada().press("Skip").await;
    bot.discord.with(|state| state.faults = Faults::default());
    bot.clock.advance(TimeDelta::seconds(1));
    bot.discord.with(|state| state.advance(TimeDelta::seconds(1)));
    bot.crash().await;
    bot.pass(TimeDelta::minutes(2)).await;
    let screen = bot.ada().screen();
    assert!(screen.contains("A word, please."), "{screen}");
    assert!(!screen.contains("[Skip]"), "{screen}");
}

/// Ada's conversation has an event that only a newer program can read.
async fn unreadable() -> Bot {
    unreadable_at(|status| status).await
}

/// The same for one whose status is changed with it.
async fn unreadable_at(to: impl Fn(Status) -> Status) -> Bot {
    let bot = begun().await;
    let head = bot.store.find(Find::One(bot.session().await)).await.unwrap().remove(0);
    let newer = Recorded {
        v: STORED_VERSION + 1,
        seq: head.seq + 1,
        at: head.updated_at,
        event: Arc::new(Event::RemindersStopped),
    };
    let expected = head.seq;
    let (seq, status) = (head.seq + 1, to(head.status));
    let head = anteroom::model::session::Head { seq, status, ..head };
    let commit = Commit::new(head, expected, vec![newer]);
    bot.store.commit(commit).await.unwrap();
    bot
}

#[tokio::test]
async fn row_30_a_member_leaves_with_a_conversation_of_a_newer_program_and_the_others_run() {
    let bot = unreadable().await;
    let left = json!({ "guild_id": GUILD.to_string(), "user": { "id": ADA.to_string() } });
    bot.tell("GUILD_MEMBER_REMOVE", left).await;
    bot.grace().at("welcome").command("/onboard start", &[]).await;
    assert!(bot.grace().screen().contains("Which colour?"), "{}", bot.grace().screen());
    let resumed = bot.discord.with(|state| state.gateway.resumed());
    assert_eq!(resumed, 0, "nothing is sent again and again");
}

#[tokio::test]
async fn row_30_somebody_comes_back_to_a_paused_conversation_of_a_newer_program_once() {
    let bot = unreadable_at(|_| Status::Paused).await;
    bot.ada().at("welcome").command("/onboard start", &[]).await;
    bot.grace().at("welcome").command("/onboard start", &[]).await;
    assert!(bot.grace().screen().contains("Which colour?"), "{}", bot.grace().screen());
    let resumed = bot.discord.with(|state| state.gateway.resumed());
    assert_eq!(resumed, 0, "nothing is sent again and again");
}

/// What stays as it is is not asked for again and again either, after a session that is over.
#[tokio::test]
async fn row_30_a_conversation_of_a_newer_program_does_not_keep_the_others_from_being_read() {
    let bot = unreadable().await;
    bot.clock.advance(TimeDelta::minutes(5));
    bot.away(|_| {}).await;
    let heard = bot.store.noted("discord/heard/-").await.unwrap().unwrap().value.unwrap();
    assert_eq!(heard.parse::<DateTime<Utc>>().unwrap(), bot.clock.now());
}

#[tokio::test]
async fn whoever_writes_where_too_much_is_going_on_is_told_and_nobody_else_is_cut_off() {
    let bot = begun().await;
    bot.grace().at("welcome").command("/onboard start", &[]).await;
    drop(bot.grace().news());
    // Each of as many tries as one event has finds that somebody else was faster.
    bot.hold.conflict(16);
    bot.ada().at("welcome-ada").write("Blue").await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      + Anteroom: The server is busy. Please try again in a moment.
    ");
    bot.grace().press("Blue").await;
    assert!(bot.grace().screen().contains("A file, please."), "{}", bot.grace().screen());
    let resumed = bot.discord.with(|state| state.gateway.resumed());
    assert_eq!(resumed, 0, "nothing is sent again");
    bot.ada().at("welcome-ada").write("Blue").await;
    assert!(bot.ada().screen().contains("A file, please."), "{}", bot.ada().screen());
}

#[tokio::test]
async fn whoever_leaves_while_too_much_is_going_on_is_missed_a_while_later() {
    let bot = begun().await;
    bot.hold.conflict(16);
    let left = json!({ "guild_id": GUILD.to_string(), "user": { "id": ADA.to_string() } });
    bot.tell("GUILD_MEMBER_REMOVE", left).await;
    assert_eq!(bot.store.sessions(None, 1).await.unwrap()[0].status, Status::Paused);
    let resumed = bot.discord.with(|state| state.gateway.resumed());
    assert_eq!(resumed, 0, "nothing is sent again");
}

#[tokio::test]
async fn row_30_a_conversation_of_a_newer_program_is_refused_with_words_and_the_others_run() {
    let bot = unreadable().await;
    bot.ada().press("Blue").await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      + Anteroom (only you): I can't open this conversation right now. The team needs to look at it.
    ");
    bot.ada().at("welcome-ada").write("Blue").await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      + Anteroom: I can't open this conversation right now. The team needs to look at it.
    ");
    assert_eq!(
        bot.discord.with(|state| state.gateway.resumed()),
        0,
        "nothing is sent again and again"
    );
    bot.grace().at("welcome").command("/onboard start", &[]).await;
    bot.grace().press("Blue").await;
    assert!(bot.grace().screen().contains("A file, please."), "{}", bot.grace().screen());
}

#[tokio::test]
async fn row_43_with_the_disk_full_nothing_is_taken_and_it_is_said() {
    for by in [By::Gateway, By::Http] {
        let bot = begun_by(by).await;
        bot.hold.fill(true);
        bot.ada().press("Blue").await;
        let told = bot.ada().news();
        let said = "(only you): That couldn't be saved right now. Please try again.";
        assert!(told.contains(said), "{told}");
        bot.hold.fill(false);
        bot.ada().press("Blue").await;
        let screen = bot.ada().screen();
        assert_eq!(screen.matches("A file, please.").count(), 1, "{screen}");
    }
}

/// Words that could not be kept come again over the connection that follows.
#[tokio::test]
async fn row_43_words_for_which_there_was_no_room_come_again() {
    let bot = begun().await;
    bot.hold.fill(true);
    bot.unrested();
    bot.ada().at("welcome-ada").write("Red").await;
    assert_snapshot!(bot.ada().news(), @"");
    bot.hold.fill(false);
    bot.rested().await;
    bot.ada().comes_to_see("A file, please.").await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ Which colour?
          ┃✓ ✓ You answered: **Red** · <t:1793628300:f>
      + Anteroom: ┃ A file, please.
          ┃ [+ Upload] [Skip]
          ┃ -# TXT, MD, PDF. One file, up to 1 MB.
          ┃ -# Button not working? Use `/upload`.
          ┃ -# Step 1 of 2 · One · 1/2
    ");
}

/// F12: nobody is told of a restart with a card open, whoever leads.
#[tokio::test]
async fn a_restart_with_a_card_open_is_not_noticed_where_a_model_leads() {
    let model = Scripted::new();
    let mut bot = Bot::planned(Plan { by: By::Http, ..plan(&model, FLOW) }).await;
    model.next(Turn::calls("get_user_option", &crate::discord::rows::colours()));
    bot.ada().at("welcome").command("/onboard start", &[]).await;
    drop(bot.ada().news());
    for _ in 0..3 {
        bot.crash().await;
    }
    assert_snapshot!(bot.ada().news(), @"");
    model.next(Turn::says("Blue, then."));
    bot.ada().press("Blue").await;
    assert!(bot.ada().screen().contains("Anteroom: Blue, then.\n"), "{}", bot.ada().screen());
    let threads = bot.discord.with(|state| {
        state.channels.values().filter(|channel| channel.people.contains(&ADA)).count()
    });
    assert_eq!(threads, 1);
    model.assert_played();
}
