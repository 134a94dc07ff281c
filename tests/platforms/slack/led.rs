//! J1 once more, led by a model: what each person sees from the greeting to the end, and what the model reads.
//!
//! J numbers are those of `docs/behaviour.md`.

use std::{fs, sync::Arc};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::slack::{
    bot::Bot,
    emulator::person::Person,
    scripted::{Gate, Scripted, Turn},
};

const OPTION: &str = "get_user_option";
const REVIEW: &str = "submit_for_validation";

/// What the model says first: long enough to be seen while it comes.
const WELCOME: &str = "Good day, Ada. I ask about **how to reach you**, where you have worked, and one piece of work \
    that you like. It takes about ten minutes, and you see everything before it is kept.";

/// What Ada writes as a sample.
const SAMPLE: &str = "The engine weaves patterns as the loom weaves leaves.";

fn choice(prompt: &str, options: &[(&str, &str)]) -> Value {
    let options: Vec<Value> =
        options.iter().map(|(id, label)| json!({ "id": id, "label": label })).collect();
    json!({ "prompt": prompt, "options": options })
}

fn review(data_type: &str, data: &Value) -> Value {
    json!({ "dataType": data_type, "data": data })
}

/// What the model read last and had not read before.
fn requests(model: &Scripted) -> String {
    model.news(model.seen().len() - 1)
}

/// The candidate's interview as it goes on.
struct Led {
    bot: Bot,
    model: Arc<Scripted>,
    ada: Person,
    grace: Person,
}

#[tokio::test]
async fn a_candidate_is_led_by_a_model_to_the_end() {
    let model = Scripted::new();
    let bot = Bot::led_by(&model).await;
    let (ada, grace) = (bot.ada(), bot.grace().at("recruiting-approvals"));
    let led = Led { bot, model, ada, grace };
    led.greeting().await;
    led.résumé().await;
    led.reviews().await;
    led.request().await;
    led.piece_of_work().await;
    led.own_words().await;
    led.model.assert_played();
    led.bot.judge();
}

impl Led {
    /// The greeting comes word by word; the card after it.
    async fn greeting(&self) {
        let Self { bot, model, ada, .. } = self;
        ada.command("/onboard start candidate-onboarding").await;
        drop(ada.news());
        let gate = Gate::new();
        let begin =
            choice("How shall we begin?", &[("upload", "Upload a file"), ("type", "Type it in")]);
        model.next(Turn::calls(OPTION, &begin).saying(WELCOME).in_pieces(8).held_by(&gate));
        bot.unrested();
        ada.press("Continue with the assistant").await;
        while !ada.can_see("Step 1 of 3") {
            bot.engine.deliver_due().await;
            tokio::task::yield_now().await;
        }
        ada.sees("ten minutes").await;
        assert!(!ada.can_see("you see everything"), "it is not said yet:\n{}", ada.screen());
        assert!(!ada.has_button("Upload a file"));
        gate.open();
        bot.rest().await;
        bot.rested();
        assert_snapshot!(ada.news(), @r#"
        ~ Anteroom (edited): # Candidate onboarding
              *You are about to talk to an AI assistant*, not a person. It works for Example Ltd, and takes about 15 minutes.

              • It asks about your contact details, work and education history, and one example of your work.
              • You see and can correct everything before it is kept. It does not score, rank or reject anyone; people decide.
              • Answers and files are deleted 180 days after the conversation ends. Details: https://example.org/privacy
              • At any time type _human_ to reach a person, _stop_ to end, _export_ for a copy, or _delete my data_.

              Using this assistant is optional. If you would rather not, or need an adjustment, choose "Talk to a person".
              ✓ You answered: *Continue with the assistant* · 2 Nov 2026 10:00 UTC
        +   Anteroom: First the basics: how to reach you, where you have worked and studied. About 5 minutes. A résumé makes it faster.
        +   Anteroom: · Step 1 of 3 · The basics · 0/3
                [Help]
        +   Anteroom: Good day, Ada. I ask about **how to reach you**, where you have worked, and one piece of work that you like. It takes about ten minutes, and you see everything before it is kept.
                [Helpful] [Not helpful]
        +   Anteroom: How shall we begin?
                [Upload a file] [Type it in]
        "#);
        assert_snapshot!(model.read(0), @r#"
        <note>The conversation begins on Monday, 2 November 2026, 10:00 (Europe/London), in Slack. The participant is called Ada Byron there. The texts of the interview are in the language `en`; write in the language in which the participant writes.</note>
        <note>Part 1 of 3 begins: The basics (`phase_1_core_facts`).
        Order: applicant_profile, then skeleton_timeline, then education_history.
        1. Offer three ways to begin with get_user_option: upload a résumé, import a contact card (only if the tool is
           listed as ready), or type it in.
        2. After an upload, call extract_document and draft the profile, the timeline and the education from it.
        3. Show each draft with submit_for_validation. Never ask for confirmation in chat instead of the card.
        4. The timeline holds organisation, title, place and dates only. No descriptions, highlights or skills yet.
           Ask about overlaps, gaps longer than six months and vague dates, once each, without implying fault.
        5. When the required objectives are met call next_phase with no overrides.
        Objectives:
        - `applicant_profile` (required): Contact details. Done by `applicant_profile` approved by the participant with submit_for_validation.
        - `skeleton_timeline` (required): Work history. Done by `skeleton_timeline` approved by the participant with submit_for_validation.
        - `education_history` (required; the participant may skip it): Education. Done by `education_history` approved by the participant with submit_for_validation.
        - `resume_on_file` (optional): Résumé. Done by a file uploaded as `resume`.
        Forms of `data`, by `dataType`; leave out what is not known:
        - `applicant_profile`: {"basics":{"name":"text (required)","label":"text","email":"e-mail address","phone":"text","url":"https://…","location":{"address":"text","postalCode":"text","city":"text","region":"text","countryCode":"text"},"profiles":[{"network":"text","username":"text","url":"https://…"}]}}
        - `education_history`: {"education":[{"institution":"text (required)","area":"text","studyType":"text","url":"https://…","startDate":"YYYY, YYYY-MM or YYYY-MM-DD","endDate":"YYYY, YYYY-MM or YYYY-MM-DD; leave empty if current","score":"text","courses":["text"]}]}
        - `skeleton_timeline`: {"work":[{"name":"text (required)","position":"text","location":"text","startDate":"YYYY, YYYY-MM or YYYY-MM-DD","endDate":"YYYY, YYYY-MM or YYYY-MM-DD; leave empty if current"}],"volunteer":[{"organization":"text (required)","position":"text","startDate":"YYYY, YYYY-MM or YYYY-MM-DD","endDate":"YYYY, YYYY-MM or YYYY-MM-DD; leave empty if current"}]}</note>
        <note>The participant was told: First the basics: how to reach you, where you have worked and studied. About 5 minutes. A résumé makes it faster.</note>
        "#);
    }

    /// A file is sent in a form, read, and what was found comes as cards.
    async fn résumé(&self) {
        let Self { model, ada, .. } = self;
        let ask = json!({ "uploadType": "resume", "prompt": "Please send it here." });
        model.next(Turn::calls("get_user_upload", &ask));
        ada.press("Upload a file").await;
        ada.press("Upload résumé").await;
        ada.attach("Files", "ada.pdf", &fs::read("tests/fixtures/ada.pdf").unwrap()).await;
        model.next(Turn::says("I have it. Shall I read it now?"));
        ada.submit().await;
        assert_snapshot!(ada.news(), @"
        ~   Anteroom (edited): How shall we begin?
                ✓ You answered: *Upload a file* · 2 Nov 2026 10:00 UTC
        +   Anteroom (edited): Please send it here.
                ✓ You sent: *ada.pdf* · 2 Nov 2026 10:00 UTC
        +   Anteroom: I have it. Shall I read it now?
                [Helpful] [Not helpful]
        ");
        assert_snapshot!(requests(model), @r#"
        model calls c00000002 get_user_upload {"uploadType":"resume","prompt":"Please send it here."}
        c00000002 -> {"uploads":[{"id":"upload_0000000000000000000000000000000e","filename":"ada.pdf","storageUrl":"artifact:upload_0000000000000000000000000000000e","extractedText":""}],"status":"uploaded"}
        "#);
        let last = model.seen().pop().unwrap().messages.pop().unwrap();
        let file = uploaded(&last);
        model.next(Turn::calls("extract_document", &json!({ "artifact_id": file })));
        let profile = json!({ "basics": {
            "name": "Ada Byron", "label": "Senior Programmer", "email": "ada.byron@example.org",
        } });
        let timeline = json!({ "work": [{
            "name": "Analytical Engines Ltd", "position": "Senior Programmer", "startDate": "2020-03",
        }] });
        let both = Turn::calls(REVIEW, &review("applicant_profile", &profile))
            .and_calls(REVIEW, &review("skeleton_timeline", &timeline));
        model.next(both.saying("This is what I found."));
        ada.reply("Yes, please.").await;
        assert_snapshot!(ada.news(), @"
        +   Ada Byron: Yes, please.
        +   Anteroom: This is what I found.
                [Helpful] [Not helpful]
        +   Anteroom: # Contact details
                Please look this over and correct it.
                  *Name* Ada Byron
                  *Headline* Senior Programmer
                  *E-mail* ada.byron@example.org
                · Not filled in: Phone, Website, Address, Postcode, City, Region, Country
                [+ Looks right] [Edit] [Add a profile] [Start over]
                · 1 of 2
        +   Anteroom: # Work history
                Please look this over and correct it.
                *Role 1*
                Analytical Engines Ltd · Senior Programmer · Start 2020-03 {… Edit | Remove}
                [+ Looks right] [Edit] [Add a role] [Add a volunteer role] [Start over]
                · 2 of 2
        ");
        let read = requests(model);
        assert!(
            read.contains(r#""extracted_content":"<document># Ada Byron\nSenior Programmer\n"#),
            "{read}"
        );
        assert!(read.contains(r#""message":"I found 4 roles and 2 schools.""#), "{read}");
    }

    /// Both cards are open; one is corrected, and the model goes on when both are settled.
    async fn reviews(&self) {
        let Self { model, ada, .. } = self;
        ada.press_on("Contact details", "Edit").await;
        assert_snapshot!(ada.form(), @r#"
        ╔ Edit
        ║ # Contact details
        ║ Name: "Ada Byron"
        ║ Headline (optional): "Senior Programmer"
        ║   · For example: Web developer
        ║ E-mail (optional): "ada.byron@example.org"
        ║ Phone (optional): ____
        ║ Website (optional): ____
        ║ Address (optional): ____
        ║ Postcode (optional): ____
        ║ City (optional): ____
        ║ Region (optional): ____
        ║ Country (optional): ____
        ║   · For example Germany or DE
        ║ [Add a profile]
        ║ Note for the interviewer (optional): ____
        ╚ [Cancel] [Save]
        "#);
        ada.fill("E-mail", "ada@example.org").await;
        ada.submit().await;
        assert_snapshot!(ada.news(), @"
        ~   Anteroom (edited): # Contact details
                Please look this over and correct it.
                  *Name* Ada Byron
                  *Headline* Senior Programmer
                  *E-mail* ada@example.org
                · Not filled in: Phone, Website, Address, Postcode, City, Region, Country
                [+ Looks right] [Edit] [Add a profile] [Start over]
                · 1 of 2
        ");
        let schools = choice(
            "Where did you study?",
            &[("add", "I will add one"), ("none", "There is nothing to add")],
        );
        model.next(Turn::calls(OPTION, &schools).saying("I found no school in it."));
        ada.press_on("Contact details", "Looks right").await;
        ada.sees("Approved").await;
        ada.press_on("Work history", "Looks right").await;
        assert_snapshot!(requests(model), @r#"
        model: This is what I found.
        model calls c00000004 submit_for_validation {"dataType":"applicant_profile","data":{"basics":{"name":"Ada Byron","label":"Senior Programmer","email":"ada.byron@example.org"}}}
        model calls c00000005 submit_for_validation {"dataType":"skeleton_timeline","data":{"work":[{"name":"Analytical Engines Ltd","position":"Senior Programmer","startDate":"2020-03"}]}}
        c00000004 -> {"status":"modified","data":{"basics":{"name":"Ada Byron","label":"Senior Programmer","email":"ada@example.org"}},"changes":[{"field":"basics.email","oldValue":"ada.byron@example.org","newValue":"ada@example.org"}]}
        c00000005 -> {"status":"approved","data":{"work":[{"name":"Analytical Engines Ltd","position":"Senior Programmer","startDate":"2020-03"}]},"changes":[]}
        "#);
    }

    /// The team is asked whether a part may be left out, says no with words for the model, and then yes.
    #[expect(clippy::too_many_lines, reason = "what people and the model read")]
    async fn request(&self) {
        let Self { model, ada, grace, .. } = self;
        drop((ada.news(), grace.news()));
        let missing = json!({ "overrides": ["education_history"], "reason": "The candidate was taught at home." });
        model.next(
            Turn::calls("next_phase", &missing).saying("Then I ask the team whether we can go on."),
        );
        ada.press("There is nothing to add").await;
        assert_snapshot!(ada.news(), @"
        ~   Anteroom (edited): Where did you study?
                ✓ You answered: *There is nothing to add* · 2 Nov 2026 10:00 UTC
        +   Anteroom: Then I ask the team whether we can go on.
                [Helpful] [Not helpful]
        +   Anteroom: I've asked the team. You can leave; I'll post their answer here.
        ");
        assert_snapshot!(grace.news(), @"
        + Anteroom: # Move Ada Byron to “One piece of work in depth”?
              This phase isn't complete. Missing items were determined by the app, not by the model.
                *Person* @Ada Byron
                *Flow* Candidate onboarding
                *Phase* The basics
                *Missing* Education
                *Requested* 2 Nov 2026 10:00 UTC
                *Expires* 9 Nov 2026 10:00 UTC
              *The interviewer's reason*
              > The candidate was taught at home.
              · @approvers, please decide.
              [+ Approve ?] [! Deny] [Deny and tell the interviewer] [Transcript]
        ");

        model.next(Turn::says("The team asks for a few words about your teachers. Who were they?"));
        grace.press("Deny and tell the interviewer").await;
        grace.fill("What should the interviewer do next?", "Ask who taught her.").await;
        grace.submit().await;
        assert_snapshot!(ada.news(), @"
        +   Anteroom: The team would like you to finish this part first.
        +   Anteroom: The team asks for a few words about your teachers. Who were they?
                [Helpful] [Not helpful]
        ");
        assert_snapshot!(requests(model), @r#"
        model: Then I ask the team whether we can go on.
        model calls c00000007 next_phase {"overrides":["education_history"],"reason":"The candidate was taught at home."}
        c00000007 -> {"status":"denied_with_feedback","feedback":"Ask who taught her."}
        <note>The participant was told: I've asked the team. You can leave; I'll post their answer here.</note>
        <note>The participant was told: The team would like you to finish this part first.</note>
        "#);

        model.next(Turn::calls("next_phase", &missing).saying("Thank you, I have passed that on."));
        ada.reply("My mother found teachers; Augustus De Morgan was the last one.").await;
        model.next(Turn::says("Now to one piece of work. What was the goal of the notes?"));
        drop((ada.news(), grace.news()));
        grace.press("Approve").await;
        assert_snapshot!(ada.news(), @"
        ~   Anteroom (edited): · Step 2 of 3 · One piece of work in depth · 0/2
                [Help]
        +   Anteroom: The team approved your request, so let's move on.
        +   Anteroom: Next, one piece of work you would like us to know about. Around 10 minutes. You choose which.
        +   Anteroom: Now to one piece of work. What was the goal of the notes?
                [Helpful] [Not helpful]
        ");
        assert_snapshot!(grace.news(), @"
        ~ Anteroom (edited): # Move Ada Byron to “One piece of work in depth”?
              This phase isn't complete. Missing items were determined by the app, not by the model.
                *Person* @Ada Byron
                *Flow* Candidate onboarding
                *Phase* The basics
                *Missing* Education
                *Requested* 2 Nov 2026 10:00 UTC
                *Expires* 9 Nov 2026 10:00 UTC
              *The interviewer's reason*
              > The candidate was taught at home.
              ✓ *Approved* by @Grace Hopper · 2 Nov 2026 10:00 UTC
        +   Anteroom: Approved by @Grace Hopper.
        ");
        assert_snapshot!(requests(model), @r#"
        model: Thank you, I have passed that on.
        model calls c00000008 next_phase {"overrides":["education_history"],"reason":"The candidate was taught at home."}
        c00000008 -> {"status":"approved","advanced_to":"phase_2_deep_dive"}
        <note>The participant was told: I've asked the team. You can leave; I'll post their answer here.</note>
        <note>4 answers in a row have completed no objective. Go on with what you have: show it for review, offer to skip what may be skipped, or turn to the next objective.</note>
        <note>The participant was told: The team approved your request, so let's move on.</note>
        <note>Part 2 of 3 begins: One piece of work in depth (`phase_2_deep_dive`).
        Let the candidate pick one role or project from the timeline (get_user_option).
        Ask about the goal, their own part, the hardest decision, what changed, and how they know.
        If a number is unknown twice, offer bands (under 10%, 10-30%, 30-50%, over 50%, not measured) and go on.
        Then deploy_agent knowledge_card_generation with the notes and the upload ids, and show the card with
        submit_for_validation. Every claim in the card needs a quote from the conversation or a document.
        Objectives:
        - `interviewed_one_experience` (required): One experience discussed. Done by 3 messages of the participant in this phase and your own word that it is done or an answer to `deep_dive_result`.
        - `one_card_generated` (required): Evidence card. Done by `knowledge_card` approved by the participant with submit_for_validation.
        - `evidence_on_file` (optional): Something that shows it. Done by a file uploaded as `evidence`.
        Forms of `data`, by `dataType`; leave out what is not known:
        - `knowledge_card`: {"title":"text (required)","summary":"text","source":"text","achievements":[{"claim":"text (required)","evidence":{"quote":"text (required)","source":"text"}}],"metrics":["text"],"skills":["text"]}</note>
        <note>The participant was told: Next, one piece of work you would like us to know about. Around 10 minutes. You choose which.</note>
        "#);
    }

    /// Questions in words, a file that nobody asked for, and a card with its sources.
    #[expect(clippy::too_many_lines, reason = "what people and the model read")]
    async fn piece_of_work(&self) {
        let Self { model, ada, .. } = self;
        model.next(Turn::says("And what was your own part in them?"));
        ada.reply("To show what such an engine could do.").await;
        model.next(Turn::says("How do you know that they were of use?"));
        ada.reply("I wrote the table for the Bernoulli numbers.").await;
        let card = json!({
            "title": "Notes on the Analytical Engine",
            "summary": "To show what the engine could do.",
            "achievements": [{
                "claim": "Wrote the first published algorithm for a machine",
                "evidence": { "quote": "I wrote the table for the Bernoulli numbers.", "source": "Interview" },
            }],
        });
        let talked = json!({ "objectiveId": "interviewed_one_experience", "status": "completed" });
        model.next(
            Turn::calls("set_objective_status", &talked)
                .and_calls(REVIEW, &review("knowledge_card", &card))
                .saying("Here is what I make of it."),
        );
        drop(ada.news());
        ada.reply("People still read them.").await;
        assert_snapshot!(ada.news(), @"
        ~   Anteroom (edited): · Step 2 of 3 · One piece of work in depth · 1/2
                [Help]
        +   Ada Byron: People still read them.
        +   Anteroom: Here is what I make of it.
                [Helpful] [Not helpful]
        +   Anteroom: # Evidence card
                Please look this over and correct it.
                  *Title* Notes on the Analytical Engine
                  *Summary* To show what the engine could do.
                · Not filled in: Source, Figures, Skills
                *Achievement 1*
                  *Claim* Wrote the first published algorithm for a machine
                  *Quote* I wrote the table for the Bernoulli numbers.
                  *Source* Interview {… Edit | Remove}
                [+ Looks right] [Edit] [Add an achievement] [Start over]
        ");
        model.next(Turn::calls("next_phase", &json!({ "overrides": [] })));
        let next = choice(
            "What next?",
            &[("similar", "Work like my last"), ("change", "A change of field")],
        );
        let place =
            choice("Where do you like to work?", &[("office", "On site"), ("remote", "At home")]);
        let both = Turn::calls(OPTION, &next).and_calls(OPTION, &place);
        model.next(both.saying("Two short questions, in any order."));
        ada.press_on("Evidence card", "Looks right").await;
        assert_snapshot!(ada.news(), @"
        ~   Anteroom (edited): · Step 3 of 3 · In your own words · 0/2
                [Help]
        ~   Anteroom (edited): # Evidence card
                Please look this over and correct it.
                  *Title* Notes on the Analytical Engine
                  *Summary* To show what the engine could do.
                *Achievement 1*
                  *Claim* Wrote the first published algorithm for a machine
                  *Quote* I wrote the table for the Bernoulli numbers.
                  *Source* Interview
                ✓ *Approved* by you · 2 Nov 2026 10:00 UTC
                [Change]
        +   Anteroom: Last part: a short writing sample if you like, and what you are looking for.
        +   Anteroom: Two short questions, in any order.
                [Helpful] [Not helpful]
        +   Anteroom: What next?
                [Work like my last] [A change of field]
                · 1 of 2
        +   Anteroom: Where do you like to work?
                [On site] [At home]
                · 2 of 2
        ");
        assert_snapshot!(requests(model), @r#"
        model calls c00000011 next_phase {"overrides":[]}
        c00000011 -> {"status":"approved","advanced_to":"phase_3_writing_corpus"}
        <note>Part 3 of 3 begins: In your own words (`phase_3_writing_corpus`).
        Ask for one writing sample the candidate is free to share; say it is optional and that employer-confidential
        text must not be sent. Pasted text counts.
        Then ask, with get_user_option where it fits, what they want next, working arrangement, notice period and
        earliest start. Summarise only what they said in candidate_dossier and show it for approval.
        Close by saying what happens next and that a person will read it.
        Objectives:
        - `one_writing_sample` (required; the participant may skip it): Writing sample. Done by a file uploaded as `portfolio` or a file uploaded as `other` or 1 record(s) of `writing_sample` saved with persist_data.
        - `dossier_complete` (required): What you are looking for. Done by `candidate_dossier` approved by the participant with submit_for_validation.
        Forms of `data`, by `dataType`; leave out what is not known:
        - `candidate_dossier`: {"job_search_context":"text (required)","work_arrangement_preferences":"text","availability":"text","anything_else":"text"}
        - `writing_sample`: {"title":"text","text":"text (one of these is required)","artifact_id":"text (one of these is required)"}
        This is the last part: in the answer whose `next_phase` ends it, thank them, say what happens next and say goodbye.</note>
        <note>The participant was told: Last part: a short writing sample if you like, and what you are looking for.</note>
        "#);
    }

    /// Two cards at once, a sample of writing in a form, the last review, the end.
    #[expect(clippy::too_many_lines, reason = "what people and the model read")]
    async fn own_words(&self) {
        let Self { bot, model, ada, .. } = self;
        ada.press("At home").await;
        let paste = json!({ "prompt": "Please paste a few lines that you have written." });
        model.next(Turn::calls("request_user_input", &paste));
        ada.press("Work like my last").await;
        let sample = json!({ "dataType": "writing_sample", "data": { "text": SAMPLE } });
        let dossier = json!({
            "job_search_context": "Work like the last",
            "work_arrangement_preferences": "At home",
            "availability": "In March",
        });
        model.next(
            Turn::calls("persist_data", &sample)
                .and_calls(REVIEW, &review("candidate_dossier", &dossier))
                .saying("A last look, please."),
        );
        drop(ada.news());
        ada.press("Write an answer").await;
        assert_snapshot!(ada.form(), @"
        ╔ Your answer
        ║ Please paste a few lines that you have written.
        ║ Your answer: ____
        ║   · Need more room? Send it as a message instead.
        ╚ [Cancel] [Send]
        ");
        ada.fill("Your answer", SAMPLE).await;
        ada.submit().await;
        assert_snapshot!(ada.news(), @"
        ~   Anteroom (edited): · Step 3 of 3 · In your own words · 1/2
                [Help]
        ~   Anteroom (edited): Please paste a few lines that you have written.
                ✓ You answered: *The engine weaves patterns as the loom weaves leaves.* · 2 Nov 2026 10:00 UTC
                [Change]
        +   Anteroom: A last look, please.
                [Helpful] [Not helpful]
        +   Anteroom: # What you are looking for
                Please look this over and correct it.
                  *What you want next* Work like the last
                  *Working arrangement* At home
                  *Availability* In March
                · Not filled in: Anything else
                [+ Looks right] [Edit] [Start over]
        ");
        assert_snapshot!(requests(model), @r#"
        model calls c00000014 request_user_input {"prompt":"Please paste a few lines that you have written."}
        c00000014 -> {"userInput":"The engine weaves patterns as the loom weaves leaves."}
        "#);
        model.next(
            Turn::calls("next_phase", &json!({ "overrides": [] }))
                .saying("That is all. A person will read it and write to you."),
        );
        ada.press_on("What you are looking for", "Looks right").await;
        assert_snapshot!(ada.news(), @"
        ~   Anteroom (edited): · Step 3 of 3 · In your own words · 2/2
                [Help]
        ~   Anteroom (edited): # What you are looking for
                Please look this over and correct it.
                  *What you want next* Work like the last
                  *Working arrangement* At home
                  *Availability* In March
                ✓ *Approved* by you · 2 Nov 2026 10:00 UTC
        +   Anteroom: That is all. A person will read it and write to you.
                [Helpful] [Not helpful]
        +   Anteroom: That's everything, thank you! Example Ltd can see the following:

                • Contact details
                • Work history
                • Evidence card
                • Writing sample
                • What you are looking for
                • file _ada.pdf_

                Someone from the team will review it. Type _export_ for a copy, or _delete my data_ to erase it.
                [Download my answers] [Delete my data]
        ");
        let desk = bot.slack.person("U0LINUS").at("recruiting-desk");
        assert_snapshot!(desk.news(), @"
        + Anteroom: *Ada Byron* (@Ada Byron) · Candidate onboarding
              · Completed. I'll pass on what you write in this thread to Ada Byron.
        +   Anteroom: *Ada Byron* has finished _Candidate onboarding_.

                Senior Programmer · ada@example.org

                *Work history*

                • Senior Programmer, Analytical Engines Ltd · Mar 2020 to now

                *Evidence card*

                _Notes on the Analytical Engine_: To show what the engine could do.

                • Wrote the first published algorithm for a machine

                *What you are looking for*

                • What you want next: Work like the last
                • Working arrangement: At home
                • Availability: In March

                *Résumé*: _ada.pdf_

                Moved past _Education_ by Grace Hopper's override.
                [Open profile] [Résumé] [Transcript]
        ");
    }
}

/// The file that the result of an upload names.
fn uploaded(result: &anteroom::ports::llm::chat::Message) -> String {
    let anteroom::ports::llm::chat::Message::Tool { content, .. } = result else {
        panic!("not a result: {result:?}")
    };
    let result: Value = serde_json::from_str(content).unwrap();
    result["uploads"][0]["id"].as_str().unwrap().to_owned()
}
