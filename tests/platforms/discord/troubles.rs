//! What goes wrong, and what people see then.
//!
//! Rows are those of `docs/semantics.md`, F and J numbers those of `docs/behaviour.md`.

use std::collections::{BTreeMap, BTreeSet};

use anteroom::{
    model::transcript::Event,
    store::{Note, Store as _},
};
use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use crate::discord::{
    bot::{ADA, Bot, LINUS, Plan, WELCOME, role},
    emulator::{
        faults::Fault,
        state::{BOT, Channel, GUILD, Message, State, kind, may},
    },
    person::member_json,
};

/// F5.
#[tokio::test]
async fn whoever_says_stop_is_asked_nothing_more() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    let ada = bot.ada().at("welcome-ada");
    ada.write("stop").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃  1. Be kind.
          ┃  2. No spam or self-promotion outside #showcase.
          ┃  3. Keep it legal and on topic.
          ┃  4. Staff have the last word.
          ┃  **Question withdrawn**: the conversation was stopped. <t:1793628300:f>
      + Anteroom: Stopped. I won't ask anything more. Type *resume* to continue later, or *delete my data* to erase everything.
          [Continue] [Delete my data]
    ");
    bot.ada().at("welcome").command("/onboard resume", &[]).await;
    assert_snapshot!(ada.news(), @r"
    #welcome-ada
      + Anteroom: Welcome back. Let's pick up where we left off.
      + Anteroom: ┃ 1. Be kind.
          ┃ 2. No spam or self-promotion outside #showcase.
          ┃ 3. Keep it legal and on topic.
          ┃ 4. Staff have the last word.
          ┃ [I accept] [I have a question] [I do not accept]
          ┃ -# Step 1 of 4 · Rules · 0/2
    ");
    bot.ada().at("welcome").command("/onboard cancel", &[]).await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome
      + Anteroom (only you): It continues here: #welcome-ada
      + Anteroom (only you): Stopped. I won't ask anything more. You can continue later here: #welcome-ada
    #welcome-ada
      ~ Anteroom (edited): ┃  1. Be kind.
          ┃  2. No spam or self-promotion outside #showcase.
          ┃  3. Keep it legal and on topic.
          ┃  4. Staff have the last word.
          ┃  **Question withdrawn**: the conversation was stopped. <t:1793628300:f>
      + Anteroom: Stopped. I won't ask anything more. Type *resume* to continue later, or *delete my data* to erase everything.
          [Continue] [Delete my data]
    ");
}

/// F6.
#[tokio::test]
async fn everything_is_erased_when_somebody_wants_it() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    let ada = bot.ada();
    ada.at("welcome").command("/privacy delete", &[]).await;
    assert_snapshot!(ada.news(), @"
    #welcome
      + Anteroom (only you): Nothing is erased yet. Please confirm it here: #welcome-ada
    #welcome-ada
      + Anteroom: ┃ ### Delete everything?
          ┃ This deletes your answers, your files, the whole conversation and any open requests, and removes what I posted. We keep only a record that an erasure took place; it doesn't contain your name. A receipt lists whatever I can't remove. This can't be undone.
          ┃ ⚠️ **This can't be undone.**
          ┃ [! Delete everything] [Keep everything]
          ┃ [Help] [Talk to a person] [Stop]
    ");
    ada.press("Delete everything").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom (only you): ┃! ### Are you sure?
          ┃! This can't be undone.
          ┃! [! Delete everything]
          ┃! -# Changed your mind? Just dismiss this message.
    ");
    ada.press("Delete everything").await;
    assert_snapshot!(ada.news(), @"
    #welcome
      ~ Anteroom (only you): Your thread: #unknown
      ~ Anteroom (only you): Nothing is erased yet. Please confirm it here: #unknown
    @Anteroom
      + Anteroom: **Everything is erased.** Receipt: `AAAAAAAAAAAAAAAAAAAADQ`. I've also removed what I had posted: 3 messages and 1 thread. Nothing else of this conversation is left here.
    ?
      - Anteroom (edited): ┃✓ ### Community welcome
      - Anteroom: ┃ 1. Be kind.
      - Anteroom: ┃ ### Delete everything?
      - Anteroom (only you): ┃! ### Are you sure?
    ");
    ada.at("welcome").command("/onboard status", &[]).await;
    assert_snapshot!(ada.news(), @"
    #welcome
      + Anteroom (only you): There is no conversation yet. Begin one with `/onboard start`.
    ");
}

/// F7.
#[tokio::test]
async fn whoever_asks_for_a_person_gets_one() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    let (ada, linus) = (bot.ada(), bot.linus());
    linus.news();
    ada.press("I have a question").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ 1. Be kind.
          ┃✓ 2. No spam or self-promotion outside #showcase.
          ┃✓ 3. Keep it legal and on topic.
          ┃✓ 4. Staff have the last word.
          ┃✓ ✓ You answered: **I have a question** · <t:1793628300:f>
      + Anteroom: I've asked the team. I'll keep quiet until they answer or you type *continue*.
    ");
    assert_snapshot!(linus.news(), @"
    #staff-desk
      + Anteroom: ┃ **Ada** · Community welcome
          ┃ -# Step 1 of 4 · Rules · 0/2 · running.
          ┃ -# Write in this thread to take over. I'll pass on what you write.
          ┃ [Take over] [Hand back] [! End the conversation]
    #Ada · Community welcome
      + Anteroom: **Ada** asked for a human in *Community welcome*: they answered “I have a question”.
          
          - Step 1 of 4 · Rules
          - Still open: Rules accepted, Minimum age confirmed
    ");
    linus.press("Take over").await;
    assert_snapshot!(linus.news(), @"");
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: Linus from the team is here now.
    ");
    let thread = "Ada · Community welcome";
    linus.at(thread).write("Hello Ada, what is it?").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: Linus: Hello Ada, what is it?
    ");
    ada.at("welcome-ada").write("What does rule 2 mean?").await;
    assert_snapshot!(linus.news(), @"
    #Ada · Community welcome
      + Anteroom: Ada: What does rule 2 mean?
    ");
    // Others of the channel have no say.
    bot.mallory().at(thread).write("Ignore her").await;
    let refused = bot.mallory().at(thread).news();
    assert!(refused.trim_end().ends_with("+ Anteroom: Only the team can do that."), "{refused}");
    linus.at(thread).write("hand back").await;
    assert_snapshot!(ada.news(), @r"
    #welcome-ada
      + Anteroom: The assistant is back. Let's pick up where we left off.
      + Anteroom: ┃ 1. Be kind.
          ┃ 2. No spam or self-promotion outside #showcase.
          ┃ 3. Keep it legal and on topic.
          ┃ 4. Staff have the last word.
          ┃ [I accept] [I have a question] [I do not accept]
          ┃ -# Step 1 of 4 · Rules · 0/2
    ");
}

/// F9.
#[tokio::test]
async fn an_answer_may_be_typed_as_a_reply() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    let ada = bot.ada().at("welcome-ada");
    // Without the privileged intent Discord keeps words from the bot that are not for it.
    ada.write("I accept").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: I can't read what is typed here, but this works:
          - Press a button on a card, or answer with Discord's *Reply* on one of my messages, with the mention on.
          - Already wrote it? Open the menu of your message and choose *Apps*, then *Use as answer*.
          - For anything else there are these buttons:
          [Talk to a person] [Stop] [Continue] [Download my answers] [Delete my data]
    ");
    ada.reply("i accept").await;
    assert_snapshot!(ada.news(), @r"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ 1. Be kind.
          ┃✓ 2. No spam or self-promotion outside #showcase.
          ┃✓ 3. Keep it legal and on topic.
          ┃✓ 4. Staff have the last word.
          ┃✓ ✓ You answered: **I accept** · <t:1793628300:f>
      + Anteroom: ┃ Are you at least 13, or older if your country's law asks for it?
          ┃ [Yes] [No]
          ┃ -# Step 1 of 4 · Rules · 1/2
          ┃ [Help] [Talk to a person] [Stop]
    ");
    let message = ada.write("yes").await;
    ada.on_message("Use as answer", message).await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ Are you at least 13, or older if your country's law asks for it?
          ┃✓ ✓ You answered: **Yes** · <t:1793628300:f>
          ┃✓ -# Role added: **Member**
      + Anteroom (only you): Got it.
      + Anteroom: ┃ What brings you here? Pick any. This decides which channels you see.
          ┃ {Choose… 0-6: Learning | Building projects | Helping others | Jobs | Events | Just reading}
          ┃ [+ Done] [Skip]
          ┃ -# Step 2 of 4 · Interests · 0/1
          ┃ [Help] [Talk to a person] [Stop]
    ");
}

/// F10, F11.
#[tokio::test]
async fn a_button_that_is_used_up_says_so() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    let ada = bot.ada();
    let (accept, decline) =
        (ada.button("I accept").unwrap(), ada.button("I do not accept").unwrap());
    ada.press_again(&accept).await;
    ada.news();
    // The same once more, as from a second device: nothing to tell.
    ada.press_again(&accept).await;
    assert_snapshot!(ada.news(), @"");
    bot.pass(TimeDelta::hours(3)).await;
    ada.press_again(&decline).await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom (only you): That question was answered at <t:1793628300:f>.
    ");
}

/// F12.
#[tokio::test]
async fn a_restart_is_not_noticed() {
    let mut bot = Bot::at_the_rules(Plan::default()).await;
    bot.crash().await;
    assert_snapshot!(bot.ada().news(), @"");
    bot.ada().press("I accept").await;
    bot.crash().await;
    assert_snapshot!(bot.ada().news(), @r"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ 1. Be kind.
          ┃✓ 2. No spam or self-promotion outside #showcase.
          ┃✓ 3. Keep it legal and on topic.
          ┃✓ 4. Staff have the last word.
          ┃✓ ✓ You answered: **I accept** · <t:1793628300:f>
      + Anteroom: ┃ Are you at least 13, or older if your country's law asks for it?
          ┃ [Yes] [No]
          ┃ -# Step 1 of 4 · Rules · 1/2
          ┃ [Help] [Talk to a person] [Stop]
    ");
    // The panel is as good as on the first day.
    bot.ada().at("welcome").press("Start").await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome
      + Anteroom (only you): Your thread: #welcome-ada
    ");
}

/// F14.
#[tokio::test]
async fn where_no_thread_can_be_made_direct_messages_do() {
    let bot = Bot::new().await;
    bot.discord.with(|state| {
        state.guilds.get_mut(&GUILD).unwrap().roles.get_mut(&501).unwrap().permissions &=
            !may::CREATE_PRIVATE_THREADS;
    });
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let ada = bot.ada();
    ada.news();
    ada.press("Start").await;
    assert_snapshot!(ada.news(), @"
    #welcome
      + Anteroom (only you): I've sent you a direct message.
    @Anteroom
      + Anteroom: ┃ ### Community welcome
          ┃ **This is a bot.** It asks a few fixed questions; you can skip the introduction in step 3.
          ┃ It keeps your answers for 90 days and posts nothing until you approve it. Details: https://example.org/privacy
          ┃ 
          ┃ Press **Ask staff** to reach staff, **Stop** to end, **Delete my data** to erase.
          ┃ [Start] [Ask staff] [Not now]
          ┃ [Help] [Stop] [Delete my data]
    ");
    ada.at_direct().press("Start").await;
    assert_snapshot!(ada.news(), @"
    @Anteroom
      ~ Anteroom (edited): ┃✓ ### Community welcome
          ┃✓ **This is a bot.** It asks a few fixed questions; you can skip the introduction in step 3.
          ┃✓ It keeps your answers for 90 days and posts nothing until you approve it. Details: https://example.org/privacy
          ┃✓ 
          ┃✓ Type **human** to reach staff, **stop** to end, **delete my data** to erase.
          ┃✓ ✓ You answered: **Start** · <t:1793628300:f>
      + Anteroom: ┃ 1. Be kind.
          ┃ 2. No spam or self-promotion outside #showcase.
          ┃ 3. Keep it legal and on topic.
          ┃ 4. Staff have the last word.
          ┃ [I accept] [I have a question] [I do not accept]
          ┃ -# Step 1 of 4 · Rules · 0/2
    ");
    // In direct messages everything that is typed reaches the bot.
    ada.at_direct().write("I accept").await;
    assert_snapshot!(ada.news(), @r"
    @Anteroom
      ~ Anteroom (edited): ┃✓ 1. Be kind.
          ┃✓ 2. No spam or self-promotion outside #showcase.
          ┃✓ 3. Keep it legal and on topic.
          ┃✓ 4. Staff have the last word.
          ┃✓ ✓ You answered: **I accept** · <t:1793628300:f>
      + Anteroom: ┃ Are you at least 13, or older if your country's law asks for it?
          ┃ [Yes] [No]
          ┃ -# Step 1 of 4 · Rules · 1/2
    ");
}

/// F14, where neither is to be had.
#[tokio::test]
async fn whoever_cannot_be_reached_at_all_is_told_how() {
    let bot = Bot::new().await;
    bot.discord.with(|state| {
        state.guilds.get_mut(&GUILD).unwrap().roles.get_mut(&501).unwrap().permissions &=
            !may::CREATE_PRIVATE_THREADS;
        state.users.get_mut(&ADA).unwrap().is_closed = true;
    });
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let ada = bot.ada();
    ada.news();
    ada.press("Start").await;
    assert_snapshot!(ada.news(), @"
    #welcome
      + Anteroom (only you): I couldn't open a thread for you, and Discord didn't deliver my direct message. Allow direct messages in the server's privacy settings, or ask the team, then press again.
    ");
}

/// F15, row 33.
#[tokio::test]
async fn whoever_leaves_the_server_is_waited_for() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    let (ada, linus) = (bot.ada(), bot.linus());
    linus.news();
    let user = json!({ "guild_id": GUILD.to_string(), "user": { "id": ADA.to_string() } });
    bot.tell("GUILD_MEMBER_REMOVE", user).await;
    assert_snapshot!(linus.news(), @"
    #staff-desk
      + Anteroom: ┃ **Ada** · Community welcome
          ┃ -# Step 1 of 4 · Rules · 0/2 · paused.
          ┃ -# Reply to a message of mine in this thread to take over. I'll pass on what you write.
          ┃ [Take over] [! End the conversation]
    #Ada · Community welcome
      + Anteroom: I can't reach Ada any more: they left the server. The conversation is paused; nothing is lost.
    ");
    let mut member = bot.discord.with(|state| member_json(state, ADA, None));
    member["guild_id"] = GUILD.to_string().into();
    bot.tell("GUILD_MEMBER_ADD", member).await;
    assert_snapshot!(ada.news(), @r"
    #welcome-ada
      ~ Anteroom (edited): ┃ 1. Be kind.
          ┃ 2. No spam or self-promotion outside #showcase.
          ┃ 3. Keep it legal and on topic.
          ┃ 4. Staff have the last word.
          ┃ [I accept] [I have a question] [I do not accept]
          ┃ -# Step 1 of 4 · Rules · 0/2
          ┃ [Help] [Talk to a person] [Stop]
    ");
    ada.press("I accept").await;
    assert_snapshot!(ada.news(), @r"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ 1. Be kind.
          ┃✓ 2. No spam or self-promotion outside #showcase.
          ┃✓ 3. Keep it legal and on topic.
          ┃✓ 4. Staff have the last word.
          ┃✓ ✓ You answered: **I accept** · <t:1793628300:f>
      + Anteroom: ┃ Are you at least 13, or older if your country's law asks for it?
          ┃ [Yes] [No]
          ┃ -# Step 1 of 4 · Rules · 1/2
          ┃ [Help] [Talk to a person] [Stop]
    ");
}

/// Row 34.
#[tokio::test]
async fn a_server_that_removes_the_bot_finds_everything_when_it_comes_back() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    let ada = bot.ada();
    let guild = json!({ "id": GUILD.to_string() });
    bot.tell("GUILD_DELETE", guild.clone()).await;
    let look = bot.engine.look(bot.session().await).await.unwrap();
    assert!(look.state.is_out_of_reach);
    bot.tell("GUILD_CREATE", json!({ "id": GUILD.to_string(), "name": "again" })).await;
    assert_snapshot!(ada.news(), @r"
    #welcome-ada
      ~ Anteroom (edited): ┃ 1. Be kind.
          ┃ 2. No spam or self-promotion outside #showcase.
          ┃ 3. Keep it legal and on topic.
          ┃ 4. Staff have the last word.
          ┃ [I accept] [I have a question] [I do not accept]
          ┃ -# Step 1 of 4 · Rules · 0/2
          ┃ [Help] [Talk to a person] [Stop]
    ");
    // Discord says with each connection which servers there are: that is no news.
    let before = bot.discord.with(|state| state.requests.len());
    bot.tell("GUILD_CREATE", json!({ "id": GUILD.to_string(), "name": "and again" })).await;
    assert_eq!(bot.discord.with(|state| state.requests.len()), before);
}

/// Row 34. What is to be told is kept before Discord has its acknowledgement, and goes once everybody was told.
#[tokio::test]
async fn a_crash_between_the_removal_and_the_conversations_loses_nothing() {
    let mut bot = Bot::at_the_rules(Plan::default()).await;
    let (key, guild) = (format!("discord/announcement/{GUILD}"), GUILD.to_string());
    let left = async |bot: &Bot| bot.store.noted(&key).await.unwrap();
    let kept = json!({ "key": "discord:removed", "why": "the app was removed", "place": guild });
    let (session, value) = (None, Some(kept.to_string()));
    bot.store.note(Note { key: key.clone(), session, value }).await.unwrap();
    bot.crash().await;
    while left(&bot).await.is_some() {
        tokio::task::yield_now().await;
    }
    bot.rest().await;
    let look = bot.engine.look(bot.session().await).await.unwrap();
    assert!(look.state.is_out_of_reach);
}

/// Row 33.
#[tokio::test]
async fn a_thread_that_is_archived_or_deleted_is_opened_again() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    let ada = bot.ada();
    let thread = ada.button("I accept").unwrap().0;
    bot.discord.with(|state| state.channels.get_mut(&thread).unwrap().is_archived = true);
    ada.press("I accept").await;
    assert_snapshot!(ada.news(), @r"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ 1. Be kind.
          ┃✓ 2. No spam or self-promotion outside #showcase.
          ┃✓ 3. Keep it legal and on topic.
          ┃✓ 4. Staff have the last word.
          ┃✓ ✓ You answered: **I accept** · <t:1793628300:f>
      + Anteroom: ┃ Are you at least 13, or older if your country's law asks for it?
          ┃ [Yes] [No]
          ┃ -# Step 1 of 4 · Rules · 1/2
          ┃ [Help] [Talk to a person] [Stop]
    ");
    bot.discord.with(|state| state.channels.remove(&thread));
    bot.tell("THREAD_DELETE", json!({ "id": thread.to_string(), "guild_id": GUILD.to_string() }))
        .await;
    ada.news();
    ada.at("welcome").press("Start").await;
    assert_snapshot!(ada.news(), @r"
    #welcome
      + Anteroom (only you): Your thread: #welcome-ada
    #welcome-ada
      + Anteroom (edited): ┃ Are you at least 13, or older if your country's law asks for it?
          ┃ [Yes] [No]
          ┃ -# Step 1 of 4 · Rules · 1/2
          ┃ [Help] [Talk to a person] [Stop]
    ");
    ada.press("Yes").await;
    assert_snapshot!(ada.news(), @r"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ Are you at least 13, or older if your country's law asks for it?
          ┃✓ ✓ You answered: **Yes** · <t:1793628300:f>
          ┃✓ -# Role added: **Member**
      + Anteroom: ┃ What brings you here? Pick any. This decides which channels you see.
          ┃ {Choose… 0-6: Learning | Building projects | Helping others | Jobs | Events | Just reading}
          ┃ [+ Done] [Skip]
          ┃ -# Step 2 of 4 · Interests · 0/1
          ┃ [Help] [Talk to a person] [Stop]
    ");
}

/// J2.7: a role that is given too early would let somebody past the server's own screening.
#[tokio::test]
async fn roles_wait_for_the_servers_own_screening() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    let ada = bot.ada();
    bot.discord.with(|state| {
        state.guilds.get_mut(&GUILD).unwrap().members.get_mut(&ADA).unwrap().is_pending = true;
    });
    ada.press("I accept").await;
    ada.news();
    ada.press("Yes").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ Are you at least 13, or older if your country's law asks for it?
          ┃✓ ✓ You answered: **Yes** · <t:1793628300:f>
      + Anteroom: ┃ What brings you here? Pick any. This decides which channels you see.
          ┃ {Choose… 0-6: Learning | Building projects | Helping others | Jobs | Events | Just reading}
          ┃ [+ Done] [Skip]
          ┃ -# Step 2 of 4 · Interests · 0/1
          ┃ [Help] [Talk to a person] [Stop]
      + Anteroom: You'll get your roles as soon as you've accepted the server's rules.
    ");
    assert!(bot.roles(ADA).is_empty());
    passes_the_screening(&bot).await;
    assert_eq!(bot.roles(ADA), ["Member"]);
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: ✓ You have a new role: **Member**.
    ");
}

/// Ada accepts the server's own rules.
async fn passes_the_screening(bot: &Bot) {
    let mut member = bot.discord.with(|state| {
        state.guilds.get_mut(&GUILD).unwrap().members.get_mut(&ADA).unwrap().is_pending = false;
        member_json(state, ADA, None)
    });
    member["guild_id"] = GUILD.to_string().into();
    bot.tell("GUILD_MEMBER_UPDATE", member).await;
}

/// Discord may be away when somebody passes the screening, and the bot may die.
#[tokio::test]
async fn roles_that_waited_for_the_screening_outlast_an_outage_and_a_crash() {
    let mut bot = Bot::at_the_rules(Plan::default()).await;
    bot.discord.with(|state| {
        state.guilds.get_mut(&GUILD).unwrap().members.get_mut(&ADA).unwrap().is_pending = true;
    });
    bot.ada().press("I accept").await;
    bot.ada().press("Yes").await;
    let give = "PUT /guilds/{guild}/members/{user}/roles/{role}";
    bot.discord.with(|state| state.faults.lasting(give, "", Fault::Broken));
    passes_the_screening(&bot).await;
    bot.crash().await;
    bot.pass(TimeDelta::minutes(5)).await;
    assert!(bot.roles(ADA).is_empty());
    bot.discord.with(|state| state.faults.clear());
    for _ in 0..6 {
        bot.pass(TimeDelta::seconds(10)).await;
    }
    assert_eq!(bot.roles(ADA), ["Member"]);
    // Discord says it again with every change of a member.
    passes_the_screening(&bot).await;
    assert_eq!(
        bot.ada().screen().matches("You have a new role:").count(),
        1,
        "{}",
        bot.ada().screen()
    );
}

/// Discord tells nobody of what happens while the bot is away, and not every bot of members.
#[tokio::test]
async fn roles_are_given_to_whoever_passes_the_screening_unseen() {
    let mut bot = Bot::at_the_rules(Plan::default()).await;
    let set = |state: &mut State, is_pending: bool| {
        let guild = state.guilds.get_mut(&GUILD).unwrap();
        guild.members.get_mut(&ADA).unwrap().is_pending = is_pending;
    };
    bot.discord.with(|state| set(state, true));
    bot.ada().press("I accept").await;
    bot.ada().press("Yes").await;
    bot.discord.with(|state| set(state, false));
    bot.crash().await;
    has_a_role(&bot).await;
}

/// Ada is given a role in the end.
async fn has_a_role(bot: &Bot) {
    for _ in 0..1_000 {
        bot.rest().await;
        if !bot.roles(ADA).is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(bot.roles(ADA), ["Member"]);
}

/// An older program kept them for all conversations of a member.
#[tokio::test]
async fn roles_that_an_older_program_kept_are_given_to_whoever_passes_the_screening_unseen() {
    let mut bot = Bot::at_the_rules(Plan::default()).await;
    bot.discord.with(|state| {
        state.guilds.get_mut(&GUILD).unwrap().members.get_mut(&ADA).unwrap().is_pending = true;
    });
    bot.ada().press("I accept").await;
    bot.ada().press("Yes").await;
    let session = bot.store.sessions(None, 1).await.unwrap().pop().unwrap().id;
    let older = format!("discord/roles/{GUILD}/{ADA}");
    let kept = bot.store.noted(&format!("{older}/{session}")).await.unwrap().unwrap();
    bot.store.note(Note { value: None, ..kept.clone() }).await.unwrap();
    bot.store.note(Note { key: older, ..kept }).await.unwrap();
    bot.discord.with(|state| {
        state.guilds.get_mut(&GUILD).unwrap().members.get_mut(&ADA).unwrap().is_pending = false;
    });
    bot.crash().await;
    has_a_role(&bot).await;
}

/// What one conversation earned does not go with another one that is erased.
#[tokio::test]
async fn roles_that_wait_are_kept_for_each_conversation() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    bot.discord.with(|state| {
        state.guilds.get_mut(&GUILD).unwrap().members.get_mut(&ADA).unwrap().is_pending = true;
    });
    for times in 1..=2 {
        bot.ada().press("I accept").await;
        bot.ada().press("Yes").await;
        assert_eq!(bot.store.sessions(None, 9).await.unwrap().len(), times);
        if times == 1 {
            let grace = bot.grace().at("welcome");
            grace.on_user("Review onboarding", ADA).await;
            grace.press("End the conversation").await;
            grace.press("End the conversation").await;
            bot.ada().at("welcome").press("Start").await;
            bot.ada().press("Start").await;
        }
    }
    let later = bot.store.sessions(None, 9).await.unwrap().pop().unwrap();
    bot.engine.order_erasure(later.id, "operator").await.unwrap();
    bot.rest().await;
    passes_the_screening(&bot).await;
    assert_eq!(bot.roles(ADA), ["Member"]);
}

/// J2.7: each role with what became of it.
#[tokio::test]
async fn a_role_that_cannot_be_given_is_named_with_the_reason() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    let (ada, linus) = (bot.ada(), bot.linus());
    bot.discord.with(|state| {
        let roles = &mut state.guilds.get_mut(&GUILD).unwrap().roles;
        roles.get_mut(&role(3)).unwrap().position = 7;
        roles.remove(&role(7));
    });
    ada.press("I accept").await;
    ada.press("Yes").await;
    ada.pick(&["Learning", "Building projects", "Events"]).await;
    drop((ada.news(), linus.news()));
    ada.press("Done").await;
    ada.press("No, thanks").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ What brings you here? Pick any. This decides which channels you see.
          ┃✓ ✓ You answered: **Learning, Building projects, Events** · <t:1793628300:f>
      + Anteroom (edited): ┃✓ Would you like event notifications?
          ┃✓ ✓ You answered: **No, thanks** · <t:1793628300:f>
      + Anteroom: ┃ ### Introduction
          ┃ Would you like to introduce yourself? Two or three sentences are enough. Nobody sees them before you approve them.
          ┃ [Fill in] [Skip]
          ┃ -# Step 3 of 4 · Say hello · 0/1
          ┃ [Help] [Talk to a person] [Stop]
      + Anteroom: Your roles:
          ✓ Builder
          ✗ Learner: my own role is below it; a moderator can move mine up
          ✗ events: the role no longer exists
    ");
    assert_snapshot!(linus.news(), @"
    #staff-desk
      + Anteroom: ┃ **Ada** · Community welcome
          ┃ -# Step 3 of 4 · Say hello · 0/1 · running.
          ┃ -# Reply to a message of mine in this thread to take over. I'll pass on what you write.
          ┃ [Take over] [Send a reminder] [! End the conversation]
    #Ada · Community welcome
      + Anteroom: **Ada** didn't get every role (Learner: my own role is below it; a moderator can move mine up; events: the role no longer exists).
    ");
    assert_eq!(bot.roles(ADA), ["Member", "Builder"]);
    let asked = bot.discord.with(|state| {
        let all = state.requests.iter().filter(|request| request.method == "PUT");
        all.filter(|request| request.status >= 400).count()
    });
    assert_eq!(asked, 0, "what can be foreseen is not asked");
}

/// An interaction that comes too late counts all the same: the card shows it.
#[tokio::test]
async fn what_comes_too_late_to_be_answered_counts() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    let ada = bot.ada();
    let accept = ada.button("I accept").unwrap();
    bot.clock.advance(TimeDelta::seconds(4));
    bot.discord.with(|state| {
        state.faults.plan(
            "POST /interactions/{interaction}/{token}/callback",
            1,
            Fault::Says(404, 10062),
        );
    });
    ada.press_again(&accept).await;
    assert_snapshot!(ada.news(), @r"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ 1. Be kind.
          ┃✓ 2. No spam or self-promotion outside #showcase.
          ┃✓ 3. Keep it legal and on topic.
          ┃✓ 4. Staff have the last word.
          ┃✓ ✓ You answered: **I accept** · <t:1793628304:f>
      + Anteroom: ┃ Are you at least 13, or older if your country's law asks for it?
          ┃ [Yes] [No]
          ┃ -# Step 1 of 4 · Rules · 1/2
          ┃ [Help] [Talk to a person] [Stop]
      ! This interaction failed
    ");
}

/// A whole class presses Start in the same second.
#[tokio::test]
async fn one_person_who_presses_twice_gets_one_thread() {
    let bot = Bot::new().await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let ada = bot.ada();
    let start = ada.button("Start").unwrap();
    ada.press_again(&start).await;
    ada.press_again(&start).await;
    assert_snapshot!(ada.at("welcome").news(), @r"
    #welcome
      + Anteroom: ┃ ## New here?
          ┃ Press Start. It takes two minutes and happens in a thread only you and the staff can see.
          ┃ [+ Start]
      + Anteroom (only you): Your thread: #welcome-ada
      + Anteroom (only you): Your thread: #welcome-ada
    ");
    let threads = bot.discord.with(|state| {
        state.channels.values().filter(|channel| channel.parent == Some(WELCOME)).count()
    });
    assert_eq!(threads, 1);
}

/// Somebody who has no say orders something.
#[tokio::test]
async fn what_is_for_staff_is_refused_to_others() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    let mallory = bot.mallory().at("welcome");
    mallory.news();
    mallory.command("/onboard panel", &[]).await;
    mallory.command("/review", &[]).await;
    mallory.command("/override", &[("member", json!(ADA))]).await;
    mallory.on_user("Review onboarding", ADA).await;
    assert_snapshot!(mallory.news(), @"
    #welcome
      + Anteroom (only you): Only people who manage this server can do that.
      + Anteroom (only you): Only the team can do that.
      + Anteroom (only you): Only the team can do that.
      + Anteroom (only you): Only the team can do that.
    ");
    let grace = bot.grace().at("welcome");
    grace.news();
    grace.command("/review", &[]).await;
    grace.on_user("Review onboarding", ADA).await;
    assert_snapshot!(grace.news(), @"
    #welcome
      + Anteroom (only you): ┃ ### All conversations
          ┃ 1 open · 0 inactive > 1 day · 0 to decide · 0 asked for a human
          ┃ -# phase 1 rules: 1
          ┃ **Ada** · running · phase 1 rules
          ┃ -# <t:1793628300:f> ⟶ [Open]
      + Anteroom (only you): ┃ **Ada** · Community welcome
          ┃ Step 1 of 4 · Rules · 0/2 · running.
          ┃ • Rules accepted: open
          ┃ • Minimum age confirmed: open
          ┃ [Transcript]
          ┃ [Take over] [Send a reminder] [! End the conversation]
    ");
    grace.press("End the conversation").await;
    assert_snapshot!(grace.news(), @"
    #welcome
      + Anteroom (only you): ┃! ### End the conversation?
          ┃! No more questions will be asked. Everything said so far is kept.
          ┃! [! End the conversation]
          ┃! -# Changed your mind? Just dismiss this message.
    ");
    grace.press("End the conversation").await;
    assert_snapshot!(grace.news(), @"");
    bot.ada().at("welcome").command("/onboard status", &[]).await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome
      + Anteroom (only you): **Community welcome**: Step 1 of 4 · Rules · 0/2 · ended by the team.
          #welcome-ada
    #welcome-ada
      ~ Anteroom (edited): ┃  1. Be kind.
          ┃  2. No spam or self-promotion outside #showcase.
          ┃  3. Keep it legal and on topic.
          ┃  4. Staff have the last word.
          ┃  **Question withdrawn**: the conversation was ended. <t:1793628300:f>
      + Anteroom: The team has ended this conversation. Thank you for your time.
    ");
}

/// Nobody presses what is somebody else's.
#[tokio::test]
async fn a_strangers_press_changes_nothing() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    let accept = bot.ada().button("I accept").unwrap();
    let linus = bot.linus();
    // Moderators see private threads.
    bot.discord.with(|state| {
        let welcome = state.channels.get_mut(&WELCOME).unwrap();
        welcome.overwrites.insert(LINUS, (may::MANAGE_THREADS, 0));
    });
    linus.news();
    linus.press_again(&accept).await;
    assert_snapshot!(linus.news(), @"
    #welcome-ada
      + Anteroom (only you): Only the person who was asked can answer this.
    ");
    assert_snapshot!(bot.ada().news(), @"");
}

/// Row 43.
#[tokio::test]
async fn what_cannot_be_saved_is_said_and_nothing_happens() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    let ada = bot.ada();
    bot.hold.kill();
    ada.press("I accept").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom (only you): That couldn't be saved right now. Please try again.
    ");
}

/// F16.
#[tokio::test]
async fn what_was_written_may_be_changed_or_taken_back() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    let ada = bot.ada().at("welcome-ada");
    for label in ["I accept", "Yes", "Done", "No, thanks"] {
        ada.press(label).await;
    }
    ada.news();
    let message = ada.write("I build small boats and like tea").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃ ### Introduction
          ┃ Would you like to introduce yourself? Two or three sentences are enough. Nobody sees them before you approve them.
          ┃ [Fill in] [Skip]
          ┃ -# Step 3 of 4 · Say hello · 0/1
      + Anteroom: Please use the buttons on the card for this one.
    ");
    let edited = bot.discord.with(|state| {
        json!({ "id": message.to_string(), "channel_id": ada.channel().to_string(), "type": 0,
            "guild_id": GUILD.to_string(), "content": "I build small boats", "mentions": [],
            "edited_timestamp": "2026-11-02T14:06:00Z", "attachments": [],
            "author": { "id": ADA.to_string(), "username": "ada" }, "member": member_json(state, ADA, None) })
    });
    bot.tell("MESSAGE_UPDATE", edited).await;
    assert_snapshot!(ada.news(), @"");
    let gone = json!({ "id": message.to_string(), "channel_id": ada.channel().to_string(),
        "guild_id": GUILD.to_string() });
    bot.tell("MESSAGE_DELETE", gone).await;
    let session = bot.session().await;
    let loaded = bot.engine.look(session).await.unwrap().loaded;
    let amended = loaded.events.iter().filter_map(|recorded| match &*recorded.event {
        Event::Amended { text, .. } => Some(text.as_deref()),
        _ => None,
    });
    assert_eq!(amended.collect::<Vec<_>>(), [Some("I build small boats"), None]);
}

/// F16, row 32: a moderator's tool takes away several messages at once.
#[tokio::test]
async fn messages_that_are_deleted_together_are_all_taken_back() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    let ada = bot.ada().at("welcome-ada");
    for label in ["I accept", "Yes", "Done", "No, thanks"] {
        ada.press(label).await;
    }
    let mut written = Vec::new();
    for words in ["I build small boats", "and like tea"] {
        written.push(ada.write(words).await.to_string());
    }
    let gone = json!({ "ids": written, "channel_id": ada.channel().to_string(),
        "guild_id": GUILD.to_string() });
    bot.tell("MESSAGE_DELETE_BULK", gone).await;
    let loaded = bot.engine.look(bot.session().await).await.unwrap().loaded;
    let deleted = loaded.events.iter().filter_map(|recorded| match &*recorded.event {
        Event::Amended { source, text: None } => source.rsplit('/').next().map(str::to_owned),
        _ => None,
    });
    assert_eq!(deleted.collect::<Vec<_>>(), written);
}

/// The end of a process between the making of a thread and the note of which one it is.
#[tokio::test]
async fn a_thread_that_was_made_and_not_noted_is_found_again() {
    let bot = Bot::new().await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let ada = bot.ada();
    let route = "POST /channels/{channel}/threads";
    bot.discord.with(|state| {
        state.faults.plan(route, 1, Fault::BrokenAfter);
    });
    ada.press("Start").await;
    bot.pass(TimeDelta::seconds(10)).await;
    let threads = bot.discord.with(|state| {
        state.channels.values().filter(|channel| channel.parent == Some(WELCOME)).count()
    });
    assert_eq!(threads, 1);
    assert!(ada.button("Ask staff").is_some(), "{}", ada.news());
}

/// A moderator has made a thread of that name, and one of an erased conversation is left.
#[tokio::test]
async fn a_thread_that_may_be_somebody_elses_is_not_taken() {
    let bot = Bot::new().await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let route = "POST /channels/{channel}/threads";
    let others = bot.discord.with(|state| {
        state.faults.plan(route, 1, Fault::Broken);
        let words = Message {
            author: BOT,
            body: json!({ "content": "Words of another one." }),
            only_for: None,
            is_edited: false,
        };
        let said = state.snowflake();
        let rooms = [(LINUS, BTreeMap::new()), (BOT, BTreeMap::from([(said, words)]))];
        rooms.map(|(owner, messages)| {
            let thread = Channel {
                kind: kind::PRIVATE_THREAD,
                guild: Some(GUILD),
                name: "welcome-ada".to_owned(),
                owner,
                parent: Some(WELCOME),
                people: BTreeSet::from([BOT]),
                messages,
                ..Channel::default()
            };
            let id = state.snowflake();
            state.channels.insert(id, thread);
            id
        })
    });
    bot.ada().press("Start").await;
    bot.pass(TimeDelta::seconds(10)).await;
    assert!(bot.ada().button("Ask staff").is_some(), "{}", bot.ada().news());
    let people =
        bot.discord.with(|state| others.map(|id| state.channels[&id].people.contains(&ADA)));
    assert_eq!(people, [false, false]);
}

/// A form shows what was entered so far: it opens for nobody else, and nobody else enters anything.
#[tokio::test]
async fn a_strangers_press_opens_no_form_and_picks_nothing() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    let (ada, linus) = (bot.ada(), bot.linus());
    bot.discord.with(|state| {
        let welcome = state.channels.get_mut(&WELCOME).unwrap();
        welcome.overwrites.insert(LINUS, (may::MANAGE_THREADS, 0));
    });
    ada.press("I accept").await;
    ada.press("Yes").await;
    linus.at("welcome-ada").pick(&["Jobs"]).await;
    ada.press("Done").await;
    ada.press("No, thanks").await;
    linus.news();
    linus.press("Fill in").await;
    assert_eq!(linus.form(), "no form");
    assert_snapshot!(linus.news(), @"
    #welcome-ada
      + Anteroom (only you): Only the person who was asked can answer this.
    ");
    assert_eq!(bot.roles(ADA), ["Member"], "nobody picked anything for her");
}
