//! People who come, leave, are banned and come back; what was written while nobody listened.

use std::{fs, time::Duration};

use anteroom::{
    model::{session::Status, transcript::Event},
    store::Store as _,
};
use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::discord::{
    bot::{ADA, Bot, Plan, WELCOME, role},
    emulator::state::{BOT, GUILD, Member, Message, State, may},
    person::member_json,
};

/// Somebody is out of the server and of all of its threads.
fn gone(state: &mut State, user: u64) -> Value {
    state.guilds.get_mut(&GUILD).unwrap().members.remove(&user);
    for channel in state.channels.values_mut().filter(|channel| channel.is_thread()) {
        channel.people.remove(&user);
    }
    json!({ "guild_id": GUILD.to_string(), "user": { "id": user.to_string() } })
}

/// Somebody is in the server, as the event says it.
fn here(state: &mut State, user: u64, is_pending: bool) -> Value {
    let member = Member { is_pending, ..Member::default() };
    state.guilds.get_mut(&GUILD).unwrap().members.insert(user, member);
    let mut told = member_json(state, user, None);
    told["guild_id"] = GUILD.to_string().into();
    told
}

impl Bot {
    fn threads(&self) -> Vec<String> {
        self.discord.with(|state| {
            let threads = state.channels.values().filter(|channel| channel.parent == Some(WELCOME));
            threads.map(|channel| channel.name.clone()).collect()
        })
    }

    async fn status(&self) -> Status {
        self.store.sessions(None, 1).await.unwrap()[0].status
    }
}

#[tokio::test]
async fn whoever_is_banned_is_waited_for_too() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    let told = bot.discord.with(|state| gone(state, ADA));
    bot.tell("GUILD_BAN_ADD", told.clone()).await;
    bot.tell("GUILD_MEMBER_REMOVE", told).await;
    assert_snapshot!(bot.linus().news(), @"
    #staff-desk
      + Anteroom: ┃ **Ada** · Community welcome
          ┃ -# Step 1 of 4 · Rules · 0/2 · paused.
          ┃ -# Reply to a message of mine in this thread to take over. I'll pass on what you write.
          ┃ [Take over] [! End the conversation]
    #Ada · Community welcome
      + Anteroom: I can't reach Ada any more: they were banned. The conversation is paused; nothing is lost.
    ");
    assert_eq!(bot.status().await, Status::Paused);
}

#[tokio::test]
async fn whoever_comes_back_is_let_into_their_thread_again() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    let told = bot.discord.with(|state| gone(state, ADA));
    bot.tell("GUILD_MEMBER_REMOVE", told).await;
    let thread = bot.discord.with(|state| {
        let (id, thread) =
            state.channels.iter_mut().find(|(_, c)| c.name == "welcome-ada").unwrap();
        thread.is_archived = true;
        *id
    });
    let told = bot.discord.with(|state| here(state, ADA, false));
    bot.tell("GUILD_MEMBER_ADD", told).await;
    assert_eq!(bot.status().await, Status::Open);
    let people = bot.discord.with(|state| state.channels[&thread].people.clone());
    assert_eq!(people, [ADA, BOT].into());
    bot.ada().press("I accept").await;
}

/// Without the privileged intent nobody tells who leaves or comes back.
#[tokio::test]
async fn whoever_has_left_unseen_is_missed_when_a_role_is_due_and_found_again_by_their_press() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    bot.ada().press("I accept").await;
    let (channel, message, id) = bot.ada().button("Yes").unwrap();
    let payload = bot.discord.with(|state| {
        let token = state.interact(3, ADA, channel, Some(message)).1;
        let data = json!({ "custom_id": id, "component_type": 2 });
        let payload = state.payload(&token, &data);
        gone(state, ADA);
        payload
    });
    bot.tell("INTERACTION_CREATE", payload).await;
    assert_eq!(bot.status().await, Status::Paused);
    assert_snapshot!(bot.linus().news(), @"
    #staff-desk
      + Anteroom: ┃ **Ada** · Community welcome
          ┃ -# Step 2 of 4 · Interests · 0/1 · paused.
          ┃ -# Reply to a message of mine in this thread to take over. I'll pass on what you write.
          ┃ [Take over] [! End the conversation]
    #Ada · Community welcome
      + Anteroom: I can't reach Ada any more: they're no longer in the server. The conversation is paused; nothing is lost.
    ");
    bot.discord.with(|state| gone(state, ADA));
    bot.discord.with(|state| here(state, ADA, false));
    bot.ada().news();
    bot.ada().at("welcome").press("Start").await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome
      + Anteroom (only you): Your thread: #welcome-ada
    #welcome-ada
      + Anteroom (edited): ┃✓ ### Community welcome
          ┃✓ **This is a bot.** It asks a few fixed questions; you can skip the introduction in step 3.
          ┃✓ It keeps your answers for 90 days and posts nothing until you approve it. Details: https://example.org/privacy
          ┃✓ 
          ┃✓ Press **Ask staff** to reach staff, **Stop** to end, **Delete my data** to erase.
          ┃✓ ✓ You answered: **Start** · <t:1793628300:f>
      + Anteroom (edited): ┃✓ 1. Be kind.
          ┃✓ 2. No spam or self-promotion outside #showcase.
          ┃✓ 3. Keep it legal and on topic.
          ┃✓ 4. Staff have the last word.
          ┃✓ ✓ You answered: **I accept** · <t:1793628300:f>
      + Anteroom (edited): ┃✓ Are you at least 13, or older if your country's law asks for it?
          ┃✓ ✓ You answered: **Yes** · <t:1793628300:f>
      + Anteroom (edited): ┃ What brings you here? Pick any. This decides which channels you see.
          ┃ {Choose… 0-6: Learning | Building projects | Helping others | Jobs | Events | Just reading}
          ┃ [+ Done] [Skip]
          ┃ -# Step 2 of 4 · Interests · 0/1
          ┃ [Help] [Talk to a person] [Stop]
      + Anteroom: ✓ You have a new role: **Member**.
    ");
    assert_eq!(bot.status().await, Status::Open);
}

fn on_join(place: &str) -> Plan {
    let flow = fs::read_to_string("manifests/flows/community-welcome.toml").unwrap();
    let flow = flow
        .replace("on_join    = false", "on_join = true")
        .replace("id      = \"community-welcome\"", "id = \"joiners\"")
        .replace("place      = \"private-thread\"", place);
    Plan { flow: Some(flow), ..Plan::default() }
}

#[tokio::test]
async fn a_flow_that_begins_on_joining_waits_for_the_servers_screening() {
    let bot = Bot::planned(on_join("place = \"private-thread\"")).await;
    bot.discord.with(|state| gone(state, ADA));
    let told = bot.discord.with(|state| here(state, ADA, true));
    bot.tell("GUILD_MEMBER_ADD", told).await;
    assert!(bot.threads().is_empty());
    let told = bot.discord.with(|state| here(state, ADA, false));
    bot.tell("GUILD_MEMBER_UPDATE", told.clone()).await;
    assert_eq!(bot.threads(), ["welcome-ada"]);
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      + Anteroom: Hi @Ada!
          ┃ ### Community welcome
          ┃ **This is a bot.** It asks a few fixed questions; you can skip the introduction in step 3.
          ┃ It keeps your answers for 90 days and posts nothing until you approve it. Details: https://example.org/privacy
          ┃ 
          ┃ Press **Ask staff** to reach staff, **Stop** to end, **Delete my data** to erase.
          ┃ [Start] [Ask staff] [Not now]
          ┃ [Help] [Stop] [Delete my data]
    ");
    // Once: neither other roles nor coming back begin it again, and nobody who was here before is begun with.
    let mut again = told;
    again["nick"] = "Countess".into();
    bot.tell("GUILD_MEMBER_UPDATE", again).await;
    let left = bot.discord.with(|state| gone(state, ADA));
    bot.tell("GUILD_MEMBER_REMOVE", left).await;
    let back = bot.discord.with(|state| here(state, ADA, false));
    bot.tell("GUILD_MEMBER_ADD", back).await;
    let known = bot.discord.with(|state| member_json(state, crate::discord::bot::MALLORY, None));
    let mut known = known;
    known["guild_id"] = GUILD.to_string().into();
    bot.tell("GUILD_MEMBER_UPDATE", known).await;
    assert_eq!(bot.threads(), ["welcome-ada"]);
    assert_eq!(bot.store.sessions(None, 9).await.unwrap().len(), 1);
}

#[tokio::test]
async fn nobody_is_written_to_directly_because_they_joined() {
    let bot = Bot::planned(on_join("place = \"dm\"")).await;
    bot.discord.with(|state| gone(state, ADA));
    let told = bot.discord.with(|state| here(state, ADA, true));
    bot.tell("GUILD_MEMBER_ADD", told).await;
    let told = bot.discord.with(|state| here(state, ADA, false));
    bot.tell("GUILD_MEMBER_UPDATE", told).await;
    assert!(bot.store.sessions(None, 9).await.unwrap().is_empty());
}

/// Ada has passed the rules before the server's own.
async fn with_a_role_to_come() -> Bot {
    let bot = Bot::at_the_rules(Plan::default()).await;
    bot.discord.with(|state| {
        state.guilds.get_mut(&GUILD).unwrap().members.get_mut(&ADA).unwrap().is_pending = true;
    });
    bot.ada().press("I accept").await;
    bot.ada().press("Yes").await;
    drop((bot.ada().news(), bot.linus().news()));
    bot
}

#[tokio::test]
async fn a_role_that_waited_and_cannot_be_given_is_told_to_the_member_and_to_staff() {
    let bot = with_a_role_to_come().await;
    bot.discord.with(|state| {
        let roles = &mut state.guilds.get_mut(&GUILD).unwrap().roles;
        roles.get_mut(&role(1)).unwrap().position = 7;
    });
    let told = bot.discord.with(|state| here(state, ADA, false));
    bot.tell("GUILD_MEMBER_UPDATE", told).await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      + Anteroom: Your roles:
          ✗ Member: my own role is below it; a moderator can move mine up
    ");
    assert_snapshot!(bot.linus().news(), @"
    #staff-desk
      + Anteroom: ┃ **Ada** · Community welcome
          ┃ -# Step 2 of 4 · Interests · 0/1 · running.
          ┃ -# Reply to a message of mine in this thread to take over. I'll pass on what you write.
          ┃ [Take over] [Send a reminder] [! End the conversation]
    #Ada · Community welcome
      + Anteroom: **Ada** didn't get every role (Member: my own role is below it; a moderator can move mine up).
    ");
}

/// What Ada wrote and answered.
async fn said(bot: &Bot) -> Vec<String> {
    let loaded = bot.store.load(bot.session().await).await;
    let events = loaded.unwrap().unwrap().events;
    let said = events.iter().filter_map(|recorded| match &*recorded.event {
        Event::Said { text, .. } => Some(text.clone()),
        Event::Answered { .. } => Some("(answered)".to_owned()),
        _ => None,
    });
    said.collect()
}

#[tokio::test]
async fn what_was_written_in_a_session_that_is_over_is_read_once() {
    let hearing = Plan::hearing();
    let bot = Bot::at_the_rules(hearing).await;
    let thread = bot.discord.with(|state| {
        *state.channels.iter().find(|(_, channel)| channel.name == "welcome-ada").unwrap().0
    });
    bot.away(|state| {
        state.writes(ADA, thread, "What is this?", &[]);
        state.writes(ADA, thread, "I accept", &[]);
    })
    .await;
    bot.ada().news();
    let first = said(&bot).await;
    insta::assert_debug_snapshot!(first, @r#"
    [
        "(answered)",
        "What is this?",
        "(answered)",
    ]
    "#);
    // Another session, the same messages: they are known.
    bot.away(|_| {}).await;
    assert_eq!(said(&bot).await, first);
    // Where the bot may not read, nothing is asked for again and again.
    bot.away(|state| {
        let welcome = state.channels.get_mut(&WELCOME).unwrap();
        welcome.overwrites.insert(501, (0, may::VIEW));
    })
    .await;
    assert_eq!(said(&bot).await, first);
}

/// Something newer may be delivered before it is the conversation's turn to be read.
#[tokio::test]
async fn what_was_written_before_something_that_was_delivered_is_read_as_well() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    let ada = bot.ada().at("welcome-ada");
    let thread = ada.channel();
    bot.pass(TimeDelta::seconds(10)).await;
    // Nothing tells of it.
    bot.discord.with(|state| {
        let body = json!({ "content": "What is this?", "mentions": [], "attachments": [] });
        let message = Message { author: ADA, body, only_for: None, is_edited: false };
        let id = state.snowflake();
        state.channels.get_mut(&thread).unwrap().messages.insert(id, message);
    });
    bot.pass(TimeDelta::seconds(10)).await;
    ada.press("I accept").await;
    for _ in 0..2 {
        bot.away(|_| {}).await;
        assert_eq!(said(&bot).await, ["(answered)", "(answered)", "What is this?"]);
    }
}

#[tokio::test]
async fn what_could_not_be_read_is_read_again_before_it_counts_as_read() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    let thread = bot.ada().at("welcome-ada").channel();
    let tried = bot.hold.tried();
    bot.hold.fill(true);
    bot.unrested();
    bot.away(|state| {
        state.writes(ADA, thread, "What is this?", &[]);
    })
    .await;
    while bot.hold.tried() == tried {
        tokio::task::yield_now().await;
    }
    bot.hold.fill(false);
    // Let it end, and the pause after it begin.
    tokio::time::sleep(Duration::from_millis(300)).await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(31)).await;
    tokio::time::resume();
    bot.rested().await;
    assert_eq!(said(&bot).await, ["(answered)", "What is this?"]);
}
