//! Erasing reaches what was posted: messages, files, staff threads, Home.

use std::collections::BTreeSet;

use anteroom::{
    model::posted::{self, Item},
    store::Store as _,
};
use chrono::TimeDelta;

use crate::slack::{
    bot::Bot,
    emulator::{BOT_USER, faults::Fault, state::Message},
};

/// What stands nowhere but in what Ada said, sent, or is called.
const MARKERS: [&str; 7] = [
    "Ada Byron",
    "ada.byron@example.org",
    "7946",
    "Analytical Engines",
    "zebra",
    "quokka",
    "ocelot",
];

/// Ada has gone through the shipped flow, asked for a person in the middle, and has a copy of everything.
async fn interviewed() -> Bot {
    let bot = Bot::new().await;
    let (ada, grace) = (bot.ada(), bot.grace());
    grace.command("/onboard invite @ada").await;
    grace.press("Send").await;
    ada.press("Continue with the assistant").await;
    ada.press("Upload résumé").await;
    ada.drop_file("quokka.pdf", &std::fs::read("tests/fixtures/ada.pdf").unwrap(), "").await;
    for _ in 0..3 {
        ada.press("Looks right").await;
    }
    ada.choose("Programmer, Difference & Sons").await;
    for words in ["A zebra.", "A second zebra.", "A third zebra.", "A fourth zebra."] {
        ada.reply(words).await;
    }
    ada.reply("human").await;
    let desk = bot.slack.person("U0LINUS").at("recruiting-desk");
    desk.press("Take over").await;
    desk.reply("Good that you mention the ocelot.").await;
    ada.reply("The zebra and the ocelot?").await;
    desk.press("Hand back").await;
    ada.choose("30-50%").await;
    ada.choose("Continue without").await;
    ada.press("Looks right").await;
    ada.choose("Paste").await;
    ada.reply("Zebras are a zebra branch of poetry.").await;
    ada.pick("More responsibility").await;
    ada.press("Done").await;
    ada.pick("Remote").await;
    ada.press("Done").await;
    ada.choose("About a month").await;
    ada.reply("March").await;
    ada.choose("No, that is all").await;
    ada.press("Looks right").await;
    ada.press("Download my answers").await;
    bot.slack.person("U0LINUS").command("/onboard export @ada").await;
    bot.slack.person("U0LINUS").open().await;
    ada.open().await;
    for person in [&ada, &grace, &desk] {
        drop(person.news());
    }
    bot
}

/// What the ledger of the conversation names: messages as `channel/ts`, files by their ids.
async fn on_the_ledger(bot: &Bot) -> BTreeSet<String> {
    let session = bot.session().await;
    let mut named = BTreeSet::new();
    for key in [posted::ledger_of(session), posted::aside_of(session)] {
        let ledger = bot.store.noted(&key).await.unwrap().and_then(|note| note.value);
        for posted in posted::read(&ledger.unwrap_or_default()) {
            named.extend(match posted.item {
                Item::Message { at } | Item::Head { at } => Some(at),
                Item::File { id } => Some(id),
                Item::Room { .. } | Item::Unreadable => None,
            });
        }
    }
    named
}

/// What stands in Slack by the app: messages that everybody sees, without a file's own, and files.
fn in_slack(bot: &Bot) -> BTreeSet<String> {
    bot.slack.look(|state| {
        let mut standing = BTreeSet::new();
        for channel in state.channels.values() {
            let of_bot = |message: &&Message| message.user == BOT_USER && message.files.is_empty();
            let seen = channel.messages.values().filter(|message| message.only_for.is_none());
            standing.extend(seen.filter(of_bot).map(|it| format!("{}/{}", channel.id, it.ts)));
        }
        let files = state.files.values().filter(|file| file.user == BOT_USER && !file.is_tombstone);
        standing.extend(files.map(|file| file.id.clone()));
        standing
    })
}

#[tokio::test]
async fn the_ledger_names_all_that_the_app_posted() {
    let bot = interviewed().await;
    let (ledger, standing) = (on_the_ledger(&bot).await, in_slack(&bot));
    assert!(standing.len() > 30, "{standing:?}");
    let missing: Vec<&String> = standing.difference(&ledger).collect();
    assert_eq!(missing, Vec::<&String>::new());
}

async fn erase(bot: &Bot) {
    bot.ada().press("Delete my data").await;
    bot.ada().press("Delete everything").await;
    bot.rest().await;
}

fn left(bot: &Bot) -> Vec<String> {
    bot.slack.look(|state| state.search(&MARKERS))
}

/// What is left that the app posted, or shows on somebody's page.
fn left_of_the_app(bot: &Bot) -> Vec<String> {
    let of_people = ["of Ada Byron in", "file of Ada Byron", "of Linus Pauling in"];
    let is_the_apps = |found: &String| !of_people.iter().any(|own| found.contains(own));
    left(bot).into_iter().filter(is_the_apps).collect()
}

#[tokio::test]
async fn erasing_leaves_nothing_in_slack_but_what_people_wrote_themselves() {
    let bot = interviewed().await;
    let before = left_of_the_app(&bot);
    assert!(before.iter().any(|found| found.contains("of Anteroom in #recruiting-desk")));
    erase(&bot).await;
    assert_eq!(left_of_the_app(&bot), Vec::<String>::new());
    let told = bot.ada().last();
    let desk = bot.slack.person("U0LINUS").at("recruiting-desk").screen();
    assert!(desk.contains("This conversation was erased."), "{desk}");
    assert!(desk.contains("Linus Pauling: Good that you mention the ocelot."), "{desk}");
    // What is left of hers is as much as the receipt says.
    let hers = bot.slack.look(|state| {
        let direct = &state.channels["D0ADA"];
        direct.messages.values().filter(|message| message.user == "U0ADA").count()
    });
    assert!(told.contains(&format!("{hers} messages and 1 file that you sent")), "{hers}: {told}");
}

#[tokio::test]
async fn erasing_twice_answers_with_the_receipt() {
    let bot = interviewed().await;
    let ada = bot.ada();
    ada.press("Delete my data").await;
    let yes = bot.slack.look(|state| {
        let direct = state.channels["D0ADA"].messages.values();
        let card =
            direct.filter(|message| message.blocks.to_string().contains("Delete everything"));
        card.cloned().next_back().unwrap()
    });
    ada.press("Delete everything").await;
    bot.rest().await;
    let receipts = bot.store.notes("erasure/").await.unwrap();
    assert_eq!(receipts.len(), 2, "{receipts:?}");
    assert!(MARKERS.iter().all(|marker| !format!("{receipts:?}").contains(marker)));
    // Somebody's client still shows the card.
    bot.slack.with(|state| {
        state.channels.get_mut("D0ADA").unwrap().messages.insert(yes.ts.clone(), yes);
    });
    drop(ada.news());
    ada.press("Delete everything").await;
    bot.rest().await;
    assert!(ada.news().contains("(only you): *Everything is erased.*"), "{}", ada.screen());
}

#[tokio::test]
async fn an_erasure_goes_on_after_rate_limits_and_after_a_crash() {
    let mut bot = interviewed().await;
    bot.slack.fail("chat.delete", 1, Fault::TooMany(30));
    erase(&bot).await;
    assert!(!left_of_the_app(&bot).is_empty(), "it has only begun");
    bot.slack.fail("chat.delete", 1, Fault::CutAfter);
    bot.slack.fail("files.delete", 1, Fault::Broken);
    bot.slack.fail("conversations.replies", 1, Fault::Cut);
    bot.crash().await;
    for _ in 0..8 {
        bot.pass(TimeDelta::minutes(1)).await;
    }
    assert_eq!(left_of_the_app(&bot), Vec::<String>::new());
    assert!(bot.ada().last().contains("*Everything is erased.*"), "{}", bot.ada().screen());
}

#[tokio::test]
async fn what_goes_by_time_goes_from_slack_too_and_without_a_word() {
    let bot = interviewed().await;
    for _ in 0..3 {
        bot.pass(TimeDelta::days(181)).await;
    }
    assert_eq!(bot.store.sessions(None, 9).await.unwrap(), []);
    assert_eq!(left_of_the_app(&bot), Vec::<String>::new());
    assert!(!bot.ada().screen().contains("erased"), "{}", bot.ada().screen());
}
