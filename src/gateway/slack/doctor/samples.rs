//! One question of each kind, drawn and looked over by Slack itself.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

use super::{Doctor, Report};
use crate::{
    base::ids::{CallId, CountingIds, SessionId, WaitId},
    gateway::slack::{
        api::{Failure, Method},
        render::{self, Cx},
    },
    model::{
        ui::{
            Ask, Choice, Choose, Confirm, Control, Decide, DenialReader, Field, Form, Group, Input,
            Prompt, Review, Upload,
        },
        wait::{Answerers, Purpose, Wait, WaitStatus},
    },
};

impl Doctor<'_> {
    /// Lets Slack check a card of each kind, and its form where it has one.
    pub(super) async fn samples(&self, now: DateTime<Utc>, report: &mut Report) {
        let mut checked = 0;
        for wait in samples(now) {
            let card = render::card(&wait, &Cx::default());
            let mut drawn = vec![("blocks", Value::from(card.blocks))];
            drawn.extend(render::modal(&wait, "open", &Cx::default()).map(|view| ("view", view)));
            for (what, drawn) in drawn {
                let body = json!({ what: drawn.to_string() });
                match self.api.call(self.team, Method::ValidateBlocks, &body).await {
                    Ok(_) => checked += 1,
                    Err(Failure::Refused { error, .. }) if error == "unknown_method" => {
                        report.checked(
                            "cards are not looked over: this Slack has no `blocks.validate`",
                        );
                        return;
                    }
                    Err(Failure::Refused { error, messages }) => report.wrong(
                        format!(
                            "Slack would not take the {what} of a `{}` sample: `{error}` {}",
                            kind(&wait),
                            messages.join(" ")
                        )
                        .trim_end(),
                        "this is a mistake of the program: please report it with this line",
                    ),
                    Err(failure) => {
                        report.odd(
                            format!("Slack did not look over the cards: {failure}"),
                            "try it once more",
                        );
                        return;
                    }
                }
            }
        }
        report.checked(format!("{checked} sample cards and forms"));
    }
}

fn kind(wait: &Wait) -> String {
    serde_json::to_value(&wait.prompt.control)
        .ok()
        .and_then(|control| control["kind"].as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// A wait for each kind of control.
fn samples(now: DateTime<Utc>) -> Vec<Wait> {
    let ids = CountingIds::default();
    controls()
        .into_iter()
        .map(|control| Wait {
            id: WaitId::mint(&ids),
            session: SessionId::mint(&ids),
            revision: 1,
            purpose: Purpose::Call { call: CallId::new("sample"), tool: "sample".to_owned() },
            state: Value::Null,
            prompt: Prompt {
                title: Some("A sample".into()),
                body: "It has **bold** words, a [link](https://example.org) and\n\n- a list".into(),
                control,
                notes: vec!["1 of 2".into()],
            }
            .into(),
            answerers: Answerers::Participant,
            quorum: 1,
            votes: Vec::new(),
            digest: String::new(),
            asked_at: now,
            expires_at: None,
            status: WaitStatus::Pending,
        })
        .collect()
}

fn choices(count: usize) -> Vec<Choice> {
    let choice = |n| Choice {
        id: format!("c{n}"),
        label: format!("Choice {n}"),
        description: Some("What it means".to_owned()),
        icon: None,
    };
    (0..count).map(choice).collect()
}

fn fields() -> Vec<Field> {
    let text = |multiline| Input::Text { multiline, min: None, max: Some(500) };
    let inputs = [
        ("name", text(false)),
        ("about", text(true)),
        ("mail", Input::Email),
        ("page", Input::Url),
        ("month", Input::Date),
        ("day", Input::Day),
        ("years", Input::Number { integer: true, min: Some(0.0), max: Some(80.0) }),
        ("agreed", Input::Bool),
        ("place", Input::Select { choices: choices(4), multiple: false }),
        ("skills", Input::Select { choices: choices(30), multiple: true }),
        ("lines", Input::Lines),
    ];
    let field = |(path, input): (&str, _)| Field {
        path: path.to_owned(),
        label: path.to_owned(),
        hint: Some("a hint".to_owned()),
        required: true,
        input,
        value: Value::Null,
        check: false,
    };
    inputs.map(field).to_vec()
}

fn controls() -> Vec<Control> {
    let choose = |count, multiple| Choose {
        choices: choices(count),
        multiple,
        required: false,
        ..Choose::default()
    };
    let profile = Group {
        path: String::new(),
        title: "Profile".to_owned(),
        fields: fields().into_iter().take(2).collect(),
    };
    vec![
        Control::Choose(choose(3, false)),
        Control::Choose(choose(40, true)),
        Control::Form(Form { fields: fields(), submit: "Send".to_owned(), skippable: true }),
        Control::Review(Review {
            data_type: "applicant_profile".to_owned(),
            data: json!({ "name": "Ada", "about": "Engineer" }),
            schema: Value::Object(Map::new()),
            groups: vec![profile],
            lists: Vec::new(),
            skippable: false,
        }),
        Control::Upload(Upload {
            upload_type: "resume".to_owned(),
            accept: ["pdf", "docx"].map(str::to_owned).to_vec(),
            max_bytes: 10 * 1024 * 1024,
            max_files: 1,
            required: false,
        }),
        Control::Ask(Ask { placeholder: None, max: 3_000, required: true }),
        Control::Decide(Decide {
            request: "Move on?".into(),
            facts: vec![("Person".to_owned(), "Ada Byron".to_owned())],
            approve: "Approve".to_owned(),
            deny: "Deny".to_owned(),
            deny_and_tell: Some("Deny and tell the interviewer".to_owned()),
            denial_reader: DenialReader::Interviewer,
        }),
        Control::Confirm(Confirm { yes: "Erase".to_owned(), no: "Keep".to_owned(), danger: true }),
    ]
}
