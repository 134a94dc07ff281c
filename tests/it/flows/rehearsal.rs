//! Flows that are right word by word, and go wrong when they are run: `flows check` runs them.

use std::{fs, process::Command};

use insta::assert_snapshot;

/// A valid flow.
const VALID: &str = include_str!("../../fixtures/flows/volunteers.toml");

/// What `flows check` says of the valid flow with changes, and whether it refuses it.
pub(super) fn checked(edits: &[(&str, &str)]) -> (String, bool) {
    let flow = edits.iter().fold(VALID.to_owned(), |flow, (from, to)| {
        assert!(flow.contains(from), "`{from}` is not in the flow");
        flow.replacen(from, to, 1)
    });
    checked_whole(&flow)
}

/// What `flows check` says of a flow, and whether it refuses it.
pub(super) fn checked_whole(flow: &str) -> (String, bool) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("flow.toml"), flow).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_anteroom"));
    let program = program.args(["flows", "check", "flow.toml"]).env_clear();
    let output = program.env("HOME", dir.path()).current_dir(dir.path()).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    (told, !output.status.success())
}

#[test]
fn nothing_is_said_about_the_valid_flow() {
    assert_eq!(checked(&[]), (String::new(), false));
}

#[test]
fn a_question_that_comes_out_empty_is_found_with_the_answers_that_lead_to_it() {
    let edit = (
        "prompt = \"Please send a copy of your driving licence.\"",
        "prompt = \"{{ records.interests[9] }}\"",
    );
    assert_snapshot!(checked(&[edit]).0, @"flow.toml:134:15: this question comes out empty (after notice: accept, agree: yes, details_form: filled in, topics: drive)");
}

#[test]
fn a_text_that_cannot_be_filled_in_is_found() {
    let edit = (
        "prompt = \"Please send a copy of your driving licence.\"",
        "prompt = \"Please send {{ answers.topics | round }} copies.\"",
    );
    let (said, is_refused) = checked(&[edit]);
    assert!(is_refused);
    assert_snapshot!(said, @"flow.toml:134:15: this can't be filled in: `Please send {{ answers.topics | round }} copies.` fails: cannot round value (sequence) (after notice: accept, agree: yes, details_form: filled in, topics: drive)");
}

#[test]
fn a_text_with_a_hole_in_it_is_found_with_the_answers_that_lead_to_it() {
    let text = |to: &'static str| ("Would you like to add a few words?", to);
    let (said, is_refused) = checked(&[text("You chose {{ labels.topics }}. Any words?")]);
    assert!(!is_refused);
    assert_snapshot!(said, @"flow.toml:158:3: warning: `{{ labels.topics }}` is empty here (after notice: accept, agree: yes, details_form: filled in, topics: skipped). hint: give it a `default('…')`, or show it only if it is there");
    let (said, _) = checked(&[text("You are {{ records.person.age }} years old. Any words?")]);
    assert!(said.contains("`{{ records.person.age }}` is empty here (after"), "{said}");
    for guarded in [
        "You are {{ records.person.age | default('some') }} years old. Any words?",
        "{% if records.person.age %}You are {{ records.person.age }} years old. {% endif %}Any words?",
        "{{ 'You drive.' if 'drive' in answers.topics }} Any words?",
    ] {
        assert_eq!(checked(&[text(guarded)]), (String::new(), false), "{guarded}");
    }
}

#[test]
fn an_argument_without_a_value_is_named_with_what_it_comes_from() {
    let read = "acceptedFormats = [\"pdf\"]\n\n  [[phase.step]]\n  id = \"read\"\n  tool = \"extract_document\"\n  \
                args = { artifact_id = { \"$from\" = \"results.licence.uploads[0].id\" } }";
    let (said, is_refused) = checked(&[("acceptedFormats = [\"pdf\"]", read)]);
    assert!(is_refused);
    assert_snapshot!(said, @"flow.toml:142:3: this step fails: there is no `results.licence.uploads[0].id` for its `artifact_id` (after notice: accept, agree: yes, details_form: filled in, topics: cook). hint: give it a `$default`, ask for it, or lead past the step with a branch");
}

#[test]
fn who_waits_for_the_first_question_is_not_stuck() {
    let dir = tempfile::tempdir().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_anteroom"));
    program.args(["flows", "check"]).env_clear().env("HOME", dir.path()).current_dir(dir.path());
    let (notice, phases) = VALID.split_once("[pace]").unwrap();
    let (settings, _) = phases.split_once("# -----").unwrap();
    for days in 1..=15 {
        let question = "step = [{ id = \"q\", tool = \"request_user_input\", args = { prompt = \"Anything to know?\" } }]";
        let flow = format!(
            "{notice}wait_business_days = {days}\n\n[pace]{settings}[[phase]]\nid = \"only\"\ntitle = \"Only\"\nmode = \"script\"\n{question}\n"
        );
        let name = format!("flow{days}.toml");
        fs::write(dir.path().join(&name), flow).unwrap();
        program.arg(name);
    }
    let output = program.output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert!(output.status.success());
}

#[test]
fn a_condition_that_fails_is_found() {
    let edit = ("'drive' in answers.topics", "answers.topics | round > 3");
    let (said, is_refused) = checked(&[edit]);
    assert!(is_refused);
    assert_snapshot!(said, @"
    flow.toml:130:3: `licence` is never asked, whatever people answer. hint: see its `when`, `answers.topics | round > 3`, and the branches before it
    flow.toml:133:3: this condition fails: cannot round value (sequence) (after notice: accept, agree: yes, details_form: filled in, topics: cook)
    ");
}

#[test]
fn conditions_of_phases_objectives_and_effects_that_fail_are_found() {
    let fails = "when = \"answers.topics | round > 3\"";
    let phase = ("id = \"closing\"\n", format!("id = \"closing\"\n{fails}\n"));
    let objective = ("title = \"Interests\"\n", format!("title = \"Interests\"\n  {fails}\n"));
    let effect = ("do = \"post_summary\"\n", format!("do = \"post_summary\"\n  {fails}\n"));
    let edits = [phase, objective, effect];
    let edits = edits.each_ref().map(|(from, to)| (*from, to.as_str()));
    let (said, is_refused) = checked(&edits);
    assert!(is_refused);
    assert_snapshot!(said, @"
    flow.toml:101:3: this condition fails: cannot round value (sequence) (after notice: accept, agree: yes, details_form: filled in, topics: cook)
    flow.toml:143:1: this condition fails: cannot round value (sequence) (after notice: accept, agree: yes, details_form: filled in, topics: cook)
    flow.toml:177:3: this condition fails: cannot round value (sequence) (after notice: accept, agree: yes, details_form: filled in, topics: cook, wants_note: yes, note_form: filled in)
    ");
}

#[test]
fn a_step_that_no_answers_lead_to_is_found() {
    let edit = ("save = \"interests\"", "save = \"interests\"\n  when = \"answers.agree == 'no'\"");
    let (said, is_refused) = checked(&[edit]);
    assert!(is_refused);
    assert_snapshot!(said, @"
    flow.toml:120:3: `topics` is never asked, whatever people answer. hint: see its `when`, `answers.agree == 'no'`, and the branches before it
    flow.toml:131:3: `licence` is never asked, whatever people answer. hint: see its `when`, `'drive' in answers.topics`, and the branches before it
    ");
}

#[test]
fn answers_after_which_only_a_person_can_help_are_worth_a_warning() {
    let edit = ("when = \"answers.wants_note == 'yes'\"", "when = \"answers.wants_note == 'no'\"");
    let (said, is_refused) = checked(&[edit]);
    assert!(!is_refused);
    assert_snapshot!(said, @"flow.toml:154:3: warning: the script can't go on, so a person of the team is asked: nothing completes `note_written` (after notice: accept, agree: yes, details_form: filled in, topics: cook, wants_note: yes). hint: ask for it, or let it count only `when` it is asked for");
}

#[test]
fn a_conversation_that_never_ends_is_found() {
    let edits = [
        ("no = \"@skip\"", "no = \"note_form\""),
        (
            "skip = \"participant\"\n  done = { reviewed = \"note\" }",
            "done = { reviewed = \"note\" }",
        ),
        (
            "when = \"answers.wants_note == 'yes'\"",
            "branch = { approved = \"wants_note\", modified = \"wants_note\" }",
        ),
        ("data = { text = \"\" }", "data = { text = \"Because I like it.\" }"),
    ];
    let (said, is_refused) = checked(&edits);
    assert!(is_refused);
    let (said, _) = said.split_once('\n').unwrap();
    assert_snapshot!(said, @"flow.toml:65:3: the conversation never ends (after notice: accept, agree: yes, details_form: filled in, topics: cook, wants_note: yes, note_form: approved, wants_note: no, note_form: filled in, wants_note: yes, note_form: rejected, note_form: approved, wants_note: no …)");
}

#[test]
fn what_an_override_leaves_empty_is_worth_a_warning() {
    let prompt = (
        "prompt = \"Would you like to add a few words?\"",
        "prompt = \"{{ records.person.name }}\"",
    );
    let channel = "channel = \"recruiting_approvals\"\n";
    for (channel, policy) in [
        (channel, "expires = \"72h\""),
        (channel, "expires = \"72h\"\nquorum = 2"),
        ("", "expires = \"72h\"\ndecider = \"participant\""),
        (channel, "expires = \"72h\"\ndecider = \"participant-then-admin\""),
    ] {
        let channel = ("channel = \"recruiting_approvals\"\n", channel);
        let (said, is_refused) = checked(&[prompt, channel, ("expires = \"72h\"", policy)]);
        assert!(!is_refused, "{said}");
        let (_, said) =
            said.split_once(": warning: ").unwrap_or_else(|| panic!("{policy}: {said}"));
        assert_eq!(
            said.trim(),
            "this question comes out empty (after notice: accept, agree: yes, details: let past by the team). hint: what people \
             are let past has no answers and no data; give it a `default(…)` or a `when`",
            "{policy}"
        );
    }
}

#[test]
fn what_goes_wrong_by_answers_alone_is_told_once_and_not_as_an_override() {
    let edit =
        ("prompt = \"Would you like to add a few words?\"", "prompt = \"{{ records.note.text }}\"");
    let (said, is_refused) = checked(&[edit]);
    assert!(is_refused);
    assert!(said.contains("comes out empty (after") && !said.contains("let past"), "{said}");
}

/// *Later* pauses, and *resume* asks once more.
#[test]
fn who_goes_on_later_is_not_stuck() {
    let edit = ("id = \"closing\"\n", "id = \"closing\"\nask_first = true\n");
    assert_eq!(checked(&[edit]), (String::new(), false));
}

#[test]
fn a_part_that_no_answers_lead_to_is_found() {
    let edit = ("id = \"closing\"\n", "id = \"closing\"\nwhen = \"answers.agree == 'no'\"\n");
    assert_snapshot!(checked(&[edit]).0, @"flow.toml:142:1: warning: `closing` never comes, whatever people answer. hint: no answers made `answers.agree == 'no'` true");
}

#[test]
fn instructions_to_ask_what_is_forbidden_are_found() {
    let never = ("[handoff]", "[policy]\nnever_ask = [\"religion\"]\n\n[handoff]");
    let order =
        ("prompt = \"Ask why they want", "prompt = \"Ask about their religion, and why they want");
    assert_snapshot!(checked(&[never, order]).0, @"flow.toml:149:1: warning: this tells the model to ask about “religion”, which `never_ask` forbids. hint: leave that out, or take the topic out of `never_ask` under `[policy]`");
    let order = (
        "prompt = \"Ask why they want",
        "prompt = \"Never ask about their religion. Ask why they want",
    );
    assert_eq!(checked(&[never, order]), (String::new(), false));
}

#[test]
fn steps_behind_one_that_fails_are_not_told_of() {
    let edits = [
        ("message = \"Who are you?\"", "message = \"Who are you, {{ answers.agree | round }}?\""),
        ("save = \"interests\"", "save = \"interests\"\n  when = \"answers.agree == 'no'\""),
    ];
    let (said, is_refused) = checked(&edits);
    assert!(is_refused);
    assert!(!said.contains("never asked"), "{said}");
}

#[test]
fn a_flow_is_run_whose_aliases_are_not_configured() {
    let dir = tempfile::tempdir().unwrap();
    let flow = VALID.replacen("{{ records.person.name }}", "{{ answers.agree | round }}", 1);
    fs::write(dir.path().join("flow.toml"), flow).unwrap();
    let config = "[vars]\norganisation = \"Example\"\n\n[discord.channels]\nrecruiting_desks = \"1100000000000000001\"\n";
    fs::write(dir.path().join("config.toml"), config).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_anteroom"));
    let program = program.args(["--config", "config.toml", "flows", "check", "flow.toml"]);
    let output = program.env_clear().env("HOME", dir.path()).current_dir(dir.path()).output();
    let said = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(said.contains("this can't be filled in"), "{said}");
    assert!(said.contains("hint: add `recruiting_desk = …`"), "{said}");
    assert!(said.contains("or did you mean `recruiting_desks`?"), "{said}");
}
