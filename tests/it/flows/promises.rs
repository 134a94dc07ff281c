//! Flows that tell people one thing and do another: the wrong readers, the wrong way on, days and files that don't add up.

use super::said;

/// A valid flow.
const VALID: &str = include_str!("../../fixtures/flows/trainers.toml");

/// What is replaced, and by what.
type Edit = (&'static str, &'static str);

/// Changes to the valid flow, and a part of what is said; nothing is said where that is empty.
const CASES: &[(&[Edit], &str)] = &[
    (&[], ""),
    // Who reads an answer.
    (
        &[(", required = false, visible_to = [\"deciders\"]", ", required = false")],
        "warning: the text promises that only the board reads this, and `trainer.allergies` is visible to: team, hooks",
    ),
    (
        &[("message = \"Who are you?\"", "message = \"Who are you? Only the board reads this.\"")],
        "warning: the text promises that only the board reads this, and `trainer.name` is visible to: team, hooks",
    ),
    (&[("help = \"Only the board sees this.\"", "help = \"Only you see this.\"")], ""),
    (
        &[(
            "max_length = 500 }\n\n[data.sport]",
            "max_length = 500, visible_to = [\"team\"] }\n\n[data.sport]",
        )],
        "warning: this is for everybody, so it leaves out what isn't: `words`",
    ),
    (
        &[("channel = \"recruiting_desk\", include", "channel = \"introductions\", include")],
        "everybody in `introductions` would read `trainer`, which is special data",
    ),
    (
        &[
            ("sensitivity = \"special\"", "sensitivity = \"personal\""),
            ("channel = \"recruiting_desk\", include", "channel = \"introductions\", include"),
        ],
        "warning: everybody in `introductions` would read the summary of `trainer`",
    ),
    (
        &[("show     = [\"trainer\", \"introduction\"]", "show     = [\"sport\"]")],
        "warning: whoever decides on `board` doesn't see `introduction`, which people fill in just before",
    ),
    // What can be left out.
    (
        &[(
            "uploadType = \"other\", accepted",
            "required = true, uploadType = \"other\", accepted",
        )],
        "",
    ),
    (
        &[
            (
                "uploadType = \"other\", accepted",
                "required = true, uploadType = \"other\", accepted",
            ),
            ("Please send both sides of", "If you have one, please send both sides of"),
        ],
        "warning: the text says that not everybody needs to send this, and it is required",
    ),
    (
        &[("title = \"Licence valid until\", required = false", "title = \"Licence valid until\"")],
        "warning: whoever answers no to `licensed` can't fill in `trainer.until`, and must",
    ),
    (
        &[(
            "title = \"Your name\"",
            "title = \"Your name\", help = \"Leave it empty to stay unknown.\"",
        )],
        "warning: the text calls `trainer.name` optional, and it is required",
    ),
    // Numbers, days and files.
    (
        &[("title = \"Hours a week\"", "title = \"Monthly wage\"")],
        "warning: “Monthly wage” is never between 1 and 20",
    ),
    (
        &[(
            "keeps your answers for {{retention}}.\"\naccept",
            "keeps your answers for 120 days.\"\naccept",
        )],
        "warning: this promises 120 days, and answers are kept for 180 days",
    ),
    (
        &[(
            "keeps your answers for {{retention}}.\"\naccept",
            "keeps your files for 120 days.\"\naccept",
        )],
        "",
    ),
    (
        &[("after = \"60d\"", "after = \"90d\"")],
        "warning: this comes on day 120: `after` counts from the phase before. hint: write `60d`",
    ),
    (
        &[("max_files = 2", "max_files = 1")],
        "warning: the text asks for 2 files, and 1 can be sent",
    ),
    (
        &[("deadline = \"5d\"", "deadline = \"5m\"")],
        "warning: people have only 5 minutes to answer",
    ),
    (
        &[(
            "deadline = \"5d\", args = { prompt = \"How is it going?",
            "deadline = \"5m\", args = { prompt = \"You have five minutes. How is it going?",
        )],
        "",
    ),
    (
        &[("records.trainer.until | days_until < 30", "records.trainer.until | days_since < 30")],
        "warning: `records.trainer.until | days_since` is below 0 for every day that is still to come",
    ),
    (
        &[(
            "valid for {{ records.trainer.until | days_until }} more days",
            "running out: {{ records.trainer.until | days_since }} days are left",
        )],
        "warning: the words after it don't fit `days_since`. hint: use `days_until`",
    ),
    (
        &[("from = \"20:00\", to = \"08:00\"", "from = \"08:00\", to = \"20:00\"")],
        "warning: these hours are by day",
    ),
    (
        &[
            ("from = \"20:00\", to = \"08:00\"", "from = \"08:00\", to = \"20:00\""),
            ("summary = \"Who they are", "summary = \"For night shifts: who they are"),
        ],
        "",
    ),
    // Where answers lead.
    (
        &[("fix = \"details\", stop = \"@stop\"", "fix = \"@stop\", stop = \"@stop\"")],
        "warning: “Correct the date” ends the conversation",
    ),
    (
        &[("branch = { ask = \"@handoff\", stop = \"@stop\" }", "branch = { stop = \"@stop\" }")],
        "warning: “Ask the team” leads on, and calls nobody",
    ),
    (
        &[(
            "branch = { ask = \"@handoff\", stop = \"@stop\" }",
            "branch = { ask = \"@handoff\", stop = \"@next\" }",
        )],
        "warning: `stop` ends the conversation elsewhere, and here it leads on",
    ),
    (
        &[("age < 16\"", "age >= 16\""), ("fix = \"details\", stop", "fix = \"@handoff\", stop")],
        "warning: people of 16 and older are turned away, and the text asks for them",
    ),
    (
        &[("branch = { denied = \"@stop\", expired", "branch = { approved = \"@stop\", expired")],
        "warning: people who are approved are stopped here, and those who are denied go on",
    ),
    (
        &[(
            "id = \"board_vote\", tool = \"request_decision\",",
            "id = \"board_vote\", tool = \"request_decision\", when = \"answers.more == 'no'\",",
        )],
        "warning: the team is asked about people who answered `no`, a no",
    ),
    (
        &[(
            "id = \"introduce\", tool = \"submit_for_validation\",",
            "id = \"introduce\", tool = \"submit_for_validation\", when = \"answers.well_done == 'no'\",",
        )],
        "",
    ),
    (
        &[(
            "options = [{ id = \"well\", label = \"Well\" }, { id = \"badly\", label = \"Not so well\" }] }, branch = { badly = \"@handoff\" }",
            "options = [{ id = \"well\", label = \"Yes\" }, { id = \"badly\", label = \"No\" }] }, branch = { badly = \"again\" } },\n  { id = \"again\", when = \"answers.settled == 'badly'\", tool = \"request_user_input\", args = { prompt = \"What is missing?\" }",
        )],
        "",
    ),
    (
        &[
            (
                "{ id = \"stays\", tool",
                "{ id = \"feels\", tool = \"request_user_input\", args = { prompt = \"How do you feel?\" } },\n  { id = \"stays\", deadline = \"2d\", tool",
            ),
            (
                "prompt = \"Will you stay?\", options = [{ id = \"yes\", label = \"Yes\" }, { id = \"no\", label = \"No\" }] } }",
                "prompt = \"Will you stay?\", options = [{ id = \"yes\", label = \"Yes\" }, { id = \"no\", label = \"No\" }] }, branch = { no = \"feels\" } }",
            ),
        ],
        "warning: whoever doesn't answer in time goes on like “Yes”",
    ),
    // What is stored, sent and shown.
    (
        &[("{{ answers.more_words[:500] }}", "{{ answers.more[:500] }}")],
        "warning: this stores the button of `more`, and what people write at `more_words` nowhere. hint: read `answers.more_words`",
    ),
    (
        &[(
            "options = { judo = \"Judo\", swimming = \"Swimming\" }",
            "options = { judo = \"Judo\" }",
        )],
        "`sport.kind` doesn't accept the option `swimming`",
    ),
    (
        &[("\"remark\"], on = \"approved\"", "\"remark\"], on = \"denied\"")],
        "warning: `recruiting_desk` gets the data of people who are denied, and of nobody else",
    ),
    (
        &[(
            "\"remark\"], on = \"approved\" },",
            "\"remark\"], on = \"approved\" },\n  { do = \"webhook\", url_from = \"ats_webhook\", include = [\"trainer\"], on = \"denied\" },",
        )],
        "warning: `ats_webhook` gets the data of people who are denied, and of nobody else",
    ),
    (
        &[(
            "options = { new = \"New\", good = \"Good\" }",
            "options = { new = \"Good\", good = \"New\" }",
        )],
        "warning: `new` reads “Good”, and there is `good` as well",
    ),
    (
        &[("label = \"Film it\"", "label = \"Both of the above\"")],
        "warning: “Both of the above” speaks of the order, which `shuffle` changes",
    ),
    (
        &[
            (
                "text               = \"**This is an AI assistant**",
                "text               = \"**This is a bot**",
            ),
            (
                "text_without_model = \"**This is a bot**",
                "text_without_model = \"**This is an AI assistant**",
            ),
        ],
        "warning: this is shown where no model talks, and announces one; `text` doesn't",
    ),
    (
        &[
            (
                "approved = \"Welcome to the trainers, {{ records.trainer.name }}! We look forward to seeing you.\"",
                "approved = \"We have chosen somebody else this time.\"",
            ),
            (
                "denied   = \"Unfortunately we can't take you on right now.\"",
                "denied   = \"Good news: you've been accepted.\"",
            ),
        ],
        "warning: this reads like a refusal, and `denied` like a welcome",
    ),
    (
        &[(
            "denied   = \"Unfortunately we can't take you on right now.\"",
            "denied   = \"Congratulations, you start on Monday.\"",
        )],
        "warning: this reads like a welcome. hint: write what people read who are denied",
    ),
    // Calling a person.
    (
        &[("keywords = [\"hurt myself\", \"accident\"]", "keywords = [\"hurt myself, accident\"]")],
        "warning: `hurt myself, accident` is looked for as one phrase",
    ),
    (
        &[("\"hurt myself\", \"accident\"", "\"hurt myself\", \"somebody\"")],
        "warning: `somebody` is what this flow is about: answers would call a person",
    ),
    (
        &[
            ("Take {{ records.trainer.name }} on as a trainer?", "Take somebody on as a trainer?"),
            ("branch = { denied = \"@stop\", expired", "branch = { approved = \"@next\", expired"),
        ],
        "who is denied would go on like who is approved",
    ),
    (
        &[("title = \"Allergies\", help", "title = \"IBAN\", max_length = 20, help")],
        "warning: “IBAN”: IBANs have up to 34 characters",
    ),
    (
        &[(
            "prompt = \"Will you stay?\"",
            "prompt = \"Please tell us by {{ today | minus('7d') | date }}. Will you stay?\"",
        )],
        "warning: the words before it don't fit `minus`. hint: use `plus`",
    ),
    // A no that is consent.
    (
        &[
            ("with = [\"yes\"]", "with = [\"no\"]"),
            (
                "May the club keep your details?",
                "Do you have anything against the club keeping your details?",
            ),
            ("label = \"Yes, keep them\"", "label = \"Yes, I mind\""),
            (
                "label = \"No, don't\" }] }, branch = { no = \"@stop\" }",
                "label = \"No, keep them\" }] }, branch = { yes = \"@stop\" }",
            ),
        ],
        "",
    ),
];

fn edited(edits: &[Edit]) -> String {
    changed(VALID, edits)
}

/// A flow with parts replaced, one after the other, which must be there.
pub(super) fn changed(flow: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(flow.to_owned(), |flow, (from, to)| {
        assert!(flow.contains(from), "`{from}` is not in the flow");
        flow.replacen(from, to, 1)
    })
}

/// Flows with one mistake each.
pub(super) fn all() -> impl Iterator<Item = String> {
    CASES.iter().map(|(edits, _)| edited(edits))
}

#[test]
fn what_people_are_told_and_does_not_happen_is_told() {
    for (edits, expected) in CASES {
        let said = said(&edited(edits));
        assert!(said.contains(expected), "{edits:?}: {said}");
        assert!(!expected.is_empty() || said.is_empty(), "{edits:?}: {said}");
    }
}

const ROLES: &str = "effect = [\n  { do = \"post_summary\"";

#[test]
fn crossed_roles_are_told_and_those_of_an_open_veto_are_not() {
    let with = |effect: &str, branch: &str| {
        let flow = VALID.replacen(
            ROLES,
            &format!("effect = [\n  {effect}\n  {{ do = \"post_summary\""),
            1,
        );
        said(&flow.replacen("expired = \"@handoff\"", branch, 1))
    };
    let crossed = "{ do = \"discord_add_roles_from\", step = \"board_vote\", map = { approved = \"denied\", denied = \"approved\" } },";
    let told = with(crossed, "expired = \"@handoff\"");
    assert!(
        told.contains("`approved` gives the role `denied`, and `denied` the role `approved`"),
        "{told}"
    );
    let lapsed = "{ do = \"discord_add_role\", role = \"member\", on = \"expired\" },";
    let told = with(lapsed, "expired = \"@handoff\"");
    assert!(
        told.contains("warning: `member` is given to people on whom nobody has decided"),
        "{told}"
    );
    assert!(!with(lapsed, "expired = \"@next\"").contains("nobody has decided"));
}
