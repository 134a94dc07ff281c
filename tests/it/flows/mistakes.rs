//! Flows with one mistake that an author would make and that harms a participant: each is found. Unusual but valid flows
//! pass.

use super::said;

/// A valid flow.
const VALID: &str = include_str!("../../fixtures/flows/volunteers.toml");

/// What is replaced, and by what; `<90>` stands for 90 characters.
type Edit = (&'static str, &'static str);

/// What is changed, and a part of what is said about it.
const MISTAKES: &[(Edit, &str)] = &[
    (
        (r#"with = ["yes"] }"#, r#"with = ["yes", "no"] }"#),
        "the answer `no`, “I don't agree”, would complete `consent_given`",
    ),
    (
        (r#", with = ["yes"] }"#, " }"),
        "the answer `no`, “I don't agree”, would complete `consent_given`",
    ),
    (
        (
            r#"[[phase]]
id = "consent""#,
            r#"[[phase]]
id = "hello"
title = "Hello"
mode = "script"
next = "details"

[[phase]]
id = "consent""#,
        ),
        "`consent` is never reached",
    ),
    (
        (
            r#"id = "consent"
title = "Consent""#,
            r#"id = "consent"
next = "closing"
title = "Consent""#,
        ),
        "`details` is never reached",
    ),
    (
        (r#""minimum": 16, "maximum": 120"#, r#""minimum": 120, "maximum": 16"#),
        "no value fits `person.age`",
    ),
    (
        ("allowMultiple = true", "allowMultiple = true\nminChoices = 9"),
        "9 picks are asked for; there are",
    ),
    (
        ("allowMultiple = true", "allowMultiple = true\nminChoices = 2\nmaxChoices = 1"),
        "no number of picks is 2 or more and 1 or fewer",
    ),
    (
        ("allowMultiple = true", "minChoices = 2"),
        "`minChoices` is for questions with several picks",
    ),
    (
        (r#""minLength": 2, "maxLength": 80"#, r#""minLength": 80, "maxLength": 2"#),
        "no value fits `person.name`",
    ),
    (
        (
            r#""format": "date" }"#,
            r#""type": "array", "items": { "type": "string" }, "minItems": 3, "maxItems": 1 }"#,
        ),
        "no value fits `person.since`",
    ),
    ((r#""format": "date" }"#, r#""enum": [] }"#), "no value fits `person.since`"),
    (
        (r#""format": "date" }"#, r#""pattern": "^[0-9]{5}$", "minLength": 8 }"#),
        "no text fits `person.since`: its `pattern` matches 5 characters at most",
    ),
    (
        (r#""format": "date" }"#, r#""pattern": "[0-9]{5}", "maxLength": 3 }"#),
        "no text fits `person.since`: its `pattern` matches 5 characters at least",
    ),
    (
        (r#""format": "date" }"#, r#""pattern": "^[^\\s\\S]$" }"#),
        "no text fits `person.since`: nothing matches its `pattern`",
    ),
    (
        (r#""format": "date" }"#, r#""pattern": "^[0-9]{5}$", "enum": ["12345", "1234"] }"#),
        "`person.since` can never be \"1234\", which its `enum` names",
    ),
    (
        (r#""format": "date" }"#, r#""pattern": "^[0-9]{5}$", "default": "1234" }"#),
        "the `default` of `person.since`, \"1234\", doesn't fit its own schema",
    ),
    (
        (r#""format": "date" }"#, r#""pattern": "^[0-9]{5}$", "examples": ["1234"] }"#),
        "the example \"1234\" of `person.since` would be refused",
    ),
    (
        (r#""minimum": 16, "maximum": 120"#, r#""enum": ["young", "old"]"#),
        r#"`person.age` can never be "young""#,
    ),
    (
        (r#""title": "Age", "minimum""#, r#""title": "Age", "default": "x", "minimum""#),
        "the `default` of `person.age`",
    ),
    (
        (r#""required": ["name", "email"]"#, r#""required": ["name", "email", "phone"]"#),
        "`person` requires `phone`, but has no such field",
    ),
    ((r#""format": "email""#, r#""format": "e-mail""#), "unknown format `e-mail`"),
    (
        (
            r#"{ name = { "$from" = "participant.name" }, email = "" }"#,
            r#"{ name = 5, email = "" }"#,
        ),
        "expected text in quotes",
    ),
    ((r#"{ name = { "$from""#, r#"{ nme = { "$from""#), "unknown key `nme`"),
    ((r#"data = { text = "" }"#, r#"data = { txt = "" }"#), "`note` has no field `txt`"),
    ((r#"save = "interests""#, r#"save = "note""#), "which `note` doesn't accept"),
    ((r#"expire_after = "14d""#, r#"expire_after = "0s""#), "this duration is zero"),
    ((r#"remind_after = ["24h", "72h"]"#, r#"remind_after = ["0h"]"#), "this duration is zero"),
    (
        (r#"remind_after = ["24h", "72h"]"#, r#"remind_after = ["72h", "24h"]"#),
        "would come before the previous one",
    ),
    (
        (r#"records = "180d""#, r#"records = "2d""#),
        "after 2 days it is deleted while a question may be open",
    ),
    ((r#"transcript = "180d""#, r#"transcript = "0d""#), "this duration is zero"),
    ((r#"expires = "72h""#, r#"expires = "0h""#), "this duration is zero"),
    ((r#"expires = "72h""#, r#"expires = "12h""#), "after the request has expired"),
    (
        (
            "[handoff]\n",
            r#"[handoff]
claim_reminder = "0s"
"#,
        ),
        "this duration is zero",
    ),
    ((r#"to = "08:00""#, r#"to = "20:00""#), "the quiet hours begin when they end"),
    (("max_mb = 5", "max_mb = 0"), "`max_mb` must be 1 or more"),
    (("max_files = 1", "max_files = 0"), "`max_files` must be 1 or more"),
    ((r#"accept = ["pdf", "txt"]"#, "accept = []"), "no file would be accepted"),
    (
        (r#"accept = ["pdf", "txt"]"#, r#"accept = ["pdf", "txtt"]"#),
        "`.txtt` files are not supported",
    ),
    (
        (r#"acceptedFormats = ["pdf"]"#, r#"acceptedFormats = ["pdf", "docx"]"#),
        "`details` accepts no `docx`",
    ),
    (
        (
            r#"[handoff]
channel = "recruiting_desk""#,
            "[handoff]",
        ),
        "this button offers a person, but nobody would be told",
    ),
    (
        ("{{ records.person.name }}", "{{ records.person.name | upcase }}"),
        "there is no filter `upcase`",
    ),
    (
        ("{{ records.person.name }}", "{{ upper(records.person.name) }}"),
        "`upper` is not defined here",
    ),
    (("{{ records.person.name }}", "{{ records.person.name.upper() }}"), "can't be called"),
    (("{{ records.person.name }}", "{{ records.person.nmae }}"), "`person` has no field `nmae`"),
    (
        ("answers.wants_note == 'yes'", "answers.wants_note == 'yess'"),
        "the answer to `wants_note` is never `yess`",
    ),
    (
        ("answers.wants_note == 'yes'", "answers.wants_note in ['yes', 'maybe']"),
        "the answer to `wants_note` is never `maybe`",
    ),
    (
        ("answers.wants_note == 'yes'", "answers.wants_nope == 'yes'"),
        "there is no step `wants_nope`",
    ),
    (
        ("'drive' in answers.topics", "'drives' in answers.topics"),
        "the answer to `topics` is never `drives`",
    ),
    (
        (
            r#"options = [ { id = "yes", label = "Yes" }, { id = "no", label = "No, thanks" } ]"#,
            r#"options = { "$each" = "records.person.name", "$as" = { id = "{{ index }}", label = "{{ item }}" }, "$also" = [ { id = "yes", label = "Yes" }, { id = "no", label = "No, thanks" } ], "$most" = 3 }"#,
        ),
        "`records.person.name` is not a list",
    ),
    ((r#"no = "@stop""#, r#"no = "agree""#), "`no` leads back to the same question"),
    ((r#"no = "@stop""#, r#"no = "@next""#), "the answer `no` leaves `consent_given` unmet"),
    (
        (r#"{ id = "ask", label"#, r#"{ id = "later", label = "Later" }, { id = "ask", label"#),
        "the answer `later` leaves `consent_given` unmet",
    ),
    (
        (
            r#"ask = "@handoff""#,
            r#"ask = "@handoff"
  yes = "@stop""#,
        ),
        "whatever completes `consent_given` also ends the conversation",
    ),
    ((r#"no = "@stop""#, r#"nope = "@stop""#), "this step never results in `nope`"),
    (
        (r#"label = "I don't agree""#, r#"label = "I agree""#),
        "`I agree` is also the label of `yes`",
    ),
    ((r#"decline = "Not now""#, r#"decline = "Start""#), "`Start` is also the label of `accept`"),
    ((r#"label = "I don't agree""#, r#"label = "<90>""#), "at most 75 can be shown"),
    (
        (r#"prompt = "Do you agree that we keep your details?""#, r#"prompt = "<5000>""#),
        "at most 3000 can be shown",
    ),
    ((r#"text = "**This is a bot**"#, r#"text = "<5000>"#), "at most 3000 can be shown"),
    ((r#"title = "About you""#, r#"title = "<300>""#), "at most 100 can be shown"),
    ((r#"title = "About you""#, r#"title = """#), "this text is empty"),
    ((r#"prompt = "Would you like to add a few words?""#, r#"prompt = """#), "this text is empty"),
    ((r#"label = "No, thanks""#, r#"label = """#), "this text is empty"),
    ((r#"accept = "Start""#, r#"accept = """#), "this text is empty"),
    (
        (r#"include = ["person", "note"]"#, r#"include = ["person", "writing_sample"]"#),
        "nothing in this flow collects `writing_sample`",
    ),
    (
        (
            r#"done = { reviewed = "person" }"#,
            r#"done = { saved = { data = "person", at_least = 3 } }"#,
        ),
        "no step saves `person` so often",
    ),
    (
        (
            r#"done = { reviewed = "person" }"#,
            r#"done = { saved = { data = "person", at_least = 0 } }"#,
        ),
        "this holds before anybody has done anything",
    ),
    (
        (
            r#"done = { reviewed = "note" }"#,
            r#"done = { any = [ { talked = 0 }, { reviewed = "note" } ] }"#,
        ),
        "this holds before anybody has done anything",
    ),
    (
        (r#"done = { reviewed = "note" }"#, "done = { talked = 3 }"),
        "a script has no conversation to count",
    ),
    (
        (
            r#"place = "private-thread"
parent = "welcome""#,
            r#"place = "private-thread""#,
        ),
        "there is no channel to open threads in",
    ),
    ((r#"place = "dm""#, r#"place = "channel-thread""#), "there is no channel to open threads in"),
    (
        (r#"commands = ["/volunteer"]"#, r#"commands = ["volunteer"]"#),
        "`volunteer` is not a slash command",
    ),
    (
        (
            r#"fallback = "script"
"#,
            "",
        ),
        "warning: without a model, a person of the team must lead `closing`",
    ),
    (
        (r#"approval = "recruiting_approvals""#, r#"approval = "recruitng_approvals""#),
        "the alias `recruitng_approvals` is not configured",
    ),
    ((r#"uploadType = "other""#, r#"uploadType = "others""#), "`others` is not one of"),
    (
        (
            r#"expires = "72h""#,
            r#"expires = "72h"
quorum = 0"#,
        ),
        "nobody would have to decide",
    ),
    (
        (
            r#"  [[phase.step]]
  id = "wants_note""#,
            r#"  [[phase.step]]
  id = "on"
  tool = "next_phase"
  args = { overrides = ["consent_given"] }

  [[phase.step]]
  id = "wants_note""#,
        ),
        "`consent_given` can't be passed over",
    ),
    (
        (
            r#"  [[phase.step]]
  id = "wants_note""#,
            r#"  [[phase.step]]
  id = "on"
  tool = "next_phase"
  args = { overrides = ["note_written"] }
  branch = { denied = "@stop" }

  [[phase.step]]
  id = "wants_note""#,
        ),
        "a denial with words has no branch",
    ),
    (
        (
            r#"id = "interests_known""#,
            r#"id = "interests_known"
  when = "answers.agre == 'yes'""#,
        ),
        "there is no step `agre`",
    ),
    (
        (
            r#"id = "closing"
title = "In your own words""#,
            r#"id = "closing"
title = "In your own words"
when = "records.person.agee > 18""#,
        ),
        "`person` has no field `agee`",
    ),
    (
        (
            r#"  include = ["person", "note"]"#,
            r#"  include = ["person", "note"]
  when = "answers.topics | lenght > 1""#,
        ),
        "there is no filter `lenght`",
    ),
    (
        (
            r#"{ id = "drive", label = "Drive" }"#,
            r#"{ id = "drive", label = "Drive", when = "answer.agree == 'yes'" }"#,
        ),
        "`answer` is not defined here",
    ),
    (
        (
            r#"{ id = "drive", label = "Drive" }"#,
            r#"{ id = "drive", label = "Drive", if = "answers.agree == 'yes'" }"#,
        ),
        "an option has no `if`",
    ),
    (
        (
            r#"{ id = "no", label = "No, thanks" } ]
  [phase.step.branch]
  no = "@skip"
  yes = "note_form""#,
            r#"{ id = "else", label = "No, thanks" } ]
  [phase.step.branch]
  else = "@skip"
  yes = "note_form""#,
        ),
        "`else` is an option here, and also the branch of everything else",
    ),
    (
        (
            r#"  tool = "get_user_option"
  save = "interests""#,
            r#"  save = "interests""#,
        ),
        "this step does nothing",
    ),
    (
        (
            r#"  save = "interests""#,
            r#"  save = "interests"
  set = { tries = "1" }"#,
        ),
        "a step either calls a tool or sets values",
    ),
    (
        (
            r#"  [[phase.step]]
  id = "licence""#,
            r#"  [[phase.step]]
  id = "count"
  set = { tries = "values.trys | default(0) + 1" }

  [[phase.step]]
  id = "licence""#,
        ),
        "there is no value `trys`",
    ),
    (
        (
            r#"  [[phase.step]]
  id = "licence""#,
            r#"  [[phase.step]]
  id = "count"
  set = { tries = ["1"] }

  [[phase.step]]
  id = "licence""#,
        ),
        "expected an expression",
    ),
    (
        (
            r#"{ id = "drive", label = "Drive" }"#,
            r#"{ id = "drive", label = "Drive", points = "2" }"#,
        ),
        "expected a whole number",
    ),
    (
        (r#"when = "answers.wants_note == 'yes'""#, r#"when = "score.details > 1""#),
        "the phase `details` has no points",
    ),
    (
        (
            r#"id = "consent"
title = "Consent""#,
            r#"id = "consent"
after = "7d"
title = "Consent""#,
        ),
        "no phase comes before this one",
    ),
    (
        (
            r#"id = "details"
title"#,
            r#"id = "details"
after = "200d"
title"#,
        ),
        "after 180 days the conversation is deleted",
    ),
    (
        (
            r#"id = "details"
title"#,
            r#"id = "details"
after = "seven days"
title"#,
        ),
        "is not a valid expression",
    ),
    (
        (
            r#"id = "details"
title"#,
            r#"id = "details"
after = "records.person.sinc"
title"#,
        ),
        "`person` has no field `sinc`",
    ),
    (
        (
            r#"  id = "topics""#,
            r#"  id = "topics"
  deadline = "0d""#,
        ),
        "this duration is zero",
    ),
    (
        ("you like to do, {{ records.person.name }}?", "you like to do on {{ todya }}?"),
        "did you mean `today`?",
    ),
    (
        (
            r#"when = "'drive' in answers.topics""#,
            r#"when = "records.person.since | day_since > 2""#,
        ),
        "did you mean `days_since`?",
    ),
];

/// Unusual, but valid.
const UNUSUAL: &[&[Edit]] = &[
    &[
        (
            "you like to do, {{ records.person.name }}?",
            "you like to do by {{ today | plus('1month') | date }}?",
        ),
        (
            r#"when = "'drive' in answers.topics""#,
            r#"when = "records.person.since | default(today) | days_until < 30 and now > '2020'""#,
        ),
    ],
    &[
        (
            r#"[[phase.step]]
  id = "licence""#,
            r#"[[phase.step]]
  id = "photos"
  tool = "get_user_option"
  args = { prompt = "May we take photos of you?", options = [ { id = "yes", label = "Yes" }, { id = "no", label = "No" } ] }

  [[phase.step]]
  id = "licence""#,
        ),
        (
            r#"[[phase.objective]]
  id = "interests_known""#,
            r#"[[phase.objective]]
  id = "photo_permission"
  title = "Photo permission"
  done = { answered = { step = "photos" } }

  [[phase.objective]]
  id = "interests_known""#,
        ),
    ],
    &[(
        r#"tool = "submit_for_validation""#,
        r#"tool = "submit_for_validation"
  branch = { rejected = "details_form" }"#,
    )],
    &[(
        r#"message = "Who are you?""#,
        r#"message = "Who are you, {% if platform == 'web' %}stranger{% else %}friend{% endif %}?""#,
    )],
    &[(r#"records = "180d""#, r#"records = "14d""#)],
    &[(r#"remind_after = ["24h", "72h"]"#, "remind_after = []")],
    &[(r#"from = "20:00", to = "08:00""#, r#"from = "12:00", to = "13:00""#)],
    &[(
        r#"title = "Consent"
mode = "script""#,
        r#"title = "Consent"
mode = "script"
next = "details""#,
    )],
    &[(
        r#"title = "Consent"
mode = "script""#,
        r#"title = "Consent"
mode = "script"
next = "closing""#,
    )],
    &[("{{ records.person.name }}", "{{ records.person.name | default('friend') | title }}")],
    &[("{{ records.person.name }}", "{{ 'a | upcase b' }}{{ 'is maybe(x)' }}")],
    &[(
        "{{ records.person.name }}",
        "{% for c in records.person.name %}{{ loop.index }}{{ loop.cycle('-', '+') }}{% endfor %}",
    )],
    &[(
        r#"when = "'drive' in answers.topics""#,
        r#"when = "'drive' not in answers.topics and answers.agree != 'no'""#,
    )],
    &[(
        r#"when = "answers.wants_note == 'yes'""#,
        r#"when = "answers.licence == 'skipped' or answers.licence == 'uploaded' or answers.wants_note == 'yes'""#,
    )],
    &[(r#"label = "No, thanks""#, r#"label = "I agree""#)],
    &[(r#"accept = ["pdf", "txt"]"#, r#"accept = ["PDF", "TXT"]"#)],
    &[
        (r#"{ id = "ask", label"#, r#"{ id = "later", label = "Not yet" }, { id = "ask", label"#),
        (
            r#"ask = "@handoff""#,
            r#"ask = "@handoff"
  later = "why""#,
        ),
        (
            "# ---------------------------------------------------------------- details",
            r#"  [[phase.step]]
  id = "why"
  tool = "get_user_option"
  when = "answers.agree == 'later'"
  args = { prompt = "We need it to write to you.", options = [ { id = "again", label = "Back" }, { id = "leave", label = "Leave" } ] }
  branch = { again = "agree", leave = "@stop" }"#,
        ),
    ],
    &[
        (
            r#"[notice]
text = "**This is a bot** of {{organisation}}. It keeps your answers for {{retention}}."
accept = "Start"
human = "Ask the team"
decline = "Not now"
"#,
            "",
        ),
        (
            r#"[handoff]
channel = "recruiting_desk""#,
            "",
        ),
        (r#"ask = "@handoff""#, r#"ask = "@stop""#),
    ],
    &[(
        r#"[start.discord]
panel = true
panel_title = "Would you like to help?"
panel_text = "Press Start. It takes two minutes."
place = "private-thread"
parent = "welcome"
"#,
        "",
    )],
    &[(
        r#"options = [ { id = "yes", label = "Yes" }, { id = "no", label = "No, thanks" } ]"#,
        r#"options = { "$each" = "answers.topics", "$as" = { id = "{{ item }}", label = "{{ item }}" }, "$also" = [ { id = "yes", label = "Yes" }, { id = "no", label = "No, thanks" } ], "$most" = 3 }"#,
    )],
    &[(r#"with = ["yes"] }"#, r#"with = ["yes", "ask"] }"#)],
    &[
        (
            r#"  [[phase.step]]
  id = "licence""#,
            r#"  [[phase.step]]
  id = "count"
  when = "'drive' in answers.topics"
  set = { wishes = "answers.topics | length", far = "score.details > 1 and points.topics > 1", sure = true }

  [[phase.step]]
  id = "licence""#,
        ),
        (
            r#"{ id = "drive", label = "Drive" }, { id = "teach", label = "Teach" }"#,
            r#"{ id = "drive", label = "Drive", points = 2, when = "records.person.age | default(18) >= 18" }, { id = "teach", label = "Teach", correct = true }"#,
        ),
    ],
    &[
        (
            r#"id = "closing"
title = "In your own words""#,
            r#"id = "closing"
when = "answers.topics"
title = "In your own words""#,
        ),
        (
            r#"  no = "@skip"
  yes = "note_form""#,
            r#"  else = "@skip"
  yes = "note_form""#,
        ),
        (
            r#"id = "certificate""#,
            r#"id = "certificate"
  when = "'drive' in answers.topics""#,
        ),
    ],
    &[(
        r#"  [[phase.step]]
  id = "licence""#,
        r#"  [[phase.step]]
  id = "words"
  tool = "request_user_input"
  deadline = "2d"
  args = { prompt = "Anything else?" }
  branch = { expired = "@stop" }

  [[phase.step]]
  id = "licence""#,
    )],
];

fn changed(edits: &[Edit]) -> String {
    edits.iter().fold(VALID.to_owned(), |flow, (from, to)| {
        assert!(flow.contains(from), "`{from}` is not in the flow");
        let words = |count: usize| "so many words ".chars().cycle().take(count).collect::<String>();
        let to = [90, 300, 5_000]
            .iter()
            .fold((*to).to_owned(), |to, count| to.replace(&format!("<{count}>"), &words(*count)));
        flow.replacen(from, &to, 1)
    })
}

/// Flows with one mistake each.
pub(super) fn mistaken() -> impl Iterator<Item = String> {
    let decisions = MISTAKEN_DECISIONS.iter().map(|(edit, _)| {
        let edits: Vec<Edit> = DECISION.iter().chain([edit]).copied().collect();
        changed(&edits)
    });
    MISTAKES.iter().map(|(edit, _)| changed(&[*edit])).chain(decisions)
}

/// Flows that are unusual but valid.
pub(super) fn unusual() -> impl Iterator<Item = String> {
    UNUSUAL.iter().map(|edits| changed(edits))
}

#[test]
fn nothing_is_said_about_the_valid_flow() {
    assert_eq!(said(VALID), "");
}

#[test]
fn each_mistake_is_found_with_its_line_and_what_to_do() {
    for (edit, expected) in MISTAKES {
        let said = said(&changed(&[*edit]));
        assert!(said.contains(expected), "{edit:?}: {said}");
        let is_placed =
            |line: &str| line.split(':').nth(1).is_some_and(|at| at.parse::<u32>().is_ok());
        assert!(said.lines().all(is_placed), "without a line: {said}");
    }
}

/// A decision, added to the valid flow.
const DECISION: &[Edit] = &[
    (
        "[handoff]",
        r#"[approvals.helper]
title = "Take {{ records.person.name }} on?"
deciders = "recruiting_approvals"
quorum = 2
then = [{ deciders = "recruiting_approvals" }]
show = ["person"]
expires = "5d"
approved = "Welcome, {{ records.person.name }}!"

[handoff]"#,
    ),
    (
        r#"  [[phase.step]]
  id = "licence""#,
        r#"  [[phase.step]]
  id = "decision"
  tool = "request_decision"
  args = { approval = "helper" }
  branch = { denied = "@stop", expired = "@handoff" }

  [[phase.effect]]
  do = "webhook"
  url_from = "ats_webhook"
  include = ["person"]
  on = "approved"

  [[phase.step]]
  id = "licence""#,
    ),
];

/// What is changed in it, and a part of what is said about that.
const MISTAKEN_DECISIONS: &[(Edit, &str)] = &[
    ((r#"approval = "helper""#, r#"approval = "helpr""#), "this flow has no decision `helpr`"),
    (
        ("  branch = { denied = \"@stop\", expired = \"@handoff\" }\n", ""),
        "who is denied would go on like who is approved",
    ),
    (
        (r#"{ denied = "@stop", expired"#, r#"{ refused = "@stop", expired"#),
        "this step never results in `refused`",
    ),
    ((r#"show = ["person"]"#, r#"show = ["persons"]"#), "this flow has no data `persons`"),
    (
        (
            r#"title = "Take {{ records.person.name }} on?""#,
            r#"title = "Take {{ records.person.nam }} on?""#,
        ),
        "`person` has no field `nam`",
    ),
    ((r#"title = "Take {{ records.person.name }} on?""#, r#"title = " ""#), "this text is empty"),
    (("quorum = 2", "quorum = 0"), "with a quorum of 0"),
    (
        (
            r#"{ deciders = "recruiting_approvals" }"#,
            r#"{ deciders = "recruiting_approvals", quorum = 0 }"#,
        ),
        "with a quorum of 0",
    ),
    (("quorum = 2", "qorum = 2"), "unknown key `qorum`"),
    ((r#"expires = "5d""#, r#"expires = "0d""#), "this duration is zero"),
    ((r#"on = "approved""#, r#"on = "aproved""#), "aproved"),
    (
        (
            r#"tool = "request_decision"
  args = { approval = "helper" }
  branch = { denied = "@stop", expired = "@handoff" }"#,
            "set = { a = 1 }",
        ),
        "nothing asks for a decision in this phase",
    ),
];

#[test]
fn mistakes_about_decisions_are_found() {
    let valid = changed(DECISION);
    assert_eq!(said(&valid), "");
    for ((from, to), expected) in MISTAKEN_DECISIONS {
        assert!(valid.contains(from), "`{from}` is not in the flow");
        let said = said(&valid.replacen(from, to, 1));
        assert!(said.contains(expected), "{to}: {said}");
    }
}

#[test]
fn an_unusual_but_valid_flow_is_not_refused() {
    for edits in UNUSUAL {
        let said = said(&changed(edits));
        assert!(said.lines().all(|line| line.contains(": warning: ")), "{edits:?}: {said}");
    }
}
