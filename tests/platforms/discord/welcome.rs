//! How the welcome of a community reads: few messages, cards that say what they came to, and requests that show who asks.

use anteroom::store::Store as _;

use crate::discord::{
    bot::{ADA, APPROVALS, Bot, INTRODUCTIONS, Plan},
    emulator::{components, state::BOT},
};

/// What Ada says of herself.
pub(crate) const INTRODUCTION: &str =
    "I build small boats, and want to learn how bigger ones are rigged.";

/// A flow with a panel that says everything it can, and a question whose choices have something to say.
pub(crate) const FLOW: &str = r#"
format = 1
id = "harbour"
version = "1.0.0"
title = "Harbour tour"

[start.discord]
panel = true
panel_title = "Welcome to the harbour"
panel_text = "Two minutes, and you know where everything is."
panel_image = "https://example.org/harbour.png"
panel_image_alt = "Sailing boats at a pier in the evening"
panel_button = "Begin the tour"
place = "private-thread"
parent = "welcome"

[approvals.override]
channel = "staff_approvals"

[[phase]]
id = "one"
title = "One"
mode = "script"

  [[phase.objective]]
  id = "boats"
  title = "Boats"
  done = { answered = { step = "boats" } }

  [[phase.step]]
  id = "boats"
  tool = "get_user_option"
  [phase.step.args]
  prompt = "Which boats do you like?"
  allowMultiple = true
  options = [
    { id = "dinghy", label = "Dinghies", description = "Dinghies" },
    { id = "yacht", label = "Yachts", description = "Long enough to sleep in, small enough to sail alone, and by far the most common boats that lie in this harbour in summer" },
    { id = "ferry", label = "Ferries", description = "They leave on the hour" },
  ]
"#;

/// The body of the newest message in a channel.
pub(crate) fn newest(bot: &Bot, channel: u64) -> serde_json::Value {
    bot.discord.with(|state| {
        let messages = &state.channels[&channel].messages;
        messages.values().next_back().unwrap().body.clone()
    })
}

async fn at_the_introduction() -> Bot {
    introducing(Plan::default()).await
}

async fn introducing(plan: Plan) -> Bot {
    let bot = Bot::pressed(plan, &["Start", "Start", "I accept", "Yes"]).await;
    bot.ada().pick(&["Learning", "Events"]).await;
    for label in ["Done", "Yes, please", "Fill in"] {
        bot.ada().press(label).await;
    }
    bot
}

/// Ada has introduced herself, and asked for the role of contributors.
pub(crate) async fn with_a_request() -> Bot {
    requesting(Plan::default()).await
}

/// The same with another bot.
pub(crate) async fn requesting(plan: Plan) -> Bot {
    let bot = introducing(plan).await;
    let ada = bot.ada();
    ada.fill("Your introduction", INTRODUCTION);
    ada.submit().await;
    ada.press("Looks right").await;
    ada.press("Request it").await;
    bot
}

#[tokio::test]
async fn lines_of_a_text_stay_lines() {
    let bot = Bot::pressed(Plan::default(), &["Start"]).await;
    let seen = bot.ada().screen();
    assert!(seen.contains("in step 3.\n"), "{seen}");
}

#[tokio::test]
async fn choices_are_drawn_alike() {
    let bot = Bot::pressed(Plan::default(), &["Start", "Start"]).await;
    let seen = bot.ada().screen();
    assert!(seen.contains("[I accept] [I have a question]"), "{seen}");
}

#[tokio::test]
async fn form_of_an_introduction_is_labelled_for_its_reader() {
    let bot = at_the_introduction().await;
    let form = bot.ada().form();
    assert!(form.contains("Your introduction*:"), "{form}");
    assert!(form.starts_with("╔ Introduction\n"), "{form}");
    assert!(!form.contains("interviewer") && !form.contains("Note"), "{form}");
}

#[tokio::test]
async fn welcome_takes_a_message_for_each_question_and_one_to_close() {
    let bot = with_a_request().await;
    let ada = bot.ada().at("welcome-ada");
    let said = bot.discord.with(|state| {
        let messages = state.channels[&ada.channel()].messages.values();
        messages.filter(|message| message.author == BOT && message.only_for.is_none()).count()
    });
    let screen = ada.screen();
    assert!(!screen.contains("Your roles:"), "{screen}");
    assert!(screen.contains("Role added: **Member**"), "{screen}");
    assert!(screen.contains("Roles added: **Learner, Events**"), "{screen}");
    assert_eq!(screen.matches("[Delete my data]").count(), 1, "{screen}");
    // The notice, six questions, the end, and that the team is asked.
    assert_eq!(said, 9, "{screen}");
}

#[tokio::test]
async fn introduction_mentions_who_wrote_it() {
    let bot = with_a_request().await;
    let posted = newest(&bot, INTRODUCTIONS);
    assert!(posted.to_string().contains(&format!("<@{ADA}>")), "{posted}");
    assert_eq!(posted["allowed_mentions"]["users"], serde_json::json!([ADA.to_string()]));
}

#[tokio::test]
async fn request_shows_who_asks_and_for_which_role() {
    let bot = with_a_request().await;
    let seen = bot.grace().at("staff-approvals").screen();
    assert!(seen.contains("@Ada"), "{seen}");
    assert!(seen.contains("@Contributor"), "{seen}");
    assert!(seen.contains("Learning, Events"), "{seen}");
    assert!(seen.contains(INTRODUCTION), "{seen}");
    let card = newest(&bot, APPROVALS);
    let all = card["components"].as_array().unwrap();
    let picture = components::all(all).into_iter().find(|component| component["type"] == 11);
    let picture = picture.unwrap_or_else(|| panic!("no avatar in {card}"));
    assert_eq!(picture["description"], "Ada");
}

#[tokio::test]
async fn panel_takes_title_picture_and_a_label_of_its_own() {
    let bot = Bot::on(FLOW).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    insta::assert_snapshot!(bot.ada().news(), @r"
    #welcome
      + Anteroom: ┃ 🖼 Sailing boats at a pier in the evening
          ┃ ## Welcome to the harbour
          ┃ Two minutes, and you know where everything is.
          ┃ [+ Begin the tour]
    ");
}

#[tokio::test]
async fn required_menu_asks_for_one_choice_and_says_nothing_twice() {
    let bot = Bot::on(FLOW).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    bot.ada().press("Begin the tour").await;
    insta::assert_snapshot!(bot.ada().at("welcome-ada").screen(), @r#"
    Anteroom: Hi @Ada!
    ┃ Which boats do you like?
    ┃ 2\. **Yachts**: Long enough to sleep in, small enough to sail alone, and by far the most common boats that lie in this harbour in summer
    ┃ {Choose… 1-3: Dinghies | Yachts | Ferries – They leave on the hour}
    ┃ [Done (off)]
    ┃ -# Step 1 of 1 · One · 0/1
    ┃ [Help] [Talk to a person] [Stop]
    "#);
}

/// The person who asked reads the reason with the name of who gave it, and who gave it was told so before.
#[tokio::test]
async fn denied_participant_reads_the_reason_and_can_ask() {
    let bot = with_a_request().await;
    let (ada, grace) = (bot.ada(), bot.grace());
    drop((ada.news(), grace.news()));
    grace.press("Deny with feedback").await;
    insta::assert_snapshot!(grace.form(), @r"
    ╔ Deny with feedback
    ║ **Give Ada the Contributor role?**
    ║ What should they know?*: _¶_
    ║   · Ada will read this, with your name.
    ╚ [Cancel] [Submit]
    ");
    grace.fill("What should they know?", "Take part for a month first; then ask again.");
    grace.submit().await;
    insta::assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: Grace Hopper declined your request for the Contributor role:
          
          > Take part for a month first; then ask again.
          [Ask again] [Talk to a person]
    ");
    insta::assert_snapshot!(grace.news(), @"
    #staff-approvals
      ~ Anteroom (edited): ┃! ### Give Ada the Contributor role?
          ┃! **Person**: @Ada
          ┃! **Role**: @Contributor
          ┃! **Interests**: Learning, Events ⟶ 🖼 Ada
          ┃! **Introduction**
          ┃! > I build small boats, and want to learn how bigger ones are rigged.
          ┃! -# Community welcome · Roles
          ┃! ✗ **Denied with feedback** by @Grace Hopper · <t:1793628300:f>
          ┃! -# To Ada: Take part for a month first; then ask again.
    #Ada
      + Anteroom: Denied by @Grace Hopper.
    ");
    assert_eq!(feedback_for(&bot).await, ["participant"]);
    ada.press("Ask again").await;
    insta::assert_snapshot!(grace.news(), @"
    #staff-approvals
      + Anteroom: @Moderators
          ┃ ### Give Ada the Contributor role?
          ┃ **Person**: @Ada
          ┃ **Role**: @Contributor
          ┃ **Interests**: Learning, Events ⟶ 🖼 Ada
          ┃ **Introduction**
          ┃ > I build small boats, and want to learn how bigger ones are rigged.
          ┃ -# Community welcome · Roles
          ┃ [✓ Approve] [! Deny] [Deny with feedback] [Transcript] [Open conversation ↗]
    ");
}

/// Whoever writes of themselves sets nothing in bold and hides no address behind a word.
#[tokio::test]
async fn words_of_people_are_posted_without_markup() {
    let bot = at_the_introduction().await;
    let ada = bot.ada();
    ada.fill(
        "Your introduction",
        "I am **bold**, [safe](https://evil.example) and `quiet`.\nReally.",
    );
    ada.submit().await;
    ada.press("Looks right").await;
    let posted = newest(&bot, INTRODUCTIONS);
    let content = posted["content"].as_str().unwrap();
    assert_eq!(
        content,
        format!(
            "<@{ADA}>: I am \\*\\*bold\\*\\*, \\[safe\\](https://evil.example) and \\`quiet\\`.\nReally."
        )
    );
}

/// A form with a mistake opens again, and what comes of it is said in its place.
#[tokio::test]
async fn form_that_opened_again_says_what_was_saved() {
    let bot = at_the_introduction().await;
    let ada = bot.ada();
    ada.fill("Your introduction", "short");
    ada.submit().await;
    drop(ada.news());
    ada.press("Edit again").await;
    ada.fill("Your introduction", INTRODUCTION);
    ada.submit().await;
    let seen = ada.screen();
    assert!(seen.contains("Saved. Press *Looks right* on the card to approve it."), "{seen}");
    assert!(!seen.contains("Done."), "{seen}");
    assert!(seen.contains("Not approved yet"), "{seen}");
    ada.press("Looks right").await;
    assert!(ada.screen().contains("✓ **Approved** by you"), "{}", ada.screen());
}

/// Nobody can send nothing where something is asked for.
#[tokio::test]
async fn required_menu_cannot_be_sent_empty() {
    let bot = Bot::on(FLOW).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let ada = bot.ada();
    ada.press("Begin the tour").await;
    let done = |bot: &Bot| {
        let ada = bot.ada().at("welcome-ada");
        let card = newest(bot, ada.channel());
        let all = card["components"].as_array().unwrap().clone();
        let all = components::all(&all);
        let found = all.into_iter().find(|component| component["label"] == "Done").cloned();
        found.unwrap()["disabled"] == true
    };
    assert!(done(&bot), "{}", ada.screen());
    ada.pick(&["Yachts"]).await;
    assert!(!done(&bot), "{}", ada.screen());
    ada.press("Done").await;
    assert!(ada.screen().contains("You answered: **Yachts**"), "{}", ada.screen());
}

/// One way to a person is enough on a notice.
#[tokio::test]
async fn notice_has_each_way_once() {
    for (shipped, label) in
        [("community-welcome", "Ask staff"), ("candidate-onboarding", "Talk to a person")]
    {
        let plan = Plan { shipped: Some(shipped.to_owned()), ..Plan::default() };
        let bot = Bot::planned(plan).await;
        let ada = bot.ada();
        ada.at("welcome").command("/onboard start", &[]).await;
        let seen = ada.screen();
        assert_eq!(seen.matches(&format!("[{label}]")).count(), 1, "{seen}");
        assert_eq!(
            seen.matches("[Talk to a person]").count(),
            usize::from(label != "Ask staff"),
            "{seen}"
        );
    }
}

/// Whoever has invited somebody is named where they read what it is about.
#[tokio::test]
async fn invited_member_reads_who_invited_them() {
    let plan = Plan { shipped: Some("candidate-onboarding".to_owned()), ..Plan::default() };
    let bot = Bot::planned(plan).await;
    let member = [("member", serde_json::json!(ADA))];
    bot.linus().at("staff-desk").command("/staff invite", &member).await;
    bot.linus().press("Send").await;
    let seen = bot.ada().screen();
    assert!(seen.contains("@Linus invited you."), "{seen}");
    assert!(seen.contains("about 15 minutes"), "{seen}");
}

/// An answer that was given in a form can be given anew, with the button on its card.
#[tokio::test]
async fn written_answer_can_be_changed_on_its_card() {
    let flow = FLOW.replace("get_user_option", "request_user_input");
    let flow = flow.split("  allowMultiple").next().unwrap().to_owned();
    let more = r#"
  [[phase.step]]
  id = "harbour"
  tool = "request_user_input"
  [phase.step.args]
  prompt = "Which harbour?"
"#;
    let bot = Bot::on(&format!("{flow}{more}")).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let ada = bot.ada();
    ada.press("Begin the tour").await;
    let (channel, card, id) = ada.button("Write an answer").unwrap();
    ada.press("Write an answer").await;
    ada.fill("Your answer", "Dinghys");
    ada.submit().await;
    ada.press("Change").await;
    // The card asks once more, above the question that follows.
    ada.press_again(&(channel, card, id.replace(".1.", ".2."))).await;
    assert!(ada.form().contains("_¶Dinghys_"), "{}", ada.form());
    ada.fill("Your answer", "Dinghies");
    ada.submit().await;
    let seen = ada.screen();
    assert!(seen.contains("You answered: **Dinghies**"), "{seen}");
    assert!(!seen.contains("**Dinghys**"), "{seen}");
}

/// Who reads the words of a denial, as the audit log keeps it.
async fn feedback_for(bot: &Bot) -> Vec<serde_json::Value> {
    let records = bot.store.audit(0, 1_000).await.unwrap();
    let kept = records.iter().filter_map(|sealed| sealed.record.facts.get("feedback_for"));
    kept.filter(|reader| !reader.is_null()).cloned().collect()
}

/// Where no model leads, nobody but the participant could use the words of a denial.
#[tokio::test]
async fn participant_of_a_script_reads_why_they_may_not_skip_ahead() {
    let bot = Bot::on(FLOW).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let (ada, grace) = (bot.ada(), bot.grace());
    ada.press("Begin the tour").await;
    let reason = serde_json::json!("I have seen boats before");
    ada.at("welcome").command("/onboard advance", &[("reason", reason)]).await;
    drop((ada.news(), grace.news()));
    grace.press("Deny with feedback").await;
    assert!(grace.form().contains("Ada will read this, with your name."), "{}", grace.form());
    grace.fill("What should they know?", "One boat is like no other.");
    grace.submit().await;
    insta::assert_snapshot!(ada.at("welcome-ada").news(), @"
    #welcome-ada
      + Anteroom: Grace Hopper would like you to finish this part first:
          
          > One boat is like no other.
          [Talk to a person]
    ");
    assert_eq!(feedback_for(&bot).await, ["participant"]);
}
