//! Flows whose texts, names and ways say what the author meant, and that do something else.

use super::said;

/// A valid flow.
const VALID: &str = include_str!("../../fixtures/flows/volunteers.toml");

/// What is replaced, and by what.
type Edit = (&'static str, &'static str);

/// The head of the step that asks for a licence.
const LICENCE: &str = "  [[phase.step]]\n  id = \"licence\"";

/// Where steps and phases are added.
const NOTE: &str =
    "# ---------------------------------------------------------------- a note\n[[phase]]";

/// Changes to the valid flow, and a part of what is said; nothing is said where that is empty.
const CASES: &[(&[Edit], &str)] = &[
    (
        &[(
            "prompt = \"What would you like to do",
            "minChoices = 2\n  prompt = \"Pick one. What would you like to do",
        )],
        "warning: the text asks for 1, and 2 or more must be picked",
    ),
    (
        &[(
            "prompt = \"What would you like to do",
            "maxChoices = 2\n  prompt = \"Please choose three. What would you like to do",
        )],
        "warning: the text asks for 3, and at most 2 can be picked",
    ),
    (
        &[(
            "prompt = \"What would you like to do",
            "minChoices = 2\n  prompt = \"Pick two or three. What would you like to do",
        )],
        "",
    ),
    (
        &[("send a copy of your driving licence.", "send a photo of your driving licence.")],
        "warning: this asks for a picture, and pictures are refused. hint: accepted: `pdf`",
    ),
    (&[("send a copy of your driving licence.", "send your photo ID.")], ""),
    (
        &[
            (
                "{ id = \"teach\", label = \"Teach\" }",
                "{ id = \"teach\", label = \"Teach\", points = 2 }",
            ),
            (
                "What would you like to do, {{ records.person.name }}?",
                "What would you like to do? There are five points.",
            ),
        ],
        "warning: this speaks of 5 points, and there are 2 in this phase",
    ),
    (
        &[(
            "title = \"In your own words\"",
            "title = \"In your own words\"\nafter = \"28h\"\nintro = \"You joined four weeks ago.\"",
        )],
        "warning: this begins after 28 hours, and the text says four weeks",
    ),
    (
        &[(
            "title = \"In your own words\"",
            "title = \"In your own words\"\nafter = \"28d\"\nintro = \"You joined four weeks ago.\"",
        )],
        "",
    ),
    (
        &[(
            LICENCE,
            "  [[phase.step]]\n  id = \"guardian\"\n  tool = \"request_user_input\"\n  when = \"records.person.since and records.person.since | age > 18\"\n  args = { prompt = \"You are under 18. Who looks after you?\" }\n\n  [[phase.step]]\n  id = \"licence\"",
        )],
        "warning: people older than 18 read that they are younger",
    ),
    (
        &[("**This is a bot** of {{organisation}}.", "Hi, I'm **Maria** of {{organisation}}.")],
        "warning: people would think that a person writes to them",
    ),
    (
        &[(
            "**This is a bot** of {{organisation}}.",
            "Hi, I'm **Robin**, the bot of {{organisation}}.",
        )],
        "",
    ),
    (
        &[(
            "This is a bot** of {{organisation}}. It keeps your answers",
            "This is a bot** of {{organisation}}. It takes two minutes and keeps your answers",
        )],
        "",
    ),
    (
        &[("with = [\"yes\"] }", "with = [\"yes\", \"ask\"] }")],
        "warning: the answer `ask`, “I have a question”, would complete `consent_given`",
    ),
    (
        &[
            ("label = \"I agree\"", "label = \"I don't agree\""),
            ("{ id = \"no\", label = \"I don't agree\"", "{ id = \"no\", label = \"I agree\""),
        ],
        "hint: see whether the labels are swapped",
    ),
    (
        &[("skip = \"never\"", "skip = \"participant\"")],
        "warning: people may skip `consent_given`, and go on without it",
    ),
    (
        &[(
            "\"age\":   { \"type\": \"integer\", \"title\": \"Age\", \"minimum\": 16, \"maximum\": 120 }",
            "\"age\":   { \"type\": \"integer\", \"title\": \"Telephone\" }",
        )],
        "warning: `person.age` is a number: a `+` or a zero at its front would be lost",
    ),
    (
        &[
            ("\"title\": \"Note\"", "\"title\": \"Medication\""),
            ("[data.note]\n", "[data.note]\nsensitivity = \"none\"\n"),
        ],
        "warning: `text` says something about a person. hint: set `sensitivity = \"special\"`",
    ),
    (
        &[
            ("\"title\": \"Free from\"", "\"title\": \"Date of birth\""),
            (
                "title = \"In your own words\"",
                "title = \"In your own words\"\nafter = \"records.person.since\"",
            ),
        ],
        "warning: `records.person.since` has passed already, so this comes at once",
    ),
    (
        &[
            ("\"title\": \"Free from\"", "\"title\": \"Born on\""),
            ("'drive' in answers.topics", "records.person.since | days_until > 730"),
        ],
        "warning: `records.person.since | days_until` is never above 0",
    ),
    (
        &[(
            "What would you like to do, {{ records.person.name }}?",
            "What would you like to do, {{ records.person }}?",
        )],
        "`{{ records.person }}` would be shown as raw data. hint: name a field: `person.name`",
    ),
    (
        &[(
            "Would you like to add a few words?",
            "You said {{ results.agree }}. Would you like to add a few words?",
        )],
        "`{{ results.agree }}` would be shown as raw data. hint: write `labels.agree`",
    ),
    (
        &[(
            "'drive' in answers.topics",
            "not records.person.since and records.person.since | age >= 18",
        )],
        "warning: `not` is about `records.person.since` alone here",
    ),
    (
        &[
            ("[start.slack]\ncommands = [\"/volunteer\"]\nplace = \"dm\"\n", ""),
            ("'drive' in answers.topics", "platform == 'slack'"),
        ],
        "warning: this flow has no `[start.slack]`",
    ),
    (
        &[(
            "include = [\"person\", \"note\"]\n",
            "include = [\"person\", \"note\"]\n\n  [[phase.effect]]\n  do = \"discord_add_roles_from\"\n  step = \"topics\"\n  map = { cook = \"cooks\", drive = \"drivers\" }\n",
        )],
        "warning: whoever picks `teach` gets no role. hint: add `teach` to the map",
    ),
    (
        &[(
            "include = [\"person\", \"note\"]\n",
            "include = [\"person\", \"note\"]\n\n  [[phase.effect]]\n  do = \"discord_add_role\"\n  role = \"helper\"\n  on = \"stopped\"\n",
        )],
        "warning: `helper` is given to people who stop, and none to those who go on",
    ),
    (
        &[(
            LICENCE,
            "  [[phase.step]]\n  id = \"cost\"\n  set = { cost = \"2 * 20\" }\n\n  [[phase.step]]\n  id = \"sure\"\n  tool = \"get_user_option\"\n  args = { prompt = \"It costs {{ values.cost }} €. Is that right?\", options = [{ id = \"yes\", label = \"Yes\" }, { id = \"no\", label = \"Change it\" }] }\n  branch = { no = \"cost\" }\n\n  [[phase.step]]\n  id = \"licence\"",
        )],
        "warning: `no` leads back to `sure`, and nothing else is asked",
    ),
    (
        &[(
            LICENCE,
            "  [[phase.step]]\n  id = \"sure\"\n  tool = \"get_user_option\"\n  args = { prompt = \"Is that right?\", options = [{ id = \"yes\", label = \"Yes\" }, { id = \"no\", label = \"Change it\" }] }\n  branch = { no = \"topics\" }\n\n  [[phase.step]]\n  id = \"licence\"",
        )],
        "",
    ),
    (
        &[
            (
                "{ id = \"no\", label = \"I don't agree\" }",
                "{ id = \"stop\", label = \"I don't agree\" }",
            ),
            ("no = \"@stop\"", "stop = \"@stop\""),
            (
                LICENCE,
                "  [[phase.step]]\n  id = \"late\"\n  tool = \"get_user_option\"\n  when = \"'teach' in answers.topics\"\n  args = { prompt = \"Lessons have begun. Would you still like to?\", options = [{ id = \"yes\", label = \"Yes\" }, { id = \"stop\", label = \"Stop here\" }] }\n  branch = { stop = \"licence\" }\n\n  [[phase.step]]\n  id = \"licence\"",
            ),
        ],
        "warning: `stop` ends the conversation elsewhere, and here it leads on",
    ),
    (
        &[(
            LICENCE,
            "  [[phase.step]]\n  id = \"cv\"\n  tool = \"get_user_upload\"\n  args = { prompt = \"Your résumé, please.\", uploadType = \"other\", required = true }\n\n  [[phase.step]]\n  id = \"read\"\n  tool = \"extract_document\"\n  args = { artifact_id = { \"$from\" = \"results.cv.uploads[0].id\" } }\n  branch = { partial = \"licence\" }\n\n  [[phase.step]]\n  id = \"unread\"\n  tool = \"request_user_input\"\n  args = { prompt = \"I could not read that. What should I know?\" }\n\n  [[phase.step]]\n  id = \"licence\"",
        )],
        "warning: a file that was read leads to `unread`, as one that couldn't be. hint: add a branch for `ok`",
    ),
    (
        &[
            ("[data.note]\n", "[data.note]\nsensitivity = \"special\"\n"),
            (
                NOTE,
                "[[phase]]\nid = \"privacy\"\ntitle = \"Privacy\"\nmode = \"script\"\nobjective = [{ id = \"privacy\", title = \"Privacy\", skip = \"never\", done = { answered = { step = \"private\", with = [\"yes\"] } } }]\nstep = [{ id = \"private\", tool = \"get_user_option\", args = { prompt = \"May we keep this?\", options = [{ id = \"yes\", label = \"Yes\" }, { id = \"no\", label = \"No\" }] }, branch = { no = \"@stop\" } }]\n\n[[phase]]",
            ),
            (
                "id = \"consent_given\"\n  title = \"Consent\"",
                "id = \"greeted\"\n  title = \"Greeted\"",
            ),
        ],
        "is stored before people are asked for `privacy`",
    ),
    (
        &[(
            "tools = [\"get_user_option\", \"submit_for_validation\", \"next_phase\"]\nprompt = \"",
            "tools = [\"get_user_option\", \"submit_for_validation\", \"next_phase\", \"deploy_agent\"]\nagents = [\"code_analysis\"]\nprompt = \"Let knowledge_card_generation write a card. ",
        )],
        "warning: the prompt speaks of `knowledge_card_generation`, which is not among `agents`",
    ),
    (
        &[(
            "prompt = \"What would you like to do",
            "maxChoices = 1\n  prompt = \"Pick up to three. What would you like to do",
        )],
        "warning: the text asks for 3, and at most 1 can be picked",
    ),
    (
        &[(
            "prompt = \"What would you like to do",
            "maxChoices = 3\n  minChoices = 2\n  prompt = \"Pick up to three. What would you like to do",
        )],
        "",
    ),
    (
        &[
            ("'drive' in answers.topics", "records.person.since > today"),
            (
                "Please send a copy of your driving licence.",
                "Your licence expired. Please send a new one.",
            ),
        ],
        "warning: the text speaks of a day that has passed, and here it is to come",
    ),
    (
        &[
            ("'drive' in answers.topics", "records.person.since < today"),
            (
                "Please send a copy of your driving licence.",
                "That day is still to come. Please send your licence.",
            ),
        ],
        "warning: the text speaks of a day that is to come, and here it has passed",
    ),
    (
        &[("**This is a bot** of {{organisation}}.", "**This is an AI** of {{organisation}}.")],
        "warning: without a model, this is not true: a script asks then",
    ),
    (
        &[(
            "title = \"Certificate\"\n  required = false\n  skip = \"participant\"",
            "title = \"Certificate\"\n  when = \"'drive' in answers.topics\"",
        )],
        "warning: this can be skipped, and `certificate` needs it, so the same question comes again",
    ),
    (
        &[
            ("\"title\": \"Age\",", "\"title\": \"Age\", \"visibleTo\": [\"hooks\"],"),
            ("include = [\"person\"]", "include = [\"note\"]"),
        ],
        "warning: a field of `person` is for web hooks only, and none sends it",
    ),
    (
        &[("title = \"In your own words\"", "title = \"In your own words\"\nafter = \"2m\"")],
        "warning: this begins after only 2 minutes. hint: `m` is minutes",
    ),
    (
        &[(
            LICENCE,
            "  [[phase.step]]\n  id = \"one\"\n  tool = \"get_user_option\"\n  args = { prompt = \"Red?\", options = [{ id = \"a\", label = \"Halt\", correct = true }, { id = \"b\", label = \"Go\" }] }\n\n  [[phase.step]]\n  id = \"two\"\n  tool = \"get_user_option\"\n  args = { prompt = \"Green?\", options = [{ id = \"a\", label = \"Halt\" }, { id = \"b\", label = \"Go\", correct = true }] }\n\n  [[phase.step]]\n  id = \"retry\"\n  tool = \"get_user_option\"\n  when = \"score.details < 2\"\n  args = { prompt = \"Again?\", options = [{ id = \"yes\", label = \"Yes\" }, { id = \"no\", label = \"No\" }] }\n  branch = { yes = \"two\", no = \"@stop\" }\n\n  [[phase.step]]\n  id = \"licence\"",
        )],
        "warning: `one`, which has points as well, is not asked again",
    ),
    (
        &[(
            "title = \"Consent\"\nmode = \"script\"",
            "title = \"Consent\"\nwhen = \"platform == 'slack'\"\nmode = \"script\"",
        )],
        "warning: only some people are asked for `consent_given`",
    ),
    (
        &[(
            LICENCE,
            "  [[phase.step]]\n  id = \"seen\"\n  tool = \"get_user_option\"\n  deadline = \"3d\"\n  args = { prompt = \"Have you seen an accident?\", options = [{ id = \"yes\", label = \"Yes\" }, { id = \"no\", label = \"No\" }] }\n  branch = { yes = \"tell\", no = \"licence\", expired = \"tell\" }\n\n  [[phase.step]]\n  id = \"tell\"\n  tool = \"request_user_input\"\n  args = { prompt = \"What happened?\" }\n\n  [[phase.step]]\n  id = \"licence\"",
        )],
        "warning: whoever doesn't answer goes on to `tell`, like a yes",
    ),
    (
        &[(
            LICENCE,
            "  [[phase.step]]\n  id = \"job\"\n  tool = \"get_user_option\"\n  deadline = \"3d\"\n  args = { prompt = \"How was it?\", options = [{ id = \"good\", label = \"Good\" }, { id = \"bad\", label = \"Not good\" }] }\n  branch = { good = \"licence\", bad = \"why\", expired = \"licence\" }\n\n  [[phase.step]]\n  id = \"why\"\n  tool = \"request_user_input\"\n  args = { prompt = \"What went wrong?\" }\n\n  [[phase.step]]\n  id = \"licence\"",
        )],
        "",
    ),
    // Somebody may want to read it again.
    (
        &[(
            LICENCE,
            "  [[phase.step]]\n  id = \"tip\"\n  tool = \"get_user_option\"\n  args = { prompt = \"Lift with your legs.\", options = [{ id = \"ok\", label = \"Understood\" }, { id = \"again\", label = \"Say it again\" }] }\n  branch = { again = \"tip\" }\n\n  [[phase.step]]\n  id = \"licence\"",
        )],
        "warning: `again` leads back to the same question",
    ),
    // Nothing can be passed over, so nobody has to decide about it.
    (
        &[
            ("[approvals.override]\nchannel = \"recruiting_approvals\"\nexpires = \"72h\"\n", ""),
            ("title = \"Your details\"", "title = \"Your details\"\n  skip = \"never\""),
        ],
        "",
    ),
];

/// A decision between two other steps, with a part of what is said.
const DECIDED: &[(&str, &str)] = &[
    (
        r#"{ id = "decide", tool = "request_decision", args = { approval = "helper" }, branch = { approved = "keys", denied = "sorry", expired = "@handoff" } },
  { id = "sorry", tool = "request_user_input", args = { prompt = "Not this time. May we write to you later?" } },
  { id = "keys", tool = "request_user_input", args = { prompt = "When will you collect the keys?" } },"#,
        "warning: who is denied reads `sorry`, and then `keys`",
    ),
    (
        r#"{ id = "decide", tool = "request_decision", args = { approval = "helper" }, branch = { approved = "keys", denied = "sorry", expired = "@handoff" } },
  { id = "sorry", tool = "request_user_input", args = { prompt = "Not this time. May we write to you later?" }, branch = { else = "@stop" } },
  { id = "keys", tool = "request_user_input", args = { prompt = "When will you collect the keys?" } },"#,
        "",
    ),
    (
        r#"{ id = "decide", tool = "request_decision", args = { approval = "helper" }, branch = { denied = "@stop", expired = "@handoff" } },
  { id = "size", tool = "submit_for_validation", args = { dataType = "shirt", message = "Which size?", data = {} } },"#,
        "this asks for a decision before `shirt` is stored. hint: move it behind the step",
    ),
    (
        r#"{ id = "lead", tool = "get_user_option", args = { prompt = "Would you like to lead?", options = [{ id = "yes", label = "Yes" }, { id = "no", label = "Not now" }] }, branch = { no = "decide" } },
  { id = "decide", tool = "request_decision", args = { approval = "helper" }, branch = { denied = "@stop", expired = "@handoff" } },"#,
        "warning: `no` says no, and leads to the request `decide`",
    ),
];

fn edited(edits: &[Edit]) -> String {
    edits.iter().fold(VALID.to_owned(), |flow, (from, to)| {
        assert!(flow.contains(from), "`{from}` is not in the flow");
        flow.replacen(from, to, 1)
    })
}

fn decided(steps: &str) -> String {
    let approval = "[approvals.helper]\ntitle = \"Take them on?\"\ndeciders = \"recruiting_approvals\"\nshow = [\"person\", \"shirt\"]\n\n[data.shirt]\nfields = { size = { type = \"text\", title = \"Size\" } }\n\n[handoff]";
    let approval = if steps.contains("shirt") {
        approval.to_owned()
    } else {
        approval.replacen(", \"shirt\"", "", 1)
    };
    let flow = VALID.replacen("[handoff]", &approval, 1);
    format!(
        "{flow}\n[[phase]]\nid = \"decision\"\ntitle = \"Decision\"\nmode = \"script\"\nstep = [\n  {steps}\n]\n"
    )
}

/// Flows with one mistake each.
pub(super) fn all() -> impl Iterator<Item = String> {
    CASES
        .iter()
        .map(|(edits, _)| edited(edits))
        .chain(DECIDED.iter().map(|(steps, _)| decided(steps)))
}

#[test]
fn contradictions_of_texts_names_and_branches_are_told() {
    for (edits, expected) in CASES {
        let said = said(&edited(edits));
        assert!(said.contains(expected), "{edits:?}: {said}");
        assert!(!expected.is_empty() || said.is_empty(), "{edits:?}: {said}");
    }
}

#[test]
fn decisions_whose_ways_run_together_are_told() {
    for (steps, expected) in DECIDED {
        let said = said(&decided(steps));
        assert!(said.contains(expected), "{steps}: {said}");
        assert!(!expected.is_empty() || said.is_empty(), "{steps}: {said}");
    }
}
