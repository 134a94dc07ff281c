//! What comes in from Discord: every modern component of a form, unknown ones among them, and payloads in which anything
//! may be missing.

use anteroom::gateway::discord::{
    inbound::{Envelope, Incoming, Submission, Target},
    parse,
};
use proptest::{
    collection::vec,
    prelude::{ProptestConfig, Strategy, any, prop_oneof, proptest},
    sample::{Index, select},
};
use serde_json::{Value, json};

/// An interaction as Discord sends it, around some data.
pub(crate) fn interaction(kind: u8, data: &Value) -> Value {
    json!({
        "version": 1, "id": "1311000000000000001", "type": kind, "token": "aW50ZXJhY3Rpb24", "application_id": "9",
        "guild_id": "5", "guild": { "id": "5", "locale": "en-US", "features": [] }, "guild_locale": "en-US",
        "locale": "de", "channel_id": "6", "app_permissions": "2048", "context": 0,
        "channel": { "id": "6", "type": 12, "parent_id": "4", "thread_metadata": { "archived": false } },
        "authorizing_integration_owners": { "0": "5" }, "entitlements": [], "attachment_size_limit": 10_485_760,
        "member": { "user": { "id": "7", "username": "ada", "global_name": "Ada", "discriminator": "0", "avatar": null },
            "nick": null, "roles": ["70", "71"], "permissions": "2147483648", "pending": true, "deaf": false,
            "joined_at": "2026-11-01T00:00:00Z" },
        "message": { "id": "66", "flags": 32_768, "channel_id": "6" },
        "data": data,
    })
}

fn submitted(payload: &Value) -> Submission {
    match parse::interaction(payload).what {
        Incoming::Submitted(submission) => submission,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_modern_component_of_a_form_is_an_answer() {
    let label = |id: u64, component: Value| json!({ "type": 18, "id": id, "component": component });
    let data = json!({
        "custom_id": "v1.AAAAAAAAAAAAAAAAAAAAAQ.1.fill.0~k3xq",
        "components": [
            { "type": 10, "id": 1 },
            label(2, json!({ "type": 4, "id": 3, "custom_id": "f.0~k3xq", "value": "Ada\nByron" })),
            label(4, json!({ "type": 3, "custom_id": "f.1~k3xq", "values": ["2", "4"] })),
            label(5, json!({ "type": 5, "custom_id": "f.2~k3xq", "values": ["7"] })),
            label(6, json!({ "type": 19, "custom_id": "files~k3xq", "values": ["900", "901"] })),
            label(7, json!({ "type": 21, "custom_id": "f.3~k3xq", "value": "1" })),
            label(8, json!({ "type": 21, "custom_id": "f.4~k3xq", "value": null })),
            label(9, json!({ "type": 22, "custom_id": "f.5~k3xq", "values": [] })),
            label(10, json!({ "type": 23, "custom_id": "f.6~k3xq", "value": true })),
            label(11, json!({ "type": 29, "custom_id": "f.7~k3xq", "value": 7 })),
            { "type": 30, "components": [{ "type": 31, "custom_id": "f.8~k3xq", "values": ["x"] }] },
            { "type": 1, "components": [{ "type": 4, "custom_id": "f.9~k3xq", "value": "old" }] },
        ],
        "resolved": { "attachments": {
            "900": { "id": "900", "filename": "cv.pdf", "size": 3, "content_type": "application/pdf", "ephemeral": true,
                "url": "https://cdn.discordapp.com/ephemeral-attachments/1/900/cv.pdf?ex=1&is=2&hm=3" },
            "901": { "id": "901" },
        } },
    });
    let submission = submitted(&interaction(5, &data));
    let told = |name: &str| submission.inputs.0[name].values.join("|");
    let names = ["f.0", "f.1", "f.2", "f.3", "f.4", "f.5", "f.6", "f.7", "f.8", "f.9"];
    let values = ["Ada\nByron", "2|4", "7", "1", "", "", "true", "7", "x", "old"];
    assert_eq!(names.map(told), values);
    let files = &submission.inputs.0["files"].files;
    assert_eq!((files.len(), files[0].name.as_str(), files[0].size), (2, "cv.pdf", Some(3)));
    assert_eq!(submission.inputs.0.len(), 11);
    assert_eq!(submission.element, "v1.AAAAAAAAAAAAAAAAAAAAAQ.1.fill.0~k3xq");
    assert_eq!(submission.message.as_deref(), Some("66"));
    let member = submission.by.member.clone().unwrap();
    assert!(member.is_pending && member.permissions.use_application_commands());
    assert_eq!((submission.by.name.as_str(), submission.by.locale.as_str()), ("Ada", "de"));
    assert!(submission.at.is_thread && submission.at.parent.as_deref() == Some("4"));
    assert_eq!(submission.ticket.at.unwrap().to_rfc3339(), "2024-11-26T16:05:57.202+00:00");
    let told = format!("{submission:?}");
    assert!(!told.contains("aW50ZXJhY3Rpb24"), "the token is a secret");
}

#[test]
fn buttons_menus_and_commands_are_read() {
    let button = interaction(3, &json!({ "component_type": 2, "custom_id": "v1.x.1.pick.0" }));
    let Envelope { key, guild, what: Incoming::Action(action) } = parse::interaction(&button)
    else {
        panic!()
    };
    assert_eq!((key.as_str(), guild.as_deref()), ("int:1311000000000000001", Some("5")));
    assert_eq!((action.element.as_str(), action.message.as_str()), ("v1.x.1.pick.0", "66"));
    assert!(action.inputs.0.is_empty() && !action.is_ephemeral);
    let emptied = interaction(3, &json!({ "component_type": 3, "custom_id": "m", "values": [] }));
    let Incoming::Action(action) = parse::interaction(&emptied).what else { panic!() };
    assert!(action.inputs.0["m"].values.is_empty());

    let data = json!({ "id": "1", "name": "onboard", "type": 1, "options": [{ "type": 1, "name": "start", "options": [
        { "type": 3, "name": "flow", "value": "welcome" }, { "type": 4, "name": "days", "value": 3 },
        { "type": 11, "name": "file", "value": "900" }] }],
        "resolved": { "attachments": { "900": { "id": "900", "filename": "cv.pdf" } } } });
    let Incoming::Command(command) = parse::interaction(&interaction(2, &data)).what else {
        panic!()
    };
    assert_eq!(command.path, ["onboard", "start"]);
    assert_eq!(
        (command.options["flow"].as_str(), command.options["days"].as_str()),
        ("welcome", "3")
    );
    assert_eq!(command.files["file"].name, "cv.pdf");

    let data = json!({ "name": "Use as answer", "type": 3, "target_id": "12", "resolved": { "messages": { "12": {
        "id": "12", "channel_id": "6", "content": "Hello", "author": { "id": "8", "username": "grace" } } } } });
    let Incoming::Command(command) = parse::interaction(&interaction(2, &data)).what else {
        panic!()
    };
    let Some(Target::Message(message)) = command.target else { panic!() };
    assert_eq!((message.text.as_str(), message.by.user.as_str()), ("Hello", "8"));
}

#[test]
fn what_happens_in_a_server_is_read() {
    let of = |name: &str, data: Value| parse::event(name, &data, "1");
    let message = json!({ "id": "3", "channel_id": "6", "guild_id": "5", "type": 19, "content": "<@1> yes please",
        "author": { "id": "7", "username": "ada", "global_name": "Ada" }, "member": { "nick": "Countess", "roles": ["70"] },
        "mentions": [{ "id": "1" }], "message_reference": { "message_id": "2" }, "attachments": [{ "id": "4" }] });
    let Incoming::Message(read) = of("MESSAGE_CREATE", message.clone()).what else { panic!() };
    assert_eq!((read.text.as_str(), read.by.name.as_str()), ("yes please", "Countess"));
    assert!(read.is_mention && read.answers.as_deref() == Some("2") && read.files.len() == 1);
    assert_eq!(read.by.user, "7");

    // Without Message Content an edit comes without words, and takes none back.
    let mut edited = message.clone();
    edited["edited_timestamp"] = json!("2026-11-02T14:06:00Z");
    edited["content"] = json!("");
    let Incoming::Edited { .. } = of("MESSAGE_UPDATE", edited.clone()).what else { panic!() };
    edited["attachments"] = json!([]);
    let withheld = Incoming::Ignored { kind: "message.withheld".into() };
    assert_eq!(of("MESSAGE_UPDATE", edited).what, withheld);

    let mut own = message.clone();
    own["author"]["bot"] = json!(true);
    assert_eq!(of("MESSAGE_CREATE", own).what, Incoming::Ignored { kind: "message.bot".into() });
    let mut joined = message;
    joined["type"] = json!(7);
    assert_eq!(
        of("MESSAGE_CREATE", joined).what,
        Incoming::Ignored { kind: "message.system".into() }
    );

    let passed =
        json!({ "guild_id": "5", "user": { "id": "7" }, "roles": ["70"], "pending": false });
    let Incoming::MemberChanged(actor) = of("GUILD_MEMBER_UPDATE", passed).what else { panic!() };
    assert!(!actor.member.unwrap().is_pending);
    let left = of("GUILD_BAN_ADD", json!({ "guild_id": "5", "user": { "id": "7" } }));
    assert_eq!(left.what, Incoming::MemberLeft { user: "7".into(), is_banned: true });
    assert_eq!(of("GUILD_DELETE", json!({ "id": "5" })).what, Incoming::GuildGone);
    let trouble = of("GUILD_DELETE", json!({ "id": "5", "unavailable": true }));
    assert_eq!(trouble.what, Incoming::Ignored { kind: "guild.unavailable".into() });
    let strange = of("Some thing\nnew", json!({}));
    assert_eq!(strange.what, Incoming::Unknown { kind: "some_thing_new".into() });
}

/// One change somewhere in a payload.
#[derive(Debug, Clone)]
enum Change {
    Remove(Index),
    Put(Index, Value),
}

fn change() -> impl Strategy<Value = Change> {
    let odd = vec![
        Value::Null,
        json!(true),
        json!(-1),
        json!(1e300),
        json!(""),
        json!("0"),
        json!(u64::MAX.to_string()),
        json!("<@1> <:a:1"),
        json!([]),
        json!({}),
        json!([[[]]]),
        json!({ "custom_id": "x~y~z", "value": {} }),
        json!("x".repeat(5_000)),
    ];
    prop_oneof![
        any::<Index>().prop_map(Change::Remove),
        (any::<Index>(), select(odd)).prop_map(|(at, value)| Change::Put(at, value)),
    ]
}

/// Where something stands in a value, by JSON pointer.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut visit = |name: &str, value: &Value| {
        let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        found.push(at.clone());
        places(value, &at, found);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| visit(name, value)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, value)| visit(&n.to_string(), value));
        }
        _ => {}
    }
}

fn changed(mut payload: Value, changes: &[Change]) -> Value {
    for change in changes {
        let mut found = Vec::new();
        places(&payload, "", &mut found);
        if found.is_empty() {
            return payload;
        }
        match change {
            Change::Remove(at) => {
                let place = at.get(&found).clone();
                let (parent, name) = place.rsplit_once('/').unwrap();
                if let Some(Value::Object(members)) = payload.pointer_mut(parent) {
                    members.remove(&name.replace("~1", "/").replace("~0", "~"));
                }
            }
            Change::Put(at, value) => {
                let place: &String = at.get(&found);
                *payload.pointer_mut(place).unwrap() = value.clone();
            }
        }
    }
    payload
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_odd_is_read_and_answers_beside_it_are_kept(changes in vec(change(), 1..6)) {
        let answer = json!({ "type": 18, "component": { "type": 4, "custom_id": "kept~s", "value": "Ada" } });
        let data = json!({ "custom_id": "v1.x.1.submit~s", "components": [
            { "type": 18, "component": { "type": 22, "custom_id": "f.0~s", "values": ["1"] } }],
            "resolved": { "attachments": { "1": { "id": "1", "filename": "x" } } } });
        let mut payload = changed(interaction(5, &data), &changes);
        // The oddities are beside the answer, not in its way.
        payload["type"] = json!(5);
        if !payload["data"].is_object() {
            payload["data"] = json!({});
        }
        payload["data"]["custom_id"] = json!("v1.x.1.submit~s");
        match payload["data"]["components"].as_array_mut() {
            Some(components) => components.push(answer),
            None => payload["data"]["components"] = json!([answer]),
        }
        let submission = submitted(&payload);
        assert_eq!(submission.inputs.0["kept"].values, ["Ada"]);
        assert_eq!(parse::interaction(&payload), parse::interaction(&payload));
    }
}
