//! What `flows check` finds only where a model leads, or where a contact source knows the participant; and lists with no
//! entries, one and two.

use super::rehearsal::checked;

/// What is replaced, and by what.
type Edit<'a> = (&'a str, &'a str);

/// The end of the valid flow.
const END: &str =
    "url_from = \"ats_webhook\"\n  include = [\"person\"]\n  approval = \"recruiting_approvals\"\n";

/// A part after the one that a model leads, with one question.
fn afterwards(question: &str) -> String {
    format!(
        "{END}\n[[phase]]\nid = \"thanks\"\ntitle = \"Thanks\"\nmode = \"script\"\n\n  [[phase.step]]\n  id = \"bye\"\n  \
         tool = \"get_user_option\"\n{question}  options = [ {{ id = \"a\", label = \"A\" }}, {{ id = \"b\", label = \"B\" }} ]\n"
    )
}

/// The flow is refused, with these words.
fn refused(edits: &[Edit<'_>], expected: &[&str]) {
    let (said, is_refused) = checked(edits);
    assert!(is_refused, "{said}");
    for words in expected {
        assert!(said.contains(words), "{words}\n{said}");
    }
}

/// The flow passes, with a warning in these words.
fn warned(edits: &[Edit<'_>], expected: &str) {
    let (said, is_refused) = checked(edits);
    assert!(!is_refused, "{said}");
    assert!(said.contains(&format!("warning: {expected}")), "{expected}\n{said}");
}

#[test]
fn what_only_a_script_asks_is_missing_after_a_model() {
    let way = "(with a model, after notice: accept, agree: yes, details_form: filled in, topics: cook, note: approved";
    for (question, expected) in [
        (
            "  [phase.step.args]\n  prompt = \"{{ answers.wants_note }}\"\n",
            "this question comes out empty",
        ),
        (
            "  [phase.step.args]\n  prompt = \"Bye {{ answers.wants_note | length }}\"\n",
            "this can't be filled in",
        ),
        (
            "  when = \"answers.wants_note | length > 1\"\n  [phase.step.args]\n  prompt = \"Bye\"\n",
            "this condition fails",
        ),
    ] {
        refused(&[(END, &afterwards(question))], &[expected, way]);
    }
    let guarded = "  [phase.step.args]\n  prompt = \"{{ answers.wants_note or 'Bye' }}\"\n";
    assert_eq!(checked(&[(END, &afterwards(guarded))]), (String::new(), false));
}

#[test]
fn an_objective_that_a_model_cannot_complete_is_found() {
    let picture =
        "done = { any = [{ uploaded = \"portfolio\" }, { answered = { step = \"wants_note\" } }] }";
    refused(
        &[
            ("skip = \"participant\"\n  done = { reviewed = \"note\" }", picture),
            (
                "tools = [\"get_user_option\", \"submit",
                "tools = [\"get_image_from_user\", \"submit",
            ),
            ("no = \"@skip\"", "no = \"@next\""),
        ],
        &[
            "a model can't complete this: this phase takes no pictures (with a model, after notice: accept",
        ],
    );
}

#[test]
fn effects_that_come_to_nothing_after_a_model_are_found() {
    let roles = "  [[phase.effect]]\n  do = \"discord_add_roles_from\"\n  step = \"wants_note\"\n  map = { yes = \"writer\" }\n\n  \
                 [[phase.effect]]\n  do = \"post";
    warned(
        &[("  [[phase.effect]]\n  do = \"post", roles)],
        "this comes to nothing: a model doesn't ask `wants_note`, so no role is given (with a model",
    );
    warned(
        &[
            (
                "done = { reviewed = \"note\" }",
                "done = { any = [{ talked = 1 }, { answered = { step = \"wants_note\" } }] }",
            ),
            (
                "tools = [\"get_user_option\", \"submit_for_validation\", ",
                "tools = [\"get_user_option\", ",
            ),
            ("include = [\"person\", \"note\"]", "include = [\"note\"]"),
        ],
        "this comes to nothing: no model stores `note` (with a model",
    );
}

#[test]
fn a_tool_that_a_model_cannot_use_is_found() {
    let tools = "tools = [\"get_image_from_user\", \"get_user_option\", \"submit";
    warned(
        &[("tools = [\"get_user_option\", \"submit", tools)],
        "a model can't use `get_image_from_user` here: this phase takes no pictures (with a model",
    );
}

#[test]
fn what_depends_on_the_contact_card_is_tried_with_a_full_one_and_with_a_name() {
    let card = "  [[phase.step]]\n  id = \"card\"\n  tool = \"get_macos_contact_card\"\n  args = { cardType = \"me\" }\n\n  \
                [[phase.step]]\n  id = \"details_form\"";
    let card = ("  [[phase.step]]\n  id = \"details_form\"", card);
    assert_eq!(checked(&[card]), (String::new(), false));
    let email =
        "results.card.status == 'fetched' and results.card.contact.email[0].value | length > 3";
    refused(
        &[card, ("'drive' in answers.topics", email)],
        &[
            "this condition fails",
            "(with a contact card that has a name only, after notice: accept",
        ],
    );
    let job =
        "prompt = \"{{ results.card.contact.jobTitle | default(3) | round }} Please send a copy";
    refused(
        &[card, ("prompt = \"Please send a copy", job)],
        &["this can't be filled in", "(with a full contact card, after notice: accept"],
    );
}

#[test]
fn lists_are_tried_without_entries_and_with_two() {
    let since =
        "\"since\": { \"type\": \"string\", \"title\": \"Free from\", \"format\": \"date\" }";
    let work = format!(
        "{since}, \"work\": {{ \"type\": \"array\", \"title\": \"Work\", \"items\": {{ \"type\": \"object\", \"required\": \
         [\"name\"], \"properties\": {{ \"name\": {{ \"type\": \"string\", \"title\": \"Employer\" }} }} }} }}"
    );
    let work = (since, work.as_str());
    let needed =
        ("\"required\": [\"name\", \"email\"]", "\"required\": [\"name\", \"email\", \"work\"]");
    assert_eq!(checked(&[work, needed]), (String::new(), false));
    let prompt = "prompt = \"Please send a copy of your driving licence.\"";
    refused(
        &[work, needed, (prompt, "prompt = \"{{ records.person.work[0].name }}\"")],
        &["this question comes out empty", "details_form: filled in without entries"],
    );
    let two = "records.person.work | length == 2 and records.person.work[1].name | round > 1";
    refused(
        &[work, needed, ("'drive' in answers.topics", two)],
        &["this condition fails", "details_form: filled in with two entries"],
    );
}

/// A pass mark that nobody reaches is the cause; that nobody comes to what is behind it follows.
#[test]
fn what_follows_from_a_condition_that_is_always_alike_is_not_told() {
    let points = |id: &str, label: &str| format!("id = \"{id}\", label = \"{label}\"");
    let marked = |id: &str, label: &str| format!("id = \"{id}\", label = \"{label}\", points = 1");
    let (yes, marked) = (points("yes", "Yes"), marked("yes", "Yes"));
    let failed = "  [[phase.step]]\n  id = \"failed\"\n  tool = \"get_user_option\"\n  when = \"score.closing < 4\"\n  \
                  [phase.step.args]\n  prompt = \"Not enough.\"\n  options = [ { id = \"stop\", label = \"Stop\" }, { id = \"end\", \
                  label = \"End\" } ]\n  [phase.step.branch]\n  stop = \"@stop\"\n  end = \"@stop\"\n\n  [[phase.step]]\n  id = \"note_form\"";
    let (said, is_refused) = checked(&[
        (&yes, &marked),
        ("  [[phase.step]]\n  id = \"note_form\"", failed),
        ("no = \"@skip\"\n  yes = \"note_form\"", "else = \"@next\""),
    ]);
    assert!(is_refused, "{said}");
    assert!(said.contains("`score.closing < 4` is always true: `closing` is at most 1"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}
