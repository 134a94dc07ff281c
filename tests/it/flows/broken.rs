//! Flows with one thing wrong, and what is said about it.

use super::{changed, said, source};

#[test]
fn a_misspelt_key_is_named_with_its_line_and_what_was_meant() {
    let flow = changed(
        "candidate",
        r#"remind_after  = ["24h", "72h"]"#,
        r#"remind_afer   = ["24h", "72h"]"#,
    );
    insta::assert_snapshot!(said(&flow), @"flow.toml:81:1: unknown key `remind_afer`. hint: did you mean `remind_after`?");
}

#[test]
fn a_misspelt_key_does_not_hide_what_else_is_wrong() {
    let flow = changed(
        "candidate",
        r#"remind_after  = ["24h", "72h"]"#,
        r#"remind_afer   = ["24h", "72h"]"#,
    );
    let flow = flow
        .replacen("\"get_macos_contact_card\", \"req", "\"get_macos_contact_cart\", \"req", 1)
        .replacen("builtin:writing_sample", "builtin:writing_simple", 1)
        .replacen("channel = \"recruiting_desk\"", "channel = \"nowhere\"", 1);
    insta::assert_snapshot!(said(&flow), @"
    flow.toml:81:1: unknown key `remind_afer`. hint: did you mean `remind_after`?
    flow.toml:102:1: the alias `nowhere` is not configured. hint: add `nowhere = …` under `[slack.channels] or [discord.channels]` in the configuration
    flow.toml:129:1: there is no built-in schema `writing_simple`. hint: did you mean `writing_sample`?
    flow.toml:144:68: there is no tool `get_macos_contact_cart`. hint: did you mean `get_macos_contact_card`?
    ");
}

#[test]
fn a_web_hook_is_missed_only_where_others_are_set_up() {
    let mut aliases = anteroom::flow::Aliases::from(&super::example());
    let check = |aliases: &anteroom::flow::Aliases| {
        let flow = source("candidate");
        let found = anteroom::flow::check_source(
            flow,
            "f",
            &super::vars(),
            super::catalogue,
            Some(aliases),
        );
        match found {
            Ok((_, warnings)) => anteroom::config::render(&warnings),
            Err(problems) => anteroom::config::render(&problems),
        }
    };
    aliases.webhooks = Some(["other".to_owned()].into());
    insta::assert_snapshot!(check(&aliases), @"f:575:3: the alias `ats_webhook` is not configured. hint: add `ats_webhook = …` under `[webhooks]` in the configuration");
    aliases.webhooks = None;
    insta::assert_snapshot!(check(&aliases), @"f:575:3: warning: no web hook is set up, so nothing is sent to `ats_webhook`. hint: add `ats_webhook = …` under `[webhooks]` in the configuration");
}

#[test]
fn an_unknown_tool_is_named_with_what_was_meant() {
    let flow = changed(
        "candidate",
        r#""get_macos_contact_card", "request_user_input""#,
        r#""get_macos_contact_cart", "request_user_input""#,
    );
    insta::assert_snapshot!(said(&flow), @"flow.toml:144:68: there is no tool `get_macos_contact_cart`. hint: did you mean `get_macos_contact_card`?");
}

#[test]
fn a_review_needs_a_way_to_submit() {
    let flow = changed(
        "candidate",
        r#"         "submit_for_validation", "persist_data", "set_objective_status", "next_phase"]
uploads = { accept = ["pdf", "docx", "txt", "md"], max_mb = 10, max_files = 3 }
prompt = """
Order"#,
        r#"         "persist_data", "set_objective_status", "next_phase"]
uploads = { accept = ["pdf", "docx", "txt", "md"], max_mb = 10, max_files = 3 }
prompt = """
Order"#,
    );
    insta::assert_snapshot!(said(&flow), @"
    flow.toml:152:25: warning: the prompt speaks of `submit_for_validation`, which is not among the tools. hint: add it to `tools`, or take it out of the prompt
    flow.toml:161:3: with a model `applicant_profile` can never be reached. hint: `submit_for_validation` is not among the tools of the phase
    flow.toml:167:3: with a model `skeleton_timeline` can never be reached. hint: `submit_for_validation` is not among the tools of the phase
    flow.toml:174:3: with a model `education_history` can never be reached. hint: `submit_for_validation` is not among the tools of the phase
    ");
}

#[test]
fn a_length_of_time_is_written_with_its_unit() {
    let flow =
        changed("candidate", r#"expire_after  = "14d""#, r#"expire_after  = "2 fortnights""#);
    insta::assert_snapshot!(said(&flow), @"flow.toml:82:1: `2 fortnights` is not a duration. hint: for example, `24h` or `14d`");
}

#[test]
fn an_answer_must_be_an_option_of_its_step() {
    let flow = changed("community", r#"with = ["accept"]"#, r#"with = ["acept"]"#);
    insta::assert_snapshot!(said(&flow), @"flow.toml:108:49: step `rules` has no option `acept`. hint: did you mean `accept`?");
}

#[test]
fn an_objective_is_there_once() {
    let flow = changed("candidate", r#"id = "education_history""#, r#"id = "skeleton_timeline""#);
    insta::assert_snapshot!(said(&flow), @"flow.toml:170:3: duplicate objective `skeleton_timeline`. hint: every objective of a flow needs an id of its own");
}

#[test]
fn a_misspelt_condition_is_named_with_what_was_meant() {
    let flow = changed(
        "candidate",
        r#"done = { reviewed = "applicant_profile" }"#,
        r#"done = { reviewd = "applicant_profile" }"#,
    );
    insta::assert_snapshot!(said(&flow), @"flow.toml:161:12: unknown key `reviewd`. hint: did you mean `reviewed`?");
}

#[test]
fn more_options_than_menus_hold_are_too_many() {
    let lurk = r#"    { id = "lurk",    label = "Just reading" },
"#;
    let more: Vec<String> =
        (0..96).map(|n| format!("    {{ id = \"o{n}\", label = \"Option {n}\" }},")).collect();
    let flow = changed("community", lurk, &format!("{lurk}{}\n", more.join("\n")));
    let said = said(&flow);
    insta::assert_snapshot!(said.lines().next().unwrap(), @"flow.toml:171:3: expected at most 100 entries");
}

#[test]
fn a_variable_in_a_text_is_declared() {
    let flow = changed("community", "{{privacy_url}}", "{{privacy_link}}");
    insta::assert_snapshot!(said(&flow), @"flow.toml:29:92: `{{privacy_link}}` is not declared. hint: did you mean `privacy_url`?");
}

#[test]
fn objectives_do_not_wait_for_each_other() {
    let flow = changed(
        "candidate",
        r#"  title = "Contact details"
"#,
        r#"  title = "Contact details"
  after = ["skeleton_timeline"]
"#,
    );
    insta::assert_snapshot!(said(&flow), @"flow.toml:161:3: circular dependency: `applicant_profile` → `skeleton_timeline` → `applicant_profile`");
}

#[test]
fn the_models_word_alone_is_worth_a_warning() {
    let flow = changed(
        "candidate",
        r#"done = { any = [ { all = [ { talked = 3 }, "model" ] }, { answered = { step = "deep_dive_result" } } ] }"#,
        r#"done = { any = [ "model", { answered = { step = "deep_dive_result" } } ] }"#,
    );
    insta::assert_snapshot!(said(&flow), @"flow.toml:304:3: warning: `interviewed_one_experience` is completed by the model's judgement alone. hint: add evidence, such as `{ reviewed = … }` or `{ talked = 3 }`");
}

#[test]
fn scoring_people_is_worth_a_warning() {
    let flow = changed("candidate", "score_people = false", "score_people = true");
    insta::assert_snapshot!(said(&flow), @"flow.toml:67:1: warning: this flow scores people. hint: many jurisdictions require notice, a bias audit and a human decision");
}

#[test]
fn an_invitation_on_discord_needs_a_thread() {
    let flow = changed(
        "candidate",
        r#"place      = "private-thread""#,
        r#"place      = "dm"            "#,
    );
    insta::assert_snapshot!(said(&flow), @r#"flow.toml:20:1: warning: nobody can be invited on Discord. hint: set `place = "private-thread"`, and as `parent` a channel that members see"#);
}

#[test]
fn scoring_people_unawares_is_refused() {
    let flow = changed("candidate", "score_people = false", "score_people = true");
    let flow = flow.replacen("[notice]\nrequired = true", "[notice]\nrequired = false", 1);
    insta::assert_snapshot!(said(&flow), @"
    flow.toml:67:1: people would be scored without being told. hint: add a `[notice]` with `required = true` that says so
    flow.toml:67:1: warning: this flow scores people. hint: many jurisdictions require notice, a bias audit and a human decision
    ");
}

#[test]
fn a_tool_that_scores_people_needs_the_policy() {
    let flow = changed(
        "candidate",
        "\"extract_document\"",
        "\"extract_document\", \"calculate_similarity\"",
    );
    insta::assert_snapshot!(said(&flow), @"flow.toml:144:68: `calculate_similarity` scores people. hint: write `score_people = true` under `[policy]`, and weigh what that asks of you");
}

#[test]
fn short_memory_of_decisions_is_worth_a_warning() {
    let flow = changed("candidate", r#"audit      = "1460d""#, r#"audit      = "90d""#);
    insta::assert_snapshot!(said(&flow), @"flow.toml:89:1: warning: decisions are kept for only 90 days. hint: decisions about people should be kept for at least half a year");
}

#[test]
fn a_missing_key_is_named() {
    let flow = changed(
        "community",
        r#"title   = "Community welcome"
"#,
        "",
    );
    insta::assert_snapshot!(said(&flow), @"flow.toml: `title` is missing");
}

#[test]
fn a_number_in_quotes_is_no_number() {
    let flow = changed("candidate", "turns         = 150 ", r#"turns         = "150" "#);
    insta::assert_snapshot!(said(&flow), @"flow.toml:76:1: expected a whole number, found text. hint: write `150` without quotes");
}

#[test]
fn a_number_too_large_for_its_place_has_a_line() {
    let flow = changed("candidate", "turns         = 150 ", "turns         = 99999999999 ");
    insta::assert_snapshot!(said(&flow), @"flow.toml:76:17: invalid value: integer `99999999999`, expected u32");
}

#[test]
fn a_word_that_is_none_of_those_known_is_named_with_what_was_meant() {
    let flow = changed("candidate", r#"decider   = "admin""#, r#"decider   = "admins""#);
    insta::assert_snapshot!(said(&flow), @"flow.toml:93:1: `admins` is not one of `participant`, `admin`, `participant-then-admin`. hint: did you mean `admin`?");
}

#[test]
fn an_unknown_effect_is_named_with_what_was_meant() {
    let flow = changed("community", r#"do   = "discord_add_role""#, r#"do   = "discord_add_rule""#);
    insta::assert_snapshot!(said(&flow), @"flow.toml:141:3: `discord_add_rule` is not one of `post_summary`, `webhook`, `discord_add_role`, `discord_add_roles_from`, `discord_post`. hint: did you mean `discord_add_role`?");
}

#[test]
fn a_key_of_an_effect_is_checked_for_that_effect() {
    let flow = changed(
        "community",
        r#"  role = "member"
"#,
        r#"  rol = "member"
"#,
    );
    insta::assert_snapshot!(said(&flow), @"
    flow.toml:140:3: `role` is missing
    flow.toml:142:3: unknown key `rol`. hint: did you mean `role`?
    ");
}

#[test]
fn a_word_that_is_no_condition_is_named() {
    let flow = changed("candidate", r#"{ talked = 3 }, "model""#, r#"{ talked = 3 }, "modell""#);
    insta::assert_snapshot!(said(&flow), @"flow.toml:304:46: `modell` is not one of `model`. hint: did you mean `model`?");
}

#[test]
fn something_else_than_a_condition_is_told_what_one_looks_like() {
    let flow =
        changed("candidate", r#"done = { reviewed = "applicant_profile" }"#, r#"done = "laptop""#);
    let said = said(&flow);
    assert!(said.contains("expected `model` or a table with one of `"), "{said}");
}

#[test]
fn a_table_in_place_of_a_list_is_told_how_the_list_is_written() {
    let flow = "format = 1\nid = \"x\"\nversion = \"1\"\ntitle = \"X\"\n[phase]\nid = \"p\"\n";
    let said = said(flow);
    assert!(
        said.contains("expected a list in brackets, found a table. hint: write `[[phase]]`"),
        "{said}"
    );
}

#[test]
fn an_extension_has_no_dot() {
    let flow = changed("candidate", r#"accept = ["pdf", "#, r#"accept = [".pdf", "#);
    let said = said(&flow);
    assert!(said.contains("extensions have no dot here. hint: write `pdf`"), "{said}");
}

#[test]
fn a_syntax_error_has_its_place() {
    let flow = changed("community", r#"locale  = "en""#, r#"locale  = "en"#);
    insta::assert_snapshot!(said(&flow), @r#"flow.toml:9:14: invalid basic string, expected `"`. hint: this is not valid TOML"#);
}

#[test]
fn a_branch_leads_from_an_option() {
    let flow = changed("community", r#"question = "@handoff""#, r#"questions = "@handoff""#);
    insta::assert_snapshot!(said(&flow), @"flow.toml:128:3: this step never results in `questions`. hint: did you mean `question`?");
}

#[test]
fn a_branch_leads_to_a_step_of_the_phase() {
    let flow = changed(
        "candidate",
        r#"upload  = "resume"
  contact"#,
        r#"upload  = "resum"
  contact"#,
    );
    insta::assert_snapshot!(said(&flow), @"flow.toml:194:3: there is no step `resum` in this phase. hint: did you mean `resume`?");
}

#[test]
fn a_script_that_cannot_end_is_found() {
    let flow = changed(
        "community",
        r#"  [phase.step.branch]
  no = "@stop"
"#,
        r#"  [phase.step.branch]
  no = "@stop"
  yes = "rules"
"#,
    );
    insta::assert_snapshot!(said(&flow), @"flow.toml:117:11: the script of `phase_1_rules` can never end. hint: let one branch lead to the next phase");
}

#[test]
fn a_phase_with_no_script_cannot_be_left_without_a_model() {
    let flow = changed(
        "candidate",
        r#"title = "The basics"
mode  = "interview"
fallback = "script"
"#,
        r#"title = "The basics"
mode  = "interview"
"#,
    );
    insta::assert_snapshot!(said(&flow), @r#"flow.toml:141:1: warning: without a model, a person of the team must lead `phase_1_core_facts`. hint: add `[[phase.step]]` and `fallback = "script"`"#);
}

#[test]
fn a_script_that_never_asks_for_what_is_needed_is_found() {
    let flow = changed(
        "candidate",
        r#"dataType = "education_history""#,
        r#"dataType = "applicant_profile""#,
    );
    insta::assert_snapshot!(said(&flow), @r#"
    flow.toml:174:3: without a model `education_history` can never be reached. hint: no step submits `education_history` for validation
    flow.toml:278:20: unknown key `education`. hint: `education_history` has it: did you mean `dataType = "education_history"`?
    "#);
}

#[test]
fn a_model_that_cannot_leave_a_phase_is_found() {
    let flow = changed(
        "community",
        r#""set_objective_status", "next_phase"]"#,
        r#""set_objective_status"]"#,
    );
    insta::assert_snapshot!(said(&flow), @"flow.toml:205:1: the model can never leave `phase_3_introduction`. hint: add `next_phase` to its tools");
}

#[test]
fn a_model_may_talk_in_the_last_phase_for_as_long_as_somebody_likes() {
    let flow = r#"
format  = 1
id      = "talk"
version = "1.0.0"
title   = "Talk"
summary = "One question after another."
locale  = "en"
vars    = []

[persona]
prompt = "Ask one question at a time with get_user_option."

[[phase]]
id    = "talk"
title = "Talk"
mode  = "interview"
tools = ["get_user_option"]

  [[phase.objective]]
  id    = "done"
  title = "Everything is asked"
  done  = "model"
"#;
    insta::assert_snapshot!(said(flow), @r#"
    flow.toml:16:1: warning: without a model, a person of the team must lead `talk`. hint: add `[[phase.step]]` and `fallback = "script"`
    flow.toml:17:1: warning: the model can never end `talk`. hint: add `next_phase` to its tools, unless it goes on until the participant stops
    flow.toml:22:3: warning: `done` is completed by the model's judgement alone. hint: add evidence, such as `{ reviewed = … }` or `{ talked = 3 }`
    "#);
    // Something waits for its end.
    let effect = "  [[phase.effect]]\n  do = \"webhook\"\n  url_from = \"hr\"\n  include = []\n";
    let flawed = said(&format!("{flow}\n{effect}"));
    assert!(flawed.contains("the model can never leave `talk`"), "{flawed}");
    let next = flow.split_once("[[phase]]").unwrap().1.replace("\"talk\"", "\"more\"");
    let flawed = said(&format!("{flow}\n[[phase]]{}", next.replace("\"done\"", "\"all\"")));
    assert!(flawed.contains("the model can never leave `talk`"), "{flawed}");
}

#[test]
fn a_list_of_the_scripts_making_keeps_the_bounds() {
    let flow = changed(
        "candidate",
        r#"  "$also" = [ { id = "project", label = "A project of my own" }, { id = "other", label = "Something else" } ]
  "$most" = 4
"#,
        r#"  "$also" = [ { id = "project", label = "A project of my own" } ]
"#,
    );
    insta::assert_snapshot!(said(&flow), @r#"
    flow.toml:332:20: this may yield more than 100 entries. hint: add `"$most" = 99`
    flow.toml:332:20: this may yield only 1 entry; at least 2 are required. hint: add fixed ones under `$also`
    "#);
}

#[test]
fn an_expression_speaks_of_what_exists() {
    let flow = changed(
        "candidate",
        r#""{{ labels.next_role }}""#,
        r#""{{ label.next_rol }} {{ records.candidat_dossier.x }}""#,
    );
    insta::assert_snapshot!(said(&flow), @"
    flow.toml:561:3: `label` is not defined here. hint: did you mean `labels`?
    flow.toml:561:3: there is no data `candidat_dossier`. hint: did you mean `candidate_dossier`?
    ");
}

#[test]
fn an_expression_that_does_not_compile_is_found() {
    let flow = changed(
        "candidate",
        r#"when = "answers.attach == 'yes'""#,
        r#"when = "answers.attach == 'yes""#,
    );
    insta::assert_snapshot!(said(&flow), @"flow.toml:392:3: `answers.attach == 'yes` is not a valid expression: unexpected end of string. hint: close the quotes");
}

#[test]
fn an_expression_of_another_language_is_told_in_this_one() {
    for (written, hint) in [
        ("{{ answers.attach }}", "leave out the braces"),
        ("answers.attach = 'yes'", "compare with `==`"),
        ("answers.attach == 'yes' || false", "write `and` and `or`"),
    ] {
        let to = format!("when = \"{written}\"");
        let flow = changed("candidate", r#"when = "answers.attach == 'yes'""#, &to);
        let said = said(&flow);
        assert!(said.contains(&format!(". hint: {hint}")), "{said}");
    }
}

#[test]
fn arguments_of_a_step_satisfy_the_tool() {
    let flow = changed(
        "candidate",
        r#"  dataType = "knowledge_card"
"#,
        r#"  dataType = "knowledge_cart"
  mesage = "x"
"#,
    );
    insta::assert_snapshot!(said(&flow), @"
    flow.toml:310:3: without a model `one_card_generated` can never be reached. hint: no step submits `knowledge_card` for validation
    flow.toml:402:3: `knowledge_cart` is not one of `applicant_profile`, `candidate_dossier`, `education_history`, `knowledge_card`, `skeleton_timeline`, `applicantProfile`, `experience`, `education`, `knowledgeCard`. hint: did you mean `knowledge_card`?
    flow.toml:403:3: `submit_for_validation` has no argument `mesage`. hint: did you mean `message`?
    ");
}

#[test]
fn a_decision_that_nobody_takes_is_refused() {
    let flow = changed("candidate", "quorum    = 1", "quorum    = 0");
    insta::assert_snapshot!(said(&flow), @"flow.toml:95:1: with a quorum of 0, nobody would have to decide. hint: set `quorum` to 1 or more");
}

#[test]
fn an_alias_resolves_on_the_platforms_in_use() {
    let flow = changed(
        "candidate",
        r#"[handoff]
channel = "recruiting_desk""#,
        r#"[handoff]
channel = "recruiting_disk""#,
    );
    insta::assert_snapshot!(said(&flow), @"flow.toml:102:1: the alias `recruiting_disk` is not configured. hint: add `recruiting_disk = …` under `[slack.channels] or [discord.channels]` in the configuration; or did you mean `recruiting_desk`?");
}

#[test]
fn a_phase_leads_forward_only() {
    let flow = changed(
        "candidate",
        r#"title = "In your own words"
"#,
        r#"title = "In your own words"
next = "phase_1_core_facts"
"#,
    );
    insta::assert_snapshot!(said(&flow), @"flow.toml:423:1: `phase_1_core_facts` does not come after this phase. hint: `next` must name a later phase");
}

#[test]
fn data_that_is_not_kept_cannot_be_posted() {
    let flow = changed(
        "community",
        r#"  data    = "introduction"
"#,
        r#"  data    = "interests"
"#,
    );
    insta::assert_snapshot!(said(&flow), @"flow.toml:231:3: `interests` is never reviewed. hint: set `review = true` under `[data.interests]`");
}

#[test]
fn a_schema_that_is_not_in_the_box_is_named() {
    let flow = changed("candidate", r#"builtin:education""#, r#"builtin:educaton""#);
    insta::assert_snapshot!(said(&flow), @"flow.toml:119:1: there is no built-in schema `educaton`. hint: did you mean `education`?");
}

#[test]
fn every_mistake_is_told_at_once() {
    let flow = changed("community", "locale  = \"en\"", "local = \"en\"")
        .replace("max_rounds", "rounds")
        .replace("turns        = 40", "turns = true")
        .replace("mode  = \"script\"", "mode = \"scripted\"");
    insta::assert_snapshot!(said(&flow), @"
    flow.toml:9:1: unknown key `local`. hint: did you mean `locale`?
    flow.toml:58:1: expected a whole number, found `true`
    flow.toml:102:1: `scripted` is not one of `interview`, `script`. hint: did you mean `script`?
    flow.toml:149:1: `scripted` is not one of `interview`, `script`. hint: did you mean `script`?
    flow.toml:238:1: `scripted` is not one of `interview`, `script`. hint: did you mean `script`?
    ");
}

/// Every so many lines one is taken out; all of them take half a minute.
const STRIDE: usize = 17;

#[test]
fn a_line_that_is_missing_leaves_a_flow_or_something_to_say() {
    for name in ["candidate", "community"] {
        let lines: Vec<&str> = source(name).lines().collect();
        for gone in (0..lines.len()).step_by(STRIDE) {
            let mut kept = lines.clone();
            let line = kept.remove(gone);
            let said = said(&kept.join("\n"));
            let placed = said.lines().all(|said| said.starts_with("flow.toml:"));
            assert!(placed, "without `{line}`: {said}");
        }
    }
}
