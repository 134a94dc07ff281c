//! J2: a member of a community, from the panel to the roles, without a model.
//!
//! J numbers are those of `docs/behaviour.md`.

use insta::assert_snapshot;

use crate::discord::{
    bot::{ADA, Bot, By, Plan, role},
    emulator::state::GUILD,
};

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one story, told to its end")]
async fn a_member_is_taken_from_the_panel_to_the_roles() {
    let bot = Bot::new().await;
    let ada = bot.ada();
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    assert_snapshot!(ada.news(), @r"
    #welcome
      + Anteroom: ┃ ## New here?
          ┃ Press Start. It takes two minutes and happens in a thread only you and the staff can see.
          ┃ [+ Start]
    ");
    ada.press("Start").await;
    assert_snapshot!(ada.news(), @"
    #welcome
      + Anteroom (only you): Your thread: #welcome-ada
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
    ada.press("Start").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ ### Community welcome
          ┃✓ **This is a bot.** It asks a few fixed questions; you can skip the introduction in step 3.
          ┃✓ It keeps your answers for 90 days and posts nothing until you approve it. Details: https://example.org/privacy
          ┃✓ 
          ┃✓ Press **Ask staff** to reach staff, **Stop** to end, **Delete my data** to erase.
          ┃✓ ✓ You answered: **Start** · <t:1793628300:f>
      + Anteroom: ┃ 1. Be kind.
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
    assert_eq!(bot.roles(ADA), ["Member"]);
    ada.pick(&["Learning", "Events"]).await;
    assert_snapshot!(ada.news(), @"");
    ada.press("Done").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ What brings you here? Pick any. This decides which channels you see.
          ┃✓ ✓ You answered: **Learning, Events** · <t:1793628300:f>
      + Anteroom: ┃ Would you like event notifications?
          ┃ [Yes, please] [No, thanks]
          ┃ -# Step 2 of 4 · Interests · 1/1
          ┃ [Help] [Talk to a person] [Stop]
    ");
    ada.press("Yes, please").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ What brings you here? Pick any. This decides which channels you see.
          ┃✓ ✓ You answered: **Learning, Events** · <t:1793628300:f>
          ┃✓ -# Roles added: **Learner, Events**
      ~ Anteroom (edited): ┃✓ Would you like event notifications?
          ┃✓ ✓ You answered: **Yes, please** · <t:1793628300:f>
          ┃✓ -# Role added: **Event pings**
      + Anteroom: ┃ ### Introduction
          ┃ Would you like to introduce yourself? Two or three sentences are enough. Nobody sees them before you approve them.
          ┃ [Fill in] [Skip]
          ┃ -# Step 3 of 4 · Say hello · 0/1
          ┃ [Help] [Talk to a person] [Stop]
    ");
    ada.press("Fill in").await;
    assert_snapshot!(ada.form(), @"
    ╔ Introduction
    ║ Your introduction*: _¶_
    ║ Pronouns: __
    ╚ [Cancel] [Submit]
    ");
    ada.fill("Your introduction", "short");
    ada.submit().await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom (only you): ┃! ### Not saved yet
          ┃! - Your introduction: enter at least 10 characters.
          ┃! [+ Edit again]
          ┃! -# What you entered is kept.
    ");
    ada.press("Edit again").await;
    assert_snapshot!(ada.form(), @"
    ╔ Edit: Introduction
    ║ Your introduction*: _¶short_
    ║ Pronouns: __
    ║ Note for the team: _¶_
    ╚ [Cancel] [Submit]
    ");
    ada.fill(
        "Your introduction",
        "I build small boats, and want to learn how bigger ones are rigged.",
    );
    ada.submit().await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃ ### Introduction
          ┃ Would you like to introduce yourself? Two or three sentences are enough. Nobody sees them before you approve them.
          ┃ **Your introduction**: I build small boats, and want to learn how bigger ones are rigged.
          ┃ -# Not filled in: Pronouns
          ┃ [✓ Looks right] [Edit] [Start over] [Skip]
          ┃ -# Not approved yet: press “Looks right” when you're done.
          ┃ -# Step 3 of 4 · Say hello · 0/1
          ┃ [Help] [Talk to a person] [Stop]
      ~ Anteroom (only you): Saved. Press *Looks right* on the card to approve it.
    ");
    ada.press("Looks right").await;
    assert_snapshot!(ada.news(), @"
    #introductions
      + Anteroom: @Ada: I build small boats, and want to learn how bigger ones are rigged.
    #welcome-ada
      ~ Anteroom (edited): ┃✓ ### Introduction
          ┃✓ Would you like to introduce yourself? Two or three sentences are enough. Nobody sees them before you approve them.
          ┃✓ **Your introduction**: I build small boats, and want to learn how bigger ones are rigged.
          ┃✓ ✓ **Approved** by you · <t:1793628300:f>
          ┃✓ [Change]
      + Anteroom: ┃ Would you like the Contributor role? Staff check requests, usually within a day.
          ┃ [Request it] [Not now]
          ┃ -# Step 4 of 4 · Roles
          ┃ [Help] [Talk to a person] [Stop]
    ");
    let grace = bot.grace();
    assert_snapshot!(grace.news(), @"
    #welcome
      + Anteroom: ┃ ## New here?
          ┃ Press Start. It takes two minutes and happens in a thread only you and the staff can see.
          ┃ [+ Start]
    #introductions
      + Anteroom: @Ada: I build small boats, and want to learn how bigger ones are rigged.
    ");
    ada.press("Request it").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ Would you like the Contributor role? Staff check requests, usually within a day.
          ┃✓ ✓ You answered: **Request it** · <t:1793628300:f>
      + Anteroom: ┃✓ That's everything, thank you! Example Ltd can see the following:
          ┃✓ 
          ┃✓ - Interests
          ┃✓ - Introduction
          ┃✓ 
          ┃✓ Press *Download my answers* for a copy, or *Delete my data* to erase it.
          ┃✓ [Download my answers] [Delete my data]
      + Anteroom: I've asked the team. You can leave; I'll post their answer here.
    ");
    assert_snapshot!(grace.news(), @"
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
    grace.press("Approve").await;
    assert_snapshot!(grace.news(), @"
    #staff-approvals
      + Anteroom (only you): ┃ ### Approve this?
          ┃ Give Ada the Contributor role?
          ┃ [✓ Yes, approve]
          ┃ -# Changed your mind? Just dismiss this message.
    ");
    grace.press("Yes, approve").await;
    assert_snapshot!(grace.news(), @"
    #staff-approvals
      ~ Anteroom (edited): ┃✓ ### Give Ada the Contributor role?
          ┃✓ **Person**: @Ada
          ┃✓ **Role**: @Contributor
          ┃✓ **Interests**: Learning, Events ⟶ 🖼 Ada
          ┃✓ **Introduction**
          ┃✓ > I build small boats, and want to learn how bigger ones are rigged.
          ┃✓ -# Community welcome · Roles
          ┃✓ ✓ **Approved** by @Grace Hopper · <t:1793628300:f>
      ~ Anteroom (only you): Approved.
    #Ada
      + Anteroom: Approved by @Grace Hopper.
    ");
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: ✓ @Grace Hopper approved your request. You have a new role: **Contributor**.
    ");
    assert_eq!(bot.roles(ADA), ["Member", "Contributor", "Learner", "Events", "Event pings"]);
}

#[tokio::test]
async fn what_is_asked_of_staff_is_decided_once_and_by_those_who_may() {
    let bot = Bot::new().await;
    let ada = bot.ada();
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    for label in ["Start", "Start", "I accept", "Yes", "Done", "No, thanks", "Skip", "Request it"] {
        ada.press(label).await;
    }
    let (grace, linus, mallory) = (bot.grace(), bot.linus(), bot.mallory());
    drop((ada.news(), grace.news(), linus.news(), mallory.news()));
    let approve = grace.button("Deny").unwrap();
    mallory.press("Approve").await;
    assert_snapshot!(mallory.news(), @"
    #staff-approvals
      + Anteroom (only you): Only the staff approvers can decide this.
    ");
    mallory.press("Deny").await;
    assert_snapshot!(mallory.news(), @"
    #staff-approvals
      + Anteroom (only you): Only the staff approvers can decide this.
    ");
    // Staff who decide nothing see it, and may not.
    linus.press("Deny").await;
    assert_snapshot!(linus.news(), @"
    #staff-approvals
      + Anteroom (only you): Only the staff approvers can decide this.
    ");
    // A decision may be typed, as a reply that calls the bot.
    grace.at("staff-approvals").reply("Approve, she helped me last week").await;
    assert_snapshot!(grace.news(), @"
    #staff-approvals
      ~ Anteroom (edited): ┃✓ ### Give Ada the Contributor role?
          ┃✓ **Person**: @Ada
          ┃✓ **Role**: @Contributor ⟶ 🖼 Ada
          ┃✓ -# Community welcome · Roles
          ┃✓ ✓ **Approved** by @Grace Hopper · <t:1793628300:f>
    #Ada
      + Anteroom: Approved by @Grace Hopper.
    ");
    // Whoever comes second is told who was first.
    grace.press_again(&approve).await;
    assert_snapshot!(grace.news(), @"
    #staff-approvals
      + Anteroom (only you): Already approved by you at <t:1793628300:f>.
    ");
    assert_snapshot!(ada.news(), @r"
    #welcome-ada
      + Anteroom: ✓ @Grace Hopper approved your request. You have a new role: **Contributor**.
    ");
    assert_eq!(bot.roles(ADA), ["Member", "Contributor"]);
}

/// The same bot where Discord's requests come to it.
#[tokio::test]
async fn over_http_everything_is_the_same() {
    let plan = Plan { by: By::Http, ..Plan::default() };
    let bot = Bot::pressed(plan, &["Start", "Start", "I accept", "Yes"]).await;
    let ada = bot.ada();
    ada.pick(&["Learning"]).await;
    for label in ["Done", "No, thanks", "Fill in"] {
        ada.press(label).await;
    }
    ada.fill("Your introduction", "I build small boats, and like to talk about them.");
    ada.submit().await;
    ada.press("Looks right").await;
    ada.news();
    ada.press("Request it").await;
    bot.grace().press("Approve").await;
    bot.grace().press("Yes, approve").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ Would you like the Contributor role? Staff check requests, usually within a day.
          ┃✓ ✓ You answered: **Request it** · <t:1793628300:f>
      + Anteroom: ┃✓ That's everything, thank you! Example Ltd can see the following:
          ┃✓ 
          ┃✓ - Interests
          ┃✓ - Introduction
          ┃✓ 
          ┃✓ Press *Download my answers* for a copy, or *Delete my data* to erase it.
          ┃✓ [Download my answers] [Delete my data]
      + Anteroom: I've asked the team. You can leave; I'll post their answer here.
      + Anteroom: ✓ @Grace Hopper approved your request. You have a new role: **Contributor**.
    ");
    assert_eq!(bot.roles(ADA), ["Member", "Contributor", "Learner"]);
}

/// What the server's own onboarding has asked stands in the member's roles.
#[tokio::test]
async fn nobody_is_asked_again_what_the_server_has_asked() {
    let bot = Bot::new().await;
    bot.discord.with(|state| {
        let members = &mut state.guilds.get_mut(&GUILD).unwrap().members;
        members.get_mut(&ADA).unwrap().roles.extend([role(4), role(6)]);
    });
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let ada = bot.ada();
    for label in ["Start", "Start", "I accept"] {
        ada.press(label).await;
    }
    ada.news();
    ada.press("Yes").await;
    assert_snapshot!(ada.news(), @r"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ Are you at least 13, or older if your country's law asks for it?
          ┃✓ ✓ You answered: **Yes** · <t:1793628300:f>
          ┃✓ -# Role added: **Member**
      + Anteroom: ┃ What brings you here? Pick any. This decides which channels you see.
          ┃ {Choose… 0-6: Learning | [Building projects] | Helping others | [Jobs] | Events | Just reading}
          ┃ [+ Done] [Skip]
          ┃ -# Step 2 of 4 · Interests · 0/1
          ┃ [Help] [Talk to a person] [Stop]
    ");
    ada.press("Done").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ What brings you here? Pick any. This decides which channels you see.
          ┃✓ ✓ You answered: **Building projects, Jobs** · <t:1793628300:f>
      + Anteroom: ┃ Would you like event notifications?
          ┃ [Yes, please] [No, thanks]
          ┃ -# Step 2 of 4 · Interests · 1/1
          ┃ [Help] [Talk to a person] [Stop]
    ");
}

/// Where the server has asked all that a question leads to, and the member went through it, it is not asked again.
#[tokio::test]
async fn a_question_that_the_server_has_asked_is_answered_by_what_was_said_there() {
    let bot = Bot::new().await;
    bot.discord.with(|state| {
        let guild = state.guilds.get_mut(&GUILD).unwrap();
        guild.onboarding = vec![(3..=7).map(role).collect()];
        let ada = guild.members.get_mut(&ADA).unwrap();
        ada.roles.extend([role(4), role(6)]);
        ada.flags = 2;
    });
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let ada = bot.ada();
    for label in ["Start", "Start", "I accept"] {
        ada.press(label).await;
    }
    ada.news();
    ada.press("Yes").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ Are you at least 13, or older if your country's law asks for it?
          ┃✓ ✓ You answered: **Yes** · <t:1793628300:f>
          ┃✓ -# Role added: **Member**
      + Anteroom: What brings you here? Pick any. This decides which channels you see. **Building projects, Jobs**: you told the server when you joined, so I won't ask again. You can change it under *Channels & Roles*.
      + Anteroom: ┃ Would you like event notifications?
          ┃ [Yes, please] [No, thanks]
          ┃ -# Step 2 of 4 · Interests · 1/1
          ┃ [Help] [Talk to a person] [Stop]
    ");
    let asked = bot.discord.with(|state| {
        let paths = state.requests.iter().filter(|asked| asked.path.ends_with("/onboarding"));
        paths.count()
    });
    assert_eq!(asked, 1);
    // Whoever came before the server asked is asked.
    bot.discord.with(|state| {
        let guild = state.guilds.get_mut(&GUILD).unwrap();
        guild.members.get_mut(&crate::discord::bot::LINUS).unwrap().roles.insert(role(4));
    });
    let linus = bot.linus();
    for label in ["Start", "Start", "I accept", "Yes"] {
        linus.press(label).await;
    }
    let seen = linus.news();
    assert!(seen.contains("[Building projects]"), "{seen}");
}
