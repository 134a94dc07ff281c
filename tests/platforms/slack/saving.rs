//! Saving and approving are two acts: an edit keeps the card open, one entry at a time, and an answer can be changed.

use std::fs;

use anteroom::{
    engine::{Inbound, InboundKind},
    model::{
        transcript::Via,
        ui::{Control, Reply, Verdict},
    },
    session::Responder,
};
use insta::assert_snapshot;
use serde_json::json;

use crate::slack::{
    bot::Bot,
    emulator::{faults::Fault, person::Person},
    outage::FLOW,
};

/// Ada in front of her work history, read from her résumé.
async fn at_work_history() -> (Bot, Person) {
    let bot = Bot::new().await;
    let (ada, grace) = (bot.ada(), bot.grace());
    grace.command("/onboard invite @ada").await;
    grace.press("Send").await;
    ada.press("Continue with the assistant").await;
    ada.press("Upload résumé").await;
    ada.press("Upload résumé").await;
    ada.attach("Files", "ada.pdf", &fs::read("tests/fixtures/ada.pdf").unwrap()).await;
    ada.submit().await;
    ada.press("Looks right").await;
    ada.sees("Here's where you have worked").await;
    drop(ada.news());
    (bot, ada)
}

#[tokio::test]
async fn saving_one_entry_saves_it_and_leaves_approving_to_its_own_button() {
    let (bot, ada) = at_work_history().await;
    ada.pick_beside("Role 2", "Edit").await;
    assert_snapshot!(ada.form(), @r#"
    ╔ Edit
    ║ # Role 2
    ║ Organisation: "Difference & Sons"
    ║ Title (optional): "Programmer"
    ║ Place (optional): "London, United Kingdom"
    ║ Start (optional): "2016-06"
    ║   · YYYY, YYYY-MM or YYYY-MM-DD
    ║ End (optional): "2020-02"
    ║   · YYYY, YYYY-MM or YYYY-MM-DD; leave empty if current
    ║ · Everything else stays as it is.
    ║ Note for the team (optional): ____
    ╚ [Cancel] [Save]
    "#);
    ada.fill("Title", "Chief Programmer").await;
    ada.submit().await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): # Work history
            Here's where you have worked: organisation, title, place and dates, newest first. Please add what's missing and remove what's wrong.
            *Role 1*
            Analytical Engines Ltd · Senior Programmer · London, United Kingdom · Start 2020-03 {… Edit | Remove}
            *Role 2*
            Difference & Sons · Chief Programmer · London, United Kingdom · 2016-06 to 2020-02 {… Edit | Remove | Move up}
            *Role 3*
            Somerville Instruments · Assistant Mathematician · Edinburgh, United Kingdom · 2013-09 to 2016-05 {… Edit | Remove | Move up}
            *Volunteer role 1*
            Marylebone Night School · Teacher of arithmetic · 2018 to 2021 {… Edit | Remove}
            [+ Looks right] [Edit] [Add a role] [Add a volunteer role] [Start over]
    ");
    ada.pick_beside("Role 3", "Edit").await;
    ada.fill("Place", "Leith").await;
    ada.submit().await;
    drop(ada.news());
    ada.press("Looks right").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): · Step 1 of 3 · The basics · 2/3
            [Help]
    ~   Anteroom (edited): # Work history
            Here's where you have worked: organisation, title, place and dates, newest first. Please add what's missing and remove what's wrong.
            *Role 1*
            Analytical Engines Ltd · Senior Programmer · London, United Kingdom · Start 2020-03
            *Role 2*
            Difference & Sons · Chief Programmer · London, United Kingdom · 2016-06 to 2020-02
            *Role 3*
            Somerville Instruments · Assistant Mathematician · Leith · 2013-09 to 2016-05
            *Volunteer role 1*
            Marylebone Night School · Teacher of arithmetic · 2018 to 2021
            ✓ *Approved* by you · 2 Nov 2026 10:00 UTC
            [Change]
    +   Anteroom: # Education
            Here's where you have studied. Please add what's missing, or skip this if you have nothing to add.
            *School 1*
            University of London · Mathematics · MSc · 2011 to 2013 {… Edit | Remove}
            *School 2*
            Ockham College · Natural Philosophy · BSc · 2008 to 2011 {… Edit | Remove | Move up}
            [+ Looks right] [Edit] [Add a school] [Start over] [Skip]
    ");
    bot.judge();
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "what one person sees")]
async fn removing_and_adding_an_entry_open_no_more_than_that_entry() {
    let (bot, ada) = at_work_history().await;
    ada.pick_beside("Role 3", "Remove").await;
    assert_snapshot!(ada.form(), @"
    ╔ Remove
    ║ Remove *Role 3*?
    ║   *Organisation* Somerville Instruments
    ║   *Title* Assistant Mathematician
    ║   *Place* Edinburgh, United Kingdom
    ║   *Start* 2013-09
    ║   *End* 2016-05
    ╚ [Cancel] [Remove]
    ");
    ada.submit().await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): # Work history
            Here's where you have worked: organisation, title, place and dates, newest first. Please add what's missing and remove what's wrong.
            *Role 1*
            Analytical Engines Ltd · Senior Programmer · London, United Kingdom · Start 2020-03 {… Edit | Remove}
            *Role 2*
            Difference & Sons · Programmer · London, United Kingdom · 2016-06 to 2020-02 {… Edit | Remove | Move up}
            *Volunteer role 1*
            Marylebone Night School · Teacher of arithmetic · 2018 to 2021 {… Edit | Remove}
            [+ Looks right] [Edit] [Add a role] [Add a volunteer role] [Start over]
    ");
    ada.pick_beside("Role 2", "Move up").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): # Work history
            Here's where you have worked: organisation, title, place and dates, newest first. Please add what's missing and remove what's wrong.
            *Role 1*
            Difference & Sons · Programmer · London, United Kingdom · 2016-06 to 2020-02 {… Edit | Remove}
            *Role 2*
            Analytical Engines Ltd · Senior Programmer · London, United Kingdom · Start 2020-03 {… Edit | Remove | Move up}
            *Volunteer role 1*
            Marylebone Night School · Teacher of arithmetic · 2018 to 2021 {… Edit | Remove}
            [+ Looks right] [Edit] [Add a role] [Add a volunteer role] [Start over]
    ");
    ada.press("Add a role").await;
    assert_snapshot!(ada.form(), @"
    ╔ Add a role
    ║ # Role 3
    ║ Organisation: ____
    ║ Title (optional): ____
    ║ Place (optional): ____
    ║ Start (optional): ____ (2019-03)
    ║   · YYYY, YYYY-MM or YYYY-MM-DD
    ║ End (optional): ____ (2019-03)
    ║   · YYYY, YYYY-MM or YYYY-MM-DD; leave empty if current
    ║ · Everything else stays as it is.
    ║ Note for the team (optional): ____
    ╚ [Cancel] [Save]
    ");
    ada.fill("Organisation", "Ockham Mills").await;
    ada.submit().await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): # Work history
            Here's where you have worked: organisation, title, place and dates, newest first. Please add what's missing and remove what's wrong.
            *Role 1*
            Difference & Sons · Programmer · London, United Kingdom · 2016-06 to 2020-02 {… Edit | Remove}
            *Role 2*
            Analytical Engines Ltd · Senior Programmer · London, United Kingdom · Start 2020-03 {… Edit | Remove | Move up}
            *Role 3*
            Ockham Mills {… Edit | Remove | Move up}
            *Volunteer role 1*
            Marylebone Night School · Teacher of arithmetic · 2018 to 2021 {… Edit | Remove}
            [+ Looks right] [Edit] [Add a role] [Add a volunteer role] [Start over]
    ");
    bot.judge();
}

#[tokio::test]
async fn a_form_that_was_opened_before_another_edit_was_saved_saves_nothing() {
    let (bot, ada) = at_work_history().await;
    ada.pick_beside("Role 1", "Edit").await;
    // Meanwhile another edit is saved, on the telephone.
    let look = bot.engine.look(bot.session().await).await.unwrap();
    let wait = look.state.pending().next().unwrap();
    let Control::Review(review) = &wait.prompt.control else { panic!() };
    let mut data = review.data.clone();
    data["work"][1]["position"] = json!("Chief Programmer");
    let (verdict, notes) = (Verdict::Saved, None);
    let reply = Reply::Reviewed { verdict, data: Some(data), notes };
    let (id, revision, via) = (wait.id, wait.revision, Via::Component);
    let what = InboundKind::Answer { wait: id, revision, reply, via };
    let from = Responder::without_rights(look.state.participant.clone(), "Ada".to_owned());
    let (key, session) = ("telephone".to_owned(), look.state.session);
    bot.engine.receive(Inbound { key, session, from, what }).await.unwrap();
    ada.fill("Title", "Late").await;
    ada.submit().await;
    assert_snapshot!(ada.form(), @r#"
    ╔ Edit
    ║ # Role 1
    ║ Organisation: "Analytical Engines Ltd"
    ║   ✗ This was changed in the meantime. Copy what you wrote, close this form and open it again.
    ║ Title (optional): "Late"
    ║ Place (optional): "London, United Kingdom"
    ║ Start (optional): "2020-03"
    ║   · YYYY, YYYY-MM or YYYY-MM-DD
    ║ End (optional): ____ (2019-03)
    ║   · YYYY, YYYY-MM or YYYY-MM-DD; leave empty if current
    ║ · Everything else stays as it is.
    ║ Note for the team (optional): ____
    ╚ [Cancel] [Save]
    "#);
    ada.close().await;
    assert!(ada.can_see("Chief Programmer"), "{}", ada.screen());
}

#[tokio::test]
async fn an_invitation_that_was_sent_cannot_be_sent_from_its_preview_again() {
    let bot = Bot::new().await;
    let grace = bot.grace();
    grace.command("/onboard invite @ada").await;
    drop(grace.news());
    grace.press("Send").await;
    assert_snapshot!(grace.news(), @"
    ~ Anteroom (only you) (edited): Invitation for @Ada Byron to *Candidate onboarding*
          Sent. You'll see how it goes in the team's channel.
    ");
    assert!(!grace.has_button("Send"), "{}", grace.screen());
    grace.command("/onboard invite @ada").await;
    grace.press("Cancel").await;
    grace.sees("Nothing was sent.").await;
    assert!(!grace.has_button("Cancel"), "{}", grace.screen());
}

#[tokio::test]
async fn a_typed_answer_is_changed_by_editing_the_message_or_on_its_card() {
    let bot = Bot::on(FLOW).await;
    let ada = bot.ada();
    ada.command("/onboard").await;
    ada.press("Red").await;
    ada.reply("It is warm.").await;
    ada.sees("Your name?").await;
    drop(ada.news());
    ada.edit("It is warm.", "It is loud.").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Why?
            ✓ You answered: *It is loud.* · 2 Nov 2026 10:00 UTC
            [Change]
    ~   Ada Byron (edited): It is loud.
    ");
    assert_eq!(bot.result("why").await, json!({ "userInput": "It is loud." }));
    ada.press_on("Why?", "Change").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Why?
            · Type your answer here, or write it in a form.
            [Write an answer]
    ");
    ada.press_on("Why?", "Write an answer").await;
    drop(ada.form());
    ada.fill("Your answer", "It is calm.").await;
    ada.submit().await;
    ada.sees("It is calm.").await;
    // The question after it is open as before.
    ada.reply("Ada").await;
    assert!(ada.can_see("3/3"), "{}", ada.screen());
    let why = bot.result("why").await;
    assert_eq!(why, json!({ "userInput": "It is calm." }), "{}", ada.screen());
    assert_eq!(bot.result("name").await, json!({ "userInput": "Ada" }));
    bot.judge();
}

#[tokio::test]
async fn a_form_that_changed_since_the_press_stays_open_with_what_was_typed() {
    let (bot, ada) = at_work_history().await;
    ada.press("Edit").await;
    ada.fill("Title", "Chief Programmer").await;
    bot.slack.fail("views.update", 1, Fault::Says("hash_conflict"));
    ada.press("Add a role").await;
    ada.sees("Saving will add a role.").await;
    assert!(ada.form().contains("Chief Programmer"), "{}", ada.form());
    assert!(!ada.can_see("cannot be opened"), "{}", ada.screen());
}
