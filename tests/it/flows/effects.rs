//! Flows in which an effect, a branch or a time does something else than the texts say, and what people choose
//! themselves is tried in rehearsals: days that must fit one another, and words that must hold something.

use super::{rehearsal::checked_whole, said};

/// A valid flow.
const VALID: &str = include_str!("../../fixtures/flows/courses.toml");

/// What is replaced, and by what.
type Edit = (&'static str, &'static str);

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
