//! `anteroom flows test`: conversations that authors have written down are held, and what is not as expected is told with
//! its line.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use insta::assert_snapshot;

/// A flow with something of everything.
const FLOW: &str = include_str!("../../fixtures/flows/volunteers.toml");

/// What most tests of that flow begin with.
const HEAD: &str = "flow = \"volunteers.toml\"\n";

/// A folder with the flow and a file of tests.
fn folder(tests: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("volunteers.toml"), FLOW).unwrap();
    fs::write(dir.path().join("v.test.toml"), tests).unwrap();
    dir
}

fn run(dir: &Path, args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_anteroom"));
    let program = program.args(["flows", "test"]).args(args).env_clear();
    program.env("HOME", dir).current_dir(dir).output().unwrap()
}

/// What the program says about tests of the flow on standard output and error, and whether they pass.
fn told(tests: &str, args: &[&str]) -> (String, String, bool) {
    let dir = folder(&format!("{HEAD}{tests}"));
    let output = run(dir.path(), &[&["v.test.toml"], args].concat());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.success())
}

/// What fails in one test on the page, whose steps are inline tables.
fn failing(steps: &str) -> String {
    let test =
        format!("[[test]]\nname = \"A story\"\nplatforms = [\"web\"]\nstep = [\n{steps}\n]\n");
    let (_, complaints, passes) = told(&test, &[]);
    assert!(!passes, "it passes");
    complaints
}

#[test]
#[cfg(feature = "consulting")]
fn tests_of_the_shipped_flows_pass_and_cover_nearly_everything() {
    let output = run(
        Path::new(env!("CARGO_MANIFEST_DIR")),
        &["tests/flows", "--min-coverage", "95", "--uncovered"],
    );
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (told, complaints) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{told}{complaints}");
    for flow in ["candidate-onboarding", "community-welcome"] {
        assert!(told.contains(&format!("coverage of {flow}: ")), "{told}");
    }
}

#[test]
fn a_test_passes_on_each_platform_it_is_for() {
    let test = r#"
[[test]]
name = "Somebody who drives is asked for a licence"
step = [
  { press = "Start" },
  { press = "yes" },
  { fill = { Name = "Ada", email = "ada@example.org" }, expect = { reads = ["What would you like to do, Ada?"], records = { person = { name = "Ada" } } } },
  { choose = ["Cook", "drive"], expect = { asks = "driving licence", records = { interests = ["cook", "drive"] } } },
  { upload = "licence.pdf", expect = { phase = "closing", objectives = { certificate = "completed" } } },
]

[[test]]
name = "On the page without a note"
after = "Somebody who drives is asked for a licence"
platforms = ["web"]
step = [ { press = "No, thanks", expect = { status = "completed", missing = ["note"] } } ]
"#;
    let (told, complaints, passes) = told(test, &["--uncovered"]);
    assert!(passes, "{told}{complaints}");
    assert_snapshot!(told, @"
    ok      Somebody who drives is asked for a licence (web)
    ok      Somebody who drives is asked for a licence (slack)
    ok      Somebody who drives is asked for a licence (discord)
    ok      On the page without a note (web)

    4 tests: 4 passed, 0 failed
    coverage of volunteers: 10 of 17 outcomes (58 %)
      volunteers.toml:81:50: `agree` is never answered with `no`
      volunteers.toml:81:90: `agree` is never answered with `ask`
      volunteers.toml:128:83: `topics` is never answered with `teach`
      volunteers.toml:127:3: `topics` is never skipped
      volunteers.toml:133:3: `licence` is never passed over
      volunteers.toml:159:15: `wants_note` is never answered with `yes`
      volunteers.toml:164:3: `note_form` is never reached
    ");
}

#[test]
fn only_tests_with_some_words_in_their_name_are_run() {
    let test = r#"
[[test]]
name = "Not now"
platforms = ["web"]
step = [ { press = "Not now", expect = { status = "declined" } } ]

[[test]]
name = "The team"
platforms = ["web"]
step = [ { press = "Ask the team", expect = { status = "open" } } ]
"#;
    let (told, complaints, passes) = told(test, &["--only", "Not"]);
    assert!(passes, "{told}{complaints}");
    assert!(told.contains("1 test: 1 passed, 0 failed"), "{told}");
}

#[test]
fn what_is_not_on_the_screen_cannot_be_pressed() {
    assert_snapshot!(failing(r#"{ press = "Start" }, { press = "I agre" }"#), @"
    A story (web)
      v.test.toml:6:24: step 2: “I agre” can't be pressed; what can be: “I agree”, “I don't agree”, “I have a question”. hint: did you mean `I agree`?
        last read:
          - Volunteers
            **This is a bot** of Example Ltd. It keeps your answers for 180 days.
            [Start]
            [Ask the team]
            [Not now]
          - Do you agree that we keep your details?
            [I agree]
            [I don't agree]
            [I have a question]
    ");
}

#[test]
fn nothing_can_be_pressed_chosen_filled_in_or_decided_where_nothing_is_open() {
    assert_snapshot!(failing(r#"{ choose = ["Start", "Stop"] }"#), @"
    A story (web)
      v.test.toml:6:3: step 1: “Stop” can't be chosen; what can be: “Start”, “Ask the team”, “Not now”
        last read:
          - Volunteers
            **This is a bot** of Example Ltd. It keeps your answers for 180 days.
            [Start]
            [Ask the team]
            [Not now]
    ");
    assert_snapshot!(failing(r#"{ fill = { Name = "Ada" } }"#), @"
    A story (web)
      v.test.toml:6:3: step 1: there is nothing to fill in
        last read:
          - Volunteers
            **This is a bot** of Example Ltd. It keeps your answers for 180 days.
            [Start]
            [Ask the team]
            [Not now]
    ");
    assert_snapshot!(failing(r#"{ decide = "approve" }"#), @"
    A story (web)
      v.test.toml:6:3: step 1: nobody is asked to decide anything
        last read:
          - Volunteers
            **This is a bot** of Example Ltd. It keeps your answers for 180 days.
            [Start]
            [Ask the team]
            [Not now]
    ");
    assert_snapshot!(failing(r#"{ upload = "licence.heic" }"#), @"
    A story (web)
      v.test.toml:6:3: step 1: there is no file `licence.heic` beside the test, and one of this kind can't be made up
        last read:
          - Volunteers
            **This is a bot** of Example Ltd. It keeps your answers for 180 days.
            [Start]
            [Ask the team]
            [Not now]
    ");
}

#[test]
fn every_expectation_that_fails_says_what_is_there() {
    let steps = r#"
  { press = "Start", expect = { reads = ["Good morning"], not_reads = ["Do you agree"], team_reads = ["Ada is here"] } },
"#;
    assert_snapshot!(failing(steps), @"
    A story (web)
      v.test.toml:7:42: step 1: the participant hasn't read “Good morning”
      v.test.toml:7:72: step 1: the participant has read “Do you agree”
      v.test.toml:7:103: step 1: the team hasn't read “Ada is here”; it has read nothing
        last read:
          - Volunteers
            **This is a bot** of Example Ltd. It keeps your answers for 180 days.
            [Start]
            [Ask the team]
            [Not now]
          - Do you agree that we keep your details?
            [I agree]
            [I don't agree]
            [I have a question]
    ");
    let steps = r#"
  { press = "Start", expect = { asks = "Who are you?", offers = ["Perhaps", "I agree"], not_offers = ["I don't agree"], refused = "no" } },
"#;
    assert_snapshot!(failing(steps), @"
    A story (web)
      v.test.toml:7:121: step 1: expected a refusal with “no”; it was accepted
      v.test.toml:7:33: step 1: “Who are you?” isn't asked; what is asked: “Do you agree that we keep your details? [I agree] [I don't agree] [I have a question]”
      v.test.toml:7:66: step 1: “Perhaps” isn't offered; what is: “I agree”, “I don't agree”, “I have a question”
      v.test.toml:7:103: step 1: “I don't agree” is offered
        last read:
          - Volunteers
            **This is a bot** of Example Ltd. It keeps your answers for 180 days.
            [Start]
            [Ask the team]
            [Not now]
          - Do you agree that we keep your details?
            [I agree]
            [I don't agree]
            [I have a question]
    ");
}

#[test]
fn where_a_conversation_stands_is_compared() {
    let steps = r#"
  { press = "Start", expect = { phase = "details", status = "completed", objectives = { consent_given = "completed" }, values = { attempts = 2 }, audit = ["phase_left"], effects = ["role member"] } },
"#;
    assert_snapshot!(failing(steps), @"
    A story (web)
      v.test.toml:7:33: step 1: expected the phase `details`; it is `consent`
      v.test.toml:7:52: step 1: expected the status `completed`; it is `open`
      v.test.toml:7:89: step 1: expected `consent_given` to be `completed`; it is `pending`
      v.test.toml:7:131: step 1: expected `attempts` to be `2`; there is none
      v.test.toml:7:182: step 1: `role member` hasn't happened; what has: nothing
      v.test.toml:7:156: step 1: `phase_left` isn't in the audit log; there is `notice_answered`, `phase_entered`, `session_started`, `wait_answered`, `wait_opened`
        last read:
          - Volunteers
            **This is a bot** of Example Ltd. It keeps your answers for 180 days.
            [Start]
            [Ask the team]
            [Not now]
          - Do you agree that we keep your details?
            [I agree]
            [I don't agree]
            [I have a question]
    ");
}

#[test]
fn records_are_compared_member_by_member() {
    let steps = r#"
  { press = "Start" },
  { press = "I agree" },
  { fill = { Name = "Ada", "E-mail" = "ada@example.org", Age = 36 }, expect = { records = { person = { name = "Ada", age = 36.0 } } } },
  { choose = ["Cook"], expect = { records = { person = { email = "a@b.org" }, interests = ["cook", "teach"], note = { text = "" } }, missing = ["person"] } },
"#;
    assert_snapshot!(failing(steps), @r#"
    A story (web)
      v.test.toml:10:47: step 4: expected `person.email` to be `"a@b.org"`; it is `"ada@example.org"`
      v.test.toml:10:79: step 4: expected `interests` to be `["cook","teach"]`; it is `["cook"]`
      v.test.toml:10:110: step 4: expected `note` to be `{"text":""}`; there is none
      v.test.toml:10:145: step 4: `person` is stored: `{"name":"Ada","email":"ada@example.org","age":36}`
        last read:
          - Person
            Who are you?
            Person
            Name: Ada
            E-mail
            Age
            Free from
          - What would you like to do, Ada?
            [Cook]
            [Drive]
            [Teach]
          - Would you like to add a few words?
            [Yes]
            [No, thanks]
    "#);
}

#[test]
fn an_answer_that_is_refused_fails_unless_that_is_expected() {
    let steps = |expect: &str| {
        format!(
            "{{ press = \"Start\" }}, {{ press = \"I agree\" }},\n\
             {{ fill = {{ Name = \"A\", \"E-mail\" = \"ada\" }}{expect} }},"
        )
    };
    assert_snapshot!(failing(&steps("")), @"
    A story (web)
      v.test.toml:7:3: step 3: this is refused: name: Enter at least 2 characters. email: Enter an e-mail address like ada@example.org.
        last read:
          - Volunteers
            **This is a bot** of Example Ltd. It keeps your answers for 180 days.
            [Start]
            [Ask the team]
            [Not now]
          - Do you agree that we keep your details?
            [I agree]
            [I don't agree]
            [I have a question]
          - Person
            Who are you?
            Person
            Name: Ada
            E-mail
            Age
            Free from
    ");
    let expected = steps(", expect = { refused = \"E-mail\", missing = [\"person\"] }");
    let more = format!("{expected}\n{{ fill = {{ Nam = \"Ada\" }} }}");
    assert_snapshot!(failing(&more), @"
    A story (web)
      v.test.toml:7:55: step 3: expected a refusal with “E-mail”; it says “name: Enter at least 2 characters. email: Enter an e-mail address like ada@example.org.”
        last read:
          - Volunteers
            **This is a bot** of Example Ltd. It keeps your answers for 180 days.
            [Start]
            [Ask the team]
            [Not now]
          - Do you agree that we keep your details?
            [I agree]
            [I don't agree]
            [I have a question]
          - Person
            Who are you?
            Person
            Name: Ada
            E-mail
            Age
            Free from
    ");
}

#[test]
fn time_brings_reminders_and_pauses() {
    let test = r#"
[[test]]
name = "By day only"
begins = "2026-11-23T21:00:00Z"
step = [
  { press = "Start" },
  { wait = "24h", expect = { not_reads = ["A reminder"] } },
  { wait = "12h", expect = { reads = ["A reminder"], offers = ["Stop reminders"], audit = ["phase_entered"] } },
  { press = "Stop reminders" },
  { wait = "80h", expect = { not_reads = ["A reminder"] } },
  { wait = "14d", expect = { status = "paused" } },
  { press = "I agree", expect = { status = "open", asks = "Who are you?" } },
]
"#;
    let (told, complaints, passes) = told(test, &[]);
    assert!(passes, "{told}{complaints}");
}

#[test]
fn mistakes_in_a_test_file_are_told_with_their_line() {
    let mistakes = r#"
[[test]]
name = "One"
platform = ["web"]
step = [ { pres = "Start" } ]
"#;
    assert_snapshot!(told(mistakes, &[]).1, @"
    v.test.toml:5:1: unknown key `platform`. hint: did you mean `platforms`?
    v.test.toml:6:12: unknown key `pres`. hint: did you mean `press`?
    ");
    let mistakes = r#"
[[test]]
name = "One"
after = "Two"
step = [ { press = "Start", say = "Start" }, {}, { say = "x", content = "y" }, { decide = "approve", because = "z" } ]

[[test]]
name = "One"
step = [ { wait = "1d" } ]
"#;
    assert_snapshot!(told(mistakes, &[]).1, @r#"
    v.test.toml:5:1: there is no test called `Two` before this one
    v.test.toml:6:10: a step does one thing; this one has `press`, `say`. hint: write a step for each
    v.test.toml:6:46: nothing happens in this step. hint: press, choose, say, fill, upload, wait, decide or expect something
    v.test.toml:6:63: `content` belongs to an `upload`
    v.test.toml:6:102: `because` belongs to `decide = "deny"`
    v.test.toml:9:1: there are two tests called `One`. hint: give one of them another name
    "#);
    assert_snapshot!(told("[[test]\n", &[]).1, @"v.test.toml:2:8: unclosed array table, expected `]`. hint: this is not valid TOML");
}

#[test]
fn a_flow_that_is_not_there_or_wrong_is_told() {
    let test = "\n[[test]]\nname = \"One\"\nstep = [ { say = \"x\" } ]\n";
    let told = |flow: &str, edit: (&str, &str)| {
        let dir = folder(&format!("flow = \"{flow}\"{test}"));
        fs::write(dir.path().join("volunteers.toml"), FLOW.replace(edit.0, edit.1)).unwrap();
        let output = run(dir.path(), &["."]);
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert_snapshot!(told("candidate-onbarding", ("", "")), @"./v.test.toml:1:1: there is no flow `candidate-onbarding`. hint: did you mean `candidate-onboarding`?");
    assert_snapshot!(told("volunteer.toml", ("", "")), @"./v.test.toml:1:1: `./volunteer.toml` could not be read: No such file or directory (os error 2). hint: the path is relative to the test file");
    let edit = ("tool = \"get_user_upload\"", "tool = \"get_user_uplaod\"");
    assert_snapshot!(told("volunteers.toml", edit), @"./volunteers.toml:132:3: there is no tool `get_user_uplaod`. hint: did you mean `get_user_upload`?");
}

#[test]
fn a_folder_without_tests_is_a_mistake() {
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path(), &["."]);
    assert!(!output.status.success());
    assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @"
    error: there are no tests
    hint: their files end in `.test.toml`
    ");
}

#[test]
fn a_question_that_is_too_long_to_be_drawn_fails_in_chats() {
    let dir = folder(&format!(
        "{HEAD}[[test]]\nname = \"Consent\"\nstep = [ {{ press = \"Start\" }} ]\n"
    ));
    // The check measures what is written; this comes of an expression.
    let (from, to) =
        ("\"Do you agree that we keep your details?\"", "\"{{ 'Many words. ' * 600 }}\"");
    fs::write(dir.path().join("volunteers.toml"), FLOW.replace(from, to)).unwrap();
    let output = run(dir.path(), &["."]);
    assert!(!output.status.success());
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("ok      Consent (web)"), "{told}");
    assert!(told.contains("FAILED  Consent (slack)\nFAILED  Consent (discord)"), "{told}");
    let complaints = String::from_utf8(output.stderr).unwrap();
    assert!(complaints.contains("can't be drawn: the question is shortened"), "{complaints}");
}

#[test]
fn somebody_who_may_decides_what_the_team_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let test = r#"
flow = "community-welcome"

[[test]]
name = "Asked"
platforms = ["discord"]
step = [
  { press = "Start" },
  { press = "I accept" },
  { press = "Yes" },
  { press = "Skip" },
  { press = "Skip" },
  { press = "Skip" },
  { press = "Request it", expect = { team_reads = ["Give Ada the Contributor role?"], no_effects = ["roles from contributor"] } },
]

[[test]]
name = "Approved"
after = "Asked"
step = [ { decide = "approve", expect = { effects = ["roles from contributor"] } } ]

[[test]]
name = "Denied with words"
after = "Asked"
step = [ { decide = "deny", because = "Next week", expect = { reads = ["Next week"], no_effects = ["roles from contributor"] } } ]

[[test]]
name = "Not decided in time"
after = "Asked"
step = [
  { wait = "73h", expect = { no_effects = ["roles from contributor"] } },
  { decide = "approve" },
]
"#;
    fs::write(dir.path().join("roles.test.toml"), test).unwrap();
    let output = run(dir.path(), &["roles.test.toml"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("4 tests: 3 passed, 1 failed"), "{told}");
    let complaints = String::from_utf8(output.stderr).unwrap();
    assert!(complaints.contains("step 2: nobody is asked to decide anything"), "{complaints}");
}

#[test]
fn too_little_coverage_fails() {
    let test = r#"
[[test]]
name = "Not now"
platforms = ["web"]
step = [ { press = "Not now" } ]
"#;
    let (told, complaints, passes) = told(test, &["--min-coverage", "50"]);
    assert!(!passes);
    assert!(told.contains("1 test: 1 passed, 0 failed"), "{told}");
    assert_snapshot!(complaints, @"volunteers: 0 % of the outcomes are covered, less than 50 %. hint: `--uncovered` lists what is not");
}

#[test]
fn results_are_written_for_programs() {
    let test = r#"
[[test]]
name = "A <b>bold</b> \"name\""
platforms = ["web"]
step = [ { press = "Not now" } ]

[[test]]
name = "One that fails"
platforms = ["web"]
step = [ { press = "Nowhere & never" } ]
"#;
    let dir = folder(&format!("{HEAD}{test}"));
    let output = run(dir.path(), &["v.test.toml", "--json", "--junit", "out.xml"]);
    assert!(!output.status.success());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["ok"], false);
    assert_eq!(report["tests"][0]["ok"], true);
    assert_eq!(report["tests"][1]["platform"], "web");
    assert_eq!(report["tests"][1]["problems"][0]["line"], 11);
    assert_eq!(report["coverage"][0]["flow"], "volunteers");
    let xml = fs::read_to_string(dir.path().join("out.xml")).unwrap();
    let timeless: Vec<String> = xml
        .lines()
        .map(|line| match line.split_once(" time=\"") {
            Some((before, after)) => {
                format!("{before}{}", after.split_once('"').map_or("", |(_, rest)| rest))
            }
            None => line.to_owned(),
        })
        .collect();
    assert_snapshot!(timeless.join("\n"), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites tests="2" failures="1" errors="0">
      <testsuite name="v.test.toml" tests="2" failures="1" errors="0">
        <testcase classname="v.test.toml" name="A &lt;b&gt;bold&lt;/b&gt; &quot;name&quot; (web)"/>
        <testcase classname="v.test.toml" name="One that fails (web)"><failure message="step 1: “Nowhere &amp; never” can't be pressed; what can be: “Start”, “Ask the team”, “Not now”">v.test.toml:11:12: step 1: “Nowhere &amp; never” can't be pressed; what can be: “Start”, “Ask the team”, “Not now”
      last read:
        - Volunteers
          **This is a bot** of Example Ltd. It keeps your answers for 180 days.
          [Start]
          [Ask the team]
          [Not now]</failure></testcase>
      </testsuite>
    </testsuites>
    "#);
}

/// A web hook at the end, for which one field is not meant.
const HOOKED: &str = r#"
format = 1
id = "trip"
version = "1"
title = "The trip"

[notice]
text = "This is a bot."
accept = "Start"
human = "Ask us"
decline = "Not now"

[approvals.override]
channel = "desk"

[data.traveller]
review = true

[data.traveller.fields]
name      = { type = "text", title = "Name" }
allergies = { type = "text", title = "Allergies", visible_to = ["team"] }

[[phase]]
id = "who"
title = "Who you are"
mode = "script"
uploads = { accept = ["pdf"], max_mb = 1, max_files = 1 }
objective = [{ id = "traveller", title = "Who travels", done = { reviewed = "traveller" } }]
step = [
  { id = "ticket", tool = "get_user_upload", args = { uploadType = "other", prompt = "Your ticket, please.", acceptedFormats = ["pdf"] } },
  { id = "traveller", tool = "submit_for_validation", args = { dataType = "traveller", data = { name = "", allergies = "" }, message = "Who travels?" } },
]
effect = [{ do = "webhook", url_from = "crm", include = ["traveller"] }]
"#;

/// What a test of [`HOOKED`] says whose end expects this.
fn hooked(expect: &str) -> (String, bool) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("trip.toml"), HOOKED).unwrap();
    let test = format!(
        "flow = \"trip.toml\"\n[[test]]\nname = \"A hook\"\nplatforms = [\"web\", \"slack\"]\nstep = [\n  {{ press = \"Start\" }},\n  \
         {{ upload = \"ticket.pdf\" }},\n  {{ fill = {{ Name = \"Ada\", Allergies = \"Nuts\" }} }},\n  {{ expect = {expect} }},\n]\n"
    );
    fs::write(dir.path().join("trip.test.toml"), test).unwrap();
    let output = run(dir.path(), &["trip.test.toml"]);
    (String::from_utf8(output.stderr).unwrap(), output.status.success())
}

#[test]
fn what_a_web_hook_gets_is_compared_member_by_member() {
    let (told, passes) = hooked(
        r#"{ hooks = { crm = { event = "phase_completed", data = { traveller = { name = "Ada" } }, files = [{ filename = "ticket.pdf" }] } }, hooks_missing = { crm = ["data.traveller.allergies", "decision"], ats = ["data"] } }"#,
    );
    assert!(passes, "{told}");

    let (told, passes) = hooked(
        r#"{ hooks = { crm = { data = { traveller = { name = "Grace" } } }, ats = { event = "phase_completed" } }, hooks_missing = { crm = ["data.traveller.name"] } }"#,
    );
    assert!(!passes);
    let wrong: Vec<&str> = told.lines().filter(|line| line.contains("step 4")).take(3).collect();
    assert_snapshot!(wrong.join("\n"), @r#"
      trip.test.toml:9:26: step 4: expected `crm.data.traveller.name` to be `"Grace"`; it is `"Ada"`
      trip.test.toml:9:79: step 4: the web hook `ats` hasn't been called; what has: `crm`
      trip.test.toml:9:143: step 4: `crm` has got `data.traveller.name`: `"Ada"`
    "#);
    let (told, _) =
        hooked(r#"{ hooks = { crm = { data = { traveller = { allergies = "Nuts" } } } } }"#);
    let why = "expected `crm.data.traveller.allergies` to be `\"Nuts\"`; there is none; the last request holds `{\"event\":";
    assert!(told.contains(why), "{told}");
}
