//! What staff read of a conversation, and what is left for them of one that was erased.

use anteroom::store::Store as _;
use insta::assert_snapshot;

use crate::discord::{
    bot::{ADA, Bot, GRACE, MALLORY, Plan, WELCOME, role},
    emulator::state::{BOT, GUILD},
};

/// Ada has asked for a person, gone on, and asked for the role of contributors.
async fn with_a_request() -> Bot {
    let bot = hearing().await;
    requests(&bot).await;
    bot
}

async fn hearing() -> Bot {
    Bot::planned(Plan::hearing()).await
}

async fn requests(bot: &Bot) {
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let ada = bot.ada();
    for label in ["Start", "Start", "I have a question"] {
        ada.press(label).await;
    }
    ada.at("welcome-ada").write("continue").await;
    for label in ["I accept", "Yes", "Done", "No, thanks", "Skip", "Request it"] {
        ada.press(label).await;
    }
    for person in [bot.ada(), bot.grace(), bot.linus(), bot.mallory()] {
        person.news();
    }
}

/// Whoever decides is notified of a new request, once, where the role may be mentioned.
#[tokio::test]
async fn a_new_request_notifies_those_who_decide() {
    let bot = hearing().await;
    bot.discord.with(|state| {
        let guild = state.guilds.get_mut(&GUILD).unwrap();
        guild.roles.get_mut(&role(9)).unwrap().is_mentionable = true;
    });
    requests(&bot).await;
    let card = bot.grace().button("Approve").unwrap();
    let notified = || {
        let all = bot.discord.with(|state| state.notified.clone());
        all.into_iter().filter(|(user, _)| *user != ADA).collect::<Vec<_>>()
    };
    assert_eq!(notified(), [(GRACE, card.1)]);
    let seen = bot.grace().at("staff-approvals").screen();
    assert!(seen.contains("@Moderators"), "{seen}");
    for label in ["Approve", "Yes, approve"] {
        bot.grace().press(label).await;
    }
    assert_eq!(notified().len(), 1, "a card that is drawn again calls nobody");
    let seen = bot.grace().at("staff-approvals").screen();
    assert!(!seen.contains("@Moderators"), "{seen}");
}

#[tokio::test]
async fn an_erasure_takes_name_and_buttons_from_all_that_staff_see() {
    let bot = with_a_request().await;
    bot.ada().at("welcome").command("/privacy delete", &[]).await;
    bot.ada().press("Delete everything").await;
    bot.ada().press("Delete everything").await;
    assert_snapshot!(bot.linus().news(), @"
    #staff-approvals
      - Anteroom: @Moderators
    #staff-desk
      - Anteroom: ┃ **Ada** · Community welcome
    ?
      - Anteroom: **Ada** asked for a human in *Community welcome*: they answered “I have a question”.
    ");
    let left = bot.discord.with(|state| {
        let named =
            state.channels.values().filter(|channel| channel.name.to_lowercase().contains("ada"));
        let mut left: Vec<String> = named.map(|channel| channel.name.clone()).collect();
        // What was said to staff in words stays, as what they said.
        for channel in state.channels.values() {
            let of_bot = channel.messages.values().filter(|message| message.author == BOT);
            let told = of_bot.filter(|message| message.only_for.is_none());
            let drawn = told.map(|message| message.body["components"].to_string());
            left.extend(drawn.filter(|drawn| drawn.contains("Ada")));
        }
        left
    });
    assert_eq!(left, Vec::<String>::new());
}

/// A first word to the bot while its session with Discord was over.
#[tokio::test]
async fn a_mention_written_while_nobody_listened_is_answered() {
    let bot = with_a_request().await;
    bot.away(|state| {
        state.writes(MALLORY, WELCOME, &format!("Hello <@{BOT}>"), &[]);
    })
    .await;
    let seen = bot.mallory().at("welcome").news();
    assert!(seen.contains("[Community welcome]"), "{seen}");
    // Once: the next session finds nothing new.
    bot.mallory().news();
    bot.away(|_| {}).await;
    assert_snapshot!(bot.mallory().news(), @"");
}

/// A decision typed in the thread under its card while the bot's session with Discord was over: counted once, by the one
/// who made it, with all that follows from it.
#[tokio::test]
async fn a_decision_typed_in_a_thread_while_nobody_listened_counts_once() {
    let bot = with_a_request().await;
    let card = bot.grace().button("Approve").unwrap();
    assert_eq!(bot.roles(ADA), ["Member"]);
    bot.away(|state| {
        // Whoever may not decide is told so, and nothing comes of it.
        state.writes(MALLORY, card.1, "Deny", &[]);
        state.writes(GRACE, card.1, "Approve, she helped me last week", &[]);
    })
    .await;
    assert_eq!(bot.roles(ADA), ["Member", "Contributor"]);
    let seen = bot.grace().at("staff-approvals").screen();
    assert!(seen.contains("**Approved** by @Grace Hopper"), "{seen}");
    assert!(bot.ada().news().contains("new role: **Contributor**"));
    bot.mallory().news();
    // Once: the next session finds nothing new.
    bot.away(|_| {}).await;
    assert_snapshot!(bot.ada().news(), @"");
    assert_snapshot!(bot.mallory().news(), @"");
}

/// What somebody writes in their own conversation after its end, while the bot's session with Discord was over.
#[tokio::test]
async fn an_order_written_after_the_end_while_nobody_listened_is_answered() {
    let bot = with_a_request().await;
    let thread = bot.ada().at("welcome-ada").channel();
    bot.away(|state| {
        state.writes(ADA, thread, "delete my data", &[]);
    })
    .await;
    assert!(bot.ada().button("Delete everything").is_some(), "{}", bot.ada().screen());
    bot.ada().news();
    bot.away(|_| {}).await;
    assert_snapshot!(bot.ada().news(), @"");
}

async fn readings(bot: &Bot) -> Vec<String> {
    let records = bot.store.audit(0, 1_000).await.unwrap();
    let read = records.iter().filter(|sealed| sealed.record.event == "transcript_read");
    read.map(|sealed| sealed.record.facts["by"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn staff_read_a_conversation_page_by_page_and_it_is_noted() {
    let bot = with_a_request().await;
    let linus = bot.linus();
    linus.at("staff-desk").command("/review", &[("member", ADA.into())]).await;
    linus.press("Transcript").await;
    let seen = linus.news();
    assert!(seen.contains("Would you like the Contributor role?"), "{seen}");
    assert!(seen.contains("The download also lists every step the app took."), "{seen}");
    linus.press("Earlier messages").await;
    let seen = linus.news();
    assert!(seen.contains("1 to 11 of 31") && seen.contains("[Later messages]"), "{seen}");
    linus.press("Later messages").await;
    let seen = linus.news();
    assert!(seen.contains("12 to 31 of 31"), "{seen}");
    assert_eq!(readings(&bot).await, ["discord:500/1400000000000000703"]);
    // From the card of a request; and nobody else.
    let card = bot.grace().button("Transcript").unwrap();
    bot.grace().press_again(&card).await;
    assert_eq!(readings(&bot).await.len(), 2);
    bot.mallory().press_again(&card).await;
    assert_snapshot!(bot.mallory().news(), @"
    #staff-approvals
      + Anteroom (only you): Only the team can do that.
    ");
    assert_eq!(readings(&bot).await.len(), 2);
}
