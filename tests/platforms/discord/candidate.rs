//! J1 in Discord, without a model: a candidate's files, and forms that take more than one page.
//!
//! J numbers are those of `docs/behaviour.md`.

use std::fs;

use insta::assert_snapshot;

use crate::discord::{
    bot::{ADA, Bot, Plan},
    person::Person,
};

/// Ada is asked for her résumé by the shipped script.
async fn at_the_résumé() -> Bot {
    let flows = Some("candidate-onboarding".to_owned());
    let bot = Bot::planned(Plan { shipped: flows, ..Plan::default() }).await;
    let ada = bot.ada();
    ada.at("welcome").command("/onboard start", &[]).await;
    for label in ["Continue with the assistant", "Upload résumé"] {
        ada.press(label).await;
    }
    ada.news();
    bot
}

fn sent(ada: &Person<'_>, fixture: &str) -> serde_json::Value {
    let bytes = fs::read(format!("tests/fixtures/{fixture}")).unwrap();
    let channel = ada.channel();
    ada.bot
        .discord
        .with(|state| state.upload(channel, (fixture, "application/octet-stream"), &bytes, true))
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "the cards are shown whole")]
async fn a_file_comes_by_a_form_and_is_read() {
    let bot = at_the_résumé().await;
    let ada = bot.ada().at("onboarding-ada");
    ada.press("Upload résumé").await;
    assert_snapshot!(ada.form(), @"
    ╔ Upload
    ║ Please send your résumé as PDF, DOCX, TXT or MD, at most 10 MB.
    ║ -# PDF, DOCX, TXT, MD. Up to 3 files, 10 MB each.
    ║ Files*: [files: 1-3 .pdf .docx .txt .md]
    ╚ [Cancel] [Submit]
    ");
    ada.attach(&sent(&ada, "two-columns.pdf"));
    ada.submit().await;
    assert_snapshot!(ada.news(), @r"
    #onboarding-ada
      ~ Anteroom (edited): ┃✓ Please send your résumé as PDF, DOCX, TXT or MD, at most 10 MB.
          ┃✓ ✓ You sent: **two-columns.pdf** · <t:1793628300:f>
      + Anteroom: ┃ ### Contact details
          ┃ I found 3 roles and 2 schools. I couldn't find where you live, so please add it. Here are your contact details so far. Please correct and complete them.
          ┃ **Name**: Ada Byron
          ┃ **E-mail**: ada.byron@example.org
          ┃ **Phone**: \+44 20 7946 0018
          ┃ -# Not filled in: Headline, Website, Address, Postcode, City, Region, Country
          ┃ {Edit…: Contact details (1) – Name, Headline, E-mail, Phone, Website | Contact details (2) – Address, Postcode, City, Region, Country}
          ┃ [✓ Looks right] [Add a profile] [Start over]
          ┃ -# Step 1 of 3 · The basics · 0/3
          ┃ [Help] [Talk to a person] [Stop]
    ");
    ada.pick(&["Contact details (1)"]).await;
    assert_snapshot!(ada.form(), @"
    ╔ Edit: Contact details (1)
    ║ Name*: _Ada Byron_
    ║ Headline: __
    ║   · For example: Web developer
    ║ E-mail: _ada.byron@example.org_
    ║ Phone: _+44 20 7946 0018_
    ║ Website: _(https://example.org)_
    ╚ [Cancel] [Submit]
    ");
    ada.fill("Headline", "Analyst");
    ada.submit().await;
    assert_snapshot!(ada.news(), @r#"
    #onboarding-ada
      ~ Anteroom (edited): ┃ ### Contact details
          ┃ I found 3 roles and 2 schools. I couldn't find where you live, so please add it. Here are your contact details so far. Please correct and complete them.
          ┃ **Name**: Ada Byron
          ┃ **Headline**: Analyst
          ┃ **E-mail**: ada.byron@example.org
          ┃ **Phone**: \+44 20 7946 0018
          ┃ -# Not filled in: Website, Address, Postcode, City, Region, Country
          ┃ {Edit…: Contact details (1) – Name, Headline, E-mail, Phone, Website | Contact details (2) – Address, Postcode, City, Region, Country}
          ┃ [✓ Looks right] [Add a profile] [Start over]
          ┃ -# Not approved yet: press “Looks right” when you're done.
          ┃ -# Step 1 of 3 · The basics · 0/3
          ┃ [Help] [Talk to a person] [Stop]
    "#);
    ada.press("Looks right").await;
    assert_snapshot!(ada.news(), @r#"
    #onboarding-ada
      ~ Anteroom (edited): ┃✓ ### Contact details
          ┃✓ I found 3 roles and 2 schools. I couldn't find where you live, so please add it. Here are your contact details so far. Please correct and complete them.
          ┃✓ **Name**: Ada Byron
          ┃✓ **Headline**: Analyst
          ┃✓ **E-mail**: ada.byron@example.org
          ┃✓ **Phone**: \+44 20 7946 0018
          ┃✓ ✓ **Approved** by you · <t:1793628300:f>
          ┃✓ [Change]
      + Anteroom: ┃ ### Work history
          ┃ Here's where you have worked: organisation, title, place and dates, newest first. Please add what's missing and remove what's wrong.
          ┃ __**Role 1**__
          ┃ **Organisation**: Analytical Engines Ltd
          ┃ **Title**: Senior Programmer
          ┃ **Start**: 2020-03
          ┃ -# Not filled in: Place, End
          ┃ __**Role 2**__
          ┃ **Organisation**: Difference & Sons
          ┃ **Title**: Programmer
          ┃ **Start**: 2016-06
          ┃ **End**: 2020-02
          ┃ -# Not filled in: Place
          ┃ __**Role 3**__
          ┃ **Organisation**: Somerville Instruments
          ┃ **Title**: Assistant Mathematician
          ┃ **Start**: 2013-09
          ┃ **End**: 2016-05
          ┃ -# Not filled in: Place
          ┃ {Edit…: Role 1 – Analytical Engines Ltd, Senior Programmer | Role 2 – Difference & Sons, Programmer | Role 3 – Somerville Instruments, Assistant Mathematician}
          ┃ {Remove or move…: Remove role 1 | Remove role 2 | Move role 2 up | Remove role 3 | Move role 3 up}
          ┃ [✓ Looks right] [Add a role] [Add a volunteer role] [Start over]
          ┃ -# Step 1 of 3 · The basics · 1/3
          ┃ [Help] [Talk to a person] [Stop]
    "#);
}

#[tokio::test]
async fn a_file_of_another_kind_leaves_the_question_open() {
    let bot = at_the_résumé().await;
    let ada = bot.ada().at("onboarding-ada");
    ada.press("Upload résumé").await;
    ada.attach(&sent(&ada, "scan.pdf"));
    ada.submit().await;
    assert_snapshot!(ada.news(), @r"
    #onboarding-ada
      ~ Anteroom (edited): ┃✓ Please send your résumé as PDF, DOCX, TXT or MD, at most 10 MB.
          ┃✓ ✓ You sent: **scan.pdf** · <t:1793628300:f>
      + Anteroom: ┃ There is no text in this PDF. What would you like to do instead?
          ┃ [Upload another] [Type it in]
          ┃ -# Step 1 of 3 · The basics · 0/3
          ┃ [Help] [Talk to a person] [Stop]
    ");
    ada.press("Upload another").await;
    ada.news();
    // What Discord says of a file by its name is not believed.
    let fake = bot.discord.with(|state| {
        state.upload(ada.channel(), ("cv.pdf", "application/pdf"), b"GIF89a not a document", false)
    });
    let file = ("file", fake);
    bot.ada().at("onboarding-ada").command("/upload", &[file]).await;
    assert_snapshot!(ada.news(), @"
    #onboarding-ada
      + Anteroom (only you): Got it.
      + Anteroom: *cv.pdf* is a text file inside. Please rename it so that it ends in .txt, and send it again.
    ");
    // Dropped into the thread, without the privileged intent Discord does not say so.
    let plain = bot.discord.with(|state| {
        state.upload(
            ada.channel(),
            ("cv.txt", "text/plain"),
            b"Ada Byron\nada@example.org\n",
            false,
        )
    });
    bot.ada().at("onboarding-ada").command("/upload", &[("file", plain)]).await;
    assert_snapshot!(ada.news(), @"
    #onboarding-ada
      ~ Anteroom (edited): ┃✓ Please send your résumé as PDF, DOCX, TXT or MD, at most 10 MB.
          ┃✓ ✓ You sent: **cv.txt** · <t:1793628300:f>
      + Anteroom (only you): Got it.
      + Anteroom: ┃ ### Contact details
          ┃ I couldn't find your telephone number, where you live, any roles or any schools, so please add them. Here are your contact details so far. Please correct and complete them.
          ┃ **Name**: Ada Byron
          ┃ **E-mail**: ada@example.org
          ┃ -# Not filled in: Headline, Phone, Website, Address, Postcode, City, Region, Country
          ┃ {Edit…: Contact details (1) – Name, Headline, E-mail, Phone, Website | Contact details (2) – Address, Postcode, City, Region, Country}
          ┃ [✓ Looks right] [Add a profile] [Start over]
          ┃ -# Step 1 of 3 · The basics · 0/3
          ┃ [Help] [Talk to a person] [Stop]
    ");
    assert_eq!(bot.roles(ADA), Vec::<String>::new());
}

#[tokio::test]
async fn a_copy_of_everything_comes_directly_or_into_the_thread() {
    let bot = Bot::new().await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let ada = bot.ada();
    ada.press("Start").await;
    ada.press("Start").await;
    ada.at("welcome").command("/privacy export", &[]).await;
    ada.news();
    ada.press("Download my answers").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom (only you): Sent. You'll find it in your direct messages.
    @Anteroom
      + Anteroom: A copy of everything.
          📎 Ada - Community welcome.zip
    ");
    bot.discord.with(|state| state.users.get_mut(&ADA).unwrap().is_closed = true);
    ada.press("Download my answers").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom (only you): Sent. You'll find it in your thread.
      + Anteroom: A copy of everything.
          📎 Ada - Community welcome.zip
    ");
}
