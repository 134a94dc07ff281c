//! Flows in which an effect, a branch or a time does something else than the texts say, and what people choose
//! themselves is tried in rehearsals: days that must fit one another, and words that must hold something.

use super::{rehearsal::checked_whole, said};

/// A valid flow.
const VALID: &str = include_str!("../../fixtures/flows/courses.toml");

/// What is replaced, and by what.
type Edit = (&'static str, &'static str);

/// A decision in the first phase.
const DECIDED: &str = "{ id = \"mail\", tool";

/// Changes to the valid flow, and a part of what is said.
const CASES: &[(Edit, &str)] = &[
    (("", ""), ""),
    (
        (
            "url_from = \"ats_webhook\", include = [\"name\"]",
            "url_from = \"ats_webhook\", include = [\"name\", \"visit\"]",
        ),
        "warning: a text promises that nothing else is sent, and `ats_webhook` gets 2 kinds of data",
    ),
    (
        ("answers.news == 'yes'", "answers.news != 'yes'"),
        "warning: this happens for those who say no. hint: reverse the comparison with `yes`",
    ),
    (
        ("answers.news == 'yes'", "answers.news == 'no'"),
        "warning: this happens for those who say no. hint: reverse the comparison with `no`",
    ),
    (
        ("learn = \"learner\", build = \"builder\"", "learn = \"builder\", build = \"learner\""),
        "warning: `build` gives the role `learner`, and `learn` the role `builder`",
    ),
    (
        (
            "What would you like to do?",
            "What would you like to do? Trainers look at it: staff check requests.",
        ),
        "warning: the text says that this is checked, and the role is given at once. hint: add `approval`",
    ),
    (
        ("branch = { no = \"@handoff\" } },", "branch = { no = \"mail\" } },"),
        "warning: `no` leads where `yes` leads, and nothing reads the answer",
    ),
    (
        (
            "channel = \"staff_approvals\"\n",
            "channel = \"staff_approvals\"\ndecider = \"participant\"\n",
        ),
        "warning: people let themselves past, and nothing is asked in `staff_approvals`",
    ),
    (
        ("< 2 or records", "< 2 and records"),
        "this is never true: nothing is above 60 and below 2 at once",
    ),
    (
        ("days_until < 2 or records.visit.first | days_until > 60", "days_since < 2"),
        "warning: this is true of every day that is to come. hint: write `days_until`",
    ),
    (
        ("records    = \"90d\"", "records    = \"50d\""),
        "warning: after 50 days the conversation is deleted, and this day may be 60 days away",
    ),
    (("after = \"80d\"", "after = \"80m\""), "warning: this begins after only 80 minutes"),
    (
        (
            "label = \"Yes, please\" }, { id = \"no\", label = \"No, thanks\"",
            "label = \"No, thanks\" }, { id = \"no\", label = \"Yes, please\"",
        ),
        "warning: `no` reads “Yes, please”, and `yes` says no. hint: see whether the labels are swapped",
    ),
    (
        (
            "after = \"records.visit.first\"",
            "after = \"records.visit.first\"\nintro = \"You are a minor, so somebody comes with you.\"\nwhen = \"records.visit.last and records.visit.last | age >= 18\"",
        ),
        "warning: people older than 18 read that they are younger",
    ),
    (
        (
            "id = \"come\", tool = \"get_user_option\", args = { prompt = \"Your course begins today.",
            "id = \"come\", tool = \"get_user_option\", deadline = \"12h\", args = { prompt = \"Your course begins today; I remind you once.",
        ),
        "warning: the text promises a reminder, and none comes before the deadline",
    ),
    (
        (
            "{ id = \"again\", tool = \"get_user_option\", args = { prompt = \"",
            "{ id = \"again\", tool = \"get_user_option\", when = \"not records.name.boat\", args = { prompt = \"You have a boat. ",
        ),
        "warning: people without `records.name.boat` read that they have it",
    ),
    (
        (
            "{ id = \"learn\", label = \"Dive\" }, { id = \"build\", label = \"Build boats\" }",
            "{ id = \"learn\", label = \"Build boats\" }, { id = \"build\", label = \"Dive\" }",
        ),
        "warning: `learn` reads “Build boats”, and there is `build` as well",
    ),
    (
        (
            "{ id = \"come\", tool = \"get_user_option\", args = { prompt = \"Your course begins today.\", options = [{ id = \"come\", label = \"I'm on my way\" }, { id = \"sick\", label = \"I can't come\" }] }, branch = { sick = \"@handoff\" } }",
            "{ id = \"come\", tool = \"get_user_option\", deadline = \"2d\", args = { prompt = \"Your course begins today. Do you come?\", options = [{ id = \"yes\", label = \"I accept\" }, { id = \"no\", label = \"I don't\" }] }, branch = { no = \"@handoff\", yes = \"seat\", expired = \"seat\" } }, { id = \"seat\", tool = \"request_user_input\", args = { prompt = \"Where would you like to sit?\" } }",
        ),
        "warning: whoever doesn't answer goes on to `seat`, like a yes",
    ),
    (
        (
            "name = { type = \"text\", title = \"Name\" }\n",
            "name = { type = \"text\", title = \"Name\" }\nbag = { type = \"number\", title = \"Your bag in grams\", min = 0.1, max = 4 }\n",
        ),
        "warning: “Your bag in grams” is never between 0.1 and 4",
    ),
    (
        (
            "learn = \"learner\", build = \"builder\"",
            "learn = \"builder\", build = \"contributor\"",
        ),
        "warning: `build` gives the role `contributor`, and `learn` the role `builder`",
    ),
    (
        ("[handoff]\n", "[handoff]\nkeywords = [\"address\"]\n"),
        "warning: `mail` asks people to write about `address`, and each answer would call a person",
    ),
    (
        (
            "name = { type = \"text\", title = \"Name\" }\n",
            "name = { type = \"text\", title = \"Name\" }\nemail = { type = \"email\", title = \"E-mail\", help = \"We write to you here.\", visible_to = [] }\n",
        ),
        "warning: nobody sees `name.email`, so nobody can use it",
    ),
    (("{ id = \"swims\", tool", "{ id = \"swims\", when = \"'yes' in answers.news\", tool"), ""),
    (
        (
            "{ id = \"no\", label = \"No, thanks\" }] } },",
            "{ id = \"no\", label = \"No, thanks\" }, { id = \"yes_by_post\", label = \"By post\" }] } },\n  { id = \"post\", tool = \"request_user_input\", when = \"'yes' in answers.news\", args = { prompt = \"Where to?\" } },",
        ),
        "warning: `yes_by_post` has `yes` in it as well. hint: compare it with `==`",
    ),
    (
        (
            "id = \"come\", tool = \"get_user_option\", args = { prompt = \"Your course begins today.",
            "id = \"come\", tool = \"get_user_option\", deadline = \"12h\", args = { prompt = \"Your course begins today; we record who comes.",
        ),
        "",
    ),
];

fn edited((from, to): Edit) -> String {
    assert!(VALID.contains(from), "`{from}` is not in the flow");
    if from.is_empty() { VALID.to_owned() } else { VALID.replacen(from, to, 1) }
}

/// Flows with one mistake each.
pub(super) fn all() -> impl Iterator<Item = String> {
    CASES.iter().map(|(edit, _)| edited(*edit))
}

#[test]
fn what_effects_do_is_compared_with_what_people_are_told() {
    for (edit, expected) in CASES {
        let said = said(&edited(*edit));
        assert!(said.contains(expected), "{edit:?}: {said}");
        assert!(!expected.is_empty() || said.is_empty(), "{edit:?}: {said}");
    }
}

#[test]
fn days_that_fit_one_another_and_words_that_are_looked_for_are_tried() {
    assert_eq!(checked_whole(VALID), (String::new(), false));
    for (from, to) in [
        ("first | days_until < 2 or", "first | days_until < 999 or"),
        ("'@' not in (answers.mail or '')", "'@' not in (answers.sport or '')"),
    ] {
        let (said, is_refused) = checked_whole(&VALID.replacen(from, to, 1));
        assert!(is_refused && said.contains("no answers lead to the end of this flow"), "{said}");
    }
}

#[test]
fn a_denial_that_has_an_effect_of_its_own_needs_no_branch() {
    let approval = "[approvals.place]\ntitle = \"A place for somebody?\"\ndeciders = \"staff_approvals\"\nshow = [\"name\"]\napproved = \"You have a place.\"\ndenied = \"The course is full; you may watch.\"\nexpired = \"Nobody has decided.\"\n\n[handoff]";
    let decided = format!(
        "{{ id = \"decide\", tool = \"request_decision\", args = {{ approval = \"place\" }}, branch = {{ expired = \"@handoff\" }} }},\n  {DECIDED}"
    );
    let flow = VALID.replacen("[handoff]", approval, 1).replacen(DECIDED, &decided, 1);
    let expected = "who is denied would go on like who is approved";
    assert!(said(&flow).contains(expected), "{}", said(&flow));
    let effect = "effect = [\n  { do = \"discord_add_role\", role = \"events\", on = \"denied\" },";
    let watching = flow.replacen("effect = [", effect, 1);
    assert!(!said(&watching).contains(expected), "{}", said(&watching));
}

#[test]
fn a_question_for_answers_that_differ_is_reached() {
    let twice = VALID.replacen(
        "  { id = \"sport\", tool",
        "  { id = \"twice\", tool = \"request_user_input\", args = { prompt = \"Please write it once more.\" } },\n  \
         { id = \"differ\", tool = \"get_user_option\", when = \"answers.mail != answers.twice\", args = { prompt = \"The two differ.\", options = [{ id = \"again\", label = \"Write it again\" }, { id = \"ask\", label = \"Ask the office\" }] }, branch = { again = \"mail\", ask = \"@handoff\" } },\n  \
         { id = \"sport\", tool",
        1,
    );
    assert_eq!(checked_whole(&twice), (String::new(), false));
}
