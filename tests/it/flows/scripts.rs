//! What the script of the candidate flow asks, and what it makes of the answers.

use std::fmt::Write as _;

use anteroom::{
    model::{
        contact::{Contact, Labelled, Name},
        session::{PersonId, Status},
        ui::{Control, Prompt, Reply, Verdict},
        wait::{Purpose, Settlement, Wait},
    },
    ports::contacts::{ContactSource, Fetched, Wanted},
    session::Next,
    tool::{Policy, catalog::interview},
};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::shipped;
use crate::catalog::bench::Bench;

/// Knows one person.
#[derive(Debug)]
struct Rolodex;

#[async_trait]
impl ContactSource for Rolodex {
    fn name(&self) -> &'static str {
        "directory"
    }

    fn serves(&self, _person: &PersonId) -> bool {
        true
    }

    async fn fetch(&self, _wanted: &Wanted) -> Fetched {
        let work =
            |value: &str| vec![Labelled { label: "work".to_owned(), value: value.to_owned() }];
        Fetched::Card(Box::new(Contact {
            name: Name { given: "Augusta Ada".to_owned(), family: "King".to_owned() },
            email: work("ada@example.org"),
            organization: Some("Analytical Engines".to_owned()),
            job_title: Some("Programmer".to_owned()),
            ..Contact::default()
        }))
    }
}

/// Serves everybody and knows nobody.
#[derive(Debug)]
struct Blank;

#[async_trait]
impl ContactSource for Blank {
    fn name(&self) -> &'static str {
        "vcard"
    }

    fn serves(&self, _person: &PersonId) -> bool {
        true
    }

    async fn fetch(&self, _wanted: &Wanted) -> Fetched {
        Fetched::not_found("an empty book")
    }
}

fn pick(ids: &[&str]) -> Reply {
    let ids = ids.iter().map(|id| (*id).to_owned()).collect();
    Reply::Chosen { ids, free_text: None }
}

fn write(text: &str) -> Reply {
    Reply::Text { text: text.to_owned() }
}

fn approve() -> Reply {
    Reply::Reviewed { verdict: Verdict::Approved, data: None, notes: None }
}

fn correct(data: Value) -> Reply {
    Reply::Reviewed { verdict: Verdict::Modified, data: Some(data), notes: None }
}

/// Runs the candidate flow with these answers, in their order; gives what was asked.
async fn conversation(
    sources: Vec<Box<dyn ContactSource>>,
    replies: Vec<Reply>,
) -> (Bench, String) {
    let flow = shipped("candidate-onboarding");
    let mut bench = Bench::on(flow, interview::tools(), sources, Policy::CHAT);
    let mut asked = String::new();
    let mut replies = replies.into_iter();
    loop {
        match bench.view().next() {
            Next::Call(call) => _ = bench.run(call).await,
            Next::Resume { wait } => {
                let state = bench.state();
                let Purpose::Call { call, .. } = &state.waits[&wait].purpose else {
                    bench.change(|changes| changes.apply_own(wait));
                    continue;
                };
                let call = state.call(call).unwrap().call.as_ref().clone();
                bench.finish(call, wait).await.unwrap();
            }
            Next::Rest => {
                let Some(wait) = bench.state().pending().next().cloned() else { break };
                let reply = next_reply(&wait, &mut replies, &mut asked);
                let Some(reply) = reply else { break };
                assert_eq!(bench.settle(wait.id, reply), Settlement::Applied, "{asked}");
            }
            next @ (Next::Think { .. }
            | Next::Round(_)
            | Next::Erase
            | Next::Arrange
            | Next::Begin { .. }
            | Next::Recall { .. }
            | Next::Raise { .. }
            | Next::Report
            | Next::Recover { .. }) => {
                panic!("{next:?} without a model")
            }
        }
    }
    (bench, asked)
}

fn next_reply(
    wait: &Wait,
    replies: &mut impl Iterator<Item = Reply>,
    asked: &mut String,
) -> Option<Reply> {
    if wait.purpose == Purpose::Notice {
        return Some(pick(&["accept"]));
    }
    print(&wait.prompt, asked);
    replies.next()
}

fn print(prompt: &Prompt, asked: &mut String) {
    writeln!(asked, "{}", prompt.body.common_mark()).unwrap();
    match &prompt.control {
        Control::Choose(choose) => {
            for choice in &choose.choices {
                let more = choice.description.as_ref().map(|more| format!(" ({more})"));
                writeln!(asked, "  [{}]{}", choice.label, more.unwrap_or_default()).unwrap();
            }
        }
        Control::Review(review) => {
            writeln!(asked, "{}", serde_json::to_string_pretty(&review.data).unwrap()).unwrap();
        }
        Control::Upload(upload) => {
            writeln!(asked, "  [{} {}]", upload.upload_type, upload.accept.join(" ")).unwrap();
        }
        Control::Form(_) | Control::Ask(_) | Control::Decide(_) | Control::Confirm(_) => {}
    }
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a whole conversation, word for word")]
async fn the_candidate_flow_makes_its_cards_from_a_contact_card_and_the_answers() {
    let timeline = json!({ "work": [
        { "name": "Analytical Engines", "position": "Programmer", "startDate": "1842-10" },
        { "name": "Byron & Daughters", "startDate": "1833", "endDate": "1842" },
    ] });
    let replies = vec![
        pick(&["contact"]),
        approve(),
        correct(timeline),
        Reply::Skipped,
        pick(&["role_1"]),
        write("A programme for the engine."),
        write("I wrote all of it."),
        write("Which number to begin with."),
        write("The engine gave the right numbers."),
        pick(&["10_to_30"]),
        pick(&["no"]),
        approve(),
        pick(&["paste"]),
        write("The engine weaves algebraic patterns."),
        pick(&["responsibility", "change"]),
        pick(&["remote"]),
        pick(&["one_month"]),
        write("In March"),
        pick(&["yes"]),
        write("I bring my own loom."),
        approve(),
    ];
    let (bench, asked) = conversation(vec![Box::new(Rolodex)], replies).await;
    insta::assert_snapshot!(asked, @r#"
    How would you like to begin? A résumé saves typing; you can correct everything that is read from it.
      [Upload résumé]
      [Use my directory entry]
      [Type it in]
    Here are your contact details so far. Please correct and complete them.
    {
      "basics": {
        "name": "Augusta Ada King",
        "label": "Programmer",
        "email": "ada@example.org"
      }
    }
    Here's where you have worked: organisation, title, place and dates, newest first. Please add what's missing and remove what's wrong.
    {
      "work": [
        {
          "name": "Analytical Engines",
          "position": "Programmer"
        }
      ]
    }
    Where have you studied? Please add your schools, or skip this if you have nothing to add.
    {
      "education": []
    }
    Which role would you like to talk about? Pick one you know well and enjoy talking about.
      [Programmer, Analytical Engines] (1842-10 to now)
      [Byron & Daughters] (1833 to 1842)
      [A project of my own]
      [Something else]
    What was the goal, and who was it for? Please leave out anything confidential.
    What was your own part in it? If it was a team, say what you did yourself.
    What was the hardest decision, and how did you come to it?
    What changed because of your work, and how do you know?
    How large was the change, roughly? A band is enough.
      [Under 10%]
      [10-30%]
      [30-50%]
      [Over 50%]
      [Not measured]
    Is there a document or picture that shows it, and that you are free to share?
      [Attach evidence]
      [Continue without]
    Here's a summary of what you told me. Every claim is backed by a quote from you; please correct anything that isn't right.
    {
      "title": "Programmer, Analytical Engines",
      "summary": "A programme for the engine.",
      "source": "Interview",
      "achievements": [
        {
          "claim": "I wrote all of it.",
          "evidence": {
            "quote": "I wrote all of it.",
            "source": "Interview: own part"
          }
        },
        {
          "claim": "Which number to begin with.",
          "evidence": {
            "quote": "Which number to begin with.",
            "source": "Interview: hardest decision"
          }
        },
        {
          "claim": "The engine gave the right numbers.",
          "evidence": {
            "quote": "The engine gave the right numbers.",
            "source": "Interview: what changed"
          }
        }
      ],
      "metrics": [
        "Change: 10-30%"
      ]
    }
    Would you like to share one piece of writing of yours? It's optional. Please don't send anything confidential to an employer.
      [Upload]
      [Paste]
      [Skip]
    Please paste it here.
    What would you like to do next? Pick all that fit.
      [Work like my current or last role]
      [More responsibility]
      [Go deeper into one subject]
      [A change of field]
      [A first job or a return to work]
      [Just looking]
    How would you like to work? Pick all that fit.
      [On site]
      [Partly on site]
      [Remote]
      [Full time]
      [Part time]
      [As a contractor]
    What is your notice period?
      [None]
      [Up to two weeks]
      [About a month]
      [Two or three months]
      [Longer]
      [I don't know]
    When could you start at the earliest? A month is enough.
    Is there anything else the team should know?
      [Yes, I will write it]
      [No, that is all]
    Please write it here. A person will read it.
    Here's what you're looking for, as I understood it. Please correct anything that isn't right; then a person will read it.
    {
      "job_search_context": "More responsibility, A change of field",
      "work_arrangement_preferences": "Remote",
      "availability": "Notice period: About a month. Earliest start: In March",
      "anything_else": "I bring my own loom."
    }
    "#);
    let state = bench.state();
    assert_eq!(state.status, Status::Completed);
    assert_eq!(state.record("writing_sample").unwrap().data["title"], "Pasted writing sample");
    assert!(state.record("education_history").is_none());
}

#[tokio::test]
async fn a_candidate_without_roles_still_has_something_to_pick() {
    let name = json!({ "basics": { "name": "Ada Byron" } });
    let replies =
        vec![pick(&["type"]), correct(name), approve(), Reply::Skipped, pick(&["project"])];
    let (_, asked) = conversation(Vec::new(), replies).await;
    insta::assert_snapshot!(asked, @r#"
    How would you like to begin? A résumé saves typing; you can correct everything that is read from it.
      [Upload résumé]
      [Type it in]
    Here are your contact details so far. Please correct and complete them.
    {
      "basics": {
        "name": "Ada Byron"
      }
    }
    Where have you worked? Please add your roles, newest first: organisation, title, place and dates.
    {
      "work": []
    }
    Where have you studied? Please add your schools, or skip this if you have nothing to add.
    {
      "education": []
    }
    Which role would you like to talk about? Pick one you know well and enjoy talking about.
      [A project of my own]
      [Something else]
    What was it? One line is enough: what you did, where, and when.
    "#);
}

#[tokio::test]
async fn of_many_roles_the_last_four_come_first() {
    let name = json!({ "basics": { "name": "Ada Byron" } });
    let role = |n: u32| json!({ "name": format!("Employer {n}") });
    let timeline = json!({ "work": (1..=7).map(role).collect::<Vec<_>>() });
    let start = [pick(&["type"]), correct(name), correct(timeline), Reply::Skipped];
    for (period, first) in [("recent", "[Employer 1]"), ("earlier", "[Employer 5]")] {
        let mut replies = start.to_vec();
        replies.push(pick(&[period]));
        let (_, asked) = conversation(Vec::new(), replies).await;
        let (_, last) = asked.rsplit_once("Which role").unwrap();
        assert!(last.lines().nth(1).unwrap().trim() == first, "{asked}");
    }
}

#[tokio::test]
async fn no_contact_card_is_no_dead_end() {
    let replies = vec![pick(&["contact"]), pick(&["upload"]), Reply::Skipped];
    let (_, asked) = conversation(vec![Box::new(Blank)], replies).await;
    insta::assert_snapshot!(asked, @r#"
    How would you like to begin? A résumé saves typing; you can correct everything that is read from it.
      [Upload résumé]
      [Use my contact card]
      [Type it in]
    I couldn't find a contact card for you. What would you like to do instead?
      [Upload résumé]
      [Type it in]
    Please send your résumé as PDF, DOCX, TXT or MD, at most 10 MB.
      [resume pdf docx txt md]
    Here are your contact details so far. Please correct and complete them.
    {
      "basics": {
        "name": "Ada Byron"
      }
    }
    "#);
}

#[tokio::test]
async fn no_answer_is_cut_on_the_evidence_card() {
    let name = json!({ "basics": { "name": "Ada Byron" } });
    let long = |words: &str| words.repeat(7_440 / words.len()).trim().to_owned();
    let (goal, part) = (long("To show it. "), long("I wrote it. "));
    let replies = vec![
        pick(&["type"]),
        correct(name),
        approve(),
        Reply::Skipped,
        pick(&["project"]),
        write(&long("A project. ")),
        write(&goal),
        write(&part),
        write("Which number to begin with."),
        write("The engine gave the right numbers."),
        pick(&["not_measured"]),
        pick(&["no"]),
        approve(),
    ];
    let (bench, asked) = conversation(Vec::new(), replies).await;
    let state = bench.state();
    let card = &state.record("knowledge_card").unwrap_or_else(|| panic!("{asked}")).data;
    assert_eq!(card["summary"], goal);
    assert_eq!(card["achievements"][0]["claim"], part);
    assert_eq!(card["achievements"][0]["evidence"]["quote"], part);
    // A title is one line; that it goes on is shown.
    assert!(card["title"].as_str().unwrap().ends_with('…'), "{card}");
}
