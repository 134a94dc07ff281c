//! Slips of the pen in what a flow compares, reads, writes and gives, each in a flow that is valid without it.

use super::said;

/// A valid flow.
const VALID: &str = include_str!("../../fixtures/flows/volunteers.toml");

/// A question of the flow.
const PROMPT: &str = "Please send a copy of your driving licence.";

/// Flows with one slip each.
pub(super) fn all() -> impl Iterator<Item = String> {
    let conditions = [TYPES, BOUNDS, CONSTANT].into_iter().flatten();
    let conditions = conditions.map(|(when, _)| VALID.replacen(CONDITION, when, 1));
    let texts = UNFINISHED.iter().map(|(text, _)| VALID.replacen(PROMPT, text, 1));
    conditions.chain(texts).chain(OTHERS.iter().map(|(edits, _)| edited(edits)))
}

/// A condition of the flow.
const CONDITION: &str = "'drive' in answers.topics";

/// What is replaced, and by what.
type Edit = (&'static str, &'static str);

/// The valid flow with changes.
fn edited(edits: &[Edit]) -> String {
    edits.iter().fold(VALID.to_owned(), |flow, (from, to)| {
        assert!(flow.contains(from), "`{from}` is not in the flow");
        flow.replacen(from, to, 1)
    })
}

/// What is said about it.
fn told(edits: &[Edit]) -> String {
    said(&edited(edits))
}

/// The condition of the step that asks for a licence is replaced.
fn condition(when: &str) -> String {
    let flow = VALID.replacen(CONDITION, when, 1);
    assert_ne!(flow, VALID);
    said(&flow)
}

/// Conditions about values of two types, and a part of what is said.
const TYPES: &[(&str, &str)] = &[
    (
        "answers.topics == 'drive'",
        "`topics` is a list, and `'drive'` a text. hint: write `'drive' in answers.topics`",
    ),
    ("answers.topics != 'drive'", "hint: write `'drive' not in answers.topics`"),
    (
        "records.person.age > '18'",
        "`age` is a number, and `'18'` a text. hint: leave the quotes out: `18`",
    ),
    ("'18' <= records.person.age", "`age` is a number, and `'18'` a text"),
    ("answers.agree == true", "`agree` is a text, and `true` is true or false"),
    ("answers.agree > 3", "`agree` is a text, and `3` a number"),
    ("answers.topics > 1", "hint: write `… | length`"),
    ("records.person.since > 18", "hint: write `… | age`"),
    ("records.person.since > '24.12.2026'", "`24.12.2026` is not a date as dates are stored"),
    ("'drive' in records.person.age", "nothing is in `records.person.age`: it is a number"),
];

#[test]
fn values_of_types_that_are_never_equal_are_told() {
    for (when, expected) in TYPES {
        let said = condition(when);
        assert!(said.contains(expected), "{when}: {said}");
    }
}

/// Conditions that bounds decide.
const BOUNDS: &[(&str, &str)] = &[
    (
        "records.person.age > 120",
        "flow.toml:133:3: `records.person.age > 120` is never true: `age` is between 16 and 120",
    ),
    ("records.person.age == 12", "is never true"),
    ("12 >= records.person.age", "is true only where there is none"),
    (
        "records.person.age < 16",
        "warning: `records.person.age < 16` is true only where there is none",
    ),
    ("records.person.age <= 120", "warning: `records.person.age <= 120` is always true"),
    ("records.person.name | length > 80", "is never true: `name` is between 2 and 80"),
    ("points.agree > 0", "the step `agree` has no points"),
    ("score.consent > 0", "the phase `consent` has no points. hint: give its options"),
    ("results.licence.state == 'x'", "the result of `get_user_upload` has no `state`"),
    (
        "results.licence.uploads[0].file_id",
        "`results.licence.uploads[0]` has no `file_id`. hint: a file has `id`",
    ),
    ("platform == 'Slack'", "warning: `platform` is never `Slack`. hint: did you mean `slack`?"),
];

#[test]
fn comparisons_that_the_bounds_decide_are_told() {
    for (when, expected) in BOUNDS {
        let said = condition(when);
        assert!(said.contains(expected), "{when}: {said}");
    }
}

#[test]
fn a_pass_mark_above_all_points_is_told() {
    let edits = [
        (
            r#"{ id = "teach", label = "Teach" }"#,
            r#"{ id = "teach", label = "Teach", points = 2 }"#,
        ),
        ("'drive' in answers.topics", "score.details >= 3"),
    ];
    let said = told(&edits);
    assert!(said.contains("`score.details >= 3` is never true: `details` is at most 2"), "{said}");
}

/// Conditions that come out alike.
const CONSTANT: &[(&str, &str)] = &[
    ("answers.agree == 'yes' or 'ask'", "`'ask'` alone is always true. hint: compare it too"),
    (
        "answers.agree",
        "warning: `answers.agree` is true whatever is answered: `no` is a text as well",
    ),
    ("answers.agree == 'yes' and answers.agree == 'no'", "this is never true"),
    ("answers.agree != 'yes' or answers.agree != 'no'", "this is always true"),
    ("records.person.age > 60 and records.person.age < 20", "nothing is above 60 and below 20"),
];

#[test]
fn conditions_that_are_always_alike_are_told() {
    for (when, expected) in CONSTANT {
        let said = condition(when);
        assert!(said.contains(expected), "{when}: {said}");
    }
}

#[test]
fn conditions_that_can_go_either_way_pass() {
    for when in [
        "'drive' in answers.topics and 'teach' not in answers.topics",
        "'none' not in answers.topics | default(['none']) or records.person.age > 18",
        "records.person.age >= 18 and records.person.age < 65",
        "records.person.age > 16",
        "(records.person.age | default(0)) > 18",
        "records.person.since | age >= 1",
        "records.person.since <= '2026-12'",
        "records.person.since > today | minus('1y')",
        "answers.topics | length > 1",
        "answers.topics",
        "answers.agree in ['yes', 'no']",
        "not answers.topics",
        "platform == 'discord'",
        "answers.agree | upper == 'YES'",
        "answers.agree == 'yes' and answers.topics == ['drive']",
    ] {
        let said = condition(when);
        let is_of_answers = said.lines().any(|line| !line.contains("is never"));
        assert!(!is_of_answers, "{when}: {said}");
    }
}

#[test]
fn what_is_read_before_it_is_set_is_told() {
    let set = r#"  [[phase.step]]
  id = "licence""#;
    let keep = r#"  [[phase.step]]
  id = "keep"
  set = { driver = "'drive' in answers.topics" }

  [[phase.step]]
  id = "licence""#;
    let early = ("save = \"interests\"", "save = \"interests\"\n  when = \"not values.driver\"");
    let said = told(&[(set, keep), early]);
    assert!(said.contains("warning: nothing sets `values.driver` before this"), "{said}");
    let late = ("'drive' in answers.topics\"\n  [phase", "values.driver\"\n  [phase");
    assert_eq!(told(&[(set, keep), late]), "");
    let guarded = (
        "save = \"interests\"",
        "save = \"interests\"\n  when = \"not values.driver | default(false)\"",
    );
    assert_eq!(told(&[(set, keep), guarded]), "");
    let later = ("'drive' in answers.topics", "answers.wants_note == 'yes'");
    let said = told(&[later]);
    assert!(said.contains("`wants_note` is not asked before this"), "{said}");
    let later = ("'drive' in answers.topics", "records.note.text == 'x'");
    assert!(told(&[later]).contains("nothing stores `records.note` before this"));
}

#[test]
fn an_effect_with_what_comes_later_or_with_nothing_is_told() {
    let early = (
        "# ---------------------------------------------------------------- a note",
        "  [[phase.effect]]\n  do = \"post_summary\"\n  channel = \"recruiting_desk\"\n  include = [\"note\"]\n",
    );
    let said = told(&[early]);
    assert!(said.contains("nothing stores `note` before this happens"), "{said}");
    let said = told(&[("include = [\"person\", \"note\"]", "include = []")]);
    assert!(said.contains("warning: this includes no data"), "{said}");
}

/// Texts that are not finished.
const UNFINISHED: &[(&str, &str)] = &[
    (
        "Hello {records.person.name}!",
        "`{records.person.name}` is shown as it stands: nothing fills it in. hint: write `{{ records.person.name }}`",
    ),
    ("Hello ${records.person.name}!", "`${records.person.name}` is shown"),
    ("Hello %participant.name%!", "`%participant.name%` is shown"),
    ("Hello <participant.name>!", "`<participant.name>` is shown"),
    ("Hello [records.person.name]!", "`[records.person.name]` is shown"),
    ("TODO: ask for the licence", "warning: `TODO` looks like a note to yourself"),
    ("Lorem ipsum dolor", "warning: `lorem ipsum` looks like"),
    ("Send it by [insert date].", "warning: `[insert date]` looks like"),
];

#[test]
fn texts_that_are_not_finished_are_told() {
    for (text, expected) in UNFINISHED {
        let said = said(&VALID.replacen(PROMPT, text, 1));
        assert!(said.contains(expected), "{text}: {said}");
    }
    for text in [
        "{name} in braces",
        "50 % of [the club](https://example.org)",
        "a < b > c",
        "todo el mundo",
    ] {
        let said = said(&VALID.replacen(PROMPT, text, 1));
        assert_eq!(said, "", "{text}");
    }
}

#[test]
fn keywords_that_are_answers_are_told() {
    for (keyword, expected) in [
        ("I agree", "whoever types the answer “I agree” to `agree` would call a person"),
        ("Drive", "to `topics` would call a person"),
        ("yes", "`yes` is in many messages"),
        (" ", "this keyword is empty"),
    ] {
        let keywords = format!("[handoff]\nkeywords = [\"{keyword}\"]");
        let said = said(&VALID.replacen("[handoff]", &keywords, 1));
        assert!(said.contains(expected), "{keyword}: {said}");
    }
    let said = said(&VALID.replacen("[handoff]", "[handoff]\nkeywords = [\"lawyer\"]", 1));
    assert_eq!(said, "");
}

#[test]
fn schemas_that_nothing_fits_are_told() {
    let field = r#""title": "Free from", "format": "date" }"#;
    for (to, expected) in [
        (
            r#""title": "Free from", "format": "date", "maxLength": 8 }"#,
            "no date fits `person.since`: its `maxLength` is 8",
        ),
        (
            r#""title": "Free from", "format": "date", "pattern": "^[0-9]{2}\\.[0-9]{2}\\." }"#,
            "no date fits `person.since`: its `pattern`",
        ),
        (
            r#""title": "Free from", "minimum": 5 }"#,
            "`minimum` does nothing for `person.since`, whose type is `string`",
        ),
        (
            r#""title": "Free from", "enum": ["a", "b"], "enumNames": ["A"] }"#,
            "`person.since` has 2 values and 1 names",
        ),
    ] {
        let said = said(&VALID.replacen(field, to, 1));
        assert!(said.contains(expected), "{to}: {said}");
    }
}

/// Other slips.
const OTHERS: &[(&[Edit], &str)] = &[
    (
        &[("tools = [\"get_user_option\"", "tools = [\"deploy_agent\", \"get_user_option\"")],
        "warning: `deploy_agent` is among the tools, but `agents` names none",
    ),
    (
        &[("in their words.\"", "in their words. Use persist_data.\"")],
        "warning: the prompt speaks of `persist_data`, which is not among the tools",
    ),
    (
        &[(
            "  skip = \"participant\"\n  done = { reviewed = \"note\" }",
            "  done = { reviewed = \"note\" }",
        )],
        "`@skip` passes nothing over: no objective of `closing` may be skipped",
    ),
    (
        &[("from = \"20:00\"", "from = \"07:00\""), ("to = \"08:00\"", "to = \"20:00\"")],
        "warning: these hours are by day",
    ),
    (
        &[(
            "panel = true\n",
            "panel = true\npanel_button = \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\n",
        )],
        "this text has 81 characters; at most 80 can be shown",
    ),
    (
        &[
            ("label = \"Cook\"", "label = \"Cook\", correct = true"),
            ("label = \"Drive\"", "label = \"Drive\", correct = true"),
            ("label = \"Teach\"", "label = \"Teach\", correct = true"),
            ("  allowMultiple = true\n", ""),
        ],
        "warning: every answer counts as correct",
    ),
    (
        &[
            ("label = \"Cook\"", "label = \"Cook\", points = 1"),
            ("label = \"Drive\"", "label = \"Drive\", points = 1"),
            ("label = \"Teach\"", "label = \"Teach\", points = 1"),
            (
                "  allowMultiple = true\n",
                "  allowMultiple = true\n  minChoices = 2\n  maxChoices = 2\n",
            ),
        ],
        "warning: every answer is worth the same",
    ),
    (
        &[
            (
                "\"text\": { \"type\": \"string\", \"title\": \"Note\", \"minLength\": 5, \"maxLength\": 500 }",
                "\"text\": { \"type\": \"object\", \"title\": \"Note\", \"properties\": { \"a\": { \"type\": \"string\", \"title\": \"A\", \"visibleTo\": [\"team\"] } } }",
            ),
            ("data = { text = \"\" }", "data = {}"),
            ("include = [\"person\"]\n", "include = [\"note\"]\n"),
        ],
        "warning: every field of `note` is hidden from hooks",
    ),
    (
        &[
            ("title = \"About you\"", "title = \"About {{ you\""),
            ("'drive' in answers.topics", "'drive' in answers.topics and"),
        ],
        "`{{` is not closed, so it is shown as it stands",
    ),
    (
        &[
            (
                "id = \"yes\", label = \"I agree\" }",
                "id = \"yes\", label = \"I agree\", when = \"platform == 'web'\" }",
            ),
            ("{ id = \"no\", label = \"I don't agree\" }, ", ""),
        ],
        "hint: add entries without `when`",
    ),
    (
        &[("data = { text = \"\" }", "data = { name = \"\", email = \"\" }")],
        "`person` has it: did you mean `dataType = \"person\"`?",
    ),
];

#[test]
fn other_slips_are_told() {
    for (edits, expected) in OTHERS {
        let said = told(edits);
        assert!(said.contains(expected), "{edits:?}: {said}");
    }
}

/// A decision, added to the valid flow, in a phase of its own at the end.
fn decided(closing: &str, approval: &str, step: &str) -> String {
    let approval = format!(
        "[approvals.helper]\ntitle = \"Take them on?\"\ndeciders = \"recruiting_approvals\"\n{approval}\n\n[handoff]"
    );
    let flow = VALID.replacen("[handoff]", &approval, 1);
    let mut flow = flow.replacen(
        "  [[phase.effect]]\n  do = \"post_summary\"",
        &format!("{closing}\n  [[phase.effect]]\n  do = \"post_summary\""),
        1,
    );
    flow.push_str("\n[[phase]]\nid = \"decision\"\ntitle = \"Decision\"\nmode = \"script\"\n");
    flow.push_str(step);
    said(&flow)
}

const ASKED: &str = r#"
  [[phase.step]]
  id = "decide"
  tool = "request_decision"
  args = { approval = "helper" }
  branch = { denied = "@stop", expired = "@handoff" }
"#;

const READY: &str = r#"
  [[phase.step]]
  id = "ready"
  tool = "get_user_option"
  deadline = "2d"
  args = { prompt = "Shall we ask the team?", options = [{ id = "yes", label = "Yes" }, { id = "no", label = "Not yet" }] }
  branch = { no = "@stop" }
"#;

const SHOWN: &str = "show = [\"person\"]";

#[test]
fn roles_and_silence_around_a_decision_are_told() {
    assert_eq!(decided("", SHOWN, ASKED), "");
    let role = |on: &str| {
        format!("  [[phase.effect]]\n  do = \"discord_add_role\"\n  role = \"volunteer\"\n{on}\n")
    };
    let early = decided(&role(""), SHOWN, ASKED);
    assert!(early.contains("warning: `volunteer` is given before `decide` is decided"), "{early}");
    let denied = decided("", SHOWN, &format!("{ASKED}{}", role("  on = \"denied\"")));
    assert!(
        denied.contains("warning: `volunteer` is given to people who are denied, and no role"),
        "{denied}"
    );
    let silent = decided("", SHOWN, &format!("{READY}{ASKED}"));
    assert!(
        silent.contains("warning: whoever doesn't answer `ready` in time goes on to `decide`"),
        "{silent}"
    );
    let caught = READY.replace("no = \"@stop\"", "no = \"@stop\", expired = \"@stop\"");
    assert_eq!(decided("", SHOWN, &format!("{caught}{ASKED}")), "");
    let unseen = decided("", "show = []", ASKED);
    assert!(unseen.contains("warning: whoever decides on `helper` sees nothing"), "{unseen}");
    let hurried =
        decided("", "show = [\"person\"]\nexpires = \"3m\"\nremind_after = [\"1m\"]", ASKED);
    assert!(hurried.contains("warning: people have only 3 minutes to decide"), "{hurried}");
    let alike =
        decided("", "show = [\"person\"]\napproved = \"Welcome!\"\ndenied = \"Welcome!\"", ASKED);
    assert!(alike.contains("warning: people who are denied read the same"), "{alike}");
}
