//! Flows that are right word by word, and would harm whoever answers: the wrong people get or read something, a text
//! promises what the flow doesn't keep, or something comes too late.

use anteroom::flow::{self, Aliases};

use super::{catalogue, example, said, vars};

/// A valid flow.
const VALID: &str = include_str!("../../fixtures/flows/volunteers.toml");

/// What is replaced, and by what.
type Edit = (&'static str, &'static str);

/// Changes to the valid flow, and a part of what is said.
const CASES: &[(&[Edit], &str)] = &[
    (
        &[("keeps your answers for {{retention}}", "keeps your answers for 30 days")],
        "warning: this promises 30 days, and answers are kept for 180 days",
    ),
    (
        &[
            ("accept = \"Start\"", "accept = \"No, thanks\""),
            ("decline = \"Not now\"", "decline = \"Start\""),
        ],
        "warning: whoever presses `No, thanks` is interviewed",
    ),
    (
        &[("version = \"1.0.0\"", "version = \"1.0.0\"\nlocale = \"de\"")],
        "warning: the texts are English, and `locale` is `de`",
    ),
    (
        &[(
            "What would you like to do, {{ records.person.name }}?",
            "Was möchten Sie bei uns machen, und wann haben Sie Zeit?",
        )],
        "warning: this text is German, and the others are English",
    ),
    (
        &[("[handoff]", "[limits]\ntokens = 600\n\n[handoff]")],
        "warning: 600 tokens don't pay for one question of a model",
    ),
    (
        &[("send a copy of your driving licence.", "send your driving licence as PDF or TXT.")],
        "warning: this asks for files that are refused: `TXT`. hint: accepted: `pdf`",
    ),
    (
        &[(
            "id = \"wants_note\"\n  tool = \"get_user_option\"\n  [phase.step.args]\n  prompt = \"",
            "id = \"wants_note\"\n  tool = \"get_user_option\"\n  deadline = \"3h\"\n  [phase.step.args]\n  prompt = \"You have 3 days to decide. ",
        )],
        "warning: this lapses after 3 hours, and the text says 3 days",
    ),
    (
        &[("title = \"In your own words\"", "title = \"Two months later\"\nafter = \"2m\"")],
        "warning: this begins after 2 minutes, and the text says two months",
    ),
    (
        &[(
            "  [[phase.effect]]\n  do = \"post_summary\"",
            "  [[phase.effect]]\n  do = \"discord_post\"\n  channel = \"introductions\"\n  data = \"person\"\n\n  [[phase.effect]]\n  do = \"post_summary\"",
        )],
        "warning: everybody in `introductions` would read people's `email`",
    ),
    (
        &[
            ("[data.note]\n", "[data.note]\nsensitivity = \"special\"\n"),
            (
                "do = \"post_summary\"\n  channel = \"recruiting_desk\"",
                "do = \"post_summary\"\n  channel = \"welcome\"",
            ),
        ],
        "warning: everybody in `welcome` would read `note`, which is special data",
    ),
    (&[("audit = \"1460d\"", "audit = \"30d\"")], "warning: decisions are kept for only 30 days"),
    (
        &[
            ("decline = \"Not now\"", "decline = \"Not now\"\nwait_business_days = 10"),
            ("expire_after = \"14d\"", "expire_after = \"9d\""),
            ("transcript = \"180d\"", "transcript = \"10d\""),
        ],
        "after 10 days the conversation is deleted, and 10 working days are longer",
    ),
    (
        &[("title = \"In your own words\"", "title = \"Later\"\nafter = \"140 working days\"")],
        "after 180 days the conversation is deleted, and 140 working days are longer",
    ),
    (
        &[(
            "  [[phase.step]]\n  id = \"licence\"",
            "  [[phase.step]]\n  id = \"count\"\n  set = { tries = \"values.tries | default(1)\" }\n\n  [[phase.step]]\n  id = \"licence\"",
        )],
        "warning: `values.tries` is always 1: it is set from itself alone",
    ),
    (
        &[
            (
                "{ id = \"teach\", label = \"Teach\" }",
                "{ id = \"teach\", label = \"Teach\", points = 2 }",
            ),
            (
                "  [[phase.step]]\n  id = \"details_form\"",
                "  [[phase.step]]\n  id = \"mark\"\n  set = { score = \"score.details\" }\n\n  [[phase.step]]\n  id = \"details_form\"",
            ),
        ],
        "warning: no question of `details` is asked before this, so `score.details` is 0",
    ),
    (
        &[("{{ records.person.name }}", "{{ participant.first_name }}")],
        "there is no member of `participant` `first_name`. hint: available: `name`, `contact`",
    ),
    (
        &[("\nreview = true\n", "\n")],
        "`person` is not one of `note`. hint: set `review = true` under `[data.person]`",
    ),
];

/// A decision on people, and what comes after it, with a part of what is said.
const DECIDED: &[(&str, &str, &str)] = &[
    (
        "",
        r#"branch = { denied = "words", expired = "words" }
  [[phase.step]]
  id = "words"
  tool = "request_user_input"
  args = { prompt = "Anything else?" }
  [[phase.effect]]
  do = "discord_add_role"
  role = "helper""#,
        "warning: `helper` is given to people who are denied, too. hint: add `on = \"approved\"` to it",
    ),
    (
        "",
        r#"branch = { denied = "@next", expired = "@next" }
  [[phase.effect]]
  do = "webhook"
  url_from = "ats_webhook"
  include = ["person"]"#,
        "warning: `ats_webhook` is sent the data of people who are denied, too",
    ),
    (
        "",
        r#"branch = { denied = "@next", expired = "@handoff" }
[[phase]]
id = "welcome"
title = "Welcome"
mode = "script"
step = [{ id = "shirt", tool = "request_user_input", args = { prompt = "Which size?" } }]
effect = [{ do = "discord_add_role", role = "helper" }]"#,
        "warning: `helper` is given to people who are denied, too. hint: give it `when = \"answers.decide == 'approved'\"`",
    ),
    (
        "",
        r#"branch = { denied = "@stop" }
  [[phase.step]]
  id = "key"
  tool = "request_user_input"
  args = { prompt = "Here is the code of the door. When will you come?" }"#,
        "warning: a request on which nobody has decided in time goes on like one that was approved",
    ),
    (
        "approved = \"Unfortunately we have no place.\"\ndenied = \"Welcome, you are in!\"",
        "branch = { denied = \"@stop\", expired = \"@handoff\" }",
        "warning: this reads like a refusal, and `denied` like a welcome",
    ),
    (
        "expires = \"200d\"",
        "branch = { denied = \"@stop\", expired = \"@handoff\" }",
        "warning: after 180 days the conversation is deleted, while the team may decide for 200 days",
    ),
    ("quorum = 3", "branch = { denied = \"@stop\", expired = \"@handoff\" }", ""),
    // Nothing comes after it, whatever is decided.
    ("", "", ""),
];

fn edited(edits: &[Edit]) -> String {
    edits.iter().fold(VALID.to_owned(), |flow, (from, to)| {
        assert!(flow.contains(from), "`{from}` is not in the flow");
        flow.replacen(from, to, 1)
    })
}

fn decided((approval, step): (&str, &str)) -> String {
    let approval = format!(
        "[approvals.helper]\ntitle = \"Take them on?\"\ndeciders = \"recruiting_approvals\"\nshow = [\"person\"]\n{approval}\n\n[handoff]"
    );
    let mut flow = VALID.replacen("[handoff]", &approval, 1);
    flow.push_str("\n[[phase]]\nid = \"decision\"\ntitle = \"Decision\"\nmode = \"script\"\n");
    flow.push_str("  [[phase.step]]\n  id = \"decide\"\n  tool = \"request_decision\"\n  args = { approval = \"helper\" }\n  ");
    flow + step + "\n"
}

/// Flows with one mistake each.
pub(super) fn all() -> impl Iterator<Item = String> {
    let decisions = DECIDED.iter().map(|(approval, step, _)| decided((approval, step)));
    CASES.iter().map(|(edits, _)| edited(edits)).chain(decisions).chain([hidden(), unasked()])
}

#[test]
fn what_would_harm_people_is_told() {
    for (edits, expected) in CASES {
        let said = said(&edited(edits));
        assert!(said.contains(expected), "{edits:?}: {said}");
    }
}

#[test]
fn what_people_get_in_spite_of_a_decision_is_told() {
    for (approval, step, expected) in DECIDED {
        let said = said(&decided((approval, step)));
        assert!(said.contains(expected), "{step}: {said}");
        assert!(!expected.is_empty() || said.is_empty(), "{approval} {step}: {said}");
    }
}

/// Deciders see one piece of data, and none of its fields.
fn hidden() -> String {
    let flow = decided(("", "branch = { denied = \"@stop\", expired = \"@handoff\" }"));
    let flow = flow.replacen("show = [\"person\"]", "show = [\"note\"]", 1);
    flow.replacen("\"title\": \"Note\",", "\"title\": \"Note\", \"visibleTo\": [\"team\"],", 1)
}

#[test]
fn a_card_without_a_field_that_deciders_see_is_told() {
    let said = said(&hidden());
    assert!(said.contains("every field of `note` is hidden from deciders"), "{said}");
}

/// Special data is asked for, with neither consent nor a notice that must be accepted.
fn unasked() -> String {
    let (head, rest) = VALID
        .split_once("# ---------------------------------------------------------------- consent")
        .unwrap();
    let (_, tail) = rest
        .split_once("# ----------------------------------------------------------------")
        .unwrap();
    let head = head.replacen("[data.note]\n", "[data.note]\nsensitivity = \"special\"\n", 1);
    let head = head.replacen("decline = \"Not now\"", "decline = \"Not now\"\nrequired = false", 1);
    format!("{head}#{tail}")
}

#[test]
fn special_data_asked_for_without_consent_is_told() {
    let flow = unasked();
    let said_of = said(&flow);
    let expected =
        "warning: people are asked for `note`, which is special data, before they have agreed";
    assert!(said_of.contains(expected), "{said_of}");
    assert_eq!(said(&flow.replacen("required = false", "required = true", 1)), "");
}

#[test]
fn a_quorum_above_the_people_who_are_listed_is_told() {
    let flow = decided(("quorum = 3", "branch = { denied = \"@stop\", expired = \"@handoff\" }"));
    let listed = |people: usize| {
        let deciders = [("recruiting_approvals".to_owned(), people)].into();
        let aliases = Aliases { deciders, ..Aliases::from(&example()) };
        let found = flow::check_source(&flow, "flow.toml", &vars(), catalogue, Some(&aliases));
        anteroom::config::render(&found.unwrap().1)
    };
    assert!(listed(2).contains("warning: 3 must decide alike, and `recruiting_approvals` lists 2"));
    assert_eq!(listed(3), "");
}

#[test]
fn without_decisions_nothing_is_said_of_how_long_they_are_kept() {
    let (settings, _) = VALID.split_once("# --------").unwrap();
    let question = "[{ id = \"come\", tool = \"request_user_input\", args = { prompt = \"When do you come?\" } }]";
    let phase = "[[phase]]\nid = \"only\"\ntitle = \"Only\"\nmode = \"script\"";
    let flow = format!("{settings}{phase}\nstep = {question}\n");
    assert_eq!(said(&flow.replacen("audit = \"1460d\"", "audit = \"30d\"", 1)), "");
}
