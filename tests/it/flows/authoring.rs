//! The tools of those who write flows: a schema for editors, a flow to begin with, a picture, a comparison.

use std::{fs, path::Path, process::Command};

use insta::assert_snapshot;
use quick_xml::{Reader, events::Event};
use serde_json::{Value, json};

use anteroom::{
    config::toml_document::TomlDocument,
    flow::{optional, shipped},
};

use super::mistakes;

/// A valid flow.
const VALID: &str = include_str!("../../fixtures/flows/volunteers.toml");

/// A flow with a branch, a jump over a phase, an effect that somebody decides, and characters that mean something in markup.
const SMALL: &str = r#"
format = 1
id = "small"
version = "2.0.0"
title = "Tea & <biscuits>"

[notice]
text = "A bot."
accept = "Go on"
human = "A person"
decline = "No"

[data.note]
schema_inline = '{ "type": "object", "properties": { "text": { "type": "string" } } }'

[[phase]]
id = "drinks"
title = "Drinks \"hot\""
mode = "script"
next = "end"

  [[phase.step]]
  id = "tea"
  tool = "get_user_option"
  args = { prompt = "Tea <or> `coffee` & *milk*?", options = [ { id = "yes", label = "Yes" }, { id = "no", label = "No" }, { id = "help", label = "Help" } ] }
  branch = { yes = "sugar", no = "@stop", help = "@handoff" }

  [[phase.step]]
  id = "why"
  tool = "request_user_input"
  when = "answers.tea == 'other'"
  args = { prompt = "Why?" }

  [[phase.step]]
  id = "sugar"
  tool = "get_user_option"
  args = { prompt = "Sugar?", options = [ { id = "one", label = "One" }, { id = "two", label = "Two" } ] }
  branch = { two = "tea" }

  [[phase.effect]]
  do = "post_summary"
  channel = "kitchen"
  include = ["note"]
  approval = "cooks"

[[phase]]
id = "cake"
title = "Cake"
mode = "interview"
fallback = "script"
when = "answers.tea == 'yes'"

  [[phase.objective]]
  id = "cake_chosen"
  title = "A cake"
  done = "model"

  [[phase.step]]
  id = "which"
  tool = "request_user_input"
  args = { prompt = "Which cake?" }

[[phase]]
id = "end"
title = "The end"
mode = "script"
"#;

/// What the program prints and complains of, and its exit code, in a folder with files.
fn ran(files: &[(&str, &str)], args: &[&str]) -> (String, String, i32) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(dir.path().join(name), text).unwrap();
    }
    ran_in(dir.path(), args)
}

fn ran_in(dir: &Path, args: &[&str]) -> (String, String, i32) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_anteroom"));
    let program = program.arg("flows").args(args).env_clear().env("HOME", dir).current_dir(dir);
    let output = program.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

pub(super) fn schema() -> Value {
    serde_json::from_str(&ran(&[], &["schema"]).0).unwrap()
}

fn value(flow: &str) -> Value {
    TomlDocument::parse("flow.toml", flow).unwrap().value().clone()
}

#[test]
fn every_valid_flow_fits_the_schema_for_editors() {
    let schema = jsonschema::draft7::new(&schema()).unwrap();
    let (new, _, _) = ran(&[], &["new", "first-day", "-o", "-"]);
    let boxed =
        shipped().into_iter().chain(optional().iter().copied()).map(|(_, flow)| flow.to_owned());
    let readme = include_str!("../../../README.md").split("```toml\n").skip(1);
    let readme = readme.filter_map(|rest| rest.split("\n```").next());
    let readme = readme.filter(|text| text.starts_with("format")).map(str::to_owned);
    let flows = boxed.chain([new, VALID.to_owned(), SMALL.to_owned()]).chain(readme);
    let flows: Vec<String> = flows.chain(mistakes::unusual()).collect();
    assert!(flows.len() > 25, "{}", flows.len());
    for flow in flows {
        let value = value(&flow);
        let wrong = schema.iter_errors(&value);
        let wrong: Vec<_> = wrong.map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(wrong.is_empty(), "{wrong:?} in\n{flow}");
    }
}

#[test]
fn the_schema_refuses_what_cannot_be_read() {
    let schema = jsonschema::draft7::new(&schema()).unwrap();
    for (from, to) in [
        ("summary = ", "sumary = "),
        ("quiet_hours = ", "quiet_hour = "),
        ("skip = \"never\"", "skip = \"nobody\""),
        ("expire_after = \"14d\"", "expire_after = \"a fortnight\""),
        ("mode = \"script\"", "mode = \"scripted\""),
        ("do = \"webhook\"", "do = \"webhok\""),
        ("  id = \"agree\"\n  tool", "  id = \"agree\"\n  tol"),
        ("done = { reviewed = \"person\" }", "done = { review = \"person\" }"),
    ] {
        assert!(VALID.contains(from), "{from}");
        assert!(!schema.is_valid(&value(&VALID.replacen(from, to, 1))), "{to}");
    }
}

#[test]
fn the_schema_offers_tools_and_explains_keys() {
    let schema = schema();
    let tools = schema["definitions"]["Tool"]["anyOf"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["const"] == "get_user_option"));
    assert_eq!(tools.last(), Some(&json!({ "type": "string" })));
    let keys = schema["definitions"].as_object().unwrap().values();
    for table in keys.filter_map(|table| table["properties"].as_object()) {
        for (key, schema) in table {
            assert!(schema["description"].is_string(), "`{key}` is not explained");
        }
    }
    assert!(!schema.to_string().contains("null"), "TOML has no null");
}

#[test]
fn a_new_flow_passes_the_check_as_it_is() {
    for (name, title) in
        [("first-day", "First day"), ("x", "X"), ("year-2-review", "Year 2 review")]
    {
        let dir = tempfile::tempdir().unwrap();
        let (said, told, code) = ran_in(dir.path(), &["new", name]);
        let file = format!("{name}.toml");
        assert_eq!((said.as_str(), code), ("", 0), "{told}");
        assert_eq!(told, format!("Wrote `{file}`. Next: `anteroom flows check {file}`.\n"));
        let flow = fs::read_to_string(dir.path().join(&file)).unwrap();
        assert!(flow.contains(&format!("title   = \"{title}\"")), "{flow}");
        let checked = ran_in(dir.path(), &["check", &file]);
        assert_eq!(checked, (format!("{file}: ok, flow `{name}`\n"), String::new(), 0));

        fs::write(dir.path().join(&file), "mine").unwrap();
        let (_, told, code) = ran_in(dir.path(), &["new", name]);
        assert_eq!(code, 1);
        assert!(told.contains("already exists"), "{told}");
        assert_eq!(fs::read_to_string(dir.path().join(&file)).unwrap(), "mine");
        assert_eq!(ran_in(dir.path(), &["new", name, "--force"]).2, 0);
        assert_eq!(fs::read_to_string(dir.path().join(&file)).unwrap(), flow);
    }
}

#[test]
fn a_folder_of_flows_is_checked_without_the_tests_in_it() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["one", "two"] {
        assert_eq!(ran_in(dir.path(), &["new", name]).2, 0);
    }
    fs::write(dir.path().join("one.test.toml"), "").unwrap();
    let (said, told, code) = ran_in(dir.path(), &["check", "."]);
    assert_eq!((said.lines().count(), code), (2, 0), "{said}{told}");
    let some = ran_in(dir.path(), &["check", "one.toml", "one.test.toml"]);
    assert_eq!(some, ("one.toml: ok, flow `one`\n".to_owned(), String::new(), 0));
    let (_, told, code) = ran_in(dir.path(), &["check", "one.test.toml"]);
    assert_eq!(code, 1);
    assert!(told.contains("there are no flows here"), "{told}");
}

#[test]
fn a_flow_in_a_file_is_shown() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(ran_in(dir.path(), &["new", "mine"]).2, 0);
    let (said, told, code) = ran_in(dir.path(), &["show", "mine.toml"]);
    assert_eq!((told.as_str(), code), ("", 0));
    assert!(said.starts_with("mine "), "{said}");
}

#[test]
fn the_commented_parts_of_a_new_flow_work_too() {
    let (flow, _, _) = ran(&[], &["new", "first-day", "-o", "-"]);
    let is_table =
        |line: &&str| line.starts_with("# [") || line.starts_with("  # [[phase.effect]]");
    assert_eq!(flow.lines().filter(is_table).count(), 3);
    let uncommented = |line: &str| {
        let code = line.trim_start().strip_prefix("# ").filter(|code| {
            code.starts_with('[')
                || code.split_once('=').is_some_and(|(key, _)| {
                    key.trim().chars().all(|c| c.is_ascii_lowercase() || c == '_')
                })
        });
        code.unwrap_or(line).to_owned()
    };
    let flow: Vec<String> = flow.lines().map(uncommented).collect();
    let (said, told, code) = ran(&[("flow.toml", &flow.join("\n"))], &["check", "flow.toml"]);
    assert_eq!((said.as_str(), code), ("flow.toml: ok, flow `first-day`\n", 0), "{told}");
}

#[test]
fn a_bad_name_for_a_new_flow_is_refused_with_a_reason() {
    let long = "a".repeat(61);
    let said = ["First Day", "-x", "x-", "a--b", "2x", "../x", "naïve", "job-match", &long]
        .map(|name| ran(&[], &["new", "--", name]))
        .map(|(_, told, code)| format!("{code} {}", told.lines().next().unwrap_or_default()));
    assert_snapshot!(said.join("\n"), @"
    1 error: `First Day` can't be the id of a flow
    1 error: `-x` can't be the id of a flow
    1 error: `x-` can't be the id of a flow
    1 error: `a--b` can't be the id of a flow
    1 error: `2x` can't be the id of a flow
    1 error: `../x` can't be the id of a flow
    1 error: `naïve` can't be the id of a flow
    1 error: `job-match` is a built-in flow
    1 error: the name is longer than 60 characters
    ");
}

#[test]
fn a_graph_in_mermaid_has_phases_steps_branches_jumps_effects_and_decisions() {
    let (graph, told, code) = ran(&[("small.toml", SMALL)], &["graph", "small.toml"]);
    assert_eq!((told.as_str(), code), ("", 0));
    assert_snapshot!(graph, @r#"
    flowchart TD
      %% Tea #38; #60;biscuits#62; 2.0.0
      start(["Notice"])
      subgraph p0["1 · Drinks #34;hot#34;"]
        p0n(["script-led"])
        p0s0["tea<br>get_user_option: Tea #60;or#62; #96;coffee#96; #38; #42;milk#42;?"]
        p0s1["why<br>request_user_input: Why?<br>if answers.tea == 'other'"]
        p0s2["sugar<br>get_user_option: Sugar?"]
        p0s3{{"post_summary<br>note to kitchen<br>decided by cooks"}}
      end
      subgraph p1["2 · Cake"]
        p1n(["model-led, falls back to script; only if answers.tea == 'yes…"])
        p1s0(["the model leads<br>A cake"])
        p1s1["which<br>request_user_input: Which cake?"]
      end
      subgraph p2["3 · The end"]
        p2n(["script-led"])
      end
      done(["Done"])
      start --> p0n
      p0n --> p0s0
      p0s0 -- "help" --> p0s0e0(["a person"])
      p0s0 -- "no" --> p0s0e1(["stop"])
      p0s0 -- "yes" --> p0s2
      p0s1 --> p0s2
      p0s2 --> p0s3
      p0s2 -- "two" --> p0s0
      p0s3 --> p2n
      p1n --> p1s0
      p1s0 --> p2n
      p1s0 -. "without a model" .-> p1s1
      p1s1 --> p2n
      p2n --> done
    "#);
}

#[test]
fn a_graph_says_when_a_part_and_an_effect_come() {
    let (graph, ..) = ran(&[], &["graph", "volunteer-onboarding"]);
    for words in [
        "5 · Your first week (after 5 working days)",
        "discord_add_role when it is approved",
        "set score",
    ] {
        assert!(graph.contains(words), "{words}: {graph}");
    }
}

#[tokio::test]
#[cfg(feature = "consulting")]
async fn a_graph_in_mermaid_can_be_drawn() {
    for flow in ["small.toml", "job-match", "consulting-discovery", "volunteer-onboarding"] {
        let (graph, told, _) = ran(&[("small.toml", SMALL)], &["graph", flow]);
        let drawn = anteroom::ports::documents::Printer::default().diagram(&graph).await;
        assert!(drawn.is_ok(), "{flow}: {:?}\n{told}{graph}", drawn.err());
    }
}

/// The texts of an SVG, which must be well-formed.
fn texts(svg: &str) -> Vec<String> {
    let mut reader = Reader::from_str(svg);
    reader.config_mut().check_end_names = true;
    let (mut texts, mut open) = (Vec::new(), Vec::new());
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                for attribute in start.attributes() {
                    attribute.unwrap();
                }
                open.push(start.name().as_ref().to_owned());
                texts.push(String::new());
            }
            Event::End(_) => {
                open.pop().unwrap();
            }
            Event::Text(text) => {
                if let Some(last) = texts.last_mut() {
                    last.push_str(text.as_ref());
                }
            }
            Event::GeneralRef(name) => {
                let sign = match name.as_ref() {
                    "amp" => "&",
                    "lt" => "<",
                    "gt" => ">",
                    "quot" => "\"",
                    other => panic!("{other:?}"),
                };
                texts.last_mut().unwrap().push_str(sign);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(open.is_empty());
    texts
}

#[test]
fn a_graph_as_a_picture_is_well_formed_and_holds_each_step_once() {
    let (svg, told, code) =
        ran(&[("small.toml", SMALL)], &["graph", "small.toml", "--format", "svg"]);
    assert_eq!((told.as_str(), code), ("", 0));
    let shown = texts(&svg);
    for step in ["tea", "why", "sugar", "which", "post_summary"] {
        assert_eq!(shown.iter().filter(|text| *text == step).count(), 1, "{step}");
    }
    for words in [
        "Tea & <biscuits> 2.0.0",
        "1 · Drinks \"hot\"",
        "get_user_option: Tea <or> `coffee` & *milk*?",
        "if answers.tea == 'other'",
        "decided by cooks",
        "a person",
        "without a model",
    ] {
        assert!(shown.iter().any(|text| text == words), "`{words}` in {shown:?}");
    }
    assert!(svg.contains("<title id=\"title\">Tea &amp; &lt;biscuits&gt; 2.0.0</title>"));

    for (flow, _) in shipped().into_iter().chain(optional().iter().copied()) {
        let id = flow.strip_suffix(".toml").unwrap();
        let (svg, told, _) = ran(&[], &["graph", id, "--format", "svg"]);
        assert!(texts(&svg).len() > 20, "{id}: {told}");
    }
}

fn compared(before: &str, after: &str) -> (String, i32) {
    let files = [("a.toml", before), ("b.toml", after)];
    let (said, told, code) = ran(&files, &["diff", "a.toml", "b.toml"]);
    assert_eq!(told, "");
    (said, code)
}

#[test]
fn flows_that_mean_the_same_do_not_differ() {
    let comments = VALID.replace("[[phase]]", "# A comment.\n\n[[phase]]");
    // A default written out, and a schema laid out in another way.
    let written = comments
        .replace("title = \"Volunteers\"", "title = \"Volunteers\"\nlocale = \"en\"")
        .replace("expires = \"72h\"", "expires = \"3d\"\nquorum = 1")
        .replace("\"required\": [\"name\", \"email\"], ", "\"required\":[\"name\",\"email\"],");
    assert_eq!(compared(VALID, VALID), ("The files are the same.\n".to_owned(), 0));
    assert_eq!(compared(VALID, &written), ("The flows mean the same.\n".to_owned(), 0));
}

#[test]
fn a_difference_is_told_by_name() {
    let changed = [
        ("label = \"Drive\"", "label = \"Drive a van\""),
        ("{ id = \"teach\", label = \"Teach\" }", "{ id = \"sing\", label = \"Sing\" }"),
        ("transcript = \"180d\"", "transcript = \"90d\""),
        ("channel = \"recruiting_approvals\"", "channel = \"leads\""),
        ("\"maxLength\": 80", "\"maxLength\": 60"),
        ("  ask = \"@handoff\"", "  ask = \"@skip\""),
        ("skip = \"never\"", "skip = \"admin\""),
        ("include = [\"person\"]", "include = [\"person\", \"note\"]"),
        (
            "Please send a copy of your driving licence.",
            "Please send a copy of both sides of your driving licence.",
        ),
    ];
    let changed = changed.iter().fold(VALID.to_owned(), |flow, (from, to)| {
        assert!(flow.contains(from), "{from}");
        flow.replacen(from, to, 1)
    });
    let (said, code) = compared(VALID, &changed);
    assert_eq!(code, 1);
    assert_snapshot!(said, @r#"
    ~ retention › transcript: 180d → 90d
    ~ approvals › override › channel: "recruiting_approvals" → "leads"
    ~ data › person › schema › properties › name › maxLength: 80 → 60
    ~ phase consent › objective consent_given › skip: "never" → "admin"
    ~ phase consent › step agree › branch › ask: "@handoff" → "@skip"
    ~ phase details › step topics › option drive › label: "Drive" → "Drive a van"
    - phase details › step topics › option teach
    + phase details › step topics › option sing
    ~ phase details › step licence › prompt
        before: "Please send a copy of your driving licence."
        after:  "Please send a copy of both sides of your driving licence."
    ~ phase closing › effect webhook ats_webhook › include: ["person"] → ["person","note"]

    Conversations under way keep the flow that they began with, with its texts, times and retention. Those that begin after the change is loaded follow the new one. Both say `version = "1.0.0"`: give the new one another, so that people can tell them apart.
    "#);
}

#[test]
fn the_order_of_steps_counts() {
    let steps: Vec<&str> = SMALL.split("  [[phase.step]]\n").collect();
    let moved = SMALL.replacen(steps[2], "HERE", 1).replacen(steps[1], steps[2], 1);
    let moved =
        moved.replacen("HERE", steps[1], 1).replace("version = \"2.0.0\"", "version = \"2.0.1\"");
    let (said, code) = compared(SMALL, &moved);
    assert_eq!(code, 1);
    assert_snapshot!(said, @r#"
    ~ version: "2.0.0" → "2.0.1"
    ~ phase drinks › step, order: tea, why, sugar → why, tea, sugar

    Conversations under way keep the flow that they began with, with its texts, times and retention. Those that begin after the change is loaded follow the new one.
    "#);
}

#[test]
fn a_difference_is_told_to_programs() {
    let changed = VALID.replace("label = \"Cook\"", "label = \"Bake\"");
    let files = [("a.toml", VALID), ("b.toml", changed.as_str())];
    let (said, _, code) = ran(&files, &["diff", "a.toml", "b.toml", "--json"]);
    let told: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(code, 1);
    assert_eq!(told["equal"], false);
    assert_ne!(told["digests"]["before"], told["digests"]["after"]);
    let path = ["phase details", "step topics", "option cook", "label"];
    let change = json!({ "kind": "changed", "path": path, "before": "Cook", "after": "Bake" });
    assert_eq!(told["changes"], json!([change]));
    let (said, _, code) = ran(&files, &["diff", "a.toml", "a.toml", "--json"]);
    let told: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((code, &told["equal"], &told["changes"]), (0, &json!(true), &json!([])));
}

#[test]
fn a_flow_is_compared_by_id_as_well_and_one_that_is_not_there_is_told() {
    let (said, _, code) = ran(&[], &["diff", "job-match", "community-welcome"]);
    assert_eq!(code, 1);
    assert!(said.contains("These are two flows, `job-match` and `community-welcome`"), "{said}");
    let (_, told, code) = ran(&[], &["graph", "job-mach"]);
    assert_eq!(code, 1);
    assert_snapshot!(told, @"
    error: there is no flow `job-mach`
    hint: run `anteroom flows list` to see them all
    ");
    let (_, told, code) = ran(&[], &["diff", "job-match", "missing.toml"]);
    assert_eq!(code, 1);
    assert_snapshot!(told, @"missing.toml: could not be read: No such file or directory (os error 2). hint: check the path");
}
