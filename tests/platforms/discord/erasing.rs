//! Erasing reaches what was posted: messages, threads and their names, what everybody read.

use chrono::TimeDelta;

use crate::discord::{
    bot::{ADA, Bot, Plan},
    emulator::faults::Fault,
};

/// What stands nowhere but in what Ada said, or is called.
const MARKERS: [&str; 4] = ["Ada", "ada", "zebra", "ocelot"];

/// Ada has talked to staff, introduced herself to everybody, and asked for a role.
async fn welcomed() -> Bot {
    let bot =
        Bot::planned(Plan { discord: "message_content = true".to_owned(), ..Plan::default() })
            .await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let ada = bot.ada();
    for label in ["Start", "Start", "I have a question"] {
        ada.press(label).await;
    }
    ada.at("welcome-ada").write("Is a zebra allowed?").await;
    ada.at("welcome-ada").write("continue").await;
    for label in ["I accept", "Yes", "Done", "No, thanks", "Fill in"] {
        ada.press(label).await;
    }
    ada.fill("Your introduction", "I keep a zebra, and want to learn how bigger ones are ridden.");
    ada.submit().await;
    ada.press("Looks right").await;
    ada.press("Request it").await;
    for person in [bot.ada(), bot.grace(), bot.linus(), bot.mallory()] {
        person.news();
    }
    bot
}

async fn erase(bot: &Bot) {
    bot.ada().at("welcome").command("/privacy delete", &[]).await;
    bot.ada().press("Delete everything").await;
    bot.ada().press("Delete everything").await;
}

fn left(bot: &Bot) -> Vec<String> {
    bot.discord.with(|state| state.search(&MARKERS))
}

#[tokio::test]
async fn erasing_leaves_nothing_on_discord_but_what_people_wrote_themselves() {
    let bot = welcomed().await;
    assert!(left(&bot).len() > 8, "{:?}", left(&bot));
    erase(&bot).await;
    assert_eq!(left(&bot), Vec::<String>::new());
    let seen = bot.ada().news();
    assert!(seen.contains("**Everything is erased.**"), "{seen}");
    assert!(seen.contains("Nothing else of this conversation is left here."), "{seen}");
}

#[tokio::test]
async fn a_thread_in_which_staff_wrote_stays_without_a_name_when_a_conversation_is_erased() {
    let bot = welcomed().await;
    let desk = bot.discord.with(|state| {
        let heads = state.channels.iter().filter(|(_, channel)| channel.name.starts_with("Ada ·"));
        heads.map(|(_, channel)| channel.name.clone()).next().unwrap()
    });
    bot.linus().at(&desk).write("An ocelot would be worse.").await;
    erase(&bot).await;
    assert_eq!(left(&bot), ["message of a person in erased: ocelot"]);
    let seen = bot.ada().news();
    assert!(seen.contains("1 message that the team wrote under a message of mine"), "{seen}");
}

#[tokio::test]
async fn a_thread_that_cannot_be_deleted_is_emptied_and_loses_its_name() {
    let mut bot = welcomed().await;
    bot.discord.with(|state| {
        state.users.get_mut(&ADA).unwrap().is_closed = true;
        state.faults.plan("PATCH /channels/{channel}", 1, Fault::TooMany(600));
    });
    erase(&bot).await;
    // Its name was limited: it goes later, with the rest, and in another process too.
    assert!(left(&bot).contains(&"the name of welcome-ada: ada".to_owned()), "{:?}", left(&bot));
    bot.crash().await;
    bot.pass(TimeDelta::minutes(15)).await;
    assert_eq!(left(&bot), ["message of a person in erased: zebra"]);
    let seen = bot.ada().news();
    assert!(
        seen.contains("that you sent in this conversation. Only you can delete them."),
        "{seen}"
    );
}

#[tokio::test]
async fn an_erasure_goes_on_after_an_outage_and_after_a_crash() {
    let mut bot = welcomed().await;
    bot.discord.with(|state| {
        state.faults.plan("DELETE /channels/{channel}/messages/{message}", 3, Fault::Broken);
        state.faults.plan("DELETE /channels/{channel}", 4, Fault::Broken);
    });
    erase(&bot).await;
    bot.crash().await;
    for _ in 0..6 {
        bot.pass(TimeDelta::minutes(2)).await;
    }
    assert_eq!(left(&bot), Vec::<String>::new());
}
