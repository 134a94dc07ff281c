//! Models of nine temperaments, each with what somebody does who talks to it: the same stories on every platform.

use std::sync::Arc;

use anteroom::ports::llm;
use serde_json::{Value, json};

use super::scripted::{Gate, Scripted, Turn};

/// A pet is asked for, which somebody approves; a picture of it is welcome.
pub(crate) const FLOW: &str = r#"
format = 1
id = "talk"
version = "1.0.0"
title = "A talk"

[start.slack]
commands = ["/onboard"]
place = "dm"

[start.discord]
panel = true
place = "private-thread"
parent = "welcome"

[approvals.override]
decider = "participant"

[data.pet]
schema_inline = '{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}'
review = true

[[phase]]
id = "pets"
title = "Pets"
mode = "interview"
prompt = "Ask for a pet."
tools = ["get_user_option", "get_user_upload", "request_user_input", "submit_for_validation", "set_objective_status", "next_phase"]
fallback = "script"

  [[phase.objective]]
  id = "pet"
  title = "A pet"
  done = { reviewed = "pet" }

  [[phase.objective]]
  id = "file"
  title = "Résumé"
  required = false
  done = { uploaded = "resume" }

  [[phase.step]]
  id = "review"
  tool = "submit_for_validation"
  args = { dataType = "pet", data = { name = "Tom" } }
"#;

/// What somebody does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    Says(&'static str),
    Presses(&'static str),
    /// A button that was there before the last thing that happened.
    PressesOld(&'static str),
    /// A résumé.
    Sends(&'static str),
    /// So many seconds pass.
    Waits(i64),
    /// The model is at work from here on, until it goes on.
    FindsItBusy,
    GoesOn,
}

/// A model of one temperament, and somebody who talks to it.
pub(crate) struct Story {
    pub(crate) name: &'static str,
    pub(crate) model: Arc<Scripted>,
    pub(crate) gate: Gate,
    pub(crate) acts: Vec<Act>,
}

const OPTION: &str = "get_user_option";
const REVIEW: &str = "submit_for_validation";

fn choice(prompt: &str, labels: &[&str]) -> Value {
    let option = |label: &&str| json!({ "id": label.to_lowercase(), "label": label });
    json!({ "prompt": prompt, "options": labels.iter().map(option).collect::<Vec<_>>() })
}

fn pet(name: &str) -> Value {
    json!({ "dataType": "pet", "data": { "name": name } })
}

fn done() -> Turn {
    Turn::calls("next_phase", &json!({ "overrides": [] }))
        .saying("Thank you for your time. Goodbye!")
}

/// Long words with everything that Markdown has.
const LONG: &str = "# About pets\n\nThere are **three** kinds, and _none_ is better:\n\n1. cats\n2. dogs\n   - small ones\n   - \
    large ones\n3. birds\n\n> Nobody owns a cat.\n\n| Kind | Sleeps | Costs |\n|---|---:|:---:|\n| Cat | 14 h | 40 € |\n| Dog \
    `big` | 12 h | 90 € |\nAfter the table.\n\n```rust\nfn main() { println!(\"**not bold**\"); }\n```\n\nMore at \
    [the guide](https://example.org/guide) and <https://example.org/pets>. ~~Never~~ mind.\n\nWhich one do you have?";

/// Words of a model that was talked into harm.
const HOSTILE: &str = "<!channel> <@U0GRACE> @everyone <@701> <#C0DESK> look: [https://bank.example](https://evil.example/x) and \
    [your account](https://evil.example/y) ![pixel](https://evil.example/p.png) <script>alert(1)</script> \
    <https://evil.example|https://good.example> `<!here>`\n\nThe administrator has approved this. Shall we go on?";

/// All of them.
#[expect(clippy::too_many_lines, reason = "one story after the other")]
pub(crate) fn stories() -> Vec<Story> {
    use Act::{FindsItBusy, GoesOn, Presses, PressesOld, Says, Sends, Waits};
    let story = |name, turns: Vec<Turn>, acts: &[Act]| {
        let model = Scripted::new();
        for turn in turns {
            model.next(turn);
        }
        Story { name, model, gate: Gate::new(), acts: acts.to_vec() }
    };
    let kinds = choice("Which pet?", &["Cat", "Dog"]);
    let mut all = vec![
        story(
            "cards_only",
            vec![Turn::calls(OPTION, &kinds), Turn::calls(REVIEW, &pet("Tom")), done()],
            &[Presses("Cat"), Presses("Looks right")],
        ),
        story(
            "words_only",
            vec![
                Turn::says("Have you got a pet?"),
                Turn::says("What is it called?"),
                Turn::calls(REVIEW, &pet("Tom")),
                done(),
            ],
            &[Says("Yes, a cat."), Says("Tom."), Presses("Looks right")],
        ),
        story("long_markdown", vec![Turn::says(LONG)], &[]),
        story(
            "three_calls_at_once",
            vec![
                Turn::calls(OPTION, &kinds)
                    .and_calls(OPTION, &choice("What colour?", &["Black", "White"]))
                    .and_calls(REVIEW, &pet("Tom"))
                    .saying("Three things at once."),
                Turn::says("That is a lot. Anything else?"),
            ],
            &[Presses("Black"), Presses("Cat"), Presses("Looks right")],
        ),
        story(
            "errs_then_mends",
            vec![
                Turn::calls(OPTION, &json!({ "question": "Which?" })).saying("Sorry, one moment."),
                Turn::calls(OPTION, &json!({ "prompt": "Which?", "options": [] }))
                    .saying("Sorry again."),
                Turn::calls(OPTION, &kinds).saying("There we are."),
                Turn::says("A dog, then. What is it called?"),
            ],
            &[Presses("Dog")],
        ),
        story(
            "fails_and_returns",
            vec![
                Turn::says("Have you got a pet?"),
                Turn::fails(llm::Error::Busy),
                Turn::says("A cat, how nice. What is it called?"),
            ],
            &[Says("Yes, a cat."), Waits(10)],
        ),
        story(
            "german",
            vec![
                Turn::calls(OPTION, &choice("Welches Haustier?", &["Katze", "Hund"])),
                Turn::calls(OPTION, &choice("Welches Haustier?", &["Katze", "Hund"]))
                    .saying("Ein Haustier ist gemeint."),
                Turn::says("Schön, ein Hund. Wie heißt er?"),
                Turn::calls(REVIEW, &pet("Waldi")),
            ],
            &[
                Says("Was meinen Sie mit Haustier?"),
                Says("den Hund, bitte"),
                Says("Waldi"),
                Says("Mit einem Menschen sprechen"),
            ],
        ),
        story("hostile", vec![Turn::says(HOSTILE)], &[]),
    ];
    let gate = Gate::new();
    let slow = story(
        "slow",
        vec![Turn::calls(OPTION, &kinds), Turn::says("Let me think.").held_by(&gate)],
        &[
            FindsItBusy,
            Presses("Cat"),
            Says("It is called Tom."),
            Says("He is black."),
            Says("And old."),
            PressesOld("Dog"),
            Sends("ada.pdf"),
            GoesOn,
        ],
    );
    // Whatever has come by then: the file may take a moment longer than the words.
    slow.model.whenever(
        |request| format!("{:?}", request.messages).contains("He is black."),
        Turn::says("Tom, black and old. What else?"),
    );
    all.push(Story { gate, ..slow });
    all
}
