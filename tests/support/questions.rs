//! Questions to draw, and a source of any that can be asked.

use anteroom::{
    base::ids::{CallId, CountingIds, SessionId, WaitId},
    messages::Text,
    model::{
        session::PersonId,
        ui::{
            Ask, Choice, Choose, Confirm, Control, Decide, Decision, DenialReader, Field, Form,
            Group, Input, List, Prompt, Reply, Review, Upload,
        },
        wait::{Answerers, Purpose, Vote, Wait, WaitStatus},
    },
};
use chrono::{DateTime, Utc};
use proptest::{
    collection::vec,
    option,
    prelude::{Just, Strategy, any, prop_oneof},
    strategy::Union,
};
use serde_json::{Value, json};

pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-02T14:05:00Z".parse().unwrap()
}

/// A question to the participant, or to the deciders where it is a decision.
pub(crate) fn wait(prompt: Prompt) -> Wait {
    let ids = CountingIds::default();
    let (answerers, purpose) = match prompt.control {
        Control::Decide(_) => {
            let alias = "recruiting_approvers".into();
            (Answerers::Deciders { alias, allow_self: false }, to_move_on())
        }
        _ => (Answerers::Participant, Purpose::Notice),
    };
    Wait {
        id: WaitId::mint(&ids),
        session: SessionId::mint(&ids),
        revision: 1,
        purpose,
        state: Value::Null,
        prompt: prompt.into(),
        answerers,
        quorum: 1,
        votes: Vec::new(),
        digest: String::new(),
        asked_at: now(),
        expires_at: None,
        status: WaitStatus::Pending,
    }
}

/// A call that asks the team to move somebody on.
fn to_move_on() -> Purpose {
    Purpose::Call { call: CallId::new("advance_1"), tool: "next_phase".into() }
}

pub(crate) fn answered(wait: &Wait, reply: Reply, by: PersonId, by_name: &str) -> Wait {
    let status = WaitStatus::Applied { reply, by, by_name: by_name.into(), at: now() };
    Wait { status, ..wait.clone() }
}

pub(crate) fn ask(title: &str, body: &str, control: Control) -> Wait {
    wait(Prompt {
        title: Some(title.to_owned().into()),
        body: body.to_owned().into(),
        control,
        notes: Vec::new(),
    })
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

/// Words of every kind: none, hostile ones, very long ones.
pub(crate) fn words() -> impl Strategy<Value = String> {
    let said = [
        "",
        " ",
        "\u{200b}",
        "Ada Byron",
        "<!channel> & <@U0ADA>",
        "*bold* _so_ ~no~ `code` ```fence```",
        "one\ntwo\r\n\n> three\n• four",
        "<https://evil.example|bank>",
        "\u{202e}desrever\u{1b}[31m\0",
        "👩‍👩‍👧‍👦 family",
        "1. not a list",
        "| a | b |\n|---|---|",
        "name: value",
        "صباح الخير",
        "e\u{301}e\u{301}",
    ];
    prop_oneof![
        6 => proptest::sample::select(said.to_vec()).prop_map(str::to_owned),
        3 => "\\PC{1,40}".prop_map(|text| text),
        2 => "[a-z <>&*_`\n]{0,400}".prop_map(|text| text),
        1 => (proptest::sample::select(vec!["a", "<", "& ", "👩‍👩‍👧‍👦", "word ", "e\u{301}", "```\n", "line\n", "**b** "]), 1_000..9_000_usize)
            .prop_map(|(part, times)| part.repeat(times)),
    ]
}

fn choices(most: usize) -> impl Strategy<Value = Vec<Choice>> {
    let one =
        (words(), option::of(words()), option::of(proptest::sample::select(vec!["🙂", "star"])));
    let few = vec(one, 2..most);
    (few, any::<bool>()).prop_map(|(parts, long_ids)| {
        let choice =
            |(n, (label, description, icon)): (usize, (String, Option<String>, Option<&str>))| {
                Choice {
                    id: if long_ids {
                        format!("{n}-{}", "id.".repeat(60))
                    } else {
                        format!("c{n}")
                    },
                    label,
                    description,
                    icon: icon.map(str::to_owned),
                }
            };
        parts.into_iter().enumerate().map(choice).collect()
    })
}

/// More choices than a menu has, than a form has.
fn crowd() -> impl Strategy<Value = Vec<Choice>> {
    proptest::sample::select(vec![99_usize, 100, 101, 150, 799, 801, 1_200]).prop_map(|count| {
        (0..count)
            .map(|n| Choice {
                id: format!("c{n}"),
                label: format!("Choice number {n}"),
                description: None,
                icon: None,
            })
            .collect()
    })
}

fn input() -> impl Strategy<Value = Input> {
    let length = option::of(1_u32..80);
    prop_oneof![
        4 => (any::<bool>(), length, option::of(80_u32..5_000)).prop_map(|(multiline, min, max)| Input::Text { multiline, min, max }),
        1 => Just(Input::Email),
        1 => Just(Input::Url),
        1 => Just(Input::Phone),
        1 => Just(Input::Date),
        1 => Just(Input::Day),
        1 => (any::<bool>(), option::of(-5_i32..5), option::of(5_i32..500)).prop_map(|(integer, min, max)| Input::Number { integer, min: min.map(f64::from), max: max.map(f64::from) }),
        1 => Just(Input::Bool),
        2 => (choices(14), any::<bool>()).prop_map(|(choices, multiple)| Input::Select { choices, multiple }),
        1 => Just(Input::Lines),
    ]
}

/// Label, hint, required, input, what it holds, to be checked.
type Parts = (String, Option<String>, bool, Input, Option<String>, bool);

fn fields(most: usize) -> impl Strategy<Value = Vec<Field>> {
    let one =
        (words(), option::of(words()), any::<bool>(), input(), option::of(words()), any::<bool>());
    vec(one, 1..most).prop_map(|parts| {
        let field = |(n, (label, hint, required, input, held, check)): (usize, Parts)| {
            let value = match (&input, held) {
                (_, None) => Value::Null,
                (Input::Bool, Some(text)) => json!(text.len() % 2 == 0),
                (Input::Number { .. }, Some(_)) => json!(5),
                (Input::Lines, Some(text)) => json!([text, "two"]),
                (Input::Select { choices, multiple: false }, Some(text)) => {
                    json!(choices[text.len() % choices.len()].id)
                }
                (Input::Select { choices, multiple: true }, Some(_)) => json!([choices[0].id]),
                // A draft that was read from a document may hold anything.
                (_, Some(text)) => json!(text),
            };
            Field { path: format!("basics.f{n}"), label, hint, required, input, value, check }
        };
        parts.into_iter().enumerate().map(field).collect()
    })
}

fn review() -> impl Strategy<Value = Review> {
    let entries = prop_oneof![5 => 0..4_usize, 1 => 4..12_usize];
    (fields(8), fields(6), entries, words(), words(), any::<bool>()).prop_map(
        |(own, of_entry, entries, title, noun, skippable)| {
            let mut data = json!({});
            let mut groups = vec![Group { path: String::new(), title, fields: own }];
            for n in 0..entries {
                let path = format!("work.{n}");
                let moved = |field: &Field| Field {
                    path: field.path.replace("basics", &path),
                    ..field.clone()
                };
                groups.push(Group {
                    path: path.clone(),
                    title: format!("Entry {}", n + 1),
                    fields: of_entry.iter().map(moved).collect(),
                });
            }
            data["work"] = json!(vec![json!({}); entries]);
            for field in
                groups.iter().flat_map(|group| &group.fields).filter(|field| !field.value.is_null())
            {
                set(&mut data, &field.path, field.value.clone());
            }
            let relative = |field: &Field| Field {
                path: field.path.replace("basics.", ""),
                value: Value::Null,
                ..field.clone()
            };
            let lists = vec![List {
                path: "work".into(),
                noun,
                fields: of_entry.iter().map(relative).collect(),
            }];
            Review { data_type: "d".into(), data, schema: json!({}), groups, lists, skippable }
        },
    )
}

fn set(data: &mut Value, path: &str, value: Value) {
    let at = path.split('.').fold(data, |at, part| match part.parse::<usize>() {
        Ok(n) => &mut at[n],
        Err(_) => &mut at[part],
    });
    *at = value;
}

fn control() -> Union<proptest::strategy::BoxedStrategy<Control>> {
    let choose =
        (prop_oneof![6 => choices(14).boxed(), 1 => crowd().boxed()], any::<bool>(), any::<bool>())
            .prop_map(|(choices, multiple, required)| {
                Control::Choose(Choose { choices, multiple, required, ..Choose::default() })
            });
    let form =
        (prop_oneof![6 => fields(10).boxed(), 1 => fields(90).boxed()], words(), any::<bool>())
            .prop_map(|(fields, submit, skippable)| {
                Control::Form(Form { fields, submit, skippable })
            });
    let upload = (words(), vec(words(), 0..4), 0..60_u64, 0..20_u32, any::<bool>()).prop_map(
        |(upload_type, accept, mb, max_files, required)| {
            Control::Upload(Upload {
                upload_type,
                accept,
                max_bytes: mb * 1024 * 1024,
                max_files,
                required,
            })
        },
    );
    let ask = (option::of(words()), 1..20_000_u32, any::<bool>())
        .prop_map(|(placeholder, max, required)| Control::Ask(Ask { placeholder, max, required }));
    let decide = (words(), vec((words(), words()), 0..14), words(), words(), option::of(words()))
        .prop_map(|(request, facts, approve, deny, deny_and_tell)| {
            Control::Decide(Decide {
                request: request.into(),
                facts,
                approve,
                deny,
                deny_and_tell,
                denial_reader: DenialReader::default(),
            })
        });
    let confirm = (words(), words(), any::<bool>())
        .prop_map(|(yes, no, danger)| Control::Confirm(Confirm { yes, no, danger }));
    Union::new_weighted(vec![
        (3, choose.boxed()),
        (3, form.boxed()),
        (3, review().prop_map(Control::Review).boxed()),
        (1, upload.boxed()),
        (1, ask.boxed()),
        (2, decide.boxed()),
        (1, confirm.boxed()),
    ])
}

/// Anything that can be asked; `voter` has voted already.
pub(crate) fn question(voter: PersonId) -> impl Strategy<Value = Wait> {
    (option::of(words()), words(), control(), vec(words(), 0..6), 1..4_u32).prop_map(
        move |(title, body, control, notes, quorum)| {
            let vote = Vote {
                by: voter.clone(),
                by_name: "Grace".into(),
                decision: Decision::Denied,
                feedback: None,
            };
            let notes = notes.into_iter().map(Text::from).collect();
            let prompt = Prompt { title: title.map(Text::from), body: body.into(), control, notes };
            Wait { quorum, votes: vec![vote], ..wait(prompt) }
        },
    )
}

/// How a question may end.
pub(crate) fn ends(wait: &Wait, reply: Option<Reply>, me: &PersonId) -> Vec<WaitStatus> {
    let reply = reply.unwrap_or(Reply::Skipped);
    let by_name = wait.prompt.body.common_mark();
    let web = "web:local/grace".parse().unwrap();
    vec![
        WaitStatus::Answered {
            reply: reply.clone(),
            by: me.clone(),
            by_name: by_name.clone(),
            at: now(),
        },
        WaitStatus::Applied { reply, by: web, by_name, at: now() },
        WaitStatus::Expired { at: now() },
        WaitStatus::Cancelled { reason: wait.prompt.body.common_mark(), at: now() },
        WaitStatus::Superseded { by: None, at: now() },
    ]
}
