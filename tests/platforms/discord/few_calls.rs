//! What does not have to be asked of Discord is not: cards are closed by the answer to the press, members are let into
//! their threads by the first message, and who a member is stands in what they did. And what becomes of that when it fails.

use chrono::TimeDelta;
use serde_json::json;

use crate::discord::{
    bot::{ADA, Bot, By, Plan, role},
    emulator::{
        calls,
        faults::Fault,
        state::{BOT, GUILD, State},
    },
    rows_cards,
};

/// The role that the bot has.
const BOT_ROLE: u64 = 501;

const ANSWER: &str = "POST /interactions/{interaction}/{token}/callback";
const POST: &str = "POST /channels/{channel}/messages";
const EDIT: &str = "PATCH /channels/{channel}/messages/{message}";
const THREAD: &str = "POST /channels/{channel}/threads";
const LET_IN: &str = "PUT /channels/{channel}/thread-members/{user}";
const MEMBER: &str = "GET /guilds/{guild}/members/{user}";
const ROLES: &str = "GET /guilds/{guild}/roles";
const GIVE: &str = "PUT /guilds/{guild}/members/{user}/roles/{role}";

impl Bot {
    /// How often something was asked of Discord.
    fn asked(&self, route: &str) -> usize {
        self.discord.with(|state| {
            let all = state.requests.iter();
            let all = all.filter_map(|asked| calls::route(&asked.method, &asked.path));
            all.filter(|(asked, _)| *asked == route).count()
        })
    }

    /// Each of these goes wrong so often.
    fn fails(&self, route: &str, times: usize, fault: Fault) {
        self.discord.with(|state| state.faults.plan(route, times, fault));
    }

    /// Those in Ada's thread.
    fn in_the_thread(&self) -> Vec<u64> {
        self.discord.with(|state| {
            let thread = state.channels.values().find(|channel| channel.name == "welcome-ada");
            thread.unwrap().people.iter().copied().collect()
        })
    }
}

/// The highest role of the bot stands here.
fn move_bot(state: &mut State, position: u32) {
    let roles = &mut state.guilds.get_mut(&GUILD).unwrap().roles;
    roles.get_mut(&BOT_ROLE).unwrap().position = position;
}

#[tokio::test]
async fn answered_card_is_closed_by_the_answer_to_the_press() {
    for by in [By::Gateway, By::Http] {
        let bot = Bot::at_the_rules(Plan { by, ..Plan::default() }).await;
        bot.ada().press("I accept").await;
        assert!(bot.ada().screen().contains("✓ You answered: **I accept**"));
        assert_eq!(bot.asked(EDIT), 0, "{by:?}");
    }
}

#[tokio::test]
async fn answered_review_is_closed_by_the_answer_to_its_form() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    for label in ["I accept", "Yes", "Done", "No, thanks", "Fill in"] {
        bot.ada().press(label).await;
    }
    // A role was named on the card of the answer that it was given for.
    let before = bot.asked(EDIT);
    bot.ada().fill("Your introduction", "I build small boats, and want to learn more.");
    bot.ada().submit().await;
    bot.ada().press("Looks right").await;
    let screen = bot.ada().screen();
    assert!(screen.contains("┃✓ ✓ **Approved** by you"), "{screen}");
    assert!(screen.contains("┃✓ [Change]"), "{screen}");
    assert_eq!(bot.asked(EDIT), before);
}

#[tokio::test]
async fn answered_card_is_edited_when_discord_refuses_the_answer() {
    let bot = rows_cards::begun().await;
    let before = bot.asked(EDIT);
    bot.fails(ANSWER, 1, Fault::Says(404, 10_062));
    bot.ada().press("Blue").await;
    assert!(bot.ada().screen().contains("✓ You answered: **Blue**"));
    assert_eq!(bot.asked(EDIT), before + 1);
}

/// The person reads of no failure: what is drawn there comes as an edit.
#[tokio::test]
async fn answered_card_is_edited_when_discord_takes_the_answer_but_not_the_card() {
    let bot = rows_cards::begun().await;
    let before = bot.asked(EDIT);
    bot.fails(ANSWER, 1, Fault::Says(400, 50_035));
    bot.ada().press("Blue").await;
    let screen = bot.ada().screen();
    assert!(screen.contains("✓ You answered: **Blue**"), "{screen}");
    assert!(!bot.ada().news().contains("This interaction failed"));
    assert_eq!(bot.asked(EDIT), before + 1);
}

/// The answer never arrives, and the process ends before anybody knows.
#[tokio::test]
async fn answered_card_is_edited_after_a_kill_between_commit_and_answer() {
    let mut bot = rows_cards::begun().await;
    let before = bot.asked(EDIT);
    bot.fails(ANSWER, 1, Fault::Hang);
    bot.unrested();
    let (channel, message, id) = bot.ada().button("Blue").unwrap();
    let token = bot.discord.with(|state| state.interact(3, ADA, channel, Some(message)).1);
    let data = json!({ "custom_id": id, "component_type": 2 });
    bot.discord.deliver(&token, &data).await;
    let is_applied = || async {
        let look = bot.engine.look(bot.session().await).await.unwrap();
        look.state.pending().all(|wait| !wait.prompt.body.common_mark().contains("Which colour?"))
    };
    while !is_applied().await {
        tokio::task::yield_now().await;
    }
    bot.crash().await;
    assert!(bot.ada().screen().contains("✓ You answered: **Blue**"), "{}", bot.ada().screen());
    assert!(bot.asked(EDIT) > before);
    assert_eq!(bot.ada().screen().matches("A file, please.").count(), 1);
}

/// Two devices, the same card: one answer draws it, and the other press leaves it as it is.
#[tokio::test]
async fn card_pressed_twice_is_closed_once() {
    let bot = rows_cards::begun().await;
    let blue = bot.ada().button("Blue").unwrap();
    bot.ada().press_again(&blue).await;
    bot.ada().press_again(&blue).await;
    assert_eq!(bot.ada().screen().matches("✓ You answered: **Blue**").count(), 1);
}

/// What comes too late to be answered is edited, as nobody knows whether Discord takes the answer.
#[tokio::test]
async fn answered_card_is_edited_when_the_press_comes_late() {
    let bot = rows_cards::begun().await;
    let before = bot.asked(EDIT);
    let (channel, message, id) = bot.ada().button("Blue").unwrap();
    let token = bot.discord.with(|state| state.interact(3, ADA, channel, Some(message)).1);
    bot.pass(TimeDelta::seconds(4)).await;
    let data = json!({ "custom_id": id, "component_type": 2 });
    bot.ask(&token, &data).await;
    assert!(bot.ada().screen().contains("✓ You answered: **Blue**"));
    assert_eq!(bot.asked(EDIT), before + 1);
}

#[tokio::test]
async fn question_shows_progress_while_it_is_open() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    assert!(bot.ada().screen().contains("┃ -# Step 1 of 4 · Rules · 0/2\n"));
    bot.ada().press("I accept").await;
    let screen = bot.ada().screen();
    assert!(screen.contains("┃ -# Step 1 of 4 · Rules · 1/2\n"), "{screen}");
    assert_eq!(screen.matches("Step 1 of 4").count(), 1, "an answered card shows none: {screen}");
    // The notice and the two questions, and nothing beside.
    assert_eq!(bot.asked(POST), 1 + 3);
}

#[tokio::test]
async fn participant_is_let_into_their_thread_by_the_first_message() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    assert_eq!(bot.in_the_thread(), [ADA, BOT]);
    assert_eq!(bot.asked(LET_IN), 0);
    bot.ada().press("I accept").await;
    let called = bot.discord.with(|state| state.notified.len());
    assert_eq!(called, 1, "nobody is called twice");
}

#[tokio::test]
async fn participant_is_let_in_by_the_words_of_a_card_that_discord_does_not_take() {
    let bot = Bot::pressed(Plan::default(), &[]).await;
    bot.fails(POST, 1, Fault::Says(400, 50_035));
    bot.ada().press("Start").await;
    assert_eq!(bot.in_the_thread(), [ADA, BOT]);
    let screen = bot.ada().screen();
    assert!(screen.contains("Hi @Ada!"), "{screen}");
}

#[tokio::test]
async fn participant_is_let_in_after_a_filter_kept_the_first_message_back() {
    let bot = Bot::pressed(Plan::default(), &[]).await;
    bot.fails(POST, 1, Fault::Says(400, 240_000));
    bot.ada().press("Start").await;
    assert_eq!(bot.in_the_thread(), [ADA, BOT]);
    assert!(bot.ada().screen().contains("Hi @Ada!\nA message filter here"));
}

/// The thread is there, and nothing in it, when the process ends.
#[tokio::test]
async fn participant_is_let_in_after_a_crash_between_thread_and_first_message() {
    for fault in [Fault::Broken, Fault::BrokenAfter] {
        let mut bot = Bot::pressed(Plan::default(), &[]).await;
        bot.fails(POST, 99, fault);
        bot.ada().press("Start").await;
        assert_eq!(bot.asked(THREAD), 1);
        bot.crash().await;
        bot.discord.with(|state| state.faults.clear());
        for _ in 0..6 {
            bot.pass(TimeDelta::seconds(20)).await;
        }
        assert_eq!(bot.in_the_thread(), [ADA, BOT], "{fault:?}");
        assert_eq!(bot.asked(THREAD), 1, "{fault:?}");
        let screen = bot.ada().at("welcome-ada").screen();
        assert_eq!(screen.matches("### Community welcome").count(), 1, "{fault:?}: {screen}");
        assert_eq!(bot.asked(LET_IN), 0);
    }
}

#[tokio::test]
async fn participant_who_came_back_is_let_in_again_by_adding() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    bot.discord.with(|state| {
        for channel in state.channels.values_mut().filter(|channel| channel.is_thread()) {
            channel.people.remove(&ADA);
        }
    });
    bot.ada().at("welcome").press("Start").await;
    assert_eq!(bot.in_the_thread(), [ADA, BOT]);
    assert_eq!(bot.asked(LET_IN), 1);
}

#[tokio::test]
async fn role_is_given_without_asking_who_the_member_is() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    bot.ada().press("I accept").await;
    bot.ada().press("Yes").await;
    assert_eq!(bot.roles(ADA), ["Member"]);
    // The bot's own place among the roles was asked for, once for the server.
    assert_eq!((bot.asked(MEMBER), bot.asked(ROLES), bot.asked(GIVE)), (1, 1, 1));
    bot.ada().press("Done").await;
    bot.ada().press("Yes, please").await;
    assert_eq!(bot.roles(ADA), ["Member", "Event pings"]);
    assert_eq!((bot.asked(MEMBER), bot.asked(ROLES), bot.asked(GIVE)), (1, 1, 2));
}

/// Another member was given the role a moment ago, and the server has changed since.
async fn with_rights_known() -> Bot {
    let bot = Bot::at_the_rules(Plan::default()).await;
    for label in ["I accept", "Yes"] {
        bot.ada().press(label).await;
    }
    let grace = bot.grace();
    grace.at("welcome").press("Start").await;
    for label in ["Start", "I accept"] {
        grace.at("welcome-grace-hopper").press(label).await;
    }
    bot.grace().news();
    bot
}

#[tokio::test]
async fn role_that_was_removed_meanwhile_is_told_as_it_is() {
    let bot = with_rights_known().await;
    bot.discord.with(|state| {
        state.guilds.get_mut(&GUILD).unwrap().roles.remove(&role(1));
    });
    bot.grace().press("Yes").await;
    let news = bot.grace().news();
    assert!(news.contains("✗ member: the role no longer exists"), "{news}");
    assert_eq!(bot.asked(GIVE), 2, "what is known to be gone is not tried again");
}

#[tokio::test]
async fn role_that_moved_above_the_bot_meanwhile_is_told_as_it_is() {
    let bot = with_rights_known().await;
    bot.discord.with(|state| move_bot(state, 1));
    bot.grace().press("Yes").await;
    let news = bot.grace().news();
    assert!(news.contains("✗ Member: my own role is below it"), "{news}");
}

/// What was in the way is not, any more: nobody is told what was so before.
#[tokio::test]
async fn role_that_can_be_given_by_now_is_given() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    bot.discord.with(|state| move_bot(state, 1));
    for label in ["I accept", "Yes"] {
        bot.ada().press(label).await;
    }
    assert!(bot.roles(ADA).is_empty());
    bot.discord.with(|state| move_bot(state, 5));
    let grace = bot.grace();
    grace.at("welcome").press("Start").await;
    for label in ["Start", "I accept", "Yes"] {
        grace.at("welcome-grace-hopper").press(label).await;
    }
    assert!(grace.screen().contains("Role added: **Member**"), "{}", grace.screen());
}

#[tokio::test]
async fn member_who_lost_a_role_meanwhile_is_given_it_again() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    bot.discord.with(|state| {
        let members = &mut state.guilds.get_mut(&GUILD).unwrap().members;
        members.get_mut(&ADA).unwrap().roles.insert(role(1));
    });
    bot.ada().press("I accept").await;
    let (channel, message, id) = bot.ada().button("Yes").unwrap();
    let payload = bot.discord.with(|state| {
        let token = state.interact(3, ADA, channel, Some(message)).1;
        let payload = state.payload(&token, &json!({ "custom_id": id, "component_type": 2 }));
        let members = &mut state.guilds.get_mut(&GUILD).unwrap().members;
        members.get_mut(&ADA).unwrap().roles.remove(&role(1));
        payload
    });
    bot.tell("INTERACTION_CREATE", payload).await;
    assert_eq!(bot.roles(ADA), ["Member"]);
}

#[tokio::test]
async fn member_whose_payload_says_pending_gets_no_role_before_they_are_through() {
    let bot = Bot::at_the_rules(Plan::default()).await;
    bot.ada().press("I accept").await;
    bot.discord.with(|state| {
        state.guilds.get_mut(&GUILD).unwrap().members.get_mut(&ADA).unwrap().is_pending = true;
    });
    bot.ada().press("Yes").await;
    assert!(bot.roles(ADA).is_empty());
    assert_eq!(bot.asked(GIVE), 0);
    assert!(bot.ada().screen().contains("as soon as you've accepted the server's rules"));
    bot.happens(|state| state.passes_screening(ADA)).await;
    assert_eq!(bot.roles(ADA), ["Member"]);
}

/// Discord knows of nobody under that name any more, whom the press had named a moment ago.
#[tokio::test]
async fn member_who_left_after_their_press_is_missed_when_the_role_is_refused() {
    let bot = with_rights_known().await;
    bot.fails(GIVE, 1, Fault::Says(404, 10_007));
    bot.fails(MEMBER, 1, Fault::Says(404, 10_007));
    bot.grace().press("Yes").await;
    let told = "I can't reach Grace Hopper any more: they're no longer in the server.";
    assert!(bot.linus().screen().contains(told), "{}", bot.linus().screen());
}
