//! Commands of members and staff that Slack has as well: invite, copies, take over and hand back, matching, help.

use anteroom::{flow::optional, store::Store as _};
use insta::assert_snapshot;
use serde_json::json;

use crate::discord::{
    bot::{ADA, Bot, LINUS, Plan},
    emulator::state::BOT,
};

async fn candidates() -> Bot {
    let shipped = Some("candidate-onboarding".to_owned());
    Bot::planned(Plan { shipped, ..Plan::hearing() }).await
}

#[tokio::test]
async fn staff_invite_a_member_who_gets_the_notice_in_a_thread() {
    let bot = candidates().await;
    let (ada, linus) = (bot.ada(), bot.linus());
    linus.at("staff-desk").command("/staff invite", &[("member", json!(ADA))]).await;
    assert_snapshot!(linus.news(), @"
    #staff-desk
      + Anteroom (only you): Invite @Ada to **Candidate onboarding**?
          -# They'll get a message that says what this is and whether an AI takes part. Nothing starts until they agree.
          [+ Send] [Cancel]
    ");
    assert_eq!(ada.news(), "", "nothing is sent before it is confirmed");
    let send = linus.button("Send").unwrap();
    linus.press("Send").await;
    assert_snapshot!(linus.at("staff-desk").news(), @"
    #staff-desk
      ~ Anteroom (only you): Invited @Ada. They'll find it in a private thread of their own. If it doesn't reach them, I'll say so in the team's channel.
    ");
    assert_snapshot!(ada.news(), @r#"
    #onboarding-ada
      + Anteroom: Hi @Ada!
          ┃ ### Candidate onboarding
          ┃ @Linus invited you.
          ┃ **You are about to talk to a bot**, not a person. It asks a fixed list of questions for Example Ltd, and takes about 15 minutes.
          ┃ 
          ┃ - It asks about your contact details, work and education history, and one example of your work.
          ┃ - You see and can correct everything before it is kept. It does not score, rank or reject anyone; people decide.
          ┃ - Answers and files are deleted 180 days after the conversation ends. Details: https://example.org/privacy
          ┃ - At any time type *human* to reach a person, *stop* to end, *export* for a copy, or *delete my data*.
          ┃ 
          ┃ Using this bot is optional. If you would rather not, or need an adjustment, choose "Talk to a person".
          ┃ [Continue with the assistant] [Talk to a person] [Not now]
    "#);
    let heads = bot.store.sessions(None, 9).await.unwrap();
    assert_eq!((heads.len(), heads[0].name.as_deref(), heads[0].test), (1, Some("Ada"), false));
    // Whoever sends it twice has sent one.
    linus.press_again(&send).await;
    assert_eq!(bot.store.sessions(None, 9).await.unwrap().len(), 1);
    ada.at("onboarding-ada").press("Continue with the assistant").await;
    assert!(ada.screen().contains("How would you like to begin?"), "{}", ada.screen());
}

#[tokio::test]
async fn whoever_was_invited_before_is_not_said_to_be_invited_again() {
    let bot = candidates().await;
    let (ada, desk) = (bot.ada(), bot.linus().at("staff-desk"));
    let invite = async || {
        desk.command("/staff invite", &[("member", json!(ADA))]).await;
        desk.press("Send").await;
    };
    invite().await;
    ada.at("onboarding-ada").press("Not now").await;
    drop((ada.news(), desk.news()));
    invite().await;
    let told = desk.news();
    assert!(told.contains("Nothing new was sent: they've chosen not to take part"), "{told}");
    assert!(!told.contains("Invited @Ada"), "{told}");
    assert_eq!(ada.news(), "");
    ada.at("welcome").command("/onboard start", &[]).await;
    let told = ada.news();
    assert!(told.contains("Your thread: #onboarding-ada"), "{told}");
    assert!(told.contains("Use `/onboard resume` to continue."), "{told}");
}

#[tokio::test]
async fn an_invitation_is_sent_by_staff_alone_to_members_alone() {
    let bot = candidates().await;
    let (linus, mallory) = (bot.linus(), bot.mallory());
    mallory.at("welcome").command("/staff invite", &[("member", json!(ADA))]).await;
    assert_snapshot!(mallory.news(), @"
    #welcome
      + Anteroom (only you): Only the team can do that.
    ");
    let desk = linus.at("staff-desk");
    for user in [BOT, 999] {
        desk.command("/staff invite", &[("member", json!(user))]).await;
        desk.press("Send").await;
    }
    desk.command("/staff invite", &[("member", json!(ADA))]).await;
    desk.press("Cancel").await;
    assert_snapshot!(desk.news(), @"
    #staff-desk
      + Anteroom (only you): That is an app. Only people can be invited.
      + Anteroom (only you): They aren't in this server, so I can't invite them.
      + Anteroom (only you): Nothing was sent.
    ");
    // A preview is no proof of rights.
    desk.command("/staff invite", &[("member", json!(ADA))]).await;
    let send = desk.button("Send").unwrap();
    mallory.press_again(&send).await;
    assert!(bot.store.sessions(None, 9).await.unwrap().is_empty());
    // Whoever invites themselves tries it out.
    desk.command("/staff invite", &[("member", json!(LINUS))]).await;
    desk.press("Send").await;
    assert!(bot.store.sessions(None, 9).await.unwrap()[0].test);
}

#[tokio::test]
async fn a_flow_without_invitations_is_not_offered() {
    let bot = Bot::new().await;
    bot.linus().at("staff-desk").command("/staff invite", &[("member", json!(ADA))]).await;
    assert_snapshot!(bot.linus().news(), @"
    #staff-desk
      + Anteroom (only you): There's no interview that people can be invited to here.
    ");
}

#[tokio::test]
async fn a_copy_for_staff_comes_to_them_alone_and_is_audited() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    let (linus, mallory) = (bot.linus(), bot.mallory());
    drop(mallory.news());
    linus.at("staff-desk").command("/staff export", &[("member", json!(ADA))]).await;
    assert_snapshot!(linus.news(), @"
    #staff-desk
      + Anteroom (only you): Sent. You'll find it in your direct messages.
    @Anteroom
      + Anteroom: A copy of everything.
          📎 Ada - Community welcome.zip
    ");
    assert_eq!(bot.ada().news(), "");
    mallory.at("welcome").command("/staff export", &[("member", json!(ADA))]).await;
    assert_snapshot!(mallory.news(), @"
    #welcome
      + Anteroom (only you): Only the team can do that.
    ");
    let audit = bot.store.audit(0, 1_000).await.unwrap();
    let read = audit.iter().filter(|sealed| sealed.record.event == "session_exported");
    let by: Vec<&str> = read.map(|sealed| sealed.record.facts["by"].as_str().unwrap()).collect();
    assert_eq!(by, ["discord:500/1400000000000000703"]);
}

#[tokio::test]
async fn staff_take_a_conversation_over_hand_it_back_and_end_it_by_command() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    let (ada, linus) = (bot.ada(), bot.linus());
    let desk = linus.at("staff-desk");
    let member = [("member", json!(ADA))];
    desk.command("/staff take-over", &member).await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: Linus from the team is here now.
    ");
    desk.command("/staff hand-back", &member).await;
    assert_snapshot!(ada.news(), @r"
    #welcome-ada
      ~ Anteroom (edited): ┃ 1. Be kind.
          ┃ 2. No spam or self-promotion outside #showcase.
          ┃ 3. Keep it legal and on topic.
          ┃ 4. Staff have the last word.
          ┃ [I accept] [I have a question] [I do not accept]
          ┃ -# Step 1 of 4 · Rules · 0/2
      + Anteroom: The assistant is back. Let's pick up where we left off.
    ");
    let end = [("member", json!(ADA)), ("reason", json!("she has left the team"))];
    desk.command("/staff end", &end).await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃  1. Be kind.
          ┃  2. No spam or self-promotion outside #showcase.
          ┃  3. Keep it legal and on topic.
          ┃  4. Staff have the last word.
          ┃  **Question withdrawn**: the conversation was ended. <t:1793628300:f>
      + Anteroom: The team has ended this conversation. Thank you for your time.
    ");
    assert_snapshot!(desk.news(), @"
    #staff-desk
      + Anteroom (only you): You've taken over. The assistant keeps quiet until you hand back.
      + Anteroom (only you): Handed back. The assistant continues.
      + Anteroom (only you): The conversation has ended. Everything said so far is kept.
    ");
    let mallory = bot.mallory().at("welcome");
    mallory.news();
    for command in ["/staff take-over", "/staff hand-back", "/staff end"] {
        mallory.command(command, &member).await;
    }
    assert_snapshot!(mallory.news(), @"
    #welcome
      + Anteroom (only you): Only the team can do that.
      + Anteroom (only you): Only the team can do that.
      + Anteroom (only you): Only the team can do that.
    ");
}

#[tokio::test]
async fn staff_alone_begin_a_comparison() {
    let flow = optional()[0].1.replace("id      = ", "id = ");
    let bot = Bot::planned(Plan { flow: Some(flow), ..Plan::hearing() }).await;
    let (ada, linus) = (bot.ada().at("welcome"), bot.linus());
    ada.command("/staff match", &[]).await;
    ada.command("/onboard start", &[]).await;
    assert_snapshot!(ada.news(), @"
    #welcome
      + Anteroom (only you): Only the team can do that.
      + Anteroom (only you): There's no interview to take part in here yet. The team can invite you when there is.
    ");
    assert!(bot.store.sessions(None, 9).await.unwrap().is_empty());
    linus.at("staff-desk").command("/staff match", &[]).await;
    assert_snapshot!(linus.news(), @r"
    #staff-desk
      + Anteroom (only you): I've sent you a direct message.
    @Anteroom
      + Anteroom: ┃ ### Job match
          ┃ *You are about to compare a person's CV with a job by machine.* The result is advice; a person decides, and can say why.
          ┃ 
          ┃ - Use it only if the applicant was told beforehand that CVs are compared by machine, as https://example.org/privacy says. In some places that
          ┃ takes days of notice, a yearly audit for bias, and another way for those who do not want it.
          ┃ - It knows words and what they mean, not people. It misses what a CV does not say. Never turn somebody down by its number alone.
          ┃ - What you enter and what comes of it is kept for 180 days, each step with your name, for Example Ltd to review.
          ┃ [Compare] [Ask a colleague] [Not now]
    ");
    linus.press("Compare").await;
    assert!(linus.screen().contains("job description"), "{}", linus.screen());
}

#[tokio::test]
async fn a_participant_calls_a_person_and_asks_to_skip_ahead_by_command() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    let ada = bot.ada();
    ada.at("welcome").command("/onboard human", &[]).await;
    assert_snapshot!(ada.news(), @"
    #welcome
      + Anteroom (only you): You'll find the answer here: #welcome-ada
    #welcome-ada
      + Anteroom: I've asked the team. I'll keep quiet until they answer or you type *continue*.
    ");
    ada.at("welcome").command("/onboard resume", &[]).await;
    drop(ada.news());
    ada.at("welcome").command("/onboard advance", &[("reason", json!("I know them"))]).await;
    assert_snapshot!(ada.news(), @"
    #welcome
      + Anteroom (only you): You've moved on to the next part.
    #welcome-ada
      + Anteroom: This part can't be skipped: Rules accepted, Minimum age confirmed.
    ");
}

#[tokio::test]
async fn help_lists_the_teams_commands_for_staff_alone() {
    let bot = Bot::new().await;
    bot.ada().at("welcome").command("/onboard help", &[]).await;
    assert_snapshot!(bot.ada().news(), @"
    #welcome
      + Anteroom (only you): Here's what you can do:
          `/onboard start`: start an interview, or continue yours
          `/onboard status`: see how far you are
          `/onboard cancel`: stop for now; nothing more is asked until you resume
          `/onboard resume`: continue where you left off
          `/onboard advance`: ask the team to let you skip ahead
          `/onboard human`: talk to a person
          `/upload`: send a file you were asked for
          *Apps*, then *Use as answer*, in the menu of a message: answer the open question with a message you wrote
          `/privacy export`: get a copy of everything
          `/privacy delete`: delete your answers and files
          `/onboard help`: see what you can do here
    ");
    bot.linus().at("staff-desk").command("/onboard help", &[]).await;
    assert_snapshot!(bot.linus().news(), @"
    #staff-desk
      + Anteroom (only you): Here's what you can do:
          `/onboard start`: start an interview, or continue yours
          `/onboard status`: see how far you are
          `/onboard cancel`: stop for now; nothing more is asked until you resume
          `/onboard resume`: continue where you left off
          `/onboard advance`: ask the team to let you skip ahead
          `/onboard human`: talk to a person
          `/upload`: send a file you were asked for
          *Apps*, then *Use as answer*, in the menu of a message: answer the open question with a message you wrote
          `/privacy export`: get a copy of everything
          `/privacy delete`: delete your answers and files
          `/onboard help`: see what you can do here
          For the team:
          `/review`: see how everyone is doing
          `/review member`: see how somebody is doing
          `/staff invite member`: invite somebody to an interview
          `/override member`: move somebody to the next part
          `/staff take-over member`: take over a conversation; the assistant keeps quiet
          `/staff hand-back member`: hand a conversation back to the assistant
          `/staff end member`: end somebody's conversation
          `/staff export member`: get a copy of somebody's conversation
          `/staff match`: compare somebody with a job
          `/onboard panel`: post a message with a Start button here
    ");
}
