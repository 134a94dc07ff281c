//! `/onboard match`: staff compare a CV with a job, in messages of their own; nobody else begins it.

use anteroom::{flow::optional, model::session::Status};
use insta::assert_snapshot;

use crate::slack::{
    bot::{Bot, Plan},
    emulator::person::Person,
};

const JOB: &str = "Backend engineer: Rust, PostgreSQL and Kubernetes. Fluent English.";
const CV: &str = "Ada Byron\n\nSkills: Rust, PostgreSQL, Docker\n\nExperience\nEngineer, Engines Ltd\n2019 - 2023\n";

async fn begun() -> Bot {
    let flow = optional()[0].1.replace("id      = ", "id = ");
    Bot::planned(Plan { flow: Some(flow), ..Plan::default() }).await
}

#[tokio::test]
async fn nobody_but_staff_begins_it() {
    let bot = begun().await;
    let ada = bot.ada();
    for line in
        ["/onboard match", "/onboard match job-match", "/onboard start", "/onboard start job-match"]
    {
        ada.command(line).await;
    }
    assert_snapshot!(ada.news(), @"
    + Anteroom (only you): Only the team can do that.
    + Anteroom (only you): Only the team can do that.
    + Anteroom (only you): There's no interview to take part in here yet. The team can invite you when there is.
    + Anteroom (only you): There's no interview to take part in here yet. The team can invite you when there is.
    ");
    assert!(bot.engine.parts().store.sessions(None, 10).await.unwrap().is_empty());
}

/// Linus has asked for a comparison.
async fn asked() -> (Bot, Person) {
    let bot = begun().await;
    let linus = bot.slack.person("U0LINUS");
    linus.command("/onboard match").await;
    (bot, linus)
}

/// He has given both texts.
async fn compared() -> (Bot, Person) {
    let (bot, linus) = asked().await;
    linus.press("Compare").await;
    linus.press("Paste it").await;
    linus.reply(JOB).await;
    drop(linus.news());
    linus.drop_file("cv.txt", CV.as_bytes(), "").await;
    bot.rest().await;
    (bot, linus)
}

#[tokio::test]
async fn staff_are_told_what_it_means_before() {
    let (bot, linus) = asked().await;
    assert_snapshot!(linus.news(), @"
    + Anteroom (only you): I've sent you a direct message; look under this app's messages.
    + Anteroom: # Job match
          _You are about to compare a person's CV with a job by machine._ The result is advice; a person decides, and can say why.

          • Use it only if the applicant was told beforehand that CVs are compared by machine, as https://example.org/privacy says. In some places that takes days of notice, a yearly audit for bias, and another way for those who do not want it.
          • It knows words and what they mean, not people. It misses what a CV does not say. Never turn somebody down by its number alone.
          • What you enter and what comes of it is kept for 180 days, each step with your name, for Example Ltd to review.
          [Compare] [Ask a colleague] [Not now]
    ");
    bot.judge();
}

#[tokio::test]
async fn staff_read_a_comparison_of_two_texts() {
    let (bot, linus) = compared().await;
    assert_snapshot!(linus.news(), @"
    ~   Anteroom (edited): · Step 2 of 2 · The comparison · 0/1
            [Help]
    ~   Anteroom (edited): Please send the CV as PDF, DOCX, TXT or MD, at most 10 MB.
            ✓ You sent: *cv.txt* · 2 Nov 2026 10:00 UTC
    +   Linus Pauling: (file: cv.txt)
    +   Anteroom: # Job match
            This is what the two texts have in common. Please correct what is not right; a person decides.
              *Summary* The job description names 4 skills; 2 of them stand in the CV.
              *Skills in both* Rust, PostgreSQL
              *Skills that only the job names* Kubernetes, English
            *Score 1*
              *Comparison* Role alignment
              *Score of 100* 51
              *In words* Moderate
              *Method* Lexical {… Edit | Remove}
            *Score 2*
              *Comparison* Technical match
              *Score of 100* 66
              *In words* Moderate
              *Method* Lexical {… Edit | Remove | Move up}
            *Sentence 1*
            Both texts name Rust. {… Edit | Remove}
            *Evidence 1*
              *Source* Extract skills
              *Words* Rust
            *Sentence 2*
            Both texts name PostgreSQL. {… Edit | Remove | Move up}
            *Evidence 1*
              *Source* Extract skills
              *Words* PostgreSQL
            *Sentence 3*
            The job description names Kubernetes; the CV does not. {… Edit | Remove | Move up}
            *Evidence 1*
              *Source* Extract skills
              *Words* Kubernetes
            *Sentence 4*
            The job description names English; the CV does not. {… Edit | Remove | Move up}
            *Evidence 1*
              *Source* Extract skills
              *Words* English
            *Sentence 5*
            As wholes the texts are alike to 51 of 100 (moderate). {… Edit | Remove | Move up}
            *Evidence 1*
              *Source* Calculate similarity
              *Words* 51, moderate
            [+ Looks right] [Edit] [Add a score] [Add a sentence] [Start over]
    ");
    bot.judge();
}

#[tokio::test]
async fn what_staff_approve_is_kept_and_the_comparison_is_over() {
    let (bot, linus) = compared().await;
    linus.press("Looks right").await;
    bot.rest().await;
    let heads = bot.engine.parts().store.sessions(None, 10).await.unwrap();
    assert_eq!(heads.iter().map(|head| head.status).collect::<Vec<_>>(), [Status::Completed]);
    assert!(linus.can_see("*Approved* by you"), "{}", linus.screen());
    assert!(linus.can_see("Download my answers"), "{}", linus.screen());
    bot.judge();
}
