//! What the rehearsal of `flows check` tries: values that conditions tell apart, and people who always answer alike.

use super::rehearsal::{checked, checked_whole};

/// The head of the step that asks for a licence.
const LICENCE: &str = "  [[phase.step]]\n  id = \"licence\"";

/// A step before the licence.
fn before_licence(steps: &str) -> String {
    format!("{steps}\n\n{LICENCE}")
}

#[test]
fn a_day_on_either_side_of_a_condition_is_tried() {
    let steps = before_licence(
        "  [[phase.step]]\n  id = \"early\"\n  tool = \"get_user_option\"\n  when = \"not records.person.since or records.person.since | days_until < 3\"\n  \
         args = { prompt = \"We need three days. Change it?\", options = [{ id = \"yes\", label = \"Change it\" }, { id = \"no\", label = \"No\" }] }\n  \
         branch = { yes = \"details_form\", no = \"@stop\" }",
    );
    assert_eq!(checked(&[(LICENCE, &steps)]), (String::new(), false));
    let never = steps.replace("days_until < 3", "days_until < 9999999");
    let (said, is_refused) = checked(&[(LICENCE, &never)]);
    assert!(is_refused && said.contains("no answers lead to the end of this flow"), "{said}");
}

#[test]
fn what_comes_after_three_failures_is_reached() {
    let steps = before_licence(
        "  [[phase.step]]\n  id = \"quiz\"\n  tool = \"get_user_option\"\n  args = { prompt = \"Red light?\", options = [{ id = \"stop\", label = \"I stop\", correct = true }, { id = \"go\", label = \"I go\" }] }\n\n  \
         [[phase.step]]\n  id = \"mark\"\n  set = { tries = \"values.tries | default(0) + 1\", mark = \"points.quiz\" }\n\n  \
         [[phase.step]]\n  id = \"again\"\n  tool = \"get_user_option\"\n  when = \"values.mark < 1 and values.tries < 3\"\n  args = { prompt = \"Again?\", options = [{ id = \"yes\", label = \"Yes\" }, { id = \"no\", label = \"No\" }] }\n  branch = { yes = \"quiz\", no = \"@stop\" }\n\n  \
         [[phase.step]]\n  id = \"failed\"\n  tool = \"get_user_option\"\n  when = \"values.mark < 1\"\n  args = { prompt = \"That was not enough.\", options = [{ id = \"ask\", label = \"Ask the team\" }, { id = \"leave\", label = \"Leave\" }] }\n  branch = { ask = \"@handoff\", leave = \"@stop\" }",
    );
    assert_eq!(checked(&[(LICENCE, &steps)]), (String::new(), false));
    let never = steps
        .replace("when = \"values.mark < 1\"", "when = \"values.mark < 1 and values.tries > 4\"");
    let (said, _) = checked(&[(LICENCE, &never)]);
    assert!(said.contains("warning: `failed` is never asked, whatever people answer"), "{said}");
}

#[test]
fn a_decision_that_is_asked_for_too_often_is_told() {
    let approval = "[approvals.helper]\ntitle = \"Take them on?\"\ndeciders = \"recruiting_approvals\"\nshow = [\"person\"]\n\n[handoff]";
    let steps = |most: u32| {
        before_licence(&format!(
            "  [[phase.step]]\n  id = \"count\"\n  set = {{ requests = \"values.requests | default(0) + 1\" }}\n\n  \
             [[phase.step]]\n  id = \"decide\"\n  tool = \"request_decision\"\n  args = {{ approval = \"helper\" }}\n  branch = {{ approved = \"licence\", denied = \"@stop\" }}\n\n  \
             [[phase.step]]\n  id = \"again\"\n  tool = \"get_user_option\"\n  when = \"values.requests < {most}\"\n  args = {{ prompt = \"Nobody has decided. Ask again?\", options = [{{ id = \"yes\", label = \"Yes\" }}, {{ id = \"no\", label = \"No\" }}] }}\n  branch = {{ yes = \"count\", no = \"@stop\" }}\n\n  \
             [[phase.step]]\n  id = \"nobody\"\n  set = {{ gave_up = true }}\n  branch = {{ else = \"@handoff\" }}"
        ))
    };
    assert_eq!(checked(&[("[handoff]", approval), (LICENCE, &steps(3))]), (String::new(), false));
    let (said, _) = checked(&[("[handoff]", approval), (LICENCE, &steps(9))]);
    let expected =
        "warning: the team is asked for a decision 3 times at most, and here once more (after";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn a_script_that_is_longer_than_its_limit_is_told() {
    let (said, is_refused) = checked(&[("[handoff]", "[limits]\nturns = 2\n\n[handoff]")]);
    assert!(is_refused);
    let expected = "after 2 answers the team is asked to take over, and the script is longer. hint: raise `turns`";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn what_another_day_brings_may_be_asked_then() {
    let when = |day: &str| format!("'drive' in answers.topics and today > '{day}'");
    for day in ["2020-01-31", "2199-12-31"] {
        let edit = ("'drive' in answers.topics", when(day));
        assert_eq!(checked(&[(edit.0, &edit.1)]), (String::new(), false), "{day}");
    }
}

#[test]
fn a_text_of_a_decision_that_cannot_be_filled_in_is_told() {
    let approval = |text: &str| {
        format!(
            "[approvals.helper]\ntitle = \"Take them on?\"\ndeciders = \"recruiting_approvals\"\nshow = [\"person\"]\napproved = \"From {text} on.\"\n\n[handoff]"
        )
    };
    let steps = before_licence(
        "  [[phase.step]]\n  id = \"decide\"\n  tool = \"request_decision\"\n  args = { approval = \"helper\" }\n  branch = { denied = \"@stop\", expired = \"@handoff\" }",
    );
    let sound = approval("{{ today | plus('1d') | date }}");
    assert_eq!(checked(&[("[handoff]", &sound), (LICENCE, &steps)]), (String::new(), false));
    let failing = approval("{{ today | date | plus('1d') }}");
    let (said, is_refused) = checked(&[("[handoff]", &failing), (LICENCE, &steps)]);
    assert!(is_refused && said.contains("this can't be filled in: "), "{said}");
}

#[test]
fn a_flow_may_only_sort_people() {
    let (settings, _) =
        include_str!("../../fixtures/flows/volunteers.toml").split_once("# --------").unwrap();
    let settings = settings.split_once("[data.person]").unwrap().0;
    let phase = "[[phase]]\nid = \"fit\"\ntitle = \"Fit\"\nmode = \"script\"\nstep = [{ id = \"fits\", tool = \"get_user_option\", args = { prompt = \"Can you lift?\", options = [{ id = \"yes\", label = \"Yes\" }, { id = \"no\", label = \"No\" }] }, branch = { yes = \"@handoff\", no = \"@stop\" } }]\n";
    assert_eq!(checked_whole(&format!("{settings}{phase}")), (String::new(), false));
}

/// All four answers must be right, two of them come last, and whoever fails is asked again: answers tried in turn never
/// get there.
#[test]
fn somebody_passes_a_quiz_who_knows_the_answers() {
    let flow = include_str!("../../fixtures/flows/trainers.toml")
        .replace("values.points < 3", "values.points < 4")
        .replacen(
            "set = { points = \"score.quiz\" } },",
            "set = { points = \"score.quiz\", tries = \"values.tries | default(0) + 1\" } },\n  \
             { id = \"again\", tool = \"get_user_option\", when = \"values.points < 4 and values.tries < 2\", \
             args = { prompt = \"Once more?\", options = [{ id = \"yes\", label = \"Once more\" }, { id = \"no\", label = \"Ask the team\" }] }, \
             branch = { yes = \"cramp\", no = \"@handoff\" } },",
            1,
        );
    assert_eq!(checked_whole(&flow), (String::new(), false));
    let never =
        flow.replacen("label = \"Call for help\", correct = true", "label = \"Call for help\"", 1);
    let (said, is_refused) = checked_whole(&never);
    assert!(is_refused, "{said}");
}
