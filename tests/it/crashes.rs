//! Both flows in the box from start to end with no model, and again with the process killed before and after every
//! commit: what people read is the same to the letter.

use anteroom::{
    engine::{InboundKind, Receipt},
    model::{
        session::Status,
        transcript::Via,
        ui::{Decision, Reply, Verdict},
        wait::Settlement,
    },
    session::Command,
};
use insta::assert_snapshot;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::world::{World, ada, grace, mortal::Death, settled};

const RESUME: &str = "Ada Byron\nada@example.org\n+44 20 7946 0000\n\nExperience\n\n\
    Analyst, Engine Works, London\nJan 2019 - Present\n\nEducation\n\nBSc Mathematics, University of London\n2012 - 2015\n";

/// A member joins the community.
pub(crate) async fn welcome(world: &mut World) {
    world.press("Start").await;
    world.press("I accept").await;
    world.press("Yes").await;
    world.pick(&["learn", "build"]).await;
    world.press("Yes, please").await;
    world.edit(json!({ "text": "I like engines and the people who build them." })).await;
    world.press("Request it").await;
}

/// A candidate sends a résumé, corrects it, asks to move on too early, and tells of one piece of work.
pub(crate) async fn candidate(world: &mut World) {
    world.press("Continue with the assistant").await;
    world.press("Upload résumé").await;
    world.upload("resume.txt", RESUME.as_bytes()).await.unwrap();
    accept(world).await;
    ask_too_early(world).await;
    accept(world).await;
    world.press("Skip").await;
    world.press("Something else").await;
    for text in [
        "A mill that adds",
        "Fewer errors in tables",
        "All of the design",
        "To use cards",
        "It worked",
    ] {
        world.say(text).await;
    }
    world.press("10-30%").await;
    world.press("Continue without").await;
    accept(world).await;
    world.press("Paste").await;
    world.say("The Engine weaves patterns as the loom weaves leaves.").await;
    world.pick(&["responsibility", "specialise"]).await;
    world.pick(&["remote"]).await;
    world.press("About a month").await;
    world.say("March").await;
    world.press("No, that is all").await;
    accept(world).await;
}

/// The draft under review is right as it is.
async fn accept(world: &mut World) {
    let reply = Reply::Reviewed { verdict: Verdict::Approved, data: None, notes: None };
    let settlement = world.answer(reply).await;
    assert_eq!(settlement, Settlement::Applied, "{}", world.screen());
}

/// The team denies and says why.
async fn ask_too_early(world: &mut World) {
    let reason = "The rest is in my letter".to_owned();
    world.command(&ada(), Command::Advance { reason }).await;
    let InboundKind::Answer { wait, revision, .. } = world.button("Deny").await else {
        unreachable!("a button is an answer")
    };
    let feedback = Some("Please finish the work history.".to_owned());
    let reply = Reply::Decided { decision: Decision::DeniedWithFeedback, feedback };
    let what = InboundKind::Answer { wait, revision, reply, via: Via::Component };
    assert_eq!(settled(world.feed(&grace(), what).await), Settlement::Applied);
}

#[tokio::test]
async fn a_member_is_welcomed_with_no_model() {
    let mut world = World::on("community-welcome").await;

    welcome(&mut world).await;

    assert_eq!(world.state().await.status, Status::Completed);
    assert_snapshot!(world.screen(), @"
    # Community welcome
    **This is a bot.** It asks a few fixed questions; you can skip the introduction in step 3.
    It keeps your answers for 90 days and posts nothing until you approve it. Details: https://example.org/privacy

    Type **human** to reach staff, **stop** to end, **delete my data** to erase.
    ✓ Ada Byron: Start
    ---
    Step 4 of 4 · Roles
    ---
    1. Be kind.
    2. No spam or self-promotion outside #showcase.
    3. Keep it legal and on topic.
    4. Staff have the last word.
    ✓ Ada Byron: I accept
    ---
    Are you at least 13, or older if your country's law asks for it?
    ✓ Ada Byron: Yes
    ---
    What brings you here? Pick any. This decides which channels you see.
    ✓ Ada Byron: Learning, Building projects
    ---
    Would you like event notifications?
    ✓ Ada Byron: Yes, please
    ---
    # Introduction
    Would you like to introduce yourself? Two or three sentences are enough. Nobody sees them before you approve them.
    ✓ Ada Byron: edited and approved
    ---
    Would you like the Contributor role? Staff check requests, usually within a day.
    ✓ Ada Byron: Request it
    ---
    That's everything, thank you! Example Ltd can see the following:

    - Interests
    - Introduction

    Type *export* for a copy, or *delete my data* to erase it.
    [a copy of everything]
    ---
    I've asked the team. You can leave; I'll post their answer here.
    ");
    world.assert_at_rest().await;
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "what people read in a whole interview is long")]
async fn a_candidate_is_interviewed_with_no_model() {
    let mut world = World::on("candidate-onboarding").await;

    candidate(&mut world).await;

    assert_eq!(world.state().await.status, Status::Completed, "{}", world.screen());
    assert_snapshot!(world.screen(), @r#"
    # Candidate onboarding
    **You are about to talk to a bot**, not a person. It asks a fixed list of questions for Example Ltd, and takes about 15 minutes.

    - It asks about your contact details, work and education history, and one example of your work.
    - You see and can correct everything before it is kept. It does not score, rank or reject anyone; people decide.
    - Answers and files are deleted 180 days after the conversation ends. Details: https://example.org/privacy
    - At any time type *human* to reach a person, *stop* to end, *export* for a copy, or *delete my data*.

    Using this bot is optional. If you would rather not, or need an adjustment, choose "Talk to a person".
    ✓ Ada Byron: Continue with the assistant
    ---
    First the basics: how to reach you, where you have worked and studied. About 5 minutes. A résumé makes it faster.
    ---
    Step 3 of 3 · In your own words · 2/2
    ---
    How would you like to begin? A résumé saves typing; you can correct everything that is read from it.
    ✓ Ada Byron: Upload résumé
    ---
    Please send your résumé as PDF, DOCX, TXT or MD, at most 10 MB.
    ✓ Ada Byron: one file
    ---
    # Contact details
    I found 1 role and 1 school. I couldn't find where you live, so please add it. Here are your contact details so far. Please correct and complete them.
    ✓ Ada Byron: Looks right
    ---
    # Work history
    Here's where you have worked: organisation, title, place and dates, newest first. Please add what's missing and remove what's wrong.
    ✓ Ada Byron: Looks right
    ---
    I've asked the team. You can leave; I'll post their answer here.
    ---
    Grace would like you to finish this part first:

    > Please finish the work history.
    ---
    # Education
    Here's where you have studied. Please add what's missing, or skip this if you have nothing to add.
    ✓ Ada Byron: skipped
    ---
    Next, one piece of work you would like us to know about. Around 10 minutes. You choose which.
    ---
    Which role would you like to talk about? Pick one you know well and enjoy talking about.
    ✓ Ada Byron: Something else
    ---
    What was it? One line is enough: what you did, where, and when.
    ✓ Ada Byron: A mill that adds
    ---
    What was the goal, and who was it for? Please leave out anything confidential.
    ✓ Ada Byron: Fewer errors in tables
    ---
    What was your own part in it? If it was a team, say what you did yourself.
    ✓ Ada Byron: All of the design
    ---
    What was the hardest decision, and how did you come to it?
    ✓ Ada Byron: To use cards
    ---
    What changed because of your work, and how do you know?
    ✓ Ada Byron: It worked
    ---
    How large was the change, roughly? A band is enough.
    ✓ Ada Byron: 10-30%
    ---
    Is there a document or picture that shows it, and that you are free to share?
    ✓ Ada Byron: Continue without
    ---
    # Evidence card
    Here's a summary of what you told me. Every claim is backed by a quote from you; please correct anything that isn't right.
    ✓ Ada Byron: Looks right
    ---
    Last part: a short writing sample if you like, and what you are looking for.
    ---
    Would you like to share one piece of writing of yours? It's optional. Please don't send anything confidential to an employer.
    ✓ Ada Byron: Paste
    ---
    Please paste it here.
    ✓ Ada Byron: The Engine weaves patterns as the loom weaves leaves.
    ---
    What would you like to do next? Pick all that fit.
    ✓ Ada Byron: More responsibility, Go deeper into one subject
    ---
    How would you like to work? Pick all that fit.
    ✓ Ada Byron: Remote
    ---
    What is your notice period?
    ✓ Ada Byron: About a month
    ---
    When could you start at the earliest? A month is enough.
    ✓ Ada Byron: March
    ---
    Is there anything else the team should know?
    ✓ Ada Byron: No, that is all
    ---
    # What you are looking for
    Here's what you're looking for, as I understood it. Please correct anything that isn't right; then a person will read it.
    ✓ Ada Byron: Looks right
    ---
    That's everything, thank you! Example Ltd can see the following:

    - Contact details
    - Work history
    - Evidence card
    - Writing sample
    - What you are looking for
    - file *resume.txt*

    Type *export* for a copy, or *delete my data* to erase it.
    [a copy of everything]
    "#);
    assert_snapshot!(world.staff_screen(), @"
    # Move Ada Byron to “One piece of work in depth”?
    This phase isn't complete. Missing items were determined by the app, not by the model.
    ✓ Grace: Denied
    ---
    **Ada Byron** has finished *Candidate onboarding*.

    ada@example.org · +44 20 7946 0000

    **Work history**
    - Analyst, Engine Works · London · Jan 2019 to now

    **Evidence card**

    *A mill that adds*: Fewer errors in tables

    - All of the design
    - To use cards
    - It worked

    **What you are looking for**
    - What you want next: More responsibility, Go deeper into one subject
    - Working arrangement: Remote
    - Availability: Notice period: About a month. Earliest start: March

    **Résumé**: *resume.txt*
    ");
    world.assert_at_rest().await;
}

/// What people read, and what came of every call.
async fn seen(world: &World) -> (String, String, String) {
    let results: Vec<String> = world
        .results()
        .await
        .iter()
        .map(|(call, result)| format!("{call}: {}", shape(result)))
        .collect();
    (world.screen(), world.staff_screen(), results.join("\n"))
}

/// A result without the ids that differ from run to run.
fn shape(result: &serde_json::Value) -> String {
    let text = result.to_string();
    let is_name = |part: &&str| {
        ["upload_", "artifact:", "record_"].iter().any(|prefix| part.starts_with(prefix))
    };
    text.split('"').filter(|part| !is_name(part)).collect()
}

/// Walks straight, then once more for every commit, with a death before it and one after it.
async fn survives(flow: &str, walk: impl AsyncFn(&mut World)) {
    let mut world = World::on(flow).await;
    walk(&mut world).await;
    let straight = seen(&world).await;
    let commits = world.store.tried();
    assert!(commits > 10, "{commits} commits");
    for death in (1..=commits).flat_map(|n| [Death::Before(n), Death::After(n)]) {
        let mut world = World::dying(flow, Some(death)).await;

        walk(&mut world).await;

        assert_eq!(world.deaths, 1, "{death:?}");
        assert_eq!(world.state().await.status, Status::Completed, "{death:?}");
        let (screen, staff, results) = seen(&world).await;
        assert_eq!(screen, straight.0, "{death:?}");
        assert_eq!(staff, straight.1, "{death:?}");
        assert_eq!(results, straight.2, "{death:?}");
        world.assert_at_rest().await;
    }
}

#[tokio::test]
async fn the_welcome_comes_out_the_same_wherever_the_process_dies() {
    survives("community-welcome", welcome).await;
}

#[tokio::test]
async fn the_interview_comes_out_the_same_wherever_the_process_dies() {
    survives("candidate-onboarding", candidate).await;
}

#[tokio::test]
async fn a_deliver_that_nobody_noted_is_seen_once() {
    let mut world = World::on("community-welcome").await;
    let before = world.screen();
    // The process dies with the outbox full of claims.
    let receipt = {
        let what = world.button("Start").await;
        let event = world.event(&ada(), what);
        world.engine.receive(event).await.unwrap()
    };
    assert_eq!(receipt, Receipt::Settled(Settlement::Applied));
    world.restart().await;
    assert_ne!(world.screen(), before);
    assert_eq!(world.screen().matches("I accept").count(), 1);
}

/// Whoever announces a bot does so right after its parts are spawned, perhaps before any of them has begun.
#[tokio::test]
async fn engine_runs_from_the_call_until_its_future_is_dropped() {
    let engine = World::new().await.another_engine();
    assert!(!engine.is_running());
    let running = engine.run(CancellationToken::new());
    assert!(engine.is_running());
    drop(running);
    assert!(!engine.is_running());
}
