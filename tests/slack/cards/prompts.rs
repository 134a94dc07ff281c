//! Questions to draw.

use anteroom::{
    ids::{CountingIds, SessionId, WaitId},
    model::{
        session::PersonId,
        ui::{Choice, Control, Field, Group, Input, List, Prompt, Reply, Review},
        wait::{Answerers, Purpose, Standing, Wait},
    },
};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-02T14:05:00Z".parse().unwrap()
}

pub(crate) fn ada() -> PersonId {
    "slack:T0HOME/U0ADA".parse().unwrap()
}

pub(crate) fn grace() -> PersonId {
    "slack:T0HOME/U0GRACE".parse().unwrap()
}

/// A question to the participant, or to the deciders where it is a decision.
pub(crate) fn wait(prompt: Prompt) -> Wait {
    let ids = CountingIds::default();
    let answerers = match prompt.control {
        Control::Decide(_) => {
            Answerers::Deciders { alias: "recruiting_approvers".into(), allow_self: false }
        }
        _ => Answerers::Participant,
    };
    Wait {
        id: WaitId::mint(&ids),
        session: SessionId::mint(&ids),
        revision: 1,
        purpose: Purpose::Notice,
        state: Value::Null,
        prompt,
        answerers,
        quorum: 1,
        votes: Vec::new(),
        digest: String::new(),
        asked_at: now(),
        expires_at: None,
        standing: Standing::Pending,
    }
}

pub(crate) fn answered(wait: &Wait, reply: Reply, by: PersonId, by_name: &str) -> Wait {
    let standing = Standing::Applied { reply, by, by_name: by_name.into(), at: now() };
    Wait { standing, ..wait.clone() }
}

pub(crate) fn ask(title: &str, body: &str, control: Control) -> Wait {
    wait(Prompt { title: Some(title.into()), body: body.into(), control, notes: Vec::new() })
}

pub(crate) fn choice(id: &str, label: &str) -> Choice {
    Choice { id: id.into(), label: label.into(), description: None, icon: None }
}

pub(crate) fn field(path: &str, label: &str, input: Input, value: Value) -> Field {
    Field {
        path: path.into(),
        label: label.into(),
        hint: None,
        required: false,
        input,
        value,
        check: false,
    }
}

pub(crate) fn line() -> Input {
    Input::Text { multiline: false, min: None, max: None }
}

/// Ada's time line, with so many roles.
pub(crate) fn timeline(roles: usize) -> Review {
    let names = ["Analytical Engines Ltd", "Babbage & Sons", "Lovelace <Weaving>", "Self-employed"];
    let role = |n: usize| {
        json!({ "name": names[n % names.len()], "position": "Analyst",
            "startDate": format!("{}-03", 1840 + n), "highlights": ["Wrote Note G", "Found & fixed a slip"] })
    };
    let fields = |path: &dyn Fn(&str) -> String, value: &dyn Fn(&str) -> Value| {
        let of = |key: &str, label: &str, input: Input| field(&path(key), label, input, value(key));
        vec![
            Field { required: true, ..of("name", "Employer", line()) },
            of("position", "Position", line()),
            Field { check: !value("startDate").is_null(), ..of("startDate", "From", Input::Date) },
            of("endDate", "To", Input::Date),
            of("highlights", "Highlights", Input::Lines),
        ]
    };
    let data = json!({ "work": (0..roles).map(role).collect::<Vec<_>>() });
    let group = |n: usize| Group {
        path: format!("work.{n}"),
        title: format!("Role {}", n + 1),
        fields: fields(&|key| format!("work.{n}.{key}"), &|key| data["work"][n][key].clone()),
    };
    Review {
        data_type: "skeleton_timeline".into(),
        schema: json!({ "type": "object", "properties": { "work": { "type": "array", "items": {
            "type": "object", "required": ["name"], "properties": { "name": { "type": "string", "minLength": 1 } } } } } }),
        groups: (0..roles).map(group).collect(),
        lists: vec![List {
            path: "work".into(),
            noun: "role".into(),
            fields: fields(&str::to_owned, &|_| Value::Null),
        }],
        skippable: false,
        data,
    }
}

/// Ada's profile.
pub(crate) fn profile() -> Review {
    let data = json!({ "basics": { "name": "Ada Byron", "email": "ada@example.org" } });
    Review {
        data_type: "applicant_profile".into(),
        schema: json!({ "type": "object" }),
        groups: vec![Group {
            path: String::new(),
            title: "Profile".into(),
            fields: vec![
                Field {
                    required: true,
                    ..field("basics.name", "Name", line(), json!("Ada Byron"))
                },
                field("basics.email", "E-mail", Input::Email, json!("ada@example.org")),
                Field {
                    check: true,
                    ..field("basics.phone", "Phone", Input::Phone, json!("+44 20 7946 0018"))
                },
                field("basics.url", "Website", Input::Url, Value::Null),
            ],
        }],
        lists: Vec::new(),
        skippable: false,
        data,
    }
}
