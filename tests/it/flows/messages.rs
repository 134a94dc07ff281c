//! `docs/flow-check.md` is made from flows with one mistake each; `ANTEROOM_REWRITE=1` writes it anew.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use super::{
    consequences, contradictions, effects, harms, mistakes::mistaken, promises, said, slips,
};

const HEAD: &str = "# What the check of a flow says

`anteroom flows check FILE` reads the file, checks it by rule, and then runs it: by the script alone, on the page, in Slack and in Discord, until every answer that it
came across was given; then with a model, where one may lead, and with contact cards. Each message has a place, `my-flow.toml:12:5`, says what is wrong, and mostly what to do. An error stops the flow from being started; a
`warning` doesn't.

## What the run finds

| message | what to do |
|---|---|
| `this question comes out empty (after …)` | give what it shows a `default(…)`, or ask it only `when` it is there |
| `this condition fails: … (after …)` | the expression can't be evaluated; it may be about something that isn't there or is of another type |
| `this can't be filled in: … (after …)` | the same in a text or an argument. When it happens in a conversation, the question isn't asked and the team is called |
| `{{ … }} is empty here (after …)` | a warning: the answer was skipped, lapsed or never asked for on this path; write `default('…')`, or put the sentence in `{% if … %}` |
| `this step fails: … (after …)` | the tool refuses the arguments that come out, or one has no value after these answers |
| `every answer is refused here: … (after …)` | no answer fits: look at the bounds of the form or at the file types |
| `the conversation gets stuck: nothing is asked, and it isn't over (after …)` | an objective can't be met by what is left of the script |
| `the conversation never ends (after …)` | a branch leads round in a circle |
| `the script can't go on, so a person of the team is asked: nothing completes … (after …)` | a warning: give the objective the `when` of its step, or see whether that is contradictions |
| `… is never asked, whatever people answer` | its `when`, or the branches before it, leave it out |
| `… never comes, whatever people answer` | the `when` of the phase was never true |
| `this asks about “…”, which never_ask forbids` | leave the question out, or the topic |
| `after … answers the team is asked to take over, and the script is longer` | raise `turns` under `[limits]` |
| `the team is asked for a decision 3 times at most, and here once more (after …)` | a warning: count the requests with a `set` step, and lead on before |
| `no answers lead to the end of this flow` | some required objective can't be met by the script |
| `a model can't complete this: … (with a model, after …)` | a tool of the phase refuses what the objective needs, or nothing that the model can do there counts |
| `a model can't use … here: …` | a warning: take the tool out of `tools`, or allow what it needs |
| `this comes to nothing: … (with a model, after …)` | a warning: the effect needs what only the script asks or stores; let the model store it, too |

Each phase is passed over once, too, as the team may do: what goes wrong only then is a warning, `(after … details: let past by the team)`.
The answers that lead there stand in brackets, by step, and before them who else took part: `with a model`, `with a full contact card`,
`with a contact card that has a name only`. Not everything can be tried in a long flow; what was not reached is then worth a warning.

## What the rules find

Messages about example flows with one mistake each; names in backticks are those of the examples.

| message | what to do |
|---|---|
";

/// The parts of `flow.toml:12:5: warning: message. hint: what to do`.
fn parts(line: &str) -> (String, String) {
    let told = line.splitn(4, ':').nth(3).unwrap_or_default().trim();
    let (message, hint) = told.split_once(". hint: ").unwrap_or((told, ""));
    (message.replace('|', "\\|"), hint.replace('|', "\\|"))
}

#[test]
fn the_messages_of_the_check_are_listed() {
    let mut messages = BTreeMap::new();
    for flow in mistaken()
        .chain(slips::all())
        .chain(harms::all())
        .chain(contradictions::all())
        .chain(promises::all())
        .chain(effects::all())
        .chain(consequences::all())
    {
        messages.extend(said(&flow).lines().map(parts));
    }
    let mut text = HEAD.to_owned();
    for (message, hint) in &messages {
        writeln!(text, "| {message} | {hint} |").unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/flow-check.md");
    if std::env::var_os("ANTEROOM_REWRITE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "docs/flow-check.md is out of date; run with ANTEROOM_REWRITE=1");
}
