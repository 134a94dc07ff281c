//! Flows that do to people what their texts don't say: bounds that a hint exceeds, silence that counts as a yes, a refusal
//! that completes something, a name below what was promised to be anonymous. And what looks wrong, and isn't.

use super::{promises::changed, rehearsal::checked_whole, said};

/// A valid flow.
const VALID: &str = include_str!("../../fixtures/flows/courses.toml");

/// What is replaced, and by what, one after the other.
type Edits = &'static [(&'static str, &'static str)];

/// The place of a field, a table, a step and an effect.
const FIELD: &str = "boat = {";
const TABLE: &str = "[handoff]";
const STEP: &str = "  { id = \"mail\", tool";
const EFFECT: &str = "effect = [\n";

const MAY_POST: &str = "  { id = \"post\", tool = \"get_user_option\", args = { prompt = \"Do you object to a post about you?\", options = [{ id = \"yes\", label = \"Yes\" }, { id = \"no\", label = \"No\" }] } },\n  { id = \"mail\", tool";

const APPROVAL: &str = "[approvals.place]\ntitle = \"A place?\"\ndeciders = \"staff_approvals\"\nshow = [\"name\"]\napproved = \"Sorry, this course takes nobody any more.\"\ndenied = \"You start on Monday!\"\nexpired = \"Nobody has decided.\"\n\n[handoff]";

const DECIDED: &str = "  { id = \"decide\", tool = \"request_decision\", args = { approval = \"place\" }, branch = { denied = \"@stop\", expired = \"@handoff\" } },\n  { id = \"mail\", tool";

/// Changes to the valid flow, and a part of what is said.
const CASES: &[(Edits, &str)] = &[
    (
        &[(
            FIELD,
            "boats = { type = \"number\", title = \"How many boats?\", help = \"Up to 1,200 of them.\", max = 12 }\nboat = {",
        )],
        "warning: the text says up to 1200, and at most 12 is accepted. hint: change the text or the bound",
    ),
    (
        &[(
            FIELD,
            "boats = { type = \"number\", title = \"How many boats? At least 2\", min = 20 }\nboat = {",
        )],
        "warning: the text says at least 2, and at least 20 is accepted",
    ),
    (
        &[(
            FIELD,
            "boats = { type = \"number\", title = \"How many boats?\", help = \"Up to 1,200 of them.\", max = 1200 }\nboat = {",
        )],
        "",
    ),
    (
        &[(
            "prompt = \"What is your e-mail address?\"",
            "prompt = \"What is your e-mail address? Up to 80 characters.\", maxLength = 8",
        )],
        "warning: the text says up to 80 characters, and at most 8 characters is accepted",
    ),
    (
        &[
            (
                "{ id = \"news\", tool = \"get_user_option\",",
                "{ id = \"news\", tool = \"get_user_option\", deadline = \"2d\",",
            ),
            ("answers.news == 'yes'", "answers.news != 'no'"),
        ],
        "warning: this happens for those as well who let the question lapse. hint: compare with the answer that allows it",
    ),
    (
        &[
            ("read our news?\",", "read our news?\", required = false,"),
            ("answers.news == 'yes'", "answers.news != 'no'"),
        ],
        "warning: this happens for those as well who skip the question",
    ),
    (&[("answers.news == 'yes'", "answers.news != 'no'")], ""),
    (
        &[("after = \"records.visit.first\"", "after = \"records.name.name\"")],
        "`records.name.name` is not a day. hint: write `type = \"date\"` in its field",
    ),
    (
        &[
            (
                "Please choose {{ today | plus('2d') | date }} or later.",
                "Please choose another one.",
            ),
            ("days_until < 2 or records.visit.first | days_until > 60", "days_since < 2"),
        ],
        "warning: this is true of every day that is to come. hint: write `days_until`",
    ),
    (
        &[
            (
                "channel = \"staff_approvals\"\n\n[handoff]",
                "decider = \"participant\"\n\n[handoff]",
            ),
            ("title = \"Name\", done", "title = \"Diving certificate\", done"),
        ],
        "warning: people may let themselves past `name_known`",
    ),
    (
        &[("channel = \"staff_approvals\"\n\n[handoff]", "decider = \"participant\"\n\n[handoff]")],
        "",
    ),
    (
        &[
            (
                "{ id = \"sport_known\", title = \"Sport\",",
                "{ id = \"rules_read\", title = \"Rules\", skip = \"never\", done = { answered = { step = \"rules\" } } },\n  { id = \"sport_known\", title = \"Sport\",",
            ),
            (
                STEP,
                "  { id = \"rules\", tool = \"get_user_option\", args = { prompt = \"Never dive alone. Do you keep to that?\", options = [{ id = \"yes\", label = \"I do\" }, { id = \"no\", label = \"I don't\" }] } },\n  { id = \"mail\", tool",
            ),
        ],
        "the answer `no`, “I don't”, would complete `rules_read`",
    ),
    (
        &[
            (TABLE, APPROVAL),
            (
                "approved = \"Sorry, this course takes nobody any more.\"\ndenied = \"You start on Monday!\"",
                "approved = \"You start on Monday.\"\ndenied = \"This time it's full.\"",
            ),
            (
                "\"$from\" = \"participant.name\" } } } },\n",
                "\"$from\" = \"participant.name\" } } }, branch = { rejected = \"decide\" } },\n",
            ),
            (STEP, DECIDED),
        ],
        "warning: whoever starts over is led on to the request `decide`, and nothing was sent. hint: lead it to `name_form`",
    ),
    (
        &[(TABLE, APPROVAL), (STEP, DECIDED)],
        "warning: this reads like a refusal, and `denied` doesn't. hint: swap `approved` and `denied`",
    ),
    (
        &[
            (
                "prompt = \"Can you swim?\"",
                "prompt = \"Nobody may dive with a cold. Does that, or anything like it, apply to you?\"",
            ),
            (
                "branch = { no = \"@handoff\" } },\n  { id = \"mail\"",
                "branch = { no = \"@stop\" } },\n  { id = \"mail\"",
            ),
        ],
        "warning: whoever the text excludes goes on, and everybody else is stopped. hint: lead `yes` there instead",
    ),
    (
        &[
            (STEP, MAY_POST),
            (
                EFFECT,
                "effect = [\n  { do = \"discord_post\", channel = \"introductions\", data = \"name\", when = \"answers.post == 'yes'\" },\n",
            ),
        ],
        "warning: this happens for those who object to it. hint: reverse the comparison with `yes`",
    ),
    (
        &[
            (STEP, MAY_POST),
            (
                EFFECT,
                "effect = [\n  { do = \"discord_post\", channel = \"introductions\", data = \"name\", when = \"answers.post == 'no'\" },\n",
            ),
        ],
        "",
    ),
    (
        &[
            (
                "The insurance gets your name and nothing else.",
                "What you write is posted, and nobody learns who wrote it.",
            ),
            (
                EFFECT,
                "effect = [\n  { do = \"discord_post\", channel = \"introductions\", data = \"name\", mention_participant = true },\n",
            ),
        ],
        "warning: a text promises “nobody learns who”, and this names them",
    ),
    (
        &[(
            "after = \"80d\"\n",
            "after = \"80d\"\nintro = \"Hello {{ records.name.name }}, {{organisaton}} writes again.\"\n",
        )],
        "`{{organisaton}}` is not declared",
    ),
    (
        &[("after = \"80d\"\n", "after = \"80d\"\nintro = \"Hello {{ records.name.nmae }}.\"\n")],
        "`name` has no field `nmae`",
    ),
    (
        &[(
            "after = \"80d\"\n",
            "after = \"80d\"\nintro = \"Hello {{ records.name.name | default('') }}.\"\n",
        )],
        "",
    ),
    (
        &[(
            "id = \"name_known\", title = \"Name\", done = { reviewed = \"name\" }",
            "id = \"agreed\", title = \"Consent\", done = { any = [{ answered = { step = \"swims\", with = [\"yes\"] } }, { reviewed = \"name\" }] }",
        )],
        "warning: `agreed` is completed by the form `name` as well, without a yes. hint: write `all` instead of `any`",
    ),
    (
        &[
            (
                "{ id = \"come\", label = \"I'm on my way\" }",
                "{ id = \"come\", label = \"I'm on my way\" }, { id = \"drive\", label = \"I drive (from 18)\", when = \"records.name.born and records.name.born | age < 18\" }",
            ),
            (FIELD, "born = { type = \"date\", title = \"Date of birth\" }\nboat = {"),
        ],
        "warning: people younger than 18 read that they are older. hint: reverse the comparison",
    ),
    (
        &[
            (
                "{ id = \"come\", label = \"I'm on my way\" }",
                "{ id = \"come\", label = \"I'm on my way\" }, { id = \"drive\", label = \"I drive (under 18)\", when = \"records.name.born and records.name.born | age < 18\" }",
            ),
            (FIELD, "born = { type = \"date\", title = \"Date of birth\" }\nboat = {"),
        ],
        "",
    ),
    (
        &[(
            STEP,
            "  { id = \"parent\", tool = \"submit_for_validation\", args = { dataType = \"name\", message = \"And who is your mother?\", data = {} } },\n  { id = \"mail\", tool",
        )],
        "warning: this overwrites what `name_form` has stored as `name`. hint: give it data of its own",
    ),
    (
        &[
            (
                STEP,
                "  { id = \"again\", tool = \"submit_for_validation\", args = { dataType = \"name\", message = \"Is this still right?\", data = { \"$from\" = \"records.name\" } } },\n  { id = \"mail\", tool",
            ),
            (
                "{ id = \"again\", tool = \"get_user_option\", args = { prompt = \"Would",
                "{ id = \"more\", tool = \"get_user_option\", args = { prompt = \"Would",
            ),
        ],
        "",
    ),
    (
        &[
            (TABLE, APPROVAL),
            (
                "approved = \"Sorry, this course takes nobody any more.\"\ndenied = \"You start on Monday!\"",
                "approved = \"You start on Monday.\"\ndenied = \"This time it's full.\"",
            ),
            (STEP, DECIDED),
            (
                "branch = { denied = \"@stop\", expired = \"@handoff\" } },",
                "branch = { approved = \"hello\", denied = \"next_year\", expired = \"@handoff\" } },\n  { id = \"next_year\", tool = \"get_user_option\", args = { prompt = \"May we write next year?\", options = [{ id = \"yes\", label = \"Yes\" }, { id = \"no\", label = \"No\" }] }, branch = { no = \"@stop\" } },\n  { id = \"hello\", tool = \"request_user_input\", args = { prompt = \"Welcome aboard! What do you eat?\" } },",
            ),
        ],
        "warning: people who are denied come to `hello`, a welcome. hint: end with a branch to `@stop`",
    ),
    (
        &[
            (
                "{ id = \"come\", label = \"I'm on my way\" }, ",
                "{ id = \"come\", label = \"I'm on my way\" }, { id = \"drive\", label = \"I drive (18+)\", when = \"records.name.born and records.name.born >= (today | minus('18y'))\" }, ",
            ),
            (FIELD, "born = { type = \"date\", title = \"Date of birth\" }\nboat = {"),
        ],
        "warning: people younger than 18 read that they are older",
    ),
    (
        &[(
            "label = \"I'm on my way\" }, ",
            "label = \"I'm on my way\", when = \"not (records.name.boat)\" }, { id = \"row\", label = \"I row\", when = \"records.name.boat\" }, ",
        )],
        "",
    ),
    (
        &[(
            "label = \"I'm on my way\" }, ",
            "label = \"I'm on my way\", when = \"not records.name.boat\" }, ",
        )],
        "warning: this may yield only 1 entry; at least 2 are required. hint: add entries without `when`",
    ),
    (
        &[
            (
                "title = \"Sport\", done = { answered = { step = \"sport\" } }",
                "title = \"Sport\", done = { answered = { step = \"sport\" } } },\n  { id = \"swimmer\", title = \"Swimming\", skip = \"participant\", done = { answered = { step = \"swims\", with = [\"yes\"] } }",
            ),
            (
                "branch = { no = \"@handoff\" } },\n  { id = \"mail\"",
                "branch = { no = \"@stop\" } },\n  { id = \"mail\"",
            ),
        ],
        "warning: `no` ends the conversation, and whoever skips `swimmer` goes on. hint: set `skip = \"never\"`",
    ),
    (
        &[
            (
                "The insurance gets your name and nothing else.",
                "Only the two trainers read what you write.",
            ),
            (
                EFFECT,
                "effect = [\n  { do = \"discord_post\", channel = \"introductions\", data = \"name\" },\n",
            ),
        ],
        "warning: the notice promises it to the two trainers only, and it is posted in `introductions`",
    ),
];

fn edited(edits: Edits) -> String {
    changed(VALID, edits)
}

/// Flows with one mistake each.
pub(super) fn all() -> impl Iterator<Item = String> {
    CASES.iter().map(|(edits, _)| edited(edits))
}

#[test]
fn what_happens_to_people_is_compared_with_what_they_are_told() {
    for (edits, expected) in CASES {
        let said = said(&edited(edits));
        assert!(said.contains(expected), "{edits:?}: {said}");
        assert!(!expected.is_empty() || said.is_empty(), "{edits:?}: {said}");
    }
}

#[test]
fn an_intro_with_nothing_in_it_is_found_on_the_way_there() {
    let optional = "nick = { type = \"text\", title = \"Nickname\", required = false }\nboat = {";
    let with = |intro: &str| {
        let flow = VALID.replacen(FIELD, optional, 1);
        flow.replacen("after = \"80d\"\n", &format!("after = \"80d\"\nintro = \"{intro}\"\n"), 1)
    };
    let (said, _) = checked_whole(&with("Hello {{ records.name.nick }}."));
    assert!(said.contains("records.name.nick"), "{said}");
    let (said, _) = checked_whole(&with("Until {{ records.name.nick | date }}."));
    assert!(said.contains("can't"), "{said}");
    assert_eq!(checked_whole(&with("Hello {{ records.name.nick | default('you') }}.")).0, "");
}

#[test]
fn a_phase_for_some_that_leads_past_the_next_leaves_it_to_the_others() {
    let flow = VALID
        .replacen("id    = \"later\"", "id    = \"child\"\ntitle = \"Who comes along\"\nmode  = \"script\"\nobjective = [{ id = \"adult\", title = \"Who comes along\", skip = \"never\", done = { answered = { step = \"along\", with = [\"parent\", \"other\"] } } }]\nstep = [{ id = \"along\", tool = \"get_user_option\", args = { prompt = \"Who comes with you?\", options = [{ id = \"parent\", label = \"My parents\" }, { id = \"other\", label = \"Somebody else\" }] } }]\n\n[[phase]]\nid    = \"later\"", 1)
        .replacen("after = \"records.visit.first\"", "when = \"records.name.boat\"\nnext = \"later\"", 1);
    assert_eq!(checked_whole(&flow), (String::new(), false));
    let always = flow.replacen("when = \"records.name.boat\"\n", "", 1);
    assert!(said(&always).contains("`child` is never reached"), "{}", said(&always));
}

#[test]
fn an_empty_list_in_a_draft_is_filled_in() {
    let flow = VALID.replacen(
        "[data.visit]",
        "[data.boats]\nreview = true\nschema_inline = '{ \"type\": \"object\", \"required\": [\"names\"], \"additionalProperties\": false, \"properties\": { \"names\": { \"type\": \"array\", \"title\": \"Your boats\", \"minItems\": 1, \"items\": { \"type\": \"string\", \"maxLength\": 60 } } } }'\n\n[data.visit]",
        1,
    );
    let flow = flow.replacen(
        STEP,
        "  { id = \"boats\", tool = \"submit_for_validation\", args = { dataType = \"boats\", message = \"Which boats have you got?\", data = { names = [] } } },\n  { id = \"mail\", tool",
        1,
    );
    assert_eq!(checked_whole(&flow), (String::new(), false));
}
