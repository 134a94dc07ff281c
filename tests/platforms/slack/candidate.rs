//! J1: a candidate goes through the shipped flow, from the invitation to the end.
//!
//! J numbers are those of `docs/behaviour.md`.

use std::fs;

use insta::assert_snapshot;

use crate::slack::bot::Bot;

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "what a candidate reads of a whole interview")]
async fn a_candidate_is_invited_and_goes_through_the_script_to_the_end() {
    let bot = Bot::new().await;
    let (ada, grace) = (bot.ada(), bot.grace());

    grace.command("/onboard invite @ada").await;
    assert_snapshot!(grace.news(), @"
    + Anteroom (only you): Invite @Ada Byron to *Candidate onboarding*?
          · They'll get a message that says what this is and whether an AI takes part. Nothing starts until they agree.
          [+ Send] [Cancel]
    ");
    grace.press("Send").await;
    assert_snapshot!(grace.news(), @"
    ~ Anteroom (only you) (edited): Invitation for @Ada Byron to *Candidate onboarding*
          Sent. You'll see how it goes in the team's channel.
    ");
    assert_snapshot!(ada.news(), @r#"
    + Anteroom: # Candidate onboarding
          @Grace Hopper invited you.
          *You are about to talk to a bot*, not a person. It asks a fixed list of questions for Example Ltd, and takes about 15 minutes.

          • It asks about your contact details, work and education history, and one example of your work.
          • You see and can correct everything before it is kept. It does not score, rank or reject anyone; people decide.
          • Answers and files are deleted 180 days after the conversation ends. Details: https://example.org/privacy
          • At any time type _human_ to reach a person, _stop_ to end, _export_ for a copy, or _delete my data_.

          Using this bot is optional. If you would rather not, or need an adjustment, choose "Talk to a person".
          [Continue with the assistant] [Talk to a person] [Not now]
    "#);

    ada.press("Continue with the assistant").await;
    assert_snapshot!(ada.news(), @r#"
    ~ Anteroom (edited): # Candidate onboarding
          @Grace Hopper invited you.
          *You are about to talk to a bot*, not a person. It asks a fixed list of questions for Example Ltd, and takes about 15 minutes.

          • It asks about your contact details, work and education history, and one example of your work.
          • You see and can correct everything before it is kept. It does not score, rank or reject anyone; people decide.
          • Answers and files are deleted 180 days after the conversation ends. Details: https://example.org/privacy
          • At any time type _human_ to reach a person, _stop_ to end, _export_ for a copy, or _delete my data_.

          Using this bot is optional. If you would rather not, or need an adjustment, choose "Talk to a person".
          ✓ You answered: *Continue with the assistant* · 2 Nov 2026 10:00 UTC
    +   Anteroom: First the basics: how to reach you, where you have worked and studied. About 5 minutes. A résumé makes it faster.
    +   Anteroom: · Step 1 of 3 · The basics · 0/3
            [Help]
    +   Anteroom: How would you like to begin? A résumé saves typing; you can correct everything that is read from it.
            [Upload résumé] [Use my Slack profile] [Type it in]
    "#);

    ada.press("Upload résumé").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): How would you like to begin? A résumé saves typing; you can correct everything that is read from it.
            ✓ You answered: *Upload résumé* · 2 Nov 2026 10:00 UTC
    +   Anteroom: Please send your résumé as PDF, DOCX, TXT or MD, at most 10 MB.
            [+ Upload résumé] [Skip]
            · PDF, DOCX, TXT, MD. Up to 3 files, 10 MB each. You can also drop the file into this conversation. No file at hand? Type it here instead.
    ");
    ada.press("Upload résumé").await;
    assert_snapshot!(ada.news(), @"
    ╔ Upload
    ║ Please send your résumé as PDF, DOCX, TXT or MD, at most 10 MB.
    ║ Files: <a file>
    ║   · PDF, DOCX, TXT, MD. Up to 3 files, 10 MB each.
    ╚ [Cancel] [Send]
    ");
    ada.attach("Files", "ada.pdf", &fs::read("tests/fixtures/ada.pdf").unwrap()).await;
    ada.submit().await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Please send your résumé as PDF, DOCX, TXT or MD, at most 10 MB.
            ✓ You sent: *ada.pdf* · 2 Nov 2026 10:00 UTC
    +   Anteroom: # Contact details
            I found 4 roles and 2 schools. Here are your contact details so far. Please correct and complete them.
              *Name* Ada Byron
              *Headline* Senior Programmer
              *E-mail* ada.byron@example.org
              *Phone* +44 20 7946 0018
              *Website* https://ada.example.org
              *City* London
              *Country* Britain (UK)
            · Not filled in: Address, Postcode, Region
            *Profile 1*
            LinkedIn · ada-byron · https://linkedin.com/in/ada-byron {… Edit | Remove}
            *Profile 2*
            GitHub · ada-byron · https://github.com/ada-byron {… Edit | Remove | Move up}
            [+ Looks right] [Edit] [Add a profile] [Start over]
    ");

    ada.press("Looks right").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): · Step 1 of 3 · The basics · 1/3
            [Help]
    ~   Anteroom (edited): # Contact details
            I found 4 roles and 2 schools. Here are your contact details so far. Please correct and complete them.
              *Name* Ada Byron
              *Headline* Senior Programmer
              *E-mail* ada.byron@example.org
              *Phone* +44 20 7946 0018
              *Website* https://ada.example.org
              *City* London
              *Country* Britain (UK)
            *Profile 1*
            LinkedIn · ada-byron · https://linkedin.com/in/ada-byron
            *Profile 2*
            GitHub · ada-byron · https://github.com/ada-byron
            ✓ *Approved* by you · 2 Nov 2026 10:00 UTC
            [Change]
    +   Anteroom: # Work history
            Here's where you have worked: organisation, title, place and dates, newest first. Please add what's missing and remove what's wrong.
            *Role 1*
            Analytical Engines Ltd · Senior Programmer · London, United Kingdom · Start 2020-03 {… Edit | Remove}
            *Role 2*
            Difference & Sons · Programmer · London, United Kingdom · 2016-06 to 2020-02 {… Edit | Remove | Move up}
            *Role 3*
            Somerville Instruments · Assistant Mathematician · Edinburgh, United Kingdom · 2013-09 to 2016-05 {… Edit | Remove | Move up}
            *Volunteer role 1*
            Marylebone Night School · Teacher of arithmetic · 2018 to 2021 {… Edit | Remove}
            [+ Looks right] [Edit] [Add a role] [Add a volunteer role] [Start over]
    ");

    ada.press("Looks right").await;
    assert_snapshot!(ada.last(), @"
    Anteroom: # Education
        Here's where you have studied. Please add what's missing, or skip this if you have nothing to add.
        *School 1*
        University of London · Mathematics · MSc · 2011 to 2013 {… Edit | Remove}
        *School 2*
        Ockham College · Natural Philosophy · BSc · 2008 to 2011 {… Edit | Remove | Move up}
        [+ Looks right] [Edit] [Add a school] [Start over] [Skip]
    ");
    ada.press("Looks right").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): · Step 2 of 3 · One piece of work in depth · 0/2
            [Help]
    ~   Anteroom (edited): # Work history
            Here's where you have worked: organisation, title, place and dates, newest first. Please add what's missing and remove what's wrong.
            *Role 1*
            Analytical Engines Ltd · Senior Programmer · London, United Kingdom · Start 2020-03
            *Role 2*
            Difference & Sons · Programmer · London, United Kingdom · 2016-06 to 2020-02
            *Role 3*
            Somerville Instruments · Assistant Mathematician · Edinburgh, United Kingdom · 2013-09 to 2016-05
            *Volunteer role 1*
            Marylebone Night School · Teacher of arithmetic · 2018 to 2021
            ✓ *Approved* by you · 2 Nov 2026 10:00 UTC
            [Change]
    +   Anteroom (edited): # Education
            Here's where you have studied. Please add what's missing, or skip this if you have nothing to add.
            *School 1*
            University of London · Mathematics · MSc · 2011 to 2013
            *School 2*
            Ockham College · Natural Philosophy · BSc · 2008 to 2011
            ✓ *Approved* by you · 2 Nov 2026 10:00 UTC
            [Change]
    +   Anteroom: Next, one piece of work you would like us to know about. Around 10 minutes. You choose which.
    +   Anteroom: Which role would you like to talk about? Pick one you know well and enjoy talking about.
            *Senior Programmer, Analytical Engines Ltd*: 2020-03 to now
            *Programmer, Difference & Sons*: 2016-06 to 2020-02
            *Assistant Mathematician, Somerville Instruments*: 2013-09 to 2016-05
            [Senior Programmer, Analytical Engines Ltd] [Programmer, Difference & Sons] [Assistant Mathematician, Somerville Instruments] [A project of my own] [Something else]
    ");

    ada.choose("Programmer, Difference & Sons").await;
    for words in [
        "A faster engine.",
        "I wrote the programme.",
        "Which bug to leave.",
        "It was twice as fast.",
    ] {
        ada.reply(words).await;
    }
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Which role would you like to talk about? Pick one you know well and enjoy talking about.
            ✓ You answered: *Programmer, Difference & Sons* · 2 Nov 2026 10:00 UTC
    +   Anteroom (edited): What was the goal, and who was it for? Please leave out anything confidential.
            ✓ You answered: *A faster engine.* · 2 Nov 2026 10:00 UTC
            [Change]
    +   Ada Byron: A faster engine.
    +   Anteroom (edited): What was your own part in it? If it was a team, say what you did yourself.
            ✓ You answered: *I wrote the programme.* · 2 Nov 2026 10:00 UTC
            [Change]
    +   Ada Byron: I wrote the programme.
    +   Anteroom (edited): What was the hardest decision, and how did you come to it?
            ✓ You answered: *Which bug to leave.* · 2 Nov 2026 10:00 UTC
            [Change]
    +   Ada Byron: Which bug to leave.
    +   Anteroom (edited): What changed because of your work, and how do you know?
            ✓ You answered: *It was twice as fast.* · 2 Nov 2026 10:00 UTC
            [Change]
    +   Ada Byron: It was twice as fast.
    +   Anteroom: How large was the change, roughly? A band is enough.
            [Under 10%] [10-30%] [30-50%] [Over 50%] [Not measured]
    ");
    ada.choose("30-50%").await;
    ada.choose("Continue without").await;
    assert_snapshot!(ada.last(), @"
    Anteroom: # Evidence card
        Here's a summary of what you told me. Every claim is backed by a quote from you; please correct anything that isn't right.
          *Title* Programmer, Difference & Sons
          *Summary* A faster engine.
          *Source* Interview
          *Figures* Change: 30-50%
        · Not filled in: Skills
        *Achievement 1*
          *Claim* I wrote the programme.
          *Quote* I wrote the programme.
          *Source* Interview: own part {… Edit | Remove}
        *Achievement 2*
          *Claim* Which bug to leave.
          *Quote* Which bug to leave.
          *Source* Interview: hardest decision {… Edit | Remove | Move up}
        *Achievement 3*
          *Claim* It was twice as fast.
          *Quote* It was twice as fast.
          *Source* Interview: what changed {… Edit | Remove | Move up}
        [+ Looks right] [Edit] [Add an achievement] [Start over]
    ");
    ada.press("Looks right").await;
    assert_snapshot!(ada.last(), @"
    Anteroom: Would you like to share one piece of writing of yours? It's optional. Please don't send anything confidential to an employer.
        [Upload] [Paste] [Skip]
    ");

    ada.choose("Paste").await;
    ada.reply("Engines are a branch of poetry.").await;
    assert_snapshot!(ada.last(), @"
    Anteroom: What would you like to do next? Pick all that fit.
        {☐ Work like my current or last role | More responsibility | Go deeper into one subject | A change of field | A first job or a return to work | Just looking}
        [+ Done]
    ");
    ada.pick("More responsibility").await;
    ada.pick("A change of field").await;
    ada.press("Done").await;
    ada.pick("Remote").await;
    ada.press("Done").await;
    assert_snapshot!(ada.last(), @"
    Anteroom: What is your notice period?
        {None | Up to two weeks | About a month | Two or three months | Longer | I don't know}
    ");
    ada.choose("About a month").await;
    ada.reply("March").await;
    ada.choose("No, that is all").await;
    assert_snapshot!(ada.last(), @"
    Anteroom: # What you are looking for
        Here's what you're looking for, as I understood it. Please correct anything that isn't right; then a person will read it.
          *What you want next* More responsibility, A change of field
          *Working arrangement* Remote
          *Availability* Notice period: About a month. Earliest start: March
        · Not filled in: Anything else
        [+ Looks right] [Edit] [Start over]
    ");
    ada.news();
    ada.press("Looks right").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): · Step 3 of 3 · In your own words · 2/2
            [Help]
    ~   Anteroom (edited): # What you are looking for
            Here's what you're looking for, as I understood it. Please correct anything that isn't right; then a person will read it.
              *What you want next* More responsibility, A change of field
              *Working arrangement* Remote
              *Availability* Notice period: About a month. Earliest start: March
            ✓ *Approved* by you · 2 Nov 2026 10:00 UTC
    +   Anteroom: That's everything, thank you! Example Ltd can see the following:

            • Contact details
            • Work history
            • Education
            • Evidence card
            • Writing sample
            • What you are looking for
            • file _ada.pdf_

            Someone from the team will review it. Type _export_ for a copy, or _delete my data_ to erase it.
            [Download my answers] [Delete my data]
    ");
    assert_snapshot!(grace.at("recruiting-desk").screen(), @"
    ── #recruiting-desk ──
    Anteroom: *Ada Byron* (@Ada Byron) · Candidate onboarding
        · Completed. I'll pass on what you write in this thread to Ada Byron.
      Anteroom: *Ada Byron* has finished _Candidate onboarding_.

          Senior Programmer · ada.byron@example.org · +44 20 7946 0018 · https://ada.example.org · London, Britain (UK)

          *Work history*

          • Senior Programmer, Analytical Engines Ltd · London, United Kingdom · Mar 2020 to now
          • Programmer, Difference & Sons · London, United Kingdom · Jun 2016 to Feb 2020
          • Assistant Mathematician, Somerville Instruments · Edinburgh, United Kingdom · Sep 2013 to May 2016
          • Teacher of arithmetic, Marylebone Night School · 2018 to 2021

          *Education*

          • MSc, Mathematics, University of London · 2011 to 2013
          • BSc, Natural Philosophy, Ockham College · 2008 to 2011

          *Evidence card*

          _Programmer, Difference & Sons_: A faster engine.

          • I wrote the programme.
          • Which bug to leave.
          • It was twice as fast.

          *What you are looking for*

          • What you want next: More responsibility, A change of field
          • Working arrangement: Remote
          • Availability: Notice period: About a month. Earliest start: March

          *Résumé*: _ada.pdf_
          [Open profile] [Résumé] [Transcript]
    ");
    bot.judge();
}
