//! Slash commands: what each starts by its name, and orders about other people's conversations.

use anteroom::store::Store as _;
use insta::assert_snapshot;

use crate::slack::{
    bot::{Bot, Plan},
    troubles,
};

async fn flows(bot: &Bot) -> Vec<String> {
    let heads = bot.store.sessions(None, 9).await.unwrap();
    heads.into_iter().map(|head| head.flow.id).collect()
}

#[tokio::test]
async fn a_command_that_a_flow_names_starts_that_flow_among_several() {
    let bot = Bot::new().await;
    let ada = bot.ada();
    ada.command("/welcome").await;
    assert_eq!(flows(&bot).await, ["community-welcome"]);
    assert!(ada.can_see("*This is a bot.*"), "{}", ada.screen());
    // Words after it are orders all the same.
    drop(ada.news());
    ada.command("/welcome status").await;
    assert_snapshot!(ada.news(), @"
    + Anteroom (only you): *Community welcome*: Not started.
          Open: This is a bot. It asks a few fixed questions; you can skip the introduction in step 3. It keeps your answers for 90 days and posts nothing until you approve it. Details: https://example.org/privacy Type human to reach staff, stop to end, delete my data to erase.
    ");
    ada.command("/welcome start").await;
    assert_eq!(flows(&bot).await, ["community-welcome"], "it is found again");
    drop(ada.news());
    ada.command("/welcome candidate-onboarding").await;
    assert!(ada.last().contains("Here's what you can do"), "{}", ada.screen());
    assert_eq!(flows(&bot).await, ["community-welcome"]);
}

#[tokio::test]
async fn a_command_that_nothing_knows_starts_nothing() {
    let bot = Bot::on(troubles::FLOW).await;
    bot.slack.with(|state| {
        state.settings.commands.insert("/stale".to_owned());
    });
    let ada = bot.ada();
    for line in ["/stale", "/stale start", "/stale short", "/onboard dance", "/onboard short dance"]
    {
        ada.command(line).await;
        assert!(ada.last().contains("Here's what you can do"), "{line}: {}", ada.screen());
    }
    assert!(flows(&bot).await.is_empty());
    assert_snapshot!(ada.last(), @"
    Anteroom (only you): Here's what you can do:
        `/onboard start`: start an interview, or continue yours
        `/onboard status`: see how far you are
        `/onboard pause`: stop for now; nothing more is asked until you resume
        `/onboard resume`: continue where you left off
        `/onboard advance`: ask the team to let you skip ahead
        `/onboard human`: talk to a person
        `/onboard export`: get a copy of everything
        `/onboard delete`: delete your answers and files
        `/onboard help`: see what you can do here
    ");
}

#[tokio::test]
async fn the_general_command_offers_a_choice_when_there_are_several_flows() {
    let bot = Bot::new().await;
    let ada = bot.ada();
    ada.command("/onboard").await;
    assert_snapshot!(ada.news(), @"
    + Anteroom (only you): Hello. I run interviews, one step at a time. Which one would you like to start?
          [Candidate onboarding] [Community welcome]
    ");
    assert!(flows(&bot).await.is_empty());
    ada.press("Candidate onboarding").await;
    assert_eq!(flows(&bot).await, ["candidate-onboarding"]);
    assert!(ada.can_see("Continue with the assistant"), "{}", ada.screen());
    bot.judge();
}

#[tokio::test]
async fn the_general_command_starts_the_flow_that_is_named() {
    for line in ["/onboard candidate-onboarding", "/onboard start candidate-onboarding"] {
        let bot = Bot::new().await;
        bot.ada().command(line).await;
        assert_eq!(flows(&bot).await, ["candidate-onboarding"], "{line}");
    }
    // What is not there is not guessed.
    let bot = Bot::new().await;
    bot.ada().command("/onboard start candidate").await;
    assert!(bot.ada().has_button("Candidate onboarding"), "{}", bot.ada().screen());
    assert!(flows(&bot).await.is_empty());
}

#[tokio::test]
async fn the_general_command_starts_the_only_flow() {
    let bot = Bot::on(troubles::FLOW).await;
    bot.ada().command("/onboard").await;
    assert_eq!(flows(&bot).await, ["short"]);
}

/// The operator gives the general command another name: what a flow names is the flow's then.
#[tokio::test]
async fn a_flow_keeps_its_command_when_the_general_one_is_another() {
    let flow = troubles::FLOW.replace("\"/onboard\"", "\"/welcome\"");
    let bot = Bot::planned(Plan { flow: Some(flow), ..Plan::default() }).await;
    bot.ada().command("/welcome").await;
    assert_eq!(flows(&bot).await, ["short"]);
}

#[tokio::test]
async fn a_command_about_oneself_refuses_the_name_of_somebody_else() {
    let bot = troubles::begun().await;
    let ada = bot.ada();
    drop(ada.news());
    for line in ["/onboard delete @mallory", "/onboard human @mallory", "/onboard start @mallory"] {
        ada.command(line).await;
    }
    assert_snapshot!(ada.news(), @"
    + Anteroom (only you): That works for your own conversation only, so leave the name out.
    + Anteroom (only you): That works for your own conversation only, so leave the name out.
    + Anteroom (only you): That works for your own conversation only, so leave the name out.
    ");
}

#[tokio::test]
async fn staff_take_a_conversation_over_and_hand_it_back_by_command() {
    let bot = troubles::begun().await;
    let (ada, grace) = (bot.ada(), bot.grace());
    drop((ada.news(), grace.news()));
    grace.command("/onboard take over @ada").await;
    grace.command("/onboard hand-back @ada").await;
    grace.command("/onboard show").await;
    assert_snapshot!(grace.news(), @"
    + Anteroom (only you): You've taken over. The assistant keeps quiet until you hand back.
    + Anteroom (only you): Handed back. The assistant continues.
    + Anteroom (only you): Please name the person: `/onboard show @person`.
    ");
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Which colour?
            [Red] [Blue]
    +   Anteroom: Grace Hopper from the team is here now.
    +   Anteroom: The assistant is back. Let's pick up where we left off.
    ");
    bot.mallory().command("/onboard take over @ada").await;
    assert_snapshot!(bot.mallory().news(), @"+ Anteroom (only you): Only the team can do that.");
}

#[tokio::test]
async fn help_lists_the_teams_commands_for_staff_alone() {
    let bot = Bot::new().await;
    bot.ada().command("/onboard help").await;
    assert!(!bot.ada().can_see("For the team"), "{}", bot.ada().screen());
    bot.grace().command("/welcome help").await;
    assert_snapshot!(bot.grace().news(), @"
    + Anteroom (only you): Here's what you can do:
          `/onboard start`: start an interview, or continue yours
          `/onboard status`: see how far you are
          `/onboard pause`: stop for now; nothing more is asked until you resume
          `/onboard resume`: continue where you left off
          `/onboard advance`: ask the team to let you skip ahead
          `/onboard human`: talk to a person
          `/onboard export`: get a copy of everything
          `/onboard delete`: delete your answers and files
          `/onboard help`: see what you can do here
          For the team:
          `/onboard overview`: see how everyone is doing
          `/onboard show @person`: see how somebody is doing
          `/onboard invite @person`: invite somebody to an interview
          `/onboard advance @person`: move somebody to the next part
          `/onboard take-over @person`: take over a conversation; the assistant keeps quiet
          `/onboard hand-back @person`: hand a conversation back to the assistant
          `/onboard end @person`: end somebody's conversation
          `/onboard export @person`: get a copy of somebody's conversation
          `/onboard match`: compare somebody with a job
          `/welcome`: start *Community welcome*
    ");
}
