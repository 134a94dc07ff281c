//! Payloads of Slack as what comes in: nothing breaks the reader, no words and no files are lost.
#![expect(clippy::too_many_lines, reason = "what is read stands beside what was sent")]
#![expect(clippy::needless_pass_by_value, reason = "payloads are written where they are used")]

mod hostile;

use std::{collections::BTreeMap, fs, path::Path};

use anteroom::gateway::slack::{
    inbound::{Envelope, Incoming},
    parse,
};
use serde_json::{Value, json};

/// An event as it comes, of the bot `UB` of the app `A01` in `T01`.
fn event(event: Value) -> Envelope {
    parse::event(&around(event))
}

fn around(event: Value) -> Value {
    json!({
        "token": "t", "team_id": "T01", "api_app_id": "A01", "type": "event_callback",
        "event_id": "Ev01", "event_time": 1_690_000_000,
        "authorizations": [{"enterprise_id": null, "team_id": "T01", "user_id": "UB", "is_bot": true, "is_enterprise_install": false}],
        "event": event,
    })
}

#[test]
fn a_message_to_the_bot() {
    insta::assert_debug_snapshot!(event(json!({
        "client_msg_id": "c", "type": "message", "text": "Hello &amp; good day, <@UB>", "user": "U01",
        "ts": "1690.0001", "team": "T01", "channel": "D024", "event_ts": "1690.0001", "channel_type": "im",
        "blocks": [{"type": "rich_text", "elements": []}],
    })), @r#"
    Envelope {
        key: "msg:T01:D024:1690.0001",
        workspace: Workspace {
            team: "T01",
            enterprise: None,
            is_enterprise_install: false,
        },
        what: Message(
            Message {
                by: Actor {
                    user: "U01",
                    team: "T01",
                    name: "",
                },
                channel: "D024",
                is_direct: true,
                ts: "1690.0001",
                thread: None,
                text: "Hello & good day, @UB",
                is_mention: true,
                files: [],
            },
        ),
    }
    "#);
}

#[test]
fn a_mention_is_one_message_though_two_events() {
    let said = json!({"user": "U01", "text": "<@UB> I would like to start", "ts": "1690.0002", "thread_ts": "1690.0001",
        "channel": "C01", "team": "T01", "client_msg_id": "c"});
    let with = |kind: &str, id: &str| {
        let mut around = around(said.clone());
        around["event"]["type"] = kind.into();
        around["event_id"] = id.into();
        parse::event(&around)
    };
    let (mention, message) = (with("app_mention", "Ev02"), with("message", "Ev03"));
    assert_eq!(mention, message);
    insta::assert_debug_snapshot!(mention, @r#"
    Envelope {
        key: "msg:T01:C01:1690.0002",
        workspace: Workspace {
            team: "T01",
            enterprise: None,
            is_enterprise_install: false,
        },
        what: Message(
            Message {
                by: Actor {
                    user: "U01",
                    team: "T01",
                    name: "",
                },
                channel: "C01",
                is_direct: false,
                ts: "1690.0002",
                thread: Some(
                    "1690.0001",
                ),
                text: "I would like to start",
                is_mention: true,
                files: [],
            },
        ),
    }
    "#);
}

#[test]
fn files_are_kept_whatever_is_odd_about_them() {
    insta::assert_debug_snapshot!(event(json!({
        "type": "message", "subtype": "file_share", "text": "my résumé", "user": "U01", "ts": "1690.0003", "channel": "D024",
        "channel_type": "im", "upload": true,
        "files": [
            {"id": "F01", "name": "résumé.pdf", "title": "Résumé", "mimetype": "application/pdf", "mode": "hosted", "size": 1234,
             "url_private": "https://files.slack.com/files-pri/T01-F01/r.pdf",
             "url_private_download": "https://files.slack.com/files-pri/T01-F01/download/r.pdf"},
            {"id": "F02", "mode": "tombstone"},
            {"id": "F03", "file_access": "check_file_info"},
            {"id": "F04", "name": "doc", "is_external": true, "url_private": "https://docs.example.org/d"},
            {"id": "F05", "name": "no addresses", "url_private": "", "url_private_download": null},
            "F06",
            {"name": "no id"},
        ],
    })), @r#"
    Envelope {
        key: "msg:T01:D024:1690.0003",
        workspace: Workspace {
            team: "T01",
            enterprise: None,
            is_enterprise_install: false,
        },
        what: Message(
            Message {
                by: Actor {
                    user: "U01",
                    team: "",
                    name: "",
                },
                channel: "D024",
                is_direct: true,
                ts: "1690.0003",
                thread: None,
                text: "my résumé",
                is_mention: false,
                files: [
                    File {
                        id: "F01",
                        name: "résumé.pdf",
                        size: Some(
                            1234,
                        ),
                        url: "https://files.slack.com/files-pri/T01-F01/download/r.pdf",
                        mimetype: "application/pdf",
                        is_external: false,
                        is_gone: false,
                    },
                    File {
                        id: "F02",
                        name: "",
                        size: None,
                        url: "",
                        mimetype: "",
                        is_external: false,
                        is_gone: true,
                    },
                    File {
                        id: "F03",
                        name: "",
                        size: None,
                        url: "",
                        mimetype: "",
                        is_external: false,
                        is_gone: false,
                    },
                    File {
                        id: "F04",
                        name: "doc",
                        size: None,
                        url: "https://docs.example.org/d",
                        mimetype: "",
                        is_external: true,
                        is_gone: false,
                    },
                    File {
                        id: "F05",
                        name: "no addresses",
                        size: None,
                        url: "",
                        mimetype: "",
                        is_external: false,
                        is_gone: false,
                    },
                    File {
                        id: "F06",
                        name: "",
                        size: None,
                        url: "",
                        mimetype: "",
                        is_external: false,
                        is_gone: false,
                    },
                    File {
                        id: "",
                        name: "no id",
                        size: None,
                        url: "",
                        mimetype: "",
                        is_external: false,
                        is_gone: true,
                    },
                ],
            },
        ),
    }
    "#);
}

#[test]
fn what_is_written_in_new_ways_is_read_all_the_same() {
    let words = |message: Value| match event(message).what {
        Incoming::Message(message) => message.text,
        other => panic!("{other:?}"),
    };
    let base = json!({"type": "message", "user": "U01", "ts": "1", "channel": "C01", "client_msg_id": "c"});
    let with = |more: Value| {
        let mut message = base.clone();
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        words(message)
    };
    assert_eq!(with(json!({"subtype": "of_next_year", "text": "hello"})), "hello");
    assert_eq!(
        with(json!({"metadata": {"event_payload": {"nested": {"a": 1}}}, "text": "hello"})),
        "hello"
    );
    assert_eq!(with(json!({"text": 5})), "5");
    assert_eq!(
        with(
            json!({"text": "", "blocks": [{"type": "rich_text", "elements": [{"type": "rich_text_section",
        "elements": [{"type": "text", "text": "only here"}]}]}]})
        ),
        "only here"
    );
    assert_eq!(
        with(
            json!({"text": "", "attachments": [{"is_share": true, "text": "passed on &gt; by me"}]})
        ),
        "passed on > by me"
    );
    assert_eq!(with(json!({"text": null, "blocks": "odd", "files": {"odd": true}})), "");
}

#[test]
fn only_people_speak() {
    let kind = |message: Value| match event(message).what {
        Incoming::Ignored { kind } => format!("ignored {kind}"),
        Incoming::Unknown { kind } => format!("unknown {kind}"),
        other => format!("{other:?}"),
    };
    insta::assert_snapshot!([
        json!({"type": "message", "user": "UB", "bot_id": "B01", "app_id": "A01", "text": "mine", "ts": "1", "channel": "D01"}),
        json!({"type": "message", "user": "UB", "text": "mine", "ts": "1", "channel": "D01"}),
        json!({"type": "message", "user": "U09", "bot_id": "B09", "app_id": "A09", "text": "another", "ts": "1", "channel": "C01"}),
        json!({"type": "message", "subtype": "bot_message", "text": "another", "ts": "1", "channel": "C01"}),
        json!({"type": "message", "user": "USLACKBOT", "text": "hello", "ts": "1", "channel": "D01"}),
        json!({"type": "message", "subtype": "channel_topic", "user": "U01", "text": "set the topic", "ts": "1", "channel": "C01"}),
        json!({"type": "message", "subtype": "channel_join", "user": "U01", "text": "joined", "ts": "1", "channel": "C01"}),
        json!({"type": "message", "subtype": "of next year", "user": "U01", "ts": "1", "channel": "C01"}),
        json!({"type": "message", "user": "U01", "text": "no place"}),
        json!({"type": "app_mention", "bot_id": "B09", "text": "<@UB> hi", "ts": "1", "channel": "C01"}),
    ].map(kind).join("\n"), @"
    ignored message.own
    ignored message.own
    ignored message.bot
    ignored message.bot_message
    ignored message.bot
    ignored message.channel_topic
    ignored message.channel_join
    unknown message.of_next_year
    unknown message.incomplete
    ignored app_mention.bot
    ");
}

#[test]
fn edits_and_deletions_are_told_apart_from_what_slack_calls_so() {
    let changed = |message: Value, before: Value| {
        event(json!({"type": "message", "subtype": "message_changed", "hidden": true, "channel": "D01", "channel_type": "im",
            "ts": "9", "message": message, "previous_message": before})).what
    };
    let said = json!({"type": "message", "user": "U01", "text": "one", "ts": "1.1", "thread_ts": "1.0", "client_msg_id": "c"});
    let with = |more: Value| {
        let mut message = said.clone();
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        message
    };
    insta::assert_debug_snapshot!([
        changed(with(json!({"text": "two &lt; three", "edited": {"user": "U01", "ts": "9"}})), said.clone()),
        // A link was unfolded.
        changed(with(json!({"attachments": [{"text": "a page"}]})), said.clone()),
        changed(with(json!({"attachments": [{"text": "a page"}], "edited": {"user": "U01", "ts": "9"}})), said.clone()),
        // One of ours.
        changed(with(json!({"user": "UB", "bot_id": "B01", "app_id": "A01", "edited": {}, "text": "two"})), said.clone()),
        // Deleted, with replies under it.
        changed(json!({"subtype": "tombstone", "ts": "1.1", "user": "USLACKBOT", "text": "This message was deleted."}), said.clone()),
        event(json!({"type": "message", "subtype": "message_deleted", "channel": "C01", "ts": "9", "deleted_ts": "1.1",
            "previous_message": said})).what,
        changed(Value::Null, Value::Null),
    ], @r#"
    [
        Edited {
            channel: "D01",
            is_direct: true,
            ts: "1.1",
            thread: Some(
                "1.0",
            ),
            by: Actor {
                user: "U01",
                team: "",
                name: "",
            },
            text: "two < three",
        },
        Ignored {
            kind: "message.message_changed.same",
        },
        Ignored {
            kind: "message.message_changed.same",
        },
        Ignored {
            kind: "message.message_changed.own",
        },
        Deleted {
            channel: "D01",
            is_direct: true,
            ts: "1.1",
            thread: Some(
                "1.0",
            ),
            author: "U01",
        },
        Deleted {
            channel: "C01",
            is_direct: false,
            ts: "1.1",
            thread: Some(
                "1.0",
            ),
            author: "U01",
        },
        Unknown {
            kind: "message.message_changed.incomplete",
        },
    ]
    "#);
}

#[test]
fn what_happens_around_conversations() {
    let what = |kind: Value| event(kind).what;
    insta::assert_debug_snapshot!([
        what(json!({"type": "app_home_opened", "user": "U01", "channel": "D01", "tab": "messages", "event_ts": "1"})),
        what(json!({"type": "agent_session_stopped", "user": "U01", "channel": "D01", "thread_ts": "1.1", "streaming_message_ts": []})),
        what(json!({"type": "app_uninstalled"})),
        what(json!({"type": "tokens_revoked", "tokens": {"oauth": ["U01"], "bot": []}})),
        what(json!({"type": "tokens_revoked", "tokens": {"bot": ["UB"]}})),
        what(json!({"type": "channel_archive", "channel": "C01", "user": "U01"})),
        what(json!({"type": "channel_deleted", "channel": "C01"})),
        what(json!({"type": "group_left", "channel": "G01"})),
        what(json!({"type": "member_left_channel", "user": "UB", "channel": "C01"})),
        what(json!({"type": "member_left_channel", "user": "U01", "channel": "C01"})),
        what(json!({"type": "member_joined_channel", "user": "UB", "channel": "C01"})),
        what(json!({"type": "message", "subtype": "channel_unarchive", "user": "U01", "channel": "C01", "ts": "1"})),
        what(json!({"type": "user_change", "user": {"id": "U01", "deleted": true}})),
        what(json!({"type": "subteam_members_changed", "subteam_id": "S01"})),
        what(json!({"type": "subteam_updated", "subteam": {"id": "S02"}})),
        what(json!({"type": "app_context_changed", "context": {"entities": []}})),
        what(json!({"type": "of.next_Year!"})),
        what(json!({})),
    ], @r#"
    [
        HomeOpened {
            by: Actor {
                user: "U01",
                team: "",
                name: "",
            },
            tab: "messages",
            channel: "D01",
        },
        Stopped {
            by: Actor {
                user: "U01",
                team: "",
                name: "",
            },
            channel: "D01",
            thread: Some(
                "1.1",
            ),
        },
        Revoked,
        Ignored {
            kind: "tokens_revoked",
        },
        Revoked,
        ChannelGone {
            channel: "C01",
            why: "archived",
        },
        ChannelGone {
            channel: "C01",
            why: "deleted",
        },
        ChannelGone {
            channel: "G01",
            why: "left",
        },
        ChannelGone {
            channel: "C01",
            why: "left",
        },
        Ignored {
            kind: "member_left_channel",
        },
        ChannelBack {
            channel: "C01",
        },
        ChannelBack {
            channel: "C01",
        },
        UserChanged {
            user: "U01",
            deleted: true,
        },
        GroupChanged {
            group: "S01",
        },
        GroupChanged {
            group: "S02",
        },
        Ignored {
            kind: "app_context_changed",
        },
        Unknown {
            kind: "of.next_year_",
        },
        Unknown {
            kind: "none",
        },
    ]
    "#);
}

fn click() -> Value {
    json!({
        "type": "block_actions", "api_app_id": "A01", "trigger_id": "1.2.3", "response_url": "https://hooks.slack.com/actions/1",
        "team": {"id": "T01", "domain": "d"}, "enterprise": null, "is_enterprise_install": false,
        "user": {"id": "U01", "username": "ada", "name": "ada", "team_id": "T01"},
        "container": {"type": "message", "message_ts": "1690.0001", "channel_id": "D024", "is_ephemeral": false, "thread_ts": "1690.0000"},
        "channel": {"id": "D024", "name": "directmessage"},
        "message": {"ts": "1690.0001", "metadata": {"event_type": "onb_delivery", "event_payload": {"nested": {"d": 1}}}},
        "state": {"values": {
            "roles": {"v1.x.1.pick": {"type": "checkboxes", "selected_options": [{"value": "0"}, {"value": "2"}]}},
            "day": {"d": {"type": "datepicker", "selected_date": null}},
        }},
        "actions": [{"action_id": "v1.x.1.done", "block_id": "b1", "type": "button", "text": {"type": "plain_text", "text": "Done"},
            "value": "v", "action_ts": "1690.5"}],
    })
}

#[test]
fn a_click_brings_what_was_picked_beside_it() {
    insta::assert_debug_snapshot!(parse::interaction(&click()), @r#"
    Envelope {
        key: "act:T01:U01:1690.5:v1.x.1.done",
        workspace: Workspace {
            team: "T01",
            enterprise: None,
            is_enterprise_install: false,
        },
        what: Action(
            Action {
                by: Actor {
                    user: "U01",
                    team: "T01",
                    name: "ada",
                },
                element: "v1.x.1.done",
                block_id: "b1",
                inputs: Inputs(
                    {
                        "day": {
                            "d": Typed {
                                values: [],
                                files: [],
                            },
                        },
                        "roles": {
                            "v1.x.1.pick": Typed {
                                values: [
                                    "0",
                                    "2",
                                ],
                                files: [],
                            },
                        },
                    },
                ),
                value: "v",
                message: Some(
                    (
                        "D024",
                        "1690.0001",
                    ),
                ),
                said: "",
                is_ephemeral: false,
                thread: Some(
                    "1690.0000",
                ),
                view: None,
                trigger_id: "1.2.3",
                response_url: "https://hooks.slack.com/actions/1",
            },
        ),
    }
    "#);
}

#[test]
fn components_hold_what_was_picked_in_them() {
    let held = |action: Value| {
        let mut click = click();
        click["state"] = json!({});
        click["actions"] = json!([action]);
        click["actions"][0]["action_id"] = "a".into();
        click["actions"][0]["block_id"] = "b".into();
        match parse::interaction(&click).what {
            Incoming::Action(action) => action.inputs.0["b"]["a"].values.join(", "),
            other => panic!("{other:?}"),
        }
    };
    insta::assert_snapshot!([
        json!({"type": "static_select", "selected_option": {"text": {"type": "plain_text", "text": "One"}, "value": "1"}}),
        json!({"type": "overflow", "selected_option": {"value": "remove"}}),
        json!({"type": "multi_static_select", "selected_options": [{"value": "1"}, {"value": "2"}]}),
        json!({"type": "datepicker", "selected_date": "2026-11-02"}),
        json!({"type": "timepicker", "selected_time": "14:02"}),
        json!({"type": "datetimepicker", "selected_date_time": 1_690_000_000}),
        json!({"type": "users_select", "selected_user": "U01"}),
        json!({"type": "multi_conversations_select", "selected_conversations": ["C01", "C02"]}),
        json!({"type": "plain_text_input", "value": "typed"}),
        json!({"type": "of_next_year", "selected_things": [{"value": "x"}]}),
    ].map(held).join("\n"), @"
    1
    remove
    1, 2
    2026-11-02
    14:02
    1690000000
    U01
    C01, C02
    typed
    x
    ");
}

#[test]
fn a_form_brings_all_that_is_in_it() {
    insta::assert_debug_snapshot!(parse::interaction(&json!({
        "type": "view_submission", "team": {"id": "T01"}, "user": {"id": "U01", "name": "ada", "team_id": "T01"}, "trigger_id": "1",
        "view": {"id": "V01", "hash": "h1", "callback_id": "v1.x.1.submit", "private_metadata": "D024/1690.0001",
            "app_installed_team_id": "T01",
            "state": {"values": {
                "file": {"f": {"type": "file_input", "files": [{"id": "F01", "name": "cv.pdf", "size": 3}]}},
                "name": {"n": {"type": "plain_text_input", "value": "Ada & <b>"}},
                "none": {"n": {"type": "plain_text_input", "value": null}},
                "rich": {"r": {"type": "rich_text_input", "rich_text_value": {"type": "rich_text", "elements": [
                    {"type": "rich_text_section", "elements": [{"type": "text", "text": "rich"}]}]}}},
                "odd": "text",
            }}},
    })), @r#"
    Envelope {
        key: "sub:V01:h1",
        workspace: Workspace {
            team: "T01",
            enterprise: None,
            is_enterprise_install: false,
        },
        what: Submitted(
            Submission {
                by: Actor {
                    user: "U01",
                    team: "T01",
                    name: "ada",
                },
                view: ViewRef {
                    id: "V01",
                    hash: "h1",
                    callback_id: "v1.x.1.submit",
                    private_metadata: "D024/1690.0001",
                },
                inputs: Inputs(
                    {
                        "file": {
                            "f": Typed {
                                values: [],
                                files: [
                                    File {
                                        id: "F01",
                                        name: "cv.pdf",
                                        size: Some(
                                            3,
                                        ),
                                        url: "",
                                        mimetype: "",
                                        is_external: false,
                                        is_gone: false,
                                    },
                                ],
                            },
                        },
                        "name": {
                            "n": Typed {
                                values: [
                                    "Ada & <b>",
                                ],
                                files: [],
                            },
                        },
                        "none": {
                            "n": Typed {
                                values: [],
                                files: [],
                            },
                        },
                        "odd": {},
                        "rich": {
                            "r": Typed {
                                values: [
                                    "rich",
                                ],
                                files: [],
                            },
                        },
                    },
                ),
            },
        ),
    }
    "#);
}

#[test]
fn other_interactions() {
    let what = |payload: Value| {
        let Envelope { key, workspace, what } = parse::interaction(&payload);
        format!("{key} {} {what:?}", workspace.team)
    };
    let user = json!({"id": "U01", "team_id": "T01"});
    insta::assert_snapshot!([
        json!({"type": "view_closed", "user": user, "view": {"id": "V01", "hash": "h", "callback_id": "c", "private_metadata": "m", "team_id": "T01"}}),
        json!({"type": "shortcut", "team": {"id": "T01"}, "user": user, "callback_id": "onboard_start", "trigger_id": "1.2"}),
        json!({"type": "message_action", "team": {"id": "T01"}, "user": user, "callback_id": "m", "trigger_id": "1.3",
            "channel": {"id": "C01"}, "message_ts": "1.1"}),
        json!({"type": "block_suggestion", "team": {"id": "T01"}, "user": user, "value": "x"}),
        json!({"type": "of_next_year", "team": {"id": "T01"}}),
        json!({"type": "block_actions", "team": {"id": "T01"}, "actions": []}),
    ].map(what).join("\n"), @r#"
    closed:V01:h T01 Closed { by: Actor { user: "U01", team: "T01", name: "" }, callback_id: "c", private_metadata: "m" }
    cut:1.2 T01 Shortcut { by: Actor { user: "U01", team: "T01", name: "" }, callback_id: "onboard_start", message: None, trigger_id: "1.2" }
    cut:1.3 T01 Shortcut { by: Actor { user: "U01", team: "T01", name: "" }, callback_id: "m", message: Some(("C01", "1.1")), trigger_id: "1.3" }
    int:sha256:00210fe7493d583994f5695e8f26e37af5731912bdfefda533fed07395b02c0e T01 Ignored { kind: "block_suggestion" }
    int:sha256:309836541d7b0ac82cb7ee41b1ae6dcc20ed70351fb0714c818cbcac160b36cb T01 Unknown { kind: "of_next_year" }
    act:sha256:64f9f4acd023921dad18dd199eb904071619e4dea66742ea3fd6fc5670817745 T01 Unknown { kind: "block_actions.none" }
    "#);
}

#[test]
fn a_command() {
    let fields = [
        ("command", "/onboard"),
        ("text", "invite <@U02|grace> &amp; co"),
        ("team_id", "T01"),
        ("enterprise_id", "E01"),
        ("is_enterprise_install", "true"),
        ("user_id", "U01"),
        ("user_name", "ada"),
        ("channel_id", "C01"),
        ("trigger_id", "1.2.3"),
        ("response_url", "https://hooks.slack.com/commands/1"),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
    insta::assert_debug_snapshot!(parse::command(&parse::form(fields)), @r#"
    Envelope {
        key: "cmd:1.2.3",
        workspace: Workspace {
            team: "T01",
            enterprise: Some(
                "E01",
            ),
            is_enterprise_install: true,
        },
        what: Command(
            Command {
                by: Actor {
                    user: "U01",
                    team: "T01",
                    name: "ada",
                },
                name: "/onboard",
                text: "invite <@U02|grace> &amp; co",
                channel: "C01",
                trigger_id: "1.2.3",
                response_url: "https://hooks.slack.com/commands/1",
            },
        ),
    }
    "#);
    let check = parse::command(&json!({"ssl_check": "1", "token": "t"}));
    assert!(matches!(check.what, Incoming::Ignored { .. }), "{check:?}");
}

#[test]
fn the_workspace_is_found_wherever_it_stands() {
    let of = |payload: Value| {
        let workspace = parse::interaction(&payload).workspace;
        format!("{} {:?} {}", workspace.team, workspace.enterprise, workspace.is_enterprise_install)
    };
    let user = json!({"id": "U01", "team_id": "T03"});
    insta::assert_snapshot!([
        of(json!({"view": {"app_installed_team_id": "T01", "team_id": "T02"}, "team": {"id": "T02"}, "user": user})),
        of(json!({"team": {"id": "T01"}, "user": user})),
        of(json!({"team": "T01", "user": user})),
        of(json!({"team": null, "enterprise": {"id": "E01"}, "is_enterprise_install": true, "user": user})),
        of(json!({"team": null, "enterprise": {"id": "E01"}, "is_enterprise_install": true, "user": {"id": "U01"},
            "view": {"team_id": "T04", "app_installed_team_id": null}})),
        of(json!({"team_id": "T05", "authorizations": [{"team_id": "T01", "enterprise_id": "E01", "is_enterprise_install": true}]})),
        of(json!({"team_id": "T05", "authorizations": [{"team_id": null, "enterprise_id": "E01"}]})),
        of(json!({})),
    ].join("\n"), @r#"
    T01 None false
    T01 None false
    T01 None false
    T03 Some("E01") true
    T04 Some("E01") true
    T01 Some("E01") true
    T05 Some("E01") false
     None false
    "#);
}

#[test]
fn the_same_thing_has_the_same_key() {
    let key = |payload: &Value| parse::interaction(payload).key;
    let once = click();
    let mut again = click();
    again["trigger_id"] = "9.9.9".into();
    assert_eq!(key(&once), key(&again));
    again["actions"][0]["action_ts"] = "1690.6".into();
    assert_ne!(key(&once), key(&again));

    // Without what tells it apart, its content does.
    let mut bare = around(json!({"type": "user_change", "user": {"id": "U01"}}));
    bare.as_object_mut().unwrap().remove("event_id");
    let named = parse::event(&bare).key;
    assert_eq!(named, parse::event(&bare).key);
    bare["event"]["user"]["id"] = "U02".into();
    assert_ne!(named, parse::event(&bare).key);

    // Nobody makes a key long, or of anything but plain signs.
    for id in ["x".repeat(100_000), "a b".to_owned(), "é".to_owned()] {
        let mut odd = around(json!({"type": "user_change"}));
        odd["event_id"] = id.into();
        let key = parse::event(&odd).key;
        assert!(key.len() < 100 && key.is_ascii() && !key.contains(' '), "{key}");
    }
}

/// Every payload that Slack's own SDK has an example of, with what becomes of it; the examples' fields are empty.
#[test]
fn every_sample_is_read() {
    let Some(folder) = std::env::var_os("ANTEROOM_CONFORMANCE") else {
        crate::slack::skipped::skip("Slack's samples", "set ANTEROOM_CONFORMANCE to their folder");
        return;
    };
    let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut samples = 0;
    walk(&Path::new(&folder).join("slack-samples"), &mut |file, payload| {
        samples += 1;
        let path = file.to_string_lossy().into_owned();
        let envelope = if path.contains("/events/") {
            parse::event(payload)
        } else if path.contains("/slash-commands/") {
            parse::command(payload)
        } else {
            parse::interaction(payload)
        };
        let what = match &envelope.what {
            Incoming::Ignored { .. } => "Ignored".to_owned(),
            Incoming::Unknown { kind } => format!("Unknown {kind}"),
            other => {
                format!("{other:?}").split([' ', '(', '{']).next().unwrap_or_default().to_owned()
            }
        };
        let name = file.file_name().unwrap().to_string_lossy().replace("Payload.json", "");
        seen.entry(what).or_default().push(name);
    });
    assert_eq!(samples, 105);
    let told: Vec<_> = seen
        .iter_mut()
        .map(|(what, names)| {
            names.sort();
            let shown =
                if what == "Ignored" { String::new() } else { format!(": {}", names.join(" ")) };
            format!("{} {what}{shown}", names.len())
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @"
    2 Access: TeamAccessGranted TeamAccessRevoked
    1 Action: BlockAction
    3 ChannelBack: ChannelUnarchive GroupUnarchive MessageChannelUnarchive
    7 ChannelGone: ChannelArchive ChannelDeleted ChannelLeft GroupArchive GroupDeleted GroupLeft MessageChannelArchive
    1 Closed: ViewClosed
    1 Command: SlashCommand
    1 Deleted: MessageDeleted
    3 GroupChanged: SubteamCreated SubteamMembersChanged SubteamUpdated
    1 HomeOpened: AppHomeOpened
    70 Ignored
    2 Revoked: AppUninstalled TokensRevoked
    1 Shortcut: MessageShortcut
    1 Submitted: ViewSubmission
    1 Unknown app_mention.incomplete: AppMention
    4 Unknown message.incomplete: Message MessageFileShare MessageMe MessageThreadBroadcast
    1 Unknown workflow_deleted: WorkflowDeleted
    1 Unknown workflow_published: WorkflowPublished
    1 Unknown workflow_step_deleted: WorkflowStepDeleted
    1 Unknown workflow_step_execute: WorkflowStepExecute
    1 Unknown workflow_unpublished: WorkflowUnpublished
    1 UserChanged: UserChange
    ");
}

/// The examples of messages with something in their empty fields: the words and the files arrive.
#[test]
fn messages_of_the_samples_arrive() {
    let Some(folder) = std::env::var_os("ANTEROOM_CONFORMANCE") else { return };
    let events = Path::new(&folder).join("slack-samples/events");
    for (name, files) in [
        ("Message", 0),
        ("MessageFileShare", 1),
        ("MessageMe", 0),
        ("MessageThreadBroadcast", 0),
        ("AppMention", 0),
    ] {
        let text = fs::read_to_string(events.join(format!("{name}Payload.json"))).unwrap();
        let mut payload: Value = serde_json::from_str(&text.replace("\"\"", "\"x\"")).unwrap();
        let event = payload["event"].as_object_mut().unwrap();
        for of_bots in ["bot_id", "bot_profile"] {
            event.remove(of_bots);
        }
        match parse::event(&payload).what {
            Incoming::Message(message) => {
                assert_eq!((message.text.as_str(), message.files.len()), ("x", files), "{name}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

fn walk(folder: &Path, see: &mut dyn FnMut(&Path, &Value)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, see);
        } else if path.extension().is_some_and(|ending| ending == "json") {
            see(&path, &serde_json::from_slice(&fs::read(&path).unwrap()).unwrap());
        }
    }
}
